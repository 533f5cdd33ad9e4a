// The parts of class_bands.c that differ by core: a row of the map, and what follows from all rows of a band.
#include "tensors.h"

struct map_row { // helium/class_bands-row.s uses its offsets
    const uint8_t *classes;
    int class_id;
    uint16_t *rows; // for each column of the map: frame rows of the class
    int high, columns; // high: frame rows of this row of the map
};

// Add the frame rows of a row of the map to those of the columns of the class.
void class_bands_row(const struct map_row *);

struct band {
    uint16_t *rows;
    const int32_t *edges;
    int columns;
    int pixels, left, right; // right: behind the last column
    uint64_t moment;
};

// Add up the columns, and set their frame rows to 0.
void class_bands_sum(struct band *);
