#pragma once
// A strip of the frame, up to 256 columns, and the mask under it, which tint_mask.c passes to the functions of tint_mask-rows.
#include "tensors.h"

#if __ARM_FEATURE_MVE
enum { MOST_PIXELS = 31 }; // of the mask: a bit of a word for each, and for the right neighbor of the last
#else
enum { MOST_PIXELS = 255 };
#endif

struct strip {
    uint8_t *frame;
    int frame_step;
    const uint8_t *mask;
    int mask_step, below, last, span, at, step, rows, columns, keep, red, green, blue, color;
    uint8_t pixels[256], fx[256]; // of a column: the mask pixel at its left, and how far it is from that
    uint8_t v[260]; // in m7: a row
    uint16_t starts[32]; // in helium, of a mask pixel: the first column that has it or one behind it at its left; `columns`
};

static inline int steps_to(int distance, int step) // rounded up; a step may be 0
{
    return (distance + step - (step > 0)) / (step + !step);
}

// Sets these for the columns from mask position `at` on, 16.16, at most that of the last pixel, `top`. fraction: 0: fx is 0.
void strip_columns(struct strip *, int at, int step, int top, int fraction);
void rows_rgb565(struct strip *);
void rows_gray(struct strip *);
