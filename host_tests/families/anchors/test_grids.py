"""lib/n6post/families/anchors/grids.py: the search over maps and anchors, compared with numpy in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fakes import Array, FakeModel, Framed, Tensor
from n6post.families.anchors import grids
from n6post.tensors.head_layout import HeadLayout

SIZE = 64, 48
STRIDES = 8, 16
CELLS = [(SIZE[0] // stride, SIZE[1] // stride) for stride in STRIDES]
DTYPES = ["float32", "int8", "uint8", "int16"]


class Head:
    """Random outputs of a family with maps: numbers in float64, and the tensors that hold them."""

    def __init__(self, random: np.random.Generator, dtype: str, per_cell: int, classes: int, points: int = 0) -> None:
        self.per_cell, self.classes, self.points = per_cell, classes, points
        self.channels = 5 + classes + 2 * points
        self.anchors = random.uniform(4, 30, (per_cell, 2)).astype(np.float32).astype(float)
        self.tensors, self.numbers = [], []
        for width, height in CELLS:
            values = random.normal(0, 1.5, (height, width, per_cell, self.channels))
            scale, zero = {"float32": (1.0, 0), "int8": (1 / 16, 5), "uint8": (1 / 16, 130), "int16": (1 / 4096, -7)}[dtype]
            if dtype == "float32":
                stored = values.astype(np.float32)
            else:
                limits = np.iinfo(dtype)
                stored = np.clip(np.round(values / scale) + zero, limits.min, limits.max).astype(dtype)
            self.numbers.append((stored.astype(float) - zero) * scale)
            self.tensors.append((stored, scale, zero))

    def model(self, channels_first: bool) -> FakeModel:
        tensors = []
        for stored, scale, zero in self.tensors:
            height, width = stored.shape[:2]
            flat = stored.reshape(1, height, width, -1)
            tensors.append(Tensor(flat.transpose(0, 3, 1, 2).copy() if channels_first else flat, scale, zero))
        return FakeModel(tensors, SIZE)


def sigmoid(a: Array) -> Array:
    return 1 / (1 + np.exp(-a))


def expected(head: Head, threshold: float, product: str) -> list[tuple[Any, ...]]:
    """(score, class, box as x1, y1, x2, y2, keypoints) of every anchor above the threshold, best first."""
    found = []
    for numbers, stride in zip(head.numbers, STRIDES, strict=True):
        height, width = numbers.shape[:2]
        for row, column, k in np.ndindex(height, width, head.per_cell):
            raw = numbers[row, column, k]
            scores = raw[5 : 5 + head.classes]
            if product == "softmax":
                scores = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
            elif product == "sigmoid":
                scores = sigmoid(scores)
            score = sigmoid(raw[4]) * scores.max() if product else sigmoid(scores.max())
            if score < threshold:
                continue
            center = (sigmoid(raw[:2]) + [column, row]) * stride
            half = np.exp(raw[2:4]) * head.anchors[k] / 2
            points = raw[5 + head.classes :].reshape(-1, 2) * stride + np.array([column, row]) * stride
            found.append((score, int(scores.argmax()), np.concatenate([center - half, center + half]), points))
    return sorted(found, key=lambda one: -one[0])


class Binding(grids.GridBoxes):
    """A made-up family: YOLOv2's centers and sizes, keypoints, objectness or none."""

    expected_outputs = "two maps"
    counts = (2,)
    head: Any
    product = ""
    channels_first = False
    source_head: Head

    def form(self, options: Any, outputs: Any) -> Any:
        head, parts = self.source_head, []
        for tensor, (width, height), stride in zip(self.outputs, CELLS, STRIDES, strict=True):
            kinds = [(stride, stride, w, h) for w, h in head.anchors]
            if self.channels_first:
                layout = HeadLayout(head.per_cell * head.channels, width * height, True)
                cells = [(layout, k * head.channels, (kind,)) for k, kind in enumerate(kinds)]
            else:
                cells = [(HeadLayout(head.channels, width * height * head.per_cell, False), 0, tuple(kinds))]
            for layout, first, cell in cells:
                levels = ((0, width, float(stride), float(stride), cell),)
                classes = grids.Channels(tensor, layout, first + 5)
                search = grids.Channels(tensor, layout, first + 4) if self.product else classes
                points = grids.Channels(tensor, layout, first + 5 + head.classes) if head.points else None
                boxes = grids.Channels(tensor, layout, first)
                parts.append(grids.GridPart(search, classes if self.product else None, boxes, points, levels))
        form = grids.GridForm(tuple(parts), head.classes)
        form.search = grids.SIGMOID
        form.scores = {"": 0, "plain": 0, "sigmoid": grids.SIGMOID, "softmax": grids.SOFTMAX}[self.product]
        form.centers, form.sizes, form.offset, form.points = grids.SIGMOID, grids.EXP, 0.0, head.points
        return form


def detector(head: Head, product: str, channels_first: bool, blends: bool = False, **options: Any) -> Any:
    namespace = {"source_head": head, "product": product, "channels_first": channels_first, "blends": blends}
    kind = type("HeadBinding", (Binding,), namespace)

    class Detector(grids.GridDetector):
        def _bind(self, model: Any, outputs: Any) -> Any:
            return kind(self, model, outputs)

    return Detector(**options)


def found_of(processor: Any, model: FakeModel) -> list[Any]:
    found: list[Any] = model.run(processor, Framed((0, 0, *SIZE)))
    return found


EVERY: dict[str, Any] = {"iou_threshold": 1.0, "max_detections": 400, "max_candidates": 400}


@pytest.mark.parametrize("channels_first", [False, True])
@pytest.mark.parametrize("product", ["", "sigmoid", "softmax"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_anchor_above_the_threshold_is_found(dtype: str, product: str, channels_first: bool) -> None:
    for seed in range(3):
        head = Head(np.random.default_rng(seed), dtype, 3, 4, points=2)
        wanted = expected(head, 0.3, product)
        found = found_of(detector(head, product, channels_first, threshold=0.3, **EVERY), head.model(channels_first))
        # Boxes without a pixel in the frame are dropped.
        inside = []
        for score, class_id, box, points in wanted:
            x1, y1, x2, y2 = np.floor(np.clip(box, 0, [*SIZE, *SIZE]) + 0.5 + 2**-12)
            if x2 > x1 and y2 > y1:
                inside.append((score, class_id, (x1, y1, x2 - x1, y2 - y1), np.clip(points, 0, SIZE)))
        assert len(found) == len(inside) > 20
        np.testing.assert_allclose([d.score for d in found], [one[0] for one in inside], rtol=1e-5)
        # Equal scores, as those of integers are, may come in another order in float64.
        by_place = sorted((round(d.score, 4), d.class_id, d.rect) for d in found)
        others = sorted((round(float(one[0]), 4), one[1], one[2]) for one in inside)
        off = [np.abs(np.subtract(a[2], b[2])).max() for a, b in zip(by_place, others)]
        assert np.median(off) == 0 and np.mean(np.array(off) == 0) > 0.97
        for d in found:
            assert d.keypoints.shape == (2, 3) and set(d.keypoints[:, 2].tolist()) == {1.0}


def test_keypoints_belong_to_their_boxes() -> None:
    head = Head(np.random.default_rng(5), "float32", 2, 3, points=4)
    wanted = expected(head, 0.4, "sigmoid")
    found = found_of(detector(head, "sigmoid", False, threshold=0.4, **EVERY), head.model(False))
    assert len(found) > 10
    for d in found:
        points = np.clip(min(wanted, key=lambda one: abs(one[0] - d.score))[3], 0, SIZE)
        np.testing.assert_allclose(np.array(d.keypoints.tolist())[:, :2], points, atol=1e-3)


@pytest.mark.parametrize("product", ["", "sigmoid"])
def test_a_class_filter_drops_the_other_classes(product: str) -> None:
    head = Head(np.random.default_rng(6), "int8", 3, 5)
    every = found_of(detector(head, product, False, threshold=0.3, **EVERY), head.model(False))
    some = found_of(detector(head, product, False, threshold=0.3, classes=[1, 4], **EVERY), head.model(False))
    assert some == [d for d in every if d.class_id in (1, 4)] and 0 < len(some) < len(every)


def test_both_storage_orders_give_the_same_detections() -> None:
    for dtype in DTYPES:
        head = Head(np.random.default_rng(7), dtype, 3, 5)
        first = found_of(detector(head, "softmax", False, threshold=0.2), head.model(False))
        second = found_of(detector(head, "softmax", True, threshold=0.2), head.model(True))
        assert sorted(map(tuple, first)) == sorted(map(tuple, second)) and len(first) > 5


@pytest.mark.parametrize("class_agnostic", [False, True])
def test_overlaps_are_suppressed(class_agnostic: bool) -> None:
    head = Head(np.random.default_rng(8), "float32", 3, 2)
    every = expected(head, 0.2, "sigmoid")
    kept: list[tuple[Any, ...]] = []
    for one in every:
        rivals = [other for other in kept if class_agnostic or one[1] == other[1]]
        if all(iou(one[2], other[2]) <= 0.2 for other in rivals):
            kept.append(one)
    options = {"threshold": 0.2, "iou_threshold": 0.2, "max_detections": 400, "max_candidates": 400}
    found = found_of(detector(head, "sigmoid", False, class_agnostic=class_agnostic, **options), head.model(False))
    visible = [one[0] for one in kept if (np.diff(np.clip(one[2], 0, [*SIZE, *SIZE]).reshape(2, 2), axis=0) >= 2).all()]
    assert all(min(abs(d.score - score) for d in found) < 1e-5 for score in visible)
    assert len(found) <= len(kept) < 0.8 * len(every)


def iou(a: Array, b: Array) -> float:
    inter = np.prod(np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0))
    return float(inter / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - inter))


def test_only_the_best_candidates_of_a_map_are_examined() -> None:
    """With max_candidates of n, the n anchors of each map with the highest objectness, and then the n best of all."""
    head = Head(np.random.default_rng(9), "float32", 3, 2)
    options = {"threshold": 0.1, "iou_threshold": 1.0, "max_detections": 400}
    every = found_of(detector(head, "", False, max_candidates=400, **options), head.model(False))
    some = found_of(detector(head, "", False, max_candidates=10, **options), head.model(False))
    assert len(every) > 50 and 8 <= len(some) <= 10
    assert [d.score for d in some] == [d.score for d in every if d.score >= some[-1].score]


def test_blending_averages_the_boxes_of_one_object() -> None:
    head = Head(np.random.default_rng(10), "float32", 3, 1)
    options = {"threshold": 0.3, "iou_threshold": 0.3, "max_detections": 400, "max_candidates": 400}
    dropped = found_of(detector(head, "", False, **options), head.model(False))
    blended = found_of(detector(head, "", False, blends=True, **options), head.model(False))
    assert [d.score for d in blended] == [d.score for d in dropped]
    assert [d.rect for d in blended] != [d.rect for d in dropped]


def test_the_wrong_number_of_outputs_is_refused() -> None:
    head = Head(np.random.default_rng(11), "float32", 1, 1)
    model = head.model(False)
    one = FakeModel(model.tensors[:1], SIZE)
    with pytest.raises(ValueError, match=r"expected .*two maps"):
        found_of(detector(head, "", False), one)
