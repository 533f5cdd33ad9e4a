// The buffer of candidates.c, of helium and thumb alike: what is found goes in, and of too many the better half stays.
#include "tensors.h"

struct search {
    const uint8_t *head, *scores;
    const struct candidates_plan *plan;
    int32_t *keys;
    uint16_t *anchors;
    int dtype, size, count, cut; // cut: of keys
};

// An integer, or a float's bits.
static inline int key_of(const void *at, int dtype)
{
    if (dtype == INT8)
        return *(const int8_t *)at;
    return dtype == UINT8 ? *(const uint8_t *)at : dtype == INT16 ? *(const int16_t *)at : *(const int32_t *)at;
}

static int best_class(const struct search *, int anchor, int key);
static int larger_than(const struct search *, int key); // how many keys are
static int largest(const struct search *, int least);   // the largest key, or least

// Keeps the best of the buffer, as many as are wanted; of equal ones the first. A key less than the least of them, or equal
// to it, has no place any more: the cut becomes one more than the least.
static __attribute__((noinline)) void select(struct search *s)
{
    int wanted = s->plan->capacity, below = s->cut - 2, least = largest(s, s->cut), kept = 0;
    while (least - 1 > below) { // more than are wanted are above `below`, fewer above `least`
        int middle = below + ((least - below) >> 1);
        if (larger_than(s, middle) < wanted)
            least = middle;
        else
            below = middle;
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

// value: the maximum, an integer or a float's bits. Anchors come in ascending order, which is the order of equal keys.
static __attribute__((noinline)) void found(struct search *s, int anchor, int value)
{
    const struct candidates_plan *plan = s->plan;
    if (s->dtype == FLOAT32)
        value = as_bits(as_float(value) + 0.0f); // -0 and 0 are one score
    if (value < s->cut)
        return;
    if (plan->allowed[0]) { // the number of words that follow: a bit a class
        int class_id = best_class(s, anchor, value);
        if (!(plan->allowed[1 + (class_id >> 5)] >> (class_id & 31) & 1))
            return;
    }
    s->keys[s->count] = value;
    s->anchors[s->count++] = anchor;
    if (s->count == 2 * plan->capacity)
        select(s);
}
