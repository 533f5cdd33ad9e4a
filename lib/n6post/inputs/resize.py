"""Model inputs that fit a frame in the same way on every firmware: Stretch, Crop and Letterbox.

Passed to `predict` in a list, they fill the input tensor. Their `fit` returns the InputTransform for the way back.

Use Letterbox for networks of Ultralytics, Crop if only the middle of the frame matters, Stretch for class maps of the whole
frame, and the plain image if one firmware is enough and every millisecond counts. All of them copy an image of the input's
size unchanged.
"""

from ulab import numpy as np

from ..pixels.rounding import same_floats
from .firmware_scaling import begin, factor, ratio
from .transform import InputTransform, checked_roi

_NORMALIZATION = ("scale", "mean", "stdev")


class Input:
    """A model input that is made from an image in the same way on every firmware: pass it to `predict` in a list.

    img     the frame
    roi     (x, y, w, h): the part of the frame to use, frame pixels; None: all of it

    The other arguments (scale, mean, stdev) are passed to OpenMV's `ml.preprocessing.Normalization`, which converts pixels
    to the model's numbers: `scale` is (lowest, highest), `mean` and `stdev` have a number for each channel. ValueError for a
    roi outside the image and for other numbers, TypeError for an unknown argument.
    """

    def __init__(self, img, roi=None, **normalization):
        for name in normalization:
            if name not in _NORMALIZATION:
                known = ("roi",) + _NORMALIZATION
                from ..tensors.errors import unknown_option

                raise TypeError(unknown_option(type(self).__name__, name, known))
            check_numbers(name, normalization[name])
        try:
            width, height = img.width(), img.height()
        except (AttributeError, TypeError):
            raise ValueError("img: expected an image, got %s" % type(img).__name__) from None
        self.image = img
        self.roi = checked_roi(roi) if roi is not None else (0, 0, width, height)
        x, y, w, h = self.roi
        if x < 0 or y < 0 or x + w > width or y + h > height:
            raise ValueError("roi: expected one inside the image of %d x %d, got %r" % (width, height, roi))
        self._normalization = normalization

    def fit(self, key, size):
        """The InputTransform for a model input of size (width, height)."""
        (sx, sy, sw, sh), box = self._boxes(size)
        dx, dy, dw, dh = box
        if (sx or sy) and (sw, sh) != (dw, dh):
            _, (_, across), (_, down) = _scales((sw, sh), box, size)
            sx, sy = begin(sx, across), begin(sy, down)
        kx, ky = sw / dw, sh / dh
        ox, oy = np.array([sx, sy]) - same_floats(kx, ky) * np.array([dx, dy])
        return InputTransform(key, self.roi, kx, ox, ky, oy)

    def __call__(self, buffer, shape, dtype):
        """Fill the input tensor. The firmware calls this."""
        from ml.preprocessing import Normalization

        if len(shape) != 4 or shape[3] not in (1, 3):
            raise ValueError("expected a model input [1, H, W, 1] or [1, H, W, 3], got %s" % (tuple(shape),))
        size = (shape[2], shape[1])
        source, box = self._boxes(size)
        if source[2:] == box[2:] == size:
            img = self.image
        else:
            img = _drawn(self.image, source, box, size, shape[3])
            source = None
        # The image has the input's size now, so every firmware copies it.
        Normalization(roi=source, **self._normalization)(img)(buffer, shape, dtype)

    def _boxes(self, size):
        """(the part of the image, its place in an input of this size), each (x, y, w, h)."""
        raise NotImplementedError


class Stretch(Input):
    """Stretch the whole image to the model input, without keeping its aspect ratio: for networks trained like this.

    It costs networks of Ultralytics accuracy: a tenth of AP on frames of 3:2. Firmware 5.0 does this with a plain image.
    """

    def _boxes(self, size):
        return self.roi, (0, 0, size[0], size[1])


class Crop(Input):
    """Use the middle of the image, with the model input's aspect ratio: if the ends of the frame do not matter.

    Objects are largest this way. Firmware 4.8.1 does about the same with a plain image.
    """

    def _boxes(self, size):
        x, y, w, h = self.roi
        cw = max(1, min(w, h * size[0] // size[1]))
        ch = max(1, min(h, w * size[1] // size[0]))
        return (x + (w - cw) // 2, y + (h - ch) // 2, cw, ch), (0, 0, size[0], size[1])


class Letterbox(Input):
    """Fit the whole image between gray bars (114), keeping its aspect ratio: the best choice for networks of Ultralytics.

    They are trained on such pictures. Place and size are the same as in their LetterBox, to the pixel. (If a side ends at
    exactly half a pixel, their floats may round it the other way: one roi of a million.)
    """

    def _boxes(self, size):
        w, h = self.roi[2:]
        width, height = size
        dw = max(1, min(width, _rounded(w * height, h)))
        dh = max(1, min(height, _rounded(h * width, w)))
        return self.roi, ((width - dw) // 2, (height - dh) // 2, dw, dh)


def check_numbers(name, value):
    """ValueError for a scale, mean or stdev that the firmware would take, or fail at, without a word."""
    count = 2 if name == "scale" else 3
    fits = isinstance(value, (list, tuple)) and len(value) == count
    for one in value if fits else ():
        fits = fits and type(one) in (int, float) and -1e6 < one < 1e6 and (one > 0 or name != "stdev")
    if not fits:
        above = " above 0" if name == "stdev" else ""
        raise ValueError("%s: expected %d numbers%s, got %r" % (name, count, above, value))


def source_of(img):
    """The input transform of a picture, or of a list of one as `Model.predict` takes it: a Letterbox if it is none yet."""
    if isinstance(img, (list, tuple)):
        if len(img) != 1:
            raise ValueError("img: expected a picture or a list of one, got %d" % len(img))
        img = img[0]
    return img if isinstance(img, Input) else Letterbox(img)


def _rounded(number, divisor):
    # Half to even, as Python's round() in Ultralytics' LetterBox.
    whole, rest = number // divisor, 2 * (number % divisor)
    return whole + 1 if rest > divisor or rest == divisor and whole % 2 else whole


def _scales(lengths, box, size):
    """The scales that draw a source of these lengths into a box: (one for both?, (x_scale, scale), (y_scale, scale))."""
    across, down = ratio(size[0], lengths[0]), ratio(size[1], lengths[1])
    x_share, y_share = box[2] / size[0], box[3] / size[1]
    same = lengths[0] * box[3] == lengths[1] * box[2]
    if same:  # the smaller quotient is that of the other side too, but without rounding
        across = down = np.minimum(across, down)
        x_share = y_share = 1.0
    return same, factor(across, x_share, lengths[0], box[2]), factor(down, y_share, lengths[1], box[3])


# {(width, height, channels): (canvas, lengths and box of the last drawing, hint, x_scale, y_scale)}.
# One canvas for each input size is kept: 200 KB of garbage per frame would start the garbage collector in every frame.
_canvases = {}


def _drawn(img, source, box, size, channels):
    """The canvas of this size, with the source part of the image drawn into the box, between bars."""
    key = size + (channels,)
    kept = _canvases.get(key)
    if kept is None or kept[1] != source[2:] + box:
        import image

        pixformat = image.GRAYSCALE if channels == 1 else image.RGB565
        canvas = kept[0] if kept else image.Image(size[0], size[1], pixformat)
        same, (x_scale, _), (y_scale, _) = _scales(source[2:], box, size)
        hint = image.BILINEAR | (image.SCALE_ASPECT_KEEP if same else image.SCALE_ASPECT_IGNORE)
        if box[2:] != size:
            # Once for all frames with the same box, which the drawing fills. Ultralytics' gray.
            canvas.draw_rectangle((0, 0, size[0], size[1]), color=(114, 114, 114), fill=True)
        kept = _canvases[key] = (canvas, source[2:] + box, hint, x_scale, y_scale)
    canvas, _, hint, x_scale, y_scale = kept
    canvas.draw_image(img, box[0], box[1], roi=source, x_scale=x_scale, y_scale=y_scale, hint=hint)
    return canvas
