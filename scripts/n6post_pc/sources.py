"""Which pictures and videos a command is given: files, and folders of pictures."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from .command import UserError

PICTURES = (".bmp", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp")


def in_folder(folder: Path) -> list[Path]:
    """The pictures in a folder, by name; what else is in there does not count, nor what lies in folders inside of it."""
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in PICTURES and path.is_file())


def listed(paths: Iterable[Path]) -> list[Path]:
    """Files and the pictures of folders, in their order and each once. UserError where there is nothing."""
    found: dict[Path, Path] = {}
    for path in paths:
        if not path.exists():
            raise UserError(f"no such picture: {path}")
        inside = in_folder(path) if path.is_dir() else [path]
        if not inside:
            raise UserError(f"no pictures in {path}: expected files that end in {', '.join(PICTURES)}")
        for file in inside:
            found.setdefault(file.resolve(), file)
    return list(found.values())


def is_video(path: Path) -> bool:
    import _video

    return path.suffix.lower() in _video.SUFFIXES


def names(paths: Sequence[Path]) -> list[str]:
    """A name for each file, without its ending, that no other has, on a disk that ignores case either.

    It is the file's own name; where several are called alike with their folder before it, or their ending behind it; where
    that is not enough, a number.
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
