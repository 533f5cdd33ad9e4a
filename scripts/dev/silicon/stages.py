"""The stages of scripts/device/benchmark.py, marked for count_lines.c: runs on an emulated camera, beside marks.py.

Each stage runs seven times in a row, then three times with empty caches as "... cold". The camera needs benchmark.py and
marks.py next to it; the first argument is the folder with the recorded tensors (scripts/dev/recording/benchmark_tensors.py).

With a second argument, `full`, the first area of the heap is filled before: then all results lie in the second one, in
PSRAM, as on a camera from a few hundred frames after a collection on.
"""

import gc
import sys

import benchmark
import image
import marks
import n6post
from uctypes import addressof


def measured(name, call, prepare=None):
    for cold in (0, 0, 0, 0, 0, 0, 0, 1, 1, 1):
        if prepare:
            prepare()
        if cold:
            marks.cold()
        marks.stage(name + " cold" * cold, call)


def family(title, name, options, make, arguments, side):
    process = getattr(n6post, name)(**options)
    model, outputs = make(*arguments)
    inputs = [None]
    for number, out in enumerate(outputs):
        marks.region(f"tensor{number}", addressof(out), out.size * out.itemsize)
    measured(title, lambda: process(model, inputs, outputs))
    if side:
        result = process(model, inputs, outputs)
        img = image.Image(side, side, image.RGB565)
        marks.region("img", addressof(img), side * side * 2)
        measured("drawing: " + title, lambda: n6post.draw(img, result), img.clear)


def over_time():
    people = [n6post.Detection((20 * i, 60 + 3 * i, 30, 80), 0.9, 0, "person", None, None) for i in range(30)]
    for detections in (people[:10], people):
        update = n6post.Tracker().update
        measured(f"Tracker.update of {len(detections)}", lambda u=update, d=detections: u(d))
    tracked = update(people)[:10]
    zone = n6post.PolygonZone([(0, 0), (400, 0), (400, 300), (0, 300)])
    measured("PolygonZone.trigger of 10", lambda: zone.trigger(tracked))
    measured("to_json of 10", lambda: n6post.to_json(tracked))


def filled():
    """Blocks that fill the first area of the heap, from the largest size to the smallest."""
    blocks = ()
    start = addressof(bytearray(16))
    for size in (4096, 512, 64, 16):
        while True:
            block = bytearray(size)
            if abs(addressof(block) - start) > 1 << 21:  # farther than the area is long
                break
            blocks = block, blocks  # a chain: a list would move, and grow in the area
    return blocks


def main():
    gc.collect()
    kept = filled() if "full" in sys.argv[2:] else None
    for _ in range(5):
        marks.stage("empty", lambda: None)
    for work in benchmark.WORK:
        family(*work)
    over_time()
    del kept


main()
