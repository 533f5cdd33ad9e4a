// Rows whose masks lie inside better ones'. dedupe(plan, table, data); see portable_boxes.py.
#include "tensors.h"

struct box { int x0, y0, x1, y1; };

static inline const uint8_t *pixel(const struct row *row, const uint8_t *data, int x, int y)
{
    return data + row->start + (y - row->window_y) * row->window_w + x - row->window_x;
}

// How many pixels of a box are inside of both masks; sixteen at a time, those beyond the end read as 0.
static int count(const struct row *a, const struct row *b, const uint8_t *data, struct box box)
{
    uint32_t total = 0;
    for (int y = box.y0; y < box.y1; y++) {
        const uint8_t *first = pixel(a, data, box.x0, y), *second = pixel(b, data, box.x0, y);
        for (int left = box.x1 - box.x0; left > 0; left -= 16, first += 16, second += 16) {
            mve_pred16_t lanes = vctp8q(left);
            uint8x16_t both = vandq_u8(vldrbq_z_u8(first, lanes), vldrbq_z_u8(second, lanes));
            total = vaddvaq_u8(total, vshrq_n_u8(both, 7));
        }
    }
    return total;
}

int dedupe(const struct dedupe_plan *plan, struct row *table, const uint8_t *data)
{
    int kept = 0, part = plan->part;
    for (const struct row *row = table, *end = table + plan->rows; row < end; row++) {
        int own = 0;
        const struct row *better = table, *stay = table + kept;
        for (; better < stay; better++) {
            if (row->class_id != better->class_id && !plan->agnostic)
                continue;
            struct box box = {
                larger(row->crop_x0, better->crop_x0), larger(row->crop_y0, better->crop_y0),
                smaller(row->crop_x1, better->crop_x1), smaller(row->crop_y1, better->crop_y1),
            };
            if (box.x1 <= box.x0 || box.y1 <= box.y0)
                continue;
            if (!own)
                own = count(row, row, data, (struct box){ row->crop_x0, row->crop_y0, row->crop_x1, row->crop_y1 });
            // The whole box inside would be too little.
            if ((box.x1 - box.x0) * (box.y1 - box.y0) * 1024 <= own * part)
                continue;
            if (count(row, better, data, box) * 1024 > own * part)
                break;
        }
        if (better < stay)
            continue;
        const int32_t *from = (const int32_t *)row;
        int32_t *to = (int32_t *)stay;
        for (int at = 0; at < 16; at += 4)
            vst1q_s32(to + at, vld1q_s32(from + at));
        kept++;
    }
    return kept;
}
