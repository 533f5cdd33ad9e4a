"""lib/n6post/drawing/text.py: text written into a picture, on both firmwares."""

from __future__ import annotations

import importlib
from typing import Any

import image
import n6post
import numpy as np
import pytest
from assertions import pixels, says, text_width
from fakes import Array
from n6post import firmware
from n6post.pixels.colors import target_of

pytestmark = pytest.mark.both_firmwares

FORMATS = [image.RGB565, image.GRAYSCALE]
on_both_formats = pytest.mark.parametrize("pixformat", FORMATS, ids=["RGB565", "GRAYSCALE"])


def canvas(pixformat: int = image.RGB565, width: int = 160, height: int = 120) -> Any:
    return image.Image(width, height, pixformat)


def by_firmware(img: Any, x: int, y: int, text: str, color: Any, scale: int) -> Any:
    where = ((x, y), text) if firmware.draw_string_takes_xy_tuple() else ((x, y, text),)
    return img.draw_string(*where, color=color, scale=scale, mono_space=False)


def ink(img: Any) -> tuple[int, int, int, int]:
    """(x, y, w, h) of what is drawn."""
    y, x = np.nonzero(pixels(img))
    return int(x.min()), int(y.min()), int(x.max() - x.min() + 1), int(y.max() - y.min() + 1)


@on_both_formats
@pytest.mark.parametrize("scale", range(1, 9))
@pytest.mark.parametrize("at", [(10, 20), (-7, 3), (150, 110), (-300, 5), (5, -90), (400, 400)])
def test_text_equals_the_proportional_text_of_the_firmware(pixformat: int, scale: int, at: tuple[int, int]) -> None:
    img, wanted = canvas(pixformat), canvas(pixformat)
    text = "fps: 29.7 (jgq) @#~|"
    assert n6post.text(img, at, text, color=(255, 160, 0), scale=scale) is img
    by_firmware(wanted, at[0] + scale, at[1], text, (255, 160, 0), scale)
    np.testing.assert_array_equal(pixels(img), pixels(wanted))


def test_text_doubles_its_size_from_a_width_of_480_on() -> None:
    for width, scale in ((479, 1), (480, 2)):
        img, wanted = canvas(width=width), canvas(width=width)
        n6post.text(img, (3, 4), "abc")
        n6post.text(wanted, (3, 4), "abc", scale=scale)
        np.testing.assert_array_equal(pixels(img), pixels(wanted))


@on_both_formats
@pytest.mark.parametrize("text", ["abc", "a longer text", "two\nlines of it", "x\n\nyz", "a\r\nb", ""])
@pytest.mark.parametrize("scale", [1, 3])
def test_the_background_surrounds_the_text(pixformat: int, text: str, scale: int) -> None:
    img = canvas(pixformat)
    n6post.text(img, (5, 7), text, color=(255, 255, 255), background=(255, 255, 255), scale=scale)
    lines = text.replace("\r\n", "\n").split("\n")
    assert ink(img) == (5, 7, (max(map(text_width, lines)) + 1) * scale, 10 * len(lines) * scale)
    assert pixels(img)[pixels(img) != 0].min() == pixels(img).max()


def test_each_line_begins_below_the_one_before() -> None:
    img, wanted = canvas(), canvas()
    n6post.text(img, (5, 7), "one\ntwo", scale=2)
    n6post.text(wanted, (5, 7), "one", scale=2)
    n6post.text(wanted, (5, 27), "two", scale=2)
    np.testing.assert_array_equal(pixels(img), pixels(wanted))


@pytest.mark.parametrize("anchor", [
    "top_left", "top_center", "top_right", "center_left", "center", "center_right", "bottom_left", "bottom_center",
    "bottom_right",
])  # fmt: skip
@pytest.mark.parametrize("text", ["abcd", "a\nlonger text"])
def test_the_anchor_is_the_point_of_the_text_at_xy(anchor: Any, text: str) -> None:
    img = canvas()
    n6post.text(img, (80, 60), text, background=(255, 0, 0), color=(255, 0, 0), align=anchor)
    x, y, w, h = ink(img)
    row, _, column = anchor.partition("_") if anchor != "center" else ("center", "", "center")
    across = {"left": (80, 80), "right": (80 - w + 1,) * 2, "center": (80 - w // 2, 80 - (w - 1) // 2)}[column]
    down = {"top": (60, 60), "bottom": (60 - h + 1,) * 2, "center": (60 - h // 2, 60 - (h - 1) // 2)}[row]
    assert x in across and y in down


def test_text_in_the_corners_touches_the_edges() -> None:
    for anchor, xy in (("top_left", (0, 0)), ("bottom_right", (159, 119))):
        img = canvas()
        n6post.text(img, xy, "abc", background=(255, 0, 0), color=(255, 0, 0), align=anchor)  # type: ignore[arg-type]
        x, y, w, h = ink(img)
        assert (x, y) == (0, 0) if anchor == "top_left" else (x + w, y + h) == (160, 120)
        assert w == text_width("abc") + 1


def test_characters_without_a_glyph_are_left_out() -> None:
    img, wanted = canvas(), canvas()
    n6post.text(img, (5, 7), "20 °C, 日本\x7f!")
    n6post.text(wanted, (5, 7), "20 C, !")
    np.testing.assert_array_equal(pixels(img), pixels(wanted))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (((1, 2), 7), {}, "what: expected a text, got 7"),
        (((1, 2), b"a"), {}, "what: expected a text, got b'a'"),
        (((1,), "a"), {}, "xy: expected (x, y), two integers, got (1,)"),
        ((5, "a"), {}, "xy: expected (x, y), two integers, got 5"),
        (((1.5, 2), "a"), {}, "xy: expected (x, y), two integers, got (1.5, 2)"),
        (((1, 40000), "a"), {}, "xy: expected (x, y), two integers, got (1, 40000)"),
        (((1, 2), "a"), {"color": 7}, "color: expected (r, g, b), got 7"),
        (((1, 2), "a"), {"background": (1, 2)}, "color: expected (r, g, b), got (1, 2)"),
        (((1, 2), "a"), {"scale": 0}, "scale: expected an integer from 1 to 8, got 0"),
        (((1, 2), "a"), {"scale": 9}, "scale: expected an integer from 1 to 8, got 9"),
        (((1, 2), "a"), {"scale": 1.5}, "scale: expected an integer from 1 to 8, got 1.5"),
    ],
)
def test_wrong_arguments_are_refused_before_drawing(arguments: Any, options: Any, message: str) -> None:
    img = canvas()
    with pytest.raises(ValueError, match=says(message)):
        n6post.text(img, *arguments, **options)
    assert not pixels(img).any()


def test_another_anchor_or_another_image_is_refused() -> None:
    with pytest.raises(ValueError, match="^align: expected one of 'top_left', .*, got 'left'$"):
        n6post.text(canvas(), (1, 2), "a", align="left")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="^expected an RGB565 or GRAYSCALE image to draw on"):
        n6post.text(image.Image(9, 9, image.BINARY), (1, 2), "a")
    with pytest.raises(ValueError, match="^img: expected an image to draw on, got int"):
        n6post.text(5, (1, 2), "a")  # type: ignore[arg-type]


# --- texts that are in the picture already (drawing/earlier.py) --------------------------------------------------------
def detection(rect: tuple[int, int, int, int], label: str = "cat", class_id: int = 0) -> Any:
    return n6post.Detection(rect, 0.876, class_id, label, None, None)


FIRST = [detection((20, 40, 60, 50)), detection((90, 40, 50, 60), "a dog", 1)]
SECOND = [detection((22, 42, 60, 50), "somebody", 2), detection((93, 37, 50, 60), "x", 3)]


def shown(img: Any, text: str) -> list[tuple[int, int]]:
    """Where a text is readable: every pixel of its ink has one color, and every other of its lines another."""
    wide = text_width(text) + 1
    glyphs = image.Image(wide, 10, image.GRAYSCALE)
    by_firmware(glyphs, 1, 0, text, (255, 255, 255), 1)
    letters = pixels(glyphs) != 0
    seen = pixels(img)
    places = []
    for y in range(seen.shape[0] - 9):
        for x in range(seen.shape[1] - wide + 1):
            if seen[y, x] == seen[y + 9, x] == seen[y, x + wide - 1]:
                part = seen[y : y + 10, x : x + wide]
                if part[letters][0] != part[0, 0] and (part[letters] == part[letters][0]).all():
                    if (part[~letters] == part[0, 0]).all():
                        places.append((x, y))
    return places


def scene(pixformat: int = image.RGB565, width: int = 160, height: int = 120) -> Any:
    """A frame as a camera takes it, with noise."""
    img = canvas(pixformat, width, height)
    seen = pixels(img).copy()
    noise = np.random.default_rng(5).integers(0, 1 << 16 if pixformat == image.RGB565 else 256, seen.shape)
    img.bytearray()[:] = noise.astype(seen.dtype).tobytes()
    return img


LABELS = ["cat 88%", "a dog 88%", "somebody 88%", "x 88%"]


@on_both_formats
def test_the_labels_of_two_drawings_on_one_picture_are_all_readable(pixformat: int) -> None:
    img = scene(pixformat)
    n6post.draw(img, FIRST)
    n6post.draw(img, SECOND)
    places = [shown(img, text) for text in LABELS]
    assert [len(found) for found in places] == [1, 1, 1, 1]


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("masks", [False, True])
def test_zones_and_labels_are_readable_in_any_order(swapped: bool, masks: bool) -> None:
    line, polygon = n6post.LineZone((10, 60), (150, 62)), n6post.PolygonZone([(30, 20), (150, 20), (150, 100), (30, 100)])
    things = [line, FIRST, polygon, SECOND]
    img = scene()
    for thing in things[::-1] if swapped else things:
        n6post.draw(img, thing, color=(200, 200, 0) if masks and thing is SECOND else None)
    for text in ("in 0", "out 0", "0", *LABELS):
        assert len(shown(img, text)) >= 1, text


def test_a_trail_or_another_box_over_a_label_leaves_it_readable() -> None:
    img = scene()
    n6post.draw(img, FIRST)
    n6post.draw(img, [detection((18, 30, 12, 60))], labels=False, thickness=4)
    trail = n6post.Trail()
    for x in (5, 150):
        trail.update([detection((x, 30, 4, 4)).replace(track_id=1)])
    n6post.draw(img, trail, thickness=3)
    assert [len(shown(img, text)) for text in LABELS[:2]] == [1, 1]


def test_a_picture_is_recognized_although_a_box_crosses_its_last_label() -> None:
    worse, better = detection((60, 40, 60, 50), "a dog", 1), detection((90, 20, 50, 60))
    img = scene()
    n6post.draw(img, [better, worse])
    assert [len(shown(img, text)) for text in LABELS[:2]] == [1, 0]  # the better one's box crosses "a dog"
    n6post.draw(img, n6post.LineZone((0, 15), (159, 15)), labels=False)
    assert len(shown(img, LABELS[0])) == 1  # the line would cross "cat"


@pytest.mark.parametrize("color", [(255, 0, 0), (0, 0, 255), (0, 255, 0), (8, 0, 0)])
def test_a_cleared_picture_is_not_searched_for_texts(monkeypatch: pytest.MonkeyPatch, color: tuple[int, int, int]) -> None:
    """Red has a byte of 0 in RGB565, as black has."""
    earlier = importlib.import_module("n6post.drawing.earlier")
    monkeypatch.setattr(earlier, "are_there", lambda *arguments: pytest.fail("the picture is searched"))
    importlib.import_module("n6post.pixels.text").drawn.picture[0] = None  # the picture of an earlier test
    img = canvas()
    for _ in range(2):
        img.clear()
        n6post.draw(img, FIRST, color=color)
        img.clear()
        n6post.text(img, (3, 4), "abc", background=color)


def test_texts_are_written_again_in_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call allocates: in a frame in which an area of the heap is nearly full, 26 calls took 6 million instructions."""
    importlib.import_module("n6post.drawing.earlier")  # its own calls are not counted
    painted = importlib.import_module("n6post.drawing.painted_text")
    img = scene()
    n6post.draw(img, FIRST)
    texts = importlib.import_module("n6post.pixels.text").drawn.texts
    calls = []
    paint = painted.paint

    def counted(target: Any, entries: Any) -> None:
        calls.append(list(entries))
        paint(target, entries)

    monkeypatch.setattr(painted, "paint", counted)
    n6post.draw(img, n6post.LineZone((0, 60), (159, 60)), labels=False)
    assert len(texts) == len(FIRST) > 1 and calls == [list(texts)]


def test_labels_are_texts_once_however_often_something_is_drawn() -> None:
    img = scene()
    n6post.draw(img, FIRST)
    n6post.text(img, (100, 5), "abc")  # without a background: the picture is still recognized by a label
    for y in (60, 70):
        n6post.draw(img, n6post.LineZone((0, y), (159, y)), labels=False)
    texts = importlib.import_module("n6post.pixels.text").drawn.texts
    assert [text for _, _, _, _, text, *_ in texts] == [LABELS[1], LABELS[0], "abc"]


def test_texts_are_forgotten_if_a_drawing_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    lib = importlib.import_module("n6post.drawing.draw")
    texts = importlib.import_module("n6post.pixels.text").drawn.texts

    def fail(*arguments: Any) -> None:
        raise MemoryError

    img = scene()
    n6post.text(img, (3, 3), "before", background=(0, 0, 90))
    with monkeypatch.context() as patch:
        patch.setattr(lib, "_draw_boxes", fail)
        with pytest.raises(MemoryError):
            n6post.draw(img, FIRST)
    assert texts
    n6post.draw(scene(), SECOND)
    assert not texts


def test_an_empty_list_leaves_a_picture_and_its_texts_alone() -> None:
    img = scene()
    n6post.draw(img, FIRST)
    before = bytes(img.bytearray())
    texts = importlib.import_module("n6post.pixels.text").recognized(target_of(img))[:]
    assert n6post.draw(img, []) is img
    assert bytes(img.bytearray()) == before
    assert importlib.import_module("n6post.pixels.text").drawn.texts == texts != []


@on_both_formats
def test_texts_in_a_picture_of_another_format_are_no_matter(pixformat: int) -> None:
    other = image.GRAYSCALE if pixformat == image.RGB565 else image.RGB565
    for size in ((160, 120), (9, 5), (1, 1)):
        for text in ("cat", "i"):
            n6post.text(canvas(pixformat), (159, 119), text, background=(0, 0, 0))
            img = canvas(other, *size)
            n6post.draw(img, [detection((0, 0, 1, 1), text)])
            wanted = canvas(other, *size)
            n6post.draw(wanted, [detection((0, 0, 1, 1), text)])
            np.testing.assert_array_equal(pixels(img), pixels(wanted))


def test_the_same_labels_drawn_again_stay_where_they_are() -> None:
    once, twice = scene(), scene()
    n6post.draw(once, FIRST)
    for _ in range(3):
        n6post.draw(twice, FIRST)
    np.testing.assert_array_equal(pixels(once), pixels(twice))


def test_text_is_written_where_it_is_wanted_and_replaces_what_it_covers() -> None:
    img = scene()
    n6post.draw(img, FIRST)
    n6post.text(img, (22, 31), "hello", background=(0, 0, 90))
    n6post.draw(img, SECOND)
    assert shown(img, "hello") == [(22, 31)] and not shown(img, "cat 88%")
    assert [len(shown(img, text)) for text in LABELS[1:]] == [1, 1, 1]


def fresh_frames(draw: Any, base: Any, pixformat: int) -> Array:
    """Pictures of a loop whose camera gives the same frame every time, in the same buffer."""
    img = canvas(pixformat)
    pictures = []
    for _ in range(4):
        img.bytearray()[:] = base
        draw(img)
        pictures.append(pixels(img).copy())
    return np.array(pictures)


BLANK = [0, 0xFF, 0x20]
QUIET = {
    "text _": lambda img: n6post.text(img, (9, 20), "_"),
    "text space": lambda img: n6post.text(img, (9, 20), " "),
    "nothing": lambda img: n6post.text(img, (9, 20), ""),
    "lines": lambda img: n6post.text(img, (9, 20), "\n\n", background=(0, 0, 0)),
    "black on black": lambda img: n6post.text(img, (9, 20), "abc", color=(0, 0, 0), background=(0, 0, 0)),
    "white": lambda img: n6post.text(img, (9, 20), "abc"),
    "white ground": lambda img: n6post.text(img, (9, 20), " ", background=(255, 255, 255)),
    "empty labels": lambda img: n6post.draw(img, FIRST, labels=["", None]),
    "blank labels": lambda img: n6post.draw(img, FIRST, labels=[" ", "\n"], color=(255, 255, 255)),
    "labels of points": lambda img: n6post.draw(img, FIRST, labels=[".", "_"], color=(0, 0, 0)),
    "a zone": lambda img: n6post.draw(img, n6post.PolygonZone([(30, 20), (150, 20), (150, 100), (30, 100)])),
    "two in turns": lambda img: (n6post.draw(img, FIRST), n6post.draw(canvas(), SECOND)),
    "both": lambda img: (n6post.draw(img, FIRST), n6post.draw(img, SECOND)),
    "nobody": lambda img: n6post.draw(img, []),
}


@on_both_formats
@pytest.mark.parametrize("level", BLANK)
def test_a_still_scene_is_drawn_the_same_in_every_frame(pixformat: int, level: int) -> None:
    base = bytes([level]) * len(canvas(pixformat).bytearray())
    for name, draw in QUIET.items():
        before = fresh_frames(draw, base, pixformat)
        assert (before == before[0]).all(), name
        # Another script's texts are not repainted into it either.
        for other in QUIET.values():
            other(scene(pixformat))
            np.testing.assert_array_equal(fresh_frames(draw, base, pixformat)[0], before[0])


def test_a_copy_made_after_drawing_keeps_its_labels_too() -> None:
    img = scene()
    n6post.draw(img, FIRST)
    copy = img.copy()
    n6post.draw(copy, SECOND)
    assert [len(shown(copy, text)) for text in LABELS] == [1, 1, 1, 1]


def test_drawings_on_a_frame_and_on_a_display_do_not_mix() -> None:
    frame, display = scene(), scene(width=80, height=60)
    small = [d.replace(frame_size=(160, 120)) for d in FIRST]
    wanted = canvas(width=80, height=60)
    wanted.bytearray()[:] = display.bytearray()
    n6post.draw(wanted, small)
    n6post.draw(frame, FIRST)
    n6post.draw(display, small)
    np.testing.assert_array_equal(pixels(display), pixels(wanted))


def test_many_texts_on_a_picture_that_is_never_cleared_are_forgotten() -> None:
    from n6post.pixels.text import drawn

    img = canvas(width=400, height=400)
    for k in range(500):
        n6post.text(img, (16 * (k % 25), 12 * (k // 25 % 30)), str(k % 10), background=(0, 0, 90))
    for k in range(120):
        n6post.draw(img, [detection((3 * k, 2 * k, 60, 50), str(k)), *FIRST])
    assert len(drawn.texts) < 450


def test_all_lines_of_a_text_stay_readable() -> None:
    img = scene()
    n6post.text(img, (20, 20), "xyz\nxyz\nxyz", background=(0, 0, 90))
    n6post.draw(img, [detection((20, 54, 60, 40))])  # whose label would be on the last line
    assert len(shown(img, "xyz")) == 3 and len(shown(img, LABELS[0])) == 1


def test_another_label_of_the_same_size_does_not_replace_the_first() -> None:
    img = scene()
    for text in ("ab", "ba"):
        n6post.draw(img, [detection((40, 40, 60, 50))], labels=[text])
    assert [len(shown(img, text)) for text in ("ab", "ba")] == [1, 1]


def test_a_label_moves_for_texts_that_it_covers_and_not_beside_them() -> None:
    bare = scene()
    n6post.draw(bare, [detection((40, 60, 60, 50))])
    ((x, y),) = shown(bare, LABELS[0])
    for dy, moves in ((-14, False), (14, False), (5, True), (-5, True)):
        img = scene()
        n6post.text(img, (x, y + dy), "near", background=(0, 0, 90))
        n6post.text(img, (3, 3), "far", background=(0, 0, 90))
        n6post.draw(img, [detection((40, 60, 60, 50))])
        assert (shown(img, LABELS[0]) != [(x, y)]) == moves
        assert [len(shown(img, text)) for text in ("near", "far", LABELS[0])] == [1, 1, 1]


def test_a_text_that_the_left_edge_cuts_is_recognized() -> None:
    img = scene()
    n6post.text(img, (-20, 31), "a text that is cut", background=(0, 0, 90))
    before = pixels(img).copy()
    n6post.draw(img, [detection((4, 41, 60, 50))])  # whose label would be on it
    changed = pixels(img) != before
    assert changed.any() and not changed[31:41, :30].any()


def test_labels_that_are_written_again_look_as_before() -> None:
    """In a crowd they cover each other; the best one is on top."""
    img = scene(width=60, height=80)
    crowd = [detection((k % 3 * 4, 30 + k * 2, 30, 20), "somebody", k) for k in range(12)]
    n6post.draw(img, crowd, boxes=False)
    before = pixels(img).copy()
    n6post.draw(img, n6post.LineZone((0, 79), (59, 79)), labels=False, thickness=1)
    np.testing.assert_array_equal(pixels(img)[:55], before[:55])


def test_a_free_place_is_below_above_or_beside_the_texts() -> None:
    earlier = importlib.import_module("n6post.drawing.earlier")
    texts = importlib.import_module("n6post.pixels.text").drawn.texts
    for rects, asked, wanted in (
        ([(100, 100, 9, 9)], (10, 10), (10, 10)),
        ([(0, 5, 60, 20)], (10, 10), (10, 25)),
        ([(0, 100, 160, 20)], (10, 105), (10, 90)),
        ([(40, 0, 20, 120)], (45, 50), (60, 50)),
        ([(120, 0, 40, 120)], (125, 50), (90, 50)),
        ([(0, 5, 160, 20), (0, 25, 160, 40)], (5, 8), (5, 65)),
        ([(0, 0, 160, 120)], (5, 8), (5, 8)),
        ([(40, 10, 20, 10)], (10, 10), (10, 10)),  # it ends where the text begins
        ([(40, 20, 20, 10)], (30, 10), (30, 10)),
    ):
        texts[:] = [(*rect, "", 0, 0, 1) for rect in rects]
        assert earlier.free_place(160, 120, *asked, 30, 10) == wanted
    texts.clear()


def test_a_legend_is_one_text_beside_others() -> None:
    legends = importlib.import_module("n6post.drawing.legends")
    entries = [((255, 0, 0), "first"), ((0, 255, 0), "second")]
    img = scene()
    n6post.text(img, (2, 100), "before", background=(0, 0, 90))
    legends.draw_legend(target_of(img), entries, None)
    assert [len(shown(img, text)) for text in ("before", "second")] == [1, 0] or len(shown(img, "before")) == 1
    before = pixels(img).copy()
    n6post.draw(img, n6post.LineZone((0, 50), (159, 110)), labels=False)
    texts = importlib.import_module("n6post.pixels.text").drawn.texts
    for x, y, w, h, *_ in texts:
        np.testing.assert_array_equal(pixels(img)[y : y + h, x : x + w], before[y : y + h, x : x + w])
    assert len(texts) == 7, "a text, and the ground, the square and the text of two lines"
    legends.draw_legend(target_of(img), [], None)
    assert len(texts) == 7


def test_black_is_a_background_and_carriage_returns_begin_lines() -> None:
    img = canvas()
    img.bytearray()[:] = b"\xff" * len(img.bytearray())
    n6post.text(img, (20, 20), "ab", background=(0, 0, 0))
    assert pixels(img)[20, 20] == 0 and (pixels(img)[20:30, 20:30] == 0).any(axis=1).all()
    pictures = [bytes(n6post.text(canvas(), (20, 80), text, align="bottom_left").bytearray())
                for text in ("a\nb\nc", "a\rb\rc", "a\r\nb\rc")]  # fmt: skip
    assert pictures[0] == pictures[1] == pictures[2]
    for xy in ((-32769, 0), (0, -32769), (32768, 0)):
        with pytest.raises(ValueError, match="^xy: expected"):
            n6post.text(canvas(), xy, "a")


def test_a_place_is_moved_into_the_picture() -> None:
    lib = importlib.import_module("n6post.drawing.text")
    importlib.import_module("n6post.pixels.text").drawn.texts.clear()
    target = target_of(canvas())
    for asked, wanted in (((-5, -7), (0, 0)), ((155, 118), (130, 110)), ((20, 30), (20, 30))):
        assert lib.place_for(target, *asked, 30, 10) == wanted
    assert lib.place_for(target, 3, 4, 200, 130) == (0, 0)


def test_a_label_ends_at_a_zero_as_in_the_firmware() -> None:
    """What is behind it is not drawn, and the ground is as wide as what is."""

    def drawn(label: str) -> bytes:
        img = image.Image(120, 60, image.RGB565)
        n6post.draw(img, [n6post.Detection((10, 30, 60, 20), 0.5, 0, "x", None, None)], labels=[label])
        return bytes(img.bytearray())

    assert drawn("a\0b") == drawn("a") != drawn("ab")
