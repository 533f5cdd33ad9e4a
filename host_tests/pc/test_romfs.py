"""scripts/n6post_pc/build/romfs.py: the image is a valid ROMFS, and its files are aligned."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from n6post_pc.build.romfs import File, pack, unpack

# --- a reader that follows the specification: MicroPython, docs/reference/romfs.rst ---


def varuint(data: bytes, at: int) -> tuple[int, int]:
    """(value, offset after it): big-endian; the high bit of a byte is set if more bytes follow."""
    value = 0
    while True:
        value = value << 7 | data[at] & 0x7F
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def records(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """(kind, start of the payload, end of the payload) of the records in data[at:end]."""
    while at < end:
        kind, at = varuint(data, at)
        length, at = varuint(data, at)
        assert kind != 0, "0, unused: a sign of corruption"
        assert at + length <= end, "a record is longer than its parent"
        yield kind, at, at + length
        at += length
    assert at == end


def entries(data: bytes, at: int, end: int, base: int, path: str = "") -> Iterator[tuple[str, int, bytes]]:
    """(path, offset of its data in the image, data) of each file of data[at:end]."""
    for kind, start, stop in records(data, at, end):
        if kind not in (4, 5):  # neither a directory nor a file
            continue
        length, start = varuint(data, start)
        name = path + data[start : start + length].decode()
        start += length
        if kind == 4:
            yield from entries(data, start, stop, base, name + "/")
            continue
        for inner, begin, close in records(data, start, stop):
            if inner == 2:  # verbatim
                yield name, begin, data[begin:close]
            elif inner == 3:  # indirect: a size, and an offset in the payload of the outermost record
                size, begin = varuint(data, begin)
                offset, _ = varuint(data, begin)
                yield name, base + offset, data[base + offset : base + offset + size]


def read(image: bytes) -> dict[str, tuple[int, bytes]]:
    """{path: (offset, data)} of an image."""
    assert image.startswith(b"\xd2\xcd\x31") and len(image) % 2 == 0
    ((kind, start, stop),) = records(image, 0, len(image))
    assert kind == 0x14A6B1
    files = list(entries(image, start, stop, start))
    assert len({path for path, _, _ in files}) == len(files)
    return {path: (offset, data) for path, offset, data in files}


# --- the tests ---


def test_the_reader_reads_an_image_of_mpremote(tmp_path: Path) -> None:
    files = {"main.py": b"print()", "empty": b"", "pack/inner/big.bin": bytes(range(256)) * 70, "pack/x.mpy": b"M"}
    for path, data in files.items():
        target = tmp_path / "folder" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    command = [sys.executable, "-m", "mpremote", "romfs", "--no-mpy", "-o", str(tmp_path / "image"), "build"]
    subprocess.run([*command, str(tmp_path / "folder")], check=True, capture_output=True)
    image = (tmp_path / "image").read_bytes()
    assert {path: data for path, (_, data) in read(image).items()} == files
    # So does unpack, also if the rest of the partition follows.
    assert {file.path: file.data for file in unpack(image + b"\xff" * 999)} == files


names = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_characters="/\\"), min_size=1, max_size=140
).filter(lambda name: name not in (".", ".."))
paths = st.lists(names, min_size=1, max_size=4).map("/".join)
contents = st.binary(max_size=40) | st.integers(100, 40_000).map(bytes)


@given(st.dictionaries(paths, st.tuples(contents, st.sampled_from([1, 4, 16, 32, 64, 4096])), max_size=8))
def test_every_file_is_read_back_at_the_reported_offset(drawn: dict[str, tuple[bytes, int]]) -> None:
    # Leave out files whose path is also a folder.
    files = {path: one for path, one in drawn.items() if not any(other.startswith(path + "/") for other in drawn)}
    image, offsets = pack(File(path, data, alignment) for path, (data, alignment) in files.items())
    read_back = read(image)
    assert {path: data for path, (_, data) in read_back.items()} == {path: data for path, (data, _) in files.items()}
    assert {path: offset for path, (offset, _) in read_back.items()} == offsets
    for path, (_, alignment) in files.items():
        assert offsets[path] % alignment == 0
    unpacked = unpack(image)
    assert {file.path: file.data for file in unpacked} == {path: data for path, (data, _) in files.items()}
    for file in unpacked:
        assert file.alignment >= files[file.path][1] and offsets[file.path] % file.alignment == 0
    # Packed again, every file keeps its alignment.
    again = pack(unpacked)[1]
    assert all(again[file.path] % file.alignment == 0 for file in unpacked)


def test_a_file_that_points_to_its_bytes_is_unpacked() -> None:
    writer = pytest.importorskip("mpremote.romfs").VfsRomWriter()
    at = writer.mkdata(b"\0weights")
    writer.opendir("in")
    writer.mkfile("a.tflite", (7, at + 1))
    writer.closedir()
    image = writer.finalise()
    assert [(file.path, file.data) for file in unpack(image)] == [("in/a.tflite", b"weights")]
    assert read(image)["in/a.tflite"][1] == b"weights"


def test_a_damaged_image_is_refused() -> None:
    image, _ = pack([File("in/a.bin", bytes(range(200)), 32), File("b.txt", b"person", 4)])
    for wrong in (b"", b"RM1", b"MZ" + image):
        with pytest.raises(ValueError, match="expected an image that begins with d2 cd 31, got "):
            unpack(wrong)
    for length in range(3, len(image)):
        with pytest.raises(ValueError, match="the image (has|is damaged)"):
            unpack(image[:length])
    for at in range(3, len(image)):
        for value in (0, 1, 0x7F, 0x80, 0xFF):
            with contextlib.suppress(ValueError):
                unpack(image[:at] + bytes([value]) + image[at + 1 :])


def test_an_image_that_leads_out_of_rom_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a path .*, got 'a/../b'"):
        unpack(pack([File("a/--/b", b"x")])[0].replace(b"--", b".."))


def test_an_image_without_files_is_valid() -> None:
    assert read(pack([])[0]) == {}


def test_the_same_files_make_the_same_image_in_any_order() -> None:
    files = [File("b/c", b"12", 32), File("a", b"345"), File("b/a", b"6", 4)]
    assert pack(files) == pack(reversed(files))


def test_folders_come_first_because_imports_search_them() -> None:
    image, _ = pack([File("model.tflite", b"1"), File("a", b"2"), File("n6post/z.mpy", b"3"), File("n6post/in/b.mpy", b"4")])
    assert list(read(image)) == ["n6post/in/b.mpy", "n6post/z.mpy", "a", "model.tflite"]


def test_a_path_that_occurs_twice_or_is_file_and_folder_is_refused() -> None:
    for first, second in (("a", "a"), ("a/b", "a/b"), ("a", "a/b"), ("a/b", "a")):
        with pytest.raises(ValueError, match="occurs twice|is both a file and a folder"):
            pack([File(first, b""), File(second, b"")])


@pytest.mark.parametrize("path", ["", "..", "../a", "a/../../b", "/a", "a//b", "a/", "./a", "a/.", "..\\a", "a\udcff"])
def test_a_path_that_leads_out_of_rom_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="expected a path .*, got " + re.escape(repr(path))):
        pack([File("fine", b""), File(path, b"")])


def test_a_file_too_large_for_the_length_field_is_refused() -> None:
    class Large(bytes):
        def __len__(self) -> int:
            return 1 << 28

    with pytest.raises(ValueError, match="larger than every camera's partition"):
        pack([File("large", Large())])
