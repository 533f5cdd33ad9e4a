"""The outputs of split YOLO heads: which has boxes, class scores, mask coefficients, keypoints or prototypes.

Each of these comes as an output of its own, for each stride or for all strides together, in any order. The shapes show which
is which, unless two of them have the same number of channels. Then families/yolo/split_probe.py looks at the numbers.

Imported for models of several outputs only.
"""

from collections import namedtuple

from ...tensors.head_layout import HeadLayout, prototype_layout, row_layouts

_STRIDES = ((8, 16, 32), (4, 8, 16, 32), (8, 16, 32, 64), (16, 32))
_BOX_CHANNELS = {16: 64, 1: 4, 0: 4}  # by bins


class SplitPart(namedtuple("SplitPart", ("first", "scores", "boxes", "levels"))):
    """The outputs of one stride, or those of all strides if they are concatenated.

    first     number of the part's first anchor among all anchors of the network (ascending stride, then row by row)
    scores    (output index, HeadLayout, first channel of the classes)
    boxes     (output index, HeadLayout, first channel of the box: 0); the same output if boxes and scores are joined
    levels    the flat tuple (first anchor in this part, cells in a row, stride, ...): three numbers for each stride
    """


class SplitLayout(namedtuple("SplitLayout", ("parts", "bins", "classes", "extras", "protos", "sums"))):
    """One way to read a model's outputs as a split head.

    parts     a tuple of SplitPart, by ascending stride
    bins      16: DFL, 64 channels per box; 1: one distance for each side, 4 channels; 0: decoded boxes cx, cy, w, h
    classes   number of classes
    extras    mask coefficients, keypoints or angles: a tuple of (first anchor, output index, HeadLayout); () for detection
    protos    index of the prototypes, or None
    sums      the sums of class scores, which are not read: a tuple of (output index, HeadLayout) for each part, or ()
    """


def split_layouts(shapes, size, kind):
    """Every SplitLayout that outputs of these shapes may have, for a model input of (width, height). The likeliest is first.

    kind    what the network finds: "boxes", "masks", "keypoints" or "angles"

    Boxes and scores are maps [1, h, w, C] or [1, C, h, w] for each stride, or [1, C, N] or [1, N, C] for all of them. A map
    may have both: 64 box channels, then the classes. Coefficients, keypoints and angles come in either way. Beside maps of
    boxes and scores, Rockchip's detectors and segmenters (RKNN) have one with the sum of the scores for each stride. A map
    whose height, width and channels are equal is read in the order of the others. [] if the shapes are not those of a split
    head.
    """
    found = []
    masks = kind == "masks"
    prototypes = _prototypes(shapes, size) if masks else ((None, 1 if kind == "angles" else 0),)
    for strides, grids, more in _grids(size) if size else ():
        forms = _forms(len(strides), len(shapes) - masks, kind)
        if not forms:
            continue
        readings = _readings(shapes, grids)
        for protos, coefficients in prototypes:
            free = [reading for reading in readings if reading[0] != protos]
            for box_levels, extra, joined, sums in forms:
                for bins, classes, channels in _counts(free, box_levels, extra, joined, coefficients):
                    if bins and more:
                        continue  # only decoded boxes are known of such networks
                    wanted = [(level, channels) for level in extra]
                    if not joined:
                        wanted.extend([(level, _BOX_CHANNELS[bins]) for level in box_levels])
                    wanted.extend([(level, classes + joined) for level in box_levels])
                    ways = _choices(wanted + [(level, 1) for level in sums], free)
                    if sums and classes == 1:
                        ways = ways[:1]  # the sum of one score is that score: either will do
                    for chosen in ways:
                        parts, extras = _placed(chosen[: len(wanted)], box_levels, extra, joined, grids, strides)
                        found.append(SplitLayout(parts, bins, classes, extras, protos, tuple(chosen[len(wanted) :])))
    if len(found) > 1:
        best = min(found, key=_oddity)
        found = [best] + [layout for layout in found if layout is not best]
    return found


def levels_of(anchors, size):
    """The levels of a SplitPart that has this number of anchors, for a model input of (width, height)."""
    for strides, grids, _ in _grids(size):
        if sum([width * height for width, height in grids]) == anchors:
            return tuple([n for level in _levels(grids, strides) for n in level])
    return 0, size[0] // 8, 8


def _grids(size):
    """[(strides, [(columns, rows) of each stride], other than one anchor in each whole cell?)] that a network may have.

    PicoDet's stride of 64 rounds up: an input of 416 has 7 cells a side. YOLOv4 has three anchors in each cell; those of a
    stride are three maps, one below the other.
    """
    found = []
    for strides in _STRIDES:
        if min(size) < strides[-1]:
            continue
        whole = [(size[0] // stride, size[1] // stride) for stride in strides]
        rounded_up = [(-(-size[0] // stride), -(-size[1] // stride)) for stride in strides]
        found.append((strides, whole, False))
        if rounded_up != whole:
            found.append((strides, rounded_up, True))
        found.append((strides, [(width, 3 * height) for width, height in whole], True))
    return found


def _levels(grids, strides):
    """[(first anchor, columns, stride)] of each stride."""
    levels = []
    first = 0
    for (width, height), stride in zip(grids, strides):
        levels.append((first, width, stride))
        first += width * height
    return levels


def _readings(shapes, grids):
    """[(output index, level, HeadLayout)]: each output as the map of a stride, and as all strides, the last level."""
    found = []
    whole = len(grids)
    anchors = sum([width * height for width, height in grids])
    for i, shape in enumerate(shapes):
        if len(shape) == 4 and shape[0] == 1:
            _, a, b, c = shape
            for level, (width, height) in enumerate(grids):
                if a == height and b == width and c:
                    found.append((i, level, HeadLayout(c, a * b, False)))
                if b == height and c == width and a and a * b * c > 1:
                    found.append((i, level, HeadLayout(a, b * c, True)))
        found.extend([(i, whole, layout) for layout in row_layouts(shape) if layout.anchors == anchors])
    return [reading for reading in found if not _is_other_order(reading, found)]


def _is_other_order(reading, readings):
    """Whether this is the less likely storage order of an output that may have both, such as [1, 20, 20, 20].

    The outputs of the other strides, and those of the same stride, show the likely one.
    """
    i, level, layout = reading
    channels, anchors, channels_first = layout
    if anchors not in (channels, channels * channels):
        return False
    if (i, level, HeadLayout(channels, anchors, not channels_first)) not in readings:
        return False
    votes = 0
    for index, one, beside in readings:
        if index != i and (one == level or beside.channels == channels):
            votes += 1 if beside.channels_first == channels_first else -1
    return votes < 0 or votes == 0 and channels_first


def _prototypes(shapes, size):
    """[(output index, coefficients)] of the outputs that may be prototypes, the largest maps of 8 to 64 channels."""
    found = []
    largest = 0
    for i, shape in enumerate(shapes):
        if len(shape) == 4 and size:
            try:
                width, height, (coefficients, _, _) = prototype_layout(shape, size)
            except ValueError:
                continue
            if 8 <= coefficients <= 64 and width * height >= largest:  # as in yolov8_seg.py
                if width * height > largest:
                    found = []
                largest = width * height
                found.append((i, coefficients))
    return found


def _forms(levels, count, kind):
    """All forms of this number of outputs, [(box_levels, extra, joined, sums)].

    box_levels  levels of boxes and scores; extra: of coefficients or keypoints; sums: of the sums of scores
    joined      box channels that are joined with the classes
    """
    maps = range(levels)
    whole = (levels,)
    found = []
    for box_levels, joined in ((maps, _BOX_CHANNELS[16]), (maps, 0), (whole, 0)):
        for extra in (maps, whole) if kind != "boxes" else ((),):
            more = count - len(box_levels) * (1 if joined else 2) - len(extra)
            sums = more == levels and box_levels == maps and not joined and kind in ("boxes", "masks")
            if more == 0 or sums:
                found.append((box_levels, extra, joined, maps if sums else ()))
    return found


def _counts(readings, box_levels, extra, joined, coefficients):
    """[(bins, classes, channels of coefficients or keypoints)] that the outputs of the first levels allow."""
    channels = _channels(readings, box_levels[0])
    more = _channels(readings, extra[0]) if extra else [0]
    more = [n for n in more if (n == coefficients if coefficients else n % 3 == 0)]  # 3 for each keypoint
    found = []
    for bins in (16,) if joined else (16, 1) if len(box_levels) > 1 else (16, 0, 1):
        if joined or _BOX_CHANNELS[bins] in channels:
            found.extend([(bins, n - joined, one) for n in channels if n > joined for one in more])
    return found


def _channels(readings, level):
    """The numbers of channels of all outputs of a level."""
    found = []
    for _, one, layout in readings:
        if one == level and layout.channels not in found:
            found.append(layout.channels)
    return found


def _choices(wanted, readings):
    """Every way to choose an output for each (level, channels), no output twice: lists of (output index, HeadLayout)."""
    ways = [[]]
    for level, channels in wanted:
        fits = [(i, layout) for i, one, layout in readings if one == level and layout.channels == channels]
        ways = [way + [fit] for way in ways for fit in fits if fit[0] not in [i for i, _ in way]]
        if not ways:
            break
    return ways


def _placed(chosen, box_levels, extra, joined, grids, strides):
    """(parts, extras) of a SplitLayout. Chosen are outputs for extras, boxes (unless joined) and scores, in this order."""
    levels = _levels(grids, strides)
    extras = [(levels[at][0],) + chosen[at] for at in range(len(extra))]
    parts = []
    for at in range(len(box_levels)):
        boxes = chosen[at + len(extra)] + (0,)
        scores = chosen[at + len(chosen) - len(box_levels)] + (joined,)
        if len(box_levels) > 1:
            first, width, stride = levels[at]
            parts.append(SplitPart(first, scores, boxes, (0, width, stride)))
        else:
            parts.append(SplitPart(0, scores, boxes, tuple([n for level in levels for n in level])))
    return tuple(parts), tuple(extras)


def _oddity(layout):
    """How unusual a reading is: maps in both storage orders, then other numbers of classes and keypoints than COCO's."""
    orders = []
    for part in layout.parts:
        orders.extend([part.scores[1].channels_first, part.boxes[1].channels_first])
    orders.extend([one[2].channels_first for one in layout.extras])
    planes = orders.count(True)
    coco = layout.classes == 80 or layout.protos is None and layout.extras and layout.extras[0][2].channels == 51
    return 2 * min(planes, len(orders) - planes) + (0 if coco else 1)
