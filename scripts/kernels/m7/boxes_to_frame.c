// Convert kept candidates to frame rectangles and prototype windows. boxes_to_frame(params, values, indices, table); see
// portable/boxes.py.
#include "boxes_to_frame.h"

static inline int pixel(float raw, int a, int b, int size)
{
    return (int)(clipped(raw * as_float(a) + as_float(b), size) + 0.5f); // not negative, so truncation is floor
}

int boxes_to_frame(struct boxes_to_frame_params *params, const float *values, const uint16_t *indices, struct row *row)
{
    int capacity = params->capacity, ring = params->ring, width = params->proto_width, height = params->proto_height, size = 0;
    float pad_x = as_float(params->pad_x), pad_y = as_float(params->pad_y);
    struct row *first = row;
    for (int i = 0, kept = params->kept; i < kept; i++) {
        int at = indices[2 * capacity + i];
        const float *raw = values + at;
        float x1 = raw[0], y1 = raw[capacity], x2 = raw[2 * capacity], y2 = raw[3 * capacity];
        row->x = pixel(x1, params->ax, params->bx, params->width);
        row->y = pixel(y1, params->ay, params->by, params->height);
        row->w = pixel(x2, params->ax, params->bx, params->width) - row->x;
        row->h = pixel(y2, params->ay, params->by, params->height) - row->y;
        if (row->w <= 0 || row->h <= 0)
            continue;
        row->anchor = indices[at];
        row->class_id = indices[capacity + at];
        row->score = as_bits(raw[4 * capacity] * as_float(params->scale));
        int left = 0, top = 0, right = 0, bottom = 0;
        if (params->window) {
            left = edge(x1 - pad_x, params->px, width);
            top = edge(y1 - pad_y, params->py, height);
            right = larger(left, edge(x2 + pad_x, params->px, width));
            bottom = larger(top, edge(y2 + pad_y, params->py, height));
        }
        row->crop_x0 = left;
        row->crop_y0 = top;
        row->crop_x1 = right;
        row->crop_y1 = bottom;
        row->window_x = row->window_y = row->window_w = row->window_h = 0;
        row->start = size;
        if (right > left && bottom > top) {
            row->window_x = larger(0, left - ring);
            row->window_y = larger(0, top - ring);
            row->window_w = smaller(width, right + ring) - row->window_x;
            row->window_h = smaller(height, bottom + ring) - row->window_y;
            size += row->window_w * row->window_h;
        }
        row++;
    }
    params->kept = row - first;
    return size;
}
