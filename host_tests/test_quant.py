"""lib/n6post/quant.py: dtypes, and thresholds in the integer domain."""

import re
from typing import Any

import numpy as np
import pytest
import reference
from fakes import FakeModel, Tensor
from hypothesis import given
from hypothesis import strategies as st
from n6post import quant, refusals
from ulab import numpy as ulab_numpy

RANGES = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767)}


def output(kind: str, scale: float, zero_point: int, shape: tuple[int, ...] = (1, 5, 21)) -> Any:
    model = FakeModel([Tensor(np.zeros(shape, dtype=kind), scale, zero_point)], (32, 32))
    return quant.Output(model, 0, model.outputs()[0])


def test_the_dtype_codes_are_ulabs() -> None:
    codes = (quant.UINT8, quant.INT8, quant.INT16, quant.FLOAT)
    assert codes == (ulab_numpy.uint8, ulab_numpy.int8, ulab_numpy.int16, ulab_numpy.float)


@given(
    st.sampled_from(list(RANGES)),
    st.floats(1e-4, 0.2),
    st.integers(0, 255),
    st.just(0.0) | st.floats(0.001, 1),
)
def test_the_cut_is_the_smallest_value_that_passes(kind: str, scale: float, zero_point: int, threshold: float) -> None:
    """Which is ceil(threshold / scale + zero_point), or one beyond the dtype's range where no value passes."""
    low, high = RANGES[kind]
    zero_point += max(low, -128)  # any that int8 and uint8 can hold
    cut = output(kind, scale, zero_point).cut(threshold)
    assert type(cut) is int and low <= cut <= high + 1
    steps = threshold / scale
    if abs(steps - round(steps)) > 2e-6 * steps:  # so near a step, the camera's floats and a PC's may differ
        assert cut == min(max(reference.integer_threshold(threshold, scale, zero_point), low), high + 1)
    else:
        assert cut in {min(max(round(steps) + zero_point + i, low), high + 1) for i in (0, 1)}


@pytest.mark.parametrize("steps", [10, 50, 64, 100, 200, 255])
def test_a_threshold_of_whole_steps_passes_that_step(steps: int) -> None:
    """In float32, 1 / 255 and its kind are a hair too small or too large: that must not move the cut."""
    for share in (0.1, 0.2, 0.25, 0.3, 0.4, 0.45, 0.5, 0.6, 0.7, 0.9):
        if float(share * steps).is_integer():
            for nudge in (0, -1, 1):
                scale = np.float32(1 / steps)
                scale = float(np.nextafter(scale, np.float32(nudge))) if nudge else float(scale)
                assert output("int8", scale, -128).cut(share) == round(share * steps) - 128


def test_floats_are_compared_as_they_are_and_need_no_metadata() -> None:
    model = FakeModel([Tensor(np.zeros((1, 5, 21), np.float32))], (32, 32), output_dtype="b")
    model.output_scale, model.output_zero_point = (0.02,), (24,)
    for _ in range(2):
        floats = quant.Output(model, 0, model.outputs()[0])
        assert (floats.dtype, floats.scale, floats.zero_point) == (quant.FLOAT, 1.0, 0)
        assert floats.cut(0.4) == 0.4
        del model.output_scale, model.output_zero_point
        model.output_scale = model.output_zero_point = None


@pytest.mark.parametrize("kind", RANGES)
def test_the_arrays_own_dtype_counts_whatever_the_model_says(kind: str) -> None:
    model = FakeModel([Tensor(np.zeros((1, 5, 21), kind), 0.1, 3)], (32, 32), output_dtype="f")
    told = quant.Output(model, 0, model.outputs()[0])
    assert refusals.dtype_name(told.dtype) == kind
    assert (told.scale, told.zero_point, told.shape) == (pytest.approx(0.1), 3, (1, 5, 21))


@pytest.mark.parametrize(("kind", "low", "high"), [(kind, *ends) for kind, ends in RANGES.items()])
def test_the_ends_of_a_dtype_are_told_in_the_networks_own_numbers(kind: str, low: int, high: int) -> None:
    told = output(kind, 0.25, 7)
    assert (told.least(), told.largest()) == ((low - 7) * 0.25, (high - 7) * 0.25)


def test_an_output_is_shown_by_its_number_dtype_and_shape() -> None:
    assert repr(output("int8", 0.25, 7)) == "output 0: int8 (1, 5, 21)"
    assert repr(output("float32", 1.0, 0)) == "output 0: float32 (1, 5, 21)"


# --- what no network's numbers are -----------------------------------------------------------------------------------
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("kind", RANGES)
@pytest.mark.parametrize(
    "scale",
    [0, -0.1, NAN, INF, -INF, 1e-13, 1e-20, 1e-38, 1e-45, 1e-320, 10001, 1e13, 1e30, 3e38, 1e300, None, "x"],
)
def test_a_scale_out_of_range_is_refused(kind: str, scale: Any) -> None:
    model = FakeModel([Tensor(np.zeros((1, 5, 21), kind), 0.1)], (32, 32))
    model.output_scale = (scale,)
    expected = f"output 0: expected a scale from 1e-12 to 10000, got {scale!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
        quant.Output(model, 0, model.outputs()[0])


@pytest.mark.parametrize(
    ("kind", "zero_point"),
    [("int8", -129), ("int8", 128), ("uint8", -1), ("uint8", 256), ("int16", 32768), ("int16", -32769)]
    + [(kind, zero) for kind in RANGES for zero in (1 << 31, 1 << 70, 3.5, NAN, INF, -INF, None, "x")],
)  # fmt: skip
def test_a_zero_point_that_the_dtype_cannot_hold_is_refused(kind: str, zero_point: Any) -> None:
    model = FakeModel([Tensor(np.zeros((1, 5, 21), kind), 0.1)], (32, 32))
    model.output_zero_point = (zero_point,)
    low, high = RANGES[kind]
    expected = f"output 0: expected a zero point that {kind} holds, a whole number from {low} to {high}, got "
    with pytest.raises(ValueError, match=f"^{expected}"):
        quant.Output(model, 0, model.outputs()[0])


@pytest.mark.parametrize("kind", RANGES)
def test_the_ends_of_what_a_model_may_tell_are_taken(kind: str) -> None:
    for zero_point in (*RANGES[kind], float(RANGES[kind][1]), 0):
        for scale in (1e-12, 1, 1e4):
            told = output(kind, scale, int(zero_point))
            assert (told.scale, told.zero_point) == (scale, zero_point) and type(told.zero_point) is int
            for threshold in (0, 1e-6, 0.3, 1):
                assert RANGES[kind][0] <= told.cut(threshold) <= RANGES[kind][1] + 1


@pytest.mark.parametrize("attribute", ["output_scale", "output_zero_point"])
@pytest.mark.parametrize("value", [None, (), 0.1])
def test_integers_of_which_the_model_tells_nothing_are_refused(attribute: str, value: Any) -> None:
    model = FakeModel([Tensor(np.zeros((1, 5, 21), "int8"), 0.1)], (32, 32))
    setattr(model, attribute, value)
    with pytest.raises(ValueError, match="expected a scale and zero point from the model for its int8 array, got none"):
        quant.Output(model, 0, model.outputs()[0])
    assert quant.Output(model, 0, model.outputs()[0], scaled=False).scale == 1.0


@pytest.mark.parametrize("wrong", [None, 3, [1, 2], "x", np.zeros((1, 5, 21), np.int8).tolist(), bytearray(5)])
def test_what_is_no_array_is_refused(wrong: Any) -> None:
    model = FakeModel([Tensor(np.zeros((1, 5, 21), "int8"), 0.1)], (32, 32))
    with pytest.raises(ValueError, match=f"^output 0: expected an ndarray, got {type(wrong).__name__}$"):
        quant.Output(model, 0, wrong)


@pytest.mark.parametrize("kind", [*RANGES, "float32"])
def test_a_view_with_gaps_is_refused_and_one_without_is_not(kind: str) -> None:
    model = FakeModel([Tensor(np.zeros((2, 5, 21), kind), 0.1)], (32, 32))
    array = model.outputs()[0]
    for dense in (array, array[1:], array[:1]):
        told = quant.Output(model, 0, dense)
        assert (told.shape, told.size) == (dense.shape, dense.size)
    for view in (array[:, :, ::2], array[:, ::2], array[:, :3], array[:, :, :20], array[1, :, 3:]):
        expected = f"output 0: expected a dense array, got a view of another, {view.shape} with strides {view.strides}: "
        with pytest.raises(ValueError, match=f"^{re.escape(expected)}"):
            quant.Output(model, 0, view)


def test_an_array_of_sixteen_bits_without_a_sign_is_refused() -> None:
    model = FakeModel([Tensor(np.zeros((1, 5, 21), "uint16"), 0.1)], (32, 32))
    with pytest.raises(ValueError, match="^output 0: expected int8, uint8, int16 or float32, got uint16$"):
        quant.Output(model, 0, model.outputs()[0])
