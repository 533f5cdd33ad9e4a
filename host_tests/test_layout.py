"""lib/n6post/layout.py: which dimension is what, told by the shapes of inputs, heads, prototypes and maps."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from checks import says
from fakes import FakeModel
from hypothesis import example, given
from hypothesis import strategies as st
from n6post import layout


def head_layout(shape: tuple[int, ...], size: tuple[int, int]) -> tuple[int, int, bool]:
    """The only one, or of several the first: that of the usual strides."""
    found = layout.head_layouts(shape, size)
    assert len(found) == len(set(found))
    return tuple(found[0])  # type: ignore[return-value]


# --- models ---
def test_the_shapes_of_a_models_outputs_are_tuples() -> None:
    for shapes in (((1, 84, 2100), (1, 80, 80, 32)), [[1, 84, 2100], [1, 80, 80, 32]]):
        assert layout.output_shapes(SimpleNamespace(output_shape=shapes)) == [(1, 84, 2100), (1, 80, 80, 32)]


@pytest.mark.parametrize("model", [
    None, 5, "model.tflite", FakeModel, SimpleNamespace(output_shape=7), SimpleNamespace(output_shape=(1, 84, 2100)),
    SimpleNamespace(output_shape=["1, 84, 2100"]),
])  # fmt: skip
def test_what_has_no_output_shapes_is_no_model(model: Any) -> None:
    with pytest.raises(ValueError, match=says(f"model: expected an ml.Model, got {type(model).__name__}")):
        layout.output_shapes(model)


# --- heads -----------------------------------------------------------------------------------------------------------
def anchors(width: int, height: int) -> int:
    return sum((width // s) * (height // s) for s in (8, 16, 32))


@given(st.integers(1, 40), st.integers(1, 40), st.integers(5, 1300))
@example(1, 1, 5)
@example(40, 40, 1300)
@example(1, 40, 5)
@example(1, 1, 20)
def test_the_count_of_anchors_tells_the_two_orders_of_a_head_apart(w: int, h: int, channels: int) -> None:
    size = (32 * w, 32 * h)
    count = anchors(*size)
    assert tuple(head_layout((1, channels, count), size)) == (channels, count, True)
    if channels != count:
        assert tuple(head_layout((1, count, channels), size)) == (channels, count, False)


@pytest.mark.parametrize(("side", "count"), [(192, 756), (256, 1344), (320, 2100), (416, 3549), (640, 8400)])
def test_the_known_input_sizes_have_the_known_counts(side: int, count: int) -> None:
    assert tuple(head_layout((1, 116, count), (side, side))) == (116, count, True)
    assert tuple(head_layout((1, count, 116), (side, side))) == (116, count, False)


@pytest.mark.parametrize("strides", [(8, 16, 32), (4, 8, 16, 32), (8, 16, 32, 64), (16, 32)])
@pytest.mark.parametrize("size", [(320, 320), (640, 384)])
def test_every_set_of_strides_that_heads_are_made_of_is_known(strides: tuple[int, ...], size: tuple[int, int]) -> None:
    count = sum((size[0] // s) * (size[1] // s) for s in strides)
    assert tuple(head_layout((1, 84, count), size)) == (84, count, True)
    assert tuple(head_layout((1, count, 84), size)) == (84, count, False)


@pytest.mark.parametrize("size", [(200, 136), (96, 160), (65, 127), (31, 33), (40, 90)])
def test_cells_that_the_input_cuts_off_are_no_anchors(size: tuple[int, int]) -> None:
    cells = {s: len(range(s, size[0] + 1, s)) * len(range(s, size[1] + 1, s)) for s in (4, 8, 16, 32, 64)}
    usual = cells[8] + cells[16] + cells[32]
    assert layout.anchor_counts(size) == (usual, usual + cells[4], usual + cells[64], cells[16] + cells[32])


@pytest.mark.parametrize(
    "shape", [(1, 300, 6), (1, 6300, 7), (1, 84, 1000), (1, 84, 2101), (1, 320, 320), (1, 80, 80, 32), (1, 0, 2100), ()]
)
def test_a_shape_without_the_inputs_anchors_is_no_raw_head(shape: tuple[int, ...]) -> None:
    assert layout.head_layouts(shape, (320, 320)) == []
    assert layout.head_layouts((1, 84, 2100), None) == []


def test_channels_that_are_a_number_of_anchors_too_leave_every_reading_open() -> None:
    assert layout.head_layouts((1, 84, 84), (64, 64)) == [(84, 84, True), (84, 84, False)]
    assert layout.head_layouts((1, 84, 20), (64, 64)) == [(20, 84, False), (84, 20, True)]  # strides 16 and 32


def test_dimensions_of_1_that_converters_add_do_not_matter() -> None:
    for shape in ((1, 1, 116, 2100), (1, 116, 2100, 1), (1, 116, 1, 2100), (116, 2100)):
        assert tuple(head_layout(shape, (320, 320))) == (116, 2100, True)
    assert tuple(head_layout((1, 1, 2100, 5), (320, 320))) == (5, 2100, False)


@pytest.mark.parametrize("shape", [(2, 116, 2100), (2100,), (1, 80, 80, 32), (1, 0, 2100), ()])
def test_shapes_of_other_than_two_dimensions_are_not_flat(shape: tuple[int, ...]) -> None:
    assert layout.flat(shape) == ()


def test_the_last_two_dimensions_of_a_head_stay_whatever_they_are() -> None:
    assert layout.flat((1, 84, 1)) == (84, 1) and layout.flat((1, 1, 84)) == (1, 84) and layout.flat((84, 1)) == (84, 1)
    assert layout.flat((1, 1, 84, 1)) == (84, 1) and layout.flat((1, 1, 1)) == layout.flat((1, 1)) == (1, 1)
    assert layout.squeezed((1, 84, 1, 2100)) == [84, 2100]


# --- prototypes ------------------------------------------------------------------------------------------------------
@given(st.integers(1, 20), st.integers(1, 20), st.integers(8, 64))
@example(1, 1, 8)
@example(1, 1, 64)
@example(20, 1, 8)
@example(8, 8, 64)
def test_prototypes_are_told_by_a_quarter_of_the_input(w: int, h: int, count: int) -> None:
    size, width, height = (32 * w, 32 * h), 8 * w, 8 * h
    last = tuple(layout.prototype_layout((1, height, width, count), size))
    assert last == (count, width, height, True)
    if not (count == height == width or (height, width) == (count, height)):
        assert tuple(layout.prototype_layout((1, count, height, width), size)) == (count, width, height, False)


@pytest.mark.parametrize(
    "shape", [(80, 80, 32), (2, 80, 80, 32), (1, 116, 2100), (32,), (), (1, 1, 1, 32), (1, 32, 1, 1)]
)
def test_shapes_that_are_no_prototypes_are_refused(shape: tuple[int, ...]) -> None:
    sentence = (
        "expected prototypes [1, H, W, M] or [1, M, H, W], more than one pixel and of the aspect ratio of the input, (320,"
        f" 320), got {shape}"
    )
    with pytest.raises(ValueError, match=says(sentence)):
        layout.prototype_layout(shape, (320, 320))


def test_prototypes_of_a_side_that_ulab_could_not_compare_are_refused() -> None:
    """A reduction over 65,536 and more never returns there: of the input's aspect ratio, but for the tolerance, they are."""
    assert tuple(layout.prototype_layout((1, 65535, 8, 9), (8, 65535))) == (9, 8, 65535, True)
    with pytest.raises(ValueError, match=r"expected prototypes .*, got \(1, 65536, 8, 9\)"):
        layout.prototype_layout((1, 65536, 8, 9), (8, 65535))


@pytest.mark.parametrize("size", [(320, 320), (320, 192)])
def test_prototypes_of_half_the_input_are_told_by_its_aspect_ratio(size: tuple[int, int]) -> None:
    width, height = size[0] // 2, size[1] // 2
    assert tuple(layout.prototype_layout((1, height, width, 32), size)) == (32, width, height, True)
    assert tuple(layout.prototype_layout((1, 32, height, width), size)) == (32, width, height, False)


def test_two_pixels_are_prototypes_and_one_is_not() -> None:
    assert layout.prototype_layout((1, 1, 2, 32), (320, 160)) == (32, 2, 1, True)
    assert layout.prototype_layout((1, 32, 1, 2), (320, 160)) == (32, 2, 1, False)
    expected = (
        "expected prototypes [1, H, W, M] or [1, M, H, W], more than one pixel and of the aspect ratio of the input,"
        " (320, 320), got (1, 1, 1, 32)"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
        layout.prototype_layout((1, 1, 1, 32), (320, 320))


@pytest.mark.parametrize(
    ("shape", "size", "told"),
    [
        # 33 x 32 is a quarter of 132 x 128, and 32 x 32 has its aspect ratio but for 128 of 132 that are allowed.
        ((1, 32, 32, 33), (132, 128), (32, 33, 32, False)),
        ((1, 32, 33, 32), (132, 128), (32, 33, 32, True)),
        ((1, 33, 33, 32), (128, 132), (33, 32, 33, False)),
        ((1, 33, 32, 33), (128, 132), (33, 32, 33, True)),
        # One pixel may be a quarter: of an input of less than eight.
        ((1, 1, 1, 32), (7, 5), (32, 1, 1, True)),
        ((1, 32, 1, 1), (7, 5), (32, 1, 1, False)),
    ],
)
def test_a_quarter_of_the_input_goes_before_its_aspect_ratio(
    shape: tuple[int, ...], size: tuple[int, int], told: tuple[int, int, int, bool]
) -> None:
    assert layout.prototype_layout(shape, size) == told


@pytest.mark.parametrize(("count", "side"), [(39, 40), (41, 40), (33, 32)])
def test_of_prototypes_whose_count_is_nearly_their_side_the_equal_sides_are_width_and_height(count: int, side: int) -> None:
    """Both orders have the input's aspect ratio, but for the pixel that a stride rounds by."""
    assert tuple(layout.prototype_layout((1, side, side, count), (256, 256))) == (count, side, side, True)
    assert tuple(layout.prototype_layout((1, count, side, side), (256, 256))) == (count, side, side, False)


@pytest.mark.parametrize("shape", [(1, 80, 40, 32), (1, 32, 80, 40), (1, 80, 80, 8), (1, 8, 80, 80)])
def test_prototypes_of_another_aspect_ratio_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"aspect ratio of the input, \(320, 192\), got \(1, "):
        layout.prototype_layout(shape, (320, 192))


# --- maps ------------------------------------------------------------------------------------------------------------
def test_a_map_has_the_aspect_ratio_of_the_input_but_for_the_pixel_that_a_stride_rounds_by() -> None:
    for width, height in ((33, 25), (32, 24), (257, 193), (128, 96)):
        assert layout.like_input(width, height, (257, 193))
        assert tuple(layout.map_layout((1, height, width, 4), (257, 193))) == (width, height, 4, True)
        assert tuple(layout.map_layout((1, 4, height, width), (257, 193))) == (width, height, 4, False)
    for width, height in ((25, 33), (33, 33), (33, 28)):
        assert not layout.like_input(width, height, (257, 193))
        with pytest.raises(ValueError, match=r"1 to 255 channels and the aspect ratio .*\(257, 193\), got"):
            layout.map_layout((1, height, width, 4), (257, 193))


def test_of_an_oblong_input_the_longer_side_of_a_map_may_be_two_of_its_pixels_off() -> None:
    """One of the shorter side, which are two across: 8 x 4 is 64 x 32, and 10 x 5 as well."""
    for width, height in ((6, 4), (8, 4), (10, 4), (8, 3), (8, 5)):
        assert layout.like_input(width, height, (64, 32)) and layout.like_input(height, width, (32, 64))
    for width, height in ((5, 4), (11, 4), (8, 2), (8, 6)):
        assert not layout.like_input(width, height, (64, 32)) and not layout.like_input(height, width, (32, 64))


def test_of_a_square_input_a_map_may_be_a_pixel_off_the_square_and_no_two() -> None:
    for width, height in ((10, 10), (11, 10), (10, 11)):
        assert layout.like_input(width, height, (320, 320))
    assert not layout.like_input(12, 10, (320, 320)) and not layout.like_input(10, 12, (320, 320))


@pytest.mark.parametrize(
    ("shape", "size", "told"),
    [
        ((1, 8, 8, 9), (64, 64), (8, 8, 9, True)),
        ((1, 9, 8, 8), (64, 64), (8, 8, 9, False)),
        ((1, 4, 9, 16), (64, 32), (9, 4, 16, True)),  # 9 x 4 is half a pixel off, 16 x 9 is a whole one
        ((1, 4, 7, 14), (64, 32), (14, 7, 4, False)),
        ((1, 4, 8, 17), (64, 32), (8, 4, 17, True)),
        ((1, 5, 9, 18), (64, 32), (18, 9, 5, False)),
        ((1, 16, 8, 5), (32, 64), (8, 16, 5, True)),
        ((1, 17, 8, 4), (32, 64), (4, 8, 17, False)),
        ((1, 3, 16, 8), (32, 64), (8, 16, 3, False)),
        ((1, 1, 1, 1), (64, 64), (1, 1, 1, True)),
        ((1, 10, 10, 255), (64, 64), (10, 10, 255, True)),
        ((1, 255, 10, 10), (64, 64), (10, 10, 255, False)),
    ],
)
def test_where_both_pairs_of_neighbours_have_the_aspect_ratio_the_nearer_one_is_the_map(
    shape: tuple[int, ...], size: tuple[int, int], told: tuple[int, int, int, bool]
) -> None:
    assert layout.map_layout(shape, size) == told


MAP = "a map [1, H, W, C] or [1, C, H, W]"


@pytest.mark.parametrize(
    ("shape", "options", "said"),
    [
        ((1, 8, 8), {}, f"expected {MAP}, got (1, 8, 8)"),
        ((2, 8, 8, 4), {}, f"expected {MAP}, got (2, 8, 8, 4)"),
        ((1, 8, 8, 0), {"wanted": "heatmaps"}, "expected heatmaps, got (1, 8, 8, 0)"),
        ((1, 9, 30, 4), {},
         f"expected {MAP} of 1 to 255 channels and the aspect ratio of the input, (64, 64), got (1, 9, 30, 4)"),
        ((1, 10, 10, 256), {},
         f"expected {MAP} of 1 to 255 channels and the aspect ratio of the input, (64, 64), got (1, 10, 10, 256)"),
        ((1, 256, 10, 10), {"parts": "joints"},
         f"expected {MAP} of 1 to 255 joints and the aspect ratio of the input, (64, 64), got (1, 256, 10, 10)"),
        ((1, 9, 30, 4), {"layout": "NHWC", "most": 3}, f"expected {MAP} of 1 to 3 channels, got (1, 9, 30, 4)"),
        ((1, 4, 30, 9), {"layout": "NCHW", "most": 3}, f"expected {MAP} of 1 to 3 channels, got (1, 4, 30, 9)"),
        ((1, 8, 8, 8), {}, "(1, 8, 8, 8) may be [1, H, W, C] or [1, C, H, W]: expected layout='NHWC' or 'NCHW'"),
    ],
)  # fmt: skip
def test_what_is_no_map_is_told_with_what_was_expected(shape: tuple[int, ...], options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        layout.map_layout(shape, (64, 64), **options)


def test_a_layout_that_is_said_holds_for_a_map_of_any_aspect_ratio() -> None:
    assert tuple(layout.map_layout((1, 9, 30, 4), (64, 64), layout="NHWC")) == (30, 9, 4, True)
    assert tuple(layout.map_layout((1, 9, 30, 4), (64, 64), layout="NCHW")) == (4, 30, 9, False)


# --- models ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ((1, 240, 320, 3), (320, 240)),
        ((1, 240, 320, 1), (320, 240)),
        ((1, 3, 240, 320), (320, 240)),
        ((240, 320, 3), (320, 240)),
    ],
)
def test_the_input_size_is_width_and_height_in_either_order_of_channels(
    shape: tuple[int, ...], size: tuple[int, int]
) -> None:
    model = FakeModel([], size)
    model.input_shape = (shape,)  # type: ignore[assignment]
    assert tuple(layout.input_size(model)) == size


@pytest.mark.parametrize("shape", [(1, 65535, 2, 3), (65535, 2, 1), (3, 65535, 2), (1, 1, 65535, 2)])
def test_an_input_may_be_as_long_as_sixteen_bits_count(shape: tuple[int, ...]) -> None:
    model = FakeModel([], (64, 64))
    model.input_shape = (shape,)  # type: ignore[assignment]
    assert layout.input_size(model) == (2, 65535)


@pytest.mark.parametrize(
    "shapes",
    [None, (), ((1, 65536, 1, 3),), ((1, 0, 64, 3),), ((1, 64, 64, 4),), ((1, 1, 64, 64, 3),), ((64, 64),), ((2, 64, 64),)],
)
def test_of_an_input_that_is_no_picture_no_size_is_told(shapes: Any) -> None:
    model = FakeModel([], (64, 64))
    model.input_shape = shapes
    assert layout.input_size(model) is None
    assert layout.input_size(object()) is None


# --- joints ----------------------------------------------------------------------------------------------------------
def test_joints_are_rows_of_three_and_more_than_one() -> None:
    assert layout.are_joints((1, 1, 17, 3)) and layout.are_joints((1, 1, 2, 3))
    others = [(1, 1, 1, 3), (1, 2, 17, 3), (2, 1, 17, 3), (1, 1, 17, 2), (1, 1, 17, 4), (1, 1, 1, 17, 3), (1, 17, 3), (1, 1)]
    for shape in others:
        assert not layout.are_joints(shape)
