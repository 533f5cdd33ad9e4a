"""n6post studio, the command: its arguments, its address and its end."""

from __future__ import annotations

import re
import signal
import sys
import urllib.request
from pathlib import Path

import pytest
from commands import running
from commands import script as run_script
from n6post_pc import paths

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "scripts/n6post_pc/studio/**/*")

PICTURE = paths.SAMPLE_PICTURES / "shapes_06.jpg"


def state_of(address: str) -> str:
    with urllib.request.urlopen(f"{address}state", timeout=30) as answer:
        text: str = answer.read().decode()
    return text


def test_without_arguments_the_sample_network_is_opened(tmp_path: Path) -> None:
    with running("studio.py", "--no-browser") as process:
        assert process.stdout is not None and process.stderr is not None
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{22,}/", address)
        state = state_of(address)
        assert '"shapes.tflite"' in state and '"shapes_float.tflite"' in state and state.count(".jpg") == 8
        assert "No model was given" in process.stderr.readline()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals for one process")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_ctrl_c_ends_it_and_its_folder_is_removed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with running("studio.py", "--no-browser", paths.SAMPLE_MODEL, PICTURE) as process:
        assert process.stdout is not None
        state_of(process.stdout.readline().strip())
        assert len(list(tmp_path.glob("n6post-studio-*"))) == 1
        process.send_signal(getattr(signal, name))
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 0 and "Traceback" not in errors
    assert not list(tmp_path.glob("n6post-studio-*"))


@pytest.mark.parametrize(
    "words, message",
    [(["absent.tflite"], "no such file: .*absent.tflite"), (["notes.md"], r"notes.md: expected a model \(.tflite, .onnx\)"),
     (["absent.png"], "no such picture: absent.png"), (["--http", "70000"], "cannot serve a page on port 70000"),
     (["--camera", "/dev/absent"], "there is no port /dev/absent")],
)  # fmt: skip
def test_wrong_arguments_end_with_a_sentence(words: list[str], message: str, tmp_path: Path) -> None:
    done = run_script("studio.py", "--no-browser", *words, cwd=tmp_path)
    assert done.returncode == 2 and re.search(message, done.stderr) and "Traceback" not in done.stderr, done.stderr
