// gcc: -O2
// For every frame row, the two mask rows above and below it are interpolated into a row of bytes, v. If one of these is 128 or
// more, the mask is computed for the row's pixels: (v[left] * 256 + (v[right] - v[left]) * fx + 128) >> 8. It is at least 128
// if the sum is at least 32640 before the rounding. Then a color channel becomes (new * a + old * (32 - a)) >> 5.
#include "tint_mask.h"

void strip_columns(struct strip *s, int at, int step, int top, int fraction)
{
    for (int n = 0; n < s->columns; n++, at += step) {
        int position = smaller(larger(at, 0), top);
        s->pixels[n] = position >> 16;
        s->fx[n] = fraction ? position >> 8 : 0;
    }
}

static inline __attribute__((always_inline)) void rows(struct strip *s, int gray)
{
    int keep = s->keep, red = s->red, green = s->green, blue = s->blue, depth = gray ? 1 : 2;
    if (!gray) { // these are at the top of 16 bits
        red >>= 6;
        green >>= 5;
        blue >>= 6;
    }
    for (; s->rows; s->rows--, s->at += s->step, s->frame += s->frame_step) {
        int row = s->at >> 16, fy = s->at >> 8 & 255, below = s->below, most = 0;
        if (row >= s->last) { // above the first row and from the last row on, both rows are that row
            row = s->last;
            below = 0;
        }
        if (row < 0) {
            row = 0;
            below = 0;
        }
        const uint8_t *upper = s->mask + row * s->mask_step, *lower = upper + below;
        for (int i = 0; i < s->span; i++) {
            int v = (upper[i] * 256 + (lower[i] - upper[i]) * fy + 128) >> 8;
            s->v[i] = v;
            most = larger(most, v);
        }
        if (most < 128)
            continue;
        uint8_t *at = s->frame;
        for (int x = 0; x < s->columns; x++, at += depth) {
            const uint8_t *v = s->v + s->pixels[x];
            if (v[0] * 256 + (v[1] - v[0]) * s->fx[x] < 32640)
                continue;
            if (gray) {
                *at = (red + *at * keep) >> 8;
                continue;
            }
            uint16_t *pixel = (uint16_t *)at;
            int old = *pixel;
            int r = (red + (old >> 11) * keep) >> 5, g = (green + (old >> 5 & 63) * keep) >> 5;
            int b = (blue + (old & 31) * keep) >> 5;
            *pixel = r << 11 | g << 5 | b;
        }
    }
}

void rows_rgb565(struct strip *s)
{
    rows(s, 0);
}

void rows_gray(struct strip *s)
{
    rows(s, 1);
}
