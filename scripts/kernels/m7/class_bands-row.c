// gcc: -O2
// Column by column.
#include "class_bands.h"

void class_bands_row(const struct map_row *row)
{
    for (int column = 0; column < row->columns; column++)
        if (row->classes[column] == row->class_id)
            row->rows[column] += row->high;
}
