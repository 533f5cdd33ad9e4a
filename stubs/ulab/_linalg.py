"""`ulab.numpy.linalg` (golden dot_107..110): computed in double precision, rounded to float32 once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import fresh, ndarray
from ._convert import items, to_float
from ._core import F32, Array, Raw, UlabTrap
from ._linear import square
from ._reduce import checked_axis


def _symmetric(m: Any) -> Array:
    a = square(m).astype(np.float64)
    if (abs(a - a.T) > 1.2e-7).any():
        raise ValueError("input matrix is asymmetric")
    return a


def cholesky(m: ndarray, /) -> ndarray:
    try:
        return fresh(np.linalg.cholesky(_symmetric(m)).astype(F32))
    except np.linalg.LinAlgError:
        raise ValueError("matrix is not positive definite") from None


def det(m: ndarray, /) -> float:
    return float(np.float32(np.linalg.det(square(m).astype(np.float64))))


def eig(m: ndarray, /) -> tuple[ndarray, ndarray]:
    """Eigenvalues of a symmetric matrix. The order and signs of the board's Jacobi rotations are not imitated."""
    values, vectors = np.linalg.eigh(_symmetric(m))
    return fresh(values.astype(F32)), fresh(vectors.astype(F32))


def inv(m: ndarray, /) -> ndarray:
    try:
        return fresh(np.linalg.inv(square(m).astype(np.float64)).astype(F32))
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


def qr(m: ndarray, /, mode: str = "reduced") -> tuple[ndarray, ndarray]:
    """QR decomposition. The signs of the board's Givens rotations are not imitated."""
    if not isinstance(m, Raw):
        raise TypeError("operation is defined for ndarrays only")
    if m._np.ndim != 2:
        raise ValueError("operation is defined for 2D arrays only")
    if mode not in ("reduced", "complete"):
        raise ValueError("mode must be complete, or reduced")
    q, r = np.linalg.qr(m._np.astype(np.float64), mode)  # type: ignore[call-overload]
    return fresh(q.astype(F32)), fresh(r.astype(F32))
