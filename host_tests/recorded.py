"""The recorded outputs in data/recorded, and what a network found in a street (n6post_pc/recorded.py)."""

from n6post_pc.recorded import Recording, index, load, names, street

__all__ = ["Recording", "index", "load", "names", "street"]
