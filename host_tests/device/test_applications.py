"""The applications of scripts/examples (parking, speed, a queue ...): they report what happens in front of the camera.

What a network finds is made up here, frame by frame, with a clock of its own. Then each script runs as a user starts it:
with the sample network, and through a street where ../shared has one. All of it as on firmware 5.0.0 and 4.8.1.
"""

from __future__ import annotations

import ast
import errno
import http.client
import io
import json
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import _host
import csi
import image
import machine
import n6post
import numpy as np
import pytest
from commands import running, script
from fakes import FakeModel, Tensor
from n6post_pc.demo import recorded
from PIL import Image as PilImage
from ulab import _host as ulab_host

pytestmark = [
    pytest.mark.both_firmwares,
    pytest.mark.proof(
        "scripts/examples/*.py", "stubs/**/*.py",
        "lib/n6post/drawing/*.py", "lib/n6post/streams/*.py", "lib/n6post/events/*.py",
        "lib/n6post/tracking/*.py",
    ),
]  # fmt: skip

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "scripts" / "examples"
SAMPLE = ROOT / "scripts" / "n6post_pc" / "data" / "shapes"
SIZE = 640, 480
MS = 100  # of a frame


class EndOfFrames(Exception):  # noqa: N818
    """Ends the endless loop of an example."""


def found(x: int, y: int, w: int = 80, h: int = 60, label: str = "car") -> Any:
    """A detection with the middle of its lower edge at (x, y)."""
    d = n6post.Detection((x - w // 2, y - h, w, h), 0.9, 0, label, None, None)
    return d.replace(frame_size=SIZE)


class Scene:
    """A camera and a model: of frame t, the model finds `things(t)`. A frame is black but for what `paint` does to it."""

    def __init__(self, things: Callable[[int], Any], frames: int, paint: Callable[[int, Any], None] | None) -> None:
        self.things, self.frames, self.paint = things, frames, paint
        self.at = -1
        self.last: Any = None
        self.off = False

    def shutdown(self, enable: bool) -> None:
        self.off = enable

    def snapshot(self, *, time: int = 0) -> Any:
        if time:  # skips frames
            return None
        self.at += 1
        if self.at == self.frames:
            raise EndOfFrames
        self.last = image.Image(*SIZE, image.RGB565)
        if self.paint:
            self.paint(self.at, self.last)
        return self.last

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: None

    def ticks_ms(self) -> int:
        return 5000 + MS * max(self.at, 0)


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[list[str], Any]]:
    """Run an example on a scene; returns the lines that it prints and its last frame as an array."""

    def run(
        example: str,
        things: Callable[[int], Any],
        frames: int,
        paint: Callable[[int, Any], None] | None = None,
        models: dict[str, Any] | None = None,
        **instead: str,
    ) -> tuple[list[str], Any]:
        _host.install()
        scene = Scene(things, frames, paint)
        model = SimpleNamespace(predict=lambda inputs: scene.things(scene.at))
        monkeypatch.setattr(csi, "CSI", lambda: scene)
        monkeypatch.setattr(n6post, "load", lambda path, **options: (models or {}).get(path, model))
        monkeypatch.setattr(time, "ticks_ms", scene.ticks_ms, raising=False)
        monkeypatch.setattr(time, "time", lambda: scene.ticks_ms() // 1000)
        code = compile(source(example, **instead), f"{example}.py", "exec")
        with pytest.raises(EndOfFrames):
            exec(code, {"__name__": "__main__"})
        return capsys.readouterr().out.splitlines(), np.asarray(scene.last.to_pil().convert("RGB")).astype(int)

    return run


def source(example: str, **instead: str) -> str:
    """The text of an example, with other values of the constants at its top."""
    text = (EXAMPLES / f"{example}.py").read_text(encoding="utf-8")
    for name, value in instead.items():
        text, count = re.subn(rf"^{name} = (\[\n(    .*\n)*\]|.*)$", f"{name} = {value}", text, flags=re.MULTILINE)
        assert count == 1, name
    return text


def has_color(frame: Any, box: tuple[int, int, int, int], color: tuple[int, int, int]) -> bool:
    x, y, w, h = box
    return bool((frame[y : y + h, x : x + w] == color).all(axis=2).any())


# ---- what they report ----

RED, GREEN, GRAY = (255, 0, 0), (0, 255, 0), (165, 162, 165)  # gray as RGB565 has it


def test_a_parking_space_is_taken_by_a_car_that_stays(play: Any) -> None:
    """Frames 0 to 9: a car passes, over a space until 7. 50 to 119: one is parked, and missed for a second.

    Changes take 3 seconds.
    """

    def things(t: int) -> list[Any]:
        passing = [found(60 + 60 * t, 400, w=160, h=120)] if t < 10 else []
        parked = [found(105, 410, w=130, h=120)] if 50 <= t < 120 and not 90 <= t < 100 else []
        return passing + parked

    lines, last = play("parking", things, 180)
    free = ["3 of 3 spaces are free"]
    assert lines == ["looking at the spaces"] * 37 + free * 43 + ["2 of 3 spaces are free"] * 70 + free * 30
    assert has_color(last, (210, 295, 20, 10), GREEN) and not has_color(last, (0, 290, 640, 140), RED)
    _, last = play("parking", things, 110)
    assert has_color(last, (90, 295, 20, 10), RED) and has_color(last, (400, 295, 20, 10), GREEN)


@pytest.mark.parametrize("first", [0, 15, 28])
def test_a_space_is_not_free_before_anything_is_known(first: int, play: Any) -> None:
    """Three parked cars are found from this frame on, and one of them is missed in every other frame."""
    cars = [found(x, 410, w=130, h=120) for x in (105, 255, 400)]
    lines, last = play("parking", lambda t: [] if t < first else cars if t % 2 else cars[:2], 80)
    looking = 30 + (first | 1)  # the car that is missed in even frames is the last one
    assert lines == ["looking at the spaces"] * looking + ["0 of 3 spaces are free"] * (80 - looking)
    assert not has_color(last, (0, 290, 640, 140), GREEN)


@pytest.mark.parametrize("speed", [20, 72])
def test_the_speed_is_that_of_the_object_on_the_ground(speed: int, play: Any) -> None:
    points = {name: eval(re.search(rf"^{name} = (\[.*?\])", source("speed"), re.MULTILINE)[1])  # type: ignore[index]
              for name in ("IMAGE_POINTS", "WORLD_POINTS")}  # fmt: skip
    road = n6post.Plane(points["IMAGE_POINTS"], points["WORLD_POINTS"])
    step = speed / 3.6 * MS / 1000

    def things(t: int) -> list[Any]:
        place = road.to_image(3, step * t)
        assert place is not None
        return [found(*place, w=40, h=30)] if step * t < 20 else []

    lines, last = play("speed", things, int(20 / step))
    if speed < 30:  # the limit
        assert lines == [] and has_color(last, (0, 0, 640, 480), GREEN) and not has_color(last, (0, 0, 640, 480), RED)
        _, early = play("speed", things, 4)
        assert has_color(early, (0, 0, 640, 480), GRAY) and not has_color(early, (0, 0, 640, 480), GREEN)
    else:
        speeds = [int(found_[1]) for line in lines if (found_ := re.fullmatch(r"#1 car: (\d+) km/h", line))]
        assert len(speeds) == len(lines) >= 2 and all(abs(one - speed) <= 3 for one in speeds)
        assert has_color(last, (0, 0, 640, 480), RED)


@pytest.mark.parametrize("missed, passing", [(1000, (20, 300, 12, 0)), (7, (620, 460, -14, -3))])
def test_the_queue_knows_how_long_everybody_waited(missed: int, passing: tuple[int, ...], play: Any) -> None:
    """Two people walk into the zone and back again. Their feet are in it for 6 and for 9 seconds. A third one passes.

    missed: in each of so many frames nobody is found; passing: x, y and the steps of the third person.
    """

    def walk(x: int, start: int, seconds: int, t: int) -> Any:
        inside = 10 * seconds - 20
        steps = min(max(t - start, 0), 20) - min(max(t - start - 20 - inside, 0), 20)
        return found(x, 105 + 10 * steps, 40, 100, "person")

    def things(t: int) -> list[Any]:
        x, y, across, down = passing
        third = [found(x + across * t, y + down * t, 40, 100, "person")] if t < 45 else []
        return [walk(250, 0, 6, t), walk(400, 15, 9, t), *third] if t % missed != 3 else []

    lines, _ = play("queue_time", things, 150, ZONE="[(100, 200), (540, 200), (540, 470), (100, 470)]")
    assert sorted(line[:9] for line in lines if "joined" in line) == ["#1 joined", "#2 joined"]
    left = [re.fullmatch(r"#(\d) left after (\d\.\d) seconds, mean (\d\.\d) seconds", line) for line in lines]
    numbers = [(int(one[1]), float(one[2]), float(one[3])) for one in left if one]
    (one, first, mean), (other, second, mean_of_both) = numbers
    assert (one, other) == (1, 2) and mean == first and abs(mean_of_both - (first + second) / 2) < 0.11
    assert abs(first - 6) <= 0.3 and abs(second - 9) <= 0.3


def test_a_servo_sorts_objects_by_the_color_that_they_have(play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pulses: list[int] = []

    class Pwm:
        def __init__(self, pin: str, *, freq: int, duty_ns: int) -> None:
            assert (pin, freq) == ("P7", 50)
            self.duty_ns(duty_ns)

        def duty_ns(self, value: int) -> None:
            pulses.append(value)

    monkeypatch.setattr(machine, "PWM", Pwm)
    colors = [(150, 30, 30), (70, 50, 110), (140, 160, 60)]

    def place(t: int) -> tuple[int, int]:
        return 60 + 20 * (t % 30), 300

    def things(t: int) -> list[Any]:
        return [found(*place(t), 80, 80, "part")] if t % 30 < 26 else []

    def paint(t: int, img: Any) -> None:
        x, y = place(t)
        img.draw_rectangle((x - 40, y - 80, 80, 80), color=colors[t // 30], fill=True)

    lines, _ = play("sort_by_color", things, 90, paint)
    assert [re.sub(r":.*", "", line) for line in lines] == ["#1 part is red", "#2 part is purple", "#3 part is green"]
    assert pulses == [1500000, 1000000, 2000000, 1500000]


@pytest.mark.parametrize("x, step", [(200, 10), (440, 6)])
def test_counts_go_on_after_a_restart(x: int, step: int, play: Any, tmp_path: Path) -> None:
    """Two people cross the line upwards, and one goes back; the power fails two seconds later."""

    def things(t: int) -> list[Any]:
        one, other = max(100, 330 - step * t), max(100, 460 - step * t)
        if t > 60:
            one = min(400, 100 + step * (t - 60))
        return [found(x, one, 40, 100, "person"), found(x + 100, other, 40, 100, "person")]

    constants = {"FOLDER": repr(str(tmp_path / "door")), "SECONDS": "1.5"}
    first, again = [play("count_people", things, 120, **constants)[0] for _ in range(2)]
    assert [line.split("person ")[1] for line in first + again] == [
        "entered: 1 in, 0 out", "entered: 2 in, 0 out", "left: 2 in, 1 out",
        "entered: 3 in, 1 out", "entered: 4 in, 1 out", "left: 4 in, 2 out",
    ]  # fmt: skip


def test_the_heat_map_is_warm_where_somebody_stood(play: Any) -> None:
    def things(t: int) -> list[Any]:
        return [found(110, 230, 40, 100, "person"), found(300 + 10 * t, 410, 40, 100, "person")]

    assert play("heat_map", lambda t: [], 20)[0] == []
    lines, last = play("heat_map", things, 20)
    assert lines == [f"2 people, most of the time at {(100, 220, 20, 20)}"] * 20
    assert last[225:235, 105:115].sum() > 5 * max(1, last[20:40, 600:620].sum()) == 5
    assert (last[400:410, 330:340].sum(axis=2) > 0).any()


def test_a_road_to_the_right_is_followed_to_the_right(play: Any) -> None:
    def roads(t: int) -> Any:
        """A road of 40 columns whose middle is at column 60, 80, 100; none in the last frame."""
        classes = np.zeros((120, 160), np.uint8)
        if t < 3:
            classes[:, 40 + 20 * t : 80 + 20 * t] = 1
        network = FakeModel([Tensor(classes[None])], (160, 120))
        return network.run(n6post.DeepLab(layout="NHWC", background=0), n6post.Stretch(image.Image(*SIZE, image.RGB565)))

    lines, last = play("follow_road", roads, 4)
    assert lines == ["steer -0.25", "steer +0.00", "steer +0.25", "stop"]
    assert last.max() == 0
    _, last = play("follow_road", roads, 3)
    assert has_color(last, (395, 300, 10, 180), (255, 255, 255)) and last[:, 100].max() == 0


def test_a_robot_follows_one_object_until_it_is_gone(play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first object is gone from frame 10 on. Until then the second one has become the higher one; it is gone at 14."""

    def things(t: int) -> list[Any]:
        return [found(100, 400, 60, 200), found(500, 400, 60, 150 + 10 * t)][t >= 10 :] if t < 14 else []

    monkeypatch.setattr(_host, "_SHOWN", 1 << 20)
    lines, _ = play("uart_robot", things, 18)
    sent = [ast.literal_eval(line.removeprefix("UART(3): ")) for line in lines]
    assert [data[3] for data in sent] == [0] + [2] * 9 + [1] * 4 + [0] * 4
    assert [int.from_bytes(data[9:13], "little") for data in sent[1:14]] == [1] * 9 + [2] * 4, "the first one's track_id"


class Broker:
    """A client of MQTT and the broker that keeps its retained messages and its last will."""

    def __init__(self, name: str, server: str, port: int, *, user: str, password: str, keepalive: int) -> None:
        assert (port, keepalive) == (1883, 60), "without keepalive a broker never misses a camera without power"
        Broker.here, self.connected, self.published, self.retained = self, 0, [], {}  # type: ignore[assignment]
        self.broken: set[int] = set()

    def set_last_will(self, topic: str, message: str, retain: bool) -> None:
        assert not self.connected and retain
        self.will = topic, message

    def connect(self) -> None:
        self.connected += 1

    def publish(self, topic: str, message: str, *, retain: bool) -> None:
        assert self.connected and retain
        if len(self.published) in self.broken:
            self.broken.discard(len(self.published))
            raise OSError(errno.ECONNRESET, "the broker was restarted")
        self.published.append((topic, message))
        self.retained[topic] = message


class Restarted(Broker):
    def connect(self) -> None:
        super().connect()
        self.broken |= {5} if self.connected == 1 else set()


CONFIGS = [f"homeassistant/{kind}/camera_1/config" for kind in ("sensor", "binary_sensor")]
PEOPLE_OF_FRAMES = [0] * 5 + [2] * 5 + [1] * 250


def people(t: int) -> list[Any]:
    return [found(100 + 100 * n, 400) for n in range(PEOPLE_OF_FRAMES[t])]


@pytest.mark.parametrize("kind", [Broker, Restarted])
def test_home_assistant_gets_two_entities_and_each_new_count(
    kind: type[Broker], play: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mqtt", SimpleNamespace(MQTTClient=kind))
    play("home_assistant", people, len(PEOPLE_OF_FRAMES))
    broker: Any = Broker.here
    status, message = broker.will
    start = [*CONFIGS, status]
    assert [topic for topic, _ in broker.published[:3]] == start and message == "offline"
    state = "n6post/camera_1/people"
    # The last one half a minute after midnight in the camera's time, although nothing has changed.
    counts = [(state, "0"), (state, "2"), (state, "1"), (state, "1")]
    if kind is Broker:
        assert broker.published[3:] == counts
    else:
        assert [one for one in broker.published[3:] if one[0] == state] == counts
        assert [topic for topic, _ in broker.published[5:8]] == start and broker.connected == 2
    assert broker.retained[status] == "online"
    configs = [json.loads(broker.retained[topic]) for topic in CONFIGS]
    for config in configs:  # what home-assistant.io/integrations/mqtt asks for
        assert (config["state_topic"], config["availability_topic"]) == (state, status)
        assert config["device"]["identifiers"] == ["camera_1"]
    assert len({config["unique_id"] for config in configs}) == 2
    jinja2 = pytest.importorskip("jinja2", reason="needs Jinja, in which Home Assistant's templates are written")
    shown = [[jinja2.Template(config["value_template"]).render(value=value) for value in ("0", "2")] for config in configs]
    assert shown == [["0", "2"], ["OFF", "ON"]]


def test_mosquitto_tells_home_assistant_when_the_camera_is_gone(play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Home Assistant is started after the camera, and is mosquitto_sub here."""
    if absent := [name for name in ("mosquitto", "mosquitto_pub", "mosquitto_sub") if shutil.which(name) is None]:
        pytest.skip(f"needs {', '.join(absent)}: Debian's packages mosquitto and mosquitto-clients")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])

    def retained() -> dict[str, str]:
        command = ["mosquitto_sub", "-p", port, "-t", "#", "-v", "--retained-only", "-W", "1"]
        lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
        return dict(line.split(" ", 1) for line in lines)

    class Client(Broker):
        def connect(self) -> None:
            super().connect()
            topic, message = self.will
            will = ("--will-topic", topic, "--will-payload", message, "--will-retain")
            self.camera = subprocess.Popen(["mosquitto_sub", "-p", port, "-t", "none", *will])

        def publish(self, topic: str, message: str, *, retain: bool) -> None:
            command = ["mosquitto_pub", "-p", port, "-t", topic, "-m", message]
            subprocess.run([*command, "-r"] if retain else command, check=True)

    monkeypatch.setitem(sys.modules, "mqtt", SimpleNamespace(MQTTClient=Client))
    server = subprocess.Popen(["mosquitto", "-p", port], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while subprocess.run(["mosquitto_pub", "-p", port, "-t", "up", "-n"], stderr=subprocess.DEVNULL).returncode:
            assert server.poll() is None
        play("home_assistant", people, 12)
        camera: Any = Broker.here
        before = retained()
        assert set(before) == {*CONFIGS, *camera.will[:1], "n6post/camera_1/people"}
        assert before[camera.will[0]] == "online" and before["n6post/camera_1/people"] == "1"
        camera.camera.kill()  # without saying good-bye, as at a power failure
        camera.camera.wait()
        assert retained() == {**before, camera.will[0]: "offline"}
    finally:
        server.kill()
        server.wait()


def frames_of(clip: Path) -> list[tuple[int, int]]:
    """(number, size in bytes) of each JPEG of a clip."""
    parts = clip.read_bytes().split(b"\xff\xd8\xff")
    assert parts[0] == b""
    found_ = []
    for jpeg in [b"\xff\xd8\xff" + part for part in parts[1:]]:
        gray = np.asarray(PilImage.open(io.BytesIO(jpeg)).convert("L"))
        found_.append((sum(1 << bit for bit in range(6) if gray[240, 50 + 100 * bit] > 128), len(jpeg)))
    return found_


@pytest.mark.parametrize("memory", [1 << 20, 80000])
def test_a_clip_begins_before_something_happens_and_ends_after_it(memory: int, play: Any, tmp_path: Path) -> None:
    """Something is there in frames 20 to 29, and in frame 45. A frame shows the bits of its number as bars."""

    def paint(t: int, img: Any) -> None:
        for bit in range(6):
            if t >> bit & 1:
                img.draw_rectangle((100 * bit, 0, 100, 480), color=(255, 255, 255), fill=True)

    things = [found(100, 400)]
    where = {"FOLDER": repr(str(tmp_path)), "SECONDS": "1", "MEMORY": str(memory)}
    play("clip", lambda t: things if 20 <= t < 30 or t == 45 else [], 60, paint, **where)
    for name, event, last in (("00001.mjpeg", 20, 39), ("00002.mjpeg", 45, 55)):
        clip = frames_of(tmp_path / name)
        first = clip[0][0]
        assert [number for number, _ in clip] == list(range(first, last + 1))
        before = [size for _, size in clip[: event - first]]
        if event == 20 and memory < 1 << 20:
            assert sum(before) <= memory < sum(before) + 2 * max(before)
        else:
            assert first == {20: 0, 45: 40}[event]
    play("clip", lambda t: things, 2, paint, **where)
    assert len(frames_of(tmp_path / "00003.mjpeg")) == 2


def test_a_look_is_written_down_before_the_camera_sleeps(play: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def asleep(milliseconds: int) -> None:
        scene: Any = csi.CSI()
        assert milliseconds == 600000 and scene.off and scene.at == 0
        raise EndOfFrames

    monkeypatch.setattr(machine, "deepsleep", asleep)
    for objects in ([], [found(100, 400)]):
        play("sleep_between_looks", lambda t, objects=objects: objects, 2, FILE=repr(str(tmp_path / "looks.jsonl")))
    looks = [json.loads(line) for line in (tmp_path / "looks.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [[d["rect"] for d in look["objects"]] for look in looks] == [[], [[60, 340, 80, 60]]]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", look["time"]) for look in looks)


# ---- people: falls, squats, eyes, helmets ----


def noisy(points: Any, rng: Any, pixels: float = 3.0, missed: float = 0.1) -> Any:
    """A person with 17 keypoints at these places, each with jitter, and some of them not seen."""
    points = points + rng.normal(0, pixels, points.shape)
    scores = np.where(rng.random(len(points)) < missed, 0.1, 0.8)
    x, y = points.min(0).astype(int)
    w, h = (np.ptp(points, axis=0) + 1).astype(int)
    keypoints = ulab_host.wrap(np.column_stack([points, scores]).astype(np.float32))
    d = n6post.Detection((x, y, w, h), 0.9, 0, "person", None, keypoints)
    return d.replace(frame_size=SIZE, keypoint_threshold=0.3)


# How far in front of the hips or ankles, and how high above the ground, in meters: head, shoulders, hips, knees, ankles.
HARMLESS = {
    "bent over": ((0.5, 0.75), (0.35, 0.9), (-0.1, 0.95), (0, 0.5), (0, 0.1)),
    "kneels": ((0.05, 1.25), (0, 1), (0, 0.5), (0.05, 0.07), (-0.4, 0.07)),
    "scrubs the floor": ((0.7, 0.6), (0.45, 0.55), (0, 0.5), (0.05, 0.07), (-0.4, 0.07)),
    "sits on the floor": ((-0.1, 0.85), (-0.1, 0.6), (0, 0.1), (0.45, 0.12), (0.9, 0.1)),
    "ties shoes": ((0.35, 0.75), (0.18, 0.6), (-0.25, 0.35), (0.15, 0.47), (0, 0.1)),
}
CAMERAS = {"high": (2.2, 4.0), "low": (1.3, 3.0)}  # the height and the distance
LYING = {
    "on the back": ((-0.75, 0.12), (-0.5, 0.12), (0, 0.1), (0.45, 0.1), (0.9, 0.1)),
    "on the back, knees up": ((-0.75, 0.12), (-0.5, 0.12), (0, 0.1), (0.3, 0.4), (0.5, 0.1)),
}


def posed(pose: Any, yaw: float, camera: str, rng: Any, missed: float = 0.1) -> Any:
    """A person as a camera sees them. yaw: degrees; 0 to the right, 270 towards the camera.

    pose: as above; a number is a walker's, in radians of a step.
    """
    if isinstance(pose, (int, float)):
        swing = 0.35 * np.sin(pose)
        left, right = [((0, 1.7), (0, 1.45), (0, 0.95), (s / 2, 0.5), (s, 0.1)) for s in (swing, -swing)]
    else:
        left = right = pose
    points = []
    for part, times, wide in ((0, 5, 0.04), (1, 6, 0.2), (2, 2, 0.12), (3, 2, 0.12), (4, 2, 0.12)):
        for n in range(times):  # left first
            forward, up = (right if n % 2 else left)[part]
            points.append((forward, wide * (-1 if n % 2 else 1), up))
    forward, side, up = np.array(points).T
    (height, distance), angle = CAMERAS[camera], np.radians(yaw)
    x, z = forward * np.cos(angle) - side * np.sin(angle), forward * np.sin(angle) + side * np.cos(angle) + distance
    tilt = np.arctan((height - 0.8) / distance)
    down, depth = height - up, z
    down, depth = down * np.cos(tilt) - depth * np.sin(tilt), depth * np.cos(tilt) + down * np.sin(tilt)
    return noisy(np.column_stack([320 + 500 * x / depth, 240 + 500 * down / depth]), rng, missed=missed)


@pytest.mark.parametrize("missed", [0.0, 0.1])
@pytest.mark.parametrize("camera, yaws", [("high", (0, 240)), ("low", (150, 90))])
def test_nobody_falls_who_bends_kneels_sits_or_ties_shoes(
    camera: str, yaws: tuple[int, int], missed: float, play: Any
) -> None:
    """Each for five seconds, and then walking for two."""
    rng, poses = np.random.default_rng(5), list(HARMLESS.values())

    def things(t: int) -> list[Any]:
        at, within = divmod(t, 70)
        pose = poses[at % len(poses)] if within < 50 else within
        return [posed(pose, yaws[at // len(poses)], camera, rng, missed)] if rng.random() >= missed else []

    assert play("fall_alarm", things, 140 * len(poses))[0] == []


@pytest.mark.parametrize("pose", LYING)
@pytest.mark.parametrize("camera, yaw", [("high", 0), ("high", 180), ("high", 90), ("low", 20), ("low", 150), ("low", 60)])
def test_who_falls_to_a_side_or_towards_the_camera_is_reported(pose: str, camera: str, yaw: int, play: Any) -> None:
    """Walks for three seconds, lies for eight, is helped up, and falls again. The feet are in the direction of the yaw."""
    rng = np.random.default_rng(6)

    def things(t: int) -> list[Any]:
        return [posed(LYING[pose] if 30 <= t < 110 or t >= 160 else t / 2, yaw, camera, rng)]

    assert play("fall_alarm", things, 45)[0] == []
    assert play("fall_alarm", things, 150)[0] == ["a person has fallen"]
    assert play("fall_alarm", things, 200)[0] == ["a person has fallen"] * 2


@pytest.mark.parametrize(
    "pose, alarms", [(LYING["on the back"], 1), (HARMLESS["kneels"], 0), (HARMLESS["sits on the floor"], 0)]
)
def test_without_legs_the_box_says_whether_somebody_lies(pose: Any, alarms: int, play: Any) -> None:
    """A sofa hides the legs, which the network does not find."""
    rng = np.random.default_rng(12)

    def things(t: int) -> list[Any]:
        d = posed(pose, 30, "high", rng)
        points = np.array(d.keypoints._np)
        points[13:, 2] = 0
        x, y = points[:13, :2].min(0).astype(int)
        w, h = np.ptp(points[:13, :2], axis=0).astype(int)
        return [d.replace(rect=(int(x), int(y), int(w), int(h)), keypoints=ulab_host.wrap(points))]

    assert len(play("fall_alarm", things, 60)[0]) == alarms


def legs(bent: float, walking: float, facing: int, size: float, rng: Any) -> Any:
    """A person from the side. bent: degrees by which both knees are; walking: by which one more is; size: of a leg."""
    points = np.zeros((17, 2))
    for side, knee in ((0, bent), (1, bent + walking)):
        half = np.radians(knee / 2)
        ankle = np.array([0.0, 0.0])
        middle = ankle + size / 2 * np.array([np.sin(half), -np.cos(half)])
        hip = middle + size / 2 * np.array([-np.sin(half), -np.cos(half)])
        points[15 + side], points[13 + side], points[11 + side] = ankle, middle, hip
        points[5 + side : 11 : 2] = hip - (0, size / 2)
    points[:5] = points[5] - (0, size / 3)
    return noisy(points * (facing, 1) + (320, 400), rng, pixels=size / 100, missed=0.15)


@pytest.mark.parametrize("facing, size, period, depth, first", [(1, 200, 20, 110, 0), (-1, 90, 50, 95, 25)])
def test_squats_are_counted_and_steps_are_not(
    facing: int, size: float, period: int, depth: float, first: int, play: Any
) -> None:
    """Four squats, the first of which may have begun before the camera; then walking for six seconds."""
    rng = np.random.default_rng(7)

    def things(t: int) -> list[Any]:
        t += first
        bent = depth * (1 - np.cos(2 * np.pi * t / period)) / 2 if t < 4 * period else 5
        return [legs(bent, 0 if t < 4 * period else 45 * (1 - np.cos(t)), facing, size, rng)]

    lines, _ = play("squats", things, 4 * period - first + 60)
    assert lines == [f"#1: {n} squats" for n in range(1, 4 if first else 5)]


def face(is_open: float, size: float, rng: Any) -> Any:
    """A face whose eyes are open by this fraction of their width."""
    names = n6post.keypoint_names(468)
    points = np.full((468, 3), (320, 240, 1), np.float32)
    for side, x in (("left eye", size), ("right eye", -size)):
        for part, dx, dy in (("outer", x, 0), ("inner", x / 2, 0), ("top", 0.75 * x, -size * is_open / 4),
                             ("bottom", 0.75 * x, size * is_open / 4)):  # fmt: skip
            points[names.index(f"{side} {part}"), :2] += (dx, dy) + rng.normal(0, size / 200, 2)
    x, y = int(320 - size), int(240 - size)
    d = n6post.Detection((x, y, 2 * int(size), 2 * int(size)), 0.9, 0, "face", None, ulab_host.wrap(points))
    return d.replace(frame_size=SIZE)


@pytest.mark.parametrize("size, is_open", [(60, 0.3), (150, 0.24)])
@pytest.mark.parametrize(
    "eyes, expected",
    [
        (lambda t: "closed" if t % 30 < 3 and t < 500 else "open", []),  # blinks
        (lambda t: "closed" if t % 40 < 10 and t > 100 else "open", ["take a break: the eyes are closed too often"]),
        (lambda t: "closed" if 300 <= t < 320 else "open", ["wake up: no open eyes for 1.5 seconds"]),
        (lambda t: "away" if 300 <= t < 330 else "open", ["wake up: no open eyes for 1.5 seconds"]),  # a sunk head
        (lambda t: "away" if t % 60 < 10 and t > 60 else "open", []),  # looks into the mirrors
        (lambda t: "away" if 200 <= t < 500 else "open", ["wake up: no open eyes for 1.5 seconds"]),  # gets out
    ],
)
def test_a_driver_may_blink_but_not_sleep(
    size: float, is_open: float, eyes: Any, expected: list[str], play: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(n6post, "Pipeline", lambda first, second, max_detections: first)
    rng = np.random.default_rng(8)

    def things(t: int) -> list[Any]:
        return [] if eyes(t) == "away" else [face(0.05 if eyes(t) == "closed" else is_open, size, rng)]

    assert play("drowsiness", things, 560)[0] == expected


@pytest.mark.parametrize("height, step, seed", [(300, 0, 9), (160, 3, 10)])
def test_a_helmet_counts_on_the_head_and_each_bare_head_once(
    height: int, step: int, seed: int, play: Any
) -> None:
    """From left to right: with a helmet that is missed in a third of the frames; bare, with a wrong helmet in every tenth;
    one carries a helmet; one takes it off after 10 seconds; one whose head is above the frame.
    """
    rng = np.random.default_rng(seed)

    def things(t: int) -> list[Any]:
        made = []
        worn = (rng.random() > 0.33, rng.random() < 0.1, False, t < 100 and rng.random() > 0.2, False)
        for n, has in enumerate(worn):
            x, y = 70 + 120 * n + step * t % 20, 470 if n < 4 else height - 20
            made.append(found(x, y, 80, height - 20 * (n == 4), "person"))
            hat = y - height + height // 7
            if has:
                made.append(found(x + int(rng.normal(0, 2)), hat, 40, height // 7, "helmet"))
        return [*made, found(310 + step * t % 20 + 30, 470 - height // 3, 40, height // 7, "helmet")]

    lines, _ = play("helmets", things, 200)
    assert sorted(lines[:2]) == ["#2 has no helmet", "#3 has no helmet"] and lines[2:] == ["#4 has no helmet"]
    assert len(play("helmets", things, 90)[0]) == 2


# ---- what is missed for a moment ----


def between(a: Any, b: Any, part: float) -> list[float]:
    return [one + part * (other - one) for one, other in zip(a, b)]


def missed_people(frames: list[Any], longest: int) -> list[tuple[int, list[float]]]:
    """(frame, box) of everybody who is found before and after, but not in between: in up to `longest` frames.

    The box is where it has to be if the person goes on straight. Who is the same is decided by the IoU of two boxes.
    """
    missed = []
    for t, people_ in enumerate(frames):
        for d in people_:
            for gap in range(1, longest + 2):
                later = max(frames[min(t + gap, len(frames) - 1)], key=d.iou, default=None)
                if later is not None and d.iou(later) >= 0.3:
                    missed += [(t + k, between(d.rect, later.rect, k / gap)) for k in range(1, gap)]
                    break
    return missed


def test_a_person_whom_the_network_misses_stays_hidden(play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorded street, in which people are missed 120 times. Hidden is a head of which at least 80 % are.

    Without a Tracker, half of them are hidden, by the boxes of others.
    """
    frames = [[d for d in one if d.label == "person"] for one in recorded.street()]
    missed = missed_people([[d for d in one if d.score >= 0.2] for one in frames], 5)
    heads = [[x + w / 4, y, w / 2, h / 4] for _, (x, y, w, h) in missed]
    noise = np.random.default_rng(11).integers(0, 2, (480, 640), np.uint8)
    picture = image.Image(*SIZE, image.GRAYSCALE, buffer=bytearray((noise * 255).tobytes()))
    hidden: list[Any] = []
    hide = n6post.hide

    def seen(img: Any, detections: Any, **options: Any) -> Any:
        copy_ = picture.copy()
        hide(copy_, detections, **options)
        hidden.append(np.asarray(copy_.to_pil()) != noise * 255)
        return img

    def share() -> float:
        parts = []
        for (t, _), head in zip(missed, heads):
            x, y, w, h = [int(4 / 3 * one) for one in head]
            parts.append(hidden[t][max(y, 0) : y + h + 1, max(x, 0) : x + w + 1].mean() >= 0.8)
        return sum(parts) / len(parts)

    monkeypatch.setattr(n6post, "hide", seen)
    play("privacy", lambda t: frames[t], len(frames))
    tracked = share()
    hidden.clear()
    for one in frames:
        seen(None, [d for d in one if d.score >= 0.2])
    assert len(missed) > 100 and share() < 0.6 and tracked > 0.9


# ---- day and night ----


def test_it_becomes_night_once_and_day_once(play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dusk from frame 100 to 200 with noise, a car's lights for 5 seconds at 300, dawn from 500 to 600."""
    rng = np.random.default_rng(4)
    values: list[int] = []

    def light(t: int) -> int:
        level = np.interp(t, [100, 200, 500, 600], [150, 8, 8, 150])
        return 200 if 300 <= t < 350 else int(np.clip(level + rng.normal(0, 6), 0, 255))

    def paint(t: int, img: Any) -> None:
        img.draw_rectangle((0, 0, 640, 80), color=(light(t),) * 3, fill=True)

    class Pin:
        OUT = 1

        def __init__(self, *arguments: Any) -> None:
            pass

        def value(self, on: bool) -> None:
            values.append(int(on))

    monkeypatch.setattr(machine, "Pin", Pin)
    lines, _ = play("day_and_night", lambda t: [], 760, paint, SECONDS="10.0")
    assert lines == ["day", "night", "day"] and values == [0, 1, 0]


# ---- meters and meadows ----


def digits(text: str, x: int = 100, step: int = 60) -> list[Any]:
    return [found(x + step * n, 240 + n % 3, 20 if c == "1" else 36, 60, c) for n, c in enumerate(text) if c != " "]


@pytest.mark.parametrize("x, step", [(100, 60), (250, 48)])
def test_a_meter_is_read_once_its_number_stays(x: int, step: int, play: Any) -> None:
    """Its last wheel turns from frame 50 to 69; afterwards single frames have a digit less, a wrong one, one more.

    From 150 on, a digit is missed for good, and a number beside the row is found in its place.
    """

    def things(t: int) -> list[Any]:
        row = "012341" if t < 50 else "01234 " if t < 70 else "012342"
        if t < 150:
            row = {90: "0123 2", 100: "012842", 101: "012842"}.get(t, row)
            return digits(row, x, step)[::-1] + ([found(40, 400, 36, 60, "7")] if t % 20 == 19 else [])
        return digits("01 342", x, step) + ([found(610, 400, 36, 60, "7")] if t < 190 else digits("7", x + 6 * step))

    assert play("meter", things, 29)[0] == []
    assert play("meter", things, 240)[0] == ["01234.1", "01234.2"]


def test_each_plate_is_printed_once_its_frames_agree(play: Any) -> None:
    """Two cars pass at once; single frames read a character too few, a wrong one, or nothing. A third is read once."""

    def plate(x: int, y: int) -> Any:
        corners = np.array([(x, y, 1), (x + 90, y + 9, 1), (x + 90, y + 39, 1), (x, y + 30, 1)], np.float32)
        d = n6post.Detection((x, y, 90, 39), 0.9, 0, "plate", None, corners)
        return d.replace(frame_size=SIZE)

    def things(t: int) -> list[Any]:
        return [plate(20 + 8 * t, 100), plate(500 - 8 * t, 300)] if t < 40 else [plate(300, 200)] if t == 60 else []

    reads: list[str] = []
    for t in range(40):
        reads += {3: ["AB123", "XY9999"], 4: ["A81234", ""], 5: ["AB1234", "XY9989"]}.get(t, ["AB1234", "XY9999"])
    reads.append("NO0000")
    after = iter(reads)

    def read(inputs: Any) -> Any:
        text = next(after)
        return n6post.Reading(text, 0.9 if text else 0.0, [0.9] * len(text))

    reader = SimpleNamespace(predict=read, input_shape=((1, 24, 94, 3),))
    lines, _ = play("plate", things, 80, models={"/rom/lprnet.tflite": reader})
    assert sorted(line.split()[0] for line in lines) == ["AB1234", "XY9999"]
    assert [line for line in lines if not 0.7 <= float(line.split()[1]) <= 0.9] == []


def face_at(x: int, y: int, width: int, turned: bool = False) -> Any:
    """A face with five keypoints: it looks ahead, or to a side."""
    places = np.array([(0.3, 0.4), (0.7, 0.4), (0.8 if turned else 0.5, 0.6), (0.35, 0.8), (0.65, 0.8)])
    keypoints = np.column_stack([places * width + (x, y), np.ones(5)]).astype(np.float32)
    d = n6post.Detection((x, y, width, width), 0.9, 0, "face", None, keypoints)
    return d.replace(frame_size=SIZE)


class DoorPins:
    """The button, which `held` says of a frame, and the door, whose values are noted."""

    IN, OUT, PULL_UP = 0, 1, 1

    def __init__(self, held: Callable[[int], bool]) -> None:
        self.held, self.at, self.door = held, 0, [0]

    def __call__(self, name: str, *arguments: Any) -> Any:
        return SimpleNamespace(value=self.button if name == "P0" else self.door.append)

    def button(self) -> int:
        return int(not self.held(self.at))


def test_a_door_opens_for_enrolled_faces_and_stays_closed_for_others(
    play: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A is enrolled in frames 0 to 59, B from 70 to 149. B looks aside at first.

    Then come A, nobody, a stranger, and A from far away.
    """
    direction = np.random.default_rng(4).normal(0, 1, (3, 64))
    pins = DoorPins(lambda t: t < 60 or 70 <= t < 150)
    monkeypatch.setattr(machine, "Pin", pins)

    def who(t: int) -> int | None:
        times = {(0, 60): 0, (70, 150): 1, (150, 180): 0, (220, 260): 2, (270, 300): 0}
        return next((person for (first, end), person in times.items() if first <= t < end), None)

    def faces(t: int) -> list[Any]:
        pins.at = t
        return [] if who(t) is None else [face_at(200, 150, 40 if t >= 270 else 120, turned=70 <= t < 95)]

    def predict(inputs: Any) -> list[float]:
        return list(direction[who(pins.at)] + np.random.default_rng(pins.at).normal(0, 0.3, 64))

    models = {"/rom/mobilefacenet.tflite": SimpleNamespace(predict=predict, input_shape=((1, 112, 112, 3),))}
    folder = repr(str(tmp_path))
    lines, _ = play("face_door", faces, 300, models=models, FOLDER=folder)
    names = [line.split(",")[0] for line in lines]
    assert names[-30:] == ["person 1"] * 30 and set(names) == {"person 1", "person 2"}
    assert names.count("person 2") == 40, "from frame 110 on: the picture of frame 89 looks aside"
    door = pins.door[1:]
    assert door[154:180] == [1] * 26, "half a second after A came"
    assert door[200:] == [0] * 100, "two seconds after A left, for a stranger, and for a face that is too small"
    pins.held = lambda t: False
    play("face_door", lambda t: faces(150 + t % 20), 20, models=models, FOLDER=folder)
    assert pins.door[-10:] == [1] * 10, "enrolled faces survive a restart"


def test_a_door_whose_gallery_is_full_enrolls_nobody_else_and_goes_on(
    play: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    direction = np.random.default_rng(4).normal(0, 1, (64, 64))
    pins = DoorPins(lambda t: t % 50 < 41)
    monkeypatch.setattr(machine, "Pin", pins)

    def faces(t: int) -> list[Any]:
        pins.at = t
        return [face_at(200, 150, 120)]

    network = SimpleNamespace(predict=lambda inputs: list(direction[pins.at // 50]), input_shape=((1, 112, 112, 3),))
    lines, _ = play("face_door", faces, 50 * 35, models={"/rom/mobilefacenet.tflite": network}, FOLDER=repr(str(tmp_path)))
    assert {line.split(",")[0] for line in lines} == {f"person {n}" for n in range(1, 33)}


def test_things_are_learned_by_a_button_and_survive_a_restart(
    play: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Three things of five pictures each, two seconds apart; then each is shown again, in another order."""
    direction = np.random.default_rng(2).normal(0, 1, (3, 32))
    frame = [0]

    def thing(t: int) -> int:
        return t // 60 if t < 180 else (2, 0, 1)[t % 180 // 20 % 3]

    def features(t: int) -> Any:
        frame[0] = t
        return list(direction[thing(t)] + np.random.default_rng(t).normal(0, 0.2, 32))

    class Button:
        IN, PULL_UP = 0, 1

        def __init__(self, *arguments: Any) -> None:
            pass

        def value(self) -> int:
            t = frame[0]
            return int(not (t < 180 and t % 60 < 30 and t % 6 < 3))

    monkeypatch.setattr(machine, "Pin", Button)
    folder = repr(str(tmp_path))
    lines, _ = play("things", features, 240, FOLDER=folder)
    assert [line for line in lines if line.startswith("a picture")] == [
        f"a picture of thing {k}" for k in (1, 2, 3) for _ in range(5)
    ]
    assert lines[-2:] == ["thing 1", "thing 2"]  # it says what it sees when that changes
    lines, _ = play("things", lambda t: features(t + 180), 60, FOLDER=folder)
    assert lines == ["thing 3", "thing 1", "thing 2"]


def meadow(patches: list[tuple[int, int, int, int]]) -> Any:
    """A class map of 160 x 120 with patches (x, y, w, h) of class 1."""
    classes = np.zeros((120, 160), np.uint8)
    for x, y, w, h in patches:
        classes[y : y + h, x : x + w] = 1
    network = FakeModel([Tensor(classes[None])], (160, 120))
    return network.run(n6post.DeepLab(layout="NHWC", background=0), n6post.Stretch(image.Image(*SIZE, image.RGB565)))


def square_meters(patch: tuple[int, int, int, int], image_points: Any, world_points: Any) -> float:
    """By the four corners on the ground: a plane maps a rectangle to a quadrilateral."""
    rows, right = [], []
    for (u, v), (x, y) in zip(image_points, world_points):
        rows += [[u, v, 1, 0, 0, 0, -x * u, -x * v], [0, 0, 0, u, v, 1, -y * u, -y * v]]
        right += [x, y]
    matrix = np.append(np.linalg.solve(np.array(rows, float), np.array(right, float)), 1).reshape(3, 3)
    x, y, w, h = [4 * one for one in patch]
    corners = np.array([(x, y, 1), (x + w, y, 1), (x + w, y + h, 1), (x, y + h, 1)]) @ matrix.T
    a = corners[:, :2] / corners[:, 2:]
    b = np.roll(a, -1, axis=0)
    return float(abs((a[:, 0] * b[:, 1] - b[:, 0] * a[:, 1]).sum()) / 2)


@pytest.mark.parametrize("patches", [[(40, 60, 20, 20)], [(10, 90, 30, 25), (110, 50, 16, 10)], []])
def test_weeds_have_their_area_on_the_ground(patches: list[tuple[int, int, int, int]], play: Any) -> None:
    """A single pixel near the lower edge is too small to count."""
    points = [eval(re.search(rf"^{name} = (\[.*?\])", source("weeds"), re.MULTILINE)[1])  # type: ignore[index]
              for name in ("IMAGE_POINTS", "WORLD_POINTS")]  # fmt: skip
    lines, last = play("weeds", lambda t: meadow([*patches, (80, 118, 1, 1)]), 1)
    areas = [float(line.split()[0]) for line in lines]
    expected = [square_meters(patch, *points) for patch in patches]
    assert sorted(areas[:-1]) == pytest.approx(sorted(expected), abs=0.0015)
    assert areas[-1] == pytest.approx(sum(expected), abs=0.0015) and last.max() > 0


# ---- a robot, visitors ----


@pytest.mark.parametrize("x, height, other", [(150, 150, 300), (520, 250, 340)])
def test_a_robot_follows_one_person_and_stops_when_they_are_lost(
    x: int, height: int, other: int, play: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody nearer comes at frame 10. The one who is followed is missed at 15 and gone at 20."""
    pulses: list[Any] = []

    class Pwm:
        def __init__(self, pin: str, *, freq: int, duty_ns: int) -> None:
            pulses.append((pin, duty_ns))

        def duty_ns(self, value: int) -> None:
            pulses.append(value)

    monkeypatch.setattr(machine, "PWM", Pwm)

    def things(t: int) -> list[Any]:
        first = [found(x, 400, 60, height)] if t < 20 and t != 15 else []
        return first + ([found(640 - x, 470, 60, other)] if 10 <= t < 60 else [])

    lines, _ = play("follow_person", things, 100)
    assert pulses[:2] == [("P7", 1500000), ("P8", 1500000)]
    numbers = [int(line.split(":")[0][11:]) if line != "stop" else 0 for line in lines]
    assert numbers[0] == 0 and set(numbers[1:20]) == {1}, "from its second frame on"
    lost = numbers.index(0, 20)
    assert lost - 20 <= 3 and numbers[lost] == 0
    again = numbers.index(2)
    assert set(numbers[lost:again]) == {0} and 43 <= again <= 47 and set(numbers[-35:]) == {0}, "the track ends after 2.5 s"
    left, right = [int(pulse) for pulse in lines[5].split(": ")[1].split(", ")]
    assert (left - 1500) - (1500 - right) != 0 and ((left - 1500) > (1500 - right)) == (x > 320), "turns to the person"
    assert (left - 1500) + (1500 - right) > 0, "and drives forward"
    assert pulses[-2:] == [1500000, 1500000]


@pytest.mark.parametrize("color, label", [((200, 40, 40), "bird"), ((40, 40, 200), "person")])
def test_each_visitor_is_saved_once_and_the_oldest_are_replaced(
    color: tuple[int, int, int], label: str, play: Any, tmp_path: Path
) -> None:
    """A visitor comes near, is cut off by the border, and goes; then somebody runs by in half a second."""

    def box(t: int) -> tuple[int, int, int, int] | None:
        t %= 60
        return (320, 300, 40 + 8 * t, 30 + 6 * t) if t < 20 else (600, 300, 190, 150) if t < 25 else None

    def things(t: int) -> list[Any]:
        passing = [found(50 + 60 * (t - 40), 450, label="cat")] if 40 <= t < 44 else []
        place = box(t)
        return passing + ([found(*place, label)] if place else [])  # type: ignore[arg-type]

    def paint(t: int, img: Any) -> None:
        for d in things(t):
            img.draw_rectangle(d.rect, color=color, fill=True)

    folder = tmp_path / "visitors"
    constants = {"FOLDER": repr(str(folder)), "PICTURES": "2"}
    lines, _ = play("visitors", things, 110, paint, **constants)
    assert lines == [f"{folder}/0000{n}.jpg: visitor {n}, {label}, 2 seconds" for n in (1, 2)]
    first = (folder / "00001.jpg").read_bytes()
    with PilImage.open(folder / "00001.jpg") as saved:
        assert saved.width >= 150, "large"
        middle = saved.convert("RGB").resize((3, 3)).getpixel((1, 1))
        assert np.abs(np.subtract(middle, color)).max() < 30  # type: ignore[arg-type]
    (folder / "00001.jpg").write_bytes(b"old")
    lines, _ = play("visitors", things, 60, paint, **constants)
    assert lines == [f"{folder}/00001.jpg: visitor 3, {label}, 2 seconds"]
    assert (folder / "00001.jpg").read_bytes()[:3] == first[:3] == b"\xff\xd8\xff"
    assert len(list(folder.glob("*.jpg"))) == 2


# ---- as a user starts them: with the sample network ----


def run(folder: Path, example: str, firmware: str, *options: object, **instead: str) -> str:
    """What an example prints on a PC; its last frame is folder/EXAMPLE.png."""
    (folder / f"{example}.py").write_text(source(example, **instead), encoding="utf-8")
    arguments = ("--firmware", firmware, "--out", folder / f"{example}.png", *options)
    done = script("run_on_host.py", folder / f"{example}.py", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "not on a camera" not in done.stderr, done.stderr
    return done.stdout


def firmware_of(version: tuple[int, int, int]) -> str:
    return ".".join(map(str, version))


EVERYWHERE = "[(0, 0), (640, 0), (640, 480), (0, 480)]"
# example: the constants to change, a line that it prints for one and the same picture of shapes, 15 times
SHAPES = {
    "parking": ({"CLASSES": "None"}, r"looking at the spaces"),
    "speed": ({"LIMIT": "-1"}, r"#\d \w+: 0 km/h"),
    "queue_time": ({"ZONE": EVERYWHERE, "SECONDS": "0.5"}, r"#\d joined: \d waiting"),
    "count_people": ({"FOLDER": '"/sdcard/door"'}, ""),
    "visitors": ({}, ""),
    "follow_person": ({}, r"following #\d: \d+, \d+"),
    "helmets": ({"PERSON": '"circle"', "HELMET": '"star"'}, ""),
    "meter": ({}, ""),
    "collect": ({"SECONDS": "0"}, r"/sdcard/collected/00001_new_\d+.jpg, 1 pictures"),
    "day_and_night": ({"SECONDS": "0.5"}, r"day\n(.*\n)*#\d|#\d \w+\n(.*\n)*day"),
    "heat_map": ({}, r"\d people, most of the time at \(\d+, \d+, 20, 20\)"),
    "small_objects": ({}, r"[1-9]\d* found, [\d.]+ fps"),
    "time_lapse": ({"SECONDS": "1"}, r"/sdcard/00001.jpg: \w+"),
    "cut_outs": ({}, r"/sdcard/00001-\w+.jpg: #\d"),
    "sort_by_color": ({}, ""),
    "privacy": ({"CLASSES": "None"}, r"[1-9] hidden"),
    "zone_alarm": ({"SECONDS": "0.5", "ZONE": EVERYWHERE}, r"has been here for 0\.[5-9] sec"),
    "uart_robot": ({}, r"UART\(3\): b'n6\\x01\x05?"),
    "home_assistant": ({}, r"mqtt n6post/camera_1/people: b'[1-9]'"),
    "clip": ({}, ""),
}  # fmt: skip


@pytest.mark.parametrize("example", SHAPES)
def test_it_runs_with_the_sample_network(example: str, as_firmware: tuple[int, int, int], tmp_path: Path) -> None:
    pytest.importorskip("ai_edge_litert")
    instead, line = SHAPES[example]
    picture = sorted((SAMPLE / "pictures").iterdir())[0]
    (tmp_path / "sd").mkdir()
    options = ("--picture", picture, "--model", SAMPLE / "shapes.tflite", "--frames", 15, "--fps", 10, "--clock", "video")
    lines = run(tmp_path, example, firmware_of(as_firmware), *options, "--sdcard", tmp_path / "sd", **instead)
    assert re.search(line, lines), lines
    with PilImage.open(tmp_path / f"{example}.png") as drawn:
        assert drawn.size == SIZE
    saved = sorted((tmp_path / "sd").iterdir())
    if example == "time_lapse":  # once for what is new, and once a second later
        assert [one.name for one in saved] == ["00001.jpg", "00002.jpg"]
        assert PilImage.open(saved[0]).size == SIZE
        assert lines.splitlines()[-1] == "/sdcard/00002.jpg: nothing new"
    elif example == "cut_outs":
        assert len(saved) == len(lines.splitlines()) >= 1
        for one in saved:
            with PilImage.open(one) as cut:
                assert cut.width == cut.height < 480
    else:
        expected = {"clip": ["00001.mjpeg"], "collect": ["collected"]}
        assert [one.name for one in saved] == expected.get(example, [])


def test_a_browser_sees_what_the_camera_streams(as_firmware: tuple[int, int, int], tmp_path: Path) -> None:
    pytest.importorskip("ai_edge_litert")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text = source("streaming")
    assert text.count("8080") == 2
    (tmp_path / "streaming.py").write_text(text.replace("8080", str(port)), encoding="utf-8")
    options = ("--firmware", firmware_of(as_firmware), "--frames", 100000, "--out", tmp_path / "out.png")
    with running("run_on_host.py", tmp_path / "streaming.py", *options) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        assert next(line for line in lines if line.startswith("http")) == f"http://127.0.0.1:{port}\n"
        browser = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        browser.request("GET", "/")
        answer = browser.getresponse()
        assert answer.status == 200 and "multipart/x-mixed-replace" in str(answer.getheader("Content-Type"))
        data = b""
        while data.count(b"\xff\xd9\r\n--frame") < 2:
            more = answer.read1(65536)
            assert more
            data += more
        browser.close()
    first = data[data.index(b"\xff\xd8") : data.index(b"\xff\xd9") + 2]
    (tmp_path / "first.jpg").write_bytes(first)
    with PilImage.open(tmp_path / "first.jpg") as frame:
        assert frame.size == SIZE
        frame.load()


# ---- through a street ----


def street(folder: Path, example: str, firmware: str, shared: Path, model: str, frames: int, **instead: str) -> str:
    pytest.importorskip("ai_edge_litert")
    pytest.importorskip("av")
    (folder / "sd").mkdir()
    file = folder / model
    file.symlink_to(shared / "models" / model)
    if model == PEOPLE:  # of one class; the other has the classes of COCO
        file.with_suffix(".txt").write_text("person\n", encoding="utf-8")
    options = ("--picture", shared / "video" / "street.avi", "--model", file, "--frames", frames, "--sdcard", folder / "sd")
    return run(folder, example, firmware, *options, **instead)


PEOPLE = "yolov8n_192.tflite"
MASKS = "yolov8n_320_quant_pc_ii_seg_coco-st.tflite"


def test_a_parked_van_takes_its_space(as_firmware: tuple[int, int, int], shared: Path, tmp_path: Path) -> None:
    spaces = "[[(540, 50), (605, 50), (605, 88), (540, 88)], [(330, 120), (400, 110), (440, 130), (380, 145)]]"
    lines = street(tmp_path, "parking", firmware_of(as_firmware), shared, MASKS, 80, SPACES=spaces).splitlines()
    assert lines == ["looking at the spaces"] * 30 + ["1 of 2 spaces are free"] * 50


def test_tiles_find_people_who_are_too_small_for_the_network(
    as_firmware: tuple[int, int, int], shared: Path, tmp_path: Path
) -> None:
    lines = street(tmp_path, "small_objects", firmware_of(as_firmware), shared, PEOPLE, 10)
    tiled = [int(line.split()[0]) for line in lines.splitlines()]
    whole = re.findall(r"^(\d+) found", run(
        tmp_path, "yolo_lc", firmware_of(as_firmware), "--picture", shared / "video" / "street.avi",
        "--model", tmp_path / PEOPLE, "--frames", 10,
    ), re.MULTILINE)  # fmt: skip
    assert len(tiled) == len(whole) == 10 and sum(tiled) > 1.3 * sum(map(int, whole))


def test_everybody_who_comes_into_the_street_is_cut_out_once(
    as_firmware: tuple[int, int, int], shared: Path, tmp_path: Path
) -> None:
    lines = street(tmp_path, "cut_outs", firmware_of(as_firmware), shared, MASKS, 60).splitlines()
    names = [line.split(": ")[0].removeprefix("/sdcard/") for line in lines]
    assert names == sorted(one.name for one in (tmp_path / "sd").iterdir())
    assert {name[6:-4] for name in names} >= {"person", "car", "truck"} and 5 <= len(names) <= 15


def test_walkers_have_the_speed_of_walkers(as_firmware: tuple[int, int, int], shared: Path, tmp_path: Path) -> None:
    """The four points are guesses: a strip of the road of 20 m by 10 m."""
    instead = {"IMAGE_POINTS": "[(273, 204), (493, 273), (414, 342), (32, 255)]", "LIMIT": "1",
               "WORLD_POINTS": "[(0, 10), (12, 10), (12, 0), (0, 0)]"}  # fmt: skip
    lines = street(tmp_path, "speed", firmware_of(as_firmware), shared, PEOPLE, 80, **instead).splitlines()
    speeds = sorted(int(line.split()[2]) for line in lines)
    assert len(speeds) > 100 and 3 <= speeds[len(speeds) // 2] <= 15


# ---- what they look like ----


@pytest.mark.parametrize(
    "example", [*SHAPES, "streaming", "follow_road", "fall_alarm", "sleep_between_looks", "squats", "drowsiness", "weeds"]
)
def test_an_application_fits_on_a_screen(example: str) -> None:
    lines = source(example).splitlines()
    assert len(lines) <= 40 and lines[0].startswith('"""') and '"""' in lines[2:6]
