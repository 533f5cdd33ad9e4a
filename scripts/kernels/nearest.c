// gcc: -O2
// The nearest row of a memory for each vector. nearest(features, params, memory, out); see portable/neighbors.py.
//
// Thirty rows are compared with all vectors, then the next thirty, so that they stay in the cache. The least of
// |row|^2 - 2 (vector . row) is found; |vector|^2 is taken off `out` before and added to it at the end. A place is two more
// channels of 16 bits. The last group of three rows may contain its last row twice, which changes nothing. Few pairs are
// compared one by one.
#include <arm_acle.h>

#include "nearest.h"
#include "squares.h"

enum { PLACE = 4, GROUPS = sizeof ((struct tile *)0)->groups / sizeof(struct group) };

// The place of a row: x in the lower half, y in the upper one.
static inline uint32_t place_of(const int8_t *row, const struct nearest_params *params)
{
    uint32_t place;
    __builtin_memcpy(&place, row + params->channels, PLACE);
    return params->step ? place : 0;
}

static inline int square_of(uint32_t place)
{
    return __smlad(place, place, 0);
}

static void one_by_one(const int8_t *features, const struct nearest_params *params, const int8_t *memory, int32_t *out)
{
    int vectors = params->vectors, channels = params->channels, columns = params->columns, size = channels + PLACE;
    uint32_t place = 0, row_place = 0;
    for (int v = 0, x = 0; v < vectors; v++) {
        if (!columns)
            place = place_of(features, params);
        else if (x++ == columns) {
            x = 1;
            place = row_place += params->step << 16;
        }
        const int8_t *at = memory + params->first * size;
        for (int row = params->first; row < params->end; row++, at += size) {
            int distance = squares(features, at, channels) + square_of(__ssub16(place, place_of(at, params)));
            if (distance < out[v]) {
                out[v] = distance;
                out[vectors + v] = row;
            }
        }
        features += columns ? channels : size;
        place += params->step;
    }
}

// Add the squares of all vectors to their distances, or take them off.
static void add_squares(const int8_t *features, const struct nearest_params *params, int32_t *out, int sign)
{
    int columns = params->columns, step = params->step;
    for (int v = 0, x = 0, y = 0; v < params->vectors; v++, x++, features += params->channels) {
        if (x == columns) {
            x = 0;
            y++;
        }
        out[v] += sign * (norm(features, params->channels) + (x * x + y * y) * step * step);
    }
}

int nearest(const int8_t *features, const struct nearest_params *params, const int8_t *memory, int32_t *out)
{
    int vectors = params->vectors, channels = params->channels, columns = params->columns, end = params->end;
    if (!columns || vectors < 2 || end - params->first < 3) {
        one_by_one(features, params, memory, out);
        return 0;
    }
    add_squares(features, params, out, -1);
    struct tile tile;
    tile.channels = channels;
    tile.apart = 4 * vectors;
    tile.step = params->step;
    for (int row = params->first; row < end;) {
        tile.first = row;
        tile.odd = 0;
        struct group *group = tile.groups;
        for (int bit = 0; row < end && group < tile.groups + GROUPS; group++)
            for (int i = 0; i < 3; i++, row++, bit++) {
                group->rows[i] = memory + smaller(row, end - 1) * (channels + PLACE);
                group->places[i] = place_of(group->rows[i], params);
                uint32_t square = norm(group->rows[i], channels) + square_of(group->places[i]);
                group->start[i] = -(int)(square >> 1);
                tile.odd |= (square & 1) << bit;
            }
        tile.end = group;
        tile.place = 0;
        for (int v = 0; v < vectors; v += columns, tile.place += tile.step << 16) {
            tile.vectors = smaller(columns, vectors - v);
            tile.features = features + v * channels;
            tile.out = out + v;
            nearest_tile(&tile);
        }
    }
    add_squares(features, params, out, 1);
    return 0;
}
