// The search for the keypoints' first maxima, which peaks.c leaves to peaks_first.
#include "tensors.h"

// Maximum number of keypoints that are searched for at once.
#define KEYPOINTS 20

struct heat {
    const char *group; // the first keypoint's first pixel
    int pixels, keypoints, step, keypoint_step, dtype; // step: elements from pixel to pixel
};

// Writes the positions of the keypoints' first maxima, in elements from their first pixels. Returns for how many keypoints, 1
// or more, it has done so.
int peaks_first(const struct heat *, int *first);
