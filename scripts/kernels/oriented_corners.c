// The corners and the rotation of the oriented boxes that are kept. oriented_corners(params, indices, boxes, corners); see
// portable/oriented.py.
#include "tensors.h"

#define WHOLE 12582912.0f

static inline int is_side(float a)
{
    return a * a < 65536.0f * 65536.0f;
}

struct vector {
    int x, y, degrees;
};

// Turn the vector towards the x axis by arctan(2^-i), in millionths of a degree. The angles are not in a table, because
// kernels have no data.
static __attribute__((noinline)) void turn(struct vector *vector, int i, int angle)
{
    int x = vector->x, y = vector->y;
    if (y > 0) {
        vector->x = x + (y >> i);
        vector->y = y - (x >> i);
        vector->degrees += angle;
    } else {
        vector->x = x - (y >> i);
        vector->y = y + (x >> i);
        vector->degrees -= angle;
    }
}

static int rotation(float ux, float uy, float vx, float vy)
{
    if (!is_side(ux) || !is_side(uy) || !is_side(vx) || !is_side(vy))
        return -1;
    int longer = ux * ux + uy * uy < vx * vx + vy * vy;
    float across = longer ? vx : ux, down = longer ? vy : uy;
    if (across == 0.0f && down == 0.0f)
        return 0;
    while (across * across < 1099511627776.0f && down * down < 1099511627776.0f) {
        across *= 2.0f;
        down *= 2.0f;
    }
    int x = (int)((across + WHOLE) - WHOLE) * 64, y = (int)((down + WHOLE) - WHOLE) * 64;
    if (y < 0 || (y == 0 && x < 0)) {
        x = -x;
        y = -y;
    }
    int degrees = 0;
    if (x < 0) {
        int other = x;
        x = y;
        y = -other;
        degrees = 90000000;
    }
    struct vector vector = { x, y, degrees };
    turn(&vector, 0, 45000000);
    turn(&vector, 1, 26565051);
    turn(&vector, 2, 14036243);
    turn(&vector, 3, 7125016);
    turn(&vector, 4, 3576334);
    turn(&vector, 5, 1789911);
    turn(&vector, 6, 895174);
    turn(&vector, 7, 447614);
    turn(&vector, 8, 223811);
    turn(&vector, 9, 111906);
    turn(&vector, 10, 55953);
    turn(&vector, 11, 27976);
    turn(&vector, 12, 13988);
    turn(&vector, 13, 6994);
    turn(&vector, 14, 3497);
    turn(&vector, 15, 1749);
    turn(&vector, 16, 874);
    degrees = vector.degrees;
    // Rounding may leave a little less than 0.
    degrees += 5000;
    return degrees < 0 ? 17999 : degrees >= 180000000 ? degrees / 10000 - 18000 : degrees / 10000;
}

int oriented_corners(const struct oriented_corners_params *params, uint16_t *indices, const float *boxes, float *corners)
{
    int capacity = params->capacity;
    float ax = as_float(params->ax), bx = as_float(params->bx), ay = as_float(params->ay), by = as_float(params->by);
    const uint16_t *positions = indices + 2 * capacity;
    for (int i = 0; i < params->kept; i++, corners += 9) {
        const float *box = boxes + positions[i];
        float ux = box[2 * capacity], uy = box[3 * capacity], vx = box[4 * capacity], vy = box[5 * capacity];
        float x = box[0] * ax + bx, y = box[capacity] * ay + by;
        float one_x = (ux + vx) * ax, other_x = (ux - vx) * ax, one_y = (uy + vy) * ay, other_y = (uy - vy) * ay;
        corners[0] = x - one_x;
        corners[1] = y - one_y;
        corners[2] = x + other_x;
        corners[3] = y + other_y;
        corners[4] = x + one_x;
        corners[5] = y + one_y;
        corners[6] = x - other_x;
        corners[7] = y - other_y;
        corners[8] = rotation(ux * ax, uy * ay, vx * ax, vy * ay);
    }
    return 0;
}
