"""Pictures of results: masks, boxes, labels, skeletons and class maps on an RGB565 or GRAYSCALE frame.

Every drawing call of the firmware takes one tuple of ints and keywords here: 4.8.1 and 5.0 both accept that.
"""

from array import array

from micropython import const

from . import kernels, number
from .labels import color as class_color
from .mask import checked_color, pixel_bytes

_CELL_WIDTH = const(8)  # of the firmware's font
_CELL_HEIGHT = const(10)

_plan = array("i", [0] * 13)  # of kernels.box


def draw(img, result, color=None, alpha=128, thickness=2, masks=True, boxes=True, labels=True, smooth=True):
    """Draw what a processor returned onto the frame, and return the frame.

    result      a list of Detection, or a Segmentation
    color       (r, g, b) for everything; None: one colour a class
    alpha       of masks and class maps, 0..255 (below 8 an RGB565 frame does not change: the firmware cuts alpha to 5 bits)
    thickness   of boxes, pixels, 0..100
    masks, boxes, labels   what to draw; of a Segmentation masks is the map and labels its legend
    smooth      False: masks as blocks, drawn with a plain draw_image (on the N6 that goes to the GPU)

    ValueError for an image that is neither RGB565 nor GRAYSCALE, an option out of range, and for what is no result.
    """
    number("alpha", alpha, 0, 255)
    number("thickness", thickness, 0, 100)
    if color is not None:
        color = checked_color(color)
    if not isinstance(result, (list, tuple)) or hasattr(result, "rect"):
        if not hasattr(result, "present"):
            raise ValueError("expected a list of Detection or a Segmentation, got %s" % type(result).__name__)
        result.draw(img, palette=color and [color] * 256, alpha=alpha if masks else 0, legend=labels)
        return img
    # What is asked for more than once is kept in a local, and a Detection is unpacked: on the camera a call, an attribute or
    # an item of an array costs 400 to 1,500 instructions, and there is a budget for the lot.
    depth = pixel_bytes(img)
    pixels = img.bytearray()
    width = img.width()
    height = img.height()
    if masks:
        for _, _, class_id, _, mask, _ in reversed(result):  # the best last: where masks overlap it lies on top
            if mask is None:
                continue
            if smooth:
                mask.tint(pixels, depth, width, height, _paint(color, class_id)[1], alpha)
            else:
                mask.draw(img, _paint(color, class_id)[0], alpha, False)
    if boxes or labels:
        plan = _plan
        plan[0] = depth
        plan[1] = width
        plan[2] = height
        plan[7] = thickness if boxes else 0
        _draw_boxes(img, pixels, width, result, color, labels)
    for d in reversed(result):
        if d[5] is not None:
            from .skeleton import draw_pose

            draw_pose(img, d)
    return img


def _draw_boxes(img, pixels, width, result, color, labels):
    plan = _plan
    plan[10] = 0
    # The font's cells are 8 x 10 pixels: from VGA on they would be too small to read.
    scale = 2 if width >= 480 else 1
    cell = scale * _CELL_WIDTH
    plan[11] = line = scale * _CELL_HEIGHT + 1
    for (x, y, w, h), score, class_id, label, _, _ in reversed(result):
        _, plan[12], ink = _paint(color, class_id)
        plan[3] = x
        plan[4] = y
        plan[5] = w
        plan[6] = h
        if not labels:
            kernels.box(pixels, plan)
            continue
        text = "%s %d%%" % (label, score * 100 + 0.5)
        span = cell * len(text) + 2
        if x + span > width:
            x = width - span if width > span else 0
        if y >= line:
            y -= line
        plan[8] = x
        plan[9] = y
        plan[10] = span
        kernels.box(pixels, plan)
        img.draw_string((x + 1, y), text, color=ink, scale=scale, mono_space=True)


_paints = {}


def _paint(color, class_id):
    """(color (r, g, b), its RGB565, the colour of text on it), kept for the next frame."""
    key = color or class_id
    if key not in _paints:
        r, g, b = color or class_color(class_id)
        # Black on what is light, white on what is dark, by the firmware's luma.
        ink = (0, 0, 0) if 38 * r + 75 * g + 15 * b >= 128 * 128 else (255, 255, 255)
        if len(_paints) > 100:
            _paints.clear()
        _paints[key] = (r, g, b), (r & 0xF8) << 8 | (g & 0xFC) << 3 | b >> 3, ink
    return _paints[key]
