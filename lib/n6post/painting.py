"""How masks and class maps are drawn into a frame: what Mask.draw, Segmentation.draw and draw() have in common."""

from math import ceil, floor

from micropython import const
from ulab import numpy as np

from .firmware import text_apart
from .kernels.drawing import aim, tint_map, tint_mask
from .kernels.drawing_plans import TINT_ALPHA, TINT_COLOR, TINT_DEPTH, TINT_FRAME_HEIGHT, TINT_FRAME_WIDTH
from .kernels.drawing_plans import tint_map as map_plan
from .kernels.drawing_plans import tint_mask as mask_plan
from .options import number
from .pixels import FONT_HEIGHT, FONT_WIDTH, checked_color, class_color, depth_of, rgb565, step_palettes, text_scale

_NUDGE = const(2.44e-4)  # as in yolo.py: what lies on half a pixel rounds the same way on camera and PC
_HALF = const(0.500244)


def draw_mask(img, mask, color, alpha, smooth):
    """Tint a Mask in `img`, as Mask.draw tells."""
    number("alpha", alpha, 0, 255)
    value = rgb565(checked_color(color))
    depth = depth_of(img)
    if smooth:
        tint(mask, img.bytearray(), depth, img.width(), img.height(), value, alpha)
    else:
        draw_blocks(img, mask, value, alpha)


def tint(mask, pixels, depth, width, height, value, alpha):
    """A Mask with smooth edges into the pixels of a frame; value is an RGB565 colour."""
    data, table, at, grid = mask.row()
    plan = grid.plan or _plan_of(grid)
    plan[TINT_DEPTH] = depth
    plan[TINT_FRAME_WIDTH] = width
    plan[TINT_FRAME_HEIGHT] = height
    plan[TINT_COLOR] = value
    plan[TINT_ALPHA] = alpha
    start = aim(plan, table, at)
    if start >= 0:
        tint_mask(pixels, data[start:], plan)


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
    """A Mask as blocks of its pixels, by one plain draw_image."""
    pixels = mask.image
    if pixels is None:
        return
    _, _, (x, y, _, _), _, grid = mask.parts()
    colors, alphas = step_palettes(value)
    img.draw_image(
        pixels,
        floor(x * grid.sx + grid.ox + _HALF),
        floor(y * grid.sy + grid.oy + _HALF),
        x_scale=grid.sx,
        y_scale=grid.sy,
        alpha=alpha,
        color_palette=colors,
        alpha_palette=alphas,
    )


def draw_map(img, segmentation, palette, alpha, legend):
    """Tint a Segmentation's classes in `img`, as Segmentation.draw tells: one kernel call, nearest scaling with palettes."""
    number("alpha", alpha, 0, 255)
    view = segmentation.view
    depth = depth_of(img)
    table = _palette(view.legend, palette, alpha)
    width, height = img.width(), img.height()
    left, top, w, h = view.seen
    x0 = max(0, floor(left + _NUDGE))
    y0 = max(0, floor(top + _NUDGE))
    x1 = min(width, ceil(left + w - _NUDGE))
    y1 = min(height, ceil(top + h - _NUDGE))
    if x1 > x0 and y1 > y0:
        plan = map_plan(
            depth=depth,
            frame_width=width,
            frame_height=height,
            width=view.width,
            height=view.height,
            x=floor(view.ox + 0.5 + _NUDGE),
            y=floor(view.oy + 0.5 + _NUDGE),
            x_scale=_whole_scale(view.sx, view.width),
            y_scale=_whole_scale(view.sy, view.height),
            x0=x0,
            y0=y0,
            x1=x1,
            y1=y1,
        )
        tint_map(img.bytearray(), segmentation.classes, plan, table)
    if legend:
        _draw_legend(img, width, height, segmentation, palette)


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


def _whole_scale(scale, pixels):
    """Frame pixels a map pixel, such that draw_image's floor(scale * pixels) keeps the last pixel.

    A whole scale stays exact: a hair more would move every boundary by a pixel.
    """
    whole = floor(scale * pixels + 0.5)
    stored = np.array([scale])[0]  # as the plan will hold it
    return scale * 1.000001 if abs(scale * pixels - whole) < 0.01 and stored * pixels < whole else scale


def _draw_legend(img, width, height, segmentation, palette):
    shown = segmentation.present()
    apart = text_apart()
    scale = text_scale(width)
    line = (FONT_HEIGHT + 2) * scale
    y = height - line * len(shown) - 2
    for class_id in shown:
        color = _color_of(class_id, palette)
        if color is None:
            continue
        text = segmentation.label(class_id)
        # On black: the tint behind would have the colours of the squares.
        img.draw_rectangle((0, y, (18 + FONT_WIDTH * len(text)) * scale, line), color=(0, 0, 0), fill=True)
        img.draw_rectangle((2 * scale, y + scale, 10 * scale, 10 * scale), color=color, fill=True)
        if apart:
            img.draw_string((16 * scale, y + scale), text, color=(255, 255, 255), scale=scale)
        else:
            img.draw_string((16 * scale, y + scale, text), color=(255, 255, 255), scale=scale)
        y += line
