"""lib/n6post/families/anchors/blazeface.py: MediaPipe's results on recorded outputs, every form of outputs, options, errors.

The recorded outputs of BlazePalm and BlazePose are decoded here as well; test_blazepalm.py and test_blazepose.py have the
rest of these families.
"""

from __future__ import annotations

from typing import Any

import image
import mediapipe_reference as mp
import n6post
import numpy as np
import pytest
import reference
from assertions import assert_rect, assert_well_formed, says
from fakes import FakeModel, Framed, Tensor, camera_floats, stretched
from family_cases import FamilyCases, FrameCase, OptionCase
from mediapipe_reference import SETTINGS, Found, three_faces, two_faces

NAN = float("nan")
ROI = (100, 50, 400, 400)
EXPECTED = (
    "expected boxes [1, 512, 16] and [1, 384, 16] with scores [1, 512, 1] and [1, 384, 1], or boxes [1, N, 16] with scores "
    "[1, N, 1] and N = 896 or 2304, and an input that their maps divide, got "
)
Setting = tuple[float, float, bool]


def processor(setting: Setting, family: str = "BlazeFace", **options: Any) -> Any:
    threshold, iou_threshold, blended = setting
    make = getattr(n6post, family)
    return make(threshold, iou_threshold=iou_threshold, blend_boxes=blended, max_candidates=3000, **options)


def assert_found(
    found: Any, expected: Found, size: int, roi: tuple[int, int, int, int] = ROI, fit: str = "stretch", reach: int = 0
) -> None:
    """The detections equal the expected ones, clipped to the roi; those without a pixel in it are missing.

    reach   how many times the width and height of the roi keypoints may be outside of it
    """
    assert_well_formed(found, roi, 500)
    corners = reference.to_frame(expected.box.reshape(-1, 2, 2), fit, (size, size), roi).reshape(-1, 4)
    points = reference.to_frame(expected.keypoints, fit, (size, size), roi)
    seen = np.flatnonzero(reference.has_pixels(corners, roi))
    np.testing.assert_allclose([d.score for d in found], expected.score[seen], rtol=1e-6)
    beyond = reach * np.array(roi[2:])
    least, most = np.array(roi[:2]) - beyond, np.array(roi[:2]) + roi[2:] + beyond
    for d, i in zip(found, seen, strict=True):
        assert_rect(d.rect, corners[i], roi)
        keypoints = np.array(d.keypoints.tolist())
        np.testing.assert_allclose(keypoints[:, :2], np.clip(points[i], least, most), atol=2e-3)
        inside = (points[i] > roi[:2]).all(axis=1) & (points[i] < np.array(roi[:2]) + roi[2:]).all(axis=1)
        assert (keypoints[:, 2] == (inside if reach else 1)).all()


# --- MediaPipe ---
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("case", mp.cases())
def test_recorded_outputs_give_the_detections_of_mediapipe(case: str, setting: Setting) -> None:
    about = mp.described(case)
    expected = mp.found_by_mediapipe(case, setting)
    assert len(expected.score) >= (2 if about["family"] == "BlazePose" else 4)
    for dtype, tensors in mp.every_dtype(mp.tensors_of(case)).items():
        model = FakeModel(tensors, (about["size"],) * 2)
        found = model.run(processor(setting, about["family"]), stretched(ROI))
        print(case, setting, dtype, [d.rect for d in found])
        assert_found(found, expected, about["size"], reach=int(about["family"] == "BlazePose"))


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("case", mp.cases())
def test_the_reference_of_these_tests_equals_mediapipe(case: str, setting: Setting) -> None:
    size = mp.described(case)["size"]
    expected = mp.found_by_mediapipe(case, setting)
    found = mp.decoded(*mp.joined(mp.tensors_of(case)), size, *setting)
    np.testing.assert_allclose(found.score, expected.score, rtol=1e-6)
    for ours, theirs in ((found.box, expected.box), (found.keypoints, expected.keypoints)):
        np.testing.assert_allclose(ours, theirs, atol=1e-3)


# --- outputs of every form ---
FORMS = [(896, 128), (896, 256), (2304, 192)]


@pytest.mark.parametrize("blended", [True, False])
@pytest.mark.parametrize(("anchors", "size"), FORMS)
def test_random_outputs_of_every_dtype_and_order_are_decoded(anchors: int, size: int, blended: bool) -> None:
    boxes, scores = mp.random_outputs(anchors + size, anchors, 6)
    tensors = [mp.quantized(boxes), mp.quantized(scores[:, None], distinct=True)]
    setting = (0.4, 0.3, blended)
    expected = mp.decoded(*mp.joined(tensors), size, *setting)
    assert len(expected.score) > 15
    for same in mp.every_dtype(tensors).values():
        for order in (same, same[::-1]):
            found = FakeModel(order, (size, size)).run(processor(setting, max_detections=500), stretched(ROI))
            assert_found(found, expected, size)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_a_scale_and_a_place_of_its_own_for_each_output(order: tuple[int, ...]) -> None:
    boxes, scores = mp.random_outputs(5, 896, 6)
    parts = mp.split(Tensor(boxes[None]), 896) + mp.split(Tensor(scores[None, :, None]), 896)
    tensors = [mp.quantized(part.values[0] * (1 + i / 5), distinct=i > 1) for i, part in enumerate(parts)]
    expected = mp.decoded(*mp.joined(tensors), 128, 0.4, 0.3, True)
    tensors = [tensors[i] for i in order]
    mixed = [one.dequantized() if i % 2 else one.as_uint8() for i, one in enumerate(tensors)]
    # Of equal scores of two maps, the finer map comes first, as in the reference.
    for same in (tensors, mixed):
        found = FakeModel(same, (128, 128)).run(processor((0.4, 0.3, True), max_detections=500), stretched(ROI))
        assert_found(found, expected, 128)


def test_outputs_may_be_maps_or_lack_the_last_dimension() -> None:
    boxes, scores = mp.random_outputs(6, 896, 6)
    tensors = [Tensor(boxes[None].astype(np.float32)), Tensor(scores[None, :, None].astype(np.float32))]
    run = processor((0.4, 0.3, True))
    expected = [d.rect for d in FakeModel(tensors, (128, 128)).run(run, Framed(ROI))]
    parts = [one for tensor in tensors for one in mp.split(tensor, 896)]
    maps = [mp.as_map(one, cells) for one, cells in zip(parts, (16, 8, 16, 8), strict=True)]
    flat = [tensors[0], Tensor(tensors[1].values[..., 0].copy())]
    for same in (parts, maps, [maps[0], parts[1], maps[3], parts[2]], flat):
        assert [d.rect for d in FakeModel(same, (128, 128)).run(run, Framed(ROI))] == expected


@pytest.mark.parametrize("fit", ["crop", "letterbox"])
def test_boxes_and_keypoints_are_mapped_back_and_clipped_to_the_roi(fit: str) -> None:
    boxes, scores = mp.random_outputs(7, 896, 6)
    tensors = [Tensor(boxes[None].astype(np.float32)), Tensor(scores[None, :, None].astype(np.float32))]
    roi = (40, 30, 500, 250)
    source = getattr(n6post, fit.capitalize())(image.Image(640, 480, image.RGB565), roi=roi)
    found = FakeModel(tensors, (128, 128)).run(processor((0.4, 0.3, True), max_detections=500), source)
    expected = mp.decoded(*mp.joined(tensors), 128, 0.4, 0.3, True)
    assert_found(found, expected, 128, roi, fit)
    assert len(found) < len(expected.score) or fit == "crop", "boxes in the bars are dropped"


def test_the_short_range_network_takes_any_input_that_its_maps_divide() -> None:
    model = FakeModel(two_faces().tensors, (256, 128))
    left, right = model.run(n6post.BlazeFace(blend_boxes=False), Framed((0, 0, 256, 128)))
    # 4.5 cells of 16 x 8 pixels; boxes of 40 pixels.
    assert left.rect == (4.5 * 16 - 20, 3.5 * 8 - 20, 40, 40)
    assert right.rect[0] == 11.5 * 16 - 20


# --- results ---
def test_a_face_has_six_keypoints_with_names() -> None:
    face, _ = two_faces().run(n6post.BlazeFace(blend_boxes=False), Framed((0, 0, 128, 128)))
    assert (face.label, face.class_id, face.mask) == ("face", 0, None)
    assert face.keypoint("right eye") == (4.5 * 8 - 5, 3.5 * 8 - 4, 1)
    assert face.keypoint("left_ear") == (4.5 * 8 + 5, 3.5 * 8 + 6, 1)
    assert n6post.keypoint_names(6) == ["right eye", "left eye", "nose tip", "mouth", "right ear", "left ear"]


def test_labels_come_from_the_option_the_model_or_the_family() -> None:
    model = two_faces()
    assert {d.label for d in model.run(n6post.BlazeFace())} == {"face"}
    named = FakeModel(model.tensors, model.size, ["visage"])
    assert {d.label for d in named.run(n6post.BlazeFace())} == {"visage"}
    assert {d.label for d in named.run(n6post.BlazeFace(labels=["Gesicht"]))} == {"Gesicht"}
    with pytest.raises(ValueError, match=says("expected 1 labels, one per class, got 2")):
        model.run(n6post.BlazeFace(labels=["a", "b"]))


def test_only_so_many_detections_are_returned() -> None:
    model = two_faces(third=3.0)
    assert [len(model.run(n6post.BlazeFace(max_detections=most))) for most in (1, 2, 3, 20)] == [1, 2, 3, 3]


@pytest.mark.parametrize("most", [1, 7, 30, 60])
@pytest.mark.parametrize("parted", [False, True])
def test_the_best_candidates_of_all_maps_enter_suppression(parted: bool, most: int) -> None:
    boxes, scores = mp.random_outputs(8, 896, 6, 0.2)
    tensors = [Tensor(boxes[None].astype(np.float32)), Tensor(scores[None, :, None].astype(np.float32))]
    cut = np.sort(scores)[-most]
    assert cut > 0
    expected = mp.decoded(boxes, np.where(scores >= cut, scores, -20), 128, 0.4, 0.3, True)
    if parted:
        tensors = [one for tensor in tensors for one in mp.split(tensor, 896)]
    run = n6post.BlazeFace(0.4, max_candidates=most, max_detections=500)
    assert_found(FakeModel(tensors, (128, 128)).run(run, stretched(ROI)), expected, 128)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "float32"])
def test_a_score_equal_to_the_threshold_passes_and_the_next_does_not(dtype: str) -> None:
    boxes = np.zeros((1, 896, 16), np.float32)
    boxes[0, 40:43, 2:4] = 20
    for step in range(-100, 120, 9):
        steps = np.full((1, 896, 1), -128, np.int8)
        steps[0, 40, 0], steps[0, 600, 0] = step, step - 1
        tensor = mp.every_dtype([Tensor(steps, 0.0369, 9)])[dtype][0]
        threshold = float(1 / (1 + np.exp(-0.0369 * (step - 9))))
        # Integers are compared exactly. The float32 score of a float output may be a little less than the number itself.
        exact = dtype != "float32"
        for value in (threshold, *camera_floats(threshold)) if exact else (threshold * (1 - 1e-6),):
            found = FakeModel([tensor, Tensor(boxes)], (128, 128)).run(n6post.BlazeFace(value))
            assert [d.score for d in found] == [pytest.approx(threshold, rel=1e-6)]


def test_a_threshold_of_1_is_reached_by_a_saturated_sigmoid_only() -> None:
    for logit, count in ((12.0, 0), (16.4, 0), (16.8, 1)):
        model = two_faces(third=logit)
        boxes, scores = model.tensors
        for stored in (scores, Tensor(np.round(scores.values / 0.4).astype(np.int8), 0.4, 0)):
            found = FakeModel([boxes, stored], (128, 128)).run(n6post.BlazeFace(1.0))
            assert len(found) == count


def test_nan_and_infinite_numbers_never_pass_or_spread() -> None:
    model = two_faces()
    boxes, scores = (tensor.values for tensor in model.tensors)
    scores[0, 400:500, 0] = np.nan
    plain = [d.rect for d in model.run(n6post.BlazeFace())]
    assert len(plain) == 2
    for bad in (np.nan, np.inf, -np.inf):
        at = 700
        boxes[0, at], scores[0, at, 0] = bad, 5.0
        with np.errstate(invalid="ignore"):
            found = model.run(n6post.BlazeFace())
        assert [d.rect for d in found if d.rect in plain] == plain
        for d in found:
            assert not np.isnan(d.keypoints.tolist()).any()


def test_a_box_of_negative_width_is_dropped_and_blends_with_none() -> None:
    model = two_faces()
    plain = [d.rect for d in model.run(n6post.BlazeFace())]
    boxes, scores = (tensor.values for tensor in model.tensors)
    at = (3 * 16 + 5) * 2 + 1
    boxes[0, at, 2], scores[0, at, 0] = -30, 4.0
    assert [d.rect for d in model.run(n6post.BlazeFace())] == plain


# --- errors ---
@pytest.mark.parametrize(
    "shapes",
    [
        [(1, 896, 16), (1, 896, 2)],
        [(1, 16, 896), (1, 896, 1)],  # transposed
        [(1, 896, 18), (1, 896, 1)],
        [(1, 2016, 18), (1, 2016, 1)],  # palms
        [(1, 512, 16), (1, 512, 1)],
        [(1, 512, 16), (1, 384, 16), (1, 512, 1), (1, 512, 1)],
        [(1, 2304, 16), (1, 2304, 1), (1, 2304, 1), (1, 1, 1)],
        [(1, 14336), (1, 896)],
    ],
)
def test_outputs_of_another_family_are_refused(shapes: list[tuple[int, ...]]) -> None:
    model = FakeModel([Tensor(np.zeros(shape, np.float32)) for shape in shapes], (128, 128))
    got = ", ".join(str(shape) for shape in shapes)
    message = f"{EXPECTED}{got} and an input of (width, height) (128, 128)"
    with pytest.raises(ValueError, match=says(message)):
        model.run(n6post.BlazeFace())


@pytest.mark.parametrize("count", [1, 3, 5])
def test_another_number_of_outputs_is_refused(count: int) -> None:
    model = FakeModel([Tensor(np.zeros((1, 896, 16), np.float32))] * count, (128, 128))
    with pytest.raises(ValueError, match=rf"^expected 4 outputs \(boxes .+\), got {count}$"):
        model.run(n6post.BlazeFace())


@pytest.mark.parametrize("size", [(120, 128), (128, 100), (224, 300)])
def test_an_input_that_the_maps_do_not_divide_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"an input that their maps divide, got .+ \(width, height\) \(\d+, \d+\)$"):
        FakeModel(two_faces().tensors, size).run(n6post.BlazeFace())


# --- matching ---
@pytest.mark.parametrize("case", mp.cases())
def test_load_finds_the_family_of_recorded_outputs(case: str) -> None:
    about = mp.described(case)
    model = FakeModel(mp.tensors_of(case), (about["size"],) * 2)
    made = n6post.processor_for(model, threshold=0.4)
    assert type(made).__name__ == about["family"]
    labels = {"BlazeFace": "face", "BlazePalm": "palm", "BlazePose": "person"}
    assert model.run(made, Framed(ROI))[0].label == labels[about["family"]]


FAMILY_CASES = FamilyCases(
    options={
        "threshold": OptionCase(0.5, 0.9, (-0.1, 1.1, NAN, None, "0.5"), two_faces),
        "iou_threshold": OptionCase(0.3, 0.95, (-0.1, 1.1, NAN, None), two_faces),
        "blend_boxes": OptionCase(True, False, (1, None, "no"), two_faces),
        "max_detections": OptionCase(20, 1, (0, -1, 65536, 1.5, None), two_faces),
        "max_candidates": OptionCase(100, 1, (0, -1, 65536, 1.5, None), two_faces),
        "labels": OptionCase(None, ["visage"], ("abc", [], [1]), two_faces),
    },
    frames={
        "BlazeFace": FrameCase(n6post.BlazeFace, two_faces, three_faces, ("blend_boxes", True, False)),
    },
)
