"""What bands of the frame, one below the other, have of a class of a map. Imported on first use."""

from array import array
from collections import namedtuple

from ..kernels import places as place_kernels
from ..kernels.params.places import BAND, BAND_CENTER, BAND_LEFT, BAND_PIXELS, BAND_RIGHT, BANDS_CLASS_ID
from ..kernels.params.places import class_bands as class_bands_params
from ..pixels.pixel_edges import map_edges
from ..tensors.lazy import later
from ..tensors.options import number


class Band(namedtuple("Band", ("y", "center", "left", "right", "fraction"))):
    def as_dict(self):
        """The band as numbers, for JSON."""
        return later.results_dicts.record_as_dict(self, ("y", "center", "left", "right", "fraction"))


def profile(segmentation, class_id, rows):
    """Segmentation.profile."""
    transform = segmentation._transform
    class_id = segmentation._class(class_id)
    if not _kept or _kept[0][0] is not transform or _kept[0][1] != rows or type(rows) is not int:
        _kept[:] = [_made(transform, rows)]
    _, _, places, block, scratch, words = _kept[0]
    block[BANDS_CLASS_ID] = class_id
    place_kernels.class_bands(segmentation.class_map, block, scratch, words)
    bands = []
    at = rows * BAND
    for y, area in places:
        at -= BAND
        pixels = words[at + BAND_PIXELS]
        if pixels:
            center, left, right = words[at + BAND_CENTER], words[at + BAND_LEFT], words[at + BAND_RIGHT]
            bands.append(Band(y, center, left, right, pixels / area))
        else:
            bands.append(Band(y, None, None, None, 0.0))
    return bands


# Of the last call: (MapTransform, rows, the middle row and the area of each band, the kernel's buffers).
_kept = []


def _made(transform, rows):
    columns, lines = map_edges(transform)
    top, high = lines[0], lines[-1] - lines[0]
    number("rows", rows, 1, max(high, 1))
    ends = array("H", [top + high * band // rows for band in range(rows + 1)])
    across = columns[-1] - columns[0]
    places = []
    for band in range(rows - 1, -1, -1):
        y, end = ends[band], ends[band + 1]
        places.append(((y + end) // 2, across * (end - y)))
    width, height = transform.width, transform.height
    block = class_bands_params(0, width, height, rows, columns + lines + ends)
    return transform, rows, places, block, array("H", bytes(2 * width)), array("i", bytes(4 * BAND * rows))
