"""Soak test: thousands of frames, and their effect on the heap. scripts/dev/soak_test.py runs it on a MicroPython.

It runs on a camera too. `python3 scripts/dev/soak_test.py --folder FOLDER` writes its input: soak.json, and the recorded
tensors as raw bytes. Copy the folder to the flash or SD card and set FOLDER below. Without ulab the test runs only tracker,
zones, trail and JSON, which do not need it.
"""

import gc
import json
import sys
import time

FOLDER, FRAMES = "/flash/soak", 20000
BLOCK = 1000  # frames between two measurements of the heap

try:
    from ulab import numpy as np
except ImportError:
    np = None

    class ulab:  # noqa: N801
        """A name for the import statements of modules that work without ulab."""

        class numpy:  # noqa: N801
            float = uint8 = uint16 = None

            @staticmethod
            def array(values, dtype=None):
                return values

    sys.modules["ulab"] = ulab

try:
    import image
except ImportError:

    class image:  # noqa: N801
        """The part that n6post.draw uses. Text, lines and pictures write a byte."""

        RGB565, GRAYSCALE, BINARY, BILINEAR = 6, 5, 1, 16

        class Image:
            def __init__(self, width, height, pixformat, buffer=None):
                self._size = width, height
                self._format = pixformat
                self._pixels = buffer or bytearray(width * height * (2 if pixformat == 6 else 1))

            def width(self):
                return self._size[0]

            def height(self):
                return self._size[1]

            def format(self):
                return self._format

            def bytearray(self):
                return self._pixels

            def draw_string(self, place, text="", **options):
                self._pixels[0] = len(text) & 255

            def draw_line(self, line, **options):
                self._pixels[1] = line[2] & 255

            def draw_rectangle(self, box, **options):
                self._pixels[2] = box[2] & 255

            def draw_circle(self, circle, **options):
                self._pixels[4] = circle[0] & 255

            def draw_image(self, source, x, y, **options):
                self._pixels[3] = source.width() & 255

    sys.modules["image"] = image

import n6post
from n6post.pixels import text as pixels_text

WIDTH, HEIGHT = 80, 60


class Random:
    """The same numbers on every machine, none of them on the heap."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 1103 + 12345) & 0xFFFFF
        return (self.state >> 6) % n


# --- networks ---


class Network:
    """The attributes of ml.Model that n6post reads. All networks write their outputs to the same memory, as on the NPU."""

    def __init__(self, described, memory, folder):
        width, height = described["input_size"]
        self.input_shape = ((1, height, width, 3),)
        self.output_shape = tuple([tuple(one["shape"]) for one in described["outputs"]])
        self.output_dtype = tuple([one["dtype"] for one in described["outputs"]])
        self.output_scale = tuple([one["scale"] for one in described["outputs"]])
        self.output_zero_point = tuple([one["zero_point"] for one in described["outputs"]])
        self.labels = described["labels"]
        self.pictures = [folder + "/" + name for name in described["files"]]
        self.kind = described["processor"]
        self.outputs = []
        at = 0
        for shape, dtype in zip(self.output_shape, self.output_dtype):
            count = 1
            for n in shape:
                count *= n
            kind = np.float if dtype == "f" else np.int8
            self.outputs.append(np.frombuffer(memory, dtype=kind, count=count, offset=at).reshape(shape))
            at += count * (4 if dtype == "f" else 1)
        self.memory = memoryview(memory)[:at]
        self.silence = 0.0 if self.output_dtype[0] == "f" else self.output_zero_point[0]
        self.shout = 0.875
        if self.output_dtype[0] != "f":
            self.shout = min(int(0.875 / self.output_scale[0]) + self.output_zero_point[0], 127)
        out = self.outputs[0]
        if len(self.output_shape[0]) == 3:  # a head: the scores of its classes
            classes = {"YoloV8Seg": 80}.get(self.kind, 1)
            self.scores = out.reshape(self.output_shape[0][1:])[4 : 4 + classes]
        else:
            self.scores = None

    def show(self, picture):
        with open(self.pictures[picture], "rb") as file:
            file.readinto(self.memory)

    def change(self, random):
        """Change the scene."""
        what = random.below(6)
        if self.scores is None:
            out = self.outputs[0]
            _, height, width, channels = out.shape
            y, x = random.below(height - 9), random.below(width - 9)
            value = self.shout if what < 4 else self.silence
            out[0, y : y + 9, x : x + 9, random.below(channels)] = value
            return
        classes, anchors = self.scores.shape
        if what == 0:  # an empty scene
            self.scores[:] = self.silence
        elif what == 1:  # a crowd
            self.scores[random.below(classes), random.below(9) :: 3 + random.below(40)] = self.shout
        elif what < 4:  # an object leaves
            first = random.below(anchors - 300)
            self.scores[:, first : first + 300] = self.silence
        else:  # an object enters
            self.scores[random.below(classes), random.below(anchors)] = self.shout


CHANGES = {
    "YoloV8": (
        ("threshold", (0.2, 0.4, 0.6)),
        ("iou_threshold", (0.3, 0.5, 0.7)),
        ("nms_sigma", (0, 0, 0.5)),
        ("max_detections", (5, 20, 40)),
        ("classes", (None, None, (0,))),
        ("class_agnostic", (False, True)),
    ),
    "YoloV8Seg": (
        ("refit_boxes", (False, True)),
        ("mask_overlap", (0.8, None)),
        ("mask_padding", (None, 0)),
        ("threshold", (0.3, 0.5)),
    ),
    "YoloV8Pose": (("keypoint_threshold", (0.5, 0.3)), ("threshold", (0.2, 0.5)), ("labels", (None, ["sitter"]))),
    "MoveNet": (("refine", (True, False)), ("keypoint_threshold", (0.3, 0.5))),
    "DeepLab": (("background", (0, None)), ("labels", (None, ("sky", "person")))),
}


TRACKING = (
    ("coast", 0.12), ("coast", 0), ("smooth_keypoints", True), ("smooth_keypoints", False), ("max_distance", 18.0)
)  # fmt: skip


class Picture:
    """A frame with a size only."""

    def __init__(self, size):
        self.size = size

    def width(self):
        return self.size[0]

    def height(self):
        return self.size[1]


SOURCES = (
    lambda: n6post.Stretch(Picture((WIDTH, HEIGHT))),
    lambda: n6post.Letterbox(Picture((WIDTH, HEIGHT))),
    lambda: n6post.Crop(Picture((WIDTH, HEIGHT)), roi=(8, 4, 60, 50)),
    lambda: n6post.Stretch(Picture((160, 120))),  # the results are drawn on a picture of another size, such as an LCD
    lambda: None,
)


def contents(result):
    if not isinstance(result, list):
        return result.class_ids(True), result.fraction(1), bytes(result.class_map[::64].tobytes())
    return [(tuple(d[:4]), d.mask and d.mask.area, d.keypoints is not None and d.keypoints.tolist()) for d in result]


class Families:
    """All networks of the folder in turn, each with a processor of its own."""

    def __init__(self, folder, random):
        with open(folder + "/soak.json") as file:
            networks = json.load(file)["networks"]
        memory = bytearray(max([one["bytes"] for one in networks]))
        self.networks = [Network(one, memory, folder) for one in networks]
        self.processors = [getattr(n6post, one.kind)() for one in self.networks]
        for network, process in zip(self.networks, self.processors):
            network.show(0)
            process(network, [None], network.outputs)  # large buffers are allocated before the heap fragments
        self.random = random
        self.compared = 0

    def begin(self):
        """Back to the start: the same frames follow."""
        self.options = [{} for _ in self.networks]
        for network, process in zip(self.networks, self.processors):
            fresh = getattr(n6post, network.kind)()
            for name, _ in CHANGES[network.kind]:
                setattr(process, name, getattr(fresh, name))
        self.left = 0
        self.at = 0
        self.source = None

    def prepare(self):
        """The work of the camera and the network."""
        random = self.random
        self.compare = False
        if not self.left:
            self.at = random.below(len(self.networks))
            network = self.networks[self.at]
            network.show(random.below(len(network.pictures)))
            self.source = SOURCES[random.below(len(SOURCES))]()
            self.left = 1 + random.below(16)
            # Not DeepLab: the memory of two more maps would be too much.
            self.compare = random.below(4) == 0 and network.kind != "DeepLab"
        else:
            self.networks[self.at].change(random)
        self.left -= 1

    def result(self):
        random = self.random
        network = self.networks[self.at]
        process = self.processors[self.at]
        if random.below(16) == 0:
            changes = CHANGES[network.kind]
            name, values = changes[random.below(len(changes))]
            value = values[random.below(len(values))]
            setattr(process, name, value)
            self.options[self.at][name] = value
        return process(network, [self.source], network.outputs)

    def check(self, result):
        """A new processor gives the same result."""
        if self.compare:
            network = self.networks[self.at]
            alone = getattr(n6post, network.kind)(**self.options[self.at])
            wanted = contents(alone(network, [self.source], network.outputs))
            if contents(result) != wanted:
                raise ValueError("%s: expected %s, got %s" % (network.kind, wanted, contents(result)))
            self.compared += 1


class Walkers:
    """Synthetic detections, for machines without ulab."""

    compare = False

    def __init__(self, random):
        self.random = random
        self.compared = 0

    def begin(self):
        self.places = []

    def prepare(self):
        random = self.random
        what = random.below(40)
        if what == 0:
            self.places = []
        elif what == 1:
            self.places = [(random.below(WIDTH), random.below(HEIGHT), i % 3) for i in range(40)]
        elif what < 6 and self.places:
            self.places.pop()
        elif what < 12 and len(self.places) < 60:
            self.places.append((random.below(WIDTH), random.below(HEIGHT), random.below(3)))
        self.places = [((x + 2 + i % 3) % WIDTH, (y + i % 5 - 2) % HEIGHT, c) for i, (x, y, c) in enumerate(self.places)]

    def result(self):
        kind = n6post.Detection
        places = self.places
        return [kind((x, y, 9, 16), 0.5 + c / 8, c, ("cat", "dog", "g\u00e4rtner")[c], None, None) for x, y, c in places]

    def check(self, result):
        pass


# --- the loop of a script ---


class Script:
    """The work of a script with each result."""

    def __init__(self):
        self.tracker = n6post.Tracker()
        self.line = n6post.LineZone((0, HEIGHT // 2), (WIDTH, HEIGHT // 2))
        self.zone = n6post.PolygonZone([(5, 5), (75, 10), (60, 55), (10, 45)])
        self.trail = n6post.Trail(20)
        self.pixels = bytearray(2 * WIDTH * HEIGHT)
        self.tracked = self.crossed = self.characters = 0

    def begin(self):
        self.tracker.coast, self.tracker.smooth_keypoints, self.tracker.max_distance = 0, False, 22.0
        for one in (self.tracker, self.line, self.zone, self.trail):
            one.reset()

    def turn(self, result, random):
        if random.below(64) == 0:
            name, value = TRACKING[random.below(len(TRACKING))]
            setattr(self.tracker, name, value)
        img = None
        if np:
            pixformat = random.below(2)
            if pixformat:
                img = image.Image(WIDTH, HEIGHT, image.RGB565, buffer=self.pixels)
            else:
                img = image.Image(WIDTH, HEIGHT, image.GRAYSCALE, buffer=memoryview(self.pixels)[: WIDTH * HEIGHT])
        if not isinstance(result, list):
            result.class_ids()
            n6post.draw(img, result)
            self.characters += len(n6post.to_json(result))
            return
        detections = self.tracker.update(result, elapsed_ms=40)
        self.tracked += len(detections)
        entered, left = self.line.trigger(detections, elapsed_ms=40)
        self.crossed += len(entered) + len(left)
        self.zone.trigger(detections, elapsed_ms=40)
        self.trail.update(detections, elapsed_ms=40)
        self.characters += len(n6post.to_json(detections)) + len(n6post.to_json(self.line)) + len(n6post.to_json(self.zone))
        if img:
            n6post.draw(img, detections, color_by=("class", "track", "instance")[random.below(3)])
            n6post.draw(img, self.line)
            n6post.draw(img, self.zone)
            n6post.draw(img, self.trail)


def forget():
    """Empty the caches of the modules (texts, colors, glyphs; each has a limit), to measure the rest of the heap."""
    pixels_text.drawn.__init__()
    for name in sys.modules:
        if name.startswith("n6post."):
            module = sys.modules[name]
            for key in dir(module):
                if key.startswith("_") and not key.startswith("__") and key == key.lower():
                    kept = getattr(module, key)
                    if isinstance(kept, (dict, list)):
                        kept.clear()


def running(folder, frames, block=BLOCK):
    """Run a frame per step, and print the heap after every block. npm's MicroPython collects only between two steps."""
    random = Random(7)
    scenes = Families(folder, random) if np else Walkers(random)
    script = Script()
    levels = [0] * max(frames // block, 1)  # allocated now: a list that grows would look like a leak
    bare = [0] * 3
    looks = looked = 0
    allocated = counted = peak = longest = slowest = lost = wanted = 0
    since = begun = time.ticks_ms()
    last = gc.mem_alloc()
    for number in range(frames):
        if number % block == 0:
            random.state = 7  # the same frames again
            scenes.begin()
            script.begin()
        scenes.prepare()
        before = gc.mem_alloc()
        if before < last:  # there was a collection
            since = time.ticks_ms()
        start = time.ticks_us()
        try:
            result = scenes.result()
            script.turn(result, random)
        # The heap is fragmented, no hole is large enough: the test continues with the next frame.
        except MemoryError as error:  # camera: memory-error: it is counted
            lost += 1
            wanted = max(wanted, int(str(error).split()[-2]))
            scenes.compare = False
        took = time.ticks_diff(time.ticks_us(), start)
        slowest = max(slowest, took)
        last = gc.mem_alloc()
        if last >= before:
            allocated += last - before
            counted += 1
        else:
            since = time.ticks_ms()
        peak = max(peak, last)
        longest = max(longest, time.ticks_diff(time.ticks_ms(), since))
        try:
            scenes.check(result)
        except MemoryError:  # camera: memory-error: there may be no memory for a new processor
            pass
        result = None
        if scenes.compare:
            last = gc.mem_alloc()
        if number % block == block - 1:
            gc.collect()
            yield
            levels[looks] = gc.mem_alloc()
            looks += 1
            if number < 2 * block or number + block >= frames:
                script.begin()
                forget()
                gc.collect()
                yield
                bare[looked] = gc.mem_alloc()
                looked += 1
            print(
                "frame %d: %d bytes in use, %d at the last measurement without caches"
                % (number + 1, levels[looks - 1], bare[looked - 1])
            )
            since = time.ticks_ms()
            last = gc.mem_alloc()
        elif np is None and number % 20 == 19:
            gc.collect()
        yield
    half = len(levels) // 2
    growth = bare[looked - 1] - bare[1]
    summary = {
        "frames": frames,
        "seconds": time.ticks_diff(time.ticks_ms(), begun) / 1000,
        "bare": bare,
        "growth": growth,
        "level_first_half": max(levels[: half or 1]),
        "level_second_half": max(levels[half:]),
        "peak": peak,
        "lost": lost,
        "largest_that_failed": wanted,
        "bytes_a_frame": allocated // max(counted, 1),
        "longest_without_collection_ms": longest,
        "slowest_frame_ms": slowest / 1000,
        "tracked": script.tracked,
        "crossed": script.crossed,
        "characters": script.characters,
        "compared": scenes.compared,
    }
    print(json.dumps(summary))


def run(folder, frames, block=BLOCK):
    for _ in running(folder, frames, block):
        pass


if __name__ == "__main__":
    WORDS = getattr(sys, "argv", ())[1:]
    run(WORDS[0] if WORDS else FOLDER, *([int(word) for word in WORDS[1:]] or [FRAMES]))
