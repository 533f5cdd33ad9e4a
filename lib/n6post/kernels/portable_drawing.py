"""Masks, class maps and boxes into a frame, by draw_image: the reference of helium_drawing.py and thumb_drawing.py.

Conventions: portable.py.
"""

from array import array

from micropython import const
from ulab import numpy as np

from ..firmware import text_apart
from ..pixels import canvas, gray, step_palettes
from .drawing_plans import LABEL
from .plans import ROW
from .portable import fractions

_FEW = const(16)  # labels that are compared each with each
_BLOCK = const(16384)  # pixels that are scaled or compared together: what that takes of memory


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
    """Blend each class's colour of a class map into the frame pixels where its columns and rows lie.

    frame   the frame's pixels, as in tint_mask
    classes bytes, width * height
    plan    0 bytes a pixel (2: RGB565, 1: GRAYSCALE), 1 and 2 frame width and height, 3 class (cover's), 4 and 5 map width
            and height, 6 how many edges follow: width + 1, at which column of the frame each of the map begins and where
            the last ends, then height + 1 of the rows. They ascend, from 0 or more; what lies outside the frame is left out
    palette bytearray of 768: 256 colours (uint16 RGB565; a GRAYSCALE frame takes their luma) and 256 alphas (uint8)

    Equals frame.draw_image(scaled, ..., color_palette=, alpha_palette=) of the map that is scaled like that.
    """
    import image

    depth, frame_width, frame_height, _, width, height = plan[:6]
    columns, rows = _edges(plan, width, height)
    left, top = columns[0], rows[0]
    right, bottom = min(frame_width, columns[width]), min(frame_height, rows[height])
    if right <= left or bottom <= top:
        return
    palettes = {
        "color_palette": image.Image(256, 1, image.RGB565, buffer=palette),
        "alpha_palette": gray(memoryview(palette)[512:], 256, 1),
    }
    into = canvas(frame, depth, frame_width, frame_height)
    across, down = _even(columns), _even(rows)
    if across and down:
        into.draw_image(gray(classes, width, height), left, top, x_scale=float(across), y_scale=float(down), **palettes)
        return
    # draw_image steps through its source evenly, from a whole pixel on: so it gets a few rows at a time, scaled here.
    under = []
    for column in range(width):
        under += [column] * (min(columns[column + 1], right) - columns[column])
    places = np.array(under, dtype=np.uint16)
    span = right - left
    step = max(1, _BLOCK // span)
    grid = np.frombuffer(classes, dtype=np.uint8)[: width * height].reshape((height, width))
    stripe = memoryview(bytearray(span * min(step, bottom - top)))
    row = first = at = 0
    scaled = None
    for y in range(top, bottom):
        while rows[row + 1] <= y:
            row += 1
        if scaled is None or row >= first + step:
            first = row  # many rows at once: of one row take costs five times as much
            scaled = memoryview(np.take(grid[first : first + step], places, axis=1).tobytes())
        stripe[at : at + span][:] = scaled[(row - first) * span : (row - first + 1) * span]
        at += span
        if at == len(stripe) or y == bottom - 1:
            into.draw_image(gray(stripe, span, at // span), left, y + 1 - at // span, **palettes)
            at = 0


def _edges(plan, width, height):
    """Where a map's columns and its rows begin in the frame, and where the last ends, of the plan of tint_map."""
    return plan[7 : 8 + width], plan[8 + width : 9 + width + height]


def _even(edges):
    """The width of all columns where that is one power of two, which draw_image scales by exactly; else 0."""
    width = edges[1] - edges[0]
    if width < 1 or width & (width - 1):
        return 0
    edges = np.array(edges, dtype=np.float)
    return width if np.all(edges[1:] - edges[:-1] == width) else 0


def cover(classes, plan):
    """How many frame pixels have one class of a map: those that tint_map, with the same plan, would give its colour.

    classes bytes, width * height
    plan    as tint_map's, of which 3 is the class; the frame's size is not looked at
    """
    class_id, width, height = plan[3:6]
    columns, rows = _edges(plan, width, height)
    columns = np.array(columns, dtype=np.float)
    across = columns[1:] - columns[:-1]
    source = np.frombuffer(classes, dtype=np.uint8)
    pixels = 0
    for row in range(height):
        if rows[row + 1] > rows[row]:
            hits = source[row * width : (row + 1) * width] == class_id
            pixels += int(np.dot(hits, across)) * (rows[row + 1] - rows[row])
    return pixels


def box(frame, plan, text, font):
    """A rectangle's outline, a filled rectangle, the ground of its label, and the label's text.

    frame   the frame's pixels, as in tint_mask
    plan    0 bytes a pixel (2: RGB565, 1: GRAYSCALE), 1 and 2 frame width and height, 3..6 rectangle x, y, w, h,
            7 thickness of its outline, which lies inside it (0: none), 8..11 filled rectangle x, y, w, h, 12 colour of both
            and 13 of the text (RGB565; a GRAYSCALE frame takes its luma), 14 scale of the text, 1 or 2. All is clipped to
            the frame.
    text    a str, written a pixel right of the ground's left edge as the firmware's draw_string does; without a ground none
    font    95 glyphs of 8 x 10 bytes, those of " " to "~", 0 where nothing is set: those of the text's characters are read.
            Here the firmware writes, and None will do.
    """
    (
        depth, frame_width, frame_height, x, y, w, h, thickness, ground_x, ground_y, ground_w, ground_h, color, ink, scale
    ) = plan[:15]  # fmt: skip
    img = canvas(frame, depth, frame_width, frame_height)
    paint = (color >> 8 & 0xF8, color >> 3 & 0xFC, color << 3 & 0xF8)
    if thickness > 0:
        tall = min(thickness, h)
        wide = min(thickness, w)
        for rectangle in (x, y, w, tall), (x, y + h - tall, w, tall), (x, y, wide, h), (x + w - wide, y, wide, h):
            if rectangle[2] > 0 and rectangle[3] > 0:
                img.draw_rectangle(rectangle, color=paint, fill=True)
    if ground_w > 0:
        if ground_h > 0:
            img.draw_rectangle((ground_x, ground_y, ground_w, ground_h), color=paint, fill=True)
        if text:
            # The two that draw.py asks for are kept: a tuple has the heap searched.
            paint = _INKS.get(ink) or (ink >> 8 & 0xF8, ink >> 3 & 0xFC, ink << 3 & 0xF8)
            if text_apart():
                img.draw_string((ground_x + 1, ground_y), text, color=paint, scale=scale)
            else:
                img.draw_string((ground_x + 1, ground_y, text), color=paint, scale=scale)


_INKS = {0: (0, 0, 0), 0xFFFF: (255, 255, 255)}


def spread(plan, table):
    """Where labels go, the best first: above their boxes, or where a better one's is inside at the top, below, or inside at
    the bottom, whatever is free and in the frame; above if nothing is.

    plan    0 how many, 1 and 2 frame width and height, 3 height of a line
    table   four words a label: x, y and height of its box, and its own width, 0: there is none. x and y become the label's.
            One that would stick out at the right is moved to the left.
    """
    count, frame_width, frame_height, line = plan[:4]
    places = []
    # Of many labels only those near by are looked at: by stripes of the frame a line high, the ones that may reach into it.
    stripes = {} if count > _FEW else None
    for at in range(0, LABEL * count, LABEL):
        span = table[at + 3]
        if not span:
            continue
        x = table[at]
        y = table[at + 1]
        if x + span > frame_width:
            x = frame_width - span if frame_width > span else 0
        end = x + span
        top = y - line if y >= line else y
        for left, other, right in places if stripes is None else stripes.get(top // line, ()):
            if left < end and x < right and -line < top - other < line:
                h = table[at + 2]
                for other in (y, y + h, y + h - line):
                    if 0 <= other <= frame_height - line and _is_free(places, stripes, line, x, end, other):
                        top = other
                        break
                break
        table[at] = x
        table[at + 1] = top
        place = x, top, end
        places.append(place)
        if stripes is not None:
            middle = top // line
            for stripe in range(middle - 1, middle + 2):
                stripes.setdefault(stripe, []).append(place)


def _is_free(places, stripes, line, x, end, y):
    for left, top, right in places if stripes is None else stripes.get(y // line, ()):
        if left < end and x < right and -line < y - top < line:
            return False
    return True
