// A strip of the frame, up to 256 columns, and the mask under it: what tint_mask.c hands to tint_mask_rows.
#include "tensors.h"

struct strip { // known to helium/tint_mask_rows.s by its offsets
    uint8_t *frame;
    int frame_step;
    const uint8_t *mask;
    int mask_step, below, last, span, at, step, rows, columns, keep, red, green, blue;
    uint8_t pixels[256], fx[256], v[260];
};

void rows_rgb565(struct strip *);
void rows_gray(struct strip *);
