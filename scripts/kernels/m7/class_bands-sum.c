// gcc: -O2
// Column by column.
#include "class_bands.h"

void class_bands_sum(struct band *band)
{
    const int32_t *edges = band->edges;
    uint32_t pixels = 0;
    int first = -1, last = 0;
    uint64_t moment = 0;
    for (int column = 0; column < band->columns; column++) {
        uint32_t start = edges[column], end = edges[column + 1], count = band->rows[column] * (end - start);
        band->rows[column] = 0;
        if (!count)
            continue;
        pixels += count;
        moment += (uint64_t)count * (start + end);
        if (first < 0)
            first = start;
        last = end;
    }
    band->pixels = pixels, band->left = first, band->right = last, band->moment = moment;
}
