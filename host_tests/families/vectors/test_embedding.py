"""lib/n6post/families/vectors/embedding.py and tensors/vectors.py: vectors of length 1 and their similarity."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
from assertions import says
from fakes import FakeModel, Tensor
from family_cases import FamilyCases, FrameCase, OptionCase
from hypothesis import given
from hypothesis import strategies as st
from recorded_maps_and_vectors import walkers

EXPECTED = "one output [1, N], or a map of features [1, H, W, N],"


def embed(tensor: Tensor, **options: Any) -> Any:
    return FakeModel([tensor], (128, 256)).run(n6post.Embedding(**options))


def storages(tensor: Tensor) -> list[Tensor]:
    kinds = [tensor, tensor.as_uint8(), tensor.as_int16(2, 5), tensor.dequantized()]
    return kinds + [Tensor(k.values.reshape((1, 1, 1, -1)), k.scale, k.zero_point) for k in kinds]


def cosine(a: Any, b: Any) -> float:
    a, b = np.float64(a), np.float64(b)
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def test_osnets_vectors_have_the_direction_of_its_output_and_length_1() -> None:
    for tensor in walkers()[0][::9]:
        values = np.float64(tensor.dequantized().values[0])
        for one in storages(tensor):
            vector = np.array(embed(one).tolist())
            np.testing.assert_allclose(vector, values / np.linalg.norm(values), atol=1e-6)
            np.testing.assert_allclose(embed(one, normalize=False).tolist(), values, rtol=1e-5, atol=1e-6)


def test_similarity_of_osnets_vectors_is_numpys_cosine() -> None:
    tensors, _ = walkers()
    for one, other in zip(tensors[:30], tensors[20:50]):
        wanted = cosine(one.dequantized().values[0], other.dequantized().values[0])
        assert n6post.cosine_similarity(embed(one), embed(other)) == pytest.approx(wanted, abs=1e-6)


def test_same_walker_is_more_similar_than_another_one_as_a_rule() -> None:
    """OSNet on small persons from above: the median of both, for pictures of at least a second apart."""
    tensors, about = walkers()
    vectors, about = [embed(tensor) for tensor in tensors[::2]], about[::2]
    same, other = [], []
    for i in range(len(vectors)):
        for j in range(i):
            (same if about[i][0] == about[j][0] else other).append(n6post.cosine_similarity(vectors[i], vectors[j]))
    print(
        f"cosine of the same walker {np.median(same):.2f} (10 % below {np.percentile(same, 10):.2f}),"
        f" of two {np.median(other):.2f} (10 % above {np.percentile(other, 90):.2f})"
    )
    assert np.median(same) > 0.8 > 0.7 > np.median(other)


@given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=2, max_size=40), st.integers(0, 2**32))
def test_similarity_of_any_lists_is_numpys_cosine(numbers: list[float], seed: int) -> None:
    other = np.random.default_rng(seed).normal(size=len(numbers))
    found = n6post.cosine_similarity(numbers, other.tolist())
    wanted = cosine(numbers, other) if max(np.abs(numbers)) > 1e-3 else 0.0
    if max(np.abs(numbers)) > 1e-3 or not any(numbers):
        assert found == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("kind", ["float32", "int8", "uint8", "int16"])
@pytest.mark.parametrize("height, width, rows, columns", [
    (12, 12, (3, 9), (3, 9)), (4, 7, (1, 3), (1, 6)), (3, 3, (0, 3), (0, 3)), (2, 9, (0, 2), (2, 7)), (8, 5, (2, 6), (1, 4)),
])  # fmt: skip
def test_vector_of_a_map_is_the_mean_of_its_middle_half(
    kind: str, height: int, width: int, rows: tuple[int, int], columns: tuple[int, int]
) -> None:
    values = np.random.default_rng(height).integers(-90, 90, (1, height, width, 24))
    tensor = Tensor(values.astype(np.int8), 0.05, -7)
    tensor = next(one for one in storages(tensor)[:4] if one.values.dtype == kind)
    wanted = ((values[0, slice(*rows), slice(*columns)] + 7) * 0.05).mean((0, 1))
    np.testing.assert_allclose(embed(tensor, normalize=False).tolist(), wanted, atol=1e-5)
    np.testing.assert_allclose(embed(tensor).tolist(), wanted / np.linalg.norm(wanted), atol=1e-6)


def test_vector_of_zeros_is_similar_to_nothing() -> None:
    zeros = embed(Tensor(np.full((1, 8), -128, np.int8), 0.02, -128))
    assert zeros.tolist() == [0.0] * 8
    assert n6post.cosine_similarity(zeros, [1.0] * 8) == 0.0


def test_vector_does_not_change_with_the_next_frame() -> None:
    network = FakeModel([Tensor(np.float32([[3.0, 4.0]]))], (8, 8))
    process = n6post.Embedding()
    before = network.run(process)
    network.tensors[0].values[:] = [[1.0, 0.0]]
    network.run(process)
    np.testing.assert_allclose(before.tolist(), [0.6, 0.8], rtol=1e-6)


@pytest.mark.parametrize("wrong", ["ab", 5, None, [], [1.0], ["a", "b"]])
def test_anything_but_a_vector_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="other: expected a vector, an array or list of numbers, got"):
        n6post.cosine_similarity([1.0, 2.0], wrong)


def test_vectors_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="other: expected a vector of 2 numbers, got 3"):
        n6post.cosine_similarity([1.0, 2.0], [1.0, 2.0, 3.0])


@pytest.mark.parametrize("shape", [(1, 1), (1, 2, 3), (1, 4, 4, 1), (2, 4, 4, 8)])
def test_output_of_another_family_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=says(f"expected {EXPECTED} of 2 to 65535 numbers, got {shape}")):
        embed(Tensor(np.zeros(shape, np.float32)))


# --- for the tests of all families: see family_cases.py ---
def eight_numbers() -> FakeModel:
    return FakeModel([Tensor(np.random.default_rng(1).integers(-99, 99, (1, 1, 1, 8)).astype(np.int8), 0.1, 3)], (32, 32))


def five_numbers() -> FakeModel:
    return FakeModel([Tensor(np.random.default_rng(2).random((1, 1, 1, 5)).astype(np.float32))], (32, 32))


FAMILY_CASES = FamilyCases(
    options={"normalize": OptionCase(True, False, (1, None, "no"), eight_numbers)},
    frames={"Embedding": FrameCase(n6post.Embedding, eight_numbers, five_numbers, ("normalize", True, False))},
)
