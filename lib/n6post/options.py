"""Checks of the options that few scripts give, loaded only for those: each returns the value or raises ValueError.

(The others are checked by `number` in __init__.py: a file costs the import 27,000 instructions.)
"""

from . import number


def rarer(classes, agnostic, labels, pixels):
    """Those of YoloV8; returns classes as a tuple."""
    flag("agnostic", agnostic)
    names("labels", labels)
    flag("pixels", pixels, unknown=True)
    return class_ids("classes", classes)


def class_ids(name, value):
    """None, or class numbers as a tuple."""
    if value is None:
        return None
    try:
        ids = tuple(value)
    except TypeError:
        ids = ()
    if not ids:
        raise ValueError("%s: expected class numbers or None, got %r" % (name, value))
    for i in ids:
        number(name, i, 0, 65535)
    return ids


def names(name, value):
    """None, or a list or tuple of strings."""
    if value is not None:
        if not isinstance(value, (list, tuple)) or not value or [n for n in value if not isinstance(n, str)]:
            raise ValueError("%s: expected a list of names or None, got %r" % (name, value))
    return value


def flag(name, value, unknown=False):
    """True or False; None too where `unknown`."""
    if not isinstance(value, bool) and not (unknown and value is None):
        raise ValueError("%s: expected True%s or False, got %r" % (name, ", None" if unknown else "", value))
    return value
