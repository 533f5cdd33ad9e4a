// Some rows of the memory that nearest.c passes to nearest_tile, with the vectors of one row of their grid.
#include "tensors.h"

struct tile { // helium/nearest-tile.s uses its offsets
    int channels, vectors;
    const int8_t *features;
    int32_t *out;          // the distances less the squares of the vector: what |row|^2 - 2 (vector . row) must be below
    int apart;             // bytes from a distance to its row
    uint32_t place, step;  // of the first vector, x in the lower half; and from one to the next
    int first;             // number of the first row
    uint32_t odd;          // bits of rows whose |row|^2 is odd
    const struct group *end;
    struct group {
        int32_t start[3]; // -(|row|^2 >> 1)
        const int8_t *rows[3];
        uint32_t places[3];
    } groups[10];
};

void nearest_tile(struct tile *);
