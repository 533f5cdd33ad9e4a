// A strip of the frame, up to 256 columns, and the map under it, which tint_map.c passes to the functions of tint_map-rows.
#include "tensors.h"

struct strip { // helium/tint_map-rows.s uses its offsets
    uint8_t *frame;
    int frame_step;
    const uint8_t *map;
    int map_step;
    const int32_t *rows;
    int map_rows, bottom, columns;
    const uint8_t *colors, *alphas;
    uint16_t map_columns[256];
    uint8_t luma[256];
};

void rows_rgb565(struct strip *);
void rows_gray(struct strip *);
