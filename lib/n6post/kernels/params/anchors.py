"""The parameter blocks of the kernels of anchors.py, which decode heads of maps and anchors: see boxes.py."""

from array import array

from micropython import const

from .boxes import bits, filter_words


def score_anchors(
    dtype, channel_step, anchor_step, first_class, classes, activation, background, zero_point, scale, search_scale,
    search_sigmoid, root, least, capacity, rows, count=0, allowed=(),
):  # fmt: skip
    """The parameter block of score_anchors.

    allowed     the classes that may pass, () for all; stored as the number of words that follow, and these: a bit for each
                class
    """
    words = filter_words(classes, allowed)
    entries = [dtype, channel_step, anchor_step, first_class, classes, activation, background, zero_point]
    entries += [bits(scale), bits(search_scale), search_sigmoid, root, bits(least), capacity, rows, count]
    return array("i", entries + [len(words)] + words)


SCORE_COUNT = const(15)


def decode_anchors(
    dtype, channel_step, anchor_step, zero_point, scale, first_box, swapped, xy, wh, wh_scale, first_point, points, offset,
    first, capacity, rows, count=0, total=0, level_count=0, table=(),
):  # fmt: skip
    """The parameter block of decode_anchors.

    table   as level_table makes it; stored as the number of words that follow, and these
    """
    entries = [dtype, channel_step, anchor_step, zero_point, bits(scale), first_box, swapped, xy, wh, bits(wh_scale)]
    entries += [first_point, points, bits(offset), first, capacity, rows, count, total, level_count, len(table)]
    return array("i", entries + list(table))


DECODE_ANCHORS_COUNT = const(16)
DECODE_ANCHORS_TOTAL = const(17)


def level_table(levels):
    """The table of decode_anchors, for levels by ascending first anchor.

    A level is (first anchor, cells in a row, stride x, stride y, anchors of a cell), and each of these anchors (gain x,
    gain y, width, height).
    """
    words = []
    anchors = []
    for first, width, stride_x, stride_y, cell in levels:
        words += [first, width, len(cell), bits(stride_x), bits(stride_y), 6 * len(levels) + len(anchors)]
        for anchor in cell:
            anchors += [bits(number) for number in anchor]
    return words + anchors


def rank_anchors(total, most, capacity, rows):
    return array("i", (total, most, capacity, rows))


RANK_TOTAL = const(0)


def blend_anchors(count, threshold, class_agnostic, most, capacity, rows):
    return array("i", (count, bits(threshold) | 3, class_agnostic, most, capacity, rows))  # | 3: as in params.suppress


BLEND_COUNT = const(0)
