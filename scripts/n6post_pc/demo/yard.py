"""The moving picture of the README: people in a yard are tracked, counted at a door and timed beside a bench.

The yard is rendered (scripts/dev/recording/yard_scene.py), and what YOLOv8n-seg finds in it is recorded (recorded.yard). The
detections are passed to Tracker, Trail, LineZone and PolygonZone frame by frame, as in scripts/examples/count_people.py.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import n6post
from PIL import Image

from .. import files
from . import gallery, recorded

ELAPSED_MS = 100  # between two frames
LINE = ((262, 285), (468, 285))  # in front of the door
BENCH = ((20, 262), (196, 262), (204, 330), (8, 330))


def frames() -> Iterator[tuple[Image.Image, list[Any], n6post.LineZone, n6post.PolygonZone]]:
    """(picture, tracked detections, line, zone) of each frame."""
    tracker, trail = n6post.Tracker(threshold=0.4), n6post.Trail(20)
    line = n6post.LineZone(*LINE, frame_size=recorded.YARD_SIZE)
    zone = n6post.PolygonZone(BENCH, frame_size=recorded.YARD_SIZE)

    def label(d: Any) -> str:
        waited = zone.dwell_time(d.track_id)
        return f"#{d.track_id} {waited:.0f} s" if waited else f"#{d.track_id}"

    for picture, detections in recorded.yard():
        tracked = trail.update(tracker.update(detections, elapsed_ms=ELAPSED_MS), elapsed_ms=ELAPSED_MS)
        line.trigger(tracked, elapsed_ms=ELAPSED_MS)
        zone.trigger(tracked, elapsed_ms=ELAPSED_MS)
        img = gallery.frame_of(picture)
        n6post.draw(img, zone)
        n6post.draw(img, trail, color_by="track")
        n6post.draw(img, line)
        n6post.draw(img, tracked, color_by="track", alpha=72, labels=label)
        yield img.to_pil().convert("RGB"), tracked, line, zone


def write(path: Path) -> None:
    """Write the frames as an animated WebP, as a loop in real time."""
    first, *others = [picture for picture, *_ in frames()]
    with files.replacing(path) as temporary:
        first.save(temporary, "WEBP", save_all=True, append_images=others, duration=ELAPSED_MS, loop=0, quality=60, method=4)
