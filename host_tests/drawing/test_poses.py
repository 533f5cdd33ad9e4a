"""lib/n6post/drawing/poses.py: limbs and keypoints, their colors, and the calls to the firmware."""

from __future__ import annotations

from typing import Any

import image
import n6post
import numpy as np
import pytest
from assertions import gray, rgb565
from fakes import Array, FakeModel, Framed, Tensor
from n6post.drawing import poses
from n6post.drawing.poses import LEFT, MIDDLE, RIGHT, draw_pose
from n6post.kernels.portable import poses as portable_poses
from n6post.results.detection import Detection
from n6post.tensors.keypoints import keypoint_names, limbs
from n6post_pc.demo import recorded
from ulab import _host

pytestmark = pytest.mark.both_firmwares


class Canvas:
    """Records what is drawn, and refuses arguments that firmware 4.8.1 or 5.0 refuses."""

    def __init__(self, width: int = 200, height: int = 100) -> None:
        self.size = width, height
        self.lines: list[Any] = []
        self.circles: list[Any] = []

    def width(self) -> int:
        return self.size[0]

    def height(self) -> int:
        return self.size[1]

    def format(self) -> int:
        return image.RGB565

    def bytearray(self) -> Canvas:
        return self

    def draw_line(self, ends: Any, *, color: Any, thickness: int) -> None:
        assert type(ends) is tuple and len(ends) == 4 and all(type(v) is int for v in ends)
        self.lines.append((ends, PAINTS.get(color, color), thickness))

    def draw_circle(self, circle: Any, *, color: Any, fill: bool) -> None:
        assert type(circle) is tuple and len(circle) == 3 and all(type(v) is int for v in circle) and fill is True
        self.circles.append((circle, PAINTS.get(color, color)))


# The colors as RGB565 stores them.
PAINTS = {(r & 0xF8, g & 0xFC, b & 0xF8): (r, g, b) for r, g, b in (LEFT, RIGHT, MIDDLE)}


@pytest.fixture(autouse=True)
def _kernel_draws_on_a_canvas(monkeypatch: pytest.MonkeyPatch) -> None:
    """The portable kernel wraps the pixels in an Image. A Canvas is used as it is."""
    plain = portable_poses.canvas

    def canvas(pixels: Any, *shape: int) -> Any:
        return pixels if isinstance(pixels, Canvas) else plain(pixels, *shape)

    monkeypatch.setattr(portable_poses, "canvas", canvas)


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test makes its own skeletons: the cached ones of another test would hide errors."""
    monkeypatch.setattr(poses, "_skeletons", {})


def person(points: Array, threshold: float | None = None) -> Any:
    d = Detection((0, 0, 10, 10), 0.9, 0, "person", None, _host.wrap(np.ascontiguousarray(points, np.float32)))
    return d if threshold is None else d.replace(keypoint_threshold=threshold)


def row_of(count: int, score: float = 0.9) -> Array:
    """Keypoint j at (10 j, 5)."""
    return np.float32([[10 * j, 5, score] for j in range(count)])


@pytest.mark.parametrize("count", [13, 17])
def test_all_limbs_and_keypoints_of_a_fully_visible_person_are_drawn(count: int) -> None:
    canvas = Canvas()
    draw_pose(canvas, person(row_of(count)), thickness=3, radius=4)
    pairs = list(limbs(count))
    assert [ends for ends, _, _ in canvas.lines] == [(10 * a, 5, 10 * b, 5) for a, b in zip(pairs[::2], pairs[1::2])]
    assert {thickness for _, _, thickness in canvas.lines} == {3}
    assert [circle for circle, _ in canvas.circles] == [(10 * j, 5, 4) for j in range(count)]


@pytest.mark.parametrize("count", [13, 17])
def test_left_right_and_middle_have_different_colors(count: int) -> None:
    canvas = Canvas()
    draw_pose(canvas, person(row_of(count)))
    names = keypoint_names(count)

    def expected(*ends: str) -> Any:
        sides = {side for side in ("left", "right") for end in ends if end.startswith(side)}
        return MIDDLE if len(sides) != 1 else LEFT if sides == {"left"} else RIGHT

    for (x0, _, x1, _), color, _ in canvas.lines:
        assert color == expected(names[x0 // 10], names[x1 // 10])
    for (x, _, _), color in canvas.circles:
        assert color == expected(names[x // 10])
    assert len({LEFT, RIGHT, MIDDLE} & {color for _, color, _ in canvas.lines}) == 3


def test_a_persons_left_is_blue_and_the_right_is_orange() -> None:
    """These are the colors of the README's pictures."""
    canvas = Canvas()
    draw_pose(canvas, person(row_of(17)))
    paint = {keypoint_names(17)[x // 10]: color for (x, _, _), color in canvas.circles}
    assert paint["left wrist"] == (0, 160, 255)
    assert paint["right wrist"] == (255, 128, 0)
    assert paint["nose"] == (255, 255, 255)


def test_a_keypoint_below_the_threshold_is_left_out_with_its_limbs() -> None:
    points = row_of(17)
    points[7, 2] = 0.2  # the left elbow
    canvas = Canvas()
    draw_pose(canvas, person(points, 0.5))
    assert 70 not in [circle[0] for circle, _ in canvas.circles] and len(canvas.circles) == 16
    assert not [ends for ends, _, _ in canvas.lines if 70 in (ends[0], ends[2])]
    assert len(canvas.lines) == len(limbs(17)) // 2 - 2


def test_the_default_threshold_is_that_of_the_processor() -> None:
    points = row_of(13)
    points[:, 2] = np.linspace(0.05, 0.95, 13)
    for carried, given, least in ((0.5, None, 0.5), (0.8, None, 0.8), (0.8, 0.1, 0.1), (None, None, 0.3), (0.8, 0, 0)):
        canvas = Canvas()
        draw_pose(canvas, person(points, carried), threshold=given)
        assert len(canvas.circles) == (points[:, 2] >= np.float32(least)).sum()


@pytest.mark.parametrize("count", [1, 4, 22, 33])
def test_keypoints_of_an_unknown_skeleton_are_drawn_without_limbs(count: int) -> None:
    canvas = Canvas(400)
    draw_pose(canvas, person(row_of(count)))
    assert not canvas.lines
    assert [color for _, color in canvas.circles] == [MIDDLE] * count


def test_the_default_thickness_is_2_and_the_default_radius_is_3() -> None:
    for options, thickness, radius in (({}, 2, 3), ({"thickness": 5}, 5, 3), ({"radius": 1}, 2, 1)):
        canvas = Canvas()
        draw_pose(canvas, person(row_of(17)), **options)
        assert [thick for _, _, thick in canvas.lines] == [thickness] * (len(limbs(17)) // 2)
        assert [circle[2] for circle, _ in canvas.circles] == [radius] * 17


def test_limbs_or_keypoints_can_be_left_out() -> None:
    canvas = Canvas()
    draw_pose(canvas, person(row_of(17)), thickness=0)
    assert not canvas.lines and len(canvas.circles) == 17
    canvas = Canvas()
    draw_pose(canvas, person(row_of(17)), radius=0)
    assert canvas.lines and not canvas.circles


def test_a_keypoint_on_the_far_edge_is_drawn_in_the_last_pixel() -> None:
    canvas = Canvas(64, 48)
    draw_pose(canvas, person(np.float32([[64, 48, 1], [0, 0, 1], [63.9, 47.2, 1], [10.99, 3.5, 1]])), radius=1)
    assert [circle[:2] for circle, _ in canvas.circles] == [(63, 47), (0, 0), (63, 47), (10, 3)]
    canvas = Canvas(64, 48)
    draw_pose(canvas, person(np.float32([[10, 48, 1], [64, 10, 1], [5, -1e9, 1], [-1e9, 5, 1]])), radius=1)
    assert [circle[:2] for circle, _ in canvas.circles] == [(10, 47), (63, 10), (5, -32768), (-32768, 5)]


def test_infinite_keypoints_are_left_out_and_distant_ones_do_no_harm() -> None:
    points = row_of(17)
    points[3, 0], points[4, 1], points[5, 2], points[6, 0] = np.nan, np.inf, np.nan, -1e9
    canvas = Canvas()
    draw_pose(canvas, person(points))
    wanted = [-32768 if j == 6 else 10 * j for j in range(17) if j not in (3, 4, 5)]
    assert [circle[0] for circle, _ in canvas.circles] == wanted
    img, wanted = image.Image(64, 48, image.RGB565), image.Image(64, 48, image.RGB565)
    draw_pose(img, person(points))
    points[3:6] = 0  # below the threshold
    draw_pose(wanted, person(points))
    np.testing.assert_array_equal(rgb565(img), rgb565(wanted))
    assert all(rgb565(img)[5, 10 * j] for j in (0, 1, 2))


def test_keypoints_that_are_a_view_of_an_array_are_drawn_right() -> None:
    """Machine code gets the address of a buffer, so a view is copied first."""
    points = np.random.default_rng(3).uniform(0.5, 47, (34, 6)).astype(np.float32)
    pictures = []
    for given in (points[::2, ::2], points[::2, ::2].copy()):
        img = image.Image(48, 48, image.RGB565)
        draw_pose(img, Detection((0, 0, 9, 9), 0.9, 0, "", None, _host.wrap(given)))
        pictures.append(bytes(img.bytearray()))
    assert pictures[0] == pictures[1] and any(pictures[0])


@pytest.mark.parametrize("shape", [(17, 2), (17,), (3, 17, 1)])
def test_keypoints_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    d = Detection((0, 0, 9, 9), 0.9, 0, "", None, _host.wrap(np.ones(shape, np.float32)))
    with pytest.raises(ValueError, match=r"keypoints: expected an array \(K, 3\), got "):
        draw_pose(Canvas(), d)


def test_a_detection_without_keypoints_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a detection with keypoints"):
        draw_pose(Canvas(), Detection((0, 0, 1, 1), 0.5, 0, "person", None, None))


@pytest.mark.parametrize("pixformat", [image.RGB565, image.GRAYSCALE])
def test_a_recorded_person_is_drawn_on_color_and_grayscale_frames(pixformat: int) -> None:
    recording = recorded.load("movenet_17_192", "astronaut")
    (detection,) = recording.model().run(n6post.MoveNet(), Framed((0, 0, 512, 512)))
    img = image.Image(512, 512, pixformat)
    draw_pose(img, detection)
    painted = rgb565(img) if pixformat == image.RGB565 else gray(img)
    for x, y, score in detection.keypoints.tolist():
        assert score < 0.3 or painted[int(y), int(x)]
    rows, columns = np.nonzero(painted)
    x, y, w, h = detection.rect
    assert x - 6 <= columns.min() and columns.max() <= x + w + 6
    assert y - 6 <= rows.min() and rows.max() <= y + h + 6
    assert len(np.unique(painted)) >= 4, "black and three colors that stay apart"


def test_draw_uses_the_keypoint_threshold_of_the_processor() -> None:
    values = np.zeros((1, 48, 48, 17), np.float32)
    for keypoint in range(17):
        values[0, 2 * keypoint + 5, 2 * keypoint + 5, keypoint] = 0.9 if keypoint % 4 else 0.5
    for threshold, seen in ((0.3, True), (0.7, False)):
        detection = FakeModel([Tensor(values)], (192, 192)).run(n6post.MoveNet(threshold), Framed((0, 0, 480, 480)))
        img = image.Image(480, 480, image.RGB565)
        n6post.draw(img, detection, boxes=False, labels=False)
        assert (rgb565(img)[50:60, 50:60] != 0)[5, 5] == seen and (seen or not rgb565(img)[50:60, 50:60].any())  # keypoint 0
        assert rgb565(img)[75, 75]  # keypoint 1


# --- hands and faces ---
def test_hand_is_drawn_with_limbs_and_neighboring_fingers_differ() -> None:
    canvas = Canvas(300)
    draw_pose(canvas, person(row_of(21)))
    assert len(canvas.lines) == 21 and len(canvas.circles) == 21
    paint = {keypoint_names(21)[x // 10]: color for (x, _, _), color in canvas.circles}
    fingers = ["thumb tip", "index finger tip", "middle finger tip", "ring finger tip", "pinky tip"]
    colors = [paint[name] for name in fingers]
    assert colors == [MIDDLE, LEFT, RIGHT, LEFT, RIGHT]


def test_face_mesh_is_drawn_as_thin_contours_without_dots() -> None:
    pairs = list(limbs(468))
    canvas = Canvas(5000)
    draw_pose(canvas, person(row_of(468)))
    assert [(x0 // 10, x1 // 10) for (x0, _, x1, _), _, _ in canvas.lines] == list(zip(pairs[::2], pairs[1::2], strict=True))
    assert {thickness for _, _, thickness in canvas.lines} == {1} and not canvas.circles
    colors = {(x0 // 10, x1 // 10): color for (x0, _, x1, _), color, _ in canvas.lines}
    assert (colors[33, 7], colors[263, 249], colors[10, 338], colors[61, 146]) == (RIGHT, LEFT, MIDDLE, MIDDLE)
    canvas = Canvas(5000)
    draw_pose(canvas, person(row_of(468)), thickness=3, radius=2)
    assert {thickness for _, _, thickness in canvas.lines} == {3} and len(canvas.circles) == 468


@pytest.mark.parametrize(("count", "radius"), [(61, 1), (68, 1), (133, 1), (60, 3), (24, 3), (4, 3)])
def test_many_keypoints_of_an_unknown_skeleton_are_small_dots(count: int, radius: int) -> None:
    """The 68 of a small face would be one spot."""
    canvas = Canvas(5000)
    draw_pose(canvas, person(row_of(count)))
    assert not canvas.lines and {circle[2] for circle, _ in canvas.circles} == {radius}


def test_a_body_of_35_keypoints_is_drawn_without_its_circle() -> None:
    canvas = Canvas(5000)
    keypoints = row_of(35)
    keypoints[33:, 2] = 0
    draw_pose(canvas, person(keypoints))
    assert len(canvas.circles) == 33 and len(canvas.lines) == 35 and {circle[2] for circle, _ in canvas.circles} == {3}
