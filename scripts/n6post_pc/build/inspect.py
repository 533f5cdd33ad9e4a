"""Describe a model file and check it for a camera: n6post inspect, scripts/inspect_model.py.

Shows the inputs and outputs with their quantization, the labels, the operators, the matching post-processor, the findings of
n6post.diagnose (with --picture also for the outputs of that picture), notes about the network, an estimate for the N6, and
with --npu u55 the figures of Arm's compiler for the AE3.
"""

import json
import math
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import image
import ml
import n6post
import numpy as np
from ml.model import _labels as labels_beside
from n6post.inputs.transform import input_size
from n6post.models.matching import ModelSignature
from n6post.tensors.head_layout import squeezed
from rich import box
from rich.console import Console
from rich.table import Table

from .. import files, paths, terminal
from ..cli import spelled
from ..command import FINDINGS, FINE, WRONG, Bar, UserError, parser
from ..models import graph, n6_estimate, tflm, vela
from ..models.notes import notes
from ..models.pictures import FRAME
from ..optimize import can_be_optimized

RANGES = {"b": (-128, 127), "B": (0, 255), "h": (-32768, 32767), "H": (0, 65535)}
NAMES = {"b": "int8", "B": "uint8", "h": "int16", "H": "uint16", "f": "float32"}

FAMILIES = {"YoloV8": 1, "YoloV8Seg": 2, "YoloV8Pose": 1, "YoloV8Obb": 1}  # outputs, if the head is not split

LARGE_STEP = 2  # pixels of the input
COARSE_SCALE = 0.1  # diagnose itself reports scales from here on

OPTIMIZE = ("optimize: the last layers put boxes and scores into one tensor, which takes time and memory and rounds them: "
            f"{spelled('optimize')} FILE makes a file without these layers, whose outputs n6post decodes more exactly")

_MIB = 1 << 20


class Described:
    """A model that only a camera can run: the attributes that processor_for and diagnose need, read from its file."""

    def __init__(self, path: Path, network: graph.Graph) -> None:
        for kind, numbers in (("input", network.inputs), ("output", network.outputs)):
            tensors = [network.tensors[number] for number in numbers]
            setattr(self, f"{kind}_shape", tuple(tensor.shape for tensor in tensors))
            setattr(self, f"{kind}_dtype", tuple(tensor.code for tensor in tensors))
            setattr(self, f"{kind}_scale", tuple(tensor.scale for tensor in tensors))
            setattr(self, f"{kind}_zero_point", tuple(tensor.zero_point for tensor in tensors))
        self.labels = labels_beside(str(path))


@dataclass
class Inspection:
    """The description of a model file.

    model       None for a model that was compiled by ST
    family      the name of the matching post-processor, or None
    why_none    why no post-processor matches
    ae3         Vela's estimates, or a sentence if it cannot compile the model, or None if it was not run
    notes       patterns that were slow or wrong in some networks: no findings
    """

    path: Path
    network: graph.Graph
    model: Any = None
    family: str | None = None
    why_none: str = ""
    estimate: n6_estimate.Estimate | None = None
    ae3: vela.Verdict | str | None = None
    box_units: str | None = None
    findings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def tensors(self, kind: str) -> list[tuple[tuple[int, ...], str, float, int]]:
        """(shape, dtype, scale, zero point) of all inputs or all outputs."""
        if self.model is None:
            return []
        columns = [getattr(self.model, f"{kind}_{what}") for what in ("shape", "dtype", "scale", "zero_point")]
        return list(zip(*columns, strict=True))

    @property
    def labels(self) -> list[str] | None:
        return [label.strip() for label in self.model.labels] if self.model is not None and self.model.labels else None

    @property
    def float_copies(self) -> int:
        """Heap in bytes that predict needs for float32 copies of the outputs if there is no post-processor."""
        return sum(4 * math.prod(shape) for shape, *_ in self.tensors("output"))

    @property
    def options(self) -> dict[str, Any]:
        """The options of the post-processor that were given on the command line."""
        return {"box_units": self.box_units} if self.box_units else {}

    @property
    def code(self) -> str:
        """The line to paste, which loads the model with the matching post-processor and its labels."""
        name = json.dumps(f"/rom/{self.path.name}", ensure_ascii=False)  # a Python string in double quotes
        options = "".join(f', {option}="{value}"' for option, value in self.options.items())
        return f"model = n6post.load({terminal.clean(name)}{options})"


def inspect(path: Path, picture: Any = None, python: Path | None = None, box_units: str | None = None) -> Inspection:
    """Inspect a model file. ValueError if it is damaged or not a model.

    picture     an image to run the model on, if a PC can run it; the outputs are checked, too
    python      the interpreter from vela.compiler(), to run Vela; or None
    box_units   the option of a YOLO model's post-processor
    """
    if other := files.kind(path):
        raise ValueError(f"expected a model file, got {other}")
    files.check_labels(path)
    network = graph.read(path)
    report = Inspection(path, network, _model(path, network), box_units=box_units)
    if report.model is None:
        return report
    try:
        processor = n6post.processor_for(report.model, **report.options)
        report.family = type(processor).__name__
        if report.options:
            report.model.postprocess = processor  # diagnose reads its options
    except (ValueError, TypeError) as error:
        report.why_none = str(error)
    with np.errstate(all="ignore"):
        report.findings = n6post.diagnose(report.model)
        takes_pictures = not any(finding.endswith("#channels-first)") for finding in report.findings)
        if picture is not None and takes_pictures and not isinstance(report.model, Described):
            report.findings = report.model.predict([picture], callback=lambda m, i, o: n6post.diagnose(m, o, inputs=i))
    report.findings = [paths.with_page(finding) for finding in report.findings]
    optimizable = _is_optimizable(report)
    report.findings += _placed(_box_step_findings(report, optimizable))
    if optimizable:
        report.findings += _placed([OPTIMIZE])
    report.notes = _placed(notes(network))
    report.estimate = n6_estimate.estimate(network)
    if report.estimate is not None:
        report.findings += _placed(report.estimate.findings)
    if network.form == graph.VELA and (missing := tflm.missing(network)):
        report.findings += _placed([f"AE3: {tflm.refused(missing)}"])
    if python is not None:
        ask_vela(report, python)
    return report


def _model(path: Path, network: graph.Graph) -> Any:
    """The model: opened as on a camera, Described if it was compiled for the AE3, None if it was compiled by ST."""
    if network.form == graph.ST:
        return None
    if network.form == graph.VELA:
        return Described(path, network)
    try:
        return ml.Model(str(path))
    except ModuleNotFoundError:
        raise
    except Exception as error:  # the two runtimes raise their own exceptions
        raise ValueError(str(error).strip().removeprefix(f"{path}: ")) from error


def ask_vela(report: Inspection, python: Path) -> None:
    """Add the figures of Arm's compiler for the AE3, and what it finds. It takes seconds. UserError if it does not run."""
    if report.network.form != graph.TFLITE:
        report.ae3 = "Vela needs a .tflite that is not compiled yet"
        return
    try:
        report.ae3 = vela.compile_model(python, report.path)
        report.findings += _placed(report.ae3.findings())
    except ValueError as error:
        report.ae3 = str(error)
        report.findings += _placed([f"AE3: {error}"])


def _placed(findings: list[str]) -> list[str]:
    """Add a link to the page to each finding, as diagnose does. The anchor is the beginning of the finding."""
    def name(finding: str) -> str:
        return finding.partition(":")[0].lower().replace(" ", "-")

    return [paths.with_page(f"{finding} (docs/troubleshooting.md#{name(finding)})") for finding in findings]


def _is_optimizable(report: Inspection) -> bool:
    """Whether `optimize` can split the model's head."""
    runs = report.network.form in (graph.TFLITE, graph.ONNX)
    return report.family in FAMILIES and runs and can_be_optimized(report.path.read_bytes(), report.path.suffix)


def _box_step_findings(report: Inspection, optimizable: bool) -> list[str]:
    """Findings about integer heads that round boxes to steps of more than LARGE_STEP pixels of the input."""
    if report.family not in FAMILIES or len(report.tensors("output")) > FAMILIES[report.family]:
        return []
    width, height = input_size(report.model)
    side, enlarged = max(width, height), max(FRAME[0] / width, FRAME[1] / height)
    findings = []
    for index, (shape, dtype, scale, zero_point) in enumerate(report.tensors("output")):
        if dtype not in RANGES or len(squeezed(shape)) > 2 or not 1e-7 < scale < COARSE_SCALE:  # or diagnose reports it
            continue
        if (RANGES[dtype][1] - zero_point) * scale > side / 2:
            continue  # boxes in pixels, with 16 bits
        step = scale * side
        if step > LARGE_STEP:
            remedy = (
                "replace the boxes by those of the masks: refit_boxes=True"
                if report.family == "YoloV8Seg"
                else "smooth them with a Tracker, or use a model with float outputs"
            )
            remedy = f"remove the step with {spelled('optimize')}, or {remedy}" if optimizable else remedy
            findings.append(
                f"box step: output {index} rounds the position and size of a box to steps of {step:.1f} pixels of the input,"
                f" which are {step * enlarged:.0f} pixels of a {FRAME[0]} x {FRAME[1]} frame: {remedy}"
            )
    return findings


def numbers(dtype: str, scale: float, zero_point: int) -> str:
    """'(q - 24) * 0.0204021, -3.101 to 2.101': how to dequantize a tensor, and its range; empty for floats."""
    if dtype not in RANGES:
        return ""
    low, high = ((q - zero_point) * scale for q in RANGES[dtype])
    shifted = f"(q {'-' if zero_point > 0 else '+'} {abs(zero_point)})" if zero_point else "q"
    return f"{shifted} * {scale:.6g}, {low:.4g} to {high:.4g}"


def show(report: Inspection, console: Console) -> None:
    facts = Table.grid(padding=(0, 2))
    facts.add_column(no_wrap=True, min_width=8)
    facts.add_column(overflow="fold")
    for name, value in _facts(report):
        facts.add_row(name, value)
    console.print(report.path.name, style="bold", soft_wrap=True)
    console.print(facts)
    if report.model is None:
        return
    if report.family:
        console.print(f"paste     {report.code}", soft_wrap=True)
    if report.network.operators:
        console.print(_operators(report))
    if report.estimate is not None:
        for number, source in enumerate(report.estimate.sources(), 1):
            console.print(_listed(f"[{number}]", n6_estimate.SOURCES[source]))
        console.print()
    console.print("findings" if report.findings else "findings  none")
    for finding in report.findings:
        console.print(_listed("  -", finding))
    if report.notes:
        console.print("notes     nothing to do if the camera's results are right and fast enough")
    for note in report.notes:
        console.print(_listed("  -", note))


def _listed(mark: str, text: str) -> Table:
    line = Table.grid(padding=(0, 1))
    line.add_column(no_wrap=True)
    line.add_column(overflow="fold")
    line.add_row(mark, text)
    return line


def _facts(report: Inspection) -> list[tuple[str, str]]:
    facts = [("file", f"{report.path.stat().st_size / 1e6:.2f} MB, {report.network.form}")]
    if report.model is None:
        return [*facts, ("fits", "unknown: only an N6 can open this file. Inspect the model that it was compiled from")]
    for kind in ("input", "output"):
        for index, (shape, dtype, scale, zero_point) in enumerate(report.tensors(kind)):
            text = f"{' x '.join(map(str, shape)):<17} {NAMES[dtype]:<7} {numbers(dtype, scale, zero_point)}"
            facts.append((f"{kind} {index}", text.rstrip()))
    labels = report.labels
    more = ", ..." if labels and len(labels) > 4 else ""
    text = f"{len(labels)}: {', '.join(labels[:4])}{more}" if labels else "none: there is no .txt file of labels beside it"
    if labels and labels_beside(str(report.path)) is None:
        text += f"; from the .onnx. A camera reads them from {report.path.name.split('.')[0]}.txt"
    facts.append(("labels", text))
    facts.append(("fits", f"n6post.{report.family}" if report.family else f"none: {report.why_none}"))
    if report.family and (outputs := split_outputs(report.model)):
        facts.append(("head", outputs))
    facts.append(("heap", f"{report.float_copies / 1e6:.2f} MB for float32 copies of the outputs in each predict without a "
                          "post-processor, 0 with one"))  # fmt: skip
    return facts + cameras(report)


def cameras(report: Inspection) -> list[tuple[str, str]]:
    """(camera, how it will run the model), of the cameras of which something is known."""
    lines = []
    if report.estimate is not None:
        lines.append(("N6", f"an estimate: {_memory(report)}; {_on_cpu(report)}"))
    if isinstance(report.ae3, vela.Verdict):
        lines.append(("AE3", _verdict_line(report.ae3)))
    elif report.ae3:
        lines.append(("AE3", report.ae3))
    elif report.network.form == graph.TFLITE and (missing := tflm.missing(report.network)):
        lines.append(("AE3", tflm.refused(missing)))
    return lines


def split_outputs(model: Any) -> str:
    """What each output of a split head has, in words; "" for another model."""
    split = ModelSignature(model).split
    if not split:
        return ""
    layouts = split.layouts
    counts = " or ".join(map(str, split.class_counts()))
    if len(layouts) > 1:
        return f"split, {counts} classes: the first picture shows which output has what"
    (layout,) = layouts
    joined = bool(layout.parts[0].scores[2])
    roles = [] if joined else [("boxes", [part.boxes[0] for part in layout.parts])]
    scores = f"scores of {counts} class{'' if counts == '1' else 'es'}"
    roles.append((f"boxes and {scores}" if joined else scores, [part.scores[0] for part in layout.parts]))
    if layout.extras:
        extras = "keypoints" if layout.protos is None else "coefficients"
        roles.append((extras, [index for _, index, _ in layout.extras]))
    if layout.protos is not None:
        roles.append(("prototypes", [layout.protos]))
    return "split: " + "; ".join(f"{what} in {', '.join(map(str, indices))}" for what, indices in roles)


def _memory(report: Inspection) -> str:
    if report.estimate is None or not report.estimate.activations:
        return "memory of the activations is not known for an .onnx"
    least, most = report.estimate.activations
    fits = "they fit" if most <= n6_estimate.SRAM else "they may not fit" if least <= n6_estimate.SRAM else "they do not fit"
    sources = _source_numbers(report)
    return (
        f"activations need {least / _MIB:.2f} to {most / _MIB:.2f} MiB {sources['activations']}, the NPU has"
        f" {n6_estimate.SRAM / _MIB:.2f} MiB {sources['memory']}: {fits}"
    )


def _on_cpu(report: Inspection) -> str:
    count = sum(count for _, count, _ in report.estimate.on_cpu) if report.estimate else 0
    return f"{count} of {len(report.network.operators)} operators known to run on the CPU"


def _verdict_line(verdict: vela.Verdict) -> str:
    total = verdict.on_npu + sum(verdict.on_cpu.values())
    if not verdict.on_npu:  # of these Vela has no figures: it says 0 ms
        return f"by Vela {vela.VERSION}: none of the {total} operators runs on the NPU; the CPU's time is not known"
    names = ", ".join(f"{count} {name}" for name, count in verdict.on_cpu.items())
    return (
        f"by Vela {vela.VERSION}: {verdict.on_npu} of {total} operators ({verdict.on_npu / total:.1%}) on the NPU"
        f"{f', on the CPU {names}' if names else ''}; {verdict.sram / _MIB:.2f} MiB of SRAM, "
        f"{verdict.flash / _MIB:.2f} MiB of flash; {verdict.cycles / 1e6:.2f} M cycles, "
        f"an estimated {verdict.milliseconds:.1f} ms on the NPU"
    )


def _source_numbers(report: Inspection) -> dict[str, str]:
    return {source: f"[{number}]" for number, source in enumerate(report.estimate.sources(), 1)} if report.estimate else {}


def _operators(report: Inspection) -> Table:
    """A table of the operators, most frequent first, with those that the N6 is known to run on the CPU."""
    sheet = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    sheet.add_column("operator", no_wrap=True)
    sheet.add_column("number", justify="right", no_wrap=True)
    if report.estimate is not None:
        sheet.add_column("on the N6, as far as known")
    sources = _source_numbers(report)
    remarks: dict[str, list[str]] = {}
    for name, count, source in report.estimate.on_cpu if report.estimate else []:
        why = "in float" if source == "float" else "as in ST's reports"
        remarks.setdefault(name, []).append(f"{count} on the CPU, {why} {sources[source]}")
    for name, count in report.network.counts().most_common():
        sheet.add_row(name, str(count), *([", ".join(remarks.get(name, []))] if report.estimate else []))
    return sheet


def as_json(report: Inspection) -> dict[str, Any]:
    """The description for JSON. Sizes are in bytes."""

    def tensors(kind: str) -> list[dict[str, Any]]:
        return [
            {"shape": list(shape), "dtype": NAMES[dtype], "scale": scale, "zero_point": zero_point}
            for shape, dtype, scale, zero_point in report.tensors(kind)
        ]

    estimate = report.estimate
    on_cpu = [(name, count, n6_estimate.SOURCES[source]) for name, count, source in estimate.on_cpu] if estimate else []
    return {
        "file": str(report.path),
        "bytes": report.path.stat().st_size,
        "form": report.network.form,
        "inputs": tensors("input"),
        "outputs": tensors("output"),
        "labels": report.labels,
        "operators": dict(report.network.counts().most_common()),
        "processor": report.family,
        "why_none": report.why_none or None,
        "code": report.code if report.family else None,
        "float_copies": report.float_copies if report.model is not None else None,
        "n6": estimate and {
            "activations": estimate.activations,
            "sram": n6_estimate.SRAM,
            "on_cpu": [{"operator": name, "number": count, "source": source} for name, count, source in on_cpu],
        },
        "ae3": report.ae3.as_json() if isinstance(report.ae3, vela.Verdict) else report.ae3 and {"error": report.ae3},
        "findings": report.findings,
        "notes": report.notes,
    }  # fmt: skip


DESCRIPTION = """\
Describe a model file and check it for a camera. The output lists the inputs and outputs with their quantization, the labels,
the operators, the matching post-processor with a line to paste, problems, and notes: what was slow or wrong in some networks
that have the same operators. With --picture, the outputs for that picture are checked, too. The figures for the N6 are an
estimate; --npu u55 runs Arm's own compiler for the AE3. Without a file, the sample network that comes with n6post is
inspected. The exit code is 1 if there are findings, or a file cannot be read. Notes do not change it."""
EXAMPLES = ("", "model.tflite", "*.tflite --picture photo.jpg", "model.tflite --npu u55", "*.tflite --json")


def main(argv: list[str], prog: str) -> int:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    command.add_argument("models", nargs="*", type=Path, metavar="model", help=".tflite or .onnx files")
    command.add_argument("--picture", type=Path, help="also check the outputs for this picture")
    command.add_argument("--box-units", choices=("pixels", "normalized"), help="unit of the boxes of a YOLO model: pixels "
                         "of the input, or normalized to 0..1 (default: detected from the outputs)")  # fmt: skip
    command.add_argument("--npu", choices=("u55",), help="run Arm's compiler for the Ethos-U55 of the AE3; it is "
                         f"installed on first use, 110 MB in {vela.cache()}")  # fmt: skip
    command.add_argument("--json", action="store_true", help="print one JSON object per file")
    arguments = command.parse_args(argv)
    sample = not arguments.models
    if sample:
        arguments.models = [paths.SAMPLE_MODEL]
    picture = _open_picture(arguments.picture) if arguments.picture else None
    python = vela.compiler() if arguments.npu else None
    console = terminal.console()
    bar = Bar(len(arguments.models), "models")
    inspected, findings = 0, False
    for path in bar.over(arguments.models):
        try:
            report = inspect(path, picture, python, arguments.box_units)
        except (ValueError, OSError, UserError) as error:
            message = f"{error.strerror}" if isinstance(error, OSError) and error.strerror else str(error)
            print(f"{prog}: {path}: {message}", file=sys.stderr)
            if arguments.json:
                print(json.dumps({"file": str(path), "error": message}))
            continue
        if arguments.json:
            print(json.dumps(as_json(report)))
        else:
            if inspected:
                console.rule(style="dim")
            show(report, console)
        inspected += 1
        findings = findings or bool(report.findings)
    if not inspected:
        return WRONG
    if sample and not arguments.json:
        console.print(f"No model was given: this is the sample network, {paths.SAMPLE_MODEL}", soft_wrap=True)
    return FINDINGS if findings or inspected < len(arguments.models) else FINE


def _open_picture(path: Path) -> Any:
    files.regular(path, "picture")
    try:
        return image.Image(str(path)).to_rgb565(copy=True)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: {isinstance(error, OSError) and error.strerror or error}") from error
