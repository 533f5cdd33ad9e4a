// gcc: -fno-tree-vectorize
// peaks(heat, plan, out): each joint's first maximum, refined to a fraction of a cell and mapped to the frame; the box of
// the visible ones; see portable_maps.py. peaks_first finds the maxima.
#include "peaks.h"

#define INFINITE __builtin_inff()

// Where the parabola through three neighbours has its top, in cells from the middle one.
static inline float parabola(float low, float peak, float high)
{
    const float divisor = 2.0f * peak - low - high;
    if (!(divisor > 0.0f && divisor < INFINITE))
        return 0.0f;
    return __builtin_fminf(__builtin_fmaxf(0.5f * (high - low) / divisor, -0.5f), 0.5f);
}

// VMAXNM gives 0 for a NaN and for -0.
static inline float clipped(float a, float high)
{
    return __builtin_fminf(__builtin_fmaxf(a, 0.0f), high);
}

int peaks(const char *heat, struct peaks_plan *plan, float *out)
{
    const int dtype = plan->dtype, width = plan->width, height = plan->height, joints = plan->joints;
    const int step = plan->pixel_step, joint_step = plan->joint_step, pixels = width * height;
    const int size = log2_size(dtype), refine = plan->refine;
    const float zero_point = plan->zero_point, cut = dtype == FLOAT32 ? as_float(plan->cut) : (float) plan->cut;
    const float scale = as_float(plan->scale), ax = as_float(plan->ax), bx = as_float(plan->bx);
    const float ay = as_float(plan->ay), by = as_float(plan->by), right = plan->frame_width, bottom = plan->frame_height;
    float x1 = INFINITE, y1 = INFINITE, x2 = 0.0f, y2 = 0.0f, sum = 0.0f;
    int visible = 0, first[JOINTS];
    for (int joint = 0; joint < joints;) {
        struct heat group = {
            heat + (joint * joint_step << size), pixels, joints - joint, step, joint_step, dtype,
        };
        const int lanes = peaks_first(&group, first);
        joint += lanes;
        for (int lane = 0; lane < lanes; lane++) {
            const int pixel = first[lane] / step, row = pixel / width, column = pixel - row * width;
            const char *at = group.group + ((first[lane] + lane) << size);
            const float peak = element(at, dtype);
            float x = column, y = row;
            if (refine) {
                // Left, right, above, below; at a border the peak itself, which leaves x or y as it is.
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
    plan->visible = visible;
    plan->x1 = visible ? as_bits(x1) : 0;
    plan->y1 = visible ? as_bits(y1) : 0;
    plan->x2 = as_bits(x2);
    plan->y2 = as_bits(y2);
    plan->total = as_bits(sum);
    return 0;
}
