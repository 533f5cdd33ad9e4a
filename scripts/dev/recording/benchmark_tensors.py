"""Write recorded tensors for scripts/device/benchmark.py.

    .venv/bin/python scripts/dev/recording/benchmark_tensors.py FOLDER [CAPTURES]

Reads the recordings of the demo, or with CAPTURES a folder of .npz captures of the bus picture, and writes each as a file of
raw bytes. Copy FOLDER to the camera and set its path in benchmark.py.
"""

import sys
from pathlib import Path

import numpy as np
import recorder
from n6post_pc import paths
from n6post_pc.demo import recorded
from recorder import Array, Tensor

# file: recording, output, capture, from NCHW to NHWC, int8 in the file
FILES = {
    "seg_head": ("yolov8n_seg_320", 0, "yolov8n_320_quant_pc_ii_seg_coco-st__bus", False, True),
    "seg_protos": ("yolov8n_seg_320", 1, "yolov8n_320_quant_pc_ii_seg_coco-st__bus", False, True),
    "det": ("yolov8n_192", 0, "yolov8n_192__bus", False, False),
    "pose": ("yolov8n_pose_256", 0, "yolov8n_256_quant_pc_uf_pose_coco-st__bus", False, False),
    "movenet": ("movenet_13_192", 0, "st_movenet_lightning_heatmaps_192_int8_pc__bus__crop", False, True),
    "deeplab_320": ("deeplab_320", 0, "deeplab_v3_mobilenetv2_05_16_320_fft_qdq_int8__bus", True, True),
}


def values(tensor: Tensor, like: Tensor, nhwc: bool, int8: bool) -> Array:
    """The tensor in the benchmark's format. A float capture becomes int8 with the recording's scale and zero point."""
    if not int8:
        array = tensor.dequantized().values
    elif tensor.scale:
        array = tensor.values
    else:
        array = np.clip(np.round(tensor.values / like.scale) + like.zero_point, -128, 127).astype(np.int8)
    return np.ascontiguousarray(array.transpose(0, 2, 3, 1) if nhwc else array)


def write(folder: Path, captures: Path | None = None) -> None:
    paths.use_stand_ins()
    sys.path.insert(0, str(recorder.ROOT / "host_tests"))
    from fakes import capture

    folder.mkdir(parents=True, exist_ok=True)
    for name, (model, output, file, nhwc, int8) in FILES.items():
        like = recorded.load(model, "astronaut").tensors[output]
        tensor = capture(captures / f"{file}.npz")[0][output] if captures else like
        target = folder / f"{name}.bin"
        target.write_bytes(values(tensor, like, nhwc, int8).tobytes())
        print(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    recorder.main(write)
