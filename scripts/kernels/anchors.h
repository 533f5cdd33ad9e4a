// Shared by the kernels of anchors.py: sigmoid, powers of two, and where a channel of an anchor is stored.
#include "decode_boxes.h"

#define HIGHEST 30.0f

// 2^y for y up to 30.
static inline float power_of_two(float y)
{
    y = __builtin_fmaxf(y, LOWEST); // NaN becomes the lowest
    y = __builtin_fminf(y, HIGHEST);
    float n = __builtin_rintf(y), f = y - n;
    float p = ((((POWER5 * f + POWER4) * f + POWER3) * f + POWER2) * f + POWER1) * f + 1.0f;
    return as_float(as_bits(p) + ((int)n << 23)); // p * 2^n
}

// y is the logit times log2(e).
static inline float sigmoid(float y)
{
    float e = power(-__builtin_fabsf(y));
    return (y > 0 ? 1.0f : e) / (e + 1.0f);
}
