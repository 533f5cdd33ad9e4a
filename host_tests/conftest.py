"""What every test gets: lib and stubs importable, the reference captures where there are any, hypothesis' settings.

Which files run twice, as on firmware 5.0 and as on 4.8.1; and what is left out where there are no reference captures.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
sys.path[:0] = [str(ROOT / "lib"), str(ROOT / "stubs"), str(ROOT / "host_tests")]
sys.path.append(str(ROOT / "scripts"))  # last: it has a test.py and a build.py

# The same 60 examples every time, and the corners that stand above a test as @example: a failure in CI is a failure here.
# For maintainers, before a release and after a change of a kernel: `--hypothesis-profile=search` takes 2,000 others at every
# run, tells of a failure how to repeat it (@reproduce_failure), and keeps it in .hypothesis for the next run.
hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60)
hypothesis.settings.register_profile("search", derandomize=False, deadline=None, max_examples=2000, print_blob=True)
hypothesis.settings.load_profile("ci")

# What draws, fits a frame into a model's input, counts classes or works in ulab. The other families are in test_recorded.
BOTH_FIRMWARES = {
    "test_cutting", "test_deeplab", "test_draw", "test_end2end", "test_geometry", "test_heads", "test_kernels_portable",
    "test_mask", "test_nms", "test_overlap", "test_overlays", "test_pose", "test_recorded", "test_resizing",
    "test_segmentation", "test_skeleton",
}  # fmt: skip


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.module.__name__ in BOTH_FIRMWARES:
        versions = [(5, 0, 0), (4, 8, 1)]
        metafunc.parametrize("as_firmware", versions, ids=["5.0.0", "4.8.1"], indirect=True, scope="module")


@pytest.fixture(scope="module", autouse=True)
def as_firmware(request: pytest.FixtureRequest) -> Iterator[tuple[int, int, int]]:
    """The firmware that the stand-ins follow. A module's, because hypothesis wants none that is made anew for each test."""
    import omv

    version: tuple[int, int, int] = getattr(request, "param", (5, 0, 0))
    omv._host_set_version(*version)
    yield version
    omv._host_set_version()


# ---- the reference captures, which are not part of the project ----

LEFT_OUT = pytest.StashKey[int]()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference captures, golden cases and models beside the checkout; without it the test is left out."""
    assert has_captures(), "a test that needs ../shared takes the fixture as an argument, or has the mark `shared`"
    return SHARED


def has_captures() -> bool:
    return (SHARED / "captures").is_dir()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "shared: needs the reference captures in ../shared, as the fixture `shared` says too")
    config.stash[LEFT_OUT] = 0


@pytest.hookimpl(trylast=True)  # after -k and -m: what those leave out is not counted
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Who has no ../shared cannot get it either: what needs it is no skip of theirs to mend, it is not there at all."""
    if has_captures():
        return
    needing = [i for i in items if "shared" in getattr(i, "fixturenames", ()) or i.get_closest_marker("shared")]
    items[:] = [item for item in items if item not in set(needing)]
    config.stash[LEFT_OUT] = len(needing)
    config.hook.pytest_deselected(items=needing)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):  # a worker of xdist, which tells its controller
        session.config.workeroutput["left_out"] = session.config.stash[LEFT_OUT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """The controller of xdist has collected nothing itself; every worker has collected everything."""
    told = getattr(node, "workeroutput", {}).get("left_out", 0)  # none: the worker has crashed
    node.config.stash[LEFT_OUT] = max(node.config.stash[LEFT_OUT], told)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if count := config.stash[LEFT_OUT]:
        terminalreporter.write_line(f"{count} left out: they need reference captures, which are not part of the project")
