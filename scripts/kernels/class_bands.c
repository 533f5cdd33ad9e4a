// gcc: -O2
// What bands of the frame have of one class of a map. class_bands(classes, params, scratch, out); see portable/places.py.
//
// For each band class_bands_row counts the frame rows of the class in each column of the map. From these and the columns'
// edges class_bands_sum computes the band's words.
#include "center.h"
#include "class_bands.h"

enum { PIXELS, CENTER, LEFT, RIGHT, BAND }; // words of a band

int class_bands(const uint8_t *classes, const struct class_bands_params *params, uint16_t *scratch, int32_t *out)
{
    int width = params->width, height = params->height, total = 0;
    const int32_t *columns = params->edges + 1, *rows = columns + width + 1; // behind their number
    const int32_t *ends = rows + height + 1;
    struct map_row r = { classes, params->class_id, scratch, 0, width };
    struct band sum;
    sum.rows = scratch;
    sum.edges = columns;
    sum.columns = width;
    for (int band = 0, row = 0; band < params->bands; band++, out += BAND) {
        int top = ends[band], bottom = ends[band + 1];
        while (row > 0 && rows[row] > top) // a row of the map may be in two bands
            row--;
        for (; row < height && rows[row] < bottom; row++) {
            r.high = smaller(rows[row + 1], bottom) - larger(rows[row], top);
            r.classes = classes + row * width;
            if (r.high > 0)
                class_bands_row(&r);
        }
        class_bands_sum(&sum);
        out[PIXELS] = sum.pixels;
        out[CENTER] = sum.pixels ? center(sum.moment, sum.pixels) : -1;
        out[LEFT] = sum.pixels ? sum.left : -1;
        out[RIGHT] = sum.pixels ? sum.right - 1 : -1;
        total += sum.pixels;
    }
    return total;
}
