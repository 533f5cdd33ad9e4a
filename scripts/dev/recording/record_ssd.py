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

import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import recorder
from PIL import Image
from recorder import Array, Tensor

Recorded = dict[str, tuple[tuple[int, int], list[Tensor]]]  # case: size of the input, outputs


def run(file: Path, picture: Path, low: float = 0.0) -> recorder.Network:
    """The network after a frame; a float input has numbers from `low` to 1."""
    network = recorder.Network(file, plain=True)
    with Image.open(picture) as opened:
        network.run(recorder.stretched(opened.convert("RGB"), network.size), low)
    return network


def thinned(boxes: Tensor, likely: Array) -> Tensor:
    values = boxes.values.copy()
    values[0, ~likely] = boxes.zero_point
    return boxes._replace(values=values)


def tensorflow(folder: Path, data: dict[str, Array]) -> Recorded:
    network = run(folder / "tf_ssd_v1.tflite", folder / "street.jpg")
    (operator,) = [one for one in network.operators() if one["op_name"].startswith("TFLite_Detection")]
    boxes, scores, _ = [network.tensor(network.behind(int(index))) for index in operator["inputs"]]
    values = np.where(scores.values * scores.scale < 0.05, 0, scores.values).astype(np.uint8)
    boxes = thinned(boxes, values[0].max(axis=1) > 0)
    found = [network.interpreter.get_tensor(int(index)) for index in operator["outputs"]]
    rows = np.concatenate([found[0][0], found[2][0][:, None], found[1][0][:, None]], axis=1)
    data["tensorflow/operator"] = rows[rows[:, 4] >= 0.3]
    print(rows)
    data |= {f"finished/{i}": output for i, output in enumerate(found)}
    finished = [Tensor(one) for one in found]
    return {"tensorflow": ((300, 300), [boxes, scores._replace(values=values)]), "finished": ((300, 300), finished)}


def ultra_light(folder: Path, data: dict[str, Array]) -> Recorded:
    network = run(folder / "rfb_320.tflite", folder / "faces.png", -1.0)
    scores, boxes = sorted((network.tensor(out).values for out in network.outputs), key=np.size)
    likely = scores[0, :, 1] >= 0.05
    scores = np.where(likely[:, None], scores, np.float32([1, 0]))
    boxes = thinned(Tensor(boxes.astype(np.float16).astype(np.float32)), likely).values  # 11 significant bits
    stand_in: Any = types.ModuleType("tensorflow")
    stand_in.image = types.SimpleNamespace(non_max_suppression=None)
    stand_in.lite = None
    sys.modules["tensorflow"] = stand_in
    sys.modules.setdefault("cv2", types.ModuleType("cv2"))
    sys.path.insert(0, str(folder))
    from box_utils_numpy import hard_nms
    from TFLiteFaceDetector import UltraLightFaceDetecion

    judge = UltraLightFaceDetecion.__new__(UltraLightFaceDetecion)
    judge._feature_maps = np.array([[40, 30], [20, 15], [10, 8], [5, 4]])
    judge._min_boxes = [np.array(one) for one in ([10, 16, 24], [32, 48], [64, 96], [128, 192, 256])]
    judge._input_size = np.array((320, 240))[:, None]
    judge._center_variance, judge._size_variance = 0.1, 0.2
    judge._anchors_xy, judge._anchors_wh = judge._generate_anchors()
    corners = judge._decode_regression(boxes[0])
    likely = scores[0, :, 1] > 0.6
    found = hard_nms(np.concatenate([corners, scores[0, :, 1:]], axis=1)[likely], 0.3)
    print(found * [320, 240, 320, 240, 1])
    data["ultra_light/hard_nms"] = found
    # As a network without the softmax puts them out, in int8: the logarithms have the same softmax.
    logits = np.maximum(np.log(np.maximum(scores, 1e-9)), -12) + 3
    scale, offsets = float(np.float32(15 / 255)), float(np.float32(np.abs(boxes).max() / 127))
    quantized = np.clip(np.round(logits / scale) + 25, -128, 127).astype(np.int8)
    about = [Tensor(np.round(boxes / offsets).astype(np.int8), offsets), Tensor(quantized, scale, 25)]
    return {"ultra_light": ((320, 240), [Tensor(scores), Tensor(boxes)]), "logits": ((320, 240), about)}


def st(folder: Path) -> Recorded:
    network = run(folder / "ssd_192.tflite", folder / "street.jpg")
    outputs = [network.tensor(network.behind(out["index"])) for out in network.outputs]
    (scores,) = [one for one in outputs if one.values.shape[2] == 2]
    likely = (scores.values[0, :, 1] - float(scores.zero_point)) * scores.scale >= 0.05
    kept = []
    for one in outputs:
        corners = one.values[0].astype(int)
        is_priors = one.values.shape[2] == 4 and (corners[:, 2:] > corners[:, :2]).all()
        kept.append(one if is_priors or one is scores else thinned(one, likely))
    return {"st": ((192, 192), kept)}


def record(folder: Path, other: Path | None = None) -> None:
    data: dict[str, Array] = {}
    for case, (size, outputs) in {**tensorflow(folder, data), **ultra_light(folder, data), **st(folder)}.items():
        data[f"{case}/about"] = recorder.as_json({"size": size, "quantization": [one[1:] for one in outputs]})
        for i, (values, _, _) in enumerate(outputs):
            # Channels one after the other, which packs better.
            data[f"{case}/{i}"] = np.moveaxis(values, -1, 0) if values.ndim == 3 and case != "finished" else values
    recorder.write(recorder.DATA / "ssd.npz.xz", {**data, **(np.load(other) if other else {})})


if __name__ == "__main__":
    recorder.main(record)
