# `n6post verify` runs this on the camera, and then `_verify(model, fit, frames)`: the path of the model, the name of a class
# of n6post, and a (path, width, height) for each frame, which is a file of RGB565.
# It prints a line of JSON after N6POST for what follows, the bytes in lines of base64, and their SHA-256.

import binascii
import gc
import hashlib
import json
import os

import image
import ml
import n6post


def _say(**what):
    print("N6POST " + json.dumps(what))


def _send(data, **what):
    data = memoryview(data)
    _say(bytes=len(data), **what)
    sha = hashlib.sha256()
    for at in range(0, len(data), 3072):
        piece = data[at : at + 3072]
        sha.update(piece)
        print(str(binascii.b2a_base64(piece), "ascii"), end="")
    _say(sha256=str(binascii.hexlify(sha.digest()), "ascii"))


class _Runs:
    """A model on the frames."""

    def __init__(self, path, fit, frames):
        self._fit, self._frames = getattr(n6post, fit), frames
        self.model = ml.Model(path)

    def run(self, number, tell):
        """A hash of each output for a frame. `tell`: also send the input and the outputs."""
        path, width, height = self._frames[number]
        pixels = bytearray(2 * width * height)
        with open(path, "rb") as file:
            file.readinto(pixels)
        frame = image.Image(width, height, image.RGB565, buffer=pixels)
        fit = self._fit(frame)

        def fill(buffer, shape, dtype):
            fit(buffer, shape, dtype)
            if tell:
                _send(buffer, picture=number, what="input")

        def take(model, inputs, outputs):
            sums = []
            for k, output in enumerate(outputs):
                data = output.tobytes()
                sums.append(hashlib.sha256(data).digest())
                if tell:
                    _send(data, picture=number, what="output", number=k)
            return sums

        return self.model.predict([fill], callback=take)


def _dtypes(codes):
    return [code if isinstance(code, str) else chr(code) for code in codes]


def _verify(path, fit, frames):
    try:
        os.stat(path)
    except OSError:
        folder = path.rsplit("/", 1)[0] or "/"
        try:
            names = os.listdir(folder)
        except OSError:
            names = None
        return _say(missing=path, files=names)
    runs = _Runs(path, fit, frames)
    model = runs.model
    try:
        import omv

        board = "%s, firmware %s" % (omv.board_type(), omv.version_string())
    except (ImportError, AttributeError):
        board = os.uname().machine
    _say(
        board=board,
        input_shape=model.input_shape[0],
        input_dtype=_dtypes(model.input_dtype)[0],
        shapes=model.output_shape,
        dtypes=_dtypes(model.output_dtype),
        scales=model.output_scale,
        zero_points=model.output_zero_point,
    )
    first = None
    for number in range(len(frames)):
        sums = runs.run(number, True)
        first = first or sums
        gc.collect()
    _say(again=runs.run(0, False) == first)
    try:
        other = _Runs(path, fit, frames)
        other.run(len(frames) - 1, False)
        _say(beside=runs.run(0, False) == first)
    except (MemoryError, OSError, ValueError, RuntimeError):  # no room for a second one
        _say(beside=None)
    _say(end=True)
