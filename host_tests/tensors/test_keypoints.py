"""lib/n6post/tensors/keypoints.py: names, limbs and sides of the skeletons of 13 and 17 keypoints."""

from typing import Any

import n6post
import pytest
from assertions import says
from n6post.tensors.keypoints import keypoint_index, keypoint_names, keypoint_side, limbs, pose_classes

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
    assert [keypoint_side(keypoint_count, i) for i in range(keypoint_count)] == sides


def test_unknown_skeleton_has_no_sides() -> None:
    assert keypoint_side(4, 1) == 0


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
