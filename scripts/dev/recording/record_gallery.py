"""Record outputs of networks for the pictures of docs/examples.md, for which data/recorded has none.

    .venv/bin/python scripts/dev/recording/record_gallery.py MODELS OBB

MODELS  a folder with blazeface_front_128, face_landmarks_192, yolo_lc_192 and fomo_face_detection (.tflite; OpenMV's ROM,
        openmv/openmv, lib/models), fast_depth_224.tflite (commit 49a017eaf of the same folder, which is ST's
        fastdepth_224_int8) and yunet_n_320_320.onnx (OpenCV's face_detection_yunet)
OBB     the folder of record_obb.py, with its drawn pictures and its trained networks

It needs ai-edge-litert, onnxruntime and scikit-image, and writes scripts/n6post_pc/data/gallery.npz.xz, which
n6post_pc/demo/gallery.py reads. The networks run on the PC through n6post.load, on photographs of scikit-image and on two
drawn pictures, which are stored. Of YuNet, floats are rounded to 11 significant bits, and boxes and keypoints of cells
with a score below .05 are stored as zeros. Neither models nor photographs are copied.
"""

import argparse
import io
import json
import lzma
import sys
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "stubs"), str(ROOT / "lib"), str(ROOT / "scripts")]

import n6post  # noqa: E402
from n6post_pc.demo import gallery  # noqa: E402

SCENES = ("025", "030")  # drawn pictures of record_obb.py
CODES = {"b": np.int8, "B": np.uint8, "h": np.int16, "f": np.float32}


class Recorder:
    """A model that remembers the outputs of its last frame."""

    def __init__(self, path, **options):
        self._model = n6post.load(str(path), **options)
        self.input_shape = self._model.input_shape
        self.outputs = []

    def predict(self, inputs):
        def keep(model, given, outputs):
            self.outputs = [
                np.frombuffer(bytes(o.tobytes()), CODES[code]).reshape(shape)
                for o, code, shape in zip(outputs, model.output_dtype, model.output_shape)
            ]
            return self._model.postprocess(model, given, outputs)

        return self._model.predict(inputs, callback=keep)

    def about(self):
        model = self._model
        _, height, width, _ = model.input_shape[0]
        quantization = [[float(np.float32(s)), int(z)] for s, z in zip(model.output_scale, model.output_zero_point)]
        return {"input_size": [width, height], "quantization": quantization}


def thinned(outputs):
    """YuNet's outputs, smaller: its boxes and keypoints are read for faces only."""
    widths = [o.shape[-1] for o in outputs]
    scores = [o for o, width in zip(outputs, widths) if width == 1]
    best = {}
    for score in scores:  # cls and obj of a stride have the same number of cells
        best[score.shape[1]] = best.get(score.shape[1], 1.0) * score[0, :, 0]
    made = []
    for values in outputs:
        values = values.copy()
        if values.shape[-1] > 1:
            values[0, best[values.shape[1]] < 0.05**2] = 0
        made.append(values.astype(np.float16))
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path)
    parser.add_argument("obb", type=Path)
    arguments = parser.parse_args()
    arrays, index = {}, {}

    for scene in SCENES:
        file = io.BytesIO()
        drawn = arguments.obb / "rectangles" / "images" / "val" / f"{scene}.png"
        Image.open(drawn).convert("RGB").save(file, "JPEG", quality=90)
        arrays[f"scene_{scene}"] = np.frombuffer(file.getvalue(), np.uint8)
    obb = arguments.obb / "8.4.82 raw" / "yolo11_saved_model" / "yolo11_full_integer_quant.tflite"
    for name, (file, picture) in gallery.NETWORKS.items():
        model = Recorder(obb if name.startswith("yolo11_obb") else arguments.models / file, **gallery.options(name))
        stored = dict(arrays)
        img = gallery.picture(picture, stored)
        if name == "face_landmarks_192":
            detector = Recorder(arguments.models / gallery.NETWORKS["blazeface_front_128"][0], threshold=0.4)
            result = n6post.Pipeline(detector, model, max_detections=1).predict(img)
        else:
            result = model.predict([gallery.fitted(name, img)])
        print(name, result, flush=True)
        outputs = thinned(model.outputs) if name.startswith("yunet") else model.outputs
        for number, values in enumerate(outputs):
            arrays[f"{name}/{number}"] = values
        index[name] = model.about()
    arrays["index"] = np.frombuffer(json.dumps(index).encode(), np.uint8)
    file = io.BytesIO()
    np.savez(file, **arrays)
    gallery.STORED.write_bytes(lzma.compress(file.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{gallery.STORED.relative_to(ROOT)}: {gallery.STORED.stat().st_size} bytes")


if __name__ == "__main__":
    main()
