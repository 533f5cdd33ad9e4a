"""Bounding box, area and centroid of a mask. Imported on first use."""

from array import array

from ..kernels import measures as measure_kernels
from ..kernels.params.measures import measure_mask as params


def measure(mask, numbers):
    """Write the measures of a Mask into an array('i') of 7: x, y, w, h of its bounding box, area, x, y of its centroid.

    w and h are 0 for a mask without a pixel; x and y of the centroid are -1 without an area.
    """
    data, table, entry, transform = mask._row()
    numbers[0] = entry
    measure_kernels.measure_mask(data, table, transform.measures or _block_of(transform), numbers)


def rect(mask):
    """Mask.rect: (x, y, w, h) in frame pixels, or None."""
    x, y, w, h, _, _, _ = _measured(mask)
    return (x, y, w, h) if w else None


def area(mask):
    """Mask.area: frame pixels."""
    return _measured(mask)[4]


def centroid(mask):
    """Mask.centroid: a frame pixel (x, y), or None."""
    _, _, _, _, size, x, y = _measured(mask)
    return (x, y) if size else None


def _measured(mask):
    numbers = array("i", bytes(28))
    measure(mask, numbers)
    return numbers


def _block_of(transform):
    """The parameter block of measure_mask. It is kept in the MaskTransform."""
    block = params(
        transform.sx, transform.sy, transform.ox, transform.oy, *(tuple(transform.bounds) + tuple(transform.margin))
    )  # fmt: skip
    transform.measures = block
    return block
