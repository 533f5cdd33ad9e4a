"""What is said of outputs that no family can read: loaded when it has to be said, for a word costs time at every start."""

_NAMES = {66: "uint8", 98: "int8", 72: "uint16", 104: "int16", 102: "float32"}  # by ulab's codes


def dtype_name(dtype):
    """'int8' of ulab's dtype code 98."""
    return _NAMES.get(dtype, str(dtype))


def outputs_refused(outputs, count, wanted):
    """Of outputs that are no list or tuple, or not as many as a family wants."""
    got = len(outputs) if isinstance(outputs, (list, tuple)) else type(outputs).__name__
    return ValueError("expected %d output%s (%s), got %s" % (count, "s" if count > 1 else "", wanted, got))


def input_refused(model):
    """Of an input that is no picture."""
    return ValueError(
        "expected model.input_shape [(1, H, W, C)], got %r" % (getattr(model, "input_shape", None),)
    )


def array_refused(index, array):
    """Of what is no ndarray, has a dtype that no network of ours puts out, or is not dense."""
    shape = getattr(array, "shape", None)
    if shape is None:
        return ValueError("output %d: expected an ndarray, got %s" % (index, type(array).__name__))
    if array.dtype not in _NAMES or array.dtype == 72:
        return ValueError(
            "output %d: expected int8, uint8, int16 or float32, got %s" % (index, dtype_name(array.dtype))
        )
    return view_refused(index, array)


def is_dense(array):
    """Whether an array's elements lie in order and without gaps."""
    step = array.itemsize
    for n, stride in zip(reversed(array.shape), reversed(array.strides)):
        if stride != step:
            return False
        step *= n
    return True


def view_refused(index, array):
    """Of an array whose elements do not lie in order and without gaps."""
    return ValueError(
        "output %d: expected a dense array, got a view of another, %s with strides %s: give its copy()"
        % (index, tuple(array.shape), tuple(array.strides))
    )


def scale_refused(model, index, dtype, least, most, low, high):
    """Of the scale and zero point that a model tells of integers, or does not."""
    try:
        scale = model.output_scale[index]
        zero_point = model.output_zero_point[index]
    except (AttributeError, IndexError, TypeError):
        return ValueError(
            "output %d: expected a scale and zero point from the model for its %s array, got none"
            % (index, dtype_name(dtype))
        )
    if isinstance(scale, (int, float)) and least <= scale <= most:
        return ValueError(
            "output %d: expected a zero point that %s holds, a whole number from %d to %d, got %r"
            % (index, dtype_name(dtype), low, high, zero_point)
        )
    return ValueError("output %d: expected a scale from %g to %g, got %r" % (index, least, most, scale))
