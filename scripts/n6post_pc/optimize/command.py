"""Make an int8 YOLO model smaller, faster and more exact without training: n6post optimize, scripts/optimize_model.py.

Cuts the file above the operators that put boxes, scores and coefficients into one tensor (tflite.py, onnx.py), proves that
the rest computes the same (proof.py), and reports what was gained. Of other families, a BlazeFace gets the right pixels
(input_range.py) and a DeepLab a smaller map (class_map.py). With --features, any network ends at a layer inside of it
(features.py).
"""

import argparse
import contextlib
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import csi
import ml
from n6post.tensors import label_sets, labels
from rich import box
from rich.console import Console
from rich.table import Table

from .. import files, paths, terminal
from ..command import FINDINGS, FINE, Bar, UserError, parser
from ..demo import command as demo
from ..models import graph, pictures, sources, vela
from . import class_map, features, input_range, optimizer
from . import proof as optimize_proof
from .network import STRIDE, CannotOptimize, Optimized, Output, finer_scales

# The frame sizes of OpenMV's cameras.
_NAMES = ("QQVGA", "HQVGA", "QVGA", "CIF", "HVGA", "VGA", "WVGA", "SVGA", "XGA", "WXGA", "HD", "SXGA", "UXGA", "FHD", "QHD",
          "QXGA", "WQXGA")  # fmt: skip
FRAME_SIZES: dict[str, tuple[int, int]] = {name: csi._SIZES[getattr(csi, name)] for name in _NAMES}

DESCRIPTION = """\
Make an int8 YOLO model smaller, faster and more exact without training. YOLOv8, YOLO11 and YOLO26, for detection,
segmentation, pose and oriented boxes, as .tflite or QDQ .onnx. Their last operators put boxes, scores and coefficients into
one tensor with one scale, which rounds all of them. The new file ends at the convolutions before; n6post computes the rest,
for the few objects that there are. n6post.load takes it like the original.

The weights do not change. They also take another input size: --input, or --camera for the size that fits the camera's
frames. --classes keeps only the classes that a script needs.

Before the file is written, it runs on pictures beside the original. Its outputs must equal the original's tensors in every
bit, n6post must decode them like plain numpy, and at another input size the same objects must be found. Without --pictures,
these are the pictures of n6post's sample network and, if scikit-image is installed, four of its photographs.

A BlazeFace that was quantized for pixels in 0..1, such as OpenMV's blazeface_front_128.tflite, gets the range -1..1 that its
weights were trained for. It is written if --pictures show enough faces to prove that it finds them better.

A DeepLab that enlarges its class map bilinearly by more than 4 at its end, which takes the CPU longer than everything that
n6post does, enlarges it by 4.

With --features, the new file of any int8 .tflite (a classifier, a pose network, a YOLO) ends at a layer inside of it. Its
output is that layer's map of features, for n6post.Anomaly. Unless you choose a layer, it is the last one of the backbone
with a stride of 16 pixels, before its activation. --features list shows the layers that suit, and what each costs. The map
must equal the original's tensor in every bit.

Without a model, the sample network is optimized. The exit code is 1 if something could not be checked."""
EXAMPLES = (
    "model.tflite",
    "model.tflite --camera VGA --classes person,car --npu u55",
    "model.tflite -o small.tflite --input 320x256 --pictures photos/",
    "model.tflite --features list",
    "model.tflite --features --input 320x320",
)


_SAMPLE = f"No model was given: this is the sample network, {paths.SAMPLE_MODEL}"
_FAILED = "nothing was written, because the new file failed its proof"

Scales = dict[str, tuple[float, int]]  # output: scale and zero point

# ---- what is asked for ----


def size_of(text: str) -> tuple[int, int]:
    """(width, height) of "320x256"."""
    matched = re.fullmatch(r"(\d{1,5})\s*[xX*]\s*(\d{1,5})", text.strip())
    if not matched:
        raise argparse.ArgumentTypeError(f"expected WIDTHxHEIGHT, such as 320x256, got {text!r}")
    return int(matched[1]), int(matched[2])


def input_of(text: str) -> tuple[int, int] | None:
    """The same, or None for "auto"."""
    return None if text.lower() == "auto" else size_of(text)


def frame_of(text: str) -> tuple[int, int]:
    """(width, height) of a camera's frame: the name of a size, or its numbers."""
    size = FRAME_SIZES.get(text.upper()) or (size_of(text) if text[:1].isdigit() else None)
    if size is None or not all(size):
        known = ", ".join(f"{name} ({w}x{h})" for name, (w, h) in FRAME_SIZES.items())
        raise argparse.ArgumentTypeError(f"expected WIDTHxHEIGHT or one of {known}, got {text!r}")
    return size


def scale_of(frame: tuple[int, int], size: tuple[int, int]) -> float:
    """The factor by which a letterboxed frame is scaled."""
    return min(size[0] / frame[0], size[1] / frame[1])


def without_bars(frame: tuple[int, int], size: tuple[int, int]) -> tuple[int, int]:
    """The smallest input in which a letterboxed frame is as large as in one of (width, height) `size`."""
    scale = scale_of(frame, size)
    width, height = (STRIDE * -(-round(length * scale, 6) // STRIDE) for length in frame)
    return int(width), int(height)


def largest(frame: tuple[int, int], size: tuple[int, int]) -> tuple[int, int]:
    """The input with no more pixels than `size` in which a letterboxed frame is largest; the smallest of several."""
    pixels = size[0] * size[1]
    sizes = [
        (width, pixels // width // STRIDE * STRIDE) for width in range(STRIDE, pixels // STRIDE + 1, STRIDE)
        if pixels // width >= STRIDE
    ]  # fmt: skip
    best = max(sizes, key=lambda one: scale_of(frame, one))
    return without_bars(frame, best)


@dataclass
class Job:
    """A model file, and what is wanted of it.

    labels          the names of the original's classes, or None
    classes         the numbers of the classes to keep, ascending, or None: all
    """

    path: Path
    data: bytes
    out: Path
    labels: list[str] | None
    classes: list[int] | None = None

    @property
    def suffix(self) -> str:
        return ".onnx" if self.path.suffix.lower() == ".onnx" else ".tflite"

    def optimized(self, size: tuple[int, int] | None = None, finer: Scales | None = None) -> Optimized:
        try:
            return optimizer(self.suffix)(self.data, size=size, classes=self.classes, rescale=finer)
        except CannotOptimize as error:
            raise UserError(f"{self.path}: {error}") from error

    def new_labels(self, count: int) -> list[str] | None:
        """The labels of the new file, of an original with `count` classes; None if it needs none."""
        names = self.labels or [label_sets.class_name(number, count) for number in range(count)]
        if self.classes is not None:
            # Without labels, class 2 of the original might be called class 0 now.
            return [names[number] for number in self.classes]
        # Otherwise the labels of an earlier file of the same name would be left beside the new one.
        return names if self.labels or labels_path(self.out).exists() else None


def labels_path(model: Path) -> Path:
    """The file in which a camera looks for the labels of a model."""
    return files.label_files(model)[0]


def read_labels(model: Path, given: Path | None, suffix: str) -> list[str] | None:
    """The labels from the given file, from the .txt file beside the model, or from inside of an .onnx."""
    try:
        if given is not None:
            return list(labels.name_list("--labels", str(given)))
        _, names = labels.labels_beside_model(model)
        if names is None and suffix == ".onnx":
            inside = ml.Model(str(model)).labels
            names = labels.name_list("labels", inside) if inside else None
    except ValueError as error:
        raise UserError(str(error)) from error
    return names


def chosen(text: str, names: list[str] | None, count: int) -> list[int]:
    """The class numbers of "person,2". UserError for a class that the model does not have."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    named = names or [label_sets.class_name(number, count) for number in range(count)]
    asked = [int(word) if word.isdigit() and word not in named else word for word in words]
    try:
        return sorted(set(labels.classes("--classes", labels.class_filter("--classes", asked), count, named.__getitem__)))
    except ValueError as error:
        raise UserError(str(error)) from error


# ---- what is written ----


def output_path(model: Path, given: Path | None, suffix: str, what: str = "optimized") -> Path:
    """Where the new file goes. UserError if its ending is wrong."""
    # A second dot in the name would give two models the same file of labels.
    name = f"{model.name[: -len(model.suffix) or None].replace('.', '_')}_{what}{suffix}"
    out = Path(name) if given is None else given / name if given.is_dir() else given
    if out.suffix.lower() != suffix:
        raise UserError(f"-o: expected a name that ends in {suffix}, got {out}")
    return out


def text_of(names: Sequence[str]) -> bytes:
    """The content of a file of labels."""
    return "".join(f"{name}\n" for name in names).encode()


def changed_labels(out: Path, names: list[str] | None) -> Path | None:
    """The file of labels to write beside the new file; None if there are none, or it has them already.

    UserError if it has those of another model, or was there before any model of this name: it is not replaced.
    """
    files.check_labels(out)
    beside = labels_path(out)
    if names is None or beside.exists() and labels.labels_beside_model(out)[1] == names:
        return None
    if beside.exists():
        models = sorted(file.name for file in beside.parent.iterdir() if file.suffix.lower() in files.MODELS)
        others = [name for name in models if labels_path(Path(name)).name == beside.name and name != out.name]
        if others or not out.exists():
            has = f"has the labels of {others[0]}" if others else "exists already, with other lines than the labels"
            needs = f"{out.name} needs its own in a file of this name"
            raise UserError(f"{beside} {has}, and {needs}: choose another name with -o")
    return beside


# ---- the proof ----


def proof_pictures(given: Sequence[Path]) -> tuple[list[Path], str]:
    """The pictures of the proof, and where they are from."""
    if given:
        return sources.listed(given), "the given pictures" if len(given) > 1 or given[0].is_dir() else "the given picture"
    bundled = sources.in_folder(paths.SAMPLE_PICTURES)
    with contextlib.suppress(ModuleNotFoundError):
        folder = demo._photographs()
        bundled += [folder / name for name in ("astronaut.png", "camera.png", "chelsea.png", "coffee.png")]
    return bundled, "n6post's own pictures"


def _read(listed: Sequence[Path]) -> Iterator[pictures.Picture]:
    for path in Bar(len(listed), "pictures").over(listed):
        try:
            yield pictures.read(path)
        except pictures.UnreadableError as error:
            raise UserError(f"{path}: {error}") from error


def prove(
    job: Job, cut: Optimized, same: Optimized, new: Optimized, listed: Sequence[Path], folder: Path
) -> optimize_proof.Proof:
    """Check the new file. FailedProofError if it does something else than the original.

    cut     the file with the original's input size and scales
    same    the file with its input size, and the new scales
    """
    proof = optimize_proof.Proof(len(listed))
    names = job.new_labels(same.original_class_count)
    written = []
    for kind, one in (("new", new), ("same", same)):
        path = folder / f"{kind}{job.suffix}"
        files.write({path: one.data, **({labels_path(path): text_of(names)} if names else {})})
        written.append(path)
    outputs = optimize_proof.Outputs(job.data, cut, same, job.suffix, job.classes, proof)
    objects = optimize_proof.Objects(new, written[0], written[1] if new is not same else None, proof)
    for picture in _read(listed):
        outputs.check(picture)
        objects.check(picture)
    outputs.finish()
    objects.finish()
    return proof


# ---- the report ----


def described(outputs: Sequence[Output]) -> str:
    """The outputs, one per line, those of the same kind with all their sizes on it."""
    return "\n".join(f"{' x '.join(map(str, output.shape)):<17} {output.dtype}" for output in outputs)


def _pixels(step: float) -> str:
    return f"{step:.1f} pixels" if step >= 1 else f"{step:.2g} pixels"


def _percent(before: float, after: float) -> str:
    return f" ({after / before - 1:+.0%})" if before else ""


def _sheet() -> Table:
    sheet = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    sheet.add_column("", no_wrap=True, min_width=10)
    sheet.add_column("before")
    sheet.add_column("after")
    return sheet


def report(job: Job, new: Optimized, proof: optimize_proof.Proof, verdicts: Sequence[Any]) -> Table:
    """What was before, and what is now."""
    sheet = _sheet()
    sizes = [f"{width} x {height}" for width, height in (new.original_size, new.input_size)]
    sheet.add_row("input", *sizes)
    names = job.new_labels(new.original_class_count)
    kept = f"{new.class_count}: {', '.join(names)}" if job.classes is not None and names else str(new.class_count)
    sheet.add_row("classes", str(new.original_class_count), kept)
    sheet.add_row("outputs", described(new.before), described(new.after))
    sheet.add_row("operators", str(new.operators_before), str(new.operators_after))
    if proof.after is not None:
        before = max(proof.before or 0, proof.after)
        sheet.add_row("box step", _pixels(before) if proof.before else "", _pixels(proof.after))
    _add_file(sheet, job, new.data, verdicts)
    return sheet


def _add_file(sheet: Table, job: Job, data: bytes, verdicts: Sequence[Any]) -> None:
    """Add the size of the file, and what Vela says about it."""
    sheet.add_row("file", f"{len(job.data) / 1e6:.2f} MB", f"{len(data) / 1e6:.2f} MB")
    if verdicts:
        sheet.add_section()
        first, second = verdicts
        for name, value, shown in (
            ("AE3", "cycles", lambda v: f"{v / 1e6:.2f} M cycles"),
            ("", "milliseconds", lambda v: f"{v:.1f} ms"),
            ("", "sram", lambda v: f"{v / 1024:,.0f} KiB of SRAM"),
            ("", "flash", lambda v: f"{v / 1024:,.0f} KiB of flash"),
        ):
            one, other = (None if isinstance(verdict, str) else getattr(verdict, value) for verdict in (first, second))
            cells = ["" if figure is None else shown(figure) for figure in (one, other)]
            if one is not None and other is not None:
                cells[1] += _percent(one, other)
            sheet.add_row(name, *cells)


def proven(proof: optimize_proof.Proof, where: str, new: Optimized) -> tuple[list[tuple[str, str]], bool]:
    """The lines of the proof, and whether everything could be checked."""
    other_size = new.input_size != new.original_size
    size = "{} x {}".format(*new.original_size)
    lines = [
        _on_pictures(proof.pictures, where),
        ("outputs", (f"at {size}, " if other_size else "") + _outputs_line(*proof.outputs)),
    ]
    compared, agree = proof.anchors
    if compared:
        off = sorted(proof.off)
        lines.append(("head", f"{agree} of {compared} anchors agree with the original's head, whose roundings move a box by "
                              f"{off[len(off) // 2]:.1f} pixels (median; {off[-1]:.1f} at most)"))  # fmt: skip
    elif proof.score_step:
        lines.append(("head", f"not compared: the original's head rounds scores to steps of {proof.score_step:.2g}"))
    else:
        lines.append(("head", "not compared: the original does not decode its head"))
    complete = proof.found > 0
    if proof.found:
        lines.append(("objects", f"{proof.found} found by n6post, each as plain numpy decodes it"))
    else:
        lines.append(("objects", "not compared: nothing is found on these pictures. Give some of your own: --pictures"))
    if other_size and proof.clear:
        clear = f"objects with a score of {optimize_proof.CLEAR} and more"
        lines.append(("sizes", f"{proof.again} of {proof.clear} {clear} are found at both input sizes"))
    elif other_size:
        complete = False
        lines.append(("sizes", "not compared: nothing on these pictures has a score of "
                               f"{optimize_proof.CLEAR}. Give some of your own: --pictures"))  # fmt: skip
    return lines, complete


def _on_pictures(count: int, where: str) -> tuple[str, str]:
    return "proof", f"on {count} {'picture' if count == 1 else 'pictures'}: {where}"


def _outputs_line(equal: int, finer: int) -> str:
    if not finer:
        return f"all {equal} equal the original's tensors in every bit"
    return (f"all {equal + finer} equal the original's tensors in every bit; {finer} of them then got finer steps, and "
            "still agree within the coarser ones")  # fmt: skip


def show(console: Console, lines: Sequence[tuple[str, str]]) -> None:
    facts = Table.grid(padding=(0, 2))
    facts.add_column(no_wrap=True, min_width=8)
    facts.add_column(overflow="fold")
    for name, value in lines:
        facts.add_row(name, value)
    console.print(facts)


def parse(argv: list[str], prog: str) -> argparse.Namespace:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    add = command.add_argument
    add("model", nargs="?", type=Path, help="a .tflite or .onnx file; the .txt file beside it contains the labels")
    add("-o", "--out", type=Path, metavar="OUT",
        help="the new file, or a folder for it (default MODEL_optimized.tflite in the current folder, or with --features "
             "MODEL_features.tflite). Its labels are written beside it. A file of this name counts as an earlier output: it "
             "is replaced together with its labels. The model itself never is")  # fmt: skip
    add("--input", type=input_of, default=(), metavar="WxH",
        help="another input size, in multiples of 32 (with --features: of the layer's stride); auto: see --camera")
    add("--camera", type=frame_of, metavar="VGA",
        help="the camera's frame size: QVGA, VGA, HD, ... or WxH. Chooses the smallest input in which the letterboxed frame "
             "is as large as in the original's: objects keep their size, and the gray bars are gone. The command also names "
             "the input that shows them largest for as many pixels as the original has")  # fmt: skip
    add("--classes", metavar="NAMES", help="the classes to keep, as names or numbers: person,car")
    add("--features", nargs="?", const="", metavar="LAYER",
        help="make a network of features for n6post.Anomaly, which ends at this layer: its number or name. list: show "
             "the layers that suit, and write nothing. Without LAYER: the last of the backbone with stride 16")  # fmt: skip
    add("--labels", type=Path, metavar="FILE", help="a .txt file with the labels (default: the one beside the model)")
    add("--pictures", type=Path, nargs="+", default=[], metavar="PICTURE",
        help="pictures or folders of pictures for the proof, which show what the network finds; a dozen is enough")
    add("--npu", choices=("u55",), help="also run Arm's compiler for the Ethos-U55 of the AE3 on both files; it is "
                                        f"installed on first use, 110 MB in {vela.cache()}")  # fmt: skip
    arguments = command.parse_args(argv)
    if arguments.input is None and arguments.camera is None:
        command.error("--input auto needs --camera, the size of the camera's frames: VGA, HD, 640x480, ...")
    if arguments.input and arguments.camera:
        command.error("--camera chooses the input size: leave out --input")
    arguments.sample = arguments.model is None
    if arguments.sample:
        arguments.model = paths.SAMPLE_MODEL
    files.model(arguments.model)
    if arguments.labels is not None:
        files.regular(arguments.labels)
    return arguments


def read(arguments: argparse.Namespace) -> Job:
    """The model, after everything that can be checked without rewriting it."""
    path = arguments.model
    data = path.read_bytes()
    try:
        form = graph.parse(data, path.suffix).form
    except ValueError as error:
        raise UserError(f"{path}: {error}") from error
    if form in (graph.ST, graph.VELA):
        raise UserError(f"{path}: {form}. Optimize the file that it was compiled from")
    suffix = ".onnx" if form == graph.ONNX else ".tflite"
    if arguments.features is not None:  # a map has no labels
        return Job(path, data, output_path(path, arguments.out, suffix, "features"), None)
    return Job(path, data, output_path(path, arguments.out, suffix), read_labels(path, arguments.labels, suffix))


def main(argv: list[str], prog: str) -> int:
    arguments = parse(argv, prog)
    job = read(arguments)
    listed, where = proof_pictures(arguments.pictures)
    if arguments.features is not None:
        return _features(job, arguments, listed, where)
    try:
        cut = job.optimized()
    except UserError:
        code = _change(job, arguments, listed, where)
        if code is None:
            raise
        return code
    count = cut.original_class_count
    if job.labels is not None and len(job.labels) != count:
        raise UserError(f"{job.path}: expected {count} labels, one per class, got {len(job.labels)}")
    if arguments.classes is not None:
        job.classes = chosen(arguments.classes, job.labels, count)
        if len(job.classes) < count:
            cut = job.optimized()
        else:
            job.classes = None
    beside = changed_labels(job.out, job.new_labels(count))
    files.check([job.out, beside], [job.path, arguments.labels, *listed], new_folder=True)
    size, hint = arguments.input or None, ""
    if arguments.camera:
        size = without_bars(arguments.camera, cut.original_size)
        larger = largest(arguments.camera, cut.original_size)
        by = scale_of(arguments.camera, larger) / scale_of(arguments.camera, size)
        if by > 1.01:
            hint = f"--input {larger[0]}x{larger[1]} shows objects {by - 1:.0%} larger, for as many pixels as before"
    finer = finer_scales(cut.after)
    same = job.optimized(None, finer) if finer else cut
    new = same if size in (None, cut.original_size) else job.optimized(size, finer)
    python = vela.compiler() if arguments.npu else None

    console = terminal.console()
    with tempfile.TemporaryDirectory(prefix="n6post-") as name:
        folder = Path(name)
        try:
            proof = prove(job, cut, same, new, listed, folder)
        except optimize_proof.FailedProofError as error:
            raise UserError(f"{job.path}: {_FAILED}: {error}") from error
        verdicts = [_verdict(python, path) for path in (job.path, folder / f"new{job.suffix}")] if python else []
    new_labels = job.new_labels(count)
    files.write({job.out: new.data, **({beside: text_of(new_labels)} if beside and new_labels else {})})
    written = [job.out, *[labels_path(job.out)] * (new_labels is not None)]

    console.print(job.path.name, style="bold", soft_wrap=True)
    console.print(report(job, new, proof, verdicts))
    lines, complete = proven(proof, where, new)
    lines[:0] = _refusals(verdicts)
    if hint:
        lines.append(("hint", hint))
    show(console, lines)
    console.print(f"written   {', '.join(map(str, written))}", soft_wrap=True)
    if arguments.sample:
        console.print(_SAMPLE, soft_wrap=True)
    return FINE if complete else FINDINGS


def _change(job: Job, arguments: argparse.Namespace, listed: Sequence[Path], where: str) -> int | None:
    """Write a network of another family with what can be improved there, if the pictures prove it. None: nothing can be."""
    found = ((module, module.changed(job.path, job.data)) for module in (input_range, class_map))
    module, data = next((pair for pair in found if pair[1] is not None), (None, None))
    if module is None or data is None:
        return None
    if arguments.input != () or arguments.camera or arguments.classes is not None:
        raise UserError(f"{job.path}: a {module.FAMILY} keeps its input: leave out --input, --camera and --classes")
    return _write(job, arguments, listed, where, data, lambda new: module.Evidence(job.path, new))


def _features(job: Job, arguments: argparse.Namespace, listed: Sequence[Path], where: str) -> int:
    """Write a network that ends at a layer inside of the original, or list its layers."""
    if job.suffix == ".onnx":
        raise UserError(f"{job.path}: --features needs a .tflite: quantize and convert the network first")
    if arguments.camera or arguments.classes is not None or arguments.labels:
        raise UserError("--features has no classes and no objects: leave out --camera, --classes and --labels")
    try:
        found = features.layers(job.data)
        if arguments.features == "list":
            cycles = partial(_cycles, vela.compiler()) if arguments.npu else None
            sheet = features.table(job.data, features.listed(found), cycles)
            terminal.console().print(job.path.name, sheet, sep="\n", soft_wrap=True)
            return FINE
        layer = features.chosen(found, arguments.features) if arguments.features else features.default(found)
        same = features.cut(job.data, layer)
        new = features.cut(job.data, layer, arguments.input) if arguments.input else same
        return _write(job, arguments, listed, where, new, lambda _: features.Evidence(job.data, layer, found, same, new))
    except CannotOptimize as error:
        raise UserError(f"{job.path}: {error}") from error


def _write(
    job: Job, arguments: argparse.Namespace, listed: Sequence[Path], where: str, data: bytes,
    evidence_of: Callable[[Path], Any],
) -> int:  # fmt: skip
    """Write the new file if the pictures prove it. `evidence_of` takes its path and returns what compares it."""
    beside = changed_labels(job.out, job.labels)
    files.check([job.out, beside], [job.path, arguments.labels, *listed], new_folder=True)
    python = vela.compiler() if arguments.npu else None
    with tempfile.TemporaryDirectory(prefix="n6post-") as name:
        new = Path(name) / f"new{job.suffix}"
        files.write({new: data})
        evidence = evidence_of(new)
        try:
            for picture in _read(listed):
                evidence.add(picture)
            lines = evidence.finish()
        except optimize_proof.FailedProofError as error:
            raise UserError(f"{job.path}: {_FAILED}: {error}") from error
        verdicts = [_verdict(python, path) for path in (job.path, new)] if python else []
    files.write({job.out: data, **({beside: text_of(job.labels)} if beside and job.labels else {})})

    console = terminal.console()
    console.print(job.path.name, style="bold", soft_wrap=True)
    sheet = _sheet()
    for row in evidence.rows():
        sheet.add_row(*row)
    _add_file(sheet, job, data, verdicts)
    console.print(sheet)
    show(console, [*_refusals(verdicts), _on_pictures(len(listed), where), *lines])
    console.print(f"written   {', '.join(map(str, [job.out, *[labels_path(job.out)] * bool(job.labels)]))}", soft_wrap=True)
    if arguments.sample:
        console.print(_SAMPLE, soft_wrap=True)
    return FINE if evidence.complete else FINDINGS


def _refusals(verdicts: Sequence[vela.Verdict | str]) -> list[tuple[str, str]]:
    return [("AE3", text) for text in dict.fromkeys(verdict for verdict in verdicts if isinstance(verdict, str))]


def _cycles(python: Path, data: bytes) -> str:
    with tempfile.TemporaryDirectory(prefix="n6post-") as folder:
        path = Path(folder) / "layer.tflite"
        files.write({path: data})
        verdict = _verdict(python, path)
    return verdict if isinstance(verdict, str) else f"{verdict.cycles / 1e6:.2f}"


def _verdict(python: Path, model: Path) -> vela.Verdict | str:
    if model.suffix == ".onnx":
        return "Vela needs a .tflite"
    try:
        return vela.compile_model(python, model)
    except ValueError as error:
        return str(error)
