"""hide: people, faces or anything else made unrecognizable in a frame."""

from array import array
from math import floor

from ..kernels import hide as hide_kernels
from ..kernels.params.hide import BLUR, FILL, PIXELATE
from ..kernels.params.hide import hide_cells as hide_cells_params
from ..kernels.params.hide import mark_cells as mark_cells_params
from ..pixels.colors import checked_color, depth_of, rgb565
from ..results.detection import Detection
from ..tensors.lazy import later
from ..tensors.options import number

_WAYS = {"pixelate": PIXELATE, "blur": BLUR, "fill": FILL}
_INSIDE = b"\xff"  # a mask of one pixel, which reaches to the clip rectangle

_kept = []  # buffers for cells and their means, kept for the next frame


def hide(img, detections, *, how="pixelate", color=(0, 0, 0), grow=0.05, size=None, roi=None):
    """Make the objects in a picture unrecognizable, each by its mask or else by its box, and return the picture.

    img         an RGB565 or GRAYSCALE image. One of another size than the frame is treated as the frame, scaled
    detections  a list of Detection
    how         "pixelate": blocks of their mean color; "blur": smooth transitions between these means; "fill": one color
    color       (r, g, b) of "fill"
    grow        by how much the hidden part is larger than the object, on each side: a fraction of its box's size, 0..10
    size        of the blocks, pixels, 2 to 64; None: a sixth of the box's shorter side, at least 8; 4 for "fill"
    roi         (x, y, w, h): the part of the frame that `img` shows; None: all of it

    Whole blocks are hidden: each that the grown box or mask touches. Only a box that is filled is filled exactly. What
    remains of hidden pixels are means of blocks. ValueError for anything else than described, and as for `n6post.draw`.
    """
    depth = depth_of(img)
    if not isinstance(how, str) or how not in _WAYS:
        raise ValueError("how: expected 'pixelate', 'blur' or 'fill', got %r" % (how,))
    color = checked_color(color)
    number("grow", grow, 0.0, 10.0)
    if size is not None:
        number("size", size, 2, 64)
    width, height = img.width(), img.height()
    grow = int(grow * 1000 + 0.5)  # from here on in integers, for the same pixels on a camera and a PC
    for d in _in_picture(detections, width, height, roi):
        _hide(img, d, depth, width, height, _WAYS[how], color, grow, size)
    return img


def _in_picture(detections, width, height, roi):
    if not isinstance(detections, (list, tuple)) or isinstance(detections, Detection):
        raise ValueError("detections: expected a list of Detection, got %s" % type(detections).__name__)
    other_size = False
    for d in detections:
        if not isinstance(d, Detection):
            raise ValueError("detections: expected a list of Detection, got a list with %s" % type(d).__name__)
        frame_size = d.frame_size
        other_size = other_size or frame_size is not None and frame_size != (width, height)
    if roi is None and not other_size:
        return detections
    results = later.results_scaled
    if roi is not None:
        results.checked_roi(roi)
    return results.scaled(detections, width, height, roi)


def _hide(img, detection, depth, width, height, how, color, grow, size):
    (x, y, w, h), _, _, _, mask, _ = detection
    margin_x, margin_y = -(-w * grow // 1000), -(-h * grow // 1000)
    transform = None
    if mask is not None:
        data, (wx, wy, ww, wh), _, (x, y, w, h), transform = mask._parts()
    x0, y0 = max(x - margin_x, 0), max(y - margin_y, 0)
    x1, y1 = min(x + w + margin_x, width), min(y + h + margin_y, height)
    if w <= 0 or h <= 0 or x0 >= x1 or y0 >= y1:
        return
    if how == FILL and transform is None:
        # Every pixel has its color, and for a tenth of what the firmware's draw_rectangle costs.
        target = img.bytearray(), depth, width, height
        later.drawing_painted_text.paint(target, ((x0, y0, x1 - x0, y1 - y0, "", rgb565(color), 0, 1),))
        return
    if size is None:
        size = 4 if how == FILL else min(max(min(w, h) // 6, 8), 64)
    # The cells of this rectangle; those around it are needed to interpolate.
    ring = 1 if how == BLUR else 0
    left, top = max(x0 // size - ring, 0), max(y0 // size - ring, 0)
    columns = min((x1 - 1) // size + ring, (width - 1) // size) - left + 1
    rows = min((y1 - 1) // size + ring, (height - 1) // size) - top + 1
    if len(_kept) == 0 or len(_kept[0]) < columns * rows:
        _kept[:] = [bytearray(columns * rows), array("H", bytes(2 * columns * rows))]
    cells, means = _kept
    if transform is None:
        data, ww, wh, wx, wy, sx, sy, ox, oy = _INSIDE, 1, 1, 0, 0, 0.0, 0.0, 0.0, 0.0
    else:
        sx, ox, sy, oy = transform.sx, transform.ox, transform.sy, transform.oy
    start_x, start_y = floor(wx * sx + ox), floor(wy * sy + oy)
    step_x, step_y = int(sx * 32768.0), int(sy * 32768.0)
    area = x0, y0, x1, y1, left, top, size, columns, rows
    hide_kernels.mark_cells(
        data, mark_cells_params(ww, wh, start_x, start_y, step_x, step_y, margin_x, margin_y, *area), cells
    )
    block = hide_cells_params(depth, width, height, left, top, columns, rows, size, how, rgb565(color))
    hide_kernels.hide_cells(img.bytearray(), block, cells, means)
