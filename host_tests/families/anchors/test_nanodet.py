"""lib/n6post/families/anchors/nanodet.py: NanoDet finds what the code of NanoDet-Plus' authors finds in real outputs.

data/nanodet.npz.xz has the outputs and what `get_bboxes` and `post_process` of their NanoDetPlusHead make of them
(scripts/dev/recording/record_nanodet.py). `decoded` and `suppressed` are that code once more, in numpy and float64, for
random numbers of every dtype and order; a test compares them with the authors' results.
"""

from __future__ import annotations

from typing import Any

import image
import n6post
import numpy as np
import pytest
from assertions import assert_rect, assert_well_formed, says
from fakes import Array, FakeModel, Framed, Tensor
from family_cases import FamilyCases, FrameCase, OptionCase
from recorded_data import about, stored, tensor_of

NAN = float("nan")
STRIDES = 8, 16, 32, 64
DTYPES = "float32", "int8", "uint8", "int16"
PHOTOGRAPHS = "astronaut", "cat", "motorcycle", "coffee"
CASES = *PHOTOGRAPHS, "random"
FRAME = 640, 480  # of the recorded `post_process`


def recorded(case: str, columns: bool = False, floats: bool = False, labels: list[str] | None = None) -> FakeModel:
    """A recorded output [1, N, C], or [1, C, N] in columns, as it was stored or as float32."""
    described = about("nanodet", "index")[case]
    width, height = described["size"]
    tensor = tensor_of(stored("nanodet")[case][None], described["scale"], described["zero_point"])
    if floats:
        tensor = Tensor(real(tensor).astype(np.float32)[None])
    return FakeModel([turned(tensor) if columns else tensor], (width, height), labels)


def turned(tensor: Tensor) -> Tensor:
    return tensor._replace(values=np.ascontiguousarray(tensor.values.transpose(0, 2, 1)))


def real(tensor: Tensor) -> Array:
    """The numbers [N, C] of rows in float64."""
    values = tensor.values[0].astype(np.float64)
    return values if tensor.values.dtype == np.float32 else (values - tensor.zero_point) * tensor.scale


def survivors(processor: Any, model: FakeModel) -> Array:
    """(n, 6): x1, y1, x2, y2 in input pixels, score, class of the detections, also of those without a pixel in the frame."""
    model.run(processor)
    binding = processor._binding
    values, labels, _ = binding.decoder.buffers
    kept = [int(at) for at in labels[2, : binding.decoder.find(model.outputs())]]
    rows = [
        [*[float(values[row, at]) for row in range(4)], float(values[4, at]), int(labels[1, at])]
        for at in kept
    ]
    return np.array(rows).reshape(-1, 6)


# --- the authors' formula in numpy ---
def cells_of(size: tuple[int, int]) -> int:
    return sum(-(-size[0] // stride) * -(-size[1] // stride) for stride in STRIDES)


def decoded(rows: Array, size: tuple[int, int]) -> Array:
    """(N, 6): x1, y1, x2, y2, score and best class of every cell, as get_bboxes computes them, in float64."""
    priors = []
    for stride in STRIDES:
        columns, lines = -(-size[0] // stride), -(-size[1] // stride)
        y, x = np.meshgrid(np.arange(lines) * stride, np.arange(columns) * stride, indexing="ij")
        priors.append(np.stack([x.ravel(), y.ravel(), np.full(x.size, stride)], axis=1))
    x, y, stride = np.concatenate(priors).T
    bins = rows[:, -32:].reshape(-1, 4, 8)
    weights = np.exp(bins - bins.max(axis=2, keepdims=True))
    left, top, right, bottom = ((weights / weights.sum(axis=2, keepdims=True)) @ np.arange(8) * stride[:, None]).T
    corners = np.stack([x - left, y - top, x + right, y + bottom], axis=1).clip(0, [*size, *size])
    scores = rows[:, :-32]
    return np.concatenate([corners, scores.max(axis=1)[:, None], scores.argmax(axis=1)[:, None]], axis=1)


def suppressed(rows: Array, iou_threshold: float) -> Array:
    """The rows that remain, best first, of equal ones the first cell: each class by itself."""
    rows = rows[np.argsort(-rows[:, 4].astype(np.float32), kind="stable")]
    kept: list[int] = []
    for at, box in enumerate(rows[:, :4]):
        others = rows[[k for k in kept if rows[k, 5] == rows[at, 5]], :4]
        both = np.prod(np.maximum(np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2]), 0), axis=1)
        either = np.prod(box[2:] - box[:2]) + np.prod(others[:, 2:] - others[:, :2], axis=1) - both
        with np.errstate(invalid="ignore"):
            if not (both / either > iou_threshold).any():
                kept.append(at)
    return rows[kept]


# --- recorded outputs ---
ALL: dict[str, Any] = {"max_detections": 100, "max_candidates": 65535}


@pytest.mark.parametrize("floats", [False, True], ids=["stored", "floats"])
@pytest.mark.parametrize("columns", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize("case", CASES)
def test_boxes_are_those_of_the_authors_code(case: str, columns: bool, floats: bool) -> None:
    found = survivors(n6post.NanoDet(0.05, **ALL), recorded(case, columns, floats))
    expected = stored("nanodet")[f"{case}/best"]
    assert len(found) == len(expected) >= 9
    # An integer output of the recording has the same numbers, so nothing is lost but float32's last bits.
    np.testing.assert_allclose(found[:, :4], expected[:, :4], atol=1e-3)
    np.testing.assert_allclose(found[:, 4], expected[:, 4], atol=1e-6)
    np.testing.assert_array_equal(found[:, 5], expected[:, 5])


@pytest.mark.parametrize("case", PHOTOGRAPHS)
def test_defaults_find_what_the_authors_code_finds(case: str) -> None:
    """Also with a box for each class of a cell, which is what the authors' code does."""
    expected = stored("nanodet")[f"{case}/all"]
    expected = expected[expected[:, 4] >= 0.4]
    found = survivors(n6post.NanoDet(), recorded(case))
    assert len(found) == len(expected) >= 1
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_a_cell_gives_one_box_for_its_best_class() -> None:
    assert len(stored("nanodet")["random/all"]) > len(stored("nanodet")["random/best"]) == 78
    found = survivors(n6post.NanoDet(0.05, **ALL), recorded("random"))
    assert len(found) == 78


@pytest.mark.parametrize("case", CASES)
def test_numpy_gives_the_boxes_of_the_authors_code(case: str) -> None:
    model = recorded(case)
    rows = decoded(real(model.tensors[0]), model.size)
    np.testing.assert_allclose(suppressed(rows[rows[:, 4] > 0.05], 0.6), stored("nanodet")[f"{case}/best"], atol=1e-4)


@pytest.mark.parametrize("case", ["astronaut", "cat", "motorcycle"])
def test_letterboxed_frame_has_the_boxes_of_the_authors_code(case: str) -> None:
    model = recorded(case)
    source = n6post.Letterbox(image.Image(*FRAME, image.GRAYSCALE))
    found = model.run(n6post.NanoDet(0.05, **ALL), source)
    expected = stored("nanodet")[f"{case}/frame"]
    assert_well_formed(found, (0, 0, *FRAME), 100)
    shown = [row for row in expected if (np.floor(row[2:4] + 0.5) > np.floor(row[:2] + 0.5)).all()]
    assert len(found) == len(shown) >= 5
    for detection in found:  # boxes of one score come in another order
        same = [row for row in shown if abs(row[4] - detection.score) < 1e-6 and row[5] == detection.class_id]
        best = min(same, key=lambda row: np.abs(row[:4] - corners(detection.rect)).sum())
        assert_rect(detection.rect, best[:4], (0, 0, *FRAME))


def corners(rect: tuple[int, int, int, int]) -> Array:
    x, y, w, h = rect
    return np.array([x, y, x + w, y + h])


def test_rectangles_are_in_frame_pixels() -> None:
    found = recorded("cat").run(n6post.NanoDet(), Framed((10, 20, 640, 480)))
    (row,) = survivors(n6post.NanoDet(), recorded("cat"))
    (detection,) = found
    assert_rect(detection.rect, row[:4] * [2, 1.5, 2, 1.5] + [10, 20, 10, 20], (10, 20, 640, 480))


# --- random outputs ---
def quantized(rows: Array, dtype: str) -> Tensor:
    """[1, N, C] with one scale for scores and logits, as a converter quantizes the only output."""
    if dtype == "float32":
        return Tensor(rows.astype(np.float32)[None])
    info = np.iinfo(dtype)
    low, high = float(rows.min()), float(rows.max())
    scale = float(np.float32((high - low) / (info.max - info.min)))
    zero_point = round(info.min - low / scale)
    return Tensor(np.clip(np.round(rows / scale) + zero_point, info.min, info.max).astype(dtype)[None], scale, zero_point)


def random_output(dtype: str, size: tuple[int, int], classes: int = 3, seed: int = 3) -> Tensor:
    random = np.random.default_rng(seed)
    scores = random.beta(0.3, 3, (cells_of(size), classes))
    return quantized(np.concatenate([scores, random.normal(-1, 3, (cells_of(size), 32))], axis=1), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [(416, 416), (320, 320), (352, 352), (100, 60), (8, 8), (640, 72)])
def test_random_outputs_are_decoded_as_in_numpy(dtype: str, size: tuple[int, int]) -> None:
    for classes in (1, 3):
        tensor = random_output(dtype, size, classes)
        rows = decoded(real(tensor), size)
        threshold = max(float(np.sort(rows[:, 4])[-min(200, len(rows))]) - 1e-6, 0.0)
        expected = suppressed(rows[rows[:, 4] >= threshold], 0.6)
        for columns in (False, True):
            model = FakeModel([turned(tensor) if columns else tensor], size)
            options: dict[str, Any] = {"max_detections": 65535, "max_candidates": 65535}
            found = survivors(n6post.NanoDet(threshold, **options), model)
            assert len(found) == len(expected) >= (4 if size > (8, 8) else 1)
            np.testing.assert_allclose(found, expected, atol=1e-3)


def test_threshold_of_an_integer_output_is_exact() -> None:
    tensor = random_output("int16", (100, 60))
    scores = decoded(real(tensor), (100, 60))[:, 4]
    for score in np.sort(scores)[[-1, -4, -30]]:
        for threshold in (score - 1e-5, score, score + 1e-5):
            processor = n6post.NanoDet(float(threshold), iou_threshold=1.0, **ALL)
            count = int((scores >= threshold - 1e-7).sum())
            assert len(survivors(processor, FakeModel([tensor], (100, 60)))) == count


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("number", [NAN, float("inf"), -float("inf"), 1e30])
def test_overflow_in_the_bins_is_no_alarm(number: float, columns: bool) -> None:
    tensor = random_output("float32", (100, 60))
    for first, last in ((-32, -24), (-16, None), (-9, -8)):
        tensor.values[0, :40, first:last] = number
    with np.errstate(all="ignore"):
        model = FakeModel([turned(tensor) if columns else tensor], (100, 60))
        assert_well_formed(model.run(n6post.NanoDet(0.0, **ALL)), (0, 0, 100, 60), 100)


def test_nan_never_passes_the_threshold() -> None:
    tensor = random_output("float32", (100, 60))
    tensor.values[0, :, :3] = NAN
    assert FakeModel([tensor], (100, 60)).run(n6post.NanoDet(0.0)) == []


@pytest.mark.parametrize("dtype", DTYPES)
def test_nothing_above_the_threshold_is_an_empty_list(dtype: str) -> None:
    tensor = random_output(dtype, (100, 60))
    assert FakeModel([tensor], (100, 60)).run(n6post.NanoDet(1.0, classes=[1])) == []
    constant = tensor._replace(values=np.full_like(tensor.values, tensor.zero_point))
    assert FakeModel([constant], (100, 60)).run(n6post.NanoDet()) == []


# --- labels and classes ---
def test_labels_are_those_of_the_option_or_of_the_model() -> None:
    names = ["a", "b", "c", "d", "e"]
    model = recorded("cat", labels=names)
    assert [d.label for d in model.run(n6post.NanoDet())] == ["b"]
    assert [d.label for d in model.run(n6post.NanoDet(labels=["v", "w", "x", "y", "z"]))] == ["w"]
    assert [d.label for d in recorded("cat").run(n6post.NanoDet())] == ["1"]
    with pytest.raises(ValueError, match="expected 5 labels"):
        recorded("cat").run(n6post.NanoDet(labels=["cat"]))
    coco = FakeModel([random_output("float32", (100, 60), 80)], (100, 60)).run(n6post.NanoDet(0.9))
    assert {"baseball glove", "bench"} < {d.label for d in coco}


def test_classes_are_chosen_by_number_and_by_name() -> None:
    names = ["a", "b", "c", "d", "e"]
    every = recorded("coffee", labels=names).run(n6post.NanoDet(0.1, **ALL))
    for classes in ([1], ["b"], [1, "e"]):
        numbers = [one if isinstance(one, int) else names.index(one) for one in classes]
        found = recorded("coffee", labels=names).run(n6post.NanoDet(0.1, classes=classes, **ALL))
        assert found == [d for d in every if d.class_id in numbers] and len(found) > 1
    with pytest.raises(ValueError, match="classes: expected numbers below 5, got 5"):
        recorded("coffee").run(n6post.NanoDet(classes=[5]))


# --- which family ---
@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("size", [(416, 416), (320, 320), (352, 352), (320, 240)])
def test_load_finds_the_family_with_and_without_labels(size: tuple[int, int], columns: bool) -> None:
    for classes, labels in ((80, 0), (80, 80), (3, 3), (1, 1)):
        tensor = random_output("float32", size, classes)
        model = FakeModel([turned(tensor) if columns else tensor], size, [str(k) for k in range(labels)] or None)
        processor = n6post.processor_for(model)
        assert type(processor) is n6post.NanoDet
        assert model.run(processor)


def test_load_finds_the_family_by_a_grid_that_is_rounded_up() -> None:
    for case in ("astronaut", "motorcycle", "coffee", "random"):
        for columns in (False, True):
            assert type(n6post.processor_for(recorded(case, columns))) is n6post.NanoDet
    with pytest.raises(ValueError, match="the model's labels: expected 5, one per class, got 3"):
        n6post.processor_for(recorded("motorcycle", labels=["a", "b", "c"]))


@pytest.mark.parametrize("columns", [False, True])
def test_grid_of_whole_cells_without_labels_may_be_a_yolov8(columns: bool) -> None:
    """A YOLOv8 with P6 has as many anchors; the numbers of the first frame show it."""
    tensor = random_output("float32", (320, 320), 5)
    model = FakeModel([turned(tensor) if columns else tensor], (320, 320))
    processor = n6post.processor_for(model)
    assert type(processor) is n6post.YoloV8
    with pytest.raises(ValueError, match=r"got numbers in output 0: .* as of NanoDet \(use n6post.NanoDet\(\) for a Plus\)"):
        model.run(processor)
    assert model.run(n6post.NanoDet())
    model = FakeModel([random_output("float32", (320, 320), 3)], (320, 320))  # or ten keypoints
    with pytest.raises(ValueError, match="fits .*YoloV8 .*YoloV8Pose .*NanoDet "):
        n6post.processor_for(model)


@pytest.mark.parametrize("size", [(320, 320), (300, 300)])
def test_first_nanodet_is_refused_by_its_name(size: tuple[int, int]) -> None:
    cells = cells_of(size) - -(-size[0] // 64) * -(-size[1] // 64)
    tensor = Tensor(np.zeros((1, cells, 112), np.float32))
    for labels in (None, [str(k) for k in range(80)]):
        with pytest.raises(ValueError, match=r"decodes the first NanoDet, which is no Plus .*use NanoDet-Plus"):
            n6post.processor_for(FakeModel([tensor], size, labels))
    with pytest.raises(ValueError, match=rf"of N = {cells_of(size)} cells, that belongs to an input .*\(1, {cells}, 112\)"):
        FakeModel([tensor], size).run(n6post.NanoDet())


# --- bad input ---
def test_outputs_of_other_shapes_are_refused() -> None:
    wanted = r"^expected \[1, N, classes \+ 32\] or \[1, classes \+ 32, N\]"
    for shape in ((1, 142, 32), (1, 142, 4), (1, 141, 35), (1, 35, 141), (142,), (1, 142, 35, 2), (1, 13, 8, 35)):
        with pytest.raises(ValueError, match=wanted + r" of N = 142 cells.*\(100, 60\), got output 0: float32 \(1"):
            FakeModel([Tensor(np.zeros(shape, np.float32))], (100, 60)).run(n6post.NanoDet())
    tensor = random_output("float32", (100, 60))
    with pytest.raises(ValueError, match=r"expected 1 output \(\[1, N, classes \+ 32\] or .*got 2"):
        FakeModel([tensor, tensor], (100, 60)).run(n6post.NanoDet())
    with pytest.raises(ValueError, match=r"of N = 70 cells, that belongs to an input of \(width, height\) \(50, 50\)"):
        FakeModel([tensor], (50, 50)).run(n6post.NanoDet())


@pytest.mark.parametrize("dtype", DTYPES)
def test_class_logits_are_refused_in_the_first_frame(dtype: str) -> None:
    rows = real(random_output("float32", (100, 60)))
    rows[:, :3] = np.random.default_rng(1).normal(-4, 1.5, (142, 3))
    for tensor in (quantized(rows, dtype), turned(quantized(rows, dtype))):
        with pytest.raises(ValueError, match="^expected class scores from 0 to 1 in the first 3 channels, got -.*sigmoid"):
            FakeModel([tensor], (100, 60)).run(n6post.NanoDet())


@pytest.mark.parametrize("dtype", DTYPES)
def test_bins_behind_a_softmax_are_refused(dtype: str) -> None:
    rows = real(random_output("float32", (100, 60)))
    rows[:, 3:] = np.abs(rows[:, 3:]) / 20
    with pytest.raises(ValueError, match="^expected logits of the boxes' bins in the last 32 channels, got numbers from 0"):
        FakeModel([quantized(rows, dtype)], (100, 60)).run(n6post.NanoDet())


def test_score_far_above_1_is_refused_in_any_frame() -> None:
    tensor = random_output("float32", (100, 60))
    model = FakeModel([tensor], (100, 60))
    processor = n6post.NanoDet()
    assert model.run(processor)
    tensor.values[0, 20, 1] = 2.2
    with pytest.raises(ValueError, match=r"^expected scores from 0 to 1, got 2\.2 in output 0: float32"):
        model.run(processor)


def test_constant_frame_is_examined_again() -> None:
    tensor = random_output("float32", (100, 60))
    values = np.zeros_like(tensor.values)
    model = FakeModel([Tensor(values)], (100, 60))
    processor = n6post.NanoDet()
    assert model.run(processor) == []
    values[...] = tensor.values
    values[..., :3] -= 4
    with pytest.raises(ValueError, match="expected class scores from 0 to 1"):
        model.run(processor)


def test_unknown_option_is_named() -> None:
    with pytest.raises(TypeError, match="NanoDet"):
        n6post.NanoDet(anchors=[1, 2])  # type: ignore[call-arg]
    with pytest.raises(ValueError, match=says("threshold: expected a number from 0.0 to 1.0, got 2")):
        n6post.NanoDet(2)


# --- what the tests of all families need ---
def small(dtype: str = "int8") -> FakeModel:
    return FakeModel([random_output(dtype, (32, 32))], (32, 32), ["cat", "dog", "cow"])


def crowd() -> FakeModel:
    return FakeModel([random_output("float32", (100, 60), 2)], (100, 60), ["cat", "dog"])


LIMITS: tuple[Any, ...] = (-0.1, 1.1, NAN, None)
FAMILY_CASES = FamilyCases(
    options={
        "threshold": OptionCase(0.4, 0.85, (*LIMITS, "0.5"), crowd),
        "iou_threshold": OptionCase(0.6, 0.05, LIMITS, crowd),
        "max_detections": OptionCase(20, 1, (0, -1, 65536, 1.5, None), crowd),
        "classes": OptionCase(None, ["dog"], ("dog", [-1], [], [1.5], 0), crowd),
        "class_agnostic": OptionCase(False, True, (1, None, "no"), crowd, {"iou_threshold": 0.05}),
        "max_candidates": OptionCase(100, 1, (0, -1, 65536, 1.5, None), crowd),
        "labels": OptionCase(None, ["a", "b"], ("abc", [], [1]), crowd),
    },
    frames={
        "NanoDet": FrameCase(
            lambda: n6post.NanoDet(0.3, max_detections=2), small, lambda: small("uint8"), ("max_detections", 2, 1)
        ),
        "NanoDet columns": FrameCase(
            lambda: n6post.NanoDet(0.3, classes=["dog"]),
            lambda: FakeModel([turned(random_output("int16", (32, 32)))], (32, 32), ["cat", "dog", "cow"]),
            small,
            ("iou_threshold", 0.6, 0.9),
        ),
    },
    examines_numbers=True,
)
