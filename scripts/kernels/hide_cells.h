// The parts of hide_cells.c that differ by core, in hide_cells-parts.c.
#include <stdint.h>

struct area {
    uint8_t *at; // its first pixel
    int stride, depth, width, height; // stride: bytes from row to row; width and height: pixels, 1 to 64; hide_fill: 1 or more wide
};

struct sums {
    uint32_t red, green, blue; // of the channels; blue: of a GRAYSCALE frame
};

void hide_sums(const struct area *, struct sums *);
void hide_fill(const struct area *, int value);
