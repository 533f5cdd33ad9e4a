"""lib/n6post/tensors/anchor_sizes.py: the forms that the option `anchors` accepts."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
from ulab import numpy as ulab_numpy

WANTED = (1.0, 2.0, 3.5, 4.0)


@pytest.mark.parametrize(
    "value",
    [
        [1, 2, 3.5, 4],
        (1, 2, 3.5, 4),
        [(1, 2), (3.5, 4)],
        [[1, 2, 3.5, 4]],
        [[[1, 2]], [[3.5, 4]]],
        ulab_numpy.array([[1, 2], [3.5, 4]]),
        ulab_numpy.array([1, 2, 3.5, 4]),
    ],
    ids=repr,
)
def test_pairs_may_be_given_in_any_form(value: Any) -> None:
    assert n6post.YoloV2(anchors=value).anchors == WANTED


@pytest.mark.parametrize(
    "value",
    [
        [],
        [1],
        [1, 2, 3],
        [0, 1],
        [-1, 2],
        [np.nan, 1],
        [(10**400, 1)],
        [(np.float32(1), 1)],
        [1e10, 1],
        "1, 2",
        b"12",
        {"w": 1, "h": 2},
        [(1, 2), None],
        ["a", "b"],
        3,
    ],
    ids=repr,
)
def test_something_else_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="^anchors: expected pairs of width and height above 0, got "):
        n6post.YoloV2(anchors=value)


def test_a_list_in_itself_is_refused() -> None:
    endless: Any = [1.0]
    endless.append(endless)
    with pytest.raises(ValueError, match="^anchors: expected pairs of width and height above 0"):
        n6post.YoloV5(anchors=endless)
