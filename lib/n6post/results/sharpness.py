"""`sharpness`: whether a picture is in focus."""

from array import array

from micropython import const

from ..kernels import laplacian as laplacian_kernels
from ..pixels.colors import depth_of
from ..tensors.lazy import later
from .detection import Detection

_MOST = const(4096)  # pixels that are examined

_gray = []  # tables of the kernel: of the high and the low byte of RGB565, 128 times what each adds to the gray value


def sharpness(img, rect=None):
    """How sharp a picture is: the variance of its Laplacian, a float, 0.0 for one color; blurred ones have less.

    img     an RGB565 or GRAYSCALE image; RGB565 counts as what the firmware's to_grayscale makes of it
    rect    (x, y, w, h), the part of the picture that counts, or a Detection; None: all of it

    The Laplacian is the sum of the four neighbors minus four times the pixel (J. L. Pech-Pacheco et al., "Diatom
    autofocusing in brightfield microscopy", ICPR 2000), of all pixels with neighbors in the part; of more than 4,096, those
    in every second or third column and row, and so on. ValueError for an image of another format, and for other parts.
    """
    depth = depth_of(img, "")
    width, height = img.width(), img.height()
    x, y, w, h = 0, 0, width, height
    if isinstance(rect, Detection):
        x, y, w, h = later.results_places.region_in(img, rect)
    elif rect is not None:
        x, y, w, h = later.results_scaled.checked_roi(rect, (width, height), "rect")
    w, h, step = w - 2, h - 2, 1
    if w < 1 or h < 1:
        return 0.0
    # In effect at least four rows, so that a row has at most 1024 pixels.
    while -(-w // step) * max(-(-h // step), 4) > _MOST:
        step += 1
    columns, rows = -(-w // step), -(-h // step)
    if depth == 2 and not _gray:
        _gray[:] = (
            array("H", [38 * (r << 3 | r >> 2) + 75 * (g << 5 | g >> 1) for r in range(32) for g in range(8)]),
            array("H", [300 * g + 15 * (b << 3 | b >> 2) for g in range(8) for b in range(32)]),
        )
    start, line = ((y + 1) * width + x + 1) * depth, width * depth
    params = array("i", (start, line, columns, rows, step * depth, step * line, depth))
    sums = array("i", (0, 0, 0))
    high, low = _gray or (sums, sums)
    laplacian_kernels.laplacian(img.bytearray(), params, high, low, sums)
    total, count = sums[0], columns * rows
    return (count * (sums[1] << 20 | sums[2]) - total * total) / (count * count)
