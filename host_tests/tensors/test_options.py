"""lib/n6post/tensors/options.py: options are checked by the constructor and on assignment, and apply to the next frame."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import n6post
import numpy as np
import pytest
from assertions import contents, refuses, says
from fakes import FAMILY_NAMES, FakeModel, Framed, unguarded
from family_cases import family_cases
from test_yolov8 import things_head
from ulab import numpy as ulab_numpy

ROI = (0, 0, 128, 96)
FAMILIES: dict[str, Any] = {name: getattr(n6post, name) for name in FAMILY_NAMES}
CASES = {name: cases.options for name, cases in family_cases().items()}
of_every_option = pytest.mark.parametrize(
    ("family", "name"), [(family, name) for family, cases in CASES.items() for name in cases]
)


def test_every_option_of_every_family_is_here() -> None:
    for family, kind in FAMILIES.items():
        assert {name for name, _ in kind._option.defaults} == set(CASES[family])


# The defaults of the other objects with options. Those of the families are in their cases.
ANCHORED = {"anchor": "bottom", "frame_size": None}
ZONE = {**ANCHORED, "margin": 0.2, "min_frames": 2, "count_coasting": False, "name": None}
DEFAULTS: dict[str, dict[str, Any]] = {
    **{family: {name: case.default for name, case in cases.items()} for family, cases in CASES.items()},
    "Tracker": {
        "threshold": 0.5, "low_threshold": 0.1, "max_gap": 2.5, "min_hits": 2, "smooth_boxes": True, "coast": 0,
        "max_distance": 22.0, "max_tracks": 64, "use_masks": True, "smooth_keypoints": False,
    },
    "LineZone": ZONE,
    "PolygonZone": {**ZONE, "max_gap": None, "min_seconds": 0.0},
    "Hold": {"seconds": 1.0, "release": 0.5},
    "Steady": {"seconds": 1.0},
    "Majority": {"seconds": 1.0, "min_frames": 3},
    "Fraction": {"seconds": 1.0},
    "Repetitions": {},
    "Events": {
        "pictures": False, "max_pictures": 4, "classes": None, "min_seconds": 0.0, "min_area": 0, "min_score": 0.0,
    },
    "Collector": {"below": 0.5, "every": 5.0, "max_files": 1000},
    "Trail": {"length": 30, **ANCHORED},
    "Plane": {**ANCHORED, "window": 1.0},
    "HeatMap": {**ANCHORED, "half_life": None},
    "Tiles": {
        "columns": 2, "rows": 2, "overlap": 0.2, "whole_frame": True, "tiles_per_frame": 1, "overlap_threshold": 0.5,
        "class_agnostic": False,
    },
    "Gallery": {"threshold": 0.75, "max_names": 32, "max_vectors": 4, "forget_after": 60.0, "refresh_after": 2.0},
    "Pipeline": {
        "max_detections": 2, "margin": None, "follow": True, "follow_margin": None, "rotate": True, "detect_every": 1,
        "align": None, "scale": None,
    },
}  # fmt: skip


# --- all objects with options: families, trackers, zones, pipelines ----------------------------------------------------
# The arguments that each requires, and values that no option takes besides those of CASES.
NETWORK = SimpleNamespace(predict=lambda inputs: [], input_shape=((1, 64, 64, 3),))
REQUIRED: dict[str, tuple[Any, ...]] = {
    "LineZone": ((0, 0), (9, 0)), "PolygonZone": ([(0, 0), (9, 0), (9, 9)],), "Pipeline": (NETWORK, NETWORK),
    "Plane": ([(0, 0), (9, 0), (9, 9), (0, 9)], [(0, 0), (1, 0), (1, 1), (0, 1)]), "HeatMap": (4, 3), "Tiles": (NETWORK,),
    "Hold": (1.0,), "Steady": (1.0,), "Majority": (1.0,), "Fraction": (1.0,), "Repetitions": (2, 1),
    "Collector": ("no_such_folder",),
}  # fmt: skip
WRONG = {
    "align": "left", "scale": (1,),
    "threshold": -0.1, "low_threshold": 1.1, "min_hits": 1.0, "smooth_boxes": 1, "coast": -1, "name": 5, "min_seconds": -0.1,
    "max_distance": 65, "max_tracks": 1001, "use_masks": None, "smooth_keypoints": "no", "anchor": "middle",
    "frame_size": 640, "margin": 10.1, "max_gap": -1, "min_frames": 0, "count_coasting": 1, "seconds": -1, "release": -0.1,
    "length": 1, "pictures": 1, "max_pictures": 0, "classes": [-1], "min_area": -1, "min_score": 1.1,
    "below": 1.1, "every": -1, "max_files": 0,
    "max_names": 0, "max_vectors": 101, "forget_after": -1, "refresh_after": -0.1,
    "window": 0.0, "half_life": 0.0, "columns": 0, "rows": 17, "overlap": 0.91, "whole_frame": 1, "tiles_per_frame": 0,
    "overlap_threshold": 0.0, "class_agnostic": 1,
    "max_detections": 101, "follow": 1, "follow_margin": 0.0, "rotate": None, "detect_every": 0,
}  # fmt: skip
OPTIONS = [(owner, name) for owner, defaults in DEFAULTS.items() for name in defaults]
of_every_owner = pytest.mark.parametrize("owner", DEFAULTS)


def made(owner: str, **options: Any) -> Any:
    required = () if "seconds" in options else REQUIRED.get(owner, ())
    return getattr(n6post, owner)(*required, **options)


@of_every_owner
def test_the_defaults_are_these(owner: str) -> None:
    new = made(owner)
    for name, default in DEFAULTS[owner].items():
        value = getattr(new, name)
        assert (value, type(value)) == (default, type(default)), name
    assert set(DEFAULTS[owner]) == {name for name, _ in type(new)._option.defaults}


def test_every_class_with_options_is_here() -> None:
    with_options = {name for name in n6post.__all__ if hasattr(getattr(n6post, name), "_option")}
    # MjpegServer opens a port: streams/test_mjpeg_server.py. A State takes any name: events/test_state.py.
    assert set(DEFAULTS) == with_options - {"MjpegServer", "State"}


@pytest.mark.parametrize(("owner", "name"), OPTIONS)
def test_a_wrong_value_is_a_value_error_that_names_the_option(owner: str, name: str) -> None:
    wrong = CASES[owner][name].wrong[0] if owner in CASES else WRONG[name]
    with pytest.raises(ValueError, match=f"^{name}: expected "):
        made(owner, **{name: wrong})
    new = made(owner)
    with pytest.raises(ValueError, match=f"^{name}: expected "):
        setattr(new, name, wrong)
    assert getattr(new, name) == DEFAULTS[owner][name]


@pytest.mark.parametrize(("owner", "name"), OPTIONS)
def test_a_misspelled_option_is_refused_and_the_right_one_named(owner: str, name: str) -> None:
    misspelled = name[:-1]
    said = f"^{owner} has no option '{misspelled}': did you mean .*{name}"
    with pytest.raises(TypeError, match=said):
        made(owner, **{misspelled: DEFAULTS[owner][name]})
    with pytest.raises(AttributeError, match=said):
        setattr(made(owner), misspelled, DEFAULTS[owner][name])


HOSTILE: tuple[Any, ...] = (
    10**400, -(10**400), 2**63, np.array([1.0, 2.0]), np.array(["a", "b"]), ulab_numpy.array([1.0, 2.0]),
    (v for v in (1, 2)), b"logit", 1j, object(), [10**400, 1], [(10**400, 1)], [float("nan")] * 4, {"a": 10**400},
)  # fmt: skip


@pytest.mark.parametrize(("owner", "name"), OPTIONS)
def test_hostile_values_are_value_errors_that_name_the_option(owner: str, name: str) -> None:
    fine = {"classes": (4, 6, 13), "anchors": (3, 5)}.get(name, ())  # names or numbers in any order; widths and heights
    for value in [one for at, one in enumerate(HOSTILE) if at not in fine]:
        with pytest.raises(ValueError, match=f"^{name}: expected "):
            made(owner, **{name: value})


@of_every_owner
def test_a_very_long_name_is_refused_at_once(owner: str) -> None:
    before = time.process_time()
    with pytest.raises(TypeError, match=f"^{owner} has no option 'xxx.*: expected "):
        made(owner, **{"x" * 100_000: 1})
    assert time.process_time() - before < 1  # 2 seconds and more for each option


@of_every_owner
def test_only_the_first_option_may_be_given_by_position(owner: str) -> None:
    names = list(DEFAULTS[owner])
    required = REQUIRED.get(owner, ())
    first = next(iter(DEFAULTS[owner].values()), None)
    kind = getattr(n6post, owner)
    if required or kind._option.first is None:
        with pytest.raises(TypeError):
            kind(*required, first)
        return
    assert getattr(kind(first), names[0]) == first
    with pytest.raises(TypeError, match=rf"^{owner}\(\) got 2 options without their names: only {names[0]} "):
        kind(first, DEFAULTS[owner][names[-1]])
    with pytest.raises(TypeError, match=rf"^{owner}\(\) got {names[0]} twice$"):
        kind(first, **{names[0]: first})


def seen(result: Any) -> Any:
    """What a frame's result says."""
    if isinstance(result, list):
        return [getattr(d, "keypoint_threshold", None) for d in result], contents(result)
    if not isinstance(result, n6post.Segmentation):
        return contents(result)
    return result.class_map.tolist(), result.background, result.class_ids(), [result.label(i) for i in range(3)]


def frame(processor: Any, model: FakeModel) -> Any:
    with np.errstate(all="ignore"), unguarded():  # another unit or size of anchors makes boxes that cannot be
        return seen(model.run(processor, Framed(ROI)))


# --- assigned ----------------------------------------------------------------------------------------------------------
@of_every_option
@pytest.mark.parametrize("frames", [0, 1, 2])
def test_an_assigned_option_applies_as_if_given_to_the_constructor(family: str, name: str, frames: int) -> None:
    kind, case = FAMILIES[family], CASES[family][name]
    model = case.model()
    processor = kind(**case.besides)
    old = getattr(processor, name)
    before = frame(kind(**case.besides), model)
    for _ in range(frames):
        assert frame(processor, model) == before
    setattr(processor, name, case.value)
    after = frame(kind(**{**case.besides, name: case.value}), model)
    assert after != before, "the case shows nothing"
    assert frame(processor, model) == after
    setattr(processor, name, old)
    assert frame(processor, model) == before


@of_every_option
def test_an_assigned_option_applies_to_every_model_seen_before(family: str, name: str) -> None:
    kind, case = FAMILIES[family], CASES[family][name]
    models = case.model(), case.model()
    processor = kind(**case.besides)
    for model in models:
        frame(processor, model)
    setattr(processor, name, case.value)
    fresh = kind(**{**case.besides, name: case.value})
    assert [frame(processor, model) for model in models] == [frame(fresh, model) for model in models]


@of_every_option
def test_a_wrong_value_raises_as_in_the_constructor_and_keeps_the_old_one(family: str, name: str) -> None:
    kind, case = FAMILIES[family], CASES[family][name]
    model = case.model()
    processor = kind(**case.besides)
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


GIVE = r" \(the classes have no names: give labels, or write one per line to the \.txt file beside the model\)"


@pytest.mark.parametrize(
    ("family", "name", "value", "message"),
    [
        ("YoloV8", "classes", [7], "classes: expected numbers below 2, got 7"),
        ("YoloV8", "classes", ["cat"], f"classes: expected one of '0', '1', got 'cat'{GIVE}"),
        ("YoloV2", "classes", [2], "classes: expected numbers below 2, got 2"),
        ("YoloV5", "classes", [2], "classes: expected numbers below 2, got 2"),
        ("YoloX", "classes", [2], "classes: expected numbers below 2, got 2"),
        ("YoloX", "classes", ["bird"], "classes: expected one of 'cat', 'dog', got 'bird'"),
        ("YoloV8", "labels", ["one"], "expected 2 labels, one per class, got 1"),
        ("YoloV8Pose", "class_count", 2, "expected a head of 4 box channels, 2 classes and 3 for each keypoint, got 14 .*"),
        ("MoveNet", "labels", ["a", "b"], "labels: expected one name or 13, one per keypoint, got 2"),
        ("DeepLab", "background", "sky", f"background: expected one of '0', '1', '2', got 'sky'{GIVE}"),
        ("DeepLab", "background", 3, "background: expected a class below 3 or None, got 3"),
        ("DeepLab", "threshold", 0.3, "threshold: expected None for a map of 3 classes, where the largest wins, got 0.3"),
    ],
)
def test_what_does_not_fit_the_model_raises_at_the_next_frame_only(
    family: str, name: str, value: Any, message: str
) -> None:
    model = next(iter(CASES[family].values())).model()
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
        (n6post.YoloV8, "threshold", (0.0, 1.0)), (n6post.YoloV8, "iou_threshold", (0, 1)),
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


@pytest.mark.parametrize("family", FAMILIES)
def test_a_class_as_postprocess_raises_an_error_about_the_missing_brackets(family: str) -> None:
    """The firmware calls postprocess= with a model, inputs and outputs: a class makes a processor of them."""
    model = things_head()
    with pytest.raises(ValueError, match=says(f"{family}: postprocess= needs brackets: postprocess=n6post.{family}()")):
        FAMILIES[family](model, [None], [])
    with pytest.raises(ValueError, match=says("threshold: expected a number from 0.0 to 1.0, got 2")):
        n6post.YoloV8(2)


def test_a_list_of_labels_that_changed_applies_once_it_is_assigned_again() -> None:
    names = ["cat", "dog"]
    processor, model = n6post.YoloV8(labels=names), things_head()
    assert [d.label for d in model.run(processor)] == ["cat", "dog", "dog"]
    names[1] = "fox"
    assert [d.label for d in model.run(processor)] == ["cat", "dog", "dog"], "not before it is assigned"
    processor.labels = names
    assert [d.label for d in model.run(processor)] == ["cat", "fox", "fox"]


def test_assigning_the_same_value_keeps_the_binding_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    processor, model = n6post.YoloV8(threshold=0.4), things_head()
    before = frame(processor, model)
    monkeypatch.setattr(processor, "_bind", None)
    processor.threshold = 0.4
    processor.labels = None
    assert frame(processor, model) == before


def test_white_space_around_labels_is_removed() -> None:
    """The lines of a file that came from Windows end with a carriage return."""
    processor = n6post.YoloV8(labels=("cat\r", " dog \n"))
    assert processor.labels == ["cat", "dog"]
    assert [d.label for d in things_head().run(processor)] == ["cat", "dog", "dog"]


@pytest.mark.parametrize(
    ("kind", "name", "near"),
    [
        (n6post.YoloV8, "treshold", "threshold"), (n6post.YoloV8, "nms_threshold", "iou_threshold or threshold"),
        (n6post.YoloV8, "max_det", "max_detections"), (n6post.Tracker, "smooth", "smooth_boxes or smooth_keypoints"),
    ],
)  # fmt: skip
def test_names_that_are_spelled_alike_are_suggested(kind: Any, name: str, near: str) -> None:
    with pytest.raises(TypeError, match=says(f"{kind.__name__} has no option {name!r}: did you mean {near}?")):
        kind(**{name: 1})


@pytest.mark.parametrize("name", ["zzz", "x", "gate", "", "verbose"])
def test_an_option_that_is_like_no_other_gets_the_list_of_all(name: str) -> None:
    with pytest.raises(TypeError, match=f"^Tracker has no option {name!r}: expected threshold, low_threshold, max_gap, "):
        n6post.Tracker(**{name: 1})
