"""lib/n6post/heads.py: what shapes leave open, told by the numbers of a frame."""

from __future__ import annotations

from pathlib import Path

import n6post
import numpy as np
import pytest
import recorded
from checks import contents
from fakes import Array, FakeModel, Tensor, capture
from scenes import anchor_count

SMALL = (64, 64)  # 84 anchors; 20 with strides of 16 and 32 alone


def first_anchors(tensor: Tensor, size: tuple[int, int], channels: list[int], into: tuple[int, int]) -> Array:
    """Of a recorded head [1, C, N] these channels, and of its cells every so many: a head of a smaller input.

    Its middle cell is the one with the best score.
    """
    count = 0
    kept = []
    for stride in (8, 16, 32):
        width, height = size[0] // stride, size[1] // stride
        cells = np.arange(width * height).reshape(height, width) + count
        count += width * height
        columns = np.linspace(0, width - 1, into[0] // stride).round().astype(int)
        lines = np.linspace(0, height - 1, into[1] // stride).round().astype(int)
        kept.append(cells[np.ix_(lines, columns)].ravel())
    anchors = np.concatenate(kept)
    anchors[len(anchors) // 2] = tensor.values[0, 4:84].max(axis=0).argmax()
    return np.ascontiguousarray(tensor.values[:, channels][:, :, anchors])


def real_heads() -> list[tuple[str, str]]:
    return [one for one in recorded.names() if one[0] == "yolov8n_seg_320"]


@pytest.mark.parametrize(("model", "picture"), real_heads())
@pytest.mark.parametrize("kind", ["int8", "float", "pixels"])
def test_as_many_channels_as_anchors_are_told_by_where_the_boxes_centres_are(model: str, picture: str, kind: str) -> None:
    """COCO's 80 classes on 64 x 64: [1, 84, 84]."""
    recording = recorded.load(model, picture)
    tensor = recording.tensors[0]
    head = tensor._replace(values=first_anchors(tensor, recording.size, list(range(84)), SMALL))
    if kind != "int8":
        head = head.dequantised()
    if kind == "pixels":
        head.values[:, :4] *= 64
    results = []
    for one in (head, head.reordered(0, 2, 1)):
        assert one.values.shape == (1, 84, 84)
        processor = n6post.YoloV8(0.1)
        results.append(contents(FakeModel([one], SMALL).run(processor)))
        assert processor._setup.channels_first == (one is head) and processor._setup.settled
    assert results[0] == results[1]


def test_the_network_that_a_label_says_is_found_in_both_orders() -> None:
    tensor = recorded.load("yolov8n_seg_320", "astronaut").tensors[0]
    head = tensor._replace(values=first_anchors(tensor, (320, 320), list(range(84)), SMALL))
    for one in (head, head.reordered(0, 2, 1)):
        found = FakeModel([one], SMALL).run(n6post.YoloV8(0.3))
        assert "person" in [d.label for d in found]


def test_twenty_channels_that_could_be_the_anchors_of_larger_strides_are_told_by_the_numbers(shared: Path) -> None:
    tensors, size = capture(shared / "captures" / "yolov8n_320_quant_pc_ii_seg_coco-st__bus.npz")
    head = next(t for t in tensors if t.values.ndim == 3)
    few = head._replace(values=first_anchors(head, size, list(range(20)), SMALL))  # 16 classes
    for one in (few, few.reordered(0, 2, 1)):
        processor = n6post.YoloV8(0.1)
        FakeModel([one], SMALL).run(processor)
        assert (processor._setup.channels, processor._setup.anchors) == (20, 84)
    tiny = head._replace(values=np.ascontiguousarray(first_anchors(head, size, list(range(84)), SMALL)[..., 64:]))
    for one in (tiny, tiny.reordered(0, 2, 1)):
        processor = n6post.YoloV8(0.1)
        FakeModel([one], SMALL).run(processor)
        assert (processor._setup.channels, processor._setup.anchors) == (84, 20)


def test_a_square_head_of_zeros_decides_nothing_for_ever() -> None:
    tensor = recorded.load("yolov8n_seg_320", "astronaut").tensors[0]
    head = tensor._replace(values=first_anchors(tensor, (320, 320), list(range(84)), SMALL)).dequantised()
    head = head.reordered(0, 2, 1)
    full = head.values.copy()
    head.values[:] = 0
    model = FakeModel([head], SMALL)
    processor = n6post.YoloV8(0.3)
    assert model.run(processor) == []
    head.values[:] = full
    assert "person" in [d.label for d in model.run(processor)]


# --- prototypes ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("picture", ["astronaut", "coffee"])
@pytest.mark.parametrize("is_float", [False, True])
def test_prototypes_of_three_equal_sides_are_told_by_what_resembles_its_neighbour(picture: str, is_float: bool) -> None:
    """[1, 32, 32, 32] of a 128 x 128 input."""
    recording = recorded.load("yolov8n_seg_320", picture)
    head, protos = recording.tensors
    size = (128, 128)
    head = head._replace(values=first_anchors(head, recording.size, list(range(116)), size))
    protos = protos._replace(values=np.ascontiguousarray(protos.values[:, 20:52, 20:52]))
    if is_float:
        head, protos = head.dequantised(), protos.dequantised()
    assert protos.values.shape == (1, 32, 32, 32) and head.values.shape[2] == anchor_count(size)
    results = [
        contents(FakeModel([head, one], size).run(n6post.YoloV8Seg(0.2))) for one in (protos, protos.reordered(0, 3, 1, 2))
    ]
    assert results[0] == results[1] != []


@pytest.mark.parametrize("shape", [(1, 1, 1, 32), (1, 32, 1, 1)])
@pytest.mark.parametrize("head", [(1, 116, 2100), (1, 116, 2100, 1), (1, 300, 38)])
@pytest.mark.parametrize("swapped", [False, True])
def test_prototypes_of_one_pixel_are_what_the_error_is_about(
    shape: tuple[int, ...], head: tuple[int, ...], swapped: bool
) -> None:
    tensors = [Tensor(np.zeros(head, np.float32)), Tensor(np.zeros(shape, np.float32))]
    model = FakeModel(tensors[::-1] if swapped else tensors, (320, 320))
    with pytest.raises(ValueError, match=r"expected prototypes .*more than one pixel.*, got \(1, \d+, 1, \d+\)$"):
        model.run(n6post.YoloV8Seg())


# --- refusals --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("shape", "hint"),
    [
        ((1, 300, 7), r"got \(1, 300, 7\): 300 rows, but of another family"),
        ((1, 6300, 7), "YOLOv5"),
        ((1, 84, 1000), r"got \(1, 84, 1000\)$"),
        ((1, 84, 2101), "2100 or 8500 or 2125 or 500 anchors"),
        ((1, 320, 320), r"\(320, 320\), or an end-to-end head \[1, rows, 6 .*, got \(1, 320, 320\)$"),
        ((1, 80, 80, 32), r"got \(1, 80, 80, 32\)$"),
    ],
)
def test_a_head_of_no_kind_is_refused_with_what_was_expected_and_a_hint(shape: tuple[int, ...], hint: str) -> None:
    with pytest.raises(ValueError, match="expected a head .*" + hint):
        FakeModel([Tensor(np.ones(shape, np.float32))], (320, 320)).run(n6post.YoloV8())
