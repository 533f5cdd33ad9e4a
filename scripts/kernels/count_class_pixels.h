// A strip of the map, up to 256 columns, which count_class_pixels.c passes to count_class_pixels_rows.
#include "tensors.h"

struct strip { // helium/count_class_pixels-rows.s uses its offsets
    const uint8_t *map;
    int map_step;
    const int32_t *rows;
    int map_rows, columns, class_id;
    uint16_t widths[256];
};

int count_class_pixels_rows(struct strip *);
