"""Pictures of results: masks, boxes, labels, skeletons and class maps on an RGB565 or GRAYSCALE frame.

Every drawing call of the firmware takes one tuple of ints and keywords here: 4.8.1 and 5.0 both accept that.
"""

from array import array

from micropython import const

from . import kernels
from .labels import color as class_color
from .mask import pixel

_CELL_WIDTH = const(8)  # of the firmware's font
_CELL_HEIGHT = const(10)

_plan = array("i", [0] * 13)  # of kernels.box


def draw(img, result, color=None, alpha=128, thickness=2, masks=True, boxes=True, labels=True, smooth=True):
    """Draw what a processor returned onto the frame, and return the frame.

    result      a list of Detection, or a Segmentation
    color       (r, g, b) for everything; None: one colour a class
    alpha       of masks and class maps, 0..255 (below 8 an RGB565 frame does not change: the firmware cuts alpha to 5 bits)
    thickness   of boxes, pixels
    masks, boxes, labels   what to draw
    smooth      False: masks as blocks, drawn with a plain draw_image (on the N6 that goes to the GPU)

    ValueError for an image that is neither RGB565 nor GRAYSCALE, and for what is no result.
    """
    if not isinstance(result, (list, tuple)) or hasattr(result, "_fields"):
        if not hasattr(result, "draw"):
            raise ValueError("expected a list of Detection or a Segmentation, got %s" % type(result).__name__)
        result.draw(img, alpha=alpha, legend=labels)
        return img
    if masks:
        # The best last: where masks overlap it lies on top.
        for d in reversed(result):
            if d.mask is not None:
                d.mask.draw(img, color or class_color(d.class_id), alpha, smooth)
    if not (boxes or labels):
        thickness = 0
    pixels = img.bytearray()
    width = img.width()
    height = img.height()
    plan = _plan
    plan[1] = width
    plan[2] = height
    # The font's cells are 8 x 10 pixels: from VGA on they would be too small to read.
    scale = 2 if width >= 480 else 1
    line = scale * _CELL_HEIGHT + 1
    for d in reversed(result):
        paint = color or class_color(d.class_id)
        x, y, w, h = d.rect
        plan[0], plan[12] = pixel(img, paint)
        plan[3] = x
        plan[4] = y
        plan[5] = w
        plan[6] = h
        plan[7] = thickness if boxes else 0
        plan[10] = 0
        if labels:
            text = "%s %d%%" % (d.label, int(d.score * 100 + 0.5))
            plan[10] = span = scale * _CELL_WIDTH * len(text) + 2
            plan[8] = left = max(0, min(x, width - span))
            plan[9] = top = y - line if y >= line else max(0, min(y, height - line))
            plan[11] = line
        kernels.box(pixels, plan)
        if labels:
            r, g, b = paint
            # Black on what is light, white on what is dark, by the firmware's luma.
            ink = (0, 0, 0) if 38 * r + 75 * g + 15 * b >= 128 * 128 else (255, 255, 255)
            img.draw_string((left + 1, top), text, color=ink, scale=scale, mono_space=True)
        if d.keypoints is not None:
            from .skeleton import draw_pose

            draw_pose(img, d)
    return img
