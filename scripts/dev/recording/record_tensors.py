"""Record the raw outputs of real models: `python3 scripts/dev/recording/record_tensors.py FOLDER_WITH_THE_MODELS`.

Writes scripts/n6post_pc/data/recorded/: one .xz file per model and picture, and index.json with all other information.
n6post_pc/demo/recorded.py reads them. The models and photographs are not copied; README.md next to the data has their
sources and describes the files.

The input of a network is the photograph in RGB, resized with Pillow's BILINEAR ("stretch": to the whole input;
"letterbox": with its aspect ratio, and bars of gray 114), in the model's number format.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import _venv

if __name__ == "__main__":
    _venv.enter("test")

import argparse
import io
import itertools
import json
import lzma
import os
import re

import numpy as np
import skimage
from PIL import Image

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

PHOTOGRAPHS = Path(skimage.__file__).parent / "data"
TARGET = _venv.ROOT / "scripts" / "n6post_pc" / "data" / "recorded"

# name here -> file, processor, labels, conversion of the raw values before the first layer, pictures with their fit
MODELS = {
    "yolov8n_seg_320": {
        "file": "yolov8n_320_quant_pc_ii_seg_coco-st.tflite",
        "processor": "YoloV8Seg",
        "labels": None,
        "pictures": {
            "astronaut": "stretch",
            "chelsea": "letterbox",
            "coffee": "letterbox",
            "horse": "letterbox",
            "motorcycle_left": "stretch",
            "camera": "stretch",
            "rocket": "letterbox",
        },
    },
    "yolov8n_192": {
        "file": "yolov8n_192.tflite",
        "processor": "YoloV8",
        "labels": ["person"],
        "pictures": {"astronaut": "stretch", "camera": "stretch", "rocket": "letterbox"},
    },
    "yolov8n_pose_256": {
        "file": "yolov8n_256_quant_pc_uf_pose_coco-st.tflite",
        "processor": "YoloV8Pose",
        "labels": ["person"],
        "pictures": {"astronaut": "stretch", "camera": "stretch"},
    },
    "movenet_17_192": {
        "file": "movenet_singlepose_192.tflite",
        "processor": "MoveNet",
        "labels": ["person"],
        "pictures": {"astronaut": "stretch", "camera": "stretch"},
    },
    "movenet_13_192": {
        "file": "st_movenet_lightning_heatmaps_192_int8_pc.tflite",
        "processor": "MoveNet",
        "labels": ["person"],
        "pictures": {"astronaut": "stretch", "camera": "stretch", "rocket": "letterbox"},
    },
    "deeplab_320": {
        "file": "deeplab_v3_mobilenetv2_05_16_320_fft_qdq_int8.onnx",
        "processor": "DeepLab",
        "labels": ["background", "person"],
        "pictures": {"astronaut": "stretch", "camera": "stretch", "coffee": "letterbox"},
    },
}


def fitted(picture, fit, width, height):
    """The photograph as uint8 RGB of the model's input size."""
    if fit == "stretch":
        return np.asarray(picture.resize((width, height), Image.BILINEAR))
    w, h = picture.size
    scale = min(width / w, height / h)
    inner = round(w * scale), round(h * scale)
    canvas = Image.new("RGB", (width, height), (114, 114, 114))
    canvas.paste(picture.resize(inner, Image.BILINEAR), ((width - inner[0]) // 2, (height - inner[1]) // 2))
    return np.asarray(canvas)


class TfliteModel:
    """A .tflite file. If its last operation only dequantizes an int8 tensor, that tensor's scale is returned too."""

    def __init__(self, path):
        from ai_edge_litert.interpreter import Interpreter

        self._interpreter = Interpreter(str(path))
        self._interpreter.allocate_tensors()
        (self._input,) = self._interpreter.get_input_details()
        self._outputs = self._interpreter.get_output_details()
        self.size = self._input["shape"][2], self._input["shape"][1]

    def run(self, rgb):
        # One step of these inputs is one step of the byte, whether their range is 0..1 or -1..1: OpenMV's Normalization
        # copies the bytes unchanged, or minus 128 for int8.
        raw = rgb if self._input["dtype"] == np.uint8 else (rgb.astype(np.int16) - 128).astype(np.int8)
        self._interpreter.set_tensor(self._input["index"], raw[None])
        self._interpreter.invoke()
        return [(self._interpreter.get_tensor(o["index"]), *self._quantization(o)) for o in self._outputs]

    def _quantization(self, output):
        if output["quantization"][0]:
            return output["quantization"]
        for operation in self._interpreter._get_ops_details():
            if operation["op_name"] == "DEQUANTIZE" and output["index"] in operation["outputs"]:
                index = operation["inputs"][0]
                return next(t for t in self._interpreter.get_tensor_details() if t["index"] == index)["quantization"]
        raise ValueError(f"no quantization found for output {output['name']}")


class OnnxModel:
    """The DeepLab .onnx file: pixels in -1..1, NCHW. Its logits are integer multiples of one number; the zero point is 0."""

    # Every logit is an integer multiple of this float32 only; for the camera picture the integers cover -128..127.
    SCALE = 0.19202861189842224

    def __init__(self, path):
        import onnxruntime

        self._session = onnxruntime.InferenceSession(str(path))
        self._input = self._session.get_inputs()[0]
        self.size = tuple(self._input.shape[:1:-1])

    def run(self, rgb):
        pixels = (rgb.astype(np.float32) / 127.5 - 1).transpose(2, 0, 1)[None]
        return [(o, self.SCALE, 0) for o in self._session.run(None, {self._input.name: pixels})]


def integers(values, scale, zero_point):
    """The int8 tensor of a dequantized float tensor. ValueError unless it gives the same floats, bit for bit."""
    if values.dtype == np.int8:
        return values
    raw = np.round(values / np.float32(scale)) + zero_point
    if raw.min() < -128 or raw.max() > 127:
        raise ValueError("not a dequantized int8 tensor: out of range")
    again = (raw.astype(np.int32) - zero_point).astype(np.float32) * np.float32(scale)
    if not np.array_equal(again, values):
        raise ValueError(f"not a dequantized int8 tensor: off by up to {np.abs(again - values).max()}")
    return raw.astype(np.int8)


def storage_order(shape):
    """The order of axes with channels first, which compresses better than interleaved channels."""
    return [0, 3, 1, 2] if len(shape) == 4 and shape[3] < shape[1] else list(range(len(shape)))


def compressed(values):
    """An .npy file in the smallest of a few .xz streams. Each stream contains the filters that it uses."""
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(values))
    best = None
    for distance, literals in itertools.product((0, 1, values.shape[-1]), (0, 3, 4)):
        if distance > 256:
            continue
        filters = [{"id": lzma.FILTER_DELTA, "dist": distance}] if distance else []
        filters.append({"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": literals, "lp": 0, "pb": 0})
        stream = lzma.compress(file.getvalue(), lzma.FORMAT_XZ, filters=filters)
        if best is None or len(stream) < len(best):
            best = stream
    return best


def open_model(settings, folder):
    path = folder / settings["file"]
    return (OnnxModel if path.suffix == ".onnx" else TfliteModel)(path)


def photograph_of(picture):
    return next(PHOTOGRAPHS.glob(picture + ".*"))


def outputs_of(settings, model, picture):
    """(values, scale, zero point) of each output for a photograph."""
    with Image.open(photograph_of(picture)) as photograph:
        return model.run(fitted(photograph.convert("RGB"), settings["pictures"][picture], *model.size))


def record(name, settings, folder):
    """Write a model's recordings; returns its entry in the index."""
    model = open_model(settings, folder)
    entry = {key: settings[key] for key in ("file", "processor", "labels")}
    entry |= {"input_size": [int(n) for n in model.size], "outputs": [], "pictures": {}}
    for picture, fit in settings["pictures"].items():
        streams, entry["outputs"] = [], []
        for values, scale, zero_point in outputs_of(settings, model, picture):
            order = storage_order(values.shape)
            streams.append(compressed(integers(values, scale, zero_point).transpose(order)))
            entry["outputs"].append({
                "shape": list(values.shape), "scale": float(np.float32(scale)), "zero_point": int(zero_point),
                "float": values.dtype != np.int8, "stored_axes": order,
            })
        entry["pictures"][picture] = {"photograph": photograph_of(picture).name, "fit": fit}
        target = TARGET / f"{name}__{picture}.xz"
        target.write_bytes(b"".join(streams))
        print(f"{target.relative_to(_venv.ROOT)}  {target.stat().st_size} bytes", flush=True)
    return entry


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, help="the folder with the model files")
    folder = parser.parse_args().models
    TARGET.mkdir(parents=True, exist_ok=True)
    index = {name: record(name, settings, folder) for name, settings in MODELS.items()}
    text = json.dumps(index, indent=2)
    text = re.sub(r"\[([^][{}]*)\]", lambda inner: f"[{' '.join(inner[1].split())}]", text)  # short lists on one line
    (TARGET / "index.json").write_text(text + "\n", encoding="utf-8")
    print(f"{sum(f.stat().st_size for f in TARGET.iterdir())} bytes in all")


if __name__ == "__main__":
    main()
