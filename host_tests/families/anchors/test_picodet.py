"""lib/n6post/families/anchors/nanodet.py with the eight outputs of a raw PicoDet: what rapid_layout finds in real ones.

scripts/dev/recording/record_picodet.py made data/picodet.npz.xz. test_nanodet.py has what both networks share.
"""

from __future__ import annotations

import n6post
import numpy as np
import pytest
from assertions import says
from fakes import Array, FakeModel, Tensor
from family_cases import FamilyCases, FrameCase
from recorded_data import about, stored, tensor_of
from test_nanodet import DTYPES, STRIDES, corners, quantized, suppressed, turned

PAGE = 608, 800
LABELS = "text title figure figure_caption table table_caption header footer reference equation".split()
SETTINGS = [(0.4, 0.5), (0.1, 0.3)]
EXPECTED = "expected scores [1, N, classes] and boxes [1, N, 32] for each of the strides 8, 16, 32 and 64, got "


def page(dtype: str) -> list[Tensor]:
    """Scores and boxes of each stride."""
    source = "int8" if dtype in ("uint8", "int16") else dtype
    scales = about("picodet", "index")[source]
    arrays = [stored("picodet")[f"{source}/output{i}"] for i in range(8)]
    tensors = [tensor_of(one[None], *scale) for one, scale in zip(arrays, scales, strict=True)]
    return [one.as_uint8() if dtype == "uint8" else one.as_int16(2, 5) if dtype == "int16" else one for one in tensors]


def sizes_of(size: tuple[int, int]) -> list[tuple[int, int]]:
    return [(-(-size[0] // stride), -(-size[1] // stride)) for stride in STRIDES]


def as_maps(tensors: list[Tensor], size: tuple[int, int], first: bool) -> list[Tensor]:
    found = []
    for i, tensor in enumerate(tensors):
        width, height = sizes_of(size)[i // 2]
        values = tensor.values.reshape(1, height, width, -1)
        found.append(tensor._replace(values=np.ascontiguousarray(values.transpose(0, 3, 1, 2)) if first else values))
    return found


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("dtype", ["float16", "int8", "uint8", "int16"])
def test_a_page_has_the_parts_that_rapid_layout_finds(dtype: str, setting: tuple[float, float]) -> None:
    expected = stored("picodet")[f"{'float16' if dtype == 'float16' else 'int8'}/{setting}"]
    assert len(expected) == 9
    tensors = page(dtype)
    forms = [tensors, tensors[::-1], tensors[::2] + tensors[1::2], [turned(one) for one in tensors]]
    forms += [as_maps(tensors, PAGE, first) for first in (False, True)]
    for form in forms:
        model = FakeModel(form, PAGE, LABELS)
        processor = n6post.NanoDet(setting[0], iou_threshold=setting[1])
        found = model.run(processor)
        np.testing.assert_allclose([d.score for d in found], expected[:, 4], atol=1e-6)
        assert [d.class_id for d in found] == expected[:, 5].astype(int).tolist()
        assert [d.label for d in found] == [LABELS[int(at)] for at in expected[:, 5]]
        np.testing.assert_allclose([corners(d.rect) for d in found], expected[:, :4], atol=0.51)
        values, labels, _ = processor._binding.decoder.buffers
        kept = [int(at) for at in labels[2, : processor._binding.decoder.find(model.outputs())]]
        boxes = np.array([[float(values[row, at]) for row in range(4)] for at in kept])
        np.testing.assert_allclose(boxes.clip(0, [*PAGE, *PAGE]), expected[:, :4], atol=2e-3)


def decoded(outputs: list[Array], size: tuple[int, int]) -> Array:
    """(N, 6): x1, y1, x2, y2, score and class of every cell, in float64; not clipped."""
    rows = []
    for scores, bins, stride, (width, height) in zip(outputs[::2], outputs[1::2], STRIDES, sizes_of(size), strict=True):
        y, x = (np.indices((height, width)).reshape(2, -1) + 0.5) * stride
        weights = np.exp(bins.reshape(-1, 4, 8))
        left, top, right, bottom = ((weights / weights.sum(axis=2, keepdims=True)) @ np.arange(8) * stride).T
        rows.append(np.stack([x - left, y - top, x + right, y + bottom, scores.max(axis=1), scores.argmax(axis=1)], axis=1))
    return np.concatenate(rows)


def random_outputs(dtype: str, size: tuple[int, int], classes: int = 3, seed: int = 1) -> list[Tensor]:
    random = np.random.default_rng(seed)
    tensors = []
    for width, height in sizes_of(size):
        scores = random.permutation(np.linspace(0.0, 0.99, width * height * classes)).reshape(-1, classes)
        for values in (scores, random.normal(0, 3, (width * height, 32))):
            tensors.append(quantized(values, dtype))
    return tensors


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [(100, 60), (96, 64)])
def test_random_outputs_are_decoded_as_in_numpy(dtype: str, size: tuple[int, int]) -> None:
    tensors = random_outputs(dtype, size)
    real = [one.dequantized().values[0].astype(float) for one in tensors]
    rows = decoded(real, size)
    expected = suppressed(rows[rows[:, 4] >= 0.6], 0.5)
    processor = n6post.NanoDet(0.6, iou_threshold=0.5, max_candidates=5000, max_detections=500)
    model = FakeModel(tensors, size)
    model.run(processor)
    values, labels, _ = processor._binding.decoder.buffers
    kept = [int(at) for at in labels[2, : processor._binding.decoder.find(model.outputs())]]
    found = np.array([[float(values[row, at]) for row in range(5)] + [int(labels[1, at])] for at in kept])
    np.testing.assert_allclose(np.sort(found[:, 4]), np.sort(expected[:, 4]), atol=1e-6)
    # Cells of the same score have no order.
    order = [np.lexsort((one[:, 0].round(2), -one[:, 4].round(5))) for one in (found, expected)]
    np.testing.assert_allclose(found[order[0]], expected[order[1]], atol=2e-3)


def test_load_finds_the_family_with_and_without_labels() -> None:
    for labels in (None, LABELS):
        for form in (page("int8"), as_maps(page("int8"), PAGE, False)):
            model = FakeModel(form, PAGE, labels)
            assert type(n6post.processor_for(model)).__name__ == "NanoDet"
            assert len(model.run(n6post.processor_for(model, iou_threshold=0.5))) == 9


@pytest.mark.parametrize("size, classes", [((608, 736), 10), ((608, 800), 32)])
def test_outputs_of_another_input_or_of_32_classes_are_refused(size: tuple[int, int], classes: int) -> None:
    shapes = [(1, width * height, n) for width, height in sizes_of(PAGE) for n in (classes, 32)]
    model = FakeModel([Tensor(np.zeros(shape, np.float32)) for shape in shapes], size)
    message = EXPECTED + ", ".join(str(shape) for shape in shapes) + f" and an input of (width, height) {size}"
    with pytest.raises(ValueError, match=says(message)):
        model.run(n6post.NanoDet())


def test_logits_and_bins_behind_a_softmax_are_refused() -> None:
    for at, change, message in (
        (0, lambda values: values - 4, "expected class scores from 0 to 1 in the first 3 channels"),
        (1, np.abs, "expected logits of the boxes' bins"),
        (6, lambda values: values - 4, "expected class scores from 0 to 1 in the first 3 channels"),
        (7, np.abs, "expected logits of the boxes' bins"),
    ):
        tensors = random_outputs("float32", (100, 60))
        tensors[at].values[...] = change(tensors[at].values)
        with pytest.raises(ValueError, match=message):
            FakeModel(tensors, (100, 60)).run(n6post.NanoDet())


def test_a_stride_without_different_numbers_is_examined_again() -> None:
    tensors = random_outputs("float32", (100, 60))
    for at in (1, 7):
        shown = tensors[at].values.copy()
        tensors[at].values[...] = 0
        model, processor = FakeModel(tensors, (100, 60)), n6post.NanoDet()
        model.run(processor)
        tensors[at].values[...] = np.abs(shown)
        with pytest.raises(ValueError, match="expected logits of the boxes' bins"):
            model.run(processor)
        tensors[at].values[...] = shown


def small(dtype: str) -> FakeModel:
    return FakeModel(random_outputs(dtype, (64, 32)), (64, 32), ["cat", "dog", "cow"])


FAMILY_CASES = FamilyCases(
    options={},
    frames={
        "PicoDet": FrameCase(
            lambda: n6post.NanoDet(0.3, max_detections=2), lambda: small("int8"), lambda: small("float32"),
            ("max_detections", 2, 1),
        ),
    },
    examines_numbers=True,
)  # fmt: skip
