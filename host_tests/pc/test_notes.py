"""scripts/n6post_pc/models/notes.py: patterns in networks that were slow or wrong on the NPUs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import model_files
import numpy as np
import pytest
from commands import ROOT
from n6post_pc.models import graph
from n6post_pc.models.graph import Graph, Operator, Tensor
from n6post_pc.models.notes import PATTERNS, notes

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")

Operators = Sequence[tuple[str, Sequence[str], Sequence[str]]]

# What a file with the pattern computes, and what a file that is nearly the same computes: of a and b, which have one scale,
# of c, which has another, and of constants.
TFLITE: list[tuple[str, Operators, Operators]] = [
    ("subtraction", [("SUB", "ab", ["out"])], [("MUL", "ab", ["out"])]),
    ("negated operand", [("NEG", "a", "n"), ("ADD", "nb", ["out"])], [("NEG", "a", "n"), ("MUL", "nb", ["out"])]),
    ("negated operand", [("NEG", "a", "n"), ("QUANTIZE", "n", "m"), ("ADD", "bm", ["out"])],
     [("NEG", "a", "n"), ("QUANTIZE", "a", "m"), ("ADD", "bm", ["out"])]),
    ("unequal scales", [("ADD", "ac", ["out"])], [("ADD", "ab", ["out"])]),
    ("unequal scales", [("ADD", "ca", ["out"])], [("ADD", ["c", "constant"], ["out"])]),
    ("bilinear", [("RESIZE_BILINEAR", ["a", "size"], ["out"])], [("RESIZE_NEAREST_NEIGHBOR", ["a", "size"], ["out"])]),
    ("softmax", [("SOFTMAX", "a", ["out"])], [("LOGISTIC", "a", ["out"])]),
    ("transpose", [("TRANSPOSE", ["a", "to front"], ["out"])], [("TRANSPOSE", ["a", "swap"], ["out"])]),
    ("transpose", [("TRANSPOSE", ["a", "integers"], ["out"])], [("RESHAPE", ["a", "integers"], ["out"])]),
    ("matrix product", [("BATCH_MATMUL", "ab", ["out"])], [("BATCH_MATMUL", ["a", "constant"], ["out"])]),
]  # fmt: skip
ONNX: list[tuple[str, Operators, Operators]] = [
    ("subtraction", [("Sub", "ab", ["out"])], [("Mul", "ab", ["out"])]),
    ("negated operand", [("Neg", "a", "n"), ("Add", "nb", ["out"])], [("Neg", "a", "n"), ("Mul", "nb", ["out"])]),
    ("unequal scales", [("Add", "ac", ["out"])], [("Add", "ab", ["out"])]),
    ("unequal scales", [("Add", "ca", "s"), ("Relu", "s", ["out"])], [("Add", "cw", "s"), ("Relu", "s", ["out"])]),
    ("bilinear", [("Resize linear", "a", ["out"])], [("Resize nearest", "a", ["out"])]),
    ("softmax", [("Softmax", "a", ["out"])], [("Sigmoid", "a", ["out"])]),
    ("matrix product", [("MatMul", "ab", ["out"])], [("MatMul", "aw", ["out"])]),
]


def tflite(operators: Operators, kind: str = "INT8") -> Graph:
    shape = (1, 4, 6, 8)
    scales = {"picture": 0.01, "a": 0.01, "b": 0.01, "c": 0.02, "n": 0.01, "m": 0.01, "out": 0.01}
    tensors: list[model_files.Described] = [(name, shape, kind, (scale, 0)) for name, scale in scales.items()]
    tensors += [
        ("constant", (4,), [1, 2, 3, 4], (0.05, 0)),
        ("size", (2,), [8, 12], None),
        ("to front", (4,), [0, 3, 1, 2], None),
        ("swap", (4,), [0, 2, 1, 3], None),
        ("integers", (4,), "INT32", None),
    ]
    before = [("RELU", ["picture"], [name]) for name in "abc"]
    return graph.parse(model_files.tflite(tensors, [*before, *operators]))


def onnx(operators: Operators, quantized: bool = True, raw: bool = True) -> Graph:
    """A QDQ network, written by the package onnx. The scales are in the file as bytes (raw) or as floats."""
    onnx = pytest.importorskip("onnx")
    make = onnx.helper
    scales = {"a": 0.01, "b": 0.01, "c": 0.02, "w": 0.05}
    nodes = [make.make_node("Relu", ["picture"], [f"{name} float"]) for name in "abc"]
    for name in scales:
        at = [f"{name} scale", "zero"]
        if not quantized:
            nodes.append(make.make_node("Identity", [f"{name} float"], [name]))
            continue
        if name != "w":
            nodes.append(make.make_node("QuantizeLinear", [f"{name} float", *at], [f"{name} int8"]))
        nodes.append(make.make_node("DequantizeLinear", [f"{name} int8", *at], [name]))
    for name, inputs, outputs in operators:
        kind, _, mode = name.partition(" ")
        nodes.append(make.make_node(kind, list(inputs), list(outputs), **({"mode": mode} if mode else {})))
    constants = [
        onnx.numpy_helper.from_array(np.float32(scale), f"{name} scale")
        if raw
        else make.make_tensor(f"{name} scale", onnx.TensorProto.FLOAT, [], [scale])
        for name, scale in scales.items()
    ]
    constants += [
        onnx.numpy_helper.from_array(np.int8(0), "zero"),
        onnx.numpy_helper.from_array(np.ones((8, 8), np.int8), "w int8"),
        onnx.numpy_helper.from_array(np.ones((8, 8), np.float32), "w float"),
    ]
    ends = [make.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 8, 8]) for name in ("picture", "out")]
    model = make.make_model(make.make_graph(nodes, "small", ends[:1], ends[1:], constants))
    return graph.parse(model.SerializeToString(), ".onnx")


def names(network: Graph) -> list[str]:
    return [note.partition(":")[0] for note in notes(network)]


@pytest.mark.parametrize(("name", "has", "nearly"), TFLITE)
def test_a_tflite_with_the_pattern_gets_the_note(name: str, has: Operators, nearly: Operators) -> None:
    assert names(tflite(has)) == [name]
    assert names(tflite(nearly)) == []
    assert names(tflite(has, "FLOAT32")) == []  # everything runs on the CPU, which is a finding


@pytest.mark.parametrize(("name", "has", "nearly"), ONNX)
def test_an_onnx_with_the_pattern_gets_the_note(name: str, has: Operators, nearly: Operators) -> None:
    assert names(onnx(has)) == [name] == names(onnx(has, raw=False))
    assert names(onnx(nearly)) == []
    assert names(onnx(has, quantized=False)) == []


def test_all_patterns_are_tested() -> None:
    assert {name for name, *_ in TFLITE} == {pattern.name for pattern in PATTERNS}
    assert {name for name, *_ in ONNX} == {pattern.name for pattern in PATTERNS} - {"transpose"}  # Vela reads .tflite


def test_a_note_counts_operators_and_names_the_first() -> None:
    (note,) = notes(tflite([("SUB", "ab", "n"), ("SUB", "ba", ["out"])]))
    assert note.startswith("subtraction: N6, 2 operators, first n: ST's compiler ")
    assert note.endswith(" (reported, also in files that work; community.st.com 815190)")
    (note,) = notes(tflite([("SUB", "ab", ["out"])]))
    assert note.startswith("subtraction: N6, the operator out: ")


def test_long_names_are_cut_and_missing_ones_replaced() -> None:
    for given, shown in (("x" * 500, "x" * 60), ("add;Relu;add", "add"), ("", "SUB")):
        tensors = [Tensor((1,), "INT8"), Tensor((1,), "INT8", name=given)]
        (note,) = notes(Graph(graph.TFLITE, [Operator("SUB", (0, 0), (1,))], tensors, (0,), (1,)))
        assert f"the operator {shown}: " in note


def test_a_compiled_network_gets_no_notes() -> None:
    assert notes(graph.parse(model_files.for_ethos())) == [] == notes(graph.parse(model_files.for_st()))


# The sentence of Vela 4.2.0's --supported-ops-report. 1 is an axis of that size, and a letter is an axis of any size.
VELA = """WxC -> CxW, HxWxC -> WxHxC, 1xWxC -> 1xCxW, Hx1xC -> Cx1xH, 1xHxWxC -> 1xWxHxC, 1x1xWxC -> 1x1xCxW,
1xHx1xC -> 1xCx1xH"""


def vela_supports(shape: tuple[int, ...], axes: tuple[int, ...]) -> bool:
    for rule in VELA.split(","):
        before, after = (side.strip().split("x") for side in rule.split("->"))
        if len(before) == len(shape) and all(size == 1 for size, symbol in zip(shape, before, strict=True) if symbol == "1"):
            moved = [before[axis] for axis in axes]
            kept = all(axis == at for at, axis in enumerate(axes) if before[axis] == "1")
            if moved == after and kept:
                return True
    return False


def test_transposes_that_vela_supports_get_no_note() -> None:
    tried = 0
    for rank in (2, 3, 4):
        _, *permutations = itertools.permutations(range(rank))  # the first moves nothing
        for sizes, axes in itertools.product(itertools.product((1, 5), repeat=rank), permutations):
            shape = (1, *sizes[1:]) if rank == 4 else sizes  # cameras have one picture in a batch
            tensors = [Tensor(shape, "INT8"), Tensor((rank,), "INT32"), Tensor(shape, "INT8")]
            network = Graph(graph.TFLITE, [Operator("TRANSPOSE", (0, 1), (2,), axes=axes)], tensors, (0,), (2,))
            assert (names(network) == []) == vela_supports(shape, axes), (shape, axes)
            tried += 1
    assert tried == 4 * 1 + 8 * 5 + 16 * 23


def test_every_note_has_an_entry_with_its_source() -> None:
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    entries = page.partition("## What inspect_model.py notes")[2]
    for pattern in PATTERNS:
        entry = entries.partition(f'<a id="{pattern.name.replace(" ", "-")}"></a>**{pattern.name}**')[2].partition("\n- ")[0]
        assert entry and pattern.source.split()[-1] in entry, pattern.name
        assert {"N6", "AE3"} & set(pattern.cameras.split()) == {camera for camera in ("N6", "AE3") if camera in entry}


# The number of operators of each note. Those of "transpose" are what Vela 4.2.0 left to the CPU when it compiled the file.
OF_MODELS = {
    "blazeface_front_128.tflite": {"unequal scales": 16},
    "deeplab_v3_mobilenetv2_05_16_320_fft_qdq_int8.onnx": {"unequal scales": 8, "bilinear": 2},
    "face_landmarks_192.tflite": {"unequal scales": 20},
    "fomo_face_detection.tflite": {"unequal scales": 3, "softmax": 1},
    "fruit/fruit.tflite": {"subtraction": 2, "unequal scales": 3, "softmax": 1, "transpose": 10},
    "fruit/fruit_float.tflite": {},
    "hand_landmarks_full_224.tflite": {"unequal scales": 9},
    "movenet_singlepose_192.tflite": {"unequal scales": 13, "bilinear": 3},
    "osnet_a025_256_128_tfs_int8.tflite": {"unequal scales": 23},
    "palm_detection_full_192.tflite": {"unequal scales": 30, "bilinear": 2},
    "person_detect.tflite": {"softmax": 1},
    "st_movenet_lightning_heatmaps_192_int8_pc.tflite": {"unequal scales": 13, "bilinear": 3},
    "st_yolo_x_nano_480_1.0_0.25_3_st_int8.tflite": {"unequal scales": 18},
    "yolo_lc_192.tflite": {},
    "yolov8n_192.tflite": {"subtraction": 2, "unequal scales": 7, "softmax": 1, "transpose": 4},
    "yolov8n_256_quant_pc_uf_pose_coco-st.tflite": {"subtraction": 2, "unequal scales": 7, "softmax": 1, "transpose": 7},
    "yolov8n_320_quant_pc_ii_seg_coco-st.tflite": {"subtraction": 2, "unequal scales": 5, "softmax": 1, "transpose": 7},
    "yunet_n_320_320.onnx": {},
}


def counted(network: Graph) -> dict[str, int]:
    parts = [note.split(", ")[1].split() for note in notes(network)]
    return dict(zip(names(network), (1 if part[0] == "the" else int(part[0]) for part in parts), strict=True))


@pytest.mark.parametrize("name", OF_MODELS)
def test_the_notes_of_real_networks(shared: Path, name: str) -> None:
    path = shared / "models" / name
    if not path.is_file():
        pytest.skip(f"{name} is not in {path.parent.name}")
    assert counted(graph.read(path)) == OF_MODELS[name]


def test_optimizing_a_yolo_removes_most_of_its_notes() -> None:
    pytest.importorskip("ai_edge_litert")
    from n6post_pc.optimize.tflite import optimized

    sample = (ROOT / "scripts" / "n6post_pc" / "data" / "shapes" / "shapes.tflite").read_bytes()
    assert counted(graph.parse(sample)) == {"subtraction": 2, "unequal scales": 12, "softmax": 1, "transpose": 10}
    assert names(graph.parse(optimized(sample).data)) == ["unequal scales"]
