"""Record what MediaPipe's networks of poses put out, and what MediaPipe itself makes of it, for BlazePose and PoseLandmarks.

    python3 scripts/dev/recording/record_pose.py STREET

STREET  bus.jpg of Ultralytics' assets; it is not stored

It needs mediapipe==0.10.14 (Python 3.11), ai-edge-litert, scikit-image and Pillow. It writes host_tests/data/pose.npz.xz,
which host_tests/recorded_pose.py reads.

MediaPipe's graph runs on each picture, twice. Recorded are its detection, its regions, and its keypoints. Then
n6post.Pipeline runs on it, twice. Recorded are its detection, its regions, and the outputs of the second network there,
quantized to int8, of the heat map the surroundings of the keypoints; and what MediaPipe's calculators decode from these
outputs, as in record_mediapipe.py, whose file has the detections.
"""

import tempfile
from pathlib import Path
from typing import Any

import mediapipe
import numpy as np
import record_mediapipe
import recorder
from google.protobuf import text_format
from mediapipe.calculators.tensor import tensors_to_landmarks_calculator_pb2  # noqa: F401
from mediapipe.calculators.util import refine_landmarks_from_heatmap_calculator_pb2  # noqa: F401
from mediapipe.framework import calculator_pb2
from mediapipe.python import packet_creator, packet_getter
from mediapipe.python._framework_bindings import calculator_graph
from mediapipe.python.solution_base import SolutionBase
from n6post_pc import paths
from PIL import Image
from record_landmarks import Noting
from recorder import Array

paths.use_stand_ins()

import n6post
from n6post_pc.demo import gallery

MODULES = Path(mediapipe.__file__).parent / "modules"
GRAPH = "mediapipe/modules/pose_landmark/pose_landmark_cpu.binarypb"
STREAMS = ["pose_landmarks", "pose_rect_from_detection", "pose_rect_from_landmarks", "pose_detection"]
OFF = ("smooth_landmarks", "enable_segmentation", "smooth_segmentation")
REACH = 5  # cells of the heat map that are stored on each side of a keypoint
DECODER = """
    input_stream: "image"  output_stream: "landmarks"
    node { calculator: "ImageToTensorCalculator" input_stream: "IMAGE:image" output_stream: "TENSORS:input"
        options { [mediapipe.ImageToTensorCalculatorOptions.ext] {
            output_tensor_width: 256 output_tensor_height: 256 output_tensor_float_range { min: 0 max: 1 } } } }
    node { calculator: "InferenceCalculator" input_stream: "TENSORS:input" output_stream: "TENSORS:outputs"
        options { [mediapipe.InferenceCalculatorOptions.ext] { model_path: "FILE" delegate { tflite {} } } } }
    node { calculator: "SplitTensorVectorCalculator" input_stream: "outputs" output_stream: "points" output_stream: "heat"
        options { [mediapipe.SplitVectorCalculatorOptions.ext] { ranges { begin: 0 end: 1 } ranges { begin: 1 end: 2 } } } }
    node { calculator: "TensorsToLandmarksCalculator" input_stream: "TENSORS:points" output_stream: "NORM_LANDMARKS:raw"
        options { [mediapipe.TensorsToLandmarksCalculatorOptions.ext] { num_landmarks: 39
            input_image_width: 256 input_image_height: 256 visibility_activation: SIGMOID presence_activation: SIGMOID } } }
    node { calculator: "RefineLandmarksFromHeatmapCalculator" input_stream: "NORM_LANDMARKS:raw" input_stream: "TENSORS:heat"
        output_stream: "NORM_LANDMARKS:landmarks"
        options { [mediapipe.RefineLandmarksFromHeatmapCalculatorOptions.ext] { kernel_size: 7 } } }
"""


class Poses(SolutionBase):
    """MediaPipe's graph, which follows a person."""

    def __init__(self) -> None:
        sides = {"model_complexity": 1, "use_prev_landmarks": True, **dict.fromkeys(OFF, False)}
        super().__init__(binary_graph_path=GRAPH, side_inputs=sides, outputs=STREAMS)


def decoded(points: Array, heat: Array) -> Array:
    """x and y in pixels of the input and visibility of the 39 landmarks, by MediaPipe's calculators."""
    found: list[Any] = []
    with tempfile.NamedTemporaryFile(suffix=".tflite") as file:
        file.write(record_mediapipe.constants((1, 256, 256, 3), [points, heat]))
        file.flush()
        config = text_format.Parse(DECODER.replace("FILE", file.name), calculator_pb2.CalculatorGraphConfig())
        graph = calculator_graph.CalculatorGraph(graph_config=config)
        graph.observe_output_stream("landmarks", lambda _, packet: found.append(packet_getter.get_proto(packet)))
        graph.start_run()
        picture = mediapipe.Image(image_format=mediapipe.ImageFormat.SRGB, data=np.zeros((256, 256, 3), np.uint8))
        graph.add_packet_to_input_stream("image", packet_creator.create_image(picture).at(0))
        graph.wait_until_idle()
        graph.close()
    return np.float32([[p.x * 256, p.y * 256, p.visibility] for p in found[0].landmark])


def near_keypoints(heat: Array, points: Array) -> Array:
    """The heat map with its lowest number in each cell that is far from the keypoint."""
    kept = np.full_like(heat, heat.min())
    for k, (x, y) in enumerate(points[:, :2] / 4):
        left, top = max(0, int(x) - REACH), max(0, int(y) - REACH)
        at = np.s_[top : max(top, int(y) + REACH + 1), left : max(left, int(x) + REACH + 1), k]
        kept[at] = heat[at]
    return kept


def described(rect: Any, size: tuple[int, int]) -> list[float]:
    """x, y, width and rotation of a NormalizedRect, in pixels and radians."""
    return [rect.x_center * size[0], rect.y_center * size[1], rect.width * size[0], rect.rotation]


def pictures(street: Image.Image) -> dict[str, Image.Image]:
    person = street.crop((0, 350, 320, 950))
    astronaut = recorder.photograph("astronaut")
    return {
        "standing": person,
        "upside down": person.rotate(180),
        "at the border": street.crop((150, 350, 400, 700)),
        "photographer": recorder.photograph("camera"),
        "astronaut": astronaut,
        "turned": astronaut.rotate(30, Image.Resampling.BICUBIC),
    }


def record(street: Path) -> None:
    entries, index = {}, {}
    with Image.open(street) as opened:
        cases = pictures(opened.convert("RGB"))
    for name, picture in cases.items():
        size = picture.size
        with Poses() as poses:
            judged = [poses.process({"image": np.asarray(picture)}) for _ in range(2)]
        regions = judged[0].pose_rect_from_detection, judged[0].pose_rect_from_landmarks
        detector = Noting(MODULES / "pose_detection" / "pose_detection.tflite", n6post.BlazePose())
        network = Noting(MODULES / "pose_landmark" / "pose_landmark_full.tflite", n6post.PoseLandmarks())
        pipeline = n6post.Pipeline(detector, network, max_detections=1)
        frames = []
        for i in range(2):
            (found,) = pipeline.predict(n6post.Letterbox(gallery.frame_of(picture), scale=(-1, 1)))
            points = [[p.x * size[0], p.y * size[1], p.visibility] for p in judged[i].pose_landmarks.landmark]
            entries[f"{name}/{i}/judged"] = np.float32(points)
            error = np.hypot(*(np.float32(found.keypoints.tolist())[:33, :2] - np.clip(points, 0, [*size, 1])[:, :2]).T)
            print(f"{name:14} {found.score:.3f} error {error.mean():.2f} {error.max():.2f} of {np.ptp(points, axis=0)[:2]}")
            source, arrays, _ = network.frames[i]
            landmarks, score, _, heat, _ = arrays
            heat = near_keypoints(heat[0], landmarks.reshape(39, 5))
            tensors = [recorder.quantized([one])[0] for one in (landmarks, heat)]
            real = [recorder.real(one) for one in tensors]
            entries[f"{name}/{i}/points"], entries[f"{name}/{i}/heat"] = tensors[0].values, tensors[1].values
            entries[f"{name}/{i}/decoded"] = decoded(real[0][0], real[1])
            region = [*source._corner, source._across, source._down, *source._axes]
            frames.append({
                "score": float(score.reshape(-1)[0]),
                "scales": [[float(one.scale), int(one.zero_point)] for one in tensors],
                "region": [round(float(number), 6) for number in region],
            })  # fmt: skip
        detection = detector.frames[0][2][0]
        entries[f"{name}/detection"] = np.float32(detection.keypoints.tolist())
        index[name] = {
            "size": size,
            "rect": detection.rect,
            "regions": [described(one, size) for one in regions],
            "detected": [[p.x * size[0], p.y * size[1]] for p in judged[0].pose_detection.location_data.relative_keypoints],
            "frames": frames,
        }
    recorder.write(recorder.DATA / "pose.npz.xz", {**entries, "index": recorder.as_json(index)})


if __name__ == "__main__":
    recorder.main(record)
