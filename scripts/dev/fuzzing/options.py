"""Options of all public classes and functions, checked against their documentation. An invalid value changes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from types import SimpleNamespace
from typing import Any

import n6post

from .core import CONFIRMED, REFUSED, Dice, attempt, require, same
from .labels import tidy

Rule = Callable[[Any], bool]


class Odd:
    """An object of a type that nothing accepts."""


HOSTILE: tuple[Any, ...] = (
    0.5, 0, 1, None, True, False, -1, 2, 255, 256, 1000, 65535, 65536, 1.0, 0.0, -0.5, 1.5, 1e-7, 1e9, 10**30,
    float("nan"), float("inf"), -float("inf"), "", "person", "NHWC", "NCHW", "keypoints", "score", "logit", "classes",
    "probability", "bottom", "centroid", "names.txt", [], (), {}, [0], (1, 2), [0.5], ["person"], [None], [-1], [70000],
    [True], {0: "a"}, {1: "b"}, {"0": "a", "1": "b"}, range(3), b"ab", bytearray(b"x"), {1, 2}, Odd(), Odd, 1j, ["a", "b"],
    ("a", ""), ["", "a"], [1, "a"], (0, 0), (3, 4), [5, 6], (1.5, 2), ((0, 0), (9, 0), (9, 9)), [(0, 0), (9, 9)],
    [(0, 0), (5, 5), (9, 9)], (40000, 1), (0, -1),
)  # fmt: skip


def number(low: float, high: float) -> Rule:
    return lambda v: type(v) in (int, float) and low <= v <= high


def integer(low: int, high: int) -> Rule:
    return lambda v: type(v) is int and low <= v <= high


def word(*words: str) -> Rule:
    return lambda v: v is None or type(v) is str and v in words


def or_none(rule: Rule) -> Rule:
    return lambda v: v is None or rule(v)


def flag(value: Any) -> bool:
    return type(value) is bool


def classes(value: Any) -> bool:
    """Whether it is a collection of class numbers and names. Text and bytes are not."""
    if value is None or not isinstance(value, Iterable) or isinstance(value, (str, bytes)):
        return value is None
    listed = list(value)
    return bool(listed) and all([type(v) is str or type(v) is int and 0 <= v <= 65535 for v in listed])


def characters(value: Any) -> bool:
    return len(value) > 1 if isinstance(value, str) else names(value)


def pattern(value: Any) -> bool:
    """Whether it is a pattern of TextLine: positions, each an escaped or another character, and perhaps a ?."""
    if value is None:
        return True
    positions = re.findall(r"(?s)(\\.|[^?\\])(\??)", value) if isinstance(value, str) else []
    whole = "".join(map("".join, positions)) == value
    return whole and len(positions) <= 64 and any(not optional for _, optional in positions)


def names(value: Any) -> bool:
    """Whether it is a list or dict of names without blank ones in between."""
    if value is None:
        return True
    if isinstance(value, dict):
        keys = [int(k) if isinstance(k, str) and k.isdigit() else k for k in value]
        if not all([type(k) is int for k in keys]) or sorted(keys) != list(range(len(keys))):
            return False
        value = list(value.values())
    if not isinstance(value, (list, tuple)) or not value or not all([isinstance(v, str) for v in value]):
        return False
    return not any(value) or tidy(list(value)) is not None


def size_of_anchor(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value < 1e9


def anchor_sizes(value: Any) -> bool:
    """Whether it is a list of an even number of numbers above 0, however they are nested."""

    def flat(one: Any) -> list[Any]:
        return [number for part in one for number in flat(part)] if isinstance(one, (list, tuple)) else [one]

    numbers = flat(value) if isinstance(value, (list, tuple)) else [None] * (value is not None)
    return value is None or 0 < len(numbers) and len(numbers) % 2 == 0 and all(map(size_of_anchor, numbers))


def fraction(value: Any) -> bool:
    return value is None or type(value) in (int, float) and 0 < value < 1


UNIT = number(0, 1)
YOLO: dict[str, Rule] = {
    "threshold": UNIT, "iou_threshold": UNIT, "nms_sigma": number(0, 1e6), "max_detections": integer(1, 65535),
    "classes": classes, "class_agnostic": flag, "max_candidates": integer(1, 65535), "labels": names,
    "box_units": word("pixels", "normalized"), "box_order": word("xywh", "xyxy"),
}  # fmt: skip
BLAZE: dict[str, Rule] = {
    "threshold": UNIT, "iou_threshold": UNIT, "blend_boxes": flag, "max_detections": integer(1, 65535),
    "max_candidates": integer(1, 65535), "labels": names,
}  # fmt: skip
GRID: dict[str, Rule] = {name: rule for name, rule in YOLO.items() if name not in ("nms_sigma", "box_units", "box_order")}
FAMILIES: tuple[tuple[Any, dict[str, Rule]], ...] = (
    (n6post.YoloV8, YOLO),
    (n6post.YoloV8Seg, {**YOLO, "mask_threshold": number(1e-6, 1 - 1e-6), "mask_padding": or_none(number(0, 1e4)),
                        "mask_overlap": or_none(UNIT), "refit_boxes": flag}),
    (n6post.YoloV8Pose, {**YOLO, "keypoint_threshold": UNIT, "class_count": or_none(integer(1, 65535)),
                         "score_type": word("probability", "logit", "missing")}),
    (n6post.YoloV8Obb, YOLO),
    (n6post.MoveNet, {"keypoint_threshold": UNIT, "refine": flag, "labels": names,
                      "layout": word("NHWC", "NCHW", "keypoints")}),
    (n6post.DeepLab, {"background": lambda v: v is None or type(v) is str or type(v) is int and 0 <= v <= 255,
                      "threshold": fraction, "labels": names, "layout": word("NHWC", "NCHW"),
                      "output_type": word("probability", "logit", "class_ids")}),
    (n6post.HandLandmarks, {"threshold": UNIT, "labels": names, "first_scalar": word("score", "handedness")}),
    (n6post.FaceLandmarks, {"threshold": UNIT, "labels": names}),
    (n6post.PoseLandmarks, {"threshold": UNIT, "keypoint_threshold": UNIT, "labels": names}),
    (n6post.FacePoints, {"keypoint_units": word("pixels", "normalized"), "labels": names}),
    (n6post.Fomo, {"threshold": UNIT, "max_detections": integer(1, 65535), "classes": classes, "labels": names,
                   "layout": word("NHWC", "NCHW")}),
    (n6post.Classifier, {"threshold": UNIT, "top_k": integer(1, 1000), "labels": names,
                         "score_type": word("probability", "logit")}),
    (n6post.TextLine, {"threshold": UNIT, "characters": characters, "pattern": pattern, "labels": names,
                       "blank": word("first", "last"), "score_type": word("probability", "logit")}),
    (n6post.Depth, {"layout": word("NHWC", "NCHW")}),
    (n6post.Embedding, {"normalize": flag}),
    (n6post.Anomaly, {"patches": integer(16, 1024), "positions": flag, "threshold": or_none(number(0, 1e6)),
                      "sensitive": flag}),
    (n6post.Gallery, {"threshold": or_none(UNIT), "max_names": integer(1, 1000), "max_vectors": integer(1, 100),
                      "forget_after": number(0, 1e6), "refresh_after": number(0, 1e6)}),
    (n6post.BlazeFace, BLAZE),
    (n6post.BlazePalm, BLAZE),
    (n6post.BlazePose, BLAZE),
    (n6post.YuNet, {name: rule for name, rule in BLAZE.items() if name != "blend_boxes"}),
    (n6post.Scrfd, {name: rule for name, rule in BLAZE.items() if name != "blend_boxes"}),
    (n6post.Ssd, {**GRID, "anchors": lambda v: v is None, "box_order": word("xywh", "yxhw")}),
    (n6post.YoloV2, {**GRID, "anchors": anchor_sizes}),
    (n6post.YoloV5, {**GRID, "anchors": anchor_sizes, "box_units": word("pixels", "normalized"),
                     "version": word("v3", "v4")}),
    (n6post.YoloX, {**GRID, "anchors": anchor_sizes, "box_units": word("cells", "pixels", "normalized")}),
    (n6post.Tracker, {"threshold": UNIT, "low_threshold": UNIT, "max_gap": number(0, 600), "min_hits": integer(1, 1000),
                      "smooth_boxes": flag, "coast": number(0, 600), "max_distance": number(1, 64),
                      "max_tracks": integer(1, 1000), "use_masks": flag, "smooth_keypoints": flag}),
)  # fmt: skip

ANCHORS = ("center", "top", "bottom", "left", "right", "top_left", "top_right", "bottom_left", "bottom_right", "centroid")


def point(value: Any) -> bool:
    listed = isinstance(value, (list, tuple)) and len(value) == 2
    return listed and all([type(v) in (int, float) and -32768.5 <= v < 32767.5 for v in value])


def corners(value: Any) -> bool:
    """Whether these are three or more points that are not on a line."""
    if not isinstance(value, (list, tuple)) or len(value) < 3 or not all([point(one) for one in value]):
        return False
    x, y = value[0]
    ways = [(a - x, b - y) for a, b in value]
    return any([a * d != b * c for a, b in ways for c, d in ways])


def size(value: Any) -> bool:
    listed = isinstance(value, (list, tuple)) and len(value) == 2
    return value is None or listed and all([type(n) is int and 1 <= n <= 32767 for n in value])


def anchor(value: Any) -> bool:
    return type(value) is str and value in ANCHORS


def anchors(value: Any) -> bool:
    return anchor(value) or isinstance(value, (list, tuple)) and len(value) > 0 and all(map(anchor, value))


ZONE: dict[str, Rule] = {
    "anchor": anchors, "frame_size": size, "margin": number(0, 10), "min_frames": integer(1, 1000), "count_coasting": flag,
    "name": lambda v: v is None or isinstance(v, str),
}  # fmt: skip
OVER_TIME: tuple[tuple[Any, dict[str, Rule], dict[str, Any]], ...] = (
    (n6post.LineZone, {"start": point, "end": point, **ZONE}, {"start": (-7, 3), "end": (100, 3)}),
    (n6post.PolygonZone, {"points": corners, "max_gap": or_none(number(0, 1e6)), "min_seconds": number(0, 1e6), **ZONE},
     {"points": ((0, 0), (50, 0), (9, 70))}),
    (n6post.Hold, {"seconds": number(0, 1e6), "release": number(0, 1e6)}, {"seconds": 2.0}),
    (n6post.Steady, {"seconds": number(0, 1e6)}, {"seconds": 2.0}),
    (n6post.Majority, {"seconds": number(0.01, 1e6), "min_frames": integer(1, 1000)}, {"seconds": 2.0}),
    (n6post.Fraction, {"seconds": number(0.1, 1e6)}, {"seconds": 2.0}),
    (n6post.Trail, {"length": integer(2, 1000), "anchor": anchor, "frame_size": size}, {}),
    (n6post.Plane, {"anchor": anchor, "frame_size": size, "window": number(0.1, 60)},
     {"image_points": [(0, 0), (9, 0), (9, 9), (0, 9)], "world_points": [(0, 0), (1, 0), (1, 1), (0, 1)]}),
    (n6post.HeatMap, {"columns": integer(1, 255), "rows": integer(1, 255), "frame_size": size,
                      "anchor": lambda v: anchor(v) or v == "box", "half_life": or_none(number(0.1, 1e6))},
     {"columns": 4, "rows": 3}),
    (n6post.Tiles, {"columns": integer(1, 16), "rows": integer(1, 16), "overlap": number(0, 0.9), "whole_frame": flag,
                    "tiles_per_frame": integer(1, 257), "overlap_threshold": number(0.001, 1), "class_agnostic": flag},
     {"model": SimpleNamespace(predict=lambda inputs: [])}),
)  # fmt: skip


@cache
def _good(rule: Rule) -> list[Any]:
    """The values that a rule accepts."""
    return [value for value in (*HOSTILE, *ANCHORS) if rule(value)]


def options(dice: Dice) -> str:
    """Set one or two options of something that has options."""
    if dice.chance(0.25):
        kind, rules, given = dice.pick(OVER_TIME)
    else:
        (kind, rules), given = dice.pick(FAMILIES), {}
    chosen: dict[str, Any] = {}
    for _ in range(dice.whole(1, 2)):
        name = dice.pick(list(rules))
        chosen[name] = dice.pick(HOSTILE) if dice.chance(0.3) else dice.pick(_good(rules[name]))
    dice.tell(kind=kind.__name__, options=chosen)
    fits = all([rules[name](value) for name, value in chosen.items()])
    if kind is n6post.LineZone and fits:
        ends = {**given, **chosen}
        fits = tuple(ends["start"]) != tuple(ends["end"])
    if dice.chance(0.02):
        made, refused = attempt(kind, **given, treshold=0.5)
        require(made is None, "accepted an unknown option")
        return REFUSED
    made, refused = attempt(kind, **{**given, **chosen})
    require((made is not None) == fits, "%s", refused or "accepted an option that is out of range")
    if made is None:
        named = any([name in refused for name in (*chosen, "names.txt")])
        require(named, "a refusal that does not name its option: %s", refused)
        return REFUSED
    if given or kind is n6post.Trail:
        return CONFIRMED
    for name, value in chosen.items():
        _kept(made, name, value)
    # Assignment checks in the same way. A refused value does not replace the old one.
    name, value = dice.pick(list(rules)), dice.pick(HOSTILE)
    before = getattr(made, name)
    dice.tell(assigned=(name, value))
    _, refused = attempt(setattr, made, name, value)
    require((not refused) == rules[name](value), "%s", refused or "accepted an option that is out of range")
    if refused:
        require(getattr(made, name) is before, "a refused value changed the option from %r", before)
    else:
        _kept(made, name, value)
    return CONFIRMED


def _kept(made: Any, name: str, value: Any) -> None:
    if name in ("labels", "classes", "anchors", "characters"):  # a new list and new tuples
        return
    same(name, getattr(made, name), value)
