"""Bounding box, area and centroid of a mask: the reference of helium/measures.py and m7/measures.py.

Conventions: numeric.py.
"""

from micropython import const
from ulab import numpy as np

from ..params.boxes import ROW
from .numeric import clipped, fractions

_BELOW_HALF = const(0.499755859375)  # half a pixel less rounding.NUDGE
_ABOVE_HALF = const(0.500244140625)


def measure_mask(masks, table, params, out):
    """The bounding box, the area and the centroid of a mask, in frame pixels.

    masks   bytes of masks, each of rows of pixels: 128 and more is inside
    table   rows of 16 as boxes_to_frame writes them: out[0] is the entry where the mask's row begins, and entry 15 of the
            row the position of its bytes
    params  0 and 1 x and y scale (float bits, frame pixels for each mask pixel), 2 and 3 float bits of the frame position of
            mask pixel 0, 0, 4..7 x, y, w, h of the part of the frame that the network saw, 8 and 9 margin around a box,
            frame pixels
    out     array('i') of 7, written: x, y, w, h of the bounding box, the area, x and y of the centroid. Without a pixel w
            and h are 0; without an area x and y of the centroid are -1

    Area and centroid are those of the frame pixels whose centers are in the pixels inside, between the edges of
    pixel_edges.column_edges. These are cut to the clip rectangle: the box, grown by the margin and clipped to the part seen.
    The centroid is the mean of pixel centers, rounded down.

    The bounding box has the frame pixels with centers between two ends. An end is where the interpolation between the last
    pixel inside and its neighbor crosses 127.5; that of the window if there is no neighbor or if that is inside, too. The
    bounding box is clipped as well, and has at least one pixel: if there is no center between the ends, the one halfway.

    Returns the area.
    """
    x_scale, y_scale, offset_x, offset_y = fractions(params, 0, 4)
    seen_x, seen_y, seen_w, seen_h, margin_x, margin_y = params[4:10]
    row = table[out[0] : out[0] + ROW]
    x, y, w, h, _, _, _, crop_x0, crop_y0, crop_x1, crop_y1, window_x, window_y, window_w, window_h, start = row
    for at in range(7):
        out[at] = -(at > 4)
    left, right = seen_x + max(0, x - margin_x), seen_x + min(seen_w, x + w + margin_x)
    top, bottom = seen_y + max(0, y - margin_y), seen_y + min(seen_h, y + h + margin_y)
    if left >= right or top >= bottom or crop_x0 >= crop_x1 or crop_y0 >= crop_y1:
        return 0
    pixels = np.frombuffer(masks, dtype=np.uint8)[start : start + window_w * window_h].reshape((window_h, window_w))
    # camera: long-axis: prototypes and maps are taken up to 65535 pixels a side
    peaks = np.max(pixels[crop_y0 - window_y : crop_y1 - window_y], axis=0).tobytes()
    across = _extent(peaks, crop_x0 - window_x, crop_x1 - window_x)
    if across is None:
        return 0
    # camera: long-axis: nor are they wider
    peaks = np.max(pixels[:, crop_x0 - window_x : crop_x1 - window_x], axis=1).tobytes()
    down = _extent(peaks, crop_y0 - window_y, crop_y1 - window_y)
    out[0], out[2] = _centers_between(across, window_x, x_scale, offset_x, left, right)
    out[1], out[3] = _centers_between(down, window_y, y_scale, offset_y, top, bottom)
    columns = _edges(crop_x0, crop_x1, x_scale, offset_x, seen_x, seen_x + seen_w, left, right)
    rows = _edges(crop_y0, crop_y1, y_scale, offset_y, seen_y, seen_y + seen_h, top, bottom)
    area = moment_x = moment_y = 0
    for row in range(crop_y0, crop_y1):
        first, last = rows[row - crop_y0 : row - crop_y0 + 2]
        width = 0
        for begin, end in _runs(pixels[row - window_y, crop_x0 - window_x : crop_x1 - window_x] >= 128, columns):
            width += end - begin
            moment_x += (end - begin) * (begin + end) * (last - first)
        area += width * (last - first)
        moment_y += width * (last - first) * (first + last)
    out[4] = area
    if area:
        # A moment is the sum of 2 x + 1 over the pixels: twice that of their centers.
        out[5], out[6] = moment_x // (2 * area), moment_y // (2 * area)
    return area


def _edges(first, end, scale, offset, seen_low, seen_high, low, high):
    """Where each column of the crop begins in the frame, and where the last one ends, cut to the clip rectangle."""
    columns = clipped(np.arange(end + 1 - first, dtype=np.float) + float(first), 0.0, np.inf)
    edges = clipped(columns * scale + offset, max(float(seen_low), 0.0), max(float(seen_high), 0.0))
    return [min(max(int(edge), low), high) for edge in np.floor(edges + _BELOW_HALF).tolist()]


def _runs(inside, edges):
    """The frame columns (from, to) of each run of a row of the mask; those without a column are left out."""
    runs = []
    start = None
    at = 0
    for value in inside.tolist() + [0]:
        if value and start is None:
            start = at
        elif not value and start is not None:
            if edges[at] > edges[start]:
                runs.append((edges[start], edges[at]))
            start = None
        at += 1
    return runs


def _extent(peaks, first, end):
    """The ends (low, high), in columns of the window, as arrays of one; None if there is no pixel inside.

    peaks   the maximum byte of each column
    first, end  the columns of the crop. Peaks beyond it do not count, but edges are interpolated with them
    """
    low = first
    while low < end and peaks[low] < 128:
        low += 1
    if low == end:
        return None
    high = end - 1
    while peaks[high] < 128:
        high -= 1
    left, right = np.array([0.0]), np.array([float(len(peaks))])
    if low and peaks[low - 1] < 128:
        left = _crossing(peaks[low], peaks[low - 1]) * -1.0 + (low + 0.5)
    if high + 1 < len(peaks) and peaks[high + 1] < 128:
        right = _crossing(peaks[high], peaks[high + 1]) + (high + 0.5)
    return left, right


def _crossing(inside, beside):
    """The distance of the crossing from the center of the pixel inside, in pixels."""
    return np.array([inside - 127.5]) / float(inside - beside)


def _centers_between(ends, window, scale, offset, start, end):
    """The first frame pixel with a center between the two ends, and the number of them."""
    low, high = ends[0] + float(window), ends[1] + float(window)
    first = max(int(np.ceil(low * scale + offset - _ABOVE_HALF)[0]), start)
    last = min(int(np.ceil(high * scale + offset - _ABOVE_HALF)[0]), end)
    if last <= first:
        first = min(max(int(np.floor((low + high) * 0.5 * scale + offset)[0]), start), end - 1)
        last = first + 1
    return first, last - first
