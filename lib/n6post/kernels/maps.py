"""From maps to a class a pixel, or a peak a joint: the kernels active here; portable_maps.py says what each does."""

from ..kernels import load

_home = load("maps")
class_map = _home.class_map
count = _home.count
peaks = _home.peaks
