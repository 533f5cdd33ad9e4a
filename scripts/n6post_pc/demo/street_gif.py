"""Draw an animated GIF of tracked people in a street: masks, track ids, trails, and a line that counts.

The detections of a network in a video (recorded.street) are passed to Tracker, Trail and LineZone frame by frame, as in
scripts/examples/count_people.py. The video's own pictures are not part of this project, so the results are drawn on an
empty floor.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import image
import n6post
import numpy as np
from image import _formats
from PIL import Image

from .. import files
from . import recorded

FIRST, LAST, STEP = 110, 290, 2  # range of the recorded frames that are shown
SIZE = (640, 480)  # of the drawn frame
SHOWN = 336  # rows of the frame that are shown: there are no people below
LINE = ((340, 252), (340, 100))  # in the recorded frame
COLORS = 48  # number of colors in the GIF

_FLOOR, _SEAMS = (30, 34, 44), (44, 50, 62)
_HORIZON = (400, -110)


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


def frames() -> Iterator[tuple[Any, list[Any], n6post.LineZone]]:
    """(picture, tracked detections, line) of each frame that is shown. All earlier frames are tracked, too."""
    ground = floor()
    tracker, trail = n6post.Tracker(threshold=0.4), n6post.Trail(30)
    line = n6post.LineZone(*LINE, frame_size=recorded.STREET_SIZE)
    for number, detections in enumerate(recorded.street()[:LAST]):
        tracked = trail.update(tracker.update(detections, elapsed_ms=100), elapsed_ms=100)
        line.trigger(tracked, elapsed_ms=100)
        if number >= FIRST and (number - FIRST) % STEP == 0:
            img = ground.copy()
            n6post.draw(img, trail, color_by="track")
            n6post.draw(img, tracked, color_by="track", alpha=190, labels=lambda d: f"#{d.track_id}")
            n6post.draw(img, line)
            yield img.to_pil().convert("RGB").crop((0, 0, SIZE[0], SHOWN)), tracked, line


def write(path: Path) -> None:
    """Write the GIF, as a loop in real time."""
    pictures = [picture for picture, *_ in frames()]
    some = Image.fromarray(np.concatenate([np.asarray(picture) for picture in pictures[:: len(pictures) // 8]]))
    palette = some.quantize(COLORS, dither=Image.Dither.NONE)
    first, *others = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    # optimize makes pixels transparent that have not changed since the previous frame, which compresses well.
    with files.replacing(path) as temporary:
        first.save(temporary, save_all=True, append_images=others, duration=100 * STEP, loop=0, disposal=1, optimize=True)
