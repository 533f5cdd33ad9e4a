"""One output tensor with its scale and zero point: what a model says of its outputs, held against the arrays themselves.

The truth is the array's own dtype. With a post-processor OpenMV hands over raw integers; without one it hands over
float copies while `model.output_dtype` still says 'b' and scale and zero point still describe int8. So a float array is
taken as it is, and only an integer array needs the model's scale and zero point.
"""

from math import ceil

UINT8 = 66  # ulab's own codes: ord('B'), ord('b'), ord('h'), ord('f')
INT8 = 98
INT16 = 104
FLOAT = 102

# Strides of the feature maps that YOLOv8 heads are made of: n and s to x, with P2, with P6, tiny.
_STRIDES = ((8, 16, 32), (4, 8, 16, 32), (8, 16, 32, 64), (16, 32))

_NAMES = {UINT8: "uint8", INT8: "int8", 72: "uint16", INT16: "int16", FLOAT: "float32"}
_RANGES = {UINT8: (0, 255), INT8: (-128, 127), INT16: (-32768, 32767)}


def dtype_name(dtype):
    """'int8' of ulab's dtype code 98."""
    return _NAMES.get(dtype, str(dtype))


class Output:
    """What there is to know of one output: index, dtype (ulab's code), shape, scale, zero_point.

    A float output has scale 1.0 and zero_point 0. Raises ValueError for a dtype that no network of ours puts out, for an
    integer array whose scale the model does not tell, and for a scale that is no positive number.
    """

    def __init__(self, model, index, array):
        self.index = index
        try:
            self.dtype = array.dtype
            self.shape = tuple(array.shape)
            self.size = array.size
        except AttributeError:
            raise ValueError("output %d: expected an ndarray, got %s" % (index, type(array).__name__)) from None
        if self.dtype == FLOAT:
            self.scale = 1.0
            self.zero_point = 0
            return
        if self.dtype not in _RANGES:
            raise ValueError(
                "output %d: expected int8, uint8, int16 or float32, got %s" % (index, dtype_name(self.dtype))
            )
        scales = getattr(model, "output_scale", None)
        zeros = getattr(model, "output_zero_point", None)
        if scales is None or zeros is None or index >= len(scales) or index >= len(zeros):
            raise ValueError(
                "output %d: expected a scale and zero point from the model for its %s array, got none"
                % (index, dtype_name(self.dtype))
            )
        self.scale = float(scales[index])
        self.zero_point = int(zeros[index])
        if not 0.0 < self.scale < 1e30:
            raise ValueError("output %d: expected a positive scale, got %r" % (index, self.scale))

    def __repr__(self):
        return "output %d: %s %s" % (self.index, dtype_name(self.dtype), self.shape)

    def cut(self, threshold):
        """The threshold in the array's own domain: keep q iff q >= cut. An int, or the float itself for floats."""
        if self.dtype == FLOAT:
            return threshold
        # The camera's 30-bit floats lose up to 5e-7 of a value: .4 / (1 / 255) must stay 102 and not become 103.
        steps = threshold / self.scale
        cut = ceil(steps - abs(steps) * 1e-6) + self.zero_point
        low, high = _RANGES[self.dtype]
        return min(max(cut, low), high + 1)

    def largest(self):
        """The largest value that the array's dtype can express."""
        return (_RANGES[self.dtype][1] - self.zero_point) * self.scale

    def least(self):
        """The least value that the array's dtype can express."""
        return (_RANGES[self.dtype][0] - self.zero_point) * self.scale


def describe(model, outputs, count, wanted):
    """An Output for each of `count` arrays; `wanted` says in the ValueError what was expected."""
    if not isinstance(outputs, (list, tuple)) or len(outputs) != count:
        got = len(outputs) if isinstance(outputs, (list, tuple)) else type(outputs).__name__
        raise ValueError("expected %d output%s (%s), got %s" % (count, "s" if count > 1 else "", wanted, got))
    return [Output(model, i, outputs[i]) for i in range(count)]


def squeezed(shape):
    """The dimensions that are not 1."""
    return [n for n in shape if n != 1]


def input_size(model):
    """(width, height) of the model's first input, NHWC or NCHW; None where the model does not tell."""
    shapes = getattr(model, "input_shape", None)
    if not shapes:
        return None
    shape = tuple(shapes[0])
    if len(shape) == 4:
        shape = shape[1:]
    if len(shape) != 3:
        return None
    if shape[2] in (1, 3):
        return shape[1], shape[0]
    if shape[0] in (1, 3):
        return shape[2], shape[1]
    return None


def anchor_counts(size):
    """How many anchors a YOLOv8 head may have for an input of (width, height): a cell each of its feature maps."""
    return [sum([(size[0] // s) * (size[1] // s) for s in strides]) for strides in _STRIDES] if size else []


def head_layout(shape, size):
    """(channels, anchors, channels first?) of a YOLOv8 head's shape: [1, C, N] or [1, N, C].

    `size` is the model's (width, height): the number of anchors that belongs to it tells a head from other outputs, and
    the two storage orders apart. Raises ValueError for anything that is no head.
    """
    dims = shape[1:] if len(shape) > 2 and shape[0] == 1 else shape
    while len(dims) > 2 and 1 in dims:  # [1, C, N, 1] or [1, 1, C, N] of some converters
        at = dims.index(1)
        dims = dims[:at] + dims[at + 1 :]
    counts = anchor_counts(size)
    if len(dims) == 2 and min(dims) > 0:
        for anchors in counts:
            if dims[1] == anchors:
                return dims[0], anchors, True
            if dims[0] == anchors:
                return dims[1], anchors, False
    raise ValueError(
        "expected a head [1, C, N] or [1, N, C] of N = %s anchors, that belongs to an input of (width, height) %s, got %s%s"
        % (" or ".join([str(n) for n in counts]), size, shape, stranger(shape, size))
    )


def stranger(shape, size):
    """A hint for a shape that is often met and is none of ours; else ""."""
    dims = squeezed(shape)
    if len(dims) == 2 and dims[0] == 300 and dims[1] >= 6:
        return ": an end-to-end head with suppression of its own; export it with end2end=False or nms=False"
    if len(dims) == 2 and dims[0] % 3 == 0 and dims[0] // 3 in anchor_counts(size):
        return ": three boxes an anchor, as YOLOv5 and older have them"
    return ""


def prototype_layout(shape, size):
    """(coefficients, width, height, NHWC?) of prototypes [1, H, W, M] or [1, M, H, W].

    Prototypes have a quarter of the input's side in every YOLO that segments; others have its aspect ratio at least.
    """
    if len(shape) == 4 and shape[0] == 1:
        _, a, b, c = shape
        w, h = size[0] // 4, size[1] // 4
        last = (a, b) == (h, w)
        first = (b, c) == (h, w)
        if not (last or first):
            last = like_input(b, a, size)
            first = like_input(c, b, size)
            if last and first:
                last = a == b
        if last:
            return c, b, a, True
        if first:
            return a, c, b, False
    raise ValueError(
        "expected prototypes [1, H, W, M] or [1, M, H, W] of the aspect ratio of the input, %s, got %s" % (size, shape)
    )


def like_input(width, height, size):
    """Whether a map has the aspect ratio of an input of that (width, height).

    Within the pixel that a stride cuts off or adds: 33 x 25 of 257 x 193.
    """
    return abs(width * size[1] - height * size[0]) <= max(size)


def map_layout(shape, size, most=255, layout=None, wanted="a map [1, H, W, C] or [1, C, H, W]", parts="channels"):
    """(width, height, channels, channels last?) of a map [1, H, W, C] or [1, C, H, W] of 1 to `most` channels.

    Height and width are the two neighbours that have the aspect ratio of the model's input, `size` (width, height); if
    both pairs have, the nearer. `layout` "NHWC" or "NCHW" says it whatever their ratio. ValueError for no such map (it
    calls the channels `parts`), or where it cannot be told.
    """
    if len(shape) != 4 or shape[0] != 1 or min(shape) < 1:
        raise ValueError("expected %s, got %s" % (wanted, shape))
    _, a, b, c = shape
    last = c <= most and (layout == "NHWC" or layout is None and like_input(b, a, size))
    first = a <= most and (layout == "NCHW" or layout is None and like_input(c, b, size))
    if not (last or first):
        ratio = "" if layout else " and the aspect ratio of the input, %s" % (size,)
        raise ValueError("expected %s of 1 to %d %s%s, got %s" % (wanted, most, parts, ratio, shape))
    if last and first and (a, b, c) != (1, 1, 1):
        off_last = abs(b * size[1] - a * size[0])
        off_first = abs(c * size[1] - b * size[0])
        if off_last == off_first:
            raise ValueError("%s may be [1, H, W, C] or [1, C, H, W]: expected layout='NHWC' or 'NCHW'" % (shape,))
        last = off_last < off_first
    return (b, a, c, True) if last else (c, b, a, False)


class OneOutput:
    """What a processor of one output knows of a model: (width, height) of its input, dtype and shape of the array.

    ValueError for outputs that are not one array of a dtype of ours, and for a model that tells no input size.
    """

    def __init__(self, model, outputs, wanted):
        if not isinstance(outputs, (list, tuple)) or len(outputs) != 1:
            got = len(outputs) if isinstance(outputs, (list, tuple)) else type(outputs).__name__
            raise ValueError("expected 1 output (%s), got %s" % (wanted, got))
        out = outputs[0]
        if not hasattr(out, "dtype") or not hasattr(out, "shape"):
            raise ValueError("output 0: expected an ndarray, got %s" % type(out).__name__)
        self.dtype = out.dtype
        if self.dtype != FLOAT and self.dtype not in _RANGES:
            raise ValueError("output 0: expected int8, uint8, int16 or float32, got %s" % dtype_name(self.dtype))
        self.shape = tuple(out.shape)
        self.elements = out.size
        self.size = input_size(model)
        if self.size is None:
            raise ValueError(
                "expected model.input_shape [(1, H, W, C)], got %r" % (getattr(model, "input_shape", None),)
            )
        self.output_shape = getattr(model, "output_shape", None)
        self.fit = None  # the way to the frame, as geometry.fit_of told it last

    def holds(self, model, outputs):
        """Whether this was made for this model and such an output.

        The tuple that a model keeps as its output_shape is no other model's; keeping the model itself would keep its
        memory. An array's own `shape` would be a new tuple every time, and an allocation of more than 16 bytes looks
        through the heap for room: 50,000 instructions where 500 KB lay in the way (measured, emulated camera).
        """
        try:
            out = outputs[0]
            return (
                model.output_shape is self.output_shape
                and out.size == self.elements
                and out.dtype == self.dtype
                and len(outputs) == 1
            )
        except (AttributeError, TypeError, IndexError):
            return False
