"""Pictures of results: masks, boxes, labels, skeletons and class maps on an RGB565 or GRAYSCALE frame.

Every drawing call of the firmware takes one tuple of ints and keywords here: 4.8.1 and 5.0 both accept that. Of
draw_string no form suits both: firmware.py finds out which one does here.
"""

from .detection import Detection
from .firmware import text_apart
from .kernels.drawing import box
from .kernels.drawing_plans import (
    BOX_COLOR,
    BOX_DEPTH,
    BOX_FRAME_HEIGHT,
    BOX_FRAME_WIDTH,
    BOX_GROUND_H,
    BOX_GROUND_W,
    BOX_GROUND_X,
    BOX_GROUND_Y,
    BOX_H,
    BOX_THICKNESS,
    BOX_W,
    BOX_X,
    BOX_Y,
)
from .kernels.drawing_plans import box as box_plan
from .options import number
from .painting import draw_blocks, draw_map, tint
from .pixels import FONT_HEIGHT, FONT_WIDTH, checked_color, class_color, depth_of, rgb565, text_scale

_plan = box_plan()


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
    if not isinstance(result, (list, tuple)) or isinstance(result, Detection):
        if not isinstance(result, _segmentation()):
            raise ValueError("expected a list of Detection or a Segmentation, got %s" % type(result).__name__)
        draw_map(img, result, color and [color] * 256, alpha if masks else 0, labels)
        return img
    # What is asked for more than once is kept in a local, and a Detection is unpacked: on the camera an attribute or an item
    # costs as much as drawing hundreds of pixels.
    depth = depth_of(img)
    pixels = img.bytearray()
    width = img.width()
    height = img.height()
    if masks:
        for _, _, class_id, _, mask, _ in reversed(result):  # the best last: where masks overlap it lies on top
            if mask is None:
                continue
            if smooth:
                tint(mask, pixels, depth, width, height, _paint(color, class_id)[0], alpha)
            else:
                draw_blocks(img, mask, _paint(color, class_id)[0], alpha)
    if boxes or labels:
        plan = _plan
        plan[BOX_DEPTH] = depth
        plan[BOX_FRAME_WIDTH] = width
        plan[BOX_FRAME_HEIGHT] = height
        plan[BOX_THICKNESS] = thickness if boxes else 0
        _draw_boxes(img, pixels, width, result, color, labels)
    for d in reversed(result):
        if d[5] is not None:
            _draw_pose(img, d)
    return img


# What is loaded when it is needed first, and kept: an import statement is dear every time.
_loaded = {}


def _segmentation():
    if "segmentation" not in _loaded:
        from .segmentation import Segmentation

        _loaded["segmentation"] = Segmentation
    return _loaded["segmentation"]


def _draw_pose(img, detection):
    if "pose" not in _loaded:
        from .skeleton import draw_pose

        _loaded["pose"] = draw_pose
    _loaded["pose"](img, detection)


def _draw_boxes(img, pixels, width, result, color, labels):
    plan = _plan
    plan[BOX_GROUND_W] = 0
    scale = text_scale(width)
    cell = scale * FONT_WIDTH
    plan[BOX_GROUND_H] = line = scale * FONT_HEIGHT + 1
    apart = labels and text_apart()
    for (x, y, w, h), score, class_id, label, _, _ in reversed(result):
        plan[BOX_COLOR], ink = _paint(color, class_id)
        plan[BOX_X] = x
        plan[BOX_Y] = y
        plan[BOX_W] = w
        plan[BOX_H] = h
        if not labels:
            box(pixels, plan)
            continue
        try:
            text = "%s %d%%" % (label, score * 100 + 0.5)
        except OverflowError:  # an infinite score
            text = label
        span = cell * len(text) + 2
        if x + span > width:
            x = width - span if width > span else 0
        if y >= line:
            y -= line
        plan[BOX_GROUND_X] = x
        plan[BOX_GROUND_Y] = y
        plan[BOX_GROUND_W] = span
        box(pixels, plan)
        if apart:
            img.draw_string((x + 1, y), text, color=ink, scale=scale)
        else:
            img.draw_string((x + 1, y, text), color=ink, scale=scale)


_paints = {}


def _paint(color, class_id):
    """(the RGB565 of a color or of a class's own, the colour of text on it), kept for the next frame."""
    key = color or class_id
    if key not in _paints:
        r, g, b = color or class_color(class_id)
        # Black on what is light, white on what is dark, by the firmware's luma.
        ink = (0, 0, 0) if 38 * r + 75 * g + 15 * b >= 128 * 128 else (255, 255, 255)
        if len(_paints) > 100:
            _paints.clear()
        _paints[key] = rgb565((r, g, b)), ink
    return _paints[key]
