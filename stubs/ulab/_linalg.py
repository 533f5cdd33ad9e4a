"""`ulab.numpy.linalg` (golden dot_107..110): computed in double precision, rounded to float32 once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import fresh, ndarray
from ._convert import items, to_float
from ._core import F32, Array, Raw, UlabTrap
from ._reduce import checked_axis


def _square(m: Any) -> Array:
    if not isinstance(m, Raw):
        raise TypeError("size is defined for ndarrays only")
    if m._np.ndim != 2 or m._np.shape[0] != m._np.shape[1]:
        raise ValueError("input must be square matrix")
    return m._np


def det(m: ndarray, /) -> float:
    return float(np.float32(np.linalg.det(_square(m).astype(np.float64))))


def inv(m: ndarray, /) -> ndarray:
    try:
        return fresh(np.linalg.inv(_square(m).astype(np.float64)).astype(F32))
    except np.linalg.LinAlgError:
        raise ValueError("input matrix is singular") from None


def norm(x: Any, /, axis: int | None = None) -> Any:
    if not isinstance(x, (Raw, tuple, list, range)):
        raise UlabTrap("norm", f"of {type(x).__name__} gives None")
    if not isinstance(x, Raw):
        return float(np.float32(np.linalg.norm([to_float(v) for v in items(x)])))
    a = x._np.astype(np.float64)
    if a.size == 0:
        raise UlabTrap("empty array", "norm of an empty array reads an element outside it")
    if axis is None:
        return float(np.float32(np.linalg.norm(a)))
    made = np.linalg.norm(a, axis=checked_axis(axis, a.ndim))
    return fresh(np.atleast_1d(made).astype(F32))
