"""Text recognition by CTC: a line of text, as LPRNet, CRNN and PP-OCR's recognizer read it.

in      [1, steps, classes], [1, classes, steps] or [steps, 1, classes]: logits, log-probabilities or probabilities; int8,
        uint8, int16 or float32. A class is a character, or the blank between two of them
out     a `Reading`

Without a pattern: the best class of each step, of which repeats are one character and blanks none. The score of a character
is its probability in the first step of its run, the text's score the mean of these, as PP-OCR does (CTCLabelDecode).
Softmax in float32, as the Classifier's. With a pattern: families/vectors/text_pattern.py.
"""

from ulab import numpy as np

from ...pixels.rounding import same_floats
from ...results.reading import Reading
from ...tensors.lazy import later
from ...tensors.options import Options, choice, name_list, number
from ..processor import ModelBinding, Processor
from .classifier import kind_of

_EXPECTED = "one output [1, steps, classes], [1, classes, steps] or [steps, 1, classes]"
_BLANKS = "", "-", "_", "blank", "<blank>", "[blank]"  # how lists of characters write the blank
_LEAST = 0.01  # score of a character that a pattern allows: below it, nothing in the picture is like it


def characters_or_none(name, value):
    """None, or a list of characters, from a text or any form of labels but a path."""
    if isinstance(value, str):
        if len(value) < 2:
            raise ValueError("%s: expected two characters or more, got %r" % (name, value))
        return list(value)
    if isinstance(value, (list, tuple)) and value and not [one for one in value if not isinstance(one, str) or not one]:
        return list(value)  # also spaces: PP-OCR's list has a wide one among the characters
    return name_list(name, value)


def pattern_or_none(name, value):
    """None, or a text that is a pattern."""
    if value is not None:
        from .text_pattern import positions_of

        positions_of(name, value)
    return value


class TextLine(Processor):
    """Post-processor for text recognition: `ml.Model(path, postprocess=n6post.TextLine(characters="0123456789"))`.

    A call returns a `Reading`. It needs the characters of the network, in the order of its classes: the option `characters`,
    or the model's labels.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family,
    or that has another number of classes than there are characters.
    """

    _option = Options("threshold")
    threshold = _option("threshold", 0.5, number, 0.0, 1.0)
    characters = _option("characters", None, characters_or_none)
    pattern = _option("pattern", None, pattern_or_none)
    blank = _option("blank", None, choice, "first", "last")
    score_type = _option("score_type", None, choice, "probability", "logit")
    labels = _option("labels", None, name_list)

    def _bind(self, model, outputs):
        return TextLineBinding(self, model, outputs)


class TextLineBinding(ModelBinding):
    """Which dimension has the classes, which class is the blank, and the meaning of the numbers."""

    expected_outputs = _EXPECTED
    needs_picture = False

    def __init__(self, options, model, outputs):
        super().__init__(model, outputs)
        out = self.outputs[0]
        names = options.characters or options.labels
        if names is None:
            names = name_list("labels", getattr(model, "labels", None) or None)
        if not names:
            raise ValueError("characters: expected those of the network, in the order of its classes, got None")
        count = len(names)
        dims = [n for n in out.shape if n != 1]
        # A last class that the list leaves out is a space, as PP-OCR's.
        right = [n for n in dims if n in (count, count + 1, count + 2)]
        if len(dims) != 2 or not right or not 0 < min(dims) <= max(dims) <= 32767:
            raise ValueError(
                "expected %s, with 1 or 2 classes more than the %d characters, or as many, got %s"
                % (_EXPECTED, count, out.shape)
            )
        self.axis = 1 if dims[1] in right else 0
        if dims[0] == count + 1 and dims[1] != count + 1:
            self.axis = 0
        self.dims, classes, self.steps = tuple(dims), dims[self.axis], dims[1 - self.axis]
        self.scale, self.zero_point = same_floats(out.scale), float(out.zero_point)
        self.is_logit = (options.score_type or kind_of(self, self._step(outputs[0], 0))) == "logit"
        self.limit_score(model, out)
        self.threshold = options.threshold
        blank = options.blank
        if blank is None:
            blank = self._blank_of(outputs[0].reshape(self.dims), names, classes)
        if count == classes:
            names = names[1:] if blank == "first" else names[:-1]
        elif count == classes - 2:
            names = names + [" "]
        self.blank = 0 if blank == "first" else classes - 1
        self.names = [""] + names if blank == "first" else names + [""]
        self.pattern = None
        if options.pattern is not None:
            from .text_pattern import Pattern

            self.pattern = Pattern(options.pattern, self.names, self.blank, self.steps)

    def _blank_of(self, array, names, classes):
        """ "first" or "last"."""
        if len(names) == classes - 2:
            return "first"  # PP-OCR
        if len(names) == classes and (names[0] in _BLANKS) != (names[-1] in _BLANKS):
            return "first" if names[0] in _BLANKS else "last"
        # Most steps are blank, or at least those between two characters.
        best = np.argmax(array, axis=self.axis).tolist()  # camera: argmax-axis: at most 32,767 classes, checked
        first, last = best.count(0), best.count(classes - 1)
        # A frame of equal numbers, or as many of both, shows nothing: the next one may.
        self.is_final = self.is_final and first != last and float(np.min(array)) < float(np.max(array))
        return "last" if last > first else "first"

    def _step(self, array, at):
        array = array.reshape(self.dims)
        return array[at] if self.axis else array[:, at]

    def result(self, outputs):
        out = outputs[0]
        array = out.reshape(self.dims)
        best = np.argmax(array, axis=self.axis).tolist()  # camera: argmax-axis: at most 32,767 classes, checked
        found, last = [], self.blank
        for at, class_id in enumerate(best):
            if class_id != last and class_id != self.blank:
                found.append((at, class_id))
            last = class_id
        if self.pattern and not self.pattern.allows([class_id for _, class_id in found]):
            found = self.pattern.find([self._log(out, at) for at in range(self.steps)])
        scores = [self._probability(out, at, class_id) for at, class_id in found]
        if scores:
            self.guard(max(scores))
            mean = sum(scores) / len(scores)
            if mean >= self.threshold and not (self.pattern and min(scores) < _LEAST):  # NaN passes no threshold
                return Reading("".join([self.names[class_id] for _, class_id in found]), mean, scores)
        return Reading("", 0.0, [])

    def _reals(self, array, at):
        """The numbers of a step in float32."""
        return (np.array(self._step(array, at), dtype=np.float) - self.zero_point) * self.scale

    def _log(self, array, at):
        """The numbers of a step as logarithms, up to a constant."""
        values = self._reals(array, at)
        return values if self.is_logit else np.log(np.maximum(values, 1e-9))

    def _probability(self, array, at, class_id):
        values = self._reals(array, at)
        if not self.is_logit:
            return float(values[class_id])
        heads = later.kernels_portable_heads
        powers = heads._power((values - float(np.max(values))) * heads._LOG2_E)
        return float(powers[class_id]) / float(np.dot(powers, np.ones(len(powers))))
