"""mem8, mem16 and mem32: a PC has no registers."""


class _Memory:
    """Aligned reads return 0; writes are refused."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __getitem__(self, address: int) -> int:
        if address % self._size:
            raise ValueError(f"address {address:08x} is not aligned to {self._size} bytes")
        return 0

    def __setitem__(self, address: int, value: int) -> None:
        raise NotImplementedError(f"machine.mem{8 * self._size}: there is no memory to write to on a PC")


mem8 = _Memory(1)
mem16 = _Memory(2)
mem32 = _Memory(4)
