"""Oriented boxes in a frame: four lines each, in the firmware's own shapes. Imported when a result has one."""

from array import array

from ulab import numpy as np

from ..kernels.pose_params import (
    POSE_DEPTH,
    POSE_FRAME_HEIGHT,
    POSE_FRAME_WIDTH,
    POSE_LEFT,
    POSE_THICKNESS,
)
from ..kernels.pose_params import pose as pose_params
from ..kernels.poses import pose
from ..pixels.colors import depth_of

_FARTHEST = 16383.0  # the firmware's lines hold 16 bits
_LINES = array("H", (3, 0, 0, 0, 1, 0, 1, 2, 0, 2, 3, 0, 0, 0, 0, 0))

_block = pose_params(keypoint_count=4, limbs=4)
_points = np.zeros((4, 3))


def draw_corners(img, result, paints, thickness):
    """Draw the oriented boxes of a list of Detection, the best one's last. paints: as of draw._paints_of."""
    if not thickness:
        return
    width, height = img.width(), img.height()
    pixels = img.bytearray()
    block = _block
    block[POSE_DEPTH] = depth_of(img)
    block[POSE_FRAME_WIDTH] = width
    block[POSE_FRAME_HEIGHT] = height
    block[POSE_THICKNESS] = thickness
    for at in range(len(result) - 1, -1, -1):
        corners = result[at].corners
        if corners is None:
            continue
        # Pixels, as those of a box: its right and lower edges lie on the last pixels inside.
        corners = corners + 0.5
        if np.min(corners) >= 0.0 and np.max(corners[:, 0]) < width and np.max(corners[:, 1]) < height:
            _points[:, :2] = corners
            block[POSE_LEFT] = paints[at][0]
            pose(pixels, block, _points, _LINES)
        else:
            _draw_lines(img, corners, paints[at][0], thickness)


def _draw_lines(img, corners, rgb565, thickness):
    # The kernel would move corners outside of the frame to its edge.
    color = rgb565 >> 8 & 0xF8, rgb565 >> 3 & 0xFC, rgb565 << 3 & 0xF8
    points = np.floor(np.minimum(np.maximum(corners, -_FARTHEST), _FARTHEST)).tolist()
    points = [(int(x), int(y)) for x, y in points]
    last = points[3]
    for point in points:
        img.draw_line(last + point, color=color, thickness=thickness)
        last = point
