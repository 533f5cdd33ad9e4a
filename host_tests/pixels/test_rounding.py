"""lib/n6post/pixels/rounding.py: results are the same with the camera's floats of 30 bits as with those of a PC."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import image
import n6post
import numpy as np
import pytest
from fakes import Array, FakeModel, Tensor, camera_floats
from hypothesis import given
from hypothesis import strategies as st
from n6post.kernels.params import boxes as params
from n6post.pixels.rounding import same_floats, unsee_outside
from test_init import on_micropython
from ulab import _host


def as_array(floats: Any) -> Array:
    return np.array(floats.tolist(), dtype=np.float32)


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=9))
def test_numbers_and_what_a_camera_keeps_of_them_have_the_same_bits(numbers: list[float]) -> None:
    cut = np.array([camera_floats(number)[0] for number in numbers], dtype=np.float32).tobytes()
    for held in zip(*[(number, *camera_floats(number)) for number in numbers]):
        assert as_array(same_floats(*held)).tobytes() == cut
        assert np.array([params.bits(number) for number in held], dtype=np.int32).tobytes() == cut


def test_a_quotient_of_integers_has_the_bits_that_a_division_in_float32_gives() -> None:
    for a, b in np.random.default_rng(3).integers(1, 65536, (2000, 2)).tolist():
        wanted = camera_floats(float(np.float32(a) / np.float32(b)))[0]
        assert as_array(same_floats(a / b)).tolist() == [wanted], (a, b)


# --- the same results ---


def held(fit: type[Any], which: int) -> type[Any]:
    """An input transform whose floats are those of a PC (0), or those that a camera's have become (1, 2)."""

    class Held(fit):  # type: ignore[misc]
        def fit(self, key: Any, size: Any) -> Any:
            transform = super().fit(key, size)
            if which:
                for name in ("sx", "ox", "sy", "oy"):
                    setattr(transform, name, camera_floats(getattr(transform, name))[which - 1])
            return transform

    return Held


def outputs_of(name: str, dtype: str) -> tuple[list[Array], Any]:
    """The outputs of a network of (64, 96) whose boxes have corners at every step, and its processor."""
    random = np.random.default_rng(5)
    low, high = (-128, 127) if dtype == "int8" else (-400, 400)
    more = {"YoloV8": 0, "YoloV8Seg": 8, "YoloV8Pose": 9}[name]
    head = np.full((1, 5 + more, 126), low)
    head[:, :4] = random.integers(0, 20, (1, 4, 126))
    head[0, 4] = 0
    head[0, 4, :40] = random.integers(1, 20, 40)
    head[0, 5:] = random.integers(low, high, (more, 126)) if name == "YoloV8Seg" else random.integers(0, 20, (more, 126))
    outputs = [head.astype(dtype)]
    options: dict[str, Any] = {"box_units": "normalized", "iou_threshold": 1.0, "max_detections": 40}
    if name == "YoloV8Seg":
        outputs.append(random.integers(low, high, (1, 24, 16, 8)).astype(dtype))
        options["mask_overlap"] = 0.6
    if name == "YoloV8Pose":
        options["score_type"] = "probability"
    return outputs, getattr(n6post, name)(0.01, **options)


@pytest.mark.parametrize("dtype", ["int8", "int16"])
@pytest.mark.parametrize("fit", [n6post.Stretch, n6post.Letterbox, n6post.Crop])
@pytest.mark.parametrize("name", ["YoloV8", "YoloV8Seg", "YoloV8Pose"])
def test_boxes_crops_and_keypoints_are_those_of_a_camera(name: str, fit: type[Any], dtype: str) -> None:
    """A scale of .05 puts corners exactly on pixel edges; the camera's .05 is a little less."""
    outputs, processor = outputs_of(name, dtype)
    frame = image.Image(310, 202, image.GRAYSCALE)
    lines = set()
    for which in range(3):
        for scale in (0.05, 0.0125, 1 / 30):
            scale = float(np.float32(scale))
            scale = camera_floats(scale)[which - 1] if which else scale
            model = FakeModel([Tensor(output, scale, 0) for output in outputs], (64, 96))
            inputs = [held(fit, which)(frame, roi=(7, 3, 215, 96))]
            found = model.run(processor, inputs)
            assert len(found) > 5
            masks = [(d.mask._parts()[2], d.mask._parts()[1:4]) for d in found if d.mask]
            lines.add((round(1 / scale), n6post.to_json(found), str([d.keypoints for d in found]), str(masks)))
    assert len(lines) == 3


def test_a_crop_has_the_pixels_whose_position_lies_in_the_box() -> None:
    """In exact fractions: the left edge of a box belongs to it, the right one does not, as in Ultralytics' crop_mask."""
    scale = Fraction(1, 20)
    head = np.zeros((1, 13, 84), np.int8)
    head[0, :5, 0] = 10, 8, 8, 4, 19  # in steps of .05 of 64 pixels: x from 6 to 14 steps, y from 6 to 10
    protos = np.ones((1, 16, 16, 8), np.int8)
    head[0, 5:, 0] = 1
    for number in (float(np.float32(0.05)), *camera_floats(0.05)):
        model = FakeModel([Tensor(head, number, 0), Tensor(protos, number, 0)], (64, 64))
        (d,) = model.run(n6post.YoloV8Seg(0.5, box_units="normalized", mask_padding=0.0))
        x, y, w, h = d.mask._parts()[2]
        columns = [c for c in range(16) if 6 * scale * 16 <= c < 14 * scale * 16]
        rows = [r for r in range(16) if 6 * scale * 16 <= r < 10 * scale * 16]
        assert (x, x + w, y, y + h) == (columns[0], columns[-1] + 1, rows[0], rows[-1] + 1)


SCENES = """
import struct
from array import array
import n6post
from ulab import numpy as np

state = 99

def random(n):
    global state
    state = (state * 1103515245 + 12345) & 0x7FFFFFFF
    return (state >> 8) % n

def float32(numerator, denominator):
    # The float32 next to a fraction, found in integers, as a model file has it.
    shift = 0
    while (numerator << shift + 1) // denominator < 1 << 24:
        shift += 1
    bits = (150 - shift << 23) + (2 * (numerator << shift) // denominator + 1 >> 1) - (1 << 23)
    return array("f", struct.pack("i", bits))[0]

def integers(shape, low, high, dtype):
    many = 1
    for n in shape:
        many *= n
    return np.array([low + random(high - low) for _ in range(many)], dtype=dtype).reshape(shape)

class Image:
    def __init__(self, width, height):
        self.size = width, height
    def width(self):
        return self.size[0]
    def height(self):
        return self.size[1]

class Model:
    labels = None
    input_shape = ((1, 96, 64, 3),)

SCALES = (1, 20), (1, 80), (1, 30), (3, 1000), (204, 10000), (1, 256), (47, 10000)
SIZES = (640, 480), (215, 96), (310, 202), (800, 600), (333, 777)
for scene in range(COUNT):
    model = Model()
    kind = scene % 4
    dtype, zero_point = ((np.int8, -128 + random(40)), (np.uint8, random(30)), (np.int16, 0))[random(3)]
    low, high = ((-128, 128), (0, 256), (-300, 300))[(np.int8, np.uint8, np.int16).index(dtype)]
    numerator, denominator = SCALES[random(7)]
    scale = float32(numerator, denominator)
    one = min(high, zero_point + denominator // numerator + 1)
    if kind == 3:
        outputs = [integers((1, 24, 16, 5), zero_point, one, dtype)]
        process = n6post.MoveNet(0.0, refine=bool(random(2)))
    else:
        head = integers((1, 5 + (0, 8, 9)[kind], 126), zero_point, one, dtype)
        for anchor in range(126):
            if random(8):
                head[0, 4, anchor] = zero_point
        outputs = [head]
        # Without labels, families/family_check.py may take random keypoints for class scores.
        options = dict(box_units="normalized", max_detections=9, labels=["thing"])
        if kind == 1:
            outputs.append(integers((1, 24, 16, 8), low, high, dtype))
            options["mask_overlap"] = 0.5 + random(5) / 10
        process = (n6post.YoloV8, n6post.YoloV8Seg, n6post.YoloV8Pose)[kind](0.01, **options)
    model.output_shape = tuple([out.shape for out in outputs])
    model.output_scale = (scale,) * len(outputs)
    model.output_zero_point = (zero_point,) * len(outputs)
    fit = (n6post.Stretch, n6post.Letterbox, n6post.Crop)[random(3)]
    width, height = SIZES[random(5)]
    x, y = random(width // 2), random(height // 2)
    source = fit(Image(width, height), (x, y, 8 + random(width - x - 8), 8 + random(height - y - 8)) if random(2) else None)
    found = process(model, [source], outputs)
    print(scene, n6post.to_json(found), [d.mask._parts()[1:4] for d in found if d.mask])
"""


def test_a_micropython_returns_the_same_results_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    script = SCENES.replace("COUNT", "240")
    exec(script, {})
    wanted = capsys.readouterr().out.strip().splitlines()
    assert len(wanted) == 240 and sum("[{" in line for line in wanted) > 150
    assert on_micropython(script).splitlines() == wanted


def test_keypoints_on_a_border_have_the_score_0_unless_it_is_less() -> None:
    places = [(0, 5), (5, 0), (9, 5), (5, 8), (0.5, 0.5), (8.5, 7.5), (0, 0)]
    for score, clipped in ((0.7, 0.0), (-1.0, -1.0), (0.0, 0.0)):
        keypoints = _host.wrap(np.array([[x, y, score] for x, y in places], np.float32))
        unsee_outside(keypoints, 0, 0, 9, 8)
        expected = [score if k in (4, 5) else clipped for k in range(len(places))]
        np.testing.assert_allclose(np.array(keypoints.tolist())[:, 2], expected)
