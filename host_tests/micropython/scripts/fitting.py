"""The transform from a model's input to the frame, for every kind of input: its numbers as bytes."""

from array import array
from binascii import hexlify

import n6post
from families import Frame
from n6post.inputs.transform import transform_of


def run(cases):
    """cases: [name of the input's class, frame size, roi or None, size of the model's input]."""
    for kind, frame, roi, size in cases:
        try:
            source = getattr(n6post, kind)(Frame(frame[0], frame[1]), roi and tuple(roi)) if kind else None
            transform = transform_of([source], tuple(size))
            numbers = array("f", (transform.sx, transform.ox, transform.sy, transform.oy))
            print(kind, hexlify(numbers), transform.roi, transform.frame_size)
        except ValueError as error:
            print(kind, error)
