// gcc: -O2
// Greedy non-maximum suppression. suppress(params, values, labels); see portable/boxes.py.
#include "suppress.h"

int suppress(const struct suppress_params *params, const float *values, uint16_t *labels)
{
    return suppress_exactly(params, values, labels);
}
