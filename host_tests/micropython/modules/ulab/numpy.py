"""ulab.numpy: the functions that lib and the self-test use."""

import math as _math
from heapq import heapify as _heapify
from heapq import heappop as _heappop

from . import _array as _a
from ._array import BOOL as _BOOL
from ._array import FLOAT as _FLOAT
from ._array import INT8 as _INT8
from ._array import INT16 as _INT16
from ._array import SIZES as _SIZES
from ._array import UINT8 as _UINT8
from ._array import UINT16 as _UINT16
from ._array import ndarray

_all, _any, _max, _min, _sum, _bool, _float = all, any, max, min, sum, bool, float
bool, uint8, int8, uint16, int16, float = _BOOL, _UINT8, _INT8, _UINT16, _INT16, _FLOAT
inf, nan = _float("inf"), _float("nan")

_LEFT_OUT = """
acos acosh arctan2 argsort around asarray asin asinh atan atanh bincount bitwise_and bitwise_or bitwise_xor compress
concatenate convolve cos cosh cross degrees delete diag diff e empty equal expm1 eye fft flip full get_printoptions interp
isinf left_shift linalg linspace load loadtxt log10 log2 logspace meshgrid ndinfo not_equal pi polyfit polyval
radians random right_shift roll save savetxt set_printoptions sin sinc sinh size std tan tanh trace trapz vectorize
""".split()


def __getattr__(name):
    if name in _LEFT_OUT and not (_a._old[0] and name in ("bincount", "meshgrid")):
        raise _a.Unmodelled(name)
    raise AttributeError("'module' object has no attribute '%s'" % name)


# -- arrays


def _dtype(code):
    """The dtype of the elements, and whether they read as True and False."""
    if not isinstance(code, int):
        raise TypeError("can't convert %s to int" % type(code).__name__)
    if code == _BOOL:
        return _UINT8, True
    if code not in _SIZES:
        raise ValueError("bad typecode")
    return code, False


def array(source, *, dtype=_FLOAT):
    code, flag = _dtype(dtype)
    if isinstance(source, ndarray):
        values = _a.converted(_a.elements(source), source.dtype, code)
        made = _a.new(values, source.shape, code, source._flag and code == _UINT8)
        made._blank = source._blank
        return made
    values, shape = _a.sequence(source)
    return _a.new(_a.numbers(values, code, flag), shape, code, flag)


def _blank(shape, dtype, value):
    code, flag = _dtype(dtype)
    if isinstance(shape, int):
        shape = (shape,)
        if shape == (0,):
            return _a.linear((), code, flag)
    elif not isinstance(shape, (tuple, list)):
        raise TypeError("input argument must be an integer, a tuple, or a list")
    if len(shape) > 4:
        raise TypeError("too many dimensions")
    for n in shape:
        if not isinstance(n, int):
            raise TypeError("can't convert %s to int" % type(n).__name__)
        if n < 0:
            raise MemoryError("memory allocation failed for %s elements" % (shape,))
    if not shape:
        return _a.linear((), code, flag)
    return _a.new([value] * _a.product(shape), shape, code, flag)


def zeros(shape, *, dtype=_FLOAT):
    return _blank(shape, dtype, 0)


def ones(shape, *, dtype=_FLOAT):
    return _blank(shape, dtype, 1)


def arange(start, stop=None, step=None, *, dtype=None):
    given = [v for v in (start, stop, step) if v is not None]
    first, last = (0, start) if stop is None else (start, stop)
    by = _a.float32(1 if step is None else step)
    first, last = _a.float32(first), _a.float32(last)
    whole = _all([isinstance(v, int) for v in given])
    code, flag = _INT16 if whole else _FLOAT, False
    if _max(abs(first), abs(last), abs(by)) > 32768:
        code = _FLOAT
    if dtype is not None:
        code, flag = _dtype(dtype)
    if by == 0:
        raise ZeroDivisionError("divide by zero")
    many = (last - first) / by
    if many != many or many in (inf, -inf) or by in (inf, -inf):
        raise ValueError("arange: cannot compute length")
    many = _max(0, _math.ceil(_a.float32(_a.float32(last - first) / by)))
    values = []
    value = first
    for _ in range(many):
        values.append(value)
        value = _a.float32(value + by)
    if many and not flag:
        values[-1] = _a.float32(first + _a.float32((many - 1) * by))
    if flag:
        values = [v != 0 for v in values]
    return _a.linear(_a.cut(values, code), code, flag)


def frombuffer(buffer, *, dtype=_FLOAT, count=-1, offset=0):
    """A 1-D array over the buffer's own memory."""
    code, flag = _dtype(dtype)
    if isinstance(buffer, ndarray):
        size = buffer.size * buffer.itemsize
    elif isinstance(buffer, (bytes, bytearray)):
        size = len(buffer)
    else:
        size = len(bytes(memoryview(buffer)))
    if size < offset:
        raise ValueError("offset must be non-negative and no greater than buffer length")
    many = (size - offset) // _SIZES[code]
    if (size - offset) % _SIZES[code]:
        raise ValueError("buffer size must be a multiple of element size")
    if count > 0:
        if many < count:
            raise ValueError("buffer is smaller than requested size")
        many = count
    return _a.view(buffer, offset, many, code, flag)


# -- along an axis


def _axis(axis, ndim):
    if not isinstance(axis, int) or axis is True:
        raise TypeError("axis must be None, or an integer")
    made = axis + ndim if axis < 0 else axis
    if not 0 <= made < ndim:
        raise ValueError("axis is out of bounds")
    return made


def _lanes(a, axis, reduced):
    """What a function of a list makes of each lane along the axis: (values, shape)."""
    shape = a.shape
    n, inner = shape[axis], _a.product(shape[axis + 1 :])
    values = _a.elements(a)
    rest = shape[:axis] + shape[axis + 1 :]
    if not n:
        return [reduced(())] * _a.product(rest), rest
    if inner == 1:
        return [reduced(values[at : at + n]) for at in range(0, len(values), n)], rest
    made = []
    for at in range(0, len(values), n * inner or 1):
        rows = [values[at + k * inner : at + (k + 1) * inner] for k in range(n)]
        made += [reduced(lane) for lane in zip(*rows)]
    return made, rest


def _reduced(a, axis, keepdims, reduced, code=None):
    if keepdims is True:
        raise _a.Unmodelled("keepdims=True")
    axis = _axis(axis, 0 if a._blank else len(a.shape))
    values, shape = _lanes(a, axis, reduced)
    if len(a.shape) == 1:
        return values[0]
    return _a.new(values, shape, a.dtype if code is None else code)


def _source(a, axis):
    if axis is not None and (not isinstance(axis, int) or axis is True):
        raise TypeError("axis must be None, or an integer")
    if isinstance(a, ndarray):
        return True
    if isinstance(a, (tuple, list, range)):
        return False
    raise TypeError("input must be tuple, list, range, or ndarray")


def _index(best):
    def at(values):
        value = best(values)
        if value != value:  # NaN counts as the first element only
            return 0
        return (values if isinstance(values, tuple) else tuple(values)).index(value)

    return at


_ARGMAX, _ARGMIN = _index(max), _index(min)


def _extreme(a, axis, keepdims, reduced, index):
    if not _source(a, axis):
        values = list(a)
        if not values:
            raise ValueError("attempt to get argmin/argmax of an empty sequence")
        for v in values:
            if not isinstance(v, (int, _float)):
                raise TypeError("can't convert %s to float" % type(v).__name__)
        return reduced(values)
    if not a.size:
        raise ValueError("attempt to get (arg)min/(arg)max of empty sequence")
    if axis is None:
        return reduced(_a.elements(a))
    return _reduced(a, axis, keepdims, reduced, _INT16 if index else None)


def max(array, axis=None, keepdims=False):
    return _extreme(array, axis, keepdims, _max, False)


def min(array, axis=None, keepdims=False):
    return _extreme(array, axis, keepdims, _min, False)


def argmax(array, axis=None, keepdims=False):
    return _extreme(array, axis, keepdims, _ARGMAX, True)


def argmin(array, axis=None, keepdims=False):
    return _extreme(array, axis, keepdims, _ARGMIN, True)


def _running_mean(values):
    """One after the other, rounded at every operation, as ulab computes sums and means."""
    cell = _a._cell
    result = 0.0
    many = 0
    for value in values:
        many += 1
        cell[0] = value - result
        cell[0] = cell[0] / many
        cell[0] = result + cell[0]
        result = cell[0]
    return result


def _float_sum(values):
    return _a.float32(_running_mean(values) * len(values))


def sum(array, axis=None, keepdims=False):
    if not _source(array, axis):
        return _float_sum(list(array))
    total = _float_sum if array.dtype == _FLOAT else _sum
    return total(_a.elements(array)) if axis is None else _reduced(array, axis, keepdims, total)


def mean(array, axis=None, keepdims=False):
    if not _source(array, axis):
        return _running_mean(list(array))
    if axis is None:
        return _running_mean(_a.elements(array))
    return _reduced(array, axis, keepdims, _running_mean, _FLOAT)


def _all_any(a, axis, reduced, empty):
    if axis is not None and (not isinstance(axis, int) or axis is True):
        raise TypeError("axis must be None, or an integer")
    if not isinstance(a, ndarray):
        if isinstance(a, (int, _float)) and not isinstance(a, _bool):
            return _bool(a)
        raise _a.Unmodelled("all and any of a list")
    if not a.size:
        return empty
    if axis is None:
        return reduced(_a.elements(a))
    values, shape = _lanes(a, _axis(axis, len(a.shape)), reduced)
    return _a.new(values, shape or (1,), _UINT8, True)


def all(array, axis=None, keepdims=False):
    return _all_any(array, axis, _all, True)


def any(array, axis=None, keepdims=False):
    return _all_any(array, axis, _any, False)


# -- choosing


def where(condition, x, y):
    c, left, right = _a.operand(condition), _a.operand(x), _a.operand(y)
    shape = _a.broadcast(c[1], left[1], right[1])
    code = _a.WHERE.get((left[2], right[2]), _FLOAT)
    columns = [_a.expanded(values, of, shape) for values, of, _ in (c, left, right)]
    values = [a if hit else b for hit, a, b in zip(columns[0], columns[1], columns[2])]
    return _a.new(_a.cut(values, code), shape or (1,), code)


def _pick(operator, x, y):
    left, right = _a.operand(x), _a.operand(y)
    code = _a.MAXIMUM.get((left[2], right[2]), _FLOAT)
    values, shape = _a.computed(operator, left[0], left[1], right[0], right[1])
    values = _a.wrapped(values, code)
    if not shape and not isinstance(x, _bool) and not isinstance(y, _bool):
        return _a.float32(values[0]) if code == _FLOAT else values[0]
    return _a.new(values, shape or (1,), code)


def maximum(x, y):
    return _pick(_a.LARGER, x, y)


def minimum(x, y):
    return _pick(_a.SMALLER, x, y)


def clip(a, a_min, a_max):
    if isinstance(a, (int, _float)) and not isinstance(a, _bool):
        return a_min if a < a_min else a_max if a > a_max else a
    return maximum(a_min, minimum(a, a_max))


def nonzero(x):
    values, shape, code = _a.operand(x)
    if not len(values):
        if code != _UINT8:
            return ()
        return (_a.linear((), _UINT16),)
    shape = shape or (1,)
    hits = [at for at, value in enumerate(values) if value]
    made = []
    inner = len(values)
    for n in shape:
        inner //= n
        places = hits if len(shape) == 1 else [at // inner % n for at in hits]
        made.append(_a.linear(places, _UINT16))
    return tuple(made)


def take(a, indices, *, axis=None, out=None, mode=None):
    if not isinstance(a, ndarray):
        raise TypeError("input is not an array")
    if out is not None or mode not in (None, "raise"):
        raise _a.Unmodelled("take(out=, mode=)")
    shape = a.shape
    if axis is None:
        shape, before, after = (a.size,), (), ()
        n = a.size
    else:
        made = axis + len(shape) if axis < 0 else axis
        if not 0 <= made < len(shape):
            raise ValueError("index out of range")
        before, n, after = shape[:made], shape[made], shape[made + 1 :]
    places = []
    for at in indices:
        if not isinstance(at, (int, _bool)):
            raise TypeError("can't convert %s to int" % type(at).__name__)
        at = int(at)
        if not -n <= at < n:
            raise ValueError("index out of range")
        places.append(at % n)
    values = _a.elements(a)
    inner = _a.product(after)
    made = []
    for at in range(0, len(values), n * inner or 1):
        if inner == 1:
            made += [values[at + place] for place in places]
        else:
            for place in places:
                made += values[at + place * inner : at + (place + 1) * inner]
    return _a.new(made, before + (len(places),) + after, a.dtype)


def isfinite(x):
    if isinstance(x, (int, _float)) and not isinstance(x, _bool):
        return x - x == 0
    if not isinstance(x, ndarray):
        raise TypeError("wrong input type")
    made = _a.new([v - v == 0 for v in _a.elements(x)], x.shape, _UINT8, True)
    made._blank = x._blank
    return made


def sort(array, *, axis=None):
    if not isinstance(array, ndarray):
        raise TypeError("sort argument must be an ndarray")
    a = array
    if axis is None:
        return _a.new(_ranked(_a.elements(a), a.dtype), (a.size,), a.dtype, a._flag)
    if len(a.shape) > 1 and _axis(axis, len(a.shape)) != len(a.shape) - 1:
        raise _a.Unmodelled("sort along another axis than the last")
    _axis(axis, len(a.shape))
    values = _a.elements(a)
    made = []
    for at in range(0, len(values), a.shape[-1]):
        made += _ranked(values[at : at + a.shape[-1]], a.dtype)
    return _a.new(made, a.shape, a.dtype, a._flag)


def _ranked(values, code):
    """By a heap: MicroPython's own sort takes quadratic time on what is sorted or equal."""
    if code == _FLOAT:
        for v in values:
            if v != v or (not v and str(v)[0] == "-"):
                raise _a.Unmodelled("the places of NaN and -0.0 in a sorted array")
    heap = list(values)
    _heapify(heap)
    return [_heappop(heap) for _ in range(len(heap))]


def median(array, *, axis=None):
    if axis is not None and len(array.shape) > 1:
        raise _a.Unmodelled("median along an axis")
    if not isinstance(array, ndarray):
        raise _a.Unmodelled("median of something else than an array")
    if not array.size:
        return nan
    ranked = _ranked(_a.elements(array), array.dtype)
    middle = len(ranked) >> 1
    if len(ranked) & 1:
        return _float(ranked[middle])
    return _a.float32(_a.float32(ranked[middle] + ranked[middle - 1]) * 0.5)


# -- arithmetic


def dot(a, b):
    if not isinstance(a, ndarray) or not isinstance(b, ndarray):
        raise TypeError("arguments must be ndarrays")
    n = a.shape[-1]
    if n != b.shape[0]:
        raise ValueError("dimensions do not match")
    x, y = _a.elements(a), _a.elements(b)
    columns = b.shape[1] if len(b.shape) == 2 else 1
    rows = a.shape[0] if len(a.shape) == 2 else 1
    floats = [values for one, values in ((a, x), (b, y)) if one.dtype == _FLOAT]
    y, product_of = (y, _exact_dot) if not len(y) else _factors(x, y, n, floats)
    lanes = [y] if columns == 1 else [[y[k * columns + j] for k in range(n)] for j in range(columns)]
    values = []
    for at in range(rows):
        row = x[at * n : (at + 1) * n]
        values += [product_of(row, lane) for lane in lanes]
    if len(a.shape) == len(b.shape) == 1:
        return _float(values[0])
    return _a.new(values, (rows, columns) if len(a.shape) == len(b.shape) else (rows * columns,), _FLOAT)


def _factors(x, y, n, floats):
    """The right factors, and how to add up products: integers below 2^24 are exact in any order. `floats`: x, y or both."""
    for values in floats:
        for v in values:
            if v - v != 0 or v != int(v):
                return y, _rounded_dot
    if not len(x):
        return y, _exact_dot
    y = [int(v) for v in y]
    largest = _max(_max(x), -_min(x)) * _max(_max(y), -_min(y))
    return y, _exact_dot if largest * n < 1 << 24 else _rounded_dot


def _exact_dot(x, y):
    return _sum([a * b for a, b in zip(x, y)])


def _rounded_dot(x, y):
    result = 0.0
    for a, b in zip(x, y):
        result = _a.float32(result + _a.float32(a * b))
    return result


def _mapped(function, x, out):
    if out is not None:
        raise _a.Unmodelled("out=")
    if isinstance(x, (int, _float)):
        return _a.float32(function(_a.float32(x)))
    values, shape, _ = _a.operand(x)
    made = _a.new([function(v) for v in values], shape, _FLOAT)
    made._blank = isinstance(x, ndarray) and x._blank
    return made


def _whole(function):
    return lambda v: function(v) if v - v == 0 and -2147483648.0 < v < 2147483648.0 else v


def _floor(v):
    return v if not v else _math.floor(v)  # -0.0 stays


def _ceil(v):
    return -0.0 if -1 < v < 0 or (not v and str(v)[0] == "-") else _math.ceil(v)


def _exp(v):
    if v != v:
        return v
    try:
        return _math.exp(v)
    except OverflowError:
        return inf
    except ValueError:
        return 0.0 if v < 0 else inf


def _log(v):
    if not v > 0:  # NaN of NaN and of negative numbers
        return nan if v else -inf
    return _math.log(v)


def floor(x, *, out=None, dtype=None):
    return _mapped(_whole(_floor), x, out)


def ceil(x, *, out=None, dtype=None):
    return _mapped(_whole(_ceil), x, out)


def exp(x, *, out=None, dtype=None):
    return _mapped(_exp, x, out)


def log(x, *, out=None, dtype=None):
    return _mapped(_log, x, out)


def sqrt(x, *, out=None, dtype=None):
    return _mapped(lambda v: _math.sqrt(v) if v >= 0 else nan, x, out)
