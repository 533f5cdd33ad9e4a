// A rectangle's outline, and a filled rectangle (the ground of its label), in one colour.
//
// for each of the five rectangles: clip it to the frame, then for each strip of sixteen bytes of width, its last one
// predicated to what is left: store the colour row by row. (A box is mostly upright edges a few pixels wide.)
#include <arm_mve.h>
#include <stdint.h>

struct plan {
    int32_t bytes, frame_width, frame_height, x, y, w, h, thickness, label_x, label_y, label_w, label_h, color;
};

static __attribute__((noinline)) void fill(void *frame, const struct plan *p, int x0, int y0, int w, int h, int value)
{
    int x1 = x0 + w, y1 = y0 + h;
    x0 = x0 < 0 ? 0 : x0;
    y0 = y0 < 0 ? 0 : y0;
    x1 = x1 > p->frame_width ? p->frame_width : x1;
    y1 = y1 > p->frame_height ? p->frame_height : y1;
    if (x0 >= x1)
        return;
    int stride = p->frame_width * p->bytes;
    uint8_t *strip = (uint8_t *)frame + y0 * stride + x0 * p->bytes;
    uint8x16_t paint = p->bytes == 2 ? vreinterpretq_u8_u16(vdupq_n_u16(value)) : vdupq_n_u8(value);
    for (int left = (x1 - x0) * p->bytes; left > 0; left -= 16, strip += 16) {
        uint8_t *at = strip;
        mve_pred16_t lanes = vctp8q(left);
        for (int n = y1 - y0; n > 0; n--, at += stride)
            vstrbq_p_u8(at, paint, lanes);
    }
}

int box(void *frame, const struct plan *p)
{
    int value = p->color;
    if (p->bytes == 1) {
        // The firmware's luma of the colour's eight-bit channels.
        int r = value >> 11, g = value >> 5 & 63, b = value & 31;
        value = (38 * (r << 3 | r >> 2) + 75 * (g << 2 | g >> 4) + 15 * (b << 3 | b >> 2)) >> 7;
    }
    int t = p->thickness;
    int tall = t < p->h ? t : p->h, wide = t < p->w ? t : p->w;
    if (t > 0) {
        fill(frame, p, p->x, p->y, p->w, tall, value);
        fill(frame, p, p->x, p->y + p->h - tall, p->w, tall, value);
        fill(frame, p, p->x, p->y, wide, p->h, value);
        fill(frame, p, p->x + p->w - wide, p->y, wide, p->h, value);
    }
    fill(frame, p, p->label_x, p->label_y, p->label_w, p->label_h, value);
    return 0;
}
