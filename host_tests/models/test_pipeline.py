"""lib/n6post/models/pipeline.py and region.py: regions, following, rotation, and MediaPipe's landmarks as the judge."""

from __future__ import annotations

from math import atan2, cos, degrees, hypot, pi, radians, sin
from types import SimpleNamespace
from typing import Any

import image
import n6post
import numpy as np
import pytest
import recorded_landmarks as recorded
import test_memory
from assertions import says
from fakes import Array, FakeModel, Tensor, noise
from n6post.models import pipeline as lib
from n6post.models import region as region_lib
from n6post.models.region import Region
from n6post.results.detection import detection_from
from ulab import _host

Detection = n6post.Detection


def ulab_array(values: Any) -> Any:
    return _host.wrap(np.ascontiguousarray(values, np.float32))


def points_of(detection: Any) -> Array:
    return np.array(detection.keypoints.tolist())


class Detector:
    """A model that returns the next of these lists, and the last one again and again. It notes its inputs."""

    def __init__(self, *answers: list[Any]) -> None:
        self.answers = list(answers)
        self.inputs: list[Any] = []

    def predict(self, inputs: list[Any]) -> list[Any]:
        self.inputs += inputs
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class Second(Detector):
    """A second model; `answers` are its results, or functions of the crop."""

    def __init__(self, *answers: Any, size: tuple[int, int] = (96, 96)) -> None:
        super().__init__(*answers)
        self.input_shape = ((1, size[1], size[0], 3),)

    def predict(self, inputs: list[Any]) -> Any:
        answer = super().predict(inputs)
        return answer(inputs[0]) if callable(answer) else answer


class Played(Second):
    """A network whose outputs were recorded, with its processor."""

    def __init__(self, kind: str, frames: list[recorded.Frame]) -> None:
        super().__init__([], size=recorded.SIZES[kind])
        self.frames = frames
        self.processor = n6post.HandLandmarks() if kind == "hand" else n6post.FaceLandmarks()
        self.kind = kind

    def predict(self, inputs: list[Any]) -> Any:
        self.inputs += inputs
        frame = self.frames[min(len(self.inputs), len(self.frames)) - 1]
        return recorded.model(self.kind, frame.tensors).run(self.processor, inputs[0])


def box(x: int, y: int, w: int, h: int, keypoints: Any = None, score: float = 0.9, label: str = "thing") -> Any:
    return Detection((x, y, w, h), score, 0, label, None, keypoints)


def region_of(crop: Any) -> list[float]:
    return [float(n) for n in (*crop._corner, crop._across, crop._down, *crop._axes)]


def picture(width: int = 480, height: int = 480) -> Any:
    return image.Image(width, height, image.RGB565)


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize(("scale", "numbers"), [(None, (0, 1)), ((-1, 1), (-1, 1)), ([0, 255], (0, 255))])
def test_a_second_model_of_floats_gets_pixels_in_its_scale(
    fast: bool, scale: Any, numbers: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lib, "are_fast", lambda: fast)
    img = picture()
    img.draw_rectangle((0, 0, 240, 480), color=(255, 255, 255), fill=True)
    second = Second([[]], size=(16, 16))
    n6post.Pipeline(Detector([box(200, 200, 80, 80)]), second, scale=scale, margin=1.0).predict(img)
    buffer = bytearray(4 * 16 * 16 * 3)
    second.inputs[0](buffer, (1, 16, 16, 3), ord("f"))
    values = np.frombuffer(buffer, np.float32).reshape(16, 16, 3)
    np.testing.assert_allclose([values[:, 12:].min(), values[:, :4].max()], numbers, atol=1e-5)


def test_faces_of_a_network_without_a_score_are_not_followed() -> None:
    """PFLD returns keypoints where no face is, too: it would be followed for ever."""
    values = np.random.default_rng(1).uniform(0.2, 0.8, (1, 136)).astype(np.float32)
    faces = [box(40, 50, 60, 70), box(300, 200, 90, 90)]
    pictures = [faces, [], faces[:1]]
    detector = SimpleNamespace(predict=lambda inputs: pictures.pop(0))
    network, process = FakeModel([Tensor(values)], (112, 112)), n6post.FacePoints()
    network.postprocess = process
    network.predict = lambda inputs: network.run(process, inputs[0])
    pipeline = n6post.Pipeline(detector, network, margin=1.1)
    for count in (2, 0, 1):
        found = pipeline.predict(picture())
        assert len(found) == count and pipeline.following == 0
    x, y, w, h = 70 - 38.5, 85 - 38.5, 77, 77  # a square, 1.1 times as high as the first face
    wanted = values.reshape(68, 2) * (w, h) + (x, y)
    np.testing.assert_allclose(points_of(found[0])[:, :2], wanted, atol=0.1)


# --- the judge ---
@pytest.mark.parametrize(("case", "network"), recorded.cases("hand") + recorded.cases("face"))
def test_keypoints_in_the_frame_are_mediapipes(case: str, network: str) -> None:
    kind = "hand" if recorded.index()[case]["handedness"] else "face"
    rect, keypoints = recorded.detection(case, network)
    detector = Detector([box(*rect, ulab_array(keypoints))])
    frames = recorded.frames(case, network)
    second = Played(kind, frames)
    pipeline = n6post.Pipeline(detector, second, max_detections=1)
    judged = recorded.judged(case)
    size = np.ptp(judged, axis=0).max()
    for frame in frames:
        (found,) = pipeline.predict(picture())
        # Another region would need another recording. The outputs are rounded to 1/64 pixel.
        np.testing.assert_allclose(region_of(second.inputs[-1]), frame.region, atol=0.03)
        error = np.hypot(*(points_of(found)[:, :2] - judged).T) / size
        assert error.mean() < {"hand": 0.018, "face": 0.025}[kind]
        x, y, w, h = found.rect
        low, high = points_of(found)[:, :2].min(axis=0), points_of(found)[:, :2].max(axis=0)
        np.testing.assert_allclose([x, y, x + w, y + h], [*np.floor(low), *np.ceil(high)], atol=0)
        assert found.frame_size == (480, 480)
    assert len(detector.inputs) == 1 and pipeline.following == 1


def mediapipe_region(points: Array, start: Array, end: Array, target: float, scale: float, shift: float) -> list[float]:
    """HandLandmarksToRectCalculator and RectTransformationCalculator: center x, y, side and rotation."""
    rotation = target - atan2(-(end[1] - start[1]), end[0] - start[0])
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    turned = (points - middle) @ np.array([[cos(-rotation), sin(-rotation)], [-sin(-rotation), cos(-rotation)]])
    (u, v), (w, h) = (turned.min(axis=0) + turned.max(axis=0)) / 2, np.ptp(turned, axis=0)
    x = u * cos(rotation) - v * sin(rotation) + middle[0]
    y = u * sin(rotation) + v * cos(rotation) + middle[1]
    return [x - h * shift * sin(rotation), y + h * shift * cos(rotation), max(w, h) * scale, rotation]


@pytest.mark.parametrize("case", [case for case, network in recorded.cases("hand") if network == "rom"])
def test_next_region_of_a_hand_is_that_of_mediapipes_graph(case: str) -> None:
    points = recorded.judged(case)
    subset = points[[0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18]]
    end = ((points[5] + points[13]) / 2 + points[9]) / 2
    x, y, side, rotation = mediapipe_region(subset, points[0], end, pi / 2, 2.0, -0.1)
    keypoints = ulab_array(np.column_stack([points, np.ones(21)]))
    pipeline = n6post.Pipeline(Detector([]), Second([]))
    found = pipeline._region(box(0, 0, 9, 9, keypoints), None)
    np.testing.assert_allclose(found, [x, y, side, side, cos(rotation), sin(rotation), side, side, 0], atol=1e-2)


@pytest.mark.parametrize("case", [case for case, _ in recorded.cases("face")])
@pytest.mark.parametrize("turned", [0, 40, 90, 200])
def test_next_region_of_a_face_surrounds_all_its_landmarks(case: str, turned: int) -> None:
    """MediaPipe's graph takes the extent of all 468, upright along the eyes. Thirteen of them are enough, to a pixel."""
    points = recorded.judged(case)
    c, s = cos(radians(turned)), sin(radians(turned))
    points = points[:, :2] @ np.array([[c, s], [-s, c]]) + 300
    x, y, side, rotation = mediapipe_region(points, points[33], points[263], 0.0, 1.5, 0.0)
    keypoints = ulab_array(np.column_stack([points, np.ones(len(points))]))
    found = n6post.Pipeline(Detector([]), Second([]))._region(box(0, 0, 9, 9, keypoints), None)
    np.testing.assert_allclose(found[:4], [x, y, side, side], atol=1.5)
    np.testing.assert_allclose(found[4:6], [cos(rotation), sin(rotation)], atol=1e-4)


def test_first_region_of_a_palm_and_a_face_is_turned_as_mediapipes() -> None:
    for count, start, end, target, scale, shift in ((7, 0, 2, 90, 3.0, 0.4), (6, 0, 1, 0, 1.5, 0), (5, 0, 1, 0, 1.5, 0)):
        for angle in (0, 30, 135, -90, 180):
            keypoints = np.ones((count, 3))
            keypoints[start, :2] = 200, 150
            keypoints[end, :2] = 200 + 40 * cos(radians(angle)), 150 - 40 * sin(radians(angle))
            pipeline = n6post.Pipeline(Detector([]), Second([]))
            x, y, w, h, c, s = pipeline._region(box(160, 120, 60, 80, ulab_array(keypoints)), None)[:6]
            turn = radians(target - angle)
            np.testing.assert_allclose((c, s), (cos(turn), sin(turn)), atol=1e-6)
            assert (w, h) == (pytest.approx(80 * scale), pytest.approx(80 * scale))
            np.testing.assert_allclose((x, y), (190 + shift * 80 * sin(turn), 160 - shift * 80 * cos(turn)), atol=1e-4)
    pipeline.rotate = False
    assert pipeline._region(box(160, 120, 60, 80, ulab_array(keypoints)), None)[4:6] == (1.0, 0.0)


# --- following ---
def mesh(x: float, y: float, side: float = 60) -> Any:
    """A face mesh whose outermost points are in the corners of a square."""
    keypoints = np.ones((468, 3))
    keypoints[:, :2] = x, y
    for i, (u, v) in zip((10, 152, 234, 454, 33, 263), ((0, -1), (0, 1), (-1, 0), (1, 0), (-0.5, 0), (0.5, 0)), strict=True):
        keypoints[i, :2] = x + u * side / 2, y + v * side / 2
    return ulab_array(keypoints)


def crop_mesh(crop: Any) -> list[Any]:
    """What a network of 96 x 96 finds: a face in the middle of its input, two thirds as large."""
    return [box(16, 16, 64, 64, mesh(48, 48, 64), label="face")]


def test_detector_rests_while_all_objects_are_followed() -> None:
    faces = [box(100, 100, 60, 60), box(300, 200, 60, 60), box(20, 300, 60, 60)]
    detector, second = Detector(faces), Second(crop_mesh)
    pipeline = n6post.Pipeline(detector, second, max_detections=2)
    assert pipeline.following == 0
    for n in range(1, 6):
        found = pipeline.predict(picture())
        assert [d.center for d in found] == [(130, 130), (330, 230)]
        assert len(detector.inputs) == 1 and len(second.inputs) == 2 * n and pipeline.following == 2
    pipeline.reset()
    assert pipeline.following == 0
    pipeline.predict(picture())
    assert len(detector.inputs) == 2
    assert pipeline.results == []


def test_object_is_lost_when_the_second_model_reports_none() -> None:
    detector, second = Detector([box(100, 100, 60, 60)]), Second(crop_mesh, [], crop_mesh)
    pipeline = n6post.Pipeline(detector, second, max_detections=1)
    counts = [(len(pipeline.predict(picture())), pipeline.following, len(detector.inputs)) for _ in range(4)]
    assert counts == [(1, 1, 1), (0, 0, 1), (1, 1, 2), (1, 1, 2)]


def test_detector_runs_in_every_nth_frame_for_more_objects() -> None:
    for every, runs in ((1, 9), (3, 3), (100, 1)):
        detector = Detector([box(100, 100, 60, 60)])
        pipeline = n6post.Pipeline(detector, Second(crop_mesh), max_detections=2, detect_every=every)
        for _ in range(9):
            assert len(pipeline.predict(picture())) == 1
        assert len(detector.inputs) == runs
    detector = Detector([])
    pipeline = n6post.Pipeline(detector, Second(crop_mesh), detect_every=100)
    for n in range(1, 4):
        assert pipeline.predict(picture()) == [] and len(detector.inputs) == n, "nothing to follow"


def test_detection_of_a_followed_object_is_not_looked_at_twice() -> None:
    detector = Detector([box(100, 100, 60, 60)], [box(104, 98, 60, 60), box(300, 300, 60, 60), box(303, 299, 64, 64)])
    second = Second(crop_mesh)
    pipeline = n6post.Pipeline(detector, second, max_detections=9)
    assert len(pipeline.predict(picture())) == 1
    assert [d.center for d in pipeline.predict(picture())] == [(130, 130), (330, 330)]


def test_two_regions_that_meet_are_followed_as_one() -> None:
    places = iter([150, 150, 150, 190])  # x in the frame

    def moved(crop: Any) -> list[Any]:
        x = (next(places) - crop._corner[0]) / crop._across
        return [box(0, 0, 9, 9, mesh(float(x), 48, 64))]

    for following in (1, 2):
        detector = Detector([box(100, 100, 60, 60), box(150, 100, 60, 60)], [])
        pipeline = n6post.Pipeline(detector, Second(moved), max_detections=2)
        assert len(pipeline.predict(picture())) == 2 and pipeline.following == following
    close: Any = [(x, 100.0, 99.0, 99.0, 1.0, 0.0, 50.0, 50.0, 0.0) for x in (100.0, 110.0, 140.0)]
    assert lib._overlaps(close[1], close[:1]) and not lib._overlaps(close[2], close[:1])


def test_people_side_by_side_are_two_objects() -> None:
    people = [box(100, 100, 60, 200), box(165, 100, 60, 200)]
    pipeline = n6post.Pipeline(Detector(people), Second([box(20, 10, 50, 80)]))
    assert len(pipeline.predict(picture())) == 2


def test_following_can_be_switched_off_and_needs_keypoints() -> None:
    detector = Detector([box(100, 100, 60, 60)])
    pipeline = n6post.Pipeline(detector, Second(crop_mesh), follow=False)
    second = Second([box(10, 10, 20, 20)])
    plain = n6post.Pipeline(Detector([box(100, 100, 60, 60)]), second)
    for n in range(1, 4):
        assert len(pipeline.predict(picture())) == 1 and len(detector.inputs) == n and pipeline.following == 0
        assert len(plain.predict(picture())) == 1 and len(plain.detector.inputs) == n


def test_only_one_object_of_a_crop_is_followed() -> None:
    second = Second(lambda crop: crop_mesh(crop) + crop_mesh(crop))
    pipeline = n6post.Pipeline(Detector([box(100, 100, 60, 60)]), second)
    assert len(pipeline.predict(picture())) == 2 and pipeline.following == 0


def test_a_followed_object_has_a_margin_of_its_own() -> None:
    second = Second(crop_mesh)
    pipeline = n6post.Pipeline(Detector([box(100, 100, 60, 60)]), second, margin=1.0, follow_margin=3.0, max_detections=1)
    for _ in range(2):
        pipeline.predict(picture())
    first, then = (one._across * 96 for one in second.inputs)
    assert (first, then) == pytest.approx((60, 60 * 64 / 96 * 3))


def test_results_that_share_a_buffer_are_kept_apart() -> None:
    buffer, numbers = ulab_array([[0.0]]), iter(range(1, 9))

    def answer(crop: Any) -> Any:
        buffer[0, 0] = next(numbers)
        return buffer

    pipeline = n6post.Pipeline(Detector([box(100, 100, 60, 60), box(300, 100, 60, 60)]), Second(answer))
    pipeline.predict(picture())
    assert [one.tolist() for one in pipeline.results] == [[[1]], [[2]]]


def test_what_the_second_model_finds_beyond_the_frame_is_left_out() -> None:
    pipeline = n6post.Pipeline(Detector([box(0, 0, 60, 60)]), Second([box(2, 40, 4, 9), box(40, 40, 9, 9)]))
    assert len(pipeline.predict(picture())) == 1


def test_an_upright_region_ends_with_the_frame() -> None:
    turn = 0.6, 0.8, 1.0, 1.0
    assert lib._upright((10.0, 20.0, 60.0, 80.0, *turn), (100, 80)) == (0, 0, 40, 60)
    assert lib._upright((90.0, 70.0, 60.0, 80.0, *turn), (100, 80)) == (60, 30, 40, 50)
    assert lib._upright((150.0, 70.0, 60.0, 80.0, *turn), (100, 80)) is None


def test_a_direction_needs_keypoints_that_reach_the_threshold() -> None:
    pipeline = n6post.Pipeline(Detector([]), Second([]))
    for score, turned in ((0.5, True), (0.499, False)):
        for weak in (0, 1):
            keypoints = np.array([[200.0, 150, 1], [200, 190, 1], *[[0, 0, 0]] * 4])
            keypoints[weak, 2] = score
            d = detection_from(((160, 120, 60, 80), 0.9, 0, "face", None, ulab_array(keypoints)), (None, 0.5))
            assert pipeline._region(d, None)[4:6] == pytest.approx((0, 1) if turned else (1, 0))


def test_frame_of_another_size_starts_again() -> None:
    detector = Detector([box(100, 100, 60, 60)])
    pipeline = n6post.Pipeline(detector, Second(crop_mesh), max_detections=1)
    for frame, runs in ((picture(), 1), (picture(), 1), (picture(640, 480), 2), (picture(640, 480), 2)):
        (found,) = pipeline.predict(frame)
        assert len(detector.inputs) == runs and found.frame_size == (frame.width(), frame.height())


# --- regions ---
def test_region_has_the_shape_of_the_input_and_a_margin() -> None:
    for size, margin, wanted in (
        ((96, 96), None, (125, 125)),
        ((128, 256), None, (62.5, 125)),
        ((64, 32), 1.0, (200, 100)),
        ((96, 96), 2.0, (200, 200)),
    ):
        second = Second([], size=size)
        pipeline = n6post.Pipeline(Detector([box(200, 100, 40, 100)]), second, margin=margin)
        pipeline.predict(picture())
        crop = second.inputs[0]
        x, y, across, down, c, s = region_of(crop)
        assert (across * size[0], down * size[1]) == pytest.approx(wanted)
        assert (x + across * size[0] / 2, y + down * size[1] / 2, c, s) == pytest.approx((220, 150, 1, 0))


@pytest.mark.parametrize("pixformat", [image.RGB565, image.GRAYSCALE])
@pytest.mark.parametrize("angle", [0, 90, 180, 37])
def test_crop_shows_the_region_turned_upright(angle: int, pixformat: int) -> None:
    """Against numpy in float64, with the border continued beyond the frame."""
    img = noise((60, 50), pixformat)
    for _ in range(3):
        img.mean(1)  # smooth, so that a 32nd of a pixel changes little
    data = bytes(img.bytearray())
    if pixformat == image.RGB565:
        words = np.frombuffer(data, "<u2").reshape(50, 60).astype(float)
        planes = [words // 2048 * 255 / 31, words // 32 % 64 * 255 / 63, words % 32 * 255 / 31]
    else:
        planes = [np.frombuffer(data, np.uint8).reshape(50, 60).astype(float)]
    c, s = cos(radians(angle)), sin(radians(angle))
    crop = Region(img, 25.0, 30.0, 48.0, 64.0, c, s, (24, 32))
    tensor = bytearray(24 * 32 * 3)
    crop(tensor, (1, 32, 24, 3), 66)
    made = np.frombuffer(bytes(tensor), np.uint8).reshape(32, 24, 3).astype(float)
    u, v = np.meshgrid((np.arange(24) + 0.5) * 2 - 24, (np.arange(32) + 0.5) * 2 - 32)
    x, y = 25 + u * c - v * s - 0.5, 30 + u * s + v * c - 0.5
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    for k in range(3):
        plane = planes[k % len(planes)]

        def at(dx: int, dy: int, plane: Array = plane) -> Array:
            return plane[np.clip(top + dy, 0, 49), np.clip(left + dx, 0, 59)]

        fx, fy = x - left, y - top
        wanted = (at(0, 0) * (1 - fx) + at(1, 0) * fx) * (1 - fy) + (at(0, 1) * (1 - fx) + at(1, 1) * fx) * fy
        off = made[..., k] - wanted
        # A channel of RGB565 has steps of 8 and is rounded twice, halves up: at 0 and 90 degrees all are halves here.
        assert np.abs(off).max() < (12 if pixformat == image.RGB565 else 8)
        assert np.abs(off.mean()) < (4 if pixformat == image.RGB565 else 1)


def test_results_go_the_way_back_of_the_crop() -> None:
    random = np.random.default_rng(1)
    img = picture(300, 200)
    for _ in range(50):
        w, angle = float(random.uniform(30, 90)), float(random.uniform(-pi, pi))
        crop = Region(img, 150.0, 100.0, w, w / 2, cos(angle), sin(angle), (96, 48))
        inside = random.uniform([0, 0], [96, 48], (9, 2))
        keypoints = ulab_array(np.column_stack([inside, random.uniform(0.4, 1, 9)]))
        d = detection_from(((3, 4, 50, 20), 0.5, 2, "x", None, keypoints), (None, 0.6))
        before = keypoints.tolist()
        found: Any = crop.to_frame(d, (300, 200))
        across = (inside - [48, 24]) * (w / 96)
        wanted = across @ np.array([[cos(angle), sin(angle)], [-sin(angle), cos(angle)]]) + [150, 100]
        np.testing.assert_allclose(points_of(found)[:, :2], wanted, atol=2e-3)
        assert points_of(found)[:, 2].tolist() == [row[2] for row in before]
        seen = points_of(found)[[row[2] >= np.float32(0.6) for row in before], :2]
        x, y, bw, bh = found.rect
        assert [x, y, x + bw, y + bh] == [*np.floor(seen.min(axis=0)), *np.ceil(seen.max(axis=0))]
        assert found[1:5] == d[1:5] and found.frame_size == (300, 200) and found.keypoint_threshold == 0.6


def test_box_without_keypoints_becomes_the_box_of_its_turned_corners() -> None:
    crop = Region(picture(300, 200), 150.0, 100.0, 100.0, 100.0, 0.0, 1.0, (50, 50))
    assert crop.to_frame(box(10, 20, 5, 10), (300, 200)).rect == (140, 70, 20, 10)
    assert crop.to_frame(box(10, 20, 5, 10), (145, 75)).rect == (140, 70, 5, 5)
    assert crop.to_frame(box(10, 20, 5, 10), (140, 75)) is None
    hidden = ulab_array([[10, 20, 0.1], [15, 30, 0.2]])
    assert crop.to_frame(box(10, 20, 5, 10, hidden), (300, 200)) is None
    strided = ulab_array(np.random.default_rng(1).uniform(5, 40, (6, 3)))[::2]
    wanted = crop.to_frame(box(0, 0, 1, 1, ulab_array(np.array(strided.tolist()))), (300, 200))
    found: Any = crop.to_frame(box(0, 0, 1, 1, strided), (300, 200))
    assert points_of(found).tolist() == points_of(wanted).tolist()
    assert found.keypoints.strides == (12, 4)  # a kernel on a camera reads nothing else
    tracked = box(10, 20, 5, 10).replace(track_id=7)
    assert crop.to_frame(tracked, (300, 200)).track_id == 7  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="without masks and oriented boxes"):
        crop.to_frame(tracked.replace(corners=[(1, 2), (9, 2), (9, 8), (1, 8)]), (300, 200))
    with pytest.raises(ValueError, match=r"the second model: expected detections without masks .*, got Detection\("):
        crop.to_frame(Detection((1, 2, 3, 4), 0.9, 0, "x", object(), None), (300, 200))


def test_keypoints_beyond_the_crop_stay_there_in_the_frame() -> None:
    points = np.random.default_rng(1).uniform(20, 180, (21, 3)).astype(np.float32)
    points[4, :2], points[8, :2] = (-100, 60), (330, 400)
    tensors = [Tensor(np.float32(one)) for one in (points.reshape(1, 63), [[0.9]], [[0.2]])]
    crop = Region(picture(), 240.0, 240.0, 112.0, 112.0, 1.0, 0.0, (224, 224))
    (found,) = FakeModel(tensors, (224, 224)).run(n6post.HandLandmarks(), crop)
    placed: Any = crop.to_frame(found, (480, 480))
    np.testing.assert_allclose(points_of(placed)[:, :2], 184 + points[:, :2] / 2, atol=0.01)


def test_crops_of_many_sizes_keep_few_pictures() -> None:
    for side in range(16, 160, 16):
        crop = Region(noise((60, 50)), 25.0, 30.0, 48.0, 64.0, 1.0, 0.0, (side, side))
        crop(bytearray(3 * side * side), (1, side, side, 3), 66)
        assert len(region_lib._canvases) <= 4


def test_any_family_can_be_the_second_model() -> None:
    """MoveNet's heatmaps, in a crop turned by 90 degrees."""
    values = np.zeros((1, 24, 24, 3), np.float32)
    values[0, 6, 12, 0] = values[0, 6, 18, 1] = values[0, 18, 12, 2] = 0.9
    model, processor = FakeModel([Tensor(values)], (96, 96)), n6post.MoveNet(refine=False)
    second = Second(lambda crop: model.run(processor, crop))
    palm = np.ones((7, 3))
    palm[0, :2], palm[2, :2] = (100, 100), (140, 100)  # up is to the right
    pipeline = n6post.Pipeline(Detector([box(80, 80, 40, 40, ulab_array(palm))]), second, margin=2.4)
    (found,) = pipeline.predict(picture())
    x, y, w, h, c, s = pipeline._region(box(80, 80, 40, 40, ulab_array(palm)), 2.4)[:6]
    assert (w, c, s) == (pytest.approx(96), pytest.approx(0, abs=1e-7), pytest.approx(1))
    cells = np.array([[12, 6], [18, 6], [12, 18]]) * 4 + 2 - 48
    np.testing.assert_allclose(points_of(found)[:, :2], np.column_stack([x - cells[:, 1], y + cells[:, 0]]), atol=1e-3)


# --- other second models ---
def test_other_results_stand_beside_the_detections() -> None:
    vectors = iter(range(100))
    second = Second(lambda crop: {"n": next(vectors)})
    boxes = [box(10, 10, 30, 30), box(100, 100, 30, 30), box(200, 200, 30, 30)]
    pipeline = n6post.Pipeline(Detector(boxes), second, max_detections=3)
    for first in (0, 3):
        assert pipeline.predict(picture()) == boxes
        assert pipeline.results == [{"n": first + i} for i in range(3)] and pipeline.following == 0
        assert pipeline.skipped == []


def test_detections_beyond_the_limit_are_returned_without_a_result() -> None:
    boxes = [box(60 * i, 10, 30, 30) for i in range(7)]
    second = Second({"label": "helmet"})
    pipeline = n6post.Pipeline(Detector(boxes), second)
    for frame in range(1, 3):
        assert pipeline.predict(picture()) == boxes
        assert pipeline.results == [{"label": "helmet"}] * 2 + [None] * 5
        assert pipeline.skipped == boxes[2:] and len(second.inputs) == 2 * frame
    pipeline.reset()
    assert pipeline.skipped == pipeline.results == []


def test_a_detection_and_its_copies_have_their_result() -> None:
    """Of three people two are looked at; a tracker, `replace` and `merge` hand the result on."""
    boxes = [box(60 * i, 10, 30, 30) for i in range(3)]
    pipeline = n6post.Pipeline(Detector(boxes), Second({"n": 1}, {"n": 2}, {"n": 3}, {"n": 4}))
    tracker = n6post.Tracker(coast=1)
    tracker.update(pipeline.predict(picture()), elapsed_ms=100)
    found = pipeline.predict(picture())
    wanted = [{"n": 3}, {"n": 4}, None]
    tracked = tracker.update(found, elapsed_ms=100)
    for detections in (found, tracked, [d.replace(label="x") for d in tracked], n6post.merge(found)):
        assert [d.result for d in detections] == wanted
    assert [d.result for d in boxes] == [None] * 3  # a detector may return the same ones again, as Tiles do
    assert [d.result for d in tracker.update([], elapsed_ms=100)] == [None] * 3


def test_a_region_reaches_a_whole_input_beyond_each_side() -> None:
    """Networks place keypoints outside of their input, but not far away."""
    transform = Region(picture(), 240.0, 240.0, 60.0, 60.0, 1.0, 0.0, (96, 64)).fit(None, (96, 64))
    assert transform.roi == (-96, -64, 288, 192)


def test_a_classifier_looks_at_objects_in_nearly_the_same_place() -> None:
    boxes = [box(100, 100, 60, 60), box(102, 101, 60, 60), box(300, 200, 60, 60), box(301, 200, 60, 60)]
    pipeline = n6post.Pipeline(Detector(boxes), Second({"n": 1}), max_detections=3)
    assert pipeline.predict(picture()) == boxes
    assert pipeline.results == [{"n": 1}] * 3 + [None] and pipeline.skipped == boxes[3:]


def test_a_place_beyond_all_numbers_has_no_result_either() -> None:
    far = box(0, 0, 30, 30).replace(keypoints=mesh(float("nan"), 5, 64))
    boxes = [box(10, 10, 30, 30), far, box(100, 100, 30, 30)]
    pipeline = n6post.Pipeline(Detector(boxes), Second({"n": 1}), max_detections=3)
    assert [d.rect for d in pipeline.predict(picture())] == [d.rect for d in boxes]
    assert pipeline.results == [{"n": 1}, None, {"n": 1}]


def test_skipped_has_the_objects_that_are_not_followed() -> None:
    faces = [box(100, 100, 60, 60), box(300, 200, 60, 60), box(20, 300, 60, 60)]
    pipeline = n6post.Pipeline(Detector(faces), Second(crop_mesh), max_detections=2)
    assert len(pipeline.predict(picture())) == 2 and pipeline.skipped == faces[2:]
    assert len(pipeline.predict(picture())) == 2 and pipeline.skipped == []  # the detector rests


def test_pipelines_and_tiles_take_a_list_of_one_picture() -> None:
    frame, crop = picture(), n6post.Crop(picture())
    for given, kind in (([frame], n6post.Letterbox), ((frame,), n6post.Letterbox), ([crop], n6post.Crop)):
        detector = Detector([])
        n6post.Pipeline(detector, Second([])).predict(given)
        assert type(detector.inputs[0]) is kind
    for wrong, message in (([frame] * 2, "a picture or a list of one, got 2"), ([], "a picture or a list of one, got 0"),
                           (["frame"], "an image, got str")):  # fmt: skip
        with pytest.raises(ValueError, match=says(f"img: expected {message}")):
            n6post.Pipeline(Detector([]), Second([])).predict(wrong)


def test_tiles_or_a_pipeline_can_be_the_detector_of_a_pipeline() -> None:
    faces = [box(100, 100, 60, 60)]
    first: Any = n6post.Tiles(Detector(faces), columns=1, rows=1)
    for _ in range(3):
        first = n6post.Pipeline(first, Second({"n": 1}))
        assert first.predict(picture()) == first.predict([picture()]) == faces and first.results == [{"n": 1}]


def test_a_pipeline_as_the_second_model_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="^model: expected one with an input_shape, got Pipeline, "):
        n6post.Pipeline(Detector([]), n6post.Pipeline(Detector([]), Second([])))


def test_detector_gets_a_letterbox_or_the_input_that_the_script_passes() -> None:
    detector = Detector([])
    pipeline = n6post.Pipeline(detector, Second([]))
    frame = picture()
    crop = n6post.Crop(frame)
    pipeline.predict(frame)
    pipeline.predict(crop)
    assert type(detector.inputs[0]) is n6post.Letterbox and detector.inputs[0].image is frame
    assert detector.inputs[1] is crop


def test_camera_without_machine_code_gets_upright_crops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lib, "are_fast", lambda: False)
    detector = Detector([box(430, 100, 100, 60)])
    second = Second(lambda crop: [box(*crop.roi)])
    pipeline = n6post.Pipeline(detector, second, margin=1.0)
    (found,) = pipeline.predict(picture())
    assert found.rect == (430, 80, 50, 100)
    detector.answers = [[box(500, 100, 60, 60)]]
    assert pipeline.predict(picture()) == []


# --- errors ---
def test_wrong_arguments_are_refused() -> None:
    second = Second([])
    for wrong, message in (
        ((None, second), "detector: expected a model, as n6post.load returns it, got NoneType"),
        ((Detector([]), "hand.tflite"), "model: expected a model, as n6post.load returns it, got str"),
    ):
        with pytest.raises(ValueError, match=says(message)):
            n6post.Pipeline(*wrong)
    with pytest.raises(ValueError, match="input"):
        n6post.Pipeline(Detector([]), Detector([]))
    with pytest.raises(TypeError, match=says("Pipeline: expected two models, got 3 arguments")):
        n6post.Pipeline(Detector([]), second, second)  # type: ignore[call-arg]
    for answer in ([[[0, 0, 9, 9], 0.9]], None, {"rect": 1}):
        with pytest.raises(ValueError, match="the detector: expected a list of Detection, got "):
            n6post.Pipeline(Detector(answer), second).predict(picture())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="img: expected an image, got str"):
        n6post.Pipeline(Detector([]), second).predict("frame")


@pytest.mark.parametrize("fails", ["detector", "second", "region"])
def test_frame_that_fails_half_way_leaves_everything_as_it_was(fails: str, monkeypatch: pytest.MonkeyPatch) -> None:
    detector = Detector([box(100, 100, 60, 60), box(300, 300, 60, 60)])
    second = Second(crop_mesh)
    pipeline = n6post.Pipeline(detector, second, max_detections=3)
    pipeline.predict(picture())
    before = pipeline._state

    def out_of_memory(*_: Any) -> Any:
        raise MemoryError

    with monkeypatch.context() as patch:
        target = {"detector": detector, "second": second, "region": pipeline}[fails]
        patch.setattr(type(target), "_region" if fails == "region" else "predict", out_of_memory)
        with pytest.raises(MemoryError):
            pipeline.predict(picture())
    assert pipeline._state is before
    assert len(pipeline.predict(picture())) == 2


def test_direction_is_upright_where_the_keypoints_do_not_show_it() -> None:
    keypoints = np.ones((7, 3))
    keypoints[0, :2] = keypoints[2, :2] = 5, 5
    pipeline = n6post.Pipeline(Detector([]), Second([]))
    assert pipeline._region(box(0, 0, 9, 9, ulab_array(keypoints)), None)[4:6] == (1.0, 0.0)
    keypoints[2, :2] = 50, 5
    keypoints[2, 2] = 0.1
    assert pipeline._region(box(0, 0, 9, 9, ulab_array(keypoints)), None)[4:6] == (1.0, 0.0)
    keypoints[2, 2] = 0.9
    c, s = pipeline._region(box(0, 0, 9, 9, ulab_array(keypoints)), None)[4:6]
    assert degrees(atan2(s, c)) == pytest.approx(90) and hypot(c, s) == pytest.approx(1)


@pytest.mark.parametrize("first", [True, False])
def test_frame_after_an_interrupted_one_is_right(first: bool) -> None:
    """A MemoryError at every line of a frame: the detector's, and one in which the object is followed."""
    frame = noise((64, 48))

    def fill(crop: Any) -> list[Any]:
        buffer = bytearray(4 * 4 * 3)
        crop(buffer, (1, 4, 4, 3), 66)
        return [box(0, 0, 3, 3, mesh(2, 2, 3), score=sum(buffer) / 65536)]

    def before() -> Any:
        pipeline = n6post.Pipeline(Detector([box(20, 10, 20, 20)]), Second(fill, size=(4, 4)), max_detections=1)
        if not first:
            pipeline.predict(frame)
        return pipeline

    def after(pipeline: Any) -> Any:
        pipeline.reset()
        return [(d[:4], d.keypoint("chin")) for _ in range(2) for d in pipeline.predict(frame)]

    assert test_memory.check(test_memory.Scene(before, lambda pipeline: pipeline.predict(frame), after)) > 15
