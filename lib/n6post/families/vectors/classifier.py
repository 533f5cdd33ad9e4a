"""Classifiers: one score for each class of the whole picture.

in      [1, classes], or with more dimensions of 1: probabilities or logits of 2 to 65535 classes; int8, uint8, int16 or
        float32. The input may also be something else than a picture
out     a `Classification`: the best classes, best first

Probabilities are used as they are. Logits get a softmax, in float32 and with powers of 2 as in kernels/portable/heads.py:
score_k = e_k / (e_0 + e_1 + ...), e_k = exp(logit_k - largest logit).
"""

from ulab import numpy as np

from ...kernels import boxes as box_kernels
from ...kernels.params import boxes as params
from ...pixels.rounding import same_floats
from ...results.classification import Classification
from ...tensors.label_sets import checked_names
from ...tensors.lazy import later
from ...tensors.options import Options, choice, name_list, number
from ...tensors.quantization import FLOAT
from ...tensors.shapes import are_face_points
from ..processor import ModelBinding, Processor

_EXPECTED = "one output [1, classes]"
_LARGEST = 1.5  # no probability: a quantized one may be a little more than 1
_SUM = 0.05  # by which the probabilities of all classes may differ from 1


class Classifier(Processor):
    """Post-processor for image classification: `ml.Model(path, postprocess=n6post.Classifier())`.

    A call returns a `Classification`, the `top_k` best classes with their labels and scores. If the network's numbers are
    logits, it computes their softmax: for integers the quantization shows it, for floats the numbers of the first frames.
    The option `score_type` says it instead.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    _option = Options("threshold")
    threshold = _option("threshold", 0.0, number, 0.0, 1.0)
    top_k = _option("top_k", 5, number, 1, 1000)
    labels = _option("labels", None, name_list)
    score_type = _option("score_type", None, choice, "probability", "logit")

    def _bind(self, model, outputs):
        return ClassifierBinding(self, model, outputs)


class ClassifierBinding(ModelBinding):
    """A vector of scores, and the meaning of its numbers."""

    expected_outputs = _EXPECTED
    needs_picture = False

    def __init__(self, options, model, outputs):
        super().__init__(model, outputs)
        out = self.outputs[0]
        classes = out.size
        if len([n for n in out.shape if n > 1]) != 1 or not 2 <= classes <= 65535:
            raise ValueError("expected %s of 2 to 65535 classes, got %s" % (_EXPECTED, out.shape))
        self.classes = classes
        self.scale = same_floats(out.scale)
        self.names = _names(options, model, classes)
        scores = options.score_type
        if scores is None:
            scores = kind_of(self, outputs[0])
            if self.size and not self.names and (classes in (3, 4) and len(out.shape) < 4 or are_face_points(classes)):
                self._check_classes(outputs[0], scores)
        self.threshold = options.threshold
        self.is_logit = scores == "logit"
        self.limit_score(model, out)
        cut = out.quantize_threshold(-np.inf if out.dtype == FLOAT else out.least()) if self.is_logit else None
        capacity = min(options.top_k, classes)
        # The search for anchors finds the largest numbers, of equal ones the first: each number is an anchor of one class.
        self.block = params.candidates(
            dtype=out.dtype,
            anchors=classes,
            channels=1,
            channel_step=1,
            anchor_step=1,
            first_class=0,
            classes=1,
            zero_point=out.zero_point,
            cut=out.quantize_threshold(self.threshold) if cut is None else cut,
            capacity=capacity,
            allowed=(),
        )
        self.buffers = (
            np.frombuffer(bytearray(4 * 5 * capacity), dtype=np.float).reshape((5, capacity)),
            np.frombuffer(bytearray(2 * 3 * capacity), dtype=np.uint16).reshape((3, capacity)),
        )

    def _check_classes(self, array, kind):
        """ValueError for numbers of a regression. Only labels or the option `score_type` show that a few logits are none."""
        from ...tensors import errors

        out, count = self.outputs[0], self.classes
        numbers = (np.array(array, dtype=np.float).reshape((1, count)) - float(out.zero_point)) * out.scale
        low, high = float(np.min(numbers)), float(np.max(numbers))
        if not low < high:  # a network's first frame may be like this
            self.is_final = False
            return
        if count > 4:
            from .face_points import are_keypoints

            if are_keypoints(numbers):
                raise ValueError(
                    "expected scores of classes, got numbers like those of %d keypoints of a face in %s: use"
                    " n6post.FacePoints(), or give labels, one for each class" % (count // 2, out)
                )
            return
        total = float(np.dot(numbers, np.ones((count, 1)))[0, 0])
        if kind == "logit" or low < -1e-3 - out.scale * (out.dtype != FLOAT) or not -_SUM < total - 1.0 < _SUM:
            raise errors.not_decoded(
                out,
                "a regression of %d numbers" % count,
                "without a post-processor, predict([img])[0] has them; if they are scores of classes, give labels, one per"
                " class, or the option score_type",
            )

    def result(self, outputs):
        values, indices = self.buffers
        out = outputs[0]
        count = box_kernels.candidates(out, self.block, values, indices)
        if not count:
            return Classification([], [], self.names)
        scores = values[4, :count]
        scores = self._softmax(out, scores) if self.is_logit else scores * self.scale
        class_ids, scores = indices[0, :count].tolist(), scores.tolist()
        self.guard(scores[0])
        if self.is_logit:
            while scores and not scores[-1] >= self.threshold:
                scores.pop()
            class_ids = class_ids[: len(scores)]
        return Classification(class_ids, scores, self.names)

    def _softmax(self, out, best):
        """The softmax of the best numbers, with zero point 0, of all numbers of the output."""
        heads = later.kernels_portable_heads
        raw = np.array(out.reshape((1, self.classes)), dtype=np.float) - float(self.outputs[0].zero_point)
        factor = self.scale * heads._LOG2_E
        all_e = heads._power((raw.reshape((self.classes,)) - best[:1]) * factor)
        total = np.dot(all_e.reshape((1, self.classes)), np.ones((self.classes, 1)))
        return heads._power((best - best[:1]) * factor) / total.reshape((1,))


def kind_of(binding, array):
    """ "probability" or "logit": what the numbers of all classes are, by the quantization or this float array."""
    out = binding.outputs[0]
    if out.dtype != FLOAT:
        # Symmetric integers reach -1.
        return "probability" if out.least() > -_LARGEST and out.largest() < _LARGEST else "logit"
    low, high = np.min(array), np.max(array)
    if not (low >= -1e-3 and high <= 1.0 + 1e-3):  # also for NaN
        return "logit"
    # Every softmax has the sum 1. Sigmoids have not, and a few logits may all be in 0..1: the next frame tells.
    row = np.array(array, dtype=np.float).reshape((1, array.size))
    total = float(np.dot(row, np.ones((array.size, 1)))[0, 0])
    binding.is_final = -_SUM < total - 1.0 < _SUM
    return "probability"


def _names(options, model, classes):
    """The labels of all classes; () if they have none."""
    names = options.labels
    if names is not None:
        return checked_names(names, classes)
    return name_list("labels", getattr(model, "labels", None) or None) or ()
