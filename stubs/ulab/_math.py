"""Functions of one variable, arctan2, around (`vector.c` of ulab 6.12.0; golden math_*).

Computed in double precision and rounded once: the C libraries differ from each other in the last bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ._array import fresh, ndarray, wrap
from ._convert import float32, operand, to_int
from ._core import F32, NO_DIMS, Array, Raw, UlabTrap, canonical

_Function = Callable[[Array], Array]


@np.errstate(all="ignore")
def _apply(function: _Function, x: Any, out: Any) -> Any:
    if type(x) is not bool and isinstance(x, (int, float)):
        return float(function(np.asarray(float32(x), np.float64)).astype(F32))
    if type(x) is bool:
        raise UlabTrap("math of a bool", "treats each byte as a float and writes outside the array")
    if not isinstance(x, Raw):
        a = operand(x)[0]
        return wrap(function(a.astype(np.float64)).astype(F32))
    a = x._np
    if out is None:
        return wrap(function(a.astype(np.float64, order="C")).astype(F32, order="C"), x._flag & NO_DIMS)
    if not isinstance(out, ndarray):
        raise ValueError("out must be an ndarray")
    if out._np.dtype != F32:
        raise ValueError("out must be of float dtype")
    if out.ndim != x.ndim:  # type: ignore[attr-defined]
        raise ValueError("input and output dimensions differ")
    if out.shape != a.shape:
        raise ValueError("input and output shapes differ")
    if not canonical(out._np):
        raise UlabTrap("out= of a view", "an output that is not dense is written as if it were")
    out._np[...] = function(a.astype(np.float64)).astype(F32)
    return out


def _in_float32(function: _Function) -> _Function:
    """For functions with specified rounding: the argument is exact in float32."""
    return lambda x: function(x.astype(F32))


_PI = np.float32(np.pi)


class _Elementwise(Protocol):
    def __call__(self, x: Any, /, *, out: ndarray | None = None, dtype: object = None) -> Any: ...


def _function(function: _Function) -> _Elementwise:
    return lambda x, /, *, out=None, dtype=None: _apply(function, x, out)


acos = _function(np.arccos)
acosh = _function(np.arccosh)
asin = _function(np.arcsin)
asinh = _function(np.arcsinh)
atan = _function(np.arctan)
atanh = _function(np.arctanh)
ceil = _function(np.ceil)
cos = _function(np.cos)
cosh = _function(np.cosh)
degrees = _function(_in_float32(lambda v: v * np.float32(180) / _PI))
exp = _function(np.exp)
expm1 = _function(np.expm1)
floor = _function(np.floor)
log = _function(np.log)
log10 = _function(np.log10)
log2 = _function(np.log2)
radians = _function(_in_float32(lambda v: v * _PI / np.float32(180)))
sin = _function(np.sin)
sinh = _function(np.sinh)
tan = _function(np.tan)
tanh = _function(np.tanh)


def sqrt(x: Any, /, *, out: ndarray | None = None) -> Any:
    return _apply(np.sqrt, x, out)


def arctan2(y: Any, x: Any, /) -> Any:
    top, bottom = operand(y)[0], operand(x)[0]
    if top.size == 0 or bottom.size == 0:
        raise UlabTrap("empty array", "arctan2 of an empty array reads outside it")
    try:
        angle = np.arctan2(top, bottom, dtype=np.float64, order="C").astype(F32)
    except ValueError:
        raise ValueError("operands could not be broadcast together") from None
    return wrap(angle) if angle.ndim else float(angle)


@np.errstate(all="ignore")
def around(array: ndarray, /, *, decimals: int = 0, out: None = None) -> ndarray:
    """Round half away from zero; a float array."""
    if not isinstance(array, Raw):
        raise TypeError("first argument must be an ndarray")
    if out is not None:
        raise ValueError("out keyword is not supported for function")
    factor = np.float32(10.0 ** to_int(decimals))
    scaled = (array._np.astype(F32) * factor).astype(np.float64)
    whole = np.trunc(scaled + np.copysign(0.5, scaled)).astype(F32)
    return fresh(whole / factor, array._flag & NO_DIMS)
