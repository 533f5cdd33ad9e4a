"""Parts of a line of JSON that boxes and masks do not have, for json_text.py. Imported on first use."""

import json

from ..kernels import corners as corner_kernels
from ..tensors.lazy import later
from .detection import Detection, copied
from .dicts import corners_as_pairs, keypoint_steps, keypoints_as_lists, mask_as_dict, rounded

# These write into `more` of a line from `at` on, and return the position of the end.


def add_mask(line, mask, at):
    """A mask with its outline."""
    return _add(line, ', "mask": ' + json.dumps(mask_as_dict(mask, True)), at)


def add_keypoints(line, keypoints, at):
    """Keypoints (K, 3)."""
    count = len(keypoints)
    line.reserve(at, 20 + 36 * count)
    end = corner_kernels.write_keypoints(keypoint_steps(keypoints), count, line.more, at)
    return end or _add(line, ', "keypoints": ' + json.dumps(keypoints_as_lists(keypoints)), at)


def add_corners(line, d, at):
    """The corners and the rotation of an oriented box."""
    line.reserve(at, 160)
    _, _, (rows, row, _) = d._source
    end = corner_kernels.write_corners(later.results_oriented.corner_steps(d), int(rows[row, 8]), line.more, at)
    return end or _add(line, "".join([', "%s": %s' % (key, json.dumps(value)) for key, value in corners_as_pairs(d)]), at)


def _add(line, text, at):
    text = text.encode()
    end = at + len(text)
    line.reserve(at, len(text))
    line.more[at:end] = text
    return end


def score_text(score):
    """A score as JSON."""
    return json.dumps(rounded(score)).encode()


def normalized(detections):
    """Detections made by a script, which may have numbers of other types: converted as by as_dict."""
    made = []
    for d in detections:
        if not isinstance(d[3], str):
            raise ValueError("label: expected a text, got %r" % (d[3],))
        try:
            x, y, w, h, class_id = [int(v) for v in list(d[0]) + [d[2]]]
            if max(abs(x), abs(y), abs(w), abs(h), abs(class_id)) >> 31:
                raise ValueError
            made.append(copied(d, ((x, y, w, h), float(d[1]), class_id, d[3], d[4], d[5])))
        except (TypeError, ValueError, OverflowError):
            raise ValueError("detections: expected numbers of 32 bits, got %r" % (d,)) from None
    return made


def text_of_objects(result, quoted, outline):
    """An object with as_dict, None, or a list of such, as JSON. quoted(text) returns a text as JSON."""
    return _encoded(_as_dicts(result, outline, ""), quoted).encode()


def _as_dicts(one, outline, where):
    if getattr(one, "as_dict", None):
        return one.as_dict(outline) if isinstance(one, Detection) else one.as_dict()
    if isinstance(one, (list, tuple)):
        return [_as_dicts(item, outline, "a list with ") for item in one]
    if one is not None:
        raise ValueError("expected a list of Detection or something with as_dict(), got %s%s" % (where, type(one).__name__))


def _encoded(value, quoted):
    if isinstance(value, dict):
        items = ["%s: %s" % (_kept(key, quoted), _encoded(one, quoted)) for key, one in value.items()]
        return "{" + ", ".join(items) + "}"
    if isinstance(value, list):
        return "[" + ", ".join([_encoded(one, quoted) for one in value]) + "]"
    if isinstance(value, str):
        return _kept(value, quoted)
    return str(value) if type(value) is int else json.dumps(value)


_quotes = {}  # keys and labels as JSON


def _kept(text, quoted):
    as_json = _quotes.get(text)
    if as_json is None:
        if len(_quotes) > 200:
            _quotes.clear()
        as_json = _quotes[text] = quoted(text)
    return as_json


def escaped(text):
    """A text as JSON, in ASCII, of any characters."""
    return '"' + "".join([_escaped(ord(c)) for c in text]) + '"'


def _escaped(code):
    # Not by json.dumps: MicroPython's leaves other characters than ASCII as they are, CPython's escapes them.
    if code > 0xFFFF:
        code -= 0x10000
        return "\\u%04x\\u%04x" % (0xD800 | code >> 10, 0xDC00 | code & 0x3FF)
    if code < 32 or code > 126:
        return "\\u%04x" % code
    return "\\" + chr(code) if code == 34 or code == 92 else chr(code)
