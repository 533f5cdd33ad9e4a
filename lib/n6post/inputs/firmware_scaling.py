"""The scaling of the firmware's draw_image (imlib/draw.c of 4.8 and 5.0): which scale to ask for, and what is drawn.

`length` pixels become floor(length * scale). Into these the graphics unit of an N6 or AE3 fits floor(pixels / scale) source
pixels, beginning with round(floor(start * scale) / scale). So a roi rarely begins where it should. The firmware computes in
float32. Here these are float32 arrays, because a Python float of the camera lacks two bits and may be rounded to another
whole number.
"""

from micropython import const
from ulab import numpy as np

_STEPS = const(1 << 19)  # the resolution to which the camera's floats are exact below 1


def ratio(size, length):
    """size / length, as an array of one number."""
    return np.array([size]) / length


def factor(base, share, length, part):
    """(x, base * x) with x close to `share`, so that `length` becomes exactly `part` pixels and all of it is drawn.

    If there is no such scale (for 9 % of all pairs there is no such float32), the last column or row is not drawn.
    """
    nearly = None
    step = int(share * _STEPS + 0.5)
    for times in (step / _STEPS, (step + 1) / _STEPS):
        scale = base * times
        if np.floor(scale * length)[0] == part:
            if np.floor(np.array([part]) / scale)[0] == length:
                return times, scale
            nearly = nearly or (times, scale)
    return nearly


def begin(start, scale, skipped=0):
    """The source pixel with which drawing begins, for a roi from `start` on, with `skipped` drawn pixels cut off."""
    return np.floor((np.floor(scale * start) + skipped) / scale + 0.5)[0]


def plain_fit(roi, size, stretched):
    """(x scale, x offset, y scale, y offset) of the InputTransform for a plain image, as Normalization fits it."""
    x, y, w, h = roi
    width, height = size
    across, down = ratio(width, w), ratio(height, h)
    if stretched:
        return w / width, begin(x, across), h / height, begin(y, down)
    # One scale for both axes, and the middle of the roi: the rest is cut off.
    scale = np.maximum(across, down)
    middle = [max(0, (int(np.floor(scale * length)[0]) - part + 1) // 2) for length, part in ((w, width), (h, height))]
    k = min(w / width, h / height)
    return k, begin(x, scale, middle[0]), k, begin(y, scale, middle[1])
