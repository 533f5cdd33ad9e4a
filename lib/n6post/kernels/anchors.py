"""From heads of maps and anchors to boxes and keypoints: the active kernels. portable_anchors.py describes them."""

from ..kernels import load

_home = load("anchors")
score_anchors = _home.score_anchors
decode_anchors = _home.decode_anchors
rank_anchors = _home.rank_anchors
blend_anchors = _home.blend_anchors
