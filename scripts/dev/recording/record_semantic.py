"""Record the outputs of Ultralytics' segmentation (YOLO26-sem), for host_tests/families/maps/test_deeplab_semantic.py.

    B/bin/python scripts/dev/recording/record_semantic.py

It needs an environment B with ultralytics 8.4.190, torch, scikit-image and Pillow. The network is yolo26n-sem.yaml of five
classes with random weights, whose logits are scaled so that every class occurs; the picture is scikit-image's "coffee", 96 x
64. It writes host_tests/data/semantic.npz.xz: the outputs of its head as it is exported to LiteRT, quantized, and to ONNX,
and the classes that torch finds in exactly these numbers. (A .tflite by onnx2tf has the same numbers in NHWC.)
"""

import io
import lzma
from pathlib import Path

import numpy as np
import skimage
import torch
from PIL import Image
from ultralytics.nn.tasks import SemanticSegmentationModel

TARGET = Path(__file__).resolve().parents[3] / "host_tests" / "data" / "semantic.npz.xz"
STEP = 0.03  # of the quantized logits


def main() -> None:
    torch.manual_seed(1)
    network = SemanticSegmentationModel("yolo26n-sem.yaml", ch=3, nc=5, verbose=False).eval()
    head = network.model[-1]
    photograph = Image.open(Path(skimage.__file__).parent / "data" / "coffee.png").convert("RGB").resize((96, 64))
    pixels = torch.tensor(np.asarray(photograph)).permute(2, 0, 1)[None].float() / 255
    stored = {}
    with torch.no_grad():
        logits = network(pixels)
        last = head.classifier[1]
        spread = logits.std(dim=(0, 2, 3))
        last.weight /= spread.view(-1, 1, 1, 1)
        last.bias.copy_((last.bias - logits.mean(dim=(0, 2, 3))) / spread)
        stored["raw"] = np.round(network(pixels).numpy() / STEP).clip(-128, 127).astype(np.int8)  # before the upsampling
        head.export = True
        for name in ("litert", "onnx"):
            head.format = name
            out = network(pixels)
            if name == "onnx":
                stored[name] = out.numpy()
                continue
            steps = torch.round(out / STEP).clip(-128, 127)
            stored[f"{name}/classes"] = steps.argmax(1).to(torch.uint8).numpy()
            stored[name] = steps.contiguous().numpy().astype(np.int8)
    packed = io.BytesIO()
    np.savez(packed, **stored)
    TARGET.write_bytes(lzma.compress(packed.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes; classes {np.unique(stored['onnx'])}")


if __name__ == "__main__":
    main()
