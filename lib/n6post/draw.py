"""Pictures of results: masks, boxes, labels, skeletons and class maps on an RGB565 or GRAYSCALE frame.

Every drawing call of the firmware takes one tuple of ints and keywords here: 4.8.1 and 5.0 both accept that. Of
draw_string no form suits both: firmware.py finds out which one does here.

Text is the firmware's, but costs 4,300 instructions a character: where a kernel writes, it asks the firmware once for the
glyph of each, and keeps it.
"""

from array import array

from .detection import Detection
from .firmware import text_apart
from .kernels.drawing import box, font, smooth_is_cheap, spread
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
    BOX_INK,
    BOX_SCALE,
    BOX_THICKNESS,
    BOX_W,
    BOX_X,
    BOX_Y,
    LABEL,
    SPREAD_COUNT,
    SPREAD_FRAME_HEIGHT,
    SPREAD_FRAME_WIDTH,
    SPREAD_LINE,
)
from .kernels.drawing_plans import box as box_plan
from .kernels.drawing_plans import spread as spread_plan
from .options import flag, number
from .painting import draw_blocks, draw_map, tint_all
from .pixels import FONT_HEIGHT, FONT_WIDTH, NO_TRACK, checked_color, class_color, depth_of, gray, rgb565, text_scale

_COLORED = ("class", "track", "instance")

_plan = box_plan()
_spread = spread_plan()


def draw(
    img, result, color=None, alpha=128, thickness=2, masks=True, boxes=True, labels=True, smooth=None, color_by="class"
):
    """Draw what a processor, a tracker, a zone or a trail tells onto the frame, and return the frame.

    result      a list of Detection, a Segmentation, a LineZone, a PolygonZone or a Trail
    color       (r, g, b) for everything; None: what color_by says, and white for zones
    alpha       of masks and class maps, 0..255 (below 8 an RGB565 frame does not change: the firmware cuts alpha to 5 bits)
    thickness   of boxes, zones and trails, pixels, 0..100
    masks, boxes    whether to draw them; of a Segmentation masks is the map
    labels      True: name and score, of a track with its number before them ("#3 person 75%"); a list of texts, one a
                detection, or a function that is called with each and returns its text: None or "" for no label; False: none.
                Of a Segmentation whether to draw its legend, of a zone its counts
    smooth      True: masks with smooth edges; False: as blocks, by plain draw_image (on the N6 that goes to the GPU); None:
                smooth where machine code does it, and on a PC; else blocks, which cost a fifth there
    color_by    what has a colour of its own, in mask, box, label and trail alike:
                "class"     each class; joints and limbs go by side, left and right
                "track"     each track_id, white where there is none; joints and limbs too: that tells persons apart
                "instance"  each place in the list, joints and limbs too

    A picture of another size than the frame (an LCD's) is taken for the frame, and all is scaled, x and y apart.
    A label stands above its box; where a better one's stands there already: inside at the top, below, inside at the bottom.

    ValueError for an image that is neither RGB565 nor GRAYSCALE, an option out of range, and for what is no result. A class
    map and zones have neither tracks nor places: of them color_by is "class".
    """
    number("alpha", alpha, 0, 255)
    number("thickness", thickness, 0, 100)
    if color is not None:
        color = checked_color(color)
    if color_by not in _COLORED:
        raise ValueError("color_by: expected 'class', 'track' or 'instance', got %r" % (color_by,))
    if not isinstance(result, (list, tuple)) or isinstance(result, Detection):
        overlay = getattr(result, "_overlay", None)  # of what happens over time: rooms above know their own pictures
        if overlay:
            overlay(img, color, thickness, labels, color_by)
        elif isinstance(result, _segmentation()):
            flag("labels", labels)
            if color_by != "class":
                raise ValueError("color_by: expected 'class' of a Segmentation, got %r" % (color_by,))
            draw_map(img, result, color and [color] * 256, alpha if masks else 0, labels)
        else:
            raise ValueError("expected a list of Detection or a Segmentation, got %s" % type(result).__name__)
        return img
    # What is asked for more than once is kept in a local, and a Detection is unpacked: on the camera an attribute or an item
    # costs as much as drawing hundreds of pixels.
    depth = depth_of(img)
    pixels = img.bytearray()
    width = img.width()
    height = img.height()
    size = None
    other_size = False
    try:
        for d in result:
            if d.frame_size is not size:  # one object, of all that one setup has found
                size = d.frame_size
                if size is not None and size != (width, height):
                    other_size = True
    except AttributeError:
        kind = type(d).__name__
        raise ValueError("expected a list of Detection or a Segmentation, got a list with %s" % kind) from None
    if labels is not True and labels is not False:
        labels = _checked_texts(labels, result)
    if other_size:
        result = _scaled(result, width, height)
    paints = _paints_of(result, color, color_by)
    if masks:
        if smooth or smooth is None and smooth_is_cheap:
            tint_all(result, paints, pixels, depth, width, height, alpha)
        else:
            for at in range(len(result) - 1, -1, -1):  # the best last: where masks overlap it lies on top
                mask = result[at][4]
                if mask is not None:
                    draw_blocks(img, mask, paints[at][0], alpha)
    posed = True
    if boxes or labels:
        plan = _plan
        plan[BOX_DEPTH] = depth
        plan[BOX_FRAME_WIDTH] = width
        plan[BOX_FRAME_HEIGHT] = height
        plan[BOX_THICKNESS] = thickness if boxes else 0
        scale = text_scale(width)
        texts = _label(result, labels, width, height, scale) if labels else ()
        posed = _draw_boxes(pixels, result, paints, texts, scale)
    if posed:
        for at in range(len(result) - 1, -1, -1):
            d = result[at]
            if d[5] is not None:
                _draw_pose(img, d, paints[at][2] if color or color_by != "class" else None)
    return img


# What is loaded when it is needed first, and kept: an import statement is dear every time.
_loaded = {}


def _segmentation():
    if "segmentation" not in _loaded:
        from .segmentation import Segmentation

        _loaded["segmentation"] = Segmentation
    return _loaded["segmentation"]


def _scaled(result, width, height):
    if "scaled" not in _loaded:
        from .resizing import scaled

        _loaded["scaled"] = scaled
    return _loaded["scaled"](result, width, height)


def _draw_pose(img, detection, color):
    if "pose" not in _loaded:
        from .skeleton import draw_pose

        _loaded["pose"] = draw_pose
    _loaded["pose"](img, detection, color=color)


def _checked_texts(labels, result):
    """A text or None for each detection: `labels`, or what it returns."""
    if callable(labels):
        texts = [labels(d) for d in result]
    elif isinstance(labels, (list, tuple)):
        texts = list(labels)
    else:
        raise ValueError("labels: expected True, False, a list of texts or a function, got %r" % (labels,))
    if len(texts) != len(result):
        raise ValueError("labels: expected %d texts, one a detection, got %d" % (len(result), len(texts)))
    for text in texts:
        if text is not None and not isinstance(text, str):
            raise ValueError("labels: expected texts and None, got %r" % (text,))
    return texts


def _label(result, labels, width, height, scale):
    """The text of each detection, "" for none; where it goes the table of labels tells."""
    many = len(result)
    if len(_tables) == 0 or len(_tables[0]) < LABEL * many:
        _tables[:] = [array("i", bytes(4 * LABEL * many))]
    places = _tables[0]
    cell = scale * FONT_WIDTH
    known = _texts.get
    texts = _room(_words, many)
    at = n = 0
    for d in result:
        (places[at], places[at + 1], _, places[at + 2]), score, _, label, _, _ = d
        if labels is True:
            try:
                track_id = d.track_id
                percent = int(score * 100 + 0.5)
                key = (label, percent) if track_id is None else (track_id, label, percent)
                text = known(key) or _text(key)
            except (OverflowError, ValueError):  # an infinite score, or NaN
                text = _spelled_out(str(label))
        else:
            text = _spelled_out(labels[n] or "")
        texts[n] = text
        places[at + 3] = cell * len(text) + 2 if text else 0
        at += LABEL
        n += 1
    _spread[SPREAD_COUNT] = many
    _spread[SPREAD_FRAME_WIDTH] = width
    _spread[SPREAD_FRAME_HEIGHT] = height
    _spread[SPREAD_LINE] = scale * FONT_HEIGHT + 1
    spread(_spread, places)
    return texts


_tables = []  # the places of labels: x, y, height of the box, width


_texts = {}


def _text(key):
    """A label's text, kept for the next frame: to make it costs more than to find it."""
    text = _spelled_out(("%s %d%%" if len(key) == 2 else "#%s %s %d%%") % key)
    if len(_texts) > 200:
        _texts.clear()
    _texts[key] = text
    return text


_spelled = {}


def _spelled_out(text):
    """The text, whose glyphs the font has then, where a kernel writes: each character is drawn by the firmware once."""
    if not font or text in _spelled:
        return text
    glyphs = gray(font, FONT_WIDTH, 95 * FONT_HEIGHT)
    apart = text_apart()
    if len(_spelled) > 400:
        _spelled.clear()
    for letter in text:
        at = ord(letter) - 32
        if letter not in _spelled and 0 <= at < 95:
            if apart:
                glyphs.draw_string((0, at * FONT_HEIGHT), letter, color=(255, 255, 255), scale=1)
            else:
                glyphs.draw_string((0, at * FONT_HEIGHT, letter), color=(255, 255, 255), scale=1)
            _spelled[letter] = True
    _spelled[text] = True
    return text


def _draw_boxes(pixels, result, paints, texts, scale):
    plan = _plan
    plan[BOX_GROUND_H] = scale * FONT_HEIGHT + 1
    plan[BOX_GROUND_W] = 0
    plan[BOX_SCALE] = scale
    places = _tables[0] if texts else None
    posed = False
    text = ""
    for at in range(len(result) - 1, -1, -1):
        (plan[BOX_X], plan[BOX_Y], plan[BOX_W], plan[BOX_H]), _, _, _, _, keypoints = result[at]
        if keypoints is not None:
            posed = True
        plan[BOX_COLOR], plan[BOX_INK], _ = paints[at]
        if texts:
            text = texts[at]
            at *= LABEL
            plan[BOX_GROUND_X] = places[at]
            plan[BOX_GROUND_Y] = places[at + 1]
            plan[BOX_GROUND_W] = places[at + 3]
        box(pixels, plan, text, font)
    return posed


def _paints_of(result, color, color_by):
    """What _paint says for each detection, in their order, behind it what an earlier frame has left."""
    known = _paints.get
    paints = _room(_shades, len(result))
    by_class = color is None and color_by == "class"
    by_track = color is None and color_by == "track"
    at = 0
    for d in result:
        if by_class:
            key = d[2]
        elif by_track:
            key = d.track_id
            if key is None:
                key = NO_TRACK
        else:
            key = color or at
        paints[at] = known(key) or _paint(key)
        at += 1
    return paints


# Lists that are kept from frame to frame, and written over: one that grows has the heap searched anew at every step.
_shades = []
_words = []


def _room(kept, many):
    if len(kept) < many:
        kept.extend([None] * (many - len(kept)))
    return kept


_paints = {}


def _paint(key):
    """(RGB565, the colour of text on it, (r, g, b)) of a colour, or of the number of a class, track or place; kept."""
    r, g, b = color = key if isinstance(key, tuple) else class_color(key)
    # Black on what is light, white on what is dark, by the firmware's luma.
    ink = 0 if 38 * r + 75 * g + 15 * b >= 128 * 128 else 0xFFFF
    if len(_paints) > 100:
        _paints.clear()
    _paints[key] = rgb565(color), ink, color
    return _paints[key]
