"""lib/n6post/models/by_options.py: options that only one family has choose the family."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import n6post
import numpy as np
import pytest
import recorded_objectness
from assertions import says
from n6post.models import matching
from synthetic_heads import anchor_count

N320 = anchor_count((320, 320))
SIZES = [1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]


def described(size: tuple[int, int], shape: tuple[int, ...], labels: list[str] | None = None) -> Any:
    """A model of one int8 output that has only attributes and cannot run."""
    return SimpleNamespace(
        input_shape=((1, size[1], size[0], 3),), output_shape=(shape,), output_dtype=("b",), output_scale=(0.01,),
        output_zero_point=(0,), labels=labels,
    )  # fmt: skip


def names(count: int) -> list[str]:
    return [f"class {i}" for i in range(count)]


# input, output, labels, the family without options ("" if it is open), options, the family with them
CHOSEN: list[tuple[tuple[int, int], tuple[int, ...], list[str] | None, str, dict[str, Any], str]] = [
    ((416, 416), (1, 13, 13, 25), None, "DeepLab", {"anchors": SIZES}, "YoloV2"),
    ((416, 416), (1, 13, 13, 18), None, "DeepLab", {"anchors": SIZES[:6]}, "YoloV2"),  # three anchors, one class
    ((416, 416), (1, 13, 13, 18), ["face"], "", {"anchors": [SIZES[:2], SIZES[2:4], SIZES[4:6]]}, "YoloV2"),
    ((416, 416), (1, 13, 13, 30), None, "YoloV2", {"output_type": "logit"}, "DeepLab"),
    ((192, 192), (1, 24, 24, 13), None, "", {"refine": False}, "MoveNet"),
    ((192, 192), (1, 24, 24, 13), None, "", {"background": None}, "DeepLab"),
    ((224, 224), (1, 128), None, "Embedding", {"top_k": 3}, "Classifier"),
    ((224, 224), (1, 10), None, "", {"normalize": False}, "Embedding"),
    ((320, 320), (1, 20, N320), None, "", {"keypoint_threshold": 0.3}, "YoloV8Pose"),
    ((320, 320), (1, 20, N320), None, "", {"keypoint_threshold": 0.3, "threshold": 0.3}, "YoloV8Pose"),
]


@pytest.mark.parametrize(("size", "shape", "labels", "without", "options", "family"), CHOSEN)
def test_an_option_that_one_family_has_chooses_it(
    size: tuple[int, int], shape: tuple[int, ...], labels: list[str] | None, without: str, options: dict[str, Any],
    family: str,
) -> None:  # fmt: skip
    model = described(size, shape, labels)
    if without:
        assert type(n6post.processor_for(model)).__name__ == without
    else:
        with pytest.raises(ValueError, match=" fits |the model's labels: expected "):
            n6post.processor_for(model)
    processor = n6post.processor_for(model, **options)
    assert type(processor).__name__ == family
    for name, value in options.items():
        assert name == "anchors" or getattr(processor, name) == value
    if "anchors" in options:
        assert processor.anchors == tuple(np.ravel(options["anchors"]))


def test_a_yolov2_without_labels_finds_the_same_with_its_anchors() -> None:
    """Its 25 channels are taken for a class map otherwise."""
    recorded = recorded_objectness.recorded()["tiny yolov2 faces.bmp"]
    model = recorded.model()
    options = {"anchors": recorded.options["anchors"], "threshold": 0.3}
    model.labels = ["face"]
    labelled = model.run(n6post.processor_for(model, **options))
    model.labels = None
    found = model.run(n6post.processor_for(model, **options))
    assert found and [d[:3] for d in found] == [d[:3] for d in labelled]


def test_load_chooses_by_options_and_opens_the_file_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    opened = []

    def open_model(path: str, postprocess: Any) -> Any:
        opened.append(path)
        model = described((416, 416), (1, 13, 13, 25))
        model.postprocess = postprocess
        return model

    monkeypatch.setitem(sys.modules, "ml", SimpleNamespace(Model=open_model))
    path = str(tmp_path / "tiny.tflite")
    for labels in (None, "face\n"):
        if labels:
            (tmp_path / "tiny.txt").write_text(labels, encoding="utf-8")
        processor = n6post.load(path, anchors=SIZES, threshold=0.25).postprocess.processor
        assert type(processor) is n6post.YoloV2 and processor.threshold == 0.25
        assert processor.labels == (["face"] if labels else None)
    assert opened == [path, path]


@pytest.mark.parametrize(("size", "shape", "options", "error", "message"), [
    # No family that fits has it: what is expected, and what came.
    ((320, 320), (1, 84, N320), {"anchors": SIZES}, TypeError,
     "YoloV8 has no option 'anchors': expected threshold, iou_threshold, "),
    ((320, 320), (1, 84, N320), {"treshold": 0.5}, TypeError, "YoloV8 has no option 'treshold': did you mean threshold?"),
    ((192, 192), (1, 24, 24, 13), {"max_detections": 3}, TypeError,
     "MoveNet has no option 'max_detections': expected keypoint_threshold, refine, labels, layout; "
     "DeepLab has no option 'max_detections': expected background, "),
    # The family that has most of them is meant.
    ((416, 416), (1, 13, 13, 25), {"anchors": SIZES, "treshold": 0.5}, TypeError,
     "YoloV2 has no option 'treshold': did you mean threshold?"),
    # Options that most families have show nothing: a MoveNet with a threshold is no DeepLab.
    ((192, 192), (1, 48, 48, 17), {"threshold": 0.4}, TypeError,
     "MoveNet has no option 'threshold': did you mean keypoint_threshold?"),
    ((224, 224), (1, 128), {"threshold": 0.4}, TypeError, "Embedding has no option 'threshold': expected normalize"),
    ((192, 192), (1, 24, 24, 13), {"refine": True, "threshold": 0.4}, TypeError, "MoveNet has no option 'threshold': "),
    ((192, 192), (1, 24, 24, 13), {"threshold": 0.4}, ValueError,
     "(1, 24, 24, 13) b fits MoveNet (heatmaps of 13 keypoints) and DeepLab (a map of 13 classes): give labels, one per "
     "class, or choose ml.Model(path, postprocess=n6post.MoveNet()) or "
     "ml.Model(path, postprocess=n6post.DeepLab(threshold=...))"),
    # Labels decide, too, and are not wrong.
    ((192, 192), (1, 12, 12, 30), {"layout": "NHWC", "labels": ["person"]}, TypeError,
     "YoloV2 has no option 'layout': expected threshold, "),
    # A value that is refused is no reason to choose another family.
    ((416, 416), (1, 13, 13, 25), {"threshold": 9}, ValueError,
     "threshold: expected a number between 0 and 1 or None, got 9"),
    ((416, 416), (1, 13, 13, 25), {"anchors": [1, -2]}, ValueError, "anchors: expected pairs of width and height above 0, "),
    ((416, 416), (1, 13, 13, 25), {"anchors": SIZES, "threshold": 9}, ValueError,
     "threshold: expected a number from 0.0 to 1.0, got 9"),
    # Still open: the error shows the options.
    ((192, 192), (1, 24, 24, 13), {"layout": "NHWC"}, ValueError,
     "(1, 24, 24, 13) b fits MoveNet (heatmaps of 13 keypoints) and DeepLab (a map of 13 classes): give labels, one per "
     "class, or choose ml.Model(path, postprocess=n6post.MoveNet(layout=...)) or "
     "ml.Model(path, postprocess=n6post.DeepLab(layout=...))"),
    # No option makes a family of a network that none decodes.
    ((320, 320), (1, 300, 84), {"threshold": 0.2}, ValueError, "no family of n6post decodes DETR, RT-DETR or D-FINE"),
    ((320, 320), (1, 4, N320), {"anchors": SIZES}, ValueError, "expected the outputs of YoloV8 or "),
])  # fmt: skip
def test_options_that_choose_no_family_are_refused(
    size: tuple[int, int], shape: tuple[int, ...], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=says(message).replace("$", "")) as caught:
        n6post.processor_for(described(size, shape), **options)
    assert caught.value.__context__ is None  # one traceback, not two


def test_labels_are_checked_for_the_family_that_options_choose() -> None:
    model = described((416, 416), (1, 13, 13, 50))
    assert n6post.processor_for(model, anchors=SIZES, labels=names(5)).labels == names(5)
    with pytest.raises(ValueError, match="^labels: expected 5, one per class, got 4$"):
        n6post.processor_for(model, anchors=SIZES, labels=names(4))
    with pytest.raises(ValueError, match=r"^classes: expected '0', got 'person' \(the classes have no names"):
        n6post.processor_for(described((416, 416), (1, 13, 13, 25)), anchors=SIZES, classes=["person"])


def test_a_start_whose_family_takes_the_options_does_not_load_this(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "n6post.models.by_options", raising=False)
    n6post.processor_for(described((320, 320), (1, 84, N320)), threshold=0.3, box_units="pixels")
    n6post.processor_for(described((416, 416), (1, 13, 13, 25)), background=None)
    assert "n6post.models.by_options" not in sys.modules
    n6post.processor_for(described((416, 416), (1, 13, 13, 25)), anchors=SIZES)
    assert "n6post.models.by_options" in sys.modules


@pytest.mark.parametrize(("processor", "right"), [
    (n6post.YoloV2(anchors=SIZES), True),
    (n6post.YoloV2(), False),
    (n6post.YoloV8(iou_threshold=0.4), False),
    (n6post.DeepLab(), True),
])  # fmt: skip
def test_diagnose_accepts_the_family_that_options_choose(processor: Any, right: bool) -> None:
    model = described((416, 416), (1, 13, 13, 25))
    model.postprocess = processor
    findings = n6post.diagnose(model)
    assert right == (findings == [])
    assert right or "is attached and the outputs are those of a map of 25 classes" in findings[0]


def test_a_fomo_with_labels_is_no_class_map_because_of_an_option() -> None:
    model = described((96, 96), (1, 12, 12, 2), ["background", "face"])
    model.output_scale, model.output_zero_point = (1 / 256,), (-128,)  # probabilities
    assert type(n6post.processor_for(model)) is n6post.Fomo
    with pytest.raises(TypeError, match="^Fomo has no option 'background': expected threshold, "):
        n6post.processor_for(model, background=0)
    model.postprocess = n6post.DeepLab(background=1)
    assert "DeepLab is attached and the outputs are those of a FOMO grid of 1 class" in n6post.diagnose(model)[0]


def test_options_of_another_family_leave_no_trace_in_what_diagnose_says() -> None:
    """Nine anchors of a YoloV5 say nothing about the head of a YOLOv2 with 20 classes."""
    model = described((416, 416), (1, 13, 13, 125), names(20))
    model.postprocess = n6post.YoloV5(anchors=[float(i + 1) for i in range(18)])
    findings = n6post.diagnose(model)
    assert "YoloV5 is attached" in findings[0] and not any("labels" in finding for finding in findings), findings


def test_match_family_without_options_is_as_before() -> None:
    family, signature = matching.match_family(described((416, 416), (1, 13, 13, 25)))
    assert family == "DeepLab" and signature.anchors == 0


def test_the_likeliest_family_says_which_option_it_lacks() -> None:
    with pytest.raises(TypeError, match="^YoloV2 has no option 'treshold': did you mean threshold[?]$"):
        n6post.processor_for(described((416, 416), (1, 13, 13, 30)), treshold=0.5)


def test_only_options_that_were_given_show_a_family_to_diagnose() -> None:
    model = described((416, 416), (1, 13, 13, 30))
    for processor, right in ((n6post.DeepLab(), False), (n6post.DeepLab(output_type="logit"), True)):
        model.postprocess = processor
        assert right == (n6post.diagnose(model) == [])


def test_anchors_of_an_ssd_are_not_taken_for_pairs() -> None:
    """Twelve rows are too few for an Ssd: the message is about the outputs, not about the option."""
    model = described((120, 80), (1, 12, 4))
    model.output_shape, model.output_dtype = ((1, 12, 4), (1, 12, 3)), ("b", "b")
    with pytest.raises(ValueError, match="^expected the outputs of YoloV8 or "):
        n6post.processor_for(model, anchors=[(3, 2, [(50, 50), (60, 80)], 40)])
