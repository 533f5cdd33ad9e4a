"""How a picture becomes the numbers of an input tensor, as in stubs/ml/preprocessing.py."""

from array import array

import image

_SIGNED = bytes(v ^ 128 for v in range(256))
_UNIT = array("f", [array("f", [1 / 255])[0] * v for v in range(256)]).tolist()


class Normalization:
    def __init__(self, roi=None):
        self._roi = roi

    def __call__(self, img):
        def fill(buffer, shape, dtype):
            drawn = img
            if self._roi is not None:  # the picture itself, which has the input's size
                drawn = image.Image(shape[2], shape[1], image.RGB565 if shape[3] == 3 else image.GRAYSCALE)
                drawn.draw_image(img, 0, 0, self._roi)
            if dtype == ord("f"):
                buffer[:] = array("f", [_UNIT[v] for v in drawn.data]).tobytes()
            else:
                buffer[:] = drawn.data.translate(_SIGNED) if dtype == ord("b") else drawn.data

        return fill
