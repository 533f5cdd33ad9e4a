"""Results for several commands: as tables of 80 columns, and drawn."""

from typing import TYPE_CHECKING, Any

import n6post

if TYPE_CHECKING:
    from rich.table import Table

SEEN = 0.3  # minimum score of a visible keypoint, if the detection has no keypoint_threshold


def _sheet(title: str | None, *columns: tuple[str, int]) -> "Table":
    from rich import box
    from rich.table import Table

    sheet = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for number, (heading, width) in enumerate(columns):
        # Wrap long names instead of cutting off their ends, where the names of a camera's pictures differ.
        sheet.add_column(heading, no_wrap=number > 1, overflow="fold", min_width=width,
                         justify="right" if heading == "score" else "left")  # fmt: skip
    return sheet


def table(title: str | None = None) -> "Table":
    """An empty table."""
    return _sheet(title, ("picture", 13), ("label", 8), ("score", 5), ("rect (x, y, w, h)", 20), ("extent", 14))


def add(sheet: "Table", picture: str, result: Any) -> None:
    """Add a row for each object or class in the result of a picture, or one row "nothing"."""
    for number, row in enumerate(rows(result) or [("nothing",)]):
        sheet.add_row("" if number else picture, *row)


def kind_of(result: Any) -> str:
    """What it is: "objects", "map" (of pixels), "classes" (of the picture), "depth", "anomaly", "text" or "vector"."""
    kinds = {"class_ids": "map", "score_of": "classes", "depth_at": "depth", "value_at": "anomaly", "scores": "text"}
    if isinstance(result, list):
        return "objects"
    return next((kind for method, kind in kinds.items() if hasattr(result, method)), "vector")


def draw(img: Any, result: Any, **options: Any) -> Any:
    """Draw a result on a picture as `n6post.draw` does, with boxes around defects, and return it. Vectors are not drawn."""
    kind = kind_of(result)
    if kind != "vector":
        n6post.draw(img, result, **options)
    if kind == "anomaly":
        n6post.draw(img, result.objects(), masks=False, **options)
    return img


def labels_of(processor: Any) -> list[str] | None:
    """The labels of all classes, or None if the post-processor has none."""
    labels = getattr(processor, "labels", None)  # of embeddings and distances nothing has a name
    return list(labels.values()) if isinstance(labels, dict) else None if labels is None else list(labels)


def _labels(result: Any) -> list[str]:
    """The labels of all that a result has."""
    kind = kind_of(result)
    if kind == "map":
        return [result.label(c) for c in result.class_ids()]
    return [one.label for one in result] if kind in ("objects", "classes") else []


def rows(result: Any) -> list[tuple[str, ...]]:
    kind = kind_of(result)
    if kind == "classes":
        return [(one.label, f"{one.score:.2f}", "", "") for one in result]
    if kind == "text":
        return [(result.text, f"{result.score:.2f}", "", "")] if result else []
    if kind == "depth":
        return [("", "", "", f"{result.minimum():.3g} to {result.maximum():.3g}")]
    if kind == "anomaly":
        limit = "no threshold yet" if result.threshold is None else f"threshold {result.threshold:.1f}"
        frame = result.verdict or "no verdict", f"{result.score:.1f}", "whole frame", limit
        return [frame, *(("", *row[1:]) for row in rows(result.objects()))]
    if kind == "vector":
        return [("", "", "", f"{len(result)} numbers")]
    if kind == "objects":
        return [(d.label, f"{d.score:.2f}", str(d.rect), _extent(d)) for d in result]
    return [(result.label(c), "", "", f"{result.fraction(c):.1%} of frame") for c in result.class_ids()]


def _extent(detection: Any) -> str:
    if detection.mask is not None:
        return f"{detection.mask.area} pixels"
    if detection.keypoints is not None:
        least = getattr(detection, "keypoint_threshold", SEEN)
        scores = [detection.keypoints[k, 2] for k in range(len(detection.keypoints))]
        return f"{sum(score >= least for score in scores)} of {len(scores)} keypoints"
    return ""


class Tables:
    """One table for all pictures, and one for each video, which summarizes its frames."""

    def __init__(self) -> None:
        self.numbered = False  # whether there are classes whose label is a number
        self._pictures: Any = None
        self._videos: dict[Any, dict[str, list[list[float]]]] = {}  # path: label: scores or fraction per frame
        self._frames: dict[Any, int] = {}
        self._maps = False

    def add(self, picture: Any, result: Any) -> None:
        """Add the result of a picture or of a video's frame."""
        kind = kind_of(result)
        self.numbered |= any(label.isdigit() for label in _labels(result))
        if picture.frame is None:
            if self._pictures is None:
                self._pictures = table()
            add(self._pictures, picture.path.name, result)
            self._pictures.add_section()
            return
        video = self._videos.setdefault(picture.path, {})
        self._frames[picture.path] = self._frames.get(picture.path, 0) + 1
        in_frame: dict[str, list[float]] = {}
        if kind in ("objects", "classes"):
            for d in result:
                in_frame.setdefault(d.label, []).append(float(d.score))
        elif kind == "map":
            self._maps = True
            in_frame = {result.label(c): [result.fraction(c)] for c in result.class_ids()}
        elif kind == "text":
            in_frame = {result.text: [result.score]} if result else {}
        elif kind == "anomaly":
            in_frame = {result.verdict or "no verdict": [result.score]}
        for label, values in in_frame.items():
            video.setdefault(label, []).append(values)

    def all(self) -> "list[Table]":
        sheets = [] if self._pictures is None else [self._pictures]
        for path, labels in self._videos.items():
            title = f"{path.name}, {self._frames[path]} frames"
            if self._maps:
                sheet = _sheet(title, ("label", 13), ("frames with it", 14), ("mean area in them", 17), ("max area", 8))
            else:
                sheet = _sheet(title, ("label", 13), ("frames with it", 14), ("total count", 12), ("max per frame", 13),
                               ("mean score", 10))  # fmt: skip
            for label, frames in sorted(labels.items(), key=lambda entry: (-len(entry[1]), entry[0])):
                values = [value for in_frame in frames for value in in_frame]
                mean = sum(values) / len(values)
                cells = [f"{mean:.1%}", f"{max(values):.1%}"] if self._maps else [
                    str(len(values)), str(max(map(len, frames))), f"{mean:.2f}"]  # fmt: skip
                sheet.add_row(label, str(len(frames)), *cells)
            if not labels:
                sheet.add_row("nothing")
            sheets.append(sheet)
        return sheets
