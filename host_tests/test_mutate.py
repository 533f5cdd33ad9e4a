"""scripts/dev/mutate.py: which mutants the tests notice, on a module of a few lines."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytest.importorskip("mutmut", reason="needs mutmut, which requirements.txt has")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="mutants live in forked processes")

MODULE = '''\
"""Twice."""


def twice(number):
    if number > 9:
        return 9
    while number < 0:
        number += 1
    return number * 2
'''
TESTS = """\
import toy


def test_twice() -> None:
    assert [toy.twice(number) for number in (3, 10, -1)] == [6, 9, 0]
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    (tmp_path / "toy.py").write_text(MODULE)
    (tmp_path / "test_toy.py").write_text(TESTS)
    return tmp_path


def mutate(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / "dev" / "mutate.py"), "toy", "--tests", str(folder / "test_toy.py")]
    command += ["--lib", str(folder), "--kept", str(folder / "kept"), "--equivalent", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_a_mutant_that_the_tests_let_pass_is_told_and_others_are_not(toy: Path) -> None:
    done = mutate(toy)
    told = done.stdout
    assert done.returncode == 1 and "toy.py:5\n-    if number > 9:\n+    if number >= 9:\n" in told, told + done.stderr
    assert "+    return number / 2" not in told and "+        return 10" not in told
    assert "number < 1" not in told and "number -= 1" not in told  # the latter for ever
    assert told.endswith("toy: 10 mutants, 9 killed, 0 equivalent, 1 survive: 90.0 % die\n"), told
    assert (toy / "toy.py").read_text() == MODULE

    # What is known is kept. A reason makes a survivor equivalent; of one that dies it is told that it does.
    equivalent = "# Nobody asks for 9.\n-if number > 9:\n+if number >= 9:\n-if number > 9:\n+if number > 10:\n"
    (toy / "toy.txt").write_text(equivalent)
    done = mutate(toy)
    assert done.returncode == 0 and done.stdout.endswith("9 killed, 1 equivalent, 0 survive: 100.0 % die\n"), done.stdout
    # Where the project and what is temporary share a folder, pytest's name for a test begins with a path.
    said = r"toy\.py:5: said to be equivalent, yet it dies by (\S*/)?test_toy\.py::test_twice\n-    if number > 9:\n\+"
    assert re.search(said, done.stdout), done.stdout

    # Survivors are asked again when there is a better test.
    (toy / "toy.txt").unlink()
    (toy / "test_toy.py").write_text(TESTS.replace("(3, 10, -1)] == [6, 9, 0]", "(3, 9, 10, -1)] == [6, 18, 9, 0]"))
    done = mutate(toy)
    assert done.returncode == 0 and done.stdout == "toy: 10 mutants, 10 killed, 0 equivalent, 0 survive: 100.0 % die\n"


def test_a_function_that_was_made_at_an_import_is_broken_too(toy: Path) -> None:
    (toy / "toy.py").write_text("def more(by):\n    def add(number):\n        return number + by\n\n    return add\n")
    kept = "import toy\n\nADD = property(toy.more(2)).fget\n\n\ndef test_add() -> None:\n    assert ADD(3) == 5\n"
    (toy / "test_toy.py").write_text(kept)
    done = mutate(toy)
    assert done.returncode == 0 and done.stdout == "toy: 1 mutants, 1 killed, 0 equivalent, 0 survive: 100.0 % die\n", done


def test_tests_that_fail_anyway_tell_nothing(toy: Path) -> None:
    (toy / "test_toy.py").write_text("def test_nothing() -> None:\n    assert False\n")
    done = mutate(toy, "--sample", "1")
    assert done.returncode == 1 and "its tests fail without any mutant: " in done.stderr and "test_nothing" in done.stderr
