"""Results on a picture that is not the frame: scaled, such as an LCD's, or a part of the frame. Imported on first use.

Only the transforms of masks and maps are changed: the kernels take scale and offset, so no pixel is copied.

A picture of another aspect ratio than the frame's is a part of it or is stretched, and is refused: nothing tells where the
objects are in it. (A part with the frame's own aspect ratio cannot be told from the whole frame.) With a `roi` it is known:
the picture then shows that part of the frame, scaled to the picture's size, in x and y separately.
"""

from micropython import const
from ulab import numpy as np

from ..inputs.transform import InputTransform
from ..tensors.lazy import later
from ..tensors.shapes import same_aspect_ratio
from .detection import copied, set_corners
from .mask import Mask

_MAX_KEPT = const(8)  # scaled transforms that are kept for the next frame
_ROUNDING = const(2)  # pixels by which a side may differ: displays have 480 x 272 pixels for frames of 16:9, not 480 x 270
# Copied by scripts/dev/generate.py from results/detection.py:
_CORNERS = const(2)

_kept = {}


class ScaledMask(Mask):
    """A Mask on a picture of another size, for drawing: the same pixels with another clip rectangle and MaskTransform."""

    def __init__(self, mask, clip, transform):
        self.mask = mask
        self.clip = clip
        self.transform = transform

    def _parts(self):
        data, window, crop, _, _ = self.mask._parts()
        return data, window, crop, self.clip, self.transform

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


def scaled_roi(roi, size, width, height):
    """A part of a frame of this size in a picture of width x height that shows the whole frame; at least one pixel.

    ValueError as of is_scaled.
    """
    is_scaled(size, width, height)
    x, y, w, h = _scaled_rect(roi, (0, 0) + size, width, height)
    return min(x, width - 1), min(y, height - 1), max(w, 1), max(h, 1)


def checked_roi(roi, size=None, name="roi"):
    """roi, a part of a frame, as a tuple (x, y, w, h); ValueError for anything else.

    size    (width, height) of the frame, or None: then only x and y are known to be inside
    """
    try:
        x, y, w, h = roi
        whole = type(x) is int and type(y) is int and type(w) is int and type(h) is int
        if whole and x >= 0 <= y and w > 0 < h and (size is None or x + w <= size[0] and y + h <= size[1]):
            return x, y, w, h
    except (TypeError, ValueError):
        pass
    frame = "of the frame" if size is None else "inside of the frame, %d x %d" % size
    raise ValueError("%s: expected (x, y, w, h), a part %s, got %r" % (name, frame, roi))


def scaled(result, width, height, roi=None):
    """A list of Detection for a picture of this size. Those of a frame of another size are scaled copies.

    roi     (x, y, w, h): the part of the frame that the picture shows, scaled to its size; None: the whole frame

    With a roi boxes may lie partly or wholly outside of the picture, masks are cut to it, and keypoints outside of it have
    the score -1. ValueError as of is_scaled and of checked_roi.
    """
    return [_scaled(d, width, height, roi) for d in result]


def _scaled(detection, width, height, roi):
    size = detection.frame_size
    whole = roi is None
    if whole:
        if not is_scaled(size, width, height):
            return detection
        roi = (0, 0) + size
    else:
        roi = checked_roi(roi, size)
    rect, score, class_id, label, mask, keypoints = detection
    x, y, w, h = _scaled_rect(rect, roi, width, height)
    # A box that is thinner than a pixel is still visible.
    if not w and rect[2] and rect[0] < roi[0] + roi[2] and rect[0] + rect[2] > roi[0]:
        x, w = min(x, width - 1), 1
    if not h and rect[3] and rect[1] < roi[1] + roi[3] and rect[1] + rect[3] > roi[1]:
        y, h = min(y, height - 1), 1
    if mask is not None:
        mask = scaled_mask(mask, width, height, None if whole else roi)
    if keypoints is not None:
        keypoints = _scaled_keypoints(keypoints, roi, width, height, whole)
    made = copied(detection, ((x, y, w, h), score, class_id, label, mask, keypoints))
    if len(detection._source) > _CORNERS:
        set_corners(made, later.results_oriented.scaled_table(detection, roi, width, height), 0)
    return made


def _scaled_keypoints(keypoints, roi, width, height, whole):
    factors = np.array([width / roi[2], height / roi[3], 1.0])
    if whole:
        return keypoints * factors
    keypoints = (keypoints - np.array([float(roi[0]), float(roi[1]), 0.0])) * factors
    # What draws keypoints would move them to the picture's edge.
    x, y = keypoints[:, 0], keypoints[:, 1]
    inside = (x >= 0.0) * (x < float(width)) * (y >= 0.0) * (y < float(height))
    keypoints[:, 2] = np.where(inside, keypoints[:, 2], -1.0)
    return keypoints


def scaled_mask(mask, width, height, roi=None):
    """A Mask for a picture of this size: itself if its frame has this size or none is known.

    roi     the part of the frame that the picture shows, as for `scaled`, or None
    """
    _, _, _, clip, transform = mask._parts()
    size = transform.frame_size
    if roi is None:
        if size is None or size == (width, height):
            return mask
        clip = _scaled_rect(clip, (0, 0) + size, width, height)
    else:
        roi = checked_roi(roi, size)
        clip = _cut(_scaled_rect(clip, roi, width, height), width, height)
    return ScaledMask(mask, clip, _last(transform, width, height, roi, _scaled_mask_transform))


def scaled_map_transform(transform, width, height, roi=None):
    """The MapTransform of a Segmentation for a picture of this size, which is not its frame's, or shows a roi of it."""
    if roi is not None:
        roi = checked_roi(roi, transform.frame_size)
    return _last(transform, width, height, roi, _scaled_map_transform)


def _last(source, width, height, roi, make):
    """The scaled transform: the kept one if it is for the same size and roi, else a new one, which is kept."""
    key, made = _kept.get(source, (None, None))
    if key != (width, height, roi):
        made = make(source, width, height, roi)
        if len(_kept) >= _MAX_KEPT:
            _kept.clear()
        _kept[source] = (width, height, roi), made
    return made


def _scaled_mask_transform(transform, width, height, roi):
    # The division comes last: no float is exactly 4 / 3, and a whole scale has to stay whole.
    x, y, w, h = roi or (0, 0) + transform.frame_size
    bounds = _scaled_rect(transform.bounds, (x, y, w, h), width, height)
    if roi:
        bounds = _cut(bounds, width, height)
    sx, ox = transform.sx * width / w, (transform.ox - x) * width / w
    sy, oy = transform.sy * height / h, (transform.oy - y) * height / h
    return type(transform)(sx, ox, sy, oy, bounds)


def _scaled_map_transform(transform, width, height, roi):
    x, y, w, h = roi or (0, 0) + transform.frame_size
    left, top, across, down = transform.seen
    if roi:
        right, bottom = min(left + across, x + w), min(top + down, y + h)
        left, top = min(max(left, x), x + w), min(max(top, y), y + h)
        across, down = max(right - left, 0), max(bottom - top, 0)
    seen = (left - x) * width / w, (top - y) * height / h, across * width / w, down * height / h
    sx, ox = transform.sx * width / w, (transform.ox - x) * width / w
    sy, oy = transform.sy * height / h, (transform.oy - y) * height / h
    size = transform.width, transform.height
    return type(transform)(transform.class_info, InputTransform(None, seen, sx, ox, sy, oy), size, size)


def _scaled_rect(rect, roi, width, height):
    """The rectangle (x, y, w, h) of the pixels, of a picture of this roi, whose centers lie in a rectangle of the frame."""
    x, y, w, h = rect
    x -= roi[0]
    y -= roi[1]
    left = _first(x, width, roi[2])
    top = _first(y, height, roi[3])
    return left, top, _first(x + w, width, roi[2]) - left, _first(y + h, height, roi[3]) - top


def _cut(rect, width, height):
    """The part of a rectangle that is in the picture; an empty one at its edge if none is."""
    x, y, w, h = rect
    left, top = min(max(x, 0), width), min(max(y, 0), height)
    return left, top, max(min(x + w, width) - left, 0), max(min(y + h, height) - top, 0)


def _first(at, pixels, of):
    """The first pixel, of `pixels` in a row, whose center is not left of `at`, a position in a row of `of`. In integers."""
    return -((of - 2 * at * pixels) // (2 * of))
