"""Between model input and frame: how a picture was fitted into the network, and the way back.

A `Fit` maps model input pixels to frame pixels, x and y apart: frame = input * scale + offset. It follows from what the
script passed to `predict`: a plain image, which the firmware fits its own way (5.0 stretches it, 4.8.1 crops its
centre); one of `Stretch`, `Crop` and `Letterbox`, which fit one way on every firmware; or an ndarray or a callable, which
says nothing of a frame: then the frame is the model input itself.
"""


class Fit:
    """frame x = input x * sx + ox, y alike; `roi` (x, y, w, h) is the part of the frame that went in.

    `key` tells whether a Fit still holds for the next frame: the type of what was passed, and its own roi.
    """

    def __init__(self, key, roi, sx, ox, sy, oy):
        self.key = key
        self.roi = roi
        self.sx = sx
        self.ox = ox
        self.sy = sy
        self.oy = oy

    def to_frame(self, x, y):
        """Frame pixel (floats) of a model input pixel."""
        return x * self.sx + self.ox, y * self.sy + self.oy

    def to_input(self, x, y):
        """Model input pixel (floats) of a frame pixel."""
        return (x - self.ox) / self.sx, (y - self.oy) / self.sy


def _checked(roi):
    if not isinstance(roi, (list, tuple)) or len(roi) != 4 or [v for v in roi if not isinstance(v, int)]:
        raise ValueError("roi: expected four integers x, y, w, h, got %r" % (roi,))
    if roi[2] < 1 or roi[3] < 1:
        raise ValueError("roi: expected at least one pixel, got %r" % (roi,))
    return tuple(roi)


def stretched(key, roi, width, height):
    """The whole roi onto the input of width x height, each axis with its own scale."""
    x, y, w, h = _checked(roi)
    return Fit(key, (x, y, w, h), w / width, float(x), h / height, float(y))


def cropped(key, roi, width, height):
    """The middle of the roi onto the whole input, one scale for both axes: what sticks out is not seen."""
    x, y, w, h = _checked(roi)
    scale = min(w / width, h / height)
    return Fit(key, (x, y, w, h), scale, x + (w - width * scale) * 0.5, scale, y + (h - height * scale) * 0.5)


def fit_of(inputs, size, last=None):
    """The Fit for the inputs of a `predict` and the model's (width, height).

    `last`, the answer for the frame before, is returned itself where it still holds: that saves making it anew.
    """
    source = inputs[0] if inputs else None
    roi = getattr(source, "roi", None)
    if callable(roi):
        roi = None
    key = (type(source), roi)
    if last is not None and last.key == key:
        return last
    if roi is None:  # an ndarray, a plain callable, nothing: the frame is the model input
        return Fit(key, (0, 0, size[0], size[1]), 1.0, 0.0, 1.0, 0.0)
    if isinstance(source, Input):
        return source.fit(key, size)
    return (stretched if _firmware_stretches() else cropped)(key, roi, size[0], size[1])


def _firmware_stretches():
    """Firmware 5.0 fits an image with SCALE_ASPECT_IGNORE, 4.8.1 with SCALE_ASPECT_EXPAND and its centre."""
    try:
        import omv

        return omv.version_major >= 5
    except (ImportError, AttributeError):
        return True


class Input:
    """A model input made of an image that is fitted the same way on every firmware: pass it to `predict` in a list.

    img is the frame, roi (x, y, w, h) the part of it to use; whatever else is given (scale, mean, stdev) goes to
    OpenMV's `ml.preprocessing.Normalization`, which does the conversion to the model's numbers.
    """

    def __init__(self, img, roi=None, **normalization):
        width, height = img.width(), img.height()
        self.image = img
        self.roi = _checked(roi) if roi is not None else (0, 0, width, height)
        x, y, w, h = self.roi
        if x < 0 or y < 0 or x + w > width or y + h > height:
            raise ValueError("roi: expected one inside the image of %d x %d, got %r" % (width, height, roi))
        self._normalization = normalization

    def fit(self, key, size):
        """The Fit for a model input of size (width, height)."""
        (sx, sy, sw, sh), (dx, dy, dw, dh) = self._boxes(size)
        kx, ky = sw / dw, sh / dh
        return Fit(key, self.roi, kx, sx - dx * kx, ky, sy - dy * ky)

    def __call__(self, buffer, shape, dtype):
        """Called by the firmware: fill the input tensor."""
        import image
        from ml.preprocessing import Normalization

        if len(shape) != 4 or shape[3] not in (1, 3):
            raise ValueError("expected a model input [1, H, W, 1] or [1, H, W, 3], got %s" % (tuple(shape),))
        height, width = shape[1], shape[2]
        canvas = _canvas(width, height, image.GRAYSCALE if shape[3] == 1 else image.RGB565)
        (sx, sy, sw, sh), (dx, dy, dw, dh) = self._boxes((width, height))
        if (dw, dh) != (width, height):
            canvas.draw_rectangle((0, 0, width, height), color=(114, 114, 114), fill=True)  # Ultralytics' grey
        # The firmware makes floor(scale * roi) pixels: a little more than exact, so that float32 never makes one less.
        canvas.draw_image(
            self.image, dx, dy, roi=(sx, sy, sw, sh), x_scale=(dw + 0.02) / sw, y_scale=(dh + 0.02) / sh, hint=image.BILINEAR
        )
        # The canvas has the input's size: whatever way this firmware fits an image, it goes in one to one.
        Normalization(**self._normalization)(canvas)(buffer, shape, dtype)


    def _boxes(self, size):
        """(the part of the image, where on an input of this size it goes), each (x, y, w, h)."""
        raise NotImplementedError


class Stretch(Input):
    """The whole image onto the model input, its aspect ratio not kept."""

    def _boxes(self, size):
        return self.roi, (0, 0, size[0], size[1])


class Crop(Input):
    """The middle of the image that has the model input's aspect ratio."""

    def _boxes(self, size):
        x, y, w, h = self.roi
        cw = max(1, min(w, h * size[0] // size[1]))
        ch = max(1, min(h, w * size[1] // size[0]))
        return (x + (w - cw) // 2, y + (h - ch) // 2, cw, ch), (0, 0, size[0], size[1])


class Letterbox(Input):
    """The whole image, its aspect ratio kept, between grey bars (114, as the networks were trained with)."""

    def _boxes(self, size):
        w, h = self.roi[2:]
        width, height = size
        dw = max(1, min(width, (w * height + h // 2) // h))
        dh = max(1, min(height, (h * width + w // 2) // w))
        return self.roi, ((width - dw) // 2, (height - dh) // 2, dw, dh)


_canvases = {}


def _canvas(width, height, pixformat):
    # One for each input size in use, kept: 200 KB a frame would bring the garbage collector into every frame.
    key = (width, height, pixformat)
    if key not in _canvases:
        import image

        _canvases[key] = image.Image(width, height, pixformat)
    return _canvases[key]
