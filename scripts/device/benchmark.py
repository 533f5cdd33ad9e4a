"""Benchmark: the cost of post-processing on this machine, as a Markdown table to paste into an issue.

It prints milliseconds, or instructions where a module `icount` counts them. Each line is one frame in the steady state.
On a camera whose core counts cycles and cache misses (Cortex-M55: OpenMV N6 and AE3), each line has these too.
The tensors are synthetic, with the shapes and about the contents of real networks. Tensors in a folder (the first
argument, or TENSORS) are used instead; scripts/dev/recording/benchmark_tensors.py writes such files.
"""

import gc
import os
import sys
import time

try:
    from icount import now  # instructions since the start

    UNIT = "instructions"
except ImportError:
    now = time.ticks_us
    UNIT = "ms"

from uctypes import addressof
from ulab import numpy as np

try:
    import image
except ImportError:
    image = None

n6post = None  # imported by `start`, which measures the import

TENSORS = None  # a folder of the camera, for example "/sdcard/tensors"
START = 0  # the entry of WORK with which the start is measured
FRAMES = 15  # the result is their median
MODELS, MOST_MODELS = "/rom", 3  # where models are that are measured, and how many
END = "No counters of the core were read."
NAMES = (
    "candidates", "suppress", "boxes_to_frame", "prototype_mask", "suppress_masks", "class_map", "class_histogram", "peaks",
    "clip_mask", "tint_mask", "tint_map", "box",
)  # fmt: skip


def elapsed(start, end):
    return time.ticks_diff(end, start) if UNIT == "ms" else end - start


def timed(call):
    start = now()
    call()
    return elapsed(start, now())


def overhead():
    """The cost of measuring an empty call."""
    return min([timed(lambda: None) for _ in range(5)])


def text(amount):
    """12,345 for instructions, or 1.23 (ms) for microseconds."""
    return "%.2f" % (amount / 1000) if UNIT == "ms" else digits(amount)


def digits(amount):
    """12,345"""
    left = str(int(amount))
    parts = []
    while left:
        parts.insert(0, left[-3:])
        left = left[:-3]
    return ",".join(parts)


# --- the core's own counters ---

DEMCR = 0xE000EDFC  # bit 24 (TRCENA) switches the counters on
DWT = 0xE0001000  # +0: bit 0 the cycle counter counts, bit 25 there is none; +4: the cycles
PMU = 0xE0003000  # Armv8.1-M: event counters of 16 bits
TRCENA = 1 << 24
CHAIN = 0x1E  # this counter counts the overflows of the one before
EVENTS = (("instructions", 0x08), ("I misses", 0x01), ("D misses", 0x03), ("written back", 0x15))
CORES = {0xC24: "M4", 0xC27: "M7", 0xD21: "M33", 0xD22: "M55", 0xD23: "M85", 0xD24: "M52"}


def registers():
    """machine.mem32, or None where there is no such core to look at."""
    try:
        from machine import mem32

        return mem32 if mem32[0xE000ED00] >> 24 == 0x41 else None  # CPUID: a core by Arm
    except (ImportError, AttributeError):
        return None


class Counters:
    """Cycles, instructions and cache misses, where the core counts them and the firmware does not use these counters.

    `names` lists what `read` returns; it is empty where nothing counts. `off` restores every register that was changed. The
    cycle counter is never set: the firmware reads it as well.
    """

    def __init__(self, memory):
        self.names = ()
        self._memory = memory
        self._old = []  # (address, value) to restore, the last one first
        self._events = []  # numbers of the first counters of each pair
        self._own = 0  # bits of the counters that were switched on here
        if memory is None:
            return
        self._set(DEMCR, memory[DEMCR] | TRCENA)
        control = memory[DWT]
        if control and not control & 1 << 25:
            self._set(DWT, control | 1)
            if self._counts(lambda: memory[DWT + 4]):
                self.names = ("cycles",)
        if self.names and memory[0xE000ED00] >> 4 & 0xFFF in (0xD22, 0xD23, 0xD24):
            self._take_events(memory[PMU + 0xE00] & 0xFF)
        if not self.names:
            self.off()

    def _set(self, address, value):
        old = self._memory[address]
        if old != value:
            self._old.append((address, old))
            self._memory[address] = value

    def _counts(self, read):
        before = read()
        for _ in range(100):
            pass
        return read() != before

    def _take_events(self, count):
        memory = self._memory
        used = memory[PMU + 0xC00]
        free = [n for n in range(0, count - 1, 2) if not used >> n & 3]
        names = []
        for n, (name, event) in zip(free, EVENTS):
            for counter, kind in ((n, event), (n + 1, CHAIN)):
                self._old.append((PMU + 4 * counter, memory[PMU + 4 * counter]))
                self._set(PMU + 0x400 + 4 * counter, kind)
            self._events.append(n)
            self._own |= 3 << n
            names.append(name)
        if names:
            self._set(PMU + 0xE04, memory[PMU + 0xE04] | 1)
            memory[PMU + 0xC00] = self._own
            if self._counts(lambda: self._event(self._events[0])):
                self.names += tuple(names)

    def _event(self, n):
        memory, low = self._memory, PMU + 4 * n
        while True:
            above = memory[low + 4]
            below = memory[low]
            if memory[low + 4] == above:
                return (above & 0xFFFF) << 16 | below & 0xFFFF

    def read(self):
        """The counters now, in the order of `names`."""
        events = [self._event(n) for n in self._events[: len(self.names) - 1]]
        return [self._memory[DWT + 4]] + events

    def spent(self, call):
        """What a call adds to each counter."""
        before = self.read()
        call()
        after = self.read()
        return [(b - a) & 0xFFFFFFFF for a, b in zip(before, after)]

    def off(self):
        if self._own:
            self._memory[PMU + 0xC20] = self._own  # stop them first
            self._own = 0
        while self._old:
            address, value = self._old.pop()
            self._memory[address] = value

    def megahertz(self):
        """The core's clock as measured, or None."""
        if not self.names:
            return None
        begin, cycles = time.ticks_us(), self._memory[DWT + 4]
        while time.ticks_diff(time.ticks_us(), begin) < 20000:
            pass
        cycles = (self._memory[DWT + 4] - cycles) & 0xFFFFFFFF
        return cycles / time.ticks_diff(time.ticks_us(), begin)


counters = Counters(None)  # `main` sets them


# --- tensors ---


class Model:
    """The attributes of ml.Model that post-processors read."""

    def __init__(self, size, outputs, scales, zero_points):
        self.input_shape = ((1, size, size, 3),)
        self.output_shape = tuple([out.shape for out in outputs])
        self.output_dtype = tuple([chr(out.dtype) for out in outputs])
        self.output_scale = scales
        self.output_zero_point = zero_points


def file_of(name, shape, dtype):
    """The tensor in a file of the folder, or None."""
    folder = sys.argv[1] if len(sys.argv) > 1 else TENSORS
    if folder is None:
        return None
    try:
        with open("%s/%s.bin" % (folder, name), "rb") as file:
            try:
                data = memoryview(file)  # a file in a ROMFS is memory outside of the heap, like a model's outputs
                # It may have any address there, and a core faults on floats that are not at a multiple of 4.
                if dtype == np.float and addressof(data) % 4:
                    data = bytearray(data)
            except TypeError:
                data = bytearray(file.read())
            return np.frombuffer(data, dtype=dtype).reshape(shape)
    except OSError:
        return None


def noise(count, seed=1):
    """Pseudo-random bytes; the same 4 KB again and again, which is quick to make."""
    block = bytearray(min(count, 4096))
    state = seed
    for at in range(len(block)):
        state ^= (state << 7) & 0xFFFF
        state ^= state >> 9
        state ^= (state << 8) & 0xFFFF
        block[at] = state & 0xFF
    result = bytearray(count)
    for at in range(0, count, len(block)):
        result[at : at + len(block)] = block[: min(len(block), count - at)]
    return result


def filled_head(channels, anchors, scale, zero_point, boxes, copies, dtype):
    """A head (channels, anchors) with candidates around each box (x1, y1, x2, y2 in 0..1, score, class)."""
    head = np.zeros((channels, anchors), dtype=dtype)
    if zero_point:
        head[:, :] = zero_point
    anchor = 3
    for x1, y1, x2, y2, score, class_id in boxes:
        for copy in range(copies):
            shift = 0.003 * copy
            values = (x1 + x2) / 2 + shift, (y1 + y2) / 2 - shift, x2 - x1, y2 - y1, score - 0.03 * copy
            for row, value in zip((0, 1, 2, 3, 4 + class_id), values):
                head[row, anchor] = value if dtype == np.float else int(value / scale + 0.5) + zero_point
            anchor += anchors // 50
    return head


def seg():
    """The bus picture's five objects in yolov8n-seg 320: 8 candidates each."""
    boxes = (
        (0.153, 0.214, 0.867, 0.683, 0.9, 5),
        (0.153, 0.357, 0.337, 0.826, 0.9, 0),
        (0.327, 0.378, 0.449, 0.806, 0.8, 0),
        (0.755, 0.337, 0.877, 0.806, 0.8, 0),
        (0.05, 0.337, 0.15, 0.806, 0.7, 0),
    )
    head = file_of("seg_head", (1, 116, 2100), np.int8)
    protos = file_of("seg_protos", (1, 80, 80, 32), np.int8)
    zero_points = 24, -114
    if head is None or protos is None:
        # Noise around both zero points: about half of the pixels of each mask are set, and no mask is empty.
        zero_points = 24, 0
        head = filled_head(116, 2100, 0.0204, 24, boxes, 8, np.int8)
        for row in range(84, 116):
            head[row, :] = np.frombuffer(noise(2100, row), dtype=np.int8) // 4 + 24  # camera: int-with-array: -8 to 55
        head = head.reshape((1, 116, 2100))
        protos = np.frombuffer(noise(80 * 80 * 32), dtype=np.int8).reshape((1, 80, 80, 32))
    return Model(320, [head, protos], (0.02040208, 0.01966914), zero_points), [head, protos]


PEOPLE = (
    (0.17, 0.37, 0.33, 0.81, 0.87, 0),
    (0.32, 0.38, 0.45, 0.79, 0.81, 0),
    (0.75, 0.33, 0.87, 0.81, 0.6, 0),
)


def det():
    head = file_of("det", (1, 5, 756), np.float)
    if head is None:
        head = filled_head(5, 756, 1.0, 0, PEOPLE, 4, np.float).reshape((1, 5, 756))
    return Model(192, [head], (1.0,), (0,)), [head]


def pose():
    head = file_of("pose", (1, 56, 1344), np.float)
    if head is None:
        head = filled_head(56, 1344, 1.0, 0, PEOPLE, 4, np.float)
        head[5:, :] = 0.5
        head = head.reshape((1, 56, 1344))
    return Model(256, [head], (1.0,), (0,)), [head]


def heatmaps():
    maps = file_of("movenet", (1, 48, 48, 13), np.int8)
    if maps is None:
        maps = np.zeros((48, 48, 13), dtype=np.int8)
        maps[:, :, :] = -128
        for k in range(13):
            maps[10 + 2 * k, 20 + k, k] = 90
            maps[10 + 2 * k, 21 + k, k] = 40
        maps = maps.reshape((1, 48, 48, 13))
    return Model(192, [maps], (1 / 256,), (-128,)), [maps]


def class_scores(side, size, classes, name):
    scores = file_of(name, (1, side, side, classes), np.int8)
    if scores is None:
        scores = np.frombuffer(noise(side * side * classes), dtype=np.int8).reshape((1, side, side, classes))
    return Model(size, [scores], (0.19,), (0,)), [scores]


YOLO = {"threshold": 0.25, "iou_threshold": 0.7}
# title, constructor, options, function that makes model and outputs, its arguments, side of the frame for drawing
WORK = (
    ("YoloV8Seg, int8 [1,116,2100] and [1,80,80,32]", "YoloV8Seg", YOLO, seg, (), 320),
    ("YoloV8, float [1,5,756]", "YoloV8", YOLO, det, (), 192),
    ("YoloV8Pose, float [1,56,1344]", "YoloV8Pose", YOLO, pose, (), 256),
    ("MoveNet, int8 [1,48,48,13]", "MoveNet", {}, heatmaps, (), 192),
    ("DeepLab, int8 [1,320,320,2]", "DeepLab", {}, class_scores, (320, 320, 2, "deeplab_320"), 320),
    ("DeepLab, int8 [1,65,65,21]", "DeepLab", {}, class_scores, (65, 513, 21, "deeplab_65"), 0),
    ("DeepLab, int8 [1,512,512,5]", "DeepLab", {}, class_scores, (512, 512, 5, "deeplab_512"), 0),
)


# --- measuring ---


class Meter:
    """Measures every call of a kernel while it is on: {name: amount}."""

    def __init__(self):
        self.spent = {}
        self.calls = 0
        self._less = min([elapsed(now(), now()) for _ in range(5)])
        self._plain = []  # (group of kernels, name, kernel)

    def on(self):
        for name in NAMES:
            group = group_of(name)
            kernel = getattr(group, name)
            self._plain.append((group, name, kernel))
            setattr(group, name, self.metered(name, kernel))

    def off(self):
        for group, name, kernel in self._plain:
            setattr(group, name, kernel)

    def metered(self, name, kernel):
        def metered_kernel(*arguments):
            start = now()
            result = kernel(*arguments)
            end = now()
            self.calls += 1
            self.spent[name] = self.spent.get(name, 0) + max(0, elapsed(start, end) - self._less)
            return result

        return metered_kernel


def group_of(name):
    """The group that has a kernel, in the kind that is in use."""
    from n6post.kernels import boxes, drawing, maps

    for group in (boxes, maps, drawing):
        if hasattr(group, name):
            return group


def cost_of_metering():
    """The cost of metering one kernel call."""
    nothing = Meter().metered("nothing", len)
    nothing(b"")
    return timed(lambda: nothing(b"")) - overhead()


def measured(call, prepare=None):
    """(whole call, {kernel: amount}, the rest, counts) in the steady state.

    `prepare` runs before each call and is not counted. The counts are of one more frame.
    """
    prepare = prepare or list
    gc.collect()
    less = overhead()
    for _ in range(3):
        prepare()
        call()
    amounts = []
    for _ in range(FRAMES):
        prepare()
        amounts.append(timed(call) - less)
    amounts.sort()
    prepare()
    meter = Meter()
    meter.on()
    try:
        whole = timed(call) - less
    finally:
        meter.off()
    rest = whole - sum(meter.spent.values()) - meter.calls * cost_of_metering()
    counts = ()
    if counters.names:
        empty = counters.spent(lambda: None)
        prepare()
        counts = [max(0, n - m) for n, m in zip(counters.spent(call), empty)]
    return amounts[len(amounts) // 2], meter.spent, max(0, rest), counts


def row(*cells):
    """A row of the table; missing cells stay empty."""
    print("| " + " | ".join(list(cells) + [""] * (4 + len(counters.names) - len(cells))) + " |")


def line(title, whole, spent, rest, counts):
    inside = ["%s %s" % (name, text(spent[name])) for name in NAMES if name in spent]
    row(title, text(whole), ", ".join(inside), text(rest), *[digits(n) for n in counts])


def bench(title, family, options, make, arguments, side):
    try:
        process = getattr(n6post, family)(**options)
        model, outputs = make(*arguments)
    except (MemoryError, AttributeError, ImportError) as error:  # camera: memory-error: the table shows it
        row(title, type(error).__name__)
        return
    inputs = [None]
    line(title, *measured(lambda: process(model, inputs, outputs)))
    if side and image is not None:
        result = process(model, inputs, outputs)
        img = image.Image(side, side, image.RGB565)
        line("drawing that on %dx%d RGB565" % (side, side), *measured(lambda: n6post.draw(img, result), img.clear))


def over_time():
    """Tracking, zones and JSON, at 15 frames a second: a Tracker works more if it is told that a frame took 6 ms."""
    people = [n6post.Detection((20 * i, 60 + 3 * i, 30, 80), 0.9, 0, "person", None, None) for i in range(30)]
    for detections in (people[:10], people):
        update, many = n6post.Tracker().update, len(detections)
        made = measured(lambda u=update, d=detections: u(d, elapsed_ms=67))
        line("Tracker.update, %d tracks and %d detections" % (many, many), *made)
    tracked = update(people)[:10]
    border, zone = n6post.LineZone((0, 240), (639, 240)), n6post.PolygonZone([(0, 0), (400, 0), (400, 300), (0, 300)])
    line("LineZone.trigger of 10", *measured(lambda: border.trigger(tracked, elapsed_ms=67)))
    line("PolygonZone.trigger of 10", *measured(lambda: zone.trigger(tracked, elapsed_ms=67)))
    line("to_json of 10", *measured(lambda: n6post.to_json(tracked)))


def networks():
    """Networks of the ROM, with the input that is made of a frame of 320x240. The camera's NPU or CPU computes them."""
    try:
        import ml

        names = sorted([name for name in os.listdir(MODELS) if name.endswith(".tflite")])
    except (ImportError, OSError):
        return
    left = MOST_MODELS
    for name in names:
        if not left:
            return
        try:
            model = ml.Model("%s/%s" % (MODELS, name))
            if len(model.input_shape) != 1 or len(model.input_shape[0]) != 4 or model.input_shape[0][3] not in (1, 3):
                continue  # no picture
            left -= 1
            frame = n6post.Letterbox(image.Image(320, 240, image.RGB565))
            line("network " + name, *measured(lambda m=model, f=frame: m.predict([f], callback=lambda *given: None)))
        except Exception as error:  # camera: memory-error: the table shows it, as the firmware's own kinds
            row("network " + name, type(error).__name__)
        model = None
        gc.collect()


def shift():
    """How far a fitted frame lies from its true place, pixels of the input: a ramp of 640 pixels is fitted into 160.

    Each pixel of the input lies in the middle of four of the frame, so that its value is their mean.
    """
    frame = image.Image(640, 8, image.GRAYSCALE)
    memory = frame.bytearray()
    for x in range(640):
        for y in range(8):
            memory[640 * y + x] = x * 97 >> 8  # a slope that rounds in another way at each pixel
    small = bytearray(160 * 2)
    n6post.Stretch(frame)(small, (1, 2, 160, 1), ord("B"))
    off = [small[160 + x] - sum(memory[4 * x : 4 * x + 4]) / 4 for x in range(8, 152)]
    return sum(off) / len(off) / (4 * 97 / 256)


# Reads a word in each of 32 bytes, in an order without a pattern. `zero` is 0, but each address waits for the read before.
# x -> 5x + 7 modulo a power of two visits every number once (Knuth, The Art of Computer Programming 2, 3.2.1.2).
CHASE = """
@micropython.viper
def walk(words: ptr32, lines: int, steps: int, zero: int) -> int:
    at = 0
    while steps:
        at = ((at * 5 + 7) & (lines - 1)) + (words[at << 3] & zero)
        steps -= 1
    return at
"""


def line_costs():
    """What a line of 32 bytes costs in each memory that can be reached: (name, address, cycles)."""
    space = {}
    try:
        exec("import micropython\n" + CHASE, space)  # compiled where it is measured: not every camera has viper
    except SyntaxError:
        return
    read, memory = space["walk"], counters._memory
    many, few = 8192, 128  # 256 KB, more than any cache, and 4 KB, which every cache holds

    def cycles(words, lines):
        read(words, lines, 2 * lines, 0)
        begin = memory[DWT + 4]
        read(words, lines, 4096, 0)
        return (memory[DWT + 4] - begin) & 0xFFFFFFFF

    for name, take in (("heap", lambda: bytearray(32 * many)), ("ROM", rom)):
        try:
            data = take()
        except (MemoryError, OSError, TypeError, ImportError):  # camera: memory-error: the table has no such row
            continue
        if data is not None:
            yield name, addressof(data), (cycles(data, many) - cycles(data, few)) / 4096


def rom():
    """256 KB of a model in the ROM, where the firmware reads it in place."""
    for name in os.listdir(MODELS):
        path = "%s/%s" % (MODELS, name)
        if name.endswith(".tflite") and os.stat(path)[6] >= 1 << 18:
            with open(path, "rb") as file:
                data = memoryview(file)
                return data if addressof(data) % 4 == 0 else None


def machine():
    """The camera and its firmware."""
    try:
        import omv

        if sys.implementation.name == "cpython":
            return "a PC that stands in for a camera"
        return "OpenMV %s, firmware %s" % (omv.board_type(), omv.version_string())
    except (ImportError, AttributeError):
        return "%s on %s" % (sys.implementation.name, sys.platform)


def cache(memory, which):
    """A cache as its registers describe it, "32 KB in 4 ways": 0 data, 1 code."""
    old = memory[0xE000ED84]
    memory[0xE000ED84] = which  # CSSELR
    size = memory[0xE000ED80]  # CCSIDR
    memory[0xE000ED84] = old
    ways, sets, line = (size >> 3 & 0x3FF) + 1, (size >> 13 & 0x7FFF) + 1, 16 << (size & 7)
    return "%d KB in %d ways" % (ways * sets * line // 1024, ways)


def core(memory):
    """The core and its clock, and what is switched on: "Cortex-M55 r1p0 at 800 MHz, caches on (...), branch cache off"."""
    if memory is None:
        return "unknown core"
    cpu, control = memory[0xE000ED00], memory[0xE000ED14]
    part = cpu >> 4 & 0xFFF
    words = "Cortex-%s r%dp%d" % (CORES.get(part, "M 0x%X" % part), cpu >> 20 & 15, cpu & 15)
    clock = counters.megahertz()
    words += " at %.0f MHz" % clock if clock else ", clock unknown"
    words += ", caches %s" % ("on" if control >> 16 & 3 == 3 else "off")
    if memory[0xE000ED78] & 7 == 3:  # CLIDR: one for code and one for data
        words += " (data %s, code %s)" % (cache(memory, 0), cache(memory, 1))
    if part in (0xD22, 0xD23, 0xD24):
        words += ", branch cache %s" % ("on" if control >> 19 & 1 else "off")
    return words


def place():
    """The folder of the library: in a ROMFS its bytecode uses no heap, and over a cable it starts slowly."""
    folder = n6post.__file__.replace("\\", "/").rpartition("/n6post/")[0]
    return folder if folder else "the working folder, or frozen"


def start(title, family, options, make, arguments, side):
    """The cells of the row of a start: the import, a processor and its first frame."""
    global n6post
    model, outputs = make(*arguments)
    inputs = [None]
    gc.collect()
    heap = gc.mem_alloc()
    begin = now()
    import n6post

    process = getattr(n6post, family)(**options)
    result = process(model, inputs, outputs)
    taken = elapsed(begin, now())
    del result
    gc.collect()
    return "start: import, %s, its first frame; then %d bytes of heap" % (family, gc.mem_alloc() - heap), text(taken)


def main():
    global counters
    first = start(*WORK[START])
    memory = registers()
    counters = Counters(memory)
    try:
        print("n6post %s, %s, %s, %s kernels, from %s\n" % (
            n6post.__version__, machine(), core(memory), n6post.kernels.active, place()))  # fmt: skip
        row("work", UNIT, "in kernels", "the rest", *counters.names)
        print("| --- | ---: | --- | ---: |" + " ---: |" * len(counters.names))
        row(*first)
        for work in WORK:
            bench(*work)
        over_time()
        if image is not None:
            row("shift of a fitted frame, pixels of the input", "%.2f" % shift())
            networks()
        if counters.names:
            for name, address, cycles in line_costs():
                row("32 bytes of the %s at 0x%08x, cycles" % (name, address), "%.1f" % cycles)
    finally:
        counters.off()
    print("\n%s: the median of %d frames. %s" % (
        UNIT, FRAMES, "The other numbers are the core's counts of one more frame." if counters.names else END))  # fmt: skip


if __name__ == "__main__":
    main()
