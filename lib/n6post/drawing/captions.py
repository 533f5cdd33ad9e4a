"""Text that belongs to the whole picture: Classification.draw."""

from ..pixels.colors import FONT_HEIGHT, FONT_WIDTH, checked_color, class_color, depth_of, text_scale
from ..pixels.text import draw_text


def draw_classification(img, classification, color):
    """Classification.draw."""
    depth_of(img)
    if color is not None:
        color = checked_color(color)
    if not len(classification):
        return
    class_id, label, score = classification[0]
    # NaN and infinity cannot be here: NaN passes no threshold, and a softmax has neither.
    text = "%s %d%%" % (label, int(min(max(score, 0.0), 1.0) * 100 + 0.5))
    ground = color or class_color(class_id)
    r, g, b = ground
    ink = (0, 0, 0) if 38 * r + 75 * g + 15 * b >= 128 * 128 else (255, 255, 255)
    scale = text_scale(img.width())
    img.draw_rectangle((0, 0, (FONT_WIDTH * len(text) + 4) * scale, (FONT_HEIGHT + 2) * scale), color=ground, fill=True)
    draw_text(img, 2 * scale, scale, text, ink, scale)
