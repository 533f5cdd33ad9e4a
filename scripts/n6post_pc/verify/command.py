"""Compare a model on a camera with the same file on this PC, output by output: n6post verify."""

import argparse
import io
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import image
import n6post
import numpy as np
from ml._backends import Array
from rich.console import Console
from ulab._host import wrap

from .. import files, terminal
from ..cli import spelled
from ..command import FINDINGS, FINE, Bar, UserError, parser, quoted
from ..models import compare, pictures, sources, vela
from ..models.run import FITS, Network
from . import answers, camera, causes, figures, layers

LARGEST = (640, 480)  # pixels of the frame that is sent: a camera has room for it beside its model

DESCRIPTION = """\
Find out whether a model computes the same on a camera as on this PC. The pictures are sent to the camera, which fits them
into the model's input and runs the model. Its inputs and outputs come back whole, and are compared with those of the same
file on this PC. Nothing is written on the camera.

The verdict of an output is `same` (every bit of TensorFlow Lite Micro's kernels), `rounding` (no more than twice what this
PC's own kernels, which are all correct, differ from each other in this picture) or `wrong`. Likely causes of wrong outputs
are tried, and named if they explain them. --against compares outputs in a file instead, without a camera."""
EXAMPLES = (
    "model.tflite photo.jpg",
    "model.tflite photos/ --out answers.npz",
    "model.tflite photo.jpg --on-camera /rom/other_name.tflite --installed",
    "model.tflite photo.jpg --against outputs.npz",
    "model.tflite --against network_val_io.npz",
    "model.tflite photo.jpg --bisect cuts",
)


def parse(argv: list[str], prog: str) -> argparse.Namespace:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    add = command.add_argument
    add("model", type=Path, help="the .tflite or .onnx file that the camera's model was made of")
    add("pictures", nargs="*", type=Path, metavar="PICTURE", help="pictures or folders of pictures")
    add("--fit", choices=FITS, default="letterbox",
        help="how a picture is fitted into the network's input (default letterbox)")
    add("--port", help="the camera's serial port (default: that of the only camera)")
    add("--on-camera", metavar="PATH", help="the model's file on the camera (default /rom/ and the name of MODEL)")
    add("--installed", action="store_true", help="use the camera's own n6post instead of this PC's")
    add("--against", type=Path, metavar="FILE",
        help="compare with the outputs in a .npz file instead of a camera: of --out, of ST's validate (network_val_io.npz), "
             "or any arrays in the order of the outputs. Without pictures, the file needs the inputs")  # fmt: skip
    add("-o", "--out", type=Path, metavar="FILE", help="also write the camera's inputs and outputs to a .npz file")
    add("--bisect", type=Path, metavar="FOLDER",
        help="find the layer that the camera computes differently: write files whose outputs are layers of MODEL to FOLDER. "
             "They run on the camera one after the other, on the first picture. For an N6, compile them with ST's tools "
             "and verify each")  # fmt: skip
    add("--json", action="store_true", help="print one JSON object per picture and a last one with the verdict")
    arguments = command.parse_intermixed_args(argv)
    if not arguments.pictures and arguments.against is None:
        command.error("the following arguments are required: PICTURE, or --against FILE")
    with_camera = (arguments.port, arguments.on_camera, arguments.installed, arguments.out, arguments.bisect)
    if arguments.against is not None and any(with_camera):
        command.error("--against needs no camera: leave out --port, --on-camera, --installed, --out and --bisect")
    return arguments


def frame_of(path: Path) -> image.Image:
    """A picture as a frame of the camera in RGB565, no larger than LARGEST."""
    try:
        picture = pictures.read(path).picture
    except pictures.UnreadableError as error:
        raise UserError(f"{path}: {error}") from error
    picture.thumbnail(LARGEST)
    return pictures.rgb565(picture)


class Results:
    """What the post-processor makes of both. None if it does not know the model, or if --against has no picture."""

    def __init__(self, path: Path) -> None:
        try:
            self._network: Network | None = Network(path, None, {})
        except UserError:
            self._network = None

    def agreement(self, seen: causes.Seen, frame: image.Image, fit: str) -> str:
        if self._network is None:
            return ""
        on_camera = [seen.output(k).astype(np.dtype(one[0].dtype)) for k, one in enumerate(seen.kernels)]
        mine = [one[0] for one in seen.kernels]
        try:
            one, other = (self._of(outputs, frame, fit) for outputs in (on_camera, mine))
        except ValueError:
            return ""
        return compare.agreement(one, other, (frame.width(), frame.height()), ("on the camera", "on this PC"))

    def _of(self, outputs: list[Array], frame: image.Image, fit: str) -> Any:
        assert self._network is not None
        transform = getattr(n6post, FITS[fit][0])(frame)
        return self._network.processor(self._network.model, [transform], [wrap(one.copy()) for one in outputs])


class Verification:
    """Compares the answers picture by picture."""

    def __init__(self, arguments: argparse.Namespace, reference: answers.Reference) -> None:
        self._arguments, self._reference = arguments, reference
        self._results = Results(arguments.model)
        tflite = arguments.model.suffix.lower() == ".tflite" and len(reference.outputs) > 1
        self._content = arguments.model.read_bytes() if tflite else None
        self.layers: list[layers.Layer] = []  # of a file of --bisect
        self._before: causes.Seen | None = None
        self._inputs: list[Array] = []
        self.findings: list[str] = []  # each once
        self.worst = figures.SAME

    def add(self, name: str, answer: answers.Answer, frame: image.Image | None) -> dict[str, Any]:
        """Compare the answer for a picture. Returns what was found, for JSON."""
        reference, fit = self._reference, self._arguments.fit
        tensor = reference.input
        base = None if frame is None else causes.filled(frame, fit, tensor)
        seen = causes.see(answer, reference, base)
        if self._content is not None:
            ordered = [seen.output(k) for k in range(len(seen.order))]
            self.layers = layers.checked(self._content, answers.Answer(ordered, None, answer.input))
        found = [*self.wrong_layers, *causes.of_storage(seen, reference.outputs)]
        moved: float | None = None
        if frame is not None and base is not None:
            tried = causes.variants(frame, fit, tensor, self._inputs)
            if answer.input is not None:
                moved, cause = causes.of_given_input(answer.input, base, tried, tensor)
                found += [cause] if cause else []
            elif not found and any(one.verdict == figures.WRONG for one in seen.figures):
                cause = causes.of_outputs(seen, tried, reference)
                found += [cause] if cause else []
            self._inputs.append(base)
        if not found:  # it may turn a verdict into wrong
            found = list(causes.of_memory(seen, self._before, reference.outputs))
        self._before = seen
        verdicts = [one.verdict for one in seen.figures]
        worst = figures.worst(verdicts)
        if worst == figures.WRONG and not found:
            unknown = ", or the input, which is not in the file, was another one" if answer.input is None else ""
            found = [f"a layer computes something else, or the camera's model was made of another file{unknown}: --bisect, "
                     "with the camera, finds the layer"]  # fmt: skip
        self.findings += [text for text in found if text not in self.findings]
        self.worst = figures.worst([self.worst, worst])
        agreement = self._results.agreement(seen, frame, fit) if frame is not None else ""
        outputs = [{"shape": list(map(int, one.shape)), **vars(each)} for one, each in zip(reference.outputs, seen.figures)]
        return {"picture": name, "input_difference": moved, "outputs": outputs, "findings": found, "results": agreement}

    @property
    def wrong_layers(self) -> list[str]:
        """A sentence for each layer of a file of --bisect that is wrong."""
        return [f"the camera computes {one.name} differently: up to {one.largest:.0f} steps, from the same inputs"
                for one in self.layers if one.verdict == figures.WRONG]  # fmt: skip


def table(found: list[dict[str, Any]], console: Console) -> None:
    from rich import box
    from rich.table import Table

    sheet = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(("picture", "output", "largest", "mean", "cosine", "PC's kernels", "verdict")):
        sheet.add_column(name, justify="right" if 1 < number < 6 else "left", no_wrap=number > 0, overflow="fold")
    for one in found:
        rows = []
        if one["input_difference"] is not None:
            same = one["input_difference"] <= figures.LEAST_MEAN
            verdict = figures.SAME if not one["input_difference"] else figures.ROUNDING if same else figures.WRONG
            rows.append(("input", "", f"{one['input_difference']:.2f}", "", "", verdict))
        for k, each in enumerate(one["outputs"]):
            shape = "x".join(map(str, each["shape"]))
            own = f"{each['kernels'][0]:.0f}, {each['kernels'][1]:.2f}"
            rows.append((f"{k}: {shape}", f"{each['largest']:.0f}", f"{each['mean']:.2f}", f"{each['cosine']:.4f}", own,
                         each["verdict"]))  # fmt: skip
        for number, row in enumerate(rows):
            sheet.add_row("" if number else one["picture"], *row)
        sheet.add_section()
    console.print(sheet)
    console.print("Largest and mean differences are in steps of the output's numbers. PC's kernels: how far these differ.")


def bisect(arguments: argparse.Namespace, frame: image.Image, board: str) -> list[str]:
    """Write the cut files, and check them on the camera up to the first one with a wrong layer. Returns findings."""
    files.output_folder(arguments.bisect)
    contents = list(layers.cut_files(arguments.model.read_bytes()))
    paths = [arguments.bisect / f"{arguments.model.stem}_cut_{number:02}.tflite" for number in range(1, len(contents) + 1)]
    files.write(dict(zip(paths, contents)))
    print(f"{len(paths)} files with up to {layers.AT_ONCE} layers each are in {arguments.bisect}.", file=sys.stderr)
    if "N6" in board:
        command = f"{spelled('verify')} {quoted(paths[0])} {quoted(arguments.pictures[0])}"
        print(f"Only ST's compiler makes files for the N6: compile each of {arguments.bisect}, put it into the ROMFS, and "
              f"run `{command}`, which names a wrong layer.", file=sys.stderr)  # fmt: skip
        return []
    for path in Bar(len(paths), "files").over(paths):
        with tempfile.TemporaryDirectory() as folder:
            local = path
            if "AE3" in board:
                local = Path(folder) / path.name
                try:
                    vela.compile_model(vela.compiler(), path, local)
                except ValueError as error:
                    print(f"{path.name} is left out: {error}", file=sys.stderr)
                    continue
            received = camera.run(arguments.port, local, FITS[arguments.fit][0], [frame], arguments.installed)
        own = Verification(argparse.Namespace(**{**vars(arguments), "model": path}), answers.Reference(path))
        own.add(path.name, received.answers()[0], None)
        if own.wrong_layers:
            return own.wrong_layers
        print(f"{path.name}: {len(own.layers)} layers are right.", file=sys.stderr)
    return []


def main(argv: list[str], prog: str) -> int:
    arguments = parse(argv, prog)
    files.model(arguments.model)
    paths = sources.listed(arguments.pictures) if arguments.pictures else []
    if video := next(filter(sources.is_video, paths), None):
        raise UserError(f"{video}: expected a picture, got a video")
    reference = answers.Reference(arguments.model)
    shape = list(reference.input.shape)
    if paths and (len(shape) != 4 or shape[3] not in (1, 3)):
        raise UserError(f"{arguments.model}: expected an input [1, H, W, 3] or [1, H, W, 1] for a picture, got {shape}")
    frames: list[image.Image] = [frame_of(path) for path in paths]
    about, more = "", []
    if arguments.against is not None:
        given = answers.from_file(files.regular(arguments.against), reference)
        if frames and len(frames) != len(given):
            raise UserError(f"{arguments.against}: expected outputs of {len(frames)} pictures, got those of {len(given)}")
        if not frames and any(one.input is None for one in given):
            raise UserError(f"{arguments.against} has no inputs: name the pictures")
        about = arguments.against.name
    else:
        files.check([arguments.out], [arguments.model, *paths], suffixes=(".npz",))
        name = arguments.on_camera or f"/rom/{arguments.model.name}"
        received = camera.run(arguments.port, name, FITS[arguments.fit][0], frames, arguments.installed)
        camera.check_fits(received.about, reference.input, arguments.model)
        given, more = received.answers(), received.findings
        about = f"{name} on {received.about['board']}"
        if arguments.out:
            data = io.BytesIO()
            np.savez_compressed(data, **answers.to_file(given))
            files.write({arguments.out: data.getvalue()})
        if arguments.bisect:
            more = more + bisect(arguments, frames[0], received.about["board"])
    verification = Verification(arguments, reference)
    names = sources.names(paths) if paths else [f"picture {n}" for n in range(1, len(given) + 1)]
    found = [verification.add(*one) for one in zip(names, given, frames or [None] * len(given))]
    findings = verification.findings + more
    verdict = verification.worst if not more else figures.WRONG
    if arguments.json:
        for one in found:
            print(json.dumps(one))
        print(json.dumps({"model": str(arguments.model), "against": about, "verdict": verdict, "findings": findings}))
    else:
        console = terminal.console()
        console.print(f"{arguments.model.name} on this PC, {about}", style="bold", soft_wrap=True)
        table(found, console)
        for one in found:
            if one["results"]:
                console.print(f"{one['picture']}: {one['results']}", soft_wrap=True)
        console.print(f"Verdict: {verdict}." if not findings else f"Verdict: {verdict}. Findings:", soft_wrap=True)
        for text in findings:
            console.print(f"  {text}.", soft_wrap=True)
    return FINE if verdict != figures.WRONG and not findings else FINDINGS
