// Drop detections whose mask is empty, or lies mostly inside the mask of a better one. suppress_masks(params, table, data);
// see portable_boxes.py.
#include "suppress_masks.h"

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

int suppress_masks(const struct suppress_masks_params *params, struct row *table, const uint8_t *data)
{
    int kept = 0, part = params->part;
    for (const struct row *row = table, *end = table + params->rows; row < end; row++) {
        if (is_empty(params, row, data))
            continue;
        int own = 0;
        const struct row *stay = table + kept, *better = part < 1024 ? table : stay;
        for (; better < stay; better++) {
            if (row->class_id != better->class_id && !params->class_agnostic)
                continue;
            int x0 = larger(row->crop_x0, better->crop_x0), y0 = larger(row->crop_y0, better->crop_y0);
            int x1 = smaller(row->crop_x1, better->crop_x1), y1 = smaller(row->crop_y1, better->crop_y1);
            if (x1 <= x0 || y1 <= y0)
                continue;
            if (!own)
                own = count(row, row, data, row->crop_x0, row->crop_y0, row->crop_x1, row->crop_y1);
            // Not enough even if the whole overlap of the boxes were inside both masks.
            if ((x1 - x0) * (y1 - y0) * 1024 <= own * part)
                continue;
            if (count(row, better, data, x0, y0, x1, y1) * 1024 > own * part)
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
