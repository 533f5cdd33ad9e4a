"""Indexing, assignment and reshaping (golden getitem*, setitem_*, mask*, shape*)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ._convert import convert, to_int, truncated
from ._core import BOOLEAN, F32, MAX_DIMS, NO_DIMS, Array, Raw, UlabTrap, canonical, is_dense


def each(values: Iterable[Any], flag: int) -> Iterator[Any]:
    """The elements one by one, as Python objects."""
    if flag & BOOLEAN:
        return (bool(v) for v in values)
    return (v.item() for v in values)


def flat(raw: Raw) -> Iterator[Any]:
    """The elements of `a.flat`, which is correct in ulab only for 1-D and for dense 2-D arrays."""
    a = raw._np
    if a.size and (a.ndim > 2 or (a.ndim == 2 and not canonical(a))):
        raise UlabTrap("flat", "of a 3-D array or a 2-D view reads wrong elements: use flatten()")
    return each(a.flat, raw._flag)


def _checked(raw: Raw, index: Any, kind: type) -> Any:
    """Convert an index to one that has the same meaning in numpy."""
    if kind is int:
        return index
    if kind is slice:
        if raw._flag & NO_DIMS:
            raise UlabTrap(
                "slice of nothing",
                "a slice of an array without a dimension (zeros(0), a mask without hits) is the number 0",
            )
        return index
    if kind is tuple:
        if len(index) > (0 if raw._flag & NO_DIMS else raw._np.ndim):
            raise IndexError("too many indices")
        for part in index:
            if type(part) is not int and type(part) is not slice:
                raise IndexError("indices must be integers, slices, or Boolean lists")
        return index
    raise UlabTrap(
        "index of another kind",
        f"a[{kind.__name__}] returns None and a[{kind.__name__}] = x does nothing: use np.take, a mask, or slices",
    )


def view(raw: Raw, index: Any, kind: type) -> Any:
    """A numpy view (a copy for a mask), or a Python scalar."""
    if isinstance(index, Raw):
        return _masked(raw, index)
    index = _checked(raw, index, kind)
    try:
        part = raw._np[index]
    except IndexError:
        raise IndexError("index is out of bounds") from None
    return part if isinstance(part, np.ndarray) else part.item()


def _mask(index: Raw) -> Array:
    if index._np.ndim > 1 or not index._flag & BOOLEAN:
        raise NotImplementedError("operation is implemented for 1D Boolean arrays only")
    if (index._np > 1).any():
        raise UlabTrap(
            "mask with other bytes", "this boolean array holds bytes other than 0 and 1: hits are miscounted"
        )
    return index._np


def _walkable(raw: Raw) -> Array:
    """The elements in the order in which a mask iterates over them in ulab: by the last stride alone."""
    a = raw._np
    if a.ndim > 1:
        if not canonical(a):
            raise UlabTrap(
                "mask on a view", "a 1-D mask reads a view that is not dense with its last stride only: use flatten()"
            )
        a = a.reshape(-1)
    return a


def _masked(raw: Raw, index: Raw) -> Array:
    mask = _mask(index)
    if raw._np.size != mask.size:
        raise ValueError("array and index length must be equal")
    return _walkable(raw)[mask != 0]  # type: ignore[no-any-return]


def _assign_masked(raw: Raw, index: Raw, values: Any) -> None:
    mask = _mask(index) != 0
    if raw._np.size != mask.size:
        raise UlabTrap(
            "length of a mask", "is not checked on assignment: memory outside the array is read or written"
        )
    hits = int(np.count_nonzero(mask))
    if values.size not in (1, hits):
        if hits == 0:
            return
        raise UlabTrap(
            "values under a mask", f"{values.size} values for {hits} hits: all of them get the first value"
        )
    if values.ndim > 1:
        raise UlabTrap("values under a mask", "are read as a 1-D array: use flatten()")
    target = _walkable(raw)
    if values.dtype == F32 and target.dtype != F32:
        target[mask] = truncated(np.asarray(values), target.dtype)
    else:
        target[mask] = np.asarray(values).astype(target.dtype)


def assign(raw: Raw, index: Any, values: Any) -> None:
    """`a[index] = values`: floats into an int array round half away from zero, ints wrap."""
    if isinstance(index, Raw):
        _assign_masked(raw, index, values)
        return
    index = _checked(raw, index, type(index))
    a = raw._np
    try:
        target = a[index]
    except IndexError:
        raise IndexError("index is out of bounds") from None
    if isinstance(target, np.ndarray) and target.shape == values.shape and target.dtype == values.dtype and target.size:
        a[index] = values
        return
    if values.size == 0:
        return
    whole = target.shape if isinstance(target, np.ndarray) else ()
    shape = np.shape(values)
    for i in range(1, max(len(whole), len(shape)) + 1):
        m = whole[-i] if i <= len(whole) else 0
        n = shape[-i] if i <= len(shape) else 0
        if m != n and m > 1 and n > 1:
            raise ValueError("operands could not be broadcast together")
    if 0 in whole:
        raise UlabTrap(
            "assignment to an empty slice", "writes one element at its start: test the length first"
        )
    for i in range(1, len(shape) + 1):
        if shape[-i] > (whole[-i] if i <= len(whole) else 1):
            raise UlabTrap(
                "more values than places", f"{shape} values do not fit into {whole}: only the first ones of an axis are used"
            )
    made = convert(np.asarray(values), a.dtype)
    a[index] = made.reshape(shape[max(0, len(shape) - len(whole)) :])


def reshape(raw: Raw, shape: Any, wrap: Callable[[Array, int], Any]) -> Any:
    if type(shape) is int:
        shape = (shape,)
    elif not isinstance(shape, tuple):
        raise TypeError("shape must be integer or tuple of integers")
    if len(shape) > MAX_DIMS:
        raise ValueError(f"maximum number of dimensions is ({MAX_DIMS})")
    a = raw._np
    sizes = [to_int(n) for n in shape]
    unknown = [i for i, n in enumerate(sizes) if n < 0]
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    known = 1
    for n in sizes:
        known *= n if n >= 0 else 1
    if unknown:
        if known == 0:
            raise UlabTrap("reshape", "-1 together with a 0 divides by zero")
        sizes[unknown[0]] = a.size // known
        if known * sizes[unknown[0]] != a.size:
            raise UlabTrap("reshape", f"-1 in {shape} drops the rest of {a.size} elements silently")
    elif known != a.size:
        raise ValueError("cannot reshape array")
    if not sizes:
        raise UlabTrap("reshape", "() leaves an array without elements")
    if not is_dense(raw):
        return wrap(np.array(a, order="C").reshape(sizes), 0)
    if not a.flags.c_contiguous:
        raise UlabTrap(
            "view taken for dense",
            "reshape of this transposed or reversed view returns the elements in another order: copy() first",
        )
    return wrap((a if canonical(a) else a.reshape(-1)).reshape(sizes), raw._flag & BOOLEAN)


def transposition(axes: object, ndim: int) -> tuple[int, ...]:
    if not isinstance(axes, tuple):
        raise TypeError("keyword argument must be tuple of integers")
    if len(axes) > ndim:
        raise ValueError("too many axes specified")
    order: list[int] = []
    for axis in axes:
        if not 0 <= to_int(axis) < ndim:
            raise ValueError("axis index out of bounds")
        if axis in order:
            raise ValueError("repeated indices")
        order.append(axis)
    if len(order) < ndim:
        raise UlabTrap("transpose", "with fewer axes than dimensions may repeat an axis: name all of them")
    return tuple(order)
