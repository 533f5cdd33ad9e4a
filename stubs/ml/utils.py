"""Of ml.utils only what draws: boxes with labels, keypoints, skeletons. The rest of it is not here."""

from collections.abc import Sequence
from typing import Any

import _host
from image import Image

Color = tuple[int, int, int]


def draw_predictions(
    image: Image,
    boxes: Sequence[Any],
    labels: Sequence[str],
    colors: Sequence[Color],
    scores: Sequence[float] | None = None,
    format: str | None = "pascal_voc",
    font_width: int = 8,
    font_height: int = 10,
    text_color: Color = (255, 255, 255),
) -> None:
    """One box each with its label above it.

    format: "pascal_voc" for (x0, y0, x1, y1) in 0..1 of the image, "point" for a dot in the middle of (x, y, w, h),
    None for (x, y, w, h) in pixels. Text and lines grow with the image, as in firmware 5.0. 4.8.1 has neither that nor
    `scores` and "point", and its fifth argument is `format`.
    """
    width = image.width()
    zoom = _between(1, width // 320, 4)
    line = _between(1, width // 480, 3)
    letter, row = font_width * zoom, font_height * zoom
    for number, (x, y, w, h) in enumerate(boxes):
        color = colors[number]
        text = labels[number] if scores is None else f"{labels[number]} {scores[number]:.2f}"
        if format == "point":
            radius = _between(4, width // 60, 16)
            left, middle = x + w // 2, y + h // 2
            image.draw_circle((left, middle, radius), color=color, thickness=line, fill=True)
            top = max(0, middle - radius - row)
        else:
            if format == "pascal_voc":
                x, y, w, h = _in_pixels(image, x, y, w, h)
            image.draw_rectangle((x, y, w, h), color=color, thickness=line)
            left, top = x, y - row
        image.draw_rectangle((left, top, len(text) * letter, row), color=color, fill=True)
        image.draw_string((left, top), text.upper(), color=text_color, scale=zoom)


def _draw_predictions_4_8_1(
    image: Any,
    boxes: Sequence[Any],
    labels: Sequence[str],
    colors: Sequence[Color],
    format: str | None = "pascal_voc",
    font_width: int = 8,
    font_height: int = 10,
    text_color: Color = (255, 255, 255),
) -> None:
    """The same as firmware 4.8.1 has it."""
    for number, (x, y, w, h) in enumerate(boxes):
        color, text = colors[number], labels[number]
        if format == "pascal_voc":
            x, y, w, h = _in_pixels(image, x, y, w, h)
        image.draw_rectangle(x, y, w, h, color=color)
        image.draw_rectangle(x, y - font_height, len(text) * font_width, font_height, color=color, fill=True)
        image.draw_string(x, y - font_height, text.upper(), text_color)


def draw_keypoints(
    image: Image,
    keypoints: Sequence[Any],
    radius: int = 4,
    color: Color = (255, 0, 0),
    thickness: int = 1,
    fill: bool = False,
) -> None:
    """A circle at each (x, y, ...); a single pixel for radius 0."""
    for point in keypoints:
        x, y = int(point[0]), int(point[1])
        if radius > 0:
            image.draw_circle((x, y, radius), color=color, thickness=thickness, fill=fill)
        elif radius == 0:
            image.set_pixel((x, y), color)


def draw_skeleton(
    image: Image,
    keypoints: Sequence[Any],
    lines: Sequence[tuple[int, int]],
    kp_radius: int = 4,
    kp_color: Color = (255, 0, 0),
    kp_thickness: int = 1,
    kp_fill: bool = False,
    line_color: Color = (0, 255, 0),
    line_thickness: int = 1,
) -> None:
    """The keypoints, then a line for each pair of indices."""
    draw_keypoints(image, keypoints, kp_radius, kp_color, kp_thickness, kp_fill)
    for a, b in lines:
        ends = (int(keypoints[a][0]), int(keypoints[a][1]), int(keypoints[b][0]), int(keypoints[b][1]))
        image.draw_line(ends, color=line_color, thickness=line_thickness)


def _in_pixels(image: Image, x0: float, y0: float, x1: float, y1: float) -> tuple[int, int, int, int]:
    """(x, y, w, h) of corners in 0..1."""
    left, top = int(x0 * image.width()), int(y0 * image.height())
    return left, top, int(x1 * image.width()) - left, int(y1 * image.height()) - top


def _between(low: int, value: int, high: int) -> int:
    return min(max(value, low), high)


_DRAW_PREDICTIONS = draw_predictions, _draw_predictions_4_8_1


def _follow() -> None:
    globals()["draw_predictions"] = _DRAW_PREDICTIONS[_host.old("drawing")]


_host.follow_firmware(_follow)
