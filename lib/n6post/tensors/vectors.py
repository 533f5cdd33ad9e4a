"""Vectors: unit length, and cosine similarity."""

from ulab import numpy as np

from .quantization import INT16


def flat_floats(vector):
    """Numbers as a new float32 array (N,), from an array or list of them."""
    if isinstance(vector, np.ndarray):
        flat = vector.reshape((vector.size,))
        # A product takes a tenth of the time. But ulab multiplies an int16 as if it had no sign.
        return np.array(flat, dtype=np.float) if flat.dtype == INT16 else flat * 1.0
    return np.array(vector, dtype=np.float)


def normalized(vector):
    """A float32 array (N,) divided by its length; zeros stay zeros."""
    squares = _product(vector, vector)
    return vector / np.sqrt(squares) if squares[0] else vector


def _product(one, other):
    """The scalar product, as an array of one: np.dot of two vectors and np.sum are float objects, of 30 bits on a camera."""
    n = len(one)
    return np.dot(one.reshape((1, n)), other.reshape((n, 1))).reshape((1,))


def has_direction(vector):
    """Whether a normalized vector has the length 1: not if all numbers were 0, and not if one was NaN or infinite."""
    return bool(_product(vector, vector)[0] > 0.5)


def cosine_similarity(one, other):
    """The cosine of the angle between two vectors, -1..1: 1 for the same direction, 0 for nothing in common.

    one, other  arrays or lists of equally many numbers, such as the embeddings of two pictures; of any length

    ValueError for anything else. Zeros are similar to nothing: 0.
    """
    a, b = checked_vector("one", one), checked_vector("other", other)
    if len(a) != len(b):
        raise ValueError("other: expected a vector of %d numbers, got %d" % (len(a), len(b)))
    return min(max(float(_product(a, b)[0]), -1.0), 1.0)  # float32 may give a hair more than 1


def checked_vector(name, vector):
    """A vector of length 1 as a new float32 array; ValueError for anything but an array or list of two or more numbers."""
    try:
        len(vector)  # of an iterator without one ulab writes beyond the array
        floats = flat_floats(vector)
        fits = len(floats) > 1 and len(floats.shape) == 1
    except (TypeError, ValueError, AttributeError, OverflowError):
        fits = False
    if not fits:
        raise ValueError("%s: expected a vector, an array or list of numbers, got %s" % (name, type(vector).__name__))
    return normalized(floats)
