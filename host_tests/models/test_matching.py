"""lib/n6post/models/matching.py: the processor for a model, found from its shapes, dtypes and labels."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import n6post
import numpy as np
import pytest
from assertions import refuses
from fakes import FakeModel, Tensor, capture, stretched
from n6post.models import matching
from synthetic_heads import Thing, anchor_count, float_head, quantized

N192, N320 = anchor_count((192, 192)), anchor_count((320, 320))
KEYPOINT_LABELS = ["head", "left shoulder", "right shoulder"] + [f"keypoint {i}" for i in range(10)]


def described(
    size: tuple[int, int], *shapes: tuple[int, ...], dtype: str = "b", labels: list[str] | None = None
) -> Any:
    """A model that has only attributes and cannot run."""
    return SimpleNamespace(
        input_shape=((1, size[1], size[0], 3),),
        output_shape=shapes,
        output_dtype=(dtype,) * len(shapes),
        output_scale=(0.01,) * len(shapes),
        output_zero_point=(0,) * len(shapes),
        labels=labels,
    )


def names(count: int) -> list[str]:
    return [f"class {i}" for i in range(count)]


# family, input (width, height), output shapes, labels
CERTAIN = [
    ("YoloV8", (192, 192), [(1, 5, N192)], None),  # one class leaves no channels for a keypoint
    ("YoloV8", (192, 192), [(1, N192, 5)], None),
    ("YoloV8", (192, 192), [(1, 8, N192)], None),  # four classes
    ("YoloV8", (320, 320), [(1, 84, N320)], None),  # COCO
    ("YoloV8", (320, 320), [(1, 24, N320)], None),  # Pascal VOC
    ("YoloV8", (320, 320), [(1, 56, N320)], names(52)),
    ("YoloV8", (320, 320), [(1, 17, N320)], names(13)),
    ("YoloV8", (320, 320), [(1, 84, N320, 1)], None),
    ("YoloV8", (320, 256), [(1, 84, anchor_count((320, 256)))], None),
    ("YoloV8", (320, 320), [(1, 84, 80 * 80 + N320)], None),  # with P2
    ("YoloV8", (640, 640), [(1, 84, 8400 + 100)], None),  # with P6
    ("YoloV8", (320, 320), [(1, 84, N320)], [*names(80), "", " "]),  # a text file's last lines
    ("YoloV8Seg", (320, 320), [(1, 116, N320), (1, 80, 80, 32)], None),
    ("YoloV8Seg", (320, 320), [(1, 80, 80, 32), (1, N320, 116)], None),
    ("YoloV8Seg", (320, 320), [(1, 37, N320), (1, 32, 80, 80)], ["part"]),
    ("YoloV8Seg", (64, 64), [(1, 13, 84), (1, 16, 16, 8)], None),  # the fewest coefficients and the most
    ("YoloV8Seg", (64, 64), [(1, 69, 84), (1, 64, 16, 16)], None),
    ("YoloV8Seg", (320, 192), [(1, 37, anchor_count((320, 192))), (1, 48, 80, 32)], None),
    ("YoloV8Pose", (256, 256), [(1, 56, 1344)], None),  # COCO's 17 keypoints
    ("YoloV8Pose", (256, 256), [(1, 1344, 56)], ["person"]),
    ("YoloV8Pose", (256, 256), [(1, 20, 1344)], ["face"]),  # five landmarks
    ("YoloV8Pose", (256, 256), [(1, 57, 1344)], ["sitting", "standing"]),
    ("YoloV8Pose", (256, 256), [(1, 56, 1344)], names(17)),  # one for each keypoint
    ("YoloV8Pose", (256, 256), [(1, 20, 1344)], names(5)),
    ("YoloV8", (320, 320), [(1, 300, 6)], None),  # end-to-end: the number of classes is unknown
    ("YoloV8", (320, 320), [(1, 300, 6)], names(80)),
    ("YoloV8", (320, 320), [(1, 6, 20)], None),
    ("YoloV8", (320, 320), [(1, 1, 6)], None),
    ("YoloV8", (96, 96), [(1, 189, 6)], None),  # or two classes
    ("YoloV8", (96, 96), [(1, 189, 6)], names(80)),
    ("YoloV8", (96, 96), [(1, 189, 84)], None),  # COCO, or rows with 26 keypoints
    ("YoloV8", (320, 320), [(1, 6, 6)], None),  # no map is 6 pixels wide
    ("YoloV8Seg", (320, 320), [(1, 300, 38), (1, 80, 80, 32)], None),
    ("YoloV8Seg", (96, 96), [(1, 32, 24, 24), (1, 189, 38)], names(80)),
    ("YoloV8Pose", (320, 320), [(1, 300, 57)], None),
    ("YoloV8Pose", (320, 320), [(1, 300, 57)], names(17)),
    ("YoloV8Pose", (320, 320), [(1, 57, 300)], None),
    ("YoloV8Pose", (96, 96), [(1, 189, 57)], ["person"]),
    ("YoloV8Pose", (320, 320), [(1, 300, 21)], ["face"]),
    ("YoloV8", (96, 96), [(1, 189, 57)], names(53)),
    ("YoloV8", (64, 64), [(1, 84, 20)], names(16)),  # [1, N, C], where C counts the cells of other strides
    ("MoveNet", (192, 192), [(1, 48, 48, 13)], None),
    ("MoveNet", (192, 192), [(1, 48, 48, 17)], ["person"]),
    ("MoveNet", (192, 192), [(1, 17, 48, 48)], None),
    ("MoveNet", (256, 192), [(1, 48, 64, 17)], None),
    ("MoveNet", (192, 192), [(1, 48, 48, 13)], KEYPOINT_LABELS),
    ("MoveNet", (192, 192), [(1, 24, 24, 17)], ["person"]),
    ("MoveNet", (192, 192), [(1, 1, 17, 3)], None),
    ("DeepLab", (320, 320), [(1, 320, 320, 2)], None),
    ("DeepLab", (320, 320), [(1, 2, 320, 320)], None),
    ("DeepLab", (512, 512), [(1, 512, 512, 5)], None),
    ("DeepLab", (513, 513), [(1, 65, 65, 21)], None),
    ("DeepLab", (257, 193), [(1, 25, 33, 4)], None),  # a stride that does not divide the input
    ("DeepLab", (96, 96), [(1, 13, 12, 12)], names(13)),  # NCHW, whose 13 x 12 is nearly square too
    ("DeepLab", (320, 240), [(1, 240, 320)], None),  # arg-maxed
    ("DeepLab", (320, 320), [(1, 320, 320, 1)], None),
    ("DeepLab", (320, 320), [(1, 1, 160, 160)], None),
    ("DeepLab", (320, 320), [(1, 320, 320, 17)], None),  # heatmaps are smaller than the input
    ("DeepLab", (192, 192), [(1, 48, 48, 13)], names(13)),
    ("DeepLab", (192, 192), [(1, 48, 48, 19)], None),  # Cityscapes
    ("DeepLab", (512, 512), [(1, 128, 128, 150)], None),  # ADE20K
]


@pytest.mark.parametrize(("family", "size", "shapes", "labels"), CERTAIN)
def test_model_that_fits_one_family_gets_its_processor(
    family: str, size: tuple[int, int], shapes: list[tuple[int, ...]], labels: list[str] | None
) -> None:
    assert matching.match_family(described(size, *shapes, labels=labels))[0] == family
    processor = n6post.processor_for(described(size, *shapes, labels=labels))
    assert type(processor) is getattr(n6post, family)


def maps(*channels: int, size: tuple[int, int] = (320, 320)) -> list[tuple[int, ...]]:
    """Outputs with these channels for each of three strides."""
    return [(1, size[1] // stride, size[0] // stride, n) for n in channels for stride in (8, 16, 32)]


# family, input (width, height), output shapes, labels, description, classes
SPLIT = [
    ("YoloV8", (320, 320), maps(144), None, "a detector of 80 classes, with a split head", 80),
    ("YoloV8", (320, 320), maps(64, 80)[::-1], names(80), "a detector of 80 classes, with a split head", 80),
    ("YoloV8", (320, 192), maps(64, 1, size=(320, 192)), ["part"], "a detector of 1 class, with a split head", 1),
    ("YoloV8", (320, 320), [(1, 64, N320), (1, 2, N320)], None, "a detector of 2 classes, with a split head", 2),
    ("YoloV8", (320, 320), [(1, 4, N320), (1, 80, N320)], None, "a detector of 80 classes, with a split head", 80),
    ("YoloV8", (320, 320), maps(64, 4), None, "a detector of 4 or 64 classes, with a split head", None),
    ("YoloV8", (320, 320), maps(64, 4), names(64), "a detector of 64 classes, with a split head", 64),
    ("YoloV8", (320, 320), maps(64, 4), names(4), "a detector of 4 classes, with a split head", 4),
    ("YoloV8", (320, 320), maps(144)[1:], None, "a detector of 80 classes, with a split head", 80),  # strides of 16 and 32
    (
        "YoloV8Seg",
        (320, 320),
        [(1, 80, 80, 32), *maps(64, 3, 32)],
        names(3),
        "a segmenter of 3 classes, with a split head",
        3,
    ),
    (
        "YoloV8Seg",
        (320, 320),
        [(1, 32, N320), *maps(67), (1, 32, 80, 80)],
        None,
        "a segmenter of 3 classes, with a split head",
        3,
    ),
    ("YoloV8Pose", (320, 320), maps(64, 1, 51), None, "1 class with 17 keypoints", 1),
    ("YoloV8Pose", (320, 320), maps(64, 1, 51), names(17), "1 class with 17 keypoints", 1),
    ("YoloV8Pose", (320, 320), maps(64, 1, 3), ["ball"], "1 class with 1 keypoint", 1),
    ("YoloV8Pose", (320, 320), maps(64, 3, 51), names(3), "3 classes with 17 keypoints", 3),
    ("YoloV8Pose", (320, 320), maps(64, 3, 51), names(17), "3 classes with 17 keypoints", 3),
    ("YoloV8Pose", (320, 320), maps(64, 3, 51), names(51), "51 classes with 1 keypoint", 51),
    (
        "YoloV8Pose",
        (320, 320),
        maps(64, 3, 51),
        None,
        "3 classes with 17 keypoints or 51 classes with 1 keypoint",
        None,
    ),
]


@pytest.mark.parametrize(("family", "size", "shapes", "labels", "description", "classes"), SPLIT)
def test_split_head_gets_the_processor_of_its_family(
    family: str,
    size: tuple[int, int],
    shapes: list[tuple[int, ...]],
    labels: list[str] | None,
    description: str,
    classes: int | None,
) -> None:
    model = described(size, *shapes, labels=labels)
    signature = matching.ModelSignature(model)
    assert matching.matching_families(signature) == [(family, description)]
    assert signature.classes(family) == classes
    processor = n6post.processor_for(model)
    assert type(processor) is getattr(n6post, family)
    names_keypoints = family == "YoloV8Pose" and labels is not None and len(labels) == 17
    assert processor.labels == (None if names_keypoints else labels)


@pytest.mark.parametrize(
    ("shapes", "count", "expected"),
    [
        (maps(64, 80), 3, "80, one per class"),
        (maps(64, 4), 5, "4 or 64, one per class"),
        (maps(64, 1, 51), 2, "1, one per class"),
        (maps(85), 79, "21, one per class (if 64 of the 85 channels are for boxes)"),  # 80 would be YOLOX
    ],
)
def test_split_head_needs_a_label_for_each_class(shapes: list[tuple[int, ...]], count: int, expected: str) -> None:
    with pytest.raises(ValueError, match=f"^the model's labels: expected {re.escape(expected)}, got {count}$"):
        n6post.processor_for(described((320, 320), *shapes, labels=names(count)))


def test_classes_of_a_split_head_are_looked_up_at_once() -> None:
    assert n6post.processor_for(described((320, 320), *maps(64, 80)), classes=["dog", 7]).classes == ("dog", 7)
    assert n6post.processor_for(described((320, 320), *maps(64, 1, 51)), classes=["person"])
    for shapes, classes, message in (
        (maps(64, 80), ["dogg"], r"^classes: expected one of 80 names, such as .*, got 'dogg'$"),
        (maps(64, 3), [3], "^classes: expected numbers below 3, got 3$"),
        (maps(64, 1, 51), ["dog"], "^classes: expected 'person', got 'dog'$"),
    ):
        with pytest.raises(ValueError, match=message):
            n6post.processor_for(described((320, 320), *shapes), classes=classes)
    # Only a frame shows whether there are 4 or 64 classes.
    assert n6post.processor_for(described((320, 320), *maps(64, 4)), classes=[50])


def test_only_split_heads_load_the_code_for_split_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise every start would pay for it."""
    for name in ("families.yolo.split_layout", "families.yolo.split_signature"):
        monkeypatch.delitem(sys.modules, "n6post." + name, raising=False)
    for shapes in ([(1, 116, N320), (1, 80, 80, 32)], [(1, 300, 38), (1, 80, 80, 32)], [(1, 84, N320)]):
        n6post.processor_for(described((320, 320), *shapes))
    assert "n6post.families.yolo.split_layout" not in sys.modules
    n6post.processor_for(described((320, 320), *maps(144)))
    assert "n6post.families.yolo.split_layout" in sys.modules


DOUBTFUL = [
    ("YoloV8", "YoloV8Pose", (320, 320), (1, 20, N320), None),  # 16 classes, or a face with 5 landmarks
    ("YoloV8", "YoloV8Pose", (320, 320), (1, 17, N320), None),
    ("YoloV8", "YoloV8Pose", (320, 320), (1, N320, 68), None),  # 64 classes, or a hand with 21 keypoints
    ("YoloV8", "YoloV8Pose", (320, 320), (1, 56, N320), names(4)),
    ("YoloV8", "YoloV8Pose", (96, 96), (1, 189, 57), None),  # 53 classes, or rows with 17 keypoints
    ("MoveNet", "DeepLab", (192, 192), (1, 24, 24, 13), None),
    ("MoveNet", "DeepLab", (192, 192), (1, 17, 96, 96), None),
    *[("MoveNet", "DeepLab", (192, 192), (1, 48, 48, n), None) for n in (14, 15, 16, 18, 20, 25, 33)],  # known skeletons
    ("MoveNet", "DeepLab", (192, 192), (1, 48, 48, 21), None),  # Pascal VOC, or a hand
]


@pytest.mark.parametrize(("one", "other", "size", "shape", "labels"), DOUBTFUL)
def test_ambiguous_model_raises_an_error_that_names_both_constructors(
    one: str, other: str, size: tuple[int, int], shape: tuple[int, ...], labels: list[str] | None
) -> None:
    with pytest.raises(ValueError) as caught:
        n6post.processor_for(described(size, shape, labels=labels))
    message = str(caught.value)
    assert f"postprocess=n6post.{one}()" in message and f"postprocess=n6post.{other}()" in message
    assert message.startswith(f"{shape} b fits {one} (") and f") and {other} (" in message
    also = " or ml.Model(path, postprocess=n6post.YoloV8Obb())" if shape[1] == 20 else ""  # DOTA has 15 classes
    assert message.endswith(
        f"): give labels, one per class, or choose ml.Model(path, postprocess=n6post.{one}())"
        f" or ml.Model(path, postprocess=n6post.{other}())" + also
    )


def test_error_describes_both_possible_families() -> None:
    for size, shape, kinds in (
        ((320, 320), (1, 20, N320), ("a detector of 16 classes", "1 class with 5 keypoints")),
        ((96, 96), (1, 189, 57), ("a detector of 53 classes", "an end-to-end head of 17 keypoints")),
        ((192, 192), (1, 24, 24, 13), ("heatmaps of 13 keypoints", "a map of 13 classes")),
    ):
        with pytest.raises(ValueError) as caught:
            n6post.processor_for(described(size, shape))
        assert all(f" ({kind})" in str(caught.value) for kind in kinds)


def test_unknown_dtype_is_shown_as_a_question_mark() -> None:
    model = described((320, 320), (1, 84, 2101))
    del model.output_dtype
    with pytest.raises(ValueError, match=r"\(320, 320\), got \(1, 84, 2101\) \?$"):
        n6post.processor_for(model)


@pytest.mark.parametrize(
    ("size", "shapes", "hint"),
    [
        ((320, 320), [(1, 300, 38)], "RT-DETR"),
        ((320, 320), [(1, 84, 2101)], "got (1, 84, 2101)"),
        ((320, 320), [(1, 4, N320)], "expected the outputs of YoloV8 or "),
        ((320, 320), [(1, 100, 320, 2)], "got (1, 100, 320, 2) b"),
        ((320, 320), [(1, 116, N320), (1, 80, 80, 32), (1, 1)], f"{N320}) b and (1, 80, 80, 32) b and (1, 1) b"),
        ((320, 320), [(1, 320, 320, 300)], "got (1, 320, 320, 300) b"),
        ((320, 320), [], "input of (width, height) (320, 320), got "),
        # [1, 1, K]: a classifier's scores with a dimension more, as many as keypoints or columns of a row among them.
        *[((224, 224), [(1, 1, count)], f"got (1, 1, {count}) b") for count in (1, 2, 5, 7, 9, 17, 51, 80, 1000)],
        # A batch of two for every family.
        ((320, 320), [(2, 84, N320)], f"got (2, 84, {N320}) b"),
        ((320, 320), [(2, 300, 6)], "got (2, 300, 6) b"),
        ((320, 320), [(2, 116, N320), (2, 80, 80, 32)], f"got (2, 116, {N320}) b and (2, 80, 80, 32) b"),
        ((320, 320), [(1, 116, N320), (2, 80, 80, 32)], f"got (1, 116, {N320}) b and (2, 80, 80, 32) b"),
        ((256, 256), [(2, 56, 1344)], "got (2, 56, 1344) b"),
        ((192, 192), [(2, 48, 48, 13)], "got (2, 48, 48, 13) b"),
        ((192, 192), [(2, 1, 17, 3)], "got (2, 1, 17, 3) b"),
        ((320, 320), [(2, 320, 320, 2)], "got (2, 320, 320, 2) b"),
        ((320, 320), [(2, 320, 320)], "got (2, 320, 320) b"),
        # Two outputs, one of which would fit a family alone or with another one.
        ((320, 320), [(1, 84, N320), (1, 10)], f"got (1, 84, {N320}) b and (1, 10) b"),
        ((320, 320), [(1, 84, N320), (1, 84, N320)], f"got (1, 84, {N320}) b and (1, 84, {N320}) b"),
        ((320, 320), [(1, 300, 6), (1, 300)], "got (1, 300, 6) b and (1, 300) b"),
        ((320, 320), [(1, 116, N320), (1, 80, 80, 7)], f"got (1, 116, {N320}) b and (1, 80, 80, 7) b"),
        ((320, 320), [(1, 116, N320), (1, 80, 80, 65)], f"got (1, 116, {N320}) b and (1, 80, 80, 65) b"),
        ((320, 320), [(1, 36, N320), (1, 80, 80, 32)], f"got (1, 36, {N320}) b and (1, 80, 80, 32) b"),
        ((320, 320), [(1, 300, 39), (1, 80, 80, 32)], "got (1, 300, 39) b and (1, 80, 80, 32) b"),
        ((256, 256), [(1, 56, 1344), (1, 1344)], "got (1, 56, 1344) b and (1, 1344) b"),
        ((192, 192), [(1, 48, 48, 13), (1, 48, 48, 26)], "got (1, 48, 48, 13) b and (1, 48, 48, 26) b"),
        ((192, 192), [(1, 1, 17, 3), (1, 1)], "got (1, 1, 17, 3) b and (1, 1) b"),
        ((320, 320), [(1, 320, 320, 2), (1, 320, 320, 2)], "got (1, 320, 320, 2) b and (1, 320, 320, 2) b"),
        ((320, 320), [(1, 320, 320), (1, 2)], "got (1, 320, 320) b and (1, 2) b"),
    ],
)
def test_unsupported_model_is_refused_with_its_shapes(
    size: tuple[int, int], shapes: list[tuple[int, ...]], hint: str
) -> None:
    with pytest.raises(ValueError) as caught:
        n6post.processor_for(described(size, *shapes))
    message = str(caught.value)
    outputs = " and ".join([f"{shape} b" for shape in shapes])
    assert f" an input of (width, height) {size}, got {outputs}" in message and hint in message
    assert message.startswith(("expected the outputs of YoloV8 or ", "no family of n6post decodes "))


def test_model_without_an_input_shape_is_refused() -> None:
    model = described((320, 320), (1, 84, N320))
    del model.input_shape
    with pytest.raises(ValueError, match=rf"^expected the outputs of .* \(width, height\) None, got \(1, 84, {N320}\) b$"):
        n6post.processor_for(model)


def test_model_labels_are_passed_to_the_processor() -> None:
    """The firmware passes a model without labels to a post-processor."""
    model = described((320, 320), (1, 56, N320), labels=names(52))
    assert n6post.processor_for(model).labels == names(52)


def test_labels_that_name_keypoints_do_not_become_class_names() -> None:
    processor = n6post.processor_for(described((256, 256), (1, 56, 1344), labels=names(17)))
    assert processor.labels is None
    movenet = n6post.processor_for(described((192, 192), (1, 48, 48, 13), labels=KEYPOINT_LABELS))
    assert movenet.labels == KEYPOINT_LABELS


@pytest.mark.parametrize(
    ("shape", "count", "classes"),
    [((1, 44, 1344), 13, False), ((1, 57, 1344), 2, True), ((1, 300, 57), 17, False), ((1, 300, 57), 2, True)],
)
def test_pose_labels_are_passed_on_unless_they_match_the_keypoints(
    shape: tuple[int, ...], count: int, classes: bool
) -> None:
    processor = n6post.processor_for(described((256, 256), shape, labels=names(count)))
    assert type(processor) is n6post.YoloV8Pose and processor.labels == (names(count) if classes else None)


def test_model_labels_are_passed_on_without_line_ends() -> None:
    lines = [name + "\r" for name in names(52)]
    assert n6post.processor_for(described((320, 320), (1, 56, N320), labels=[*lines, "\r"])).labels == names(52)


@pytest.mark.parametrize("wrong", [[1] * 80, "abc", [], 5])
def test_invalid_labels_are_refused_as_by_the_constructor(wrong: Any) -> None:
    with pytest.raises(ValueError, match=refuses("labels", wrong)):
        n6post.processor_for(described((320, 320), (1, 84, N320)), labels=wrong)


def test_labels_option_takes_precedence_over_the_model() -> None:
    model = described((320, 320), (1, 56, N320), labels=["person"])
    processor = n6post.processor_for(model, labels=names(52))
    assert type(processor) is n6post.YoloV8 and processor.labels == names(52)


# family, input, outputs, how many labels fit
COUNTS: list[tuple[str, tuple[int, int], list[tuple[int, ...]], tuple[int, ...]]] = [
    ("YoloV8", (320, 320), [(1, 84, N320)], (80,)),
    ("YoloV8Seg", (320, 320), [(1, 37, N320), (1, 80, 80, 32)], (1,)),
    ("YoloV8Pose", (256, 256), [(1, 56, 1344)], (1, 17)),
    ("MoveNet", (192, 192), [(1, 48, 48, 13)], (1, 13)),
    ("MoveNet", (192, 192), [(1, 1, 17, 3)], (1, 17)),
    ("DeepLab", (320, 320), [(1, 320, 320, 2)], (2,)),
    ("DeepLab", (65, 65), [(1, 65, 65, 21)], (21,)),
]
NUMBERS = (1, 2, 3, 13, 17, 21, 79, 80, 81)
of_every_count = pytest.mark.parametrize(("family", "size", "shapes", "fit"), COUNTS)


@of_every_count
@pytest.mark.parametrize("count", NUMBERS)
def test_label_count_is_checked_before_the_first_frame(
    family: str, size: tuple[int, int], shapes: list[tuple[int, ...]], fit: tuple[int, ...], count: int
) -> None:
    def processor_with(**options: Any) -> Any:
        return n6post.processor_for(described(size, *shapes, labels=options.pop("own", None)), **options)

    for options in ({"own": names(count)}, {"labels": names(count)}, {"labels": dict(enumerate(names(count)))}):
        if count in fit:
            assert processor_with(**options).labels in (None, names(count))
            continue
        with pytest.raises(ValueError) as caught:
            processor_with(**options)
        source = "the model's labels" if "own" in options else "labels"
        message = str(caught.value)
        assert message.startswith(f"{source}: expected ") and message.endswith(f", got {count}") or "fits YoloV8 " in message


def test_pose_labels_that_name_keypoints_do_not_set_the_class_count() -> None:
    """13 labels could also be 13 classes of 9 keypoints."""
    for keypoint_count in (13, 17):
        model = described((256, 256), (1, 5 + 3 * keypoint_count, 1344), labels=names(keypoint_count))
        assert n6post.processor_for(model).labels is None
        assert n6post.processor_for(model, labels=names(keypoint_count)).labels is None
    with pytest.raises(ValueError, match="^labels: expected 4, one per class, got 1$"):
        n6post.processor_for(described((256, 256), (1, 56, 1344)), labels=["person"], class_count=4)


GIVE = r" \(the classes have no names: give labels, or write one per line to the \.txt file beside the model\)"


def test_labels_none_means_the_models_labels() -> None:
    model = described((320, 320), (1, 56, N320), labels=names(52))
    assert n6post.processor_for(model, labels=None).labels == names(52)


@pytest.mark.parametrize(
    ("size", "shape", "labels", "options", "message"),
    [
        ((320, 320), (1, 84, N320), None, {"classes": ["person", "lorry"]}, "classes: expected one of 80 names, .*'lorry'"),
        ((320, 320), (1, 84, N320), None, {"classes": [80]}, "classes: expected numbers below 80, got 80"),
        ((320, 320), (1, 6, N320), ["cup", "spoon"], {"classes": [0, "fork"]}, "classes: .* 'cup', 'spoon', got 'fork'"),
        ((320, 320), (1, 6, N320), None, {"classes": ["cup"]}, f"classes: .*'0', '1', got 'cup'{GIVE}"),
        ((256, 256), (1, 56, 1344), None, {"classes": ["dog"]}, "classes: expected 'person', got 'dog'"),
        ((256, 256), (1, 57, 1344), ["up", "down"], {"classes": ["dog"]}, "classes: .* one of 'up', 'down', got 'dog'"),
        ((65, 65), (1, 65, 65, 21), None, {"background": "road"}, "background: expected one of 21 names, .*'road'"),
        ((65, 65), (1, 65, 65, 1), ["road"], {"background": "sky"}, "background: .*'background', 'road', got 'sky'"),
        ((65, 65), (1, 65, 65), ["sea", "sky", "sea"], {"background": "sea"}, "background: .* 'sea', which 0 and 2 have"),
        ((65, 65), (1, 65, 65, 1), None, {"background": "sky"}, f"background: .*'0', '1', got 'sky'{GIVE}"),
    ],
)
def test_unknown_class_is_refused_before_the_first_frame(
    size: tuple[int, int], shape: tuple[int, ...], labels: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        n6post.processor_for(described(size, shape, labels=labels), **options)


def test_known_classes_are_kept_as_given() -> None:
    assert n6post.processor_for(described((320, 320), (1, 84, N320)), classes=["person", 5]).classes == ("person", 5)
    pose = n6post.processor_for(described((256, 256), (1, 56, 1344)), classes=["person"])
    assert pose.classes == ("person",)
    for shape, background in (((1, 65, 65, 21), "sofa"), ((1, 65, 65, 1), "1"), ((1, 65, 65), 200)):
        assert n6post.processor_for(described((65, 65), shape), background=background).background == background


def test_options_are_passed_to_the_constructor() -> None:
    assert n6post.processor_for(described((320, 320), (1, 84, N320)), threshold=0.7).threshold == 0.7
    with pytest.raises(ValueError, match="threshold"):
        n6post.processor_for(described((320, 320), (1, 84, N320)), threshold=7)
    with pytest.raises(TypeError):
        n6post.processor_for(described((320, 320), (1, 84, N320)), refine=True)


class NativeModel:
    """The firmware's ml.Model: its post-processor is set when it opens, and gets it without labels."""

    opened = 0

    def __init__(self, path: str, postprocess: Any = None) -> None:
        NativeModel.opened += 1
        self._native = described((64, 64), (1, 6, anchor_count((64, 64))))
        del self._native.labels
        head = np.full((1, 6, anchor_count((64, 64))), -128, np.int8)
        head[0, :, 3] = (0, 0, -64, -64, -128, 127)
        self._native.output_scale, self._native.output_zero_point = (1 / 255,), (-128,)
        self._outputs = FakeModel([Tensor(head)], (64, 64)).outputs()
        self._postprocess = postprocess
        for name, value in vars(self._native).items():
            setattr(self, name, value)
        self.labels = ["cup", "spoon"]

    @property
    def postprocess(self) -> Any:
        return self._postprocess

    def predict(self, inputs: list[Any]) -> Any:
        return self._postprocess(self._native, inputs, self._outputs)


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> type[NativeModel]:
    NativeModel.opened = 0
    monkeypatch.setitem(sys.modules, "ml", SimpleNamespace(Model=NativeModel))
    return NativeModel


def test_load_opens_a_model_once_and_attaches_a_processor_with_its_labels(native: type[NativeModel]) -> None:
    model = n6post.load("/rom/two.tflite", threshold=0.9)
    assert native.opened == 1
    assert type(model.postprocess.processor) is n6post.YoloV8 and model.postprocess.processor.threshold == 0.9
    (found,) = model.predict([None])
    assert found.label == "spoon" and found.class_id == 1
    (other,) = model.predict([stretched((0, 0, 128, 256))])  # what the script has passed is kept
    x, y, w, h = found.rect
    assert other.rect == pytest.approx((2 * x, 4 * y, 2 * w, 4 * h), abs=4)


class NativePose(NativeModel):
    """A pose model of two classes with COCO's 17 keypoints and one person."""

    channels = 57

    def __init__(self, path: str, postprocess: Any = None) -> None:
        super().__init__(path, postprocess)
        self._native.output_shape = self.output_shape = ((1, self.channels, anchor_count((64, 64))),)
        person = Thing(3, (24, 20, 40, 52), {self.channels - 56: 0.9}, [0.25, 0.5, 0.8] * 17)
        head = quantized(float_head((64, 64), self.channels - 55, [person], 51, pixels=False), 1 / 255, -128)
        self._outputs = FakeModel([head], (64, 64)).outputs()


@pytest.mark.parametrize("given", ["file", "list", "model"])
def test_load_passes_the_labels_of_two_classes_to_a_pose_model(
    native: type[NativeModel], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: str
) -> None:
    monkeypatch.setitem(sys.modules, "ml", SimpleNamespace(Model=NativePose))
    if given == "file":
        model = n6post.load(written(tmp_path, b"sitting\nstanding\n"), classes=["standing"])
    else:
        monkeypatch.setattr(NativePose, "labels", ["sitting", "standing"], raising=False)
        options = {"labels": ["sitting", "standing"]} if given == "list" else {}
        model = n6post.load("/rom/two.tflite", **options)
    processor = model.postprocess.processor
    assert type(processor) is n6post.YoloV8Pose and processor.labels == (
        ["cup", "spoon"] if given == "model" else ["sitting", "standing"]
    )
    (found,) = model.predict([None])
    assert (found.class_id, found.label) == (1, "spoon" if given == "model" else "standing")
    assert found.rect == (24, 20, 16, 32) and found.keypoints.shape == (17, 3)
    np.testing.assert_allclose(np.array(found.keypoints.tolist()), [[16, 32, 0.8]] * 17, atol=64 / 255 / 2 + 1e-5)


def written(folder: Path, data: bytes) -> str:
    (folder / "two.txt").write_bytes(data)
    return str(folder / "two.tflite")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"cup\n\nspoon\n", r"two\.txt, line 2: expected a name, got a blank line"),
        (b"cup\nfork\nspoon", r"two\.txt: expected 2, one per class, got 3"),
        ("Löffel\nspoon".encode("latin-1"), r"two\.txt, line 1: expected text in UTF-8, got b'L\\xf6ffel'"),
        ("cup\nspoon".encode("utf-16"), r"two\.txt, line 1: expected text in UTF-8, got b'\\xff.*'"),
    ],
)
def test_load_checks_the_label_file_and_names_it_in_errors(
    native: type[NativeModel], tmp_path: Path, data: bytes, message: str
) -> None:
    path = written(tmp_path, data)
    with pytest.raises(ValueError, match=message + "$") as caught:
        n6post.load(path)
    assert str(caught.value).startswith(str(tmp_path))
    # Not if the script gives labels.
    assert n6post.load(path, labels=["a", "b"]).postprocess.processor.labels == ["a", "b"]


@pytest.mark.parametrize("form", [b"%s\n%s", b"\xef\xbb\xbf%s\r\n%s\r\n\r\n", b"%s\r%s\r"])
def test_load_reads_the_labels_from_the_file(native: type[NativeModel], tmp_path: Path, form: bytes) -> None:
    model = n6post.load(written(tmp_path, form % (b"Fork", "Straße".encode())), classes=["Straße"])
    assert model.postprocess.processor.labels == ["Fork", "Straße"]
    (found,) = model.predict([None])
    assert found.label == "Straße"


def test_unreadable_label_file_falls_back_to_the_models_labels(native: type[NativeModel], tmp_path: Path) -> None:
    for path in ("/rom/two.tflite", written(tmp_path, b"\n")):
        assert n6post.load(path).postprocess.processor.labels == ["cup", "spoon"]


@pytest.mark.parametrize("source", ["list", "dict", "path"])
def test_load_accepts_and_checks_labels_in_every_form(
    native: type[NativeModel], tmp_path: Path, source: str
) -> None:
    def given(names: list[str]) -> Any:
        (tmp_path / "names.txt").write_text("\n".join(names), encoding="utf-8")
        return {"list": names, "dict": dict(enumerate(names)), "path": str(tmp_path / "names.txt")}[source]

    model = n6post.load("/rom/two.tflite", labels=given(["a", "b"]), classes=["b"])
    assert [d.label for d in model.predict([None])] == ["b"]
    name = str(tmp_path / "names.txt") if source == "path" else "labels"
    with pytest.raises(ValueError) as caught:
        n6post.load("/rom/two.tflite", labels=given(["a", "b", "c"]))
    assert str(caught.value) == f"{name}: expected 2, one per class, got 3"
    with pytest.raises(ValueError, match="^classes: expected one of 'a', 'b', got 'c'$"):
        n6post.load("/rom/two.tflite", labels=given(["a", "b"]), classes=["c"])


@pytest.mark.parametrize("own", [False, True])
def test_load_names_the_file_that_is_missing(own: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(path: str, postprocess: Any) -> None:
        raise OSError(2, "ENOENT")  # as a camera does, without the path

    monkeypatch.setitem(sys.modules, "ml", SimpleNamespace(Model=missing))
    more = {"processor": lambda *_: 0} if own else {}
    with pytest.raises(FileNotFoundError, match=r"/rom/cats.tflite: no such file"):
        n6post.load("/rom/cats.tflite", **more)
    monkeypatch.undo()
    with pytest.raises(FileNotFoundError, match=r"/rom/cats.tflite"):
        n6post.load("/rom/cats.tflite", **more)


def test_load_says_where_a_model_must_be_if_the_camera_cannot_run_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(path: str, postprocess: Any) -> None:
        raise RuntimeError("Failed to load network")  # as the N6's stai_backend.c does

    monkeypatch.setitem(sys.modules, "ml", SimpleNamespace(Model=refusing))
    expected = r"/flash/cats.tflite: Failed to load network\. Compile the model .* put it into ROMFS .*openmv issue 3272"
    with pytest.raises(RuntimeError, match=expected):
        n6post.load("/flash/cats.tflite")


def test_load_raises_for_an_unsupported_model(
    native: type[NativeModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "readings", lambda signature: [])
    with pytest.raises(ValueError, match=r"^expected the outputs of .* \(width, height\) \(64, 64\), got \(1, 6, 84\) b$"):
        n6post.load("/rom/two.tflite")


# --- load(path, processor=...) ---


class OwnProcessor:
    """A script's own: names the outputs' shape with its labels."""

    def __init__(self, labels: list[str] | None = None) -> None:
        self.labels = labels

    def __call__(self, model: Any, inputs: list[Any], outputs: list[Any]) -> Any:
        return self.labels, tuple(outputs[0].shape), inputs


def test_own_processor_is_attached_and_gets_the_labels_of_the_file(native: type[NativeModel], tmp_path: Path) -> None:
    own = OwnProcessor()
    model = n6post.load(written(tmp_path, "\ufeffFork\r\nStraße\r\n\r\n".encode()), processor=own)
    assert native.opened == 1
    assert model.postprocess is own
    assert model.predict(["frame"]) == (["Fork", "Straße"], (1, 6, 84), ["frame"])


def test_own_processor_gets_the_models_labels_if_there_is_no_file(native: type[NativeModel]) -> None:
    own = OwnProcessor()
    n6post.load("/rom/two.tflite", processor=own)
    assert own.labels == ["cup", "spoon"]


def test_labels_of_an_own_processor_are_kept(native: type[NativeModel], tmp_path: Path) -> None:
    for labels in (["a", "b", "c"], []):
        own = OwnProcessor(labels)
        n6post.load(written(tmp_path, b"\n\nnot even read"), processor=own)
        assert own.labels is labels


def test_function_without_labels_is_a_processor_too(native: type[NativeModel]) -> None:
    model = n6post.load("/rom/two.tflite", processor=lambda model, inputs, outputs: len(outputs))
    assert model.predict([None]) == 1


def test_model_without_labels_leaves_an_own_processor_without(
    native: type[NativeModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NativeModel, "labels", property(lambda self: None, lambda self, value: None), raising=False)
    own = OwnProcessor()
    n6post.load("/rom/two.tflite", processor=own)
    assert own.labels is None


def test_processor_of_n6post_with_options_gets_the_labels(native: type[NativeModel], tmp_path: Path) -> None:
    processor = n6post.YoloV8(0.9, classes=["Straße"])
    model = n6post.load(written(tmp_path, "Fork\nStraße".encode()), processor=processor)
    assert processor.labels == ["Fork", "Straße"]
    (found,) = model.predict([None])
    assert (found.label, found.class_id) == ("Straße", 1)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (b"cup\nfork\nspoon", {}, r"two\.txt: expected 2, one per class, got 3"),
        (b"cup\n\nspoon\n", {}, r"two\.txt, line 2: expected a name, got a blank line"),
        (b"cup\nspoon", {"classes": ["knife"]}, "classes: expected one of 'cup', 'spoon', got 'knife'"),
    ],
)
def test_labels_for_a_processor_of_n6post_are_checked(
    native: type[NativeModel], tmp_path: Path, data: bytes, options: dict[str, Any], message: str
) -> None:
    processor = n6post.YoloV8(**options)
    with pytest.raises(ValueError, match=message + "$"):
        n6post.load(written(tmp_path, data), processor=processor)
    assert processor.labels is None  # nothing was changed


def test_keypoint_names_are_not_handed_over_as_labels(
    native: type[NativeModel], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "ml", SimpleNamespace(Model=NativePose))
    monkeypatch.setattr(NativePose, "channels", 56)
    processor = n6post.YoloV8Pose()
    n6post.load(written(tmp_path, "\n".join(n6post.keypoint_names(17)).encode()), processor=processor)
    assert processor.labels is None


def test_family_that_does_not_fit_gets_the_labels_and_fails_at_its_first_frame(native: type[NativeModel]) -> None:
    processor = n6post.DeepLab()
    model = n6post.load("/rom/two.tflite", processor=processor)
    assert processor.labels == ["cup", "spoon"]
    with pytest.raises(ValueError, match=r"\(1, 6, 84\)"):
        model.predict([None])


def test_options_beside_an_own_processor_are_refused(native: type[NativeModel]) -> None:
    with pytest.raises(TypeError) as caught:
        n6post.load("/rom/two.tflite", processor=n6post.YoloV8(), threshold=0.3, labels=["a", "b"])
    assert str(caught.value) == (
        "load() takes no options beside processor=: give them to the processor itself,"
        " processor=YoloV8(labels=..., threshold=...)"
    )
    assert native.opened == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (OwnProcessor, r"processor: expected an object, got a class: write processor=OwnProcessor\(\) with brackets"),
        (n6post.YoloV8, r"processor: expected an object, got a class: write processor=YoloV8\(\) with brackets"),
        (
            "YoloV8",
            r"processor: expected a function or an object that can be called with \(model, inputs, outputs\), got 'YoloV8'",
        ),
    ],
)
def test_wrong_processor_is_refused_before_the_model_opens(native: type[NativeModel], wrong: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        n6post.load("/rom/two.tflite", processor=wrong)
    assert native.opened == 0


def test_file_that_the_camera_cannot_run_is_refused_with_a_processor_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(path: str, postprocess: Any) -> None:
        raise RuntimeError("Failed to load network")

    monkeypatch.setitem(sys.modules, "ml", SimpleNamespace(Model=refusing))
    own = OwnProcessor()
    with pytest.raises(RuntimeError, match=r"/flash/cats\.tflite: Failed to load network\. Compile the model "):
        n6post.load("/flash/cats.tflite", processor=own)
    assert own.labels is None


def test_processor_none_means_the_family_that_fits(native: type[NativeModel]) -> None:
    assert type(n6post.load("/rom/two.tflite", processor=None, threshold=0.3).postprocess.processor) is n6post.YoloV8


def test_load_without_an_own_processor_does_not_import_its_part(
    native: type[NativeModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "n6post.models.own_processor", raising=False)
    n6post.load("/rom/two.tflite")
    assert "n6post.models.own_processor" not in sys.modules


# --- the models and captures of ../shared ---

SHARED_FAMILIES = {
    "deeplab_v3_mobilenetv2_05_16_320_fft_qdq_int8.onnx": "DeepLab",
    "movenet_singlepose_192.tflite": "MoveNet",
    "st_movenet_lightning_heatmaps_192_int8_pc.tflite": "MoveNet",
    "yolov8n_192.tflite": "YoloV8",
    "yolov8n_256_quant_pc_uf_pose_coco-st.tflite": "YoloV8Pose",
    "yolov8n_320_quant_pc_ii_seg_coco-st.tflite": "YoloV8Seg",
    "fruit/fruit.tflite": "YoloV8Seg",
    "fruit/fruit_float.tflite": "YoloV8Seg",
    "blazeface_front_128.tflite": "BlazeFace",
    "palm_detection_full_192.tflite": "BlazePalm",
    "hand_landmarks_full_224.tflite": "HandLandmarks",
    "face_landmarks_192.tflite": "FaceLandmarks",
    "fomo_face_detection.tflite": "Fomo",
    "yolo_lc_192.tflite": "YoloV2",
    "st_yolo_x_nano_480_1.0_0.25_3_st_int8.tflite": "YoloX",
    "osnet_a025_256_128_tfs_int8.tflite": "Embedding",
    "yunet_n_320_320.onnx": "YuNet",
}
def test_every_shared_model_file_gets_the_processor_of_its_family(shared: Path) -> None:
    pytest.importorskip("ai_edge_litert")
    pytest.importorskip("onnxruntime")
    for name, family in SHARED_FAMILIES.items():
        if not (shared / "models" / name).exists():
            continue  # older sets of shared files lack it
        model = n6post.load(str(shared / "models" / name))
        assert type(model.postprocess.processor).__name__ == family


def test_every_shared_capture_is_matched_and_processed(shared: Path) -> None:
    for file in sorted((shared / "captures").glob("*.npz")):
        if "oracle" in file.name:
            continue
        tensors, size = capture(file)
        model = FakeModel(tensors, size)
        processor = n6post.processor_for(model)
        family = next(f for name, f in SHARED_FAMILIES.items() if file.name.startswith(Path(name).stem))
        assert type(processor).__name__ == family
        result = model.run(processor)
        assert isinstance(result, list) or result.class_ids()
