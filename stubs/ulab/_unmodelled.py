"""Names of the firmware that this stand-in does not imitate. Calling one raises NotImplementedError."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


def unmodelled(name: str) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> NoReturn:
        raise NotImplementedError(f"ulab's {name} exists on the camera but the stand-in does not imitate it")

    call.__name__ = name.rpartition(".")[2]
    return call


load = unmodelled("numpy.load")
loadtxt = unmodelled("numpy.loadtxt")
save = unmodelled("numpy.save")
savetxt = unmodelled("numpy.savetxt")
