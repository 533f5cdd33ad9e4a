// gcc: -O2
// Greedy non-maximum suppression. suppress(params, values, indices); see portable/boxes.py.
#include "suppress.h"

int suppress_fast(const struct suppress_params *params, const float *values, uint16_t *indices);

int suppress(const struct suppress_params *params, const float *values, uint16_t *indices)
{
    clear_flags();
    int kept = suppress_fast(params, values, indices);
    return met_odd_numbers() ? suppress_exactly(params, values, indices) : kept;
}
