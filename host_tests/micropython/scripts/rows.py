"""n6post.detections of every kind of row, as text."""

import n6post
from ulab import numpy as np

BOX = (10, 20, 30, 40)


class Blob:
    """A result of the image module as in firmware 4.8.1: with methods."""

    def __init__(self, rect, code):
        self._rect, self._code = rect, code

    def rect(self):
        return self._rect

    def code(self):
        return self._code


def run():
    points = np.array([[12.0, 22.0, 0.9], [400.0, -5.0, 0.25]])
    for rows in (
        [[(list(BOX), 0.5)], [], [([1, 2, 3, 4], 0.75), ([5, 6, 7, 8], 0.25, points)]],
        [BOX, list(BOX), BOX + (0.5,), BOX + (0.25, 3), (BOX, 0.5), (list(BOX), 0.125, 2, [(1, 2), (3, 4)])],
        np.array([BOX + (0.5, 3), (300, 0, 90, 9, 0.75, 1)]),
        [Blob(BOX, 1), Blob((1, 1, 5, 5), 6)],
        [(10.5, 20.25, 30.0, 39.5), (-5, -5, 20, 30), (500, 0, 9, 9), BOX + (float("nan"),)],
        [], [[], []], 5, "abc", [5], [(1, 2, 3)], [BOX + ("high",)], [BOX + (0.5, -1)], [(BOX, 0.5, 1, 2)],
    ):  # fmt: skip
        for options in ({}, {"frame": (320, 240), "labels": ["a", "b", "c"]}):
            try:
                found = n6post.detections(rows, **options)
                print(n6post.to_json(found), [d.frame_size for d in found])
                print(list(n6post.to_bytes(found)), n6post.to_yolo(found).encode())
            except ValueError as error:
                print(error)
