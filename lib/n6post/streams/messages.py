"""`to_bytes`: detections as a binary message for a UART, for a robot or another microcontroller.

docs/results.md has the tables of a message. scripts/examples/arduino_robot/n6post_parser.c reads it.
"""

from struct import pack_into

from micropython import const

from ..kernels import crc as crc_kernels

_HEADER = const(5)
_RECORD = const(18)
_NOT_ORIENTED = const(65535)
# Copied by scripts/dev/generate.py from results/detection.py:
_TRACK_ID = const(0)
_CORNERS = const(2)


def to_bytes(detections):
    """Detections as a binary message for a UART, a bytearray: 7 bytes, and 18 for each detection.

    It begins with b"n6", the format's version 1, the number of detections and the size of a record, one byte each. A record
    has, little-endian: class_id and the score in 1/256, rounded down (uint16), track_id (int32; 0 without a track), x, y, w
    and h (int16), and the rotation of an oriented box in 1/100 degree (uint16; 65535 for other boxes). The message ends with
    the CRC-16/CCITT-FALSE of all bytes before it (uint16), which is binascii.crc_hqx(data, 0xFFFF) on a PC.

    The bytes are the same on a camera and on a PC. ValueError for more than 255 detections, for numbers that do not fit, and
    for anything but a list of Detection.
    """
    count = len(detections) if isinstance(detections, (list, tuple)) else 256
    if count > 255:
        raise ValueError("detections: expected a list of at most 255 Detection, got %r" % (detections,))
    end = _HEADER + _RECORD * count
    message = bytearray(end + 2)
    pack_into("<2sBBB", message, 0, b"n6", 1, count, _RECORD)
    at = _HEADER
    try:
        for d in detections:
            (x, y, w, h), score, class_id, _, _, _ = d
            score = int(score * 256)  # a power of two, so that a camera's shorter floats make no difference
            if (class_id | score | x + 32768 | y + 32768 | w + 32768 | h + 32768) >> 16:  # pack_into would cut them
                raise ValueError
            rotation = d.rotation if len(d._source) > _CORNERS else None
            turn = _NOT_ORIENTED if rotation is None else int(rotation * 100 + 0.5)
            pack_into("<HHihhhhH", message, at, class_id, score, d._track[_TRACK_ID] or 0, x, y, w, h, turn)
            at += _RECORD
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise ValueError("detections: expected a Detection whose numbers have 16 bits, got %r" % (d,)) from None
    pack_into("<H", message, end, crc_kernels.crc16(message, end))
    return message
