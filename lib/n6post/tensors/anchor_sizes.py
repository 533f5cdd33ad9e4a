"""The option `anchors` of the YOLO families. Imported only by scripts that set it."""


def anchor_sizes(name, value):
    """Widths and heights as a flat tuple (w, h, w, h, ...).

    value   [w, h, ...], [(w, h), ...], [[w, h, ...], ...] or an ndarray

    ValueError if it is not a whole number of pairs of numbers above 0.
    """
    sizes = []
    try:
        fits = _append(sizes, value)
    except RuntimeError:  # a list in itself
        fits = False
    if not fits or not sizes or len(sizes) % 2:
        raise ValueError("%s: expected pairs of width and height above 0, got %r" % (name, value))
    return tuple(sizes)


def _append(sizes, value):
    # Whether everything in `value`, however it is nested, is a number above 0. They are appended to `sizes`.
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        fits = 0.0 < value < 1e9  # False for NaN too
        sizes.append(float(value) if fits else 0.0)  # float(10**400) would be an OverflowError
        return fits
    if isinstance(value, (list, tuple)) or getattr(value, "shape", None):
        return all([_append(sizes, one) for one in value])
    return False
