"""Texts that are already in a picture when something else is drawn onto it. Imported when that happens.

A text is (x, y, w, h, text, ground, ink, scale), as in pixels/text.py. What is drawn later keeps clear of it where it can,
and it is written again on top of boxes and masks. If there is no place left, the later text replaces it as a whole.
"""

from array import array

from ..kernels import drawing as drawing_kernels
from ..kernels.params.drawing import LABEL
from ..kernels.params.drawing import place_labels as place_labels_params
from ..pixels.colors import FONT_HEIGHT
from ..pixels.text import drawn, remember
from .painted_text import paint

_MOST = 200  # a picture with more texts is never cleared
_TRIES = 3  # texts that are looked for in a picture
_MOST_LINES = 8

_lines = {}  # {text: depth, width and height of a picture, offset and bytes of a line of the text in it}, for the next frame


def labels_are_there(target):
    """Add the labels of the last list of Detection to the texts in the picture, and return whether these are there."""
    texts = drawn.texts
    if len(texts) >= _MOST:
        texts.clear()
    # In the order in which they were painted: the best one last, so that no other box crosses it.
    rows, scale = drawn.rows, drawn.scale
    for n in range(drawn.count - 1, -1, -1):
        text = drawn.labels[n]
        if text:
            at = LABEL * n
            color, ink, _ = drawn.paints[n]
            texts.append((rows[at], rows[at + 1], rows[at + 3], scale * FONT_HEIGHT + 1, text, color, ink, scale))
    drawn.picture[0] = are_there
    return are_there(target)


def _placed(count):
    """(n, x, y, w, h) of each of the last list's labels that has a text."""
    rows = drawn.rows
    for n in range(count):
        if drawn.labels[n]:
            at = LABEL * n
            yield n, rows[at], rows[at + 1], rows[at + 3], drawn.scale * FONT_HEIGHT + 1


def place_beside(result, rects, width, height):
    """Place the labels of a list of Detection again if one of them covers a part of a text that is in the picture.

    A label that equals a text and covers it exactly stays. rects: as of draw.py; width, height: of the picture. Returns
    whether a label may cover a part of a text.
    """
    positions = drawn.rows
    line = drawn.scale * FONT_HEIGHT + 1
    if not _covered(positions, len(result), line):
        return False
    around, hit = _around(len(result))
    if not hit:
        return True
    rows = array("i")
    for entry in around:  # a text that is higher than a line takes several rows
        x, y, w, h = entry[:4]
        for top in range(y, y + h, line):
            rows.extend(array("i", (x, top, 0, w)))
    first = len(rows)
    block = place_labels_params(first // LABEL + len(result), width, height, line, first // LABEL)
    for n in range(len(result)):
        x, y, _, h = (result[n][0] if rects is None else rects[n]) or (0, 0, 0, 0)
        rows.extend(array("i", (x, y, h, positions[LABEL * n + 3])))
    drawing_kernels.place_labels(block, rows)
    positions[: len(rows) - first] = rows[first:]
    return True


def _covered(positions, count, line):
    """Whether one of the labels in this table covers a part of a text in the picture."""
    for at in range(0, LABEL * count, LABEL):
        span = positions[at + 3]
        x, y = positions[at], positions[at + 1]
        for left, top, across, down, _, _, _, _ in drawn.texts:
            if span and x < left + across and left < x + span and y < top + down and top < y + line:
                return True
    return False


def _around(count):
    """(the texts in the picture but those that a label equals, whether a label covers a part of one of them)."""
    around = []
    hit = False
    for entry in drawn.texts:
        x, y, w, h, text = entry[:5]
        over = equal = False
        for n, left, top, across, down in _placed(count):
            if left < x + w and x < left + across and top < y + h and y < top + down:
                over = True
                if (left, top, across, down, drawn.labels[n]) == (x, y, w, h, text):
                    equal = True
                    break
        if not equal:
            around.append(entry)
            hit = hit or over
    return around, hit


def repaint(target, count):
    """Write the texts again that were in the picture before a list of Detection was drawn.

    target  as of colors.target_of
    count   of the list's labels: a text that one covers is no longer in the picture. 0: none covers one
    """
    for _, x, y, w, h in _placed(count) if count else ():
        drop(x, y, w, h)
    drawn.picture[0] = None
    texts = drawn.texts
    paint(target, texts)
    pixels, depth, width, _ = target
    for at in range(len(texts) - 1, -1, -1):
        entry = texts[at]
        if entry[5] >= 0:
            remember(pixels, (entry[1] * width + entry[0]) * depth, depth, are_there)
            if drawn.picture[0]:
                break


def are_there(target):
    """Whether this picture has the texts that were written last, to be compared with `texts`.

    A line of pixels that has ink is compared. A text without ink, or without a ground, might be there by chance. A few texts
    are tried, because the limbs of a pose may lie on a label.
    """
    pixels, depth, width, height = target
    texts = drawn.texts
    tries = 0
    for at in range(len(texts) - 1, -1, -1):
        entry = texts[at]
        deep, wide, high, first, line = _lines.get(entry) or _NO_LINE
        if deep != depth or wide != width or high != height:
            if len(_lines) >= _MOST_LINES:
                _lines.clear()
            first, line = _line_of(entry, depth, width, height)
            _lines[entry] = depth, width, height, first, line
        if line:
            if pixels[first : first + len(line)] == line:
                return True
            tries += 1
            if tries == _TRIES:
                break
    return False


_NO_LINE = 0, 0, 0, 0, b""


def _line_of(entry, depth, width, height):
    """(offset, bytes) of a line of a text in a picture of this size; no bytes if no line of it has ink and a ground."""
    x, y, w, h, text, ground, ink, scale = entry
    left, right = max(x, 0), min(x + w, width)
    if ground >= 0 and text and left < right:
        line = bytearray(w * depth)
        for row in _ROWS:
            top = y + row * scale
            if 0 <= top < height:
                # One row of the picture, in which the text lies higher by `row`.
                paint((line, depth, w, 1), ((0, -row * scale, w, h, text, ground, ink, scale),))
                if bytes(line[:depth]) * w != line:
                    return (top * width + left) * depth, line[(left - x) * depth : (right - x) * depth]
    return 0, b""


_ROWS = 5, 4, 7, 3, 6, 2, 8  # of a character's ten, those that most often have ink first


def free_place(width, height, x, y, w, h):
    """(x, y) for a rectangle in a picture of this size, as near to x, y as the texts in it allow."""
    for _ in range(8):
        hit = _first_hit(x, y, w, h)
        if hit is None:
            return x, y
        left, top, across, down = hit[:4]
        for to in ((x, top + down), (x, top - h), (left + across, y), (left - w, y)):
            if 0 <= to[0] <= width - w and 0 <= to[1] <= height - h and _first_hit(to[0], to[1], w, h) is None:
                return to
        if top + down + h > height:
            break
        y = top + down
    return x, y


def drop(x, y, w, h):
    """Forget the texts that another one in this rectangle covers."""
    covered = _first_hit(x, y, w, h)
    while covered:
        drawn.texts.remove(covered)
        covered = _first_hit(x, y, w, h)
    if len(drawn.texts) >= _MOST:
        drawn.texts.clear()


def hit(entries):
    """Whether one of these texts would cover a part of one that is in the picture, or the list of texts is full."""
    for entry in entries:
        if _first_hit(entry[0], entry[1], entry[2], entry[3]):
            return True
    return len(drawn.texts) > _MOST - 2


def _first_hit(x, y, w, h):
    """The first text in the picture that intersects a rectangle."""
    for entry in drawn.texts:
        left, top, across, down, _, _, _, _ = entry
        if x < left + across and left < x + w and y < top + down and top < y + h:
            return entry
    return None
