"""Results as one line of JSON, the same bytes on a camera and on a PC: for a UART, a socket or a file."""

import json
from array import array

from micropython import const

from ..kernels.json import write
from ..tensors.lazy import module
from .detection import Detection, copied
from .dicts import corners_as_pairs, keypoints_as_lists, mask_as_dict, rounded

_KEPT = const(16384)  # bytes: a larger buffer is not kept for the next line


def to_json(result, *, outline=False):
    """A result as one line of JSON, without a line end. `json.loads` of it returns what `as_dict` returns.

    result      a list of Detection, or an object with `as_dict`: a Detection, a Segmentation, a LineZone, a PolygonZone
    outline     whether to include the outline of every mask

    The text is ASCII, and for the same numbers the same on a camera and on a PC. ValueError for anything else.
    """
    if isinstance(result, Detection):
        return to_json([result], outline=outline)[1:-1]
    if not isinstance(result, (list, tuple)):
        as_dict = getattr(result, "as_dict", None)
        if as_dict is None:
            raise ValueError("expected a list of Detection or something with as_dict(), got %s" % type(result).__name__)
        return _encoded(as_dict())
    return _lines(result, outline)


def _lines(detections, outline):
    # Not by as_dict() and json.dumps, which take ten times as long and more memory.
    out = _OUT[0]
    text_of = _text_with_outline if outline else _text_of
    _words[0] = 1
    _words[1] = 0
    while True:
        try:
            need = write(detections, _words, out, len(out), _score, _texts, text_of)
        except (TypeError, ValueError, AttributeError):
            detections = [_normalized(d) for d in detections]
            need = write(detections, _words, out, len(out), _score, _texts, text_of)
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


# Kept for the next line: the buffer, the words of the kernel, a score to read its bits, and labels as JSON.
_OUT = [bytearray(b"[" + bytes(1023))]
_words = array("i", bytes(52))
_score = array("f", bytes(4))
_texts = {}


def _text_of(kind, d, outline=False):
    # The bytes that the kernel cannot make itself: of kind 0 the label, 1 the score, 2 mask, keypoints and corners.
    if kind == 0:
        if len(_texts) > 200:
            _texts.clear()
        text = _texts[d[3]] = _quoted(d[3]).encode()
        return text
    if kind == 1:
        return json.dumps(rounded(d[1])).encode()
    mask, keypoints = d[4], d[5]
    text = ""
    if mask is not None:
        text += ', "mask": ' + json.dumps(mask_as_dict(mask, outline))
    if keypoints is not None:
        text += ', "keypoints": ' + json.dumps(keypoints_as_lists(keypoints))
    if len(d._source) > 2:
        return text.encode() + _corners_text(d)
    return text.encode()


def _corners_text(d):
    text = module("results.oriented").json_of(d)
    return text or "".join([', "%s": %s' % (key, json.dumps(value)) for key, value in corners_as_pairs(d)]).encode()


def _text_with_outline(kind, d):
    return _text_of(kind, d, True)


def _normalized(d):
    # A Detection made by a script may have numbers of other types: converted as by as_dict.
    if not isinstance(d, Detection):
        raise ValueError("expected a list of Detection or something with as_dict(), got a list with %s" % type(d).__name__)
    return copied(d, (tuple([int(v) for v in d[0]]), float(d[1]), int(d[2]), d[3], d[4], d[5]))


def _encoded(value):
    if isinstance(value, dict):
        return "{" + ", ".join(["%s: %s" % (_quoted(key), _encoded(one)) for key, one in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ", ".join([_encoded(one) for one in value]) + "]"
    if isinstance(value, str):
        return _quoted(value)
    return str(value) if type(value) is int else json.dumps(value)


_quotes = {}  # keys and labels as JSON


def _quoted(text):
    quoted = _quotes.get(text)
    if quoted is None:
        if len(_quotes) > 200:
            _quotes.clear()
        quoted = _quotes[text] = _quote(text)
    return quoted


def _quote(text):
    # A camera makes each character a string, which takes 12,000 instructions.
    for code in text.encode():
        if code < 32 or code > 126 or code == 34 or code == 92:
            break
    else:
        return '"' + text + '"'
    return '"' + "".join([_escaped(ord(c)) for c in text]) + '"'


def _escaped(code):
    # Not by json.dumps: MicroPython's leaves other characters than ASCII as they are, CPython's escapes them.
    if code > 0xFFFF:
        code -= 0x10000
        return "\\u%04x\\u%04x" % (0xD800 | code >> 10, 0xDC00 | code & 0x3FF)
    if code < 32 or code > 126:
        return "\\u%04x" % code
    return "\\" + chr(code) if code == 34 or code == 92 else chr(code)
