"""Record outputs of YuNet and what OpenCV's FaceDetectorYN makes of them, for host_tests/families/anchors/test_yunet.py.

It needs an environment of its own: pip install opencv-python-headless==5.0.0.93 onnxruntime onnx scikit-image pillow.
MODEL is OpenCV's face_detection_yunet (yunet_n_320_320.onnx):

    B/bin/python scripts/dev/recording/record_yunet.py MODEL [OTHER]

The network runs on a collage of scikit-image's astronaut. Its outputs, as they are stored here, go through OpenCV: an .onnx
that puts out constants stands for the network. Boxes and keypoints of cells whose score is below .05 are stored as zeros.
OTHER is a .npz with what other software made of the same numbers, an array CASE/NAME each; it is stored as it is. That of
ST was made by its C library (fd_pp_yunet.c of stm32-vision-models-postprocessing 0.14.2), which is not in this project.
Nothing of the model is stored.
"""

import tempfile
from pathlib import Path

import cv2
import numpy as np
import onnx
import onnxruntime
import recorder
from PIL import Image
from recorder import Array, Tensor

SETTINGS = [(0.7, 0.3), (0.9, 0.3), (0.3, 0.6)]  # threshold, iou_threshold
CASES = {"float": (320, 320), "int8": (320, 320), "wide": (256, 160)}  # width, height
NAMES = [f"{kind}_{stride}" for kind in ("cls", "obj", "bbox", "kps") for stride in (8, 16, 32)]


def picture_of(case: str) -> Image.Image:
    """Six faces of different sizes, some of them turned. In the case "int8" one of them fills most of the picture."""
    places = [(200, 0, 5, 0, False), (110, 205, 8, 0, True), (90, 215, 130, 10, False), (60, 10, 215, 0, True)]
    places += [(130, 90, 205, -15, False), (100, 250, 230, 0, False)]
    if case == "int8":
        places = [(520, -130, -60, 0, False), *places[1:4], places[5]]
    face = recorder.photograph("astronaut").crop((120, 20, 340, 240))
    return recorder.collage(face, places, 320, (90, 110, 100)).resize(CASES[case], Image.Resampling.LANCZOS)


def outputs_of(file: Path, picture: Image.Image) -> list[Array]:
    """The outputs of the network, [cells, channels] each, in the order of NAMES."""
    model = onnx.load(file)
    for side, name in ((2, "height"), (3, "width")):
        model.graph.input[0].type.tensor_type.shape.dim[side].dim_param = name
    for output in model.graph.output:
        output.type.tensor_type.shape.dim[1].dim_param = "cells_" + output.name
    session = onnxruntime.InferenceSession(model.SerializeToString())
    pixels = np.asarray(picture)[:, :, ::-1].astype(np.float32).transpose(2, 0, 1)[None]  # BGR, 0..255
    return [found[0] for found in session.run(NAMES, {"input": np.ascontiguousarray(pixels)})]


def stored(values: list[Array], dtype: str) -> list[Tensor]:
    """The outputs as they are stored, with the boxes and keypoints of likely cells only."""
    outputs = []
    for at, one in enumerate(values):
        likely = values[at % 3][:, 0] * values[3 + at % 3][:, 0] >= 0.05**2
        kept = np.where(likely[:, None], one, 0) if at >= 6 else np.where(one < 0.01, 0, one)
        outputs += recorder.quantized([kept], dtype, high=1e-3)
    return outputs


def constants(outputs: list[Tensor], size: tuple[int, int]) -> bytes:
    """An .onnx with an input for this size that puts out these numbers under the names that OpenCV asks for."""
    nodes, values, infos = [], [], []
    zero = onnx.helper.make_node("ReduceMin", ["input"], ["least"], keepdims=0)
    nodes += [zero, onnx.helper.make_node("Mul", ["least", "nothing"], ["zero"])]
    values.append(onnx.numpy_helper.from_array(np.float32(0), "nothing"))
    for name, output in zip(NAMES, outputs, strict=True):
        values.append(onnx.numpy_helper.from_array(recorder.real(output)[None], "numbers_" + name))
        nodes.append(onnx.helper.make_node("Add", ["numbers_" + name, "zero"], [name]))
        infos.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, *output.values.shape]))
    given = onnx.helper.make_tensor_value_info("input", onnx.TensorProto.FLOAT, [1, 3, size[1], size[0]])
    graph = onnx.helper.make_graph(nodes, "constants", [given], infos, values)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 11)], ir_version=6)
    return bytes(model.SerializeToString())


def record(model: Path, other: Path | None = None) -> None:
    data: dict[str, Array] = {}
    for case, size in CASES.items():
        outputs = stored(outputs_of(model, picture_of(case)), "float16" if case == "float" else "int8")
        data |= {f"{case}/{name}": output.values for name, output in zip(NAMES, outputs, strict=True)}
        about = {"size": size, "quantization": [one[1:] for one in outputs]}
        data[f"{case}/about"] = recorder.as_json(about)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "constants.onnx"
            file.write_bytes(constants(outputs, size))
            for threshold, iou_threshold in SETTINGS:
                detector = cv2.FaceDetectorYN.create(str(file), "", size, threshold, iou_threshold)
                _, faces = detector.detect(np.zeros((size[1], size[0], 3), np.uint8))
                # (n, 15): x, y, w, h, five keypoints x and y, score, best first.
                found = np.zeros((0, 15), np.float32) if faces is None else faces
                data[f"{case}/opencv {threshold:g} {iou_threshold:g}"] = found
                print(case, threshold, iou_threshold, np.round(found[:, [0, 1, 2, 3, 14]], 2).tolist())
    recorder.write(recorder.DATA / "yunet.npz.xz", {**data, **(np.load(other) if other else {})})


if __name__ == "__main__":
    recorder.main(record)
