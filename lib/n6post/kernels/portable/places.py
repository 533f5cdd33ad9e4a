"""The colors of a mask's pixels, and a class in bands of the frame: the reference of helium/places.py and m7/places.py.

Conventions: numeric.py.
"""


from micropython import const
from ulab import numpy as np

_LOW = const(24)  # bits of the low word of a sum
_BLOCK = const(8192)  # pixels that are summed at once: limits temporary arrays, and keeps sums of bytes below 2^22


def color_sums(frame, mask, params, out):
    """Add up the colors of the frame pixels of a mask, in eight bits a channel, as the firmware's get_pixel gives them.

    frame   the frame's pixels: RGB565 (native uint16) or GRAYSCALE
    mask    bytes, rows of pixels: 128 and more is inside
    params  0 bytes of a pixel (2: RGB565, 1: GRAYSCALE), 1 frame width, 2 bytes from row to row of the mask, 3 and 4 columns
            and rows of it, 5 number of edges that follow: width + 1 frame columns, where each column of the mask begins and
            where the last ends, then height + 1 frame rows alike. Both ascend and lie in the frame
    out     array('i') of 19, written: the number of pixels, then for r, g and b each: the sum and the sum of the squares,
            each in two words (the high one, then 24 bits), the minimum and the maximum: 255 and 0 without a pixel. For
            GRAYSCALE all three are those of the gray values

    Returns the number of pixels.
    """
    depth, frame_width, step, width, height = params[:5]
    columns, rows = params[6 : 7 + width], params[7 + width : 8 + width + height]
    pixels = np.frombuffer(frame, dtype=np.uint16 if depth == 2 else np.uint8)
    lines = len(pixels) // frame_width
    grid = pixels[: lines * frame_width].reshape((lines, frame_width))
    inside = np.frombuffer(mask, dtype=np.uint8)
    sums = [[0, 0, 255, 0] for _ in range(3 if depth == 2 else 1)]
    found = 0
    for row in range(height):
        first, last = rows[row], rows[row + 1]
        if last <= first:
            continue
        for left, right in _runs(inside[row * step : row * step + width] >= 128, columns):
            found += (right - left) * (last - first)
            across = max(1, _BLOCK // (last - first))
            for x in range(left, right, across):
                _add(sums, grid[first:last, x : min(x + across, right)], depth)
    out[0] = found
    at = 1
    for i in range(3):
        total, squares, least, largest = sums[i if depth == 2 else 0]
        for word in (total >> _LOW, total & 0xFFFFFF, squares >> _LOW, squares & 0xFFFFFF, least, largest):
            out[at] = word
            at += 1
    return found


def _runs(inside, columns):
    """The frame columns (from, to) of each run of a row of the mask; those without a column are left out."""
    runs = []
    start = None
    at = 0
    for value in inside.tolist() + [0]:
        if value and start is None:
            start = at
        elif not value and start is not None:
            if columns[at] > columns[start]:
                runs.append((columns[start], columns[at]))
            start = None
        at += 1
    return runs


def _add(sums, pixels, depth):
    # In floats: ulab has no shifts, and its integers wrap. Every number is exact.
    values = np.array(pixels, dtype=np.float).reshape((pixels.size,))
    channels = [values]
    if depth == 2:
        red = np.floor(values / 2048.0)
        values = values - red * 2048.0
        green = np.floor(values / 32.0)
        blue = values - green * 32.0
        channels = [red * 8.0 + np.floor(red / 4.0), green * 4.0 + np.floor(green / 16.0), blue * 8.0 + np.floor(blue / 4.0)]
    ones = np.ones(len(values))
    for i in range(len(channels)):
        values = channels[i]
        into = sums[i]
        # A square in two parts of eight bits: the camera's floats are exact up to 2^22 only, and _BLOCK * 255 is below that.
        squares = values * values
        high = np.floor(squares / 256.0)
        into[0] += int(np.dot(values, ones))
        into[1] += 256 * int(np.dot(high, ones)) + int(np.dot(squares - high * 256.0, ones))
        into[2] = min(into[2], int(np.min(values)))
        into[3] = max(into[3], int(np.max(values)))


def class_bands(classes, params, scratch, out):
    """What bands of the frame, one below the other, have of one class of a map.

    classes bytes, width * height: a class for each pixel of the map
    params  0 class, 1 and 2 map width and height, 3 number of bands, 4 number of edges that follow: width + 1 frame columns
            and height + 1 frame rows, as for tint_map, then bands + 1 frame rows, where each band begins and the last ends.
            All ascend
    scratch array('H') of `width` zeros, which are zeros again in the end; not used here
    out     array('i') of 4 * bands, written, the upper band first: the number of frame pixels of the class, the frame column
            in which the mean of their centers lies, the first and the last column with one (-1 each without a pixel)

    Returns the number of pixels in all bands.
    """
    class_id, width, height, bands = params[:4]
    columns, rows = params[5 : 6 + width], params[6 + width : 7 + width + height]
    ends = params[7 + width + height : 8 + width + height + bands]
    grid = np.frombuffer(classes, dtype=np.uint8)
    found = at = 0
    for band in range(bands):
        top, bottom = ends[band], ends[band + 1]
        high = np.zeros(width)
        for row in range(height):
            shown = min(rows[row + 1], bottom) - max(rows[row], top)
            if shown > 0:
                high = high + (grid[row * width : (row + 1) * width] == class_id) * float(shown)
        pixels = moment = 0
        left = right = -1
        column = 0
        for value in high.tolist():
            start, end = columns[column], columns[column + 1]
            column += 1
            if value and end > start:
                count = int(value) * (end - start)
                pixels += count
                moment += count * (start + end)
                left = start if left < 0 else left
                right = end - 1
        # The moment is the sum of 2 x + 1 over the pixels: twice that of their centers.
        for word in (pixels, moment // (2 * pixels) if pixels else -1, left, right):
            out[at] = word
            at += 1
        found += pixels
    return found
