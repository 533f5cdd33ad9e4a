// A box of two masks: what dedupe.c hands to dedupe_count.
#include "tensors.h"

struct both {
    const uint8_t *first, *second; // the left top pixels
    int first_step, second_step, width, height;
};

// How many pixels are inside of both, which is the highest bit of each.
int dedupe_count(const struct both *);
