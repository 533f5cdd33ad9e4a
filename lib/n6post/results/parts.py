"""The runs of a mask's pixels, and the connected parts of a class. Imported on first use."""

from array import array

from micropython import const
from ulab import numpy as np

from ..tensors.options import number
from .detection import Detection, detection_from
from .mask import Mask
from .mask_measures import measure

_BLOCK = const(8192)  # pixels that are compared at once


def runs(mask):
    """The pixels of a Mask as a list of (row, first column, end), mask pixels, in the order of its rows."""
    data, (wx, wy, ww, _), (x, y, w, h), _, _ = mask._parts()
    if not data:
        return []
    given = np.frombuffer(data, dtype=np.uint8)
    # Bytes, because a bytearray of the camera has no find.
    inside = b"".join([bytes((given[at : at + _BLOCK] >= 128).tobytes()) for at in range(0, len(data), _BLOCK)])
    found = []
    for row in range(y, y + h):
        at = (row - wy) * ww + x - wx
        end, shift = at + w, x - at
        while at < end:
            first = inside.find(b"\x01", at, end)
            if first < 0:
                break
            at = inside.find(b"\x00", first, end)
            if at < 0:
                at = end
            found.append((row, first + shift, at + shift))
    return found


def objects(segmentation, class_id, min_area):
    """Segmentation.objects."""
    class_id = segmentation._class(class_id)
    number("min_area", min_area, 0, 0x3FFFFFFF)
    mask = segmentation.mask(class_id)
    _, (wx, wy, ww, wh), _, clip, transform = mask._parts()
    most = (int(transform.sx) + 1) * (int(transform.sy) + 1)  # frame pixels of a pixel of the map
    label, (_, threshold) = segmentation.label(class_id), Detection._source
    source = transform.frame_size, threshold
    numbers = array("i", bytes(28))
    made = []
    for part in _connected(runs(mask)):
        if sum([end - first for _, first, end in part]) * most < min_area:
            continue
        x, y = min([first for _, first, _ in part]), part[0][0]
        w, h = max([end for _, _, end in part]) - x, part[-1][0] + 1 - y
        # With a border, as the mask of the whole class has it.
        left, top = max(x - 1, wx), max(y - 1, wy)
        width, height = min(x + w + 1, wx + ww) - left, min(y + h + 1, wy + wh) - top
        data = bytearray(width * height)
        for row, first, end in part:
            at = (row - top) * width + first - left
            data[at : at + end - first] = b"\xff" * (end - first)
        one = Mask(data, (left, top, width, height), (x, y, w, h), clip, transform)
        measure(one, numbers)
        area = numbers[4]
        if area and area >= min_area:
            made.append((-area, len(made), Detection(tuple(numbers[:4]), 1.0, class_id, label, one, None)))
    made.sort()
    return [detection_from(d, source) for _, _, d in made]


def _connected(found):
    """Lists of the runs that touch, corners included, each list in the order of the rows."""
    roots = list(range(len(found)))  # of each run one that comes before it and is connected with it, or itself
    above = 0  # the first run of the row before that may touch
    for k, (row, first, end) in enumerate(found):
        while found[above][0] < row - 1 or found[above][0] < row and found[above][2] < first:
            above += 1
        at = above
        while found[at][0] < row and found[at][1] <= end:
            a, b = _root(roots, at), _root(roots, k)
            roots[max(a, b)] = min(a, b)
            at += 1
    parts = {}
    for k, run in enumerate(found):
        parts.setdefault(_root(roots, k), []).append(run)
    return [parts[k] for k in sorted(parts)]


def _root(roots, k):
    while roots[k] != k:
        roots[k] = k = roots[roots[k]]
    return k
