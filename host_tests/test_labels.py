"""lib/n6post/labels.py: names of classes and joints, skeletons."""

import pytest
from n6post import labels

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


def test_coco_has_80_names_and_voc_21() -> None:
    coco = labels.default_names(80)
    assert coco is not None and len(coco) == len(set(coco)) == 80
    assert (coco[0], coco[5], coco[17], coco[79]) == ("person", "bus", "horse", "toothbrush")
    voc = labels.default_names(21, background=True)
    assert voc is not None and len(voc) == len(set(voc)) == 21
    assert (voc[0], voc[15], voc[20]) == ("background", "person", "tvmonitor")
    assert labels.default_names(21) is labels.default_names(1) is labels.default_names(5, background=True) is None


def test_given_names_must_reach() -> None:
    assert labels.checked_names(("a", "b", "c"), 2)[:2] == ["a", "b"]
    with pytest.raises(ValueError, match="expected 3 labels.*, got 2"):
        labels.checked_names(["a", "b"], 3)


def test_the_skeletons_are_cocos_and_sts() -> None:
    assert pairs(labels.limbs(17)) >= {frozenset(p) for p in COCO_BODY}
    assert pairs(labels.limbs(13)) == {frozenset(p) for p in ST_LIMBS}
    assert len(labels.limbs(5)) == 0
    for joints in (13, 17):
        assert max(labels.limbs(joints)) == joints - 1
        assert set(labels.limbs(joints)) == set(range(joints))


@pytest.mark.parametrize("joints", [13, 17])
def test_a_joints_side_is_in_its_name(joints: int) -> None:
    names = labels.joint_names(joints)
    assert len(names) == len(set(names)) == joints
    sides = [-1 if n.startswith("left") else 1 if n.startswith("right") else 0 for n in names]
    assert [labels.joint_side(joints, i) for i in range(joints)] == sides


def test_unknown_skeletons_have_numbers_for_names() -> None:
    assert labels.joint_names(4) == ["0", "1", "2", "3"]
    assert labels.joint_side(4, 1) == 0
