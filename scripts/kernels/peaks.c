// gcc: -fno-tree-vectorize
// Find each keypoint's first maximum, refine it to a fraction of a cell and map it to the frame; compute the box of the visible
// keypoints. peaks(heat, params, out); see portable/maps.py. peaks_first finds the maxima.
#include "peaks.h"

#define INFINITE __builtin_inff()

// The vertex of the parabola through three neighbors, in cells from the center one.
static inline float parabola(float low, float peak, float high)
{
    const float divisor = 2.0f * peak - low - high;
    if (!(divisor > 0.0f && divisor < INFINITE))
        return 0.0f;
    return __builtin_fminf(__builtin_fmaxf(0.5f * (high - low) / divisor, -0.5f), 0.5f);
}

// VMAXNM returns 0 for a NaN and for -0.
static inline float clipped(float a, float high)
{
    return __builtin_fminf(__builtin_fmaxf(a, 0.0f), high);
}

int peaks(const char *heat, struct peaks_params *params, float *out)
{
    const int dtype = params->dtype, width = params->width, height = params->height, count = params->keypoint_count;
    const int step = params->pixel_step, keypoint_step = params->keypoint_step, pixels = width * height;
    const int size = log2_size(dtype), refine = params->refine;
    const float zero_point = params->zero_point, cut = dtype == FLOAT32 ? as_float(params->cut) : (float) params->cut;
    const float scale = as_float(params->scale), ax = as_float(params->ax), bx = as_float(params->bx);
    const float ay = as_float(params->ay), by = as_float(params->by), right = params->frame_width, bottom = params->frame_height;
    float x1 = INFINITE, y1 = INFINITE, x2 = 0.0f, y2 = 0.0f, sum = 0.0f;
    int visible = 0, first[KEYPOINTS];
    for (int keypoint = 0; keypoint < count;) {
        struct heat group = {
            heat + (keypoint * keypoint_step << size), pixels, count - keypoint, step, keypoint_step, dtype,
        };
        const int lanes = peaks_first(&group, first);
        keypoint += lanes;
        for (int lane = 0; lane < lanes; lane++) {
            const int pixel = first[lane] / step, row = pixel / width, column = pixel - row * width;
            const char *at = group.group + ((first[lane] + lane) << size);
            const float peak = element(at, dtype);
            float x = column, y = row;
            if (refine) {
                // The neighbors left, right, above and below; at a border the peak itself, which leaves x or y unchanged.
                const int dx = column > 0 && column < width - 1 ? step << size : 0;
                const int dy = row > 0 && row < height - 1 ? step * width << size : 0;
                x += parabola(element(at - dx, dtype), peak, element(at + dx, dtype));
                y += parabola(element(at - dy, dtype), peak, element(at + dy, dtype));
            }
            x = clipped(x * ax + bx, right);
            y = clipped(y * ay + by, bottom);
            const float score = ((peak == peak ? peak : 0.0f) - zero_point) * scale;
            *out++ = x;
            *out++ = y;
            *out++ = score;
            if (peak >= cut) {
                x1 = __builtin_fminf(x1, x);
                y1 = __builtin_fminf(y1, y);
                x2 = __builtin_fmaxf(x2, x);
                y2 = __builtin_fmaxf(y2, y);
                sum += score;
                visible++;
            }
        }
    }
    params->visible = visible;
    params->x1 = visible ? as_bits(x1) : 0;
    params->y1 = visible ? as_bits(y1) : 0;
    params->x2 = as_bits(x2);
    params->y2 = as_bits(y2);
    params->mean_score = visible ? as_bits(sum / visible) : 0;
    return 0;
}
