"""`ulab.numpy.fft`."""

from .._fft import fft, ifft

__all__ = ["fft", "ifft"]
