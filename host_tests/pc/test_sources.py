"""models/sources.py: the list of pictures and videos of a command, and the names of the files it writes."""

from __future__ import annotations

from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st
from n6post_pc import command
from n6post_pc.models import sources


def test_pictures_of_a_folder_are_sorted_and_taken_once(tmp_path: Path) -> None:
    for name in ("b.JPG", "a.png", "notes.txt", "clip.mp4"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "album.png").mkdir()
    (tmp_path / "album.png" / "inside.png").write_bytes(b"")
    a, b = tmp_path / "a.png", tmp_path / "b.JPG"
    assert sources.in_folder(tmp_path) == [a, b]
    assert sources.listed([b, tmp_path, tmp_path / "album.png" / ".." / "a.png", tmp_path / "clip.mp4"]) == [
        b, a, tmp_path / "clip.mp4"]  # fmt: skip


def test_a_missing_picture_or_empty_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("", encoding="utf-8")
    with pytest.raises(command.UserError, match=r"no pictures in .*: expected files that end in \.bmp, "):
        sources.listed([tmp_path])
    with pytest.raises(command.UserError, match="no such picture: .*absent.png"):
        sources.listed([tmp_path / "absent.png"])


def test_pictures_are_written_under_their_own_names_if_possible() -> None:
    paths = [Path(p) for p in ("a/x.jpg", "b/x.png", "b/y.png", "c/z.png", "c/z.jpg", "c/Z.bmp", "d/a_x.png")]
    names = sources.names(paths)
    assert names[2] == "y" and names[1] == "b_x"
    assert names[3:6] == ["z_png", "z_jpg", "Z_bmp"]
    assert names[6] == "a_x" and names[0] == "x_jpg"  # a_x, the second choice for a/x, is taken
    assert sources.names([Path("x.png"), Path("./x.png"), Path("X.PNG")])[0] != "x"


_PARTS = st.sampled_from(["x", "X", "a_x", "x_png", "x_2", "a"])


@hypothesis.given(st.lists(st.builds("{}/{}.{}".format, _PARTS, _PARTS, st.sampled_from(["png", "PNG", "jpg"])), max_size=9))
def test_no_two_names_differ_in_case_only(paths: list[str]) -> None:
    names = sources.names([Path(path) for path in paths])
    assert len({name.lower() for name in names}) == len(paths)
    assert not any("/" in name for name in names)
