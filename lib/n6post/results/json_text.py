"""Results as one line of JSON, the same bytes on a camera and on a PC: for a UART, a socket or a file."""

from array import array

from micropython import const

from ..kernels import json as json_kernels
from ..tensors.lazy import later
from .detection import Detection

_KEPT = const(65536)  # bytes: a larger buffer is not kept for the next line

# The words that are set or read here, and their number. Copied by scripts/dev/generate.py from kernels/viper/json.py:
_AT = const(7)
_NEXT = const(8)
_MEASURED = const(19)
_MORE_SIZE = const(20)
_WORDS = const(21)
# Copied by scripts/dev/generate.py from results/detection.py:
_CORNERS = const(2)


def to_json(result, *, outline=False, stream=None):
    """A result as one line of JSON. `json.loads` of it returns what `as_dict` returns.

    result      a list of Detection, or anything else with `as_dict`: a Detection, a Segmentation, a zone, a HeatMap, a
                Gallery; or a list of such objects: zones, `zone.left`, `tracker.tracks`. None, also in a list, becomes null
    outline     whether to include the outline of every mask of a Detection
    stream      where to write the line: a UART, a socket, a file, sys.stdout or anything else with `write` that takes
                bytes. None: it is returned

    Without a stream it returns a str without a line end. With one it calls `stream.write` once, with the line and a line end
    as bytes, and returns what that returns. This takes less time and hardly any memory. The bytes are a memoryview of a
    buffer that the next call overwrites: a `write` of your own has to send or copy them before it returns. A stream that
    takes only a part, such as a non-blocking socket, returns a smaller number or None, and the rest is lost: send the text
    to it.

    The text is ASCII, and for the same numbers the same on a camera and on a PC. ValueError for anything else.
    """
    # Taken from the list while it is in use: a thread, a stream or a callback that calls to_json meanwhile uses another.
    try:
        line = _lines.pop()
    except IndexError:
        line = _Line()
    try:
        start = 0
        if isinstance(result, Detection):
            start, end = 1, line.fill([result], outline) - 1
        else:
            end = line.fill(result, outline)
        if stream is None:
            return str(memoryview(line.out)[start:end], "utf-8")
        send = getattr(stream, "write", None)
        if send is None:
            raise ValueError("stream: expected None or an object with write(), got %s" % type(stream).__name__)
        line.out[end] = 10
        return send(memoryview(line.out)[start : end + 1])
    finally:
        if len(line.out) <= _KEPT and len(line.more) <= _KEPT:
            _lines.append(line)


_lines = []  # those that are not in use
_texts = {}  # labels as JSON


class _Line:
    """The buffers in which a line is written. They are kept for the next one."""

    def __init__(self):
        self.out = bytearray(1024)
        self.more = bytearray(64)  # what json_parts writes of a detection
        self.words = array("i", bytes(4 * _WORDS))
        self.score = array("f", bytes(4))  # through which the kernel reads the bits of a score
        self.outline = False
        self.text_of = self._text_of

    def fill(self, result, outline):
        """Write a line. Returns where it ends in `out`, which has a free byte behind it."""
        if not isinstance(result, (list, tuple)) or getattr(result, "as_dict", None):
            return self._fill_from_dicts(result, outline)
        # Not by as_dict() and json.dumps, which take ten times as long and more memory.
        words = self.words
        words[_AT] = 1
        words[_NEXT] = 0
        self.outline = outline
        self.out[0] = 91
        while True:
            out = self.out
            try:
                need = json_kernels.write(result, words, out, len(out), self.score, _texts, self.text_of)
            except (TypeError, ValueError, AttributeError, LookupError, OverflowError):
                if [d for d in result if not isinstance(d, Detection)]:
                    return self._fill_from_dicts(result, outline)
                result = later.results_json_parts.normalized(result)
                need = json_kernels.write(result, words, out, len(out), self.score, _texts, self.text_of)
            if not need:
                break
            self.out = _grown(out, words[_AT], len(out) + need)
        end = words[_AT]
        self.out[end] = 93
        return end + 1

    def _fill_from_dicts(self, result, outline):
        # Of anything but a list of Detection.
        text = later.results_json_parts.text_of_objects(result, _quoted, outline)
        self.out = _grown(self.out, 0, len(text) + 1)
        self.out[: len(text)] = text
        return len(text)

    def _text_of(self, kind, d):
        # The bytes that the kernel cannot make itself: of kind 0 the label, 1 the score, 2 keypoints and corners.
        if kind == 0:
            if len(_texts) > 200:
                _texts.clear()
            text = _texts[d[3]] = _quoted(d[3]).encode()
            return text
        if kind == 1:
            return later.results_json_parts.score_text(d[1])
        mask, keypoints = d[4], d[5]
        at = 0
        if mask is not None:
            if self.outline:
                at = later.results_json_parts.add_mask(self, mask, at)
            else:
                later.results_mask_measures.measure(mask, self.words)
                self.words[_MEASURED] = 1
        if keypoints is not None:
            at = later.results_json_parts.add_keypoints(self, keypoints, at)
        if len(d._source) > _CORNERS:
            at = later.results_json_parts.add_corners(self, d, at)
        self.words[_MORE_SIZE] = at
        return self.more

    def reserve(self, at, size):
        """Make `more` large enough for so many bytes from `at` on."""
        self.more = _grown(self.more, at, at + size)


def _grown(buffer, size, least):
    """The buffer if it has at least so many bytes, else a larger one with its first `size` bytes."""
    if least <= len(buffer):
        return buffer
    larger = bytearray(2 * least)
    larger[:size] = memoryview(buffer)[:size]
    return larger


def _quoted(text):
    """A text as JSON, in ASCII."""
    # A camera makes each character a string, which takes 12,000 instructions.
    for code in text.encode("utf-8", "surrogatepass"):
        if code < 32 or code > 126 or code == 34 or code == 92:
            return later.results_json_parts.escaped(text)
    return '"' + text + '"'
