"""A family on a recorded tensor: its whole result as text and bytes, to compare CPython with MicroPython."""

import io
import json
from array import array
from binascii import hexlify

import n6post
from ulab import numpy as np


class Frame:
    """The part of an image that an input transform needs."""

    def __init__(self, width, height):
        self.size = width, height

    def width(self):
        return self.size[0]

    def height(self):
        return self.size[1]


class Model:
    def __init__(self, size, outputs, labels):
        self.input_shape = ((1, size[1], size[0], 3),)
        self.labels = labels
        self.output_shape = tuple([tuple(shape) for shape, _, _, _, _ in outputs])
        self.output_dtype = ("b",) * len(outputs)
        self.output_scale = tuple([scale for _, scale, _, _, _ in outputs])
        self.output_zero_point = tuple([zero_point for _, _, zero_point, _, _ in outputs])


def run(family, options, size, labels, fit, outputs):
    """outputs: for each the shape, scale, zero point, file of int8 numbers, and whether the model outputs them as floats."""
    arrays = []
    for shape, scale, zero_point, path, fractions in outputs:
        with open(path, "rb") as file:
            values = np.frombuffer(bytearray(file.read()), dtype=np.int8)
        if fractions:
            values = (np.array(values, dtype=np.float) - float(zero_point)) * scale
        arrays.append(values.reshape(tuple(shape)))
    model = Model(size, outputs, labels)
    process = getattr(n6post, family)(**options)
    frame = getattr(n6post, fit)(Frame(640, 480))
    for _ in range(2):  # the second frame runs other code than the first
        result = process(model, [frame], arrays)
    print("json", n6post.to_json(result, outline=True))
    stream = io.BytesIO()
    print("stream", n6post.to_json(result, stream=stream), stream.getvalue())
    if not isinstance(result, list):
        print("map", hexlify(result.class_map.tobytes()))
        print("present", result.class_ids(), [result.area(i) for i in range(2)])
        print("fractions", ["%.6f" % result.fraction(i) for i in range(2)])
        return
    for d in result:
        print("found", d.rect, hexlify(array("f", (d.score,))), d.class_id, d.label, d.center, json.dumps(d.as_dict()))
        if d.mask is not None:
            data, window, crop, clip, _ = d.mask._parts()
            print("mask", window, crop, clip, hexlify(bytes(data)), d.mask.area, d.mask.rect, d.mask.centroid)
        if d.keypoints is not None:
            print("keypoints", hexlify(d.keypoints.tobytes()))
