"""Record outputs of networks without anchors, for the tests of Fomo, Classifier, Depth, Embedding and Gallery.

    python3 scripts/dev/recording/record_maps_and_vectors.py MODELS VIDEO PICTURE OTHER

MODELS          a folder with fomo_face_detection.tflite, person_detect.tflite and fast_depth_224.tflite of OpenMV (the
                repository openmv/openmv, lib/models; fast_depth_224 in commit 49a017eaf, the same file as fastdepth_224_int8
                of ST's model zoo), fomo_three.tflite (blob f23524c5 of the same repository: a user's FOMO of two classes)
                and osnet_a025_256_128_tfs_int8.tflite of ST's model zoo
VIDEO           the video of record_street.py
PICTURE         bus.jpg of Ultralytics' documentation (810 x 1080): four persons
OTHER           a .npz with the boxes that Edge Impulse's inferencing-sdk-cpp (919819f5, ei_handle_cube and process_cubes),
                which is not in this project, makes of the same maps at a threshold of .5: an array (n, 6) for each map,
                MAP/edge_impulse, of x, y, w, h in input pixels, class and score

It needs ai-edge-litert, tflite-micro (LiteRT refuses person_detect.tflite), scikit-image, Pillow and av. It writes
host_tests/data/maps_and_vectors.npz.xz, which host_tests/recorded_maps_and_vectors.py reads. Models, pictures and video are
not copied. A picture is stretched to the network's input with Pillow's BILINEAR.
"""

import argparse
import io
import json
import lzma
import sys
from pathlib import Path

import numpy as np
import skimage
from PIL import Image, ImageEnhance, ImageFilter

ROOT = Path(__file__).resolve().parents[3]
TARGET = ROOT / "host_tests" / "data" / "maps_and_vectors.npz.xz"
PHOTOGRAPHS = Path(skimage.__file__).parent / "data"

PERSONS = (50, 398, 245, 903), (223, 405, 345, 862), (670, 380, 810, 878), (0, 550, 67, 873)  # in bus.jpg

# Maps of one class on which Edge Impulse's way of merging shows: objects as letters, the background as dots.
DRAWN = {
    "stairs": ("...a", "..a.", ".a..", "a..."),
    "ring": ("aaaaa", "a...a", "a.a.a", "a...a", "aaaaa"),
}

class Network:
    """A .tflite of one input and one output, by LiteRT."""

    def __init__(self, path):
        from ai_edge_litert.interpreter import Interpreter

        self.interpreter = Interpreter(str(path))
        self.interpreter.allocate_tensors()
        (self.input,) = self.interpreter.get_input_details()
        (self.output,) = self.interpreter.get_output_details()
        _, self.height, self.width, _ = (int(n) for n in self.input["shape"])
        self.quantization = float(self.output["quantization"][0]), int(self.output["quantization"][1])

    def run(self, picture):
        pixels = np.asarray(picture.convert("RGB").resize((self.width, self.height), Image.BILINEAR))
        # The firmware's way: a uint8 input gets the pixels, an int8 input the pixels minus 128.
        pixels = pixels if self.input["dtype"] == np.uint8 else (pixels.astype(np.int16) - 128).astype(np.int8)
        self.interpreter.set_tensor(self.input["index"], pixels[None])
        self.interpreter.invoke()
        return self.interpreter.get_tensor(self.output["index"])


def photographs():
    """Pictures of scikit-image, and one of nine parts of the astronaut's portrait."""
    found = {}
    for name in ("astronaut.png", "camera.png", "coffee.png", "chelsea.png", "rocket.jpg", "motorcycle_left.png"):
        found[name.partition(".")[0]] = Image.open(PHOTOGRAPHS / name).convert("RGB")
    astronaut = found["astronaut"]
    found["portrait"] = astronaut.crop((120, 0, 340, 220))
    faces = Image.new("RGB", (480, 480), (128, 128, 128))
    for i in range(9):
        side = 150 - 10 * (i % 4)
        faces.paste(found["portrait"].resize((side, side), Image.BILINEAR), (160 * (i % 3) + 3 * i, 160 * (i // 3)))
    found["portraits"] = faces
    return found


def walkers(video, network):
    """(vectors, about): OSNet's output for each walker of the street, about every second, and (track, frame) of each."""
    sys.path[:0] = [str(ROOT / part) for part in ("lib", "stubs", "host_tests", "scripts")]
    import av
    import n6post
    from n6post_pc.demo import recorded

    tracker = n6post.Tracker()
    vectors, about = [], []
    frames = recorded.street()
    last = {}
    with av.open(str(video)) as container:
        for number, (frame, detections) in enumerate(zip(container.decode(video=0), frames)):
            picture = Image.fromarray(frame.to_ndarray(format="rgb24"))
            for d in tracker.update([d for d in detections if d.label == "person"], elapsed_ms=100):
                x, y, w, h = d.rect
                if h < 50 or number - last.get(d.track_id, -99) < 10:
                    continue
                last[d.track_id] = number
                vectors.append(network.run(picture.crop((x, y, x + w, y + h)))[0])
                about.append((d.track_id, number))
    return np.array(vectors), np.array(about, np.int16)


def persons(picture, network):
    """(vectors, numbers): OSNet's output for ten pictures of each person: shifted, mirrored, darker, brighter, blurred."""
    random = np.random.default_rng(1)
    vectors, numbers = [], []
    for number, (x0, y0, x1, y1) in enumerate(PERSONS):
        for _ in range(10):
            w, h = x1 - x0, y1 - y0
            moved = random.uniform(-0.07, 0.07, 4) * (w, h, w, h) + (x0, y0, x1, y1)
            crop = picture.crop(tuple(int(v) for v in moved))
            if random.random() < 0.5:
                crop = crop.transpose(Image.FLIP_LEFT_RIGHT)
            crop = ImageEnhance.Brightness(crop).enhance(random.uniform(0.7, 1.3))
            vectors.append(network.run(crop.filter(ImageFilter.GaussianBlur(random.uniform(0, 2))))[0])
            numbers.append(number)
    return np.array(vectors), np.array(numbers, np.int16)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("models", "video", "picture", "other"):
        parser.add_argument(name, type=Path)
    arguments = parser.parse_args()
    boxes = np.load(arguments.other)
    pictures = photographs()
    stored = {}
    about = {}
    for name, file in (("fomo", "fomo_face_detection"), ("fomo_three", "fomo_three")):
        network = Network(arguments.models / f"{file}.tflite")
        about[name] = network.quantization
        for picture, pixels in pictures.items():
            out = network.run(pixels)
            stored[f"{name}/{picture}"] = out[0]
            stored[f"{name}/{picture}/edge_impulse"] = boxes[f"{name}/{picture}/edge_impulse"]
    about["drawn"] = about["fomo"]
    for name, rows in DRAWN.items():
        letters = np.array([list(row) for row in rows])
        values = np.stack([letters == ".", letters == "a"], axis=-1) * np.float32(0.9)
        stored[f"drawn/{name}"] = (np.round(values * 256) - 128).astype(np.int8)
        stored[f"drawn/{name}/edge_impulse"] = boxes[f"drawn/{name}/edge_impulse"]
    network = Network(arguments.models / "fast_depth_224.tflite")
    about["depth"] = network.quantization
    for picture in ("coffee", "motorcycle_left"):
        stored[f"depth/{picture}"] = network.run(pictures[picture])[0, :, :, 0]

    from tflite_micro.python.tflite_micro.runtime import Interpreter

    interpreter = Interpreter.from_file(str(arguments.models / "person_detect.tflite"))
    details = interpreter.get_output_details(0)["quantization_parameters"]
    about["person"] = float(details["scales"][0]), int(details["zero_points"][0])
    for picture, pixels in pictures.items():
        gray = np.asarray(pixels.convert("L").resize((96, 96), Image.BILINEAR)).astype(np.int16) - 128
        interpreter.set_input(gray.astype(np.int8).reshape((1, 96, 96, 1)), 0)
        interpreter.invoke()
        stored[f"person/{picture}"] = interpreter.get_output(0)[0]

    network = Network(arguments.models / "osnet_a025_256_128_tfs_int8.tflite")
    about["walkers"] = network.quantization
    stored["walkers"], stored["walkers/track_and_frame"] = walkers(arguments.video, network)
    about["persons"] = network.quantization
    stored["persons"], stored["persons/number"] = persons(Image.open(arguments.picture).convert("RGB"), network)
    stored["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    packed = io.BytesIO()
    np.savez(packed, **stored)
    TARGET.write_bytes(lzma.compress(packed.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes, {len(stored['walkers'])} embeddings")


if __name__ == "__main__":
    main()
