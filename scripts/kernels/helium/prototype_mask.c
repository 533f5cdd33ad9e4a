// Compute masks of detections: coefficients . prototypes over a window. prototype_mask(protos, head, params, out); see
// portable/boxes.py.
//
// First the zero point is subtracted from the coefficients. Then a pass over every second pixel of every second row finds the
// largest |sum - threshold|, which gives the scale. Another pass over all pixels writes the scaled sums as bytes.
//
// NHWC bytes and floats with 32 coefficients, the usual cases, are computed by prototype_mask-rows.s, NCHW bytes by
// prototype_mask-planes.s, and everything else, four pixels at once, by prototype_mask-lanes.s.
//
// Prototypes are the most that a frame reads: a line of the cache for each pixel, or four with floats. If the windows of several
// masks overlap, the first two functions compute these masks together, some rows of each in turn, so that the prototypes of
// these rows are still in the cache.
#include "vectors.h"
#include "prototype_mask.h"

struct pass { // prototype_mask-rows.s uses its offsets
    const uint8_t *p;
    uint8_t *out;
    int blocks, overlap, bias, level, zero, rows, step, kind; // floats: bias and level are bits, zero the coefficients' address
};

struct planes { // prototype_mask-planes.s uses its offsets
    const uint8_t *p;
    uint8_t *out;
    int blocks, overlap, bias, level, plane;
    const int *coefficients;
    int rows, step, pairs, last, kind;
};

struct mask {
    union { struct pass pass; struct planes planes; };
    union { uint8_t bytes[32]; int ints[32]; float floats[32]; } coefficients; // prototype_mask-rows.s uses its offset
    const uint8_t *p; // its first pixel
    uint8_t *out;
    int y, width, height;
};

struct order { // how rows are computed
    int flat;      // whether the prototypes are planes
    int row_bytes; // from row to row
    int skip;      // 2 to measure, 1 to write
};

enum {
    TOGETHER = 7,     // masks, which the stack holds: 200 bytes each
    KEPT = 24 * 1024, // bytes of prototypes that are read while they are in the cache, which has 32 KB
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

// The factor that scales the largest |sum| to 127.
static float factor_for(float most)
{
    return most > 0 && most < __builtin_inff() && 127 / most < __builtin_inff() ? 127 / most : 1;
}

enum { RAW_INT8 = 2, RAW_UINT8 = 4, FLOATS = 6 }; // of pass.kind: as measured; one more as written

static void prepare_bytes(struct mask *m, const uint8_t *head, const struct prototype_mask_params *params)
{
    int is_signed = params->dtype == INT8, zero = params->head_zero_point, total = 0, most = 0, step = params->step;
    uint32x4_t offsets = vmulq_n_u32(vidupq_n_u32(0, 1), step);
    int8_t centered[32];
    for (int i = 0; i < 32; i += 4, head += 4 * step) {
        int32x4_t value = vreinterpretq_s32_u32(vldrbq_gather_offset_u32(head, offsets));
        if (is_signed)
            value = vldrbq_gather_offset_s32((const int8_t *)head, offsets);
        vstrbq_s32((int8_t *)m->coefficients.bytes + i, value);
        value = vsubq_n_s32(value, zero);
        vstrbq_s32(centered + i, value);
        total = vaddvaq_s32(total, value);
        most = vmaxvq_s32(most, veorq_s32(value, vshrq_n_s32(value, 31))); // a negative one: -1 - value
    }
    m->pass.zero = zero;
    m->pass.kind = is_signed ? RAW_INT8 : RAW_UINT8;
    if (is_signed && most < 128) { // they are bytes
        m->pass.kind = 0;
        vst1q_s8((int8_t *)m->coefficients.bytes, vld1q_s8(centered));
        vst1q_s8((int8_t *)m->coefficients.bytes + 16, vld1q_s8(centered + 16));
    }
    m->pass.bias = -params->zero_point * total - params->threshold;
}

static void prepare_floats(struct mask *m, const float *head, const struct prototype_mask_params *params)
{
    float zero = params->head_zero_point;
    int step = params->step;
    uint32x4_t offsets = vmulq_n_u32(vidupq_n_u32(0, 1), step);
    for (int i = 0; i < 32; i += 4, head += 4 * step)
        vst1q_f32(m->coefficients.floats + i, vsubq_n_f32(vldrwq_gather_shifted_offset_f32(head, offsets), zero));
    m->pass.zero = (intptr_t)m->coefficients.floats;
    m->pass.bias = params->threshold;
    m->pass.kind = FLOATS;
}

// Writes the centered coefficients c, and returns the bias: minus the threshold, and what the prototypes' zero point adds.
static int center(int *c, const uint8_t *head, const struct prototype_mask_params *params)
{
    int bias = -params->threshold;
    for (int i = 0; i < params->coefficients; i++, head += params->step) {
        c[i] = (params->dtype == INT8 ? (int8_t)*head : *head) - params->head_zero_point;
        bias -= params->zero_point * c[i];
    }
    return bias;
}

static void prepare_planes(struct mask *m, const int *c, int bias, const struct prototype_mask_params *params)
{
    m->planes.coefficients = c;
    m->planes.bias = bias;
    m->planes.plane = params->coefficient_step;
    m->planes.pairs = params->coefficients >> 1;
    m->planes.last = 2 * smaller((m->width - 1) >> 1, 7);
    m->planes.kind = params->dtype == INT8 ? 0 : 2;
}

// The rows from `from` to `to` of the prototypes, as far as they are in the mask's window.
static void some_rows(struct mask *m, const struct order *order, int from, int to)
{
    int odd = order->skip - 1, first = larger(from - m->y, 0), n = smaller(to - m->y, m->height);
    first += first & odd;
    n -= first;
    if (n <= 0)
        return;
    // Both structs begin alike.
    m->pass.p = m->p + first * order->row_bytes;
    m->pass.out = m->out + first * m->width;
    n = (n + odd) >> odd;
    if (order->flat) {
        m->planes.rows = n;
        planes(&m->planes);
    } else {
        m->pass.rows = n;
        rows_of_32(&m->pass);
    }
}

static void set_order(struct mask *m, const struct order *order)
{
    int odd = order->skip - 1, side = (m->width + odd) >> odd, step = order->row_bytes << odd; // side: pixels of a row
    if (order->flat) {
        m->planes.step = step;
        m->planes.blocks = (side + 7) >> 3;
        m->planes.overlap = side < 8 ? 0 : -side & 7;
    } else {
        m->pass.step = step;
        m->pass.blocks = side >> 2;
        m->pass.overlap = -side & 3;
    }
}

// Computes masks whose windows are within the rows from `top` to `bottom`, `band` rows of each in turn. Measuring reads every
// second row, and takes twice as many. Writing begins where it has ended.
static void compute(struct mask *masks, int n, int flat, int row_bytes, int top, int bottom, int band)
{
    struct order order = { flat, row_bytes, 2 };
    struct mask *m, *end = masks + n;
    for (m = masks; m < end; m++) {
        m->pass.level = 0;
        set_order(m, &order);
    }
    int y;
    for (y = top; y < bottom; y += 2 * band)
        for (m = masks; m < end; m++)
            some_rows(m, &order, y, y + 2 * band);
    order.skip = 1;
    for (m = masks; m < end; m++) {
        if (!flat && m->pass.kind == FLOATS) {
            m->pass.level = as_bits(factor_for(as_float(m->pass.level)));
        } else {
            int shift = shift_for(m->pass.level);
            m->pass.bias += (128 << shift) - 1;
            m->pass.level = -shift;
        }
        if (flat)
            m->planes.kind++;
        else
            m->pass.kind++;
        set_order(m, &order);
    }
    for (y = top + (bottom - 1 - top) / band * band; y >= top; y -= band)
        for (m = masks; m < end; m++)
            some_rows(m, &order, y, y + band);
}

_Static_assert(offsetof(struct pass, bias) == offsetof(struct planes, bias), "bias");
_Static_assert(offsetof(struct pass, level) == offsetof(struct planes, level), "level");

// Any other mask.
static __attribute__((noinline)) void any(const uint8_t *protos, const uint8_t *head, const struct prototype_mask_params *params,
                                          const struct row *row, uint8_t *out)
{
    int dtype = params->dtype, size = log2_size(dtype), terms = params->coefficients, step = params->coefficient_step << size;
    int exact = dtype == UINT8 || dtype == INT8;
    int width = row->window_w, height = row->window_h, bias = 0;
    union { int i[64]; float f[64]; } c;
    float zero = params->zero_point, threshold = as_float(params->threshold);
    if (exact)
        bias = center(c.i, head, params);
    else
        for (int i = 0; i < terms; i++, head += params->step << size)
            c.f[i] = element(head, dtype) - (float)params->head_zero_point;
    protos += ((row->window_y * params->width + row->window_x) * params->pixel_step) << size;

    uint32_t largest = 0;
    float most = 0, factor = 1;
    int shift = 0;
    for (int skip = 2; skip; skip--) { // 2: measures every second pixel; 1: writes all pixels
        for (int y = 0; y < height; y += skip) {
            const uint8_t *p = protos + ((y * params->width * params->pixel_step) << size);
            uint8_t *to = out + y * width;
            for (int left = width; left > 0; left -= 4 * skip) {
                int n = skip == 2 ? (left + 1) >> 1 : left;
                // If fewer than four are left, the last is repeated: this changes no maximum, and is not stored.
                uint32x4_t offsets = vminq_u32(vidupq_n_u32(0, 1), vdupq_n_u32(n - 1));
                offsets = vmulq_n_u32(offsets, skip * params->pixel_step);
                mve_pred16_t lanes = vctp32q(n);
                uint32x4_t sum = sums(p, &c, step, terms, offsets, zero, dtype);
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
                p += (4 * skip * params->pixel_step) << size;
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

// A mask of floats among which are odd ones: see tensors.h.
static __attribute__((noinline)) void exactly(const uint8_t *protos, const float *head, const struct prototype_mask_params *params,
                                              const struct row *row, uint8_t *out)
{
    float c[MOST], zero = params->head_zero_point;
    struct window w = window_of(protos, params, row->window_x, row->window_y, row->window_w, row->window_h);
    for (int i = 0; i < w.terms; i++, head += params->step)
        c[i] = *head - zero;
    fractions(&w, c, params->zero_point, as_float(params->threshold), out, FLOAT32);
}

// The pixels that are in the windows of both.
static int overlap(const struct row *a, const struct row *b)
{
    int width = smaller(a->window_x + a->window_w, b->window_x + b->window_w) - larger(a->window_x, b->window_x);
    int height = smaller(a->window_y + a->window_h, b->window_y + b->window_h) - larger(a->window_y, b->window_y);
    return width > 0 && height > 0 ? width * height : 0;
}

// Computes up to TOGETHER masks in one of the fast ways. keys: the numbers of their rows in the table, in the low 16 bits.
static __attribute__((noinline)) void several(const uint8_t *protos, const uint8_t *head, const struct prototype_mask_params *params,
                                              uint8_t *out, const struct row *table, const uint32_t *keys, int n)
{
    int flat = params->pixel_step == 1, size = log2_size(params->dtype);
    int pixel = params->pixel_step << size, row_bytes = params->width * pixel;
    int left = params->width, top = params->height, right = 0, bottom = 0, total = 0, shared = 0;
    struct mask masks[TOGETHER], *m = masks;
    for (int i = 0; i < n; i++, m++) {
        const struct row *row = table + (keys[i] & 0xffff);
        const uint8_t *c = head + ((params->first + row->anchor * params->anchor_step) << size);
        m->p = protos + row->window_y * row_bytes + row->window_x * pixel;
        m->out = out + row->start;
        m->y = row->window_y;
        m->width = row->window_w;
        m->height = row->window_h;
        if (flat)
            prepare_planes(m, m->coefficients.ints, center(m->coefficients.ints, c, params), params);
        else if (size)
            prepare_floats(m, (const float *)c, params);
        else
            prepare_bytes(m, c, params);
        left = smaller(left, row->window_x);
        right = larger(right, row->window_x + m->width);
        top = smaller(top, m->y);
        bottom = larger(bottom, m->y + m->height);
        total += m->width * m->height;
        for (int k = 0; k < i; k++)
            shared += overlap(row, table + (keys[k] & 0xffff));
    }
    // Worth it if a third is shared: a small mask alone is still in the cache when it is written, but not if others come in
    // between, and measuring reads a quarter. At least two rows of each at a time, because measuring takes every second.
    if (3 * shared > total) {
        int bytes = flat ? row_bytes * params->coefficients : (right - left) * pixel;
        compute(masks, n, flat, row_bytes, top, bottom, larger(2, KEPT / bytes & ~1));
    } else {
        for (m = masks; n; n--, m++)
            compute(m, 1, flat, row_bytes, m->y, m->y + m->height, m->height);
    }
}

// Whether a row's mask is to be computed. Without rows there is one mask, and it is.
static inline int is_wanted(const struct prototype_mask_params *params, const struct row *row)
{
    return !params->rows[0] || (row->anchor >= params->low && row->anchor < params->high);
}

int prototype_mask(const uint8_t *protos, const uint8_t *head, const struct prototype_mask_params *params, uint8_t *out)
{
    struct row one;
    int words = params->rows[0], n = words ? words / (int)(sizeof one >> 2) : 1; // the number of words that follow
    int dtype = params->dtype, bytes = dtype == INT8 || dtype == UINT8, size = log2_size(dtype), least = 65536;
    const struct row *table = (const struct row *)(params->rows + 1);
    if (!words) {
        ENTRIES(prototype_mask_params, window_x, window_h, 4);
        ENTRIES(row, window_x, window_h, 4);
        vst1q_s32(&one.window_x, vld1q_s32(&params->window_x));
        one.anchor = one.start = 0;
        table = &one;
    }
    // A mask less wide is computed in another way: of a row of 7 (15) pixels four (eight) are measured.
    if (params->pixel_step == 32 && params->coefficient_step == 1 && params->coefficients == 32 &&
        (bytes || (dtype == FLOAT32 && params->zero_point == 0)))
        least = 7;
    else if (bytes && params->pixel_step == 1 && params->coefficients <= 32 && !(params->coefficients & 1))
        least = 8;

    clear_flags();
    for (int i = 0; i < n; i++) {
        const struct row *row = table + i;
        if (row->window_w > 0 && row->window_h > 0 && row->window_w < least && is_wanted(params, row))
            any(protos, head + ((params->first + row->anchor * params->anchor_step) << size), params, row, out + row->start);
    }
    // Masks whose windows begin at about the same column are the ones that may overlap.
    uint32_t keys[TOGETHER], next = 0;
    int found;
    do {
        found = 0;
        for (int i = 0; i < n; i++) {
            const struct row *row = table + i;
            uint32_t key = row->window_x << 16 | i;
            if (key < next || (found == TOGETHER && key > keys[TOGETHER - 1]))
                continue;
            if (row->window_w < least || row->window_h <= 0 || !is_wanted(params, row))
                continue;
            int at = found < TOGETHER ? found++ : TOGETHER - 1;
            for (; at && keys[at - 1] > key; at--)
                keys[at] = keys[at - 1];
            keys[at] = key;
        }
        if (found) {
            several(protos, head, params, out, table, keys, found);
            next = keys[found - 1] + 1;
        }
    } while (found == TOGETHER);
    if (dtype == FLOAT32 && met_odd_numbers())
        for (const struct row *row = table; row < table + n; row++)
            if (row->window_w > 0 && row->window_h > 0 && is_wanted(params, row))
                exactly(protos, (const float *)head + params->first + row->anchor * params->anchor_step, params, row,
                        out + row->start);
    return 0;
}
