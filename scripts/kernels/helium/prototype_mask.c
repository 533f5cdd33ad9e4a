// Compute masks of detections: coefficients . prototypes over a window. prototype_mask(protos, head, params, out); see
// portable_boxes.py.
//
// First the zero point is subtracted from the coefficients. Then a pass over every second pixel of every second row finds the
// largest |sum - threshold|, which gives the scale. Another pass over all pixels writes the scaled sums as bytes.
//
// NHWC bytes and floats with 32 coefficients, the usual cases, are computed by prototype_mask-rows.s, NCHW bytes by
// prototype_mask-planes.s, and everything else, four pixels at once, by prototype_mask-lanes.s.
#include "vectors.h"

struct pass { // prototype_mask-rows.s uses its offsets
    const uint8_t *p;
    uint8_t *out;
    int blocks, overlap, bias, level, zero, rows, step, kind; // floats: bias and level are bits, zero the coefficients' address
    uint8_t coefficients[32];
};

struct planes { // prototype_mask-planes.s uses its offsets
    const uint8_t *p;
    uint8_t *out;
    int blocks, overlap, bias, level, plane;
    const int *coefficients;
    int rows, step, pairs, last, kind;
};

void rows_of_32(struct pass *);
void planes(struct planes *);
uint32x4_t sums(const void *p, const void *c, int step, int terms, uint32x4_t offsets, float zero, int dtype);

// The smallest shift for which most is at most 127 << shift.
static int shift_for(uint32_t most)
{
    int shift = 0;
    while (most > 127u << shift)
        shift++;
    return shift;
}

static void thirty_two_bytes(const uint8_t *protos, const uint8_t *head, const struct prototype_mask_params *params,
                             uint8_t *out)
{
    int is_signed = params->dtype == INT8, zero = params->head_zero_point, total = 0, fit = is_signed;
    int width = params->window_w, height = params->window_h, stride = params->width * 32;
    struct pass pass;
    uint8_t centered[32];
    head += params->first;
    for (int i = 0; i < 32; i++, head += params->step) {
        int value = (is_signed ? (int8_t)*head : *head) - zero;
        pass.coefficients[i] = *head;
        centered[i] = value;
        total += value;
        fit &= value == (int8_t)value;
    }
    pass.zero = zero;
    if (fit) {
        vst1q_u8(pass.coefficients, vld1q_u8(centered));
        vst1q_u8(pass.coefficients + 16, vld1q_u8(centered + 16));
    }
    int bias = -params->zero_point * total - params->threshold;
    pass.p = protos + params->window_y * stride + params->window_x * 32;
    pass.bias = bias;
    pass.level = 0;
    pass.rows = (height + 1) >> 1;
    pass.step = 2 * stride;
    int n = (width + 1) >> 1;
    pass.blocks = n >> 2;
    pass.overlap = -n & 3;
    pass.kind = fit ? 0 : is_signed ? 2 : 4;
    rows_of_32(&pass);

    int shift = shift_for(pass.level);
    pass.out = out;
    pass.bias = bias - 1 + (128 << shift);
    pass.level = -shift;
    pass.rows = height;
    pass.step = stride;
    pass.blocks = width >> 2;
    pass.overlap = -width & 3;
    pass.kind++;
    rows_of_32(&pass);
}

// The factor that scales the largest |sum| to 127.
static float factor_for(float most)
{
    return most > 0 && most < __builtin_inff() && 127 / most < __builtin_inff() ? 127 / most : 1;
}

static void thirty_two_floats(const uint8_t *protos, const float *c, const struct prototype_mask_params *params, uint8_t *out)
{
    int width = params->window_w, n = (width + 1) >> 1, stride = params->width * 128;
    struct pass pass;
    pass.p = protos;
    pass.out = out;
    pass.zero = (intptr_t)c;
    pass.bias = params->threshold;
    pass.level = 0;
    pass.rows = (params->window_h + 1) >> 1;
    pass.step = 2 * stride;
    pass.blocks = n >> 2;
    pass.overlap = -n & 3;
    pass.kind = 6;
    rows_of_32(&pass);
    pass.level = as_bits(factor_for(as_float(pass.level)));
    pass.rows = params->window_h;
    pass.step = stride;
    pass.blocks = width >> 2;
    pass.overlap = -width & 3;
    pass.kind = 7;
    rows_of_32(&pass);
}

static void planes_of_bytes(const uint8_t *protos, const int *c, int bias, const struct prototype_mask_params *params, uint8_t *out)
{
    int width = params->window_w, n = (width + 1) >> 1, kind = params->dtype == INT8 ? 0 : 2;
    struct planes p = { protos, out, (n + 7) >> 3, n < 8 ? 0 : -n & 7, bias, 0, params->coefficient_step, c,
                        (params->window_h + 1) >> 1, 2 * params->width, params->coefficients >> 1, 2 * smaller(n - 1, 7), kind };
    planes(&p);
    int shift = shift_for(p.level);
    p.bias = bias - 1 + (128 << shift);
    p.level = -shift;
    p.rows = params->window_h;
    p.step = params->width;
    p.blocks = (width + 7) >> 3;
    p.overlap = -width & 7;
    p.kind++;
    planes(&p);
}

static void any(const uint8_t *protos, const uint8_t *head, const struct prototype_mask_params *params, uint8_t *out)
{
    int dtype = params->dtype, size = log2_size(dtype), terms = params->coefficients, step = params->coefficient_step << size;
    int exact = dtype == UINT8 || dtype == INT8;
    int width = params->window_w, height = params->window_h, bias = -params->threshold;
    union { int i[64]; float f[64]; } c;
    float zero = params->zero_point, threshold = as_float(params->threshold);
    head += params->first << size;
    for (int i = 0; i < terms; i++, head += params->step << size) {
        c.f[i] = element(head, dtype) - (float)params->head_zero_point;
        if (exact) {
            c.i[i] = c.f[i];
            bias -= params->zero_point * c.i[i];
        }
    }
    protos += ((params->window_y * params->width + params->window_x) * params->pixel_step) << size;
    if (exact && params->pixel_step == 1 && width >= 8 && !(terms & 1))
        return planes_of_bytes(protos, c.i, bias, params, out);
    if (dtype == FLOAT32 && terms == 32 && params->pixel_step == 32 && params->coefficient_step == 1 && width >= 7 && zero == 0)
        return thirty_two_floats(protos, c.f, params, out);

    uint32_t largest = 0;
    float most = 0, factor = 1;
    int shift = 0;
    for (int skip = 2; skip; skip--) { // 2: measures every second pixel; 1: writes all pixels
        for (int y = 0; y < height; y += skip) {
            const uint8_t *row = protos + ((y * params->width * params->pixel_step) << size);
            uint8_t *to = out + y * width;
            for (int left = width; left > 0; left -= 4 * skip) {
                int n = skip == 2 ? (left + 1) >> 1 : left;
                // If fewer than four are left, the last is repeated: this changes no maximum, and is not stored.
                uint32x4_t offsets = vminq_u32(vidupq_n_u32(0, 1), vdupq_n_u32(n - 1));
                offsets = vmulq_n_u32(offsets, skip * params->pixel_step);
                mve_pred16_t lanes = vctp32q(n);
                uint32x4_t sum = sums(row, &c, step, terms, offsets, zero, dtype);
                if (exact) {
                    int32x4_t v = vaddq_n_s32(vreinterpretq_s32_u32(sum), bias);
                    if (skip == 2) {
                        largest = vmaxavq_s32(largest, v);
                    } else {
                        v = vshlq_r_s32(v, -shift);
                        v = vminq_s32(vmaxq_s32(v, vdupq_n_s32(0)), vdupq_n_s32(255));
                        vstrbq_p_s32((int8_t *)to, v, lanes);
                    }
                } else {
                    float32x4_t v = vsubq_n_f32(vreinterpretq_f32_u32(sum), threshold);
                    if (skip == 2) {
                        most = vmaxnmavq_f32(most, v);
                    } else {
                        v = vaddq_n_f32(vrndpq_f32(vmulq_n_f32(v, factor)), 127);
                        v = vminnmq_f32(vmaxnmq_f32(v, vdupq_n_f32(0)), vdupq_n_f32(255)); // NaN becomes 0
                        vstrbq_p_u32(to, vcvtq_u32_f32(v), lanes);
                    }
                }
                to += 4;
                row += (4 * skip * params->pixel_step) << size;
            }
        }
        if (exact) {
            shift = shift_for(largest);
            bias += (128 << shift) - 1;
        } else {
            factor = factor_for(most);
        }
    }
}

static void mask_of(const void *protos, const void *head, const struct prototype_mask_params *params, uint8_t *out)
{
    // A row of 7 pixels or more has at least four that are measured.
    if (params->window_w <= 0 || params->window_h <= 0)
        return;
    if (params->dtype != INT16 && params->dtype != FLOAT32 && params->coefficients == 32 && params->pixel_step == 32 &&
        params->coefficient_step == 1 && params->window_w >= 7)
        thirty_two_bytes(protos, head, params, out);
    else
        any(protos, head, params, out);
}

int prototype_mask(const void *protos, const void *head, const struct prototype_mask_params *params, uint8_t *out)
{
    int words = params->rows[0]; // the number of words that follow
    if (!words)
        mask_of(protos, head, params, out);
    ENTRIES(prototype_mask_params, dtype, anchor_step, 16);
    ENTRIES(prototype_mask_params, window_x, window_h, 4);
    ENTRIES(row, window_x, window_h, 4);
    struct prototype_mask_params one;
    for (int i = 0; i < 4; i++)
        vst1q_s32(&one.dtype + 4 * i, vld1q_s32(&params->dtype + 4 * i));
    const struct row *row = (const struct row *)(params->rows + 1);
    for (; words > 0; words -= sizeof *row >> 2, row++) {
        if (row->anchor < params->low || row->anchor >= params->high)
            continue;
        one.first = params->first + row->anchor * params->anchor_step;
        vst1q_s32(&one.window_x, vld1q_s32(&row->window_x));
        mask_of(protos, head, &one, out + row->start);
    }
    return 0;
}
