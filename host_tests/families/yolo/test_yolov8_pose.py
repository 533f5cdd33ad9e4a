"""lib/n6post/families/yolo/yolov8_pose.py: keypoints in every storage compared with the oracle and reference.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import n6post
import numpy as np
import other_networks
import pytest
import recorded_data
import reference
from assertions import assert_same_survivors, assert_well_formed, survivors
from fakes import Array, FakeModel, Framed, Tensor, capture, stretched
from family_cases import FamilyCases, FrameCase, OptionCase
from hypothesis import assume, example, given
from hypothesis import strategies as st
from n6post_pc.demo import recorded
from small_models import poser, split_poser
from synthetic_heads import Head, Thing, float_head, quantized
from test_yolov8 import (
    NAN,
    at_every_setting,
    expected_of,
    four_things,
    in_pixels,
    on_every_picture,
    option_cases,
    oracle,
)

pytestmark = pytest.mark.both_firmwares

MODEL = "yolov8n_256_quant_pc_uf_pose_coco-st"
SETTINGS = [(0.25, 0.7), (0.25, 0.45), (0.6, 0.5)]  # threshold, iou_threshold
SIZE = (64, 64)


def points_of(found: Any) -> Any:
    """(n, K, 3)"""
    return np.array([d.keypoints.tolist() for d in found])


def in_frame(points: Any, fit: str, size: tuple[int, int], roi: tuple[int, int, int, int]) -> Any:
    """Keypoints in model input pixels -> in frame pixels, clipped to the roi."""
    corner, far = np.float64(roi[:2]), np.float64(roi[:2]) + roi[2:]
    return np.concatenate([np.clip(reference.to_frame(points[..., :2], fit, size, roi), corner, far), points[..., 2:]], -1)


def storages(tensor: Tensor) -> list[Tensor]:
    return [tensor, tensor.as_uint8(), tensor.as_int16(2, 5), tensor.dequantized()]


# --- the oracle ---
@pytest.mark.parametrize("picture", ["bus", "person"])
@pytest.mark.parametrize(("threshold", "iou_threshold"), SETTINGS)
def test_keypoints_equal_the_oracle_in_both_storage_orders(
    shared: Path, picture: str, threshold: float, iou_threshold: float
) -> None:
    tensors, size = capture(shared / "captures" / f"{MODEL}__{picture}.npz")
    results = np.load(shared / "captures" / f"{MODEL}__{picture}__oracle.npz")
    extra = results[f"c{threshold}_i{iou_threshold}_extra"]
    expected = in_frame(reference.keypoints(extra, size), "stretch", size, (0, 0, *size))
    for tensor in (tensors[0], tensors[0].reordered(0, 2, 1)):
        processor = n6post.YoloV8Pose(threshold, iou_threshold=iou_threshold)
        found = FakeModel([tensor], size).run(processor)
        assert_well_formed(found, (0, 0, *size), 20)
        assert [row[0] for row in survivors(processor)] == results[f"c{threshold}_i{iou_threshold}_anchor"].tolist()
        np.testing.assert_allclose(points_of(found), expected, rtol=1e-6, atol=1e-4)


@pytest.mark.parametrize("picture", ["astronaut", "camera"])
@pytest.mark.parametrize("roi", [(0, 0, 256, 256), (30, 20, 640, 480)])
def test_recorded_keypoints_equal_the_reference_in_every_dtype(picture: str, roi: tuple[int, int, int, int]) -> None:
    recording = recorded.load("yolov8n_pose_256", picture)
    (tensor,) = recording.tensors
    unit = recording.size if tensor.values.dtype == np.int8 and tensor.scale * 255 < 8 else (1, 1)
    head = tensor.values[0]
    candidates = reference.decode(head, 1, 0.4, box_unit=unit, **tensor.quantization())
    expected = reference.suppress(candidates, 0.5, threshold=0.4)
    points = in_frame(reference.keypoints(expected.extra, unit), "stretch", recording.size, roi)
    assert len(points)
    for one in storages(tensor):
        for stored in (one, one.reordered(0, 2, 1)):
            found = FakeModel([stored], recording.size).run(n6post.YoloV8Pose(), stretched(roi))
            np.testing.assert_allclose(points_of(found), points, rtol=2e-6, atol=2e-4)


@pytest.mark.parametrize("anchors_first", [False, True])
@pytest.mark.parametrize("pixels", [False, True])
@on_every_picture
@at_every_setting
def test_pose_equals_the_oracle(
    shared: Path, picture: str, threshold: float, iou_threshold: float, anchors_first: bool, pixels: bool
) -> None:
    (head,), size = capture(shared / "captures" / f"{MODEL}__{picture}.npz")
    expected = expected_of(oracle(shared, MODEL, picture, threshold, iou_threshold))
    points = reference.keypoints(expected.extra, size)
    if pixels:
        head = in_pixels(head, 256)
        head.values[0, 5::3] *= np.float32(256)
        head.values[0, 6::3] *= np.float32(256)
    if anchors_first:
        head = head.reordered(0, 2, 1)
    processor = n6post.YoloV8Pose(threshold, iou_threshold=iou_threshold)
    found = FakeModel([head], size).run(processor)
    assert_same_survivors(survivors(processor), expected, size)
    for d, wanted in zip(found, points, strict=True):
        assert_same_keypoints(d.keypoints, wanted, (0, 0, *size))


def assert_same_keypoints(keypoints: Any, points: Any, roi: tuple[int, int, int, int]) -> None:
    """(K, 3) of x, y clipped to the frame, and score, compared with unclipped x, y in frame pixels, and score."""
    assert keypoints.shape == points.shape and keypoints.dtype == ord("f")
    low, high = np.array(roi[:2]), np.array(roi[:2]) + roi[2:]
    got = np.array([[float(v) for v in row] for row in keypoints])
    np.testing.assert_allclose(got[:, :2], np.clip(points[:, :2], low, high), rtol=1e-5, atol=1e-3)
    np.testing.assert_allclose(got[:, 2], points[:, 2], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("picture", [p for m, p in recorded.names() if m == "yolov8n_pose_256"])
@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize("roi", [(0, 0, 256, 256), (40, 30, 512, 384)])
def test_recorded_pose_equals_the_reference_in_frame_pixels(picture: str, raw: bool, roi: tuple[int, int, int, int]) -> None:
    recording = recorded.load("yolov8n_pose_256", picture)
    expected = reference.suppress(Head(recording.size, 1, recording.tensors[0], None).candidates(0.3), 0.5)
    points = reference.keypoints(expected.extra, recording.size)
    points[:, :, :2] = reference.to_frame(points[:, :, :2], "stretch", recording.size, roi)
    processor = n6post.YoloV8Pose(0.3)
    found = recording.model(raw).run(processor, stretched(roi))
    assert_same_survivors(survivors(processor), expected, recording.size)
    assert len(found) >= 1
    for d, wanted in zip(found, points, strict=True):
        assert (d.label, d.mask) == ("person", None)
        assert_same_keypoints(d.keypoints, wanted, roi)


# --- any head ---
def people(keypoint_count: int, classes: int, seed: int, count: int = 3, pixels: bool = True) -> tuple[Any, list[Thing]]:
    """A head with a few people far apart; keypoints may lie outside of the input."""
    random = np.random.default_rng(seed)
    things = []
    for i in range(count):
        left, top = random.uniform(0, 12, 2) + 20 * i
        keypoints = random.uniform(-10, 74, (keypoint_count, 3))
        keypoints[:, 2] = random.random(keypoint_count)
        extra = keypoints.copy()
        if not pixels:
            extra[:, :2] /= SIZE
        thing = Thing(7 * i + 3, (left, top, left + 12, top + 10), {int(random.integers(classes)): 0.9 - 0.1 * i})
        things.append(thing._replace(extra=extra.ravel().tolist()))
    return float_head(SIZE, classes, things, extra=3 * keypoint_count, pixels=pixels), things


@given(
    st.integers(0, 2**32),
    st.integers(1, 33),
    st.integers(1, 5),
    st.booleans(),
    st.booleans(),
    st.sampled_from([(0, 0, 64, 64), (10, 20, 320, 240), (0, 0, 31, 47)]),
)
@example(0, 1, 1, False, False, (0, 0, 31, 47))
@example(1, 33, 5, True, True, (10, 20, 320, 240))
@example(2, 33, 1, False, True, (0, 0, 64, 64))
def test_any_number_of_keypoints_and_classes_is_supported(
    seed: int, keypoint_count: int, classes: int, pixels: bool, anchors_last: bool, roi: tuple[int, int, int, int]
) -> None:
    head, things = people(keypoint_count, classes, seed, pixels=pixels)
    assume(head.shape[1] != head.shape[2])  # as many channels as anchors: either storage order
    tensor = Tensor(head if anchors_last else np.ascontiguousarray(head.transpose(0, 2, 1)))
    found = FakeModel([tensor], SIZE).run(n6post.YoloV8Pose(class_count=classes), stretched(roi))
    assert [d.class_id for d in found] == [next(iter(t.scores)) for t in things]
    expected = np.float64([t.extra for t in things]).reshape(-1, keypoint_count, 3)
    if not pixels:
        expected[..., :2] *= SIZE
    points = points_of(found)
    np.testing.assert_allclose(points, in_frame(expected, "stretch", SIZE, roi), rtol=1e-4, atol=1e-2)
    assert (points[..., 0] >= roi[0]).all() and (points[..., 0] <= roi[0] + roi[2]).all()
    assert (points[..., 1] >= roi[1]).all() and (points[..., 1] <= roi[1] + roi[3]).all()


@pytest.mark.parametrize("fit", ["crop", "letterbox"])
def test_keypoints_are_mapped_back_through_every_input(fit: str) -> None:
    import image

    roi = (0, 0, 320, 240)
    source = getattr(n6post, fit.capitalize())(image.Image(320, 240, image.RGB565))
    head, things = people(5, 1, 1)
    found = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Pose(), source)
    expected = in_frame(np.float64([t.extra for t in things]).reshape(-1, 5, 3), fit, SIZE, roi)
    np.testing.assert_allclose(points_of(found), expected, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize(("classes", "points"), [(2, 5), (2, 2), (3, 4), (5, 21), (2, 17)])
@pytest.mark.parametrize("kind", ["float32", "int8"])
def test_classes_of_a_pose_follow_from_its_labels(kind: str, classes: int, points: int) -> None:
    """Without class_count, and although the channels could be those of other classes and keypoints."""
    size, names = (96, 64), [f"class {i}" for i in range(classes)]
    keypoints = np.random.default_rng(1).uniform(0.2, 0.6, (points, 3))
    thing = Thing(40, (24, 16, 72, 48), {classes - 1: 0.9}, keypoints.ravel().tolist())
    head = float_head(size, classes, [thing], extra=3 * points, pixels=False)
    tensor = Tensor(head) if kind == "float32" else quantized(head, 1 / 100, -100)
    for one in (tensor, tensor.reordered(0, 2, 1)):
        model = FakeModel([one], size, names)
        processor = n6post.processor_for(model)
        assert type(processor) is n6post.YoloV8Pose
        (d,) = model.run(processor)
        assert d.label == names[-1] and d.rect == pytest.approx((24, 16, 48, 32), abs=1)
        np.testing.assert_allclose(d.keypoints._np[:, :2], keypoints[:, :2] * size, atol=0.6)
        assert n6post.diagnose(model, model.outputs()) == []


def test_too_few_labels_of_a_detector_are_not_those_of_a_pose() -> None:
    """Two labels and 15 channels: three keypoints, or a detector of 11 classes, whose scores are nearly 0."""
    random = np.random.default_rng(1)
    head = float_head((96, 64), 11, [Thing(40, (24, 16, 72, 48), {7: 0.9})])
    head[0, 4:] += random.uniform(0, 1e-3, head[0, 4:].shape)
    model = FakeModel([Tensor(head)], (96, 64), ["a", "b"])
    with pytest.raises(ValueError, match=r"as of a detector of 11 classes: use n6post.YoloV8\(\)"):
        model.run(n6post.processor_for(model))


def test_class_count_comes_from_the_option_or_the_labels() -> None:
    head, things = people(4, 3, 2)
    tensor = Tensor(head)
    names = ["cat", "dog", "cow"]
    for options, from_model in (
        ({"class_count": 3}, None),
        ({"labels": names}, None),
        ({}, names),
        ({"class_count": 3}, ["a", "b"]),
    ):
        found = FakeModel([tensor], SIZE, from_model).run(n6post.YoloV8Pose(**options))
        assert points_of(found).shape == (3, 4, 3)
        assert [d.class_id for d in found] == [next(iter(t.scores)) for t in things]
    assert found[0].label in ("a", "b", "2")


@pytest.mark.parametrize("classes", [1, 2, 3, 4, 5])
def test_model_labels_are_classes_if_whole_keypoints_remain(classes: int) -> None:
    head, things = people(4, classes, 2)
    names = [f"animal {i}" for i in range(classes)]
    found = FakeModel([Tensor(head)], SIZE, names).run(n6post.YoloV8Pose())
    assert points_of(found).shape == (3, 4, 3)
    assert [d.label for d in found] == [names[next(iter(thing.scores))] for thing in things]


@pytest.mark.parametrize("count", [2, 3, 5, 6, 8])
def test_model_labels_that_leave_no_whole_keypoints_are_ignored(count: int) -> None:
    """Four keypoints of one class are 17 channels. What 2, 3, 5, 6 or 8 classes would leave is no multiple of 3."""
    head, _ = people(4, 1, 2)
    names = [f"name {i}" for i in range(count)]
    found = FakeModel([Tensor(head)], SIZE, names).run(n6post.YoloV8Pose())
    assert points_of(found).shape == (3, 4, 3)
    with pytest.raises(ValueError, match=f"^{HEAD} {count} classes and 3 for each keypoint, got 17 channels"):
        FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Pose(labels=names))


def test_model_labels_that_name_keypoints_are_not_classes() -> None:
    head, _ = people(17, 1, 3)
    found = FakeModel([Tensor(head)], SIZE, [f"keypoint {i}" for i in range(17)]).run(n6post.YoloV8Pose())
    assert points_of(found).shape == (3, 17, 3)


@pytest.mark.parametrize("given", [True, False])
def test_as_many_labels_as_keypoints_name_the_keypoints(given: bool) -> None:
    head, _ = people(13, 1, 3)
    names = [f"keypoint {i}" for i in range(13)]
    found = FakeModel([Tensor(head)], SIZE, None if given else names).run(n6post.YoloV8Pose(labels=names if given else None))
    assert points_of(found).shape == (3, 13, 3) and {d.label for d in found} == {"0"}
    head, _ = people(1, 1, 3)
    found = FakeModel([Tensor(head)], SIZE, ["ball"]).run(n6post.YoloV8Pose())
    assert points_of(found).shape == (3, 1, 3) and found[0].label == "ball"  # a single label is the class name


# --- scores of keypoints ---
def with_logits(keypoint_count: int = 6) -> tuple[Any, Any, Any]:
    """(head with logits, people, their keypoint scores)"""
    head, things = people(keypoint_count, 1, 4)
    logits = np.random.default_rng(5).normal(0, 3, (keypoint_count, head.shape[2])).astype(np.float32)
    head[0, 7::3] = logits
    return head, things, 1 / (1 + np.exp(-logits[:, [t.anchor for t in things]].T.astype(float)))


def test_negative_keypoint_scores_are_detected_as_logits() -> None:
    head, _, scores = with_logits()
    found = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Pose())
    np.testing.assert_allclose(points_of(found)[..., 2], scores, rtol=1e-5)
    for one in storages(quantized(head, 0.6, 0)):
        steps = one.dequantized().values if one.scale else one.values
        found = FakeModel([one], SIZE).run(n6post.YoloV8Pose())
        expected = 1 / (1 + np.exp(-steps[0, 7::3].astype(float)))
        np.testing.assert_allclose(points_of(found)[0, :, 2], expected[:, 3], rtol=1e-5)


@pytest.mark.parametrize(("lowest", "logit"), [(-0.4, False), (-0.6, True), (-1.4, True)])
def test_score_down_to_minus_half_is_noise_and_a_lower_one_a_logit(lowest: float, logit: bool) -> None:
    head, things = people(6, 1, 4)
    head[0, 10, 0] = lowest  # an anchor without a person
    score = things[0].extra[2::3]
    found = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Pose())
    np.testing.assert_allclose(points_of(found)[0, :, 2], 1 / (1 + np.exp(-np.array(score))) if logit else score, rtol=1e-5)
    head[0, 10, 0] = -1.0 if logit else -0.5
    for one in storages(quantized(head, 0.5, 0)):
        steps = (one.dequantized().values if one.scale else one.values)[0, 7::3, 3].astype(float)
        found = FakeModel([one], SIZE).run(n6post.YoloV8Pose())
        np.testing.assert_allclose(points_of(found)[0, :, 2], 1 / (1 + np.exp(-steps)) if logit else steps, rtol=1e-5)


@pytest.mark.parametrize("largest", [1.02, 3.9, 4.1, 140.0])
def test_coordinate_in_place_of_a_keypoint_score_is_refused(largest: float) -> None:
    """A quantized sigmoid may be a little more than 1. The option says that it is a score or a logit all the same."""
    head, _ = people(5, 1, 4)
    head[0, 7::3, ::2] = largest
    head[0, 10] = largest
    model = FakeModel([Tensor(head)], SIZE)
    if largest < 4:
        assert len(model.run(n6post.YoloV8Pose())) == 3
    else:
        with pytest.raises(ValueError, match=f"^expected keypoint scores from 0 to 1, got {largest:.3g} in output 0"):
            model.run(n6post.YoloV8Pose())
    for option in ("probability", "logit"):
        assert len(model.run(n6post.YoloV8Pose(score_type=option))) == 3


def test_class_filter_returns_only_the_given_classes() -> None:
    head, _ = people(4, 3, 6)
    every = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Pose(class_count=3))
    assert len({d.class_id for d in every}) == 2
    for class_id in range(3):
        found = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Pose(class_count=3, classes=[class_id]))
        assert [d.rect for d in found] == [d.rect for d in every if d.class_id == class_id]


def test_score_type_sets_probability_or_logit() -> None:
    head, things = people(6, 1, 6)
    plain = np.float64([t.extra for t in things]).reshape(-1, 6, 3)[..., 2]
    for option, expected in ((None, plain), ("probability", plain), ("logit", 1 / (1 + np.exp(-plain)))):
        found = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Pose(score_type=option))
        np.testing.assert_allclose(points_of(found)[..., 2], expected, rtol=1e-5)
    head, _, scores = with_logits()
    found = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Pose(score_type="probability"))
    np.testing.assert_allclose(points_of(found)[..., 2], np.log(scores / (1 - scores)), rtol=1e-3, atol=1e-4)


def test_detection_has_the_keypoint_threshold_and_all_keypoints() -> None:
    head, _ = people(6, 1, 7)
    found = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Pose(keypoint_threshold=0.7))
    assert (points_of(found)[..., 2] < 0.7).any()
    assert found[0].keypoint_threshold == 0.7
    assert isinstance(found[0], n6post.Detection)
    rect, score, class_id, label, mask, keypoints = found[0]
    assert mask is None and keypoints is found[0].keypoints


def test_nan_keypoint_becomes_the_corner_of_the_frame_without_a_score() -> None:
    head, things = people(3, 1, 8)
    head[0, 5:8, things[0].anchor] = np.nan
    found = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Pose(), Framed((5, 6, 64, 64)))
    assert points_of(found)[0, 0].tolist() == [5, 6, -np.inf]
    assert not np.isnan(points_of(found)).any()


def test_keypoints_do_not_change_with_the_next_frame() -> None:
    head, _ = people(3, 1, 9)
    model = FakeModel([Tensor(head)], SIZE)
    processor = n6post.YoloV8Pose()
    found = model.run(processor)
    before = points_of(found).tolist()
    head[0, 5:] = 0.5
    model.run(processor)
    model.run(processor)
    assert points_of(found).tolist() == before


# --- kpt_shape=[K, 2] ---
FLAT = [(k, classes, labels) for k in (2, 3, 4, 5, 6, 12, 17, 21) for classes, labels in ((1, 0), (1, 1), (2, 2))]


@pytest.mark.parametrize("kind", ["float32", "int8", "uint8", "int16"])
@pytest.mark.parametrize(("count", "classes", "labels"), FLAT)
def test_keypoints_without_scores_are_read(count: int, classes: int, labels: int, kind: str) -> None:
    for size, pixels in (((320, 320), False), ((320, 192), False), ((320, 192), True)):
        if pixels and kind.endswith("int8"):
            continue  # steps of whole pixels are too coarse for scores
        (head,) = other_networks.flat_pose(size, count, classes, pixels)
        for turned in (False, True):
            model = other_networks.model([head.swapaxes(1, 2) if turned else head], size, kind, labels)
            values = model.tensors[0].dequantized().values[0]
            values = values.T if turned else values
            expected = values[4 + classes :, values[3 + classes].argmax()].reshape(count, 2)
            expected = np.clip(expected if pixels else expected * size, 0, size)
            processors: list[Any] = [n6post.YoloV8Pose(score_type="missing"), n6post.YoloV8Pose()]
            if labels:
                processors.append(n6post.processor_for(model))
            for processor in processors:
                (d,) = found = model.run(processor)
                points = points_of(found)[0]
                np.testing.assert_allclose(points[:, :2], expected, atol=1e-3)
                assert (points[:, 2] == 1).all() and d.class_id == classes - 1 and processor._binding.is_final


@pytest.mark.parametrize("name", ["pose yolov8-pose 5", "pose yolov8-pose 12", "pose yolo26-pose 12"])
@pytest.mark.parametrize("normalized", [False, True])
def test_keypoints_without_scores_are_those_of_ultralytics(name: str, normalized: bool) -> None:
    head, found = (
        recorded_data.stored("more_yolos")[name].astype(np.float32),
        recorded_data.stored("more_yolos")[f"{name} found"],
    )
    boxes = np.clip(found[:, :4], 0, 128)
    seen = (np.floor(boxes[:, 2:] + 0.5) > np.floor(boxes[:, :2] + 0.5)).all(axis=1)
    count = (found.shape[1] - 6) // 2
    if normalized:
        for part in (slice(0, 4), slice(6, None)) if head.shape[1] == 300 else (slice(0, 4), slice(5, None)):
            head[(..., part) if head.shape[1] == 300 else (0, part)] /= 128
    model = FakeModel([Tensor(head)], (128, 128), ["tiger"])
    options: dict[str, Any] = {"iou_threshold": 0.7, "max_detections": 300, "max_candidates": 300}
    for processor in (n6post.processor_for(model, threshold=0.25, **options), n6post.YoloV8Pose(0.25, **options)):
        mine = model.run(processor, Framed((0, 0, 128, 128)))
        assert len(mine) == seen.sum() > 1
        np.testing.assert_allclose([d.score for d in mine], found[seen, 4], atol=1e-6)
        np.testing.assert_allclose(
            points_of(mine)[..., :2], np.clip(found[seen, 6:].reshape(-1, count, 2), 0, 128), atol=1e-3
        )


def test_keypoints_without_scores_need_labels_or_their_constructor() -> None:
    model = other_networks.model(other_networks.flat_pose((320, 320), 5), (320, 320))
    with pytest.raises(ValueError, match=r"without scores \(kpt_shape=\[K, 2\]\): use n6post.YoloV8Pose\(\)"):
        model.run(n6post.processor_for(model))
    model = other_networks.model(other_networks.flat_pose((320, 320), 5), (320, 320), labels=3)
    with pytest.raises(ValueError, match=r"poses with fewer classes: use n6post.YoloV8Pose\(\) with one label per class"):
        model.run(n6post.processor_for(model))


@pytest.mark.parametrize("keypoint_count", [2, 3, 4, 8, 17])
def test_keypoints_with_scores_of_two_classes_are_no_pairs(keypoint_count: int) -> None:
    """Without labels a [17, 3] pose of two classes has the 57 channels of a [26, 2] pose of one."""
    middle, logits, _ = other_networks.scored((320, 320), 2)
    random = np.random.default_rng(1)
    points = np.concatenate(
        [
            np.concatenate([middle[:, :2] + random.normal(0, 3, (2100, 2)), random.uniform(0, 1, (2100, 1))], 1)
            for _ in range(keypoint_count)
        ],
        1,
    )
    head = np.concatenate([middle, other_networks.sigmoid(logits), points], axis=1).T[None]
    model = other_networks.model([head], (320, 320))
    if (3 * keypoint_count + 1) % 3 or (3 * keypoint_count + 1) % 2:
        with pytest.raises(
            ValueError, match=f"got {head.shape[1]} channels in .*: give labels, one per class, or class_count"
        ):
            model.run(n6post.YoloV8Pose())
    for processor in (n6post.YoloV8Pose(class_count=2), n6post.YoloV8Pose(labels=["a", "b"])):
        (points,) = points_of(model.run(processor))
        assert points.shape == (keypoint_count, 3) and 0 < points[:, 2].max() < 1


def test_detectors_are_no_poses_without_scores() -> None:
    for classes in range(3, 40):
        middle, logits, _ = other_networks.scored((320, 320), classes)
        head = np.concatenate([middle / 320, other_networks.sigmoid(logits)], axis=1).T[None]
        for labels in (0, 1):
            if labels and classes % 3 == 1:
                continue  # with its label, a pose with scores is taken at its word
            model = other_networks.model([head], (320, 320), labels=labels)
            with pytest.raises(ValueError, match=f"a detector of {classes} classes|got {4 + classes} channels"):
                model.run(n6post.YoloV8Pose())
        assert isinstance(n6post.processor_for(other_networks.model([head], (320, 320), labels=classes)), n6post.YoloV8)


def flat_rows(count: int, used: int, normalized: bool, size: tuple[int, int] = (320, 192)) -> Array:
    """Rows of an end-to-end head, best first, with keypoints inside of their boxes."""
    random = np.random.default_rng(count)
    rows = np.zeros((1, 300, 6 + 2 * count))
    for at in range(used):
        x, y = random.uniform(0, 0.6 * size[0]), random.uniform(0, 0.6 * size[1])
        w, h = random.uniform(40, 100), random.uniform(30, 70)
        points = np.stack([x + w * random.uniform(-0.2, 1.2, count), y + h * random.uniform(-0.2, 1.2, count)], axis=1)
        rows[0, at] = [x, y, x + w, y + h, 0.95 - 0.003 * at, 0, *points.ravel()]
    if normalized:
        rows[..., :4] /= np.tile(size, 2)
        rows[..., 6:] /= np.tile(size, count)
    return rows


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("used", [1, 3, 15, 40, 300])
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 12, 17, 21])
def test_end_to_end_rows_without_scores_are_read(count: int, used: int, normalized: bool) -> None:
    for size in ((320, 192), (320, 320)):  # 300 rows are also the anchors of a head of 320 x 192
        if used == 1 and normalized and count in (3, 6):
            continue  # may also be two or four keypoints with scores
        rows = flat_rows(count, used, normalized, size)
        expected = rows[0, 0, 6:].reshape(count, 2) * (size if normalized else 1)
        model = other_networks.model([rows], size, labels=1)
        for processor in (n6post.processor_for(model), n6post.YoloV8Pose(), n6post.YoloV8Pose(score_type="missing")):
            points = points_of(model.run(processor))[0]
            np.testing.assert_allclose(points[:, :2], np.clip(expected, 0, size), atol=1e-3)
            assert (points[:, 2] == 1).all()


@pytest.mark.parametrize("used", [1, 3, 40])
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("count", [2, 4, 8])
def test_end_to_end_rows_with_scores_are_no_pairs(count: int, used: int, normalized: bool) -> None:
    pairs = flat_rows(count, used, normalized)
    rows = np.zeros((1, 300, 6 + 3 * count))
    rows[..., :6] = pairs[..., :6]
    rows[0, :used, 6:] = np.insert(pairs[0, :used, 6:], range(2, 2 * count + 1, 2), 0.7, axis=1)
    found = other_networks.model([rows], (320, 192), labels=1).run(n6post.YoloV8Pose())
    np.testing.assert_allclose(points_of(found)[0, :, 2], 0.7, rtol=1e-6)


@pytest.mark.parametrize("count", [4, 5, 6])
def test_frame_of_zeros_does_not_decide_whether_there_are_scores(count: int) -> None:
    for arrays in (other_networks.flat_pose((320, 320), count), [flat_rows(count, 5, True, (320, 320))]):
        values = np.ascontiguousarray(arrays[0], np.float32)
        tensor = Tensor(np.zeros_like(values))
        model = FakeModel([tensor], (320, 320))
        processor = n6post.YoloV8Pose()
        assert model.run(processor) == []
        tensor.values[...] = values
        assert model.run(processor)[0].keypoints.shape == (count, 3)


def test_a_box_around_everything_leaves_open_whether_there_are_scores() -> None:
    """Rows of a few normalized numbers may be both: then the next frame is examined again."""
    rows = np.zeros((1, 300, 18), np.float32)
    rows[0, 0] = [0.0, 0.0, 1.0, 1.0, 0.9, 0, *[0.5, 0.6, 0.7] * 4]
    processor = n6post.YoloV8Pose()
    (d,) = FakeModel([Tensor(rows)], (320, 320)).run(processor)
    assert d.keypoints.shape == (4, 3) and not processor._binding.is_final


def test_score_type_missing_is_refused_for_split_heads() -> None:
    with pytest.raises(
        ValueError, match="^score_type: expected 'probability', 'logit' or None for a split head, got 'missing'$"
    ):
        split_poser().run(n6post.YoloV8Pose(0.3, score_type="missing"))


# --- errors ---
BAD_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"keypoint_threshold": 1.5}, "keypoint_threshold: expected a number from 0(.0)? to 1(.0)?, got 1.5"),
    ({"keypoint_threshold": None}, "keypoint_threshold: expected a number from 0(.0)? to 1(.0)?, got None"),
    ({"class_count": 0}, "class_count: expected an integer from 1 to 65535, got 0"),
    ({"class_count": 1.0}, "class_count: expected an integer from 1 to 65535, got 1.0"),
    ({"score_type": "sigmoid"}, "score_type: expected 'probability', 'logit', 'missing' or None, got 'sigmoid'"),
    ({"threshold": 2}, "threshold: expected a number from 0(.0)? to 1(.0)?, got 2"),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS)
def test_option_out_of_range_raises_in_the_constructor(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        n6post.YoloV8Pose(**options)


HEAD = "expected a head of 4 box channels,"


@pytest.mark.parametrize(
    ("keypoint_count", "options", "message"),
    [
        (17, {"class_count": 2}, f"{HEAD} 2 classes and 3 for each keypoint, got 56 channels in output 0: .*"),
        (17, {"labels": ["cat", "dog"]}, f"{HEAD} 2 classes and 3 for each keypoint, got 56 channels in output 0: .*"),
        (2, {"class_count": 10}, f"{HEAD} 10 classes and 3 for each keypoint, got 11 channels in output 0: .*"),
    ],
)
def test_channels_that_are_not_whole_keypoints_are_refused(
    keypoint_count: int, options: dict[str, Any], message: str
) -> None:
    head, _ = people(keypoint_count, 1, 10)
    with pytest.raises(ValueError, match=f"^{message}$"):
        FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Pose(**options))


@pytest.mark.parametrize("channels", [4, 5, 6, 7, 9, 10])
def test_channels_between_whole_keypoints_are_refused(channels: int) -> None:
    head = np.random.default_rng(0).random((1, channels, 84)).astype(np.float32)
    with pytest.raises(ValueError, match=f"^{HEAD} 1 class and 3 for each keypoint, got {channels} channels in output 0: "):
        FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Pose())


@pytest.mark.parametrize(("keypoint_count", "label"), [(17, "person"), (5, "0")])
def test_one_class_with_17_keypoints_is_a_person(keypoint_count: int, label: str) -> None:
    head = np.zeros((1, 5 + 3 * keypoint_count, 84), dtype=np.float32)
    head[0, :5, 40] = (0.5, 0.5, 0.4, 0.4, 0.9)
    (found,) = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Pose())
    assert found.label == label


# --- for the tests of all families: see family_cases.py ---
def three_poses() -> FakeModel:
    """One class and three keypoints or, with class_count=4, four classes and two."""
    rows = [0.3, 12, 0.4, 20, 30, 0.9, 25, 31, 0.8]
    boxes = {0.9: (8, 8, 40, 40), 0.8: (10, 8, 42, 40), 0.5: (30, 44, 62, 60)}
    found = [Thing(9 + i, box, {0: score}, rows) for i, (score, box) in enumerate(boxes.items())]
    return FakeModel([Tensor(float_head(SIZE, 1, found, extra=9))], SIZE)


def three_classes() -> FakeModel:
    return FakeModel([Tensor(float_head(SIZE, 3, four_things(3)[:3], extra=3))], SIZE, ["a", "b", "c"])


FAMILY_CASES = FamilyCases(
    options={
        **option_cases(three_poses, class_count=1),
        "classes": OptionCase(None, [1], ((), [-1], 0), three_classes),
        "class_agnostic": OptionCase(False, True, (1, None, "no"), three_classes),
        "keypoint_threshold": OptionCase(0.5, 0.85, (-0.1, 1.1, NAN, None), three_poses),
        "class_count": OptionCase(None, 4, (0, 1.5, "1"), three_poses),
        "score_type": OptionCase(None, "logit", ("sigmoid", 1), three_poses),
    },
    frames={
        "YoloV8Pose": FrameCase(lambda: n6post.YoloV8Pose(0.3), poser, lambda: poser(17), ("labels", None, ["sitter\r"])),
        "YoloV8Pose split": FrameCase(
            lambda: n6post.YoloV8Pose(0.3), split_poser, lambda: split_poser(17), ("labels", None, ["sitter\r"])
        ),
    },
    examines_numbers=True,
)
