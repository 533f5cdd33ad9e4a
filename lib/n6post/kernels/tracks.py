"""The loops of a Tracker: viper_tracks.py if MicroPython can make machine code of it, else the same in plain Python."""

from ..kernels import load_viper

_home = load_viper("tracks")
load_detections = _home.load_detections
predict = _home.predict
match = _home.match
mask_centroid = _home.mask_centroid
update_tracks = _home.update_tracks
tracks_to_rects = _home.tracks_to_rects
tracked_detections = _home.tracked_detections
