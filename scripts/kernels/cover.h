// A strip of the map, up to 256 columns: what cover.c hands to cover_rows.
#include "tensors.h"

struct strip { // known to helium/cover_rows.s by its offsets
    const uint8_t *map;
    int map_step;
    const int32_t *rows;
    int map_rows, columns, class_id;
    uint16_t widths[256];
};

int cover_rows(struct strip *);
