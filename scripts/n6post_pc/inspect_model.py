"""What a model file is, and what a camera will make of it: n6post inspect, scripts/inspect_model.py.

Inputs and outputs with their quantisation, labels, operators, the post-processor that fits, what n6post.diagnose finds (with
--picture also in the outputs for that picture), what is known of how it will run on the N6, and with --npu u55 what Arm's
compiler makes of it for the AE3.
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
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from . import graph, n6_estimate, tflm, vela
from .command import FINDINGS, FINE, WRONG, Bar, UserError, parser

RANGES = {"b": (-128, 127), "B": (0, 255), "h": (-32768, 32767), "H": (0, 65535)}
NAMES = {"b": "int8", "B": "uint8", "h": "int16", "H": "uint16", "f": "float32"}

_MIB = 1 << 20


class Described:
    """A model that only a camera can run, as its file describes it: what processor_for and diagnose look at."""

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
    """What is known of a model file; `ae3` is a sentence where Vela does not take it, None where it was not asked."""

    path: Path
    network: graph.Graph
    model: Any = None  # None for what ST compiled
    family: str | None = None
    why_none: str = ""
    estimate: n6_estimate.Estimate | None = None
    ae3: vela.Verdict | str | None = None
    findings: list[str] = field(default_factory=list)

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
        """Bytes of heap that predict takes for float32 copies of the outputs where no post-processor is set."""
        return sum(4 * math.prod(shape) for shape, *_ in self.tensors("output"))

    @property
    def code(self) -> str:
        """The line to paste: the post-processor that fits, with the labels that lie beside the model."""
        return f'model = n6post.load("/rom/{self.path.name}")'


def inspect(path: Path, picture: Any = None, python: Path | None = None) -> Inspection:
    """All that is known of a model file. ValueError, a sentence, where it is broken or none.

    picture     an image that is judged too, if a PC can run the model
    python      that of vela.compiler(), to ask it as well
    """
    if path.is_dir():
        raise ValueError("a folder: name the files in it")
    network = graph.read(path)
    seen = Inspection(path, network, _model(path, network))
    if seen.model is None:
        return seen
    try:
        seen.family = type(n6post.processor_for(seen.model)).__name__
    except ValueError as error:
        seen.why_none = str(error)
    with np.errstate(all="ignore"):
        if picture is None or isinstance(seen.model, Described):
            seen.findings = n6post.diagnose(seen.model)
        else:
            seen.findings = seen.model.predict([picture], callback=lambda m, _, outputs: n6post.diagnose(m, outputs))
    seen.estimate = n6_estimate.estimate(network)
    if seen.estimate is not None:
        seen.findings += _placed(seen.estimate.findings)
    if network.form == graph.VELA and (missing := tflm.missing(network)):
        seen.findings += _placed([f"AE3: {tflm.refused(missing)}"])
    if python is not None:
        _ask_vela(seen, python)
    return seen


def _model(path: Path, network: graph.Graph) -> Any:
    """The model opened as on a camera; what was compiled for the AE3 only described; None for what ST compiled."""
    if network.form == graph.ST:
        return None
    if network.form == graph.VELA:
        return Described(path, network)
    try:
        return ml.Model(str(path))
    except ModuleNotFoundError:
        raise
    except Exception as error:  # each of the two runtimes has exceptions of its own
        raise ValueError(str(error).strip().removeprefix(f"{path}: ")) from error


def _ask_vela(seen: Inspection, python: Path) -> None:
    if seen.network.form != graph.TFLITE:
        seen.ae3 = "Vela takes a .tflite that is not compiled yet"
        return
    try:
        seen.ae3 = vela.compile_model(python, seen.path)
        seen.findings += _placed(seen.ae3.findings())
    except ValueError as error:
        seen.ae3 = str(error)
        seen.findings += _placed([f"AE3: {error}"])


def _placed(findings: list[str]) -> list[str]:
    """Each with its line of the page at its end, as diagnose's have it: the line is named as the finding begins."""
    return [f"{finding} (docs/troubleshooting.md#{finding.partition(':')[0].lower()})" for finding in findings]


def numbers(dtype: str, scale: float, zero_point: int) -> str:
    """'(q - 24) * 0.0204021, -3.101 to 2.101': what the integers of a tensor stand for; empty for floats."""
    if dtype not in RANGES:
        return ""
    low, high = ((q - zero_point) * scale for q in RANGES[dtype])
    shifted = f"(q {'-' if zero_point > 0 else '+'} {abs(zero_point)})" if zero_point else "q"
    return f"{shifted} * {scale:.6g}, {low:.4g} to {high:.4g}"


def show(seen: Inspection, console: Console) -> None:
    facts = Table.grid(padding=(0, 2))
    facts.add_column(no_wrap=True, min_width=8)
    facts.add_column(overflow="fold")
    for name, value in _facts(seen):
        facts.add_row(name, escape(value))
    console.print(f"{escape(seen.path.name)}", style="bold", soft_wrap=True)
    console.print(facts)
    if seen.model is None:
        return
    if seen.family:
        console.print(escape(f"paste     {seen.code}"), soft_wrap=True)
    if seen.network.operators:
        console.print(_operators(seen))
    if seen.estimate is not None:
        for number, source in enumerate(seen.estimate.sources(), 1):
            console.print(_listed(f"[{number}]", n6_estimate.SOURCES[source]))
        console.print()
    console.print("findings" if seen.findings else "findings  none")
    for finding in seen.findings:
        console.print(_listed("  -", finding))


def _listed(mark: str, text: str) -> Table:
    line = Table.grid(padding=(0, 1))
    line.add_column(no_wrap=True)
    line.add_column(overflow="fold")
    line.add_row(escape(mark), escape(text))
    return line


def _facts(seen: Inspection) -> list[tuple[str, str]]:
    facts = [("file", f"{seen.path.stat().st_size / 1e6:.2f} MB, {seen.network.form}")]
    if seen.model is None:
        return [*facts, ("fits", "not known: only an N6 can open it. Inspect the file that it was compiled from")]
    for kind in ("input", "output"):
        for index, (shape, dtype, scale, zero_point) in enumerate(seen.tensors(kind)):
            told = f"{' x '.join(map(str, shape)):<17} {NAMES[dtype]:<7} {numbers(dtype, scale, zero_point)}"
            facts.append((f"{kind} {index}", told.rstrip()))
    labels = seen.labels
    more = ", ..." if labels and len(labels) > 4 else ""
    told = f"{len(labels)}: {', '.join(labels[:4])}{more}" if labels else "none: no .txt of them beside it"
    facts.append(("labels", told))
    facts.append(("fits", f"n6post.{seen.family}" if seen.family else f"none: {seen.why_none}"))
    facts.append(("heap", f"{seen.float_copies / 1e6:.2f} MB of float32 copies of the outputs at each predict without a "
                          "post-processor; with one none"))  # fmt: skip
    if seen.estimate is not None:
        facts.append(("N6", f"an estimate: {_memory(seen)}; {_on_cpu(seen)}"))
    if isinstance(seen.ae3, vela.Verdict):
        facts.append(("AE3", _verdict_line(seen.ae3)))
    elif seen.ae3:
        facts.append(("AE3", seen.ae3))
    elif seen.network.form == graph.TFLITE and (missing := tflm.missing(seen.network)):
        facts.append(("AE3", tflm.refused(missing)))
    return facts


def _memory(seen: Inspection) -> str:
    if seen.estimate is None or not seen.estimate.activations:
        return "an .onnx does not tell how much memory the activations take"
    least, most = seen.estimate.activations
    fits = "they fit" if most <= n6_estimate.SRAM else "they may not fit" if least <= n6_estimate.SRAM else "they do not fit"
    sources = _source_numbers(seen)
    return (
        f"activations take {least / _MIB:.2f} to {most / _MIB:.2f} MiB {sources['activations']}, its NPU has"
        f" {n6_estimate.SRAM / _MIB:.2f} MiB {sources['memory']}: {fits}"
    )


def _on_cpu(seen: Inspection) -> str:
    count = sum(count for _, count, _ in seen.estimate.on_cpu) if seen.estimate else 0
    return f"{count} of {len(seen.network.operators)} operators known to run on the CPU"


def _verdict_line(verdict: vela.Verdict) -> str:
    total = verdict.on_npu + sum(verdict.on_cpu.values())
    names = ", ".join(f"{count} {name}" for name, count in verdict.on_cpu.items())
    return (
        f"by Vela {vela.VERSION}: {verdict.on_npu} of {total} operators ({verdict.on_npu / total:.1%}) on the NPU"
        f"{f', on the CPU {names}' if names else ''}; {verdict.sram / _MIB:.2f} MiB of SRAM, "
        f"{verdict.flash / _MIB:.2f} MiB of flash; {verdict.cycles / 1e6:.2f} M cycles, "
        f"{verdict.milliseconds:.1f} ms on the NPU by its estimate"
    )


def _source_numbers(seen: Inspection) -> dict[str, str]:
    return {source: f"[{number}]" for number, source in enumerate(seen.estimate.sources(), 1)} if seen.estimate else {}


def _operators(seen: Inspection) -> Table:
    """The operators, the most frequent first, with what is known of where the N6 runs them."""
    sheet = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    sheet.add_column("operator", no_wrap=True)
    sheet.add_column("number", justify="right", no_wrap=True)
    if seen.estimate is not None:
        sheet.add_column("on the N6, as far as known")
    sources = _source_numbers(seen)
    remarks: dict[str, list[str]] = {}
    for name, count, source in seen.estimate.on_cpu if seen.estimate else []:
        why = "in float" if source == "float" else "as in ST's reports"
        remarks.setdefault(name, []).append(f"{count} on the CPU, {why} {sources[source]}")
    for name, count in seen.network.counts().most_common():
        sheet.add_row(escape(name), str(count), *([escape(", ".join(remarks.get(name, [])))] if seen.estimate else []))
    return sheet


def as_json(seen: Inspection) -> dict[str, Any]:
    """The same for machines; sizes in bytes."""

    def tensors(kind: str) -> list[dict[str, Any]]:
        return [
            {"shape": list(shape), "dtype": NAMES[dtype], "scale": scale, "zero_point": zero_point}
            for shape, dtype, scale, zero_point in seen.tensors(kind)
        ]

    known = seen.estimate
    on_cpu = [(name, count, n6_estimate.SOURCES[source]) for name, count, source in known.on_cpu] if known else []
    return {
        "file": str(seen.path),
        "bytes": seen.path.stat().st_size,
        "form": seen.network.form,
        "inputs": tensors("input"),
        "outputs": tensors("output"),
        "labels": seen.labels,
        "operators": dict(seen.network.counts().most_common()),
        "processor": seen.family,
        "why_none": seen.why_none or None,
        "code": seen.code if seen.family else None,
        "float_copies": seen.float_copies if seen.model is not None else None,
        "n6": known and {
            "activations": known.activations,
            "sram": n6_estimate.SRAM,
            "on_cpu": [{"operator": name, "number": count, "source": source} for name, count, source in on_cpu],
        },
        "ae3": seen.ae3.as_json() if isinstance(seen.ae3, vela.Verdict) else seen.ae3 and {"error": seen.ae3},
        "findings": seen.findings,
    }  # fmt: skip


DESCRIPTION = """\
Describe a model file and check it for a camera: inputs and outputs with their quantization, labels, operators, the matching
post-processor with a line to paste, and problems; with --picture also problems of the outputs for that picture. The figures
for the N6 are an estimate; --npu u55 runs Arm's own compiler for the AE3. The exit code is 1 if there are findings, or a
file cannot be read."""
EXAMPLES = ("model.tflite", "*.tflite --picture photo.jpg", "model.tflite --npu u55", "*.tflite --json")


def main(argv: list[str], prog: str) -> int:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    command.add_argument("models", nargs="+", type=Path, metavar="model", help=".tflite or .onnx files")
    command.add_argument("--picture", type=Path, help="check the outputs for this picture too")
    command.add_argument("--npu", choices=("u55",), help="run Arm's compiler for the Ethos-U55 of the AE3; it is "
                         f"installed on first use, 110 MB in {vela.cache()}")  # fmt: skip
    command.add_argument("--json", action="store_true", help="print one JSON object per file")
    arguments = command.parse_args(argv)
    picture = _open_picture(arguments.picture) if arguments.picture else None
    python = vela.compiler() if arguments.npu else None
    console = Console(highlight=False)
    bar = Bar(len(arguments.models), "models")
    inspected, found = 0, False
    for path in bar.over(arguments.models):
        try:
            seen = inspect(path, picture, python)
        except (ValueError, OSError) as error:
            said = f"{error.strerror}" if isinstance(error, OSError) and error.strerror else str(error)
            print(f"{prog}: {path}: {said}", file=sys.stderr)
            if arguments.json:
                print(json.dumps({"file": str(path), "error": said}))
            continue
        if arguments.json:
            print(json.dumps(as_json(seen)))
        else:
            if inspected:
                console.rule(style="dim")
            show(seen, console)
        inspected += 1
        found = found or bool(seen.findings)
    if not inspected:
        return WRONG
    return FINDINGS if found or inspected < len(arguments.models) else FINE


def _open_picture(path: Path) -> Any:
    try:
        return image.Image(str(path)).to_rgb565(copy=True)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: {isinstance(error, OSError) and error.strerror or error}") from error
