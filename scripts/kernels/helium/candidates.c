// Find the anchors whose best class reaches the threshold, best first. candidates(head, params, values, indices); see
// portable/boxes.py.
//
// candidates-scan.s finds the anchors whose largest score reaches the cut. They are collected in a buffer for twice as many as
// are wanted. When it is full, the better half is kept and the cut rises, so with many candidates most are soon skipped. At the
// end their classes are looked up, they are sorted by insertion (four entries move in ten instructions), and their boxes are
// decoded, four at once. The buffer uses the first rows of `values` (keys: see candidates.h) and the last two of `indices`
// (anchors). Anchors with their classes then use the second row of `values`, the sorted candidates the rows that are left.
//
// With a class filter, only the scores of allowed classes are read first, and those of all classes where one reaches the cut.
#include "vectors.h"
#include "candidates.h"

struct columns { // candidates-scan.s uses its offsets
    const uint8_t *p;
    int rows, step, cut, kind;
    struct hit { uint16_t mask, byte; } hits[7];
    uint8_t maxima[112];
};

struct rows {
    int cut, step, classes;
};

struct hit *columns(struct columns *);
int64_t rows_s8(const void *p, int left, struct rows *);
int64_t rows_u8(const void *p, int left, struct rows *);
int64_t rows_s16(const void *p, int left, struct rows *);
int64_t rows_f32(const void *p, int left, struct rows *);
int quiet_s8(const void *p, int bytes, int cut);
int quiet_u8(const void *p, int bytes, int cut);
int find_b(const void *p, int four_steps, int classes, int value, uint32x4_t offsets);
int find_h(const void *p, int four_steps, int classes, int value, uint32x4_t offsets);
int find_f32(const void *p, int four_steps, int classes, int value, uint32x4_t offsets);
void insert(int32_t *keys, uint16_t *anchors, int n, int key, int anchor);

static int best_class(const struct search *s, int anchor, int value)
{
    const struct candidates_params *params = s->params;
    int classes = params->classes, step = params->channel_step;
    if (classes == 1)
        return 0;
    if (s->exact)
        for (int i = 0;; i++)
            if (*(const float *)(s->scores + ((anchor * params->anchor_step + i * step) << 2)) == as_float(value))
                return i;
    const uint8_t *p = s->scores + ((anchor * params->anchor_step) << s->size);
    uint32x4_t offsets = vmulq_n_u32(vidupq_n_u32(0, 1), step);
    step <<= s->size + 2;
    if (s->dtype == FLOAT32)
        return find_f32(p, step, classes, value, offsets);
    return s->dtype == INT16 ? find_h(p, step, classes, value & 0xffff, offsets)
                             : find_b(p, step, classes, value & 0xff, offsets);
}

static int larger_than(const struct search *s, int key)
{
    uint32x4_t total = vdupq_n_u32(0);
    for (int i = 0; i < s->count; i += 4)
        total = vaddq_m_n_u32(total, total, 1, vcmpgtq_m_n_s32(vldrwq_s32(s->keys + i), key, vctp32q(s->count - i)));
    return vaddvq_u32(total);
}

static int largest(const struct search *s, int least)
{
    for (int i = 0; i < s->count; i += 4)
        least = vmaxvq_p_s32(least, vldrwq_s32(s->keys + i), vctp32q(s->count - i));
    return least;
}

// One class, whose scores are some bytes apart: 16, 8 or 4 of them at once, a group. The skip functions pass all groups
// without a score that reaches `least`. They are functions of their own, because together the compiler keeps every branch
// in the loop: 40 instructions for each group instead of 8.
struct apart {
    int group; // bytes from group to group
    int least;
};

#define SKIP(name, type, offset_type, gather, compare, number)                                         \
    static __attribute__((noinline)) const uint8_t *skip_##name(const uint8_t *p, const uint8_t *end,  \
                                                                const struct apart *a, offset_type at) \
    {                                                                                                  \
        int group = a->group;                                                                          \
        for (; p < end; p += group)                                                                    \
            if (compare(gather((const type *)p, at), number))                                          \
                break;                                                                                 \
        return p;                                                                                      \
    }

SKIP(bytes_s8, int8_t, uint8x16_t, vldrbq_gather_offset_s8, vcmpgeq_n_s8, a->least)
SKIP(bytes_u8, uint8_t, uint8x16_t, vldrbq_gather_offset_u8, vcmpcsq_n_u8, a->least)
SKIP(s8, int8_t, uint16x8_t, vldrbq_gather_offset_s16, vcmpgeq_n_s16, a->least)
SKIP(u8, uint8_t, uint16x8_t, vldrbq_gather_offset_u16, vcmpcsq_n_u16, a->least)
SKIP(s16, int16_t, uint16x8_t, vldrhq_gather_offset_s16, vcmpgeq_n_s16, a->least)
SKIP(f32, float, uint32x4_t, vldrwq_gather_offset_f32, vcmpgeq_n_f32, as_float(a->least))

static __attribute__((noinline)) int64_t rows(int dtype, const void *p, int left, struct rows *r)
{
    return dtype == INT8 ? rows_s8(p, left, r) : dtype == UINT8 ? rows_u8(p, left, r) :
           dtype == INT16 ? rows_s16(p, left, r) : rows_f32(p, left, r);
}

// The largest score of an anchor whose classes are side by side.
static int maximum_of(const struct search *s, const uint8_t *p)
{
    struct rows r = { s->least, 0, s->params->classes };
    return rows(s->dtype, p, 1, &r) >> 32;
}

// class_id: the only class that may pass. If there are others, an anchor's classes are side by side.
static void scan_one_class(struct search *s, int class_id, int step, int most)
{
    int dtype = s->dtype, anchors = s->params->anchors;
    // A byte's offset has 8 bits, another's 16 or 32.
    int log2_lanes = dtype == FLOAT32 ? 2 : dtype == INT16 || step > 17 ? 3 : 4, lanes = 1 << log2_lanes;
    uint8x16_t bytes = vmulq_n_u8(vidupq_n_u8(0, 1), step);
    uint16x8_t halves = vmulq_n_u16(vidupq_n_u16(0, 1), step);
    uint32x4_t words = vmulq_n_u32(vidupq_n_u32(0, 1), step);
    const uint8_t *p = s->scores + (class_id << s->size), *end = p + (anchors >> log2_lanes) * (step << log2_lanes);
    struct apart a = { step << log2_lanes, 0 };
    for (int at = 0; at < anchors && s->cut <= most;) {
        const uint8_t *from = p;
        a.least = s->least;
        if (log2_lanes == 4)
            p = dtype == INT8 ? skip_bytes_s8(p, end, &a, bytes) : skip_bytes_u8(p, end, &a, bytes);
        else if (log2_lanes == 2)
            p = skip_f32(p, end, &a, words);
        else
            p = dtype == INT16 ? skip_s16(p, end, &a, halves)
                               : dtype == INT8 ? skip_s8(p, end, &a, halves) : skip_u8(p, end, &a, halves);
        at += (p - from) / a.group * lanes;
        // The group with a hit, or what is less than a group at the end.
        for (int last = smaller(at + lanes, anchors); at < last; at++, p += step) {
            int value = value_of(p, dtype);
            if (dtype == FLOAT32 ? as_float(value) >= as_float(s->least) : value >= s->least)
                add(s, at, s->params->classes == 1 ? value : maximum_of(s, p - (class_id << s->size)));
        }
    }
}

// most: the largest possible key.
static void scan(struct search *s, int most)
{
    const struct candidates_params *params = s->params;
    int dtype = s->dtype, size = s->size, anchors = params->anchors;
    const uint8_t *p = s->scores;
    int block = 112 >> size, apart = params->anchor_step << size, classes = params->classes;
    struct run runs[RUNS];
    int n = runs_of(params, runs);
    if (!n)
        return;
    int low = runs[0].low, span = runs[n - 1].high - low;
    if (span == 1 && (classes == 1 || params->channel_step == 1) && apart > 1 << size && 7 * apart <= 65535) {
        scan_one_class(s, low, apart, most);
        return;
    }
    if (params->anchor_step == 1 && anchors >= block) {
        struct columns c;
        c.step = params->channel_step << size;
        c.kind = dtype == UINT8 ? 1 : dtype == INT8 ? 0 : size + 1;
        uint32_t one_of_a_lane = size == 0 ? 0xffff : size == 1 ? 0x5555 : 0x1111;
        for (int next = 0; next < anchors && s->cut <= most;) {
            int at = next < anchors - block ? next : anchors - block; // the last block overlaps the one before it
            c.cut = s->least;
            const struct hit *end = 0;
            for (int i = 0; i < n && !end; i++) {
                c.p = p + (at << size) + runs[i].low * c.step;
                c.rows = runs[i].high - runs[i].low;
                end = columns(&c);
            }
            if (end && c.rows < classes) {
                c.p = p + (at << size);
                c.rows = classes;
                end = columns(&c);
            }
            for (const struct hit *hit = c.hits; hit < end; hit++)
                for (uint32_t mask = hit->mask & one_of_a_lane; mask; mask &= mask - 1) {
                    int byte = hit->byte + __builtin_ctz(mask), anchor = at + (byte >> size);
                    if (anchor >= next)
                        add(s, anchor, value_of(c.maxima + byte, dtype));
                }
            next = at + block;
        }
        return;
    }
    if (params->channel_step == 1) {
        struct rows r = { 0, params->anchor_step << size, span };
        int together = 0; // how many hits in a row had no quiet vector between them
        for (int left = anchors; left > 0 && s->cut <= most; left--) {
            r.cut = s->least;
            const uint8_t *from = p + (anchors - left) * r.step;
            if (!size && together < 8 && params->anchor_step == span) { // bytes with nothing between them
                int bytes = left * r.step;
                int quiet = (dtype == INT8 ? quiet_s8(from, bytes, r.cut) : quiet_u8(from, bytes, r.cut)) / r.step;
                left -= quiet;
                from += quiet * r.step;
                if (!left)
                    return;
                together = quiet ? 0 : together + 1;
            }
            int64_t hit = rows(dtype, from + (low << size), left, &r);
            if (left - (int32_t)hit > 8)
                together = 0;
            left = (int32_t)hit;
            if (!left)
                return;
            add(s, anchors - left, span == classes ? hit >> 32 : maximum_of(s, p + (anchors - left) * r.step));
        }
        return;
    }
    s->exact = dtype == FLOAT32; // so that best_class compares as it does
    scan_exactly(s, most);
}

int candidates(const void *head, const struct candidates_params *params, float *values, uint16_t *indices)
{
    int dtype = params->dtype, capacity = params->capacity, cut = params->cut;
    int size = log2_size(dtype);
    int most = dtype == FLOAT32 ? 0x7f800000 : dtype == UINT8 ? 255 : dtype == INT8 ? 127 : 32767;
    if (!capacity || cut > most)
        return 0;
    if (dtype == FLOAT32)
        cut = turned(as_bits(as_float(cut) + 0.0f));
    else
        cut = larger(cut, dtype == UINT8 ? 0 : -1 - most);
    struct search s = { head, (const uint8_t *)head + ((params->first_class * params->channel_step) << size), params,
                        (int32_t *)values, indices + capacity, dtype, size, 0, 0, 0, 0 };
    set_cut(&s, cut);
    clear_flags();
    scan(&s, most);
    check_scan(&s, cut, most);
    if (s.count > capacity)
        select(&s);
    int32_t *keys = (int32_t *)values + 4 * capacity;
    uint32_t *found = (uint32_t *)values + capacity;
    find_classes(&s, found);
    if (!size && s.count > MANY)
        sort_bytes(&s, keys, indices);
    else
        for (int i = 0; i < s.count; i++)
            insert(keys, indices, i, s.keys[i], i);
    for (int i = 0; i < s.count; i += 4) {
        mve_pred16_t lanes = vctp32q(s.count - i);
        uint32x4_t both = vldrwq_gather_shifted_offset_z_u32(found, vldrhq_z_u32(indices + i, lanes), lanes);
        vstrhq_p_u32(indices + i, both, lanes); // the low halves
        vstrhq_p_u32(indices + capacity + i, vshrq_n_u32(both, 16), lanes);
    }
    int zero = params->zero_point, boxes = params->first_class >= 4;
    clear_flags();
    for (int i = 0; i < s.count; i += 4) {
        mve_pred16_t lanes = vctp32q(s.count - i);
        uint32x4_t at = vmulq_n_u32(vldrhq_z_u32(indices + i, lanes), params->anchor_step);
        float32x4_t box[4];
        for (int axis = 0; boxes && axis < 4; axis++)
            box[axis] = vsubq_n_f32(gather(s.head + ((axis * params->channel_step) << s.size), at, dtype, lanes), zero);
        for (int axis = 0; boxes && axis < 2; axis++) {
            float32x4_t half = vmulq_n_f32(box[axis + 2], 0.5f);
            vstrwq_p_f32(values + axis * capacity + i, vsubq_f32(box[axis], half), lanes);
            vstrwq_p_f32(values + (axis + 2) * capacity + i, vaddq_f32(box[axis], half), lanes);
        }
        int32x4_t key = vldrwq_z_s32(keys + i, lanes), turn = vandq_s32(vshrq_n_s32(key, 31), vdupq_n_s32(0x7fffffff));
        float32x4_t score = vreinterpretq_f32_s32(veorq_s32(key, turn));
        if (dtype != FLOAT32)
            score = vcvtq_f32_s32(vsubq_n_s32(key, zero));
        vstrwq_p_f32(values + 4 * capacity + i, score, lanes);
    }
    if (boxes && met_odd_numbers())
        place_boxes(&s, values, indices);
    return s.count;
}
