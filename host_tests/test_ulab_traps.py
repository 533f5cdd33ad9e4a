"""What a genuine ulab does in memory that is not an array's own, and no result shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import n6post
import numpy as np
import pytest
from fakes import Array, FakeModel, Tensor
from n6post.results.mask import MaskTransform
from synthetic_heads import Thing, float_head
from ulab import numpy as ulab_numpy

SIZE = (64, 64)


class NoHits:
    """What nonzero returns without a hit: an array of no dimension, whose length and elements ulab reads past its end."""

    size = 0


def detector(score: float, **options: Any) -> Callable[[], Any]:
    head = float_head(SIZE, 2, [Thing(7, (8, 8, 40, 40), {0: score})])
    return lambda: FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8(0.5, **options))


def rows(score: float, **options: Any) -> Callable[[], Any]:
    head = np.zeros((1, 300, 6), np.float32)
    head[0, :3] = (8, 8, 40, 40, score, 1), (8, 8, 40, 40, 0.1, 1), (8, 8, 40, 40, 0.1, 1)
    return lambda: FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8(0.5, **options))


def outline() -> Any:
    """Of a mask so large that most blocks of rows have no pixel where a contour starts."""
    plane = np.zeros((1200, 300), np.uint8)
    plane[5:9, 5:9] = 255
    whole = 0, 0, 300, 1200
    return n6post.Mask(plane.tobytes(), whole, whole, whole, MaskTransform(1.0, 0.0, 1.0, 0.0, whole)).outline()


def class_map(classes: Array) -> Any:
    """Of a map so large that some blocks of rows do not have the class."""
    found = FakeModel([Tensor(classes[None])], (classes.shape[1], classes.shape[0])).run(n6post.DeepLab())
    return found.mask(1).rect


CALLS = {
    "nothing found": (detector(0.2), []),
    "equal scores": (detector(0.9), [(8, 8, 32, 32)]),
    "no rows": (rows(0.2), []),
    "rows of zeros": (rows(0.0), []),
    "infinite rows": (rows(float("inf")), []),
    "rows of other classes": (rows(0.9, classes=[3]), []),
    "outline": (lambda: len(outline()) > 3, True),
    "class map": (lambda: class_map(np.pad(np.ones((2, 2), np.uint8), ((500, 10), (8, 246)))), (8, 500, 2, 2)),
}


@pytest.mark.parametrize("call", CALLS)
def test_the_positions_of_no_hits_are_asked_for_their_size_only(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = ulab_numpy.nonzero
    without = []

    def nonzero(a: Any) -> Any:
        assert a.size, "nonzero of an empty array"
        found = genuine(a)
        if found[0].size:
            return found
        without.append(a)
        return tuple(NoHits() for _ in found)

    monkeypatch.setattr(ulab_numpy, "nonzero", nonzero)
    made, wanted = CALLS[call]
    result = made()
    assert ([d.rect for d in result] if isinstance(result, list) else result) == wanted
    assert without
