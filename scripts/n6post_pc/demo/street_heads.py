"""Draw what `optimize` gains: the people in a frame of a street, as an int8 network finds them, as published and optimized.

Both halves also have the boxes of the float network with the same weights. The video's own picture is not part of this
project, so the float network's masks are drawn on an empty floor.
"""

from typing import Any

import image
import n6post
import numpy as np
from image import _formats
from PIL import Image, ImageDraw, ImageFont

from ..models.compare import box_iou
from . import recorded

SIZE = (640, 480)  # of the drawn frame
SHOWN = (20, 292)  # the rows of the frame with people
LINE = 26  # height of a line of text

_FLOOR, _SEAMS = (30, 34, 44), (44, 50, 62)
_HORIZON = (400, -110)

Color = tuple[int, int, int]
PUBLISHED, OPTIMIZED, FLOAT, MASK, TEXT = (255, 90, 90), (90, 220, 120), (255, 255, 255), (84, 92, 112), (190, 196, 206)

# The mean IoU with the boxes of the float network in 795 frames of the street; the share of boxes with more than .7 of their
# mask in that of a better one; and what `optimize --npu u55` shows.
FIGURES = "795 frames: IoU 0.74 -> 0.97, second boxes 15% -> 0%. AE3 (Vela): 37.8 -> 30.7 ms, 2.7 -> 1.0 MiB"


def floor() -> image.Image:
    """A floor of tiles in perspective."""
    y, x = np.mgrid[0 : SIZE[1], 0 : SIZE[0]]
    depth = 1 / (y - _HORIZON[1])
    # The seams between the tiles get narrower with distance.
    across, along = (x - _HORIZON[0]) * depth * 9, 2800 * depth
    seams = (np.abs(across - np.round(across)) < 0.6 * 9 * depth) | (np.abs(along - np.round(along)) < 1400 * depth**2)
    rgb = np.where(seams[..., None], _SEAMS, _FLOOR).astype(np.uint8)
    img = image.Image(*SIZE, image.RGB565)
    img._store(_formats.rgb888_to_rgb565(rgb[..., 0], rgb[..., 1], rgb[..., 2]))
    return img


def mean_iou(detections: list[Any], truth: list[Any]) -> float:
    """For each of the float network's detections, the IoU of the best box of its class; their mean."""
    best = [max((box_iou(d.rect, one.rect) for d in detections if d.class_id == one.class_id), default=0.0) for one in truth]
    return float(np.mean(best))


def picture() -> Image.Image:
    published, optimized, truth = recorded.street_heads()
    halves = [
        _half("int8 as published", published, truth, PUBLISHED),
        _half("the same file, optimized", optimized, truth, OPTIMIZED),
        _caption([(FIGURES, TEXT)]),
    ]
    whole = Image.new("RGB", (SIZE[0], sum(half.height for half in halves)))
    top = 0
    for half in halves:
        whole.paste(half, (0, top))
        top += half.height
    return whole


def _half(title: str, detections: list[Any], truth: list[Any], color: Color) -> Image.Image:
    img = floor()
    n6post.draw(img, truth, color=MASK, alpha=255, boxes=False, labels=False)
    n6post.draw(img, truth, color=FLOAT, masks=False, thickness=1, labels=False)
    n6post.draw(img, detections, color=color, masks=False, thickness=2, labels=False)
    caption = _caption([(f"{title}: {len(detections)} boxes", color), (f"in float: {len(truth)} boxes", FLOAT),
                        (f"mean IoU {mean_iou(detections, truth):.2f}", TEXT)])  # fmt: skip
    half = Image.new("RGB", (SIZE[0], LINE + SHOWN[1] - SHOWN[0]))
    half.paste(caption)
    half.paste(img.to_pil().convert("RGB").crop((0, SHOWN[0], SIZE[0], SHOWN[1])), (0, LINE))
    return half


def _caption(texts: list[tuple[str, Color]]) -> Image.Image:
    """A line of texts, each in its color."""
    line = Image.new("RGB", (SIZE[0], LINE))
    draw, font, x = ImageDraw.Draw(line), ImageFont.load_default(13), 8.0
    for text, color in texts:
        draw.text((x, 5), text, fill=color, font=font)
        x += draw.textlength(text, font=font) + 24
    return line
