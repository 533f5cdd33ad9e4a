// Draw a box's outline and the filled ground of its label in one color, and the label's text on the ground.
// box(frame, params, text, font); see portable/drawing.py.
#include "box.h"
#include "pixels.h"
#include "tensors.h"

static __attribute__((noinline)) void fill(uint8_t *frame, const struct box_params *params, int x0, int y0, int w, int h, int value)
{
    int x1 = smaller(x0 + w, params->frame_width), y1 = smaller(y0 + h, params->frame_height), depth = params->depth;
    x0 = larger(x0, 0);
    y0 = larger(y0, 0);
    if (x0 >= x1 || y0 >= y1)
        return;
    int stride = params->frame_width * depth;
    struct area area = { frame + y0 * stride + x0 * depth, stride, depth, x1 - x0, y1 - y0, value };
    box_fill(&area);
}

// Text as by the firmware's draw_string with mono_space=False: a character that the font lacks takes no space, and a line end
// begins a new line below.
static __attribute__((noinline)) void write(uint8_t *frame, const struct box_params *params, const uint8_t *text,
                                            const uint8_t *font)
{
    int width = params->frame_width, depth = params->depth, stride = width * depth;
    int s = params->scale, x = params->ground_x + s, y = params->ground_y;
    struct cell cell;
    cell.stride = stride;
    cell.depth = depth;
    cell.ink = depth == 2 ? params->ink : luma(params->ink);
    cell.inverse = (255 + s) / s;
    for (int last = 0, c; (c = *text); text++, last = c) {
        if (c == '\n' || c == '\r') {
            if (c == '\r' || last != '\r') {
                x = params->ground_x + s;
                y += 10 * s;
            }
            continue;
        }
        if (c < ' ' || c > '~')
            continue;
        int advance = (font[95 * 80 + c - ' '] - '0') * s; // the last s columns are the space to the next character
        cell.glyph = font + 80 * (c - ' ');
        cell.y0 = y < 0 ? -y : 0;
        cell.y1 = smaller(params->frame_height - y, 10 * s);
        cell.part = 0;
        for (int left = x; left < x + advance - s; left += 8, cell.part++) {
            if (left <= -8 || left >= width)
                continue;
            cell.x0 = left < 0 ? -left : 0;
            cell.x1 = smaller(width - left, 8);
            cell.at = frame + (y + cell.y0) * stride + left * depth;
            box_cell(&cell);
        }
        x += advance;
    }
}

int box(uint8_t *frame, const struct box_params *params, const uint8_t *text, const uint8_t *font)
{
    int value = params->depth == 1 ? luma(params->color) : params->color;
    int t = params->thickness;
    int tall = t < params->h ? t : params->h, wide = t < params->w ? t : params->w;
    if (t > 0) {
        fill(frame, params, params->x, params->y, params->w, tall, value);
        fill(frame, params, params->x, params->y + params->h - tall, params->w, tall, value);
        fill(frame, params, params->x, params->y, wide, params->h, value);
        fill(frame, params, params->x + params->w - wide, params->y, wide, params->h, value);
    }
    if (params->ground_w > 0) {
        fill(frame, params, params->ground_x, params->ground_y, params->ground_w, params->ground_h, value);
        write(frame, params, text, font);
    }
    return 0;
}
