"""HeatMap: where in the frame objects have been, as counts in a grid of cells.

    heat_map = n6post.HeatMap(40, 30, half_life=600)
    heat_map.update(model.predict([n6post.Letterbox(img)]))
    n6post.draw(img, heat_map)
"""

from array import array
from collections import OrderedDict

from micropython import const
from ulab import numpy as np

from ..tensors.lazy import later
from ..tensors.options import Options, number, number_or_none
from .anchor_points import AnchorTracked, anchor_name, size_or_none
from .clock import START, next_clock

_MAX_DOUBLINGS = const(20)  # of the weight of a detection, until all cells are divided by it
# Copied by scripts/dev/generate.py from results/detection.py:
_MISSED = const(2)
_FRAME_SIZE = const(0)


def _anchor_or_box(name, value):
    return value if isinstance(value, str) and value == "box" else anchor_name(name, value)


class HeatMap(AnchorTracked):
    """Counts detections in a grid of cells over the frame, to be drawn as a heat map. Tracks are not needed.

    columns, rows   of the grid, 1..255 each, read-only. A cell takes 4 bytes

    Each update adds 1 to the cell with a detection's anchor point, or to every cell that its box touches (`anchor="box"`).

    ValueError for options out of range.
    """

    _option = Options()
    anchor = _option("anchor", "bottom", _anchor_or_box)
    frame_size = _option("frame_size", None, size_or_none)
    half_life = _option("half_life", None, number_or_none, 0.1, 1e6)

    def __init__(self, columns, rows, *more, **options):
        if more:
            raise TypeError("HeatMap: expected columns and rows, got %d arguments" % (2 + len(more)))
        super().__init__(**options)
        self._shape = number("rows", rows, 1, 255), number("columns", columns, 1, 255)
        self.reset()

    @property
    def columns(self):
        """The number of cells in a row."""
        return self._shape[1]

    @property
    def rows(self):
        """The number of rows of cells."""
        return self._shape[0]

    def reset(self):
        """Start again: all cells are 0."""
        # With a half-life, cells do not fade: detections weigh more, the later they are, so that an update has nothing to do
        # with all other cells. The numbers of the cells, and the time in milliseconds of detections with a weight of 1.
        rows, columns = self._shape
        self._clock, self._cells = START, (array("f", bytes(4 * rows * columns)), 0)

    def _start_over(self):
        # Another half-life must not change what was counted. Without one before, the time of cells is that of the start.
        self._cells = array("f", self.values().tobytes()), self._clock[0]

    def _weight(self, now):
        """How often the weight of a detection has doubled."""
        half_life = self._values.get("half_life")
        return (now - self._cells[1]) / (1000 * half_life) if half_life else 0.0

    def _weigh(self, now):
        """The weight of a detection now. Above _MAX_DOUBLINGS, all cells are divided by it, and it is 1."""
        doublings = self._weight(now)
        if doublings > _MAX_DOUBLINGS:
            cells = np.frombuffer(self._cells[0], dtype=np.float) * (0.5 ** min(doublings, 126.0))
            self._cells = array("f", cells.tobytes()), now
            return 1.0
        return 2.0**doublings

    def update(self, detections, *, elapsed_ms=None):
        """Count the detections of a frame; returns them unchanged.

        detections  a list of Detection. ValueError if neither they nor `frame_size` tell the size of the frame
        elapsed_ms  for `half_life`, milliseconds since the last call, as time.ticks_diff returns them; None: measured with
                    time.ticks_ms

        Detections whose point is not in the frame, and those that only coast, are not counted. If a MemoryError ends a call,
        some detections of that frame are not counted.
        """
        is_box = self.anchor == "box"
        if is_box:
            self._learn_frame_size(detections)
            positions = [d[0] for d in detections]
        else:
            positions = self._positions(detections)
        clock = next_clock(self._clock, elapsed_ms)
        weight = self._weigh(clock[0])
        rows, columns = self._shape
        size = self.frame_size
        cells = self._cells[0]
        grid = np.frombuffer(cells, dtype=np.float).reshape(self._shape) if is_box else None
        for d, at in zip(detections, positions):
            width, height = d._source[_FRAME_SIZE] or size or _unknown()
            if d._track[_MISSED]:
                continue
            if is_box:
                x, y, w, h = at
                left, top = max(x, 0) * columns // width, max(y, 0) * rows // height
                right, bottom = min(x + w, width), min(y + h, height)
                right, bottom = -(-right * columns // width), -(-bottom * rows // height)
                if left < right and top < bottom:
                    grid[top:bottom, left:right] += weight
                continue
            x, y = at
            if 0 <= x <= 2 * width and 0 <= y <= 2 * height:
                # The lower edge of a box that ends with the frame belongs to the last row.
                column, row = min(x * columns // (2 * width), columns - 1), min(y * rows // (2 * height), rows - 1)
                cells[row * columns + column] += weight
        self._clock = clock
        return detections

    def values(self):
        """The numbers of all cells as a new float32 array (rows, columns): counts, faded by `half_life`."""
        cells = np.frombuffer(self._cells[0], dtype=np.float).reshape(self._shape)
        return cells * (0.5 ** self._weight(self._clock[0]))

    def value_at(self, x, y=None):
        """The number of the cell with frame pixel (x, y), or ((x, y)); None outside of the frame or without its size."""
        size = self.frame_size
        pixel = x if y is None else (x, y)
        try:
            x, y = pixel
            if size is None or not (0 <= x < size[0] and 0 <= y < size[1]):
                return None
            column, row = int(x * self.columns // size[0]), int(y * self.rows // size[1])
        except (TypeError, ValueError):
            from ..tensors.errors import pixel_refused

            raise pixel_refused("value_at", (pixel,) if y is None else pixel) from None
        return self._cells[0][row * self.columns + column] * 0.5 ** self._weight(self._clock[0])

    @property
    def max_cell(self):
        """The rect (x, y, w, h) in frame pixels of the cell with the largest number; None while all are 0."""
        cells = np.frombuffer(self._cells[0], dtype=np.float)
        at = int(np.argmax(cells))
        if not self._cells[0][at] or self.frame_size is None:
            return None
        (width, height), (rows, columns) = self.frame_size, self._shape
        row, column = at // columns, at % columns
        # The first pixel of a cell, and that of the next one.
        left, right = -(-column * width // columns), -(-(column + 1) * width // columns)
        top, bottom = -(-row * height // rows), -(-(row + 1) * height // rows)
        return left, top, right - left, bottom - top

    def draw(self, img, *, palette=None, alpha=128, maximum=None, smooth=True):
        """Tint `img` (RGB565 or GRAYSCALE) with the map, and return img.

        palette     two or more colors (r, g, b), from low to high; None: violet, red, orange, yellow
        alpha       of the highest numbers, 0..255; low ones are more transparent, and 0 is not drawn
        maximum     the number that has the last color; None: the largest in the map, at least 1
        smooth      True: interpolated between the cells; False: cells with edges, which costs less

        A picture of another size than `frame_size` is treated as the frame, scaled. ValueError as for `n6post.draw`.
        """
        later.drawing_heat_map.draw_heat_map(img, self, palette, alpha, maximum, smooth)
        return img

    def _drawn_by(self):
        return later.drawing_heat_map.draw_cells

    def as_dict(self):
        """The map as numbers and lists, for JSON: columns, rows, and the values of each row, rounded to 3 decimals."""
        rounded = later.results_dicts.rounded
        values = [[rounded(value) for value in row] for row in self.values().tolist()]
        return OrderedDict((("columns", self.columns), ("rows", self.rows), ("values", values)))

    def to_state(self):
        """The map for State: {"columns": columns, "rows": rows}, and the bytes of all values, float32."""
        return {"columns": self.columns, "rows": self.rows}, self.values().tobytes()

    def from_state(self, state):
        """Take over the values of `to_state`. ValueError if they are those of a map of another size."""
        shape, cells = state
        if (shape["rows"], shape["columns"]) != self._shape:
            raise ValueError("expected %d x %d cells, got %d x %d" % (self._shape + (shape["rows"], shape["columns"])))
        self._cells = array("f", cells), self._clock[0]


def _unknown():
    raise ValueError("frame_size: expected the size of the frame, which these detections do not know: frame_size=(640, 480)")
