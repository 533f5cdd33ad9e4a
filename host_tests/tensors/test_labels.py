"""lib/n6post/tensors/labels.py: labels from lists, dicts and text files, and class filters by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import n6post
import numpy as np
import pytest
from assertions import contents, says
from fakes import FAMILY_NAMES, FakeModel, Tensor
from hypothesis import example, given
from hypothesis import strategies as st
from n6post.tensors import label_sets, labels
from n6post.tensors.keypoints import keypoint_index
from synthetic_heads import Thing, float_head, random_head
from ulab import numpy as ulab

FAMILIES: list[Any] = [getattr(n6post, name) for name in FAMILY_NAMES if hasattr(getattr(n6post, name), "labels")]
of_every_family = pytest.mark.parametrize("family", FAMILIES)


@pytest.fixture
def file(tmp_path: Path) -> Callable[[bytes], str]:
    """The path of a .txt with these bytes."""

    def written(data: bytes) -> str:
        (tmp_path / "things.TXT").write_bytes(data)
        return str(tmp_path / "things.TXT")

    return written


# --- labels ---
@of_every_family
def test_labels_may_be_a_list_tuple_dict_or_path_of_a_text_file(family: Any, file: Any) -> None:
    wanted = ["person", "traffic light"]
    path = file(b"person\ntraffic light\n")
    for given_ in (wanted, tuple(wanted), {1: "traffic light", 0: "person"}, {"0": "person", "1": "traffic light"}, path):
        assert family(labels=given_).labels == wanted
    processor = family()
    processor.labels = path
    assert processor.labels == wanted


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r", b" \t\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("rest", [b"", b"\n", b"\n\n  \n"])
def test_line_ends_byte_order_mark_and_blank_last_lines_are_removed(
    end: bytes, mark: bytes, rest: bytes, file: Any
) -> None:
    path = file(mark + end.join([b"Stra\xc3\x9fe", b"traffic light"]) + rest)
    assert n6post.YoloV8(labels=path).labels == ["Straße", "traffic light"]


def test_a_wide_space_is_a_name_as_in_the_characters_of_pp_ocr(file: Any) -> None:
    names = ["\u3000", "a", "\u3000b "]
    for given_ in (names, file("\n".join(names).encode())):
        assert n6post.YoloV8(labels=given_).labels == ["\u3000", "a", "\u3000b"]


@pytest.mark.parametrize(("data", "line"), [(b"a\n\nb\n", 2), (b"\na\nb", 1), (b"a\nb\n \t\r\n\nc", 3)])
def test_a_blank_line_between_names_is_refused_with_file_and_line(data: bytes, line: int, file: Any) -> None:
    with pytest.raises(ValueError, match=rf"things\.TXT, line {line}: expected a name, got a blank line$"):
        n6post.YoloV8(labels=file(data))


@pytest.mark.parametrize(
    ("data", "line"), [("a\nKäse\n".encode("latin-1"), 2), ("a\nb".encode("utf-16"), 1), (b"a\nb\n\xf0\x9f", 3)]
)
def test_other_encodings_than_utf_8_are_refused_with_file_and_line(data: bytes, line: int, file: Any) -> None:
    with pytest.raises(ValueError, match=rf"things\.TXT, line {line}: expected text in UTF-8, got b'.+'$"):
        n6post.YoloV8(labels=file(data))


@pytest.mark.parametrize("data", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_file_without_names_is_refused(data: bytes, file: Any) -> None:
    with pytest.raises(ValueError, match=r"things\.TXT: expected one name per line, got none at all$"):
        n6post.YoloV8(labels=file(data))


def test_missing_file_is_refused_with_its_name() -> None:
    with pytest.raises(ValueError, match=r"^/nowhere/x\.txt: expected one name per line, got no file$"):
        n6post.YoloV8(labels="/nowhere/x.txt")


@of_every_family
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("person", r"expected a list of names, a dict \{0: name, ...\}, the path of a .txt file or None, got 'person'$"),
        ("", "labels: expected a list of names"),
        ([1, 2], "labels: expected a list of names"),
        ({}, "labels: expected a list of names"),
        ({0: 1}, "labels: expected a list of names"),
        ({1: "a", 2: "b"}, "labels: expected a name for every class from 0 on, got none for 0$"),
        ({0: "a", 4: "b", 2: "c"}, "got none for 1, 3$"),
        ({10**9: "a"}, "got none for 0, 1, 2, 3, 4, 5, 6, 7, 8, 9$"),
        ({"a": "b"}, "labels: expected class numbers as the keys of a dict, each once, got 'a'"),
        ({0: "a", -1: "b"}, "class numbers as the keys .* got -1"),
        ({0: "a", "0": "b"}, "class numbers as the keys .* got '0'"),
        ({0.0: "a"}, "class numbers as the keys .* got 0.0"),
        (["a", " ", "c"], "labels: expected a name for every class, got a blank one for class 1"),
        ({0: "", 1: "b"}, "got a blank one for class 0"),
    ],
)
def test_invalid_labels_are_refused_with_the_reason(family: Any, wrong: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        family(labels=wrong)


def test_remains_of_line_ends_and_byte_order_mark_are_removed() -> None:
    """The firmware splits a model's .txt at line feeds only."""
    assert n6post.YoloV8(labels=["\ufeffperson\r", "dog\r", "\r", ""]).labels == ["person", "dog"]
    assert n6post.YoloV8(labels=["", "\r"]).labels is None


@given(st.dictionaries(st.integers(0, 30), st.just("x"), min_size=1))
@example({0: "x"})
@example({30: "x"})
@example({1: "x"})
def test_missing_numbers_of_a_dict_are_named(given_: dict[int, str]) -> None:
    missing = [i for i in range(max(given_)) if i not in given_]
    if missing:
        with pytest.raises(ValueError) as caught:
            labels.name_list("labels", given_)
        assert str(caught.value).endswith(", ".join(map(str, missing[:10])))
    else:
        assert labels.name_list("labels", given_) == ["x"] * len(given_)


# --- the file beside a model ---
@pytest.mark.parametrize("model", ["net.tflite", "net.v2.int8.tflite", "net"])
def test_label_file_has_the_models_name_up_to_the_first_dot(model: str, tmp_path: Path) -> None:
    folder = tmp_path / "my.models"
    folder.mkdir()
    path = str(folder / model)
    assert labels.labels_beside_model(path) == (str(folder / "net.txt"), None)
    (folder / "net.txt").write_text("cup\nspoon\n", encoding="utf-8")
    assert labels.labels_beside_model(path) == (str(folder / "net.txt"), ["cup", "spoon"])
    (folder / "net.txt").write_text("\n", encoding="utf-8")
    assert labels.labels_beside_model(path) == (str(folder / "net.txt"), None)


def test_label_file_of_a_model_without_a_folder_is_found() -> None:
    assert labels.labels_beside_model("no_such_model.tflite") == ("no_such_model.txt", None)
    assert labels.labels_beside_model("C:\\a.b\\net.x.tflite")[0] == "C:\\a.b\\net.txt"


# --- classes by name ---
COCO = [label_sets.class_name(i, 80) for i in range(80)]
ONE_A_CLASS = [Thing(i, (i % 9, 8, 40, 40 + i % 7), {i: 0.5 + i / 200}) for i in range(80)]
CROWD = FakeModel([Tensor(float_head((64, 64), 80, ONE_A_CLASS))], (64, 64))
PEOPLE = random_head(5, (64, 64), 4, coefficients=32)


@pytest.mark.parametrize(
    ("by_name", "numbers"),
    [
        (["person", "traffic light"], [0, 9]),
        (("toothbrush",), [79]),
        (["car", 5, "car", 0], [2, 5, 0]),
        ({"dog", 3}, [16, 3]),
    ],
)
@pytest.mark.parametrize("given_", [None, COCO])
def test_class_filter_by_name_equals_the_filter_by_number(by_name: Any, numbers: list[int], given_: Any) -> None:
    everything = contents(CROWD.run(n6post.YoloV8(max_detections=80, labels=given_)))
    assert len(everything) == 80
    found = contents(CROWD.run(n6post.YoloV8(classes=by_name, labels=given_)))
    assert found == contents(CROWD.run(n6post.YoloV8(classes=numbers, labels=given_)))
    assert found == [d for d in everything if d[2] in numbers]


@pytest.mark.parametrize("kind", [n6post.YoloV8, n6post.YoloV8Seg])
def test_name_shared_by_two_classes_selects_both(kind: Any) -> None:
    model = PEOPLE.model() if kind is n6post.YoloV8Seg else random_head(5, (64, 64), 4).model()
    by_name = kind(0.2, labels=["cat", "dog", "cat", "fox"], classes=["cat"])
    by_number = kind(0.2, labels=["cat", "dog", "cat", "fox"], classes=[0, 2])
    assert contents(model.run(by_name)) == contents(model.run(by_number)) != []


def test_class_filter_takes_names_of_the_model_and_of_a_pose() -> None:
    thing = Thing(5, (8, 8, 20, 20), {0: 0.9}, [9.0, 9.0, 0.9] * 17)
    people = FakeModel([Tensor(float_head((64, 64), 1, [thing], extra=51))], (64, 64))
    assert [d.label for d in people.run(n6post.YoloV8Pose(classes=["person"]))] == ["person"]
    with pytest.raises(ValueError, match="^classes: expected 'person', got 'dog'$"):
        people.run(n6post.YoloV8Pose(classes=["dog"]))
    things = [Thing(5, (8, 8, 20, 20), {0: 0.9}), Thing(6, (30, 30, 60, 60), {1: 0.8})]
    model = FakeModel([Tensor(float_head((64, 64), 2, things))], (64, 64), ["cup\r", "spoon\r"])
    assert [d.label for d in model.run(n6post.YoloV8(classes=["spoon"]))] == ["spoon"]


def test_class_names_are_looked_up_again_for_every_model() -> None:
    processor = n6post.YoloV8(0.2, classes=["dog"])
    for order, number in ((["cat", "dog", "fox", "owl"], 1), (["dog", "cat", "fox", "owl"], 0)):
        model = random_head(5, (64, 64), 4).model()
        model.labels = order
        assert {d.class_id for d in model.run(processor)} == {number}


@pytest.mark.parametrize("wrong", ["person", 5, (), 0, [-1], [65536], [None], [1.5], [2, True],
                                   range(10**12), iter([1])])
def test_invalid_class_filter_is_refused(wrong: Any) -> None:
    part = wrong[-1] if isinstance(wrong, list) else wrong
    wanted = "class numbers from 0 to 65535 and names"
    if not isinstance(wrong, list):
        wanted = "a list of class numbers and names, or None"
    with pytest.raises(ValueError, match=says(f"classes: expected {wanted}, got {part!r}")):
        labels.class_filter("classes", wrong)


def test_class_filter_accepts_0_to_65535_and_checks_the_models_count() -> None:
    assert labels.class_filter("classes", [0, 65535, "cat"]) == (0, 65535, "cat")
    assert sorted(labels.classes("classes", (2, "b", 0), 3, "abc".__getitem__)) == [0, 1, 2]
    for wrong in (3, 65535):
        with pytest.raises(ValueError, match=says(f"classes: expected numbers below 3, got {wrong}")):
            labels.classes("classes", (0, wrong), 3, "abc".__getitem__)


@pytest.mark.parametrize(
    ("count", "shown"), [(1, ""), (2, "one of "), (3, "one of "), (10, "one of "), (11, "one of 11 names, such as ")]
)
def test_error_shows_up_to_ten_names_and_five_similar_ones_of_more(count: int, shown: str) -> None:
    known = [f"name {k}" for k in range(count)]
    with pytest.raises(ValueError) as caught:
        labels.raise_unknown_name("classes", "name", known)
    listed = ", ".join(map(repr, known if count < 11 else known[:5]))
    more = " (all: the model's labels)" if count > 10 else ""
    assert str(caught.value) == f"classes: expected {shown}{listed}{more}, got 'name'"


def test_error_sorts_names_by_similarity_ignoring_case() -> None:
    """Edit distance 0 for a part of the name, then 1."""
    known = ["gremlin", "rope", "rode", "road", "ROAD", "crossroads", "roads", "load", "rd", "toad", "rooad", "xyz"]
    alike = ["road", "ROAD", "crossroads", "roads", "load"]
    with pytest.raises(ValueError) as caught:
        labels.raise_unknown_name("labels", "Road", known, "everything")
    listed = ", ".join(map(repr, alike))
    assert str(caught.value) == f"labels: expected one of 12 names, such as {listed} (all: everything), got 'Road'"


def test_unknown_name_is_refused_with_the_known_names() -> None:
    model = random_head(5, (64, 64), 4).model()
    with pytest.raises(ValueError, match="^classes: expected one of 'cat', 'dog', 'owl', 'fox', got 'Dog'$"):
        model.run(n6post.YoloV8(labels=["cat", "dog", "owl", "fox"], classes=["cat", "Dog"]))


@pytest.mark.parametrize(
    ("wrong", "meant"), [("Person", "person"), ("trafic light", "traffic light"), ("phone", "cell phone")]
)
def test_error_shows_the_most_similar_names_and_their_number(wrong: str, meant: str) -> None:
    with pytest.raises(ValueError) as caught:
        CROWD.run(n6post.YoloV8(classes=[wrong]))
    message = str(caught.value)
    assert message.startswith("classes: expected one of 80 names, such as ") and message.endswith(f", got {wrong!r}")
    assert repr(meant) in message and message.count("'") == 2 * 6 + 1 and "(all: the model's labels)" in message


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
@example("", "")
@example("abc", "")
@example("", "abc")
@example("aaaaaa", "bbbbbb")
def test_similarity_is_the_edit_distance(one: str, other: str) -> None:
    def apart(a: str, b: str) -> int:
        if not a or not b:
            return len(a) + len(b)
        return min(apart(a[1:], b) + 1, apart(a, b[1:]) + 1, apart(a[1:], b[1:]) + (a[0] != b[0]))

    assert labels._distance(one, other) == (0 if one in other else apart(one, other))


@pytest.mark.parametrize(("one", "other"), [(65, 3), (3, 65), (100_000, 64), (64, 100_000), (65, 65), (64, 64)])
def test_long_texts_are_not_compared_letter_by_letter(one: int, other: int) -> None:
    """The time would grow with the product of the lengths. Without a common letter, the distance is the longer length."""

    class Text(str):
        def __iter__(self) -> Any:
            assert max(one, other) <= 64, "compared letter by letter"
            return super().__iter__()

    assert labels._distance(Text("x" * one), Text("y" * other)) == max(one, other)


# --- class maps ---
def class_map(classes: Any, **options: Any) -> Any:
    return FakeModel([Tensor(np.asarray(classes, np.uint8)[None])], (4, 2)).run(n6post.DeepLab(**options))


ROAD = [[0, 1, 1, 2], [2, 2, 2, 4]]
ROAD_NAMES = ["sky", "road", "car", "tree", "road"]


def test_segmentation_accepts_a_name_wherever_it_accepts_a_number() -> None:
    found = class_map(ROAD, labels=ROAD_NAMES)
    for name, number in (("sky", 0), ("car", 2), ("tree", 3)):
        assert found.fraction(name) == found.fraction(number)
        assert found.area(name) == found.area(number)
        assert found.label(name) == found.label(number) == name
        a, b = found.mask(name), found.mask(number)
        assert (a.area, a.centroid, a.outline()) == (b.area, b.centroid, b.outline())
    assert found.fraction("car") == 0.5
    voc = FakeModel([Tensor(np.eye(21, dtype=np.float32)[[[15, 7], [7, 7]]][None])], (2, 2)).run(n6post.DeepLab())
    assert (voc.fraction("person"), voc.fraction("car")) == (0.25, 0.75)


def test_segmentation_refuses_unknown_and_ambiguous_names() -> None:
    found = class_map(ROAD, labels=ROAD_NAMES)
    for ask in (found.fraction, found.area, found.mask, found.label):
        with pytest.raises(ValueError, match="class_id: expected one of 'sky', 'road', 'car', 'tree', 'road', got 'person'"):
            ask("person")
        with pytest.raises(ValueError, match="class_id: expected the name of one class, got 'road', which 1 and 4 have"):
            ask("road")


def test_background_may_be_given_by_name() -> None:
    processor = n6post.DeepLab(background="car", labels=ROAD_NAMES)
    found = FakeModel([Tensor(np.asarray(ROAD, np.uint8)[None])], (4, 2)).run(processor)
    assert (found.background, found.class_ids(), processor.background) == (2, [0, 1, 4], "car")
    for name in ("person", "road"):
        with pytest.raises(ValueError, match=f"background: expected .* got '{name}'"):
            class_map(ROAD, background=name, labels=ROAD_NAMES)


@pytest.mark.parametrize("shape", [(1, 4, 4, 1), (1, 1, 4, 4), (1, 4, 4)])
@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
@pytest.mark.parametrize("how", ["option", "model"])
def test_single_label_of_a_one_channel_map_names_class_1(
    shape: tuple[int, ...], dtype: Any, how: str
) -> None:
    values = np.zeros(shape, dtype)
    values.reshape(-1)[:4] = 1
    model = FakeModel([Tensor(values, 0.0 if dtype is np.float32 else 1.0)], (4, 4))
    model.labels = ["road"] if how == "model" else None
    found = model.run(n6post.DeepLab(labels=["road"] if how == "option" else None))
    assert (found.label(0), found.label(1)) == ("background", "road")
    assert found.fraction("road") == 0.25 and found.class_ids() == [1]
    assert model.run(n6post.DeepLab(labels=["sky", "road"])).label(0) == "sky"


def test_an_error_is_short_however_many_names_there_are() -> None:
    names = [f"a long name of class {i}" for i in range(1000)]
    gallery = n6post.Gallery(max_names=1000)
    for name in names[:40]:
        gallery.enroll(name, [1.0, 2.0])
    face = n6post.Detection((0, 0, 9, 9), 0.9, 0, "face", None, ulab.zeros((468, 3)))
    refused = {
        "(all: n6post.keypoint_names(468)), got 'left eye bottm'": lambda: face.keypoint("left eye bottm"),
        "(all: n6post.keypoint_names(17)), got 'elbow of the left'": lambda: keypoint_index("elbow of the left", 17),
        "(all: the model's labels), got 'class 1001'": lambda: labels.classes("x", ["class 1001"], 1000, names.__getitem__),
        "(all: gallery.names), got 'nobody'": lambda: gallery.forget("nobody"),
        "which 0 and 1 and 2 and 3 and 4 and others have": lambda: labels.class_number("class_id", "x", ["x"] * 1000),
    }  # fmt: skip
    for end, call in refused.items():
        with pytest.raises(ValueError) as caught:
            call()
        message = str(caught.value)
        assert message.endswith(end) and len(message) < 260 and message.count("'") <= 13, message
    with pytest.raises(TypeError) as caught_type:
        n6post.YoloV8Seg(colour=3)  # type: ignore[call-arg]
    assert str(caught_type.value).endswith(", ... (all: help(n6post.YoloV8Seg))") and len(str(caught_type.value)) < 160


def test_a_name_that_no_gallery_has_may_be_a_number() -> None:
    gallery = n6post.Gallery()
    for number in range(12):
        gallery.enroll(number, [1.0, 2.0])
    with pytest.raises(ValueError, match=r"^name: expected one of 12 names, such as 1, 3, 10, 11, 0 .* got 13$"):
        gallery.forget(13)
