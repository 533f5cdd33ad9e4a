"""Options of `draw` that have a value for each detection, and detections in a part of the frame. Imported on first use."""

from ..pixels.colors import checked_color
from ..results.scaled import checked_roi, scaled


def checked_texts(labels, result):
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


def checked_colors(color, result):
    """The color (r, g, b) or None of each detection: `color` itself, or what it returns if it is a function."""
    if callable(color):
        colors = [color(d) for d in result]
    elif isinstance(color, (list, tuple)):
        colors = list(color)
        for one in color:
            if one is not None and not isinstance(one, (list, tuple)):
                checked_color(color)  # raises an error: it looks like one color
    else:
        raise ValueError("color: expected (r, g, b), a list of colors or a function, got %r" % (color,))
    if len(colors) != len(result):
        raise ValueError("color: expected %d colors, one a detection, got %d" % (len(result), len(colors)))
    return [None if one is None else checked_color(one) for one in colors]


def in_roi(result, width, height, roi):
    """(detections for a picture of this part of the frame, their rectangles in it, None for one without a pixel)."""
    checked_roi(roi)
    result = scaled(result, width, height, roi)
    return result, [_cut(d[0], width, height) for d in result]


def _cut(rect, width, height):
    x, y, w, h = rect
    left, top = max(x, 0), max(y, 0)
    right, bottom = min(x + w, width), min(y + h, height)
    return (left, top, right - left, bottom - top) if left < right and top < bottom else None


def cut_labels(rects, texts, positions):
    """Change the rows of place_labels to these rectangles. A detection without one has no label."""
    at = 0
    for n in range(len(rects)):
        rect = rects[n]
        if rect is None:
            texts[n] = ""
            positions[at + 3] = 0
        else:
            positions[at], positions[at + 1], _, positions[at + 2] = rect
        at += 4
