"""Keypoints and limbs in a frame, by draw_line and draw_circle: the reference of helium/poses.py and m7/poses.py."""

from struct import unpack_from

from micropython import const

from ...pixels.colors import canvas
from ..params.poses import POSE_THRESHOLD

# Pixels. Where a thick line is longer than 256, the firmware's draw_line blends its first few pixels wrongly, and at about
# 45 degrees for hundreds of them.
_LONGEST = const(180)


def pose(frame, params, points, skeleton):
    """Draw the limbs whose two ends are visible, then the visible keypoints, pixel for pixel as the firmware does.

    Long thick diagonals are drawn in pieces.

    frame   the frame's pixels, as for tint_mask
    params  0 bytes of a pixel (2: RGB565, 1: GRAYSCALE), 1 and 2 frame width and height, 3 number of keypoints, 4 number of
            limbs, 5 thickness of limbs, pixels (0: no limbs), 6 radius of keypoints, pixels (0: no keypoints), 7 threshold
            (float bits): a keypoint is visible if its score is not less, 8..10 colors (RGB565; a GRAYSCALE frame takes
            their luma) of the left side, the right side and the middle, 11 whether points may lie beyond the right and
            lower edge (corners of boxes and zones)
    points  float array (keypoints, 3): x, y in frame pixels, score
    skeleton    array("H"): three for each limb (the indices of its two keypoints, and its side: 0 left, 1 right, 2 neither),
            then the side of each keypoint

    A keypoint is drawn at the pixel that contains it; beyond the right or lower edge, at the last pixel, unless it may lie
    there. Coordinates beyond 16 bits count as -32768 or 32767. A keypoint that is not finite is not visible.
    """
    depth, frame_width, frame_height, _, limbs, thickness, radius, _, left, right, middle, outside = params[:12]
    (threshold,) = unpack_from("f", params, 4 * POSE_THRESHOLD)
    img = canvas(frame, depth, frame_width, frame_height)
    paints = [(value >> 8 & 0xF8, value >> 3 & 0xFC, value << 3 & 0xF8) for value in (left, right, middle)]
    last_x, last_y = (32767, 32767) if outside else (frame_width - 1, frame_height - 1)
    pixels = []
    for x, y, score in points.tolist():  # one call: reading 51 floats one by one costs 1,500 instructions each
        pixel = None
        if score >= threshold:
            if 0.0 <= x < frame_width and 0.0 <= y < frame_height:
                pixel = int(x), int(y)
            elif x - x == 0.0 and y - y == 0.0:
                pixel = max(-32768, min(int(x), last_x)), max(-32768, min(int(y), last_y))
        pixels.append(pixel)
    if thickness:
        for at in range(0, 3 * limbs, 3):
            a, b = pixels[skeleton[at]], pixels[skeleton[at + 1]]
            if a and b:
                (x, y), (end_x, end_y) = a, b
                near, far = sorted((abs(end_x - x), abs(end_y - y)))
                pieces = 1 + far // _LONGEST if thickness > 1 and 4 * near > 3 * far else 1
                for n in range(1, pieces + 1):
                    end = a
                    a = x + (end_x - x) * n // pieces, y + (end_y - y) * n // pieces
                    img.draw_line(end + a, color=paints[skeleton[at + 2]], thickness=thickness)
    if radius:
        at = 3 * limbs
        for pixel in pixels:
            if pixel:
                img.draw_circle(pixel + (radius,), color=paints[skeleton[at]], fill=True)
            at += 1
