"""Out-of-memory test: every allocation of n6post fails once, and the next frame must be right.

    python3 scripts/camera.py run scripts/device/oom_test.py                                     a camera
    MICROPYPATH=lib micropython -X heapsize=8m scripts/device/oom_test.py [FIRST LAST [MOST]]    a MicroPython with ulab

FIRST and LAST are the numbers of scenes. MOST is the rough number of heap sizes per scene: 100; 0 tries all (hours).

There are scenes for each family (a first frame, a later one, another part of the frame, drawing, JSON, ...) and for tracker,
zones and trail. For each scene the heap is filled up to k bytes, for one k after the other, without garbage collection, so
that one allocation after the other fails. Then the heap is freed, and the scene must give the same results as without a
failure: boxes, scores, masks, keypoints, class maps and drawn pixels, byte for byte. This is repeated in larger steps with
garbage collection. Ends with one line: N passed, N failed. Without an `image` module a stand-in receives what is drawn.
"""

import gc
import json
import sys

from micropython import const

BLOCK = const(16)  # bytes: the heap's unit on a machine with pointers of four bytes
CALM = const(16)  # a scene ends after so many steps without a failure, or after one that is larger than its heap

try:
    import image
except ImportError:

    class image:  # noqa: N801
        """The part that n6post.draw uses. Text and lines write a byte, which shows that they were drawn."""

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
                if type(text) is not str:
                    raise TypeError("text")
                x, y = place
                self._dot(x, y, len(text))

            def draw_line(self, line, **options):
                self._dot(line[2], line[3], 1)

            def draw_rectangle(self, box, **options):
                self._dot(box[0], box[1], 1)

            def draw_circle(self, circle, **options):
                self._dot(circle[0], circle[1], circle[2])

            def draw_image(self, source, x, y, **options):
                self._dot(x, y, sum(source.bytearray()))

            def _dot(self, x, y, value):
                width, height = self._size
                if 0 <= x < width and 0 <= y < height:
                    at = (y * width + x) * (len(self._pixels) // (width * height))
                    self._pixels[at] = self._pixels[at] + 16 * value + 1 & 255

    sys.modules["image"] = image

import n6post
from n6post.pixels import text as pixels_text
from ulab import numpy as np

SIZE = 32  # of the networks' inputs: 21 anchors
WIDTH, HEIGHT = 64, 48  # of the frame
ROI = (8, 4, 40, 44)


# --- networks, whose results show what remains of another frame ---


class Model:
    """The attributes of ml.Model that n6post reads. Its outputs never change."""

    def __init__(self, *outputs, labels=None):
        self.input_shape = ((1, SIZE, SIZE, 3),)
        self.outputs = [values for values, _, _ in outputs]
        self.output_shape = tuple([values.shape for values in self.outputs])
        self.output_dtype = tuple([chr(values.dtype) for values in self.outputs])
        self.output_scale = tuple([scale for _, scale, _ in outputs])
        self.output_zero_point = tuple([zero_point for _, _, zero_point in outputs])
        self.labels = labels

    def run(self, process, source=None):
        return process(self, [source], self.outputs)


class Frame:
    """A picture with a size only."""

    def width(self):
        return WIDTH

    def height(self):
        return HEIGHT


def whole():
    return n6post.Stretch(Frame())


def part():
    return n6post.Stretch(Frame(), roi=ROI)


def noise(seed, count, scale):
    """Floats of -scale..scale, the same on every machine."""
    values = np.zeros(count)
    state = seed
    for at in range(count):
        state = (state * 75 + 74) % 65537
        values[at] = (state / 32768.0 - 1.0) * scale
    return values


def floats(values):
    return values, 1.0, 0


def integers(values, scale, zero_point):
    """The same values as int8."""
    shape = values.shape
    raw = values.reshape((values.size,)) / scale + float(zero_point)
    raw = np.minimum(np.maximum(raw, -128.0), 127.0)
    return np.array(raw, dtype=np.int8).reshape(shape), scale, zero_point


def head(things, classes, extra=0, unit=1.0):
    """[1, 4 + classes + extra, 21] of (anchor, (x1, y1, x2, y2), class, score, further numbers)."""
    values = np.zeros((4 + classes + extra, 21))
    for at in range(21):
        values[0, at] = values[1, at] = at * 1.5 / unit
        values[2, at] = values[3, at] = 8 / unit
    for at, (x1, y1, x2, y2), class_id, score, further in things:
        box = ((x1 + x2) / 2 / unit, (y1 + y2) / 2 / unit, (x2 - x1) / unit, (y2 - y1) / unit)
        for row in range(4):
            values[row, at] = box[row]
        values[4 + class_id, at] = score
        for row in range(len(further)):
            values[4 + classes + row, at] = further[row]
    return values.reshape((1,) + values.shape)


def rows(columns, boxes):
    """[1, rows, columns] of an end-to-end head: boxes x1, y1, x2, y2, score, class, and noise in the columns behind."""
    values = np.zeros((len(boxes), columns))
    for at in range(len(boxes)):
        values[at] = noise(at + 3, columns, 12.0)
        values[at, :6] = np.array(boxes[at])
        for column in range(8, columns, 3):
            values[at, column] = 0.25 + 0.01 * column
    return values.reshape((1,) + values.shape)


BOXES = ((2, 3, 17, 20, 0.9, 1), (12, 10, 31, 30, 0.7, 0), (0, 1, 9, 9, 0.8, 1))
CAT_AND_DOG = ((3, (2, 3, 17, 20), 0, 0.9, ()), (9, (12, 10, 31, 30), 1, 0.7, ()))
SHAPE = (-0.8, 0.4, 1.1, 0.2, -0.3, 0.9, 0.1, 0.7)
KEYPOINTS = tuple([(9.0, 14.0, 0.75)[k % 3] + (k // 3 if k % 3 < 2 else 0) for k in range(39)])


def detector():
    return Model(floats(head(CAT_AND_DOG, 2)), labels=["cat", "dog"])


def crowd():
    things = [(i, (i, 2, i + 9, 20), i % 2, 0.5 + i / 40, ()) for i in range(12)]
    return Model(integers(head(things, 3, unit=SIZE), 0.01, -20))


def prototypes():
    return integers(noise(5, 512, 2.0).reshape((1, 8, 8, 8)), 0.03, -5)


def segmenter(step=0.02):
    things = (3, (1, 2, 12, 8), 1, 0.9, SHAPE), (8, (10, 8, 30, 30), 0, 0.7, SHAPE)
    return Model(integers(head(things, 2, 8, SIZE), step, 3), prototypes())


def poser(count=13):
    return Model(floats(head(((3, (2, 3, 17, 20), 0, 0.9, KEYPOINTS[: 3 * count]),), 1, 3 * count)))


def heatmaps():
    return Model(floats(np.array(noise(9, 832, 0.5) + 0.5).reshape((1, 8, 8, 13))))


def coordinates():
    return Model(floats(np.array(noise(4, 39, 0.5) + 0.5).reshape((1, 1, 13, 3))))


def scored(seed=7):
    return Model(integers(noise(seed, 108, 9.0).reshape((1, 6, 6, 3)), 0.1, 0))


def numbered():
    return Model(floats(np.array([float(i * 7 % 5 % 3) for i in range(36)]).reshape((1, 6, 6))))


def end_to_end():
    return Model(floats(rows(6, BOXES)), labels=["cat", "dog"])


def end_to_end_masks():
    return Model(floats(rows(14, BOXES[:2])), floats(noise(5, 512, 2.0).reshape((1, 8, 8, 8))))


def end_to_end_keypoints():
    return Model(floats(rows(45, BOXES[:1])))


def refitting():
    return n6post.YoloV8Seg(0.3, refit_boxes=True)


# Name: the processor, its model, another one, an option and its next value.
FAMILIES = (
    ("YoloV8", lambda: n6post.YoloV8(0.3), detector, crowd, ("threshold", 0.8)),
    ("YoloV8 soft", lambda: n6post.YoloV8(0.3, nms_sigma=0.5, classes=(0, 1)), crowd, detector, ("classes", ["0"])),
    ("YoloV8Seg", lambda: n6post.YoloV8Seg(0.3), segmenter, lambda: segmenter(0.03), ("mask_padding", 5)),
    ("YoloV8Seg refit", refitting, segmenter, end_to_end_masks, ("mask_overlap", None)),
    ("YoloV8Pose", lambda: n6post.YoloV8Pose(0.3), poser, lambda: poser(5), ("labels", ["sitter"])),
    ("YoloV8 end-to-end", lambda: n6post.YoloV8(0.3, classes=(0, 1)), end_to_end, detector, ("classes", [1])),
    ("YoloV8Seg end-to-end", lambda: n6post.YoloV8Seg(0.3), end_to_end_masks, segmenter, ("max_detections", 1)),
    ("YoloV8Pose end-to-end", lambda: n6post.YoloV8Pose(0.3), end_to_end_keypoints, poser, ("keypoint_threshold", 0.9)),
    ("MoveNet", lambda: n6post.MoveNet(), heatmaps, coordinates, ("refine", False)),
    ("MoveNet keypoints", lambda: n6post.MoveNet(), coordinates, heatmaps, ("keypoint_threshold", 0.7)),
    ("DeepLab", lambda: n6post.DeepLab(), scored, lambda: scored(8), ("background", None)),
    ("DeepLab class numbers", lambda: n6post.DeepLab(), numbered, scored, ("labels", ("sky", "sea", "sand"))),
)


# --- results as a script sees them ---


def contents(result):
    """A result as values that later frames do not change."""
    if isinstance(result, n6post.Segmentation):
        areas = [result.area(c) for c in range(3)]
        return bytes(result.class_map.tobytes()), result.class_ids(True), areas, result._transform.seen
    return [
        (
            tuple(d[:4]),
            d.track_id,
            d.mask and (bytes(d.mask._parts()[0]), d.mask._parts()[1:4], d.mask.area, d.mask.centroid, d.mask.outline()),
            d.keypoints is not None and d.keypoints.tolist(),
        )
        for d in result
    ]


def drawn(result, pixformat="RGB565", size=(WIDTH, HEIGHT), **options):
    img = image.Image(size[0], size[1], getattr(image, pixformat))
    return bytes(n6post.draw(img, result, **options).bytearray())


def seen(process, model, source):
    """Two frames and their results: numbers, a drawing and JSON."""
    result = model.run(process, source)
    if not result:
        raise ValueError("the scene shows nothing")
    first = contents(result)
    again = contents(model.run(process, source))
    return first, again, drawn(result), n6post.to_json(result)


_memories = {}  # the caches of the modules, by module name


def forget():
    """Empty what the modules have cached."""
    pixels_text.drawn.__init__()
    for name in sys.modules:
        if name.startswith("n6post.") and name not in _memories:
            module = sys.modules[name]
            names = [key for key in dir(module) if key.startswith("_") and key == key.lower()]
            kept = [getattr(module, key) for key in names if not key.startswith("__")]
            _memories[name] = [one for one in kept if isinstance(one, (dict, list))]
    for kept in _memories.values():
        for one in kept:
            one.clear()


def walkers(frame):
    """Three walkers, one of them hidden in two frames of four."""
    found = []
    for i in range(3 if frame % 4 > 1 else 2):
        points = np.array([[20.0 + 5 * frame, 30.0, 0.9]])
        rect = (20 + 4 * frame + 70 * i, 30, 30, 60)
        d = n6post.Detection(rect, 0.875 - 0.125 * i, i % 2, "person", None, points)
        found.append(d.replace(keypoint_threshold=0.5, frame_size=(320, 240)))
    return found


def passing(frame):
    """Four walkers: one crosses y = 50 inwards, two outwards, one stays above."""
    found = []
    ways = (1, 0, 40, 90 - 10 * frame), (2, 1, 60, 10 + 10 * frame), (3, 0, 80, 5 + 10 * frame), (4, 2, 20 + 5 * frame, 70)
    for track_id, class_id, x, y in ways:
        if track_id != 2 or frame > 2:
            d = n6post.Detection((x - 5, y - 20, 10, 20), 0.9, class_id, "", None, None)
            d.track_id = track_id
            found.append(d)
    return found


# --- scenes: (name, before, attempt, after). after(state) is as after a successful attempt, or as after none. ---


def family_scenes(name, make, model, other, option):
    """The scenes of one family."""
    one, second = model(), other()

    def fresh():
        forget()
        return make()

    def used():
        process = fresh()
        one.run(process, whole())
        one.run(process, whole())
        return process

    def with_result():
        process = used()
        return process, one.run(process, whole())

    def both(process):
        return [seen(process, m, s) for m in (one, second) for s in (part(), whole())]

    def assigned(process):
        setattr(process, option[0], option[1])

    def after_assigning(process):
        # The option has the old or the new value, and the frame is right for it.
        value = getattr(process, option[0])
        expected = make()
        setattr(expected, option[0], value)
        if contents(one.run(process, whole())) != contents(one.run(expected, whole())):
            return "not the frame of %s=%r" % (option[0], value)
        assigned(process)
        return seen_or_none(process, one, whole())

    def numbers(state):
        process, result = state
        return contents(result), seen(process, one, whole())

    yield "a first frame", fresh, lambda p: one.run(p, whole()), lambda p: seen(p, one, whole())
    yield "a steady frame", with_result, lambda s: one.run(s[0], whole()), numbers
    yield "another part of the frame", used, lambda p: one.run(p, part()), both
    yield "another model", used, lambda p: second.run(p, part()), both
    yield "an option", used, assigned, after_assigning
    result = one.run(make(), whole())
    pictures = lambda r: [drawn(r), drawn(r, "GRAYSCALE"), drawn(r, size=(40, 30))]  # noqa: E731
    yield "drawing", lambda: forget() or result, drawn, pictures
    yield "drawing on another size", lambda: forget() or result, lambda r: drawn(r, size=(40, 30)), pictures
    if isinstance(result, list):
        options = {"color_by": "instance", "labels": lambda d: "a%d" % d[2], "antialias": False}
        yield "drawing with texts", lambda: forget() or result, lambda r: drawn(r, **options), pictures
    else:
        legend = lambda r: bytes(  # noqa: E731
            r.draw(image.Image(WIDTH, HEIGHT, image.RGB565), palette=(None, (9, 99, 200)), legend=True).bytearray()
        )
        yield "drawing with a legend", lambda: forget() or result, legend, lambda r: pictures(r) + [legend(r)]
    derived = lambda r: [json.dumps(d.as_dict()) for d in (r if isinstance(r, list) else [r])] + [contents(r)]  # noqa: E731
    yield "derived values", lambda: forget() or one.run(make(), whole()), derived, derived
    yield "JSON", lambda: forget() or result, n6post.to_json, n6post.to_json
    yield "diagnose", forget, lambda _: n6post.diagnose(one, one.outputs), lambda _: n6post.diagnose(one, one.outputs)
    yield "processor_for", forget, lambda _: chosen(one), lambda _: [chosen(m) for m in (one, second)]


def chosen(model):
    try:
        return type(n6post.processor_for(model)).__name__
    except ValueError as error:  # two families match
        return str(error)


def seen_or_none(process, model, source):
    result = model.run(process, source)
    return contents(result), drawn(result)


def place_scenes():
    """The scenes of colors, profiles and what is painted over."""
    img = image.Image(WIDTH, HEIGHT, image.RGB565)
    pixels = img.bytearray()
    for at in range(0, len(pixels), 7):
        pixels[at] = at & 255

    def masks():
        forget()
        return segmenter().run(n6post.YoloV8Seg(0.3), whole())

    def bands():
        forget()
        return scored().run(n6post.DeepLab(), whole())

    def colors(found):
        return [(d.roi(grow=0.1, square=True), d.mask.statistics(img), d.replace(mask=None).mean_color(img)) for d in found]

    def painted(found):
        return [bytes(d.mask.fill_outside(image.Image(40, 30, image.RGB565), roi=(5, 4, 20, 15)).bytearray()) for d in found]

    yield "colors", masks, colors, colors
    yield "fill_outside of a crop", masks, painted, painted
    yield "profile", bands, lambda s: s.profile(1), lambda s: [s.profile(c, rows=r) for c in range(3) for r in (8, 5)]


def ground_scenes():
    """The scenes of planes, heat maps and tiles."""
    square = [(0, 0), (100, 0), (100, 80), (0, 80)]

    def plane():
        made = n6post.Plane(square, [(0, 0), (10, 0), (10, 8), (0, 8)])
        for k in range(16):
            made.update(passing(k), elapsed_ms=60)
        return made

    def speeds(made):
        for k in range(17, 50):
            made.update(passing(k % 10), elapsed_ms=60)
        return [made.velocity(n) for n in range(1, 5)], [made.to_world(d) for d in passing(3)]

    yield "Plane", lambda: None, lambda _: plane(), lambda _: speeds(plane())
    yield "Plane, update", plane, lambda made: made.update(passing(16), elapsed_ms=60), speeds

    for anchor in ("bottom", "box"):

        def heat_map(anchor=anchor):
            forget()
            made = n6post.HeatMap(8, 6, half_life=0.1, anchor=anchor, frame_size=(WIDTH, HEIGHT))
            made.update(passing(2), elapsed_ms=0)
            return made

        def counted(made):
            # What was counted before has faded.
            made.update(passing(4), elapsed_ms=60000)
            return made.max_cell, [["%.3f" % value for value in row] for row in made.values().tolist()], drawn(made)

        yield "HeatMap, %s" % anchor, heat_map, lambda made: made.update(passing(3), elapsed_ms=2500), counted
        yield "HeatMap, drawing, %s" % anchor, heat_map, drawn, counted

    class Fixed:
        """A model that finds the same in each tile."""

        def __init__(self):
            self.model = segmenter()
            self.processor = n6post.YoloV8Seg(0.3)

        def predict(self, inputs):
            return self.model.run(self.processor, inputs[0])

    img = image.Image(WIDTH, HEIGHT, image.RGB565)

    def tiles():
        forget()
        made = n6post.Tiles(Fixed(), overlap=0.5, tiles_per_frame=2)
        made.predict(img)
        return made

    def found(made):
        for _ in range(5):
            result = made.predict(img)
        return contents(result), drawn(result)

    yield "Tiles", tiles, lambda made: made.predict(img), found


def other_scenes():
    """The scenes of tracker, zones, trail and load."""
    for name, options in (("", {}), (" that coasts and smooths keypoints", {"smooth_keypoints": True, "coast": 0.16})):
        for frame in (0, 5):

            def tracking(options=options, frame=frame):
                forget()
                tracker = n6post.Tracker(**options)
                for k in range(frame):
                    for d in tracker.update(walkers(k), elapsed_ms=80):
                        d.data["first"] = d.data.get("first", k)
                return tracker

            def tracked(tracker, frame=frame):
                results = []
                for k in range(frame + 1, frame + 6):
                    result = tracker.update(walkers(k), elapsed_ms=80)
                    results.append((contents(result), [d.data for d in result], drawn(result, color_by="track")))
                return results, tracker.tracks

            def update(tracker, frame=frame):
                return tracker.update(walkers(frame), elapsed_ms=80)

            yield "Tracker%s, update %d" % (name, frame), tracking, update, tracked

    def line():
        zone = n6post.LineZone((0, 50), (100, 50), margin=0)
        for k in range(5):
            zone.trigger(passing(k), elapsed_ms=100)
        return zone

    def crossed(zone):
        counts = sum(zone.in_count_per_class.values()), sum(zone.out_count_per_class.values())
        if counts != (zone.in_count, zone.out_count):
            return "counts that disagree"
        for k in range(6, 10):
            zone.trigger(passing(k), elapsed_ms=100)
        counts = sorted(zone.in_count_per_class.items()), sorted(zone.out_count_per_class.items())
        return counts, n6post.to_json(zone), drawn(zone)

    yield "LineZone, trigger", line, lambda zone: zone.trigger(passing(5), elapsed_ms=100), crossed
    yield "LineZone, drawing", line, drawn, lambda zone: drawn(zone)

    def polygon():
        zone = n6post.PolygonZone([(0, 40), (100, 40), (100, 80), (0, 80)])
        for k in range(4):
            zone.trigger(passing(k), elapsed_ms=100)
        return zone

    def inside(zone):
        zone.trigger(passing(5), elapsed_ms=100)
        return zone.current_count, sorted(zone.current_count_per_class.items()), drawn(zone)

    yield "PolygonZone, trigger", polygon, lambda zone: zone.trigger(passing(4), elapsed_ms=100), inside
    yield "PolygonZone, drawing", polygon, drawn, lambda zone: (drawn(zone), n6post.to_json(zone))

    def visited():
        zone = n6post.PolygonZone([(0, 40), (100, 40), (100, 80), (0, 80)], min_frames=1, margin=0)
        for k in range(6):
            zone.trigger(passing(k), elapsed_ms=100)
        return zone

    def visits(zone):
        zone.trigger(passing(7), elapsed_ms=100)
        entered = sorted([d.track_id for d in zone.entered])
        return entered, sorted(zone.left), zone.mean_dwell_time, zone.occupancy(passing(7))

    yield "PolygonZone, visits", visited, lambda zone: zone.trigger(passing(6), elapsed_ms=100), visits
    yield "PolygonZone, occupancy", visited, lambda zone: zone.occupancy(passing(6)), visits

    def hold():
        made = n6post.Hold(0.2)
        for k in range(4):
            made.trigger(passing(k), elapsed_ms=100)
        return made

    def held(made):
        found = made.trigger(passing(5), elapsed_ms=100)
        return [d.track_id for d in found], [made.held_time(n) for n in range(1, 5)]

    yield "Hold, trigger", hold, lambda made: made.trigger(passing(4), elapsed_ms=100), held

    def condition(kind, *limits):
        made = kind(*limits)
        for k in range(5):
            valued(made, k)
        return made

    def valued(made, k):
        return [made.update(8 * (k % 2), track=n, elapsed_ms=100) for n in (None, 1, 100 + k)]

    def voted(made, k):
        return [made.update(n6post.Reading("12", 0.5, [0.5, 0.25 * (k % 3)]), track=n, elapsed_ms=100) for n in (None, 1, k)]

    yield "Majority, update", lambda: n6post.Majority(0.5), lambda made: voted(made, 4), lambda made: voted(made, 5)

    for kind in ((n6post.Steady, 0.0), (n6post.Fraction, 0.4), (n6post.Repetitions, 5, 2)):
        before = lambda kind=kind: condition(*kind)  # noqa: E731
        more = lambda made: [made.update(0, track=n) for n in range(7, 27)]  # noqa: E731
        yield kind[0].__name__ + ", update", before, more, lambda made: valued(made, 5)

    for how in ("pixelate", "blur", "fill"):

        def hidden(_, how=how):
            img = image.Image(100, 80, image.RGB565)
            pixels = img.bytearray()
            for at in range(0, len(pixels), 7):
                pixels[at] = at & 255
            return bytes(n6post.hide(img, passing(2), how=how).bytearray())

        yield "hide, %s" % how, forget, hidden, hidden

    def trail():
        made = n6post.Trail(3)
        for k in range(3):
            made.update(passing(k), elapsed_ms=100)
        return made

    def followed(made):
        for k in range(4, 7):
            made.update(passing(k), elapsed_ms=100)
        return [made.positions(n) for n in range(1, 5)], drawn(made)

    yield "Trail, update", trail, lambda made: made.update(passing(3), elapsed_ms=100), followed
    yield "Trail, drawing", trail, drawn, lambda made: drawn(made)

    class Ml:
        """The firmware's ml module, which opens a model."""

        @staticmethod
        def Model(path, postprocess=None):  # noqa: N802
            model = detector()
            model.postprocess = postprocess
            return model

    def opened(model):
        return contents(model.run(model.postprocess, whole()))

    before = sys.modules.get("ml")
    sys.modules["ml"] = Ml
    load = lambda _: opened(n6post.load("/none.tflite", threshold=0.3))  # noqa: E731
    yield "load", forget, load, load
    if before:
        sys.modules["ml"] = before
    else:
        del sys.modules["ml"]


# --- running out of memory ---


def filled():
    """Allocate the whole free heap as one chain of objects."""
    chain = None
    size = 1 << 20
    gc.disable()  # otherwise each failure collects
    while size >= BLOCK:
        try:
            while True:
                chain = [chain, None]
                chain[1] = bytearray(size)
        except MemoryError:  # camera: memory-error: the heap is full at last
            size //= 4
    try:
        while True:
            chain = (chain,)
    except MemoryError:  # camera: memory-error: not even a tuple is left
        pass
    gc.enable()
    return chain


def released(chain):
    """Free the chain link by link: an address left on the stack would keep the rest of the chain."""
    while chain is not None:
        inner = chain[0]
        if isinstance(chain, list):
            chain[0] = chain[1] = None
        chain = inner


def starved(attempt, state, left, collecting):
    """The MemoryError of attempt(state) with so many bytes free, or None; and the bytes that were free afterwards."""
    error = None
    free = 0
    gc.collect()
    chain = bytearray(left), filled()
    chain = chain[1]  # so many bytes in one piece, between the older objects and the chain
    gc.collect()
    if not collecting:
        gc.disable()
    try:
        attempt(state)
    except MemoryError as caught:  # camera: memory-error: it is returned
        error = caught
    free = gc.mem_free()
    gc.enable()
    released(chain)
    chain = None
    gc.collect()
    return error, free


def missing(error, free):
    """The least number of bytes that the failed allocation lacked."""
    words = str(error).split()
    if "allocating" in words[:-1]:
        size = words[words.index("allocating") + 1]
        if size.isdigit():  # otherwise there was no memory for the number
            return max(int(size) - free, 0) // BLOCK * BLOCK
    return 0


def check(before, attempt, after, most):
    """(bytes used, number of heap sizes tried, number of failed allocations). ValueError if a result differs."""
    without = after(before())
    state = before()
    attempt(state)
    good = after(state), without
    state = before()
    gc.collect()
    gc.disable()
    taken = gc.mem_alloc()
    attempt(state)
    taken = gc.mem_alloc() - taken
    gc.enable()
    failed = tries = left = calm = 0
    step = (taken // BLOCK // most + 1) * BLOCK if most else BLOCK
    while calm < CALM and not (calm and left > taken):
        tries += 1
        error, free = one_time(before, attempt, after, left, False, good)
        left += step
        calm += 1
        if error is not None:
            calm = 0
            failed += 1
            left += missing(error, free)
    # With garbage collection: only allocations fail that are larger than every hole.
    step = taken // 8 // BLOCK * BLOCK + BLOCK
    for left in range(0, taken + step, step):
        tries += 1
        failed += one_time(before, attempt, after, left, True, good)[0] is not None
    return taken, tries, failed


def one_time(before, attempt, after, left, collecting, good):
    state = before()
    error, free = starved(attempt, state, left, collecting)
    got = after(state)
    if got not in good:
        raise ValueError("%d bytes left, %s, %s: got %.300s, expected one of %.300s" % (left, collecting, error, got, good))
    return error, free


def scenes():
    for family in FAMILIES:
        for name, before, attempt, after in family_scenes(*family):
            yield "%s, %s" % (family[0], name), before, attempt, after
    yield from place_scenes()
    yield from ground_scenes()
    yield from other_scenes()


def run(first=0, last=9999, most=100):
    """Run the scenes of these numbers, with so many heap sizes. Returns (passed, failed)."""
    passed = failed = faults = 0
    number = -1
    for name, before, attempt, after in scenes():
        number += 1
        if not first <= number <= last:
            continue
        try:
            taken, tries, met = check(before, attempt, after, most)
        except Exception as error:  # camera: memory-error: any error is a failed scene
            failed += 1
            print("FAILED  %d %s" % (number, name))
            sys.print_exception(error)
            continue
        passed += 1
        faults += met
        print("ok      %d %s: %d bytes, %d heap sizes, %d failed allocations" % (number, name, taken, tries, met))
    print("%d allocations failed" % faults)
    return passed, failed


if __name__ == "__main__":
    print("%d passed, %d failed" % run(*[int(word) for word in getattr(sys, "argv", ())[1:]]))
