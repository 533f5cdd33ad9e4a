// gcc: -O2
// The parts of box.c pixel by pixel.
#include "box.h"

static inline void put(uint8_t *row, int x, int depth, int color)
{
    if (depth == 2)
        ((uint16_t *)row)[x] = color;
    else
        row[x] = color;
}

void box_fill(const struct area *area)
{
    uint8_t *at = area->at;
    for (int n = area->rows; n > 0; n--, at += area->stride)
        for (int x = 0; x < area->width; x++)
            put(at, x, area->depth, area->color);
}

void box_cell(const struct cell *cell)
{
    uint8_t *at = cell->at;
    for (int row = cell->y0; row < cell->y1; row++, at += cell->stride) {
        const uint8_t *glyph = cell->glyph + 8 * (row * cell->inverse >> 8);
        for (int x = cell->x0; x < cell->x1; x++)
            if (glyph[(x + 8 * cell->part) * cell->inverse >> 8])
                put(at, x, cell->depth, cell->ink);
    }
}
