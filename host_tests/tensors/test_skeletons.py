"""lib/n6post/tensors/skeletons.py: the fingers of hands that MediaPipe found and of hands that are made up."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
import recorded_landmarks as recorded
from fakes import Array, Framed
from ulab import _host

# Index, middle, ring finger, pinky: the knuckle from the wrist, and the lengths of the three bones, millimeters.
KNUCKLES = [(-25, 90), (0, 95), (20, 88), (38, 76)]
BONES = [(40, 25, 20), (44, 28, 22), (41, 26, 22), (33, 20, 18)]
SPREAD = [8, 0, -7, -16]
COUNTED = {"fist": "00000", "one": "01000", "two": "01100", "three": "11100", "four": "01111", "five": "11111",
           "thumb up": "10000", "horns": "01001", "call me": "10001"}  # fmt: skip


def turn(axis: int, degrees: float) -> Array:
    """A rotation around an axis: x across the palm, y along it, z towards the back of the hand."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    made = np.eye(3)
    i, j = [k for k in range(3) if k != axis]
    made[i, i], made[i, j], made[j, i], made[j, j] = c, -s, s, c
    return made


def made_up(up: list[bool], random: Any, tilt: float) -> Array:
    """Keypoints of a hand with bones and joints, seen from 400 mm away, tilted by up to some degrees, maybe mirrored."""
    uniform = random.uniform
    points = np.zeros((21, 3))
    points[1] = -22, 22, -6
    thumb = [uniform(25, 60)] * 3 if up[0] else [uniform(-20, -5), uniform(-55, -30), uniform(-100, -60)]
    for joint, length in enumerate((38, 32, 26)):
        bend = uniform(0, 15) if up[0] else 25
        points[2 + joint] = points[1 + joint] + turn(2, thumb[joint]) @ turn(0, -bend) @ [0, length, 0]
    for finger in range(4):
        first = 5 + 4 * finger
        points[first, :2] = KNUCKLES[finger]
        bends = (uniform(-10, 25), uniform(0, 18), uniform(0, 12))
        if not up[finger + 1]:
            fist = random.random() < 0.7
            bends = (uniform(50, 90) if fist else uniform(0, 30), uniform(80, 110), uniform(40, 80))
        bones = turn(2, SPREAD[finger] * uniform(0.2, 1.3))
        for joint in range(3):
            bones = bones @ turn(0, -bends[joint])
            points[first + joint + 1] = points[first + joint] + bones @ [0, BONES[finger][joint], 0]
    points = points @ (turn(2, uniform(0, 360)) @ turn(0, uniform(-tilt, tilt)) @ turn(1, uniform(-tilt, tilt))).T
    points[:, 0] *= random.choice([-1, 1])
    seen = points[:, :2] * (400 / (400 + points[:, 2:]))
    return (seen + random.normal(0, 1.5, seen.shape)) * uniform(0.5, 2) + 300


def hand(points: Array, scores: Any = 1.0) -> Any:
    table = np.column_stack([points, np.zeros(21) + scores]).astype(np.float32)
    return n6post.Detection((0, 0, 9, 9), 0.9, 0, "hand", None, _host.wrap(table))


@pytest.mark.parametrize("case", sorted({case for case, _ in recorded.cases("hand")}))
def test_the_fingers_of_a_recorded_hand_are_those_of_its_picture(case: str) -> None:
    wanted = (True, True, True, False, False)
    assert hand(recorded.judged(case)).fingers == wanted
    frame = recorded.frames(case, "mediapipe")[1]
    (found,) = recorded.model("hand", frame.tensors).run(n6post.HandLandmarks(), Framed((0, 0, 224, 224)))
    assert found.fingers == wanted


@pytest.mark.parametrize("case", ["hand", "right"])
def test_a_recorded_hand_may_be_turned_mirrored_and_foreshortened(case: str) -> None:
    judged = recorded.judged(case).astype(float)
    for degrees in range(0, 360, 30):
        for across, along in ((1, 1), (-1, 1), (0.6, 1), (1, 0.6), (-0.7, 0.8)):
            points = (judged - judged[0]) * (across, along) @ turn(2, degrees)[:2, :2]
            assert hand(points).fingers == (True, True, True, False, False), (degrees, across, along)


@pytest.mark.parametrize("count", COUNTED)
def test_signs_of_made_up_hands_are_read(count: str) -> None:
    random = np.random.default_rng(1)
    up = [one == "1" for one in COUNTED[count]]
    assert [hand(made_up(up, random, 20)).fingers for _ in range(100)].count(tuple(up)) >= 99


def test_fingers_of_tilted_hands_are_mostly_right() -> None:
    random = np.random.default_rng(2)
    wrong = np.zeros(5)
    for _ in range(1000):
        up = [bool(one) for one in random.integers(0, 2, 5)]
        wrong += np.array(hand(made_up(up, random, 50)).fingers) != up
    assert (wrong < 20).all()  # of a thousand


def test_a_hand_of_circles_and_lines_is_read() -> None:
    # Another way to make hands: a stretched finger is a line, a bent one an arc that returns to its knuckle.
    for bent in range(5):
        points = np.zeros((21, 2))
        for finger in range(5):
            base = np.array([finger * 20 - 60, -80 + 10 * abs(finger - 2)]) if finger else np.array([-45.0, -20])
            away = np.array([-0.8, -0.6]) if finger == 0 else np.array([0.1 * (finger - 2), -1])
            for joint in range(4):
                reach = np.sin(joint * np.pi / 3) * 25 if finger == bent else 22 * joint
                aside = (1 - np.cos(joint * np.pi / 3)) * 8 if finger == bent else 0
                points[1 + 4 * finger + joint] = base + reach * away + aside * away[::-1]
        assert hand(points + 200).fingers == tuple(finger != bent for finger in range(5))


def test_a_finger_with_a_keypoint_that_was_not_seen_is_not_stretched() -> None:
    points, scores = recorded.judged("hand"), np.ones(21)
    scores[7] = 0.2
    assert hand(points, scores).fingers == (True, False, True, False, False)
    assert hand(points, scores).replace(keypoint_threshold=0.1).fingers[1]


def test_only_hands_have_fingers() -> None:
    for keypoints, count in ((None, "none"), (_host.wrap(np.ones((17, 3), np.float32)), "17")):
        with pytest.raises(ValueError, match=f"expected a detection with the 21 keypoints of a hand, got one with {count}"):
            n6post.Detection((0, 0, 9, 9), 0.9, 0, "person", None, keypoints).fingers  # noqa: B018
