// What box.c leaves to box_parts: a filled rectangle, and eight columns of a character.
#include <stdint.h>

struct area {
    uint8_t *at; // the left top pixel
    int stride, depth, width, rows, color; // in pixels, but stride: bytes from row to row; there is a pixel
};

void box_fill(const struct area *);

struct cell {
    uint8_t *at; // the left end of the first row that is written, as if all eight columns were in the frame
    const uint8_t *glyph;
    int stride, depth, ink, scale, part; // part: 0, of a scale of 2 also 1, the right half
    int y0, y1, x0, x1; // rows and columns in the frame, half open
};

void box_cell(const struct cell *);
