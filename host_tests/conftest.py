"""What every test gets: lib and stubs importable, the reference captures where there are any, hypothesis' settings."""

import sys
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "lib"), str(ROOT / "stubs"), str(ROOT / "host_tests")]

# The same examples every time: a failure in CI is a failure here. `--hypothesis-profile=search` looks further.
hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60)
hypothesis.settings.register_profile("search", derandomize=False, deadline=None, max_examples=2000)
hypothesis.settings.load_profile("ci")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference captures, golden cases and models beside the checkout; without it the test is skipped."""
    folder = ROOT.parent / "shared"
    if not (folder / "captures").is_dir():
        pytest.skip("needs the reference captures in ../shared, which are not part of the project")
    return folder
