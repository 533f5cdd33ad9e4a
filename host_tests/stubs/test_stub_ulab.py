"""stubs/ulab compared with recorded results of the real ulab 6.12.0, case by case.

`data/ulab_cases.json.gz` is a selection of ../shared/golden/ulab_cases.json and all of ulab_forbidden.json. If ../shared
exists, all 3058 cases run.
"""

import json

import numpy
import omv
import pytest
import ulab
from hypothesis import given
from hypothesis import strategies as st
from ulab import UlabTrap, _host
from ulab import numpy as np
from ulab._unmodelled import Unmodelled
from ulab_cases import OLDER, SELECTION, agrees, as_6_7_3, run


def _no_slice(*arguments):
    raise TypeError("can't create 'slice' instances")


# Names that differ in MicroPython: there are no slice objects, and arrays have buffers.
NAMES = {"slice": _no_slice, "memoryview": _host.memoryview, "bytearray": _host.bytearray}


def _check(cases):
    """Number of cases that agree or are refused as a trap; those of functions without a stand-in do not count."""
    wrong = []
    unmodelled = 0
    for case in cases:
        got = run(case["setup"], case["expr"], NAMES)
        if got["kind"] == "unmodelled":
            unmodelled += 1
        elif not (got["kind"] == "trap" and case["trap"]) and not agrees(got, case):
            wrong.append(f"{case['id']}: {case['setup']} {case['expr']}: {case['expect']}, not {got}"[:400])
    assert not wrong, f"{len(wrong)} of {len(cases)} cases differ:\n" + "\n".join(wrong[:40])
    return len(cases) - unmodelled


# -- recorded results


def test_the_stub_agrees_with_the_recorded_selection():
    assert _check(SELECTION["cases"]) > 500


def test_the_stub_agrees_with_every_recorded_case(shared):
    _check(json.loads((shared / "golden" / "ulab_cases.json").read_text(encoding="utf-8")))


def test_in_4_8_1_mode_the_stub_agrees_with_the_older_ulab(older_firmware):
    cases = as_6_7_3(SELECTION["cases"])
    assert sum(case["expect"] is OLDER.get(case["id"]) for case in cases) > 40
    _check(cases)


def test_in_4_8_1_mode_the_stub_agrees_with_every_recorded_case(older_firmware, shared):
    _check(as_6_7_3(json.loads((shared / "golden" / "ulab_cases.json").read_text(encoding="utf-8"))))


def test_calls_that_crash_the_older_ulab_raise_ulabtrap(older_firmware):
    _check_forbidden([case for case in SELECTION["forbidden"] if "%" not in case["expr"]])


def _check_forbidden(cases):
    quiet = []
    for case in cases:
        space = {"np": np, **NAMES}
        for statement in case["setup"]:
            exec(statement, space)
        try:
            exec(case["expr"], space)
        except (UlabTrap, Unmodelled) as trap:
            assert len(str(trap)) > 20, f"{case['expr']}: says nothing: {trap}"
        except Exception as error:
            quiet.append(f"{case['setup']} {case['expr']}: {type(error).__name__}: {error}")
        else:
            quiet.append(f"{case['setup']} {case['expr']}: no exception, but {case['effect']} on the camera")
    assert not quiet, "\n".join(quiet)


def test_calls_that_hang_crash_or_corrupt_memory_raise_ulabtrap():
    assert len(SELECTION["forbidden"]) == 47
    _check_forbidden(SELECTION["forbidden"])


def test_every_forbidden_expression_beside_the_project_raises_ulabtrap(shared):
    _check_forbidden(json.loads((shared / "golden" / "ulab_forbidden.json").read_text(encoding="utf-8")))


# -- strictness

# dir() of the real module, built as for OpenMV's boards
NUMPY_NAMES = """
all any bool sort sum acos acosh arange arctan2 argmax argmin argsort around array asarray asin asinh
atan atanh bincount bitwise_and bitwise_or bitwise_xor ceil clip compress concatenate convolve cos cosh
cross degrees delete diag diff dot e empty equal exp expm1 eye fft flip float floor frombuffer full
get_printoptions inf int16 int8 interp isfinite isinf left_shift linalg linspace load loadtxt log log10
log2 logspace max maximum mean median meshgrid min minimum nan ndarray ndinfo nonzero not_equal ones pi
polyfit polyval radians random right_shift roll save savetxt set_printoptions sin sinc sinh size sqrt std
take tan tanh trace trapz uint16 uint8 vectorize where zeros
"""
ARRAY_NAMES = """
copy sort T byteswap dtype flat flatten itemsize ndim reshape shape size strides tobytes tolist transpose
"""
SUBMODULES = {
    np.linalg: "cholesky det eig inv norm qr",
    np.fft: "fft ifft",
    np.random: "Generator",
    ulab.scipy: "integrate linalg signal",
    ulab.scipy.integrate: "quad romberg simpson tanhsinh",
    ulab.scipy.linalg: "cho_solve solve_triangular",
    ulab.scipy.signal: "sosfilt",
    ulab.utils: "from_int16_buffer from_int32_buffer from_uint16_buffer from_uint32_buffer spectrogram",
}


def _public(obj):
    return {name for name in dir(obj) if not name.startswith("_")}


def test_numpy_has_exactly_the_firmwares_names():
    assert _public(np) == set(NUMPY_NAMES.split())


def test_arrays_have_exactly_the_firmwares_attributes():
    assert _public(np.array([1])) == set(ARRAY_NAMES.split())


def test_names_added_after_firmware_4_8_1_are_missing_there(older_firmware):
    assert _public(np) == set(NUMPY_NAMES.split()) - {"bincount", "meshgrid"}
    a = np.array([1, 2, 3])
    for ask in ("np.bincount", "np.meshgrid", "a.ndim"):
        with pytest.raises(AttributeError):
            eval(ask, {"np": np, "a": a})
    for ask in ("a % 2", "a.transpose((0,))", "exec('a %= 2')"):
        with pytest.raises(TypeError):
            eval(ask, {"np": np, "a": a})
    assert ulab.__version__.startswith("6.7.3")


def test_switching_back_to_the_newer_ulab_restores_every_name():
    omv._host_set_version(4, 8, 1)
    omv._host_set_version()
    assert _public(np) == set(NUMPY_NAMES.split()) and ulab.__version__.startswith("6.12.0")
    a = np.array([1, 2, 3], dtype=np.uint8)
    assert (a.ndim, (a % 2).tolist(), a.transpose((0,)).tolist()) == (1, [1, 0, 1], [1, 2, 3])
    assert (np.array([5], dtype=np.int8) - (-128)).dtype == np.int8


def test_submodules_have_exactly_the_firmwares_names():
    for module, names in SUBMODULES.items():
        assert _public(module) == set(names.split()), module.__name__


def test_arrays_refuse_new_attributes():
    with pytest.raises(AttributeError):
        np.array([1]).label = "x"


def test_a_scalar_on_the_left_of_an_order_comparison_is_a_typeerror():
    a = np.array([1, 2, 3])
    for compare in (lambda: 2 < a, lambda: 2 <= a, lambda: 2.0 > a, lambda: [2] >= a):
        with pytest.raises(TypeError, match="unsupported types"):
            compare()


def test_an_array_left_of_a_comparison_works_in_any_statement():
    a = np.array([1, 2, 3])
    assert (a > 2).tolist() == [False, False, True]
    assert [(row < 2).tolist() for row in (a, a)] == [[True, False, False]] * 2
    chosen = np.sum(a >= 2) if np.any(a <= 1) else None
    assert chosen == 2


def test_ulabtrap_is_not_a_subclass_of_ulabs_exceptions():
    with pytest.raises(UlabTrap) as caught:
        np.array([1, 2, 3])[[0, 1]]
    assert caught.value.kind == "index of another kind"
    assert not isinstance(caught.value, (TypeError, ValueError, LookupError, ArithmeticError))


def test_arrays_have_at_most_four_dimensions_and_no_int32():
    with pytest.raises(TypeError):
        np.zeros((1, 1, 1, 1, 1))
    with pytest.raises(ValueError):
        np.zeros(3, dtype=ord("i"))
    with pytest.raises(TypeError):
        np.zeros(3, dtype=float)


# -- traps that are missing from the recordings, seen with the real module


def test_a_slice_of_a_mask_without_hits_is_a_trap():
    a = np.array([1.0, 2.0])
    nothing = a[a > 5]
    assert (nothing.ndim, nothing.shape, len(nothing)) == (0, (0,), 0)
    with pytest.raises(UlabTrap, match="slice of nothing"):
        nothing[:1]


def test_an_empty_array_at_the_end_of_concatenate_is_a_trap():
    a, empty = np.ones(2), np.array([])
    assert np.concatenate((empty, a)).tolist() == [1.0, 1.0]
    with pytest.raises(UlabTrap, match="leave it out"):
        np.concatenate((a, empty))


def test_flat_of_three_dimensions_is_a_trap():
    a = np.array(range(8)).reshape((2, 2, 2))
    with pytest.raises(UlabTrap):
        list(a.flat)
    assert list(a.flatten()) == [float(i) for i in range(8)]


def test_only_a_sum_that_the_board_rounds_is_a_trap():
    mask = np.zeros(262144, dtype=np.uint8)
    mask[:100000] = 1
    with pytest.raises(UlabTrap, match="100002 instead of 100000"):
        np.sum(mask > 0)
    assert np.sum(mask[:6400]) == 6400


def test_int16_below_zero_minus_a_float_is_a_trap_and_above_it_is_not():
    assert (np.array([5, 7], dtype=np.int16) - 0.5).tolist() == [4.5, 6.5]
    with pytest.raises(UlabTrap, match="int16 read as unsigned"):
        np.array([5, -7], dtype=np.int16) - 0.5


def test_argsort_leaves_ties_in_the_heaps_order():
    assert np.argsort(np.array([0.5] * 8), axis=0).tolist() == [1, 2, 3, 4, 5, 6, 7, 0]


# -- memory


def test_slices_transposes_rows_and_reshapes_are_views():
    a = np.array(range(12), dtype=np.int8).reshape((3, 4))
    for view in (
        a[1:],
        a.T,
        a[:, 2],
        a.reshape((4, 3)),
        a.transpose((1, 0)),
        next(iter(a)),
        np.flip(a, axis=0),
    ):
        assert numpy.shares_memory(view._np, a._np)
    for copy in (
        a.copy(),
        a.flatten(),
        a + 0,
        np.flip(a),
        a.T.reshape((12,)),
        np.array(a),
        np.take(a, [0], axis=0),
    ):
        assert not numpy.shares_memory(copy._np, a._np)


def test_computed_results_have_ulabs_memory_layout():
    a = np.array(range(24)).reshape((2, 3, 4))
    for result in (a.T + 1.0, np.max(a.T, axis=0), -a.T, a.T > 3, np.exp(a.T), np.where(a.T > 3, a.T, 0)):
        expected = 4 if result.dtype == np.float else 1
        for n, stride in zip(reversed(result.shape), reversed(result.strides)):
            assert stride == expected
            expected *= n


def test_wrap_returns_a_view_of_a_numpy_array():
    memory = numpy.zeros((2, 3), numpy.int8)
    a = _host.wrap(memory)
    memory[1, 2] = -5
    assert a[1, 2] == -5
    a[0] = 7
    assert memory.tolist() == [[7, 7, 7], [0, 0, -5]]
    assert a._np is memory
    assert a.dtype == np.int8
    assert _host.wrap(memory[:, ::2]).strides == (3, 2)


def test_wrap_sets_the_strides_of_axes_of_length_1():
    """numpy leaves the strides of axes of length 1 undefined, but ulab's test for dense arrays looks at the first stride."""
    memory = numpy.zeros((2, 3), numpy.int8)
    a = _host.wrap(memory[None])
    assert a.strides == (6, 3, 1) and a.shape == (1, 2, 3)
    memory[1, 2] = 4
    assert a[0, 1, 2] == 4
    assert _host.wrap(memory[::2][:, ::2]).strides == (6, 2)


def test_bytes_compare_with_dense_arrays_only():
    """As on the emulated firmwares 5.0 and 4.8.1: bytes can be compared with objects that have the buffer protocol."""
    a = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.uint8)
    for dense in (a, a[:1], a[1], np.zeros(3), np.zeros((1, 2, 3), dtype=np.int16)):
        assert (b"" < dense) is True
    assert (b"\x02" < a) is False and (b"\x01" < a) is True
    for view in (a[:, ::2], a[::-1], a[0][::-1], a[:, :2], a[::2][:, :1]):
        with pytest.raises(TypeError, match="unsupported types for __lt__: 'bytes', 'ndarray'"):
            b"" < view  # noqa: B015
    with pytest.raises(UlabTrap):  # ulab returns True after comparing the wrong bytes
        b"" < a[:, ::-1]  # noqa: B015
    assert (a > 3).tolist() == [[False, False, False], [True, True, True]]


def test_wrap_refuses_dtypes_and_dimensions_that_ulab_lacks():
    for dtype in (numpy.int32, numpy.float64, numpy.bool_, ">f4"):
        with pytest.raises(TypeError):
            _host.wrap(numpy.zeros(3, dtype))
    for shape in ((), (1, 1, 1, 1, 1)):
        with pytest.raises(ValueError):
            _host.wrap(numpy.zeros(shape, numpy.uint8))


def test_the_buffer_of_an_array_is_its_memory():
    a = np.array([1, 2, 3], dtype=np.uint16)
    view = _host.memoryview(a)
    view[1] = 500
    assert a.tolist() == [1, 500, 3]
    assert _host.bytearray(a) == bytes(a) == b"\x01\x00\xf4\x01\x03\x00"
    data = bytearray(4)
    np.frombuffer(data, dtype=np.int16)[1] = -1
    assert data == b"\x00\x00\xff\xff"


def test_writing_into_tobytes_changes_the_array():
    a = np.array([1, 2, 3], dtype=np.uint8)
    shared = a.tobytes()
    shared[0] = 9
    shared[1:3] = b"\x07\x08"
    assert a.tolist() == [9, 7, 8]


def test_array_arithmetic_never_warns():
    tiny = np.array([0.0, 1e38, -1.0])
    with numpy.errstate(all="raise"):
        tiny / 0.0, tiny * 1e38, np.log(tiny), np.sqrt(tiny), tiny**2, tiny % 0.0, np.exp(tiny), tiny + 1e39


# -- properties

_INT8 = st.lists(st.integers(-128, 127), min_size=1, max_size=40)


@given(_INT8, st.integers(-128, 127))
def test_int8_arithmetic_wraps_and_its_dtype_follows_the_scalars_sign(values, scalar):
    a = np.array(values, dtype=np.int8)
    wide = numpy.array(values, numpy.int64)
    for got, exact in ((a + scalar, wide + scalar), (a - scalar, wide - scalar), (a * scalar, wide * scalar)):
        assert got.dtype == np.int8
        assert got.tolist() == exact.astype(numpy.int8).tolist()
    # an int on the left of the array has its own dtype: a positive one is uint8
    assert (scalar - a).dtype == (np.int8 if scalar < 0 else np.int16)


@given(_INT8, st.floats(-100, 100, width=32))
def test_int8_with_a_float_is_float32_arithmetic(values, scalar):
    a = np.array(values, dtype=np.int8)
    x = numpy.array(values, numpy.float32)
    assert ((a - scalar) * 0.5).tolist() == ((x - numpy.float32(scalar)) * numpy.float32(0.5)).tolist()
    assert (a > scalar).tolist() == (x > numpy.float32(scalar)).tolist()


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=60))
def test_argsort_sorts_arrays_with_ties(values):
    a = np.array(values)
    order = np.argsort(a, axis=0).tolist()
    assert sorted(order) == list(range(len(values)))
    assert [values[i] for i in order] == sorted(values)


@given(st.lists(st.floats(width=32), min_size=1, max_size=40))
def test_max_and_argmax_ignore_nan_except_in_front(values):
    a = np.array(values)
    best, at = values[0], 0
    for i, value in enumerate(values):
        if value > best:
            best, at = value, i
    assert np.argmax(a) == at == np.argmax(a, axis=0)
    assert numpy.array_equal([np.max(a), np.max(a, axis=0)], [best, best], equal_nan=True)
