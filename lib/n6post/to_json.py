"""Results as one line of JSON, the same bytes on camera and PC: for a UART, a socket, a file."""

import json
from array import array

from micropython import const

from .answers import keypoints_as_lists, mask_as_dict, rounded
from .detection import Detection
from .kernels.text import write

_KEPT = const(16384)  # bytes: a longer line's are not kept


def to_json(result, outline=False):
    """A result as one line of JSON, without a line end; `json.loads` of it is what `as_dict` gives.

    result      a list of Detection, or whatever has an `as_dict`: a Detection, a Segmentation, a LineZone, a PolygonZone
    outline     give the outline of every mask as well

    The text is ASCII, and the same on camera and PC for the same numbers. ValueError for what is no result.
    """
    if isinstance(result, Detection):
        return to_json([result], outline)[1:-1]
    if not isinstance(result, (list, tuple)):
        told = getattr(result, "as_dict", None)
        if told is None:
            raise ValueError("expected a list of Detection or something with as_dict(), got %s" % type(result).__name__)
        return _encoded(told())
    return _lines(result, outline)


def _lines(found, outline):
    # Not as_dict() and json.dumps: that takes ten times as long, and more memory.
    out = _OUT[0]
    tell = _with_outlines if outline else _told
    _words[0] = 1
    _words[1] = 0
    while True:
        try:
            need = write(found, _words, out, len(out), _score, _texts, tell)
        except (TypeError, ValueError, AttributeError):
            found = [_usual(d) for d in found]
            need = write(found, _words, out, len(out), _score, _texts, tell)
        if not need:
            break
        size = _words[0]
        larger = bytearray(2 * len(out) + need)
        larger[:size] = memoryview(out)[:size]
        out = larger
        if len(out) <= _KEPT:
            _OUT[0] = out
    size = _words[0]
    out[size] = 93
    return str(memoryview(out)[: size + 1], "utf-8")


# What a line is put together in, kept for the next one; how far it is; a score, to read its bits; labels as JSON has them.
_OUT = [bytearray(b"[" + bytes(1023))]
_words = array("i", bytes(52))
_score = array("f", bytes(4))
_texts = {}


def _told(what, d, outline=False):
    # What the kernel asks for.
    if what == 0:
        if len(_texts) > 200:
            _texts.clear()
        told = _texts[d[3]] = _quoted(d[3]).encode()
        return told
    if what == 1:
        return json.dumps(rounded(d[1])).encode()
    mask, keypoints = d[4], d[5]
    rest = ""
    if mask is not None:
        rest += ', "mask": ' + json.dumps(mask_as_dict(mask, outline))
    if keypoints is not None:
        rest += ', "keypoints": ' + json.dumps(keypoints_as_lists(keypoints))
    return rest.encode()


def _with_outlines(what, d):
    return _told(what, d, True)


def _usual(d):
    # Of numbers of other kinds than a Detection's own, what as_dict tells.
    if not isinstance(d, Detection):
        raise ValueError("expected a list of Detection or something with as_dict(), got a list with %s" % type(d).__name__)
    other = type(d)(tuple([int(v) for v in d[0]]), float(d[1]), int(d[2]), d[3], d[4], d[5])
    other.track_id = d.track_id
    return other


def _encoded(value):
    if isinstance(value, dict):
        return "{" + ", ".join(["%s: %s" % (_quoted(key), _encoded(one)) for key, one in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ", ".join([_encoded(one) for one in value]) + "]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text):
    return '"' + "".join([_escaped(ord(c)) for c in text]) + '"'


def _escaped(code):
    # MicroPython's json leaves what is not ASCII as it is, CPython's escapes it.
    if code > 0xFFFF:
        code -= 0x10000
        return "\\u%04x\\u%04x" % (0xD800 | code >> 10, 0xDC00 | code & 0x3FF)
    if code < 32 or code > 126:
        return "\\u%04x" % code
    return "\\" + chr(code) if code == 34 or code == 92 else chr(code)
