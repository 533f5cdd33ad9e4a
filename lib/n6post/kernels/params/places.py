"""The parameter blocks of the kernels of places.py, which read colors and bands of a frame: see boxes.py."""

from array import array

from micropython import const


def color_sums(depth, frame_width, step, width, height, edges=()):
    """edges: those of the mask's columns in the frame, width + 1, then those of its rows, height + 1."""
    block = array("i", (depth, frame_width, step, width, height, len(edges)))
    block.extend(array("i", edges))
    return block


# Words that the kernel writes: the number of pixels, then these of each channel. The low word of a sum has 24 bits.
CHANNEL = const(6)
CHANNEL_SUM = const(0)  # two words, the high one first
CHANNEL_SQUARES = const(2)  # two words
CHANNEL_MIN = const(4)
CHANNEL_MAX = const(5)


def class_bands(class_id, width, height, bands, edges=()):
    """edges: those of the map's columns and rows, as for color_sums, then those of the bands, bands + 1 frame rows."""
    block = array("i", (class_id, width, height, bands, len(edges)))
    block.extend(array("i", edges))
    return block


BANDS_CLASS_ID = const(0)
# Words that the kernel writes of each band.
BAND = const(4)
BAND_PIXELS = const(0)
BAND_CENTER = const(1)
BAND_LEFT = const(2)
BAND_RIGHT = const(3)
