"""lib/n6post/families/maps/fomo.py: cells that touch are one object; its box, center and score; errors."""

from __future__ import annotations

from typing import Any

import image
import n6post
import numpy as np
import pytest
import reference
from assertions import assert_well_formed, says
from fakes import FakeModel, Tensor
from family_cases import FamilyCases, FrameCase, OptionCase
from hypothesis import given
from hypothesis import strategies as st
from n6post.families.maps import fomo
from recorded_maps_and_vectors import FOMO, edge_impulse, model, tensor
from scipy import ndimage

FRAME = (0, 0, 96, 96)


def quantized(values: Any) -> Tensor:
    """Probabilities as Edge Impulse's files have them."""
    return Tensor(np.clip(np.round(values * 256) - 128, -128, 127).astype(np.int8), 1 / 256, -128)


def storages(tensor: Tensor) -> list[Tensor]:
    """An int8 tensor as every dtype and in both layouts."""
    kinds = [tensor, tensor.as_uint8(), tensor.as_int16(2, 5), tensor.dequantized()]
    return kinds + [kind.reordered(0, 3, 1, 2) for kind in kinds]


def expected(values: Any, threshold: float, cell: float = 8.0) -> list[tuple[Any, int, float, tuple[float, float]]]:
    """By scipy's connected components: (rect, class, score, center) of each object in input pixels, best first."""
    values = np.float64(values[0, :, :, 1:])
    best = values.argmax(axis=2)
    objects = []
    for class_id in range(values.shape[2]):
        scores = values[:, :, class_id]
        parts, count = ndimage.label((best == class_id) & (scores >= threshold), structure=np.ones((3, 3)))
        for i in range(1, count + 1):
            rows, columns = np.nonzero(parts == i)
            weights = np.maximum(scores[rows, columns], 1e-9)
            x0, y0, x1, y1 = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
            rect = tuple(int(cell * v) for v in (x0, y0, x1 - x0, y1 - y0))
            center = tuple(cell * (np.average(at, weights=weights) + 0.5) for at in (columns, rows))
            first = int(np.flatnonzero((parts == i).ravel())[np.argmax(scores[parts == i])])
            objects.append((-scores[rows, columns].max(), first, (rect, class_id, scores[rows, columns].max(), center)))
    return [one for _, _, one in sorted(objects, key=lambda o: o[:2])]


def assert_equal(found: Any, wanted: Any) -> None:
    assert [(d.rect, d.class_id) for d in found] == [(rect, class_id) for rect, class_id, _, _ in wanted]
    np.testing.assert_allclose([d.score for d in found], [score for _, _, score, _ in wanted], rtol=1e-6)
    for d, (_, _, _, center) in zip(found, wanted):
        np.testing.assert_allclose(d.keypoints.tolist(), [[*center, 1]], atol=0.05)


# --- real networks ---
@pytest.mark.parametrize("threshold", [0.5, 0.3])
@pytest.mark.parametrize("name", FOMO)
def test_objects_are_the_connected_cells_that_scipy_finds(name: str, threshold: float) -> None:
    recorded = tensor(name)
    wanted = expected(recorded.dequantized().values, threshold)
    for one in storages(recorded):
        found = FakeModel([one], (96, 96)).run(n6post.Fomo(threshold, max_detections=100))
        assert_well_formed(found, FRAME, 100)
        assert_equal(found, wanted)


def found_and_wanted(name: str, **options: Any) -> tuple[Any, Any]:
    """Our objects and Edge Impulse's: (rect, class, score)."""
    ours = sorted((d.rect, d.class_id, float(d.score)) for d in model(name).run(n6post.Fomo(**options)))
    rows = edge_impulse(name).tolist()
    return ours, sorted((tuple(int(v) for v in row[:4]), int(row[4]), row[5]) for row in rows)


@pytest.mark.parametrize("name", FOMO)
def test_objects_are_those_that_edge_impulses_own_code_finds(name: str) -> None:
    ours, theirs = found_and_wanted(name, layout="NHWC")
    assert [one[:2] for one in ours] == [one[:2] for one in theirs]
    np.testing.assert_allclose([one[2] for one in ours], [one[2] for one in theirs], rtol=1e-6)


def test_object_that_grows_to_the_left_is_whole_unlike_edge_impulses() -> None:
    """Its code moves the box to the new cell before it computes by how much the box is wider: so it is not."""
    ours, theirs = found_and_wanted("drawn/stairs", layout="NHWC")
    assert [one[0] for one in ours] == [(0, 0, 32, 32)]
    assert [one[0] for one in theirs] == [(0, 0, 8, 32)]


def test_object_inside_another_ones_box_is_apart_unlike_edge_impulses() -> None:
    """Its code merges cells with a box that they touch, whether or not they touch its cells."""
    ours, theirs = found_and_wanted("drawn/ring", layout="NHWC")
    assert [one[0] for one in ours] == [(0, 0, 40, 40), (16, 16, 8, 8)]
    assert [one[0] for one in theirs] == [(0, 0, 40, 40)]


# --- synthetic maps ---
def plot(*rows: str) -> Any:
    """A map of digits: a cell of class c is c + 1 with .9, "a" is class 0 with .6, "." is background; (1, h, w, 4)."""
    values = np.zeros((1, len(rows), len(rows[0]), 4), np.float32)
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            if letter == "a":
                values[0, y, x, 1] = 0.6
            elif letter != ".":
                values[0, y, x, int(letter)] = 0.9
    values[..., 0] = 1 - values[..., 1:].sum(axis=-1)
    return values


def run(one: Tensor, size: tuple[int, int], *first: Any, **options: Any) -> Any:
    """The objects in a map of four channels or two, whose layout is known."""
    layout = "NHWC" if one.values.shape[3] in (2, 4) and one.values.shape[1] != one.values.shape[3] else None
    return FakeModel([one], size).run(n6post.Fomo(*first, layout=layout, **options))


def objects(*rows: str, **options: Any) -> list[tuple[Any, int]]:
    values = plot(*rows)
    size = 8 * values.shape[2], 8 * values.shape[1]
    found = [run(one, size, **options) for one in storages(quantized(values))]
    shown = [[((d.rect[0] // 8, d.rect[1] // 8, d.rect[2] // 8, d.rect[3] // 8), d.class_id) for d in ds] for ds in found]
    assert all(one == shown[0] for one in shown)
    return shown[0]


def test_cells_that_touch_at_a_corner_are_one_object() -> None:
    assert objects("1....", ".1...", "..1..", "1....") == [((0, 0, 3, 3), 0), ((0, 3, 1, 1), 0)]


def test_object_may_bend_around_another_one() -> None:
    assert objects("11111", "1...1", "1.1.1", "1...1", "11111") == [((0, 0, 5, 5), 0), ((2, 2, 1, 1), 0)]


def test_neighbors_of_different_classes_are_different_objects() -> None:
    assert objects("123.", "123.") == [((0, 0, 1, 2), 0), ((1, 0, 1, 2), 1), ((2, 0, 1, 2), 2)]


def test_first_and_last_column_do_not_touch() -> None:
    assert objects("...1", "1...", "...1") == [((3, 0, 1, 1), 0), ((0, 1, 1, 1), 0), ((3, 2, 1, 1), 0)]


def test_center_is_the_mean_of_the_cells_weighted_by_probability() -> None:
    values = plot("11.", "a..", "...")
    for one in storages(quantized(values)):
        (d,) = FakeModel([one], (24, 24)).run(n6post.Fomo())
        x, y, score = d.keypoints.tolist()[0]
        np.testing.assert_allclose((x, y), (4 + 8 * 0.9 / 2.4, 4 + 8 * 0.6 / 2.4), atol=0.05)
        assert score == 1 and d.score == pytest.approx(0.9, abs=0.003)
        assert d.keypoint(0)[:2] == (int(x), int(y))


def test_cell_has_its_most_probable_class_besides_the_background() -> None:
    values = np.float32([[[[0.2, 0.35, 0.45]]]])
    (d,) = FakeModel([Tensor(values)], (8, 8)).run(n6post.Fomo(0.3))
    assert (d.class_id, d.score) == (1, pytest.approx(0.45))


def test_threshold_is_compared_as_a_quantized_integer() -> None:
    for step, count in ((128, 1), (127, 0)):
        values = np.zeros((1, 3, 3, 2), np.float32)
        values[0, 1, 1, 1] = step / 256
        for one in storages(quantized(values)):
            assert len(run(one, (24, 24), 0.5)) == count


def test_nan_is_no_object() -> None:
    values = plot("1..", "..1")
    values[0, 0, 0, 1] = np.nan
    with np.errstate(invalid="ignore"):
        (d,) = FakeModel([Tensor(values)], (24, 16)).run(n6post.Fomo())
    assert d.rect == (16, 8, 8, 8)


def test_objects_beyond_max_detections_are_those_of_lower_scores() -> None:
    processor = n6post.Fomo(max_detections=1)
    values = plot("a..", "..1")
    for _ in range(2):
        (d,) = FakeModel([quantized(values)], (24, 16)).run(processor)
        assert d.rect == (16, 8, 8, 8)
    # The cells of the object that was left out are not in the next frame.
    assert FakeModel([quantized(plot("...", "..."))], (24, 16)).run(processor) == []
    assert FakeModel([quantized(plot("...", ".1."))], (24, 16)).run(processor)[0].rect == (8, 8, 8, 8)


def test_grid_is_kept_from_frame_to_frame() -> None:
    processor, network = n6post.Fomo(), model("fomo/portraits")
    network.run(processor)
    grid = processor._binding.grid
    assert grid is not None
    for _ in range(2):
        network.run(processor)
        assert processor._binding.grid is grid


def test_classes_filter_by_number_and_label_without_the_background() -> None:
    assert objects("123.", classes=[1]) == [((1, 0, 1, 1), 1)]
    names = ["background", "cat", "dog", "bird"]
    assert objects("123.", classes=["bird", "cat"], labels=names) == [((0, 0, 1, 1), 0), ((2, 0, 1, 1), 2)]
    with pytest.raises(ValueError, match="classes: expected numbers below 3, got 3"):
        objects("123.", classes=[3])


@pytest.mark.parametrize(
    ("from_model", "given_", "wanted"),
    [
        (None, None, "1"), (["background", "cat", "dog", "bird"], None, "dog"), (["cat", "dog", "bird"], None, "dog"),
        (None, ["bg", "cat", "dog", "bird"], "dog"), (["a", "b", "c"], ["cat", "dog", "bird"], "dog"), (["a"], None, "1"),
    ],
)  # fmt: skip
def test_labels_may_name_the_background_or_not(from_model: Any, given_: Any, wanted: str) -> None:
    (d,) = FakeModel([quantized(plot(".2", ".."))], (16, 16), from_model).run(n6post.Fomo(labels=given_))
    assert (d.class_id, d.label) == (1, wanted)


# --- the frame ---
@pytest.mark.parametrize("roi", [(0, 0, 640, 480), (40, 30, 200, 100), (40, 30, 100, 300), (5, 5, 1, 1)])
@pytest.mark.parametrize("fit", ["stretch", "crop", "letterbox"])
def test_boxes_and_centers_are_mapped_back_to_the_frame(fit: str, roi: tuple[int, int, int, int]) -> None:
    source = getattr(n6post, fit.capitalize())(image.Image(640, 480, image.RGB565), roi=roi)
    found = model("fomo/portraits").run(n6post.Fomo(), source)
    assert_well_formed(found, roi, 20)
    corner, far = np.float64(roi[:2]), np.float64(roi[:2]) + roi[2:]
    wanted = []
    for rect, _, _, center in expected(tensor("fomo/portraits").dequantized().values, 0.5):
        x, y, w, h = rect
        points = np.float64([(x, y), (x + w, y + h), center])
        points = np.clip(reference.to_frame(points, fit, (96, 96), roi), corner, far)
        wanted.append(points)
    inside = [points for points in wanted if (np.round(points[1]) > np.round(points[0])).all()]
    tolerance = 1.5 + 2 * max(roi[2:]) / 96
    if min(roi[2:]) > 1:
        assert len(found) == len(inside)
        for d, points in zip(found, inside):
            x, y, w, h = d.rect
            np.testing.assert_allclose([x, y, x + w, y + h], points[:2].ravel(), atol=tolerance)
            np.testing.assert_allclose(d.keypoints.tolist()[0][:2], points[2], atol=tolerance)


@given(
    st.integers(0, 2**32),
    st.sampled_from(["int8", "uint8", "int16", "float32"]),
    st.booleans(),
    st.integers(1, 12),
    st.integers(1, 12),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.3, 0.5, 0.9]),
)
def test_any_map_gives_scipys_components(
    seed: int, dtype: str, channels_last: bool, height: int, width: int, classes: int, threshold: float
) -> None:
    random = np.random.default_rng(seed)
    values = random.dirichlet(np.full(classes + 1, 0.3), (1, height, width))
    one = quantized(values)
    one = {"int8": one, "uint8": one.as_uint8(), "int16": one.as_int16(2, 5), "float32": one.dequantized()}[dtype]
    dequantized = one.dequantized().values
    stored = one if channels_last else one.reordered(0, 3, 1, 2)
    layout = "NHWC" if channels_last else "NCHW"
    processor = n6post.Fomo(threshold, max_detections=1000, layout=layout)
    found = FakeModel([stored], (8 * width, 8 * height)).run(processor)
    wanted = expected(dequantized, threshold)
    assert [(d.rect, d.class_id) for d in found] == [one[:2] for one in wanted]
    for d, (_, _, score, center) in zip(found, wanted):
        assert d.score == pytest.approx(score, abs=1e-6)
        # A weight is at least 1 of 256.
        np.testing.assert_allclose(d.keypoints.tolist()[0][:2], center, atol=8 * max(width, height) if score < 0.1 else 2)


def test_map_of_more_than_1024_cells_is_searched_whole() -> None:
    values = np.zeros((1, 60, 60, 2), np.float32)
    values[0, 3, 4, 1] = values[0, 58, 59, 1] = values[0, 59, 59, 1] = 0.8
    found = FakeModel([quantized(values)], (480, 480)).run(n6post.Fomo())
    assert sorted(d.rect for d in found) == [(32, 24, 8, 8), (472, 464, 8, 16)]


def test_result_does_not_change_with_the_next_frame() -> None:
    processor = n6post.Fomo()
    network = model("fomo/portraits")
    before = network.run(processor)
    kept = [(d.rect, d.score, d.keypoints.tolist()) for d in before]
    model("fomo/astronaut").run(processor)
    network.tensors[0].values[:] = 0
    assert [(d.rect, d.score, d.keypoints.tolist()) for d in before] == kept


def test_interrupted_frame_leaves_no_cells_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    processor = n6post.Fomo()
    network = FakeModel([quantized(plot("11...", ".....", "...11"))], (40, 24))
    wanted = [d.rect for d in network.run(processor)]
    assert len(wanted) == 2

    def failing(values: Any, labels: Any, params: Any, grid: Any, *arguments: Any) -> int:
        for at in range(len(grid)):
            grid[at] = 1
        raise MemoryError

    monkeypatch.setattr(fomo.cell_kernels, "group_cells", failing)
    with pytest.raises(MemoryError):
        network.run(processor)
    monkeypatch.undo()
    assert [d.rect for d in network.run(processor)] == wanted


def test_objects_carry_the_size_of_their_frame() -> None:
    found = model("fomo/portraits").run(n6post.Fomo(), n6post.Stretch(image.Image(640, 480, image.GRAYSCALE)))
    assert {d.frame_size for d in found} == {(640, 480)}
    assert {d.replace(track_id=3).frame_size for d in found} == {(640, 480)}


def test_tracker_and_drawing_take_the_objects() -> None:
    img = image.Image(96, 96, image.RGB565)
    tracker = n6post.Tracker(min_hits=1)
    found = tracker.update(model("fomo/portraits").run(n6post.Fomo(labels=["background", "face"])))
    assert [d.track_id for d in found] == list(range(1, 10)) and {d.label for d in found} == {"face"}
    n6post.draw(img, found)
    assert any(img.bytearray())


# --- errors ---
WANTED = "expected probabilities [1, h, w, 1 + classes] or [1, 1 + classes, h, w]"
BAD_OUTPUTS: list[tuple[Tensor, dict[str, Any], str]] = [
    (Tensor(np.zeros((1, 8, 8, 1), np.int8), 1 / 256, -128), {}, f"{WANTED}, at least one class, got (1, 8, 8, 1)"),
    (Tensor(np.zeros((1, 8, 8), np.int8), 1 / 256, -128), {}, f"{WANTED}, got (1, 8, 8)"),
    (Tensor(np.zeros((2, 8, 8, 2), np.int8), 1 / 256, -128), {}, f"{WANTED}, got (2, 8, 8, 2)"),
    (
        Tensor(np.zeros((1, 8, 4, 2), np.int8), 1 / 256, -128), {},
        f"{WANTED} of 1 to 255 channels and the aspect ratio of the input, (64, 64), got (1, 8, 4, 2)",
    ),
    (Tensor(np.zeros((1, 8, 8, 2), np.int8), 0.1, 0), {}, f"{WANTED} from 0 to 1, got numbers from -12.8 to 12.7"),
    (Tensor(np.full((1, 8, 8, 2), 5, np.float32)), {}, f"{WANTED} from 0 to 1, got numbers from 5 to 5"),
    (
        Tensor(np.zeros((1, 8, 8, 3), np.int8), 1 / 256, -128), {"labels": ["a"]},
        "expected 2 labels, one per class, or one more for the background, got 1",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("bad", "options", "message"), BAD_OUTPUTS)
def test_unsupported_output_is_refused_at_the_first_frame(bad: Tensor, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=says(message)):
        FakeModel([bad], (64, 64)).run(n6post.Fomo(**options))


@pytest.mark.parametrize("side", [(512, 2), (2, 512)])
def test_a_map_of_more_than_511_cells_a_side_is_refused(side: tuple[int, int]) -> None:
    width, height = side
    with pytest.raises(ValueError, match="expected a map of at most 511 cells a side"):
        FakeModel([Tensor(np.zeros((1, height, width, 2), np.float32))], (8 * width, 8 * height)).run(n6post.Fomo())


def test_logits_far_below_0_are_refused_too() -> None:
    values = np.full((1, 12, 12, 2), -5, np.float32)
    with pytest.raises(ValueError, match="from 0 to 1, got numbers from -5 to -5"):
        FakeModel([Tensor(values)], (96, 96)).run(n6post.Fomo())


def test_1024_cells_of_one_object_are_one_object() -> None:
    values = np.zeros((1, 40, 40, 2), np.float32)
    values[0, :32, :32, 1] = np.linspace(0.6, 0.9, 1024).reshape(32, 32)
    (d,) = FakeModel([Tensor(values)], (320, 320)).run(n6post.Fomo())
    assert d.rect == (0, 0, 256, 256)


def test_ambiguous_shape_needs_the_layout_option() -> None:
    values = np.zeros((1, 4, 4, 4), np.float32)
    values[0, 1, 2, 3] = 0.9
    with pytest.raises(ValueError, match="expected layout='NHWC' or 'NCHW'"):
        FakeModel([Tensor(values)], (32, 32)).run(n6post.Fomo())
    rects = [FakeModel([Tensor(values)], (32, 32)).run(n6post.Fomo(layout=one))[0].rect for one in ("NHWC", "NCHW")]
    assert rects == [(16, 8, 8, 8), (24, 16, 8, 8)]


# --- for the tests of all families: see family_cases.py ---
NAN = float("nan")


def three_classes() -> FakeModel:
    return FakeModel([quantized(plot("1.a", "...", "233"))], (32, 32))


def two_classes() -> FakeModel:
    return FakeModel([Tensor(plot("1.1.", "..2.", "....", "....")[..., :3].copy())], (32, 32), ["background", "cat", "dog"])


def one_shape() -> FakeModel:
    """A map of as many channels as rows, which may have either layout."""
    values = np.zeros((1, 4, 4, 4), np.float32)
    values[0, 1, 2, 3] = 0.9
    return FakeModel([Tensor(values)], (32, 32))


FAMILY_CASES = FamilyCases(
    options={
        "threshold": OptionCase(0.5, 0.7, (-0.1, 1.1, NAN, None), three_classes),
        "max_detections": OptionCase(20, 1, (0, 65536, 1.5, None), three_classes),
        "classes": OptionCase(None, [1], ("abc", [], [-1]), three_classes),
        "labels": OptionCase(None, ["x", "y", "z"], ("abc", [], [1]), three_classes),
        "layout": OptionCase(None, "NCHW", ("CHW", 1), one_shape, {"layout": "NHWC"}),
    },
    frames={
        "Fomo": FrameCase(n6post.Fomo, three_classes, two_classes, ("threshold", 0.5, 0.7)),
        "Fomo classes": FrameCase(
            lambda: n6post.Fomo(classes=[0], max_detections=1), three_classes, two_classes, ("max_detections", 1, 5)
        ),
    },
    examines_numbers=True,
)
