"""Nearest neighbors of int8 vectors: the reference of helium/neighbors.py and m7/neighbors.py."""

from micropython import const
from ulab import numpy as np

from ..params.neighbors import PLACE

_BLOCK = const(64)  # vectors, and rows, that are compared at once
_PIECE = const(128)  # channels that are added at once. So no temporary array takes more than 32 KB
_UNIT = 4096.0


def nearest(features, params, memory, out):
    """Find the nearest row of a memory for each vector: the one with the least squared distance, in whole numbers.

    features    int8, vectors * channels; with columns 0 rows like those of the memory
    params      0 number of vectors, 1 number of channels, 1 to 1024, 2 the first row that is compared, 3 the end of these,
                4 columns: of the grid that the vectors are from, row by row, 5 step, by which places are multiplied
    memory      rows of `channels` int8 and a place behind them, two int16, x and y, 0 to 2047; may be that of `features`
    out         array('i') of 2 * vectors, written: [v] the least squared distance so far, [vectors + v] its row. Only a
                smaller distance replaces it, so of rows at the same distance the first one stays. Before the first call the
                distances are 0x7fffffff

    The place of vector v of a grid is (v % columns * step, v // columns * step). It counts like two more channels. With step
    0 places do not count.
    """
    vectors, channels, first, end, columns, step = params[:6]
    if not vectors or first >= end:
        return
    memory, places = _rows(memory, end, channels)
    if columns:
        features = np.frombuffer(features, dtype=np.int8)[: vectors * channels].reshape((vectors, channels))
        numbers = np.array(range(vectors), dtype=np.float)
        rows = np.floor((numbers + 0.5) * (1.0 / columns))
        own = (numbers - rows * columns) * step, rows * step
    else:
        features, own = _rows(features, vectors, channels)
    for row in range(first, end, _BLOCK):
        stop = min(row + _BLOCK, end)
        for start in range(0, vectors, _BLOCK):
            last = min(start + _BLOCK, vectors)
            apart = np.zeros((last - start, stop - row))
            for own_place, place in zip(own, places) if step else ():
                offset = own_place[start:last].reshape((last - start, 1)) - place[row:stop]
                apart = apart + offset * offset
            high, low, found = _nearest(features[start:last], memory[row:stop], apart)
            for at in range(len(found)):  # a tuple for each would cost 100,000 instructions: the search for free memory
                distance = int(high[at]) * 4096 + int(low[at])
                if distance < out[start + at]:
                    out[start + at] = distance
                    out[vectors + start + at] = row + found[at]


def _rows(memory, count, channels):
    """The channels of rows of a memory, int8 (count, channels), and their places, floats (x, y)."""
    size = channels + PLACE
    raw = np.frombuffer(memory, dtype=np.uint8)[: count * size].reshape((count, size))
    x, y = [raw[:, at] * 1.0 + raw[:, at + 1] * 256.0 for at in (channels, channels + 2)]
    return np.frombuffer(memory, dtype=np.int8)[: count * size].reshape((count, size))[:, :channels], (x, y)


def _nearest(a, b, apart):
    """Of each vector of a, the least distance as high * 4096 + low, and its row of b: three lists.

    apart   what places add to each distance

    float32 has 24 bits, and a float object of the camera 22: not enough for 1,024 * 255**2. All sums here are exact.
    """
    shape = a.shape[0], b.shape[0]
    high, low = np.zeros(shape), apart
    for at in range(0, a.shape[1], _PIECE):
        x, y = a[:, at : at + _PIECE] * 1.0, b[:, at : at + _PIECE] * 1.0  # np.dot takes longer for int8
        ones = np.ones(x.shape[1])  # np.sum is not exact
        squares = np.dot(x * x, ones).reshape((shape[0], 1)) + np.dot(y * y, ones)
        low = low + squares - np.dot(x, y.transpose()) * 2.0
        carry = np.floor(low * (1.0 / _UNIT))
        high, low = high + carry, low - carry * _UNIT
    least = np.min(high, axis=1)  # camera: long-axis: a block of rows
    low = np.where(high == least.reshape((shape[0], 1)), low, _UNIT)
    rows = np.argmin(low, axis=1)  # camera: argmax-axis: a block of rows
    return least.tolist(), np.min(low, axis=1).tolist(), rows.tolist()  # camera: long-axis: a block of rows
