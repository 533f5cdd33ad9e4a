"""stubs/ml: the contract between a network, its inputs and its post-processor."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import _host
import csi
import image
import ml
import n6post
import numpy as np
import pytest
from ml import _backends
from ml import model as ml_model
from ml import utils as ml_utils
from ml.preprocessing import Normalization
from n6post_pc import paths
from recorded_data import stored
from ulab import _host as ulab_host
from ulab import numpy as ulab_numpy

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
SEGMENTATION = "yolov8n_320_quant_pc_ii_seg_coco-st"


class PlusOne:
    """A network that adds 1 to its input, used in place of a model file."""

    ram = 12

    def __init__(self, dtype: str = "b", scale: float = 0.5, zero_point: int = 3) -> None:
        self.inputs = [_backends.Tensor((1, 2, 3, 1), dtype, scale, zero_point)]
        self.outputs = [_backends.Tensor((1, 6), dtype, scale, zero_point)]
        self.seen: list[Any] = []

    def run(self, inputs: list[Any]) -> list[Any]:
        self.seen.append(inputs[0].copy())
        return [(inputs[0] + 1).reshape(1, 6)]


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> PlusOne:
    backend = PlusOne()
    monkeypatch.setattr(ml_model, "open_backend", lambda path: (backend, 99))
    return backend


def _ramp(*_: Any) -> Any:
    return ulab_numpy.array([[[[0.0], [1.0], [2.0]], [[3.0], [4.0], [5.0]]]])


def _shared_model(shared: Path, name: str) -> str:
    path = shared / "models" / name
    pytest.importorskip("ai_edge_litert" if path.suffix == ".tflite" else "onnxruntime")
    return str(path)


# ---- predict ----


def test_a_post_processor_gets_raw_views_that_predict_overwrites(network: PlusOne) -> None:
    kept: list[Any] = []

    def keep(model: ml.Model, inputs: list[Any], outputs: list[Any]) -> str:
        # The native object, as in the firmware: the same model, without the labels that the Python class adds.
        assert model.output_scale is the_model.output_scale
        assert not hasattr(model, "labels")
        kept.append(outputs[0])
        return "result"

    the_model = ml.Model("network.tflite", postprocess=keep)
    assert the_model.predict([lambda buffer, shape, dtype: buffer.__setitem__(0, 10)]) == "result"
    assert kept[0].dtype == ulab_numpy.int8
    assert kept[0][0, 0] == 11
    the_model.predict([lambda buffer, shape, dtype: buffer.__setitem__(0, 20)])
    assert kept[0][0, 0] == 21  # the first frame's view now shows the second frame


def test_without_a_post_processor_outputs_are_dequantized_copies(network: PlusOne) -> None:
    model = ml.Model("network.tflite")
    first = model.predict([lambda buffer, shape, dtype: buffer.__setitem__(0, 10)])
    assert isinstance(first, list)
    assert first[0].dtype == ulab_numpy.float
    assert first[0][0, 0] == (11 - 3) * 0.5
    model.predict([lambda buffer, shape, dtype: buffer.__setitem__(0, 20)])
    assert first[0][0, 0] == 4.0
    assert model.output_dtype == ("b",)
    assert model.output_scale == (0.5,)
    assert model.output_zero_point == (3,)


def test_a_callback_replaces_the_post_processor(network: PlusOne) -> None:
    model = ml.Model("network.tflite", postprocess=lambda *_: "own")
    assert model.predict([_ramp()], callback=lambda *_: "callback") == "callback"
    assert model.predict([_ramp()]) == "own"
    model.postprocess = None
    assert model.predict([_ramp()]) == "own"  # the firmware keeps the post-processor of the constructor


@pytest.mark.parametrize("path", [None, 5, True, 1.5, []])
def test_a_path_is_text_or_bytes(path: Any) -> None:
    """CPython's open() would treat a number as an open file."""
    with pytest.raises(TypeError, match=f"^can't convert '{type(path).__name__}' object to str implicitly$"):
        ml.Model(path)


def test_the_post_processor_must_be_named(network: PlusOne) -> None:
    with pytest.raises(TypeError):
        ml.Model("network.tflite", _ramp)  # type: ignore[call-arg]


def test_images_are_wrapped_and_other_inputs_passed_unchanged(network: PlusOne) -> None:
    def inputs_of(model: ml.Model, inputs: list[Any], outputs: list[Any]) -> Any:
        return inputs[0]

    model = ml.Model("network.tflite", postprocess=inputs_of)
    wrapped = model.predict([image.Image(30, 20, image.GRAYSCALE)])
    assert isinstance(wrapped, Normalization)
    assert wrapped.roi == (0, 0, 30, 20)
    array = _ramp()
    assert model.predict([array]) is array
    assert model.predict([_fill]) is _fill


def _fill(buffer: bytearray, shape: tuple[int, ...], dtype: int) -> None:
    assert isinstance(buffer, bytearray)
    assert (len(buffer), shape, dtype) == (6, (1, 2, 3, 1), ord("b"))


def test_an_array_is_quantized_by_rounding_toward_zero(network: PlusOne) -> None:
    values = ulab_numpy.array([[[[0.0], [0.7], [0.9]], [[-2.4], [-2.6], [300.0]]]])
    ml.Model("network.tflite").predict([values])
    # value / 0.5 + 3, rounded toward zero; 603 wraps around in a byte
    assert network.seen[-1].ravel().tolist() == [3, 4, 4, -1, -2, 91]


@pytest.mark.parametrize(
    "bad",
    [ulab_numpy.zeros((2, 3, 1)), ulab_numpy.zeros((1, 3, 2, 1)), "text", 3, None],
    ids=["three dimensions", "other shape", "a string", "a number", "None"],
)
def test_other_inputs_are_refused(network: PlusOne, bad: Any) -> None:
    with pytest.raises(ValueError):
        ml.Model("network.tflite").predict([bad])


def test_missing_inputs_and_strided_arrays_raise(network: PlusOne) -> None:
    model = ml.Model("network.tflite")
    with pytest.raises(ValueError, match="1 inputs"):
        model.predict([])
    with pytest.raises(ulab_host.UlabTrap):
        model.predict([ulab_numpy.zeros((1, 2, 6, 1))[:, :, ::2]])


def test_an_output_of_five_dimensions_is_refused(network: PlusOne) -> None:
    network.outputs = [_backends.Tensor((1, 1, 1, 1, 6), "b")]
    with pytest.raises(ValueError, match="dimensions"):
        ml.Model("network.tflite").predict([_ramp()])


# ---- the attributes ----


def test_labels_are_the_lines_of_the_text_file_beside_the_model(network: PlusOne, tmp_path: Path) -> None:
    assert ml.Model(str(tmp_path / "net.tflite")).labels is None
    (tmp_path / "net.txt").write_text("cat\ndog \n", encoding="utf-8")
    assert ml.Model(str(tmp_path / "net.tflite")).labels == ["cat", "dog "]


def test_labels_are_split_only_at_line_feeds_as_on_the_camera(network: PlusOne, tmp_path: Path) -> None:
    """The label files that come with an N6 have lines that end with a carriage return."""
    (tmp_path / "net.txt").write_bytes("person\r\nold\rmac\n\nKatze ä\r\n\r\n".encode())
    assert ml.Model(str(tmp_path / "net.tflite")).labels == ["person\r", "old\rmac", "", "Katze ä\r", "\r"]


def test_labels_in_another_encoding_are_ignored(network: PlusOne, tmp_path: Path) -> None:
    (tmp_path / "net.txt").write_bytes("Bär\n".encode("latin-1"))
    assert ml.Model(str(tmp_path / "net.tflite")).labels is None


def test_a_path_of_the_camera_is_looked_up_on_the_pc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = []

    def open_backend(path: str) -> tuple[PlusOne, int]:
        asked.append(path)
        return PlusOne(), 5

    monkeypatch.setattr(ml_model, "open_backend", open_backend)
    _host.set_resolver(lambda path: str(tmp_path / "here.tflite") if path == "/rom/net.tflite" else path)
    try:
        assert ml.Model("/rom/net.tflite").len == 5
    finally:
        _host.set_resolver(None)
    assert asked == [str(tmp_path / "here.tflite")]


def test_files_that_are_not_models_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        ml.Model(str(tmp_path / "absent.tflite"))
    (tmp_path / "npu.tflite").write_bytes(b"compiled for the NPU")
    with pytest.raises(ValueError, match="only on the camera"):
        ml.Model(str(tmp_path / "npu.tflite"))


@pytest.mark.parametrize("ending, package", [("tflite", "ai_edge_litert"), ("onnx", "onnxruntime")])
def test_a_truncated_model_file_is_refused_by_name(tmp_path: Path, ending: str, package: str) -> None:
    pytest.importorskip(package)
    broken = tmp_path / f"broken.{ending}"
    # The beginning of a flatbuffer, or of an ONNX file whose graph is longer than the file.
    broken.write_bytes(b"\x20\0\0\0TFL3" + bytes(30) if ending == "tflite" else b"\x08\x07\x3a\xff\xff\x03abc")
    with pytest.raises(ValueError, match=rf"broken\.{ending}: \w+ cannot run it"):
        ml.Model(str(broken))


def test_a_sentence_that_litert_repeats_is_shown_once() -> None:
    said = "quantized_dimension must be in range [0, 1). Was 3.Tensor 33 has invalid parameters."
    assert _backends._one_line(RuntimeError(said * 9)) == "quantized_dimension must be in range [0, 1)"
    assert _backends._one_line(RuntimeError("Op 1.5 of\na.tflite failed.\n")) == "Op 1.5 of a.tflite failed"


def test_only_litert_log_lines_are_suppressed_while_it_loads(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyError), _backends.without_chatter():
        os.write(2, b"before\n" + _backends._CHATTER + b"ERROR: Regular TensorFlow ops are not supported\n")
        raise KeyError
    os.write(2, b"behind\n")
    assert capfd.readouterr().err == "before\nERROR: Regular TensorFlow ops are not supported\nbehind\n"


def test_a_real_model_loads_without_output_even_without_stderr(shared: Path) -> None:
    # In a separate process, because LiteRT prints it once per process.
    code = "import sys, os; sys.path[:0] = sys.argv[3:]; exec(sys.argv[2]); import ml; print(ml.Model(sys.argv[1]).len)"
    path = _shared_model(shared, "yolov8n_192.tflite")
    for before in ("", "os.close(2)"):
        command = [sys.executable, "-c", code, path, before, *sys.path]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.stdout.splitlines()[-1:] == [str(os.path.getsize(path))] and not done.stderr


def _field(number: int, value: int | bytes | str) -> bytes:
    """A field of a protobuf message, shorter than 128 bytes."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    data = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2, len(data)]) + data


def _identity(path: Path, *dimensions: bytes, names: str | None = None) -> ml.Model:
    """An ONNX file (onnx.proto3) with one Identity of floats [1, ...], and an initializer that no layer uses.

    names   what it has under this name in its metadata
    """
    shape = _field(2, b"".join(_field(1, dimension) for dimension in (_field(1, 1), *dimensions)))
    kind = _field(2, _field(1, _field(1, 1) + shape))
    ends = [_field(number, _field(1, name) + kind) for number, name in ((11, "x"), (12, "y"))]
    node = _field(1, "x") + _field(2, "y") + _field(4, "Identity")
    unused = _field(1, 1) + _field(2, 1) + _field(8, "unused") + _field(9, bytes(4))
    graph = _field(1, node) + _field(2, "graph") + _field(5, unused) + b"".join(ends)
    # The graph's length takes two bytes.
    graph = bytes([0x3A, len(graph) & 127 | 128, len(graph) >> 7]) + graph
    metadata = b"" if names is None else _long_field(14, _field(1, "names") + _long_field(2, names.encode()))
    path.write_bytes(_field(1, 8) + graph + _field(8, _field(2, 13)) + metadata)
    return ml.Model(str(path))


def _long_field(number: int, data: bytes) -> bytes:
    """The same field with a length of four bytes."""
    length = bytes(len(data) >> shift & 127 | 128 for shift in (0, 7, 14)) + bytes([len(data) >> 21])
    return bytes([number << 3 | 2]) + length + data


def test_onnxruntime_silently_loads_a_file_with_unused_tensors(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("onnxruntime")
    (output,) = _identity(tmp_path / "one.onnx", _field(1, 2)).predict([ulab_numpy.array([[3.0, 4.0]])])
    assert output.tolist() == [[3.0, 4.0]] and capfd.readouterr() == ("", "")


def test_a_network_without_exact_sums_runs_in_float_and_other_errors_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = pytest.importorskip("onnxruntime").capi.onnxruntime_pybind11_state
    real, asked, error = _backends._onnx_session, [], state.Fail

    def session(data: bytes, kernels: str | None, entry: str, severity: int) -> Any:
        asked.append(entry)
        if entry == "session.x64quantprecision":
            raise error("Attempt to replace the existing tensor")
        return real(data, kernels, entry, severity)

    monkeypatch.setattr(_backends, "_onnx_session", session)
    (output,) = _identity(tmp_path / "one.onnx", _field(1, 2)).predict([ulab_numpy.array([[3.0, 4.0]])])
    assert output.tolist() == [[3.0, 4.0]]
    assert asked == ["session.x64quantprecision", "session.disable_quant_qdq"]
    error = state.InvalidGraph
    with pytest.raises(ValueError, match="onnxruntime cannot run it: Attempt"):
        _identity(tmp_path / "two.onnx", _field(1, 2))
    assert len(asked) == 3


def test_a_failed_run_of_onnxruntime_raises_value_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    model = _identity(tmp_path / "one.onnx", _field(1, 2))
    wrong = model._backend.inputs[0].__class__((1, 3), "f")
    monkeypatch.setattr(model._backend, "inputs", [wrong])
    model._inputs = [bytearray(12)]
    with pytest.raises(ValueError, match="onnxruntime cannot run it: .*Expected: 2 Please"):
        model.predict([lambda buffer, shape, dtype: None])


def test_without_a_runtime_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "net.tflite").write_bytes(b"\0\0\0\0TFL3")
    monkeypatch.setitem(__import__("sys").modules, "ai_edge_litert.interpreter", None)
    with pytest.raises(ImportError, match="pip install ai-edge-litert"):
        ml.Model(str(tmp_path / "net.tflite"))


# ---- Normalization ----


def _gradient(width: int, height: int) -> image.Image:
    picture = image.Image(width, height, image.GRAYSCALE)
    for x in range(width):
        picture.draw_rectangle((x, 0, 1, height), color=255 * x // (width - 1), fill=True)
    return picture


def _filled(source: Normalization, shape: tuple[int, ...], dtype: str) -> Any:
    buffer = bytearray(int(np.prod(shape)) * np.dtype(dtype).itemsize)
    source(buffer, shape, ord(dtype))
    return np.frombuffer(buffer, dtype=dtype).reshape(shape)


def test_firmware_5_stretches_the_frame_into_the_input() -> None:
    values = _filled(Normalization()(_gradient(64, 16)), (1, 16, 16, 1), "B")[0, :, :, 0]
    assert values[0, 0] < 10
    assert values[0, 15] > 230


def test_firmware_4_8_1_crops_the_middle_of_the_frame(older_firmware: None) -> None:
    values = _filled(Normalization()(_gradient(64, 16)), (1, 16, 16, 1), "B")[0, :, :, 0]
    # columns 24..39 of 64
    assert values[0].tolist() == [255 * x // 63 for x in range(24, 40)]


def test_colors_are_converted_through_rgb565() -> None:
    picture = image.Image(4, 4, image.RGB565).draw_rectangle((0, 0, 4, 4), color=(255, 130, 7), fill=True)
    values = _filled(Normalization()(picture), (1, 4, 4, 3), "B")
    assert values[0, 0, 0].tolist() == [255, 130, 0]
    assert (_filled(Normalization()(picture), (1, 4, 4, 3), "b") == values.astype(np.int16) - 128).all()


def test_floats_are_scaled_shifted_and_divided() -> None:
    picture = image.Image(4, 4, image.RGB565).draw_rectangle((0, 0, 4, 4), color=(255, 0, 255), fill=True)
    source = Normalization(scale=(-1.0, 1.0), mean=(0.5, 0.5, 0.0), stdev=(0.5, 0.25, 2.0))(picture)
    values = _filled(source, (1, 4, 4, 3), "f")
    np.testing.assert_allclose(values[0, 1, 1], [(1 - 0.5) / 0.5, (-1 - 0.5) / 0.25, 0.5], rtol=1e-6)


def test_a_reused_normalization_keeps_its_first_roi() -> None:
    shared = Normalization()
    assert shared(image.Image(64, 48, image.GRAYSCALE)).roi == (0, 0, 64, 48)
    assert shared(image.Image(320, 240, image.GRAYSCALE)).roi == (0, 0, 64, 48)
    assert Normalization(roi=(1, 2, 3, 4))(image.Image(9, 9, image.GRAYSCALE)).roi == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("shape", "dtype"), [((4, 4, 3), "B"), ((2, 4, 4, 3), "B"), ((1, 3, 4, 4), "B"), ((1, 4, 4, 3), "h")]
)
def test_tensors_that_cannot_hold_a_picture_are_refused(shape: tuple[int, ...], dtype: str) -> None:
    with pytest.raises(ValueError):
        _filled(Normalization()(image.Image(8, 8, image.RGB565)), shape, dtype)


def test_only_images_are_normalized() -> None:
    with pytest.raises(ValueError, match="image"):
        Normalization()(ulab_numpy.zeros((4, 4)))


# ---- ml.utils ----


def test_predictions_are_drawn_as_a_box_with_its_label_above() -> None:
    picture = image.Image(100, 60, image.RGB565)
    ml_utils.draw_predictions(picture, [[20, 30, 40, 20]], ["cat"], [(255, 0, 0)], format=None)
    assert picture.get_pixel((20, 30)) == picture.get_pixel((59, 49)) == (255, 0, 0)
    assert picture.get_pixel((21, 31)) == (0, 0, 0)
    label = [picture.get_pixel((x, y)) for y in range(20, 30) for x in range(20, 44)]
    assert set(label) == {(255, 0, 0), (255, 255, 255)}
    assert picture.get_pixel((44, 22)) == (0, 0, 0)
    ml_utils.draw_skeleton(picture, [(5.5, 5.5, 0.9), (15.2, 5.9, 0.9)], [(0, 1)], kp_radius=0)
    assert picture.get_pixel((10, 5)) == (0, 255, 0)


def test_4_8_1_draws_predictions_unscaled_and_takes_no_scores(older_firmware: None) -> None:
    """ml/utils.py of OpenMV 4.8.1 draws at a fixed size; 5.0 scales lines and text with the picture."""
    picture = image.Image(960, 720, image.RGB565)
    ml_utils.draw_predictions(picture, [[20, 30, 40, 20]], ["cat"], [(255, 0, 0)], None)  # the fifth argument is the format
    assert picture.get_pixel((20, 30)) == picture.get_pixel((59, 49)) == (255, 0, 0)
    assert picture.get_pixel((21, 31)) == (0, 0, 0)
    label = [picture.get_pixel((x, y)) for y in range(20, 30) for x in range(20, 44)]
    assert set(label) == {(255, 0, 0), (255, 255, 255)}
    assert picture.get_pixel((44, 22)) == picture.get_pixel((22, 19)) == (0, 0, 0)
    ml_utils.draw_predictions(picture, [[0.5, 0.5, 0.75, 0.75]], ["cat"], [(255, 0, 0)])
    assert picture.get_pixel((480, 360)) == picture.get_pixel((719, 539)) == (255, 0, 0)
    with pytest.raises(TypeError, match="scores"):
        ml_utils.draw_predictions(picture, [[20, 30, 40, 20]], ["cat"], [(255, 0, 0)], scores=[0.9], format=None)
    ml_utils.draw_skeleton(picture, [(5.5, 5.5, 0.9), (15.2, 5.9, 0.9)], [(0, 1)], kp_radius=0)
    assert picture.get_pixel((10, 5)) == (0, 255, 0)


# ---- labels ----


@pytest.mark.parametrize("names, labels", [
    ("{0: 'apple', 1: \"pear's\", 2: 'Pflaume ä'}", ["apple", "pear's", "Pflaume ä"]),  # Ultralytics writes repr()
    ("['apple', 'pear']", ["apple", "pear"]),
    ("{1: 'pear', 0: 'apple'}", ["apple", "pear"]),
    (None, None), ("", None), ("{}", None), ("apple", None), ("'apple'", None), ("3", None), ("{0: 1}", None),
    ("{1: 'pear'}", None), ("{'0': 'apple'}", None), ("{0: 'a', 1: b}", None), ("{0: '\\ud800'}", None),
    ("__import__('os').abort()", None), ("[" * 100_000, None), ("-" * 100_000 + "1", None), ("{0: 'a'" + ", 1: " * 9, None),
])  # fmt: skip
def test_the_names_in_an_onnx_file_are_its_labels(names: str | None, labels: Any, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    assert _identity(tmp_path / "one.onnx", _field(1, 2), names=names).labels == labels


def test_a_txt_beside_an_onnx_file_overrides_its_own_names(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    (tmp_path / "one.txt").write_text("cat\ndog\n", encoding="utf-8")
    assert _identity(tmp_path / "one.onnx", _field(1, 2), names="{0: 'apple'}").labels == ["cat", "dog"]


# ---- real models ----


CAPTURES = [
    pytest.param(path, id=path.stem)
    for path in sorted((SHARED / "captures").glob("*.npz"))
    if not path.stem.endswith("__oracle")
] or [pytest.param(SHARED, id="none")]


@pytest.mark.parametrize("capture", CAPTURES)
def test_a_real_model_returns_the_recorded_outputs(capture: Path, shared: Path) -> None:
    with np.load(capture) as recorded:
        name = capture.name.split("__")[0]
        path = shared / "models" / f"{name}.tflite"
        file = path.name if path.is_file() else f"{name}.onnx"
        model = ml.Model(_shared_model(shared, file), postprocess=lambda m, i, o: o)
        tensor = recorded["input"]
        if model.input_shape[0] != tensor.shape:
            tensor = tensor.transpose(0, 2, 3, 1)  # recorded with the shape in the .onnx file

        def fill(buffer: bytearray, shape: tuple[int, ...], dtype: int) -> None:
            assert shape == tensor.shape
            buffer[:] = tensor.tobytes()

        outputs = model.predict([fill])
        for i, output in enumerate(outputs):
            expected = recorded[f"out{i}"]
            assert model.output_dtype[i] == expected.dtype.char
            assert model.output_shape[i] == output.shape == expected.shape
            if path.is_file():
                np.testing.assert_array_equal(output._np, expected)
            else:
                np.testing.assert_allclose(output._np, expected, atol=1e-3)
            if expected.dtype != np.float32:
                assert model.output_scale[i] == pytest.approx(float(recorded[f"out{i}_scale"][0]))
                assert model.output_zero_point[i] == int(recorded[f"out{i}_zp"][0])


def test_a_real_model_describes_itself_as_on_the_camera(shared: Path) -> None:
    path = _shared_model(shared, f"{SEGMENTATION}.tflite")
    model = ml.Model(path)
    assert model.input_shape == ((1, 320, 320, 3),)
    assert (model.input_dtype, model.input_zero_point) == (("b",), (-128,))
    assert model.output_shape == ((1, 116, 2100), (1, 80, 80, 32))
    assert model.output_dtype == ("b", "b")
    assert model.len == Path(path).stat().st_size
    assert 0 < model.ram < 8 << 20
    assert "output_shape" in repr(model)


@pytest.mark.parametrize("exact", [True, False])
def test_exact_outputs_are_those_of_the_firmware_in_every_bit(exact: bool) -> None:
    """And the others differ: LiteRT's default kernels round in another way."""
    pytest.importorskip("ai_edge_litert")
    recorded = stored("firmware_shapes")
    csi._host_pictures = [paths.SAMPLE_PICTURES / "shapes_06.jpg"]
    camera = csi.CSI()
    camera.pixformat(csi.RGB565)
    camera.framesize(csi.VGA)
    frame = camera.snapshot()
    csi._host_pictures, csi._host_last_frame = [], None
    ml._host_set_exact(exact)
    try:
        model = ml.Model(str(paths.SAMPLE_MODEL), postprocess=lambda model, inputs, outputs: outputs)
    finally:
        ml._host_set_exact()
    outputs = [output._np for output in model.predict([n6post.Letterbox(frame)])]
    assert [output.shape for output in outputs] == [recorded[name].shape for name in ("head", "prototypes")]
    same = [bool(np.array_equal(output, recorded[name])) for output, name in zip(outputs, ("head", "prototypes"))]
    assert same == [exact, exact]


def test_exact_leaves_float_networks_as_they_are() -> None:
    pytest.importorskip("ai_edge_litert")
    outputs = []
    for exact in (False, True):
        ml._host_set_exact(exact)
        try:
            path = str(paths.SAMPLE_MODEL.with_name("shapes_float.tflite"))
            model = ml.Model(path, postprocess=lambda model, inputs, outputs: [one._np.copy() for one in outputs])
        finally:
            ml._host_set_exact()
        outputs.append(model.predict([lambda buffer, shape, dtype: None]))
    assert all(np.array_equal(one, other) for one, other in zip(*outputs))
