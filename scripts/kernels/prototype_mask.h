// What m7/prototype_mask.c and helium/prototype_mask.c share: a window of the prototypes, and masks of floats one by one.
#pragma once
#include "tensors.h"

#define INLINE static inline __attribute__((always_inline))
enum { MOST = 64 }; // coefficients

struct window {
    const uint8_t *p; // the first pixel
    int width, height, row_step, pixel_step, step, terms; // steps in bytes: from row to row, pixel to pixel, coefficient to coefficient
};

INLINE struct window window_of(const uint8_t *protos, const struct prototype_mask_params *params, int x, int y, int w, int h)
{
    int size = log2_size(params->dtype);
    return (struct window){
        protos + (((y * params->width + x) * params->pixel_step) << size), w, h, (params->width * params->pixel_step) << size,
        params->pixel_step << size, params->coefficient_step << size, params->coefficients,
    };
}

// --- floats, and int16 as floats ---
INLINE float product(const uint8_t *at, float c, float zero, int dtype)
{
    return (element(at, dtype) - zero) * c;
}

INLINE float sum_of(const uint8_t *at, const float *c, int step, int terms, float zero, int dtype)
{
    float sums[4] = { 0, 0, 0, 0 };
    for (; terms >= 4; terms -= 4, c += 4, at += 4 * step) {
        sums[0] += product(at, c[0], zero, dtype);
        sums[1] += product(at + step, c[1], zero, dtype);
        sums[2] += product(at + 2 * step, c[2], zero, dtype);
        sums[3] += product(at + 3 * step, c[3], zero, dtype);
    }
    if (terms > 0)
        sums[0] += product(at, c[0], zero, dtype);
    if (terms > 1)
        sums[1] += product(at + step, c[1], zero, dtype);
    if (terms > 2)
        sums[2] += product(at + 2 * step, c[2], zero, dtype);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

INLINE void fractions(const struct window *w, const float *c, float zero, float threshold, uint8_t *out, int dtype)
{
    float most = 0, factor = 1;
    for (int skip = 2; skip; skip--) {
        for (int y = 0; y < w->height; y += skip) {
            const uint8_t *at = w->p + y * w->row_step;
            for (int x = 0; x < w->width; x += skip, at += skip * w->pixel_step) {
                float sum = sum_of(at, c, w->step, w->terms, zero, dtype) - threshold;
                if (skip == 2) {
                    most = __builtin_fmaxf(most, __builtin_fabsf(sum)); // ignores NaN
                    continue;
                }
                sum = __builtin_ceilf(sum * factor) + 127;
                *out++ = (int)__builtin_fminf(__builtin_fmaxf(sum, 0), 255);
            }
        }
        if (skip == 2 && most > 0 && most < __builtin_inff() && 127 / most < __builtin_inff())
            factor = 127 / most;
    }
}
