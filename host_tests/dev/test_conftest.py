"""conftest.py: which tests are left out: those that need captures, if there are none, and those whose files are proven."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.proof("host_tests/conftest.py", "host_tests/proofs.py")

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
    for name in ("conftest.py", "proofs.py"):
        shutil.copy(ROOT / "host_tests" / name, tests)
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


PROOFS = """
import proofs, pytest

@pytest.mark.proof("data*.txt")
def test_of_a_file(): assert "bad" not in (proofs.ROOT / "data.txt").read_text()
@pytest.mark.proof("data.txt")
def test_of_cases(whole): print("whole" if whole else "sample")
def test_of_everything(whole): print("everything" if whole else "some")
"""


@pytest.fixture
def proven(project: pytest.Pytester) -> pytest.Pytester:
    """The same folder after a run with --all."""
    (project.path / "shared" / "captures").mkdir(parents=True)
    (project.path / "project" / "data.txt").write_text("good", encoding="utf-8")
    (project.path / "project" / "host_tests" / "test_some.py").write_text(PROOFS, encoding="utf-8")
    (project.path / "project" / "pytest.ini").write_text("[pytest]\ntestpaths = host_tests\n", encoding="utf-8")
    assert counted(project, "--all") == (["whole", "everything"], {"passed": 3})
    return project


def counted(project: pytest.Pytester, *arguments: str) -> tuple[list[str], dict[str, int]]:
    command = [sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=project.path / "project", capture_output=True, text=True)
    result = pytest.RunResult(done.returncode, done.stdout.splitlines(), [], 0.0)
    outcomes = {what: n for what, n in result.parseoutcomes().items() if what not in ("deselected", "warnings")}
    return re.findall("(whole|sample|everything|some)$", re.sub(r"\.(?=\n|$)", "", done.stdout), re.MULTILINE), outcomes


def test_what_is_proven_is_left_out_or_tried_on_a_sample(proven: pytest.Pytester) -> None:
    assert counted(proven) == (["sample", "some"], {"passed": 2})
    assert counted(proven, "-n1")[1] == {"passed": 2}


@pytest.mark.parametrize("how", ["content", "another file", "the test"])
def test_what_has_changed_is_tested_whole(proven: pytest.Pytester, how: str) -> None:
    project = proven.path / "project"
    if how == "another file":
        (project / "data2.txt").write_text("", encoding="utf-8")
        assert counted(proven) == (["sample", "some"], {"passed": 3})
        return
    file = project / ("data.txt" if how == "content" else "host_tests/test_some.py")
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert counted(proven) == (["whole", "some"], {"passed": 3})


def test_a_run_that_failed_or_chose_some_tests_proves_nothing(proven: pytest.Pytester) -> None:
    project = proven.path / "project"
    before = (project / "host_tests" / "proven.txt").read_text(encoding="utf-8")
    (project / "data.txt").write_text("bad", encoding="utf-8")
    assert counted(proven, "--all")[1] == {"passed": 2, "failed": 1}
    (project / "data.txt").write_text("better", encoding="utf-8")
    for chosen in (["-k", "cases"], ["host_tests/test_some.py"], ["--collect-only"]):
        counted(proven, "--all", *chosen)
    assert (project / "host_tests" / "proven.txt").read_text(encoding="utf-8") == before
    assert counted(proven)[1] == {"passed": 3}
    counted(proven, "--all", "-n1")
    assert counted(proven)[1] == {"passed": 2}


def test_a_pattern_that_matches_no_file_is_an_error(proven: pytest.Pytester) -> None:
    (proven.path / "project" / "data.txt").unlink()
    assert "passed" not in counted(proven)[1]
