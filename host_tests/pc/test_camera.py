"""n6post camera: mpremote against a real MicroPython, `watch` against a stand-in for protocol v2 with injected faults."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import tty
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import vm
from commands import ROOT, running, script
from hypothesis import given
from hypothesis import strategies as st
from n6post_pc import cli, command
from n6post_pc.build import command as build
from n6post_pc.build import romfs
from n6post_pc.camera import command as camera
from n6post_pc.camera import devices, install, line_output, repl, report
from PIL import Image

pytest.importorskip("pty", reason="needs pseudo-terminals")
pytest.importorskip("mpremote")

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "host_tests/stand_in_camera.py", "host_tests/vm.py")
LIB = ROOT / "lib" / "n6post"
WAIT = 90  # timeout in seconds: longer than any command takes, so a command that hangs fails


def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    done = script("camera.py", *arguments, cwd=cwd)
    assert "Traceback (most recent call last)" not in done.stderr, done.stderr
    return done


# ---- which port ----


def port(device: str, vid: int | None, pid: int | None, product: str = "OpenMV Cam", number: str = "1234") -> Any:
    return SimpleNamespace(device=device, vid=vid, pid=pid, product=product, description=product, serial_number=number)


N6, UNO, PORTENTA = (0x37C5, 0x1206), (0x2341, 0x0043), (0x2341, 0x045B)


def plugged(monkeypatch: pytest.MonkeyPatch, *ports: Any) -> None:
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: list(ports))
    monkeypatch.setattr(devices.os.path, "exists", lambda path: path in [str(p.device) for p in ports])
    monkeypatch.setattr(devices.os, "access", lambda path, mode: True)


def test_the_only_camera_is_found_among_other_serial_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(monkeypatch, port("/dev/ttyS0", None, None), port("/dev/ttyACM1", *UNO), port("/dev/ttyACM0", *N6))
    assert devices.find(None) == devices.find("auto") == "/dev/ttyACM0"
    assert devices.find("/dev/ttyACM1") == "/dev/ttyACM1"  # an explicit port need not look like a camera


def test_with_several_cameras_a_port_must_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    portenta = port("/dev/ttyACM7", *PORTENTA, product="Portenta", number="B")
    plugged(monkeypatch, port("/dev/ttyACM0", *N6, number="A"), portenta)
    with pytest.raises(command.UserError, match=r"--port: /dev/ttyACM0 \(OpenMV Cam, A\), /dev/ttyACM7 \(Portenta, B\)$"):
        devices.find(None)


def test_without_a_camera_the_error_says_what_to_check(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(monkeypatch, port("/dev/ttyACM1", *UNO))
    for platform, hint in (("linux", "lsusb -d 37c5:"), ("win32", "COM3"), ("darwin", "/dev/cu.usbmodem")):
        monkeypatch.setattr(devices.sys, "platform", platform)
        with pytest.raises(command.UserError, match="no OpenMV camera found.*--port") as error:
            devices.find("auto")
        assert hint in str(error.value)


def test_a_missing_port_is_reported_with_the_existing_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(monkeypatch, port("/dev/ttyACM0", *N6))
    with pytest.raises(command.UserError, match=r"no port /dev/ttyACM9\. .*: /dev/ttyACM0 \(OpenMV Cam, 1234\)"):
        devices.find("/dev/ttyACM9")


def test_a_port_without_permission_is_reported_with_its_group(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(monkeypatch, port("/dev/ttyACM0", *N6))
    monkeypatch.setattr(devices.os, "access", lambda path, mode: False)
    with pytest.raises(command.UserError, match="no permission to open /dev/ttyACM0.*dialout"):
        devices.find(None)


@pytest.mark.parametrize("words", [
    ("run", "a.py"), ("watch", "a.py"), ("install",), ("backup", "rom.img"), ("benchmark",), ("report",), ("selftest",),
])  # fmt: skip
def test_every_command_reports_a_missing_port_in_one_line(words: tuple[str, ...], tmp_path: Path) -> None:
    if words[0] == "watch":
        pytest.importorskip("openmv")
    (tmp_path / "a.py").write_text("print(1)\n", encoding="utf-8")
    done = run(*words, "--port", "/dev/no-such-port", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (command.WRONG, "")
    assert "there is no port /dev/no-such-port" in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_port_of_an_unknown_kind_is_reported_in_one_line() -> None:
    for port in ("foo://", "hwgrep://no-such-port"):
        done = run("selftest", "--port", port)
        assert done.returncode == command.WRONG and len(done.stderr.splitlines()) == 1 and "--port: " in done.stderr


def test_a_port_that_cannot_be_opened_keeps_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print(1)\n", encoding="utf-8")
    (tmp_path / "old.json").write_text("[0]\n", encoding="utf-8")
    done = run("run", "a.py", "--port", "a.py", "--json-out", "old.json", cwd=tmp_path)
    assert done.returncode == command.FINDINGS and done.stderr.splitlines()[-1].startswith("a.py cannot be opened: ")
    assert (tmp_path / "old.json").read_text(encoding="utf-8") == "[0]\n" and "lines of JSON" not in done.stderr


@pytest.fixture
def full_port() -> Iterator[str]:
    """A port that takes no more bytes, as of a camera that hangs."""
    camera_end, pc_end = os.openpty()
    tty.setraw(pc_end)
    os.set_blocking(pc_end, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(pc_end, bytes(1024))
    yield os.ttyname(pc_end)
    os.close(pc_end)
    os.close(camera_end)


def test_a_port_that_takes_no_bytes_is_a_camera_that_does_not_answer(
    full_port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repl, "_ANSWERS_WITHIN", 1)
    with pytest.raises(command.UserError, match="has not answered for 1 seconds"):
        repl.wake(full_port)
    pytest.importorskip("openmv")
    from n6post_pc.camera import watch

    monkeypatch.setattr(watch, "_TIMEOUT", 0.1)
    with pytest.raises(command.UserError, match="does not answer"):
        watch.connect(full_port, lambda port: None)


def test_waiting_for_a_script_or_for_older_firmware_is_announced(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(repl, "_SAYS_AFTER", 0.1)
    lines: list[str] = []
    code = "import time; print('Local directory x is mounted at /remote', flush=True); time.sleep(1); print('1')"
    assert repl.follow([sys.executable, "-c", code], lines.append) == (0, "")
    assert lines == ["1"] and capsys.readouterr().err == "Waiting for the first output.\n"
    pytest.importorskip("openmv")
    from n6post_pc.camera import watch

    def silent(port: str) -> Any:
        raise watch.OMVException("Failed to connect")

    monkeypatch.setattr(watch, "Link", silent)
    with pytest.raises(command.UserError, match="does not answer"):
        watch.connect("COM3", lambda port: time.sleep(0.5))  # type: ignore[func-returns-value]
    assert capsys.readouterr().err == "Waiting for the camera on COM3 to answer.\n"


# ---- mpremote, against a real MicroPython ----


@pytest.fixture
def micropython(tmp_path: Path) -> Iterator[str]:
    with vm.at_a_port(folder=tmp_path) as (port, _):
        yield port


def on_camera(port: str, code: str) -> str:
    return repl.ask(port, code).strip()


def files_on(port: str, folder: str) -> dict[str, str]:
    """Names and hashes of the files in a folder, computed by mpremote's sha256sum."""
    look = (
        "import os\ndef look(folder):\n    for entry in os.ilistdir(folder):\n        path = folder + '/' + entry[0]\n"
        "        if entry[1] & 0x4000: look(path)\n        else: print(path)\n"
    ) + f"look({folder!r})"
    names = on_camera(port, look).split()
    words = [word for name in names for word in ("+", "sha256sum", f":{name}")][1:]
    hashes = [line.split()[0] for line in repl.chain(port, words, WAIT).splitlines() if not line.startswith("sha256sum")]
    return dict(zip([name.removeprefix(folder + "/") for name in names], hashes, strict=True))


def hashes_of(folder: Path) -> dict[str, str]:
    paths = [path for path in folder.rglob("*") if path.suffix in (".py", ".mpy")]
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


Here = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    """Runs a command in this process and returns (exit code, stdout, stderr)."""

    def called(*words: object) -> tuple[int, str, str]:
        code = cli.call("camera", [str(word) for word in words], "n6post camera")
        return code, *capsys.readouterr()

    return called


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of three files that replaces the real one."""
    package = tmp_path / "lib" / "n6post"
    (package / "kernels").mkdir(parents=True)
    for name, text in (("__init__.py", "__version__ = '7.1'\n"), ("nms.py", "x = 1\n"), ("kernels/__init__.py", "\n")):
        (package / name).write_text(text, encoding="utf-8")
    for module in (install, build):
        monkeypatch.setattr(module, "LIB", package.parent)
    return package


def test_run_shows_the_output_of_a_script_and_saves_its_json_lines(micropython: str, tmp_path: Path) -> None:
    source = tmp_path / "printer.py"
    text = "import n6post\nprint('version', n6post.__version__)\nfor i in range(300):\n    print('[%d, {}]' % i)\n"
    source.write_text(text + "print(1.5)\n", encoding="utf-8")
    done = run("run", source, "--port", micropython, "--json-out", tmp_path / "out.jsonl")
    assert (done.returncode, done.stdout) == (command.FINE, f"version {cli.version()}\n1.5\n"), done.stderr
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == "".join(f"[{i}, {{}}]\n" for i in range(300))
    assert "printer.py runs on" in done.stderr and "300 lines of JSON" in done.stderr


def test_run_reports_script_errors_and_a_missing_n6post(micropython: str, tmp_path: Path) -> None:
    source = tmp_path / "wrong.py"
    source.write_text("print('before')\n1 / 0\n", encoding="utf-8")
    done = run("run", source, "--port", micropython)
    assert done.returncode == command.FINDINGS
    assert done.stdout.startswith("before\nTraceback") and "ZeroDivisionError" in done.stdout
    assert done.stderr.splitlines()[-1] == "The script ended with an error."
    source.write_text("import n6post\n", encoding="utf-8")
    done = run("run", source, "--port", micropython, "--installed")
    assert re.search(r"`python3 \S+camera\.py install` copies it there\.$", done.stderr.splitlines()[-1])


def test_install_copies_the_compiled_library_and_the_camera_imports_it(
    micropython: str, tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Machine code and some of the rest: all files take a minute, because mpremote sends 256 bytes at a time.
    part = tmp_path / "lib" / "n6post"
    left_out = "families", "models", "results", "tensors", "tracking", "drawing", "portable/*", "m7/*", "viper/*"
    shutil.copytree(LIB, part, ignore=shutil.ignore_patterns(*left_out))
    for module in (install, build):
        monkeypatch.setattr(module, "LIB", part.parent)
    code, out, errors = here("install", "--port", micropython)
    assert code == command.FINE, errors
    build.build(tmp_path / "mpy", "armv7m")
    expected = hashes_of(tmp_path / "mpy" / "n6post")
    assert files_on(micropython, "/flash/lib/n6post") == expected
    assert {name.replace(".mpy", ".py") for name in expected} == set(hashes_of(part))
    assert f"{len(expected)} files copied, 0 unchanged, 0 old files removed." in out
    imported = on_camera(micropython, "import n6post; print(n6post.__file__, n6post.__version__)")
    assert imported == f"/flash/lib/n6post/__init__.mpy {cli.version()}"


def test_install_copies_files_that_differ_and_removes_old_ones(micropython: str, small: Path, here: Here) -> None:
    code, out, _ = here("install", "--source", "--port", micropython)
    assert code == command.FINE and "3 files copied, 0 unchanged, 0 old files removed." in out
    assert files_on(micropython, "/flash/lib/n6post") == hashes_of(small)
    # Damage one file of the library, add one of an older version and one that does not belong to the library.
    on_camera(micropython, "\n".join(f"open('/flash/lib/n6post/{name}', 'w').write('x')" for name in (
        "nms.py", "kernels/gone_since.py", "my_notes.txt")))  # fmt: skip
    code, out, _ = here("install", "--source", "--port", micropython, "--json")
    result = json.loads(out)
    assert code == command.FINE and result["same"] == 2
    assert (result["copied"], result["removed"], result["kept"]) == (["nms.py"], ["kernels/gone_since.py"], ["my_notes.txt"])
    installed = files_on(micropython, "/flash/lib/n6post")
    assert installed.pop("my_notes.txt") and installed == hashes_of(small)


def test_compiled_files_replace_sources(micropython: str, small: Path, here: Here) -> None:
    assert here("install", "--source", "--port", micropython)[0] == command.FINE
    code, out, _ = here("install", "--port", micropython)
    assert code == command.FINE and "3 files copied, 0 unchanged, 3 old files removed." in out
    # A .py file would be imported before its .mpy.
    assert set(files_on(micropython, "/flash/lib/n6post")) == {"__init__.mpy", "nms.mpy", "kernels/__init__.mpy"}
    assert on_camera(micropython, "import n6post; print(n6post.__file__)") == "/flash/lib/n6post/__init__.mpy"


def test_install_reports_a_copy_that_is_imported_before_its_own(micropython: str, small: Path, here: Here) -> None:
    on_camera(micropython, "import os; os.mkdir('/rom/n6post')")
    on_camera(micropython, "open('/rom/n6post/__init__.py', 'w').write('__version__ = 0')")
    code, out, _ = here("install", "--source", "--port", micropython)
    assert code == command.FINDINGS
    assert "n6post 7.1 is in /flash/lib/n6post" in out  # not the version of the other one
    other = "imports /rom/n6post/__init__.py, version 0, which comes first: remove it from the ROMFS"
    assert f"But `import n6post` {other}" in out
    code, out, _ = here("install", "--source", "--to", "/sdcard/lib", "--port", micropython)
    assert "There is another copy in /flash/lib/n6post; the camera does not import it." in out


def test_install_replaces_main_py_and_keeps_the_old_one(
    micropython: str, small: Path, here: Here, tmp_path: Path
) -> None:
    source = tmp_path / "count.py"
    for text, kept in (("print('first')\n", ""), ("print('second')\n", "print('first')\n"), ("#\n", "print('second')\n")):
        source.write_text(text, encoding="utf-8")
        code, out, _ = here("install", "--source", "--script", source, "--port", micropython)
        assert code == command.FINE and "/flash/main.py is a copy of count.py and runs at power-up" in out
        assert repl.chain(micropython, ["cat", ":/flash/main.py"]) == text
        if kept:
            assert "the previous one is main.py.old" in out
            assert repl.chain(micropython, ["cat", ":/flash/main.py.old"]) == kept


@pytest.mark.parametrize(
    "words, message",
    [
        (("--to", "/none/lib"), "the camera has no drive /none"),
        (("--to", "lib"), "expected a folder of a drive such as /flash/lib or /sdcard/lib, got 'lib'"),
        (("--to", "/flash/other"), "the camera does not import modules from /flash/other"),
        (("--script", "/no/such.py"), "no such file: /no/such.py"),
    ],
)
def test_install_rejects_wrong_arguments(
    words: tuple[str, ...], message: str, micropython: str, small: Path, here: Here
) -> None:
    code, out, errors = here("install", "--source", "--port", micropython, *words)
    assert code == command.WRONG and message in errors and out == ""


def test_install_rejects_a_drive_that_is_too_small(tmp_path: Path, here: Here) -> None:
    full = "import os\nos.statvfs = lambda path: (512, 512, 100, 100, 100, 0, 0, 0, 0, 255)\n"
    with vm.at_a_port(full, tmp_path) as (port, _):
        code, _, errors = here("install", "--source", "--port", port)
        assert code == command.WRONG and re.search(r"/flash/lib: n6post needs [\d,]+ bytes, and 51,200 are free", errors)
        assert on_camera(port, "import os; print(os.listdir('/flash/lib'))") == "[]"


def test_install_reports_a_file_that_was_damaged_on_its_way(tmp_path: Path, small: Path, here: Here) -> None:
    # A drive that loses the last byte of one file.
    bad = (
        "import builtins, io\n_open = io.open\n"
        "def _bad(name, mode='r'):\n"
        "    file = _open(name, mode)\n"
        "    if 'w' in mode and name.endswith('nms.py'):\n"
        "        class Bad:\n"
        "            def write(self, data): return file.write(data[:-1])\n"
        "            def close(self): file.close()\n"
        "        return Bad()\n"
        "    return file\n"
        "builtins.open = _bad\n"
    )
    with vm.at_a_port(bad, tmp_path) as (port, _):
        code, _, errors = here("install", "--source", "--port", port)
        assert code == command.WRONG
        assert "1 files on the camera differ from those that were copied, for example nms.py" in errors


def test_a_cable_pulled_during_a_copy_is_reported_in_one_line(tmp_path: Path) -> None:
    with vm.at_a_port(folder=tmp_path) as (port, process):
        with running("camera.py", "install", "--source", "--port", port) as installing:
            until = time.monotonic() + WAIT
            time.sleep(2)
            process.kill()
            out, errors = installing.communicate(timeout=max(1, until - time.monotonic()))
    assert installing.returncode == command.WRONG, out + errors
    assert "Traceback" not in errors and len(errors.splitlines()) == 2, errors


def test_a_pulled_cable_is_reported_and_the_output_is_kept(tmp_path: Path) -> None:
    source, out = tmp_path / "endless.py", tmp_path / "out.jsonl"
    source.write_text("import time\nwhile True:\n    print('[1]')\n    time.sleep_ms(20)\n", encoding="utf-8")
    with vm.at_a_port(folder=tmp_path) as (port, process):
        with running("camera.py", "run", source, "--port", port, "--json-out", out) as follower:
            wait_for(lambda: out.exists() and out.stat().st_size > 40)
            process.kill()
            _, errors = follower.communicate(timeout=WAIT)
    assert follower.returncode == command.FINDINGS, errors
    assert errors.splitlines()[-1] == "The camera is disconnected: its cable was pulled, or it was reset."
    assert set(out.read_text(encoding="utf-8").splitlines()) == {"[1]"}


@pytest.mark.parametrize(
    "output, message",
    [
        ("mpremote: failed to access /dev/x (it may be in use by another program)", "is OpenMV IDE, or another program"),
        ("Traceback ...\nx.TransportError: could not enter raw repl", "does not answer like MicroPython"),
        ("Traceback ...\nOSError: [Errno 5] Input/output error", "its cable was pulled, or it was reset"),
        ("Traceback ...\nserial.serialutil.SerialException: device reports readiness", "its cable was pulled"),
        ("something\nnew\n", "the camera reported: new"),
        ("", "the camera reported no reason"),
    ],
)
def test_errors_of_mpremote_become_sentences(output: str, message: str) -> None:
    assert message in repl.why("/dev/x", output)


def test_the_benchmark_prints_a_table_and_a_block_for_an_issue(
    micropython: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        "| work | ms | in kernels | the rest |", "| --- | ---: | --- | ---: |",
        "| YoloV8, float [1,5,756] | 0.42 | candidates 0.02, suppress 0.01 | 0.39 |",
        "| MoveNet | 0.20 | peaks 0.10 | 0.10 |",
    ]  # fmt: skip
    machine = "n6post 9.9, OpenMV N6, firmware 5.0.0, Cortex-M55 r1p1 at 800 MHz, helium kernels, from /remote"
    end = "ms: the median of 15 frames."
    measured = tmp_path / "benchmark.py"
    measured.write_text("".join(f"print({text!r})\n" for text in [machine, "", *rows, "", end]), encoding="utf-8")
    monkeypatch.setattr(camera, "BENCHMARK", measured)
    monkeypatch.setenv("COLUMNS", "80")
    assert camera.main(["benchmark", "--port", micropython, "-o", str(tmp_path / "block.md")], "x") == command.FINE
    shown = capsys.readouterr().out
    assert max(map(len, shown.partition("Paste this")[0].splitlines())) <= 80
    assert (tmp_path / "block.md").read_text(encoding="utf-8") == "\n".join(
        [f"<details><summary>{machine}</summary>", "", *rows, "", "</details>", ""]
    )
    assert shown.endswith((tmp_path / "block.md").read_text(encoding="utf-8"))
    assert camera.main(["benchmark", "--port", micropython, "--json"], "x") == command.FINE
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["work"] == "YoloV8, float [1,5,756]" and second["ms"] == "0.20" and second["machine"] == machine


def test_a_benchmark_that_stops_early_prints_no_table(
    micropython: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured = tmp_path / "benchmark.py"
    measured.write_text("print('| work | ms |')\nprint('| --- | --- |')\nprint('| a | 1 |')\n1 / 0\n", encoding="utf-8")
    monkeypatch.setattr(camera, "BENCHMARK", measured)
    with pytest.raises(command.UserError, match="the benchmark stopped before its end"):
        camera.main(["benchmark", "--port", micropython], "x")
    shown = capsys.readouterr()
    assert shown.out == "" and "ZeroDivisionError" in shown.err



# ---- backup ----

ROM = [romfs.File("n6post/__init__.mpy", b"M", 4), romfs.File("a.tflite", bytes(range(256)) * 150, 32),
       romfs.File("a.txt", b"person\r\n", 4)]  # fmt: skip
AS_A_CAMERA = """
import sys
class vfs:
    @staticmethod
    def rom_ioctl(what, number):
        assert (what, number) == (2, 0)
        return {}
sys.modules["vfs"] = vfs
"""


@contextlib.contextmanager
def with_rom(rom: str, folder: Path, boot: str = "") -> Iterator[str]:
    """The port of a MicroPython whose partition for the ROMFS is the value of this expression."""
    with vm.at_a_port(AS_A_CAMERA.format(rom) + boot, folder) as (port, _):
        yield port


def test_backup_reads_the_image_and_a_build_keeps_its_models(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    body = romfs.pack(ROM)[0][8:]
    image = romfs.MARK + bytes([0x80] * 9) + romfs._uint(len(body), 4) + body  # OpenMV's mkromfs.py fills 16 bytes
    with with_rom(f"memoryview({image!r} + bytes(5000))", tmp_path) as port:
        code, out, errors = here("backup", "rom.img", "--port", port)
    assert code == command.FINE, errors
    assert Path("rom.img").read_bytes() == image
    assert f"rom.img: 3 files, {len(image):,} of the partition's {len(image) + 5000:,} bytes" in out
    assert "n6post build --romfs --keep rom.img" in out and "mpremote romfs deploy rom.img" in out
    assert cli.call("build", ["--romfs", "--keep", "rom.img", "--json"], "n6post build") == command.FINE
    kept = {file.path: file.data for file in romfs.unpack(Path("build/n6post.img").read_bytes())}
    assert {path: kept[path] for path in ("a.tflite", "a.txt")} == {file.path: file.data for file in ROM[1:]}
    assert len(kept["n6post/__init__.mpy"]) > 1


@pytest.mark.parametrize("rom, message", [
    ("-19", "the firmware of the camera on .* cannot read its ROMFS: OpenMV IDE can extract files"),
    ("memoryview(bytes([255]) * 5000)", "the ROMFS of the camera on .* is empty"),
    (f"memoryview({romfs.pack(ROM)[0][:9000]!r})", r"the image has [\d,]+ bytes, of which 9,000 are there"),
], ids=["no partition", "an erased one", "too small"])  # fmt: skip
def test_backup_of_no_image_leaves_the_old_file(rom: str, message: str, tmp_path: Path, here: Here) -> None:
    (tmp_path / "rom.img").write_bytes(b"old")
    with with_rom(rom, tmp_path) as port:
        code, out, errors = here("backup", tmp_path / "rom.img", "--port", port)
    assert (code, out) == (command.WRONG, "") and re.search(message, errors), errors
    assert (tmp_path / "rom.img").read_bytes() == b"old"


# What the camera runs in place of binascii.b2a_base64.
OWN_BASE64 = """
import time
import binascii as _real
class _binascii:
    hexlify = _real.hexlify
    @staticmethod
    def b2a_base64(data):
        {}
        return _real.b2a_base64(bytes(data))
sys.modules["binascii"] = _binascii
"""


def test_backup_notices_a_byte_that_changed_on_its_way(tmp_path: Path, here: Here) -> None:
    bad = OWN_BASE64.format("data = bytes(data[:-1]) + bytes([data[-1] ^ 1])")
    with with_rom(f"memoryview({romfs.pack(ROM)[0]!r})", tmp_path, bad) as port:
        code, _, errors = here("backup", tmp_path / "rom.img", "--port", port)
    assert code == command.WRONG and "are not those that the camera has read" in errors
    assert not list(tmp_path.glob("*.img"))


def test_backup_takes_only_names_that_mpremote_can_deploy(tmp_path: Path, here: Here, micropython: str) -> None:
    code, _, errors = here("backup", tmp_path / "rom.bin", "--port", micropython)
    assert code == command.WRONG and "expected a name that ends in .img, .romfs" in errors


def test_a_cable_pulled_during_a_backup_leaves_no_file(tmp_path: Path) -> None:
    boot = AS_A_CAMERA.format(f"memoryview({romfs.pack(ROM)[0]!r})") + OWN_BASE64.format("time.sleep(10)")
    with vm.at_a_port(boot, tmp_path) as (port, process):
        with running("camera.py", "backup", tmp_path / "rom.img", "--port", port) as reading:
            time.sleep(3)
            process.kill()
            _, errors = reading.communicate(timeout=WAIT)
    assert reading.returncode == command.WRONG and "Traceback" not in errors and "was not written" in errors, errors
    assert not list(tmp_path.glob("*.img"))


# ---- report ----

TESTED = [
    "n6post 9.9, helium kernels, micropython 1.28.0 on OpenMV", "ok      YoloV8 detects what numpy detects",
    "FAILED  kernel peaks equals the portable one", "Traceback (most recent call last):", "ValueError: expected 3, got ```4",
    "ok      the core saves vectors when it is interrupted: CPUID 411FD220", "skipped 2: there is no image module",
]  # fmt: skip
MEASURED = [
    "n6post 9.9, OpenMV N6, firmware 5.0.0, helium kernels, from /remote", "", "| work | ms | in kernels | the rest |",
    "| --- | ---: | --- | ---: |", "| MoveNet | 0.20 | peaks 0.10 | 0.10 |", "", "ms: the median of 15 frames.",
]  # fmt: skip


@pytest.fixture
def reporting(
    micropython: str, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: Here
) -> Callable[..., Any]:
    """Runs `report` on a camera whose self-test and benchmark print these lines."""

    def called(tested: list[str], measured: list[str], *words: object) -> tuple[int, str, str]:
        for name, lines in (("SELFTEST", tested), ("BENCHMARK", measured)):
            source = tmp_path / f"{name.lower()}.py"
            printed = [f"print({text!r})\n" if text != "1 / 0" else "1 / 0\n" for text in lines]
            source.write_text("import n6post\n" + "".join(printed), encoding="utf-8")
            monkeypatch.setattr(camera, name, source)
        return here("report", "--port", micropython, *words)

    return called


def test_the_report_has_the_camera_the_failures_and_the_table(reporting: Callable[..., Any], tmp_path: Path) -> None:
    code, out, errors = reporting([*TESTED, "174 passed, 1 failed"], MEASURED, "-o", tmp_path / "report.md")
    assert code == command.FINDINGS, errors
    assert out == (tmp_path / "report.md").read_text(encoding="utf-8")
    about, selftest, benchmark = re.split("\n\n### (?:Self-test|Benchmark)\n\n", out)
    assert about.startswith("### Camera\n\n- Camera: none: micropython on ") and f"Python {sys.version.split()[0]}" in about
    assert "- Library: the n6post of the PC, over the cable\n" in about
    short, _, rest = selftest.partition("<details>")
    # What matters is not collapsed. The fence is longer than the backticks inside of it.
    assert short.split("\n") == ["**174 passed, 1 failed**", "", "````text", *TESTED[2:], "````", "", ""]
    assert all(line in rest for line in TESTED)
    table, _, line = benchmark.partition("\n\n```json\n")
    assert table == camera.block(MEASURED) and line.endswith("\n```\n")
    found = json.loads(line[:-5])
    assert found.pop("figures") == {"MoveNet": 0.2}
    assert found == {"camera": "OpenMV N6", "firmware": "5.0.0", "n6post": "9.9", "core": "", "unit": "ms"}
    assert str(tmp_path) not in out and str(ROOT) not in out


def test_a_report_of_a_healthy_camera_is_a_success(reporting: Callable[..., Any]) -> None:
    code, out, _ = reporting([TESTED[0], TESTED[1], "1 passed, 0 failed"], MEASURED)
    assert code == command.FINE and "**1 passed, 0 failed**\n\n<details>" in out


def test_a_report_says_what_stopped_before_its_end(reporting: Callable[..., Any]) -> None:
    code, out, _ = reporting([*TESTED[:2], "1 / 0"], ["1 / 0"])
    assert code == command.FINDINGS
    assert "**Stopped before its end**: the camera reported: ZeroDivisionError" in out and TESTED[1] in out
    assert "**No table**: the camera reported: ZeroDivisionError" in out



def test_the_figures_of_a_report_have_plain_names_and_numbers() -> None:
    head = "n6post 9.9, OpenMV AE3, firmware 5.0.0, Cortex-M55 r1p1 at 400 MHz, caches on, helium kernels, from /rom/lib"
    rows = ["| work | ms | in kernels | the rest | cycles |", "| --- | ---: | --- | ---: | ---: |",
            "| start: import, YoloV8Seg, its first frame; then 56912 bytes of heap | 41.50 |  |  |  |",
            "| YoloV8, float [1,5,756] | 0.42 | a 0.02 | 0.39 | 1,234 |",
            "| drawing that on 192x192 RGB565 | 0.31 |  |  | 9 |",
            "| too large | MemoryError |  |  |  |", "| 32 bytes of the heap at 0x02000000, cycles | 31.5 |  |  |  |",
            "| shift of a fitted frame, pixels of the input | -0.37 |  |  |  |"]  # fmt: skip
    found = json.loads(report.figures([head, "", *rows, "", "ms: the median of 15 frames."]))
    assert (found["camera"], found["core"]) == ("OpenMV AE3", "Cortex-M55 r1p1 at 400 MHz")
    assert found["figures"] == {
        "start: import, YoloV8Seg, its first frame": 41.5, "heap after the start, bytes": 56912,
        "YoloV8, float [1,5,756]": 0.42, "YoloV8, float [1,5,756], drawing": 0.31,
        "32 bytes of the heap at 0x02000000, cycles": 31.5,
        "shift of a fitted frame, pixels of the input": -0.37}  # fmt: skip


def test_a_report_names_no_port_and_no_folder_of_the_pc() -> None:
    said = [
        f"FAILED  x: [Errno 2] No such file: '/{'home'}/jane/n6post/lib'",
        r"FAILED  y: C:\Users\jane\n6post\lib\a.py", "0 passed, 2 failed",
    ]  # fmt: skip
    text = report.markdown({"Camera": "N6"}, said, "", "", "/dev/cu.usbmodem207833A04D561 cannot be opened, nor COM3")
    assert "jane" not in text and "207833" not in text and "COM3" not in text
    assert "'.../lib'" in text and ".../a.py" in text and "the port cannot be opened" in text
    assert "/rom/n6post" in report.markdown({"Camera": "x"}, ["n6post from /rom/n6post", "1 passed, 0 failed"], "", "t", "")


def test_a_report_with_long_lines_still_fits_into_an_issue() -> None:
    text = report.markdown({"Camera": "N6\nx"}, ["ok      x" + "y" * 900] * 200 + ["200 passed, 0 failed"], "", "table", "")
    assert len(text) < 65_536 and "characters left out" in text and "- Camera: N6 x\n" in text


# ---- Ctrl-C: a REPL simulated below, because the MicroPython of these tests cannot be interrupted ----


def test_ctrl_c_also_stops_the_script_on_the_camera(tmp_path: Path) -> None:
    import pty
    import tty

    master, slave = pty.openpty()
    tty.setraw(slave)
    received = bytearray()
    printing = threading.Event()

    def answer() -> None:
        """A minimal raw REPL, with a script that never ends."""
        with contextlib.suppress(OSError):
            while True:
                data = os.read(master, 4096)
                received.extend(data)
                if b"\x03" in data and printing.is_set():
                    os.write(master, b"\r\nKeyboardInterrupt\r\n>>> ")
                elif b"\x05A\x01" in data:
                    os.write(master, b"R\0")
                elif data.endswith(b"\r\x01"):
                    os.write(master, b"raw REPL; CTRL-B to exit\r\n>")
                elif data.endswith(b"\x04"):
                    ran = received.count(b"endless")
                    os.write(master, b"OKline\r\n" if ran else b"OK\r\nsoft reboot\r\nraw REPL; CTRL-B to exit\r\n>")
                    if ran:
                        printing.set()

    threading.Thread(target=answer, daemon=True).start()
    source = tmp_path / "endless.py"
    source.write_text("# endless\n", encoding="utf-8")
    with running("camera.py", "run", source, "--installed", "--port", os.ttyname(slave)) as follower:
        assert printing.wait(WAIT)
        time.sleep(0.5)
        del received[:]
        follower.send_signal(signal.SIGINT)
        _, errors = follower.communicate(timeout=WAIT)
    os.close(slave)
    os.close(master)
    assert b"\x03" in received
    assert follower.returncode == 130 and errors.splitlines()[-1] == "Stopped, also on the camera."


# ---- watch, against the stand-in ----


def wait_for(condition: Any, seconds: float = WAIT) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


@contextlib.contextmanager
def stand_in(**plan: Any) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """(port, process) of a simulated camera with the faults of a plan."""
    pytest.importorskip("openmv")
    words = [sys.executable, str(ROOT / "host_tests" / "stand_in_camera.py"), json.dumps(plan)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process
    finally:
        process.kill()
        process.wait()


# Prints lines of 30 to 1,500 bytes, longer than the firmware's buffer, and saves them in a file.
TALKER = """\
import csi, json, time
with open({sent!r}, "w") as sent:
    for number in range({count}):
        csi.snapshot()
        line = json.dumps([{{"number": number, "label": "x" * (number * 397 % 1500)}}])
        sent.write(line + "\\n")
        sent.flush()
        print(line)
        if number % 10 == 0:
            print("fps", number)
        time.sleep_ms({pause})
"""


def talker(folder: Path, count: int = 40, pause: int = 5) -> tuple[Path, Path]:
    """A script, and the file in which it saves the JSON lines that it prints."""
    source, sent = folder / "talker.py", folder / "sent.jsonl"
    source.write_text(TALKER.format(sent=str(sent), count=count, pause=pause), encoding="utf-8")
    return source, sent


def test_watch_shows_frames_saves_every_line_and_ends_with_the_script(tmp_path: Path) -> None:
    source, sent = talker(tmp_path)
    with stand_in() as (port, _):
        out = tmp_path / "out.jsonl"
        done = run("watch", source, "--port", port, "--json-out", out, "--save", tmp_path / "frames")
    assert done.returncode == command.FINE, done.stderr
    assert done.stdout == "fps 0\nfps 10\nfps 20\nfps 30\n"
    kept = out.read_text(encoding="utf-8")
    assert kept == sent.read_text(encoding="utf-8") and len(kept.splitlines()) == 40
    assert re.search(r"^Firmware 5\.0\.0 on .* runs talker\.py\. Press Ctrl-C to stop it\.$", done.stderr, re.MULTILINE)
    assert re.search(r"^Its frames: http://127\.0\.0\.1:\d+/$", done.stderr, re.MULTILINE)
    assert re.fullmatch(r"The script has ended\. \d+ frames, 40 lines of JSON\.", done.stderr.splitlines()[-1])
    pictures = sorted((tmp_path / "frames").iterdir())
    assert len(pictures) >= 3
    shades = [Image.open(picture).getpixel((20, 20))[0] for picture in pictures]  # type: ignore[index]
    assert shades == sorted(shades) and 1 <= shades[0] < shades[-1] <= 42  # the frame number, plus JPEG's rounding


FAULTS: dict[str, dict[str, Any]] = {
    "packets are dropped": {"drop": 0.03, "seed": 1},
    "bits are flipped": {"flip": 0.02, "seed": 2},
    "packets are truncated": {"truncate": 0.03, "seed": 3},
    "packets arrive late and out of order": {"delay": 0.03, "seed": 4},
    "packets are duplicated": {"twice": 0.05, "seed": 5},
    "all of these happen": {"drop": 0.01, "flip": 0.01, "truncate": 0.01, "delay": 0.01, "twice": 0.01, "seed": 6},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_no_line_is_lost_or_repeated_if(fault: str, tmp_path: Path) -> None:
    source, sent = talker(tmp_path)
    with stand_in(**FAULTS[fault]) as (port, camera_process):
        out = tmp_path / "out.jsonl"
        done = run("watch", source, "--port", port, "--json-out", out, "--frames", 1000)
        assert done.returncode == command.FINE, done.stderr
        kept = out.read_text(encoding="utf-8")
        assert kept == sent.read_text(encoding="utf-8") and len(kept.splitlines()) == 40
        assert re.findall(r"fps (\d+)", done.stdout) == ["0", "10", "20", "30"]
        camera_process.kill()


def test_a_cable_pulled_during_watch_is_reported_and_lines_are_kept(tmp_path: Path) -> None:
    source, sent = talker(tmp_path, count=4000)
    with stand_in(pull=300) as (port, camera_process):
        out = tmp_path / "out.jsonl"
        done = run("watch", source, "--port", port, "--json-out", out, "--no-page")
        camera_process.wait(10)
    assert done.returncode == command.FINDINGS
    assert done.stderr.splitlines()[-1].startswith("The camera is disconnected: its cable was pulled, or it was reset.")
    kept = out.read_text(encoding="utf-8")
    assert kept.endswith("\n") and sent.read_text(encoding="utf-8").startswith(kept)
    # At most what the camera keeps for the PC is lost.
    assert len(sent.read_text(encoding="utf-8")) - len(kept) < 8192 + 2 * 1600


def test_a_silent_camera_is_reported_after_a_timeout(tmp_path: Path) -> None:
    source, sent = talker(tmp_path, count=4000)
    with stand_in(mute=300) as (port, _):
        out = tmp_path / "out.jsonl"
        done = run("watch", source, "--port", port, "--json-out", out, "--no-page")
    assert done.returncode == command.FINDINGS
    last = done.stderr.splitlines()[-1]
    assert re.match(r"The camera has not answered for \d+ seconds; its reset button may help\.", last)
    assert out.read_text(encoding="utf-8") and sent.read_text(encoding="utf-8").startswith(out.read_text(encoding="utf-8"))


def test_firmware_that_does_not_speak_the_protocol_is_reported(tmp_path: Path) -> None:
    source, _ = talker(tmp_path)
    with stand_in(old=True) as (port, _):
        done = run("watch", source, "--port", port)
    assert done.returncode == command.WRONG and "Firmware older than 5.0 does not speak this protocol" in done.stderr
    pytest.importorskip("openmv")
    # If a REPL answers at another baud rate, the error names the version.
    boot = "import sys\nclass omv:\n    version_string = staticmethod(lambda: '4.8.1')\nsys.modules['omv'] = omv\n"
    with vm.at_a_port(boot, tmp_path) as (port, _):
        done = run("watch", source, "--port", port)
    assert done.returncode == command.WRONG
    assert "runs firmware 4.8.1, and watch needs the protocol of 5.0" in done.stderr and "--json-out" in done.stderr


def test_a_scripts_traceback_follows_its_lines_and_is_complete(tmp_path: Path) -> None:
    source = tmp_path / "wrong.py"
    source.write_text('print("[1]")\n\n\ndef f():\n    raise ValueError("x" * 1200)\n\n\nf()\n', encoding="utf-8")
    with stand_in() as (port, _):
        done = run("watch", source, "--port", port, "--no-page")
    assert done.returncode == command.FINDINGS
    shown = done.stdout.splitlines()
    assert shown[0] == "[1]" and shown[-1] == "ValueError: " + "x" * 1200
    assert 'File "wrong.py", line 8' in done.stdout and 'File "wrong.py", line 5' in done.stdout
    assert "<stdin>" not in done.stdout  # no lines of camera_agent.py
    assert done.stderr.splitlines()[-1] == "The script ended with an error."


def test_ctrl_c_during_watch_also_stops_the_script_on_the_camera(tmp_path: Path) -> None:
    source, sent = talker(tmp_path, count=100_000)
    out = tmp_path / "out.jsonl"
    with stand_in() as (port, _), running("camera.py", "watch", source, "--port", port, "--json-out", out) as watching:
        wait_for(lambda: out.exists() and out.stat().st_size > 20_000)
        watching.send_signal(signal.SIGINT)
        _, errors = watching.communicate(timeout=WAIT)
        length = sent.stat().st_size
        time.sleep(0.5)
        assert sent.stat().st_size == length  # it has stopped printing
    assert watching.returncode == command.FINE
    assert errors.splitlines()[-1].startswith("Stopped, also on the camera.")
    kept = out.read_text(encoding="utf-8")
    assert kept.endswith("\n") and sent.read_text(encoding="utf-8").startswith(kept)


def test_watch_stops_after_a_ctrl_c_whose_exception_was_lost() -> None:
    pytest.importorskip("openmv")
    from n6post_pc.camera import watch
    from n6post_pc.camera.line_output import Lines

    class Busy:
        """A camera whose third request is interrupted by Ctrl-C, in code that swallows the exception."""

        requests = 0

        def ask(self, what: str) -> dict[str, bool]:
            self.requests += 1
            with contextlib.suppress(KeyboardInterrupt):
                if self.requests == 3:
                    os.kill(os.getpid(), signal.SIGINT)
                    time.sleep(5)
            assert self.requests < 10
            return {"stdin": True}

        def channel(self, name: str) -> bool:
            return False

        def attempt(self, what: str, *arguments: Any) -> None:
            return None

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    link: Any = Busy()
    interrupted = [False]
    restore = watch._note_interrupts(interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            watch._Session(link, Lines(None, None), watch.Frames(None, None), None, interrupted).run()
        assert (interrupted, link.requests) == ([True], 3)
        restore()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_watch_stops_the_script_after_the_given_number_of_frames(tmp_path: Path) -> None:
    source, sent = talker(tmp_path, count=100_000)
    with stand_in() as (port, _):
        done = run("watch", source, "--port", port, "--no-page", "--frames", 3, "--save", tmp_path / "frames")
        length = sent.stat().st_size
        time.sleep(0.5)
        assert sent.stat().st_size == length
    assert done.returncode == command.FINE and "The script was stopped after 3 frames." in done.stderr
    assert len(list((tmp_path / "frames").iterdir())) == 3


def test_the_page_shows_the_newest_frame_and_the_lines_to_this_pc_only(tmp_path: Path) -> None:
    source, _ = talker(tmp_path, count=100_000)
    with stand_in() as (port, _), running("camera.py", "watch", source, "--port", port) as watching:
        assert watching.stderr is not None
        address = ""
        while not address:
            line = watching.stderr.readline()
            assert line, "it ended"
            address = line.partition("Its frames: ")[2].strip()
        assert address.startswith("http://127.0.0.1:")

        def get(path: str, **headers: str) -> bytes:
            request = urllib.request.Request(address + path, headers=headers)
            with urllib.request.urlopen(request, timeout=10) as answer:
                data: bytes = answer.read()
            return data

        def has_frame() -> bool:
            with contextlib.suppress(urllib.error.HTTPError):
                return get("frame.jpg")[:2] == b"\xff\xd8"
            return False

        wait_for(has_frame)
        assert b"/stream" in get("") and b"talker.py" in get("")
        wait_for(lambda: b"fps 0" in get("lines") or b"number" in get("lines"))
        with urllib.request.urlopen(address + "stream", timeout=10) as stream:
            head = b"".join(stream.readline() for _ in range(4))
            assert re.fullmatch(rb"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: \d+\r\n\r\n", head)
        # DNS rebinding: another website's name that points to this PC is refused.
        with pytest.raises(urllib.error.HTTPError, match="403"):
            get("lines", Host="evil.example:80")
        with pytest.raises(urllib.error.HTTPError, match="404"):
            get("../../etc/passwd")
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=WAIT)
    assert watching.returncode == command.FINE


def test_a_camera_without_channels_still_runs_a_script(tmp_path: Path) -> None:
    source = tmp_path / "short.py"
    source.write_text("import time\nfor i in range(5):\n    print('[%d]' % i)\n    time.sleep_ms(100)\n", encoding="utf-8")
    with stand_in(channels=False) as (port, _):
        out = tmp_path / "out.jsonl"
        done = run("watch", source, "--port", port, "--no-page", "--json-out", out)
    assert done.returncode == command.FINE, done.stderr
    assert out.read_text(encoding="utf-8") == "[0]\n[1]\n[2]\n[3]\n[4]\n"
    assert "This camera has no module `protocol`" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("words", [("run", "good.py"), ("watch", "good.py"), ("selftest",), ("install",)])
def test_a_camera_that_never_answers_is_reported_within_seconds(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("print('[1]')\n", encoding="utf-8")
    (tmp_path / "old.jsonl").write_text("[0]\n", encoding="utf-8")
    more = ("--json-out", "old.jsonl") if len(words) > 1 else ()
    started = time.monotonic()
    with stand_in(old=True) as (port, _):
        done = run(*words, "--port", port, *more, cwd=tmp_path)
    assert done.returncode == command.WRONG and time.monotonic() - started < 40
    assert f"Waiting for the camera on {port} to answer." in done.stderr
    assert re.search("(has not answered for 12 seconds|does not answer): close OpenMV IDE", done.stderr.splitlines()[-1])
    assert (tmp_path / "old.jsonl").read_text(encoding="utf-8") == "[0]\n"


@pytest.mark.parametrize("how", ["run", "watch"])
def test_a_full_disk_is_reported(how: str, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs Linux's /dev/full")
    source = tmp_path / "printer.py"
    source.write_text("print('[1]')\n", encoding="utf-8")
    with stand_in() if how == "watch" else vm.at_a_port(folder=tmp_path) as (port, _):
        done = run(how, source, "--port", port, "--json-out", "/dev/full")
    assert done.returncode == command.WRONG
    assert "/dev/full: No space left on device" in done.stderr


@pytest.mark.parametrize(
    "words, message",
    [
        (("no_such.py",), "no_such.py: No such file or directory"),
        (("broken.py",), "broken.py: .*line 1"),
        (("good.py", "--frames", "0"), "--frames: expected 1 or more, got 0"),
        (("good.py", "--http", "99999"), "cannot serve a page on port 99999"),
        (("good.py", "--json-out", "no_folder/x"), "no_folder/x: No such file"),
        (("good.py", "--save", "good.py"), "good.py cannot be the folder of the pictures: a file"),
    ],
)
def test_watch_rejects_wrong_arguments(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("print(1)\n", encoding="utf-8")
    (tmp_path / "broken.py").write_text("print(\n", encoding="utf-8")
    with stand_in() as (port, _):
        done = run("watch", *words, "--port", port, cwd=tmp_path)
    assert done.returncode == command.WRONG and re.search(message, done.stderr), done.stderr


@given(st.data())
def test_overlapping_or_gapped_reads_return_every_byte_once_in_order(data: st.DataObject) -> None:
    pytest.importorskip("openmv")
    from n6post_pc.camera import watch

    text = data.draw(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=9), max_size=9))
    whole = "".join(line + "\n" for line in text).encode()
    base = data.draw(st.sampled_from([0, 1 << 32, (1 << 32) - 7]))  # bytes printed before: the position wraps
    lines: list[str] = []
    printed = watch.Printed(lines.append)
    printed.take(b"n6p\0run1" + bytes(4))
    printed.count = base

    def read(first: int, last: int) -> bytes:
        return b"n6p\0run1" + (base + first & 0xFFFFFFFF).to_bytes(4, "little") + whole[first:last]

    for _ in range(data.draw(st.integers(0, 12))):
        before = printed.count - base
        first = data.draw(st.integers(0, len(whole)))
        last = data.draw(st.integers(first, len(whole)))
        assert printed.take(read(first, last)) == (first <= before <= last)
        assert printed.count - base == (last if first <= before <= last else before)
        damaged = data.draw(st.sampled_from([False, True, None, b"", b"n6p\0run1", b"n6p\3run1" + bytes(9), read(0, 0)[1:]]))
        assert not printed.take(damaged)
    assert printed.take(read(printed.count - base, len(whole)))
    assert lines == text


def test_a_restarted_script_is_read_from_its_start() -> None:
    pytest.importorskip("openmv")
    from n6post_pc.camera import watch

    lines: list[str] = []
    printed = watch.Printed(lines.append)
    assert printed.take(b"n6p\0run1" + bytes(4) + b"one\ntwo\nthr")
    assert printed.take(b"n6p\0run2" + bytes(4) + b"one\n")
    assert lines == ["one", "two", "thr", "one"] and printed.count == 4


def test_endless_output_without_line_ends_is_scanned_once_and_stopped() -> None:
    pytest.importorskip("openmv")
    from n6post_pc.camera import watch

    lines: list[str] = []
    printed = watch.Printed(lines.append)
    piece = b"x" * 4096
    begun = time.monotonic()
    with pytest.raises(command.UserError, match="16,777,216 characters without a line end"):
        for number in range(10_000):
            printed.take(b"n6p\0run1" + (number * len(piece)).to_bytes(4, "little") + piece)
    assert time.monotonic() - begun < 10  # about one second; minutes if every piece scanned all the text again
    assert [set(line) for line in lines] == [{"x"}] and len(lines[0]) == printed.count == (1 << 24) + len(piece)


def test_lines_do_not_depend_on_how_the_text_is_divided() -> None:
    text = "one\n\ntwo\nthree"
    for size in range(1, len(text) + 1):
        splitter = line_output.Splitter("\n")
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert [line for piece in pieces for line in splitter.lines(piece)] == ["one", "", "two"]
        assert (splitter.rest(), splitter.rest()) == ("three", "")


def test_run_stops_a_script_that_prints_without_line_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_output, "LONGEST", 1000)
    lines: list[str] = []
    flood = "import sys\nprint('first')\nwhile True:\n    sys.stdout.write('x' * 64)"
    with pytest.raises(command.UserError, match="1,000 characters without a line end"):
        repl.follow([sys.executable, "-c", flood], lines.append)
    assert lines == ["first", "x" * 1000]


@pytest.mark.parametrize("width, height, accepted", [
    (0, 0, 0), (0, 48, 0), (64, 0, 0), (70_000, 1, 0), ((1 << 32) - 1, (1 << 32) - 1, 0), (2, 2, 1),
])  # fmt: skip
def test_frames_without_pixels_or_with_absurd_sizes_are_counted(
    width: int, height: int, accepted: int, tmp_path: Path
) -> None:
    pytest.importorskip("openmv")
    from n6post_pc.camera import watch
    from n6post_pc.camera.stream_server import Page

    page = Page("title")
    frames = watch.Frames(page, tmp_path)
    frames.take({"width": width, "height": height, "data": bytes(min(width * height * 3, 210_000))})
    page.close()
    assert (frames.count, frames.impossible, frames.unknown) == (accepted, 1 - accepted, 0)
    assert len(list(tmp_path.iterdir())) == accepted


def test_watch_stops_the_script_after_an_unexpected_exception(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openmv")
    from n6post_pc.camera import watch

    requests: list[str] = []

    class Link:
        firmware = (5, 0, 0)

        def ask(self, what: str, *arguments: Any) -> dict[str, bool]:
            requests.append(what)
            return {} if len(requests) < 5 else {"stdin": True, watch.CHANNEL: True}

        def once(self, what: str) -> None:
            requests.append(what)

        def attempt(self, what: str, *arguments: Any) -> bytes:
            return b"n6p\0run1" + bytes(4) + b"a line\n"

        def channel(self, name: str) -> bool:
            return True

        def close(self) -> None:
            requests.append("close")

    def wrong(*arguments: object) -> None:
        raise LookupError("a bug in the command")

    monkeypatch.setattr(watch, "connect", lambda *arguments: Link())
    monkeypatch.setattr(line_output.Lines, "__call__", wrong)
    (tmp_path / "good.py").write_text("print(1)\n", encoding="utf-8")
    with pytest.raises(LookupError, match="a bug in"):
        watch.watch("port", tmp_path / "good.py", lambda port: None, None, None, None, None)
    assert "start" in requests and requests[-2:] == ["stop", "close"]


def test_the_page_answers_this_pc_on_port_80_and_escapes_its_title() -> None:
    from n6post_pc.camera.stream_server import Page

    page = Page("</title><script>alert(1)</script>\x1b\udcff.py on COM3")
    page.tell("\udcff" + "x" * 5000)
    port = int(page.address.rstrip("/").rpartition(":")[2])

    def get(path: str, host: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", path, headers={"Host": host})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    try:
        # Browsers leave out port 80.
        for host in ("127.0.0.1", "localhost", "LOCALHOST", f"127.0.0.1:{port}", "localhost:80"):
            assert get("/lines", host)[0] == 200, host
        for host in ("", "evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost:80:80", "127.0.0.1@evil"):
            assert get("/lines", host)[0] == 403, host
        body = get("/", "localhost")[1]
        assert body.count("<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\x1b\\udcff.py on COM3</title>") == 1
        assert body.count("<script>") == 1
        assert get("/lines", "localhost")[1] == "\\udcff" + "x" * 1999 + " ..."
    finally:
        page.close()


def test_the_camera_agent_runs_on_a_real_micropython(micropython: str, tmp_path: Path) -> None:
    """The simulated PC reads while the script sleeps, in parts, and acknowledges late."""
    pytest.importorskip("openmv")
    from n6post_pc.camera import watch

    source = tmp_path / "talk.py"
    text = "for i in range(40):\n    print('line', i, sep='-')\nprint('no end', end='')\n1 / 0\n"
    source.write_text(text, encoding="utf-8")
    asker = """
import sys, time
class protocol:
    got, asked, first = b"", 0, None
    def register(name, backend): protocol.backend, protocol.name = backend, name
    def is_active(): return True
protocol.register, protocol.is_active = staticmethod(protocol.register), staticmethod(protocol.is_active)
sys.modules["protocol"] = protocol
def ask(ms):
    b = protocol.backend
    protocol.asked += 1
    if not b.poll(): return
    size = b.size()
    data = b"".join([bytes(b.read(at, min(100, size - at))) for at in range(0, size, 100)])
    position = int.from_bytes(data[8:12], "little")
    assert data[:3] == b"n6p" and position <= len(protocol.got)
    protocol.got += data[12 + len(protocol.got) - position:]
    protocol.state = data[3]
    if protocol.asked % 3 == 0:  # the other writes are lost
        b.write(0, len(protocol.got).to_bytes(4, "little"))
        b.write(0, len(protocol.got).to_bytes(4, "little"))
class clock:
    sleep_ms, ticks_us = staticmethod(ask), staticmethod(time.ticks_us)
sys.modules["time"] = clock
"""
    code = watch.program(source) + "\nimport os\nprint(protocol.name, protocol.state)\nprint(repr(protocol.got))\n"
    name, text = on_camera(micropython, asker + code).split("\n", 1)
    assert name.split() == ["n6post_lines", "2"]
    got = eval(text).decode()
    head, traceback = got.split("no end")
    assert head == "".join(f"line-{i}\n" for i in range(40))
    assert traceback.startswith("Traceback") and '"talk.py", line 4' in traceback and "<stdin>" not in traceback
    assert traceback.rstrip().endswith("ZeroDivisionError: divide by zero")


@pytest.mark.parametrize("line, expected", [
    ('[{"rect": [1, 2, 3, 4]}]', True), ("[]", True), ('{"in": 3}', True), ("12.5", False), ("fps 12", False),
    ("[12.5 fps]", False), ('[{"rect": [1, 2', False), ("", False), ('"text"', False),
    pytest.param("[" * 100_000, False, id="100,000 brackets"), (r'["\ud800"]', True),
])  # fmt: skip
def test_json_lines_are_lists_and_objects(line: str, expected: bool) -> None:
    assert line_output.is_json(line) == expected
