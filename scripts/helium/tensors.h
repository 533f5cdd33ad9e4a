// What the C kernels share: the plans, their dtypes and float entries, the larger of two, four elements of any tensor as
// floats.
#include <arm_mve.h>
#include <stddef.h>
#include <stdint.h>
#include "plans.h"

// ulab's codes.
enum { UINT8 = 66, INT8 = 98, INT16 = 104, FLOAT32 = 102 };

// Checks that as many entries of a plan or a row lie from `first` to `last` as a vector takes at once.
#define ENTRIES(block, first, last, count) \
    _Static_assert(offsetof(struct block, last) - offsetof(struct block, first) == 4 * ((count) - 1), #first " to " #last)

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

// The bytes of an element as a shift.
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

// Elements at `base`, as floats; offsets count elements. Lanes that `lanes` leaves out are 0 and not read.
// A gather costs one instruction here but some cycles more than a plain load on silicon: not for the hottest loops.
static inline float32x4_t gather(const void *base, uint32x4_t offsets, int dtype, mve_pred16_t lanes)
{
    if (dtype == FLOAT32)
        return vldrwq_gather_shifted_offset_z_f32(base, offsets, lanes);
    if (dtype == INT16)
        return vcvtq_f32_s32(vldrhq_gather_shifted_offset_z_s32(base, offsets, lanes));
    if (dtype == INT8)
        return vcvtq_f32_s32(vldrbq_gather_offset_z_s32(base, offsets, lanes));
    return vcvtq_f32_s32(vreinterpretq_s32_u32(vldrbq_gather_offset_z_u32(base, offsets, lanes)));
}
