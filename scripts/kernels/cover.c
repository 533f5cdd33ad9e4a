// How many frame pixels have a class of a map. cover(classes, plan); see portable_drawing.py.
//
// In words: a strip of the map's columns at a time, the frame columns of each; then cover_rows runs down the map's rows
// and adds up those of the class, times the frame rows.
#include "cover.h"

int cover(const uint8_t *classes, const struct tint_map_plan *plan)
{
    struct strip s;
    const int32_t *columns = plan->edges + 1; // behind their number
    int width = plan->width, pixels = 0;
    s.map_step = width;
    s.rows = columns + width + 1;
    s.map_rows = plan->height;
    s.class_id = plan->class_id;
    for (int column = 0; column < width;) {
        s.map = classes + column;
        s.columns = width - column < 256 ? width - column : 256;
        for (int n = 0; n < s.columns; n++, column++)
            s.widths[n] = columns[column + 1] - columns[column];
        pixels += cover_rows(&s);
    }
    return pixels;
}
