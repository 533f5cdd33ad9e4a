// Count the frame pixels of one class of a map. count_class_pixels(classes, params); see portable/drawing.py.
//
// The map is taken in strips of columns. Here the number of frame columns is computed for each column of the strip; then
// count_class_pixels_rows runs down the map's rows and sums those of the class, times the number of frame rows.
#include "count_class_pixels.h"

int count_class_pixels(const uint8_t *classes, const struct tint_map_params *params)
{
    struct strip s;
    const int32_t *columns = params->edges + 1; // behind their number
    int width = params->width, pixels = 0;
    s.map_step = width;
    s.rows = columns + width + 1;
    s.map_rows = params->height;
    s.class_id = params->class_id;
    for (int column = 0; column < width;) {
        s.map = classes + column;
        s.columns = width - column < 256 ? width - column : 256;
        for (int n = 0; n < s.columns; n++, column++)
            s.widths[n] = columns[column + 1] - columns[column];
        pixels += count_class_pixels_rows(&s);
    }
    return pixels;
}
