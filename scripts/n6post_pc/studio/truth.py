"""The true boxes of pictures, from files in COCO's or YOLO's format, and which of them a model finds.

A true box here is (label or class number, (x, y, w, h)), in fractions of the picture's size.
"""

from collections.abc import Collection, Sequence
from typing import Any

from ..collect import folder
from ..command import UserError
from ..models import compare

Box = tuple[str | int, tuple[float, float, float, float]]


def of_yolo(name: str, text: str) -> list[Box]:
    """The boxes of a picture's file of labels. UserError for other text."""
    try:
        rows = [folder.box(line) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        raise UserError(f"{name}: {error}") from None
    return [(number, (cx - w / 2, cy - h / 2, w, h)) for number, cx, cy, w, h in rows]


def is_yolo(text: str) -> bool:
    """Whether a text has boxes and nothing else."""
    try:
        return bool(of_yolo("", text))
    except UserError:
        return False


def placed(
    boxes: Sequence[Box], names: Sequence[str] | None, classes: Collection[str] | None, picture: tuple[int, int],
    frame: tuple[int, int],
) -> tuple[list[tuple[str, list[int]]], list[str]]:  # fmt: skip
    """The boxes (label, rect) in a frame, and the labels of those that are left out as no class of the model.

    names       the labels of the model's classes, or None
    classes     the labels to keep, or None for all
    picture     its (width, height), which is shown in the middle of the frame, with bars
    """
    scale = min(frame[0] / picture[0], frame[1] / picture[1])
    (width, height), known = (scale * picture[0], scale * picture[1]), {name.casefold(): name for name in names or ()}
    made, unknown = [], set()
    for label, (x, y, w, h) in boxes:
        if isinstance(label, int):
            name = None if names is not None and label >= len(names) else names[label] if names else str(label)
        else:
            name = known.get(label.casefold()) if names else label
        if name is None:
            unknown.add(str(label))
        elif not classes or name in classes:
            left, top = (frame[0] - width) / 2 + x * width, (frame[1] - height) / 2 + y * height
            made.append((name, [round(left), round(top), round(w * width), round(h * height)]))
    return made, sorted(unknown)


def hits(found: Sequence[Sequence[Any]], boxes: Sequence[tuple[str, list[int]]]) -> list[int]:
    """For each detection (score, label, rect), best first, the number of the true box that it finds, or -1.

    As COCO's AP50 counts it: the free box of the same label with the highest IoU, which is at least .5. What is found above
    one threshold therefore stays found above a lower one.
    """
    free = set(range(len(boxes)))
    numbers = []
    for _, label, rect in found:
        ious = {k: compare.box_iou(rect, tuple(boxes[k][1])) for k in free if boxes[k][0].casefold() == label.casefold()}  # type: ignore[arg-type]
        best = max(sorted(ious), key=ious.__getitem__, default=-1)
        if best >= 0 and ious[best] < compare.SAME:
            best = -1
        free.discard(best)
        numbers.append(best)
    return numbers
