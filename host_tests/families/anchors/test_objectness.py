"""anchors/objectness.py: what YoloV2, YoloV5 and YoloX have in common, compared with numpy in float64.

Each of them is compared with other software on real tensors in its own test file.
"""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
from assertions import survivors
from fakes import FakeModel, Framed, Tensor
from synthetic_objectness import DTYPES, KINDS, SIZE, Network, assert_same

EVERY: dict[str, Any] = {"iou_threshold": 1.0, "max_detections": 2000, "max_candidates": 2000}
FRAME = (0, 0, *SIZE)
FAMILIES = ["YoloV2", "YoloV5", "YoloX"]


def processor_of(network: Network, **options: Any) -> Any:
    return getattr(n6post, network.family)(**{**network.options(), **options})


# In bytes, boxes in pixels leave no steps for scores.
@pytest.mark.parametrize("channels_first", [False, True])
@pytest.mark.parametrize(
    ("kind", "dtype"),
    [(kind, dtype) for kind in KINDS for dtype in DTYPES if not kind.endswith("pixels") or dtype not in ("int8", "uint8")],
)
def test_every_anchor_above_the_threshold_is_found(kind: str, dtype: str, channels_first: bool) -> None:
    for seed, classes, order in ((1, 3, (1, 2, 0)), (2, 1, (2, 0, 1))):
        network = Network(kind, dtype, classes, seed)
        processor = processor_of(network, threshold=0.3, **EVERY)
        found = network.model(channels_first, order).run(processor, Framed(FRAME))
        rows = survivors(processor)
        assert_same(rows, network.found(0.3), 0.3)
        assert [d.score for d in found] == sorted([d.score for d in found], reverse=True)
        assert [d.label for d in found] == [f"class {d.class_id}" for d in found]


@pytest.mark.parametrize("kind", KINDS)
def test_orders_of_outputs_and_channels_give_the_same_detections(kind: str) -> None:
    network = Network(kind, "int16", 2, 4)
    results = []
    for channels_first in (False, True):
        for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2)):
            processor = processor_of(network, threshold=0.25)
            results.append([tuple(d) for d in network.model(channels_first, order).run(processor, Framed(FRAME))])
    assert len(results[0]) > 3 and all(sorted(one) == sorted(results[0]) for one in results)


@pytest.mark.parametrize("kind", KINDS)
def test_class_filter_keeps_the_other_detections(kind: str) -> None:
    network = Network(kind, "float32", 4, 5)
    every = network.model().run(processor_of(network, threshold=0.25, **EVERY), Framed(FRAME))
    some = network.model().run(processor_of(network, threshold=0.25, classes=["class 1", 3], **EVERY), Framed(FRAME))
    assert some == [d for d in every if d.class_id in (1, 3)] and 0 < len(some) < len(every)


@pytest.mark.parametrize("kind", KINDS)
def test_nan_is_never_detected(kind: str) -> None:
    network = Network(kind, "float32", 2, 6)
    processor = processor_of(network, threshold=0.0, **EVERY)
    network.model().run(processor, Framed(FRAME))
    for tensor in network.tensors:
        tensor.values[...] = np.nan
    with np.errstate(invalid="ignore"):
        assert network.model().run(processor, Framed(FRAME)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_above_the_threshold_gives_an_empty_list(kind: str) -> None:
    network = Network(kind, "float32", 2, 7)
    assert network.model().run(processor_of(network, threshold=1.0), Framed(FRAME)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_boxes_are_transformed_to_the_roi_of_the_frame(kind: str) -> None:
    network = Network(kind, "float32", 2, 8)
    here = processor_of(network, threshold=0.3, **EVERY)
    there = processor_of(network, threshold=0.3, **EVERY)
    first = network.model().run(here, Framed((0, 0, SIZE[0] * 4, SIZE[1] * 4)))
    second = network.model().run(there, Framed((40, 20, SIZE[0] * 4, SIZE[1] * 4)))
    assert [(x + 40, y + 20, w, h) for x, y, w, h in [d.rect for d in first]] == [d.rect for d in second]
    rows = survivors(here)
    centers = [
        ((x1 + x2) * 2, (y1 + y2) * 2) for _, _, _, x1, y1, x2, y2 in rows if 0 < x1 < x2 < SIZE[0] and 0 < y1 < y2 < SIZE[1]
    ]
    seen = [(d.rect[0] + d.rect[2] / 2, d.rect[1] + d.rect[3] / 2) for d in first]
    assert centers and all(min(abs(x - a) + abs(y - b) for a, b in seen) < 2 for x, y in centers)


# --- errors ---
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("shape", [(1, 2100, 5), (1, 2101, 85), (1, 8400), (96, 64, 2), (1, 85, 2101)])
def test_output_of_another_shape_is_refused(family: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="expected"):
        FakeModel([Tensor(np.zeros(shape, np.float32))], (320, 320)).run(getattr(n6post, family)())


@pytest.mark.parametrize(
    ("family", "counts"), [("YoloV2", (2, 3)), ("YoloV5", (4, 5)), ("YoloX", (2, 4))]
)
def test_another_number_of_outputs_is_refused(family: str, counts: tuple[int, ...]) -> None:
    for count in counts:
        with pytest.raises(ValueError, match=rf"^expected 1 output \(.+\), got {count}$"):
            FakeModel([Tensor(np.zeros((1, 2100, 7), np.float32))] * count, (320, 320)).run(getattr(n6post, family)())


@pytest.mark.parametrize("family", ["YoloV5", "YoloX"])
def test_maps_of_different_channels_or_strides_are_refused(family: str) -> None:
    for shapes in (
        [(1, 40, 40, 21), (1, 20, 20, 21), (1, 10, 10, 24)],
        [(1, 40, 40, 21), (1, 40, 40, 21), (1, 10, 10, 21)],
        [(1, 40, 40, 21), (1, 20, 20, 21), (1, 5, 5, 21)],
        [(1, 40, 40, 15), (1, 20, 20, 15), (1, 10, 10, 15)],
    ):
        model = FakeModel([Tensor(np.zeros(shape, np.float32)) for shape in shapes], (320, 320))
        with pytest.raises(ValueError, match=r"^expected rows \[1, N, 5 \+ classes\], or a map "):
            model.run(getattr(n6post, family)(anchors=[1.0] * (18 if family == "YoloV5" else 6)))


@pytest.mark.parametrize("family", ["YoloV5", "YoloX"])
def test_options_that_do_not_belong_to_the_outputs_are_refused(family: str) -> None:
    per_cell = 3 if family == "YoloV5" else 1
    rows = FakeModel([Tensor(np.zeros((1, 2100 * per_cell, 7), np.float32))], (320, 320))
    with pytest.raises(ValueError, match="^anchors: expected None for rows"):
        rows.run(getattr(n6post, family)(anchors=[1, 2, 3, 4, 5, 6]))
    maps = FakeModel([Tensor(np.zeros((1, n, n, 21), np.float32)) for n in (40, 20, 10)], (320, 320))
    with pytest.raises(ValueError, match="^box_units: expected None for maps, got 'pixels'$"):
        maps.run(getattr(n6post, family)(box_units="pixels"))


def test_labels_must_be_one_per_class() -> None:
    for kind in KINDS:
        network = Network(kind, "float32", 3, 9)
        with pytest.raises(ValueError, match="expected 3 labels, one per class, got 2"):
            network.model(labels=False).run(processor_of(network, labels=["one", "two"]))
