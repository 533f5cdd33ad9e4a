// gcc: -O2
// Eight steps of a thick line at once, one in each lane: their pixels are scattered, row after row across the line.
#include <arm_mve.h>
#include "pose.h"

#define UNSIGNED vreinterpretq_u16_s16

// error: as of blend in pose.c, here from 0 to 256 only.
static inline __attribute__((always_inline)) void blend(uint8_t *base, int depth, int new, uint16x8_t at, uint16x8_t error,
                                                        mve_pred16_t lanes)
{
    uint16x8_t rest = vsubq_u16(vdupq_n_u16(256), error);
    if (depth == 1) {
        uint16x8_t sum = vmlaq_n_u16(vmulq_u16(vldrbq_gather_offset_z_u16(base, at, lanes), error), rest, new);
        vstrbq_scatter_offset_p_u16(base, at, vshrq_n_u16(sum, 8), lanes);
        return;
    }
    uint16x8_t old = vldrhq_gather_shifted_offset_z_u16((uint16_t *)base, at, lanes);
    uint16x8_t r = vmlaq_n_u16(vmulq_u16(vshrq_n_u16(old, 11), error), rest, new >> 11);
    uint16x8_t g = vmlaq_n_u16(vmulq_u16(vandq_u16(vshrq_n_u16(old, 5), vdupq_n_u16(63)), error), rest, new >> 5 & 63);
    uint16x8_t b = vmlaq_n_u16(vmulq_u16(vandq_u16(old, vdupq_n_u16(31)), error), rest, new & 31);
    b = vsliq_n_u16(vshrq_n_u16(b, 8), vshrq_n_u16(g, 8), 5);
    vstrhq_scatter_shifted_offset_p_u16((uint16_t *)base, at, vsliq_n_u16(b, vshrq_n_u16(r, 8), 11), lanes);
}

int pose_lanes(const struct canvas *c, const struct band *band)
{
    int width = c->width, depth = c->depth, steep = band->steep, side = band->side, near = band->near, far = band->far;
    int along = band->step * (steep ? width : 1), across = side * (steep ? 1 : width), last = (steep ? width : c->height) - 1;
    int most = 10 + (band->width + 256) / far; // rows across the line in which eight steps may have pixels
    int down = along < 0 ? -7 * along : 0, up = along > 0 ? 7 * along : 0;
    if (across < 0)
        down -= most * across;
    else
        up += most * across;
    int error = band->error, place = band->across;
    if (side < 0)
        place = last - place;
    if (error > 256 || down + up > 65535)
        return 0;
    // Offsets are unsigned: they count from the lowest pixel of eight steps.
    int first = (steep ? band->along * width + band->across : band->across * width + band->along) - down;
    uint8_t *base = c->frame + first * depth;
    int color = c->color;
    int16x8_t lane = vreinterpretq_s16_u16(vidupq_n_u16(0, 1));
    // x / far is x * inverse >> 23, exact for all that is divided here.
    int16x8_t nowhere = vdupq_n_s16(0x7000);
    uint16x8_t inverse = vdupq_n_u16((1 << 23) / far + 1);
    for (int left = band->left; left > 0; left -= 8) {
        // How far the line has moved to its side in each lane: (error + lane * near - 256) / far, rounded up.
        int16x8_t over = vmaxq_s16(vmlaq_n_s16(vdupq_n_s16(error - 257 + far), lane, near), vdupq_n_s16(0));
        int16x8_t moved = vreinterpretq_s16_u16(vshrq_n_u16(vmulhq_u16(UNSIGNED(over), inverse), 7));
        int16x8_t errors = vmlaq_n_s16(vmlaq_n_s16(vdupq_n_s16(error), lane, near), moved, -far);
        int16x8_t at = vmlaq_n_s16(vmlaq_n_s16(vdupq_n_s16(down), lane, along), moved, across);
        // The row across the line, counted in its direction: beyond `last` outside of the frame, and behind the line's end.
        int16x8_t row = vpselq_s16(vaddq_n_s16(moved, place), nowhere, vctp16q(left));
        blend(base, depth, color, UNSIGNED(at), UNSIGNED(errors), vcmpcsq_u16(vdupq_n_u16(last), UNSIGNED(row)));
        int16x8_t rest = vsubq_s16(vdupq_n_s16(far - band->width), errors);
        int16x8_t full = vreinterpretq_s16_u16(
            vshrq_n_u16(vmulhq_u16(UNSIGNED(vsubq_s16(vdupq_n_s16(255), rest)), inverse), 7)); // pixels without a blend
        int16x8_t end = vmlaq_n_s16(vaddq_n_s16(at, across), full, across), end_row = vaddq_s16(row, full);
        blend(base, depth, color, UNSIGNED(end), UNSIGNED(vmlaq_n_s16(rest, full, far)),
              vcmpcsq_u16(vdupq_n_u16(last), UNSIGNED(vaddq_n_s16(end_row, 1))));
        int16x8_t final = vminq_s16(end_row, vdupq_n_s16(last));
        row = vpselq_s16(row, nowhere, vcmpgeq_n_s16(final, 0));
        uint16x8_t paint = vdupq_n_u16(color), to = UNSIGNED(final);
        int n = vmaxvq_s16(0, full);
        if (depth == 1)
            for (; n > 0; n--) {
                at = vaddq_n_s16(at, across);
                row = vaddq_n_s16(row, 1);
                vstrbq_scatter_offset_p_u16(base, UNSIGNED(at), paint, vcmpcsq_u16(to, UNSIGNED(row)));
            }
        else
            for (; n > 0; n--) {
                at = vaddq_n_s16(at, across);
                row = vaddq_n_s16(row, 1);
                vstrhq_scatter_shifted_offset_p_u16((uint16_t *)base, UNSIGNED(at), paint, vcmpcsq_u16(to, UNSIGNED(row)));
            }
        int reached = error - 257 + far + 8 * near, sides = reached > 0 ? reached / far : 0;
        error += 8 * near - sides * far;
        place += sides;
        base += (8 * along + sides * across) * depth;
    }
    return 1;
}
