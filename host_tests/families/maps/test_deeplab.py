"""lib/n6post/families/maps/deeplab.py: class maps of every shape, dtype and storage, and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import n6post
import numpy as np
import pytest
import reference
from assertions import says
from fakes import FakeModel, Framed, Tensor, capture
from family_cases import FamilyCases, FrameCase, OptionCase
from hypothesis import example, given
from hypothesis import strategies as st
from n6post_pc.demo import recorded
from small_models import numbered_map, scored_map
from ulab import _host

pytestmark = pytest.mark.both_firmwares

NAME = "deeplab_v3_mobilenetv2_05_16_320_fft_qdq_int8"
PICTURES = ["bus", "bus__crop", "person", "person__crop"]
VOC = 21


def classes_of(found: Any) -> Any:
    """The class map as numpy (a copy)."""
    return np.array(found.class_map.tolist(), np.uint8)


def mapped(tensor: Tensor, size: tuple[int, int], **options: Any) -> Any:
    return classes_of(FakeModel([tensor], size).run(n6post.DeepLab(**options)))


def logits_of(shared: Path, picture: str) -> Tensor:
    """The recorded output as NHWC."""
    tensors, size = capture(shared / "captures" / f"{NAME}__{picture}.npz")
    assert size == (320, 320) and tensors[0].values.shape == (1, 2, 320, 320)
    return tensors[0].reordered(0, 2, 3, 1)


def quantized(values: Any, dtype: str) -> Tensor:
    """Floats as integers of this dtype. Only their order matters, so int16 keeps it at the int8 resolution."""
    limits = np.iinfo(dtype)
    scale = np.abs(values).max() / 120
    zero_point = 128 if dtype == "uint8" else 0
    q = np.clip(np.round(values / scale) + zero_point, limits.min, limits.max)
    return Tensor(q.astype(dtype), float(scale), zero_point)


# --- real outputs ---
@pytest.mark.parametrize("picture", PICTURES)
def test_class_map_of_a_captured_output_equals_numpys_argmax(shared: Path, picture: str) -> None:
    tensor = logits_of(shared, picture)
    expected = reference.class_map(tensor.values[0])
    assert 0 < expected.mean() < 1
    np.testing.assert_array_equal(mapped(tensor, (320, 320)), expected)
    np.testing.assert_array_equal(mapped(tensor.reordered(0, 3, 1, 2), (320, 320)), expected)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
def test_raw_integers_are_compared_in_both_layouts(shared: Path, dtype: str) -> None:
    tensor = quantized(logits_of(shared, "bus").values, dtype)
    expected = reference.class_map(tensor.values[0])
    np.testing.assert_array_equal(mapped(tensor, (320, 320)), expected)
    np.testing.assert_array_equal(mapped(tensor.reordered(0, 3, 1, 2), (320, 320)), expected)


@pytest.mark.parametrize("picture", ["astronaut", "camera", "coffee"])
def test_class_map_of_a_recording_equals_numpys_argmax(picture: str) -> None:
    recording = recorded.load("deeplab_320", picture)
    values = recording.tensors[0].values[0]
    if values.shape[0] == 2:
        values = values.transpose(1, 2, 0)
    for raw in (False, True):
        found = recording.model(raw).run(n6post.DeepLab())
        np.testing.assert_array_equal(classes_of(found), reference.class_map(values))


# --- any shape, any dtype ---
@given(
    st.integers(0, 2**32), st.sampled_from(["int8", "uint8", "int16", "float32"]), st.booleans(),
    st.integers(1, 20), st.integers(1, 20), st.one_of(st.integers(2, 8), st.integers(2, 255)),
)
@example(0, "float32", True, 1, 1, 2)
@example(1, "int16", False, 1, 20, 255)
@example(2, "uint8", False, 20, 1, 2)
@example(3, "int8", True, 20, 20, 255)
def test_any_class_map_equals_numpys_argmax_with_ties_to_the_lowest_class(
    seed: int, dtype: str, channels_last: bool, height: int, width: int, classes: int
) -> None:
    random = np.random.default_rng(seed)
    values = (random.integers(0, 5, (1, height, width, classes)) + 3).astype(dtype)
    tensor = Tensor(values, 0.0 if dtype == "float32" else 0.1, 0)
    if not channels_last:
        tensor = tensor.reordered(0, 3, 1, 2)
    got = mapped(tensor, (width * 8, height * 8), layout="NHWC" if channels_last else "NCHW")
    np.testing.assert_array_equal(got, reference.class_map(values[0]))


@pytest.mark.parametrize(
    ("height", "width", "classes"), [(1, 1, 2), (1, 1, 255), (65, 65, VOC), (512, 512, 5), (320, 320, 2), (60, 80, 3)]
)
@pytest.mark.parametrize("channels_last", [True, False])
def test_layout_follows_from_the_shape(height: int, width: int, classes: int, channels_last: bool) -> None:
    values = np.random.default_rng(5).integers(-128, 128, (1, height, width, classes)).astype(np.int8)
    tensor = Tensor(values, 0.1, 3)
    if not channels_last:
        tensor = tensor.reordered(0, 3, 1, 2)
    np.testing.assert_array_equal(mapped(tensor, (width * 4, height * 4)), reference.class_map(values[0]))


@pytest.mark.parametrize(("shape", "steps"), [((1, 6, 8, 3), (3, 1)), ((1, 3, 6, 8), (1, 48)), ((1, 6, 8, 1), (1, 1))])
def test_kernel_parameters_hold_the_steps_between_pixels_and_classes(shape: tuple[int, ...], steps: tuple[int, int]) -> None:
    """The machine code uses all of these steps, the portable kernel only some of them."""
    processor = n6post.DeepLab(output_type="logit" if 1 in shape[1:] else None)
    FakeModel([Tensor(np.zeros(shape, np.int8), 0.1)], (64, 48)).run(processor)
    assert tuple(processor._binding.block[:5]) == (ord("b"), 48, shape[3] if shape[1] == 6 else 3, *steps)


def test_ambiguous_shape_needs_the_layout_option() -> None:
    values = np.random.default_rng(6).integers(-128, 128, (1, 9, 9, 9)).astype(np.int8)
    with pytest.raises(ValueError, match=r"\(1, 9, 9, 9\) may be .* expected layout='NHWC' or 'NCHW'"):
        mapped(Tensor(values, 0.1), (72, 72))
    np.testing.assert_array_equal(mapped(Tensor(values, 0.1), (72, 72), layout="NHWC"), values[0].argmax(axis=-1))
    np.testing.assert_array_equal(mapped(Tensor(values, 0.1), (72, 72), layout="NCHW"), values[0].argmax(axis=0))


def test_class_map_of_another_aspect_ratio_needs_the_layout_option() -> None:
    values = np.random.default_rng(6).integers(-128, 128, (1, 8, 30, 3)).astype(np.int8)
    with pytest.raises(ValueError, match=r"aspect ratio of the input, \(64, 64\), got \(1, 8, 30, 3\)"):
        mapped(Tensor(values, 0.1), (64, 64))
    np.testing.assert_array_equal(mapped(Tensor(values, 0.1), (64, 64), layout="NHWC"), values[0].argmax(axis=-1))
    numbers = values[..., 0].astype(np.uint8)
    np.testing.assert_array_equal(mapped(Tensor(numbers), (64, 64), layout="NHWC"), numbers[0])


@pytest.mark.parametrize("scale", [2956686.0, 1e-12, 0.0, -1.0, float("nan")])
def test_scale_does_not_affect_the_argmax_of_raw_integers(scale: float) -> None:
    values = np.random.default_rng(7).integers(-128, 128, (1, 8, 8, 3)).astype(np.int8)
    np.testing.assert_array_equal(mapped(Tensor(values, scale), (64, 64)), values[0].argmax(axis=-1))


def test_nan_never_wins_the_argmax() -> None:
    values = np.zeros((1, 2, 2, 3), np.float32)
    values[0, 0, 0] = np.nan, -1, 0
    values[0, 0, 1] = 2, np.nan, 3
    values[0, 1, 0] = np.nan
    assert mapped(Tensor(values), (8, 8)).tolist() == [[2, 2], [0, 0]]


# --- one channel ---
def plane(dtype: str = "float32") -> Any:
    return np.random.default_rng(8).permutation(np.linspace(-120, 120, 64)).reshape(1, 8, 8, 1).astype(dtype)


@pytest.mark.parametrize("channels_last", [True, False])
@pytest.mark.parametrize("threshold", [None, 0.3, 0.9])
def test_one_channel_of_probabilities_is_compared_with_the_threshold(threshold: float | None, channels_last: bool) -> None:
    q = plane("int8")
    probability = (q.astype(int) + 128) / 256
    expected = probability[0, ..., 0] >= (0.5 if threshold is None else threshold)
    tensors = [Tensor(q, 1 / 256, -128), Tensor(q, 1 / 256, -128).dequantized(), Tensor(q, 1 / 256, -128).as_uint8()]
    for tensor in tensors:
        tensor = tensor if channels_last else tensor.reordered(0, 3, 1, 2)
        np.testing.assert_array_equal(mapped(tensor, (64, 64), threshold=threshold), expected)


def test_int16_sigmoid_output_is_detected_as_probabilities() -> None:
    probability = np.random.default_rng(9).random((1, 8, 8, 1))
    tensor = Tensor(np.round(probability * 32767).astype(np.int16), 1 / 32768, 0)
    np.testing.assert_array_equal(mapped(tensor, (64, 64)), tensor.values[0, ..., 0] >= 16384)


@pytest.mark.parametrize("threshold", [0.1, 0.5, 0.9])
def test_one_channel_of_logits_is_compared_through_the_sigmoid(threshold: float) -> None:
    q = plane("int8")
    tensor = Tensor(q, 0.05, 7)
    sigmoid = 1 / (1 + np.exp(-(q[0, ..., 0].astype(int) - 7) * 0.05))
    for one in (tensor, tensor.dequantized(), tensor.as_int16(4), tensor.as_uint8()):
        np.testing.assert_array_equal(mapped(one, (64, 64), threshold=threshold), sigmoid >= threshold - 1e-9)


def test_output_type_sets_what_one_channel_holds() -> None:
    values = np.float32([[[[0.0], [0.25]], [[0.6], [1.0]]]])
    assert mapped(Tensor(values), (8, 8)).tolist() == [[0, 0], [1, 1]]
    assert mapped(Tensor(values), (8, 8), output_type="logit").tolist() == [[1, 1], [1, 1]]
    assert mapped(Tensor(values), (8, 8), output_type="logit", threshold=0.6).tolist() == [[0, 0], [1, 1]]
    assert mapped(Tensor(values - 0.5), (8, 8), output_type="probability", threshold=0.4).tolist() == [[0, 0], [0, 1]]
    assert mapped(Tensor(np.round(values)), (8, 8), output_type="class_ids").tolist() == [[0, 0], [1, 1]]


def test_first_frame_of_zeros_leaves_the_output_type_open() -> None:
    processor = n6post.DeepLab()
    values = np.zeros((1, 4, 4, 1), np.float32)
    model = FakeModel([Tensor(values)], (32, 32))
    assert not classes_of(model.run(processor)).any()
    values[0, 0, :, 0] = [-2, -0.5, 0.2, 3]
    assert classes_of(model.run(processor))[0].tolist() == [0, 0, 1, 1]
    values[:] = 0.2  # the type is final by now: logits
    assert classes_of(model.run(processor)).all()


# --- class ids ---
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("shape", [(1, 12, 10), (1, 12, 10, 1), (1, 1, 12, 10)])
def test_map_of_class_ids_is_copied(dtype: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(10).integers(0, 128, (12, 10)).astype(dtype)
    np.testing.assert_array_equal(mapped(Tensor(values.reshape(shape)), (80, 96)), values)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "float32"])
@pytest.mark.parametrize("shape", [(1, 12, 10), (1, 12, 10, 1), (1, 1, 12, 10)])
def test_argmax_output_is_detected_in_every_dtype_and_shape(dtype: str, shape: tuple[int, ...]) -> None:
    """Whole floats with one above 1, as in a float copy, or integers with scale 1 and zero point 0."""
    values = np.random.default_rng(10).integers(0, 3, (12, 10)).astype(dtype)
    tensor = Tensor(values.reshape(shape), 0.0 if dtype == "float32" else 1.0)
    np.testing.assert_array_equal(mapped(tensor, (80, 96)), values)
    assert FakeModel([tensor], (80, 96)).run(n6post.DeepLab(labels=["sky", "cat", "dog"])).class_ids() == [1, 2]


def test_floats_of_only_0_and_1_leave_the_output_type_open() -> None:
    for later, expected in (([0, 1, 2, 255], [0, 1, 2, 255]), ([0, 0.2, 0.7, 1], [0, 0, 1, 1])):
        for first in (0, 1):
            processor = n6post.DeepLab(labels=None if expected[2] == 1 else ["sky", "cat", "dog"])
            values = np.zeros((1, 4, 4, 1), np.float32)
            values[0, 2] = first
            model = FakeModel([Tensor(values)], (32, 32))
            assert classes_of(model.run(processor)).tolist() == values[0, :, :, 0].tolist()
            values[0, :, :, 0] = later
            assert classes_of(model.run(processor))[1].tolist() == expected


def test_class_maps_are_reused_while_the_output_type_is_open() -> None:
    """A map of one class never shows more than that. New maps for every frame would double the memory that a frame takes."""
    process = n6post.DeepLab()
    model = FakeModel([Tensor(np.zeros((1, 8, 8, 1), np.float32))], (32, 32))
    source = Framed((0, 0, 64, 48))
    random = np.random.default_rng(4)
    seen: list[Any] = []
    before = None
    for _ in range(6):
        classes = random.integers(0, 2, (1, 8, 8, 1)).astype(np.float32)
        model.tensors[0] = Tensor(classes)
        seen.append(model.run(process, source))
        np.testing.assert_array_equal(classes_of(seen[-1]), classes[0, :, :, 0])
        if len(seen) > 1:  # a result stays valid during the next call
            np.testing.assert_array_equal(classes_of(seen[-2]), before)
        before = classes_of(seen[-1])
    assert {id(found.class_map) for found in seen} == {id(seen[0].class_map), id(seen[1].class_map)}
    model.tensors[0] = Tensor(np.full((1, 8, 8, 1), 7, np.float32))
    for _ in range(3):  # final: class ids
        found = model.run(process, source)
        assert found.class_ids() == [7] and any(found.class_map is one.class_map for one in seen[:2])
    process.background = 7  # a changed option starts over
    assert model.run(process, source).class_ids() == []


def test_labels_are_those_of_the_model_while_the_output_type_is_open() -> None:
    process = n6post.DeepLab()
    models = [FakeModel([Tensor(np.zeros((1, 8, 8, 1), np.float32))], (32, 32), [name]) for name in ("road", "water")]
    for _ in range(2):
        assert [model.run(process).label(1) for model in models] == ["road", "water"]


def test_output_of_another_size_gets_its_own_class_maps() -> None:
    process = n6post.DeepLab()
    for side in (8, 16, 8, 4):
        classes = np.eye(side, dtype=np.float32)[None, :, :, None]
        found = FakeModel([Tensor(classes)], (32, 32)).run(process)
        np.testing.assert_array_equal(classes_of(found), classes[0, :, :, 0])


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_infinite_logits_win_or_lose_and_nan_never_wins(layout: str) -> None:
    values = np.float32([[np.inf, 1, np.nan], [-np.inf, np.nan, -3e38], [2, np.inf, np.inf], [-np.inf, -np.inf, -np.inf]])
    values = values.reshape(1, 2, 2, 3)
    tensor = Tensor(values) if layout == "NHWC" else Tensor(values).reordered(0, 3, 1, 2)
    got = mapped(tensor, (2, 2), layout=layout)
    np.testing.assert_array_equal(got, [[0, 2], [1, 0]])


@pytest.mark.parametrize("shape", [(1, 1, 65536, 2), (1, 65536, 1, 2), (1, 1, 70000), (1, 2, 65536, 1), (1, 131072, 1, 1)])
def test_map_with_a_side_above_65535_is_refused(shape: tuple[int, ...]) -> None:
    layout = "NCHW" if shape[1] == 2 else "NHWC"
    model = FakeModel([Tensor(np.zeros(shape, np.int8), 0.1)], (32, 32))
    with pytest.raises(ValueError, match="expected a map of at most 65535 pixels a side"):
        model.run(n6post.DeepLab(layout=layout))


@pytest.mark.parametrize("shape", [(1, 65535), (65535, 1), (2, 40000)])
def test_longest_map_supports_every_method_of_a_segmentation(shape: tuple[int, int]) -> None:
    classes = np.random.default_rng(1).integers(0, 3, (1, *shape)).astype(np.uint8)
    found = FakeModel([Tensor(classes)], (32, 32)).run(n6post.DeepLab(layout="NHWC"))
    mask = found.mask(2)
    assert found.class_ids() == [1, 2]
    assert found.fraction(2) == pytest.approx((classes == 2).mean())
    assert mask.area == found.area(2) == sum(found.class_at(x, y) == 2 for x in range(32) for y in range(32))
    assert mask.centroid is not None and mask.contains(*np.argwhere(classes[0] == 2)[0][::-1].tolist()) in (True, False)


@pytest.mark.parametrize("wrong", [-1.0, 256.0, 1.5, np.nan])
def test_fractions_and_nan_are_refused_as_class_ids_in_any_frame(wrong: float) -> None:
    values = np.full((1, 96, 96), 2, np.float32)
    sentence = f"expected whole class numbers from 0 to 255, got {wrong}"
    if wrong in (-1.0, 256.0):
        sentence = f"expected class numbers from 0 to 255, got {min(wrong, 2.0)} to {max(wrong, 2.0)}"
    for options in ({}, {"output_type": "class_ids"}):
        processor = n6post.DeepLab(**options)
        model = FakeModel([Tensor(values)], (96, 96))
        assert classes_of(model.run(processor)).tolist() == values[0].tolist()
        values[0, 95, 94] = wrong
        with pytest.raises(ValueError, match=says(sentence)):
            model.run(processor)
        values[0, 95, 94] = 2
    values[0, 95, 94] = wrong
    with pytest.raises(ValueError, match=says(sentence)):
        mapped(Tensor(values), (96, 96), output_type="class_ids")


def test_whole_floats_below_0_or_above_255_are_logits() -> None:
    for values in ([-3, 2], [0, 256]):
        assert mapped(Tensor(np.float32([[values] * 2])), (16, 16))[0].tolist() == [int(v >= 0) for v in values]


def test_threshold_means_that_floats_of_0_and_1_are_probabilities() -> None:
    values = np.float32([[[0, 1], [1, 0]]])
    assert mapped(Tensor(values), (16, 16), threshold=0.7).tolist() == values[0].tolist()
    with pytest.raises(ValueError, match="threshold: expected None for a map of class numbers, got 0.7"):
        mapped(Tensor(2 * values), (16, 16), threshold=0.7)


def test_negative_int8_class_ids_are_read_as_128_to_255() -> None:
    assert mapped(Tensor(np.int8([[[-1, -128], [0, 127]]])), (16, 16)).tolist() == [[255, 128], [0, 127]]


@pytest.mark.parametrize("wrong", [-1, 256])
def test_class_ids_above_255_are_refused(wrong: int) -> None:
    low, high = min(0, wrong), max(4, wrong)
    with pytest.raises(ValueError, match=says(f"expected class numbers from 0 to 255, got {low} to {high}")):
        mapped(Tensor(np.int16([[[3, wrong], [0, 4]]])), (16, 16))


# --- from frame to frame ---
def test_result_stays_valid_for_one_more_call_and_its_copy_for_good() -> None:
    processor = n6post.DeepLab()
    values = np.zeros((1, 4, 4, 3), np.int8)
    model = FakeModel([Tensor(values, 0.1)], (32, 32))
    results, copies = [], []
    for frame in range(3):
        values[:] = 0
        values[..., frame] = 1
        results.append(model.run(processor))
        copies.append(results[-1].copy())
        values[:] = 99  # the model reuses its memory
        for back in range(min(frame + 1, 2)):
            assert (classes_of(results[frame - back]) == frame - back).all()
            assert results[frame - back].class_ids(background=True) == [frame - back]
    assert results[2] is results[0], "two results take turns"
    assert [np.unique(classes_of(c)).tolist() for c in copies] == [[0], [1], [2]]
    assert [c.class_ids(background=True) for c in copies] == [[0], [1], [2]]


def test_one_processor_serves_several_models_in_turn() -> None:
    processor = n6post.DeepLab()
    random = np.random.default_rng(11)
    made = []
    for height, width, classes in ((8, 8, 2), (4, 6, 5), (8, 8, 2), (16, 16, 3), (2, 2, 4), (3, 3, 2)):
        values = random.integers(-128, 128, (1, height, width, classes)).astype(np.int8)
        made.append((FakeModel([Tensor(values, 0.1)], (width * 8, height * 8)), values[0].argmax(axis=-1)))
    for model, expected in made * 2:
        np.testing.assert_array_equal(classes_of(model.run(processor)), expected)


def test_raw_and_float_outputs_of_one_model_may_alternate() -> None:
    processor = n6post.DeepLab()
    values = np.random.default_rng(12).integers(-128, 128, (1, 8, 8, 3)).astype(np.int8)
    model = FakeModel([Tensor(values, 0.1, 4)], (64, 64))
    for outputs in (model.outputs(), [_host.wrap(model.tensors[0].dequantized().values)]) * 2:
        found = processor(model, [model.input()], outputs)
        np.testing.assert_array_equal(classes_of(found), values[0].argmax(axis=-1))


# --- names ---
def label_of(classes: int, class_id: int, from_model: list[str] | None = None, **options: Any) -> Any:
    tensor = Tensor(np.zeros((1, 5, 7, classes), np.int8), 0.1)
    return FakeModel([tensor], (56, 40), from_model).run(n6post.DeepLab(**options)).label(class_id)


def test_labels_come_from_the_option_the_model_pascal_voc_or_the_number() -> None:
    assert label_of(2, 1, ["sky", "road"], labels=["nothing", "person"]) == "person"
    assert label_of(2, 1, ["sky", "road"]) == "road"
    assert label_of(VOC, 15) == "person"
    assert label_of(VOC, 0) == "background"
    assert label_of(5, 3) == "3"
    assert label_of(5, 3, ["a", "b"]) == "3"
    assert [label_of(3, k, ["road"]) for k in range(3)] == ["road", "1", "2"]  # not class 1, as for one channel
    assert [label_of(1, k, ["road"]) for k in (0, 1)] == ["background", "road"]
    assert [label_of(1, k, labels=["road"]) for k in (0, 1)] == ["background", "road"]
    assert [label_of(1, k, ["sky", "road"]) for k in (0, 1)] == ["sky", "road"]


# --- errors ---
BAD_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"background": 256}, "background: expected an integer from 0 to 255, got 256"),
    ({"background": ["sky"]}, "background: expected an integer from 0 to 255, got ['sky']"),
    ({"background": 0.0}, "background: expected an integer from 0 to 255, got 0.0"),
    ({"threshold": 0}, "threshold: expected a number between 0 and 1 or None, got 0"),
    ({"threshold": 1.0}, "threshold: expected a number between 0 and 1 or None, got 1.0"),
    ({"threshold": float("nan")}, "threshold: expected a number between 0 and 1 or None, got nan"),
    ({"threshold": "half"}, "threshold: expected a number between 0 and 1 or None, got 'half'"),
    ({"layout": "CHW"}, "layout: expected 'NHWC', 'NCHW' or None, got 'CHW'"),
    ({"output_type": "softmax"}, "output_type: expected 'probability', 'logit', 'class_ids' or None, got 'softmax'"),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS)
def test_option_out_of_range_raises_in_the_constructor(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=says(message)):
        n6post.DeepLab(**options)


def zeros(*shape: int, dtype: str = "int8") -> Tensor:
    return Tensor(np.zeros(shape, dtype), 0.1)


WANTED = "expected one output [1, H, W, classes], [1, classes, H, W] or [1, H, W]"
RATIO = "and the aspect ratio of the input, (64, 64)"
LARGEST = "expected None for a map of 3 classes, where the largest wins"
BAD_OUTPUTS: list[tuple[Tensor, dict[str, Any], str]] = [
    (zeros(2, 8, 8, 3), {}, f"{WANTED}, got (2, 8, 8, 3)"),
    (zeros(8, 8), {}, f"{WANTED}, got (8, 8)"),
    (zeros(2, 8, 8), {}, f"{WANTED}, got (2, 8, 8)"),
    (zeros(1, 300, 300, 300), {}, f"{WANTED} of 1 to 255 classes {RATIO}, got (1, 300, 300, 300)"),
    (zeros(1, 8, 8, 300), {"layout": "NHWC"}, f"{WANTED} of 1 to 255 classes, got (1, 8, 8, 300)"),
    (zeros(1, 8, 8, 256), {}, f"{WANTED} of 1 to 255 classes {RATIO}, got (1, 8, 8, 256)"),
    (zeros(1, 257, 8, 8), {}, f"{WANTED} of 1 to 255 classes {RATIO}, got (1, 257, 8, 8)"),
    (zeros(1, 1, 1, 1000), {}, f"{WANTED} of 1 to 255 classes {RATIO}, got (1, 1, 1, 1000)"),
    (zeros(1, 1, 17, 3), {}, f"{WANTED} of 1 to 255 classes {RATIO}, got (1, 1, 17, 3)"),
    (zeros(1, 7, 84), {}, f"{WANTED} of the aspect ratio of the input, (64, 64), got (1, 7, 84)"),
    (zeros(1, 8, 8, 3, dtype="uint16"), {}, "output 0: expected int8, uint8, int16 or float32, got uint16"),
    (zeros(1, 8, 8, 3), {"threshold": 0.5}, f"threshold: {LARGEST}, got 0.5"),
    (zeros(1, 8, 8, 3), {"output_type": "logit"}, f"output_type: {LARGEST}, got 'logit'"),
    (zeros(1, 8, 8), {"threshold": 0.5}, "threshold: expected None for a map of class numbers, got 0.5"),
    (zeros(1, 8, 8, 3), {"background": 3}, "background: expected a class below 3 or None, got 3"),
    (zeros(1, 8, 8, 1), {"background": 2}, "background: expected a class below 2 or None, got 2"),
    (zeros(1, 8, 8, 3), {"labels": ["a", "b"]}, "expected 3 labels, one per class, got 2"),
    (zeros(1, 8, 8, 1), {"labels": ["a", "b", "c"]}, "expected 2 labels, one per class, got 3"),
    (
        zeros(1, 8, 8, 3), {"background": "sky", "labels": ["a", "b", "c"]},
        "background: expected one of 'a', 'b', 'c', got 'sky'",
    ),
    (
        Tensor(np.zeros((1, 8, 8), np.int8)), {"output_type": "probability"},
        "output 0: expected a scale from 1e-12 to 10000, got 0.0",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("tensor", "options", "message"), BAD_OUTPUTS)
def test_unsupported_output_is_refused_at_the_first_frame(
    tensor: Tensor, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=says(message)):
        FakeModel([tensor], (64, 64)).run(n6post.DeepLab(**options))


def test_invalid_outputs_are_refused_even_after_a_good_frame() -> None:
    model = FakeModel([zeros(1, 8, 8, 3)], (64, 64))
    processor = n6post.DeepLab()
    good = model.outputs()
    wanted = "expected 1 output (one output [1, H, W, classes], [1, classes, H, W] or [1, H, W])"
    with pytest.raises(ValueError, match=says(f"{wanted}, got ndarray")):
        processor(model, [model.input()], good[0])
    for _ in range(2):
        for outputs, came in (([], 0), (good + good, 2), (None, "NoneType"), ([None], "NoneType"), (["map"], "str")):
            what = wanted if came in (0, 2) or outputs is None else "output 0: expected an ndarray"
            with pytest.raises(ValueError, match=says(f"{what}, got {came}")):
                processor(model, [model.input()], outputs)
        assert not classes_of(processor(model, [model.input()], good)).any()


def test_constant_first_frame_leaves_the_output_type_open() -> None:
    numbers = np.zeros((1, 4, 4), np.float32)
    numbers[0, 1] = 0, 1, 2, 3
    for number in (-3.4e38, -1.0, 0.5, 1.0, 300.0, 3.4e38, np.nan):
        model = FakeModel([Tensor(np.full((1, 4, 4), number, np.float32))], (64, 64))
        processor = n6post.DeepLab()
        model.run(processor)
        model.tensors[0].values[:] = numbers
        assert classes_of(model.run(processor)).tolist() == numbers[0].astype(int).tolist(), number


def test_changed_option_keeps_both_class_maps_and_the_last_result() -> None:
    """Two new maps, 205 KB at 320 x 320, may not fit into a fragmented heap."""
    values = np.random.default_rng(3).integers(-99, 99, (1, 8, 8, 3)).astype(np.int8)
    model, other = (FakeModel([Tensor(values.copy(), 0.1)], (64, 64)) for _ in range(2))
    processor = n6post.DeepLab()
    maps = [model.run(processor).class_map for _ in range(2)]
    for background in (None, 1, 2):
        last = model.run(processor)
        says = classes_of(last).tolist()
        processor.background = background
        model.tensors[0].values[:] = np.roll(model.tensors[0].values, 1, axis=1)
        again = model.run(processor)
        assert again.background == background
        assert classes_of(again).tolist() == model.tensors[0].values[0].argmax(axis=-1).tolist() != says
        assert classes_of(last).tolist() == says
        assert any(again.class_map is one for one in maps)
    # The maps belong to one binding: another model writes elsewhere.
    processor.background = 0
    one = model.run(processor)
    says = classes_of(one).tolist()
    for _ in range(3):
        assert not any(other.run(processor).class_map is own for own in maps)
    assert classes_of(one).tolist() == says


# --- for the tests of all families: see family_cases.py ---
NAN = float("nan")


def three_scores() -> FakeModel:
    values = np.random.default_rng(5).integers(-99, 99, (1, 8, 8, 3)).astype(np.int8)
    return FakeModel([Tensor(values, 0.1)], (64, 64))


def cube() -> FakeModel:
    values = np.random.default_rng(5).integers(-99, 99, (1, 8, 8, 8)).astype(np.int8)
    return FakeModel([Tensor(values, 0.1)], (64, 64))


def probabilities() -> FakeModel:
    return FakeModel([Tensor(np.random.default_rng(6).random((1, 8, 8, 1)).astype(np.float32))], (64, 64))


FAMILY_CASES = FamilyCases(
    options={
        "background": OptionCase(0, 1, (256, -1, 0.0, ["sky"]), three_scores),
        "threshold": OptionCase(None, 0.9, (0, 1, NAN, "half"), probabilities),
        "labels": OptionCase(None, ["sky", "sea", "sand"], ("abc", [], [1]), three_scores),
        "layout": OptionCase(None, "NCHW", ("CHW", 1), cube, {"layout": "NHWC"}),
        "output_type": OptionCase(None, "logit", ("softmax", "classes", 1), probabilities),
    },
    frames={
        "DeepLab": FrameCase(n6post.DeepLab, scored_map, lambda: scored_map(7), ("background", 0, None)),
        "DeepLab numbers": FrameCase(n6post.DeepLab, numbered_map, scored_map, ("labels", None, ("sky", "sea", "sand"))),
    },
)
