"""lib/n6post/tensors/vectors.py: unit length, and cosine similarity."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest


@pytest.mark.parametrize("size", [1e-30, 1e-12, 1.0, 1e12, 3e38])
def test_similarity_does_not_depend_on_the_lengths(size: float) -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        a, b = random.uniform(-1, 1, (2, 8))
        expected = float(a @ b / np.sqrt((a @ a) * (b @ b)))
        assert n6post.cosine_similarity(list(a * size), list(b)) == pytest.approx(expected, abs=2e-6)


def test_zeros_are_similar_to_nothing() -> None:
    assert n6post.cosine_similarity([0.0, 0.0], [1.0, 2.0]) == 0.0


@pytest.mark.parametrize("vector", [
    [(1, 2), (3, 4, 5)], [[1, 2], [3, 4]], iter([1.0, 2.0]), "12", None, [1], [1, None], [1, "2"],
    [float("nan"), 1.0], [float("inf"), 1.0],
])  # fmt: skip
def test_anything_but_finite_numbers_is_refused(vector: Any) -> None:
    gallery = n6post.Gallery()
    gallery.enroll("Anna", [1.0, 2.0])
    for call in (lambda: n6post.cosine_similarity(vector, [1.0, 2.0]), lambda: gallery.enroll("Ben", vector)):
        with pytest.raises(ValueError, match="vector|one: expected finite numbers"):
            call()
    if not isinstance(vector, type(iter([]))):
        with pytest.raises(ValueError, match="data: expected what as_dict returns|vector"):
            gallery.restore({"vectors": [{"name": "Ben", "vector": vector}]})
    assert gallery.names == ["Anna"]


@pytest.mark.parametrize("data", [{"vectors": ""}, {"vectors": [np.zeros(2)]}, {"vectors": 3}, {}, None, []])
def test_anything_but_saved_vectors_leaves_a_gallery_as_it_was(data: Any) -> None:
    gallery = n6post.Gallery()
    gallery.enroll("Anna", [1.0, 2.0])
    with pytest.raises(ValueError, match="data: expected what as_dict returns"):
        gallery.restore(data)
    assert gallery.names == ["Anna"]
