"""stubs/_drives: /sdcard and /flash as folders, which disappear when they are no longer needed."""

import builtins
import os
from collections.abc import Iterator
from pathlib import Path

import _drives
import _host
import image
import pytest


@pytest.fixture
def card(tmp_path: Path) -> Iterator[Path]:
    card, flash = tmp_path / "card", tmp_path / "flash"
    card.mkdir()
    flash.mkdir()
    (flash / "main.py").write_text("pass")
    _drives.mount({"sdcard": card, "flash": flash}, _drives.resolve)
    try:
        yield card
    finally:
        _drives.unmount()


def test_files_are_written_read_listed_and_removed_on_a_drive(card: Path) -> None:
    os.mkdir("/sdcard/shots")
    with open("/sdcard/shots/a.txt", "w") as file:
        file.write("hello")
    assert (card / "shots" / "a.txt").read_text() == "hello"
    assert os.listdir("/sdcard") == ["shots"] and os.stat("/sdcard/shots/a.txt")[6] == 5
    os.rename("/sdcard/shots/a.txt", "/flash/b.txt")
    assert sorted(os.listdir("/flash")) == ["b.txt", "main.py"] and os.listdir("/sdcard/shots/") == []
    os.remove("/flash/b.txt")
    os.rmdir("/sdcard/shots")
    assert list(card.iterdir()) == []


def test_the_card_is_also_the_working_folder(card: Path) -> None:
    assert os.getcwd() == "/sdcard"
    assert os.listdir("/") == ["sdcard", "flash"]
    with open("log.csv", "w") as file:
        file.write("1")
    assert (card / "log.csv").is_file()
    os.mkdir("deep")
    os.chdir("/sdcard/deep")
    assert os.getcwd() == "/sdcard/deep"
    os.chdir("/flash")
    assert os.getcwd() == "/flash" and os.listdir() == ["main.py"]


def test_ilistdir_distinguishes_folders_from_files(card: Path) -> None:
    (card / "folder").mkdir()
    (card / "file").write_bytes(b"123")
    assert sorted(_drives.ilistdir("/sdcard")) == [("file", 0x8000, 0, 3), ("folder", 0x4000, 0, 0)]
    assert sorted(os.ilistdir("/flash")) == [("main.py", 0x8000, 0, 4)]  # type: ignore[attr-defined]


def test_images_are_saved_and_read_on_a_drive(card: Path) -> None:
    picture = image.Image(4, 3, image.GRAYSCALE, buffer=bytearray(range(12)))
    picture.save("/sdcard/a.png")
    picture.save("b")  # a .bmp, in the working folder
    assert sorted(os.listdir()) == ["a.png", "b.bmp"]
    assert image.Image("/sdcard/a.png").bytearray() == picture.bytearray()


def test_a_path_does_not_leave_its_drive(card: Path) -> None:
    with pytest.raises(FileNotFoundError, match="above a drive"):
        open("/sdcard/../../secret")


WRITTEN = [(b"bytes", 5), (memoryview(b"-view"), 5), (bytearray(b"-array"), 6), ("-täxt", 6)]  # and what write returns


@pytest.mark.parametrize("mode", ["w", "wb", "a", "ab", "w+", "wb+", "x", "xb"])
def test_a_file_takes_text_and_bytes_in_every_mode(mode: str, card: Path) -> None:
    """As firmware 5.0.0 and 4.8.1 do, which return the number of bytes."""
    with open("log.txt", mode) as file:
        assert [file.write(data) for data, _ in WRITTEN] == [count for _, count in WRITTEN]  # type: ignore[type-var]
        for wrong in (3, [1]):
            with pytest.raises(TypeError, match="^object with buffer protocol required$"):
                file.write(wrong)
    assert (card / "log.txt").read_bytes() == "bytes-view-array-täxt".encode()
    with pytest.raises(OSError), open("log.txt") as file:
        file.write("x")


def test_bytes_are_written_where_a_script_has_read_to(card: Path) -> None:
    (card / "log.txt").write_bytes(b"first\nsecond\nthird\n")
    with open("log.txt", "r+") as file:
        assert file.readline() == "first\n"
        file.write(b"SECOND")  # type: ignore[arg-type]
        assert file.read() == "\nthird\n"
    assert (card / "log.txt").read_bytes() == b"first\nSECOND\nthird\n"


def test_leaving_the_drives_restores_the_built_in_functions(tmp_path: Path) -> None:
    here, before = os.getcwd(), (builtins.open, os.listdir, os.stat, os.getcwd)
    _drives.mount({"flash": tmp_path}, _drives.resolve)
    assert os.getcwd() == "/flash"
    _drives.unmount()
    assert os.getcwd() == here and (builtins.open, os.listdir, os.stat, os.getcwd) == before
    assert not hasattr(os, "ilistdir") and _host.resolve("/flash/x") == "/flash/x"


def test_without_a_folder_the_error_names_the_option() -> None:
    _drives.mount({}, _drives.resolve)
    try:
        with pytest.raises(FileNotFoundError, match="--sdcard"):
            open("/sdcard/a.txt")
        with pytest.raises(FileNotFoundError, match="--flash"):
            os.listdir("/flash")
        assert isinstance(os.getcwd(), str) and os.listdir("/")
    finally:
        _drives.unmount()
