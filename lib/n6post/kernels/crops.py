"""Rotated rectangles cut out of pictures, and keypoints: the active kernels. portable_crops.py describes them."""

from ..kernels import load

_home = load("crops")
cut_rotated = _home.cut_rotated
place_keypoints = _home.place_keypoints
