"""From a YOLOv8 head to boxes and masks: the kernels active here; portable_boxes.py says what each does."""

from ..kernels import load

_home = load("boxes")
candidates = _home.candidates
suppress = _home.suppress
place = _home.place
prototype_mask = _home.prototype_mask
dedupe = _home.dedupe
detected = _home.detected
