// Suppression one by one: all that a Cortex-M7 does, and Helium for odd numbers (tensors.h).
#pragma once
#include "tensors.h"

static inline int suppress_exactly(const struct suppress_params *params, const float *values, uint16_t *indices)
{
    int capacity = params->capacity, count = params->count, most = params->most, any = params->class_agnostic, kept = 0;
    float threshold = as_float(params->threshold);
    const float *left = values, *top = left + capacity, *right = top + capacity, *bottom = right + capacity;
    const uint16_t *classes = indices + capacity;
    uint16_t *positions = indices + 2 * capacity;
    for (int i = 0; i < count && kept < most; i++) {
        float x1 = left[i], y1 = top[i], x2 = right[i], y2 = bottom[i], area = (x2 - x1) * (y2 - y1);
        int stays = 1;
        for (const uint16_t *other = positions; other < positions + kept; other++) {
            int j = *other;
            if (!any && classes[i] != classes[j])
                continue;
            // The order of the comparisons matters for NaN: a NaN corner of the other box stays, one of this box is replaced.
            float x = x1 > left[j] ? x1 : left[j], y = y1 > top[j] ? y1 : top[j];
            float width = (x2 < right[j] ? x2 : right[j]) - x, height = (y2 < bottom[j] ? y2 : bottom[j]) - y;
            float inter = __builtin_fmaxf(width, 0) * __builtin_fmaxf(height, 0);
            float others = (right[j] - left[j]) * (bottom[j] - top[j]);
            if (inter / (area + others - inter) > threshold) { // false for 0 / 0
                stays = 0;
                break;
            }
        }
        if (stays)
            positions[kept++] = i;
    }
    return kept;
}
