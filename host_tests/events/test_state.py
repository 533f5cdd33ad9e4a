"""lib/n6post/events/state.py: what is kept over restarts, and what is left of it when the power fails."""

from __future__ import annotations

import errno
import json
import struct
import subprocess
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import n6post
import numpy as np
import pytest
import vm
from fakes import seen
from n6post.events import state as state_module

HERE = Path(__file__).parents[1]
SQUARE = [(0, 0), (100, 0), (100, 100), (0, 100)]


class Own:
    """An object of a script, with bytes or without."""

    def __init__(self, state: Any) -> None:
        self.state = state

    def to_state(self) -> Any:
        return self.state

    def from_state(self, state: Any) -> None:
        if state == "refused":
            raise ValueError("no such state")
        self.state = state


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "door")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the clock shows, in a list."""
    now = [0.0]
    monkeypatch.setattr("time.ticks_ms", lambda: int(1000 * now[0]), raising=False)
    monkeypatch.setattr("time.ticks_diff", lambda a, b: a - b, raising=False)
    return now


def counted(line: Any) -> Any:
    return line.in_count, line.out_count, line.in_count_per_class, line.out_count_per_class


def walk(zone: Any, steps: Any, track_id: int = 1, class_id: int = 0) -> None:
    more = {} if isinstance(zone, n6post.LineZone) else {"elapsed_ms": 1000}
    for x, y in steps:
        zone.trigger([seen(track_id, x, y, class_id=class_id)], **more)


def gate() -> Any:
    return n6post.LineZone((50, 0), (50, 100), min_frames=1)


# --- what is kept ----------------------------------------------------------------------------------------------------
def test_a_line_goes_on_with_its_counts_by_class(path: str) -> None:
    line = gate()
    walk(line, [(10, 50), (90, 50), (10, 50)], class_id=3)
    walk(line, [(10, 50), (90, 50)], track_id=2, class_id=7)
    assert sorted(counted(line)[:2]) == [1, 2]
    assert n6post.State(path, line=line).save(force=True)
    again = gate()
    n6post.State(path, line=again)
    assert counted(again) == counted(line)
    walk(line, [(10, 50)], track_id=2, class_id=7)
    walk(again, [(90, 50), (10, 50)], track_id=2, class_id=7)
    assert counted(again) == counted(line)


def test_a_track_of_before_the_restart_is_not_joined_with_a_new_one(path: str) -> None:
    line, zone = gate(), n6post.PolygonZone(SQUARE, margin=0, min_frames=1)
    walk(line, [(10, 50)])
    walk(zone, [(50, 50), (50, 50), (500, 50), (50, 50), (50, 50)])  # a visit, and another one that has not ended
    assert zone.mean_dwell_time == 1.0
    n6post.State(path, line=line, zone=zone).save(force=True)
    line, zone = gate(), n6post.PolygonZone(SQUARE, margin=0, min_frames=1)
    n6post.State(path, line=line, zone=zone)
    walk(line, [(90, 50)])  # the same id on the other side
    assert counted(line) == (0, 0, {}, {})
    assert (zone.current_count, zone.mean_dwell_time, zone.dwell_time(1)) == (0, 1.0, 0.0)
    walk(zone, [(50, 50), (50, 50), (50, 50), (50, 50), (500, 50)])
    assert zone.mean_dwell_time == 2.0  # of a visit of 1 second and one of 3: the one during the failure has no end


def test_a_heat_map_goes_on_with_its_cells(path: str) -> None:
    first = n6post.HeatMap(4, 3, frame_size=(40, 30), half_life=10)
    first.update([seen(None, 5, 5), seen(None, 25, 25), seen(None, 25, 25)], elapsed_ms=0)
    first.update([], elapsed_ms=10_000)
    n6post.State(path, heat=first).save(force=True)
    again = n6post.HeatMap(4, 3, frame_size=(40, 30), half_life=10)
    n6post.State(path, heat=again)
    assert again.values().tolist() == [[0.5, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1.0, 0]]
    again.update([seen(None, 5, 5)], elapsed_ms=10_000)
    assert again.values().tolist() == [[1.25, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0.5, 0]]


def test_a_gallery_goes_on_with_its_vectors_and_gives_no_number_twice(path: str) -> None:
    random = np.random.default_rng(4)
    people = [vector.tolist() for vector in random.normal(size=(4, 64))]
    first = n6post.Gallery(max_names=2)
    first.enroll("Änna", people[0])
    first.reidentify([seen(5, 9, 9)], [people[1]], elapsed_ms=40)
    first.reidentify([], [], elapsed_ms=90_000)  # number 1 is forgotten
    n6post.State(path, gallery=first).save(force=True)
    again = n6post.Gallery(max_names=2)
    n6post.State(path, gallery=again)
    assert again.names == ["Änna"] and again.match(people[0]).name == "Änna"
    assert again.as_dict() == first.as_dict()
    (d,) = again.reidentify([seen(5, 9, 9)], [people[2]], elapsed_ms=40)
    assert d.track_id == 2
    again.forget(2)
    again.enroll("Ben", people[3])
    assert [again.match(people[i]).name for i in (0, 3)] == ["Änna", "Ben"]


def test_an_empty_gallery_is_restored_as_an_empty_one(path: str) -> None:
    n6post.State(path, gallery=n6post.Gallery()).save(force=True)
    gallery = n6post.Gallery()
    n6post.State(path, gallery=gallery)
    assert gallery.names == [] and gallery.match([1.0, 2.0]) is None


def test_dicts_and_lists_keep_keys_numbers_and_texts(path: str) -> None:
    counts = {"in": 5, 3: [1, {"a": None}], "ratio": 1 / 3, "day": "Fr\u00fc\nh", "large": 1 << 40, 'q"': True}
    n6post.State(path, counts=counts, total=[7, 8.5]).save(force=True)
    mine: dict[Any, Any] = {"in": 0, "new": 9}
    total = [0]
    n6post.State(path, counts=mine, total=total)
    assert mine == counts | {"new": 9}  # what the script has added stays
    assert total == [7, 8.5]


@pytest.mark.parametrize("kept", [{"a": [1]}, 4, "text", None, ({"a": 1}, b""), ([2], bytes(range(256)) * 9)])
def test_an_own_object_gets_the_state_that_it_returned(path: str, kept: Any) -> None:
    n6post.State(path, own=Own(kept)).save(force=True)
    own = Own("untouched")
    n6post.State(path, own=own)
    assert own.state == kept


def test_the_file_is_as_its_format_says(path: str) -> None:
    n6post.State(path, total=[5], own=Own(({"a": 1}, b"xyz"))).save(force=True)
    data = Path(path, "a", "state").read_bytes()
    magic, number, length, checksum, of_header = struct.unpack("<4sIIII", data[:20])
    assert (magic, number, length) == (b"n6s1", 1, len(data) - 20)
    assert checksum == zlib.crc32(data[20:]) and of_header == zlib.crc32(data[:16])
    own = struct.pack("<BBBII", 3, 3, 1, 8, 3) + b'ownOwn{"a": 1}xyz'
    assert data[20:] == own + struct.pack("<BBBII", 5, 4, 0, 3, 0) + b"totallist[5]"


# --- what has changed since ------------------------------------------------------------------------------------------
CHANGED: dict[str, tuple[Callable[[], Any], Callable[[], Any], str]] = {
    "line": (gate, lambda: n6post.LineZone((50, 0), (50, 99)), "line: expected the one that was counted"),
    "points": (lambda: n6post.PolygonZone(SQUARE), lambda: n6post.PolygonZone(SQUARE[:3]), "points: expected those"),
    "cells": (lambda: n6post.HeatMap(4, 3), lambda: n6post.HeatMap(3, 4), "expected 4 x 3 cells, got 3 x 4"),
    "kind": (gate, lambda: n6post.PolygonZone(SQUARE), "expected a PolygonZone, got the state of a LineZone"),
    "own": (lambda: Own("refused"), lambda: Own(0), "no such state"),
}  # fmt: skip


@pytest.mark.parametrize("case", CHANGED)
def test_what_has_changed_starts_anew_in_a_sentence(path: str, case: str, capsys: pytest.CaptureFixture[str]) -> None:
    before, after, sentence = CHANGED[case]
    n6post.State(path, it=before(), total=[4]).save(force=True)
    total = [0]
    one = after()
    fresh = str(after().to_state())
    state = n6post.State(path, it=one, total=total)
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and f"it in {path} is not restored" in said and sentence in said
    assert str(one.to_state()) == fresh and total == [4]
    assert state.save(force=True)
    n6post.State(path, it=after(), total=total)
    assert capsys.readouterr().out == ""


def test_options_that_do_not_move_a_zone_leave_its_counts(path: str) -> None:
    line = gate()
    walk(line, [(10, 50), (90, 50)])
    n6post.State(path, line=line).save(force=True)
    again = n6post.LineZone((50, 0), (50, 100), anchor="center", margin=0.5)
    n6post.State(path, line=again)
    assert counted(again) == counted(line)


def test_what_is_new_starts_and_what_is_gone_is_dropped(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    n6post.State(path, gone=[3], kept=[4]).save(force=True)
    kept, new = [0], [7]
    n6post.State(path, kept=kept, new=new).save(force=True)
    assert (kept, new) == ([4], [7])
    assert capsys.readouterr().out == (
        f"n6post: gone in {path} is not restored, and the next save drops it: nothing of this name was passed\n"
    )
    gone = [0]
    n6post.State(path, gone=gone, kept=kept)
    assert gone == [0]


# --- when it is written ----------------------------------------------------------------------------------------------
def test_it_is_written_after_so_many_seconds_if_something_has_changed(path: str, clock: list[float]) -> None:
    total = [0]
    state = n6post.State(path, every=30, total=total)
    written = []
    for second in range(1, 200):
        clock[0] = second
        if second in (20, 70, 71, 125):
            total[0] += 1
        if state.save():
            written.append(second)
    assert written == [30, 90, 150]
    again = n6post.State(path, total=total)
    clock[0] += 1000
    assert not again.save() and not again.save(force=True)
    total[0] += 1
    assert not again.save() and again.save(force=True) and not again.save(force=True)
    again.every = 0.5
    total[0] += 1
    clock[0] += 0.4
    assert not again.save()
    clock[0] += 0.2
    assert again.save()


# --- what cannot be --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), {"a": {1: 2}}, (1, 2), b"x", {"a": [1, {2}]}, n6post.HeatMap(2, 2)]
)
def test_what_json_would_change_is_refused(path: str, value: Any) -> None:
    state = n6post.State(path, counts={"ok": 1, "it": value})
    with pytest.raises(ValueError, match="counts: expected finite numbers, texts"):
        state.save(force=True)
    assert not Path(path).exists()


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="tracker: expected a dict, a list, or an object with to_state"):
        n6post.State("x", tracker=n6post.Tracker())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="path: expected a text, got 3"):
        n6post.State(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="every: expected a number from"):
        n6post.State("x", every=-1)
    with pytest.raises(AttributeError):
        n6post.State("x").evry = 5  # type: ignore[attr-defined]


@pytest.mark.parametrize("damage", ["short", "bit", "other", "version"])
def test_a_damaged_state_is_kept_under_another_name(path: str, damage: str, capsys: pytest.CaptureFixture[str]) -> None:
    state = n6post.State(path, total=[5])
    state.save(force=True)
    file = Path(path, "a", "state")
    data = file.read_bytes()
    data = {
        "short": data[:-3],
        "bit": data[:-1] + bytes([data[-1] ^ 4]),
        "other": b"import csi\n", "version": b"n6s2" + data[4:],
    }[damage]  # fmt: skip
    file.write_bytes(data)
    total = [0]
    again = n6post.State(path, total=total)
    said = capsys.readouterr().out
    assert total == [0] and said.count("\n") == 1 and f"{path}/a/state is not a whole state" in said
    assert Path(path, "a", "state.damaged").read_bytes() == data
    assert again.save(force=True)
    n6post.State(path, total=total)
    assert capsys.readouterr().out == "" and Path(path, "a", "state.damaged").read_bytes() == data


@pytest.mark.parametrize(("file", "other"), [("a", [2]), ("b", [1])])
def test_a_wrong_bit_in_one_file_leaves_the_other(path: str, file: str, other: list[int]) -> None:
    """The first save is in "a", and its number may become one above that of the second."""
    now = [0]
    state = n6post.State(path, now=now)
    for now[0] in (1, 2):
        assert state.save(force=True)
    data = Path(path, file, "state").read_bytes()
    for at in range(8 * len(data)):
        wrong = bytearray(data)
        wrong[at // 8] ^= 1 << at % 8
        Path(path, file, "state").write_bytes(wrong)
        found = [0]
        n6post.State(path, now=found)
        assert found == other, at


def test_a_file_in_place_of_the_folder_is_kept(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(path).write_text("precious", encoding="utf-8")
    assert n6post.State(path, total=[5]).save(force=True)
    assert capsys.readouterr().out.count("is not a whole state") == 1
    assert Path(path + ".damaged").read_text(encoding="utf-8") == "precious"


# --- a disk ----------------------------------------------------------------------------------------------------------
class PowerFailure(BaseException):
    pass


class Disk:
    """A FAT disk: files change in place, and how long a file is is written when it is closed, with its folder's block.

    cut     how many operations succeed before the power fails
    how     what is then left of the last operation: "none", "half" of it, or "zeros" in its place: of the bytes, or of a
            folder's block, which has the names of its files
    """

    def __init__(self, folders: Any = ("",), files: Any = (), cut: int = -1, how: str = "none", free: int = 9999) -> None:
        self.folders, self.files = set(folders), dict(files)
        self.cut, self.how, self.free, self.done = cut, how, free, 0
        self.stat, self.mkdir, self.rename, self.remove = self._stat, self._mkdir, self._rename, self._remove

    def operation(self, whole: Callable[[], Any], half: Callable[[], None], zeros: Callable[[], None]) -> None:
        if self.done == self.cut:
            {"none": lambda: None, "half": half, "zeros": zeros}[self.how]()
            raise PowerFailure
        self.done += 1
        whole()

    def lose(self, folder: str) -> Callable[[], None]:
        def lost() -> None:
            for name in [name for name in self.files if name.rpartition("/")[0] == folder]:
                del self.files[name]

        return lost

    def _stat(self, path: str) -> Any:
        if path in self.folders:
            return (0x4000, *[0] * 9)
        if path not in self.files:
            raise OSError(errno.ENOENT, "ENOENT")
        return (0x8000, 0, 0, 0, 0, 0, len(self.files[path]), 0, 0, 0)

    def _mkdir(self, path: str) -> None:
        folder = path.rpartition("/")[0]
        if path in self.folders or folder not in self.folders:
            raise OSError(errno.EEXIST, "EEXIST")
        self.operation(lambda: self.folders.add(path), lambda: None, self.lose(folder))

    def _rename(self, old: str, new: str) -> None:
        assert new == old + ".damaged"  # only before anything was kept: a power failure may leave one file with two names
        data = self.files[old]
        self.operation(
            lambda: (self.files.update({new: data}), self.files.pop(old)),
            lambda: self.files.update({new: data}),
            self.lose(old.rpartition("/")[0]),
        )

    def _remove(self, path: str) -> None:
        if path not in self.files:
            raise OSError(errno.ENOENT, "ENOENT")
        self.operation(lambda: self.files.pop(path), lambda: None, self.lose(path.rpartition("/")[0]))

    def open(self, path: str, mode: str) -> Any:
        folder = path.rpartition("/")[0]
        if folder not in self.folders or mode != "wb" and path not in self.files:
            raise OSError(errno.ENOENT, "ENOENT")
        if mode == "wb":
            self.operation(lambda: self.files.update({path: b""}), lambda: None, self.lose(folder))
        return Opened(self, path, mode)


class Opened:
    def __init__(self, disk: Disk, path: str, mode: str) -> None:
        self.disk, self.path, self.mode, self.at = disk, path, mode, 0
        self.longer = disk.files[path]

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if self.mode != "rb" and kind is not PowerFailure:
            lost = self.disk.lose(self.path.rpartition("/")[0])
            self.disk.operation(lambda: self.disk.files.update({self.path: self.longer}), lambda: None, lost)

    def read(self, count: int) -> bytes:
        self.at += count
        return bytes(self.longer[self.at - count : self.at])

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def write(self, data: bytes) -> None:
        def put(data: bytes) -> None:
            self.longer = self.longer[: self.at] + data + self.longer[self.at + len(data) :]
            self.disk.files[self.path] = self.longer[: len(self.disk.files[self.path])]

        if self.at + len(data) > self.disk.free:
            raise OSError(errno.ENOSPC, "ENOSPC")
        half = len(data) // 2
        self.disk.operation(lambda: put(data), lambda: put(data[:half]), lambda: put(bytes(len(data))))
        self.at += len(data)


@pytest.fixture
def put_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Disk], Disk]]:
    def put(disk: Disk) -> Disk:
        monkeypatch.setattr(state_module, "os", disk)
        monkeypatch.setattr(state_module, "open", disk.open, raising=False)
        return disk

    yield put


def kept_on(disk: Disk) -> int:
    """The number that a restart finds, 0 for none."""
    total: list[Any] = [0, ""]
    text = {"text": ""}
    n6post.State("/door", total=total, text=text)
    assert total[1] == text["text"] == "x" * (total[0] * 7 % 20)  # all of it is of one save; it gets longer and shorter
    return int(total[0])


def save_on(disk: Disk, number: int) -> None:
    total: list[Any] = [0, ""]
    text = {"text": ""}
    state = n6post.State("/door", total=total, text=text)
    text["text"] = "x" * (number * 7 % 20)
    total[:] = [number, text["text"]]
    assert state.save(force=True)


@pytest.mark.parametrize("how", ["none", "half", "zeros"])
def test_after_any_power_failure_the_newest_whole_state_is_there(
    how: str, put_in: Callable[[Disk], Disk], capsys: pytest.CaptureFixture[str]
) -> None:
    """The power fails in every operation of every save, and again in every operation of the one after the restart."""
    tried = 0

    def fail(folders: Any, files: Any, known: int, number: int, again: int) -> None:
        nonlocal tried
        for cut in range(99):
            disk = put_in(Disk(folders, files, cut, how))
            try:
                save_on(disk, number)
            except PowerFailure:
                found = kept_on(put_in(Disk(disk.folders, disk.files)))
                assert found in (known, number)
                tried += 1
                if again:
                    fail(disk.folders, disk.files, found, number + 1, again - 1)
            else:
                assert kept_on(disk) == number
                return

    folders, files = {""}, {}
    for number in range(1, 9):
        fail(folders, files, number - 1, number, 1 if number > 2 else 0)
        disk = put_in(Disk(folders, files))
        save_on(disk, number)
        folders, files = disk.folders, disk.files
    assert tried > 200


def test_nothing_of_a_longer_state_is_left_behind_a_shorter_one(path: str) -> None:
    """A gallery that forgets somebody has their vectors no more."""
    for length in (50, 5000):
        text, secret = [""], "secret" * length
        state = n6post.State(path, text=text)
        for kept in (secret, secret + "!", "short", "shorter"):
            text[0] = kept
            assert state.save(force=True)
        for file in "ab":
            assert b"secret" not in Path(path, file, "state").read_bytes()
        n6post.State(path, text=text)
        assert text == ["shorter"]


def test_a_full_disk_leaves_the_last_state_and_is_said_once(
    put_in: Callable[[Disk], Disk], capsys: pytest.CaptureFixture[str]
) -> None:
    disk = put_in(Disk())
    total: list[Any] = [1]
    state = n6post.State("/door", total=total)
    assert state.save(force=True)
    total[:] = ["x" * 99]
    disk.free = 60
    assert [state.save(force=True) for _ in range(3)] == [False] * 3
    assert capsys.readouterr().out == "n6post: /door could not be saved: [Errno 28] ENOSPC. The state before is kept\n"
    n6post.State("/door", total=total)
    assert total == [1]
    total[:] = ["x" * 99]
    disk.free = 999
    assert state.save(force=True)
    n6post.State("/door", total=total)
    assert total == ["x" * 99]


def test_a_failing_disk_is_tried_again_after_as_many_seconds(
    put_in: Callable[[Disk], Disk], clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    disk = put_in(Disk(folders=()))
    state = n6post.State("/sdcard/door", every=10, total=[1])
    written = []
    for second in range(1, 50):
        clock[0] = second
        if second == 25:
            disk.folders |= {"", "/sdcard"}
        if state.save():
            written.append(second)
    assert written == [30]
    assert capsys.readouterr().out.count("could not be saved") == 1


def test_a_state_as_long_as_before_is_written_in_its_place(
    put_in: Callable[[Disk], Disk], monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = put_in(Disk())
    total = [10]
    state = n6post.State("/door", total=total)
    for _ in range(2):
        total[0] += 1
        state.save(force=True)
    opened, opens = [], disk.open

    def opening(path: str, mode: str) -> Any:
        opened.append(mode)
        return opens(path, mode)

    monkeypatch.setattr(state_module, "open", opening)
    for _ in range(4):
        total[0] += 1
        assert state.save(force=True)
    assert opened == ["r+b"] * 4


@pytest.mark.parametrize("kind", ["VfsFat 512", "VfsFat 4096", "VfsLfs2 512"])
def test_after_any_power_failure_on_a_genuine_disk_a_state_is_there(kind: str) -> None:
    """FatFs and littlefs themselves, on a disk in memory; each block that is written is cut in four ways."""
    words = [vm.with_ulab(), "-X", "heapsize=64m", str(HERE / "micropython" / "scripts" / "power.py"), *kind.split()]
    env = {"MICROPYPATH": str(HERE.parent / "lib")}
    done = subprocess.run(words, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["cuts"] >= 8 and report["lost"] == [] and report["operations"] <= (16 if "Lfs" in kind else 4)
