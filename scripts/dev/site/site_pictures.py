"""The pictures of the examples on the site: runs each script of scripts/examples by `n6post host`. build_site.py calls this.

site_scenes.py has what is in front of the camera. This writes pictures into a folder, to look at them:

    python3 scripts/dev/site/site_pictures.py FOLDER [EXAMPLE ...]
"""

from __future__ import annotations

import contextlib
import io
import itertools
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import _venv

if __name__ == "__main__":
    _venv.enter("models")

import site_scenes
from n6post_pc import cli, paths
from PIL import Image, ImageOps
from site_scenes import FPS, Scene

EXAMPLES = _venv.ROOT / "scripts" / "examples"
LINES = 6  # of the output that a page shows


class Shown(NamedTuple):
    """What came out. A line that was printed several times in a row is in `printed` once.

    picture  the last frame, with what the script drew
    printed  the last lines that it printed; cut: whether there were more
    changed  the lines of the script that were changed for the picture
    repeated whether a line of `printed` was printed several times in a row
    """

    picture: Image.Image
    printed: list[str]
    cut: bool
    changed: list[str]
    repeated: bool


def changed(text: str, changes: dict[str, str]) -> str:
    """The text of an example with these changes."""
    for before, after in changes.items():
        if text.count(before) != 1:
            raise ValueError(f"expected {before!r} once, got it {text.count(before)} times")
        text = text.replace(before, after)
    return text


@contextlib.contextmanager
def loading(scene: Scene) -> Iterator[None]:
    """`n6post.load` returns what the scene has, if it has something."""
    if scene.loads is None:
        yield
        return
    import ml
    import n6post

    load, model = n6post.load, ml.Model
    n6post.load = scene.loads
    owner = getattr(scene.loads, "__self__", None)
    if isinstance(owner, site_scenes.Returning):
        ml.Model = owner.embed
    try:
        yield
    finally:
        n6post.load, ml.Model = load, model


def run(example: str, scene: Scene | None = None) -> Shown:
    """Run an example. RuntimeError with what it printed if it fails."""
    scene = scene or site_scenes.scenes()[example]
    source = (EXAMPLES / f"{example}.py").read_text(encoding="utf-8")
    text = changed(source, scene.changes)
    different = [line for line in text.splitlines() if line not in source.splitlines()]
    port = _free_port()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "seen").mkdir()
        (folder / "sd").mkdir()
        (folder / f"{example}.py").write_text(text.replace("8080", str(port)), encoding="utf-8")
        for i, picture in enumerate(scene.sees()):
            picture.save(folder / "seen" / f"{i:03}.png")
        words = [folder / f"{example}.py", "--picture", folder / "seen", "--frames", scene.frames, "--fps", FPS, "--clock",
                 "video", "--sdcard", folder / "sd", "--out", folder / "out.png"]  # fmt: skip
        if scene.loads is None:
            words += ["--model", paths.SAMPLE_MODEL]
        out, err = io.StringIO(), io.StringIO()
        with loading(scene), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.call("host", [str(word) for word in words], "host")
        import protocol

        protocol._host_forget()
        if code:
            raise RuntimeError(f"{example}: {err.getvalue()}{out.getvalue()}")
        with Image.open(folder / "out.png") as opened:
            picture = opened.convert("RGB")
        if scene.crop:
            x, y, w, h = scene.crop
            picture = picture.crop((x, y, x + w, y + h))
        if example == "cut_outs":
            picture = beside(picture, sorted((folder / "sd").glob("*.jpg")))
    lines = itertools.groupby(out.getvalue().replace(str(port), "8080").splitlines())
    counted = [(line, len(list(same))) for line, same in lines]
    shown = counted[-LINES:]
    repeated = any(times > 1 for _, times in shown)
    return Shown(picture, [line for line, _ in shown], len(counted) > LINES, different, repeated)


def beside(picture: Image.Image, files: list[Path]) -> Image.Image:
    """A picture with smaller ones on its right."""
    side = picture.height
    whole = Image.new("RGB", (picture.width + 12 + side, side), (255, 255, 255))
    whole.paste(picture, (0, 0))
    with Image.open(files[0]) as opened:
        whole.paste(ImageOps.contain(opened.convert("RGB"), (side, side)), (picture.width + 12, 0))
    return whole


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


if __name__ == "__main__":
    import time

    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or sorted(site_scenes.scenes()):
        started = time.perf_counter()
        shown = run(name)
        shown.picture.save(folder / f"{name}.png")
        print(f"== {name}: {time.perf_counter() - started:.1f} s", *shown.changed, *shown.printed, sep="\n  ")
