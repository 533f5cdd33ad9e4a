"""How masks and class maps are drawn into a frame: what Mask.draw, Segmentation.draw and draw() have in common."""

from micropython import const

from .edges import of_view, shown
from .firmware import text_apart
from .kernels.drawing import aim, cover, smooth_is_cheap, tint_map, tint_mask
from .kernels.drawing_plans import (
    MAP_CLASS_ID,
    MAP_DEPTH,
    MAP_FRAME_HEIGHT,
    MAP_FRAME_WIDTH,
    TINT_ALPHA,
    TINT_COLOR,
    TINT_DEPTH,
    TINT_FRAME_HEIGHT,
    TINT_FRAME_WIDTH,
)
from .kernels.drawing_plans import tint_map as map_plan
from .kernels.drawing_plans import tint_mask as mask_plan
from .options import number
from .pixels import (
    FONT_HEIGHT,
    FONT_WIDTH,
    checked_color,
    class_color,
    copy_rows,
    depth_of,
    gray,
    rgb565,
    step_palettes,
    text_scale,
)

_HALF = const(0.500244)  # with the nudge of yolo.py: what lies on half a pixel rounds the same way on camera and PC


def draw_mask(img, mask, color, alpha, smooth):
    """Tint a Mask in `img`, as Mask.draw tells."""
    number("alpha", alpha, 0, 255)
    value = rgb565(checked_color(color))
    depth = depth_of(img)
    width, height = img.width(), img.height()
    row = mask.row()
    size = row[3].frame_size
    if size is not None and size != (width, height):
        mask = _resizing("scaled_mask")(mask, width, height)
        row = mask.row()
    if smooth or smooth is None and smooth_is_cheap:
        tint(row, img.bytearray(), depth, width, height, value, alpha)
    else:
        draw_blocks(img, mask, value, alpha)


_loaded = {}


def _resizing(name):
    # A function of resizing.py, loaded with the first picture of another size than the frame's, and kept.
    if name not in _loaded:
        from .resizing import scaled_mask, scaled_view

        _loaded["scaled_mask"] = scaled_mask
        _loaded["scaled_view"] = scaled_view
    return _loaded[name]


def tint(row, pixels, depth, width, height, value, alpha):
    """A Mask, by its row(), with smooth edges into the pixels of a frame; value is an RGB565 colour."""
    data, table, at, grid = row
    plan = grid.plan or _plan_of(grid)
    plan[TINT_DEPTH] = depth
    plan[TINT_FRAME_WIDTH] = width
    plan[TINT_FRAME_HEIGHT] = height
    plan[TINT_COLOR] = value
    plan[TINT_ALPHA] = alpha
    start = aim(plan, table, at)
    if start >= 0:
        tint_mask(pixels, memoryview(data)[start:], plan)


def tint_all(result, paints, pixels, depth, width, height, alpha):
    """The masks of a list of Detection, each as by tint, in the first of its paints: the best last, on top of the others."""
    last = None
    held = None
    for at in range(len(result) - 1, -1, -1):
        mask = result[at][4]
        if mask is None:
            continue
        data, table, entry, grid = mask.row()
        if grid is not last:  # one for all masks of a frame
            last = grid
            plan = grid.plan or _plan_of(grid)
            plan[TINT_DEPTH] = depth
            plan[TINT_FRAME_WIDTH] = width
            plan[TINT_FRAME_HEIGHT] = height
            plan[TINT_ALPHA] = alpha
        if data is not held:
            held = data
            view = memoryview(data)
        plan[TINT_COLOR] = paints[at][0]
        start = aim(plan, table, entry)
        if start >= 0:
            tint_mask(pixels, view[start:], plan)


def _plan_of(grid):
    x, y, w, h = grid.bounds
    margin_x, margin_y = grid.margin
    grid.plan = mask_plan(
        x_scale=grid.sx,
        y_scale=grid.sy,
        offset_x=grid.ox + _HALF,
        offset_y=grid.oy + _HALF,
        seen_x=x,
        seen_y=y,
        seen_w=w,
        seen_h=h,
        margin_x=margin_x,
        margin_y=margin_y,
    )
    return grid.plan


def draw_blocks(img, mask, value, alpha):
    """A Mask as blocks of its pixels, by plain draw_image: once, and once more for each side where its clip cuts them."""
    data, (wx, wy, ww, _), crop, clip, grid = mask.parts()
    x, columns, y, rows = shown(grid, crop, clip)
    colors, alphas = step_palettes(value)
    for top, bottom in _runs(rows, int(grid.sy)):
        for left, right in _runs(columns, int(grid.sx)):
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
    """The columns (from, to) of one scale: all; but the first or the last by itself where it is cut to less than `width`."""
    last = len(edges) - 1
    ends = [0]
    if last > 1 and edges[1] - edges[0] < width:
        ends.append(1)
    if last > ends[-1] + 1 and edges[last] - edges[last - 1] < width:
        ends.append(last - 1)
    ends.append(last)
    return [(ends[i], ends[i + 1]) for i in range(len(ends) - 1) if last > 0 and edges[ends[i + 1]] > edges[ends[i]]]


def _scale(frame_pixels, pixels):
    # draw_image makes floor(scale * pixels) of it, of a scale that has lost two bits: a hair more than exact. But a whole
    # scale stays: a hair more would move every edge by a pixel.
    return frame_pixels / pixels * (1.000001 if frame_pixels % pixels else 1.0)


def draw_map(img, segmentation, palette, alpha, legend):
    """Tint a Segmentation's classes in `img`, as Segmentation.draw tells: one kernel call."""
    number("alpha", alpha, 0, 255)
    view = segmentation.view
    depth = depth_of(img)
    table = _palette(view.legend, palette, alpha)
    width, height = img.width(), img.height()
    size = view.frame_size
    if size is not None and size != (width, height):
        view = _resizing("scaled_view")(view, width, height)
    plan = view.plan or _map_plan_of(view)
    plan[MAP_DEPTH] = depth
    plan[MAP_FRAME_WIDTH] = width
    plan[MAP_FRAME_HEIGHT] = height
    tint_map(img.bytearray(), segmentation.classes, plan, table)
    if legend:
        _draw_legend(img, width, height, segmentation, palette)


def covered(segmentation, class_id):
    """How many frame pixels a Segmentation's class has where they are not as many for each map pixel."""
    view = segmentation.view
    plan = view.plan or _map_plan_of(view)
    plan[MAP_CLASS_ID] = class_id
    return cover(segmentation.classes, plan)


def _map_plan_of(view):
    columns, rows = of_view(view)
    view.plan = map_plan(width=view.width, height=view.height, edges=columns + rows)
    return view.plan


def _palette(legend, colors, alpha):
    """Colours and alphas of kernels.tint_map, kept for the next frame."""
    if colors is not None and not isinstance(colors, (list, tuple)):
        raise ValueError("palette: expected a list of (r, g, b), one a class, got %s" % type(colors).__name__)
    key = (alpha, colors and tuple(colors))
    if legend.palette is None or legend.palette[0] != key:
        table = bytearray(768)
        for class_id in range(legend.classes):
            color = _color_of(class_id, colors)
            if color is not None and class_id != legend.background:
                value = rgb565(checked_color(color))
                table[2 * class_id] = value & 255
                table[2 * class_id + 1] = value >> 8
                table[512 + class_id] = alpha
        legend.palette = key, table
    return legend.palette[1]


def _color_of(class_id, colors):
    return colors[class_id] if colors and class_id < len(colors) else class_color(class_id)


def _draw_legend(img, width, height, segmentation, palette):
    shown = segmentation.present()
    if palette:
        shown = _visible(shown, palette)
    apart = text_apart()
    scale = text_scale(width)
    line = (FONT_HEIGHT + 2) * scale
    y = height - line * len(shown) - 2
    for class_id in shown:
        color = _color_of(class_id, palette)
        text = segmentation.label(class_id)
        # On black: the tint behind would have the colours of the squares.
        img.draw_rectangle((0, y, (18 + FONT_WIDTH * len(text)) * scale, line), color=(0, 0, 0), fill=True)
        img.draw_rectangle((2 * scale, y + scale, 10 * scale, 10 * scale), color=color, fill=True)
        if apart:
            img.draw_string((16 * scale, y + scale), text, color=(255, 255, 255), scale=scale)
        else:
            img.draw_string((16 * scale, y + scale, text), color=(255, 255, 255), scale=scale)
        y += line


def _visible(present, palette):
    """Without the classes that the palette hides."""
    return [class_id for class_id in present if _color_of(class_id, palette) is not None]
