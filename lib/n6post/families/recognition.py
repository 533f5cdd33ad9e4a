"""How `processor_for` recognizes a family: the file recognition.py beside its decoder has a row for it.

FAMILIES has the five that most scripts use, in rows (constructor, reads). MORE_FAMILIES has the others, in rows
(constructor, reads, label_counts). They are asked only if none of the five is certain, or if the outputs may be those of
another family.

reads           a function that gets a ModelSignature and reads it as this family would. It returns (rank, description of the
                model), or None if the outputs do not fit. The highest rank wins; if several families have it, the user has
                to choose
                    0   possible
                    1   certain unless another family is certain too
                    2   unmistakable: shapes that no other family has, or as many labels as only this family's model would
                        need
label_counts    a function that returns the numbers of labels that are right, the number of classes first; () if labels are
                free or if only a frame shows how many classes there are. None for a family that has no labels to count
"""

from .maps import recognition as maps
from .yolo import recognition as yolo

FAMILIES = yolo.FAMILIES + maps.FAMILIES
_more = []  # the other families, once they are asked


def more_families():
    """(constructor, reads, label_counts) of each other family."""
    if not _more:
        from .anchors import recognition as anchors
        from .vectors import recognition as vectors

        _more.extend(anchors.MORE_FAMILIES + yolo.MORE_FAMILIES + maps.MORE_FAMILIES + vectors.MORE_FAMILIES)
    return _more


def family_names():
    """The constructors of all families in the library."""
    return [row[0] for row in FAMILIES] + [row[0] for row in more_families()]


def is_common(family):
    """Whether it is one of the five families that most scripts use."""
    return family in dict(FAMILIES)


def readings(model):
    """[(rank, family, description)] of each of the five families that fits."""
    return _readings(FAMILIES, model)


def more_readings(model):
    """[(rank, family, description)] of each other family that fits."""
    return _readings(more_families(), model)


def _readings(rows, model):
    found = []
    for row in rows:
        reading = row[1](model)
        if reading:
            found.append((int(reading[0]), row[0], reading[1]))
    return found


def label_counts(family, model):
    """The numbers of labels that are right for a family, the number of classes first; () if shapes do not show it."""
    for name, _, counts in more_families():
        if name == family and counts:
            return counts(model)
    return ()
