"""Text in a frame, written by the firmware's draw_string."""

from .firmware import draw_string_takes_xy_tuple


def draw_text(img, x, y, text, color, scale):
    """Write a text whose upper left corner is frame pixel (x, y). The firmware has two forms of the call.

    color   (r, g, b)
    scale   1 or 2: a character takes FONT_WIDTH * scale pixels by FONT_HEIGHT * scale
    """
    if draw_string_takes_xy_tuple():  # 5.0
        img.draw_string((x, y), text, color=color, scale=scale)
    else:  # 4.8.1
        img.draw_string((x, y, text), color=color, scale=scale)
