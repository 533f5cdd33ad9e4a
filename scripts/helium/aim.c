// Lay one row of place's table into the plan of tint_mask: where the mask's window lies in the frame, and what it is cut to.
// No loop, and here only because in Python it takes 15,000 instructions a mask.
#include <math.h>
#include <stdint.h>

struct plan {
    int32_t bytes, frame_width, frame_height, mask_width, mask_height, x, y;
    float x_scale, y_scale;
    int32_t x0, y0, x1, y1, color, alpha, centred;
    float x_offset, y_offset;
    int32_t left, top, width, height, margin_x, margin_y;
};

static inline int smaller(int a, int b)
{
    return a < b ? a : b;
}

static inline int larger(int a, int b)
{
    return a > b ? a : b;
}

int aim(struct plan *p, const int32_t *table, int at)
{
    const int32_t *row = table + at;
    int w = p->mask_width = row[13], h = p->mask_height = row[14];
    int x = p->x = (int)__builtin_floorf((float)row[11] * p->x_scale + p->x_offset);
    int y = p->y = (int)__builtin_floorf((float)row[12] * p->y_scale + p->y_offset);
    int right = x + (int)__builtin_floorf((float)w * p->x_scale + 0x1p-12f);
    int bottom = y + (int)__builtin_floorf((float)h * p->y_scale + 0x1p-12f);
    int x0 = p->left + larger(0, row[0] - p->margin_x), y0 = p->top + larger(0, row[1] - p->margin_y);
    int x1 = p->left + smaller(p->width, row[0] + row[2] + p->margin_x);
    int y1 = p->top + smaller(p->height, row[1] + row[3] + p->margin_y);
    p->x0 = larger(larger(0, x), x0);
    p->y0 = larger(larger(0, y), y0);
    p->x1 = smaller(smaller(p->frame_width, right), x1);
    p->y1 = smaller(smaller(p->frame_height, bottom), y1);
    return p->x0 < p->x1 && p->y0 < p->y1 ? row[15] : -1;
}
