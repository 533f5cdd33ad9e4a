"""Evenly spaced anchors of a head as real values, for split_probe.py, family_check.py and box_order.py."""

from ulab import numpy as np

from ..tensors.quantization import FLOAT


def sample(layout, first, last, tensor, array, most=64):
    """The real values of the channels range(first, last) for at most `most` anchors: (channels, anchors).

    layout  the HeadLayout of the array
    """
    step = 1 + (layout.anchors - 1) // most | 1  # odd: a divisor of the columns would see the same ones in each row
    grid = layout.grid(array)
    if layout.channels_first:
        return real(tensor, grid[first:last, ::step])
    return real(tensor, grid[::step, first:last]).transpose()  # camera: transpose-3d: of two dimensions


def real(tensor, numbers):
    """The real values of raw numbers, 0 for NaN and infinity."""
    values = (np.array(numbers, dtype=np.float) - float(tensor.zero_point)) * tensor.scale
    return np.where(values * values < 1e12, values, 0.0) if tensor.dtype == FLOAT else values


def correlation(a, b):
    """The correlation coefficient of two arrays, -1 to 1; .25 if one of them is constant, which shows nothing."""
    a = a - np.mean(a)
    b = b - np.mean(b)
    scale = float(np.dot(a, a)) * float(np.dot(b, b))
    return float(np.dot(a, b)) / scale**0.5 if scale > 0.0 else 0.25


def along_cells(layout, tensor, array, levels):
    """How the first two channels, and the next two, grow from cell to cell as columns and rows do: each sum is -2 to 2.

    layout  the HeadLayout of the array
    levels  as in a SplitPart; only the first stride counts
    """
    cells = levels[3] if len(levels) > 3 else layout.anchors
    columns = levels[1]
    numbers = np.array(range(cells), dtype=np.float)
    rows = np.floor((numbers + 0.5) / columns)
    total = [0.0, 0.0]
    for channel in range(4):
        values = real(tensor, layout.column(array, channel)[:cells])
        total[channel // 2] += correlation(values, rows if channel & 1 else numbers - rows * columns)
    return total
