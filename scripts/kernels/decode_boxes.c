// Decode the candidates of one part of a split head, and merge them into the candidates of the frame.
// decode_boxes(boxes, params, values, indices); see portable/heads.py.
//
// The scores come first, and with them the order of the frame's old and new candidates. Then, beginning with the last, each
// old candidate moves up to its place or a new one is decoded into it. Those beyond the capacity are not decoded.
#include "decode_boxes.h"

static void corners(struct decoder *d, int anchor, float *to, int capacity)
{
    const struct decode_boxes_params *params = d->params;
    float *side = d->side, left, top, right, bottom;
    decode_sides(d, anchor);
    if (params->bins) {
        const int32_t *level = params->levels + 1, *end = level + params->levels[0];
        while (level + 3 < end && anchor >= level[3])
            level += 3;
        int cell = anchor - level[0], row = cell / level[1];
        float x = (cell - row * level[1]) + 0.5f, y = row + 0.5f, stride = level[2];
        left = (x - side[0]) * stride;
        top = (y - side[1]) * stride;
        right = (x + side[2]) * stride;
        bottom = (y + side[3]) * stride;
    } else {
        float scale_x = as_float(params->scale_x), scale_y = as_float(params->scale_y);
        float half_x = side[2] * 0.5f, half_y = side[3] * 0.5f;
        left = (side[0] - half_x) * scale_x;
        top = (side[1] - half_y) * scale_y;
        right = (side[0] + half_x) * scale_x;
        bottom = (side[1] + half_y) * scale_y;
    }
    to[0] = left;
    to[capacity] = top;
    to[2 * capacity] = right;
    to[3 * capacity] = bottom;
}

int decode_boxes(const void *boxes, struct decode_boxes_params *params, float *values, uint16_t *indices)
{
    int capacity = params->capacity, count = params->count, total = params->total;
    float *scores = values + 4 * capacity, *found = values + 9 * capacity;
    const uint16_t *found_labels = indices + 3 * capacity;
    uint16_t *place = indices + 5 * capacity;
    decode_scores(found, count, as_float(params->score_scale), params->sigmoid);
    while (count && !(found[count - 1] >= as_float(params->least)))
        count--;
    if (!count)
        return total;

    int old = 0, new = 0;
    while (new < count && old + new < capacity)
        if (old < total && as_bits(scores[old]) >= as_bits(found[new])) // not negative, so their bits have the same order
            old++;
        else
            place[new] = old + new, new++;
    int size = params->total = smaller(total + new, capacity);
    old = size - new;

    struct decoder d;
    d.boxes = boxes;
    d.params = params;
    d.size = log2_size(params->dtype);
    d.known = 0;
    d.scale = as_float(params->scale_x) * LOG2_E;
    for (int at = size - 1; new; at--) {
        if (place[new - 1] != at) {
            old--;
            for (int row = 0; row < 5; row++)
                values[row * capacity + at] = values[row * capacity + old];
            indices[at] = indices[old];
            indices[capacity + at] = indices[capacity + old];
            continue;
        }
        int anchor = found_labels[--new];
        indices[at] = anchor + params->first;
        indices[capacity + at] = found_labels[capacity + new];
        scores[at] = found[new];
        corners(&d, anchor, values + at, capacity);
    }
    return size;
}
