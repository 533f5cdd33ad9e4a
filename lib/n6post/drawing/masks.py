"""Masks and class maps in a frame: shared by Mask.draw, Segmentation.draw and draw()."""

from ..kernels import are_fast
from ..kernels import drawing as drawing_kernels
from ..kernels.params.drawing import (
    MAP_CLASS_ID,
    MAP_DEPTH,
    MAP_FRAME_HEIGHT,
    MAP_FRAME_WIDTH,
    TINT_ALPHA,
    TINT_COLOR,
    TINT_DEPTH,
    TINT_FRAME_HEIGHT,
    TINT_FRAME_WIDTH,
    mask_block,
)
from ..kernels.params.drawing import tint_map as tint_map_params
from ..pixels.colors import checked_color, class_color, copy_rows, depth_of, gray, rgb565, step_palettes, target_of
from ..tensors.lazy import later
from ..tensors.options import flag, number


def draw_mask(img, mask, color, alpha, antialias):
    """Mask.draw."""
    number("alpha", alpha, 0, 255)
    if antialias is not None:
        flag("antialias", antialias)
    value = rgb565(checked_color(color))
    depth = depth_of(img)
    width, height = img.width(), img.height()
    data, table, at, transform = mask._row()
    size = transform.frame_size
    if size is not None and size != (width, height):
        results = later.results_scaled
        results.is_scaled(size, width, height)
        mask = results.scaled_mask(mask, width, height)
        data, table, at, transform = mask._row()
    if antialias or antialias is None and are_fast():
        block = transform.block or mask_block(transform)
        block[TINT_DEPTH] = depth
        block[TINT_FRAME_WIDTH] = width
        block[TINT_FRAME_HEIGHT] = height
        block[TINT_COLOR] = value
        block[TINT_ALPHA] = alpha
        start = drawing_kernels.clip_mask(block, table, at)
        if start >= 0:
            drawing_kernels.tint_mask(img.bytearray(), memoryview(data)[start:], block)
    else:
        draw_blocks(img, mask, value, alpha)


def draw_blocks(img, mask, value, alpha):
    """Draw a Mask as blocks of its pixels: one draw_image, and one more for each side where the clip cuts blocks."""
    data, (wx, wy, ww, _), crop, clip, transform = mask._parts()
    x, columns, y, rows = later.pixels_pixel_edges.shown(transform, crop, clip)
    colors, alphas = step_palettes(value)
    for top, bottom in _runs(rows, int(transform.sy)):
        for left, right in _runs(columns, int(transform.sx)):
            w, h = right - left, bottom - top
            pixels = bytearray(w * h)
            copy_rows(data, (y + top - wy) * ww + x + left - wx, ww, pixels, 0, w, w, h)
            img.draw_image(
                gray(pixels, w, h),
                columns[left],
                rows[top],
                x_scale=_scale(columns[right] - columns[left], w),
                y_scale=_scale(rows[bottom] - rows[top], h),
                alpha=alpha,
                color_palette=colors,
                alpha_palette=alphas,
            )


def _runs(edges, width):
    """The columns (from, to) of one scale: all, but a first or last column cut to less than `width` is separate."""
    last = len(edges) - 1
    ends = [0]
    if last > 1 and edges[1] - edges[0] < width:
        ends.append(1)
    if last > ends[-1] + 1 and edges[last] - edges[last - 1] < width:
        ends.append(last - 1)
    ends.append(last)
    return [(ends[i], ends[i + 1]) for i in range(len(ends) - 1) if last > 0 and edges[ends[i + 1]] > edges[ends[i]]]


def _scale(frame_pixels, pixels):
    # draw_image draws floor(scale * pixels), and the scale has lost two bits: so it has to be a little more than exact. A
    # whole scale is exact, and a little more would move every edge by a pixel.
    return frame_pixels / pixels * (1.000001 if frame_pixels % pixels else 1.0)


def draw_map(img, segmentation, palette, alpha, legend):
    """Segmentation.draw."""
    number("alpha", alpha, 0, 255)
    target = target_of(img)
    if legend:
        later.pixels_text.recognized(target)
    _tint_map(segmentation, target, palette, alpha, legend, None, None)


def draw_segmentation(segmentation, target, color, alpha, thickness, labels, color_by, text_scale, roi):
    """A Segmentation for `draw`, which has checked its options but for color_by."""
    if color_by != "class":
        raise ValueError("color_by: expected 'class' for a Segmentation, got %r" % (color_by,))
    _tint_map(segmentation, target, color and [color] * 256, alpha, labels, text_scale, roi)


def _tint_map(segmentation, target, palette, alpha, legend, text_scale, roi):
    transform = segmentation._transform
    table = _palette(transform.class_info, palette, alpha)
    drawing_kernels.tint_map(target[0], segmentation.class_map, map_block(transform, target, roi), table)
    if legend:
        shown = segmentation.class_ids()
        if palette:
            shown = _visible(shown, palette)
        entries = [(_color_of(class_id, palette), segmentation.label(class_id)) for class_id in shown]
        later.drawing_legends.draw_legend(target, entries, text_scale)


def map_block(transform, target, roi):
    """The parameter block of tint_map for this MapTransform on a target, as of colors.target_of. roi: as of `draw`."""
    _, depth, width, height = target
    size = transform.frame_size
    if roi is not None:
        transform = later.results_scaled.scaled_map_transform(transform, width, height, roi)
    elif size is not None and size != (width, height):
        results = later.results_scaled
        results.is_scaled(size, width, height)
        transform = results.scaled_map_transform(transform, width, height)
    block = transform.block or _map_block_of(transform)
    block[MAP_DEPTH] = depth
    block[MAP_FRAME_WIDTH] = width
    block[MAP_FRAME_HEIGHT] = height
    return block


def count_pixels(segmentation, class_id):
    """The number of frame pixels of a class. It is for maps whose pixels do not all cover equally many frame pixels."""
    transform = segmentation._transform
    block = transform.block or _map_block_of(transform)
    block[MAP_CLASS_ID] = class_id
    return drawing_kernels.count_class_pixels(segmentation.class_map, block)


def _map_block_of(transform):
    columns, rows = later.pixels_pixel_edges.map_edges(transform)
    transform.block = tint_map_params(width=transform.width, height=transform.height, edges=columns + rows)
    return transform.block


def _palette(class_info, colors, alpha):
    """The palette for the kernel tint_map, kept for the next frame: 256 colors, then 256 alphas."""
    if colors is not None and not isinstance(colors, (list, tuple)):
        raise ValueError("palette: expected a list of (r, g, b), one a class, got %s" % type(colors).__name__)
    key = (alpha, colors and tuple(colors))
    if class_info.palette is None or class_info.palette[0] != key:
        table = bytearray(768)
        for class_id in range(class_info.classes):
            color = _color_of(class_id, colors)
            if color is not None and class_id != class_info.background:
                value = rgb565(checked_color(color))
                table[2 * class_id] = value & 255
                table[2 * class_id + 1] = value >> 8
                table[512 + class_id] = alpha
        class_info.palette = key, table
    return class_info.palette[1]


def _color_of(class_id, colors):
    return colors[class_id] if colors and class_id < len(colors) else class_color(class_id)


def _visible(class_ids, palette):
    """The classes that the palette does not hide."""
    return [class_id for class_id in class_ids if _color_of(class_id, palette) is not None]
