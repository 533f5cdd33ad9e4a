"""Benchmark of crowds: the cost of `YoloV8Seg` with many candidates and objects, and of drawing them.

It reads the files of scripts/dev/tracking/crowds.py from a folder, the first argument or TENSORS. It prints milliseconds, or
instructions where a module `icount` counts them, as a Markdown table. Each number is the median of a few frames.
"""

import gc
import sys
import time

try:
    from icount import now  # instructions since the start

    UNIT = "instructions"
except ImportError:
    now = time.ticks_us
    UNIT = "ms"

import n6post
from ulab import numpy as np

try:
    import image
except ImportError:
    image = None

TENSORS = None  # a folder of the camera, for example "/sdcard/crowds"
FRAMES = 5
SIDE = 320  # of the frame
# Columns: max_detections and threshold.
RUNS = ((100, 0.25), (20, 0.25), (100, 0.05))


def elapsed(start, end):
    return time.ticks_diff(end, start) if UNIT == "ms" else end - start


def timed(call):
    start = now()
    call()
    return elapsed(start, now())


def median(call, prepare=None):
    amounts = []
    for _ in range(FRAMES + 2):
        if prepare:
            prepare()
        amounts.append(timed(call))
    amounts = sorted(amounts[2:])
    return amounts[len(amounts) // 2]


def text(amount):
    """12,345 for instructions, or 1.23 (ms) for microseconds."""
    if UNIT == "ms":
        return "%.2f" % (amount / 1000)
    digits = str(int(amount))
    parts = []
    while digits:
        parts.insert(0, digits[-3:])
        digits = digits[:-3]
    return ",".join(parts)


class Model:
    """The attributes of ml.Model that post-processors read."""

    def __init__(self, size, outputs, scales, zero_points):
        self.input_shape = ((1, size, size, 3),)
        self.output_shape = tuple([out.shape for out in outputs])
        self.output_dtype = tuple([chr(out.dtype) for out in outputs])
        self.output_scale = scales
        self.output_zero_point = zero_points


def tensor(path, shape):
    with open(path, "rb") as file:
        try:
            data = memoryview(file)  # a file in a ROMFS is memory outside of the heap, like a model's outputs
        except TypeError:
            data = bytearray(file.read())
    return np.frombuffer(data, dtype=np.int8).reshape(shape)


def bench(folder, line):
    name, anchors, size, scale, zero_point, proto_scale, proto_zero_point = line.split()
    side = int(size) // 4
    path = "%s/%s" % (folder, name)
    outputs = [tensor(path + ".head", (1, 116, int(anchors))), tensor(path + ".protos", (1, side, side, 32))]
    model = Model(int(size), outputs, (float(scale), float(proto_scale)), (int(zero_point), int(proto_zero_point)))
    img = image and image.Image(SIDE, SIDE, image.RGB565)
    inputs = [n6post.Stretch(img) if img else None]
    cells = []
    shown = None
    for most, threshold in RUNS:
        process = n6post.YoloV8Seg(threshold=threshold, iou_threshold=0.7, max_detections=most)
        gc.collect()
        cells.append(text(median(lambda p=process: p(model, inputs, outputs))))
        if shown is None:
            shown = process(model, inputs, outputs)
    count = len(shown)
    if img:
        gc.collect()
        cells.append(text(median(lambda: n6post.draw(img, shown), img.clear)))
        cells.append(text(median(lambda: n6post.draw(img, shown, masks=False), img.clear)))
    print("| %s | %d | %s |" % (name, count, " | ".join(cells)))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else TENSORS
    runs = ["%d of threshold %s" % run for run in RUNS]
    print("| crowd (%s) | found | %s | drawing them | boxes and labels |" % (UNIT, " | ".join(runs)))
    print("| --- | %s |" % " | ".join(["---:"] * (len(RUNS) + 3)))
    with open(folder + "/crowds.txt") as file:
        lines = file.read().split("\n")
    for line in lines:
        if line.strip():
            bench(folder, line)


if __name__ == "__main__":
    main()
