// gcc: -O2
// The rows of a strip of the class map, pixel by pixel.
#include "count_class_pixels.h"

int count_class_pixels_rows(struct strip *s)
{
    const uint8_t *map = s->map;
    int pixels = 0;
    for (int row = 0; row < s->map_rows; row++, map += s->map_step) {
        int high = s->rows[row + 1] - s->rows[row], wide = 0;
        if (!high)
            continue;
        for (int column = 0; column < s->columns; column++)
            if (map[column] == s->class_id)
                wide += s->widths[column];
        pixels += wide * high;
    }
    return pixels;
}
