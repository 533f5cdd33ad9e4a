"""AnomalyMap: how far each cell of a frame is from those of good frames."""

from collections import OrderedDict

from ulab import numpy as np

from ..tensors.lazy import later
from ..tensors.options import number


class AnomalyMap:
    """How far each cell of a grid over the frame is from the nearest one of good frames.

    values      float32 array (H, W): the distances; 0.0 while nothing is learned
    score       the largest of them
    threshold   the score above which a frame is not a good one; None if it is not known yet
    verdict     "good", "defect", "changed" for a frame that differs as a whole (light, position, focus), or None without a
                threshold
    """

    def __init__(self, values, transform, threshold=None, verdict=None):
        if tuple(values.shape) != (transform.height, transform.width):
            raise ValueError("expected an array (%d, %d), got %s" % (transform.height, transform.width, tuple(values.shape)))
        self.values = values
        self.score = float(np.max(values.reshape((values.size,))))
        self.threshold = threshold
        self.verdict = verdict
        self._transform = transform

    @property
    def shape(self):
        """(height, width) of the grid."""
        return tuple(self.values.shape)

    def value_at(self, x, y=None):
        """The distance at frame pixel (x, y), or ((x, y)); None outside of the frame or of the part that the network saw."""
        cell = self._transform.cell("value_at", x, y)
        return None if cell is None else float(self.values[cell[0], cell[1]])

    def objects(self, *, min_area=0):
        """The defects as a list of Detection, the worst one first: cells above the threshold that touch, corners included.

        min_area    those with fewer frame pixels are left out

        Each has a `mask`, and the score 1 - threshold / (2 * its largest distance): .5 at the threshold, .75 at twice the
        threshold. The list is empty unless the verdict is "defect".
        """
        if self.verdict != "defect":
            number("min_area", min_area, 0, 0x3FFFFFFF)
            return []
        return later.results_anomaly_objects.objects(self, min_area)

    def draw(self, img, *, palette=None, alpha=128, smooth=True):
        """Tint `img` (RGB565 or GRAYSCALE) with the distances, and return img.

        palette     two or more colors (r, g, b), from low to high; None: violet, red, orange, yellow
        alpha       of the largest distances, 0..255; those of good frames are hardly drawn
        smooth      True: interpolated between the cells; False: cells with edges, which costs less

        The last color is that of twice the threshold; without one, of the largest distance. A picture of another size than
        the frame is treated as the frame, scaled. ValueError as for `n6post.draw`.
        """
        later.drawing_heat_map.draw_anomaly_map(img, self, palette, alpha, smooth)
        return img

    def _drawn_by(self):
        return later.drawing_heat_map.draw_distances

    def as_dict(self):
        """The score, the threshold, both rounded to 3 decimals, the verdict, and the defects as dicts, for JSON."""
        rounded = later.results_dicts.rounded
        threshold = self.threshold if self.threshold is None else rounded(self.threshold)
        entries = ("score", rounded(self.score)), ("threshold", threshold), ("verdict", self.verdict)
        return OrderedDict(entries + (("objects", [d.as_dict() for d in self.objects()]),))
