"""scripts/run_on_host.py runs unmodified camera scripts."""

import contextlib
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as PilImage

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")

ROOT = Path(__file__).resolve().parents[2]

# Like the command, but with the Python of these tests: the command itself would create .venv first.
COMMAND = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from n6post_pc import cli, command;"
    " sys.exit(cli.call('host', sys.argv[1:], 'run_on_host.py'))"
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
        env=os.environ | {"PYTHONUTF8": "1"}, capture_output=True, encoding="utf-8", cwd=folder, timeout=120,
    )


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "photo.png"
    PilImage.new("RGB", (320, 240), (0, 0, 255)).save(path)
    return path


def _script(folder: Path, source: str) -> Path:
    path = folder / "camera_script.py"
    path.write_text(source, encoding="utf-8")
    return path


def test_an_endless_loop_is_stopped_and_its_last_frame_is_saved(tmp_path: Path, photo: Path) -> None:
    done = _run(tmp_path, _script(tmp_path, LOOP), "--picture", photo, "--frames", 3, "--out", "deep/er/last.png")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "frame 1\nframe 2\nframe 3\n"
    assert "3 frames of 320x240" in done.stderr
    with PilImage.open(tmp_path / "deep" / "er" / "last.png") as saved:
        assert saved.size == (320, 240)
        assert saved.getpixel((34, 14)) == (255, 0, 0)  # the third frame's rectangle
        assert saved.getpixel((24, 14)) == (0, 0, 255)


def test_the_default_is_one_frame_named_after_script_and_picture(tmp_path: Path, photo: Path) -> None:
    done = _run(tmp_path, _script(tmp_path, LOOP), "--picture", photo)
    assert done.stdout == "frame 1\n"
    assert (tmp_path / "out" / "camera_script_photo.png").is_file()


def test_the_last_frame_of_a_script_that_ends_by_itself_is_saved(tmp_path: Path, photo: Path) -> None:
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


def test_firmware_4_8_1_has_its_own_drawing_methods_and_ulab(tmp_path: Path, photo: Path) -> None:
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


def test_an_error_in_the_script_is_shown_with_the_scripts_line(tmp_path: Path, photo: Path) -> None:
    source = LOOP.replace("number += 1", "number += 1 // 0")
    done = _run(tmp_path, _script(tmp_path, source), "--picture", photo)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
    assert "number += 1 // 0" in done.stderr
    assert "runpy" not in done.stderr
    assert (tmp_path / "out" / "camera_script_photo.png").is_file()


def test_the_error_for_a_model_on_the_camera_names_the_option(tmp_path: Path, photo: Path) -> None:
    script = _script(tmp_path, "import ml\nml.Model('/rom/net.tflite')\n")
    done = _run(tmp_path, script, "--picture", photo)
    assert done.returncode == 1
    assert "--model" in done.stderr
    assert "/rom/net.tflite" in done.stderr


def test_a_model_on_the_camera_is_one_sentence_with_the_line(tmp_path: Path, photo: Path) -> None:
    script = _script(tmp_path, "import n6post\n\nmodel = n6post.load('/rom/net.tflite')\n")
    done = _run(tmp_path, script, "--picture", photo)
    assert done.returncode == 1 and "camera_script.py, line 3: /rom/net.tflite: this model is on the camera" in done.stderr
    assert "Traceback" not in done.stderr and "(docs/first-hour.md#the-models-of-the-rom)" in done.stderr
    for name in ("a", "b"):
        (tmp_path / f"{name}.tflite").touch()
    done = _run(tmp_path, script, "--picture", photo, "--model", "a=a.tflite", "--model", "b=b.tflite")
    assert "choose a file on this PC with --model net=FILE, because those given are for a, b (" in done.stderr


def test_one_file_does_not_serve_two_models(tmp_path: Path, photo: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.tflite").write_bytes(name.encode())
    source = "for name in 'a', 'b', 'a':\n    print(open(f'/rom/{name}.tflite').read())\n"
    script, files = _script(tmp_path, source), [tmp_path / "a.tflite", tmp_path / "b.tflite"]
    done = _run(tmp_path, script, "--picture", photo, "--model", files[0])
    assert done.returncode == 1 and done.stdout == "a\n"
    assert "line 2: /rom/b.tflite: the script opens two models: choose a file for each" in done.stderr
    assert "--model a=FILE --model b=FILE" in done.stderr
    for models in ((files[0], files[1]), (files[1], f"a={files[0]}"), (f"a={files[0]}", f"b={files[1]}")):
        done = _run(tmp_path, script, "--picture", photo, *[word for model in models for word in ("--model", model)])
        assert (done.returncode, done.stdout) == (0, "a\nb\na\n"), done.stderr


TRACKED = """
import csi, n6post
from helper import trackers
cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.QVGA)
while True:
    cam.snapshot()
    found = [n6post.Detection((10, 10, 90, 90), 0.9, 0, "a", None, None)]
    print([d.track_id for tracker in trackers for d in tracker.update(found)])
"""


def test_a_slow_machine_reports_the_tracks_of_a_picture_too(tmp_path: Path, photo: Path) -> None:
    """Here it takes longer than `max_gap` for each frame."""
    script = _script(tmp_path, TRACKED + "    import time\n    time.sleep_ms(150)\n")
    (tmp_path / "helper.py").write_text("import n6post\ntrackers = [n6post.Tracker(max_gap=0.1)]\n", encoding="utf-8")
    done = _run(tmp_path, script, "--picture", photo)
    assert done.stdout == "[]\n[1]\n", done.stderr


@pytest.mark.parametrize("trackers, frames", [("", 1), ("n6post.Tracker()", 2), ("n6post.Tracker(min_hits=5)", 5)])
def test_a_picture_is_repeated_until_a_tracker_can_report(
    trackers: str, frames: int, tmp_path: Path, photo: Path
) -> None:
    script = _script(tmp_path, TRACKED)
    (tmp_path / "helper.py").write_text(f"import n6post\ntrackers = [{trackers}]\n", encoding="utf-8")
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "photo.png").write_bytes(photo.read_bytes())
    for options in (("--picture", photo), ("--picture", tmp_path / "one"), ("--picture", photo, "--fps", 10)):
        done = _run(tmp_path, script, *options)
        assert done.stdout.splitlines() == ["[]"] * (frames - 1) + ["[1]" if trackers else "[]"]
        assert f"{frames} frame{'s' * (frames > 1)} of 320x240" in done.stderr
        assert (f"shown {frames} times: a Tracker with min_hits={frames}" in done.stderr) == (frames > 1)
    for options in (("--picture", photo, "--frames", 1), ("--picture", photo, photo)):
        done = _run(tmp_path, script, *options)
        assert "1 frame of" in done.stderr
        assert (f"Nothing is tracked yet: a Tracker with min_hits={frames}" in done.stderr) == (frames > 1)
        assert (f"Use --frames {frames}." in done.stderr) == (frames > 1)


def test_what_ends_a_script_is_printed_as_python_does(tmp_path: Path, photo: Path) -> None:
    for line, code, message in (("sys.exit('no SD card')", 1, "no SD card"), ("sys.exit(3)", 3, ""), ("sys.exit()", 0, "")):
        done = _run(tmp_path, _script(tmp_path, f"import sys\n{line}\n"), "--picture", photo)
        assert done.returncode == code and done.stderr.startswith(message)
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kept", ["", "kept = "])
def test_an_error_in_a_task_that_nobody_awaits_is_shown(kept: str, tmp_path: Path, photo: Path) -> None:
    source = (
        "import asyncio\nasync def task():\n    raise ValueError('no sensor')\nasync def main():\n"
        f"    {kept}asyncio.create_task(task())\n    await asyncio.sleep_ms(5)\n    print('goes on')\nasyncio.run(main())\n"
    )
    done = _run(tmp_path, _script(tmp_path, source), "--picture", photo)
    assert (done.returncode, done.stdout) == (1, "goes on\n")
    assert re.findall(r"line (\d+), in", done.stderr) == ["3"] and "\nValueError: no sensor\n" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which only Linux has")
def test_a_full_disk_on_stdout_is_no_error_of_the_script(tmp_path: Path, photo: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-c", COMMAND, str(ROOT / "scripts"), str(_script(tmp_path, "print('x' * 100_000)")),
             "--picture", str(photo)], stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path, timeout=120,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "run_on_host.py: standard output: No space left on device\n")


def test_an_error_of_the_library_shows_the_scripts_own_lines_only(tmp_path: Path, photo: Path) -> None:
    source = "import asyncio, n6post\nasync def f():\n    n6post.draw(3, [])\nasyncio.run(f())\n"
    done = _run(tmp_path, _script(tmp_path, source), "--picture", photo)
    assert re.findall(r"line (\d+), in", done.stderr) == ["4", "3"]
    assert "ValueError: img: expected an image to draw on, got int" in done.stderr
    # A bug of the library, which it has not raised itself, is shown with its place.
    bug = "from n6post.tensors import labels\nlabels._numbers_of = None\nlabels.class_number('x', 'y', ['z'])\n"
    done = _run(tmp_path, _script(tmp_path, bug), "--picture", photo)
    assert "labels.py" in done.stderr and "line 3, in <module>" in done.stderr


def test_open_in_the_script_also_finds_the_model(tmp_path: Path, photo: Path) -> None:
    model = tmp_path / "mine.tflite"
    model.write_bytes(b"bytes of a model")
    script = _script(tmp_path, "print(open('/rom/net.tflite', 'rb').read())\n")
    done = _run(tmp_path, script, "--picture", photo, "--model", model)
    assert done.stdout == "b'bytes of a model'\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.py", "--picture", "photo.png"], "no such script: absent.py"),
        (["camera_script.py", "--picture", "absent.jpg"], "no such picture: absent.jpg"),
        (["camera_script.py", "--picture", "photo.png", "--model", "absent.tflite"], "no such model: absent.tflite"),
        (["camera_script.py", "--picture", "photo.png", "--model", "photo.png"], "a .tflite or .onnx file"),
        (["camera_script.py", "--picture", "photo.png", "--model", "net=absent.onnx"], "no such model: absent.onnx"),
        (["camera_script.py", "--picture", "photo.png", "--uart", "3=absent.txt"], "no such file for a UART: absent.txt"),
        (["camera_script.py", "--picture", "photo.png", "--sdcard", "absent"], "no such folder for /sdcard: absent"),
        (["camera_script.py", "--picture", "empty"], "no pictures in empty"),
        (["camera_script.py", "--picture", "photo.png", "--frames", "0"], "--frames"),
        (["camera_script.py", "--picture", "photo.png", "--firmware", "five"], "--firmware"),
        (["camera_script.py", "--picture", "photo.png", "--save-frames", "photo.png"], "photo.png cannot be the folder"),
        (["camera_script.py", "--picture", "photo.png", "--fps", "0"], "--fps: expected a number from 0.001 to 10000"),
        (["camera_script.py", "--picture", "photo.png", "--fps", "5", "--clock", "pc"], "--fps is for --clock video"),
    ],
)
def test_wrong_arguments_are_reported(tmp_path: Path, photo: Path, arguments: list[str], message: str) -> None:
    _script(tmp_path, LOOP)
    (tmp_path / "empty").mkdir()
    done = _run(tmp_path, *arguments)
    assert done.returncode == 2
    assert message in done.stderr


# ---- the camera's frames ----

COLOR = """
import csi
cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize((64, 48))
while True:
    img = cam.snapshot()
    print(img.get_pixel((0, 0)), img.get_pixel((63, 47)))
    img.draw_rectangle((20, 20, 8, 8), color=(255, 0, 0), fill=True)
"""


def test_the_pictures_of_a_folder_are_the_frames_sorted_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "shots"
    folder.mkdir()
    for name, color in (("b.png", (0, 255, 0)), ("a.bmp", (0, 0, 255)), ("C.PNG", (255, 255, 255))):
        PilImage.new("RGB", (64, 48), color).save(folder / name)
    (folder / "note.txt").write_text("no picture", encoding="utf-8")
    done = _run(tmp_path, _script(tmp_path, COLOR), "--picture", "shots", "--save-frames", "saved")
    assert done.returncode == 0, done.stderr
    assert [line.split(")")[0] for line in done.stdout.splitlines()] == ["(255, 255, 255", "(0, 0, 255", "(0, 255, 0"]
    assert (tmp_path / "out" / "camera_script_shots.png").is_file()
    assert sorted(path.name for path in (tmp_path / "saved").iterdir()) == ["frame_1.png", "frame_2.png", "frame_3.png"]
    for number, color in ((1, (255, 255, 255)), (3, (0, 255, 0))):
        with PilImage.open(tmp_path / "saved" / f"frame_{number}.png") as saved:
            assert saved.getpixel((0, 0)) == color and saved.getpixel((24, 24)) == (255, 0, 0)


def test_the_frames_can_come_from_a_video(tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    with av.open(str(tmp_path / "clip.mp4"), "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height = 64, 48
        for level in (0, 80, 160, 240):
            frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), level, dtype=np.uint8), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    done = _run(tmp_path, _script(tmp_path, COLOR), "--picture", "clip.mp4")
    assert done.returncode == 0, done.stderr
    levels = [int(line[1:].split(",")[0]) for line in done.stdout.splitlines()]
    assert len(levels) == 4 and all(abs(got - level) < 30 for got, level in zip(levels, (0, 80, 160, 240), strict=True))
    done = _run(tmp_path, _script(tmp_path, COLOR), "--picture", "clip.mp4", "--frames", 2)
    assert len(done.stdout.splitlines()) == 2


def _turned(path: Path) -> None:
    """Save a picture with a white right half, rotated and with an EXIF orientation, as phones do."""
    upright = np.zeros((48, 64, 3), dtype=np.uint8)
    upright[:, 32:] = 255
    exif = PilImage.Exif()
    exif[0x0112] = 6  # rotate by 90 degrees clockwise
    PilImage.fromarray(np.ascontiguousarray(np.rot90(upright))).save(path, exif=exif, quality=95)


def test_a_picture_with_an_exif_orientation_is_shown_upright(tmp_path: Path) -> None:
    _turned(tmp_path / "phone.jpg")
    done = _run(tmp_path, _script(tmp_path, COLOR), "--picture", "phone.jpg")
    assert re.match(r"\((0|8), .*\) \((255|248), ", done.stdout), done.stdout
    done = _run(tmp_path, _script(tmp_path, "import image\nprint(image.Image('phone.jpg'))\n"), "--picture", "phone.jpg")
    assert '"w":64, "h":48' in done.stdout


def test_pictures_of_16_bits_are_converted_to_8(tmp_path: Path) -> None:
    ramp = np.linspace(0, 65535, 64 * 48).reshape(48, 64).astype(np.uint16)
    PilImage.fromarray(ramp).save(tmp_path / "deep.png")
    source = COLOR.replace("RGB565", "GRAYSCALE").replace("while True", "for _ in range(1)")
    source += "import image\nimg = image.Image('deep.png')\n"
    source += "print(img.get_pixel((32, 24)), img.format() == image.GRAYSCALE)\n"
    done = _run(tmp_path, _script(tmp_path, source), "--picture", "deep.png")
    assert done.stdout == "0 255\n130 True\n", done.stderr


# ---- the camera's files, models and ports ----


def test_several_models_are_found_by_the_names_in_the_script(tmp_path: Path, photo: Path) -> None:
    for name in ("faces", "hands", "rest"):
        (tmp_path / f"{name}_pc.tflite").write_bytes(name.encode())
    (tmp_path / "labels.txt").write_text("person", encoding="utf-8")
    source = """for path in ('/rom/faces.tflite', '/sdcard/hands.tflite', '/rom/other.tflite', '/rom/labels.txt'):
    print(open(path, 'rb').read())
"""
    models = ["faces=faces_pc.tflite", "hands.tflite=hands_pc.tflite", "rest_pc.tflite"]
    arguments = [word for model in models for word in ("--model", model)]
    done = _run(tmp_path, _script(tmp_path, source), "--picture", photo, *arguments)
    assert done.stdout == "b'faces'\nb'hands'\nb'rest'\nb'person'\n", done.stderr
    done = _run(tmp_path, _script(tmp_path, source), "--picture", photo, *arguments[:4])
    assert done.returncode == 1 and "/rom/other.tflite" in done.stderr and "--model" in done.stderr


SD_LOGGER = """
# Takes the number of pictures in the settings on the SD card, and writes a log.
import csi, os, uos, ujson, utime
from machine import RTC
cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.QVGA)
RTC().datetime((2026, 5, 1, 5, 12, 30, 0, 0))
if "shots" not in os.listdir("/sdcard"):
    os.mkdir("/sdcard/shots")
with open("/sdcard/settings.json") as file:
    settings = ujson.load(file)
start = utime.ticks_ms()
with open("log.csv", "w") as log:
    for number in range(settings["shots"]):
        img = cam.snapshot()
        name = "/sdcard/shots/%03d.jpg" % number
        img.save(name, quality=80)
        log.write("%d,%d,%d\\n" % (RTC().datetime()[0], number, os.stat(name)[6]))
print(os.getcwd(), sorted(name for name, kind, _, _ in uos.ilistdir("shots") if kind == 0x8000))
print(utime.ticks_diff(utime.ticks_ms(), start) < 60000)
"""


def test_a_logger_writes_to_the_folder_of_the_sd_card(tmp_path: Path, photo: Path) -> None:
    card = tmp_path / "card"
    card.mkdir()
    (card / "settings.json").write_text('{"shots": 2}', encoding="utf-8")
    done = _run(tmp_path, _script(tmp_path, SD_LOGGER), "--picture", "photo.png", "--sdcard", "card", "--frames", 9)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "/sdcard ['000.jpg', '001.jpg']\nTrue\n"
    log = (card / "log.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[:2] for line in log] == [["2026", "0"], ["2026", "1"]]
    with PilImage.open(card / "shots" / "001.jpg") as shot:
        assert shot.size == (320, 240)
    assert (tmp_path / "out" / "camera_script_photo.png").is_file()  # not on the card
    done = _run(tmp_path, _script(tmp_path, SD_LOGGER), "--picture", "photo.png")
    assert done.returncode == 1 and "--sdcard" in done.stderr


BLOBS = """
# Sends the positions of red blobs. Commands that it receives start and stop it.
import sensor, time
from machine import LED, UART

uart = UART(3, 115200, timeout_char=200)
led = LED("LED_BLUE")
sensor.reset()
sensor.set_pixformat(sensor.RGB565)
sensor.set_framesize(sensor.QVGA)
sensor.skip_frames(time=2000)
sensor.set_auto_gain(False)
sensor.set_auto_whitebal(False)
clock = time.clock()
running = False
while True:
    clock.tick()
    img = sensor.snapshot()
    command = uart.readline()
    if command:
        running = command.strip() == b"start"
    if not running:
        continue
    led.toggle()
    for blob in img.find_blobs([(20, 80, 25, 127, 0, 127)], pixels_threshold=100, area_threshold=100, merge=True):
        img.draw_rectangle(blob.rect, color=(255, 255, 0))
        img.draw_cross((blob.cx, blob.cy))
        uart.write("%d,%d,%d\\n" % (blob.cx, blob.cy, blob.pixels))
    clock.fps()
"""


def test_a_blob_tracker_sends_and_receives_over_its_uart(tmp_path: Path) -> None:
    picture = PilImage.new("RGB", (320, 240), (40, 90, 40))
    picture.paste((230, 20, 20), (100, 60, 140, 80))
    picture.save(tmp_path / "ball.png")
    (tmp_path / "commands.txt").write_bytes(b"stop\nstart\n")
    script = _script(tmp_path, BLOBS)
    done = _run(tmp_path, script, "--picture", "ball.png", "--frames", 3, "--uart", "3=commands.txt", "--out", "last.png")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "UART(3): b'120,70,800\\n'\n" * 2
    with PilImage.open(tmp_path / "last.png") as saved:
        assert saved.getpixel((100, 60)) == saved.getpixel((139, 79)) == (255, 255, 0)
        assert saved.getpixel((120, 70)) == (255, 255, 255)
    done = _run(tmp_path, script, "--picture", "ball.png", "--frames", 3)
    assert done.stdout == ""
    done = _run(tmp_path, script, "--picture", "ball.png", "--frames", 3, "--uart", "commands.txt", "--firmware", "4.8.1")
    assert done.returncode == 1 and "blob.rect" in done.stderr  # a method in 4.8.1


STREAMER = """
import network, socket, csi, time
cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.QVGA)
wlan = network.WLAN(network.STA_IF)
wlan.active(True)
wlan.connect("home", "secret")
while not wlan.isconnected():
    time.sleep_ms(100)
print("connected,", wlan.ifconfig()[0])
server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, True)
server.bind(("", 0))
server.listen(5)
client, address = server.accept()
client.settimeout(5.0)
request = client.recv(1024)
client.sendall("HTTP/1.1 200 OK\\r\\nContent-Type: multipart/x-mixed-replace;boundary=openmv\\r\\n\\r\\n")
while True:
    jpeg = cam.snapshot().to_jpeg(quality=35, copy=True)
    client.sendall("--openmv\\r\\nContent-Length:" + str(jpeg.size()) + "\\r\\n\\r\\n")
    client.sendall(jpeg)
"""


def test_a_wifi_streamer_serves_a_browser_on_this_pc(tmp_path: Path, photo: Path) -> None:
    script = str(_script(tmp_path, STREAMER))
    command = [sys.executable, "-c", COMMAND, str(ROOT / "scripts"), script, "--picture", str(photo), "--frames", "4"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None and running.stdout is not None
        try:
            port = re.search(r"http://localhost:(\d+)", running.stderr.readline())
            assert port is not None
            got = b""
            with socket.create_connection(("localhost", int(port[1])), timeout=60) as browser:
                browser.sendall(b"GET / HTTP/1.1\r\n\r\n")
                with contextlib.suppress(ConnectionResetError):
                    while part := browser.recv(65536):
                        got += part
            assert running.wait(60) == 0
            assert running.stdout.read().startswith("connected, 127.0.0.1")
        finally:
            running.kill()
    assert got.startswith(b"HTTP/1.1 200 OK\r\n") and got.count(b"--openmv\r\n") == got.count(b"\xff\xd8\xff") == 4


def test_the_content_of_a_display_is_saved_beside_the_frame(tmp_path: Path, photo: Path) -> None:
    source = LOOP.replace("import csi", "import csi, display, image\nlcd = display.SPIDisplay(64, 48)")
    source += "    lcd.write(img, hint=image.SCALE_ASPECT_IGNORE)\n"
    done = _run(tmp_path, _script(tmp_path, source), "--picture", photo, "--out", "last.png", "--save-frames", "all")
    assert done.returncode == 0, done.stderr
    with PilImage.open(tmp_path / "last_display.png") as shown:
        assert shown.size == (64, 48) and shown.getpixel((32, 24)) == (0, 0, 255)
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == ["display_1.png", "frame_1.png"]


def test_the_error_names_a_module_that_has_no_stand_in(tmp_path: Path, photo: Path) -> None:
    done = _run(tmp_path, _script(tmp_path, "import tof\n"), "--picture", photo)
    assert done.returncode == 1 and "the module tof has no stand-in on this PC (time-of-flight sensors: " in done.stderr
    (tmp_path / "tof.py").write_text("def init():\n    print('ours')\n", encoding="utf-8")
    assert _run(tmp_path, _script(tmp_path, "import tof\ntof.init()\n"), "--picture", photo).stdout == "ours\n"
    done = _run(tmp_path, _script(tmp_path, "import nonsense\n"), "--picture", photo)
    assert "No module named 'nonsense'" in done.stderr


def test_what_only_cpython_has_is_reported_before_the_script_runs(tmp_path: Path, photo: Path) -> None:
    (tmp_path / "helper.py").write_text("import enum\n", encoding="utf-8")
    script = _script(tmp_path, "import helper\nimport statistics\nprint(statistics.mean([1, 3]))\n")
    done = _run(tmp_path, script, "--picture", photo)
    assert done.stdout == "2\n" and done.returncode == 0
    remedy = "sum(values) / len(values), or ulab's np.mean, np.std and np.median"
    assert done.stderr.splitlines()[:3] == [
        "This runs on a PC, but not on a camera:",
        f"  {script}:2: the camera has no module statistics; instead: {remedy}",
        f"  {tmp_path / 'helper.py'}:1: the camera has no module enum; instead: constants: RED = 0",
    ]


# ---- the clock ----

TIMES = """
import time

import csi
cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.QVGA)
clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    WORK
    print(time.ticks_ms(), "%.1f" % clock.fps())
"""


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """A video of eight frames, 20 a second."""
    av = pytest.importorskip("av")
    with av.open(str(tmp_path / "clip.mp4"), "w") as container:
        stream = container.add_stream("mpeg4", rate=20)
        stream.width, stream.height = 64, 48
        for level in range(0, 240, 30):
            frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), level, dtype=np.uint8), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return tmp_path / "clip.mp4"


def test_two_runs_on_a_video_measure_the_same_at_any_speed(tmp_path: Path, clip: Path) -> None:
    quick = _run(tmp_path, _script(tmp_path, TIMES.replace("WORK", "")), "--picture", clip)
    slow = _script(tmp_path, TIMES.replace("WORK", "import random; sum(range(random.randrange(10**6)))"))
    runs = [quick.stdout, *[_run(tmp_path, slow, "--picture", clip).stdout for _ in range(2)]]
    assert runs == ["".join(f"{time} 20.0\n" for time in range(50, 401, 50))] * 3
    assert "8 frames of 320x240, 0.4 seconds of the video's time." in quick.stderr


def test_a_sleeping_script_loses_frames_of_a_video(tmp_path: Path, clip: Path) -> None:
    script = _script(tmp_path, TIMES.replace("WORK", "time.sleep_ms(120)"))
    done = _run(tmp_path, script, "--picture", clip)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["170", "290", "410", "530"]
    assert "4 frames of 320x240" in done.stderr
    assert len(_run(tmp_path, script, "--picture", clip, "--frames", 6).stdout.splitlines()) == 6  # it begins again


def test_the_pcs_clock_and_another_frame_rate_can_be_chosen(tmp_path: Path, clip: Path, photo: Path) -> None:
    script = _script(tmp_path, TIMES.replace("WORK", "time.sleep_ms(30)"))
    done = _run(tmp_path, script, "--picture", clip, "--clock", "pc")
    times = [int(line.split()[0]) for line in done.stdout.splitlines()]
    assert len(times) == 8 and times[-1] - times[0] >= 7 * 30 and "video's time" not in done.stderr
    done = _run(tmp_path, script, "--picture", clip, "--fps", 2.5, "--frames", 2)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["430", "830"]
    done = _run(tmp_path, script, "--picture", photo, "--fps", 4, "--frames", 2)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["280", "530"]


def test_pictures_have_the_pcs_time_unless_they_have_a_frame_rate(tmp_path: Path, clip: Path, photo: Path) -> None:
    script = _script(tmp_path, TIMES.replace("WORK", ""))
    assert "video's time" not in _run(tmp_path, script, "--picture", photo, clip, "--frames", 2).stderr
    for options in (("--clock", "video"), ("--clock", "video", "--picture", photo, clip)):
        done = _run(tmp_path, script, "--picture", photo, *options)
        assert done.returncode == 2
        assert done.stderr == "--clock video: pictures have no frame rate: add --fps, for example --fps 25\n"


ZONE = """
import csi
import n6post
import time
cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.QVGA)
zone = n6post.PolygonZone([(0, 0), (319, 0), (319, 239), (0, 239)])
tracker = n6post.Tracker(min_hits=1)
x = 100
while True:
    img = cam.snapshot()
    WORK
    x += 5
    inside = zone.trigger(tracker.update(n6post.detections([(x, 100, 50, 50, 0.9)])))
    print(["%.3f s, %.3f s, %.0f pixels a second" % (zone.dwell_time(d), d.age, d.velocity[0]) for d in inside])
"""


def test_ages_speeds_and_dwell_times_are_those_of_the_scene(tmp_path: Path, clip: Path) -> None:
    """On a slow machine too: there each frame takes longer than the video's, and than 3 seconds in its last one."""
    outputs = []
    slow = "import _clock; _clock._real['sleep'](0.08 if x < 135 else 3)"
    for work in ("", slow):
        done = _run(tmp_path, _script(tmp_path, ZONE.replace("WORK", work)), "--picture", clip)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout.splitlines())
    assert outputs[0] == outputs[1]
    assert outputs[0][-1] == "['0.350 s, 0.350 s, 100 pixels a second']" and len(outputs[0]) == 8


ASYNC = """
import asyncio
import csi
import time
cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.QVGA)


async def blink():
    while True:
        print("blink", time.ticks_ms())
        await asyncio.sleep_ms(120)


async def watch():
    while True:
        img = cam.snapshot()
        print("frame", time.ticks_ms())
        await asyncio.sleep_ms(0)


async def main():
    asyncio.create_task(blink())
    asyncio.create_task(watch())
    while True:
        await asyncio.sleep(60)


asyncio.run(main())
"""


@pytest.mark.parametrize("name", ["asyncio", "uasyncio"])
def test_tasks_of_asyncio_share_the_videos_time(tmp_path: Path, clip: Path, name: str) -> None:
    done = _run(tmp_path, _script(tmp_path, ASYNC.replace("asyncio", name)), "--picture", clip, "--frames", 6)
    assert done.returncode == 0 and "rror" not in done.stderr, done.stderr
    assert done.stdout.split("\n")[:-1] == [
        "blink 0", "frame 50", "frame 100", "frame 150", "blink 150", "frame 200", "frame 250", "frame 300", "blink 300",
    ]  # fmt: skip


def test_tasks_of_asyncio_run_on_the_pcs_clock_too(tmp_path: Path, photo: Path) -> None:
    done = _run(tmp_path, _script(tmp_path, ASYNC), "--picture", photo, "--frames", 5)
    assert done.returncode == 0 and "rror" not in done.stderr, done.stderr
    assert done.stdout.count("frame") == 5 and done.stdout.startswith("blink ")


SENDER = """
import requests
from mqtt import MQTTClient

client = MQTTClient("cam", "127.0.0.1", 1)
client.connect()
client.publish("people", "3")
print(requests.post("http://127.0.0.1:1/alarm", data="3").status_code)
"""


def test_messages_and_requests_are_printed_and_not_sent(tmp_path: Path, photo: Path) -> None:
    done = _run(tmp_path, _script(tmp_path, SENDER), "--picture", photo)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "mqtt 127.0.0.1:1: cam is connected",
        "mqtt people: b'3'",
        "requests POST http://127.0.0.1:1/alarm: b'3'",
        "200",
    ]
    done = _run(tmp_path, _script(tmp_path, SENDER), "--picture", photo, "--network")
    assert done.returncode == 1 and "ConnectionRefusedError" in done.stderr and "connect" in done.stderr
    (tmp_path / "camera_script.py").write_text(SENDER.partition("client")[0] + SENDER.splitlines()[-1], encoding="utf-8")
    done = _run(tmp_path, tmp_path / "camera_script.py", "--picture", photo, "--network")
    assert done.returncode == 1 and "ConnectionRefusedError" in done.stderr


def test_the_script_gets_the_cameras_requests_and_not_pypis(tmp_path: Path, photo: Path) -> None:
    script = _script(tmp_path, "import requests, mqtt\nprint(requests.__file__, mqtt.__file__)\n")
    (tmp_path / "urequests.py").write_text("raise ValueError\n", encoding="utf-8")
    assert _run(tmp_path, script, "--picture", photo).stdout.count("_frozen") == 2


JSON = r"""
import csi, n6post, sys, usys
cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.QVGA)
cam.snapshot()
found = [n6post.Detection((1, 2, 30, 40), 0.875, 0, "person", None, None)]
print("one")
sizes = [n6post.to_json(found, stream=sys.stdout)]
print("two")
sizes.append(n6post.to_json(found, stream=usys.stdout))
sizes.append(n6post.to_json(found, stream=sys.stdout.buffer))
n6post.to_json(found, stream=sys.stderr)
with open("results.jsonl", "w") as file:
    sizes += [n6post.to_json(found, stream=file), file.write("text")]
print(sizes, sys.stdout.write("\u00e4"), sys.stdout.write(b"\xc3\xa4"))
"""


def test_to_json_writes_to_stdout_and_to_text_files_as_on_a_camera(tmp_path: Path, photo: Path) -> None:
    done = _run(tmp_path, _script(tmp_path, JSON), "--picture", photo)
    assert done.returncode == 0, done.stderr
    line = '[{"rect": [1, 2, 30, 40], "score": 0.875, "class_id": 0, "label": "person"}]\n'
    size = len(line)
    assert done.stdout == f"one\n{line}two\n{line}{line}ää{[size, size, size, size, 4]} 2 2\n"
    assert done.stderr.startswith(line)
    assert (tmp_path / "results.jsonl").read_text(encoding="utf-8") == line + "text"


def _on_a_terminal(folder: Path, *arguments: object, bar_after: float | None = None) -> tuple[str, bytes]:
    """(stdout, output on a terminal that is its stderr) of the command."""
    import pty

    setting = "" if bar_after is None else f"command.BAR_AFTER = {bar_after}; "
    command = [sys.executable, "-c", COMMAND.replace("sys.exit(", setting + "sys.exit("), str(ROOT / "scripts")]
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen([*command, *map(str, arguments)], cwd=folder, stdout=subprocess.PIPE, stderr=theirs, text=True,
                          env=environment) as running:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # the terminal is closed
            while part := os.read(ours, 4096):
                shown += part
        assert running.stdout is not None
        printed = running.stdout.read()
    os.close(ours)
    return printed, shown


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_progress_bar_is_shown_on_a_terminal_only(tmp_path: Path, photo: Path) -> None:
    arguments = (_script(tmp_path, LOOP), "--picture", photo, "--frames", 5)
    printed, shown = _on_a_terminal(tmp_path, *arguments, bar_after=0)
    assert b"4/5" in shown and b"5 frames of 320x240" in shown
    assert printed == "".join(f"frame {number}\n" for number in range(1, 6))
    printed, shown = _on_a_terminal(tmp_path, *arguments, bar_after=3600)
    assert b"/5" not in shown and b"5 frames of 320x240" in shown
    assert "/5" not in _run(tmp_path, *arguments).stderr
