"""stubs/ulab against recorded truth: the results of the genuine ulab 6.12.0, case by case.

`data/ulab_cases.json.gz` is a selection of ../shared/golden/ulab_cases.json and all of ulab_forbidden.json,
made by `python3 scripts/dev/select_golden.py`; where ../shared stands beside the project, all 3058 cases run.
"""

import gzip
import json
import math
from pathlib import Path

import numpy
import omv
import pytest
import ulab
from hypothesis import given
from hypothesis import strategies as st
from ulab import UlabTrap, _host
from ulab import numpy as np

SELECTION = Path(__file__).resolve().parents[1] / "data" / "ulab_cases.json.gz"
# Of these cases the ones of which 6.7.3, that of firmware 4.8.1, makes something else: data/README.md.
OLDER = json.loads((SELECTION.parent / "ulab_6_7_3.json").read_text())


def _no_slice(*arguments):
    raise TypeError("can't create 'slice' instances")


def _namespace():
    """`np`, and what differs in MicroPython's own builtins: no slice objects, buffers of arrays."""
    return {
        "np": np,
        "slice": _no_slice,
        "memoryview": _host.memoryview,
        "bytearray": _host.bytearray,
    }


def _run(case):
    space = _namespace()
    for statement in case["setup"]:
        exec(statement, space)
    return eval(case["expr"], space)


def _outcome(case):
    """The value, or the exception."""
    try:
        return _run(case)
    except Exception as error:
        return error


def _number(value):
    return float(value) if isinstance(value, str) else value


def _near(got, want, case):
    want = _number(want)
    if isinstance(want, float) and math.isnan(want):
        return isinstance(got, float) and math.isnan(got)
    if "rtol" in case or "atol" in case:
        if math.isinf(want) or math.isinf(got):
            return got == want
        return abs(got - want) <= case.get("atol", 0) + case.get("rtol", 0) * abs(want)
    if isinstance(want, float):
        return numpy.float32(got) == numpy.float32(want)
    return got == want


def _difference(got, want, case):
    """What distinguishes a result from a recorded one, or None."""
    kind = want["kind"]
    if isinstance(got, Exception):
        if kind == "error" and type(got).__name__ == want["type"]:
            return None
        return f"{type(got).__name__}: {got}"
    if kind == "error":
        return f"{got!r} instead of {want['type']}: {want.get('message', '')}"
    if kind == "none":
        return None if got is None else repr(got)
    if kind == "array":
        if type(got) is not np.ndarray:
            return f"{type(got).__name__} instead of an array"
        dtype = "bool" if got._flag & 1 else "float" if got._np.dtype == numpy.float32 else got._np.dtype.name
        if dtype != want["dtype"] or list(got.shape) != want["shape"]:
            return f"{dtype}{list(got.shape)} instead of {want['dtype']}{want['shape']}"
        values = (got._np.astype(bool) if dtype == "bool" else got._np).flatten().tolist()
        return _differs(values, want["values"], case)
    if kind == "scalar":
        name = {"int": int, "float": float, "bool": bool}[want["dtype"]]
        if type(got) is not name:
            return f"{type(got).__name__} instead of {want['dtype']}"
        return _differs([got], want["values"], case)
    if kind in ("tuple", "list"):
        if not isinstance(got, (tuple, list)) or type(got).__name__ != kind or len(got) != len(want["items"]):
            return f"{got!r} instead of a {kind} of {len(want['items'])}"
        found = [_difference(g, w, case) for g, w in zip(got, want["items"])]
        return next((f for f in found if f), None)
    if kind == "bytes":
        if not isinstance(got, bytes if want["type"] == "bytes" else bytearray):
            return f"{type(got).__name__} instead of {want['type']}"
        return _differs(list(got), want["values"], case)
    if kind == "str":
        return None if [got] == want["values"] else f"{got!r} instead of {want['values'][0]!r}"
    raise AssertionError(f"unknown kind {kind}")


def _differs(got, want, case):
    wrong = [i for i, (g, w) in enumerate(zip(got, want)) if not _near(g, w, case)]
    if len(got) != len(want) or wrong:
        return f"{got[:20]} instead of {want[:20]}" + (f", first at {wrong[0]}" if wrong else "")
    return None


def verdict(case):
    """("agrees" or "refused" or "differs", detail)."""
    got = _outcome(case)
    if isinstance(got, UlabTrap) and case["trap"]:
        return "refused", got.kind
    found = _difference(got, case["expect"], case)
    if found and "expect_repr_c" in case:
        found = _difference(got, case["expect_repr_c"], case)
    return ("differs", found) if found else ("agrees", "")


def _check(cases):
    wrong = []
    for case in cases:
        found, detail = verdict(case)
        if found == "differs":
            setup = "; ".join(case["setup"])
            wrong.append(f"{case['id']}: {setup}{'; ' if setup else ''}{case['expr']} -> {detail}")
    assert not wrong, f"{len(wrong)} of {len(cases)} cases differ:\n" + "\n".join(wrong[:40])


# -- recorded truth


@pytest.fixture
def older_ulab():
    omv._host_set_version(4, 8, 1)
    yield
    omv._host_set_version()


def _as_6_7_3(cases):
    for case in cases:
        older = OLDER.get(case["id"])
        if older is None:
            yield case
        else:
            trap = older.get("trap", case["trap"])
            yield {**{k: v for k, v in case.items() if k != "expect_repr_c"}, **older, "expect": older, "trap": trap}


@pytest.fixture(scope="module")
def selection():
    return json.loads(gzip.decompress(SELECTION.read_bytes()))


def test_the_stub_agrees_with_the_recorded_selection(selection):
    assert len(selection["cases"]) > 500
    _check(selection["cases"])


def test_the_stub_agrees_with_every_recorded_case(shared):
    _check(json.loads((shared / "golden" / "ulab_cases.json").read_text()))


def test_as_firmware_4_8_1_the_stub_agrees_with_the_older_ulab(selection, older_ulab):
    cases = list(_as_6_7_3(selection["cases"]))
    assert sum(case["expect"] is OLDER.get(case["id"]) for case in cases) > 40
    _check(cases)


def test_as_4_8_1_the_stub_agrees_with_every_case_of_its_ulab(older_ulab, shared):
    _check(list(_as_6_7_3(json.loads((shared / "golden" / "ulab_cases.json").read_text()))))


def test_calls_that_crash_the_older_ulab_raise_ulabtrap(selection, older_ulab):
    _check_forbidden([case for case in selection["forbidden"] if "%" not in case["expr"]])


def _check_forbidden(cases):
    quiet = []
    for case in cases:
        space = _namespace()
        for statement in case["setup"]:
            exec(statement, space)
        try:
            exec(case["expr"], space)
        except UlabTrap as trap:
            assert len(str(trap)) > 20, f"{case['expr']}: says nothing: {trap}"
        except Exception as error:
            quiet.append(f"{case['setup']} {case['expr']}: {type(error).__name__}: {error}")
        else:
            quiet.append(f"{case['setup']} {case['expr']}: no exception, but {case['effect']} on the camera")
    assert not quiet, "\n".join(quiet)


def test_what_hangs_crashes_or_corrupts_memory_raises_ulabtrap(selection):
    assert len(selection["forbidden"]) == 47
    _check_forbidden(selection["forbidden"])


def test_every_forbidden_expression_beside_the_project_raises_ulabtrap(shared):
    _check_forbidden(json.loads((shared / "golden" / "ulab_forbidden.json").read_text()))


# -- strictness

# dir() of the genuine module, built as for OpenMV's boards
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


def test_numpy_has_the_firmwares_names_and_no_other():
    assert _public(np) == set(NUMPY_NAMES.split())


def test_arrays_have_the_firmwares_attributes_and_no_other():
    assert _public(np.array([1])) == set(ARRAY_NAMES.split())


def test_as_firmware_4_8_1_the_names_that_came_later_are_absent(older_ulab):
    assert _public(np) == set(NUMPY_NAMES.split()) - {"bincount", "meshgrid"}
    a = np.array([1, 2, 3])
    for ask in ("np.bincount", "np.meshgrid", "a.ndim"):
        with pytest.raises(AttributeError):
            eval(ask, {"np": np, "a": a})
    for ask in ("a % 2", "a.transpose((0,))", "exec('a %= 2')"):
        with pytest.raises(TypeError):
            eval(ask, {"np": np, "a": a})
    assert ulab.__version__.startswith("6.7.3")


def test_every_name_is_back_when_the_stub_is_the_newer_ulab_again():
    omv._host_set_version(4, 8, 1)
    omv._host_set_version()
    assert _public(np) == set(NUMPY_NAMES.split()) and ulab.__version__.startswith("6.12.0")
    a = np.array([1, 2, 3], dtype=np.uint8)
    assert (a.ndim, (a % 2).tolist(), a.transpose((0,)).tolist()) == (1, [1, 0, 1], [1, 2, 3])
    assert (np.array([5], dtype=np.int8) - (-128)).dtype == np.int8


def test_submodules_have_the_firmwares_names_and_no_other():
    for module, names in SUBMODULES.items():
        assert _public(module) == set(names.split()), module.__name__


def test_an_array_takes_no_new_attribute():
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


def test_a_trap_is_no_exception_that_ulab_itself_raises():
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


# -- traps that the recordings do not have, seen on the genuine module


def test_a_slice_of_a_mask_without_hits_is_a_trap():
    a = np.array([1.0, 2.0])
    nothing = a[a > 5]
    assert (nothing.ndim, nothing.shape, len(nothing)) == (0, (0,), 0)
    with pytest.raises(UlabTrap, match="slice of nothing"):
        nothing[:1]


def test_roll_by_a_negative_multiple_of_the_length_is_a_trap():
    a = np.array([1, 2, 3])
    assert np.roll(a, 3).tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(UlabTrap, match="behind the array"):
        np.roll(a, -3)


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


def test_computed_results_lie_in_memory_as_ulab_lays_them_out():
    a = np.array(range(24)).reshape((2, 3, 4))
    for result in (a.T + 1.0, np.max(a.T, axis=0), -a.T, a.T > 3, np.exp(a.T), np.where(a.T > 3, a.T, 0)):
        expected = 4 if result.dtype == np.float else 1
        for n, stride in zip(reversed(result.shape), reversed(result.strides)):
            assert stride == expected
            expected *= n


def test_wrap_gives_a_view_of_a_numpy_array():
    memory = numpy.zeros((2, 3), numpy.int8)
    a = _host.wrap(memory)
    memory[1, 2] = -5
    assert a[1, 2] == -5
    a[0] = 7
    assert memory.tolist() == [[7, 7, 7], [0, 0, -5]]
    assert a._np is memory
    assert a.dtype == np.int8
    assert _host.wrap(memory[:, ::2]).strides == (3, 2)


def test_wrap_gives_a_dense_array_the_strides_of_one():
    """numpy leaves those of axes of length 1 as they come; ulab's own test of density looks at the first."""
    memory = numpy.zeros((2, 3), numpy.int8)
    a = _host.wrap(memory[None])
    assert a.strides == (6, 3, 1) and a.shape == (1, 2, 3)
    memory[1, 2] = 4
    assert a[0, 1, 2] == 4
    assert _host.wrap(memory[::2][:, ::2]).strides == (6, 2)


def test_bytes_compare_with_dense_memory_and_with_nothing_else():
    """As on the emulated firmwares 5.0 and 4.8.1: MicroPython's bytes take what has the buffer protocol."""
    a = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.uint8)
    for dense in (a, a[:1], a[1], np.zeros(3), np.zeros((1, 2, 3), dtype=np.int16)):
        assert (b"" < dense) is True
    assert (b"\x02" < a) is False and (b"\x01" < a) is True
    for view in (a[:, ::2], a[::-1], a[0][::-1], a[:, :2], a[::2][:, :1]):
        with pytest.raises(TypeError, match="unsupported types for __lt__: 'bytes', 'ndarray'"):
            b"" < view  # noqa: B015
    with pytest.raises(UlabTrap):  # there: True, and whoever reads on reads the wrong bytes
        b"" < a[:, ::-1]  # noqa: B015
    assert (a > 3).tolist() == [[False, False, False], [True, True, True]]


def test_wrap_refuses_what_ulab_does_not_have():
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
    # on the left of the array an int does not know of its dtype: a positive one is uint8
    assert (scalar - a).dtype == (np.int8 if scalar < 0 else np.int16)


@given(_INT8, st.floats(-100, 100, width=32))
def test_int8_with_a_float_is_float32_arithmetic(values, scalar):
    a = np.array(values, dtype=np.int8)
    x = numpy.array(values, numpy.float32)
    assert ((a - scalar) * 0.5).tolist() == ((x - numpy.float32(scalar)) * numpy.float32(0.5)).tolist()
    assert (a > scalar).tolist() == (x > numpy.float32(scalar)).tolist()


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=60))
def test_argsort_sorts_whatever_the_ties(values):
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
