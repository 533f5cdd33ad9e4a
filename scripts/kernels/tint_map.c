// Blend each class's colour of a class map into the frame pixels where its columns and rows lie. tint_map(frame, classes,
// plan, palette); see portable_drawing.py.
//
// In words: a strip of frame columns at a time, the map's column of each; then tint_map_rows runs down the map's rows.
#include "tint_map.h"

int tint_map(uint8_t *frame, const uint8_t *classes, const struct tint_map_plan *plan, const uint8_t *palette)
{
    struct strip s;
    const int32_t *columns = plan->edges + 1; // behind their number
    int width = plan->width, depth = plan->depth;
    int right = columns[width] < plan->frame_width ? columns[width] : plan->frame_width;
    s.frame_step = plan->frame_width * depth;
    s.map = classes;
    s.map_step = width;
    s.rows = columns + width + 1;
    s.bottom = plan->frame_height;
    s.colors = palette;
    s.alphas = palette + 512;
    for (int x = columns[0], column = 0; x < right;) {
        s.frame = frame + x * depth;
        s.map_rows = plan->height;
        s.columns = right - x < 256 ? right - x : 256;
        for (int n = 0; n < s.columns; n++, x++) {
            while (columns[column + 1] <= x)
                column++;
            s.places[n] = column;
        }
        if (depth == 2)
            rows_rgb565(&s);
        else
            rows_gray(&s);
    }
    return 0;
}
