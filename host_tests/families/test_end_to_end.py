"""lib/n6post/families/end_to_end.py: heads with built-in suppression, compared with plain numpy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import n6post
import numpy as np
import pytest
import reference
from assertions import (
    assert_same_detections,
    assert_same_survivors,
    assert_well_formed,
    contents,
    in_frame,
    mask_plane,
    says,
    shown_pixels,
    survivors,
)
from fakes import Array, FakeModel, Framed, Tensor, capture, stretched
from hypothesis import assume, example, given
from hypothesis import strategies as st
from n6post.families.end_to_end import EndToEndDecoder
from n6post.tensors.head_layout import head_layouts
from n6post_pc.demo import recorded
from synthetic_heads import Thing, anchor_count, float_head, quantized
from ulab import numpy as ulab_numpy

pytestmark = pytest.mark.both_firmwares

NAN, INF = float("nan"), float("inf")
SIZE = (96, 64)


# --- synthetic heads ---
def rows_of(
    seed: int, count: int, classes: int, more: int = 0, pixels: bool = True, size: tuple[int, int] = SIZE
) -> Array:
    """Random rows [1, count, 6 + more], best first. Boxes may leave the frame; the last rows are padding."""
    random = np.random.default_rng(seed)
    head = np.zeros((count, 6 + more), dtype=np.float32)
    corner = random.uniform(-0.2, 0.9, (count, 2))
    head[:, :2] = corner
    head[:, 2:4] = corner + random.uniform(0.02, 0.6, (count, 2))
    if pixels:
        head[:, :4] *= np.float32([*size, *size])
    head[:, 4] = np.sort(random.random(count))[::-1]
    head[:, 5] = random.integers(0, classes, count)
    head[:, 6:] = random.normal(0, 0.5, (count, more))
    head[count - random.integers(0, count) :] = 0
    return head[None]


def with_ties(head: Array, seed: int) -> Array:
    """The same rows in another order, some with equal scores."""
    random = np.random.default_rng(seed)
    head = head[:, random.permutation(head.shape[1])]
    head[0, :, 4] = np.round(head[0, :, 4] * 8) / 8
    return head


def storages(values: Array) -> list[Tensor]:
    return [Tensor(values), Tensor(np.ascontiguousarray(values.transpose(0, 2, 1)))]


def assume_only_rows(head: Array) -> None:
    """Not [1, 30, 6] of a 96 x 64 input, which may be a raw head of 30 anchors (strides 16 and 32)."""
    assume(not head_layouts(head.shape, SIZE))


counts = st.integers(1, 40)
seeds = st.integers(0, 2**32 - 1)
ROIS = [(0, 0, 96, 64), (10, 20, 320, 240)]


# --- any head ---
@given(
    seeds, counts, st.integers(1, 90), st.booleans(), st.booleans(), st.floats(0.01, 0.9), st.integers(1, 12),
    st.none() | st.lists(st.integers(0, 90), min_size=1, max_size=40), st.sampled_from(ROIS),
)
@example(0, 1, 1, False, False, 0.01, 1, None, (0, 0, 96, 64))
@example(1, 40, 90, True, True, 0.01, 12, [0], (10, 20, 320, 240))
@example(2, 40, 90, False, True, 0.9, 12, [90, 0, 90], (0, 0, 96, 64))
def test_rows_are_filtered_only_by_score_class_and_max_detections(
    seed: int, count: int, classes: int, pixels: bool, shuffled: bool, threshold: float, most: int,
    chosen: list[int] | None, roi: tuple[int, int, int, int],
) -> None:
    head = rows_of(seed, count, classes, pixels=pixels)
    if shuffled:
        assume_only_rows(head)
        head = with_ties(head, seed)
    unit = (1, 1) if pixels else SIZE
    expected = reference.end_to_end(head[0], threshold, box_unit=unit, classes=chosen, max_detections=most)
    corners = reference.to_frame(expected.box.reshape(-1, 2, 2), "stretch", SIZE, roi).reshape(-1, 4)
    shown = in_frame(corners, roi)
    expected, corners = expected.take(shown), corners[shown]
    for tensor in storages(head):
        # The options of suppression have no effect.
        processor = n6post.YoloV8(
            threshold, iou_threshold=0.01, max_detections=most, classes=chosen, class_agnostic=True, nms_sigma=0.1,
            max_candidates=1, box_units="pixels" if pixels else "normalized",
        )
        found = FakeModel([tensor], SIZE).run(processor, stretched(roi))
        assert_well_formed(found, roi, most)
        assert_same_survivors(survivors(processor), expected, SIZE)
        assert_same_detections(found, expected, corners, roi)


@given(seeds, counts, st.integers(1, 3), st.sampled_from(["int8", "uint8", "int16"]), st.booleans())
@example(0, 1, 1, "int8", False)
@example(1, 40, 3, "uint8", True)
@example(2, 40, 1, "int16", True)
def test_integer_heads_equal_the_reference(
    seed: int, count: int, classes: int, kind: str, shuffled: bool
) -> None:
    head = rows_of(seed, count, classes, pixels=False)
    if shuffled:
        assume_only_rows(head)
        head = with_ties(head, seed)
    tensor = quantized(head, 2.5 / 255, -100)
    tensor = {"int8": tensor, "uint8": tensor.as_uint8(), "int16": tensor.as_int16(256)}[kind]
    expected = reference.end_to_end(tensor.values[0], 0.3, box_unit=SIZE, **tensor.quantization())
    expected = expected.take(in_frame(expected.box, (0, 0, *SIZE)))
    for stored in (tensor, tensor.reordered(0, 2, 1)):
        processor = n6post.YoloV8(0.3, max_detections=50)
        found = FakeModel([stored], SIZE).run(processor)
        assert_same_survivors(survivors(processor), expected, SIZE)
        assert_same_detections(found, expected, expected.box, (0, 0, *SIZE))


def test_threshold_above_the_largest_integer_finds_no_detection() -> None:
    tensor = quantized(rows_of(3, 12, 1, pixels=False), 0.001, 100)  # the largest value is .027, less than a pixel of 96
    tensor.values[0, :, :2] = -128  # but the boxes begin far outside
    for one in (tensor, tensor.as_uint8(), tensor.reordered(0, 2, 1)):
        model = FakeModel([one], SIZE)
        assert model.run(n6post.YoloV8(0.4)) == [] != model.run(n6post.YoloV8(0.02))


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16"])
def test_threshold_that_only_the_largest_integer_reaches_passes_it(kind: str) -> None:
    """Scores from 0 to 1 use the full range of the dtype."""
    head = np.full((1, 2, 6), -128, np.int8)
    head[0, :, 2:4] = 127
    head[0, :, 4] = 127, 126
    dtype, lowest = np.dtype(kind), int(np.iinfo(kind).min)
    values = head.astype(np.int64) + 128 + lowest
    if kind == "int16":
        values[0, :, 2:4] = 32767
        values[0, :, 4] = 32767, 32766
    scale = 1 / (int(np.iinfo(kind).max) - lowest)  # the largest is 1, the next one a step less
    model = FakeModel([Tensor(values.astype(dtype), scale, lowest)], SIZE)
    for threshold, wanted in ((1.0 - 1.5 * scale, [0, 1]), (1.0 - 0.5 * scale, [0]), (1.0, [0])):
        processor = n6post.YoloV8(threshold)
        model.run(processor)
        assert [row[0] for row in survivors(processor)] == wanted
    model = FakeModel([Tensor(values.astype(dtype), scale * 0.99, lowest)], SIZE)
    assert model.run(n6post.YoloV8(1.0)) == []


@pytest.mark.parametrize("rows", [1, 32, 33, 64, 65, 300])
@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "float32"])
@pytest.mark.parametrize("threshold", [0.0, 0.5])
def test_score_equal_to_the_threshold_passes_in_every_row(rows: int, kind: str, threshold: float) -> None:
    """Steps of 1 / 64 hold both thresholds exactly. The first rows need not be the best."""
    steps = np.tile(np.int16([8, 8, 40, 40, 64 * threshold, 0]), (rows, 1))

    def found(scores: Array | int) -> list[int]:
        steps[:, 4] = scores
        tensor = Tensor((steps[None] - 10).astype(np.int8), 1 / 64, -10)
        kinds = {"int8": tensor, "uint8": tensor.as_uint8(), "int16": tensor.as_int16(16), "float32": tensor.dequantized()}
        processor = n6post.YoloV8(threshold, max_detections=rows)
        FakeModel([kinds[kind]], SIZE).run(processor)
        return [row[0] for row in survivors(processor)]

    cut = int(64 * threshold)
    assert found(cut) == list(range(rows))
    only_last = np.where(np.arange(rows) == rows - 1, cut, cut - 1)
    assert found(only_last) == [rows - 1]
    assert found(only_last[::-1]) == [0]
    assert found(cut - 1) == []


def test_integer_boxes_in_pixels_are_detected() -> None:
    head = rows_of(3, 12, 9)
    tensor = quantized(head, 0.5, -100).as_int16(128)  # steps of 1 / 256
    expected = reference.end_to_end(tensor.values[0], 0.3, **tensor.quantization())
    expected = expected.take(in_frame(expected.box, (0, 0, *SIZE)))
    processor = n6post.YoloV8(0.3)
    assert len(FakeModel([tensor], SIZE).run(processor)) == len(expected.anchor) > 3
    assert_same_survivors(survivors(processor), expected, SIZE)


@pytest.mark.parametrize("shape", [(1, 1, 7, 6), (1, 7, 6, 1), (1, 7, 1, 6), (7, 6), (1, 6, 7), (1, 1, 6, 7)])
def test_dimensions_of_1_and_the_transpose_give_the_same_result(shape: tuple[int, ...]) -> None:
    head = rows_of(4, 7, 5)
    expected = contents(FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8(0.1)))
    transposed = head.transpose(0, 2, 1) if 7 in (shape[-1],) and 6 in shape[-2:-1] else head
    values = np.ascontiguousarray(transposed).reshape(shape)
    assert contents(FakeModel([Tensor(values)], SIZE).run(n6post.YoloV8(0.1))) == expected != []


@pytest.mark.parametrize("kind", [n6post.YoloV8, n6post.YoloV8Pose])
def test_head_of_one_row_is_accepted(kind: Any) -> None:
    row = [8, 9, 40, 30, 0.75, 2] + [20, 20, 0.5] * 3 * (kind is n6post.YoloV8Pose)
    for shape in ((1, 1, len(row)), (1, len(row), 1)):
        (d,) = FakeModel([Tensor(np.float32(row).reshape(shape))], SIZE).run(kind())
        assert d[:4] == ((8, 9, 32, 21), 0.75, 2, "2")


def test_one_object_of_two_classes_is_two_detections() -> None:
    head = np.float32([[[8, 9, 40, 30, 0.9, 2], [8, 9, 40, 30, 0.8, 7], [8, 9, 40, 30, 0.8, 2]]])
    found = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8())
    assert [(d.rect, d.class_id) for d in found] == [((8, 9, 32, 21), n) for n in (2, 7, 2)]


def test_max_detections_applies_after_the_class_filter() -> None:
    head = np.tile(np.float32([8, 9, 40, 30, 0.9, 0]), (1, 500, 1))
    head[0, 250:, 5] = 1
    model = FakeModel([Tensor(head)], SIZE)
    assert len(model.run(n6post.YoloV8())) == 20
    assert len(model.run(n6post.YoloV8(max_detections=65535))) == 500
    processor = n6post.YoloV8(max_detections=3, classes=[1])
    assert [d.class_id for d in model.run(processor)] == [1, 1, 1]
    assert [row[0] for row in survivors(processor)] == [250, 251, 252]


# --- NaN, infinity and invalid class ids ---
@pytest.mark.parametrize("score", [NAN, INF, -INF])
def test_nan_and_infinite_scores_never_pass(score: float) -> None:
    head = rows_of(5, 10, 4)
    head[0, 2, 4] = score
    expected = reference.end_to_end(head[0], 0.0)
    expected = expected.take(in_frame(expected.box, (0, 0, *SIZE)))
    assert 2 not in expected.anchor.tolist() and len(expected.anchor)
    processor = n6post.YoloV8(0.0)
    FakeModel([Tensor(head)], SIZE).run(processor)
    assert_same_survivors(survivors(processor), expected, SIZE)


def test_nan_and_infinite_coordinates_are_clipped_to_the_frame() -> None:
    boxes = [NAN, 9, 40, 30], [-INF, -INF, INF, INF], [40, 30, 8, 9], [1, 2, 3, 9]
    head = np.float32([[[*box, 0.9 - i / 10, 0] for i, box in enumerate(boxes)]])
    found = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8())
    assert_well_formed(found, (0, 0, *SIZE), 20)
    assert [d.rect for d in found] == [(0, 9, 40, 21), (0, 0, *SIZE), (1, 2, 2, 7)]


WHOLE = (
    r"^expected whole numbers from 0 to 65535 in the class column of an end-to-end head, got \[.*\] in output 0: float32"
    r" \(1, 10, 6\)$"
)


@pytest.mark.parametrize("number", [0.4, -1, 65536, 1e9, NAN, INF, -INF])
def test_invalid_class_id_is_refused_in_any_frame(number: float) -> None:
    head = rows_of(6, 10, 4)
    model = FakeModel([Tensor(head)], SIZE)
    processor = n6post.YoloV8(0.01)
    assert model.run(processor)
    before = head.copy()
    head[0, 0, 5] = number
    with pytest.raises(ValueError, match=WHOLE):
        model.run(processor)
    head[0, 0, 4] = 0  # a class id below the threshold is not checked
    assert len(model.run(processor)) == len(reference.end_to_end(before[0], 0.01).anchor) - 1


@pytest.mark.parametrize(
    ("scale", "near", "off"),
    [(0.0, 1.04, 1.06), (0.0, 0.96, 0.94), (0.0, 1, 1.3), (0.08, 13, 14), (0.08, 12, 11), (0.08, 12, 23)],
)
def test_class_id_further_off_than_quantization_explains_is_refused(
    scale: float, near: float, off: float
) -> None:
    """Tolerance: .05, plus half a step for integers. In steps of .08, 12 is .96, 13 is 1.04, 14 is 1.12, 23 is 1.84."""
    head = np.tile(np.float32([8, 9, 40, 30, 0.9, near]), (1, 2, 1))
    if scale:
        head[..., :5] = np.round(head[..., :5] / scale)
        head = head.astype(np.int16)
    model, processor = FakeModel([Tensor(head, scale)], SIZE), n6post.YoloV8(0.5)
    assert [d.class_id for d in model.run(processor)] == [1, 1]
    head[0, 1, 5] = off
    with pytest.raises(ValueError, match=r"^expected whole numbers from 0 to 65535 in the class column"):
        model.run(processor)


@pytest.mark.parametrize(("number", "class_id"), [(0.04, 0), (2.96, 3), (65535, 65535)])
def test_class_id_is_rounded_within_the_quantization_error(number: float, class_id: int) -> None:
    head = np.float32([[[8, 9, 40, 30, 0.9, number]]])
    (d,) = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8())
    assert d.class_id == class_id


@pytest.mark.parametrize("rows", [2, 12, 60])
def test_each_class_id_is_rounded_separately(rows: int) -> None:
    """The sum of the deviations exceeds the tolerance of one: .04 of .05 for floats, .1 to .3 of .4 for steps of .7."""
    numbers = 1 + np.arange(rows) % 3
    head = np.tile(np.float32([8, 9, 40, 30, 0.9, 0]), (1, rows, 1))
    head[0, :, 5] = numbers + 0.04
    processor = n6post.YoloV8(max_detections=60)
    assert [d.class_id for d in FakeModel([Tensor(head)], SIZE).run(processor)] == numbers.tolist()
    tensor = quantized(head, 0.7, -128)  # .9 becomes .7
    assert tensor.values[0, :2, 5].tolist() == [1 - 128, 3 - 128]  # .7 and 2.1, and of class 3 2.8
    for one in (tensor, tensor.as_uint8(), tensor.as_int16(1)):
        model = FakeModel([one], SIZE)
        assert [d.class_id for d in model.run(processor)] == numbers.tolist()
        one.values[0, -1, 5] = one.zero_point + 5  # 3.5 is half way between two classes
        with pytest.raises(ValueError, match=r"^expected whole numbers from 0 to 65535 in the class column"):
            model.run(processor)


# --- names ---
def test_class_beyond_the_labels_is_its_number_as_text() -> None:
    head = np.float32([[[8, 9, 40, 30, 0.9, n] for n in (0, 1, 2, 79, 65535)]])
    names = [d.label for d in FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8(labels=["cat", "dog"]))]
    assert names == ["cat", "dog", "2", "79", "65535"]
    names = [d.label for d in FakeModel([Tensor(head)], SIZE, ["cat"]).run(n6post.YoloV8())]
    assert names == ["cat", "1", "2", "79", "65535"]


def test_class_filter_takes_names_of_the_labels_and_any_number() -> None:
    head = np.float32([[[8, 9, 40, 30, 0.9, n] for n in (0, 1, 2, 79)]])
    model = FakeModel([Tensor(head)], SIZE, ["cat", "dog"])
    for processor in (n6post.YoloV8(classes=["dog", 79]), n6post.processor_for(model, classes=["dog", 79])):
        assert [d.class_id for d in model.run(processor)] == [1, 79]
    with pytest.raises(ValueError, match="classes: expected one of 'cat', 'dog', got 'cow'"):
        model.run(n6post.YoloV8(classes=["cow"]))
    with pytest.raises(ValueError, match="classes: expected one of 'cat', 'dog', got 'cow'"):
        n6post.processor_for(model, classes=["cow"])
    # The number of classes is unknown.
    give = "give labels, or write one per line to the .txt file beside the model"
    nameless = f"classes: expected '0', got 'cow' (the classes have no names: {give})"
    with pytest.raises(ValueError, match=says(nameless)):
        FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8(classes=["cow"]))
    people = np.zeros((1, 2, 57), np.float32)
    people[0, :, :6] = [8, 9, 40, 30, 0.9, 1], [8, 9, 40, 30, 0.8, 0]
    model = FakeModel([Tensor(people)], SIZE)
    for processor in (n6post.YoloV8Pose(classes=["person"]), n6post.processor_for(model, classes=["person"])):
        assert [d.class_id for d in model.run(processor)] == [0]


def test_class_0_of_17_keypoints_is_a_person_unless_it_has_a_label() -> None:
    head = np.zeros((1, 2, 57), np.float32)
    head[0, :, :6] = [8, 9, 40, 30, 0.9, 0], [8, 9, 40, 30, 0.8, 1]
    for labels, names in (
        (None, ["person", "1"]), (["cat"], ["cat", "1"]), ([f"keypoint {i}" for i in range(17)], ["person", "1"])
    ):
        found = FakeModel([Tensor(head)], SIZE, labels).run(n6post.YoloV8Pose())
        assert [d.label for d in found] == names
        assert found[0].keypoints.shape == (17, 3)


def test_scores_that_differ_in_the_last_bit_are_sorted_correctly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if floats taken out of an array have 30 bits, as on the camera, where two objects would swap places."""
    whole = ulab_numpy.ndarray.tolist

    def cut_off(value: Any) -> Any:
        if isinstance(value, list):
            return [cut_off(one) for one in value]
        bits = np.float32(value).view(np.uint32) & ~np.uint32(3)
        return float(bits.view(np.float32)) if isinstance(value, float) else value

    monkeypatch.setattr(ulab_numpy.ndarray, "tolist", lambda array: cut_off(whole(array)))
    bits = np.float32(0.75).view(np.uint32) + np.arange(12, dtype=np.uint32)
    order = np.random.default_rng(14).permutation(12)
    rows = np.tile(np.float32([8, 9, 40, 30, 0, 0]), (1, 12, 1))
    rows[0, :, 4] = bits[order].view(np.float32)
    raw = float_head(SIZE, 1, [Thing(i, (8 * i, 9, 8 * i + 7, 30), {0: float(s)}) for i, s in enumerate(rows[0, :, 4])])
    for head in (rows, raw):
        for most in (12, 5):
            processor = n6post.YoloV8(max_detections=most)
            FakeModel([Tensor(head)], SIZE).run(processor)
            assert [row[0] for row in survivors(processor)] == np.argsort(-order).tolist()[:most]


# --- masks and keypoints ---
def segmenter(seed: int, pixels: bool, count: int = 9) -> tuple[Array, Array]:
    random = np.random.default_rng(seed)
    return rows_of(seed, count, 5, 16, pixels), random.normal(0, 1, (1, 16, 24, 16)).astype(np.float32)


@given(seeds, st.booleans(), st.booleans(), st.sampled_from([None, 0, 3.0]))
def test_masks_equal_the_reference_inside_their_boxes(
    seed: int, pixels: bool, anchors_last: bool, padding: float | None
) -> None:
    head, protos = segmenter(seed, pixels)
    expected = reference.end_to_end(head[0], 0.05, box_unit=(1, 1) if pixels else SIZE)
    stored = np.ascontiguousarray(head.transpose(0, 2, 1)) if anchors_last else head
    options: dict[str, Any] = {"mask_padding": padding, "mask_overlap": None}
    processor = n6post.YoloV8Seg(0.05, box_units="pixels" if pixels else "normalized", **options)
    found = FakeModel([Tensor(stored), Tensor(protos)], SIZE).run(processor)
    expected = expected.take(in_frame(expected.box, (0, 0, *SIZE)))
    masks = []
    for box, coefficients in zip(expected.box, expected.extra, strict=True):
        logits = reference.mask_logits(coefficients.astype(float), protos[0].astype(float))
        wanted = [reference.prototype_mask(logits, box, SIZE, padding=(padding or 0) + e) for e in (-1e-3, 0, 1e-3)]
        unclear = (wanted[0] != wanted[2]) | (np.abs(logits) < 1e-4)
        least, most = (shown_pixels(plane, box, padding or 0) for plane in (wanted[1] & ~unclear, wanted[1] | unclear))
        assume(bool(least) == bool(most))
        if least:
            masks.append((wanted[1], unclear))
    for d, (plane, unclear) in zip(found, masks, strict=True):
        np.testing.assert_array_equal(mask_plane(d.mask, 24, 16)[~unclear], plane[~unclear])


@pytest.mark.parametrize("kind", ["int8", "uint8"])
def test_integer_masks_are_exact_and_padded_by_half_a_box_step(kind: str) -> None:
    head, protos = segmenter(7, pixels=False, count=30)
    head[..., 5] = np.minimum(head[..., 5], 1)
    tensors = [quantized(head, 3 / 255, -60), quantized(protos, 0.03, 5)]
    tensors = tensors if kind == "int8" else [t.as_uint8() for t in tensors]
    expected = reference.end_to_end(tensors[0].values[0], 0.2, box_unit=SIZE, **tensors[0].quantization())
    expected = expected.take(in_frame(expected.box, (0, 0, *SIZE)))
    assert len(expected.anchor) > 3
    step = tensors[0].scale * 0.5
    for swapped in (False, True):
        found = FakeModel(tensors[::-1] if swapped else tensors, SIZE).run(n6post.YoloV8Seg(0.2))
        for d, row, box in zip(found, expected.anchor, expected.box, strict=True):
            coefficients = tensors[0].values[0, row, 6:].astype(np.int64) - tensors[0].zero_point
            logits = reference.mask_logits(coefficients, tensors[1].values[0].astype(np.int64) - tensors[1].zero_point)
            grown = box + np.float32([-SIZE[0], -SIZE[1], *SIZE]) * np.float32(step)
            wanted = [reference.prototype_mask(logits, grown, SIZE, padding=e) for e in (-1e-3, 0, 1e-3)]
            unclear = wanted[0] != wanted[2]
            np.testing.assert_array_equal(mask_plane(d.mask, 24, 16)[~unclear], wanted[1][~unclear])


@given(seeds, st.integers(1, 33), st.booleans(), st.booleans(), st.sampled_from(ROIS))
@example(0, 1, True, False, (10, 20, 320, 240))
@example(1, 33, False, True, (0, 0, 96, 64))
def test_keypoints_equal_those_of_the_row(
    seed: int, keypoint_count: int, pixels: bool, anchors_last: bool, roi: tuple[int, int, int, int]
) -> None:
    random = np.random.default_rng(seed)
    head = rows_of(seed, 20, 3, 3 * keypoint_count, pixels)
    assume_only_rows(head)
    points = random.uniform(-0.2, 1.2, (20, keypoint_count, 3)).astype(np.float32)
    points[..., 2] = random.random((20, keypoint_count))
    if pixels:
        points[..., :2] *= SIZE
    head[0, :, 6:] = points.reshape(20, -1)
    stored = np.ascontiguousarray(head.transpose(0, 2, 1)) if anchors_last else head
    expected = reference.end_to_end(head[0], 0.3, box_unit=(1, 1) if pixels else SIZE)
    corners = reference.to_frame(expected.box.reshape(-1, 2, 2), "stretch", SIZE, roi).reshape(-1, 4)
    expected = expected.take(in_frame(corners, roi))
    assume(len(expected.anchor))
    processor = n6post.YoloV8Pose(0.3, max_detections=50, box_units="pixels" if pixels else "normalized")
    found = FakeModel([Tensor(stored)], SIZE).run(processor, stretched(roi))
    wanted = reference.keypoints(expected.extra, (1, 1) if pixels else SIZE)
    wanted[..., :2] = reference.to_frame(wanted[..., :2], "stretch", SIZE, roi)
    wanted[..., :2] = np.clip(wanted[..., :2], roi[:2], np.add(roi[:2], roi[2:]))
    got = np.array([d.keypoints.tolist() for d in found]).reshape(-1, keypoint_count, 3)
    np.testing.assert_allclose(got, wanted.reshape(-1, keypoint_count, 3), rtol=1e-4, atol=1e-2)


# --- real heads, suppressed by plain numpy ---
def suppressed(
    tensor: Tensor, classes: int, rows: int, size: tuple[int, int], pixels: bool, nms: bool
) -> tuple[Array, reference.Candidates]:
    """A raw head [1, C, N] converted to an end-to-end head: hard NMS and padding, or the best `rows`."""
    unit = size if tensor.scale * 255 < 8 else (1, 1)
    found = reference.decode(tensor.values[0], classes, 0.25 if nms else 0, box_unit=unit, **tensor.quantization())
    if nms:
        found = reference.suppress(found, 0.6)
    found = found.take(slice(0, rows))
    head = np.zeros((rows, 6 + found.extra.shape[1]), np.float32)
    lines = np.concatenate([found.box, found.score[:, None], found.class_id[:, None], found.extra], axis=1)
    if not pixels:
        lines[:, :4] /= np.float32([*size, *size])
    head[: len(lines)] = lines
    return head[None], found


def real_heads() -> list[tuple[str, str]]:
    return [one for one in recorded.names() if one[0] in ("yolov8n_seg_320", "yolov8n_192")]


@pytest.mark.parametrize(("model", "picture"), real_heads())
@pytest.mark.parametrize("pixels", [True, False])
def test_recorded_head_made_end_to_end_gives_the_same_detections(model: str, picture: str, pixels: bool) -> None:
    recording = recorded.load(model, picture)
    classes = 80 if "seg" in model else 1
    head, _ = suppressed(recording.tensors[0], classes, 300, recording.size, pixels, nms=True)
    kind, options = (n6post.YoloV8Seg, {"mask_padding": 0}) if "seg" in model else (n6post.YoloV8, {})
    raw = recording.model().run(kind(0.25, iou_threshold=0.6, **options))
    tensors = [Tensor(head), *[t.dequantized() for t in recording.tensors[1:]]]
    found = FakeModel(tensors, recording.size).run(kind(0.25, **options))
    assert [(d.class_id, round(d.score, 5)) for d in found] == [(d.class_id, round(d.score, 5)) for d in raw]
    for d, one in zip(found, raw, strict=True):
        assert np.abs(np.subtract(d.rect, one.rect)).max() <= 1  # a corner on half a pixel
        if one.mask:
            assert d.mask.area == pytest.approx(one.mask.area, rel=0.02, abs=64)


def captures(shared: Path) -> list[tuple[Tensor, int, tuple[int, int]]]:
    """(raw head, classes, input size) of every capture and recording of a YOLO."""
    heads = []
    for file in sorted((shared / "captures").glob("yolo*.npz")):
        if "oracle" not in file.name:
            tensors, size = capture(file)
            heads.append((next(t for t in tensors if t.values.ndim == 3), 80 if "seg" in file.name else 1, size))
    for model, picture in recorded.names():
        if model.startswith("yolo"):
            recording = recorded.load(model, picture)
            heads.append((recording.tensors[0], 80 if "seg" in model else 1, recording.size))
    return heads


def is_end_to_end(model: FakeModel, kind: Any = n6post.YoloV8) -> bool:
    processor = kind()
    model.run(processor)
    assert processor._binding.is_final
    return isinstance(processor._binding.decoder, EndToEndDecoder)


@pytest.mark.proof("lib/n6post/families/**/*.py", "lib/n6post/kernels/**/*.py", "lib/n6post/tensors/*.py")
def test_raw_head_of_two_classes_is_never_read_as_end_to_end(shared: Path) -> None:
    """[1, N, 6] of pairs of classes with and without detections, as integers, floats and transposed."""
    pairs = 0
    for tensor, classes, size in captures(shared):
        best = tensor.values[0, 4 : 4 + classes].max(axis=1)
        chosen = np.argsort(-best.astype(float), kind="stable")[:6].tolist() + [0, classes - 1]
        for a in chosen:
            for b in chosen:
                values = np.ascontiguousarray(tensor.values[:, [0, 1, 2, 3, 4 + a, 4 + b]])
                for one in (tensor._replace(values=values), tensor._replace(values=values).dequantized()):
                    assert not is_end_to_end(FakeModel([one], size))
                    assert not is_end_to_end(FakeModel([one.reordered(0, 2, 1)], size))
                pairs += 1
    assert pairs > 500


def test_end_to_end_head_with_a_row_per_anchor_is_always_detected(shared: Path) -> None:
    for tensor, classes, size in captures(shared):
        for pixels in (True, False):
            for nms in (True, False):
                head, _ = suppressed(tensor, classes, anchor_count(size), size, pixels, nms)
                if not head[0, 0, 4] > 0.01:
                    continue  # only padding, or scores that int8 rounds to 0
                for values in (head[..., :6], head[..., :6].transpose(0, 2, 1)):
                    assert is_end_to_end(FakeModel([Tensor(np.ascontiguousarray(values))], size))
                if not pixels:
                    # int8 steps can hold classes 0 and 1.
                    flat = head[..., :6].copy()
                    flat[..., 5] = np.minimum(flat[..., 5], 1)
                    assert is_end_to_end(FakeModel([quantized(flat, 2.2 / 255, -90)], size))


def test_end_to_end_pose_head_is_detected_despite_its_ambiguous_shape(shared: Path) -> None:
    tensors, size = capture(shared / "captures" / "yolov8n_256_quant_pc_uf_pose_coco-st__bus.npz")
    head, found = suppressed(tensors[0], 1, anchor_count(size), size, True, True)
    assert len(found.anchor) > 1
    assert is_end_to_end(FakeModel([Tensor(head)], size), n6post.YoloV8Pose)
    assert not is_end_to_end(FakeModel([tensors[0]], size), n6post.YoloV8Pose)
    # Two classes and 17 keypoints have as many channels.
    values = np.insert(tensors[0].values, 5, 0, axis=1)
    raw = FakeModel([tensors[0]._replace(values=values)], size)
    assert not is_end_to_end(raw, lambda: n6post.YoloV8Pose(class_count=2))


# --- ambiguous frames ---
def test_first_frame_of_zeros_leaves_the_layout_open() -> None:
    size = (96, 96)
    rows = anchor_count(size)
    head = np.zeros((1, rows, 6), np.float32)
    model = FakeModel([Tensor(head)], size)
    processor = n6post.YoloV8()
    assert model.run(processor) == [] == model.run(processor)
    head[0, 0] = 8, 9, 40, 30, 0.9, 1
    (d,) = model.run(processor)
    assert d[:3] == ((8, 9, 32, 21), pytest.approx(0.9), 1)
    head[:] = 0  # the layout is final by now
    assert model.run(processor) == [] and processor._binding.is_final

    raw = float_head(size, 2, [])[:, :, :].transpose(0, 2, 1).copy()
    raw[:] = 0
    model = FakeModel([Tensor(raw)], size)
    processor = n6post.YoloV8()
    assert model.run(processor) == []
    raw[:] = float_head(size, 2, [Thing(3, (20, 30, 60, 70), {1: 0.9})]).transpose(0, 2, 1)
    assert [d[:3] for d in model.run(processor)] == [((20, 30, 40, 40), pytest.approx(0.9), 1)]


def test_scores_that_int8_rounds_to_zero_give_no_detections() -> None:
    """80 classes in 8 bits leave class ids, and scores of 0."""
    head = np.full((1, 189, 6), -128, np.int8)
    numbers = np.random.default_rng(0).integers(0, 80, 189)
    head[0, :, 5] = np.round(numbers * 255 / 79) - 128
    processor = n6post.YoloV8(0.05)
    assert FakeModel([Tensor(head, 79 / 255, -128)], (96, 96)).run(processor) == []


# --- one processor for several models ---
def test_one_processor_serves_raw_and_end_to_end_models_in_turn() -> None:
    size = (96, 96)
    things = [Thing(3, (20, 30, 60, 70), {1: 0.9}), Thing(90, (10, 3, 50, 40), {0: 0.7})]
    models = [
        FakeModel([Tensor(float_head(size, 2, things))], size),
        FakeModel([Tensor(rows_of(8, 30, 4, size=size))], size),
        FakeModel([Tensor(rows_of(9, 300, 4, size=size))], size),
    ]
    alone = [contents(model.run(n6post.YoloV8(0.2))) for model in models]
    assert all(alone)
    processor = n6post.YoloV8(0.2)
    for i in (0, 1, 2, 1, 0, 2, 2, 0):
        assert contents(models[i].run(processor)) == alone[i]
    processor.max_detections = 1
    for i in (1, 0, 2):
        assert contents(models[i].run(processor)) == alone[i][:1]
    processor.classes = [1]
    for model in models:
        assert all(d.class_id == 1 for d in model.run(processor))


def test_results_do_not_change_when_the_outputs_are_overwritten() -> None:
    head, protos = segmenter(11, True)
    model = FakeModel([Tensor(head), Tensor(protos)], SIZE)
    processor = n6post.YoloV8Seg(0.1)
    found = model.run(processor, Framed((3, 4, 96, 64)))
    before = contents(found)
    head[..., :4] *= 0.5
    protos *= -1
    assert contents(model.run(processor, Framed((3, 4, 96, 64)))) != before == contents(found)


# --- errors ---
REFUSED: list[tuple[Any, Sequence[tuple[int, ...]]]] = [
    (n6post.YoloV8, [(1, 300, 38)]),
    (n6post.YoloV8, [(1, 300, 57)]),
    (n6post.YoloV8, [(1, 300, 7)]),
    (n6post.YoloV8, [(2, 300, 6)]),
    (n6post.YoloV8Pose, [(1, 300, 6)]),
    (n6post.YoloV8Pose, [(1, 301, 59)]),
    (n6post.YoloV8Seg, [(1, 300, 6), (1, 16, 24, 32)]),
    (n6post.YoloV8Seg, [(1, 300, 38), (1, 16, 24, 16)]),
]


@pytest.mark.parametrize(("kind", "shapes"), REFUSED)
def test_rows_of_another_family_are_refused(kind: Any, shapes: Sequence[tuple[int, ...]]) -> None:
    random = np.random.default_rng(13)
    model = FakeModel([Tensor(random.random(shape).astype(np.float32)) for shape in shapes], SIZE)
    hint = ""
    if shapes[0] == (1, 300, 6) and len(shapes) == 1:
        hint = ": its numbers are not rows of x1, y1, x2, y2, score, class (those of RT-DETR are cx, cy, w, h: decode"
        hint += " them in your script, and pass the boxes to n6post.detections, or use a YOLO)"
    elif shapes[0][:2] == (1, 300):
        hint = ": 300 rows, but of another family or network (oriented boxes: n6post.YoloV8Obb, or RT-DETR)"
    sentence = (
        "expected a head [1, C, N] or [1, N, C] of N = 126 or 510 or 127 or 30 anchors, that belongs to an input of (width,"
        f" height) (96, 64), or an end-to-end head [1, rows, 6 and what the family adds], got {shapes[0]}{hint}"
    )
    with pytest.raises(ValueError, match=says(sentence)):
        model.run(kind())


@pytest.mark.parametrize("size", [SIZE, (96, 96)])
def test_rows_without_keypoints_are_refused_by_the_pose_processor(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"^expected a head \[1, C, N\] or .*, got \(1, 300, 6\):"):
        FakeModel([Tensor(rows_of(9, 300, 4, size=size))], size).run(n6post.YoloV8Pose())


@pytest.mark.parametrize("rows", range(1, 10))
def test_head_with_fewer_rows_than_columns_is_detected(rows: int) -> None:
    line = [8, 9, 40, 30, 0.75, 2] + [20, 20, 0.5] * 5
    for values in ([[line] * rows], np.float32([[line] * rows]).transpose(0, 2, 1)):
        found = FakeModel([Tensor(np.ascontiguousarray(np.float32(values)))], SIZE).run(n6post.YoloV8Pose())
        assert [(d.rect, len(d.keypoints)) for d in found] == [((8, 9, 32, 21), 5)] * rows


@pytest.mark.parametrize("columns", [6, 84])
def test_rows_of_centers_and_class_scores_are_refused(columns: int) -> None:
    """RT-DETR: cx, cy, w, h and a score a class."""
    random = np.random.default_rng(12)
    head = random.random((1, 300, columns)).astype(np.float32)
    kind = n6post.YoloV8 if columns == 6 else n6post.YoloV8Pose
    with pytest.raises(ValueError, match=r"end-to-end .*its numbers are not rows of x1, y1, x2, y2, score, class"):
        FakeModel([Tensor(head)], SIZE).run(kind())
