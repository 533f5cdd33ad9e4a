// Suppression that blends boxes. blend_anchors(params, values, indices); see portable/anchors.py.
#include "tensors.h"

enum { DROPPED = 65535 };

// iou > threshold of the boxes i and j.
static inline int overlap(const float *values, int capacity, int i, int j, float threshold)
{
    const float *x1 = values, *y1 = x1 + capacity, *x2 = y1 + capacity, *y2 = x2 + capacity;
    float right = x2[j] < x2[i] ? x2[j] : x2[i], left = x1[j] > x1[i] ? x1[j] : x1[i];
    float low = y2[j] < y2[i] ? y2[j] : y2[i], high = y1[j] > y1[i] ? y1[j] : y1[i];
    float width = right - left, height = low - high;
    float inter = (width > 0 ? width : 0.0f) * (height > 0 ? height : 0.0f);
    float area_j = (x2[j] - x1[j]) * (y2[j] - y1[j]), area_i = (x2[i] - x1[i]) * (y2[i] - y1[i]);
    return inter / (area_j + area_i - inter) > threshold;
}

int blend_anchors(const struct blend_anchors_params *params, float *values, uint16_t *indices)
{
    int count = params->count, capacity = params->capacity, kept = 0;
    float threshold = as_float(params->threshold);
    const float *scores = values + 4 * capacity;
    const uint16_t *classes = indices + capacity;
    uint16_t *positions = indices + 2 * capacity;
    for (int i = 0; i < count && kept < params->most; i++) {
        if (indices[i] == DROPPED)
            continue;
        // The positions of its cluster go behind those that are kept, into entries that are written later or never.
        int size = 1, first = kept;
        positions[kept++] = i;
        for (int j = i + 1; j < count; j++) {
            if (indices[j] == DROPPED || (!params->class_agnostic && classes[j] != classes[i]))
                continue;
            if (overlap(values, capacity, i, j, threshold)) {
                indices[j] = DROPPED;
                positions[first + size++] = j;
            }
        }
        if (size < 2)
            continue;
        float weight = 0;
        for (int k = 0; k < size; k++)
            weight += scores[positions[first + k]];
        for (int row = 0; row < params->rows; row++) {
            if (row == 4)
                continue;
            float *numbers = values + row * capacity, sum = 0;
            for (int k = 0; k < size; k++) {
                int j = positions[first + k];
                sum += numbers[j] * scores[j];
            }
            numbers[i] = sum / weight;
        }
    }
    return kept;
}
