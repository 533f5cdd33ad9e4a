"""DeepLab and its like: its options. One output with a score a class for every pixel becomes a map of classes.

in      [1, H, W, C] or [1, C, H, W], int8, uint8, int16 or float32 logits, 1 to 255 classes; the largest wins, the
        lowest class of equals. Integers are compared as they are: no scale is needed and none can spoil it.
        One channel: foreground where the probability (or its logit) reaches the threshold.
        [1, H, W], or one channel: class numbers already (arg-maxed in the network), also as a float copy.
out     a `Segmentation`

What is done with the output stands in segmentation.py, which the first frame loads: making a processor stays cheap.
"""

from . import number


class DeepLab:
    """Post-processor for semantic segmentation: `ml.Model(path, postprocess=n6post.DeepLab())`.

    background  the class that is not drawn and that `present()` leaves out; None: there is none
    threshold   for a map of one channel only: the least probability of class 1, between 0 and 1; None is .5
    labels      names a class; None: the model's labels where it shows them, Pascal VOC's for 21 classes, else numbers
    layout      "NHWC" or "NCHW"; None: told by the shape, as height and width have the input's aspect ratio. Only where
                this says it, a map may have another
    values      what one channel holds: "probability", "logit" or "classes" (class numbers already); None: told.
                Integers [1, H, W], without a scale or with scale 1.0 and zero point 0 are class numbers. So are
                floats if the whole first frame is whole numbers of 0..255 and one is above 1 (a frame of nothing but
                0 and 1 tells too little: then the next is asked). Other integers are probabilities if all that they
                can express lies within -1.5..1.5, other floats if the whole first frame lies within 0..1. Else they
                are logits. Class numbers that are no whole numbers of 0..255 raise ValueError in every frame.

    A call returns one of two `Segmentation`s, each with a class map of its own, that take turns: it stays true during
    the next call, and the call after that writes over it (`copy()` keeps it). A new map of 320 x 320 bytes a frame
    would cost more instructions than the argmax.

    ValueError for an option out of range, and at a model's first frame for an output that is not this family's.
    """

    def __init__(self, background=0, threshold=None, labels=None, layout=None, values=None):
        if background is not None:
            number("background", background, 0, 255)
        if threshold is not None and not (isinstance(threshold, (int, float)) and 0.0 < threshold < 1.0):
            raise ValueError("threshold: expected a number between 0 and 1 or None, got %r" % (threshold,))
        if layout not in (None, "NHWC", "NCHW"):
            raise ValueError("layout: expected 'NHWC', 'NCHW' or None, got %r" % (layout,))
        if values not in (None, "probability", "logit", "classes"):
            raise ValueError("values: expected 'probability', 'logit', 'classes' or None, got %r" % (values,))
        self.background = background
        self.threshold = threshold
        if labels is not None:
            from . import options

            options.names("labels", labels)
        self.labels = labels
        self.layout = layout
        self.values = values
        self._maps = None

    def __call__(self, model, inputs, outputs):
        if self._maps is None:
            from . import segmentation

            self._maps = segmentation.Maps(self)
        return self._maps(model, inputs, outputs)
