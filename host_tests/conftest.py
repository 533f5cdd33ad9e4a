"""Configuration of all tests: import paths, hypothesis' settings, the firmware, and the reference captures.

Some files run twice, as on firmware 5.0 and as on 4.8.1. Tests that need captures are left out if there are none.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
TEST_FOLDERS = [folder for folder in (ROOT / "host_tests").iterdir() if list(folder.glob("test_*.py"))]
sys.path[:0] = [str(ROOT / "lib"), str(ROOT / "stubs"), str(ROOT / "host_tests"), *map(str, TEST_FOLDERS)]
sys.path.append(str(ROOT / "scripts"))  # last, because it has a test.py and a build.py

# The same 60 examples in every run, and the explicit ones of @example: a failure in CI can be repeated here.
# For maintainers, before a release and after a change of a kernel: `--hypothesis-profile=search` tries 2,000 new examples in
# every run, prints how to repeat a failure (@reproduce_failure), and keeps it in .hypothesis for the next run.
hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60)
hypothesis.settings.register_profile("search", derandomize=False, deadline=None, max_examples=2000, print_blob=True)
hypothesis.settings.load_profile("ci")

# Tests of code that depends on the firmware: drawing, input transforms, class counts and ulab.
BOTH_FIRMWARES = {
    "test_mask_image", "test_deeplab", "test_draw", "test_end_to_end", "test_transform", "test_layout_probe",
    "test_kernels_portable", "test_mask", "test_soft_nms", "test_mask_iou", "test_draw_zones", "test_yolov8_pose",
    "test_recorded_models", "test_rows", "test_scaled", "test_segmentation", "test_poses", "test_places", "test_heat_map",
    "test_merge", "test_tiles", "test_applications", "test_hide", "test_text",
}  # fmt: skip


# Test files that take more than a few seconds. They are marked `slow`, and `scripts/test.py --fast` leaves them out.
SLOW = {
    "test_applications", "test_build_site", "test_cache_lines", "test_make_release",
    "test_command", "test_frames", "test_page", "test_script", "test_server", "test_workbench",
    "test_build", "test_camera", "test_conftest", "test_deeplab", "test_demo", "test_dicts", "test_docs", "test_draw",
    "test_draw_zones", "test_end_to_end", "test_examples", "test_faults", "test_fuzz", "test_graph", "test_hide",
    "test_inspect_model", "test_kernels_machine_code", "test_kernels_portable", "test_layout_probe", "test_mask",
    "test_mask_image", "test_mask_iou", "test_memory", "test_micropython_ulab", "test_mjpeg_server",
    "test_docs_migration", "test_objects", "test_on_micropython",
    "test_optimize_model", "test_optimize_onnx",
    "test_options", "test_packaging", "test_pictures", "test_places", "test_processor", "test_rounding", "test_run_model",
    "test_run_script",
    "test_sample_network", "test_scaled", "test_segmentation", "test_selftest", "test_soak", "test_soft_nms",
    "test_split_head", "test_stub_image_processing",
    "test_stub_ulab", "test_tracker", "test_tracker_motion", "test_transform", "test_types", "test_vela", "test_vm",
    "test_wheel", "test_windows", "test_text", "test_yolov8", "test_plane", "test_tiles", "test_merge",
}  # fmt: skip


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With -m "not slow", slow files are not even imported, which would take 15 seconds."""
    return True if config.option.markexpr == "not slow" and collection_path.stem in SLOW else None


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.path.stem in SLOW:
        item.add_marker("slow")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.module.__name__ in BOTH_FIRMWARES:
        versions = [(5, 0, 0), (4, 8, 1)]
        metafunc.parametrize("as_firmware", versions, ids=["5.0.0", "4.8.1"], indirect=True, scope="module")


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


# ---- the reference captures, which are not part of the project ----

LEFT_OUT = pytest.StashKey[int]()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference captures, golden cases and models next to the checkout. Without it the test is left out."""
    assert has_captures(), "a test that needs ../shared has the fixture as an argument, or the mark `shared`"
    return SHARED


def has_captures() -> bool:
    return (SHARED / "captures").is_dir()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes long; `scripts/test.py --fast` leaves it out")
    config.addinivalue_line("markers", "shared: needs the reference captures in ../shared, as the fixture `shared` says too")
    config.stash[LEFT_OUT] = 0


@pytest.hookimpl(trylast=True)  # after -k and -m, so that tests which they leave out are not counted
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that need ../shared: users cannot get these files, so a skip would only be noise."""
    if has_captures():
        return
    needing = [i for i in items if "shared" in getattr(i, "fixturenames", ()) or i.get_closest_marker("shared")]
    items[:] = [item for item in items if item not in set(needing)]
    config.stash[LEFT_OUT] = len(needing)
    config.hook.pytest_deselected(items=needing)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):  # a worker of xdist reports to its controller
        session.config.workeroutput["left_out"] = session.config.stash[LEFT_OUT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """The controller of xdist collects nothing itself; every worker collects everything."""
    count = getattr(node, "workeroutput", {}).get("left_out", 0)  # no output if the worker crashed
    node.config.stash[LEFT_OUT] = max(node.config.stash[LEFT_OUT], count)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if count := config.stash[LEFT_OUT]:
        terminalreporter.write_line(f"{count} left out: they need reference captures, which are not part of the project")
