"""Track: what was drawn on the frame, and what a tracker, lines, zones and a plane say after all frames up to one.

The camera script's own lines run here, on the video's clock, so the page shows what `n6post host` prints.
"""

import reprlib
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import _clock
import n6post

from ..command import UserError
from ..models import results
from . import script

BEYOND = 20  # pixels that a point may lie outside of the frame: a zone at its border should reach beyond it
MOST = 20  # lines, and zones
MOST_POINTS = 100  # of a zone
LARGEST = 10_000  # meters, and pixels of a frame
STILL = Fraction(25, 2)  # frames a second of a still picture: `n6post host` repeats it every 80 ms
KEPT = 4  # sets of options whose detections are kept, and runs over them
SECONDS = 0.5  # for which `History.run` works on at most
LOW = 0.1  # of a processor before a tracker: docs/tracking.md

Point = tuple[int, int]


@dataclass(frozen=True)
class Scene:
    """What was drawn on a frame of `size`, in its pixels.

    plane   four corners of a rectangle on the ground, from the far left one clockwise; or nothing
    meters  (width, length) of this rectangle
    """

    size: Point = (1, 1)
    lines: tuple[tuple[Point, ...], ...] = ()
    zones: tuple[tuple[Point, ...], ...] = ()
    plane: tuple[Point, ...] = ()
    meters: tuple[float, float] = (1, 1)

    def moved(self, picture: Point, size: Point) -> "Scene":
        """The same places of the picture, of (width, height) `picture`, in a frame of another size."""
        if self.size == size:
            return self
        (x, y), (w, h) = self.size, size  # the middle stays the middle
        factor = min(w / picture[0], h / picture[1]) / min(x / picture[0], y / picture[1])

        def at(points: tuple[Point, ...]) -> tuple[Point, ...]:
            return tuple((round((px - x / 2) * factor + w / 2), round((py - y / 2) * factor + h / 2)) for px, py in points)

        return Scene(size, tuple(map(at, self.lines)), tuple(map(at, self.zones)), at(self.plane), self.meters)

    def parts(self, threshold: float | None) -> tuple[script.Part, ...]:
        """What the script makes. threshold: the score that starts a track; None: the Tracker's own"""
        drawn = {"line": self.lines, "zone": self.zones, "plane": (self.plane,) * bool(self.plane)}
        return (
            script.part("tracker", "" if threshold is None else f"threshold={threshold!r}"),
            *(script.part(kind, self._arguments(kind, points), number if len(many) > 1 else 0)
              for kind, many in drawn.items() for number, points in enumerate(many, 1)),
        )  # fmt: skip

    def _arguments(self, kind: str, points: tuple[Point, ...]) -> str:
        if kind == "plane":
            width, length = self.meters
            return f"{list(points)}, {[(0, length), (width, length), (width, 0), (0, 0)]}"
        return str(list(points)) if kind == "zone" else ", ".join(map(str, points))


def checked(given: Any) -> Scene:
    """The scene of a request: an object with entries of Scene. UserError for what cannot be drawn."""
    if isinstance(given, Scene):
        return given
    if not isinstance(given, dict) or not given.keys() <= Scene.__dataclass_fields__.keys():
        raise UserError(f"scene: expected an object with {', '.join(Scene.__dataclass_fields__)}, got {reprlib.repr(given)}")
    size = _numbers("size", given.get("size", [1, 1]), 1, LARGEST)
    low, high = -BEYOND, [round(side) + BEYOND for side in size]

    def points(name: str, value: Any, least: int, most: int) -> tuple[Point, ...]:
        number = str(least) if least == most else f"{least} to {most}"
        what = f"{name}: expected {number} points (x, y) in the frame of {size[0]} x {size[1]}, or {BEYOND} pixels beyond it"
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise UserError(f"{what}, got {f'{len(value)} of them' if isinstance(value, list) else reprlib.repr(value)}")
        for one in value:
            if not _are_numbers(one) or not (low <= one[0] <= high[0] and low <= one[1] <= high[1]):
                raise UserError(f"{what}, got {reprlib.repr(one)}")
        return tuple((round(x), round(y)) for x, y in value)

    def several(name: str, least: int, most: int) -> tuple[tuple[Point, ...], ...]:
        many = given.get(f"{name}s", [])
        if not isinstance(many, list) or len(many) > MOST:
            raise UserError(f"{name}s: expected a list of at most {MOST}, got {reprlib.repr(many)}")
        return tuple(points(f"{name} {number}", one, least, most) for number, one in enumerate(many, 1))

    plane = given.get("plane", [])
    return Scene(
        (round(size[0]), round(size[1])), several("line", 2, 2), several("zone", 3, MOST_POINTS),
        points("plane", plane, 4, 4) if plane != [] else (), _numbers("meters", given.get("meters", [1, 1]), 0.01, LARGEST),
    )  # fmt: skip


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(one) in (int, float) for one in value)


def _numbers(name: str, value: Any, low: float, high: float) -> tuple[Any, Any]:
    if not _are_numbers(value) or not all(low <= one <= high for one in value):
        raise UserError(f"{name}: expected two numbers from {low} to {high}, got {reprlib.repr(value)}")
    return value[0], value[1]


class _Clock(_clock.VideoClock):
    """The video's clock as the script's thread sees it: reading it takes time in the page's threads too."""

    def now_ns(self) -> int:
        self._now += _clock._READING
        return self._now


class Run:
    """The tracker and what was drawn, after `frames` of `total` frames.

    rate    frames a second; None: time passes as on this PC

    UserError for a line, zone or plane that cannot be.
    """

    def __init__(self, scene: Scene, threshold: float | None, length: int, rate: Fraction | None) -> None:
        self.scene, self.parts, self.frames, self.total = scene, scene.parts(threshold), 0, 0
        self.names: dict[str, Any] = {"n6post": n6post}
        self._time = _clock.PcClock() if rate is None else _Clock([(length, rate)])
        self._step = compile("".join(f"{one.step}\n" for one in self.parts), "<camera script>", "exec")
        for one in self.parts:
            try:
                exec(one.made, self.names)
            except ValueError as error:
                raise UserError(f"{one.name}: {error}") from error

    def step(self, detections: Any) -> None:
        before, _clock.clock = _clock.clock, self._time
        self.names["detections"] = detections
        try:
            self._time.next_frame(0)
            exec(self._step, self.names)
        finally:
            _clock.clock = before
        self.frames += 1

    def rows(self) -> list[list[str]]:
        """The table of results, with the id of each track, and its speed if there is a plane."""
        detections, plane = self.names["detections"], self.names.get("plane")
        rows = [[f"#{d.track_id} {row[0]}", *row[1:]] for d, row in zip(detections, results.rows(detections))]
        speeds = [plane and plane.speed(d) for d in detections]
        return [[*row, "" if speed is None else f"{speed:.1f} km/h"] for row, speed in zip(rows, speeds)] if plane else rows

    def draw(self, frame: Any) -> None:
        exec(script.draws("objects", self.parts), {**self.names, "img": frame})

    def shown(self) -> dict[str, Any]:
        """What the page shows of the scene: it as it is in this frame, and what each line and zone says."""
        says = [" ".join(script.run(one.lines, self.names)) for one in self.parts[1:] if one.name != "plane"]
        return {"scene": asdict(self.scene), "says": says}


class History:
    """What was found in the frames of videos, and the runs over it: playing goes on, and going back needs no network."""

    def __init__(self) -> None:
        self._found: OrderedDict[tuple[Any, ...], list[Any]] = OrderedDict()
        self._runs: OrderedDict[tuple[Any, ...], Run] = OrderedDict()

    def run(
        self, key: tuple[Any, ...], scene: Scene, threshold: float | None, source: Any, number: int,
        detect: Callable[[int], Any],
    ) -> Run | None:  # fmt: skip
        """The run up to a frame, or after SECONDS of work to an earlier one. None if the network finds no objects.

        key         what the detections depend on
        threshold   the score that starts a track; None: the Tracker's own
        number      of the frame, from 0. A still picture is seen twice, as `n6post host` shows it to a tracker. Of a camera,
                    each call sees the newest frame
        detect      returns what the network finds in a frame
        """
        found, key = _kept(self._found, key, list), (*key, scene, threshold)

        def begin() -> Run:
            return Run(scene, threshold, max(source.count, 2), None if source.live else source.rate or STILL)

        run: Run = _kept(self._runs, key, begin)
        if source.live:
            found.clear()
        total = run.frames + 1 if source.live else min(max(number, 0) + 1, source.count) if source.rate else 2
        if run.frames > total:
            run = self._runs[key] = begin()
        run.total = total
        end = time.monotonic() + SECONDS
        while run.frames < run.total:
            if len(found) <= run.frames:
                detections = detect(min(run.frames, source.count - 1))
                if not isinstance(detections, list):
                    return None
                found.append(detections)
            run.step(found[-1] if source.live else found[run.frames])
            if time.monotonic() > end:
                break
        return run

    def forget(self, key: str) -> None:
        """Drop what was made of a model or a picture."""
        for kept in (self._found, self._runs):
            for one in [one for one in kept if key in one]:
                del kept[one]


def _kept(kept: OrderedDict[tuple[Any, ...], Any], key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    if key not in kept:
        kept[key] = make()
        while len(kept) > KEPT:
            kept.popitem(last=False)
    kept.move_to_end(key)
    return kept[key]
