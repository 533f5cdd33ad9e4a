"""Find the layer that a camera computes differently: files whose outputs are layers, each checked by itself.

A layer is computed on this PC from what the camera says that it read. So only its own differences are seen: rounding is one
step, however much the layers before it have added up.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from ml._backends import Array

from ..command import UserError
from ..optimize.network import CannotOptimize
from ..optimize.tflite_file import TfliteFile
from .answers import Answer, opened_by_each
from .figures import SAME, WRONG, compared

AT_ONCE = 10  # layers in a file
MOST = 0.5  # mean difference of a channel in steps: what is only rounded has less
FEW = 0.2  # of the layers with weights: if no more differ at all, the camera computes every bit, and those are wrong
WITH_WEIGHTS = "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"


@dataclass
class Layer:
    """An operator whose inputs and output a camera has answered.

    name        `CONV_2D model/conv2d_12`
    verdict     SAME, ROUNDING or WRONG
    largest     the largest difference in steps
    """

    name: str
    verdict: str
    largest: float


def _opened(content: bytes) -> TfliteFile:
    try:
        return TfliteFile(content)
    except CannotOptimize as error:
        raise UserError(f"its layers cannot be checked: {error}") from error


def cut_files(content: bytes) -> Iterator[bytes]:
    """Files with the layers of a .tflite file as outputs, AT_ONCE in each, and with what they read. UserError for others."""
    whole = _opened(content)
    for begin in range(0, len(whole.names), AT_ONCE):
        file = _opened(content)
        tensors: dict[int, None] = {}  # a set that keeps the order
        for number in range(begin, min(begin + AT_ONCE, len(file.names))):
            for tensor in (*file.inputs(number), *file.outputs(number)):
                if tensor in file.maker:
                    tensors[tensor] = None
        file.cut({f"{file.names[file.maker[one]]}_{one}": one for one in tensors})
        yield file.data()


def checked(content: bytes, answer: Answer) -> list[Layer]:
    """Each layer of a file whose inputs and output the answer has. The answer has the outputs in the file's order."""
    file = _opened(content)
    known: dict[int, Array] = {}
    for tensor, values in zip(file.output_tensors, answer.outputs):
        known[tensor] = values.reshape(file.shape(tensor))
    if answer.input is not None:
        known[file.input_tensors[0]] = answer.input
    found = []
    for number in range(len(file.names)):
        reads = [one for one in file.inputs(number) if not file.is_constant(one)]
        made = file.outputs(number)
        if reads and all(one in known for one in (*reads, *made)):
            found.append((number, reads, made[0]))
    layers = [_checked(content, number, [known[one] for one in reads], reads, known[made]) for number, reads, made in found]
    weighted = [layer for layer in layers if layer.name.split()[0] in WITH_WEIGHTS]
    differ = [layer for layer in weighted if layer.verdict != SAME]
    if len(weighted) >= 4 and len(differ) <= max(1, FEW * len(weighted)):
        for layer in differ:
            layer.verdict = WRONG
    return layers


def _checked(content: bytes, number: int, given: list[Array], reads: list[int], came: Array) -> Layer:
    file = _opened(content)
    made = file.outputs(number)[0]
    name = f"{file.names[number]} {file.name(made)}"
    file.cut({"output": made}, reads)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "layer.tflite"
        path.write_bytes(file.data())
        backends = opened_by_each(path)
        kernels = [backend.run([np.ascontiguousarray(one) for one in given])[0].copy() for backend in backends]
    tensor = backends[0].outputs[0]
    figures = compared(came, kernels, tensor)
    if figures.verdict != SAME and tensor.dtype != "f":
        away = np.stack([came.astype(np.float64) - one for one in kernels]).reshape(len(kernels), -1, came.shape[-1])
        channel = np.abs(away).mean(1).min(0).max()
        is_wrong = channel > MOST or figures.largest > figures.kernels[0] + 2
        figures.verdict = WRONG if is_wrong else figures.verdict
    return Layer(name, figures.verdict, figures.largest)
