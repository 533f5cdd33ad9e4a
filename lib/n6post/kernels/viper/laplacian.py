"""The Laplacian of the pixels of a picture, for `sharpness`: viper compiles these loops to machine code.

_viper/laplacian.py is the same source in plain Python, without viper's own syntax. scripts/dev/generate.py writes it.
"""

import micropython


@micropython.viper
def laplacian(pixels: ptr8, params: ptr32, high: ptr16, low: ptr16, out: ptr32):
    """Add up the Laplacian of pixels in a grid, and its squares.

    pixels  a picture, RGB565 or GRAYSCALE
    params  array('i'): 0 the first byte of the first pixel, 1 bytes from row to row of the picture, 2 and 3 columns and rows
            of the grid, 4 bytes from column to column of it, 5 bytes from row to row of it, 6 bytes of a pixel (2: RGB565)
    high    array('H') of 256: 128 times what the high byte of a pixel of RGB565 adds to its gray value; not read otherwise
    low     likewise, of the low byte
    out     array('i') of 3, written: the sum, and the sum of the squares, its high word and the last 20 bits. The columns
            are at most 1024, so that the squares of a row have 32 bits
    """
    row = params[1]
    out[0] = 0
    out[1] = 0
    out[2] = 0
    rows = params[3]
    start = params[0]
    while rows > 0:
        at = start
        end = at + params[2] * params[4]
        total = 0
        squares = 0
        while at < end:
            if params[6] == 1:
                d = pixels[at - 1] + pixels[at + 1] + pixels[at - row] + pixels[at + row] - (pixels[at] << 2)
            else:
                d = ((high[pixels[at - 1]] + low[pixels[at - 2]]) >> 7) + ((high[pixels[at + 3]] + low[pixels[at + 2]]) >> 7)
                other = at - row
                d += (high[pixels[other + 1]] + low[pixels[other]]) >> 7
                other = at + row
                d += (high[pixels[other + 1]] + low[pixels[other]]) >> 7
                d -= ((high[pixels[at + 1]] + low[pixels[at]]) >> 7) << 2
            total += d
            squares += d * d
            at += params[4]
        out[0] += total
        squares += out[2]
        out[1] += squares >> 20
        out[2] = squares & 0xFFFFF
        start += params[5]
        rows -= 1
