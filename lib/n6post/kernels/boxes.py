"""From a YOLOv8 head to boxes and masks: the active kernels. portable_boxes.py describes them."""

from ..kernels import load

_home = load("boxes")
candidates = _home.candidates
suppress = _home.suppress
boxes_to_frame = _home.boxes_to_frame
prototype_mask = _home.prototype_mask
suppress_masks = _home.suppress_masks
make_detections = _home.make_detections
