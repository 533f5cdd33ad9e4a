"""anchors/blazepose.py: forms of its outputs, keypoints, errors. test_blazeface.py decodes recorded outputs."""

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
from test_blazeface import FAMILY_CASES as FACES
from test_blazeface import ROI, assert_found, processor

two_people = partial(two_faces, 2254, 4)
three_people = partial(three_faces, 2254, 4)


@pytest.mark.parametrize("parted", [False, True])
@pytest.mark.parametrize(("anchors", "size"), [(2254, 224), (896, 128)])
def test_random_outputs_of_every_dtype_and_order_are_decoded(anchors: int, size: int, parted: bool) -> None:
    boxes, scores = mp.random_outputs(3, anchors, 4, 0.03)
    boxes[:, 4:] *= 5  # hips and circles are far from the face, some of them outside of the frame
    tensors = [mp.quantized(boxes), mp.quantized(scores[:, None], distinct=True)]
    expected = mp.decoded(*mp.joined(tensors), size, 0.4, 0.3, True)
    assert (expected.keypoints < -20).any() and (expected.keypoints > size + 20).any()
    if parted:
        tensors = [one for tensor in tensors for one in mp.split(tensor, anchors)]
    for same in mp.every_dtype(tensors).values():
        for order in (same, same[::-1]):
            run = processor((0.4, 0.3, True), "BlazePose", max_detections=500)
            assert_found(FakeModel(order, (size, size)).run(run, stretched(ROI)), expected, size, reach=1)


def test_a_person_has_the_hips_the_shoulders_and_two_circles() -> None:
    person, _ = two_people().run(n6post.BlazePose(blend_boxes=False), Framed((0, 0, 224, 224)))
    assert person.label == "person"
    middle = np.array([4.5 * 8, 3.5 * 8])
    expected = [[*(middle + offset), 1] for offset in ((-5, -4), (-3, -2), (-1, 0), (1, 2))]
    assert person.keypoints.tolist() == expected


def test_keypoints_end_one_frame_beyond_the_frame() -> None:
    model = two_people()
    model.tensors[0].values[..., 4:8] = -900, 60, 900, 9000
    for person in model.run(n6post.BlazePose(blend_boxes=False), Framed((0, 0, 224, 224))):
        (left, low, first), (right, down, second), (_, _, inside), _ = person.keypoints.tolist()
        assert (left, right, down) == (-224, 448, 448) and low < 224
        assert (first, second, inside) == (0, 0, 1), "what is outside of the frame is not drawn"
    # A blended box is moved with its keypoints, and nothing else reaches beyond.
    for person in model.run(n6post.BlazePose(), Framed((0, 0, 224, 224))):
        x, y, w, h = person.rect
        assert 0 <= x < x + w <= 224 and 0 <= y < y + h <= 224


@pytest.mark.parametrize(
    "shapes",
    [[(1, 896, 16), (1, 896, 1)], [(1, 2254, 18), (1, 2254, 1)], [(1, 12, 2254), (1, 2254, 1)], [(1, 2254, 12)] * 2],
)
def test_outputs_of_another_family_are_refused(shapes: list[tuple[int, ...]]) -> None:
    model = FakeModel([Tensor(np.zeros(shape, np.float32)) for shape in shapes], (224, 224))
    got = ", ".join(str(shape) for shape in shapes)
    message = (
        "expected boxes [1, N, 12] with scores [1, N, 1] and N = 2254 or 896, or both for each of N = 1568, 392 and 294, or "
        "of N = 512 and 384, and an input that their maps divide, got "
        f"{got} and an input of (width, height) (224, 224)"
    )
    with pytest.raises(ValueError, match=says(message)):
        model.run(n6post.BlazePose())


FAMILY_CASES = FamilyCases(
    options={name: OptionCase(case.default, case.value, case.wrong, two_people) for name, case in FACES.options.items()},
    frames={"BlazePose": FrameCase(n6post.BlazePose, two_people, three_people, ("blend_boxes", True, False))},
)
