"""Which dimension is what: a model's input, a YOLOv8 head, its prototypes, maps of classes and of joints, by their shapes.

Shapes come as a model or an array tells them, with the leading 1 of the batch; sizes are (width, height) in pixels.
"""


def squeezed(shape):
    """The dimensions that are not 1."""
    return [n for n in shape if n != 1]


def output_shapes(model):
    """The shapes of a model's outputs, a list of tuples; ValueError for what is no model."""
    shapes = getattr(model, "output_shape", None)
    if not isinstance(shapes, (list, tuple)) or [shape for shape in shapes if not isinstance(shape, (list, tuple))]:
        raise ValueError("model: expected an ml.Model, got %s" % type(model).__name__)
    return [tuple(shape) for shape in shapes]


def input_size(model):
    """(width, height) of the model's first input, NHWC or NCHW; None where the model does not tell."""
    shapes = getattr(model, "input_shape", None)
    if not shapes:
        return None
    shape = shapes[0]
    if not isinstance(shape, (list, tuple)):
        return None
    if len(shape) == 4:
        shape = shape[1:]
    if len(shape) != 3 or min(shape) < 1 or max(shape) > 65535:
        return None
    if shape[2] in (1, 3):
        return shape[1], shape[0]
    if shape[0] in (1, 3):
        return shape[2], shape[1]
    return None


def anchor_counts(size):
    """How many anchors a raw YOLO head may have for an input of (width, height): a cell each of its feature maps.

    Their strides are 8, 16, 32 (n and s to x); with 4 (P2); with 64 (P6); 16 and 32 alone (tiny).
    """
    if not size:
        return ()
    width, height = size
    tiny = (width // 16) * (height // 16) + (width // 32) * (height // 32)
    usual = (width // 8) * (height // 8) + tiny
    return usual, usual + (width // 4) * (height // 4), usual + (width // 64) * (height // 64), tiny


def flat(shape):
    """The two dimensions of a head: [1, A, B] without the batch and the dimensions of 1 that converters add; else ()."""
    dims = shape[1:] if len(shape) > 2 and shape[0] == 1 else shape
    while len(dims) > 2 and 1 in dims:  # [1, C, N, 1] or [1, 1, C, N]
        at = dims.index(1)
        dims = dims[:at] + dims[at + 1 :]
    return dims if len(dims) == 2 and 0 not in dims else ()


def head_layouts(shape, size):
    """Every (channels, anchors, channels first?) that a raw head of this shape may have: [1, C, N] or [1, N, C].

    `size` is the model's (width, height): the number of anchors that belongs to it tells a head from other outputs, and
    the two storage orders apart. None for what is no raw head; more than one where the channels are a number of anchors
    too ([1, 84, 84] of a 64 x 64 input): then the numbers tell (heads.py).
    """
    dims = flat(shape)
    found = []
    if dims:
        a, b = dims
        for anchors in anchor_counts(size):
            if b == anchors and (a, b, True) not in found:
                found.append((a, b, True))
            if a == anchors and (b, a, False) not in found:
                found.append((b, a, False))
    return found


def prototype_layout(shape, size):
    """(coefficients, width, height, NHWC?) of prototypes [1, H, W, M] or [1, M, H, W].

    Prototypes have a quarter of the input's side in every YOLO that segments; others have its aspect ratio at least.
    NHWC where both orders fit, [1, 32, 32, 32] of a 128 x 128 input.
    """
    if len(shape) == 4 and shape[0] == 1 and max(shape) <= 65535:  # ulab's reductions over more never return
        _, a, b, c = shape
        w, h = size[0] // 4, size[1] // 4
        last = (a, b) == (h, w)
        first = (b, c) == (h, w)
        if not (last or first):
            last = a * b > 1 and like_input(b, a, size)
            first = b * c > 1 and like_input(c, b, size)
            if last and first:
                last = a == b
        if last:
            return c, b, a, True
        if first:
            return a, c, b, False
    raise ValueError(
        "expected prototypes [1, H, W, M] or [1, M, H, W], more than one pixel and of the aspect ratio of the input, %s,"
        " got %s" % (size, shape)
    )


def like_input(width, height, size):
    """Whether a map has the aspect ratio of an input of that (width, height).

    Within the pixel that a stride cuts off or adds: 33 x 25 of 257 x 193.
    """
    return abs(width * size[1] - height * size[0]) <= max(size)


def are_joints(shape):
    """Whether [1, 1, K, 3] are K joints of y, x, score: two at least, for one is rather three heatmaps of one cell."""
    return len(shape) == 4 and shape[:2] == (1, 1) and shape[2] > 1 and shape[3] == 3


def map_layout(shape, size, most=255, layout=None, wanted="a map [1, H, W, C] or [1, C, H, W]", parts="channels"):
    """(width, height, channels, channels last?) of a map [1, H, W, C] or [1, C, H, W] of 1 to `most` channels.

    Height and width are the two neighbours that have the aspect ratio of the model's input, `size` (width, height); if
    both pairs have, the nearer. `layout` "NHWC" or "NCHW" says it whatever their ratio. ValueError for no such map (it
    calls the channels `parts`), or where it cannot be told.
    """
    if len(shape) != 4 or shape[0] != 1 or min(shape) < 1:
        raise ValueError("expected %s, got %s" % (wanted, shape))
    _, a, b, c = shape
    last = c <= most and (layout == "NHWC" or layout is None and like_input(b, a, size))
    first = a <= most and (layout == "NCHW" or layout is None and like_input(c, b, size))
    if not (last or first):
        ratio = "" if layout else " and the aspect ratio of the input, %s" % (size,)
        raise ValueError("expected %s of 1 to %d %s%s, got %s" % (wanted, most, parts, ratio, shape))
    if last and first and (a, b, c) != (1, 1, 1):
        off_last = abs(b * size[1] - a * size[0])
        off_first = abs(c * size[1] - b * size[0])
        if off_last == off_first:
            raise ValueError("%s may be [1, H, W, C] or [1, C, H, W]: expected layout='NHWC' or 'NCHW'" % (shape,))
        last = off_last < off_first
    return (b, a, c, True) if last else (c, b, a, False)
