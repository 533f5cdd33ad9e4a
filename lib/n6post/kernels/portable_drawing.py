"""Masks, class maps and boxes into a frame, by draw_image: the reference of helium_drawing.py. Conventions: portable.py."""

from array import array

from ulab import numpy as np

from ..pixels import canvas, gray, step_palettes
from .plans import ROW
from .portable import fractions


def aim(plan, table, at):
    """Lay one row of place's table into the plan of tint_mask: where its window lies in the frame, what it is cut to.

    plan    as tint_mask's, 24 entries: 1, 2, 7 and 8 are read, 3..6 and 9..12 are written; further 16 and 17 float bits of
            the frame position of mask pixel 0, 0 (and a half more: it is rounded down), 18..21 the part of the frame
            that the network saw: x, y, w, h, 22 and 23 margin in frame pixels that a mask has around its box
    table   rows of 16 as place writes them, entry 15 being free for the position of the mask's bytes
    at      where the row begins

    The window begins at floor(window * scale + offset) and ends at floor((window + size) * scale + offset). The clip
    rectangle is the box, grown by the margin and clipped to the part seen, to the window and to the frame. Returns entry
    15 of the row, or -1 where there is nothing to draw.
    """
    _, frame_width, frame_height = plan[:3]
    x_scale, y_scale = fractions(plan, 7, 9)
    offset_x, offset_y = fractions(plan, 16, 18)
    seen_x, seen_y, seen_w, seen_h, margin_x, margin_y = plan[18:24]
    x, y, w, h, _, _, _, _, _, _, _, window_x, window_y, window_w, window_h, start = table[at : at + ROW]
    left, x0, x1 = _span(x, w, window_x, window_w, x_scale, offset_x, seen_x, seen_w, margin_x, frame_width)
    top, y0, y1 = _span(y, h, window_y, window_h, y_scale, offset_y, seen_y, seen_h, margin_y, frame_height)
    plan[3:7] = array("i", (window_w, window_h, left, top))
    plan[9:13] = array("i", (x0, y0, x1, y1))
    return start if x0 < x1 and y0 < y1 else -1


def _span(low, size, window, pixels, scale, offset, seen, seen_size, margin, frame):
    """One axis: where the window begins in the frame, and from where to where the mask is drawn."""
    start = int(np.floor(float(window) * scale + offset)[0])
    end = int(np.floor(float(window + pixels) * scale + offset)[0])
    first = max(0, low - margin) + seen
    last = min(seen_size, low + size + margin) + seen
    return start, max(0, start, first), min(frame, end, last)


def tint_mask(frame, mask, plan):
    """Scale a mask bilinearly and blend one colour into the frame where it is 128 or more.

    frame   the frame's pixels: RGB565 (native uint16) or GRAYSCALE
    mask    bytes, width * height
    plan    0 bytes a pixel (2: RGB565, 1: GRAYSCALE), 1 and 2 frame width and height, 3 and 4 mask width and height,
            5 and 6 x and y of the mask's left top corner in the frame, 7 and 8 x and y scale (float bits, frame pixels a
            mask pixel), 9..12 clip rectangle x0, y0, x1, y1 in the frame (half open, inside the frame), 13 colour
            (RGB565; a GRAYSCALE frame takes its luma), 14 alpha 0..255, 15 centred: 0 samples as draw_image does
            (k / scale - .5), 1 at pixel centres ((k + .5) / scale - .5)

    With centred = 0 the result equals, pixel for pixel and inside the clip rectangle,
    frame.draw_image(mask, x, y, x_scale=, y_scale=, alpha=, color_palette=<colour>, alpha_palette=<0 below 128, 255 from
    there>, hint=BILINEAR). With centred = 1 it equals this: the mask, its last column and row repeated without end, drawn
    with hint=BILINEAR at (2x - 1, 2y - 1) and twice the scale into a grey image of twice the frame's size; every second
    pixel of that (2k, 2l) is the byte of frame pixel (k, l), which is blended as before: so all of the clip rectangle right
    of x and below y is drawn. (The firmware's BILINEAR lies half an output pixel right of and below the true place; on a
    mask a few prototype pixels wide that alone costs a tenth of the IoU. And its floor(scale * width) pixels may be one
    less than the frame pixels whose centres the mask has.)
    """
    import image

    depth, frame_width, frame_height, width, height, x, y = plan[:7]
    x_scale, y_scale = [float(scale[0]) for scale in fractions(plan, 7, 9)]
    x0, y0, x1, y1, color, alpha, centred = plan[9:16]
    if x1 <= x0 or y1 <= y0:
        return
    left = max(0, x)
    top = max(0, y)
    # Interpolation first, into a grey picture whose edge is the clip rectangle's (draw_image itself clips to its
    # destination only); then colour and alpha, pixel by pixel. In one draw it would be the same bytes, unclipped.
    n = 1
    if centred:
        n = 2
        mask, width, height = _continued(mask, width, height, _more(width, x_scale, x1 - x), _more(height, y_scale, y1 - y))
    columns = n * (x1 - left)
    rows = n * (y1 - top)
    scaled = gray(bytearray(columns * rows), columns, rows)
    scaled.draw_image(
        gray(mask, width, height),
        n * min(0, x) - centred,
        n * min(0, y) - centred,
        x_scale=n * x_scale,
        y_scale=n * y_scale,
        hint=image.BILINEAR,
    )
    color_palette, alpha_palette = step_palettes(color)
    canvas(frame, depth, frame_width, frame_height).draw_image(
        scaled,
        x0,
        y0,
        x_scale=1 / n,
        y_scale=1 / n,
        roi=(n * (x0 - left), n * (y0 - top), n * (x1 - x0), n * (y1 - y0)),
        color_palette=color_palette,
        alpha_palette=alpha_palette,
        alpha=alpha,
    )


def _more(pixels, scale, shown):
    """How often to repeat a mask's last column or row for `shown` frame pixels from its begin on: at least once."""
    more = 1
    while (pixels + more) * scale < shown + 1:
        more += 1
    return more


def _continued(mask, width, height, right, below):
    """A mask with its last column and its last row repeated, its width and its height."""
    pixels = np.zeros((height + below, width + right), dtype=np.uint8)
    pixels[:height, :width] = np.frombuffer(mask, dtype=np.uint8)[: width * height].reshape((height, width))
    for column in range(width, width + right):
        pixels[:height, column : column + 1] = pixels[:height, width - 1 : width]
    for row in range(height, height + below):
        pixels[row : row + 1] = pixels[height - 1 : height]
    return pixels, width + right, height + below


def tint_map(frame, classes, plan, palette):
    """Scale a class map (nearest) and blend each class's colour into the frame.

    frame   the frame's pixels, as in tint_mask
    classes bytes, width * height
    plan    as tint_mask's 0..12 (no 13, 14: alpha 255)
    palette bytearray of 768: 256 colours (uint16 RGB565; a GRAYSCALE frame takes their luma) and 256 alphas (uint8)

    Equals frame.draw_image(classes, x, y, x_scale=, y_scale=, color_palette=, alpha_palette=) inside the clip rectangle.
    """
    import image

    depth, frame_width, frame_height, width, height, x, y = plan[:7]
    x_scale, y_scale = fractions(plan, 7, 9)
    x0, y0, x1, y1 = plan[9:13]
    # An array's product is float32 as the firmware's own; a scalar's has two bits less.
    end_x = x + int(np.floor(x_scale * float(width))[0])
    end_y = y + int(np.floor(y_scale * float(height))[0])
    left, right = max(0, x), min(frame_width, end_x)
    top, bottom = max(0, y), min(frame_height, end_y)
    x0, x1 = max(x0, left), min(x1, right)
    y0, y1 = max(y0, top), min(y1, bottom)
    if x1 <= x0 or y1 <= y0:
        return
    palettes = {
        "color_palette": image.Image(256, 1, image.RGB565, buffer=palette),
        "alpha_palette": gray(memoryview(palette)[512:], 256, 1),
    }
    scales = {"x_scale": float(x_scale[0]), "y_scale": float(y_scale[0])}
    into = canvas(frame, depth, frame_width, frame_height)
    source = gray(classes, width, height)
    if (x0, y0, x1, y1) == (left, top, right, bottom):
        into.draw_image(source, x, y, **scales, **palettes)
        return
    # draw_image clips to its destination only: so first into a grey picture, then the part inside the clip rectangle.
    scaled = gray(bytearray((x1 - left) * (y1 - top)), x1 - left, y1 - top)
    scaled.draw_image(source, min(0, x), min(0, y), **scales)
    into.draw_image(scaled, x0, y0, roi=(x0 - left, y0 - top, x1 - x0, y1 - y0), **palettes)


def box(frame, plan):
    """A rectangle's outline and a filled rectangle, the ground of its label, in one colour.

    frame   the frame's pixels, as in tint_mask
    plan    0 bytes a pixel (2: RGB565, 1: GRAYSCALE), 1 and 2 frame width and height, 3..6 rectangle x, y, w, h,
            7 thickness of its outline, which lies inside it (0: none), 8..11 filled rectangle x, y, w, h,
            12 colour (RGB565; a GRAYSCALE frame takes its luma). Both rectangles are clipped to the frame.
    """
    depth, frame_width, frame_height, x, y, w, h, thickness, ground_x, ground_y, ground_w, ground_h, color = plan[:13]
    img = canvas(frame, depth, frame_width, frame_height)
    paint = (color >> 8 & 0xF8, color >> 3 & 0xFC, color << 3 & 0xF8)
    rectangles = [(ground_x, ground_y, ground_w, ground_h)]
    if thickness > 0:
        tall = min(thickness, h)
        wide = min(thickness, w)
        rectangles += [(x, y, w, tall), (x, y + h - tall, w, tall), (x, y, wide, h), (x + w - wide, y, wide, h)]
    for rectangle in rectangles:
        if rectangle[2] > 0 and rectangle[3] > 0:
            img.draw_rectangle(rectangle, color=paint, fill=True)
