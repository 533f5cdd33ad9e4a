"""lib/n6post/families/yolo/split_layout.py: which output of a split head is which, from their shapes."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from n6post.families.yolo.split_layout import levels_of, split_layouts

STRIDES = [(8, 16, 32), (4, 8, 16, 32), (8, 16, 32, 64), (16, 32)]
SIZE = (320, 192)  # not square, and with 64 as a stride the maps are 5 x 3
KINDS = ["boxes", "masks", "keypoints"]

Shape = tuple[int, ...]


def cells(size: tuple[int, int], strides: tuple[int, ...]) -> list[tuple[int, int]]:
    return [(size[0] // stride, size[1] // stride) for stride in strides]


def outputs_of(
    size: tuple[int, int],
    strides: tuple[int, ...],
    parts: str,
    extras: str = "apart",
    *,
    boxes: int = 64,
    classes: int = 3,
    extra: int = 0,
    protos: bool = False,
    seed: int = 0,
    planes: float = 0.0,
) -> list[tuple[str, Shape, bool]]:
    """[(what an output has, its shape, channels first?)] of a head, in any order."""
    dice = random.Random(seed)
    grids = cells(size, strides)
    found: list[tuple[str, Shape, bool]] = []

    def add(name: str, channels: int, way: str) -> None:
        first = dice.random() < planes
        if way == "concatenated":
            anchors = sum(w * h for w, h in grids)
            found.append((name, (1, channels, anchors) if first else (1, anchors, channels), first))
        else:
            for level, (w, h) in enumerate(grids):
                first = dice.random() < planes
                found.append((f"{name} {level}", (1, channels, h, w) if first else (1, h, w, channels), first))

    if parts == "joined":
        add("joined", boxes + classes, "apart")
    else:
        add("boxes", boxes, parts)
        add("scores", classes, parts)
    if extra:
        add("extras", extra, extras)
    if protos:
        w, h = 2 * grids[0][0], 2 * grids[0][1]  # as Ultralytics' Proto makes them
        found.append(("protos", (1, h, w, extra), False))
    dice.shuffle(found)
    return found


def reading(layout: Any, strides: tuple[int, ...]) -> dict[int, str]:
    """{output index: what it has} of a SplitLayout."""
    names = {}
    several = len(layout.parts) > 1
    for level, part in enumerate(layout.parts):
        at = f" {level}" if several else ""
        if part.scores[0] == part.boxes[0]:
            names[part.scores[0]] = "joined" + at
        else:
            names[part.scores[0]] = "scores" + at
            names[part.boxes[0]] = "boxes" + at
    for level, (_, index, _) in enumerate(layout.extras):
        names[index] = f"extras {level}" if len(layout.extras) > 1 else "extras"
    if layout.protos is not None:
        names[layout.protos] = "protos"
    return names


@pytest.mark.parametrize("strides", STRIDES)
@pytest.mark.parametrize(("kind", "extra"), [("boxes", 0), ("masks", 32), ("keypoints", 51)])
@pytest.mark.parametrize("parts", ["apart", "joined", "concatenated"])
@pytest.mark.parametrize("extras", ["apart", "concatenated"])
@pytest.mark.parametrize("size", [SIZE, (192, 320), (320, 320)])
@pytest.mark.parametrize("planes", [0.0, 0.5, 1.0])
def test_outputs_are_recognized_in_any_order(
    strides: tuple[int, ...], kind: str, extra: int, parts: str, extras: str, size: tuple[int, int], planes: float
) -> None:
    for seed in range(3):
        outputs = outputs_of(
            size, strides, parts, extras, classes=7, extra=extra, protos=kind == "masks", seed=seed, planes=planes
        )
        layouts = split_layouts([shape for _, shape, _ in outputs], size, kind)
        assert len(layouts) == 1
        assert reading(layouts[0], strides) == {i: name for i, (name, _, _) in enumerate(outputs)}
        assert (layouts[0].bins, layouts[0].classes) == (16, 7)
        for part in layouts[0].parts:
            for index, layout, _ in (part.scores, part.boxes):
                assert layout.channels_first == outputs[index][2]
                assert layout.channels * layout.anchors == _product(outputs[index][1])
        for _, index, layout in layouts[0].extras:
            assert layout.channels_first == outputs[index][2] and layout.channels == extra
        for other in KINDS:
            assert other == kind or split_layouts([shape for _, shape, _ in outputs], size, other) == []


@pytest.mark.parametrize("strides", STRIDES)
def test_input_as_high_as_the_last_stride_has_one_row_of_it(strides: tuple[int, ...]) -> None:
    for size in ((2 * strides[-1], strides[-1]), (strides[-1], 2 * strides[-1])):
        outputs = outputs_of(size, strides, "apart", classes=7)
        layouts = split_layouts([shape for _, shape, _ in outputs], size, "boxes")
        assert [reading(one, strides) for one in layouts] == [{i: name for i, (name, _, _) in enumerate(outputs)}]


@pytest.mark.parametrize("strides", STRIDES)
def test_levels_of_anchors_are_those_of_the_strides_that_have_as_many(strides: tuple[int, ...]) -> None:
    counts = [w * h for w, h in cells(SIZE, strides)]
    wanted = [(sum(counts[:i]), SIZE[0] // stride, stride) for i, stride in enumerate(strides)]
    assert levels_of(sum(counts), SIZE) == sum(wanted, ())


def test_levels_of_an_input_too_low_for_32_begin_with_a_stride_of_8() -> None:
    """96 x 24: 12 x 3 cells and 6 x 1."""
    assert levels_of(42, (96, 24)) == (0, 12, 8)


def _product(shape: Shape) -> int:
    total = 1
    for n in shape:
        total *= n
    return total


def test_anchors_are_numbered_by_ascending_stride() -> None:
    shapes = [(1, 6, 10, 67), (1, 24, 40, 67), (1, 12, 20, 67)]
    (layout,) = split_layouts(shapes, SIZE, "boxes")
    assert [part.scores for part in layout.parts] == [
        (1, (67, 960, False), 64),
        (2, (67, 240, False), 64),
        (0, (67, 60, False), 64),
    ]
    assert [part.boxes for part in layout.parts] == [
        (1, (67, 960, False), 0),
        (2, (67, 240, False), 0),
        (0, (67, 60, False), 0),
    ]
    assert [part.first for part in layout.parts] == [0, 960, 1200]
    assert [part.levels for part in layout.parts] == [(0, 40, 8), (0, 20, 16), (0, 10, 32)]


def test_one_part_has_the_levels_of_all_strides_if_concatenated() -> None:
    (layout,) = split_layouts([(1, 51, 1260), (1, 1260, 64), (1, 1, 1260)], SIZE, "keypoints")
    (part,) = layout.parts
    assert part == (0, (2, (1, 1260, True), 0), (1, (64, 1260, False), 0), (0, 40, 8, 960, 20, 16, 1200, 10, 32))
    assert layout.extras == ((0, 0, (51, 1260, True)),) and layout.protos is None


def test_dimensions_of_one_are_dropped_from_concatenated_outputs() -> None:
    layouts = split_layouts([(1, 64, 1260, 1), (1, 1, 2, 1260)], SIZE, "boxes")
    assert [(layout.bins, layout.classes) for layout in layouts] == [(16, 2)]


def test_coefficients_of_each_stride_have_the_number_of_their_first_anchor() -> None:
    outputs = outputs_of(SIZE, (8, 16, 32), "concatenated", classes=2, extra=16, protos=True)
    (layout,) = split_layouts([shape for _, shape, _ in outputs], SIZE, "masks")
    assert [first for first, _, _ in layout.extras] == [0, 960, 1200]
    assert outputs[layout.protos][0] == "protos"


@pytest.mark.parametrize("parts", ["apart", "concatenated"])
def test_four_box_channels_are_distances_or_decoded_boxes(parts: str) -> None:
    """Decoded boxes come for all strides together only."""
    outputs = outputs_of(SIZE, (8, 16, 32), parts, boxes=4, classes=80)
    layouts = split_layouts([shape for _, shape, _ in outputs], SIZE, "boxes")
    assert [layout.bins for layout in layouts] == ([1] if parts == "apart" else [0, 1])
    assert {layout.classes for layout in layouts} == {80}


@pytest.mark.parametrize("parts", ["apart", "concatenated"])
def test_64_channels_beside_4_are_dfl_first_and_classes_second(parts: str) -> None:
    outputs = outputs_of(SIZE, (8, 16, 32), parts, boxes=64, classes=4)
    layouts = split_layouts([shape for _, shape, _ in outputs], SIZE, "boxes")
    expected = [(16, 4), (1, 64)] if parts == "apart" else [(16, 4), (0, 64), (1, 64)]
    assert [(layout.bins, layout.classes) for layout in layouts] == expected


@pytest.mark.parametrize(
    ("kind", "classes", "extra", "count"),
    [("boxes", 64, 0, 8), ("masks", 32, 32, 8), ("keypoints", 51, 51, 8), ("keypoints", 3, 51, 2), ("masks", 80, 64, 8)],
)
def test_equal_channel_counts_leave_every_reading_that_is_consistent(
    kind: str, classes: int, extra: int, count: int
) -> None:
    outputs = outputs_of(SIZE, (8, 16, 32), "apart", classes=classes, extra=extra, protos=kind == "masks", seed=3)
    layouts = split_layouts([shape for _, shape, _ in outputs], SIZE, kind)
    names = [reading(layout, (8, 16, 32)) for layout in layouts]
    assert len(names) == count and all(names.count(one) == 1 for one in names)
    assert {i: name for i, (name, _, _) in enumerate(outputs)} in names


def test_reading_with_cocos_classes_or_keypoints_is_the_first() -> None:
    for extra, classes in ((51, 80), (51, 3)):
        outputs = outputs_of(SIZE, (8, 16, 32), "apart", classes=classes, extra=extra, seed=5)
        layouts = split_layouts([shape for _, shape, _ in outputs], SIZE, "keypoints")
        assert layouts[0].classes == classes and layouts[0].extras[0][2].channels == extra
    # 64 classes without DFL, or 4 with it.
    assert split_layouts([(1, 4, 1260), (1, 64, 1260)], SIZE, "boxes")[0].classes == 4


@pytest.mark.parametrize(("size", "classes"), [((160, 160), 20), ((320, 320), 20), ((512, 512), 64), ((320, 320), 10)])
@pytest.mark.parametrize("first", [False, True])
def test_map_that_may_be_stored_in_both_orders_is_like_the_others(size: tuple[int, int], classes: int, first: bool) -> None:
    """[1, 20, 20, 20]; 64 box channels of an input of 512 x 512."""
    outputs = outputs_of(size, (8, 16, 32), "apart", classes=classes, planes=float(first))
    assert any(shape[1] == shape[2] == shape[3] for _, shape, _ in outputs)
    for layout in split_layouts([shape for _, shape, _ in outputs], size, "boxes"):
        for part in layout.parts:
            assert part.scores[1].channels_first == part.boxes[1].channels_first == first


def test_map_in_both_orders_is_like_those_of_as_many_channels() -> None:
    shapes = [(1, 20, 20, 64), (1, 10, 10, 64), (1, 5, 5, 64), (1, 20, 20, 20), (1, 20, 10, 10), (1, 20, 5, 5)]
    (layout,) = split_layouts(shapes, (160, 160), "boxes")
    assert [part.scores[1].channels_first for part in layout.parts] == [True] * 3
    assert [part.boxes[1].channels_first for part in layout.parts] == [False] * 3


def test_as_many_classes_as_anchors_have_the_order_of_the_boxes() -> None:
    for shape, first in (((1, 64, 84), True), ((1, 84, 64), False)):
        (layout,) = split_layouts([(1, 84, 84), shape], (64, 64), "boxes")
        assert layout.parts[0].scores == (0, (84, 84, first), 0)


def test_prototypes_are_no_map_of_stride_4() -> None:
    """A head with P2 has maps of the size that prototypes have in another."""
    shapes = [(1, h, w, c) for w, h in cells(SIZE, (8, 16, 32)) for c in (64, 5, 32)] + [(1, 48, 80, 32)]
    for order in itertools.islice(itertools.permutations(range(10)), 0, 3628800, 300_000):
        (layout,) = split_layouts([shapes[i] for i in order], SIZE, "masks")
        assert order[layout.protos] == 9 and len(layout.parts) == 3
    # With P2 they are twice as large.
    shapes = [(1, h, w, c) for w, h in cells(SIZE, (4, 8, 16, 32)) for c in (64, 5, 32)] + [(1, 96, 160, 32)]
    (layout,) = split_layouts(shapes, SIZE, "masks")
    assert layout.protos == 12 and len(layout.parts) == 4


@pytest.mark.parametrize(
    ("size", "shapes"),
    [
        ((320, 320), [(1, 84, 2100)]),  # a raw head
        ((320, 320), [(1, 116, 2100), (1, 80, 80, 32)]),
        ((320, 320), [(1, 300, 38), (1, 80, 80, 32)]),
        ((320, 320), [(1, 64, 2100), (1, 80, 2099)]),
        ((320, 320), [(1, 40, 40, 144), (1, 20, 20, 144)]),  # the third stride is missing
        ((320, 320), [(1, 40, 40, 144), (1, 20, 20, 144), (1, 10, 10, 145)]),
        ((320, 320), [(1, 40, 40, 64), (1, 20, 20, 64), (1, 10, 10, 64)]),  # no classes
        ((320, 192), [(1, 40, 24, 144), (1, 20, 12, 144), (1, 10, 6, 144)]),  # of 192 x 320
        ((320, 320), [(2, 40, 40, 144), (2, 20, 20, 144), (2, 10, 10, 144)]),
        ((320, 320), [(1, 40, 40, 68), (1, 40, 40, 80), (1, 20, 20, 68), (1, 20, 20, 80), (1, 10, 10, 68), (1, 10, 10, 80)]),
        ((480, 480), [(1, 60, 60, 18), (1, 30, 30, 18), (1, 15, 15, 18)]),  # ST's YOLOX nano: 3 x (5 + 1)
        ((300, 300), [(1, 3000, 4), (1, 3000, 91)]),  # SSD
        ((128, 128), [(1, 512, 16), (1, 384, 16), (1, 512, 1), (1, 384, 1)]),  # BlazeFace
        ((192, 192), [(1, 2016, 18), (1, 2016, 1)]),  # palm detection
        ((640, 640), [(1, 300, 4), (1, 300, 80)]),  # RT-DETR
        ((320, 320), [(1, n, c) for n in (1600, 400, 100) for c in (1, 1, 4, 10)]),  # YuNet
        ((224, 224), [(1, 63), (1, 1), (1, 1), (1, 63)]),  # hand landmarks
        ((0, 0), [(1, 0, 0, 144), (1, 0, 0, 144)]),
        ((16, 16), [(1, 64, 5), (1, 80, 5)]),
    ],
)
def test_outputs_of_other_families_are_no_split_head(size: tuple[int, int], shapes: list[Shape]) -> None:
    assert [split_layouts(shapes, size, kind) for kind in KINDS] == [[], [], []]


def test_model_without_an_input_size_has_no_split_head() -> None:
    assert split_layouts([(1, 64, 2100), (1, 80, 2100)], None, "boxes") == []
    assert split_layouts([(1, 64, 2100), (1, 32, 2100), (1, 80, 2100), (1, 80, 80, 32)], None, "masks") == []


def test_keypoints_have_three_channels_each() -> None:
    for channels, count in ((3, 1), (4, 0), (50, 0), (51, 1)):
        shapes = [(1, h, w, c) for w, h in cells(SIZE, (8, 16, 32)) for c in (64, 1, channels)]
        assert len(split_layouts(shapes, SIZE, "keypoints")) == count


def test_prototypes_have_8_to_64_channels() -> None:
    for channels, count in ((7, 0), (8, 1), (48, 1), (65, 0)):
        shapes = [(1, 64, 1260), (1, 5, 1260), (1, channels, 1260), (1, 48, 80, channels)]
        assert len(split_layouts(shapes, SIZE, "masks")) == count
