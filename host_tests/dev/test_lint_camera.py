"""scripts/dev/lint_camera.py: lib and scripts/examples have no findings, and each rule agrees with a camera's behavior."""

from __future__ import annotations

import ast
import contextlib
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import omv
import pytest
import vm
from ulab import UlabTrap
from ulab import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts" / "dev"))

import lint_camera  # noqa: E402

LIB = ROOT / "lib" / "n6post" / "made_up.py"


class Example(NamedTuple):
    """Examples of a rule.

    wrong   files that each have findings of this rule and of no other
    right   files without a finding
    shown   lines that run on a MicroPython with ulab (those with ulab also on the stand-in)
    traps   expressions that crash or corrupt memory there: the stand-in raises UlabTrap
    old_only    whether `shown` applies to firmware 4.8.1 only
    """

    wrong: tuple[str, ...]
    right: tuple[str, ...]
    shown: str = ""
    traps: tuple[str, ...] = ()
    old_only: bool = False


def ulab(*lines: str) -> tuple[str, ...]:
    return tuple("from ulab import numpy as np\n" + line for line in lines)


def refused(code: str, error: str = "SyntaxError") -> str:
    """A line of `shown`: MicroPython refuses this code."""
    return f"refused({code!r}, {error})\n"


REFUSED = """
def refused(code, error):
    try:
        exec(code, {"np": np})
    except error:
        return
    raise AssertionError(code)
"""

EXAMPLES = {
    "syntax": Example(
        ("match 1:\n    case 1:\n        pass\n", "from micropython import const\n_A = const(len('a'))\n"),
        ("from micropython import const\n_A = const(3)\n_B = const(_A + 1)\n",),
        refused("match 1:\n case 1: pass") + refused("from micropython import const\n_A = const(len('a'))"),
    ),
    "display-unpacking": Example(
        ("a = [1]\nb = [*a, 2]\n", "a = {}\nb = {**a}\n", "a = (1,)\nb = (0, *a)\n"),
        ("a = [1]\nb = a + [2]\nfirst, *rest = b\nprint(*rest)\n",),
        refused("b = [*[1]]") + refused("b = (0, *[1])") + refused("b = {**{}}") + "a, *b = [1, 2]\nassert b == [2]\n",
    ),
    "positional-only": Example(
        ("def f(a, /, b):\n    return a\n", "f = lambda a, /: a\n"),
        ("def f(a, *, b):\n    return a\n",),
        refused("def f(a, /): pass") + "def f(a, *, b): return b\nassert f(1, b=2) == 2\n",
    ),
    "star-after-keyword": Example(
        ("print(*[1], end='', *[2])\n",),
        ("print(*[1], *[2], end='', **{})\n",),
        refused("(lambda a, b: 0)(b=1, *[2])", "TypeError"),
    ),
    "const-place": Example(
        ("from micropython import const\nclass A:\n    _X = const(3)\n",),
        (
            "from micropython import const\n_X = const(3)\nclass A:\n    x = _X\n",
            "from micropython import const\ndef f():\n    _X = const(3)\n    return _X\n",
        ),
        refused("from micropython import const\nclass A:\n  _X = const(3)\nA()._X", "AttributeError"),
    ),
    "const-import": Example(
        (
            "from .families.maps.movenet import _MOST_KEYPOINTS\n",
            "from .kernels.portable import maps\nprint(maps._BLOCK)\n",
        ),
        ("from .kernels.params.boxes import ROW\n", "from .kernels.params import boxes\nprint(boxes.ROW)\n"),
        "from micropython import const\nexec('_X = const(3)\\nY = const(4)')\nassert '_X' not in globals() and Y == 4\n",
    ),
    "package-import": Example(
        ("from . import zones\n",),
        ("from .families.processor import Processor\n", "from .kernels import boxes\n"),
    ),
    "hasattr": Example(
        ("print(hasattr(1, 'a'))\n",),
        ("print(getattr(1, 'a', None))\n",),
        refused("class Lazy:\n  def __getattr__(self, name): raise MemoryError\nhasattr(Lazy(), 'a')", "MemoryError"),
    ),
    "heap-size": Example(
        ("import gc\nprint(gc.mem_free())\n", "import gc\nprint(gc.mem_alloc())\n", "import gc\ngc.collect()\n"),
        ("import gc\ngc.disable()\n", "print(len(b''))\n"),
        "import gc\ngc.collect()\nassert gc.mem_alloc() > 0 and gc.mem_free() > 0\n",
    ),
    "memory-error": Example(
        (
            "try:\n    a = []\nexcept MemoryError:\n    a = None\n",
            "try:\n    a = []\nexcept (ValueError, Exception) as e:\n    a = e\n",
            "try:\n    a = []\nexcept:\n    a = None\n",
        ),
        (
            "try:\n    a = []\nexcept MemoryError:\n    a = None\n    raise\n",
            "try:\n    a = []\nexcept ValueError:\n    a = 0\n",
        ),
        "assert issubclass(MemoryError, Exception)\n",
    ),
    "stable-sort": Example(
        ("a = sorted([], key=lambda d: d.score)\n", "a = []\na.sort(key=len, reverse=True)\n"),
        ("a = sorted([])\nb = sorted([(1, 0)], key=lambda pair: (-pair[0], pair[1]))\na.sort()\n",),
        "a = [(5, 0), (3, 1), (5, 2), (3, 3), (5, 4), (3, 5), (5, 6)]\na.sort(key=lambda t: t[0])\n"
        "assert a != sorted(a)\n",
    ),
    "namedtuple": Example(
        (
            "def f(t):\n    return t._replace(a=1)\n",
            "def f(t):\n    return t._asdict()\n",
            "from collections import namedtuple\nT = namedtuple('T', ('a',), defaults=[1])\n",
        ),
        ("from collections import namedtuple\nT = namedtuple('T', ('a',))\nprint(T(1).a)\n",),
        "from collections import namedtuple\nT = namedtuple('T', ('a',))\n"
        "assert not [n for n in ('_replace', '_asdict', '_make', '_fields') if n in dir(T) + dir(T(1))]\n"
        + refused("from collections import namedtuple\nnamedtuple('T', ('a',), defaults=[1])", "TypeError"),
    ),
    "step-slice": Example(
        ("a = 'abc'[::2]\n", "a = bytes(4)[::-1]\n", "a = bytearray(4)\na[::2] = b'ab'\n", "a = (1, 2, 3)\nb = a[::2]\n"),
        (*ulab("a = np.zeros(4)\nb = a[::2]\na[::2] = b\n"), "def f(a):\n    return a[::2]\na = 'abc'[1:]\n"),
        "".join(
            refused(code, "NotImplementedError")
            for code in ("'abc'[::2]", "bytes(4)[::-1]", "(1, 2)[::2]", "a = [1]; a[::2] = [2]")
        )
        + "assert [1, 2, 3][::2] == [1, 3]\n",
    ),
    "absent-name": Example(
        (
            "a = 'ab'.removeprefix('a')\n",
            "a = (5).bit_length()\n",
            "a = format(3, 'x')\n",
            "a = 'a b'.split(maxsplit=1)\n",
            "a = isinstance(1, int | str)\n",
            "a = slice(1, 2)\n",
            "class A(metaclass=type):\n    pass\n",
        ),
        ("a = 'ab'.replace('a', '')\nb = '{:x}'.format(3)\nc = 'a b'.split(None, 1)\nclass A(list):\n    pass\n",),
        f"ABSENT = {sorted(lint_camera.ABSENT_METHODS)}\n"
        "assert not [n for n in ABSENT for t in (str, bytes, int, float, list) if n in dir(t)]\n"
        f"import builtins\nassert not [n for n in {sorted(lint_camera.ABSENT_BUILTINS)} if n in dir(builtins)]\n"
        + "".join(
            refused(code, "TypeError")
            for code in (
                "'a b'.split(maxsplit=1)", "'a b'.rsplit(maxsplit=1)", "(5).to_bytes(2, 'big', signed=True)",
                "sum([1], start=2)", "slice(1, 2)", "list(zip([1], strict=True))", "print('', flush=True)", "int | str",
                "class A(metaclass=type): pass",
            )
        ),
    ),  # fmt: skip
    "absent-module": Example(
        ("import functools\n", "from contextlib import suppress\n"),
        ("import json, time, image\ntry:\n    from functools import cache\nexcept ImportError:\n    cache = None\n",),
        refused("import contextlib", "ImportError") + refused("import dataclasses", "ImportError"),
    ),
    "float-literal": Example(
        ulab("a = np.zeros(3)\nb = a >= 0.9\n", "_K = 0.1\ndef f(a):\n    return np.max(a) + a[:, 0] * _K\n")
        + ulab("a = np.array([0.5, 0.9])\n", "a = np.zeros(3)\na[1] = 0.9\n")
        + ("from struct import pack\na = pack('f', 0.9)\n", "a = int(1e9)\n"),
        ulab("a = np.array([0.5, 3])\nb = (a >= 0.5) * (a < 1e-3 + 0.125)\n", "def f(score):\n    return score > 0.9\n")
        + ("a = -1e9 <= int(4e5) <= 1e9\n",),
        "import struct\nassert struct.pack('f', 0.9) != b'fff?' and struct.pack('f', 0.03) == struct.pack('I', 0x3cf5c28f)\n"
        "assert (np.frombuffer(b'fff?', dtype=np.float) == 0.9).tolist() == [False] and int(1e9) == 1000000128\n",
    ),
    "absent-ulab": Example(
        ulab("a = np.abs(np.zeros(3))\n", "a = np.zeros(3).astype(np.int8)\n", "def f(a):\n    return np.max(a) - a.min()\n")
        + ulab("def f(a):\n    return a[:, 0] @ a[0, :]\n"),
        ulab("a = np.zeros(3)\na = np.array(a, dtype=np.int8)\nb = a.copy().size\n", "def f(d):\n    return d.min()\n"),
        "assert not [n for n in 'abs isnan reshape stack unique zeros_like einsum round'.split() if n in dir(np)]\n"
        "assert not [n for n in 'astype sum max min argmax any fill take'.split() if n in dir(np.zeros(1))]\n",
    ),
    "later-ulab": Example(
        ulab("a = np.bincount(np.zeros(3, dtype=np.uint8))\n", "a = np.zeros(3)\nb = a.ndim\n", "a = np.zeros(3) % 2.0\n"),
        ulab("a = np.zeros(3)\nb = len(a.shape)\nc = 5 % 2\n"),
        "assert 'bincount' not in dir(np) and 'meshgrid' not in dir(np)\n"
        + refused("np.zeros(3).ndim", "AttributeError")
        + refused("np.zeros(3) % 2.0", "TypeError"),
        old_only=True,
    ),
    "keyword-dtype": Example(
        ulab("a = np.zeros(3, np.uint8)\n"),
        ulab("a = np.zeros(3, dtype=np.uint8)\n"),
        refused("np.zeros(3, np.uint8)", "TypeError"),
    ),
    "scalar-left": Example(
        ulab("a = np.zeros(3)\nb = 0.5 < a\n", "def f(a, threshold):\n    b = np.max(a)\n    return threshold <= a[:, 0]\n"),
        ulab("a = np.zeros(3)\nb = a > 0.5\nc = 1 < 2\nd = a < a\n"),
        refused("0.5 < np.zeros(3)", "TypeError") + refused("2 >= np.zeros(3)", "TypeError"),
    ),
    "int-with-array": Example(
        ulab(
            "a = np.zeros(3, dtype=np.int8)\nb = a - 3\n",
            "def f(q, zero_point):\n    return np.max(q) + float(len(q)) + (q - len(q))\n",
            "a = np.zeros(3)\nb = a < -128\n",
            "a = np.zeros(3, dtype=np.uint8)\nb = a >= 300\n",
            "a = np.zeros(3, dtype=np.uint8)\na += 1\n",
        ),
        ulab("a = np.zeros(3, dtype=np.int8)\nb = np.array(a, dtype=np.float) - 3.0\nc = a >= 3\nd = np.zeros(3) - 3\n"),
        "a = np.array([100, -100], dtype=np.int8)\nassert (a + 100).tolist() == [-56, 0]\n"
        "assert (np.array([5.0]) < -200).tolist() == [True]\n",
    ),
    "int16-with-float": Example(
        ulab("a = np.zeros(3, dtype=np.int16)\nb = a - 3.0\n", "a = np.zeros(3, dtype=np.int16)\nb = a > 0.5\n"),
        ulab("a = np.zeros(3, dtype=np.int16)\nb = np.array(a, dtype=np.float) - 3.0\nc = a + 3.0\n"),
        "a = np.array([-5], dtype=np.int16)\nassert (a - 3.0).tolist() == [65528.0] and (a > 3.0).tolist() == [True]\n"
        "assert (a + 3.0).tolist() == [-2.0]\n",
    ),
    "same-array": Example(
        ulab("a = np.zeros(3)\nb = a == a\n", "a = np.zeros((3, 2))\nb = a[:, 0]\nc = b != b\n"),
        ulab("a = np.zeros(3)\nb = a == a[:]\nx = 0.5\nc = x != x\n"),
        "a = np.array([float('nan')])\nassert (a == a) is True and (a == a[:]).tolist() == [False]\n",
    ),
    "equals-scalar": Example(
        ulab("a = np.zeros(3)\nb = a == np.max(a)\n", "a = np.zeros(3)\nb = a[0] == a\n"),
        ulab("a = np.zeros(3)\nb = a == a[0:1]\nc = np.argmax(a)\nd = a == 0.5\n"),
        "a = np.frombuffer(b'fff?' + bytes(4), dtype=np.float)\nassert (a == np.max(a)).tolist() == [False, False]\n",
    ),
    "truth": Example(
        ulab("a = np.zeros(3)\nif a:\n    pass\n", "a = np.zeros(3)\nb = not a > 0.5\n")
        + ulab("a = np.zeros(3)\nb = a > 0.5 and 3\n"),
        ulab("a = np.zeros(3)\nif len(a) and np.any(a):\n    pass\n", "def f(a):\n    return np.max(a) if a[0] else 0\n"),
        "assert np.array([0.0]) and not np.any(np.array([0.0]))\n",
    ),
    "sum-without-axis": Example(
        ulab("a = np.sum(np.zeros(3))\n"),
        ulab("a = np.dot(np.zeros(3), np.ones(3))\nb = sum([1, 2])\n"),
        "a = np.sum(np.array([float('inf'), 1.0]))\nassert a != a\nassert np.sum(np.array([1.0] + [0.0] * 4)) < 1\n",
    ),
    "sum-wraps": Example(
        ulab("a = np.zeros((2, 300), dtype=np.uint8)\nb = np.sum(a, axis=1)\n")
        + ulab("b = np.sum(np.ones((2, 300)) > 0.5, axis=1)\n"),
        ulab("b = np.sum(np.ones((2, 300)), axis=1)\n", "b = np.sum(np.where(np.ones((2, 300)) > 0.5, 1.0, 0.0), axis=1)\n"),
        "a = np.ones((1, 300), dtype=np.uint8)\nassert np.sum(a, axis=1).tolist() == [44]\n",
    ),
    "long-axis": Example(
        ulab("def f(a):\n    return np.max(a, axis=0)\n", "a = np.max(np.zeros((70000, 2)), axis=0)\n"),
        ulab("def f(a):\n    return np.max(a) + np.any(a[:4])\n", "a = np.max(np.zeros((2, 70000)), axis=0)\n"),
        traps=("np.max(np.zeros((2, 70000), dtype=np.int8), axis=1)",),
    ),
    "argmax-axis": Example(
        ulab("def f(a):\n    return np.argmax(a, axis=1)\n", "a = np.argmax(np.zeros((2, 40000)), axis=1)\n"),
        ulab("def f(a):\n    return np.argmax(a)\n", "a = np.argmin(np.zeros((2, 70000)), axis=0)\n"),
        "a = np.zeros((1, 40000), dtype=np.int8)\na[0, 39999] = 1\nassert np.argmax(a[:, :300], axis=1).dtype == np.int16\n",
        ("np.argmax(np.array([[0] * 39999 + [1]], dtype=np.int8), axis=1)",),
    ),
    "many-hits": Example(
        ulab("def f(a):\n    return np.nonzero(a)[0]\n"),
        ulab("a = np.zeros(65535)\nb = np.nonzero(a)[0]\nc = np.nonzero(a[:9] > 0.5)[0]\n"),
        "assert np.nonzero(np.ones(3))[0].dtype == np.uint16\n",
        ("np.nonzero(np.ones(65536, dtype=np.uint8))",),
    ),
    "argsort": Example(
        ulab("a = np.argsort(np.zeros(3), axis=0)\n", "a = np.sort(np.zeros(3, dtype=np.int8))\n")
        + ulab("a = np.zeros(3)\na.sort()\n"),
        ulab("a = np.sort(np.zeros(3))\nb = [1]\nb.sort()\n"),
        "assert np.sort(np.array([1, -1], dtype=np.int8)).tolist() == [1, -1]\n",
        ("np.argsort(np.array(range(40000, 0, -1)), axis=0)",),
    ),
    "transpose-3d": Example(
        ulab("a = np.zeros((2, 3, 4)).transpose()\n", "def f(a):\n    return np.max(a) + a.T\n"),
        ulab("a = np.zeros((2, 3)).transpose()\nb = a.T\n", "def f(a):\n    return a[:, :3].T\n"),
    ),
    "turned-bytes": Example(
        ulab(
            "a = np.zeros((2, 3)).T\nb = a.reshape((6,))\n",
            "a = np.zeros((2, 3))[:, ::-1]\nb = a.tobytes()\n",
            "a = np.zeros((2, 3)).transpose()\nb = np.frombuffer(a, dtype=np.uint8)\n",
        ),
        ulab("a = np.zeros((2, 3)).T.copy()\nb = a.reshape((6,))\nc = np.zeros((2, 3))[:, 1:].tobytes()\n"),
        traps=("np.array(range(6), dtype=np.uint8).reshape((2, 3))[:, ::-1].tobytes()",),
    ),
    "index": Example(
        ulab("a = np.zeros(3)\nb = a[[1, 2]]\n", "a = np.zeros(3)\nb = a[None]\n", "a = np.zeros(3)\nb = a[..., 0]\n")
        + ulab("a = np.zeros(3)\nb = a[np.nonzero(np.zeros(9))[0]]\n"),
        ulab("a = np.zeros(3)\nb = np.take(a, [1, 2])\nc = a[a > 0.5]\n", "a = {None: 1}\nb = a[None]\n"),
        "",
        ("np.array([1, 2, 3])[[1, 2]]", "np.array([1, 2, 3])[None]", "np.array([1, 2, 3])[...]"),
    ),
    "take-int": Example(
        ulab("a = np.zeros(3)\nb = np.take(a, 2)\n"),
        ulab("a = np.zeros(3)\nb = np.take(a, [2])\nc = a[2]\n"),
        traps=("np.take(np.array(range(10)), 3)",),
    ),
    "dot-3d": Example(
        ulab("a = np.dot(np.zeros((2, 3, 4)), np.zeros(4))\n"),
        ulab("a = np.dot(np.zeros((2, 3, 4)).reshape((6, 4)), np.zeros((4, 1)))\n"),
        traps=("np.dot(np.ones((2, 3, 4)), np.ones(4))",),
    ),
    "keepdims": Example(
        ulab("a = np.max(np.zeros((2, 3)), axis=1, keepdims=True)\n"),
        ulab("a = np.max(np.zeros((2, 3)), axis=1).reshape((2, 1))\n"),
        "",
        ("np.mean(np.array([[1, 2], [3, 4]], dtype=np.uint8), axis=1, keepdims=True)",),
    ),
    "assigned-shape": Example(
        ulab("a = np.zeros((2, 3))\na.shape = (6,)\n"),
        ulab("a = np.zeros((2, 3)).reshape((6,))\n"),
        traps=("setattr(np.array(range(6)).reshape((2, 3)), 'shape', (6,))",),
    ),
    "array-abs": Example(
        ulab("a = abs(np.zeros(3))\n"),
        ulab("a = np.zeros(3)\nb = np.maximum(a, -a)\nc = abs(-3)\n"),
        traps=("abs(np.array([1, 2, 3, 4, 5, 6, 7, 8, 9], dtype=np.uint8))",),
    ),
    "int-division": Example(
        ulab("a = np.zeros(3, dtype=np.uint8)\nb = a / 2\n"),
        ulab("a = np.zeros(3, dtype=np.uint8)\nb = np.array(a, dtype=np.float) / 2\nc = a // 2\nd = 3 / 2\n"),
        "assert (np.array([3], dtype=np.uint8) / 2).tolist() == [1.0]\n",
        ("np.array([5, 6], dtype=np.uint8) / 0",),
    ),
    "marker": Example(
        (
            "a = 1  # camera: long-axis: nothing is long here\n",
            "a = 1  # camera: long: misspelled\n",
        ),
        ulab("def f(a):\n    return np.max(a, axis=0)  # camera: long-axis: ten at most\n"),
    ),
}  # fmt: skip

# The rules that the stand-in can confirm. It cannot show the missing bits of a camera's float.
ULAB = [name for name, e in EXAMPLES.items() if "np." in e.shown + "".join(e.traps)]
ULAB = [name for name in ULAB if name not in ("float-literal", "equals-scalar")]


def rules_of(source: str, folder: Path) -> set[str]:
    """The rules of the findings in a file, from the linter or else from mpy-cross."""
    found = lint_camera.lint(source, LIB)
    if not found:
        file = folder / "made_up.py"
        file.write_text(source, encoding="utf-8")
        found = lint_camera.refused(file)
    return {finding.rule for finding in found}


def test_the_library_and_the_camera_scripts_have_no_findings(capsys: pytest.CaptureFixture[str]) -> None:
    assert lint_camera.main([]) == 0, capsys.readouterr().out


def test_every_rule_has_examples_and_a_fact() -> None:
    assert set(EXAMPLES) == set(lint_camera.RULES)
    assert all(len(fact) > 30 for fact in lint_camera.RULES.values())
    shown = [name for name, example in EXAMPLES.items() if example.shown or example.traps]
    # They concern n6post's own package, memory that is rarely in use, and the linter itself.
    assert set(EXAMPLES) - set(shown) == {"package-import", "transpose-3d", "marker"}


@pytest.mark.parametrize("rule", EXAMPLES)
def test_a_rule_finds_wrong_code_and_accepts_right_code(rule: str, tmp_path: Path) -> None:
    for source in EXAMPLES[rule].wrong:
        assert rules_of(source, tmp_path) == {rule}, source
    for source in EXAMPLES[rule].right:
        assert rules_of(source, tmp_path) == set(), source


@pytest.mark.parametrize("rule", ULAB)
def test_the_stand_in_for_ulab_agrees_with_each_rule(rule: str) -> None:
    example = EXAMPLES[rule]
    for version in ((4, 8, 1), (5, 0, 0)):
        omv._host_set_version(*version)
        space: dict[str, Any] = {"np": np}
        exec(REFUSED, space)
        if version < (5,) or not example.old_only:
            for statement in ast.parse(example.shown).body:
                with contextlib.suppress(UlabTrap):  # the stand-in refuses calls that are silently wrong in ulab
                    exec(ast.unparse(statement), space)
        for trap in example.traps:
            with pytest.raises(UlabTrap):
                eval(trap, {"np": np})


def test_a_micropython_with_ulab_agrees_with_the_rules(tmp_path: Path) -> None:
    binary = vm.with_ulab()
    for rule, example in EXAMPLES.items():
        old = "if not ulab.__version__.startswith('6.7'):\n    raise SystemExit\n" if example.old_only else ""
        code = "import ulab\nfrom ulab import numpy as np\n" + old + REFUSED + example.shown
        done = subprocess.run([binary, "-c", code], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, f"{rule}: {done.stdout}{done.stderr}"


# ---- markers, and the command ----

LONG = "from ulab import numpy as np\ndef f(a):\n    return np.max(a, axis=0)\n"


def test_a_finding_shows_file_line_message_and_fact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "script.py"
    file.write_text(LONG, encoding="utf-8")
    assert lint_camera.main([str(file)]) == 1
    assert capsys.readouterr().out == f"{file}:3: long-axis: np.max(a, axis=0): {lint_camera.RULES['long-axis']}\n"
    file.write_text("a = 1\n", encoding="utf-8")
    assert lint_camera.main([str(file)]) == 0 and not capsys.readouterr().out
    file.write_text("a = (\n", encoding="utf-8")
    assert lint_camera.main([str(file)]) == 1 and ":1: syntax: " in capsys.readouterr().out


@pytest.mark.parametrize(
    "marked",
    [
        LONG.replace("\n    return", "\n    # camera: long-axis: ten at most\n    return"),
        LONG.replace("\n    return", "\n    # camera: long-axis: ten at most, as\n    # everybody knows\n    return"),
        LONG.replace("axis=0)", "\n        axis=0)  # camera: long-axis: ten at most"),
    ],
)
def test_a_marker_is_at_the_end_of_the_line_or_above_it(marked: str) -> None:
    assert marked != LONG and lint_camera.lint(marked, LIB) == []


@pytest.mark.parametrize("marker", ["long-axis", "long-axis:", "many-hits: not this rule", "", ": no rule"])
def test_a_marker_needs_a_reason_and_the_name_of_the_rule(marker: str) -> None:
    found = lint_camera.lint(LONG.replace("axis=0)", f"axis=0)  # camera: {marker}"), LIB)
    assert [f.rule for f in found] == ["long-axis", "marker"]


def test_a_marker_in_a_string_has_no_effect() -> None:
    assert lint_camera.lint('a = "# camera: long-axis: text"\n', LIB) == []


# ---- recognizing arrays ----


@pytest.mark.parametrize(
    "lines",
    [
        "def f(p):\n    q = p.reshape((3, 4))\n    return 0.5 < q\n",
        "def f(p):\n    return 0.5 < p[:, 0]\n",
        "def f(p):\n    x, y = np.zeros((2, 3))\n    return 0.5 < x\n",
        "def f(p):\n    x, y = [np.zeros(3) for _ in range(2)]\n    return 0.5 < y\n",
        "def f(p):\n    for row in np.zeros((2, 3)):\n        return 0.5 < row\n",
        "def f(p):\n    return 0.5 < made()\ndef made():\n    return np.zeros(3)\n",
        "class A:\n    def __init__(self):\n        self.a = np.zeros(3)\n    def f(self):\n        return 0.5 < self.a\n",
        "def f(p):\n    a = np.zeros(3) if p else np.ones(4)\n    return 0.5 < np.where(a > 0.5, a, 0.0) * 2.0\n",
        "def f(p):\n    return 0.5 < np.take(np.frombuffer(p, dtype=np.float), [1]) - 1.0\n",
        "def f(p):\n    return [0.5 < row for row in np.zeros((2, 3))]\n",
        "def f(p):\n    return 0.5 < (q := np.zeros(3))\n",
    ],
)
def test_arrays_are_recognized_by_their_origin(lines: str) -> None:
    assert [f.rule for f in lint_camera.lint("from ulab import numpy as np\n" + lines, LIB)] == ["scalar-left"]


@pytest.mark.parametrize(
    "lines",
    [
        "def f(p):\n    return 0.5 < p\n",
        "def f(p):\n    a = np.zeros(3)\n    a = 3\n    return 0.5 < a\n",
        "def f(p):\n    a = np.zeros(3)\n    return 0.5 < a[0] and 0.5 < np.max(a) and 0.5 < len(a)\n",
        "def f(p):\n    a = np.zeros(3) if p else 3\n    return 0.5 < a\n",
        "class A:\n    def f(self):\n        self.a = np.zeros(3)\n"
        "    def g(self):\n        self.a = 3\n        return 0.5 < self.a\n",
        "def f(a):\n    return np.max(a)\ndef g(a):\n    return 0.5 < a\n",
    ],
)
def test_values_of_other_or_unknown_types_pass(lines: str) -> None:
    assert lint_camera.lint("from ulab import numpy as np\n" + lines, LIB) == []


def test_camera_float_equals_recorded_floats_of_a_camera() -> None:
    """The expected values are struct.pack("f", ...) on MicroPython 1.26 and 1.28."""
    kept = {0.9: 0x3F666665, 0.7: 0x3F333330, 0.45: 0x3EE66665, 0.1: 0x3DCCCCCF, 0.03: 0x3CF5C28F, 0.5: 0x3F000000}
    for value, bits in kept.items():
        made = int(np.frombuffer(np.array([lint_camera.camera_float(value)]).tobytes(), dtype=np.uint16)[1]) << 16
        assert made == bits & 0xFFFF0000
        assert lint_camera.loses_bits(value) == (value not in (0.03, 0.5))
