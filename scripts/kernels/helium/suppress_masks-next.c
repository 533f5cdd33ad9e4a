// gcc: -O2
// Four rows at once; their classes first, because most differ.
#include <arm_mve.h>
#include "suppress_masks.h"

const struct row *suppress_masks_next(const struct crop *crop, const struct row *at, const struct row *end)
{
    uint32x4_t rows = vmulq_n_u32(vidupq_n_u32(0, 1), sizeof *at);
    for (; at < end; at += 4) {
        mve_pred16_t lanes = vctp32q(end - at);
        if (!crop->any_class) {
            lanes = vcmpeqq_m_n_s32(vldrwq_gather_offset_z_s32(&at->class_id, rows, lanes), crop->class_id, lanes);
            if (!lanes)
                continue;
        }
        int32x4_t x0 = vmaxq_s32(vldrwq_gather_offset_z_s32(&at->crop_x0, rows, lanes), vdupq_n_s32(crop->x0));
        int32x4_t y0 = vmaxq_s32(vldrwq_gather_offset_z_s32(&at->crop_y0, rows, lanes), vdupq_n_s32(crop->y0));
        int32x4_t x1 = vminq_s32(vldrwq_gather_offset_z_s32(&at->crop_x1, rows, lanes), vdupq_n_s32(crop->x1));
        int32x4_t y1 = vminq_s32(vldrwq_gather_offset_z_s32(&at->crop_y1, rows, lanes), vdupq_n_s32(crop->y1));
        int32x4_t w = vsubq_s32(x1, x0), h = vsubq_s32(y1, y0);
        lanes = vcmpgtq_m_n_s32(w, 0, vcmpgtq_m_n_s32(h, 0, lanes));
        lanes = vcmpgtq_m_n_s32(vmulq_s32(w, h), crop->least, lanes);
        if (lanes)
            return at + (__builtin_ctz(lanes) >> 2);
    }
    return end;
}
