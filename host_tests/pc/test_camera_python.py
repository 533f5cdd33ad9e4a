"""scripts/n6post_pc/host/camera_python.py: what a script uses that a camera lacks, checked against a real MicroPython."""

from __future__ import annotations

import builtins
import importlib
import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
import vm
from n6post_pc.host import camera_python, firmware_modules

ROOT = Path(__file__).resolve().parents[2]


def found(folder: Path, source: str, *folders: Path, name: str = "script.py") -> list[str]:
    """The findings in this text, as "line: text"."""
    path = folder / name
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    return [f"{one.line}: {one.text}" for one in camera_python.findings(path, folders)]


# (code that MicroPython refuses, what is said of it). The code ends with its finding's line.
REFUSED = [
    ("from __future__ import annotations", "the camera has no module __future__; instead: delete the line"),
    ("import statistics", "the camera has no module statistics; instead: sum(values) / len(values)"),
    ("from dataclasses import dataclass", "the camera has no module dataclasses; instead: a class with __init__"),
    ("import pathlib", "the camera has no module pathlib; instead: strings"),
    ("from typing import Any", "the camera has no module typing; instead: annotations without it"),
    ("import itertools, math", "the camera has no module itertools"),
    ("import urllib.request", "the camera has no module urllib.request; instead: requests"),
    ("import math\nmath.hypot(3, 4)", "MicroPython has no math.hypot; instead: math.sqrt"),
    ("from math import dist", "MicroPython has no math.dist"),
    ("import time as t\nt.perf_counter()", "MicroPython has no time.perf_counter; instead: time.ticks_us()"),
    ("import json\ntry:\n    json.loads('x')\nexcept json.JSONDecodeError:\n    pass",
     "MicroPython has no json.JSONDecodeError"),
    ("import json\njson.dumps([], indent=2)", "MicroPython has no indent= in dumps()"),
    ("import random\nrandom.shuffle([1, 2])", "MicroPython has no random.shuffle"),
    ("import re\nre.findall('a', 'a')", "MicroPython has no re.findall"),
    ("import struct\nstruct.error", "MicroPython has no struct.error; instead: ValueError"),
    ("'abc'.removeprefix('a')", "MicroPython has no method removeprefix; instead: text[len(prefix):]"),
    ("'abc'.removesuffix('c')", "MicroPython has no method removesuffix"),
    ("str(3).zfill(3)", "MicroPython has no method zfill"),
    ("(5).bit_length()", "MicroPython has no method bit_length"),
    ("'a b'.split(maxsplit=1)", "MicroPython has no maxsplit= in split()"),
    ("print('', end='', flush=True)", "MicroPython has no flush= in print()"),
    ("sum([1], start=1)", "MicroPython has no start= in sum()"),
    ("list(zip([1], [2], strict=True))", "MicroPython has no strict= in zip()"),
    ("format(3, '03d')", "MicroPython has no format"),
    ("try:\n    open('/nothing')\nexcept FileNotFoundError:\n    pass",
     "MicroPython has no FileNotFoundError; instead: OSError"),
    ("isinstance(3, int | str)", "MicroPython has no isinstance(x, A | B); instead: isinstance(x, (A, B))"),
    ("slice(1, 2)", "MicroPython has no slice()"),
    ("from collections import namedtuple\nnamedtuple('A', 'a')(1)._replace(a=2)",
     "MicroPython has no _replace of namedtuples"),
    ("from collections import namedtuple\nnamedtuple('A', 'a', defaults=(1,))",
     "MicroPython has no defaults= in namedtuple()"),
    ("a = [1]\nb = [*a, 2]", "MicroPython has no * inside of [...]"),
    ("a = [1]\nb = (*a, 2)", "MicroPython has no * inside of [...]"),
    ("a = {}\nb = {**a}", "MicroPython has no ** inside of {...}; instead: d = dict(a)"),
    ("def f(a):\n    return *a, 1", "MicroPython has no * inside of [...]"),
    ("def f(a, /):\n    pass", "MicroPython has no / among parameters"),
    ("def f(*a, k=0):\n    pass\nf(k=3, *[1])", "MicroPython has no *arguments after a keyword"),
    ("match 3:\n    case 3:\n        pass", "MicroPython has no match statement; instead: if and elif"),
    ("try:\n    pass\nexcept* ValueError:\n    pass", "MicroPython has no except*"),
    ("class A:\n    pass\nclass B(A, x=1):\n    pass", "MicroPython has no x= of a class"),
    ("import io\nwith (io.BytesIO() as a, io.BytesIO() as b):\n    pass", "MicroPython has no with (...) in parentheses"),
    ("x = 3\nf'{x!a}'", "MicroPython has no !a in f-strings; instead: !r"),
    ("async def f(a):\n    return [x async for x in a]", "MicroPython has no async for in a comprehension"),
    ("d = [lambda f: f]\n@d[0]\ndef f():\n    pass", "MicroPython has no decorator @d[0]"),
    ("import asyncio\nasyncio.Queue", "MicroPython has no asyncio.Queue"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text"), REFUSED, ids=[text for _, text in REFUSED])
def test_what_only_cpython_has_is_found(tmp_path: Path, code: str, text: str) -> None:
    (line,) = found(tmp_path, code)
    assert line.split(": ", 1)[1].startswith(text)


def test_a_real_micropython_refuses_each_of_them() -> None:
    # The package has some modules of micropython-lib that OpenMV does not freeze.
    codes = [code for code, _ in REFUSED if code not in ("import pathlib", "import itertools, math")]
    program = f"""
import json
for number, code in enumerate({codes!r}):
    try:
        exec(code, {{}})
        print("accepted", number)
    except Exception as error:
        pass
"""
    assert vm.Machine().run(program) == ""


# What MicroPython has, or what a script has made sure of.
ACCEPTED = """
import asyncio
import collections
import json
import math
import os
import re
import struct
import sys
import time

try:
    import numpy as np
except ImportError:
    from ulab import numpy as np

try:
    from typing import TYPE_CHECKING
except ImportError:
    TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass
    from pathlib import Path

Point = collections.namedtuple("Point", ("x", "y"))
if (n := 3) > 2:
    print(f"{n=} {n!r:>5} {n:,} {.5:.0%}", end="", sep="")
first, *rest = [1, 2, 3]
print(*rest, sep=" ")


def f(a: list[int], *b: int, c: "int | None" = None, **d: float) -> dict[str, int]:
    x: int = 3
    y: list[int]
    return {"a": x} | {"b": len(a)}


f([1], *[2], *[3], c=4, **{"e": 1.0}, **{"g": 2.0})
print(sorted([3, 1], key=lambda v: v, reverse=True), max([], default=0), round(1.234, 1))
print(b"%d" % 3, "%-5s|%05.1f" % ("a", 1.0), "a,b".split(",", 1), bytes.fromhex("00ff").hex())
print(json.dumps({}, separators=(",", ":")), math.isclose(1, 1), os.listdir("/"), re.match("a", "a"), struct.calcsize("H"))
print(sys.implementation.name, time.time(), time.strftime, collections.deque((), 3), collections.OrderedDict())


class Label:
    title = "a"

    def zfill(self, width):
        return self.translate

    def translate(self, dx):
        pass

    @property
    def x(self):
        return 1

    @x.setter
    def x(self, value):
        pass


Label().zfill(3)
Label().translate(3)
vars = 3
print(vars)


def format(value):
    return value


format(2)


async def main():
    async with asyncio.Lock():
        await asyncio.sleep(0)
    return [await asyncio.sleep(0) for _ in range(2)]


def g():
    yield from [1]
    with open("/a") as one, open("/b", encoding="utf-8") as two:
        print(one, two)
    raise ValueError("a") from None
"""


def test_what_micropython_has_is_not_found(tmp_path: Path) -> None:
    assert found(tmp_path, ACCEPTED) == []


def test_a_real_micropython_compiles_what_is_not_found() -> None:
    """Without the list of awaits, which the package's compiler takes only inside of a comprehension's function."""
    code = ACCEPTED.replace("    return [await asyncio.sleep(0) for _ in range(2)]\n", "")
    assert vm.Machine().run(f"compile({code!r}, 'script.py', 'exec')\nprint('compiled')") == "compiled\n"


def test_a_finding_names_its_file_and_line(tmp_path: Path) -> None:
    found(tmp_path, "import math\n\nx = 'a'.zfill(2), math.prod([1])\n")
    one, two = camera_python.findings(tmp_path / "script.py")
    assert str(one) == f'{tmp_path / "script.py"}:3: MicroPython has no method zfill; instead: "%05d" % number'
    assert (two.line, two.file) == (3, tmp_path / "script.py")


def test_modules_of_the_scripts_own_are_read_too(tmp_path: Path) -> None:
    card = tmp_path / "card"
    (card / "lib" / "parts").mkdir(parents=True)
    (card / "lib" / "parts" / "__init__.py").write_text("import enum\n", encoding="utf-8")
    (tmp_path / "helper.py").write_text("import script\nimport deeper\n'a'.zfill(2)\n", encoding="utf-8")
    (tmp_path / "deeper.py").write_text("import csv\n", encoding="utf-8")
    (tmp_path / "statistics.py").write_text("def mean(values):\n    return 0\n", encoding="utf-8")
    lines = found(tmp_path, "import helper, statistics\nfrom parts import thing\nimport copy\n", card)
    assert [line.split(";")[0] for line in lines] == [
        "3: the camera has no module copy",
        "3: MicroPython has no method zfill",
        "1: the camera has no module enum",
        "1: the camera has no module csv",
    ]


def test_a_file_that_cpython_refuses_has_no_findings(tmp_path: Path) -> None:
    assert found(tmp_path, "def f(:\n") == []
    assert camera_python.findings(tmp_path / "absent.py") == []


@pytest.mark.parametrize("folder", ["scripts/examples", "scripts/device", "lib"])
def test_our_own_scripts_have_no_findings(folder: str) -> None:
    lines = [str(one) for path in (ROOT / folder).rglob("*.py") for one in camera_python.findings(path)]
    assert [line for line in lines if "namedtuples" not in line] == []  # the self-test uses our own _replace


# ---- the tables ----

ASK = """
import builtins, json
names = {"builtins": dir(builtins)}
for name in NAMES:
    try:
        names[name] = dir(__import__(name))
    except ImportError:
        pass
types = str, bytes, bytearray, list, dict, set, frozenset, tuple, int, float, range, memoryview
names["types"] = sorted({word for kind in types for word in dir(kind)})
print(json.dumps(names))
"""


@pytest.fixture(scope="module")
def asked() -> dict[str, list[str]]:
    """dir() of a real MicroPython's modules and types."""
    answer: dict[str, list[str]] = json.loads(vm.Machine().run(f"NAMES = {list(camera_python.NAMES)!r}\n{ASK}"))
    return answer


def test_the_tables_names_are_micropythons(asked: dict[str, list[str]]) -> None:
    """Names that CPython has and MicroPython lacks. The package has no sockets and no interrupts; a camera has these."""
    only_cameras = {
        "asyncio": {"StreamReader", "StreamWriter", "ThreadSafeFlag", "open_connection", "start_server", "run"},
        "hashlib": {"md5", "sha1"},
        "os": {"sync", "uname", "urandom"},
        "time": {"clock"},
    }
    more_here = {"os": {"path"}, "binascii": {"a2b_hex", "b2a_hex"}}  # of micropython-lib
    for name, words in camera_python.NAMES.items():
        if name not in asked:
            continue
        theirs = set(dir(importlib.import_module(name)))
        both = {word for word in asked[name] if word in theirs and not word.startswith("_")}
        ours = set(words.split())
        assert ours & theirs - both <= only_cameras.get(name, set()), name
        assert both - ours - {"sys", "SEEK_CUR", "SEEK_END", "SEEK_SET"} <= more_here.get(name, set()), name


def test_the_tables_builtins_are_micropythons(asked: dict[str, list[str]]) -> None:
    both = {word for word in asked["builtins"] if word in dir(builtins) and not word.startswith("_")}
    assert camera_python._BUILTINS - both == {"True", "False", "None", "exit", "quit"}
    assert both <= camera_python._BUILTINS


def test_the_absent_methods_are_absent(asked: dict[str, list[str]]) -> None:
    assert not camera_python.ABSENT_METHODS & set(asked["types"])
    types: tuple[Any, ...] = (str, bytes, int, float, list, dict, set)
    theirs = {word for kind in types for word in dir(kind) if not word.startswith("_")}
    left = theirs - set(asked["types"]) - camera_python.ABSENT_METHODS
    assert left == {"conjugate", "denominator", "imag", "numerator", "real"}  # names that other objects have, too


def test_every_missing_module_has_a_sentence() -> None:
    for name in firmware_modules.MISSING:
        text = firmware_modules.missing_text(name)
        assert text.startswith(f"the module {name} has no stand-in on this PC (") and not text.endswith(": ")
    assert not firmware_modules.MISSING.keys() & firmware_modules.stand_ins()


# require() and freeze() of the boards' manifests in OpenMV 5.0.0 and 4.8.1.
FROZEN = (
    "aioble apds9960 asyncio bmi270 bmm150 bno055 dht display ds18x20 espflash gt911 hs3003 hts221 imu logging lora lps22h"
    " lsm6dsox lsm9ds1 machine microdot ml modbus mqtt mutex neopixel ntptime onewire openamp pca9674a pid protocol requests"
    " romfs rp2 rpc rtsp senml ssd1306 ssd1351 ssl st7701 tb6612 time types vl53l1x webrepl"
)


@pytest.mark.parametrize("name", FROZEN.split())
def test_every_frozen_module_runs_here_or_has_a_sentence(name: str) -> None:
    assert name in firmware_modules.known()
    if name not in firmware_modules.MISSING and name not in firmware_modules.FROZEN:
        importlib.import_module(name)


def test_no_remedy_is_for_a_module_that_the_camera_has() -> None:
    assert not firmware_modules.INSTEAD.keys() & firmware_modules.known()
