"""Record the detections of YOLOv8n-seg in a video: `python3 scripts/dev/recording/record_street.py VIDEO MODEL.tflite`.

Writes scripts/n6post_pc/data/street.xz, which n6post_pc/demo/recorded.py reads: the detections of every frame
with a score of at least .1 and their masks, including duplicates of an object.

A frame is stretched to the model's input as by firmware 5.0, with Pillow's BILINEAR.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / part) for part in ("lib", "stubs", "host_tests", "scripts")]
import _venv

if __name__ == "__main__":
    _venv.enter("test")

import argparse
import io
import lzma
import runpy

import av
import n6post
import numpy as np
from fakes import FakeModel, Framed, Tensor
from PIL import Image

TARGET = ROOT / "scripts" / "n6post_pc" / "data" / "street.xz"
MODELS = runpy.run_path(str(ROOT / "scripts" / "dev" / "recording" / "record_tensors.py"))


def detections(video, model, frames):
    """Each frame's list of Detection."""
    network = MODELS["TfliteModel"](model)
    process = n6post.YoloV8Seg(threshold=0.1, max_detections=100)
    fake = None
    with av.open(str(video)) as container:
        for number, frame in enumerate(container.decode(video=0)):
            if number == frames:
                return
            picture = Image.fromarray(frame.to_ndarray(format="rgb24"))
            outputs = network.run(np.asarray(picture.resize(network.size, Image.BILINEAR)))
            if fake is None:
                fake = FakeModel([Tensor(*output) for output in outputs], network.size)
            for tensor, output in zip(fake.tensors, outputs):
                tensor.values[:] = output[0]
            yield fake.run(process, Framed((0, 0, *picture.size)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("video", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--frames", type=int, default=300)
    arguments = parser.parse_args()
    columns = {name: [] for name in ("frame", "rect", "score", "class_id", "crop")}
    bits = []
    for number, found in enumerate(detections(arguments.video, arguments.model, arguments.frames)):
        for d in found:
            data, (wx, wy, ww, wh), (x, y, w, h), _, grid = d.mask._parts()
            window = np.frombuffer(bytes(data), np.uint8).reshape(wh, ww)
            bits.append((window[y - wy : y - wy + h, x - wx : x - wx + w] >= 128).ravel())
            for name, value in zip(columns, (number, d.rect, d.score, d.class_id, (x, y, w, h))):
                columns[name].append(value)
    kinds = {"frame": np.uint16, "rect": np.uint16, "score": np.float32, "class_id": np.uint8, "crop": np.uint8}
    arrays = {name: np.array(values, kinds[name]) for name, values in columns.items()}
    arrays["mask"] = np.packbits(np.concatenate(bits))
    arrays["grid"] = np.array([grid.sx, grid.ox, grid.sy, grid.oy])
    file = io.BytesIO()
    np.savez(file, **arrays)
    TARGET.write_bytes(lzma.compress(file.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{TARGET}: {len(bits)} detections of {number + 1} frames, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
