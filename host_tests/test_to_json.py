"""lib/n6post/to_json.py: results as a line of JSON that says what as_dict says."""

from __future__ import annotations

import json
import re
import struct
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import n6post
import numpy as np
import pytest
from fakes import FakeModel, Tensor
from hypothesis import example, given
from hypothesis import strategies as st
from n6post.detection import with_keypoints
from test_answers import FAMILIES, found_in, plain
from test_init import on_micropython
from ulab import _host


def told(found: Any, outline: bool = False) -> Any:
    return json.loads(json.dumps([d.as_dict(outline) for d in found]))


@pytest.mark.parametrize("outline", [False, True])
@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_s_detections_are_told_as_as_dict_tells_them(name: str, outline: bool) -> None:
    found = found_in(name)
    line = n6post.to_json(found, outline)
    assert line == json.dumps([d.as_dict(outline) for d in found])
    assert json.loads(line) == told(found, outline)
    assert "\n" not in line and line.isascii()
    assert n6post.to_json(found[0], outline) == n6post.to_json(found[:1], outline)[1:-1]


@given(
    st.tuples(*[st.integers(-5000, 5000)] * 4),
    st.floats(0, 1.5, width=32) | st.sampled_from([float("inf"), float("nan"), 0.0005, 0.0015]),
    st.text(),
    st.none() | st.integers(1, 2**30 - 1),
)
@example((0, 0, 0, 0), 0.0, "", None)
@example((-5000, 5000, 0, 1), float("nan"), '"\\\n\x00\x7f\u20ac\U0001f600', 2**30 - 1)
@example((1, 2, 3, 4), float("inf"), "/", 1)
def test_any_detection_is_told_as_as_dict_tells_it(rect: Any, score: float, label: str, track_id: int | None) -> None:
    d = plain(rect=rect, score=score, label=label)
    if track_id is not None:
        d.track_id = track_id
    line = n6post.to_json([d, d])
    assert json.loads(line) == told([d, d])
    assert line.isascii() and line.isprintable()


@given(st.lists(st.integers(0, 0x3FFFFFFF).map(lambda bits: struct.unpack("f", struct.pack("I", bits))[0]), max_size=40))
@example([])
@example([0.0, 0.0005, 0.9995, 1.9995, 1.99999988])
def test_every_score_below_2_is_rounded_as_decimals_are(scores: list[float]) -> None:
    """Float32, from the smallest there is: against decimal arithmetic, halves to the even digit."""
    scores += [k / 2000 * 2.0**-n for k in (1, 3, 125, 999, 1999) for n in (0, 1)] + [k / 16 for k in range(32)]
    scores = [struct.unpack("f", struct.pack("f", score))[0] for score in scores]
    wanted = [float(Decimal(score).quantize(Decimal("0.001"), ROUND_HALF_EVEN)) for score in scores]
    line = n6post.to_json([plain(score=score) for score in scores])
    assert re.findall(r'"score": ([^,]*)', line) == [repr(score) for score in wanted]


@given(st.floats(-3, 3))
@example(0.8765)
def test_a_score_of_more_digits_than_a_camera_s_is_that_of_the_camera_first(score: float) -> None:
    d = plain(score=score)
    (camera_s,) = struct.unpack("f", struct.pack("f", score))
    wanted = float(Decimal(camera_s).quantize(Decimal("0.001"), ROUND_HALF_EVEN))
    assert json.loads(n6post.to_json(d))["score"] == d.as_dict()["score"] == wanted


NEAR_HALVES = """
import n6post, struct
from array import array
from ulab import numpy as np

def bits(value):
    return struct.unpack("i", struct.pack("f", value))[0] & ~15

total = 0
for k in range(400):
    # Keypoints as networks give them: all bits of a float32, which a camera's float objects have not.
    near = [bits((1000 + k + 0.5) / 10), bits(k / 8 + 0.05), bits((k + 0.5) / 1000)]
    words = array("i", [first + step for step in range(32) for first in near])
    points = np.frombuffer(words, dtype=np.float).reshape((32, 3))
    for step in range(0, 16, 4):
        word = near[2] + step
        score = struct.unpack("f", struct.pack("i", word | word >> 2 & 3))[0]  # one of those that they have
        d = n6post.Detection((1, 2, 3, 4), score, 0, "p", None, None if step else points)
        line = n6post.to_json([d])
        assert '"score": %s,' % d.as_dict()["score"] in line, (score, line)
        for c in line:
            total = (total * 31 + ord(c)) & 0xFFFFFF
print(total)
"""


@given(st.lists(st.integers(-(2**30), 2**30 - 1) | st.integers(-1001, 10001), min_size=6))
@example([0, 9, 10, 99, 100, 101, 999, 1000, 1001, 9999, 10000, 10001, 99999, 100000, 999999, 1000000, 2**30 - 1, 1])
@example([-1, -9, -10, -99, -100, -101, -999, -1000, -1001, -9999, -10000, -10001, -99999, -100000, -(2**30), -7, 5, 1])


@example([-(2**30)] * 6)
@example([2**30 - 1] * 6)
@example([0, -1, 9, 10, 99, 100])
@example([999, 1000, 9999, 10000, 10001, -10])
def test_every_whole_number_is_written_as_python_writes_it(numbers: list[int]) -> None:
    found = []
    for x, y, w, h, class_id, track_id in zip(*[iter(numbers)] * 6):
        found.append(plain(rect=(x, y, w, h), class_id=class_id))
        found[-1].track_id = track_id
    assert n6post.to_json(found) == json.dumps([d.as_dict() for d in found])


def test_a_line_may_be_of_any_length_and_a_short_one_after_it_is_whole() -> None:
    many = [plain(rect=(i, i * i, i, 7), label="x" * (i % 90)) for i in range(300)]
    assert n6post.to_json(many) == json.dumps([d.as_dict() for d in many])
    assert n6post.to_json([plain(label="y" * 5000)] + many[:2]) == json.dumps(
        [d.as_dict() for d in [plain(label="y" * 5000), *many[:2]]]
    )
    assert n6post.to_json(many[:1]) == json.dumps([many[0].as_dict()])


def test_a_line_that_is_much_longer_than_the_room_that_is_kept_gets_its_room_at_once() -> None:
    """Twice what there is would be too little here: the text alone takes more."""
    d = plain(label="y" * 100_000)
    assert n6post.to_json([d]) == json.dumps([d.as_dict()])


@pytest.mark.parametrize("name", FAMILIES)
def test_no_detection_is_made_anew_of_numbers_as_processors_return_them(name: str) -> None:
    """That would be as_dict's way, which takes ten times as long."""
    made = []

    class Counted(n6post.Detection):
        def __new__(cls, *fields: Any) -> Any:
            made.append(fields)
            return super().__new__(cls, *fields)

    found = [Counted(*d).replace(label=f"{name} {i}", score=i * 1.5) for i, d in enumerate(found_in(name))]
    made.clear()
    assert n6post.to_json(found) == json.dumps([d.as_dict() for d in found])
    assert not made


def test_numbers_of_other_kinds_are_told_as_as_dict_tells_them() -> None:
    found = [plain(rect=(1.9, np.int32(2), -3.5, True), class_id=2.0, score=np.float32(0.25)), plain(score=1)]
    found[0].track_id = 5
    assert n6post.to_json(found) == json.dumps([d.as_dict() for d in found])


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("rect", [(1, 2, 30, 40), (1.0, 2, 30, 40)])
def test_a_mask_and_keypoints_are_told_whatever_the_kind_of_the_other_numbers_and_both_of_one_with_both(
    name: str, rect: Any
) -> None:
    found = [d.replace(rect=rect) for d in found_in(name)]
    assert json.loads(n6post.to_json(found)) == told(found)
    both = found[0].replace(mask=found_in("yolov8n_seg_320")[0].mask, keypoints=found_in("movenet_17_192")[0].keypoints)
    assert json.loads(n6post.to_json(both)) == told([both])[0]
    assert {"mask", "keypoints"} <= told([both])[0].keys()


KINDS = """
from n6post import Detection, to_json
found = []
for i in range(400):
    rect = i * 37 % 1300 - 9, i * i, 12 + i, 4096 - i
    found.append(Detection(rect, i / 128, i % 80, ("person", "car", "k\u00e4fer")[i % 3], None, None))
    if i % 2:
        found[-1].track_id = i * i * i + 1
print(to_json(found))
"""


def test_micropython_writes_the_same_bytes_as_cpython(capsys: pytest.CaptureFixture[str]) -> None:
    exec(KINDS, {})
    assert on_micropython(KINDS) == capsys.readouterr().out.strip()


def test_scores_and_keypoints_near_a_half_are_rounded_alike_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    exec(NEAR_HALVES, {})
    assert on_micropython(NEAR_HALVES) == capsys.readouterr().out.strip()


def test_labels_of_any_alphabet_are_escaped_as_micropythons_own_json_does_not() -> None:
    text, told = 'Äpfel "\\\n🚀', '"label": "\\u00c4pfel \\"\\\\\\u000a\\ud83d\\ude80"'
    assert told in n6post.to_json([plain(label=text)])
    classes = FakeModel([Tensor(np.zeros((1, 4, 4), np.uint8))], (4, 4))
    assert told in n6post.to_json(classes.run(n6post.DeepLab(labels=[text, "b"], background=None)))


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


@pytest.mark.parametrize("result", [None, 7, "person", {}, [None], [plain(), 7], [(1, 2)], [tuple(plain())], ["person"]])
def test_what_is_no_result_is_refused(result: Any) -> None:
    with pytest.raises(ValueError, match=r"expected a list of Detection or something with as_dict\(\), got "):
        n6post.to_json(result)
