"""dot, trace, interp, trapz, polynomials, convolve (golden dot_*, reduce_arg_082.., math_179..184)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import linear, ndarray, wrap
from ._convert import float32, items, operand, to_float, to_int
from ._core import F32, NO_DIMS, Array, Raw, UlabTrap
from ._reduce import running_mean


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


def square(a: Any) -> Array:
    if not isinstance(a, Raw):
        raise TypeError("size is defined for ndarrays only")
    if a._np.ndim != 2 or a._np.shape[0] != a._np.shape[1]:
        raise ValueError("input must be square matrix")
    return a._np


def trace(m: ndarray, /) -> Any:
    a = square(m)
    total = np.float32(0)
    for value in np.diagonal(a):
        total = total + np.float32(value)
    return float(total) if a.dtype == F32 else int(total)


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


def trapz(y: Any, x: Any = None, dx: float = 1.0) -> float:
    ys = operand(y)[0]
    if ys.size < 2:
        return 0.0
    if ys.ndim != 1:
        raise ValueError("trapz is defined for 1D iterables")
    heights = ys.astype(F32)
    if x is None:
        if ys.strides[0] != ys.itemsize:
            raise UlabTrap("trapz of a view", "ignores the stride of a view: copy() it first")
        mean = np.float32(running_mean((heights[1:] + heights[:-1]).tolist())) * float32(to_float(dx))
    else:
        xs = operand(x)[0]
        if xs.ndim != 1 or xs.size != ys.size:
            raise ValueError("trapz is defined for 1D arrays of equal length")
        widths = np.diff(xs.astype(F32))
        mean = np.float32(running_mean((widths * (heights[1:] + heights[:-1])).tolist()))
    return float(np.float32(0.5) * mean * np.float32(ys.size - 1))


def polyfit(*arguments: Any) -> ndarray:
    """polyfit(y, degree) or polyfit(x, y, degree): the coefficients, highest power first."""
    if not 2 <= len(arguments) <= 3:
        raise TypeError(f"function expected 2 or 3 arguments, got {len(arguments)}")
    ys = [to_float(v) for v in items(arguments[-2])]
    xs = [to_float(v) for v in items(arguments[0])] if len(arguments) == 3 else list(range(len(ys)))
    if len(xs) != len(ys):
        raise ValueError("input vectors must be of equal length")
    degree = to_int(arguments[-1])
    if len(ys) < degree:
        raise ValueError("more degrees of freedom than data points")
    powers = np.vander(np.array(xs, np.float64), degree + 1)
    try:
        beta = np.linalg.solve(powers.T @ powers, powers.T @ np.array(ys, np.float64))
    except np.linalg.LinAlgError:
        raise ValueError("could not invert Vandermonde matrix") from None
    return wrap(beta.astype(F32))


@np.errstate(all="ignore")
def polyval(p: Any, x: Any, /) -> Any:
    if not isinstance(p, (ndarray, tuple, list, range)):
        raise TypeError("input is not iterable")
    factors = [float32(to_float(v)) for v in items(p)]
    array_like = isinstance(x, (ndarray, tuple, list, range))
    at = np.ascontiguousarray(operand(x)[0], F32) if array_like else np.asarray(float32(to_float(x)))
    value = np.full(at.shape, factors[0], F32)
    for factor in factors[1:]:
        value = value * at + factor
    return wrap(value) if array_like else float(value)


def convolve(a: ndarray, v: ndarray) -> ndarray:
    """The full convolution of two 1-D arrays."""
    if not isinstance(a, Raw) or not isinstance(v, Raw):
        raise TypeError("convolve arguments must be ndarrays")
    if a._np.ndim != 1 or v._np.ndim != 1:
        raise TypeError("convolve arguments must be linear arrays")
    if a._np.size == 0 or v._np.size == 0:
        raise TypeError("convolve arguments must not be empty")
    return wrap(np.convolve(a._np.astype(np.float64), v._np.astype(np.float64)).astype(F32))
