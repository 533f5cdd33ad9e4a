"""Record what the demo shows, in scripts/n6post_pc/data. README.md there has the sources of networks, photographs and video.

    .venv/bin/python scripts/dev/recording/record_demo.py tensors MODELS        recorded/: networks on photographs
    .venv/bin/python scripts/dev/recording/record_demo.py street VIDEO MODEL    street.xz: a network on a video
    .venv/bin/python scripts/dev/recording/record_demo.py yard MODEL            yard.xz, yard.webp: a rendered yard
    .venv/bin/python scripts/dev/recording/record_demo.py gallery MODELS FOLDER gallery.npz.xz: further families

tensors     one .xz file per model and picture, and index.json with all other information. MODELS is a folder with the files
            of MODELS below
street      the detections of every frame with a score of at least .1, including duplicates of an object, and their masks. A
            frame is stretched to the input of MODEL as by firmware 5.0
yard        the pictures of yard_scene.py with the people of yard_people.py, which takes some minutes, and the people that
            MODEL finds in them, letterboxed, with their masks
gallery     the outputs of the networks of n6post_pc/demo/gallery.py. MODELS is a folder with blazeface_front_128,
            face_landmarks_192, yolo_lc_192 and fomo_face_detection (.tflite; OpenMV's ROM, openmv/openmv, lib/models),
            fast_depth_224.tflite (commit 49a017eaf of the same folder, which is ST's fastdepth_224_int8) and
            yunet_n_320_320.onnx (OpenCV's face_detection_yunet). FOLDER is that of train_ultralytics.py, for two drawn
            pictures and the YOLO11-obb. Of YuNet, floats are rounded to 11 significant bits, and boxes and keypoints of
            cells with a score below .05 are stored as zeros

It needs the sets "models" and "demo" of requirements. The input of a network is the picture in RGB, resized with Pillow's
BILINEAR ("stretch": to the whole input; "letterbox": with its aspect ratio, and bars of gray 114), in the model's number
format. Neither models nor photographs nor the video are copied.
"""

import io
import itertools
import json
import lzma
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import recorder
from n6post_pc import paths
from n6post_pc.demo.recorded import FakeModel
from PIL import Image, ImageSequence
from recorder import Array, Tensor

# name here -> file, processor, labels, pictures with their fit
MODELS: dict[str, tuple[str, str, list[str] | None, dict[str, str]]] = {
    "yolov8n_seg_320": (
        "yolov8n_320_quant_pc_ii_seg_coco-st.tflite", "YoloV8Seg", None,
        {"astronaut": "stretch", "chelsea": "letterbox", "coffee": "letterbox", "horse": "letterbox",
         "motorcycle_left": "stretch", "camera": "stretch", "rocket": "letterbox"},
    ),
    "yolov8n_192": (
        "yolov8n_192.tflite", "YoloV8", ["person"], {"astronaut": "stretch", "camera": "stretch", "rocket": "letterbox"}
    ),
    "yolov8n_pose_256": (
        "yolov8n_256_quant_pc_uf_pose_coco-st.tflite", "YoloV8Pose", ["person"],
        {"astronaut": "stretch", "camera": "stretch"},
    ),
    "movenet_17_192": (
        "movenet_singlepose_192.tflite", "MoveNet", ["person"], {"astronaut": "stretch", "camera": "stretch"}
    ),
    "movenet_13_192": (
        "st_movenet_lightning_heatmaps_192_int8_pc.tflite", "MoveNet", ["person"],
        {"astronaut": "stretch", "camera": "stretch", "rocket": "letterbox"},
    ),
    "deeplab_320": (
        "deeplab_v3_mobilenetv2_05_16_320_fft_qdq_int8.onnx", "DeepLab", ["background", "person"],
        {"astronaut": "stretch", "camera": "stretch", "coffee": "letterbox"},
    ),
}  # fmt: skip
SCENES = ("025", "030")  # drawn pictures of train_ultralytics.py
CODES = {"b": np.int8, "B": np.uint8, "h": np.int16, "f": np.float32}


# --- networks on photographs ---
class TfliteModel(recorder.Network):
    """A .tflite file. If its last operation only dequantizes an int8 tensor, that tensor's scale is returned too."""

    def outputs_of(self, rgb: Array) -> list[Tensor]:
        # One step of these inputs is one step of the byte, whether their range is 0..1 or -1..1: OpenMV's Normalization
        # copies the bytes unchanged, or minus 128 for int8.
        return [Tensor(out, *self.behind(about["index"])["quantization"]) for about, out in zip(self.outputs, self.run(rgb))]


class OnnxModel:
    """The DeepLab .onnx file: pixels in -1..1, NCHW. Its logits are integer multiples of one number; the zero point is 0."""

    # Every logit is an integer multiple of this float32 only; for the camera picture the integers cover -128..127.
    SCALE = 0.19202861189842224

    def __init__(self, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.add_session_config_entry("session.x64quantprecision", "1")  # see stubs/ml/_backends.py
        self._session = onnxruntime.InferenceSession(str(path), options)
        self._input = self._session.get_inputs()[0]
        self.size = tuple(self._input.shape[:1:-1])

    def outputs_of(self, rgb: Array) -> list[Tensor]:
        pixels = (rgb.astype(np.float32) / 127.5 - 1).transpose(2, 0, 1)[None]
        return [Tensor(out, self.SCALE, 0) for out in self._session.run(None, {self._input.name: pixels})]


def storage_order(shape: tuple[int, ...]) -> list[int]:
    """The order of axes with channels first, which compresses better than interleaved channels."""
    return [0, 3, 1, 2] if len(shape) == 4 and shape[3] < shape[1] else list(range(len(shape)))


def compressed(values: Array) -> bytes:
    """An .npy file in the smallest of a few .xz streams. Each stream contains the filters that it uses."""
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(values))
    streams = []
    for distance, literals in itertools.product((0, 1, values.shape[-1]), (0, 3, 4)):
        if distance <= 256:
            filters = [{"id": lzma.FILTER_DELTA, "dist": distance}] if distance else []
            filters.append({"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": literals, "lp": 0, "pb": 0})
            streams.append(lzma.compress(file.getvalue(), lzma.FORMAT_XZ, filters=filters))
    return min(streams, key=len)


def open_model(name: str, folder: Path) -> Any:
    path = folder / MODELS[name][0]
    return (OnnxModel if path.suffix == ".onnx" else TfliteModel)(path)


def outputs_of(name: str, model: Any, picture: str) -> list[Tensor]:
    """The outputs of a network for a photograph."""
    fit = recorder.stretched if MODELS[name][3][picture] == "stretch" else recorder.letterboxed
    outputs: list[Tensor] = model.outputs_of(fit(recorder.photograph(picture), model.size))
    return outputs


def tensors(models: Path) -> None:
    index: dict[str, Any] = {}
    for name, (file, processor, labels, pictures) in MODELS.items():
        model = open_model(name, models)
        entry: dict[str, Any] = {"file": file, "processor": processor, "labels": labels}
        entry |= {"input_size": [int(n) for n in model.size], "outputs": [], "pictures": {}}
        for picture, fit in pictures.items():
            streams, entry["outputs"] = [], []
            for out in outputs_of(name, model, picture):
                order = storage_order(out.values.shape)
                streams.append(compressed(recorder.integers(*out).values.transpose(order)))
                entry["outputs"].append({
                    "shape": list(out.values.shape), "scale": float(np.float32(out.scale)),
                    "zero_point": int(out.zero_point), "float": out.values.dtype != np.int8, "stored_axes": order,
                })  # fmt: skip
            entry["pictures"][picture] = {"photograph": recorder.photograph_file(picture).name, "fit": fit}
            target = paths.RECORDED / f"{name}__{picture}.xz"
            target.write_bytes(b"".join(streams))
            print(f"{target.name}: {target.stat().st_size} bytes", flush=True)
        index[name] = entry
    text = json.dumps(index, indent=2)
    text = re.sub(r"\[([^][{}]*)\]", lambda inner: f"[{' '.join(inner[1].split())}]", text)  # short lists on one line
    (paths.RECORDED / "index.json").write_text(text + "\n", encoding="utf-8")


# --- a network on a video ---
def street(video: Path, model: Path) -> None:
    paths.use_stand_ins()
    import av
    import n6post

    network = TfliteModel(model)
    process = n6post.YoloV8Seg(threshold=0.1, max_detections=100, mask_overlap=None)
    fake = None
    found = []
    with av.open(str(video)) as container:
        for frame in itertools.islice(container.decode(video=0), 300):
            picture = Image.fromarray(frame.to_ndarray(format="rgb24"))
            outputs = network.outputs_of(recorder.stretched(picture, network.size))
            fake = fake or FakeModel(outputs, network.size)
            for tensor, output in zip(fake.tensors, outputs):
                tensor.values[:] = output.values
            found.append(fake.run(process, SimpleNamespace(roi=(0, 0, *picture.size))))
    write_detections(paths.STREET, found)


def yard(model: Path) -> None:
    paths.use_stand_ins()
    import n6post
    import yard_people
    from n6post_pc.demo.gallery import frame_of

    first, *others = (Image.fromarray(picture) for picture in yard_people.pictures())
    pictures = paths.YARD.with_suffix(".webp")
    first.save(pictures, save_all=True, append_images=others, duration=1000 // yard_people.RATE, quality=60, method=6)
    network = n6post.load(str(model), threshold=0.1, classes=[0])
    with Image.open(pictures) as stored:  # the network sees the pictures as they are stored
        shown = [frame_of(picture) for picture in ImageSequence.Iterator(stored)]
    write_detections(paths.YARD, [network.predict([n6post.Letterbox(img)]) for img in shown])


def write_detections(target: Path, found: list[list[Any]]) -> None:
    """Write the detections of each frame, with masks."""
    columns: dict[str, list[Any]] = {name: [] for name in ("frame", "rect", "score", "class_id", "crop")}
    bits = []
    for number, detections in enumerate(found):
        for d in detections:
            data, (wx, wy, ww, wh), (x, y, w, h), _, grid = d.mask._parts()
            window = np.frombuffer(bytes(data), np.uint8).reshape(wh, ww)
            bits.append((window[y - wy : y - wy + h, x - wx : x - wx + w] >= 128).ravel())
            for name, value in zip(columns, (number, d.rect, d.score, d.class_id, (x, y, w, h))):
                columns[name].append(value)
    kinds = {"frame": np.uint16, "rect": np.uint16, "score": np.float32, "class_id": np.uint8, "crop": np.uint8}
    arrays: dict[str, Array] = {name: np.array(values, kinds[name]) for name, values in columns.items()}
    arrays["mask"] = np.packbits(np.concatenate(bits))
    arrays["grid"] = np.array([grid.sx, grid.ox, grid.sy, grid.oy])
    print(f"{len(bits)} detections of {len(found)} frames")
    recorder.write(target, arrays)


# --- further families ---
class Recorder:
    """A model that remembers the outputs of its last frame."""

    def __init__(self, path: Path, **options: Any) -> None:
        import n6post

        self._model = n6post.load(str(path), **options)
        self.input_shape = self._model.input_shape
        self.outputs: list[Array] = []

    def predict(self, inputs: Any) -> Any:
        def keep(model: Any, given: Any, outputs: Any) -> Any:
            self.outputs = [
                np.frombuffer(bytes(o.tobytes()), CODES[code]).reshape(shape)
                for o, code, shape in zip(outputs, model.output_dtype, model.output_shape)
            ]
            return self._model.postprocess(model, given, outputs)

        return self._model.predict(inputs, callback=keep)

    def about(self) -> dict[str, Any]:
        model = self._model
        _, height, width, _ = model.input_shape[0]
        quantization = [[float(np.float32(s)), int(z)] for s, z in zip(model.output_scale, model.output_zero_point)]
        return {"input_size": [width, height], "quantization": quantization}


def thinned(outputs: list[Array]) -> list[Array]:
    """YuNet's outputs, smaller: its boxes and keypoints are read for faces only."""
    best: dict[int, Any] = {}
    for score in outputs:
        if score.shape[-1] == 1:  # cls and obj of a stride have the same number of cells
            best[score.shape[1]] = best.get(score.shape[1], 1.0) * score[0, :, 0]
    made = []
    for values in outputs:
        values = values.copy()
        if values.shape[-1] > 1:
            values[0, best[values.shape[1]] < 0.05**2] = 0
        made.append(values.astype(np.float16))
    return made


def gallery(models: Path, folder: Path) -> None:
    paths.use_stand_ins()
    import n6post
    from n6post_pc.demo import gallery as shown

    arrays: dict[str, Array] = {}
    index = {}
    for scene in SCENES:
        file = io.BytesIO()
        Image.open(folder / f"rectangles/images/val/{scene}.png").convert("RGB").save(file, "JPEG", quality=90)
        arrays[f"scene_{scene}"] = np.frombuffer(file.getvalue(), np.uint8)
    obb = folder / "8.4.82 raw/yolo11_saved_model/yolo11_full_integer_quant.tflite"
    for name, (network, picture) in shown.NETWORKS.items():
        model = Recorder(obb if name.startswith("yolo11_obb") else models / network, **shown.options(name))
        img = shown.picture(picture, arrays)
        if name == "face_landmarks_192":
            detector = Recorder(models / shown.NETWORKS["blazeface_front_128"][0], threshold=0.4)
            result = n6post.Pipeline(detector, model, max_detections=1).predict(img)
        else:
            result = model.predict([shown.fitted(name, img)])
        print(name, result, flush=True)
        outputs = thinned(model.outputs) if name.startswith("yunet") else model.outputs
        arrays |= {f"{name}/{number}": values for number, values in enumerate(outputs)}
        index[name] = model.about()
    recorder.write(shown.STORED, {**arrays, "index": recorder.as_json(index)})


if __name__ == "__main__":
    recorder.main(tensors, street, yard, gallery)
