"""dot and interp (golden dot_*, math_179..184)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import linear, ndarray, wrap
from ._convert import float32, operand, to_float
from ._core import F32, NO_DIMS, Array, Raw, UlabTrap


def _exact(left: Array, right: Array) -> bool:
    """Integer products whose sums stay below 2**24 are exact in float32 in any order."""
    if left.dtype == F32 or right.dtype == F32 or not left.size or not right.size:
        return False
    bound = max(abs(int(left.max())), abs(int(left.min()))) * max(
        abs(int(right.max())), abs(int(right.min()))
    )
    return bound * left.shape[-1] < 1 << 24  # type: ignore[no-any-return]


@np.errstate(all="ignore")
def _product(left: Array, right: Array) -> Array:
    """Multiply (i, k) by (k, j), with a sequential float32 sum over k."""
    x, y = left.astype(F32), right.astype(F32)
    if _exact(left, right):
        return x @ y
    total = np.zeros((x.shape[0], y.shape[1]), F32)
    for k in range(x.shape[1]):
        total += x[:, k, None] * y[k]
    return total


def dot(a: ndarray, b: ndarray, /) -> Any:
    """Dot product of 1-D and 2-D arrays of any dtype: a float, or a float array."""
    if not isinstance(a, Raw) or not isinstance(b, Raw):
        raise TypeError("arguments must be ndarrays")
    left, right = a._np, b._np
    if left.ndim > 2 or right.ndim > 2:
        raise UlabTrap(
            "dot in 3-D", "uses only the last dimensions and reads outside views: loop over the first axis"
        )
    if left.shape[-1] != right.shape[0]:
        raise ValueError("dimensions do not match")
    if (a._flag | b._flag) & NO_DIMS:
        raise UlabTrap(
            "dot of nothing",
            "an empty array without a dimension (zeros(0), a mask without hits) returns an array",
        )
    if left.ndim == 1 and right.ndim == 1:
        if left.size == 0:
            return 0.0
        with np.errstate(all="ignore"):
            products = left.astype(F32) * right.astype(F32)
            return float(np.add.accumulate(products)[-1])
    made = _product(left if left.ndim == 2 else left[None], right if right.ndim == 2 else right[:, None])
    return wrap(made if left.ndim == right.ndim else made.reshape(-1))


def interp(x: Any, xp: Any, fp: Any, /, *, left: float | None = None, right: float | None = None) -> ndarray:
    """Always returns an array, also for a scalar (math_180)."""
    at, xs, ys = operand(x)[0], operand(xp)[0], operand(fp)[0]
    if np.ndim(xs) != 1 or np.ndim(ys) != 1 or xs.size < 2 or xs.size != ys.size:
        raise ValueError("interp is defined for 1D iterables of equal length")
    if np.ndim(at) > 1:
        raise UlabTrap("interp in 2-D", "reads x with its last stride only: flatten() it")
    at, xs, ys = np.atleast_1d(at).astype(F32), xs.astype(F32), ys.astype(F32)
    low = ys[0] if left is None else float32(to_float(left))
    high = ys[-1] if right is None else float32(to_float(right))
    right_of = np.clip(np.searchsorted(xs, at, side="left"), 1, xs.size - 1)
    left_of = right_of - 1
    with np.errstate(all="ignore"):
        inside = ys[left_of] + (at - xs[left_of]) * (ys[right_of] - ys[left_of]) / (
            xs[right_of] - xs[left_of]
        )
    return linear(np.where(at < xs[0], low, np.where(at > xs[-1], high, inside)).astype(F32))
