// A rectangle's outline, and a filled rectangle (the ground of its label), in one colour.
//
// for each of the five rectangles: clip it to the frame, then for each strip of sixteen bytes of width, its last one
// predicated to what is left: store the colour row by row. (A box is mostly upright edges a few pixels wide.)
#include <arm_mve.h>
#include "plans.h"

static __attribute__((noinline)) void fill(void *frame, const struct box_plan *plan, int x0, int y0, int w, int h, int value)
{
    int x1 = x0 + w, y1 = y0 + h;
    x0 = x0 < 0 ? 0 : x0;
    y0 = y0 < 0 ? 0 : y0;
    x1 = x1 > plan->frame_width ? plan->frame_width : x1;
    y1 = y1 > plan->frame_height ? plan->frame_height : y1;
    if (x0 >= x1)
        return;
    int stride = plan->frame_width * plan->depth;
    uint8_t *strip = (uint8_t *)frame + y0 * stride + x0 * plan->depth;
    uint8x16_t paint = plan->depth == 2 ? vreinterpretq_u8_u16(vdupq_n_u16(value)) : vdupq_n_u8(value);
    for (int left = (x1 - x0) * plan->depth; left > 0; left -= 16, strip += 16) {
        uint8_t *at = strip;
        mve_pred16_t lanes = vctp8q(left);
        for (int n = y1 - y0; n > 0; n--, at += stride)
            vstrbq_p_u8(at, paint, lanes);
    }
}

int box(void *frame, const struct box_plan *plan)
{
    int value = plan->color;
    if (plan->depth == 1) {
        // The firmware's luma of the colour's eight-bit channels.
        int r = value >> 11, g = value >> 5 & 63, b = value & 31;
        value = (38 * (r << 3 | r >> 2) + 75 * (g << 2 | g >> 4) + 15 * (b << 3 | b >> 2)) >> 7;
    }
    int t = plan->thickness;
    int tall = t < plan->h ? t : plan->h, wide = t < plan->w ? t : plan->w;
    if (t > 0) {
        fill(frame, plan, plan->x, plan->y, plan->w, tall, value);
        fill(frame, plan, plan->x, plan->y + plan->h - tall, plan->w, tall, value);
        fill(frame, plan, plan->x, plan->y, wide, plan->h, value);
        fill(frame, plan, plan->x + plan->w - wide, plan->y, wide, plan->h, value);
    }
    fill(frame, plan, plan->ground_x, plan->ground_y, plan->ground_w, plan->ground_h, value);
    return 0;
}
