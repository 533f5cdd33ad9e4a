"""lib/n6post/families/maps/movenet.py: keypoints from heatmaps and from coordinates, refinement, boxes, errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import image
import n6post
import numpy as np
import pytest
import reference
from assertions import assert_well_formed, says
from fakes import FakeModel, Framed, Tensor, capture, stretched
from family_cases import FamilyCases, FrameCase, OptionCase
from hypothesis import example, given
from hypothesis import strategies as st
from n6post_pc.demo import recorded
from small_models import direct_keypoints, heatmaps

OPENMV = "movenet_singlepose_192"
ST = "st_movenet_lightning_heatmaps_192_int8_pc"
PICTURES = ["bus", "bus__crop", "person", "person__crop"]
FRAME = (0, 0, 640, 480)


def points_of(detection: Any) -> Any:
    return np.array(detection.keypoints.tolist())


def person(tensor: Tensor, size: tuple[int, int] = (192, 192), roi: tuple[int, ...] = FRAME, **options: Any) -> Any:
    """The only detection."""
    found = FakeModel([tensor], size).run(n6post.MoveNet(**options), Framed(roi))
    assert_well_formed(found, roi, 1)
    assert len(found) == 1
    return found[0]


def cells(tensor: Tensor, roi: tuple[int, ...] = FRAME) -> Any:
    """Numpy's first maxima, as the centers of their cells in frame pixels, clipped to the roi: (K, 2). A cell is 4 x 4."""
    height, width = tensor.values.shape[1:3]
    places = np.float64(reference.peaks(tensor.values[0])) + 0.5
    x, y, w, h = roi
    return np.clip(reference.to_frame(4 * places, "stretch", (4 * width, 4 * height), (x, y, w, h)), (x, y), (x + w, y + h))


def quantized(values: Any, scale: float = 1 / 256, zero_point: int = -128) -> Tensor:
    return Tensor(np.clip(np.round(values / scale) + zero_point, -128, 127).astype(np.int8), scale, zero_point)


def storages(tensor: Tensor) -> list[Tensor]:
    """An int8 tensor as every dtype and in both layouts."""
    kinds = [tensor, tensor.as_uint8(), tensor.as_int16(2, 5), tensor.dequantized()]
    return kinds + [kind.reordered(0, 3, 1, 2) for kind in kinds]


# --- real heatmaps ---
@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize("model", [OPENMV, ST])
def test_unrefined_keypoints_are_the_cells_of_numpys_first_maxima(shared: Path, model: str, picture: str) -> None:
    (tensor,), _ = capture(shared / "captures" / f"{model}__{picture}.npz")
    steps = tensor.values * 256
    np.testing.assert_array_equal(steps, np.round(steps))
    for one in storages(quantized(tensor.values)):
        found = points_of(person(one, refine=False))
        np.testing.assert_allclose(found[:, :2], cells(tensor), atol=1e-3)
        np.testing.assert_allclose(found[:, 2], tensor.values[0].max(axis=(0, 1)), rtol=1e-6)


def test_openmvs_test_picture_gives_the_rect_of_openmvs_test(shared: Path) -> None:
    # scripts/unittest/tests/ml_movenet.py expects (20, 104, 350, 208) of this model for person.bmp (400 x 400), .4. What
    # network input was scaled in another way here, so the tolerance is one cell (8.3 frame pixels).
    (tensor,), _ = capture(shared / "captures" / f"{OPENMV}__person.npz")
    rect = person(tensor, roi=(0, 0, 400, 400), keypoint_threshold=0.4, refine=False).rect
    np.testing.assert_allclose(rect, (20, 104, 350, 208), atol=9)


@pytest.mark.parametrize("name", ["movenet_13_192", "movenet_17_192"])
def test_refined_keypoints_of_recordings_move_less_than_half_a_cell(name: str) -> None:
    tensor = recorded.load(name, "astronaut").tensors[0]
    half = np.float64(FRAME[2:]) / tensor.values.shape[2:0:-1] / 2
    refined = [points_of(person(one)) for one in storages(tensor)]
    away = np.abs(refined[0][:, :2] - cells(tensor))
    assert (away <= half + 1e-3).all() and away.max() > 1
    for other in refined[1:]:
        np.testing.assert_allclose(other, refined[0], atol=1e-2)


# --- refinement ---
def gaussians(centers: Any, sigma: float, side: int = 48) -> Any:
    """Gaussians of height 0.9 at centers (x, y) in cells; cell c reaches from c to c + 1: (1, side, side, K)."""
    at = np.arange(side) + 0.5
    x, y = centers[:, 0], centers[:, 1]
    return (0.9 * np.exp(-((at[:, None, None] - y) ** 2 + (at[None, :, None] - x) ** 2) / (2 * sigma**2)))[None]


def errors(values: Any, centers: Any, make: Any) -> tuple[float, float]:
    """Mean distance from the true centers, in cells: unrefined, refined."""
    mean = []
    for refine in (False, True):
        found = points_of(person(make(values), (192, 192), (0, 0, 48, 48), refine=refine, keypoint_threshold=0.1))
        mean.append(float(np.hypot(*(found[:, :2] - centers).T).mean()))
    return mean[0], mean[1]


@pytest.mark.parametrize("make", [quantized, lambda v: Tensor(v.astype(np.float32))], ids=["int8", "float"])
@pytest.mark.parametrize("sigma", [1.0, 1.5, 2.0, 3.0])
def test_refinement_lowers_the_error_on_gaussians_of_known_center(sigma: float, make: Any) -> None:
    centers = np.random.default_rng(1).uniform(4, 44, (400, 2))
    plain, refined = errors(gaussians(centers, sigma), centers, make)
    print(f"48 x 48, sigma {sigma}: mean error {plain:.3f} cells unrefined, {refined:.3f} refined")
    # The mean distance of a random point from the center of its cell is 0.383.
    assert plain == pytest.approx(0.383, abs=0.02)
    assert refined < plain / 3


def heat(height: int, width: int, keypoint_count: int = 1) -> Any:
    return np.zeros((1, height, width, keypoint_count), np.float32)


def test_refinement_does_not_move_a_single_hot_cell() -> None:
    values = heat(9, 12)
    values[0, 4, 7] = 0.8
    for tensor in storages(quantized(values)):
        assert points_of(person(tensor, (48, 36), (0, 0, 12, 9)))[0, :2].tolist() == [7.5, 4.5]


def test_peak_of_equal_cells_moves_by_half_a_cell_at_most() -> None:
    for count in (2, 3, 4):
        values = heat(9, 12)
        values[0, 4, 3 : 3 + count] = 0.8
        np.testing.assert_allclose(points_of(person(Tensor(values), (48, 36), (0, 0, 12, 9)))[0, :2], [4, 4.5])


def test_peak_at_a_border_is_refined_along_the_border_only() -> None:
    values = heat(9, 12, 4)
    for keypoint, (row, column) in enumerate([(4, 0), (4, 11), (0, 5), (8, 5)]):
        values[0, row, column, keypoint] = 0.8
        values[0, min(row + 1, 8), column, keypoint] = max(0.4, values[0, min(row + 1, 8), column, keypoint])
        values[0, row, min(column + 1, 11), keypoint] = max(0.4, values[0, row, min(column + 1, 11), keypoint])
    found = points_of(person(Tensor(values), (48, 36), (0, 0, 12, 9)))[:, :2]
    third = 0.5 * 0.4 / (2 * 0.8 - 0.4)
    np.testing.assert_allclose(found, [[0.5, 4.5 + third], [11.5, 4.5 + third], [5.5 + third, 0.5], [5.5 + third, 8.5]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_or_infinity_beside_a_peak_does_not_move_it(bad: float) -> None:
    values = heat(9, 12)
    values[0, 4, 7] = 0.8 if bad != np.inf else np.inf
    values[0, 4, 8] = values[0, 3, 7] = -np.inf if bad == np.inf else bad
    with np.errstate(invalid="ignore", over="ignore"):
        assert points_of(person(Tensor(values), (48, 36), (0, 0, 12, 9)))[0, :2].tolist() == [7.5, 4.5]


# --- which keypoints are visible ---
def test_keypoints_below_the_threshold_are_returned_with_their_score() -> None:
    values = heat(12, 12, 3)
    values[0, 2, 3, 0], values[0, 5, 8, 1], values[0, 9, 1, 2] = 0.9, 0.2, 0.5
    found = person(Tensor(values), (48, 48), (0, 0, 120, 120), keypoint_threshold=0.4)
    np.testing.assert_allclose(points_of(found), [[35, 25, 0.9], [85, 55, 0.2], [15, 95, 0.5]], rtol=1e-6)
    assert found.rect == (15, 25, 20, 70), "around the first and the last alone"
    assert found.score == pytest.approx(0.7)
    assert found.keypoint_threshold == 0.4
    assert (found.class_id, found.label, found.mask) == (0, "person", None)


@pytest.mark.parametrize(("row", "column"), [(0, 0), (0, 11), (11, 0), (11, 11), (5, 6)])
def test_one_visible_keypoint_gives_a_box_of_one_pixel_in_the_frame(row: int, column: int) -> None:
    values = heat(12, 12, 5)
    values[0, row, column, 2] = 0.9
    for roi in ((0, 0, 640, 480), (30, 20, 12, 12), (7, 9, 3, 2), (5, 5, 1, 1)):
        found = person(Tensor(values), (48, 48), roi)
        assert found.rect[2:] == (1, 1)
        x, y = points_of(found)[2, :2]
        assert found.rect[0] <= x <= found.rect[0] + 1 and found.rect[1] <= y <= found.rect[1] + 1


def test_no_visible_keypoint_gives_an_empty_list() -> None:
    for tensor in (*storages(quantized(heat(12, 12, 17) + 0.29)), Tensor(heat(1, 17, 3))):
        assert FakeModel([tensor], (48, 48)).run(n6post.MoveNet(keypoint_threshold=0.3)) == []


def test_threshold_is_compared_as_a_quantized_integer() -> None:
    values = heat(12, 12, 2)
    values[0, 3, 3, 0], values[0, 6, 6, 1] = 77 / 256, 76 / 256  # .3 lies between 76 and 77 steps
    for tensor in storages(quantized(values)):
        assert person(tensor, (48, 48), keypoint_threshold=0.3).rect[2:] == (1, 1)


def test_nan_scores_are_never_visible() -> None:
    values = heat(12, 12, 2)
    values[...] = np.nan
    with np.errstate(invalid="ignore"):
        assert FakeModel([Tensor(values)], (48, 48)).run(n6post.MoveNet(keypoint_threshold=0)) == []
        values[0, 4, 4, 0] = 0.6
        found = person(Tensor(values), (48, 48), (0, 0, 12, 12))
    assert found.rect == (4, 4, 1, 1)
    assert points_of(found).tolist() == [[4.5, 4.5, pytest.approx(0.6)], [0.5, 0.5, 0]]


# --- any shape ---
@given(
    st.integers(0, 2**32), st.sampled_from(["int8", "uint8", "int16", "float32"]), st.booleans(),
    st.integers(1, 20), st.integers(1, 20), st.integers(1, 20),
    st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(1, 400), st.integers(1, 300)),
)
@example(0, "float32", True, 1, 1, 1, (0, 0, 1, 1))
@example(1, "int8", False, 1, 20, 20, (50, 0, 400, 1))
@example(2, "uint8", True, 20, 1, 1, (0, 50, 1, 300))
@example(3, "int16", False, 20, 20, 20, (50, 50, 400, 300))
def test_any_heatmaps_give_numpys_maxima(
    seed: int, dtype: str, channels_last: bool, height: int, width: int, keypoint_count: int, roi: tuple[int, int, int, int]
) -> None:
    random = np.random.default_rng(seed)
    values = (random.integers(0, 100, (1, height, width, keypoint_count)) + 3).astype(dtype)
    if dtype == "float32":
        values /= 100
    tensor = Tensor(values, 0.0 if dtype == "float32" else 0.01, 3 if dtype != "float32" else 0)
    stored = tensor if channels_last else tensor.reordered(0, 3, 1, 2)
    layout = "NHWC" if channels_last else "NCHW"
    for refine in (False, True):
        found = person(stored, (width * 4, height * 4), roi, keypoint_threshold=0, refine=refine, layout=layout)
        points = points_of(found)
        assert points.shape == (keypoint_count, 3)
        reach = np.float64(roi[2:]) / (width, height) * (0.5 if refine else 0)
        assert (np.abs(points[:, :2] - cells(tensor, roi)) <= reach + 1e-2).all()
        x, y, w, h = found.rect
        assert (points[:, 0] >= x - 0.01).all() and (points[:, 0] <= x + w + 0.01).all()
        assert (points[:, 1] >= y - 0.01).all() and (points[:, 1] <= y + h + 0.01).all()
        assert w >= 1 and h >= 1


def test_ambiguous_shape_needs_the_layout_option() -> None:
    values = np.random.default_rng(2).random((1, 13, 13, 13)).astype(np.float32)
    with pytest.raises(ValueError, match=r"\(1, 13, 13, 13\) may be .* expected layout='NHWC' or 'NCHW'"):
        person(Tensor(values), (52, 52))
    roi = (0, 0, 13, 13)
    last = points_of(person(Tensor(values), (52, 52), roi, layout="NHWC", refine=False))
    first = points_of(person(Tensor(values).reordered(0, 3, 1, 2), (52, 52), roi, layout="NCHW", refine=False))
    np.testing.assert_array_equal(last, first)
    np.testing.assert_allclose(last[:, :2], cells(Tensor(values), roi), atol=1e-5)


@pytest.mark.parametrize(("shape", "steps"), [((1, 6, 8, 3), (3, 1)), ((1, 3, 6, 8), (1, 48))])
def test_kernel_parameters_hold_the_steps_between_pixels_and_keypoints(
    shape: tuple[int, ...], steps: tuple[int, int]
) -> None:
    """The machine code uses all of these steps, the portable kernel only some of them."""
    processor = n6post.MoveNet()
    FakeModel([Tensor(np.zeros(shape, np.int8), 0.1)], (64, 48)).run(processor)
    assert tuple(processor._binding.block[:6]) == (ord("b"), 8, 6, 3, *steps)


def test_layout_option_accepts_heatmaps_of_any_size() -> None:
    for shape in ((1, 64, 64, 2), (1, 8, 16, 2)):
        values = np.random.default_rng(2).random(shape).astype(np.float32)
        assert points_of(person(Tensor(values), (64, 64), layout="NHWC")).shape == (2, 3)


def test_one_processor_serves_heatmaps_and_coordinates_in_turn() -> None:
    processor = n6post.MoveNet(refine=False)
    heatmaps = Tensor(np.random.default_rng(3).random((1, 48, 48, 13)).astype(np.float32))
    direct = Tensor(np.random.default_rng(4).random((1, 1, 17, 3)).astype(np.float32))
    models = [FakeModel([heatmaps], (192, 192)), FakeModel([direct], (192, 192))] * 2
    sizes = [len(model.run(processor, Framed(FRAME))[0].keypoints) for model in models]
    assert sizes == [13, 17, 13, 17]


def test_result_does_not_change_with_the_next_frame() -> None:
    values = np.random.default_rng(5).random((1, 48, 48, 13)).astype(np.float32)
    model = FakeModel([Tensor(values)], (192, 192))
    processor = n6post.MoveNet()
    before = model.run(processor)[0]
    kept = points_of(before).tolist(), before.rect, before.score
    values[...] = values[:, ::-1, ::-1]
    model.run(processor)
    assert (points_of(before).tolist(), before.rect, before.score) == kept


# --- coordinates ---
def direct(keypoint_count: int = 17, seed: int = 6) -> Any:
    """[1, 1, K, 3] of y, x, score in 0..1."""
    return np.random.default_rng(seed).random((1, 1, keypoint_count, 3)).astype(np.float32)


@pytest.mark.parametrize("keypoint_count", [2, 13, 17, 21])
@pytest.mark.parametrize("roi", [FRAME, (40, 30, 200, 100)])
def test_googles_export_gives_y_x_and_score_of_every_keypoint(keypoint_count: int, roi: tuple[int, ...]) -> None:
    values = direct(keypoint_count)
    found = person(Tensor(values), roi=roi, keypoint_threshold=0.25)
    y, x, score = values[0, 0].astype(float).T
    expected = np.stack([x * roi[2] + roi[0], y * roi[3] + roi[1], score], axis=1)
    np.testing.assert_allclose(points_of(found), expected, rtol=1e-5, atol=1e-3)
    seen = expected[score >= 0.25]
    left, top = np.floor(seen[:, :2].min(axis=0))
    right, bottom = np.ceil(seen[:, :2].max(axis=0))
    assert found.rect == (left, top, right - left, bottom - top)
    assert found.score == pytest.approx(seen[:, 2].mean())


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16"])
def test_integer_coordinates_are_accepted(dtype: str) -> None:
    scale, zero_point = (1 / 255, 0) if dtype == "uint8" else (1 / 255, -128)
    q = np.round(direct() / scale + zero_point).astype(dtype)
    found = person(Tensor(q, scale, zero_point))
    y, x, score = ((q[0, 0].astype(int) - zero_point) * scale).T
    np.testing.assert_allclose(points_of(found), np.stack([x * 640, y * 480, score], axis=1), rtol=1e-5, atol=1e-3)


def test_coordinates_are_clipped_to_the_frame_and_nan_is_not_visible() -> None:
    values = direct(4)
    values[0, 0, :, 2] = [0.9, 0.9, np.nan, 0.8]
    values[0, 0, 0, :2] = -0.1, 1.2
    values[0, 0, 1, :2] = np.nan, 0.5
    values[0, 0, 3, :2] = 1.5, 1.5
    found = person(Tensor(values))
    np.testing.assert_allclose(points_of(found)[:2, :2], [[640, 0], [320, 0]])
    assert points_of(found)[2, 2] == 0
    assert points_of(found)[3, :2].tolist() == [640, 480]
    assert found.rect == (320, 0, 320, 480)
    assert found.score == pytest.approx((0.9 + 0.9 + 0.8) / 3)


@pytest.mark.parametrize("layout", [None, "keypoints"])
@pytest.mark.parametrize("share", [0.05, 0.5, 1.0])
def test_infinite_coordinates_never_give_nan(layout: str | None, share: float) -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        values = direct(seed=seed)
        odd = random.choice(np.float32([np.inf, -np.inf, np.inf, np.nan]), values.shape)
        values = np.where(random.random(values.shape) < share, odd, values).astype(np.float32)
        values[0, 0, 3, 2] = values[0, 0, 5, 2] = np.inf
        found = person(Tensor(values), layout=layout, keypoint_threshold=(0.0, 0.3, 1.0)[seed % 3])
        assert found.score == np.inf and np.isfinite(points_of(found)[:, :2]).all()
        assert not np.isnan(points_of(found)).any()


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_infinite_heatmap_values_never_give_nan(layout: str) -> None:
    for seed in range(40):
        random = np.random.default_rng(seed)
        values = random.random((1, 12, 12, 5)).astype(np.float32)
        odd = random.choice(np.float32([np.inf, -np.inf, np.inf, np.nan]), values.shape)
        values = np.where(random.random(values.shape) < random.choice([0.01, 0.5, 1]), odd, values)
        values[0, 4, 4, 2] = np.inf
        tensor = Tensor(values) if layout == "NHWC" else Tensor(values).reordered(0, 3, 1, 2)
        found = person(tensor, (48, 48), layout=layout, refine=bool(seed % 2))
        assert found.score == np.inf and np.isfinite(points_of(found)[:, :2]).all()
        assert not np.isnan(points_of(found)).any()


def test_coordinates_of_more_than_511_keypoints_are_refused() -> None:
    assert len(person(Tensor(direct(511))).keypoints) == 511
    for keypoint_count in (512, 1000, 70000):
        for layout in (None, "keypoints"):
            model = FakeModel([Tensor(direct(keypoint_count))], (192, 192))
            with pytest.raises(ValueError, match=says(f"{COORDINATES}, got (1, 1, {keypoint_count}, 3)")):
                model.run(n6post.MoveNet(layout=layout))


def test_coordinates_with_one_visible_keypoint_give_a_one_pixel_box() -> None:
    values = direct()
    values[..., 2] = 0.1
    values[0, 0, 5] = 1.0, 1.0, 0.9
    assert person(Tensor(values)).rect == (639, 479, 1, 1)


def test_layout_option_selects_coordinates_or_heatmaps_of_three_keypoints() -> None:
    values = direct()
    as_heatmaps = points_of(person(Tensor(values), layout="NHWC", refine=False, keypoint_threshold=0))
    assert as_heatmaps.shape == (3, 3)
    one = np.float32([[[[0.25, 0.5, 0.75]]]])
    assert points_of(person(Tensor(one), keypoint_threshold=0)).shape == (3, 3)
    points = points_of(person(Tensor(one), layout="keypoints"))
    assert np.abs(points - [[320, 120, 0.75]]).max() < 1e-4


@pytest.mark.parametrize("roi", [(-100, 30, 200, 100), (40, -90, 200, 100), (-300, -200, 100, 60)])
@pytest.mark.parametrize("kind", ["heatmaps", "keypoints"])
def test_keypoints_of_a_roi_outside_the_frame_are_placed_correctly(kind: str, roi: tuple[int, ...]) -> None:
    values = np.zeros((1, 1, 3, 3), np.float32) if kind == "keypoints" else heat(16, 16, 3)
    for keypoint, (row, column) in enumerate([(3, 5), (12, 9), (8, 14)]):
        if kind == "keypoints":
            values[0, 0, keypoint] = (row + 0.5) / 16, (column + 0.5) / 16, 0.9
        else:
            values[0, row, column, keypoint] = 0.9
    found = person(Tensor(values), (64, 64), roi, layout="keypoints" if kind == "keypoints" else "NHWC", refine=False)
    x, y, w, h = roi
    inputs = np.float64([[4 * c + 2, 4 * r + 2] for r, c in [(3, 5), (12, 9), (8, 14)]])
    expected = reference.to_frame(inputs, "stretch", (64, 64), (x, y, w, h))
    np.testing.assert_allclose(points_of(found)[:, :2], expected, atol=1e-2)


@pytest.mark.parametrize("roi", [(0, 0, 640, 480), (40, 30, 200, 100), (40, 30, 100, 300)])
@pytest.mark.parametrize("fit", ["crop", "letterbox"])
def test_keypoints_are_mapped_back_and_clipped_to_the_roi(
    fit: str, roi: tuple[int, int, int, int]
) -> None:
    tensor = Tensor(np.random.default_rng(8).random((1, 48, 48, 17)).astype(np.float32))
    source = getattr(n6post, fit.capitalize())(image.Image(640, 480, image.RGB565), roi=roi)
    (found,) = FakeModel([tensor], (192, 192)).run(n6post.MoveNet(0.0, refine=False), source)
    inputs = (np.float64(reference.peaks(tensor.values[0])) + 0.5) * 4
    corner, far = np.float64(roi[:2]), np.float64(roi[:2]) + roi[2:]
    expected = np.clip(reference.to_frame(inputs, fit, (192, 192), roi), corner, far)
    # Crop and Letterbox round to whole pixels of the frame and of the input: up to half a pixel each.
    np.testing.assert_allclose(points_of(found)[:, :2], expected, atol=1 + 2 * max(roi[2:]) / 192)
    x, y, w, h = found.rect
    assert roi[0] <= x < x + w <= roi[0] + roi[2] and roi[1] <= y < y + h <= roi[1] + roi[3]


# --- names ---
@pytest.mark.parametrize("roi", [(100, 0, 50, 100), (0, 100, 100, 50), (100, 30, 50, 100), (0, 0, 50, 100)])
def test_keypoint_in_a_letterbox_bar_is_clipped_to_the_edge_of_the_roi(roi: tuple[int, int, int, int]) -> None:
    """The bar is half as wide as the picture. The roi begins where the bar ends, the frame does not."""
    x, y, w, h = roi
    values = np.zeros((1, 48, 48, 3), np.float32)
    values[0, 24, 24, 0] = values[0, 0, 0, 1] = values[0, 47, 47, 2] = 0.9
    source = n6post.Letterbox(image.Image(200, 200, image.GRAYSCALE), roi=roi)
    (found,) = FakeModel([Tensor(values)], (192, 192)).run(n6post.MoveNet(refine=False), source)
    cell = 100 / 48  # frame pixels
    along = [(24.5 * cell, 0.5 * cell, 47.5 * cell), (24.5 * cell - 25, 0, 50)]
    across, down = along[::-1] if w < h else along
    wanted = np.array([np.float64(across) + x, np.float64(down) + y, [0.9] * 3]).T
    np.testing.assert_allclose(points_of(found), wanted, atol=1e-3)


@pytest.mark.parametrize("coordinates", [False, True])
@pytest.mark.parametrize("size", [(200, 100), (100, 200)])
def test_person_in_the_bars_of_a_letterbox_is_not_detected(size: tuple[int, int], coordinates: bool) -> None:
    """All visible keypoints in one bar; one more at the edge of the frame's part brings the person back."""
    for cells, count in (([1, 8], 0), ([1, 12], 1), ([40, 47], 0), ([35, 47], 1), ([1, 47], 1)):
        values = np.zeros((1, 1, 2, 3) if coordinates else (1, 48, 48, 2), np.float32)
        for k, cell in enumerate(cells):
            row, column = (cell, 24) if size[0] > size[1] else (24, cell)
            if coordinates:
                values[0, 0, k] = (row + 0.5) / 48, (column + 0.5) / 48, 0.9
            else:
                values[0, row, column, k] = 0.9
        source = n6post.Letterbox(image.Image(*size, image.GRAYSCALE))
        found = FakeModel([Tensor(values)], (192, 192)).run(n6post.MoveNet(), source)
        assert len(found) == count, cells


def test_coordinates_on_the_edge_of_a_frame_without_bars_are_a_person() -> None:
    for edge in (0.0, 1.0):
        values = np.float32([[[[edge, 0.5, 0.9], [edge, 0.25, 0.9]]]])
        (d,) = FakeModel([Tensor(values)], (64, 64)).run(n6post.MoveNet(), Framed((0, 0, 64, 64)))
        assert d.rect == (16, 63 * int(edge), 16, 1)


def test_detection_is_labeled_person_or_with_the_single_given_name() -> None:
    tensor = Tensor(np.random.default_rng(7).random((1, 48, 48, 13)).astype(np.float32))
    names = [f"keypoint {i}" for i in range(13)]
    for from_model, given_, expected in (
        (None, None, "person"), (["dancer"], None, "dancer"), (["dancer"], ["skater"], "skater"),
        (names, None, "person"), (None, names, "person"),
    ):
        model = FakeModel([tensor], (192, 192), from_model)
        assert model.run(n6post.MoveNet(labels=given_))[0].label == expected


# --- errors ---
BAD_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"keypoint_threshold": 1.5}, "keypoint_threshold: expected a number from 0(.0)? to 1(.0)?, got 1.5"),
    ({"keypoint_threshold": -0.1}, "keypoint_threshold: expected a number from 0(.0)? to 1(.0)?, got -0.1"),
    ({"keypoint_threshold": "high"}, "keypoint_threshold: expected a number from 0(.0)? to 1(.0)?, got 'high'"),
    ({"layout": "HWC"}, "layout: expected 'NHWC', 'NCHW', 'keypoints' or None, got 'HWC'"),
    ({"labels": []}, "labels: expected a list of names, a dict .*, the path of a .txt file or None, got .."),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS)
def test_option_out_of_range_raises_in_the_constructor(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        n6post.MoveNet(**options)


def zeros(*shape: int, dtype: str = "int8", scale: float = 0.01) -> Tensor:
    return Tensor(np.zeros(shape, dtype), scale)


WANTED = "expected heatmaps [1, H, W, keypoints] or [1, keypoints, H, W], or keypoints [1, 1, keypoints, 3]"
RATIO = "of 1 to 511 keypoints and the aspect ratio of the input, (64, 64)"
COORDINATES = "expected keypoints [1, 1, keypoints, 3] of 1 to 511 keypoints"
BAD_OUTPUTS: list[tuple[Tensor, dict[str, Any], str]] = [
    (zeros(2, 8, 8, 3), {}, f"{WANTED}, got (2, 8, 8, 3)"),
    (zeros(8, 8, 3), {}, f"{WANTED}, got (8, 8, 3)"),
    (zeros(1, 1, 1, 1000), {}, f"{WANTED} {RATIO}, got (1, 1, 1, 1000)"),
    (zeros(1, 8, 16, 3), {}, f"{WANTED} {RATIO}, got (1, 8, 16, 3)"),
    (zeros(1, 64, 64, 2), {}, f"{WANTED}, smaller than the input (64, 64), got (1, 64, 64, 2)"),
    (zeros(1, 8, 8, 3, dtype="uint16"), {}, "output 0: expected int8, uint8, int16 or float32, got uint16"),
    (zeros(1, 8, 8, 3, scale=0.0), {}, "output 0: expected a scale from 1e-12 to 10000, got 0.0"),
    (zeros(1, 8, 8, 3, scale=-1.0), {}, "output 0: expected a scale from 1e-12 to 10000, got -1.0"),
    (zeros(1, 8, 8, 3), {"layout": "keypoints"}, f"{COORDINATES}, got (1, 8, 8, 3)"),
    (zeros(2, 1, 8, 3), {"layout": "keypoints"}, f"{COORDINATES}, got (2, 1, 8, 3)"),
    (zeros(1, 8, 8, 3), {"labels": ["a", "b"]}, "labels: expected one name or 3, one per keypoint, got 2"),
]


@pytest.mark.parametrize(("tensor", "options", "message"), BAD_OUTPUTS)
def test_unsupported_output_is_refused_at_the_first_frame(
    tensor: Tensor, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=says(message)):
        FakeModel([tensor], (64, 64)).run(n6post.MoveNet(**options))


def test_invalid_outputs_are_refused_even_after_a_good_frame() -> None:
    model = FakeModel([zeros(1, 8, 8, 3)], (64, 64))
    processor = n6post.MoveNet()
    good = model.outputs()
    wanted = "expected 1 output (heatmaps [1, H, W, keypoints] or [1, keypoints, H, W], or keypoints [1, 1, keypoints, 3])"
    for _ in range(2):
        for outputs, came in (([], 0), (good + good, 2), (None, "NoneType"), ([None], "NoneType"), (["map"], "str")):
            what = wanted if came in (0, 2) or outputs is None else "output 0: expected an ndarray"
            with pytest.raises(ValueError, match=says(f"{what}, got {came}")):
                processor(model, [model.input()], outputs)
        assert processor(model, [model.input()], good) == []


# --- coordinates at the limits ---
@pytest.mark.parametrize("kind", ["float32", "int8", "uint8"])
@pytest.mark.parametrize(("score", "seen"), [(32, True), (31, False)])
def test_keypoint_with_a_score_equal_to_the_threshold_is_visible(kind: str, score: int, seen: bool) -> None:
    """Steps of 1 / 64: .5 is the 32nd. Keypoints of y, x, score."""
    steps = np.int16([[[[16, 8, 40], [48, 32, score]]]])
    tensor = Tensor((steps - 10).astype(np.int8), 1 / 64, -10)
    tensor = {"int8": tensor, "uint8": tensor.as_uint8(), "float32": tensor.dequantized()}[kind]
    (d,) = FakeModel([tensor], (64, 64)).run(n6post.MoveNet(0.5))
    assert d.rect == ((8, 16, 24, 32) if seen else (8, 16, 1, 1))
    assert d.score == pytest.approx((40 + 32) / 128 if seen else 40 / 64)


@pytest.mark.parametrize("roi", [(0, 0, 128, 192), (24, 0, 128, 192), (0, 48, 128, 192), (24, 48, 128, 192)])
def test_coordinates_are_mapped_to_the_roi_of_the_frame(roi: tuple[int, int, int, int]) -> None:
    """Off the frame's left edge, off its upper edge, off both: 64 x 64 pixels of the input are 128 x 192 of the frame."""
    x, y, _, _ = roi
    coordinates = np.float32([[[[0.25, 0.125, 0.9], [0.75, 0.5, 0.7]]]])
    (d,) = FakeModel([Tensor(coordinates)], (64, 64)).run(n6post.MoveNet(0.5), stretched(roi))
    assert d.rect == (x + 16, y + 48, 48, 96)
    np.testing.assert_allclose(d.keypoints.tolist(), [[x + 16, y + 48, 0.9], [x + 64, y + 144, 0.7]], rtol=1e-5)


# --- for the tests of all families: see family_cases.py ---
NAN = float("nan")


def thirteen_heatmaps() -> FakeModel:
    return FakeModel([Tensor(np.random.default_rng(3).random((1, 16, 16, 13)).astype(np.float32))], (64, 64))


def twelve_keypoints() -> FakeModel:
    """Twelve keypoints of y, x, score or, with layout="NHWC", three heatmaps of a row."""
    return FakeModel([Tensor(np.random.default_rng(4).random((1, 1, 12, 3)).astype(np.float32))], (64, 64))


FAMILY_CASES = FamilyCases(
    options={
        "keypoint_threshold": OptionCase(0.3, 0.999, (-0.1, 1.1, NAN, None), thirteen_heatmaps),
        "refine": OptionCase(True, False, (1, None, "no"), thirteen_heatmaps),
        "labels": OptionCase(None, ["dancer"], ("abc", [], [1]), thirteen_heatmaps),
        "layout": OptionCase(None, "NHWC", ("CHW", "joints", 1), twelve_keypoints),
    },
    frames={
        "MoveNet": FrameCase(n6post.MoveNet, heatmaps, direct_keypoints, ("refine", True, False)),
        "MoveNet direct": FrameCase(n6post.MoveNet, direct_keypoints, heatmaps, ("keypoint_threshold", 0.3, 0.7)),
    },
)
