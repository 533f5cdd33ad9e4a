"""A family on outputs of any dtype: its whole result as text, to compare CPython with MicroPython."""

from array import array
from binascii import crc32, hexlify

import n6post
from ulab import numpy as np

DTYPES = {"float32": np.float, "int8": np.int8, "uint8": np.uint8, "int16": np.int16}


class Frame:
    """The part of an image that an input transform needs."""

    def width(self):
        return 640

    def height(self):
        return 480


class Model:
    def __init__(self, size, arrays, outputs):
        self.input_shape = ((1, size[1], size[0], 3),)
        self.labels = None
        self.output_shape = tuple([array.shape for array in arrays])
        self.output_dtype = tuple([chr(array.dtype) for array in arrays])
        self.output_scale = tuple([output[2] for output in outputs])
        self.output_zero_point = tuple([output[3] for output in outputs])


def bits(number):
    return hexlify(array("f", (number,)))


def run(family, options, size, outputs):
    """outputs: for each the dtype, shape, scale, zero point and file."""
    arrays = []
    for dtype, shape, _, _, path in outputs:
        with open(path, "rb") as file:
            arrays.append(np.frombuffer(bytearray(file.read()), dtype=DTYPES[dtype]).reshape(tuple(shape)))
    model = Model(size, arrays, outputs)
    process = getattr(n6post, family)(**options)
    for fit in ("Letterbox", "Stretch"):
        result = process(model, [getattr(n6post, fit)(Frame())], arrays)
        if isinstance(result, list):
            for d in result:
                print("found", d.rect, bits(d.score), d.class_id, d.label, d.frame_size)
                if d.keypoints is not None:
                    print("keypoints", hexlify(d.keypoints.tobytes()))
                if d.corners is not None:
                    print("corners", hexlify(d.corners.tobytes()), bits(d.rotation))
        elif family == "Depth":
            print("found", crc32(result.raw.tobytes()))
            for box in (None, (100, 90, 50, 60), (320, 240, 1, 1)):
                print("depth", [bits(of(box)) for of in (result.minimum, result.median, result.maximum)])
        elif family == "Classifier":
            for one in result:
                print("found", one.class_id, one.label, bits(one.score))
        elif family == "TextLine":
            if result:
                print("found", [ord(one) for one in result.text], bits(result.score), [bits(one) for one in result.scores])
        else:
            print("found", hexlify(result.tobytes()))
            continue
        print("json", n6post.to_json(result))
