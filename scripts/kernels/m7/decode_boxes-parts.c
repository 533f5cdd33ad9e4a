// gcc: -O2
// Of 8-bit numbers the weights come from a table, which grows when a box needs more of it.
#include "decode_boxes.h"

void decode_scores(float *scores, int count, float scale, int sigmoid)
{
    if (sigmoid)
        scale *= LOG2_E;
    for (; count > 0; count--, scores++) {
        float y = *scores * scale;
        if (sigmoid) {
            float e = power(-__builtin_fabsf(y));
            y = (y > 0 ? 1.0f : e) / (e + 1.0f);
        }
        *scores = y;
    }
}

static __attribute__((noinline)) float of_bytes(struct decoder *d, const uint8_t *p, int step)
{
    int bins = d->params->bins, most = 0, least = 255;
    int flip = d->params->dtype == INT8 ? 0x80 : 0; // makes the order that of unsigned numbers
    for (int k = bins; k > 0; k--, p += step) {
        most = larger(most, *p ^ flip);
        least = smaller(least, *p ^ flip);
    }
    for (; d->known <= most - least; d->known++)
        d->weights[d->known] = power(-d->known * d->scale);
    float sum = 0, weighted = 0;
    for (int k = bins - 1;; k--) {
        p -= step;
        sum += d->weights[most - (*p ^ flip)];
        if (!k)
            return weighted / sum;
        weighted += sum;
    }
}

static __attribute__((noinline)) float of_others(const struct decoder *d, const uint8_t *p, int step)
{
    int bins = d->params->bins, dtype = d->params->dtype;
    float most = -__builtin_inff(), sum = 0, weighted = 0;
    for (int k = bins; k > 0; k--, p += step) {
        float value = element(p, dtype);
        most = value > most ? value : most; // VMAXNM would return a signaling NaN
    }
    for (int k = bins - 1;; k--) {
        p -= step;
        sum += power((element(p, dtype) - most) * d->scale);
        if (!k)
            return weighted / sum;
        weighted += sum;
    }
}

void decode_sides(struct decoder *d, int anchor)
{
    const struct decode_boxes_params *params = d->params;
    int bins = params->bins, step = params->channel_step << d->size;
    const uint8_t *p = d->boxes + ((anchor * params->anchor_step) << d->size);
    for (int side = 0; side < 4; side++, p += larger(bins, 1) * step) {
        if (bins > 1) {
            d->side[side] = d->size ? of_others(d, p, step) : of_bytes(d, p, step);
            continue;
        }
        float raw = element(p, params->dtype) - params->zero_point;
        d->side[side] = bins ? raw * as_float(params->scale_x) : raw;
    }
}
