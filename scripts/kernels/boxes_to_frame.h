// An edge of the crop, which m7/boxes_to_frame.c and helium/boxes_to_frame.c share: a vector would take the smallest numbers
// above 0, whose ceil is 1, for 0.
#pragma once
#include "tensors.h"

// NaN becomes 0.
static inline float clipped(float a, float high)
{
    return __builtin_fminf(__builtin_fmaxf(a, 0), high);
}

static inline int edge(float raw, int scale, int size)
{
    return (int)clipped(__builtin_ceilf(raw * as_float(scale)), size);
}
