"""lib/n6post/tensors/head_layout.py: storage orders of heads and maps, found by shape, and what is where in an array."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from assertions import says
from fakes import Array
from hypothesis import example, given
from hypothesis import strategies as st
from n6post.tensors.head_layout import (
    HeadLayout,
    anchor_counts,
    flat,
    head_layouts,
    map_layout,
    prototype_layout,
    row_layouts,
    squeezed,
)
from ulab import _host

# --- a layout and its array ---
CHANNELS, ANCHORS = 7, 21


def stored(channels_first: bool, dtype: str) -> tuple[HeadLayout, Any, Array]:
    """(layout, array as it is stored, the same numbers as (channels, anchors))."""
    values = np.arange(-70, -70 + CHANNELS * ANCHORS).reshape(CHANNELS, ANCHORS).astype(dtype)
    values = np.roll(values, 5, axis=1)
    array = values if channels_first else np.ascontiguousarray(values.T)
    return HeadLayout(CHANNELS, ANCHORS, channels_first), _host.wrap(array[None]), values


both_orders = pytest.mark.parametrize("channels_first", [True, False])
every_dtype = pytest.mark.parametrize("dtype", ["int8", "int16", "float32"])


@both_orders
def test_a_layout_is_a_tuple_of_channels_anchors_and_order(channels_first: bool) -> None:
    layout = HeadLayout(CHANNELS, ANCHORS, channels_first)
    assert layout == (CHANNELS, ANCHORS, channels_first)
    assert (layout.channels, layout.anchors, layout.channels_first) == (CHANNELS, ANCHORS, channels_first)


@both_orders
@every_dtype
def test_the_steps_lead_from_any_number_to_its_neighbors(channels_first: bool, dtype: str) -> None:
    layout, array, values = stored(channels_first, dtype)
    flat_array = array._np.reshape(-1)
    for channel in range(CHANNELS):
        for anchor in range(ANCHORS):
            at = channel * layout.channel_step + anchor * layout.anchor_step
            assert flat_array[at] == values[channel, anchor]


@both_orders
@every_dtype
@pytest.mark.parametrize("shape", [(1,), (1, 1), ()])
def test_the_grid_is_the_array_in_two_dimensions_as_stored(channels_first: bool, dtype: str, shape: tuple[int, ...]) -> None:
    layout, array, values = stored(channels_first, dtype)
    grid = layout.grid(array.reshape(shape + array.shape[1:]))
    assert grid.shape == array.shape[1:]
    assert grid.tolist() == (values if channels_first else values.T).tolist()
    assert grid.shape[layout.anchor_axis] == ANCHORS
    grid[2, 3] = 99
    assert array[0, 2, 3] == 99, "a view, no copy"


@both_orders
@every_dtype
def test_a_column_has_one_channel_of_every_anchor_or_every_step_th(channels_first: bool, dtype: str) -> None:
    layout, array, values = stored(channels_first, dtype)
    for channel in range(CHANNELS):
        assert layout.column(array, channel).tolist() == values[channel].tolist()
        for step in (2, 5, ANCHORS):
            assert layout.column(array, channel, step).tolist() == values[channel, ::step].tolist()


@both_orders
@every_dtype
def test_columns_have_a_range_of_channels_as_stored(channels_first: bool, dtype: str) -> None:
    layout, array, values = stored(channels_first, dtype)
    for first, last, step in ((0, 2, 1), (0, 4, 1), (4, 7, 1), (6, 7, 1), (1, 7, 3), (0, 7, 1)):
        part = layout.columns(array, first, last) if step == 1 else layout.columns(array, first, last, step)
        wanted = values[first:last:step]
        assert part.tolist() == (wanted if channels_first else wanted.T).tolist()
        assert part.shape[layout.anchor_axis] == ANCHORS


@both_orders
@every_dtype
def test_a_row_has_the_channels_of_one_anchor_from_the_first_on(channels_first: bool, dtype: str) -> None:
    layout, array, values = stored(channels_first, dtype)
    for anchor in (0, 1, ANCHORS - 1):
        for first in (0, 4, CHANNELS - 1):
            assert layout.row(array, anchor, first).tolist() == values[first:, anchor].tolist()


@both_orders
@every_dtype
def test_the_first_channels_of_some_anchors_come_channels_first(channels_first: bool, dtype: str) -> None:
    layout, array, values = stored(channels_first, dtype)
    for anchors in ([0], [20, 3, 3, 7], list(range(ANCHORS))):
        for last in (1, 6, CHANNELS):
            taken = layout.taken(array, _host.wrap(np.array(anchors, np.uint16)), last)
            assert taken.shape == (last, len(anchors))
            assert taken.tolist() == values[:last, anchors].tolist()
            assert taken.dtype == array.dtype


def test_rows_are_read_as_stored_first_and_then_transposed() -> None:
    assert row_layouts((1, 300, 6)) == [(6, 300, False), (300, 6, True)]
    assert row_layouts((1, 1, 6, 300)) == [(300, 6, False), (6, 300, True)]
    assert row_layouts((1, 80, 80, 32)) == row_layouts(()) == []
    rows = np.arange(12).reshape(1, 2, 6).astype(np.float32)
    as_stored, transposed = row_layouts((1, 2, 6))
    assert as_stored.row(_host.wrap(rows), 1, 0).tolist() == [6, 7, 8, 9, 10, 11]
    assert transposed.row(_host.wrap(rows), 1, 0).tolist() == [1, 7]


def head_layout(shape: tuple[int, ...], size: tuple[int, int]) -> tuple[int, int, bool]:
    """The only layout, or the first of several: that of the usual strides."""
    found = head_layouts(shape, size)
    assert len(found) == len(set(found))
    return tuple(found[0])  # type: ignore[return-value]


# --- heads ---
def anchors(width: int, height: int) -> int:
    return sum((width // s) * (height // s) for s in (8, 16, 32))


@given(st.integers(1, 40), st.integers(1, 40), st.integers(5, 1300))
@example(1, 1, 5)
@example(40, 40, 1300)
@example(1, 40, 5)
@example(1, 1, 20)
def test_anchor_count_distinguishes_the_two_storage_orders(w: int, h: int, channels: int) -> None:
    size = (32 * w, 32 * h)
    count = anchors(*size)
    assert tuple(head_layout((1, channels, count), size)) == (channels, count, True)
    if channels != count:
        assert tuple(head_layout((1, count, channels), size)) == (channels, count, False)


@pytest.mark.parametrize(("side", "count"), [(192, 756), (256, 1344), (320, 2100), (416, 3549), (640, 8400)])
def test_common_input_sizes_have_the_known_anchor_counts(side: int, count: int) -> None:
    assert tuple(head_layout((1, 116, count), (side, side))) == (116, count, True)
    assert tuple(head_layout((1, count, 116), (side, side))) == (116, count, False)


@pytest.mark.parametrize("strides", [(8, 16, 32), (4, 8, 16, 32), (8, 16, 32, 64), (16, 32)])
@pytest.mark.parametrize("size", [(320, 320), (640, 384)])
def test_every_known_set_of_strides_is_supported(strides: tuple[int, ...], size: tuple[int, int]) -> None:
    count = sum((size[0] // s) * (size[1] // s) for s in strides)
    assert tuple(head_layout((1, 84, count), size)) == (84, count, True)
    assert tuple(head_layout((1, count, 84), size)) == (84, count, False)


@pytest.mark.parametrize("size", [(200, 136), (96, 160), (65, 127), (31, 33), (40, 90)])
def test_partial_cells_are_not_anchors(size: tuple[int, int]) -> None:
    cells = {s: len(range(s, size[0] + 1, s)) * len(range(s, size[1] + 1, s)) for s in (4, 8, 16, 32, 64)}
    usual = cells[8] + cells[16] + cells[32]
    assert anchor_counts(size) == (usual, usual + cells[4], usual + cells[64], cells[16] + cells[32])


@pytest.mark.parametrize(
    "shape", [(1, 300, 6), (1, 6300, 7), (1, 84, 1000), (1, 84, 2101), (1, 320, 320), (1, 80, 80, 32), (1, 0, 2100), ()]
)
def test_shape_without_the_inputs_anchor_count_is_not_a_raw_head(shape: tuple[int, ...]) -> None:
    assert head_layouts(shape, (320, 320)) == []
    assert head_layouts((1, 84, 2100), None) == []


def test_channels_equal_to_an_anchor_count_give_several_layouts() -> None:
    assert head_layouts((1, 84, 84), (64, 64)) == [(84, 84, True), (84, 84, False)]
    assert head_layouts((1, 84, 20), (64, 64)) == [(20, 84, False), (84, 20, True)]  # strides 16 and 32


def test_dimensions_of_1_added_by_converters_are_ignored() -> None:
    for shape in ((1, 1, 116, 2100), (1, 116, 2100, 1), (1, 116, 1, 2100), (116, 2100)):
        assert tuple(head_layout(shape, (320, 320))) == (116, 2100, True)
    assert tuple(head_layout((1, 1, 2100, 5), (320, 320))) == (5, 2100, False)


@pytest.mark.parametrize("shape", [(2, 116, 2100), (2100,), (1, 80, 80, 32), (1, 0, 2100), ()])
def test_shapes_without_exactly_two_dimensions_are_not_flat(shape: tuple[int, ...]) -> None:
    assert flat(shape) == ()


def test_last_two_dimensions_of_a_head_are_kept_even_if_1() -> None:
    assert flat((1, 84, 1)) == (84, 1) and flat((1, 1, 84)) == (1, 84) and flat((84, 1)) == (84, 1)
    assert flat((1, 1, 84, 1)) == (84, 1) and flat((1, 1, 1)) == flat((1, 1)) == (1, 1)
    assert squeezed((1, 84, 1, 2100)) == [84, 2100]


def described(found: tuple[int, int, HeadLayout]) -> tuple[int, int, int, bool]:
    """(width, height, channels, channels first?) of a map or of prototypes, whose pixels are the anchors."""
    width, height, layout = found
    assert layout.anchors == width * height
    return width, height, layout.channels, layout.channels_first


# --- maps ---
def test_map_has_the_aspect_ratio_of_the_input_within_one_pixel() -> None:
    for width, height in ((33, 25), (32, 24), (257, 193), (128, 96)):
        assert described(map_layout((1, height, width, 4), (257, 193))) == (width, height, 4, False)
        assert described(map_layout((1, 4, height, width), (257, 193))) == (width, height, 4, True)
    for width, height in ((25, 33), (33, 33), (33, 28)):
        with pytest.raises(ValueError, match=r"1 to 255 channels and the aspect ratio .*\(257, 193\), got"):
            map_layout((1, height, width, 4), (257, 193))


@pytest.mark.parametrize(
    ("shape", "size", "expected"),
    [
        ((1, 8, 8, 9), (64, 64), (8, 8, 9, False)),
        ((1, 9, 8, 8), (64, 64), (8, 8, 9, True)),
        ((1, 4, 9, 16), (64, 32), (9, 4, 16, False)),  # 9 x 4 is half a pixel off, 16 x 9 is a whole one
        ((1, 4, 7, 14), (64, 32), (14, 7, 4, True)),
        ((1, 4, 8, 17), (64, 32), (8, 4, 17, False)),
        ((1, 5, 9, 18), (64, 32), (18, 9, 5, True)),
        ((1, 16, 8, 5), (32, 64), (8, 16, 5, False)),
        ((1, 17, 8, 4), (32, 64), (4, 8, 17, True)),
        ((1, 3, 16, 8), (32, 64), (8, 16, 3, True)),
        ((1, 1, 1, 1), (64, 64), (1, 1, 1, False)),
        ((1, 10, 10, 255), (64, 64), (10, 10, 255, False)),
        ((1, 255, 10, 10), (64, 64), (10, 10, 255, True)),
    ],
)
def test_of_two_fitting_sides_the_closer_aspect_ratio_is_the_map(
    shape: tuple[int, ...], size: tuple[int, int], expected: tuple[int, int, int, bool]
) -> None:
    assert described(map_layout(shape, size)) == expected


MAP = "a map [1, H, W, C] or [1, C, H, W]"


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ((1, 8, 8), {}, f"expected {MAP}, got (1, 8, 8)"),
        ((2, 8, 8, 4), {}, f"expected {MAP}, got (2, 8, 8, 4)"),
        ((1, 8, 8, 0), {"expected": "heatmaps"}, "expected heatmaps, got (1, 8, 8, 0)"),
        ((1, 9, 30, 4), {},
         f"expected {MAP} of 1 to 255 channels and the aspect ratio of the input, (64, 64), got (1, 9, 30, 4)"),
        ((1, 10, 10, 256), {},
         f"expected {MAP} of 1 to 255 channels and the aspect ratio of the input, (64, 64), got (1, 10, 10, 256)"),
        ((1, 256, 10, 10), {"noun": "keypoints"},
         f"expected {MAP} of 1 to 255 keypoints and the aspect ratio of the input, (64, 64), got (1, 256, 10, 10)"),
        ((1, 9, 30, 4), {"layout": "NHWC", "most": 3}, f"expected {MAP} of 1 to 3 channels, got (1, 9, 30, 4)"),
        ((1, 4, 30, 9), {"layout": "NCHW", "most": 3}, f"expected {MAP} of 1 to 3 channels, got (1, 4, 30, 9)"),
        ((1, 8, 8, 8), {}, "(1, 8, 8, 8) may be [1, H, W, C] or [1, C, H, W]: expected layout='NHWC' or 'NCHW'"),
    ],
)  # fmt: skip
def test_shape_that_is_not_a_map_is_refused_with_the_expected_shape(
    shape: tuple[int, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        map_layout(shape, (64, 64), **options)


def test_given_layout_accepts_a_map_of_any_aspect_ratio() -> None:
    assert described(map_layout((1, 9, 30, 4), (64, 64), layout="NHWC")) == (30, 9, 4, False)
    assert described(map_layout((1, 9, 30, 4), (64, 64), layout="NCHW")) == (4, 30, 9, True)


# --- prototypes ---
@given(st.integers(1, 20), st.integers(1, 20), st.integers(8, 64))
@example(1, 1, 8)
@example(1, 1, 64)
@example(20, 1, 8)
@example(8, 8, 64)
def test_prototypes_of_a_quarter_of_the_input_are_recognized(w: int, h: int, count: int) -> None:
    size, width, height = (32 * w, 32 * h), 8 * w, 8 * h
    last = described(prototype_layout((1, height, width, count), size))
    assert last == (width, height, count, False)
    if not (count == height == width or (height, width) == (count, height)):
        assert described(prototype_layout((1, count, height, width), size)) == (width, height, count, True)


@pytest.mark.parametrize(
    "shape", [(80, 80, 32), (2, 80, 80, 32), (1, 116, 2100), (32,), (), (1, 1, 1, 32), (1, 32, 1, 1)]
)
def test_shapes_that_are_not_prototypes_are_refused(shape: tuple[int, ...]) -> None:
    sentence = (
        "expected prototypes [1, H, W, M] or [1, M, H, W], more than one pixel and of the aspect ratio of the input, (320,"
        f" 320), got {shape}"
    )
    with pytest.raises(ValueError, match=says(sentence)):
        prototype_layout(shape, (320, 320))


def test_prototypes_with_a_side_above_65535_are_refused() -> None:
    """ulab's reductions over 65,536 and more never return. The aspect ratio fits within the tolerance."""
    assert described(prototype_layout((1, 65535, 8, 9), (8, 65535))) == (8, 65535, 9, False)
    with pytest.raises(ValueError, match=r"expected prototypes .*, got \(1, 65536, 8, 9\)"):
        prototype_layout((1, 65536, 8, 9), (8, 65535))


@pytest.mark.parametrize("size", [(320, 320), (320, 192)])
def test_prototypes_of_half_the_input_are_found_by_the_aspect_ratio(size: tuple[int, int]) -> None:
    width, height = size[0] // 2, size[1] // 2
    assert described(prototype_layout((1, height, width, 32), size)) == (width, height, 32, False)
    assert described(prototype_layout((1, 32, height, width), size)) == (width, height, 32, True)


def test_two_pixels_are_prototypes_and_one_is_not() -> None:
    assert described(prototype_layout((1, 1, 2, 32), (320, 160))) == (2, 1, 32, False)
    assert described(prototype_layout((1, 32, 1, 2), (320, 160))) == (2, 1, 32, True)
    expected = (
        "expected prototypes [1, H, W, M] or [1, M, H, W], more than one pixel and of the aspect ratio of the input,"
        " (320, 320), got (1, 1, 1, 32)"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
        prototype_layout((1, 1, 1, 32), (320, 320))


@pytest.mark.parametrize(
    ("shape", "size", "expected"),
    [
        # 33 x 32 is a quarter of 132 x 128, and 32 x 32 has its aspect ratio within the tolerance (128 of 132).
        ((1, 32, 32, 33), (132, 128), (33, 32, 32, True)),
        ((1, 32, 33, 32), (132, 128), (33, 32, 32, False)),
        ((1, 33, 33, 32), (128, 132), (32, 33, 33, True)),
        ((1, 33, 32, 33), (128, 132), (32, 33, 33, False)),
        # One pixel is a quarter of an input of less than eight.
        ((1, 1, 1, 32), (7, 5), (1, 1, 32, False)),
        ((1, 32, 1, 1), (7, 5), (1, 1, 32, True)),
    ],
)
def test_quarter_of_the_input_takes_precedence_over_the_aspect_ratio(
    shape: tuple[int, ...], size: tuple[int, int], expected: tuple[int, int, int, bool]
) -> None:
    assert described(prototype_layout(shape, size)) == expected


@pytest.mark.parametrize(("count", "side"), [(39, 40), (41, 40), (33, 32)])
def test_equal_sides_are_width_and_height_if_the_count_is_close(count: int, side: int) -> None:
    """Both orders have the input's aspect ratio within one pixel."""
    assert described(prototype_layout((1, side, side, count), (256, 256))) == (side, side, count, False)
    assert described(prototype_layout((1, count, side, side), (256, 256))) == (side, side, count, True)


@pytest.mark.parametrize("shape", [(1, 80, 40, 32), (1, 32, 80, 40), (1, 80, 80, 8), (1, 8, 80, 80)])
def test_prototypes_of_another_aspect_ratio_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"aspect ratio of the input, \(320, 192\), got \(1, "):
        prototype_layout(shape, (320, 192))
