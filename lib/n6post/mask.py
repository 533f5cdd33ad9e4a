"""An object's mask: prototypes times coefficients inside a box, and what a script asks of it.

in      prototypes [1, H, W, M] or [1, M, H, W] and the M coefficients of one anchor, raw as the model gives them
out     a `Mask`: bytes at prototype resolution with the threshold at 128, and the way to frame pixels. The bytes are scaled
        logits, so that scaling them up bilinearly and cutting at 128 gives the smooth edge of the upsampled logits.
"""

from array import array
from math import floor

from micropython import const
from ulab import numpy as np

from . import kernels, number

_NUDGE = const(2.44e-4)  # as in yolo_head.py: an edge on half a pixel rounds the same way on the camera and on a PC
_HALF = const(0.500244)
_ROW = const(16)
_BLOCK = const(8192)  # pixels that are compared together


class Grid:
    """From mask pixels to frame pixels: frame = mask * scale + offset, x and y apart. Shared by the masks of a frame.

    bounds  (x, y, w, h): the part of the frame that the network saw; margin_x, margin_y: frame pixels by which masks reach
            beyond their boxes
    """

    def __init__(self, sx, ox, sy, oy, bounds, margin_x=0, margin_y=0):
        self.sx = sx
        self.ox = ox
        self.sy = sy
        self.oy = oy
        self.bounds = bounds
        self.plan = plan = array("i", [0] * 24)  # of kernels.aim and tint_mask
        floats = np.frombuffer(plan, dtype=np.float)
        floats[7] = sx
        floats[8] = sy
        plan[15] = 1
        floats[16] = ox + _HALF
        floats[17] = oy + _HALF
        plan[18], plan[19], plan[20], plan[21] = bounds
        plan[22] = margin_x
        plan[23] = margin_y


class Masks:
    """The masks of one frame: a copy of the table that kernels.place wrote, all their bytes, and their grid."""

    def __init__(self, table, data, grid):
        self.table = table
        self.data = data
        self.grid = grid

    def parts(self, at):
        """(data, window, crop, clip, grid) of the mask whose row begins at `at`, as Mask describes them."""
        x, y, w, h, _, _, _, x0, y0, x1, y1, wx, wy, ww, wh, start = self.table[at : at + _ROW]
        left, top, width, height, mx, my = self.grid.plan[18:24]
        x_low = max(0, x - mx)
        y_low = max(0, y - my)
        return (
            self.data[start : start + ww * wh],
            (wx, wy, ww, wh),
            (x0, y0, x1 - x0, y1 - y0),
            (left + x_low, top + y_low, min(width, x + w + mx) - x_low, min(height, y + h + my) - y_low),
            self.grid,
        )


class Mask:
    """One object's mask: Mask(data, window, crop, clip, grid), or Mask(source, at) for a row of a `Masks`.

    data    bytes, h rows of w of the window: 128 and more is inside
    window  (x, y, w, h) in mask pixels: the crop and, where there are any, neighbours that drawing interpolates with
    crop    (x, y, w, h) in mask pixels: what belongs to the object's box
    clip    (x, y, w, h) in frame pixels: nothing is drawn outside
    grid    a Grid
    """

    def __init__(self, *parts):
        # One attribute: an instance grows its table anew at the 1st, 2nd, 3rd and 5th, each time searching the heap.
        self._parts = parts

    def _unpacked(self):
        parts = self._parts
        return parts if len(parts) == 5 else parts[0].parts(parts[1])

    @property
    def crop(self):
        """(x, y, w, h) of the object's crop in mask pixels."""
        return self._unpacked()[2]


    @property
    def area(self):
        """The object's size in frame pixels (mask pixels inside, times the frame's pixels to a mask pixel)."""
        data, window, crop, clip, grid = self._unpacked()
        if _is_empty(data, clip):
            return 0
        return round(_total(np.sum(_inside(data, window, crop), axis=1)) * grid.sx * grid.sy)

    @property
    def centroid(self):
        """The frame pixel (x, y) in the middle of the object's mass, ints; None for an empty mask."""
        data, window, crop, clip, grid = self._unpacked()
        if _is_empty(data, clip):
            return None
        inside = _inside(data, window, crop)
        columns = np.sum(inside, axis=0)
        rows = np.sum(inside, axis=1)
        count = _total(rows)
        if not count:
            return None
        x, y, w, h = crop
        cx = _total(columns * np.arange(w)) / count + x + 0.5
        cy = _total(rows * np.arange(h)) / count + y + 0.5
        # A box thinner than a mask pixel may lie beside that pixel's middle.
        x, y, w, h = clip
        return (
            min(max(int(cx * grid.sx + grid.ox), x), x + w - 1),
            min(max(int(cy * grid.sy + grid.oy), y), y + h - 1),
        )

    def contains(self, x, y):
        """Whether frame pixel (x, y) belongs to the object (to the precision of a mask pixel)."""
        data, (wx, wy, ww, _), (left, top, w, h), (cx, cy, cw, ch), grid = self._unpacked()
        if not data or not (cx <= x < cx + cw and cy <= y < cy + ch):
            return False
        px = floor((x + 0.5 - grid.ox) / grid.sx)
        py = floor((y + 0.5 - grid.oy) / grid.sy)
        return left <= px < left + w and top <= py < top + h and data[(py - wy) * ww + px - wx] >= 128

    @property
    def image(self):
        """The crop as a GRAYSCALE image at mask resolution, 128 and more inside; None for an empty crop."""
        data, (wx, wy, ww, _), (x, y, w, h), _, _ = self._unpacked()
        if not data:
            return None
        import image

        pixels = bytearray(w * h)
        _copy_rows(data, (y - wy) * ww + x - wx, ww, pixels, 0, w, w, h)
        return image.Image(w, h, image.GRAYSCALE, buffer=pixels)

    def draw(self, img, color=(255, 0, 0), alpha=128, smooth=True):
        """Tint the object in `img` (RGB565 or GRAYSCALE, the frame's size) with color (r, g, b) and alpha 0..255.

        smooth=False draws blocks of mask pixels with one plain draw_image instead, which on the N6 goes to the GPU.
        """
        number("alpha", alpha, 0, 255)
        depth, value = pixel(img, color)
        if smooth:
            self.tint(img.bytearray(), depth, img.width(), img.height(), value, alpha)
        else:
            self._draw_blocks(img, value, alpha)

    def tint(self, pixels, depth, width, height, value, alpha):
        """The smooth way of draw(), for who has asked the image for all of this once already."""
        data, table, at, grid = self._row()
        plan = grid.plan
        plan[0] = depth
        plan[1] = width
        plan[2] = height
        plan[13] = value
        plan[14] = alpha
        start = kernels.aim(plan, table, at)
        if start >= 0:
            kernels.tint_mask(pixels, data[start:], plan)

    def _row(self):
        # (all data, table, position of the row in it, grid) as kernels.aim reads them.
        parts = self._parts
        if len(parts) == 2:
            source, at = parts
            return source.data, source.table, at, source.grid
        data, window, _, (x, y, w, h), grid = parts
        left, top, _, _ = grid.bounds
        return data, array("i", (x - left, y - top, w, h, 0, 0, 0, 0, 0, 0, 0) + window + (0,)), 0, grid

    def _draw_blocks(self, img, value, alpha):
        data, _, crop, _, grid = self._unpacked()
        if not data:
            return
        colors, alphas = step_palettes(value)
        img.draw_image(
            self.image,
            floor(crop[0] * grid.sx + grid.ox + _HALF),
            floor(crop[1] * grid.sy + grid.oy + _HALF),
            x_scale=grid.sx,
            y_scale=grid.sy,
            alpha=alpha,
            color_palette=colors,
            alpha_palette=alphas,
        )

    def outline(self):
        """The outer contour of the object's largest part: a list of frame pixels (x, y), clockwise, closed by its first.

        Each point lies between a pixel inside and its neighbour outside, where the interpolated logit crosses the
        threshold. [] for an empty mask. For `img.draw_line`, areas and shapes.

        On the emulated M55: 100 instructions for every mask pixel of the crop and 7,000 for every edge between a mask
        pixel inside and one outside; 5,000 for those of the parts and holes that are not the largest.
        """
        data, window, crop, (cx, cy, cw, ch), grid = self._unpacked()
        sx, ox, sy, oy = grid.sx, grid.ox, grid.sy, grid.oy
        best = []
        largest = 0
        if _is_empty(data, (cx, cy, cw, ch)):
            return best
        for loop in _contours(data, window, crop):
            size = _doubled_area(loop)
            if size > largest:
                largest = size
                best = loop
        points = []
        right = cx + cw - 1
        bottom = cy + ch - 1
        last_x = last_y = None
        for x, y in best:
            # Compared here, not by min and max: two calls and their arguments would cost more than the rest of the loop.
            x = floor(x * sx + ox)
            y = floor(y * sy + oy)
            if x < cx:
                x = cx
            elif x > right:
                x = right
            if y < cy:
                y = cy
            elif y > bottom:
                y = bottom
            if x != last_x or y != last_y:
                points.append((x, y))
                last_x = x
                last_y = y
        if len(points) > 1 and points[0] == points[-1]:
            points.pop()
        return points


def _is_empty(data, clip):
    # Whether there is nothing to tell of: no pixels, or a box that rounds to no frame pixel though mask pixels lie in it.
    return not data or clip[2] < 1 or clip[3] < 1


def _inside(data, window, crop):
    # The crop as a (h, w) array of 0.0 and 1.0; float, because sums over uint8 wrap.
    wx, wy, ww, wh = window
    x, y, w, h = crop
    rows = np.frombuffer(data, dtype=np.uint8).reshape((wh, ww))
    return np.where(rows[y - wy : y - wy + h, x - wx : x - wx + w] >= 128, 1.0, 0.0)


def _copy_rows(source, at, stride, target, to, target_stride, width, height):
    # Slices of memoryviews, and each written whole: an assignment to a part of a bytearray moves all that lies behind
    # that part as well: 210 to 820 instructions a pixel of 320 x 320, by alignment, where this costs 11.
    source = memoryview(source)
    target = memoryview(target)
    for _ in range(height):
        target[to : to + width][:] = source[at : at + width]
        at += stride
        to += target_stride


def _total(counts):
    # Not np.sum: without an axis that is a running mean times the length, and rounds.
    return sum([float(n) for n in counts])


_formats = []


def step_palettes(color):
    """256 times one RGB565 colour, and an alpha that steps from 0 to 255 at 128: palettes for draw_image."""
    import image

    colors = bytearray([color & 255, color >> 8] * 256)  # the firmware takes RGB565 only, for a GRAYSCALE frame too
    alphas = bytearray(256)
    alphas[128:] = b"\xff" * 128
    return image.Image(256, 1, image.RGB565, buffer=colors), image.Image(256, 1, image.GRAYSCALE, buffer=alphas)


def pixel(img, color):
    """(bytes a pixel of img, color (r, g, b) as RGB565); ValueError for an image that is neither RGB565 nor GRAYSCALE."""
    r, g, b = checked_color(color)
    return pixel_bytes(img), (r & 0xF8) << 8 | (g & 0xFC) << 3 | b >> 3


def checked_color(color):
    """color (r, g, b) as a tuple; ValueError for anything else."""
    if not isinstance(color, (list, tuple)) or len(color) != 3 or [c for c in color if not isinstance(c, int)]:
        raise ValueError("color: expected (r, g, b), got %r" % (color,))
    if min(color) < 0 or max(color) > 255:
        raise ValueError("color: expected r, g and b from 0 to 255, got %r" % (color,))
    return tuple(color)


def pixel_bytes(img):
    """2 for an RGB565 image, 1 for a GRAYSCALE one, ValueError for any other."""
    if not _formats:
        import image

        _formats.append(image.RGB565)
        _formats.append(image.GRAYSCALE)
    image_format = img.format()
    if image_format not in _formats:
        raise ValueError("expected an RGB565 or GRAYSCALE image to draw on, got format %s" % image_format)
    return 2 if image_format == _formats[0] else 1


def _contours(data, window, crop):
    # Walk along the cracks between inside and outside pixels, the object on the right hand; diagonal neighbours connect.
    wx, wy, ww, _ = window
    x0, y0, w, h = crop
    width = w + 2
    # The crop in a ring of pixels outside: a walk reads its neighbours by index, without a look where the crop ends.
    pixels = bytearray(width * (h + 2))
    _copy_rows(data, (y0 - wy) * ww + x0 - wx, ww, pixels, width + 1, width, w, h)
    # East, south, west, north: x and y of the side that looks outside, and the way there and ahead in `pixels`.
    sides = ((1, 0, 1, width), (0, 1, width, -1), (-1, 0, -1, -width), (0, -1, -width, 1))
    seen = bytearray(len(pixels))  # cracks above a pixel
    loops = []
    for start in _starts(pixels, width):
        if seen[start]:
            continue
        loop = []
        x = x0 + start % width - 0.5
        y = y0 + start // width - 0.5
        at = start
        side = 3
        dx, dy, out, ahead = sides[side]
        while True:
            if side == 3:
                seen[at] = 1
            a = pixels[at]
            t = (a - 127.5) / (a - pixels[at + out])
            loop.append((x + t * dx, y + t * dy))
            if pixels[at + ahead + out] >= 128:
                at += ahead + out
                x += dx - dy
                y += dy + dx
                side = (side + 3) & 3
                dx, dy, out, ahead = sides[side]
            elif pixels[at + ahead] >= 128:
                at += ahead
                x -= dy
                y += dx
            else:
                side = (side + 1) & 3
                dx, dy, out, ahead = sides[side]
            if at == start and side == 3:
                break
        loops.append(loop)
    return loops


def _starts(pixels, width):
    # Where a contour may begin, in order: every pixel inside with one outside above. 8,192 pixels at a time, by ulab: 80
    # instructions a pixel instead of the 5,000 of a loop.
    rows = np.frombuffer(pixels, dtype=np.uint8).reshape((len(pixels) // width, width))
    step = max(1, _BLOCK // width)
    starts = []
    for y in range(0, len(rows) - 1, step):
        inside = rows[y : y + step + 1] >= 128
        fresh = inside[1:] > inside[:-1]
        first = (y + 1) * width
        starts.extend([first + int(at) for at in np.nonzero(fresh.reshape((fresh.size,)))[0].tolist()])
    return starts


def _doubled_area(loop):
    # Shoelace formula; positive for an outer contour (clockwise on a screen), negative around a hole.
    total = 0.0
    x0, y0 = loop[-1]
    for x, y in loop:
        total += x0 * y - x * y0
        x0, y0 = x, y
    return total
