"""Joints and limbs into a frame, by draw_line and draw_circle: the reference of helium_poses.py and thumb_poses.py."""

from struct import unpack_from

from ..pixels import canvas
from .pose_plans import POSE_THRESHOLD


def pose(frame, plan, points, skeleton):
    """The limbs of a person both ends of which are seen, then the joints that are, just as the firmware draws them.

    frame   the frame's pixels, as in tint_mask
    plan    0 bytes a pixel (2: RGB565, 1: GRAYSCALE), 1 and 2 frame width and height, 3 and 4 how many joints and limbs,
            5 thickness of limbs (0: none), 6 radius of joints (0: none), 7 float bits of the least score of a joint that is
            seen, 8..10 colours (RGB565; a GRAYSCALE frame takes their luma) of the left, the right and the middle
    points  float array (joints, 3): x, y in frame pixels, score
    skeleton    bytes: three a limb (its joints' numbers, and its side: 0 left, 1 right, 2 neither), then each joint's side

    A point lies in the pixel that holds it, one beyond the right or lower edge in the last one; x and y of less than
    -32768 are that. What is not finite is not seen.
    """
    depth, frame_width, frame_height, _, limbs, thickness, radius, _, left, right, middle = plan[:11]
    (threshold,) = unpack_from("f", plan, 4 * POSE_THRESHOLD)
    img = canvas(frame, depth, frame_width, frame_height)
    paints = [(value >> 8 & 0xF8, value >> 3 & 0xFC, value << 3 & 0xF8) for value in (left, right, middle)]
    places = []
    for x, y, score in points.tolist():  # one call: reading 51 floats one by one costs 1,500 instructions each
        place = None
        if score >= threshold:
            if 0.0 <= x < frame_width and 0.0 <= y < frame_height:
                place = int(x), int(y)
            elif x - x == 0.0 and y - y == 0.0:
                place = max(-32768, min(int(x), frame_width - 1)), max(-32768, min(int(y), frame_height - 1))
        places.append(place)
    if thickness:
        for at in range(0, 3 * limbs, 3):
            a, b = places[skeleton[at]], places[skeleton[at + 1]]
            if a and b:
                img.draw_line(a + b, color=paints[skeleton[at + 2]], thickness=thickness)
    if radius:
        at = 3 * limbs
        for place in places:
            if place:
                img.draw_circle(place + (radius,), color=paints[skeleton[at]], fill=True)
            at += 1
