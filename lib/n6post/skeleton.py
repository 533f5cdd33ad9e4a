"""Drawing a person's keypoints: limbs and joints, painted by side, in the firmware's own shapes (kernels/poses.py)."""

from .joints import joint_side, limbs
from .kernels.plans import bits
from .kernels.pose_plans import (
    POSE_DEPTH,
    POSE_FRAME_HEIGHT,
    POSE_FRAME_WIDTH,
    POSE_JOINTS,
    POSE_LEFT,
    POSE_LIMBS,
    POSE_MIDDLE,
    POSE_RADIUS,
    POSE_RIGHT,
    POSE_THICKNESS,
    POSE_THRESHOLD,
)
from .kernels.pose_plans import pose as pose_plan
from .kernels.poses import pose
from .pixels import checked_color, depth_of, rgb565

# The person's own left and right, and what belongs to neither or to both; apart on GRAYSCALE too (luma 123, 151, 255).
LEFT = (0, 160, 255)
RIGHT = (255, 128, 0)
MIDDLE = (255, 255, 255)

_plan = pose_plan()
_skeletons = {}


def draw_pose(img, detection, threshold=None, thickness=2, radius=3, color=None):
    """Draw the joints of a Detection that are seen, and the limbs of which both ends are.

    img         RGB565 or GRAYSCALE, the frame's size
    detection   with keypoints (K, 3): x, y in frame pixels and score. 13 (ST) and 17 (COCO) of them have limbs and
                sides; any other number is drawn as joints alone
    threshold   the least score of a joint that is seen; None: the processor's, which the detection carries
    thickness   of limbs, pixels; 0: no limbs
    radius      of joints, pixels; 0: no joints
    color       (r, g, b) of all of them; None: by side
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
    plan = _plan
    plan[POSE_DEPTH] = depth_of(img)
    plan[POSE_FRAME_WIDTH] = img.width()
    plan[POSE_FRAME_HEIGHT] = img.height()
    plan[POSE_JOINTS] = shape[0]
    plan[POSE_LIMBS] = (len(skeleton) - shape[0]) // 3
    plan[POSE_THICKNESS] = thickness
    plan[POSE_RADIUS] = radius
    plan[POSE_THRESHOLD] = bits(threshold)
    if color is None:
        plan[POSE_LEFT], plan[POSE_RIGHT], plan[POSE_MIDDLE] = _by_side
    else:
        plan[POSE_LEFT] = plan[POSE_RIGHT] = plan[POSE_MIDDLE] = rgb565(checked_color(color))
    pose(img.bytearray(), plan, keypoints * 1.0, skeleton)  # a copy: of a view, machine code would get another address


_by_side = rgb565(LEFT), rgb565(RIGHT), rgb565(MIDDLE)


def _skeleton(joints):
    """Limbs and sides as kernels.pose reads them, kept for the next person."""
    skeleton = bytearray()
    pairs = limbs(joints)
    for at in range(0, len(pairs), 2):
        a, b = pairs[at], pairs[at + 1]
        skeleton.extend(bytes((a, b, _side(joint_side(joints, a) + joint_side(joints, b)))))
    skeleton.extend(bytes([_side(joint_side(joints, joint)) for joint in range(joints)]))
    _skeletons[joints] = skeleton
    return skeleton


def _side(side):
    return 0 if side < 0 else 1 if side > 0 else 2
