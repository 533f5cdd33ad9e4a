"""anchors/blazepalm.py: forms of its outputs, keypoints, errors. test_blazeface.py decodes recorded outputs."""

from __future__ import annotations

from functools import partial

import mediapipe_reference as mp
import n6post
import numpy as np
import pytest
from assertions import says
from fakes import FakeModel, Framed, Tensor, stretched
from family_cases import FamilyCases, FrameCase, OptionCase
from mediapipe_reference import three_faces, two_faces
from n6post.tensors.keypoints import limbs
from test_blazeface import FAMILY_CASES as FACES
from test_blazeface import ROI, assert_found, processor

two_palms = partial(two_faces, 2016, 7)
three_palms = partial(three_faces, 2016, 7)


@pytest.mark.parametrize("parted", [False, True])
def test_random_outputs_of_every_dtype_and_order_are_decoded(parted: bool) -> None:
    boxes, scores = mp.random_outputs(3, 2016, 7, 0.03)
    tensors = [mp.quantized(boxes), mp.quantized(scores[:, None], distinct=True)]
    expected = mp.decoded(*mp.joined(tensors), 192, 0.4, 0.3, True)
    if parted:
        tensors = [one for tensor in tensors for one in mp.split(tensor, 2016)]
    for same in mp.every_dtype(tensors).values():
        for order in (same, same[::-1]):
            run = processor((0.4, 0.3, True), "BlazePalm", max_detections=500)
            assert_found(FakeModel(order, (192, 192)).run(run, stretched(ROI)), expected, 192)


def test_a_palm_has_seven_keypoints_with_names() -> None:
    palm, _ = two_palms().run(n6post.BlazePalm(blend_boxes=False), Framed((0, 0, 192, 192)))
    assert (palm.label, len(palm.keypoints)) == ("palm", 7)
    assert palm.keypoint("wrist") == (4.5 * 8 - 5, 3.5 * 8 - 4, 1)
    assert palm.keypoint("thumb mcp") == (4.5 * 8 + 7, 3.5 * 8 + 8, 1)


def test_a_palm_is_drawn_as_wrist_knuckles_and_thumb() -> None:
    flat = list(limbs(7))
    names = n6post.keypoint_names(7)
    assert [(names[a], names[b]) for a, b in zip(flat[::2], flat[1::2], strict=True)] == [
        ("wrist", "index finger mcp"),
        ("index finger mcp", "middle finger mcp"),
        ("middle finger mcp", "ring finger mcp"),
        ("ring finger mcp", "pinky mcp"),
        ("pinky mcp", "wrist"),
        ("wrist", "thumb cmc"),
        ("thumb cmc", "thumb mcp"),
    ]


@pytest.mark.parametrize(
    "shapes",
    [[(1, 896, 16), (1, 896, 1)], [(1, 2016, 16), (1, 2016, 1)], [(1, 18, 2016), (1, 2016, 1)], [(1, 2016, 18)] * 2],
)
def test_outputs_of_another_family_are_refused(shapes: list[tuple[int, ...]]) -> None:
    model = FakeModel([Tensor(np.zeros(shape, np.float32)) for shape in shapes], (192, 192))
    got = ", ".join(str(shape) for shape in shapes)
    message = (
        "expected boxes [1, 2016, 18] with scores [1, 2016, 1], or boxes [1, 1152, 18] and [1, 864, 18] with scores "
        "[1, 1152, 1] and [1, 864, 1], and an input that their maps divide, got "
        f"{got} and an input of (width, height) (192, 192)"
    )
    with pytest.raises(ValueError, match=says(message)):
        model.run(n6post.BlazePalm())


FAMILY_CASES = FamilyCases(
    options={name: OptionCase(case.default, case.value, case.wrong, two_palms) for name, case in FACES.options.items()},
    frames={"BlazePalm": FrameCase(n6post.BlazePalm, two_palms, three_palms, ("blend_boxes", True, False))},
)
