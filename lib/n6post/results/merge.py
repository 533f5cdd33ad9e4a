"""`merge`: joins detections of one object, such as the parts of it that two tiles of a frame show. See models/tiles.py.

The rule is SAHI's greedy non-maximum merging with intersection over smaller area (F. C. Akyon, S. O. Altinuc, A. Temizel:
"Slicing Aided Hyper Inference and Fine-tuning for Small Object Detection", ICIP 2022; its package, 0.12, is the reference of
the tests). All arithmetic is in integers, so a camera and a PC agree.
"""

from ..tensors.lazy import later
from ..tensors.options import choice, flag, number
from .detection import Detection, copied
from .pairs import of_one_frame


def merge(detections, *, overlap_threshold=0.5, metric="ios", class_agnostic=False):
    """Join the detections that show the same object; returns a list of Detection, best first.

    detections          a list of Detection, all of one frame
    overlap_threshold   overlap from which two boxes are one object, in steps of 0.001
    metric              "ios": intersection over the smaller box, which joins a part with the whole too; "iou": intersection
                        over union
    class_agnostic      True: join boxes of different classes too

    The best detection takes in all others that overlap it by `overlap_threshold`, then the best of the rest does, and so on.
    Its box grows around each of them; one that no longer overlaps the grown box by `overlap_threshold` is dropped, as in
    SAHI. Score, class and label are those of the best one. Masks are joined, and of each keypoint the one with the higher
    score is kept. Oriented boxes do not grow: the largest one is kept. A detection that takes in no other is returned as it
    is.

    With "ios", a small object in front of a large one of its class is taken for a part of it. (Tiles never joins two of the
    same tile, for this reason.) ValueError for anything but a list of Detection of one frame, and for options out of range.
    """
    of_one_frame(detections)
    number("overlap_threshold", overlap_threshold, 0.001, 1.0)
    if choice("metric", metric, "ios", "iou") is None:
        raise ValueError("metric: expected 'ios' or 'iou', got None")
    flag("class_agnostic", class_agnostic)
    return merged(detections, None, overlap_threshold, metric == "iou", class_agnostic)


def merged(detections, origins, threshold, by_union, class_agnostic):
    """`merge` without checks.

    origins     the number of the picture that shows each detection: two of one picture are different objects, and never
                join; None: all may
    """
    part = int(1000 * threshold + 0.5)
    # Best first; those of equal scores by their corners, as in SAHI, so that the order of the tiles does not matter.
    ranked = []
    for d in detections:
        (x, y, w, h), score, _, _, _, _ = d
        ranked.append((_order(score), x, y, x + w, y + h, len(ranked)))
    ranked.sort()
    near = _overlapping(ranked, detections, origins, part, by_union, class_agnostic)
    taken = bytearray(len(ranked))
    found = []
    for at in range(len(ranked)):
        if taken[at]:
            continue
        _, x0, y0, x1, y1, best = ranked[at]
        parts = [detections[best]]
        shown = [origins[best]] if origins else ()
        for k in sorted(near.get(at, ())):
            box = ranked[k]
            i = box[5]
            if taken[k] or origins and origins[i] in shown:
                continue
            taken[k] = 1
            if origins:
                shown.append(origins[i])
            if _match(x0, y0, x1, y1, box[1], box[2], box[3], box[4], part, by_union):
                x0, y0, x1, y1 = min(x0, box[1]), min(y0, box[2]), max(x1, box[3]), max(y1, box[4])
                parts.append(detections[i])
        found.append(_join(parts, (x0, y0, x1 - x0, y1 - y0)) if len(parts) > 1 else parts[0])
    return found


def with_others(found, others, threshold, class_agnostic):
    """The list of `merged`, and those of other detections that overlap nothing in it, best first."""
    part = int(1000 * threshold + 0.5)
    made = list(found)
    for d in others:
        x, y, w, h = d[0]
        for one in found:
            left, top, across, down = one[0]
            if x < left + across and left < x + w and y < top + down and top < y + h:
                if (class_agnostic or one[2] == d[2]) and _match(
                    x, y, x + w, y + h, left, top, left + across, top + down, part, False
                ):
                    break
        else:
            made.append(d)
    order = sorted([(_order(made[i][1]), i) for i in range(len(made))])
    return [made[i] for _, i in order]


def _overlapping(ranked, detections, origins, part, by_union, class_agnostic):
    """{rank: ranks of the detections behind it that overlap it by `part` thousandths}.

    From the left to the right, so that a box is compared only with those that begin before its right edge: of a hundred
    people in a frame, with a tenth of them.
    """
    from_left = sorted([(ranked[at][1], ranked[at][3], ranked[at][2], ranked[at][4], at) for at in range(len(ranked))])
    count = len(from_left)
    near = {}
    for k in range(count):
        x0, x1, y0, y1, one = from_left[k]
        i = ranked[one][5]
        class_id = detections[i][2]
        for m in range(k + 1, count):
            box = from_left[m]
            if box[0] >= x1:
                break
            if box[2] >= y1 or box[3] <= y0:
                continue
            other = box[4]
            j = ranked[other][5]
            if not class_agnostic and detections[j][2] != class_id or origins and origins[i] == origins[j]:
                continue
            if _match(x0, y0, x1, y1, box[0], box[2], box[1], box[3], part, by_union):
                near.setdefault(min(one, other), []).append(max(one, other))
    return near


def _order(score):
    """A number by which scores are sorted, the best first and what is not a number last."""
    return -score if score == score else 1.0


def _match(x0, y0, x1, y1, ax, ay, bx, by, part, by_union):
    """Whether two boxes that touch overlap by `part` thousandths."""
    common = (min(x1, bx) - max(x0, ax)) * (min(y1, by) - max(y0, ay))
    one, other = (x1 - x0) * (y1 - y0), (bx - ax) * (by - ay)
    whole = one + other - common if by_union else min(one, other)
    return common > 0 and 1000 * common >= part * whole


def _join(parts, rect):
    """One Detection of several, the best of which is the first."""
    best = parts[0]
    _, score, class_id, label, mask, keypoints = best
    masks = [d[4] for d in parts if d[4] is not None]
    if len(masks) > 1:
        mask = later.results_mask_join.join(masks)
    elif masks:
        mask = masks[0]
    for d in parts[1:]:
        if d[5] is None:
            continue
        if keypoints is None:
            keypoints = d[5]
        elif len(keypoints) == len(d[5]):
            keypoints = _better(keypoints, d[5])
    largest = best
    usual = len(Detection._source)  # an oriented box has one entry more
    for d in parts:
        if len(d._source) > usual:
            if len(largest._source) == usual or d[0][2] * d[0][3] > largest[0][2] * largest[0][3]:
                largest = d
    if len(largest._source) > usual:
        return copied(largest, (largest[0], score, class_id, label, mask, keypoints))
    return copied(best, (rect, score, class_id, label, mask, keypoints))


def _better(one, other):
    """Of each keypoint that with the higher score, as a new array (K, 3); NaN is lower than any."""
    made = one * 1.0
    for k in range(len(made)):
        if other[k, 2] > one[k, 2] or one[k, 2] != one[k, 2]:
            made[k] = other[k]
    return made
