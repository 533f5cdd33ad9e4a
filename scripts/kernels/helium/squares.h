// Sums of squares of int8 vectors, for nearest.c.
#include <arm_mve.h>

static inline int norm(const int8_t *a, int n)
{
    int sum = 0;
    for (int blocks = n >> 4; blocks; blocks--, a += 16) {
        int8x16_t x = vldrbq_s8(a);
        sum = vmladavaq_s8(sum, x, x);
    }
    if (n & 15) {
        int8x16_t x = vldrbq_z_s8(a, vctp8q(n & 15));
        sum = vmladavaq_s8(sum, x, x);
    }
    return sum;
}

// Of a - b.
static inline int squares(const int8_t *a, const int8_t *b, int n)
{
    uint32_t sum = 0;
    for (int blocks = n >> 4; blocks; blocks--, a += 16, b += 16) {
        uint8x16_t x = vreinterpretq_u8_s8(vabdq_s8(vldrbq_s8(a), vldrbq_s8(b)));
        sum = vmladavaq_u8(sum, x, x);
    }
    if (n & 15) {
        mve_pred16_t lanes = vctp8q(n & 15);
        uint8x16_t x = vreinterpretq_u8_s8(vabdq_s8(vldrbq_z_s8(a, lanes), vldrbq_z_s8(b, lanes)));
        sum = vmladavaq_u8(sum, x, x);
    }
    return (int)sum;
}
