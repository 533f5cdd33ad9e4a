#pragma once
// Shared by the C kernels: the parameter blocks, dtypes, float entries, larger and smaller, an element of any tensor.
#include <stddef.h>
#include <stdint.h>
#include "params.h"

// ulab's codes.
enum { UINT8 = 66, INT8 = 98, INT16 = 104, FLOAT32 = 102 };

static inline int larger(int a, int b)
{
    return a > b ? a : b;
}

static inline int smaller(int a, int b)
{
    return a < b ? a : b;
}

static inline float as_float(int32_t bits)
{
    union { int32_t i; float f; } word = { bits };
    return word.f;
}

static inline int32_t as_bits(float value)
{
    union { float f; int32_t i; } word = { .f = value };
    return word.i;
}

// log2 of the bytes of an element.
static inline int log2_size(int dtype)
{
    return dtype == FLOAT32 ? 2 : dtype == INT16 ? 1 : 0;
}

static inline float element(const void *at, int dtype)
{
    if (dtype == FLOAT32)
        return *(const float *)at;
    return dtype == INT16 ? *(const int16_t *)at : dtype == INT8 ? *(const int8_t *)at : *(const uint8_t *)at;
}
