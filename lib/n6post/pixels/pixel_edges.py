"""Finds the frame pixels of each column and row of a mask or class map.

*Edges* are integers: the frame column at which each column of a map begins, and at which the last one ends (array('H'), one
more than there are columns; the same for rows). A frame pixel belongs to the column in which its center is. `class_at`,
`contains`, areas and the drawing of class maps all use these edges, so they agree on every pixel in spite of rounding.
"""

from array import array
from math import floor

from ulab import numpy as np

from .rounding import NUDGE

_HALF = 0.5 - NUDGE  # so that a pixel whose center is on an edge belongs to the column that begins there


def column_edges(count, scale, offset, low, high):
    """The edges of `count` columns of a map, cut to low..high, with frame = column * scale + offset."""
    # In arrays, which have all bits of float32 on a camera too, and need a few calls instead of a loop.
    # A map that lies left of the picture has a high below 0.
    low, high = max(float(low), 0.0), max(float(high), 0.0)
    edges = np.clip(np.arange(count + 1, dtype=np.float) * scale + offset, low, high)
    return array("H", np.array(np.floor(edges + _HALF), dtype=np.uint16).tobytes())


def mask_edges(transform):
    """(column edges, row edges) of a MaskTransform, within its bounds. They are kept in the transform."""
    if transform.edges is None:
        x, y, w, h = transform.bounds
        transform.edges = _all_edges(transform.sx, transform.ox, x, x + w), _all_edges(transform.sy, transform.oy, y, y + h)
    return transform.edges


def _all_edges(scale, offset, low, high):
    return column_edges(max(1, floor((high - offset) / scale) + 2), scale, offset, low, high)


def map_edges(transform):
    """(column edges, row edges) of a MapTransform, cut to what the network saw. They are kept in the transform."""
    if transform.edges is None:
        left, top, w, h = transform.seen
        columns = column_edges(transform.width, transform.sx, transform.ox, left, left + w)
        transform.edges = columns, column_edges(transform.height, transform.sy, transform.oy, top, top + h)
    return transform.edges


def uniform_pixel_area(transform):
    """The number of frame pixels of each map pixel in a MapTransform's window, or 0. It is kept in the transform.

    0 if they have different numbers of frame pixels, or if map pixels outside the window have any.
    """
    if transform.uniform_pixel_area is None:
        columns, rows = map_edges(transform)
        x0, y0, x1, y1 = transform.window
        transform.uniform_pixel_area = _width(columns, x0, x1) * _width(rows, y0, y1)
    return transform.uniform_pixel_area


def _width(edges, first, last):
    if edges[first] != edges[0] or edges[last] != edges[-1]:
        return 0
    used = np.frombuffer(edges[first : last + 1], dtype=np.uint16)
    widths = used[1:] - used[:-1]
    width = int(np.min(widths))
    return width if width == int(np.max(widths)) else 0


def column_at(edges, pixel, scale, offset):
    """The column to which a frame pixel belongs. The pixel is one of edges[0]..edges[-1] - 1."""
    column = min(int((pixel + 0.5 - offset) / scale), len(edges) - 2)  # an estimate; the edges decide
    while edges[column] > pixel:
        column -= 1
    while edges[column + 1] <= pixel:
        column += 1
    return column


def map_cell(transform, x, y):
    """(row, column) of the map pixel that is drawn at frame pixel (x, y); None where the map is not drawn.

    TypeError for anything but numbers.
    """
    columns, rows = map_edges(transform)
    if not (columns[0] <= x < columns[-1] and rows[0] <= y < rows[-1]):
        return None
    return column_at(rows, y, transform.sy, transform.oy), column_at(columns, x, transform.sx, transform.ox)


def shown(transform, crop, clip):
    """The visible part of a mask's crop: (first column, column edges, first row, row edges).

    The edges are cut to the clip. If nothing is visible, there are fewer than two.
    """
    columns, rows = mask_edges(transform)
    x, y, w, h = crop
    left, top, width, height = clip
    x, columns = _shown(columns, x, w, left, width, transform.sx, transform.ox)
    y, rows = _shown(rows, y, h, top, height, transform.sy, transform.oy)
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
