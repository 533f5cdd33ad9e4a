"""The options of a processor: declared once, and checked whenever they are assigned, in the constructor and later.

    class MoveNet(Processor):
        threshold = option("threshold", number, 0.0, 1.0)

A check takes (name, value, *limits), returns the value to keep, and raises a ValueError that names what was expected.
"""


def option(name, check, *limits):
    """A property of a Processor that checks what it is assigned; the new value counts from the next frame on."""

    def read(processor):
        return processor._chosen[name]

    def assign(processor, value):
        value = check(name, value, *limits)
        chosen = processor._chosen
        if chosen.get(name, processor) != value:
            # What was made with the old one goes first: whatever fails, nothing stays half old.
            if processor._setup is not None:
                processor._start_over()
            chosen[name] = value

    return property(read, assign)


def number(name, value, low, high):
    """A number from low to high, and an integer where these are."""
    kind = type(value)
    if kind is not int and (kind is not float or type(low) is int) or not low <= value <= high:
        what = "an integer from" if type(low) is int else "a number from"
        # ml.Model(path, postprocess=n6post.YoloV8): the firmware makes one of (model, inputs, outputs) at every frame.
        hint = ": postprocess= needs brackets, n6post.YoloV8()" if getattr(value, "output_shape", None) else ""
        raise ValueError("%s: expected %s %s to %s, got %r%s" % (name, what, low, high, value, hint))
    return value


def number_or_none(name, value, low, high):
    return None if value is None else number(name, value, low, high)


def flag(name, value):
    """True or False."""
    if not isinstance(value, bool):
        raise ValueError("%s: expected True or False, got %r" % (name, value))
    return value


def flag_or_none(name, value):
    if value is not None and not isinstance(value, bool):
        raise ValueError("%s: expected True, None or False, got %r" % (name, value))
    return value


def choice(name, value, *words):
    """One of these words, or None."""
    if value is not None and value not in words:
        raise ValueError("%s: expected %s or None, got %r" % (name, ", ".join([repr(word) for word in words]), value))
    return value


def class_ids(name, value):
    """None, or class numbers and names as a tuple."""
    if value is None:
        return None
    from .names import class_ids as listed

    return listed(name, value)


def name_list(name, value):
    """None, or names as a list of our own, out of whatever names.py takes for one."""
    if value is None:
        return None
    from .names import name_list as listed

    return listed(name, value)
