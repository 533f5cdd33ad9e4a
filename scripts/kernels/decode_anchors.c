// Decode boxes and keypoints of the candidates of one part. decode_anchors(head, params, values, indices); see
// portable/anchors.py.
#include "anchors.h"

struct level {
    int32_t first, width, per_cell, stride[2], anchors;
};

int decode_anchors(const uint8_t *head, const struct decode_anchors_params *params, float *values, uint16_t *indices)
{
    int capacity = params->capacity, total = params->total, dtype = params->dtype, size = log2_size(dtype);
    int step = params->channel_step << size, rows = params->rows;
    const uint16_t *anchors = indices + 3 * capacity;
    const int32_t *table = params->table + 1; // behind the number of its words
    float zero = params->zero_point, scale = as_float(params->scale), offset = as_float(params->offset);
    float logit_scale = scale * LOG2_E, exp_scale = scale * as_float(params->wh_scale) * LOG2_E;
    for (int i = 0; i < params->count; i++) {
        int anchor = anchors[i];
        const struct level *level = (const struct level *)table, *last = level + params->level_count - 1;
        while (level < last && anchor >= level[1].first)
            level++;
        int cell = (anchor - level->first) / level->per_cell;
        int kind = anchor - level->first - cell * level->per_cell;
        int row = cell / level->width;
        const int32_t *anchor_words = table + level->anchors + 4 * kind;
        float center[2];
        center[0] = ((cell - row * level->width) + offset) * as_float(level->stride[0]);
        center[1] = (row + offset) * as_float(level->stride[1]);
        float *to = values + total + i;
        if (params->first_box >= 0) {
            const uint8_t *p = head + ((params->first_box * params->channel_step + anchor * params->anchor_step) << size);
            for (int axis = 0; axis < 2; axis++) {
                const uint8_t *q = p + (axis ^ params->swapped) * step;
                float t = element(q, dtype) - zero;
                t = params->xy ? sigmoid(t * logit_scale) : t * scale;
                float middle = t * as_float(anchor_words[axis]) + center[axis];
                t = element(q + 2 * step, dtype) - zero;
                if (params->wh == 1) {
                    t = power_of_two(t * exp_scale);
                } else if (params->wh) {
                    t = sigmoid(t * logit_scale);
                    t *= t;
                } else {
                    t *= scale;
                }
                float half = t * as_float(anchor_words[2 + axis]) * 0.5f;
                to[axis * capacity] = middle - half;
                to[(axis + 2) * capacity] = middle + half;
            }
            to[4 * capacity] = values[(rows + 4) * capacity + i];
            indices[total + i] = anchor + params->first;
            indices[capacity + total + i] = indices[4 * capacity + i];
        }
        to += 5 * capacity;
        const uint8_t *p = head + ((params->first_point * params->channel_step + anchor * params->anchor_step) << size);
        for (int point = 0; point < params->points; point++) {
            for (int axis = 0; axis < 2; axis++, p += step, to += capacity)
                *to = (element(p, dtype) - zero) * scale * as_float(anchor_words[axis]) + center[axis];
            *to = 1.0f;
            to += capacity;
        }
    }
    return total + params->count;
}
