"""An object's mask, and what a script asks of it.

A `Mask` is bytes at prototype resolution with the threshold at 128, and the way to frame pixels. The bytes are scaled
logits, so that scaling them up bilinearly and cutting at 128 gives the smooth edge of the upsampled logits.
"""

from .kernels import plans


class Grid:
    """From mask pixels to frame pixels: frame = mask * scale + offset, x and y apart. Shared by the masks of a frame.

    bounds  (x, y, w, h): the part of the frame that the network saw
    margin  (x, y): frame pixels by which masks reach beyond their boxes
    frame_size  (width, height) of the whole frame, or None
    """

    def __init__(self, sx, ox, sy, oy, bounds, margin=(0, 0), frame_size=None):
        self.sx = sx
        self.ox = ox
        self.sy = sy
        self.oy = oy
        self.bounds = bounds
        self.margin = margin
        self.frame_size = frame_size
        self.plan = None  # of kernels.aim and tint_mask, once something is drawn
        self.edges = None  # edges.of_grid, once something is asked


class Mask:
    """One object's mask, made of

    data    bytes, a bytearray or a memoryview, h rows of w of the window: 128 and more is inside
    window  (x, y, w, h) in mask pixels: the crop and, where there are any, neighbours that drawing interpolates with
    crop    (x, y, w, h) in mask pixels: what belongs to the object's box
    clip    (x, y, w, h) in frame pixels: nothing is drawn outside
    grid    a Grid

    ValueError for data of another kind or size than the window's, and for a crop that sticks out of it.
    """

    def __init__(self, data, window, crop, clip, grid):
        # One attribute: an instance grows its table anew at the 1st, 2nd, 3rd and 5th, each time searching the heap.
        self._given = _later("parts")(data, window, crop, clip, grid)

    def parts(self):
        """(data, window, crop, clip, grid), as the constructor takes them."""
        return self._given

    def row(self):
        """(data, table, entry, grid): where this mask's row of a table begins, as kernels.aim reads it, and all its data."""
        data, (wx, wy, ww, wh), _, (x, y, w, h), grid = self._given
        left, top, _, _ = grid.bounds
        from .kernels.drawing_plans import row

        return data, row(x - left, y - top, w, h, window_x=wx, window_y=wy, window_w=ww, window_h=wh), 0, grid

    def __getattr__(self, name):
        # What a script asks, its Shape answers: in the class itself it would take 90,000 instructions of every start.
        return getattr(_later("Shape")(self), name)


class FrameMask(Mask):
    """One of the masks of a frame: unpacked only when something is asked of it.

    shared  (table, data, grid) of all masks of the frame: the plan of kernels.prototype_mask with its rows, all their bytes
    at      where this mask's row begins
    """

    def __init__(self, shared, at):
        self._row = shared, at

    def parts(self):
        (table, data, grid), at = self._row
        row = table[at : at + plans.ROW]
        x, y, w, h, _, _, _, crop_x0, crop_y0, crop_x1, crop_y1, window_x, window_y, window_w, window_h, start = row
        left, top, width, height = grid.bounds
        mx, my = grid.margin
        x_low = max(0, x - mx)
        y_low = max(0, y - my)
        return (
            data[start : start + window_w * window_h],
            (window_x, window_y, window_w, window_h),
            (crop_x0, crop_y0, crop_x1 - crop_x0, crop_y1 - crop_y0),
            (left + x_low, top + y_low, min(width, x + w + mx) - x_low, min(height, y + h + my) - y_low),
            grid,
        )

    def row(self):
        (table, data, grid), at = self._row
        return data, table, at, grid


_loaded = {}


def _later(name):
    # Of shape.py, loaded when something is asked first, and kept: an import statement is dear every time.
    if name not in _loaded:
        from .shape import Shape, parts

        Shape._kind = Mask  # type: ignore[assignment]
        _loaded["parts"] = parts
        _loaded["Shape"] = Shape
    return _loaded[name]
