"""Run a model file on pictures and videos: n6post run, scripts/run_model.py.

Shows the results in a table and draws them on a copy of each picture, or prints them as JSON or in COCO's format.
--compare compares the model with another one. The post-processor is chosen by the model's outputs, or set by --processor.
"""

import argparse
import collections
import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import image
import ml
import n6post
from n6post.families import recognition
from n6post.tensors.quantization import FLOAT
from rich.console import Console

from .. import files, paths, terminal
from ..cli import spelled
from ..command import FINDINGS, FINE, Bar, UserError, parser
from . import coco, graph, learned, pictures, results, sources
from .compare import BoxStep, Comparison
from .pictures import Picture, UnreadableError

FAMILIES = tuple(recognition.family_names())

# How a picture is fitted into the input: (class of n6post, description).
FITS = {
    "letterbox": ("Letterbox", "whole picture between gray bars, as Ultralytics trains"),
    "crop": ("Crop", "middle of the picture, about as firmware 4.8.1 does with a plain image"),
    "stretch": ("Stretch", "whole picture, distorted, as firmware 5.0 does with a plain image; it costs accuracy"),
}

LEAST_SCORE, MOST = 0.001, 100  # COCO's AP counts all scores, and at most 100 detections per picture

DESCRIPTION = """\
Run a model file on pictures, folders of pictures and videos. Prints a table of the results, and writes a copy of each
picture with the results drawn on it. The post-processor is chosen by the model's outputs, or set by --processor. Without a
model and pictures, the sample network that comes with n6post runs on its own pictures.

Results are in pixels of the whole picture, rotated according to its EXIF data. A picture much larger than a camera's frame
is averaged down for the network, and drawn with 1600 pixels at most. Folders are not searched recursively. A picture that
cannot be read is reported on stderr; the others are processed, and the exit code is 1."""
EXAMPLES = (
    "",
    "model.tflite photo.jpg",
    "model.tflite photos/ street.mp4 --threshold 0.5 --out drawn",
    "model.tflite photos/ --json --masks polygon > found.jsonl",
    "model.tflite val2017/ --coco found.json --coco-images instances_val2017.json --threshold 0.001 --max-detections 100",
    "model_int8.tflite photos/ --compare model_float.tflite --truth annotations.json",
    "features.tflite parts/ --learn good_parts/ --fit stretch",
)


def parse(argv: list[str], prog: str) -> argparse.Namespace:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    add = command.add_argument
    add("model", nargs="?", type=Path, help="a .tflite or .onnx file; the .txt file beside it contains the labels")
    add("pictures", nargs="*", type=Path, metavar="PICTURE", help="pictures, folders of pictures, videos")
    add("--processor", choices=FAMILIES, metavar="FAMILY", help=f"needed if a model fits two of {', '.join(FAMILIES)}")
    add("--threshold", type=float, metavar="SCORE", help="minimum score (default: the processor's)")
    add("--max-detections", type=int, metavar="N",
        help="maximum number per picture (default: the processor's; COCO evaluates 100)")
    add("--box-units", choices=("pixels", "normalized"),
        help="unit of the boxes of a YOLO model: pixels of the input, or normalized to 0..1 (default: detected from its "
             "outputs). Does not apply to OTHER_MODEL of --compare")  # fmt: skip
    add("--refit-boxes", action="store_true",
        help="replace each box by the bounding box of its mask: YoloV8Seg(refit_boxes=True)")
    add("--learn", type=Path, metavar="FOLDER",
        help="good pictures, a folder of them or a video: Anomaly learns each of them once, sorted by name, before it "
             "judges the others")  # fmt: skip
    add("--state", type=Path, metavar="FOLDER",
        help="keep what Anomaly has learned, and go on from there: the folder of n6post.State(FOLDER, anomaly=...), which "
             "you can copy onto a camera's drive and back")  # fmt: skip
    add("--sensitive", action="store_true", help="more defects and more false alarms: Anomaly(sensitive=True)")
    add("--no-positions", dest="positions", action="store_false",
        help="for textures, and for parts that may lie anywhere: Anomaly(positions=False)")
    add("--fit", choices=FITS, default="letterbox",
        help="how a picture is fitted into the network's input: " + "; ".join(f"{name}: {FITS[name][1]}" for name in FITS)
        + " (default letterbox)")  # fmt: skip
    add("--exact", action="store_true",
        help="compute int8 .tflite models with every bit of TensorFlow Lite Micro, which a camera's CPU runs; 40 to 130 "
             "times slower")  # fmt: skip
    add("--every", type=int, default=1, metavar="N", help="use every Nth frame of a video")
    add("--frames", type=int, metavar="N", help="use at most N frames of a video")
    add("-o", "--out", type=Path, metavar="FOLDER",
        help="folder of the annotated pictures and videos (default out/; with --json, --coco or --compare, they are written "
             "only with this option)")  # fmt: skip
    add("--json", action="store_true",
        help="print one JSON object per picture or frame, and nothing else, to stdout: file, frame (of a video, "
             "from 1), size, fit, and detections (class_id, label, score, rect, mask, keypoints), classes of a map "
             "(class_id, label, area, fraction, mask) or of the picture (class_id, label, score), distances (minimum, "
             "median, maximum), the score, the threshold, the verdict and the objects of an anomaly map, or the vector of "
             "an embedding")  # fmt: skip
    add("--masks", choices=coco.MASKS, default="rle",
        help="masks in JSON: rle: exact, COCO's compressed run lengths of the picture's pixels (default); polygon: "
             "[[x, y, x, y, ...], ...], holes filled; none: box, area and centroid only")  # fmt: skip
    add("--coco", type=Path, metavar="FILE",
        help="write all results to FILE in COCO's results format. image_id is the last number in a picture's name, or "
             "counted from 1 if a name has no number or two numbers are equal. category_id is COCO's own (1 to 90) for "
             "its 80 classes, the class number + 1 for others, and the class number for a class map")  # fmt: skip
    add("--coco-images", type=Path, metavar="FILE",
        help="with --coco: annotations in COCO's format; image_id is looked up by file name, category_id by label")
    add("--compare", type=Path, metavar="OTHER_MODEL",
        help="compare with another model, for example the float one, on the same pictures; exit code 1 if they disagree")
    add("--truth", type=Path, metavar="FILE",
        help="the ground truth: annotations in COCO's format, with images by file name and categories by label. Prints the "
             "AP of the model, with --compare of both models")  # fmt: skip
    arguments = command.parse_intermixed_args(argv)  # pictures may follow options
    arguments.sample = arguments.model is None
    if arguments.sample:
        arguments.model, arguments.pictures = paths.SAMPLE_MODEL, [paths.SAMPLE_PICTURES]
    elif not arguments.pictures:
        command.error("the following arguments are required: PICTURE")
    for name in ("every", "frames"):
        number = getattr(arguments, name)
        if number is not None and number < 1:
            command.error(f"--{name}: expected 1 or more")
    if arguments.coco_images and not arguments.coco:
        command.error("--coco-images needs --coco")
    for name in ("coco", "learn", "state"):
        if getattr(arguments, name) and arguments.compare:
            command.error(f"--{name} and --compare exclude each other")
    if arguments.state and arguments.state.exists() and not arguments.state.is_dir():
        command.error(f"--state: expected a folder, and {arguments.state} is none")
    for path in (arguments.model, arguments.compare):
        if path is not None:
            files.model(path)
    if arguments.out is None and not (arguments.json or arguments.coco or arguments.compare):
        arguments.out = Path("out")
    return arguments


class Network:
    """A model file with its post-processor."""

    def __init__(self, path: Path, family: str | None, options: dict[str, Any]) -> None:
        if path.suffix.lower() in graph.WEIGHTS:
            raise UserError(f"{path}: {graph.EXPORT_FIRST}")
        try:
            if family is None:
                self.model = n6post.load(str(path), **options)
                self.processor = self.model.postprocess.processor
            else:
                labels = [label.strip() for label in ml.Model(str(path)).labels or ()]
                chosen = getattr(n6post, family)
                takes_labels = "labels" in dict(chosen._option.defaults)
                self.processor = chosen(**options, **({"labels": labels} if labels and takes_labels else {}))
                self.model = ml.Model(str(path), postprocess=self.processor)
        except (ValueError, TypeError, OSError, ImportError) as error:
            message = str(error)
            raise UserError(message if message.startswith(str(path)) else f"{path}: {message}") from error
        self.path = path
        self._all_scores: Any = None
        self.finding = ""  # diagnose's finding if all boxes are too small
        shape = self.model.input_shape[0]
        if len(shape) != 4 or shape[3] not in (1, 3):
            for finding in n6post.diagnose(self.model):
                if finding.endswith("#channels-first)"):
                    raise UserError(f"{path}: {paths.with_page(finding)}")
            raise UserError(f"{path}: expected an input [1, H, W, 3] or [1, H, W, 1], got {list(shape)}")
        self.size = (shape[2], shape[1])

    @property
    def family(self) -> str:
        return type(self.processor).__name__

    @property
    def names(self) -> list[str] | None:
        """The labels of all classes, or None if the processor has none."""
        return results.labels_of(self.processor)

    def see(self, picture: Picture, fit: str) -> Any:
        """The result for a picture. UserError if the processor does not support the outputs."""
        return self._see(picture, fit, self.processor)[0]

    def see_all_scores(self, picture: Picture, fit: str) -> tuple[Any, Any]:
        """The result for a picture, and the result with all scores for COCO's AP."""
        if self._all_scores is None:
            self._all_scores = self.processor
            if {"threshold", "max_detections"} <= set(self.processor._values):
                options = {**self.processor._values, "threshold": LEAST_SCORE, "max_detections": MOST}
                self._all_scores = type(self.processor)(**options)
        result, all_scores = self._see(picture, fit, self.processor, self._all_scores)
        return result, all_scores

    def _see(self, picture: Picture, fit: str, *processors: Any) -> list[Any]:
        def process(model: Any, inputs: Any, outputs: Any) -> list[Any]:
            if not self.finding:
                findings = n6post.diagnose(model, outputs)
                self.finding = next((finding for finding in findings if finding.endswith("#tiny-boxes)")), "")
            return [processor(model, inputs, outputs) for processor in processors]

        try:
            return self.model.predict([picture.input(FITS[fit][0], self.size)], callback=process)
        except ValueError as error:
            raise UserError(f"{self.path}: {error}") from error

    def box_step(self) -> BoxStep | None:
        """The quantization step of the boxes in the last picture. None if they are not quantized, or come from masks."""
        binding = self.processor._binding
        if not hasattr(binding, "tensor") or not hasattr(binding, "unit_x"):  # a split head has logits of boxes
            return None
        if binding.tensor.dtype == FLOAT or getattr(self.processor, "refit_boxes", False):
            return None
        x, y, transform = binding.unit_x, binding.unit_y, binding.transform
        return BoxStep(max(x, y), (x * transform.sx, y * transform.sy))

    def see_more(self, picture: Picture, fit: str) -> Any:
        """The result for a picture with half the threshold, or with the same one if it is no detector."""
        threshold = getattr(self.processor, "threshold", None)
        if threshold is None or "max_detections" not in self.processor._values:
            return self.see(picture, fit)
        self.processor.threshold = threshold / 2
        try:
            return self.see(picture, fit)
        finally:
            self.processor.threshold = threshold


class Pictures:
    """Iterates over all pictures and the frames of all videos. Files that cannot be read are reported and skipped."""

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
        self.files = (arguments.model, arguments.compare, arguments.truth, arguments.coco_images, *self.paths)
        for annotations in (arguments.truth, arguments.coco_images):
            if annotations is not None and annotations.exists():
                files.regular(annotations)
        self.coco = arguments.coco
        files.check([self.coco], self.files, new_folder=True)

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
    """Writes copies of the pictures with the results drawn on them: a .png for each picture, an .mp4 for a video."""

    def __init__(self, folder: Path, prefix: str, inputs: Pictures) -> None:
        self.folder, self._prefix, self._inputs = folder, prefix, inputs
        self.written: list[Path] = []
        self._recorder: pictures.Recorder | None = None
        files.output_folder(folder)
        files.check([*map(self._path, inputs.paths), inputs.coco], inputs.files, new_folder=True)

    def _path(self, source: Path) -> Path:
        suffix = ".mp4" if source in self._inputs.films else ".png"
        return self.folder / f"{self._prefix}__{self._inputs.names[source]}{suffix}"

    def add(self, picture: Picture, *per_network: Any) -> None:
        """Draw each result of a picture on a separate copy, and place the copies side by side."""
        film = self._inputs.films.get(picture.path)
        canvases = [picture.canvas(even=film is not None) for _ in per_network]
        thickness = max(2, round(max(canvases[0].width(), canvases[0].height()) / 500))
        drawn = [results.draw(canvas, result, thickness=thickness) for canvas, result in zip(canvases, per_network)]
        shown: image.Image = drawn[0] if len(drawn) == 1 else pictures.beside(*drawn)
        path = self._path(picture.path)
        if film is None:
            pictures.save(shown, path)
        else:
            if self._recorder is None or self._recorder.path != path:
                self.close()
                self._recorder = pictures.Recorder(path, film.rate)
            self._recorder.add(shown)
        if not self.written or self.written[-1] != path:
            self.written.append(path)

    def close(self) -> None:
        if self._recorder is not None:
            self._recorder.close()
            self._recorder = None

    def __enter__(self) -> "Drawings":
        return self

    def __exit__(self, error: type[BaseException] | None, *rest: object) -> None:
        if error is None:
            self.close()
        elif self._recorder is not None:
            self._recorder.drop()


class Evaluation:
    """Evaluates networks on the same pictures against annotations in COCO's format."""

    def __init__(self, truth: Path, inputs: Pictures, *networks: Network) -> None:
        for network in networks:
            if isinstance(network.processor, n6post.DeepLab):
                raise UserError(f"--truth evaluates objects, but {network.path} returns a class for every pixel")
            if network.family in ("Classifier", "Depth", "Embedding", "Anomaly", "TextLine"):
                raise UserError(f"--truth evaluates objects, but {network.path} finds none")
        self.truth, self._inputs, self._networks = truth, inputs, networks
        self._results = [coco.Results(None, inputs.paths, truth) for _ in networks]
        self._pictures: set[int] = set()

    def see(self, picture: Picture, fit: str) -> list[Any]:
        """The result of each network for a picture, with its own threshold. All scores are collected for the AP."""
        pairs = [network.see_all_scores(picture, fit) for network in self._networks]
        image_id = self._results[0].image_id(picture.path)
        if image_id is None:
            self._inputs.tell(picture.path, ValueError(f"no image of this name in {self.truth}"))
        else:
            self._pictures.add(image_id)
            for network, entries, (_, everything) in zip(self._networks, self._results, pairs):
                entries.add(image_id, everything, picture.size, network.names)
        return [result for result, _ in pairs]

    def figures(self) -> list[dict[str, dict[str, float]]]:
        """AP, AP50 and AP75 of each network, or {} if none of the pictures is annotated."""
        for network, entries in zip(self._networks, self._results):
            if entries.missing:
                missing = ", ".join(sorted(entries.missing))
                message = f"no category is called {missing}: {network.path.name}'s objects with this label are not evaluated"
                self._inputs.tell(self.truth, ValueError(message))
        return [entries.average_precision(self.truth, self._pictures) for entries in self._results]


def one_line(picture: Picture, fit: str, **fields: Any) -> str:
    """The JSON line of a picture."""
    line: dict[str, Any] = {"file": str(picture.path)}
    if picture.frame is not None:
        line["frame"] = picture.frame
    return json.dumps({**line, "size": list(picture.size), "fit": fit, **fields})


def run(network: Network, inputs: Pictures, arguments: argparse.Namespace, console: Console) -> bool:
    """Run one model. Returns whether there are no findings."""
    tables = results.Tables()
    annotations = arguments.coco_images or arguments.truth
    file = coco.Results(arguments.coco, inputs.paths, annotations) if arguments.coco else None
    verdicts = collections.Counter[str]()
    evaluation = Evaluation(arguments.truth, inputs, network) if arguments.truth else None
    drawings = Drawings(arguments.out, network.path.stem, inputs) if arguments.out else None
    fine = True
    with drawings or contextlib.nullcontext():
        for picture in Bar(inputs.total, "picture").over(inputs):
            (result,) = evaluation.see(picture, arguments.fit) if evaluation else [network.see(picture, arguments.fit)]
            if drawings:
                drawings.add(picture, result)
            if results.kind_of(result) == "anomaly":
                verdicts[result.verdict or "without a verdict"] += 1
            fields: dict[str, Any] = {}
            if file:
                image_id = file.image_id(picture.path)
                if image_id is None:
                    inputs.tell(picture.path, ValueError(f"no image of this name in {annotations}"))
                else:
                    fields["image_id"] = image_id
                    file.add(image_id, result, picture.size, network.names)
            if arguments.json:
                fields.update(coco.as_dict(result, picture.size, arguments.masks))
                print(one_line(picture, arguments.fit, **fields), flush=True)
            else:
                tables.add(picture, result)
    written = file.write() if file else None
    if file and file.missing:
        fine = False
        missing = ", ".join(sorted(file.missing))
        print(f"{annotations}: no category is called {missing}: not written to {file.path}", file=sys.stderr)
    (figures,) = evaluation.figures() if evaluation else [None]
    if arguments.json:
        if figures is not None:
            print(json.dumps({"model": str(network.path), "average_precision": figures}))
        if verdicts:
            print(json.dumps({"model": str(network.path), **learned.figures(network.processor)}))
    else:
        print_networks(console, arguments.fit, ("", network))
        if verdicts:
            known = learned.figures(network.processor)
            limit = "no threshold yet" if known["threshold"] is None else f"threshold {known['threshold']:.1f}"
            console.print(f"learned: {known['learned']} good pictures, {limit}, known {known['known']:.3f}\n")
        for sheet in tables.all():
            console.print(sheet)
        if tables.numbered:
            names = files.label_files(network.path)[0].name  # as the firmware looks for it
            console.print(f"The classes have no names: write one label per line to {names} beside the model.")
        for what, figure in (figures or {}).items():
            console.print(f"AP of {what} {figure['AP']:.3f}; AP50 {figure['AP50']:.3f}, AP75 {figure['AP75']:.3f}")
        if verdicts:
            console.print(", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items(), reverse=True)))
        if written:
            console.print(written, soft_wrap=True)
        print_drawings(drawings, console)
    return fine


def learn(network: Network, arguments: argparse.Namespace, inputs: Pictures, prog: str) -> None:
    """Let Anomaly learn good pictures, and add what an earlier run has learned. UserError for other families."""
    processor = network.processor
    if not isinstance(processor, n6post.Anomaly):
        raise UserError(f"{network.path}: --learn and --state are for n6post.Anomaly, and its post-processor is "
                        f"{network.family}. `{spelled('optimize')} MODEL --features` makes a model of features; if this is "
                        "one, add --processor Anomaly")  # fmt: skip
    with contextlib.redirect_stdout(sys.stderr):  # what cannot be restored or saved
        state = n6post.State(str(arguments.state), anomaly=processor) if arguments.state else None
        if arguments.learn:
            good = Pictures(argparse.Namespace(**{**vars(arguments), "pictures": [arguments.learn]}), prog)
            if both := {path.resolve() for path in good.paths} & {path.resolve() for path in inputs.paths}:
                raise UserError(f"{min(both)} is to be learned and to be judged: its score would say nothing")
            inputs.files = (*inputs.files, *good.paths)  # no drawing replaces one
            for picture in Bar(good.total, "good picture").over(good):
                processor.learn(1)
                network.see(picture, arguments.fit)
            inputs.failed += good.failed
            if state and not state.save(force=True):
                inputs.failed += 1


def compare(one: Network, other: Network, inputs: Pictures, arguments: argparse.Namespace, console: Console) -> bool:
    """Run two models on the same pictures. Returns whether they agree or are close."""
    comparison = Comparison()
    networks = one, other
    evaluation = Evaluation(arguments.truth, inputs, *networks) if arguments.truth else None
    drawings = Drawings(arguments.out, f"{one.path.stem}__{other.path.stem}", inputs) if arguments.out else None
    with drawings or contextlib.nullcontext():
        for picture in Bar(inputs.total, "picture").over(inputs):
            if evaluation:
                per_network = evaluation.see(picture, arguments.fit)
            else:
                per_network = [network.see(picture, arguments.fit) for network in networks]
            steps = [network.box_step() for network in networks]
            if drawings:
                drawings.add(picture, *per_network)

            def lower(which: int, picture: Picture = picture) -> Any:
                return networks[which].see_more(picture, arguments.fit)

            fields = comparison.add(picture.short_name, picture.size, per_network[0], per_network[1], lower, steps)
            if arguments.json:
                print(one_line(picture, arguments.fit, **fields), flush=True)
    if evaluation:
        comparison.precision = evaluation.figures()
    if arguments.json:
        print(json.dumps({"model": str(one.path), "other": str(other.path), **comparison.summary()}))
    else:
        print_networks(console, arguments.fit, ("MODEL  ", one), ("OTHER  ", other))
        only_videos = len(inputs.films) == len(inputs.paths)
        what = "pictures" if not inputs.films else "frames" if only_videos else "pictures and frames"
        console.print(comparison.table(f"{comparison.pictures} {what}"))
        console.print(f"Verdict: {comparison.verdict()[0]}.")
        for network in comparison.coarse:
            console.print(advice(("MODEL", "OTHER")[network], networks[network]))
        print_drawings(drawings, console)
    return comparison.verdict()[1]


def advice(role: str, network: Network) -> str:
    """A sentence that says how to avoid the box step of a network."""
    step = f"The box step of {role} costs accuracy. `{spelled('optimize')}` removes it"
    if isinstance(network.processor, n6post.YoloV8Seg):
        return f"{step}; refit_boxes=True, here --refit-boxes, avoids most of it."
    return f"{step}; a model with float outputs has none."


def print_networks(console: Console, fit: str, *networks: tuple[str, Network]) -> None:
    for role, network in networks:
        console.print(f"{role}{network.path.name}", style="bold", soft_wrap=True)
        console.print(f"{' ' * len(role)}{network.family}, input {network.size[0]} x {network.size[1]}")
    console.print(f"{' ' * len(networks[0][0])}fit: {fit} ({FITS[fit][1]})\n")


def print_drawings(drawings: Drawings | None, console: Console) -> None:
    """Print the written pictures, or only their folder if there are many."""
    if drawings is None:
        return
    if len(drawings.written) > 8:
        console.print(f"{len(drawings.written)} annotated pictures are in {drawings.folder}", soft_wrap=True)
    else:
        console.print(*drawings.written, sep="\n", soft_wrap=True)


def main(argv: list[str], prog: str) -> int:
    arguments = parse(argv, prog)
    ml._host_set_exact(arguments.exact)
    try:
        return _run(arguments, prog)
    finally:
        ml._host_set_exact()


def _run(arguments: argparse.Namespace, prog: str) -> int:
    inputs = Pictures(arguments, prog)
    given = {"threshold": arguments.threshold, "max_detections": arguments.max_detections,
             "refit_boxes": arguments.refit_boxes or None, "sensitive": arguments.sensitive or None,
             "positions": None if arguments.positions else False}  # fmt: skip
    options = {name: value for name, value in given.items() if value is not None}
    own = {"box_units": arguments.box_units} if arguments.box_units else {}
    network = Network(arguments.model, arguments.processor, {**options, **own})
    networks = [network]
    console = terminal.console()
    if arguments.compare:
        other = Network(arguments.compare, arguments.processor, options)
        if other.names is None and network.names is not None:  # a float original rarely has a .txt beside it
            with contextlib.suppress(UserError):  # it has other classes
                other = Network(arguments.compare, arguments.processor, {**options, "labels": network.names})
        networks.append(other)
        fine = compare(network, other, inputs, arguments, console)
    else:
        if arguments.learn or arguments.state:
            learn(network, arguments, inputs, prog)
        fine = run(network, inputs, arguments, console)
        if isinstance(network.processor, n6post.Anomaly) and (what := learned.missing(network.processor)):
            fine = False
            print(f"{prog}: {network.path}: {what}. --learn FOLDER learns from good pictures", file=sys.stderr)
    for one in networks:
        if one.finding:
            fine = False
            print(f"{prog}: {one.path}: {paths.with_page(one.finding)}", file=sys.stderr)
    if arguments.sample and not arguments.json:
        console.print(f"No model was given: this is the sample network, {paths.SAMPLE_MODEL}", soft_wrap=True)
    return FINE if fine and not inputs.failed else FINDINGS
