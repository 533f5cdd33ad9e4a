"""From the outputs of a split head to boxes and keypoints: the active kernels. portable_heads.py describes them."""

from ..kernels import load

_home = load("heads")
decode_boxes = _home.decode_boxes
decode_keypoints = _home.decode_keypoints
