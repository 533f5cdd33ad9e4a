"""The C module, as a camera has it: the one in Python that this MicroPython brings takes no str, and its time."""

from ubinascii import a2b_base64, b2a_base64, crc32, hexlify, unhexlify  # noqa: F401
