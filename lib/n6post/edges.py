"""Which frame pixels lie in which column or row of a mask or class map.

*Edges* are integers: the frame column at which each column of a map begins, and at which the last ends (array('H'), one more
than there are columns; of rows alike). A frame pixel lies where its centre does. Whatever tells of frame pixels, `at`,
`contains`, areas and the drawing of a class map, reads them here: so all of it agrees on every pixel, whatever float32 makes
of a scale.
"""

from array import array
from math import floor

from micropython import const
from ulab import numpy as np

_HALF = const(0.499756)  # less than .5 by the nudge of yolo.py: a pixel with its centre on an edge is of what begins there


def begins(count, scale, offset, low, high):
    """The edges of `count` columns of a map: frame = column * scale + offset; what lies outside low..high is cut off."""
    # In arrays: true float32 on a camera too, a few calls instead of a loop.
    places = np.clip(np.arange(count + 1, dtype=np.float) * scale + offset, max(float(low), 0.0), float(high))
    return array("H", np.array(np.floor(places + _HALF), dtype=np.uint16).tobytes())


def of_grid(grid):
    """The edges of all columns and rows that a Grid's bounds have, kept there."""
    if grid.edges is None:
        x, y, w, h = grid.bounds
        grid.edges = _all(grid.sx, grid.ox, x, x + w), _all(grid.sy, grid.oy, y, y + h)
    return grid.edges


def _all(scale, offset, low, high):
    return begins(max(1, floor((high - offset) / scale) + 2), scale, offset, low, high)


def of_view(view):
    """The edges of all columns and rows of a View's map, cut to what the network saw; kept there."""
    if view.edges is None:
        left, top, w, h = view.seen
        columns = begins(view.width, view.sx, view.ox, left, left + w)
        view.edges = columns, begins(view.height, view.sy, view.oy, top, top + h)
    return view.edges


def even(view):
    """The frame pixels of a map pixel where each in a View's window has as many and no other has any; else 0. Kept there."""
    if view.even is None:
        columns, rows = of_view(view)
        x0, y0, x1, y1 = view.window
        view.even = _width(columns, x0, x1) * _width(rows, y0, y1)
    return view.even


def _width(edges, first, last):
    if edges[first] != edges[0] or edges[last] != edges[-1]:
        return 0
    places = np.frombuffer(edges[first : last + 1], dtype=np.uint16)
    widths = places[1:] - places[:-1]
    width = int(np.min(widths))
    return width if width == int(np.max(widths)) else 0


def column_at(edges, pixel, scale, offset):
    """The column in which a frame pixel lies, one of edges[0]..edges[-1] - 1."""
    column = min(int((pixel + 0.5 - offset) / scale), len(edges) - 2)  # where it should be: the edges say
    while edges[column] > pixel:
        column -= 1
    while edges[column + 1] <= pixel:
        column += 1
    return column


def shown(grid, crop, clip):
    """Of a mask's crop that which frame pixels of its clip show: (column, the columns' edges, row, the rows' edges).

    The edges are cut to the clip. Where there is none, they are less than two.
    """
    columns, rows = of_grid(grid)
    x, y, w, h = crop
    left, top, width, height = clip
    x, columns = _shown(columns, x, w, left, width, grid.sx, grid.ox)
    y, rows = _shown(rows, y, h, top, height, grid.sy, grid.oy)
    return x, columns, y, rows


def _shown(edges, first, count, low, size, scale, offset):
    high = min(low + size, edges[-1])
    low = max(low, edges[0])
    if low >= high or count < 1:
        return first, edges[:0]
    last = min(first + count, column_at(edges, high - 1, scale, offset) + 1)
    first = max(first, column_at(edges, low, scale, offset))
    cut = edges[first : last + 1]
    if len(cut) > 1:
        cut[0] = max(cut[0], low)
        cut[-1] = min(cut[-1], high)
    return first, cut
