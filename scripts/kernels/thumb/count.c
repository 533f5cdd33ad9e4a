// gcc: -O2
// How many pixels each class has. count(classes, plan, out); see portable_maps.py.
#include "tensors.h"

int count(const uint8_t *classes, const struct count_plan *plan, int32_t *out)
{
    for (int class_id = 0; class_id < 256; class_id++)
        out[class_id] = 0;
    for (const uint8_t *end = classes + plan->pixels; classes < end; classes++)
        out[*classes]++;
    return 0;
}
