"""What the shape of an output says about it: whether it may be a map, keypoints or text.

Shapes are those of a model or an array, with the leading 1 of the batch. Sizes are (width, height) in pixels.
"""


def output_shapes(model):
    """The shapes of a model's outputs, a list of tuples; ValueError if it is not a model."""
    shapes = getattr(model, "output_shape", None)
    if not isinstance(shapes, (list, tuple)) or [shape for shape in shapes if not isinstance(shape, (list, tuple))]:
        raise ValueError("model: expected an ml.Model, got %s" % type(model).__name__)
    return [tuple(shape) for shape in shapes]


def same_aspect_ratio(width, height, size, pixels=1):
    """Whether a map has the aspect ratio of an input of size (width, height).

    A difference of the pixel that a stride removes or adds is allowed, as in 33 x 25 of 257 x 193.
    """
    return abs(width * size[1] - height * size[0]) <= pixels * max(size)


def are_keypoints(shape):
    """Whether a shape is [1, 1, K, 3], K keypoints of y, x, score. K = 1 may be three heatmaps of one cell, so it is not."""
    return len(shape) == 4 and shape[:2] == (1, 1) and shape[2] > 1 and shape[3] == 3


def are_face_points(count):
    """Whether this may be the number of x and y of a network of face landmarks: of 68, 98 or 106 keypoints."""
    return count in (136, 196, 212)


def are_pose_outputs(shapes):
    """Whether these are MediaPipe's pose landmarks: [1, 195], one number, and maybe a heat map of each keypoint.

    Beside them may be what is not read: world coordinates [1, 117] and masks [1, h, w, 1].
    """
    points = scores = heat_maps = 0
    for shape in shapes:
        size = 1
        for n in shape:
            size *= n
        if len(shape) == 4 and shape[0] == 1 and shape[3] == 39:
            heat_maps += 1
        elif size == 195:
            points += 1
        elif size == 1:
            scores += 1
        elif size != 117 and (len(shape) != 4 or shape[3] != 1):
            return False
    return points == scores == 1 and heat_maps < 2


def coarse_grid(width, height, size):
    """Whether each cell of a map has 8 x 8 or more pixels of an input of this size."""
    return 8 * width <= size[0] and 8 * height <= size[1]


def is_text_shape(shape, size):
    """Whether a shape may be text by CTC: [1, steps, characters] or the transpose, of an input like a line of text.

    The line may also run along the input's second side, as in Keras' examples.
    """
    dims = [n for n in shape if n != 1]
    if not size or len(shape) < 3 or len(dims) != 2 or len(shape) > 3 and shape[-1] == 1:  # that is a map
        return False
    length, height = max(size), min(size)
    return length >= 2 * height and height <= 80 and min(dims) >= 8 and max(dims) > 10 and min(dims) <= length // 2


def picture_size(name, picture):
    """(width, height) of a picture, or of such a pair; None for None. ValueError for anything else."""
    if picture is None:
        return None
    try:
        width, height = (picture.width(), picture.height()) if getattr(picture, "width", None) else picture
        if type(width) is int and type(height) is int and 0 < width <= 65535 and 0 < height <= 65535:
            return width, height
    except (TypeError, ValueError):
        pass
    raise ValueError("%s: expected a picture, its (width, height) or None, got %r" % (name, picture))
