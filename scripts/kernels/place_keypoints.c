// Map the keypoints of a network to the frame and compute the box of the visible ones. place_keypoints(raw, params, out); see
// portable/crops.py.
#include "tensors.h"

static inline float limited(float value, int32_t low, int32_t high)
{
    value = value > as_float(low) ? value : as_float(low);
    return value < as_float(high) ? value : as_float(high);
}

int place_keypoints(const char *raw, struct place_keypoints_params *params, float *out)
{
    const int dtype = params->dtype, step = 1 << log2_size(dtype);
    const float zero = params->zero_point, threshold = as_float(params->threshold);
    const float xx = as_float(params->xx), xy = as_float(params->xy), x0 = as_float(params->x0);
    const float yx = as_float(params->yx), yy = as_float(params->yy), y0 = as_float(params->y0);
    float x1 = __builtin_inff(), y1 = x1, x2 = -x1, y2 = -x1;
    int visible = 0;
    for (int n = params->count; n > 0; n--) {
        float a = element(raw, dtype) - zero, b = element(raw + step, dtype) - zero, score = 1.0f;
        if (params->scored)
            score = element(raw + 2 * step, dtype);
        raw += 3 * step;
        float x = limited(a * xx + b * xy + x0, params->low_x, params->high_x);
        float y = limited(a * yx + b * yy + y0, params->low_y, params->high_y);
        *out++ = x;
        *out++ = y;
        *out++ = score;
        if (score >= threshold) {
            visible++;
            x1 = x < x1 ? x : x1;
            y1 = y < y1 ? y : y1;
            x2 = x > x2 ? x : x2;
            y2 = y > y2 ? y : y2;
        }
    }
    params->x1 = as_bits(x1);
    params->y1 = as_bits(y1);
    params->x2 = as_bits(x2);
    params->y2 = as_bits(y2);
    return visible;
}
