"""What the files recognition.py have in common: how they weigh labels, strides and the range of an output."""

QUERIES = (100, 300, 900)  # rows of DETR, RT-DETR and D-FINE, DINO, and of end-to-end heads


def classes_text(count):
    return "%d class%s" % (count, "es" if count > 1 else "")


def by_labels(model, counts, without):
    """2 if the number of labels is one of these, 1 if there are labels that do not fit, `without` if there are none."""
    if not model.label_count:
        return without
    return 2 if model.label_count in counts else 1


def is_stride(width, height, size, stride):
    return width * stride == size[0] and height * stride == size[1]


def is_rectified(values):
    """Whether an integer output, of this range, has no negative numbers and larger ones than probabilities."""
    return bool(values) and values[0] > -0.01 * values[1] and values[1] > 1.5


def are_probabilities(values):
    """Whether an integer output, of this range, can express 0..1 only, as behind a softmax."""
    return bool(values) and values[0] > -0.01 and 0.9 < values[1] < 1.1
