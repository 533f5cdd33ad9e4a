// A strip of the frame, up to 256 columns, and the mask under it, which tint_mask.c passes to the functions of tint_mask-rows.
#include "tensors.h"

struct strip { // helium/tint_mask-rows.s uses its offsets
    uint8_t *frame;
    int frame_step;
    const uint8_t *mask;
    int mask_step, below, last, span, at, step, rows, columns, keep, red, green, blue;
    uint8_t pixels[256], fx[256], v[260];
};

void rows_rgb565(struct strip *);
void rows_gray(struct strip *);
