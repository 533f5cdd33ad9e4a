"""Compare the results of two networks on the same pictures, such as int8 and float: run_model --compare.

Two detections are the same object if they have the same class and the IoU of their boxes is at least SAME. Pairs are chosen
greedily, highest IoU first. Each detection is in one pair at most.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from n6post import keypoint_names
from rich import box
from rich.table import Table

from ..command import UserError
from .coco import class_map
from .results import kind_of

SAME = 0.5  # the IoU of COCO's AP50, and of Pascal VOC


class Level(NamedTuple):
    """A level of agreement, and its requirements.

    found       minimum fraction of objects that both networks find
    iou         minimum mean IoU of the boxes of these objects, and of their masks
    precision   maximum difference in AP, if it is evaluated
    pixels      minimum fraction of pixels with the same class
    """

    name: str
    found: float
    iou: float
    precision: float
    pixels: float


# Rules of thumb. To choose the IoUs, the boxes of a float YOLOv8n-seg were rounded to increasing steps, on 100 pictures. At
# mean IoUs of .98, .96, .94, .92, .90, .87 and .82, its AP of .670 dropped by .002, .011, .024, .038, .054, .106 and .176.
LEVELS = (
    Level("they agree", 0.9, 0.95, 0.02, 0.95),
    Level("they are close", 0.75, 0.9, 0.05, 0.85),
)
APART = "they differ"

Rect = tuple[int, int, int, int]


class BoxStep(NamedTuple):
    """The quantization step of a head's boxes.

    input       in pixels of the model's input
    picture     in pixels of the picture, in x and y
    """

    input: float
    picture: tuple[float, float]


_ROUNDING = np.random.default_rng(0).uniform(-0.5, 0.5, (512, 4))  # errors of the center's x and y, w and h, in steps


def rounded_iou(size: tuple[int, int], step: tuple[float, float]) -> float:
    """The mean IoU of a box of (width, height) `size` with itself after its center and size are rounded to steps."""
    (w, h), (step_x, step_y) = size, step
    x, y, wider, higher = (_ROUNDING * (step_x, step_y, step_x, step_y)).T
    both = 1.0
    for length, off, longer in ((w, x, wider), (h, y, higher)):
        other = np.maximum(length + longer, 0)
        both = both * np.clip(np.minimum(length / 2, off + other / 2) - np.maximum(-length / 2, off - other / 2), 0, None)
    either = w * h + np.maximum(w + wider, 0) * np.maximum(h + higher, 0) - both
    return float(np.mean(both / np.maximum(either, 1e-9)))


def box_iou(one: Rect, other: Rect) -> float:
    """Intersection over union of two rectangles (x, y, w, h); 0 if both are empty."""
    ax, ay, aw, ah = one
    bx, by, bw, bh = other
    w = min(ax + aw, bx + bw) - max(ax, bx)
    h = min(ay + ah, by + bh) - max(ay, by)
    both = max(w, 0) * max(h, 0)
    either = aw * ah + bw * bh - both
    return both / either if either else 0.0


def matched(one: Sequence[Any], other: Sequence[Any], classes: bool = True) -> list[tuple[int, int]]:
    """Pairs (i, k) where one[i] and other[k] are the same object. classes=False ignores the classes."""
    candidates = [
        (box_iou(a.rect, b.rect), i, k)
        for i, a in enumerate(one)
        for k, b in enumerate(other)
        if a.class_id == b.class_id or not classes
    ]
    pairs: list[tuple[int, int]] = []
    for iou, i, k in sorted(candidates, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if iou >= SAME and not any(i == a or k == b for a, b in pairs):
            pairs.append((i, k))
    return sorted(pairs)


class Pair(NamedTuple):
    """An object that both networks find.

    apart       distances in pixels of the keypoints that are visible in both results
    keypoints   number of keypoints that are visible in at least one result
    """

    picture: str
    label: str
    scores: tuple[float, float]
    rects: tuple[Rect, Rect]
    box_iou: float
    mask_iou: float | None
    apart: list[float]
    keypoints: int

    def as_dict(self) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "label": self.label,
            "scores": [round(score, 3) for score in self.scores],
            "rects": [list(rect) for rect in self.rects],
            "box_iou": round(self.box_iou, 3),
        }
        if self.mask_iou is not None:
            entry["mask_iou"] = round(self.mask_iou, 3)
        if self.keypoints:
            distances = [round(d, 1) for d in self.apart]
            entry["keypoints"] = {"seen": self.keypoints, "seen_by_both": len(distances), "distances": distances}
        return entry


def _visible_keypoints(detection: Any) -> dict[str, tuple[float, float]]:
    """{name: (x, y)} of the visible keypoints. The head of 13 keypoints is compared with the nose of 17."""
    keypoints = detection.keypoints
    if keypoints is None:
        return {}
    names = ["nose" if name == "head" else name for name in keypoint_names(len(keypoints))]
    return {n: (x, y) for n, (x, y, s) in zip(names, keypoints.tolist()) if s >= detection.keypoint_threshold}


def _pair(picture: str, a: Any, b: Any) -> Pair:
    mask_iou = a.mask.iou(b.mask) if a.mask is not None and b.mask is not None else None
    ours, theirs = _visible_keypoints(a), _visible_keypoints(b)
    apart = [float(np.hypot(x - theirs[n][0], y - theirs[n][1])) for n, (x, y) in ours.items() if n in theirs]
    keypoints = len(ours.keys() | theirs.keys()) if a.keypoints is not None and b.keypoints is not None else 0
    rects = tuple(a.rect), tuple(b.rect)
    scores = float(a.score), float(b.score)
    return Pair(picture, a.label, scores, rects, box_iou(*rects), mask_iou, apart, keypoints)  # type: ignore[arg-type]


class Comparison:
    """Accumulates the results of two networks on the same pictures, and compares them."""

    def __init__(self) -> None:
        self.pictures = 0
        self.pairs: list[Pair] = []
        self.alone: tuple[list[tuple[str, Any]], list[tuple[str, Any]]] = ([], [])  # (picture, detection) per network
        self.below = [0, 0]  # how many of them the other network finds with a score below its threshold
        self.renamed = 0  # pairs of them that are the same object with different classes
        self.precision: list[dict[str, dict[str, float]]] = []  # AP of each network, from coco.Results
        self._steps: tuple[list[BoxStep], list[BoxStep]] = ([], [])  # of each network with quantized boxes, per picture
        self._rounded: tuple[list[float], list[float]] = ([], [])  # IoU that is left after rounding alone, per pair
        self._pixels: dict[tuple[int, int], int] = {}  # (class of the first network, of the second): pixels
        self._labels: dict[int, str] = {}

    def add(
        self,
        picture: str,
        size: tuple[int, int],
        one: Any,
        other: Any,
        lower: Callable[[int], Any] | None = None,
        steps: Sequence[BoxStep | None] = (None, None),
    ) -> dict[str, Any]:
        """Add the two results of a picture. Returns their comparison for JSON.

        lower   a function that runs network 0 or 1 with a lower threshold; called if only the other one finds an object
        steps   the box step of each network in this picture; None if its boxes are not quantized
        """
        if {kind_of(one), kind_of(other)} - {"objects", "map"}:
            raise UserError("--compare compares objects and class maps, which these models do not find")
        if isinstance(one, list) != isinstance(other, list):
            raise UserError("nothing to compare: one model finds objects, the other one returns a class for every pixel")
        self.pictures += 1
        if not isinstance(one, list):
            return self._maps(size, one, other)
        already = len(self.pairs)
        report = self._objects(picture, one, other, lower)
        for network, step in enumerate(steps):
            if step is not None:
                self._steps[network].append(step)
                for pair in self.pairs[already:]:
                    size = pair.rects[1 - network][2:]
                    self._rounded[network].append(rounded_iou(size, step.picture))
        return report

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
        inside = (a >= 0) & (b >= 0)
        counts = np.bincount(a[inside].astype(np.int64) * 256 + b[inside], minlength=1)
        pixels = {divmod(int(key), 256): int(counts[key]) for key in np.flatnonzero(counts)}
        for key, count in pixels.items():
            self._pixels[key] = self._pixels.get(key, 0) + count
        for result in (one, other):
            for class_id in result.class_ids(True):
                self._labels.setdefault(class_id, result.label(class_id))
        return {"pixels_alike": round(_alike(pixels), 4), "iou": self._named(_class_ious(pixels))}

    def _named(self, ious: dict[int, float]) -> dict[str, float]:
        return {self._labels.get(class_id, str(class_id)): round(iou, 4) for class_id, iou in ious.items()}

    # ---- all pictures together ----

    def summary(self) -> dict[str, Any]:
        """The figures of all pictures. Score differences are those of the first network minus those of the second."""
        figures: dict[str, Any] = {"pictures": self.pictures}
        if self._pixels:
            figures.update(pixels_alike=round(_alike(self._pixels), 4), iou=self._named(_class_ious(self._pixels)))
        else:
            figures.update(
                found=[len(self.pairs) + len(alone) for alone in self.alone],
                found_by_both=len(self.pairs),
                only_model=len(self.alone[0]),
                only_other=len(self.alone[1]),
                below_threshold=list(self.below),
                other_class=self.renamed,
            )
            if self.pairs:
                figures["box_iou"] = _mean_and_least([p.box_iou for p in self.pairs])
                masks = [p.mask_iou for p in self.pairs if p.mask_iou is not None]
                if masks:
                    figures["mask_iou"] = _mean_and_least(masks)
                off = np.array([a - b for a, b in (p.scores for p in self.pairs)])
                figures["score_difference"] = {
                    "mean": round(float(off.mean()), 3),
                    "mean_size": round(float(np.abs(off).mean()), 3),
                    "largest_size": round(float(np.abs(off).max()), 3),
                }
                keypoints = sum(p.keypoints for p in self.pairs)
                if keypoints:
                    figures["keypoints"] = self._keypoint_numbers(keypoints)
            if any(self._steps):
                figures["box_steps"] = [self._step_numbers(network) for network in range(2)]
        if self.precision:
            figures["average_precision"] = self.precision
        figures["verdict"], figures["agree"] = self.verdict()
        return figures

    def _step_numbers(self, network: int) -> dict[str, Any] | None:
        steps, rounded = self._steps[network], self._rounded[network]
        if not steps:
            return None
        largest = [max(step.picture) for step in steps]
        figures: dict[str, Any] = {"input": round(steps[0].input, 2), "picture": [round(f(largest), 1) for f in (min, max)]}
        if rounded:
            figures["iou"] = round(float(np.mean(rounded)), 3)
        return figures

    @property
    def coarse(self) -> list[int]:
        """The networks (0, 1) whose box steps alone reduce the IoU below that of networks that agree."""
        steps = [self._step_numbers(network) for network in range(2)]
        return [network for network, step in enumerate(steps) if step and step.get("iou", 1.0) < LEVELS[0].iou]

    def _keypoint_numbers(self, keypoints: int) -> dict[str, Any]:
        apart = np.array([d for p in self.pairs for d in p.apart])
        # Relative to the root of the object's area, as in COCO's keypoint similarity.
        sizes = np.array([(p.rects[1][2] * p.rects[1][3]) ** 0.5 for p in self.pairs for _ in p.apart])
        figures: dict[str, Any] = {"seen": keypoints, "seen_by_both": len(apart)}
        if len(apart):
            relative = float((apart / np.maximum(sizes, 1)).mean())
            figures.update(mean_distance=round(float(apart.mean()), 2), of_size=round(relative, 4))
        return figures

    def verdict(self) -> tuple[str, bool]:
        """A sentence, and whether the networks agree or are close."""
        if self._pixels:
            alike = _alike(self._pixels)
            reason = f"{alike:.1%} of the pixels have the same class"
            level = next((one.name for one in LEVELS if alike >= one.pixels), APART)
        elif not self.pairs and not any(self.alone):
            return "nothing to compare: neither model found anything", False
        else:
            one, other = len(self.alone[0]), len(self.alone[1])
            both = len(self.pairs) / (len(self.pairs) + one + other)
            reason = f"{both:.0%} found by both"
            ious = [("boxes", [p.box_iou for p in self.pairs])]
            ious.append(("masks", [p.mask_iou for p in self.pairs if p.mask_iou is not None]))
            means = {what: float(np.mean(values)) for what, values in ious if values}
            if means:
                reason += f", IoU of {', '.join(f'{what} {mean:.2f}' for what, mean in means.items())}"
            worst = min(means.values(), default=0.0)
            apart = 0.0  # the largest difference in AP
            for what, ours, theirs in self._precisions("AP"):
                reason += f", AP of {what} {ours:.3f} and {theirs:.3f}"
                apart = max(apart, abs(ours - theirs))
            level = next(
                (one.name for one in LEVELS if both >= one.found and worst >= one.iou and apart <= one.precision), APART
            )
        return f"{level}: {reason}", level != APART

    def _precisions(self, key: str) -> list[tuple[str, float, float]]:
        """(boxes, masks or keypoints; this figure of the first network; of the second)."""
        if not self.precision:
            return []
        one, other = self.precision
        return [(what, one[what][key], other[what][key]) for what in one if what in other]

    # ---- the table ----

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
        figures = self.summary()
        if self._pixels:
            rows = [("pixels of the same class", f"{figures['pixels_alike']:.1%}", "")]
            return rows + [(f"IoU of {name}", f"{iou:.2f}", "") for name, iou in figures["iou"].items()]
        rows = [("found by both", str(len(self.pairs)), f"of {figures['found'][0]} and {figures['found'][1]}")]
        for name, alone, weak, blind in zip(("MODEL", "OTHER"), self.alone, self.below, ("OTHER", "MODEL")):
            rows.append((f"only by {name}", str(len(alone)), _examples(alone)))
            if weak:
                rows.append(("", str(weak), f"of these {blind} finds below its threshold"))
        if self.renamed:
            rows.append(("the same box, other classes", str(self.renamed), "counted on both lines above"))
        for (what, ours, theirs), (_, half, other_half) in zip(self._precisions("AP"), self._precisions("AP50")):
            others = f"and {theirs:.3f} ({ours - theirs:+.3f}); AP50 {half:.3f} and {other_half:.3f}"
            rows.append((f"AP of {what}", f"{ours:.3f}", others))
        if not self.pairs:
            return rows
        for key, name in (("box_iou", "IoU of their boxes"), ("mask_iou", "IoU of their masks")):
            if key in figures:
                judged = [p for p in self.pairs if getattr(p, key) is not None]
                least = min(judged, key=lambda p: float(getattr(p, key)))
                lowest = f"lowest {getattr(least, key):.2f}: {least.label} in {least.picture}"
                rows.append((name, f"{np.mean([getattr(p, key) for p in judged]):.2f}", lowest))  # as in the verdict
        for name, step in zip(("MODEL", "OTHER"), figures.get("box_steps", ())):
            if step and step["iou"] < 0.995:
                least, most = (f"{one:.1f}" for one in step["picture"])
                pictures = least if least == most else f"{least} to {most}"
                pixels = f"pixels of its input, {pictures} pixels of the pictures"
                rows.append((f"box step of {name}", f"{step['input']:.1f}", pixels))
                rows.append(("", f"{step['iou']:.2f}", "IoU after rounding to this step alone"))
        off = figures["score_difference"]
        sizes = f"absolute: mean {off['mean_size']:.2f}, maximum {off['largest_size']:.2f}"
        rows.append(("scores, MODEL - OTHER", f"{off['mean']:+.2f}", sizes))
        if "keypoints" in figures:
            keypoints = figures["keypoints"]
            either = f"of {keypoints['seen']} visible in at least one"
            rows.append(("keypoints visible in both", str(keypoints["seen_by_both"]), either))
            if "mean_distance" in keypoints:
                away = f"pixels, {keypoints['of_size']:.1%} of a person's size (root of the box's area)"
                rows.append(("their distance", f"{keypoints['mean_distance']:.1f}", away))
        return rows


def _examples(alone: Sequence[tuple[str, Any]], most: int = 2) -> str:
    best = sorted(alone, key=lambda entry: -entry[1].score)
    text = ", ".join(f"{d.label} {d.score:.2f} in {picture}" for picture, d in best[:most])
    return text + (", ..." if len(best) > most else "")


def _brief(detection: Any) -> dict[str, Any]:
    return {"label": detection.label, "score": round(float(detection.score), 3), "rect": list(detection.rect)}


def _mean_and_least(values: Sequence[float]) -> dict[str, float]:
    return {"mean": round(float(np.mean(values)), 3), "least": round(float(min(values)), 3)}


def _alike(pixels: dict[tuple[int, int], int]) -> float:
    return sum(count for (a, b), count in pixels.items() if a == b) / max(1, sum(pixels.values()))


def _class_ious(pixels: dict[tuple[int, int], int]) -> dict[int, float]:
    """The IoU of every class that occurs in one of the two maps."""
    ious = {}
    for class_id in sorted({c for pair in pixels for c in pair}):
        either = sum(count for pair, count in pixels.items() if class_id in pair)
        ious[class_id] = pixels.get((class_id, class_id), 0) / either
    return ious


def agreement(one: Any, other: Any, size: tuple[int, int], sides: tuple[str, str] = ("left", "right")) -> str:
    """How far two results for the same frame of (width, height) `size` agree, as a sentence; "" if that has no meaning.

    sides   what the two are called
    """
    kinds = kind_of(one), kind_of(other)
    if kinds == ("objects", "objects"):
        pairs = matched(one, other)
        left, right = len(one) - len(pairs), len(other) - len(pairs)
        if not (one or other):
            return "Both find nothing."
        text = f"{len(pairs)} found by both, {left} only {sides[0]}, {right} only {sides[1]}."
        if pairs:
            mean = sum(box_iou(one[i].rect, other[k].rect) for i, k in pairs) / len(pairs)
            text += f" Mean IoU of their boxes: {mean:.2f}."
        return text
    if kinds == ("map", "map"):
        a, b = (class_map(each, size) for each in (one, other))
        seen = (a >= 0) & (b >= 0)  # -1: outside of a network's input
        return f"The same class on {(a == b)[seen].mean():.1%} of the pixels." if seen.any() else ""
    if kinds == ("classes", "classes") and len(one) and len(other):
        return f"Best class: {one[0].label} {sides[0]}, {other[0].label} {sides[1]}."
    return ""
