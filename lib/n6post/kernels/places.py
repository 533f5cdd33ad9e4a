"""The colors of a mask, and a class in bands of the frame: the active kernels. portable_places.py describes them."""

from ..kernels import load

_home = load("places")
color_sums = _home.color_sums
class_bands = _home.class_bands
