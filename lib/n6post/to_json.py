"""Results as one line of JSON, the same bytes on camera and PC: for a UART, a socket, a file."""

import json

from .answers import keypoints_as_lists, mask_as_dict, rounded
from .detection import Detection


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
    return "[" + ", ".join([_line(d, outline) for d in result]) + "]"


def _line(d, outline):
    # Written out, not as_dict() and json.dumps: that takes half as long again, and more memory.
    (x, y, w, h), score, class_id, label, mask, keypoints = d
    score = rounded(score, 3)
    rest = ""
    if mask is not None:
        rest += ', "mask": ' + json.dumps(mask_as_dict(mask, outline))
    if keypoints is not None:
        rest += ', "keypoints": ' + json.dumps(keypoints_as_lists(keypoints))
    track_id = d.track_id
    if track_id is not None:
        rest += ', "track_id": %d' % track_id
    return '{"rect": [%d, %d, %d, %d], "score": %s, "class_id": %d, "label": %s%s}' % (
        x, y, w, h, "null" if score is None else score, class_id, _texts.get(label) or _quoted(label), rest
    )  # fmt: skip


def _encoded(value):
    if isinstance(value, dict):
        return "{" + ", ".join(["%s: %s" % (_quoted(key), _encoded(one)) for key, one in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ", ".join([_encoded(one) for one in value]) + "]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


_texts = {}  # labels, as JSON has them


def _quoted(text):
    if text not in _texts:
        if len(_texts) > 200:
            _texts.clear()
        _texts[text] = '"' + "".join([_escaped(ord(c)) for c in text]) + '"'
    return _texts[text]


def _escaped(code):
    # MicroPython's json leaves what is not ASCII as it is, CPython's escapes it.
    if code > 0xFFFF:
        code -= 0x10000
        return "\\u%04x\\u%04x" % (0xD800 | code >> 10, 0xDC00 | code & 0x3FF)
    if code < 32 or code > 126:
        return "\\u%04x" % code
    return "\\" + chr(code) if code == 34 or code == 92 else chr(code)
