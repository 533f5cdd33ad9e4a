"""Keypoints: names, numbers, limbs, angles and sides. Those of faces, hands and MediaPipe's bodies are in skeletons.py."""

from math import atan2, degrees, sqrt

from .lazy import later

# 17 keypoints in COCO's order, 13 in that of ST's MoveNet.
_KEYPOINTS_17 = (
    "nose,left eye,right eye,left ear,right ear,left shoulder,right shoulder,left elbow,right elbow,left wrist,"
    "right wrist,left hip,right hip,left knee,right knee,left ankle,right ankle"
)
_KEYPOINTS_13 = (
    "head,left shoulder,right shoulder,left elbow,right elbow,left wrist,right wrist,left hip,right hip,left knee,"
    "right knee,left ankle,right ankle"
)
# Limbs as pairs of keypoints.
_LIMBS_17 = (
    b"\x00\x01\x00\x02\x01\x03\x02\x04\x05\x06\x05\x07\x07\x09\x06\x08\x08\x0a"
    b"\x05\x0b\x06\x0c\x0b\x0c\x0b\x0d\x0d\x0f\x0c\x0e\x0e\x10"
)
_LIMBS_13 = (
    b"\x0b\x09\x09\x07\x0c\x0a\x0a\x08\x07\x08\x01\x07\x02\x08\x01\x02\x01\x03"
    b"\x02\x04\x03\x05\x04\x06\x00\x01\x00\x02"
)


def keypoint_names(keypoint_count):
    """The names of a network's keypoints in their order, a list; numbers as text for keypoints without a name.

    Names are known of 17 keypoints (a person, COCO), 13 (ST's MoveNet), 35 (MediaPipe's pose), 21 (a hand), 7 (a palm), 5
    and 6 (a face), and of some of the 468 of a face mesh. The names of 17 and 13 are the same except for the first, "nose"
    and "head"; `keypoint` and `angle` of a Detection accept either. They also accept "left_elbow" for "left elbow".
    """
    later.tensors_options.number("keypoint_count", keypoint_count, 0, 65535)
    if keypoint_count == 17:
        return _KEYPOINTS_17.split(",")
    if keypoint_count == 13:
        return _KEYPOINTS_13.split(",")
    return later.tensors_skeletons.keypoint_names(keypoint_count)


def keypoint_index(keypoint, keypoint_count):
    """The index of a keypoint, given by name or index; ValueError if there is no such keypoint."""
    if type(keypoint) is int and 0 <= keypoint < keypoint_count:
        return keypoint
    if not isinstance(keypoint, str):
        raise ValueError("keypoint: expected a name or a number from 0 to %d, got %r" % (keypoint_count - 1, keypoint))
    name = keypoint.replace("_", " ")
    if keypoint_count in (13, 17):
        names = _KEYPOINTS_17 if keypoint_count == 17 else _KEYPOINTS_13
        if name in ("head", "nose"):
            return 0
    else:
        names = later.tensors_skeletons.names(keypoint_count)
    # Not in a list: split looks up every name among all strings, which takes a hundred thousand instructions.
    at = -1 if "," in name or not name else ("," + names + ",").find("," + name + ",")
    if at >= 0:
        return names.count(",", 0, at)
    if not names:
        # Only some keypoints have a name, or none has one.
        names = later.tensors_skeletons.point_names(keypoint_count)
        at = -1 if "," in name else (names + ",").find("=" + name + ",")
        if at >= 0:
            return int(names[names.rfind(",", 0, at) + 1 : at])
        numbers = keypoint_names(keypoint_count)
        if name in numbers:
            return numbers.index(name)
    everything = "n6post.keypoint_names(%d)" % keypoint_count
    later.tensors_labels.raise_unknown_name("keypoint", keypoint, keypoint_names(keypoint_count), everything)


def keypoint_of(keypoints, keypoint):
    """[x, y, score] of a keypoint, by name or index. ValueError for keypoints that are None."""
    if keypoints is None:
        raise ValueError("expected a detection with keypoints, got one without")
    return keypoints[keypoint_index(keypoint, len(keypoints))].tolist()


def angle(keypoints, threshold, first, middle, last):
    """Detection.angle: the angle at the keypoint `middle` in degrees, or None."""
    points = _seen(keypoints, threshold, first, middle, last)
    if points is None:
        return None
    (ax, ay), (x, y), (bx, by) = points
    return _between(ax - x, ay - y, bx - x, by - y)


def limb_angle(keypoints, threshold, a, b):
    """Detection.limb_angle."""
    points = _seen(keypoints, threshold, a, b)
    return points and _between(points[1][0] - points[0][0], points[1][1] - points[0][1], 0.0, 1.0)


def distance(keypoints, threshold, a, b):
    """Detection.distance."""
    points = _seen(keypoints, threshold, a, b)
    return points and sqrt((points[1][0] - points[0][0]) ** 2 + (points[1][1] - points[0][1]) ** 2)


def midpoint(keypoints, threshold, a, b):
    """Detection.midpoint."""
    points = _seen(keypoints, threshold, a, b)
    return points and ((points[0][0] + points[1][0]) / 2, (points[0][1] + points[1][1]) / 2)


def _seen(keypoints, threshold, *wanted):
    """The points (x, y) of keypoints, or None if one was not seen."""
    found = [keypoint_of(keypoints, one) for one in wanted]
    return None if [1 for _, _, score in found if not score >= threshold] else [(x, y) for x, y, _ in found]


def _between(ax, ay, bx, by):
    """The angle between two vectors in degrees; None if one has no length."""
    if not (ax or ay) or not (bx or by):
        return None
    # Not the arc cosine, which is inaccurate near 0 and 180 degrees.
    return degrees(atan2(abs(ax * by - ay * bx), ax * bx + ay * by))


def limbs(keypoint_count):
    """The limbs as pairs of keypoints, flat bytes or an array (a0, b0, a1, b1, ...); b"" for an unknown skeleton."""
    if keypoint_count == 17:
        return _LIMBS_17
    return _LIMBS_13 if keypoint_count == 13 else later.tensors_skeletons.limbs(keypoint_count)


def pose_classes(channels, label_count, first=5):
    """The number of classes of a pose head with this many labels: 1 without labels, 0 if they are names of keypoints.

    first   the channels before the keypoints of a head with one class: 5, or 6 of an end-to-end head
    """
    return 0 if label_count > 1 and channels == first + 3 * label_count else label_count or 1


def flat_keypoints(channels):
    """How many keypoints of x and y these channels may be; 0 if they are not so, or a single one."""
    return channels // 2 if channels > 3 and channels % 2 == 0 else 0


def keypoint_sides(keypoint_count):
    """-1 for each keypoint on the left, 1 on the right, 0 in the middle or of an unknown skeleton: a list."""
    if keypoint_count in (13, 17):
        # In both skeletons left and right alternate after the head.
        return [0] + [-1 if keypoint & 1 else 1 for keypoint in range(1, keypoint_count)]
    return later.tensors_skeletons.sides(keypoint_count)
