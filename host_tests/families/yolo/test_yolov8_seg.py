"""lib/n6post/families/yolo/yolov8_seg.py: second boxes of one object, and options. Masks: test_yolov8.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import n6post
import numpy as np
import pytest
from assertions import mask_plane, survivors
from fakes import FakeModel, Framed, Tensor, capture, replace_kernel
from family_cases import FamilyCases, FrameCase, OptionCase
from n6post.kernels.params import boxes as params
from n6post.kernels.portable import boxes as portable_boxes
from n6post_pc.demo import recorded
from small_models import segmenter, split_segmenter
from synthetic_heads import Thing, float_head, quantized
from test_yolov8 import NAN, SEGMENTATION, four_things, option_cases


# --- second boxes of one object ---
@pytest.mark.parametrize("class_agnostic", [False, True])
@pytest.mark.parametrize("overlap", [0.0, 0.3, 0.7, 0.8, 1.0])
@pytest.mark.parametrize("picture", ["astronaut", "coffee"])
def test_mask_overlap_drops_only_masks_inside_a_better_one(
    picture: str, overlap: float, class_agnostic: bool
) -> None:
    recording = recorded.load("yolov8n_seg_320", picture)
    options = {"threshold": 0.05, "iou_threshold": 0.9, "max_detections": 100, "class_agnostic": class_agnostic}
    everything = recording.model(True).run(n6post.YoloV8Seg(**options, mask_overlap=None), Framed((0, 0, 320, 320)))
    planes = [mask_plane(d.mask, 80, 80) for d in everything]
    kept: list[int] = []
    for i, d in enumerate(everything):
        rivals = [j for j in kept if class_agnostic or everything[j].class_id == d.class_id]
        # The kernel counts in 1024ths: .3 is 307 of them.
        part = int(overlap * 1024 + 0.5)
        if not any((planes[i] & planes[j]).sum() * 1024 > planes[i].sum() * part for j in rivals):
            kept.append(i)
    processor = n6post.YoloV8Seg(**options, mask_overlap=None)
    recording.model(True).run(processor, Framed((0, 0, 320, 320)))
    before = survivors(processor)
    processor.mask_overlap = overlap
    found = recording.model(True).run(processor, Framed((0, 0, 320, 320)))
    assert survivors(processor, found) == [before[i] for i in kept]
    assert [(d.rect, d.score, d.label) for d in found] == [tuple(everything[i][k] for k in (0, 1, 3)) for i in kept]
    for d, i in zip(found, kept, strict=True):
        assert np.array_equal(mask_plane(d.mask, 80, 80), planes[i])
    assert overlap > 0.9 or len(kept) < len(everything)


@pytest.mark.parametrize(("overlap", "boxes"), [(0.5, 2), (0.4996, 2), (0.4994, 1), (0.499, 1)])
def test_mask_with_an_overlap_equal_to_mask_overlap_is_kept(overlap: float, boxes: int) -> None:
    """Two boxes of eight columns of mask pixels each, four of which they share. Of 1024ths .4996 is 512, .4994 511."""
    things = [Thing(9, (0, 0, 32, 64), {0: 0.9}, [1]), Thing(5, (16, 0, 48, 64), {0: 0.8}, [1])]
    tensors = [Tensor(float_head((64, 64), 1, things, 8)), Tensor(np.ones((1, 16, 16, 8), np.float32))]
    found = FakeModel(tensors, (64, 64)).run(n6post.YoloV8Seg(mask_overlap=overlap))
    assert [d.rect for d in found] == [(0, 0, 32, 64), (16, 0, 32, 64)][:boxes]


@pytest.mark.parametrize(("shape", "steps"), [((1, 12, 16, 8), (8, 1)), ((1, 8, 12, 16), (1, 192))])
def test_mask_kernel_parameters_hold_the_steps_of_the_prototypes(shape: tuple[int, ...], steps: tuple[int, int]) -> None:
    """The machine code uses all of these steps, the portable kernel only some of them."""
    processor = n6post.YoloV8Seg()
    head = Tensor(np.zeros((1, 13, 62), np.int8), 0.1, 1)
    FakeModel([head, Tensor(np.zeros(shape, np.int8), 0.2, -3)], (64, 48)).run(processor)
    ((_, block),) = processor._binding.extras.masking[2]
    assert tuple(block[:8]) == (ord("b"), 16, 12, 8, *steps, -3, 1)
    assert tuple(block[8:10]) == (5 * 62, 62) and block[15] == 1


@pytest.mark.parametrize("raw", [True, False])
def test_masks_do_not_depend_on_prototypes_outside_their_windows(raw: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """This proves that nothing else counts, not that nothing else is read: see test_kernels_machine_code.py."""
    recording = recorded.load("yolov8n_seg_320", "astronaut")
    head, protos = recording.tensors if raw else [t.dequantized() for t in recording.tensors]
    used = np.zeros((80, 80), bool)

    def prototype_mask(protos: Any, head: Any, block: Any, out: Any) -> None:
        for at in range(params.MASK_TABLE, params.MASK_TABLE + block[params.MASK_ROWS], params.ROW):
            x, y, w, h = block[at + 11 : at + 15]
            used[y : y + h, x : x + w] = True
        kernel(protos, head, block, out)

    kernel = portable_boxes.prototype_mask
    replace_kernel(monkeypatch, "prototype_mask", prototype_mask)
    before = FakeModel([head, protos], (320, 320)).run(n6post.YoloV8Seg(0.25))
    values = protos.values.copy()
    assert used.any() and not used.all()
    values[0, ~used] = np.where(np.arange(32) % 2, 127, -128) if raw else np.nan
    poisoned = FakeModel([head, Tensor(values, protos.scale, protos.zero_point)], (320, 320))
    after = poisoned.run(n6post.YoloV8Seg(0.25))
    assert [d.rect for d in after] == [d.rect for d in before] and len(before) > 1
    for one, other in zip(before, after):
        assert np.array_equal(mask_plane(one.mask, 80, 80), mask_plane(other.mask, 80, 80))


def test_by_default_the_second_box_of_one_person_is_dropped(shared: Path) -> None:
    """Ultralytics' rules give five detections. The fifth, a person with score .65, repeats the fourth."""
    tensors, size = capture(shared / "captures" / f"{SEGMENTATION}__bus.npz")
    found, everything = [
        FakeModel(tensors, size).run(n6post.YoloV8Seg(0.25, iou_threshold=0.7, **options), Framed((0, 0, *size)))
        for options in ({}, {"mask_overlap": None})
    ]
    assert [(d.class_id, d.rect) for d in found] == [(d.class_id, d.rect) for d in everything[:4]]
    planes = [mask_plane(d.mask, 80, 80) for d in everything]
    assert [(planes[4] & plane).sum() > 0.8 * planes[4].sum() for plane in planes] == [False, False, False, True, True]


# --- for the tests of all families: see family_cases.py ---
def things_with_masks() -> FakeModel:
    planes = np.random.default_rng(2).normal(size=(1, 16, 16, 8))
    head = float_head((64, 64), 2, four_things(8), extra=8, pixels=False)
    return FakeModel([quantized(head, 0.02, 3), quantized(planes, 0.03, -5)], (64, 64))


def overlapping() -> FakeModel:
    """Two of a class whose boxes have an IoU of .18, and whose masks are the same where both are."""
    values = np.random.default_rng(1).normal(size=8)
    both = [Thing(9, (8, 8, 40, 40), {0: 0.9}, values), Thing(13, (20, 20, 60, 60), {0: 0.8}, values)]
    planes = np.random.default_rng(2).normal(size=(1, 16, 16, 8)).astype(np.float32)
    return FakeModel([Tensor(float_head((64, 64), 2, both, extra=8)), Tensor(planes)], (64, 64))


FAMILY_CASES = FamilyCases(
    options={
        **option_cases(things_with_masks, units="pixels"),
        "mask_threshold": OptionCase(0.5, 0.7, (0, 1, -0.5, NAN, None), things_with_masks),
        "mask_padding": OptionCase(None, 12, (-1, NAN, float("inf"), "2"), things_with_masks),
        "mask_overlap": OptionCase(0.8, 0.1, (-0.1, 1.1, NAN, "half"), overlapping),
        "refit_boxes": OptionCase(False, True, (1, None, "yes"), things_with_masks),
    },
    frames={
        "YoloV8Seg": FrameCase(
            lambda: n6post.YoloV8Seg(0.3), segmenter, lambda: segmenter(0.03), ("mask_padding", None, 5)
        ),
        "YoloV8Seg split": FrameCase(
            lambda: n6post.YoloV8Seg(0.3), split_segmenter, lambda: split_segmenter(2), ("mask_padding", None, 5)
        ),
    },
)
