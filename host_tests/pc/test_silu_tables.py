"""scripts/n6post_pc/build/silu_tables.py: what Vela compiles, as the NPU would compute it, beside LiteRT's kernels.

data/vela_silu.npz.xz has what three versions of Vela make of silu_network.py. Its operations run in the file's order, which
tells what each must look up. int8_network.py computes with the tables that lie in the compiled file.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import silu_network
from fakes import Array
from int8_network import Network, looked_up
from n6post_pc.build import silu_tables
from n6post_pc.build.silu_tables import LookUp, Silu
from n6post_pc.models import vela
from n6post_pc.optimize import optimizer
from n6post_pc.optimize.tflite_file import TfliteFile
from recorded_data import stored
from tiny_yolo import Builder

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")
schema = pytest.importorskip("ai_edge_litert.schema_py_generated")

VERSIONS = sorted(stored("vela_silu"))
LAYERS = "first", "deep", "second", "again", "hard", "added"  # with a table, in the order in which they run
CHANGES = {"scale": 0.06, "zero_point": 9, "scale_after": 0.05, "zero_point_after": -90, "biases": (1, 2, 3)}


@cache
def network() -> tuple[bytes, list[Silu]]:
    return silu_tables.replaced(silu_network.network())


def compiled(version: str) -> bytes:
    return bytes(stored("vela_silu")[version])


def parts(file: bytes) -> tuple[bytes, bytes]:
    """The NPU's commands and constants in a compiled file."""
    model = schema.Model.GetRootAsModel(file, 0)
    operator, graph = model.Subgraphs(0).Operators(0), model.Subgraphs(0)
    commands, constants = (model.Buffers(graph.Tensors(operator.Inputs(at)).Buffer()).DataAsNumpy() for at in range(2))
    return commands.tobytes(), constants.tobytes()


def tables_of(file: bytes) -> tuple[list[LookUp], list[Array]]:
    commands, constants = parts(file)
    found = list(silu_tables.look_ups(commands, constants))
    return found, [np.frombuffer(constants, np.int8, silu_tables.SIZE, one.table) for one in found]


def silu(before: tuple[float, int], after: tuple[float, int]) -> list[int]:
    """Its table in plain Python."""
    values = [(step - before[1]) * before[0] for step in range(-128, 128)]
    return [min(127, max(-128, round(x / (1 + math.exp(-x)) / after[0]) + after[1])) for x in values]


def by_litert(data: bytes, values: Array) -> dict[str, Array]:
    interpreter = pytest.importorskip("ai_edge_litert.interpreter")
    one = interpreter.Interpreter(
        model_content=data, experimental_op_resolver_type=interpreter.OpResolverType.BUILTIN_REF
    )
    one.allocate_tensors()
    one.set_tensor(one.get_input_details()[0]["index"], values)
    one.invoke()
    file = TfliteFile(data)
    return {file.name(tensor): one.get_tensor(tensor) for tensor in file.output_tensors}


def swishes(data: bytes) -> list[int]:
    return [number for number, name in enumerate(TfliteFile(data).names) if name == "HARD_SWISH"]


def noise(data: bytes, seed: int = 0) -> Array:
    file = TfliteFile(data)
    (tensor,) = file.input_tensors
    lowest = 0 if file.kinds[tensor] == "UINT8" else -128
    values = np.random.default_rng(seed).integers(lowest, lowest + 256, file.shape(tensor))
    return values.astype(file.kinds[tensor].lower())


def test_each_silu_becomes_one_operator_and_a_hard_swish_stays() -> None:
    data, silus = network()
    assert len(silus) == 5 and len(swishes(data)) == 6
    assert not {"LOGISTIC", "MUL"} & set(TfliteFile(data).names)
    expected = silu_network.QUANTIZED
    for name, one in zip(("first", "deep", "second", "again", "added"), silus, strict=True):
        before, after = expected[name]
        assert (one.scale, one.zero_point) == pytest.approx(before) and one.zero_point_after == after[1]
        assert one.table().tolist() == silu((np.float32(before[0]), before[1]), (np.float32(after[0]), after[1]))
        assert bool(one.biases) == (name != "added")


@pytest.mark.parametrize("version", VERSIONS)
def test_each_operation_reads_its_own_table_and_the_file_changes_nowhere_else(version: str) -> None:
    _, silus = network()
    before, after = compiled(version), silu_tables.written(compiled(version), silus)
    old, tables = tables_of(before)[1], tables_of(after)[1]
    for name, was, table in zip(LAYERS, old, tables, strict=True):
        if name == "hard":
            assert table.tolist() == was.tolist()
        else:
            one, other = silu_network.QUANTIZED[name]
            assert table.tolist() == silu((np.float32(one[0]), one[1]), (np.float32(other[0]), other[1]))
    places = {one.table for one in tables_of(before)[0]}
    offset = before.index(parts(before)[1])
    changed = np.flatnonzero(np.frombuffer(before, np.uint8) != np.frombuffer(after, np.uint8))
    assert len(changed) > 500 and all(any(0 <= at - offset - place < 256 for place in places) for at in changed.tolist())


@pytest.mark.parametrize("version", VERSIONS)
def test_numpy_with_the_files_tables_has_the_bits_of_litert(version: str) -> None:
    data, silus = network()
    found = tables_of(silu_tables.written(compiled(version), silus))[1]
    tables = dict(zip(swishes(data), found, strict=True))
    values = noise(data)
    outputs, expected = Network(data, tables).run(values), by_litert(looked_up(data, tables), values)
    assert all(np.array_equal(outputs[name], expected[name]) for name in expected)
    assert np.ptp(outputs["end"].astype(int)) > 20


def test_one_table_rounds_less_than_two_operators() -> None:
    _, silus = network()
    for name, one in zip(("first", "deep", "second", "again", "added"), silus, strict=True):
        (scale, zero_point), (after, zero_after) = silu_network.QUANTIZED[name]
        x = (np.arange(-128, 128) - zero_point) * scale
        exact = np.clip(x / (1 + np.exp(-x)) / after + zero_after, -128, 127)
        sigmoid = np.clip(np.round(256 / (1 + np.exp(-x))), 0, 255) / 256
        two = np.clip(np.round(x * sigmoid / after) + zero_after, -128, 127)
        assert np.abs(one.table() - exact).mean() < np.abs(two - exact).mean()


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("change", CHANGES)
def test_nothing_is_written_if_a_silu_is_not_found(number: int, change: str) -> None:
    silus = list(network()[1])
    silus[number] = replace(silus[number], **{change: CHANGES[change]})
    with pytest.raises(ValueError, match="Vela made"):
        silu_tables.written(compiled(VERSIONS[-1]), silus)


def test_a_part_of_a_convolution_that_looks_up_nothing_is_noticed() -> None:
    silus = list(network()[1])
    silus[0] = replace(silus[0], biases=(*silus[0].biases, 1))  # a channel more than the compiled file has
    with pytest.raises(ValueError, match="does not look up"):
        silu_tables.written(compiled(VERSIONS[-1]), silus)


def test_a_shared_table_that_must_differ_is_refused() -> None:
    silus = list(network()[1])
    close = replace(silus[3], scale=silus[3].scale * 1.004)  # HARD_SWISH's is within its rounding, SiLU's is another one
    assert close.table().tolist() != silus[3].table().tolist()
    with pytest.raises(ValueError, match="share one"):
        silu_tables.written(compiled(VERSIONS[-1]), [*silus[:3], close, silus[4]])
    with pytest.raises(ValueError, match="cannot be told apart"):
        silu_tables.written(compiled(VERSIONS[-1]), [*silus, replace(close, biases=silus[0].biases)])
    with pytest.raises(ValueError, match="share one"):  # with a HARD_SWISH of the network
        silu_tables.written(compiled(VERSIONS[-1]), [silus[0], *silus[1:3], silus[4]])


@pytest.mark.parametrize("file, count", (("yolov8n_192", 57), ("fruit/fruit", 66)))
def test_real_networks_with_their_tables_have_the_bits_of_litert(
    file: str, count: int, shared: Path, tmp_path: Path
) -> None:
    if not vela.is_installed():
        pytest.skip("needs Vela: n6post inspect MODEL --npu u55 installs it")
    source = (shared / "models" / f"{file}.tflite").read_bytes()
    data, silus = silu_tables.replaced(optimizer(".tflite")(source).data)
    (tmp_path / "tables.tflite").write_bytes(data)
    vela.compile_model(vela.compiler(), tmp_path / "tables.tflite", tmp_path / "compiled.tflite")
    found = tables_of(silu_tables.written((tmp_path / "compiled.tflite").read_bytes(), silus))
    by_biases = {one.biases: table for one, table in zip(*found, strict=True)}
    tables = {}
    for number, one in zip(swishes(data), silus, strict=True):
        own = [table for biases, table in by_biases.items() if biases and set(biases) <= set(one.biases)]
        assert own and all(table.tolist() == one.table().tolist() for table in own)
        tables[number] = own[0]
    assert len(tables) == count
    values = noise(data)
    outputs, expected = Network(data, tables).run(values), by_litert(looked_up(data, tables), values)
    assert all(np.array_equal(outputs[name], expected[name]) for name in expected)


def changed(how: str) -> bytes:
    """The network with one MUL that is no SiLU."""
    file = TfliteFile(silu_network.network())
    product = file.graph.operators[file.names.index("MUL")]
    sigmoid = file.outputs(file.names.index("LOGISTIC"))[0]
    if how == "the sigmoid is an output":
        file.graph.outputs = [*file.output_tensors, sigmoid]
    elif how == "the sigmoid is read twice":
        added = file.graph.operators[file.names.index("ADD")]
        added.inputs = [int(added.inputs[0]), sigmoid]
    else:
        product.inputs = [sigmoid] * 2
    return file.data()


@pytest.mark.parametrize("how", ("the sigmoid is an output", "the sigmoid is read twice", "x is another tensor"))
def test_what_only_looks_like_a_silu_stays(how: str) -> None:
    data, silus = silu_tables.replaced(changed(how))
    assert len(silus) == 4 and TfliteFile(data).names.count("MUL") == 1


@pytest.mark.parametrize("kind", ("UINT8", "INT16", "FLOAT32"))
def test_only_int8_has_tables(kind: str) -> None:
    net = Builder(kind)
    x = net.tensor("image", (1, 4, 4, 8))
    end = net.run("MUL", (x, net.sigmoid(x, "sigmoid")), "end", (1, 4, 4, 8))
    assert silu_tables.replaced(net.data([x], [end]))[1] == []


@pytest.mark.parametrize("word", (0x4031, 0x4030, 0x131))
def test_commands_of_another_form_are_refused(word: int) -> None:
    """Of the commands that say which constants are copied where, one kind is missing."""
    file = compiled(VERSIONS[-1])
    commands, _ = parts(file)
    words = np.frombuffer(commands, "<u4").copy()
    words[(words & 0xFFFF) == word] ^= 0x8000  # a parameter that nothing reads
    with pytest.raises(ValueError, match="another form"):
        silu_tables.written(file.replace(commands, words.tobytes()), network()[1])


def test_a_long_stream_of_commands_is_read_to_its_end() -> None:
    commands, constants = parts(compiled(VERSIONS[-1]))
    words = np.frombuffer(commands, "<u4").tolist()
    start = next(at for at, word in enumerate(words) if word & 0xFF == 2)
    padding = [0x100] * 70_000  # sets a parameter, again and again
    length = (words[start] >> 16) + len(padding)
    longer = [*words[:start], 2 | (length >> 16) << 8 | (length & 0xFFFF) << 16, *padding, *words[start + 1 :]]
    again = silu_tables.look_ups(np.array(longer, "<u4").tobytes(), constants)
    assert list(again) == list(silu_tables.look_ups(commands, constants))
