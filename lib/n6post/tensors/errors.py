"""Error messages for options and outputs. Imported only when one is raised, because every string costs time at the start."""

from .lazy import later

_OVERFLOW = 1e6  # numbers beyond it are no misread scores or boxes: the network's own arithmetic failed
_NAMES = {66: "uint8", 98: "int8", 72: "uint16", 104: "int16", 102: "float32"}  # by ulab's codes

# Networks that shapes or numbers show.
ANOMALY = "a grid of anomaly scores, as Edge Impulse's FOMO-AD"
CTC_TEXT = "text recognition by CTC (a score per character for each step), as LPRNet and CRNN"
BATCH_ROWS = "rows that begin with the picture's number, as YOLOv7's end-to-end export and OpenVINO's DetectionOutput"
BATCH_REMEDY = "export the raw head, or read the rows in your script, and pass the boxes to n6post.detections"


def not_decoded(tensor, name, remedy):
    """The ValueError for outputs whose numbers show a network that no family decodes."""
    return ValueError("no family of n6post decodes %s, got such numbers in %s: %s" % (name, tensor, remedy))


def keypoint_scores_refused(tensor, score):
    """The ValueError for keypoints whose third number is no score."""
    return ValueError(
        "expected keypoint scores from 0 to 1, got %.3g in %s: poses with kpt_shape=[K, 2] have none (pass"
        " score_type='missing'); if it has several classes, give class_count or labels, one per class" % (score, tensor)
    )


def dtype_name(dtype):
    """The name of ulab's dtype code: 'int8' for 98."""
    return _NAMES.get(dtype, str(dtype))


def unknown_option(kind, name, options):
    """The message for an option or attribute that a class does not have, with names that are spelled alike or the first."""
    near = later.tensors_labels.nearest(name, options)
    if near:
        return "%s has no option %r: did you mean %s?" % (kind, name, near)
    known = ", ".join(options[:5] if len(options) > 10 else options) or "none"
    more = ", ... (all: help(n6post.%s))" % kind if len(options) > 10 else ""
    return "%s has no option %r: expected %s%s" % (kind, name, known, more)


def too_many_positional(kind, name, count):
    """The message for options that are passed by position."""
    allowed = "only %s may be given without its name" % name if name else "all are given by name"
    return "%s() got %d options without their names: %s" % (kind, count, allowed)


def pixel_refused(what, pixel):
    """The ValueError for something else than the position of a frame pixel."""
    return ValueError("%s: expected a frame pixel x, y, two numbers, got %s" % (what, ", ".join([repr(v) for v in pixel])))


def model_refused(path, error):
    """The error for a model's file: OSError if it cannot be read, RuntimeError if the camera cannot run it."""
    if isinstance(error, OSError):  # a PC's names the file
        if getattr(error, "filename", None):
            return error
        return OSError(error.errno, "%s: %s" % (path, "no such file" if error.errno == 2 else "cannot be read"))
    return RuntimeError(
        "%s: %s. Compile the model for this camera's NPU and put it into ROMFS (/rom): from a file, the N6 does not load "
        "models smaller than about 1 MB (openmv issue 3272)" % (path, error)
    )


def outputs_refused(outputs, count, expected):
    """The ValueError for outputs that are not a list or tuple of this many."""
    got = len(outputs) if isinstance(outputs, (list, tuple)) else type(outputs).__name__
    return ValueError("expected %d output%s (%s), got %s" % (count, "s" if count > 1 else "", expected, got))


def split_refused(tensors, count, expected, kind, size):
    """The ValueError for more outputs than a raw head has, which are not those of a split head of this kind."""
    shapes = ", ".join([str(tensor.shape) for tensor in tensors])
    maps = {
        "boxes": "boxes [1, h, w, 64] and scores [1, h, w, classes] for each stride",
        "masks": "boxes [1, h, w, 64], scores [1, h, w, classes] and coefficients [1, h, w, M] for each stride, and"
        " prototypes [1, H, W, M]",
        "keypoints": "boxes [1, h, w, 64], scores [1, h, w, classes] and keypoints [1, h, w, 3 x keypoints] for each stride",
        "angles": "boxes [1, h, w, 64], scores [1, h, w, classes] and angles [1, h, w, 1] for each stride",
    }
    return ValueError(
        "expected %d output%s (%s), or a split head (%s) of an input of (width, height) %s, got %d: %s"
        % (count, "s" if count > 1 else "", expected, maps[kind], size, len(tensors), shapes)
    )


def input_refused(model):
    """The ValueError for a model whose input is not a picture."""
    return ValueError(
        "expected model.input_shape [(1, H, W, C)], got %r" % (getattr(model, "input_shape", None),)
    )


def array_refused(index, array):
    """The ValueError for an output that is not an ndarray, not dense, or of a dtype that is not supported."""
    shape = getattr(array, "shape", None)
    if shape is None:
        return ValueError("output %d: expected an ndarray, got %s" % (index, type(array).__name__))
    if array.dtype not in _NAMES or array.dtype == 72:
        return ValueError(
            "output %d: expected int8, uint8, int16 or float32, got %s" % (index, dtype_name(array.dtype))
        )
    return view_refused(index, array)


def is_dense(array):
    """Whether an array's elements are in order and without gaps."""
    step = array.itemsize
    for n, stride in zip(reversed(array.shape), reversed(array.strides)):
        if stride != step:
            return False
        step *= n
    return True


def view_refused(index, array):
    """The ValueError for an array whose elements are not in order or have gaps."""
    return ValueError(
        "output %d: expected a dense array, got a view of another, %s with strides %s: give its copy()"
        % (index, tuple(array.shape), tuple(array.strides))
    )


def check_possible(binding, score, box):
    """ModelBinding.guard, for a score or box beyond its limits: ValueError, unless an overflow made the number."""
    outputs = " and ".join([str(tensor) for tensor in binding.outputs[:3]]) + (" ..." if len(binding.outputs) > 3 else "")
    limits = binding.possible
    unit, unit_x, unit_y = binding.guard_units
    if limits[0] < score < _OVERFLOW:
        raise ValueError(
            "expected scores from 0 to 1, got %.3g in %s: they are logits (export the model with its sigmoid), or the"
            " numbers of another network, such as coordinates; n6post.diagnose(model, outputs) looks for the cause"
            % (score * unit, outputs)
        )
    if max([abs(at) / limits[1 + (k & 1)] for k, at in enumerate(box) if abs(at) < _OVERFLOW] + [0.0]) >= 1.0:
        raise ValueError(
            "expected boxes in or near the input of (width, height) %s, got one from (%.3g, %.3g) to (%.3g, %.3g) in %s: its"
            " pixels were read as parts of the input (pass box_units='pixels'), or it is of another network"
            % ((binding.size,) + tuple([at * (unit_y if k & 1 else unit_x) for k, at in enumerate(box)]) + (outputs,))
        )


def scale_refused(model, index, dtype, least, most, low, high):
    """The ValueError for a missing or wrong scale or zero point of an integer output."""
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


def flat_points():
    """The ValueError for points of a Plane that do not determine it."""
    return ValueError(
        "expected four or more points, no three of them in a line, in the same order in the image and in the world"
    )
