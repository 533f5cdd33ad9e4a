// Mark the cells that a mask may tint. mark_cells(mask, params, cells); see portable/hide.py.
#include <stdint.h>
#include "params.h"

static inline int larger(int a, int b) { return a > b ? a : b; }
static inline int smaller(int a, int b) { return a < b ? a : b; }

int mark_cells(const uint8_t *mask, const struct mark_cells_params *params, uint8_t *cells)
{
    int width = params->width, height = params->height, size = params->size, columns = params->columns;
    int left = params->left, top = params->top;
    int x0 = larger(params->x0, left * size), x1 = smaller(params->x1, (left + columns) * size);
    int y0 = larger(params->y0, top * size), y1 = smaller(params->y1, (top + params->rows) * size);
    for (int at = 0; at < columns * params->rows; at++)
        cells[at] = 0;
    if (x0 >= x1 || y0 >= y1)
        return 0;
    for (int row = 0; row < height; row++, mask += width) {
        int first = y0, last = y1;
        if (row > 0)
            first = larger(y0, params->y + ((2 * row - 1) * params->y_step >> 16) - params->margin_y - 1);
        if (row < height - 1)
            last = smaller(y1, params->y + ((2 * row + 3) * params->y_step >> 16) + params->margin_y + 2);
        if (first >= last)
            continue;
        first = first / size - top;
        last = (last - 1) / size - top;
        for (int column = 0; column < width;) {
            if (mask[column] < 128) {
                column++;
                continue;
            }
            int begin = x0, end = x1;
            if (column > 0)
                begin = larger(x0, params->x + ((2 * column - 1) * params->x_step >> 16) - params->margin_x - 1);
            while (column < width && mask[column] >= 128)
                column++;
            if (column < width)
                end = smaller(x1, params->x + ((2 * column + 1) * params->x_step >> 16) + params->margin_x + 2);
            if (begin >= end)
                continue;
            begin = begin / size - left;
            end = (end - 1) / size - left;
            for (int line = first; line <= last; line++)
                for (int cell = begin; cell <= end; cell++)
                    cells[line * columns + cell] = 1;
        }
    }
    return 0;
}
