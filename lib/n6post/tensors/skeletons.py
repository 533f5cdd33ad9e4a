"""Keypoints of faces, hands and bodies by their number: names, limbs and sides. Imported on first use, see keypoints.py.

Order and limbs are those of the networks' own code: OpenCV's FaceDetectorYN (5), and MediaPipe's face detection (6), palm
detection (7), hand landmarks (21), pose landmarks (35) and face mesh (468; 478 with two irises).
"""

from array import array
from math import sqrt

_NAMES = {
    5: "right eye,left eye,nose tip,right mouth corner,left mouth corner",
    6: "right eye,left eye,nose tip,mouth,right ear,left ear",
    7: "wrist,index finger mcp,middle finger mcp,ring finger mcp,pinky mcp,thumb cmc,thumb mcp",
    21: (
        "wrist,thumb cmc,thumb mcp,thumb ip,thumb tip,index finger mcp,index finger pip,index finger dip,index finger tip,"
        "middle finger mcp,middle finger pip,middle finger dip,middle finger tip,ring finger mcp,ring finger pip,"
        "ring finger dip,ring finger tip,pinky mcp,pinky pip,pinky dip,pinky tip"
    ),
    35: (
        "nose,left eye inner,left eye,left eye outer,right eye inner,right eye,right eye outer,left ear,right ear,"
        "left mouth corner,right mouth corner,left shoulder,right shoulder,left elbow,right elbow,left wrist,right wrist,"
        "left pinky,right pinky,left index finger,right index finger,left thumb,right thumb,left hip,right hip,left knee,"
        "right knee,left ankle,right ankle,left heel,right heel,left foot,right foot,hips,circle"
    ),
}
# Most points of a face mesh lie on no feature: those with a name, as index=name.
_FACE_NAMES = (
    "4=nose tip,168=nose bridge,10=forehead,152=chin,234=right ear,454=left ear,205=right cheek,425=left cheek,"
    "33=right eye outer,133=right eye inner,159=right eye top,145=right eye bottom,"
    "263=left eye outer,362=left eye inner,386=left eye top,374=left eye bottom,"
    "70=right eyebrow outer,105=right eyebrow top,107=right eyebrow inner,"
    "300=left eyebrow outer,334=left eyebrow top,336=left eyebrow inner,"
    "61=right mouth corner,291=left mouth corner,0=upper lip,17=lower lip,13=upper lip inner,14=lower lip inner"
)
_STRAIGHT = 0.85  # of the length of a finger's bones: what a stretched one spans
# Lines along keypoints. A palm: wrist, knuckles and thumb. A hand: fingers and knuckles. A face: MediaPipe's contours
# and the nose. Not as text: splitting it looks up every number among all strings, 26 million instructions for a face.
_HAND = (
    (0, 1, 2, 3, 4),
    (0, 5, 6, 7, 8),
    (9, 10, 11, 12),
    (13, 14, 15, 16),
    (0, 17, 18, 19, 20),
    (5, 9, 13, 17),
)  # fmt: skip
_BODY = (
    (7, 3, 2, 1, 0, 4, 5, 6, 8),
    (9, 10),
    (11, 12, 24, 23, 11),
    (11, 13, 15, 17, 19, 15, 21),
    (12, 14, 16, 18, 20, 16, 22),
    (23, 25, 27, 29, 31, 27),
    (24, 26, 28, 30, 32, 28),
)  # fmt: skip
_PALM = ((0, 1, 2, 3, 4, 0), (0, 5, 6))
_RIGHT_EYE = (
    (33, 7, 163, 144, 145, 153, 154, 155, 133, 173, 157, 158, 159, 160, 161, 246, 33),
    (70, 63, 105, 66, 107),
    (46, 53, 52, 65, 55),
)  # fmt: skip
_LEFT_EYE = (
    (263, 249, 390, 373, 374, 380, 381, 382, 362, 398, 384, 385, 386, 387, 388, 466, 263),
    (300, 293, 334, 296, 336),
    (276, 283, 282, 295, 285),
)  # fmt: skip
_FACE = (
    (10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150,
     136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109, 10),
    (61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291),
    (61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291),
    (78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308),
    (78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308),
    (168, 6, 197, 195, 5, 4, 1, 19, 94, 2),
    (98, 97, 2, 326, 327),
)  # fmt: skip


def names(keypoint_count):
    """The names of all keypoints, separated by commas; "" if this number is not known, or if not all have one."""
    return _NAMES.get(keypoint_count, "")


def point_names(keypoint_count):
    """The names of some keypoints, as "index=name" separated by commas; "" if there are none."""
    return _FACE_NAMES if keypoint_count in (468, 478) else ""


def fingers(keypoints, threshold):
    """Detection.fingers."""
    if keypoints is None or len(keypoints) != 21:
        count = "none" if keypoints is None else len(keypoints)
        raise ValueError("fingers: expected a detection with the 21 keypoints of a hand, got one with %s" % count)
    points = keypoints.tolist()
    stretched = []
    for first in range(1, 21, 4):
        bones = points[first : first + 4]
        (ax, ay, _), (x, y, _) = bones[0], bones[3]
        length = sum([_distance(*bones[i][:2] + bones[i + 1][:2]) for i in range(3)])
        # A stretched finger points away from the wrist, a stretched thumb from the knuckle of the pinky.
        cx, cy, _ = points[0 if first > 1 else 17]
        stretched.append(
            not [1 for _, _, score in bones if not score >= threshold]
            and _distance(ax, ay, x, y) > _STRAIGHT * length
            and _distance(cx, cy, x, y) > _distance(cx, cy, ax, ay)
        )
    return tuple(stretched)


def _distance(ax, ay, bx, by):
    return sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))


def limbs(keypoint_count):
    """Pairs of keypoints, flat (a0, b0, a1, b1, ...)."""
    if keypoint_count == 7:
        lines = list(_PALM)
    elif keypoint_count == 21:
        lines = list(_HAND)
    elif keypoint_count == 35:
        lines = list(_BODY)
    elif keypoint_count in (468, 478):
        lines = list(_FACE + _RIGHT_EYE + _LEFT_EYE)
    else:
        return b""
    pairs = array("H")
    for line in lines:
        for i in range(len(line) - 1):
            pairs.append(line[i])
            pairs.append(line[i + 1])
    return pairs


def sides(keypoint_count):
    """-1 (left), 1 (right) or 0 of each keypoint, a list.

    The sides of a face are the person's own; in a mesh only eyes and eyebrows have one. On a hand they tell neighboring
    fingers apart: -1 for the index and the ring finger, 1 for the middle finger and the pinky.
    """
    if keypoint_count == 21:
        return [0] * 5 + [-1] * 4 + [1] * 4 + [-1] * 4 + [1] * 4
    found = [0] * keypoint_count
    if keypoint_count in (468, 478):
        for lines, side in ((_RIGHT_EYE, 1), (_LEFT_EYE, -1)):
            for line in lines:
                for keypoint in line:
                    found[keypoint] = side
        return found
    for keypoint, name in _named(keypoint_count):
        if name.startswith("left"):
            found[keypoint] = -1
        elif name.startswith("right"):
            found[keypoint] = 1
    return found


def _named(keypoint_count):
    """(index, name) of each keypoint that has one."""
    if keypoint_count in _NAMES:
        return list(enumerate(_NAMES[keypoint_count].split(",")))
    pairs = [entry.split("=") for entry in point_names(keypoint_count).split(",") if entry]
    return [(int(index), name) for index, name in pairs]


def keypoint_names(keypoint_count):
    """The names of all keypoints in their order, a list; numbers as text for those without one."""
    found = [str(i) for i in range(keypoint_count)]
    for keypoint, name in _named(keypoint_count):
        found[keypoint] = name
    return found
