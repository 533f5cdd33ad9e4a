"""`ulab.utils`: buffers of integers to float arrays."""

from .._buffers import from_int16_buffer, from_int32_buffer, from_uint16_buffer, from_uint32_buffer
from .._unmodelled import unmodelled as _unmodelled

spectrogram = _unmodelled("utils.spectrogram")

__all__ = [
    "from_int16_buffer",
    "from_int32_buffer",
    "from_uint16_buffer",
    "from_uint32_buffer",
    "spectrogram",
]
