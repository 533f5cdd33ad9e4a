// Drop detections whose mask lies mostly inside the mask of a better one. suppress_masks(params, table, data); see
// portable_boxes.py.
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

int suppress_masks(const struct suppress_masks_params *params, struct row *table, const uint8_t *data)
{
    int kept = 0, part = params->part;
    for (const struct row *row = table, *end = table + params->rows; row < end; row++) {
        int own = 0;
        const struct row *better = table, *stay = table + kept;
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
        const int32_t *from = (const int32_t *)row;
        int32_t *to = (int32_t *)stay;
        for (int at = 0; at < 16; at++)
            to[at] = from[at];
        kept++;
    }
    return kept;
}
