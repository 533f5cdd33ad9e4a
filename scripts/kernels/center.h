#pragma once
#include <stdint.h>

// The mean of pixel centers, moment / (2 * pixels), rounded down, below 2^16: bit by bit, for there is no division of 64 bits.
static int center(uint64_t moment, uint32_t pixels)
{
    uint32_t found = 0;
    for (uint32_t bit = 1 << 15; bit; bit >>= 1)
        if (2ull * pixels * (found | bit) <= moment)
            found |= bit;
    return found;
}
