"""How frame coordinates are rounded to pixels: the same way on a camera and on a PC."""

from micropython import const

# Frame pixels. A corner or an edge may lie exactly on half a pixel, and the camera's floats lose up to 2 of float32's
# 24 bits in a scale. NUDGE is larger than that error. Without it such a corner would be rounded down on the camera and up
# on a PC.
NUDGE = const(2.44e-4)
