"""How the firmware's draw_image scales (imlib/draw.c of 4.8 and 5.0): which scale to ask for, and what it then takes.

`length` pixels become floor(length * scale). Into those the graphics unit of an N6 or AE3 fits floor(pixels / scale) of
the source, from round(floor(start * scale) / scale) on: so a roi rarely begins where it says. It is float32 there, and
float32 arrays here: a Python float of the camera lacks two bits, and may come out on the other side of a whole number.
"""

from micropython import const
from ulab import numpy as np

_STEPS = const(1 << 19)  # what a float of the camera holds for certain of a number below 1


def ratio(size, length):
    """size / length, as an array of one number."""
    return np.array([size]) / length


def factor(base, share, length, part):
    """(x, base * x): x about `share`, so that `length` becomes exactly `part` pixels, and the unit sees all of them.

    Where there is no such scale (no float32 at all for 9 % of all pairs), the unit misses the last column or row.
    """
    whole = None
    step = int(share * _STEPS + 0.5)
    for times in (step / _STEPS, (step + 1) / _STEPS):
        scale = base * times
        if np.floor(scale * length)[0] == part:
            if np.floor(np.array([part]) / scale)[0] == length:
                return times, scale
            whole = whole or (times, scale)
    return whole


def begin(start, scale, skipped=0):
    """The source pixel that drawing begins with: of a roi from `start` on, `skipped` pixels of what is drawn cut off."""
    return np.floor((np.floor(scale * start) + skipped) / scale + 0.5)[0]


def plain_fit(roi, size, stretched):
    """(x scale, x offset, y scale, y offset) of a Fit, for a plain image as Normalization fits it."""
    x, y, w, h = roi
    width, height = size
    across, down = ratio(width, w), ratio(height, h)
    if stretched:
        return w / width, begin(x, across), h / height, begin(y, down)
    # One scale for both axes, and the middle of the roi: what sticks out is not seen.
    scale = np.maximum(across, down)
    middle = [max(0, (int(np.floor(scale * length)[0]) - part + 1) // 2) for length, part in ((w, width), (h, height))]
    k = min(w / width, h / height)
    return k, begin(x, scale, middle[0]), k, begin(y, scale, middle[1])
