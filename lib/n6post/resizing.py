"""A result on a picture of another size than its frame, an LCD say: what draws gets a copy of it in that picture's pixels.

The kernels take scale and offset: so no pixel of a mask or map is touched, only where they lie. Loaded when the first
picture of another size is drawn on.
"""

from ulab import numpy as np

from .geometry import Fit
from .kernels.drawing_plans import row

_MOST = 8  # grids and views that are kept for the next frame

_kept = {}


class Placed:
    """A Mask at another place, as painting.py asks for one: with a clip rectangle and a Grid of its own, of no margin."""

    def __init__(self, mask, clip, grid):
        self.mask = mask
        self.clip = clip
        self.grid = grid

    def parts(self):
        data, window, crop, _, _ = self.mask.parts()
        return data, window, crop, self.clip, self.grid

    def row(self):
        data, (wx, wy, ww, wh), _, (x, y, w, h), grid = self.parts()
        left, top, _, _ = grid.bounds
        return data, row(x - left, y - top, w, h, window_x=wx, window_y=wy, window_w=ww, window_h=wh), 0, grid

    @property
    def image(self):
        return self.mask.image


def scaled(result, width, height):
    """A list of Detection for a picture of that size: those of frames of another size are scaled copies, x and y apart."""
    return [_scaled(d, width, height) for d in result]


def _scaled(detection, width, height):
    size = detection.frame_size
    if size is None or size == (width, height):
        return detection
    rect, score, class_id, label, mask, keypoints = detection
    x, y, w, h = _scaled_rect(rect, size, width, height)
    # What is thinner than a pixel shows nevertheless.
    if not w and rect[2]:
        x, w = min(x, width - 1), 1
    if not h and rect[3]:
        y, h = min(y, height - 1), 1
    if mask is not None:
        mask = scaled_mask(mask, width, height)
    if keypoints is not None:
        keypoints = keypoints * np.array([width / size[0], height / size[1], 1.0])
    made = type(detection)((x, y, w, h), score, class_id, label, mask, keypoints)
    if detection.track_id is not None:
        made.track_id = detection.track_id
    return made


def scaled_mask(mask, width, height):
    """A Mask for a picture of that size: itself, where that is its frame's or its frame's size is not known."""
    _, _, _, clip, grid = mask.parts()
    size = grid.frame_size
    if size is None or size == (width, height):
        return mask
    return Placed(mask, _scaled_rect(clip, size, width, height), _last(grid, width, height, _scaled_grid))


def scaled_view(view, width, height):
    """A Segmentation's View for a picture of that size, which is not its frame's."""
    return _last(view, width, height, _scaled_view)


def _last(source, width, height, make):
    """What was made of a Grid or View the last time, if that was for a picture of the same size."""
    size, made = _kept.get(source, (None, None))
    if size != (width, height):
        made = make(source, width, height)
        if len(_kept) >= _MOST:
            _kept.clear()
        _kept[source] = (width, height), made
    return made


def _scaled_grid(grid, width, height):
    # Divided last: a factor of 4 / 3 is none that a float holds, and a whole scale has to stay whole.
    w, h = grid.frame_size
    bounds = _scaled_rect(grid.bounds, grid.frame_size, width, height)
    return type(grid)(grid.sx * width / w, grid.ox * width / w, grid.sy * height / h, grid.oy * height / h, bounds)


def _scaled_view(view, width, height):
    w, h = view.frame_size
    left, top, across, down = view.seen
    seen = left * width / w, top * height / h, across * width / w, down * height / h
    fit = Fit(None, seen, view.sx * width / w, view.ox * width / w, view.sy * height / h, view.oy * height / h)
    size = view.width, view.height
    return type(view)(view.legend, fit, size, size)


def _scaled_rect(rect, size, width, height):
    """The pixels of the picture whose centres lie in a rectangle (x, y, w, h) of the frame."""
    x, y, w, h = rect
    left = _first(x, width, size[0])
    top = _first(y, height, size[1])
    return left, top, _first(x + w, width, size[0]) - left, _first(y + h, height, size[1]) - top


def _first(at, pixels, of):
    """The first of `pixels` in a row whose centre lies at or right of `at`, in a frame of as many as `of`: in integers."""
    return -((of - 2 * at * pixels) // (2 * of))
