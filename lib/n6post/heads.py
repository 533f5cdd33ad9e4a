"""Outputs whose shape alone does not tell what they are, or in which order: the numbers of a frame do.

A raw head has a box cx, cy, w, h and the scores of all classes for each anchor; an *end-to-end* one a row
x1, y1, x2, y2, score, class for each object that it found, best first ([1, rows, 6 + what the family adds], end2end.py).
[1, 189, 6] of a 96 x 96 input may be either: two classes, or 189 rows.
"""

from ulab import numpy as np

from .layout import anchor_counts, flat
from .quant import FLOAT

_FEWEST = 20  # anchors of an input of 64 x 64 with strides of 16 and 32
_SAMPLE = 128  # rows that are looked at, of however many


def read(layouts, extra, output, array, size):
    """(layout, end-to-end?, sure?) of a head: layout (channels, anchors or rows, channels first?).

    layouts     those that a raw head of this shape may have (layout.head_layouts)
    extra       how many columns a family's end-to-end rows have behind the first six; -1: 3 a keypoint
    sure        False: these numbers, zeros or one number everywhere for example, tell too little
    ValueError for what is no head of either kind.
    """
    dims = flat(output.shape)
    # [1, rows, columns], or the transpose that a compiler may leave.
    rows = []
    for at in (1, 0) if dims else ():
        more = dims[at] - 6
        if more == extra if extra >= 0 else more > 0 and more % 3 == 0:
            rows.append((dims[at], dims[1 - at], at == 0))
    fits = []
    unsure = None
    for layout in rows:
        corners, ranked = _evidence(layout, output, array)
        # Beside a raw head, whose class scores may look like anything, the order of the rows has to tell too.
        if corners and (ranked or not layouts):
            fits.append((0 if ranked else 1 if ranked is None else 2, len(fits), layout))
        elif corners and ranked is None or corners is None and (not layouts or _only_zeros(output, array)):
            unsure = unsure or layout
    if fits:
        # [1, 15, 30] may be 15 rows or 30 of keypoints, and a few rows of one look like those of the other, in coarse steps
        # many: 300 columns read as rows pass for boxes with scores of 100. But rows come best first, or have no score: what
        # is out of order is the other reading. Where both are in order a later frame tells.
        best = min(fits)
        sure = len([fit for fit in fits if fit[0] == best[0]]) == 1
        return best[2], True, sure and not (layouts and _one_number(array))
    if unsure:
        return unsure, True, len(rows) + len(layouts) == 1
    if layouts:
        layout, sure = _with_centres(layouts, output, array)
        return layout, False, sure and not (rows and _one_number(array))
    if rows and _one_number(array):
        return rows[0], True, False  # a network's first frame may be: nothing is lost by looking at the next
    raise ValueError(
        "expected a head [1, C, N] or [1, N, C] of N = %s anchors, that belongs to an input of (width, height) %s, or an"
        " end-to-end head [1, rows, 6 and what the family adds], got %s%s"
        % (
            " or ".join([str(n) for n in anchor_counts(size)]),
            size,
            output.shape,
            ": its numbers are no rows of x1, y1, x2, y2, score, class" if rows else stranger(output.shape, size),
        )
    )


def stranger(shape, size):
    """A hint for a shape that is often met and is none of ours; else ""."""
    dims = flat(shape)
    if dims and dims[0] % 3 == 0 and dims[0] // 3 in anchor_counts(size):
        return ": three boxes an anchor, as YOLOv5 and older have them"
    if dims and dims[0] == 300:
        return ": 300 rows, but of another family or network (RT-DETR, oriented boxes)"
    return ""


def _evidence(layout, output, array):
    """(corners?, ranked?) of an end-to-end reading, each None where zeros tell nothing.

    corners     x1 <= x2 and y1 <= y2 in most rows, and class numbers that are whole numbers. (In a raw head the former is
                cx <= w and cy <= h: true of 6 to 28 anchors of 100, seen on recorded ones)
    ranked      scores above 0, in descending order
    """
    columns, count, columns_first = layout
    grid = array.reshape((columns, count) if columns_first else (count, columns))
    step = 1 + (count - 1) // _SAMPLE
    x1, y1, x2, y2, score, number = [
        (np.array(grid[i, ::step] if columns_first else grid[::step, i], dtype=np.float) - float(output.zero_point))
        * output.scale
        for i in range(6)
    ]
    # Rows of zeros only fill the head up; NaN and infinity tell nothing.
    size = x1 * x1 + y1 * y1 + x2 * x2 + y2 * y2 + score * score + number * number
    speaks = (size > 0.0) * (size < np.inf)
    spoken = np.nonzero(speaks)[0]  # camera: many-hits: of _SAMPLE rows
    if not len(spoken):
        return None, None
    off = number - np.floor(number + 0.5)
    limit = tolerance(output)
    whole = (off * off <= limit * limit) * (number > -0.5) * speaks
    ordered = (x1 <= x2) * (y1 <= y2) * speaks
    # camera: many-hits: of _SAMPLE rows
    corners = len(np.nonzero(whole)[0]) == len(spoken) and 2 * len(np.nonzero(ordered)[0]) >= len(spoken)
    score = np.take(score, spoken)
    if not np.any(score > 0.0):
        return corners, None
    return corners, len(spoken) < 2 or bool(np.all(score[:-1] >= score[1:]))


def _only_zeros(output, array):
    return float(np.min(array)) == float(np.max(array)) == output.zero_point


def _one_number(array):
    # A saturated frame's: it says no more than zeros. First and last number spare most heads a search through all.
    numbers = array.reshape((array.size,))
    return numbers[0] == numbers[array.size - 1] and float(np.min(array)) == float(np.max(array))


def tolerance(output):
    """By how much a class number may miss a whole one: half a step, and .05 for floats that were integers before.

    (Their steps are unknown, but above a tenth they would leave no score to speak of.)
    """
    return 0.05 if output.dtype == FLOAT else min(0.05 + 0.5 * output.scale, 0.5)


def _with_centres(layouts, output, array):
    """(layout, sure?): the reading whose first two channels hold the boxes' centres.

    These cover the whole input, half of it in the mean; in another order they are all numbers of the first two anchors, in
    the upper left corner and with hardly a score. Rarer strides have to be clearly the better reading.
    """
    best = layouts[0]
    if len(layouts) == 1:
        return best, True
    most = None
    alike = False
    for layout in layouts:
        channels, anchors, channels_first = layout
        if most is not None and anchors < _FEWEST:
            continue
        grid = array.reshape((channels, anchors) if channels_first else (anchors, channels))
        centres = np.array(grid[:2] if channels_first else grid[:, :2], dtype=np.float) - float(output.zero_point)
        mean = float(np.mean(np.where(centres * centres < 1e12, centres, 0.0)))  # neither NaN nor infinity
        if most is None or mean > (most if anchors == best[1] else 2.0 * most):
            best, most, alike = layout, mean, False
        elif mean == most:
            alike = True
    return best, most > 0.0 and not alike


def channels_last(output, array):
    """(NHWC?, sure?) of prototypes [1, n, n, n]: neighbouring pixels are alike, neighbouring channels are not."""
    n = output.shape[1]
    first = np.array(array.reshape((n, n * n))[:, :: n + 1], dtype=np.float)
    last = np.array(array.reshape((n * n, n))[:: n + 1], dtype=np.float)
    down = first[1:] - first[:-1]
    across = last[:, 1:] - last[:, :-1]
    by_first = float(np.mean(down * down))
    by_last = float(np.mean(across * across))
    return by_last >= by_first, by_last != by_first
