"""An object's mask: prototypes times coefficients inside a box, and what a script asks of it.

in      prototypes [1, H, W, M] or [1, M, H, W] and the M coefficients of one anchor, raw as the model gives them
out     a `Mask`: bytes at prototype resolution with the threshold at 128, and the way to frame pixels. The bytes are scaled
        logits, so that scaling them up bilinearly and cutting at 128 gives the smooth edge of the upsampled logits.
"""

from array import array
from math import floor

from ulab import numpy as np

from . import kernels

_NUDGE = 2.44e-4  # as in yolo.py: an edge on half a pixel rounds the same way on the camera and on a PC


class Grid:
    """From mask pixels to frame pixels: frame = mask * scale + offset, x and y apart. Shared by the masks of a frame.

    bounds  (x, y, w, h): the part of the frame that the network saw; masks are cut to it
    """

    def __init__(self, sx, ox, sy, oy, bounds):
        self.sx = sx
        self.ox = ox
        self.sy = sy
        self.oy = oy
        self.bounds = bounds
        self.plan = array("i", [0] * 16)  # of kernels.tint_mask
        floats = np.frombuffer(self.plan, dtype=np.float)
        floats[7] = sx
        floats[8] = sy
        self.plan[15] = 1


class Mask:
    """One object's mask.

    data    bytearray, h rows of w bytes of the window: 128 and more is inside
    window  (x, y, w, h) in mask pixels: the crop and, where the mask has them, a ring of neighbours that drawing interpolates with
    crop    (x, y, w, h) in mask pixels: what belongs to the object's box
    clip    (x, y, w, h) in frame pixels: nothing is drawn outside
    """

    def __init__(self, data, window, crop, clip, grid):
        self._data = data
        self._window = window
        self.crop = crop
        self._clip = clip
        self._grid = grid

    def _inside(self):
        # The crop as a (h, w) array of 0.0 and 1.0; float, because sums over uint8 wrap.
        wx, wy, ww, wh = self._window
        x, y, w, h = self.crop
        rows = np.frombuffer(self._data, dtype=np.uint8).reshape((wh, ww))
        return np.where(rows[y - wy : y - wy + h, x - wx : x - wx + w] >= 128, 1.0, 0.0)

    @property
    def area(self):
        """The object's size in frame pixels (mask pixels inside, times the frame's pixels to a mask pixel)."""
        if not self._data:
            return 0
        return round(float(np.sum(self._inside())) * self._grid.sx * self._grid.sy)

    @property
    def centroid(self):
        """The frame pixel (x, y) in the middle of the object's mass, ints; None for an empty mask."""
        if not self._data:
            return None
        inside = self._inside()
        count = float(np.sum(inside))
        if not count:
            return None
        x, y, w, h = self.crop
        cx = float(np.sum(np.sum(inside, axis=0) * np.arange(w))) / count + x + 0.5
        cy = float(np.sum(np.sum(inside, axis=1) * np.arange(h))) / count + y + 0.5
        return int(cx * self._grid.sx + self._grid.ox), int(cy * self._grid.sy + self._grid.oy)

    def contains(self, x, y):
        """Whether frame pixel (x, y) belongs to the object (to the precision of a mask pixel)."""
        cx, cy, cw, ch = self._clip
        if not self._data or not (cx <= x < cx + cw and cy <= y < cy + ch):
            return False
        px = floor((x + 0.5 - self._grid.ox) / self._grid.sx)
        py = floor((y + 0.5 - self._grid.oy) / self._grid.sy)
        left, top, w, h = self.crop
        if not (left <= px < left + w and top <= py < top + h):
            return False
        wx, wy, ww, _ = self._window
        return self._data[(py - wy) * ww + px - wx] >= 128

    @property
    def image(self):
        """The crop as a GRAYSCALE image at mask resolution, 128 and more inside; None for an empty crop."""
        if not self._data:
            return None
        import image

        wx, wy, ww, _ = self._window
        x, y, w, h = self.crop
        pixels = bytearray(w * h)
        for row in range(h):
            at = (y - wy + row) * ww + x - wx
            pixels[row * w : (row + 1) * w] = self._data[at : at + w]
        return image.Image(w, h, image.GRAYSCALE, buffer=pixels)

    def draw(self, img, color=(255, 0, 0), alpha=128, smooth=True):
        """Tint the object in `img` (RGB565 or GRAYSCALE, the frame's size) with color (r, g, b) and alpha 0..255.

        smooth=False draws blocks of mask pixels with one plain draw_image instead, which on the N6 goes to the GPU.
        """
        if not self._data:
            return
        pixel_bytes, value = pixel(img, color)
        grid = self._grid
        x, y, w, h = self._window
        cx, cy, cw, ch = self._clip
        plan = grid.plan
        plan[0] = pixel_bytes
        plan[1] = width = img.width()
        plan[2] = height = img.height()
        plan[3] = w
        plan[4] = h
        plan[5] = floor(x * grid.sx + grid.ox + 0.5 + _NUDGE)
        plan[6] = floor(y * grid.sy + grid.oy + 0.5 + _NUDGE)
        plan[9] = max(0, cx, plan[5])
        plan[10] = max(0, cy, plan[6])
        plan[11] = min(width, cx + cw, plan[5] + floor(w * grid.sx + _NUDGE))
        plan[12] = min(height, cy + ch, plan[6] + floor(h * grid.sy + _NUDGE))
        plan[13] = value
        plan[14] = alpha
        if plan[11] <= plan[9] or plan[12] <= plan[10]:
            return
        if smooth:
            kernels.tint_mask(img.bytearray(), self._data, plan)
        else:
            self._draw_blocks(img, color, alpha)

    def _draw_blocks(self, img, color, alpha):
        import image

        from .kernels.portable import step_palettes

        grid = self._grid
        colors, alphas = step_palettes(pixel(img, color)[1])
        img.draw_image(
            self.image,
            floor(self.crop[0] * grid.sx + grid.ox + 0.5 + _NUDGE),
            floor(self.crop[1] * grid.sy + grid.oy + 0.5 + _NUDGE),
            x_scale=grid.sx,
            y_scale=grid.sy,
            alpha=alpha,
            color_palette=colors,
            alpha_palette=alphas,
        )

    def outline(self):
        """The outer contour of the object's largest part: a list of frame pixels (x, y), clockwise, closed by its first.

        Each point lies between a pixel inside and its neighbour outside, where the interpolated logit crosses the
        threshold. [] for an empty mask. For `img.draw_line`, areas and shapes; it costs Python time for every point.
        """
        if not self._data:
            return []
        best = []
        largest = 0
        for loop in _contours(self._data, self._window, self.crop):
            size = _doubled_area(loop)
            if size > largest:
                largest = size
                best = loop
        cx, cy, cw, ch = self._clip
        points = []
        for x, y in best:
            point = (
                min(max(floor(x * self._grid.sx + self._grid.ox), cx), cx + cw - 1),
                min(max(floor(y * self._grid.sy + self._grid.oy), cy), cy + ch - 1),
            )
            if not points or points[-1] != point:
                points.append(point)
        if len(points) > 1 and points[0] == points[-1]:
            points.pop()
        return points


def pixel(img, color):
    """(bytes a pixel of img, color (r, g, b) as RGB565); ValueError for an image that is neither RGB565 nor GRAYSCALE."""
    import image

    image_format = img.format()
    if image_format != image.RGB565 and image_format != image.GRAYSCALE:
        raise ValueError("expected an RGB565 or GRAYSCALE image to draw on, got format %s" % image_format)
    r, g, b = color
    return 2 if image_format == image.RGB565 else 1, (r & 0xF8) << 8 | (g & 0xFC) << 3 | b >> 3


# East, south, west, north.
_DX = (1, 0, -1, 0)
_DY = (0, 1, 0, -1)


def _contours(data, window, crop):
    # Walk along the cracks between inside and outside pixels, the object on the right hand; diagonal neighbours connect.
    wx, wy, ww, _ = window
    x0, y0, w, h = crop

    def value(x, y):
        if 0 <= x < w and 0 <= y < h:
            return data[(y0 - wy + y) * ww + x0 - wx + x]
        return 0

    seen = set()  # cracks above a pixel
    loops = []
    for start_y in range(h):
        for start_x in range(w):
            if value(start_x, start_y) < 128 or value(start_x, start_y - 1) >= 128 or start_y * w + start_x in seen:
                continue
            x, y, side = start_x, start_y, 3
            loop = []
            while True:
                if side == 3:
                    seen.add(y * w + x)
                a = value(x, y)
                t = (a - 127.5) / (a - value(x + _DX[side], y + _DY[side]))
                loop.append((x0 + x + 0.5 + t * _DX[side], y0 + y + 0.5 + t * _DY[side]))
                ahead = (side + 1) & 3
                nx, ny = x + _DX[ahead], y + _DY[ahead]
                if value(nx + _DX[side], ny + _DY[side]) >= 128:
                    x, y, side = nx + _DX[side], ny + _DY[side], (side + 3) & 3
                elif value(nx, ny) >= 128:
                    x, y = nx, ny
                else:
                    side = ahead
                if (x, y, side) == (start_x, start_y, 3):
                    break
            loops.append(loop)
    return loops


def _doubled_area(loop):
    # Shoelace formula; positive for an outer contour (clockwise on a screen), negative around a hole.
    total = 0.0
    x0, y0 = loop[-1]
    for x, y in loop:
        total += x0 * y - x * y0
        x0, y0 = x, y
    return total
