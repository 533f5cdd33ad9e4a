"""Masks, class maps and boxes in a frame: the active kernels. portable_drawing.py describes them."""

import sys

from ..kernels import load

_home = load("drawing")
clip_mask = _home.clip_mask
tint_mask = _home.tint_mask
tint_map = _home.tint_map
count_class_pixels = _home.count_class_pixels
box = _home.box
place_labels = _home.place_labels
label_detections = _home.label_detections
draw_boxes = _home.draw_boxes
tint_masks = _home.tint_masks
# Whether smooth mask edges are the default. With machine code they cost no more than blocks; by draw_image they cost several
# times as much, for which only a PC has the time.
antialias_is_cheap = "portable" not in _home.__name__ or sys.implementation.name != "micropython"
