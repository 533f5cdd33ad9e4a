// Scale a mask bilinearly and blend one color where it is 128 or more. tint_mask(frame, mask, params); see portable/drawing.py.
//
// The arithmetic is that of the firmware's draw_image with hint=BILINEAR. The frame is taken in strips of columns. Here the
// position of each column in the mask is computed once; then rows_rgb565 or rows_gray runs down the rows. Frame pixel k of a
// picture that begins s pixels left of the frame is at floor((s << 16) / scale) - 32768 + k * floor(65536 / scale) in the
// mask, 16.16, in float32 up to the floors. At the edges both neighbors are the edge pixel.
#include "pixels.h"
#include "tint_mask.h"

// One axis: the frame pixels [from, to) that the mask covers within the clip, and its sampling positions, 16.16.
struct axis {
    int from, to, at, step;
};

static struct axis axis_of(int origin, int size, int bits, int from, int to, int centered)
{
    // draw_image gets a float object, whose last two bits MicroPython fills with the two before them: 12.8 is 12.800002.
    float scale = as_float(bits | (bits >> 2 & 3));
    // Centered: the mask at twice the scale, one pixel up and left, of which every second pixel is used.
    int doubled = centered + 1, start = origin > 0 ? origin : 0;
    scale *= doubled;
    int skipped = (start - origin) * doubled + centered; // left of the picture that draw_image draws into
    struct axis a;
    a.step = (int)(65536.0f / scale);
    a.from = from > start ? from : start;
    int end = start + (int)(scale * size) - skipped; // of draw_image; centered, the last pixel is repeated
    a.to = centered || to < end ? to : end;
    a.at = (int)((float)(skipped << 16) / scale) + (a.from - start) * doubled * a.step;
    return a;
}

int tint_mask(uint8_t *frame, const uint8_t *mask, const struct tint_mask_params *params)
{
    struct strip s;
    int width = params->width, height = params->height, color = params->color, alpha = params->alpha, centered = params->centered;
    struct axis x = axis_of(params->x, width, params->x_scale, params->x0, params->x1, centered);
    struct axis y = axis_of(params->y, height, params->y_scale, params->y0, params->y1, centered);
    if (x.to <= x.from || y.to <= y.from || !alpha)
        return 0;

    // draw_image does not interpolate if that would change nothing, nor a picture one pixel wide or high.
    int smooth = (x.step != 65536 || y.step != 65536) && (centered || (width > 1 && height > 1));
    if (smooth) {
        x.at -= 32768;
        y.at -= 32768;
    }
    x.step *= centered + 1;
    y.step *= centered + 1;

    int bytes = params->depth;
    int red = color >> 11, green = color >> 5 & 63, blue = color & 31;
    alpha += alpha >> 7; // of 256
    if (bytes == 2) {
        alpha >>= 3; // of 32
        s.keep = 32 - alpha;
        s.red = red * alpha << 6;
        s.green = green * alpha << 5;
        s.blue = blue * alpha << 6;
    } else {
        s.keep = 256 - alpha;
        s.red = luma(color) * alpha;
    }
    s.frame_step = params->frame_width * bytes;
    s.mask_step = width;
    s.below = smooth ? width : 0;
    s.last = height - 1;
    s.step = y.step;
    s.color = color;

    int top = (width - 1) << 16, at = x.at;
    for (int column = x.from; column < x.to; column += s.columns) {
        int first = smaller(larger(at, 0), top) >> 16, end = (first + MOST_PIXELS) << 16;
        s.columns = smaller(x.to - column, 256);
        if (end <= top)
            s.columns = smaller(s.columns, steps_to(end - at, x.step));
        strip_columns(&s, at - (first << 16), x.step, top - (first << 16), smooth);
        int lefts = s.pixels[s.columns - 1] + 1; // mask pixels at the left of a column
        s.span = lefts + (first + lefts < width);
        s.mask = mask + first;
        s.frame = frame + y.from * s.frame_step + column * bytes;
        s.at = y.at;
        s.rows = y.to - y.from;
        if (bytes == 2)
            rows_rgb565(&s);
        else
            rows_gray(&s);
        at += s.columns * x.step;
    }
    return 0;
}
