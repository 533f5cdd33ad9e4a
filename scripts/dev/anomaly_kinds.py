"""Drawn parts for prove_anomaly.py: good and defective frames, with the pixels that differ.

A frame is drawn with and without its defect from the same random numbers. The camera sees each part a little moved and
turned, in a light that varies, with noise.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from skimage.filters import gaussian

SIZE = 480
BIG = 2 * SIZE  # of a sheet
SCALE = 1.8  # pixels of a sheet to one of the frame, whose edges stay inside of it
GENERIC = ("scratch", "pit", "stain", "fiber")  # defects that any part can have
VISIBLE = 14  # gray levels


@dataclass
class Sheet:
    """What one part is drawn on."""

    defect: str | None
    good: np.random.Generator  # of the part
    bad: np.random.Generator  # of its defect
    picture: Image.Image = field(init=False)

    def fill(self, pixels: Any) -> Any:
        self.picture = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
        return ImageDraw.Draw(self.picture)

    def grain(self, coarse: int, sigma: Any, amount: float) -> Any:
        """Blurred noise with this standard deviation, from dots of so many pixels."""
        noise = gaussian(self.good.standard_normal((BIG // coarse, BIG // coarse)), sigma, mode="wrap")
        noise = Image.fromarray((noise * (amount / noise.std())).astype(np.float32))
        return np.asarray(noise.resize((BIG, BIG), Image.Resampling.BICUBIC))[..., None]

    def paste(self, other: Image.Image, middle: tuple[float, float], degrees: float) -> None:
        turned = other.convert("RGBA").rotate(degrees, Image.Resampling.BICUBIC, expand=True)
        self.picture.paste(turned, (round(middle[0] - turned.width / 2), round(middle[1] - turned.height / 2)), turned)


def around(middle: tuple[float, float], radii: Any, degrees: Any) -> list[tuple[float, float]]:
    """Points at these distances and angles."""
    turn = np.radians(degrees)
    return list(zip(middle[0] + radii * np.cos(turn), middle[1] + radii * np.sin(turn)))


def gear(sheet: Sheet) -> None:
    """A gear on a mat. Defects: a broken tooth, no keyway, a hole that was not drilled."""
    draw = sheet.fill(np.array([52, 56, 58]) + sheet.grain(2, 2, 5))
    middle, teeth, bad = (480.0, 480.0), 24, sheet.bad
    outline = np.tile([330.0, 390.0, 390.0, 330.0], teeth)
    if sheet.defect == "tooth":
        at = 4 * int(bad.integers(teeth))
        outline[at + 1 : at + 3] = bad.uniform(332, 352)
    draw.polygon(around(middle, outline, (np.arange(teeth)[:, None] * 15 + [0, 3, 7, 10]).ravel()), fill=(158, 160, 166))
    for radius in np.arange(320, 150, -6.0):  # turned on a lathe
        shade = int(sheet.good.normal(160, 5))
        draw.circle(middle, radius, fill=(shade, shade, shade + 5))
    undrilled = int(bad.integers(6)) if sheet.defect == "undrilled" else None
    for i, hole in enumerate(around(middle, 245.0, np.arange(6) * 60 + 30)):
        if i != undrilled:
            draw.circle(hole, 44, fill=(46, 48, 52), outline=(120, 122, 126), width=5)
    draw.circle(middle, 150, fill=(182, 184, 188), outline=(112, 114, 118), width=6)
    draw.circle(middle, 78, fill=(44, 46, 50))
    if sheet.defect != "keyway":
        draw.rectangle((460, 370, 500, 420), fill=(44, 46, 50))


WIRES = [(200, 40, 40), (235, 200, 60), (50, 120, 60), (40, 70, 170),
         (235, 235, 230), (40, 40, 44), (200, 110, 40), (120, 60, 140)]  # fmt: skip


def connector(sheet: Sheet) -> None:
    """A plug with pins and wires. Defects: two wires swapped, one missing, solder between two pins."""
    draw = sheet.fill(np.array([186, 190, 188]) + sheet.grain(8, 2, 4))
    at, wires = int(sheet.bad.integers(7)), list(WIRES)
    if sheet.defect == "swapped":
        wires[at : at + 2] = wires[at + 1], wires[at]
    for i, wire in enumerate(wires):
        x, shade, t = 186 + 84 * i, int(sheet.good.normal(196, 6)), np.linspace(0, 1, 12)
        draw.rectangle((x - 15, 110, x + 15, 300), fill=(shade, shade - 8, shade - 40), outline=(120, 116, 96), width=3)
        across = x + sheet.good.normal(0, 7) * np.sin(np.pi * t)
        if sheet.defect != "missing" or i != at:
            for width, part in ((48, 0.5), (36, 1.0), (8, 1.2)):
                color = tuple(min(255, int(part * value)) for value in wire)
                draw.line(list(zip(across, 540 + 430 * t)), fill=color, width=width, joint="curve")
    draw.rounded_rectangle((110, 270, 850, 560), 24, fill=(58, 60, 66), outline=(36, 38, 42), width=8)
    draw.text((330, 360), "P8 24V", fill=(206, 206, 210), font=ImageFont.load_default(size=88))
    if sheet.defect == "solder":
        y = sheet.bad.uniform(150, 240)
        draw.ellipse((194 + 84 * at, y - 9, 262 + 84 * at, y + 9), fill=(206, 208, 210))


def wood(sheet: Sheet) -> None:
    """Another piece of a planed board in each frame. Defects: a knot, a crack, filler."""
    y, x = np.mgrid[:BIG, :BIG].astype(np.float32)
    place = tuple(sheet.bad.uniform(240, 720, 2))
    across = x + sheet.grain(20, (11, 3), 30)[..., 0] + sheet.good.uniform(0, 500)
    if sheet.defect == "knot":  # rings pass it at both sides
        away = np.exp(-(((x - place[0]) / 60) ** 2) - ((y - place[1]) / 120) ** 2)
        across -= np.sign(x - place[0]) * 26 * away
    dark = (across / sheet.good.uniform(40, 46) % 1) ** 2
    draw = sheet.fill(np.array([206, 164, 112]) - dark[..., None] * [34, 38, 38] + sheet.grain(2, (40, 0.7), 5))
    if sheet.defect == "knot":
        for part, color in ((1.0, (128, 84, 48)), (0.7, (100, 62, 34)), (0.4, (72, 44, 26))):
            draw.polygon(around(place, part * np.array([26, 30, 38, 30] * 2), np.arange(8) * 45), fill=color)
    elif sheet.defect == "crack":
        points = [(place[0] + sheet.bad.normal(0, 5), place[1] - 110 + 22 * i) for i in range(11)]
        draw.line(points, fill=(66, 44, 28), width=int(sheet.bad.integers(5, 9)))
    elif sheet.defect == "filler":
        draw.polygon(around(place, sheet.bad.uniform(30, 52, 9), np.arange(9) * 40), fill=(206, 186, 150))


def bottle(sheet: Sheet) -> None:
    """A bottle before a lamp. Defects: a cap that is not straight, too little in it, a wrong character."""
    away = np.linspace(-1, 1, BIG)[:, None, None]
    lamp = 1 - 0.2 * (away**2 + away.transpose(1, 0, 2) ** 2)
    draw = sheet.fill(np.array([214, 220, 222]) * lamp + sheet.grain(8, 2, 2))
    top = sheet.good.uniform(455, 465) + (sheet.bad.uniform(25, 60) if sheet.defect == "level" else 0)
    outline = [(420, 190), (540, 190), (540, 250), (680, 430), (680, 930), (280, 930), (280, 430), (420, 250)]
    draw.polygon(outline, fill=(190, 206, 204), outline=(120, 138, 138), width=8)
    draw.rectangle((292, top, 668, 918), fill=(176, 96, 34))
    draw.line((292, top, 668, top), fill=(120, 66, 24), width=6)
    label = Image.new("RGB", (376, 360), (240, 238, 228))
    lot, at = list("L 4071 B"), int(sheet.bad.integers(2, 6))
    if sheet.defect == "character":
        lot[at] = "23589"[sheet.bad.integers(5)]
    text = ImageDraw.Draw(label)
    text.rectangle((0, 0, 376, 60), fill=(30, 84, 60))
    text.text((36, 70), "CIDRE", fill=(40, 40, 40), font=ImageFont.load_default(size=96))
    text.text((70, 190), "".join(lot), fill=(40, 40, 40), font=ImageFont.load_default(size=56))
    for x in range(60, 320, 13):
        text.rectangle((x, 280, x + 3 + x * 7 % 6, 340), fill=(20, 20, 20))
    x, y, turn = sheet.good.uniform((-3, -3, -0.6), (3, 3, 0.6))
    sheet.paste(label, (480 + x, 710 + y), turn)
    cap = Image.new("RGB", (168, 100), (176, 30, 40))
    for x in range(0, 168, 12):
        ImageDraw.Draw(cap).line((x, 18, x, 100), fill=(130, 20, 28), width=4)
    turn = sheet.bad.choice([-1, 1]) * sheet.bad.uniform(4, 9) if sheet.defect == "cap" else 0
    sheet.paste(cap, (480, 150 - abs(turn)), turn)


KINDS: dict[str, tuple[Callable[[Sheet], None], tuple[str, ...]]] = {
    "gear": (gear, ("tooth", "keyway", "undrilled")),
    "connector": (connector, ("swapped", "missing", "solder")),
    "wood": (wood, ("knot", "crack", "filler")),
    "bottle": (bottle, ("cap", "level", "character")),
}
HELD = ("wood", "bottle")  # n6post was not tuned with these
TEXTURES = ("wood",)  # have no fixed places


def damage(sheet: Sheet) -> None:
    """Draw a generic defect."""
    shape, random = Image.new("L", (BIG, BIG)), sheet.bad
    place, turn, draw = tuple(random.uniform(240, 720, 2)), random.uniform(0, 360), ImageDraw.Draw(shape)
    opacity, color, blur = 0.9, (240, 240, 236), 1
    if sheet.defect == "scratch":
        draw.line(around(place, random.uniform(50, 130), [turn, turn + 175]), fill=255, width=int(random.integers(4, 9)))
    elif sheet.defect == "fiber":
        bow = np.linspace(0, random.uniform(120, 240), 14) + turn
        draw.line(around(place, random.uniform(50, 110), bow), fill=255, width=int(random.integers(5, 9)))
        color = (70, 60, 150)
    elif sheet.defect == "pit":
        draw.circle(place, random.uniform(10, 24), fill=255)
        color = (16, 16, 16)
    else:  # a stain
        draw.polygon(around(place, random.uniform(30, 75, 12), np.arange(12) * 30), fill=255)
        opacity, color, blur = random.uniform(0.4, 0.65), (74, 54, 30), 8
    shape = shape.filter(ImageFilter.GaussianBlur(blur)).point(lambda value: value * opacity)
    sheet.picture.paste(color, (0, 0), shape)


def frame(
    kind: str, seed: int, index: int, purpose: str, defect: str | None = None, *,
    gain: float | None = None, shift: float | None = None, focus: float = 0.6,
) -> tuple[Any, Any]:  # fmt: skip
    """The frame [SIZE, SIZE, 3] in RGB and the mask of its defect.

    gain, shift     of the light, and in pixels of the frame; None: what the fixture and its lamp let pass
    focus           standard deviation of the blur, in pixels of the frame
    """
    key = [list(KINDS).index(kind), seed, ("learn", "good", "bad").index(purpose), index]
    random = np.random.default_rng([*key, 2])
    angle, turn = random.uniform(0, 2 * np.pi), np.radians(random.uniform(-1, 1))
    far, light = random.uniform(0, 4) if shift is None else shift, random.uniform(0.9, 1.1) if gain is None else gain
    across, down = random.uniform(-0.05, 0.05, 2)
    cos, sin = SCALE * np.cos(turn), SCALE * np.sin(turn)
    x, y = SIZE / 2 + far * np.cos(angle), SIZE / 2 + far * np.sin(angle)
    placed = cos, -sin, BIG / 2 - cos * x + sin * y, sin, cos, BIG / 2 - sin * x - cos * y

    def seen(what: str | None) -> Any:
        sheet = Sheet(what, np.random.default_rng(key), np.random.default_rng([*key, 1]))
        KINDS[kind][0](sheet)
        if what in GENERIC:
            damage(sheet)
        picture = sheet.picture.filter(ImageFilter.GaussianBlur(focus * SCALE))
        return np.asarray(picture.transform((SIZE, SIZE), Image.Transform.AFFINE, placed, Image.Resampling.BILINEAR), int)

    good = seen(None)
    pixels = seen(defect) if defect else good
    slope = np.linspace(-1, 1, SIZE)
    lit = pixels * (light * (1 + across * slope + down * slope[:, None]))[..., None]
    noisy = lit + random.normal(0, random.uniform(1.5, 4), lit.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8), np.abs(pixels - good).max(2) > VISIBLE
