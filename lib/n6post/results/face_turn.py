"""`face_turn`: how far a face is turned to a side."""

from math import atan2, degrees

from .detection import Detection

# How far the nose tip is in front of the plane of the eyes and the mouth, in distances of the eyes: 3.569 and 6.302 cm of
# MediaPipe's canonical face.
_NOSE = 0.566


def face_turn(face):
    """How far a face is turned to a side: degrees from -90 to 90, 0 if it looks ahead, above 0 to the right of the picture.

    face    a Detection with the keypoints of a face: five, as YuNet, Scrfd, Ssd and YoloV5 return them, or BlazeFace's six

    It is computed from the distance of the nose tip from the line between the middles of the eyes and of the mouth, for a
    face of average proportions. Whether the head leans to a side does not matter. ValueError for anything else.
    """
    keypoints = face.keypoints if isinstance(face, Detection) else None
    count = 0 if keypoints is None else len(keypoints)
    if count not in (5, 6):
        got = "one with %d keypoints" % count if isinstance(face, Detection) else repr(face)
        raise ValueError("face: expected a Detection with five or six keypoints of a face, got %s" % got)
    right, left, nose, mouth, other = [point[:2] for point in keypoints.tolist()[:5]]
    if count == 5:
        mouth = _middle(mouth, other)
    x, y = _middle(right, left)
    across = left[0] - right[0], left[1] - right[1]
    down = mouth[0] - x, mouth[1] - y
    # The nose is at s * across + t * down from the middle of the eyes: Cramer's rule for s.
    beside = (nose[0] - x) * down[1] - (nose[1] - y) * down[0]
    whole = across[0] * down[1] - across[1] * down[0]
    return degrees(atan2(beside, _NOSE * max(whole, 0.0)))


def _middle(one, other):
    return 0.5 * (one[0] + other[0]), 0.5 * (one[1] + other[1])
