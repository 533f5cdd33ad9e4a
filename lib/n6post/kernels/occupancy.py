"""The loops of PolygonZone.occupancy: viper_occupancy.py if MicroPython can make machine code of it, else plain Python."""

from ..kernels import load_viper

_home = load_viper("occupancy")
cover_box = _home.cover_box
cover_mask = _home.cover_mask
remove_marks = _home.remove_marks
