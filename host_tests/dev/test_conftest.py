"""conftest.py: without the reference captures, the tests that need them are left out, and one line shows their number."""

import ast
import re
import shutil
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
LINE = "{} left out: they need reference captures, which are not part of the project"

TESTS = """
import pytest

@pytest.fixture
def picture(shared):
    return shared / "pictures"

def test_plain(): pass
def test_by_name(shared): assert (shared / "captures").is_dir()
def test_by_another_fixture(picture): pass
@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.shared)])
def test_of_numbers(n): pass
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A folder `project` with this conftest.py and five tests. Three of them need ../shared, which does not exist."""
    tests = pytester.mkdir("project") / "host_tests"
    tests.mkdir()
    for name in ("lib", "stubs"):
        (tests.parent / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "host_tests" / "conftest.py", tests)
    (tests / "test_some.py").write_text(TESTS, encoding="utf-8")
    return pytester


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return project.run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "project/host_tests", *arguments)


@pytest.mark.parametrize("workers", ["", "-n2 --dist loadgroup"])
def test_without_captures_their_tests_are_deselected_and_counted(project: pytest.Pytester, workers: str) -> None:
    done = run(project, *workers.split())
    assert done.parseoutcomes()["passed"] == 2 and "skipped" not in done.parseoutcomes()
    assert done.ret == 0 and [line for line in done.outlines if "left out" in line] == [LINE.format(3)]


def test_tests_that_k_deselects_are_not_counted(project: pytest.Pytester) -> None:
    done = run(project, "-k", "by_name or plain")
    assert done.ret == 0 and LINE.format(1) in done.outlines and done.parseoutcomes()["passed"] == 1
    assert not [line for line in run(project, "-k", "plain").outlines if "left out" in line]


@pytest.mark.parametrize("workers", ["", "-n2"])
def test_with_the_captures_all_tests_run_without_a_message(project: pytest.Pytester, workers: str) -> None:
    (project.path / "shared" / "captures").mkdir(parents=True)
    done = run(project, *workers.split())
    assert done.parseoutcomes() == {"passed": 5} and not [line for line in done.outlines if "left out" in line]


def test_a_request_inside_a_test_fails_with_a_hint(project: pytest.Pytester) -> None:
    """A skip would remain unnoticed if the captures exist."""
    (project.path / "project" / "host_tests" / "test_some.py").write_text(
        "def test_hidden(request): request.getfixturevalue('shared')\n",
        encoding="utf-8",
    )
    done = run(project)
    assert done.ret == 1 and any("has the fixture as an argument" in line for line in done.outlines)


def test_no_test_skips_for_the_captures() -> None:
    """Tests that need ../shared have to use the fixture or the mark. A separate skip would be counted as skipped."""
    for file in sorted((ROOT / "host_tests").glob("*.py")):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and re.search(r"\b(skip|skipif|xfail)$", ast.unparse(call.func)):
                text = ast.unparse(call)
                assert not re.search(r"\bshared\b|captures", text, re.IGNORECASE), f"{file.name}: {text}"
