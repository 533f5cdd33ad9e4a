"""Names that ulab 6.7.3 (firmware 4.8.1) lacks. Its int conversion is in _convert.py, `ndim` in _array.py.

The real 6.7.3 differs in 136 of the recorded cases of 6.12.0, and these are the only reasons.
"""

from __future__ import annotations

import sys
from typing import Any

import _host

from . import numpy
from ._array import ndarray

_transpose_by_axes = ndarray.transpose


def _transpose(self: ndarray) -> ndarray:
    return _transpose_by_axes(self)


# (owner, name, its value in 6.7.3, or None if it is missing there)
_DIFFERENCES: tuple[tuple[Any, str, Any], ...] = (
    (sys.modules[__package__], "__version__", "6.7.3-(4)D"),
    (numpy, "bincount", None),
    (numpy, "meshgrid", None),
    (ndarray, "__mod__", None),
    (ndarray, "__imod__", None),
    (ndarray, "transpose", _transpose),
)
_NEW = [vars(owner)[name] for owner, name, _ in _DIFFERENCES]


def _follow() -> None:
    for (owner, name, old), new in zip(_DIFFERENCES, _NEW, strict=True):
        value = old if _host.old("ulab") else new
        if value is not None:
            setattr(owner, name, value)
        elif name in vars(owner):
            delattr(owner, name)


_host.follow_firmware(_follow)
