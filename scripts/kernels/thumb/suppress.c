// gcc: -O2
// Greedy non-maximum suppression. suppress(plan, values, labels); see portable_boxes.py.
#include "tensors.h"

int suppress(const struct suppress_plan *plan, const float *values, uint16_t *labels)
{
    int capacity = plan->capacity, count = plan->count, most = plan->most, any = plan->agnostic, kept = 0;
    float threshold = as_float(plan->threshold);
    const float *left = values, *top = left + capacity, *right = top + capacity, *bottom = right + capacity;
    const uint16_t *classes = labels + capacity;
    uint16_t *positions = labels + 2 * capacity;
    for (int i = 0; i < count && kept < most; i++) {
        float x1 = left[i], y1 = top[i], x2 = right[i], y2 = bottom[i], area = (x2 - x1) * (y2 - y1);
        int stays = 1;
        for (const uint16_t *other = positions; other < positions + kept; other++) {
            int j = *other;
            if (!any && classes[i] != classes[j])
                continue;
            // As written: where the other's corner is NaN it stays, where this one's is, the other's is taken.
            float x = x1 > left[j] ? x1 : left[j], y = y1 > top[j] ? y1 : top[j];
            float width = (x2 < right[j] ? x2 : right[j]) - x, height = (y2 < bottom[j] ? y2 : bottom[j]) - y;
            float inter = __builtin_fmaxf(width, 0) * __builtin_fmaxf(height, 0);
            float others = (right[j] - left[j]) * (bottom[j] - top[j]);
            if (inter / (area + others - inter) > threshold) { // 0 / 0 is above nothing
                stays = 0;
                break;
            }
        }
        if (stays)
            positions[kept++] = i;
    }
    return kept;
}
