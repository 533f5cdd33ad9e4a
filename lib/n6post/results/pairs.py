"""How much the boxes of detections overlap, and `pairs`: which of two lists belong together."""

from micropython import const

from ..tensors.lazy import later
from ..tensors.options import choice, number
from .detection import Detection

# Copied by scripts/dev/generate.py from results/detection.py:
_CORNERS = const(2)


def pairs(first, second, *, metric="overlap", overlap_threshold=0.5):
    """Find what belongs together, such as helmets and the people who wear them; returns a list of (a, b), best first.

    first, second       lists of Detection, both of one frame
    metric              "overlap": the part of a's box that lies in b's; "iou": intersection over union; "ios": intersection
                        over the smaller box
    overlap_threshold   the least overlap of a pair, 0.001 to 1.0, in steps of 0.001

    A detection is in one pair at most: the pair that overlaps most is taken first, then the best of the rest. ValueError for
    anything but two lists of Detection of one frame, and for options out of range.
    """
    of_one_frame(list(of_one_frame(first)) + list(of_one_frame(second)))
    if choice("metric", metric, "overlap", "iou", "ios") is None:
        raise ValueError("metric: expected 'overlap', 'iou' or 'ios', got None")
    part = int(1000 * number("overlap_threshold", overlap_threshold, 0.001, 1.0) + 0.5)
    ranked = []
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            common, own, others = areas(a, b)
            if common:
                whole = own if metric == "overlap" else min(own, others) if metric == "ios" else own + others - common
                if 1000 * common >= part * whole:
                    ranked.append((-((common << 20) // whole), i, j))  # integers: the same order on a camera and a PC
    ranked.sort()
    found, taken, given = [], set(), set()
    for _, i, j in ranked:
        if i not in taken and j not in given:
            taken.add(i)
            given.add(j)
            found.append((first[i], second[j]))
    return found


def of_one_frame(detections):
    """The argument if it is a list of Detection of one frame. ValueError for anything else."""
    if not isinstance(detections, (list, tuple)) or [d for d in detections if not isinstance(d, Detection)]:
        raise ValueError("detections: expected a list of Detection, got %r" % (detections,))
    sizes = set([d.frame_size for d in detections if d.frame_size])
    if len(sizes) > 1:
        raise ValueError("detections: expected those of one frame, got frames of %s" % " and ".join([str(s) for s in sizes]))
    return detections


def areas(one, other):
    """The area that two boxes have in common, and that of each, in pixels; in 1/256 of them if one is oriented."""
    ax, ay, aw, ah = one[0]
    bx, by, bw, bh = other[0]
    w, h = min(ax + aw, bx + bw) - max(ax, bx), min(ay + ah, by + bh) - max(ay, by)
    if w <= 0 or h <= 0:
        return 0, aw * ah, bw * bh
    if len(one._source) > _CORNERS or len(other._source) > _CORNERS:
        return later.results_oriented.areas(one, other)
    return w * h, aw * ah, bw * bh


def iou(one, other):
    """Detection.iou."""
    common, own, others = areas(*of_one_frame((one, other)))
    return common / (own + others - common) if common else 0.0


def overlap(one, other):
    """Detection.overlap."""
    common, own, _ = areas(*of_one_frame((one, other)))
    return common / own if common else 0.0
