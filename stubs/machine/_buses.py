"""I2C and SPI with nothing connected: a scan finds no device, and reads return zeros."""

import errno
from collections.abc import Sequence
from typing import Any, NoReturn

import _host


class I2C(_host.StandIn):
    """No device answers, as on a bus where none is connected: OSError ENODEV."""

    def __init__(self, id: Any = -1, *, scl: Any = None, sda: Any = None, freq: int = 400_000,
                 timeout: int = 50_000) -> None:
        self._id = id

    def init(self, *, scl: Any = None, sda: Any = None, freq: int = 400_000) -> None:
        pass

    def deinit(self) -> None:
        pass

    def scan(self) -> list[int]:
        """The addresses of the devices: none."""
        return []

    def _nobody(self, addr: int) -> NoReturn:
        if not 0 <= addr <= 0x7F:
            raise ValueError(f"I2C: an address has 7 bits, got {addr:#x}")
        raise OSError(errno.ENODEV, f"no I2C device at {addr:#04x}")

    def readfrom(self, addr: int, nbytes: int, stop: bool = True, /) -> bytes:
        self._nobody(addr)

    def readfrom_into(self, addr: int, buf: Any, stop: bool = True, /) -> None:
        self._nobody(addr)

    def writeto(self, addr: int, buf: Any, stop: bool = True, /) -> int:
        self._nobody(addr)

    def writevto(self, addr: int, vector: Sequence[Any], stop: bool = True, /) -> int:
        self._nobody(addr)

    def readfrom_mem(self, addr: int, memaddr: int, nbytes: int, /, *, addrsize: int = 8) -> bytes:
        self._nobody(addr)

    def readfrom_mem_into(self, addr: int, memaddr: int, buf: Any, /, *, addrsize: int = 8) -> None:
        self._nobody(addr)

    def writeto_mem(self, addr: int, memaddr: int, buf: Any, /, *, addrsize: int = 8) -> None:
        self._nobody(addr)


class SoftI2C(I2C):
    """The same on any two pins."""

    def __init__(self, scl: Any, sda: Any, *, freq: int = 400_000, timeout: int = 50_000) -> None:
        super().__init__(scl=scl, sda=sda, freq=freq, timeout=timeout)

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass


class SPI(_host.StandIn):
    """Writes are dropped, reads return zeros."""

    CONTROLLER = MASTER = 0
    MSB = 0
    LSB = 1

    def __init__(
        self, id: Any, baudrate: int = 1_000_000, *, polarity: int = 0, phase: int = 0, bits: int = 8, firstbit: int = MSB,
        sck: Any = None, mosi: Any = None, miso: Any = None,
    ) -> None:
        self._id = id

    def init(
        self, baudrate: int = 1_000_000, *, polarity: int = 0, phase: int = 0, bits: int = 8, firstbit: int = MSB,
        sck: Any = None, mosi: Any = None, miso: Any = None,
    ) -> None:
        pass

    def deinit(self) -> None:
        pass

    def read(self, nbytes: int, write: int = 0, /) -> bytes:
        return bytes(nbytes)

    def readinto(self, buf: Any, write: int = 0, /) -> None:
        view = memoryview(buf).cast("B")
        view[:] = bytes(len(view))

    def write(self, buf: Any, /) -> None:
        _host.to_bytes(buf)

    def write_readinto(self, write_buf: Any, read_buf: Any, /) -> None:
        if len(_host.to_bytes(write_buf)) != len(memoryview(read_buf).cast("B")):
            raise ValueError("buffers must be the same length")
        self.readinto(read_buf)


class SoftSPI(SPI):
    """The same on any three pins."""

    def __init__(
        self, baudrate: int = 500_000, *, polarity: int = 0, phase: int = 0, bits: int = 8, firstbit: int = SPI.MSB,
        sck: Any = None, mosi: Any = None, miso: Any = None,
    ) -> None:
        super().__init__(-1, baudrate)
