"""lib/n6post/draw.py: detections drawn on RGB565 and GRAYSCALE frames."""

from typing import Any

import image
import n6post
import numpy as np
import pytest
import recorded
from checks import gray, rgb565, text_of
from fakes import Array, FakeModel, Tensor
from n6post.pixels import class_color
from scenes import Thing, float_head, random_head

FORMATS = [image.RGB565, image.GRAYSCALE]
on_both_formats = pytest.mark.parametrize("pixformat", FORMATS, ids=["RGB565", "GRAYSCALE"])
RECT = (40, 50, 30, 20)


def detection(rect: tuple[int, int, int, int] = RECT, class_id: int = 0, label: str = "cat") -> Any:
    return n6post.Detection(rect, 0.876, class_id, label, None, None)


def pixels(img: Any) -> Array:
    return (rgb565 if img.format() == image.RGB565 else gray)(img)


def canvas(pixformat: int = image.RGB565, width: int = 160, height: int = 120) -> Any:
    return image.Image(width, height, pixformat)


def drawn(found: Any, pixformat: int = image.RGB565, **options: Any) -> Array:
    img = canvas(pixformat)
    n6post.draw(img, found, **options)
    return pixels(img).copy()


def segmented() -> tuple[Any, tuple[int, int]]:
    recording = recorded.load("yolov8n_seg_320", "astronaut")
    return recording.model().run(n6post.YoloV8Seg(0.4)), recording.size


def as_565(color: tuple[int, int, int]) -> int:
    return (color[0] >> 3) << 11 | (color[1] >> 2) << 5 | color[2] >> 3


class Strict(image.Image):
    """A frame that takes what both firmwares take: one tuple of ints, the rest by keyword. Of text, its own firmware's."""

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
def test_drawing_takes_one_tuple_of_ints_a_call_as_both_firmwares_do(pixformat: int) -> None:
    found, size = segmented()
    img = Strict(*size, pixformat)
    assert n6post.draw(img, found) is img
    assert pixels(img).any()


@on_both_formats
def test_nothing_found_draws_nothing(pixformat: int) -> None:
    assert not drawn([], pixformat).any()


@on_both_formats
def test_a_thin_box_is_that_of_the_firmware(pixformat: int) -> None:
    wanted = canvas(pixformat)
    wanted.draw_rectangle(RECT, color=(255, 255, 255), thickness=1)
    shown = drawn([detection()], pixformat, color=(255, 255, 255), thickness=1, labels=False)
    np.testing.assert_array_equal(shown, pixels(wanted))


@on_both_formats
@pytest.mark.parametrize("thickness", [1, 2, 5])
def test_a_box_is_drawn_along_its_rect(pixformat: int, thickness: int) -> None:
    """The rect's outermost pixels, as many more beside them as the thickness asks for, and nothing else without labels."""
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


def test_each_class_has_a_colour_of_its_own() -> None:
    colors = [class_color(class_id) for class_id in range(20)]
    assert len(set(colors)) == 20
    assert all(len(c) == 3 and all(type(v) is int and 0 <= v <= 255 for v in c) for c in colors)
    assert class_color(20) == class_color(0) and len(class_color(70000)) == 3
    shown = drawn([detection(class_id=3), detection((100, 80, 40, 30), 4)], labels=False, thickness=1)
    assert shown[50, 40] == as_565(colors[3]) and shown[80, 100] == as_565(colors[4])
    assert set(np.unique(shown)) == {0, as_565(colors[3]), as_565(colors[4])}


def test_one_colour_may_be_given_for_all() -> None:
    shown = drawn([detection(class_id=3), detection((100, 80, 40, 30), 4)], color=(0, 255, 0), labels=False)
    assert set(np.unique(shown)) == {0, as_565((0, 255, 0))}


@on_both_formats
def test_the_label_tells_name_and_score_above_the_box_in_a_colour_that_can_be_read(pixformat: int) -> None:
    texts: list[tuple[Any, str]] = []

    class Recorder(image.Image):
        def draw_string(self, *args: Any, **kwargs: Any) -> Any:
            texts.append(text_of(args))
            return super().draw_string(*args, **kwargs)

    for color in ((0, 0, 0), (255, 255, 255), (255, 255, 0), (0, 0, 160)):
        img = Recorder(160, 120, pixformat)
        img.draw_rectangle((0, 0, 160, 120), color=(100, 100, 100), fill=True)
        n6post.draw(img, [detection()], color=color)
        ((x, y), text) = texts.pop()
        assert text == "cat 88%"
        assert RECT[0] <= x <= RECT[0] + 2 and y + 8 <= RECT[1] + 1
        plate = img.copy().to_grayscale()
        values = gray(plate)[y : y + 10, x : x + 8 * len(text)].astype(int)
        assert values.max() - values.min() > 90


@on_both_formats
@pytest.mark.parametrize("at", [(0, 0), (140, 0), (0, 100), (150, 110), (160, 120)])
@pytest.mark.parametrize("size", [(0, 0), (20, 20), (160, 120)])
def test_a_label_stays_in_the_frame(pixformat: int, at: tuple[int, int], size: tuple[int, int]) -> None:
    """Its whole plate shows, wherever the box lies: as many pixels as in the middle of the frame."""
    rect = (*at, min(size[0], 160 - at[0]), min(size[1], 120 - at[1]))
    with_label = drawn([detection(rect)], pixformat, color=(255, 255, 255), boxes=False)
    middle = drawn([detection()], pixformat, color=(255, 255, 255), boxes=False)
    assert (with_label != 0).sum() == (middle != 0).sum()


def test_a_label_longer_than_the_frame_begins_at_its_edge() -> None:
    shown = drawn([detection(label="a very long name indeed")], boxes=False, color=(255, 255, 255))
    assert shown[:, 0].any()


def test_masks_boxes_and_labels_can_each_be_left_out() -> None:
    found, size = segmented()
    shown = {}
    for name in ("masks", "boxes", "labels"):
        img = canvas(width=size[0], height=size[1])
        options = {"masks": False, "boxes": False, "labels": False, name: True}
        n6post.draw(img, found, **options)
        shown[name] = pixels(img).copy()
        assert shown[name].any()
    assert (shown["masks"] != shown["boxes"]).any() and (shown["boxes"] != shown["labels"]).any()
    img = canvas(width=size[0], height=size[1])
    n6post.draw(img, found, masks=False, boxes=False, labels=False)
    assert not pixels(img).any()


@on_both_formats
@pytest.mark.parametrize("smooth", [True, False])
def test_masks_are_drawn_as_they_draw_themselves_the_best_on_top(pixformat: int, smooth: bool) -> None:
    head = random_head(8, (64, 64), 5, 8, -20)  # of several classes that overlap
    found, size = head.model().run(n6post.YoloV8Seg(0.3)), head.size
    assert len({d.class_id for d in found if d.mask.area > 100}) > 2
    img = canvas(pixformat, *size)
    n6post.draw(img, found, alpha=200, boxes=False, labels=False, smooth=smooth)
    wanted = canvas(pixformat, *size)
    for d in found[::-1]:
        d.mask.draw(wanted, class_color(d.class_id), 200, smooth)
    np.testing.assert_array_equal(pixels(img), pixels(wanted))


@on_both_formats
def test_the_best_lies_on_top(pixformat: int) -> None:
    found = [detection(class_id=0), detection(class_id=1)]
    one = drawn(found[:1], pixformat, labels=False)
    np.testing.assert_array_equal(drawn(found, pixformat, labels=False), one)


@on_both_formats
def test_an_infinite_score_is_drawn_as_the_label_alone(pixformat: int) -> None:
    d = detection()
    infinite = n6post.Detection(d.rect, float("inf"), *d[2:])
    assert drawn([infinite], pixformat).any()


def test_drawing_twice_the_same_is_the_same() -> None:
    found, size = segmented()
    pictures = []
    for _ in range(2):
        img = canvas(width=size[0], height=size[1])
        n6post.draw(img, found)
        pictures.append(pixels(img).copy())
    np.testing.assert_array_equal(*pictures)


@on_both_formats
def test_results_of_a_larger_frame_are_cut_off_at_the_edge_of_a_smaller_one(pixformat: int) -> None:
    found, _ = segmented()
    small = canvas(pixformat, 100, 80)
    n6post.draw(small, found)
    assert pixels(small).any()


@pytest.mark.parametrize("result", [None, 3, "found", {"a": 1}])
def test_what_no_processor_returns_is_refused(result: Any) -> None:
    with pytest.raises(ValueError, match="expected a list of Detection or a Segmentation, got"):
        n6post.draw(canvas(), result)


def test_a_single_detection_is_refused_with_a_hint() -> None:
    with pytest.raises(ValueError, match="expected a list of Detection.*, got"):
        n6post.draw(canvas(), detection())


def test_what_a_processor_returned_can_be_drawn_at_once() -> None:
    things = [Thing(5, (8, 8, 40, 48), {1: 0.9})]
    found = FakeModel([Tensor(float_head((64, 64), 2, things))], (64, 64)).run(n6post.YoloV8())
    img = canvas(width=64, height=64)
    n6post.draw(img, found)
    assert pixels(img).any()


def test_one_detection_alone_is_no_result() -> None:
    d = n6post.Detection((1, 2, 3, 4), 0.5, 0, "x", None, None)
    with pytest.raises(ValueError, match="expected a list of Detection or a Segmentation, got Detection"):
        n6post.draw(image.Image(32, 32, image.RGB565), d)


@pytest.mark.parametrize(
    "option",
    [
        {"alpha": -1}, {"alpha": 256}, {"alpha": 12.5}, {"thickness": -1}, {"color": (1, 2)}, {"color": 255},
        {"color": (300, 0, 0)}, {"color": (1.0, 2, 3)},
    ],
)  # fmt: skip
def test_an_option_of_draw_out_of_range_is_refused(option: dict[str, Any]) -> None:
    (name,) = option
    with pytest.raises(ValueError, match=rf"{name}: expected .*, got"):
        n6post.draw(image.Image(32, 32, image.RGB565), [], **option)
