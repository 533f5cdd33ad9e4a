"""Soft suppression of overlapping candidates. (Hard suppression is a kernel call in yolov8.py.)

Candidates are in the buffers that kernels.boxes.candidates writes: `values` float32 (5, capacity) with rows x1, y1, x2, y2,
score, and `labels` uint16 (3, capacity) with rows anchor, class, and the positions kept. Coordinates may have any unit.
"""

from ulab import numpy as np

from ...kernels.portable.boxes import iou


class SoftSuppressor:
    """Soft-NMS with the Gaussian penalty exp(-iou^2 / sigma) of Bodla et al., ICCV 2017 (arXiv 1704.04503, equation 6).

    sigma           above 0; a smaller one lowers scores more
    class_agnostic  whether candidates of different classes are compared
    most            how many to keep at most
    """

    def __init__(self, sigma, class_agnostic, most):
        self._steepness = -1.0 / max(sigma, 1e-30)  # finite in float32; 1e-30 too removes any overlap
        self._agnostic = class_agnostic
        self._most = most

    def __call__(self, count, values, indices, cut, overlap_with=None):
        """Write the positions kept into indices[2], best first, and return how many.

        cut             the score threshold in the unit of values[4]: a candidate is dropped when its score decays below this
        overlap_with    overlap_with(i) returns the overlap of candidate i with each, 0..1; None: the IoU of their boxes
        """
        x1, y1, x2, y2, score = [values[row, :count] for row in range(5)]
        group = indices[1, :count]
        area = (x2 - x1) * (y2 - y1)
        alive = score * 1.0
        kept = 0
        while kept < self._most:
            best = int(np.argmax(alive))  # the first maximum: equal scores stay in the order of their anchors
            if not alive[best] >= cut:
                break
            indices[2, kept] = best
            score[best] = alive[best : best + 1]  # an array, not a scalar: the camera's scalars have 30 bits
            kept += 1
            alive[best] = -1.0  # done; candidates that are left have scores from 0 up
            overlap = overlap_with(best) if overlap_with else iou(x1, y1, x2, y2, area, best)
            decay = np.exp(overlap * overlap * self._steepness)
            touched = (overlap > 0.0) * (alive >= 0.0)  # without an overlap the IoU may be 0 / 0, NaN
            if not self._agnostic:
                touched = touched * (group == group[best : best + 1])
            alive = np.where(touched, np.maximum(alive * decay, 0.0), alive)  # inf * 0 is NaN, and a > b ? a : b gives b
        return kept
