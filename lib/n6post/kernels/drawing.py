"""Masks, class maps and boxes into a frame: the kernels active here; portable_drawing.py says what each does."""

from ..kernels import load

_home = load("drawing")
aim = _home.aim
tint_mask = _home.tint_mask
tint_map = _home.tint_map
cover = _home.cover
box = _home.box
spread = _home.spread
font = bytearray(95 * 80) if "helium" in _home.__name__ else None  # of box: glyphs of 8 x 10 bytes, " " to "~", once drawn
