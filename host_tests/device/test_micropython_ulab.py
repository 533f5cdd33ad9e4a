"""host_tests/micropython/modules/ulab has the part of ulab that lib uses, with the same results, on a real MicroPython and
on CPython, on which the site's page runs it.

They are compared with recorded results of ulab 6.12.0 and 6.7.3 (data/README.md), and also with stubs/ulab.
"""

from __future__ import annotations

import ast
import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import omv
import pytest
import vm
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ulab_cases import OLDER, SELECTION, Case, agrees, as_6_7_3, run

HERE = Path(__file__).parents[1]
ROOT = HERE.parent
SHARED = ROOT.parent / "shared" / "golden"

# Features that a class in this MicroPython cannot have. lib does not use them.
OUTSIDE: tuple[str, ...] = (
    r"(\*|/|%|&|\||\^)=",  # a class can define only += and -= of the in-place operators
    r"memoryview\(v\)|bytes\(v\)",  # the buffer of a class consists of bytes, and only dense arrays have one
    r"np\.ndarray\(|type\(a\)",  # dense arrays and other arrays have different classes
)
# On CPython: a class has no buffer before 3.12, and the address of a read-only view is not known.
OUTSIDE_CPYTHON = (r'memoryview\(b"', *[r"(bytes|bytearray|memoryview)\(a\)"] * (sys.version_info < (3, 12)))

pytestmark = pytest.mark.xdist_group("micropython_ulab")


class CPython:
    """A Python of its own, which imports this ulab and not stubs/ulab. `run` is that of a vm.Machine."""

    LOOP = """
import contextlib, io, json, sys, traceback
space = {}
for line in sys.stdin:
    error = ""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            exec(json.loads(line), space)
        except Exception:
            error = traceback.format_exc()
    print(json.dumps([printed.getvalue(), error]), flush=True)
"""

    def __init__(self) -> None:
        self._process = subprocess.Popen([sys.executable, "-c", self.LOOP], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, script: str) -> str:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(script).encode() + b"\n")
        self._process.stdin.flush()
        printed: str
        printed, error = json.loads(self._process.stdout.readline())
        assert not error, error
        return printed

    def close(self) -> None:
        self._process.communicate()


Python = vm.Machine | CPython


@pytest.fixture(scope="module", params=["MicroPython", "CPython"])
def machine(request: pytest.FixtureRequest) -> Iterator[Python]:
    modules, scripts = HERE / "micropython" / "modules", HERE / "micropython" / "scripts"
    made: Python
    if request.param == "CPython":
        made = CPython()
        path = [str(modules), str(scripts)]
    else:
        made = vm.Machine(16 << 20, {"/lib": modules, "/test": scripts})
        made.run("import sys\nsys.path.clear()")
        path = ["/lib", "/test", ".frozen"]
    made.run(f"import sys\nsys.path[:0] = {path!r}\nimport json, ulab\nfrom ulab_case import run_all")
    yield made
    made.close()


def answers(machine: Python, cases: list[Case], at_once: int = 20) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for at in range(0, len(cases), at_once):
        asked = json.dumps([[case["setup"], case["expr"]] for case in cases[at : at + at_once]])
        found += json.loads(machine.run(f"run_all(json.loads({asked!r}))"))
    return found


def check(machine: Python, cases: list[Case]) -> dict[str, int]:
    """Number of cases that agree, and that are left out: those that are traps of stubs/ulab too. The others fail."""
    inside = []
    outside = OUTSIDE + OUTSIDE_CPYTHON * isinstance(machine, CPython)
    for case in cases:
        text = "\n".join([*case["setup"], case["expr"]])
        # Arrays of 100,000 elements and more would need ten times the heap.
        if not case["id"].startswith("large") and not any(re.search(part, text) for part in outside):
            inside.append(case)
    counts = {"agrees": 0, "left out": len(cases) - len(inside)}
    wrong = []
    for case, got in zip(inside, answers(machine, inside)):
        if got["kind"] == "unmodelled":
            counts["left out"] += 1
        elif agrees(got, case):
            counts["agrees"] += 1
        elif case["trap"]:
            counts["left out"] += 1
        else:
            wrong.append(f"{case['id']}: {case['setup']} {case['expr']}: {case['expect']}, not {got}"[:400])
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong[:20])
    return counts


@pytest.fixture
def older(machine: Python) -> Iterator[Python]:
    machine.run("ulab.follow(7)")
    yield machine
    machine.run("ulab.follow(12)")


def test_the_ulab_for_tests_agrees_with_the_recorded_selection(machine: Python) -> None:
    counts = check(machine, SELECTION["cases"])
    assert counts["agrees"] > 880, counts


def test_as_6_7_3_the_ulab_agrees_with_the_recorded_selection(older: vm.Machine) -> None:
    counts = check(older, as_6_7_3(SELECTION["cases"]))
    assert counts["agrees"] > 880, counts


@pytest.mark.shared
@pytest.mark.parametrize("version", ["6.12.0", "6.7.3"])
def test_the_ulab_agrees_with_every_recorded_case(version: str, machine: Python, request: pytest.FixtureRequest) -> None:
    cases = json.loads((SHARED / "ulab_cases.json").read_text(encoding="utf-8"))
    if version == "6.7.3":
        request.getfixturevalue("older")
        cases = [case for case in as_6_7_3(cases) if case["id"] in OLDER]
    counts = check(machine, cases)
    assert counts["agrees"] > (2180 if version == "6.12.0" else 30), counts


def test_every_name_that_lib_and_the_camera_scripts_use_is_there(machine: Python) -> None:
    used = set()
    for file in [*(ROOT / "lib" / "n6post").rglob("*.py"), *(ROOT / "scripts" / "examples").glob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "np":
                used.add(node.attr)
    assert len(used) > 25
    for name in sorted(used):
        machine.run(f"from ulab import numpy\nnumpy.{name}")


# -- against stubs/ulab

DTYPES = ("uint8", "int8", "uint16", "int16", "float")
LIMITS = {"uint8": (0, 255), "int8": (-128, 127), "uint16": (0, 65535), "int16": (-32768, 32767)}


@st.composite
def arrays(draw: st.DrawFn, shape: tuple[int, ...] = ()) -> str:
    """An expression for an array, of up to three dimensions or of this shape; sometimes a view."""
    dtype = draw(st.sampled_from(DTYPES))
    dims = shape or draw(st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple))
    if dtype == "float":
        element: Any = st.floats(-10000.0, 10000.0, width=32).map(lambda v: v + 0.0) | st.sampled_from([0.5, 2.0**-100])
    else:
        element = st.integers(*LIMITS[dtype])
    many = math.prod(dims)
    values = draw(st.lists(element, min_size=many, max_size=many))
    made = f"np.array({values!r}, dtype=np.{dtype}).reshape({dims!r})"
    if shape:
        return made
    ways = ["", "", "[::-1]"] + ["[1:]"] * (dims[0] > 1) + ["[:, ::2]"] * (len(dims) > 1) + [".T"] * (len(dims) == 2)
    return made + draw(st.sampled_from(ways))


numbers = st.integers(-300, 300).map(repr) | st.floats(-256.0, 256.0, width=16).map(repr)


@st.composite
def expressions(draw: st.DrawFn) -> tuple[list[str], str]:
    """(statements, expression) with operations that lib performs on arrays."""

    def one_of(*choices: str) -> str:
        return draw(st.sampled_from(choices))

    a = f"a = {draw(arrays())}"
    kind = one_of("two", "reduce", "one", "choose", "index", "assign", "convert", "dot", "memory")
    if kind == "two":
        return [a, f"b = {draw(arrays() | numbers)}"], f"a {one_of('+', '-', '*', '/', '<', '<=', '>', '>=', '==', '!=')} b"
    if kind == "reduce":
        name = one_of("max", "min", "argmax", "argmin", "sum", "mean", "all", "any")
        return [a], f"np.{name}(a{one_of('', ', axis=0', ', axis=-1', ', axis=1')})"
    if kind == "one":
        return [a], one_of(*[f"np.{n}(a)" for n in ("floor", "ceil", "isfinite", "nonzero", "sort")], "-a", "~a", "abs(a)")
    if kind == "choose":
        asked = one_of("maximum(a, b)", "minimum(a, b)", "where(a > 3, a, b)", "clip(a, 2, b)")
        return [a, f"b = {draw(numbers)}"], f"np.{asked}"
    if kind == "index":
        return [a], f"a[{one_of('0', '-1', '1:', ':-1', '::2', '::-1', '0, 1:', ':, 0', '1, 1', '..., 0', '9', '9:')}]"
    if kind == "assign":
        return [a, f"a[{one_of('0', '1:', '::2', ':', ':, 0', '0, 1:', '0, 0')}] = {draw(numbers)}"], "a"
    if kind == "convert":
        return [a], f"np.array(a, dtype=np.{one_of(*DTYPES)})"
    if kind == "dot":
        n, m, k = (draw(st.integers(1, 4)) for _ in range(3))
        return [f"a = {draw(arrays((n, m)))}", f"b = {draw(arrays((m, k)))}"], "np.dot(a, b)"
    shared = "a.tobytes()", "a.reshape((len(a), -1))", "a.copy()", "a.flatten()", "b'' < a", "a.tolist()"
    return [a], one_of(*shared, "np.take(a, [0], axis=0)", "a[a > 5]", "a.T", "a.strides", "a.size")


def compare(machine: Python, setup: list[str], expression: str) -> None:
    wanted = run(setup, expression)
    if wanted["kind"] == "trap":  # the stub's traps need not be refused by this ulab
        return
    (got,) = answers(machine, [{"setup": setup, "expr": expression}])
    assert agrees(got, {"expect": wanted}), f"{setup} {expression}: {wanted}, not {got}"


@pytest.mark.proof("host_tests/micropython/**/*.py", "stubs/ulab/**/*.py")
@settings(max_examples=400)
@example((["a = np.array([0, 0], dtype=np.uint8).reshape((1, 2)).T"], "b'' < a"))
@example((["a = np.array([0, 0], dtype=np.uint8).reshape((2, 1)).T"], "b'' < a"))
@given(expressions())
def test_array_operations_of_lib_agree_with_the_stub(machine: Python, case: tuple[list[str], str]) -> None:
    compare(machine, *case)


@pytest.mark.usefixtures("older")
@settings(max_examples=100)
@given(expressions())
def test_array_operations_of_lib_agree_with_the_stub_as_6_7_3(machine: Python, case: tuple[list[str], str]) -> None:
    omv._host_set_version(4, 8, 1)
    try:
        compare(machine, *case)
    finally:
        omv._host_set_version()
