"""The check of a message for to_bytes, over every byte: viper compiles it to machine code.

_viper/crc.py is the same source in plain Python, without viper's own syntax. scripts/dev/generate.py writes it.
"""

import micropython


@micropython.viper
def crc16(data: ptr8, end: int) -> int:
    """The CRC-16/CCITT-FALSE of the first `end` bytes: polynomial 0x1021, from 0xFFFF; 0x29B1 of b"123456789"."""
    crc = 0xFFFF
    i = 0
    while i < end:
        # All eight bits of a byte at once, without a table: 70 instructions instead of 1,000 as bytecode.
        x = crc >> 8 ^ data[i]
        x ^= x >> 4
        crc = (crc << 8 ^ x << 12 ^ x << 5 ^ x) & 0xFFFF
        i += 1
    return crc
