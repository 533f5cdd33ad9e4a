// A rectangle's outline, and a filled rectangle (the ground of its label), in one colour; on the ground a text. box(frame,
// plan, text, font); see portable_drawing.py.
#include "box.h"
#include "pixels.h"
#include "tensors.h"

static __attribute__((noinline)) void fill(uint8_t *frame, const struct box_plan *plan, int x0, int y0, int w, int h, int value)
{
    int x1 = smaller(x0 + w, plan->frame_width), y1 = smaller(y0 + h, plan->frame_height), depth = plan->depth;
    x0 = larger(x0, 0);
    y0 = larger(y0, 0);
    if (x0 >= x1 || y0 >= y1)
        return;
    int stride = plan->frame_width * depth;
    struct area area = { frame + y0 * stride + x0 * depth, stride, depth, x1 - x0, y1 - y0, value };
    box_fill(&area);
}

// As the firmware's draw_string: what the font has not takes no room, a line end leads below the first character.
static __attribute__((noinline)) void write(uint8_t *frame, const struct box_plan *plan, const uint8_t *text,
                                            const uint8_t *font)
{
    int width = plan->frame_width, depth = plan->depth, stride = width * depth;
    int s = plan->scale, x = plan->ground_x + 1, y = plan->ground_y;
    struct cell cell;
    cell.stride = stride;
    cell.depth = depth;
    cell.ink = depth == 2 ? plan->ink : luma(plan->ink);
    cell.scale = s;
    for (int last = 0, c; (c = *text); text++, last = c) {
        if (c == '\n' || c == '\r') {
            if (c == '\r' || last != '\r') {
                x = plan->ground_x + 1;
                y += 10 * s;
            }
            continue;
        }
        if (c < ' ' || c > '~')
            continue;
        cell.glyph = font + 80 * (c - ' ');
        cell.y0 = y < 0 ? -y : 0;
        cell.y1 = smaller(plan->frame_height - y, 10 * s);
        for (cell.part = 0; cell.part < s; cell.part++, x += 8) {
            if (x <= -8 || x >= width)
                continue;
            cell.x0 = x < 0 ? -x : 0;
            cell.x1 = smaller(width - x, 8);
            cell.at = frame + (y + cell.y0) * stride + x * depth;
            box_cell(&cell);
        }
    }
}

int box(uint8_t *frame, const struct box_plan *plan, const uint8_t *text, const uint8_t *font)
{
    int value = plan->depth == 1 ? luma(plan->color) : plan->color;
    int t = plan->thickness;
    int tall = t < plan->h ? t : plan->h, wide = t < plan->w ? t : plan->w;
    if (t > 0) {
        fill(frame, plan, plan->x, plan->y, plan->w, tall, value);
        fill(frame, plan, plan->x, plan->y + plan->h - tall, plan->w, tall, value);
        fill(frame, plan, plan->x, plan->y, wide, plan->h, value);
        fill(frame, plan, plan->x + plan->w - wide, plan->y, wide, plan->h, value);
    }
    if (plan->ground_w > 0) {
        fill(frame, plan, plan->ground_x, plan->ground_y, plan->ground_w, plan->ground_h, value);
        write(frame, plan, text, font);
    }
    return 0;
}
