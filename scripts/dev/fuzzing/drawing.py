"""draw on frames of both formats and any size: the pixels that may change, those that have to, and their colors."""

from __future__ import annotations

from typing import Any

import image
import n6post
import numpy as np
from n6post.drawing.draw import COLOR_BY
from n6post.results.mask import Mask, MaskTransform
from ulab import _host

from . import frames, maps
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, close, require, same
from .tensors import Array, Model, Quantized

LABELS = ("person", "a", "ä", "", "日本", "x" * 40, "\x00\x7f\n", "#3 cup 75%")
COLORS = ((255, 255, 255), (255, 0, 0), (1, 2, 3), (0, 0, 0), (8, 252, 248))


def canvas(dice: Dice) -> tuple[Any, Array]:
    """A frame of noise, and its pixels as a numpy array."""
    width, height = dice.pick((48, 33, 64, 20, 7, 1)), dice.pick((40, 17, 64, 25, 9, 1))
    gray = dice.chance(0.4)
    img = image.Image(width, height, image.GRAYSCALE if gray else image.RGB565)
    seen = np.frombuffer(img.bytearray(), np.uint8 if gray else np.uint16).reshape(height, width)
    seen[...] = dice.array.integers(0, 200 if gray else 60000, seen.shape)
    return img, seen


def value_of(color: tuple[int, int, int], seen: Array) -> int:
    r, g, b = color
    if seen.dtype == np.uint8:
        return 255 if r == 255 and g == 255 and b == 255 else 0 if not (r or g or b) else -1
    return (r & 0xF8) << 8 | (g & 0xFC) << 3 | b >> 3


def quiet(what: str, changed: Array) -> None:
    """Raise a Finding if one of these pixels has changed."""
    require(not changed.any(), "pixels %r changed " + what, np.argwhere(changed)[:3].tolist())


def drawing(dice: Dice) -> str:
    return dice.pick((_boxes, _masks, _map, _anything, _boxes, _masks, _hidden, _written))(dice)


def _rect(dice: Dice, width: int, height: int) -> tuple[int, int, int, int]:
    if dice.chance(0.1):
        sides = dice.pick((1, 0, 50, 8191, 2)), dice.pick((1, 0, 50, 8191, 2))
        return dice.pick((-5, 0, 3, 100, 32767, -1024, 8191)), dice.pick((-5, 0, 3, 100, 32767, -1024, 8191)), *sides
    return frames.roi_in(dice, width, height)


def _within(seen: Array, rect: tuple[int, int, int, int], grown: int = 0) -> Array:
    """The pixels of a frame that are in a rect, grown on each side."""
    (x, y, w, h), (height, width) = rect, seen.shape
    xs, ys = np.arange(width), np.arange(height)[:, None]
    found: Array = (xs >= x - grown) & (xs < x + w + grown) & (ys >= y - grown) & (ys < y + h + grown)
    return found


def _boxes(dice: Dice) -> str:
    """Boxes alone: their outermost pixels have the color, and no pixel changes that is further away than the thickness."""
    img, seen = canvas(dice)
    height, width = seen.shape
    rects = [_rect(dice, width, height) for _ in range(dice.pick((1, 2, 0, 5)))]
    color, thickness = dice.pick(COLORS), dice.pick((1, 2, 0, 5, 100, 3))
    found = [n6post.Detection(rect, 0.5, 0, "x", None, None) for rect in rects]
    dice.tell(size=(width, height), rects=rects, color=color, thickness=thickness, format=seen.dtype.name)
    before = seen.copy()
    result, refused = attempt(n6post.draw, img, found, color=color, thickness=thickness, labels=False)
    require(result is img, "refused valid boxes: %s", refused)
    edge, near = np.zeros(seen.shape, bool), np.zeros(seen.shape, bool)
    for rect in rects if thickness else ():
        if rect[2] and rect[3]:
            edge |= _within(seen, rect) & ~_within(seen, rect, -1)
            near |= _within(seen, rect, thickness) & ~_within(seen, rect, -thickness)
    changed = seen != before
    if all([w and h for _, _, w, h in rects]):
        quiet("beside the boxes", changed & ~near)
    value = value_of(color, seen)
    if value >= 0:
        require((seen[edge | changed] == value).all(), "pixels of a box are %r", np.unique(seen[edge | changed])[:5])
    return CONFIRMED


def hand_made(dice: Dice, width: int, height: int) -> tuple[Any, Array, tuple[float, float], tuple[int, int, int, int]]:
    """A mask for a frame of this size, made without a model. Returns the mask, its bytes, its scale and its clip."""
    w, h = dice.pick((8, 5, 1, 12)), dice.pick((8, 3, 1, 9))
    data = dice.array.integers(0, 256, (h, w)).astype(np.uint8)
    if dice.chance(0.5):  # one piece
        data[...] = 0
        x, y, a, b = frames.roi_in(dice, w, h)
        data[y : y + b, x : x + a] = dice.pick((255, 128, 200))
    scale = width / w, height / h
    clip = frames.roi_in(dice, width, height) if dice.chance(0.5) else (0, 0, width, height)
    size = (width, height) if dice.chance(0.5) else None
    grid = MaskTransform(scale[0], 0.0, scale[1], 0.0, (0, 0, width, height), frame_size=size)
    return Mask(data.tobytes(), (0, 0, w, h), (0, 0, w, h), clip, grid), data, scale, clip


def _masks(dice: Dice) -> str:
    """An opaque mask in one color: pixels outside its clip do not change, nor pixels without mask pixels nearby."""
    img, seen = canvas(dice)
    height, width = seen.shape
    mask, data, scale, clip = hand_made(dice, width, height)
    color = dice.pick(COLORS[:4])
    antialias = dice.chance(0.6)
    alpha = 255 if dice.chance(0.8) else dice.whole(0, 255)
    dice.tell(size=(width, height), data=data, clip=clip, color=color, antialias=antialias, alpha=alpha)
    before = seen.copy()
    columns = np.minimum(((np.arange(width) + 0.5) / scale[0]).astype(int), data.shape[1] - 1)
    rows = np.minimum(((np.arange(height) + 0.5) / scale[1]).astype(int), data.shape[0] - 1)
    full, empty = around(data >= 128)
    clipped = _within(seen, clip)
    options: Any = {"color": color, "alpha": alpha, "antialias": antialias}
    if dice.chance(0.5):
        d = n6post.Detection(clip, 0.5, 0, "x", mask, None)
        result, refused = attempt(n6post.draw, img, [d], boxes=False, labels=False, **options)
    else:
        result, refused = attempt(mask.draw, img, **options)
    require(result is img, "refused a valid mask: %s", refused)
    changed = seen != before
    spread = data.shape[1] > width or data.shape[0] > height
    quiet("outside of the clip", changed & ~clipped)
    quiet("beside the mask", changed & empty[rows][:, columns] & (not spread))
    quiet("with an alpha of 0", changed & (alpha == 0))
    value = value_of(color, seen)
    if alpha == 255 and value >= 0:
        due = full[rows][:, columns] & clipped & (not spread)
        if not antialias:  # the edge of a block may be one pixel off
            due &= np.roll(due, 1, 0) & np.roll(due, -1, 0) & np.roll(due, 1, 1) & np.roll(due, -1, 1)
        require((seen[due | changed] == value).all(), "pixels of a mask are %r", np.unique(seen[due | changed])[:5])
    _measured(mask, data, scale, clip, (width, height), dice)
    return CONFIRMED


def _measured(
    mask: Any, data: Array, scale: tuple[float, float], clip: tuple[int, int, int, int], size: tuple[int, int], dice: Dice
) -> None:
    """Compare area, centroid, contains, rect and outline of a mask with all pixels of the frame."""
    (width, height), (x, y, w, h) = size, clip
    places = [(np.arange(n) + 0.5) / s for n, s in zip(size, scale, strict=True)]
    clear = [np.abs(p - np.round(p)) > 1e-3 / s + 1e-6 for p, s in zip(places, scale, strict=True)]
    columns, rows = (np.minimum(p.astype(int), n - 1) for p, n in zip(places, data.shape[::-1], strict=True))
    held = (data >= 128)[rows][:, columns]
    held &= _within(held, clip)
    doubt = int((~clear[0]).sum()) * height + int((~clear[1]).sum()) * width
    close("area", mask.area, held.sum(), reach=doubt)
    for _ in range(3):
        i, j = dice.whole(-1, width), dice.whole(-1, height)
        there = 0 <= i < width and 0 <= j < height
        if not there or clear[0][i] and clear[1][j]:
            same(f"contains({i}, {j})", mask.contains(i, j), there and bool(held[j, i]))
    middle, rect, points = mask.centroid, mask.rect, mask.outline()
    require((middle is None) == (mask.area == 0), "centroid %r of an area of %d", middle, mask.area)
    if middle is not None and not doubt:
        close("centroid", middle, np.argwhere(held).mean(axis=0)[::-1], reach=1.01)
    some = bool((data >= 128).any())
    same("rect, outline and iou with itself", (rect is not None, bool(points), mask.iou(mask)), (some, some, float(some)))
    if rect is not None:
        require(x <= rect[0] < rect[0] + rect[2] <= x + w and y <= rect[1] < rect[1] + rect[3] <= y + h, "rect %r", rect)
    require(all([x <= a < x + w and y <= b < y + h for a, b in points]), "outline %r outside of %r", points, clip)


def around(inside: Array) -> tuple[Array, Array]:
    """Pixels that are inside, or outside, with all eight neighbors. The edge continues beyond the map."""
    height, width = inside.shape
    wide = np.pad(inside, 1, mode="edge")
    near = [wide[1 + j : 1 + j + height, 1 + i : 1 + i + width] for j in (-1, 0, 1) for i in (-1, 0, 1)]
    full: Array = np.logical_and.reduce(near)
    some: Array = np.logical_or.reduce(near)
    return full, ~some


def _map(dice: Dice) -> str:
    """An opaque class map: each pixel has the color of the class under its center, and the background does not change."""
    img, seen = canvas(dice)
    height, width = seen.shape
    w, h = dice.pick(((8, 8), (5, 3), (1, 1), (12, 9), (64, 40)))
    classes = dice.array.integers(0, 4, (h, w)).astype(np.uint8)
    roi = frames.roi_in(dice, width, height) if dice.chance(0.5) else (0, 0, width, height)
    background = dice.pick((0, None, 3))
    model = Model([Quantized(classes[None].copy())], (w, h))
    source = frames.way(frames.Framed(roi, frames.Picture(width, height)), frames.plain(), (w, h), roi, (width, height))
    alpha = dice.pick((255, 255, 0, 128))
    palette = [(255, 255, 255), None, (0, 0, 0), (255, 255, 255)]
    dice.tell(size=(width, height), classes=classes, roi=roi, background=background, alpha=alpha)
    found, refused = attempt(n6post.DeepLab(background=background, layout="NHWC"), model, [source.given], model.outputs())
    require(found is not None, "refused a valid map: %s", refused)
    assert found is not None
    before = seen.copy()
    result, refused = attempt(found.draw, img, palette=palette, alpha=alpha)
    require(result is img, "refused to draw a valid map: %s", refused)
    changed = seen != before
    quiet("with an alpha of 0", changed & (alpha == 0))
    if not source.clear:
        return BOUNDED
    # The class under the center of each pixel, -1 beside the map.
    under, sure = [], []
    for axis in (0, 1):
        at, inside, clear = maps.pixel_edges(source, (w, h), (w, h), axis)
        first = max(roi[axis], 0) - 2
        places = np.full(seen.shape[1 - axis], -1)
        places[np.arange(len(at))[inside] + first] = at[inside]
        known = np.ones(len(places), bool)
        known[np.arange(len(at))[inside & ~clear] + first] = False
        under.append(places)
        sure.append(known)
    class_ids = np.where((under[1][:, None] < 0) | (under[0] < 0), -1, classes[under[1]][:, under[0]].astype(int))
    for class_id in range(-1, 4):
        here = (class_ids == class_id) & sure[1][:, None] & sure[0]
        color = None if class_id < 0 or class_id == background else palette[class_id]
        if color is None:
            quiet(f"of class {class_id}", changed & here)
        elif alpha == 255:
            tinted = seen[here]
            require((tinted == value_of(color, seen)).all(), "pixels of class %d: %r", class_id, np.unique(tinted)[:4])
    return CONFIRMED


def _anything(dice: Dice) -> str:
    """Every option with every kind of result on any frame: it is drawn or refused, and the frame keeps its size."""
    img, seen = canvas(dice)
    if dice.chance(0.05):
        img = image.Image(8, 8, image.BINARY)
        seen = np.frombuffer(img.bytearray(), np.uint8)
    height, width = seen.shape if seen.ndim == 2 else (8, 8)
    size = dice.pick((None, (width, height), (640, 480), (5, 900), (3 * width, 3 * height), (width * 7, height * 7 + 1)))
    source = {"keypoint_threshold": dice.pick((0.5, 0.0, 1.0)), "frame_size": size} if dice.chance(0.7) else {}
    found: Any = []
    for _ in range(dice.pick((1, 2, 0, 8))):
        points = None
        if dice.chance(0.4):
            values = dice.array.uniform(-20, 700, (dice.pick((17, 13, 3)), 3)).astype(np.float32)
            values[:, 2] = dice.array.uniform(0, 1, len(values))
            if dice.chance(0.2):
                values[0] = dice.pick((np.nan, np.inf, 1e9, -1e9))
            points = _host.wrap(values)
        mask = hand_made(dice, width, height)[0] if dice.chance(0.4) else None
        rect, score = _rect(dice, width, height), dice.pick((0.5, float("nan"), float("inf"), 1.0))
        d: Any = n6post.Detection(rect, score, dice.pick((0, 79, 65535)), dice.pick(LABELS), mask, points)
        d = d.replace(**source)
        if dice.chance(0.5):
            d.track_id = dice.whole(1, 9)
        found.append(d)
    options: dict[str, Any] = {}
    wrong = set()
    for name, fits, other in (
        ("color", (None, (1, 2, 3), [9, 9, 9], [None] * len(found), [(1, 2, 3)] * len(found), lambda d: (0, 9, 0)),
         ("red", (1, 2), (0, 0, 256), (1.0, 2, 3), 7, [(1, 2, 3)] * 99)),
        ("text_scale", (None, 1, 2, 8), (0, 9, 1.5, True)),
        ("alpha", (128, 0, 255, 8), (-1, 256, 1.5, None, True)),
        ("thickness", (2, 0, 100, 1), (-1, 101, 0.5, None)),
        ("masks", (True, False), ()), ("boxes", (True, False), ()), ("antialias", (None, True, False), ()),
        ("labels", (True, False, ["t"] * len(found), [None] * len(found), lambda d: d.label), (["t"] * 99, "text", 5)),
        ("color_by", COLOR_BY, ("color", None, 3)),
    ):  # fmt: skip
        if not dice.chance(0.35):
            continue
        if other and dice.chance(0.08):
            options[name] = dice.pick(other)
            wrong.add(name)
        else:
            options[name] = dice.pick(fits)
    good = seen.ndim == 2
    result: Any = found
    if dice.chance(0.06):
        result = dice.pick((None, 5, "x", [5], [(1, 2)], {}, found[0] if found else None))
        good = False
    elif dice.chance(0.2):
        result = _over_time(dice, size)
        if options.get("color_by", "class") != "class" and not isinstance(result, n6post.Trail):
            good = False
        for name in ("labels", "color"):
            if isinstance(options.get(name), list) or callable(options.get(name)):
                del options[name]
                wrong.discard(name)
    # A picture with a different aspect ratio than the frame is cropped or stretched.
    if size and abs(width * size[1] - height * size[0]) > 2 * max(size) and (result is not found or found and source):
        good = False
    good = good and not wrong
    before = bytes(img.bytearray())
    dice.tell(size=(width, height), format=img.format(), result=result, options=options)
    got, refused = attempt(n6post.draw, img, result, **options)
    require(len(img.bytearray()) == len(before) and img.width() == width, "the frame has a different size")
    if got is None:
        require(not good, "refused to draw valid input: %s", refused)
        require(bytes(img.bytearray()) == before, "it was refused, but pixels were drawn")
        return REFUSED
    require(good, "drew input that has to be refused")
    require(got is img, "a different image than the frame")
    if isinstance(result, list) and not result:
        require(bytes(img.bytearray()) == before, "there were no detections, but pixels were drawn")
        return CONFIRMED
    return BOUNDED


def _hidden(dice: Dice) -> str:
    """hide: two pictures with the same means of blocks look the same where a box was, and nothing far away changes."""
    img, seen = canvas(dice)
    height, width = seen.shape
    rect = _rect(dice, width, height)
    mask = hand_made(dice, width, height)[0] if dice.chance(0.3) else None
    options: dict[str, Any] = {"how": dice.pick(("pixelate", "blur", "fill")), "size": dice.pick((None, 2, 5, 64))}
    options["grow"] = dice.pick((0.0, 0.05, 1, 10.0))
    wrong = dice.chance(0.1)
    if wrong:
        name, value = dice.pick((("how", "x"), ("how", 5), ("size", 1), ("size", 2.0), ("grow", -1), ("color", 3)))
        options[name] = value
    dice.tell(size=(width, height), format=img.format(), rect=rect, mask=mask, options=options)
    before = seen.copy()
    found = [n6post.Detection(rect, 0.5, 0, "x", mask, None)]
    result, refused = attempt(n6post.hide, img, found, **options)
    if wrong:
        require(result is None and (seen == before).all(), "hid with a wrong option")
        return REFUSED
    require(result is img, "refused to hide: %s", refused)
    if mask is not None or not rect[2] or not rect[3]:
        return BOUNDED
    side = options["size"] or max(8, min(64, min(rect[2:]) // 6))
    quiet("far away", (seen != before) & ~_within(seen, rect, side + int(10 * max(rect[2:])) + 1))
    hidden = seen.copy()
    for top in range(0, height, side):
        for left in range(0, width, side):
            block = before[top : top + side, left : left + side]
            seen[top : top + side, left : left + side] = dice.array.permutation(block.ravel()).reshape(block.shape)
    n6post.hide(img, found, **options)
    require((seen == hidden)[_within(seen, rect)].all(), "what is left depends on more than means of blocks")
    return CONFIRMED


def _written(dice: Dice) -> str:
    """Texts and labels on the same picture again and again: nothing outside of the frame, and a fresh frame is fresh."""
    img, seen = canvas(dice)
    height, width = seen.shape
    blank = seen.copy()
    steps: list[Any] = []
    for _ in range(dice.pick((1, 3, 6))):
        found = [n6post.Detection(_rect(dice, width, height), 0.5, n, dice.pick(LABELS), None, None) for n in range(2)]
        options: dict[str, Any] = {"scale": dice.pick((None, 1, 3, 8)), "color": dice.pick(COLORS)}
        options["background"] = dice.pick((None, *COLORS))
        options["align"] = dice.pick(("top_left", "center", "bottom_right", "top_center"))
        at = dice.whole(-60, 90), dice.whole(-60, 90)
        steps.append(dice.pick(((found, None, None), (at, dice.pick(LABELS), options))))
    dice.tell(size=(width, height), format=img.format(), steps=steps)

    def drawn() -> Array:
        seen[...] = blank
        for place, text, options in steps:
            if text is None:
                n6post.draw(img, place)
            else:
                require(n6post.text(img, place, text, **options) is img, "another image")
        return seen.copy()

    first = drawn()
    require((drawn() == first).all() and (drawn() == first).all(), "the same frame is drawn in another way")
    return CONFIRMED


def _over_time(dice: Dice, size: Any) -> Any:
    places = [(dice.whole(-5, 60), dice.whole(-5, 60)) for _ in range(4)]
    if dice.chance(0.4):
        trail = n6post.Trail(dice.pick((5, 2)), frame_size=size)
        for x, y in places:
            d: Any = n6post.Detection((x, y, 4, 4), 0.5, 1, "x", None, None)
            d.track_id = dice.whole(1, 2)
            trail.update([d])
        return trail
    if dice.chance(0.5):
        end = places[1] if places[1] != places[0] else (99, 99)
        return n6post.LineZone(places[0], end, frame_size=size)
    zone, _ = attempt(n6post.PolygonZone, places, frame_size=size)
    return zone or n6post.PolygonZone([(0, 0), (9, 0), (9, 9)], frame_size=size)
