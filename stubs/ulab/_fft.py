"""`ulab.numpy.fft`. There are no complex numbers, so real and imaginary parts are separate arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._array import ndarray, wrap
from ._core import F32, Raw


def _transform(function: Callable[[Any], Any], real: Any, imag: Any) -> tuple[ndarray, ndarray]:
    if not isinstance(real, Raw) or not (imag is None or isinstance(imag, Raw)):
        raise NotImplementedError("FFT is defined for ndarrays only")
    values = real._np.astype(np.complex128)
    n = values.size
    if values.ndim != 1:
        raise TypeError("FFT is implemented for linear arrays only")
    if n == 0 or n & (n - 1):
        raise ValueError("input array length must be power of 2")
    if imag is not None:
        if imag._np.ndim != 1:
            raise TypeError("FFT is implemented for linear arrays only")
        if imag._np.size != n:
            raise ValueError("real and imaginary parts must be of equal length")
        values = values + 1j * imag._np.astype(np.float64)
    made = function(values)
    return wrap(made.real.astype(F32)), wrap(made.imag.astype(F32))


def fft(real: ndarray, imag: ndarray | None = None, /) -> tuple[ndarray, ndarray]:
    return _transform(np.fft.fft, real, imag)


def ifft(real: ndarray, imag: ndarray | None = None, /) -> tuple[ndarray, ndarray]:
    return _transform(np.fft.ifft, real, imag)
