// gcc: -O2
// Draw a person's keypoints and limbs, pixel for pixel as the firmware's draw_line and filled draw_circle. pose(frame, params,
// points, skeleton); see portable/poses.py.
//
// Lines and circles are anti-aliased as in Alois Zingl, "A Rasterizing Algorithm for Drawing Curves" (2012), in integers of
// 1/256. A pixel may be blended twice, so the order matters.
#include <stdint.h>
#include "pixels.h"
#include "params.h"
#include "pose.h"

static void put(const struct canvas *c, int x, int y)
{
    if ((unsigned)x >= (unsigned)c->width || (unsigned)y >= (unsigned)c->height)
        return;
    int at = y * c->width + x;
    if (c->depth == 2)
        ((uint16_t *)c->frame)[at] = c->color;
    else
        c->frame[at] = c->color;
}

// at: the pixel's number. error: 0 stores the color, 256 leaves the pixel unchanged.
static inline void blend(const struct canvas *c, int at, int error)
{
    int rest = 256 - error, new = c->color;
    if (c->depth == 2) {
        uint16_t *pixel = (uint16_t *)c->frame + at;
        int old = *pixel;
        int r = ((old >> 11) * error + (new >> 11) * rest) >> 8;
        int g = ((old >> 5 & 63) * error + (new >> 5 & 63) * rest) >> 8;
        int b = ((old & 31) * error + (new & 31) * rest) >> 8;
        *pixel = r << 11 | g << 5 | b;
    } else
        c->frame[at] = (c->frame[at] * error + new * rest) >> 8;
}

static __attribute__((noinline)) void blend_at(const struct canvas *c, int x, int y, int error)
{
    if ((unsigned)x < (unsigned)c->width && (unsigned)y < (unsigned)c->height)
        blend(c, y * c->width + x, error);
}

static int distance(int a)
{
    return a < 0 ? -a : a;
}

static int length_of(int dx, int dy)
{
    return (int)__builtin_sqrtf((float)(dx * dx + dy * dy));
}

static __attribute__((noinline)) void thin_line(const struct canvas *c, int x0, int y0, int x1, int y1)
{
    int dx = distance(x1 - x0), dy = distance(y1 - y0);
    int sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1;
    int error = dx - dy, length = length_of(dx, dy);
    if (!length)
        length = 1;
    for (;;) {
        blend_at(c, x0, y0, 256 * distance(error - dx + dy) / length);
        int e2 = error, x2 = x0;
        if (2 * e2 >= -dx) {
            if (x0 == x1)
                return;
            if (e2 + dy < length)
                blend_at(c, x0, y0 + sy, 256 * (e2 + dy) / length);
            error -= dy;
            x0 += sx;
        }
        if (2 * e2 <= dy) {
            if (y0 == y1)
                return;
            if (dx - e2 < length)
                blend_at(c, x2 + sx, y0, 256 * (dx - e2) / length);
            error += dx;
            y0 += sy;
        }
    }
}

// Liang-Barsky clipping at one edge of the frame. Returns 0 if no part of the line is inside.
static int cut(int p, int q, float *enter, float *leave)
{
    if (!p)
        return q >= 0;
    float u = (float)q / (float)p;
    if (p < 0) {
        if (u > *leave)
            return 0;
        if (u > *enter)
            *enter = u;
    } else {
        if (u < *enter)
            return 0;
        if (u < *leave)
            *leave = u;
    }
    return 1;
}

static inline void one_step(const struct canvas *c, struct band *b)
{
    int at = b->across, rest = b->far - b->error - b->width;
    int across = b->side * (b->steep ? 1 : c->width), last = (b->steep ? c->width : c->height) - 1;
    int pixel = b->steep ? b->along * c->width + at : at * c->width + b->along;
    if ((unsigned)at <= (unsigned)last)
        blend(c, pixel, b->error);
    for (;;) {
        at += b->side;
        pixel += across;
        if (rest + b->far >= 256)
            break;
        rest += b->far;
        if ((unsigned)at > (unsigned)last)
            continue;
        if (c->depth == 2)
            ((uint16_t *)c->frame)[pixel] = c->color;
        else
            c->frame[pixel] = c->color;
    }
    if ((unsigned)at <= (unsigned)last)
        blend(c, pixel, rest);
    b->error += b->near;
    if (b->error > 256) {
        b->error -= b->far;
        b->across += b->side;
    }
    b->along += b->step;
    b->left--;
}

static __attribute__((noinline)) void line(const struct canvas *c, int x0, int y0, int x1, int y1, int thickness)
{
    int dx = x1 - x0, dy = y1 - y0;
    float enter = 0, leave = 1;
    if (!cut(-dx, x0, &enter, &leave) || !cut(dx, c->width - 1 - x0, &enter, &leave) ||
        !cut(-dy, y0, &enter, &leave) || !cut(dy, c->height - 1 - y0, &enter, &leave) || leave < enter)
        return;
    float fx = (float)x0, fy = (float)y0;
    x0 = (int)__builtin_fmaf((float)dx, enter, fx);
    y0 = (int)__builtin_fmaf((float)dy, enter, fy);
    x1 = (int)__builtin_fmaf((float)dx, leave, fx);
    y1 = (int)__builtin_fmaf((float)dy, leave, fy);
    int ex = distance(x1 - x0), ey = distance(y1 - y0), length = length_of(ex, ey);
    if (thickness <= 1 || !length) {
        thin_line(c, x0, y0, x1, y1);
        return;
    }
    int sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1;
    int steep = 256 * ex / length < 256 * ey / length, width = 256 * (thickness - 1);
    int near = 256 * (steep ? ex : ey) / length, far = 256 * (steep ? ey : ex) / length;
    int offset = (length + width / 2) / far, error = offset * far - width / 2;
    struct band b = {
        steep, steep ? y0 : x0, (steep ? x0 : y0) - offset * (steep ? sx : sy), steep ? sy : sx, steep ? sx : sy,
        near, far, width, error < 0 ? 0 : error, (steep ? ey : ex) + 1,
    };
    while (b.left > 0) {
#if __ARM_FEATURE_MVE
        if (pose_lanes(c, &b))
            return;
#endif
        one_step(c, &b);
    }
}

// The four quadrants of the point (a, -b).
static __attribute__((noinline)) void ring(const struct canvas *c, int cx, int cy, int a, int b, int amount)
{
    blend_at(c, cx + a, cy - b, amount);
    blend_at(c, cx + b, cy + a, amount);
    blend_at(c, cx - a, cy + b, amount);
    blend_at(c, cx - b, cy - a, amount);
}

static __attribute__((noinline)) void disc(const struct canvas *c, int cx, int cy, int radius)
{
    int x = radius, y = 0, error = 2 - 2 * radius, scale = 1 - error;
    for (;;) {
        ring(c, cx, cy, x, y, 256 * distance(error + 2 * (x + y) - 2) / scale);
        for (int k = 0; k < x; k++) {
            put(c, cx + k, cy - y);
            put(c, cx + y, cy + k);
            put(c, cx - k, cy + y);
            put(c, cx - y, cy - k);
        }
        if (!x)
            return;
        int e2 = error, x2 = x;
        if (error > y) {
            int amount = 256 * (error + 2 * x - 1) / scale;
            if (amount < 256)
                ring(c, cx, cy, x, y - 1, amount);
            x--;
            error -= 2 * x - 1;
        }
        if (e2 <= x2) {
            y--;
            error -= 2 * y - 1;
        }
    }
}

// As portable/poses.py does, whose division rounds down.
static int part_of(int delta, int n, int pieces)
{
    return (delta * n - (delta < 0 ? pieces - 1 : 0)) / pieces;
}

static __attribute__((noinline)) void limb(const struct canvas *c, int x0, int y0, int x1, int y1, int thickness)
{
    int dx = x1 - x0, dy = y1 - y0, wide = distance(dx), high = distance(dy);
    int near = wide < high ? wide : high, far = wide < high ? high : wide;
    int pieces = thickness > 1 && 4 * near > 3 * far ? 1 + far / 180 : 1, x = x0, y = y0;
    for (int n = 1; n <= pieces; n++) {
        int next_x = x0 + part_of(dx, n, pieces), next_y = y0 + part_of(dy, n, pieces);
        line(c, x, y, next_x, next_y, thickness);
        x = next_x;
        y = next_y;
    }
}

// Returns whether a keypoint is visible, and writes the pixel that contains it.
static __attribute__((noinline)) int visible(const struct pose_params *params, const float *point, int *x, int *y)
{
    float threshold;
    __builtin_memcpy(&threshold, &params->threshold, 4);
    if (!(point[2] >= threshold) || point[0] - point[0] != 0 || point[1] - point[1] != 0)
        return 0;
    int right = params->outside ? 32767 : params->frame_width - 1;
    int bottom = params->outside ? 32767 : params->frame_height - 1;
    *x = (int)point[0];
    *y = (int)point[1];
    *x = *x > right ? right : *x < -32768 ? -32768 : *x;
    *y = *y > bottom ? bottom : *y < -32768 ? -32768 : *y;
    return 1;
}

int pose(void *frame, const struct pose_params *params, const float *points, const uint16_t *skeleton)
{
    struct canvas c = {frame, params->frame_width, params->frame_height, params->depth, 0};
    const int32_t *colors = &params->left;
    int ax, ay, bx, by;
    for (int n = params->limbs; n > 0; n--, skeleton += 3)
        if (params->thickness && visible(params, points + 3 * skeleton[0], &ax, &ay) &&
            visible(params, points + 3 * skeleton[1], &bx, &by)) {
            c.color = c.depth == 2 ? colors[skeleton[2]] : luma(colors[skeleton[2]]);
            limb(&c, ax, ay, bx, by, params->thickness);
        }
    if (params->radius > 0)
        for (int n = params->keypoint_count; n > 0; n--, skeleton++, points += 3)
            if (visible(params, points, &ax, &ay)) {
                c.color = c.depth == 2 ? colors[*skeleton] : luma(colors[*skeleton]);
                disc(&c, ax, ay, params->radius);
            }
    return 0;
}
