"""Record what the networks of hand and face landmarks put out for turned pictures, and MediaPipe's own landmarks.

    python3 scripts/dev/recording/record_landmarks.py MODELS HAND

MODELS  a folder with palm_detection_full_192, hand_landmarks_full_224, blazeface_front_128 and face_landmarks_192 (.tflite):
        OpenMV's ROM (the repository openmv/openmv, lib/models)
HAND    a picture of an upright left hand: scripts/unittest/data/hand.bmp of the same repository

It needs mediapipe==0.10.21 (the last that has `solutions`; Python 3.11), ai-edge-litert, scikit-image and Pillow. It writes
host_tests/data/landmarks.npz.xz, which host_tests/recorded_landmarks.py reads. Models and pictures are not copied.

Each picture runs through n6post.Pipeline for two frames, once with OpenMV's network and once with the one in MediaPipe's
package. Recorded are the detection, the region of each frame and the outputs of the second network there, coordinates
rounded to 1/64 pixel, and the landmarks and the handedness of MediaPipe's solution (Hands or FaceMesh, static images).
"""

from pathlib import Path

import mediapipe
import numpy as np
import recorder
from n6post_pc import paths
from PIL import Image

paths.use_stand_ins()

import ml
import n6post
from n6post_pc.demo import gallery

MODULES = Path(mediapipe.__file__).parent / "modules"
SIDE = 480  # pixels of the pictures
# The last two numbers: degrees counterclockwise, mirrored?
HANDS = {"hand": (0, False), "hand 50": (50, False), "hand -90": (-90, False), "hand 170": (170, False), "right": (0, True)}
NETWORKS = {
    "hand": ("palm_detection_full_192", "hand_landmarks_full_224"),
    "face": ("blazeface_front_128", "face_landmarks_192"),
}
FACES = {"face": (0, False), "face 40": (40, False), "face -30": (-30, False)}


def turned(picture, angle, mirrored, zoom):
    """The picture in the middle of SIDE x SIDE pixels, its border continued."""
    pixels = np.asarray(picture.convert("RGB"))
    wide = Image.fromarray(np.pad(pixels, ((SIDE, SIDE), (SIDE, SIDE), (0, 0)), "edge"))
    wide = wide.resize([round(side * zoom) for side in wide.size], Image.Resampling.BICUBIC)
    wide = wide.rotate(angle, Image.Resampling.BICUBIC)
    x, y = (wide.width - SIDE) // 2, (wide.height - SIDE) // 2
    cut = wide.crop((x, y, x + SIDE, y + SIDE))
    return np.asarray(cut.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if mirrored else cut)


def judged(pixels, kind):
    """(landmarks in pixels, handedness or "") by MediaPipe's own solution."""
    solutions = mediapipe.solutions
    if kind == "hand":
        with solutions.hands.Hands(static_image_mode=True, max_num_hands=1, min_detection_confidence=0.3) as hands:
            found = hands.process(pixels)
            (points,) = found.multi_hand_landmarks
            name = found.multi_handedness[0].classification[0].label
    else:
        with solutions.face_mesh.FaceMesh(static_image_mode=True, min_detection_confidence=0.3) as meshes:
            (points,) = meshes.process(pixels).multi_face_landmarks
            name = ""
    return np.float32([[point.x * SIDE, point.y * SIDE] for point in points.landmark]), name


class Noting:
    """A model that notes its detections, or the region and the outputs of each frame."""

    def __init__(self, path, processor):
        self.postprocess = processor  # Pipeline looks for it
        self.frames = []
        self.model = ml.Model(str(path), postprocess=self.note)
        self.input_shape = self.model.input_shape

    def predict(self, inputs):
        self.source = inputs[0]
        return self.model.predict(inputs)

    def note(self, model, inputs, outputs):
        arrays = [np.float32(out.tolist()) for out in outputs]
        found = self.postprocess(model, inputs, outputs)
        self.frames.append((self.source, arrays, found))
        return found


def rounded(values):
    return np.round(values * 64) / 64 if np.abs(values).max() > 2 and values.size > 1 else values


def record(models: Path, hand: Path) -> None:
    stored, index = {}, {}
    wheel = {"hand": MODULES / "hand_landmark" / "hand_landmark_full.tflite"}
    wheel["face"] = MODULES / "face_landmark" / "face_landmark.tflite"
    for kind, cases in (("hand", HANDS), ("face", FACES)):
        picture = Image.open(hand) if kind == "hand" else recorder.photograph("astronaut").crop((64, 0, 384, 256))
        detector, own = (models / f"{name}.tflite" for name in NETWORKS[kind])
        for case, (angle, mirrored) in cases.items():
            pixels = turned(picture, angle, mirrored, 0.7 if kind == "hand" else 1.0)
            points, handedness = judged(pixels, kind)
            stored[f"{case}/judged"] = rounded(points)
            index[case] = {"handedness": handedness, "size": SIDE, "networks": {}}
            for network, path in (("rom", own), ("mediapipe", wheel[kind])):
                if kind == "face" and network == "mediapipe" and angle == 40:
                    continue
                first = Noting(detector, (n6post.BlazePalm if kind == "hand" else n6post.BlazeFace)(0.3))
                second = Noting(path, (n6post.HandLandmarks if kind == "hand" else n6post.FaceLandmarks)())
                pipeline = n6post.Pipeline(first, second, max_detections=1)
                for _ in range(2 if kind == "hand" or network == "rom" else 1):
                    (found,) = pipeline.predict(gallery.frame_of(Image.fromarray(pixels)))
                    error = np.hypot(*(np.float32(found.keypoints.tolist())[:, :2] - points).T)
                    name = f"{case:8} {network:9} {found.label:10}"
                    print(f"{name} {found.score:.3f} error {error.mean():.2f} {error.max():.2f}")
                detection = first.frames[0][2][0]
                stored[f"{case}/{network}/palm"] = np.float32(detection.keypoints.tolist())
                described = index[case]["networks"][network] = {"rect": detection.rect, "frames": []}
                for i, (source, arrays, _) in enumerate(second.frames):
                    region = [*source._corner, source._across, source._down, *source._axes]
                    region = [round(float(number), 6) for number in region]
                    described["frames"].append({"region": region, "outputs": len(arrays)})
                    for k, values in enumerate(arrays):
                        stored[f"{case}/{network}/{i}/{k}"] = rounded(values) if network == "mediapipe" else values
    recorder.write(recorder.DATA / "landmarks.npz.xz", {**stored, "index": recorder.as_json(index)})


if __name__ == "__main__":
    recorder.main(record)
