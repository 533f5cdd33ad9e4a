// gcc: -fno-strict-aliasing
// (The table, an array of words, is read as a struct.)
// Fill the parameter block of tint_mask for one mask: the position of its window in the frame, and the clip rectangle.
// clip_mask(params, table, at); see portable/drawing.py. It has no loop, but in Python it takes 15,000 instructions a mask.
#include "tensors.h"

int clip_mask(struct tint_mask_params *params, const int32_t *table, int at)
{
    const struct row *row = (const struct row *)(table + at);
    float x_scale = as_float(params->x_scale), y_scale = as_float(params->y_scale);
    float offset_x = as_float(params->offset_x), offset_y = as_float(params->offset_y);
    params->width = row->window_w;
    params->height = row->window_h;
    int x = params->x = (int)__builtin_floorf((float)row->window_x * x_scale + offset_x);
    int y = params->y = (int)__builtin_floorf((float)row->window_y * y_scale + offset_y);
    int right = (int)__builtin_floorf((float)(row->window_x + row->window_w) * x_scale + offset_x);
    int bottom = (int)__builtin_floorf((float)(row->window_y + row->window_h) * y_scale + offset_y);
    int x0 = params->seen_x + larger(0, row->x - params->margin_x), y0 = params->seen_y + larger(0, row->y - params->margin_y);
    int x1 = params->seen_x + smaller(params->seen_w, row->x + row->w + params->margin_x);
    int y1 = params->seen_y + smaller(params->seen_h, row->y + row->h + params->margin_y);
    params->x0 = larger(larger(0, x), x0);
    params->y0 = larger(larger(0, y), y0);
    params->x1 = smaller(smaller(params->frame_width, right), x1);
    params->y1 = smaller(smaller(params->frame_height, bottom), y1);
    return params->x0 < params->x1 && params->y0 < params->y1 ? row->start : -1;
}
