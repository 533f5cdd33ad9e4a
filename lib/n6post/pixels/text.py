"""Text in a frame: how the firmware writes it, how wide it is, and what drawing keeps of it from one call to the next.

Text is proportional: with mono_space=False the firmware moves each character to the left by the empty columns of its glyph,
and the next one follows after one empty column. A space is three columns wide.
"""

from array import array

from ..firmware import draw_text
from .colors import FONT_HEIGHT, FONT_WIDTH, gray

# The font of the kernel `box`: the glyphs " " to "~", 8 x 10 bytes each, 0 where there is no ink, which text_width fills in;
# then a digit for each: how far the next character is, its columns with ink and one more, or three for a space. The
# self-test compares the digits with the firmware's font.
font = bytearray(95 * 80)
font += b"32365752334633245355545455235543865565456245467656544668665343453454543552343855553435464434245"

_known = {}  # the widths of characters whose glyphs the font has, and of texts


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


class Drawn:
    """What drawing keeps from one call to the next: `drawn` is the only one. `__init__` forgets everything.

    picture     how the last picture with texts is recognized. A camera writes every frame into the same few buffers, so a
                text itself has to be there: first one pixel of it, because that costs little, then a function looks at more.
                [None: no text is known, or a function of (pixels, depth, width, height), the offset of the pixel, its first
                and its last byte]. `remember` sets the function last; `recognized` clears it if another picture comes, and
                `draw` until all is drawn: after an error no text is known
    texts       (x, y, w, h, text, ground, ink, scale) of each text in that picture, ground and ink as RGB565, a ground of -1
                for none. What is drawn later does not cover half of one. Valid with a function; `recognized` clears them

    What draw.py keeps of the last list of Detection. It is valid while the function in `picture` is draw.py's. The lists are
    overwritten, never cleared: a list that grows anew would search the heap at each step.

    count       of its detections; the lists and the table may be longer
    labels      the text of each, "" for none
    rows        the table of place_labels: x, y, height of the box and width of each label
    scale       of their text
    paints      the color of each: what _paint of draw.py returns

    What is made once and looked up in later frames. Always valid; draw.py clears what is full:

    numbers, made   the texts of labels, as label_detections takes them
    colors      what _paint returns for (r, g, b), or for the number of a class, a track or a position
    """

    def __init__(self):
        self.picture = [None, 0, 0, 0]  # type: list
        self.texts = []
        self.count = 0
        self.labels = []
        self.rows = array("i")
        self.scale = 1
        self.paints = []
        self.numbers = {}
        self.made = {}
        self.colors = {}


drawn = Drawn()


def recognized(target):
    """`drawn.texts`, which are emptied if this is another picture. Called before anything is drawn into it."""
    pixels, depth, _, _ = target
    texts = drawn.texts
    are_there, at, first, last = drawn.picture
    if are_there is not None:
        if at + depth <= len(pixels) and pixels[at] == first and pixels[at + depth - 1] == last:
            if are_there(target):
                return texts
        drawn.picture[0] = None
    if texts:
        texts.clear()
    return texts


def remember(pixels, at, depth, are_there):
    """Recognize this picture by the pixel at this offset, of a text, and then by `are_there`."""
    if 0 <= at < len(pixels):
        picture = drawn.picture
        picture[1] = at
        picture[2] = pixels[at]
        picture[3] = pixels[at + depth - 1]
        picture[0] = are_there
