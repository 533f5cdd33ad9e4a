"""lib/n6post/tensors/quantization.py: dtypes, and thresholds in the integer domain."""

import re
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import pytest
import reference
from fakes import FakeModel, Tensor
from hypothesis import given
from hypothesis import strategies as st
from n6post.tensors import errors, quantization
from ulab import numpy as ulab_numpy

RANGES = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767)}


def output(kind: str, scale: float, zero_point: int, shape: tuple[int, ...] = (1, 5, 21)) -> Any:
    model = FakeModel([Tensor(np.zeros(shape, dtype=kind), scale, zero_point)], (32, 32))
    return quantization.OutputTensor(model, 0, model.outputs()[0])


def test_dtype_codes_are_those_of_ulab() -> None:
    codes = (quantization.UINT8, quantization.INT8, quantization.INT16, quantization.FLOAT)
    assert codes == (ulab_numpy.uint8, ulab_numpy.int8, ulab_numpy.int16, ulab_numpy.float)


@given(
    st.sampled_from(list(RANGES)),
    st.floats(1e-4, 0.2),
    st.integers(0, 255),
    st.just(0.0) | st.floats(0.001, 1),
)
def test_quantized_threshold_is_the_smallest_value_that_passes(
    kind: str, scale: float, zero_point: int, threshold: float
) -> None:
    """ceil(threshold / scale + zero_point), or one above the range of the dtype if no value passes."""
    low, high = RANGES[kind]
    zero_point += max(low, -128)  # in the range of the dtype
    cut = output(kind, scale, zero_point).quantize_threshold(threshold)
    assert type(cut) is int and low <= cut <= high + 1
    steps = threshold / scale
    if abs(steps - round(steps)) > 2e-6 * steps:  # close to a step, the floats of camera and PC may differ
        assert cut == min(max(reference.integer_threshold(threshold, scale, zero_point), low), high + 1)
    else:
        assert cut in {min(max(round(steps) + zero_point + i, low), high + 1) for i in (0, 1)}


@pytest.mark.parametrize("steps", [10, 50, 64, 100, 200, 255])
def test_threshold_of_whole_steps_passes_that_step(steps: int) -> None:
    """1 / 255 is slightly too small or too large in float32. That must not move the threshold."""
    for share in (0.1, 0.2, 0.25, 0.3, 0.4, 0.45, 0.5, 0.6, 0.7, 0.9):
        if float(share * steps).is_integer():
            for nudge in (0, -1, 1):
                scale = np.float32(1 / steps)
                scale = float(np.nextafter(scale, np.float32(nudge))) if nudge else float(scale)
                assert output("int8", scale, -128).quantize_threshold(share) == round(share * steps) - 128


@given(st.sampled_from(list(RANGES)), st.floats(1e-3, 0.2), st.integers(0, 255), st.floats(-6, -0.001))
def test_a_negative_threshold_is_the_smallest_value_that_passes(
    kind: str, scale: float, zero_point: int, threshold: float
) -> None:
    """A logit's threshold may be negative: mask_threshold=0.3 is one of -0.85."""
    low, high = RANGES[kind]
    zero_point += max(low, -128)
    cut = output(kind, scale, zero_point).quantize_threshold(threshold)
    steps = Fraction(threshold) / Fraction(scale)
    if abs(steps - round(steps)) > Fraction(2e-6) * abs(steps):
        assert cut == min(max(ceil(steps) + zero_point, low), high + 1)


@pytest.mark.parametrize("steps", [10, 50, 64, 100])
def test_a_negative_threshold_of_whole_steps_passes_that_step(steps: int) -> None:
    for count in range(1, steps):
        for towards in (0, 1):
            scale = float(np.nextafter(np.float32(1 / steps), np.float32(towards)))
            assert output("int8", scale, 0).quantize_threshold(-count / steps) == -count, (count, towards)


def test_float_outputs_need_no_scale_and_zero_point() -> None:
    model = FakeModel([Tensor(np.zeros((1, 5, 21), np.float32))], (32, 32), output_dtype="b")
    model.output_scale, model.output_zero_point = (0.02,), (24,)
    for _ in range(2):
        floats = quantization.OutputTensor(model, 0, model.outputs()[0])
        assert (floats.dtype, floats.scale, floats.zero_point) == (quantization.FLOAT, 1.0, 0)
        assert floats.quantize_threshold(0.4) == 0.4
        del model.output_scale, model.output_zero_point
        model.output_scale = model.output_zero_point = None


@pytest.mark.parametrize("kind", RANGES)
def test_array_dtype_takes_precedence_over_the_model(kind: str) -> None:
    model = FakeModel([Tensor(np.zeros((1, 5, 21), kind), 0.1, 3)], (32, 32), output_dtype="f")
    tensor = quantization.OutputTensor(model, 0, model.outputs()[0])
    assert errors.dtype_name(tensor.dtype) == kind
    assert (tensor.scale, tensor.zero_point, tensor.shape) == (pytest.approx(0.1), 3, (1, 5, 21))


@pytest.mark.parametrize(("kind", "low", "high"), [(kind, *ends) for kind, ends in RANGES.items()])
def test_least_and_largest_value_are_dequantized(kind: str, low: int, high: int) -> None:
    tensor = output(kind, 0.25, 7)
    assert (tensor.least(), tensor.largest()) == ((low - 7) * 0.25, (high - 7) * 0.25)


def test_repr_shows_number_dtype_and_shape() -> None:
    assert repr(output("int8", 0.25, 7)) == "output 0: int8 (1, 5, 21)"
    assert repr(output("float32", 1.0, 0)) == "output 0: float32 (1, 5, 21)"


# --- invalid values ---
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("kind", RANGES)
@pytest.mark.parametrize(
    "scale",
    [0, -0.1, NAN, INF, -INF, 1e-13, 1e-20, 1e-38, 1e-45, 1e-320, 10001, 1e13, 1e30, 3e38, 1e300, None, "x"],
)
def test_scale_out_of_range_is_refused(kind: str, scale: Any) -> None:
    model = FakeModel([Tensor(np.zeros((1, 5, 21), kind), 0.1)], (32, 32))
    model.output_scale = (scale,)
    expected = f"output 0: expected a scale from 1e-12 to 10000, got {scale!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
        quantization.OutputTensor(model, 0, model.outputs()[0])


@pytest.mark.parametrize(
    ("kind", "zero_point"),
    [("int8", -129), ("int8", 128), ("uint8", -1), ("uint8", 256), ("int16", 32768), ("int16", -32769)]
    + [(kind, zero) for kind in RANGES for zero in (1 << 31, 1 << 70, 3.5, NAN, INF, -INF, None, "x")],
)  # fmt: skip
def test_zero_point_out_of_range_of_the_dtype_is_refused(kind: str, zero_point: Any) -> None:
    model = FakeModel([Tensor(np.zeros((1, 5, 21), kind), 0.1)], (32, 32))
    model.output_zero_point = (zero_point,)
    low, high = RANGES[kind]
    expected = f"output 0: expected a zero point that {kind} holds, a whole number from {low} to {high}, got "
    with pytest.raises(ValueError, match=f"^{expected}"):
        quantization.OutputTensor(model, 0, model.outputs()[0])


@pytest.mark.parametrize("kind", RANGES)
def test_limits_of_scale_and_zero_point_are_accepted(kind: str) -> None:
    for zero_point in (*RANGES[kind], float(RANGES[kind][1]), 0):
        for scale in (1e-12, 1, 1e4):
            tensor = output(kind, scale, int(zero_point))
            assert (tensor.scale, tensor.zero_point) == (scale, zero_point) and type(tensor.zero_point) is int
            for threshold in (0, 1e-6, 0.3, 1):
                assert RANGES[kind][0] <= tensor.quantize_threshold(threshold) <= RANGES[kind][1] + 1


@pytest.mark.parametrize("attribute", ["output_scale", "output_zero_point"])
@pytest.mark.parametrize("value", [None, (), 0.1])
def test_integers_without_scale_or_zero_point_are_refused(attribute: str, value: Any) -> None:
    model = FakeModel([Tensor(np.zeros((1, 5, 21), "int8"), 0.1)], (32, 32))
    setattr(model, attribute, value)
    with pytest.raises(ValueError, match="expected a scale and zero point from the model for its int8 array, got none"):
        quantization.OutputTensor(model, 0, model.outputs()[0])
    assert quantization.OutputTensor(model, 0, model.outputs()[0], scaled=False).scale == 1.0


@pytest.mark.parametrize("wrong", [None, 3, [1, 2], "x", np.zeros((1, 5, 21), np.int8).tolist(), bytearray(5)])
def test_object_that_is_not_an_array_is_refused(wrong: Any) -> None:
    model = FakeModel([Tensor(np.zeros((1, 5, 21), "int8"), 0.1)], (32, 32))
    with pytest.raises(ValueError, match=f"^output 0: expected an ndarray, got {type(wrong).__name__}$"):
        quantization.OutputTensor(model, 0, wrong)


@pytest.mark.parametrize("kind", [*RANGES, "float32"])
def test_view_with_gaps_is_refused_and_one_without_is_accepted(kind: str) -> None:
    model = FakeModel([Tensor(np.zeros((2, 5, 21), kind), 0.1)], (32, 32))
    array = model.outputs()[0]
    for dense in (array, array[1:], array[:1]):
        tensor = quantization.OutputTensor(model, 0, dense)
        assert (tensor.shape, tensor.size) == (dense.shape, dense.size)
    for view in (array[:, :, ::2], array[:, ::2], array[:, :3], array[:, :, :20], array[1, :, 3:]):
        expected = f"output 0: expected a dense array, got a view of another, {view.shape} with strides {view.strides}: "
        with pytest.raises(ValueError, match=f"^{re.escape(expected)}"):
            quantization.OutputTensor(model, 0, view)


def test_uint16_array_is_refused() -> None:
    model = FakeModel([Tensor(np.zeros((1, 5, 21), "uint16"), 0.1)], (32, 32))
    with pytest.raises(ValueError, match="^output 0: expected int8, uint8, int16 or float32, got uint16$"):
        quantization.OutputTensor(model, 0, model.outputs()[0])
