"""Pictures of results: masks, boxes, labels, skeletons and class maps on an RGB565 or GRAYSCALE frame.

Every drawing call takes one tuple of ints and keywords: firmware 4.8.1 and 5.0 both accept that.
"""

from .labels import color as class_color


def draw(img, result, color=None, alpha=128, thickness=2, masks=True, boxes=True, labels=True, smooth=True):
    """Draw what a processor returned onto the frame, and return the frame.

    result      a list of Detection, or a Segmentation
    color       (r, g, b) for everything; None: one colour a class
    alpha       of masks and class maps, 0..255 (below 8 an RGB565 frame does not change: the firmware cuts alpha to 5 bits)
    thickness   of boxes, pixels
    masks, boxes, labels   what to draw
    smooth      False: masks as blocks, drawn with a plain draw_image (on the N6 that goes to the GPU)
    """
    if not isinstance(result, (list, tuple)) or hasattr(result, "_fields"):
        if not hasattr(result, "draw"):
            raise ValueError("expected a list of Detection or a Segmentation, got %s" % type(result).__name__)
        result.draw(img, alpha=alpha)
        return img
    if masks:
        # The best last: where masks overlap it lies on top.
        for d in reversed(result):
            if d.mask is not None:
                d.mask.draw(img, color or class_color(d.class_id), alpha, smooth)
    for d in reversed(result):
        paint = color or class_color(d.class_id)
        if boxes:
            img.draw_rectangle(d.rect, color=paint, thickness=thickness)
        if d.keypoints is not None:
            from .skeleton import draw_pose

            draw_pose(img, d)
        if labels:
            _draw_label(img, d, paint)
    return img


def _draw_label(img, d, paint):
    text = "%s %d%%" % (d.label, int(d.score * 100 + 0.5))
    x, y, w, h = d.rect
    width = 8 * len(text) + 2  # the firmware's font: 8 x 10 pixels a character
    height = 11
    x = max(0, min(x, img.width() - width))
    y = y - height if y >= height else min(y, max(0, img.height() - height))
    img.draw_rectangle((x, y, width, height), color=paint, fill=True)
    r, g, b = paint
    dark = 38 * r + 75 * g + 15 * b < 128 * 128
    img.draw_string((x + 1, y), text, color=(255, 255, 255) if dark else (0, 0, 0))
