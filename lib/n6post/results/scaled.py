"""Results scaled to a picture of another size than the frame, such as an LCD's, for drawing. Imported on first use.

Only the transforms of masks and maps are scaled: the kernels take scale and offset, so no pixel is copied.

A picture of another aspect ratio than the frame's is a part of it or is stretched, and is refused: nothing tells where the
objects are in it. (A part with the frame's own aspect ratio cannot be told from the whole frame.)
"""

from ulab import numpy as np

from ..inputs.transform import InputTransform
from ..tensors.lazy import module
from ..tensors.shapes import same_aspect_ratio
from .detection import copied, set_corners
from .mask import row_of

_MAX_KEPT = 8  # scaled transforms that are kept for the next frame
_ROUNDING = 2  # pixels by which a side may differ: displays have 480 x 272 pixels for frames of 16:9, not 480 x 270

_kept = {}


class ScaledMask:
    """A Mask on a picture of another size, for drawing: the same pixels with another clip rectangle and MaskTransform."""

    def __init__(self, mask, clip, transform):
        self.mask = mask
        self.clip = clip
        self.transform = transform

    def _parts(self):
        data, window, crop, _, _ = self.mask._parts()
        return data, window, crop, self.clip, self.transform

    def _row(self):
        return row_of(self._parts())

    @property
    def image(self):
        return self.mask.image


def is_scaled(size, width, height):
    """Whether a picture of width x height shows a frame of this size, or None, scaled; False for the frame's own size.

    ValueError if the picture has another aspect ratio.
    """
    if size is None or size == (width, height):
        return False
    if not same_aspect_ratio(width, height, size, _ROUNDING):
        raise ValueError(
            "img: expected a picture of the frame's size, %d x %d, or of its aspect ratio, got %d x %d: draw on the whole"
            " frame first, then crop or stretch it" % (size + (width, height))
        )
    return True


def scaled(result, width, height):
    """A list of Detection for a picture of this size. Those of a frame of another size are scaled copies.

    ValueError as of is_scaled.
    """
    return [_scaled(d, width, height) for d in result]


def _scaled(detection, width, height):
    size = detection.frame_size
    if not is_scaled(size, width, height):
        return detection
    rect, score, class_id, label, mask, keypoints = detection
    x, y, w, h = _scaled_rect(rect, size, width, height)
    # A box that is thinner than a pixel is still visible.
    if not w and rect[2]:
        x, w = min(x, width - 1), 1
    if not h and rect[3]:
        y, h = min(y, height - 1), 1
    if mask is not None:
        mask = scaled_mask(mask, width, height)
    if keypoints is not None:
        keypoints = keypoints * np.array([width / size[0], height / size[1], 1.0])
    made = copied(detection, ((x, y, w, h), score, class_id, label, mask, keypoints))
    if len(detection._source) > 2:
        set_corners(made, module("results.oriented").scaled_table(detection, size, width, height), 0)
    return made


def scaled_mask(mask, width, height):
    """A Mask for a picture of this size: itself if its frame has this size or none is known."""
    _, _, _, clip, transform = mask._parts()
    size = transform.frame_size
    if size is None or size == (width, height):
        return mask
    return ScaledMask(mask, _scaled_rect(clip, size, width, height), _last(transform, width, height, _scaled_mask_transform))


def scaled_map_transform(transform, width, height):
    """The MapTransform of a Segmentation for a picture of this size, which is not its frame's."""
    return _last(transform, width, height, _scaled_map_transform)


def _last(source, width, height, make):
    """The scaled transform: the kept one if it is for the same size, else a new one, which is kept."""
    size, made = _kept.get(source, (None, None))
    if size != (width, height):
        made = make(source, width, height)
        if len(_kept) >= _MAX_KEPT:
            _kept.clear()
        _kept[source] = (width, height), made
    return made


def _scaled_mask_transform(transform, width, height):
    # The division comes last: no float is exactly 4 / 3, and a whole scale has to stay whole.
    w, h = transform.frame_size
    bounds = _scaled_rect(transform.bounds, transform.frame_size, width, height)
    sx, ox = transform.sx * width / w, transform.ox * width / w
    sy, oy = transform.sy * height / h, transform.oy * height / h
    return type(transform)(sx, ox, sy, oy, bounds)


def _scaled_map_transform(transform, width, height):
    w, h = transform.frame_size
    left, top, across, down = transform.seen
    seen = left * width / w, top * height / h, across * width / w, down * height / h
    sx, ox = transform.sx * width / w, transform.ox * width / w
    sy, oy = transform.sy * height / h, transform.oy * height / h
    size = transform.width, transform.height
    return type(transform)(transform.class_info, InputTransform(None, seen, sx, ox, sy, oy), size, size)


def _scaled_rect(rect, size, width, height):
    """The rectangle (x, y, w, h) of the picture's pixels whose centers lie in a rectangle of the frame."""
    x, y, w, h = rect
    left = _first(x, width, size[0])
    top = _first(y, height, size[1])
    return left, top, _first(x + w, width, size[0]) - left, _first(y + h, height, size[1]) - top


def _first(at, pixels, of):
    """The first pixel, of `pixels` in a row, whose center is not left of `at`, a position in a row of `of`. In integers."""
    return -((of - 2 * at * pixels) // (2 * of))
