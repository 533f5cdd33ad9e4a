// The buffer of candidates that helium/candidates.c and m7/candidates.c share. When it is full, the better half is kept.
#include "tensors.h"

struct search {
    const uint8_t *head, *scores;
    const struct candidates_params *params;
    int32_t *keys;
    uint16_t *anchors;
    int dtype, size, count, cut; // size: log2 of an element's bytes; cut: minimum key
};

// The key of an element: the integer itself, or a float's bits.
static inline int key_of(const void *at, int dtype)
{
    if (dtype == INT8)
        return *(const int8_t *)at;
    return dtype == UINT8 ? *(const uint8_t *)at : dtype == INT16 ? *(const int16_t *)at : *(const int32_t *)at;
}

static int best_class(const struct search *, int anchor, int key);
static int larger_than(const struct search *, int key); // number of keys that are larger
static int largest(const struct search *, int least);   // the largest key, or `least` if that is larger

// Keeps as many keys as are wanted, the largest of the buffer; of equal ones the first. From now on a key must be larger than
// the smallest of them: the cut becomes one more.
static __attribute__((noinline)) void select(struct search *s)
{
    int wanted = s->params->capacity, below = s->cut - 2, least = largest(s, s->cut), kept = 0;
    while (least - 1 > below) { // at least `wanted` keys are above `below`, fewer above `least`
        int half = below + ((least - below) >> 1);
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
    s->cut = least + 1;
}

// Adds an anchor. value: its maximum, an integer or a float's bits. Anchors come in ascending order, the order of equal keys.
static __attribute__((noinline)) void add(struct search *s, int anchor, int value)
{
    const struct candidates_params *params = s->params;
    if (s->dtype == FLOAT32)
        value = as_bits(as_float(value) + 0.0f); // -0 and 0 are one score
    if (value < s->cut)
        return;
    if (params->allowed[0]) { // the number of words that follow, with a bit for each class
        int class_id = best_class(s, anchor, value);
        if (!(params->allowed[1 + (class_id >> 5)] >> (class_id & 31) & 1))
            return;
    }
    s->keys[s->count] = value;
    s->anchors[s->count++] = anchor;
    if (s->count == 2 * params->capacity)
        select(s);
}
