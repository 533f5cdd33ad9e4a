"""Split YOLO heads with plausible numbers, in every form that networks have.

Boxes, class scores, and mask coefficients or keypoints are outputs of their own: for each stride, or over all of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import reference
from fakes import Array, FakeModel, Tensor

USUAL = (8, 16, 32)
STRIDES = (USUAL, (4, 8, 16, 32), (8, 16, 32, 64), (16, 32))
KINDS = ("int8", "uint8", "int16", "float32")
RANGES = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767)}


class Form(NamedTuple):
    """How a split head is stored.

    parts   "apart": boxes and scores of each stride; "joined": both in one output for each stride; "concatenated": over all
            strides
    extras  coefficients or keypoints: "apart" for each stride, or "concatenated"
    planes  which outputs have the channels first: "none", "all", or "some"
    order   seed of the order of the outputs and of "some"; 0: boxes, scores, extras, prototypes
    """

    parts: str = "apart"
    extras: str = "apart"
    planes: str = "none"
    order: int = 0


class SplitHead(NamedTuple):
    """The outputs of a network for each of its strides: lists of tensors [rows, columns, channels].

    Concatenated forms need one scale for all strides, joined ones one for boxes and scores: see `Scales`.
    """

    size: tuple[int, int]  # of the model input: width, height
    strides: tuple[int, ...]
    class_count: int
    boxes: list[Tensor]
    scores: list[Tensor]
    extras: list[Tensor]  # empty for detection
    prototypes: Tensor | None = None  # [1, rows, columns, coefficients]
    box_unit: tuple[float, float] | None = None  # decoded boxes: cx, cy, w, h in this unit
    probabilities: bool = False  # the scores are no logits

    @property
    def family(self) -> str:
        return "YoloV8Seg" if self.prototypes else "YoloV8Pose" if self.extras else "YoloV8"

    def levels(self) -> list[reference.Level]:
        levels = []
        for i, stride in enumerate(self.strides):
            boxes, scores = flat(self.boxes[i].dequantized().values), flat(self.scores[i].values)
            extra = flat(self.extras[i].dequantized().values) if self.extras else np.zeros((len(scores), 0), np.float32)
            columns = self.scores[i].values.shape[1]
            quantization: Any = self.scores[i].quantization()
            levels.append(reference.Level(stride, columns, boxes, scores, extra, **quantization))
        return levels

    def candidates(self, threshold: float, **options: Any) -> reference.Candidates:
        return reference.decode_split(
            self.levels(),
            threshold,
            keypoints=self.family == "YoloV8Pose",
            box_unit=self.box_unit,
            probabilities=self.probabilities,
            **options,
        )

    def logits(self, anchor: int) -> Array:
        """Prototype logits of an anchor: exact integers for quantized tensors, float64 sums for floats."""
        assert self.prototypes
        for extra in self.extras:
            rows = flat(extra.values)
            if anchor < len(rows):
                kind = np.int64 if extra.scale and self.prototypes.scale else np.float64
                coefficients, protos = rows[anchor].astype(kind), self.prototypes.values[0].astype(kind)
                return reference.mask_logits(coefficients - extra.zero_point, protos - self.prototypes.zero_point)
            anchor -= len(rows)
        raise AssertionError(f"{anchor} anchors too few")

    def mask(self, anchor: int, box: Array) -> tuple[Array, Array]:
        """(mask pixels, those that rounding decides: at the edges of the box, and where a float32 sum is close to 0)."""
        assert self.prototypes
        logits = self.logits(anchor)
        wanted = [reference.prototype_mask(logits, box, self.size, padding=p) for p in (-1e-3, 0, 1e-3)]
        unclear = wanted[0] != wanted[2]
        kinds = {t.values.dtype.name for t in (*self.extras, self.prototypes)}
        if kinds not in ({"int8"}, {"uint8"}):
            unclear |= np.abs(logits) <= 1e-4 * np.abs(logits).max(initial=0)
        return wanted[1], unclear

    def tensors(self, form: Form = Form()) -> list[Tensor]:  # noqa: B008 (a tuple)
        """The outputs in this form."""
        if form.parts == "joined":
            outputs = [joined(b, s) for b, s in zip(self.boxes, self.scores, strict=True)]
        elif form.parts == "concatenated":
            outputs = [concatenated(self.boxes), concatenated(self.scores)]
        else:
            outputs = [*self.boxes, *self.scores]
        if self.extras:
            outputs += [concatenated(self.extras)] if form.extras == "concatenated" else self.extras
        dice = random.Random(form.order)
        outputs = [t._replace(values=t.values[None]) for t in outputs] + ([self.prototypes] if self.prototypes else [])
        for i, tensor in enumerate(outputs):
            if form.planes == "all" or form.planes == "some" and dice.random() < 0.5:
                axes = (0, 2, 1) if tensor.values.ndim == 3 else (0, 3, 1, 2)
                outputs[i] = tensor.reordered(*axes)
        if form.order:
            dice.shuffle(outputs)
        return [t._replace(values=np.ascontiguousarray(t.values)) for t in outputs]

    def model(self, form: Form = Form(), labels: list[str] | None = None) -> FakeModel:  # noqa: B008 (a tuple)
        return FakeModel(self.tensors(form), self.size, labels)


def flat(values: Array) -> Array:
    """[rows, columns, channels] -> (cells, channels)."""
    return values.reshape(-1, values.shape[-1])


def joined(boxes: Tensor, scores: Tensor) -> Tensor:
    assert boxes[1:] == scores[1:], "a joined output has one scale"
    return boxes._replace(values=np.concatenate([boxes.values, scores.values], axis=2))


def concatenated(tensors: Sequence[Tensor]) -> Tensor:
    """[anchors, channels] of all strides."""
    assert len({t[1:] for t in tensors}) == 1, "a concatenated output has one scale"
    return tensors[0]._replace(values=np.concatenate([flat(t.values) for t in tensors]))


def quantized(values: Array, kind: str, scale: float, zero_point: int) -> Tensor:
    if kind == "float32":
        return Tensor(values.astype(np.float32))
    low, high = RANGES[kind]
    raw = np.clip(np.round(values / scale) + zero_point, low, high).astype(kind)
    return Tensor(raw, float(np.float32(scale)), zero_point)


def fitted(groups: Sequence[Sequence[Array]], kinds: Sequence[str], dice: np.random.Generator) -> list[list[Tensor]]:
    """Quantize arrays; those of one group share a scale that represents all of them, and a dtype."""
    tensors = []
    for group, kind in zip(groups, kinds, strict=True):
        low = min(0.0, *(float(a.min()) for a in group))
        high = max(0.0, *(float(a.max()) for a in group))
        least, most = RANGES.get(kind, (0, 1))
        scale = float(np.float32((high - low) / (most - least) * dice.uniform(1, 1.2) + 1e-6))
        zero_point = int(np.clip(np.round(least - low / scale), least, most))
        tensors.append([quantized(a, kind, scale, zero_point) for a in group])
    return tensors


class Numbers(NamedTuple):
    """The real numbers of a head, for each stride [rows, columns, channels]."""

    boxes: list[Array]
    scores: list[Array]
    extras: list[Array]


def plausible(
    dice: np.random.Generator,
    size: tuple[int, int],
    strides: Sequence[int],
    bins: int,
    class_count: int,
    extra: int,
    objects: int,
    keypoints: bool = False,
) -> Numbers:
    """Numbers as a trained network has them: the anchors in the middle of each object have its box and a high score."""
    numbers = Numbers([], [], [])
    middles = dice.uniform(0.1, 0.9, (objects, 2)) * size
    sides = dice.uniform(0.1, 0.6, (objects, 2)) * size
    things = np.concatenate([middles - sides / 2, middles + sides / 2], axis=1)
    class_ids = dice.integers(0, class_count, objects)
    for stride in strides:
        columns, rows = size[0] // stride, size[1] // stride
        cells = rows * columns
        centers = reference.cell_centers(cells, columns)
        scores = dice.normal(-7, 1.5, (cells, class_count))
        distances = dice.uniform(0, 3, (cells, 4))
        for box, class_id in zip(things, class_ids, strict=True):
            at = centers * stride
            inside = np.flatnonzero(((at > box[:2]) & (at < box[2:])).all(axis=1))
            inside = dice.permutation(inside)[: dice.integers(0, 5)]
            edges = np.concatenate([at[inside] - box[:2], box[2:] - at[inside]], axis=1) / stride
            distances[inside] = np.clip(edges + dice.normal(0, 0.3, edges.shape), 0, 14.9 if bins > 1 else 60)
            scores[inside, class_id] = dice.normal(0.5, 2, len(inside))
        shape = rows, columns
        if bins > 1:
            logits = -np.square(np.arange(bins) - distances[..., None]) / dice.uniform(0.5, 2)
            logits = np.maximum(logits, -9) + dice.normal(0, 0.3, logits.shape)
            logits += 1 - logits.mean(axis=-1, keepdims=True)  # the loss does not move the mean from its first value
            numbers.boxes.append(logits.reshape(*shape, 4 * bins))
        else:
            numbers.boxes.append(distances.reshape(*shape, 4))
        numbers.scores.append(scores.reshape(*shape, class_count))
        if extra:
            rows_of_extra = dice.normal(0, 1.5 if keypoints else 0.5, (cells, extra))
            numbers.extras.append(rows_of_extra.reshape(*shape, extra))
    return numbers


class Scales(NamedTuple):
    """Which outputs share a scale, and so the forms that a head can have.

    `own`: none; `kinds`: all strides, for boxes, scores and extras each; `strides`: boxes and scores of a stride, and the
    extras of all strides.
    """

    name: str
    parts: tuple[str, ...]
    extras: tuple[str, ...]


SCALES = (
    Scales("own", ("apart",), ("apart",)),
    Scales("kinds", ("apart", "concatenated"), ("apart", "concatenated")),
    Scales("strides", ("apart", "joined"), ("apart", "concatenated")),
)


def forms_of(shared: str) -> Iterator[Form]:
    """Every form of a head whose outputs share scales as `shared` says, in some order."""
    (scales,) = [one for one in SCALES if one.name == shared]
    order = 0
    for parts in scales.parts:
        for extras in scales.extras:
            for planes in ("none", "all", "some", "some"):
                yield Form(parts, extras, planes, order)
                order += 1


def random_split_head(
    seed: int,
    size: tuple[int, int] = (96, 64),
    strides: tuple[int, ...] = USUAL,
    *,
    bins: int = 16,
    class_count: int = 3,
    coefficients: int = 0,
    keypoints: int = 0,
    kinds: Sequence[str] = ("int8",),
    shared: str = "kinds",
    objects: int = 4,
) -> SplitHead:
    """A head with a few objects. `kinds`: dtypes, of which each scale's outputs take the next; `shared`: see Scales.

    Coefficients and prototypes have the first of `kinds`.
    """
    dice = np.random.default_rng(seed)
    extra = coefficients or 3 * keypoints
    numbers = plausible(dice, size, strides, bins, class_count, extra, objects, keypoints > 0)
    levels = range(len(strides))
    if shared == "kinds":
        groups: list[list[Array]] = [numbers.boxes, numbers.scores]
    elif shared == "strides":
        groups = [[numbers.boxes[i], numbers.scores[i]] for i in levels]
    else:
        groups = [[a] for a in numbers.boxes + numbers.scores]
    done = fitted(groups, [kinds[i % len(kinds)] for i in range(len(groups))], dice)
    if shared == "kinds":
        boxes, scores = done
    elif shared == "strides":
        boxes, scores = [pair[0] for pair in done], [pair[1] for pair in done]
    else:
        boxes, scores = [one for (one,) in done[: len(strides)]], [one for (one,) in done[len(strides) :]]
    extras: list[Tensor] = []
    if extra:
        several = [[a] for a in numbers.extras] if shared == "own" else [numbers.extras]
        extras = [t for group in fitted(several, [kinds[0]] * len(several), dice) for t in group]
    prototypes = None
    if coefficients:
        step = strides[0] // 2  # Ultralytics' Proto doubles the map of the first stride, and ends in a SiLU
        planes = dice.normal(0, 1, (1, size[1] // step, size[0] // step, coefficients))
        planes = planes + dice.normal(0, 1.5, (1, 1, 1, coefficients))
        ((prototypes,),) = fitted([[planes * reference.sigmoid(planes)]], [kinds[0]], dice)
    return SplitHead(size, tuple(strides), class_count, boxes, scores, extras, prototypes)


def random_decoded_head(
    seed: int, size: tuple[int, int] = (96, 64), *, pixels: bool = False, probabilities: bool = True, **options: Any
) -> SplitHead:
    """A head of decoded boxes [1, 4, N] beside scores [1, classes, N], which has the form "concatenated"."""
    kinds = options.get("kinds", ("int8",))
    dice = np.random.default_rng(seed)
    head = random_split_head(seed, size, shared="kinds", **{**options, "kinds": ("float32",)})
    unit = (1, 1) if pixels else size
    boxes, scores = [], []
    for level, tensor in zip(head.levels(), head.boxes, strict=True):
        centers = reference.cell_centers(len(level.boxes), level.columns)
        corners = reference.dist2bbox(reference.dfl(level.boxes.astype(np.float64)), centers) * level.stride
        box = np.concatenate([corners[:, :2] + corners[:, 2:], 2 * (corners[:, 2:] - corners[:, :2])], axis=1) / 2
        boxes.append((box / (*unit, *unit)).reshape(*tensor.values.shape[:2], 4))
        numbers = level.scores.reshape(*tensor.values.shape[:2], -1)
        scores.append(reference.sigmoid(numbers.astype(np.float64)) if probabilities else numbers)
    (boxes_done, scores_done) = fitted([boxes, scores], [kinds[0], kinds[-1]], dice)
    extras, prototypes = head.extras, head.prototypes
    if extras:
        (extras,) = fitted([[t.values for t in extras]], [kinds[0]], dice)
    if prototypes:
        ((prototypes,),) = fitted([[prototypes.values]], [kinds[0]], dice)
    return head._replace(
        boxes=boxes_done,
        scores=scores_done,
        extras=extras,
        prototypes=prototypes,
        box_unit=unit,
        probabilities=probabilities,
    )
