"""Areas on a Plane, and sizes of what stands on it. Imported on first use."""

from math import sqrt

from ..pixels.pixel_edges import shown
from ..tensors.lazy import later
from .anchor_points import is_cut
from .plane import _HORIZON, _distance

_WIDEST, _NARROWEST = 0.25, 10.0  # focal length of a camera, in widths of the frame


def area(plane, result, class_id):
    """Plane.area."""
    mask = result
    if class_id is not None and getattr(result, "class_map", None) is not None:
        mask = result.mask(class_id)
    elif class_id is not None or not isinstance(result, later.results_mask.Mask):
        raise ValueError("area: expected a Mask, or a Segmentation and a class, got %s" % type(result).__name__)
    _, _, crop, clip, transform = mask._parts()
    plane._check_frame(transform.frame_size)
    px, py, a, b, c, d, e, f, g, h, _, _ = plane._to_world
    x, columns, y, rows = shown(transform, crop, clip)
    total = 0.0
    for row, first, end in later.results_parts.runs(mask):
        if not y <= row < y + len(rows) - 1:
            continue
        left, right = [columns[min(max(at - x, 0), len(columns) - 1)] for at in (first, end)]
        top, bottom = rows[row - y], rows[row - y + 1]
        if left == right or top == bottom:
            continue
        # A triangle of the area s in the frame has |H| s / (w1 w2 w3) on the plane, the ws being those of its corners.
        low, high = h * (top - py) + 1.0, h * (bottom - py) + 1.0
        left, right, wide = g * (left - px), g * (right - px), right - left
        if min(left, right) + min(low, high) < _HORIZON:
            return None
        corners = (left + low) * (right + high)
        total += wide * (bottom - top) / corners * (1.0 / (right + low) + 1.0 / (left + high))
    return total * 0.5 * abs(a * (e - f * h) - b * (d - f * g) + c * (d * h - e * g))


def size(plane, detection):
    """Plane.size."""
    plane._positions([detection])  # learns the size of the frame
    frame = plane.frame_size
    if frame is None:
        raise ValueError("size: expected a plane whose frame_size is known, or a detection whose is, got None")
    x, y, w, h = detection[0]
    left, foot, right = [plane._place((at, y + h)) for at in (x, x + w / 2, x + w)]
    if is_cut(detection, "center", frame) or not (left and foot and right):
        return None
    return _distance(left, right), _height(plane._to_image, foot, y, frame)


def _height(to_image, foot, top, frame):
    """The height in meters of a vertical line from this place to the frame row `top`; None if it is not known."""
    _, _, a, b, c, d, e, f, g, h, px, py = to_image
    px, py = px - frame[0] / 2, py - frame[1] / 2
    # The homography to pixels from the middle of the frame; its columns are those of the camera's rotation, and its place.
    ax, ay, bx, by, cx, cy = a + px * g, d + py * g, b + px * h, e + py * h, c + px, f + py
    # They have right angles and one length: two equations for the focal length, of which the sum does not depend on how the
    # plane's coordinates are turned.
    across, along = 2 * (ax * bx + ay * by), ax * ax + ay * ay - bx * bx - by * by
    square = across * across + along * along
    inverse = -(across * 2 * g * h + along * (g * g - h * h))
    if not square < inverse * (_NARROWEST * frame[0]) ** 2 or not square > inverse * (_WIDEST * frame[0]) ** 2:
        return None
    focus = sqrt(square / inverse)
    ax, ay, bx, by, cx, cy = [one / focus for one in (ax, ay, bx, by, cx, cy)]
    ux, uy, uz = ay * h - g * by, g * bx - ax * h, ax * by - ay * bx  # the vertical, times the square of their length
    length = sqrt(sqrt((ax * ax + ay * ay + g * g) * (bx * bx + by * by + h * h)))
    if ux * cx + uy * cy + uz > 0:  # away from the camera
        length = -length
    x, y = foot
    top = (top - frame[1] / 2) / focus
    down = (top * uz - uy) / length
    return (ay * x + by * y + cy - top * (g * x + h * y + 1.0)) / down if down else None
