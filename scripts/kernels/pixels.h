#pragma once
// The firmware's gray of an RGB565 color, by its eight-bit channels.
static inline int luma(int value)
{
    int r = value >> 11, g = value >> 5 & 63, b = value & 31;
    return (38 * (r << 3 | r >> 2) + 75 * (g << 2 | g >> 4) + 15 * (b << 3 | b >> 2)) >> 7;
}
