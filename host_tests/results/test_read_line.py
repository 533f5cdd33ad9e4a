"""lib/n6post/results/read_line.py: lines of characters, from texts that are laid out here."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import n6post
import pytest
from assertions import says
from fakes import seen
from hypothesis import given
from hypothesis import strategies as st


def character(name: str, x: float, y: float, w: float, h: float, score: float = 0.9) -> Any:
    """A detection with its center there."""
    rect = round(x - w / 2), round(y - h / 2), round(w), round(h)
    return n6post.Detection(rect, score, "0123456789".find(name[0]), name, None, None)


def laid_out(
    lines: Sequence[str], tilt: float, pitch: float, *, jitter: float = 0.0, seed: int = 0, one: float = 1.0
) -> list[Any]:
    """The characters of these lines, but "?", in any order. `pitch` is in widths of a character, `one` the width of a 1."""
    dice, width, height, found = random.Random(seed), 24.0, 40.0, []
    cos, sin = math.cos(math.radians(tilt)), math.sin(math.radians(tilt))
    for row, text in enumerate(lines):
        for at, name in enumerate(text):
            if name == "?":
                continue
            across, down, w = at * pitch * width, 1.3 * row * height, width * (one if name == "1" else 1)
            x, y = 300 + across * cos - down * sin, 300 + across * sin + down * cos
            x, y = (v + dice.uniform(-jitter, jitter) * height for v in (x, y))
            size = w * cos + height * abs(sin), height * cos + w * abs(sin)
            found.append(character(name, x, y, *size, dice.uniform(0.5, 1)))
    dice.shuffle(found)
    return found


def found_at(found: list[Any]) -> tuple[int, int]:
    (x, y), *_ = [d.center for d in found]
    return x, y


def with_gaps(dice: random.Random, length: int, missing: int) -> str:
    """Digits, some of them missing. At least one has a neighbor: else nothing would show how far apart they are."""
    while True:
        text = [dice.choice("0123456789") for _ in range(length)]
        for at in dice.sample(range(1, length - 1), missing):
            text[at] = "?"
        if any("?" not in pair for pair in zip(text, text[1:])):
            return "".join(text)


@pytest.mark.parametrize("tilt", [-20, -9, 0, 4, 20])
@pytest.mark.parametrize("pitch", [1.1, 1.5, 2.2])
@given(seed=st.integers(0, 2**32), length=st.integers(4, 9), missing=st.integers(0, 2))
def test_a_line_with_gaps_is_read_at_every_tilt(tilt: float, pitch: float, seed: int, length: int, missing: int) -> None:
    text = with_gaps(random.Random(seed), length, min(missing, length - 3))
    found = laid_out([text], tilt, pitch, jitter=0.03, seed=seed, one=0.5)
    reading = n6post.read_line(found)
    assert reading.text == text
    by_label = {id(d): d.score for d in found}
    assert sorted(score for score in reading.scores if score) == sorted(by_label.values())
    assert [score == 0 for score in reading.scores] == [one == "?" for one in text]
    assert reading.score == pytest.approx(sum(by_label.values()) / length)


@pytest.mark.parametrize("tilt", [-20, 0, 11, 20])
@given(seed=st.integers(0, 2**32), lengths=st.lists(st.integers(3, 7), min_size=2, max_size=4))
def test_lines_are_read_from_the_top(tilt: float, seed: int, lengths: list[int]) -> None:
    dice = random.Random(seed)
    lines = [with_gaps(dice, length, 0) for length in lengths]
    reading = n6post.read_line(laid_out(lines, tilt, 1.2, jitter=0.03, seed=seed))
    assert reading.text.split("\n") == lines
    assert [score == 1 for score in reading.scores] == [one == "\n" for one in reading.text]
    without = [score for score in reading.scores if score < 1]
    assert reading.score == pytest.approx(sum(without) / len(without))


@pytest.mark.parametrize(("text", "read"), [("7?3", "73"), ("4????2", "42"), ("5", "5"), ("", "")])
def test_fewer_than_three_characters_show_no_gap(text: str, read: str) -> None:
    assert n6post.read_line(laid_out([text], 3, 1.2)).text == read


def test_nothing_found_is_a_false_reading() -> None:
    reading = n6post.read_line([])
    assert not reading and reading == n6post.Reading("", 0.0, [])


@pytest.mark.parametrize(("gap", "read"), [("?", "12?45"), ("_", "12_45"), ("<?>", "12<?>45"), ("", "1245")])
def test_the_text_of_a_gap_can_be_chosen(gap: str, read: str) -> None:
    reading = n6post.read_line(laid_out(["12?45"], 0, 1.2), gap=gap)
    assert reading.text == read and len(reading.scores) == len(read)


@pytest.mark.parametrize("tilt", [-15, 0, 20])
def test_a_low_character_belongs_to_its_line(tilt: float) -> None:
    """A minus or a point: the usual height of the characters counts, not the least."""
    found = laid_out(["?31", "415"], tilt, 1.2)
    x, y = found_at(laid_out(["0??", "???"], tilt, 1.2))
    assert n6post.read_line([*found, character("-", x, y, 20, 4)]).text == "-31\n415"


@pytest.mark.parametrize("pitch", [0.8, 1.0])
def test_lines_may_touch_or_overlap(pitch: float) -> None:
    places = [(at, row) for row in range(2) for at in range(4)]
    found = [character(str(4 * row + at), 100 + 30 * at, 100 + 40 * pitch * row, 24, 40) for at, row in places]
    assert n6post.read_line(found).text == "0123\n4567"


@pytest.mark.parametrize("pitch", [1.2, 1.4, 2.0])
@pytest.mark.parametrize("text", ["4512", "8138", "217?93", "3?8172", "1234?8"])
def test_a_narrow_one_of_seven_segments_makes_no_gap(text: str, pitch: float) -> None:
    """Its box is a quarter as wide as the others, at the right of its place. One text in twenty gets a gap too many."""
    found = []
    for at, name in enumerate(text):
        if name != "?":
            shift, width = (9, 6) if name == "1" else (0, 24)
            found.append(character(name, 100 + 24 * pitch * at + shift, 100, width, 40))
    assert n6post.read_line(found).text == text


def test_of_two_characters_in_one_place_the_better_one_is_read() -> None:
    found = laid_out(["3141"], 0, 1.2, one=0.3)
    one = next(d for d in found if d.label == "4")
    x, y, w, h = one.rect
    for dx, score, name in ((-3, 0.2, "7"), (2, one.score, "6"), (0, 0.1, "11")):
        found.append(n6post.Detection((x + dx, y + 1, w, h), score, 7, name, None, None))
    assert n6post.read_line(found).text in ("3141", "3161")
    found.append(n6post.Detection((x + 1, y, w, h), 0.999, 9, "9", None, None))
    assert n6post.read_line(found).text == "3191"


def test_two_narrow_characters_beside_each_other_are_two() -> None:
    assert n6post.read_line(laid_out(["21118"], 20, 1.1, one=0.25)).text == "21118"


def test_a_label_of_several_characters_has_a_score_for_each() -> None:
    found = [character("AB", 100, 100, 20, 40, 0.5), character("7", 130, 100, 20, 40, 0.75)]
    assert n6post.read_line(found) == n6post.Reading("AB7", pytest.approx(1.75 / 3), [0.5, 0.5, 0.75])


def test_detections_without_labels_are_read_as_their_numbers() -> None:
    found = [n6post.Detection((30 * at, 0, 20, 40), 0.5, 3 + at, "", None, None) for at in range(3)]
    assert n6post.read_line(found).text == "345"


def test_numbers_of_a_steep_column_are_lines() -> None:
    assert n6post.read_line([character(str(at), 100 + 5 * at, 60 * at, 24, 40) for at in range(4)]).text == "0\n1\n2\n3"


@pytest.mark.parametrize("rect", [(5, 5, 0, 0), (-9, 4, 1, 0), (3, 3, 0, 9)])
def test_boxes_without_an_area_are_read(rect: Any) -> None:
    assert n6post.read_line([n6post.Detection(rect, 0.5, at, str(at), None, None) for at in range(3)]).text == "0"


def test_anything_but_detections_of_one_frame_and_a_text_is_refused() -> None:
    for wrong in (None, 5, [1], ["a"], seen(None, 50, 50)):
        with pytest.raises(ValueError, match="^detections: expected a list of Detection, got "):
            n6post.read_line(wrong)  # type: ignore[arg-type]
    for gap in (None, 5, b"?"):
        with pytest.raises(ValueError, match=says(f"gap: expected a text, got {gap!r}")):
            n6post.read_line([], gap=gap)  # type: ignore[arg-type]
