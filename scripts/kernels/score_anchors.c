// Compute the scores of the candidates of one part. score_anchors(scores, params, values, indices); see portable/anchors.py.
#include "anchors.h"

struct classes {
    const struct score_anchors_params *params;
    int step;     // bytes from channel to channel
    float factor; // of the numbers, log2(e) in it if there is an activation
};

// The activated score of the best class, whose number is written to *best.
static __attribute__((noinline)) float class_score(const struct classes *c, const uint8_t *first, uint16_t *best)
{
    const struct score_anchors_params *params = c->params;
    int dtype = params->dtype, classes = params->classes, number = 0;
    const uint8_t *p = first;
    float most = element(p, dtype);
    if (!(most > -__builtin_inff()))
        most = -__builtin_inff(); // NaN
    for (int k = 1; k < classes; k++) {
        p += c->step;
        float value = element(p, dtype);
        if (value > most)
            most = value, number = k;
    }
    *best = number;
    float zero = params->zero_point, top = most - zero;
    if (params->activation == 0)
        return top * c->factor;
    if (params->activation == 1)
        return sigmoid(top * c->factor);
    int channels = classes + params->background;
    const uint8_t *channel = first - params->background * c->step;
    float largest = top, total = 0;
    p = channel;
    for (int k = 0; k < params->background; k++, p += c->step) {
        float value = element(p, dtype) - zero;
        if (value > largest)
            largest = value;
    }
    p = channel;
    for (int k = 0; k < channels; k++, p += c->step) {
        float value = element(p, dtype) - zero;
        if (!(value > -__builtin_inff()))
            value = -__builtin_inff();
        total += power_of_two((value - largest) * c->factor);
    }
    return power_of_two((top - largest) * c->factor) / total;
}

int score_anchors(const uint8_t *scores, const struct score_anchors_params *params, float *values, uint16_t *indices)
{
    int capacity = params->capacity, count = params->count, size = log2_size(params->dtype), kept = 0;
    float *found = values + (params->rows + 4) * capacity;
    uint16_t *anchors = indices + 3 * capacity, *numbers = indices + 4 * capacity;
    float least = as_float(params->least), search_scale = as_float(params->search_scale);
    struct classes c = { params, params->channel_step << size, as_float(params->scale) };
    if (params->search_sigmoid)
        search_scale *= LOG2_E;
    if (params->activation)
        c.factor *= LOG2_E;
    for (int i = 0; i < count; i++) {
        int anchor = anchors[i];
        uint16_t class_id = numbers[i];
        float score = found[i] * search_scale;
        if (params->search_sigmoid)
            score = sigmoid(score);
        if (params->classes) {
            int at = params->first_class * params->channel_step + anchor * params->anchor_step;
            score *= class_score(&c, scores + (at << size), &class_id);
        }
        if (params->root)
            score = __builtin_sqrtf(score > 0 ? score : 0.0f);
        score += 0.0f; // -0 and 0 are one score
        if (!(score >= least))
            continue;
        if (params->allowed[0] && !(params->allowed[1 + (class_id >> 5)] >> (class_id & 31) & 1))
            continue;
        found[kept] = score;
        anchors[kept] = anchor;
        numbers[kept++] = class_id;
    }
    return kept;
}
