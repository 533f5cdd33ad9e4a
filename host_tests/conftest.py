"""Configuration of all tests: import paths, hypothesis' settings, the firmware, and the reference captures.

Tests with the mark `both_firmwares` run twice, as on firmware 5.0 and as on 4.8.1. Tests that need captures are left out if
there are none, and tests whose files are proven, unless --all is given: see proofs.py.
"""

import itertools
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import hypothesis
import proofs
import pytest

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
TEST_FOLDERS = sorted({file.parent for file in (ROOT / "host_tests").rglob("test_*.py")})
sys.path[:0] = [str(ROOT / "lib"), str(ROOT / "stubs"), str(ROOT / "host_tests"), *map(str, TEST_FOLDERS)]
sys.path.append(str(ROOT / "scripts"))  # last, because it has a test.py and a build.py

# The same 60 examples in every run, and the explicit ones of @example: a failure in CI can be repeated here.
# For maintainers, before a release and after a change of a kernel: `--hypothesis-profile=search` tries 2,000 new examples in
# every run, prints how to repeat a failure (@reproduce_failure), and keeps it in .hypothesis for the next run.
hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60)
hypothesis.settings.register_profile("search", derandomize=False, deadline=None, max_examples=2000, print_blob=True)
hypothesis.settings.load_profile("ci")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if mark := metafunc.definition.get_closest_marker("both_firmwares"):
        older = pytest.param((4, 8, 1), marks=[pytest.mark.proof(*mark.args)] if mark.args else [])
        metafunc.parametrize("as_firmware", [(5, 0, 0), older], ids=["5.0.0", "4.8.1"], indirect=True, scope="module")


@pytest.fixture(scope="module", autouse=True)
def as_firmware(request: pytest.FixtureRequest) -> Iterator[tuple[int, int, int]]:
    """The firmware version of the stubs. Module scope, because hypothesis rejects function-scoped fixtures."""
    import omv

    version: tuple[int, int, int] = getattr(request, "param", (5, 0, 0))
    omv._host_set_version(*version)
    yield version
    omv._host_set_version()


@pytest.fixture
def older_firmware() -> Iterator[None]:
    """Switch the stubs to firmware 4.8.1 during the test."""
    import omv

    omv._host_set_version(4, 8, 1)
    yield
    omv._host_set_version()


@pytest.fixture(scope="module")
def steady_clock() -> Iterator[None]:
    """Between any two questions for the time, 80 ms have passed. For tests that do not care about time."""
    from n6post.tracking import clock

    ticks = itertools.count(0, 80)
    steady = SimpleNamespace(ticks_ms=lambda: next(ticks), ticks_diff=lambda end, start: end - start)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "time", steady)
        yield


# ---- the tests that are left out ----

CAPTURES = "they need reference captures, which are not part of the project"
UNCHANGED = "their files have not changed since the last whole run; --all runs them too"
LEFT_OUT = pytest.StashKey[Counter[str]]()
TESTED: dict[str, str] = {}  # {state: test file} of the tests that passed in this run


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference captures, golden cases and models next to the checkout. Without it the test is left out."""
    assert has_captures(), "a test that needs ../shared has the fixture as an argument, or the mark `shared`"
    return SHARED


@pytest.fixture
def whole(request: pytest.FixtureRequest) -> bool:
    """Whether to try every case: with --all, and after a change of what the mark `proof` names. If not, a sample."""
    state = state_of(request.node)
    return proofs.everything or state is not None and state not in proofs.proven()


def has_captures() -> bool:
    return (SHARED / "captures").is_dir()


def state_of(item: pytest.Item) -> str | None:
    """The state of the files that the test depends on; None without the mark `proof`, as it may depend on any file."""
    mark = item.get_closest_marker("proof")
    return mark and proofs.state(item.path.relative_to(ROOT).as_posix(), *mark.args)


def needs_captures(item: pytest.Item) -> bool:
    return "shared" in getattr(item, "fixturenames", ()) or item.get_closest_marker("shared") is not None


def is_proven(item: pytest.Item) -> bool:
    return state_of(item) in proofs.proven() and "whole" not in getattr(item, "fixturenames", ())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="every test, every case; if all pass, write proven.txt")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "shared: needs the reference captures in ../shared, as the fixture `shared` says too")
    config.addinivalue_line("markers", "both_firmwares(*files): also as on 4.8.1, with files only as `proof(*files)`")
    config.addinivalue_line("markers", "proof(*files): it tests what is in these files and its own; see proofs.py")
    proofs.everything = config.option.all
    config.stash[LEFT_OUT] = Counter()


@pytest.hookimpl(trylast=True)  # after -k and -m, so that tests which they leave out are not counted
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that need ../shared: users cannot get these files, so a skip would only be noise. And proven ones."""
    left_out = {}
    for item in items:
        if not has_captures() and needs_captures(item):
            left_out[item] = CAPTURES
        elif not proofs.everything and is_proven(item):
            left_out[item] = UNCHANGED
    items[:] = [item for item in items if item not in left_out]
    config.stash[LEFT_OUT] = Counter(left_out.values())
    config.hook.pytest_deselected(items=list(left_out))


def pytest_runtest_setup(item: pytest.Item) -> None:
    if proofs.everything and (state := state_of(item)):
        item.user_properties.append(("proof", state))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    state = dict(report.user_properties).get("proof")
    if state and report.when == "call" and report.passed:
        TESTED[str(state)] = report.nodeid.partition("::")[0]


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    config = session.config
    if hasattr(config, "workeroutput"):  # a worker of xdist reports to its controller
        config.workeroutput["left_out"] = dict(config.stash[LEFT_OUT])
        return
    options = config.option
    chosen = options.keyword or options.markexpr or options.collectonly or config.args_source is config.ArgsSource.ARGS
    if proofs.everything and exitstatus == 0 and not chosen:
        proofs.write(TESTED)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """The controller of xdist collects nothing itself; every worker collects everything."""
    node.config.stash[LEFT_OUT] |= Counter(getattr(node, "workeroutput", {}).get("left_out", {}))  # {} if the worker crashed


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for reason, count in config.stash[LEFT_OUT].items():
        terminalreporter.write_line(f"{count} left out: {reason}")
