"""Checks of the options that processors share: each returns the value or says what it expected and what came."""


def number(name, value, low, high=1e30, whole=False):
    """A number from low to high, an integer where `whole`."""
    kind = type(value)
    if not (kind is int or kind is float and not whole) or not low <= value <= high:
        limits = "of %s or more" % low if high == 1e30 else "from %s to %s" % (low, high)
        raise ValueError("%s: expected %s %s, got %r" % (name, "an integer" if whole else "a number", limits, value))
    return value


def class_ids(name, value):
    """None, or a non-empty tuple of class numbers."""
    if value is None:
        return None
    try:
        ids = tuple([number(name, i, 0, 65535, True) for i in value])
    except TypeError:
        ids = ()
    if not ids:
        raise ValueError("%s: expected class numbers or None, got %r" % (name, value))
    return ids
