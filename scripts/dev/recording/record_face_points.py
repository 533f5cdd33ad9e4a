"""Record what PFLD puts out for faces, and where its authors draw the keypoints, for test_face_points.py.

It needs an environment of its own: pip install onnxruntime opencv-python-headless pillow. CHECKOUT is a checkout of
cunjian/pytorch_face_landmark with onnx/pfld.onnx, YUNET OpenCV's face_detection_yunet (.onnx), PICTURES photographs:

    B/bin/python scripts/dev/recording/record_face_points.py CHECKOUT YUNET PICTURES...

Each face that YuNet finds is cut and resized as in test_batch_detections.py: a square 1.1 times as large as its box, black
beyond the picture. Stored are the network's output, the square, the keypoints as BBox.reprojectLandmark places them, and
YuNet's keypoints.
"""

import sys
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import recorder
from PIL import Image

MOST = 6


def record(checkout: Path, yunet: Path, *pictures: Path) -> None:
    network = onnxruntime.InferenceSession(str(checkout / "onnx" / "pfld.onnx"))
    arrays = {}
    for file in pictures:
        picture = np.asarray(Image.open(file).convert("RGB"))[..., ::-1].copy()
        height, width = picture.shape[:2]
        scale = 320 / max(height, width)
        small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        small = cv2.copyMakeBorder(small, 0, 320 - small.shape[0], 0, 320 - small.shape[1], cv2.BORDER_CONSTANT)
        _, faces = cv2.FaceDetectorYN.create(str(yunet), "", (320, 320), 0.7).detect(small)
        for face in faces if faces is not None else ():
            x, y, w, h = (face[:4] / scale).round().astype(int)
            side = int(max(w, h) * 1.1)
            left, top = x + w // 2 - side // 2, y + h // 2 - side // 2
            bars = max(0, -top), max(0, top + side - height), max(0, -left), max(0, left + side - width)
            around = cv2.copyMakeBorder(picture, *bars, cv2.BORDER_CONSTANT, value=0)
            crop = around[top + bars[0] : top + bars[0] + side, left + bars[2] : left + bars[2] + side]
            crop = cv2.cvtColor(cv2.resize(crop, (112, 112)), cv2.COLOR_BGR2RGB).astype(np.float32) / 255
            (output,) = network.run(None, {"input": crop.transpose(2, 0, 1)[None]})
            points = output.reshape(-1, 2) * side + (left, top)  # reprojectLandmark: x * w + left, y * h + top
            name = f"{file.stem} {len([one for one in arrays if one.startswith(file.stem)]) // 4}"
            arrays[f"{name}/output"] = output
            arrays[f"{name}/roi"] = np.array([left, top, side, side])
            arrays[f"{name}/points"] = points.astype(np.float32)
            arrays[f"{name}/yunet"] = (face[4:14].reshape(5, 2) / scale).astype(np.float32)
            print(name, (left, top, side), width, height)
            if len(arrays) >= 4 * MOST:
                break
    recorder.write(recorder.DATA / "face_points.npz.xz", arrays)


if __name__ == "__main__":
    record(*[Path(one) for one in sys.argv[1:]])
