"""Objects from the cells of a FOMO map: cells of one class that touch. Viper compiles it to machine code.

_viper/cells.py is the same source in plain Python, without viper's own syntax. scripts/dev/generate.py writes it.
"""

import micropython
from micropython import const

# Words of the parameter block.
_COUNT = const(0)  # number of candidates
_WIDTH = const(1)  # of the map, cells
_CAPACITY = const(2)  # of the candidates' arrays
_MOST = const(3)  # objects
_POWER = const(4)  # a cell's weight is its score, raw, times 2^power

# Words of an object, as in families/maps/fomo.py.
_LEFT = const(0)  # columns and rows, the last ones included
_TOP = const(1)
_RIGHT = const(2)
_BOTTOM = const(3)
_CLASS_ID = const(4)
_BEST = const(5)  # the number of its first candidate,
_RAW = const(6)  # and its raw score without a fraction
_X = const(7)  # its center, in 256 of a cell
_Y = const(8)
_OBJECT = const(9)


@micropython.viper
def group_cells(values, indices, params: ptr32, grid: ptr32, queue: ptr32, objects: ptr32) -> int:
    """Group the candidates of a map into objects, those of the best candidates first.

    values  bytearray of the float32 (5, capacity) that the kernel `candidates` writes: row 4 has the scores
    indices bytearray of the uint16 (3, capacity), likewise: row 0 has the cells, row 1 the classes
    params  array('i') of 5: the words above
    grid    array('i') of (width + 2) * (height + 2) zeros, which are zeros again in the end
    queue   array('i') of `capacity`, written
    objects array('i') of 9 * most, written: a row of the words above for each object

    A candidate belongs to the object of a better one if both have the same class and there is a way from one to the other
    over such candidates that are neighbors, corners included. Its center is the mean of their centers, weighted by their
    scores; a weight is at least 1 and at most 4096. Returns the number of objects.
    """
    scores = ptr32(values)
    cells = ptr16(indices)
    count = params[_COUNT]
    width = params[_WIDTH]
    capacity = params[_CAPACITY]
    most = params[_MOST]
    power = params[_POWER]
    row = width + 2
    i = 0
    while i < count:
        cell = cells[i]
        grid[cell + 2 * (cell // width) + width + 3] = i + 1
        i += 1
    found = 0
    first = 0
    at = 0
    while first < count and found < most:
        cell = cells[first]
        place = cell + 2 * (cell // width) + width + 3
        if grid[place]:
            grid[place] = 0
            class_id = cells[capacity + first]
            queue[0] = first
            size = 1
            i = 0
            left = 65536
            top = 65536
            right = 0
            bottom = 0
            total = 0
            total_x = 0
            total_y = 0
            while i < size:
                k = queue[i]
                i += 1
                cell = cells[k]
                y = cell // width
                x = cell - y * width
                if x < left:
                    left = x
                if x > right:
                    right = x
                if y < top:
                    top = y
                if y > bottom:
                    bottom = y
                # The score as an integer: its mantissa, shifted by its exponent.
                bits = scores[4 * capacity + k]
                shift = 150 - (bits >> 23 & 255) - power
                weight = 1
                if shift < 11:
                    weight = 4096
                elif shift < 24:
                    weight = (bits & 0x7FFFFF | 0x800000) >> shift
                    if weight > 4096:
                        weight = 4096
                total += weight
                total_x += weight * x
                total_y += weight * y
                place = cell + 2 * y + width + 3
                other = place - row - 1
                while other <= place + row + 1:
                    near = grid[other]
                    if near and cells[capacity + near - 1] == class_id:
                        grid[other] = 0
                        queue[size] = near - 1
                        size += 1
                    # The next of three in a row, or the first in the next row.
                    other += 1
                    if other == place - row + 2 or other == place + 2:
                        other += row - 3
            objects[at + _LEFT] = left
            objects[at + _TOP] = top
            objects[at + _RIGHT] = right
            objects[at + _BOTTOM] = bottom
            objects[at + _CLASS_ID] = class_id
            objects[at + _BEST] = first
            bits = scores[4 * capacity + first]
            shift = 150 - (bits >> 23 & 255)
            objects[at + _RAW] = 0
            if 0 <= shift and shift < 24:
                objects[at + _RAW] = (bits & 0x7FFFFF | 0x800000) >> shift
            # In two steps, because 256 times a sum may have more than 32 bits.
            whole = total_x // total
            objects[at + _X] = 256 * whole + 256 * (total_x - whole * total) // total + 128
            whole = total_y // total
            objects[at + _Y] = 256 * whole + 256 * (total_y - whole * total) // total + 128
            at += _OBJECT
            found += 1
        first += 1
    while first < count:  # what is left belongs to objects beyond the maximum
        cell = cells[first]
        grid[cell + 2 * (cell // width) + width + 3] = 0
        first += 1
    return found
