"""Run a model file on pictures and videos: n6post run, scripts/run_model.py.

Shows the results as a table and draws them into a copy of each picture, or prints them as JSON or in COCO's format.
--compare compares the model with another one. The post-processor is chosen from the model, or named by --processor.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import image
import ml
import n6post
from rich.console import Console

from . import coco, pictures, results, sources
from .command import FINDINGS, FINE, Bar, UserError, parser
from .compare import Comparison
from .pictures import Picture, UnreadableError

FAMILIES = ("YoloV8", "YoloV8Seg", "YoloV8Pose", "MoveNet", "DeepLab")

# How a picture gets into the input: the class of n6post that does it, and what the user is told.
FITS = {
    "stretch": ("Stretch", "the whole picture, distorted, as firmware 5.0 does"),
    "crop": ("Crop", "the middle of the picture, about as firmware 4.8.1 does"),
    "letterbox": ("Letterbox", "the whole picture between grey bars, as Ultralytics does"),
}

DESCRIPTION = """\
Run a model file on pictures, folders of pictures and videos. Prints a table of the results, and writes a copy of each
picture with the results drawn on it. The post-processor is chosen from the model, or named by --processor.

Results are in pixels of the whole picture, rotated according to its EXIF data. A picture much larger than a camera's frame
is averaged down for the network, and drawn with 1600 pixels at most. Folders are not searched recursively. A picture that
cannot be read is reported on stderr, the others are processed, and the exit code is 1."""
EXAMPLES = (
    "model.tflite photo.jpg",
    "model.tflite photos/ street.mp4 --threshold 0.5 --out drawn",
    "model.tflite photos/ --json --masks polygon > found.jsonl",
    "model.tflite val2017/ --coco found.json --coco-images instances_val2017.json --threshold 0.001 --max-detections 100",
    "model_int8.tflite photos/ --compare model_float.tflite",
)


def parse(argv: list[str], prog: str) -> argparse.Namespace:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    add = command.add_argument
    add("model", type=Path, help="a .tflite or .onnx file; a .txt beside it has the labels")
    add("pictures", nargs="+", type=Path, metavar="PICTURE", help="picture files, folders of them, video files")
    add("--processor", choices=FAMILIES, metavar="FAMILY", help=f"needed if a model fits two of {', '.join(FAMILIES)}")
    add("--threshold", type=float, metavar="SCORE", help="minimum score (default: the processor's)")
    add("--max-detections", type=int, metavar="N",
        help="maximum number per picture (default: the processor's; COCO evaluates 100)")
    add("--fit", choices=FITS, default="stretch",
        help="how a picture is fitted into the network's input: " + "; ".join(f"{name}: {FITS[name][1]}" for name in FITS)
        + " (default stretch)")  # fmt: skip
    add("--every", type=int, default=1, metavar="N", help="use every Nth frame of a video")
    add("--frames", type=int, metavar="N", help="use at most N frames of a video")
    add("-o", "--out", type=Path, metavar="FOLDER",
        help="folder of the annotated pictures and videos (default out/; with --json, --coco or --compare none are written "
             "without this option)")  # fmt: skip
    add("--json", action="store_true",
        help="print one JSON object per picture or frame, and nothing else, to stdout: file, frame (of a video, "
             "from 1), size, fit, and detections (class_id, label, score, rect, mask, keypoints) or classes (class_id, "
             "label, area, fraction, mask)")  # fmt: skip
    add("--masks", choices=coco.MASKS, default="rle",
        help="masks in JSON: rle: COCO's compressed run lengths of the picture's pixels, exact (default); polygon: "
             "[[x, y, x, y, ...], ...], holes filled; none: box, area and centroid only")  # fmt: skip
    add("--coco", type=Path, metavar="FILE",
        help="write all results to FILE in COCO's format of results. image_id is the last number in a picture's name, or "
             "counted from 1 if a name has no number or two names have the same. category_id is COCO's own (1 to 90) for "
             "its 80 classes, the class number + 1 for others, and the class number for a class map")  # fmt: skip
    add("--coco-images", type=Path, metavar="FILE",
        help="with --coco: annotations in COCO's format; image_id is looked up by file name, category_id by label")
    add("--compare", type=Path, metavar="OTHER_MODEL",
        help="compare with another model, for example the float one, on the same pictures; exit code 1 if they disagree")
    arguments = command.parse_intermixed_args(argv)  # pictures may follow options
    for name in ("every", "frames"):
        number = getattr(arguments, name)
        if number is not None and number < 1:
            command.error(f"--{name}: expected 1 or more")
    if arguments.coco_images and not arguments.coco:
        command.error("--coco-images needs --coco")
    if arguments.coco and arguments.compare:
        command.error("--coco and --compare exclude each other")
    for path in (arguments.model, arguments.compare):
        if path is not None and not path.is_file():
            command.error(f"no such file: {path}")
    if arguments.out is None and not (arguments.json or arguments.coco or arguments.compare):
        arguments.out = Path("out")
    return arguments


class Network:
    """A model file with its post-processor."""

    def __init__(self, path: Path, family: str | None, options: dict[str, Any]) -> None:
        try:
            if family is None:
                self.model = n6post.load(str(path), **options)
                self.processor = self.model.postprocess.processor
            else:
                labels = [label.strip() for label in ml.Model(str(path)).labels or ()]
                self.processor = getattr(n6post, family)(**options, **({"labels": labels} if labels else {}))
                self.model = ml.Model(str(path), postprocess=self.processor)
        except (ValueError, TypeError, OSError, ImportError) as error:
            said = str(error)
            raise UserError(said if said.startswith(str(path)) else f"{path}: {said}") from error
        self.path = path
        shape = self.model.input_shape[0]
        if len(shape) != 4 or shape[3] not in (1, 3):
            raise UserError(f"{path}: expected an input [1, H, W, 3] or [1, H, W, 1], got {list(shape)}")
        self.size = (shape[2], shape[1])

    @property
    def family(self) -> str:
        return type(self.processor).__name__

    @property
    def names(self) -> list[str] | None:
        """Of all classes, where the processor was given them."""
        labels = self.processor.labels
        return list(labels.values()) if isinstance(labels, dict) else None if labels is None else list(labels)

    def see(self, picture: Picture, fit: str) -> Any:
        """What is found in a picture. UserError for outputs that are not the processor's."""
        try:
            return self.model.predict([picture.input(FITS[fit][0], self.size)])
        except ValueError as error:
            raise UserError(f"{self.path}: {error}") from error

    def see_more(self, picture: Picture, fit: str) -> Any:
        """What is found with half the threshold, where that is one of detections."""
        threshold = self.processor.threshold
        if not isinstance(self.processor, n6post.YoloV8):
            return self.see(picture, fit)
        self.processor.threshold = threshold / 2
        try:
            return self.see(picture, fit)
        finally:
            self.processor.threshold = threshold


class Pictures:
    """All pictures, and the frames of all videos, one after the other; what cannot be read is told, and passed by."""

    def __init__(self, arguments: argparse.Namespace, prog: str) -> None:
        self.paths = sources.listed(arguments.pictures)
        self.names = dict(zip(self.paths, sources.names(self.paths)))
        self.failed = 0
        self._prog = prog
        self.films: dict[Path, pictures.Film] = {}
        unreadable = set()
        for path in filter(sources.is_video, self.paths):
            try:
                self.films[path] = pictures.Film(path, arguments.every, arguments.frames)
            except UnreadableError as error:
                self.tell(path, error)
                unreadable.add(path)
        self.paths = [path for path in self.paths if path not in unreadable]
        self.total = sum(len(self.films.get(path, [path])) for path in self.paths)

    def tell(self, path: Path, error: Exception) -> None:
        self.failed += 1
        print(f"{self._prog}: {path}: {error}", file=sys.stderr, flush=True)

    def __iter__(self) -> Iterator[Picture]:
        for path in self.paths:
            try:
                if path in self.films:
                    yield from self.films[path]
                else:
                    yield pictures.read(path)
            except UnreadableError as error:
                self.tell(path, error)


class Drawings:
    """Copies of the pictures with what was found drawn in: a .png each, of a video an .mp4."""

    def __init__(self, folder: Path, prefix: str, seen: Pictures) -> None:
        self.folder, self._prefix, self._seen = folder, prefix, seen
        self.written: list[Path] = []
        self._recorder: pictures.Recorder | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = "a file has this name" if isinstance(error, FileExistsError) else error.strerror
            raise UserError(f"{folder}: no folder that pictures can be written into: {why}") from error

    def add(self, picture: Picture, *found: Any) -> None:
        """Results of one picture, each on a copy of its own, side by side."""
        film = self._seen.films.get(picture.path)
        canvases = [picture.canvas(even=film is not None) for _ in found]
        thickness = max(2, round(max(canvases[0].width(), canvases[0].height()) / 500))
        drawn = [n6post.draw(canvas, result, thickness=thickness) for canvas, result in zip(canvases, found)]
        shown: image.Image = drawn[0] if len(drawn) == 1 else pictures.beside(*drawn)
        path = self.folder / f"{self._prefix}__{self._seen.names[picture.path]}{'.png' if film is None else '.mp4'}"
        try:
            if film is None:
                pictures.save(shown, path)
            else:
                if self._recorder is None or self._recorder.path != path:
                    self.close()
                    self._recorder = pictures.Recorder(path, film.rate)
                self._recorder.add(shown)
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror or error}") from error
        if not self.written or self.written[-1] != path:
            self.written.append(path)

    def close(self) -> None:
        if self._recorder is not None:
            self._recorder.close()
            self._recorder = None


def one_line(picture: Picture, fit: str, **told: Any) -> str:
    """A picture's line of JSON."""
    line: dict[str, Any] = {"file": str(picture.path)}
    if picture.frame is not None:
        line["frame"] = picture.frame
    return json.dumps({**line, "size": list(picture.size), "fit": fit, **told})


def run(network: Network, seen: Pictures, arguments: argparse.Namespace, console: Console) -> bool:
    """The model alone; whether nothing is to be said of it."""
    tables = results.Tables()
    file = coco.Results(arguments.coco, seen.paths, arguments.coco_images) if arguments.coco else None
    drawings = Drawings(arguments.out, network.path.stem, seen) if arguments.out else None
    fine = True
    try:
        for picture in Bar(seen.total, "picture").over(seen):
            result = network.see(picture, arguments.fit)
            if drawings:
                drawings.add(picture, result)
            told: dict[str, Any] = {}
            if file:
                image_id = file.image_id(picture.path)
                if image_id is None:
                    seen.tell(picture.path, ValueError(f"no image of this name in {arguments.coco_images}"))
                else:
                    told["image_id"] = image_id
                    file.add(image_id, result, picture.size, network.names)
            if arguments.json:
                told.update(coco.as_dict(result, picture.size, arguments.masks))
                print(one_line(picture, arguments.fit, **told), flush=True)
            else:
                tables.add(picture, result)
    finally:
        if drawings:
            drawings.close()
    said = file.write() if file else None
    if file and file.missing:
        fine = False
        missing = ", ".join(sorted(file.missing))
        print(f"{arguments.coco_images}: no category is called {missing}: left out of {file.path}", file=sys.stderr)
    if not arguments.json:
        tell_what_runs(console, arguments.fit, ("", network))
        for sheet in tables.all():
            console.print(sheet)
        if tables.numbered:
            names = network.path.with_suffix(".txt").name
            console.print(f"The classes have no names: write them, one a line, into {names} beside the model.")
        if said:
            console.print(said, soft_wrap=True)
        tell_of(drawings, console)
    return fine


def compare(one: Network, other: Network, seen: Pictures, arguments: argparse.Namespace, console: Console) -> bool:
    """Two models on the same pictures; whether they agree."""
    comparison = Comparison()
    networks = one, other
    drawings = Drawings(arguments.out, f"{one.path.stem}__{other.path.stem}", seen) if arguments.out else None
    try:
        for picture in Bar(seen.total, "picture").over(seen):
            found = [network.see(picture, arguments.fit) for network in networks]
            if drawings:
                drawings.add(picture, *found)

            def lower(which: int, picture: Picture = picture) -> Any:
                return networks[which].see_more(picture, arguments.fit)

            told = comparison.add(picture.short_name, picture.size, found[0], found[1], lower)
            if arguments.json:
                print(one_line(picture, arguments.fit, **told), flush=True)
    finally:
        if drawings:
            drawings.close()
    if arguments.json:
        print(json.dumps({"model": str(one.path), "other": str(other.path), **comparison.summary()}))
    else:
        tell_what_runs(console, arguments.fit, ("MODEL  ", one), ("OTHER  ", other))
        what = "pictures" if not seen.films else "frames" if len(seen.films) == len(seen.paths) else "pictures and frames"
        console.print(comparison.table(f"{comparison.pictures} {what}"))
        console.print(f"Verdict: {comparison.verdict()[0]}.")
        tell_of(drawings, console)
    return comparison.verdict()[1]


def tell_what_runs(console: Console, fit: str, *networks: tuple[str, Network]) -> None:
    for role, network in networks:
        console.print(f"{role}{network.path.name}", style="bold", soft_wrap=True)
        console.print(f"{' ' * len(role)}{network.family}, input {network.size[0]} x {network.size[1]}")
    console.print(f"{' ' * len(networks[0][0])}fit: {fit} ({FITS[fit][1]})\n")


def tell_of(drawings: Drawings | None, console: Console) -> None:
    """Which pictures were written: each of a few, the folder of many."""
    if drawings is None:
        return
    if len(drawings.written) > 8:
        console.print(f"{len(drawings.written)} pictures with what was found are in {drawings.folder}", soft_wrap=True)
    else:
        console.print(*drawings.written, sep="\n", soft_wrap=True)


def main(argv: list[str], prog: str) -> int:
    arguments = parse(argv, prog)
    seen = Pictures(arguments, prog)
    given = {"threshold": arguments.threshold, "max_detections": arguments.max_detections}
    options = {name: value for name, value in given.items() if value is not None}
    network = Network(arguments.model, arguments.processor, options)
    console = Console(highlight=False, markup=False, emoji=False)  # names of files are no markup
    if arguments.compare:
        fine = compare(network, Network(arguments.compare, arguments.processor, options), seen, arguments, console)
    else:
        fine = run(network, seen, arguments, console)
    return FINE if fine and not seen.failed else FINDINGS
