"""What is in front of the camera when the examples run for their pictures on the site. site_pictures.py runs them.

Where the sample network shows what an example does, it runs for real. Other examples get results of real networks that were
recorded: on photographs of scikit-image, and in a street whose video is not part of the project. A few scenes are drawn, and
what a network would find in them is made up. The note of each scene says which it is.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "host_tests")]  # the latter has recordings, too

from n6post_pc import paths  # noqa: E402

paths.use_stand_ins()

import n6post  # noqa: E402
import numpy as np  # noqa: E402
from n6post.results.mask import Mask, MaskTransform  # noqa: E402
from n6post_pc.demo import command as demo  # noqa: E402
from n6post_pc.demo import gallery, recorded, street_gif
from n6post_pc.demo.recorded import FakeModel, Tensor  # noqa: E402
from PIL import Image, ImageDraw, ImageOps  # noqa: E402

VGA = (640, 480)
FPS = 10  # frames a second of every scene

Loader = Callable[..., Any]


class Scene(NamedTuple):
    """What is in front of the camera of an example, and what its networks find.

    note     what the picture shows and where the results come from, as a sentence of the page
    alt      what can be seen, for those who cannot see it
    frames   the number of frames; the last one is the picture
    sees     the camera's pictures
    loads    what `n6post.load` returns instead of a model, or None: the sample network runs
    changes  {line of the example: what it is here}
    crop     the part of the last frame that is shown
    """

    note: str
    alt: str
    frames: int
    sees: Callable[[], list[Image.Image]]
    loads: Loader | None = None
    changes: dict[str, str] = {}  # noqa: RUF012
    crop: tuple[int, int, int, int] | None = None


# ---- recorded results ----


class Replay(FakeModel):
    """A model that returns recorded outputs for every frame, with the post-processor and the options of the example."""

    def __init__(self, tensors: list[Tensor], size: tuple[int, int], options: dict[str, Any], **known: Any) -> None:
        super().__init__(tensors, size, known.get("labels"))
        self._processor = n6post.processor_for(self, **{**known, **options})

    def predict(self, inputs: list[Any]) -> Any:
        return self._processor(self, inputs, self.outputs())


def of_recording(model: str, picture: str) -> Loader:
    """A model of data/recorded."""

    def load(path: str, **options: Any) -> Any:
        one = recorded.load(model, picture)
        fake = one.model()
        labels = {"labels": one.labels} if one.labels and model != "movenet_17_192" else {}
        return Replay(fake.tensors, one.size, options, **labels)

    return load


def of_gallery(name: str) -> Loader:
    """A model of data/gallery.npz.xz."""

    def load(path: str, **options: Any) -> Any:
        network = gallery.Network(name)
        labels = {"labels": network.labels} if network.labels else {}
        return Replay(network.tensors, network.size, options, **labels)

    return load


def turned(picture: str) -> Loader:
    """MoveNet's outputs for a photograph, turned as the picture is."""

    def load(path: str, **options: Any) -> Any:
        one = recorded.load("movenet_17_192", picture).model()
        (heatmaps,) = one.tensors
        values = np.ascontiguousarray(np.rot90(heatmaps.values, axes=(1, 2)))
        return Replay([heatmaps._replace(values=values)], one.size, options)

    return load


def of_tests(name: str) -> Loader:
    """A model of host_tests/data/maps_and_vectors.npz.xz."""

    def load(path: str, **options: Any) -> Any:
        import recorded_maps_and_vectors

        one = recorded_maps_and_vectors.model(name)
        return Replay(one.tensors, one.size, options, labels=["no person", "person"])

    return load


def of_ssd(path: str, **options: Any) -> Any:
    """ST's SSD MobileNet, of host_tests/data/ssd.npz.xz."""
    import recorded_ssd

    one = recorded_ssd.model_of("st")
    return Replay(one.tensors, one.size, options, labels=["background", "person"])


def faces_and_meshes(path: str, **options: Any) -> Any:
    return of_gallery("face_landmarks_192" if "landmarks" in path else "blazeface_front_128")(path, **options)


def hands(path: str, **options: Any) -> Any:
    """The palm that OpenMV's detector has found, and the outputs of its network for hands in the crop around it."""
    import recorded_landmarks
    from ulab import _host

    rect, keypoints = recorded_landmarks.detection("hand", "rom")
    tensors = recorded_landmarks.frames("hand", "rom")[0].tensors
    processor = n6post.HandLandmarks()

    class Palms:
        def predict(self, inputs: list[Any]) -> Any:
            return [n6post.Detection(rect, 0.9, 0, "palm", None, _host.wrap(np.ascontiguousarray(keypoints, np.float32)))]

    class Hands:
        input_shape = ((1, 224, 224, 3),)

        def predict(self, inputs: list[Any]) -> Any:
            return recorded_landmarks.model("hand", tensors).run(processor, inputs[0])

    return Hands() if "landmarks" in path else Palms()


STREET_FIRST = 200  # the recorded frame with which the street begins


def of_street(first: int, masks: bool) -> Loader:
    """YOLOv8n-seg in a street: the people of its recorded detections, frame by frame, in a frame of VGA."""

    def load(path: str, **options: Any) -> Any:
        return Street(first, options.get("threshold", 0.4), masks)

    return load


class Street:
    """The recorded detections of the street, from a frame on."""

    def __init__(self, first: int, threshold: float, masks: bool) -> None:
        self.at, self.threshold, self.masks = first, threshold, masks

    def predict(self, inputs: list[Any]) -> Any:
        found = [d for d in street()[self.at] if d.label == "person" and d.score >= self.threshold]
        self.at += 1
        return [enlarged(d, self.masks) for d in found]


street = functools.cache(recorded.street)


def enlarged(d: Any, masks: bool) -> Any:
    """A detection of the recorded frame, 480 x 360, in a frame of 640 x 480."""
    scale = VGA[0] / recorded.STREET_SIZE[0]
    rect = tuple(round(v * scale) for v in d.rect)
    data, window, crop, _, t = d.mask._parts()
    transform = MaskTransform(t.sx * scale, t.ox * scale, t.sy * scale, t.oy * scale, (0, 0, *VGA), frame_size=VGA)
    mask = Mask(data, window, crop, rect, transform) if masks else None
    return n6post.Detection(rect, d.score, d.class_id, d.label, mask, None).replace(frame_size=VGA)


class Returning:
    """Two people of a photograph come and go: OSNet's recorded vectors, at places that are made up."""

    # person: (first frame, last frame, first place, step to the right)
    WALKS = ((0, 0, 26, 60, 16), (1, 6, 52, 560, -12), (0, 38, 64, 560, -12))

    def __init__(self) -> None:
        self.at = -1
        self.processor = n6post.Embedding()
        self.asked = [0, 0]

    def load(self, path: str, **options: Any) -> Any:
        return self

    def predict(self, inputs: list[Any]) -> Any:
        self.at += 1
        found = []
        for _, first, last, x, step in self.WALKS:
            if first <= self.at <= last:
                rect = (x + step * (self.at - first), 150, 90, 260)
                found.append(n6post.Detection(rect, 0.9, 0, "person", None, None).replace(frame_size=VGA))
        return found

    def embed(self, path: str, **options: Any) -> Any:
        import recorded_maps_and_vectors

        tensors, numbers = recorded_maps_and_vectors.persons()

        def predict(inputs: list[Any]) -> Any:
            x = inputs[0].roi[0]
            near = [p for p, first, last, start, step in self.WALKS
                    if first <= self.at <= last and abs(start + step * (self.at - first) - x) < 40]  # fmt: skip
            person = near[0] if near else 0
            choice = [t for t, number in zip(tensors, numbers) if number == person]
            self.asked[person] += 1
            one = FakeModel([choice[self.asked[person] % len(choice)]], (128, 256))
            return one.run(self.processor, inputs[0])

        return SimpleNamespace(predict=predict)


# ---- pictures ----


def photograph(name: str) -> Callable[[], list[Image.Image]]:
    """A photograph of scikit-image, as it is."""

    def open_it() -> list[Image.Image]:
        with Image.open(demo._photographs() / f"{name}.png") as opened:
            return [opened.convert("RGB")]

    return open_it


def of_pictures(name: str) -> Callable[[], list[Image.Image]]:
    return lambda: [gallery.picture(gallery.NETWORKS[name][1]).to_pil().convert("RGB")]


def floor() -> list[Image.Image]:
    return [street_gif.floor().to_pil().convert("RGB")]


def dark(width: int = 480, height: int = 480) -> list[Image.Image]:
    return [Image.new("RGB", (width, height), (30, 34, 44))]


def lying() -> list[Image.Image]:
    return [one.rotate(90) for one in photograph("camera")()]


def many() -> list[Image.Image]:
    """All pictures of the sample network, small, in one frame."""
    frame = Image.new("RGB", VGA)
    files = sorted(paths.SAMPLE_PICTURES.iterdir())
    for i in range(12):
        with Image.open(files[i % len(files)]) as opened:
            tile = opened.convert("RGB").resize((160, 160), Image.Resampling.LANCZOS)
        frame.paste(ImageOps.mirror(tile) if i >= len(files) else tile, (160 * (i % 4), 160 * (i // 4)))
    return [frame]


SCALE = 3  # drawn larger, then reduced: smooth edges


def drawn(size: tuple[int, int], background: tuple[int, int, int]) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    picture = Image.new("RGB", (size[0] * SCALE, size[1] * SCALE), background)
    return picture, ImageDraw.Draw(picture)


def reduced(picture: Image.Image) -> Image.Image:
    return picture.resize((picture.width // SCALE, picture.height // SCALE), Image.Resampling.LANCZOS)


def balls() -> list[Image.Image]:
    """Red and green balls that roll to the right."""
    frames = []
    for t in range(14):
        picture, draw = drawn((320, 240), (196, 190, 178))
        for y, x, radius, color in ((70, 40, 30, (176, 36, 34)), (165, 96, 36, (52, 128, 48)), (95, 200, 24, (60, 140, 56))):
            x = x + 5 * t
            for shift, fill in ((7, (166, 160, 148)), (0, color)):  # the shadow, the ball
                left, top = SCALE * (x - radius + shift), SCALE * (y - radius + shift)
                draw.ellipse([left, top, left + 2 * SCALE * radius, top + 2 * SCALE * radius], fill)
        frames.append(reduced(picture))
    return frames


def belt() -> list[Image.Image]:
    """A red circle, a green triangle and a purple square on a belt that moves to the right."""
    frames = []
    for t in range(34):
        picture, draw = drawn(VGA, (92, 96, 102))
        draw.rectangle([0, 90 * SCALE, 640 * SCALE, 390 * SCALE], (150, 152, 150))
        for i, color in enumerate(((165, 45, 40), (120, 150, 60), (80, 45, 115))):
            x, y, r = 14 * t + 330 - 230 * i, 240, 76
            if i == 0:
                draw.ellipse([SCALE * v for v in (x - r, y - r, x + r, y + r)], color)
            elif i == 1:
                draw.polygon([(SCALE * (x + dx), SCALE * (y + dy)) for dx, dy in ((0, -r), (r, r - 8), (-r, r - 8))], color)
            else:
                draw.rectangle([SCALE * v for v in (x - 68, y - 68, x + 68, y + 68)], color)
        frames.append(reduced(picture))
    return frames


def road_middle(y: Any) -> Any:
    """The middle of the drawn road in a row of a frame of VGA."""
    return 300 + 0.0016 * (480 - y) ** 2


def road() -> list[Image.Image]:
    y, x = np.mgrid[0:480, 0:640]
    half = np.maximum((y - 130) * 0.42, 0)
    away = np.abs(x - road_middle(y))
    picture = np.where((y < 150)[..., None], (150, 178, 205), (86, 112, 66)).astype(np.uint8)
    picture[(away < half) & (y >= 150)] = 96, 96, 100
    picture[(away < half * 0.03) & (y >= 150) & ((900 / np.maximum(y - 120, 1)).astype(int) % 2 == 0)] = 225, 225, 215
    return [Image.fromarray(picture)]


def of_road(path: str, **options: Any) -> Any:
    """A class map of the drawn road."""
    y, x = np.mgrid[0:120, 0:160] * 4 + 2
    classes = ((np.abs(x - road_middle(y)) < (y - 130) * 0.42) & (y >= 150)).astype(np.uint8)

    class Road(FakeModel):
        def predict(self, inputs: list[Any]) -> Any:
            return process(self, inputs, self.outputs())

    process = n6post.DeepLab(layout="NHWC", background=0, labels=["ground", "road"])
    return Road([Tensor(classes[None])], (160, 120))


ROAD = n6post.Plane([(170, 160), (470, 160), (639, 479), (0, 479)], [(0, 20), (6, 20), (6, 0), (0, 0)])  # as in speed.py
DRIVE = 17  # frames
CARS = ((1.5, 24, 1.0, (214, 214, 220)), (4.4, 46, 0.0, (60, 92, 160)))  # meters across, km/h, start in meters, color


def cars_on_the_road(t: int) -> list[Any]:
    """The boxes of the cars in frame t."""
    found = []
    for across, speed, start, _ in CARS:
        at = start + speed / 3.6 * t / FPS
        (left, bottom), (right, _) = [ROAD.to_image(across + side, at) for side in (-0.9, 0.9)]
        width = right - left
        rect = round(left), round(bottom - 0.8 * width), round(width), round(0.8 * width)
        found.append(n6post.Detection(rect, 0.9, 2, "car", None, None).replace(frame_size=VGA))
    return found


def car(draw: ImageDraw.ImageDraw, rect: tuple[int, ...], color: tuple[int, int, int]) -> None:
    """A car from behind."""
    x, y, w, h = (SCALE * v for v in rect)
    dark, low = tuple(v * 2 // 3 for v in color), y + h * 0.45
    for wheel in (x + w * 0.08, x + w * 0.74):
        draw.rectangle([wheel, y + h * 0.7, wheel + w * 0.18, y + h], (24, 24, 26))
    draw.polygon([(x + w * 0.2, y), (x + w * 0.8, y), (x + w * 0.94, low), (x + w * 0.06, low)], dark)
    top = y + h * 0.06
    draw.polygon([(x + w * 0.24, top), (x + w * 0.76, top), (x + w * 0.84, low), (x + w * 0.16, low)], (40, 50, 62))
    draw.rounded_rectangle([x, low, x + w, y + h * 0.88], h * 0.08, color)
    for light in (x + w * 0.03, x + w * 0.83):
        draw.rectangle([light, y + h * 0.53, light + w * 0.14, y + h * 0.62], (190, 30, 30))


def driving() -> list[Image.Image]:
    frames = []
    for t in range(DRIVE):
        picture, draw = drawn(VGA, (92, 116, 72))
        draw.rectangle([0, 0, 640 * SCALE, 92 * SCALE], (156, 182, 206))
        corners = [ROAD.to_image(x, y) for x, y in ((-0.3, 32), (6.3, 32), (6.3, -1), (-0.3, -1))]
        draw.polygon([(SCALE * x, SCALE * y) for x, y in corners], (98, 98, 102))
        for meters in range(0, 32, 4):
            far = meters + 2
            strip = [ROAD.to_image(x, y) for x, y in ((2.93, meters), (3.07, meters), (3.07, far), (2.93, far))]
            draw.polygon([(SCALE * x, SCALE * y) for x, y in strip], (226, 226, 218))
        for d, (*_, color) in reversed(list(zip(cars_on_the_road(t), CARS))):
            car(draw, d.rect, color)
        frames.append(reduced(picture))
    return frames


LOT = (((60, 300), (200, 300), (170, 420), (10, 420)), ((200, 300), (340, 300), (330, 420), (170, 420)),
       ((340, 300), (480, 300), (490, 420), (330, 420)))  # as in parking.py  # fmt: skip
PARKED = ((40, 290, 118, 100, (196, 196, 202)), (356, 290, 122, 104, (150, 44, 40)))


def parked(t: int) -> list[Any]:
    return [n6post.Detection(tuple(rect), 0.9, 2, "car", None, None).replace(frame_size=VGA) for *rect, _ in PARKED]


def parking_lot() -> list[Image.Image]:
    picture, draw = drawn(VGA, (110, 112, 116))
    draw.rectangle([0, 0, 640 * SCALE, 210 * SCALE], (92, 116, 72))
    draw.rectangle([0, 0, 640 * SCALE, 150 * SCALE], (156, 182, 206))
    draw.rectangle([0, 210 * SCALE, 640 * SCALE, 226 * SCALE], (150, 150, 150))
    for corners in LOT:
        draw.line([(SCALE * x, SCALE * y) for x, y in (*corners, corners[0])], (226, 226, 218), 4 * SCALE)
    for *rect, color in PARKED:
        car(draw, tuple(rect), color)
    return [reduced(picture)]


class Made:
    """A model whose detections in frame t are made up."""

    def __init__(self, things: Callable[[int], list[Any]]) -> None:
        self.things, self.at = things, -1

    def load(self, path: str, **options: Any) -> Any:
        return self

    def predict(self, inputs: list[Any]) -> Any:
        self.at += 1
        return self.things(self.at)


# ---- the scenes ----

_ASTRONAUT = "A recording of {} on a photograph (astronaut, NASA)."
_STREET = (
    "A recording of ST's YOLOv8n-seg in a street, frame by frame. The video is not part of the project: only the detections "
    "are drawn."
)
COFFEE = {"cam.framesize(csi.VGA)": "cam.framesize((600, 400))"}
FACE = (110, 10, 240, 180)


def square(side: int) -> dict[str, str]:
    """The frame has the size of the photograph, so that the recorded outputs fit."""
    return {"cam.framesize(csi.VGA)": f"cam.framesize(({side}, {side}))"}


def by_astronaut(network: str, alt: str, loads: Loader, **more: Any) -> Scene:
    frames = more.pop("frames", 1)
    return Scene(_ASTRONAUT.format(network), alt, frames, photograph("astronaut"), loads,
                 {**square(512), **more.pop("changes", {})}, **more)  # fmt: skip


def by_cameraman(network: str, alt: str, loads: Loader) -> Scene:
    note = f"A recording of {network} on a photograph (camera, L. Varshney)."
    return Scene(note, alt, 1, photograph("camera"), loads, square(512))


def in_street(
    alt: str, frames: int = 40, first: int = STREET_FIRST, masks: bool = True, whole: bool = False
) -> Scene:
    crop = None if whole else (0, 40, 640, 320)
    return Scene(_STREET, alt, frames, floor, of_street(first, masks), {}, crop)


def scenes() -> dict[str, Scene]:
    """The scene of each example."""
    seg = of_recording("yolov8n_seg_320", "astronaut")
    face = {"alt": "The face of an astronaut with the contours of its mesh", "loads": faces_and_meshes, "crop": FACE}
    return {
        # Families of networks, recorded on photographs.
        "yolov8": by_cameraman(
            "OpenMV's yolov8n_192", "A photographer in a box with his score", of_recording("yolov8n_192", "camera")
        ),
        "yolov8_seg": Scene(
            "A recording of ST's YOLOv8n-seg on a photograph (coffee, R. Michetti).",
            "A cup on a saucer, with its mask, its box and its label",
            1, photograph("coffee"), of_recording("yolov8n_seg_320", "coffee"), COFFEE,
        ),
        "yolov8_pose": by_cameraman(
            "ST's YOLOv8n-pose", "A photographer with keypoints and limbs", of_recording("yolov8n_pose_256", "camera")
        ),
        "movenet": by_cameraman(
            "OpenMV's MoveNet", "A photographer with the keypoints of MoveNet", of_recording("movenet_17_192", "camera")
        ),
        "deeplab": by_astronaut(
            "ST's DeepLab v3", "An astronaut, tinted with the color of the class", of_recording("deeplab_320", "astronaut")
        ),
        "yolo_lc": by_astronaut("OpenMV's yolo_lc_192", "An astronaut in a box of YOLO-LC", of_gallery("yolo_lc_192")),
        "faces": by_astronaut(
            "OpenMV's BlazeFace", "The face of an astronaut in a box with six keypoints", of_gallery("blazeface_front_128"),
            crop=(90, 0, 300, 225),
        ),
        "yunet": by_astronaut(
            "OpenCV's YuNet", "The face of an astronaut in a box with five keypoints", of_gallery("yunet_320"), frames=3,
            crop=(90, 0, 300, 225),
        ),
        "face_mesh": by_astronaut("OpenMV's BlazeFace and face mesh", **face),
        "two_models": by_astronaut(
            "OpenMV's BlazeFace and face mesh, instead of YOLOv8 and MoveNet,",
            **face,
            changes={
                'MODEL = "/rom/yolov8n_192.tflite"': 'MODEL = "/rom/blazeface_front_128.tflite"',
                'POSES = "/rom/movenet_singlepose_192.tflite"': 'POSES = "/rom/face_landmarks_192.tflite"',
            },
        ),
        "classify": by_astronaut(
            "OpenMV's person_detect", "An astronaut, and the best class with its score", of_tests("person/astronaut")
        ),
        "fomo_count": Scene(
            "A recording of OpenMV's FOMO on nine copies of a face (astronaut, NASA). It misses one of nine.",
            "Nine portraits, eight of them marked, and a line that counts",
            2, of_pictures("fomo_face_detection"), of_gallery("fomo_face_detection"),
            {**square(480), "line = n6post.LineZone((320, 479), (320, 0)": "line = n6post.LineZone((240, 479), (240, 0)"},
        ),
        "obb": Scene(
            "A recording of a small YOLO11-obb of our own on a drawn picture.",
            "Drawn ships and a truck at any angle, each in a turned box",
            1, of_pictures("yolo11_obb_128"), of_gallery("yolo11_obb_128"), square(480),
        ),
        "depth": Scene(
            "A recording of ST's FastDepth on a photograph (coffee, R. Michetti), which was stretched into the input. The "
            "network was trained on rooms, so its meters are not true on a table.",
            "A cup on a saucer, tinted by its distance, with a legend in meters",
            1, photograph("coffee"), of_gallery("fast_depth_224"), {**COFFEE, "n6post.Crop(img)": "n6post.Stretch(img)"},
        ),
        "hand": Scene(
            "A recording of OpenMV's hand landmarks. The photograph is not part of the project: only keypoints are drawn.",
            "The skeleton of a hand that makes the sign of peace",
            1, lambda: dark(480, 480), hands, square(480), (90, 20, 300, 360),
        ),
        "ssd": Scene(
            "A recording of ST's SSD MobileNet. The photograph is not part of the project: only the detections are drawn.",
            "Boxes of people, each with its label and score",
            1, lambda: dark(480, 480), of_ssd, square(480),
        ),
        # Applications on photographs.
        "privacy": by_astronaut("ST's YOLOv8n-seg", "An astronaut behind coarse blocks; the flag beside her is sharp", seg),
        "background": by_astronaut("ST's YOLOv8n-seg", "An astronaut before a plain green background", seg),
        "fall_alarm": Scene(
            "A recording of OpenMV's MoveNet on a photograph (camera, L. Varshney). Both the photograph and the outputs "
            "were turned by 90 degrees, so that the person lies.",
            "A person who lies, with the keypoints of MoveNet",
            28, lying, turned("camera"), square(512),
        ),
        "cut_outs": Scene(
            "A recording of ST's YOLOv8n-seg on a photograph (chelsea, S. van der Walt). Beside the frame is the file that "
            "the script has saved.",
            "A cat with its mask, and the picture of the cat that was saved",
            8, photograph("chelsea"), of_recording("yolov8n_seg_320", "chelsea"),
            {"cam.framesize(csi.VGA)": "cam.framesize((451, 300))"},
        ),
        # In a street.
        "count_people": in_street("Outlines of people with track ids, and a line with the counts of both directions", 60),
        "counts_that_stay": in_street("Outlines of people with track ids, and a line with the counts so far", 50),
        "zone_alarm": in_street("Outlines of people, and a zone that is red because somebody stays in it", 50, whole=True),
        "async_alarm": in_street("Outlines of people with track ids, and a zone with its count", 30, whole=True),
        "queue_time": in_street("Outlines of people in a zone, each with their seconds in it", 60, whole=True),
        "heat_map": in_street("A heat map of where people were, and their outlines", 90, first=180),
        "time_lapse": in_street("Outlines of people with track ids", 40),
        "streaming": in_street("Outlines of people with track ids, as a browser shows them", 30),
        "send_results": in_street("Boxes of people with track ids", 20, first=230, masks=False),
        "send_results_usb": in_street("Boxes of people with track ids", 20, first=250, masks=False),
        "live_counts": in_street("Outlines of people with track ids, and a line with its counts", 50, first=240),
        # Made up and drawn.
        "speed": Scene(
            "A drawn road with two cars, which drive at 24 and at 46 km/h. Their boxes are made up; the speeds are those "
            "that the script measures. At first they are up to 3 km/h too high, because the tracker smooths the boxes.",
            "Two cars on a road, the faster one in a red box, with their speeds",
            DRIVE, driving, Made(cars_on_the_road).load,
        ),
        "parking": Scene(
            "A drawn parking lot. The boxes of the cars are made up; the script does the rest.",
            "Three parking spaces: two with cars are red, one is free and green",
            60, parking_lot, Made(parked).load,
        ),
        "who_is_it": Scene(
            "Recorded vectors of OSNet for two people in a photograph. Their boxes, and when they come and go, are made up.",
            "Two boxes with track ids: one of the two people came back and has the old number",
            50, floor, Returning().load,
        ),
        "follow_road": Scene(
            "The road is drawn, and its class map is made from the drawing.",
            "A tinted road with a dot in the middle of each of the nearest bands",
            1, road, of_road,
        ),
        "blobs": Scene(
            "Drawn balls that roll to the right. There is no network.",
            "A red and two green balls in boxes, and a zone on the right",
            14, balls,
        ),
        # The sample network.
        "small_objects": Scene(
            "The [sample network](../sample-network.md) runs on many of its pictures in one frame.",
            "Many small shapes, each in a box",
            1, many,
        ),
        "sort_by_color": Scene(
            "The [sample network](../sample-network.md) runs on a drawn belt.",
            "A triangle and a square on a belt, and a line that they cross",
            34, belt, None,
            {"line = n6post.LineZone((320, 0), (320, 479)": "line = n6post.LineZone((420, 0), (420, 479)"},
        ),
    }  # fmt: skip
