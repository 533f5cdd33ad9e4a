"""The parameter blocks of the kernels of drawing.py: see boxes.py."""

from array import array

from micropython import const

from ...pixels.rounding import NUDGE
from .boxes import bits

_HALF = 0.5 + NUDGE


def row(
    x=0, y=0, w=0, h=0, anchor=0, class_id=0, score=0, crop_x0=0, crop_y0=0, crop_x1=0, crop_y1=0,
    window_x=0, window_y=0, window_w=0, window_h=0, start=0,
):  # fmt: skip
    """One row, for one detection, of the table that boxes_to_frame writes and clip_mask reads."""
    entries = x, y, w, h, anchor, class_id, bits(score), crop_x0, crop_y0, crop_x1, crop_y1
    return array("i", entries + (window_x, window_y, window_w, window_h, start))


def tint_mask(
    depth=2, frame_width=0, frame_height=0, width=0, height=0, x=0, y=0, x_scale=1, y_scale=1,
    x0=0, y0=0, x1=0, y1=0, color=0, alpha=255, centered=1,
    offset_x=0, offset_y=0, seen_x=0, seen_y=0, seen_w=0, seen_h=0, margin_x=0, margin_y=0,
):  # fmt: skip
    """The parameter block of tint_mask and clip_mask; only clip_mask reads the entries from offset_x on."""
    entries = depth, frame_width, frame_height, width, height, x, y, bits(x_scale), bits(y_scale)
    clip = bits(offset_x), bits(offset_y), seen_x, seen_y, seen_w, seen_h, margin_x, margin_y
    return array("i", entries + (x0, y0, x1, y1, color, alpha, centered) + clip)


TINT_DEPTH = const(0)
TINT_FRAME_WIDTH = const(1)
TINT_FRAME_HEIGHT = const(2)
TINT_X = const(5)
TINT_Y = const(6)
TINT_X0 = const(9)
TINT_Y0 = const(10)
TINT_X1 = const(11)
TINT_Y1 = const(12)
TINT_COLOR = const(13)
TINT_ALPHA = const(14)


def mask_block(transform):
    """The parameter block of tint_mask and clip_mask for masks with this MaskTransform, which keeps it as its `block`."""
    x, y, w, h = transform.bounds
    margin_x, margin_y = transform.margin
    transform.block = tint_mask(
        x_scale=transform.sx, y_scale=transform.sy, offset_x=transform.ox + _HALF, offset_y=transform.oy + _HALF,
        seen_x=x, seen_y=y, seen_w=w, seen_h=h, margin_x=margin_x, margin_y=margin_y,
    )  # fmt: skip
    return transform.block


def tint_map(depth=2, frame_width=0, frame_height=0, class_id=0, width=0, height=0, edges=()):
    """The parameter block of tint_map and count_class_pixels; the latter reads no entry of the frame.

    edges   the edges of the map's columns in the frame, width + 1, then those of its rows, height + 1; stored behind their
            number
    """
    block = array("i", (depth, frame_width, frame_height, class_id, width, height, len(edges)))
    block.extend(array("i", edges))
    return block


MAP_DEPTH = const(0)
MAP_FRAME_WIDTH = const(1)
MAP_FRAME_HEIGHT = const(2)
MAP_CLASS_ID = const(3)
MAP_EDGES = const(6)  # their number, which they follow


def box(
    depth=2, frame_width=0, frame_height=0, x=0, y=0, w=0, h=0, thickness=0,
    ground_x=0, ground_y=0, ground_w=0, ground_h=0, color=0, ink=0, scale=1,
):  # fmt: skip
    entries = depth, frame_width, frame_height, x, y, w, h, thickness
    return array("i", entries + (ground_x, ground_y, ground_w, ground_h, color, ink, scale))


def place_labels(count=0, frame_width=0, frame_height=0, line=0, already=0):
    return array("i", (count, frame_width, frame_height, line, already))


PLACE_LABELS_COUNT = const(0)
PLACE_LABELS_FRAME_WIDTH = const(1)
PLACE_LABELS_FRAME_HEIGHT = const(2)
PLACE_LABELS_LINE = const(3)
LABEL = const(4)  # words of a label's row in the table of place_labels

BOX_DEPTH = const(0)
BOX_FRAME_WIDTH = const(1)
BOX_FRAME_HEIGHT = const(2)
BOX_X = const(3)
BOX_Y = const(4)
BOX_W = const(5)
BOX_H = const(6)
BOX_THICKNESS = const(7)
BOX_GROUND_X = const(8)
BOX_GROUND_Y = const(9)
BOX_GROUND_W = const(10)
BOX_GROUND_H = const(11)
BOX_COLOR = const(12)
BOX_INK = const(13)
BOX_SCALE = const(14)
