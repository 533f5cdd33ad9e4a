"""Record outputs of networks without anchors, for the tests of Fomo, Classifier, Depth, Embedding and Gallery.

    python3 scripts/dev/recording/record_maps_and_vectors.py MODELS VIDEO PICTURE OTHER

MODELS          a folder with fomo_face_detection.tflite, person_detect.tflite and fast_depth_224.tflite of OpenMV (the
                repository openmv/openmv, lib/models; fast_depth_224 in commit 49a017eaf, the same file as fastdepth_224_int8
                of ST's model zoo), fomo_three.tflite (blob f23524c5 of the same repository: a user's FOMO of two classes)
                and osnet_a025_256_128_tfs_int8.tflite of ST's model zoo
VIDEO           the video of record_demo.py
PICTURE         bus.jpg of Ultralytics' documentation (810 x 1080): four persons
OTHER           a .npz with the boxes that Edge Impulse's inferencing-sdk-cpp (919819f5, ei_handle_cube and process_cubes),
                which is not in this project, makes of the same maps at a threshold of .5: an array (n, 6) for each map,
                MAP/edge_impulse, of x, y, w, h in input pixels, class and score

It needs ai-edge-litert, tflite-micro (LiteRT refuses person_detect.tflite), scikit-image, Pillow and av. It writes
host_tests/data/maps_and_vectors.npz.xz, which host_tests/recorded_maps_and_vectors.py reads. Models, pictures and video are
not copied. A picture is stretched to the network's input with Pillow's BILINEAR.
"""

from pathlib import Path
from typing import Any

import numpy as np
import recorder
from n6post_pc import paths
from PIL import Image, ImageEnhance, ImageFilter
from recorder import Array

PERSONS = (50, 398, 245, 903), (223, 405, 345, 862), (670, 380, 810, 878), (0, 550, 67, 873)  # in bus.jpg

# Maps of one class on which Edge Impulse's way of merging shows: objects as letters, the background as dots.
DRAWN = {
    "stairs": ("...a", "..a.", ".a..", "a..."),
    "ring": ("aaaaa", "a...a", "a.a.a", "a...a", "aaaaa"),
}


def photographs() -> dict[str, Image.Image]:
    """Pictures of scikit-image, and one of nine parts of the astronaut's portrait."""
    names = ("astronaut", "camera", "coffee", "chelsea", "rocket", "motorcycle_left")
    found = {name: recorder.photograph(name) for name in names}
    found["portrait"] = found["astronaut"].crop((120, 0, 340, 220))
    found["portraits"] = Image.new("RGB", (480, 480), (128, 128, 128))
    for i in range(9):
        side = 150 - 10 * (i % 4)
        place = 160 * (i % 3) + 3 * i, 160 * (i // 3)
        found["portraits"].paste(found["portrait"].resize((side, side), recorder.BILINEAR), place)
    return found


def output_of(network: recorder.Network, picture: Image.Image) -> Array:
    return network.run(recorder.stretched(picture, network.size))[0][0]


def quantization_of(network: recorder.Network) -> tuple[float, int]:
    scale, zero_point = network.outputs[0]["quantization"]
    return float(scale), int(zero_point)


def walkers(video: Path, network: recorder.Network) -> tuple[Array, Array]:
    """(vectors, about): OSNet's output for each walker of the street, about every second, and (track, frame) of each."""
    paths.use_stand_ins()
    import av
    import n6post
    from n6post_pc.demo import recorded

    tracker = n6post.Tracker()
    vectors, about = [], []
    last: dict[int, int] = {}
    with av.open(str(video)) as container:
        for number, (frame, detections) in enumerate(zip(container.decode(video=0), recorded.street())):
            picture = Image.fromarray(frame.to_ndarray(format="rgb24"))
            for d in tracker.update([d for d in detections if d.label == "person"], elapsed_ms=100):
                x, y, w, h = d.rect
                if h < 50 or number - last.get(d.track_id, -99) < 10:
                    continue
                last[d.track_id] = number
                vectors.append(output_of(network, picture.crop((x, y, x + w, y + h))))
                about.append((d.track_id, number))
    return np.array(vectors), np.array(about, np.int16)


def persons(picture: Image.Image, network: recorder.Network) -> tuple[Array, Array]:
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
            vectors.append(output_of(network, crop.filter(ImageFilter.GaussianBlur(random.uniform(0, 2)))))
            numbers.append(number)
    return np.array(vectors), np.array(numbers, np.int16)


def record(models: Path, video: Path, picture: Path, other: Path) -> None:
    boxes = np.load(other)
    pictures = photographs()
    stored: dict[str, Array] = {}
    about: dict[str, Any] = {}
    for name, file in (("fomo", "fomo_face_detection"), ("fomo_three", "fomo_three")):
        network = recorder.Network(models / f"{file}.tflite")
        about[name] = quantization_of(network)
        for shown, pixels in pictures.items():
            stored[f"{name}/{shown}"] = output_of(network, pixels)
            stored[f"{name}/{shown}/edge_impulse"] = boxes[f"{name}/{shown}/edge_impulse"]
    about["drawn"] = about["fomo"]
    for name, rows in DRAWN.items():
        letters = np.array([list(row) for row in rows])
        values = np.stack([letters == ".", letters == "a"], axis=-1) * np.float32(0.9)
        stored[f"drawn/{name}"] = (np.round(values * 256) - 128).astype(np.int8)
        stored[f"drawn/{name}/edge_impulse"] = boxes[f"drawn/{name}/edge_impulse"]
    network = recorder.Network(models / "fast_depth_224.tflite")
    about["depth"] = quantization_of(network)
    for shown in ("coffee", "motorcycle_left"):
        stored[f"depth/{shown}"] = output_of(network, pictures[shown])[:, :, 0]

    from tflite_micro.python.tflite_micro.runtime import Interpreter

    interpreter = Interpreter.from_file(str(models / "person_detect.tflite"))
    details = interpreter.get_output_details(0)["quantization_parameters"]
    about["person"] = float(details["scales"][0]), int(details["zero_points"][0])
    for shown, pixels in pictures.items():
        gray = recorder.stretched(pixels.convert("L"), (96, 96)).astype(np.int16) - 128
        interpreter.set_input(gray.astype(np.int8).reshape((1, 96, 96, 1)), 0)
        interpreter.invoke()
        stored[f"person/{shown}"] = interpreter.get_output(0)[0]

    network = recorder.Network(models / "osnet_a025_256_128_tfs_int8.tflite")
    about["walkers"] = about["persons"] = quantization_of(network)
    stored["walkers"], stored["walkers/track_and_frame"] = walkers(video, network)
    stored["persons"], stored["persons/number"] = persons(Image.open(picture).convert("RGB"), network)
    recorder.write(recorder.DATA / "maps_and_vectors.npz.xz", {**stored, "about": recorder.as_json(about)})


if __name__ == "__main__":
    recorder.main(record)
