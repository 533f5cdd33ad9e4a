// Kept candidates to frame rectangles and prototype windows. place(plan, values, labels, table); see portable.py.
//
// In words: the four coordinates x1, y1, x2, y2 of a box are the four lanes of a vector from the candidate to the pixels.
#include "tensors.h"

static inline int larger(int a, int b)
{
    return a > b ? a : b;
}

static inline int smaller(int a, int b)
{
    return a < b ? a : b;
}

// NaN becomes 0.
static inline float32x4_t clipped(float32x4_t a, float32x4_t high)
{
    return vminnmq_f32(vmaxnmq_f32(a, vdupq_n_f32(0)), high);
}

int place(const int32_t *plan, const float *values, const uint16_t *labels, int32_t *table)
{
    const float *floats = (const float *)plan;
    int capacity = plan[1], size = 0;
    uint32x4_t axis = viwdupq_n_u32(0, 2, 1), twice = vaddq_u32(axis, axis); // 0 1 0 1, 0 2 0 2
    uint32x4_t rows = vmulq_n_u32(vidupq_n_u32(0, 1), capacity);
    float32x4_t a = vldrwq_gather_shifted_offset_f32(floats + 4, twice), b = vldrwq_gather_shifted_offset_f32(floats + 5, twice);
    float32x4_t p = vldrwq_gather_shifted_offset_f32(floats + 12, axis);
    float32x4_t padding = vldrwq_gather_shifted_offset_f32(floats + 14, axis);
    padding = vnegq_m_f32(padding, padding, vctp32q(2)); // (as a constant GCC 12 gets a mask wrong)
    float32x4_t frame = vcvtq_f32_s32(vldrwq_gather_shifted_offset_s32(plan + 2, axis));
    float32x4_t protos = vcvtq_f32_s32(vldrwq_gather_shifted_offset_s32(plan + 10, axis));
    for (int i = 0; i < plan[0]; i++, table += 16) {
        int at = labels[2 * capacity + i];
        float32x4_t raw = vldrwq_gather_shifted_offset_f32(values + at, rows);
        float32x4_t mapped = clipped(vaddq_f32(vmulq_f32(raw, a), b), frame);
        vst1q_s32(table, vcvtq_s32_f32(vaddq_n_f32(mapped, 0.5f))); // not negative: cut is floor
        table[2] = larger(0, table[2] - table[0]);
        table[3] = larger(0, table[3] - table[1]);
        table[4] = labels[at];
        table[5] = labels[capacity + at];
        table[6] = as_bits(values[4 * capacity + at] * floats[8]);
        int32x4_t crop = vdupq_n_s32(0);
        vst1q_s32(table + 11, crop);
        if (plan[9])
            crop = vcvtq_s32_f32(clipped(vrndpq_f32(vmulq_f32(vaddq_f32(raw, padding), p)), protos));
        vst1q_s32(table + 7, crop);
        int x0 = table[7], y0 = table[8], x1 = larger(x0, table[9]), y1 = larger(y0, table[10]), ring = plan[16];
        table[9] = x1;
        table[10] = y1;
        table[15] = size;
        if (x1 > x0 && y1 > y0) {
            table[11] = larger(0, x0 - ring);
            table[12] = larger(0, y0 - ring);
            table[13] = smaller(plan[10], x1 + ring) - table[11];
            table[14] = smaller(plan[11], y1 + ring) - table[12];
            size += table[13] * table[14];
        }
    }
    return size;
}
