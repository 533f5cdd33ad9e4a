"""An output tensor with its dtype, scale and zero point.

The array's own dtype decides. With a post-processor OpenMV passes raw integers. Without one it passes float copies, while
`model.output_dtype` still says 'b' and scale and zero point still describe int8. So a float array is used as it is, and only
an integer array needs the model's scale and zero point.
"""

from math import ceil

UINT8 = 66  # ulab's codes: ord('B'), ord('b'), ord('h'), ord('f')
INT8 = 98
INT16 = 104
FLOAT = 102

_RANGES = {UINT8: (0, 255), INT8: (-128, 127), INT16: (-32768, 32767)}

# Outside of these float32 overflows or underflows between raw numbers and frame pixels.
_LEAST_SCALE = 1e-12
_LARGEST_SCALE = 1e4


class OutputTensor:
    """One output of a model: index, dtype (ulab's code), shape, size, scale and zero_point.

    A float output has scale 1.0 and zero_point 0, and so has an integer output with scaled=False.

    ValueError for a dtype that is not supported, for an array that is not dense, and for an integer array if the model has
    no scale from 1e-12 to 1e4 or no zero point that the dtype can express.
    """

    def __init__(self, model, index, array, scaled=True):
        self.index = index
        try:
            self.dtype = dtype = array.dtype
            self.shape = tuple(array.shape)
            self.size = array.size
            # Only dense arrays, as in errors.is_dense: a kernel reads from the array's address on, and for a view it would
            # get the address of the view's header. ulab itself checks the first stride only.
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
            from .errors import array_refused

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
            # False for NaN too.
            fits = _LEAST_SCALE <= self.scale <= _LARGEST_SCALE and low <= zero_point <= high
            self.zero_point = int(zero_point) if fits else None
            fits = self.zero_point == zero_point
        except (AttributeError, IndexError, TypeError, ValueError):
            fits = False
        if not fits:
            from .errors import scale_refused

            raise scale_refused(model, self.index, self.dtype, _LEAST_SCALE, _LARGEST_SCALE, low, high)

    def __repr__(self):
        from .errors import dtype_name

        return "output %d: %s %s" % (self.index, dtype_name(self.dtype), self.shape)

    def quantize_threshold(self, threshold):
        """The threshold as a raw number: keep q if q >= threshold. An int for integers, the threshold itself for floats."""
        if self.dtype == FLOAT:
            return threshold
        # The camera's 30-bit floats have an error of up to 5e-7: .4 / (1 / 255) must give 102, not 103.
        steps = threshold / self.scale
        cut = ceil(steps - abs(steps) * 1e-6) + self.zero_point
        low, high = _RANGES[self.dtype]
        return min(max(cut, low), high + 1)

    def largest(self):
        """The largest value that the array's dtype can express."""
        return (_RANGES[self.dtype][1] - self.zero_point) * self.scale

    def least(self):
        """The smallest value that the array's dtype can express."""
        return (_RANGES[self.dtype][0] - self.zero_point) * self.scale

    def class_tolerance(self):
        """How far a class number may be from a whole number: half a step, and .05 for floats that were integers before.

        (Their steps are unknown, but with steps above a tenth the scores would be useless.)
        """
        return 0.05 if self.dtype == FLOAT else min(0.05 + 0.5 * self.scale, 0.5)
