// gcc: -O2
// A vector with three rows at once.
#include "nearest.h"
#include "words.h"

void nearest_tile(struct tile *tile)
{
    const int8_t *x = tile->features;
    int32_t *out = tile->out;
    uint32_t place = tile->place;
    for (int v = 0; v < tile->vectors; v++, x += tile->channels, place += tile->step) {
        int least = out[v], bit = 0;
        for (const struct group *group = tile->groups; group < tile->end; group++, bit += 3) {
            const int8_t *at = x, *a = group->rows[0], *b = group->rows[1], *c = group->rows[2];
            int d = __smlad(place, group->places[0], group->start[0]), n = tile->channels;
            int e = __smlad(place, group->places[1], group->start[1]);
            int f = __smlad(place, group->places[2], group->start[2]);
            for (; n > 3; n -= 4, at += 4, a += 4, b += 4, c += 4) {
                uint32_t word = four(at), p = four(a), q = four(b), r = four(c);
                int16x2_t even = __sxtb16(word), odd = __sxtb16(word >> 8);
                d = __smlad(odd, __sxtb16(p >> 8), __smlad(even, __sxtb16(p), d));
                e = __smlad(odd, __sxtb16(q >> 8), __smlad(even, __sxtb16(q), e));
                f = __smlad(odd, __sxtb16(r >> 8), __smlad(even, __sxtb16(r), f));
            }
            for (; n; n--, at++) {
                d += *at * *a++;
                e += *at * *b++;
                f += *at * *c++;
            }
            int sums[3] = { d, e, f };
            for (int i = 0; i < 3; i++) {
                int value = (int)(tile->odd >> (bit + i) & 1) - 2 * sums[i];
                if (value < least) {
                    least = out[v] = value;
                    out[tile->apart / 4 + v] = tile->first + bit + i;
                }
            }
        }
    }
}
