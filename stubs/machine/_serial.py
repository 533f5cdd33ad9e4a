"""UART: prints what is sent; received data comes from a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import _host

# Only on a PC: the data that each UART receives, by its id; None: the data of all UARTs without an entry.
inputs: dict[object, bytes] = {}


class UART(_host.StandIn):
    """A serial port. All received data is there from the start; no more comes later."""

    RTS = 256
    CTS = 512
    INV_TX = 1
    INV_RX = 2
    IRQ_RX = 32
    IRQ_RXIDLE = 16

    def __init__(
        self, id: int | str, baudrate: int = 9600, bits: int = 8, parity: int | None = None, stop: int = 1, *,
        tx: Any = None,
        rx: Any = None, rts: Any = None, cts: Any = None, txbuf: int = 256, rxbuf: int = 256, timeout: int = 0,
        timeout_char: int = 0, invert: int = 0, flow: int = 0,
    ) -> None:
        self._id = id
        self._input = inputs.get(id, inputs.get(str(id), inputs.get(None, b"")))
        self.init(baudrate, bits, parity, stop)

    def init(
        self, baudrate: int = 9600, bits: int = 8, parity: int | None = None, stop: int = 1, *, tx: Any = None,
        rx: Any = None,
        rts: Any = None, cts: Any = None, txbuf: int = 256, rxbuf: int = 256, timeout: int = 0, timeout_char: int = 0,
        invert: int = 0, flow: int = 0,
    ) -> None:
        if not isinstance(baudrate, int):
            raise TypeError(f"can't convert {type(baudrate).__name__} to int")
        if baudrate <= 0 or bits not in (7, 8, 9) or parity not in (None, 0, 1) or stop not in (1, 2):
            raise ValueError(f"UART: no such setting: {baudrate} baud, {bits} bits, parity {parity}, {stop} stop bits")
        self._settings = (baudrate, bits, parity, stop)

    def deinit(self) -> None:
        self._input = b""

    def any(self) -> int:
        """Number of bytes that can be read."""
        return len(self._input)

    def _take(self, count: int) -> bytes | None:
        taken, self._input = self._input[:count], self._input[count:]
        return taken or None

    def read(self, nbytes: int | None = None, /) -> bytes | None:
        """None if there is no data."""
        return self._take(len(self._input) if nbytes is None else nbytes)

    def readline(self) -> bytes | None:
        end = self._input.find(b"\n")
        return self._take(len(self._input) if end < 0 else end + 1)

    def readinto(self, buf: Any, nbytes: int | None = None, /) -> int | None:
        view = memoryview(buf).cast("B")
        data = self._take(len(view) if nbytes is None else min(nbytes, len(view)))
        if data is None:
            return None
        view[: len(data)] = data
        return len(data)

    def readchar(self) -> int:
        """-1 if there is no data."""
        data = self._take(1)
        return -1 if data is None else data[0]

    def write(self, buf: Any, /) -> int:
        data = _host.to_bytes(buf)
        _host.show(f"UART({self._id})", data)
        return len(data)

    def writechar(self, char: int, /) -> None:
        self.write(bytes([char & 0xFF]))

    def sendbreak(self) -> None:
        pass

    def flush(self) -> None:
        pass

    def txdone(self) -> bool:
        return True

    def irq(self, handler: Callable[[UART], None] | None = None, trigger: int = 0, hard: bool = False) -> object:
        """The handler is accepted and never called."""
        return handler

    def __repr__(self) -> str:
        baudrate, bits, parity, stop = self._settings
        return f"UART({self._id}, baudrate={baudrate}, bits={bits}, parity={parity}, stop={stop})"
