"""Keypoints and limbs of a person, a hand or a face, colored by side, in the firmware's own shapes.

The kernel is in kernels/portable/poses.py.
"""

from array import array

from ..kernels import poses as pose_kernels
from ..kernels.params.boxes import bits
from ..kernels.params.poses import (
    POSE_DEPTH,
    POSE_FRAME_HEIGHT,
    POSE_FRAME_WIDTH,
    POSE_KEYPOINT_COUNT,
    POSE_LEFT,
    POSE_LIMBS,
    POSE_MIDDLE,
    POSE_RADIUS,
    POSE_RIGHT,
    POSE_THICKNESS,
    POSE_THRESHOLD,
)
from ..kernels.params.poses import pose as pose_params
from ..pixels.colors import checked_color, depth_of, rgb565
from ..tensors.keypoints import keypoint_sides, limbs

# Colors of the person's own left and right, and of keypoints and limbs in the middle. They differ on GRAYSCALE too (luma
# 123, 151, 255).
LEFT = (0, 160, 255)
RIGHT = (255, 128, 0)
MIDDLE = (255, 255, 255)

_block = pose_params()
_skeletons = {}


def draw_pose(img, detection, threshold=None, thickness=None, radius=None, color=None):
    """Draw the visible keypoints of a Detection, and the limbs whose two ends are visible.

    img         RGB565 or GRAYSCALE, of the frame's size
    detection   with keypoints (K, 3): x, y in frame pixels and score. With 13 (ST) or 17 (COCO) of them, 21 (a hand), 35 (a
                body) or 468 (a face mesh) there are limbs and sides; with any other number only keypoints are drawn
    threshold   minimum score of a visible keypoint; None: the detection's keypoint_threshold
    thickness   of limbs, pixels; 0: no limbs; None: 2, and 1 for a face mesh
    radius      of keypoints, pixels; 0: no keypoints; None: 3; 1 for more than 60 without limbs, as a face has them; 0 for a
                face mesh, whose limbs are its contours
    color       (r, g, b) of all; None: by side
    """
    keypoints = detection.keypoints
    if keypoints is None:
        raise ValueError("expected a detection with keypoints, got one without")
    shape = keypoints.shape
    if len(shape) != 2 or shape[1] != 3:
        raise ValueError("keypoints: expected an array (K, 3), got %s" % (tuple(shape),))
    if threshold is None:
        threshold = getattr(detection, "keypoint_threshold", 0.3)
    skeleton = _skeletons.get(shape[0]) or _skeleton(shape[0])
    block = _block
    block[POSE_DEPTH] = depth_of(img)
    block[POSE_FRAME_WIDTH] = img.width()
    block[POSE_FRAME_HEIGHT] = img.height()
    limb_count = (len(skeleton) - shape[0]) // 3
    is_mesh = shape[0] > 100 and limb_count > 0
    block[POSE_KEYPOINT_COUNT] = shape[0]
    block[POSE_LIMBS] = limb_count
    block[POSE_THICKNESS] = (1 if is_mesh else 2) if thickness is None else thickness
    if radius is None:
        radius = 0 if is_mesh else 1 if shape[0] > 60 and not limb_count else 3
    block[POSE_RADIUS] = radius
    block[POSE_THRESHOLD] = bits(threshold)
    if color is None:
        block[POSE_LEFT], block[POSE_RIGHT], block[POSE_MIDDLE] = _by_side
    else:
        block[POSE_LEFT] = block[POSE_RIGHT] = block[POSE_MIDDLE] = rgb565(checked_color(color))
    pose_kernels.pose(img.bytearray(), block, keypoints * 1.0, skeleton)  # a copy: machine code cannot read a strided view


_by_side = rgb565(LEFT), rgb565(RIGHT), rgb565(MIDDLE)


def _skeleton(keypoint_count):
    """Limbs and sides in the form that the kernel pose reads, kept for the next drawing."""
    skeleton = array("H")
    pairs = limbs(keypoint_count)
    sides = keypoint_sides(keypoint_count)
    for at in range(0, len(pairs), 2):
        a, b = pairs[at], pairs[at + 1]
        for entry in (a, b, _side(sides[a] + sides[b])):
            skeleton.append(entry)
    for side in sides:
        skeleton.append(_side(side))
    _skeletons[keypoint_count] = skeleton
    return skeleton


def _side(side):
    return 0 if side < 0 else 1 if side > 0 else 2
