"""What the portable kernels have in common: how they read a plan; float arithmetic that machine code repeats bit for bit.

A kernel takes dense arrays and one *plan*: an `array('i')` that plans.py and its neighbours make and that is read by
position, where the names unpacked are those that they give the entries (a test holds them against each other). "Float
bits" are read as arrays of one: on the camera a Python float has 30 bits.

All float arithmetic is float32, one rounding an operation, in the order written: the kernels of helium_*.py and
thumb_*.py give the same bits. But Helium counts denormals as 0, and a signalling NaN, which no arithmetic ever gives, may
hide the numbers beside it in candidates, class_map and peaks, where every other NaN is passed over. "dtype" in a plan is
ulab's own code: 66 uint8, 98 int8, 104 int16, 102 float32. An *element step* counts elements, not bytes. Raw units are
`q - zero_point` (floats: the value itself). "a clipped to lo..hi" is `a > lo ? a : lo`, then `a < hi ? a : hi`: NaN gives
lo.
"""

from ulab import numpy as np

LARGEST = {66: 255, 98: 127, 104: 32767}  # of the integer dtypes


def fractions(plan, first, last):
    """The entries `first` to before `last` of a plan, each a float32 array of one that shares the plan's memory."""
    floats = np.frombuffer(plan, dtype=np.float)
    return [floats[at : at + 1] for at in range(first, last)]


def clipped(a, low, high):
    a = np.where(a > low, a, low)
    return np.where(a < high, a, high)


def without_nan(a):
    """NaN to -inf: ulab's max and argmax pass over NaN except in the first place, where it sticks."""
    return np.maximum(a, -np.inf)  # a > b ? a : b, in a third of the time that np.where takes


def total(a):
    """The sum of a 2-D array of whole numbers, exact below 2^24: ulab's own sum is a running mean times the length."""
    h, w = a.shape
    return int(np.dot(np.dot(a, np.ones(w)), np.ones(h)))


def maximum(a):
    # An array of one: a scalar would lose bits, and keepdims=True gives a 1-D array the shape (0, 1).
    return np.max(a.reshape((1, len(a))), axis=1)  # camera: long-axis: a row of a mask, or the joints
