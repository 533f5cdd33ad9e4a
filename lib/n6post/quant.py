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

_NAMES = {UINT8: "uint8", INT8: "int8", 72: "uint16", INT16: "int16", FLOAT: "float32"}
_RANGES = {UINT8: (0, 255), INT8: (-128, 127), INT16: (-32768, 32767)}


def dtype_name(dtype):
    """'int8' of ulab's dtype code 98."""
    return _NAMES.get(dtype, str(dtype))


class Output:
    """What there is to know of one output: index, dtype (ulab's code), shape, scale, zero_point.

    A float output has scale 1.0 and zero_point 0; so have integers with scaled=False, which need none. Raises ValueError for
    a dtype that no network of ours puts out, for an integer array whose scale the model does not tell, and for a scale
    that is no positive number.
    """

    def __init__(self, model, index, array, scaled=True):
        self.index = index
        try:
            self.dtype = array.dtype
            self.shape = tuple(array.shape)
            self.size = array.size
        except AttributeError:
            raise ValueError("output %d: expected an ndarray, got %s" % (index, type(array).__name__)) from None
        self.scale = 1.0
        self.zero_point = 0
        if self.dtype == FLOAT:
            return
        if self.dtype not in _RANGES:
            raise ValueError(
                "output %d: expected int8, uint8, int16 or float32, got %s" % (index, dtype_name(self.dtype))
            )
        if scaled:
            self._read_scale(model, index)

    def _read_scale(self, model, index):
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
