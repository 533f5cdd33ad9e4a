"""Between model input and frame: how a picture was fitted into the network, and the way back.

A `Fit` maps model input pixels to frame pixels, x and y apart: frame = input * scale + offset. It follows from what the
script passed to `predict`: a plain image, which the firmware fits its own way (5.0 stretches it, 4.8.1 crops its
centre; firmware.py finds out which); one of `Stretch`, `Crop` and `Letterbox`, which fit one way on every firmware; or an
ndarray or a callable, which says nothing of a frame: then the frame is the model input itself.

Assumed is a graphics unit that samples at the middle of a pixel: by its driver's source the AE3's does, and the N6's maps
edges on edges. Where the CPU scales, a picture lies half a pixel of the model's input further right and down than its Fit
says, unless it goes in one to one.
"""


class Fit:
    """frame x = input x * sx + ox, y alike; `roi` (x, y, w, h) is the part of the frame that went in.

    `key` tells whether a Fit still holds for the next frame: the type of what was passed, and its own roi. `frame_size` is
    (width, height) of the whole frame, None where what was passed does not show it.
    """

    def __init__(self, key, roi, sx, ox, sy, oy, frame_size=None):
        self.key = key
        self.frame_size = frame_size
        self.roi = roi
        self.sx = sx
        self.ox = ox
        self.sy = sy
        self.oy = oy


def checked_roi(roi):
    """roi as a tuple, or ValueError."""
    if not isinstance(roi, (list, tuple)) or len(roi) != 4 or [v for v in roi if not isinstance(v, int)]:
        raise ValueError("roi: expected four integers x, y, w, h, got %r" % (roi,))
    x, y, w, h = roi
    # What reaches further is no frame: it would not fit into a plan, nor into the 16 bits of edges.py.
    if w < 1 or h < 1 or max(w, h, x + w, y + h) > 65535 or min(x, y) < -65535:
        raise ValueError("roi: expected at least one pixel of a frame of at most 65535 x 65535, got %r" % (roi,))
    return tuple(roi)


def fit_of(inputs, size, last=None):
    """The Fit for the inputs of a `predict` and the model's (width, height).

    `last`, the answer for the frame before, is returned itself where it still holds: that saves making it anew. (A caller
    that compares types and rois itself, as processor.py does while the roi is the whole frame, takes a frame that grows
    around the very same roi for the old one.)
    """
    source = inputs[0] if inputs else None
    roi = getattr(source, "roi", None)
    if callable(roi):
        roi = None
    key = (type(source), roi)
    frame_size = size
    if roi is not None:
        picture = getattr(source, "_image", None)  # of the firmware's Normalization
        if picture is None:
            picture = getattr(source, "image", None)  # of ours
        try:
            frame_size = picture.width(), picture.height()
        except (AttributeError, TypeError):
            frame_size = None
    if last is not None and last.key == key and last.frame_size == frame_size:
        return last
    if roi is None:  # an ndarray, a plain callable, nothing: the frame is the model input
        return Fit(key, (0, 0, size[0], size[1]), 1.0, 0.0, 1.0, 0.0, frame_size)
    ours = getattr(source, "fit", None)
    if ours is not None:  # inputs.py
        made = ours(key, size)
        made.frame_size = frame_size
        return made
    x, y, w, h = roi = checked_roi(roi)
    from .firmware import stretches

    stretched = stretches()
    if stretched and x == y == 0:
        return Fit(key, roi, w / size[0], 0.0, h / size[1], 0.0, frame_size)
    from .scaling import plain_fit

    sx, ox, sy, oy = plain_fit(roi, size, stretched)
    return Fit(key, roi, sx, ox, sy, oy, frame_size)
