"""lib/n6post/drawing/draw.py: detections drawn on RGB565 and GRAYSCALE frames."""

import importlib
import re
import sys
import types
from typing import Any

import image
import n6post
import numpy as np
import pytest
from assertions import ADVANCES, gray, note_texts, pixels, says, text_of, text_width
from fakes import Array, FakeModel, Framed, Tensor
from n6post import firmware
from n6post.pixels.colors import class_color
from n6post_pc.demo import recorded
from synthetic_heads import Thing, float_head, random_head
from ulab import _host

pytestmark = pytest.mark.both_firmwares

FORMATS = [image.RGB565, image.GRAYSCALE]
on_both_formats = pytest.mark.parametrize("pixformat", FORMATS, ids=["RGB565", "GRAYSCALE"])
RECT = (40, 50, 30, 20)

EXPECTED = (
    "expected a list of Detection, a Segmentation, DepthMap, AnomalyMap, Classification, zone, Trail, HeatMap, Plane"
    " or array"
)


def detection(rect: tuple[int, int, int, int] = RECT, class_id: int = 0, label: str = "cat") -> Any:
    return n6post.Detection(rect, 0.876, class_id, label, None, None)


def canvas(pixformat: int = image.RGB565, width: int = 160, height: int = 120) -> Any:
    return image.Image(width, height, pixformat)


def drawn(detections: Any, pixformat: int = image.RGB565, **options: Any) -> Array:
    img = canvas(pixformat)
    n6post.draw(img, detections, **options)
    return pixels(img).copy()


def drawn_on(size: tuple[int, int], detections: Any, **options: Any) -> Array:
    return pixels(n6post.draw(canvas(image.RGB565, *size), detections, **options))


def expected_picture(img: Any, detections: Any, masks: bool = True, boxes: bool = True, labels: bool = True) -> Any:
    """The picture that draw makes of detections without overlapping labels, with functions of the firmware only."""
    if masks:
        for d in detections[::-1]:
            if d.mask is not None:
                d.mask.draw(img, color=class_color(d.class_id), alpha=128)
    scale = 2 if img.width() >= 480 else 1
    taken: list[tuple[int, int, int, int]] = []
    for d in detections[::-1]:
        x, y, w, h = d.rect
        color = class_color(d.class_id)
        for inset in (0, 1) if boxes and w and h else ():
            img.draw_rectangle((x + inset, y + inset, w - 2 * inset, h - 2 * inset), color=color, thickness=1)
        if labels:
            text = f"{d.label} {int(d.score * 100 + 0.5)}%"
            wide, high = (text_width(text) + 1) * scale, 10 * scale + 1
            x, y = max(0, min(x, img.width() - wide)), y - high if y >= high else y
            assert not any(overlap((x, y, wide, high), other) for other in taken)
            taken.append((x, y, wide, high))
            img.draw_rectangle((x, y, wide, high), color=color, fill=True)
            ink = (0, 0, 0) if 38 * color[0] + 75 * color[1] + 15 * color[2] >= 128 * 128 else (255, 255, 255)
            x += scale
            where = ((x, y), text) if firmware.draw_string_takes_xy_tuple() else ((x, y, text),)
            img.draw_string(*where, color=ink, scale=scale, mono_space=False)
    return img


def segmented() -> tuple[Any, tuple[int, int]]:
    recording = recorded.load("yolov8n_seg_320", "astronaut")
    return recording.model().run(n6post.YoloV8Seg(0.4)), recording.size


def as_565(color: tuple[int, int, int]) -> int:
    return (color[0] >> 3) << 11 | (color[1] >> 2) << 5 | color[2] >> 3


class Strict(image.Image):
    """An image that accepts only arguments that both firmwares accept: one tuple of ints, the rest by keyword."""

    def draw_rectangle(self, *args: Any, **kwargs: Any) -> Any:
        self._check(args, 4, 4)
        return super().draw_rectangle(*args, **kwargs)

    def draw_line(self, *args: Any, **kwargs: Any) -> Any:
        self._check(args, 4, 4)
        return super().draw_line(*args, **kwargs)

    def draw_circle(self, *args: Any, **kwargs: Any) -> Any:
        self._check(args, 3, 3)
        return super().draw_circle(*args, **kwargs)

    def draw_cross(self, *args: Any, **kwargs: Any) -> Any:
        self._check(args, 2, 2)
        return super().draw_cross(*args, **kwargs)

    def draw_string(self, *args: Any, **kwargs: Any) -> Any:
        place, text = text_of(args)
        assert type(text) is str
        self._check((place,), 2, 2)
        return super().draw_string(*args, **kwargs)

    @staticmethod
    def _check(args: Any, least: int, most: int) -> None:
        assert len(args) == 1 and type(args[0]) is tuple and least <= len(args[0]) <= most
        assert all(type(v) is int for v in args[0])


@on_both_formats
def test_drawing_calls_pass_one_tuple_of_ints_for_both_firmwares(pixformat: int) -> None:
    detections, size = segmented()
    img = Strict(*size, pixformat)
    assert n6post.draw(img, detections) is img
    np.testing.assert_array_equal(pixels(img), pixels(expected_picture(canvas(pixformat, *size), detections)))


@on_both_formats
def test_an_empty_list_leaves_the_picture_unchanged(pixformat: int) -> None:
    assert not drawn([], pixformat).any()


@on_both_formats
def test_a_thin_box_equals_draw_rectangle_of_the_firmware(pixformat: int) -> None:
    wanted = canvas(pixformat)
    wanted.draw_rectangle(RECT, color=(255, 255, 255), thickness=1)
    shown = drawn([detection()], pixformat, color=(255, 255, 255), thickness=1, labels=False)
    np.testing.assert_array_equal(shown, pixels(wanted))


@on_both_formats
@pytest.mark.parametrize("thickness", [1, 2, 5])
def test_a_box_is_drawn_along_its_rect(pixformat: int, thickness: int) -> None:
    """The outermost pixels of the rect are drawn, and as many pixels beside them as the thickness demands."""
    shown = drawn([detection()], pixformat, color=(255, 255, 255), thickness=thickness, labels=False) != 0
    x, y, w, h = RECT
    edge = np.zeros_like(shown)
    edge[y : y + h, x : x + w] = True
    edge[y + 1 : y + h - 1, x + 1 : x + w - 1] = False
    near = np.zeros_like(shown)
    near[y - thickness : y + h + thickness, x - thickness : x + w + thickness] = True
    near[y + thickness : y + h - thickness, x + thickness : x + w - thickness] = False
    assert shown[edge].all() and not shown[~near].any()
    assert shown[y + h // 2].sum() == shown[:, x + w // 2].sum() == 2 * thickness


@on_both_formats
def test_a_thickness_of_0_leaves_out_boxes_only(pixformat: int) -> None:
    detections = THREE
    np.testing.assert_array_equal(drawn(detections, pixformat, thickness=0), drawn(detections, pixformat, boxes=False))
    assert not drawn(detections, pixformat, thickness=0, labels=False).any()
    masked, size = segmented()
    shown = []
    for options in ({"thickness": 0}, {"boxes": False}, {}):
        img = canvas(pixformat, *size)
        n6post.draw(img, masked, **options)
        shown.append(pixels(img).copy())
    np.testing.assert_array_equal(shown[0], shown[1])
    assert (shown[0] != shown[2]).any()


def test_each_class_has_its_own_color() -> None:
    colors = [class_color(class_id) for class_id in range(20)]
    assert len(set(colors)) == 20
    assert all(len(c) == 3 and all(type(v) is int and 0 <= v <= 255 for v in c) for c in colors)
    assert class_color(20) == class_color(0) and len(class_color(70000)) == 3
    shown = drawn([detection(class_id=3), detection((100, 80, 40, 30), 4)], labels=False, thickness=1)
    assert shown[50, 40] == as_565(colors[3]) and shown[80, 100] == as_565(colors[4])
    assert set(np.unique(shown)) == {0, as_565(colors[3]), as_565(colors[4])}


def test_a_given_color_applies_to_keypoints_and_limbs_too() -> None:
    keypoints = [k for j in range(17) for k in (9 + j, 50 - j, 0.9)]
    head = float_head((64, 64), 1, [Thing(3, (2, 3, 47, 60), {0: 0.9}, keypoints)], 51)
    detections = FakeModel([Tensor(head)], (64, 64)).run(n6post.YoloV8Pose(0.3))
    img = canvas(image.RGB565, 64, 64)
    n6post.draw(img, detections, color=(0, 0, 255), labels=False)
    assert (pixels(img) == 0x001F).sum() > 100 and not (pixels(img) & 0xFFE0).any()


def test_one_color_may_be_given_for_all() -> None:
    shown = drawn([detection(class_id=3), detection((100, 80, 40, 30), 4)], color=(0, 255, 0), labels=False)
    assert set(np.unique(shown)) == {0, as_565((0, 255, 0))}


@on_both_formats
def test_the_label_shows_name_and_score_above_the_box_legibly(pixformat: int) -> None:
    for color in ((0, 0, 0), (255, 255, 255), (255, 255, 0), (0, 0, 160)):
        img = Written(160, 120, pixformat)
        img.draw_rectangle((0, 0, 160, 120), color=(100, 100, 100), fill=True)
        n6post.draw(img, [detection()], color=color)
        ((text, (x, y)),) = img.texts
        assert text == "cat 88%"
        assert RECT[0] <= x <= RECT[0] + 2 and y + 8 <= RECT[1] + 1
        plate = img.copy().to_grayscale()
        values = gray(plate)[y : y + 10, x + 1 : x + 1 + text_width(text)].astype(int)
        assert values.max() - values.min() > 90


@pytest.mark.parametrize(
    ("color", "ink"),
    [
        # The luma is 38 r + 75 g + 15 b, of at most 32640. Text is black from 16384 on.
        ((128, 128, 128), 0),
        ((8, 200, 72), 0),
        ((128, 144, 48), 0),
        ((120, 128, 128), 0xFFFF),
        ((128, 124, 128), 0xFFFF),
        ((128, 144, 40), 0xFFFF),
    ],
)
def test_label_text_is_black_on_light_colors_and_white_on_dark_ones(color: tuple[int, int, int], ink: int) -> None:
    shown = drawn([detection()], color=color, boxes=False)
    assert set(np.unique(shown)) == {0, as_565(color), ink}
    assert (shown == as_565(color)).sum() > 200
    x, y = RECT[0] + 1, RECT[1] - 11
    assert (shown[y : y + 10, x : x + 30] == ink).sum() > 40  # "cat 88%"


@pytest.mark.parametrize(("size", "scale"), [((479, 640), 1), ((480, 320), 2), ((320, 480), 1), ((640, 100), 2)])
def test_labels_double_their_size_from_a_width_of_480_on(size: tuple[int, int], scale: int) -> None:
    shown = np.nonzero(drawn_on(size, [detection()], color=(0, 0, 160), boxes=False))
    # "cat 88%" with one column before and one after it, and a row below.
    left, top, right, bottom = shown[1].min(), shown[0].min(), shown[1].max() + 1, shown[0].max() + 1
    assert (left, right - left) == (RECT[0], 32 * scale)
    assert (bottom, bottom - top) == (RECT[1], 10 * scale + 1)


@on_both_formats
@pytest.mark.parametrize("at", [(0, 0), (140, 0), (0, 100), (150, 110), (160, 120)])
@pytest.mark.parametrize("size", [(0, 0), (20, 20), (160, 120)])
def test_a_label_stays_in_the_frame(pixformat: int, at: tuple[int, int], size: tuple[int, int]) -> None:
    """The whole background of a label is visible wherever the box is."""
    rect = (*at, min(size[0], 160 - at[0]), min(size[1], 120 - at[1]))
    with_label = drawn([detection(rect)], pixformat, color=(255, 255, 255), boxes=False)
    middle = drawn([detection()], pixformat, color=(255, 255, 255), boxes=False)
    assert (with_label != 0).sum() == (middle != 0).sum()


# --- labels= ------------------------------------------------------------------------------------------------
WRITTEN: list[tuple[str, tuple[int, int]]] = []


@pytest.fixture(autouse=True)
def _noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Collect every text that the firmware writes, with the position of its background."""
    note_texts(monkeypatch, lambda text, at, options: WRITTEN.append((text, (at[0] - options.get("scale", 1), at[1]))))


class Written(image.Image):
    """An image that lists the texts written since it was made."""

    def __init__(self, width: int = 160, height: int = 120, pixformat: int = image.RGB565) -> None:
        super().__init__(width, height, pixformat)
        WRITTEN.clear()

    @property
    def texts(self) -> list[tuple[str, tuple[int, int]]]:
        return WRITTEN


THREE = [detection((10, 30, 30, 20)), detection((60, 60, 30, 20), 1), detection((100, 90, 30, 20), 2)]


@pytest.mark.parametrize("labels", [["one", None, "three"], ("one", "", "three")])
def test_labels_may_be_a_list_of_texts(labels: Any) -> None:
    img = Written()
    n6post.draw(img, THREE, labels=labels)
    assert dict(img.texts) == {"one": (10, 19), "three": (100, 79)}


def test_labels_may_be_a_function_of_the_detection() -> None:
    asked = []

    def text(d: Any) -> str | None:
        asked.append(d)
        return None if d.class_id == 1 else f"#{d.class_id} {d.rect[0]}"

    img = Written()
    n6post.draw(img, THREE, labels=text)
    assert dict(img.texts) == {"#0 10": (10, 19), "#2 100": (100, 79)}
    assert all(d is e for d, e in zip(asked, THREE, strict=True))


def test_a_label_function_gets_the_detection_in_frame_pixels() -> None:
    img = Written()
    d = n6post.Detection((100, 80, 50, 60), 0.5, 0, "a", None, None).replace(frame_size=(320, 240))
    n6post.draw(img, [d], labels=lambda d: f"{d.rect[0]} {d.rect[1]}")
    assert img.texts == [("100 80", (50, 29))]


def test_a_detection_without_text_has_no_label_background() -> None:
    for nothing in (None, ""):
        np.testing.assert_array_equal(drawn(THREE, labels=[nothing] * 3), drawn(THREE, labels=False))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["one", "two"], "labels: expected 3 texts, one a detection, got 2"),
        ([], "labels: expected 3 texts, one a detection, got 0"),
        (["one", 2, "three"], "labels: expected texts and None, got 2"),
        (lambda d: d.score, "labels: expected texts and None, got 0.876"),
        ("person", "labels: expected True, False, a list of texts or a function, got 'person'"),
        (None, "labels: expected True, False, a list of texts or a function, got None"),
    ],
)
def test_labels_of_another_type_are_refused_before_drawing(labels: Any, message: str) -> None:
    img = canvas()
    with pytest.raises(ValueError, match=f"^{message}$"):
        n6post.draw(img, THREE, labels=labels)
    assert not pixels(img).any()


def test_a_segmentation_takes_no_label_texts() -> None:
    seen = FakeModel([Tensor(np.ones((1, 8, 8), np.uint8))], (64, 64)).run(n6post.DeepLab())
    with pytest.raises(ValueError, match="labels: expected True or False, got"):
        n6post.draw(canvas(), seen, labels=["background", "road"])


@pytest.mark.parametrize("stranger", [None, 5, "cat", (1, 2)])
def test_a_list_with_other_objects_is_refused_before_drawing(stranger: Any) -> None:
    img = canvas()
    expected = f"expected a list of Detection, got a list with {type(stranger).__name__}"
    with pytest.raises(ValueError, match=expected):
        n6post.draw(img, [*THREE, stranger])
    assert not pixels(img).any()


def test_a_zone_in_a_list_is_refused_with_the_way_to_draw_it() -> None:
    zone, trail = n6post.PolygonZone([(0, 0), (9, 0), (9, 9)]), n6post.Trail()
    for stranger in (zone, n6post.LineZone((0, 0), (9, 9)), trail):
        name = type(stranger).__name__
        message = f"expected a list of Detection, got a list with {name}: draw it by itself, with its "
        message += "draw(img)"
        with pytest.raises(ValueError, match=says(message)):
            n6post.draw(canvas(), [stranger])


# --- overlapping labels --------------------------------------------------------------------------------------
def grounds(detections: Any, width: int = 160, height: int = 120, **options: Any) -> dict[str, tuple[int, int, int, int]]:
    """(x, y, w, h) of each label's background, by its text."""
    img = Written(width, height)
    n6post.draw(img, detections, **options)
    scale = 2 if width >= 480 else 1
    return {text: (x, y, (text_width(text) + 1) * scale, 10 * scale + 1) for text, (x, y) in img.texts}


def overlap(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    return all(one[k] < other[k] + other[k + 2] and other[k] < one[k] + one[k + 2] for k in (0, 1))


def test_an_occupied_label_moves_inside_below_or_inside_at_the_bottom() -> None:
    same = [detection((20, 40, 50, 40)) for _ in range(6)]
    texts = ["a", "b", "c", "d", "e", "f"]
    tops = {text: y for text, (_, y, _, _) in grounds(same, labels=texts).items()}
    # There is no free position for the fifth one, so it is above its box.
    assert tops == {"a": 29, "b": 40, "c": 80, "d": 69, "e": 29, "f": 29}


def test_a_label_position_outside_the_frame_is_not_used() -> None:
    tops = [y for _, y, _, _ in grounds([detection((20, 5, 50, 30))] * 3, labels=["a", "b", "c"]).values()]
    assert sorted(tops) == [5, 24, 35]  # no space above
    tops = [y for _, y, _, _ in grounds([detection((20, 85, 50, 35))] * 4, labels=["a", "b", "c", "d"]).values()]
    assert sorted(tops) == [74, 74, 85, 109]  # no space below


def test_labels_that_only_touch_are_not_moved() -> None:
    detections = [detection((20, 40, 50, 9)), detection((20, 51, 50, 9)), detection((29, 40, 50, 9))]
    places = grounds(detections, labels=["aa", "b", "c"])
    assert places == {"aa": (20, 29, 9, 11), "b": (20, 40, 6, 11), "c": (29, 29, 5, 11)}


def test_the_better_detection_chooses_its_label_first_and_is_on_top() -> None:
    detections = [detection((20, 40, 60, 60)), detection((24, 42, 60, 60), 1)]
    places = grounds(detections, labels=["best", "second"])
    assert places["best"][:2] == (20, 29) and places["second"][:2] == (24, 42)
    img = Written()
    n6post.draw(img, detections, labels=["best", "second"])
    assert [text for text, _ in img.texts] == ["second", "best"]


@pytest.mark.parametrize("count", [3, 12, 16, 17, 18, 60, 150])
@pytest.mark.parametrize("size", [(320, 240), (640, 480)])
def test_a_label_overlaps_a_better_one_only_without_a_free_position(count: int, size: tuple[int, int]) -> None:
    """This holds for any number of labels: the faster way for many labels has the same rule."""
    random = np.random.default_rng(count)
    detections = []
    for _ in range(count):
        w, h = (int(v) for v in random.integers(8, 90, 2))
        rect = (int(random.integers(0, size[0] - w)), int(random.integers(0, size[1] - h)), w, h)
        detections.append(detection(rect))
    texts = [f"number {k}" for k in range(count)]
    places = grounds(detections, *size, labels=texts)
    line = 21 if size[0] >= 480 else 11
    moved = 0
    for k, (text, d) in enumerate(zip(texts, detections, strict=True)):
        _, y, _, h = d.rect
        x, got, span, _ = places[text]
        better = [places[t] for t in texts[:k]]
        wanted = [y - line if y >= line else y]
        wanted += [top for top in (y, y + h, y + h - line) if 0 <= top <= size[1] - line]
        free = [top for top in wanted if not any(overlap((x, top, span, line), other) for other in better)]
        assert got == (free or wanted)[0]
        moved += got != wanted[0]
    assert moved or count < 17


def test_without_overlaps_each_label_is_drawn_as_if_it_were_alone() -> None:
    wanted = canvas()
    for d in THREE[::-1]:
        n6post.draw(wanted, [d])
    np.testing.assert_array_equal(drawn(THREE), pixels(wanted))


def test_the_text_of_a_label_shows_its_name_and_its_score() -> None:
    """The cache of texts never returns the text of another label."""
    labels: list[tuple[Any, float, str]] = [
        ("cat", 0.5, "cat 50%"), ("cat", 0.504, "cat 50%"), ("cat", 0.505, "cat 51%"), ("dog", 0.5, "dog 50%"),
        ("cat", 1.001, "cat 100%"), ("cat", 0.0, "cat 0%"), (7, 0.5, "7 50%"),
    ]  # fmt: skip
    for label, score, text in labels:
        img = Written()
        n6post.draw(img, [n6post.Detection(RECT, score, 0, label, None, None)])
        assert [t for t, _ in img.texts] == [text]
    for k in range(1000):
        n6post.draw(canvas(), [n6post.Detection(RECT, 0.5, 0, f"n{k}", None, None)])
    assert len(vars(sys.modules["n6post.pixels.text"])["drawn"].made) < 300


def test_a_label_longer_than_the_frame_starts_at_its_left_edge() -> None:
    name = "a very long name indeed, and twice as long as usual"
    shown = drawn([detection(label=name)], boxes=False, color=(255, 255, 255))
    ground = np.zeros_like(shown, dtype=bool)
    ground[RECT[1] - 11 : RECT[1]] = True
    assert (shown[ground[:, 0], 0] == 0xFFFF).all() and not shown[~ground].any()
    text = canvas()
    text.draw_rectangle((0, 0, 160, 120), color=(255, 255, 255), fill=True)
    where = ((1, RECT[1] - 11), f"{name} 88%")
    arguments = where if firmware.draw_string_takes_xy_tuple() else ((*where[0], where[1]),)
    text.draw_string(*arguments, color=(0, 0, 0), scale=1, mono_space=False)
    np.testing.assert_array_equal(shown[ground], pixels(text)[ground])


def test_masks_boxes_and_labels_can_each_be_left_out() -> None:
    detections, size = segmented()
    shown = {}
    for name in ("masks", "boxes", "labels"):
        img = canvas(width=size[0], height=size[1])
        options = {"masks": False, "boxes": False, "labels": False, name: True}
        n6post.draw(img, detections, **options)
        shown[name] = pixels(img).copy()
        wanted = expected_picture(canvas(width=size[0], height=size[1]), detections, **options)
        np.testing.assert_array_equal(shown[name], pixels(wanted))
    assert len({one.tobytes() for one in shown.values()}) == 3
    img = canvas(width=size[0], height=size[1])
    n6post.draw(img, detections, masks=False, boxes=False, labels=False)
    assert not pixels(img).any()


@on_both_formats
@pytest.mark.parametrize("smooth", [True, False])
def test_draw_draws_masks_as_mask_draw_does_the_best_on_top(pixformat: int, smooth: bool) -> None:
    head = random_head(8, (64, 64), 5, 8, -20)  # overlapping objects of several classes
    detections, size = head.model().run(n6post.YoloV8Seg(0.3)), head.size
    assert len({d.class_id for d in detections if d.mask.area > 100}) > 2
    img = canvas(pixformat, *size)
    n6post.draw(img, detections, alpha=200, boxes=False, labels=False, antialias=smooth)
    wanted = canvas(pixformat, *size)
    for d in detections[::-1]:
        d.mask.draw(wanted, color=class_color(d.class_id), alpha=200, antialias=smooth)
    np.testing.assert_array_equal(pixels(img), pixels(wanted))


@pytest.mark.parametrize("cheap", [True, False])
def test_antialias_none_means_smooth_masks_only_if_they_are_cheap(
    cheap: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = random_head(8, (64, 64), 5, 8, -20)
    detections, size = head.model().run(n6post.YoloV8Seg(0.3)), head.size
    for module in ("draw", "masks"):
        monkeypatch.setattr(importlib.import_module(f"n6post.drawing.{module}"), "are_fast", lambda: cheap)
    shown = {}
    for smooth in (None, True, False):
        img = canvas(width=size[0], height=size[1])
        n6post.draw(img, detections, alpha=200, boxes=False, labels=False, antialias=smooth)
        own = canvas(width=size[0], height=size[1])
        for d in detections[::-1]:
            d.mask.draw(own, color=class_color(d.class_id), alpha=200, antialias=smooth)
        np.testing.assert_array_equal(pixels(img), pixels(own))
        shown[smooth] = pixels(img).copy()
    np.testing.assert_array_equal(shown[None], shown[cheap])
    assert (shown[True] != shown[False]).any()


@on_both_formats
def test_the_best_detection_is_drawn_on_top(pixformat: int) -> None:
    detections = [detection(class_id=0), detection(class_id=1)]
    one = drawn(detections[:1], pixformat, labels=False)
    np.testing.assert_array_equal(drawn(detections, pixformat, labels=False), one)


@on_both_formats
@pytest.mark.parametrize("score", [float("inf"), float("nan")])
def test_a_score_that_is_not_finite_is_left_out_of_the_label(pixformat: int, score: float) -> None:
    d = detection()
    odd = n6post.Detection(d.rect, score, *d[2:])
    np.testing.assert_array_equal(drawn([odd], pixformat), drawn([d], pixformat, labels=[d.label]))


def labels_of(monkeypatch: pytest.MonkeyPatch, detections: list[Any], **options: Any) -> list[str]:
    """The texts of the labels that are drawn, in the order of the detections."""
    written: list[str] = []
    module = importlib.import_module("n6post.drawing.draw")
    kernels = vars(module.drawing_kernels) | {"box": lambda frame, block, text, font: written.append(text)}
    monkeypatch.setattr(module, "drawing_kernels", types.SimpleNamespace(**kernels))
    n6post.draw(canvas(), detections, **options)
    return written[::-1]


@pytest.mark.parametrize("score", [0, 0.0, -0.001, -0.3, 0.004, 0.005, 0.995, 1, 1.0, 1.004, 1.26, 1.27, 1.28, 2, 5.5])
def test_a_label_has_its_score_in_percent_in_each_frame(monkeypatch: pytest.MonkeyPatch, score: float) -> None:
    d = n6post.Detection(RECT, score, 0, "cat", None, None)
    percent = int(np.float64(score) * 100 + 0.5)
    for _ in range(3):
        assert labels_of(monkeypatch, [d]) == [f"cat {percent}%"]


def test_labels_stay_right_while_more_appear_than_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = np.random.default_rng(3)
    for _ in range(60):
        detections, expected = [], []
        for _ in range(20):
            percent, name, track = int(dice.integers(0, 101)), f"kind {dice.integers(90)}", int(dice.integers(0, 400))
            detections.append(n6post.Detection(RECT, percent / 100, 0, name, None, None).replace(track_id=track or None))
            expected.append((f"#{track} " if track else "") + f"{name} {percent}%")
        assert labels_of(monkeypatch, detections) == expected


def test_labels_of_tracks_are_told_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    untracked = [n6post.Detection(RECT, 0.5, 0, name, None, None) for name in ("1", "", "1", "a")]
    tracked = [untracked[0].replace(track_id=1), untracked[3].replace(track_id=1)]
    for _ in range(2):
        assert labels_of(monkeypatch, untracked) == ["1 50%", " 50%", "1 50%", "a 50%"]
        assert labels_of(monkeypatch, tracked) == ["#1 1 50%", "#1 a 50%"]


def test_drawing_the_same_result_twice_gives_the_same_picture() -> None:
    detections, size = segmented()
    pictures = []
    for _ in range(2):
        img = canvas(width=size[0], height=size[1])
        n6post.draw(img, detections)
        pictures.append(pixels(img).copy())
    np.testing.assert_array_equal(*pictures)


@on_both_formats
def test_results_of_an_unknown_larger_frame_are_cut_off_at_the_edge(pixformat: int) -> None:
    recording = recorded.load("yolov8n_seg_320", "astronaut")
    detections = recording.model().run(n6post.YoloV8Seg(0.4), Framed((0, 0, *recording.size)))
    small, large = canvas(pixformat, 100, 80), canvas(pixformat, *recording.size)
    n6post.draw(small, detections, labels=False)
    expected_picture(large, detections, labels=False)
    np.testing.assert_array_equal(pixels(small), pixels(large)[:80, :100])


@pytest.mark.parametrize("result", [None, 3, "found", {"a": 1}])
def test_draw_refuses_anything_but_a_result(result: Any) -> None:
    came = type(result).__name__
    with pytest.raises(ValueError, match=says(f"{EXPECTED}, got {came}")):
        n6post.draw(canvas(), result)


def test_a_single_detection_is_refused_with_a_hint() -> None:
    with pytest.raises(ValueError, match=says(f"{EXPECTED}, got Detection")):
        n6post.draw(canvas(), detection())


def test_the_result_of_a_processor_can_be_drawn_directly() -> None:
    things = [Thing(5, (8, 8, 40, 48), {1: 0.9})]
    detections = FakeModel([Tensor(float_head((64, 64), 2, things))], (64, 64)).run(n6post.YoloV8())
    img = canvas(width=64, height=64)
    n6post.draw(img, detections)
    np.testing.assert_array_equal(pixels(img), pixels(expected_picture(canvas(width=64, height=64), detections)))
    assert pixels(img)[30, 8] == pixels(img)[30, 39] == as_565(class_color(1)) and pixels(img)[30, 7] == 0


def test_a_detection_outside_a_list_is_refused() -> None:
    d = n6post.Detection((1, 2, 3, 4), 0.5, 0, "x", None, None)
    with pytest.raises(ValueError, match=f"{EXPECTED}, got Detection"):
        n6post.draw(image.Image(32, 32, image.RGB565), d)


@pytest.mark.parametrize(
    "option",
    [
        {"alpha": -1}, {"alpha": 256}, {"alpha": 12.5}, {"thickness": -1}, {"color": (1, 2)}, {"color": 255},
        {"color": (300, 0, 0)}, {"color": (1.0, 2, 3)},
    ],
)  # fmt: skip
def test_an_option_of_draw_out_of_range_is_refused(option: dict[str, Any]) -> None:
    ((name, value),) = option.items()
    wanted = {
        "alpha": "an integer from 0 to 255", "thickness": "an integer from 0 to 100",
        "color": "r, g and b from 0 to 255" if value == (300, 0, 0) else "(r, g, b)",
    }[name]  # fmt: skip
    if value == 255:
        wanted = "(r, g, b), a list of colors or a function"
    with pytest.raises(ValueError, match=says(f"{name}: expected {wanted}, got {value!r}")):
        n6post.draw(image.Image(32, 32, image.RGB565), [], **option)


# --- color_by ------------------------------------------------------------------------------
def tracked(track_id: int | None, d: Any) -> Any:
    return d.replace(track_id=track_id)


def shown_colors(detections: Any, **options: Any) -> list[int]:
    """The color of each detection's box in its upper left corner."""
    img = canvas()
    n6post.draw(img, detections, labels=False, **options)
    return [int(pixels(img)[d.rect[1], d.rect[0]]) for d in detections]


def test_color_by_gives_a_color_to_each_class_track_or_instance() -> None:
    detections = [tracked(7, THREE[0]), tracked(4, THREE[1]), tracked(None, THREE[2])]
    detections += [tracked(7, detection((60, 10, 20, 20), 2))]
    classes, tracks = (0, 1, 2, 2), (7, 4, None, 7)
    to_openmv = [as_565(class_color(c)) for c in classes]
    assert shown_colors(detections) == shown_colors(detections, color_by="class") == to_openmv
    by_track = [as_565((255, 255, 255) if t is None else class_color(t)) for t in tracks]
    assert shown_colors(detections, color_by="track") == by_track
    assert shown_colors(detections, color_by="instance") == [as_565(class_color(k)) for k in range(4)]
    assert shown_colors(detections, color_by="track", color=(0, 0, 255)) == [0x001F] * 4


@pytest.mark.parametrize("color_by", ["track", "instance"])
def test_masks_and_label_backgrounds_have_the_color_of_their_box(color_by: str) -> None:
    head = random_head(8, (64, 64), 5, 8, -20)
    detections = [tracked(k + 30, d) for k, d in enumerate(head.model().run(n6post.YoloV8Seg(0.3)))]
    colors = [class_color(k + 30 if color_by == "track" else k) for k in range(len(detections))]
    assert len(detections) > 3
    nothing: list[str | None] = [None] * len(detections)
    for masks, boxes, texts in ((True, False, nothing), (False, True, nothing), (False, False, [None, "a", *nothing[2:]])):
        img, wanted = canvas(width=64, height=64), canvas(width=64, height=64)
        n6post.draw(img, detections, masks=masks, boxes=boxes, labels=texts, color_by=color_by, alpha=255)
        for d, color, text in list(zip(detections, colors, texts, strict=True))[::-1]:
            n6post.draw(wanted, [d], color=color, masks=masks, boxes=boxes, labels=[text], alpha=255)
        assert pixels(img).any()
        np.testing.assert_array_equal(pixels(img), pixels(wanted))


def test_keypoints_and_limbs_are_colored_by_side_or_by_person() -> None:
    keypoints = [k for j in range(17) for k in (9 + j, 50 - j, 0.9)]
    head = float_head((64, 64), 1, [Thing(3, (2, 3, 47, 60), {0: 0.9}, keypoints)], 51)
    (person,) = FakeModel([Tensor(head)], (64, 64)).run(n6post.YoloV8Pose(0.3))
    sides, own = set(), {}
    for color_by in ("class", "track", "instance"):
        img = canvas(width=64, height=64)
        n6post.draw(img, [tracked(11, person)], color_by=color_by, boxes=False, labels=False)
        if color_by == "class":
            sides = set(np.unique(pixels(img)).tolist())
        else:
            own[color_by] = pixels(img).copy()
    assert {as_565(c) for c in ((0, 160, 255), (255, 128, 0), (255, 255, 255))} <= sides
    for color_by, number in (("track", 11), ("instance", 0)):
        wanted = canvas(width=64, height=64)
        n6post.draw(wanted, [person], color=class_color(number), boxes=False, labels=False)
        np.testing.assert_array_equal(own[color_by], pixels(wanted))


def test_colors_by_track_are_the_same_on_a_picture_of_another_size() -> None:
    img = canvas()
    d = n6post.Detection((100, 80, 50, 60), 0.5, 0, "a", None, None).replace(frame_size=(320, 240))
    n6post.draw(img, [tracked(9, d)], color_by="track", labels=False)
    assert pixels(img)[40, 50] == as_565(class_color(9))


@pytest.mark.parametrize("word", ["id", "Track", None, 3, ["class"]])
def test_an_unknown_color_by_is_refused_with_the_known_ones(word: Any) -> None:
    img = canvas()
    message = f"color_by: expected 'class', 'track' or 'instance', got {word!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        n6post.draw(img, THREE, color_by=word)
    assert not pixels(img).any()


@pytest.mark.parametrize("word", ["track", "instance"])
def test_a_segmentation_has_colors_by_class_only(word: Any) -> None:
    seen = FakeModel([Tensor(np.ones((1, 8, 8), np.uint8))], (64, 64)).run(n6post.DeepLab())
    img = canvas()
    with pytest.raises(ValueError, match=f"color_by: expected 'class' for a Segmentation, got '{word}'"):
        n6post.draw(img, seen, color_by=word)
    assert not pixels(img).any()


def test_the_label_of_a_track_starts_with_its_id() -> None:
    detections = [tracked(3, THREE[0]), tracked(None, THREE[1]), tracked(12, THREE[2])]
    for _ in range(2):  # the second time from the cache
        img = Written()
        n6post.draw(img, detections)
        assert sorted(text for text, _ in img.texts) == ["#12 cat 88%", "#3 cat 88%", "cat 88%"]
    img = Written()
    n6post.draw(img, detections, labels=["a", None, "c"])
    assert sorted(text for text, _ in img.texts) == ["a", "c"]


# --- color= by detection, text_scale=, roi= --------------------------------------------------------------------------
PAINTED = [(255, 0, 0), None, (0, 0, 0)]


@on_both_formats
def test_colors_may_be_a_list_with_none_for_the_usual_color(pixformat: int) -> None:
    wanted = canvas(pixformat)
    for d, color in zip(THREE[::-1], PAINTED[::-1], strict=True):
        n6post.draw(wanted, [d], color=color)
    for colors in (PAINTED, tuple(PAINTED), [list(c) if c else c for c in PAINTED]):
        np.testing.assert_array_equal(drawn(THREE, pixformat, color=colors), pixels(wanted))


def test_colors_may_be_a_function_of_the_detection_in_frame_pixels() -> None:
    asked = []

    def color(d: Any) -> tuple[int, int, int] | None:
        asked.append(d)
        return PAINTED[d.class_id]

    np.testing.assert_array_equal(drawn(THREE, color=color), drawn(THREE, color=PAINTED))
    assert all(d is e for d, e in zip(asked[:3], THREE, strict=True))
    far = THREE[0].replace(frame_size=(320, 240))
    drawn([far], color=color)
    assert asked[-1] is far


def test_masks_and_keypoints_follow_the_color_of_their_detection() -> None:
    detections, size = segmented()
    colors = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)][: len(detections)]
    img, wanted = canvas(image.RGB565, *size), canvas(image.RGB565, *size)
    n6post.draw(img, detections, color=colors, boxes=False, labels=False)
    for d, color in zip(detections[::-1], colors[::-1], strict=True):
        d.mask.draw(wanted, color=color)
    np.testing.assert_array_equal(pixels(img), pixels(wanted))
    points = some_keypoints()
    poses = [n6post.Detection((5, 5, 60, 90), 0.9, 0, "person", None, points)]
    usual = drawn(poses, boxes=False, labels=False)
    np.testing.assert_array_equal(drawn(poses, boxes=False, labels=False, color=[None]), usual)
    shown = drawn(poses, boxes=False, labels=False, color=[(255, 0, 0)])
    assert (shown != 0).any() and not (shown & 0x7FF).any() and (usual & 0x7FF).any()  # red only


def some_keypoints() -> Any:
    random = np.random.default_rng(2)
    points = np.column_stack([random.uniform(10, 60, 17), random.uniform(10, 90, 17), np.ones(17)])
    return _host.wrap(points.astype(np.float32))


@pytest.mark.parametrize(
    ("color", "message"),
    [
        ([(1, 2, 3), None], "color: expected 3 colors, one a detection, got 2"),
        ([], "color: expected 3 colors, one a detection, got 0"),
        ([(1, 2, 3), (1, 2), None], r"color: expected \(r, g, b\), got \(1, 2\)"),
        ([(1, 2, 3), 5, None], r"color: expected \(r, g, b\), got \[\(1, 2, 3\), 5, None\]"),
        ((1, 2, 300), r"color: expected r, g and b from 0 to 255, got \(1, 2, 300\)"),
        (lambda d: 7, r"color: expected \(r, g, b\), got 7"),
        (lambda d: (0, 0, -1), r"color: expected r, g and b from 0 to 255, got \(0, 0, -1\)"),
        ("red", r"color: expected \(r, g, b\), a list of colors or a function, got 'red'"),
    ],
)
def test_colors_of_another_type_are_refused_before_drawing(color: Any, message: str) -> None:
    img = canvas()
    with pytest.raises(ValueError, match=f"^{message}$"):
        n6post.draw(img, THREE, color=color)
    assert not pixels(img).any()


def test_only_detections_have_a_list_of_colors() -> None:
    zone = n6post.PolygonZone([(0, 0), (9, 0), (9, 9)])
    for color in ([(1, 2, 3)], lambda d: (1, 2, 3)):
        with pytest.raises(ValueError, match=r"^color: expected \(r, g, b\), got "):
            n6post.draw(canvas(), zone, color=color)  # type: ignore[arg-type]


@pytest.mark.parametrize("scale", range(1, 9))
def test_labels_and_their_places_follow_text_scale(scale: int) -> None:
    img = Written(470, 300)
    n6post.draw(img, [detection((150, 120, 60, 50))], text_scale=scale, color=(255, 255, 255), boxes=False)
    y, x = np.nonzero(pixels(img) == 0xFFFF)
    high = 10 * scale + 1
    assert img.texts == [("cat 88%", (150, 120 - high))]
    assert (x.min(), y.min(), x.max() + 1, y.max() + 1) == (150, 120 - high, 150 + 32 * scale, 120)


@pytest.mark.parametrize("value", [0, 9, 1.5, "2"])
def test_a_wrong_text_scale_is_refused(value: Any) -> None:
    for result in (THREE, n6post.LineZone((0, 0), (9, 9))):
        with pytest.raises(ValueError, match=says(f"text_scale: expected an integer from 1 to 8, got {value!r}")):
            n6post.draw(canvas(), result, text_scale=value)


def test_zones_and_legends_follow_text_scale() -> None:
    line = n6post.LineZone((40, 60), (150, 60))
    classes = FakeModel([Tensor(np.ones((1, 6, 8), np.uint8))], (160, 120)).run(n6post.DeepLab())
    for result, text in ((line, "in 0"), (classes, classes.label(1))):
        sizes = []
        for scale in (1, 3):
            img = Written()
            n6post.draw(img, result, text_scale=scale, alpha=0, thickness=0)
            assert text in dict(img.texts)
            sizes.append(int((pixels(img) == 0xFFFF).sum()))
        assert sizes[1] == 9 * sizes[0]


ROI = (40, 20, 80, 60)


def test_a_crop_shows_what_the_whole_frame_shows_there() -> None:
    """Boxes and masks of a picture that shows a part of the frame, whatever its aspect ratio."""
    detections, size = segmented()
    whole = canvas(image.RGB565, *size)
    n6post.draw(whole, detections, labels=False)
    for roi in ((40, 20, 80, 60), (0, 0, 300, 33), (101, 55, 219, 265), (0, 0, *size)):
        x, y, w, h = roi
        part = canvas(image.RGB565, w, h)
        n6post.draw(part, detections, labels=False, roi=roi)
        different = pixels(part) != pixels(whole)[y : y + h, x : x + w]
        assert different.mean() < 0.02  # masks are interpolated from another start


def test_labels_in_a_crop_are_placed_by_what_is_visible_of_the_box() -> None:
    boxes = [detection((30, 30, 40, 30)), detection((0, 0, 20, 20), 1), detection((100, 70, 50, 40), 2)]
    img = Written(80, 60)
    n6post.draw(img, boxes, roi=ROI, labels=["first", "hidden", "third"])
    assert dict(img.texts) == {"first": (0, 10), "third": (60, 39)}
    img = Written(80, 60)
    n6post.draw(img, [boxes[1]], roi=ROI)
    assert img.texts == [] and not pixels(img).any()


def test_zones_and_trails_are_drawn_where_they_are_in_a_crop() -> None:
    line, polygon = n6post.LineZone((50, 40), (110, 70)), n6post.PolygonZone([(45, 25), (115, 25), (100, 75)])
    trail = n6post.Trail()
    for x in (50, 80, 110):
        trail.update([detection((x, 50, 4, 4)).replace(track_id=1)])
    for thing in (line, polygon, trail):
        whole, part = canvas(), canvas(width=80, height=60)
        n6post.draw(whole, thing, labels=False, thickness=1)
        n6post.draw(part, thing, labels=False, thickness=1, roi=ROI)
        np.testing.assert_array_equal(pixels(part), pixels(whole)[20:80, 40:120])
    double = canvas(width=160, height=120)
    n6post.draw(double, polygon, roi=ROI)
    assert pixels(double).any()
    away = canvas(width=20, height=20)
    n6post.draw(n6post.draw(away, line, roi=(130, 90, 20, 20)), polygon, roi=(130, 90, 20, 20))
    assert not pixels(away).any()


def test_class_maps_are_drawn_where_they_are_in_a_crop() -> None:
    classes = np.random.default_rng(0).integers(0, 3, (1, 12, 16)).astype(np.uint8)
    seen = FakeModel([Tensor(classes)], (160, 120)).run(n6post.DeepLab())
    whole, part = canvas(), canvas(width=80, height=60)
    n6post.draw(whole, seen, labels=False, alpha=255)
    n6post.draw(part, seen, labels=False, alpha=255, roi=ROI)
    np.testing.assert_array_equal(pixels(part), pixels(whole)[20:80, 40:120])


@pytest.mark.parametrize("roi", [(0, 0, 0, 5), (-1, 0, 5, 5), (0, 0, 5), "abcd", (0.0, 0, 5, 5), 7])
def test_a_wrong_roi_is_refused_before_drawing(roi: Any) -> None:
    for result in (THREE, [], n6post.LineZone((0, 0), (9, 9))):
        img = canvas()
        with pytest.raises(ValueError, match="^roi: expected "):
            n6post.draw(img, result, roi=roi)
        assert not pixels(img).any()


# --- text drawn by a kernel --------------------------------------------------------------------------------------------
def test_the_kernel_gets_the_firmwares_glyph_of_every_character(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each glyph is drawn once and then cached, at the left edge of its cell, with the columns to the next character."""
    module, text = importlib.import_module("n6post.drawing.draw"), importlib.import_module("n6post.pixels.text")
    font = bytearray(95 * 80) + "".join(map(str, ADVANCES)).encode()
    monkeypatch.setattr(module, "font", font)
    monkeypatch.setattr(text, "font", font)
    monkeypatch.setattr(text, "_known", {})
    monkeypatch.setattr(vars(text)["drawn"], "made", {})
    plain, written = module.drawing_kernels.box, []

    def box(frame: Any, block: Any, text: str, given: Any) -> None:
        assert given is font
        for letter in text:
            if " " <= letter <= "~":
                glyph = image.Image(8, 10, image.GRAYSCALE)
                arguments = ((0, 0), letter) if firmware.draw_string_takes_xy_tuple() else ((0, 0, letter),)
                glyph.draw_string(*arguments, color=(255, 255, 255))
                columns = np.flatnonzero(gray(glyph).any(axis=0))
                shift = columns[0] if len(columns) else 0
                at = ord(letter) - 32
                assert font[80 * at : 80 * at + 80] == np.roll(gray(glyph), -shift, axis=1).tobytes()
                assert font[95 * 80 + at] == ord("0") + text_width(letter)
        written.append(text)
        plain(frame, block, text, None)

    monkeypatch.setattr(module, "drawing_kernels", types.SimpleNamespace(**vars(module.drawing_kernels) | {"box": box}))
    every = "".join(map(chr, range(32, 127)))
    texts = ["person 75%", "caf\u00e9\n\u4e2d", every[:40], every[40:], every]
    for label in texts:
        n6post.draw(canvas(), [detection()], labels=[label])
        n6post.draw(canvas(), [detection()], labels=[label])
    assert written[::2] == written[1::2] == texts
    spelled = vars(text)["_known"]
    assert all(letter in spelled for letter in every) and "\u00e9" not in spelled
    for k in range(1000):
        n6post.draw(canvas(), [detection()], labels=[f"n{k}"])
    assert len(spelled) < 500
