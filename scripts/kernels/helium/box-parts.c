// gcc: -O2
// A rectangle is filled in vertical strips of sixteen bytes, the last one predicated, because most edges of boxes are vertical
// and a few pixels wide. A character is drawn eight pixels at once: gathered from its glyph, and stored where they are set. At
// a scale of 1 a character that is in the frame as a whole, as most are, takes a row of its glyph as it is.
#include <arm_mve.h>
#include "box.h"

void box_fill(const struct area *area)
{
    uint8x16_t paint = area->depth == 2 ? vreinterpretq_u8_u16(vdupq_n_u16(area->color)) : vdupq_n_u8(area->color);
    uint8_t *strip = area->at;
    int stride = area->stride, rows = area->rows;
    for (int left = area->width * area->depth; left > 0; left -= 16, strip += 16) {
        uint8_t *at = strip;
        mve_pred16_t lanes = vctp8q(left);
        for (int n = rows; n > 0; n--, at += stride)
            vstrbq_p_u8(at, paint, lanes);
    }
}

static void whole_glyph(const struct cell *cell)
{
    uint16x8_t ink = vdupq_n_u16(cell->ink);
    const uint8_t *glyph = cell->glyph, *end = glyph + 80;
    uint8_t *at = cell->at;
    int stride = cell->stride;
    if (cell->depth == 2)
        for (; glyph < end; glyph += 8, at += stride)
            vstrhq_p_u16((uint16_t *)at, ink, vcmpneq_n_u16(vldrbq_u16(glyph), 0));
    else
        for (; glyph < end; glyph += 8, at += stride)
            vstrbq_p_u16(at, ink, vcmpneq_n_u16(vldrbq_u16(glyph), 0));
}

void box_cell(const struct cell *cell)
{
    int inverse = cell->inverse;
    if (inverse == 256 && !cell->y0 && cell->y1 == 10 && !cell->x0 && cell->x1 == 8) {
        whole_glyph(cell);
        return;
    }
    uint16x8_t lane = vidupq_n_u16(0, 1), ink = vdupq_n_u16(cell->ink);
    mve_pred16_t inside = vcmpcsq_n_u16(lane, cell->x0) & vctp16q(cell->x1);
    uint16x8_t column = vshrq_n_u16(vmulq_n_u16(vaddq_n_u16(lane, 8 * cell->part), inverse), 8);
    uint8_t *at = cell->at;
    for (int row = cell->y0; row < cell->y1; row++, at += cell->stride) {
        uint16x8_t set = vldrbq_gather_offset_u16(cell->glyph + 8 * (row * inverse >> 8), column);
        mve_pred16_t lanes = vcmpneq_n_u16(set, 0) & inside;
        if (cell->depth == 2)
            vstrhq_p_u16((uint16_t *)at, ink, lanes);
        else
            vstrbq_p_u16(at, ink, lanes);
    }
}
