"""How many cache lines of a tensor the kernels read, and read again: a budget beside that of instructions.

A Cortex-M55 waits 20 to 100 cycles for a line of 32 bytes, so lines matter as much as instructions. They are counted in the
emulator, by a model of a cache of 32 KB that is empty at the start: scripts/dev/silicon/count_lines.c.
"""

from __future__ import annotations

from typing import Any

import kernel_harness as harness
import numpy as np
import pytest
from fakes import Array
from n6post.kernels.params import boxes as params
from n6post.kernels.params import drawing as drawing_params
from n6post.kernels.params import maps as map_params
from n6post.kernels.params import neighbors as neighbor_params

pytestmark = pytest.mark.skipif(bool(harness.missing()), reason=harness.missing())
CODES = {"int8": 98, "float32": 102}
# The windows of the five masks that yolov8n-seg finds on the photograph of a bus: the bus, and people in front of it.
BUS = [(10, 15, 63, 43), (10, 26, 20, 43), (24, 28, 15, 40), (58, 25, 15, 43), (57, 25, 14, 43)]
APART = [(2, 3, 20, 30), (40, 1, 21, 31), (5, 45, 18, 30), (50, 40, 20, 35)]


def lines(kernel: str, *arguments: Any) -> list[harness.Lines]:
    try:
        (found,) = harness.lines([(kernel, arguments)])
    except harness.LinesNotCountedError as reason:
        pytest.skip(str(reason))
    return found


def head(dtype: str, rows: bool) -> Array:
    """The head of 80 classes, 2,100 anchors and 32 coefficients with four objects, each of ten neighboring anchors."""
    values = np.zeros((116, 2100), dtype)
    for first, class_id in ((300, 0), (1200, 5), (1810, 0), (2040, 79)):
        values[4 + class_id, first : first + 10] = 100
    return np.ascontiguousarray(values.T) if rows else values


def search(dtype: str, rows: bool, allowed: tuple[int, ...] = ()) -> harness.Lines:
    steps = {"channel_step": 1, "anchor_step": 116} if rows else {"channel_step": 2100, "anchor_step": 1}
    block = params.candidates(
        dtype=CODES[dtype], anchors=2100, channels=116, first_class=4, classes=80, zero_point=0,
        cut=50, capacity=300, allowed=allowed, **steps,
    )  # fmt: skip
    arguments = head(dtype, rows), block, np.zeros((5, 300), np.float32), np.zeros((3, 300), np.uint16)
    return lines("candidates", *arguments)[0]


@pytest.mark.parametrize("dtype", sorted(CODES))
@pytest.mark.parametrize("rows", [False, True])
def test_the_search_reads_every_score_once(dtype: str, rows: bool) -> None:
    found = search(dtype, rows)
    assert found.touched >= 80 * 2100 * np.dtype(dtype).itemsize // 32
    assert found.filled <= 1.02 * found.touched


@pytest.mark.parametrize(
    ("rows", "allowed", "most"),
    # A plane has 66 lines. Where a class that may pass reaches the cut, all 80 are read for some 112 anchors.
    [(False, (1,), 70), (False, (1, 2, 40), 200), (False, (0,), 800), (False, (0, 5, 79), 1600), (True, (1,), 2200)],
)
def test_with_a_class_filter_few_scores_are_read(rows: bool, allowed: tuple[int, ...], most: int) -> None:
    assert 60 < search("int8", rows, allowed).filled <= most


def masks(dtype: str, flat: bool, windows: list[tuple[int, int, int, int]]) -> harness.Lines:
    random = np.random.default_rng(5)
    protos, coefficients = (random.integers(-90, 90, shape).astype(dtype) for shape in ((6400, 32), (9, 32)))
    table: list[int] = []
    size = 0
    for anchor, (x, y, w, h) in enumerate(windows):
        table += drawing_params.row(anchor=anchor, window_x=x, window_y=y, window_w=w, window_h=h, start=size)
        size += w * h
    block = params.prototype_mask(
        dtype=CODES[dtype], width=80, height=80, coefficients=32, pixel_step=1 if flat else 32,
        coefficient_step=6400 if flat else 1, zero_point=0, head_zero_point=0, anchor_step=32, rows=table,
    )  # fmt: skip
    protos = np.ascontiguousarray(protos.T) if flat else protos
    return lines("prototype_mask", protos, coefficients, block, bytearray(size))[0]


@pytest.mark.parametrize(
    ("dtype", "flat", "most"), [("int8", False, 1.35), ("float32", False, 1.45), ("int8", True, 1.9)]
)
def test_masks_that_overlap_read_prototypes_together(dtype: str, flat: bool, most: float) -> None:
    """Each for itself reads 1.65, 2.15 and 3.7 times as many lines as there are."""
    found = masks(dtype, flat, BUS)
    assert found.filled <= most * found.touched


@pytest.mark.parametrize("dtype", sorted(CODES))
def test_prototypes_outside_of_all_windows_are_not_read(dtype: str) -> None:
    used = np.zeros((80, 80), bool)
    for x, y, w, h in BUS:
        used[y : y + h, x : x + w] = True
    assert masks(dtype, False, BUS).touched == used.sum() * np.dtype(dtype).itemsize


def test_small_masks_apart_from_each_other_read_prototypes_once() -> None:
    found = masks("int8", False, APART)
    assert found.filled <= 1.02 * found.touched


@pytest.mark.parametrize(("pixels", "classes"), [(320 * 320, 2), (65 * 65, 21), (128 * 128, 5)])
def test_a_class_map_is_read_once_and_written_once(pixels: int, classes: int) -> None:
    block = map_params.class_map(
        dtype=98, pixels=pixels, classes=classes, pixel_step=classes, class_step=1, cut=-200
    )
    tensor, _, out, _ = lines("class_map", np.zeros(pixels * classes, np.int8), block, bytearray(pixels))
    assert tensor.filled == tensor.touched == -(-pixels * classes // 32)
    assert out.filled == out.touched == -(-pixels // 32)


@pytest.mark.parametrize("keypoints", [13, 17])
@pytest.mark.parametrize("dtype", sorted(CODES))
def test_heat_maps_are_read_once(dtype: str, keypoints: int) -> None:
    """Floats, as MoveNet returns them, exceed the cache: 3,744 lines of 13 keypoints. (Bytes of 17 are read twice.)"""
    heat = (np.random.default_rng(1).random((48, 48, keypoints)) * 100).astype(dtype)
    block = map_params.peaks(
        dtype=CODES[dtype], width=48, height=48, keypoint_count=keypoints, pixel_step=keypoints, keypoint_step=1,
        zero_point=0, cut=10, refine=1, scale=1, ax=4, bx=0, ay=4, by=0, frame_width=192, frame_height=192,
    )  # fmt: skip
    found = lines("peaks", heat, block, np.zeros((keypoints, 3), np.float32))[0]
    assert found.touched == -(-heat.nbytes // 32)
    assert found.filled <= (1.9 if heat.nbytes == 48 * 48 * 17 else 1.15) * found.touched


def test_a_memory_of_vectors_is_read_once_and_a_frame_stays_in_the_cache() -> None:
    random = np.random.default_rng(2)
    features = random.integers(-128, 128, (144, 128)).astype(np.int8)
    memory = random.integers(-128, 128, (256, 132)).astype(np.int8)
    block, out = neighbor_params.nearest(144, 128, 0, 256, 12, 20), np.full(288, 0x7FFFFFFF, np.int32)
    frame, _, rows, found = lines("nearest", features, block, memory, out)
    assert rows.filled == rows.touched == memory.nbytes // 32
    assert features.nbytes // 32 == frame.touched and frame.filled <= 2.5 * frame.touched
    assert found.filled <= 300
