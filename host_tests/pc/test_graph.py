"""scripts/n6post_pc/models/graph.py and n6_estimate.py: the operators of a model file, and how the N6 will run them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import model_files
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from n6post_pc.models import graph, n6_estimate, tflm
from n6post_pc.models.graph import Graph, Operator, Tensor

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")

KIB = 1024


def convolutions(*channels: int, kind: str = "INT8") -> Graph:
    """A network of successive convolutions of 1 x 1 pixels with these channels."""
    tensors = [Tensor((1, 1, 1, 3), kind)] + [Tensor((1, 1, 1, n), kind) for n in channels]
    operators = [Operator("CONV_2D", (i,), (i + 1,), n) for i, n in enumerate(channels)]
    return Graph(graph.TFLITE, operators, tensors, (0,), (len(channels),))


def chain(*sizes: int) -> Graph:
    """A network of tensors of these sizes in bytes. Each operator computes the next tensor from the previous one."""
    tensors = [Tensor((size,), "INT8") for size in sizes]
    operators = [Operator("ADD", (i,), (i + 1,)) for i in range(len(sizes) - 1)]
    return Graph(graph.TFLITE, operators, tensors, (0,), (len(sizes) - 1,))


def findings(network: Graph) -> list[str]:
    known = n6_estimate.estimate(network)
    assert known is not None
    return known.findings


# --- reading ---


@pytest.mark.parametrize("kind", ["INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64", "BOOL"])
def test_an_integer_tensor_has_the_size_of_numpys_array(kind: str) -> None:
    assert Tensor((3, 5), kind).nbytes == np.zeros((3, 5), kind.lower()).nbytes


@pytest.mark.parametrize("kind", ["FLOAT16", "FLOAT32", "FLOAT64"])
def test_a_float_tensor_has_the_size_of_numpys_array(kind: str) -> None:
    assert Tensor((3, 5), kind).nbytes == np.zeros((3, 5), kind.lower()).nbytes


def test_the_operators_are_those_that_litert_runs(shared: Path) -> None:
    interpreter = pytest.importorskip("ai_edge_litert.interpreter")
    for path in sorted((shared / "models").glob("*.tflite")):
        if path.stem == "person_detect":
            continue  # LiteRT refuses it: "quantized_dimension must be in range"
        # XNNPACK would replace operators by a DELEGATE.
        resolver = interpreter.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
        model = interpreter.Interpreter(str(path), experimental_op_resolver_type=resolver)
        network = graph.read(path)
        assert network.counts() == Counter(step["op_name"] for step in model._get_ops_details())
        for numbers, details in ((network.inputs, model.get_input_details()), (network.outputs, model.get_output_details())):
            tensors = [network.tensors[number] for number in numbers]
            assert [tensor.shape for tensor in tensors] == [tuple(detail["shape"]) for detail in details]
            expected = [detail["quantization"] for detail in details]
            assert [(tensor.scale, tensor.zero_point) for tensor in tensors] == [(s or 1.0, z) for s, z in expected]


def test_the_operators_of_an_onnx_model_are_those_in_its_bytes(shared: Path) -> None:
    pytest.importorskip("google.protobuf")
    path = shared / "models" / "deeplab_v3_mobilenetv2_05_16_320_fft_qdq_int8.onnx"
    counts = graph.read(path).counts()
    for name in ("Conv", "QuantizeLinear", "DequantizeLinear", "Resize"):
        field = bytes((4 << 3 | 2, len(name))) + name.encode()  # op_type, number 4 in onnx.proto
        assert counts[name] == path.read_bytes().count(field) > 0


def test_channels_of_onnx_convolutions_are_read_with_any_weights(tmp_path: Path) -> None:
    pytest.importorskip("google.protobuf")
    nodes = [
        ("Conv", ("x", "plain"), ("y",)),
        ("DequantizeLinear", ("quantized", "s", "z"), ("weights",)),
        ("Conv", ("y", "weights"), ("out",)),
        ("Relu", ("out",), ("o",)),
    ]
    (tmp_path / "net.onnx").write_bytes(model_files.onnx(nodes, {"plain": (257, 3, 3, 3), "quantized": (300, 257, 1, 1)}))
    network = graph.read(tmp_path / "net.onnx")
    assert network.form == graph.ONNX and network.counts() == {"Conv": 2, "DequantizeLinear": 1, "Relu": 1}
    assert [one.channels for one in network.operators] == [257, None, 300, None]
    assert "257 channels" in findings(network)[-1]


def test_an_onnx_whose_quantizers_lack_tensors_is_damaged() -> None:
    pytest.importorskip("google.protobuf")
    for inputs, outputs in (((), ("y",)), (("x", "scale"), ()), (("x",), ("y",))):
        with pytest.raises(ValueError, match="damaged"):
            graph.parse(model_files.onnx([("DequantizeLinear", inputs, outputs), ("Relu", ("y",), ("z",))], {}), ".onnx")
    fine = graph.parse(model_files.onnx([("DequantizeLinear", ("x", "scale"), ("y",))], {"scale": ()}), ".onnx")
    assert [(one.name, one.kind, one.scale) for one in fine.tensors] == [
        ("x", "FLOAT32", 1.0), ("scale", "FLOAT32", 1.0), ("y", "INT8", 1.0)
    ]  # fmt: skip


def test_a_damaged_name_in_an_onnx_is_shown_as_it_is() -> None:
    pytest.importorskip("google.protobuf")
    whole = model_files.onnx([("Relu", ("x",), ("sum of",))], {})
    network = graph.parse(whole.replace(b"sum of", b"sum\xffof"), ".onnx")
    assert [tensor.name for tensor in network.tensors] == ["x", "b'sum\\xffof'"]


def test_the_origin_of_a_tensor_is_found_through_quantizers() -> None:
    add, quantize, back = Operator("ADD", (0, 0), (1,)), Operator("QUANTIZE", (1,), (2,)), Operator("DEQUANTIZE", (2,), (3,))
    network = Graph(graph.TFLITE, [add, quantize, back], [], (0,), (3,))
    assert [network.origin(tensor) for tensor in range(4)] == [None, add, add, add]
    circle = Graph(graph.TFLITE, [Operator("QUANTIZE", (0,), (1,)), Operator("QUANTIZE", (1,), (0,))])  # in a damaged file
    assert circle.origin(0) is None


def test_models_compiled_for_an_npu_are_recognized(tmp_path: Path) -> None:
    made = {
        "plain": (model_files.runnable(), graph.TFLITE),
        "ethos": (model_files.for_ethos(), graph.VELA),
        "st": (model_files.for_st(), graph.ST),
    }
    for name, (data, form) in made.items():
        path = tmp_path / f"{name}.tflite"
        path.write_bytes(data)
        assert graph.read(path).form == form
    assert n6_estimate.estimate(graph.read(tmp_path / "ethos.tflite")) is None
    assert n6_estimate.estimate(graph.read(tmp_path / "st.tflite")) is None


@given(cut=st.integers(0, 10_000), changes=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=4))
def test_a_damaged_file_is_read_or_refused_with_a_message(
    tmp_path_factory: pytest.TempPathFactory, cut: int, changes: list[tuple[int, int]]
) -> None:
    whole = bytearray(model_files.runnable())
    for at, value in changes:
        whole[at % len(whole)] = value
    path = tmp_path_factory.getbasetemp() / "broken.tflite"
    path.write_bytes(whole[: len(whole) - cut % len(whole)])
    try:
        network = graph.read(path)
    except ValueError as error:
        assert "damaged" in str(error) or "neither" in str(error)
    else:
        n6_estimate.estimate(network)


@pytest.mark.parametrize("name", ["net.tflite", "net.onnx", "net.bin"])
def test_a_file_that_is_not_a_model_is_refused(tmp_path: Path, name: str) -> None:
    for data in (b"", b"\x00\x00\x00\x00TFL3", b"text of some kind", bytes(100)):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ValueError, match=r"damaged|neither|not an ONNX model"):
            graph.read(tmp_path / name)


def test_operators_that_the_firmware_lacks_are_reported(shared: Path) -> None:
    # Examples that its tflm_backend.cc registers, and examples that it does not.
    assert {"CONV_2D", "SELECT_V2", "BATCH_MATMUL", "PADV2", "MAX_POOL_2D"} <= tflm.OPERATORS and len(tflm.OPERATORS) == 96
    assert not {"TOPK_V2", "TILE", "POW", "SELECT", "NON_MAX_SUPPRESSION_V5", "ethos-u"} & tflm.OPERATORS
    assert tflm.missing(graph.parse(model_files.with_topk())) == ["TOPK_V2"]
    assert tflm.missing(graph.parse(model_files.with_topk("ethos-u"))) == ["TOPK_V2"]
    assert tflm.missing(graph.parse(model_files.for_ethos())) == [] == tflm.missing(graph.parse(model_files.for_st()))
    for path in (shared / "models").glob("*.tflite"):  # including OpenMV's own
        assert tflm.missing(graph.read(path)) == []


# --- memory ---


def test_live_activations_span_their_first_to_their_last_use() -> None:
    assert chain(5, 7, 2, 9, 1).peak() == 5 + 7
    # The first tensor is used again by the last operator, so it stays alive.
    kept = chain(5, 7, 2, 9, 1)
    kept.operators[-1] = Operator("ADD", (3, 0), (4,))
    assert kept.peak() == 2 + 9 + 5
    # An output stays alive until the end, and a weight is not an activation.
    kept = chain(5, 7, 2, 9, 1)
    kept.outputs = (1, 4)
    kept.tensors.append(Tensor((1000,), "INT8"))
    kept.operators[0] = Operator("CONV_2D", (0, 5), (1,))
    assert kept.peak() == 7 + 2 + 9


@given(st.lists(st.integers(1, 50), min_size=2, max_size=8), st.data())
def test_the_peak_of_live_activations_is_right_for_any_network(sizes: list[int], data: st.DataObject) -> None:
    network = chain(*sizes)
    network.operators = [Operator("ADD", (at, data.draw(st.integers(0, at))), (at + 1,)) for at in range(len(sizes) - 1)]
    peaks = []
    for now, operator in enumerate(network.operators):
        later = {i for one in network.operators[now:] for i in one.inputs} | set(network.outputs)
        made = {0} | {o for one in network.operators[: now + 1] for o in one.outputs}
        peaks.append(sum(sizes[i] for i in made & (later | set(operator.outputs))))
    assert network.peak() == max(peaks)


# "Internal RAM" in KiB from ST's model zoo (stm32ai-modelzoo, READMEs of the models; STEdgeAI Core 2.0 to 2.2, without
# external RAM). The value of the segmentation network is for its variant with float outputs.
ST_TABLE = {
    "st_movenet_lightning_heatmaps_192_int8_pc": 1674,
    "yolov8n_256_quant_pc_uf_pose_coco-st": 1135,
    "yolov8n_320_quant_pc_ii_seg_coco-st": 2564.06,
}


@pytest.mark.parametrize("name", ST_TABLE)
def test_memory_use_reported_by_st_is_within_the_estimate(shared: Path, name: str) -> None:
    known = n6_estimate.estimate(graph.read(shared / "models" / f"{name}.tflite"))
    assert known is not None and known.activations is not None
    least, most = known.activations
    assert least <= ST_TABLE[name] * KIB <= most and most == pytest.approx(2 * least, rel=0.01)


def test_activations_larger_than_the_npus_memory_are_a_finding() -> None:
    assert n6_estimate.SRAM == 1792 * KIB
    alive = round(n6_estimate.SRAM / 0.95)
    assert findings(chain(alive - 1000, 1000)) == []
    (finding,) = findings(chain(alive - 1000, 1002))
    assert "1.75 MiB" in finding and "PSRAM" in finding


# --- layers ---


def test_a_convolution_with_257_channels_is_a_finding() -> None:
    (finding,) = findings(convolutions(256, 257, 257))
    assert "257 channels" in finding and "prime" in finding and "256 or 264" in finding


def test_other_layers_are_not_findings() -> None:
    assert findings(convolutions(1, 13, 17, 32, 255, 256, 258, 1280)) == []
    assert findings(Graph(graph.TFLITE)) == []
    other = convolutions(257)
    other.operators = [Operator("ADD", (0,), (1,))]
    assert findings(other) == []


def test_float_convolutions_are_a_finding_also_with_int8_weights() -> None:
    (finding,) = findings(convolutions(8, 16, kind="FLOAT32"))
    assert "2 of 2 convolutions compute in float" in finding
    half = convolutions(8, 16)
    half.tensors[2] = Tensor((1, 1, 1, 16), "FLOAT32")
    assert "1 of 2 convolutions" in findings(half)[0]
    onnx = Graph(graph.ONNX, [Operator("Conv", channels=8), Operator("Relu")])
    assert "all 1 convolutions" in findings(onnx)[0]
    onnx.operators.append(Operator("QuantizeLinear"))
    assert findings(onnx) == []


def test_bilinear_resizes_of_an_onnx_run_on_the_cpu() -> None:
    resizes = [Operator("Resize", mode=mode) for mode in ("linear", "nearest", "linear")]
    known = n6_estimate.estimate(Graph(graph.ONNX, resizes))
    assert known is not None and known.on_cpu == [("Resize", 2, "bilinear")]


def test_operators_that_run_on_the_cpu_are_listed_with_a_source() -> None:
    network = convolutions(8, 8)
    network.operators[1] = Operator("SOFTMAX", (1,), (2,))
    network.tensors.append(Tensor((1, 1, 1, 8), "FLOAT32"))
    network.operators.append(Operator("DEQUANTIZE", (2,), (3,)))
    network.operators.append(Operator("SOFTMAX", (3,), (3,)))
    known = n6_estimate.estimate(network)
    assert known is not None
    assert known.on_cpu == [("SOFTMAX", 1, "float"), ("SOFTMAX", 1, "softmax"), ("DEQUANTIZE", 1, "float")]
    assert known.sources() == ["activations", "memory", "float", "softmax"] and all(
        key in n6_estimate.SOURCES for key in known.sources()
    )
