// What the C kernels with Helium share besides tensors.h: what a vector takes at once, four elements of any tensor as floats.
#include <arm_mve.h>
#include "tensors.h"

// Checks that as many entries of a plan or a row lie from `first` to `last` as a vector takes at once.
#define ENTRIES(block, first, last, count) \
    _Static_assert(offsetof(struct block, last) - offsetof(struct block, first) == 4 * ((count) - 1), #first " to " #last)

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
