"""Patterns in networks that people or compilers' documents report as slow or wrong on the NPUs of the N6 and the AE3.

They are notes and no findings: most networks have one of them and work. docs/troubleshooting.md has an entry for each, with
its source and what to do. A convolution with a large prime number of channels is a finding (n6_estimate.py).
"""

from collections.abc import Callable
from dataclasses import dataclass

from .graph import ONNX, TFLITE, Graph, Operator

CERTAIN, REPORTED, ALSO_WORKS = "certain", "reported", "reported, also in files that work"

_NAME_LENGTH = 60  # of an operator, whose name in a file can be longer than a line


@dataclass(frozen=True)
class Pattern:
    """A pattern of operators.

    name        also the anchor of its entry, with - for spaces
    cameras     which cameras it is about
    fits        whether an operator of a graph, which computes in integers, has it
    said        what happens, for the user
    sure        CERTAIN if a document of the compiler's maker or the compiler itself says so
    source      a thread's number in community.st.com, or a document; the page has the links
    """

    name: str
    cameras: str
    fits: Callable[[Graph, Operator], bool]
    said: str
    sure: str
    source: str


def _named(*names: str) -> Callable[[Graph, Operator], bool]:
    return lambda graph, operator: operator.name in names


def _adds_negated(graph: Graph, operator: Operator) -> bool:
    origins = map(graph.origin, operator.inputs)
    return operator.name in ("ADD", "Add") and any(one is not None and one.name in ("NEG", "Neg") for one in origins)


def _adds_unequal(graph: Graph, operator: Operator) -> bool:
    if operator.name not in ("ADD", "Add") or None in map(graph.origin, operator.inputs):
        return False
    scales = [one.scale for one in map(graph.tensors.__getitem__, operator.inputs) if one.kind != "FLOAT32"]
    return len(set(scales)) > 1


def _is_bilinear(graph: Graph, operator: Operator) -> bool:
    return operator.name == "RESIZE_BILINEAR" or operator.mode == "linear"


def _is_left_by_vela(graph: Graph, operator: Operator) -> bool:
    """Whether Vela 4.2.0 leaves a TRANSPOSE to the CPU: constraint_transpose in its tflite_supported_operators.py."""
    if operator.name != "TRANSPOSE":
        return False
    shape, axes = graph.tensors[operator.inputs[0]].shape, operator.axes
    if len(axes) == 4 and axes[0] == 0:  # the batch stays where it is
        shape, axes = shape[1:], tuple(axis - 1 for axis in axes[1:])
    if len(axes) != 3:
        return len(axes) != 2
    return not (axes == (1, 0, 2) or (axes == (0, 2, 1) and shape[0] == 1) or (axes == (2, 1, 0) and shape[1] == 1))


def _multiplies_computed(graph: Graph, operator: Operator) -> bool:
    return operator.name in ("BATCH_MATMUL", "MatMul") and graph.origin(operator.inputs[-1]) is not None


PATTERNS = (
    Pattern("subtraction", "N6", _named("SUB", "Sub"),
            "ST's compiler left subtractions to the CPU in 2025, which takes some time", ALSO_WORKS,
            "community.st.com 815190"),
    Pattern("negated operand", "N6", _adds_negated,
            "the sum with a negated tensor was a constant on an N6: subtract instead", REPORTED, "community.st.com 815190"),
    Pattern("unequal scales", "N6", _adds_unequal,
            "most networks add tensors of different scales, and one user's sums were wrong: look here only if the camera's"
            " results differ from the PC's", ALSO_WORKS, "community.st.com 166639"),
    Pattern("bilinear", "N6", _is_bilinear,
            "bilinear interpolation runs on the CPU, nearest does not", CERTAIN, "ST's reports"),
    Pattern("softmax", "N6", _named("SOFTMAX", "Softmax"),
            "a softmax runs on the CPU: optimize removes that of a YOLO", CERTAIN, "ST's reports"),
    Pattern("transpose", "AE3", _is_left_by_vela,
            "Vela 4.2.0, which OpenMV uses, leaves such permutations to the CPU, which takes time; Vela 5.2.0 does not",
            CERTAIN, "Vela's --supported-ops-report"),
    Pattern("matrix product", "N6 and AE3", _multiplies_computed,
            "a product of two computed matrices runs on the N6's CPU, and with Vela 4.2.0 on that of the AE3", CERTAIN,
            "ST's answer in community.st.com 160563; Vela's --supported-ops-report"),
)  # fmt: skip


def _in_integers(graph: Graph, operator: Operator) -> bool:
    if graph.form == ONNX:
        return any(graph.tensors[tensor].kind != "FLOAT32" for tensor in operator.inputs)
    return not graph.in_float(operator)


def notes(graph: Graph) -> list[str]:
    """A sentence for each pattern that a network has, with the number of operators and the first one's name."""
    if graph.form not in (TFLITE, ONNX):
        return []
    quantized = [one for one in graph.operators if one.inputs and one.outputs and _in_integers(graph, one)]
    found = []
    for pattern in PATTERNS:
        if fitting := [one for one in quantized if pattern.fits(graph, one)]:
            first = graph.tensors[fitting[0].outputs[0]].name.partition(";")[0][:_NAME_LENGTH] or fitting[0].name
            count = f"{len(fitting)} operators, first {first}" if len(fitting) > 1 else f"the operator {first}"
            said = f"{pattern.said} ({pattern.sure}; {pattern.source})"
            found.append(f"{pattern.name}: {pattern.cameras}, {count}: {said}")
    return found
