// gcc: -fno-strict-aliasing
// (A row is read out of the table, an array of words.)
// Lay one row of place's table into the plan of tint_mask: where the mask's window lies in the frame, and what it is cut to.
// No loop, and here only because in Python it takes 15,000 instructions a mask.
#include "tensors.h"

int aim(struct tint_mask_plan *plan, const int32_t *table, int at)
{
    const struct row *row = (const struct row *)(table + at);
    float x_scale = as_float(plan->x_scale), y_scale = as_float(plan->y_scale);
    float offset_x = as_float(plan->offset_x), offset_y = as_float(plan->offset_y);
    plan->width = row->window_w;
    plan->height = row->window_h;
    int x = plan->x = (int)__builtin_floorf((float)row->window_x * x_scale + offset_x);
    int y = plan->y = (int)__builtin_floorf((float)row->window_y * y_scale + offset_y);
    int right = (int)__builtin_floorf((float)(row->window_x + row->window_w) * x_scale + offset_x);
    int bottom = (int)__builtin_floorf((float)(row->window_y + row->window_h) * y_scale + offset_y);
    int x0 = plan->seen_x + larger(0, row->x - plan->margin_x), y0 = plan->seen_y + larger(0, row->y - plan->margin_y);
    int x1 = plan->seen_x + smaller(plan->seen_w, row->x + row->w + plan->margin_x);
    int y1 = plan->seen_y + smaller(plan->seen_h, row->y + row->h + plan->margin_y);
    plan->x0 = larger(larger(0, x), x0);
    plan->y0 = larger(larger(0, y), y0);
    plan->x1 = smaller(smaller(plan->frame_width, right), x1);
    plan->y1 = smaller(smaller(plan->frame_height, bottom), y1);
    return plan->x0 < plan->x1 && plan->y0 < plan->y1 ? row->start : -1;
}
