// gcc: -O2
// Counts four pixels at once.
#include "suppress_masks.h"
#include "words.h"

int suppress_masks_count(const struct both *box)
{
    uint32_t total = 0;
    const uint8_t *first = box->first, *second = box->second;
    for (int y = box->height; y > 0; y--, first += box->first_step, second += box->second_step) {
        int x = 0;
        for (; x + 4 <= box->width; x += 4)
            total = __usada8(four(first + x) >> 7 & four(second + x) >> 7 & 0x01010101, 0, total);
        for (; x < box->width; x++)
            total += (first[x] & second[x]) >> 7;
    }
    return total;
}
