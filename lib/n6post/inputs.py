"""Model inputs that fit a frame the same way on every firmware: Stretch, Crop and Letterbox.

Passed to `predict` in a list, they fill the input tensor; their `fit` is how geometry.fit_of knows the way back.

Take Letterbox for networks of Ultralytics, Crop where only the middle matters, Stretch for maps of the whole frame, and the
plain image where one firmware is enough and every millisecond counts. All copy an image of the input's size as it is.
"""

from ulab import numpy as np

from .geometry import Fit, checked_roi
from .scaling import begin, factor, ratio


class Input:
    """A model input made of an image that is fitted the same way on every firmware: pass it to `predict` in a list.

    img is the frame, roi (x, y, w, h) the part of it to use; whatever else is given (scale, mean, stdev) goes to
    OpenMV's `ml.preprocessing.Normalization`, which does the conversion to the model's numbers.
    """

    def __init__(self, img, roi=None, **normalization):
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
        """The Fit for a model input of size (width, height)."""
        (sx, sy, sw, sh), box = self._boxes(size)
        dx, dy, dw, dh = box
        if (sx or sy) and (sw, sh) != (dw, dh):
            _, (_, across), (_, down) = _scales((sw, sh), box, size)
            sx, sy = begin(sx, across), begin(sy, down)
        kx, ky = sw / dw, sh / dh
        return Fit(key, self.roi, kx, sx - dx * kx, ky, sy - dy * ky)

    def __call__(self, buffer, shape, dtype):
        """Called by the firmware: fill the input tensor."""
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
        # What goes in has the input's size: whatever way this firmware fits an image, it copies it.
        Normalization(roi=source, **self._normalization)(img)(buffer, shape, dtype)

    def _boxes(self, size):
        """(the part of the image, where on an input of this size it goes), each (x, y, w, h)."""
        raise NotImplementedError


class Stretch(Input):
    """The whole image onto the model input, its aspect ratio not kept: for maps of classes that shall cover the frame.

    It is what firmware 5.0 does with a plain image.
    """

    def _boxes(self, size):
        return self.roi, (0, 0, size[0], size[1])


class Crop(Input):
    """The middle of the image that has the model input's aspect ratio: where the ends of the frame do not matter.

    Objects are the largest this way. It is about what firmware 4.8.1 does with a plain image.
    """

    def _boxes(self, size):
        x, y, w, h = self.roi
        cw = max(1, min(w, h * size[0] // size[1]))
        ch = max(1, min(h, w * size[1] // size[0]))
        return (x + (w - cw) // 2, y + (h - ch) // 2, cw, ch), (0, 0, size[0], size[1])


class Letterbox(Input):
    """The whole image, its aspect ratio kept, between grey bars (114): the first choice for networks of Ultralytics.

    They were trained on that: its place and size are those of their LetterBox, to the pixel. (Where a side ends at exactly
    half a pixel, their floats may round it the other way: one roi of a million.)
    """

    def _boxes(self, size):
        w, h = self.roi[2:]
        width, height = size
        dw = max(1, min(width, _rounded(w * height, h)))
        dh = max(1, min(height, _rounded(h * width, w)))
        return self.roi, ((width - dw) // 2, (height - dh) // 2, dw, dh)


def _rounded(number, divisor):
    # Half to even, as Python's round() in Ultralytics' LetterBox.
    whole, rest = number // divisor, 2 * (number % divisor)
    return whole + 1 if rest > divisor or rest == divisor and whole % 2 else whole


def _scales(lengths, box, size):
    """How a source of these lengths gets into a box: (one scale for both?, (x_scale, scale), (y_scale, scale))."""
    across, down = ratio(size[0], lengths[0]), ratio(size[1], lengths[1])
    x_share, y_share = box[2] / size[0], box[3] / size[1]
    one = lengths[0] * box[3] == lengths[1] * box[2]
    if one:  # the quotient of the tighter side is that of the other one too, without a rounding in between
        across = down = np.minimum(across, down)
        x_share = y_share = 1.0
    return one, factor(across, x_share, lengths[0], box[2]), factor(down, y_share, lengths[1], box[3])


# {(width, height, channels): (canvas, lengths and box of what was last drawn on it, hint, x_scale, y_scale)}.
# One for each input size in use, kept: 200 KB a frame would bring the garbage collector into every frame.
_canvases = {}


def _drawn(img, source, box, size, channels):
    """The canvas of this size with that part of the image in the box, between bars."""
    key = size + (channels,)
    kept = _canvases.get(key)
    if kept is None or kept[1] != source[2:] + box:
        import image

        pixformat = image.GRAYSCALE if channels == 1 else image.RGB565
        canvas = kept[0] if kept else image.Image(size[0], size[1], pixformat)
        one, (x_scale, _), (y_scale, _) = _scales(source[2:], box, size)
        hint = image.BILINEAR | (image.SCALE_ASPECT_KEEP if one else image.SCALE_ASPECT_IGNORE)
        if box[2:] != size:
            # Once for as many frames as are fitted alike: what is drawn fills the box. Ultralytics' grey.
            canvas.draw_rectangle((0, 0, size[0], size[1]), color=(114, 114, 114), fill=True)
        kept = _canvases[key] = (canvas, source[2:] + box, hint, x_scale, y_scale)
    canvas, _, hint, x_scale, y_scale = kept
    canvas.draw_image(img, box[0], box[1], roi=source, x_scale=x_scale, y_scale=y_scale, hint=hint)
    return canvas
