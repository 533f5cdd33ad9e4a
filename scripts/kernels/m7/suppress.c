// gcc: -O2
// Greedy non-maximum suppression. suppress(params, values, indices); see portable/boxes.py.
#include "suppress.h"

int suppress(const struct suppress_params *params, const float *values, uint16_t *indices)
{
    return suppress_exactly(params, values, indices);
}
