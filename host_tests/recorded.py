"""The recorded outputs in data/recorded, and the detections of a network in a street (n6post_pc/recorded.py)."""

from n6post_pc.recorded import Recording, index, load, names, street

__all__ = ["Recording", "index", "load", "names", "street"]
