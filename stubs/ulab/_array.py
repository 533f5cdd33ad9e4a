"""The ndarray: a strict wrapper around one numpy array, with ulab's methods only.

Source: ulab 6.12.0 `ndarray.c`, `ndarray_properties.c`; golden getitem*, setitem_*, mask*, shape*, view_*,
share_*, unary_*, misc_*, absent_*.
"""

from __future__ import annotations

import dis
import math
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import _host
import numpy as np

from . import _index, _ops
from ._convert import convert, from_iterable, operand
from ._core import BOOLEAN, F32, FLOAT, NO_DIMS, Array, Raw, UlabTrap, dense, dense_bytes, dtype_of, flat_view, is_dense
from ._print import text

_new = object.__new__

# CPython evaluates `3 < a` as `a > 3`, where MicroPython raises TypeError. The caller's current instruction
# shows which of the two was written.
_COMPARE_OP = dis.opmap["COMPARE_OP"]
_ARGUMENTS = {  # the instruction that this CPython compiles after it, in an expression and in a condition
    instruction.arg: operator
    for operator in ("<", "<=", ">", ">=")
    for source in (f"a {operator} b", f"if a {operator} b: c")
    for instruction in dis.get_instructions(compile(source, "", "exec"))
    if instruction.opcode == _COMPARE_OP
}


def _written(frame: Any) -> str:
    """The comparison operator that the caller executes, or "" if it called the method in another way."""
    code = frame.f_code.co_code
    at = frame.f_lasti
    return _ARGUMENTS.get(code[at + 1], "") if code[at] == _COMPARE_OP else ""


def _reflected(operator: str, left: object) -> TypeError:
    name = {"<": "__lt__", ">": "__gt__", "<=": "__le__", ">=": "__ge__"}[operator]
    return TypeError(f"unsupported types for {name}: '{type(left).__name__}', 'ndarray'")


class _Len:
    """`len(a)` works, `a.__len__` is an AttributeError (absent_217), as in MicroPython."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if "__len__" in sys._getframe(1).f_code.co_names:
            raise AttributeError("'ndarray' object has no attribute '__len__'")
        return lambda: 0 if instance._flag & NO_DIMS else instance._np.shape[0]


class _SharedBytes(bytearray):
    """The result of `tobytes()`: on the board a bytearray over the array's own memory (share_014).

    Assigning to it changes the array. The reverse is not possible in CPython: after a change of the array,
    call `tobytes()` again.
    """

    _target: Array

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        self._target[index] = np.frombuffer(self, dtype=np.uint8)[index]


class ndarray(Raw):
    """`ulab.numpy.ndarray(iterable, *, dtype=np.float)`; `_np` is the numpy array over the same memory."""

    __slots__ = ()
    # with a numpy scalar or array on the left, this class performs the operation
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __new__(cls, source: Any, /, *, dtype: int = FLOAT) -> ndarray:
        return array(source, dtype=dtype)

    # -- attributes

    @property
    def shape(self) -> tuple[int, ...]:
        return self._np.shape  # type: ignore[no-any-return]

    @shape.setter
    def shape(self, shape: tuple[int, ...]) -> None:
        made = self.reshape(shape)
        if not is_dense(self):
            raise ValueError("cannot assign new shape")
        if made._np.ndim != self._np.ndim:
            raise UlabTrap(
                "assigned shape", "a different number of dimensions corrupts the shape: use reshape"
            )
        self._np = made._np

    @property
    def ndim(self) -> int:
        # The stand-in's own code uses it with 6.7.3 too.
        if _host.old("ulab") and not sys._getframe(1).f_globals.get("__name__", "").startswith("ulab."):
            raise AttributeError("'ndarray' object has no attribute 'ndim'")
        return 0 if self._flag & NO_DIMS else self._np.ndim

    @property
    def size(self) -> int:
        return self._np.size

    @property
    def itemsize(self) -> int:
        return self._np.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        a = self._np
        if self._flag & NO_DIMS:
            return ()
        if a.size == 0 and a.base is None:  # numpy uses different strides for a new empty array
            return tuple(a.itemsize * math.prod(a.shape[i:]) for i in range(1, a.ndim + 1))
        return a.strides

    @property
    def dtype(self) -> int:
        """The dtype as an int code, like `np.uint8`. Boolean arrays have the code of uint8."""
        return ord(self._np.dtype.char)

    @property
    def T(self) -> ndarray:
        a = self._np
        return self if a.ndim == 1 else wrap(a.T, self._flag)

    @property
    def flat(self) -> Iterator[Any]:
        return _index.flat(self)

    # -- methods

    def copy(self) -> ndarray:
        return wrap(np.array(self._np, order="C"), self._flag)

    def flatten(self, *, order: str = "C") -> ndarray:
        """A dense 1-D copy; a boolean array becomes uint8 (getitem_042)."""
        if not isinstance(order, str):
            raise TypeError("can't convert to str implicitly")
        if order not in ("C", "F"):
            raise ValueError("flattening order must be either 'C', or 'F'")
        return linear(self._np.flatten(order))  # type: ignore[arg-type]

    def reshape(self, shape: int | tuple[int, ...], /) -> ndarray:
        """A view if the array is dense, else a copy (uint8 for a boolean array)."""
        return _index.reshape(self, shape, wrap)  # type: ignore[no-any-return]

    def transpose(self, axes: tuple[int, ...] | None = None) -> ndarray:
        """A view; a 1-D array returns itself."""
        a = self._np
        if a.ndim == 1:
            return self
        if axes is None:
            return wrap(a.T, self._flag)
        return wrap(a.transpose(_index.transposition(axes, a.ndim)), self._flag)

    def tobytes(self) -> bytearray:
        """A bytearray over the same memory. The array must be dense."""
        if not dense_bytes(self, "tobytes"):
            raise ValueError("tobytes can be invoked for dense arrays only")
        flat = self._np.reshape(-1).view(np.uint8)
        shared = _SharedBytes(flat.tobytes())
        shared._target = flat
        return shared

    def tolist(self) -> list[Any]:
        if self._flag & BOOLEAN:
            return (self._np != 0).tolist()  # type: ignore[no-any-return]
        return self._np.tolist()  # type: ignore[no-any-return]

    def byteswap(self, *, inplace: bool = False) -> ndarray:
        if inplace is False:
            return wrap(np.array(self._np, order="C").byteswap(), self._flag)
        self._np.byteswap(inplace=True)
        return wrap(self._np[...], self._flag)

    def sort(self, *, axis: int | None = -1) -> None:
        raise NotImplementedError  # _sort.py sets it

    # -- the sequence

    if TYPE_CHECKING:

        def __len__(self) -> int: ...

    else:
        __len__ = _Len()

    def __iter__(self) -> Iterator[Any]:
        a = self._np
        if self._flag & NO_DIMS:
            return iter(())
        if a.ndim == 1:
            return _index.each(a, self._flag)
        return (wrap(row, self._flag) for row in a)

    def __contains__(self, value: object) -> bool:
        if self._np.ndim > 1:
            raise UlabTrap("in", "`in` is always True for a 2-D array: its rows are compared as truth values")
        return any(value == item for item in self)

    def __getitem__(self, index: Any) -> Any:
        a = self._np
        kind = type(index)
        if kind is int and a.ndim == 1:
            try:
                item = a.item(index)
            except IndexError:
                raise IndexError("index is out of bounds") from None
            return item != 0 if self._flag & BOOLEAN else item
        if kind is slice and not self._flag & NO_DIMS:
            return wrap(a[index], self._flag)
        view = _index.view(self, index, kind)
        if isinstance(view, np.ndarray):
            if isinstance(index, Raw):  # a copy, and uint8 if it was boolean
                return linear(view)
            return wrap(view, self._flag)
        return view != 0 if self._flag & BOOLEAN else view

    def __setitem__(self, index: Any, value: Any) -> None:
        values, _ = operand(value)
        _index.assign(self, index, values)

    def __delitem__(self, index: Any) -> None:
        raise ValueError("cannot delete array elements")

    def __bool__(self) -> bool:
        """True unless the array is empty. The truth value of a mask is always a mistake, so it is a trap (misc_018)."""
        if self._flag & BOOLEAN:
            raise UlabTrap(
                "truth of a mask",
                "`if mask`, `and`, `or` and `not` only test whether it is empty: use & | ~ or np.any",
            )
        return not self._flag & NO_DIMS and self._np.shape[0] > 0

    def __bytes__(self) -> bytes:
        if dense_bytes(self, "bytes"):
            return self._np.tobytes()
        if self._np.ndim > 1:
            raise TypeError("can't convert ndarray to int")
        return bytes(self._np.tolist())

    def __buffer__(self, flags: int) -> memoryview:
        """The buffer protocol in CPython 3.12 and later (PEP 688). Older versions need `ulab._host.memoryview`."""
        return flat_view(self)

    def __int__(self) -> int:
        raise ValueError("invalid syntax for integer with base 10")

    def __float__(self) -> float:
        raise ValueError("invalid syntax for number")

    def __repr__(self) -> str:
        return text(self._np, self._flag)

    # -- operators

    def __add__(self, other: Any) -> ndarray:
        a = self._np
        return wrap(*_ops.add(a, self._flag, *operand(other, a.dtype.char)))

    def __radd__(self, other: Any) -> ndarray:
        return wrap(*_ops.add(*operand(other), self._np, self._flag))

    def __iadd__(self, other: Any) -> ndarray:
        return self._inplace(np.add, other)

    def __sub__(self, other: Any) -> ndarray:
        a = self._np
        return wrap(*_ops.subtract(a, self._flag, *operand(other, a.dtype.char)))

    def __rsub__(self, other: Any) -> ndarray:
        return wrap(*_ops.subtract(*operand(other), self._np, self._flag))

    def __isub__(self, other: Any) -> ndarray:
        return self._inplace(np.subtract, other)

    def __mul__(self, other: Any) -> ndarray:
        a = self._np
        return wrap(*_ops.multiply(a, self._flag, *operand(other, a.dtype.char)))

    def __rmul__(self, other: Any) -> ndarray:
        return wrap(*_ops.multiply(*operand(other), self._np, self._flag))

    def __imul__(self, other: Any) -> ndarray:
        return self._inplace(np.multiply, other)

    def __truediv__(self, other: Any) -> ndarray:
        a = self._np
        return wrap(*_ops.true_divide(a, self._flag, *operand(other, a.dtype.char)))

    def __rtruediv__(self, other: Any) -> ndarray:
        return wrap(*_ops.true_divide(*operand(other), self._np, self._flag))

    def __itruediv__(self, other: Any) -> ndarray:
        return self._inplace(np.true_divide, other, True)

    def __floordiv__(self, other: Any) -> ndarray:
        a = self._np
        return fresh(*_ops.floor_divide(a, self._flag, *operand(other, a.dtype.char)))

    def __mod__(self, other: Any) -> ndarray:
        a = self._np
        return fresh(*_ops.modulo(a, self._flag, *operand(other, a.dtype.char)))

    def __imod__(self, other: Any) -> ndarray:
        return self._inplace(np.fmod, other)

    def __pow__(self, other: Any) -> ndarray:
        a = self._np
        return wrap(*_ops.power(a, self._flag, *operand(other, a.dtype.char)))

    def __rpow__(self, other: Any) -> ndarray:
        return wrap(*_ops.power(*operand(other), self._np, self._flag))

    def __ipow__(self, other: Any) -> ndarray:
        return self._inplace(np.power, other, True)

    def __and__(self, other: Any) -> ndarray:
        a = self._np
        return wrap(*_ops.logical_and(a, self._flag, *operand(other, a.dtype.char)))

    def __or__(self, other: Any) -> ndarray:
        a = self._np
        return wrap(*_ops.logical_or(a, self._flag, *operand(other, a.dtype.char)))

    def __xor__(self, other: Any) -> ndarray:
        a = self._np
        return wrap(*_ops.logical_xor(a, self._flag, *operand(other, a.dtype.char)))

    def __lt__(self, other: Any) -> ndarray:
        if _written(sys._getframe(1)) == ">":
            raise _reflected(">", other)
        a = self._np
        return wrap(*_ops.less(a, self._flag, *operand(other, a.dtype.char)))

    def __le__(self, other: Any) -> ndarray:
        if _written(sys._getframe(1)) == ">=":
            raise _reflected(">=", other)
        a = self._np
        return wrap(*_ops.less_equal(a, self._flag, *operand(other, a.dtype.char)))

    def __gt__(self, other: Any) -> Any:
        if _written(sys._getframe(1)) == "<":
            if isinstance(other, bytes) and dense_bytes(self, "a comparison with bytes"):
                return other < self._np.tobytes()  # as with every object that has the buffer protocol
            raise _reflected("<", other)
        a = self._np
        return wrap(*_ops.greater(a, self._flag, *operand(other, a.dtype.char)))

    def __ge__(self, other: Any) -> ndarray:
        if _written(sys._getframe(1)) == "<=":
            raise _reflected("<=", other)
        a = self._np
        return wrap(*_ops.greater_equal(a, self._flag, *operand(other, a.dtype.char)))

    def __eq__(self, other: Any) -> ndarray:  # type: ignore[override]
        self._not_itself(other)
        a = self._np
        return wrap(*_ops.equal(a, self._flag, *operand(other, a.dtype.char)))

    def __ne__(self, other: Any) -> ndarray:  # type: ignore[override]
        self._not_itself(other)
        a = self._np
        return wrap(*_ops.not_equal(a, self._flag, *operand(other, a.dtype.char)))

    def __neg__(self) -> ndarray:
        if self._flag & BOOLEAN:
            raise UlabTrap("-mask", "the negative of a boolean array holds 255 for True: use ~")
        return wrap(np.negative(self._np, order="C"), self._flag)

    def __pos__(self) -> ndarray:
        return self.copy()

    def __abs__(self) -> ndarray:
        if self._np.dtype.char in "BH":
            raise UlabTrap("abs of unsigned", "the elements are treated as floats, and memory outside the array is written")
        return fresh(np.where(self._np < 0, -self._np, self._np), self._flag)

    def __invert__(self) -> ndarray:
        if self._np.dtype == F32:
            raise ValueError("operation is not supported for given type")
        if self._flag & BOOLEAN:
            return wrap(np.bitwise_xor(self._np, np.uint8(1), order="C"), self._flag)
        return wrap(np.invert(self._np, order="C"), self._flag)

    def __reduce__(self) -> tuple[Any, ...]:
        # For pickle, copy.copy and copy.deepcopy on a PC: a dense array with its own memory.
        return wrap, (np.array(self._np, order="C"), self._flag)

    def _inplace(self, ufunc: np.ufunc, other: Any, needs_float: bool = False) -> ndarray:
        a = self._np
        right, rflag = operand(other, a.dtype.char)
        if _ops.inplace(ufunc, a, right, rflag, needs_float):
            return self
        return linear(np.zeros(0, F32 if needs_float else _ops.add(a, 0, right, 0)[0].dtype))

    def _not_itself(self, other: object) -> None:
        if other is self:
            raise UlabTrap(
                "array == itself", "== and != of an array with itself return True and False, not an array"
            )


def wrap(a: Array, flag: int = 0) -> ndarray:
    """A ulab array over this numpy array, without a copy."""
    made = _new(ndarray)
    made._np = a
    made._flag = flag
    return made


def fresh(a: Array, flag: int = 0) -> ndarray:
    """Wrap a computed result. It becomes dense, as in ulab, whatever its memory order in numpy."""
    return wrap(dense(a), flag)


def linear(a: Array) -> ndarray:
    """Wrap a 1-D result like `ndarray_new_linear_array`: an empty one has no dimension."""
    return wrap(a, 0 if a.size else NO_DIMS)


def array(source: Any, /, *, dtype: int = FLOAT) -> ndarray:
    """A dense copy of an array, or a new array from (nested) sequences."""
    made, flag = dtype_of(dtype)
    if isinstance(source, ndarray):
        if flag:
            raise UlabTrap(
                "array to bool", "converting an array to np.bool returns only False: use a != 0"
            )
        same = source._np.dtype == made  # a boolean array stays one as uint8 (boolarr_013)
        kept = source._flag & (NO_DIMS | BOOLEAN) if same else source._flag & NO_DIMS
        return wrap(convert(source._np, made), kept)
    return wrap(from_iterable(source, made, flag), flag)
