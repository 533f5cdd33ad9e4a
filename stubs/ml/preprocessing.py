"""ml.preprocessing.Normalization: how an image becomes the numbers of an input tensor."""

from __future__ import annotations

from typing import Any, overload

import _host
import image
import numpy as np

Triple = tuple[float, float, float] | list[float]


class Normalization:
    """Fits an image into a network's input and scales its values.

    Called with an image it returns an input for that image, to be put into `predict([...])`; the first image's whole
    area becomes `roi` unless one was given, and stays it for images that come later. The input, called by the model
    with its tensor's memory, draws the image there: firmware 5.0 stretches the roi, 4.8.1 cuts out its middle. On the
    way a color image is RGB565. An int8 tensor gets the bytes minus 128, a float one 0..255 mapped to `scale`, then
    less `mean`, then divided by `stdev`. (On an OpenMV N6 the graphics unit scales the image, with a rounding of its
    own.)
    """

    def __init__(
        self,
        scale: tuple[float, float] = (0.0, 1.0),
        mean: Triple = (0.0, 0.0, 0.0),
        stdev: Triple = (1.0, 1.0, 1.0),
        roi: tuple[int, int, int, int] | None = None,
    ) -> None:
        self.scale = scale
        self.mean = mean
        self.stdev = stdev
        self.roi = roi
        self._image: image.Image | None = None

    @overload
    def __call__(self, source: image.Image, /) -> Normalization: ...

    @overload
    def __call__(self, buffer: bytearray, shape: tuple[int, ...], dtype: int, /) -> None: ...

    def __call__(self, *args: Any) -> Any:
        if len(args) == 1:
            return self._of(args[0])
        buffer, shape, dtype = args
        return self._fill(buffer, shape, dtype)

    def _of(self, source: Any) -> Normalization:
        if not isinstance(source, image.Image):
            raise ValueError("Expected an image input")
        if self.roi is None:
            self.roi = (0, 0, source.width(), source.height())
        fitted = Normalization(self.scale, self.mean, self.stdev, self.roi)
        fitted._image = source
        return fitted

    def _fill(self, buffer: bytearray, shape: tuple[int, ...], dtype: int) -> None:
        if len(shape) != 4:
            raise ValueError("Expected input tensor with shape: (1, H, W, C)")
        batches, height, width, channels = shape
        if batches != 1:
            raise ValueError("Expected batches to be 1")
        if channels not in (1, 3):
            raise ValueError("Expected channels to be 1 or 3")
        if self._image is None:
            raise ValueError("Expected an image input")

        fit = image.SCALE_ASPECT_EXPAND if _host.old("fit") else image.SCALE_ASPECT_IGNORE
        drawn = image.Image(width, height, image.GRAYSCALE if channels == 1 else image.RGB565)
        drawn.draw_image(self._image, 0, 0, roi=self.roi, hint=image.BILINEAR | image.CENTER | fit)
        drawn.to_ndarray(dtype, buffer=buffer)
        if dtype == ord("f"):
            self._normalize(np.frombuffer(buffer, dtype=np.float32).reshape(height, width, channels))

    def _normalize(self, values: np.ndarray[Any, np.dtype[np.float32]]) -> None:
        low, high = self.scale
        mean, stdev = np.array(self.mean, dtype=np.float32), np.array(self.stdev, dtype=np.float32)
        if values.shape[2] == 1:
            luma = np.array((0.299, 0.587, 0.114), dtype=np.float32)
            mean, stdev = mean @ luma, stdev @ luma
        values *= np.float32((high - low) / 255.0) / stdev
        values += (np.float32(low) - mean) / stdev
