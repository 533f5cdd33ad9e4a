"""The stages of scripts/device/benchmark.py, marked for count_lines.c: runs on an emulated camera, beside marks.py.

Each stage runs seven times in a row, then three times with empty caches as "... cold". The camera needs benchmark.py and
marks.py next to it; the first argument is the folder with the recorded tensors (scripts/dev/benchmark_tensors.py).
"""

import gc

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


def main():
    gc.collect()
    for _ in range(5):
        marks.stage("empty", lambda: None)
    for work in benchmark.WORK:
        family(*work)
    over_time()


main()
