// gcc: -O2
// Cut a rotated rectangle out of a picture, with bilinear interpolation. cut_rotated(target, params, source); see
// portable/crops.py. Four pixels at a time.
#include <arm_mve.h>
#include <stdint.h>
#include "params.h"

// The three channels of an RGB565 pixel are spread over 32 bits with room above each, so that one product scales all of them.
#define SPREAD 0x07E0F81Fu
#define HALF 0x02008010u

static inline uint32x4_t spread(uint32x4_t pixels)
{
    return vandq(vsliq(pixels, pixels, 16), vdupq_n_u32(SPREAD));
}

static inline uint32x4_t mixed(uint32x4_t a, uint32x4_t b, uint32x4_t share, uint32x4_t rest, uint32_t half)
{
    return vshrq(vaddq_n_u32(vaddq(vmulq(a, rest), vmulq(b, share)), half), 5);
}

static inline int32x4_t limited(int32x4_t a, int32x4_t last)
{
    return vmaxq(vminq(a, last), vdupq_n_s32(0));
}

int cut_rotated(void *target, const struct cut_rotated_params *params, const void *source)
{
    int width = params->source_width, color = params->depth == 2;
    int32x4_t right = vdupq_n_s32(width - 1), bottom = vdupq_n_s32(params->source_height - 1);
    uint32x4_t fraction = vdupq_n_u32(31), whole = vdupq_n_u32(32);
    int32x4_t lanes = vreinterpretq_s32(vidupq_n_u32(0, 1));
    int32x4_t ahead_x = vmulq_n_s32(lanes, params->xu), ahead_y = vmulq_n_s32(lanes, params->yu);
    int step_x = 4 * params->xu, step_y = 4 * params->yu;
    int row_x = params->row_x, row_y = params->row_y;
    uint16_t *words = target;
    uint8_t *bytes = target;
    for (int v = params->height; v > 0; v--, row_x += params->xv, row_y += params->yv) {
        int32x4_t x = vaddq_n_s32(ahead_x, row_x), y = vaddq_n_s32(ahead_y, row_y);
        for (int u = params->width; u > 0; u -= 4, x = vaddq_n_s32(x, step_x), y = vaddq_n_s32(y, step_y)) {
            mve_pred16_t some = vctp32q(u);
            int32x4_t left = vshrq(x, 16), top = vshrq(y, 16);
            uint32x4_t across = vandq(vreinterpretq_u32(vshrq(x, 11)), fraction);
            uint32x4_t down = vandq(vreinterpretq_u32(vshrq(y, 11)), fraction);
            uint32x4_t over = vsubq(whole, across), up = vsubq(whole, down);
            int32x4_t next = limited(vaddq_n_s32(left, 1), right);
            int32x4_t below = vmulq_n_s32(limited(vaddq_n_s32(top, 1), bottom), width);
            left = limited(left, right);
            top = vmulq_n_s32(limited(top, bottom), width);
            uint32x4_t at0 = vreinterpretq_u32(vaddq(top, left)), at1 = vreinterpretq_u32(vaddq(top, next));
            uint32x4_t at2 = vreinterpretq_u32(vaddq(below, left)), at3 = vreinterpretq_u32(vaddq(below, next));
            if (color) {
                const uint16_t *from = source;
                uint32x4_t a = spread(vldrhq_gather_shifted_offset_u32(from, at0));
                uint32x4_t b = spread(vldrhq_gather_shifted_offset_u32(from, at1));
                uint32x4_t c = spread(vldrhq_gather_shifted_offset_u32(from, at2));
                uint32x4_t d = spread(vldrhq_gather_shifted_offset_u32(from, at3));
                uint32x4_t upper = vandq(mixed(a, b, across, over, HALF), vdupq_n_u32(SPREAD));
                uint32x4_t lower = vandq(mixed(c, d, across, over, HALF), vdupq_n_u32(SPREAD));
                uint32x4_t pixels = vandq(mixed(upper, lower, down, up, HALF), vdupq_n_u32(SPREAD));
                vstrhq_p(words, vorrq(pixels, vshrq(pixels, 16)), some);
                words += u < 4 ? u : 4;
            } else {
                const uint8_t *from = source;
                uint32x4_t a = vldrbq_gather_offset_u32(from, at0), b = vldrbq_gather_offset_u32(from, at1);
                uint32x4_t c = vldrbq_gather_offset_u32(from, at2), d = vldrbq_gather_offset_u32(from, at3);
                uint32x4_t upper = mixed(a, b, across, over, 16), lower = mixed(c, d, across, over, 16);
                vstrbq_p(bytes, mixed(upper, lower, down, up, 16), some);
                bytes += u < 4 ? u : 4;
            }
        }
    }
    return 0;
}
