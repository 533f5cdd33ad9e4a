// Sums of squares of int8 vectors, for nearest.c.
#include "words.h"

static inline int norm(const int8_t *a, int n)
{
    int sum = 0;
    for (; n > 3; n -= 4, a += 4) {
        uint32_t x = four(a);
        int16x2_t even = __sxtb16(x), odd = __sxtb16(x >> 8);
        sum = __smlad(odd, odd, __smlad(even, even, sum));
    }
    for (; n; n--, a++)
        sum += *a * *a;
    return sum;
}

// Of a - b.
static inline int squares(const int8_t *a, const int8_t *b, int n)
{
    int sum = 0;
    for (; n > 3; n -= 4, a += 4, b += 4) {
        uint32_t x = four(a), y = four(b);
        int16x2_t even = __ssub16(__sxtb16(x), __sxtb16(y));
        int16x2_t odd = __ssub16(__sxtb16(x >> 8), __sxtb16(y >> 8));
        sum = __smlad(odd, odd, __smlad(even, even, sum));
    }
    for (; n; n--, a++, b++)
        sum += (*a - *b) * (*a - *b);
    return sum;
}
