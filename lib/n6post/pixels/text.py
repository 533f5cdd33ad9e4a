"""Text in a frame, written by the firmware's draw_string, and how wide it is.

Text is proportional: with mono_space=False the firmware moves each character to the left by the empty columns of its glyph,
and the next one follows after one empty column. A space is three columns wide.
"""

from .colors import FONT_HEIGHT, FONT_WIDTH, gray
from .firmware import draw_string_takes_xy_tuple

# The font of the kernel `box`: the glyphs " " to "~", 8 x 10 bytes each, 0 where there is no ink, which text_width fills in;
# then a digit for each: how far the next character is, its columns with ink and one more, or three for a space. The
# self-test compares the digits with the firmware's font.
font = bytearray(95 * 80)
font += b"32365752334633245355545455235543865565456245467656544668665343453454543552343855553435464434245"

_known = {}  # the widths of characters whose glyphs the font has, and of texts


def draw_text(img, x, y, text, color, scale):
    """Write a text whose upper left corner is frame pixel (x, y). The firmware has two forms of the call.

    color   (r, g, b)
    scale   1 to 8: a line takes FONT_HEIGHT * scale pixels, and text_width(text) * scale
    """
    if draw_string_takes_xy_tuple():  # 5.0
        img.draw_string((x, y), text, color=color, scale=scale, mono_space=False)
    else:  # 4.8.1
        img.draw_string((x, y, text), color=color, scale=scale, mono_space=False)


def text_width(text):
    """The width in pixels, at a scale of 1, of a text or of its widest line, with the column after its last character.

    The font has the glyphs of its characters from then on: the firmware draws each of them once. Characters that the
    firmware's font lacks have no width.
    """
    if text in _known:
        return _known[text]
    if len(_known) > 400:
        _known.clear()
    glyphs = None
    widest = width = 0
    for letter in text:
        if letter == "\0":  # where the firmware ends a text
            break
        if letter == "\n" or letter == "\r":
            width = 0
        elif " " <= letter <= "~":
            at = ord(letter) - 32
            if letter not in _known:
                glyphs = glyphs or gray(font, FONT_WIDTH, 95 * FONT_HEIGHT)
                draw_text(glyphs, 0, at * FONT_HEIGHT, letter, (255, 255, 255), 1)
                _known[letter] = font[95 * 80 + at] - 48
            width += font[95 * 80 + at] - 48
            if width > widest:
                widest = width
    _known[text] = widest
    return widest


# The texts that are in the last picture, so that what is drawn later onto the same picture does not cover half of them:
# (x, y, w, h, text, ground, ink, scale) of each, ground and ink as RGB565, a ground of -1 for none.
texts = []

# How that picture is recognized. A camera writes every frame into the same few buffers, so it is the text itself that has to
# be there: first one pixel of it, because that costs little, then a function looks at more.
# - None: no text is known. A function of (pixels, depth, width, height): whether `texts` are in that picture
# - the offset of the pixel, and its first and last byte
picture = [None, 0, 0, 0]


def recognized(target):
    """`texts`, which are emptied if this is another picture. Called before anything is drawn into it."""
    pixels, depth, _, _ = target
    are_there, at, first, last = picture
    if are_there is not None:
        if at + depth <= len(pixels) and pixels[at] == first and pixels[at + depth - 1] == last:
            if are_there(target):  # type: ignore[operator]
                return texts
        picture[0] = None
    if texts:
        texts.clear()
    return texts


def remember(pixels, at, depth, are_there):
    """Recognize this picture by the pixel at this offset, of a text, and then by `are_there`."""
    if 0 <= at < len(pixels):
        picture[1] = at
        picture[2] = pixels[at]
        picture[3] = pixels[at + depth - 1]
        picture[0] = are_there
