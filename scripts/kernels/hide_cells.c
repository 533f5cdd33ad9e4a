// gcc: -O2
// Make cells of a frame unrecognizable. hide_cells(frame, params, cells, means); see portable/hide.py.
#include "hide_cells.h"
#include "params.h"
#include "pixels.h"

enum { PIXELATE, BLUR, FILL };

static inline int smaller(int a, int b) { return a < b ? a : b; }
static inline int larger(int a, int b) { return a > b ? a : b; }

static __attribute__((noinline)) int mean(const struct area *area)
{
    struct sums sums;
    uint32_t count = area->width * area->height;
    hide_sums(area, &sums);
    int blue = (2 * sums.blue + count) / (2 * count);
    if (area->depth == 1)
        return blue;
    return (2 * sums.red + count) / (2 * count) << 11 | (2 * sums.green + count) / (2 * count) << 5 | blue;
}

struct corners {
    int value[4]; // above left, above right, below left, below right
    int right, below, size; // the weights of the first pixel, of 2 * size
};

static __attribute__((noinline)) void interpolate(const struct area *area, const struct corners *corners)
{
    int whole = 2 * corners->size, unit = whole * whole;
    const int *value = corners->value;
    uint8_t *row = area->at;
    for (int y = 0; y < area->height; y++, row += area->stride) {
        int below = corners->below + 2 * y, above = whole - below;
        int left[3], right[3];
        for (int i = 0; i < 3; i++) {
            int shift = i == 0 ? 0 : i == 1 ? 5 : 11, bits = area->depth == 1 ? 255 : i == 1 ? 63 : 31;
            left[i] = (value[0] >> shift & bits) * above + (value[2] >> shift & bits) * below;
            right[i] = (value[1] >> shift & bits) * above + (value[3] >> shift & bits) * below;
        }
        int weight = corners->right;
        for (int x = 0; x < area->width; x++, weight += 2) {
            int rest = whole - weight;
            int low = (uint32_t)(left[0] * rest + right[0] * weight + unit / 2) / unit;
            if (area->depth == 1) {
                row[x] = low;
                continue;
            }
            int green = (uint32_t)(left[1] * rest + right[1] * weight + unit / 2) / unit;
            int red = (uint32_t)(left[2] * rest + right[2] * weight + unit / 2) / unit;
            ((uint16_t *)row)[x] = red << 11 | green << 5 | low;
        }
    }
}

int hide_cells(uint8_t *frame, const struct hide_cells_params *params, const uint8_t *cells, uint16_t *means)
{
    int columns = params->columns, rows = params->rows, size = params->size, how = params->how, half = size / 2;
    int color = params->depth == 1 ? luma(params->color) : params->color;
    struct area area;
    area.depth = params->depth;
    area.stride = params->frame_width * area.depth;
    for (int pass = how == FILL; pass < 2; pass++)
        for (int row = 0; row < rows; row++)
            for (int column = 0; column < columns; column++) {
                int at = row * columns + column;
                if (!cells[at] && (pass == 1 || how != BLUR))
                    continue;
                int x = (params->left + column) * size, y = (params->top + row) * size;
                int width = smaller(size, params->frame_width - x), height = smaller(size, params->frame_height - y);
                area.at = frame + y * area.stride + x * area.depth;
                area.width = width;
                area.height = height;
                if (pass == 0) {
                    means[at] = mean(&area);
                    continue;
                }
                if (how == FILL) // the marked cells that follow, too
                    for (; column + 1 < columns && cells[at + 1]; at++, column++)
                        area.width = smaller(area.width + size, params->frame_width - x);
                if (how != BLUR) {
                    hide_fill(&area, how == FILL ? color : means[at]);
                    continue;
                }
                for (int quarter = 0; quarter < 4; quarter++) {
                    int lower = quarter >> 1, later = quarter & 1;
                    int x0 = later ? smaller(half, width) : 0, x1 = later ? width : smaller(half, width);
                    int y0 = lower ? smaller(half, height) : 0, y1 = lower ? height : smaller(half, height);
                    if (x0 >= x1 || y0 >= y1)
                        continue;
                    struct corners corners;
                    int above = larger(row - 1 + lower, 0), below = smaller(row + lower, rows - 1);
                    int before = larger(column - 1 + later, 0), after = smaller(column + later, columns - 1);
                    corners.value[0] = means[above * columns + before];
                    corners.value[1] = means[above * columns + after];
                    corners.value[2] = means[below * columns + before];
                    corners.value[3] = means[below * columns + after];
                    corners.right = 2 * x0 + 1 + (later ? -size : size);
                    corners.below = 2 * y0 + 1 + (lower ? -size : size);
                    corners.size = size;
                    area.at = frame + (y + y0) * area.stride + (x + x0) * area.depth;
                    area.width = x1 - x0;
                    area.height = y1 - y0;
                    interpolate(&area, &corners);
                }
            }
    return 0;
}
