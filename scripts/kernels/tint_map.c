// Blend the colors of a class map into the frame. tint_map(frame, classes, params, palette); see portable/drawing.py.
//
// The frame is taken in strips of columns. Here the map's column is looked up for each of them; then rows_rgb565 or rows_gray
// runs down the map's rows.
#include "tint_map.h"

int tint_map(uint8_t *frame, const uint8_t *classes, const struct tint_map_params *params, const uint8_t *palette)
{
    struct strip s;
    const int32_t *columns = params->edges + 1; // behind their number
    int width = params->width, depth = params->depth;
    int right = columns[width] < params->frame_width ? columns[width] : params->frame_width;
    s.frame_step = params->frame_width * depth;
    s.map = classes;
    s.map_step = width;
    s.rows = columns + width + 1;
    s.bottom = params->frame_height;
    s.colors = palette;
    s.alphas = palette + 512;
    for (int x = columns[0], column = 0; x < right;) {
        s.frame = frame + x * depth;
        s.map_rows = params->height;
        s.columns = right - x < 256 ? right - x : 256;
        for (int n = 0; n < s.columns; n++, x++) {
            while (columns[column + 1] <= x)
                column++;
            s.map_columns[n] = column;
        }
        if (depth == 2)
            rows_rgb565(&s);
        else
            rows_gray(&s);
    }
    return 0;
}
