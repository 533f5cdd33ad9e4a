"""Finds the layout of outputs whose shape alone does not show it, from the numbers of a frame.

A raw head has a box cx, cy, w, h and the scores of all classes for each anchor. An *end-to-end* head has a row
x1, y1, x2, y2, score, class for each object that it found, best first ([1, rows, 6 + what the family adds], end_to_end.py).
[1, 189, 6] of a 96 x 96 input may be either: two classes, or 189 rows.
"""

from micropython import const
from ulab import numpy as np

from ...tensors.head_layout import HeadLayout, anchor_counts, flat, row_layouts

_FEWEST_ANCHORS = 20  # of an input of 64 x 64 with strides of 16 and 32
_SAMPLE = const(128)  # the most rows or anchors that are examined
_MOST_ROWS = const(300)  # of an end-to-end head, by default
_MOST_COLUMNS = const(405)  # of 133 keypoints, as in COCO-WholeBody
_FEWEST_ROWS = 5  # that show whether the sixth column has class numbers
_ROWS = (
    "x1, y1, x2, y2, score, class (those of RT-DETR are cx, cy, w, h: decode them in your script, and pass the boxes to"
    " n6post.detections, or use a YOLO)",
    "cx, cy, w, h, score, class",
)
_TURNED = 1  # columns that rows of oriented boxes have after the first six: the angle


def read(layouts, extra, output, array, size):
    """(layout, end-to-end?, certain?) of a head: layout is its HeadLayout.

    layouts     the layouts that a raw head of this shape may have (head_layout.head_layouts)
    extra       how many columns the family's end-to-end rows have after the first six; -3: 3 per keypoint, -2: 2, -1: either

    Not certain if these numbers do not show it, for example if all are zero. ValueError for a head of neither kind.
    """
    rows = []
    for layout in row_layouts(output.shape):
        columns = layout.channels - 6
        three = extra != -2 and columns % 3 == 0
        two = extra != -3 and columns % 2 == 0 and layout.anchors <= _MOST_ROWS
        if columns == extra if extra >= 0 else 0 < columns < _MOST_COLUMNS and (three or two):
            rows.append(layout)
    if extra == _TURNED:
        for layout in rows:
            _check_batch_rows(layout, output, array)
    if layouts and extra == _TURNED:
        # The centers and sizes of both readings look alike. But no class score is as large as the number of the third class.
        rows = [layout for layout in rows if float(np.max(layout.column(array, 5))) > 1.5 / output.scale + output.zero_point]
    fits, possible = _readings_as_rows(rows, layouts, output, array, extra == _TURNED)
    if fits:
        # [1, 15, 30] may be 15 rows or 30 rows of keypoints, and a few rows of one look like those of the other. In coarse
        # steps many do: 300 columns read as rows look like boxes with scores of 100. But rows come best first, or have no
        # score: what is out of order is the other reading. If both are in order, a later frame decides.
        best = min(fits)
        certain = len([fit for fit in fits if fit[0] == best[0]]) == 1
        return best[2], True, certain and not (layouts and _is_one_number(array))
    if possible and not (layouts and extra == 0 and _may_be_scores(possible, output, array)):
        return possible, True, len(rows) + len(layouts) == 1
    if layouts:
        layout, certain = _with_centers(layouts, output, array)
        return layout, False, certain and not possible and not (rows and _is_one_number(array))
    if rows and _is_one_number(array):
        return rows[0], True, False  # a network's first frame may be like this; the next one is examined again
    raise ValueError(
        "expected a head [1, C, N] or [1, N, C] of N = %s anchors, that belongs to an input of (width, height) %s, or an"
        " end-to-end head [1, rows, 6 and what the family adds], got %s%s"
        % (
            " or ".join([str(n) for n in anchor_counts(size)]),
            size,
            output.shape,
            ": its numbers are not rows of %s" % _ROWS[extra == _TURNED]
            if rows
            else unsupported_hint(output.shape, size),
        )
    )


def _check_batch_rows(layout, output, array):
    """ValueError if the rows begin with the number of the picture, 0 (-1 behind the last row), and not with a center."""
    first, second, third = [layout.column(array, channel) for channel in range(3)]
    zero = output.zero_point
    last = zero - max(1.0 / output.scale, 1.0)
    if np.max(first) == zero and float(np.min(first)) >= last - 0.5 and float(np.max(second)) > zero < float(np.max(third)):
        from ...tensors import errors

        raise errors.not_decoded(output, errors.BATCH_ROWS, errors.BATCH_REMEDY)


def _readings_as_rows(rows, layouts, output, array, turned=False):
    """([(rank, index, layout)] of the readings that the numbers support, a reading that stays possible or None).

    The best rank is 0. turned: as for _evidence.
    """
    fits = []
    possible = None
    for layout in rows:
        corners, ranked = _evidence(layout, output, array, turned)
        # If the shape is also that of a raw head, whose class scores may look like anything, the rows must be in order too.
        if corners and (ranked or not layouts):
            fits.append((0 if ranked else 1 if ranked is None else 2, len(fits), layout))
        elif corners and ranked is None or corners is None and (not layouts or _is_zero(output, array)):
            possible = possible or layout
    return fits, possible


def _may_be_scores(layout, output, array):
    """Whether the class numbers of rows without a score are as small as scores of a second class.

    A raw head of corners and two classes, whose scores are mostly 0, looks like such rows.
    """
    return layout.anchors > _MOST_ROWS or (float(np.max(layout.column(array, 5))) - output.zero_point) * output.scale < 0.99


def unsupported_hint(shape, size):
    """A hint for a shape that is often met but not supported, else ""."""
    dims = flat(shape)
    if dims and dims[0] % 3 == 0 and dims[0] // 3 in anchor_counts(size):
        return ": three boxes per anchor, as in YOLOv5: use n6post.YoloV5()"
    if dims and dims[0] == 300:
        return ": 300 rows, but of another family or network (oriented boxes: n6post.YoloV8Obb, or RT-DETR)"
    return ""


def _evidence(layout, output, array, turned=False):
    """(corners?, ranked?) of an end-to-end reading; each is None if the numbers are zeros, which show nothing.

    corners     x1 <= x2 and y1 <= y2 in most rows, and class numbers that are whole numbers. (In a raw head the former is
                cx <= w and cy <= h: true of 6 to 28 % of the anchors in recorded heads.) If `turned`, rows are those of
                oriented boxes, cx, cy, w, h: sizes of 0 and more in most rows
    ranked      scores above 0, in descending order
    """
    step = 1 + (layout.anchors - 1) // _SAMPLE
    x1, y1, x2, y2, score, number = [
        (np.array(layout.column(array, i, step), dtype=np.float) - float(output.zero_point)) * output.scale for i in range(6)
    ]
    # Rows of zeros only fill the head up. Rows with NaN or infinity show nothing.
    size = x1 * x1 + y1 * y1 + x2 * x2 + y2 * y2 + score * score + number * number
    used = (size > 0.0) * (size < np.inf)
    used_rows = np.nonzero(used)[0]  # camera: many-hits: of _SAMPLE rows
    if not used_rows.size:
        return None, None
    off = number - np.floor(number + 0.5)
    limit = output.class_tolerance()
    whole = (off * off <= limit * limit) * (number > -0.5) * used
    # Class 0 is exactly 0 in every dtype. Small numbers in most rows are scores, as in RT-DETR's cx, cy, w, h and scores.
    small = np.nonzero((number > 0.0) * (number < 0.5) * used)[0].size  # camera: many-hits: of _SAMPLE rows
    if used_rows.size >= _FEWEST_ROWS and 2 * small > used_rows.size:
        return False, None
    if turned:
        ordered = (x2 >= 0.0) * (y2 >= 0.0) * used
    else:
        ordered = (x1 <= x2) * (y1 <= y2) * used
    # camera: many-hits: of _SAMPLE rows
    corners = np.nonzero(whole)[0].size == used_rows.size and 2 * np.nonzero(ordered)[0].size >= used_rows.size
    if corners and not turned and used_rows.size >= _FEWEST_ROWS:
        corners = not _are_centers(x1, y1, x2, y2, ordered, used_rows.size)
    score = np.take(score, used_rows)
    if not np.any(score > 0.0):
        return corners, None
    return corners, len(used_rows) < 2 or bool(np.all(score[:-1] >= score[1:]))


def _are_centers(cx, cy, w, h, ordered, count):
    """Whether boxes are cx, cy, w, h in most rows, as in RT-DETR: inside of the picture as such, and some not as corners."""
    inside = (2.0 * cx >= 0.95 * w) * (2.0 * cy >= 0.95 * h) * (w >= 0.0) * (h >= 0.0)
    # camera: many-hits: of _SAMPLE rows
    as_corners, as_centers = np.nonzero(ordered)[0].size, np.nonzero(inside)[0].size
    return 20 * (count - as_corners) >= count and 100 * as_centers >= 95 * len(cx)


def _is_zero(output, array):
    return float(np.min(array)) == float(np.max(array)) == output.zero_point


def _is_one_number(array):
    # As in a saturated frame, which shows no more than zeros do. The first and the last number are enough for most heads.
    numbers = array.reshape((array.size,))
    return numbers[0] == numbers[array.size - 1] and float(np.min(array)) == float(np.max(array))


def _with_centers(layouts, output, array):
    """(layout, certain?): the reading whose first two channels are the centers of boxes.

    Centers cover the whole input, so their mean is half of its side. In another order these are all numbers of the first two
    anchors, in the upper left corner and with hardly a score. A layout of rarer strides must fit clearly better.
    """
    best = layouts[0]
    if len(layouts) == 1:
        return best, True
    largest = None
    tied = False
    for layout in layouts:
        if largest is not None and layout.anchors < _FEWEST_ANCHORS:
            continue
        centers = np.array(layout.columns(array, 0, 2), dtype=np.float) - float(output.zero_point)
        mean = float(np.mean(np.where(centers * centers < 1e12, centers, 0.0)))  # without NaN and infinity
        if largest is None or mean > (largest if layout.anchors == best.anchors else 2.0 * largest):
            best, largest, tied = layout, mean, False
        elif mean == largest:
            tied = True
    return best, largest > 0.0 and not tied


def cube_layout(output, array):
    """(HeadLayout, certain?) of prototypes [1, n, n, n]: neighboring pixels are similar, channels are not."""
    n = output.shape[1]
    first = np.array(array.reshape((n, n * n))[:, :: n + 1], dtype=np.float)
    last = np.array(array.reshape((n * n, n))[:: n + 1], dtype=np.float)
    down = first[1:] - first[:-1]
    across = last[:, 1:] - last[:, :-1]
    by_first = float(np.mean(down * down))
    by_last = float(np.mean(across * across))
    return HeadLayout(n, n * n, by_last < by_first), by_last != by_first
