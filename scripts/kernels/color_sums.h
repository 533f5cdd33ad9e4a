// A block of the frame's pixels, which color_sums.c passes to color_sums_block, and what that adds to.
#include "tensors.h"

struct block { // helium/color_sums-block.s uses its offsets
    const void *at;
    int stride, rows, pixels; // stride: bytes from row to row; rows and pixels (of a row): 1 or more
    // r, g and b in eight bits; of GRAYSCALE only r is used.
    struct channel {
        uint32_t sum, least, squares, largest;
    } channels[3];
    int depth;
};

void color_sums_block(struct block *);
