// Convert kept candidates to frame rectangles and prototype windows. boxes_to_frame(params, values, indices, table); see
// portable/boxes.py.
//
// The four coordinates x1, y1, x2, y2 of a box are the four lanes of a vector, from the candidate to the pixels.
#include "vectors.h"
#include "boxes_to_frame.h"

// The x and y of a pair, or the four entries of a rectangle, are loaded and stored at once.
ENTRIES(boxes_to_frame_params, width, height, 2);
ENTRIES(boxes_to_frame_params, ax, by, 4);
ENTRIES(row, x, h, 4);
ENTRIES(row, window_x, window_h, 4);

int boxes_to_frame(struct boxes_to_frame_params *params, const float *values, const uint16_t *indices, struct row *row)
{
    const float *ax = (const float *)&params->ax, *bx = (const float *)&params->bx, *scale = (const float *)&params->scale;
    int capacity = params->capacity, kept = params->kept, size = 0;
    struct row *first = row;
    uint32x4_t axis = viwdupq_n_u32(0, 2, 1), twice = vaddq_u32(axis, axis); // 0 1 0 1, 0 2 0 2
    uint32x4_t rows = vmulq_n_u32(vidupq_n_u32(0, 1), capacity);
    float32x4_t a = vldrwq_gather_shifted_offset_f32(ax, twice), b = vldrwq_gather_shifted_offset_f32(bx, twice);
    float32x4_t frame = vcvtq_f32_s32(vldrwq_gather_shifted_offset_s32(&params->width, axis));
    for (int i = 0; i < kept; i++) {
        int at = indices[2 * capacity + i];
        float32x4_t raw = vldrwq_gather_shifted_offset_f32(values + at, rows);
        float32x4_t mapped = vaddq_f32(vmulq_f32(raw, a), b);
        mapped = vminnmq_f32(vmaxnmq_f32(mapped, vdupq_n_f32(0)), frame); // NaN becomes 0
        vst1q_s32(&row->x, vcvtq_s32_f32(vaddq_n_f32(mapped, 0.5f))); // not negative, so truncation is floor
        row->w -= row->x; // w and h were the lower right corner
        row->h -= row->y;
        if (row->w <= 0 || row->h <= 0)
            continue;
        row->anchor = indices[at];
        row->class_id = indices[capacity + at];
        row->score = as_bits(values[4 * capacity + at] * *scale);
        vst1q_s32(&row->window_x, vdupq_n_s32(0));
        int x0 = 0, y0 = 0, x1 = 0, y1 = 0, ring = params->ring;
        if (params->window) {
            const float *from = values + at;
            float pad_x = as_float(params->pad_x), pad_y = as_float(params->pad_y);
            x0 = edge(from[0] - pad_x, params->px, params->proto_width);
            y0 = edge(from[capacity] - pad_y, params->py, params->proto_height);
            x1 = larger(x0, edge(from[2 * capacity] + pad_x, params->px, params->proto_width));
            y1 = larger(y0, edge(from[3 * capacity] + pad_y, params->py, params->proto_height));
        }
        row->crop_x0 = x0;
        row->crop_y0 = y0;
        row->crop_x1 = x1;
        row->crop_y1 = y1;
        row->start = size;
        if (x1 > x0 && y1 > y0) {
            row->window_x = larger(0, x0 - ring);
            row->window_y = larger(0, y0 - ring);
            row->window_w = smaller(params->proto_width, x1 + ring) - row->window_x;
            row->window_h = smaller(params->proto_height, y1 + ring) - row->window_y;
            size += row->window_w * row->window_h;
        }
        row++;
    }
    params->kept = row - first;
    return size;
}
