"""The recorded outputs in data/recorded (n6post_pc/recorded.py), and what a network found in a street."""

import io
import lzma
from typing import Any

import numpy as np
from n6post_pc import places
from n6post_pc.recorded import Recording, index, load, names

__all__ = ["Recording", "index", "load", "names", "street"]


def street(overlap: float | None = 0.7) -> list[list[Any]]:
    """What YOLOv8n-seg finds in each of 300 frames of a street (480 x 360, 10 a second), as lists of Detection with masks.

    overlap     a detection of whose mask more than this part lies inside a better one's of its class is left out: it is a
                second box of one object. None: all are there, from a score of .1 up
    """
    import n6post
    from n6post.labels import class_name
    from n6post.mask import Grid, Mask

    with lzma.open(places.RECORDED.parent / "street.xz") as file:
        stored = dict(np.load(io.BytesIO(file.read())))
    grid = Grid(*stored["grid"].tolist(), (0, 0, 480, 360))
    bits = np.unpackbits(stored["mask"])
    frames: list[list[Any]] = [[] for _ in range(int(stored["frame"][-1]) + 1)]
    masks: list[tuple[int, Any]] = []  # of this frame: class, the whole plane
    at, now = 0, -1
    for frame, rect, score, class_id, crop in zip(*(stored[n] for n in ("frame", "rect", "score", "class_id", "crop"))):
        x, y, w, h = crop.tolist()
        inside = bits[at : at + w * h].reshape(h, w).astype(bool)
        at += w * h
        if frame != now:
            masks, now = [], frame
        if overlap is not None:
            same = [plane[y : y + h, x : x + w] for other, plane in masks if other == class_id]
            if any((inside & plane).sum() > overlap * inside.sum() for plane in same):
                continue
            plane = np.zeros((80, 80), bool)
            plane[y : y + h, x : x + w] = inside
            masks.append((int(class_id), plane))
        mask = Mask(bytes(np.where(inside, 255, 0).astype(np.uint8)), (x, y, w, h), (x, y, w, h), tuple(rect.tolist()), grid)
        label = class_name(int(class_id), 80)
        frames[frame].append(n6post.Detection(tuple(rect.tolist()), float(score), int(class_id), label, mask, None))
    return frames
