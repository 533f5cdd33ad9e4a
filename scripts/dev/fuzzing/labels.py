"""Names: lists, dicts and files of labels, keypoints by name, and results in other formats."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import n6post
import numpy as np
from ulab import _host

from .core import CONFIRMED, REFUSED, Dice, attempt, close, require, same
from .tensors import Model, Quantized

LETTERS = (
    "person", "cat", "a", "b c", " x", "y ", "\t", "", "ä", "日本", "\u2028", "\ufeffz", "\x00", "'", '"', "1", "\x1c", "🐈",
)  # fmt: skip
ENDS = (b"\n", b"\n", b"\r\n", b"\r", b"\n\n", b"")
BYTES = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f", b"\xef\xbb\xbf", b"\x00")


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="fuzz")


def folder() -> Path:
    """A folder of this process, which is deleted when it ends."""
    return Path(_folder().name)


BLANKS = " \t\n\r\v\f"  # what str.strip removes on a camera


def file_names(data: bytes) -> list[str] | None:
    """The names in a label file: UTF-8 with or without a BOM, any line ends. None if it is not a label file."""
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    try:
        lines = [one.decode() for one in data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")]
    except UnicodeDecodeError:
        return None
    return tidy(lines)


def tidy(names: list[str]) -> list[str] | None:
    """Strip the names and drop blank ones at the end. None if one in between is blank or if no name is left."""
    names = [name.strip(BLANKS) for name in names]
    while names and not names[-1]:
        names.pop()
    return names if names and "" not in names else None


def labels(dice: Dice) -> str:
    """Class names from a list, a dict or a file, and classes selected by name."""
    how = dice.pick(("file", "list", "dict", "file", "classes"))
    if how == "classes":
        return _asked_for(dice)
    count = dice.pick((3, 1, 2, 5, 0, 30))
    names = [dice.pick(LETTERS) for _ in range(count)]
    given: Any
    whole = True
    if how == "file":
        data = b"".join([name.encode("utf-8", "surrogatepass") + dice.pick(ENDS) for name in names])
        if dice.chance(0.15):
            data = dice.pick(BYTES) + data
        if dice.chance(0.15):
            at = dice.whole(0, len(data))
            data = data[:at] + dice.pick(BYTES) + data[at:]
        path = folder() / dice.pick(("names.txt", "names.TXT"))
        path.write_bytes(data)
        if dice.chance(0.03):
            path.unlink()
            data = b""
        given, expected = str(path), file_names(data)
        dice.tell(data=data)
    elif how == "dict":
        keys: list[Any] = [str(i) if dice.chance(0.3) else i for i in range(count)]
        if dice.chance(0.2) and keys:
            keys[dice.whole(0, count - 1)] = dice.pick((-1, 99, "x", 1.0, None, "7"))
        given = dict(zip(keys, names, strict=True))
        names = list(given.values())  # 1 and 1.0 are the same key
        numbers = [int(k) if isinstance(k, str) and k.isdigit() else k for k in given]
        whole = all([type(k) is int for k in numbers]) and sorted(numbers) == list(range(len(numbers)))
        ordered = [name for _, name in sorted(zip(numbers, given.values(), strict=True))] if whole else []
        expected = tidy_list(ordered) if whole and ordered else None
    else:
        given = tuple(names) if dice.chance(0.3) else names
        expected = tidy_list(names)
    dice.tell(labels=given)
    made, refused = attempt(n6post.YoloV8, labels=given)
    if made is None:
        blank = how != "file" and whole and bool(given) and not any([name.strip(BLANKS) for name in names])
        require(expected is None and not blank, "refused valid names: %s", refused)
        return REFUSED
    if how != "file" and expected is None:  # only blank names: no names
        require(given and whole and not any([name.strip(BLANKS) for name in names]), "accepted invalid names")
    same("names", made.labels, expected)
    if isinstance(given, list):
        given.append("more")
        same("after its list has changed: names", made.labels, expected)
    return CONFIRMED


def tidy_list(names: list[str]) -> list[str] | None:
    names = [name.strip(BLANKS) for name in names]
    return tidy([names[0].lstrip("\ufeff"), *names[1:]]) if names else None


def _asked_for(dice: Dice) -> str:
    """Classes by number and name, for a model with five classes of which two have the same name."""
    names = ["a", "b", "c", "b", "e"]
    wanted: list[Any] = [dice.pick((0, 4, "a", "b", "e", "z", 5, 2)) for _ in range(dice.whole(1, 3))]
    head = np.zeros((1, 9, 21), np.float32)
    head[0, :4, :5] = np.array([np.linspace(4, 28, 5), np.full(5, 9), np.full(5, 4), np.full(5, 4)])
    head[0, 4:, :5] = np.eye(5) * 0.9
    dice.tell(classes=wanted)
    model = Model([Quantized(head)], (32, 32))
    found, refused = attempt(n6post.YoloV8(classes=wanted, labels=names), model, [], model.outputs())
    known = all([one in names if isinstance(one, str) else one < 5 for one in wanted])
    require((found is not None) == known, "%s", refused or "accepted an unknown class")
    if found is None:
        return REFUSED
    expected = [i for i in range(5) if i in wanted or names[i] in wanted]
    same("classes and labels", [(d.class_id, d.label) for d in found], [(i, names[i]) for i in expected])
    return CONFIRMED


KEYPOINTS_17 = (
    "nose", "left eye", "right eye", "left ear", "right ear", "left shoulder", "right shoulder", "left elbow", "right elbow",
    "left wrist", "right wrist", "left hip", "right hip", "left knee", "right knee", "left ankle", "right ankle",
)  # fmt: skip


ASKED: tuple[Any, ...] = (*range(17), *range(4), *KEYPOINTS_17, "head", "left_wrist", -1, 17, "tail", "", 1.0, None, True)


def answers(dice: Dice) -> str:
    """The derived values of a Detection, and to_openmv."""
    keypoints = dice.pick((17, 13, 4))
    table = dice.array.uniform(-5, 300, (keypoints, 3)).astype(np.float32)
    table[:, 2] = dice.array.uniform(0, 1, keypoints)
    known = {17: KEYPOINTS_17, 13: ("head", *KEYPOINTS_17[5:])}
    names = known.get(keypoints) or tuple(map(str, range(keypoints)))
    same("keypoint names", n6post.keypoint_names(keypoints), list(names))
    rect: Any = tuple([dice.whole(-9, 500) for _ in range(4)])
    d: Any = n6post.Detection(rect, 0.5, dice.whole(0, 9), "x", None, _host.wrap(table))
    wanted: list[Any] = [dice.pick(ASKED) for _ in range(3)]
    dice.tell(keypoints=keypoints, table=table, asked=wanted)
    numbers = [_keypoint_number(one, names) for one in wanted]
    got, refused = attempt(d.keypoint, wanted[0])
    require((got is not None) == (numbers[0] is not None), "keypoint %r: %s", wanted[0], refused or got)
    if got is not None:
        x, y, score = table[numbers[0]].tolist()
        same("keypoint", got, (int(x), int(y), score))
    angle, refused = attempt(d.angle, *wanted)
    require(bool(refused) == (None in numbers), "angle %r: %s", wanted, refused or angle)
    if None not in numbers:
        a, m, b = (table[n].astype(np.float64) for n in numbers)
        one, other = a[:2] - m[:2], b[:2] - m[:2]
        seen = min(a[2], m[2], b[2]) >= np.float32(0.3) and one.any() and other.any()
        require((angle is not None) == seen, "angle %r", angle)
        if angle is not None:
            cross, dot = one[0] * other[1] - one[1] * other[0], one @ other
            close("angle", angle, np.degrees(np.arctan2(abs(cross), dot)), reach=1e-2)
        limb = d.distance(wanted[0], wanted[2]), d.midpoint(wanted[0], wanted[2]), d.limb_angle(wanted[0], wanted[2])
        across, down = (b - a)[:2]
        if min(a[2], b[2]) < np.float32(0.3):
            require(limb == (None, None, None), "limb %r", limb)
        else:
            require(abs(limb[0] - np.hypot(across, down)) < 1e-2, "distance %r", limb[0])
            require(np.allclose(limb[1], (a + b)[:2] / 2, atol=1e-2), "midpoint %r", limb[1])
            upright = np.degrees(np.arctan2(abs(across), down))
            require(limb[2] is None if a[:2].tolist() == b[:2].tolist() else abs(limb[2] - upright) < 1e-2, "%r", limb[2])
    fingers, refused = attempt(lambda: d.fingers)
    require((fingers is None) == (keypoints != 21), "fingers %r: %s", fingers, refused)
    same("center", d.center, (rect[0] + rect[2] // 2, rect[1] + rect[3] // 2))
    other_one = d.replace(score=0.25)
    same("replaced", (other_one[:4], d.score), ((rect, 0.25, *d[2:4]), 0.5))
    lists = n6post.to_openmv([d, other_one])
    same("to_openmv", [len(one) for one in lists], [0] * d.class_id + [2])
    same("to_openmv", lists[-1][0][:2], (list(rect), 0.5))
    return CONFIRMED


def _keypoint_number(keypoint: Any, names: tuple[str, ...]) -> int | None:
    if type(keypoint) is int and 0 <= keypoint < len(names):
        return keypoint
    if not isinstance(keypoint, str):
        return None
    keypoint = keypoint.replace("_", " ")
    if len(names) in (13, 17) and keypoint in ("head", "nose"):
        return 0
    return names.index(keypoint) if keypoint in names else None
