"""What a model file is, and what a camera will make of it: n6post inspect, scripts/inspect_model.py.

Prints inputs and outputs with their quantisation, the post-processor that fits, and what n6post.diagnose
finds; with --picture also what it finds in the outputs for that picture. A .tflite tells more than the
camera's copy of it, so findings that need its layers are added: channel counts that the NPU does not take.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import image
import ml
import n6post
import numpy as np

from .command import FINE, UserError, parser

RANGES = {"b": (-128, 127), "B": (0, 255), "h": (-32768, 32767), "H": (0, 65535)}
NAMES = {"b": "int8", "B": "uint8", "h": "int16", "H": "uint16", "f": "float32"}

# Known to fall off the NPU: convolutions with a prime number of channels such as 257. Small primes do not (13
# and 17 in the MoveNets), so only larger ones are named.
HARMLESS = 256


def tensor_line(kind: str, shape: tuple[int, ...], dtype: str, scale: float, zero_point: int) -> str:
    """'output 0  1 x 116 x 2100  int8  (q - 24) * 0.0204021, -3.101 to 2.101'"""
    text = f"{kind:<9} {' x '.join(map(str, shape)):<18} {NAMES[dtype]:<8}"
    if dtype in RANGES:
        low, high = ((q - zero_point) * scale for q in RANGES[dtype])
        shifted = f"(q {'-' if zero_point > 0 else '+'} {abs(zero_point)})" if zero_point else "q"
        text += f" {shifted} * {scale:.6g}, {low:.4g} to {high:.4g}"
    return text.rstrip()


def tensor_lines(model: Any) -> list[str]:
    lines = []
    for kind in ("input", "output"):
        columns = [getattr(model, f"{kind}_{what}") for what in ("shape", "dtype", "scale", "zero_point")]
        for index, tensor in enumerate(zip(*columns, strict=True)):
            lines.append(tensor_line(f"{kind} {index}", *tensor))
    return lines


def family_line(model: Any) -> str:
    try:
        return f"n6post.{type(n6post.processor_for(model)).__name__}"
    except ValueError as error:
        return f"none: {error}"


def layers(path: Path) -> list[tuple[str, int]]:
    """(operator, output channels) of each layer of a .tflite; none of an .onnx."""
    if path.suffix != ".tflite":
        return []
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(str(path))
    shapes = {detail["index"]: detail["shape"] for detail in interpreter.get_tensor_details()}
    found = []
    for step in interpreter._get_ops_details():  # the only way to the graph; not a public function
        shape = shapes.get(int(step["outputs"][0]), ())
        if len(shape) == 4:
            found.append((step["op_name"], int(shape[3])))
    return found


def is_prime(number: int) -> bool:
    return number > 1 and all(number % i for i in range(2, int(number**0.5) + 1))


def layer_findings(found: Iterable[tuple[str, int]]) -> list[str]:
    """What only the layers tell."""
    channels = {count for operator, count in found if "CONV" in operator}
    counts = [count for count in sorted(channels) if count > HARMLESS and is_prime(count)]
    return [
        f"layers: a convolution with {count} channels, a prime number, falls off the NPU and runs on the CPU,"
        f" many times slower: train the network with {count - 1} or {-(-count // 8) * 8} channels there"
        for count in counts
    ]


def output_findings(model: Any, picture: Path) -> list[str]:
    img = image.Image(str(picture)).to_rgb565(copy=True)
    return model.predict([img], callback=lambda m, inputs, outputs: n6post.diagnose(m, outputs))


def report(path: Path, picture: Path | None = None) -> list[str]:
    model = ml.Model(str(path))
    np.seterr(all="ignore")
    lines = [f"{path.name}, {model.len / 1e6:.2f} MB", *tensor_lines(model)]
    lines.append(f"RAM       at least {model.ram / (1 << 20):.2f} MiB: the tensors of its largest layer")
    if model.labels:
        more = ", ..." if len(model.labels) > 4 else ""
        lines.append(f"labels    {len(model.labels)}: {', '.join([label.strip() for label in model.labels[:4]])}{more}")
    lines.append(f"fits      {family_line(model)}")
    findings = n6post.diagnose(model) if picture is None else output_findings(model, picture)
    findings += layer_findings(layers(path))
    lines.append(f"findings  {'none' if not findings else ''}".rstrip())
    return lines + [f"  - {finding}" for finding in findings]


DESCRIPTION = """\
What a model file is, and what a camera will make of it: inputs and outputs with their quantisation, the post-processor that
fits, and what is wrong with it, if anything; with --picture also what is wrong with the outputs for that picture."""
EXAMPLES = ("model.tflite", "*.tflite --picture photo.jpg")


def main(argv: list[str], prog: str) -> int:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    command.add_argument("models", nargs="+", type=Path, metavar="model", help=".tflite or .onnx files")
    command.add_argument("--picture", type=Path, help="judge the outputs for this picture too")
    arguments = command.parse_args(argv)
    for path in [*arguments.models, *([arguments.picture] if arguments.picture else [])]:
        if not path.is_file():
            command.error(f"no such file: {path}")
    for number, path in enumerate(arguments.models):
        try:
            print(*([""] if number else []), *report(path, arguments.picture), sep="\n")
        except (ValueError, ImportError) as error:
            raise UserError(f"{path}: {error}") from error
    return FINE
