"""What the families share: a `Processor` is a post-processor with its options, a `Setup` what is fixed for one model.

A model is looked at once, at its first frame. Its setup serves as long as the model and the kind of its outputs stay the
same, and four models may take turns with one processor. A family is a Processor that makes its own kind of Setup:

    class Family(Processor):
        threshold = option("threshold", number, 0.0, 1.0)

        def __init__(self, threshold=0.4):
            super().__init__()
            self.threshold = threshold

        def _set_up(self, model, outputs):
            return FamilySetup(self, model, outputs)
"""

from micropython import const

from .geometry import fit_of
from .layout import input_size
from .quant import Output

_MODELS = const(4)  # whose setups are kept


class Processor:
    """`process(model, inputs, outputs)` as OpenMV's ml.Model calls it; what comes back is what `predict` returns."""

    def __init__(self):
        self._chosen = {}  # option: value
        self._setup = None  # that of the last frame; while there is none, none is kept either
        self._setups = ()  # those that are kept, the newest first

    def __call__(self, model, inputs, outputs):
        setup = self._setup
        if setup is None or not setup.holds(model, outputs):
            setup = self._setup_for(model, outputs)
        source = inputs[0] if inputs else None
        # A source of the same kind with the same roi is fitted as the last one was.
        if type(source) is not setup.source or getattr(source, "roi", None) != setup.roi:
            setup.fit_to(inputs)
        # An object of 16 bytes, for nothing but its place. MicroPython keeps the locals of a large function on the heap and
        # frees them when it returns: in every frame the same hole, low in the heap. A search for more than 16 bytes begins
        # at the lowest hole and passes all results since the last collection, 250,000 instructions a frame on average. This
        # lies down in the hole, so that the locals go behind the results.
        _ = (setup, outputs)
        return setup.result(outputs)

    def _set_up(self, model, outputs):
        """The Setup for a model that was not seen before, or ValueError."""
        raise NotImplementedError

    def _start_over(self):
        """Look at every model anew: an option has changed."""
        self._setups = ()
        self._setup = None

    def _setup_for(self, model, outputs):
        for setup in self._setups:
            if setup.holds(model, outputs):
                self._setup = setup
                return setup
        setup = self._set_up(model, outputs)
        setups = self._setups
        if setup.settled:
            setups = (setup,) + setups[: _MODELS - 1]
        else:
            setup.output_shape = setup  # no model's: it holds for no other frame
        self._setup = setup
        self._setups = setups
        return setup


class Setup:
    """What is fixed for one model: its outputs as quant.Output, its input's (width, height), and the fit of the last frame.

    wanted      what a family's outputs are, for error messages
    count       how many there are
    scaled      whether integers need the scale and zero point that the model tells
    settled     False: this frame's numbers told too little of the model, so the next frame is looked at anew
    """

    wanted = "one output"
    count = 1
    scaled = True
    settled = True

    def __init__(self, model, outputs):
        if not isinstance(outputs, (list, tuple)) or len(outputs) != self.count:
            from .refusals import outputs_refused

            raise outputs_refused(outputs, self.count, self.wanted)
        self.outputs = [Output(model, i, outputs[i], self.scaled) for i in range(self.count)]
        self.kinds = [(one.index, one.dtype, one.size) for one in self.outputs]  # of every frame's: attributes are dear
        self.size = input_size(model)
        if self.size is None:
            from .refusals import input_refused

            raise input_refused(model)
        # The tuple that a model keeps as its output_shape is no other model's; keeping the model would keep its memory.
        self.output_shape = getattr(model, "output_shape", None)
        self.fit = None
        self.source = None  # the type of what self.fit is of, and its roi
        self.roi = None

    def holds(self, model, outputs):
        """Whether this was made for this model and such outputs: raw arrays, or float copies."""
        try:
            if model.output_shape is not self.output_shape or len(outputs) != self.count:
                return False
            for index, dtype, size in self.kinds:
                # Not their shape or strides: a new tuple every time, for which the heap is searched. MicroPython compares
                # bytes with any dense memory, which b"" is less than; of a view it raises TypeError.
                out = outputs[index]
                if out.dtype != dtype or out.size != size or not b"" < out:
                    return False
            return True
        except (AttributeError, TypeError):
            return False

    def fit_to(self, inputs):
        """Find the way to the frame of these inputs."""
        fit = fit_of(inputs, self.size, self.fit)
        if fit is not self.fit:
            self.fit = self.source = None  # should `use` fail half way, the next frame begins here again
            self.use(fit)
            self.fit = fit
            size = fit.frame_size
            if size is not None and fit.roi == (0, 0) + size:
                self.source, self.roi = fit.key
            # Else a part of the frame, whose size may change, or be told at last, while the part stays: every frame comes
            # here.

    def use(self, fit):
        """Lay out whatever depends on the way to the frame."""

    def result(self, outputs):
        """What `predict` returns for these outputs."""
        raise NotImplementedError
