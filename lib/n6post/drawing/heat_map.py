"""Heat maps in a frame: HeatMap.draw, AnomalyMap.draw, and any grid of numbers. Imported on first use.

The numbers of the cells become bytes, the firmware interpolates these to a picture of a few pixels a cell, and the kernel
tint_map draws that over the frame with a palette. One draw_image with BILINEAR and palettes would look the same, but costs
ten times as much on a frame of VGA, because the N6's graphics unit does not do it.
"""

from ulab import numpy as np

from ..kernels import drawing as drawing_kernels
from ..kernels.params.drawing import MAP_DEPTH
from ..kernels.params.drawing import tint_map as tint_map_params
from ..pixels.colors import checked_color, gray, rgb565, target_of
from ..tensors.lazy import later
from ..tensors.options import flag, number

# From low to high: four colors of matplotlib's "inferno" (CC0), of which every next one is brighter on GRAYSCALE too.
_COLORS = (87, 16, 110), (188, 55, 84), (249, 142, 9), (252, 255, 164)
_OPAQUE = 96  # the step of 256 from which on the alpha is the whole one
_BLOCK = 4  # frame pixels of a pixel of the interpolated map, on each side,
_LARGEST = 20000  # unless it had more pixels than this: the firmware's interpolation costs 44 instructions for each

_kept = {}  # the last table of colors; the last pictures; the last edges


def draw_heat_map(img, heat_map, palette, alpha, maximum, smooth):
    """HeatMap.draw."""
    _check(alpha, smooth)
    if maximum is not None and (type(maximum) not in (int, float) or not 0 < maximum <= 1e9):
        raise ValueError("maximum: expected a number above 0 or None, got %r" % (maximum,))
    _tint(heat_map, target_of(img), _checked_colors(palette), alpha, maximum, smooth, None)


def draw_anomaly_map(img, anomaly_map, palette, alpha, smooth):
    """AnomalyMap.draw."""
    _check(alpha, smooth)
    _tint_distances(anomaly_map, target_of(img), _checked_colors(palette), alpha, smooth, None)


def draw_cells(heat_map, target, color, alpha, thickness, labels, color_by, text_scale, roi):
    """A HeatMap for `draw`, which has checked its options but for color_by. It has no labels."""
    _tint(heat_map, target, _colors_of("a HeatMap", color, color_by), alpha, None, True, roi)


def draw_distances(anomaly_map, target, color, alpha, thickness, labels, color_by, text_scale, roi):
    """An AnomalyMap for `draw`, as draw_cells."""
    _tint_distances(anomaly_map, target, _colors_of("an AnomalyMap", color, color_by), alpha, True, roi)


def draw_grid(values, target, color, alpha, thickness, labels, color_by, text_scale, roi):
    """An array (rows, columns) for `draw`, over the whole picture. Its smallest number is not drawn."""
    if len(values.shape) != 2 or not 0 < values.size <= _LARGEST:
        raise ValueError("expected an array (rows, columns) of at most %d numbers, got %s" % (_LARGEST, tuple(values.shape)))
    colors = _colors_of("a grid", color, color_by)
    if roi is not None:
        raise ValueError("roi: expected None for a grid, which covers the whole picture, got %r" % (roi,))
    values = np.array(values, dtype=np.float)
    finite = np.isfinite(values)
    low, high = float(np.min(np.where(finite, values, 3e38))), float(np.max(np.where(finite, values, -3e38)))
    values = np.where(finite, values, low)  # what is not finite is not drawn
    _, depth, width, height = target
    fine = _fineness(values, width, height, True)
    rows, columns = values.shape
    block = _block(columns * fine, rows * fine, width, height, None, None)
    block[MAP_DEPTH] = depth
    _draw_levels(values, low, high, fine, target, block, _table(colors, alpha))


def _check(alpha, smooth):
    number("alpha", alpha, 0, 255)
    flag("smooth", smooth)


def _colors_of(kind, color, color_by):
    if color_by != "class":
        raise ValueError("color_by: expected 'class' for %s, got %r" % (kind, color_by))
    return (color, color) if color else _COLORS


def _tint(heat_map, target, colors, alpha, maximum, smooth, roi):
    _, depth, width, height = target
    size = heat_map.frame_size
    if size is None:
        return  # nothing was counted
    across, down = width, height  # of the whole frame in the picture's pixels
    if roi is not None:
        roi = later.results_scaled.checked_roi(roi, size)
        across, down = width * size[0] // roi[2], height * size[1] // roi[3]
    else:
        later.results_scaled.is_scaled(size, width, height)
    values = heat_map.values()
    if maximum is None:
        maximum = max(float(np.max(values)), 1.0)  # so that a map without new detections fades
    fine = _fineness(values, across, down, smooth)
    rows, columns = values.shape
    block = _block(columns * fine, rows * fine, width, height, size, roi)
    block[MAP_DEPTH] = depth
    _draw_levels(values, 0.0, maximum, fine, target, block, _table(colors, alpha))


def _tint_distances(anomaly_map, target, colors, alpha, smooth, roi):
    transform = anomaly_map._transform
    _, _, width, height = target
    shown = (0, 0) + (transform.frame_size or (width, height))
    if roi is not None:
        shown = later.results_scaled.checked_roi(roi, transform.frame_size)
    across, down = transform.sx * transform.width * width / shown[2], transform.sy * transform.height * height / shown[3]
    fine = _fineness(anomaly_map.values, int(across), int(down), smooth)
    kept = _kept.get("finer")
    if kept is None or kept[0] is not transform or kept[1] != fine:
        finer = later.results_segmentation.finer(transform, fine)
        kept = _kept["finer"] = transform, fine, finer
    block = later.drawing_masks.map_block(kept[2], target, roi)
    threshold = anomaly_map.threshold
    low, high = (0.65 * threshold, 2.0 * threshold) if threshold else (0.0, anomaly_map.score)
    _draw_levels(anomaly_map.values.copy(), low, high, fine, target, block, _table(colors, alpha))


def _fineness(values, across, down, smooth):
    """How many pixels of the interpolated map a cell has, on each side, if the map covers across x down pixels."""
    rows, columns = values.shape
    fine = max(1, min(across // columns, down // rows) // _BLOCK) if smooth else 1
    while fine > 1 and columns * rows * fine * fine > _LARGEST:
        fine -= 1
    return fine


def _draw_levels(values, low, high, fine, target, block, table):
    """Draw values from low, which is not drawn, to high, which has the last color. The array is overwritten."""
    rows, columns = values.shape
    levels, levels_image, map_image = _pictures(columns, rows, fine)
    if low:
        values -= low
    values *= 255.0 / (high - low) if high > low else 0.0
    values = np.minimum(np.maximum(values, 0.0), 255.0)
    levels[:] = np.array(values, dtype=np.uint8)  # rounds
    if map_image is not levels_image:
        import image

        map_image.draw_image(levels_image, 0, 0, x_scale=float(fine), y_scale=float(fine), hint=image.BILINEAR)
    drawing_kernels.tint_map(target[0], map_image.bytearray(), block, table)


def _checked_colors(palette):
    if palette is None:
        return _COLORS
    if not isinstance(palette, (list, tuple)) or not 2 <= len(palette) <= 256:
        raise ValueError("palette: expected two or more colors (r, g, b), from low to high, got %r" % (palette,))
    return tuple([checked_color(color) for color in palette])


def _pictures(columns, rows, fine):
    """(array of the cells' bytes, a picture over it, a picture of `fine` pixels a cell), kept for the next drawing."""
    kept = _kept.get("pictures")
    if kept is None or kept[0] != (columns, rows, fine):
        cells = bytearray(columns * rows)
        levels = np.frombuffer(cells, dtype=np.uint8).reshape((rows, columns))
        levels_image = map_image = gray(cells, columns, rows)
        if fine > 1:
            map_image = gray(bytearray(columns * rows * fine * fine), columns * fine, rows * fine)
        kept = _kept["pictures"] = (columns, rows, fine), (levels, levels_image, map_image)
    return kept[1]


def _block(columns, rows, width, height, size, roi):
    """The parameter block of tint_map for a map of this size over the whole picture, kept for the next drawing.

    size, roi   of the frame, and its part that the picture shows; None: all of it
    """
    key = columns, rows, width, height, size, roi
    kept = _kept.get("block")
    if kept is None or kept[0] != key:
        (w, h), (x, y, across, down) = (size, roi) if roi else ((1, 1), (0, 0, 1, 1))
        edges = [max(0, (i * w - x * columns) * width // (columns * across)) for i in range(columns + 1)]
        edges += [max(0, (i * h - y * rows) * height // (rows * down)) for i in range(rows + 1)]
        block = tint_map_params(frame_width=width, frame_height=height, width=columns, height=rows, edges=edges)
        kept = _kept["block"] = key, block
    return kept[1]


def _table(colors, alpha):
    """The table for the kernel tint_map, kept for the next drawing: 256 colors, then 256 alphas."""
    key = colors, alpha
    kept = _kept.get("table")
    if kept is None or kept[0] != key:
        entries = bytearray(768)
        last = len(colors) - 1
        for step in range(1, 256):
            at = min(step * last // 255, last - 1)
            part = step * last - 255 * at  # of 255, from one color to the next
            one, other = colors[at], colors[at + 1]
            value = rgb565([(one[i] * (255 - part) + other[i] * part + 127) // 255 for i in range(3)])
            entries[2 * step], entries[2 * step + 1] = value & 255, value >> 8
            entries[512 + step] = alpha * min(step, _OPAQUE) // _OPAQUE
        kept = _kept["table"] = key, entries
    return kept[1]
