"""lib/n6post/families/yolo/split_head.py, split_pose.py: the library decodes split heads as Ultralytics does.

data/split.npz.xz has split heads of trained networks, and what Ultralytics' own decode, suppression and masks give for the
same numbers; scripts/dev/recording/record_ultralytics.py made it. Thousands of other heads are compared with reference.py,
which dev/test_reference.py compares with these results, too.
"""

from __future__ import annotations

import random
from typing import Any

import n6post
import numpy as np
import pytest
import recorded_split_heads
import reference
from assertions import (
    assert_rect,
    assert_well_formed,
    contents,
    mask_plane,
    says,
    shown_pixels,
    survivors,
)
from fakes import Array, FakeModel, Framed, Tensor
from synthetic_heads import random_head
from synthetic_split_heads import (
    KINDS,
    RANGES,
    SCALES,
    STRIDES,
    USUAL,
    Form,
    SplitHead,
    forms_of,
    quantized,
    random_decoded_head,
    random_split_head,
)

pytestmark = pytest.mark.proof(
    "lib/n6post/families/yolo/*.py", "lib/n6post/families/samples.py",
    "lib/n6post/tensors/*.py",
)  # fmt: skip

EXACT_MASKS: dict[str, Any] = {"mask_padding": 0, "mask_overlap": None}  # Ultralytics' rules
BOX_ERROR = 1e-4  # pixels: float32 sums over 16 bins, of boxes of up to 200 pixels
SCORE_ERROR = 3e-6  # relative: float32, and the kernels' own exponential


def processor_of(head: SplitHead, threshold: float, iou_threshold: float = 0.5, **options: Any) -> Any:
    masks = EXACT_MASKS if head.family == "YoloV8Seg" else {}
    options = {"max_detections": 300, **masks, **options}
    return getattr(n6post, head.family)(threshold, iou_threshold=iou_threshold, **options)


def rows_of(processor: Any, found: Any) -> list[tuple[Any, ...]]:
    return survivors(processor, found if isinstance(processor, n6post.YoloV8Seg) else None)


# --- what Ultralytics decodes ---
CASES = recorded_split_heads.cases()


@pytest.mark.parametrize(("threshold", "iou_threshold"), recorded_split_heads.SETTINGS)
@pytest.mark.parametrize("case", CASES)
def test_the_library_finds_what_ultralytics_finds_in_a_split_head(
    case: str, threshold: float, iou_threshold: float
) -> None:
    head = recorded_split_heads.head_of(case)
    width, height = head.size
    setting = f"{threshold} {iou_threshold}"
    anchor, box, score, class_id = (
        recorded_split_heads.result(case, setting, name) for name in ("anchor", "box", "score", "class_id")
    )
    assert len(box)
    for form in forms_of(recorded_split_heads.described(case)["shared"]):
        processor = processor_of(head, threshold, iou_threshold)
        found = head.model(form).run(processor, Framed((0, 0, *head.size)))
        rows = rows_of(processor, found)
        assert [row[0] for row in rows] == anchor.tolist(), form
        assert [row[1] for row in rows] == [d.class_id for d in found] == class_id.tolist()
        np.testing.assert_allclose([row[2] for row in rows], score, rtol=SCORE_ERROR)
        np.testing.assert_allclose([row[3:] for row in rows], box, atol=BOX_ERROR)
        for i, d in enumerate(found):
            assert_rect(d.rect, box[i], (0, 0, *head.size))
            if head.family == "YoloV8Seg":
                mask = recorded_split_heads.mask_of(case, setting, i, width // 4)
                np.testing.assert_array_equal(mask_plane(d.mask, width // 4, height // 4), mask)
            if head.family == "YoloV8Pose":
                points = recorded_split_heads.result(case, setting, "keypoints")[i]
                assert_same_keypoints(d.keypoints, points, head.size)


def assert_same_keypoints(keypoints: Any, expected: Array, size: tuple[int, int]) -> None:
    """Keypoints equal x, y in input pixels, which are clipped to the input, and score."""
    got = np.array([[float(v) for v in row] for row in keypoints])
    np.testing.assert_allclose(got[:, :2], np.clip(expected[:, :2], 0, size), rtol=1e-6, atol=1e-4)
    np.testing.assert_allclose(got[:, 2], expected[:, 2], rtol=SCORE_ERROR, atol=1e-7)


@pytest.mark.parametrize("threshold", [0.25, 0.05])
@pytest.mark.parametrize("case", [case for case in CASES if case.startswith("detect26")])
def test_without_suppression_the_result_is_that_of_a_one_to_one_head(case: str, threshold: float) -> None:
    """iou_threshold=1 keeps everything. Ultralytics leaves the order of equal scores open."""
    head = recorded_split_heads.head_of(case)
    setting = f"{threshold} one-to-one"
    box, score, class_id = (recorded_split_heads.result(case, setting, name) for name in ("box", "score", "class_id"))
    processor = processor_of(head, threshold, 1.0)
    rows = survivors(processor) if head.model().run(processor) else []
    assert len(rows) == len(score) > 10
    expected = np.column_stack([class_id, score, box])
    got = np.array([row[1:] for row in rows])
    order, other = (np.lexsort(np.round(table, 3).T[::-1]) for table in (got, expected))
    np.testing.assert_allclose(got[order], expected[other], rtol=1e-6, atol=BOX_ERROR)


def test_the_recorded_heads_are_of_every_family_and_kind() -> None:
    about = [recorded_split_heads.described(case) for case in CASES]
    assert {(one["task"], one["yolo26"]) for one in about} == {(t, y) for t in ("detect", "segment", "pose") for y in (0, 1)}
    assert {one["shared"] for one in about} == {scales.name for scales in SCALES}
    assert {one["scores"][0][1] for one in about} == {"int8", "uint8", "int16", "float16"}
    assert {one["size"][0] == one["size"][1] for one in about} == {True, False}


# --- any split head ---
def unclear_order(found: reference.Candidates) -> bool:
    """Whether rounding decides the order: scores of different logits that are nearly equal."""
    step = -np.diff(found.score)
    return bool(((step < SCORE_ERROR) & (step > 0)).any())


def expected_of(
    head: SplitHead, threshold: float, iou_threshold: float, most: int = 300, class_agnostic: bool = False, **options: Any
) -> reference.Candidates | None:
    """The reference's detections, or None if the last bits of a number decide which there are."""
    candidates = head.candidates(threshold, **options)
    if unclear_order(candidates):
        return None
    results = [
        reference.suppress(candidates, iou_threshold + e, class_agnostic=class_agnostic, max_detections=most)
        for e in (-1e-5, 0, 1e-5)
    ]
    least, shown = (reference.has_pixels(results[1].box, (0, 0, *head.size), by) for by in (-1e-3, 1e-3))
    if not np.array_equal(least, shown) or any(r.anchor.tolist() != results[1].anchor.tolist() for r in results):
        return None
    return results[1].take(np.flatnonzero(shown))


def assert_agrees(head: SplitHead, processor: Any, found: Any, expected: reference.Candidates, form: Form) -> bool:
    """The detections are the expected ones. False if rounding decides whether a mask is empty."""
    masks = []
    if head.family == "YoloV8Seg":
        masks = [head.mask(int(a), b) for a, b in zip(expected.anchor, expected.box, strict=True)]
        sizes = [
            [shown_pixels(plane, box, step=head.strides[0] // 2) for plane in (mask & ~unclear, mask | unclear)]
            for (mask, unclear), box in zip(masks, expected.box, strict=True)
        ]
        if any(bool(least) != bool(most) for least, most in sizes):
            return False
        shown = [i for i, (least, _) in enumerate(sizes) if least]
        expected, masks = expected.take(shown), [masks[i] for i in shown]
    assert_well_formed(found, (0, 0, *head.size), 300)
    rows = rows_of(processor, found)
    assert [row[0] for row in rows] == expected.anchor.tolist(), form
    assert [row[1] for row in rows] == [d.class_id for d in found] == expected.class_id.tolist()
    np.testing.assert_allclose([row[2] for row in rows], expected.score, rtol=SCORE_ERROR)
    boxes = np.reshape([row[3:] for row in rows], (-1, 4))
    np.testing.assert_allclose(boxes, expected.box, rtol=1e-6, atol=BOX_ERROR)
    for i, d in enumerate(found):
        assert_rect(d.rect, expected.box[i], (0, 0, *head.size))
        if masks:
            plane, unclear = masks[i]
            np.testing.assert_array_equal(mask_plane(d.mask, *plane.shape[::-1])[~unclear], plane[~unclear])
        if head.family == "YoloV8Pose":
            assert_same_keypoints(d.keypoints, expected.extra[i].reshape(-1, 3), head.size)
    return True


def is_ambiguous(head: SplitHead) -> bool:
    """Whether a map has as many channels as rows and columns: its order is that of the other maps."""
    return any(len(set(t.values.shape)) == 1 for t in (*head.boxes, *head.scores, *head.extras))


SIZES = [(96, 64), (64, 96), (128, 96), (160, 64), (96, 96)]
EXTRAS: dict[str, dict[str, int]] = {"YoloV8": {}, "YoloV8Seg": {"coefficients": 9}, "YoloV8Pose": {"keypoints": 5}}
MIXED = ("int8", "uint8", "int16", "float32")
SEEDS = 25


@pytest.mark.parametrize("kinds", [*[(kind,) for kind in KINDS], MIXED], ids=[*KINDS, "mixed"])
@pytest.mark.parametrize(("bins", "shared"), [(16, "own"), (16, "kinds"), (16, "strides"), (1, "own"), (1, "kinds")])
@pytest.mark.parametrize("family", EXTRAS)
def test_any_split_head_in_any_form_equals_the_reference(family: str, bins: int, shared: str, kinds: Any) -> None:
    confirmed = 0
    for seed in range(SEEDS):
        dice = np.random.default_rng([seed, bins, len(shared), len(kinds)])
        forms = [form for form in forms_of(shared) if shared != "strides" or form.parts == "joined"]
        form = forms[seed % len(forms)]._replace(order=seed)
        size = SIZES[seed % len(SIZES)]
        # Few anchors do not show whether 4 channels over all strides are distances or decoded boxes.
        few = min(size) < 64 or bins == 1 and form.parts == "concatenated"
        head = random_split_head(
            seed, size, USUAL if few else STRIDES[seed % 4], bins=bins, class_count=int(dice.choice([1, 2, 3, 5, 11, 80])),
            shared=shared, kinds=kinds, objects=int(dice.integers(1, 7)), **EXTRAS[family],
        )  # fmt: skip
        if form.planes == "some" and is_ambiguous(head):
            form = form._replace(planes="all")
        threshold, iou_threshold = dice.uniform(0.03, 0.7), dice.uniform(0.2, 0.8)
        most = 4 if family == "YoloV8Seg" else 300  # a mask takes as long as ten boxes
        expected = expected_of(head, threshold, iou_threshold, most)
        processor = processor_of(head, threshold, iou_threshold, max_detections=most)
        found = head.model(form).run(processor)
        confirmed += expected is not None and assert_agrees(head, processor, found, expected, form)
    assert confirmed > 0.8 * SEEDS


# --- the threshold ---
def single(kind: str, raw: Any, scale: float, zero_point: int, stride: int = 0, classes: int = 3) -> SplitHead:
    """A head of 96 x 64 with one anchor of interest in the map of a stride: `raw` is its stored score of class 1.

    All other scores are the dtype's least number, or -20.
    """
    head = random_split_head(1, class_count=classes, kinds=(kind,), shared="own", objects=1)
    scores = []
    for i, tensor in enumerate(head.scores):
        low = -20 if kind == "float32" else np.iinfo(kind).min
        values = np.full(tensor.values.shape, low, tensor.values.dtype)
        if i == stride:
            values[1, 1, 1] = raw
        scores.append(Tensor(values, 0.0 if kind == "float32" else scale, zero_point))
    return head._replace(scores=scores)


def passes(head: SplitHead, threshold: float, **options: Any) -> bool:
    return bool(head.model().run(processor_of(head, threshold, **options)))


@pytest.mark.parametrize("stride", [0, 1])
@pytest.mark.parametrize("kind", ["int8", "uint8", "int16"])
def test_threshold_is_compared_with_logits_in_integers(kind: str, stride: int) -> None:
    """q passes if q >= ceil(logit(threshold) / scale + zero_point), also where that is a whole number."""
    dice = np.random.default_rng(7)
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    checked = 0
    for i in range(200):
        scale = float(np.float32(dice.uniform(12, 40) / (most - least)))
        zero_point = int(dice.integers(least + (most - least) // 3, most - (most - least) // 4))
        cut = int(dice.integers(least + 1, most))
        steps = cut - zero_point - (0.0 if i % 4 == 0 else dice.uniform(0.05, 0.95))
        threshold = float(reference.sigmoid(np.array(steps * scale)))
        if not 1e-3 < threshold < 0.999:
            continue
        checked += 1
        assert passes(single(kind, cut, scale, zero_point, stride), threshold), (scale, zero_point, cut, threshold)
        assert not passes(single(kind, cut - 1, scale, zero_point, stride), threshold)
    assert checked > 80


@pytest.mark.parametrize("stride", [0, 1])
def test_float_logit_passes_if_its_probability_reaches_the_threshold(stride: int) -> None:
    """At .5 exactly: its logit is 0."""
    assert passes(single("float32", 0.0, 0, 0, stride), 0.5)
    assert not passes(single("float32", -1e-6, 0, 0, stride), 0.5)
    for threshold in (0.05, 0.25, 0.4, 0.6, 0.9):
        logit = reference.logit(threshold)
        assert passes(single("float32", logit + 4e-6, 0, 0, stride), threshold)
        assert not passes(single("float32", logit - 4e-6, 0, 0, stride), threshold)


@pytest.mark.parametrize("kind", KINDS)
def test_threshold_of_0_keeps_every_anchor_and_1_only_saturated_ones(kind: str) -> None:
    head = single(kind, 100, 0.25, 10)
    everything = processor_of(head, 0.0, 1.0, max_detections=1000, max_candidates=1000)
    found = head.model().run(everything)
    boxes = head.candidates(0.0).box
    least, most = (reference.has_pixels(boxes, (0, 0, *head.size), by).sum() for by in (-1e-3, 1e-3))
    assert least <= len(found) <= most
    assert passes(head, 1.0)  # 22.5: 1 in float32; or 100
    assert not passes(single(kind, 10 if kind == "float32" else 50, 0.25, 10), 1.0)


# --- Rockchip's heads (RKNN): a third map for each stride has the sum of the scores ---
def with_sums(
    seed: int, size: tuple[int, int], class_count: int, kind: str, bins: int = 16, **extras: int
) -> tuple[SplitHead, list[Tensor]]:
    """(head, sums): scores after the sigmoid, and clamp(scores.sum(1), 0, 1), as in Rockchip's ultralytics_yolov8."""
    head = random_split_head(seed, size, bins=bins, class_count=class_count, kinds=(kind,), shared="own", **extras)
    scores = [reference.sigmoid(t.dequantized().values.astype(np.float64)) for t in head.scores]
    sums = [np.clip(one.sum(axis=2, keepdims=True), 0, 1) for one in scores]
    if kind == "float32":
        stored = [[Tensor(one.astype(np.float32)) for one in group] for group in (scores, sums)]
    else:
        low, high = RANGES[kind]
        # Symmetric for int16, as TensorFlow Lite has it.
        scale, zero_point = (1 / 32767, 0) if kind == "int16" else (1 / 255, low)
        stored = [[quantized(one, kind, scale, zero_point) for one in group] for group in (scores, sums)]
    return head._replace(scores=stored[0], probabilities=True), stored[1]


def rknn_outputs(head: SplitHead, sums: list[Tensor], planes: bool, seed: int = 0) -> list[Tensor]:
    """The outputs in RKNN's order, all of a stride together; prototypes come last. Shuffled with a seed."""
    parts = [head.boxes, head.scores, sums] + ([head.extras] if head.extras else [])
    outputs = [t._replace(values=t.values[None]) for level in zip(*parts, strict=True) for t in level]
    outputs += [head.prototypes] if head.prototypes else []
    if planes:
        outputs = [t.reordered(0, 3, 1, 2) for t in outputs]
    random.Random(seed).shuffle(outputs) if seed else None
    return [t._replace(values=np.ascontiguousarray(t.values)) for t in outputs]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("planes", [True, False])
@pytest.mark.parametrize(("bins", "coefficients"), [(16, 0), (1, 0), (16, 9)])
def test_sums_of_scores_are_not_read(kind: str, planes: bool, bins: int, coefficients: int) -> None:
    confirmed = 0
    counts = (1, 2, 3, 4, 6, 20, 64, 80)
    for seed, class_count in enumerate(counts):
        size = SIZES[seed % 4]
        extras = {"coefficients": coefficients} if coefficients else {}
        head, sums = with_sums(seed, size, class_count, kind, bins, **extras)
        expected = expected_of(head, 0.3, 0.5, 4)
        for order in (0, seed + 1):
            for labels in (None, [str(i) for i in range(class_count)]):
                model = FakeModel(rknn_outputs(head, sums, planes, order), size, labels)
                processor = n6post.processor_for(model, threshold=0.3, max_detections=4)
                assert type(processor) is getattr(n6post, head.family)
                found = model.run(processor)
                assert n6post.diagnose(model, model.outputs()) == []
                if expected is not None:
                    confirmed += assert_agrees(head, processor, found, expected, Form())
    assert confirmed > 3 * len(counts)


def test_sums_that_are_all_zero_decide_nothing() -> None:
    head, sums = with_sums(1, (96, 64), 4, "float32")
    outputs = rknn_outputs(head, sums, True)
    full = [t.values.copy() for t in outputs]
    model, processor = FakeModel(outputs, (96, 64)), n6post.YoloV8()
    for t in outputs:
        t.values[:] = 0
    assert model.run(processor) == [] and not processor._binding.is_final
    for t, values in zip(outputs, full, strict=True):
        t.values[:] = values
    assert model.run(processor) and processor._binding.is_final


def test_a_third_map_of_other_numbers_is_refused_without_labels() -> None:
    """Three classes and a sum, or a keypoint and one class, or three classes and an angle."""
    head = random_split_head(1, class_count=1, keypoints=1, kinds=("float32",))
    model = head.model()
    with pytest.raises(ValueError, match=r"expected sums of class scores, .* n6post.YoloV8Pose\(\) for keypoints, with"):
        model.run(n6post.processor_for(model))
    labeled = head.model(labels=["thing"])
    assert type(n6post.processor_for(labeled)) is n6post.YoloV8Pose


# --- options ---
def test_class_filter_applies_after_the_best_class_is_chosen() -> None:
    for seed in range(20):
        head = random_split_head(seed, class_count=5, shared="own", kinds=MIXED, objects=6)
        for classes in ([2], [0, 3, 4]):
            expected = expected_of(head, 0.1, 0.5, classes=classes)
            processor = processor_of(head, 0.1, classes=classes)
            found = head.model().run(processor)
            assert {d.class_id for d in found} <= set(classes)
            assert expected is None or assert_agrees(head, processor, found, expected, Form())


@pytest.mark.parametrize("family", EXTRAS)
def test_class_agnostic_and_max_detections_equal_the_reference(family: str) -> None:
    for seed in range(20):
        head = random_split_head(seed, class_count=5, shared="own", objects=6, **EXTRAS[family])
        expected = expected_of(head, 0.05, 0.3, 4, True)
        processor = processor_of(head, 0.05, 0.3, max_detections=4, class_agnostic=True)
        found = head.model(Form(order=seed)).run(processor)
        assert len(found) <= 4
        assert expected is None or assert_agrees(head, processor, found, expected, Form())


@pytest.mark.parametrize("kinds", [*[(kind,) for kind in KINDS], MIXED], ids=[*KINDS, "mixed"])
@pytest.mark.parametrize("shared", [scales.name for scales in SCALES])
def test_the_best_candidates_of_all_strides_are_kept(shared: str, kinds: Any) -> None:
    """At a threshold of .0003 hundreds of anchors pass, more than max_candidates."""
    for seed in range(12):
        head = random_split_head(seed, class_count=3, shared=shared, kinds=kinds, objects=5)
        most = 1 + 9 * seed
        everything = head.candidates(0.0003)
        assert len(everything.anchor) > most
        expected = everything.take(np.arange(most))
        if unclear_order(everything.take(np.arange(most + 1))):
            continue
        shown = reference.has_pixels(expected.box, (0, 0, *head.size))
        processor = processor_of(head, 0.0003, 1.0, max_candidates=most)
        rows = survivors(processor) if head.model(next(forms_of(shared))).run(processor) else []
        assert [row[:2] for row in rows] == list(zip(expected.anchor[shown], expected.class_id[shown], strict=True))


def test_equal_scores_are_in_the_order_of_their_anchors_over_all_strides() -> None:
    """Also if more pass than max_candidates."""
    head = random_split_head(3, class_count=2, objects=2)
    equal = [t._replace(values=np.full_like(t.values, 60)) for t in head.scores]
    head = head._replace(scores=equal)
    for most in (5, 97, 122, 126, 300):
        processor = processor_of(head, 0.1, 1.0, max_candidates=most)
        head.model().run(processor)
        values, labels, _ = processor._binding.decoder.buffers
        assert [int(labels[0, i]) for i in range(min(most, 126))] == list(range(min(most, 126)))
        assert not any(int(labels[1, i]) for i in range(min(most, 126)))  # the first of equal classes


def test_empty_frame_has_no_detections_and_the_next_frame_has() -> None:
    full = random_split_head(5, coefficients=8, shared="own")
    empty = full._replace(scores=[t._replace(values=np.full_like(t.values, -128)) for t in full.scores])
    processor = processor_of(full, 0.3)
    model = full.model()
    before = contents(model.run(processor))
    model.tensors = empty.tensors()
    assert model.run(processor) == []
    model.tensors = full.tensors()
    assert before and contents(model.run(processor)) == before


@pytest.mark.parametrize("kind", ["int8", "float32"])
def test_soft_nms_of_a_split_head_equals_the_reference(kind: str) -> None:
    checked = 0
    for seed in range(40):
        head = random_split_head(seed, kinds=(kind,), shared="own", objects=5)
        threshold, sigma = 0.1 + 0.01 * seed, 0.3 + 0.02 * seed
        candidates = head.candidates(threshold)
        runs = [reference.soft_nms(candidates, sigma, threshold * (1 + e)) for e in (-4e-5, 0, 4e-5)]
        taken, scores = runs[1]
        shown = reference.has_pixels(candidates.box[taken], (0, 0, *head.size))
        if any(sorted(rows) != sorted(taken) for rows, _ in runs) or not shown.all() or not taken:
            continue
        processor = processor_of(head, threshold, nms_sigma=sigma)
        head.model().run(processor)
        rows = {row[0]: row[2] for row in survivors(processor)}
        assert set(rows) == set(candidates.anchor[taken].tolist())
        for row, score in zip(taken, scores, strict=True):
            assert rows[candidates.anchor[row]] == pytest.approx(score, rel=1e-4)
        checked += 1
    assert checked > 20


def test_labels_name_the_classes_of_a_split_head() -> None:
    head = random_split_head(2, class_count=3)
    names = ["ball", "box", "tent"]
    for model, options in ((head.model(labels=names), {}), (head.model(), {"labels": names})):
        found = model.run(processor_of(head, 0.3, **options))
        assert found and all(d.label == names[d.class_id] for d in found)
        only = model.run(processor_of(head, 0.3, classes=["box"], **options))
        assert {d.label for d in only} <= {"box"}
    with pytest.raises(ValueError, match="^expected 3 labels, one per class, got 2$"):
        head.model().run(n6post.YoloV8(labels=["ball", "box"]))


@pytest.mark.parametrize("family", EXTRAS)
def test_results_of_a_split_head_are_in_frame_pixels(family: str) -> None:
    roi = (40, 30, 480, 320)
    for seed in range(8):
        head = random_split_head(seed, shared="own", objects=3, **EXTRAS[family])
        expected = expected_of(head, 0.3, 0.5)
        if expected is None:
            continue
        processor = processor_of(head, 0.3)
        found = head.model().run(processor, Framed(roi))
        corners = reference.to_frame(expected.box.reshape(-1, 2, 2), "stretch", head.size, roi).reshape(-1, 4)
        by_anchor = dict(zip(expected.anchor.tolist(), range(len(corners)), strict=True))
        rows = rows_of(processor, found)
        assert len(rows) == len(found) >= 1
        for row, d in zip(rows, found, strict=True):
            at = by_anchor[row[0]]
            edges = np.clip(corners[at], (40, 30, 40, 30), (520, 350, 520, 350))
            x, y, w, h = d.rect
            np.testing.assert_allclose((x, y, x + w, y + h), edges, atol=0.502)
            if family == "YoloV8Pose":
                points = expected.extra[at].reshape(-1, 3)
                points[:, :2] = reference.to_frame(points[:, :2], "stretch", head.size, roi)
                got = np.array([[float(v) for v in one] for one in d.keypoints])
                np.testing.assert_allclose(got[:, :2], np.clip(points[:, :2], (40, 30), (520, 350)), atol=2e-3)


# --- the same numbers in every form ---
@pytest.mark.parametrize("family", EXTRAS)
@pytest.mark.parametrize("shared", [scales.name for scales in SCALES])
def test_every_form_of_the_same_numbers_gives_the_same_result_to_the_bit(shared: str, family: str) -> None:
    for kind in ("int8", "int16", "float32"):
        head = random_split_head(2, kinds=(kind,), shared=shared, **EXTRAS[family])
        results = [contents(head.model(form).run(processor_of(head, 0.2, max_detections=5))) for form in forms_of(shared)]
        assert results[0] and all(result == results[0] for result in results)


def test_int8_and_uint8_of_the_same_numbers_give_the_same_result() -> None:
    for family in EXTRAS:
        head = random_split_head(4, shared="own", **EXTRAS[family])
        other = head._replace(
            boxes=[t.as_uint8() for t in head.boxes],
            scores=[t.as_uint8() for t in head.scores],
            extras=[t.as_uint8() for t in head.extras],
            prototypes=head.prototypes and head.prototypes.as_uint8(),
        )
        results = [contents(one.model().run(processor_of(one, 0.2))) for one in (head, other)]
        assert results[0] and results[0] == results[1]


# --- decoded boxes beside scores ---
@pytest.mark.parametrize("kinds", [("int8",), ("uint8",), ("int16",), ("float32",), ("int8", "float32")], ids=str)
@pytest.mark.parametrize("pixels", [False, True])
@pytest.mark.parametrize("probabilities", [False, True])
@pytest.mark.parametrize("family", ["YoloV8", "YoloV8Seg"])
def test_decoded_boxes_beside_scores_equal_the_reference(
    family: str, probabilities: bool, pixels: bool, kinds: Any
) -> None:
    confirmed = 0
    for seed in range(8):
        head = random_decoded_head(
            seed, SIZES[seed % len(SIZES)], pixels=pixels, probabilities=probabilities, kinds=kinds,
            class_count=(1, 2, 3, 80)[seed % 4], **EXTRAS[family],
        )  # fmt: skip
        form = Form("concatenated", ("apart", "concatenated")[seed % 2], ("none", "all", "some")[seed % 3], seed)
        expected = expected_of(head, 0.3, 0.5)
        processor = processor_of(head, 0.3)
        found = head.model(form).run(processor)
        confirmed += expected is not None and assert_agrees(head, processor, found, expected, form)
    assert confirmed >= 5


# --- floats that are not numbers ---
@pytest.mark.parametrize("family", EXTRAS)
@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 3.4e38, -3.4e38])
def test_nan_and_infinite_numbers_give_a_well_formed_result(value: float, family: str) -> None:
    for seed in range(3):
        head = random_split_head(seed, class_count=5, kinds=("float32",), shared="own", objects=4, **EXTRAS[family])
        dice = np.random.default_rng(seed)
        model = head.model()
        for tensor in model.tensors:
            hit = dice.random(tensor.values.shape) < (0.3, 0.01, 1)[seed]
            tensor.values[hit] = value
        for threshold in (0.0, 0.3, 1.0):
            processor = processor_of(head, threshold, max_detections=8)
            with np.errstate(all="ignore"):
                found = model.run(processor)
            assert_well_formed(found, (0, 0, *head.size), 8)
            for d in found:
                assert d.keypoints is None or all(v == v for row in d.keypoints for v in row)


def test_nan_score_hides_no_other_class_of_a_split_head() -> None:
    head = single("float32", 2.0, 0, 0)
    head.scores[0].values[1, 1] = (np.nan, 2.0, np.nan)
    found = head.model().run(processor_of(head, 0.5))
    assert [d.class_id for d in found] == [1]
    head.scores[0].values[1, 1] = np.nan
    assert head.model().run(processor_of(head, 0.5)) == []


def test_nan_bins_count_as_the_least_and_do_not_move_the_other_sides() -> None:
    """Of a real network no bin is NaN. If one is, its side comes from the others."""
    head = single("float32", 4.0, 0, 0)
    clean = head.model().run(processor_of(head, 0.5))
    head.boxes[0].values[1, 1, 15] = np.nan  # the last bin of the left side
    (spoiled,) = head.model().run(processor_of(head, 0.5))
    assert clean[0].rect[1] == spoiled.rect[1] and clean[0].rect[3] == spoiled.rect[3]


def test_logits_whose_probability_is_1_in_float32_have_a_score_of_1() -> None:
    """Ultralytics orders such equal scores by anchor, the library the logits of one map by their size."""
    head = random_split_head(1, kinds=("float32",), objects=1)
    scores = [t._replace(values=np.full_like(t.values, -20)) for t in head.scores]
    scores[0].values[1, 1, 0], scores[0].values[2, 2, 0] = 30, 40
    processor = processor_of(head, 0.5, 1.0)
    assert [d.score for d in head._replace(scores=scores).model().run(processor)] == [1.0, 1.0]
    assert {row[0] for row in survivors(processor)} == {13, 26}


# --- errors ---
def zeros(shape: tuple[int, ...], kind: str = "int8", scale: float = 0.05) -> Tensor:
    return Tensor(np.zeros(shape, kind), 0.0 if kind == "float32" else scale, 0)


def maps(channels: int, kind: str = "int8") -> list[Tensor]:
    """A map of each stride for an input of 96 x 64."""
    return [zeros((1, rows, columns, channels), kind) for rows, columns in ((8, 12), (4, 6), (2, 3))]


EXPECTED = {
    "YoloV8": "expected 1 output (a head [1, 4 + classes, N] or [1, rows, 6]), or a split head (boxes [1, h, w, 64] and"
    " scores [1, h, w, classes] for each stride) of an input of (width, height) (96, 64), got",
    "YoloV8Seg": "expected 2 outputs (a head [1, 4 + classes + M, N] or [1, rows, 6 + M] and prototypes [1, H, W, M]), or a"
    " split head (boxes [1, h, w, 64], scores [1, h, w, classes] and coefficients [1, h, w, M] for each stride, and"
    " prototypes [1, H, W, M]) of an input of (width, height) (96, 64), got",
    "YoloV8Pose": "expected 1 output (a head [1, 4 + classes + 3 x keypoints, N] or [1, rows, 6 + 3 x keypoints]), or a"
    " split head (boxes [1, h, w, 64], scores [1, h, w, classes] and keypoints [1, h, w, 3 x keypoints] for each stride) of"
    " an input of (width, height) (96, 64), got",
}
PROTOTYPES = zeros((1, 16, 24, 9))
BAD_OUTPUTS = {  # (family, outputs)
    "no scores": ("YoloV8", maps(64)),
    "scores of two strides": ("YoloV8", maps(64) + maps(5)[:2]),
    "one stride": ("YoloV8", [maps(64)[0], maps(5)[0]]),
    "an output too many": ("YoloV8", [*maps(64), *maps(5), maps(5)[0]]),
    "15 bins": ("YoloV8", maps(60) + maps(5)),
    "strides of another input": ("YoloV8", [*maps(64)[1:], *maps(5)[:2]]),
    "anchors of another input": ("YoloV8", [zeros((1, 64, 128)), zeros((1, 5, 128))]),
    "a batch of two": ("YoloV8", [zeros((2, *t.values.shape[1:])) for t in maps(64) + maps(5)]),
    "a head with masks": ("YoloV8", [*maps(64), *maps(5), *maps(9), PROTOTYPES]),
    "no prototypes": ("YoloV8Seg", maps(64) + maps(5) + maps(9)),
    "no coefficients": ("YoloV8Seg", [*maps(64), *maps(5), PROTOTYPES]),
    "prototypes for other coefficients": ("YoloV8Seg", [*maps(64), *maps(5), *maps(9), zeros((1, 16, 24, 10))]),
    "7 coefficients": ("YoloV8Seg", [*maps(64), *maps(5), *maps(7), zeros((1, 16, 24, 7))]),
    "no keypoints": ("YoloV8Pose", maps(64) + maps(5)),
    "16 channels for keypoints": ("YoloV8Pose", maps(64) + maps(5) + maps(16)),
}


@pytest.mark.parametrize("what", BAD_OUTPUTS)
def test_outputs_that_are_no_split_head_are_refused_with_their_shapes(what: str) -> None:
    family, tensors = BAD_OUTPUTS[what]
    shapes = ", ".join(str(t.values.shape) for t in tensors)
    with pytest.raises(ValueError, match=says(f"{EXPECTED[family]} {len(tensors)}: {shapes}")):
        FakeModel(tensors, (96, 64)).run(getattr(n6post, family)())


@pytest.mark.parametrize("at", range(6))
def test_every_output_of_a_split_head_needs_a_dtype_and_a_scale(at: int) -> None:
    for tensor, message in (
        (zeros(maps(5)[at % 3].values.shape, "uint16"), "expected int8, uint8, int16 or float32, got uint16"),
        (zeros(maps(5)[at % 3].values.shape, scale=0), "expected a scale from 1e-12 to 10000, got 0.0"),
        (zeros(maps(5)[at % 3].values.shape, scale=float("nan")), "expected a scale from 1e-12 to 10000, got nan"),
    ):
        tensors = maps(64) + maps(5)
        tensors[at] = tensor
        with pytest.raises(ValueError, match=says(f"output {at}: {message}")):
            FakeModel(tensors, (96, 64)).run(n6post.YoloV8())


def test_split_head_of_more_than_65535_anchors_is_refused() -> None:
    grids = (256, 257), (128, 128), (64, 64)
    tensors = [zeros((1, *grid, channels)) for channels in (64, 2) for grid in grids]
    with pytest.raises(ValueError, match=says("expected at most 65535 anchors and 65535 classes, got 86272 and 2")):
        FakeModel(tensors, (2056, 2048)).run(n6post.YoloV8())


def test_processor_works_after_it_has_refused_a_split_head() -> None:
    head = random_split_head(3)
    processor = processor_of(head, 0.3)
    before = contents(head.model().run(processor))
    with pytest.raises(ValueError):
        FakeModel(maps(64), (96, 64)).run(processor)
    assert before and contents(head.model().run(processor)) == before


def test_one_processor_takes_raw_and_split_heads_in_turn() -> None:
    processor = n6post.YoloV8(0.3)
    models = [random_split_head(3).model(), random_head(9, (64, 64), 3).model(), random_split_head(4, bins=1).model()]
    alone = [contents(model.run(n6post.YoloV8(0.3))) for model in models]
    for _ in range(2):
        for model, found in zip(models, alone, strict=True):
            assert found and contents(model.run(processor)) == found


@pytest.mark.parametrize(("coefficients", "prototypes"), [("int8", "float32"), ("float32", "uint8"), ("int16", "int8")])
def test_coefficients_and_prototypes_of_different_dtypes_give_the_same_masks(coefficients: str, prototypes: str) -> None:
    """They are converted to floats: only pixels whose sum is close to 0 may differ."""
    head = random_split_head(6, coefficients=8, kinds=("int8",), shared="own", objects=3)
    assert head.prototypes
    convert = {"int8": lambda t: t, "uint8": Tensor.as_uint8, "int16": Tensor.as_int16, "float32": Tensor.dequantized}
    other = head._replace(
        extras=[convert[coefficients](t) for t in head.extras], prototypes=convert[prototypes](head.prototypes)
    )
    found, mixed = (one.model().run(processor_of(one, 0.3)) for one in (head, other))
    assert len(found) == len(mixed) >= 2
    for a, b in zip(found, mixed, strict=True):
        assert (a.rect, a.score, a.class_id) == (b.rect, b.score, b.class_id)
        differing = mask_plane(a.mask, 24, 16) != mask_plane(b.mask, 24, 16)
        assert differing.mean() < 0.01
