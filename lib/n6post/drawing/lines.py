"""Lines in a frame, by the kernel that draws limbs (kernels/portable/poses.py). Imported on first use."""

from ..kernels import poses as pose_kernels
from ..kernels.params.poses import (
    POSE_DEPTH,
    POSE_FRAME_HEIGHT,
    POSE_FRAME_WIDTH,
    POSE_LEFT,
    POSE_LIMBS,
    POSE_THICKNESS,
)
from ..kernels.params.poses import pose as pose_params

_block = pose_params(outside=1)


def draw_lines(target, points, pairs, count, color, thickness, edge=0):
    """Draw the first `count` lines.

    target  (pixels, bytes of a pixel, width, height) of the picture
    points  float array of rows x, y, 0
    pairs   array("H"): for each line the numbers of its two points, and 0
    color   RGB565
    edge    width of both black edges together. All edges are drawn first: no line is covered by the edge of the next one
    """
    block = _block
    pixels, block[POSE_DEPTH], block[POSE_FRAME_WIDTH], block[POSE_FRAME_HEIGHT] = target
    block[POSE_LIMBS] = count
    if edge:
        block[POSE_LEFT] = 0
        block[POSE_THICKNESS] = thickness + edge
        pose_kernels.pose(pixels, block, points, pairs)
    block[POSE_LEFT] = color
    block[POSE_THICKNESS] = thickness
    pose_kernels.pose(pixels, block, points, pairs)
