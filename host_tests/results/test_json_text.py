"""lib/n6post/results/json_text.py: results as one line of JSON, with the content of as_dict."""

from __future__ import annotations

import io
import json
import re
import struct
import sys
import threading
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, cast

import n6post
import numpy as np
import pytest
from fakes import FakeModel, Tensor, camera_floats
from hypothesis import example, given
from hypothesis import strategies as st
from n6post.results import json_text
from n6post.results.mask import MaskTransform
from test_detection import FAMILIES, car, detections_of
from test_init import on_micropython
from ulab import _host


def as_dicts(detections: Any, outline: bool = False) -> Any:
    return json.loads(json.dumps([d.as_dict(outline) for d in detections]))


@pytest.mark.parametrize("outline", [False, True])
@pytest.mark.parametrize("name", FAMILIES)
def test_to_json_writes_what_as_dict_returns_for_every_family(name: str, outline: bool) -> None:
    detections = detections_of(name)
    line = n6post.to_json(detections, outline=outline)
    assert line == json.dumps([d.as_dict(outline) for d in detections])
    assert json.loads(line) == as_dicts(detections, outline)
    assert "\n" not in line and line.isascii()
    assert n6post.to_json(detections[0], outline=outline) == n6post.to_json(detections[:1], outline=outline)[1:-1]


@given(
    st.tuples(*[st.integers(-5000, 5000)] * 4),
    st.floats(0, 1.5, width=32) | st.sampled_from([float("inf"), float("nan"), 0.0005, 0.0015]),
    st.text(),
    st.none() | st.integers(1, 2**30 - 1),
)
@example((0, 0, 0, 0), 0.0, "", None)
@example((-5000, 5000, 0, 1), float("nan"), '"\\\n\x00\x7f\u20ac\U0001f600', 2**30 - 1)
@example((1, 2, 3, 4), float("inf"), "/", 1)
def test_to_json_writes_what_as_dict_returns_for_any_detection(
    rect: Any, score: float, label: str, track_id: int | None
) -> None:
    d = car(rect=rect, score=score, label=label)
    if track_id is not None:
        d.track_id = track_id
    line = n6post.to_json([d, d])
    assert json.loads(line) == as_dicts([d, d])
    assert line.isascii() and line.isprintable()


@given(st.lists(st.integers(0, 0x3FFFFFFF).map(lambda bits: struct.unpack("f", struct.pack("I", bits))[0]), max_size=40))
@example([])
@example([0.0, 0.0005, 0.9995, 1.9995, 1.99999988])
def test_every_score_below_2_is_rounded_half_to_even(scores: list[float]) -> None:
    """All float32 numbers from the smallest one on, without the bits that a camera's lack, against decimal arithmetic."""
    scores += [k / 2000 * 2.0**-n for k in (1, 3, 125, 999, 1999) for n in (0, 1)] + [k / 16 for k in range(32)]
    scores = [struct.unpack("f", struct.pack("f", score))[0] for score in scores]
    wanted = [float(Decimal(camera_floats(score)[0]).quantize(Decimal("0.001"), ROUND_HALF_EVEN)) for score in scores]
    line = n6post.to_json([car(score=score) for score in scores])
    assert re.findall(r'"score": ([^,]*)', line) == [repr(score) for score in wanted]


@given(st.floats(-3, 3))
@example(0.8765)
def test_a_score_is_cut_to_the_bits_of_a_camera_before_it_is_rounded(score: float) -> None:
    d = car(score=score)
    wanted = float(Decimal(camera_floats(score)[0]).quantize(Decimal("0.001"), ROUND_HALF_EVEN))
    assert json.loads(n6post.to_json(d))["score"] == d.as_dict()["score"] == wanted


NEAR_HALVES = """
import json, n6post, struct
from array import array
from ulab import numpy as np

def bits(value):
    return struct.unpack("i", struct.pack("f", value))[0] & ~15

total = 0
for k in range(400):
    # Keypoints as networks return them, with all bits of a float32. A camera's float objects have fewer.
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
for exponent in range(255):
    # Numbers of every size: a camera has no int of infinity, and prints six digits of a float.
    for mantissa in (0, 0x2AAAAB, 0x7FFFFF):
        data = struct.pack("i", exponent << 23 | mantissa)
        points = np.frombuffer(bytearray(data * 3), dtype=np.float).reshape((1, 3))
        d = n6post.Detection((1, 2, 3, 4), struct.unpack("f", data)[0], 0, "p", None, points)
        line = n6post.to_json([d])
        assert line == json.dumps([d.as_dict()])
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
def test_every_integer_is_written_as_python_writes_it(numbers: list[int]) -> None:
    detections = []
    for x, y, w, h, class_id, track_id in zip(*[iter(numbers)] * 6):
        detections.append(car(rect=(x, y, w, h), class_id=class_id))
        detections[-1].track_id = track_id
    assert n6post.to_json(detections) == json.dumps([d.as_dict() for d in detections])


def test_a_short_line_after_a_long_one_is_complete() -> None:
    many = [car(rect=(i, i * i, i, 7), label="x" * (i % 90)) for i in range(300)]
    assert n6post.to_json(many) == json.dumps([d.as_dict() for d in many])
    assert n6post.to_json([car(label="y" * 5000)] + many[:2]) == json.dumps(
        [d.as_dict() for d in [car(label="y" * 5000), *many[:2]]]
    )
    assert n6post.to_json(many[:1]) == json.dumps([many[0].as_dict()])


def test_a_line_much_longer_than_the_kept_buffer_is_complete() -> None:
    """Twice the size of the buffer would not be enough: the label alone is longer."""
    d = car(label="y" * 100_000)
    assert n6post.to_json([d]) == json.dumps([d.as_dict()])


@pytest.mark.parametrize("name", FAMILIES)
def test_detections_of_processors_are_written_without_copying_them(name: str) -> None:
    """Copying them as as_dict does would take ten times as long."""
    made = []

    class Counted(n6post.Detection):
        def __new__(cls, *fields: Any) -> Any:
            made.append(fields)
            return super().__new__(cls, *fields)

    detections = [Counted(*d).replace(label=f"{name} {i}", score=i * 1.5) for i, d in enumerate(detections_of(name))]
    made.clear()
    assert n6post.to_json(detections) == json.dumps([d.as_dict() for d in detections])
    assert not made


def test_numbers_of_other_types_are_written_as_as_dict_returns_them() -> None:
    detections = [car(rect=(1.9, np.int32(2), -3.5, True), class_id=2.0, score=np.float32(0.25)), car(score=1)]
    detections[0].track_id = 5
    assert n6post.to_json(detections) == json.dumps([d.as_dict() for d in detections])


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("rect", [(1, 2, 30, 40), (1.0, 2, 30, 40)])
def test_masks_and_keypoints_are_written_alone_and_together(
    name: str, rect: Any
) -> None:
    detections = [d.replace(rect=rect) for d in detections_of(name)]
    assert json.loads(n6post.to_json(detections)) == as_dicts(detections)
    mask, keypoints = detections_of("yolov8n_seg_320")[0].mask, detections_of("movenet_17_192")[0].keypoints
    both = detections[0].replace(mask=mask, keypoints=keypoints)
    assert json.loads(n6post.to_json(both)) == as_dicts([both])[0]
    assert {"mask", "keypoints"} <= as_dicts([both])[0].keys()


KINDS = """
from n6post import Detection, to_json
detections = []
for i in range(400):
    rect = i * 37 % 1300 - 9, i * i, 12 + i, 4096 - i
    detections.append(Detection(rect, i / 128, i % 80, ("person", "car", "k\u00e4fer")[i % 3], None, None))
    if i % 2:
        detections[-1].track_id = i * i * i + 1
print(to_json(detections))
"""


def test_micropython_writes_the_same_bytes_as_cpython(capsys: pytest.CaptureFixture[str]) -> None:
    exec(KINDS, {})
    assert on_micropython(KINDS) == capsys.readouterr().out.strip()


def test_scores_and_keypoints_near_a_half_are_rounded_alike(capsys: pytest.CaptureFixture[str]) -> None:
    exec(NEAR_HALVES, {})
    assert on_micropython(NEAR_HALVES) == capsys.readouterr().out.strip()


def test_labels_of_any_alphabet_are_escaped_to_ascii() -> None:
    text, escaped = 'Äpfel "\\\n🚀', '"label": "\\u00c4pfel \\"\\\\\\u000a\\ud83d\\ude80"'
    assert escaped in n6post.to_json([car(label=text)])
    classes = FakeModel([Tensor(np.zeros((1, 4, 4), np.uint8))], (4, 4))
    assert escaped in n6post.to_json(classes.run(n6post.DeepLab(labels=[text, "b"], background=None)))


def test_labels_that_change_all_the_time_do_not_fill_the_heap() -> None:
    for n in range(1000):
        (read,) = json.loads(n6post.to_json([n6post.Detection((1, 2, 3, 4), 0.5, 0, f"label {n}", None, None)]))
        assert read["label"] == f"label {n}"
        assert len(json_text._texts) <= 201


def test_no_detections_are_an_empty_list() -> None:
    assert n6post.to_json([]) == "[]"


def test_a_number_that_is_not_finite_is_null() -> None:
    keypoints = _host.wrap(np.array([[1.25, np.inf, np.nan]], np.float32))
    line = n6post.to_json([n6post.Detection((1, 2, 3, 4), float("nan"), 0, "person", None, keypoints)])
    assert json.loads(line) == [
        {"rect": [1, 2, 3, 4], "score": None, "class_id": 0, "label": "person", "keypoints": [[1.2, None, None]]}
    ]


def test_zones_are_written_as_one_object() -> None:
    line = n6post.LineZone((0, 200), (400, 200))
    assert n6post.to_json(line) == '{"start": [0, 200], "end": [400, 200], "in": 0, "out": 0}'
    zone = n6post.PolygonZone([(0, 0), (9, 0), (9, 9)])
    assert n6post.to_json(zone) == '{"points": [[0, 0], [9, 0], [9, 9]], "count": 0, "dwell_times": []}'


NO_RESULTS = [7, "person", {}, [car(), 7], [(1, 2)], [tuple(car())], ["person"], [[car(), 7]], [{}]]


@pytest.mark.parametrize("result", NO_RESULTS)
def test_to_json_refuses_anything_but_a_result(result: Any) -> None:
    with pytest.raises(ValueError, match=r"expected a list of Detection or something with as_dict\(\), got "):
        n6post.to_json(result)


# --- streams ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", FAMILIES)
def test_a_stream_gets_the_line_and_a_line_end_in_one_write(name: str) -> None:
    detections = detections_of(name)
    for result in (detections, detections[0], [], n6post.LineZone((0, 200), (400, 200))):
        written: list[bytes] = []

        class Stream:
            def write(self, data: memoryview) -> str:
                written.append(bytes(data))  # noqa: B023
                return "sent"

        assert n6post.to_json(result, stream=Stream()) == "sent"
        assert written == [n6post.to_json(result).encode() + b"\n"]


def test_a_line_of_every_length_has_its_line_end() -> None:
    """Also where it just fits into the buffer, which grows from 1024 bytes."""
    for size in range(500, 3000):
        stream = io.BytesIO()
        json_text._lines.clear()
        d = car(label="y" * size)
        assert n6post.to_json([d], stream=stream) == len(stream.getvalue())
        assert stream.getvalue() == json.dumps([d.as_dict()]).encode() + b"\n"


def test_a_frame_allocates_no_new_buffers() -> None:
    detections = [car(label=f"label {i}") for i in range(50)]
    n6post.to_json(detections)
    (line,) = json_text._lines
    out, more = line.out, line.more
    for _ in range(3):
        n6post.to_json(detections, stream=io.BytesIO())
        assert json_text._lines == [line] and line.out is out and line.more is more


def test_a_stream_that_fails_leaves_the_next_line_complete() -> None:
    class Broken:
        def write(self, data: memoryview) -> int:
            raise OSError("no client")

    for _ in range(3):
        with pytest.raises(OSError, match="no client"):
            n6post.to_json([car(), car()], stream=Broken())
        assert n6post.to_json([car()]) == json.dumps([car().as_dict()])
    assert len(json_text._lines) == 1


def test_a_stream_may_call_to_json_itself() -> None:
    inner: list[str] = []

    class Nested:
        def write(self, data: memoryview) -> bytes:
            inner.append(n6post.to_json([car(label="inner " * 40)] * 30))
            return bytes(data)

    assert n6post.to_json([car()], stream=Nested()) == json.dumps([car().as_dict()]).encode() + b"\n"
    assert json.loads(inner[0])[29]["label"] == "inner " * 40


def test_two_threads_do_not_mix_their_lines() -> None:
    found = {name: detections_of(name) * 5 for name in FAMILIES}
    wanted = {name: n6post.to_json(detections) for name, detections in found.items()}
    wrong: list[str] = []

    def work(name: str) -> None:
        for _ in range(40):
            if n6post.to_json(found[name]) != wanted[name]:
                wrong.append(name)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(name,)) for name in [*FAMILIES, *FAMILIES]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong


@pytest.mark.parametrize("stream", [7, "results.jsonl", b"", True])
def test_a_stream_without_write_is_refused(stream: Any) -> None:
    got = type(stream).__name__
    with pytest.raises(ValueError, match=rf"^stream: expected None or an object with write\(\), got {got}$"):
        n6post.to_json([car()], stream=stream)
    assert n6post.to_json([]) == "[]"


# --- keypoints and corners -------------------------------------------------------------------------------------------
@given(st.lists(st.tuples(*[st.floats(-2000, 120_000, width=32)] * 2, st.floats(-1100, 1100, width=32)), max_size=9))
@example([(0.0, 0.05, 0.0005), (-0.05, 99999.95, 999.9995), (1000.0, 9999.95, 1.0)])
@example([(0.1, -0.1, -0.001), (12.0, 345.6, 0.12), (100000.0, 1.0, 0.5)])
def test_keypoints_are_written_as_as_dict_returns_them(points: Any) -> None:
    keypoints = _host.wrap(np.array(points, np.float32).reshape(-1, 3))
    d = n6post.Detection((1, 2, 3, 4), 0.5, 0, "person", None, keypoints)
    assert n6post.to_json([d, d]) == json.dumps([d.as_dict()] * 2)


def test_keypoints_with_corners_and_a_mask_are_written_together() -> None:
    mask, keypoints = detections_of("yolov8n_seg_320")[0].mask, detections_of("movenet_17_192")[0].keypoints
    d = car(mask=mask, keypoints=keypoints).replace(corners=[(10, 20), (60, 25), (55, 75), (5, 70)])
    assert list(d.as_dict())[4:] == ["mask", "keypoints", "corners", "rotation"]
    for outline in (False, True):
        assert n6post.to_json([d, car(), d], outline=outline) == json.dumps([one.as_dict(outline) for one in (d, car(), d)])


def test_masks_without_a_pixel_or_an_area_have_null() -> None:
    """A mask whose pixels lie between two frame pixels has a box, of one pixel, but no area."""
    transform = MaskTransform(0.25, 0, 0.25, 0, (0, 0, 64, 64))
    thin = bytes([0, 200, 0] * 3)
    masks = [
        n6post.Mask(bytes(9), (4, 4, 3, 3), (4, 4, 3, 3), (0, 0, 64, 64), transform),
        n6post.Mask(thin, (4, 4, 3, 3), (4, 4, 3, 3), (0, 0, 64, 64), transform),
        n6post.Mask(b"", (4, 4, 0, 0), (4, 4, 0, 0), (0, 0, 64, 64), transform),
    ]
    detections = [car(mask=mask) for mask in masks]
    told = json.loads(n6post.to_json(detections))
    assert told == as_dicts(detections)
    empty = {"rect": None, "area": 0, "centroid": None}
    assert told[0]["mask"] == told[2]["mask"] == empty
    assert told[1]["mask"] == {"rect": [1, 1, 1, 1], "area": 0, "centroid": None}


def test_a_label_that_is_no_text_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="label: expected a text, got 5"):
        n6post.to_json([n6post.Detection((1, 2, 3, 4), 0.5, 1, cast(Any, 5), None, None)])


def test_everything_with_as_dict_is_written_and_lists_of_it() -> None:
    square = [(0, 0), (100, 0), (100, 100), (0, 100)]
    zone, tracker, line = n6post.PolygonZone(square, max_gap=0.0), n6post.Tracker(), n6post.LineZone((0, 0), (0, 9))
    heat_map, gallery = n6post.HeatMap(2, 1), n6post.Gallery()
    gallery.enroll("Anna", [3.0, 4.0])
    for detections in ([car(rect=(8, 8, 9, 9))], [car(rect=(8, 8, 9, 9))], []):
        zone.trigger(tracker.update(detections, elapsed_ms=1200), elapsed_ms=1200)
    (visit,) = zone.left
    last = {"rect": [8, 8, 9, 9], "ago": 1.2}
    assert visit.as_dict() == {"track_id": 1, "dwell_time": visit.dwell_time, "class_id": 2, **last}
    (track,) = tracker.tracks
    assert track.as_dict() == {**track._asdict(), "rect": [8, 8, 9, 9], "velocity": [0.0, 0.0]}
    classes = n6post.Classification([1], [0.5], ["cat", "dog"])
    mixed = [zone, line, heat_map, gallery, visit, track, gallery.match([3.0, 4.0]), classes, classes[0], car()]
    for one in mixed:
        assert json.loads(n6post.to_json(one)) == json.loads(json.dumps(one.as_dict()))
    for record in (visit, track, gallery.match([3.0, 4.0]), classes[0]):
        assert tuple(record.as_dict()) == record._fields
    assert n6post.to_json(mixed) == f"[{', '.join([n6post.to_json(one) for one in mixed])}]"
    assert n6post.to_json(tuple(zone.left)) == f"[{json.dumps(visit.as_dict())}]"
    assert json.loads(n6post.to_json(gallery.similarities([4.0, 3.0]))) == [{"name": "Anna", "similarity": 0.96}]


def test_nothing_is_null_and_a_list_may_hold_lists() -> None:
    gallery = n6post.Gallery()
    gallery.enroll("Anna", [3.0, 4.0])
    assert n6post.to_json(gallery.match([4.0, -3.0])) == "null"
    found = n6post.Classification([1], [0.5], ["cat", "dog"])
    assert n6post.to_json([None, found]) == f"[null, {n6post.to_json(found)}]"  # as Pipeline.results
    assert n6post.to_json(([car()], [])) == f"[[{n6post.to_json(car())}], []]"  # as LineZone.trigger


def test_an_outline_is_written_beside_other_objects_too() -> None:
    detections = detections_of("yolov8n_seg_320")
    line = n6post.to_json([*detections, n6post.LineZone((0, 0), (0, 9))], outline=True)
    assert json.loads(line)[:-1] == as_dicts(detections, True)


@pytest.mark.parametrize("label", ["\ud800", "a\udfffb", "\0", "\ud83d\ude00", "\U0001f600"])
def test_every_character_of_a_label_is_written(label: str) -> None:
    assert n6post.to_json([car().replace(label=label)]) == json.dumps([car().replace(label=label).as_dict()])
    assert n6post.to_json(n6post.Classification([0], [0.5], [label])) == json.dumps(
        n6post.Classification([0], [0.5], [label]).as_dict()
    )


@pytest.mark.parametrize(
    "changes",
    [{"score": 10**400}, {"score": None}, {"class_id": 2**31}, {"class_id": float("inf")}, {"rect": (10**400, 1, 2, 3)},
     {"rect": (1, 2, 3)}, {"class_id": None}],
)  # fmt: skip
def test_numbers_that_json_cannot_hold_are_a_value_error(changes: Any) -> None:
    with pytest.raises(ValueError, match="^detections: expected numbers of 32 bits, got Detection"):
        n6post.to_json([car().replace(**changes)])
