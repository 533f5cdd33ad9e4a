// gcc: -O2
// Count the pixels of each class. class_histogram(classes, params, out); see portable/maps.py.
#include "tensors.h"

int class_histogram(const uint8_t *classes, const struct class_histogram_params *params, int32_t *out)
{
    for (int class_id = 0; class_id < 256; class_id++)
        out[class_id] = 0;
    for (const uint8_t *end = classes + params->pixels; classes < end; classes++)
        out[*classes]++;
    return 0;
}
