"""The points of a grid that masks and boxes cover, for PolygonZone.occupancy: viper compiles these loops to machine code.

_viper/occupancy.py is the same source in plain Python, without viper's own syntax. scripts/dev/generate.py writes it.

grid    bytes, row by row: 0 for a point outside of the zone, else a mark; those of the points that are covered are `mark`
layout  array('i'): columns, rows, the first point's pixel x and y, and the distance from one to the next, in pixels
"""

import micropython
from micropython import const

_COLUMNS = const(0)
_ROWS = const(1)
_X = const(2)
_Y = const(3)
_STEP = const(4)
# A row of the table of boxes_to_frame. Copied by scripts/dev/generate.py from row in kernels/params/drawing.py:
_ROW_CROP_X0 = const(7)
_ROW_CROP_Y0 = const(8)
_ROW_CROP_X1 = const(9)
_ROW_CROP_Y1 = const(10)
_ROW_WINDOW_X = const(11)
_ROW_WINDOW_Y = const(12)
_ROW_WINDOW_W = const(13)
_ROW_WINDOW_H = const(14)
_ROW_START = const(15)


@micropython.viper
def cover_box(grid: ptr8, layout: ptr32, box: ptr32, mark: int) -> int:
    """Mark the points in a box and return how many of them were not marked yet.

    box     array('i'): x, y, w, h, frame pixels
    """
    step = layout[_STEP]
    # The columns and rows of the first point in the box, and of the first behind it.
    column = (box[0] - layout[_X] + step - 1) // step
    row = (box[1] - layout[_Y] + step - 1) // step
    end = (box[0] + box[2] - layout[_X] + step - 1) // step
    last = (box[1] + box[3] - layout[_Y] + step - 1) // step
    if column < 0:
        column = 0
    if row < 0:
        row = 0
    if end > layout[_COLUMNS]:
        end = layout[_COLUMNS]
    if last > layout[_ROWS]:
        last = layout[_ROWS]
    count = 0
    while row < last:
        i = row * layout[_COLUMNS]
        to = i + end
        i += column
        while i < to:
            if grid[i] and grid[i] != mark:
                grid[i] = mark
                count += 1
            i += 1
        row += 1
    return count


@micropython.viper
def cover_mask(grid: ptr8, layout: ptr32, data: ptr8, table: ptr32, at: int, transform: ptr32, mark: int) -> int:
    """Mark the points whose pixel has its center in a mask, and return how many of them were not marked yet.

    data        the masks' bytes; 128 and more is inside
    table, at   a table as boxes_to_frame writes it, or one made by drawing_params.row, and where the mask's row begins. If
                the row has no crop, the whole window counts
    transform   from mask to frame: x and y scale in 1/256, x and y offset in 1/16 pixel (track_params.mask_transform)
    """
    x0 = table[at + _ROW_WINDOW_X]
    y0 = table[at + _ROW_WINDOW_Y]
    width = table[at + _ROW_WINDOW_W]
    start = table[at + _ROW_START]
    x1 = x0 + width
    y1 = y0 + table[at + _ROW_WINDOW_H]
    first = start - y0 * width - x0  # the index of mask pixel (0, 0)
    if table[at + _ROW_CROP_X1]:
        x0 = table[at + _ROW_CROP_X0]
        y0 = table[at + _ROW_CROP_Y0]
        x1 = table[at + _ROW_CROP_X1]
        y1 = table[at + _ROW_CROP_Y1]
    sx = transform[0]
    sy = transform[1]
    # The mask's corners in 1/16 frame pixel, so the columns and rows between which its points are.
    step = layout[_STEP] << 4
    left = (layout[_X] << 4) + 8 - transform[2]
    top = (layout[_Y] << 4) + 8 - transform[3]
    column = ((x0 * sx) >> 4) - left
    row = ((y0 * sy) >> 4) - top
    end = ((x1 * sx) >> 4) - left + step
    last = ((y1 * sy) >> 4) - top + step
    column = column // step if column > 0 else 0
    row = row // step if row > 0 else 0
    end = end // step + 1 if end > 0 else 0
    last = last // step + 1 if last > 0 else 0
    if end > layout[_COLUMNS]:
        end = layout[_COLUMNS]
    if last > layout[_ROWS]:
        last = layout[_ROWS]
    count = 0
    while row < last:
        y = top + row * step
        y = (y << 4) // sy if y >= 0 else -1
        if y >= y0 and y < y1:
            line = first + y * width
            i = row * layout[_COLUMNS]
            to = i + end
            i += column
            x = left + column * step
            while i < to:
                if grid[i] and grid[i] != mark:
                    if x >= 0:
                        at_x = (x << 4) // sx
                        if at_x >= x0 and at_x < x1:
                            if data[line + at_x] >= 128:
                                grid[i] = mark
                                count += 1
                x += step
                i += 1
        row += 1
    return count


@micropython.viper
def remove_marks(grid: ptr8, size: int):
    """Set all points of the zone to 1."""
    for i in range(size):
        if grid[i]:
            grid[i] = 1
