"""ModelBinding.guard (lib/n6post/families/processor.py): scores and boxes that cannot be are refused, in any frame."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import other_networks as other
import pytest
from fakes import Array, FakeModel, Tensor
from synthetic_heads import Thing, anchor_count, float_head

SIZE = 64, 64
DTYPES = ["float32", "int8", "uint8", "int16"]
SCORES = "^expected scores from 0 to 1, got "
BOXES = "^expected boxes in or near the input of "


def head(score: float, extra: int = 0, more: tuple[float, ...] = ()) -> Array:
    """A head of two classes with one object, boxes in 0..1."""
    return float_head(SIZE, 2, [Thing(20, (10, 10, 30, 30), {1: score}, more)], extra, pixels=False)


def rows(score: float, anchors: int, columns: int) -> Array:
    """Rows with an objectness of 1 and a class score, boxes in 0..1."""
    values = np.zeros((1, anchors, columns), np.float32)
    values[0, :, :4] = np.random.default_rng(0).uniform(0.1, 0.9, (anchors, 4))
    values[0, :, 4] = np.random.default_rng(1).uniform(0, 0.3, anchors)
    values[0, :, 5:] = 0.3
    values[0, 20] = [0.3, 0.3, 0.3, 0.3, 1.0, *[0.0] * (columns - 6), score]
    return values


def end_to_end(score: float, columns: int = 6) -> Array:
    values = np.zeros((1, 10, columns), np.float32)
    values[0, 0, :6] = 0.1, 0.1, 0.5, 0.6, score, 1
    values[0, 1, :6] = 0.2, 0.1, 0.5, 0.6, score / 2, 0
    values[0, :2, 6:] = 0.3
    return values


def yunet(score: float) -> list[Array]:
    outputs = []
    for stride in (8, 16, 32):
        cells = (SIZE[0] // stride) ** 2
        scores = np.zeros((1, cells, 1), np.float32)
        scores[0, 1] = score
        outputs += [scores, scores.copy(), np.zeros((1, cells, 4), np.float32), np.zeros((1, cells, 10), np.float32)]
    return outputs


def scrfd(score: float) -> list[Array]:
    counts = [2 * (SIZE[0] // stride) ** 2 for stride in (8, 16, 32)]
    outputs = [np.zeros((1, n, columns), np.float32) for columns in (1, 4, 10) for n in counts]
    outputs[0][0, 50] = score
    outputs[3][:] = 1
    return outputs


def peak(score: float, channels: int) -> Array:
    grid = np.zeros((1, 8, 8, channels), np.float32)
    grid[0, 3:5, 3:5] = score
    return grid


def hand(score: float) -> list[Array]:
    points = np.random.default_rng(0).uniform(10, 50, (1, 63)).astype(np.float32)
    return [points, np.float32([[score]]), np.float32([[0.2]]), points / 1000]


anchors = anchor_count(SIZE)
FAMILIES: dict[str, tuple[Any, Any]] = {
    "YoloV8": (lambda: n6post.YoloV8(labels=["a", "b"]), lambda s: [head(s)]),
    "YoloV8 end to end": (n6post.YoloV8, lambda s: [end_to_end(s)]),
    "YoloV8Seg": (lambda: n6post.YoloV8Seg(), lambda s: [head(s, 8, (1,) * 8), np.ones((1, 16, 16, 8), np.float32)]),
    "YoloV8Pose": (lambda: n6post.YoloV8Pose(class_count=2), lambda s: [head(s, 51, (0.3, 0.4, 0.9) * 17)]),
    "YoloV8Obb": (lambda: n6post.YoloV8Obb(labels=["a", "b"]), lambda s: [head(s, 1, (0.7,))]),
    "YoloV8Obb end to end": (n6post.YoloV8Obb, lambda s: [end_to_end(s, 7)]),
    "YoloV5": (lambda: n6post.YoloV5(), lambda s: [rows(s, 3 * anchors, 7)]),
    "YoloX": (lambda: n6post.YoloX(box_units="normalized"), lambda s: [rows(s, anchors, 7)]),
    "YuNet": (n6post.YuNet, yunet),
    "Scrfd": (n6post.Scrfd, scrfd),
    "Fomo": (n6post.Fomo, lambda s: [peak(s, 2)]),
    "MoveNet": (n6post.MoveNet, lambda s: [peak(s, 13)]),
    "MoveNet keypoints": (n6post.MoveNet, lambda s: [np.float32([[[[0.3, 0.4, s]] * 17]])]),
    "HandLandmarks": (n6post.HandLandmarks, hand),
    "Classifier": (lambda: n6post.Classifier(score_type="probability"), lambda s: [np.float32([[0.1, s, 0.0]])]),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_score_far_above_1_is_refused_in_the_frame_in_which_it_shows(family: str) -> None:
    make, outputs = FAMILIES[family]
    model = FakeModel([Tensor(one) for one in outputs(0.9)], SIZE)
    process = make()

    def seen(score: float) -> Any:
        for tensor, values in zip(model.tensors, outputs(score), strict=True):
            tensor.values[:] = values
        return model.run(process)

    for score in (0.9, 1.0, 1.02):
        found = seen(score)
        assert list(found) and abs(list(found)[0].score - score) < 0.01
    with pytest.raises(ValueError, match=SCORES + "2.2 in output 0: float32"):
        seen(2.2)
    assert list(seen(0.8))  # the next frame is read again


@pytest.mark.parametrize("dtype", DTYPES)
def test_quantized_one_may_be_a_little_more(dtype: str) -> None:
    # ST's yolov8n-seg: one scale for boxes, scores and coefficients.
    step = 0.0204
    values = np.round(head(1.015) / step)
    if dtype == "float32":
        model = FakeModel([Tensor((values * step).astype(np.float32), step, 24)], SIZE, output_dtype="b")
    else:
        model = FakeModel([Tensor((values + 24).astype(dtype), step, 24)], SIZE)
    (found,) = model.run(n6post.YoloV8())
    assert 1.01 < found.score < 1.03


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_score_of_one_coarse_step_is_no_alarm(dtype: str) -> None:
    # Boxes in pixels share the scale: a score is 0 or 2.5. As raw numbers, and as the firmware's float copies.
    step = 640 / 255
    values = float_head((640, 640), 2, [Thing(900, (100, 100, 300, 300), {1: 1.6})])
    values = np.round(values / step)
    tensor = Tensor((values * step).astype(np.float32) if dtype == "float32" else values.astype(np.uint8), step, 0)
    (found,) = FakeModel([tensor], (640, 640), output_dtype="B").run(n6post.YoloV8(labels=["a", "b"]))
    assert found.score > 2.5


@pytest.mark.parametrize("family", ["YoloV8", "YoloV5", "YoloV8Obb"])
def test_box_far_outside_is_refused(family: str) -> None:
    extra = 1 if family == "YoloV8Obb" else 0
    values = head(0.9, extra, (0.1,) * extra)
    values[:, :4] *= 64
    if family == "YoloV5":
        values = rows(0.9, 3 * anchors, 7)
        values[..., :4] *= 64
    for units, fine in (("pixels", True), ("normalized", False)):
        process = getattr(n6post, family)(box_units=units, labels=["a", "b"])
        if fine:
            assert FakeModel([Tensor(values)], SIZE).run(process)
        else:
            with pytest.raises(ValueError, match=BOXES):
                FakeModel([Tensor(values)], SIZE).run(process)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), 1e30])
def test_overflow_in_a_box_is_no_alarm(number: float) -> None:
    for row in range(4):
        values = head(0.9)
        values[0, row, 20] = number
        with np.errstate(all="ignore"):
            FakeModel([Tensor(values)], SIZE).run(n6post.YoloV8(labels=["a", "b"], box_units="normalized"))


# --- networks that only their numbers show ---


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [(320, 320), (320, 192)])
@pytest.mark.parametrize("classes", [1, 2, 3, 80])
def test_class_logits_are_refused_at_the_first_frame(dtype: str, size: tuple[int, int], classes: int) -> None:
    for labels in (0, classes):
        for arrays in (other.yolov8_logits(size, classes), other.turned(other.yolov8_logits(size, classes))):
            model = other.model(arrays, size, dtype, labels)
            for process in (n6post.processor_for(model), n6post.YoloV8()):
                with pytest.raises(ValueError, match=r"got logits in output 0|YOLOX|fits"):
                    model.run(process)


def test_labels_of_yolov8_without_a_sigmoid_do_not_hide_it() -> None:
    model = other.model(other.yolov8_logits((320, 320), 3), (320, 320), labels=3)
    with pytest.raises(ValueError, match=r"expected class scores from 0 to 1, got logits .* export it with the sigmoid$"):
        model.run(n6post.processor_for(model))


@pytest.mark.parametrize("size", [(320, 320), (320, 192)])
def test_logits_behind_an_objectness_are_refused(size: tuple[int, int]) -> None:
    middle, logits, anchor = other.scored(size, 3)
    rows = np.concatenate([middle, other.sigmoid(logits[:, 2:]), logits], axis=1)[None]
    with pytest.raises(ValueError, match="rows with other numbers than scores after the objectness"):
        other.model([rows], size, labels=3).run(n6post.YoloX())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["class first", "score first", "padded"])
@pytest.mark.parametrize("normalized", [False, True])
def test_rows_that_begin_with_a_batch_number_are_refused(dtype: str, order: str, normalized: bool) -> None:
    (values,) = other.batch_rows((320, 320), 100, order, normalized)
    for shaped in (values, values[None], other.turned([values])[0], values[:, :9], np.tile(values, (1, 3, 1))):
        for labels in (0, 3):
            model = other.model([shaped], (320, 320), dtype, labels)
            for process in (n6post.processor_for(model), n6post.YoloV8Obb()):
                with pytest.raises(ValueError, match="^no family of n6post decodes rows that begin with"):
                    model.run(process)


def test_empty_scene_of_rows_is_no_alarm() -> None:
    model = other.model([np.zeros((1, 100, 7))], (320, 320))
    assert model.run(n6post.YoloV8Obb()) == []
