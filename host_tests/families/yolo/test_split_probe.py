"""lib/n6post/families/yolo/split_probe.py: what the outputs of a split head are, from the values of a frame."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
from fakes import FakeModel, Tensor
from n6post.families.yolo import split_head, split_probe
from n6post.families.yolo.split_layout import split_layouts
from n6post.tensors.quantization import OutputTensor
from recorded_split_heads import cases, described, head_of
from synthetic_split_heads import Form, SplitHead, forms_of, quantized, random_decoded_head, random_split_head

DTYPES = ["int8", "uint8", "int16", "float32"]
CASES = cases()


def settled(tensors: list[Tensor], size: tuple[int, int], kind: str = "boxes") -> tuple[Any, bool]:
    model = FakeModel(tensors, size)
    outputs = model.outputs()
    shapes = [tensor.values.shape for tensor in tensors]
    layouts = split_layouts(shapes, size, kind)
    assert len(layouts) > 1
    return split_probe.settle(layouts, [OutputTensor(model, i, out) for i, out in enumerate(outputs)], outputs)


def indices(layout: Any) -> tuple[list[int], list[int], list[int]]:
    return (
        [part.scores[0] for part in layout.parts],
        [part.boxes[0] for part in layout.parts],
        [index for _, index, _ in layout.extras],
    )


def found_by_values(tensors: list[Tensor], *parts: list[Tensor]) -> list[list[int]]:
    """The indices of these tensors among the outputs."""
    flat = [t.values.reshape(-1) for t in tensors]
    return [
        [next(i for i, one in enumerate(flat) if np.array_equal(one, t.values.reshape(-1))) for t in part] for part in parts
    ]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(1, 6))
def test_64_classes_are_told_from_64_box_channels(dtype: str, seed: int) -> None:
    """The two outputs of a stride come in either order, another one for each stride."""
    head = random_split_head(seed, class_count=64, kinds=(dtype,), shared="own")
    tensors = head.tensors(Form(order=seed))
    layout, certain = settled(tensors, head.size)
    scores, boxes = found_by_values(tensors, head.scores, head.boxes)
    assert certain and layout.bins == 16
    assert indices(layout) == (scores, boxes, [])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(1, 6))
def test_32_classes_are_told_from_32_coefficients(dtype: str, seed: int) -> None:
    head = random_split_head(seed, class_count=32, coefficients=32, kinds=(dtype,), shared="own")
    tensors = head.tensors(Form(order=seed))
    layout, certain = settled(tensors, head.size, "masks")
    scores, boxes, extras = found_by_values(tensors, head.scores, head.boxes, head.extras)
    assert certain and indices(layout) == (scores, boxes, extras)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("classes", "keypoints"), [(3, 17), (51, 1), (51, 17)])
def test_classes_are_told_from_keypoints(dtype: str, classes: int, keypoints: int) -> None:
    head = random_split_head(2, class_count=classes, keypoints=keypoints, kinds=(dtype,), shared="own")
    tensors = head.tensors(Form(order=2))
    layout, certain = settled(tensors, head.size, "keypoints")
    scores, boxes, extras = found_by_values(tensors, head.scores, head.boxes, head.extras)
    assert certain and indices(layout) == (scores, boxes, extras) and layout.classes == classes


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("bins", "classes"), [(16, 4), (1, 64), (1, 4)])
@pytest.mark.parametrize("parts", ["apart", "concatenated"])
def test_4_classes_are_told_from_4_box_channels(dtype: str, bins: int, classes: int, parts: str) -> None:
    head = random_split_head(3, bins=bins, class_count=classes, kinds=(dtype,))
    layout, certain = settled(head.tensors(Form(parts=parts, order=3)), head.size)
    assert certain and (layout.bins, layout.classes) == (bins, classes)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("classes", [1, 4, 80])
@pytest.mark.parametrize("pixels", [False, True])
@pytest.mark.parametrize("planes", ["none", "all"])
@pytest.mark.parametrize("probabilities", [False, True])
def test_decoded_boxes_are_known_by_their_centers(
    dtype: str, classes: int, pixels: bool, planes: str, probabilities: bool
) -> None:
    head = random_decoded_head(4, class_count=classes, pixels=pixels, kinds=(dtype,), probabilities=probabilities)
    layout, certain = settled(head.tensors(Form(parts="concatenated", planes=planes, order=4)), head.size)
    assert certain and (layout.bins, layout.classes) == (0, classes)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("strides", [(8, 16, 32), (16, 32)])
def test_distances_to_the_sides_are_no_decoded_boxes(dtype: str, strides: tuple[int, ...]) -> None:
    """Of an object as large as the picture too: then they grow from cell to cell like centers, on one side."""
    size = (320, 192)
    distances = []
    for stride in strides:
        columns, rows = np.meshgrid(np.arange(size[0] // stride) + 0.5, np.arange(size[1] // stride) + 0.5)
        right, lower = size[0] / stride - columns, size[1] / stride - rows
        distances.append(np.stack([columns, rows, right, lower], axis=-1).reshape(-1, 4))
    boxes = quantized(np.concatenate(distances)[None], dtype, 0.25, {"int8": -128}.get(dtype, 0))
    scores = quantized(
        np.random.default_rng(1).normal(-7, 1, (1, boxes.values.shape[1], 80)), dtype, 0.25, {"uint8": 200}.get(dtype, 0)
    )
    layout, certain = settled([boxes, scores], size)
    assert certain and layout.bins == 1


def test_constant_outputs_show_nothing_yet() -> None:
    """As a network's first frame may be. The likeliest reading comes first."""
    head = random_split_head(1, class_count=64)
    tensors = [t._replace(values=np.full_like(t.values, t.zero_point)) for t in head.tensors()]
    layout, certain = settled(tensors, head.size)
    assert not certain and layout == split_layouts([t.values.shape for t in tensors], head.size, "boxes")[0]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_do_not_count(value: float) -> None:
    head = random_split_head(1, class_count=64, kinds=("float32",))
    tensors = [t._replace(values=t.values.copy()) for t in head.tensors()]
    for t in tensors:
        t.values[0, 0, :, 3] = value
    layout, certain = settled(tensors, head.size)
    assert certain and indices(layout) == ([3, 4, 5], [0, 1, 2], [])


def twins(head: SplitHead) -> list[Tensor]:
    """Box channels that are the same numbers as the class scores."""
    return [t for pair in zip(head.scores, head.scores, strict=True) for t in pair]


def test_numbers_that_fit_two_readings_are_refused_with_the_way_out() -> None:
    head = random_split_head(1, class_count=64)
    tensors = [t._replace(values=t.values[None]) for t in twins(head)]
    message = r"^expected numbers that show .*, got \(1, 8, 12, 64\) and .* of the same kind: .* another number of classes$"
    with pytest.raises(ValueError, match=message):
        settled(tensors, head.size)
    # 4 classes or 64: the smoothness and the level of noise do not show which.
    dice = np.random.default_rng(1)
    noise = [dice.normal(0, 1, (1, 126, n)) for n in (4, 64)]
    with pytest.raises(ValueError, match="^expected numbers .*: give labels, one per class, 4 or 64$"):
        settled([quantized(one, "int8", 0.05, 0) for one in noise], (96, 64))
    # Scores that are a little lower in one of the outputs do not show it either, whichever comes first.
    one = dice.normal(-3, 1, (1, 126, 64)).astype(np.float32)
    for pair in ((one, one - np.float32(0.1)), (one - np.float32(0.1), one)):
        with pytest.raises(ValueError, match="another number of classes$"):
            settled([Tensor(array) for array in pair], (96, 64))


@pytest.mark.parametrize("dtype", DTYPES)
def test_logits_are_told_from_probabilities(dtype: str) -> None:
    head = random_split_head(5, kinds=(dtype,))
    assert logits(head.scores) == (True, True)
    head = random_decoded_head(5, kinds=(dtype,))
    assert logits(head.scores) == (False, True)


def logits(scores: list[Tensor]) -> tuple[bool, bool]:
    scores = [t._replace(values=t.values[None]) for t in scores]
    model = FakeModel(scores, (96, 64))
    outputs = model.outputs()
    return split_head.are_logits([OutputTensor(model, i, out) for i, out in enumerate(outputs)], outputs)


def of(values: list[float], dtype: str = "int8", scale: float = 0.02, zero_point: int = 24) -> Tensor:
    return quantized(np.array(values).reshape(1, 1, -1), dtype, scale, zero_point)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([of([-0.02, 0.9, 0.0])], (False, True)),  # one step below 0, by rounding
        ([of([-0.6, 0.9, 0.0])], (True, True)),
        ([of([0.0, 0.9, 0.3]), of([-3.0, -2.0, -2.5])], (True, True)),  # strides
        ([of([0.5, 0.5])], (True, False)),  # constant, and the integers could be logits
        ([of([-3.0, -3.0])], (True, True)),
        ([of([0.0, 0.0], scale=1 / 256, zero_point=-128)], (False, True)),  # no integer is below 0
        ([of([0.0, 0.0], scale=1 / 127, zero_point=0)], (False, True)),  # symmetric integers
        ([of([0.0, 0.0], "float32")], (False, False)),  # probabilities of a dark frame
        ([of([-1e-4, 0.9], "float32")], (False, True)),
    ],
)
def test_scores_below_zero_are_logits(scores: list[Tensor], expected: tuple[bool, bool]) -> None:
    model = FakeModel(scores, (96, 64))
    outputs = model.outputs()
    assert split_head.are_logits([OutputTensor(model, i, out) for i, out in enumerate(outputs)], outputs) == expected


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("part", "off", "expected"),
    [
        (0.0, 0.0, (True, True)), (1.0, 0.1, (False, True)), (1.0, -0.1, (False, True)),
        (0.1, 0.9, (False, True)), (0.1, -0.9, (False, True)),
    ],
)  # fmt: skip
def test_sums_are_between_the_best_score_and_the_sum_of_all(
    part: float, off: float, expected: tuple[bool, bool], dtype: str
) -> None:
    """For nearly all anchors, and nearly: each number is rounded."""
    dice = np.random.default_rng(8)
    outputs = []
    for columns, rows in ((12, 8), (6, 4), (3, 2)):
        scores = dice.uniform(0, 0.1, (1, rows, columns, 3))
        total, best = scores.sum(axis=3, keepdims=True), scores.max(axis=3, keepdims=True)
        wrong = dice.random((1, rows, columns, 1)) < part
        sums = np.where(wrong, (best if off < 0 else total) + off, total)
        for one in (dice.normal(0, 0.2, (1, rows, columns, 64)), scores, sums):
            outputs.append(quantized(one, dtype, 0.01, {"uint8": 100}.get(dtype, 0)))
    model = FakeModel(outputs, (96, 64))
    (layout,) = split_layouts([t.values.shape for t in outputs], (96, 64), "boxes")
    arrays = model.outputs()
    described = [OutputTensor(model, i, out) for i, out in enumerate(arrays)]
    assert split_probe.are_sums(layout, layout.sums, described, arrays) == expected


@pytest.mark.parametrize(("across", "down", "refused"), [(60, 60, True), (60, 2, False), (2, 60, False), (2, 2, False)])
def test_only_boxes_too_large_in_both_directions_are_in_pixels(across: float, down: float, refused: bool) -> None:
    """Distances to the sides: a row of text may be as wide as many pictures, but is not high."""
    dice = np.random.default_rng(9)
    tensors = []
    for columns, rows in ((12, 8), (6, 4), (3, 2)):
        distances = dice.uniform(0.4, 0.6, (1, rows, columns, 4)) * [across, down, across, down]
        scores = dice.normal(-7, 1, (1, rows, columns, 3))
        tensors += [Tensor(one.astype(np.float32)) for one in (distances, scores)]
    model = FakeModel(tensors, (96, 64), ["a", "b", "c"])
    if refused:
        with pytest.raises(ValueError, match=r"RTMDet \(distances to the four sides in input pixels\)"):
            model.run(n6post.YoloV8())
    else:
        assert model.run(n6post.YoloV8()) == []


# --- trained networks ---


def repeated(scores: list[Tensor], count: int) -> list[Tensor]:
    """The class scores of a network with more classes: each several times."""
    most = channels(scores)
    return [t._replace(values=t.values[..., [i % most for i in range(count)]]) for t in scores]


def channels(tensors: list[Tensor]) -> int:
    return int(tensors[0].values.shape[2])


@pytest.mark.parametrize("case", CASES)
def test_outputs_of_trained_networks_are_told_apart(case: str) -> None:
    """With as many classes as other outputs have channels."""
    head = head_of(case)
    kind = {"YoloV8": "boxes", "YoloV8Seg": "masks", "YoloV8Pose": "keypoints"}[head.family]
    counts = {64, 4, channels(head.boxes)} if kind == "boxes" else {channels(head.extras)}
    if kind == "keypoints":
        counts.add(3)
    for count in sorted(counts):
        one = head._replace(scores=repeated(head.scores, count), class_count=count)
        tensors = one.tensors(Form(order=count))
        layouts = split_layouts([t.values.shape for t in tensors], head.size, kind)
        if len(layouts) == 1:  # 4 box channels beside any other number of classes
            continue
        layout, certain = settled(tensors, head.size, kind)
        scores, boxes, extras = found_by_values(tensors, one.scores, one.boxes, one.extras)
        assert certain and indices(layout) == (scores, boxes, extras)
        assert layout.bins == channels(head.boxes) // 4


@pytest.mark.parametrize("case", CASES)
def test_scores_of_trained_networks_are_logits(case: str) -> None:
    assert logits(head_of(case).scores) == (True, True)


@pytest.mark.parametrize("case", [case for case in CASES if channels(head_of(case).boxes) == 4])
def test_distances_of_trained_networks_are_no_decoded_boxes(case: str) -> None:
    """Concatenated, [1, 4, N] is either."""
    head = head_of(case)
    real = head._replace(
        boxes=[t.dequantized() for t in head.boxes],
        scores=[t.dequantized() for t in head.scores],
        extras=[t.dequantized() for t in head.extras],
    )
    kind = {"YoloV8": "boxes", "YoloV8Seg": "masks", "YoloV8Pose": "keypoints"}[head.family]
    layout, certain = settled(real.tensors(Form("concatenated", "concatenated")), head.size, kind)
    assert certain and layout.bins == 1


@pytest.mark.parametrize("case", [case for case in CASES if channels(head_of(case).boxes) == 64])
def test_joined_maps_of_trained_networks_are_accepted(case: str) -> None:
    head = head_of(case)
    one = head._replace(boxes=[t.dequantized() for t in head.boxes], scores=[t.dequantized() for t in head.scores])
    check_joined(one._replace(extras=[], prototypes=None).tensors(Form("joined")), head.size)


@pytest.mark.parametrize("case", CASES)
def test_diagnose_finds_nothing_wrong_with_trained_networks(case: str) -> None:
    for form in forms_of(described(case)["shared"]):
        model = head_of(case).model(form)
        assert n6post.diagnose(model) == n6post.diagnose(model, model.outputs()) == []


# --- maps of other families ---


def check_joined(tensors: list[Tensor], size: tuple[int, int]) -> None:
    model = FakeModel(tensors, size)
    outputs = model.outputs()
    (layout,) = split_layouts([t.values.shape for t in tensors], size, "boxes")
    split_probe.check_joined(layout, [OutputTensor(model, i, out) for i, out in enumerate(outputs)], outputs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("anchors", [1, 3])
@pytest.mark.parametrize("sigmoid", [False, True])
def test_maps_of_yolox_and_yolov5_are_refused(dtype: str, anchors: int, sigmoid: bool) -> None:
    """[1, h, w, 5 + classes] for each anchor: 85 channels for COCO's classes, 255 for three anchors."""
    dice = np.random.default_rng(6)
    tensors = []
    for stride in (8, 16, 32):
        shape = (1, 64 // stride, 96 // stride, anchors)
        maps = np.concatenate([dice.normal(0, 1, (*shape, 4)), dice.normal(-6, 1.5, (*shape, 81))], axis=-1)
        if sigmoid:
            maps[..., 4:] = 1 / (1 + np.exp(-maps[..., 4:]))
        maps = maps.reshape(*shape[:3], -1)
        tensors.append(quantized(maps, dtype, 0.1, {"uint8": 160}.get(dtype, 0)))
    with pytest.raises(ValueError, match=rf"^expected 64 channels for boxes .* YOLOX or YOLOv5; .*, {85 * anchors - 64}$"):
        check_joined(tensors, (96, 64))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(1, 4))
def test_joined_maps_of_boxes_and_classes_are_accepted(dtype: str, seed: int) -> None:
    head = random_split_head(seed, class_count=21, kinds=(dtype,), shared="strides")
    check_joined(head.tensors(Form(parts="joined")), head.size)
