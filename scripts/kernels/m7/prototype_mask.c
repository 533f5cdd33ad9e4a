// gcc: -O2
// Compute masks of detections: coefficients . prototypes over a window. prototype_mask(protos, head, params, out); see
// portable/boxes.py.
//
// First the zero point is subtracted from the coefficients. Then a pass over every second pixel of every second row finds the
// largest |sum - threshold|, which gives the scale. Another pass over all pixels writes the scaled sums as bytes.
//
// Bytes with the values of a pixel side by side are multiplied two at once: SXTB16 makes two halfwords of every second byte,
// SMLAD multiplies and adds both. Bytes in planes are processed four pixels at once, everything else value by value.
#include "words.h"
#include "prototype_mask.h"

// --- bytes: each pass adds a bias to every sum; it returns the largest |sum| (measure) or writes sum >> shift, clipped ---
INLINE uint32_t halves(uint32_t word, int is_signed) // bytes 0 and 2
{
    return is_signed ? (uint32_t)__sxtb16(word) : __uxtb16(word);
}

INLINE int side_by_side(const struct window *w, const uint32_t *pairs, int bias, int shift, uint8_t *out, int is_signed,
                        int measure)
{
    int largest = 0, skip = measure ? 2 : 1;
    for (int y = 0; y < w->height; y += skip) {
        const uint8_t *p = w->p + y * w->row_step;
        for (int x = 0; x < w->width; x += skip, p += skip * w->pixel_step) {
            int sum = bias;
            const uint32_t *c = pairs;
            for (const uint8_t *at = p, *end = p + w->terms; at < end; at += 4, c += 2) {
                uint32_t word = four(at);
                sum = __smlad(halves(word, is_signed), c[0], sum);
                sum = __smlad(halves(word >> 8, is_signed), c[1], sum);
            }
            if (measure)
                largest = larger(largest, sum < 0 ? -sum : sum);
            else
                *out++ = __usat(sum >> shift, 8);
        }
    }
    return largest;
}

INLINE int planes(const struct window *w, const int *c, int bias, int shift, uint8_t *out, int is_signed, int measure)
{
    int largest = 0, skip = measure ? 2 : 1;
    for (int y = 0; y < w->height; y += skip, out += w->width)
        for (int next = 0; next < w->width; next += 4) {
            int x = smaller(next, w->width - 4), sums[4] = { bias, bias, bias, bias }; // the last four overlap
            const uint8_t *at = w->p + y * w->row_step + x;
            for (int i = 0; i < w->terms; i++, at += w->step) {
                uint32_t word = four(at), even = halves(word, is_signed), odd = halves(word >> 8, is_signed);
                sums[0] = __smlabb(even, c[i], sums[0]);
                sums[1] = __smlabb(odd, c[i], sums[1]);
                sums[2] = __smlatb(even, c[i], sums[2]);
                sums[3] = __smlatb(odd, c[i], sums[3]);
            }
            for (int i = 0; i < 4; i++)
                if (!measure)
                    out[x + i] = __usat(sums[i] >> shift, 8);
                else if (!((x + i) & 1))
                    largest = larger(largest, sums[i] < 0 ? -sums[i] : sums[i]);
        }
    return largest;
}

INLINE int one_by_one(const struct window *w, const int *c, int bias, int shift, uint8_t *out, int is_signed, int measure)
{
    int largest = 0, skip = measure ? 2 : 1;
    for (int y = 0; y < w->height; y += skip)
        for (int x = 0; x < w->width; x += skip) {
            int sum = bias;
            const uint8_t *at = w->p + y * w->row_step + x * w->pixel_step;
            for (int i = 0; i < w->terms; i++, at += w->step)
                sum += c[i] * (is_signed ? *(const int8_t *)at : *at);
            if (measure)
                largest = larger(largest, sum < 0 ? -sum : sum);
            else
                *out++ = __usat(sum >> shift, 8);
        }
    return largest;
}

INLINE void bytes(const struct window *w, const int *c, int bias, uint8_t *out, int is_signed)
{
    uint32_t pairs[MOST / 2]; // of coefficients 0 and 2, 1 and 3 of every four
    int quick = w->step == 1 && w->terms % 4 == 0, flat = w->pixel_step == 1 && w->width >= 4;
    for (int i = 0; quick && i < w->terms; i += 4) {
        pairs[i / 2] = (c[i] & 0xffff) | (uint32_t)c[i + 2] << 16;
        pairs[i / 2 + 1] = (c[i + 1] & 0xffff) | (uint32_t)c[i + 3] << 16;
    }
    int largest = quick ? side_by_side(w, pairs, bias, 0, out, is_signed, 1) :
                  flat ? planes(w, c, bias, 0, out, is_signed, 1) : one_by_one(w, c, bias, 0, out, is_signed, 1);
    int shift = 0;
    while (largest > 127 << shift)
        shift++;
    bias += (128 << shift) - 1;
    if (quick)
        side_by_side(w, pairs, bias, shift, out, is_signed, 0);
    else if (flat)
        planes(w, c, bias, shift, out, is_signed, 0);
    else
        one_by_one(w, c, bias, shift, out, is_signed, 0);
}

static void mask_of(const uint8_t *protos, const uint8_t *head, const struct prototype_mask_params *params, int first,
                    int window_x, int window_y, int window_w, int window_h, uint8_t *out)
{
    if (window_w <= 0 || window_h <= 0)
        return;
    int dtype = params->dtype, size = log2_size(dtype), bias = -params->threshold;
    struct window w = window_of(protos, params, window_x, window_y, window_w, window_h);
    union { int i[MOST]; float f[MOST]; } c;
    head += first << size;
    for (int i = 0; i < w.terms; i++, head += params->step << size) {
        float value = element(head, dtype) - (float)params->head_zero_point;
        if (dtype == FLOAT32 || dtype == INT16) {
            c.f[i] = value;
        } else {
            c.i[i] = value;
            bias -= params->zero_point * c.i[i];
        }
    }
    if (dtype == INT8)
        bytes(&w, c.i, bias, out, 1);
    else if (dtype == UINT8)
        bytes(&w, c.i, bias, out, 0);
    else if (dtype == INT16)
        fractions(&w, c.f, params->zero_point, as_float(params->threshold), out, INT16);
    else
        fractions(&w, c.f, params->zero_point, as_float(params->threshold), out, FLOAT32);
}

int prototype_mask(const uint8_t *protos, const uint8_t *head, const struct prototype_mask_params *params, uint8_t *out)
{
    int words = params->rows[0]; // the number of words that follow
    if (!words)
        mask_of(protos, head, params, params->first, params->window_x, params->window_y, params->window_w, params->window_h, out);
    const struct row *row = (const struct row *)(params->rows + 1);
    for (; words > 0; words -= sizeof *row >> 2, row++)
        if (row->anchor >= params->low && row->anchor < params->high)
            mask_of(protos, head, params, params->first + row->anchor * params->anchor_step, row->window_x, row->window_y,
                    row->window_w, row->window_h, out + row->start);
    return 0;
}
