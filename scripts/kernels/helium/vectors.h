// Shared by the C kernels with Helium, besides tensors.h: entries that are loaded as one vector, four elements as floats.
#include <arm_mve.h>
#include "tensors.h"

// Checks at compile time that the entries from `first` to `last` of a parameter block or a row are `count` neighbors.
#define ENTRIES(block, first, last, count) \
    _Static_assert(offsetof(struct block, last) - offsetof(struct block, first) == 4 * ((count) - 1), #first " to " #last)

// Elements at `base`, as floats; offsets count elements. Lanes that are not in `lanes` are 0 and are not read.
// A gather is one instruction but takes some cycles more than a plain load: do not use it in the hottest loops.
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
