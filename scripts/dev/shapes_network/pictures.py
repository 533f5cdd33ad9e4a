"""Pictures of shapes, painted by numpy: circles, triangles, squares and stars on photographs and plain surfaces.

`make(part, number)` always returns the same picture. The photographs come with the scikit-image package; the parts "train"
and "test" use different ones. Those of "test" may be distributed: camera (L. Varshney, CC0), gravel (CC0Textures, CC0) and
rocket (SpaceX, public domain).
"""

import functools
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import skimage
from PIL import Image, ImageDraw, ImageFilter

CLASSES = ("circle", "triangle", "square", "star")
OTHERS = ("plus", "bar")  # painted like the classes, but not labeled: the network has to ignore them
PARTS = ("train", "test")
PHOTOGRAPHS = {
    "train": ("astronaut.png", "brick.png", "chelsea.png", "coffee.png", "grass.png", "hubble_deep_field.jpg", "ihc.png",
              "motorcycle_left.png", "page.png"),
    "test": ("camera.png", "gravel.png", "rocket.jpg"),
}  # fmt: skip
SIZES = {"train": ((320, 240), (320, 180), (240, 240), (240, 320)), "test": ((320, 240),)}  # (width, height)
PLUS = (1, 3), (1, 1), (3, 1), (3, -1), (1, -1), (1, -3), (-1, -3), (-1, -1), (-3, -1), (-3, 1), (-1, 1), (-1, 3)

Array = np.ndarray


class Thing(NamedTuple):
    """A labeled object: its class, and a mask (H, W) of its visible pixels."""

    class_id: int
    mask: Array

    @property
    def box(self) -> tuple[int, int, int, int]:
        """x, y, w, h of the visible pixels."""
        x, y = (np.flatnonzero(self.mask.any(axis)) for axis in (0, 1))
        return int(x[0]), int(y[0]), int(x[-1] - x[0] + 1), int(y[-1] - y[0] + 1)


def make(part: str, number: int) -> tuple[Array, list[Thing]]:
    """A picture (H, W, 3) uint8 and its labeled objects. Every twelfth picture has none."""
    rng = np.random.default_rng([PARTS.index(part), number])
    sizes = SIZES[part]
    width, height = sizes[rng.integers(len(sizes))]
    picture = _background(rng, part, width, height)
    wanted = 0 if number % 12 == 11 else int(rng.integers(1, 8))
    things: list[Thing] = []
    areas: list[int] = []
    for _ in range(wanted):
        _add(rng, part, picture, things, areas, int(rng.integers(len(CLASSES))))
    for _ in range(int(rng.integers(0, 3))):
        _add(rng, part, picture, things, areas, None)
    return _photographed(rng, picture), things


def _add(
    rng: np.random.Generator, part: str, picture: Array, things: list[Thing], areas: list[int], class_id: int | None
) -> None:
    """Paint an object where it leaves at least 45 % of each earlier one visible. After eight tries, paint none."""
    height, width = picture.shape[:2]
    radius = float(np.exp(rng.uniform(math.log(15), math.log(62))))
    for _ in range(8):
        x, y = rng.uniform(radius * 0.6, width - radius * 0.6), rng.uniform(radius * 0.6, height - radius * 0.6)
        kind = CLASSES[class_id] if class_id is not None else OTHERS[rng.integers(len(OTHERS))]
        cover = _cover(_outline(rng, kind) * radius + (x, y), width, height)
        pixels = cover > 0.5
        if all((thing.mask & ~pixels).sum() >= 0.45 * area for thing, area in zip(things, areas)):
            break
    else:
        return
    _paint(rng, part, picture, cover, radius, (x, y))
    for thing in things:
        thing.mask[pixels] = False
    if class_id is not None:
        things.append(Thing(class_id, pixels))
        areas.append(int(pixels.sum()))


# ---- outlines ----


def _outline(rng: np.random.Generator, kind: str) -> Array:
    """Corners (n, 2) around the origin, radius about 1: rotated, seen at an angle, with more or less rounded corners."""
    if kind == "bar":
        points = np.array([(-1.2, -0.2), (1.2, -0.2), (1.2, 0.2), (-1.2, 0.2)])
    elif kind == "plus":
        points = np.array(PLUS) / 3
    else:
        corners = {"circle": 40, "triangle": 3, "square": 4, "star": 10}[kind]
        turns = np.arange(corners) / corners * 2 * np.pi
        points = np.stack((np.cos(turns), np.sin(turns)), 1)
        if kind == "star":
            points *= np.where(np.arange(corners) % 2, rng.uniform(0.4, 0.52), 1.1)[:, None]
    cut = rng.uniform(0.02, 0.14)
    for _ in range(2):  # Chaikin's algorithm cuts each corner
        following = np.roll(points, -1, 0)
        points = np.stack((points + cut * (following - points), following + cut * (points - following)), 1).reshape(-1, 2)
    return points @ _rotation(rng) @ np.diag((1, rng.uniform(0.72, 1))) @ _rotation(rng)


def _rotation(rng: np.random.Generator) -> Array:
    turn = rng.uniform(0, 2 * np.pi)
    return np.array([(math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))])


def _cover(points: Array, width: int, height: int, fine: int = 3) -> Array:
    """How much of each pixel (height, width) lies inside the outline, 0..1."""
    canvas = Image.new("L", (width * fine, height * fine))
    ImageDraw.Draw(canvas).polygon([(x * fine, y * fine) for x, y in points], fill=255)
    return np.asarray(canvas.reduce(fine), np.float32) / 255


# ---- colors, textures, light ----


def _paint(
    rng: np.random.Generator, part: str, picture: Array, cover: Array, radius: float, center: tuple[float, float]
) -> None:
    """Paint an object into the picture: one or two colors in a pattern, flat like paper or round like a ball."""
    height, width = cover.shape
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    x, y = (x - center[0]) / radius, (y - center[1]) / radius
    light = _rotation(rng)[0]  # the direction of the light and of the pattern
    along, across = x * light[0] + y * light[1], y * light[0] - x * light[1]
    one, other = _color(rng), _color(rng)
    mix = np.zeros_like(x)
    pattern = rng.choice(("plain", "plain", "gradient", "stripes", "checks", "rim", "photograph"))
    if pattern == "gradient":
        mix = np.clip((along + 1) / 2, 0, 1)
    elif pattern == "stripes":
        mix = np.sin(along * rng.uniform(5, 14)) > rng.uniform(-0.5, 0.5)
    elif pattern == "checks":
        count = rng.uniform(4, 9)
        mix = np.sin(along * count) * np.sin(across * count) > 0
    elif pattern == "rim":
        mix = _blurred(cover, radius * 0.12) < 235 / 255
    paint = one + (other - one) * mix.astype(np.float32)[..., None]
    if pattern == "photograph":
        paint = (_background(rng, part, width, height) + one) / 2

    bulge = rng.choice((0.0, 0.0, rng.uniform(0.2, 0.7)))
    shade = 1 + 0.25 * rng.uniform(-1, 1) * along - bulge * ((x - light[0] / 3) ** 2 + (y - light[1] / 3) ** 2) / 2
    paint = paint * np.clip(shade, 0.3, 1.3)[..., None]
    if bulge:
        paint += 110 * np.exp(-((x - light[0] * 0.4) ** 2 + (y - light[1] * 0.4) ** 2) / 0.05)[..., None]
    if rng.random() < 0.6:
        far = radius * rng.uniform(0.03, 0.25) * light
        shadow = np.roll(_blurred(cover, radius * rng.uniform(0.03, 0.15)), (round(far[1]), round(far[0])), (0, 1))
        picture *= 1 - rng.uniform(0.2, 0.6) * shadow[..., None]
    picture += cover[..., None] * (paint - picture)


def _blurred(cover: Array, radius: float) -> Array:
    gray = Image.fromarray((cover * 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(radius))
    return np.asarray(gray, np.float32) / 255


def _color(rng: np.random.Generator) -> Array:
    """Any color, more often a saturated one than a gray one."""
    hue, saturation, value = rng.random(), rng.uniform(0, 1) ** 0.5, rng.uniform(0.25, 1)
    rgb = np.clip(np.abs((hue * 6 + np.array((0, 4, 2))) % 6 - 3) - 1, 0, 1)
    return np.float32(255 * value * (1 - saturation * (1 - rgb)))


@functools.cache
def _photograph(name: str) -> Image.Image:
    return Image.open(Path(skimage.__file__).parent / "data" / name).convert("RGB")


def _background(rng: np.random.Generator, part: str, width: int, height: int) -> Array:
    """A piece of a photograph, or an unevenly lit surface of one color with some grain: (height, width, 3) float."""
    if rng.random() < 0.6:
        photograph = _photograph(PHOTOGRAPHS[part][rng.integers(len(PHOTOGRAPHS[part]))])
        scale = rng.uniform(0.4, 1) * min(photograph.width / width, photograph.height / height)
        w, h = width * scale, height * scale
        x, y = rng.uniform(0, photograph.width - w), rng.uniform(0, photograph.height - h)
        piece = photograph.resize((width, height), Image.Resampling.BILINEAR, (x, y, x + w, y + h))
        if rng.random() < 0.5:
            piece = piece.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        return np.asarray(piece, np.float32) * rng.uniform(0.6, 1.15)
    surface = _color(rng) * 0.4 + rng.uniform(30, 150)
    # One column of grain for the whole width looks like wood.
    grain = rng.normal(0, rng.uniform(1, 12), (height, width if rng.random() < 0.7 else 1))
    light = np.linspace(*rng.uniform(0.7, 1.2, 2), width)[None, :] * np.linspace(*rng.uniform(0.8, 1.15, 2), height)[:, None]
    return np.float32((surface + grain[..., None]) * light[..., None])


def _photographed(rng: np.random.Generator, picture: Array) -> Array:
    """The picture as a camera delivers it: with contrast, white balance, focus and noise of its own."""
    picture = (picture - 110) * rng.uniform(0.75, 1.2) + 110 + rng.uniform(-20, 20)
    picture = picture * rng.uniform(0.88, 1.12, 3)
    seen = Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8))
    if rng.random() < 0.5:
        seen = seen.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, 1.3)))
    noisy = np.asarray(seen, np.float32) + rng.normal(0, rng.uniform(0.5, 7), picture.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)
