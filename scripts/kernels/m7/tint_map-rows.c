// gcc: -O2
// The blend of draw_image: d + ((s - d) * a >> 5) for each of r, g, b. Alpha has 33 levels on RGB565, 257 on gray.
#include "pixels.h"
#include "tint_map.h"

static inline __attribute__((always_inline)) void rows(const struct strip *s, int gray)
{
    const uint16_t *colors = (const uint16_t *)s->colors;
    const uint8_t *map = s->map;
    int depth = gray ? 1 : 2;
    for (int row = 0; row < s->map_rows; row++, map += s->map_step) {
        int bottom = smaller(s->rows[row + 1], s->bottom);
        for (int y = s->rows[row]; y < bottom; y++) {
            uint8_t *at = s->frame + y * s->frame_step;
            for (int x = 0; x < s->columns; x++, at += depth) {
                int class_id = map[s->map_columns[x]], alpha = s->alphas[class_id];
                if (!alpha)
                    continue;
                int color = colors[class_id];
                if (gray) {
                    alpha += alpha >> 7;
                    *at = (luma(color) * alpha + *at * (256 - alpha)) >> 8;
                    continue;
                }
                alpha = (alpha * 32 + 127) / 255;
                uint16_t *pixel = (uint16_t *)at;
                int old = *pixel;
                int r = (old >> 11) + (((color >> 11) - (old >> 11)) * alpha >> 5);
                int g = (old >> 5 & 63) + (((color >> 5 & 63) - (old >> 5 & 63)) * alpha >> 5);
                int b = (old & 31) + (((color & 31) - (old & 31)) * alpha >> 5);
                *pixel = r << 11 | g << 5 | b;
            }
        }
    }
}

void rows_rgb565(struct strip *s)
{
    rows(s, 0);
}

void rows_gray(struct strip *s)
{
    rows(s, 1);
}
