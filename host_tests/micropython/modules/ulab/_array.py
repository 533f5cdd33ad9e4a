"""The array: its memory, indices and operators, by the rules of ulab 6.12.0 (or 6.7.3, when told to follow it).

An array is an address in the VM's memory with a shape and steps in bytes, so that views, frombuffer and tobytes share
memory as on the camera. A dense one is a memoryview besides: only native types have the buffer protocol. _cpython.py is for
a Python without uctypes.
"""

from array import array
from struct import pack_into, unpack_from

try:
    from uctypes import addressof, bytearray_at

    Buffer = memoryview

    def held(keep, address, size):
        return bytearray_at(address, size)

    def bytes_of(dense):
        return bytearray_at(dense._address, dense.size * dense.itemsize)

    shared = held
except ImportError:
    from ._cpython import Buffer, addressof, bytearray_at, bytes_of, held, shared

BOOL, UINT8, INT8, UINT16, INT16, FLOAT = 63, 66, 98, 72, 104, 102
SIZES = {UINT8: 1, INT8: 1, UINT16: 2, INT16: 2, FLOAT: 4}
LIMITS = {UINT8: (0, 255), INT8: (-128, 127), UINT16: (0, 65535), INT16: (-32768, 32767)}
LETTERS = {code: chr(code) for code in SIZES}

_cell = array("f", (0.0,))
_old = [False]


class Unmodelled(Exception):
    """The genuine ulab has this; n6post does not use it."""


def follow(major):
    """Be as ulab 6.7.3, that of firmware 4.8.1, from now on, or (12) as 6.12.0 again; the minor version tells."""
    _old[0] = major < 12


def float32(value):
    _cell[0] = value
    return _cell[0]


def product(shape):
    result = 1
    for n in shape:
        result *= n
    return result


def steps_of(shape, size):
    steps = []
    for n in reversed(shape):
        steps.append(size)
        size *= n
    return tuple(reversed(steps))


def wrapped(values, code):
    """Integers as C stores them."""
    if code == FLOAT or not values:
        return values
    low, high = LIMITS[code]
    if min(values) >= low and max(values) <= high:
        return values
    span = high - low + 1
    return [(v - low) % span + low for v in values]


def rounded(value):
    """C's roundf, as an int."""
    return int(value + 0.5) if value >= 0 else -int(0.5 - value)


def converted(values, code, new):
    """Values of dtype code for an array of dtype new: floats round half away from zero, what is too large wraps."""
    if code == FLOAT and new != FLOAT:
        values = [rounded(v) for v in values]
    return wrapped(values, new)


class ndarray:
    def __bool__(self):
        return self.shape[0] > 0

    @property
    def size(self):
        return product(self.shape)

    @property
    def itemsize(self):
        return SIZES[self.dtype]

    @property
    def ndim(self):
        if _old[0]:
            raise AttributeError("'ndarray' object has no attribute 'ndim'")
        return 0 if self._blank else len(self.shape)

    @property
    def T(self):  # noqa: N802
        return self.transpose()

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        if len(self.shape) == 1:
            values = elements(self)
            return iter([v != 0 for v in values] if self._flag else values)
        return iter([self[i] for i in range(self.shape[0])])

    def __contains__(self, value):
        return value in list(iter(self))

    def __getitem__(self, index):
        if isinstance(index, ndarray):
            return _masked(self, index)
        address, shape, strides = _located(self, index)
        if shape:
            return _wrap(self._keep, address, shape, strides, self.dtype, self._flag)
        value = unpack_from(LETTERS[self.dtype], bytearray_at(address, SIZES[self.dtype]))[0]
        return value != 0 if self._flag else value

    def __setitem__(self, index, value):
        values, shape, code = operand(value)
        if isinstance(index, ndarray):
            _assign_masked(self, index, values, shape, code)
            return
        address, whole, strides = _located(self, index)
        if not len(values):
            return
        for m, n in zip(reversed(whole), reversed(shape)):
            if m != n and m > 1 and n > 1:
                raise ValueError("operands could not be broadcast together")
        values = converted(values, code, self.dtype)
        whole = whole or (1,)
        if len(values) < product(whole):
            values = expanded(values, shape[max(0, len(shape) - len(whole)) :], whole)
        scatter(address, whole, strides or (self.itemsize,), self.dtype, values)

    def copy(self):
        return new(elements(self), self.shape, self.dtype, self._flag)

    def flatten(self, *, order="C"):
        if not isinstance(order, str):
            raise TypeError("can't convert to str implicitly")
        if order not in ("C", "F"):
            raise ValueError("flattening order must be either 'C', or 'F'")
        source = self if order == "C" else self.transpose()
        return new(elements(source), (self.size,), self.dtype)

    def reshape(self, shape):
        if isinstance(shape, int):
            shape = (shape,)
        elif not isinstance(shape, tuple):
            raise TypeError("shape must be integer or tuple of integers")
        for n in shape:
            if not isinstance(n, int):
                raise TypeError("can't convert %s to int" % type(n).__name__)
        if len(shape) > 4:
            raise ValueError("maximum number of dimensions is (4)")
        known = product([n for n in shape if n >= 0])
        unknown = len([n for n in shape if n < 0])
        if unknown > 1:
            raise ValueError("can only specify one unknown dimension")
        if unknown:
            shape = tuple([self.size // known if n < 0 else n for n in shape])
        elif known != self.size:
            raise ValueError("cannot reshape array")
        if _dense(self):
            return _wrap(self._keep, self._address, shape, steps_of(shape, self.itemsize), self.dtype, self._flag)
        return new(elements(self), shape, self.dtype)

    def transpose(self, axes=None):
        if len(self.shape) == 1:
            return self
        order = tuple(range(len(self.shape) - 1, -1, -1))
        if axes is not None:
            if _old[0]:
                raise TypeError("function takes 1 positional arguments but 2 were given")
            order = _transposition(axes, len(self.shape))
        shape = tuple([self.shape[axis] for axis in order])
        strides = tuple([self.strides[axis] for axis in order])
        return _wrap(self._keep, self._address, shape, strides, self.dtype, self._flag)

    def tobytes(self):
        if not _dense(self):
            raise ValueError("tobytes can be invoked for dense arrays only")
        return shared(self._keep, self._address, self.size * self.itemsize)

    def tolist(self):
        if len(self.shape) == 1:
            return list(iter(self))
        return [self[i].tolist() for i in range(self.shape[0])]

    def _unmodelled(self, *arguments, **named):
        raise Unmodelled("%, //, **, byteswap, flat and sort of an array")

    def _modulo(self, *arguments):
        if _old[0]:
            raise TypeError("unsupported types for __mod__: 'ndarray'")
        raise Unmodelled("%")

    byteswap = sort = _unmodelled
    __floordiv__ = __rfloordiv__ = __pow__ = __rpow__ = _unmodelled
    __mod__ = __rmod__ = _modulo

    @property
    def flat(self):
        raise Unmodelled("flat")

    def __repr__(self):
        raise Unmodelled("the text of an array")

    # -- operators

    def __add__(self, other):
        return arithmetic(_ADD, self, other)

    def __radd__(self, other):
        return arithmetic(_ADD, other, self)

    def __sub__(self, other):
        return arithmetic(_SUB, self, other)

    def __rsub__(self, other):
        return arithmetic(_SUB, other, self)

    def __mul__(self, other):
        return arithmetic(_MUL, self, other)

    def __rmul__(self, other):
        return arithmetic(_MUL, other, self)

    def __truediv__(self, other):
        return divided(self, other)

    def __rtruediv__(self, other):
        return divided(other, self)

    def __iadd__(self, other):
        return _inplace(self, _ADD, other)

    def __isub__(self, other):
        return _inplace(self, _SUB, other)

    # Not *=, /= and the others: this MicroPython asks no class for them.

    def __and__(self, other):
        return _logical(_AND, self, other)

    def __or__(self, other):
        return _logical(_OR, self, other)

    def __xor__(self, other):
        return _logical(_XOR, self, other)

    def __lt__(self, other):
        return compared(_LT, self, other)

    def __le__(self, other):
        return compared(_LE, self, other)

    def __gt__(self, other):
        if isinstance(other, bytes):  # CPython asks for it at b"" < a
            return bytes(self.tobytes()) > other if isinstance(self, _Dense) else NotImplemented
        return compared(_GT, self, other)

    def __ge__(self, other):
        return compared(_GE, self, other)

    def __eq__(self, other):
        return other is self or compared(_EQ, self, other)  # a plain bool, as MicroPython itself makes it

    def __ne__(self, other):
        return other is not self and compared(_NE, self, other)

    def __neg__(self):
        return new(wrapped([-v for v in elements(self)], self.dtype), self.shape, self.dtype)

    def __pos__(self):
        return self.copy()

    def __abs__(self):
        return new(wrapped([-v if v < 0 else v for v in elements(self)], self.dtype), self.shape, self.dtype)

    def __invert__(self):
        if self.dtype == FLOAT:
            raise ValueError("operation is not supported for given type")
        values = [1 - v for v in elements(self)] if self._flag else wrapped([~v for v in elements(self)], self.dtype)
        return new(values, self.shape, self.dtype, self._flag)


class _Dense(ndarray, Buffer):
    def __init__(self, buffer):
        super().__init__(buffer)


def _wrap(keep, address, shape, strides, code, flag=False):
    steps = steps_of(shape, SIZES[code])
    # The first step tells, as in ulab, but elements() needs the others to be right. That of a single element does not count.
    if strides[0] == steps[0] and not [n for n, one, right in zip(shape, strides, steps) if n > 1 and one != right]:
        made = _Dense(held(keep, address, product(shape) * SIZES[code]))
    else:
        made = ndarray()
    made._keep, made._address, made._flag, made._blank = keep, address, flag, False
    made.shape, made.strides, made.dtype = shape, strides, code
    return made


def new(values, shape, code, flag=False):
    """A new dense array; values have to fit its dtype, floats are rounded to float32 here."""
    memory = array(LETTERS[code], values)
    return _wrap(memory, addressof(memory), tuple(shape), steps_of(shape, SIZES[code]), code, flag)


def linear(values, code, flag=False):
    """A 1-D result; an empty one has no dimension."""
    made = new(values, (len(values),), code, flag)
    made._blank = not len(values)
    return made


def view(buffer, offset, count, code, flag=False):
    """A 1-D array over a buffer's own memory."""
    return _wrap(buffer, addressof(buffer) + offset, (count,), (SIZES[code],), code, flag)


def _dense(a):
    """As ulab has it: the first step alone tells."""
    return not a._blank and a.strides[0] == steps_of(a.shape, a.itemsize)[0]


# -- memory


def elements(a):
    """All of them in C's order, as numbers: those of a boolean array are 0 and 1."""
    if isinstance(a, _Dense):
        return unpack_from("%d%s" % (a.size, LETTERS[a.dtype]), bytes_of(a))
    return _gather(a._address, a.shape, a.strides, LETTERS[a.dtype], a.itemsize)


def _gather(address, shape, strides, letter, size):
    n, step = shape[0], strides[0]
    if 0 in shape:
        return []
    if len(shape) == 1:
        many = step // size
        if step % size == 0 and 0 < many <= 16:  # read what lies between, too: one call instead of one an element
            count = (n - 1) * many + 1
            values = unpack_from("%d%s" % (count, letter), bytearray_at(address, count * size))
            return list(values) if many == 1 else [values[i] for i in range(0, count, many)]
        return [unpack_from(letter, bytearray_at(address + i * step, size))[0] for i in range(n)]
    values = []
    for i in range(n):
        values += _gather(address + i * step, shape[1:], strides[1:], letter, size)
    return values


def scatter(address, shape, strides, code, values):
    size, letter = SIZES[code], LETTERS[code]
    if strides == steps_of(shape, size):
        memory = array(letter, values)
        many = len(values) * size
        bytearray_at(address, many)[:] = bytearray_at(addressof(memory), many)
        return
    n, step = shape[0], strides[0]
    if len(shape) == 1:
        for i in range(n):
            pack_into(letter, bytearray_at(address + i * step, size), 0, values[i])
        return
    each = len(values) // n
    for i in range(n):
        scatter(address + i * step, shape[1:], strides[1:], code, values[i * each : (i + 1) * each])


def _located(a, index):
    """(address, shape, steps) of a part; an element has no shape."""
    if isinstance(index, tuple):
        if len(index) > len(a.shape):
            raise IndexError("too many indices")
    elif isinstance(index, (int, slice)) and not isinstance(index, bool):
        index = (index,)
    else:
        raise Unmodelled("an index that is a %s" % type(index).__name__)
    address = a._address
    shape, strides = [], []
    for axis, part in enumerate(index):
        n, step = a.shape[axis], a.strides[axis]
        if isinstance(part, slice):
            start, stop, by = part.indices(n)
            shape.append(max(0, (stop - start + by - (1 if by > 0 else -1)) // by))
            strides.append(step * by)
            address += start * step
        elif isinstance(part, int) and not isinstance(part, bool):
            if not -n <= part < n:
                raise IndexError("index is out of bounds")
            address += part % n * step
        else:
            raise IndexError("indices must be integers, slices, or Boolean lists")
    return address, tuple(shape) + a.shape[len(index) :], tuple(strides) + a.strides[len(index) :]


def _hits(index):
    if len(index.shape) > 1 or not index._flag:
        raise NotImplementedError("operation is implemented for 1D Boolean arrays only")
    return elements(index)


def _masked(a, index):
    hits = _hits(index)
    if a.size != len(hits):
        raise ValueError("array and index length must be equal")
    return linear([v for v, hit in zip(elements(a), hits) if hit], a.dtype)


def _assign_masked(a, index, values, shape, code):
    hits = _hits(index)
    many = sum(hits)
    if code == FLOAT and a.dtype != FLOAT:
        values = cut(values, a.dtype)
    values = list(wrapped(values, a.dtype)) * (many if len(values) == 1 else 1)
    target = list(elements(a))
    at = 0
    for i, hit in enumerate(hits):
        if hit:
            target[i] = values[at]
            at += 1
    scatter(a._address, a.shape, a.strides, a.dtype, target)


def cut(values, code):
    """C's own cast of floats: towards zero, undefined where a value does not fit."""
    return values if code == FLOAT else [int(v) for v in values]


def _transposition(axes, ndim):
    if not isinstance(axes, tuple):
        raise TypeError("keyword argument must be tuple of integers")
    if len(axes) > ndim:
        raise ValueError("too many axes specified")
    for i, axis in enumerate(axes):
        if not isinstance(axis, int):
            raise TypeError("can't convert to int")
        if not 0 <= axis < ndim:
            raise ValueError("axis index out of bounds")
        if axis in axes[:i]:
            raise ValueError("repeated indices")
    return axes


# -- numbers, sequences and arrays as operands


def operand(value, other=None):
    """(elements, shape, dtype): a number has the shape (). `other`: the dtype of the other side."""
    if isinstance(value, ndarray):
        return elements(value), value.shape, value.dtype
    if value is True or value is False:
        return (int(value),), (), UINT8
    if isinstance(value, int):
        return _int_operand(value, other == INT8 or other == INT16)
    if isinstance(value, float):
        return (float32(value),), (), FLOAT
    values, shape = sequence(value)
    return numbers(values, FLOAT), shape, FLOAT


def _int_operand(value, signed):
    if not -0x80000000 <= value <= 0x7FFFFFFF:
        raise OverflowError("overflow converting long int to machine word")
    if _old[0]:
        if value == -128:
            return (value,), (), INT16
        if not -32767 <= value <= 32767:
            return (float32(value),), (), FLOAT
    if not -32768 <= value <= 65535:
        return (float32(value),), (), FLOAT
    if value < 0:
        return (value,), (), INT8 if value >= -128 else INT16
    if signed:
        if value > 32767:
            return (value - 65536,), (), INT16
        return (value,), (), INT8 if value < 128 else INT16
    return (value,), (), UINT8 if value < 256 else UINT16


def _length(value):
    try:
        return len(value)
    except TypeError:
        return None


def sequence(value):
    """(elements, shape) of nested sequences; ulab looks along the first elements only."""
    shape = []
    item = value
    while True:
        n = _length(item)
        if n is None:
            break
        if len(shape) == 4:
            raise ValueError("too many dimensions")
        shape.append(n)
        if not n:
            break
        item = next(iter(item))
    if not shape:
        raise TypeError("'%s' object isn't iterable" % type(value).__name__)
    return ([] if 0 in shape else _rows(value, shape, 0)), tuple(shape)


def _rows(value, shape, depth):
    row = list(iter(value))
    if depth == len(shape) - 1:
        return row
    values = []
    for item in row:
        values += _rows(item, shape, depth + 1)
    return values


def numbers(values, code, flag=False):
    """Python's numbers for an array of that dtype."""
    if flag:
        return [1 if v else 0 for v in values]
    kinds = (int, float, bool) if code == FLOAT else (int, bool)
    for v in values:
        if not isinstance(v, kinds):
            raise TypeError("can't convert %s to %s" % (type(v).__name__, "float" if code == FLOAT else "int"))
    if code == FLOAT:
        return [float32(v) for v in values]
    return wrapped([int(v) for v in values], code)


# -- two operands


def broadcast(*shapes):
    ndim = max([len(shape) for shape in shapes])
    result = []
    for i in range(-ndim, 0):
        sizes = [shape[i] for shape in shapes if len(shape) >= -i]
        n = max(sizes)
        if min([n if m == 1 else m for m in sizes]) != n:
            raise ValueError("operands could not be broadcast together")
        result.append(n)
    return tuple(result)


def expanded(values, shape, whole):
    """Elements of that shape, repeated to the whole one."""
    if tuple(shape) == tuple(whole):
        return values
    if len(values) == 1:
        return list(values) * product(whole)
    inner = 1
    for i in range(1, len(whole) + 1):
        n = shape[-i] if i <= len(shape) else 1
        if n != whole[-i]:
            repeated = []
            for at in range(0, len(values), inner):
                repeated += list(values[at : at + inner]) * whole[-i]
            values = repeated
        inner *= whole[-i]
    return values


_LOOPS = """
def both(x, y):
    return [a {0} b for a, b in zip(x, y)]
def left(x, b):
    return [a {0} b for a in x]
def right(a, y):
    return [a {0} b for b in y]
"""


def loops(expression):
    """An operator's three loops: written out, a call an element would cost three times the time."""
    made = {}
    exec(_LOOPS.replace("{0}", expression), made)
    return made["both"], made["left"], made["right"]


_ADD, _SUB, _MUL, _DIV = loops("+"), loops("-"), loops("*"), loops("/")
_AND, _OR, _XOR = loops("&"), loops("|"), loops("^")
_LT, _LE, _GT, _GE, _EQ, _NE = loops("<"), loops("<="), loops(">"), loops(">="), loops("=="), loops("!=")
LARGER, SMALLER = loops("if a > b else"), loops("if a < b else")


def computed(operator, x, x_shape, y, y_shape):
    """(elements, shape) of an operator over two operands' elements."""
    both, left, right = operator
    if x_shape == y_shape:
        return both(x, y), x_shape
    if len(y) == 1 and len(y_shape) <= len(x_shape):
        return left(x, y[0]), x_shape
    if len(x) == 1 and len(x_shape) <= len(y_shape):
        return right(x[0], y), y_shape
    shape = broadcast(x_shape, y_shape)
    return both(expanded(x, x_shape, shape), expanded(y, y_shape, shape)), shape


def _table(special):
    """Result dtype by the pair of dtypes; pairs that are missing give float."""
    table = {(code, code): code for code in LIMITS}
    for a, b, result in ((UINT8, INT8, INT16), (UINT8, INT16, INT16), (INT8, INT16, INT16), (UINT8, UINT16, UINT16)):
        table[a, b] = table[b, a] = result
    table.update(special)
    return table


_TYPES = {
    _ADD: _table({(INT8, UINT16): INT16, (UINT16, INT8): INT16}),
    _SUB: _table({(INT8, UINT16): INT16, (UINT16, INT8): UINT16}),
}
_TYPES[_MUL] = _TYPES[_AND] = _TYPES[_OR] = _TYPES[_XOR] = _TYPES[_ADD]
WHERE = _table({(INT8, UINT16): UINT16, (UINT16, INT8): UINT16})
MAXIMUM = _table({(INT8, UINT16): INT16, (UINT16, INT8): UINT16})
_EMPTY = _table({(INT8, UINT16): UINT16, (UINT16, INT8): UINT16, (UINT16, INT16): INT16, (INT16, UINT16): INT16})


def _operands(left, right):
    return operand(left), operand(right, left.dtype if isinstance(left, ndarray) else None)


def _fit_empty(x_shape, y_shape):
    for m, n in zip(reversed(x_shape), reversed(y_shape)):
        if m != n and m > 1 and n > 1:
            raise ValueError("operands could not be broadcast together")


def arithmetic(operator, left, right):
    (x, x_shape, x_code), (y, y_shape, y_code) = _operands(left, right)
    if not len(x) or not len(y):
        _fit_empty(x_shape, y_shape)
        return linear((), _EMPTY.get((x_code, y_code), FLOAT))
    values, shape = computed(operator, x, x_shape, y, y_shape)
    code = _TYPES[operator].get((x_code, y_code), FLOAT)
    return new(wrapped(values, code), shape or (1,), code)


def quotient(a, b):
    if b:
        return a / b
    if a != a or not a or b != b:
        return float("nan")
    return float("inf") if (a > 0) == (str(float(b))[0] != "-") else -float("inf")


def quotients(x, x_shape, y, y_shape):
    try:
        return computed(_DIV, x, x_shape, y, y_shape)
    except ZeroDivisionError:
        shape = broadcast(x_shape, y_shape)
        return [quotient(a, b) for a, b in zip(expanded(x, x_shape, shape), expanded(y, y_shape, shape))], shape


def divided(left, right):
    (x, x_shape, _), (y, y_shape, _) = _operands(left, right)
    if not len(x) or not len(y):
        _fit_empty(x_shape, y_shape)
        return linear((), FLOAT)
    values, shape = quotients(x, x_shape, y, y_shape)
    return new(values, shape or (1,), FLOAT)


def compared(operator, left, right):
    (x, x_shape, _), (y, y_shape, _) = _operands(left, right)
    if not len(x) or not len(y):
        _fit_empty(x_shape, y_shape)
        return linear((), UINT8, True)
    values, shape = computed(operator, x, x_shape, y, y_shape)
    return new(values, shape or (1,), UINT8, True)


def _is_flag(value):
    return value._flag if isinstance(value, ndarray) else isinstance(value, bool)


def _logical(operator, left, right):
    (x, x_shape, x_code), (y, y_shape, y_code) = _operands(left, right)
    broadcast(x_shape, y_shape)
    if FLOAT in (x_code, y_code):
        raise TypeError("operation not supported for the input types")
    code = _TYPES[operator].get((x_code, y_code))
    if code is None:
        raise TypeError("dtype of int32 is not supported")
    values, shape = computed(operator, x, x_shape, y, y_shape)
    return new(wrapped(values, code), shape or (1,), code, _is_flag(left) and _is_flag(right))


def _inplace(a, operator, other):
    """The result keeps the left side's dtype; only float arrays take floats."""
    y, y_shape, y_code = operand(other, a.dtype)
    x, x_shape = elements(a), a.shape
    for i in range(1, len(y_shape) + 1):
        if y_shape[-i] not in (x_shape[-i] if i <= len(x_shape) else 0, 0, 1):
            raise ValueError("operands could not be broadcast together")
    if not len(x) or not len(y):
        return arithmetic(operator, a, other)
    if a.dtype != FLOAT and y_code == FLOAT:
        raise TypeError("cannot cast output with casting rule")
    y = expanded(y, y_shape[max(0, len(y_shape) - len(x_shape)) :], x_shape)
    scatter(a._address, x_shape, a.strides, a.dtype, wrapped(operator[0](x, y), a.dtype))
    return a
