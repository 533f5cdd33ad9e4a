"""draw: masks, boxes, labels, keypoints and class maps on an RGB565 or GRAYSCALE frame.

Every drawing call of the firmware gets one tuple of ints, and keywords: both 4.8.1 and 5.0 accept this. The exception is
draw_string (pixels/text.py).

The firmware's text costs 4,300 instructions a character. If a kernel writes the text, the firmware draws the glyph of each
character only once, and the glyph is kept.
"""

from array import array

from ..kernels.drawing import antialias_is_cheap, box, font, place_labels
from ..kernels.drawing_params import (
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
    PLACE_LABELS_COUNT,
    PLACE_LABELS_FRAME_HEIGHT,
    PLACE_LABELS_FRAME_WIDTH,
    PLACE_LABELS_LINE,
)
from ..kernels.drawing_params import box as box_params
from ..kernels.drawing_params import place_labels as place_labels_params
from ..pixels.colors import FONT_HEIGHT, FONT_WIDTH, NO_TRACK, checked_color, class_color, depth_of, gray, rgb565, text_scale
from ..pixels.text import draw_text
from ..results.detection import Detection
from ..tensors.lazy import module
from ..tensors.options import flag, number
from .masks import draw_blocks, draw_map, tint_all

_COLORED = ("class", "track", "instance")

_block = box_params()
_label_block = place_labels_params()


def draw(
    img, result, *, color=None, alpha=128, thickness=2, masks=True, boxes=True, labels=True, antialias=None, color_by="class"
):
    """Draw a result onto the frame, and return the frame.

    img         an RGB565 or GRAYSCALE image. One of another size than the frame (an LCD's) is treated as the frame, scaled.
                Its aspect ratio must be the frame's, within two pixels: any other picture is a crop, or stretched. A crop
                with the frame's own aspect ratio is not noticed
    result      a list of Detection, a Segmentation, a Classification, a DepthMap, a LineZone, a PolygonZone or a Trail
    color       (r, g, b) for everything; None: the colors of `color_by`, and white for zones
    alpha       of masks and class maps, 0..255; below 8 an RGB565 frame does not change, because the firmware cuts alpha to
                5 bits
    thickness   of boxes, zones and trails, pixels, 0..100
    masks       whether to draw masks, and the class map of a Segmentation
    boxes       whether to draw boxes
    labels      True: label and score, after the id of a track ("#3 person 75%"); a list of texts, one for each detection; or
                a function that is called with each detection and returns its text. None or "" is no text. False: no labels.
                For a Segmentation whether to draw its legend, for a zone its counts
    antialias   True: masks with smooth edges; False: blocks of mask pixels, drawn by plain draw_image, for which the N6 uses
                its GPU; None: smooth edges if machine code draws them and on a PC, else blocks, which cost a fifth of that
    color_by    what has a color of its own, in masks, boxes, labels and trails:
                "class"     each class; keypoints and limbs are colored by side, left and right
                "track"     each track_id, white for detections without one; keypoints and limbs too
                "instance"  each position in the list; keypoints and limbs too

    A label is placed above its box. If the label of a better detection is there, it is placed inside at the top, below, or
    inside at the bottom.

    ValueError for an image of another format or aspect ratio, an option out of range, and for anything but a result. For a
    class map and for zones color_by must be "class".
    """
    number("alpha", alpha, 0, 255)
    number("thickness", thickness, 0, 100)
    if color is not None:
        color = checked_color(color)
    if color_by not in _COLORED:
        raise ValueError("color_by: expected 'class', 'track' or 'instance', got %r" % (color_by,))
    if not isinstance(result, (list, tuple)) or isinstance(result, Detection):
        _draw_other(img, result, color, alpha if masks else 0, thickness, labels, color_by)
        return img
    # On the camera an attribute or an item costs as much as drawing hundreds of pixels: so values that are needed more than
    # once are kept in locals, and a Detection is unpacked.
    depth = depth_of(img)
    pixels = img.bytearray()
    width = img.width()
    height = img.height()
    other_size, oriented = _examined(result, width, height)
    if labels is not True and labels is not False:
        labels = _checked_texts(labels, result)
    if other_size:
        result = module("results.scaled").scaled(result, width, height)
    paints = _paints_of(result, color, color_by)
    if masks:
        if antialias or antialias is None and antialias_is_cheap:
            tint_all(result, paints, pixels, depth, width, height, alpha)
        else:
            _draw_all_blocks(img, result, paints, alpha)
    has_keypoints = True
    if boxes or labels:
        block = _block
        block[BOX_DEPTH] = depth
        block[BOX_FRAME_WIDTH] = width
        block[BOX_FRAME_HEIGHT] = height
        block[BOX_THICKNESS] = thickness if boxes else 0
        scale = text_scale(width)
        texts = _label(result, labels, width, height, scale) if labels else ()
        if oriented and boxes:
            module("drawing.oriented").draw_corners(img, result, paints, thickness)
        has_keypoints = _draw_boxes(pixels, result, paints, texts, scale, oriented)
    if has_keypoints:
        _draw_poses(img, result, paints, color is None and color_by == "class")
    return img


def _draw_other(img, result, color, alpha, thickness, labels, color_by):
    """Draw anything but a list: a Segmentation, or an object with a method `_overlay`, such as a zone, or `_tint`."""
    overlay = getattr(result, "_overlay", None)
    tint = getattr(result, "_tint", None)
    if overlay:
        overlay(img, color, thickness, labels, color_by)
    elif tint:
        tint(img, color, alpha, labels, color_by)
    elif isinstance(result, module("results.segmentation").Segmentation):
        flag("labels", labels)
        if color_by != "class":
            raise ValueError("color_by: expected 'class' for a Segmentation, got %r" % (color_by,))
        draw_map(img, result, color and [color] * 256, alpha, labels)
    else:
        kind = type(result).__name__
        raise ValueError("expected a list of Detection, a Segmentation, DepthMap or Classification, got %s" % kind)


def _examined(result, width, height):
    """(whether some detection's frame has another size than the picture, whether some box is oriented).

    ValueError for anything but a list of Detection.
    """
    source = None
    other_size = oriented = False
    try:
        for d in result:
            if d._source is not source:  # one tuple for all detections of a processor
                source = d._source
                size = source[0]
                if size is not None and size != (width, height):
                    other_size = True
                oriented = oriented or len(source) > 2
    except AttributeError:
        kind = type(d).__name__
        hint = ": draw it by itself, with its draw(img)" if getattr(d, "draw", None) else ""
        raise ValueError("expected a list of Detection or a Segmentation, got a list with %s%s" % (kind, hint)) from None
    return other_size, oriented


def _draw_all_blocks(img, result, paints, alpha):
    """Draw the masks as blocks; the best detection's last, so that it is on top where masks overlap."""
    for at in range(len(result) - 1, -1, -1):
        mask = result[at][4]
        if mask is not None:
            draw_blocks(img, mask, paints[at][0], alpha)


def _draw_poses(img, result, paints, by_side):
    """Draw the keypoints and limbs: in colors by side, left and right, or in those of `paints`."""
    for at in range(len(result) - 1, -1, -1):
        d = result[at]
        if d[5] is not None:
            module("drawing.poses").draw_pose(img, d, color=None if by_side else paints[at][2])


def _checked_texts(labels, result):
    """The text or None of each detection: `labels` itself, or what it returns if it is a function."""
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
    """The text of each detection, "" if it has none. The position of each label is written into the table of labels."""
    count = len(result)
    if len(_tables) == 0 or len(_tables[0]) < LABEL * count:
        _tables[:] = [array("i", bytes(4 * LABEL * count))]
    positions = _tables[0]
    cell = scale * FONT_WIDTH
    known = _texts.get
    texts = _grown(_label_texts, count)
    at = n = 0
    for d in result:
        (positions[at], positions[at + 1], _, positions[at + 2]), score, _, label, _, _ = d
        if labels is True:
            try:
                track_id = d.track_id
                percent = int(score * 100 + 0.5)
                key = (label, percent) if track_id is None else (track_id, label, percent)
                text = known(key) or _text(key)
            except (OverflowError, ValueError):  # an infinite score, or NaN
                text = _ensure_glyphs(str(label))
        else:
            text = _ensure_glyphs(labels[n] or "")
        texts[n] = text
        positions[at + 3] = cell * len(text) + 2 if text else 0
        at += LABEL
        n += 1
    _label_block[PLACE_LABELS_COUNT] = count
    _label_block[PLACE_LABELS_FRAME_WIDTH] = width
    _label_block[PLACE_LABELS_FRAME_HEIGHT] = height
    _label_block[PLACE_LABELS_LINE] = scale * FONT_HEIGHT + 1
    place_labels(_label_block, positions)
    return texts


_tables = []  # the table of place_labels, kept for the next frame: x, y, height of the box and width of each label


_texts = {}


def _text(key):
    """The text of a label, kept for the next frame: formatting it costs more than looking it up."""
    text = _ensure_glyphs(("%s %d%%" if len(key) == 2 else "#%s %s %d%%") % key)
    if len(_texts) > 200:
        _texts.clear()
    _texts[key] = text
    return text


_drawn_glyphs = {}  # the characters, and the texts, whose glyphs the font has


def _ensure_glyphs(text):
    """The text itself. If a kernel writes it, the font has its glyphs from now on: the firmware draws each of them once."""
    if not font or text in _drawn_glyphs:
        return text
    glyphs = gray(font, FONT_WIDTH, 95 * FONT_HEIGHT)
    if len(_drawn_glyphs) > 400:
        _drawn_glyphs.clear()
    for letter in text:
        at = ord(letter) - 32
        if letter not in _drawn_glyphs and 0 <= at < 95:
            draw_text(glyphs, 0, at * FONT_HEIGHT, letter, (255, 255, 255), 1)
            _drawn_glyphs[letter] = True
    _drawn_glyphs[text] = True
    return text


def _draw_boxes(pixels, result, paints, texts, scale, oriented):
    """Draw the boxes and their labels, the best detection's last. Returns whether some detection has keypoints.

    oriented    whether some boxes are. Those are not drawn here, only their labels
    """
    block = _block
    thickness = block[BOX_THICKNESS]
    block[BOX_GROUND_H] = scale * FONT_HEIGHT + 1
    block[BOX_GROUND_W] = 0
    block[BOX_SCALE] = scale
    positions = _tables[0] if texts else None
    has_keypoints = False
    text = ""
    for at in range(len(result) - 1, -1, -1):
        (block[BOX_X], block[BOX_Y], block[BOX_W], block[BOX_H]), _, _, _, _, keypoints = result[at]
        if keypoints is not None:
            has_keypoints = True
        block[BOX_COLOR], block[BOX_INK], _ = paints[at]
        if oriented:
            block[BOX_THICKNESS] = 0 if len(result[at]._source) > 2 else thickness
        if texts:
            text = texts[at]
            at *= LABEL
            block[BOX_GROUND_X] = positions[at]
            block[BOX_GROUND_Y] = positions[at + 1]
            block[BOX_GROUND_W] = positions[at + 3]
        box(pixels, block, text, font)
    return has_keypoints


def _paints_of(result, color, color_by):
    """The _paint of each detection, in their order. The list may be longer: the rest is from an earlier frame."""
    known = _paints.get
    paints = _grown(_result_paints, len(result))
    color_per_class = color is None and color_by == "class"
    color_per_track = color is None and color_by == "track"
    at = 0
    for d in result:
        if color_per_class:
            key = d[2]
        elif color_per_track:
            key = d.track_id
            if key is None:
                key = NO_TRACK
        else:
            key = color or at
        paints[at] = known(key) or _paint(key)
        at += 1
    return paints


# Lists that are kept from frame to frame and overwritten: a new list would search the heap at every step of its growth.
_result_paints = []
_label_texts = []


def _grown(kept, length):
    if len(kept) < length:
        kept.extend([None] * (length - len(kept)))
    return kept


_paints = {}


def _paint(key):
    """(RGB565, the color of text on it, (r, g, b)), kept for the next frame.

    key     (r, g, b), or the number of a class, a track or a position in the list
    """
    r, g, b = color = key if isinstance(key, tuple) else class_color(key)
    # Black text on a light color, white text on a dark one, by the firmware's luma.
    ink = 0 if 38 * r + 75 * g + 15 * b >= 128 * 128 else 0xFFFF
    if len(_paints) > 100:
        _paints.clear()
    _paints[key] = rgb565(color), ink, color
    return _paints[key]
