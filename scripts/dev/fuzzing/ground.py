"""Planes, heat maps, merged detections, pairs and tiles, against numpy in float64 and the rule of SAHI."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import image
import n6post
import numpy as np
from merge_reference import greedy_merging
from n6post.results.mask import Mask, MaskTransform

from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, close, require, same
from .tracking import place, seen, tracked, walk


def ground(dice: Dice) -> str:
    return dice.pick((_plane, _speeds, _heat_map, _merged, _tiled, _paired, _measured))(dice)


# --- planes ------------------------------------------------------------------------------------------------------------
def _camera(dice: Dice) -> Any:
    """The homography from the ground in meters to the pixels of a camera; what is behind it has a negative w."""
    tilt, turn, height = dice.between(0.05, 1.5), dice.between(-3, 3), dice.between(0.3, 12)
    down, ahead = math.sin(tilt), math.cos(tilt)
    lens = np.array([[600, 0, 320], [0, 600, 240], [0, 0, 1]]) @ [[1, 0, 0], [0, -down, -ahead], [0, ahead, -down]]
    around = np.array([[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]])
    return np.column_stack([(lens @ around)[:, :2], lens @ [0, 0, -height]]), height


def _seen_by(homography: Any, point: Any) -> Any:
    """(x, y) and w of a point."""
    x, y, w = homography @ [*point, 1]
    return (x / w, y / w) if w else (math.inf, math.inf), w


def _plane(dice: Dice) -> str:
    """A homography that is known; points in a line, swapped or of another type are refused."""
    to_image, height = _camera(dice)
    to_world = np.linalg.inv(to_image)
    if (to_world @ [320, 479, 1])[2] < 0:
        to_world = -to_world
    pixels = [(dice.whole(0, 639), dice.whole(0, 479)) for _ in range(dice.pick((4, 5, 8, 3)))]
    spoiled = dice.chance(0.2)
    if spoiled and len(pixels) > 3:
        pixels[3] = dice.pick((pixels[0], (2 * pixels[1][0] - pixels[0][0], 2 * pixels[1][1] - pixels[0][1])))
    pairs = [_seen_by(to_world, pixel) for pixel in pixels]
    places = [(float(x), float(y)) for (x, y), _ in pairs]
    if dice.chance(0.05):
        places[0] = dice.pick(((math.nan, 1.0), (1e9, 2.0), (1.0,), None, "ab"))
    dice.tell(pixels=pixels, places=places)
    made, refused = attempt(n6post.Plane, pixels, places)
    bad = [p for p in places if not isinstance(p, tuple) or len(p) != 2 or not all(abs(v) <= 1e6 for v in p)]
    if made is None:
        flat = np.array(pixels, float) - np.mean(pixels, axis=0)
        least = min([abs(np.linalg.det([b - a, c - a])) for a, b, c in itertools.combinations(flat, 3)])
        # A horizon between the points, or so near that float32 ends.
        depths = [w / pairs[0][1] for _, w in pairs] if pairs[0][1] else [-1]
        reasons = bad or len(pixels) < 4 or least < 0.06 * np.square(np.hypot(*flat.T).mean())
        require(reasons or min(depths) < 0.05 * max(depths), "refused valid points: %s", refused)
        return REFUSED
    require(not bad and len(pixels) >= 4, "accepted %r", bad)
    depths = [w for _, w in pairs]
    require(min(depths) > 0 or max(depths) < 0, "accepted points on both sides of the horizon")
    if min(map(abs, depths)) < 0.02 * max(map(abs, depths)):
        return BOUNDED
    for pixel, known in zip(pixels, places):
        close("place", made.to_world(pixel), known, reach=1e-2 * (height + math.hypot(*known)))
    for _ in range(4):
        x, y = dice.whole(-300, 900), dice.whole(-2000, 700)
        (u, v), w = _seen_by(to_world, (x, y))
        got = made.to_world(x, y)
        relative = w / np.mean(depths)
        if relative < -0.01:
            require(got is None, "%r of a pixel above the horizon", got)
        elif relative > 0.05:
            close("place", got, (u, v), reach=0.05 * (height + math.hypot(u, v)))
            close("pixel of the place", made.to_image(*got), (x, y), reach=2 + 2e-3 * math.hypot(x, y))
    wrong = dice.pick((None, "a", (1,), (1, math.nan), [1, 2, 3], (None, 2)))
    for ask in (made.to_world, made.to_image):
        got, refused = attempt(ask, wrong)
        require(got is None and refused, "took %r for a point", wrong)
    return CONFIRMED


def _speeds(dice: Dice) -> str:
    """The slope of a line through the places of the last seconds, by numpy."""
    window = dice.pick((1.0, 0.3, 5.0))
    plane = n6post.Plane([(0, 0), (100, 0), (100, 100), (0, 100)], [(0, 0), (10, 0), (10, 10), (0, 10)], window=window)
    sequence = walk(dice, dice.whole(2, 60))
    pace = dice.pick(((33, 100, 0, 250), (500, 250, 1000), (5, 16)))
    dice.tell(window=window, pace=pace, sequence=[[(d.track_id, d.rect) for d in found] for found in sequence])
    known: dict[int, list[tuple[int, float, float]]] = {}
    now = 0
    for found in sequence:
        ms = dice.pick(pace)
        now += ms
        if dice.chance(0.02):
            found = [*found, seen((1, 2, 3, 4), 0.5)]
        got = tracked(plane.update, found, elapsed_ms=ms)
        if got is None:
            return REFUSED
        require(got is found, "different detections than those passed in")
        for d in found:
            x, y = place(d, "bottom")
            path = known.setdefault(d.track_id, [])
            if len(path) > 1 and path[-1][0] - path[-2][0] < 1000 * window / 254:
                path.pop()  # a window is at most 256 positions
            path.append((now, x / 20, y / 20))
        known = {n: path for n, path in known.items() if now - path[-1][0] <= 3000 * window}
        for n in range(1, 4):
            whole = [step for step in known.get(n, ()) if now - step[0] <= 3000 * window]
            path = [step for step in whole if now - step[0] <= 1000 * window]
            while len(path) < len(whole) and (len(path) < 3 or path[-1][0] - path[0][0] < 500 * window):
                path = whole[-len(path) - 1 :]
            got = plane.velocity(n)
            if len(path) < 3 or path[-1][0] - path[0][0] < 500 * window:
                require(got is None and plane.speed(n) is None, "the velocity %r of %d places", got, len(path))
                continue
            times = np.array([step[0] / 1000 for step in path])
            slopes = [float(np.polyfit(times - now / 1000, [step[axis] for step in path], 1)[0]) for axis in (1, 2)]
            close("velocity", got, slopes, reach=2e-3)
            close("speed", plane.speed(n), 3.6 * math.hypot(*slopes), reach=1e-2)
    return CONFIRMED


# --- heat maps ---------------------------------------------------------------------------------------------------------
def _heat_map(dice: Dice) -> str:
    width, height = dice.pick(((60, 40), (64, 48), (7, 5), (320, 240)))
    columns, rows = dice.whole(1, 20), dice.whole(1, 20)
    anchor = dice.pick(("bottom", "center", "box"))
    half_life = dice.pick((None, 0.5, 100))
    dice.tell(size=(width, height), cells=(columns, rows), anchor=anchor, half_life=half_life)
    heat_map = n6post.HeatMap(columns, rows, anchor=anchor, half_life=half_life, frame_size=(width, height))
    wanted = np.zeros((rows, columns))
    for found in walk(dice, dice.whole(1, 8)):
        ms = dice.pick((0, 40, 1000, 30_000))
        heat_map.update(found, elapsed_ms=ms)
        if half_life:
            wanted *= 0.5 ** (ms / 1000 / half_life)
        for d in found:
            x, y, w, h = d.rect
            if anchor == "box":
                left, right = max(x, 0) * columns // width, math.ceil(min(x + w, width) * columns / width)
                top, bottom = max(y, 0) * rows // height, math.ceil(min(y + h, height) * rows / height)
                if left < right and top < bottom:
                    wanted[top:bottom, left:right] += 1
                continue
            u, v = place(d, anchor)
            if 0 <= u <= 2 * width and 0 <= v <= 2 * height:
                wanted[min(v * rows // (2 * height), rows - 1), min(u * columns // (2 * width), columns - 1)] += 1
    got = np.array(heat_map.values().tolist()).reshape(rows, columns)
    close("values", got, wanted, 1e-4, 1e-6)
    cell = heat_map.max_cell
    if wanted.max() > 1e-3:
        require(cell is not None, "no largest cell")
        x, y, w, h = cell
        if w > 0 and h > 0:  # more cells than pixels: some have none
            close("largest value", heat_map.value_at(x, y), wanted.max(), 1e-4)
    size = dice.pick(((width, height), (2 * width, 2 * height)))
    img = image.Image(*size, dice.pick((image.RGB565, image.GRAYSCALE)))
    drawn, refused = attempt(n6post.draw, img, heat_map, alpha=dice.pick((128, 255, 0)))
    require(drawn is img, "refused to draw: %s", refused)
    require(wanted.max() > 1e-3 or not any(img.bytearray()), "drew something of nothing")
    return CONFIRMED


# --- merging -----------------------------------------------------------------------------------------------------------
def _merged(dice: Dice) -> str:
    side = dice.pick((20, 60, 400))
    found = []
    for _ in range(dice.pick((2, 0, 1, 5, 12, 30))):
        w, h = dice.pick((3, 0, 10, dice.whole(1, 60))), dice.pick((4, 20, dice.whole(0, 60)))
        rect = dice.whole(0, side), dice.whole(0, side), w, h
        found.append(seen(rect, dice.pick((0.5, 0.25, dice.whole(1, 255) / 256)), dice.whole(0, 1)))
    threshold, metric, agnostic = dice.pick((0.5, 0.25, 0.75, 1.0)), dice.pick(("ios", "iou")), dice.chance(0.3)
    dice.tell(found=[d[:3] for d in found], threshold=threshold, metric=metric, agnostic=agnostic)
    got, refused = attempt(n6post.merge, found, overlap_threshold=threshold, metric=metric, class_agnostic=agnostic)
    require(got is not None, "refused valid detections: %s", refused)
    assert got is not None
    same("merged", [(d.rect, d.score) for d in got], greedy_merging([d[:3] for d in found], threshold, metric, agnostic))
    return CONFIRMED


def _paired(dice: Dice) -> str:
    """Pairs of two lists, the one that overlaps most first, in fractions."""
    lists: list[list[Any]] = []
    for _ in range(2):
        rects = [tuple([dice.whole(low, high) for low, high in ((-9, 40), (-9, 40), (0, 30), (0, 30))])
                 for _ in range(dice.whole(0, 6))]  # fmt: skip
        lists.append([seen(rect, 0.5) for rect in rects])
    metric, threshold = dice.pick(("overlap", "iou", "ios", "giou", None)), dice.pick((0.5, 0.25, 0.001, 1.0, 0, None))
    dice.tell(lists=[[d.rect for d in one] for one in lists], metric=metric, threshold=threshold)
    got, refused = attempt(n6post.pairs, *lists, metric=metric, overlap_threshold=threshold)
    require((got is None) == (metric in ("giou", None) or not threshold), "pairs %r: %s", got, refused)
    if got is None:
        return REFUSED
    shares = []
    for i, a in enumerate(lists[0]):
        for j, b in enumerate(lists[1]):
            (ax, ay, aw, ah), (bx, by, bw, bh) = a.rect, b.rect
            w, h = min(ax + aw, bx + bw) - max(ax, bx), min(ay + ah, by + bh) - max(ay, by)
            if w > 0 < h:
                wholes = {"overlap": aw * ah, "ios": min(aw * ah, bw * bh), "iou": aw * ah + bw * bh - w * h}
                shares.append((-Fraction(w * h, wholes[metric]), i, j))
    wanted: list[tuple[int, int]] = []
    for share, i, j in sorted(shares):
        if -share >= Fraction(threshold).limit_denominator(1000) and not [1 for a, b in wanted if a == i or b == j]:
            wanted.append((i, j))
    places = [([d is a for d in lists[0]].index(True), [d is b for d in lists[1]].index(True)) for a, b in got]
    require(places == wanted, "pairs %r, expected %r", places, wanted)
    return CONFIRMED


def _measured(dice: Dice) -> str:
    """The area of a rectangle of the frame, by the corners of its quadrilateral, and the height of a vertical line."""
    to_image, height = _camera(dice)
    pixels = [(60, 250), (580, 260), (620, 470), (20, 460)]
    pairs = [_seen_by(np.linalg.inv(to_image), pixel) for pixel in pixels]
    if min([w / pairs[0][1] for _, w in pairs]) < 0.05:
        return BOUNDED
    plane = n6post.Plane(pixels, [point for point, _ in pairs], frame_size=(640, 480))
    x, y, w, h = dice.whole(100, 400), dice.whole(270, 380), dice.whole(1, 90), dice.whole(1, 60)
    transform = MaskTransform(1.0, 0.0, 1.0, 0.0, (0, 0, 640, 480), frame_size=(640, 480))
    mask = Mask(b"\xff" * (w * h), (x, y, w, h), (x, y, w, h), (0, 0, 640, 480), transform)
    dice.tell(homography=to_image, rect=(x, y, w, h))
    corners = [_seen_by(np.linalg.inv(to_image), one)[0] for one in ((x, y), (x + w, y), (x + w, y + h), (x, y + h))]
    wanted = abs(sum([corners[k - 1][0] * corners[k][1] - corners[k][0] * corners[k - 1][1] for k in range(4)])) / 2
    got = plane.area(mask)
    require(got is not None and abs(got - wanted) <= 5e-3 * wanted, "area %r, expected %r", got, wanted)
    size = plane.size(seen((x, y, w, h), 0.5))
    require(size is None or size[0] > 0, "size %r", size)
    return CONFIRMED


class _Eye:
    """A model that finds what lies in its tile, cut off at its ends, or fails."""

    def __init__(self, dice: Dice, things: list[Any]) -> None:
        self.dice, self.things, self.answers = dice, things, 0

    def predict(self, inputs: list[Any]) -> list[Any]:
        if self.dice.chance(0.03):
            raise OSError("out of order")
        left, top, width, height = inputs[0].roi
        found = []
        for x, y, w, h in self.things:
            x0, y0, x1, y1 = max(x, left), max(y, top), min(x + w, left + width), min(y + h, top + height)
            if x0 < x1 and y0 < y1:
                found.append(seen((x0, y0, x1 - x0, y1 - y0), 0.25 + 0.5 * (x1 - x0) * (y1 - y0) / (w * h)))
        self.answers += 1
        return sorted(found, key=lambda d: -d.score)


def _tiled(dice: Dice) -> str:
    """Far objects that fit into the overlap of two tiles are found once, and whole."""
    width, height = dice.pick(((640, 480), (320, 240), (100, 300)))
    columns, rows, overlap = dice.whole(1, 4), dice.whole(1, 4), dice.pick((0.2, 0.5, 0.3))
    each = dice.pick((1, 2, 99))
    rois = n6post.tiles((width, height), columns=columns, rows=rows, overlap=overlap)
    w, h = rois[0][2:]
    count = len(rois) + (len(rois) > 1)
    side = int(overlap * min(w if columns > 1 else width, h if rows > 1 else height)) - 2
    things: list[Any] = []
    for _ in range(dice.whole(0, 4)):
        x, y = dice.whole(0, width - side - 1), dice.whole(0, height - side - 1)
        if side >= 2 and all([x + side <= a or a + side <= x or y + side <= b or b + side <= y for a, b, _, _ in things]):
            things.append((x, y, side, side))
    dice.tell(size=(width, height), tiles=(columns, rows, overlap), each=each, things=things)
    eye = _Eye(dice, things)
    tiles: Any = n6post.Tiles(eye, columns=columns, rows=rows, overlap=overlap, tiles_per_frame=each)
    img = image.Image(width, height, image.GRAYSCALE)
    found: list[Any] = []
    done = 0
    while done < count:
        try:
            found = tiles.predict(img)
        except OSError:
            continue  # all is as it was
        done += min(each, count)
        same("turn", tiles.turn, done % count)
    same("found", sorted([d.rect for d in found]), sorted(things))
    return CONFIRMED
