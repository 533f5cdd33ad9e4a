"""The parameter block of the kernel of poses.py, which draws keypoints and limbs: see boxes.py."""

from array import array

from micropython import const

from .boxes import bits


def pose(
    depth=2, frame_width=0, frame_height=0, keypoint_count=0, limbs=0, thickness=0, radius=0, threshold=0,
    left=0, right=0, middle=0, outside=0,
):  # fmt: skip
    entries = depth, frame_width, frame_height, keypoint_count, limbs, thickness, radius
    return array("i", entries + (bits(threshold), left, right, middle, outside))


POSE_DEPTH = const(0)
POSE_FRAME_WIDTH = const(1)
POSE_FRAME_HEIGHT = const(2)
POSE_KEYPOINT_COUNT = const(3)
POSE_LIMBS = const(4)
POSE_THICKNESS = const(5)
POSE_RADIUS = const(6)
POSE_THRESHOLD = const(7)
POSE_LEFT = const(8)
POSE_RIGHT = const(9)
POSE_MIDDLE = const(10)
