"""Names of the firmware that this stand-in does not imitate. Calling one raises NotImplementedError."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn


class Unmodelled(NotImplementedError):
    """So that tests tell it from ulab's own NotImplementedError."""


def unmodelled(name: str) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> NoReturn:
        raise Unmodelled(f"ulab's {name} exists on the camera but the stand-in does not imitate it")

    call.__name__ = name.rpartition(".")[2]
    return call


def module(name: str, functions: str) -> Any:
    """A module of ulab of which only the names are here."""
    made = sys.modules[f"ulab.{name}"] = types.ModuleType(f"ulab.{name}")
    for function in functions.split():
        setattr(made, function, unmodelled(f"{name}.{function}"))
    return made


bincount = unmodelled("numpy.bincount")
bitwise_and = unmodelled("numpy.bitwise_and")
bitwise_or = unmodelled("numpy.bitwise_or")
bitwise_xor = unmodelled("numpy.bitwise_xor")
compress = unmodelled("numpy.compress")
convolve = unmodelled("numpy.convolve")
cross = unmodelled("numpy.cross")
delete = unmodelled("numpy.delete")
diff = unmodelled("numpy.diff")
get_printoptions = unmodelled("numpy.get_printoptions")
left_shift = unmodelled("numpy.left_shift")
load = unmodelled("numpy.load")
loadtxt = unmodelled("numpy.loadtxt")
logspace = unmodelled("numpy.logspace")
meshgrid = unmodelled("numpy.meshgrid")
ndinfo = unmodelled("numpy.ndinfo")
polyfit = unmodelled("numpy.polyfit")
polyval = unmodelled("numpy.polyval")
right_shift = unmodelled("numpy.right_shift")
roll = unmodelled("numpy.roll")
save = unmodelled("numpy.save")
savetxt = unmodelled("numpy.savetxt")
set_printoptions = unmodelled("numpy.set_printoptions")
sinc = unmodelled("numpy.sinc")
trace = unmodelled("numpy.trace")
trapz = unmodelled("numpy.trapz")
vectorize = unmodelled("numpy.vectorize")

fft = module("numpy.fft", "fft ifft")
random = module("numpy.random", "Generator")
scipy: Any = types.ModuleType("ulab.scipy")
scipy.integrate = module("scipy.integrate", "quad romberg simpson tanhsinh")
scipy.linalg = module("scipy.linalg", "cho_solve solve_triangular")
scipy.signal = module("scipy.signal", "sosfilt")
sys.modules["ulab.scipy"] = scipy
utils = module("utils", "from_int16_buffer from_int32_buffer from_uint16_buffer from_uint32_buffer spectrogram")
