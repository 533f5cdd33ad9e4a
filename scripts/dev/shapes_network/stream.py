"""A made-up video in which hard frames are rare: short scenes of shapes past which the camera moves, some at night, out of
focus or in fog.

`scene(part, number, hard)` always returns the same frames. A scene is one painted picture, larger than the frame.
"""

from collections.abc import Iterable

import numpy as np
from PIL import Image, ImageFilter

from . import pictures

FRAMES, WIDTH, HEIGHT = 30, 320, 240  # of a scene
HARD = ("night", "out of focus", "fog")
Frame = tuple[np.ndarray, list[pictures.Thing]]


def scene(part: str, number: int, hard: str | None, numbers: Iterable[int] = range(FRAMES)) -> list[Frame]:
    """Frames of a scene, (HEIGHT, WIDTH, 3) uint8, with the objects that are at least half visible."""
    rng = np.random.default_rng([7, pictures.PARTS.index(part), number])
    width, height = 448, 336
    picture = pictures._background(rng, part, width, height)
    things: list[pictures.Thing] = []
    areas: list[int] = []
    for kind in (*rng.integers(len(pictures.CLASSES), size=rng.integers(2, 9)), None):
        pictures._add(rng, part, picture, things, areas, kind)
    (x0, x1), (y0, y1) = rng.uniform(0, width - WIDTH, 2), rng.uniform(0, height - HEIGHT, 2)
    frames = []
    for n in numbers:
        at = n / (FRAMES - 1)
        x, y = round(x0 + (x1 - x0) * at), round(y0 + (y1 - y0) * at)
        part_of = slice(y, y + HEIGHT), slice(x, x + WIDTH)
        seen = [pictures.Thing(t.class_id, t.mask[part_of]) for t in things if 2 * t.mask[part_of].sum() > t.mask.sum()]
        frames.append((_exposed(np.random.default_rng([number, n]), picture[part_of], hard), seen))
    return frames


def _exposed(rng: np.random.Generator, picture: np.ndarray, hard: str | None) -> np.ndarray:
    noise = 4.0
    if hard == "night":
        picture, noise = picture * 0.3, 9.0
    elif hard == "fog":
        picture = picture * 0.35 + 120
    elif hard == "out of focus":
        blurred = Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(3))
        picture = np.asarray(blurred, np.float32)
    return np.clip(picture + rng.normal(0, noise, picture.shape), 0, 255).astype(np.uint8)
