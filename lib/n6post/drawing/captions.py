"""Text that belongs to the whole picture: Classification.draw."""

from ..pixels.colors import FONT_HEIGHT, checked_color, class_color, rgb565, target_of
from ..pixels.colors import text_scale as usual_text_scale
from ..pixels.text import recognized
from ..tensors.lazy import later
from .text import place_for, size_of, write


def draw_caption(img, classification, color):
    """Classification.draw."""
    target = target_of(img)
    recognized(target)
    _write(classification, target, None if color is None else checked_color(color), None)


def draw_classification(classification, target, color, alpha, thickness, labels, color_by, text_scale, roi):
    """A Classification for `draw`, which has checked its options but for color_by and roi."""
    if color_by != "class":
        raise ValueError("color_by: expected 'class' for a Classification, got %r" % (color_by,))
    if roi is not None:
        later.results_scaled.checked_roi(roi)
    if labels:
        _write(classification, target, color, text_scale)


def _write(classification, target, color, text_scale):
    if not len(classification):
        return
    class_id, label, score = classification[0]
    # NaN and infinity cannot be here: NaN passes no threshold, and a softmax has neither.
    text = "%s %d%%" % (label, int(min(max(score, 0.0), 1.0) * 100 + 0.5))
    ground = color or class_color(class_id)
    r, g, b = ground
    ink = 0 if 38 * r + 75 * g + 15 * b >= 128 * 128 else 0xFFFF
    ground = rgb565(ground)
    scale = text_scale or usual_text_scale(target[2])
    w, h = size_of(text, scale)[0] + 2 * scale, (FONT_HEIGHT + 2) * scale
    x, y = place_for(target, 0, 0, w, h)
    write(target, x, y, w, h, "", ground, 0, scale)
    write(target, x + scale, y + scale, w - 2 * scale, FONT_HEIGHT * scale, text, -1, ink, scale, part=True)
