"""Text that belongs to the whole picture: Classification.draw."""

from ..pixels.colors import FONT_HEIGHT, checked_color, class_color, rgb565
from ..pixels.colors import text_scale as usual_text_scale
from .text import place_for, size_of, target_of, write


def draw_classification(img, classification, color, text_scale=None):
    """Classification.draw. text_scale: 1 to 8, or None."""
    target = target_of(img)
    if color is not None:
        color = checked_color(color)
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
