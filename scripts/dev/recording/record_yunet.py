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

import io
import json
import lzma
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
import onnx
import onnxruntime
import skimage
from PIL import Image, ImageOps

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "host_tests" / "data" / "yunet.npz.xz"
SETTINGS = [(0.7, 0.3), (0.9, 0.3), (0.3, 0.6)]  # threshold, iou_threshold
CASES = {"float": (320, 320), "int8": (320, 320), "wide": (256, 160)}  # width, height
NAMES = [f"{kind}_{stride}" for kind in ("cls", "obj", "bbox", "kps") for stride in (8, 16, 32)]

Array = np.ndarray[Any, Any]


class Output(NamedTuple):
    """One output, [cells, channels]; scale 0: floats, rounded to 11 significant bits."""

    values: Array
    scale: float = 0.0
    zero_point: int = 0

    def real(self) -> Array:
        if not self.scale:
            return self.values.astype(np.float32)
        return ((self.values.astype(np.int64) - self.zero_point) * np.float32(self.scale)).astype(np.float32)


def collage(case: str) -> Image.Image:
    """Six faces of different sizes, some of them turned. In the case "int8" one of them fills most of the picture."""
    with Image.open(Path(skimage.__file__).parent / "data" / "astronaut.png") as opened:
        face = opened.convert("RGB").crop((120, 20, 340, 240))
    canvas = Image.new("RGB", (320, 320), (90, 110, 100))
    places = [(200, 0, 5, 0, False), (110, 205, 8, 0, True), (90, 215, 130, 10, False), (60, 10, 215, 0, True)]
    places += [(130, 90, 205, -15, False), (100, 250, 230, 0, False)]
    if case == "int8":
        places = [(520, -130, -60, 0, False), *places[1:4], places[5]]
    for side, x, y, degrees, mirrored in places:
        one = face.resize((side, side), Image.Resampling.LANCZOS)
        one = one.rotate(degrees, Image.Resampling.BICUBIC, fillcolor=face.getpixel((2, 2)))
        canvas.paste(ImageOps.mirror(one) if mirrored else one, (x, y))
    return canvas.resize(CASES[case], Image.Resampling.LANCZOS)


def outputs_of(file: str, picture: Image.Image) -> list[Array]:
    """The outputs of the network, [cells, channels] each, in the order of NAMES."""
    model = onnx.load(file)
    for side, name in ((2, "height"), (3, "width")):
        model.graph.input[0].type.tensor_type.shape.dim[side].dim_param = name
    for output in model.graph.output:
        output.type.tensor_type.shape.dim[1].dim_param = "cells_" + output.name
    session = onnxruntime.InferenceSession(model.SerializeToString())
    pixels = np.asarray(picture)[:, :, ::-1].astype(np.float32).transpose(2, 0, 1)[None]  # BGR, 0..255
    return [found[0] for found in session.run(NAMES, {"input": np.ascontiguousarray(pixels)})]


def stored(values: list[Array], integers: bool) -> list[Output]:
    """The outputs as they are stored, with the boxes and keypoints of likely cells only."""
    outputs = []
    for at, one in enumerate(values):
        likely = values[at % 3][:, 0] * values[3 + at % 3][:, 0] >= 0.05**2
        kept = np.where(likely[:, None], one, 0) if at >= 6 else np.where(one < 0.01, 0, one)
        if not integers:
            outputs.append(Output(kept.astype(np.float16)))
            continue
        low, high = min(0.0, float(kept.min())), max(1e-3, float(kept.max()))
        scale = float(np.float32((high - low) / 255))
        zero_point = round(-128 - low / scale)
        outputs.append(Output(np.clip(np.round(kept / scale) + zero_point, -128, 127).astype(np.int8), scale, zero_point))
    return outputs


def constants(outputs: list[Output], size: tuple[int, int]) -> bytes:
    """An .onnx with an input for this size that puts out these numbers under the names that OpenCV asks for."""
    nodes, values, infos = [], [], []
    zero = onnx.helper.make_node("ReduceMin", ["input"], ["least"], keepdims=0)
    nodes += [zero, onnx.helper.make_node("Mul", ["least", "nothing"], ["zero"])]
    values.append(onnx.numpy_helper.from_array(np.float32(0), "nothing"))
    for name, output in zip(NAMES, outputs, strict=True):
        values.append(onnx.numpy_helper.from_array(output.real()[None], "numbers_" + name))
        nodes.append(onnx.helper.make_node("Add", ["numbers_" + name, "zero"], [name]))
        infos.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, *output.values.shape]))
    given = onnx.helper.make_tensor_value_info("input", onnx.TensorProto.FLOAT, [1, 3, size[1], size[0]])
    graph = onnx.helper.make_graph(nodes, "constants", [given], infos, values)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 11)], ir_version=6)
    return bytes(model.SerializeToString())


def found_by_opencv(file: str, size: tuple[int, int], setting: tuple[float, float]) -> Array:
    """(n, 15): x, y, w, h, five keypoints x and y, score, best first."""
    detector = cv2.FaceDetectorYN.create(file, "", size, setting[0], setting[1])
    _, faces = detector.detect(np.zeros((size[1], size[0], 3), np.uint8))
    return np.zeros((0, 15), np.float32) if faces is None else faces


def main() -> None:
    data: dict[str, Array] = {}
    for case, size in CASES.items():
        outputs = stored(outputs_of(sys.argv[1], collage(case)), case != "float")
        for name, output in zip(NAMES, outputs, strict=True):
            data[f"{case}/{name}"] = output.values
        about = {"size": size, "quantization": [(one.scale, one.zero_point) for one in outputs]}
        data[f"{case}/about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "constants.onnx"
            file.write_bytes(constants(outputs, size))
            for setting in SETTINGS:
                found = found_by_opencv(str(file), size, setting)
                data[f"{case}/opencv {setting[0]:g} {setting[1]:g}"] = found
                print(case, setting, found.shape, np.round(found[:, [0, 1, 2, 3, 14]], 2).tolist())
    if len(sys.argv) > 2:
        data.update(np.load(sys.argv[2]))
    buffer = io.BytesIO()
    np.savez(buffer, **data)
    DATA.write_bytes(lzma.compress(buffer.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(DATA.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
