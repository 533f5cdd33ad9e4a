"""Sequences of frames: tracker, zones and trail, and their results as JSON."""

from __future__ import annotations

import binascii
import io
import json
import math
import re
from collections import deque
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import n6post
import numpy as np
from tracker_reference import Reference
from ulab import _host

from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, close, require, same
from .drawing import hand_made

Frame = list[Any]
SOURCES: tuple[dict[str, Any], ...] = ({}, {"keypoint_threshold": 0.4, "frame_size": (640, 480)})
LABELS = ("person", "car", "ä\n", '日本 "x"', "🐈", "a" * 60)


def seen(rect: Any, score: float, class_id: int = 0, label: str = "person", track_id: int | None = None, **more: Any) -> Any:
    d: Any = n6post.Detection(rect, score, class_id, label, more.get("mask"), more.get("keypoints"))
    if track_id is not None:
        d.track_id = track_id
    return d


# --- the tracker -------------------------------------------------------------------------------------------------------
def tracker(dice: Dice) -> str:
    """For people far apart, the float64 reference's ids and rects; for other detections, the rules for every tracker."""
    return _clear_scene(dice) if dice.chance(0.5) else _wild_scene(dice)


def _clear_scene(dice: Dice) -> str:
    options: dict[str, Any] = {
        "threshold": dice.pick((0.5, 0.6, 0.3)), "max_gap": dice.pick((2.5, 0.24, 0.08)), "min_hits": dice.pick((2, 1, 4)),
    }  # fmt: skip
    tracks = n6post.Tracker(**options)
    reference = Reference(**options)
    people = [
        [200 + 900 * i, dice.whole(100, 2000), dice.whole(20, 120), dice.whole(30, 200)] for i in range(dice.whole(1, 4))
    ]
    steps = [(dice.whole(-4, 4), dice.whole(-4, 4)) for _ in people]
    ms = dice.pick((80, 80, 40, 160))
    said: list[Any] = []
    dice.tell(options=options, people=people, ms=ms, frames=said)
    for _ in range(dice.whole(3, 14)):
        found = []
        for person, (dx, dy) in zip(people, steps, strict=True):
            person[:2] = person[0] + dx, person[1] + dy
            if dice.chance(0.85):
                x, y = person[0] + dice.whole(-2, 2), person[1] + dice.whole(-2, 2)
                found.append(seen((x, y, *person[2:]), dice.pick((0.9, 0.7, 0.2, 0.05, 0.95, 0.8))))
        found.sort(key=lambda d: -d.score)
        said.append([(d.rect, d.score) for d in found])
        expected = reference.update([(d.rect, d.score, d.class_id) for d in found], ms)
        tracked, refused = attempt(tracks.update, found, elapsed_ms=ms)
        require(tracked is not None, "refused a valid frame: %s", refused)
        assert tracked is not None
        if reference.closest < 0.1:
            return BOUNDED
        same("ids", [d.track_id for d in tracked], [number for _, number, _ in expected])
        for d, (which, _, corners) in zip(tracked, expected, strict=True):
            x, y, w, h = d.rect
            close("corners", (x, y, x + w, y + h), corners, reach=1.6)
            require(d[1:] == found[which][1:] and d is not found[which], "%r of %r", d, found[which])
    return CONFIRMED


def _wild_scene(dice: Dice) -> str:
    options = {
        name: dice.pick(values)
        for name, values in (
            ("threshold", (0.5, 0.0, 1.0)), ("low_threshold", (0.1, 0.0, 0.9)), ("max_gap", (2.5, 0.08, 600)),
            ("max_distance", (22.0, 1, 64)), ("min_hits", (2, 1, 1000)), ("smooth_boxes", (True, False)),
            ("coast", (0, 0.16, 600)), ("max_tracks", (64, 1, 3, 1000)), ("smooth_keypoints", (False, True)),
            ("use_masks", (True, False)),
        )
        if dice.chance(0.3)
    }  # fmt: skip
    tracks = n6post.Tracker(**options)
    said: list[Any] = []
    dice.tell(options=options, frames=said)
    given: set[int] = set()
    box = np.array([0, 0, 0, 0])
    outcome = BOUNDED
    source: Any = dice.pick(SOURCES)
    masks = dice.chance(0.3)
    for _ in range(dice.whole(1, 8)):
        if dice.chance(0.03):
            tracks.reset()
        found = [_wild(dice, source, masks) for _ in range(dice.pick((2, 0, 1, 5, 12)))]
        ms = dice.pick((80, 80, 80.0, 40.5, 0.0, -240, 1e9, 580))
        bad = _spoiled(dice, found)
        ms = math.nan if bad == "ms" else ms
        said.append((found, ms))
        before = _state(tracks)
        tracked, refused = attempt(tracks.update, found if bad != "found" else 7, elapsed_ms=ms)
        if tracked is None:
            require(bad, "refused a valid frame: %s", refused)
            require(_state(tracks) == before, "a refused frame changed the tracks")
            outcome = REFUSED
            continue
        require(not bad, "accepted a frame that has to be refused")
        for d in found:
            x, y, w, h = d.rect
            box = np.array([*np.minimum(box[:2], (x, y)), *np.maximum(box[2:], (x + w, y + h))])
        _of_the_frame(tracked, found, options, given, box)
        for one in tracks.tracks:
            require(one.track_id in given or one.missed > 0, "a track %r that was never returned", one)
    return outcome


def _wild(dice: Dice, source: Any, masks: bool) -> Any:
    x, y = [dice.pick((10, 200, 0, -1024, 4000, 8191, dice.whole(-500, 3000))) for _ in range(2)]
    w, h = [dice.pick((30, 0, 1, 300, dice.whole(0, 900))) for _ in range(2)]
    rect = x, y, min(w, 8191 - x), min(h, 8191 - y)
    score = dice.pick((0.9, 0.2, 0.5, 0.1, 0.0, 1.01, float("nan"), float("inf"), dice.share()))
    points = None
    if source:
        second = [9.5, dice.pick((7, math.inf, math.nan)), dice.pick((0.9, 0.1, math.nan))]
        points = _host.wrap(np.array([[5, 6, 0.9], second], np.float32))
    mask = hand_made(dice, 64, 48)[0] if masks and dice.chance(0.7) else None
    score += 0.0  # a new object, which identifies the detection
    made: Any = n6post.Detection(rect, score, dice.whole(0, 2), dice.pick(LABELS), mask, points)
    return made.replace(**source)


def _spoiled(dice: Dice, found: Frame) -> str:
    """Sometimes replace a value by an invalid one. Returns a description."""
    what = dice.pick(("ms", "found", "rect", "stranger")) if dice.chance(0.04) else ""
    if what in ("rect", "stranger") and not found:
        return ""
    at = dice.whole(0, len(found) - 1)
    if what == "stranger":
        found[0] = (1, 2)  # only the first is checked
    elif what == "rect":
        far = (-1025, 0, 5, 5), (8000, 0, 500, 5), (0, 9000, 5, 5), (10**6, 0, 1, 1)
        found[at] = found[at]._replace(rect=dice.pick(((1, 2, 3), (1.5, 2, 3, 4), ("a", 1, 2, 3), None, *far)))
    return what


def _state(tracks: Any) -> list[Any]:
    return [tuple(one) for one in tracks.tracks]


def _of_the_frame(tracked: Any, found: Frame, options: dict[str, Any], given: set[int], box: Any) -> None:
    """The detections of this frame in order, each with a unique track id. New ids are assigned once, in increasing order."""
    numbers = [d.track_id for d in tracked]
    require(all([type(n) is int and n > 0 for n in numbers]) and len(set(numbers)) == len(numbers), "numbers %r", numbers)
    fresh = [n for n in numbers if n not in given]
    require(not fresh or not given or min(fresh) > max(given), "id %r is not a new one: %r", fresh, given)
    given.update(numbers)
    at = 0
    for d in tracked:
        x, y, w, h = d.rect
        require(all([type(v) is int for v in d.rect]) and w >= 0 and h >= 0, "rect %r", d.rect)
        inside = box[0] <= x and box[1] <= y and x + w <= box[2] and y + h <= box[3]
        require(inside, "rect %r outside of all detections", d.rect)
        while at < len(found) and not _is(d, found[at]):
            at += 1
        if at == len(found):
            coasts = options.get("coast") and d.mask is None and d.keypoints is None
            require(coasts, "%r is not of this frame, or out of order", d)
        else:
            require(type(d) is type(found[at]) and d.mask is found[at].mask, "a different type or mask: %r", d)
            require(options.get("smooth_boxes", True) or d.rect == found[at].rect, "rect %r of %r", d.rect, found[at].rect)
            at += 1


def _is(d: Any, other: Any) -> bool:
    return d.score is other.score and d.class_id == other.class_id and d.label is other.label


# --- zones and trail ---------------------------------------------------------------------------------------------------
PARTS = {
    "bottom": (1, 2), "center": (1, 1), "top": (1, 0), "left": (0, 1), "right": (2, 1), "top_left": (0, 0),
    "top_right": (2, 0), "bottom_left": (0, 2), "bottom_right": (2, 2), "centroid": (1, 1),
}  # fmt: skip


def place(d: Any, anchor: str) -> tuple[int, int]:
    """The position of a detection, in half pixels."""
    (x, y, w, h), (u, v) = d.rect, PARTS[anchor]
    return 2 * x + u * w, 2 * y + v * h


def walk(dice: Dice, frames: int, most: int = 3) -> list[Frame]:
    reach = dice.pick((60, 400, 20))
    sequence = []
    for _ in range(frames):
        here = [i for i in range(1, most + 1) if dice.chance(0.8)]
        found = []
        for track_id in here:
            rect = dice.whole(-reach, reach), dice.whole(-reach, reach), dice.pick((2, 0, 4, 31)), dice.pick((2, 0, 6, 55))
            found.append(seen(rect, 0.5, dice.whole(0, 1), track_id=track_id))
        sequence.append(found)
    return sequence


def zones(dice: Dice) -> str:
    how = dice.pick(("line", "polygon", "trail", "hold", "conditions"))
    names: tuple[str, ...] = (dice.pick(list(PARTS)),)
    if how in ("line", "polygon") and dice.chance(0.3):
        names += (dice.pick(list(PARTS)),)
    sequence = walk(dice, dice.whole(2, 10))
    dice.tell(how=how, anchor=names, sequence=[[(d.track_id, d.class_id, d.rect) for d in found] for found in sequence])
    if dice.chance(0.03):
        del sequence[0][:]
        sequence[0].append(seen((1, 2, 3, 4), 0.5))  # of no track
    cases = {"line": _line, "polygon": _polygon, "trail": _trail, "hold": _hold, "conditions": _conditions}
    return cases[how](dice, names, sequence)


def _zone_options(dice: Dice, names: tuple[str, ...], margins: tuple[float, ...]) -> dict[str, Any]:
    anchor = names[0] if len(names) == 1 and dice.chance(0.8) else dice.pick((names, list(names)))
    options = {"anchor": anchor, "margin": dice.pick(margins), "min_frames": dice.pick((1, 2, 2, 3))}
    return {**options, "frame_size": dice.pick((None, None, (45, 35)))}


def tracked(call: Any, found: Frame, **options: Any) -> Any:
    """The result of a call with a frame; None if a detection without a track was refused."""
    result, refused = attempt(call, found, **options)
    require((result is None) == (None in [d.track_id for d in found]), "tracks %r: %s", found, refused or "accepted")
    return result


def same_objects(what: str, got: Frame, wanted: Frame) -> None:
    require([id(d) for d in got] == [id(d) for d in wanted], what + " %r, expected %r", got, wanted)


def _line(dice: Dice, names: tuple[str, ...], sequence: list[Frame]) -> str:
    start = dice.whole(-50, 50), dice.whole(-50, 50)
    end = dice.whole(-50, 50), dice.whole(-50, 50)
    if start == end:
        end = end[0] + 1, end[1]
    options = _zone_options(dice, names, (0, 0, 0.1, 0.2, 1.0, 10))
    margin, min_frames, size = options["margin"], options["min_frames"], options["frame_size"]
    dice.tell(start=start, end=end, options=options)
    line = n6post.LineZone(start, end, **options)
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy)
    # The margin is at most half of the way to the farthest corner of the frame on each side.
    corners = [(x, y) for x in (0, size[0]) for y in (0, size[1])] if size else []
    ways = [(dx * (y - start[1]) - dy * (x - start[0])) / length for x, y in corners]
    limits = [max([sign * way for way in ways if sign * way > 0], default=math.inf) / 2 for sign in (-1, 1)]
    settled: dict[int, list[Any]] = {}  # by track: its side, its points there, the points of its frames on the other side
    counts = [{}, {}]  # type: list[dict[int, int]]
    certain = True
    for found in sequence:
        crossed = tracked(line.trigger, found)
        if crossed is None:
            return REFUSED
        expected: list[list[Any]] = [[], []]
        for d in found:
            points = [place(d, name) for name in names]
            sides = [dx * (y - 2 * start[1]) - dy * (x - 2 * start[0]) for x, y in points]  # below 0: left, "in"
            away = [side / 2 / length for side in sides]
            reach = margin * (d.rect[2] + d.rect[3]) / 2
            # lib computes in integers, which are coarse for a short line.
            slack = 1e-2 * (1 + reach) + (d.rect[2] + d.rect[3]) / 4 / length
            reaches = [min(reach, limit) for limit in limits]
            for one in away if margin else ():
                for reach in reaches:
                    certain = certain and abs(abs(one) - reach) > slack and abs(abs(one) - 2 * reach) > 2 * slack
            if min(away) <= reaches[1] and max(away) >= -reaches[0]:
                continue
            reach = reaches[min(away) > 0]
            side = 1 if min(away) > 0 else -1
            known = settled.setdefault(d.track_id, [side, points, []])
            if known[0] == side:
                known[1:] = points, []
                continue
            known[2].append(points)
            if len(known[2]) < min_frames and not (margin and min(map(abs, away)) > 2 * reach):
                continue
            before, after = known[1], known[2][0]
            settled[d.track_id] = [side, points, []]
            if all(_between(one, other, start, end) for one, other in zip(before, after, strict=True)):
                expected[side > 0].append(d)
                counts[side > 0][d.class_id] = counts[side > 0].get(d.class_id, 0) + 1
        if not certain:
            return BOUNDED
        for got, wanted in zip(crossed, expected, strict=True):
            same_objects("crossed", got, wanted)
    same("counts per class", [line.in_count_per_class, line.out_count_per_class], counts)
    same("counts", [line.in_count, line.out_count], [sum(counts[0].values()), sum(counts[1].values())])
    told = {"start": list(start), "end": list(end), "in": line.in_count, "out": line.out_count}
    same("JSON", json.loads(n6post.to_json(line)), told)
    return CONFIRMED


def _between(one: tuple[int, int], other: tuple[int, int], start: tuple[int, int], end: tuple[int, int]) -> bool:
    """Whether a step in half pixels intersects the line between its ends: as a fraction of the step, then of the line."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    a, b = [dx * (y - 2 * start[1]) - dy * (x - 2 * start[0]) for x, y in (one, other)]
    along = [dx * (x - 2 * start[0]) + dy * (y - 2 * start[1]) for x, y in (one, other)]
    meets = (a * along[1] - b * along[0]) * (1 if a > b else -1)
    return 0 <= meets <= 2 * (dx * dx + dy * dy) * abs(a - b)


def _hold(dice: Dice, _: tuple[str, ...], sequence: list[Frame]) -> str:
    seconds, release = dice.pick((0.0, 0.2, 0.5)), dice.pick((0.0, 0.1, 0.3))
    dice.tell(seconds=seconds, release=release)
    hold, alone = n6post.Hold(seconds, release=release), n6post.Hold(seconds, release=release)
    spans: dict[int | None, list[int]] = {}  # first and last time
    now = 0
    for found in sequence:
        ms = dice.pick((100, 0, 250))
        now += ms
        held = tracked(hold.trigger, found, elapsed_ms=ms)
        if held is None:
            return REFUSED
        whole = alone.trigger(bool(found), elapsed_ms=ms)
        for key in [d.track_id for d in found] + ([None] if found else []):
            first, last = spans.get(key, [now, now])
            spans[key] = [now if last < now - ms and now - last > 1000 * release else first, now]
        enough = [d for d in found if now - spans[d.track_id][0] >= 1000 * seconds]
        same_objects("held", held, enough)
        begin, end = spans.get(None, [0, -1e9])
        same("held", whole, now - end <= 1000 * release and end - begin >= 1000 * seconds)
        for key, (first, last) in spans.items():
            times = hold.held_time(key), alone.held_time()
            wanted = (last - first) / 1000 if now - last <= 1000 * release else 0.0
            close(f"seconds of {key}", times[key is None], wanted, reach=1e-6)
    return CONFIRMED


def _conditions(dice: Dice, _: tuple[str, ...], sequence: list[Frame]) -> str:
    """Three tracks that are in every frame, by a search in all of their values."""
    whole, ms = dice.pick((200, 500)), dice.pick((100, 250))
    steady, fraction, repetitions = n6post.Steady(whole / 1000), n6post.Fraction(whole / 1000), n6post.Repetitions(2, 1)
    values: list[int] = []
    steps = -(-whole // ms)  # for which a value has to stay
    dice.tell(whole=whole, ms=ms, values=values)
    for _ in sequence:
        values.append(dice.whole(0, 3))
        stayed = [values[at] for at in range(steps, len(values)) if len({*values[at - steps : at + 1]}) == 1]
        pairs = enumerate(zip(values[::-1], values[-2::-1], strict=False))
        true = sum([(bool(a) + bool(b)) / 2 * max(0, min(ms, whole - at * ms)) for at, (a, b) in pairs]) / whole
        count = len(re.findall("H(?=L+H)", "".join([("L", "", "", "H")[value] for value in values])))
        for track in (None, 7, seen((1, 2, 3, 4), 0.5, track_id=8)):
            one, part, times = [x.update(values[-1], track=track, elapsed_ms=ms) for x in (steady, fraction, repetitions)]
            require((one, times) == ((stayed or [None])[-1], count), "%r stayed, %r repetitions", one, times)
            require(abs(part - true) <= 1 / 128 + 1e-9, "true for %r, expected %r", part, true)
    return CONFIRMED


def _surrounds(points: list[tuple[int, int]], x: float, y: float) -> bool:
    """Whether an odd number of edges is to the left of a point (or through it), in integers; x and y in half pixels."""
    inside = False
    for (ax, ay), (bx, by) in zip(points, [*points[1:], points[0]], strict=True):
        ax, ay, bx, by = 2 * ax, 2 * ay, 2 * bx, 2 * by
        if ay > by:
            ax, ay, bx, by = bx, by, ax, ay
        if ay <= y < by and ax * (by - ay) + (bx - ax) * (y - ay) <= x * (by - ay):
            inside = not inside
    return inside


def _polygon(dice: Dice, names: tuple[str, ...], sequence: list[Frame]) -> str:
    points = [(dice.whole(-60, 60), dice.whole(-60, 60)) for _ in range(dice.whole(3, 7))]
    max_gap = dice.pick((1.0, 0.0, 0.2))
    options = {**_zone_options(dice, names, (0, 0.25, 0.5, 2)), "max_gap": max_gap}
    margin, min_frames, size = options["margin"], options["min_frames"], options["frame_size"]
    dice.tell(points=points, options=options)
    zone, refused = attempt(n6post.PolygonZone, points, **options)
    if zone is None:
        (x, y), rest = points[0], points[1:]
        flat = all([(a - x) * (d - y) == (b - y) * (c - x) for a, b in rest for c, d in rest])
        require(flat, "refused a valid polygon: %s", refused)
        return REFUSED
    for _ in range(3):
        x, y = dice.whole(-65, 65), dice.whole(-65, 65)
        same(f"contains({x}, {y})", zone.contains(x, y), _surrounds(points, 2 * x, 2 * y))
    if dice.chance(0.2):
        _shared(dice, zone, points)
    # To enter, the margin is at most an eighth of the mean width, and edges on the border of the frame have none.
    edges = list(zip(points, [*points[1:], points[0]], strict=True))
    spans = [sorted((abs(bx - ax), abs(by - ay))) for (ax, ay), (bx, by) in edges]
    area = abs(sum(ax * by - bx * ay for (ax, ay), (bx, by) in edges)) / 2
    narrow = area / (sum(b + a // 2 for a, b in spans) / 2) / 8 if area else 0.5
    tracks: dict[int, dict[str, Any]] = {}
    now, visits = 0, []  # type: tuple[int, list[float]]
    for found in sequence:
        ms = dice.pick((100, 0, 250, 1000))
        now += ms
        got = zone.trigger(found, elapsed_ms=ms)
        inside, entered, left = [], [], []  # type: tuple[list[Any], list[Any], list[Any]]
        for d in found:
            positions = [place(d, name) for name in names]
            here = [_surrounds(points, x, y) for x, y in positions]
            within = all(here)
            known = tracks.get(d.track_id)
            if known and known["seen"] < now - ms and now - known["seen"] > 1000 * max_gap:
                left.append((d.track_id, known))
                known = None
            if d.track_id is None:
                pass
            elif known is None:
                tracks[d.track_id] = {"in": within, "since": now, "last": now, "seen": now, "run": []}
                entered += [d] * within
            else:
                away = [_distance(points, x / 2, y / 2, size if within else None) for x, y in positions]
                far = min(away) if within else max([a for a, one in zip(away, here, strict=True) if not one])
                reach = margin * (d.rect[2] + d.rect[3]) / 2
                reach = min(reach, narrow) if within else reach
                if margin and min(abs(far - reach), abs(far - 2 * reach)) < 1e-3:
                    return BOUNDED
                known["seen"] = now
                if within == known["in"]:
                    known.update(last=now, run=[])
                elif margin and far <= reach:
                    known["last"] = now
                    known["run"] += [(now, 0)] * within  # it counts little, but the visit begins with it
                else:
                    known["run"].append((now, 1))
                    if sum(one for _, one in known["run"]) >= min_frames or (margin and far > 2 * reach):
                        left += [(d.track_id, dict(known))] * known["in"]
                        entered += [d] * within
                        known.update({"in": within, "since": known["run"][0][0], "last": now, "run": []})
                within = known["in"]
            if within:
                inside.append(d)
        for n in sorted(tracks):
            if now - tracks[n]["seen"] > 1000 * max_gap:
                left.append((n, tracks.pop(n)))
        ended = [(n, (known["last"] - known["since"]) / 1000) for n, known in left if known["in"]]
        visits += [seconds for _, seconds in ended]
        same_objects("inside", got, inside)
        same_objects("entered", zone.entered, entered)
        same("visits", [(visit.track_id, visit.dwell_time) for visit in zone.left], ended)
        per_class = {c: sum(d.class_id == c for d in inside) for c in {d.class_id for d in inside}}
        same("counts", (zone.current_count, zone.current_count_per_class), (len(inside), per_class))
        for n in range(1, 4):
            wanted = (tracks[n]["last"] - tracks[n]["since"]) / 1000 if n in tracks and tracks[n]["in"] else 0.0
            close(f"dwell time of track {n}", zone.dwell_time(n), wanted, reach=1e-6)
        if dice.chance(0.3):
            _occupied(zone, points, found, size)
    close("mean dwell time", zone.mean_dwell_time, sum(visits) / len(visits) if visits else 0.0, reach=1e-6)
    told = json.loads(n6post.to_json(zone))
    same("JSON", (told["points"], told["count"]), ([list(p) for p in points], zone.current_count))
    same("JSON", [n for n, _ in told["dwell_times"]], sorted(n for n in tracks if tracks[n]["in"]))
    return CONFIRMED


def _distance(points: list[tuple[int, int]], x: float, y: float, size: tuple[int, int] | None) -> float:
    """The distance of a point from the nearest edge, of those that are not on the border of a frame of this size."""
    found = [math.inf]
    for (ax, ay), (bx, by) in zip(points, [*points[1:], points[0]], strict=True):
        if size and (max(ax, bx) <= 0 or max(ay, by) <= 0 or min(ax, bx) >= size[0] - 1 or min(ay, by) >= size[1] - 1):
            continue
        dx, dy = bx - ax, by - ay
        t = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy) if dx or dy else 0.0
        t = min(max(t, 0.0), 1.0)
        found.append(math.hypot(x - ax - t * dx, y - ay - t * dy))
    return min(found)


def _occupied(zone: Any, points: list[tuple[int, int]], found: Frame, size: tuple[int, int] | None) -> None:
    """occupancy of boxes: a part of the pixels whose centers are inside, all of them if there are at most 4,096."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    inside, covered = 0, 0
    for y in range(min(ys), max(ys)):
        for x in range(min(xs), max(xs)):
            if _surrounds(points, 2 * x + 1, 2 * y + 1) and (not size or 0 <= x < size[0] and 0 <= y < size[1]):
                inside += 1
                covered += any([bx <= x < bx + w and by <= y < by + h for bx, by, w, h in [d.rect for d in found]])
    got = zone.occupancy(found)
    require(0 <= got <= 1, "occupancy %r", got)
    if (max(xs) - min(xs)) * (max(ys) - min(ys)) <= 4096:
        close("occupancy", got, covered / inside if inside else 0.0, reach=1e-6)


def _shared(dice: Dice, zone: Any, points: list[tuple[int, int]]) -> None:
    """coverage: the fraction of a mask's pixels whose centers are inside."""
    mask, data, (sx, sy), _ = hand_made(dice, 50, 40)
    inside, doubt = 0, 0
    held = np.argwhere(data >= 128).tolist()
    for row, column in held:
        x, y = 2 * (column + 0.5) * sx, 2 * (row + 0.5) * sy
        corners = [_surrounds(points, x + dx, y + dy) for dx in (-4e-3, 4e-3) for dy in (-4e-3, 4e-3)]
        inside += _surrounds(points, x, y)
        doubt += len(set(corners)) > 1
    close("coverage", zone.coverage(mask) * len(held), inside, reach=doubt + 1e-3)


def _trail(dice: Dice, names: tuple[str, ...], sequence: list[Frame]) -> str:
    length = dice.pick((5, 2, 3, 1000))
    trail = n6post.Trail(length, anchor=names[0])
    tracks: dict[int, deque[tuple[int, int]]] = {}
    for found in sequence:
        got = tracked(trail.update, found, elapsed_ms=40)
        if got is None:
            return REFUSED
        require(got is found, "different detections than those passed in")
        for d in found:
            x, y = place(d, names[0])
            tracks.setdefault(d.track_id, deque(maxlen=length)).append((x // 2, y // 2))
        for n in range(1, 4):
            same(f"positions of track {n}", trail.positions(n), list(tracks.get(n, ())))
    return CONFIRMED


# --- JSON --------------------------------------------------------------------------------------------------------------
SCORES = (0.5, 0.8765, 0.0005, 0.0015, 1.0, 0.9995, 0.12345, 1e-9, float("nan"), float("inf"), 1.001, 1e9)


def texts(dice: Dice) -> str:
    """to_json of a list: decimal numbers, rounded half to even, in ASCII."""
    found = []
    for _ in range(dice.pick((2, 1, 0, 5, 40))):
        rect = tuple([dice.pick((0, 5, -3, 639, 123456, dice.whole(-2000, 9000))) for _ in range(4)])
        score = float(np.float32(dice.pick((*SCORES, dice.share(), dice.whole(0, 4000) / 2000))))
        label = dice.pick((*LABELS, "".join([chr(dice.whole(0, 0x2FF)) for _ in range(dice.whole(0, 6))])))
        points = None
        if dice.chance(0.3):
            points = _host.wrap(dice.array.uniform(-5, 700, (dice.pick((1, 17)), 3)).astype(np.float32))
            if dice.chance(0.1):
                points[0, dice.whole(0, 2)] = dice.pick((math.nan, math.inf, 1e9))
        mask = hand_made(dice, 64, 48)[0] if dice.chance(0.1) else None
        number = dice.pick((None, 1, 2**31 - 1))
        d = seen(rect, score, dice.pick((0, 7, 79, 65535)), label, number, keypoints=points, mask=mask)
        found.append(d)
    dice.tell(found=found)
    _sent(found)
    outline = dice.chance(0.5)
    said, refused = attempt(n6post.to_json, found, outline=outline)
    require(said is not None, "refused a valid result: %s", refused)
    assert said is not None
    require(said.isascii() and "\n" not in said and "NaN" not in said and "Inf" not in said, "no line of JSON: %r", said)
    require(json.loads(said) == json.loads(json.dumps([d.as_dict(outline) for d in found])), "not as_dict: %r", said)
    stream = io.BytesIO()
    count = n6post.to_json(found, outline=outline, stream=stream)
    same("stream", (stream.getvalue(), count), (said.encode() + b"\n", len(said) + 1))
    for one, d in zip(json.loads(said), found, strict=True):
        wanted = {"rect": list(d.rect), "score": decimals(d.score), "class_id": d.class_id, "label": d.label}
        if (mask := d.mask) is not None:
            rect, middle = mask.rect and list(mask.rect), mask.centroid and list(mask.centroid)
            measures = {"rect": rect, "area": mask.area, "centroid": middle}
            wanted["mask"] = measures | ({"outline": [list(point) for point in mask.outline()]} if outline else {})
        if d.keypoints is not None:
            wanted["keypoints"] = one.get("keypoints")
        if d.track_id is not None:
            wanted["track_id"] = d.track_id
        same("JSON", list(one.items()), list(wanted.items()))
        for got, given in zip(one.get("keypoints", ()), [] if d.keypoints is None else d.keypoints.tolist(), strict=True):
            for value, number, step in zip(got, given, (0.1, 0.1, 0.001), strict=True):
                if not math.isfinite(number):
                    same("keypoint", value, None)
                elif abs(number) < 1e5:
                    close("keypoint", value, number, 1e-6, step * 0.5001)
    return CONFIRMED


def decimals(score: float) -> float | None:
    """Three decimals of what a camera's float object holds: float32 without its last two bits."""
    if not math.isfinite(score):
        return None
    kept = (np.array([score], np.float32).view(np.uint32) & np.uint32(0xFFFFFFFC)).view(np.float32)
    return float(Decimal(float(kept[0])).quantize(Decimal("0.001"), ROUND_HALF_EVEN))


def _sent(found: Frame) -> None:
    """to_bytes refuses only numbers that do not fit, and to_yolo has a line for each box in the frame."""
    data, refused = attempt(n6post.to_bytes, found)
    fits = all([-32768 <= min(d.rect) and max(d.rect) < 32768 and 0 <= d.score < 256 for d in found])
    require((data is not None) == fits, "to_bytes: %r, %s", data, refused)
    require(data is None or binascii.crc_hqx(data[:-2], 0xFFFF) == data[-2] | data[-1] << 8, "CRC of %r", data)
    lines = n6post.to_yolo([d.replace(frame_size=(640, 480)) for d in found]).splitlines()
    within = [d for d in found for x, y, w, h in (d.rect,) if max(x, 0) < min(x + w, 640) and max(y, 0) < min(y + h, 480)]
    require(len(lines) == len(within), "to_yolo: %d lines for %d boxes", len(lines), len(within))
    require(all([0 <= float(word) <= 1 for line in lines for word in line.split()[1:]]), "to_yolo: %r", lines)
