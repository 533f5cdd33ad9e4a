"""scripts/n6post_pc/sources.py: which pictures and videos a command is given, and names for what is made of them."""

from __future__ import annotations

from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st
from n6post_pc import command, sources


def test_pictures_of_a_folder_are_sorted_and_taken_once(tmp_path: Path) -> None:
    for name in ("b.JPG", "a.png", "notes.txt", "clip.mp4"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "album.png").mkdir()
    (tmp_path / "album.png" / "inside.png").write_bytes(b"")
    a, b = tmp_path / "a.png", tmp_path / "b.JPG"
    assert sources.in_folder(tmp_path) == [a, b]
    assert sources.listed([b, tmp_path, tmp_path / "album.png" / ".." / "a.png", tmp_path / "clip.mp4"]) == [
        b, a, tmp_path / "clip.mp4"]  # fmt: skip


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(command.UserError, match=r"no pictures in .*: expected files that end in \.bmp, "):
        sources.listed([tmp_path])
    with pytest.raises(command.UserError, match="no such picture: .*absent.png"):
        sources.listed([tmp_path / "absent.png"])


def test_names_of_written_pictures_are_their_own_where_they_can_be() -> None:
    paths = [Path(p) for p in ("a/x.jpg", "b/x.png", "b/y.png", "c/z.png", "c/z.jpg", "c/Z.bmp", "d/a_x.png")]
    names = sources.names(paths)
    assert names[2] == "y" and names[1] == "b_x"
    assert names[3:6] == ["z_png", "z_jpg", "Z_bmp"]
    assert names[6] == "a_x" and names[0] == "x_jpg"  # what would have been a/x's is taken
    assert sources.names([Path("x.png"), Path("./x.png"), Path("X.PNG")])[0] != "x"


_PARTS = st.sampled_from(["x", "X", "a_x", "x_png", "x_2", "a"])


@hypothesis.given(st.lists(st.builds("{}/{}.{}".format, _PARTS, _PARTS, st.sampled_from(["png", "PNG", "jpg"])), max_size=9))
def test_no_two_names_are_the_same_on_any_disk(paths: list[str]) -> None:
    names = sources.names([Path(path) for path in paths])
    assert len({name.lower() for name in names}) == len(paths)
    assert not any("/" in name for name in names)
