// gcc: -O2
// Pixel by pixel.
#include "color_sums.h"

static inline void add(struct channel *c, uint32_t value)
{
    c->sum += value;
    c->squares += value * value;
    c->least = value < c->least ? value : c->least;
    c->largest = value > c->largest ? value : c->largest;
}

void color_sums_block(struct block *block)
{
    struct channel r = block->channels[0], g = block->channels[1], b = block->channels[2];
    const uint8_t *start = block->at;
    for (int rows = block->rows; rows > 0; rows--, start += block->stride) {
        if (block->depth == 2) {
            const uint16_t *at = (const uint16_t *)start;
            for (int left = block->pixels; left > 0; left--) {
                uint32_t pixel = *at++, red = pixel >> 11, green = pixel >> 5 & 63, blue = pixel & 31;
                add(&r, red << 3 | red >> 2);
                add(&g, green << 2 | green >> 4);
                add(&b, blue << 3 | blue >> 2);
            }
        } else {
            const uint8_t *at = start;
            for (int left = block->pixels; left > 0; left--)
                add(&r, *at++);
        }
    }
    block->channels[0] = r, block->channels[1] = g, block->channels[2] = b;
}
