"""lib/n6post/results/yolo_text.py: label files as Ultralytics documents them (docs.ultralytics.com/datasets/detect)."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import n6post
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st


def seen(rect: Any, class_id: int = 0, frame: tuple[int, int] | None = (640, 480)) -> Any:
    return n6post.Detection(rect, 0.5, class_id, "thing", None, None).replace(frame_size=frame)


@st.composite
def rects(draw: Any, width: int, height: int) -> tuple[int, int, int, int]:
    x, y = draw(st.integers(0, width - 1)), draw(st.integers(0, height - 1))
    return x, y, draw(st.integers(1, width - x)), draw(st.integers(1, height - y))


@given(st.data(), st.integers(1, 4000), st.integers(1, 4000))
def test_boxes_come_back_from_the_text_within_half_a_pixel(data: Any, width: int, height: int) -> None:
    boxes = data.draw(st.lists(st.tuples(rects(width, height), st.integers(0, 999)), max_size=9))
    text = n6post.to_yolo([seen(rect, class_id, (width, height)) for rect, class_id in boxes])
    assert re.fullmatch(r"(\d+( [01]\.\d{6}){4}\n)*", text)
    rows = np.array([line.split() for line in text.splitlines()], np.float64).reshape(-1, 5)
    assert (rows[:, 1:] <= 1).all(), "Ultralytics refuses larger ones"
    center, size = rows[:, 1:3] * (width, height), rows[:, 3:] * (width, height)
    expected = np.array([(class_id, *rect) for rect, class_id in boxes]).reshape(-1, 5)
    assert np.array_equal(rows[:, 0], expected[:, 0])
    assert np.abs(np.hstack([center - size / 2, size]) - expected[:, 1:]).max(initial=0) < 0.5


@given(st.integers(1, 4000), st.integers(1, 4000))
@example(1, 3)
@example(2, 3)
@example(1, 64)  # 0.015625
@example(1, 128)  # 0.0078125, halfway between two numbers of six decimals
def test_each_number_is_rounded_to_the_nearest_of_six_decimals(part: int, whole: int) -> None:
    part = min(part, whole)
    _, cx, cy, w, h = n6post.to_yolo([seen((0, 0, part, whole), 0, (whole, whole))]).split()
    assert (cy, h) == ("0.500000", "1.000000")
    for text, exact in ((w, Fraction(part, whole)), (cx, Fraction(part, 2 * whole))):
        assert abs(Fraction(text) - exact) <= Fraction(1, 2000000)


def test_boxes_are_clipped_to_the_frame_and_left_out_beside_it() -> None:
    d = [seen((-10, -20, 30, 40), 1), seen((640, 0, 10, 10), 2), seen((0, -9, 5, 9), 3), seen((600, 400, 100, 100), 4)]
    assert n6post.to_yolo(d) == "1 0.015625 0.020833 0.031250 0.041667\n4 0.968750 0.916667 0.062500 0.166667\n"
    assert n6post.to_yolo([]) == ""


def test_a_detection_that_does_not_know_its_frame_is_refused() -> None:
    with pytest.raises(ValueError, match=r"frame_size: expected \(width, height\), got None for Detection\(rect="):
        n6post.to_yolo([seen((0, 0, 1, 1)), seen((0, 0, 1, 1), frame=None)])


@pytest.mark.parametrize("wrong", [None, 5, "text", seen((0, 0, 1, 1)), [None], [(1, 2, 3, 4)]])
def test_anything_but_a_list_of_detections_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="detections: expected a list of Detection, got"):
        n6post.to_yolo(wrong)
