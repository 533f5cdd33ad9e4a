"""Text in a picture: `n6post.text`, and what zones, captions and legends write.

A text is kept as (x, y, w, h, text, ground, ink, scale), as in pixels/text.py. It begins `scale` pixels right of x, at y.
"""

from ..pixels.colors import FONT_HEIGHT, checked_color, rgb565, target_of, text_scale
from ..pixels.text import drawn, recognized, remember, text_width
from ..tensors.lazy import later
from ..tensors.options import number
from .painted_text import paint

_POINTS = (
    "top_left", "top_center", "top_right", "center_left", "center", "center_right",
    "bottom_left", "bottom_center", "bottom_right",
)  # fmt: skip


def text(img, xy, what, *, color=(255, 255, 255), scale=None, background=None, align="top_left"):
    """Write a text into the picture, the same on every firmware, and return the picture.

    img         an RGB565 or GRAYSCALE image
    xy          (x, y), the pixel where the point `align` of the text is. What is outside of the picture is cut off
    what        a str; a line feed begins a new line. Characters other than ASCII have no glyph and are left out
    color       (r, g, b)
    scale       1 to 8: how much larger than the font, whose lines are 10 pixels high; None: 2 for pictures that are 480
                pixels wide or more, else 1
    background  (r, g, b) of a rectangle behind the text; None: none
    align       which point of the text is at xy: "top_left", "top_center", "top_right", "center_left", "center",
                "center_right", "bottom_left", "bottom_center" or "bottom_right"

    ValueError for an image of another format, and for anything else that is not as described.
    """
    target = target_of(img)
    recognized(target)
    x, y = _checked_place(xy)
    if not isinstance(what, str):
        raise ValueError("what: expected a text, got %r" % (what,))
    ink = rgb565(checked_color(color))
    ground = -1 if background is None else rgb565(checked_color(background))
    scale = text_scale(target[2]) if scale is None else number("scale", scale, 1, 8)
    if not isinstance(align, str) or align not in _POINTS:
        raise ValueError("align: expected one of %s, got %r" % (", ".join([repr(one) for one in _POINTS]), align))
    what = what.split("\0")[0]  # the firmware ends there
    w, h = size_of(what, scale)
    at = _POINTS.index(align)
    write(target, x - at % 3 * (w - 1) // 2, y - at // 3 * (h - 1) // 2, w, h, what, ground, ink, scale)
    return img


def _checked_place(xy):
    try:
        x, y = xy
        if type(x) is int and type(y) is int and -32768 <= x <= 32767 and -32768 <= y <= 32767:
            return x, y
    except (TypeError, ValueError):
        pass
    raise ValueError("xy: expected (x, y), two integers, got %r" % (xy,))


def size_of(text, scale):
    """Width and height of a text with its ground; its glyphs are known from now on."""
    lines = 1 + text.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    return (text_width(text) + 1) * scale, FONT_HEIGHT * scale * lines


def place_for(target, x, y, w, h):
    """(x, y) of a rectangle in the picture, clear of the texts that are already in it, if there is such a place near by."""
    _, _, width, height = target
    x, y = max(0, min(x, width - w)), max(0, min(y, height - h))
    return later.drawing_earlier.free_place(width, height, x, y, w, h) if drawn.texts else (x, y)


def write(target, x, y, w, h, text, ground, ink, scale, part=False):
    """Write a text into the picture, in a rectangle of size_of or larger.

    target      as of colors.target_of
    ground      RGB565, or -1 for none
    part        whether it is a part of the text that was written before this one, such as a line of a legend
    """
    entry = x, y, w, h, text, ground, ink, scale
    paint(target, (entry,))
    texts = drawn.texts
    if texts and not part:
        later.drawing_earlier.drop(x, y, w, h)
    texts.append(entry)
    if ground >= 0:
        pixels, depth, width, _ = target
        remember(pixels, (y * width + x) * depth, depth, _are_there)


def write_clear(target, entries):
    """Write texts whose rectangles are in the picture, clear of those that are already there if there is a place near by."""
    texts = drawn.texts
    if texts and later.drawing_earlier.hit(entries):
        for x, y, w, h, what, ground, ink, scale in entries:
            x, y = place_for(target, x, y, w, h)
            write(target, x, y, w, h, what, ground, ink, scale)
    else:
        paint(target, entries)
        texts.extend(entries)
        pixels, depth, width, _ = target
        last = entries[-1]
        remember(pixels, (last[1] * width + last[0]) * depth, depth, _are_there)


def _are_there(target):
    return later.drawing_earlier.are_there(target)
