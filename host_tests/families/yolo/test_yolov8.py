"""lib/n6post/families/yolo/yolov8.py: heads in every storage compared with the oracles and reference.py, and errors."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import image
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
    refuses,
    says,
    shown_pixels,
    survivors,
)
from fakes import FakeModel, Framed, Tensor, capture, unguarded
from family_cases import FamilyCases, FrameCase, OptionCase
from hypothesis import assume, example, given
from hypothesis import strategies as st
from n6post_pc.demo import recorded
from small_models import detector, rows, rows_of_two, split_detector, three_objects
from synthetic_heads import Head, Thing, float_head, quantized, random_head
from ulab import _host

SETTINGS = [(0.25, 0.7), (0.25, 0.45), (0.6, 0.5)]  # threshold, iou_threshold
PICTURES = ["bus", "person"]
DETECTION = "yolov8n_192"
SEGMENTATION = "yolov8n_320_quant_pc_ii_seg_coco-st"

at_every_setting = pytest.mark.parametrize(("threshold", "iou_threshold"), SETTINGS)
on_every_picture = pytest.mark.parametrize("picture", PICTURES)


def oracle(shared: Path, model: str, picture: str, threshold: float, iou_threshold: float) -> Callable[[str], Any]:
    stored = np.load(shared / "captures" / f"{model}__{picture}__oracle.npz")
    return lambda name: stored[f"c{threshold}_i{iou_threshold}_{name}"]


def expected_of(results: Callable[[str], Any]) -> reference.Candidates:
    det = results("det")
    return reference.Candidates(results("anchor"), det[:, 5].astype(int), det[:, 4], det[:, :4], results("extra"))


def corners_in_frame(
    found: reference.Candidates, fit: str, size: tuple[int, int], roi: tuple[int, int, int, int]
) -> Any:
    return reference.to_frame(found.box.reshape(-1, 2, 2), fit, size, roi).reshape(-1, 4)


# --- the oracles ---
@on_every_picture
@at_every_setting
def test_detection_equals_the_oracle(shared: Path, picture: str, threshold: float, iou_threshold: float) -> None:
    tensors, size = capture(shared / "captures" / f"{DETECTION}__{picture}.npz")
    expected = expected_of(oracle(shared, DETECTION, picture, threshold, iou_threshold))
    processor = n6post.YoloV8(threshold, iou_threshold=iou_threshold)
    found = FakeModel(tensors, size).run(processor)
    assert_same_survivors(survivors(processor), expected, size)
    assert_same_detections(found, expected, expected.box, (0, 0, *size))


STORAGE: dict[str, Callable[[list[Tensor]], list[Tensor]]] = {
    "as the model puts it out": lambda t: t,
    "dequantized floats": lambda t: [one.dequantized() for one in t],
    "[1, N, C]": lambda t: [t[0].reordered(0, 2, 1), t[1]],
    "NCHW prototypes": lambda t: [t[0], t[1].reordered(0, 3, 1, 2)],
    "prototypes first": lambda t: t[::-1],
    "uint8": lambda t: [one.as_uint8() for one in t],
    "int16": lambda t: [one.as_int16(256) for one in t],
    "int16 with the int8's scale": lambda t: [one.as_int16() for one in t],
    "int16, [1, N, C], NCHW, prototypes first": lambda t: [
        t[1].as_int16(4).reordered(0, 3, 1, 2),
        t[0].as_int16(256).reordered(0, 2, 1),
    ],
    "floats, [1, N, C], NCHW, prototypes first": lambda t: [
        t[1].dequantized().reordered(0, 3, 1, 2),
        t[0].dequantized().reordered(0, 2, 1),
    ],
    "float head in pixels": lambda t: [in_pixels(t[0], 320), t[1].dequantized()],
    "float head in pixels, [1, N, C]": lambda t: [in_pixels(t[0], 320).reordered(0, 2, 1), t[1].dequantized()],
    "int8 head, float prototypes": lambda t: [t[0], t[1].dequantized()],
    "float head, int8 prototypes": lambda t: [t[0].dequantized(), t[1]],
    "int8 head, uint8 prototypes": lambda t: [t[0], t[1].as_uint8()],
}


def in_pixels(head: Tensor, side: int) -> Tensor:
    values = head.dequantized().values.copy()
    values[:, :4] *= np.float32(side)
    return Tensor(values)


@pytest.mark.parametrize("storage", STORAGE)
@on_every_picture
@at_every_setting
def test_segmentation_equals_the_oracle_in_every_storage(
    shared: Path, picture: str, threshold: float, iou_threshold: float, storage: str
) -> None:
    tensors, size = capture(shared / "captures" / f"{SEGMENTATION}__{picture}.npz")
    results = oracle(shared, SEGMENTATION, picture, threshold, iou_threshold)
    expected = expected_of(results)
    processor = n6post.YoloV8Seg(threshold, iou_threshold=iou_threshold, mask_padding=0, mask_overlap=None)
    found = FakeModel(STORAGE[storage](tensors), size).run(processor)
    assert_same_survivors(survivors(processor), expected, size)
    assert_same_detections(found, expected, expected.box, (0, 0, *size))
    for d, mask in zip(found, results("mask_proto"), strict=True):
        np.testing.assert_array_equal(mask_plane(d.mask, 80, 80), mask)


@on_every_picture
@at_every_setting
def test_transposed_head_or_head_in_pixels_gives_the_same_detections(
    shared: Path, picture: str, threshold: float, iou_threshold: float
) -> None:
    tensors, size = capture(shared / "captures" / f"{DETECTION}__{picture}.npz")
    expected = expected_of(oracle(shared, DETECTION, picture, threshold, iou_threshold))
    for head in (tensors[0].reordered(0, 2, 1), in_pixels(tensors[0], 192)):
        processor = n6post.YoloV8(threshold, iou_threshold=iou_threshold)
        FakeModel([head], size).run(processor)
        assert_same_survivors(survivors(processor), expected, size)


def test_float_outputs_ignore_the_models_scale_and_zero_point(shared: Path) -> None:
    """Without an attached post-processor the outputs are floats, but the model still describes int8."""
    tensors, size = capture(shared / "captures" / f"{SEGMENTATION}__bus.npz")
    floats = [t.dequantized() for t in tensors]
    described = [Tensor(f.values, t.scale, t.zero_point) for f, t in zip(floats, tensors, strict=True)]
    honest = FakeModel(floats, size).run(n6post.YoloV8Seg(0.25, iou_threshold=0.7, mask_overlap=None))
    found = FakeModel(described, size, output_dtype="bb").run(n6post.YoloV8Seg(0.25, iou_threshold=0.7, mask_overlap=None))
    assert len(found) == 5
    assert contents(found) == contents(honest)


# --- the recorded photographs ---
@pytest.mark.parametrize("picture", [p for m, p in recorded.names() if m == "yolov8n_seg_320"])
@pytest.mark.parametrize("storage", ["raw", *STORAGE])
def test_recorded_segmentation_equals_the_reference_in_every_storage(picture: str, storage: str) -> None:
    recording = recorded.load("yolov8n_seg_320", picture)
    tensors = recording.tensors if storage == "raw" else STORAGE[storage](recording.tensors)
    head = Head(recording.size, 80, recording.tensors[0], recording.tensors[1])
    expected = reference.suppress(head.candidates(0.3), 0.6, max_detections=20)
    processor = n6post.YoloV8Seg(0.3, iou_threshold=0.6, mask_padding=0, mask_overlap=None)
    found = FakeModel(tensors, recording.size).run(processor)
    assert_same_survivors(survivors(processor), expected, recording.size)
    assert_same_detections(found, expected, expected.box, (0, 0, 320, 320))
    for i, d in enumerate(found):
        mask = reference.prototype_mask(head.logits(expected.anchor[i]), expected.box[i], recording.size)
        np.testing.assert_array_equal(mask_plane(d.mask, 80, 80), mask)
    assert bool(found) == (picture != "rocket")


@pytest.mark.parametrize("picture", [p for m, p in recorded.names() if m == "yolov8n_192"])
@pytest.mark.parametrize("raw", [True, False])
def test_recorded_detection_equals_the_reference(picture: str, raw: bool) -> None:
    recording = recorded.load("yolov8n_192", picture)
    expected = reference.suppress(Head(recording.size, 1, recording.tensors[0], None).candidates(0.3), 0.5)
    processor = n6post.YoloV8(0.3)
    found = recording.model(raw).run(processor)
    assert_same_survivors(survivors(processor), expected, recording.size)
    assert [d.label for d in found] == ["person"] * len(expected.anchor)


# --- any head ---
sides = st.sampled_from([32, 64, 96])
class_counts = st.one_of(st.integers(1, 7), st.sampled_from([80, 300]))
seeds = st.integers(0, 2**32 - 1)
zero_points = st.integers(-128, 60)


def heads(*coefficients: int) -> st.SearchStrategy[Head]:
    """Random models with one of these counts of coefficients; any without arguments."""
    counts = st.sampled_from(coefficients) if coefficients else st.just(0) | st.integers(8, 64)
    return st.builds(
        random_head, seeds, st.tuples(sides, sides), class_counts, counts, zero_points, st.floats(1.05, 7.5)
    )


def stored(
    head: Head,
    kind: str,
    anchors_first: bool = False,
    planar: bool = False,
    swapped: bool = False,
    pixels: bool = False,
) -> FakeModel:
    """The model in another storage; pixels (float heads only): boxes in input pixels."""
    convert = {
        "int8": lambda t: t,
        "uint8": Tensor.as_uint8,
        "int16": lambda t: t.as_int16(256),  # symmetric converters use all of int16, too
        "float32": Tensor.dequantized,
    }[kind]
    tensors = [convert(t) for t in head.tensors()]
    if pixels and kind == "float32":
        values = tensors[0].values.copy()
        values[0, :4] *= np.float32(head.size * 2)[:, None]
        tensors[0] = Tensor(values)
    if anchors_first:
        tensors[0] = tensors[0].reordered(0, 2, 1)
    if planar and len(tensors) > 1:
        tensors[1] = tensors[1].reordered(0, 3, 1, 2)
    return FakeModel(tensors[::-1] if swapped else tensors, head.size)


def is_ambiguous(head: Head) -> bool:
    """As many channels as anchors, or as many coefficients as rows and columns: the shape leaves the order open.

    [1, C, N] and [1, H, W, C] are assumed in these cases.
    """
    return any(len(set(tensor.values.shape[1:])) == 1 for tensor in head.tensors())


def score_between_steps(head: Head, share: float) -> float:
    """A threshold half a quantization step off every score, so every precision passes the same scores."""
    steps = int(share / head.head.scale)
    return min((steps + 0.5) * head.head.scale, 1.0)


def unmistakable(run: Callable[[float], reference.Candidates], at: float) -> reference.Candidates:
    """The reference's result; examples whose result depends on the last bits of the threshold are skipped."""
    results = [run(v) for v in (at - 1e-5, at, at + 1e-5)]
    assume(all(np.array_equal(r.anchor, results[0].anchor) for r in results))
    return results[1]


layouts = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["int8", "uint8", "int16", "float32"]),
        "anchors_first": st.booleans(),
        "planar": st.booleans(),
        "swapped": st.booleans(),
        "pixels": st.booleans(),
    }
)


@given(
    heads(),
    layouts,
    st.floats(0.02, 0.95),
    st.floats(0, 1),
    st.booleans(),
    st.integers(1, 30),
    st.integers(1, 300),
    st.none() | st.integers(1, 7),
)
@example(
    random_head(3, (32, 32), 2, 0, 60, 7.5), {"kind": "float32", "anchors_first": True, "pixels": True},
    0.5, 0.51, False, 1, 1, None,
)  # fmt: skip
@example(random_head(4, (96, 32), 300, 64, -128, 1.05), {"kind": "int16", "planar": True}, 0.3, 0.51, False, 30, 300, 7)
@example(
    random_head(5, (32, 96), 33, 8, 0, 2.0), {"kind": "uint8", "anchors_first": True, "swapped": True},
    0.3, 0.51, True, 30, 300, 1,
)  # fmt: skip
@example(random_head(6, (32, 64), 65, 0, 0, 2.0), {"kind": "int8"}, 0.3, 0.51, False, 30, 300, 64)
def test_any_head_in_any_storage_equals_the_reference(
    head: Head,
    layout: dict[str, Any],
    share: float,
    iou_threshold: float,
    class_agnostic: bool,
    max_detections: int,
    max_candidates: int,
    every: int | None,
) -> None:
    assume(not is_ambiguous(head))
    classes = None if every is None else list(range(0, head.class_count, every))
    threshold = score_between_steps(head, share)
    candidates = head.candidates(threshold, classes=classes, max_candidates=max_candidates)
    assume(len(candidates.anchor) < 120)  # the reference is slow
    limits: dict[str, Any] = {"class_agnostic": class_agnostic, "max_detections": max_detections}
    expected = unmistakable(lambda iou: reference.suppress(candidates, iou, **limits), iou_threshold)
    kind = n6post.YoloV8Seg if head.prototypes else n6post.YoloV8
    extra = {"mask_padding": 0, "mask_overlap": None} if head.prototypes else {}
    processor = kind(
        threshold,
        iou_threshold=iou_threshold,
        class_agnostic=class_agnostic,
        max_detections=max_detections,
        max_candidates=max_candidates,
        classes=classes,
        **extra,
    )
    found = stored(head, **layout).run(processor)
    assert_well_formed(found, (0, 0, *head.size), max_detections)
    expected = expected.take(in_frame(expected.box, (0, 0, *head.size)))
    if head.prototypes:
        exact = layout["kind"] != "float32"
        masks = [expected_mask(head, expected, i, exact) for i in range(len(expected.anchor))]
        sizes = [
            [shown_pixels(plane, box) for plane in (mask & ~unclear, mask | unclear)]
            for (mask, unclear), box in zip(masks, expected.box, strict=True)
        ]
        assume(all(bool(least) == bool(most) for least, most in sizes))
        shown = [i for i, (least, _) in enumerate(sizes) if least]
        expected, masks = expected.take(shown), [masks[i] for i in shown]
    assert_same_survivors(survivors(processor, found if head.prototypes else None), expected, head.size)
    assert_same_detections(found, expected, expected.box, (0, 0, *head.size))
    if head.prototypes:
        width, height = head.size[0] // 4, head.size[1] // 4
        for d, (plane, unclear) in zip(found, masks, strict=True):
            np.testing.assert_array_equal(mask_plane(d.mask, width, height)[~unclear], plane[~unclear])


def expected_mask(head: Head, expected: reference.Candidates, i: int, exact: bool) -> tuple[Any, Any]:
    """(mask pixels, those that rounding decides: at the edges of the box and of float logits close to 0)."""
    logits = head.logits(expected.anchor[i])
    wanted = [reference.prototype_mask(logits, expected.box[i], head.size, padding=p) for p in (-1e-3, 0, 1e-3)]
    unclear = wanted[0] != wanted[2]
    if not exact:
        unclear |= np.abs(logits) < 2  # in raw units; typical logits are thousands
    return wanted[1], unclear


@given(heads(), st.floats(0.02, 0.95), st.floats(0.1, 0.9))
@example(random_head(6, (32, 32), 1, 64, -128, 1.05), 0.4, 0.51)
@example(random_head(7, (96, 32), 300, 0, 60, 7.5), 0.3, 0.51)
def test_eight_bit_storages_give_identical_results(head: Head, share: float, iou_threshold: float) -> None:
    assume(not is_ambiguous(head))
    kind = n6post.YoloV8Seg if head.prototypes else n6post.YoloV8
    threshold = score_between_steps(head, share)
    plain = contents(head.model().run(kind(threshold, iou_threshold=iou_threshold)))
    for layout in (
        {"kind": "int8", "anchors_first": True, "planar": True},
        {"kind": "uint8", "swapped": True},
        {"kind": "uint8", "anchors_first": True, "swapped": True, "planar": True},
    ):
        assert contents(stored(head, **layout).run(kind(threshold, iou_threshold=iou_threshold))) == plain


@given(heads(0), st.floats(0.05, 0.9), st.floats(0.05, 2), st.booleans())
@example(random_head(7, (64, 64), 1, 0, 0, 1.5), 0.5, 0.05, True)
@example(random_head(8, (32, 32), 300, 0, -128, 1.05), 0.5, 2.0, False)
def test_soft_nms_equals_the_reference(head: Head, share: float, sigma: float, class_agnostic: bool) -> None:
    threshold = score_between_steps(head, share)
    candidates = head.candidates(threshold)
    assume(len(candidates.anchor) < 80)
    runs = [reference.soft_nms(candidates, sigma, threshold * (1 + e), class_agnostic) for e in (-1e-5, 0, 1e-5)]
    assume(all(sorted(rows) == sorted(runs[0][0]) for rows, _ in runs))
    processor = n6post.YoloV8(
        threshold, nms_sigma=sigma, class_agnostic=class_agnostic, max_detections=100, max_candidates=100,
        labels=[str(k) for k in range(head.class_count)],  # random numbers may look like another family's
    )  # fmt: skip
    found = head.model().run(processor)
    assert_well_formed(found, (0, 0, *head.size), 100)
    rows = {row[0]: row for row in survivors(processor)}
    taken, scores = runs[1]
    taken, scores = np.array(taken, dtype=int), np.array(scores)
    shown = in_frame(candidates.box[taken], (0, 0, *head.size))
    taken, scores = taken[shown], scores[shown]
    assert set(rows) == set(candidates.anchor[taken].tolist())
    for row, score in zip(taken, scores, strict=True):
        assert rows[candidates.anchor[row]][1] == candidates.class_id[row]
        assert rows[candidates.anchor[row]][2] == pytest.approx(score, rel=1e-4)


@given(
    seeds,
    st.sampled_from(["int8", "uint8", "int16", "float32"]),
    st.integers(1, 5),
    st.sampled_from([0, 8, 33]),
    st.booleans(),
    st.booleans(),
    st.integers(1, 9),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from([0, 0.5]),
)
@example(0, "float32", 1, 0, True, True, 1, 0.0, 0.0, 0.0)
@example(1, "float32", 5, 33, False, False, 9, 0.0, 1.0, 0.5)
@example(2, "int8", 1, 8, True, False, 1, 0.0, 0.0, 0.5)
@example(3, "int16", 5, 33, True, True, 9, 1.0, 1.0, 0.0)
def test_arbitrary_bits_give_a_well_formed_result(
    seed: int,
    kind: str,
    class_count: int,
    coefficients: int,
    anchors_first: bool,
    class_agnostic: bool,
    most: int,
    threshold: float,
    iou_threshold: float,
    sigma: float,
) -> None:
    """Floats may be NaN, infinite or huge."""
    random = np.random.default_rng(seed)
    shapes = [(1, 4 + class_count + coefficients, 21)] + ([(1, 8, 8, coefficients)] if coefficients else [])
    tensors = []
    for shape in shapes:
        count = int(np.prod(shape)) * np.dtype(kind).itemsize
        values = np.frombuffer(random.bytes(count), dtype=kind).reshape(shape).copy()
        if kind == "float32":
            tame = random.normal(0.4, 0.4, shape).astype(np.float32)
            values = np.where(random.random(shape) < random.choice([0.02, 0.5]), values, tame)
            tensors.append(Tensor(values))
        else:
            zero_point = int(random.integers(-100, 100)) + (100 if kind == "uint8" else 0)
            tensors.append(Tensor(values, float(random.uniform(0.001, 0.1)), zero_point))
    if anchors_first:
        tensors[0] = tensors[0].reordered(0, 2, 1)
    options: dict[str, Any] = {"max_detections": most, "class_agnostic": class_agnostic, "nms_sigma": sigma}
    options["labels"] = [str(i) for i in range(class_count)]  # without labels, the numbers must be those of a YOLOv8
    processor = (n6post.YoloV8Seg if coefficients else n6post.YoloV8)(threshold, iou_threshold=iou_threshold, **options)
    with np.errstate(all="ignore"), unguarded():
        found = FakeModel(tensors, (32, 32)).run(processor, Framed((3, 5, 100, 70)))
    assert_well_formed(found, (3, 5, 100, 70), most)
    if not sigma:
        order = [(-row[2], row[0]) for row in survivors(processor)]
        assert order == sorted(order) and len(set(order)) == len(order)
    for d in found:
        if coefficients:
            mask_plane(d.mask, 8, 8)
            assert 0 <= d.mask.area <= 100 * 70 + 1
            assert d.mask.centroid is None or all(v == v for v in d.mask.centroid)
            d.mask.outline()


# --- limits of a head ---
def run_floats(things: list[Thing], class_count: int = 3, size: tuple[int, int] = (64, 64), **options: Any) -> Any:
    processor = n6post.YoloV8(**options)
    return FakeModel([Tensor(float_head(size, class_count, things))], size).run(processor)


def test_no_detections_are_an_empty_list() -> None:
    assert run_floats([]) == []
    constant = Tensor(np.zeros((1, 7, 84), dtype=np.int8), 0.02, 0)
    assert FakeModel([constant], (64, 64)).run(n6post.YoloV8()) == []


def test_score_at_the_threshold_passes_and_the_next_lower_does_not() -> None:
    """0.5 / (1/128) - 28 is the integer 36 exactly."""
    for q, passes in ((36, True), (35, False)):
        head = np.full((1, 5, 84), -28, dtype=np.int8)
        head[0, :, 7] = (36, 36, 0, 0, q)
        found = FakeModel([Tensor(head, 1 / 128, -28)], (64, 64)).run(n6post.YoloV8(0.5))
        assert bool(found) == passes
    for score, passes in ((0.5, True), (np.nextafter(np.float32(0.5), np.float32(0)), False)):
        assert bool(run_floats([Thing(7, (8, 8, 40, 40), {1: score})], threshold=0.5)) == passes


def test_threshold_of_0_4_at_scale_1_255_is_step_102() -> None:
    """.4 * 255 is 102, on the camera's 30-bit floats as on a PC's."""
    scale = float(np.float32(1 / 255))
    for q, passes in ((102, True), (101, False)):
        head = np.zeros((1, 5, 84), dtype=np.uint8)
        head[0, :, 7] = (100, 100, 60, 60, q)
        assert bool(FakeModel([Tensor(head, scale, 0)], (64, 64)).run(n6post.YoloV8(0.4))) == passes


def test_threshold_above_the_largest_score_finds_no_detection() -> None:
    head = np.full((1, 5, 84), 127, dtype=np.int8)
    assert FakeModel([Tensor(head, 0.005, 0)], (64, 64)).run(n6post.YoloV8(0.9)) == []


def test_score_that_dequantizes_above_1_is_not_clipped() -> None:
    head = np.zeros((1, 5, 84), dtype=np.int8)
    head[0, :, 7] = (25, 25, 10, 10, 51)
    (d,) = FakeModel([Tensor(head, 0.0204021, 0)], (64, 64)).run(n6post.YoloV8())
    assert d.score == pytest.approx(1.0405, rel=1e-4)


def test_nan_score_never_passes_and_hides_no_other_class() -> None:
    nan = float("nan")
    others = run_floats([Thing(5, (8, 8, 40, 40), {0: nan, 1: nan, 2: nan})], threshold=0)
    assert others != []  # with scores of 0
    assert run_floats([Thing(5, (8, 8, 40, 40), {0: nan, 1: nan, 2: nan})], threshold=0.1) == []
    (d,) = run_floats([Thing(5, (8, 8, 40, 40), {0: nan, 1: 0.6, 2: 0.7})])
    assert (d.class_id, d.rect) == (2, (8, 8, 32, 32))


def test_the_first_of_equal_classes_wins() -> None:
    (d,) = run_floats([Thing(5, (8, 8, 40, 40), {1: 0.75, 2: 0.75})])
    assert d.class_id == 1


@pytest.mark.parametrize("kind", ["int8", "uint8", "float32"])
def test_anchors_above_32767_and_classes_above_255_are_correct(kind: str) -> None:
    size = (1280, 1280)  # 33,600 anchors: one more than int16 counts
    things = [Thing(33599, (100, 100, 300, 300), {0: 0.9}), Thing(32768, (600, 600, 700, 900), {0: 0.8})]
    tensor = quantized(float_head(size, 1, things, pixels=False), 0.01, -10)
    tensor = {"int8": tensor, "uint8": tensor.as_uint8(), "float32": tensor.dequantized()}[kind]
    for one in (tensor, tensor.reordered(0, 2, 1)):
        processor = n6post.YoloV8()
        FakeModel([one], size).run(processor)
        assert [row[0] for row in survivors(processor)] == [33599, 32768]
    many = float_head((64, 64), 1203, [Thing(7, (8, 8, 40, 40), {1202: 0.9}), Thing(9, (30, 30, 60, 60), {256: 0.8})])
    found = FakeModel([Tensor(many)], (64, 64)).run(n6post.YoloV8(classes=[256, 1202]))
    assert [d.class_id for d in found] == [1202, 256]


@pytest.mark.parametrize("swapped", [False, True])
def test_head_of_65535_classes_is_accepted_and_one_more_is_refused(swapped: bool) -> None:
    """ulab's reductions never return for an axis of 65,536 or more, and class ids have 16 bits."""
    values = np.full((1, 4 + 65536, 21), -128, np.int8)
    values[0, :4, 5] = values[0, 4 + 65534, 5] = 0
    order = (0, 2, 1) if swapped else (0, 1, 2)
    head = Tensor(values[:, :-1], 1 / 256, -128).reordered(*order)
    (d,) = FakeModel([head], (32, 32)).run(n6post.YoloV8())
    assert (d.class_id, d.rect) == (65534, (8, 8, 16, 16))
    one_more = FakeModel([Tensor(values, 1 / 256, -128).reordered(*order)], (32, 32))
    with pytest.raises(ValueError, match="expected at most 65535 classes, got 65536 in output 0: int8"):
        one_more.run(n6post.YoloV8())


def test_head_of_65535_anchors_is_accepted_and_more_are_refused() -> None:
    """The limit holds for raw and end-to-end heads."""
    size = (1960, 1632)
    head = float_head(size, 1, [Thing(65534, (100, 100, 300, 300), {0: 0.9})])
    assert head.shape[2] == 65535
    for tensor in (Tensor(head), Tensor(head).reordered(0, 2, 1)):
        processor = n6post.YoloV8()
        assert [d.rect for d in FakeModel([tensor], size).run(processor)] == [(100, 100, 200, 200)]
        assert [row[0] for row in survivors(processor)] == [65534]
    more = float_head((1792, 1792), 1, [Thing(7, (100, 100, 300, 300), {0: 0.9})])
    for tensor, shape in ((Tensor(more), "1, 5, 65856"), (Tensor(more).reordered(0, 2, 1), "1, 65856, 5")):
        with pytest.raises(ValueError, match=rf"^expected at most 65535 anchors, got 65856 in output 0: .*\({shape}\)$"):
            FakeModel([tensor], (1792, 1792)).run(n6post.YoloV8())
    rows = np.zeros((1, 65536, 6), dtype=np.float32)
    rows[0, 65534] = 0.25, 0.25, 0.5, 0.5, 0.9, 3
    processor = n6post.YoloV8()
    assert [d.rect for d in FakeModel([Tensor(rows[:, :65535])], (64, 64)).run(processor)] == [(16, 16, 16, 16)]
    assert [row[:2] for row in survivors(processor)] == [(65534, 3)]
    with pytest.raises(ValueError, match=r"^expected at most 65535 anchors, got 65536 in output 0: .*\(1, 65536, 6\)$"):
        FakeModel([Tensor(rows)], (64, 64)).run(n6post.YoloV8())


@pytest.mark.parametrize("kind", [n6post.YoloV8, n6post.YoloV8Seg])
def test_kernel_parameters_hold_the_steps_between_anchors_and_channels(kind: Any) -> None:
    """The machine code uses all of these steps, the portable kernels only some of them."""
    extra = 8 if kind is n6post.YoloV8Seg else 0
    head = random_head(3, (64, 64), 3, extra)
    for anchors_first, steps in ((False, (84, 1)), (True, (1, 7 + extra))):
        processor = kind()
        stored(head, "int8", anchors_first).run(processor)
        block = processor._binding.decoder.block
        assert tuple(block[:7]) == (ord("b"), 84, 7 + extra, *steps, 4, 3)


def test_int16_head_in_pixels_is_detected() -> None:
    head = float_head((64, 64), 2, [Thing(5, (8, 8, 40, 48), {1: 0.9})])
    values = np.round(head / (1 / 256)).astype(np.int16)
    (d,) = FakeModel([Tensor(values, 1 / 256, 0)], (64, 64)).run(n6post.YoloV8())
    assert d.rect == (8, 8, 32, 40)


def test_float_heads_are_detected_as_normalized_or_in_pixels() -> None:
    things = [Thing(5, (8, 8, 40, 48), {1: 0.9})]
    for pixels in (True, False):
        head = Tensor(float_head((64, 96), 2, things, pixels=pixels))
        (d,) = FakeModel([head], (64, 96)).run(n6post.YoloV8())
        assert d.rect == (8, 8, 32, 40)


def units_of(processor: Any) -> tuple[float, float]:
    """Model input pixels of one unit of the head's boxes: (1, 1) for pixels, the input's width and height for 0..1."""
    binding = processor._binding
    return binding.unit_x / binding.tensor.scale, binding.unit_y / binding.tensor.scale


@pytest.mark.parametrize(
    ("reach", "center", "pixels"),
    [(None, 2.0, False), (None, 2.125, True), (8.0, 7.0, False), (8.5, 7.0, True), (8.5, 2.125, True), (8.5, 2.0, False)],
)
def test_a_mean_box_center_above_2_means_pixels_if_the_head_reaches_8(
    reach: float | None, center: float, pixels: bool
) -> None:
    """int16 in steps of 1 / 128 that end at `reach`, or floats. Anchors of zeros do not count."""
    head = np.zeros((1, 5, 126), np.float32)
    head[0, :, 40] = center - 0.5, center + 0.5, 7.5, 7.25, 0.75
    head[0, :4, 50] = center + 0.25, center - 0.25, 7.5, 7.5
    tensor = Tensor(head)
    if reach:
        zero_point = 32767 - int(128 * reach)
        tensor = Tensor((head * 128 + zero_point).astype(np.int16), 1 / 128, zero_point)
    for one in (tensor, tensor.reordered(0, 2, 1)):
        processor = n6post.YoloV8()
        FakeModel([one], (64, 96)).run(processor)
        assert units_of(processor) == ((1, 1) if pixels else (64, 96))
        rows = survivors(processor)
        assert len(rows) == (reach != 8.0)  # seven inputs further right the box has no pixel
        cx, cy, w, h = head[0, :4, 40].astype(float) * ((1, 1, 1, 1) if pixels else (64, 96, 64, 96))
        for row in rows:
            assert row[3:] == pytest.approx((cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2))


@pytest.mark.parametrize("kind", ["float32", "int16"])
@pytest.mark.parametrize("anchors_first", [False, True])
def test_wide_boxes_of_weak_anchors_do_not_mean_pixels(kind: str, anchors_first: bool) -> None:
    """Weak anchors of real float exports have boxes that are up to four inputs wide."""
    head = float_head((96, 96), 2, [Thing(100, (24, 36, 72, 60), {1: 0.9})], pixels=False)
    head[0, 2:4, ::2] = 3.5
    head[0, :4, 100] = 0.5, 0.5, 0.5, 0.25
    tensor = Tensor(head) if kind == "float32" else Tensor(np.round(head * 2048).astype(np.int16), 1 / 2048, 0)
    if anchors_first:
        tensor = tensor.reordered(0, 2, 1)
    processor = n6post.YoloV8()
    assert [d.rect for d in FakeModel([tensor], (96, 96)).run(processor)] == [(24, 36, 48, 24)]
    assert units_of(processor) == (96, 96) and processor._binding.is_final


def test_small_boxes_do_not_hide_that_a_head_is_in_pixels() -> None:
    head = float_head((96, 96), 2, [Thing(100, (24, 36, 72, 60), {1: 0.9})])
    head[0, 2:4] = 0.5
    head[0, :4, 100] = 48, 48, 48, 24
    processor = n6post.YoloV8()
    assert [d.rect for d in FakeModel([Tensor(head)], (96, 96)).run(processor)] == [(24, 36, 48, 24)]
    assert units_of(processor) == (1, 1)


# --- the box unit of real heads ---
def real_heads(shared: Path) -> list[tuple[str, list[Tensor], tuple[int, int]]]:
    """(name, outputs, input size) of every capture of a YOLO. Their boxes are in 0..1."""
    files = [f for f in sorted((shared / "captures").glob("yolo*.npz")) if "oracle" not in f.name]
    return [(file.stem, *capture(file)) for file in files]


def test_the_box_unit_of_every_captured_head_is_found(shared: Path) -> None:
    floats = 0
    for name, tensors, size in real_heads(shared):
        kind = n6post.YoloV8Seg if len(tensors) == 2 else n6post.YoloV8Pose if "pose" in name else n6post.YoloV8
        floats += tensors[0].values.dtype == np.float32
        for change, unit in ((Tensor.dequantized, size), (lambda head, side=size[0]: in_pixels(head, side), (1, 1))):
            head = change(tensors[0])
            for one in (head, head.reordered(0, 2, 1)):
                processor = kind()
                FakeModel([one, *[t.dequantized() for t in tensors[1:]]], size).run(processor)
                assert units_of(processor) == unit and processor._binding.is_final, name
    assert floats >= 4


@pytest.fixture(scope="module")
def fruit_outputs(shared: Path) -> dict[str, list[Any]]:
    """The outputs of the float model of fruit for each of its test pictures."""
    pytest.importorskip("ai_edge_litert")
    import image
    import ml

    outputs: dict[str, list[Any]] = {}
    model = ml.Model(str(shared / "models" / "fruit" / "fruit_float.tflite"))
    for file in sorted((shared / "models" / "fruit" / "test").iterdir()):
        copies: list[Any] = []
        picture = n6post.Stretch(image.Image(str(file)))
        model.predict([picture], callback=lambda m, i, found, copies=copies: copies.extend(one._np.copy() for one in found))
        outputs[file.name] = copies
    return outputs


def test_the_box_unit_of_a_float_export_is_found_in_any_first_frame(fruit_outputs: dict[str, list[Any]]) -> None:
    """Its weak anchors are up to 3.9 wide in units of 1."""
    size = (160, 160)
    widest = 0.0
    for name, (head, protos) in fruit_outputs.items():
        assert head.dtype == np.float32 and head.shape == (1, 39, 525)
        widest = max(widest, float(head[0, 2:4].max()))
        for one, unit in ((Tensor(head), size), (in_pixels(Tensor(head), 160), (1, 1))):
            processor = n6post.YoloV8Seg()
            FakeModel([one, Tensor(protos)], size).run(processor)
            assert units_of(processor) == unit and processor._binding.is_final, name
    assert len(fruit_outputs) == 100 and widest > 3


def test_boxes_of_a_float_export_lie_on_the_objects(shared: Path, fruit_outputs: dict[str, list[Any]]) -> None:
    truth = json.loads((shared / "models" / "fruit" / "gt_test.json").read_text(encoding="utf-8"))
    hits = 0
    for picture in truth["images"]:
        frame = (0, 0, picture["width"], picture["height"])
        model = FakeModel([Tensor(values) for values in fruit_outputs[picture["file_name"]]], (160, 160))
        rects = np.float32([d.rect for d in model.run(n6post.YoloV8Seg(), Framed(frame))]).reshape(-1, 4)
        rects[:, 2:] += rects[:, :2]
        for one in truth["annotations"]:
            if one["image_id"] == picture["id"]:
                x, y, w, h = one["bbox"]
                hits += bool((reference.iou(np.float32([x, y, x + w, y + h]), rects) > 0.5).any())
    assert hits > 0.8 * len(truth["annotations"])


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("pixels", [True, False])
def test_nan_or_infinite_box_does_not_change_the_box_unit(value: float, pixels: bool) -> None:
    head = float_head((64, 64), 2, [Thing(5, (8, 8, 40, 48), {1: 0.9})], pixels=pixels)
    head[0, :4, 60] = value
    (d,) = FakeModel([Tensor(head)], (64, 64)).run(n6post.YoloV8())
    assert d.rect == (8, 8, 32, 40)


def test_first_frame_of_zeros_leaves_the_box_unit_open() -> None:
    processor = n6post.YoloV8()
    model = FakeModel([Tensor(np.zeros((1, 7, 84), dtype=np.float32))], (64, 64))
    assert model.run(processor) == []
    model.tensors = [Tensor(float_head((64, 64), 3, [Thing(5, (8, 8, 40, 48), {1: 0.9})]))]
    assert [d.rect for d in model.run(processor)] == [(8, 8, 32, 40)]


def test_boxes_that_leave_the_frame_are_clipped() -> None:
    things = [Thing(5, (-20, -30, 32, 32), {0: 0.9}), Thing(6, (40, 40, 99, 120), {1: 0.8})]
    assert [d.rect for d in run_floats(things)] == [(0, 0, 32, 32), (40, 40, 24, 24)]


# --- detections without pixels ---
@pytest.mark.parametrize("options", [{}, {"nms_sigma": 0.5}, {"class_agnostic": True}])
@pytest.mark.parametrize("kind", [n6post.YoloV8, n6post.YoloV8Seg, n6post.YoloV8Pose])
def test_box_without_a_pixel_in_the_frame_is_dropped(kind: Any, options: dict[str, Any]) -> None:
    """Beyond each edge, between two pixels, and inside out. What remains keeps its own mask and keypoints."""
    boxes = [
        (70, 10, 90, 30), (0, 0, 20, 20), (-9, 10, 0.4, 30), (10, -9, 30, 0.4), (63.6, 10, 80, 30), (10, 64, 30, 70),
        (44, 40, 60, 60), (30.6, 10, 31.4, 30), (40, 10, 30, 30),
    ]  # fmt: skip
    extra = {n6post.YoloV8: 0, n6post.YoloV8Seg: 8, n6post.YoloV8Pose: 6}[kind]
    things = [Thing(3 + i, box, {0: 0.9 - i / 20}, [i + 1, 1, *[0.5] * 6][:extra]) for i, box in enumerate(boxes)]
    tensors = [Tensor(float_head((64, 64), 1, things, extra)), Tensor(np.ones((1, 16, 16, 8), np.float32))]
    found = FakeModel(tensors[: 1 + (extra == 8)], (64, 64)).run(kind(**options))
    assert [(d.rect, round(d.score, 3)) for d in found] == [((0, 0, 20, 20), 0.85), ((44, 40, 16, 20), 0.6)]
    if kind is n6post.YoloV8Pose:
        assert [d.keypoints[0, 0] for d in found] == [2, 7]
    if kind is n6post.YoloV8Seg:
        assert [(d.mask._parts()[2], d.mask.area) for d in found] == [((0, 0, 5, 5), 400), ((11, 10, 4, 5), 320)]


def test_end_to_end_row_without_a_pixel_in_the_frame_is_dropped() -> None:
    rows = [(-9, 9, -1, 30, 0.9, 0), (8, 9, 40, 30, 0.8, 1), (40, 66, 50, 90, 0.7, 0), (30, 40, 90, 90, 0.6, 2)]
    found = FakeModel([Tensor(np.float32([rows]))], (64, 64)).run(n6post.YoloV8(max_detections=3))
    assert [(d.rect, d.class_id) for d in found] == [((8, 9, 32, 21), 1)]  # three of four, less two


@pytest.mark.parametrize("kind", [n6post.YoloV8, n6post.YoloV8Seg])
def test_box_in_the_bars_of_a_letterbox_is_dropped(kind: Any) -> None:
    """A frame of 128 x 64 lies in rows 16 to 47 of the input."""
    things = [
        Thing(5, (8, 0, 40, 15), {0: 0.9}, [1]), Thing(6, (8, 4, 40, 24), {0: 0.8}, [1]),
        Thing(7, (8, 48.2, 40, 64), {0: 0.7}, [1]),
    ]  # fmt: skip
    extra = 8 * (kind is n6post.YoloV8Seg)
    tensors = [Tensor(float_head((64, 64), 1, things, extra)), Tensor(np.ones((1, 16, 16, 8), np.float32))]
    frame = n6post.Letterbox(image.Image(128, 64, image.GRAYSCALE))
    found = FakeModel(tensors[: 1 + bool(extra)], (64, 64)).run(kind(), frame)
    assert [d.rect for d in found] == [(16, 0, 64, 16)]


def empty_and_full() -> list[Thing]:
    """Each anchor's first coefficient is the sign of its mask's logits, the second that of its lower half."""
    return [
        Thing(5, (0, 0, 32, 64), {0: 0.9}, [-1]), Thing(6, (4, 4, 30, 60), {1: 0.8}, [1]),
        Thing(7, (40, 0, 64, 64), {0: 0.7}, [-1, 2]), Thing(8, (41.5, 20, 43.5, 60), {1: 0.6}, [1]),
    ]  # fmt: skip


@pytest.mark.parametrize("overlap", [None, 1.0, 0.5, 0.0])
@pytest.mark.parametrize("refit", [False, True])
@pytest.mark.parametrize("kind", ["float32", "int8"])
def test_detection_with_an_empty_mask_is_dropped(kind: str, refit: bool, overlap: float | None) -> None:
    """The last box lies between two columns of the prototypes. (int8 heads pad boxes by default.)"""
    protos = np.zeros((1, 16, 16, 8), np.float32)
    protos[..., 0] = 1
    protos[:, 8:, :, 1] = 1
    tensors = [Tensor(float_head((64, 64), 2, empty_and_full(), 8)), Tensor(protos)]
    if kind == "int8":
        tensors = [quantized(tensors[0].values, 0.5, -120), quantized(protos, 0.5, 0)]
    processor = n6post.YoloV8Seg(mask_overlap=overlap, refit_boxes=refit, mask_padding=0, box_units="pixels")
    found = FakeModel(tensors, (64, 64)).run(processor)
    assert [d.mask.area for d in found] == [26 * 56, 24 * 32]
    assert [d.class_id for d in found] == [1, 0]
    assert found[1].rect == ((40, 32, 24, 32) if refit else (40, 0, 24, 64))


def test_mask_that_lies_in_the_bars_of_a_letterbox_is_empty() -> None:
    """The frame, of 128 x 64, shows rows 4 to 11 of the masks. Boxes reach into it; one of the objects does not."""
    protos = np.zeros((1, 16, 16, 8), np.float32) - 1
    protos[0, :4, :, 0] = 1
    protos[0, :5, :, 1] = 1
    things = [Thing(5, (0, 0, 32, 32), {0: 0.9}, [1]), Thing(6, (32, 0, 64, 32), {0: 0.8}, [0, 1])]
    tensors = [Tensor(float_head((64, 64), 1, things, 8)), Tensor(protos)]
    frame = n6post.Letterbox(image.Image(128, 64, image.GRAYSCALE))
    (found,) = FakeModel(tensors, (64, 64)).run(n6post.YoloV8Seg(), frame)
    assert (found.rect, found.mask.rect, found.mask.area) == ((64, 0, 64, 32), (64, 0, 64, 8), 64 * 8)


def test_detections_without_pixels_are_dropped_after_max_detections() -> None:
    """As in Ultralytics: they count among the first."""
    things = [Thing(3, (70, 10, 90, 30), {0: 0.95}), *empty_and_full()]
    tensors = [Tensor(float_head((64, 64), 2, things, 8)), Tensor(np.ones((1, 16, 16, 8), np.float32))]
    for most, scores in ((1, []), (2, []), (3, [0.8]), (4, [0.8, 0.7])):
        processor = n6post.YoloV8Seg(max_detections=most, mask_overlap=None)
        assert [d.score for d in FakeModel(tensors, (64, 64)).run(processor)] == pytest.approx(scores)


def test_each_corner_is_rounded_to_the_nearest_pixel() -> None:
    """Width is the difference of rounded corners, not the rounded width."""
    things = [Thing(5, (10.4, 10.6, 20.6, 20.4), {0: 0.9}), Thing(6, (30.5, 30.5, 40.5, 41), {1: 0.8})]
    assert [d.rect for d in run_floats(things)] == [(10, 11, 11, 9), (31, 31, 10, 10)]


# --- the frame ---
@pytest.mark.parametrize("roi", [(0, 0, 640, 480), (32, 16, 320, 240), (0, 0, 100, 333)])
def test_boxes_are_in_frame_pixels(roi: tuple[int, int, int, int]) -> None:
    """The stand-ins follow firmware 5.0, which stretches the roi over the input."""
    head = random_head(3, (64, 96), 4)
    processor = n6post.YoloV8(0.3)
    found = head.model().run(processor, Framed(roi))
    expected = reference.suppress(head.candidates(0.3), max_detections=20)
    assert len(found) > 2
    assert_same_detections(found, expected, corners_in_frame(expected, "stretch", head.size, roi), roi)


def test_changed_roi_applies_from_its_own_frame_on() -> None:
    model = FakeModel([Tensor(float_head((64, 64), 1, [Thing(3, (16, 16, 32, 48), {0: 0.9})]))], (64, 64))
    processor = n6post.YoloV8()
    for roi, rect in (
        ((0, 0, 64, 64), (16, 16, 16, 32)),
        ((0, 0, 128, 256), (32, 64, 32, 128)),
        ((10, 20, 128, 256), (42, 84, 32, 128)),
        ((0, 0, 64, 64), (16, 16, 16, 32)),
    ):
        assert [d.rect for d in model.run(processor, Framed(roi))] == [rect]
    assert [d.rect for d in model.run(processor)] == [(16, 16, 16, 32)]


def test_without_a_roi_the_frame_is_the_model_input() -> None:
    model = FakeModel([Tensor(float_head((64, 64), 1, [Thing(3, (16, 16, 32, 48), {0: 0.9})]))], (64, 64))
    array = _host.wrap(np.zeros((1, 64, 64, 3), dtype=np.uint8))
    for source in (array, lambda buffer, shape, dtype: None):
        assert [d.rect for d in model.run(n6post.YoloV8(), source)] == [(16, 16, 16, 32)]


# --- names ---
def labels_of(class_count: int, model_labels: list[str] | None = None, **options: Any) -> list[str]:
    things = [Thing(5, (8, 8, 20, 20), {0: 0.9}), Thing(6, (30, 30, 60, 60), {class_count - 1: 0.8})]
    model = FakeModel([Tensor(float_head((64, 64), class_count, things))], (64, 64), model_labels)
    return [d.label for d in model.run(n6post.YoloV8(**options))]


def test_labels_come_from_the_option_the_model_coco_or_the_number() -> None:
    assert labels_of(2, ["cat", "dog"], labels=["Katze", "Hund"]) == ["Katze", "Hund"]
    assert labels_of(2, ["cat", "dog"]) == ["cat", "dog"]
    assert labels_of(80) == ["person", "toothbrush"]
    assert labels_of(3) == ["0", "2"]
    assert labels_of(3, ["cat"]) == ["cat", "2"]


# --- memory and models ---
def test_results_do_not_change_when_the_outputs_are_overwritten() -> None:
    head = random_head(11, (64, 64), 3, 16, -20)
    model = head.model()
    processor = n6post.YoloV8Seg(0.3)
    found = model.run(processor)
    before = contents(found)
    assert len(found) > 2 and any(d.mask.area for d in found)
    for tensor in model.tensors:
        tensor.values[:] = np.random.default_rng(1).integers(-128, 30, tensor.values.shape)
    again = model.run(processor)
    assert contents(found) == before
    assert contents(again) != before


def test_one_processor_serves_several_models_in_turn() -> None:
    """More models than bindings are kept, with different sizes, dtypes, layouts, class counts and scales."""
    models = [
        random_head(1, (64, 64), 3, 16, -20).model(),
        random_head(2, (96, 64), 5, 32, 10).model(),
        stored(random_head(1, (64, 64), 3, 16, -20), "uint8", anchors_first=True),
        stored(random_head(4, (64, 64), 3, 16), "float32", planar=True, swapped=True),
        stored(random_head(5, (32, 32), 80, 8), "int16"),
        random_head(1, (64, 64), 3, 16, 40).model(),  # the shapes of the first with another scale and zero point
    ]
    processor = n6post.YoloV8Seg(0.3)
    alone = [contents(model.run(n6post.YoloV8Seg(0.3))) for model in models]
    assert sum(len(found) > 0 for found in alone) == len(models)
    for _ in range(2):
        for model, found in zip(models, alone, strict=True):
            assert contents(model.run(processor)) == found
            assert contents(model.run(processor)) == found


def test_the_same_outputs_give_the_same_result_every_time() -> None:
    model = random_head(21, (64, 64), 2, 8).model()
    processor = n6post.YoloV8Seg(0.2, nms_sigma=0.4)
    assert contents(model.run(processor)) == contents(model.run(processor)) == contents(
        model.run(n6post.YoloV8Seg(0.2, nms_sigma=0.4))
    )


# --- errors ---
NAN = float("nan")
BAD_OPTIONS: dict[str, tuple[Any, ...]] = {
    "threshold": (-0.1, 1.1, NAN, float("inf"), None, "0.4"),
    "iou_threshold": (-0.1, 1.1, NAN, None, "0.5"),
    "nms_sigma": (-1, NAN, float("inf"), None, "0.5"),
    "max_detections": (0, -1, 2.0, None, "20"),
    "max_candidates": (0, -1, 300.0, 70000, None),
    "classes": ((), [-1], [None], 0, [1.5], "0", "person"),
    "labels": ("abc", 5, [1] * 80),
    "box_units": ("x", 1, True),
    "box_order": ("yxhw", 1, True),
    "class_agnostic": ("no",),
    "mask_threshold": (0, 1, 0.0, 1.0, -0.5, NAN, None, "0.5"),
    "mask_padding": (-1, NAN, float("inf"), "2"),
    "keypoint_threshold": (-0.1, 1.1, NAN, None, "0.5"),
    "class_count": (0, -1, 1.5, "1"),
    "score_type": ("sigmoid",),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD_OPTIONS.items() for value in values])
def test_invalid_option_raises_in_the_constructor(name: str, value: Any) -> None:
    kinds = [kind for kind in (n6post.YoloV8, n6post.YoloV8Seg, n6post.YoloV8Pose) if hasattr(kind(), name)]
    for kind in kinds:
        with pytest.raises(ValueError, match=refuses(name, value)):
            kind(**{name: value})
    assert kinds


def zeros(*shape: int, kind: str = "int8", scale: float = 0.02, zero_point: int = 0) -> Tensor:
    return Tensor(np.zeros(shape, dtype=kind), 0.0 if kind == "float32" else scale, zero_point)


NO_HEAD = (
    "expected a head [1, C, N] or [1, N, C] of N = 84 or 340 or 85 or 20 anchors, that belongs to an input of (width,"
    " height) (64, 64), or an end-to-end head [1, rows, 6 and what the family adds], got"
)
OTHER_ROWS = ": 300 rows, but of another family or network (oriented boxes: n6post.YoloV8Obb, or RT-DETR)"
CHANNELS = "expected a head of 4 box channels, at least one class and"
NO_SCALE = "expected a scale from 1e-12 to 10000, got"
TWO = "expected 2 outputs (a head [1, 4 + classes + M, N] or [1, rows, 6 + M] and prototypes [1, H, W, M])"
OR_SPLIT = (
    ", or a split head (boxes [1, h, w, 64] and scores [1, h, w, classes] for each stride) of an input of (width, height)"
    " (64, 64)"
)
OR_SPLIT_MASKS = (
    ", or a split head (boxes [1, h, w, 64], scores [1, h, w, classes] and coefficients [1, h, w, M] for each stride, and"
    " prototypes [1, H, W, M]) of an input of (width, height) (64, 64)"
)
NO_PROTOTYPES = (
    "expected prototypes [1, H, W, M] or [1, M, H, W], more than one pixel and of the aspect ratio of the input, (64, 64),"
    " got"
)
BAD_HEADS = {  # (outputs, error message)
    "no class": ([zeros(1, 4, 84)], f"{CHANNELS} 0 more, got 4 channels in output 0: int8 (1, 4, 84)"),
    "no class, anchors first": ([zeros(1, 84, 4)], f"{CHANNELS} 0 more, got 4 channels in output 0: int8 (1, 84, 4)"),
    "a batch of two": ([zeros(2, 7, 84)], f"{NO_HEAD} (2, 7, 84)"),
    "one dimension": ([zeros(588)], f"{NO_HEAD} (588,)"),
    "four dimensions": ([zeros(1, 7, 84, 2)], f"{NO_HEAD} (1, 7, 84, 2)"),
    "an end-to-end head of oriented boxes": ([zeros(1, 300, 7)], f"{NO_HEAD} (1, 300, 7){OTHER_ROWS}"),
    "three boxes per anchor": (
        [zeros(1, 252, 7)], f"{NO_HEAD} (1, 252, 7): three boxes per anchor, as in YOLOv5: use n6post.YoloV5()",
    ),
    "an arg-maxed map": ([zeros(1, 64, 64)], f"{NO_HEAD} (1, 64, 64)"),
    "the anchors of another input": ([zeros(1, 7, 756)], f"{NO_HEAD} (1, 7, 756)"),
    "two outputs": (
        [zeros(1, 7, 84), zeros(1, 16, 16, 8)],
        f"expected 1 output (a head [1, 4 + classes, N] or [1, rows, 6]){OR_SPLIT}, got 2: (1, 7, 84), (1, 16, 16, 8)",
    ),
    "no output": ([], "expected 1 output (a head [1, 4 + classes, N] or [1, rows, 6]), got 0"),
    "uint16": ([zeros(1, 7, 84, kind="uint16")], "output 0: expected int8, uint8, int16 or float32, got uint16"),
    "no scale": ([zeros(1, 7, 84, scale=0)], f"output 0: {NO_SCALE} 0.0"),
    "a negative scale": ([zeros(1, 7, 84, scale=-0.1)], f"output 0: {NO_SCALE} -0.1"),
    "a scale that is not a number": ([zeros(1, 7, 84, scale=NAN)], f"output 0: {NO_SCALE} nan"),
    "an infinite scale": ([zeros(1, 7, 84, scale=float("inf"))], f"output 0: {NO_SCALE} inf"),
}
BAD_SEGMENTATION = {
    "no output": ([], f"{TWO}, got 0"),
    "no prototypes": ([zeros(1, 15, 84)], f"{TWO}, got 1"),
    "no head": ([zeros(1, 16, 16, 8)], f"{TWO}, got 1"),
    "two heads": ([zeros(1, 15, 84), zeros(1, 15, 84)], f"{NO_PROTOTYPES} (1, 15, 84)"),
    "two prototypes": ([zeros(1, 16, 16, 8), zeros(1, 16, 16, 8)], f"{NO_HEAD} (1, 16, 16, 8)"),
    "three outputs": (
        [zeros(1, 15, 84), zeros(1, 16, 16, 8), zeros(1, 16, 16, 8)],
        f"{TWO}{OR_SPLIT_MASKS}, got 3: (1, 15, 84), (1, 16, 16, 8), (1, 16, 16, 8)",
    ),
    "7 coefficients": (
        [zeros(1, 15, 84), zeros(1, 16, 16, 7)],
        "expected 8 to 64 mask coefficients, got 7 in output 1: int8 (1, 16, 16, 7)",
    ),
    "65 coefficients": (
        [zeros(1, 75, 84), zeros(1, 16, 16, 65)],
        "expected 8 to 64 mask coefficients, got 65 in output 1: int8 (1, 16, 16, 65)",
    ),
    "coefficients that leave no class": (
        [zeros(1, 12, 84), zeros(1, 16, 16, 8)], f"{CHANNELS} 8 more, got 12 channels in output 0: int8 (1, 12, 84)",
    ),
    "prototypes of another aspect ratio": ([zeros(1, 15, 84), zeros(1, 16, 32, 8)], f"{NO_PROTOTYPES} (1, 16, 32, 8)"),
    "an end-to-end head of other coefficients": (
        [zeros(1, 300, 38), zeros(1, 16, 16, 16)], f"{NO_HEAD} (1, 300, 38){OTHER_ROWS}",
    ),
    "a batch of two prototypes": ([zeros(1, 15, 84), zeros(2, 16, 16, 8)], f"{NO_PROTOTYPES} (2, 16, 16, 8)"),
    "uint16 prototypes": (
        [zeros(1, 15, 84), zeros(1, 16, 16, 8, kind="uint16")],
        "output 1: expected int8, uint8, int16 or float32, got uint16",
    ),
    "prototypes without a scale": ([zeros(1, 15, 84), zeros(1, 16, 16, 8, scale=0)], f"output 1: {NO_SCALE} 0.0"),
    "a head without a scale": ([zeros(1, 15, 84, scale=0), zeros(1, 16, 16, 8)], f"output 0: {NO_SCALE} 0.0"),
}


@pytest.mark.parametrize(
    ("family", "what"), [("YoloV8", what) for what in BAD_HEADS] + [("YoloV8Seg", what) for what in BAD_SEGMENTATION]
)
def test_unsupported_outputs_are_refused(family: str, what: str) -> None:
    tensors, sentence = {"YoloV8": BAD_HEADS, "YoloV8Seg": BAD_SEGMENTATION}[family][what]
    with pytest.raises(ValueError, match=says(sentence)):
        FakeModel(tensors, (64, 64)).run(getattr(n6post, family)())


def test_outputs_that_are_not_arrays_are_refused() -> None:
    model = FakeModel([zeros(1, 7, 84)], (64, 64))
    for outputs in (None, [None], [[1.0, 2.0]], [b"bytes"], 3):
        kind = type(outputs[0] if isinstance(outputs, list) else outputs).__name__
        wanted = "output 0: expected an ndarray"
        if not isinstance(outputs, list):
            wanted = "expected 1 output (a head [1, 4 + classes, N] or [1, rows, 6])"
        with pytest.raises(ValueError, match=says(f"{wanted}, got {kind}")):
            n6post.YoloV8()(model, [model.input()], outputs)


def test_model_without_a_scale_is_refused() -> None:
    for name, value in ("output_scale", ()), ("output_zero_point", ()), ("output_scale", None):
        model = FakeModel([zeros(1, 7, 84)], (64, 64))
        setattr(model, name, value)
        wanted = "output 0: expected a scale and zero point from the model for its int8 array, got none"
        with pytest.raises(ValueError, match=says(wanted)):
            model.run(n6post.YoloV8())


def test_class_filter_beyond_the_models_classes_is_refused() -> None:
    with pytest.raises(ValueError, match=r"classes: expected .* 3.*, got 3"):
        FakeModel([zeros(1, 7, 84)], (64, 64)).run(n6post.YoloV8(classes=[0, 3]))


@pytest.mark.parametrize("labels", [["a", "b"], ["a", "b", "c", "d"], {0: "a", 1: "b"}])
def test_wrong_number_of_labels_is_refused_at_the_first_frame(labels: Any) -> None:
    with pytest.raises(ValueError, match=f"^expected 3 labels, one per class, got {len(labels)}$"):
        FakeModel([zeros(1, 7, 84)], (64, 64)).run(n6post.YoloV8(labels=labels))


def test_processor_works_after_it_has_refused_a_model() -> None:
    processor = n6post.YoloV8(0.3)
    good = random_head(9, (64, 64), 3).model()
    before = contents(good.run(processor))
    for bad in (FakeModel([zeros(1, 4, 84)], (64, 64)), FakeModel([zeros(1, 7, 84, scale=-1)], (64, 64))):
        with pytest.raises(ValueError):
            bad.run(processor)
        assert contents(good.run(processor)) == before


# --- for the tests of all families: see family_cases.py ---
def four_things(extra: int = 0) -> list[Thing]:
    values = np.linspace(-0.9, 1.2, extra).tolist() if extra else []
    return [
        Thing(9, (8, 8, 40, 40), {0: 0.9}, values),
        Thing(13, (10, 8, 42, 40), {0: 0.8}, values[::-1]),  # IoU .88 with the first
        Thing(20, (8, 10, 40, 42), {1: 0.7}, values),  # another class
        Thing(30, (30, 44, 62, 60), {1: 0.5}, values),
    ]


def things_head() -> FakeModel:
    return FakeModel([Tensor(float_head((64, 64), 2, four_things()))], (64, 64))


def option_cases(model: Callable[[], FakeModel], class_count: int = 2, units: str = "normalized") -> dict[str, OptionCase]:
    """The options that all YOLOv8 families have."""
    apart = {"classes": [0]} if class_count > 1 else {}
    return {
        "threshold": OptionCase(0.4, 0.85, (-0.1, 1.1, NAN, None, "0.4", True), model),
        "iou_threshold": OptionCase(0.5, 0.95, (-0.1, 1.1, NAN, None), model),
        "nms_sigma": OptionCase(0, 5, (-1, NAN, float("inf"), None), model),
        "max_detections": OptionCase(20, 1, (0, -1, 2.0, None, 70000), model),
        "classes": OptionCase(None, (class_count - 1,), ((), [-1], [("person",)], 0, [1.5], "0"), model, apart),
        "class_agnostic": OptionCase(False, True, (1, None, "no"), model),
        "max_candidates": OptionCase(300, 1, (0, 300.0, 70000, None), model),
        "labels": OptionCase(None, ["Katze", "Hund"][:class_count], ("abc", 5, [], [1], {"a": 1}, {0: 1}), model),
        "box_units": OptionCase(None, units, (True, "px"), model),
        "box_order": OptionCase(None, "xyxy", ("yxhw", 1), model),
    }


FAMILY_CASES = FamilyCases(
    options=option_cases(things_head),
    frames={
        "YoloV8": FrameCase(lambda: n6post.YoloV8(0.3), detector, three_objects, ("threshold", 0.3, 0.8)),
        "YoloV8 soft": FrameCase(
            lambda: n6post.YoloV8(0.3, nms_sigma=0.5, classes=(0, 1)), detector, three_objects, ("classes", (0, 1), ["dog"])
        ),
        "YoloV8 end-to-end": FrameCase(
            lambda: n6post.YoloV8(0.3, classes=(0, 1, 2)), rows, rows_of_two, ("classes", (0, 1, 2), [0])
        ),
        "YoloV8 split": FrameCase(
            lambda: n6post.YoloV8(0.3), split_detector, lambda: split_detector(bins=1), ("threshold", 0.3, 0.8)
        ),
        "raw and end-to-end": FrameCase(lambda: n6post.YoloV8(0.3), detector, rows, ("labels", None, ["a", "b"])),
    },
)
