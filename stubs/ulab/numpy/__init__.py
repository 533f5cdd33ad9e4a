"""`ulab.numpy`: exactly the names that the firmware's module has."""

from .._array import array, ndarray
from .._core import BOOL as bool
from .._core import FLOAT as float
from .._core import INT8 as int8
from .._core import INT16 as int16
from .._core import UINT8 as uint8
from .._core import UINT16 as uint16
from .._create import (
    arange,
    asarray,
    concatenate,
    diag,
    empty,
    eye,
    frombuffer,
    full,
    linspace,
    ones,
    zeros,
)
from .._linear import dot, interp
from .._math import (
    acos,
    acosh,
    arctan2,
    around,
    asin,
    asinh,
    atan,
    atanh,
    ceil,
    cos,
    cosh,
    degrees,
    exp,
    expm1,
    floor,
    log,
    log2,
    log10,
    radians,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)
from .._reduce import all, any, argmax, argmin, max, mean, min, size, std, sum
from .._select import (
    clip,
    equal,
    isfinite,
    isinf,
    maximum,
    minimum,
    nonzero,
    not_equal,
    take,
    where,
)
from .._sort import argsort, flip, median, sort
from .._unmodelled import (
    bincount,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    compress,
    convolve,
    cross,
    delete,
    diff,
    fft,
    get_printoptions,
    left_shift,
    load,
    loadtxt,
    logspace,
    meshgrid,
    ndinfo,
    polyfit,
    polyval,
    random,
    right_shift,
    roll,
    save,
    savetxt,
    set_printoptions,
    sinc,
    trace,
    trapz,
    vectorize,
)
from . import linalg
from ._constants import e, inf, nan, pi

# fmt: off
__all__ = [
    "acos", "acosh", "all", "any", "arange", "arctan2", "argmax", "argmin", "argsort", "around",
    "array", "asarray", "asin", "asinh", "atan", "atanh", "bincount", "bitwise_and", "bitwise_or",
    "bitwise_xor", "bool", "ceil", "clip", "compress", "concatenate", "convolve", "cos", "cosh",
    "cross", "degrees", "delete", "diag", "diff", "dot", "e", "empty", "equal", "exp", "expm1", "eye",
    "fft", "flip", "float", "floor", "frombuffer", "full", "get_printoptions", "inf", "int16", "int8",
    "interp", "isfinite", "isinf", "left_shift", "linalg", "linspace", "load", "loadtxt", "log",
    "log10", "log2", "logspace", "max", "maximum", "mean", "median", "meshgrid", "min", "minimum",
    "nan", "ndarray", "ndinfo", "nonzero", "not_equal", "ones", "pi", "polyfit", "polyval", "radians",
    "random", "right_shift", "roll", "save", "savetxt", "set_printoptions", "sin", "sinc", "sinh",
    "size", "sort", "sqrt", "std", "sum", "take", "tan", "tanh", "trace", "trapz", "uint16", "uint8",
    "vectorize", "where", "zeros",
]
