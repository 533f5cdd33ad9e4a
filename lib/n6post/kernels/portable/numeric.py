"""What the portable kernels share: reading a parameter block, and float arithmetic that machine code repeats to the bit.

A kernel takes dense arrays and one *parameter block*, `params`: an `array('i')` that a file of params/
makes. It is read by position; the names that a kernel unpacks are those of the entries (a test compares them).
Entries that hold *float bits* are read as arrays of one element, because a float object of the camera has only 30 bits.

All float arithmetic is float32, with one rounding for each operation, in the order written, and the kernels of helium/ and
m7/ give the same bits, also of subnormal numbers and of every NaN. Helium's instructions do not: where a fast loop
meets such numbers, which a flag of the core tells, the kernel begins again value by value (scripts/kernels/tensors.h).

dtype           ulab's code: 66 uint8, 98 int8, 104 int16, 102 float32
element step    counts elements, not bytes
raw             q - zero_point; of floats the value itself
a clipped to lo..hi     a > lo ? a : lo, then a < hi ? a : hi: NaN gives lo
"""

from ulab import numpy as np

LARGEST = {66: 255, 98: 127, 104: 32767}  # of the integer dtypes


def fractions(params, first, last):
    """The entries from `first` up to but not including `last`, each as a float32 array of one in the block's own memory."""
    floats = np.frombuffer(params, dtype=np.float)
    return [floats[at : at + 1] for at in range(first, last)]


def clipped(a, low, high):
    a = np.where(a > low, a, low)
    return np.where(a < high, a, high)


def without_nan(a):
    """The array with -inf for NaN: ulab's max and argmax skip NaN except in the first element, which they return."""
    return np.maximum(a, -np.inf)  # a > b ? a : b, in a third of the time that np.where takes


def total(a):
    """The exact sum of a 2-D array of whole numbers, below 2^24. (ulab's own sum is a running mean times the length.)"""
    h, w = a.shape
    return int(np.dot(np.dot(a, np.ones(w)), np.ones(h)))


def maximum(a):
    # An array of one: a scalar would lose bits, and keepdims=True gives a 1-D array the shape (0, 1).
    return np.max(a.reshape((1, len(a))), axis=1)  # camera: long-axis: a row of a mask, or the keypoints
