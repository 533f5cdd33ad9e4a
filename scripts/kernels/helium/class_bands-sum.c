// gcc: -O2
// Four columns at once; the lanes beyond the last column are neither read nor written.
#include <arm_mve.h>
#include "class_bands.h"

void class_bands_sum(struct band *band)
{
    uint16_t *rows = band->rows;
    const int32_t *edges = band->edges;
    uint32_t pixels = 0;
    int32_t first = 0x7FFFFFFF, last = 0;
    uint64_t moment = 0;
    for (int left = band->columns; left > 0; left -= 4, rows += 4, edges += 4) {
        mve_pred16_t lanes = vctp32q(left);
        int32x4_t start = vldrwq_z_s32(edges, lanes), end = vldrwq_z_s32(edges + 1, lanes);
        uint32x4_t wide = vreinterpretq_u32_s32(vsubq_s32(end, start));
        uint32x4_t count = vmulq_u32(vldrhq_z_u32(rows, lanes), wide);
        vstrhq_p_u32(rows, vdupq_n_u32(0), lanes);
        pixels = vaddvaq_u32(pixels, count); // 0 in the lanes beyond
        moment = vmlaldavaq_u32(moment, count, vreinterpretq_u32_s32(vaddq_s32(start, end)));
        lanes = vcmpneq_n_u32(count, 0);
        first = vminvq_p_s32(first, start, lanes);
        last = vmaxvq_p_s32(last, end, lanes);
    }
    band->pixels = pixels, band->left = first, band->right = last, band->moment = moment;
}
