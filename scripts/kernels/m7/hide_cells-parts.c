// gcc: -O2
// The parts of hide_cells.c pixel by pixel.
#include "hide_cells.h"

void hide_sums(const struct area *area, struct sums *sums)
{
    const uint8_t *row = area->at;
    int width = area->width;
    uint32_t red = 0, green = 0, blue = 0;
    for (int y = area->height; y > 0; y--, row += area->stride) {
        if (area->depth == 1) {
            for (int x = 0; x < width; x++)
                blue += row[x];
            continue;
        }
        const uint16_t *pixels = (const uint16_t *)row;
        uint32_t greens = 0, others = 0; // others: blue in the low 11 bits, which hold 66 pixels; red above them
        for (int x = 0; x < width; x++) {
            uint32_t value = pixels[x];
            greens += value & 0x07E0;
            others += value & 0xF81F;
        }
        green += greens >> 5;
        blue += others & 0x7FF;
        red += others >> 11;
    }
    sums->red = red;
    sums->green = green;
    sums->blue = blue;
}

void hide_fill(const struct area *area, int value)
{
    uint8_t *row = area->at;
    int width = area->width;
    for (int y = area->height; y > 0; y--, row += area->stride) {
        if (area->depth == 1)
            for (int x = 0; x < width; x++)
                row[x] = value;
        else
            for (int x = 0; x < width; x++)
                ((uint16_t *)row)[x] = value;
    }
}
