"""vectors/classifier.py and results/classification.py: the best classes, softmax, drawing, JSON, errors."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import image
import n6post
import numpy as np
import pytest
from assertions import says, text_width
from fakes import FakeModel, Tensor
from family_cases import FamilyCases, FrameCase, OptionCase
from hypothesis import given
from hypothesis import strategies as st
from recorded_maps_and_vectors import PICTURES, model, tensor

LABELS = ["no person", "person"]
SEEN = {"astronaut": "person", "camera": "person", "portrait": "person", "coffee": "no person", "chelsea": "no person"}


def softmax(logits: Any) -> Any:
    e = np.exp(np.float64(logits) - np.max(logits))
    return e / e.sum()


def ranked(scores: Any, count: int) -> list[int]:
    """The best classes; of equal scores the lower class first."""
    return sorted(range(len(scores)), key=lambda k: (-scores[k], k))[:count]


def classify(tensor: Tensor, *first: Any, **options: Any) -> Any:
    return FakeModel([tensor], (96, 96)).run(n6post.Classifier(*first, **options))


# --- a real network ---
@pytest.mark.parametrize("picture", PICTURES)
def test_person_detect_gives_its_dequantized_probabilities(picture: str) -> None:
    values = tensor(f"person/{picture}").dequantized().values[0]
    result = model(f"person/{picture}").run(n6post.Classifier(labels=LABELS))
    assert [one.class_id for one in result] == ranked(values, 2)
    assert [one.label for one in result] == [LABELS[k] for k in ranked(values, 2)]
    np.testing.assert_allclose([one.score for one in result], np.sort(values)[::-1], rtol=1e-6)
    assert result.label == SEEN.get(picture, result.label)
    assert result.score == result[0].score and len(result) == 2


def test_logits_that_the_network_would_have_given_the_same_classes() -> None:
    """The probabilities of person_detect as logits, quantized and as floats."""
    for picture in PICTURES:
        probabilities = tensor(f"person/{picture}").dequantized().values
        logits = np.log(np.float64(probabilities) / (1 - probabilities)) / 2
        quantized = Tensor(np.clip(np.round(logits / 0.02), -128, 127).astype(np.int8), 0.02, 0)
        for one, tolerance in ((quantized, 0.02), (Tensor(np.float32(logits)), 1e-5)):
            result = classify(one, score_type="logit")
            assert [c.class_id for c in result] == ranked(probabilities[0], 2)
            np.testing.assert_allclose([c.score for c in result], np.sort(probabilities[0])[::-1], atol=tolerance)


# --- any numbers ---
def storages(values: Any, scale: float) -> list[Tensor]:
    one = Tensor(values.astype(np.int8), scale, -128)
    kinds = [one, one.as_uint8(), one.as_int16(2, 5), one.dequantized()]
    return kinds + [Tensor(k.values.reshape((1, 1, 1, -1)), k.scale, k.zero_point) for k in kinds]


@given(st.integers(0, 2**32), st.integers(2, 60), st.integers(1, 8))
def test_ranking_is_numpys_for_every_dtype_and_shape(seed: int, classes: int, count: int) -> None:
    values = np.random.default_rng(seed).integers(-128, 128, (1, classes))
    scores = (values[0] + 128) / 256
    for one in storages(values, 1 / 256):
        result = classify(one, top_k=count, score_type="probability")
        assert [c.class_id for c in result] == ranked(scores, count)
        np.testing.assert_allclose([c.score for c in result], np.sort(scores)[::-1][:count], rtol=1e-6)
        assert [c.label for c in result] == [str(c.class_id) for c in result]


@given(st.integers(0, 2**32), st.integers(2, 40), st.sampled_from([0.05, 0.3, 1.0]))
def test_softmax_is_numpys_for_every_dtype(seed: int, classes: int, scale: float) -> None:
    values = np.random.default_rng(seed).integers(-128, 128, (1, classes))
    scores = softmax((values[0] + 128) * scale)
    for one in storages(values, scale):
        result = classify(one, top_k=3, score_type="logit")
        assert [c.class_id for c in result] == ranked(values[0], 3)
        np.testing.assert_allclose([c.score for c in result], np.sort(scores)[::-1][:3], rtol=2e-5, atol=1e-9)


def test_softmax_of_large_and_infinite_logits_has_no_nan() -> None:
    for logits in ([1e30, 0.0, -1e30], [500.0, 499.0, 0.0], [-1e30, -1e30, -1e30], [3.0, -np.inf, np.nan]):
        with np.errstate(invalid="ignore", over="ignore"):
            result = classify(Tensor(np.float32([logits])), score_type="logit")
        assert all(0 <= c.score <= 1 for c in result)
        assert result.class_id == 0


@pytest.mark.parametrize(
    ("one", "is_logit"),
    [
        (Tensor(np.int8([[127, -128]]), 1 / 256, -128), False),
        (Tensor(np.int8([[127, 0]]), 1 / 127, 0), False),
        (Tensor(np.uint8([[200, 55]]), 1 / 255, 0), False),
        (Tensor(np.int16([[32000, 700]]), 1 / 32768, 0), False),
        (Tensor(np.int8([[60, -20]]), 0.1, 5), True),
        (Tensor(np.uint8([[60, 20]]), 0.1, 0), True),
        (Tensor(np.float32([[0.7, 0.3]])), False),
        (Tensor(np.float32([[0.7, 0.9]])), False),  # sigmoids
        (Tensor(np.float32([[2.5, 0.3]])), True),
        (Tensor(np.float32([[0.5, -0.3]])), True),
    ],
)  # fmt: skip
def test_softmax_is_applied_to_logits_only(one: Tensor, is_logit: bool) -> None:
    values = one.dequantized().values[0]
    wanted = softmax(values) if is_logit else values
    np.testing.assert_allclose([c.score for c in classify(one)], np.sort(wanted)[::-1], rtol=1e-5)


def test_float_logits_within_0_to_1_are_recognized_in_a_later_frame() -> None:
    network = FakeModel([Tensor(np.float32([[0.9, 0.8]]))], (8, 8))
    process = n6post.Classifier()
    assert network.run(process).score == pytest.approx(0.9)
    network.tensors[0].values[:] = [[3.0, 1.0]]
    assert network.run(process).score == pytest.approx(softmax([3, 1])[0])
    network.tensors[0].values[:] = [[0.9, 0.8]]
    assert network.run(process).score == pytest.approx(softmax([0.9, 0.8])[0])


@pytest.mark.parametrize(("numbers", "certain"), [([0.7, 0.36], False), ([0.6, 0.34], False), ([0.7, 0.34], True)])
def test_floats_whose_sum_is_not_1_are_examined_again(numbers: list[float], certain: bool) -> None:
    network = FakeModel([Tensor(np.float32([numbers]))], (8, 8))
    process = n6post.Classifier()
    network.run(process)
    network.tensors[0].values[:] = [[1.2, 1.0]]
    assert network.run(process).score == pytest.approx(1.2 if certain else softmax([1.2, 1])[0])


def test_classes_below_the_threshold_are_left_out() -> None:
    values = np.int16([[0, 51, 205, 128]]) - 128
    for one in storages(values, 1 / 256):
        assert [c.class_id for c in classify(one, 0.2, score_type="probability")] == [2, 3]
        empty = classify(one, 0.9, score_type="probability")
        assert (len(empty), empty.class_id, empty.label, empty.score) == (0, None, None, 0.0) and not empty
        assert [c.class_id for c in classify(one, 0.3, score_type="logit")] == [2]


@pytest.mark.parametrize("scores", ["probability", "logit"])
def test_a_score_equal_to_the_threshold_is_enough(scores: Any) -> None:
    for one in storages(np.int16([[0, 0, -128, -128]]), 1 / 256 if scores == "probability" else 1.0):
        exact = [c.score for c in classify(one, score_type=scores)][1]
        assert [c.class_id for c in classify(one, exact, score_type=scores)] == [0, 1]
        assert len(classify(one, exact + 1e-6 if scores == "logit" else exact + 0.01, score_type=scores)) == 0


def test_input_need_not_be_a_picture() -> None:
    network = FakeModel([Tensor(np.int8([[-128, 127, 0, 1]]), 1 / 256, -128)], (8, 8))
    network.input_shape = ((1, 1960),)
    assert n6post.Classifier()(network, [None], network.outputs()).class_id == 1


# --- the result ---
def some() -> Any:
    return classify(Tensor(np.float32([[0.125, 0.625, 0.25]])), labels=["cat", "dog", "ünicorn"])


def test_result_is_a_sequence_of_class_label_and_score() -> None:
    result = some()
    assert [tuple(one) for one in result] == [(1, "dog", 0.625), (2, "ünicorn", 0.25), (0, "cat", 0.125)]
    class_id, label, score = result[0]
    assert (class_id, label, score) == (result.class_id, result.label, result.score)
    assert result.score_of("cat") == result.score_of(0) == 0.125
    assert result.score_of("mouse") == result.score_of(7) == 0.0
    assert repr(result) == "Classification(dog 0.625, ünicorn 0.250, cat 0.125)"


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_result_can_be_copied_and_pickled(way: Any) -> None:
    assert [tuple(one) for one in way(some())] == [tuple(one) for one in some()]


def test_result_does_not_change_with_the_next_frame() -> None:
    network = FakeModel([Tensor(np.float32([[0.125, 0.875]]))], (8, 8))
    process = n6post.Classifier()
    before = network.run(process)
    network.tensors[0].values[:] = [[0.75, 0.25]]
    network.run(process)
    assert (before.class_id, before.score) == (1, 0.875)


def test_json_has_the_ranking_with_three_decimals() -> None:
    text = n6post.to_json(some())
    assert json.loads(text)["classes"][0] == {"class_id": 1, "label": "dog", "score": 0.625}
    assert json.loads(text) == json.loads(json.dumps(some().as_dict()))
    assert text.isascii()
    assert n6post.to_json(classify(Tensor(np.float32([[0.5, 0.5]])), 0.9)) == '{"classes": []}'


@pytest.mark.parametrize("pixformat", [image.RGB565, image.GRAYSCALE])
@pytest.mark.parametrize("size", [(160, 120), (640, 480)])
def test_draw_writes_the_best_class_into_the_upper_left_corner(size: tuple[int, int], pixformat: int) -> None:
    img, other = image.Image(*size, pixformat), image.Image(*size, pixformat)
    assert n6post.draw(img, some()) is img
    assert some().draw(other) is other
    assert img.bytearray() == other.bytearray()
    scale = 2 if size[0] >= 480 else 1
    width, height = (text_width("dog 63%") + 3) * scale, 12 * scale
    shown = np.frombuffer(img.bytearray(), np.uint8).reshape((size[1], size[0], -1)).any(axis=2)
    rows, columns = np.nonzero(shown)
    assert rows.max() < height and columns.max() < width and shown[:height, :width].mean() > 0.6


def test_draw_takes_the_size_of_the_text_and_a_part_of_the_frame() -> None:
    result = classify(Tensor(np.float32([[0.9, 0.1]])), labels=LABELS)
    heights = []
    for scale in (1, 2):
        img = image.Image(320, 240, image.GRAYSCALE)
        n6post.draw(img, result, text_scale=scale, roi=(5, 5, 320, 240), color=(9, 9, 200))
        heights.append(int(np.nonzero(np.frombuffer(img.bytearray(), np.uint8).reshape(240, 320))[0].max()) + 1)
    assert heights[1] == 2 * heights[0]
    with pytest.raises(ValueError, match="^roi: expected"):
        n6post.draw(image.Image(320, 240, image.GRAYSCALE), result, roi=(0, 0, 0, 5))


def test_draw_of_an_empty_result_or_without_labels_changes_nothing() -> None:
    img = image.Image(160, 120, image.RGB565)
    n6post.draw(img, classify(Tensor(np.float32([[0.5, 0.5]])), 0.9))
    n6post.draw(img, some(), labels=False)
    assert not any(img.bytearray())
    n6post.draw(img, some(), color=(255, 0, 0))
    assert img.get_pixel((0, 0)) == (255, 0, 0)


def test_draw_refuses_options_that_a_classification_does_not_have() -> None:
    img = image.Image(160, 120, image.RGB565)
    with pytest.raises(ValueError, match="color_by: expected 'class' for a Classification, got 'track'"):
        n6post.draw(img, some(), color_by="track")
    with pytest.raises(ValueError, match="labels: expected True or False"):
        n6post.draw(img, some(), labels=["dog"])
    with pytest.raises(ValueError, match="expected an image|expected an RGB565 or GRAYSCALE image"):
        some().draw(7)


# --- errors ---
WANTED = "expected one output [1, classes] of 2 to 65535 classes, got"


@pytest.mark.parametrize("shape", [(1, 1), (1, 2, 3), (1, 4, 4, 2), (1, 1, 1, 1)])
def test_output_of_another_family_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=says(f"{WANTED} {shape}")):
        classify(Tensor(np.zeros(shape, np.float32)))


def test_wrong_number_of_labels_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 2 labels, one per class, got 1"):
        classify(Tensor(np.float32([[0.5, 0.5]])), labels=["a"])


# --- for the tests of all families: see family_cases.py ---
NAN = float("nan")


def four_classes() -> FakeModel:
    return FakeModel([Tensor(np.int8([[[[-100, 20, -20, 60]]]]), 1 / 256, -128)], (32, 32))


def three_logits() -> FakeModel:
    return FakeModel([Tensor(np.float32([[[[0.5, -3.0, 2.0]]]]))], (32, 32), ["cat", "dog", "bird"])


FAMILY_CASES = FamilyCases(
    options={
        "threshold": OptionCase(0.0, 0.5, (-0.1, 1.1, NAN, None), four_classes),
        "top_k": OptionCase(5, 1, (0, 1001, 1.5, None), four_classes),
        "labels": OptionCase(None, ["w", "x", "y", "z"], ("abc", [], [1]), four_classes),
        "score_type": OptionCase(None, "logit", ("score", 1), four_classes),
    },
    frames={
        "Classifier": FrameCase(n6post.Classifier, four_classes, three_logits, ("top_k", 5, 2)),
        "Classifier logits": FrameCase(n6post.Classifier, three_logits, four_classes, ("threshold", 0.0, 0.3)),
    },
)


@pytest.mark.parametrize("numbers", [[2.0, -1.0, 0.5], [40.0, 90.0, 7.5, 3.0]])
def test_three_or_four_numbers_are_classes_if_labels_say_so(numbers: list[float]) -> None:
    network = FakeModel([Tensor(np.float32([numbers]))], (96, 96))
    with pytest.raises(ValueError, match="a regression of . numbers"):
        network.run(n6post.Classifier())
    names = [f"thing {i}" for i in range(len(numbers))]
    result = network.run(n6post.Classifier(labels=names))
    assert result.label == names[int(np.argmax(numbers))]
    assert result.score == pytest.approx(softmax(numbers).max())


@pytest.mark.parametrize("numbers", [[2.0, -1.0, 0.5], [40.0, 90.0, 7.5, 3.0]])
def test_three_or_four_pooled_channels_are_classes_without_labels(numbers: list[float]) -> None:
    """[1, 1, 1, C]: a regression ends in a vector, a classifier may end in a pooled map."""
    result = classify(Tensor(np.float32([[[numbers]]])))
    assert result.class_id == np.argmax(numbers) and result.score == pytest.approx(softmax(numbers).max())


@pytest.mark.parametrize("count", [136, 196, 212])
def test_numbers_as_many_as_face_landmarks_have_are_classes_or_points(count: int) -> None:
    """Logits are around their mean on both sides; a face reaches hardly beyond the picture."""
    random = np.random.default_rng(count)
    logits = random.normal(1, 1, (1, count)).astype(np.float32)
    assert -2.5 * logits.max() < logits.min() < -0.25 * logits.max() and logits.mean() > 0.5
    result = classify(Tensor(logits))
    assert [one.class_id for one in result] == ranked(logits[0], 5)
    for least in (0.1, -0.15):
        points = random.uniform(least, 0.9, (1, count)).astype(np.float32)
        with pytest.raises(ValueError, match=f"like those of {count // 2} keypoints of a face in .*: use n6post.FacePoints"):
            classify(Tensor(points))
