"""Masks, class maps and boxes into a frame: the kernels active here; portable_drawing.py says what each does."""

import sys

from ..kernels import load

_home = load("drawing")
aim = _home.aim
tint_mask = _home.tint_mask
tint_map = _home.tint_map
cover = _home.cover
box = _home.box
spread = _home.spread
font = None if "portable" in _home.__name__ else bytearray(95 * 80)  # of box: glyphs of 8 x 10 bytes, " " to "~", once drawn
# Whether a mask with smooth edges costs no more than one of blocks: where draw_image has to make it, it costs several times
# that. A PC has the time.
smooth_is_cheap = font is not None or sys.implementation.name != "micropython"
