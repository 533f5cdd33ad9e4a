"""lib/n6post/results/rows.py: Detections from other post-processors, blobs and plain tuples."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import image
import n6post
import numpy as np
import pytest
from ulab import numpy as ulab

pytestmark = pytest.mark.both_firmwares

FRAME = (320, 240)
BOX = (10, 20, 30, 40)


def plain(found: list[Any]) -> list[tuple[Any, ...]]:
    return [(d.rect, d.score, d.class_id, d.label) for d in found]


def test_lists_of_openmvs_post_processors_become_detections() -> None:
    points = ulab.array([[12.0, 22.0, 0.9], [14.0, 25.0, 0.2]])
    rows = [[([10, 20, 30, 40], 0.5)], [], [([1, 2, 3, 4], 0.75), ([5, 6, 7, 8], 0.25, points)]]
    found = n6post.detections(rows, frame=FRAME, labels=["cat", "dog", "bird"])
    assert plain(found) == [
        ((1, 2, 3, 4), 0.75, 2, "bird"),
        ((10, 20, 30, 40), 0.5, 0, "cat"),
        ((5, 6, 7, 8), 0.25, 2, "bird"),
    ]
    assert all(d.frame_size == FRAME and d.mask is None for d in found)
    assert found[0].keypoints is None and found[2].keypoints.tolist() == points.tolist()
    assert json.loads(n6post.to_json(found))[0]["label"] == "bird"


def test_detections_of_to_openmv_are_what_they_were() -> None:
    points = ulab.array([[12.0, 22.0, 0.5], [14.0, 25.0, 0.25]])
    made = [
        n6post.Detection((1, 2, 3, 4), 0.75, 2, "2", None, None),
        n6post.Detection((10, 20, 30, 40), 0.5, 0, "0", None, points),
    ]
    found = n6post.detections(n6post.to_openmv(made), frame=FRAME)
    assert plain(found) == plain(made) and found[1].keypoints.tolist() == points.tolist()


@pytest.mark.parametrize(
    ("row", "score", "class_id"),
    [
        (BOX, 1.0, 0), (list(BOX), 1.0, 0), ((*BOX, 0.5), 0.5, 0), ((*BOX, 0.5, 3), 0.5, 3), ((BOX, 0.5), 0.5, 0),
        ((list(BOX), 0.5, 3), 0.5, 3), ((BOX, 0.5, 3, None), 0.5, 3), ((BOX, 0.5, None), 0.5, 0), ((BOX,), 1.0, 0),
        ([list(BOX), 0.5], 0.5, 0), ((ulab.array(BOX), 0.5, 3), 0.5, 3), ((*BOX, 1, 3.0), 1.0, 3),
    ],
)  # fmt: skip
def test_plain_rows_of_every_form_are_accepted(row: Any, score: float, class_id: int) -> None:
    assert plain(n6post.detections([row])) == [(BOX, score, class_id, str(class_id))]


@pytest.mark.parametrize("rows", [np.array([[*BOX, 0.5, 3], [0, 0, 9, 9, 0.75, 1]]), None])
def test_arrays_are_accepted(rows: Any) -> None:
    rows = ulab.array([[*BOX, 0.5, 3], [0, 0, 9, 9, 0.75, 1]]) if rows is None else rows
    assert plain(n6post.detections(rows)) == [((0, 0, 9, 9), 0.75, 1, "1"), (BOX, 0.5, 3, "3")]


def test_keypoints_of_two_columns_get_a_score_of_one() -> None:
    (found,) = n6post.detections([(BOX, 0.5, [(12, 22), (400, -5), (-1, 300)])], frame=FRAME)
    assert found.keypoints.tolist() == [[12, 22, 1], [320, 0, 1], [0, 240, 1]]
    assert found.keypoint(0) == (12, 22, 1.0)


def test_boxes_are_clipped_to_the_frame_and_dropped_outside_of_it() -> None:
    rows = [(-5, -5, 20, 30, 0.9), (310, 200, 50, 90, 0.8), (400, 0, 9, 9), (5, 240, 9, 9), (5, 5, 0, 9), (5, 5, 9, -3)]
    assert plain(n6post.detections(rows, frame=FRAME)) == [((0, 0, 15, 25), 0.9, 0, "0"), ((310, 200, 10, 40), 0.8, 0, "0")]
    assert [d.rect for d in n6post.detections(rows[2:4])] == [(400, 0, 9, 9), (5, 240, 9, 9)]


def test_boxes_of_floats_cover_every_pixel_that_they_touch() -> None:
    assert [d.rect for d in n6post.detections([(10.5, 20.0, 30.0, 39.5), (1.0, 2.0, 3.0, 4.0)])] == [
        (10, 20, 31, 40),
        (1, 2, 3, 4),
    ]
    # But not those that they touch by what a camera's floats lose.
    assert [d.rect for d in n6post.detections([(9.9999, 19.9999, 30.0002, 40.0002)])] == [BOX]


def test_scores_that_are_not_a_number_are_dropped() -> None:
    assert n6post.detections([(*BOX, float("nan"))]) == n6post.detections([]) == n6post.detections([[], []]) == []


def test_equal_scores_keep_their_order() -> None:
    rows = [(x, 0, 5, 5) for x in range(40)]
    assert [d.rect[0] for d in n6post.detections(rows)] == list(range(40))


def spots() -> Any:
    img = image.Image(*FRAME, image.RGB565)
    img.draw_rectangle((20, 30, 40, 50), color=(255, 0, 0), fill=True)
    img.draw_rectangle((200, 100, 60, 20), color=(0, 255, 0), fill=True)
    return img


THRESHOLDS = [(30, 100, 15, 127, 15, 127), (30, 100, -128, -15, 15, 127)]  # red, green


@pytest.mark.parametrize("frame", ["picture", "size"])
def test_blobs_become_detections_on_every_firmware(frame: str) -> None:
    """Firmware 5.0 has tuples with names, 4.8.1 objects with methods."""
    img = spots()
    blobs = img.find_blobs(THRESHOLDS)
    found = n6post.detections(blobs, frame=img if frame == "picture" else FRAME, labels=["red", "green"])
    assert plain(found) == [((20, 30, 40, 50), 1.0, 0, "red"), ((200, 100, 60, 20), 1.0, 1, "green")]
    assert found[0].frame_size == FRAME
    tracker = n6post.Tracker()
    zone = n6post.PolygonZone(((0, 0), (150, 0), (150, 239), (0, 239)))
    for _ in range(3):
        found = n6post.detections(img.find_blobs(THRESHOLDS), frame=img, labels=["red", "green"])
        objects = tracker.update(found, elapsed_ms=40)
        zone.trigger(objects, elapsed_ms=40)
    assert [(d.track_id, d.label) for d in objects] == [(1, "red"), (2, "green")] and zone.current_count == 1
    before = bytes(img.bytearray())
    n6post.draw(img, objects)
    assert bytes(img.bytearray()) != before


def test_markers_and_codes_have_their_ids_and_payloads() -> None:
    old = SimpleNamespace(rect=lambda: BOX, id=lambda: 7)  # AprilTags of 4.8.1 and 5.0
    new = SimpleNamespace(rect=BOX, id=7, name="TAG36H11")
    code = SimpleNamespace(rect=lambda: BOX, payload=lambda: "openmv.io")
    merged = SimpleNamespace(rect=BOX, code=6)  # a blob of two thresholds
    expected = [(BOX, 1.0, 7, "7"), (BOX, 1.0, 7, "7"), (BOX, 1.0, 0, "openmv.io"), (BOX, 1.0, 1, "1")]
    assert plain(n6post.detections([old, new, code, merged])) == expected
    assert n6post.detections([new], labels=[str(i) for i in range(7)] + ["door"])[0].label == "door"
    assert n6post.detections([new], labels=["a"])[0].label == "7"


def test_the_class_of_a_blob_is_the_lowest_bit_of_its_code() -> None:
    codes = [*range(1, 300), *[1 << bit for bit in range(32)], 0]
    found = n6post.detections([SimpleNamespace(rect=BOX, code=code) for code in codes])
    wanted = [f"{code:b}"[::-1].find("1") if code else 0 for code in codes]
    assert [d.class_id for d in found] == wanted and max(wanted) == 31


def test_detections_keep_everything_else() -> None:
    (d,) = n6post.detections([(*BOX, 0.5)], labels=["cat"])
    tracked = d.replace(track_id=4, keypoint_threshold=0.7)
    (again,) = n6post.detections([tracked], frame=FRAME)
    assert (again.rect, again.label, again.track_id, again.keypoint_threshold) == (BOX, "cat", 4, 0.7)
    assert again.frame_size == FRAME and n6post.detections([again])[0].frame_size == FRAME
    assert n6post.detections([tracked], labels=["dog"])[0].label == "dog"
    assert n6post.detections([tracked.replace(class_id=1)], labels=["dog"])[0].label == "cat"


def test_what_as_dict_and_json_say_becomes_detections_again() -> None:
    points = ulab.array([[12.04, 22.0, 0.5], [14.0, 25.0, 0.25], [np.nan, 3.0, 0.75]])
    turned = [(10.0, 20.26), (40.0, 20.0), (40.0, 60.0), (10.0, 60.0)]
    made = [
        n6post.Detection(BOX, 0.87654, 2, "a \0\ud800\"", None, points).replace(track_id=7),
        n6post.Detection((1, 2, 3, 4), 0.75, 0, "ship", None, None).replace(corners=turned),
        n6post.Detection((1, 2, 3, 4), 0.5, 1, "1", None, None),
    ]
    for rows in ([d.as_dict() for d in made], json.loads(n6post.to_json(made))):
        found = n6post.detections(rows, frame=FRAME)
        assert [(d.rect, d.class_id, d.label, d.track_id) for d in found] == [
            (d.rect, d.class_id, d.label, d.track_id) for d in made
        ]
        assert [d.score for d in found] == [0.877, 0.75, 0.5] and all(d.frame_size == FRAME for d in found)
        np.testing.assert_allclose(
            found[0].keypoints.tolist(), [[12, 22, 0.5], [14, 25, 0.25], [0, 0, 0]], atol=1e-6  # NaN: not seen
        )
        assert found[1].rotation == made[1].rotation and found[2].corners is found[2].keypoints is None
        np.testing.assert_allclose(found[1].corners.tolist(), [(10, 20.3), *turned[1:]], atol=1e-5)
        assert n6post.detections(rows, labels=["boat", "b", "c"])[1].label == "boat"
    masked = {**made[2].as_dict(), "mask": {"rect": [1, 2, 3, 4], "area": 9, "centroid": [2, 3]}}
    assert n6post.detections([masked])[0].mask is None
    assert n6post.detections([{"rect": BOX}])[0][:4] == (BOX, 1.0, 0, "0")


@pytest.mark.parametrize("degrees", [0.0, 0.01, 179.99])
def test_rotation_of_a_dict_is_more_exact_than_its_rounded_corners(degrees: float) -> None:
    corners = [[10.0, 20.0], [90.0, 20.1], [90.0, 60.1], [10.0, 60.0]]  # .07 degrees
    for rotation, wanted in ((degrees, degrees), (None, 0.07)):
        (d,) = n6post.detections([{"rect": (10, 20, 80, 41), "corners": corners, "rotation": rotation}])
        assert d.rotation == pytest.approx(wanted, abs=0.004)


def test_numbers_that_are_not_finite_are_not_seen() -> None:
    rows = [(BOX, [(12.0, 22.0, 0.5), (odd, 22.0, 0.5), (12.0, odd), (12.0, 22.0, odd)][k]) for odd in ODD for k in range(4)]
    for frame in (FRAME, None):
        for rect, point in rows:
            (found,) = n6post.detections([(rect, 0.5, 0, [point])], frame=frame)
            assert found.keypoints.tolist() == [[12, 22, 0.5] if point == (12.0, 22.0, 0.5) else [0, 0, 0]]
    assert n6post.detections([(*BOX, odd) for odd in ODD]) == n6post.detections([{"rect": BOX, "score": None}]) == []


ODD = float("nan"), float("inf"), float("-inf")


@pytest.mark.parametrize(
    "rows",
    [
        [{}], [{"box": BOX}], [{"rect": BOX, "colour": 1}], [{"rect": BOX, "score": "high"}], [{"rect": BOX, "label": 5}],
        [{"rect": BOX, "track_id": 0.5}], [{"rect": BOX, "corners": [(1, 2)] * 4}], [{"rect": BOX, "rotation": 5.0}],
        [{"rect": BOX, "corners": [(1, 2), (3, 2), (3, 4), (1, 4)], "rotation": 180.0}], [{"rect": None}],
        [(*BOX, 10**400)], [(*BOX, 0.5, 10**10)], [(10**400, 0, 5, 5)], [(10**10, 0, 5, 5)], [(*BOX, 1j)],
        [(-(10**10), 0, 5, 5)], [(0, -(10**10), 5, 5)], [(0, 10**10, 5, 5)],
        [(*BOX, ulab.array([1.0]))], [(BOX, 0.5, 0, [(10**400, 1)])],
        5, "abc", None, [5], ["abc"], [()], [(1, 2, 3)], [(1, 2, 3, "4")], [(*BOX, "high")], [(*BOX, 0.5, -1)],
        [(*BOX, 0.5, 1.5)], [(*BOX, 0.5, 1, 2)], [(BOX, 0.5, 1, 2)], [(BOX, 0.5, [1, 2])], [(BOX, 0.5, [(1, 2, 3, 4)])],
        [(BOX, 0.5, 0, [(1, 2), (1, 2, 3)])], [(BOX, 0.5, 0, [(1, 2, 3), (1, 2)])],
        [(float("nan"), 0, 5, 5)], [(float("inf"), 0, 5, 5)], [None], [[BOX], 5], [(*BOX, None)], [(BOX, None, 1)],
    ],
)  # fmt: skip
def test_other_rows_are_refused(rows: Any) -> None:
    with pytest.raises(ValueError, match=r"^rows: expected lists of \(\[x, y, w, h\], score\) for each class, or .* got "):
        n6post.detections(rows)


def test_one_dict_is_one_detection() -> None:
    (d,) = n6post.detections([(BOX, 0.5, 3)])
    for one in (d.as_dict(), json.loads(n6post.to_json(d))):
        assert n6post.detections(one) == n6post.detections([one]) == [d]


@pytest.mark.parametrize("frame", [5, (320,), (0, 5), (320.0, 240.0), "x", (1, 2, 3), (70000, 5)])
def test_other_frames_are_refused(frame: Any) -> None:
    with pytest.raises(ValueError, match="^frame: expected a picture, its .width, height. or None, got "):
        n6post.detections([], frame=frame)
