"""Options of processors, trackers and zones: each is declared in one line and checked whenever it is assigned.

    class MoveNet(Processor):
        _option = Options("keypoint_threshold")
        keypoint_threshold = _option("keypoint_threshold", 0.3, number, 0.0, 1.0)
        refine = _option("refine", True, flag)

The line gives the option's name, its default, its check and the check's limits. The constructor, the property and the
error messages follow from it. A check takes (name, value, *limits), returns the value to keep, and raises a ValueError
that says what was expected.
"""

from .lazy import later


class Options:
    """The options of a class, in the order of their lines. Calling it declares an option and returns its property.

    first   the name of the option that may be passed by position, or None
    base    the Options of the base class, whose options are included, or None
    others  options of the base class by name, whose defaults are others here
    """

    def __init__(self, first=None, base=None, **others):
        self.first = first
        self.defaults = [(name, others.get(name, old)) for name, old in base.defaults] if base else []  # (name, default)

    def __call__(self, name, default, check, *limits):
        self.defaults.append((name, default))

        def read(owner):
            return owner._values[name]

        def assign(owner, value):
            value = check(name, value, *limits)
            values = owner._values
            old = values.get(name, owner)  # the owner: not set yet, for it is never a value
            if old is not owner:
                if old == value:
                    return
                owner._start_over()  # first: if it fails, nothing has changed
            values[name] = value

        return property(read, assign)


class Configurable:
    """An object with options, which its class declares with `_option`."""

    _option = Options()

    def __init__(self, *first, **options):
        defaults = self._option.defaults
        # By option name. Defaults need no check: those of 13 options cost 50,000 to 360,000 instructions at start, because
        # every call with *limits allocates.
        self._values = values = dict(defaults)
        if first:
            _take_first(self, first, options)
        for name, _ in defaults if options else ():
            if name in options:
                del values[name]  # not set yet
                setattr(self, name, options.pop(name))
        if options:
            names = [name for name, _ in defaults]
            from .errors import unknown_option

            raise TypeError(unknown_option(type(self).__name__, list(options)[0], names))

    def __setattr__(self, name, value):
        # MicroPython does not call this for properties, and options are properties.
        if (not name or name[0] != "_") and getattr(type(self), name, self) is self:
            names = [name for name, _ in self._option.defaults]
            from .errors import unknown_option

            raise AttributeError(unknown_option(type(self).__name__, name, names))
        object.__setattr__(self, name, value)

    def _start_over(self):
        """Drop everything that depends on the options, because one of them is about to change."""


def _take_first(owner, first, options):
    kind = type(owner).__name__
    name = owner._option.first
    if getattr(first[0], "output_shape", None):
        # After ml.Model(path, postprocess=n6post.YoloV8) the firmware calls the class with (model, inputs, outputs).
        raise ValueError("%s: postprocess= needs brackets: postprocess=n6post.%s()" % (kind, kind))
    if name is None or len(first) > 1:
        from .errors import too_many_positional

        raise TypeError(too_many_positional(kind, name, len(first)))
    if name in options:
        raise TypeError("%s() got %s twice" % (kind, name))
    options[name] = first[0]


def number(name, value, low, high):
    """A number from low to high; an integer if low and high are integers."""
    kind = type(value)
    if kind is not int and (kind is not float or type(low) is int) or not low <= value <= high:
        what = "an integer from" if type(low) is int else "a number from"
        raise ValueError("%s: expected %s %s to %s, got %r" % (name, what, low, high, value))
    return value


def number_or_none(name, value, low, high):
    return None if value is None else number(name, value, low, high)


def flag(name, value):
    """True or False."""
    if not isinstance(value, bool):
        raise ValueError("%s: expected True or False, got %r" % (name, value))
    return value


def choice(name, value, *words):
    """One of these words, or None."""
    if value is not None and not (isinstance(value, str) and value in words):  # an array would compare its elements
        raise ValueError("%s: expected %s or None, got %r" % (name, ", ".join([repr(word) for word in words]), value))
    return value


def class_filter(name, value):
    """None, or class numbers and names as a tuple."""
    return None if value is None else later.tensors_labels.class_filter(name, value)


def name_list(name, value):
    """None, or a new list of names, from any form that tensors/labels.py accepts."""
    return None if value is None else later.tensors_labels.name_list(name, value)


def anchor_sizes(name, value):
    """None, or widths and heights of anchors as a flat tuple, from any form that tensors/anchor_sizes.py accepts."""
    return None if value is None else later.tensors_anchor_sizes.anchor_sizes(name, value)
