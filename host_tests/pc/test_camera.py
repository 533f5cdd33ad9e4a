"""n6post camera: mpremote against a genuine MicroPython, watch against a stand-in that speaks protocol v2, with faults."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
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
from n6post_pc import build, camera, cli, command, devices, install, line_output, repl
from PIL import Image

pytest.importorskip("pty", reason="needs pseudo-terminals")
pytest.importorskip("mpremote")
LIB = ROOT / "lib" / "n6post"
WAIT = 90  # seconds: longer than any of these takes, so that a hang is a failure


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
    assert devices.find("/dev/ttyACM1") == "/dev/ttyACM1"  # whatever it is: it was asked for


def test_with_several_cameras_a_port_must_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    portenta = port("/dev/ttyACM7", *PORTENTA, product="Portenta", number="B")
    plugged(monkeypatch, port("/dev/ttyACM0", *N6, number="A"), portenta)
    with pytest.raises(command.UserError, match=r"--port: /dev/ttyACM0 \(OpenMV Cam, A\), /dev/ttyACM7 \(Portenta, B\)$"):
        devices.find(None)


def test_without_a_camera_the_sentence_says_what_to_look_at(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(monkeypatch, port("/dev/ttyACM1", *UNO))
    for platform, hint in (("linux", "lsusb -d 37c5:"), ("win32", "COM3"), ("darwin", "/dev/cu.usbmodem")):
        monkeypatch.setattr(devices.sys, "platform", platform)
        with pytest.raises(command.UserError, match="no OpenMV camera found.*--port") as told:
            devices.find("auto")
        assert hint in str(told.value)


def test_a_missing_port_is_reported_with_the_existing_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(monkeypatch, port("/dev/ttyACM0", *N6))
    with pytest.raises(command.UserError, match=r"no port /dev/ttyACM9\. .*: /dev/ttyACM0 \(OpenMV Cam, 1234\)"):
        devices.find("/dev/ttyACM9")


def test_a_port_without_permission_is_reported_with_its_group(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(monkeypatch, port("/dev/ttyACM0", *N6))
    monkeypatch.setattr(devices.os, "access", lambda path, mode: False)
    with pytest.raises(command.UserError, match="no permission to open /dev/ttyACM0.*dialout"):
        devices.find(None)


@pytest.mark.parametrize("words", [("run", "a.py"), ("watch", "a.py"), ("install",), ("benchmark",), ("selftest",)])
def test_every_command_ends_with_a_sentence_where_the_port_is_not_there(words: tuple[str, ...], tmp_path: Path) -> None:
    if words[0] == "watch":
        pytest.importorskip("openmv")
    (tmp_path / "a.py").write_text("print(1)\n")
    done = run(*words, "--port", "/dev/no-such-port", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (command.WRONG, "")
    assert "there is no port /dev/no-such-port" in done.stderr and len(done.stderr.splitlines()) == 1


# ---- mpremote, against a genuine MicroPython ----


@pytest.fixture
def micropython(tmp_path: Path) -> Iterator[str]:
    with vm.at_a_port(folder=tmp_path) as (port, _):
        yield port


def on_camera(port: str, code: str) -> str:
    return repl.ask(port, code).strip()


def files_on(port: str, folder: str) -> dict[str, str]:
    """Names and hashes, by mpremote's own sha256sum."""
    look = (
        "import os\ndef look(folder):\n    for entry in os.ilistdir(folder):\n        path = folder + '/' + entry[0]\n"
        "        if entry[1] & 0x4000: look(path)\n        else: print(path)\n"
    ) + f"look({folder!r})"
    names = on_camera(port, look).split()
    asked = [word for name in names for word in ("+", "sha256sum", f":{name}")][1:]
    hashes = [line.split()[0] for line in repl.chain(port, asked, WAIT).splitlines() if not line.startswith("sha256sum")]
    return dict(zip([name.removeprefix(folder + "/") for name in names], hashes, strict=True))


def hashes_of(folder: Path) -> dict[str, str]:
    paths = [path for path in folder.rglob("*") if path.suffix in (".py", ".mpy")]
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


Here = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    """A command in this process: (exit code, stdout, stderr)."""

    def called(*words: object) -> tuple[int, str, str]:
        code = cli.call("camera", [str(word) for word in words], "n6post camera")
        return code, *capsys.readouterr()

    return called


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of three files in the place of the real one."""
    package = tmp_path / "lib" / "n6post"
    (package / "kernels").mkdir(parents=True)
    for name, text in (("__init__.py", "__version__ = '7.1'\n"), ("nms.py", "x = 1\n"), ("kernels/__init__.py", "\n")):
        (package / name).write_text(text)
    for module in (install, build):
        monkeypatch.setattr(module, "LIB", package.parent)
    return package


def test_run_shows_what_a_script_prints_and_keeps_its_lines_of_json(micropython: str, tmp_path: Path) -> None:
    source = tmp_path / "tell.py"
    text = "import n6post\nprint('version', n6post.__version__)\nfor i in range(300):\n    print('[%d, {}]' % i)\n"
    source.write_text(text + "print(1.5)\n")
    done = run("run", source, "--port", micropython, "--json-out", tmp_path / "out.jsonl")
    assert (done.returncode, done.stdout) == (command.FINE, f"version {cli.version()}\n1.5\n"), done.stderr
    assert (tmp_path / "out.jsonl").read_text() == "".join(f"[{i}, {{}}]\n" for i in range(300))
    assert "tell.py runs on" in done.stderr and "300 lines of JSON" in done.stderr


def test_run_reports_script_errors_and_a_missing_n6post(micropython: str, tmp_path: Path) -> None:
    source = tmp_path / "wrong.py"
    source.write_text("print('before')\n1 / 0\n")
    done = run("run", source, "--port", micropython)
    assert done.returncode == command.FINDINGS
    assert done.stdout.startswith("before\nTraceback") and "ZeroDivisionError" in done.stdout
    assert done.stderr.splitlines()[-1] == "The script ended with an error."
    source.write_text("import n6post\n")
    done = run("run", source, "--port", micropython, "--installed")
    assert done.stderr.splitlines()[-1].endswith("`n6post camera install` brings it there.")


def test_install_brings_the_compiled_library_and_the_camera_imports_it(micropython: str, tmp_path: Path) -> None:
    done = run("install", "--port", micropython)
    assert done.returncode == command.FINE, done.stderr
    build.build(tmp_path / "mpy", "armv7m")
    expected = hashes_of(tmp_path / "mpy" / "n6post")
    assert files_on(micropython, "/flash/lib/n6post") == expected
    assert {name.replace(".mpy", ".py") for name in expected} == set(hashes_of(LIB))
    assert f"{len(expected)} files copied, 0 were there already, 0 of before removed." in done.stdout
    told = on_camera(micropython, "import n6post; print(n6post.__file__, n6post.__version__)")
    assert told == f"/flash/lib/n6post/__init__.mpy {cli.version()}"


def test_install_copies_only_what_differs_and_removes_what_is_of_before(micropython: str, small: Path, here: Here) -> None:
    code, said, _ = here("install", "--source", "--port", micropython)
    assert code == command.FINE and "3 files copied, 0 were there already, 0 of before removed." in said
    assert files_on(micropython, "/flash/lib/n6post") == hashes_of(small)
    # One file of theirs damaged, one of an older version, one that is not ours.
    on_camera(micropython, "\n".join(f"open('/flash/lib/n6post/{name}', 'w').write('x')" for name in (
        "nms.py", "kernels/gone_since.py", "my_notes.txt")))  # fmt: skip
    code, said, _ = here("install", "--source", "--port", micropython, "--json")
    told = json.loads(said)
    assert code == command.FINE and told["same"] == 2
    assert (told["copied"], told["removed"], told["kept"]) == (["nms.py"], ["kernels/gone_since.py"], ["my_notes.txt"])
    there = files_on(micropython, "/flash/lib/n6post")
    assert there.pop("my_notes.txt") and there == hashes_of(small)


def test_compiled_files_take_the_place_of_sources(micropython: str, small: Path, here: Here) -> None:
    assert here("install", "--source", "--port", micropython)[0] == command.FINE
    code, said, _ = here("install", "--port", micropython)
    assert code == command.FINE and "3 files copied, 0 were there already, 3 of before removed." in said
    # A .py beside its .mpy would be the one that is imported.
    assert set(files_on(micropython, "/flash/lib/n6post")) == {"__init__.mpy", "nms.mpy", "kernels/__init__.mpy"}
    assert on_camera(micropython, "import n6post; print(n6post.__file__)") == "/flash/lib/n6post/__init__.mpy"


def test_install_reports_a_copy_that_is_imported_before_its_own(micropython: str, small: Path, here: Here) -> None:
    on_camera(micropython, "import os; os.mkdir('/rom/n6post')")
    on_camera(micropython, "open('/rom/n6post/__init__.py', 'w').write('__version__ = 0')")
    code, said, _ = here("install", "--source", "--port", micropython)
    assert code == command.FINDINGS
    assert "But `import n6post` finds /rom/n6post/__init__.py, which comes first: take it out of the ROMFS" in said
    code, said, _ = here("install", "--source", "--to", "/sdcard/lib", "--port", micropython)
    assert "Another copy lies in /flash/lib/n6post; it is not the one that is imported." in said


def test_install_replaces_main_py_and_keeps_the_old_one(
    micropython: str, small: Path, here: Here, tmp_path: Path
) -> None:
    source = tmp_path / "count.py"
    for text, kept in (("print('first')\n", ""), ("print('second')\n", "print('first')\n"), ("#\n", "print('second')\n")):
        source.write_text(text)
        code, said, _ = here("install", "--source", "--script", source, "--port", micropython)
        assert code == command.FINE and "/flash/main.py is count.py and runs at power-up" in said
        assert repl.chain(micropython, ["cat", ":/flash/main.py"]) == text
        if kept:
            assert "the one before is main.py.old" in said
            assert repl.chain(micropython, ["cat", ":/flash/main.py.old"]) == kept


@pytest.mark.parametrize(
    "words, says",
    [
        (("--to", "/none/lib"), "the camera has no drive /none"),
        (("--to", "lib"), "expected a folder of a drive such as /flash/lib or /sdcard/lib, got 'lib'"),
        (("--to", "/flash/other"), "the camera does not look for modules in /flash/other"),
        (("--script", "/no/such.py"), "no such file: /no/such.py"),
    ],
)
def test_install_refuses_what_cannot_be(
    words: tuple[str, ...], says: str, micropython: str, small: Path, here: Here
) -> None:
    code, shown, said = here("install", "--source", "--port", micropython, *words)
    assert code == command.WRONG and says in said and shown == ""


def test_install_refuses_a_drive_that_is_too_small(tmp_path: Path, here: Here) -> None:
    full = "import os\nos.statvfs = lambda path: (512, 512, 100, 100, 100, 0, 0, 0, 0, 255)\n"
    with vm.at_a_port(full, tmp_path) as (port, _):
        code, _, said = here("install", "--source", "--port", port)
        assert code == command.WRONG and re.search(r"/flash/lib: [\d,]+ bytes are needed, 51,200 are free", said)
        assert on_camera(port, "import os; print(os.listdir('/flash/lib'))") == "[]"


def test_install_notices_a_file_that_did_not_arrive_as_it_was(tmp_path: Path, small: Path, here: Here) -> None:
    # A drive that loses the last byte of what is written to one file.
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
        code, _, said = here("install", "--source", "--port", port)
        assert code == command.WRONG and "1 files on the camera are not what they should be, nms.py for one" in said


def test_a_cable_pulled_while_files_are_copied_is_a_sentence(tmp_path: Path) -> None:
    with vm.at_a_port(folder=tmp_path) as (port, process):
        with running("camera.py", "install", "--source", "--port", port) as installing:
            until = time.monotonic() + WAIT
            time.sleep(2)
            process.kill()
            out, said = installing.communicate(timeout=max(1, until - time.monotonic()))
    assert installing.returncode == command.WRONG, out + said
    assert "Traceback" not in said and len(said.splitlines()) == 2, said


def test_a_pulled_cable_is_a_message_and_the_output_is_kept(tmp_path: Path) -> None:
    source, out = tmp_path / "endless.py", tmp_path / "out.jsonl"
    source.write_text("import time\nwhile True:\n    print('[1]')\n    time.sleep_ms(20)\n")
    with vm.at_a_port(folder=tmp_path) as (port, process):
        with running("camera.py", "run", source, "--port", port, "--json-out", out) as follower:
            wait_for(lambda: out.exists() and out.stat().st_size > 40)
            process.kill()
            _, said = follower.communicate(timeout=WAIT)
    assert follower.returncode == command.FINDINGS, said
    assert said.splitlines()[-1] == "The camera is gone: its cable was pulled, or it was reset."
    assert set(out.read_text().splitlines()) == {"[1]"}


@pytest.mark.parametrize(
    "said, told",
    [
        ("mpremote: failed to access /dev/x (it may be in use by another program)", "is OpenMV IDE, or another program"),
        ("Traceback ...\nx.TransportError: could not enter raw repl", "does not answer as MicroPython does"),
        ("Traceback ...\nOSError: [Errno 5] Input/output error", "its cable was pulled, or it was reset"),
        ("Traceback ...\nserial.serialutil.SerialException: device reports readiness", "its cable was pulled"),
        ("something\nnew\n", "the camera said: new"),
        ("", "the camera said: nothing"),
    ],
)
def test_what_mpremote_says_becomes_a_sentence(said: str, told: str) -> None:
    assert told in repl.why("/dev/x", said)


def test_the_benchmark_becomes_a_table_and_a_block_for_an_issue(
    micropython: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        "| work | ms | in kernels | the rest |", "| --- | ---: | --- | ---: |",
        "| YoloV8, float [1,5,756] | 0.42 | candidates 0.02, suppress 0.01 | 0.39 |",
        "| MoveNet | 0.20 | peaks 0.10 | 0.10 |",
    ]  # fmt: skip
    machine = "n6post 9.9, helium kernels, OpenMV N6, firmware 5.0.0, from /remote"
    measured = tmp_path / "benchmark.py"
    measured.write_text("".join(f"print({text!r})\n" for text in [*rows, "", machine]))
    monkeypatch.setattr(camera, "BENCHMARK", measured)
    monkeypatch.setenv("COLUMNS", "80")
    assert camera.main(["benchmark", "--port", micropython, "-o", str(tmp_path / "block.md")], "x") == command.FINE
    shown = capsys.readouterr().out
    assert max(map(len, shown.partition("To paste")[0].splitlines())) <= 80
    assert (tmp_path / "block.md").read_text() == "\n".join(
        [f"<details><summary>{machine}</summary>", "", *rows, "", "</details>", ""]
    )
    assert shown.endswith((tmp_path / "block.md").read_text())
    assert camera.main(["benchmark", "--port", micropython, "--json"], "x") == command.FINE
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["work"] == "YoloV8, float [1,5,756]" and second["ms"] == "0.20" and second["machine"] == machine


def test_a_benchmark_that_breaks_off_is_no_table(
    micropython: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured = tmp_path / "benchmark.py"
    measured.write_text("print('| work | ms |')\nprint('| --- | --- |')\nprint('| a | 1 |')\n1 / 0\n")
    monkeypatch.setattr(camera, "BENCHMARK", measured)
    with pytest.raises(command.UserError, match="the benchmark did not come to its end"):
        camera.main(["benchmark", "--port", micropython], "x")
    shown = capsys.readouterr()
    assert shown.out == "" and "ZeroDivisionError" in shown.err


# ---- Ctrl-C: a camera's REPL by hand, because the VM cannot be interrupted ----


def test_ctrl_c_stops_the_script_on_the_camera_too(tmp_path: Path) -> None:
    import pty
    import tty

    master, slave = pty.openpty()
    tty.setraw(slave)
    seen = bytearray()
    printing = threading.Event()

    def answer() -> None:
        """Just enough of a raw REPL, with a script that never ends."""
        with contextlib.suppress(OSError):
            while True:
                data = os.read(master, 4096)
                seen.extend(data)
                if b"\x03" in data and printing.is_set():
                    os.write(master, b"\r\nKeyboardInterrupt\r\n>>> ")
                elif b"\x05A\x01" in data:
                    os.write(master, b"R\0")
                elif data.endswith(b"\r\x01"):
                    os.write(master, b"raw REPL; CTRL-B to exit\r\n>")
                elif data.endswith(b"\x04"):
                    ran = seen.count(b"endless")
                    os.write(master, b"OKline\r\n" if ran else b"OK\r\nsoft reboot\r\nraw REPL; CTRL-B to exit\r\n>")
                    if ran:
                        printing.set()

    threading.Thread(target=answer, daemon=True).start()
    source = tmp_path / "endless.py"
    source.write_text("# endless\n")
    with running("camera.py", "run", source, "--installed", "--port", os.ttyname(slave)) as follower:
        assert printing.wait(WAIT)
        time.sleep(0.5)
        del seen[:]
        follower.send_signal(signal.SIGINT)
        _, said = follower.communicate(timeout=WAIT)
    os.close(slave)
    os.close(master)
    assert b"\x03" in seen
    assert follower.returncode == 130 and said.splitlines()[-1] == "Stopped, the script on the camera too."


# ---- watch, against the stand-in ----


def wait_for(there: Any, seconds: float = WAIT) -> None:
    until = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < until
        time.sleep(0.02)


@contextlib.contextmanager
def stand_in(**plan: Any) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """(port, process) of a camera with these faults."""
    pytest.importorskip("openmv")
    words = [sys.executable, str(ROOT / "host_tests" / "stand_in_camera.py"), json.dumps(plan)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process
    finally:
        process.kill()
        process.wait()


# Prints lines of 30 to 1,500 bytes, more than the firmware's buffer holds, and writes down which.
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
    """A script, and the file in which it writes down what it prints as JSON."""
    source, sent = folder / "talker.py", folder / "sent.jsonl"
    source.write_text(TALKER.format(sent=str(sent), count=count, pause=pause))
    return source, sent


def test_watch_shows_frames_keeps_every_line_and_ends_with_the_script(tmp_path: Path) -> None:
    source, sent = talker(tmp_path)
    with stand_in() as (port, _):
        out = tmp_path / "out.jsonl"
        done = run("watch", source, "--port", port, "--json-out", out, "--save", tmp_path / "frames")
    assert done.returncode == command.FINE, done.stderr
    assert done.stdout == "fps 0\nfps 10\nfps 20\nfps 30\n"
    assert out.read_text() == sent.read_text() and len(out.read_text().splitlines()) == 40
    assert re.search(r"^Firmware 5\.0\.0 on .* runs talker\.py\. Ctrl-C ends it\.$", done.stderr, re.MULTILINE)
    assert re.search(r"^Its frames: http://127\.0\.0\.1:\d+/$", done.stderr, re.MULTILINE)
    assert re.fullmatch(r"The script has ended\. \d+ frames, 40 lines of JSON\.", done.stderr.splitlines()[-1])
    pictures = sorted((tmp_path / "frames").iterdir())
    assert len(pictures) >= 3
    shades = [Image.open(picture).getpixel((20, 20))[0] for picture in pictures]  # type: ignore[index]
    assert shades == sorted(shades) and 1 <= shades[0] < shades[-1] <= 42  # the number of the frame, and JPEG's rounding


FAULTS: dict[str, dict[str, Any]] = {
    "packets are dropped": {"drop": 0.03, "seed": 1},
    "bits are turned over": {"flip": 0.02, "seed": 2},
    "packets lose their ends": {"truncate": 0.03, "seed": 3},
    "packets come late and out of order": {"delay": 0.03, "seed": 4},
    "packets come twice": {"twice": 0.05, "seed": 5},
    "all of it happens": {"drop": 0.01, "flip": 0.01, "truncate": 0.01, "delay": 0.01, "twice": 0.01, "seed": 6},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_no_line_is_lost_or_doubled_where(fault: str, tmp_path: Path) -> None:
    source, sent = talker(tmp_path)
    with stand_in(**FAULTS[fault]) as (port, camera_process):
        out = tmp_path / "out.jsonl"
        done = run("watch", source, "--port", port, "--json-out", out, "--frames", 1000)
        assert done.returncode == command.FINE, done.stderr
        assert out.read_text() == sent.read_text() and len(out.read_text().splitlines()) == 40
        assert re.findall(r"fps (\d+)", done.stdout) == ["0", "10", "20", "30"]
        camera_process.kill()


def test_a_cable_pulled_in_the_middle_is_a_sentence_and_what_came_is_kept(tmp_path: Path) -> None:
    source, sent = talker(tmp_path, count=4000)
    with stand_in(pull=300) as (port, camera_process):
        out = tmp_path / "out.jsonl"
        done = run("watch", source, "--port", port, "--json-out", out, "--no-page")
        camera_process.wait(10)
    assert done.returncode == command.FINDINGS
    assert done.stderr.splitlines()[-1].startswith("The camera is gone: its cable was pulled, or it was reset.")
    kept = out.read_text()
    assert kept.endswith("\n") and sent.read_text().startswith(kept)
    # What was under way: no more than the camera holds back for the PC.
    assert len(sent.read_text()) - len(kept) < 8192 + 2 * 1600


def test_a_silent_camera_is_reported_after_a_timeout(tmp_path: Path) -> None:
    source, sent = talker(tmp_path, count=4000)
    with stand_in(mute=300) as (port, _):
        out = tmp_path / "out.jsonl"
        done = run("watch", source, "--port", port, "--json-out", out, "--no-page")
    assert done.returncode == command.FINDINGS
    told = done.stderr.splitlines()[-1]
    assert re.match(r"The camera has not answered for \d+ seconds; its reset button may help\.", told)
    assert out.read_text() and sent.read_text().startswith(out.read_text())


def test_a_firmware_that_does_not_speak_the_protocol_is_named(tmp_path: Path) -> None:
    source, _ = talker(tmp_path)
    with stand_in(old=True) as (port, _):
        done = run("watch", source, "--port", port)
    assert done.returncode == command.WRONG and "Firmware before 5.0 does not speak this protocol" in done.stderr
    pytest.importorskip("openmv")
    # A REPL answers at any other rate: then its version is known.
    boot = "import sys\nclass omv:\n    version_string = staticmethod(lambda: '4.8.1')\nsys.modules['omv'] = omv\n"
    with vm.at_a_port(boot, tmp_path) as (port, _):
        done = run("watch", source, "--port", port)
    assert done.returncode == command.WRONG
    assert "runs firmware 4.8.1, and watch needs the protocol of 5.0" in done.stderr and "--json-out" in done.stderr


def test_a_traceback_of_the_script_comes_whole_and_behind_its_lines(tmp_path: Path) -> None:
    source = tmp_path / "wrong.py"
    source.write_text('print("[1]")\n\n\ndef f():\n    raise ValueError("x" * 1200)\n\n\nf()\n')
    with stand_in() as (port, _):
        done = run("watch", source, "--port", port, "--no-page")
    assert done.returncode == command.FINDINGS
    shown = done.stdout.splitlines()
    assert shown[0] == "[1]" and shown[-1] == "ValueError: " + "x" * 1200
    assert 'File "wrong.py", line 8' in done.stdout and 'File "wrong.py", line 5' in done.stdout
    assert "<stdin>" not in done.stdout  # what is around the script
    assert done.stderr.splitlines()[-1] == "The script ended with an error."


def test_ctrl_c_stops_the_watched_script_on_the_camera_too(tmp_path: Path) -> None:
    source, sent = talker(tmp_path, count=100_000)
    out = tmp_path / "out.jsonl"
    with stand_in() as (port, _), running("camera.py", "watch", source, "--port", port, "--json-out", out) as watching:
        wait_for(lambda: out.exists() and out.stat().st_size > 20_000)
        watching.send_signal(signal.SIGINT)
        _, said = watching.communicate(timeout=WAIT)
        length = sent.stat().st_size
        time.sleep(0.5)
        assert sent.stat().st_size == length  # it prints no more
    assert watching.returncode == command.FINE
    assert said.splitlines()[-1].startswith("Stopped, the script on the camera too.")
    kept = out.read_text()
    assert kept.endswith("\n") and sent.read_text().startswith(kept)


def test_a_ctrl_c_whose_exception_is_lost_ends_the_watching_all_the_same() -> None:
    pytest.importorskip("openmv")
    from n6post_pc import watch
    from n6post_pc.line_output import Lines

    class Busy:
        """A camera that is asked when Ctrl-C comes, by something that hears of no exception."""

        asked = 0

        def ask(self, what: str) -> dict[str, bool]:
            self.asked += 1
            with contextlib.suppress(KeyboardInterrupt):
                if self.asked == 3:
                    os.kill(os.getpid(), signal.SIGINT)
                    time.sleep(5)
            assert self.asked < 10
            return {"stdin": True}

        def channel(self, name: str) -> bool:
            return False

        def attempt(self, what: str, *arguments: Any) -> None:
            return None

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    link: Any = Busy()
    asked = [False]
    restore = watch._note_interrupts(asked)
    try:
        with pytest.raises(KeyboardInterrupt):
            watch._Session(link, Lines(None, None), watch.Frames(None, None), None, asked).run()
        assert (asked, link.asked) == ([True], 3)
        restore()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_watch_ends_after_the_wanted_frames_and_stops_the_script(tmp_path: Path) -> None:
    source, sent = talker(tmp_path, count=100_000)
    with stand_in() as (port, _):
        done = run("watch", source, "--port", port, "--no-page", "--frames", 3, "--save", tmp_path / "frames")
        length = sent.stat().st_size
        time.sleep(0.5)
        assert sent.stat().st_size == length
    assert done.returncode == command.FINE and "3 frames: the script is stopped." in done.stderr
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
            asked = urllib.request.Request(address + path, headers=headers)
            with urllib.request.urlopen(asked, timeout=10) as answer:
                data: bytes = answer.read()
            return data

        def there() -> bool:
            with contextlib.suppress(urllib.error.HTTPError):
                return get("frame.jpg")[:2] == b"\xff\xd8"
            return False

        wait_for(there)
        assert b"/stream" in get("") and b"talker.py" in get("")
        wait_for(lambda: b"fps 0" in get("lines") or b"number" in get("lines"))
        with urllib.request.urlopen(address + "stream", timeout=10) as stream:
            head = b"".join(stream.readline() for _ in range(4))
            assert re.fullmatch(rb"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: \d+\r\n\r\n", head)
        # A page elsewhere whose name points to this PC gets nothing.
        with pytest.raises(urllib.error.HTTPError, match="403"):
            get("lines", Host="evil.example:80")
        with pytest.raises(urllib.error.HTTPError, match="404"):
            get("../../etc/passwd")
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=WAIT)
    assert watching.returncode == command.FINE


def test_a_camera_without_channels_still_runs_a_script(tmp_path: Path) -> None:
    source = tmp_path / "short.py"
    source.write_text("import time\nfor i in range(5):\n    print('[%d]' % i)\n    time.sleep_ms(100)\n")
    with stand_in(channels=False) as (port, _):
        out = tmp_path / "out.jsonl"
        done = run("watch", source, "--port", port, "--no-page", "--json-out", out)
    assert done.returncode == command.FINE, done.stderr
    assert out.read_text() == "[0]\n[1]\n[2]\n[3]\n[4]\n"
    assert "This camera has no module `protocol`" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("how", ["run", "watch"])
def test_a_full_disk_is_a_sentence(how: str, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs Linux's /dev/full")
    source = tmp_path / "tell.py"
    source.write_text("print('[1]')\n")
    with stand_in() if how == "watch" else vm.at_a_port(folder=tmp_path) as (port, _):
        done = run(how, source, "--port", port, "--json-out", "/dev/full")
    assert done.returncode == command.WRONG
    assert "/dev/full: No space left on device" in done.stderr


@pytest.mark.parametrize(
    "words, says",
    [
        (("no_such.py",), "no_such.py: No such file or directory"),
        (("broken.py",), "broken.py: .*line 1"),
        (("good.py", "--frames", "0"), "--frames: expected 1 or more, got 0"),
        (("good.py", "--http", "99999"), "no page on port 99999"),
        (("good.py", "--json-out", "no_folder/x"), "no_folder/x: No such file"),
        (("good.py", "--save", "good.py"), "good.py: File exists"),
    ],
)
def test_watch_refuses_what_cannot_be(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("print(1)\n")
    (tmp_path / "broken.py").write_text("print(\n")
    with stand_in() as (port, _):
        done = run("watch", *words, "--port", port, cwd=tmp_path)
    assert done.returncode == command.WRONG and re.search(says, done.stderr), done.stderr


@given(st.data())
def test_overlapping_or_gapped_reads_return_every_byte_once_in_order(data: st.DataObject) -> None:
    pytest.importorskip("openmv")
    from n6post_pc import watch

    text = data.draw(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=9), max_size=9))
    whole = "".join(line + "\n" for line in text).encode()
    base = data.draw(st.sampled_from([0, 1 << 32, (1 << 32) - 7]))  # so long has it printed: the number wraps
    told: list[str] = []
    printed = watch.Printed(told.append)
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
    assert told == text


def test_a_script_that_is_started_again_is_read_from_its_start() -> None:
    pytest.importorskip("openmv")
    from n6post_pc import watch

    told: list[str] = []
    printed = watch.Printed(told.append)
    assert printed.take(b"n6p\0run1" + bytes(4) + b"one\ntwo\nthr")
    assert printed.take(b"n6p\0run2" + bytes(4) + b"one\n")
    assert told == ["one", "two", "thr", "one"] and printed.count == 4


def test_what_carries_the_lines_runs_on_a_real_micropython(micropython: str, tmp_path: Path) -> None:
    """The camera's end of the channel, with a PC that asks while the script sleeps, reads in parts and acknowledges late."""
    pytest.importorskip("openmv")
    from n6post_pc import watch

    source = tmp_path / "talk.py"
    source.write_text("for i in range(40):\n    print('line', i, sep='-')\nprint('no end', end='')\n1 / 0\n")
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
    if protocol.asked % 3 == 0:  # the others are lost
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


@pytest.mark.parametrize("line, there", [
    ('[{"rect": [1, 2, 3, 4]}]', True), ("[]", True), ('{"in": 3}', True), ("12.5", False), ("fps 12", False),
    ("[12.5 fps]", False), ('[{"rect": [1, 2', False), ("", False), ('"text"', False),
])  # fmt: skip
def test_lines_of_json_are_lists_and_objects(line: str, there: bool) -> None:
    assert line_output.is_json(line) == there
