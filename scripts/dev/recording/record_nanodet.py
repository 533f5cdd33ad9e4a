"""Record outputs of NanoDet-Plus and what its authors' code makes of them, for host_tests/families/anchors/test_nanodet.py.

It needs an environment of its own: pip install torch torchvision opencv-python-headless matplotlib pytorch-lightning
omegaconf yacs termcolor tabulate pycocotools imagesize tensorboard ncnn scikit-image. CHECKOUT is a checkout of
RangiLyu/nanodet (be9b4a9), MODEL the authors' nanodet-plus-m_416 (COCO), converted to ncnn: MODEL.param and MODEL.bin, input
"data", output "output":

    B/bin/python scripts/dev/recording/record_nanodet.py CHECKOUT MODEL

The network runs on photographs of scikit-image; one case is random numbers. Of COCO's 80 classes the five with the highest
scores are kept. Class scores below .1 are stored as 0, and so are the bins of cells without a higher one. The authors'
NanoDetPlusHead gets exactly what is stored, in float64:

    all     `get_bboxes`: (n, 6), x1, y1, x2, y2 in input pixels, score, class. A cell gives a box for each class above .05
    best    the same with all scores but a cell's best one set to 0
    frame   `post_process` of "best" for a frame of 640 x 480 that was fitted into the input (`keep_ratio`)

Nothing of the model and of the code is stored.
"""

import json
import sys
from pathlib import Path

import numpy as np
import recorder
import torch
from recorder import Array

FRAME = 640, 480
LEAST = 0.1
STRIDES = [8, 16, 32, 64]

# Picture (None: random numbers), size of the input, dtype.
CASES = {
    "astronaut": ("astronaut", (416, 416), "float16"),
    "cat": ("chelsea", (320, 320), "int8"),
    "motorcycle": ("motorcycle_left", (352, 352), "uint8"),
    "coffee": ("coffee", (320, 224), "int16"),
    "random": (None, (100, 60), "float16"),
}


def output_of(model: Path, picture: str, size: tuple[int, int]) -> Array:
    """The output [cells, 112] of the network."""
    import ncnn

    net = ncnn.Net()
    net.opt.use_fp16_arithmetic = net.opt.use_fp16_storage = net.opt.use_fp16_packed = False
    net.opt.num_threads = 1
    net.load_param(f"{model}.param")
    net.load_model(f"{model}.bin")
    pixels = recorder.stretched(recorder.photograph(picture), size)[:, :, ::-1].astype(np.float32)
    pixels = (pixels - np.float32([103.53, 116.28, 123.675])) / np.float32([57.375, 57.12, 58.395])
    extractor = net.create_extractor()
    extractor.input("data", ncnn.Mat(np.ascontiguousarray(pixels.transpose(2, 0, 1))).clone())
    return np.array(extractor.extract("output")[1]).copy()


def random_output(size: tuple[int, int]) -> Array:
    """Random numbers for three classes."""
    random = np.random.default_rng(7)
    cells = sum(-(-size[0] // stride) * -(-size[1] // stride) for stride in STRIDES)
    return np.concatenate([random.uniform(0, 1, (cells, 3)), random.normal(0, 3, (cells, 32))], axis=1)


def thinned(output: Array) -> Array:
    scores, bins = output[:, :-32], output[:, -32:]
    scores = scores[:, np.sort(np.argsort(-scores.max(axis=0))[:5])]
    scores = np.where(scores < LEAST, 0, scores)
    return np.concatenate([scores, np.where(scores.max(axis=1, keepdims=True) < LEAST, 0, bins)], axis=1)


def judged(real: Array, size: tuple[int, int]) -> dict[str, Array]:
    """What the authors' code makes of an output [cells, classes + 32]."""
    from nanodet.data.transform.warp import get_resize_matrix
    from nanodet.model.head.nanodet_plus_head import NanoDetPlusHead
    from nanodet.util.yacs import CfgNode

    classes = real.shape[1] - 32
    loss = {"loss_qfl": {"beta": 2.0, "loss_weight": 1}, "loss_dfl": {"loss_weight": 1}, "loss_bbox": {"loss_weight": 1}}
    head = NanoDetPlusHead(classes, CfgNode(loss), 96, strides=STRIDES, reg_max=7).eval()
    numbers = torch.from_numpy(real[None])
    scores, bins = numbers[..., :classes].clamp(0, 1), numbers[..., classes:]
    best = torch.zeros_like(scores).scatter_(2, scores.argmax(2, keepdim=True), 1)
    meta = {
        "img": torch.zeros(1, 3, size[1], size[0]),
        "warp_matrix": [get_resize_matrix(FRAME, size, True)],
        "img_info": {"height": [FRAME[1]], "width": [FRAME[0]], "id": [0]},
    }
    found = {}
    for name, given in (("all", scores), ("best", scores * best)):
        boxes, labels = head.get_bboxes(torch.logit(given), bins, meta)[0]
        found[name] = torch.cat([boxes, labels[:, None]], dim=1).numpy()
    by_class = head.post_process(torch.cat([torch.logit(scores * best), bins], dim=2), meta)[0]
    rows = [[*row, label] for label, rows in by_class.items() for row in rows]
    found["frame"] = np.array(sorted(rows, key=lambda row: -row[4]))
    return found


def record(checkout: Path, model: Path) -> None:
    sys.path.insert(0, str(checkout))
    data: dict[str, Array] = {}
    index = {}
    for name, (picture, size, dtype) in CASES.items():
        output = output_of(model, picture, size) if picture else random_output(size)
        ((values, scale, zero_point),) = recorder.quantized([thinned(output)], dtype)
        data[name] = values
        real = (values.astype(np.float64) - zero_point) * (scale or 1)
        for judge, rows in judged(real, size).items():
            data[f"{name}/{judge}"] = rows.astype(np.float32)
            print(name, judge, len(rows), rows[:2].round(2).tolist())
        index[name] = {"size": size, "scale": scale, "zero_point": zero_point}
    recorder.write(recorder.DATA / "nanodet.npz.xz", {**data, "index": np.array(json.dumps(index))})


if __name__ == "__main__":
    recorder.main(record)
