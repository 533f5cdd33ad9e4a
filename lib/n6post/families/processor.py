"""The base classes of all families: Processor has the options, ModelBinding has everything that is fixed for one model.

A model is examined once, at its first frame. Its binding is used as long as the model and the types of its outputs stay the
same. Four models may take turns with one processor. A family is a Processor that makes its own kind of ModelBinding:

    class Family(Processor):
        _option = Options("threshold")
        threshold = _option("threshold", 0.4, number, 0.0, 1.0)

        def _bind(self, model, outputs):
            return FamilyBinding(self, model, outputs)
"""

import sys

from micropython import const

from ..inputs.transform import input_size, transform_of
from ..tensors.lazy import later
from ..tensors.options import Configurable, Options
from ..tensors.quantization import FLOAT, OutputTensor

_MODELS = const(4)  # bindings that are kept
_MOST_SCORE = 1.5  # quantized sigmoids are a little more than 1: see ModelBinding.limit_score

# On a camera the arrays always have model.output_shape, and asking for it costs 2,900 instructions a frame. On a PC, a
# script may reshape an output between frames.
_ANY_SHAPE = sys.implementation.name != "micropython"


class Processor(Configurable):
    """A post-processor with options. ml.Model calls it with (model, inputs, outputs), and `predict` returns the result."""

    _option = Options()

    def __init__(self, *first, **options):
        self._binding = None  # of the last frame; None if no binding is kept
        self._bindings = ()  # all that are kept, newest first
        super().__init__(*first, **options)

    def __call__(self, model, inputs, outputs):
        binding = self._binding
        if binding is None or not binding.matches(model, outputs):
            binding = self._binding_for(model, outputs)
        source = inputs[0] if inputs else None
        # An input of the same type with the same roi has the same transform.
        if type(source) is not binding.input_type or getattr(source, "roi", None) != binding.input_roi:
            binding.update_transform(inputs)
        # Fragmentation workaround: MicroPython keeps the locals of a large function on the heap and frees them when it
        # returns, which leaves a low hole in each frame. The next allocations of more than 16 bytes would scan from there
        # past all results since the last collection (250,000 instructions per frame). This 16-byte dummy fills the hole.
        _ = (binding, outputs)
        return binding.result(outputs)

    def __repr__(self):  # the options that are not at their defaults
        values = self._values
        changed = [(name, values[name]) for name, default in self._option.defaults if values[name] != default]
        return "%s(%s)" % (type(self).__name__, ", ".join(["%s=%r" % one for one in changed]))

    def _bind(self, model, outputs):
        """The ModelBinding for a new model; ValueError for outputs that do not belong to the family."""
        raise NotImplementedError

    def _start_over(self):
        """Drop all bindings, because an option has changed. Every model is examined again."""
        self._bindings = ()
        self._binding = None

    def _binding_for(self, model, outputs):
        for binding in self._bindings:
            if binding.matches(model, outputs):
                self._binding = binding
                return binding
        binding = self._bind(model, outputs)
        bindings = self._bindings
        if binding.is_final:
            bindings = (binding,) + bindings[: _MODELS - 1]
        else:
            binding.output_shape = binding  # not that of any model, so the binding matches no other frame
        self._binding = binding
        self._bindings = bindings
        return binding


class ModelBinding:
    """Everything that is fixed for one model.

    expected_outputs    description of the family's outputs, for error messages
    count               the number of outputs
    scaled              whether integer outputs need the model's scale and zero point
    needs_picture       whether the model's input has to be a picture
    is_final            False if the numbers of this frame do not show everything: then the next frame is examined again
    outputs             the outputs as OutputTensor
    size                (width, height) of the model input; None if that is not a picture
    transform           the InputTransform of the last frame, or None
    possible            for `guard`: the largest possible score, x and y, in the units of what it gets
    guard_units         what one of these units is: of a score, and input pixels
    """

    expected_outputs = "one output"
    count = 1
    scaled = True
    needs_picture = True
    is_final = True
    most_score = _MOST_SCORE
    possible = _MOST_SCORE, 1.0, 1.0
    guard_units = 1.0, 1.0, 1.0

    def __init__(self, model, outputs):
        if not isinstance(outputs, (list, tuple)) or len(outputs) != self.count:
            from ..tensors.errors import outputs_refused

            raise outputs_refused(outputs, self.count, self.expected_outputs)
        self.outputs = [OutputTensor(model, i, outputs[i], self.scaled) for i in range(self.count)]
        self.kinds = [(out.index, out.dtype, out.size) for out in self.outputs]  # faster to read than attributes
        self.shapes = _shapes(outputs, self.kinds) if _ANY_SHAPE else None
        self.size = input_size(model)
        if self.size is None and self.needs_picture:
            from ..tensors.errors import input_refused

            raise input_refused(model)
        # Identifies the model: each model has its own tuple. A reference to the model would keep its memory in use.
        self.output_shape = getattr(model, "output_shape", None)
        self.transform = None
        self.input_type = None  # the type and roi of the input that self.transform is for
        self.input_roi = None

    def matches(self, model, outputs):
        """Whether this binding is for this model and such outputs: raw arrays, or float copies."""
        try:
            if model.output_shape is not self.output_shape or len(outputs) != self.count:
                return False
            for index, dtype, size in self.kinds:
                # Not shape or strides: each is a new tuple, and allocations are slow. MicroPython compares bytes with any
                # dense memory, and b"" is less than all of it; for a view it raises TypeError.
                out = outputs[index]
                if out.dtype != dtype or out.size != size or not b"" < out:
                    return False
            return self.shapes is None or self.shapes == _shapes(outputs, self.kinds)
        except (AttributeError, TypeError):
            return False

    def update_transform(self, inputs):
        """Find the transform from these inputs to the frame."""
        if not self.needs_picture:  # scores, vectors and texts have no place in the frame
            source = inputs[0] if inputs else None
            self.input_type, self.input_roi = type(source), getattr(source, "roi", None)
            return
        transform = transform_of(inputs, self.size, self.transform)
        if transform is not self.transform:
            # If set_transform fails half way, the next frame starts here again.
            self.transform = self.input_type = None
            self.set_transform(transform)
            self.transform = transform
            size = transform.frame_size
            if size is not None and transform.roi == (0, 0) + size:
                self.input_type, self.input_roi = transform.key
            # Otherwise the roi is a part of the frame, or the size of the frame is unknown. Then the frame's size may change
            # while the roi stays the same, so every frame comes here.

    def guard(self, score, box=None):
        """ValueError if the best result of a frame has a score far above 1, or a box that cannot be: x1, y1, x2, y2.

        Every family with scores calls it before anything is dropped: numbers of another network are refused in the frame in
        which they show.
        """
        if box or not score <= self.possible[0]:
            later.tensors_errors.check_possible(self, score, box or ())

    def limit_score(self, model, tensor):
        """Set the largest possible score of this tensor: a quantized 1 may be up to one and a half steps more."""
        step = tensor.scale
        if tensor.dtype == FLOAT:  # also of a float copy of an integer output
            try:
                step = model.output_scale[tensor.index] if model.output_dtype[tensor.index] != "f" else 0.0
            except (AttributeError, IndexError, TypeError):
                step = 0.0
        self.most_score = _MOST_SCORE + 1.5 * step
        self.possible = self.most_score, 1.0, 1.0

    def set_transform(self, transform):
        """Prepare everything that depends on the transform from model input to frame."""

    def result(self, outputs):
        """What `predict` returns for these outputs."""
        raise NotImplementedError


def _shapes(outputs, kinds):
    # Not in `matches`: MicroPython would keep the variables of a comprehension on the heap in each frame.
    return [outputs[index].shape for index, _, _ in kinds]
