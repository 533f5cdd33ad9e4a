"""lib/n6post/results/face_turn.py: MediaPipe's canonical face, turned in space and projected."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
from assertions import says
from hypothesis import given
from hypothesis import strategies as st
from recorded_data import stored

# mediapipe/modules/face_geometry/data/canonical_face_model.obj (Apache-2.0), cm; y points up and z to the camera. Outer and
# inner corners of both eyes, the nose tip, corners of the mouth.
EYES = np.array([(-4.445859, 2.663991, 3.173422), (-1.856432, 2.585245, 3.757904)])
NOSE, MOUTH = (0, -1.126865, 7.475604), np.array((-2.456206, -4.342621, 4.283884))
MIRROR = np.array((-1, 1, 1))
FACE = np.array([EYES.mean(0), EYES.mean(0) * MIRROR, NOSE, MOUTH, MOUTH * MIRROR])


def rotation(axis: int, angle: float) -> Any:
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    a, b = [k for k in range(3) if k != axis]
    matrix = np.eye(3)
    matrix[[a, a, b, b], [a, b, a, b]] = c, -s, s, c
    return matrix


def seen(yaw: float, pitch: float = 0.0, roll: float = 0.0, *, distance: float = 1e6, six: bool = False) -> Any:
    """A detection of the face; yaw above 0 turns it to the right of the picture."""
    points = FACE @ (rotation(2, roll) @ rotation(0, pitch) @ rotation(1, -yaw)).T
    places = points[:, :2] * (1, -1) / (distance - points[:, 2:]) * distance * 9 + (320, 240)
    if six:
        places = np.array([*places[:3], places[3:].mean(0), (1, 2), (3, 4)])
    keypoints = np.column_stack([places, np.ones(len(places))]).astype(np.float32)
    return n6post.Detection((0, 0, 9, 9), 0.9, 0, "face", None, keypoints)


@pytest.mark.parametrize("six", [False, True])
@given(yaw=st.floats(-80, 80), roll=st.floats(-180, 180))
def test_turn_of_the_canonical_face_is_that_by_which_it_was_turned(six: bool, yaw: float, roll: float) -> None:
    assert n6post.face_turn(seen(yaw, 0, roll, six=six)) == pytest.approx(yaw, abs=0.1)


@pytest.mark.parametrize("pitch", [-20, -10, 10, 20])
@pytest.mark.parametrize("distance", [50, 150])
def test_a_nod_and_perspective_change_it_by_some_degrees(pitch: float, distance: float) -> None:
    errors = [abs(n6post.face_turn(seen(yaw, pitch, 7, distance=distance)) - yaw) for yaw in range(-40, 41, 5)]
    assert max(errors) < 10


def test_a_face_beyond_the_profile_is_at_90_degrees() -> None:
    for yaw in (100, -100, 130):
        assert n6post.face_turn(seen(yaw)) == pytest.approx(np.sign(yaw) * 90)


@pytest.mark.parametrize("name", sorted({name.split("/")[0] for name in stored("face_points")}))
def test_frontal_faces_of_a_photograph_look_ahead(name: str) -> None:
    five = stored("face_points")[f"{name}/yunet"]
    face = n6post.Detection((0, 0, 9, 9), 0.9, 0, "face", None, np.column_stack([five, np.ones(5)]).astype(np.float32))
    turn = n6post.face_turn(face)
    print(name, round(turn, 1))
    assert abs(turn) < 15


def test_anything_but_a_face_with_keypoints_is_refused() -> None:
    expected = "face: expected a Detection with five or six keypoints of a face, got"
    for wrong in (None, 5, (1, 2)):
        with pytest.raises(ValueError, match=says(f"{expected} {wrong!r}")):
            n6post.face_turn(wrong)  # type: ignore[arg-type]
    for keypoints, count in ((None, 0), (np.ones((17, 3), np.float32), 17)):
        with pytest.raises(ValueError, match=f"got one with {count} keypoints$"):
            n6post.face_turn(n6post.Detection((0, 0, 9, 9), 0.9, 0, "", None, keypoints))
