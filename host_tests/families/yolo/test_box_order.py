"""yolo/box_order.py: boxes as corners x1, y1, x2, y2, told from cx, cy, w, h by the numbers of a frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import n6post
import numpy as np
import pytest
import recorded_objectness
import recorded_oriented_boxes
import reference
import test_exports
from assertions import assert_same_detections, assert_same_survivors, survivors
from fakes import Array, FakeModel, Framed, Tensor, capture, stretched
from n6post_pc.demo import recorded
from synthetic_heads import Thing, anchor_count, float_head, random_head

KINDS = ("float32", "int8", "uint8", "int16")
SIZES = ((320, 320), (96, 64), (128, 224))
STRIDES = (8, 16, 32)


def cells(size: tuple[int, int], strides: tuple[int, ...] = STRIDES) -> Array:
    """(N, 3): the center of each cell in input pixels, and its stride."""
    rows = []
    for stride in strides:
        y, x = np.mgrid[0 : -(-size[1] // stride), 0 : -(-size[0] // stride)]
        rows.append(np.column_stack([(x.ravel() + 0.5) * stride, (y.ravel() + 0.5) * stride, np.full(x.size, stride)]))
    return np.concatenate(rows)


def network(
    seed: int, size: tuple[int, int], class_count: int, clipped: bool = False, strides: tuple[int, ...] = STRIDES
) -> tuple[Array, Array]:
    """(corners (N, 4) in input pixels, scores (N, classes)) as a network decodes them: distances from each cell's center."""
    random = np.random.default_rng(seed)
    at = cells(size, strides)
    count = len(at)
    distances = random.gamma(2, 0.9, (count, 4)) * at[:, 2:]
    corners = np.concatenate([at[:, :2] - distances[:, :2], at[:, :2] + distances[:, 2:]], axis=1)
    scores = 10 ** random.uniform(-5, -2, (count, class_count))
    for _ in range(int(random.integers(2, 6))):  # objects, each found by several anchors
        side = random.uniform(0.15, 0.6, 2) * size
        first = random.uniform(0, 1, 2) * (size - side)
        box = np.concatenate([first, first + side])
        inside = np.flatnonzero((at[:, :2] > first).all(axis=1) & (at[:, :2] < first + side).all(axis=1))
        found = random.permutation(inside)[:6]
        corners[found] = box + random.normal(0, 2, (len(found), 4))
        scores[found, random.integers(class_count)] = random.uniform(0.3, 0.97, len(found))
    if clipped:
        corners = np.clip(corners, 0, (*size, *size))
    return corners, scores


def stored(values: Array, kind: str, low: float | None = None, high: float | None = None) -> Tensor:
    """The numbers as this dtype; the integers reach from the lowest to the highest."""
    if kind == "float32":
        return Tensor(np.ascontiguousarray(values, np.float32))
    info = np.iinfo(kind)
    low = float(values.min()) if low is None else low
    high = float(values.max()) if high is None else high
    scale = float(np.float32((high - low) / (info.max - info.min)))
    zero_point = int(np.clip(round(info.min - low / scale), info.min, info.max))
    raw = np.clip(np.round(values / scale) + zero_point, info.min, info.max).astype(kind)
    return Tensor(np.ascontiguousarray(raw), scale, zero_point)


def joined(corners: Array, scores: Array, kind: str, anchors_first: bool) -> list[Tensor]:
    rows = np.concatenate([corners, scores], axis=1)
    return [stored((rows if anchors_first else rows.T)[None], kind)]


def apart(corners: Array, scores: Array, kind: str, anchors_first: bool, seed: int) -> list[Tensor]:
    """Two outputs, in either order, each in either storage order, with scales of their own."""
    turned = bool(seed & 2) != anchors_first
    tensors = [
        stored((corners if anchors_first else corners.T)[None], kind),
        stored((scores if turned else scores.T)[None], kind, 0, 1),
    ]
    return tensors[:: 1 if seed & 1 else -1]


def expected_of(
    tensors: list[Tensor], size: tuple[int, int], unit: tuple[float, float], threshold: float, **options: Any
) -> reference.Candidates:
    """The detections, from the stored numbers, with plain numpy."""
    count = anchor_count(size)
    tables = []
    for tensor in tensors:
        table = tensor.values[0] if tensor.values.shape[1] == count else tensor.values[0].T
        tables.append((table, tensor))
    if len(tables) == 1:
        (table, tensor), boxes = tables[0], tables[0][0][:, :4]
        scores, boxes_of, scores_of = table[:, 4:], tensor, tensor
    else:
        (boxes, boxes_of), (scores, scores_of) = sorted(tables, key=lambda one: one[0].shape[1] != 4)
    best = scores.max(axis=1)
    keep = reference.passes(best, threshold, **scores_of.quantization())
    classes = options.pop("classes", None)
    if classes is not None:
        keep &= np.isin(scores.argmax(axis=1), classes)
    anchor = np.flatnonzero(keep)
    found = reference.Candidates(
        anchor,
        scores[anchor].argmax(axis=1),
        reference.dequantize(best[anchor], **scores_of.quantization()),
        reference.dequantize(boxes[anchor], **boxes_of.quantization()) * np.float32([*unit, *unit]),
        np.zeros((len(anchor), 0), np.float32),
    )
    return reference.suppress(found.take(np.lexsort((found.anchor, -found.score))), threshold=threshold, **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("pixels", [True, False])
@pytest.mark.parametrize("together", [True, False])
def test_corners_are_read_in_every_form(kind: str, size: tuple[int, int], pixels: bool, together: bool) -> None:
    if together and pixels and kind in ("int8", "uint8"):
        pytest.skip("scores in steps of whole pixels say nothing")
    for seed in range(4):
        class_count = (1, 2, 5, 80)[seed]
        corners, scores = network(seed, size, class_count, clipped=bool(seed & 1))
        unit = (1, 1) if pixels else size
        anchors_first = seed < 2
        if together:
            tensors = joined(corners / (*unit, *unit), scores, kind, anchors_first)
        else:
            tensors = apart(corners / (*unit, *unit), scores, kind, anchors_first, seed)
        options: dict[str, Any] = [{}, {"class_agnostic": True}, {"nms_sigma": 0.5}, {"classes": [0, 3]}][seed]
        expected = expected_of(tensors, size, unit, 0.3, iou_threshold=0.5, **options)
        labels = [str(i) for i in range(class_count)]
        model = FakeModel(tensors, size, labels)
        for processor in (
            n6post.YoloV8(0.3, max_detections=100, **options),
            n6post.processor_for(model, threshold=0.3, max_detections=100, box_order="xyxy", **options),
        ):
            assert type(processor) is n6post.YoloV8
            found = model.run(processor, Framed((0, 0, *size)))
            assert len(found) >= (seed < 3) and processor._binding.is_final
            if seed != 2:
                assert_same_survivors(survivors(processor), expected, size)
            assert_same_detections(found, expected, expected.box, (0, 0, *size)) if seed != 2 else None
            assert [d.rect for d in model.run(processor, Framed((0, 0, *size)))] == [d.rect for d in found]
        assert n6post.diagnose(model, model.outputs()) == []


@pytest.mark.parametrize("fit", ["stretch", "letterbox", "crop"])
def test_corners_are_mapped_back_to_the_frame(fit: str) -> None:
    import image

    size, frame = (320, 320), (640, 480)
    corners, scores = network(3, size, 3)
    tensors = apart(corners, scores, "float32", True, 0)
    expected = expected_of(tensors, size, (1, 1), 0.3)
    kind = {"stretch": n6post.Stretch, "letterbox": n6post.Letterbox, "crop": n6post.Crop}[fit]
    found = FakeModel(tensors, size).run(n6post.YoloV8(0.3), kind(image.Image(*frame, image.RGB565)))
    corner = reference.to_frame(expected.box.reshape(-1, 2, 2).astype(np.float64), fit, size, (0, 0, *frame)).reshape(-1, 4)
    kept = reference.has_pixels(corner, (0, 0, *frame))
    assert kept.sum() > 1
    assert_same_detections(found, expected.take(kept), corner[kept], (0, 0, *frame))


def test_rows_of_yolo_pro_are_read() -> None:
    """Rows xmin, ymin, xmax, ymax in 0..1, then scores of 0 but for one: [1, 2100, 6] is not end-to-end either."""
    corners, _ = network(1, (320, 320), 2)
    scores = np.zeros((2100, 2))
    corners[800], scores[800, 1] = (149, 149, 179, 179), 0.9
    rows = np.concatenate([corners / 320, scores], axis=1).astype(np.float32)
    for values in (rows[None], np.ascontiguousarray(rows.T[None])):
        model = FakeModel([Tensor(values)], (320, 320), ["cat", "dog"])
        (d,) = model.run(n6post.processor_for(model))
        assert (d.rect, d.label) == ((149, 149, 30, 30), "dog")


@pytest.mark.parametrize("rows", ["equal", "independent", "sorted"])
def test_ordered_corners_need_no_cells(rows: str) -> None:
    """Numbers of a test bench: whatever the boxes are, no corner is on the wrong side."""
    random = np.random.default_rng(1)
    corners = {
        "equal": np.tile([149.0, 149, 179, 179], (2100, 1)),
        "independent": np.concatenate([random.uniform(0, 160, (2100, 2)), random.uniform(160, 320, (2100, 2))], axis=1),
        "sorted": np.sort(random.uniform(0, 320, (2100, 2, 2)), axis=1).reshape(2100, 4),
    }[rows]
    corners[7] = 149, 149, 179, 179
    scores = np.full((2100, 3), 0.001)
    scores[7, 2] = 0.9
    for tensors in (joined(corners, scores, "float32", True), apart(corners, scores, "float32", True, 1)):
        (d,) = FakeModel(tensors, (320, 320), ["a", "b", "c"]).run(n6post.YoloV8())
        assert d.rect == (149, 149, 30, 30)


def test_picodet_rounds_its_last_stride_up() -> None:
    """416 x 416 has 52, 26, 13 and 7 cells a side. Scores are [1, classes, N], as PaddleDetection has them."""
    size = (416, 416)
    corners, scores = network(5, size, 80, strides=(8, 16, 32, 64))
    assert len(corners) == 3598
    tensors = [Tensor(corners[None].astype(np.float32)), Tensor(np.ascontiguousarray(scores.T[None], np.float32))]
    model = FakeModel(tensors, size)
    processor = n6post.processor_for(model)
    found = model.run(processor)
    assert type(processor) is n6post.YoloV8 and found
    best = scores.max(axis=1).argmax()
    x1, y1, x2, y2 = np.clip(np.round(corners[best]), 0, 416)
    assert found[0].rect == pytest.approx((x1, y1, x2 - x1, y2 - y1), abs=1)


# --- centers stay centers ---
def order_of(processor: Any) -> tuple[bool, bool]:
    """(corners?, certain?) of the last frame."""
    binding = processor._binding
    return binding.decoder.corners is not None, binding.is_final


def recorded_heads(shared: Path) -> list[tuple[str, Tensor, tuple[int, int]]]:
    """Every recorded head [1, C, N] with cx, cy, w, h."""
    found = []
    for file in sorted((shared / "captures").glob("yolo*.npz")):
        if "oracle" not in file.name:
            tensors, size = capture(file)
            found.append((file.name, tensors[0], size))
    for name, picture in recorded.names():
        recording = recorded.load(name, picture)
        if name.startswith("yolo"):
            found.append((f"{name} {picture}", recording.tensors[0], recording.size))
    for case in recorded_oriented_boxes.cases():
        (tensor,) = recorded_oriented_boxes.outputs(case).values()
        found.append((case, tensor, recorded_oriented_boxes.SIZE))
    for name, network_ in recorded_objectness.recorded().items():
        found.append((name, network_.tensors[0], (network_.side, network_.side)))
    for case in test_exports.CASES:
        tensors = test_exports.tensors_of(case)
        found += [(case, one, (96, 96)) for one in tensors if one.values.ndim == 3 and 189 in one.values.shape]
    return [one for one in found if anchor_count(one[2]) in one[1].values.shape]


def test_recorded_heads_of_centers_are_never_taken_for_corners(shared: Path) -> None:
    heads = recorded_heads(shared)
    assert len(heads) > 50
    for name, tensor, size in heads:
        channels_first = tensor.values.shape[2] == anchor_count(size)
        boxes = tensor.values[:, :4] if channels_first else tensor.values[..., :4].transpose(0, 2, 1)
        one = Tensor(np.ascontiguousarray(boxes), tensor.scale, tensor.zero_point)
        scores = np.linspace(0, 0.9, anchor_count(size), dtype=np.float32)[None, None]
        with_scores = Tensor(np.concatenate([one.dequantized().values, scores], axis=1))
        for tensors in ([with_scores], [with_scores.reordered(0, 2, 1)]):
            processor = n6post.YoloV8(labels=["thing"])
            FakeModel(tensors, size).run(processor)
            assert order_of(processor)[0] is False, name
            assert processor._binding.is_final, name


@pytest.mark.parametrize("size", [(64, 64), (96, 96), (128, 128), (128, 96)])
@pytest.mark.parametrize("part", [0.9, 0.95, 1.0])
def test_an_object_that_fills_a_small_input_is_no_corner(size: tuple[int, int], part: float) -> None:
    at = cells(size)
    for seed in range(5):
        random = np.random.default_rng(seed)
        corners = np.tile(size, 2) * np.repeat([(1 - part) / 2, (1 + part) / 2], 2)
        sides = np.abs(np.tile(at[:, :2], 2) - corners) + random.normal(0, 0.02 * min(size), (len(at), 4))
        sides = np.clip(sides, 0, 15 * at[:, 2:])  # DFL
        boxes = np.concatenate([at[:, :2] + (sides[:, 2:] - sides[:, :2]) / 2, sides[:, :2] + sides[:, 2:]], axis=1)
        scores = random.uniform(0, 0.3, (len(at), 1))
        scores[len(at) // 2] = 0.9
        first = FakeModel([stored(np.concatenate([boxes / np.tile(size, 2), scores], axis=1).T[None], "float32")], size)
        process = n6post.YoloV8(labels=["face"])
        assert first.run(process) == first.run(n6post.YoloV8(labels=["face"], box_order="xywh")), seed
        # A later frame decides.
        boxes[:, 2:] = 20
        second = FakeModel([stored(np.concatenate([boxes / np.tile(size, 2), scores], axis=1).T[None], "float32")], size)
        second.output_shape = first.output_shape
        assert second.run(process) == second.run(n6post.YoloV8(labels=["face"], box_order="xywh")), seed


def test_corners_of_three_anchors_in_a_cell_are_read() -> None:
    """YOLOv4 as pytorch-YOLOv4 exports it: boxes [1, 3 N, 1, 4] and scores [1, 3 N, classes]."""
    size = 416, 416
    corners, scores = network(1, size, 3)
    order = np.repeat(np.arange(len(corners)), 3).reshape(-1, 3).T  # of each stride: a map for each of the three anchors
    levels = np.split(order, np.cumsum([(416 // stride) ** 2 for stride in (8, 16, 32)])[:-1], axis=1)
    rows = np.concatenate([level.ravel() for level in levels])
    tensors = [stored((corners[rows] / 416)[None, :, None], "float32"), stored(scores[rows][None], "float32")]
    found = FakeModel(tensors, size, ["a", "b", "c"])
    single = FakeModel([stored((corners / 416)[None], "float32"), stored(scores[None], "float32")], size, ["a", "b", "c"])
    expected = single.run(n6post.YoloV8(0.3, max_detections=100))
    assert len(expected) > 1 and found.run(n6post.processor_for(found, threshold=0.3, max_detections=100)) == expected


@pytest.mark.parametrize("size", [(64, 64), (96, 96), (192, 96), (320, 320)])
def test_boxes_larger_than_a_small_input_are_no_corners(size: tuple[int, int]) -> None:
    """DFL of random weights: every box is 15 cells wide, so in a small input w > cx and h > cy for all anchors."""
    at = cells(size)
    ordered = []
    for seed in range(50):
        random = np.random.default_rng(seed)
        sides = random.normal(7.5, random.uniform(0, 2), (len(at), 4)) * at[:, 2:] * random.uniform(0.5, 2)
        corners = np.concatenate([at[:, :2] - sides[:, :2], at[:, :2] + sides[:, 2:]], axis=1)
        boxes = np.concatenate([(corners[:, :2] + corners[:, 2:]) / 2, corners[:, 2:] - corners[:, :2]], axis=1)
        ordered.append((boxes[:, 2:] > boxes[:, :2]).all())
        for scale in (1, np.float32([*size, *size])):
            head = np.concatenate([boxes / scale, random.uniform(0, 0.3, (len(at), 2))], axis=1).T[None]
            for kind in ("float32", "int16"):
                processor = n6post.YoloV8(labels=["a", "b"])
                FakeModel([stored(head, kind)], size).run(processor)
                assert not order_of(processor)[0]
    assert any(ordered) == (size[0] < 300)


@pytest.mark.parametrize("seed", range(60))
def test_random_heads_of_centers_are_never_taken_for_corners(seed: int) -> None:
    random = np.random.default_rng(seed)
    for size in ((64, 64), (96, 64)):
        head = random_head(seed, size, int(random.integers(1, 9)))
        processor = n6post.YoloV8(labels=[str(i) for i in range(head.class_count)])
        head.model().run(processor)
        assert not order_of(processor)[0]


# --- frames that leave it open ---
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", ["zeros", "one box", "one number"])
def test_an_open_frame_decides_nothing_for_the_next(kind: str, first: str) -> None:
    """Boxes of zeros, a single box, or empty boxes: they are read as cx, cy, w, h, and the next frame is examined again."""
    size = (96, 64)
    corners, scores = network(2, size, 3)
    clear = np.concatenate([corners / (*size, *size), scores], axis=1)[None]
    empty = np.zeros_like(clear)
    if first == "one box":
        empty[0, 5] = 0.25, 0.25, 0.5, 0.75, 0.9, 0, 0
    elif first == "one number":
        empty += 0.25
    low, high = float(clear.min()), float(clear.max())
    frames = [stored(values, kind, low, high) for values in (empty, clear)]
    labels = ["a", "b", "c"]
    expected = FakeModel([frames[1]], size, labels).run(n6post.YoloV8(box_order="xyxy"))
    head = frames[0]
    model, processor = FakeModel([head], size, labels), n6post.YoloV8()
    for _ in range(2):
        found = model.run(processor)
        assert order_of(processor) == (False, False)
        assert [d.rect for d in found] == ([pytest.approx((0, 0, 48, 40), abs=2)] if first == "one box" else [])
    head.values[:] = frames[1].values
    assert [d.rect for d in model.run(processor)] == [d.rect for d in expected] != []
    assert order_of(processor) == (True, True)


@pytest.mark.parametrize("levels", [4, 8, 16])
def test_corners_in_few_steps_are_still_corners(levels: int) -> None:
    """Boxes of a stride of 8 in steps of 20 to 80 pixels: x2 equals x1 in many rows, or is one step to its left."""
    size = (320, 320)
    corners, scores = network(4, size, 3)
    steps = np.round(np.clip(corners, 0, 320) / 320 * levels)
    steps[:, 2:] -= np.random.default_rng(1).random((2100, 2)) < 0.1
    boxes = Tensor(np.clip(steps, 0, levels)[None].astype(np.uint8), 1 / levels)
    tied = (steps[:, 2:] <= steps[:, :2]).any(axis=1).mean()
    assert tied > 0.1
    processor = n6post.YoloV8(0.3, labels=["a", "b", "c"])
    FakeModel([boxes, stored(scores[None], "uint8", 0, 1)], size).run(processor)
    assert order_of(processor) == (True, True)


# --- the option ---
def test_the_option_is_believed() -> None:
    head = float_head((64, 64), 2, [Thing(3, (8, 8, 40, 48), {1: 0.9})])
    as_corners = head.copy()
    as_corners[0, :4, 3] = 8, 8, 40, 48
    for order, values in (("xywh", head), ("xyxy", as_corners), (None, head)):
        (d,) = FakeModel([Tensor(values)], (64, 64)).run(n6post.YoloV8(box_order=order))  # type: ignore[arg-type]
        assert d.rect == (8, 8, 32, 40)
    corners, scores = network(1, (96, 64), 2)
    rows = joined(corners, scores, "float32", True)
    processor = n6post.YoloV8(box_order="xywh")
    FakeModel(rows, (96, 64), ["a", "b"]).run(processor)
    assert order_of(processor) == (False, True)


@pytest.mark.parametrize(("order", "rect"), [("xywh", (8, 8, 32, 40)), ("xyxy", (24, 28, 8, 12))])
def test_the_option_means_decoded_boxes_whatever_the_numbers_are_like(order: Any, rect: Any) -> None:
    """[1, 4, N] may also be distances to the sides, which do not grow from cell to cell."""
    random = np.random.default_rng(1)
    boxes, scores = random.uniform(0, 60, (126, 4)), np.full((126, 2), 0.001)
    boxes[5], scores[5, 1] = (24, 28, 32, 40), 0.9
    for seed in range(4):
        tensors = apart(boxes, scores, "float32", True, seed)
        (d,) = FakeModel(tensors, (96, 64), ["a", "b"]).run(n6post.YoloV8(box_order=order))
        assert (d.rect, d.label) == (rect, "b")


def test_masks_and_keypoints_of_corners_are_read_if_the_option_says_so() -> None:
    size = (96, 64)
    corners, scores = network(6, size, 1)
    points = np.tile(np.append(corners[:, :2], np.ones((126, 1)), axis=1), 3)
    rows = np.concatenate([corners, scores, points], axis=1)[None].astype(np.float32)
    found = FakeModel([Tensor(rows)], size, ["thing"]).run(n6post.YoloV8Pose(0.3, box_order="xyxy"))
    expected = FakeModel(joined(corners, scores, "float32", True), size, ["thing"]).run(n6post.YoloV8(0.3))
    assert [d.rect for d in found] == [d.rect for d in expected] != []
    coefficients = np.ones((126, 8))
    rows = np.concatenate([corners, scores, coefficients], axis=1)[None].astype(np.float32)
    outputs = [Tensor(rows), Tensor(np.ones((1, 16, 24, 8), np.float32))]
    masked = FakeModel(outputs, size, ["thing"]).run(n6post.YoloV8Seg(0.3, mask_overlap=None, box_order="xyxy"))
    assert [d.rect for d in masked] == [d.rect for d in expected]


def test_heads_with_masks_or_keypoints_have_centers_without_the_option() -> None:
    size = (96, 64)
    corners, scores = network(6, size, 1)
    points = np.tile(np.append(corners[:, :2], np.ones((126, 1)), axis=1), 3)
    rows = np.concatenate([corners, scores, points], axis=1)[None].astype(np.float32)
    processor = n6post.YoloV8Pose(0.3, box_units="pixels")
    FakeModel([Tensor(rows)], size, ["thing"]).run(processor)
    assert order_of(processor) == (False, True)


def test_a_few_turned_rows_show_centers() -> None:
    corners, scores = network(3, (96, 64), 2)
    for part, are_corners in ((0.0, True), (0.05, False), (0.3, False)):
        some = corners.copy()
        turned = np.linspace(0, len(some) - 1, round(part * len(some))).astype(int)
        some[turned] = some[turned][:, [2, 3, 0, 1]]
        processor = n6post.YoloV8(box_units="pixels")
        FakeModel(joined(some, scores, "float32", True), (96, 64), ["a", "b"]).run(processor)
        assert order_of(processor)[0] == are_corners


@pytest.mark.parametrize(
    ("processor", "tensors", "message"),
    [
        (lambda: n6post.YoloV8(box_order="xywh"), [np.zeros((1, 20, 6))], "'xyxy' for an end-to-end head, got 'xywh'"),
        (lambda: n6post.YoloV8Obb(box_order="xyxy"), [np.zeros((1, 20, 7))], "'xywh' for rows of .* boxes, got 'xyxy'"),
        (
            lambda: n6post.YoloV8(box_order="xyxy"),
            [np.zeros((1, h, w, c)) for c in (64, 2) for h, w in ((8, 12), (4, 6), (2, 3))],
            "None for distances from cells to sides, got 'xyxy'",
        ),
    ],
)
def test_an_order_that_boxes_cannot_have_is_refused(processor: Any, tensors: list[Array], message: str) -> None:
    model = FakeModel([Tensor(one.astype(np.float32)) for one in tensors], (96, 64))
    with pytest.raises(ValueError, match=f"^box_order: expected .*{message}$"):
        model.run(processor())


def test_stretched_parts_of_a_frame_are_mapped_back() -> None:
    corners, scores = network(7, (96, 64), 2)
    tensors = joined(corners, scores, "float32", False)
    found = FakeModel(tensors, (96, 64), ["a", "b"]).run(n6post.YoloV8(0.3), stretched((100, 50, 192, 128)))
    plain = expected_of(tensors, (96, 64), (1, 1), 0.3)
    assert [d.score for d in found] == pytest.approx([float(s) for s in plain.score])
