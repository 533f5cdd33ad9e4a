// Drop detections whose mask is empty, or lies mostly inside the mask of a better one. suppress_masks(params, table, data);
// see portable/boxes.py.
#include "suppress_masks.h"

enum { BANDS = 64 };

static int count(const struct row *a, const struct row *b, const uint8_t *data, int x0, int y0, int x1, int y1)
{
    struct both both = {
        data + a->start + (y0 - a->window_y) * a->window_w + x0 - a->window_x,
        data + b->start + (y0 - b->window_y) * b->window_w + x0 - b->window_x,
        a->window_w, b->window_w, x1 - x0, y1 - y0,
    };
    return suppress_masks_count(&both);
}

// The column or row of a mask that a frame pixel is in.
static int mask_pixel(int pixel, int a, int b)
{
    return (int)__builtin_floorf(pixel * as_float(a) + as_float(b));
}

// Whether none of a mask's pixels is inside in the columns and rows of its frame pixels.
static int is_empty(const struct suppress_masks_params *to, const struct row *row, const uint8_t *data)
{
    // Most objects are seen in the middle of their box.
    int x = mask_pixel(row->x + (row->w >> 1), to->ax, to->bx), y = mask_pixel(row->y + (row->h >> 1), to->ay, to->by);
    if (x >= row->crop_x0 && x < row->crop_x1 && y >= row->crop_y0 && y < row->crop_y1
        && data[row->start + (y - row->window_y) * row->window_w + x - row->window_x] >= 128)
        return 0;
    int left = larger(0, row->x - to->margin_x), right = smaller(to->width, row->x + row->w + to->margin_x);
    int top = larger(0, row->y - to->margin_y), bottom = smaller(to->height, row->y + row->h + to->margin_y);
    int x0 = larger(row->crop_x0, mask_pixel(left, to->ax, to->bx));
    int y0 = larger(row->crop_y0, mask_pixel(top, to->ay, to->by));
    int x1 = smaller(row->crop_x1, mask_pixel(right - 1, to->ax, to->bx) + 1);
    int y1 = smaller(row->crop_y1, mask_pixel(bottom - 1, to->ay, to->by) + 1);
    if (x1 <= x0 || y1 <= y0)
        return 1;
    y = (y0 + y1) / 2; // or in its middle row
    return !count(row, row, data, x0, y, x1, y + 1) && !count(row, row, data, x0, y0, x1, y1);
}

// A mask's pixels inside, from the top of each band of its rows to the bottom.
struct bands {
    int rows; // of a band
    int32_t from[BANDS + 1];
};

static int count_bands(const struct row *row, const uint8_t *data, struct bands *bands)
{
    int height = row->crop_y1 - row->crop_y0;
    int rows = larger(16, (height + BANDS - 1) / BANDS), n = (height + rows - 1) / rows;
    bands->rows = rows;
    bands->from[n] = 0;
    while (n-- > 0) {
        int y = row->crop_y0 + n * rows;
        bands->from[n] = bands->from[n + 1]
            + count(row, row, data, row->crop_x0, y, row->crop_x1, smaller(y + rows, row->crop_y1));
    }
    return bands->from[0];
}

// Whether more than `most` pixels of a mask are inside a better one too. It stops as soon as that is certain: when there are
// more, or when all pixels in the bands that are left would not be enough.
static int has_more(const struct row *row, const struct row *better, const uint8_t *data, const struct bands *bands, int most)
{
    int x0 = larger(row->crop_x0, better->crop_x0), y0 = larger(row->crop_y0, better->crop_y0);
    int x1 = smaller(row->crop_x1, better->crop_x1), y1 = smaller(row->crop_y1, better->crop_y1);
    int both = 0, rows = bands->rows, at = (y0 - row->crop_y0) / rows;
    int below = bands->from[(y1 - row->crop_y0 + rows - 1) / rows];
    for (; y0 < y1; at++) {
        if (both + bands->from[at] - below <= most)
            return 0;
        int next = smaller(row->crop_y0 + (at + 1) * rows, y1);
        both += count(row, better, data, x0, y0, x1, next);
        if (both > most)
            return 1;
        y0 = next;
    }
    return 0;
}

int suppress_masks(const struct suppress_masks_params *params, struct row *table, const uint8_t *data)
{
    int kept = 0, part = params->part;
    for (const struct row *row = table, *end = table + params->rows; row < end; row++) {
        if (is_empty(params, row, data))
            continue;
        struct crop crop = {
            params->class_agnostic, row->class_id, row->crop_x0, row->crop_y0, row->crop_x1, row->crop_y1, 0,
        };
        struct bands bands;
        int counted = 0;
        const struct row *stay = table + kept, *better = part < 1024 ? table : stay;
        for (; (better = suppress_masks_next(&crop, better, stay)) < stay; better++) {
            if (!counted) {
                counted = 1;
                // So many pixels may be inside a better mask too. If all that two crops have in common are not more, the
                // masks need no comparison.
                crop.least = count_bands(row, data, &bands) * part >> 10;
                better--; // once more, with this number
                continue;
            }
            if (has_more(row, better, data, &bands, crop.least))
                break;
        }
        if (better < stay)
            continue;
        kept++;
        if (row == stay)
            continue;
        const int32_t *from = (const int32_t *)row;
        int32_t *to = (int32_t *)stay;
        for (int at = 0; at < 16; at++)
            to[at] = from[at];
    }
    return kept;
}
