// gcc: -O2
#include "suppress_masks.h"

const struct row *suppress_masks_next(const struct crop *crop, const struct row *at, const struct row *end)
{
    for (; at < end; at++) {
        if (at->class_id != crop->class_id && !crop->any_class)
            continue;
        int w = smaller(at->crop_x1, crop->x1) - larger(at->crop_x0, crop->x0);
        if (w <= 0)
            continue;
        int h = smaller(at->crop_y1, crop->y1) - larger(at->crop_y0, crop->y0);
        if (h > 0 && w * h > crop->least)
            return at;
    }
    return end;
}
