#pragma once
// Shared by the C kernels: the parameter blocks, dtypes, float entries, larger and smaller, an element of any tensor.
#include <stddef.h>
#include <stdint.h>
#include "params.h"

// ulab's codes.
enum { UINT8 = 66, INT8 = 98, INT16 = 104, FLOAT32 = 102 };

// Vector instructions take a subnormal number for 0, and VMAXNM gives NaN if one of its numbers is a signaling NaN. Both leave
// a flag in FPSCR. So a kernel runs its fast loop, and again with plain comparisons if that has met such numbers. (A comparison
// with a quiet NaN leaves a flag, too: this costs only time.)
static inline void clear_flags(void)
{
    int fpscr; // whose other bits say how to round, and how many lanes a loop has
    __asm__ volatile("vmrs %0, fpscr\n bic %0, %0, #0x89\n vmsr fpscr, %0" : "=r"(fpscr) :: "memory");
}

static inline int met_odd_numbers(void)
{
    int flags;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(flags) :: "memory");
    return flags & 0x89; // invalid operation, underflow, subnormal input
}

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
