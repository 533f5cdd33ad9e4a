"""Drawing a person's keypoints: limbs and joints, painted by side.

Every drawing call takes one tuple of ints and keywords: firmware 4.8.1 and 5.0 both accept that.
"""

from .joints import joint_side, limbs

# The person's own left and right, and what belongs to neither or to both; apart on GRAYSCALE too (luma 123, 151, 255).
LEFT = (0, 160, 255)
RIGHT = (255, 128, 0)
MIDDLE = (255, 255, 255)


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
    if detection.keypoints is None:
        raise ValueError("expected a detection with keypoints, got one without")
    if threshold is None:
        threshold = getattr(detection, "keypoint_threshold", 0.3)
    rows = detection.keypoints.tolist()  # one call: reading 51 floats one by one costs 1,500 instructions each
    joints = len(rows)
    # The pixel that a point lies in. A point clipped to the frame's right or lower edge lies in the last one.
    right, bottom = img.width() - 1, img.height() - 1
    places = [(min(int(x), right), min(int(y), bottom)) if score >= threshold else None for x, y, score in rows]
    if thickness:
        pairs = limbs(joints)
        for at in range(0, len(pairs), 2):
            a, b = pairs[at], pairs[at + 1]
            if places[a] and places[b]:
                paint = color or _paint(joint_side(joints, a) + joint_side(joints, b))
                img.draw_line(places[a] + places[b], color=paint, thickness=thickness)
    if radius:
        for joint in range(joints):
            if places[joint]:
                paint = color or _paint(joint_side(joints, joint))
                img.draw_circle(places[joint] + (radius,), color=paint, fill=True)


def _paint(side):
    return LEFT if side < 0 else RIGHT if side > 0 else MIDDLE
