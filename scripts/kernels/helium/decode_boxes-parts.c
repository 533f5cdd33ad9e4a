// gcc: -O2
// The four sides of a box are the four lanes of a vector, so both storage orders are one loop of gathers over the bins. Of
// 8-bit numbers the weights come from a table, which grows when a box needs more of it.
#include "vectors.h"
#include "decode_boxes.h"

// As `power`, of four numbers.
static inline float32x4_t powers(float32x4_t y)
{
    y = vmaxnmq_f32(y, vdupq_n_f32(LOWEST)); // NaN becomes the lowest
    float32x4_t n = vrndnq_f32(y), f = vsubq_f32(y, n);
    float32x4_t p = vaddq_n_f32(vmulq_n_f32(f, POWER5), POWER4);
    p = vaddq_n_f32(vmulq_f32(p, f), POWER3);
    p = vaddq_n_f32(vmulq_f32(p, f), POWER2);
    p = vaddq_n_f32(vmulq_f32(p, f), POWER1);
    p = vaddq_n_f32(vmulq_f32(p, f), 1.0f);
    return vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(p), vcvtq_n_s32_f32(n, 23))); // p * 2^n
}

void decode_scores(float *scores, int count, float scale, int sigmoid)
{
    if (!sigmoid) { // one by one, because vectors take a subnormal number for 0. Here all others give the same
        for (int i = 0; i < count; i++)
            scores[i] *= scale;
        return;
    }
    scale *= LOG2_E;
    for (; count > 0; count -= 4, scores += 4) {
        mve_pred16_t lanes = vctp32q(count);
        float32x4_t y = vmulq_n_f32(vldrwq_z_f32(scores, lanes), scale), one = vdupq_n_f32(1.0f);
        float32x4_t e = powers(vnegq_f32(vabsq_f32(y)));
        float below[4];
        vst1q_f32(below, vaddq_f32(e, one));
        vstrwq_p_f32(scores, vpselq_f32(one, e, vcmpgtq_n_f32(y, 0.0f)), lanes);
        for (int i = 0, n = smaller(count, 4); i < n; i++)
            scores[i] /= below[i];
    }
}

// Writes the table's entries up to the one of `last`.
static void __attribute__((noinline)) extend(struct decoder *d, int last)
{
    float32x4_t i = vcvtq_f32_u32(vidupq_n_u32(d->known, 1));
    float *to = d->weights + d->known, scale = -d->scale;
    int count = ((last - d->known) >> 2) + 1;
    d->known += 4 * count;
    for (; count > 0; count--, to += 4, i = vaddq_n_f32(i, 4.0f))
        vst1q_f32(to, powers(vmulq_n_f32(i, scale)));
}

// The weights' sum and, to be divided by it, the sum of the bins by their weights.
struct mean { float32x4_t sum, weighted; };

static inline struct mean of_bytes(struct decoder *d, const uint8_t *p, uint32x4_t offsets, int step)
{
    int bins = d->params->bins;
    int flip = d->params->dtype == INT8 ? 0x80 : 0; // makes the order that of unsigned numbers
    uint32x4_t flips = vdupq_n_u32(flip), most = vdupq_n_u32(0);
    int range = 0;
    if (bins == 16 && step == 1) {
        uint32_t sides[4];
        for (int side = 0; side < 4; side++, p += 16) {
            uint8x16_t q = veorq_u8(vldrbq_u8(p), vdupq_n_u8(flip));
            sides[side] = vmaxvq_u8(0, q);
            range = larger(range, sides[side] - vminvq_u8(255, q));
        }
        most = vld1q_u32(sides);
        p -= 48;
    } else {
        uint32x4_t least = vdupq_n_u32(255);
        for (int k = bins; k > 0; k--, p += step) {
            uint32x4_t q = veorq_u32(vldrbq_gather_offset_u32(p, offsets), flips);
            most = vmaxq_u32(most, q);
            least = vminq_u32(least, q);
        }
        range = vmaxvq_u32(0, vsubq_u32(most, least));
    }
    if (range >= d->known)
        extend(d, range);
    most = veorq_u32(most, flips);
    float32x4_t e, sum = vdupq_n_f32(0), weighted = sum;
    for (int k = bins - 1;; k--) {
        p -= step;
        uint8x16_t below = vsubq_u8(vreinterpretq_u8_u32(most), vreinterpretq_u8_u32(vldrbq_gather_offset_u32(p, offsets)));
        e = vldrwq_gather_shifted_offset_f32(d->weights, vreinterpretq_u32_u8(below));
        sum = vaddq_f32(sum, e);
        if (!k)
            return (struct mean){ sum, weighted };
        weighted = vaddq_f32(weighted, sum);
    }
}

static inline float32x4_t four(const uint8_t *p, uint32x4_t offsets, int dtype)
{
    if (dtype == FLOAT32)
        return vldrwq_gather_shifted_offset_f32((const float *)p, offsets);
    return vcvtq_f32_s32(vldrhq_gather_shifted_offset_s32((const int16_t *)p, offsets));
}

static inline struct mean of_others(struct decoder *d, const uint8_t *p, uint32x4_t offsets, int step)
{
    int bins = d->params->bins, dtype = d->params->dtype;
    float32x4_t most = vdupq_n_f32(-__builtin_inff());
    for (int k = bins; k > 0; k--, p += step)
        most = vmaxnmq_f32(most, four(p, offsets, dtype));
    if (met_odd_numbers()) {
        clear_flags();
        most = vdupq_n_f32(-__builtin_inff());
        for (int k = bins; k > 0; k--) {
            float32x4_t value = four(p - k * step, offsets, dtype);
            most = vpselq_f32(value, most, vcmpgtq_f32(value, most));
        }
    }
    float32x4_t sum = vdupq_n_f32(0), weighted = sum;
    for (int k = bins - 1;; k--) {
        p -= step;
        sum = vaddq_f32(sum, powers(vmulq_n_f32(vsubq_f32(four(p, offsets, dtype), most), d->scale)));
        if (!k)
            return (struct mean){ sum, weighted };
        weighted = vaddq_f32(weighted, sum);
    }
}

void decode_sides(struct decoder *d, int anchor)
{
    const struct decode_boxes_params *params = d->params;
    int bins = params->bins, step = params->channel_step, dtype = params->dtype;
    const uint8_t *p = d->boxes + ((anchor * params->anchor_step) << d->size);
    uint32x4_t offsets = vmulq_n_u32(vidupq_n_u32(0, 1), larger(bins, 1) * step);
    if (bins <= 1) {
        if (dtype == FLOAT32) { // one by one: some may be subnormal
            for (int i = 0; i < 4; i++, p += 4 * step)
                d->side[i] = (*(const float *)p - params->zero_point) * (bins ? as_float(params->scale_x) : 1.0f);
            return;
        }
        float32x4_t raw = vsubq_n_f32(gather(p, offsets, dtype, vctp32q(4)), params->zero_point);
        vst1q_f32(d->side, bins ? vmulq_n_f32(raw, as_float(params->scale_x)) : raw);
        return;
    }
    step <<= d->size;
    struct mean mean = d->size ? of_others(d, p, offsets, step) : of_bytes(d, p, offsets, step);
    float sums[4];
    vst1q_f32(sums, mean.sum);
    vst1q_f32(d->side, mean.weighted);
    for (int i = 0; i < 4; i++)
        d->side[i] /= sums[i];
}
