"""sort, argsort, median, flip (`numerical.c` of ulab 6.12.0; golden select_*, view_*)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import fresh, linear, ndarray, wrap
from ._convert import to_int
from ._core import BOOLEAN, F32, U16, Array, UlabTrap
from ._reduce import checked_axis


def _ndarray(obj: Any, name: str) -> ndarray:
    if not isinstance(obj, ndarray):
        raise TypeError(f"{name} argument must be an ndarray")
    return obj


def _unsigned_order(lanes: Array) -> None:
    """Signed integers are sorted by their bits, so negative ones come last."""
    if lanes.dtype.char in "bh" and lanes.size:
        negative = lanes < 0
        if (negative.any(-1) & ~negative.all(-1)).any():
            raise UlabTrap(
                "unsigned order", "sort, argsort and median put negative integers last: convert to float first"
            )


def _heap_order(values: list[Any]) -> list[int]:
    """The order in which ulab's heap sort leaves equal elements and NaN (select_255..257)."""
    order = list(range(len(values)))
    q = len(values)
    r = q >> 1
    while True:
        if r > 0:
            r -= 1
            held = order[r]
        else:
            q -= 1
            if q <= 0:
                return order
            held = order[q]
            order[q] = order[0]
        key = values[held]
        p, c = r, 2 * r + 1
        while c < q:
            if c + 1 < q and values[order[c + 1]] > values[order[c]]:
                c += 1
            if not values[order[c]] > key:
                break
            order[p] = order[c]
            p, c = c, 2 * c + 1
        order[p] = held


def _order(lane: Array) -> Array:
    """Indices that sort one lane. Equal elements are in the order of the heap sort."""
    order = lane.argsort(kind="stable")
    ranked = lane[order]
    if len(lane) > 1 and not (ranked[1:] > ranked[:-1]).all():
        order = np.array(_heap_order(lane.tolist()))
    return order


def _sorted_lanes(lanes: Array) -> Array:
    """Sorted along the last axis."""
    _unsigned_order(lanes)
    if (
        lanes.dtype == F32
        and lanes.size
        and (np.isnan(lanes).any() or (np.signbit(lanes) & (lanes == 0)).any())
    ):
        return np.stack([lane[_order(lane)] for lane in lanes.reshape(-1, lanes.shape[-1])]).reshape(
            lanes.shape
        )
    return np.sort(lanes, axis=-1)


def sort(array: Any, /, *, axis: int | None = None) -> ndarray:
    """A sorted copy; with axis=None, of the flattened array."""
    source = _ndarray(array, "sort")
    a = source._np
    if axis is None:
        return wrap(_sorted_lanes(a.reshape(-1)).copy(), source._flag & BOOLEAN)
    axis = checked_axis(to_int(axis), source.ndim)
    moved = np.moveaxis(_sorted_lanes(np.moveaxis(a, axis, -1)), -1, axis)
    return fresh(moved, source._flag)


def _sort_inplace(array: ndarray, *, axis: int | None = -1) -> None:
    if axis is None:
        if array._np.ndim > 1:
            raise UlabTrap("sort(axis=None)", "in place makes the array itself 1-D: use np.sort")
        axis = 0
    array._np[...] = sort(array, axis=axis)._np


ndarray.sort = _sort_inplace  # type: ignore[assignment, method-assign]


def argsort(array: Any, /, *, axis: int | None = None) -> ndarray:
    """uint16 indices. The sort is not stable: equal elements are in the order of a heap sort."""
    source = _ndarray(array, "argsort")
    a = source._np
    if axis is None:
        raise NotImplementedError("argsort is not implemented for flattened arrays")
    if any(n > 65535 for n in a.shape):
        raise ValueError("axis too long")
    axis = checked_axis(to_int(axis), source.ndim)
    if a.shape[axis] > 32768:
        raise UlabTrap(
            "argsort too long", "beyond 32768 elements the permutation is wrong, at 65535 it never ends"
        )
    if a.size == 0:
        return wrap(np.zeros(a.shape, U16))
    lanes = np.moveaxis(a, axis, -1)
    _unsigned_order(lanes)
    flat = lanes.reshape(-1, lanes.shape[-1])
    order = np.stack([_order(lane) for lane in flat]).astype(U16).reshape(lanes.shape)
    return fresh(np.moveaxis(order, -1, axis))


def median(array: Any, /, *, axis: int | None = None) -> Any:
    """A float; with an axis of 2 or more dimensions, a float array."""
    source = _ndarray(array, "median")
    a = source._np
    if a.size == 0:
        return float("nan")
    if axis is None or a.ndim == 1:
        if axis is not None:
            checked_axis(to_int(axis), a.ndim)
        lanes = a.reshape(-1)
    else:
        lanes = np.moveaxis(a, checked_axis(to_int(axis), a.ndim), -1)
    middle = _middle(np.sort(lanes, -1) if lanes.dtype.char in "bh" else _sorted_lanes(lanes))
    if lanes.dtype.char in "bh":
        bits = np.sort(lanes.astype(lanes.dtype.char.upper(), order="C"), -1)
        if (_middle(bits.view(lanes.dtype)) != middle).any():
            _unsigned_order(lanes)
    return fresh(middle) if lanes.ndim > 1 else float(middle)


def _middle(ranked: Array) -> Array:
    n = ranked.shape[-1]
    middle = ranked[..., n >> 1].astype(F32)
    if n % 2 == 0:
        middle = (middle + ranked[..., (n >> 1) - 1].astype(F32)) * np.float32(0.5)
    return middle


def flip(array: Any, /, *, axis: int | None = None) -> ndarray:
    """With an axis, a view; without one, a reversed flat copy."""
    source = _ndarray(array, "flip")
    a = source._np
    if axis is None:
        flat = a.flatten()
        return linear(flat[::-1]) if flat.size else linear(flat)
    if type(axis) is not int:
        raise TypeError("wrong axis index")
    return wrap(np.flip(a, checked_axis(axis, source.ndim)), source._flag)
