"""lib/n6post/tensors/keypoints.py: names, limbs and sides of the skeletons of 13 and 17 keypoints."""

import sys
from typing import Any

import n6post
import pytest
from assertions import says
from n6post.tensors.keypoints import keypoint_index, keypoint_names, keypoint_sides, limbs, pose_classes

# COCO's "skeleton" below the head, counted from 0; tools connect eyes and ears differently.
COCO_BODY = {
    (15, 13), (13, 11), (16, 14), (14, 12), (11, 12), (5, 11), (6, 12), (5, 6), (5, 7), (6, 8), (7, 9), (8, 10),
}  # fmt: skip
# The 13 keypoints of ST's MoveNet: head, then left and right shoulder, elbow, wrist, hip, knee, ankle.
ST_LIMBS = {
    (11, 9), (9, 7), (12, 10), (10, 8), (7, 8), (1, 7), (2, 8), (1, 2), (1, 3), (2, 4), (3, 5), (4, 6), (0, 1), (0, 2),
}  # fmt: skip



def pairs(flat: bytes) -> set[frozenset[int]]:
    return {frozenset(flat[i : i + 2]) for i in range(0, len(flat), 2)}


def test_skeletons_are_those_of_coco_and_st() -> None:
    assert pairs(limbs(17)) >= {frozenset(p) for p in COCO_BODY}
    assert pairs(limbs(13)) == {frozenset(p) for p in ST_LIMBS}
    assert len(limbs(5)) == 0
    for keypoint_count in (13, 17):
        assert max(limbs(keypoint_count)) == keypoint_count - 1
        assert set(limbs(keypoint_count)) == set(range(keypoint_count))


@pytest.mark.parametrize("keypoint_count", [13, 17])
def test_side_of_a_keypoint_matches_its_name(keypoint_count: int) -> None:
    names = keypoint_names(keypoint_count)
    assert len(names) == len(set(names)) == keypoint_count
    sides = [-1 if n.startswith("left") else 1 if n.startswith("right") else 0 for n in names]
    assert keypoint_sides(keypoint_count) == sides


def test_unknown_skeleton_has_no_sides() -> None:
    assert keypoint_sides(4) == [0, 0, 0, 0]


def test_keypoint_names_of_both_skeletons_differ_only_in_the_first() -> None:
    assert n6post.keypoint_names is keypoint_names
    coco, st = keypoint_names(17), keypoint_names(13)
    assert (coco[0], st[0]) == ("nose", "head")
    assert [name for name in coco if name in st] == st[1:]


def test_keypoint_is_found_by_number_and_name() -> None:
    for keypoint_count in (13, 17, 3):
        for i, name in enumerate(keypoint_names(keypoint_count)):
            assert keypoint_index(i, keypoint_count) == keypoint_index(name, keypoint_count) == i
    assert keypoint_index("left_elbow", 17) == keypoint_index("left elbow", 17) == 7
    assert keypoint_index("head", 17) == keypoint_index("nose", 13) == 0
    with pytest.raises(ValueError, match="keypoint: expected one of '0', '1', '2', got 'nose'"):
        keypoint_index("nose", 3)
    with pytest.raises(ValueError, match="keypoint: expected a name or a number from 0 to 2, got 3"):
        keypoint_index(3, 3)


def test_unknown_keypoints_are_named_by_number() -> None:
    assert keypoint_names(4) == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    ("channels", "named", "first", "classes"),
    [
        (56, 0, 5, 1), (56, 1, 5, 1), (56, 17, 5, 0), (44, 13, 5, 0), (57, 2, 5, 2), (8, 1, 5, 1), (11, 2, 5, 0),
        (57, 17, 6, 0), (57, 2, 6, 2), (57, 0, 6, 1),
    ],
)  # fmt: skip
def test_pose_labels_name_the_classes_or_the_keypoints(
    channels: int, named: int, first: int, classes: int
) -> None:
    assert pose_classes(channels, named, first) == classes


@pytest.mark.parametrize("count", ["x", None, -3, 3.5])
def test_names_of_something_else_than_a_count_are_refused(count: Any) -> None:
    with pytest.raises(ValueError, match=says(f"keypoint_count: expected an integer from 0 to 65535, got {count!r}")):
        n6post.keypoint_names(count)


# --- faces and hands (tensors/skeletons.py) ---
# MediaPipe's own numbers: HandLandmark, FaceDetector's FaceKeyPoint, and the corners that face_mesh_connections.py names by
# feature. OpenCV's FaceDetectorYN documents the five.
KNOWN = {
    5: {"right eye": 0, "left eye": 1, "nose tip": 2, "right mouth corner": 3, "left mouth corner": 4},
    6: {"right eye": 0, "left eye": 1, "nose tip": 2, "mouth": 3, "right ear": 4, "left ear": 5},
    7: {"wrist": 0, "index finger mcp": 1, "pinky mcp": 4, "thumb cmc": 5, "thumb mcp": 6},
    21: {"wrist": 0, "thumb tip": 4, "index finger mcp": 5, "middle finger tip": 12, "ring finger pip": 14, "pinky tip": 20},
    468: {"nose tip": 4, "chin": 152, "right eye outer": 33, "left eye outer": 263, "left mouth corner": 291},
    478: {"nose tip": 4, "right mouth corner": 61, "right ear": 234, "467": 467, "477": 477},
}  # fmt: skip


@pytest.mark.parametrize("keypoint_count", sorted(KNOWN))
def test_points_of_faces_and_hands_are_found_by_name(keypoint_count: int) -> None:
    names = keypoint_names(keypoint_count)
    assert len(set(names)) == len(names) == keypoint_count
    for i, name in enumerate(names):
        assert keypoint_index(name, keypoint_count) == keypoint_index(i, keypoint_count) == i
    for name, index in KNOWN[keypoint_count].items():
        assert names[index] == name
        assert keypoint_index(name.replace(" ", "_"), keypoint_count) == index
    for wrong in ("", "head", "eye", "right eye outer,", "4=nose tip", "=", ","):
        with pytest.raises(ValueError, match="keypoint: expected one of "):
            keypoint_index(wrong, keypoint_count)


def test_points_of_a_face_are_on_the_side_of_their_name() -> None:
    for keypoint_count in (5, 6, 468):
        sides = keypoint_sides(keypoint_count)
        for side, name in zip(sides, keypoint_names(keypoint_count), strict=True):
            if "eye" in name or keypoint_count < 468:
                assert side == (-1 if name.startswith("left") else 1 if name.startswith("right") else 0), name
    assert sorted(keypoint_sides(21)) == [-1] * 8 + [0] * 5 + [1] * 8


def test_limbs_of_a_hand_are_mediapipes_hand_connections() -> None:
    wanted = {(a, a + 1) for a in range(20) if a % 4} | {(0, 1), (0, 5), (0, 17), (5, 9), (9, 13), (13, 17)}
    assert pairs(limbs(21)) == {frozenset(pair) for pair in wanted}


def test_limbs_of_a_face_are_its_contours_and_closed_where_they_should_be() -> None:
    face = list(limbs(468))
    ends = list(zip(face[::2], face[1::2], strict=True))
    assert list(limbs(478)) == face
    assert len(ends) == len(pairs(face)) == 124 + 13, "MediaPipe's FACEMESH_CONTOURS and a nose"
    assert max(face) < 468
    degree = {point: face.count(point) for point in face}
    # Open lines: four eyebrows, of which two meet nowhere, the nose's bridge and base. Lips meet in their corners.
    loose = sorted(point for point, times in degree.items() if times == 1)
    assert loose == sorted([70, 107, 46, 55, 300, 336, 276, 285, 168, 98, 327])


def test_keypoints_of_people_do_not_load_those_of_hands_and_faces(monkeypatch: pytest.MonkeyPatch) -> None:
    from n6post.tensors import lazy

    vars(lazy.later).clear()
    monkeypatch.setitem(sys.modules, "n6post.tensors.skeletons", None)
    for keypoint_count in (13, 17):
        assert keypoint_index("left elbow", keypoint_count) and len(keypoint_names(keypoint_count)) == keypoint_count
        assert limbs(keypoint_count) and keypoint_sides(keypoint_count)
    with pytest.raises(ImportError):
        limbs(21)
