// gcc: -O2
// Greedy non-maximum suppression. suppress(params, values, labels); see portable/boxes.py.
#include "suppress.h"

int suppress_fast(const struct suppress_params *params, const float *values, uint16_t *labels);

int suppress(const struct suppress_params *params, const float *values, uint16_t *labels)
{
    clear_flags();
    int kept = suppress_fast(params, values, labels);
    return met_odd_numbers() ? suppress_exactly(params, values, labels) : kept;
}
