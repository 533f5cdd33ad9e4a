"""lib/n6post/options.py: an option assigned between frames is checked as by the constructor and counts at the next frame."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import n6post
import numpy as np
import pytest
from checks import contents, refuses, says
from fakes import FakeModel, Framed, Tensor
from scenes import Thing, float_head, quantised

SIZE = (64, 64)
ROI = (0, 0, 128, 96)
NAN = float("nan")
FAMILIES: dict[str, Any] = {
    kind.__name__: kind for kind in (n6post.YoloV8, n6post.YoloV8Seg, n6post.YoloV8Pose, n6post.MoveNet, n6post.DeepLab)
}


# --- models of which every option shows something ----------------------------------------------------------------------
def things(extra: int = 0) -> list[Thing]:
    values = np.linspace(-0.9, 1.2, extra).tolist() if extra else []
    return [
        Thing(9, (8, 8, 40, 40), {0: 0.9}, values),
        Thing(13, (10, 8, 42, 40), {0: 0.8}, values[::-1]),  # IoU .88 with the first
        Thing(20, (8, 10, 40, 42), {1: 0.7}, values),  # another class
        Thing(30, (30, 44, 62, 60), {1: 0.5}, values),
    ]


def head() -> FakeModel:
    return FakeModel([Tensor(float_head(SIZE, 2, things()))], SIZE)


def segmentation() -> FakeModel:
    planes = np.random.default_rng(2).normal(size=(1, 16, 16, 8))
    tensors = quantised(float_head(SIZE, 2, things(8), extra=8, pixels=False), 0.02, 3), quantised(planes, 0.03, -5)
    return FakeModel(tensors, SIZE)


def overlapping() -> FakeModel:
    """Two of a class whose boxes have an IoU of .18, and whose masks are the same where both are."""
    values = np.random.default_rng(1).normal(size=8)
    both = [Thing(9, (8, 8, 40, 40), {0: 0.9}, values), Thing(13, (20, 20, 60, 60), {0: 0.8}, values)]
    planes = np.random.default_rng(2).normal(size=(1, 16, 16, 8)).astype(np.float32)
    return FakeModel([Tensor(float_head(SIZE, 2, both, extra=8)), Tensor(planes)], SIZE)


def pose() -> FakeModel:
    """One class and three joints or, if somebody says so, four classes and two."""
    rows = [0.3, 12, 0.4, 20, 30, 0.9, 25, 31, 0.8]
    boxes = {0.9: (8, 8, 40, 40), 0.8: (10, 8, 42, 40), 0.5: (30, 44, 62, 60)}
    found = [Thing(9 + i, box, {0: score}, rows) for i, (score, box) in enumerate(boxes.items())]
    return FakeModel([Tensor(float_head(SIZE, 1, found, extra=9))], SIZE)


def heatmaps() -> FakeModel:
    return FakeModel([Tensor(np.random.default_rng(3).random((1, 16, 16, 13)).astype(np.float32))], SIZE)


def joints() -> FakeModel:
    """Twelve joints of y, x, score or, if somebody says so, three heatmaps of a row."""
    return FakeModel([Tensor(np.random.default_rng(4).random((1, 1, 12, 3)).astype(np.float32))], SIZE)


def scores() -> FakeModel:
    values = np.random.default_rng(5).integers(-99, 99, (1, 8, 8, 3)).astype(np.int8)
    return FakeModel([Tensor(values, 0.1)], SIZE)


def cube() -> FakeModel:
    return FakeModel([Tensor(np.random.default_rng(5).integers(-99, 99, (1, 8, 8, 8)).astype(np.int8), 0.1)], SIZE)


def probabilities() -> FakeModel:
    return FakeModel([Tensor(np.random.default_rng(6).random((1, 8, 8, 1)).astype(np.float32))], SIZE)


class Case(NamedTuple):
    """An option, a value that makes a difference to a frame, values that are none, and made with what besides."""

    value: Any
    wrong: tuple[Any, ...]
    model: Callable[[], FakeModel]
    options: dict[str, Any] = {}


def yolo(model: Callable[[], FakeModel]) -> dict[str, Case]:
    apart = {"classes": [0]} if model is not pose else {}
    return {
        "threshold": Case(0.85, (-0.1, 1.1, NAN, None, "0.4", True), model),
        "nms_threshold": Case(0.95, (-0.1, 1.1, NAN, None), model),
        "nms_sigma": Case(5, (-1, NAN, float("inf"), None), model),
        "max_detections": Case(1, (0, -1, 2.0, None, 70000), model),
        "classes": Case((1,) if model is not pose else (0,), ((), [-1], [("person",)], 0, [1.5], "0"), model, apart),
        "agnostic": Case(True, (1, None, "no"), model if model is not pose else three_classes),
        "max_candidates": Case(1, (0, 300.0, 70000, None), model),
        "labels": Case(["Katze", "Hund"][: 1 if model is pose else 2], ("abc", 5, [], [1], {"a": 1}, {0: 1}), model),
        "pixels": Case(model is segmentation, (1, 0, "yes"), model),
    }


def three_classes() -> FakeModel:
    return FakeModel([Tensor(float_head(SIZE, 3, things(3)[:3], extra=3))], SIZE, ["a", "b", "c"])


CASES: dict[str, dict[str, Case]] = {
    "YoloV8": yolo(head),
    "YoloV8Seg": {
        **yolo(segmentation),
        "mask_threshold": Case(0.7, (0, 1, -0.5, NAN, None), segmentation),
        "mask_padding": Case(12, (-1, NAN, float("inf"), "2"), segmentation),
        "mask_overlap": Case(0.1, (-0.1, 1.1, NAN, "half"), overlapping),
        "tight": Case(True, (1, None, "yes"), segmentation),
    },
    "YoloV8Pose": {
        **yolo(pose),
        "classes": Case([1], ((), [-1], 0), three_classes),
        "keypoint_threshold": Case(0.85, (-0.1, 1.1, NAN, None), pose),
        "class_count": Case(4, (0, 1.5, "1"), pose),
        "keypoint_scores": Case("logit", ("sigmoid", 1), pose),
    },
    "MoveNet": {
        "threshold": Case(0.999, (-0.1, 1.1, NAN, None), heatmaps),
        "refine": Case(False, (1, None, "no"), heatmaps),
        "labels": Case(["dancer"], ("abc", [], [1]), heatmaps),
        "layout": Case("NHWC", ("CHW", 1), joints),
    },
    "DeepLab": {
        "background": Case(1, (256, -1, 0.0, ["sky"]), scores),
        "threshold": Case(0.9, (0, 1, NAN, "half"), probabilities),
        "labels": Case(["sky", "sea", "sand"], ("abc", [], [1]), scores),
        "layout": Case("NCHW", ("CHW", 1), cube, {"layout": "NHWC"}),
        "values": Case("logit", ("softmax", 1), probabilities),
    },
}
of_every_option = pytest.mark.parametrize(
    ("family", "name"), [(family, name) for family, cases in CASES.items() for name in cases]
)


def test_every_option_of_every_family_is_here() -> None:
    for family, kind in FAMILIES.items():
        assert set(inspect.signature(kind).parameters) == set(CASES[family])


BOXES = {
    "threshold": 0.4, "nms_threshold": 0.5, "nms_sigma": 0, "max_detections": 20, "classes": None, "agnostic": False,
    "max_candidates": 300, "labels": None, "pixels": None,
}  # fmt: skip
DEFAULTS: dict[str, dict[str, Any]] = {
    "YoloV8": BOXES,
    "YoloV8Seg": {**BOXES, "mask_threshold": 0.5, "mask_padding": None, "mask_overlap": 0.8, "tight": False},
    "YoloV8Pose": {**BOXES, "keypoint_threshold": 0.5, "class_count": None, "keypoint_scores": None},
    "MoveNet": {"threshold": 0.3, "refine": True, "labels": None, "layout": None},
    "DeepLab": {"background": 0, "threshold": None, "labels": None, "layout": None, "values": None},
}


@pytest.mark.parametrize("family", FAMILIES)
def test_an_option_that_nobody_gives_is_what_the_documentation_says(family: str) -> None:
    processor = FAMILIES[family]()
    for name, default in DEFAULTS[family].items():
        value = getattr(processor, name)
        assert (value, type(value)) == (default, type(default)), name
    assert set(DEFAULTS[family]) == set(CASES[family])


def seen(result: Any) -> Any:
    """What a frame's result says."""
    if isinstance(result, list):
        return [getattr(d, "keypoint_threshold", None) for d in result], contents(result)
    return result.classes.tolist(), result.background, result.present(), [result.label(i) for i in range(3)]


def frame(processor: Any, model: FakeModel) -> Any:
    with np.errstate(all="ignore"):
        return seen(model.run(processor, Framed(ROI)))


# --- assigned ----------------------------------------------------------------------------------------------------------
@of_every_option
@pytest.mark.parametrize("frames", [0, 1, 2])
def test_an_assigned_option_makes_the_next_frame_that_of_a_processor_made_with_it(
    family: str, name: str, frames: int
) -> None:
    kind, case = FAMILIES[family], CASES[family][name]
    model = case.model()
    processor = kind(**case.options)
    old = getattr(processor, name)
    before = frame(kind(**case.options), model)
    for _ in range(frames):
        assert frame(processor, model) == before
    setattr(processor, name, case.value)
    after = frame(kind(**{**case.options, name: case.value}), model)
    assert after != before, "the case shows nothing"
    assert frame(processor, model) == after
    setattr(processor, name, old)
    assert frame(processor, model) == before


@of_every_option
def test_an_assigned_option_counts_for_every_model_that_was_seen(family: str, name: str) -> None:
    kind, case = FAMILIES[family], CASES[family][name]
    models = case.model(), case.model()
    processor = kind(**case.options)
    for model in models:
        frame(processor, model)
    setattr(processor, name, case.value)
    fresh = kind(**{**case.options, name: case.value})
    assert [frame(processor, model) for model in models] == [frame(fresh, model) for model in models]


@of_every_option
def test_a_wrong_value_raises_what_the_constructor_raises_and_leaves_the_old_one_in_force(family: str, name: str) -> None:
    kind, case = FAMILIES[family], CASES[family][name]
    model = case.model()
    processor = kind(**case.options)
    old = getattr(processor, name)
    before = frame(processor, model)
    for wrong in case.wrong:
        with pytest.raises(ValueError, match=refuses(name, wrong)) as made:
            kind(**{name: wrong})
        with pytest.raises(ValueError) as assigned:
            setattr(processor, name, wrong)
        assert str(assigned.value) == str(made.value)
        assert getattr(processor, name) == old
        assert frame(processor, model) == before


GIVE = r" \(the classes have no names: give labels\)"


@pytest.mark.parametrize(
    ("family", "name", "value", "message"),
    [
        ("YoloV8", "classes", [7], "classes: expected numbers below 2, got 7"),
        ("YoloV8", "classes", ["cat"], f"classes: expected one of '0', '1', got 'cat'{GIVE}"),
        ("YoloV8", "labels", ["one"], "expected 2 labels, one a class, got 1"),
        ("YoloV8Pose", "class_count", 2, "expected a head of 4 box channels, 2 classes and 3 for each keypoint, got 14 .*"),
        ("MoveNet", "labels", ["a", "b"], "labels: expected one name or 13, one a joint, got 2"),
        ("DeepLab", "background", "sky", f"background: expected one of '0', '1', '2', got 'sky'{GIVE}"),
        ("DeepLab", "background", 3, "background: expected a class below 3 or None, got 3"),
        ("DeepLab", "threshold", 0.3, "threshold: expected None for a map of 3 classes, where the largest wins, got 0.3"),
    ],
)
def test_what_does_not_fit_the_model_raises_at_the_next_frame_and_another_value_makes_it_good(
    family: str, name: str, value: Any, message: str
) -> None:
    models = {"YoloV8": head, "YoloV8Pose": pose, "MoveNet": heatmaps, "DeepLab": scores}
    model = models[family]()
    processor = FAMILIES[family]()
    old = getattr(processor, name)
    before = frame(processor, model)
    setattr(processor, name, value)
    for _ in range(2):
        with pytest.raises(ValueError, match=f"^{message}$"):
            frame(processor, model)
    setattr(processor, name, old)
    assert frame(processor, model) == before


@pytest.mark.parametrize(
    ("kind", "name", "limits"),
    [
        (n6post.YoloV8, "threshold", (0.0, 1.0)), (n6post.YoloV8, "nms_threshold", (0, 1)),
        (n6post.YoloV8, "max_detections", (1, 65535)), (n6post.YoloV8Seg, "mask_overlap", (0.0, 1.0)),
        (n6post.YoloV8Pose, "keypoint_threshold", (0.0, 1.0)), (n6post.YoloV8Pose, "class_count", (1, 65535)),
        (n6post.DeepLab, "background", (0, 255)),
    ],
)  # fmt: skip
def test_a_limit_itself_is_within_it(kind: Any, name: str, limits: tuple[float, float]) -> None:
    processor = kind()
    for limit in limits:
        setattr(processor, name, limit)
        assert getattr(processor, name) == limit == getattr(kind(**{name: limit}), name)


def test_a_model_in_the_place_of_the_threshold_is_told_of_the_missing_brackets() -> None:
    """The firmware calls postprocess= with a model, inputs and outputs: a class makes a processor of them."""
    model = head()
    number = f"threshold: expected a number from 0.0 to 1.0, got {model!r}"
    with pytest.raises(ValueError, match=says(f"{number}: postprocess= needs brackets, n6post.YoloV8()")):
        n6post.YoloV8(model)
    with pytest.raises(ValueError, match=says("threshold: expected a number from 0.0 to 1.0, got 2")):
        n6post.YoloV8(2)


def test_a_list_of_names_that_was_changed_and_assigned_again_counts() -> None:
    names = ["cat", "dog"]
    processor, model = n6post.YoloV8(labels=names), head()
    assert [d.label for d in model.run(processor)] == ["cat", "dog", "dog"]
    names[1] = "fox"
    assert [d.label for d in model.run(processor)] == ["cat", "dog", "dog"], "not before it is assigned"
    processor.labels = names
    assert [d.label for d in model.run(processor)] == ["cat", "fox", "fox"]


def test_the_same_value_again_changes_nothing_and_costs_no_new_look_at_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    processor, model = n6post.YoloV8(threshold=0.4), head()
    before = frame(processor, model)
    monkeypatch.setattr(processor, "_set_up", None)
    processor.threshold = 0.4
    processor.labels = None
    assert frame(processor, model) == before


def test_names_keep_no_white_space_around_them() -> None:
    """The lines of a file that came from Windows end with a carriage return."""
    processor = n6post.YoloV8(labels=("cat\r", " dog \n"))
    assert processor.labels == ["cat", "dog"]
    assert [d.label for d in head().run(processor)] == ["cat", "dog", "dog"]
