// The overlap of two masks' boxes, which suppress_masks.c passes to suppress_masks_count. It has a pixel, or more.
#include "tensors.h"

struct both { // helium/suppress_masks-count.s uses its offsets
    const uint8_t *first, *second; // the upper left pixels
    int first_step, second_step, width, height;
};

// The number of pixels that are inside both masks: the highest bit is set in both.
int suppress_masks_count(const struct both *);

// The crop of a mask that is compared with better ones: those of its class, or of any, with more than `least` pixels in both.
struct crop {
    int any_class, class_id, x0, y0, x1, y1, least;
};

// The first row from `at` to before `end` whose crop has more than `least` pixels in common with this one; `end` without one.
const struct row *suppress_masks_next(const struct crop *, const struct row *at, const struct row *end);
