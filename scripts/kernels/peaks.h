// The search for the joints' first maxima: what peaks.c asks of peaks_first.
#include "tensors.h"

// At most this many joints are done at once.
#define JOINTS 16

struct heat {
    const char *group; // the first joint's first pixel
    int pixels, joints, step, joint_step, dtype; // step: elements from pixel to pixel
};

// Where the joints' first maxima are, as elements from their first pixels. Returns for how many joints, 1 or more, it was done.
int peaks_first(const struct heat *, int *first);
