// Copy the candidates of the first list to the second, best first. rank_anchors(params, values, indices); see
// portable/anchors.py.
#include "tensors.h"

static inline int before(const float *scores, const uint16_t *anchors, int a, int b)
{
    return scores[a] > scores[b] || (scores[a] == scores[b] && anchors[a] < anchors[b]);
}

int rank_anchors(const struct rank_anchors_params *params, float *values, uint16_t *indices)
{
    int total = params->total, capacity = params->capacity, rows = params->rows;
    const float *scores = values + 4 * capacity;
    uint16_t *order = indices + 2 * capacity;
    for (int i = 0; i < total; i++)
        order[i] = i;
    // Shell sort: the parts come almost sorted, and no two candidates have the same anchor.
    int gap = 1;
    while (gap < total / 3)
        gap = 3 * gap + 1;
    for (; gap; gap /= 3)
        for (int i = gap; i < total; i++) {
            int one = order[i], at = i;
            for (; at >= gap && before(scores, indices, one, order[at - gap]); at -= gap)
                order[at] = order[at - gap];
            order[at] = one;
        }
    int count = smaller(total, params->most);
    for (int at = 0; at < count; at++) {
        int from = order[at];
        for (int row = 0; row < rows; row++)
            values[(rows + row) * capacity + at] = values[row * capacity + from];
        indices[3 * capacity + at] = at;
        indices[4 * capacity + at] = indices[capacity + from];
    }
    return count;
}
