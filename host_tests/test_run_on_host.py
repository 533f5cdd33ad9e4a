"""scripts/run_on_host.py runs camera scripts as they are."""

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image as PilImage

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"

# As the command, but in this very Python: the command itself would first make .venv.
COMMAND = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); import run_on_host; sys.exit(run_on_host.main(sys.argv[1:]))"
)

LOOP = """
import csi
cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.QVGA)
cam.snapshot(time=2000)
number = 0
while True:
    try:
        img = cam.snapshot()
    except Exception as error:
        print("caught", error)
    number += 1
    print("frame", number)
    img.draw_rectangle((10 * number, 10, 8, 8), color=(255, 0, 0), fill=True)
"""


def _run(folder: Path, *arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", COMMAND, str(ROOT / "scripts"), *map(str, arguments)],
        capture_output=True, text=True, cwd=folder, timeout=120,
    )


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "photo.png"
    PilImage.new("RGB", (320, 240), (0, 0, 255)).save(path)
    return path


def _script(folder: Path, source: str) -> Path:
    path = folder / "camera_script.py"
    path.write_text(source)
    return path


def test_an_endless_loop_ends_after_the_asked_for_frames_and_its_drawing_is_saved(tmp_path: Path, photo: Path) -> None:
    done = _run(tmp_path, _script(tmp_path, LOOP), "--picture", photo, "--frames", 3, "--out", "deep/er/last.png")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "frame 1\nframe 2\nframe 3\n"
    assert "3 frames of 320x240" in done.stderr
    with PilImage.open(tmp_path / "deep" / "er" / "last.png") as saved:
        assert saved.size == (320, 240)
        assert saved.getpixel((34, 14)) == (255, 0, 0)  # the third frame's rectangle
        assert saved.getpixel((24, 14)) == (0, 0, 255)


def test_the_default_is_one_frame_into_a_file_named_after_script_and_picture(tmp_path: Path, photo: Path) -> None:
    done = _run(tmp_path, _script(tmp_path, LOOP), "--picture", photo)
    assert done.stdout == "frame 1\n"
    assert (tmp_path / "out" / "camera_script_photo.png").is_file()


def test_a_script_that_ends_by_itself_is_saved_too(tmp_path: Path, photo: Path) -> None:
    source = LOOP.replace("while True:", "for _ in range(2):") + "print('done')\n"
    done = _run(tmp_path, _script(tmp_path, source), "--picture", photo, "--frames", 9)
    assert done.returncode == 0
    assert done.stdout.endswith("done\n")
    assert "2 frames" in done.stderr


def test_the_library_and_the_stand_ins_are_importable_and_time_ticks(tmp_path: Path, photo: Path) -> None:
    source = "import n6post, ml, image, omv, machine, time\ntime.ticks_us()\nprint(__name__, omv.version_string())\n"
    done = _run(tmp_path, _script(tmp_path, source), "--picture", photo, "--firmware", "4.8.1")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "__main__ 4.8.1\n"
    assert "nothing to save" in done.stderr


def test_as_firmware_4_8_1_a_script_meets_its_drawing_methods_and_its_ulab(tmp_path: Path, photo: Path) -> None:
    source = """import image
from ulab import numpy as np
img = image.Image(40, 20, image.RGB565)
img.draw_string((1, 2, "a"))
print(any(img.bytearray()), "bincount" in dir(np))
"""
    script = _script(tmp_path, source)
    done = _run(tmp_path, script, "--picture", photo, "--firmware", "4.8.1")
    assert done.stdout == "True False\n", done.stderr
    done = _run(tmp_path, script, "--picture", photo)
    assert done.returncode == 1 and "draw_string" in done.stderr


def test_an_error_of_the_script_is_shown_with_its_own_line_and_fails(tmp_path: Path, photo: Path) -> None:
    source = LOOP.replace("number += 1", "number += 1 // 0")
    done = _run(tmp_path, _script(tmp_path, source), "--picture", photo)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
    assert "number += 1 // 0" in done.stderr
    assert "runpy" not in done.stderr
    assert (tmp_path / "out" / "camera_script_photo.png").is_file()


def test_a_model_of_the_camera_without_a_replacement_is_explained(tmp_path: Path, photo: Path) -> None:
    script = _script(tmp_path, "import ml\nml.Model('/rom/net.tflite')\n")
    done = _run(tmp_path, script, "--picture", photo)
    assert done.returncode == 1
    assert "--model" in done.stderr
    assert "/rom/net.tflite" in done.stderr


def test_the_scripts_own_open_finds_the_model_too(tmp_path: Path, photo: Path) -> None:
    model = tmp_path / "mine.tflite"
    model.write_bytes(b"bytes of a model")
    script = _script(tmp_path, "print(open('/rom/net.tflite', 'rb').read())\n")
    done = _run(tmp_path, script, "--picture", photo, "--model", model)
    assert done.stdout == "b'bytes of a model'\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["absent.py", "--picture", "photo.png"], "no such script: absent.py"),
        (["camera_script.py", "--picture", "absent.jpg"], "no such picture: absent.jpg"),
        (["camera_script.py", "--picture", "photo.png", "--model", "absent.tflite"], "no such model: absent.tflite"),
        (["camera_script.py", "--picture", "photo.png", "--model", "photo.png"], "a .tflite or .onnx file"),
        (["camera_script.py", "--picture", "photo.png", "--frames", "0"], "--frames"),
        (["camera_script.py", "--picture", "photo.png", "--firmware", "five"], "--firmware"),
        (["camera_script.py"], "--picture"),
    ],
)
def test_wrong_arguments_are_named(tmp_path: Path, photo: Path, arguments: list[str], complaint: str) -> None:
    _script(tmp_path, LOOP)
    done = _run(tmp_path, *arguments)
    assert done.returncode == 2
    assert complaint in done.stderr


def test_the_segmentation_example_draws_on_a_real_photograph(tmp_path: Path) -> None:
    script = ROOT / "scripts" / "camera" / "yolov8_seg.py"
    model = SHARED / "models" / "yolov8n_320_quant_pc_ii_seg_coco-st.tflite"
    picture = SHARED / "pictures" / "bus.jpg"
    if not (script.is_file() and model.is_file() and picture.is_file()):
        pytest.skip("needs the example, and the models in ../shared, which are not part of the project")
    pytest.importorskip("ai_edge_litert")
    done = _run(tmp_path, script, "--picture", picture, "--model", model, "--out", "bus.png")
    assert done.returncode == 0, done.stderr
    with PilImage.open(tmp_path / "bus.png") as saved:
        assert saved.size[0] >= 320
