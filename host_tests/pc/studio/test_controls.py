"""scripts/n6post_pc/studio/controls.py: each control is an option that its family takes, with the text of its type."""

from __future__ import annotations

import n6post
import pytest
from n6post.families import recognition
from n6post_pc.studio.controls import CONTROLS, controls, help_texts

FAMILIES = tuple(recognition.family_names())


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_takes_every_value_that_its_controls_can_send(family: str) -> None:
    labels = ["background", "person"]
    for control in controls(family, labels):
        values = [control["default"]]
        if control["kind"] in ("slider", "number"):
            values += [control["low"], control["high"]] + [None] * control["off"]
        elif control["kind"] == "switch":
            values += [True, False]
        elif control["kind"] == "class":
            values += [None, 0, 1]
        elif control["kind"] == "classes":
            values += [("person",), ("background", "person")]
        else:
            values += [None, *control["choices"]]
        for value in values:
            getattr(n6post, family)(**{control["option"]: value})


@pytest.mark.parametrize("family", FAMILIES)
def test_every_control_has_the_sentence_that_an_editor_shows(family: str) -> None:
    for control in controls(family, ["a", "b"]):
        assert control["help"].endswith(".") and len(control["help"]) > 20, control["option"]
        assert "`" not in control["help"] and "docs/" not in control["help"]


def test_an_option_of_a_base_class_has_its_text_too() -> None:
    assert help_texts("YoloV8Seg")["iou_threshold"] == help_texts("YoloV8")["iou_threshold"]
    assert "mask" in help_texts("YoloV8Seg")["mask_overlap"]


def test_options_are_left_out_that_a_model_does_not_use() -> None:
    names = [control["option"] for control in controls("YoloV8", None, {"iou_threshold"})]
    assert "threshold" in names and "classes" not in names and "iou_threshold" not in names


def test_every_control_belongs_to_some_family() -> None:
    taken = {name for family in FAMILIES for name, _ in getattr(n6post, family)._option.defaults}
    assert set(CONTROLS) <= taken


def test_controls_have_steps_limits_and_a_value_for_off_where_they_need_them() -> None:
    made = {family: {one["option"]: one for one in controls(family, ["a", "b"])} for family in FAMILIES}
    for found in made.values():
        assert [one for one in CONTROLS if one in found] == list(found)
        for option, one in found.items():
            assert one["more"] == (list(CONTROLS).index(option) >= list(CONTROLS).index("mask_threshold"))
            if one["kind"] in ("slider", "number"):
                assert one["step"] == (1 if one["kind"] == "number" else 0.01)
    seg, deep = made["YoloV8Seg"], made["DeepLab"]
    assert [seg[name]["off"] for name in ("threshold", "mask_overlap", "nms_sigma")] == [False, True, False]
    assert (deep["threshold"]["off"], deep["threshold"]["low"], deep["threshold"]["high"]) == (False, 0.01, 0.99)
    assert (seg["threshold"]["low"], seg["threshold"]["high"]) == (0, 1)
    distance = made["Anomaly"]["threshold"]
    assert (distance["kind"], distance["high"], distance["off"], distance["default"]) == ("number", 1_000_000, False, None)
    assert deep["background"]["choices"] == seg["classes"]["choices"] == ["a", "b"]
