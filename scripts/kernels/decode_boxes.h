// The parts of decode_boxes.c that differ by core, in decode_boxes-parts.c: scores, and the four numbers of a box. And 2^y.
#include "tensors.h"

#define LOG2_E as_float(0x3fb8aa3b)
#define LOWEST -116.0f
// 2^f = ((((POWER5 * f + POWER4) * f + POWER3) * f + POWER2) * f + POWER1) * f + 1
#define POWER5 0xaaddd.0p-29f
#define POWER4 0x9e75c.0p-26f
#define POWER3 0xe35d3.0p-24f
#define POWER2 0xf5fce.0p-22f
#define POWER1 0xb1721.0p-20f

// 2^y for y that is not positive.
static inline float power(float y)
{
    y = __builtin_fmaxf(y, LOWEST); // NaN becomes the lowest
    float n = __builtin_rintf(y), f = y - n;
    float p = ((((POWER5 * f + POWER4) * f + POWER3) * f + POWER2) * f + POWER1) * f + 1.0f;
    return as_float(as_bits(p) + ((int)n << 23)); // p * 2^n
}

struct decoder {
    const uint8_t *boxes;
    const struct decode_boxes_params *params;
    int size;           // log2 of an element's bytes
    float scale;        // of DFL, times log2(e)
    float side[4];      // written by decode_sides: left, top, right, bottom; for bins 0 cx, cy, w, h
    int known;          // how many weights there are so far
    float weights[256]; // for 8-bit numbers: 2^(-i * scale), of a bin that is i less than the largest
};

// `count` scores in place: raw becomes raw * scale or the sigmoid of that.
void decode_scores(float *scores, int count, float scale, int sigmoid);

void decode_sides(struct decoder *, int anchor);
