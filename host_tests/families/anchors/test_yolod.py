"""lib/n6post/families/anchors/yolod.py: YoloD finds what ST's C code for YOLO-D finds in real tensors of the same head.

test_objectness.py compares it with numpy for random tensors of all dtypes and orders.
"""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
from assertions import survivors
from fakes import FakeModel, Framed
from family_cases import FamilyCases, FrameCase, OptionCase
from recorded_objectness import recorded
from synthetic_objectness import drawn

NAN = float("nan")
CASES = ["yolox_nano in cells", "ddddocr page"]


@pytest.mark.parametrize("judge", ["od_yolo_d_pp_process", "od_yolo_d_pp_process_int8", "megvii"])
@pytest.mark.parametrize("name", CASES)
def test_detections_are_those_of_sts_code(name: str, judge: str) -> None:
    case = recorded()[name]
    expected = case.results[judge]
    expected = expected[np.argsort(-expected[:, 4], kind="stable")]
    for tensors in (case.tensors, [tensor.dequantized() for tensor in case.tensors]):
        processor = n6post.YoloD(**{"iou_threshold": 0.5, **case.options}, max_detections=1000, max_candidates=1000)
        case.model(tensors).run(processor, Framed((0, 0, case.side, case.side)))
        rows = np.array(survivors(processor))
        np.testing.assert_allclose(rows[:, 3:], expected[:, :4], atol=1e-3)
        np.testing.assert_allclose(rows[:, [2, 1]], expected[:, 4:], atol=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_yolox_finds_the_same(name: str) -> None:
    case = recorded()[name]
    assert case.model().run(n6post.YoloD(**case.options)) == case.model().run(n6post.YoloX(**case.options))


def test_decoded_boxes_are_refused() -> None:
    message = (
        r"^expected rows with boxes that are relative to cells, got decoded boxes \((pixels|normalized)\) in output 0: .+ "
    )
    with pytest.raises(ValueError, match=message + r"\(1, 3549, 8\): use n6post.YoloX\(\)$"):
        recorded()["yolox_nano decoded"].model().run(n6post.YoloD())
    with pytest.raises(ValueError, match=message):
        drawn("YoloX normalized").run(n6post.YoloD())


# --- what the tests of all families need ---
def rows() -> FakeModel:
    return drawn("YoloD cells", ["cat", "dog"])


def rows_in_int8() -> FakeModel:
    return drawn("YoloD cells", None, [((3, 2, 20, 15), 0, 0.85)], "int8")


LIMITS: tuple[Any, ...] = (-0.1, 1.1, NAN, None)
FAMILY_CASES = FamilyCases(
    options={
        "threshold": OptionCase(0.5, 0.85, (*LIMITS, "0.5"), rows),
        "iou_threshold": OptionCase(0.5, 0.95, LIMITS, rows),
        "max_detections": OptionCase(20, 1, (0, -1, 65536, 1.5, None), rows),
        "classes": OptionCase(None, ["dog"], ("dog", [-1], [], [1.5], 0), rows),
        "class_agnostic": OptionCase(False, True, (1, None, "no"), rows),
        "max_candidates": OptionCase(100, 1, (0, -1, 65536, 1.5, None), rows),
        "labels": OptionCase(None, ["a", "b"], ("abc", [], [1]), rows),
    },
    frames={
        "YoloD": FrameCase(n6post.YoloD, rows, rows_in_int8, ("threshold", 0.5, 0.7)),
        "YoloD int8": FrameCase(n6post.YoloD, rows_in_int8, rows, ("iou_threshold", 0.5, 0.7)),
    },
)
