"""What every test gets: lib and stubs importable, the reference captures where there are any, hypothesis' settings.

And which files run twice, as on firmware 5.0 and as on 4.8.1.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "lib"), str(ROOT / "stubs"), str(ROOT / "host_tests")]
sys.path.append(str(ROOT / "scripts"))  # last: it has a test.py and a build.py

# The same examples every time: a failure in CI is a failure here. `--hypothesis-profile=search` looks further.
hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60)
hypothesis.settings.register_profile("search", derandomize=False, deadline=None, max_examples=2000)
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


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference captures, golden cases and models beside the checkout; without it the test is skipped."""
    folder = ROOT.parent / "shared"
    if not (folder / "captures").is_dir():
        pytest.skip("needs the reference captures in ../shared, which are not part of the project")
    return folder
