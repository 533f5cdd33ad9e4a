"""What the YOLO and MoveNet families return: a list of `Detection`, best first."""

from collections import namedtuple


class Detection(namedtuple("Detection", ("rect", "score", "class_id", "label", "mask", "keypoints"))):
    """One object or person, as a tuple with names.

    rect        (x, y, w, h), ints, frame pixels, clipped to the frame
    score       0..1 (a quantised network may give a little more than 1)
    class_id    the class number
    label       its name, or the number as text
    mask        a Mask (YoloV8Seg), else None
    keypoints   float array (K, 3): x, y in frame pixels and score (YoloV8Pose, MoveNet), else None
    track_id    1, 2, 3, ... in what a Tracker returns, else None; no part of the tuple
    frame_size  (width, height) of the frame that it speaks of, None where that is not known; no part of the tuple either:
                `draw` scales to a picture of another size

    Besides, `center`, `as_dict(outline=False)`, `replace(**fields)`; with keypoints `joint(joint)` and `angle(first, middle,
    last)`. A namedtuple's own `_replace`, `_asdict` and `_fields` work on the camera too.
    """

    track_id = None
    frame_size = None

    def __getattr__(self, name):
        # Not in the class, where their names and functions would take 60,000 instructions of every start.
        if not _loaded:
            from .answers import answers

            _loaded.append(answers)
        return _loaded[0](self, name)

    def __setattr__(self, name, value):
        # On the camera a field would change by name and stay by position.
        if name != "track_id":
            raise AttributeError("a Detection stays as it is: replace(%s=...) makes another" % name)
        object.__setattr__(self, name, value)


_loaded = []  # answers.answers, once it is needed: an import statement is dear every time


def with_keypoints(threshold, frame_size=None):
    """A Detection that knows besides the six which score a joint needs to count as seen: `keypoint_threshold`."""
    return type("Detection", (Detection,), {"keypoint_threshold": threshold, "frame_size": frame_size})
