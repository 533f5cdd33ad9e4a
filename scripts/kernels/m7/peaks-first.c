// gcc: -O2
// Finds the keypoints' first maxima, value by value. If the keypoints of a pixel are side by side, some pixels are searched for
// one keypoint after the other, so that their values are still in the cache. NaN is never a maximum.
#include "peaks.h"

enum { BLOCK = 64 }; // pixels

// In a branch that is seldom taken, so that GCC does not select values without one, which takes longer.
#define SELDOM __asm__ volatile("")

static inline __attribute__((always_inline)) int planes(const struct heat *heat, int *first, int dtype)
{
    int size = log2_size(dtype), step = heat->step << size, lanes = 1, block = heat->pixels;
    union { int32_t i[KEYPOINTS]; float f[KEYPOINTS]; } most;
    if (heat->keypoint_step == 1) {
        lanes = smaller(heat->keypoints, KEYPOINTS);
        block = BLOCK;
    }
    for (int lane = 0; lane < lanes; lane++) {
        const char *at = heat->group + (lane << size);
        if (dtype == FLOAT32)
            most.f[lane] = *(const float *)at > -__builtin_inff() ? *(const float *)at : -__builtin_inff();
        else
            most.i[lane] = element(at, dtype);
        first[lane] = 0;
    }
    for (int from = 0; from < heat->pixels; from += block) {
        int end = smaller(from + block, heat->pixels);
        for (int lane = 0; lane < lanes; lane++) {
            const char *at = heat->group + from * step + (lane << size);
            float best = most.f[lane];
            int largest = most.i[lane], found = -1;
            for (int pixel = from; pixel < end; pixel++, at += step) {
                if (dtype == FLOAT32) {
                    float value = *(const float *)at;
                    if (value > best) {
                        best = value;
                        found = pixel;
                        SELDOM;
                    }
                } else {
                    int value = dtype == INT8 ? *(const int8_t *)at : dtype == UINT8 ? *(const uint8_t *)at : *(const int16_t *)at;
                    if (value > largest) {
                        largest = value;
                        found = pixel;
                        SELDOM;
                    }
                }
            }
            if (found < 0)
                continue;
            first[lane] = found * heat->step;
            if (dtype == FLOAT32)
                most.f[lane] = best;
            else
                most.i[lane] = largest;
        }
    }
    return lanes;
}

int peaks_first(const struct heat *heat, int *first)
{
    int dtype = heat->dtype;
    return dtype == INT8 ? planes(heat, first, INT8) : dtype == UINT8 ? planes(heat, first, UINT8) :
           dtype == INT16 ? planes(heat, first, INT16) : planes(heat, first, FLOAT32);
}
