"""scripts/demo.py: runs through every recording, names what is there, and draws on every picture but the empty one."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import recorded
import skimage
from PIL import Image

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.xdist_group("demo")  # one worker, so that the demo runs once


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    out = tmp_path_factory.mktemp("out")
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "demo.py"), "--out", str(out)],
        capture_output=True, text=True, timeout=600, env=os.environ | {"COLUMNS": "120", "PYTHONUTF8": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, out


def test_it_writes_a_picture_for_every_recording(run: tuple[str, Path]) -> None:
    written = sorted(file.name for file in run[1].iterdir())
    assert written == sorted(f"{model}__{picture}.png" for model, picture in recorded.names())


@pytest.mark.parametrize("label", ["person", "cat", "cup", "horse", "motorcycle", "nothing"])
def test_its_table_names_what_is_in_the_pictures(run: tuple[str, Path], label: str) -> None:
    assert label in run[0]


@pytest.mark.parametrize(("model", "picture"), recorded.names())
def test_it_draws_on_every_picture_but_the_empty_one(run: tuple[str, Path], model: str, picture: str) -> None:
    photograph = Path(skimage.__file__).parent / "data" / recorded.load(model, picture).photograph
    before = np.asarray(Image.open(photograph).convert("RGB")).astype(int)
    after = np.asarray(Image.open(run[1] / f"{model}__{picture}.png").convert("RGB")).astype(int)
    # RGB565 alone changes a channel by 7 at most.
    changed = (np.abs(after - before).max(axis=2) > 8).mean()
    empty = picture == "rocket" or (model, picture) == ("deeplab_320", "coffee")
    assert changed == 0 if empty else 0.01 < changed < 0.9
