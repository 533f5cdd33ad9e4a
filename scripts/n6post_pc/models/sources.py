"""List the pictures and videos that a command is given as files and folders."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ..command import UserError
from ..files import regular

PICTURES = (".bmp", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp")


def in_folder(folder: Path) -> list[Path]:
    """The pictures in a folder, sorted by name. Other files and subfolders are ignored."""
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in PICTURES and path.is_file())


def listed(paths: Iterable[Path]) -> list[Path]:
    """The given files and the pictures in the given folders, in order and without duplicates.

    UserError if a path does not exist or a folder has no pictures.
    """
    files: dict[Path, Path] = {}
    for path in paths:
        inside = in_folder(path) if path.is_dir() else [regular(path, "picture")]
        if not inside:
            raise UserError(f"no pictures in {path}: expected files that end in {', '.join(PICTURES)}")
        for file in inside:
            files.setdefault(file.resolve(), file)
    return list(files.values())


def is_video(path: Path) -> bool:
    import _video

    return path.suffix.lower() in _video.SUFFIXES


def names(paths: Sequence[Path]) -> list[str]:
    """A unique name for each file, without its ending. No two names differ in case only.

    This is the name of the file itself. If several files have the same name, the name of the folder is put before it or the
    ending is added to it, or, if that is not enough, a number.
    """
    forms = (
        lambda path: path.stem,
        lambda path: f"{path.resolve().parent.name}_{path.stem}",
        lambda path: path.name.replace(".", "_"),
        lambda path: f"{path.resolve().parent.name}_{path.name.replace('.', '_')}",
    )
    named: dict[int, str] = {}
    taken: set[str] = set()
    left = list(range(len(paths)))
    for form in forms:
        proposed = {i: form(paths[i]) for i in left}
        counts: dict[str, int] = {}
        for name in proposed.values():
            counts[name.lower()] = counts.get(name.lower(), 0) + 1
        for i in left:
            if counts[proposed[i].lower()] == 1 and proposed[i].lower() not in taken:
                named[i] = proposed[i]
        taken |= {proposed[i].lower() for i in left if i in named}
        left = [i for i in left if i not in named]
    for i in left:
        number = 2
        while f"{paths[i].stem}_{number}".lower() in taken:
            number += 1
        named[i] = f"{paths[i].stem}_{number}"
        taken.add(named[i].lower())
    return [named[i] for i in range(len(paths))]
