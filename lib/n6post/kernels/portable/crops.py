"""Rotated rectangles cut out of pictures, and keypoints: the reference of helium/crops.py and m7/crops.py."""

from array import array

from ulab import numpy as np

from .numeric import clipped, fractions

_CHANNELS = ((11, 31), (5, 63), (0, 31))  # of RGB565: shift and mask


def cut_rotated(target, params, source):
    """Fill a picture with a rotated and scaled part of another one, with bilinear interpolation.

    target  the pixels of the picture to fill
    params  0 bytes of a pixel (2: RGB565, 1: GRAYSCALE), 1 and 2 width and height of the source, 3 and 4 of the target; in
            1/65536 of a source pixel, where (0, 0) is the center of the first pixel: 5 and 6 x and y of the target's first
            pixel, 7 and 8 the steps of x and y from column to column, 9 and 10 from row to row
    source  the pixels of the source

    Weights are rounded down to 1/32. Channels are interpolated along a row, then between two rows, and rounded both times,
    halves up. Beyond the source its border is continued.
    """
    depth, source_width, source_height, width, height, row_x, row_y, xu, yu, xv, yv = params[:11]
    right, bottom = source_width - 1, source_height - 1
    channels = _CHANNELS if depth == 2 else ((0, 255),)
    pixels = _pixels(source, depth, source_width * source_height)
    row = array("H" if depth == 2 else "B", bytes(depth * width))
    out = memoryview(target)
    for v in range(height):
        x, y = row_x, row_y
        for u in range(width):
            left, top = x >> 16, y >> 16
            across, down = x >> 11 & 31, y >> 11 & 31
            x0, x1 = max(0, min(left, right)), max(0, min(left + 1, right))
            y0, y1 = max(0, min(top, bottom)) * source_width, max(0, min(top + 1, bottom)) * source_width
            corners = pixels[y0 + x0], pixels[y0 + x1], pixels[y1 + x0], pixels[y1 + x1]
            pixel = 0
            for shift, mask in channels:
                a, b, c, d = [corner >> shift & mask for corner in corners]
                upper = a * (32 - across) + b * across + 16 >> 5
                lower = c * (32 - across) + d * across + 16 >> 5
                pixel |= (upper * (32 - down) + lower * down + 16 >> 5) << shift
            row[u] = pixel
            x += xu
            y += yu
        out[v * depth * width : (v + 1) * depth * width][:] = bytes(row)
        row_x += xv
        row_y += yv
    return 0


def _pixels(source, depth, count):
    """The pixels as integers."""
    data = memoryview(source)[: depth * count]
    return array("H", bytes(data)) if depth == 2 else data


def place_keypoints(raw, params, out):
    """Map the keypoints of a network to the frame, and compute the box of the visible ones; returns how many these are.

    raw     the array with three numbers for each keypoint: x, y and a third
    params  0 dtype, 1 number of keypoints, 2 zero point, 3 whether the third number is the keypoint's score (0: all scores
            are 1.0), 4..14 float bits: minimum score of a visible keypoint; xx, xy, x0, yx, yy and y0 of the transform;
            least x and y, largest x and y; 15..18 written, float bits: x1, y1, x2, y2 of the box, (inf, inf, -inf, -inf)
            without a visible keypoint
    out     float32 (keypoints, 3), written: x = (raw x * xx + raw y * xy) + x0, y = (raw x * yx + raw y * yy) + y0, clipped
            to these limits, and score
    """
    _, count, zero_point, scored = params[:4]
    threshold, xx, xy, x0, yx, yy, y0, low_x, low_y, high_x, high_y, x1, y1, x2, y2 = fractions(params, 4, 19)
    table = np.array(raw.reshape((raw.size,))[: 3 * count], dtype=np.float).reshape((count, 3))
    a, b = table[:, 0] - float(zero_point), table[:, 1] - float(zero_point)
    out[:, 0] = clipped((a * xx + b * xy) + x0, low_x, high_x)
    out[:, 1] = clipped((a * yx + b * yy) + y0, low_y, high_y)
    out[:, 2] = table[:, 2] if scored else np.ones(count)
    visible = out[:, 2] >= threshold
    for column, low, high in ((0, x1, x2), (1, y1, y2)):
        place = out[:, column]
        low[:] = np.min(np.where(visible, place, np.inf).reshape((1, count)), axis=1)  # camera: long-axis: keypoints
        high[:] = np.max(np.where(visible, place, -np.inf).reshape((1, count)), axis=1)  # camera: long-axis: keypoints
    return int(np.sum(visible))  # camera: sum-without-axis: exact for as few numbers as keypoints
