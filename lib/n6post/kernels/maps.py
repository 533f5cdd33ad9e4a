"""From maps to a class for each pixel, or a peak for each keypoint: the active kernels. portable_maps.py describes them."""

from ..kernels import load

_home = load("maps")
class_map = _home.class_map
class_histogram = _home.class_histogram
peaks = _home.peaks
