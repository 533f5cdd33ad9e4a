"""AnomalyMap.objects. Imported on first use."""

from ulab import numpy as np

from .detection import copied
from .parts import objects as parts
from .segmentation import Segmentation


def objects(anomaly_map, min_area):
    """AnomalyMap.objects for a frame with defects."""
    values, threshold = anomaly_map.values, anomaly_map.threshold
    above = np.array(values > threshold, dtype=np.uint8)
    found = []
    for at, d in enumerate(parts(Segmentation(above, anomaly_map._transform), 1, min_area)):
        data, (x, y, w, h), _, _, _ = d.mask._parts()
        inside = np.frombuffer(data, dtype=np.uint8).reshape((h, w)) >= 128
        worst = float(np.max((values[y : y + h, x : x + w] * inside).reshape((w * h,))))
        # In thousandths, as whole numbers: a division of floats is rounded otherwise on a camera.
        score = 1000 - 500 * int(threshold * 4096) // int(worst * 4096)
        found.append((-worst, at, copied(d, (d.rect, score / 1000, 0, d.label, d.mask, None))))
    found.sort()
    return [d for _, _, d in found]
