"""draw: masks, boxes, labels, keypoints and class maps on an RGB565 or GRAYSCALE frame.

Every drawing call of the firmware gets one tuple of ints, and keywords: both 4.8.1 and 5.0 accept this. The exception is
draw_string (firmware.py).

The firmware's text costs 4,300 instructions a character. If a kernel writes the text, the firmware draws the glyph of each
character only once, and the glyph is kept.
"""

from array import array

from micropython import const

from ..kernels import are_fast
from ..kernels import drawing as drawing_kernels
from ..kernels.params.drawing import (
    BOX_DEPTH,
    BOX_FRAME_HEIGHT,
    BOX_FRAME_WIDTH,
    BOX_GROUND_H,
    BOX_GROUND_W,
    BOX_GROUND_X,
    BOX_GROUND_Y,
    BOX_SCALE,
    BOX_THICKNESS,
    LABEL,
    PLACE_LABELS_COUNT,
    PLACE_LABELS_FRAME_HEIGHT,
    PLACE_LABELS_FRAME_WIDTH,
    PLACE_LABELS_LINE,
)
from ..kernels.params.drawing import box as box_params
from ..kernels.params.drawing import place_labels as place_labels_params
from ..pixels.colors import FONT_HEIGHT, NO_TRACK, checked_color, class_color, depth_of, rgb565, target_of
from ..pixels.colors import text_scale as usual_text_scale
from ..pixels.text import drawn, font, recognized, remember, text_width
from ..results.detection import Detection
from ..tensors.lazy import later
from ..tensors.options import flag, number

# The defaults of options whose checks cost more than drawing hundreds of pixels: what is one of these needs no check.
_ALPHA = const(128)
_THICKNESS = const(2)
_CLASS = "class"
COLOR_BY = (_CLASS, "track", "instance")
# Copied by scripts/dev/generate.py from results/detection.py:
_TRACK_ID = const(0)

# Every drawing writes what it reads of them. What is kept for the next one is in `drawn`.
_block = box_params()
_label_block = place_labels_params()


def draw(
    img, result, *, color=None, alpha=_ALPHA, thickness=_THICKNESS, masks=True, boxes=True, labels=True, antialias=None,
    color_by=_CLASS, text_scale=None, roi=None
):  # fmt: skip
    """Draw a result onto the frame, and return the frame.

    img         an RGB565 or GRAYSCALE image. One of another size than the frame (an LCD's) is treated as the frame, scaled.
                Its aspect ratio must be the frame's, within two pixels: any other picture is a crop, or stretched. A crop
                with the frame's own aspect ratio is not noticed, without `roi`
    result      a list of Detection, a Segmentation, a Classification, a DepthMap, an AnomalyMap, a HeatMap, a Plane, a zone,
                a Trail, or an array (rows, columns) of numbers, which is drawn as a heat map over the whole picture
    color       (r, g, b) for everything; a list of colors, one for each detection; or a function that is called with each
                detection and returns its color. None, also in a list: the colors of `color_by`, and white for zones
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
    text_scale  1 to 8: how much larger labels, counts and legends are than the font, whose lines are 10 pixels high; None:
                2 for pictures that are 480 pixels wide or more, else 1
    roi         (x, y, w, h): the part of the frame that `img` shows, a crop of any aspect ratio; None: all of it

    A label is placed above its box. If the label of a better detection is there, it is placed inside at the top, below, or
    inside at the bottom. So are the labels of a second result that is drawn onto the same picture: they do not cover texts
    that are already there.

    ValueError for an image of another format or aspect ratio, an option out of range, and for anything but a result. For a
    class map and for zones color_by must be "class".
    """
    if not (
        alpha is _ALPHA and thickness is _THICKNESS and color_by is _CLASS and masks is True and boxes is True
        and antialias is None and text_scale is None
    ):  # fmt: skip
        _check(alpha, thickness, color_by, masks, boxes, antialias, text_scale)
    drawn_by = getattr(result, "_drawn_by", None)
    if drawn_by is None and type(result) is not list and getattr(result, "strides", None):
        drawn_by = _drawing_of_grids
    if drawn_by:
        if labels is not True and labels is not False:
            flag("labels", labels)
        if color is not None:
            color = checked_color(color)
        target = target_of(img)
        before = drawn.texts[:] if recognized(target) else None
        drawn_by()(result, target, color, alpha if masks else 0, thickness, labels, color_by, text_scale, roi)
        if before:
            # Those that were crossed, and not replaced. What was written now is on top already.
            later.drawing_painted_text.paint(target, [entry for entry in before if entry in drawn.texts])
        return img
    if type(result) is not list and (not isinstance(result, (list, tuple)) or isinstance(result, Detection)):
        raise ValueError(
            "expected a list of Detection, a Segmentation, DepthMap, AnomalyMap, Classification, zone, Trail, HeatMap, Plane"
            " or array, got %s"
            % type(result).__name__
        )
    colors = None
    if color is not None:
        if isinstance(color, (list, tuple)) and len(color) == 3 and isinstance(color[0], int):
            color = checked_color(color)
        else:
            colors = color
            color = None
    # On the camera an attribute or an item costs as much as drawing hundreds of pixels: so values that are needed more than
    # once are kept in locals, and a Detection is unpacked.
    depth = depth_of(img)
    pixels = img.bytearray()
    width = img.width()
    height = img.height()
    other_size, oriented = _examined(result, width, height)
    if colors is not None:
        colors = later.drawing_per_detection.checked_colors(colors, result)
    if labels is not True and labels is not False:
        labels = later.drawing_per_detection.checked_texts(labels, result)
    rects = None
    if roi is not None:
        result, rects = later.drawing_per_detection.in_roi(result, width, height, roi)
    elif other_size:
        result = later.results_scaled.scaled(result, width, height)
    if not result:
        return img
    again = False  # whether texts are in the picture already
    if drawn.picture[0] or drawn.texts:
        again = len(recognized((pixels, depth, width, height))) > 0
    drawn.picture[0] = None  # until all is drawn
    paints = _paints_of(result, color, color_by, colors)
    if masks and _has_masks(result):
        if antialias or antialias is None and are_fast():
            drawing_kernels.tint_masks(
                drawing_kernels.clip_mask, drawing_kernels.tint_mask, result, paints, pixels, depth, width, height, alpha
            )
        else:
            _draw_all_blocks(img, result, paints, alpha)
    has_keypoints = True
    texts = ()
    covers = False
    if boxes or labels:
        block = _block
        block[BOX_DEPTH] = depth
        block[BOX_FRAME_WIDTH] = width
        block[BOX_FRAME_HEIGHT] = height
        block[BOX_THICKNESS] = thickness if boxes else 0
        scale = text_scale or usual_text_scale(width)
        if labels:
            texts = _label(result, labels, width, height, scale, rects)
            if again:
                covers = later.drawing_earlier.place_beside(result, rects, width, height)
        if oriented and boxes:
            later.drawing_oriented.draw_corners((pixels, depth, width, height), result, paints, thickness)
        has_keypoints = _draw_boxes(pixels, result, paints, texts, scale, oriented)
    if has_keypoints:
        _draw_poses(img, result, paints, color is None and color_by == "class", colors)
    if again:
        later.drawing_earlier.repaint((pixels, depth, width, height), len(result) if covers else 0)
    if texts:
        # By the best detection's label, which is on top.
        remember(pixels, (block[BOX_GROUND_Y] * width + block[BOX_GROUND_X]) * depth, depth, _are_there)
    return img


def _drawing_of_grids():
    return later.drawing_heat_map.draw_grid


def _check(alpha, thickness, color_by, masks, boxes, antialias, text_scale):
    if alpha is not _ALPHA:
        number("alpha", alpha, 0, 255)
    if thickness is not _THICKNESS:
        number("thickness", thickness, 0, 100)
    flag("masks", masks)
    flag("boxes", boxes)
    if antialias is not None:
        flag("antialias", antialias)
    if text_scale is not None:
        number("text_scale", text_scale, 1, 8)
    if color_by is not _CLASS and (not isinstance(color_by, str) or color_by not in COLOR_BY):
        words = ", ".join([repr(word) for word in COLOR_BY[:-1]])
        raise ValueError("color_by: expected %s or %r, got %r" % (words, COLOR_BY[-1], color_by))


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
        raise ValueError("expected a list of Detection, got a list with %s%s" % (kind, hint)) from None
    return other_size, oriented


def _has_masks(result):
    """Whether some detection has a mask: asking costs a third of what tint_masks does to find none."""
    for d in result:
        if d[4] is not None:
            return True
    return False


def _draw_all_blocks(img, result, paints, alpha):
    """Draw the masks as blocks; the best detection's last, so that it is on top where masks overlap."""
    draw_blocks = later.drawing_masks.draw_blocks
    for at in range(len(result) - 1, -1, -1):
        mask = result[at][4]
        if mask is not None:
            draw_blocks(img, mask, paints[at][0], alpha)


def _draw_poses(img, result, paints, by_side, colors):
    """Draw the keypoints and limbs: in colors by side, left and right, or in those of `paints`.

    colors  None, or the color of each detection, whose None is by side too
    """
    for at in range(len(result) - 1, -1, -1):
        d = result[at]
        if d[5] is not None:
            usual = by_side and (colors is None or colors[at] is None)
            later.drawing_poses.draw_pose(img, d, color=None if usual else paints[at][2])


def _label(result, labels, width, height, scale, rects):
    """The text of each detection, "" if it has none. The position of each label is written into the table of labels.

    rects   None, or the rectangle of each detection in the picture, None for one that is outside of it
    """
    count = len(result)
    kept = drawn
    positions = kept.rows
    if len(positions) < LABEL * count:
        positions = kept.rows = array("i", bytes(4 * LABEL * count))
    texts = _grown(kept.labels, count)
    kept.count = count
    kept.scale = scale
    if labels is True:
        drawing_kernels.label_detections(result, positions, texts, kept.numbers, kept.made, _text_of, scale)
    else:
        at = n = 0
        for d in result:
            positions[at], positions[at + 1], _, positions[at + 2] = d[0]
            text = labels[n] or ""
            texts[n] = text
            positions[at + 3] = scale * (text_width(text) + 1) if text else 0
            at += LABEL
            n += 1
    if rects is not None:
        later.drawing_per_detection.cut_labels(rects, texts, positions)
    block = _label_block
    block[PLACE_LABELS_COUNT] = count
    block[PLACE_LABELS_FRAME_WIDTH] = width
    block[PLACE_LABELS_FRAME_HEIGHT] = height
    block[PLACE_LABELS_LINE] = scale * FONT_HEIGHT + 1
    drawing_kernels.place_labels(block, positions)
    return texts


def _text_of(track_id, label, score):
    """(the text of a label, its width), kept for the next frame: formatting it costs more than looking it up.

    The width is in columns of the font, with one more at the left.
    """
    try:
        percent = int(score * 100 + 0.5)
    except (OverflowError, ValueError):  # an infinite score, or NaN
        text = str(label)
        return text, text_width(text) + 1
    text = "%s %d%%" % (label, percent) if track_id is None else "#%s %s %d%%" % (track_id, label, percent)
    made = text, text_width(text) + 1
    if 0 <= percent < 128:
        numbers, known = drawn.numbers, drawn.made
        if len(numbers) > 200 or len(known) > 200:
            numbers.clear()
            known.clear()
        key = label if track_id is None else (track_id, label)
        if key not in numbers:
            numbers[key] = 128 * (len(numbers) + 1)
        known[numbers[key] + percent] = made
    return made


def _are_there(target):
    # The labels of the last list become texts only when something else is drawn: nearly always that is a new frame.
    return later.drawing_earlier.labels_are_there(target)


def _draw_boxes(pixels, result, paints, texts, scale, oriented):
    """Draw the boxes and their labels. Returns whether some detection has keypoints.

    oriented    whether some boxes are. Those are not drawn here, only their labels
    """
    block = _block
    block[BOX_GROUND_H] = scale * FONT_HEIGHT + 1
    block[BOX_GROUND_W] = 0
    block[BOX_SCALE] = scale
    return drawing_kernels.draw_boxes(
        drawing_kernels.box, pixels, block, font, result, paints, texts, drawn.rows if texts else block, oriented
    )


def _paints_of(result, color, color_by, colors):
    """The _paint of each detection, in their order. The list may be longer: the rest is from an earlier frame.

    colors  None, or the color of each detection, with None for its usual one
    """
    known = drawn.colors.get
    paints = _grown(drawn.paints, len(result))
    color_per_class = color is None and color_by == "class"
    color_per_track = color is None and color_by == "track"
    at = 0
    for d in result:
        if color_per_class:
            key = d[2]
        elif color_per_track:
            key = d._track[_TRACK_ID]
            if key is None:
                key = NO_TRACK
        else:
            key = color or at
        paints[at] = known(key) or _paint(key)
        at += 1
    if colors:
        at = 0
        for key in colors:
            if key:
                paints[at] = known(key) or _paint(key)
            at += 1
    return paints


def _grown(kept, length):
    if len(kept) < length:
        kept.extend([None] * (length - len(kept)))
    return kept


def _paint(key):
    """(RGB565, the color of text on it, (r, g, b)), kept for the next frame.

    key     (r, g, b), or the number of a class, a track or a position in the list
    """
    r, g, b = color = key if isinstance(key, tuple) else class_color(key)
    # Black text on a light color, white text on a dark one, by the firmware's luma.
    ink = 0 if 38 * r + 75 * g + 15 * b >= 128 * 128 else 0xFFFF
    colors = drawn.colors
    if len(colors) > 100:
        colors.clear()
    colors[key] = rgb565(color), ink, color
    return colors[key]
