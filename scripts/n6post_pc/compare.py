"""How far two networks agree on the same pictures, an int8 one and the float one it was made of say: run_model --compare.

Two detections are the same object where their classes are the same and their boxes' IoU is at least SAME; pairs are taken
by IoU, the largest first, and each detection once.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from n6post import keypoint_names
from rich import box
from rich.table import Table

from .coco import class_map
from .command import UserError

SAME = 0.5  # the IoU of COCO's AP50, and of Pascal VOC

# From which parts of objects found by both and mean IoUs, and from which part of pixels alike, two networks are called so:
# rules of thumb. Two boxes of 100 pixels that lie 4 pixels apart in x and y have an IoU of .85.
LEVELS = (
    ("they agree", 0.9, 0.85, 0.95),
    ("they are close", 0.75, 0.75, 0.85),
)
APART = "they differ"

Rect = tuple[int, int, int, int]


def box_iou(one: Rect, other: Rect) -> float:
    """Intersection over union of two rectangles (x, y, w, h); 0 where both are empty."""
    ax, ay, aw, ah = one
    bx, by, bw, bh = other
    w = min(ax + aw, bx + bw) - max(ax, bx)
    h = min(ay + ah, by + bh) - max(ay, by)
    both = max(w, 0) * max(h, 0)
    either = aw * ah + bw * bh - both
    return both / either if either else 0.0


def matched(one: Sequence[Any], other: Sequence[Any], classes: bool = True) -> list[tuple[int, int]]:
    """Pairs (i, k) of detections one[i] and other[k] that are the same object; with classes=False of any class."""
    likely = [
        (box_iou(a.rect, b.rect), i, k)
        for i, a in enumerate(one)
        for k, b in enumerate(other)
        if a.class_id == b.class_id or not classes
    ]
    pairs: list[tuple[int, int]] = []
    for iou, i, k in sorted(likely, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if iou >= SAME and not any(i == a or k == b for a, b in pairs):
            pairs.append((i, k))
    return sorted(pairs)


class Pair(NamedTuple):
    """An object that both found. `apart`: of each keypoint that both see how far it lies apart, pixels."""

    picture: str
    label: str
    scores: tuple[float, float]
    rects: tuple[Rect, Rect]
    box_iou: float
    mask_iou: float | None
    apart: list[float]
    keypoints: int  # that one of them sees at least

    def as_dict(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "label": self.label,
            "scores": [round(score, 3) for score in self.scores],
            "rects": [list(rect) for rect in self.rects],
            "box_iou": round(self.box_iou, 3),
        }
        if self.mask_iou is not None:
            told["mask_iou"] = round(self.mask_iou, 3)
        if self.keypoints:
            distances = [round(d, 1) for d in self.apart]
            told["keypoints"] = {"seen": self.keypoints, "seen_by_both": len(distances), "distances": distances}
        return told


def _joints(detection: Any) -> dict[str, tuple[float, float]]:
    """The places of the keypoints that a detection sees, by name; the head of 13 keypoints is the nose of 17."""
    keypoints = detection.keypoints
    if keypoints is None:
        return {}
    names = ["nose" if name == "head" else name for name in keypoint_names(len(keypoints))]
    return {n: (x, y) for n, (x, y, s) in zip(names, keypoints.tolist()) if s >= detection.keypoint_threshold}


def _pair(picture: str, a: Any, b: Any) -> Pair:
    mask_iou = a.mask.iou(b.mask) if a.mask is not None and b.mask is not None else None
    ours, theirs = _joints(a), _joints(b)
    apart = [float(np.hypot(x - theirs[n][0], y - theirs[n][1])) for n, (x, y) in ours.items() if n in theirs]
    keypoints = len(ours.keys() | theirs.keys()) if a.keypoints is not None and b.keypoints is not None else 0
    rects = tuple(a.rect), tuple(b.rect)
    scores = float(a.score), float(b.score)
    return Pair(picture, a.label, scores, rects, box_iou(*rects), mask_iou, apart, keypoints)  # type: ignore[arg-type]


class Comparison:
    """What two networks made of the same pictures, counted together as they come."""

    def __init__(self) -> None:
        self.pictures = 0
        self.pairs: list[Pair] = []
        self.alone: tuple[list[tuple[str, Any]], list[tuple[str, Any]]] = ([], [])  # (picture, detection) of each network
        self.below = [0, 0]  # of them: those that the other network has too, with a score below its threshold
        self.renamed = 0  # pairs of them that are one object with two classes
        self._pixels: dict[tuple[int, int], int] = {}  # (class by the one, by the other): pixels
        self._labels: dict[int, str] = {}

    def add(
        self, picture: str, size: tuple[int, int], one: Any, other: Any, lower: Callable[[int], Any] | None = None
    ) -> dict[str, Any]:
        """A picture's two results; what is to be told of it, for JSON.

        lower   what the one (0) or the other (1) finds with a lower threshold: asked where something was found by one only
        """
        if isinstance(one, list) != isinstance(other, list):
            raise UserError("one of the models finds objects, the other tells a class for every pixel: nothing to compare")
        self.pictures += 1
        return self._objects(picture, one, other, lower) if isinstance(one, list) else self._maps(size, one, other)

    def _objects(
        self, picture: str, one: list[Any], other: list[Any], lower: Callable[[int], Any] | None
    ) -> dict[str, Any]:
        same = matched(one, other)
        pairs = [_pair(picture, one[i], other[k]) for i, k in same]
        self.pairs += pairs
        left = [d for i, d in enumerate(one) if i not in {i for i, _ in same}]
        right = [d for k, d in enumerate(other) if k not in {k for _, k in same}]
        renamed = matched(left, right, classes=False)
        self.renamed += len(renamed)
        briefs = [_brief(d) for d in left], [_brief(d) for d in right]
        for network, alone in enumerate((left, right)):
            self.alone[network].extend((picture, d) for d in alone)
            if alone and lower is not None:
                weak = lower(1 - network)
                for i, k in matched(alone, weak):
                    briefs[network][i]["score_by_other"] = round(float(weak[k].score), 3)
                    self.below[network] += 1
        return {
            "both": [pair.as_dict() for pair in pairs],
            "only_model": briefs[0],
            "only_other": briefs[1],
            "other_class": [[_brief(left[i]), _brief(right[k])] for i, k in renamed],
        }

    def _maps(self, size: tuple[int, int], one: Any, other: Any) -> dict[str, Any]:
        a, b = class_map(one, size), class_map(other, size)
        seen = (a >= 0) & (b >= 0)
        counts = np.bincount(a[seen].astype(np.int64) * 256 + b[seen], minlength=1)
        here = {divmod(int(key), 256): int(counts[key]) for key in np.flatnonzero(counts)}
        for key, count in here.items():
            self._pixels[key] = self._pixels.get(key, 0) + count
        for result in (one, other):
            for class_id in result.class_ids(True):
                self._labels.setdefault(class_id, result.label(class_id))
        return {"pixels_alike": round(_alike(here), 4), "iou": self._named(_class_ious(here))}

    def _named(self, ious: dict[int, float]) -> dict[str, float]:
        return {self._labels.get(class_id, str(class_id)): round(iou, 4) for class_id, iou in ious.items()}

    # ---- all pictures together ----

    def summary(self) -> dict[str, Any]:
        """All of it in numbers; scores and their differences are those of the one minus those of the other."""
        told: dict[str, Any] = {"pictures": self.pictures}
        if self._pixels:
            told.update(pixels_alike=round(_alike(self._pixels), 4), iou=self._named(_class_ious(self._pixels)))
        else:
            told.update(
                found=[len(self.pairs) + len(alone) for alone in self.alone],
                found_by_both=len(self.pairs),
                only_model=len(self.alone[0]),
                only_other=len(self.alone[1]),
                below_threshold=list(self.below),
                other_class=self.renamed,
            )
            if self.pairs:
                told["box_iou"] = _mean_and_least([p.box_iou for p in self.pairs])
                masks = [p.mask_iou for p in self.pairs if p.mask_iou is not None]
                if masks:
                    told["mask_iou"] = _mean_and_least(masks)
                off = np.array([a - b for a, b in (p.scores for p in self.pairs)])
                told["score_difference"] = {
                    "mean": round(float(off.mean()), 3),
                    "mean_size": round(float(np.abs(off).mean()), 3),
                    "largest_size": round(float(np.abs(off).max()), 3),
                }
                keypoints = sum(p.keypoints for p in self.pairs)
                if keypoints:
                    told["keypoints"] = self._keypoint_numbers(keypoints)
        told["verdict"], told["agree"] = self.verdict()
        return told

    def _keypoint_numbers(self, keypoints: int) -> dict[str, Any]:
        apart = np.array([d for p in self.pairs for d in p.apart])
        # As COCO's keypoint similarity sees it: against the root of the object's area.
        sizes = np.array([(p.rects[1][2] * p.rects[1][3]) ** 0.5 for p in self.pairs for _ in p.apart])
        told: dict[str, Any] = {"seen": keypoints, "seen_by_both": len(apart)}
        if len(apart):
            share = float((apart / np.maximum(sizes, 1)).mean())
            told.update(mean_distance=round(float(apart.mean()), 2), of_size=round(share, 4))
        return told

    def verdict(self) -> tuple[str, bool]:
        """One sentence, and whether it is a good one."""
        if self._pixels:
            alike = _alike(self._pixels)
            said = f"{alike:.1%} of the pixels have the same class"
            level = next((name for name, _, _, least in LEVELS if alike >= least), APART)
        elif not self.pairs and not any(self.alone):
            return "nothing to compare: neither found anything", False
        else:
            one, other = len(self.alone[0]), len(self.alone[1])
            share = len(self.pairs) / (len(self.pairs) + one + other)
            said = f"{share:.0%} found by both"
            ious = [("boxes", [p.box_iou for p in self.pairs])]
            ious.append(("masks", [p.mask_iou for p in self.pairs if p.mask_iou is not None]))
            means = {what: float(np.mean(values)) for what, values in ious if values}
            if means:
                said += f", IoU of {', '.join(f'{what} {mean:.2f}' for what, mean in means.items())}"
            worst = min(means.values(), default=0.0)
            level = next((name for name, least, iou, _ in LEVELS if share >= least and worst >= iou), APART)
        return f"{level}: {said}", level != APART

    # ---- for a person ----

    def table(self, title: str) -> Table:
        sheet = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False,
                      show_header=False)  # fmt: skip
        sheet.add_column(no_wrap=True)
        sheet.add_column(no_wrap=True, justify="right")
        sheet.add_column()
        for row in self._rows():
            sheet.add_row(*row)
        return sheet

    def _rows(self) -> list[tuple[str, str, str]]:
        told = self.summary()
        if self._pixels:
            rows = [("pixels of the same class", f"{told['pixels_alike']:.1%}", "")]
            return rows + [(f"IoU of {name}", f"{iou:.2f}", "") for name, iou in told["iou"].items()]
        rows = [("found by both", str(len(self.pairs)), f"of {told['found'][0]} and {told['found'][1]}")]
        for name, alone, weak, blind in zip(("MODEL", "OTHER"), self.alone, self.below, ("OTHER", "MODEL")):
            rows.append((f"only by {name}", str(len(alone)), _examples(alone)))
            if weak:
                rows.append(("", str(weak), f"of these {blind} has below its threshold"))
        if self.renamed:
            rows.append(("the same box, other classes", str(self.renamed), "counted on both lines above"))
        if not self.pairs:
            return rows
        for key, name in (("box_iou", "IoU of their boxes"), ("mask_iou", "IoU of their masks")):
            if key in told:
                least = min((p for p in self.pairs if getattr(p, key) is not None), key=lambda p: float(getattr(p, key)))
                where = f"least {getattr(least, key):.2f}: {least.label} in {least.picture}"
                rows.append((name, f"{told[key]['mean']:.2f}", where))
        off = told["score_difference"]
        sizes = f"without their signs {off['mean_size']:.2f}, at most {off['largest_size']:.2f}"
        rows.append(("scores, MODEL - OTHER", f"{off['mean']:+.2f}", sizes))
        if "keypoints" in told:
            keypoints = told["keypoints"]
            least = f"of {keypoints['seen']} seen by one at least"
            rows.append(("keypoints seen by both", str(keypoints["seen_by_both"]), least))
            if "mean_distance" in keypoints:
                away = f"pixels, {keypoints['of_size']:.1%} of a person's size (root of the box's area)"
                rows.append(("their distance", f"{keypoints['mean_distance']:.1f}", away))
        return rows


def _examples(alone: Sequence[tuple[str, Any]], most: int = 2) -> str:
    best = sorted(alone, key=lambda entry: -entry[1].score)
    said = ", ".join(f"{d.label} {d.score:.2f} in {picture}" for picture, d in best[:most])
    return said + (", ..." if len(best) > most else "")


def _brief(detection: Any) -> dict[str, Any]:
    return {"label": detection.label, "score": round(float(detection.score), 3), "rect": list(detection.rect)}


def _mean_and_least(values: Sequence[float]) -> dict[str, float]:
    return {"mean": round(float(np.mean(values)), 3), "least": round(float(min(values)), 3)}


def _alike(pixels: dict[tuple[int, int], int]) -> float:
    return sum(count for (a, b), count in pixels.items() if a == b) / max(1, sum(pixels.values()))


def _class_ious(pixels: dict[tuple[int, int], int]) -> dict[int, float]:
    """Of every class that one of the two tells: its pixels by both, of its pixels by either."""
    ious = {}
    for class_id in sorted({c for pair in pixels for c in pair}):
        either = sum(count for pair, count in pixels.items() if class_id in pair)
        ious[class_id] = pixels.get((class_id, class_id), 0) / either
    return ious
