"""Oriented boxes in a frame: four lines each. Imported when a result has one."""

from array import array

from ulab import numpy as np

from .lines import draw_lines

_SIDES = array("H", (3, 0, 0, 0, 1, 0, 1, 2, 0, 2, 3, 0))

_points = np.zeros((4, 3))


def draw_corners(target, result, paints, thickness):
    """Draw the oriented boxes of a list of Detection, the best one's last. target: as of lines.py; paints: as of draw.py."""
    for at in range(len(result) - 1 if thickness else -1, -1, -1):
        corners = result[at].corners
        if corners is not None:
            # Pixels, as those of a box: its right and lower edges lie on the last pixels inside.
            _points[:, :2] = np.floor(corners + 0.5)
            draw_lines(target, _points, _SIDES, 4, paints[at][0], thickness)
