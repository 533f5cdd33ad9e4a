"""scripts/n6post_pc/collect/fetch.py: pictures come from a real MicroPython through mpremote."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import vm
from n6post_pc import cli, command
from n6post_pc.camera import repl
from n6post_pc.collect import fetch
from n6post_pc.collect.folder import DROPPED, KEPT, Folder
from test_collect import content, jpeg

pytest.importorskip("pty", reason="needs pseudo-terminals")
pytest.importorskip("mpremote")

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "host_tests/vm.py")
CARD = "/sdcard/collected"
LINE = "0 0.500000 0.500000 0.250000 0.500000\n"


class Camera:
    """A MicroPython with files at a port, and a folder on this PC."""

    def __init__(self, port: str, process: subprocess.Popen[bytes], here: Path) -> None:
        self.port, self.process, self.here = port, process, here
        repl.ask(port, f"import os\nos.mkdir({CARD!r})")

    def put(self, files: dict[str, bytes]) -> None:
        lines = [f"put({name!r}, {base64.b64encode(data)!r})" for name, data in files.items()]
        put = f"import binascii\ndef put(name, data): open({CARD!r} + '/' + name, 'wb').write(binascii.a2b_base64(data))\n"
        repl.ask(self.port, put + "\n".join(lines))

    def listed(self) -> str:
        sizes = f"sorted((name, os.stat({CARD!r} + '/' + name)[6]) for name in os.listdir({CARD!r}))"
        return repl.ask(self.port, f"import os\nprint({sizes})")

    def collect(self, *words: str) -> int:
        return cli.call("collect", [str(self.here), "--from", CARD, "--port", self.port, *words], "n6post collect")


@pytest.fixture
def camera(tmp_path: Path) -> Iterator[Camera]:
    with vm.at_a_port(folder=tmp_path) as (port, process):
        yield Camera(port, process, tmp_path / "photos")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes]:
    """What a Collector has written: pictures of one, two and three blocks, and their labels."""
    one = jpeg(tmp_path / "one.jpg").read_bytes()
    sized = {"00000_new": 3000, "00001_lost": 3001, "00012_unsure_7": 9000}
    made = {f"{name}.jpg": one[:-2] + bytes(size - len(one)) + one[-2:] for name, size in sized.items()}
    labels = {"00000_new.txt": LINE.encode(), "00001_lost.txt": b"", "00012_unsure_7.txt": b"\n"}
    return made | labels


def test_what_is_missing_is_fetched_and_the_camera_keeps_all(
    camera: Camera, files: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    camera.put({**files, "labels.txt": b"cat\n", "state.json": b"{}", "7_new.jpg": b"x", "00007_new.jpg.tmp": b"x"})
    before = camera.listed()
    assert camera.collect() == command.FINE
    printed = capsys.readouterr()
    assert content(camera.here) == files
    assert printed.err == "6 files fetched. The camera's script was stopped: reset the camera.\n" and "all" in printed.out
    assert camera.collect("--json") == command.FINE and camera.listed() == before
    assert '"fetched": 0' in capsys.readouterr().out and content(camera.here) == files
    camera.put({"00013_new.jpg": files["00000_new.jpg"], "00013_new.txt": b""})
    assert camera.collect("--json") == command.FINE and '"fetched": 2' in capsys.readouterr().out
    assert len(content(camera.here)) == 8


def test_corrected_and_dropped_files_are_not_fetched_again(
    camera: Camera, files: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    camera.put(files)
    camera.collect()
    folder = Folder(camera.here)
    folder.decide("00001_lost", DROPPED)
    folder.decide("00012_unsure_7", KEPT)
    folder.label("00000_new", [LINE.strip()], [])
    (camera.here / "kept/00012_unsure_7.txt").unlink()
    before = content(camera.here)
    capsys.readouterr()
    assert camera.collect("--json") == command.FINE and '"fetched": 1' in capsys.readouterr().out
    assert content(camera.here) == {**before, "kept/00012_unsure_7.txt": b"\n"}


def test_other_pictures_of_the_same_names_are_an_error(
    camera: Camera, files: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    camera.put(files)
    camera.here.mkdir()
    mine = jpeg(camera.here / "00012_unsure_7.jpg").read_bytes()
    assert camera.collect() == command.WRONG
    err = capsys.readouterr().err
    assert f"00012_unsure_7.jpg has {len(mine):,} bytes, on the camera it has 9,000: the camera has begun to count" in err
    assert content(camera.here) == {"00012_unsure_7.jpg": mine}
    # One without its end is no other picture: somebody has copied it half. It stays until somebody removes it.
    (camera.here / "00012_unsure_7.jpg").write_bytes(mine[:-9])
    assert camera.collect() == command.FINDINGS
    assert content(camera.here) == {**files, "00012_unsure_7.jpg": mine[:-9]}


def test_pictures_during_which_the_power_failed_are_named(
    camera: Camera, files: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    del files["00001_lost.txt"]
    files["00012_unsure_7.jpg"] = files["00012_unsure_7.jpg"][:-700]
    camera.put(files)
    assert camera.collect() == command.FINDINGS
    err = capsys.readouterr().err
    assert "00001_lost.jpg is left out: it has no labels" in err
    assert "00012_unsure_7.jpg is left out: its end is missing" in err and "00000" not in err
    assert content(camera.here) == files


def test_a_pulled_cable_loses_nothing_and_fetching_goes_on(
    camera: Camera, files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    camera.put(files)
    monkeypatch.setattr(fetch, "_AT_ONCE", 3)
    follow, calls = repl.follow, []

    def pulled(words: list[str], line: Callable[[str], None]) -> tuple[int, str]:
        calls.append(words)
        if len(calls) == 2:
            camera.process.kill()
        return follow(words, line)

    monkeypatch.setattr(repl, "follow", pulled)
    assert camera.collect() == command.WRONG
    err = capsys.readouterr().err
    assert "3 of 6 files are here. Fetch again for the others" in err and "Traceback" not in err
    there = {name: files[name] for name in ("00000_new.jpg", "00000_new.txt", "00001_lost.txt")}
    assert content(camera.here) == there and not any(one.damage for one in Folder(camera.here).pictures())
    with vm.at_a_port(folder=tmp_path) as (port, process):
        again = Camera(port, process, camera.here)
        again.put(files)
        assert again.collect("--json") == command.FINE and '"fetched": 3' in capsys.readouterr().out
    assert content(camera.here) == files


def test_a_folder_that_the_camera_does_not_have_is_an_error(camera: Camera, capsys: pytest.CaptureFixture[str]) -> None:
    for source, hint in (("/sdcard/absent/", ": is an SD card inserted?"), ("/flash/absent", "")):
        assert cli.call("collect", [str(camera.here), "--from", source, "--port", camera.port], "x") == command.WRONG
        assert capsys.readouterr().err == f"x: the camera has no folder {source}{hint}\n"


def test_ctrl_c_stops_the_camera_too(
    camera: Camera, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    camera.put(files)
    interrupted: list[str] = []

    def stopped(words: list[str], line: Callable[[str], None]) -> Any:
        line(f"{repl.MARK}00000_new.txt")
        raise KeyboardInterrupt

    monkeypatch.setattr(repl, "follow", stopped)
    monkeypatch.setattr(repl, "interrupt", interrupted.append)
    assert camera.collect() == 130 and interrupted == [camera.port] and content(camera.here) == {}


@pytest.mark.parametrize("lines, message", [
    (["AAAA", "AA"], "00000_new.txt: the camera sent 'AA' instead of its content"),
    (["MemoryError: memory"], "the camera sent 'MemoryError: memory' instead"),
    (["AAAA"], "00000_new.txt: got 3 of 6 bytes. Fetch again"), (["AAAA"] * 3, "got 9 of 6 bytes"),
])  # fmt: skip
def test_a_file_that_was_damaged_on_its_way_is_not_written(lines: list[str], message: str, tmp_path: Path) -> None:
    shown: list[int] = []
    bar: Any = type("Bar", (), {"show": staticmethod(shown.append)})
    receive = fetch._Receiver(Folder(tmp_path), {"00000_new.txt": 6, "00001_new.txt": 0}, bar)
    for line in ("noise", f"{repl.MARK}00001_new.txt", "N6POST", f"{repl.MARK}00000_new.txt"):
        receive(line)
    assert shown == [1] and content(tmp_path) == {"00001_new.txt": b""}
    with pytest.raises(command.UserError, match=message.replace(".", r"\.")):
        for line in (*lines, repl.MARK):
            receive(line)
    assert content(tmp_path) == {"00001_new.txt": b""}
