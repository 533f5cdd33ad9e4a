"""lib/n6post/tracking/gallery.py and reidentification.py: enrolled names, and persons who leave and return."""

from __future__ import annotations

import copy
import json
import pickle
import time
from collections.abc import Callable, Iterator
from typing import Any

import n6post
import numpy as np
import pytest
from assertions import says
from fakes import FakeModel, seen
from hypothesis import given
from hypothesis import strategies as st
from recorded_maps_and_vectors import persons

Person = Callable[[], Any]  # a picture's vector of a person, each time another one


def unit(vector: Any) -> Any:
    return vector / np.linalg.norm(vector)


# --- generators of persons: lists of functions ---
def random_directions(count: int, seed: int) -> list[Person]:
    """Persons that have nothing in common, with noise."""
    random = np.random.default_rng(seed)
    centers = [unit(random.normal(size=64)) for _ in range(count)]
    return [lambda c=c: (c + random.normal(size=64) / 20).tolist() for c in centers]


def alike(count: int, seed: int) -> list[Person]:
    """Numbers that are never negative, as OSNet's: all persons have a similarity of about .6."""
    random = np.random.default_rng(seed)
    means = random.gamma(0.9, size=(count, 128))
    return [lambda m=m: np.maximum(m + random.normal(size=128) * 0.35, 0).tolist() for m in means]


def turning(count: int, seed: int) -> list[Person]:
    """Persons whose vectors change slowly, as when they turn around: consecutive ones are alike, distant ones less."""
    random = np.random.default_rng(seed)

    def person() -> Person:
        front, side = unit(random.normal(size=96)), unit(random.normal(size=96))
        angle = [0.0]

        def next_vector() -> Any:
            angle[0] += 0.12
            return (front + 0.8 * np.sin(angle[0]) * side + random.normal(size=96) / 25).tolist()

        return next_vector

    return [person() for _ in range(count)]


def of_osnet(count: int, seed: int) -> list[Person]:
    """OSNet's vectors of four persons in a photograph: shifted, mirrored, brighter, blurred."""
    tensors, numbers = persons()
    process = n6post.Embedding()
    random = np.random.default_rng(seed)

    def person(number: int) -> Person:
        own = [tensor for tensor, one in zip(tensors, numbers) if one == number]
        return lambda: FakeModel([own[random.integers(len(own))]], (128, 256)).run(process).tolist()

    return [person(number) for number in range(count)]


# --- names ---
def test_match_is_the_most_similar_name_by_numpys_cosine() -> None:
    people = alike(6, 1)
    gallery = n6post.Gallery(threshold=0.0, max_vectors=3)
    enrolled = [(f"person {i % 6}", people[i % 6]()) for i in range(18)]
    for name, vector in enrolled:
        gallery.enroll(name, vector)
    assert gallery.names == [f"person {i}" for i in range(6)] and len(gallery) == 6
    for i, person in enumerate(people):
        vector = person()
        cosines = [(float(unit(np.array(v)) @ unit(np.array(vector))), name) for name, v in enrolled]
        best = {name: max(c for c, n in cosines if n == name) for _, name in cosines}
        found = gallery.match(vector)
        assert found.name == f"person {i}" == max(best, key=lambda n: best[n])
        assert found.similarity == pytest.approx(best[found.name], abs=1e-5)
        ranking = gallery.similarities(vector)
        assert [one.name for one in ranking] == sorted(best, key=lambda n: -best[n])
        np.testing.assert_allclose([one.similarity for one in ranking], sorted(best.values())[::-1], atol=1e-5)


def test_nobody_matches_below_the_threshold() -> None:
    gallery = n6post.Gallery(0.9)
    assert gallery.match([1.0, 0.0]) is None and gallery.similarities([1.0, 0.0]) == []
    gallery.enroll("Anna", [1.0, 0.0])
    assert gallery.match([1.0, 0.3]).name == "Anna"
    assert gallery.match([1.0, 1.0]) is None
    gallery.threshold = 0.7
    assert tuple(gallery.match([1.0, 1.0])) == ("Anna", pytest.approx(0.5**0.5))
    assert gallery.match([float("nan"), 1.0]) is None and gallery.match([0.0, 0.0]) is None


def middle(gallery: Any) -> float:
    """The middle of both means, by numpy, from what as_dict tells."""
    entries = gallery.as_dict()["vectors"]
    names = np.array([entry["name"] for entry in entries])
    vectors = np.array([entry["vector"] for entry in entries], float)
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    similar = vectors @ vectors.T
    np.fill_diagonal(similar, -np.inf)
    own, others = [], []
    for row, name in zip(similar, names):
        for other in sorted(set(names)):
            if np.isfinite(best := row[names == other].max()):
                (own if other == name else others).append(best)
    return float(np.mean(own) + np.mean(others)) / 2


def test_the_threshold_is_learned_from_the_enrolled_vectors() -> None:
    gallery = n6post.Gallery(None, max_vectors=3)
    people = alike(5, 3)
    for i, person in enumerate(people[:4]):
        assert gallery.least_similarity == 0.75  # one vector of each name says nothing about a name's own
        gallery.enroll(f"person {i}", person())
    for turn in range(3):
        for i, person in enumerate(people[: 4 - turn]):
            gallery.enroll(f"person {i}", person())
            assert gallery.least_similarity == pytest.approx(middle(gallery), abs=2e-4)
    gallery.forget("person 3")
    learned = gallery.least_similarity
    assert learned == pytest.approx(middle(gallery), abs=2e-4)
    assert all(gallery.match(person()).name == f"person {i}" for i, person in enumerate(people[:3]))
    assert gallery.match(people[4]()) is None
    for name in ("person 1", "person 2"):
        gallery.forget(name)
    assert gallery.least_similarity == 0.75  # a single name, so nothing to compare with
    gallery.threshold = 0.4
    assert gallery.least_similarity == 0.4


def test_a_learned_threshold_is_learned_again_after_a_restart() -> None:
    gallery = n6post.Gallery(None)
    for name, person in zip("AB", alike(2, 5)):
        for _ in range(3):
            gallery.enroll(name, person())
    restored, kept = n6post.Gallery(None), n6post.Gallery(None)
    restored.restore(gallery.as_dict())
    kept.from_state(gallery.to_state())
    assert kept.least_similarity == gallery.least_similarity != 0.75
    assert restored.least_similarity == pytest.approx(gallery.least_similarity, abs=2e-4)
    gallery.reset()
    assert gallery.least_similarity == 0.75 and gallery.match([1.0, 2.0]) is None


def test_tracks_are_compared_with_the_learned_threshold() -> None:
    """Two who are alike by 0.8 are two persons where those of one name are alike by 1.0."""
    one, other = [1.0, 0.0, 0.0], [0.8, 0.6, 0.0]
    for threshold, numbers in ((0.75, [1]), (None, [2])):
        gallery = n6post.Gallery(threshold)
        for name, vector in (("Anna", one), ("Anna", one), ("Ben", other), ("Ben", other)):
            gallery.enroll(name, vector)
        assert gallery.least_similarity == pytest.approx(threshold or 0.9)
        gallery.reidentify([seen(1, 50, 100)], [one], elapsed_ms=100)
        gallery.reidentify([], [], elapsed_ms=100)
        found = gallery.reidentify([seen(2, 50, 100)], [other], elapsed_ms=100)
        assert [d.track_id for d in found] == numbers


def test_only_the_newest_vectors_of_a_name_are_kept() -> None:
    gallery = n6post.Gallery(max_vectors=2)
    for vector in ([1, 0, 0], [0, 1, 0], [0, 0, 1]):
        gallery.enroll("Anna", vector)
    assert gallery.match([1, 0, 0]) is None
    assert gallery.match([0, 1, 0]).similarity == gallery.match([0, 0, 1]).similarity == 1.0


def test_full_gallery_refuses_a_new_name_until_one_is_forgotten() -> None:
    gallery = n6post.Gallery(max_names=2)
    gallery.enroll("Anna", [1, 0])
    gallery.enroll("Bob", [0, 1])
    gallery.enroll("Bob", [0.1, 1])
    message = "name: expected one of the 2 names of a full gallery, got 'Carl': forget one"
    with pytest.raises(ValueError, match=says(message)):
        gallery.enroll("Carl", [1, 1])
    gallery.forget("Anna")
    gallery.enroll("Carl", [1, 1])
    assert gallery.names == ["Bob", "Carl"] and "Anna" not in gallery and "Bob" in gallery
    assert gallery.match([1, 0.9]).name == "Carl"
    gallery.forget("Bob")
    gallery.forget("Carl")
    assert len(gallery) == 0 and gallery.match([1, 0]) is None
    gallery.enroll("Dora", [1, 2, 3])  # of another network


@given(st.integers(1, 3), st.integers(1, 4), st.data())
def test_a_gallery_is_a_list_of_names_with_vectors(max_vectors: int, max_names: int, data: Any) -> None:
    """Against a list, after any enrolling and forgetting; similarities are numpy's cosines."""
    gallery = n6post.Gallery(0.0, max_vectors=max_vectors, max_names=max_names)
    rows: list[tuple[int, Any]] = []
    for step in range(data.draw(st.integers(1, 30))):
        name = data.draw(st.integers(0, max_names))
        names = list(dict.fromkeys(owner for owner, _ in rows))
        vector = np.random.default_rng(step).normal(size=5)
        if data.draw(st.integers(0, 4)) == 0:
            if name in names:
                gallery.forget(name)
                rows = [row for row in rows if row[0] != name]
        elif name in names or len(names) < max_names:
            gallery.enroll(name, vector.tolist())
            own = [row for row in rows if row[0] == name]
            oldest = own[0] if len(own) == max_vectors else None
            rows = [row for row in rows if row is not oldest] + [(name, unit(vector))]
        else:
            with pytest.raises(ValueError, match="forget one"):
                gallery.enroll(name, vector.tolist())
        assert gallery.names == list(dict.fromkeys(owner for owner, _ in rows))
        cosines = [float(one @ unit(vector)) for _, one in rows]
        best = {owner: max(c for c, row in zip(cosines, rows) if row[0] == owner) for owner in gallery.names}
        assert {one.name: one.similarity for one in gallery.similarities(vector.tolist())} == pytest.approx(best, abs=1e-6)
        match = gallery.match(vector.tolist())
        assert (match and match.name) == (max(best, key=best.get) if best and max(best.values()) >= 0 else None)  # type: ignore[arg-type]


def test_a_similarity_equal_to_the_threshold_is_a_match() -> None:
    gallery = n6post.Gallery(1.0)
    gallery.enroll("Anna", [2, 0, 0])
    assert gallery.match([5, 0, 0]) == ("Anna", 1.0) and gallery.match([5, 0.1, 0]) is None
    for vector in ([1, 0, 0, 0], [1, 0]):
        with pytest.raises(ValueError, match="vector: expected "):
            gallery.match(vector)
    for vectors in ([], [None, None]):
        with pytest.raises(ValueError, match="vectors: expected a function or a list of 1"):
            gallery.reidentify([seen(1, 10, 9)], vectors, elapsed_ms=0)


def test_many_vectors_are_all_found() -> None:
    people = random_directions(40, 3)
    gallery = n6post.Gallery(max_names=40, max_vectors=5)
    for _ in range(7):
        for i, person in enumerate(people):
            gallery.enroll(i, person())
    assert [gallery.match(person()).name for person in people] == list(range(40))
    assert len(gallery.as_dict()["vectors"]) == 200


def test_json_restores_a_gallery() -> None:
    people = alike(4, 5)
    gallery = n6post.Gallery(threshold=0.0)
    for name, person in zip(("Anna", "Bob", 7, "Zoë"), people):
        gallery.enroll(name, person())
        gallery.enroll(name, person())
    text = n6post.to_json(gallery)
    assert text.isascii() and json.loads(text) == gallery.as_dict()
    other = n6post.Gallery(threshold=0.0)
    other.enroll("Eve", [1, 2])
    other.restore(json.loads(text))
    assert other.names == ["Anna", "Bob", 7, "Zoë"]
    for person in people:
        vector = person()
        assert other.match(vector).name == gallery.match(vector).name
        assert other.match(vector).similarity == pytest.approx(gallery.match(vector).similarity, abs=1e-4)
    assert n6post.to_json(other) == text


def test_a_restored_gallery_keeps_as_much_as_its_options_allow() -> None:
    random = np.random.default_rng(3)
    gallery = n6post.Gallery(max_names=40, max_vectors=6)
    for _ in range(6):
        for number in range(40):
            gallery.enroll(number, random.normal(size=8).tolist())
    data = gallery.as_dict()
    for kept in (6, 2):
        other = n6post.Gallery(max_names=40, max_vectors=kept)
        other.restore(data)
        entries, wanted = other.as_dict()["vectors"], data["vectors"][40 * (6 - kept) :]  # the newest of each
        assert [one["name"] for one in entries] == [one["name"] for one in wanted]
        np.testing.assert_allclose([one["vector"] for one in entries], [one["vector"] for one in wanted], atol=1)
    with pytest.raises(ValueError, match="the 32 names of a full gallery"):
        n6post.Gallery().restore(data)


@pytest.mark.parametrize("data", [5, {}, [1], {"vectors": 3}, {"vectors": [{"name": "Anna"}]}, {"vectors": [5]}])
def test_other_data_than_as_dicts_is_refused_and_changes_nothing(data: Any) -> None:
    gallery = n6post.Gallery()
    gallery.enroll("Anna", [1, 0])
    with pytest.raises(ValueError, match="data: expected what as_dict returns, got"):
        gallery.restore(data)
    assert gallery.match([1, 0]).name == "Anna"


def test_wrong_names_and_vectors_are_refused() -> None:
    gallery = n6post.Gallery()
    gallery.enroll("Anna", [1, 0])
    for name in (None, 1.5, True, ["Anna"]):
        with pytest.raises(ValueError, match="name: expected a text or an int, got"):
            gallery.enroll(name, [1, 0])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="vector: expected 2 numbers like the others, got 3"):
        gallery.match([1, 0, 0])
    with pytest.raises(ValueError, match="vector: expected a vector, an array or list of numbers, got str"):
        gallery.match("ab")  # type: ignore[arg-type]
    for vector in ([0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]):
        with pytest.raises(ValueError, match="vector: expected finite numbers, some of them not 0"):
            gallery.enroll("Bob", vector)
    with pytest.raises(ValueError, match=says("name: expected 'Anna', got 'Bob'")):
        gallery.forget("Bob")
    assert gallery.names == ["Anna"]


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copy_has_vectors_of_its_own(way: Any) -> None:
    gallery = n6post.Gallery()
    gallery.enroll("Anna", [1, 0])
    other = way(gallery)
    other.enroll("Bob", [0, 1])
    assert gallery.names == ["Anna"] and other.names == ["Anna", "Bob"]


# --- persons who leave and return ---
def visits(count: int, seed: int, length: int = 20, times: int = 3) -> Iterator[list[tuple[int, int]]]:
    """Frames of (track id, person): each person comes `times` times, with a new track id each time; up to 3 at once."""
    random = np.random.default_rng(seed)
    coming = [person for _ in range(times) for person in random.permutation(count)]
    present: dict[int, tuple[int, int]] = {}  # by person: track id, frames left
    next_id = 1
    while coming or present:
        if coming and len(present) < 3 and coming[0] not in present and random.random() < 0.3:
            present[coming.pop(0)] = next_id, int(random.integers(5, length))
            next_id += 1
        yield [(track_id, person) for person, (track_id, _) in present.items()]
        present = {person: (track_id, left - 1) for person, (track_id, left) in present.items() if left > 1}


def boxes(frame: list[tuple[int, int]]) -> list[Any]:
    return [seen(track_id, 50 + 60 * person, 100) for track_id, person in frame]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    ("make", "count", "threshold", "least"),
    [(random_directions, 8, 0.5, 1.0), (alike, 8, 0.75, 1.0), (turning, 6, 0.5, 0.95), (of_osnet, 4, 0.75, 0.95)],
)
def test_persons_who_return_have_their_old_number(
    make: Callable[[int, int], list[Person]], count: int, threshold: float, least: float, seed: int
) -> None:
    people = make(count, seed)
    gallery = n6post.Gallery(threshold, refresh_after=0.5)
    numbers: dict[int, int] = {}  # the first number of each person
    right = total = calls = 0

    for frame in visits(count, seed):
        whose = dict(frame)

        def vector(d: Any, whose: dict[int, int] = whose) -> Any:
            nonlocal calls
            calls += 1
            return people[whose[d.track_id]]()

        before = boxes(frame)
        found = gallery.reidentify(before, vector, elapsed_ms=100)
        assert [d.rect for d in found] == [d.rect for d in before]
        assert len({d.track_id for d in found}) == len(found), "a number is given once in a frame"
        for d, (_, person) in zip(found, frame):
            right += numbers.setdefault(person, d.track_id) == d.track_id
            total += 1
    print(f"{make.__name__}, seed {seed}: {right / total:.3f} of {total} boxes, {calls} embeddings")
    assert right / total >= least
    assert calls < total / 3


def test_pairs_are_taken_in_the_order_of_their_similarity_as_in_sts_application() -> None:
    """STM32N6-GettingStarted-ReID, app_trackobject.c: the best pair of all, then the best of the others, by cosine."""
    people = alike(7, 4)
    random = np.random.default_rng(4)
    for _ in range(20):
        known, new = [p() for p in people], [p() for p in random.permutation(np.array(people, dtype=object))[:5]]
        gallery = n6post.Gallery(0.5)
        gallery.reidentify([seen(i, 10 * i, 9) for i in range(7)], known, elapsed_ms=10)
        found = gallery.reidentify([seen(i + 50, 10 * i, 9) for i in range(5)], new, elapsed_ms=10)
        table = np.array([[float(unit(np.array(a)) @ unit(np.array(b))) for b in known] for a in new])
        wanted = {}
        while table.max() >= 0.5:
            i, j = np.unravel_index(int(table.argmax()), table.shape)
            wanted[int(i)] = int(j) + 1
            table[i], table[:, j] = -2, -2
        assert {i: d.track_id for i, d in enumerate(found) if d.track_id <= 7} == wanted


def test_person_in_the_picture_is_not_given_to_a_second_track() -> None:
    gallery = n6post.Gallery()
    gallery.reidentify([seen(1, 10, 9)], [[1, 0]], elapsed_ms=0)
    found = gallery.reidentify([seen(1, 10, 9), seen(2, 40, 9)], [None, [1, 0]], elapsed_ms=100)
    assert [d.track_id for d in found] == [1, 2]


def test_track_is_left_out_until_its_first_vector() -> None:
    gallery = n6post.Gallery()
    assert gallery.reidentify([seen(9, 10, 9)], [None], elapsed_ms=0) == []
    (d,) = gallery.reidentify([seen(9, 10, 9)], lambda d: [1, 0], elapsed_ms=100)
    assert d.track_id == 1
    (d,) = gallery.reidentify([seen(9, 10, 9)], [None], elapsed_ms=100)
    assert d.track_id == 1


def test_number_is_forgotten_after_the_time_of_forget_after() -> None:
    for seconds, number in ((4.9, 1), (4.999, 1), (5, 2), (5.2, 2)):  # and the last millisecond
        gallery = n6post.Gallery(forget_after=5)
        gallery.reidentify([seen(1, 10, 9)], [[1, 0]], elapsed_ms=0)
        gallery.reidentify([], [], elapsed_ms=1000 * seconds)
        (d,) = gallery.reidentify([seen(2, 10, 9)], [[1, 0]], elapsed_ms=1)
        assert d.track_id == number and gallery.names == [number]


def test_a_track_of_a_forgotten_person_is_forgotten_too_unless_it_is_seen() -> None:
    for pause, known in (([], False), ([seen(1, 10, 9)], True)):
        gallery = n6post.Gallery(forget_after=5)
        gallery.reidentify([seen(1, 10, 9)], [[1, 0]], elapsed_ms=0)
        gallery.reidentify(pause, [None] * len(pause), elapsed_ms=6000)
        found = gallery.reidentify([seen(1, 10, 9)], [None], elapsed_ms=1)
        assert [d.track_id for d in found] == gallery.names == ([1] if known else [])


def test_of_two_tracks_like_one_person_the_more_similar_one_is_that_person() -> None:
    for threshold in (0.5, 1.0):
        for vectors, numbers in (([[3, 0], [1, 0.1]], [1, 2]), ([[1, 0.1], [3, 0]], [2, 1])):
            gallery = n6post.Gallery(threshold)
            gallery.reidentify([seen(1, 10, 9)], [[1, 0]], elapsed_ms=0)
            gallery.reidentify([], [], elapsed_ms=100)
            found = gallery.reidentify([seen(7, 10, 9), seen(8, 40, 9)], vectors, elapsed_ms=100)
            assert sorted(d.track_id for d in found) == [1, 2]
            assert found[numbers.index(1)].track_id == 1


def test_a_restored_gallery_has_no_tracks_of_before() -> None:
    gallery = n6post.Gallery()
    gallery.reidentify([seen(1, 10, 9)], [[1, 0]], elapsed_ms=0)
    gallery.restore({"vectors": [{"name": "Anna", "vector": [0, 1]}]})
    assert gallery.reidentify([seen(1, 10, 9)], [None], elapsed_ms=0) == []
    (d,) = gallery.reidentify([seen(1, 10, 9)], [[1, 0]], elapsed_ms=0)
    assert d.track_id == 1 and gallery.names == ["Anna", 1]


def test_full_gallery_forgets_who_is_away_for_the_longest_time() -> None:
    gallery = n6post.Gallery(max_names=2)
    for track_id, vector in ((1, [1, 0, 0]), (2, [0, 1, 0]), (3, [0, 0, 1])):
        gallery.reidentify([seen(track_id, 10, 9)], [vector], elapsed_ms=100)
    assert gallery.names == [2, 3]
    (d,) = gallery.reidentify([seen(4, 10, 9)], [[0, 1, 0]], elapsed_ms=100)
    assert d.track_id == 2
    # The third track gets a new number. Its vector is not kept, because the gallery is full.
    frame = [seen(4, 10, 9), seen(5, 30, 9), seen(6, 50, 9)]
    found = gallery.reidentify(frame, [None, [0, 0, 1], [1, 0, 0]], elapsed_ms=100)
    assert [d.track_id for d in found] == [2, 3, 4] and gallery.names == [2, 3]


def test_vectors_are_taken_again_every_refresh_after_seconds_one_a_call() -> None:
    gallery = n6post.Gallery(refresh_after=1.0)
    asked: list[int] = []

    def vector(d: Any) -> Any:
        asked.append(d.track_id)
        return [1.0, 0.0] if d.track_id == 7 else [0.0, 1.0]

    for _ in range(22):
        gallery.reidentify([seen(7, 10, 9), seen(8, 40, 9)], vector, elapsed_ms=100)
    assert asked == [7, 8, 7, 8, 7, 8]


def test_track_that_the_tracker_finds_again_keeps_its_number() -> None:
    gallery = n6post.Gallery()
    gallery.reidentify([seen(1, 10, 9)], [[1, 0]], elapsed_ms=0)
    gallery.reidentify([], [], elapsed_ms=500)
    (d,) = gallery.reidentify([seen(1, 10, 9)], [None], elapsed_ms=500)
    assert d.track_id == 1


def test_track_whose_person_has_another_track_now_is_a_new_one() -> None:
    gallery = n6post.Gallery()
    gallery.reidentify([seen(1, 10, 9)], [[1, 0]], elapsed_ms=0)
    gallery.reidentify([seen(2, 10, 9)], [[1, 0]], elapsed_ms=100)
    found = gallery.reidentify([seen(2, 10, 9), seen(1, 50, 9)], [None, [0, 1]], elapsed_ms=100)
    assert [d.track_id for d in found] == [1, 2]


def test_enrolled_and_restored_numbers_are_persons_too_but_names_are_not() -> None:
    gallery = n6post.Gallery()
    gallery.enroll(5, [1, 0, 0])
    gallery.enroll("Anna", [0, 1, 0])
    found = gallery.reidentify([seen(1, 10, 9), seen(2, 40, 9)], [[1, 0, 0], [0, 1, 0]], elapsed_ms=0)
    assert [d.track_id for d in found] == [5, 1]
    assert gallery.names == [5, "Anna", 1]


def test_a_new_person_never_gets_a_number_that_is_enrolled() -> None:
    gallery = n6post.Gallery()
    for number in (1, 2, 4):
        gallery.enroll(number, [1 if k == number else 0 for k in range(9)])
    frame, vectors = [], []
    for track_id in (5, 6, 7):
        frame.append(seen(track_id, 30 * track_id, 9))
        vectors.append([1 if k == track_id else 0 for k in range(9)])
        found = gallery.reidentify(frame, vectors, elapsed_ms=0)
    assert [d.track_id for d in found] == [3, 5, 6]
    assert sorted(gallery.names) == [1, 2, 3, 4, 5, 6]


def test_reset_begins_with_number_1_again() -> None:
    gallery = n6post.Gallery()
    gallery.reidentify([seen(1, 10, 9)], [[1, 0]], elapsed_ms=0)
    gallery.reset()
    (d,) = gallery.reidentify([seen(2, 10, 9)], [[0, 1]], elapsed_ms=0)
    assert d.track_id == 1 and gallery.names == [1]


def test_detections_are_copies_with_everything_else_unchanged() -> None:
    before = [seen(9, 10, 9, frame_size=(64, 48))]
    (d,) = n6post.Gallery().reidentify(before, [[1, 0]], elapsed_ms=0)
    assert before[0].track_id == 9 and d.track_id == 1
    assert tuple(d) == tuple(before[0]) and d.frame_size == (64, 48)


def test_wrong_arguments_are_refused_and_change_nothing() -> None:
    gallery = n6post.Gallery()
    gallery.reidentify([seen(1, 10, 9)], [[1, 0]], elapsed_ms=0)
    before = gallery.as_dict()
    for detections, vectors, elapsed, message in (
        ([seen(None, 1, 1)], [None], 0, "expected detections with a track_id, as Tracker.update returns them"),
        (["person"], [None], 0, "detections: expected a list of Detection"),
        ([seen(2, 1, 1)], [], 0, "vectors: expected a function or a list of 1, got"),
        ([seen(2, 1, 1)], 5, 0, "vectors: expected a function or a list of 1, got"),
        ([seen(2, 1, 1)], [[1, 2, 3]], 0, "vector: expected 2 numbers like the others, got 3"),
        ([seen(2, 1, 1)], ["ab"], 0, "vector: expected a vector"),
        ([], [], "soon", "elapsed_ms: expected milliseconds since the last call or None, got 'soon'"),
        ([], [], float("nan"), "elapsed_ms: expected milliseconds since the last call or None, got nan"),
    ):
        with pytest.raises(ValueError, match=message):
            gallery.reidentify(detections, vectors, elapsed_ms=elapsed)  # type: ignore[arg-type]
    assert gallery.as_dict() == before


def test_time_is_measured_where_it_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = [1000]
    monkeypatch.setattr(time, "ticks_ms", lambda: ticks[0], raising=False)
    monkeypatch.setattr(time, "ticks_diff", lambda a, b: a - b, raising=False)
    gallery = n6post.Gallery(forget_after=5)
    gallery.reidentify([seen(1, 10, 9)], [[1, 0]])
    ticks[0] += 5500
    (d,) = gallery.reidentify([seen(2, 10, 9)], [[1, 0]])
    assert d.track_id == 2


def test_works_with_a_tracker_zones_and_trails() -> None:
    """A person walks through, is away for longer than the tracker remembers, and returns elsewhere."""
    tracker, gallery = n6post.Tracker(max_gap=0.5), n6post.Gallery()
    line, trail = n6post.LineZone((100, 0), (100, 200)), n6post.Trail()
    ids: list[int] = []
    for step in range(60):
        x = 20 + 8 * step if step < 20 else 400 - 8 * (step - 40)
        found = [] if 20 <= step < 40 else [n6post.Detection((x, 50, 30, 80), 0.9, 0, "person", None, None)]
        tracked = gallery.reidentify(tracker.update(found, elapsed_ms=100), lambda d: [1.0, 2.0, 0.5], elapsed_ms=100)
        line.trigger(trail.update(tracked, elapsed_ms=100), elapsed_ms=100)
        ids += [d.track_id for d in tracked]
    assert set(ids) == {1} and len(tracker.tracks) == 1 and tracker.tracks[0].track_id == 2
    assert line.in_count + line.out_count >= 1


def test_call_that_is_interrupted_leaves_everyone_with_their_number() -> None:
    from test_memory import Fault

    vectors = {1: [1.0, 0.0, 0.0], 2: [0.0, 1.0, 0.0], 5: [1.0, 0.1, 0.0], 6: [0.0, 0.0, 1.0]}
    frame = [seen(5, 10, 9), seen(2, 40, 9), seen(6, 70, 9)]

    def called(gallery: Any) -> list[int]:
        return [d.track_id for d in gallery.reidentify(frame, lambda one: vectors[one.track_id], elapsed_ms=3000)]

    line = 0
    met = True
    while met:
        line += 1 + line // 8
        gallery = n6post.Gallery()
        gallery.reidentify([seen(1, 10, 9), seen(2, 40, 9)], [vectors[1], vectors[2]], elapsed_ms=0)
        met = Fault(line, kernels=False).hits(lambda gallery=gallery: called(gallery))  # type: ignore[misc]
        numbers = called(gallery)
        assert numbers[:2] == [1, 2] and numbers[2] > 2, line
        assert gallery.match(vectors[6]).name == numbers[2]
    assert line > 20


# --- hostile vectors ---
def test_a_similarity_is_never_beyond_one() -> None:
    # In float32 the length of about every second vector is a hair more than 1.
    random = np.random.default_rng(1)
    for _ in range(50):
        gallery, vector = n6post.Gallery(), random.normal(size=64).astype(np.float32).tolist()
        gallery.enroll("a", vector)
        for sign in (1, -1):
            (match,) = gallery.similarities([sign * v for v in vector])
            assert 0.999 < sign * match.similarity <= 1
        assert gallery.match(vector).similarity <= 1
    assert gallery.similarities([float("nan")] * 64)[0].similarity == -1 and gallery.match([float("nan")] * 64) is None


@pytest.mark.parametrize("wrong", [(v for v in (1, 2)), [10**400, 1], "ab", b"", 1.0, None])
def test_other_things_than_vectors_are_refused(wrong: Any) -> None:
    for call in (n6post.Gallery().match, lambda v: n6post.cosine_similarity([1, 2], v)):
        with pytest.raises(ValueError, match=r"^(vector|other): expected a vector, "):
            call(wrong)
