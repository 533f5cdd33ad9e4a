// Make oriented boxes of the candidates, and drop those that a better one overlaps. suppress_oriented(params, values, indices,
// boxes); see portable/oriented.py.
#include "tensors.h"

#define WHOLE 12582912.0f
#define STEP 4194304.0f
#define LEAST (1 / 1048576.0f)

// a * b is rounded before it is added (-ffp-contract=off), as in ulab.
static inline float size(float a)
{
    return a < 0.0f ? 0.0f - a : a;
}

static inline float exponential(float z)
{
    z = z * 0.015625f;
    float e = z * (5825 / STEP) + 34953 / STEP;
    e = e * z + 174763 / STEP;
    e = e * z + 699051 / STEP;
    e = e * z + 0.5f;
    e = e * z + 1.0f;
    e = e * z + 1.0f;
    for (int i = 0; i < 6; i++)
        e = e * e;
    return e;
}

int suppress_oriented(const struct suppress_oriented_params *params, float *values, uint16_t *indices, float *boxes)
{
    int capacity = params->capacity, count = params->count;
    float unit_x = as_float(params->unit_x), unit_y = as_float(params->unit_y), limit = as_float(params->limit);
    const uint16_t *classes = indices + capacity;
    uint16_t *kept = indices + 2 * capacity;
    for (int i = 0; i < count; i++) {
        float *value = values + i, *box = boxes + i;
        float left = value[0], top = value[capacity], right = value[2 * capacity], bottom = value[3 * capacity];
        float x = (left + right) * 0.5f * unit_x, y = (top + bottom) * 0.5f * unit_y;
        float w = (right - left) * 0.5f * unit_x, h = (bottom - top) * 0.5f * unit_y;
        w = w > 0.0f ? w : 0.0f;
        h = h > 0.0f ? h : 0.0f;
        float angle = box[9 * capacity];
        float turns = (angle * (41722 / 65536.0f) + WHOLE) - WHOLE;
        angle = (angle - turns * (201 / 128.0f)) - turns * (2078000 / 4294967296.0f);
        float half = turns * 0.5f;
        if ((half + WHOLE) - WHOLE != half) {
            float other = w;
            w = h;
            h = other;
        }
        float square = angle * angle;
        float sin = (square * (-832 / STEP) + 34953 / STEP) * square + -699051 / STEP;
        sin = angle + angle * (square * sin);
        float cos = (square * (104 / STEP) + -5825 / STEP) * square + 174763 / STEP;
        cos = (cos * square + -0.5f) * square + 1.0f;
        float ux = w * cos, uy = w * sin, vx = 0.0f - h * sin, vy = h * cos;
        box[0] = x;
        box[capacity] = y;
        box[2 * capacity] = ux;
        box[3 * capacity] = uy;
        box[4 * capacity] = vx;
        box[5 * capacity] = vy;
        box[6 * capacity] = ux * ux + vx * vx;
        box[7 * capacity] = uy * uy + vy * vy;
        box[8 * capacity] = ux * uy + vx * vy;
        box[9 * capacity] = w * h;
        float across = size(ux) + size(vx), down = size(uy) + size(vy);
        value[0] = x - across;
        value[capacity] = y - down;
        value[2 * capacity] = x + across;
        value[3 * capacity] = y + down;
    }
    int found = 0;
    for (int j = 0; j < count && found < params->most; j++) {
        const float *box = boxes + j;
        float x = box[0], y = box[capacity];
        float a = box[6 * capacity], b = box[7 * capacity], c = box[8 * capacity], s = box[9 * capacity];
        int i = 0;
        for (; i < j; i++) {
            if (!params->class_agnostic && classes[i] != classes[j])
                continue;
            const float *other = boxes + i;
            float aa = a + other[6 * capacity], bb = b + other[7 * capacity], cc = c + other[8 * capacity];
            float p = s * other[9 * capacity] * 4.0f + LEAST;
            float d = aa * bb - cc * cc;
            d = d > p ? d : p;
            float bound = d * limit;
            // The exponential is at most 1.
            if (!(p > bound))
                continue;
            float dx = x - other[0], dy = y - other[capacity], both = cc * dx;
            float z = ((aa * dy * dy + bb * dx * dx) - (both + both) * dy) * 1.5f / d;
            z = z < 0.0f ? 0.0f : z;
            if (p * exponential(0.0f - (z < 40.0f ? z : 40.0f)) > bound)
                break;
        }
        if (i == j)
            kept[found++] = j;
    }
    return found;
}
