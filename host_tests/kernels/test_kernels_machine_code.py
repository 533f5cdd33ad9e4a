"""helium/*.py and m7/*.py give the same bytes as portable/*.py, on an emulated Cortex-M55 (see kernel_harness).

Each kernel gets a thousand random and adversarial calls (ties, extremes, all equal, every kind of NaN, infinities, the
smallest numbers, sizes of 1, odd sizes, every dtype and layout) in one start of the emulator, and then all calls that the
library makes for the recorded tensors. Every call runs twice, with forbidden memory directly after and then directly before
each buffer; inputs are read-only. One call in five runs again with interrupts.
"""

from __future__ import annotations

import ast
import itertools
import re
from array import array
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import anchor_reference
import image
import kernel_harness as harness
import kernel_reference as witness
import n6post
import numpy as np
import oriented_reference
import pytest
from assertions import ADVANCES
from fakes import BUILD, RECORDED_FAMILIES, Array, FakeModel, Framed, Tensor, capture, replace_kernel
from image._formats import rgb565_to_rgb888
from kernel_reference import bits
from n6post.kernels.params import anchors as anchor_params
from n6post.kernels.params import boxes as params
from n6post.kernels.params import crops as crop_params
from n6post.kernels.params import drawing as drawing_params
from n6post.kernels.params import heads as head_params
from n6post.kernels.params import hide as hide_params
from n6post.kernels.params import measures as measure_params
from n6post.kernels.params import neighbors as neighbor_params
from n6post.kernels.params import oriented as oriented_params
from n6post.kernels.params import places as place_params
from n6post.kernels.params import poses as pose_params
from n6post.kernels.portable import anchors as portable_anchors
from n6post.kernels.portable import boxes as portable_boxes
from n6post.kernels.portable import crops as portable_crops
from n6post.kernels.portable import drawing as portable_drawing
from n6post.kernels.portable import heads as portable_heads
from n6post.kernels.portable import hide as portable_hide
from n6post.kernels.portable import maps as portable_maps
from n6post.kernels.portable import measures as portable_measures
from n6post.kernels.portable import neighbors as portable_neighbors
from n6post.kernels.portable import oriented as portable_oriented
from n6post.kernels.portable import places as portable_places
from n6post.kernels.portable import poses as portable_poses
from n6post_pc.demo import recorded
from ulab import _host

ROOT = Path(__file__).parents[2]
CODES = {"uint8": 66, "int8": 98, "int16": 104, "float32": 102}
MANY = 1000  # calls per kernel
f32 = np.float32
Random = np.random.Generator
PORTABLE = {
    name: module
    for module in (
        portable_boxes,
        portable_maps,
        portable_drawing,
        portable_poses,
        portable_crops,
        portable_heads,
        portable_anchors,
        portable_oriented,
        portable_places,
        portable_measures,
        portable_hide,
        portable_neighbors,
    )
    for name in vars(module)
    if getattr(getattr(module, name), "__module__", None) == module.__name__
}
needs_emulator = pytest.mark.skipif(bool(harness.missing()), reason=harness.missing())


# --- calls -----------------------------------------------------------------------------------------------------------
class Call(NamedTuple):
    """One call of a portable kernel: the bytes of its arguments before and after, and the returned value."""

    kernel: str
    before: list[Any]
    after: list[Any]
    value: int | None
    note: Any  # for a second reference, or to identify the case


def bytes_of(argument: Any) -> Any:
    if isinstance(argument, int):
        return argument
    if isinstance(argument, str):
        return argument.encode() + b"\0"  # as MicroPython stores it
    return bytes(_host.memoryview(argument).cast("B"))


def called(kernel: str, *arguments: Any, note: Any = None) -> Call:
    """Call the portable kernel and record its effects. Numpy arrays are passed as ulab arrays over the same memory."""
    passed = [_host.wrap(a) if isinstance(a, np.ndarray) else glyphs() if a is None else a for a in arguments]
    before = [bytes_of(a) for a in passed]
    with np.errstate(all="ignore"):
        value = getattr(PORTABLE[kernel], kernel)(*passed)
    return Call(kernel, before, [bytes_of(a) for a in passed], value, note)


# Arguments that may hold NaN afterwards.
HAS_FLOATS = {("candidates", 2), ("boxes_to_frame", 3), ("peaks", 1), ("peaks", 2)}
HAS_FLOATS |= {("decode_boxes", 2), ("decode_keypoints", 2), ("decode_anchors", 2), ("blend_anchors", 1)}
HAS_FLOATS |= {("suppress_oriented", 1), ("suppress_oriented", 3), ("place_keypoints", 2)}
HAS_FLOATS |= {("oriented_corners", 3)}


# Rows beyond the number that candidates and boxes_to_frame report are workspace, so their contents may differ. So are the
# boxes of a head without boxes, and the second half of the buffers of decode_boxes.
def compared(call: Call, buffers: list[Any]) -> list[Any]:
    """The part of each buffer that the kernel's specification defines. NaNs are equal, whatever their payload."""
    found = []
    for i, data in enumerate(buffers):
        if call.kernel == "candidates" and i in (2, 3):
            data = np.frombuffer(data, np.float32 if i == 2 else np.uint16).reshape(5 if i == 2 else 3, -1)
            first = 4 if i == 2 and np.frombuffer(call.before[1], np.int32)[5] < 4 else 0
            data = np.ascontiguousarray(data[first : 5 if i == 2 else 2, : call.value]).tobytes()
        if call.kernel == "decode_boxes" and i in (2, 3):
            data = data[: len(data) // 2 if i == 2 else len(data) // 3]
        if call.kernel == "score_anchors" and i in (2, 3):
            rows = np.frombuffer(call.before[1], np.int32)[14]
            data = np.frombuffer(data, np.float32 if i == 2 else np.uint16).reshape(2 * rows if i == 2 else 6, -1)
            data = np.ascontiguousarray(data[[rows + 4] if i == 2 else [3, 4], : call.value]).tobytes()
        if call.kernel == "rank_anchors" and i == 2:  # the order of the first list is workspace
            data = np.delete(np.frombuffer(data, np.uint16).reshape(6, -1), 2, axis=0).tobytes()
        if call.kernel == "blend_anchors" and i == 2:
            numbers = np.frombuffer(data, np.uint16).reshape(3, -1)
            data = numbers[:2].tobytes() + numbers[2, : call.value].tobytes()
        if call.kernel in ("suppress", "suppress_oriented") and i == 2:
            numbers = np.frombuffer(data, np.uint16).reshape(3, -1)
            data = numbers[:2].tobytes() + numbers[2, : call.value].tobytes()
        if call.kernel == "hide_cells" and i == 3:  # workspace
            continue
        if call.kernel == "boxes_to_frame" and i == 3:
            rows, kept, most = (np.frombuffer(block, np.int32)[0] for block in (buffers[0], call.after[0], call.before[0]))
            data = data[: 64 * min(rows, kept)] + data[64 * most :]
        if (call.kernel, i) in HAS_FLOATS:
            words = np.frombuffer(data, np.uint32).copy()
            words[(words & 0x7FFFFFFF) > 0x7F800000] = 0x7FC00000
            data = words.tobytes()
        found.append(data)
    return found


def check(calls: list[Call], kind: str = "helium", **options: Any) -> list[harness.Result]:
    """Run the calls on the emulated core and compare all bytes and values."""
    codes = harness.kernels(*harness.files(kind))
    results = harness.run([(call.kernel, call.before) for call in calls], codes=codes, **options)
    for number, (call, result) in enumerate(zip(calls, results, strict=True)):
        name = f"call {number}, {call.kernel}, {call.note if not isinstance(call.note, dict) else list(call.note)}"
        if call.value is not None:
            assert result.value == call.value, f"{name}: returned {result.value}, portable {call.value}"
        # A larger value would allocate an int object on the heap.
        assert -(2**30) <= result.value < 2**30, f"{name}: returned {result.value}"
        for i, (mine, reference) in enumerate(zip(compared(call, result.buffers), compared(call, call.after), strict=True)):
            if mine != reference:
                at = [k for k, (a, b) in enumerate(zip(mine, reference)) if a != b]
                block = [
                    np.frombuffer(b, np.int32)[:20].tolist()
                    for b in call.before
                    if isinstance(b, bytes) and 0 < len(b) < 200 and len(b) % 4 == 0
                ]
                raise AssertionError(
                    f"{name}: argument {i} differs in {len(at)} of {len(mine)} bytes, first at {at[:8]}: "
                    f"{[mine[k] for k in at[:8]]}, portable {[reference[k] for k in at[:8]]}; small arguments: {block}"
                )
        assert result.stack <= 2048, f"{name}: {result.stack} bytes of stack"
    return results


# Zeros, subnormals and the smallest normal numbers of both signs, the largest number; infinities; NaN, quiet and signaling.
ODD = np.array(
    [0, 1 << 31, 1, 0x80000001, 0x400000, 0x807FFFFF, 0x800000, 0x80800000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000,
     0xFFC00001, 0x7F800001, 0xFF800001, 0x7FBFFFFF, 0xFFBFFFFF],
    np.uint32,
)  # fmt: skip


# --- tensors ---------------------------------------------------------------------------------------------------------
def tensor(random: Random, dtype: str, size: int, special: bool = True) -> Array:
    """`size` values: whole range, few levels (ties), the two extremes, or all equal; floats with some of ODD."""
    kind = random.integers(5)
    if dtype == "float32":
        if kind == 0:
            values = random.normal(size=size)
        elif kind == 1:
            values = random.integers(-3, 4, size) / 2
        elif kind == 2:
            values = np.full(size, random.choice([0.0, -1.5, 3.0]))
        elif kind == 3:
            values = random.normal(size=size) * 10.0 ** random.integers(-3, 7)
        else:
            values = random.random(size)
        values = values.astype(np.float32)
        if special and random.random() < 0.5:
            share = random.choice([0.02, 0.3, 0.9])
            kinds = [ODD, ODD[:9], ODD[9:]][random.integers(3)]  # a NaN hides what subnormals do
            odd = kinds[random.integers(len(kinds), size=size)]
            values = np.where(random.random(size) < share, odd, values.view(np.uint32)).view(f32)
        return values
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    if kind == 0:
        values = random.integers(low, high + 1, size)
    elif kind == 1:
        start = int(random.integers(low, high - 2))
        values = random.integers(start, start + 3, size)
    elif kind == 2:
        values = random.choice([low, low, low + 1, high - 1, high], size)
    elif kind == 3:
        values = np.full(size, random.choice([low, high, 0]))
    else:
        values = np.clip(random.normal(0, 20, size), low, high)
    return values.astype(dtype)


def cut_for(random: Random, values: Array) -> float:
    """A threshold that some, all or none of the values reach, up to the integer just above the dtype's range."""
    if values.dtype == f32:
        return float(np.float32(random.choice([0.0, 0.5, 1e30, float(np.abs(random.normal()))])))
    low, high = np.iinfo(values.dtype).min, np.iinfo(values.dtype).max
    return int(random.choice([low, high, high + 1, int(random.choice(values)), int(values.max())]))


def word(cut: float, dtype: str) -> int:
    return bits(cut) if dtype == "float32" else int(cut)


def dtype_of(random: Random) -> str:
    return str(random.choice(["int8", "int8", "uint8", "float32", "int16"]))


# --- the calls of each kernel ----------------------------------------------------------------------------------------
def class_map_calls(random: Random) -> Iterator[Call]:
    sizes = [1, 2, 3, 15, 16, 17, 31, 33, 47, 48, 49, 63, 65, 100, 131]
    widths = [1, 1, 1, 2, 2, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 21, 31, 32, 33, 48, 49, 100, 255]
    shapes = [(int(random.choice(sizes)), classes) for classes in widths for _ in range(40)]
    shapes += [(65 * 65, 21), (128 * 128, 5), (320 * 80, 2), (5000, 255)]
    for pixels, classes in shapes:
        for last in (True, False):
            dtype = dtype_of(random) if pixels < 4000 else "int8"
            values = tensor(random, dtype, pixels * classes)
            cut = cut_for(random, values)
            steps = (classes, 1) if last else (1, pixels)
            block = array("i", (CODES[dtype], pixels, classes, *steps, word(cut, dtype)))
            grid = values.reshape(pixels, classes) if last else values.reshape(classes, pixels).T
            yield called("class_map", values, block, bytearray(b"\xee" * pixels), note={"values": grid, "cut": cut})


def class_histogram_calls(random: Random) -> Iterator[Call]:
    for pixels in (1, 2, 15, 16, 17, 100, 1000, 4097):
        for classes in (1, 2, 5, 6, 7, 18, 24, 25, 256):
            values = random.integers(0, classes, pixels).astype(np.uint8)
            values[random.integers(pixels)] = random.choice([0, classes - 1])
            yield called("class_histogram", values, array("i", [pixels]), array("i", [-7] * 256), note={"values": values})


def peaks_calls(random: Random) -> Iterator[Call]:
    for number in range(MANY):
        width, height, keypoints = int(random.integers(1, 21)), int(random.integers(1, 21)), int(random.integers(1, 40))
        if number % 5 == 0:
            width, height, keypoints = (
                int(random.choice([1, 2, 31, 48, 48, 90])),
                int(random.choice([1, 7, 48, 96])),
                int(random.choice([1, 3, 13, 17])),
            )
        dtype, last = dtype_of(random), bool(random.integers(2))
        values = tensor(random, dtype, width * height * keypoints)
        cut = cut_for(random, values)
        steps = (keypoints, 1) if last else (1, width * height)
        zero_point = 0 if dtype == "float32" else int(random.integers(-128, 128))
        scale = [bits(v) for v in random.uniform(-0.1, 20, 5)]
        scale[2] = scale[4] = bits(random.choice([0.0, -3.7, 11.3]))
        block = array(
            "i",
            (CODES[dtype], width, height, keypoints, *steps, zero_point, word(cut, dtype), int(number % 4 > 0), *scale),
        )
        block.extend([int(n) for n in random.integers(1, 400, 2)] + [77] * 6)
        yield called("peaks", values, block, np.full((keypoints, 3), 9, f32), note=[width, height, keypoints, dtype, last])


def spread(random: Random, grid: Array) -> tuple[Array, array[int]]:
    """A grid (anchors, channels) with other numbers in between, and the steps to the next channel and anchor."""
    anchors, channels = grid.shape
    inner, more = (int(random.choice(choice)) for choice in ([1, 2, 3], [0, 1, 5]))
    steps = (inner, inner * channels + more) if random.random() < 0.5 else (inner * anchors + more, inner)
    values = np.full((channels - 1) * steps[0] + (anchors - 1) * steps[1] + 1, grid.max(), grid.dtype)
    values[np.arange(anchors)[:, None] * steps[1] + np.arange(channels) * steps[0]] = grid
    return values, array("i", steps)


def allowed_classes(random: Random, classes: int) -> set[int]:
    """A class filter: half of the classes, one, four, four runs of neighbors, every second or none."""
    kind = int(random.integers(6))
    some = [int(c) for c in random.integers(0, classes, 4)]
    if kind == 0:
        return {c for c in range(classes) if random.random() < 0.5}
    if kind < 3:
        return set(some[:1] if kind == 1 else some)
    if kind == 3:
        return {c for first in some for c in range(first, min(first + 5, classes))}
    return set(range(some[0] % 2, classes, 2)) if kind == 4 else set()


def candidates_calls(random: Random) -> Iterator[Call]:
    for number in range(MANY):
        anchors = int(random.choice([1, 2, 3, 15, 16, 17, 33, 100, 111, 112, 113, 127, 200, 225, 300]))
        classes = int(random.choice([1, 1, 2, 3, 7, 8, 9, 16, 17, 33, 80]))
        extra = int(random.choice([0, 0, 1, 32]))
        if number % 60 == 59:
            anchors, classes, extra = 2100, 80, 32
        first = int(random.integers(4)) if number % 5 == 2 else 4  # less than 4: a head without boxes
        if number % 10 == 2:  # the class scores of a split head, with nothing between them
            first = extra = 0
        channels, dtype, last = first + classes + extra, dtype_of(random), bool(random.integers(2))
        values = tensor(random, dtype, anchors * channels)
        if dtype == "float32" and random.random() < 0.2:  # subnormal
            values = random.integers(0, 1 << 23, anchors * channels, dtype=np.uint32).view(f32)
        cut = cut_for(random, values)
        if random.random() < 0.4:  # few survivors, as in a real frame
            flat = np.sort(values[~np.isnan(values)] if dtype == "float32" else values)
            cut = flat[int(len(flat) * 0.99)] if len(flat) else 1
            cut = float(cut) if dtype == "float32" else int(cut)
        capacity = int(random.choice([1, 2, 5, 30, 100, 256]))
        steps = (1, channels) if last else (anchors, 1)
        filtered = (classes + 31) // 32 if random.random() < 0.3 else 0
        zero_point = 0 if dtype == "float32" else int(random.integers(-128, 128))
        block = array(
            "i", (CODES[dtype], anchors, channels, *steps, first, classes, zero_point, word(cut, dtype), capacity, filtered)
        )
        allowed = allowed_classes(random, classes) if filtered else None
        for start in range(0, classes if filtered else 0, 32):
            value = sum(1 << c - start for c in allowed or () if start <= c < start + 32)
            block.append(value - (value >> 31 << 32))
        grid = values.reshape(anchors, channels) if last else values.reshape(channels, anchors).T
        note = {"values": grid, "classes": slice(first, first + classes), "cut": cut}
        note |= {"allowed": allowed, "capacity": capacity}
        if number % 8 == 7:  # a head that is part of a larger array, like a view with steps
            values, block[3:5] = spread(random, grid)
        yield called(
            "candidates", values, block, np.full((5, capacity), 9, f32), np.full((3, capacity), 9, np.uint16), note=note
        )


LEVELS = [
    ((0, 24, 8), (576, 12, 16), (720, 6, 32)),
    ((0, 7, 8), (35, 4, 16), (47, 2, 32)),
    ((0, 1, 64),),
    ((0, 5, 4), (30, 3, 8), (42, 2, 16), (44, 1, 32)),
]


def decode_boxes_calls(random: Random) -> Iterator[Call]:
    for number in range(MANY):
        levels = LEVELS[random.integers(len(LEVELS))]
        anchors = levels[-1][0] + int(random.integers(1, 9))
        bins = int(random.choice([16, 16, 16, 16, 1, 1, 0, 0, 2, 3, 4, 5, 17, 32]))
        channels = 4 * max(bins, 1) + int(random.choice([0, 0, 0, 1, 3, 80]))
        dtype, last = dtype_of(random), bool(random.integers(2))
        head = tensor(random, dtype, anchors * channels)
        grid = head.reshape(anchors, channels) if last else head.reshape(channels, anchors).T
        capacity = int(random.choice([1, 2, 3, 4, 5, 8, 30, 100]))
        count, total = int(random.integers(capacity + 1)), int(random.choice([0, capacity, random.integers(capacity + 1)]))
        sigmoid, zero_point = bool(random.random() < 0.8), 0 if dtype == "float32" else int(random.integers(-128, 128))
        scales = random.choice([0.1, 0.0437, 0.5, 0.003, 3.3, 1.0], 3)
        if number % 3:  # ties among old and new scores
            raw = random.integers(-9, 9, count).astype(f32)
        else:
            raw = (random.normal(size=count) * random.choice([1, 10, 1000])).astype(f32)
            raw[random.random(count) < 0.1] = np.inf
        raw = np.sort(raw)[::-1] + f32(0)
        block = head_params.decode_boxes(
            CODES[dtype], anchors, channels, *((1, channels) if last else (anchors, 1)), zero_point, bins, *scales,
            int(sigmoid), float(random.choice([0, 0, 0.3, 0.5, 0.9, 2])), int(random.integers(800)), capacity, count, total,
            sum(levels, ()),
        )  # fmt: skip
        scales = np.array(block[7:10], np.int32).view(f32)
        values = np.full((10, capacity), 9, f32)
        labels = np.full((6, capacity), 9, np.uint16)
        values[:4, :total] = random.normal(size=(4, total)) * 100
        old = np.abs(witness.decoded_scores(random.integers(-9, 9, total).astype(f32), scales[2], sigmoid))
        values[4, :total] = np.sort(old)[::-1]
        labels[:2, :total] = random.integers(0, 65536, (2, total))
        values[9, :count] = raw
        labels[3, :count] = random.integers(0, anchors, count)
        labels[4, :count] = random.integers(0, 65536, count)
        note = {"boxes": grid, "raw": raw, "zero_point": zero_point, "bins": bins, "sigmoid": sigmoid, "capacity": capacity}
        note |= {"values": values[:5, :total].copy(), "labels": labels[:2, :total].copy(), "levels": np.array(levels)}
        note |= {"found": labels[3:5, :count].copy(), "scales": scales, "first": block[12]}
        note |= {"least": np.array(block[11:12], np.int32).view(f32)[0]}
        yield called("decode_boxes", head, block, values, labels, note=note)


def decode_keypoints_calls(random: Random) -> Iterator[Call]:
    for _ in range(MANY):
        keypoints, anchors, dtype = int(random.choice([1, 2, 5, 17, 33])), int(random.integers(1, 9)), dtype_of(random)
        last, sigmoid = bool(random.integers(2)), bool(random.random() < 0.7)
        head = tensor(random, dtype, anchors * 3 * keypoints)
        grid = head.reshape(anchors, -1) if last else head.reshape(-1, anchors).T
        anchor, zero_point = int(random.integers(anchors)), 0 if dtype == "float32" else int(random.integers(-128, 128))
        low, size = random.integers(-50, 50, 2), random.integers(1, 700, 2)
        block = head_params.decode_keypoints(
            CODES[dtype], keypoints, 1 if last else anchors, zero_point, int(sigmoid),
            *random.choice([0.1, 0.73, 9.1, 3e-3], 3), *random.choice([0, 8, 17.3], 2), *(random.normal(size=2) * 40),
            *low, *(low + size), anchor * 3 * keypoints if last else anchor, *(int(n) for n in random.integers(0, 80, 2)),
        )  # fmt: skip
        words = np.array(block, np.int32)
        floats = words.view(f32)
        note = {"raw": grid[anchor].reshape(keypoints, 3), "zero_point": zero_point, "sigmoid": sigmoid}
        note |= {"scales": floats[5:8], "cells": words[17:19].astype(f32) * floats[8:10], "offsets": floats[10:12]}
        note |= {"low": floats[12:14], "high": floats[14:16]}
        yield called("decode_keypoints", head, block, np.full((keypoints, 3), 9, f32), note=note)


def same_boxes(buffers: list[Any], size: int | None, note: dict[str, Any]) -> bool:
    """Whether decode_boxes has left in its buffers what numpy makes of the same candidates."""
    values, labels = np.frombuffer(buffers[2], f32).reshape(10, -1), np.frombuffer(buffers[3], np.uint16).reshape(6, -1)
    wanted, numbers = witness.decode_boxes(**note)
    return np.array_equal(values[:5, :size], wanted, equal_nan=True) and np.array_equal(labels[:2, :size], numbers)


def filter_or_none(random: Random, classes: int) -> set[int] | None:
    """A class filter, or None."""
    if random.random() < 0.6:
        return None
    return {int(n) for n in random.integers(0, classes, int(random.integers(1, 4)))}


def steps(last: bool, channels: int, anchors: int) -> tuple[int, int]:
    """The element steps from channel to channel and from anchor to anchor."""
    return (1, channels) if last else (anchors, 1)


def score_anchors_calls(random: Random) -> Iterator[Call]:
    for _ in range(MANY):
        anchors, rows = int(random.integers(1, 40)), int(random.choice([5, 8, 23]))
        capacity = int(random.choice([1, 2, 5, 30]))
        count, classes = int(random.integers(1, capacity + 1)), int(random.choice([0, 0, 1, 1, 2, 3, 20, 80]))
        activation = int(random.integers(3)) if classes else 0
        background = int(random.integers(2)) if activation == 2 else 0
        first, dtype, last = background + int(random.choice([0, 4, 5])), dtype_of(random), bool(random.integers(2))
        channels = first + classes + int(random.choice([0, 0, 3]))
        scores = tensor(random, dtype, anchors * channels)
        grid = scores.reshape(anchors, channels) if last else scores.reshape(channels, anchors).T
        zero_point = 0 if dtype == "float32" else int(random.integers(-128, 128))
        allowed = filter_or_none(random, classes) if classes else None
        scales = random.choice([0.1, 0.0437, 0.5, 0.003, 1.0], 2)
        search_sigmoid, root = bool(random.integers(2)), bool(random.random() < 0.3)
        block = anchor_params.score_anchors(
            CODES[dtype], *steps(last, channels, anchors), first, classes, activation, background, zero_point, *scales,
            int(search_sigmoid), int(root), float(random.choice([0, 0, 0.3, 0.5])), capacity, rows, count, allowed or (),
        )  # fmt: skip
        floats = np.array(block[:13], np.int32).view(f32)
        values, labels = np.full((2 * rows, capacity), 9, f32), np.full((6, capacity), 9, np.uint16)
        found = (random.integers(-9, 9, count) if random.integers(2) else random.normal(size=count) * 10).astype(f32)
        found[random.random(count) < 0.05] = random.choice([np.inf, -np.inf, np.nan])
        values[rows + 4, :count] = found
        labels[3, :count] = random.integers(0, anchors, count)
        labels[4, :count] = random.integers(0, 65536, count)
        at = labels[3, :count].astype(int)
        note = {"found": found, "anchors": labels[3, :count].copy(), "classes": labels[4, :count].copy()}
        note |= {"numbers": grid[at, first - background : first + classes] if classes else None, "least": floats[12]}
        note |= {"activation": activation, "background": background, "zero_point": zero_point, "scale": floats[8]}
        note |= {"search_scale": floats[9], "search_sigmoid": search_sigmoid, "root": root, "allowed": allowed}
        yield called("score_anchors", scores, block, values, labels, note=note)


def same_scores(result: harness.Result, note: dict[str, Any]) -> bool:
    """Whether score_anchors has left the scores, anchors and classes that numpy makes of the same candidates."""
    scores, anchors, classes = anchor_reference.score_anchors(**note)
    labels = np.frombuffer(result.buffers[3], np.uint16).reshape(6, -1)
    values = np.frombuffer(result.buffers[2], f32).reshape(-1, labels.shape[1])
    found = values[len(values) // 2 + 4, : result.value], labels[3, : result.value], labels[4, : result.value]
    return all(np.array_equal(*pair) for pair in zip(found, (scores, anchors, classes)))


def levels_of(random: Random) -> tuple[list[Any], int]:
    """(levels, number of anchors), as level_table takes them."""
    levels, first = [], 0
    for _ in range(int(random.integers(1, 5))):
        width, height, cell = int(random.integers(1, 9)), int(random.integers(1, 9)), int(random.integers(1, 7))
        anchors = random.choice([1.0, 8.0, 0.9883, 13.3, 300 / 19], (cell, 4))
        strides = random.choice([8.0, 16.0, 300 / 19, 1.0], 2)
        levels.append((first, width, *strides, [tuple(float(n) for n in row) for row in anchors]))
        first += width * height * cell
    return levels, first


def as_stored(levels: list[Any]) -> list[Any]:
    """The levels with their fractions as float32 without the last two bits, as a parameter block holds them."""

    def stored(number: float) -> np.float32:
        return np.array([bits(number) & -4], np.int32).view(f32)[0]

    return [
        (first, width, stored(x), stored(y), np.array([[stored(n) for n in row] for row in cell]))
        for first, width, x, y, cell in levels
    ]


def decode_anchors_calls(random: Random) -> Iterator[Call]:
    for _ in range(MANY):
        levels, anchors = levels_of(random)
        points = int(random.choice([0, 0, 1, 5, 6]))
        first_box = int(random.choice([0, 0, 4])) if points == 0 or random.integers(3) else -1
        first_point = int(random.choice([0, 4]))
        channels = max(first_box + 4, first_point + 2 * points) + int(random.choice([0, 1, 81]))
        dtype, last = dtype_of(random), bool(random.integers(2))
        head = tensor(random, dtype, anchors * channels)
        grid = head.reshape(anchors, channels) if last else head.reshape(channels, anchors).T
        rows, capacity = 5 + 3 * points, int(random.choice([1, 2, 5, 30]))
        count = int(random.integers(1, capacity + 1))
        total = int(random.integers(0, capacity - count + 1))
        zero_point = 0 if dtype == "float32" else int(random.integers(-128, 128))
        xy, wh, swapped = int(random.integers(2)), int(random.integers(3)), int(random.integers(2))
        block = anchor_params.decode_anchors(
            CODES[dtype], *steps(last, channels, anchors), zero_point, float(random.choice([0.1, 0.0437, 1.0, 3e-3])),
            first_box, swapped, xy, wh, float(random.choice([1.0, 0.2])), first_point, points,
            float(random.choice([0, 0.5, -0.5])), int(random.integers(900)), capacity, rows, count, total, len(levels),
            anchor_params.level_table(levels),
        )  # fmt: skip
        floats = np.array(block[:13], np.int32).view(f32)
        values, labels = np.full((2 * rows, capacity), 9, f32), np.full((6, capacity), 9, np.uint16)
        values[rows + 4, :count] = random.random(count)
        labels[3, :count] = random.integers(0, anchors, count)
        labels[4, :count] = random.integers(0, 65536, count)
        raw = grid[labels[3, :count].astype(int)]
        note = {"boxes": raw[:, first_box : first_box + 4] if first_box >= 0 else None, "anchors": labels[3, :count].copy()}
        note["points"] = raw[:, first_point : first_point + 2 * points].reshape(count, points, 2) if points else None
        note |= {"zero_point": zero_point, "scale": floats[4], "swapped": bool(swapped), "xy": xy, "wh": wh}
        note |= {"wh_scale": floats[9], "offset": floats[12], "levels": as_stored(levels)}
        wanted = values.copy(), labels.copy()
        with np.errstate(all="ignore"):
            corners, keypoints = anchor_reference.decode_anchors(**note)
        span = slice(total, total + count)
        if first_box >= 0:
            wanted[0][:4, span], wanted[0][4, span] = corners, values[rows + 4, :count]
            wanted[1][0, span] = labels[3, :count] + block[13]
            wanted[1][1, span] = labels[4, :count]
        wanted[0][5:rows, span] = keypoints if points else wanted[0][5:rows, span]
        yield called("decode_anchors", head, block, values, labels, note={"wanted": wanted})


def same_lists(result: harness.Result, note: dict[str, Any]) -> bool:
    """Whether a kernel has left these values and labels, its last two arguments."""
    values, labels = (
        np.frombuffer(buffer, wanted.dtype).reshape(wanted.shape)
        for buffer, wanted in zip(result.buffers[2:], note["wanted"])
    )
    return np.array_equal(values, note["wanted"][0], equal_nan=True) and np.array_equal(labels, note["wanted"][1])


def rank_anchors_calls(random: Random) -> Iterator[Call]:
    for _ in range(MANY):
        total, rows = int(random.choice([1, 2, 3, 5, 17, 40, 41, 200])), int(random.choice([5, 8, 23]))
        capacity, most = total + int(random.choice([0, 0, 1, 30])), int(random.choice([1, 3, 20, 300]))
        values = random.normal(size=(2 * rows, capacity)).astype(f32)
        kind = random.integers(3)
        values[4] = random.random(capacity) if kind == 0 else random.integers(0, 4, capacity) / 4 if kind == 1 else 0.5
        labels = np.full((6, capacity), 9, np.uint16)
        labels[0, :total] = random.permutation(60000)[:total] if random.integers(2) else np.arange(total)
        labels[1, :total] = random.integers(0, 65536, total)
        note = {"values": values[:rows, :total].copy(), "labels": labels[:2, :total].copy(), "most": most}
        yield called("rank_anchors", anchor_params.rank_anchors(total, most, capacity, rows), values, labels, note=note)


def same_ranks(result: harness.Result, note: dict[str, Any]) -> bool:
    values, classes = anchor_reference.rank_anchors(**note)
    labels = np.frombuffer(result.buffers[2], np.uint16).reshape(6, -1)[:, : result.value]
    found = np.frombuffer(result.buffers[1], f32).reshape(2 * len(values), -1)[len(values) :, : result.value]
    return (
        np.array_equal(found, values)
        and np.array_equal(labels[4], classes)
        and labels[3].tolist() == list(range(result.value))
    )


def blend_anchors_calls(random: Random) -> Iterator[Call]:
    for _ in range(MANY):
        count, rows = int(random.choice([1, 2, 3, 4, 7, 8, 17, 40, 100])), int(random.choice([5, 8, 23]))
        capacity = count + int(random.choice([0, 0, 1, 30]))
        values = random.normal(size=(rows, capacity)).astype(f32)
        values[7::3] = 1
        values[:5, :count] = boxes(random, count, tiny=bool(random.random() < 0.2))
        labels = random.integers(0, int(random.choice([1, 2, 80, 60000])), (3, capacity)).astype(np.uint16)
        labels[0] = np.arange(capacity)
        agnostic, most = bool(random.integers(2)), int(random.choice([1, 3, 20, 300]))
        block = anchor_params.blend_anchors(
            count, float(random.choice([0.0, 0.25, 0.3, 0.5, 1 / 3, 1.0])), int(agnostic), most, capacity, rows
        )
        threshold = np.array(block[1:2], np.int32).view(f32)[0]
        note = {"values": values[:, :count].copy(), "classes": labels[1, :count].copy(), "threshold": threshold}
        note |= {"class_agnostic": agnostic, "most": most}
        yield called("blend_anchors", block, values, labels, note=note)


def same_blends(result: harness.Result, note: dict[str, Any]) -> bool:
    kept, values = anchor_reference.blend_anchors(**note)
    found = np.frombuffer(result.buffers[1], f32).reshape(len(values), -1)[:, kept]
    positions = np.frombuffer(result.buffers[2], np.uint16).reshape(3, -1)[2, : result.value]
    return np.array_equal(found, values[:, kept], equal_nan=True) and positions.tolist() == kept


def suppress_oriented_calls(random: Random) -> Iterator[Call]:
    for _ in range(MANY):
        count = int(random.choice([1, 2, 3, 7, 17, 40]))
        capacity = count + int(random.choice([0, 0, 1, 30]))
        values, table = (random.normal(size=(rows, capacity)).astype(f32) for rows in (5, 10))
        values[:5, :count] = boxes(random, count, tiny=bool(random.random() < 0.2))
        angles = random.normal(size=count) * random.choice([0.0, 0.01, 1.0, 3.0, 1e6])
        if random.random() < 0.1:
            angles[random.random(count) < 0.2] = random.choice([np.nan, np.inf, -np.inf, 1e30])
        table[9, :count] = angles
        labels = random.integers(0, int(random.choice([1, 2, 60000])), (3, capacity)).astype(np.uint16)
        unit_x, unit_y = (random.choice([1.0, 8.0, 0.0437, 320.0], 2) if random.integers(2) else np.ones(2)).tolist()
        agnostic, most = bool(random.integers(2)), int(random.choice([1, 3, 20, 300]))
        limit = float(random.choice([0.0, 1e-14, 0.0625, 0.5625, 0.828, 0.999, 2.0]))
        block = oriented_params.suppress_oriented(unit_x, unit_y, limit, int(agnostic), most, capacity, count)
        stored = np.array(block[:3], np.int32).view(f32)
        note = {"values": values[:4, :count].copy(), "classes": labels[1, :count].copy(), "angles": table[9, :count].copy()}
        note |= {"unit_x": stored[0], "unit_y": stored[1], "limit": stored[2], "class_agnostic": agnostic, "most": most}
        yield called("suppress_oriented", block, values, labels, table, note=note)


def same_oriented(result: harness.Result, note: dict[str, Any]) -> bool:
    kept, bounds, table = oriented_reference.suppress_oriented(**note)
    count = len(note["classes"])
    found = np.frombuffer(result.buffers[1], f32).reshape(5, -1)[:4, :count]
    boxes_found = np.frombuffer(result.buffers[3], f32).reshape(10, -1)[:, :count]
    positions = np.frombuffer(result.buffers[2], np.uint16).reshape(3, -1)[2, : result.value]
    same = np.array_equal(found, bounds, equal_nan=True) and np.array_equal(boxes_found, table, equal_nan=True)
    return same and positions.tolist() == kept


def oriented_corners_calls(random: Random) -> Iterator[Call]:
    for _ in range(MANY):
        kept = int(random.choice([1, 2, 7, 20]))
        capacity = kept + int(random.choice([0, 3, 30]))
        table = random.normal(size=(10, capacity)) * random.choice([1e-15, 1e-3, 1.0, 100.0, 1e5, 1e30])
        table[random.random((10, capacity)) < 0.1] = random.choice([0.0, 0.0, np.nan, np.inf, -np.inf])
        if random.random() < 0.3:
            table = np.round(table)
        labels = np.zeros((3, capacity), np.uint16)
        labels[2, :kept] = np.sort(random.permutation(capacity)[:kept])
        ax, bx, ay, by = random.choice([1.0, 2.5, 0.3333, -7.0, 480.0], 4).tolist()
        block = oriented_params.oriented_corners(capacity, abs(ax), bx, abs(ay), by, kept)
        stored = np.array(block[1:5], np.int32).view(f32)
        note = {"boxes": table.astype(f32)[:, labels[2, :kept]], "transform": stored}
        yield called("oriented_corners", block, labels, table.astype(f32), np.zeros((kept, 9), f32), note=note)


def boxes(random: Random, count: int, tiny: bool = False) -> Array:
    """Corners x1, y1, x2, y2 and a score, (5, count), on a grid, so that IoUs tie; some are empty, inverted or NaN.

    tiny    whether some are subnormal
    """
    step = random.choice([1.0, 0.25, 7.3])
    center = random.integers(0, random.choice([3, 12, 60]), (2, count)) * step
    half = random.integers(0, 8, (2, count)) * step / 2
    values = np.concatenate([center - half, center + half, np.sort(random.random((1, count)))[:, ::-1]]).astype(f32)
    if random.random() < 0.2:
        values[int(random.integers(4)), random.random(count) < 0.2] = random.choice([np.nan, np.inf, -np.inf])
    if tiny:
        at = random.random((4, count)) < 0.3
        values[:4][at] = random.choice(ODD[:8], int(at.sum())).view(f32)
    if random.random() < 0.2:
        values[[0, 2]] = values[[2, 0]]
    return values


def suppress_calls(random: Random) -> Iterator[Call]:
    for _ in range(MANY):
        count = int(random.choice([1, 2, 3, 4, 5, 7, 8, 17, 40, 100]))
        capacity = count + int(random.choice([0, 0, 1, 30]))
        values = np.full((5, capacity), 5, f32)
        values[:, :count] = boxes(random, count, tiny=bool(random.random() < 0.2))
        labels = random.integers(0, int(random.choice([1, 2, 80, 60000])), (3, capacity)).astype(np.uint16)
        threshold = random.choice([0.0, 0.25, 0.5, 0.7, 1 / 3, 1.0])
        block = array("i", (count, bits(threshold), int(random.integers(2)), int(random.choice([1, 3, 20, 300])), capacity))
        yield called("suppress", block, values, labels)


def boxes_to_frame_calls(random: Random) -> Iterator[Call]:
    for _ in range(MANY):
        count = int(random.choice([1, 2, 3, 4, 5, 9, 30]))
        capacity = count + int(random.choice([0, 1, 20]))
        values = np.full((5, capacity), 5, f32)
        values[:, :count] = boxes(random, count, tiny=bool(random.random() < 0.2))
        labels = random.integers(0, 60000, (3, capacity)).astype(np.uint16)
        kept = int(random.integers(1, count + 1))
        labels[2, :kept] = np.sort(random.permutation(count)[:kept])
        width, height, grid = (int(n) for n in random.integers(1, 700, 3))
        scales = random.choice([1.0, 0.5, 2.1, 6.4, -1.0, 40.0], 2)
        block = array("i", (kept, capacity, width, height))
        block.extend(bits(v) for v in (scales[0], random.normal(), scales[1], random.normal() * 9, random.random()))
        block.extend((int(random.integers(2)), grid, int(random.integers(1, 90))))
        block.extend(
            bits(v)
            for v in (random.choice([0.25, 1, 3.3]), random.choice([0.25, 1, 3.3]), *random.choice([0.0, 0.5, 1.25], 2))
        )
        block.append(int(random.integers(3)))
        table = array("i", [0x5A5A5A] * (16 * (kept + int(random.integers(2)))))
        yield called("boxes_to_frame", block, values, labels, table)


def prototype_mask_calls(random: Random) -> Iterator[Call]:
    for number in range(MANY):
        width, height = (int(n) for n in random.choice([1, 2, 3, 5, 8, 16, 17, 20], 2))
        terms = int(random.choice([1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 32, 32, 33, 64]))
        if number % 40 == 39:
            width, height, terms = 80, 80, 32
        dtype, last = dtype_of(random), bool(random.integers(2))
        protos = tensor(random, dtype, width * height * terms)
        spread = bool(random.integers(2))
        anchors = int(random.integers(1, 9))
        head = tensor(random, dtype, anchors * (terms + 3))
        start, step = (
            (int(random.integers(anchors)) + 3 * anchors, anchors)
            if spread
            else ((terms + 3) * int(random.integers(anchors)) + 3, 1)
        )
        x, y = int(random.integers(width)), int(random.integers(height))
        w, h = int(random.integers(1, width - x + 1)), int(random.integers(1, height - y + 1))
        if random.random() < 0.3:
            x, y, w, h = 0, 0, width, height
        zero_points = (0, 0) if dtype == "float32" else tuple(int(n) for n in random.integers(-128, 128, 2))
        if dtype == "uint8":
            zero_points = tuple(int(n) for n in random.choice([0, 3, 128, 255], 2))
        exact = dtype in ("int8", "uint8")
        threshold = (
            int(random.choice([0, 0, 1, -1, 5000, -70000, 2**23, -(2**23)]))
            if exact
            else float(random.choice([0.0, 0.3, -50.0]))
        )
        steps = (terms, 1) if last else (1, width * height)
        block = array(
            "i",
            (
                CODES[dtype],
                width,
                height,
                terms,
                *steps,
                *zero_points,
                start,
                step,
                x,
                y,
                w,
                h,
                word(threshold, dtype if exact else "float32"),
                1 if spread else terms + 3,
                *(0, 65536, 0),
            ),
        )
        note = None
        if number % 3 == 0:
            block, size = with_rows(random, block, anchors, 3 * anchors if spread else 3)
            yield called("prototype_mask", protos, head, block, bytearray(b"\xee" * size))
            continue
        if exact:
            grid = protos.reshape(height, width, terms) if last else protos.reshape(terms, height, width).transpose(1, 2, 0)
            coefficients = head[start : start + (terms - 1) * step + 1 : step]
            note = {"protos": grid[y : y + h, x : x + w], "coefficients": coefficients}
            note |= {"zero_points": zero_points, "threshold": threshold}
        yield called("prototype_mask", protos, head, block, bytearray(b"\xee" * (w * h)), note=note)


def with_rows(random: Random, block: array[int], anchors: int, first: int) -> tuple[array[int], int]:
    """The block followed by up to thirty rows of boxes_to_frame's table, and the number of bytes of their masks."""
    width, height = block[1:3]
    start, rows = 0, int(random.choice([1, 2, 3, 7, 8, 9, 30]))
    block[8], block[18] = first, 16 * rows
    if random.random() < 0.4:  # only the masks of some anchors
        block[16:18] = array("i", sorted(int(n) for n in random.integers(0, anchors + 1, 2)))
    for _ in range(rows):
        x, y = int(random.integers(width)), int(random.integers(height))
        w, h = int(random.integers(1, width - x + 1)), int(random.integers(1, height - y + 1))
        if random.random() < 0.2:  # its box contains no pixel
            x = y = w = h = 0
        block.extend([7, 7, 7, 7, int(random.integers(anchors)), 7, 7, 7, 7, 7, 7, x, y, w, h, start])
        start += w * h
    return block, start


SCALES = [1, 1, 2, 4, 0.5, 1.3, 3, 0.77, 2.9999, 10 / 7, 8.1, 12.8, 25.6, 6.4, 1.6]


def suppress_masks_calls(random: Random) -> Iterator[Call]:
    for number in range(MANY):
        width, height = (int(n) for n in random.integers(1, 90 if number % 20 == 0 else 24, 2))
        if number % 40 == 7:  # more than a band, and than 64 bands of 16 rows, in suppress_masks.c
            width, height = min(width, 9), 50 * height
        rows = int(random.choice([1, 2, 3, 5, 9, 20]))
        class_agnostic, part = bool(random.integers(2)), int(random.choice([0, 1, 300, 819, 1023, 1024]))
        # Frame pixels per mask pixel, and the frame position at which the mask begins.
        scale, offset = random.choice([1.0, 4.0, 0.5, 2.3, 12.8], 2), random.choice([0.0, 0.0, -9.5, 3.3], 2)
        frame = np.maximum([1, 1], [width, height] * scale - random.choice([0, 0, 5, 20], 2)).astype(int)
        margins = random.choice([0, 0, 1, 7], 2)
        to_mask = (1 / scale).astype(f32)
        shift = ((0.5 - offset) / scale).astype(f32)
        classes = random.integers(0, int(random.choice([1, 2, 300])), rows)
        planes, crops, seen, table, data = [], [], [], array("i"), bytearray()
        shape = random.random((height, width)) > random.choice([0.0, 0.3, 0.7, 1.0])
        for i in range(rows):
            # A few objects that are detected repeatedly with small differences, and their crops with or without a ring.
            noise = random.random((height, width)) < random.choice([0.0, 0.02, 0.5])
            plane = shape ^ noise
            x0, x1 = (int(n) for n in np.sort(random.integers(0, width + 1, 2)))
            y0, y1 = (int(n) for n in np.sort(random.integers(0, height + 1, 2)))
            if random.random() < 0.4:
                x0, y0, x1, y1 = 0, 0, width, height
            ring = int(random.integers(3))
            wx, wy = max(0, x0 - ring), max(0, y0 - ring)
            ww, wh = min(width, x1 + ring) - wx, min(height, y1 + ring) - wy
            if x1 == x0 or y1 == y0:
                wx = wy = ww = wh = 0
            values = np.where(plane, random.integers(128, 256, plane.shape), random.integers(0, 128, plane.shape))
            rect, visible = [], []
            for axis in (0, 1):
                first, last = np.sort(random.integers(0, frame[axis] + 1, 2))
                first = min(int(first), int(frame[axis]) - 1)
                last = max(int(last), first + 1)
                rect.append((first, last - first))
                ends = max(first - margins[axis], 0), min(last + margins[axis], frame[axis]) - 1
                visible.append([int(np.floor(f32(f32(end) * to_mask[axis]) + shift[axis])) for end in ends])
            seen.append((visible[0][0], visible[1][0], visible[0][1] + 1, visible[1][1] + 1))
            table.extend((rect[0][0], rect[1][0], rect[0][1], rect[1][1], i, int(classes[i]), 7))
            table.extend((x0, y0, x1, y1, wx, wy, ww, wh, len(data)))
            data += values[wy : wy + wh, wx : wx + ww].astype(np.uint8).tobytes()
            planes.append(plane)
            crops.append((x0, y0, x1, y1))
        note = {"masks": np.array(planes), "crops": np.array(crops), "classes": classes, "part": part}
        note.update(class_agnostic=class_agnostic, seen=np.array(seen))
        table.extend([0x5A5A5A] * 16 * int(random.integers(2)))
        block = array("i", [rows, part, class_agnostic, *frame, *margins])
        block.extend(bits(v) for v in (to_mask[0], shift[0], to_mask[1], shift[1]))
        yield called("suppress_masks", block, table, data or bytearray(1), note=note)


def tint_mask_calls(random: Random) -> Iterator[Call]:
    """Clip rectangles inside the scaled mask and beyond its end, where its last column and row continue."""
    for number in range(MANY):
        while True:
            depth = int(random.choice([2, 2, 1]))
            width, height = (int(n) for n in random.choice([1, 2, 7, 16, 17, 33, 40], 2))
            w, h = (int(n) for n in random.choice([1, 2, 3, 5, 9, 16, 20], 2))
            if number % 10 == 9:  # more mask pixels, or columns, than a strip
                width, w = int(random.choice([40, 300])), int(random.choice([31, 32, 33, 63, 300]))
            sx, sy = (float(n) for n in random.choice(SCALES, 2))
            if random.random() < 0.4:
                sy = sx
            x, y = int(random.integers(-w * sx, width)), int(random.integers(-h * sy, height))
            left, top, right, bottom = max(0, x), max(0, y), width, height
            if random.random() < 0.3:  # like clip_mask: from the window's start to its end plus a fraction of a pixel
                right, bottom = min(width, int(x + w * sx + random.random())), min(height, int(y + h * sy + random.random()))
            elif random.random() < 0.7:
                left, top = (int(random.integers(low, high)) for low, high in ((left, width), (top, height)))
                right, bottom = (int(random.integers(low + 1, high + 1)) for low, high in ((left, width), (top, height)))
            if right > left and bottom > top:
                break
        frame = bytearray(random.bytes(width * height * depth))
        mask = tensor(random, "uint8", w * h)
        if random.random() < 0.5:  # with an inside and an outside
            parts = random.choice([0, 120, 127, 128, 140, 255], ((h + 3) // 4, (w + 3) // 4)).astype(np.uint8)
            mask = parts.repeat(4, 0).repeat(4, 1)[:h, :w]
        alpha = int(random.choice([255, 255, 128, 0, 5, 8, 60, 200, int(random.integers(256))]))
        block = [depth, width, height, w, h, x, y, params.bits(sx), params.bits(sy), left, top, right, bottom]
        block += [int(random.integers(65536)), alpha, int(random.integers(2))]
        yield called("tint_mask", frame, bytearray(mask.tobytes()), array("i", block), note=block)


def edges(random: Random, count: int) -> list[int]:
    """The edges of `count` columns: of equal width, from a scale, random, or all empty; clipped or not."""
    kind = random.integers(4)
    first = int(random.choice([0, 0, 3, 20]))
    if kind == 0:
        widths = np.full(count, random.choice([1, 1, 2, 3, 4]))
    elif kind == 1:
        widths = np.diff(np.floor(np.arange(count + 1) * random.choice([0.3, 0.77, 1.3, 10 / 7, 3.6]) + random.random()))
    elif kind == 2:
        widths = random.choice([0, 0, 1, 2, 9, 300], count)
    else:
        widths = np.zeros(count)
    made = first + np.concatenate([[0], np.cumsum(widths)]).astype(int)
    if random.random() < 0.3:
        low, high = sorted(int(n) for n in random.integers(0, 40, 2))
        made = made.clip(low, high)
    return [int(n) for n in made]


def some_classes(random: Random, pixels: int) -> tuple[Array, bool]:
    few = bool(random.integers(2))
    return random.integers(0, 3 if few else 256, pixels).astype(np.uint8), few


def tint_map_calls(random: Random) -> Iterator[Call]:
    for number in range(MANY):
        depth = int(random.choice([2, 2, 1]))
        width, height = (int(n) for n in random.choice([1, 2, 7, 16, 17, 33, 40], 2))
        w, h = (int(n) for n in random.choice([1, 2, 3, 5, 9, 16, 20], 2))
        columns, rows = edges(random, w), edges(random, h)
        if number % 60 == 59:  # more than a strip of columns
            width, height, w, h = 300, 3, int(random.choice([280, 300, 400])), 3
            columns, rows = edges(random, w), [0, 1, 2, 3]
        frame = bytearray(random.bytes(width * height * depth))
        classes, few = some_classes(random, w * h)
        palette = bytearray(random.bytes(768))
        if few:
            palette[512:515] = bytes(random.permutation([0, 255, int(random.integers(256))]).astype(np.uint8))
        if random.random() < 0.1:
            palette[512:] = bytes(256)
        block = drawing_params.tint_map(depth, width, height, 0, w, h, columns + rows)
        yield called("tint_map", frame, bytearray(classes.tobytes()), block, palette, note=list(block))


def count_class_pixels_calls(random: Random) -> Iterator[Call]:
    for number in range(MANY):
        w, h = (int(n) for n in random.choice([1, 2, 7, 8, 9, 16, 17, 33], 2))
        if number % 20 == 19:
            w, h = int(random.choice([255, 256, 257, 700])), int(random.choice([1, 3, 20]))
        classes, _ = some_classes(random, w * h)
        class_id = int(random.choice([0, 1, 2, 255, int(classes[0])]))
        columns, rows = edges(random, w), edges(random, h)
        note = {"values": classes.reshape(h, w), "class_id": class_id, "columns": columns, "rows": rows}
        block = drawing_params.tint_map(class_id=class_id, width=w, height=h, edges=columns + rows)
        yield called("count_class_pixels", classes, block, note=note)


@cache
def glyphs() -> bytearray:
    """The font of the kernel box, drawn by the firmware as in pixels/text.py."""
    font = bytearray(95 * 81)
    for code in range(95):
        glyph = image.Image(8, 10, image.GRAYSCALE, buffer=memoryview(font)[80 * code : 80 * code + 80])
        glyph.draw_string((0, 0), chr(32 + code), color=(255, 255, 255), mono_space=False)
        font[95 * 80 + code] = ord("0") + ADVANCES[code]
    return font


LETTERS = [chr(code) for code in (*range(32, 127), 0xE9, 0x4E2D, 127, 9)] + ["\n", "\r", "\r\n"] * 4


def box_calls(random: Random) -> Iterator[Call]:
    font = glyphs()
    for _ in range(MANY):
        depth, width, height = int(random.choice([1, 2])), *(int(n) for n in random.choice([1, 2, 9, 16, 33, 50], 2))
        rectangles = [[int(n) for n in (*random.integers(-9, 45, 2), *random.integers(0, 60, 2))] for _ in range(2)]
        thickness, scale = int(random.choice([0, 1, 2, 3, 20])), int(random.choice([1, 1, 2, 2, 3, 5, 6, 7, 8]))
        colors = [int(n) for n in random.integers(65536, size=2)]
        block = [depth, width, height, *rectangles[0], thickness, *rectangles[1], *colors, scale]
        text = "".join(random.choice(LETTERS, random.integers(0, 9)))
        frame = bytearray(random.bytes(width * height * depth))
        yield called("box", frame, array("i", block), text, font, note=(block, text))


def clip_mask_calls(random: Random) -> Iterator[Call]:
    for _ in range(MANY):
        block = array("i", [int(n) for n in random.integers(-9, 9, 24)])
        block[1], block[2] = (int(n) for n in random.integers(1, 400, 2))
        for i, value in {
            7: random.uniform(0.3, 9),
            8: random.uniform(0.3, 9),
            16: random.normal() * 9,
            17: random.normal() * 9,
        }.items():
            block[i] = bits(value)
        block[18:24] = array(
            "i", [int(n) for n in (*random.integers(0, 30, 2), *random.integers(1, 400, 2), *random.integers(0, 9, 2))]
        )
        table = array("i", [int(n) for n in random.integers(0, 60, 48)])
        yield called("clip_mask", block, table, int(random.integers(3)) * 16)


def place_labels_calls(random: Random) -> Iterator[Call]:
    for _ in range(MANY):
        count, line = int(random.choice([0, 1, 2, 9, 16, 17, 40])), int(random.choice([11, 21]))
        width, height = (int(n) for n in random.choice([9, 60, 160, 320, 700], 2))
        spans = random.choice([0, 26, 58, 82, 82, 400], count)
        low = random.choice([0, 0, -30])
        x, y = random.integers(low, width + 9, count), random.integers(low, height + 9, count)
        rows = np.column_stack([x, y, random.integers(0, 90, count), spans])
        if random.integers(2):
            rows[:, :2] //= 3  # many in the same place
        table = array("i", [int(n) for n in rows.ravel()])
        placed = min(count, int(random.choice([0, 0, 1, 5, 40])))
        yield called("place_labels", drawing_params.place_labels(count, width, height, line, placed), table)


def pose_calls(random: Random) -> Iterator[Call]:
    far = [-1e9, 1e9, 40000, -40000, np.nan, np.inf, -np.inf, -0.5, 32767.5]
    for _ in range(MANY):
        depth, width, height = int(random.choice([1, 2])), *(int(n) for n in random.choice([1, 2, 9, 16, 33, 50], 2))
        keypoints = int(random.choice([1, 2, 5, 13, 17, 300]))
        points = np.empty((keypoints, 3), f32)
        beyond = random.choice([0, 0, 5, 300])
        points[:, 0] = random.uniform(-beyond, width + beyond, keypoints)
        points[:, 1] = random.uniform(-beyond, height + beyond, keypoints)
        points[:, 2] = random.choice([0.1, 0.3, 0.5, 0.9, 0.9, 0.9, np.nan], keypoints)
        if random.integers(4) == 0:
            points[random.integers(keypoints), random.integers(2)] = random.choice(far)
        limbs = random.integers(0, 6)
        skeleton = np.column_stack([random.integers(0, keypoints, (limbs, 2)), random.integers(0, 3, limbs)]).ravel()
        skeleton = array("H", [int(n) for n in np.concatenate([skeleton, random.integers(0, 3, keypoints)])])
        thickness, radius = int(random.choice([-1, 0, 1, 2, 2, 3, 4, 9])), int(random.choice([-1, 0, 1, 2, 3, 3, 4, 12]))
        colors = [int(n) for n in random.integers(65536, size=3)]
        outside = int(random.integers(2))
        block = pose_params.pose(depth, width, height, keypoints, int(limbs), thickness, radius, 0.3, *colors, outside)
        frame = bytearray(random.bytes(width * height * depth))
        yield called("pose", frame, block, points, skeleton)
    # Long lines, also beside the frame's edges and at 45 degrees.
    sizes = (640, 90, 6), (90, 640, 2), (400, 400, 3), (1200, 60, 40), (60, 900, 100), (33, 3000, 99)
    for width, height, thickness in sizes:
        ends = (5, 9), (width - 3, height - 5), (width + 40, 30), (-20, height - 1), (width - 1, 0), (7, height + 90), (0, 0)
        points = np.array([(x, y, 1) for x, y in ends], f32)
        lines = [(int(a), int(b), 0) for a, b in random.integers(0, 7, (8, 2))]
        skeleton = array("H", [int(n) for line in lines for n in line] + [0] * 7)
        for depth in (1, 2):
            colors = [int(random.integers(65536)), 0, 0]
            block = pose_params.pose(depth, width, height, 7, len(lines), thickness, 0, 0.3, *colors, 1)
            yield called("pose", bytearray(random.bytes(width * height * depth)), block, points, skeleton)


def cut_rotated_calls(random: Random) -> Iterator[Call]:
    for _ in range(MANY):
        depth = int(random.choice([1, 2]))
        source, target = (tuple(int(n) for n in random.choice([1, 2, 3, 9, 14], 2)) for _ in range(2))
        reach = int(random.choice([1, 1, 4, 40]))  # how far beyond the source
        start = [int(n) for n in random.integers(-reach << 16, (max(source) + reach) << 16, 2)]
        steps = [int(n) for n in random.integers(-3 << 16, 3 << 16, 4)]
        if random.integers(3) == 0:
            steps = [65536, 0, 0, 65536]
            start = [int(n) << 16 for n in random.integers(-2, 3, 2)]
        pixels = bytearray(random.choice([0, 255], depth * source[0] * source[1]).astype(np.uint8).tobytes())
        if random.integers(2):
            pixels = bytearray(random.bytes(len(pixels)))
        block = crop_params.cut_rotated(depth, *source, *target, *start, *steps)
        yield called("cut_rotated", bytearray(depth * target[0] * target[1]), block, pixels)


def place_keypoints_calls(random: Random) -> Iterator[Call]:
    odd = np.float32([np.nan, np.inf, -np.inf, 1e30, -0.0])
    for _ in range(MANY):
        dtype, count = dtype_of(random), int(random.choice([1, 2, 5, 21, 60]))
        raw = tensor(random, dtype, 3 * count)
        if dtype == "float32" and random.integers(2):
            raw[random.random(len(raw)) < 0.2] = random.choice(odd)
        zero_point = 0 if dtype == "float32" else int(random.integers(-128, 128))
        matrix = [float(n) for n in random.choice([0.0, 1.0, -1.0, 0.37, -2.5, 100.0], 6)]
        limits = [-65535.0, -65535.0, 65535.0, 65535.0] if random.integers(2) else [0.0, 0.0, 64.0, 48.5]
        threshold = float(random.choice([0.0, 0.3, 0.5, 1.0, 20.0]))
        block = crop_params.place_keypoints(
            CODES[dtype], count, zero_point, int(random.integers(2)), threshold, *matrix, *limits
        )
        yield called("place_keypoints", raw, block, np.full((count, 3), 9, f32))


def edges_within(random: Random, count: int, size: int) -> list[int]:
    """The edges of `count` columns in a frame of this size: ascending, even or not, some of no width."""
    if random.integers(2):
        made = np.floor(np.arange(count + 1) * size / count + random.random())
    else:
        made = np.sort(random.integers(0, size + 1, count + 1))
    return [int(n) for n in made.clip(0, size)]


def color_sums_calls(random: Random) -> Iterator[Call]:
    for number in range(MANY):
        depth = int(random.choice([2, 2, 1]))
        width, height = (int(n) for n in random.choice([1, 2, 7, 8, 9, 16, 17, 33, 60], 2))
        w, h = (int(n) for n in random.choice([1, 2, 3, 5, 9, 16, 20], 2))
        if number % 100 == 99:  # sums of squares beyond 24 bits
            width, height, w, h = 300, 40, 9, 5
        step = w + int(random.choice([0, 0, 1, 7]))
        frame = bytearray(random.bytes(width * height * depth))
        if random.integers(4) == 0:
            frame = bytearray(bytes([random.choice([0, 255])]) * len(frame))
        mask = np.where(random.random((h, step)) < random.choice([0, 0.1, 0.5, 0.9, 1.0]), 128, 127).astype(np.uint8)
        mask[random.random((h, step)) < 0.3] += 100
        columns, rows = edges_within(random, w, width), edges_within(random, h, height)
        pixels = np.frombuffer(frame, np.uint16 if depth == 2 else np.uint8).reshape(height, width)
        colors = np.stack(rgb565_to_rgb888(pixels) if depth == 2 else [pixels] * 3, axis=-1)
        block = place_params.color_sums(depth, width, step, w, h, columns + rows)
        # The row's last bytes need not exist.
        data = bytearray(mask.tobytes()[: (h - 1) * step + w])
        note = {"frame": colors, "mask": mask[:, :w], "columns": columns, "rows": rows}
        yield called("color_sums", frame, data, block, array("i", [-9] * 19), note=note)


def class_bands_calls(random: Random) -> Iterator[Call]:
    for _ in range(MANY):
        w, h = (int(n) for n in random.choice([1, 2, 7, 8, 9, 16, 17, 33], 2))
        classes, _ = some_classes(random, w * h)
        class_id = int(random.choice([0, 1, 2, 255, int(classes[0])]))
        columns, rows = edges(random, w), edges(random, h)
        bands = int(random.choice([1, 2, 5, 8]))
        top, bottom = rows[0], rows[-1]
        ends = [top + k * (bottom - top) // bands for k in range(bands + 1)]
        if random.integers(3) == 0:
            ends = sorted(int(n) for n in random.integers(0, bottom + 5, bands + 1))
        note = {"values": classes.reshape(h, w), "class_id": class_id, "columns": columns, "rows": rows, "ends": ends}
        block = place_params.class_bands(class_id, w, h, bands, columns + rows + ends)
        yield called("class_bands", classes, block, array("H", [0] * w), array("i", [-9] * 4 * bands), note=note)


def measure_mask_calls(random: Random) -> Iterator[Call]:
    for number in range(MANY):
        ww, wh = (int(n) for n in random.choice([0, 1, 2, 3, 5, 8, 9, 17, 40], 2, p=[0.02] + [0.98 / 8] * 8))
        wx, wy = (int(n) for n in random.integers(0, 30, 2))
        x0, x1 = (wx + int(n) for n in np.sort(random.integers(0, ww + 1, 2)))
        y0, y1 = (wy + int(n) for n in np.sort(random.integers(0, wh + 1, 2)))
        if random.random() < 0.5:
            x0, y0, x1, y1 = wx, wy, wx + ww, wy + wh
        values = random.integers(0, 256, (wh, ww)).astype(np.uint8)
        values[random.random((wh, ww)) < random.choice([0.2, 0.9, 1.0])] &= 127
        values[random.random((wh, ww)) < random.choice([0, 0.5, 0.9, 1.0])] |= 128
        if random.random() < 0.2:
            values[:] = random.choice([0, 127, 128, 255])
        scale, offset = random.choice(SCALES, 2), [float(n) for n in random.normal(0, 30, 2)]
        if number % 100 == 99:  # moments beyond 32 bits
            scale = [float(n) for n in random.uniform(300, 1500, 2)]
        seen = [int(n) for n in (*random.integers(-5, 40, 2), *random.choice([0, 1, 60, 400, 60_000], 2))]
        margin = [int(n) for n in random.integers(0, 9, 2)]
        box = [int(n) for n in (*random.integers(-20, 200, 2), *random.integers(-1, 300, 2))]
        if random.random() < 0.3:
            box = [0, 0, *seen[2:]]
        start = int(random.integers(0, 9))
        entry = int(random.integers(3)) * 16
        table = array("i", [-1] * 48)
        crop = x0, y0, x1, y1
        table[entry : entry + 16] = array("i", [*box, 7, 3, bits(0.5), *crop, wx, wy, ww, wh, start])
        block = measure_params.measure_mask(*scale, *offset, *seen, *margin)
        data = bytearray(bytes(start) + values.tobytes())
        note = {"values": values, "window": (wx, wy), "crop": crop, "scale": scale, "offset": offset, "seen": seen}
        note |= {"margin": margin, "box": box}
        yield called("measure_mask", data, table, block, array("i", [entry] + [-9] * 6), note=note)


def cells_within(random: Random, width: int, height: int, size: int) -> tuple[int, int, int, int]:
    """The first column and row, the columns and the rows of some cells that all have a pixel in a frame of this size."""
    spans = []
    for pixels in (width, height):
        most = (pixels - 1) // size + 1
        first = int(random.integers(0, most))
        spans.append((first, int(random.integers(1, most - first + 1))))
    return spans[0][0], spans[1][0], spans[0][1], spans[1][1]


def mark_cells_calls(random: Random) -> Iterator[Call]:
    for _ in range(MANY):
        width, height = (int(n) for n in random.choice([1, 2, 7, 16, 33, 80, 200], 2))
        w, h = (int(n) for n in random.choice([1, 2, 3, 5, 9, 16, 20], 2))
        size = int(random.choice([2, 3, 4, 8, 13, 64]))
        left, top, columns, rows = cells_within(random, width, height, size)
        x, y = int(random.integers(-40, width)), int(random.integers(-40, height))
        steps = [int(scale * 32768) for scale in random.choice(SCALES, 2)]
        margins = [int(n) for n in random.choice([0, 0, 1, 9, 400], 2)]
        x0, x1 = (int(n) for n in np.sort(random.integers(0, width + 1, 2)))
        y0, y1 = (int(n) for n in np.sort(random.integers(0, height + 1, 2)))
        if random.random() < 0.4:
            x0, y0, x1, y1 = 0, 0, width, height
        values = np.where(random.random((h, w)) < random.choice([0, 0.02, 0.3, 1.0]), 128, 127).astype(np.uint8)
        block = hide_params.mark_cells(w, h, x, y, *steps, *margins, x0, y0, x1, y1, left, top, size, columns, rows)
        note = {"mask": values >= 128, "block": list(block)}
        yield called("mark_cells", bytearray(values.tobytes()), block, bytearray([7] * columns * rows), note=note)


def hide_cells_calls(random: Random) -> Iterator[Call]:
    for number in range(MANY):
        depth = int(random.choice([2, 2, 1]))
        width, height = (int(n) for n in random.choice([1, 2, 7, 8, 9, 16, 17, 33, 60], 2))
        size = int(random.choice([1, 2, 3, 4, 7, 8, 16, 21, 64]))
        if number % 100 == 99:
            width, height, size = 200, 140, 64
        cells = cells_within(random, width, height, size)
        frame = bytearray(random.bytes(width * height * depth))
        if random.integers(4) == 0:
            frame = bytearray(bytes([random.choice([0, 255])]) * len(frame))
        marked = bytearray((random.random(cells[2] * cells[3]) < random.choice([0, 0.3, 0.8, 1])).astype(np.uint8).tobytes())
        how, color = number % 3, int(random.integers(65536))
        block = hide_params.hide_cells(depth, width, height, *cells, size, how, color)
        pixels = np.frombuffer(frame, np.uint16 if depth == 2 else np.uint8).reshape(height, width).copy()
        note = {"pixels": pixels, "marked": np.array(marked).reshape(cells[3], cells[2]), "cells": cells, "size": size}
        note |= {"how": how, "color": color}
        yield called("hide_cells", frame, block, bytes(marked), array("H", [0] * len(marked)), note=note)


def int8_rows(random: Random, count: int, channels: int) -> Array:
    """Rows of the whole range, few levels (many equal rows and distances), the extremes, zeros, or all -128."""
    levels = [range(-128, 128), [0, 1], [-128, 127], [0], [-128]][random.integers(5)]
    return random.choice(levels, (count, channels)).astype(np.int8)


def rows_with_places(vectors: Array, places: Array) -> bytes:
    """Rows of a memory: int8 channels and two int16."""
    return np.concatenate([vectors.view(np.uint8), np.ascontiguousarray(places).view(np.uint8)], axis=1).tobytes()


def nearest_calls(random: Random) -> Iterator[Call]:
    for number in range(MANY):
        channels = int(random.choice([1, 2, 3, 4, 7, 15, 16, 17, 33, 63, 64, 65, 100, 128, 131]))
        vectors, rows = (int(n) for n in random.choice([0, 1, 2, 3, 4, 5, 6, 7, 29, 30, 31, 66], 2))
        if number % 50 == 49:
            channels = int(random.choice([511, 1023, 1024]))
            vectors, rows = (int(n) for n in random.integers(1, 9, 2))
        features, memory = int8_rows(random, vectors, channels), int8_rows(random, rows, channels)
        columns = int(random.choice([0, 1, 2, 3, 7, 12, 80]))
        step = int(random.choice([0, 1, 2, 25 if vectors <= 80 else 2]))
        places = random.choice([[0], [0, step, 5 * step], range(2048)][random.integers(3)], (rows, 2)).astype(np.int16)
        at = np.arange(vectors)
        own = np.stack([at % columns, at // columns], 1).astype(np.int16) * step if columns else places[:0]
        if not columns:
            own = random.integers(0, 2048, (vectors, 2)).astype(np.int16)
        if rows and vectors and random.integers(3) == 0:  # the vectors are rows of the memory
            same = random.integers(0, rows, vectors)
            features = memory[same]
            own = own if columns else places[same]
        stored = [rows_with_places(*both) for both in ((features, own), (memory, places))]
        if columns:
            stored[0] = features.tobytes()
        if step:
            features, memory = np.concatenate([features, own], 1), np.concatenate([memory, places], 1)
        first, end = (int(n) for n in np.sort(random.integers(0, rows + 1, 2)))
        if random.integers(3):
            first, end = 0, rows
        out = np.array([0x7FFFFFFF] * vectors + [-7] * vectors, np.int32)
        if end > first and random.integers(3) == 0:  # nearly the least distances, from rows that came before
            found = witness.nearest(features, memory, first, end, out)[:vectors]
            out[:vectors] = np.maximum(found + random.integers(-1, 2, vectors), 0)
        note = {"features": features, "memory": memory, "first": first, "end": end, "before": out.copy()}
        block = neighbor_params.nearest(vectors, channels, first, end, columns, step)
        yield called("nearest", stored[0], block, stored[1], array("i", out.tobytes()), note=note)


CALLS: dict[str, Callable[[Random], Iterator[Call]]] = {
    name[: -len("_calls")]: function for name, function in list(globals().items()) if name.endswith("_calls")
}
WITNESS: dict[str, Callable[[dict[str, Any], harness.Result], bool]] = {
    "class_map": lambda note, result: result.buffers[2] == witness.class_map(**note).tobytes(),
    "class_histogram": lambda note, result: result.buffers[2] == witness.class_histogram(**note).tobytes(),
    "candidates": lambda note, result: (
        [rows[: result.value].tolist() for rows in np.frombuffer(result.buffers[3], np.uint16).reshape(3, -1)[:2]]
        == [rows.tolist() for rows in witness.candidates(**note)]
    ),
    "suppress_masks": lambda note, result: (
        np.frombuffer(result.buffers[1], np.int32).reshape(-1, 16)[: result.value, 4].tolist()
        == witness.suppress_masks(**note)
    ),
    "prototype_mask": lambda note, result: result.buffers[3] == witness.exact_mask(**note).tobytes(),
    "decode_boxes": lambda note, result: same_boxes(result.buffers, result.value, note),
    "decode_keypoints": lambda note, result: np.array_equal(
        np.frombuffer(result.buffers[2], f32).reshape(-1, 3), witness.decode_keypoints(**note), equal_nan=True
    ),
    "score_anchors": lambda note, result: same_scores(result, note),
    "decode_anchors": lambda note, result: same_lists(result, note),
    "rank_anchors": lambda note, result: same_ranks(result, note),
    "blend_anchors": lambda note, result: same_blends(result, note),
    "suppress_oriented": lambda note, result: same_oriented(result, note),
    "oriented_corners": lambda note, result: np.array_equal(
        np.frombuffer(result.buffers[3], f32).reshape(-1, 9), oriented_reference.oriented_corners(**note), equal_nan=True
    ),
    "count_class_pixels": lambda note, result: result.value == witness.count_class_pixels(**note),
    "color_sums": lambda note, result: np.frombuffer(result.buffers[3], np.int32).tolist() == witness.color_sums(**note),
    "measure_mask": lambda note, result: witness.measure_mask(np.frombuffer(result.buffers[3], np.int32).tolist(), **note),
    "mark_cells": lambda note, result: witness.mark_cells(note, np.frombuffer(result.buffers[2], np.uint8)),
    "hide_cells": lambda note, result: result.buffers[0] == witness.hide_cells(**note).tobytes(),
    "nearest": lambda note, result: np.frombuffer(result.buffers[3], np.int32).tolist() == witness.nearest(**note).tolist(),
    "class_bands": lambda note, result: np.frombuffer(result.buffers[3], np.int32).tolist() == witness.class_bands(**note),
}


def defined(module: str) -> list[str]:
    tree = ast.parse((ROOT / "lib" / "n6post" / "kernels" / f"{module}.py").read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


# --- the tests -------------------------------------------------------------------------------------------------------
HARNESS = "host_tests/kernel_harness/*", "host_tests/*_reference.py"


def with_its_files(kernel: str) -> Any:
    group = next(group for group, names in BUILD["GROUPS"].items() if kernel in [*names, *BUILD["VIPER"].get(group, ())])
    return pytest.param(kernel, marks=pytest.mark.proof(f"lib/n6post/kernels/*/{group}.py", *HARNESS))


of_every_kernel = pytest.mark.parametrize("kernel", [with_its_files(kernel) for kernel in sorted(CALLS)])


def calls_of(kernel: str, whole: bool) -> list[Call]:
    """The thousand calls of a kernel, or the first fifty."""
    return list(itertools.islice(CALLS[kernel](np.random.default_rng(sum(kernel.encode()))), None if whole else 50))


@needs_emulator
@of_every_kernel
def test_machine_code_equals_portable_even_under_interrupts(kernel: str, whole: bool) -> None:
    calls = calls_of(kernel, whole)
    for kind in harness.KINDS:
        results = check(calls, kind)
        # About every fifty instructions an interrupt uses all registers, and the core restores them.
        disturbed = check(calls[::5], kind, interrupts=harness.INTERRUPTS)
        assert all(result.interrupts for result in disturbed)
        agrees = WITNESS.get(kernel)
        for number, (call, result) in enumerate(zip(calls, results)):
            if agrees and call.note:
                assert agrees(call.note, result), f"call {number}: portable and {kind} agree, but not with plain numpy"


@needs_emulator
@of_every_kernel
def test_a_cortex_m7_runs_its_kernels_with_the_same_results(kernel: str, whole: bool) -> None:
    calls = calls_of(kernel, whole)[:: 4 if whole else 1]
    small = [call for call in calls if sum(len(data) for data in call.before if isinstance(data, bytes)) < 1 << 20]
    assert len(small) > 0.9 * len(calls)
    check(small, "m7", core="cortex-m7")


@needs_emulator
def test_a_cortex_m7_refuses_the_kernels_with_helium() -> None:
    call = next(class_map_calls(np.random.default_rng(1)))
    with pytest.raises(RuntimeError, match="exit status 3"):
        check([call], "helium", core="cortex-m7")


def test_portable_suppress_masks_equals_plain_numpy() -> None:
    gone = 0
    for call in suppress_masks_calls(np.random.default_rng(7)):
        rows = np.frombuffer(call.after[1], np.int32).reshape(-1, 16)
        assert rows[: call.value, 4].tolist() == witness.suppress_masks(**call.note)
        gone += len(call.note["classes"]) - (call.value or 0)
    assert gone > MANY


@pytest.mark.parametrize("kind", harness.KINDS)
def test_every_portable_kernel_has_machine_code_and_tests(kind: str) -> None:
    assert list(BUILD["GROUPS"]) == list(harness.GROUPS) and list(BUILD["KINDS"]) == list(harness.KINDS)
    for group, kernels in BUILD["GROUPS"].items():
        names = [*kernels, *BUILD["VIPER"].get(group, ())]
        assert defined(f"{kind}/{group}") == names, "run python3 scripts/dev/generating/build_kernels.py"
        assert set(names) <= set(defined(f"portable/{group}"))
    assert set(BUILD["KERNELS"]) == set(CALLS) == set(harness.WRITTEN)


# --- calls by the library --------------------------------------------------------------------------------------------
class Recorder:
    """Replaces the package's kernels and records every call."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.calls: list[Call] = []
        for kernel in CALLS:
            replace_kernel(patch, kernel, lambda *arguments, kernel=kernel: self.call(kernel, *arguments))

    def call(self, kernel: str, *arguments: Any) -> int | None:
        self.calls.append(called(kernel, *arguments))
        return self.calls[-1].value

    def frame(self, processor: Any, tensors: list[Tensor], size: tuple[int, int], labels: list[str] | None) -> None:
        """One frame: post-process and draw, in color and in gray, on a frame as large as the model's input and another."""
        for width, height, pixformat in ((*size, image.RGB565), (300, 200, image.GRAYSCALE)):
            canvas = image.Image(width, height, pixformat)
            canvas.bytearray()[:] = np.random.default_rng(1).bytes(len(canvas.bytearray()))
            found = FakeModel(tensors, size, labels).run(processor, Framed((0, 0, width, height)))
            n6post.draw(canvas, found, alpha=128)
            if isinstance(found, n6post.Segmentation):
                found.class_ids()
                found.area(1)


def variants(tensors: list[Tensor]) -> Iterator[list[Tensor]]:
    yield tensors
    if all(t.values.dtype == np.int8 for t in tensors):
        yield [t.as_uint8() for t in tensors]
        yield [t.dequantized() for t in tensors]


OPTIONS: dict[str, list[dict[str, Any]]] = {
    "YoloV8": [{"threshold": 0.25}],
    "YoloV8Seg": [{"threshold": 0.25, "iou_threshold": 0.7}, {"mask_padding": 0, "max_detections": 3}],
    "YoloV8Pose": [{"threshold": 0.25}],
    "MoveNet": [{}, {"refine": False}],
    "DeepLab": [{}],
}


def test_every_recorded_family_is_covered() -> None:
    assert set(OPTIONS) == set(CAPTURES.values()) == RECORDED_FAMILIES


def check_family(recorder: Recorder) -> None:
    assert recorder.calls
    # Repeated calls (a head searched again with the same block) are run once.
    calls = {(call.kernel, *map(bytes_of_any, call.before)): call for call in recorder.calls}
    for kind in harness.KINDS:
        check(list(calls.values()), kind)


def bytes_of_any(argument: Any) -> bytes:
    return argument if isinstance(argument, bytes) else str(argument).encode()


@needs_emulator
@pytest.mark.parametrize("model", sorted(recorded.index()))
def test_calls_of_the_library_on_recorded_tensors_are_equal(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder(monkeypatch)
    for picture in list(recorded.index()[model]["pictures"])[:4]:
        recording = recorded.load(model, picture)
        for options in OPTIONS[recording.processor]:
            for tensors in variants(recording.tensors):
                processor = getattr(n6post, recording.processor)(**options)
                recorder.frame(processor, tensors, recording.size, recording.labels)
    check_family(recorder)


CAPTURES = {
    "yolov8n_320_quant_pc_ii_seg_coco-st": "YoloV8Seg",
    "yolov8n_192": "YoloV8",
    "yolov8n_256_quant_pc_uf_pose_coco-st": "YoloV8Pose",
    "movenet_singlepose_192": "MoveNet",
    "st_movenet_lightning_heatmaps_192_int8_pc": "MoveNet",
    "deeplab_v3_mobilenetv2_05_16_320_fft_qdq_int8": "DeepLab",
}


@needs_emulator
@pytest.mark.parametrize("model", sorted(CAPTURES))
def test_calls_of_the_library_on_the_captures_are_equal(
    model: str, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder(monkeypatch)
    for picture in ("bus", "person"):
        tensors, size = capture(shared / "captures" / f"{model}__{picture}.npz")
        for options in OPTIONS[CAPTURES[model]]:
            recorder.frame(getattr(n6post, CAPTURES[model])(**options), tensors, size, None)
    check_family(recorder)


# --- speed -----------------------------------------------------------------------------------------------------------
def instructions(kernel: str, *arguments: Any) -> int:
    (result,) = check([called(kernel, *arguments)])
    return result.instructions


@needs_emulator
@pytest.mark.parametrize(
    ("side", "classes", "dtype", "last", "most"),
    [
        (320, 2, "int8", True, 34_000),
        (320, 2, "uint8", True, 34_000),
        (320, 2, "int8", False, 36_000),
        (320, 2, "float32", False, 180_000),
        (65, 21, "int8", True, 63_000),
        (65, 21, "int8", False, 30_000),
        (512, 5, "int8", True, 360_000),
    ],
)
def test_class_map_stays_within_its_instruction_budget(side: int, classes: int, dtype: str, last: bool, most: int) -> None:
    # Mostly background, like real maps. With 21 classes in the lanes, a class from 16 on costs 4 more.
    random = np.random.default_rng(4)
    values = random.integers(0, 100, (side * side, classes))
    values[random.random(side * side) < 0.7, 0] = 110
    steps = (classes, 1) if last else (1, side * side)
    values = np.ascontiguousarray(values if last else values.T).astype(dtype)
    block = array("i", (CODES[dtype], side * side, classes, *steps, 0))
    assert instructions("class_map", values, block, bytearray(side * side)) <= most


@needs_emulator
@pytest.mark.parametrize(("keypoints", "most"), [(13, 14_000), (17, 17_000)])
def test_peaks_stays_within_its_instruction_budget(keypoints: int, most: int) -> None:
    values = np.clip(np.random.default_rng(5).normal(-90, 25, 48 * 48 * keypoints), -128, 127).astype(np.int8)
    scales = [bits(v) for v in (1 / 256, 4, 2, 4, 2)]
    block = array("i", (98, 48, 48, keypoints, keypoints, 1, -128, -50, 1, *scales, 192, 192) + (0,) * 6)
    assert instructions("peaks", values, block, np.zeros((keypoints, 3), f32)) <= most


@needs_emulator
@pytest.mark.parametrize(
    ("dtype", "bins", "last", "count", "most"),
    [
        ("int8", 16, True, 1, 1_200),
        ("int8", 16, True, 20, 8_500),
        ("int8", 16, False, 20, 9_500),
        ("float32", 16, True, 20, 15_500),
        ("int8", 1, True, 20, 3_700),
        ("int8", 0, False, 20, 3_200),
    ],
)
def test_decode_boxes_stays_within_its_instruction_budget(dtype: str, bins: int, last: bool, count: int, most: int) -> None:
    random = np.random.default_rng(9)
    channels = 4 * max(bins, 1)
    boxes = np.clip(random.normal(0, 25, 84 * channels), -128, 127).astype(dtype)
    steps = (1, channels) if last else (84, 1)
    levels = sum(LEVELS[1], ())
    block = head_params.decode_boxes(
        CODES[dtype], 84, channels, *steps, 0, bins, 0.1, 0.1, 0.1, 1, 0.0, 0, 300, count, 0, levels
    )
    values, labels = np.zeros((10, 300), f32), np.zeros((6, 300), np.uint16)
    values[9, :count] = np.sort(random.integers(-20, 40, count))[::-1]
    labels[3, :count] = random.integers(0, 48, count)
    assert instructions("decode_boxes", boxes, block, values, labels) <= most


@needs_emulator
@pytest.mark.parametrize(("depth", "most"), [(2, 4.7), (1, 2.4)])
def test_tint_map_stays_within_its_instruction_budget_per_pixel(depth: int, most: float) -> None:
    random = np.random.default_rng(6)
    classes = random.integers(1, 256, 320 * 320).astype(np.uint8)
    block = drawing_params.tint_map(depth, 320, 320, 0, 320, 320, [*range(321), *range(321)])
    palette = bytearray(random.bytes(512) + b"\x80" * 256)
    frame = bytearray(random.bytes(320 * 320 * depth))
    assert instructions("tint_map", frame, bytearray(classes), block, palette) <= most * 320 * 320


@needs_emulator
@pytest.mark.parametrize(("depth", "alpha", "most"), [(2, 128, 1.4), (2, 200, 1.8), (1, 128, 1.25)])
def test_tint_mask_stays_within_its_instruction_budget_per_pixel(depth: int, alpha: int, most: float) -> None:
    """A disc that fills a mask of 80 x 80, on 320 x 320."""
    y, x = np.mgrid[:80, :80] - 39.5
    mask = np.clip(128 + 16 * (38 - np.hypot(x, y)), 0, 255).astype(np.uint8)
    block = drawing_params.tint_mask(
        depth, 320, 320, 80, 80, x_scale=4, y_scale=4, x1=320, y1=320, color=0xF81F, alpha=alpha
    )
    frame = bytearray(np.random.default_rng(7).bytes(320 * 320 * depth))
    assert instructions("tint_mask", frame, bytearray(mask), block) <= most * 320 * 320


@needs_emulator
@pytest.mark.parametrize(("side", "frame", "most"), [(320, (400, 300), 70_000), (512, (640, 480), 180_000)])
def test_count_class_pixels_stays_within_its_instruction_budget(side: int, frame: tuple[int, int], most: int) -> None:
    classes = np.random.default_rng(7).integers(0, 5, side * side).astype(np.uint8)
    columns, rows = ((np.arange(side + 1) * size // side).tolist() for size in frame)
    block = drawing_params.tint_map(class_id=1, width=side, height=side, edges=columns + rows)
    assert instructions("count_class_pixels", classes, block) <= most


@needs_emulator
@pytest.mark.parametrize(
    ("vectors", "first", "end", "most"), [(144, 0, 256, 800_000), (144, 255, 256, 15_500), (1, 1, 256, 18_000)]
)
def test_nearest_stays_within_its_instruction_budget(vectors: int, first: int, end: int, most: int) -> None:
    """A frame, a new row of the memory, and a row among the others."""
    random = np.random.default_rng(8)
    numbers = [random.integers(-128, 128, (count, 128)).astype(np.int8) for count in (vectors, end)]
    features, memory = [rows_with_places(one, random.integers(0, 221, (len(one), 2), np.int16)) for one in numbers]
    block = neighbor_params.nearest(vectors, 128, first, end, 12 * (vectors > 1), 20)
    out = array("i", [0x7FFFFFFF] * (2 * vectors))
    assert instructions("nearest", features, block, memory, out) <= most


# --- memory that is not needed is not read: it is missing, and the memory behind a buffer is forbidden -----------------
def planes(dtype: str) -> tuple[Array, dict[str, Any]]:
    """A head of 12 classes as planes of 225 anchors, all scores 0, and its parameters; classes 1 to 3 and 5 may pass."""
    block: dict[str, Any] = {"dtype": CODES[dtype], "anchors": 225, "channels": 16, "channel_step": 225, "anchor_step": 1}
    block |= {"first_class": 4, "classes": 12, "zero_point": 0, "cut": 7, "capacity": 20, "allowed": [1, 2, 3, 5]}
    return np.zeros((16, 225), dtype), block


def search(kind: str, head: Array, block: dict[str, Any]) -> harness.Result:
    arguments = [head, params.candidates(**block), np.zeros((5, 20), f32), np.zeros((3, 20), np.uint16)]
    (result,) = harness.run([("candidates", arguments)], codes=harness.kernels(*harness.files(kind)))
    return result


@needs_emulator
@pytest.mark.parametrize("dtype", sorted(CODES))
@pytest.mark.parametrize("kind", harness.KINDS)
def test_scores_of_classes_that_may_not_pass_are_not_read(kind: str, dtype: str) -> None:
    head, block = planes(dtype)
    assert search(kind, head[: 4 + 6], block).value == 0
    if dtype != "int16" or kind == "helium":  # there, and for the last anchors, all between 1 and 5 are read
        head[4 + 4, :112] = 9
        assert search(kind, head[: 4 + 6], block).value == 0
    # Where an allowed class reaches the cut, all classes are read: another one may be larger.
    head[4 + 2, 112:120] = 8
    with pytest.raises(harness.KernelError, match="forbidden memory"):
        search(kind, head[: 4 + 6], block)
    head[4 + 4] = 0
    head[4 + 11, 116:] = 9
    result = search(kind, head, block)
    assert np.frombuffer(result.buffers[3], np.uint16).reshape(3, 20)[0, : result.value].tolist() == [112, 113, 114, 115]


@needs_emulator
@pytest.mark.parametrize("dtype", sorted(CODES))
@pytest.mark.parametrize("kind", harness.KINDS)
def test_prototypes_below_every_window_are_not_read(kind: str, dtype: str) -> None:
    random = np.random.default_rng(3)
    protos, head = (random.integers(0, 100, shape).astype(dtype) for shape in ((24, 16, 32), (2, 32)))
    rows = [drawing_params.row(anchor=0, window_x=2, window_y=1, window_w=9, window_h=15)]
    rows += [drawing_params.row(anchor=1, window_x=1, window_y=3, window_w=11, window_h=14, start=9 * 15)]
    block = params.prototype_mask(
        dtype=CODES[dtype], width=16, height=24, coefficients=32, pixel_step=32, coefficient_step=1,
        zero_point=0, head_zero_point=0, anchor_step=32, rows=rows[0] + rows[1],
    )  # fmt: skip
    call = called("prototype_mask", protos, head, block, bytearray(9 * 15 + 11 * 14))
    assert len({*call.after[3]}) > 20
    for missing in (0, 1):
        needed = protos.reshape(-1, 32)[: 16 * 16 + 12 - missing]  # up to the last pixel of the second window
        arguments = [needed, *call.before[1:]]
        if missing:
            with pytest.raises(harness.KernelError, match="forbidden memory"):
                harness.run([("prototype_mask", arguments)], codes=harness.kernels(*harness.files(kind)))
        else:
            (result,) = harness.run([("prototype_mask", arguments)], codes=harness.kernels(*harness.files(kind)))
            assert result.buffers[3] == call.after[3]


# --- the harness itself -----------------------------------------------------------------------------------------------
FAULTY = """
import micropython
@micropython.asm_thumb
def loop(r0):
    label(AGAIN)
    sub(r0, r0, 1)
    bne(AGAIN)
@micropython.asm_thumb
def load(r0, r1):
    add(r0, r0, r1)
    ldrb(r0, [r0, 0])
@micropython.asm_thumb
def store(r0, r1):
    add(r1, r0, r1)
    strb(r0, [r1, 0])
    mov(r0, 0)
@micropython.asm_thumb
def spoil_r9(r0):
    data(2, 0x46C1)
@micropython.asm_thumb
def spoil_d8(r0):
    data(2, 0xEC40, 0x0B18)
@micropython.asm_thumb
def endless(r0):
    label(HERE)
    b(HERE)
@micropython.asm_thumb
def deep(r0):
    label(HERE)
    push({r0, r1})
    b(HERE)
@micropython.asm_thumb
def undefined(r0):
    data(2, 0xDE00)
"""


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    file = tmp_path_factory.mktemp("faulty") / "faulty.py"
    file.write_text(FAULTY, encoding="utf-8")
    return harness.kernels(file)


@needs_emulator
def test_instructions_are_counted_one_by_one(faulty: dict[str, bytes]) -> None:
    turns = [1, 2, 10, 12345, 1_000_000]
    results = harness.run([("loop", [n]) for n in turns], codes=faulty)
    # Two per iteration, with push and pop around them.
    assert [result.instructions for result in results] == [2 * n + 2 for n in turns]


@needs_emulator
@pytest.mark.parametrize("size", [1, 16, 31, 32, 33, 100])
def test_an_access_one_byte_beyond_either_end_is_caught(faulty: dict[str, bytes], size: int) -> None:
    buffer = bytes(range(size))
    (result,) = harness.run([("load", [buffer, size - 1])], codes=faulty)
    assert result.value == size - 1
    for kernel, written in (("load", {}), ("store", {"store": (0,)})):
        for offset in (-1, size):
            with pytest.raises(harness.KernelError, match="forbidden memory"):
                harness.run([(kernel, [buffer, offset])], codes=faulty, written=written)


@needs_emulator
def test_writing_to_an_input_is_caught(faulty: dict[str, bytes]) -> None:
    with pytest.raises(harness.KernelError, match="forbidden memory"):
        harness.run([("store", [bytes(40), 7])], codes=faulty)


@needs_emulator
@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("spoil_r9", "changed r9"),
        ("spoil_d8", "changed d8"),
        ("endless", "endless"),
        ("deep", "stack overflow"),
        ("undefined", "undefined instruction"),
    ],
)
def test_a_faulty_kernel_is_named_and_the_others_still_run(
    faulty: dict[str, bytes], kernel: str, message: str
) -> None:
    with pytest.raises(harness.KernelError, match=message) as error:
        harness.run([("load", [b"ab", 1]), (kernel, [1]), ("load", [b"ab", 1])], codes=faulty)
    assert "case 0" not in str(error.value) and "case 2" not in str(error.value)


@needs_emulator
@pytest.mark.parametrize("kernel", ["candidates", "class_map", "prototype_mask", "tint_map"])
def test_interrupts_spoil_registers_that_the_core_does_not_save(kernel: str) -> None:
    calls = list(itertools.islice(CALLS[kernel](np.random.default_rng(3)), 60))
    with pytest.raises(AssertionError):
        check(calls, interrupts=harness.INTERRUPTS, saved=False)


@needs_emulator
def test_without_low_overhead_branches_the_results_are_the_same() -> None:
    random = np.random.default_rng(8)
    calls = [call for make in (class_map_calls, peaks_calls, tint_mask_calls) for call in list(make(random))[::9]]
    check(calls, low_overhead_branches=False)


# --- how helium/*.py and m7/*.py are made and compiled ------------------------------------------------------------------
@pytest.mark.parametrize("march", ["armv7m", "armv7em", "armv7emsp", "armv7emdp"])
@pytest.mark.parametrize("kind", harness.KINDS)
def test_mpy_cross_makes_the_same_machine_code_for_every_architecture(kind: str, march: str) -> None:
    assert harness.kernels(*harness.files(kind), march=march) == harness.kernels(*harness.files(kind))


@pytest.mark.parametrize("kind", harness.KINDS)
def test_the_machine_code_equals_the_words_in_the_file(kind: str) -> None:
    text = "\n\n".join(file.read_text(encoding="utf-8") for file in harness.files(kind))
    for kernel, code in harness.kernels(*harness.files(kind)).items():
        body = re.search(rf"def {kernel}\(.*?\):\n(.*?)(\n\n|\Z)", text, re.DOTALL)
        assert body
        words = np.array([int(w, 16) for w in re.findall(r"0x([0-9a-f]{4})\b", body[1])], np.uint16)
        # Between MicroPython's own two instructions: push {r1, r4-r7, lr} and pop {r1, r4-r7, pc}.
        assert code == b"\xf2\xb5" + words.tobytes() + b"\xf2\xbd"
