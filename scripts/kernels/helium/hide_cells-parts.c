// gcc: -O2
// The parts of hide_cells.c with eight RGB565 pixels at once, or sixteen GRAYSCALE ones.
#include <arm_mve.h>
#include "hide_cells.h"

void hide_sums(const struct area *area, struct sums *sums)
{
    const uint8_t *row = area->at;
    uint32_t red = 0, green = 0, blue = 0;
    for (int y = area->height; y > 0; y--, row += area->stride) {
        if (area->depth == 1) {
            for (int left = area->width, x = 0; left > 0; left -= 16, x += 16)
                blue = vaddvaq_u8(blue, vldrbq_z_u8(row + x, vctp8q(left)));
            continue;
        }
        const uint16_t *pixels = (const uint16_t *)row;
        for (int left = area->width; left > 0; left -= 8, pixels += 8) {
            uint16x8_t value = vldrhq_z_u16(pixels, vctp16q(left)); // 0 beyond the end
            red = vaddvaq_u16(red, vshrq_n_u16(value, 11));
            green = vaddvaq_u16(green, vandq_u16(vshrq_n_u16(value, 5), vdupq_n_u16(63)));
            blue = vaddvaq_u16(blue, vandq_u16(value, vdupq_n_u16(31)));
        }
    }
    sums->red = red;
    sums->green = green;
    sums->blue = blue;
}

void hide_fill(const struct area *area, int value)
{
    uint8x16_t paint = area->depth == 2 ? vreinterpretq_u8_u16(vdupq_n_u16(value)) : vdupq_n_u8(value);
    uint8_t *strip = area->at;
    for (int left = area->width * area->depth; left > 0; left -= 16, strip += 16) {
        uint8_t *at = strip;
        mve_pred16_t lanes = vctp8q(left);
        for (int n = area->height; n > 0; n--, at += area->stride)
            vstrbq_p_u8(at, paint, lanes);
    }
}
