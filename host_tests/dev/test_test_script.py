"""scripts/test.py: the last lines of its output."""

import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.proof("scripts/test.py", "host_tests/conftest.py")

pytest_plugins = ["pytester"]

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "test.py"

TESTS = """
import pytest

@pytest.mark.parametrize("n", range(3))
def test_on_micropython(n): pytest.skip("needs npm's registry: npm failed with ECONNREFUSED")
def test_on_the_emulator(): pytest.skip("needs qemu")
def test_plain(): pass
"""


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_skipped_tests_are_counted_by_their_reason(pytester: pytest.Pytester, workers: str) -> None:
    pytester.makepyfile(TESTS)
    script = runpy.run_path(str(SCRIPT))
    lines = script["skipped"]
    lines.__globals__["RESULTS"] = pytester.path / "tests.xml"
    assert lines() == []  # pytest did not run
    pytester.runpytest_subprocess(workers, f"--junitxml={pytester.path / 'tests.xml'}")
    assert lines() == ["  3 tests: needs npm's registry: npm failed with ECONNREFUSED", "  1 test: needs qemu"]
