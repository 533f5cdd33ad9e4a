"""scripts/build.py, the command n6post build: the compiled library, an image for the ROMFS with models, and a zip."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fake_vela
import model_files
import pytest
import recorded_data
import silu_network
import test_romfs
import vm
from commands import ROOT, script
from n6post_pc import cli, command
from n6post_pc.build import command as build
from n6post_pc.build import romfs, silu_tables
from n6post_pc.build.boards import BOARDS
from n6post_pc.models import vela

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")

LIB = ROOT / "lib"
FILES = sorted(file.relative_to(LIB).as_posix() for file in LIB.rglob("*.py"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a model for ST's NPU and one of TensorFlow Lite."""
    monkeypatch.chdir(tmp_path)
    Path("st.tflite").write_bytes(model_files.for_st())
    Path("plain.tflite").write_bytes(model_files.runnable())
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run the command. Returns (exit code, stdout, stderr)."""
    code = cli.call("build", [str(argument) for argument in arguments], "n6post build")
    return code, *capsys.readouterr()


def image() -> dict[str, bytes]:
    return {path: data for path, (_, data) in test_romfs.read(Path("build/n6post.img").read_bytes()).items()}


# --- the compiled library ---


def test_every_file_of_lib_is_compiled_and_json_has_its_size(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = script("build.py", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) < 12 and f"{len(FILES)} files" in done.stdout  # what matters is not scrolled away
    made = {file.relative_to("build/mpy").as_posix(): file.stat().st_size for file in Path("build/mpy").rglob("*.*")}
    assert made.pop(build.LIST) and sorted(made) == [file[:-3] + ".mpy" for file in FILES]
    for line in Path("build/mpy", build.LIST).read_text(encoding="utf-8").splitlines():
        checksum, _, name = line.partition("  ")
        assert hashlib.sha256(Path("build/mpy", name).read_bytes()).hexdigest() == checksum
    lines = [line.split() for line in done.stdout.replace(",", "").splitlines() if line.strip()]
    listed = json.loads(run(capsys, "--json")[1])["files"]
    sizes = [{"file": file, "source": (LIB / file).stat().st_size, "mpy": made[file[:-3] + ".mpy"]} for file in FILES]
    assert listed == sizes
    assert ["all", str(sum((LIB / file).stat().st_size for file in FILES)), str(sum(made.values()))] in lines
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_an_earlier_build_is_replaced_and_nothing_else_is_removed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = Path("build/mpy")
    assert run(capsys)[0] == 0
    # An older version had one more file, in a separate folder.
    old = out / "n6post" / "gone" / "gone.mpy"
    old.parent.mkdir()
    old.write_bytes(b"M")
    with (out / build.LIST).open("a", encoding="utf-8") as file:
        file.write(f"{hashlib.sha256(b'M').hexdigest()}  n6post/gone/gone.mpy\n")
    assert run(capsys)[0] == 0 and not old.parent.exists()
    assert sorted(file.relative_to(out).as_posix() for file in out.rglob("*.mpy")) == [f[:-3] + ".mpy" for f in FILES]
    shutil.copytree(LIB, "lib")
    code, _, errors = run(capsys, "--out", "lib")
    assert code == 2 and "was not made by an earlier build" in errors
    assert sorted(file.relative_to("lib").as_posix() for file in Path("lib").rglob("*.py")) == FILES


@pytest.mark.parametrize("kind", ["unknown", "changed", "unknown, without a list", "link"])
def test_a_build_deletes_no_file_that_it_did_not_make(kind: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = Path("build/mpy")
    if kind != "unknown, without a list":
        assert run(capsys)[0] == 0
    file = out / "n6post" / ("draw.mpy" if "unknown" in kind else "__init__.mpy")
    file.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link":
        file.replace("mine.mpy")
        file.symlink_to(Path("mine.mpy").resolve())
    else:
        file.write_bytes(b"mine")
    before = {path: path.read_bytes() for path in out.rglob("*.*")}
    code, _, errors = run(capsys)
    assert code == 2 and f"contains {file.name}, which was not made by an earlier build" in errors
    assert {path: path.read_bytes() for path in out.rglob("*.*")} == before and file.is_symlink() == (kind == "link")


def test_a_build_that_fails_keeps_the_previous_one(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(capsys)[0] == 0
    before = {path: path.read_bytes() for path in Path("build").rglob("*.*")}
    compiled = build.compile_file

    def fails(source: Path, *arguments: object) -> None:
        if source.name == "matching.py":
            raise command.UserError("mpy-cross: no")
        compiled(source, *arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(build, "compile_file", fails)
        assert run(capsys)[0] == 2
    assert {path: path.read_bytes() for path in Path("build").rglob("*.*")} == before
    # If a build is interrupted while it moves its files, the next one starts over.
    Path("build/mpy/n6post/__init__.mpy").unlink()
    assert run(capsys)[0] == 0
    assert {path: path.read_bytes() for path in Path("build").rglob("*.*")} == before


def test_a_folder_that_cannot_be_written_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for out in ("plain.tflite", "plain.tflite/mpy"):
        code, _, errors = run(capsys, "--out", out)
        assert code == 2 and "plain.tflite" in errors and "Traceback" not in errors and len(errors.splitlines()) == 1


# --- the image ---


def test_the_image_contains_the_library_the_models_and_their_labels(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("st.txt").write_bytes(b"person\r\ncat\r\n")
    Path("my.second.tflite").write_bytes(model_files.for_st() + b"2")
    Path("my.second.txt").write_bytes(b"dog\n")
    Path("assets/fonts").mkdir(parents=True)
    Path("assets/fonts/a.bin").write_bytes(bytes(100))
    Path("main.py").write_bytes(b"print(1)\n")
    models = ("--model", "st.tflite", "--model", "my.second.tflite")
    code, printed, _ = run(capsys, "--romfs", *models, "--add", "assets", "--add", "main.py")
    assert code == 0, printed
    library = {file[:-3] + ".mpy" for file in FILES}
    # The firmware looks for labels in a file with the model's name up to its first dot.
    assert set(image()) - library == {
        "st.tflite", "st.txt", "my.second.tflite", "my.txt", "assets/fonts/a.bin", "main.py"
    }  # fmt: skip
    for path, data in image().items():
        source = Path("build/mpy" if path in library else "") / ("my.second.txt" if path == "my.txt" else path)
        assert data == source.read_bytes()


@pytest.mark.parametrize("path", ["..", ".", "assets/..", "../.."])
def test_a_path_without_a_name_is_refused(path: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("assets").mkdir()
    code, _, errors = run(capsys, "--romfs", "--add", path)
    assert code == 2 and f"--add: expected the name of a file or folder, got {path}" in errors
    assert not Path("build").exists()


def test_links_are_packed_only_if_they_stay_in_their_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("outside").mkdir()
    Path("outside/secret").write_bytes(b"secret")
    Path("assets/fonts").mkdir(parents=True)
    Path("assets/fonts/a.bin").write_bytes(b"a")
    Path("assets/same.bin").symlink_to("fonts/a.bin")
    Path("named").symlink_to("outside/secret")
    assert run(capsys, "--romfs", "--add", "assets", "--add", "named")[0] == 0
    packed = image()
    assert packed["assets/same.bin"] == packed["assets/fonts/a.bin"] == b"a" and packed["named"] == b"secret"
    for link, to, message in (
        ("out", folder / "outside" / "secret", "outside of assets"), ("up", Path("../outside"), "outside of assets"),
        ("lost", Path("nowhere"), "expected a file"), ("in", Path("fonts"), "expected a file"),
    ):  # fmt: skip
        (Path("assets") / link).symlink_to(to)
        code, _, errors = run(capsys, "--romfs", "--add", "assets")
        assert code == 2 and f"assets/{link}" in errors and message in errors
        (Path("assets") / link).unlink()


def test_a_name_that_is_not_utf_8_is_refused_before_compiling(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        (folder / os.fsdecode(b"\xff.bin")).write_bytes(b"x")
    except (OSError, UnicodeError):
        pytest.skip("file names on this system must be valid text")
    code, _, errors = run(capsys, "--romfs", "--add", os.fsdecode(b"\xff.bin"))
    assert code == 2 and r"expected a path in UTF-8, got '\udcff.bin'" in errors and not Path("build").exists()


def test_models_are_aligned_as_the_boards_npu_needs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("ethos.tflite").write_bytes(model_files.for_ethos())
    # openmv/openmv, docs/boards.md: 32 bytes for ST's NPU, 16 for Arm's and for cameras without one
    for board, model, alignment in (("N6", "st", 32), ("AE3", "ethos", 16), ("RT1062", "plain", 16)):
        copies = [f"{model}{number}.tflite" for number in range(9)]
        for number, copy in enumerate(copies):
            Path(copy).write_bytes(Path(f"{model}.tflite").read_bytes() + bytes(number))
        code, printed, _ = run(capsys, "--romfs", "--board", board, "--json", *[w for c in copies for w in ("--model", c)])
        assert code == 0
        made = json.loads(printed.splitlines()[-1])
        data = Path("build/n6post.img").read_bytes()
        assert made["bytes"] == len(data) and made["left"] == made["partition"] - len(data)
        packed = test_romfs.read(data)
        assert {one["path"]: one["offset"] for one in made["files"]} == {path: at for path, (at, _) in packed.items()}
        for copy in copies:
            assert packed[copy][0] % alignment == 0


def test_keep_adds_the_files_of_an_image_of_any_builder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = {"st.tflite": b"old", "face.tflite": b"face" * 999, "face.txt": b"face\n", "main.py": b"1\n", "font/a.bin": b"a",
           "n6post/old.mpy": b"M", "lib/n6post/__init__.mpy": b"M", "lib/mine.mpy": b"M"}  # fmt: skip
    for name, data in old.items():
        Path("rom", name).parent.mkdir(parents=True, exist_ok=True)
        Path("rom", name).write_bytes(data)
    words = [sys.executable, "-m", "mpremote", "romfs", "--no-mpy", "-o", "rom.img", "build", "rom"]
    subprocess.run(words, check=True, capture_output=True)
    code, printed, errors = run(capsys, "--romfs", "--keep", "rom.img", "--model", "st.tflite")
    assert code == 0, errors
    assert "EVERYTHING" not in printed
    kept = {name: data for name, data in old.items() if "n6post/" not in name}
    library = {file[:-3] + ".mpy" for file in FILES}
    packed = test_romfs.read(Path("build/n6post.img").read_bytes())
    assert {path: data for path, (_, data) in packed.items() if path not in library} == kept | {
        "st.tflite": Path("st.tflite").read_bytes()
    }  # fmt: skip
    assert library <= set(packed)
    # mpremote does not align models; the NPU needs them to be.
    assert test_romfs.read(Path("rom.img").read_bytes())["face.tflite"][0] % 32
    assert all(packed[name][0] % 32 == 0 for name in ("st.tflite", "face.tflite"))
    # An image that was kept once can be kept again.
    shutil.copyfile("build/n6post.img", "again.img")
    assert run(capsys, "--romfs", "--keep", "again.img")[0] == 0
    assert test_romfs.read(Path("build/n6post.img").read_bytes()).keys() == packed.keys()


def test_an_image_to_keep_that_does_not_fit_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("rom.img").write_bytes(romfs.pack([romfs.File("large.tflite", bytes(4 << 20))])[0])
    code, _, errors = run(capsys, "--romfs", "--board", "GIGA", "--keep", "rom.img")
    assert code == 2 and f"partition has {4 << 20:,}" in errors and f"large.tflite {4 << 20:,}" in errors
    assert not Path("build/n6post.img").exists()


def test_a_damaged_image_to_keep_is_refused_before_building(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("rom.img").write_bytes(romfs.pack([romfs.File("a.bin", bytes(900))])[0][:-1])
    for image, message in (("rom.img", "of which 923 are there"), ("st.tflite", "expected an image that begins with d2 cd")):
        code, printed, errors = run(capsys, "--romfs", "--keep", image)
        assert (code, printed) == (2, "") and f"{image}: " in errors and message in errors
    assert not Path("build").exists()


def test_the_first_lines_say_that_models_are_replaced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, printed, _ = run(capsys, "--romfs")
    lines = " ".join(printed.split())
    assert lines.startswith("The image will replace EVERYTHING in the camera's ROMFS, including the models that came with")
    assert "n6post camera backup rom.img, and this command with --keep rom.img" in lines
    # Where the firmware cannot read its partition, the IDE can.
    _, printed, _ = run(capsys, "--romfs", "--board", "RT1062")
    assert printed.startswith("The image will replace EVERYTHING") and "camera backup" not in printed
    assert run(capsys, "--romfs", "--json")[1].startswith("{")


def test_partition_sizes_are_those_of_the_firmware() -> None:
    # openmv/openmv 4.8.1 and 5.0.0, "size" in boards/*/romfs_config.json, partition 0
    sizes = {"N6": 0x1800000, "AE3": 0x1800000, "RT1062": 0x800000, "H7PLUS": 0x800000, "PURETHERMAL": 0x800000,
             "H7": 0x20000, "M7": 0x40000, "GIGA": 0x400000, "PORTENTA": 0x400000, "NICLA": 0x400000}  # fmt: skip
    assert {name: board.partition for name, board in BOARDS.items()} == sizes


def test_the_output_reports_free_space_and_how_to_write_the_image(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = run(capsys, "--romfs", "--model", "st.tflite")
    size = Path("build/n6post.img").stat().st_size
    lines = " ".join(printed.split())
    assert code == 0 and f"the image {size:,}" in lines and f"left {24 * 1024 * 1024 - size:,}" in lines
    assert "mpremote romfs deploy build/n6post.img" in lines
    assert all(len(line) <= 80 for line in printed.splitlines())
    # On boards whose MicroPython cannot write the partition, only the IDE can.
    _, printed, _ = run(capsys, "--romfs", "--board", "RT1062", "--model", "plain.tflite")
    assert "mpremote" not in printed and "OpenMV IDE" in printed


def test_mpremote_accepts_the_image(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from mpremote.romfs import VfsRomWriter

    run(capsys, "--romfs", "--model", "st.tflite")
    # `mpremote romfs deploy` checks the name, the header and the size of a file.
    path = Path("build/n6post.img")
    assert path.name.endswith((".img", ".romfs")) and path.read_bytes().startswith(VfsRomWriter.ROMFS_HEADER)


def test_micropython_mounts_the_image_and_imports_n6post_from_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    binary = vm.with_ulab()
    Path("st.txt").write_bytes(b"person\n")
    run(capsys, "--romfs", "--model", "st.tflite")
    code = """
import hashlib, sys, vfs
vfs.mount(vfs.VfsRom(open("build/n6post.img", "rb").read()), "/rom")
sys.path[:] = ["/rom"]
import n6post
print(n6post.__file__, n6post.YoloV8Seg.__name__)
for name in ("st.tflite", "st.txt"):
    print(hashlib.sha256(open("/rom/" + name, "rb").read()).digest().hex())
"""
    done = subprocess.run([binary, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    sums = [hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in ("st.tflite", "st.txt")]
    assert done.stdout.split() == ["/rom/n6post/__init__.mpy", "YoloV8Seg", *sums]


def test_an_image_that_is_too_large_is_refused_with_sizes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("large.tflite").write_bytes(model_files.runnable() + bytes(4 << 20))
    code, _, errors = run(capsys, "--romfs", "--board", "GIGA", "--model", "large.tflite")
    assert code == 2 and not Path("build/n6post.img").exists()
    assert f"partition has {4 << 20:,}" in errors and f"large.tflite {Path('large.tflite').stat().st_size:,}" in errors
    # An image that fills the partition exactly is not too large.
    fits = bytearray(model_files.runnable())
    run(capsys, "--romfs", "--board", "GIGA", "--model", "plain.tflite")
    spare = (4 << 20) - Path("build/n6post.img").stat().st_size
    Path("plain.tflite").write_bytes(bytes(fits) + bytes(spare))
    assert run(capsys, "--romfs", "--board", "GIGA", "--model", "plain.tflite")[0] == 0
    assert Path("build/n6post.img").stat().st_size == 4 << 20
    Path("plain.tflite").write_bytes(bytes(fits) + bytes(spare + 2))
    assert run(capsys, "--romfs", "--board", "GIGA", "--model", "plain.tflite")[0] == 2


def test_a_model_that_the_board_cannot_run_is_refused_before_building(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("ethos.tflite").write_bytes(model_files.for_ethos())
    Path("net.onnx").write_bytes(model_files.onnx([("Relu", ("x",), ("y",))], {}))
    Path("broken.tflite").write_bytes(model_files.runnable()[:200])
    Path("text.tflite").write_text("no model", encoding="utf-8")
    refused = {
        "N6": ("plain", "ethos", "broken", "text"),
        "AE3": ("st", "broken", "text"),
        "RT1062": ("st", "ethos", "text"),
    }
    for board, models in refused.items():
        for model in (*(f"{name}.tflite" for name in models), "net.onnx"):
            code, printed, errors = run(capsys, "--romfs", "--board", board, "--model", model)
            assert code == 2 and printed == "" and errors.startswith(f"n6post build: {model}: ")
    assert not Path("build").exists()
    _, _, errors = run(capsys, "--romfs", "--model", "plain.tflite")
    assert "ST's compiler" in errors and "OpenMV IDE" in errors


def test_a_model_with_an_operator_that_the_firmware_lacks_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("topk.tflite").write_bytes(model_files.with_topk())
    Path("topk_ethos.tflite").write_bytes(model_files.with_topk("ethos-u"))
    for board, model in (("RT1062", "topk"), ("AE3", "topk"), ("AE3", "topk_ethos")):
        code, _, errors = run(capsys, "--romfs", "--board", board, "--model", f"{model}.tflite")
        assert code == 2 and "has no TOPK_V2" in errors


def test_a_model_that_would_run_on_the_ae3s_cpu_is_a_finding(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = run(capsys, "--romfs", "--board", "AE3", "--model", "plain.tflite")
    assert code == 1 and "not compiled for the Ethos-U55" in printed
    assert image()["plain.tflite"] == Path("plain.tflite").read_bytes()
    code, printed, _ = run(capsys, "--romfs", "--board", "AE3", "--model", "plain.tflite", "--json")
    assert code == 1 and len(json.loads(printed.splitlines()[-1])["findings"]) == 1


def test_vela_compiles_models_for_the_ae3(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_vela.install(folder / "cache", monkeypatch)
    Path("ethos.tflite").write_bytes(model_files.for_ethos())
    models = ("--model", "plain.tflite", "--model", "ethos.tflite")
    code, printed, _ = run(capsys, "--romfs", "--board", "AE3", "--vela", *models)
    assert code == 0 and "not compiled" not in printed
    assert image()["plain.tflite"] == fake_vela.compiled()
    assert image()["ethos.tflite"] == Path("ethos.tflite").read_bytes()
    Path("plain.tflite").write_bytes(model_files.runnable() + b"refuse")
    code, _, errors = run(capsys, "--romfs", "--board", "AE3", "--vela", *models)
    assert code == 2 and "plain.tflite: Vela cannot compile it" in errors


def test_vela_alone_puts_compiled_models_beside_the_folder(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_vela.install(folder / "cache", monkeypatch)
    Path("plain.txt").write_text("person\n", encoding="utf-8")
    arguments = ("--board", "AE3", "--vela", "--silu-tables", "--model", "plain.tflite")
    code, printed, _ = run(capsys, *arguments)
    assert code == 0 and "has no SiLU" in printed and str(Path("build/plain.tflite")) in printed
    assert Path("build/plain.tflite").read_bytes() == fake_vela.compiled()
    assert Path("build/plain.txt").read_text(encoding="utf-8") == "person\n" and not Path("build/n6post.img").exists()
    listed = json.loads(run(capsys, *arguments, "--json")[1].splitlines()[-1])
    assert listed["models"] == [str(Path("build", name)) for name in ("plain.tflite", "plain.txt")]
    Path("build/other.tflite").write_bytes(model_files.runnable())
    code, _, errors = run(capsys, "--board", "AE3", "--vela", "--model", "build/other.tflite")
    assert code == 2 and "other.tflite" in errors and Path("build/other.tflite").read_bytes() == model_files.runnable()


def test_a_model_with_tables_is_compiled_and_the_gain_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_vela.install(folder / "cache", monkeypatch)
    made = bytes(recorded_data.stored("vela_silu")[vela.VERSION])
    cycles = iter((2_000_000, 1_500_000))

    def compile_model(python: Path, model: Path, out: Path) -> Any:
        out.write_bytes(made)
        return SimpleNamespace(cycles=next(cycles))

    monkeypatch.setattr(vela, "compile_model", compile_model)
    Path("silu.tflite").write_bytes(silu_network.network())
    code, printed, _ = run(capsys, "--romfs", "--board", "AE3", "--vela", "--silu-tables", "--model", "silu.tflite")
    assert code == 0 and "5 SiLUs are tables, 1.50 M cycles instead of 2.00 M" in printed
    silus = silu_tables.replaced(silu_network.network())[1]
    assert image()["silu.tflite"] == silu_tables.written(made, silus) != made


def test_wrong_arguments_are_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("elsewhere").mkdir()
    shutil.copyfile("st.tflite", "elsewhere/st.tflite")
    for arguments, message in (
        (("--model", "st.tflite"), "--romfs"),
        (("--keep", "st.tflite"), "add --romfs"),
        (("--romfs", "--keep", "absent.img"), "no such file: absent.img"),
        (("--board", "AE3"), "add --romfs"),
        (("--romfs", "--board", "AE3", "--silu-tables"), "add --vela"),
        (("--board", "AE3", "--vela", "--add", "elsewhere"), "add --romfs"),
        (("--board", "N6", "--zip"), "add --romfs"),
        (("--romfs", "--model", "absent.tflite"), "no such file: absent.tflite"),
        (("--romfs", "--model", "elsewhere"), "no such file: elsewhere"),
        (("--romfs", "--add", "absent"), "no such file: absent"),
        (("--romfs", "--vela", "--model", "st.tflite"), "Ethos-U55, which the OpenMV N6 does not have"),
        (("--romfs", "--board", "TOASTER"), "invalid choice"),
        (("--romfs", "--out", "."), "expected the name of a folder"),
        (("--zip", "--out", "/"), "expected the name of a folder"),
        (("--romfs", "--out", "a/.."), "expected the name of a folder"),
        (("--romfs", "--out", "n6post.img"), "expected the name of a folder"),
    ):
        with pytest.raises(SystemExit) as left:
            run(capsys, *arguments)
        assert left.value.code == 2 and message in capsys.readouterr().err
    Path("elsewhere/st.tflite").write_bytes(model_files.for_st() + b"another")
    code, _, errors = run(capsys, "--romfs", "--model", "st.tflite", "--model", "elsewhere/st.tflite")
    assert code == 2 and "st.tflite occurs twice" in errors
    code, _, errors = run(capsys, "--march", "sparc")
    assert code == 2 and errors == "n6post build: mpy-cross: it has no architecture sparc\n"


# --- the zip ---


def test_the_zip_contains_library_examples_and_instructions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = run(capsys, "--zip")
    archive = Path(f"build/n6post-{cli.version()}.zip")
    inside = zipfile.ZipFile(archive)
    top = f"n6post-{cli.version()}/"
    contents = {name.removeprefix(top): inside.read(name) for name in inside.namelist()}
    said = " ".join(printed.split())
    assert code == 0 and f"the archive {archive.stat().st_size:,}" in said
    assert "Copy the folder lib of the archive to the camera's drive" in said
    expected = {f"lib/{file[:-3]}.mpy": (Path("build/mpy") / file).with_suffix(".mpy").read_bytes() for file in FILES}
    expected |= {f"examples/{file.name}": file.read_bytes() for file in (ROOT / "scripts" / "examples").glob("*.py")}
    receiver = {f"arduino_robot/{name}" for name in ("arduino_robot.ino", "n6post_parser.c", "n6post_parser.h")}
    expected |= {f"examples/{name}": (ROOT / "scripts" / "examples" / name).read_bytes() for name in receiver}
    expected["LICENSE.txt"] = (ROOT / "LICENSE").read_bytes()
    steps = contents.pop("README.txt").decode().splitlines()
    assert contents == expected
    assert [line[:3] for line in steps if line[:1].isdigit()] == ["1. ", "2. ", "3. "]
    assert cli.version() in steps[0]


def test_the_same_sources_make_the_same_zip(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for number, zone in enumerate(("UTC", "Asia/Tokyo")):
        monkeypatch.setenv("TZ", zone)
        run(capsys, "--zip", "--out", f"build{number}/mpy")
        made.append(Path(f"build{number}/n6post-{cli.version()}.zip").read_bytes())
    assert made[0] == made[1]
    times = {entry.date_time for entry in zipfile.ZipFile(f"build0/n6post-{cli.version()}.zip").infolist()}
    assert times == {(1980, 1, 1, 0, 0, 0)}


# --- the help ---


def test_the_examples_in_the_help_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_vela.install(folder / "cache", monkeypatch)
    shutil.copyfile("st.tflite", "model.tflite")
    Path("rom.img").write_bytes(romfs.pack([romfs.File("st.tflite", model_files.for_st())])[0])
    for name in ("a.tflite", "b.tflite"):
        shutil.copyfile("plain.tflite", name)
    with pytest.raises(SystemExit) as left:
        run(capsys, "--help")
    assert left.value.code == 0
    text = capsys.readouterr().out
    examples = [line.strip() for line in text.partition("examples:\n")[2].splitlines()]
    assert len(examples) == len(build.EXAMPLES)
    for example in examples:
        command = [sys.executable, "-c", "import sys; from n6post_pc import cli; sys.exit(cli.main())"]
        environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
        words = example.split()[1:]
        done = subprocess.run([*command, *words], env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
