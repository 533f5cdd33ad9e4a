// Decode the keypoints of one anchor of a split head. decode_keypoints(head, params, points); see portable/heads.py.
#include "decode_boxes.h"

static inline float clipped(float value, int32_t low, int32_t high)
{
    value = value > as_float(low) ? value : as_float(low);
    return value < as_float(high) ? value : as_float(high);
}

int decode_keypoints(const uint8_t *head, const struct decode_keypoints_params *params, float *points)
{
    int dtype = params->dtype, size = log2_size(dtype), step = params->channel_step << size;
    float zero = params->zero_point, scale_x = as_float(params->scale_x), scale_y = as_float(params->scale_y);
    float x = params->column * as_float(params->cell_x) + as_float(params->offset_x);
    float y = params->row * as_float(params->cell_y) + as_float(params->offset_y);
    float scale = as_float(params->score_scale);
    if (params->sigmoid)
        scale *= LOG2_E;
    const uint8_t *p = head + (params->first << size);
    for (int i = 0; i < params->keypoints; i++, points += 3) {
        points[0] = clipped((element(p, dtype) - zero) * scale_x + x, params->low_x, params->high_x);
        p += step;
        points[1] = clipped((element(p, dtype) - zero) * scale_y + y, params->low_y, params->high_y);
        p += step;
        float score = (element(p, dtype) - zero) * scale;
        p += step;
        if (params->sigmoid) {
            float e = power(-__builtin_fabsf(score));
            score = (score > 0 ? 1.0f : e) / (e + 1.0f);
        } else if (!(score > -__builtin_inff())) {
            score = -__builtin_inff();
        }
        points[2] = score;
    }
    return 0;
}
