"""How much of a PolygonZone detections cover: the work of PolygonZone.occupancy. Imported on first use."""

from array import array

from micropython import const

from ..kernels import occupancy as occupancy_kernels
from ..kernels.params.tracks import mask_transform

_MOST_POINTS = const(4096)  # of a grid, and bytes
_LAST_MARK = const(255)


def occupancy(zone, detections):
    """PolygonZone.occupancy of a list of Detection."""
    grid = zone._grid
    if grid is None or grid.frame_size != zone.frame_size:
        grid = _Grid(zone)
    covered = grid.covered(detections)
    zone._grid = grid
    return covered / grid.count if grid.count else 0.0


class _Grid:
    """Points of a zone, to be marked. It is made once: each call has another mark, so nothing has to be erased."""

    def __init__(self, zone):
        self.frame_size = size = zone.frame_size
        xs, ys = [x for x, _ in zone._points], [y for _, y in zone._points]
        left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
        if size is not None:
            left, top, right, bottom = max(left, 0), max(top, 0), min(right, size[0]), min(bottom, size[1])
        width, height = max(0, right - left), max(0, bottom - top)
        step = 1
        while -(-width // step) * -(-height // step) > _MOST_POINTS:
            step += 1
        # The points are the pixels in the middle of squares, without those beyond the right or lower end: where that is the
        # frame's, nothing could cover them.
        middle = (step - 1) // 2
        across, down = min(middle, max(width - 1, 0)), min(middle, max(height - 1, 0))
        columns, rows = -((across - width) // step), -((down - height) // step)
        left, top = left + across, top + down
        self.layout = array("i", (columns, rows, left, top, step))
        self.bytes = bytearray(columns * rows)
        self.count = 0
        self.mark = 1
        for row in range(rows):
            self._fill(zone._edges, row, 2 * (top + row * step) + 1)
        self.box = array("i", (0, 0, 0, 0))
        self.transform = None, None  # the MaskTransform of the last mask, and its parameters for the kernel

    def _fill(self, edges, row, y):
        """Set the points of a row that are in the polygon to 1. y: of the pixels' centers, in half pixels."""
        columns, _, left, _, step = self.layout
        # The first pixel whose center is not left of an edge, for each edge that crosses the row.
        ends = []
        for top, bottom, px, py, dx, dy in edges:
            if top <= y < bottom:
                ends.append(-((dy - px * dy - dx * (y - py)) // (2 * dy)))
        ends.sort()
        for i in range(0, len(ends), 2):
            first, end = [min(max(-((left - x) // step), 0), columns) for x in (ends[i], ends[i + 1])]
            if end > first:
                at = row * columns
                self.bytes[at + first : at + end] = b"\x01" * (end - first)
                self.count += end - first

    def covered(self, detections):
        """The number of points that these detections cover."""
        if self.mark == _LAST_MARK:
            occupancy_kernels.remove_marks(self.bytes, len(self.bytes))
            self.mark = 1
        self.mark += 1  # first: if a MemoryError stops this, the next call has another mark
        covered = 0
        for d in detections:
            mask = d[4]
            if mask is None:
                box = self.box
                box[0], box[1], box[2], box[3] = [int(v) for v in d[0]]
                covered += occupancy_kernels.cover_box(self.bytes, self.layout, box, self.mark)
                continue
            data, table, at, transform = mask._row()
            if transform is not self.transform[0]:
                self.transform = transform, mask_transform(transform)
            if data:
                covered += occupancy_kernels.cover_mask(
                    self.bytes, self.layout, data, table, at, self.transform[1], self.mark
                )
        return covered
