"""From candidates with angles to oriented boxes without overlaps: the active kernels, as portable_oriented.py says."""

from ..kernels import load

_home = load("oriented")
suppress_oriented = _home.suppress_oriented
oriented_corners = _home.oriented_corners
