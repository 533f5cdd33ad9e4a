"""Depth maps in a frame: DepthMap.draw."""

from ulab import numpy as np

from ..kernels import drawing as drawing_kernels
from ..pixels.colors import checked_color, rgb565, target_of
from ..pixels.rounding import same_floats
from ..tensors.lazy import later
from ..tensors.options import flag, number
from ..tensors.quantization import FLOAT, INT8, INT16
from .masks import map_block

# From near to far: five colors of matplotlib's "inferno" (CC0), of which every next one is darker on GRAYSCALE too.
_COLORS = (252, 255, 164), (249, 142, 9), (188, 55, 84), (87, 16, 110), (0, 0, 4)

_kept = {}  # the last palette and its 256 colors; the last table of tint_map


def draw_depth(img, depth_map, palette, alpha, nearest, farthest, legend):
    """DepthMap.draw."""
    number("alpha", alpha, 0, 255)
    flag("legend", legend)
    target = target_of(img)
    if legend:
        later.pixels_text.recognized(target)
    _tint(depth_map, target, _checked_colors(palette), alpha, nearest, farthest, legend, None, None)


def draw_depth_map(depth_map, target, color, alpha, thickness, labels, color_by, text_scale, roi):
    """A DepthMap for `draw`, which has checked its options but for color_by."""
    if color_by != "class":
        raise ValueError("color_by: expected 'class' for a DepthMap, got %r" % (color_by,))
    _tint(depth_map, target, (color, (0, 0, 0)) if color else _COLORS, alpha, None, None, labels, text_scale, roi)


def _tint(depth_map, target, colors, alpha, nearest, farthest, legend, text_scale, roi):
    near = _limit("nearest", nearest, depth_map.minimum)
    far = _limit("farthest", farthest, depth_map.maximum)
    block = map_block(depth_map._transform, target, roi)
    levels, entries = _levels(depth_map, same_floats(near, far), colors, alpha)
    drawing_kernels.tint_map(target[0], levels, block, entries)
    if legend:
        entries = (colors[0], "%.2f" % near), (colors[-1], "%.2f" % far)
        later.drawing_legends.draw_legend(target, entries, text_scale)


def _checked_colors(palette):
    if palette is None:
        return _COLORS
    if not isinstance(palette, (list, tuple)) or not 2 <= len(palette) <= 256:
        raise ValueError("palette: expected two or more colors (r, g, b), from near to far, got %r" % (palette,))
    return tuple([checked_color(color) for color in palette])


def _limit(name, value, of_map):
    if value is None:
        return of_map()
    if type(value) not in (int, float) or not -1e9 <= value <= 1e9:
        raise ValueError("%s: expected a distance or None, got %r" % (name, value))
    return float(value)


def _levels(depth_map, limits, colors, alpha):
    """(bytes of the map, table of tint_map with a color for each byte)."""
    raw = depth_map.raw
    dtype = raw.dtype
    scale = same_floats(depth_map.scale)
    zero_point = float(depth_map.zero_point)
    # Steps of the palette for a distance: (distance - near) * gain.
    near = limits[:1]
    span = limits[1:] - near
    gain = np.where(span == 0.0, 0.0, 255.0 / np.where(span == 0.0, 1.0, span))
    if dtype != FLOAT and dtype != INT16:
        key = dtype, depth_map.scale, depth_map.zero_point, limits.tolist(), colors, alpha
        if _kept.get("key") != key:
            numbers = np.array(range(256), dtype=np.float)
            if dtype == INT8:  # a byte of 128 and more is below 0
                numbers = np.where(numbers > 127.0, numbers - 256.0, numbers)
            entries = _table(_steps((numbers - zero_point) * scale, near, gain), colors, alpha)
            _kept["entries"] = entries
            _kept["key"] = key
        return raw, _kept["entries"]
    levels = depth_map._bytes
    if levels is None:
        levels = depth_map._bytes = np.zeros(raw.shape, dtype=np.uint8)
    for y in range(len(raw)):  # row by row: nothing of the map's size is allocated
        levels[y] = _steps((np.array(raw[y], dtype=np.float) - zero_point) * scale, near, gain)
    return levels, _table(np.array(range(256), dtype=np.uint8), colors, alpha)


def _steps(distances, near, gain):
    """The steps of the palette, 0..255, uint8. ulab's maximum(a, b) is a > b ? a : b: NaN is near."""
    steps = np.minimum(np.maximum((distances - near) * gain + 0.5, 0.0), 255.0)
    return np.array(np.floor(steps), dtype=np.uint8)


def _table(steps, colors, alpha):
    """The table for the kernel tint_map: 256 colors, then 256 alphas."""
    values = _rgb565_of(colors)
    entries = np.zeros(768, dtype=np.uint8)
    pairs = entries[:512].reshape((256, 2))
    pairs[:, 0] = np.take(values[:256], steps)
    pairs[:, 1] = np.take(values[256:], steps)
    entries[512:] = alpha
    return entries.tobytes()


def _rgb565_of(colors):
    """The low bytes and then the high bytes of 256 RGB565 colors between these, kept for the next drawing."""
    if _kept.get("colors") != colors:
        values = bytearray(512)
        last = len(colors) - 1
        for step in range(256):
            at = min(step * last // 255, last - 1)
            part = step * last - 255 * at  # of 255, from one color to the next
            one, other = colors[at], colors[at + 1]
            value = rgb565([(one[i] * (255 - part) + other[i] * part + 127) // 255 for i in range(3)])
            values[step], values[256 + step] = value & 255, value >> 8
        _kept["values"] = np.frombuffer(values, dtype=np.uint8)
        _kept["colors"] = colors
    return _kept["values"]
