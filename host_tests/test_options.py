"""lib/n6post/options.py: an option is checked whenever it is assigned, and counts from the next frame on."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
from checks import contents
from fakes import FakeModel, Tensor
from scenes import Thing, float_head, random_head

HEAD = random_head(8, (64, 64), 3, 8, -20)
# family: a model of it
MODELS: dict[str, Any] = {
    "YoloV8": random_head(5, (64, 64), 4).model(),
    "YoloV8Seg": HEAD.model(),
    "YoloV8Pose": FakeModel(
        [Tensor(float_head((64, 64), 1, [Thing(9, (8, 8, 40, 50), {0: 0.9}, (20, 30, 0.6) * 4)], 12))], (64, 64)
    ),
    "MoveNet": FakeModel([Tensor(np.random.default_rng(3).random((1, 16, 16, 13), np.float32))], (64, 64)),
    "DeepLab": FakeModel([Tensor(np.random.default_rng(4).random((1, 16, 16, 3), np.float32))], (64, 64)),
}
# family, option, a value other than the default, and one that is none
OPTIONS = [
    ("YoloV8", "threshold", 1.0, 1.5),
    ("YoloV8", "nms_threshold", 0.05, -1),
    ("YoloV8", "nms_sigma", 0.5, -0.1),
    ("YoloV8", "max_detections", 1, 0),
    ("YoloV8", "classes", (1,), "no"),
    ("YoloV8", "agnostic", True, 1),
    ("YoloV8", "max_candidates", 2, 1.5),
    ("YoloV8", "labels", ["a", "b", "c", "d"], [1]),
    ("YoloV8", "pixels", True, 0),
    ("YoloV8Seg", "threshold", 0.8, "x"),
    ("YoloV8Seg", "mask_threshold", 0.9, 1.0),
    ("YoloV8Seg", "mask_padding", 7.0, -1),
    ("YoloV8Pose", "keypoint_threshold", 0.9, 2),
    ("YoloV8Pose", "class_count", 1, 0),
    ("YoloV8Pose", "keypoint_scores", "logit", "logits"),
    ("MoveNet", "threshold", 0.99, 7),
    ("MoveNet", "refine", False, None),
    ("MoveNet", "labels", ["dancer"], "dancer"),
    ("MoveNet", "layout", "NHWC", "HWC"),
    ("DeepLab", "background", None, 300),
    ("DeepLab", "labels", ["a", "b", "c"], []),
    ("DeepLab", "layout", "NHWC", "joints"),
]


def said(processor: Any, family: str) -> Any:
    """All that a frame's result says, and the threshold that its detections carry."""
    result = MODELS[family].run(processor)
    if family == "DeepLab":
        return result.classes.tolist(), result.background, [result.label(c) for c in range(4)], result.present()
    return contents(result), [getattr(d, "keypoint_threshold", None) for d in result]


@pytest.mark.parametrize(("family", "option", "value", "wrong"), OPTIONS)
def test_an_option_assigned_after_a_frame_counts_from_the_next_one_on(
    family: str, option: str, value: Any, wrong: Any
) -> None:
    make = getattr(n6post, family)
    process = make()
    before = said(process, family)
    setattr(process, option, value)
    assert getattr(process, option) == value
    assert said(process, family) == said(make(**{option: value}), family)
    setattr(process, option, getattr(make(), option))
    assert said(process, family) == before


@pytest.mark.parametrize(("family", "option", "value", "wrong"), OPTIONS)
def test_a_wrong_value_is_refused_as_in_the_constructor_and_the_old_one_stays(
    family: str, option: str, value: Any, wrong: Any
) -> None:
    make = getattr(n6post, family)
    process = make(**{option: value})
    before = said(process, family)
    with pytest.raises(ValueError, match=f"^{option}: expected .*, got ") as assigned:
        setattr(process, option, wrong)
    with pytest.raises(ValueError) as constructed:
        make(**{option: wrong})
    assert str(assigned.value) == str(constructed.value)
    assert getattr(process, option) == value and said(process, family) == before


def test_most_of_these_values_change_what_a_frame_says() -> None:
    """Else the tests above could not fail."""
    silent = {
        (family, option)
        for family, option, value, _ in OPTIONS
        if said(getattr(n6post, family)(), family) == said(getattr(n6post, family)(**{option: value}), family)
    }
    # What is told without them is what they say here.
    assert silent <= {("YoloV8Pose", "class_count"), ("MoveNet", "layout"), ("DeepLab", "layout")}


def test_names_that_the_script_changes_later_stay_as_they_were_given() -> None:
    names = ["a", "b", "c", "d"]
    process = n6post.YoloV8(labels=names)
    before = said(process, "YoloV8")
    names[:] = ["e", "f", "g", "h"]
    assert said(process, "YoloV8") == before
    process.labels = names
    assert {d.label for d in MODELS["YoloV8"].run(process)} <= set("efgh")
