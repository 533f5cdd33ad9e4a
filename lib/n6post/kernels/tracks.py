"""The loops of a Tracker: viper_tracks.py if MicroPython can make machine code of it, else the same in plain Python."""

import sys


def _load():
    if sys.implementation.name == "micropython":
        try:
            return __import__("n6post.kernels.viper_tracks", None, None, ("*",))
        except (ImportError, SyntaxError, ValueError):  # not MemoryError: plain Python needs more memory
            pass
    return __import__("n6post.kernels.portable_tracks", None, None, ("*",))


_home = _load()
load_detections = _home.load_detections
predict = _home.predict
match = _home.match
mask_centroid = _home.mask_centroid
update_tracks = _home.update_tracks
tracks_to_rects = _home.tracks_to_rects
tracked_detections = _home.tracked_detections
