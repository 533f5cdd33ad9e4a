"""vectors/text_line.py and text_pattern.py: texts that the authors' decoders read, and the best one that a pattern allows.

data/text.npz.xz has outputs of LPRNet and of PP-OCR's recognizer, and what their authors' decoders read in them
(scripts/dev/recording/record_text.py). For patterns, all paths of small outputs are tried.
"""

from __future__ import annotations

import itertools
import json
import pickle
import re
from typing import Any

import n6post
import numpy as np
import other_networks as other
import pytest
from fakes import Array, FakeModel, Tensor
from family_cases import FamilyCases, FrameCase, OptionCase
from hypothesis import given
from hypothesis import strategies as st
from n6post.families.vectors import text_line
from n6post.families.vectors.text_pattern import Pattern
from recorded_data import about, stored, tensor_of

NAN = float("nan")
DTYPES = "float32", "int8", "uint8", "int16"
DIGITS = "0123456789"
EXPECTED = "expected one output [1, steps, classes], [1, classes, steps] or [steps, 1, classes]"


def recorded(case: str) -> tuple[Array, dict[str, Any]]:
    """(outputs of all pictures, what is known of them)."""
    return stored("text")[case], about("text", "index")[case]


def read(values: Array, size: tuple[int, int] = (94, 24), scale: float = 0.0, zero_point: int = 0, **options: Any) -> Any:
    model = FakeModel([tensor_of(np.ascontiguousarray(values), scale, zero_point)], size)
    return model.run(n6post.TextLine(**options))


def softmax(values: Array) -> Array:
    e = np.exp(values - values.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def greedy(values: Array, names: str, blank: int) -> tuple[str, list[float]]:
    """CTC by its definition, of probabilities [steps, classes]: groups of equal best classes, without blanks."""
    text, scores, at = "", [], 0
    for class_id, group in itertools.groupby(values.argmax(axis=1).tolist()):
        if class_id != blank:
            text += names[class_id]
            scores.append(float(values[at, class_id]))
        at += len(list(group))
    return text, scores


# --- real networks, judged by their authors' code ---
@pytest.mark.parametrize("case", ["lprnet", "lprnet int8"])
def test_plates_are_read_as_by_lprnets_authors(case: str) -> None:
    outputs, known = recorded(case)
    numbers = {"scale": known["scale"] or 0.0, "zero_point": known["zero_point"]}
    for values, text in zip(outputs, known["read"], strict=True):
        for turned in (values[None], values.T[None], values.T[:, None]):
            assert read(turned, characters=known["characters"], threshold=0.0, **numbers).text == text
    right = sum(one == text for one, text in zip(known["read"], known["written"], strict=True))
    assert right > 0.8 * len(outputs)


def test_texts_and_scores_are_those_of_pp_ocrs_decoder() -> None:
    outputs, known = recorded("ppocr")
    for values, (text, score) in zip(outputs, known["read"], strict=True):
        result = read(values[None], (320, 48), characters=known["characters"], threshold=0.0)
        assert result.text == text
        assert result.score == pytest.approx(score, abs=2e-5)  # theirs is rounded to 5 decimals
        assert len(result.scores) == len(text)


def test_pattern_changes_no_plate_that_it_allows() -> None:
    outputs, known = recorded("lprnet")
    for values, text in zip(outputs, known["read"], strict=True):
        result = read(values[None], characters=known["characters"], threshold=0.0, pattern="*LXXXXXX?")
        if re.fullmatch("[^0-9][A-Z][A-Z0-9]{5,6}", text):
            assert result.text == text
        assert re.fullmatch(".[A-Z][A-Z0-9]{5,6}", result.text)


# --- any numbers ---
def cases_of(values: Array) -> list[Tensor]:
    """Logits of every dtype, all with the same numbers: multiples of 1/8."""
    raw = np.int8(values)
    one = Tensor(raw, 0.125, 3)
    return [one, one.as_uint8(), one.as_int16(2, 5), one.dequantized()]


@given(st.integers(0, 2**32), st.integers(8, 30), st.sampled_from(["first", "last"]))
def test_logits_of_every_dtype_are_read_by_the_definition_of_ctc(seed: int, steps: int, blank: str) -> None:
    raw = np.random.default_rng(seed).integers(-128, 128, (1, steps, 11))
    real = softmax((raw[0] - 3.0) / 8)
    names, at = ("_" + DIGITS, 0) if blank == "first" else (DIGITS + "_", 10)
    text, scores = greedy(real, names, at)
    for one in cases_of(raw):
        turned = one._replace(values=np.ascontiguousarray(one.values.transpose(0, 2, 1)))
        for tensor in (one, turned):
            options = {"characters": DIGITS, "blank": blank, "threshold": 0.0, "score_type": "logit"}
            if steps in (10, 12):
                continue  # the steps may be the classes, too
            result = FakeModel([tensor], (100, 32)).run(n6post.TextLine(**options))
            assert result.text == text
            np.testing.assert_allclose(result.scores, scores, rtol=1e-4)
            assert result.score == pytest.approx(np.mean(scores) if scores else 0.0, rel=1e-4)


def best_by_trying(logs: Array, names: str, blank: int, allowed: re.Pattern[str]) -> tuple[float, set[str]]:
    """(the score of the best path whose text is allowed, the texts that have such a path): tries all paths."""
    best, found = -np.inf, set()
    steps, classes = logs.shape
    for path in itertools.product(range(classes), repeat=steps):
        text = "".join(names[one] for one, _ in itertools.groupby(path) if one != blank)
        if not allowed.fullmatch(text):
            continue
        score = sum(logs[at, one] for at, one in enumerate(path))
        if score > best + 1e-5:
            best, found = score, {text}
        elif score > best - 1e-5:
            found.add(text)
    return best, found


PATTERNS = {
    "LD": "[AB][01]",
    "DD": "[01][01]",
    "L?DD?": "[AB]?[01][01]?",
    "X*": "[AB01]{2}",
    "ALD": "A[AB][01]",
    "D\\AL?": "[01]A[AB]?",
}


@given(st.integers(0, 2**32), st.sampled_from(sorted(PATTERNS)), st.integers(3, 5), st.booleans())
def test_pattern_gives_the_best_of_all_paths(seed: int, pattern: str, steps: int, probabilities: bool) -> None:
    logs = np.random.default_rng(seed).normal(0, 1.5, (steps, 5))
    names = "_AB01"
    _, texts = best_by_trying(logs, names, 0, re.compile(PATTERNS[pattern]))
    values, kind = (softmax(logs), "probability") if probabilities else (logs, "logit")
    # More steps, in which only the blank is possible.
    more = np.full((8, 5), 1e-6 if probabilities else -40.0)
    more[:, 0] = 1.0 if probabilities else 0.0
    values = np.concatenate([values, more]).astype(np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_line, "_LEAST", 0.0)  # characters that are as good as impossible count, too
        result = read(values[None], characters=names[1:], blank="first", pattern=pattern, threshold=0.0, score_type=kind)
    assert result.text in texts


def test_equal_neighbors_of_a_pattern_are_the_best_of_all_paths_too() -> None:
    random = np.random.default_rng(5)
    for _ in range(150):
        logs = random.normal(0, 1.5, (5, 3))
        _, texts = best_by_trying(logs, "_01", 0, re.compile("[01][01]"))
        padded = np.concatenate([logs, np.tile([0.0, -40, -40], (4, 1))]).astype(np.float32)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(text_line, "_LEAST", 0.0)
            result = read(padded[None], characters="01", blank="first", pattern="DD", threshold=0.0, score_type="logit")
        assert result.text in texts


@pytest.mark.parametrize("pattern", sorted(PATTERNS))
def test_text_that_a_pattern_allows_is_known_without_a_search(pattern: str) -> None:
    found = Pattern(pattern, ["", *"AB01"], 0, 20)
    allowed = re.compile(PATTERNS[pattern])
    for count in range(6):
        for text in itertools.product("AB01", repeat=count):
            class_ids = ["_AB01".index(one) for one in text]
            assert found.allows(class_ids) == bool(allowed.fullmatch("".join(text))), text


def test_letters_of_a_pattern_are_capital_and_small_ones() -> None:
    values = rows("aB7é", "_0123456789aBé")
    names = {"characters": "0123456789aBé", "threshold": 0.0}
    assert read(values, pattern="LLD*", **names).text == "aB7é"
    assert read(values, pattern="XXX*", **names).text == "aB7é"
    assert not read(values, pattern="LLDL", **names)


def rows(text: str, names: str = "_" + DIGITS + "ABO", sure: float = 0.9) -> Array:
    """Probabilities in which every second step has a character of the text: [1, steps, classes]."""
    values = np.full((2 * len(text) + 1, len(names)), 0.001, np.float32)
    values[0::2, 0] = sure
    for at, letter in enumerate(text):
        values[2 * at + 1, names.index(letter)] = sure
    return values[None] / values.sum(axis=1, keepdims=True)[None]


PLATE = {"characters": DIGITS + "ABO"}


def test_pattern_reads_a_zero_where_a_letter_looks_a_little_more_like_it() -> None:
    values = rows("AB1O57")
    values[0, 7] = 0
    values[0, 7, [13, 1]] = 0.6, 0.4  # O or 0
    assert read(values, **PLATE).text == "AB1O57"
    searches = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pattern, "find", lambda *given, find=Pattern.find: searches.append(1) or find(*given))
        assert read(rows("AB1057"), pattern="LLDDDD", **PLATE).text == "AB1057" and not searches
        result = read(values, pattern="LLDDDD", **PLATE)
    assert searches and result.text == "AB1057" and result.scores[3] == pytest.approx(0.4)


def test_text_below_the_threshold_is_no_result() -> None:
    values = rows("AB1057", sure=0.02)
    result = read(values, threshold=0.9, **PLATE)
    assert not result and result == ("", 0.0, []) and result.text == ""
    assert read(values, threshold=0.1, **PLATE)


def test_pattern_makes_up_no_character_that_is_not_there() -> None:
    for text in ("AB105", "AB1057"):
        result = read(rows(text), pattern="LLDDDD", threshold=0.0, **PLATE)
        assert result.text == ("AB1057" if text == "AB1057" else "")
    assert read(rows("AB105"), pattern="LLDDDD?", **PLATE).text == "AB105"
    assert not read(rows("AB105"), pattern="LLLLLLLLLLLLL", threshold=0.0, **PLATE)  # more than there are steps


def test_equal_characters_side_by_side_need_a_blank_between_them() -> None:
    values = rows("AB1157")
    assert read(values, **PLATE).text == read(values, pattern="LLDDDD", **PLATE).text == "AB1157"
    values[0, 6] = values[0, 5]  # no blank: one 1
    assert read(values, **PLATE).text == "AB157"
    assert read(values, pattern="LLDDD", **PLATE).text == "AB157"


def test_empty_picture_and_nan_are_no_text() -> None:
    values = rows("A" * 5)
    values[:] = 0
    values[..., 0] = 1.0
    assert not read(values, **PLATE) and not read(values, pattern="LL", **PLATE)
    assert not read(np.full((1, 11, 14), NAN, np.float32), score_type="probability", blank="first", threshold=0.0, **PLATE)


# --- blank, characters ---
def test_a_space_may_be_among_the_characters() -> None:
    """PP-OCR's list has a wide one as its 5,709th character."""
    names = ["A", "\u3000", "B", " "]
    values = np.eye(5, dtype=np.float32)[[1, 2, 3, 4, 1]][None] * 9
    assert read(values, characters=names, blank="first", score_type="logit", threshold=0.0).text == "A\u3000B A"
    with pytest.raises(ValueError, match="^characters: expected "):
        n6post.TextLine(characters=["A", 5])


def test_blank_is_found_by_the_list_or_by_the_numbers() -> None:
    values = rows("AB1057")
    last = np.concatenate([values[..., 1:], values[..., :1]], axis=2)
    letters = DIGITS + "ABO"
    for names in (letters, "-" + letters, list(letters), ["blank", *letters]):
        assert read(values, characters=names).text == "AB1057"
    for names in (letters, letters + "-", letters + "_"):
        assert read(last, characters=names).text == "AB1057"
    assert read(last, characters=letters, blank="first").text != "AB1057"


def test_class_beyond_the_list_is_pp_ocrs_space() -> None:
    values = rows("AB O", "_" + DIGITS + "ABO ")
    result = read(values, **PLATE)
    assert result.text == "AB O"


def test_blank_that_a_frame_does_not_show_is_looked_for_again() -> None:
    unclear = np.full((1, 13, 14), 0.001, np.float32)
    unclear[0, :, 5] = 1.0
    process = n6post.TextLine(**PLATE)
    values = rows("AB1057")
    last = np.ascontiguousarray(np.concatenate([values[..., 1:], values[..., :1]], axis=2))
    network = FakeModel([Tensor(unclear)], (94, 24))
    network.run(process)
    network.tensors = [Tensor(last)]
    assert network.run(process).text == "AB1057"


def test_logits_that_look_like_probabilities_at_first_are_found_later() -> None:
    process = n6post.TextLine(threshold=0.0, **PLATE)
    early, later = rows("AB1057"), np.log(rows("BA7501")) + 4
    network = FakeModel([Tensor((early * 0.9).astype(np.float32))], (94, 24))  # the sum of a step is not 1
    assert network.run(process).text == "AB1057"
    network.tensors = [Tensor(later.astype(np.float32))]
    found = network.run(process)
    assert found.text == "BA7501"
    np.testing.assert_allclose(found.scores, read(later.astype(np.float32), **PLATE).scores)


def test_log_probabilities_have_the_scores_of_probabilities() -> None:
    values = rows("AB1057")
    one, other_one = read(values, **PLATE), read(np.log(values), **PLATE)
    assert one.text == other_one.text == "AB1057"
    np.testing.assert_allclose(other_one.scores, one.scores, rtol=1e-4)


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ((1, 18, 37), {}, "characters: expected those of the network, in the order of its classes, got None"),
        ((1, 18, 37), {"characters": DIGITS}, EXPECTED + ", with 1 or 2 classes more than the 10 characters"),
        ((1, 11), {"characters": DIGITS}, EXPECTED + ", with"),
        ((1, 9, 9, 11), {"characters": DIGITS}, EXPECTED + ", with"),
        ((0, 18, 11), {"characters": DIGITS}, EXPECTED + ", with"),
        ((1, 18, 11), {"characters": DIGITS, "pattern": "LL"}, "pattern: expected characters of the network, got 'L'"),
    ],
)
def test_outputs_that_do_not_fit_say_what_was_expected(shape: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        read(np.zeros(shape, np.float32), **options)


@pytest.mark.parametrize("pattern", ["", "?", "L??", "?L", "L\\", "L?", 5, "D" * 65])
def test_what_is_no_pattern_is_refused(pattern: Any) -> None:
    with pytest.raises(ValueError, match=r"^pattern: expected a text of L \(letter\), D \(digit\)"):
        n6post.TextLine(pattern=pattern)


def test_pattern_of_too_many_possible_characters_is_refused() -> None:
    names = [chr(0x4E00 + at) for at in range(3000)]
    with pytest.raises(ValueError, match="pattern: expected fewer characters that are possible, got 3000 at 10 positions"):
        read(np.zeros((1, 40, 3001), np.float32), characters=names, pattern="*" * 10)


# --- which family a model is ---
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("steps", "classes", "size", "counts"),
    [
        (18, 68, (94, 24), (0, 67, 68)),
        (26, 37, (100, 32), (0, 36, 37)),
        (50, 21, (50, 200), (0, 20)),
        (40, 97, (320, 48), (0, 95)),
    ],
)
def test_text_of_every_order_is_recognized(steps: int, classes: int, size: Any, counts: Any, dtype: str) -> None:
    arrays = other.text(steps, classes)
    for outputs in (arrays, other.turned(arrays), [arrays[0][0][:, None]]):
        for count in counts:
            names = [chr(0x4E00 + at) for at in range(count)]
            model = other.model(outputs, size, dtype, 0)
            model.labels = names or None
            process = n6post.processor_for(model)
            assert type(process).__name__ == "TextLine"
            if names:
                result = model.run(process)
                assert isinstance(result, n6post.Reading) and (count == classes - 2 or result)


# --- results ---
def test_reading_is_json_pickles_and_draws() -> None:
    import image

    result = read(rows("AB1057"), **PLATE)
    assert json.loads(n6post.to_json(result)) == json.loads(json.dumps(result.as_dict()))
    assert result.as_dict()["text"] == "AB1057" and len(result.as_dict()["scores"]) == 6
    assert pickle.loads(pickle.dumps(result)) == result
    for draw in (lambda img: n6post.draw(img, result), lambda img: result.draw(img)):
        img = image.Image(160, 40, image.RGB565)
        draw(img)
        assert max(bytes(img.bytearray())) > 0
    for empty in (n6post.Reading("", 0.0, []),):
        img = image.Image(160, 40, image.RGB565)
        n6post.draw(img, empty)
        assert max(bytes(img.bytearray())) == 0
    with pytest.raises(ValueError, match="color_by"):
        n6post.draw(image.Image(160, 40, image.RGB565), result, color_by="track")


def plate_model() -> FakeModel:
    values = rows("AB1O57")
    values[0, 7] = 0
    values[0, 7, [13, 1]] = 0.6, 0.4
    model = FakeModel([Tensor(values)], (94, 24))
    model.labels = list(DIGITS + "ABO")
    return model


def logit_model() -> FakeModel:
    model = FakeModel([Tensor(np.log(rows("A1")))], (94, 24))
    model.labels = list(DIGITS + "ABO")
    return model


def made(**options: Any) -> Any:
    return n6post.TextLine(characters=DIGITS + "ABO", **options)


FAMILY_CASES = FamilyCases(
    options={
        "threshold": OptionCase(0.5, 0.99, (-0.1, 1.1, NAN, None), plate_model, {"characters": DIGITS + "ABO"}),
        "characters": OptionCase(None, "ABCDEFGHIJKLM", ("a", [], [1], 5), plate_model),
        "pattern": OptionCase(None, "LLDDDD", ("", "?", 5), plate_model, {"characters": DIGITS + "ABO"}),
        "blank": OptionCase(None, "last", ("middle", 1), plate_model, {"characters": DIGITS + "ABO"}),
        "score_type": OptionCase(None, "logit", ("score", 1), plate_model, {"characters": DIGITS + "ABO", "threshold": 0.0}),
        "labels": OptionCase(None, list("ABCDEFGHIJKLM"), ("abc", [], [1]), plate_model),
    },
    frames={
        "TextLine": FrameCase(made, plate_model, logit_model, ("threshold", 0.5, 0.99)),
        "TextLine pattern": FrameCase(lambda: made(pattern="LLDDDD"), plate_model, logit_model, ("threshold", 0.5, 0.99)),
    },
)
