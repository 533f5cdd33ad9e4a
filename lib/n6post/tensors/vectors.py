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
    if not 1e-20 < squares[0] < 1e30:  # the squares overflow, or vanish
        most = np.maximum(vector, 0.0 - vector).reshape((1, len(vector)))
        most = np.max(most, axis=1)  # camera: long-axis: an embedding
        if not most[0] > 0.0:
            return vector
        vector = vector / most
        squares = _product(vector, vector)
    return vector / np.sqrt(squares)


def _product(one, other):
    """The scalar product, as an array of one: np.dot of two vectors and np.sum are float objects, of 30 bits on a camera."""
    n = len(one)
    return np.dot(one.reshape((1, n)), other.reshape((n, 1))).reshape((1,))


def has_direction(vector):
    """Whether a normalized vector has the length 1: not if all numbers were 0, and not if one was NaN or infinite."""
    return bool(_product(vector, vector)[0] > 0.5)


def cosine_similarity(one, other):
    """The cosine of the angle between two vectors, -1..1: 1 for the same direction, 0 for nothing in common.

    one, other  arrays or lists of equally many finite numbers, such as the embeddings of two pictures; of any length

    ValueError for anything else. Zeros are similar to nothing: 0.
    """
    a, b = checked_vector("one", one), checked_vector("other", other)
    for name, vector in (("one", a), ("other", b)):
        if not has_direction(vector) and np.any(vector):
            raise ValueError("%s: expected finite numbers" % name)
    if len(a) != len(b):
        raise ValueError("other: expected a vector of %d numbers, got %d" % (len(a), len(b)))
    return min(max(float(_product(a, b)[0]), -1.0), 1.0)  # float32 may give a hair more than 1


def checked_vector(name, vector):
    """A vector of length 1 as a new float32 array; ValueError for anything but an array or list of two or more numbers."""
    try:
        # Of an iterator without a length, and of lists in a list, ulab writes beyond the array.
        if len(vector) and isinstance(vector, (list, tuple)):
            vector = [one + 0.0 for one in vector]
        floats = flat_floats(vector)
        fits = len(floats) > 1 and len(floats.shape) == 1
    except (TypeError, ValueError, AttributeError, OverflowError):
        fits = False
    if not fits:
        raise ValueError("%s: expected a vector, an array or list of numbers, got %s" % (name, type(vector).__name__))
    return normalized(floats)
