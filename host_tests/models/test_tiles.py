"""lib/n6post/models/tiles.py: tiles cover the frame, take turns, and find what is small; on made-up and on real networks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import image
import n6post
import numpy as np
import pytest
import test_memory
from hypothesis import given
from hypothesis import strategies as st
from ml import model as ml_model
from small_models import segmenter

pytestmark = pytest.mark.both_firmwares

Rect = tuple[int, int, int, int]


# --- the tiles ---
@given(st.integers(1, 16), st.integers(1, 16), st.floats(0, 0.9), st.integers(64, 2000), st.integers(64, 2000))
def test_tiles_of_one_size_cover_the_frame_and_overlap_as_asked(
    columns: int, rows: int, overlap: float, width: int, height: int
) -> None:
    found = n6post.tiles((width, height), columns=columns, rows=rows, overlap=overlap)
    assert len(found) == columns * rows and len({rect[2:] for rect in found}) == 1
    for axis, count, length in ((0, columns, width), (1, rows, height)):
        size = found[0][2 + axis]
        starts = sorted({rect[axis] for rect in found})
        assert len(starts) == count and starts[0] == 0 and starts[-1] + size == length and size <= length
        for one, other in zip(starts, starts[1:]):
            assert (one + size - other) >= overlap * size - 1.5, "rounded to pixels"
            assert abs((other - one) - (length - size) / (count - 1)) <= 1
        if count > 1:  # evenly, to the nearest pixel
            assert all(abs(start - k * (length - size) / (count - 1)) <= 0.5 for k, start in enumerate(starts))
        # No tile is larger than it must be.
        assert size <= length / (count - (count - 1) * overlap) + 0.001 * length + 1
    assert found == sorted(found, key=lambda rect: (rect[1], rect[0]))


def test_the_usual_tiles_of_vga_are_these() -> None:
    quarters = [(0, 0, 356, 267), (284, 0, 356, 267), (0, 213, 356, 267), (284, 213, 356, 267)]
    assert n6post.tiles((640, 480)) == n6post.tiles(image.Image(640, 480, image.RGB565)) == quarters
    assert n6post.tiles((640, 480), columns=1, rows=1, overlap=0.9) == [(0, 0, 640, 480)]
    assert n6post.tiles((9, 3), columns=3, rows=3, overlap=0)[4] == (3, 1, 3, 1)


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((7,), {}, "img: expected a frame or its (width, height), got 7"),
        (((640,),), {}, "img: expected a frame or its (width, height), got (640,)"),
        (((640, 0),), {}, "img: expected a frame or its (width, height), got (640, 0)"),
        (((640.0, 480),), {}, "img: expected a frame or its (width, height), got (640.0, 480)"),
        (((640, 480),), {"columns": 0}, "columns: expected an integer from 1 to 16, got 0"),
        (((640, 480),), {"rows": 17}, "rows: expected an integer from 1 to 16, got 17"),
        (((640, 480),), {"overlap": 1}, "overlap: expected a number from 0.0 to 0.9, got 1"),
        (((5, 480),), {"columns": 6}, "expected at least a pixel for each tile, got 6 x 2 tiles of (0, 0, 5, 480)"),
        (((640, 5),), {"rows": 6}, "expected at least a pixel for each tile, got 2 x 6 tiles of (0, 0, 640, 5)"),
    ],
)
def test_wrong_tiles_are_refused(arguments: Any, options: Any, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        n6post.tiles(*arguments, **options)


# --- a network that sees whatever lies in its tile ---
class Eye:
    """A model that finds the rects `things` in its part of the frame, cut off at its ends. It cannot see small ones."""

    def __init__(self, *things: Rect, least: float = 0.0) -> None:
        self.things = list(things)
        self.least = least  # the smallest part of its picture's width that it can see
        self.inputs: list[Any] = []

    def predict(self, inputs: list[Any]) -> list[Any]:
        (source,) = inputs
        self.inputs.append(source)
        left, top, width, height = source.roi
        found = []
        for at, (x, y, w, h) in enumerate(self.things):
            x0, y0, x1, y1 = max(x, left), max(y, top), min(x + w, left + width), min(y + h, top + height)
            if x0 < x1 and y0 < y1 and w >= self.least * width:
                part = (x1 - x0) * (y1 - y0) / (w * h)
                found.append(n6post.Detection((x0, y0, x1 - x0, y1 - y0), 0.5 + 0.4 * part, at % 2, str(at), None, None))
        size = source.image.width(), source.image.height()
        return [d.replace(frame_size=size) for d in sorted(found, key=lambda d: -d.score)]


FRAME = image.Image(640, 480, image.GRAYSCALE)
# The first lies in one tile, three on seams, and one is larger than a tile. (A small object of its class in front of it
# would be taken for a part of it: classes are 0, 1, 0, 1, 0.)
LARGE = (50, 100, 560, 300)
THINGS = (20, 20, 30, 60), (300, 30, 40, 60), (100, 200, 30, 70), LARGE, (310, 220, 30, 40)


def rects(detections: list[Any]) -> list[Rect]:
    return sorted([d.rect for d in detections])


def test_objects_on_seams_and_large_ones_are_found_whole_and_once() -> None:
    model = Eye(*THINGS)
    tiles: Any = n6post.Tiles(model, tiles_per_frame=5)
    found = tiles.predict(FRAME)
    assert rects(found) == sorted(THINGS)
    assert all(d.frame_size == (640, 480) and isinstance(d, n6post.Detection) for d in found)
    assert [d.score for d in found] == sorted([d.score for d in found], reverse=True)
    assert [one.roi for one in model.inputs] == [*n6post.tiles(FRAME), (0, 0, 640, 480)] == tiles.rois
    assert {type(one) for one in model.inputs} == {n6post.Letterbox}
    assert tiles.model is model


def test_without_the_whole_frame_a_large_object_is_in_pieces() -> None:
    tiles = n6post.Tiles(Eye(*THINGS), tiles_per_frame=4, whole_frame=False)
    found = rects(tiles.predict(FRAME))
    assert len(tiles.rois) == 4
    assert {thing for thing in THINGS if thing is not LARGE} <= set(found)
    assert LARGE not in found and len(found) > 5


def test_small_objects_are_found_in_tiles_only() -> None:
    small = [thing for thing in THINGS if thing is not LARGE]
    model = Eye(*small, least=0.08)
    assert model.predict([n6post.Letterbox(FRAME)]) == []
    assert rects(n6post.Tiles(model, tiles_per_frame=5).predict(FRAME)) == sorted(small)


@pytest.mark.parametrize("tiles_per_frame", [1, 2, 3, 5, 99])
def test_tiles_take_turns_and_older_results_stay_until_then(tiles_per_frame: int) -> None:
    model = Eye(*THINGS)
    tiles: Any = n6post.Tiles(model, tiles_per_frame=tiles_per_frame)
    everything = n6post.tiles(FRAME) + [(0, 0, 640, 480)]
    looked: list[Rect] = []
    for _ in range(11):
        before = len(model.inputs)
        tiles.predict(FRAME)
        looked += [one.roi for one in model.inputs[before:]]
        assert len(model.inputs) - before == min(tiles_per_frame, 5)
        assert tiles.turn == len(looked) % 5
    assert looked == (everything * 20)[: len(looked)]
    assert rects(tiles.predict(FRAME)) == sorted(THINGS)
    model.things = []
    counts = [len(tiles.predict(FRAME)) for _ in range(5)]
    assert counts[-1] == 0 and (counts[0] > 0) == (tiles_per_frame < 5)


def test_two_objects_that_one_tile_shows_stay_two() -> None:
    near: list[Rect] = [(30, 30, 40, 90), (42, 30, 40, 90), (50, 40, 8, 8)]
    tiles = n6post.Tiles(Eye(near[0], (500, 400, 9, 9), near[1], (510, 410, 9, 9), near[2]), tiles_per_frame=5)
    found = [d.rect for d in tiles.predict(FRAME) if d.class_id == 0]
    assert sorted(found) == sorted(near)
    assert len(n6post.merge([n6post.Detection(rect, 0.9, 0, "", None, None) for rect in near])) == 1


def test_another_frame_another_input_and_another_option_start_over() -> None:
    model = Eye((20, 20, 30, 60))
    tiles: Any = n6post.Tiles(model, tiles_per_frame=2)
    small = image.Image(320, 240, image.GRAYSCALE)
    tiles.predict(FRAME)
    assert tiles.turn == 2
    tiles.predict(small)
    assert tiles.turn == 2 and tiles.rois == [*n6post.tiles(small), (0, 0, 320, 240)]
    tiles.predict(n6post.Stretch(small))
    assert tiles.turn == 2 and type(model.inputs[-1]) is n6post.Stretch
    upper = n6post.Letterbox(FRAME, roi=(10, 20, 600, 100), scale=(-1.0, 1.0))
    tiles.predict(upper)
    assert tiles.rois[0][:2] == (10, 20) and tiles.rois[-1] == (10, 20, 600, 100)
    assert max(x + w for x, _, w, _ in tiles.rois) == 610 and max(y + h for _, y, _, h in tiles.rois) == 120
    assert model.inputs[-1]._normalization == {"scale": (-1.0, 1.0)}
    tiles.columns = 3
    assert tiles.rois == [] and tiles.turn == 0
    assert len(tiles.predict(FRAME)) == 1 and len(tiles.rois) == 7
    tiles.reset()
    assert tiles.rois == []
    one = n6post.Tiles(model, columns=1, rows=1)
    one.predict(FRAME)
    assert one.rois == [(0, 0, 640, 480)]


class Told:
    """A model that finds these (rect, class) in a tile of this number, and nothing elsewhere."""

    def __init__(self, **by_turn: tuple[Rect, int]) -> None:
        self.answers = {int(turn[1:]): found for turn, found in by_turn.items()}
        self.rois = [*n6post.tiles(FRAME), (0, 0, 640, 480)]

    def predict(self, inputs: list[Any]) -> list[Any]:
        found = self.answers.get(self.rois.index(inputs[0].roi))
        return [n6post.Detection(found[0], 0.9, found[1], "", None, None)] if found else []


@pytest.mark.parametrize(
    ("seen", "options", "wanted"),
    [
        # Of two tiles, with boxes that overlap by .4 and by .55 of themselves.
        ({"_0": ((290, 30, 40, 60), 0), "_1": ((314, 30, 40, 60), 0)}, {}, [(290, 30, 40, 60), (314, 30, 40, 60)]),
        ({"_0": ((290, 30, 40, 60), 0), "_1": ((314, 30, 40, 60), 0)}, {"overlap_threshold": 0.39}, [(290, 30, 64, 60)]),
        ({"_0": ((290, 30, 40, 60), 0), "_1": ((308, 30, 40, 60), 0)}, {}, [(290, 30, 58, 60)]),
        ({"_0": ((290, 30, 40, 60), 0), "_1": ((300, 30, 40, 60), 1)}, {}, [(290, 30, 40, 60), (300, 30, 40, 60)]),
        ({"_0": ((290, 30, 40, 60), 0), "_1": ((300, 30, 40, 60), 1)}, {"class_agnostic": True}, [(290, 30, 50, 60)]),
        # Of a tile and of the whole frame: what fits into a tile has that one's box, unless it was not seen there.
        ({"_0": ((260, 20, 96, 50), 0), "_4": ((256, 20, 100, 50), 0)}, {}, [(260, 20, 96, 50)]),
        ({"_0": ((20, 207, 96, 60), 0), "_4": ((20, 202, 96, 65), 0)}, {}, [(20, 207, 96, 60)]),
        ({"_3": ((284, 213, 96, 60), 0), "_4": ((284, 213, 99, 62), 0)}, {}, [(284, 213, 96, 60)]),
        ({"_0": ((260, 20, 96, 50), 0), "_4": ((256, 20, 101, 50), 0)}, {}, [(256, 20, 101, 50)]),
        ({"_0": ((20, 20, 96, 50), 0), "_4": ((22, 20, 90, 50), 1)}, {}, [(20, 20, 96, 50), (22, 20, 90, 50)]),
        ({"_0": ((20, 20, 96, 50), 0), "_4": ((22, 20, 90, 50), 1)}, {"class_agnostic": True}, [(20, 20, 96, 50)]),
        ({"_4": ((22, 20, 90, 50), 1)}, {}, [(22, 20, 90, 50)]),
    ],
)  # fmt: skip
def test_parts_of_different_tiles_are_joined_as_the_options_say(seen: Any, options: Any, wanted: list[Rect]) -> None:
    assert rects(n6post.Tiles(Told(**seen), tiles_per_frame=5, **options).predict(FRAME)) == wanted


def test_the_same_part_of_a_frame_of_another_size_starts_over() -> None:
    tiles: Any = n6post.Tiles(Eye((20, 20, 30, 60)), tiles_per_frame=2)
    for img in (FRAME, image.Image(320, 240, image.GRAYSCALE)):
        tiles.predict(n6post.Letterbox(img, roi=(10, 10, 200, 200)))
        assert tiles.turn == 2


def test_wrong_models_inputs_and_results_are_refused() -> None:
    with pytest.raises(ValueError, match=r"model: expected a model, as n6post.load returns it, got int"):
        n6post.Tiles(7)
    with pytest.raises(TypeError, match="Tiles: expected one model, got 2 arguments"):
        n6post.Tiles(Eye(), 2)  # type: ignore[misc]
    with pytest.raises(ValueError, match="tiles_per_frame: expected an integer from 1 to 257, got 0"):
        n6post.Tiles(Eye(), tiles_per_frame=0)
    tiles: Any = n6post.Tiles(Eye((20, 20, 30, 60)), tiles_per_frame=5)
    with pytest.raises(ValueError, match="img: expected a frame, Letterbox or Stretch, got Crop"):
        tiles.predict(n6post.Crop(FRAME))
    with pytest.raises(ValueError, match="img: expected an image, got int"):
        tiles.predict(7)
    with pytest.raises(ValueError, match=re.escape("expected at least a pixel for each tile")):
        tiles.predict(image.Image(1, 1, image.GRAYSCALE))

    class Mapper:
        def predict(self, inputs: Any) -> Any:
            return {}

    with pytest.raises(ValueError, match=re.escape("the model: expected a list of Detection, got {}")):
        n6post.Tiles(Mapper()).predict(FRAME)


def test_a_model_that_fails_leaves_the_results_of_before() -> None:
    model = Eye(*THINGS)
    tiles: Any = n6post.Tiles(model, tiles_per_frame=3)
    tiles.predict(FRAME)
    tiles.predict(FRAME)
    turn = tiles.turn
    working, calls = model.predict, []

    def fails_once(inputs: Any) -> Any:
        calls.append(inputs)
        if len(calls) == 2:
            raise OSError("the NPU")
        return working(inputs)

    model.predict = fails_once  # type: ignore[method-assign]
    with pytest.raises(OSError, match="the NPU"):
        tiles.predict(FRAME)
    assert tiles.turn == turn
    assert rects(tiles.predict(FRAME)) == sorted(THINGS) and tiles.turn == (turn + 3) % 5


def test_the_models_own_list_is_never_changed() -> None:
    scores = 0.6, 0.9, 0.5, 0.8, 0.7  # in no order

    class Same:
        found = [n6post.Detection(THINGS[i], score, i % 2, "", None, None) for i, score in enumerate(scores)]

        def predict(self, inputs: Any) -> Any:
            return self.found

    before = list(Same.found)
    for options in ({}, {"columns": 1, "rows": 1}, {"whole_frame": False, "tiles_per_frame": 4}):
        tiles: Any = n6post.Tiles(Same(), **options)
        counts = set()
        for _ in range(6):
            found = tiles.predict(FRAME)
            counts.add(len(found))
            assert Same.found == before
            found.clear()  # the list belongs to the caller
        assert counts == {len(before)}


def test_an_interrupted_predict_leaves_tiles_that_work() -> None:
    def before() -> Any:
        tiles = n6post.Tiles(Eye(*THINGS), tiles_per_frame=2)
        tiles.predict(FRAME)
        return tiles

    def after(tiles: Any) -> Any:
        for _ in range(4):
            found = tiles.predict(FRAME)
        return rects(found)

    assert test_memory.check(test_memory.Scene(before, lambda tiles: tiles.predict(FRAME), after)) > 20


# --- real post-processors ---
def test_masks_of_earlier_tiles_stay_valid_in_frame_pixels() -> None:
    """The outputs of the network are the same for each tile, so its object is in the same place of each."""
    model, processor = segmenter(), n6post.YoloV8Seg(threshold=0.5)
    img = image.Image(640, 480, image.GRAYSCALE)

    class Fixed:
        def predict(self, inputs: Any) -> Any:
            return model.run(processor, inputs[0])

    alone = [model.run(n6post.YoloV8Seg(threshold=0.5), n6post.Letterbox(img, roi=roi)) for roi in n6post.tiles(img)]
    tiles = n6post.Tiles(Fixed(), whole_frame=False, overlap_threshold=1.0)
    for _ in range(4):
        found = tiles.predict(img)
    wanted = sorted((d.rect, d.mask.area, d.mask.centroid, d.mask.rect) for ds in alone for d in ds)
    assert wanted and sorted((d.rect, d.mask.area, d.mask.centroid, d.mask.rect) for d in found) == wanted
    n6post.draw(image.Image(640, 480, image.RGB565), found)


# People in frames of the street, marked by eye: (x0, y0, x1, y1) in twice its pixels.
PEOPLE = {
    0: [(318, 275, 354, 385), (626, 197, 662, 292), (800, 301, 855, 404)],
    100: [(279, 76, 296, 118), (434, 249, 478, 344), (471, 223, 512, 321), (540, 220, 563, 321), (617, 185, 648, 275),
          (645, 192, 676, 277), (738, 194, 771, 293)],
    200: [(104, 193, 138, 269), (278, 240, 311, 334), (611, 181, 647, 279), (846, 124, 872, 192), (879, 127, 901, 194),
          (771, 332, 814, 461), (881, 318, 928, 442)],
    300: [(234, 199, 273, 293), (305, 198, 337, 278), (373, 198, 402, 289), (392, 263, 430, 370), (727, 199, 763, 295),
          (775, 201, 803, 293)],
    400: [(342, 250, 377, 357), (738, 176, 771, 253), (860, 376, 929, 514)],
    500: [(386, 235, 413, 330), (696, 300, 739, 434), (714, 352, 767, 490), (769, 344, 800, 468)],
    600: [(237, 180, 269, 267), (711, 250, 746, 360), (839, 261, 882, 371), (803, 381, 838, 515), (568, 377, 633, 524),
          (358, 540, 412, 720)],
}  # fmt: skip


def hits(found: list[Any], people: list[Rect]) -> int:
    """How many of them a box of its own matches with an IoU of 0.4."""
    left = list(people)
    for d in found:
        x, y, w, h = (2 * v for v in d.rect)
        for person in left:
            x0, y0, x1, y1 = person
            across, down = min(x + w, x1) - max(x, x0), min(y + h, y1) - max(y, y0)
            common = max(across, 0) * max(down, 0)
            if common >= 0.4 * (w * h + (x1 - x0) * (y1 - y0) - common):
                left.remove(person)
                break
    return len(people) - len(left)


def test_four_tiles_find_twice_as_many_small_people_of_a_real_street(shared: Path) -> None:
    av = pytest.importorskip("av", reason="needs PyAV, which requirements/models.txt has")
    pytest.importorskip("ai_edge_litert", reason="needs LiteRT, which requirements/models.txt has")
    assert ml_model is not None
    model = n6post.load(str(shared / "models" / "yolov8n_192.tflite"), threshold=0.4)
    tiles = n6post.Tiles(model, tiles_per_frame=5)
    whole = cut = false = 0
    with av.open(str(shared / "video" / "street.avi")) as video:
        for number, frame in enumerate(video.decode(video=0)):
            if number not in PEOPLE:
                continue
            pixels = frame.to_ndarray(format="rgb24").astype(np.uint16)
            img = image.Image(480, 360, image.RGB565)
            words = (pixels[..., 0] & 0xF8) << 8 | (pixels[..., 1] & 0xFC) << 3 | pixels[..., 2] >> 3
            img.bytearray()[:] = words.astype("<u2").tobytes()
            found = tiles.predict(img)
            whole += hits(model.predict([n6post.Letterbox(img)]), PEOPLE[number])
            cut += hits(found, PEOPLE[number])
            false += len(found) - hits(found, PEOPLE[number])
    assert whole <= 20 and cut >= 30 and false <= 2, "17, 33 and 1, of 36"
