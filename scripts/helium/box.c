// A rectangle's outline, and a filled rectangle (the ground of its label), in one colour; on the ground a text.
//
// for each of the five rectangles: clip it to the frame, then for each strip of sixteen bytes of width, its last one
// predicated to what is left: store the colour row by row. (A box is mostly upright edges a few pixels wide.)
// for each character: eight pixels of each row of its cell at once, gathered from its glyph and stored where one is set.
#include <arm_mve.h>
#include "plans.h"

// The firmware's, of the colour's eight-bit channels.
static int luma(int value)
{
    int r = value >> 11, g = value >> 5 & 63, b = value & 31;
    return (38 * (r << 3 | r >> 2) + 75 * (g << 2 | g >> 4) + 15 * (b << 3 | b >> 2)) >> 7;
}

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

// As the firmware's draw_string: what the font has not takes no room, a line end leads below the first character.
static __attribute__((noinline)) void write(void *frame, const struct box_plan *plan, const uint8_t *text, const uint8_t *font)
{
    int width = plan->frame_width, depth = plan->depth, stride = width * depth;
    int s = plan->scale, x = plan->ground_x + 1, y = plan->ground_y;
    uint16x8_t lane = vidupq_n_u16(0, 1), ink = vdupq_n_u16(depth == 2 ? plan->ink : luma(plan->ink));
    for (int last = 0, c; (c = *text); text++, last = c) {
        if (c == '\n' || c == '\r') {
            if (c == '\r' || last != '\r') {
                x = plan->ground_x + 1;
                y += 10 * s;
            }
            continue;
        }
        if (c < ' ' || c > '~')
            continue;
        int y0 = y < 0 ? -y : 0, y1 = plan->frame_height - y;
        y1 = y1 > 10 * s ? 10 * s : y1;
        for (int part = 0; part < s; part++, x += 8) {
            if (x <= -8 || x >= width)
                continue;
            int right = width - x > 8 ? 8 : width - x;
            mve_pred16_t inside = vcmpcsq_n_u16(lane, x < 0 ? -x : 0) & vctp16q(right);
            uint16x8_t column = vshlq_u16(vaddq_n_u16(lane, 8 * part), vdupq_n_s16(1 - s));
            uint8_t *at = (uint8_t *)frame + (y + y0) * stride + x * depth;
            for (int row = y0; row < y1; row++, at += stride) {
                uint16x8_t set = vldrbq_gather_offset_u16(font + 80 * (c - ' ') + 8 * (row >> (s - 1)), column);
                mve_pred16_t lanes = vcmpneq_n_u16(set, 0) & inside;
                if (depth == 2)
                    vstrhq_p_u16((uint16_t *)at, ink, lanes);
                else
                    vstrbq_p_u16(at, ink, lanes);
            }
        }
    }
}

int box(void *frame, const struct box_plan *plan, const uint8_t *text, const uint8_t *font)
{
    int value = plan->depth == 1 ? luma(plan->color) : plan->color;
    int t = plan->thickness;
    int tall = t < plan->h ? t : plan->h, wide = t < plan->w ? t : plan->w;
    if (t > 0) {
        fill(frame, plan, plan->x, plan->y, plan->w, tall, value);
        fill(frame, plan, plan->x, plan->y + plan->h - tall, plan->w, tall, value);
        fill(frame, plan, plan->x, plan->y, wide, plan->h, value);
        fill(frame, plan, plan->x + plan->w - wide, plan->y, wide, plan->h, value);
    }
    if (plan->ground_w > 0) {
        fill(frame, plan, plan->ground_x, plan->ground_y, plan->ground_w, plan->ground_h, value);
        write(frame, plan, text, font);
    }
    return 0;
}
