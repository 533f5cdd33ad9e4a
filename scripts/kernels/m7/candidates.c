// gcc: -O2 -fno-strict-aliasing
// Find the anchors whose best class reaches the threshold, best first. candidates(head, params, values, indices); see
// portable/boxes.py.
//
// The largest score is found for 16 anchors at once (4 with floats, 1 if a row is an anchor). Anchors that reach the cut are
// collected in a buffer for twice as many as are wanted. When it is full, the better half is kept and the cut rises. At the
// end their classes are looked up, they are sorted, and their boxes are decoded. The buffer uses the first rows of `values`
// (keys: see candidates.h) and the last two of `indices` (anchors). Anchors with their classes then use the second row of
// `values`, the sorted candidates the rows that are left.
//
// With a class filter, only the scores of allowed classes are read first, and those of all classes where one reaches the cut.
#include "words.h"
#include "candidates.h"

#define INLINE static inline __attribute__((always_inline))
enum { BLOCK = 16 };

static int best_class(const struct search *s, int anchor, int value)
{
    const struct candidates_params *params = s->params;
    const uint8_t *p = s->scores + ((anchor * params->anchor_step) << s->size);
    int step = params->channel_step << s->size, class_id = 0;
    if (s->dtype == FLOAT32)
        while (class_id < params->classes - 1 && *(const float *)p != as_float(value)) // 0 and -0 are equal
            class_id++, p += step;
    else
        while (class_id < params->classes - 1 && value_of(p, s->dtype) != value)
            class_id++, p += step;
    return class_id;
}

static int larger_than(const struct search *s, int key)
{
    int total = 0;
    for (int i = 0; i < s->count; i++)
        total += s->keys[i] > key;
    return total;
}

static int largest(const struct search *s, int least)
{
    for (int i = 0; i < s->count; i++)
        least = larger(least, s->keys[i]);
    return least;
}

// The largest scores of 16 anchors that are side by side, bytes.
INLINE void columns(const uint8_t *p, int step, int classes, int dtype, uint32_t most[4])
{
    uint32_t a = four(p), b = four(p + 4), c = four(p + 8), d = four(p + 12);
#define LARGER(best, at) \
    do { \
        uint32_t value = four(at); \
        if (dtype == INT8) \
            __ssub8(value, best); \
        else \
            __usub8(value, best); \
        best = __sel(value, best); \
    } while (0)
    while (--classes) {
        p += step;
        LARGER(a, p);
        LARGER(b, p + 4);
        LARGER(c, p + 8);
        LARGER(d, p + 12);
    }
    most[0] = a;
    most[1] = b;
    most[2] = c;
    most[3] = d;
}

// The largest scores of four anchors that are side by side, floats. NaN is never a maximum.
INLINE void four_floats(const float *p, int step, int classes, float most[4])
{
    float low = -__builtin_inff();
    float a = __builtin_fmaxf(p[0], low), b = __builtin_fmaxf(p[1], low);
    float c = __builtin_fmaxf(p[2], low), d = __builtin_fmaxf(p[3], low);
    while (--classes) {
        p += step;
        a = __builtin_fmaxf(p[0], a);
        b = __builtin_fmaxf(p[1], b);
        c = __builtin_fmaxf(p[2], c);
        d = __builtin_fmaxf(p[3], d);
    }
    most[0] = a;
    most[1] = b;
    most[2] = c;
    most[3] = d;
}

// The largest score of one anchor, in any layout: an integer, or a float's bits.
INLINE int one(const uint8_t *p, int step, int classes, int dtype)
{
    if (dtype == FLOAT32) {
        float most = -__builtin_inff();
        for (; classes; classes--, p += step)
            most = __builtin_fmaxf(*(const float *)p, most);
        return as_bits(most);
    }
    int most = value_of(p, dtype);
    while (--classes) {
        p += step;
        most = larger(most, value_of(p, dtype));
    }
    return most;
}

INLINE int reaches(const struct search *s, int value, int dtype)
{
    return dtype == FLOAT32 ? as_float(value) >= as_float(s->least) : value >= s->cut;
}

// most: the largest possible key.
INLINE void scan(struct search *s, int most, int dtype)
{
    const struct candidates_params *params = s->params;
    int size = log2_size(dtype), anchors = params->anchors, classes = params->classes, anchor = 0;
    int step = params->channel_step << size, anchor_step = params->anchor_step << size;
    struct run runs[RUNS + 1];
    int n = runs_of(params, runs);
    if (!n)
        return;
    runs[n] = (struct run){ 0, classes }; // for anchors of which an allowed class reaches the cut
    if (params->anchor_step == 1 && dtype != INT16) {
        int side = dtype == FLOAT32 ? 4 : BLOCK;
        union { uint32_t words[4]; float floats[4]; uint8_t bytes[BLOCK]; } best;
        for (; anchor + side <= anchors && s->cut <= most; anchor += side) {
            const uint8_t *p = s->scores + (anchor << size);
            int looked_at = runs[0].high - runs[0].low, offset = runs[0].low * step;
            for (int next = 1;;) {
                if (dtype == FLOAT32)
                    four_floats((const float *)(p + offset), step >> 2, looked_at, best.floats);
                else
                    columns(p + offset, step, looked_at, dtype, best.words);
                int hit = 0;
                for (int i = 0; i < side; i++) {
                    int value = dtype == FLOAT32 ? as_bits(best.floats[i]) : value_of(best.bytes + i, dtype);
                    if (reaches(s, value, dtype)) {
                        hit = 1;
                        if (looked_at == classes)
                            add(s, anchor + i, value);
                    }
                }
                if (looked_at == classes)
                    break;
                const struct run *run = hit ? runs + n : runs + next++;
                if (run == runs + n && !hit)
                    break;
                looked_at = run->high - run->low;
                offset = run->low * step;
            }
        }
    }
    int low = runs[0].low, span = runs[n - 1].high - low;
    for (; anchor < anchors && s->cut <= most; anchor++) {
        const uint8_t *p = s->scores + anchor * anchor_step;
        int value = one(p + low * step, step, span, dtype);
        if (reaches(s, value, dtype))
            add(s, anchor, span == classes ? value : one(p, step, classes, dtype));
    }
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
    if (dtype == INT8)
        scan(&s, most, INT8);
    else if (dtype == UINT8)
        scan(&s, most, UINT8);
    else if (dtype == INT16)
        scan(&s, most, INT16);
    else
        scan(&s, most, FLOAT32);
    check_scan(&s, cut, most);
    if (s.count > capacity)
        select(&s);
    int32_t *keys = (int32_t *)values + 4 * capacity;
    uint32_t *found = (uint32_t *)values + capacity;
    find_classes(&s, found);
    if (!size && s.count > MANY)
        sort_bytes(&s, keys, indices);
    for (int i = !size && s.count > MANY ? s.count : 0; i < s.count; i++) { // insertion sort; equal keys stay in order
        int key = s.keys[i], at = i;
        for (; at && keys[at - 1] < key; at--) {
            keys[at] = keys[at - 1];
            indices[at] = indices[at - 1];
        }
        keys[at] = key;
        indices[at] = i;
    }
    for (int i = 0; i < s.count; i++) {
        uint32_t both = found[indices[i]];
        indices[i] = both;
        indices[capacity + i] = both >> 16;
    }
    for (int i = 0; i < s.count; i++)
        values[4 * capacity + i] = dtype == FLOAT32 ? as_float(turned(keys[i])) : keys[i] - params->zero_point;
    if (params->first_class >= 4)
        place_boxes(&s, values, indices);
    return s.count;
}
