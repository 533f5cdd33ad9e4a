// gcc: -O2
// The class with the largest value at each pixel, or one channel compared with a cut. class_map(logits, params, out); see
// portable/maps.py.
//
// Bytes in planes are processed four pixels at once: SSUB8 compares four values, SEL takes the larger of each pair and its
// class. Everything else is processed pixel by pixel.
#include "words.h"

#define INLINE static inline __attribute__((always_inline))

// A value as float. NaN counts as -infinity.
INLINE float value_of(const void *at, int dtype)
{
    float value = element(at, dtype);
    return dtype == FLOAT32 && value != value ? -__builtin_inff() : value;
}

INLINE void pixels(const uint8_t *p, const struct class_map_params *params, int first, uint8_t *out, int dtype)
{
    int size = log2_size(dtype), step = params->class_step << size, classes = params->classes;
    for (int pixel = first; pixel < params->pixels; pixel++) {
        const uint8_t *at = p + ((pixel * params->pixel_step) << size);
        int best = 0;
        if (dtype == FLOAT32) {
            float most = value_of(at, dtype);
            for (int i = 1; i < classes; i++) {
                at += step;
                float value = *(const float *)at;
                if (value > most) {
                    most = value;
                    best = i;
                }
            }
        } else {
            int most = dtype == INT8 ? *(const int8_t *)at : dtype == UINT8 ? *at : *(const int16_t *)at;
            for (int i = 1; i < classes; i++) {
                at += step;
                int value = dtype == INT8 ? *(const int8_t *)at : dtype == UINT8 ? *at : *(const int16_t *)at;
                if (value > most) {
                    most = value;
                    best = i;
                }
            }
        }
        out[pixel] = best;
    }
}

// Returns how many pixels it has processed.
INLINE int planes(const uint8_t *p, const struct class_map_params *params, uint8_t *out, int dtype)
{
    int pixel = 0;
    for (; pixel + 4 <= params->pixels; pixel += 4) {
        const uint8_t *at = p + pixel;
        uint32_t most = four(at), best = 0;
        for (uint32_t i = 1, four_times = 0x01010101; i < (uint32_t)params->classes; i++, four_times += 0x01010101) {
            at += params->class_step;
            uint32_t value = four(at);
            if (dtype == INT8)
                __ssub8(most, value);
            else
                __usub8(most, value);
            // SEL keeps the best value so far where it is not less.
            most = __sel(most, value);
            best = __sel(best, four_times);
        }
        *(word_at *)(out + pixel) = best;
    }
    return pixel;
}

INLINE void above(const uint8_t *p, const struct class_map_params *params, uint8_t *out, int dtype)
{
    int size = log2_size(dtype);
    float cut = dtype == FLOAT32 ? as_float(params->cut) : (float)params->cut;
    for (int pixel = 0; pixel < params->pixels; pixel++, p += 1 << size)
        out[pixel] = element(p, dtype) >= cut;
}

int class_map(const uint8_t *logits, const struct class_map_params *params, uint8_t *out)
{
    int dtype = params->dtype, flat = params->pixel_step == 1;
#define EACH(type) \
    if (dtype == type) { \
        if (params->classes == 1) \
            above(logits, params, out, type); \
        else \
            pixels(logits, params, flat && (type == INT8 || type == UINT8) ? planes(logits, params, out, type) : 0, out, type); \
    }
    EACH(INT8)
    EACH(UINT8)
    EACH(INT16)
    EACH(FLOAT32)
    return 0;
}
