"""lib/n6post/quant.py: dtypes, and thresholds in the integer domain."""

from typing import Any

import numpy as np
import pytest
import reference
from fakes import FakeModel, Tensor
from hypothesis import given
from hypothesis import strategies as st
from n6post import quant
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
    st.integers(-128, 255),
    st.just(0.0) | st.floats(0.001, 1),
)
def test_the_cut_is_the_smallest_value_that_passes(kind: str, scale: float, zero_point: int, threshold: float) -> None:
    """Which is ceil(threshold / scale + zero_point), or one beyond the dtype's range where no value passes."""
    low, high = RANGES[kind]
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
    assert quant.dtype_name(told.dtype) == kind
    assert (told.scale, told.zero_point, told.shape) == (pytest.approx(0.1), 3, (1, 5, 21))
