"""Model inputs that fit a frame the same way on every firmware: Stretch, Crop and Letterbox.

Passed to `predict` in a list, they fill the input tensor; their `fit` is how geometry.fit_of knows the way back.
"""

from .geometry import Fit, checked_roi


class Input:
    """A model input made of an image that is fitted the same way on every firmware: pass it to `predict` in a list.

    img is the frame, roi (x, y, w, h) the part of it to use; whatever else is given (scale, mean, stdev) goes to
    OpenMV's `ml.preprocessing.Normalization`, which does the conversion to the model's numbers.
    """

    def __init__(self, img, roi=None, **normalization):
        width, height = img.width(), img.height()
        self.image = img
        self.roi = checked_roi(roi) if roi is not None else (0, 0, width, height)
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
