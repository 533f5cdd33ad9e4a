"""Masks, class maps and boxes in a frame, by draw_image: the reference of helium/drawing.py and m7/drawing.py.

Conventions: numeric.py.
"""

from array import array

from micropython import const
from ulab import numpy as np

from ...firmware import draw_text
from ...pixels.colors import canvas, gray, step_palettes
from ..params.boxes import ROW
from ..params.drawing import (
    BOX_COLOR,
    BOX_GROUND_W,
    BOX_GROUND_X,
    BOX_GROUND_Y,
    BOX_H,
    BOX_INK,
    BOX_THICKNESS,
    BOX_W,
    BOX_X,
    BOX_Y,
    LABEL,
    TINT_ALPHA,
    TINT_COLOR,
    TINT_DEPTH,
    TINT_FRAME_HEIGHT,
    TINT_FRAME_WIDTH,
    mask_block,
)
from .numeric import fractions

# Of an oriented box. Copied by scripts/dev/generate.py from results/detection.py:
_CORNERS = const(2)

_FEW = const(16)  # labels: up to here each is compared with every other
_BLOCK = const(16384)  # pixels that are scaled or compared at once: limits the memory of temporary arrays


def clip_mask(params, table, at):
    """Fill the parameter block of tint_mask for one mask: the position of its window in the frame, and the clip rectangle.

    params  the 24 entries of drawing_params.tint_mask: 1, 2, 7 and 8 are read, 3..6 and 9..12 are written. Read besides: 16
            and 17 float bits of the frame position of mask pixel 0, 0 (plus .5, because it is rounded down), 18..21 x, y, w,
            h of the part of the frame that the network saw, 22 and 23 margin around a box, frame pixels
    table   rows of 16 as boxes_to_frame writes them; entry 15 may be any position of the mask's bytes
    at      the entry where the row begins

    The window begins at floor(window * scale + offset) and ends at floor((window + size) * scale + offset). The clip
    rectangle is the box, grown by the margin and clipped to the part seen, to the window and to the frame. Returns entry
    15 of the row, or -1 if nothing is to be drawn.
    """
    _, frame_width, frame_height = params[:3]
    x_scale, y_scale = fractions(params, 7, 9)
    offset_x, offset_y = fractions(params, 16, 18)
    seen_x, seen_y, seen_w, seen_h, margin_x, margin_y = params[18:24]
    x, y, w, h, _, _, _, _, _, _, _, window_x, window_y, window_w, window_h, start = table[at : at + ROW]
    left, x0, x1 = _span(x, w, window_x, window_w, x_scale, offset_x, seen_x, seen_w, margin_x, frame_width)
    top, y0, y1 = _span(y, h, window_y, window_h, y_scale, offset_y, seen_y, seen_h, margin_y, frame_height)
    params[3:7] = array("i", (window_w, window_h, left, top))
    params[9:13] = array("i", (x0, y0, x1, y1))
    return start if x0 < x1 and y0 < y1 else -1


def _span(low, size, window, pixels, scale, offset, seen, seen_size, margin, frame):
    """One axis: the first frame pixel of the window, and the first and the end of the pixels that are drawn."""
    start = int(np.floor(float(window) * scale + offset)[0])
    end = int(np.floor(float(window + pixels) * scale + offset)[0])
    first = max(0, low - margin) + seen
    last = min(seen_size, low + size + margin) + seen
    return start, max(0, start, first), min(frame, end, last)


def tint_mask(frame, mask, params):
    """Scale a mask bilinearly and blend one color into the frame where it is 128 or more.

    frame   the frame's pixels: RGB565 (native uint16) or GRAYSCALE
    mask    bytes, width * height
    params  0 bytes of a pixel (2: RGB565, 1: GRAYSCALE), 1 and 2 frame width and height, 3 and 4 mask width and height,
            5 and 6 x and y of the mask's upper left corner in the frame, 7 and 8 x and y scale (float bits, frame pixels for
            each mask pixel), 9..12 clip rectangle x0, y0, x1, y1 in the frame (half open, inside the frame), 13 color
            (RGB565; a GRAYSCALE frame takes its luma), 14 alpha 0..255, 15 centered: 0 samples as draw_image does
            (k / scale - .5), 1 at pixel centers ((k + .5) / scale - .5). The entries from 16 on are those of clip_mask

    With centered = 0 the result equals, pixel for pixel inside the clip rectangle,
    frame.draw_image(mask, x, y, x_scale=, y_scale=, alpha=, color_palette=<color>, alpha_palette=<0 below 128, else 255>,
    hint=BILINEAR). With centered = 1 the mask, its last column and row repeated without end, is drawn with hint=BILINEAR at
    (2x - 1, 2y - 1) and twice the scale into a gray image of twice the frame's size. Pixel (2k, 2l) of that is the byte of
    frame pixel (k, l), which is blended as before. So the whole clip rectangle right of x and below y is drawn. (The
    firmware's BILINEAR is half an output pixel too far right and down: on a mask a few prototype pixels wide this alone
    costs a tenth of the IoU. And its floor(scale * width) pixels may be one less than the frame pixels whose centers are
    in the mask.)
    """
    import image

    depth, frame_width, frame_height, width, height, x, y = params[:7]
    x_scale, y_scale = [float(scale[0]) for scale in fractions(params, 7, 9)]
    x0, y0, x1, y1, color, alpha, centered = params[9:16]
    if x1 <= x0 or y1 <= y0:
        return
    left = max(0, x)
    top = max(0, y)
    # First the interpolation, into a gray picture that ends at the clip rectangle, because draw_image clips only to its
    # destination; then color and alpha, pixel by pixel. A single draw would give the same bytes, but not clipped.
    n = 1
    if centered:
        n = 2
        mask, width, height = _continued(mask, width, height, _more(width, x_scale, x1 - x), _more(height, y_scale, y1 - y))
    columns = n * (x1 - left)
    rows = n * (y1 - top)
    scaled = gray(bytearray(columns * rows), columns, rows)
    scaled.draw_image(
        gray(mask, width, height),
        n * min(0, x) - centered,
        n * min(0, y) - centered,
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
    """How often to repeat a mask's last column or row so that it covers `shown` frame pixels: at least once."""
    more = 1
    while (pixels + more) * scale < shown + 1:
        more += 1
    return more


def _continued(mask, width, height, right, below):
    """The mask with its last column and row repeated, and its new width and height."""
    pixels = np.zeros((height + below, width + right), dtype=np.uint8)
    pixels[:height, :width] = np.frombuffer(mask, dtype=np.uint8)[: width * height].reshape((height, width))
    for column in range(width, width + right):
        pixels[:height, column : column + 1] = pixels[:height, width - 1 : width]
    for row in range(height, height + below):
        pixels[row : row + 1] = pixels[height - 1 : height]
    return pixels, width + right, height + below


def tint_map(frame, classes, params, palette):
    """Blend the colors of a class map into the frame.

    frame   the frame's pixels, as for tint_mask
    classes bytes, width * height
    params  0 bytes of a pixel (2: RGB565, 1: GRAYSCALE), 1 and 2 frame width and height, 3 class (for count_class_pixels), 4
            and 5 map width and height, 6 number of edges that follow: width + 1 frame columns, where each column of the map
            begins and where the last ends, then height + 1 frame rows alike. Both ascend, from 0 or more; what is outside
            the frame is not drawn
    palette bytearray of 768: 256 colors (uint16 RGB565; a GRAYSCALE frame takes their luma) and 256 alphas (uint8)

    Equals frame.draw_image(scaled, ..., color_palette=, alpha_palette=) of the map scaled to these edges.
    """
    import image

    depth, frame_width, frame_height, _, width, height = params[:6]
    columns, rows = _edges(params, width, height)
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
    # draw_image takes even steps through its source, from a whole pixel on. So the map is scaled here, a few rows at a time.
    under = []
    for column in range(width):
        under += [column] * (min(columns[column + 1], right) - columns[column])
    columns_under = np.array(under, dtype=np.uint16)
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
            first = row  # many rows at once: np.take of single rows costs five times as much
            scaled = memoryview(np.take(grid[first : first + step], columns_under, axis=1).tobytes())
        stripe[at : at + span][:] = scaled[(row - first) * span : (row - first + 1) * span]
        at += span
        if at == len(stripe) or y == bottom - 1:
            into.draw_image(gray(stripe, span, at // span), left, y + 1 - at // span, **palettes)
            at = 0


def _edges(params, width, height):
    """The edges of a map's columns and of its rows in the frame, from the parameter block of tint_map."""
    return params[7 : 8 + width], params[8 + width : 9 + width + height]


def _even(edges):
    """The width of the columns if all have the same, a power of two, by which draw_image scales exactly; else 0."""
    width = edges[1] - edges[0]
    if width < 1 or width & (width - 1):
        return 0
    edges = np.array(edges, dtype=np.float)
    return width if np.all(edges[1:] - edges[:-1] == width) else 0


def count_class_pixels(classes, params):
    """The number of frame pixels of one class of a map: those that tint_map would give its color.

    classes bytes, width * height
    params  the parameter block of tint_map; entry 3 is the class. The entries of the frame, 0..2, are not read
    """
    class_id, width, height = params[3:6]
    columns, rows = _edges(params, width, height)
    columns = np.array(columns, dtype=np.float)
    across = columns[1:] - columns[:-1]
    source = np.frombuffer(classes, dtype=np.uint8)
    pixels = 0
    for row in range(height):
        if rows[row + 1] > rows[row]:
            hits = source[row * width : (row + 1) * width] == class_id
            pixels += int(np.dot(hits, across)) * (rows[row + 1] - rows[row])
    return pixels


def box(frame, params, text, font):
    """Draw a box and its label: the outline of a rectangle, a filled rectangle as the label's ground, and text on that.

    frame   the frame's pixels, as for tint_mask
    params  0 bytes of a pixel (2: RGB565, 1: GRAYSCALE), 1 and 2 frame width and height, 3..6 rectangle x, y, w, h,
            7 thickness of its outline, which is inside it (0: no outline), 8..11 ground x, y, w, h, 12 color of outline and
            ground and 13 of the text (RGB565; a GRAYSCALE frame takes its luma), 14 scale of the text, 1 to 8. All is
            clipped to the frame
    text    a str, written `scale` pixels right of the ground's left edge as by the firmware's draw_string with
            mono_space=False; not written if the ground has no width
    font    as in pixels/text.py, with the glyphs of the text's characters. Here the firmware writes the text, and font may
            be None
    """
    (
        depth, frame_width, frame_height, x, y, w, h, thickness, ground_x, ground_y, ground_w, ground_h, color, ink, scale
    ) = params[:15]  # fmt: skip
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
            # The two colors of draw.py are kept: a new tuple searches the heap.
            paint = _INKS.get(ink) or (ink >> 8 & 0xF8, ink >> 3 & 0xFC, ink << 3 & 0xF8)
            draw_text(img, ground_x + scale, ground_y, text, paint, scale)


_INKS = {0: (0, 0, 0), 0xFFFF: (255, 255, 255)}


def label_detections(result, table, texts, numbers, known, text_of, scale):
    """Set the text of each detection's label, its name, its score and, if it has one, the id of its track.

    result  a list of Detection
    table   array('i'), written as place_labels takes it: x, y and height of each box, and the width of its label
    texts   a list, at least as long as the result, written
    numbers dict: by label, or by (track id, label), a number that is a multiple of 128 and not 0
    known   dict: by this number + percent (0 to 127), (the text, its width in columns of the font)
    text_of text_of(track id, label, score): this pair, for a text that is not in `known`
    scale   of the text
    """
    at = n = 0
    for d in result:
        (x, y, _, h), score, _, label, _, _ = d
        track_id, _, _, _, _, _ = d._track
        made = None
        if 0.0 <= score < 1.27:
            number = numbers.get(label if track_id is None else (track_id, label))
            if number:
                made = known.get(number + int(score * 100 + 0.5))
        text, span = made or text_of(track_id, label, score)
        texts[n] = text
        table[at] = x
        table[at + 1] = y
        table[at + 2] = h
        table[at + 3] = scale * span if text else 0
        at += LABEL
        n += 1


def draw_boxes(box, pixels, params, font, result, paints, texts, table, oriented):
    """Draw the boxes of a list of Detection and their labels, the best detection's last.

    box     the kernel
    pixels  bytes of the frame
    params  the parameter block of `box`. Its frame, thickness, scale and height of the ground are given; its width is 0 if
            there are no labels
    font    as in pixels/text.py
    result  a list of Detection
    paints  for each: (RGB565 of its box, RGB565 of its text, ...)
    texts   for each: the text of its label; () without labels
    table   array('i'): the labels' positions, as place_labels returns them; not read without labels
    oriented    whether some boxes are. Those are not drawn here, only their labels

    Returns whether some detection has keypoints.
    """
    thickness = params[BOX_THICKNESS]
    keypoints = False
    text = ""
    for at in range(len(result) - 1, -1, -1):
        d = result[at]
        params[BOX_X], params[BOX_Y], params[BOX_W], params[BOX_H] = d[0]
        params[BOX_COLOR], params[BOX_INK] = paints[at][:2]
        if d[5] is not None:
            keypoints = True
        if oriented:
            params[BOX_THICKNESS] = 0 if len(d._source) > _CORNERS else thickness
        if texts:
            text = texts[at]
            row = LABEL * at
            params[BOX_GROUND_X] = table[row]
            params[BOX_GROUND_Y] = table[row + 1]
            params[BOX_GROUND_W] = table[row + 3]
        box(pixels, params, text, font)
    return keypoints


def tint_masks(clip_mask, tint_mask, result, paints, pixels, depth, width, height, alpha):
    """Tint the masks of a list of Detection, the best detection's last.

    clip_mask, tint_mask    the kernels
    result  a list of Detection
    paints  for each: (RGB565, ...)
    pixels  bytes of the frame: `depth` for each of width x height pixels

    Machine code reads a FrameMask's `_entry`, and calls `_row` of other masks only.
    """
    last = held = None
    for at in range(len(result) - 1, -1, -1):
        mask = result[at][4]
        if mask is None:
            continue
        data, table, entry, transform = mask._row()
        if transform is not last:  # all masks of a frame share one
            last = transform
            block = transform.block or mask_block(transform)
            block[TINT_DEPTH] = depth
            block[TINT_FRAME_WIDTH] = width
            block[TINT_FRAME_HEIGHT] = height
            block[TINT_ALPHA] = alpha
        if data is not held:
            views = memoryview(data)
            held = data
        block[TINT_COLOR] = paints[at][0]
        start = clip_mask(block, table, entry)
        if start >= 0:
            tint_mask(pixels, views[start:], block)


def place_labels(params, table):
    """Find a position for each label, the best detection's first.

    params  0 count, 1 and 2 frame width and height, 3 line: the height of a label, pixels, 4 already: how many labels are
            in the picture
    table   array('i'), four words for each label: x, y and height of its box, and the label's own width (0: no label). x and
            y are overwritten by the label's. The first `already` rows have the label's x and y already, and stay as they are

    A label is placed above its box. If that position is taken, it is placed inside at the top, below, or inside at the
    bottom: the first position that is free and in the frame; if there is none, above. A label that would extend beyond the
    right edge is moved to the left.
    """
    count, frame_width, frame_height, line, already = params[:5]
    placed = []
    # With many labels only those nearby are compared: for each stripe of the frame, a line high, the labels that may reach
    # into it.
    stripes = {} if count > _FEW else None
    for at in range(0, LABEL * count, LABEL):
        span = table[at + 3]
        if not span:
            continue
        x = table[at]
        y = table[at + 1]
        if at >= LABEL * already and x + span > frame_width:
            x = frame_width - span if frame_width > span else 0
        end = x + span
        top = y
        if at >= LABEL * already:
            if y >= line:
                top = y - line
            if not _is_free(placed, stripes, line, x, end, top):
                h = table[at + 2]
                for other in (y, y + h, y + h - line):
                    if 0 <= other <= frame_height - line and _is_free(placed, stripes, line, x, end, other):
                        top = other
                        break
            table[at] = x
            table[at + 1] = top
        label = x, top, end
        placed.append(label)
        if stripes is not None:
            own = top // line
            for stripe in range(own - 1, own + 2):
                stripes.setdefault(stripe, []).append(label)


def _is_free(placed, stripes, line, x, end, y):
    for left, top, right in placed if stripes is None else stripes.get(y // line, ()):
        if left < end and x < right and -line < y - top < line:
            return False
    return True
