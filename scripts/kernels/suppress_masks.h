// The overlap of two masks' boxes, which suppress_masks.c passes to suppress_masks_count.
#include "tensors.h"

struct both {
    const uint8_t *first, *second; // the upper left pixels
    int first_step, second_step, width, height;
};

// The number of pixels that are inside both masks: the highest bit is set in both.
int suppress_masks_count(const struct both *);
