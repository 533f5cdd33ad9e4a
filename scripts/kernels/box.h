// The parts of box.c that differ by core, in box-parts.c: a filled rectangle, and eight columns of a character.
// Pixel n of a character is pixel n * inverse / 256 of its glyph; inverse is 256 / scale, rounded up: exact for all n to 80.
#include <stdint.h>

struct area {
    uint8_t *at; // the left top pixel
    int stride, depth, width, rows, color; // stride: bytes from row to row; width and rows: pixels, 1 or more
};

void box_fill(const struct area *);

struct cell {
    uint8_t *at; // the left end of the first row to write, as if all eight columns were in the frame
    const uint8_t *glyph;
    int stride, depth, ink, inverse, part; // part: how many times eight columns are left of these
    int y0, y1, x0, x1; // the cell's rows and columns that are in the frame, half open
};

void box_cell(const struct cell *);
