"""lib/n6post/kernels/portable compared with plain numpy and the image module, and the cost of candidates."""

from __future__ import annotations

import ast
import inspect
import sys
from array import array
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any

import image
import kernel_reference as reference
import numpy as np
import pytest
import test_kernels_machine_code as hostile
from hypothesis import example, given
from hypothesis import strategies as st
from kernel_reference import bits
from n6post.kernels.params import boxes as params
from n6post.kernels.params import drawing as drawing_params
from n6post.kernels.params import heads as head_params
from n6post.kernels.params import neighbors as neighbor_params
from n6post.kernels.portable import boxes as portable_boxes
from n6post.kernels.portable import drawing as portable_drawing
from n6post.kernels.portable import heads as portable_heads
from n6post.kernels.portable import maps as portable_maps
from n6post.kernels.portable import neighbors as portable_neighbors
from n6post.kernels.portable import (
    numeric,
)
from ulab import _host

pytestmark = pytest.mark.both_firmwares("stubs/**/*.py", "lib/n6post/pixels/*.py")

CODES = {"uint8": 66, "int8": 98, "int16": 104, "float32": 102}
DTYPES = sorted(CODES)
f32 = np.float32


def random_tensor(random: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> Any:
    """Values of the whole range or, for ties, a few adjacent ones; floats sometimes with NaN and infinities."""
    if dtype == "float32":
        values = random.normal(size=shape).astype(np.float32)
        if random.random() < 0.5:
            values = np.round(values * 2) / f32(2)
        if random.random() < 0.4:
            where = random.random(shape)
            values[where < 0.2] = np.nan
            values[(where > 0.2) & (where < 0.25)] = np.inf
            values[(where > 0.25) & (where < 0.35)] = -np.inf
        return values
    limits = np.iinfo(dtype)
    low, high = int(limits.min), int(limits.max)
    if random.random() < 0.5:
        low = int(random.integers(low, high - 3))
        high = low + 3
    return random.integers(low, high, size=shape, endpoint=True).astype(dtype)


def stored(values: Any, channels_last: bool) -> tuple[Any, int, int]:
    """(array for a kernel, element step from pixel to pixel, element step from channel to channel)."""
    height, width, channels = values.shape
    if channels_last:
        return _host.wrap(np.ascontiguousarray(values[None])), channels, 1
    return _host.wrap(np.ascontiguousarray(values.transpose(2, 0, 1)[None])), 1, height * width


def mapped(values: Any, channels_last: bool, cut: int = 0) -> Any:
    height, width, channels = values.shape
    logits, pixel_step, class_step = stored(values, channels_last)
    block = array("i", (CODES[values.dtype.name], height * width, channels, pixel_step, class_step, cut))
    out = bytearray(b"\x07" * (height * width))
    portable_maps.class_map(logits, block, out)
    return np.frombuffer(out, np.uint8).reshape(height, width)


# --- clipped ---------------------------------------------------------------------------------------------------------
def test_clipping_keeps_the_sign_of_bounds_and_maps_nan_to_the_lower() -> None:
    """`a > lo ? a : lo`, then `a < hi ? a : hi`. Bits are compared, because only they show the sign of -0."""
    values = _host.wrap(np.array([-0.0, 0.0, -1, 3, np.nan, np.inf, -np.inf, 1], f32))
    assert numeric.clipped(values, 0.0, 3.0).tobytes() == np.array([0, 0, 0, 3, 0, 3, 0, 1], f32).tobytes()
    below = np.array([-0.0, -0.0, -1, -0.0, -2, -0.0, -2, -0.0], f32)
    assert numeric.clipped(values, -2.0, -0.0).tobytes() == below.tobytes()


# --- class_map -------------------------------------------------------------------------------------------------------
@given(
    st.integers(0, 2**32), st.sampled_from(DTYPES), st.booleans(), st.integers(1, 24), st.integers(1, 24),
    st.one_of(st.integers(2, 8), st.integers(9, 255)),
)
def test_class_map_is_the_first_maximum_in_every_dtype_and_layout(
    seed: int, dtype: str, channels_last: bool, height: int, width: int, classes: int
) -> None:
    values = random_tensor(np.random.default_rng(seed), dtype, (height, width, classes))
    ranked = np.where(np.isnan(values), -np.inf, values) if dtype == "float32" else values
    np.testing.assert_array_equal(mapped(values, channels_last), ranked.argmax(axis=-1))


@pytest.mark.parametrize("channels_last", [True, False])
@pytest.mark.parametrize("shape", [(512, 512, 5), (1, 70000, 2), (65, 65, 21)])
def test_class_map_accepts_more_pixels_than_ulab_can_reduce_at_once(
    shape: tuple[int, int, int], channels_last: bool
) -> None:
    values = random_tensor(np.random.default_rng(1), "int8", shape)
    np.testing.assert_array_equal(mapped(values, channels_last), values.argmax(axis=-1))


@pytest.mark.parametrize("channels_last", [True, False])
@pytest.mark.parametrize("of", range(3))
def test_a_class_with_nan_scores_never_wins(of: int, channels_last: bool) -> None:
    values = random_tensor(np.random.default_rng(3), "int8", (4, 7, 3)).astype(f32)
    values[:, :, of] = np.nan
    np.testing.assert_array_equal(mapped(values, channels_last), np.nanargmax(values, axis=-1))


@pytest.mark.parametrize("channels_last", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
def test_class_map_finds_the_first_maximum_among_nan_and_infinities(classes: int, channels_last: bool) -> None:
    """Every possible row of these values; NaN is below all others."""
    rows = np.array(list(product((-np.inf, -1, 0, 1, np.inf, np.nan), repeat=classes)), f32)
    wanted = [max(range(classes), key=lambda c: (-np.inf if np.isnan(row[c]) else row[c], -c)) for row in rows]
    assert mapped(rows[None], channels_last)[0].tolist() == wanted


@given(st.integers(0, 2**32), st.sampled_from(DTYPES), st.integers(1, 40), st.integers(1, 40))
def test_a_single_channel_is_thresholded_and_nan_is_below_any_value(seed: int, dtype: str, height: int, width: int) -> None:
    random = np.random.default_rng(seed)
    values = random_tensor(random, dtype, (height, width, 1))
    if dtype == "float32":
        cut = f32(random.normal())
        expected, word = values >= cut, bits(cut)
    else:
        limits = np.iinfo(dtype)
        word = int(random.choice([limits.min, limits.max, limits.max + 1, random.integers(limits.min, limits.max)]))
        expected = values.astype(int) >= word
    np.testing.assert_array_equal(mapped(values, True, word), expected[..., 0])


# --- class_histogram -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shape", [(1, 1), (65, 65), (512, 512), (3, 40000)])
def test_class_histogram_is_exact_beyond_sixteen_bits(shape: tuple[int, int]) -> None:
    classes = np.random.default_rng(2).choice([0, 1, 255], size=shape, p=[0.8, 0.1, 0.1]).astype(np.uint8)
    out = array("i", [7] * 256)
    portable_maps.class_histogram(_host.wrap(classes), array("i", [classes.size]), out)
    assert list(out) == np.bincount(classes.ravel(), minlength=256).tolist()


def test_class_histogram_reads_the_given_number_of_pixels() -> None:
    out = array("i", [0] * 256)
    portable_maps.class_histogram(bytearray(b"\x01\x01\x02\x03"), array("i", [3]), out)
    assert list(out[:4]) == [0, 2, 1, 0]


# --- peaks -----------------------------------------------------------------------------------------------------------
def parabola(low: Any, peak: Any, high: Any) -> Any:
    divisor = f32(f32(f32(2) * peak - low) - high)
    if not 0 < divisor < np.inf:
        return f32(0)
    return min(max(f32(f32(f32(0.5) * f32(high - low)) / divisor), f32(-0.5)), f32(0.5))


def clipped(value: Any, limit: int) -> Any:
    return f32(0) if not value > 0 else value if value < f32(limit) else f32(limit)


def expected_peaks(values: Any, block: Any) -> tuple[Any, list[Any]]:
    """The specification, one float32 operation at a time: (K, 3), [seen, x1, y1, x2, y2, mean score]."""
    height, width, keypoints = values.shape
    ax, bx, ay, by = block[10:14].view(f32)
    cut = block[7:8].view(f32)[0] if values.dtype == f32 else f32(block[7])
    out = np.zeros((keypoints, 3), f32)
    seen = []
    for keypoint in range(keypoints):
        plane = values[..., keypoint].astype(f32)
        row, column = divmod(int(np.where(np.isnan(plane), -np.inf, plane).argmax()), width)
        peak = plane[row, column]
        dx = dy = f32(0)
        if block[8] and 0 < column < width - 1:
            dx = parabola(plane[row, column - 1], peak, plane[row, column + 1])
        if block[8] and 0 < row < height - 1:
            dy = parabola(plane[row - 1, column], peak, plane[row + 1, column])
        out[keypoint, 0] = clipped(f32(f32(f32(column) + dx) * ax) + bx, block[14])
        out[keypoint, 1] = clipped(f32(f32(f32(row) + dy) * ay) + by, block[15])
        out[keypoint, 2] = f32((f32(0) if np.isnan(peak) else peak) - f32(block[6])) * block[9:10].view(f32)[0]
        if peak >= cut:
            seen.append(keypoint)
    if not seen:
        return out, [0] + [f32(0)] * 5
    total = f32(0)
    for keypoint in seen:
        total = f32(total + out[keypoint, 2])
    return out, [len(seen), *out[seen, :2].min(axis=0), *out[seen, :2].max(axis=0), total / f32(len(seen))]


def check_peaks(values: Any, channels_last: bool, refine: int, random: np.random.Generator) -> None:
    height, width, keypoints = values.shape
    heat, pixel_step, keypoint_step = stored(values, channels_last)
    if values.dtype == f32:
        zero_point, cut, scale = 0, bits(random.normal()), bits(1)
    else:
        limits = np.iinfo(values.dtype)
        zero_point, scale = int(random.integers(-128, 128)), bits(random.random() / 100)
        cut = int(random.integers(limits.min, limits.max + 1, endpoint=True))
    dtype = CODES[values.dtype.name]
    block = array("i", (dtype, width, height, keypoints, pixel_step, keypoint_step, zero_point, cut, refine))
    block.extend([scale] + [bits(v) for v in (*random.uniform(0, 20, 1), 2.3, *random.uniform(0, 20, 1), -1.7)])
    block.extend([int(n) for n in random.integers(1, 400, 2)] + [77] * 6)
    before = np.array(block[:16], np.int32)
    out = np.full((keypoints, 3), 9, f32)
    with np.errstate(all="ignore"):
        portable_maps.peaks(heat, block, _host.wrap(out))
        expected, summary = expected_peaks(values, before)
    np.testing.assert_array_equal(out, expected)
    after = np.array(block, np.int32)
    np.testing.assert_array_equal(after[:16], before)
    assert after[16] == summary[0]
    np.testing.assert_array_equal(after[17:22].view(f32), np.array(summary[1:], f32))
    assert not np.isnan(out[:, :2]).any()


@given(
    st.integers(0, 2**32), st.sampled_from(DTYPES), st.booleans(), st.integers(1, 20), st.integers(1, 20),
    st.integers(1, 20), st.integers(0, 1),
)
def test_peaks_equal_the_specification_to_the_last_bit(
    seed: int, dtype: str, channels_last: bool, height: int, width: int, keypoints: int, refine: int
) -> None:
    random = np.random.default_rng(seed)
    check_peaks(random_tensor(random, dtype, (height, width, keypoints)), channels_last, refine, random)


@pytest.mark.parametrize("channels_last", [True, False])
@pytest.mark.parametrize("shape", [(48, 48, 17), (200, 400, 3), (400, 200, 1)])
def test_peaks_are_found_beyond_the_32767th_pixel(shape: tuple[int, int, int], channels_last: bool) -> None:
    random = np.random.default_rng(3)
    check_peaks(random_tensor(random, "int8", shape), channels_last, 1, random)


def test_a_map_of_nan_has_an_invisible_peak_in_the_first_cell() -> None:
    values = np.full((4, 5, 2), np.nan, f32)
    values[2, 3, 1] = 0.5
    heat, pixel_step, keypoint_step = stored(values, True)
    scales = map(bits, (1, 1, 0, 1, 0))
    block = array("i", (102, 5, 4, 2, pixel_step, keypoint_step, 0, bits(0), 1, *scales, 5, 4) + (0,) * 6)
    out = np.zeros((2, 3), f32)
    with np.errstate(invalid="ignore"):
        portable_maps.peaks(heat, block, _host.wrap(out))
    assert out.tolist() == [[0, 0, 0], [3, 2, 0.5]]
    assert block[16] == 1


# --- tint_map --------------------------------------------------------------------------------------------------------
SIDE = st.integers(1, 24)
EVEN = st.builds(lambda width, count: [width] * count, st.sampled_from([1, 2, 3, 4]), SIDE)
WIDTHS = st.lists(st.integers(0, 5), min_size=1, max_size=24) | EVEN


@given(
    st.integers(0, 2**32), st.booleans(), st.tuples(SIDE, SIDE), st.integers(0, 9), st.integers(0, 9), WIDTHS, WIDTHS,
)
def test_tint_map_equals_draw_image_of_the_repeated_map(
    seed: int, color: bool, size: tuple[int, int], left: int, top: int, widths: list[int], heights: list[int]
) -> None:
    random = np.random.default_rng(seed)
    depth, pixformat = (2, image.RGB565) if color else (1, image.GRAYSCALE)
    width, height = size
    before = random.integers(0, 256, width * height * depth, dtype=np.uint8).tobytes()
    classes = random.integers(0, 6, (len(heights), len(widths)), dtype=np.uint8)
    palette = bytearray(768)
    palette[:12] = random.bytes(12)
    palette[512:518] = bytes([0, 255, 128, 60, int(random.integers(256)), 7])
    edges = [*(left + np.cumsum([0, *widths])), *(top + np.cumsum([0, *heights]))]
    block = drawing_params.tint_map(depth, width, height, 3, len(widths), len(heights), [int(n) for n in edges])
    frame = bytearray(before)
    portable_drawing.tint_map(frame, bytearray(classes.tobytes()), block, palette)

    expected = bytearray(before)
    scaled = classes.repeat(heights, axis=0).repeat(widths, axis=1)
    if scaled.size:
        image.Image(width, height, pixformat, buffer=expected).draw_image(
            image.Image(*scaled.shape[::-1], image.GRAYSCALE, buffer=bytearray(scaled.tobytes())),
            left,
            top,
            color_palette=image.Image(256, 1, image.RGB565, buffer=palette[:512]),
            alpha_palette=image.Image(256, 1, image.GRAYSCALE, buffer=palette[512:]),
        )
    assert frame == expected
    assert portable_drawing.count_class_pixels(bytearray(classes.tobytes()), block) == (scaled == 3).sum()


# --- tint_map and prototype_mask, byte by byte -----------------------------------------------------------------------
@given(
    st.integers(0, 2**32), st.booleans(), st.tuples(SIDE, SIDE), st.integers(0, 30), st.integers(0, 30), WIDTHS, WIDTHS,
)
@example(0, True, (5, 4), 0, 0, [2, 2, 1], [2, 2])  # to the frame's last column and row
@example(0, True, (5, 4), 0, 0, [2, 2, 2], [2, 2])  # one column further
@example(0, False, (5, 4), 0, 0, [2, 2, 1], [2, 3])  # one row further
@example(0, True, (5, 4), 4, 3, [1], [1])  # the last pixel
@example(0, True, (5, 4), 5, 0, [3], [4])  # to the right of the frame
@example(0, False, (5, 4), 0, 4, [5], [3])  # below it
@example(0, True, (5, 4), 4, 3, [4] * 3, [4] * 3)  # drawn by draw_image alone, clipped in its first block
@example(0, True, (5, 4), 0, 0, [300, 1], [0, 1, 300])
@example(0, True, (300, 90), 0, 0, [1, 2] * 100, [1] * 80 + [3, 2])  # more rows than are scaled at once
def test_tint_map_blends_map_pixels_into_their_clipped_rectangles(
    seed: int, color: bool, size: tuple[int, int], left: int, top: int, widths: list[int], heights: list[int]
) -> None:
    random = np.random.default_rng(seed)
    (width, height), depth = size, 2 if color else 1
    columns = [int(n) for n in left + np.cumsum([0, *widths])]
    rows = [int(n) for n in top + np.cumsum([0, *heights])]
    classes = random.integers(0, 256, (len(heights), len(widths)), dtype=np.uint8)
    palette = bytearray(random.bytes(512) + bytes(random.choice([0, 255, 128, 7, 60, 200], 256).astype(np.uint8)))
    before = random.integers(0, 256, width * height * depth, dtype=np.uint8).tobytes()
    frame = bytearray(before)
    block = drawing_params.tint_map(depth, width, height, 0, len(widths), len(heights), columns + rows)
    portable_drawing.tint_map(frame, bytearray(classes.tobytes()), block, palette)
    plain = np.frombuffer(before, np.uint16 if color else np.uint8).reshape(height, width)
    assert frame == reference.tint_map(plain, classes, columns, rows, bytes(palette)).tobytes()


def test_tint_map_scales_only_the_visible_part_of_a_map(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a few columns far beyond the frame would fill the heap, and a few rows would take seconds."""
    made: list[tuple[int, int]] = []

    def noted(data: Any, width: int, height: int, gray: Any = portable_drawing.gray) -> Any:
        made.append((width, height))
        return gray(data, width, height)

    monkeypatch.setattr(portable_drawing, "gray", noted)
    block = drawing_params.tint_map(1, 50, 40, 0, 2, 2, [1, 9, 60000, 2, 7, 60000])
    portable_drawing.tint_map(bytearray(50 * 40), bytearray(4), block, bytearray(768))
    made.remove((256, 1))  # the palette of alphas
    assert {width for width, _ in made} == {49} and sum(height for _, height in made) == 38


def test_tint_map_equals_plain_numpy_for_1000_hostile_inputs() -> None:
    beyond = 0
    for call in hostile.tint_map_calls(np.random.default_rng(12)):
        frame, classes, words, palette = call.before
        block = np.frombuffer(words, np.int32).tolist()
        depth, width, height, _, w, h, _ = block[:7]
        columns, rows = block[7 : 8 + w], block[8 + w :]
        plain = np.frombuffer(frame, np.uint16 if depth == 2 else np.uint8).reshape(height, width)
        expected = reference.tint_map(plain, np.frombuffer(classes, np.uint8).reshape(h, w), columns, rows, palette)
        assert call.after[0] == expected.tobytes(), block
        beyond += columns[-1] > width and rows[-1] > height
    assert beyond > 50


def masks(words: bytes, protos: bytes, head: bytes) -> Iterable[tuple[int, bytes]]:
    """(position in `out`, bytes) of each mask that a block of prototype_mask requests, computed with plain numpy."""
    block = np.frombuffer(words, np.int32)
    names = list(inspect.signature(params.prototype_mask).parameters)
    of = dict(zip(names, block.tolist()))
    dtype = next(name for name, code in CODES.items() if code == of["dtype"])
    shape = of["height"], of["width"], of["coefficients"]
    values = np.frombuffer(protos, dtype)
    if of["coefficient_step"] == 1:
        grid = values.reshape(shape)
    else:
        grid = values.reshape(shape[2], shape[0], shape[1]).transpose(1, 2, 0)
    windows = [(of["first"], *(of[f"window_{side}"] for side in "xywh"), 0)]
    if of["rows"]:
        table = block[len(names) :].reshape(-1, 16)
        windows = [
            (of["first"] + int(row[4]) * of["anchor_step"], *(int(n) for n in row[11:16]))
            for row in table
            if of["low"] <= row[4] < of["high"]
        ]
    exact = dtype in ("int8", "uint8")
    threshold = of["threshold"] if exact else block[names.index("threshold")].view(f32)
    for first, x, y, w, h, start in windows:
        factors = np.frombuffer(head, dtype)[first:][: (shape[2] - 1) * of["step"] + 1 : of["step"]]
        window = grid[y : y + h, x : x + w]
        if window.size:
            mask = reference.exact_mask if exact else reference.float_mask
            zero_points = of["zero_point"], of["head_zero_point"]
            yield start, mask(window, factors, zero_points, threshold).tobytes()


def test_prototype_mask_equals_plain_numpy_for_1000_hostile_inputs() -> None:
    """Every dtype, both layouts, one anchor or rows of a table, NaN and infinities, unreachable thresholds."""
    seen = set()
    for call in hostile.prototype_mask_calls(np.random.default_rng(13)):
        protos, head, words, out = call.before
        expected = bytearray(out)
        for start, mask in masks(words, protos, head):
            expected[start : start + len(mask)] = mask
        block = np.frombuffer(words, np.int32)[:19].tolist()
        assert call.after[3] == bytes(expected), block
        seen.add((block[0], block[5] == 1, block[18] > 0))
    assert len(seen) == 16


@pytest.mark.parametrize(
    ("sums", "expected"),
    [
        ((2e-37, -2e-37, 0.0), (128, 127, 127)),  # 127 / the largest sum is infinite: k is 1
        ((2.0**-120, -(2.0**-120), 0.0), (254, 0, 127)),  # 127 / the largest sum is finite
        ((np.inf, -1.5, 2.5), (255, 126, 130)),  # an infinite sum: k is 1
        ((0.0, 0.0, 0.0), (127, 127, 127)),
        ((0.5, np.nan, -0.5), (254, 0, 0)),
    ],
)
def test_a_float_mask_is_scaled_by_its_largest_sum_if_possible(sums: Any, expected: tuple[int, ...]) -> None:
    protos = _host.wrap(np.array(sums, f32).reshape(1, 1, 3, 1))
    block = params.prototype_mask(102, 3, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 3, 1, 0.0)
    out = bytearray(3)
    with np.errstate(invalid="ignore", over="ignore"):
        portable_boxes.prototype_mask(protos, _host.wrap(np.ones(1, f32)), block, out)
    assert tuple(out) == expected
    ((_, plain),) = masks(block.tobytes(), np.array(sums, f32).tobytes(), np.ones(1, f32).tobytes())
    assert tuple(plain) == expected


TERMS = st.sampled_from([1, 2, 3, 4, 5, 8, 31, 32, 33, 64])


@given(
    st.integers(0, 2**32), st.sampled_from(DTYPES), st.booleans(), st.tuples(SIDE, SIDE), TERMS,
    st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)), st.sampled_from([-1, 0, 1]),
)
@example(0, "int8", True, (1, 1), 32, (0, 0, 1, 1), 0)
@example(0, "uint8", False, (9, 1), 32, (0.9, 0, 1, 1), 0)  # the last column
@example(0, "float32", True, (1, 9), 3, (0, 0.9, 1, 1), 0)  # the last row
@example(0, "int16", False, (8, 8), 5, (0, 0, 1, 1), 0)  # everything
def test_prototype_mask_is_exact_for_sums_at_the_threshold(
    seed: int, dtype: str, last: bool, size: tuple[int, int], terms: int, at: tuple[float, ...], beside: int
) -> None:
    """A sum equal to the threshold is outside (127); a larger one is inside (128 and more), in windows at every edge."""
    random = np.random.default_rng(seed)
    width, height = size
    values = random_tensor(random, dtype, (height, width, terms))
    if dtype == "float32":
        values = np.round(np.nan_to_num(values, posinf=8, neginf=-8) * 4) / f32(4)  # sums of these are exact
    head = random.permutation(values.reshape(-1)[:terms])
    low = 0 if dtype == "uint8" else -128
    zero_points = tuple(int(n) for n in random.integers(low, low + 256, 2)) if dtype != "float32" else (0, 0)
    if dtype == "int16":  # likewise exact in float32
        values, head = values // 256, head // 256
    x, y = min(int(at[0] * width), width - 1), min(int(at[1] * height), height - 1)
    w, h = max(1, round(at[2] * (width - x))), max(1, round(at[3] * (height - y)))
    protos, pixel_step, coefficient_step = stored(values, last)
    sums = (values.astype(np.float64) - zero_points[0]) @ (head.astype(np.float64) - zero_points[1])
    threshold = float(sums[y + h - 1, x + w - 1]) + beside
    block = params.prototype_mask(
        CODES[dtype], width, height, terms, pixel_step, coefficient_step, *zero_points, 0, 1, x, y, w, h,
        int(threshold) if dtype in ("int8", "uint8") else threshold,
    )  # fmt: skip
    guarded = bytearray(b"\xee" * (w * h + 8))
    portable_boxes.prototype_mask(protos, _host.wrap(head), block, memoryview(guarded)[: w * h])
    ((_, expected),) = masks(block.tobytes(), _host.memoryview(protos).cast("B").tobytes(), head.tobytes())
    assert guarded == expected + b"\xee" * 8
    inside = sums[y : y + h, x : x + w] > threshold
    assert (np.frombuffer(expected, np.uint8).reshape(h, w) >= 128).tolist() == inside.tolist()


# --- boxes_to_frame --------------------------------------------------------------------------------------------------
@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(0, 3), st.tuples(st.integers(1, 40), st.integers(1, 40)))
def test_boxes_to_frame_stores_rects_crops_and_windows_in_order(
    seed: int, kept: int, ring: int, protos: tuple[int, int]
) -> None:
    """Raw units are a quarter of a frame pixel and half a prototype pixel, so all values are exact in binary."""
    random = np.random.default_rng(seed)
    boxes = random.integers(-8, 90, (4, kept + 3)).astype(f32) / 4
    values = np.concatenate([boxes, random.integers(0, 100, (1, kept + 3)).astype(f32)])
    labels = random.integers(0, 80, (3, kept + 3)).astype(np.uint16)
    labels[2, :kept] = order = np.sort(random.permutation(kept + 3)[:kept])
    block = params.boxes_to_frame(kept, kept + 3, 70, 60, 4, 1, 4, -2, 0.5, 1, *protos, 2, 2, 0.25, 0.5, ring)
    table = array("i", [77] * (16 * kept + 16))
    size = portable_boxes.boxes_to_frame(block, _host.wrap(values), _host.wrap(labels), table)
    start = n = 0
    for at in order:
        x0, y0, x1, y1, score = (float(value) for value in values[:, at])
        corners = [min(max(4 * v + b, 0), most) for v, b, most in ((x0, 1, 70), (y0, -2, 60), (x1, 1, 70), (y1, -2, 60))]
        left, top, right, bottom = [int(corner + 0.5) for corner in corners]
        if right <= left or bottom <= top:
            continue
        wanted = [left, top, right - left, bottom - top, *labels[:2, at].tolist(), bits(score / 2)]
        pads = ((x0 - 0.25, protos[0]), (y0 - 0.5, protos[1]), (x1 + 0.25, protos[0]), (y1 + 0.5, protos[1]))
        left, top, right, bottom = [min(max(int(np.ceil(2 * edge)), 0), most) for edge, most in pads]
        right, bottom = max(left, right), max(top, bottom)
        wanted += [left, top, right, bottom]
        window = [0, 0, 0, 0]
        if right > left and bottom > top:
            ends = min(right + ring, protos[0]), min(bottom + ring, protos[1])
            window[:2] = max(left - ring, 0), max(top - ring, 0)
            window[2:] = ends[0] - window[0], ends[1] - window[1]
        assert table[16 * n : 16 * n + 16].tolist() == [*wanted, *window, start]
        start += window[2] * window[3]
        n += 1
    assert (size, block[params.BOXES_TO_FRAME_KEPT]) == (start, n) and table[16 * kept :].tolist() == [77] * 16


# --- tint_mask -------------------------------------------------------------------------------------------------------
@given(
    st.integers(0, 2**32), st.sampled_from([0.5, 0.77, 1.0, 1.3, 2.0, 2.9999, 10 / 3, 4.0]), st.integers(1, 9),
    st.integers(1, 9), st.integers(0, 5),
)
def test_a_centered_mask_is_sampled_at_pixel_centers_and_extended(
    seed: int, scale: float, width: int, height: int, more: int
) -> None:
    """Compared with float64, except for bilinear values within a hundredth of a mask pixel of the threshold."""
    random = np.random.default_rng(seed)
    mask = random.integers(0, 256, (height, width)).astype(np.uint8)
    size = [int(n * scale) + 1 + more for n in (width, height)]
    block = drawing_params.tint_mask(
        1, *size, width, height, 0, 0, x_scale=scale, y_scale=scale, x1=size[0], y1=size[1], color=0xFFFF, alpha=255
    )
    frame = bytearray(size[0] * size[1])
    portable_drawing.tint_mask(frame, bytearray(mask.tobytes()), block)
    shown = np.frombuffer(frame, np.uint8).reshape(size[::-1]) > 0
    at = [((np.arange(n) + 0.5) / scale - 0.5).clip(0, last - 1) for n, last in zip(size, (width, height), strict=True)]
    low = [np.minimum(a.astype(int), max(last - 2, 0)) for a, last in zip(at, (width, height), strict=True)]
    high = [np.minimum(a + 1, last - 1) for a, last in zip(low, (width, height), strict=True)]
    part = [a - b for a, b in zip(at, low, strict=True)]
    plane = mask.astype(float)
    rows = plane[low[1]] * (1 - part[1][:, None]) + plane[high[1]] * part[1][:, None]
    value = rows[:, low[0]] * (1 - part[0]) + rows[:, high[0]] * part[0]
    clear = np.abs(value - 127.5) > 8 if scale != 0.5 else np.zeros_like(shown)  # (1 : 2 is copied, not interpolated)
    np.testing.assert_array_equal(shown[clear], value[clear] > 127.5)
    assert shown[-1, -1] == (mask[-1, -1] >= 128)


@given(
    st.integers(0, 2**32), st.booleans(), st.sampled_from([1.0, 1.5, 2.0, 3.25, 10 / 3]), st.sampled_from([1.0, 1.5, 4.0]),
    st.integers(1, 9), st.integers(1, 9),
)
def test_an_uncentered_mask_equals_draw_image_in_the_clip_rectangle(
    seed: int, color: bool, x_scale: float, y_scale: float, width: int, height: int
) -> None:
    random = np.random.default_rng(seed)
    mask = bytearray(random.bytes(width * height))
    depth, pixformat = (2, image.RGB565) if color else (1, image.GRAYSCALE)
    before = np.frombuffer(random.bytes(30 * 20 * depth), np.uint16 if color else np.uint8).reshape(20, 30)
    x, y = (int(n) for n in random.integers(-4, 12, 2))
    alpha, paint = int(random.integers(0, 256)), int(random.integers(0, 65536))
    drawn = bytearray(before.tobytes())
    image.Image(30, 20, pixformat, buffer=drawn).draw_image(
        image.Image(width, height, image.GRAYSCALE, buffer=mask),
        x,
        y,
        x_scale=x_scale,
        y_scale=y_scale,
        alpha=alpha,
        color_palette=image.Image(256, 1, image.RGB565, buffer=bytearray(np.full(256, paint, np.uint16).tobytes())),
        alpha_palette=image.Image(256, 1, image.GRAYSCALE, buffer=bytearray(128) + bytearray(b"\xff" * 128)),
        hint=image.BILINEAR,
    )
    # The area of the mask, or a part of it.
    x0, y0 = max(x, 0) + int(random.integers(0, 3)), max(y, 0) + int(random.integers(0, 3))
    x1, y1 = min(30, x + int(width * x_scale)), min(20, y + int(height * y_scale))
    block = drawing_params.tint_mask(
        depth, 30, 20, width, height, x, y, x_scale, y_scale, x0, y0, x1, y1, paint, alpha, centered=0
    )
    frame = bytearray(before.tobytes())
    portable_drawing.tint_mask(frame, mask, block)
    expected = before.copy()
    if x0 < x1 and y0 < y1:
        expected[y0:y1, x0:x1] = np.frombuffer(drawn, before.dtype).reshape(20, 30)[y0:y1, x0:x1]
    assert frame == expected.tobytes()


@pytest.mark.parametrize("box, start", [((2, 3, 4, 4), 7), ((2, 3, 0, 4), -1), ((2, 3, 4, 0), -1), ((12, 3, 4, 4), -1)])
def test_clip_mask_returns_the_masks_offset_or_minus_1(
    box: tuple[int, ...], start: int
) -> None:
    block = drawing_params.tint_mask(2, 10, 10, x_scale=2, y_scale=2, offset_x=0.5, offset_y=0.5, seen_w=10, seen_h=10)
    table = array("i", [77, *box, 0, 0, 0, 0, 0, 0, 0, 1, 1, 3, 3, 7])
    assert portable_drawing.clip_mask(block, table, 1) == start
    assert block[3:7].tolist() == [3, 3, 2, 2]
    if start == 7:
        assert block[9:13].tolist() == [2, 3, 6, 7]


# --- decode_boxes ----------------------------------------------------------------------------------------------------
def test_decode_boxes_equals_plain_numpy_for_1000_hostile_inputs() -> None:
    found = 0
    for call in hostile.decode_boxes_calls(np.random.default_rng(14)):
        assert hostile.same_boxes(call.after, call.value, call.note)
        assert np.frombuffer(call.after[1], np.int32)[head_params.DECODE_TOTAL] == call.value
        found += call.value or 0
    assert found > 5000


def test_decode_keypoints_equals_plain_numpy_for_1000_hostile_inputs() -> None:
    for call in hostile.decode_keypoints_calls(np.random.default_rng(15)):
        found = np.frombuffer(call.after[2], f32).reshape(-1, 3)
        assert np.array_equal(found, reference.decode_keypoints(**call.note), equal_nan=True)


def test_nearest_equals_plain_numpy_for_1000_hostile_inputs() -> None:
    for call in hostile.nearest_calls(np.random.default_rng(16)):
        assert np.frombuffer(call.after[3], np.int32).tolist() == reference.nearest(**call.note).tolist()


def test_the_largest_distance_of_1024_channels_is_exact() -> None:
    """Also one less, which float32 does not have beside it."""
    out = array("i", [0x7FFFFFFF] * 4)
    memory = np.full((2, 1024), 127, np.int8)
    memory[0, 0] = 126
    rows = bytearray(hostile.rows_with_places(memory, np.full((2, 2), 2047, np.int16)))
    features = _host.wrap(np.full((1, 1, 2, 1024), -128, np.int8))
    for step, place in ((0, 0), (1, 2047**2 + 2046**2)):
        out = array("i", [0x7FFFFFFF] * 4)
        portable_neighbors.nearest(features, neighbor_params.nearest(2, 1024, 0, 2, 2, step), rows, out)
        assert list(out) == [1024 * 255**2 - 509 + 2 * 2047**2 * step, 1024 * 255**2 - 509 + place, 0, 0]
        out = array("i", [0x7FFFFFFF] * 4)
        portable_neighbors.nearest(features, neighbor_params.nearest(2, 1024, 1, 2, 2, step), rows, out)
        assert list(out) == [1024 * 255**2 + 2 * 2047**2 * step, 1024 * 255**2 + place, 1, 1]


def test_the_other_rows_of_a_memory_are_compared_with_one_of_its_own() -> None:
    memory = np.random.default_rng(3).integers(-128, 128, (70, 9)).astype(np.int8)
    memory[[3, 40]] = memory[12]
    places = np.full((70, 2), 300, np.int16)
    places[3, 1] = 310
    rows = bytearray(hostile.rows_with_places(memory, places))
    for step, wanted in ((0, [0, 3]), (10, [0, 40])):
        out = array("i", [0x7FFFFFFF, -1])
        for first, end in ((0, 12), (13, 70)):
            block = neighbor_params.nearest(1, 9, first, end, 0, step)
            portable_neighbors.nearest(memoryview(rows)[12 * 13 : 13 * 13], block, rows, out)
        assert list(out) == wanted


def split_head(random: np.random.Generator, dtype: str, bins: int) -> tuple[Any, Any, float, int]:
    """(boxes (84, 4 * bins), the same dequantized, scale, zero point): logits of about -12 to 12."""
    numbers = random.normal(size=(84, 4 * bins)) * random.choice([0.3, 3.0])
    if dtype == "float32":
        return numbers.astype(f32), numbers.astype(f32).astype(float), 1.0, 0
    limits = np.iinfo(dtype)
    scale = params.bits(12 / limits.max) if limits.min else params.bits(24 / limits.max)
    exact = float(np.int32(scale).view(f32))
    zero_point = 0 if limits.min else 128
    stored = np.clip(np.round(numbers / exact) + zero_point, limits.min, limits.max).astype(dtype)
    return stored, (stored.astype(float) - zero_point) * exact, exact, zero_point


def decoded(
    boxes: Any, anchors: Any, logits: Any, *, scale: float, zero_point: int, bins: int, first: int = 0,
    into: tuple[Any, Any, int] | None = None,
) -> tuple[Any, Any, int]:  # fmt: skip
    """(values, labels, total) after decode_boxes of these candidates, whose classes are their positions."""
    values, labels, total = into or (np.zeros((10, 100), f32), np.zeros((6, 100), np.uint16), 0)
    count, channels = len(anchors), boxes.shape[1]
    values[9, :count], labels[3, :count], labels[4, :count] = logits, anchors, np.arange(count)
    levels = (0, 8, 8, 64, 4, 16, 80, 2, 32)
    block = head_params.decode_boxes(
        CODES[boxes.dtype.name], 84, channels, 1, channels, zero_point, bins, scale, scale, 1.0, 1, 0.0, first, 100, count,
        total, levels,
    )  # fmt: skip
    made = portable_heads.decode_boxes(_host.wrap(boxes), block, _host.wrap(values), _host.wrap(labels))
    return values, labels, made


@pytest.mark.parametrize("bins", [16, 1])
@pytest.mark.parametrize("dtype", DTYPES)
def test_decoded_boxes_are_those_of_softmax_and_sigmoid(dtype: str, bins: int) -> None:
    """In float64, as Ultralytics defines DFL, dist2bbox and the score."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        boxes, numbers, scale, zero_point = split_head(random, dtype, bins)
        anchors, logits = random.permutation(84), np.sort(random.normal(size=84) * 5)[::-1].astype(f32)
        values, labels, total = decoded(boxes, anchors, logits, scale=scale, zero_point=zero_point, bins=bins)
        weights = np.exp(numbers.reshape(84, 4, bins))
        sides = (weights * np.arange(bins)).sum(axis=2) / weights.sum(axis=2) if bins > 1 else numbers
        cell = np.concatenate([np.stack(np.divmod(np.arange(n * n), n)[::-1], 1) + 0.5 for n in (8, 4, 2)])
        stride = np.repeat([8, 16, 32], [64, 16, 4])[:, None]
        wanted = np.concatenate([(cell - sides[:, :2]) * stride, (cell + sides[:, 2:]) * stride], axis=1)[anchors]
        assert total == 84
        np.testing.assert_allclose(values[:4, :84].T, wanted, atol=5e-4 if bins > 1 else 1e-4)
        np.testing.assert_allclose(values[4, :84], 1 / (1 + np.exp(-logits.astype(float))), rtol=3e-6)
        assert labels[0, :84].tolist() == anchors.tolist() and labels[1, :84].tolist() == list(range(84))


def test_a_score_of_a_logit_of_zero_is_a_half() -> None:
    boxes = np.zeros((84, 64), np.int8)
    values, _, _ = decoded(boxes, [7, 8, 9], [np.inf, 0, -300], scale=0.1, zero_point=0, bins=16)
    assert values[4, :2].tolist() == [1, 0.5] and 0 < values[4, 2] < 1e-34


def test_parts_decoded_one_after_the_other_are_merged_by_score() -> None:
    random = np.random.default_rng(3)
    boxes, _, scale, zero_point = split_head(random, "int8", 16)
    anchors, logits = random.permutation(84)[:60], np.sort(random.integers(-9, 9, 60))[::-1].astype(f32)
    whole, numbers, _ = decoded(boxes, anchors, logits, scale=scale, zero_point=zero_point, bins=16)
    parts = None
    for mine in (anchors < 30, (anchors >= 30) & (anchors < 60), anchors >= 60):
        parts = decoded(boxes, anchors[mine], logits[mine], scale=scale, zero_point=zero_point, bins=16, into=parts)
    assert parts and parts[2] == 60
    np.testing.assert_array_equal(parts[0][4, :60], whole[4, :60])
    for at in range(60):  # among equal scores those of the first part come first
        (same,) = np.flatnonzero(numbers[0, :60] == parts[1][0, at])
        np.testing.assert_array_equal(parts[0][:5, at], whole[:5, same])
    third = np.searchsorted([30, 60], parts[1][0, :60], side="right")
    assert (np.diff(third)[np.diff(parts[0][4, :60]) == 0] >= 0).all()


def test_nan_in_dfl_logits_is_a_bin_without_weight() -> None:
    boxes = np.full((84, 64), np.nan, f32)
    boxes[0, [3, 16 + 5, 32 + 1, 48]] = 1e30
    boxes[1, ::2] = 0
    values, _, _ = decoded(boxes, [0, 1, 2], [3, 2, 1], scale=1.0, zero_point=0, bins=16)
    assert values[:4, 0].tolist() == [(0.5 - 3) * 8, (0.5 - 5) * 8, 1.5 * 8, 0.5 * 8]
    assert values[:4, 1].tolist() == [(1.5 - 7) * 8, (0.5 - 7) * 8, 8.5 * 8, 7.5 * 8]
    assert values[:4, 2].tolist() == [(2.5 - 7.5) * 8, (0.5 - 7.5) * 8, 80, 64]


# --- candidates ------------------------------------------------------------------------------------------------------
SCORES = {
    "random": lambda n, random: random.random(n),
    "equal": lambda n, random: np.full(n, 0.5),
    "ascending": lambda n, random: np.arange(1, n + 1) / n,
    "descending": lambda n, random: np.arange(n, 0, -1) / n,
    "of few levels": lambda n, random: random.integers(1, 5, n) / 4,
}


@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("capacity", [1, 7, 300])
@pytest.mark.parametrize("dtype", ["float32", "int8", "int16"])
@pytest.mark.parametrize("allowed", [(), (1,)])
def test_candidates_are_sorted_by_score_and_then_by_anchor(
    scores: str, capacity: int, dtype: str, allowed: tuple[int, ...]
) -> None:
    random = np.random.default_rng(7)
    anchors = 500
    values = np.zeros((anchors, 6))
    best = SCORES[scores](anchors, random)
    values[np.arange(anchors), 4 + random.integers(0, 2, anchors)] = best if dtype == "float32" else np.round(best * 100)
    values = values.astype(dtype)
    cut = 0.011 if dtype == "float32" else 1  # between two scores: the reference compares in float64
    block = params.candidates(CODES[dtype], anchors, 6, 1, 6, 4, 2, 0, cut, capacity, allowed)
    labels = np.zeros((3, capacity), np.uint16)
    found = portable_boxes.candidates(
        _host.wrap(values), block, _host.wrap(np.zeros((5, capacity), np.float32)), _host.wrap(labels)
    )
    rows = reference.candidates(values, slice(4, 6), cut, set(allowed) or None, capacity)
    assert [row[:found].tolist() for row in labels[:2]] == [row.tolist() for row in rows]


def test_candidates_do_not_use_micropythons_list_sort() -> None:
    """The pivot of list.sort is the last element, so equal or sorted scores take quadratic time."""
    tree = ast.parse(Path(portable_boxes.__file__).read_text(encoding="utf-8"))
    called = [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert "sorted" not in called
    assert {name for name in called if name.endswith(".sort")} == {"np.sort"}  # ulab's: a heap sort


def searched(
    scores: Any, columns: bool = True, cut: float = 0, allowed: Iterable[int] = (), capacity: int = 300, first: int = 4
) -> tuple[list[int], list[int], list[float]]:
    """Anchors, classes and scores of candidates() for scores (classes, anchors) after `first` other rows."""
    classes, anchors = scores.shape
    grid = np.concatenate([np.ones((first, anchors), scores.dtype), scores])
    head = _host.wrap(np.ascontiguousarray((grid if columns else grid.T)[None]))
    steps = (anchors, 1) if columns else (1, first + classes)
    code = CODES[scores.dtype.name]
    block = params.candidates(code, anchors, first + classes, *steps, first, classes, 0, cut, capacity, tuple(allowed))
    values, labels = np.zeros((5, capacity), f32), np.zeros((3, capacity), np.uint16)
    with np.errstate(all="ignore"):
        found = portable_boxes.candidates(head, block, _host.wrap(values), _host.wrap(labels))
    return labels[0, :found].tolist(), labels[1, :found].tolist(), values[4, :found].tolist()


@given(
    st.integers(0, 2**32), st.sampled_from(DTYPES), st.booleans(), st.integers(1, 5), st.integers(1, 90),
    st.integers(1, 60), st.booleans(),
)
def test_candidates_equal_the_specification_in_its_order(
    seed: int, dtype: str, columns: bool, classes: int, anchors: int, capacity: int, filtered: bool
) -> None:
    random = np.random.default_rng(seed)
    scores = random_tensor(random, dtype, (classes, anchors))
    if dtype == "float32":
        scores = np.abs(scores)
        cut: float = float(f32(random.choice([0, 0.4, 1, 7])))
    else:
        cut = int(random.choice([scores.min(), scores.max(), np.median(scores), int(scores.max()) + 1]))
    allowed = {int(c) for c in random.integers(0, classes, 2)} if filtered else None
    wanted = reference.candidates(scores.T, slice(0, classes), cut, allowed, capacity)
    got = searched(scores, columns, cut, allowed or (), capacity)
    assert got[:2] == (wanted[0].tolist(), wanted[1].tolist())
    assert got[2] == [float(scores[c, a]) for a, c in zip(*wanted, strict=True)]


@pytest.mark.parametrize("columns", [True, False])
@pytest.mark.parametrize("classes", [1, 2, 3, 7])
@pytest.mark.parametrize("first", [0, 3])
def test_candidates_are_found_in_a_head_without_boxes(first: int, classes: int, columns: bool) -> None:
    scores = np.random.default_rng(classes).permutation(classes * 20).reshape(classes, 20).astype(np.int8)
    assert searched(scores, columns, 15, first=first) == searched(scores, columns, 15)


class Work:
    """Counts the work of the camera's interpreter: lines, and comparisons of MicroPython's sort and heap."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.done = 0
        patch.setattr(portable_boxes, "sorted", self.sorted, raising=False)
        patch.setattr(portable_boxes, "heapify", self.heapify, raising=False)
        patch.setattr(portable_boxes, "heappop", self.heappop, raising=False)

    def of(self, call: Callable[[], object]) -> int:
        self.done = 0
        before = sys.gettrace()
        sys.settrace(self._trace)
        try:
            call()
        finally:
            sys.settrace(before)
        return self.done

    def _trace(self, frame: FrameType, event: str, argument: object) -> Any:
        if not frame.f_code.co_filename.endswith("portable/boxes.py"):
            return None
        self.done += event == "line"
        return self._trace

    def _less(self, a: Any, b: Any) -> bool:
        self.done += 1
        return bool(a < b)

    def sorted(self, items: Iterable[Any]) -> list[Any]:
        """py/objlist.c: the last item is the pivot."""
        of = list(items)
        parts = [(0, len(of) - 1)]
        while parts:
            head, tail = parts.pop()
            if head >= tail:
                continue
            low, high, pivot = head - 1, tail, of[tail]
            while True:
                low += 1
                while low < high and self._less(of[low], pivot):
                    low += 1
                high -= 1
                while low < high and self._less(pivot, of[high]):
                    high -= 1
                if low >= high:
                    break
                of[low], of[high] = of[high], of[low]
            of[low], of[tail] = of[tail], of[low]
            parts += [(head, high), (low + 1, tail)]
        return of

    def heapify(self, of: list[Any]) -> None:
        for at in range(len(of) // 2 - 1, -1, -1):
            self._sift(of, at)

    def heappop(self, of: list[Any]) -> Any:
        last = of.pop()
        if not of:
            return last
        first, of[0] = of[0], last
        self._sift(of, 0)
        return first

    def _sift(self, of: list[Any], at: int) -> None:
        while 2 * at + 1 < len(of):
            child = 2 * at + 1
            if child + 1 < len(of) and self._less(of[child + 1], of[child]):
                child += 1
            if not self._less(of[child], of[at]):
                return
            of[at], of[child] = of[child], of[at]
            at = child


def fields(anchors: int, dtype: str) -> dict[str, Any]:
    """Scores (3, anchors) of every kind that may slow down a sort. The best class is the last."""
    rising = np.linspace(1, 100, anchors)
    best = {
        "random": np.random.default_rng(7).permutation(rising),
        "equal": np.full(anchors, 50.0),
        "rising": rising,
        "falling": rising[::-1],
        "two halves": np.concatenate([rising[::2], rising[1::2][::-1]]),
        "a few levels": np.arange(anchors) % 5 + 10.0,
        "all but one equal": np.where(np.arange(anchors) == anchors - 1, 99.0, 50.0),
    }
    made = {name: np.stack([0 * one, 0 * one, one]).astype(dtype) for name, one in best.items()}
    if dtype == "float32":
        made["NaN before the best"] = made["random"].copy()
        made["NaN before the best"][:2] = np.nan
    return made


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize("capacity", [20, 300, 2000])
def test_any_scores_cost_at_most_twice_the_time_of_random_scores(
    dtype: str, filtered: bool, capacity: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A camera without Helium once took six seconds for a white picture: 8,400 anchors with equal scores."""
    work = Work(monkeypatch)
    costs = {}
    for name, scores in fields(1000, dtype).items():
        # With a filter that nothing passes, candidates looks at every anchor.
        costs[name] = work.of(lambda s=scores: searched(s, True, 1, (0,) if filtered else (), capacity))  # type: ignore[misc]
    assert costs["random"] > 300
    assert {name: cost for name, cost in costs.items() if cost > 2 * costs["random"]} == {}


@pytest.mark.parametrize("kind", ["random", "equal", "rising", "falling"])
def test_the_cost_of_candidates_grows_linearly_with_anchors(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(monkeypatch)
    costs = [
        work.of(lambda n=n: searched(fields(n, "float32")[kind], True, 1, (), n))  # type: ignore[misc]
        for n in (500, 2000)
    ]
    assert costs[1] < 5 * costs[0]


def test_candidates_beyond_the_capacity_create_no_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    """60,000 tuples would take 2.4 MB."""
    work = Work(monkeypatch)
    for scores in fields(4000, "float32").values():
        assert work.of(lambda s=scores: searched(s, True, 1, (), 20)) < 1500  # type: ignore[misc]
