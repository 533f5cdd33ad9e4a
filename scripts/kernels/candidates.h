// The buffer of candidates that helium/candidates.c and m7/candidates.c share. When it is full, the better half is kept.
#include "tensors.h"

struct search {
    const uint8_t *head, *scores;
    const struct candidates_params *params;
    int32_t *keys;
    uint16_t *anchors;
    int dtype, size, count; // size: log2 of an element's bytes
    int cut, least;         // the minimum key, and the value that it belongs to: an integer, or a float's bits
    int exact;              // whether there are subnormals or signaling NaNs: see tensors.h
};

// An element: the integer itself, or a float's bits.
static inline int value_of(const void *at, int dtype)
{
    if (dtype == INT8)
        return *(const int8_t *)at;
    return dtype == UINT8 ? *(const uint8_t *)at : dtype == INT16 ? *(const int16_t *)at : *(const int32_t *)at;
}

// The key of a float from its bits, and its bits from the key. Keys are in the order of the floats, negative ones too.
static inline int turned(int bits)
{
    return bits ^ (bits >> 31 & 0x7fffffff);
}

// Neighboring classes that the filter allows. Only their scores have to be read where none of them reaches the cut, and that is
// nearly everywhere: an anchor that passes has its maximum in an allowed class.
struct run { uint16_t low, high; };
enum { RUNS = 8 }; // classes behind the beginning of the last run belong to it, up to the last allowed one

// Writes the runs of allowed classes and returns how many there are.
static int runs_of(const struct candidates_params *params, struct run *runs)
{
    int classes = params->classes, words = params->allowed[0], n = 0;
    runs[0] = (struct run){ 0, classes };
    if (!words)
        return 1;
    for (int word = 0; word < words; word++)
        for (uint32_t bits = params->allowed[1 + word]; bits; bits &= bits - 1) {
            int class_id = 32 * word + __builtin_ctz(bits);
            if (class_id >= classes)
                return n;
            if (!n || (n < RUNS && runs[n - 1].high != class_id))
                runs[n++].low = class_id;
            runs[n - 1].high = class_id + 1;
        }
    return n;
}

static inline void set_cut(struct search *s, int key)
{
    s->cut = key;
    s->least = s->dtype == FLOAT32 ? turned(key) : key;
}

static int best_class(const struct search *, int anchor, int value);
static int larger_than(const struct search *, int key); // number of keys that are larger
static int largest(const struct search *, int least);   // the largest key, or `least` if that is larger

// Keeps as many keys as are wanted, the largest of the buffer; of equal ones the first. From now on a key must be larger than
// the smallest of them: the cut becomes one more.
static __attribute__((noinline)) void select(struct search *s)
{
    int wanted = s->params->capacity, below = s->cut - 2, least = largest(s, s->cut), kept = 0;
    while (least - 1 > below) { // at least `wanted` keys are above `below`, fewer above `least`
        int half = below + (int)(((uint32_t)least - (uint32_t)below) >> 1);
        if (larger_than(s, half) < wanted)
            least = half;
        else
            below = half;
    }
    int equal = wanted - larger_than(s, least);
    for (int i = 0; i < s->count; i++) {
        int key = s->keys[i];
        if (key < least || (key == least && --equal < 0))
            continue;
        s->keys[kept] = key;
        s->anchors[kept++] = s->anchors[i];
    }
    s->count = kept;
    set_cut(s, least + 1);
}

// Many 8-bit keys, the largest first and equal ones in their order, by counting: insertion would take n * n / 4 moves.
enum { MANY = 40 };

static __attribute__((noinline)) void sort_bytes(const struct search *s, int32_t *keys, uint16_t *positions)
{
    uint16_t next[256]; // by 8-bit number from the largest down: how many there are, then where the next one goes
    int largest_number = s->dtype == INT8 ? 127 : 255, at = 0;
    for (int i = 0; i < 256; i++)
        next[i] = 0;
    for (int i = 0; i < s->count; i++)
        next[largest_number - s->keys[i]]++;
    for (int i = 0; i < 256; i++) {
        int number = next[i];
        next[i] = at;
        at += number;
    }
    for (int i = 0; i < s->count; i++) {
        at = next[largest_number - s->keys[i]]++;
        keys[at] = s->keys[i];
        positions[at] = i;
    }
}

// Adds an anchor. value: its maximum, an integer or a float's bits. Anchors come in ascending order, the order of equal keys.
static __attribute__((noinline)) void add(struct search *s, int anchor, int value)
{
    const struct candidates_params *params = s->params;
    int key = value;
    if (s->dtype == FLOAT32)
        key = turned(as_bits(as_float(value) + 0.0f)); // -0 and 0 are one score
    if (key < s->cut)
        return;
    if (params->allowed[0]) { // the number of words that follow, with a bit for each class
        int class_id = best_class(s, anchor, value);
        if (!(params->allowed[1 + (class_id >> 5)] >> (class_id & 31) & 1))
            return;
    }
    s->keys[s->count] = key;
    s->anchors[s->count++] = anchor;
    if (s->count == 2 * params->capacity)
        select(s);
}

// For a few anchors, a head with other numbers between its own, and for odd numbers: speed does not matter.
static __attribute__((noinline)) void scan_exactly(struct search *s, int most)
{
    const struct candidates_params *params = s->params;
    const uint8_t *p = s->scores;
    int dtype = s->dtype;
    for (int anchor = 0; anchor < params->anchors && s->cut <= most; anchor++, p += params->anchor_step << s->size) {
        float best = -__builtin_inff();
        for (int i = 0; i < params->classes; i++) {
            float score = element(p + ((i * params->channel_step) << s->size), dtype);
            if (score > best)
                best = score;
        }
        if (best >= (dtype == FLOAT32 ? as_float(s->least) : s->cut))
            add(s, anchor, dtype == FLOAT32 ? as_bits(best) : (int)best);
    }
}

// Begins again with scan_exactly if the numbers are odd. cut: the first one.
static void check_scan(struct search *s, int cut, int most)
{
    if (s->dtype != FLOAT32 || !met_odd_numbers())
        return;
    s->exact = 1;
    s->count = 0;
    set_cut(s, cut);
    scan_exactly(s, most);
}

static __attribute__((noinline)) void place_boxes(const struct search *s, float *values, const uint16_t *indices)
{
    const struct candidates_params *params = s->params;
    float zero = params->zero_point;
    int dtype = s->dtype, capacity = params->capacity, step = params->channel_step << s->size;
    for (int i = 0; i < s->count; i++) {
        const uint8_t *p = s->head + ((indices[i] * params->anchor_step) << s->size);
        float x = element(p, dtype) - zero, y = element(p + step, dtype) - zero;
        float w = (element(p + 2 * step, dtype) - zero) * 0.5f, h = (element(p + 3 * step, dtype) - zero) * 0.5f;
        values[i] = x - w;
        values[capacity + i] = y - h;
        values[2 * capacity + i] = x + w;
        values[3 * capacity + i] = y + h;
    }
}

// Looks up the classes of all in the buffer. In ascending order of anchors, because then the scores of neighbors, which often
// are in the same lines of the cache, are read one after the other. found: anchor | class << 16. What is sorted are positions
// in it.
static inline void find_classes(const struct search *s, uint32_t *found)
{
    for (int i = 0; i < s->count; i++) {
        int value = s->dtype == FLOAT32 ? turned(s->keys[i]) : s->keys[i];
        found[i] = s->anchors[i] | (uint32_t)best_class(s, s->anchors[i], value) << 16;
    }
}
