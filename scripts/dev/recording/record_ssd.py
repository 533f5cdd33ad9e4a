"""Record outputs of real SSD networks and what other software makes of them, for host_tests/families/anchors/test_ssd.py.

    python scripts/dev/recording/record_ssd.py FOLDER [OTHER]

It needs numpy, pillow and ai-edge-litert. FOLDER has the networks and pictures, none of which are in this project:

    tf_ssd_v1.tflite          TensorFlow's ssd_mobilenet_v1_1_metadata_1 (COCO, uint8)
    rfb_320.tflite            version-RFB-320_without_postprocessing of Ultra-Light-Fast-Generic-Face-Detector-1MB
    ssd_192.tflite            ssd_mobilenet_v1_025_192_int8 of ST's model zoo 1.0 (object_detection/models/ssd_mobilenetv1)
    TFLiteFaceDetector.py     of Ultra-Light-Fast-Generic-Face-Detector-1MB (tflite), which decodes rfb_320's outputs here
    box_utils_numpy.py        of the same project (vision/utils), which suppresses them
    faces.png, street.jpg     a picture of faces, and one of persons and vehicles

TensorFlow's network is recorded before its TFLite_Detection_PostProcess, and what that makes of these numbers. Box offsets
of priors whose best score is below .05 are stored as zeros, and so are the scores of these priors of TensorFlow's and of the
Ultra-Light network: no result depends on them.

OTHER is a .npz with what other software made of the same numbers, an array CASE/NAME each; it is stored as it is. That of ST
was made by its C libraries (od_pp_ssd.c of stm32-vision-models-postprocessing 0.14.2, od_pp_ssd_st.c of the
lib_vision_models_pp before it), which are not in this project. od_pp_ssd_st.c got scores that fall by 1e-7 from row to row,
because its quicksort puts equal ones in any order. Nothing of the models and pictures is stored.
"""

import importlib.util
import io
import json
import lzma
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from PIL import Image

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "host_tests" / "data" / "ssd.npz.xz"

Array = np.ndarray[Any, Any]


def run(file: Path, picture: Path, low: float = 0.0) -> Interpreter:
    """The interpreter after a frame; a float input has numbers from `low` to 1."""
    interpreter = Interpreter(
        str(file),
        experimental_preserve_all_tensors=True,
        experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    )
    interpreter.allocate_tensors()
    (given,) = interpreter.get_input_details()
    _, height, width, _ = given["shape"]
    with Image.open(picture) as opened:
        pixels = np.asarray(opened.convert("RGB").resize((width, height), Image.Resampling.BILINEAR))[None]
    if given["dtype"] == np.float32:
        pixels = (pixels / np.float32(255) * np.float32(1 - low) + np.float32(low)).astype(np.float32)
    interpreter.set_tensor(given["index"], pixels)
    interpreter.invoke()
    return interpreter


def tensor(interpreter: Interpreter, index: int) -> tuple[Array, float, int]:
    """(values, scale, zero point) of a tensor, as integers where only a DEQUANTIZE stands between."""
    for operator in interpreter._get_ops_details():
        if operator["op_name"] == "DEQUANTIZE" and index in operator["outputs"]:
            index = int(operator["inputs"][0])
    about = next(one for one in interpreter.get_tensor_details() if one["index"] == index)
    scale, zero_point = about["quantization"]
    return interpreter.get_tensor(index), float(scale), int(zero_point)


def thinned(boxes: tuple[Array, float, int], likely: Array) -> tuple[Array, float, int]:
    values, scale, zero_point = boxes
    values = values.copy()
    values[0, ~likely] = zero_point
    return values, scale, zero_point


def tensorflow(folder: Path, data: dict[str, Array]) -> dict[str, Any]:
    interpreter = run(folder / "tf_ssd_v1.tflite", folder / "street.jpg")
    (operator,) = [one for one in interpreter._get_ops_details() if one["op_name"].startswith("TFLite_Detection")]
    boxes, scores, _ = [tensor(interpreter, int(index)) for index in operator["inputs"]]
    values = np.where(scores[0] * scores[1] < 0.05, 0, scores[0]).astype(np.uint8)
    scores = values, *scores[1:]
    boxes = thinned(boxes, values[0].max(axis=1) > 0)
    found = [interpreter.get_tensor(int(index)) for index in operator["outputs"]]
    rows = np.concatenate([found[0][0], found[2][0][:, None], found[1][0][:, None]], axis=1)
    data["tensorflow/operator"] = rows[rows[:, 4] >= 0.3]
    print(rows)
    for i, output in enumerate(found):
        data[f"finished/{i}"] = output
    return {"tensorflow": ((300, 300), [boxes, scores]), "finished": ((300, 300), [(one, 0.0, 0) for one in found])}


def ultra_light(folder: Path, data: dict[str, Array]) -> dict[str, Any]:
    interpreter = run(folder / "rfb_320.tflite", folder / "faces.png", -1.0)
    boxes, scores = sorted([interpreter.get_tensor(out["index"]) for out in interpreter.get_output_details()], key=np.size)[
        ::-1
    ]
    likely = scores[0, :, 1] >= 0.05
    scores = np.where(likely[:, None], scores, np.float32([1, 0]))
    boxes = thinned((boxes.astype(np.float16).astype(np.float32), 0.0, 0), likely)[0]  # 11 significant bits
    stand_in: Any = types.ModuleType("tensorflow")
    stand_in.image = types.SimpleNamespace(non_max_suppression=None)
    stand_in.lite = None
    sys.modules["tensorflow"] = stand_in
    sys.modules.setdefault("cv2", types.ModuleType("cv2"))
    utils, code = [_imported(folder / name) for name in ("box_utils_numpy.py", "TFLiteFaceDetector.py")]
    judge = code.UltraLightFaceDetecion.__new__(code.UltraLightFaceDetecion)
    judge._feature_maps = np.array([[40, 30], [20, 15], [10, 8], [5, 4]])
    judge._min_boxes = [np.array(one) for one in ([10, 16, 24], [32, 48], [64, 96], [128, 192, 256])]
    judge._input_size = np.array((320, 240))[:, None]
    judge._center_variance, judge._size_variance = 0.1, 0.2
    judge._anchors_xy, judge._anchors_wh = judge._generate_anchors()
    corners = judge._decode_regression(boxes[0])
    likely = scores[0, :, 1] > 0.6
    found = utils.hard_nms(np.concatenate([corners, scores[0, :, 1:]], axis=1)[likely], 0.3)
    print(found * [320, 240, 320, 240, 1])
    data["ultra_light/hard_nms"] = found
    # As a network without the softmax puts them out, in int8: the logarithms have the same softmax.
    logits = np.maximum(np.log(np.maximum(scores, 1e-9)), -12) + 3
    scale, offsets = float(np.float32(15 / 255)), float(np.float32(np.abs(boxes).max() / 127))
    quantized = np.clip(np.round(logits / scale) + 25, -128, 127).astype(np.int8)
    about = [(np.round(boxes / offsets).astype(np.int8), offsets, 0), (quantized, scale, 25)]
    return {"ultra_light": ((320, 240), [(scores, 0.0, 0), (boxes, 0.0, 0)]), "logits": ((320, 240), about)}


def _imported(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def st(folder: Path) -> dict[str, Any]:
    interpreter = run(folder / "ssd_192.tflite", folder / "street.jpg")
    outputs = [tensor(interpreter, out["index"]) for out in interpreter.get_output_details()]
    (scores,) = [one for one in outputs if one[0].shape[2] == 2]
    likely = (scores[0][0, :, 1] - float(scores[2])) * scores[1] >= 0.05
    kept = []
    for one in outputs:
        corners = one[0][0].astype(int)
        is_priors = one[0].shape[2] == 4 and (corners[:, 2:] > corners[:, :2]).all()
        kept.append(one if is_priors or one is scores else thinned(one, likely))
    return {"st": ((192, 192), kept)}


def main() -> None:
    folder = Path(sys.argv[1])
    data: dict[str, Array] = {}
    for case, (size, outputs) in {**tensorflow(folder, data), **ultra_light(folder, data), **st(folder)}.items():
        about = {"size": size, "quantization": [(scale, zero_point) for _, scale, zero_point in outputs]}
        data[f"{case}/about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
        for i, (values, _, _) in enumerate(outputs):
            # Channels one after the other, which packs better.
            data[f"{case}/{i}"] = np.moveaxis(values, -1, 0) if values.ndim == 3 and case != "finished" else values
    if len(sys.argv) > 2:
        data.update(np.load(sys.argv[2]))
    buffer = io.BytesIO()
    np.savez(buffer, **data)
    DATA.write_bytes(lzma.compress(buffer.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(DATA.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
