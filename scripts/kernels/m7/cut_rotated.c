// gcc: -O2
// Cut a rotated rectangle out of a picture, with bilinear interpolation. cut_rotated(target, params, source); see
// portable/crops.py.
#include <stdint.h>
#include "params.h"

// The three channels of an RGB565 pixel are spread over 32 bits with room above each, so that one product scales all of them.
#define SPREAD 0x07E0F81Fu
#define HALF 0x02008010u

static inline uint32_t spread(uint32_t pixel)
{
    return (pixel | pixel << 16) & SPREAD;
}

static inline uint32_t mixed(uint32_t a, uint32_t b, uint32_t share)
{
    return (a * (32 - share) + b * share + HALF) >> 5 & SPREAD;
}

static inline uint32_t mixed_gray(uint32_t a, uint32_t b, uint32_t share)
{
    return (a * (32 - share) + b * share + 16) >> 5;
}

static inline int limited(int a, int last)
{
    return a < 0 ? 0 : a > last ? last : a;
}

int cut_rotated(void *target, const struct cut_rotated_params *params, const void *source)
{
    int width = params->source_width, right = width - 1, bottom = params->source_height - 1;
    int xu = params->xu, yu = params->yu;
    int row_x = params->row_x, row_y = params->row_y;
    uint16_t *words = target;
    uint8_t *bytes = target;
    for (int v = params->height; v > 0; v--, row_x += params->xv, row_y += params->yv) {
        int x = row_x, y = row_y;
        for (int u = params->width; u > 0; u--, x += xu, y += yu) {
            int left = x >> 16, top = y >> 16;
            uint32_t across = x >> 11 & 31, down = y >> 11 & 31;
            int step = 1, stride = width;
            if ((unsigned)left >= (unsigned)right || (unsigned)top >= (unsigned)bottom) {
                step = limited(left + 1, right);
                left = limited(left, right);
                step -= left;
                stride = limited(top + 1, bottom);
                top = limited(top, bottom);
                stride = (stride - top) * width;
            }
            int at = top * width + left;
            if (params->depth == 2) {
                const uint16_t *p = (const uint16_t *)source + at;
                uint32_t upper = mixed(spread(p[0]), spread(p[step]), across);
                uint32_t lower = mixed(spread(p[stride]), spread(p[stride + step]), across);
                uint32_t pixel = mixed(upper, lower, down);
                *words++ = pixel | pixel >> 16;
            } else {
                const uint8_t *p = (const uint8_t *)source + at;
                uint32_t upper = mixed_gray(p[0], p[step], across);
                uint32_t lower = mixed_gray(p[stride], p[stride + step], across);
                *bytes++ = mixed_gray(upper, lower, down);
            }
        }
    }
    return 0;
}
