// gcc: -O2
// Finds the first maximum of one keypoint, value by value. NaN is never a maximum.
#include "peaks.h"

static inline __attribute__((always_inline)) int plane(const struct heat *heat, int dtype)
{
    const char *at = heat->group;
    int step = heat->step << log2_size(dtype), first = 0;
    float most = dtype == FLOAT32 ? __builtin_fmaxf(*(const float *)at, -__builtin_inff()) : 0;
    int largest = dtype == FLOAT32 ? 0 : (int)element(at, dtype);
    for (int pixel = 1; pixel < heat->pixels; pixel++) {
        at += step;
        if (dtype == FLOAT32) {
            float value = *(const float *)at;
            if (value > most) {
                most = value;
                first = pixel;
            }
        } else {
            int value = dtype == INT8 ? *(const int8_t *)at : dtype == UINT8 ? *(const uint8_t *)at : *(const int16_t *)at;
            if (value > largest) {
                largest = value;
                first = pixel;
            }
        }
    }
    return first * heat->step;
}

int peaks_first(const struct heat *heat, int *first)
{
    int dtype = heat->dtype;
    *first = dtype == INT8 ? plane(heat, INT8) : dtype == UINT8 ? plane(heat, UINT8) :
             dtype == INT16 ? plane(heat, INT16) : plane(heat, FLOAT32);
    return 1;
}
