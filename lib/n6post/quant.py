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

_RANGES = {UINT8: (0, 255), INT8: (-128, 127), INT16: (-32768, 32767)}

# Beyond these float32 overflows or underflows on the way from raw numbers to frame pixels.
_LEAST_SCALE = 1e-12
_LARGEST_SCALE = 1e4


class Output:
    """What there is to know of one output: index, dtype (ulab's code), shape, scale, zero_point.

    A float output has scale 1.0 and zero_point 0; so have integers with scaled=False, which need none. Raises ValueError for
    a dtype that no network of ours puts out, for an array that is not dense, and for an integer array of which the
    model tells no scale from 1e-12 to 1e4 and no zero point that its dtype can hold.
    """

    def __init__(self, model, index, array, scaled=True):
        self.index = index
        try:
            self.dtype = dtype = array.dtype
            self.shape = tuple(array.shape)
            self.size = array.size
            # Dense, as refusals.is_dense tells: a kernel reads on from an array's address, and of a view it would get that
            # of the view's header. ulab itself looks at the first stride only.
            fits = dtype == FLOAT or dtype in _RANGES
            strides = array.strides
            step = array.itemsize
            for i in range(len(strides) - 1, -1, -1):
                if strides[i] != step:
                    fits = False
                step *= self.shape[i]
        except AttributeError:
            fits = False
        if not fits:
            from .refusals import array_refused

            raise array_refused(index, array)
        self.scale = 1.0
        self.zero_point = 0
        if scaled and dtype != FLOAT:
            self._read_scale(model)

    def _read_scale(self, model):
        low, high = _RANGES[self.dtype]
        try:
            self.scale = float(model.output_scale[self.index])
            zero_point = model.output_zero_point[self.index]
            # NaN is not within anything.
            fits = _LEAST_SCALE <= self.scale <= _LARGEST_SCALE and low <= zero_point <= high
            self.zero_point = int(zero_point) if fits else None
            fits = self.zero_point == zero_point
        except (AttributeError, IndexError, TypeError, ValueError):
            fits = False
        if not fits:
            from .refusals import scale_refused

            raise scale_refused(model, self.index, self.dtype, _LEAST_SCALE, _LARGEST_SCALE, low, high)

    def __repr__(self):
        from .refusals import dtype_name

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
