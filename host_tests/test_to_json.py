"""lib/n6post/to_json.py: results as a line of JSON that says what as_dict says."""

from __future__ import annotations

import json
from typing import Any

import n6post
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from n6post.detection import with_keypoints
from test_answers import FAMILIES, found_in, plain
from ulab import _host


def told(found: Any, outline: bool = False) -> Any:
    return json.loads(json.dumps([d.as_dict(outline) for d in found]))


@pytest.mark.parametrize("outline", [False, True])
@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_s_detections_are_told_as_as_dict_tells_them(name: str, outline: bool) -> None:
    found = found_in(name)
    line = n6post.to_json(found, outline)
    assert json.loads(line) == told(found, outline)
    assert "\n" not in line and line.isascii()
    assert n6post.to_json(found[0], outline) == n6post.to_json(found[:1], outline)[1:-1]


@given(
    st.tuples(*[st.integers(-5000, 5000)] * 4),
    st.floats(0, 1.5, width=32) | st.sampled_from([float("inf"), float("nan"), 0.0005, 0.0015]),
    st.text(),
    st.none() | st.integers(1, 2**30 - 1),
)
def test_any_detection_is_told_as_as_dict_tells_it(rect: Any, score: float, label: str, track_id: int | None) -> None:
    d = plain(rect=rect, score=score, label=label)
    if track_id is not None:
        d.track_id = track_id
    line = n6post.to_json([d, d])
    assert json.loads(line) == told([d, d])
    assert line.isascii() and line.isprintable()


def test_labels_of_any_alphabet_are_escaped_as_micropythons_own_json_does_not() -> None:
    assert '"label": "\\u00c4pfel \\"\\\\\\u000a\\ud83d\\ude80"' in n6post.to_json([plain(label='Äpfel "\\\n🚀')])


def test_no_detections_are_an_empty_list() -> None:
    assert n6post.to_json([]) == "[]"


def test_a_number_that_is_not_finite_is_null() -> None:
    keypoints = _host.wrap(np.array([[1.25, np.inf, np.nan]], np.float32))
    line = n6post.to_json([with_keypoints(0.5)((1, 2, 3, 4), float("nan"), 0, "person", None, keypoints)])
    assert json.loads(line) == [
        {"rect": [1, 2, 3, 4], "score": None, "class_id": 0, "label": "person", "keypoints": [[1.2, None, None]]}
    ]


def test_zones_and_class_maps_are_told_too() -> None:
    line = n6post.LineZone((0, 200), (400, 200))
    assert n6post.to_json(line) == '{"start": [0, 200], "end": [400, 200], "in": 0, "out": 0}'
    zone = n6post.PolygonZone([(0, 0), (9, 0), (9, 9)])
    assert n6post.to_json(zone) == '{"points": [[0, 0], [9, 0], [9, 9]], "count": 0, "seconds": []}'


@pytest.mark.parametrize("result", [None, 7, "person", {}])
def test_what_is_no_result_is_refused(result: Any) -> None:
    with pytest.raises(ValueError, match=r"expected a list of Detection or something with as_dict\(\), got "):
        n6post.to_json(result)
