"""lib/n6post/models/alignment.py: skimage's and numpy's fits are the judge, and what the crops of a Pipeline show."""

from __future__ import annotations

from math import cos, radians, sin
from typing import Any

import n6post
import numpy as np
import pytest
import recorded_oriented_boxes
from fakes import Array, FakeModel
from n6post.models import alignment
from n6post.models.region import Region
from skimage.transform import SimilarityTransform
from test_pipeline import Detector, Second, box, picture, ulab_array

# As insightface publishes it (python-package/insightface/utils/face_align.py).
ARCFACE = np.array([[38.2946, 51.6963], [73.5318, 51.5014], [56.0252, 71.7366], [41.5493, 92.3655], [70.7299, 92.2041]])


def turned(points: Array, angle: float, scale: float, to: tuple[float, float]) -> Array:
    c, s = cos(radians(angle)), sin(radians(angle))
    return points @ np.array([[c, s], [-s, c]]) * scale + to


def to_crop(region: tuple[float, ...], size: tuple[int, int], points: Array) -> Array:
    """Where frame pixels lie in the crop that a Region makes, from the place that it gives each pixel of the crop."""
    crop = Region(picture(), *region[:6], size, region[6])
    (x, y), (ax, ay, bx, by) = crop._start, crop._steps
    return (points + 0.5 - [x, y]) @ np.linalg.inv(np.array([[ax, ay], [bx, by]]))


@pytest.mark.parametrize("size", [(112, 112), (224, 224), (96, 112)])
def test_a_face_lies_where_skimages_similarity_transform_puts_it(size: tuple[int, int]) -> None:
    random = np.random.default_rng(0)
    scale = size[1] / 112
    template = ARCFACE * scale + [(size[0] - size[1]) / 2, 0]
    for angle in (0, 20, -35, 90, 180, 250):
        face = turned(ARCFACE - 56, angle, random.uniform(0.3, 2.5), (200, 150)) + random.normal(0, 3, (5, 2))
        fit = SimilarityTransform.from_estimate(face, template)
        region = alignment.of_face([[x, y, 1.0] for x, y in face.tolist()], size)
        assert region is not None
        anywhere = random.uniform(0, 400, (20, 2))
        np.testing.assert_allclose(to_crop(region, size, anywhere), fit(anywhere), atol=1e-6)


def test_a_face_with_six_keypoints_is_aligned_by_eyes_nose_and_mouth() -> None:
    """The mouth is one keypoint: the middle of ArcFace's two. The ears say nothing."""
    four = np.vstack([ARCFACE[:3], ARCFACE[3:].mean(axis=0)])
    face = turned(four, 30, 1.7, (90, 40)) + np.random.default_rng(1).normal(0, 2, (4, 2))
    fit = SimilarityTransform.from_estimate(face, four)
    for ears in (0.0, 400.0):
        region = alignment.of_face([[x, y, 1.0] for x, y in [*face.tolist(), [ears, 5], [9, ears]]], (112, 112))
        assert region is not None
        np.testing.assert_allclose(to_crop(region, (112, 112), face), fit(face), atol=1e-3)


def test_keypoints_in_one_place_have_no_region() -> None:
    assert alignment.of_face([[7.0, 7.0, 1.0]] * 5, (112, 112)) is None
    assert alignment.of_corners([[7.0, 7.0]] * 4) is None


def test_corners_become_the_corners_of_the_crop() -> None:
    """Those of a parallelogram exactly; of others the affine map of least squares, as numpy finds it."""
    random = np.random.default_rng(2)
    size = 94, 24
    wanted = np.array([[0, 0], [94, 0], [94, 24], [0, 24]]) - 0.5
    for angle in (0, 15, -40, 90, 170):
        plate = turned(np.array([[-60, -16], [60, -10], [66, 16], [-54, 10.0]]), angle, 1.0, (240, 200))
        for corners in (plate, plate + random.normal(0, 2, (4, 2))):
            region = alignment.of_corners([[x, y, 1.0] for x, y in corners.tolist()])
            assert region is not None
            source = np.column_stack([wanted, np.ones(4)])
            affine = np.linalg.lstsq(source, corners - 0.5, rcond=None)[0]
            found = to_crop(region, size, source @ affine)
            np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_results_go_back_to_the_corners_of_the_frame() -> None:
    corners = [[60.0, 40.0], [160.0, 60.0], [170.0, 100.0], [70.0, 80.0]]  # a parallelogram
    region = alignment.of_corners(corners)
    assert region is not None
    crop = Region(picture(300, 200), *region[:6], (94, 24), region[6])
    ends = ulab_array([[0, 0, 1], [94, 0, 1], [94, 24, 1], [0, 24, 1]])
    found = crop.to_frame(box(0, 0, 94, 24, ends), (300, 200))
    assert found is not None
    np.testing.assert_allclose(np.array(found.keypoints.tolist())[:, :2], corners, atol=1e-3)


def test_corners_in_the_wrong_order_have_no_region() -> None:
    corners = [[0.0, 0.0], [90.0, 5.0], [90.0, 30.0], [0.0, 25.0]]
    assert alignment.of_corners(corners)
    assert alignment.of_corners(corners[::-1]) is None


def test_an_oriented_box_is_upright_whatever_corner_is_its_first() -> None:
    """Up to 89 degrees. The corners are those of n6post's kernel, from any of them on, in both directions."""
    for angle in range(-89, 90):
        long_side = turned(np.array([[-60, -16], [60, -16], [60, 16], [-60, 16.0]]), angle, 1.0, (240, 200)).tolist()
        for size, expected in (((94, 24), angle), ((24, 94), angle - 90 if angle > 0 else angle + 90)):
            for corners in (long_side, long_side[::-1]):
                for start in range(4):
                    region = alignment.of_oriented(corners[start:] + corners[:start], size)
                    assert region is not None
                    x, y, w, h, c, s, lean = region
                    assert (x, y, lean) == pytest.approx((240, 200, 0), abs=1e-6)
                    assert (w, h) == pytest.approx((120, 32) if size[0] > size[1] else (32, 120))
                    if angle:  # else the crop of a high input may be turned to either side
                        assert (c, s) == pytest.approx((cos(radians(expected)), sin(radians(expected))))


@pytest.mark.parametrize("case", [case for case in recorded_oriented_boxes.cases() if "end" not in case][:4])
def test_every_box_of_an_oriented_network_is_cut(case: str) -> None:
    tensors = list(recorded_oriented_boxes.outputs(case).values())
    found = FakeModel(tensors, recorded_oriented_boxes.SIZE).run(n6post.YoloV8Obb(0.2), n6post.Stretch(picture()))
    assert len(found) > 1
    second = Second("text", size=(94, 24))
    pipeline = n6post.Pipeline(Detector(found), second, align="corners", max_detections=100)
    assert [d.result for d in pipeline.predict(picture())] == ["text"] * len(found)
    for d, crop in zip(found, second.inputs, strict=True):
        w, h = crop._across * 94, crop._down * 24
        turn = np.cos(2 * (np.arctan2(crop._axes[1], crop._axes[0]) - radians(d.rotation)))
        assert w >= h and (turn == pytest.approx(1, abs=1e-3) or w < 1.02 * h)  # along the longer side, if there is one


# --- in a Pipeline ---
def five(angle: float = 0.0) -> Any:
    return ulab_array(np.column_stack([turned(ARCFACE - 56, angle, 1.5, (200, 150)), np.ones(5)]))


class Vectors(Second):
    """A network with the processor of embeddings, as n6post.load or ml.Model attach it."""

    def __init__(self, loaded: bool, size: tuple[int, int] = (112, 112)) -> None:
        super().__init__(ulab_array([0.0, 1.0]), size=size)
        embedding = n6post.Embedding()
        self.postprocess = type("Deferred", (), {"processor": embedding})() if loaded else embedding


def seen(second: Second, face: Array) -> Array:
    crop = second.inputs[-1]
    (x, y), (ax, ay, bx, by) = crop._start, crop._steps
    return (face + 0.5 - [x, y]) @ np.linalg.inv(np.array([[ax, ay], [bx, by]]))


@pytest.mark.parametrize("loaded", [False, True])
def test_faces_are_aligned_for_an_embedding_without_being_asked(loaded: bool) -> None:
    for angle in (0.0, 25.0, -70.0):
        second = Vectors(loaded)
        pipeline = n6post.Pipeline(Detector([box(150, 100, 100, 100, five(angle))]), second)
        (face,) = pipeline.predict(picture())
        assert face.result.tolist() == [0, 1]
        np.testing.assert_allclose(seen(second, np.array(five(angle).tolist())[:, :2]), ARCFACE, atol=1e-3)
        # The first three keypoints of BlazeFace are YuNet's; its fourth is the middle of the mouth.
        points = np.array(five(angle).tolist())
        six = ulab_array(np.vstack([points[:3], points[3:].mean(axis=0), points[:2]]))
        n6post.Pipeline(Detector([box(150, 100, 100, 100, six)]), second).predict(picture())
        np.testing.assert_allclose(seen(second, points[:, :2]), ARCFACE, atol=1e-3)


@pytest.mark.parametrize("wrong", [float("nan"), 1e6])
def test_a_face_without_a_place_is_not_looked_at(wrong: float) -> None:
    points = np.array(five().tolist())
    points[2, 0] = wrong
    second = Vectors(False)
    pipeline = n6post.Pipeline(Detector([box(150, 100, 100, 100, ulab_array(points))]), second)
    assert pipeline.predict(picture()) == [] and not second.inputs and len(pipeline.skipped) == 1


def test_a_plate_whose_corners_are_in_the_wrong_order_is_not_looked_at() -> None:
    second = Second("text", size=(94, 24))
    corners = ulab_array([[100.0, 100, 1], [100, 130, 1], [200, 130, 1], [200, 100, 1]])
    pipeline = n6post.Pipeline(Detector([box(100, 100, 100, 30, corners)]), second, align="corners")
    assert pipeline.predict(picture()) == [] and not second.inputs and len(pipeline.skipped) == 1


def test_nothing_is_aligned_if_crops_must_not_be_rotated() -> None:
    second = Vectors(False)
    n6post.Pipeline(Detector([box(150, 100, 100, 100, five(30))]), second, rotate=False).predict(picture())
    assert second.inputs[0]._axes == (1.0, 0.0) and second.inputs[0]._across * 112 == pytest.approx(150)


def test_other_networks_get_the_face_with_its_margin() -> None:
    second = Second(ulab_array([0.0, 1.0]), size=(112, 112))
    n6post.Pipeline(Detector([box(150, 100, 100, 100, five())]), second).predict(picture())
    assert second.inputs[0]._across * 112 == pytest.approx(150)
    aligned = Second(ulab_array([0.0, 1.0]), size=(112, 112))
    n6post.Pipeline(Detector([box(150, 100, 100, 100, five())]), aligned, align="face").predict(picture())
    np.testing.assert_allclose(seen(aligned, np.array(five().tolist())[:, :2]), ARCFACE, atol=1e-3)
    boxed = Vectors(False)
    n6post.Pipeline(Detector([box(150, 100, 100, 100, five())]), boxed, align="box", margin=1.0).predict(picture())
    assert boxed.inputs[0]._across * 112 == pytest.approx(100)


def test_a_margin_enlarges_an_aligned_region_around_its_middle() -> None:
    second = Vectors(False)
    face = np.array(five(30).tolist())[:, :2]
    n6post.Pipeline(Detector([box(150, 100, 100, 100, five(30))]), second, margin=2.0).predict(picture())
    np.testing.assert_allclose(seen(second, face), (ARCFACE - 55.5) / 2 + 55.5, atol=1e-3)


def test_a_margin_enlarges_a_leaning_region_too() -> None:
    second = Second("text", size=(94, 24))
    corners = np.array([[100.0, 100], [220, 120], [240, 160], [120, 140]])
    plate = box(100, 100, 140, 60, ulab_array(np.column_stack([corners, np.ones(4)])))
    n6post.Pipeline(Detector([plate]), second, align="corners", margin=2.0).predict(picture())
    wanted = np.array([[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]]) * [94, 24] - 0.5
    np.testing.assert_allclose(seen(second, corners - 0.5), wanted, atol=1e-3)


def plate_picture(corners: Array) -> Any:
    """A frame in which the quarters of a parallelogram are red, green, blue and white."""
    img = picture()
    pixels: Array = np.frombuffer(img.bytearray(), "<u2").reshape(480, 480)
    y, x = np.mgrid[:480, :480] + 0.5
    axes = np.array([corners[1] - corners[0], corners[3] - corners[0]])
    u, v = np.moveaxis((np.dstack([x, y]) - corners[0]) @ np.linalg.inv(axes), 2, 0)
    inside = (u > 0) & (u < 1) & (v > 0) & (v < 1)
    colors = np.array([[0xF800, 0x07E0], [0x001F, 0xFFFF]], np.uint16)
    pixels[inside] = colors[(v > 0.5).astype(int), (u > 0.5).astype(int)][inside]
    return img


@pytest.mark.parametrize("oriented", [False, True])
def test_a_plate_with_four_corners_is_cut_straight(oriented: bool) -> None:
    corners = turned(np.array([[-60, -16], [60, -16], [60, 16], [-60, 16.0]]), 20, 1.0, (240, 200))
    if not oriented:
        corners += [[-6, 0], [-6, 0], [6, 0], [6, 0]]  # it leans, too
    keypoints = None if oriented else ulab_array(np.column_stack([corners, np.ones(4)]))
    plate = box(170, 150, 140, 100, keypoints)
    if oriented:
        plate = plate.replace(corners=[tuple(point) for point in corners.tolist()])
    read: list[Array] = []

    def network(crop: Any) -> Any:
        tensor = bytearray(94 * 24 * 3)
        crop(tensor, (1, 24, 94, 3), 66)
        read.append(np.frombuffer(bytes(tensor), np.uint8).reshape(24, 94, 3).copy())
        return "AB 123"

    pipeline = n6post.Pipeline(Detector([plate]), Second(network, size=(94, 24)), align="corners")
    (found,) = pipeline.predict(plate_picture(corners))
    assert found.result == "AB 123" and pipeline.results == ["AB 123"]
    quarters = [[(255, 0, 0), (0, 255, 0)], [(0, 0, 255), (255, 255, 255)]]
    for row, colors in zip((slice(2, 10), slice(14, 22)), quarters):
        for column, color in zip((slice(4, 43), slice(51, 90)), colors):
            assert np.abs(read[0][row, column].astype(int) - color).max() < 12


def test_a_detection_without_corners_is_cut_as_its_box() -> None:
    second = Second("text", size=(96, 96))
    pipeline = n6post.Pipeline(Detector([box(200, 100, 40, 100)]), second, align="corners")
    pipeline.predict(picture())
    assert second.inputs[0]._across * 96 == pytest.approx(125)


def test_align_is_checked_when_it_is_given() -> None:
    with pytest.raises(ValueError, match="align"):
        n6post.Pipeline(Detector([]), Second([]), align="template")
    pipeline = n6post.Pipeline(Detector([]), Second([]))
    assert pipeline.align is None
