"""Joints of a person: their names and numbers, which of them a limb connects, and on which side they are."""

# Joints: 17 in COCO's order, 13 in that of ST's MoveNet.
_JOINTS_17 = (
    "nose,left eye,right eye,left ear,right ear,left shoulder,right shoulder,left elbow,right elbow,left wrist,"
    "right wrist,left hip,right hip,left knee,right knee,left ankle,right ankle"
)
_JOINTS_13 = (
    "head,left shoulder,right shoulder,left elbow,right elbow,left wrist,right wrist,left hip,right hip,left knee,"
    "right knee,left ankle,right ankle"
)
# Limbs as pairs of joints.
_LIMBS_17 = (
    b"\x00\x01\x00\x02\x01\x03\x02\x04\x05\x06\x05\x07\x07\x09\x06\x08\x08\x0a"
    b"\x05\x0b\x06\x0c\x0b\x0c\x0b\x0d\x0d\x0f\x0c\x0e\x0e\x10"
)
_LIMBS_13 = (
    b"\x0b\x09\x09\x07\x0c\x0a\x0a\x08\x07\x08\x01\x07\x02\x08\x01\x02\x01\x03"
    b"\x02\x04\x03\x05\x04\x06\x00\x01\x00\x02"
)


def joint_names(joints):
    """The names of 17 joints (COCO) or 13 (ST's MoveNet) in their order, a list; numbers as text for any other count.

    Both have the same names but for the first: "nose" of the 17, "head" of the 13. `joint` and `angle` of a Detection take
    either for it, and "left_elbow" as COCO writes it.
    """
    if joints == 17:
        return _JOINTS_17.split(",")
    if joints == 13:
        return _JOINTS_13.split(",")
    return [str(i) for i in range(joints)]


def joint_number(joint, joints):
    """Which of so many joints a name or a number means; ValueError for none."""
    if type(joint) is int and 0 <= joint < joints:
        return joint
    if not isinstance(joint, str):
        raise ValueError("joint: expected a name or a number from 0 to %d, got %r" % (joints - 1, joint))
    name = joint.replace("_", " ")
    if joints in (13, 17):
        if name in ("head", "nose"):
            return 0
        # Not in a list of them: split looks up every name among all words there are, a hundred thousand instructions.
        names = _JOINTS_17 if joints == 17 else _JOINTS_13
        at = -1 if "," in name else (names + ",").find("," + name + ",")
        if at >= 0:
            return names.count(",", 0, at) + 1
    elif name in joint_names(joints):
        return int(name)
    from .names import unknown

    unknown("joint", joint, joint_names(joints), most=joints)


def limbs(joints):
    """Pairs of joints as flat bytes (a0, b0, a1, b1, ...); none for an unknown skeleton."""
    return _LIMBS_17 if joints == 17 else _LIMBS_13 if joints == 13 else b""


def pose_classes(channels, named, first=5):
    """How many classes a pose head has whose labels are `named`: 1 without any, 0 where they name its only class's joints.

    first   the channels before the keypoints of one class: 5, or 6 of an end-to-end head
    """
    return 0 if named > 1 and channels == first + 3 * named else named or 1


def joint_side(joints, joint):
    """-1 for a left joint, 1 for a right one, 0 for one in the middle (or an unknown skeleton)."""
    if joint == 0 or joints not in (13, 17):
        return 0
    return -1 if joint & 1 else 1  # both skeletons alternate behind the head
