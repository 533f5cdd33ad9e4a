"""lib/n6post/joints.py: names, limbs and sides of the skeletons of 13 and 17 joints."""

import n6post
import pytest
from n6post.joints import joint_names, joint_number, joint_side, limbs, pose_classes

# COCO's "skeleton" below the head, counted from 0; how eyes and ears are joined differs from tool to tool.
COCO_BODY = {
    (15, 13), (13, 11), (16, 14), (14, 12), (11, 12), (5, 11), (6, 12), (5, 6), (5, 7), (6, 8), (7, 9), (8, 10),
}  # fmt: skip
# The 13 joints of ST's MoveNet: head, then left and right shoulder, elbow, wrist, hip, knee, ankle.
ST_LIMBS = {
    (11, 9), (9, 7), (12, 10), (10, 8), (7, 8), (1, 7), (2, 8), (1, 2), (1, 3), (2, 4), (3, 5), (4, 6), (0, 1), (0, 2),
}  # fmt: skip



def pairs(flat: bytes) -> set[frozenset[int]]:
    return {frozenset(flat[i : i + 2]) for i in range(0, len(flat), 2)}


def test_the_skeletons_are_cocos_and_sts() -> None:
    assert pairs(limbs(17)) >= {frozenset(p) for p in COCO_BODY}
    assert pairs(limbs(13)) == {frozenset(p) for p in ST_LIMBS}
    assert len(limbs(5)) == 0
    for joints in (13, 17):
        assert max(limbs(joints)) == joints - 1
        assert set(limbs(joints)) == set(range(joints))


@pytest.mark.parametrize("joints", [13, 17])
def test_a_joints_side_is_in_its_name(joints: int) -> None:
    names = joint_names(joints)
    assert len(names) == len(set(names)) == joints
    sides = [-1 if n.startswith("left") else 1 if n.startswith("right") else 0 for n in names]
    assert [joint_side(joints, i) for i in range(joints)] == sides


def test_an_unknown_skeleton_has_no_sides() -> None:
    assert joint_side(4, 1) == 0


def test_the_names_are_public_and_the_same_for_both_skeletons_but_for_the_first() -> None:
    assert n6post.joint_names is joint_names
    coco, st = joint_names(17), joint_names(13)
    assert (coco[0], st[0]) == ("nose", "head")
    assert [name for name in coco if name in st] == st[1:]


def test_a_joint_is_found_by_its_number_and_its_name() -> None:
    for joints in (13, 17, 3):
        for i, name in enumerate(joint_names(joints)):
            assert joint_number(i, joints) == joint_number(name, joints) == i
    assert joint_number("left_elbow", 17) == joint_number("left elbow", 17) == 7
    assert joint_number("head", 17) == joint_number("nose", 13) == 0
    with pytest.raises(ValueError, match="joint: expected one of '0', '1', '2', got 'nose'"):
        joint_number("nose", 3)
    with pytest.raises(ValueError, match="joint: expected a name or a number from 0 to 2, got 3"):
        joint_number(3, 3)


def test_unknown_joints_have_numbers_for_names() -> None:
    assert joint_names(4) == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    ("channels", "named", "first", "classes"),
    [
        (56, 0, 5, 1), (56, 1, 5, 1), (56, 17, 5, 0), (44, 13, 5, 0), (57, 2, 5, 2), (8, 1, 5, 1), (11, 2, 5, 0),
        (57, 17, 6, 0), (57, 2, 6, 2), (57, 0, 6, 1),
    ],
)  # fmt: skip
def test_labels_of_a_pose_head_name_its_classes_or_as_many_as_its_joints_those(
    channels: int, named: int, first: int, classes: int
) -> None:
    assert pose_classes(channels, named, first) == classes
