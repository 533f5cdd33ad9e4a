"""processor_for and diagnose with models of known and unknown families, and with outputs of such models."""

from __future__ import annotations

import re
from typing import Any

import n6post
import numpy as np

from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, require
from .tensors import KINDS, RANGES, Model, Quantized
from .yolo import anchor_count

SIDES = (32, 64, 96, 128, 160, 192)
FAMILIES = ("YoloV8", "YoloV8Seg", "YoloV8Pose", "MoveNet", "DeepLab")


def shapes(dice: Dice) -> str:
    """Random shapes, dtypes and labels: the family is recognized, or the model is refused."""
    family, size, outputs, labels = _known(dice) if dice.chance(0.6) else _unknown(dice)
    kind = dice.pick(KINDS)
    tensors = []
    large = dice.chance(0.03)
    for shape in outputs:
        small = int(np.prod(shape, dtype=np.int64)) <= (60_000 if large else 4_000)
        values = np.zeros(shape if small else (1,), kind)
        scale = None if kind == "float32" else float(np.float32(1.2 / (RANGES[kind][1] - RANGES[kind][0])))
        tensors.append(Quantized(values, scale, RANGES[kind][0] + 1 if scale else 0))
    model = Model(tensors, size, labels)
    model.output_shape = tuple(outputs)
    odd = False
    if dice.chance(0.05):
        odd = True
        name = dice.pick(("labels", "output_dtype", "input_shape"))
        setattr(model, name, dice.pick((["", "b"], [1, 2], "abc", {0: 1}) if name == "labels" else (None, ())))
    threshold = "keypoint_threshold" if family == "MoveNet" else "threshold"
    options: dict[str, Any] = {threshold: 0.25} if dice.chance(0.3) else {}
    dice.tell(family=family, size=size, outputs=outputs, labels=model.labels, kind=kind, options=options)
    processor, refused = attempt(n6post.processor_for, model, **options)
    if family and not odd:
        require(processor is not None, "refused a model of %s: %s", family, refused)
        require(type(processor).__name__ == family, "%s for a model of %s", type(processor).__name__, family)
    _diagnosed(dice, model, outputs, family, odd)
    if processor is None:
        return REFUSED
    if [values.shape for values in model.memory] != [tuple(shape) for shape in outputs]:
        return CONFIRMED if family and not odd else BOUNDED
    if dice.chance(0.5):
        for values in model.memory:
            values[...] = np.frombuffer(dice.array.bytes(values.nbytes), values.dtype).reshape(values.shape)
    found, _ = attempt(processor, model, [], model.outputs())
    if isinstance(found, list):
        for d in found:
            x, y, w, h = d.rect
            require(0 <= x <= x + w <= size[0] and 0 <= y <= y + h <= size[1], "rect %r outside of the frame", d.rect)
            require(d.score == d.score, "score %r", d.score)
    return CONFIRMED if family and not odd else BOUNDED


def _known(dice: Dice) -> tuple[str, tuple[int, int], list[tuple[int, ...]], Any]:
    """A model of a certain family: family, input size, shapes of outputs, labels."""
    side = dice.pick(SIDES)
    size = side, side
    anchors = anchor_count(size)
    family = dice.pick(FAMILIES)

    def head(channels: int) -> tuple[int, ...]:
        return (1, anchors, channels) if dice.chance(0.4) else (1, channels, anchors)

    labels: Any = None
    if family == "YoloV8":
        if dice.chance(0.3):
            return family, size, [(1, 300, 6)], labels
        classes = dice.pick((80, 3, 7, 300, 20))
        if classes != 80:
            labels = [f"thing {i}" for i in range(classes)]
        return family, size, [head(4 + classes)], labels
    if family == "YoloV8Seg":
        outputs = [head(4 + dice.pick((80, 1, 5)) + 32), (1, side // 4, side // 4, 32)]
        if side == 128:  # 32 x 32 x 32
            outputs[1] = (1, 32, 32, 16)
            outputs[0] = head(4 + 80 + 16)
        return family, size, outputs[::-1] if dice.chance(0.5) else outputs, labels
    if family == "YoloV8Pose":
        return family, size, [head(56)], labels
    if family == "MoveNet":
        if dice.chance(0.3):
            return family, size, [(1, 1, 17, 3)], labels
        cells = side // 4
        keypoints = dice.pick((17, 13))
        return family, size, [(1, cells, cells, keypoints) if dice.chance(0.6) else (1, keypoints, cells, cells)], labels
    classes = dice.pick((21, 2, 5))
    shape = dice.pick(((1, side, side, classes), (1, classes, side, side), (1, side, side)))
    return family, size, [shape], labels


def _unknown(dice: Dice) -> tuple[str, tuple[int, int], list[tuple[int, ...]], Any]:
    size = dice.pick(SIDES), dice.pick((*SIDES, 1, 7, 65535))
    numbers = (1, 3, 6, 17, 56, 84, 32, 300, 1000, 8, 21, 2, 0, 65536, size[0], size[1], size[0] // 4, anchor_count(size))
    outputs = [tuple([1] + [dice.pick(numbers) for _ in range(dice.whole(0, 3))]) for _ in range(dice.pick((1, 2, 1, 3, 0)))]
    labels = dice.pick((None, ["a"], ["a", "b"], [f"thing {i}" for i in range(dice.whole(1, 90))]))
    return "", size, outputs, labels


def _diagnosed(dice: Dice, model: Model, outputs: list[tuple[int, ...]], family: str, odd: bool) -> None:
    given = None
    if dice.chance(0.3):
        given = model.outputs()
        if dice.chance(0.1):
            given = dice.pick(([5], 7, [*given, None], "x"))  # type: ignore[assignment]
    findings, refused = attempt(n6post.diagnose, model, given)
    nonsense = given is not None and (not isinstance(given, list) or not all([hasattr(one, "strides") for one in given]))
    if findings is None:
        empty = given is not None and not all([values.size for values in model.memory])
        require(nonsense or odd or empty, "refused a model: %s", refused)
        return
    require(not nonsense, "accepted invalid outputs")
    for finding in findings:
        require(re.fullmatch(r"(?s)\S.*\w.* \(docs/troubleshooting\.md#[a-z-]+\)", finding), "no message: %r", finding)
        require("nan" not in finding, "a number that is none: %r", finding)
    if family and not odd and given is None:
        healthy = [one for one in findings if "#large-map" not in one]
        require(not healthy, "a healthy %s: %r", family, healthy)
