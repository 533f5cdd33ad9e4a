// gcc: -fno-strict-aliasing
// (The table, an array of words, is read as a struct.)
// Bounding box, area and centroid of a mask. measure_mask(masks, table, params, out); see portable/places.py.
//
// One pass finds the runs of pixels inside in each row. Each is an extent of frame columns, between two edges.
#include "center.h"
#include "tensors.h"

enum { X, Y, W, H, AREA, CENTER_X, CENTER_Y }; // words of `out`

// Four pixels at any address: both cores can read unaligned words. The high bit of each says whether it is inside.
typedef uint32_t word_at __attribute__((aligned(1), may_alias));

static inline uint32_t inside(const uint8_t *line)
{
    return *(const word_at *)line & 0x80808080;
}

// Columns, or rows.
struct axis {
    float scale, offset; // from columns of the mask to those of the frame
    float seen_low, seen_high; // where edges are
    int low, high; // the clip rectangle
    int step, along, count; // bytes from column to column, and from pixel to pixel of a column; the pixels of one in the crop
    int start, window, first; // the crop's first column in the window; columns of the window; its first column
};

// Where a column of the mask begins in the frame, cut to the clip rectangle.
__attribute__((noinline)) static int edge(const struct axis *axis, int column)
{
    float at = (float)larger(column, 0) * axis->scale + axis->offset;
    at = at > axis->seen_low ? at : axis->seen_low;
    at = at < axis->seen_high ? at : axis->seen_high;
    return smaller(larger((int)__builtin_floorf(at + 0.499755859375f), axis->low), axis->high);
}

// The largest byte of a column in the crop.
__attribute__((noinline)) static int peak(const uint8_t *at, const struct axis *axis)
{
    int most = 0;
    for (int count = axis->count; count > 0; count--, at += axis->along)
        most = larger(most, *at);
    return most;
}

// How far the crossing of 127.5 is from the center of the last column inside. `step`: from it to its neighbor. -1 if that is
// inside, too.
static float crossing(const uint8_t *at, int step, const struct axis *axis)
{
    int last = peak(at, axis), beside = peak(at + step, axis);
    return beside < 128 ? ((float)last - 127.5f) / (float)(last - beside) : -1.0f;
}

// Write the first frame pixel, and behind the next word the number of frame pixels, with centers in the mask. `left` and
// `right`: the first and the last column of the crop with a pixel inside.
__attribute__((noinline)) static void extent(const uint8_t *crop, int left, int right, const struct axis *axis, int32_t *out)
{
    const float half = 0.500244140625f;
    int last = axis->start + right, step = axis->step;
    float low = axis->start + left ? crossing(crop + left * step, -step, axis) : -1.0f;
    float high = last + 1 < axis->window ? crossing(crop + right * step, step, axis) : -1.0f;
    low = (low < 0.0f ? 0.0f : (float)(axis->start + left) + 0.5f - low) + (float)axis->first;
    high = (high < 0.0f ? (float)axis->window : (float)last + 0.5f + high) + (float)axis->first;
    int first = larger((int)__builtin_ceilf(low * axis->scale + axis->offset - half), axis->low);
    int end = smaller((int)__builtin_ceilf(high * axis->scale + axis->offset - half), axis->high);
    if (end <= first) {
        first = (int)__builtin_floorf((low + high) * 0.5f * axis->scale + axis->offset);
        first = smaller(larger(first, axis->low), axis->high - 1);
        end = first + 1;
    }
    out[X] = first;
    out[W] = end - first;
}

int measure_mask(const uint8_t *masks, const int32_t *table, const struct measure_mask_params *params, int32_t *out)
{
    const struct row *row = (const struct row *)(table + out[0]);
    int width = row->window_w, crop_w = row->crop_x1 - row->crop_x0, crop_h = row->crop_y1 - row->crop_y0;
    int x0 = params->seen_x, x1 = x0 + params->seen_w, y0 = params->seen_y, y1 = y0 + params->seen_h;
    struct axis columns = {
        as_float(params->x_scale), as_float(params->offset_x), (float)larger(x0, 0), (float)larger(x1, 0),
        x0 + larger(0, row->x - params->margin_x), smaller(x1, x0 + row->x + row->w + params->margin_x),
        1, width, crop_h, row->crop_x0 - row->window_x, width, row->window_x,
    };
    struct axis rows = {
        as_float(params->y_scale), as_float(params->offset_y), (float)larger(y0, 0), (float)larger(y1, 0),
        y0 + larger(0, row->y - params->margin_y), smaller(y1, y0 + row->y + row->h + params->margin_y),
        width, 1, crop_w, row->crop_y0 - row->window_y, row->window_h, row->window_y,
    };
    out[X] = out[Y] = out[W] = out[H] = out[AREA] = 0;
    out[CENTER_X] = out[CENTER_Y] = -1;
    if (columns.low >= columns.high || rows.low >= rows.high || crop_w <= 0 || crop_h <= 0)
        return 0;
    // Positions in the crop from here on.
    int left = crop_w, right = -1, top = -1, bottom = -1, area = 0, last = edge(&rows, row->crop_y0);
    uint64_t moment_x = 0, moment_y = 0;
    const uint8_t *crop = masks + row->start + rows.start * width + columns.start;
    const uint8_t *line = crop;
    for (int y = 0; y < crop_h; y++, line += width) {
        int first = last, high;
        last = edge(&rows, row->crop_y0 + y + 1);
        high = last - first;
        uint32_t pixels = 0;
        uint64_t moment = 0;
        for (int x = 0;;) {
            while (x + 4 <= crop_w && !inside(line + x))
                x += 4;
            while (x < crop_w && line[x] < 128)
                x++;
            if (x == crop_w)
                break;
            int begin = edge(&columns, row->crop_x0 + x);
            left = smaller(left, x);
            while (x + 4 <= crop_w && inside(line + x) == 0x80808080)
                x += 4;
            while (x < crop_w && line[x] >= 128)
                x++;
            int end = edge(&columns, row->crop_x0 + x);
            right = larger(right, x - 1);
            top = top < 0 ? y : top;
            bottom = y;
            pixels += end - begin;
            moment += (uint64_t)(end - begin) * (begin + end);
        }
        area += pixels * high;
        moment_x += moment * high;
        moment_y += (uint64_t)(pixels * high) * (2 * first + high);
    }
    if (bottom < 0)
        return 0;
    // With neighbors beyond the crop.
    extent(crop, left, right, &columns, out + X);
    extent(crop, top, bottom, &rows, out + Y);
    out[AREA] = area;
    if (area) {
        out[CENTER_X] = center(moment_x, area);
        out[CENTER_Y] = center(moment_y, area);
    }
    return area;
}
