"""Checks of the options that processors share: each returns the value or says what it expected and what came."""


def fraction(name, value):
    """A number from 0 to 1."""
    if not isinstance(value, (int, float)) or not 0.0 <= value <= 1.0:
        raise ValueError("%s: expected a number from 0 to 1, got %r" % (name, value))
    return float(value)


def not_negative(name, value):
    """A number of 0 or more."""
    if not isinstance(value, (int, float)) or not 0.0 <= value < 1e30:
        raise ValueError("%s: expected a number of 0 or more, got %r" % (name, value))
    return float(value)


def whole(name, value, low, high):
    """An integer from low to high."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError("%s: expected an integer from %d to %d, got %r" % (name, low, high, value))
    return value


def class_ids(name, value):
    """None, or a non-empty tuple of class numbers."""
    if value is None:
        return None
    try:
        ids = tuple(value)
    except TypeError:
        raise ValueError("%s: expected class numbers, got %r" % (name, value)) from None
    if not ids:
        raise ValueError("%s: expected at least one class number or None, got none" % name)
    return tuple([whole(name, i, 0, 65535) for i in ids])
