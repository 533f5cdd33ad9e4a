// gcc: -O2
#include "cover.h"

int cover_rows(struct strip *s)
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
