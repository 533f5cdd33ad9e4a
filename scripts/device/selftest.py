"""Self-test of n6post: on a camera, an emulated camera, MicroPython with ulab, or CPython with the stubs.

    python3 scripts/camera.py selftest      on this PC; --port: on a camera; --micropython: on that binary

It needs only n6post: no model, no sensor, no file. It contains small recorded outputs of real networks and the results
that plain numpy computes from them. It prints each check and ends with one line: N passed, N failed.
"""

import gc
import json
import sys
import time
from array import array
from binascii import a2b_base64, crc32

import micropython
import n6post
import n6post.kernels
from n6post.firmware import draw_string_takes_xy_tuple, stretches_plain_image
from n6post.kernels import maps
from n6post.kernels.params import anchors as anchor_params
from n6post.kernels.params import boxes as params
from n6post.kernels.params import crops as crop_params
from n6post.kernels.params import drawing as drawing_params
from n6post.kernels.params import heads as head_params
from n6post.kernels.params import hide as hide_params
from n6post.kernels.params import maps as map_params
from n6post.kernels.params import measures as measure_params
from n6post.kernels.params import neighbors as neighbor_params
from n6post.kernels.params import oriented as oriented_params
from n6post.kernels.params import places as place_params
from n6post.kernels.params import poses as pose_params
from n6post.kernels.portable import boxes as portable_boxes
from n6post.kernels.portable import oriented as portable_oriented
from n6post.pixels.rounding import same_floats
from n6post.pixels.text import font as known_font
from ulab import numpy as np

try:
    import image
except ImportError:  # a MicroPython that is no camera
    image = None

REAL = sys.implementation.name == "micropython"
FRAME_HEAP = 4096  # bytes that a frame may take from the heap in addition to its result


class Skipped(Exception):  # noqa: N818
    """This machine cannot run the check."""


def expect(got, wanted, what):
    if got != wanted:
        raise ValueError("%s: expected %s, got %s" % (what, wanted, got))


def expect_close(got, wanted, tolerance, what):
    if len(got) != len(wanted) or any([not abs(g - w) <= tolerance for g, w in zip(got, wanted)]):
        raise ValueError("%s: expected %s, got %s" % (what, wanted, got))


# --- the recorded tensors, in every form that a network may output ---


def inflated(data):
    try:
        import io

        import deflate

        return deflate.DeflateIO(io.BytesIO(data), deflate.ZLIB, 15).read()
    except ImportError:
        import zlib

        return zlib.decompress(data)


class Model:
    """The attributes of ml.Model that post-processors look at."""

    def __init__(self, size, arrays, scales, zero_points):
        self.input_shape = ((1, size[1], size[0], 3),)
        self.output_shape = tuple([a.shape for a in arrays])
        self.output_dtype = tuple([chr(a.dtype) for a in arrays])
        self.output_scale = tuple(scales)
        self.output_zero_point = tuple(zero_points)


FORMS = ("int8", "uint8", "int16", "float", "other order")


def recorded(family, form="int8"):
    """(model, outputs, options, expected results) of a family."""
    options, size, outputs, expected = RECORDED[family]
    arrays, scales, zero_points = [], [], []
    for shape, scale, zero_point, data in outputs:
        raw = bytearray(inflated(a2b_base64(data)))
        if form == "uint8":
            for at in range(len(raw)):
                raw[at] ^= 0x80
            zero_point += 128
            values = np.frombuffer(raw, dtype=np.uint8)
        elif form == "other order":
            # Heads [1, C, N] become [1, N, C], maps [1, H, W, C] become [1, C, H, W].
            rows, columns = (shape[1], shape[2]) if len(shape) == 3 else (shape[1] * shape[2], shape[3])
            raw = turned(raw, rows, columns)
            shape = (1, shape[2], shape[1]) if len(shape) == 3 else (1, shape[3], shape[1], shape[2])
            values = np.frombuffer(raw, dtype=np.int8)
        else:
            values = np.frombuffer(raw, dtype=np.int8)
            if form == "int16":
                values = np.array(values, dtype=np.int16)
            elif form == "float":
                values = (np.array(values, dtype=np.float) - float(zero_point)) * scale
                scale, zero_point = 1.0, 0  # the firmware's values for a float output
        arrays.append(values.reshape(shape))
        scales.append(scale)
        zero_points.append(zero_point)
    return Model(size, arrays, scales, zero_points), arrays, dict(options), expected


def turned(raw, rows, columns):
    result = bytearray(rows * columns)
    for row in range(rows):
        for column in range(columns):
            result[column * rows + row] = raw[row * columns + column]
    return result


def processor(family, options):
    return getattr(n6post, family)(**options)


def no_frame(model):
    """An input without a frame: results are in pixels of the model's input."""
    return [None]


def processed(family, form="int8"):
    model, outputs, options, expected = recorded(family, form)
    return processor(family, options)(model, no_frame(model), outputs), expected


# --- each family ---


def check_detections(family, form):
    compare(*processed(family, form))


def compare(found, expected):
    if "classes" in expected:
        expect([d.class_id for d in found], expected["classes"], "classes")
        expect([d.rect for d in found], expected["rects"], "rects")
        expect_close([d.score for d in found], expected["scores"], 3e-6, "scores")
    if "keypoints" in expected:
        expect(len(found), len(expected["keypoints"]), "people")
        for person, points in zip(found, expected["keypoints"]):
            got = [float(person.keypoints[j, k]) for j in range(len(person.keypoints)) for k in range(3)]
            expect_close(got, points, 2e-3, "keypoints")
    if "masks" in expected:
        expect([plane_crc(d.mask) for d in found], expected["masks"], "masks")
        expect([d.mask.area for d in found], expected["areas"], "mask areas")


def check_random(family, form):
    options, size, outputs, expected = RANDOM[family]
    arrays, scales, zero_points = [], [], []
    for shape, scale, zero_point, data in outputs:
        values = np.frombuffer(bytearray(inflated(a2b_base64(data))), dtype=np.int8)
        if form == "float":
            values = (np.array(values, dtype=np.float) - float(zero_point)) * scale
        arrays.append(values.reshape(shape))
        scales.append(scale)
        zero_points.append(zero_point)
    model = Model(size, arrays, scales, zero_points)
    found = processor(family, options)(model, no_frame(model), arrays)
    if "ranking" in expected:
        expect([one.class_id for one in found], [one[0] for one in expected["ranking"]], "classes")
        expect_close([one.score for one in found], [one[1] for one in expected["ranking"]], 3e-6, "scores")
    elif "text" in expected:
        expect(found.text, expected["text"], "text")
        expect_close(found.scores, expected["scores"], 3e-6, "scores")
    elif "vector" in expected:
        expect_close(found.tolist(), expected["vector"], 3e-6, "numbers")
    elif "depths" in expected:
        expect_close((found.minimum(), found.median(), found.maximum()), expected["depths"], 3e-5, "distances")
    else:
        expect_close([d.score for d in found], expected["scores"], 3e-6, "scores")
        if "classes" in expected:
            expect([d.class_id for d in found], expected["classes"], "classes")
            expect([d.rect for d in found], expected["rects"], "rects")
        if "points" in expected:
            step = max(1, len(found[0].keypoints) // 12)
            points = [v for d in found for point in d.keypoints.tolist()[::step] for v in point[:2]]
            expect_close(points, expected["points"], 3e-3, "keypoints")
        if "corners" in expected:
            for d, wanted in zip(found, expected["corners"]):
                corners = [v for point in d.corners.tolist() for v in point]
                turns = [corners[at:] + corners[:at] for at in range(0, 8, 2)]
                off = [max([abs(a - b) for a, b in zip(turn, wanted)]) for turn in turns]
                expect(min(off) < 5e-3, True, "corners %s, expected %s" % (corners, wanted))


def plane_crc(mask):
    """CRC of `mask.contains` at one pixel of each 4 x 4 block, which is one prototype pixel; a byte each."""
    plane = bytearray(256)
    for at in range(256):
        plane[at] = mask.contains(at % 16 * 4 + 1, at // 16 * 4 + 1)
    return crc32(plane)


class Frame:
    """The part of an image that an input transform needs, for machines without an image module."""

    def __init__(self, width=640, height=480):
        self.size = width, height

    def width(self):
        return self.size[0]

    def height(self):
        return self.size[1]


def check_letterbox(family):
    """Results of a letterboxed region of interest are mapped back to the frame."""
    model, outputs, options, expected = recorded(family)
    found = processor(family, options)(model, [n6post.Letterbox(Frame(), roi=ROI)], outputs)
    expect([d.rect for d in found], expected["letterboxed"], "rects")


def last_boxes(binding):
    """(anchor, class, score, x1, y1, x2, y2) of each detection of the last frame, in pixels of the model's input."""
    values, labels, _ = binding.decoder.buffers
    units = [binding.unit_x, binding.unit_y, binding.unit_x, binding.unit_y, binding.tensor.scale]
    rows = []
    for i in range(binding.block[params.BOXES_TO_FRAME_KEPT]):
        at = int(labels[2, i])
        x1, y1, x2, y2, score = [float(values[k, at]) * units[k] for k in range(5)]
        rows.append((int(labels[0, at]), int(labels[1, at]), score, x1, y1, x2, y2))
    return rows


def check_end_to_end(family, transposed):
    """The same objects as rows of x1, y1, x2, y2, score, class and the family's extra channels; the best ones last."""
    model, outputs, options, expected = recorded(family, "float")
    process = processor(family, options)
    process(model, no_frame(model), outputs)
    _, height, width, _ = model.input_shape[0]
    _, channels, anchors = outputs[0].shape
    head = outputs[0].reshape((channels, anchors))
    first = 84 if family == "YoloV8Seg" else 5
    found = last_boxes(process._binding)
    rows = np.zeros((len(found) + 2, 6 + channels - first))  # two of padding
    for i, (anchor, class_id, score, x1, y1, x2, y2) in enumerate(found):
        row = rows[len(found) - 1 - i]
        row[:6] = np.array([x1 / width, y1 / height, x2 / width, y2 / height, score, class_id])
        row[6:] = np.array(head[first:, anchor])
    if transposed:
        rows = np.array(rows.transpose())
    outputs = [rows.reshape((1,) + rows.shape)] + outputs[1:]
    model = Model((width, height), outputs, (1.0, 1.0), (0, 0))
    expect(type(n6post.processor_for(model, **options)).__name__, family, "processor_for")
    process = processor(family, options)
    compare(process(model, no_frame(model), outputs), expected)
    rows[:] = 0.0
    expect(process(model, no_frame(model), outputs), [], "detections in zeros")


def check_class_map(form):
    seen, expected = processed("DeepLab", form)
    expect(crc32(seen.class_map.tobytes()), expected["map"], "class map")
    expect([seen.area(0), seen.area(1)], expected["areas"], "areas")
    expect(seen.class_ids(), [1], "classes present")


def check_agreement(fit, roi):
    """class_at, mask and draw agree on every pixel, and the areas are the counts of these pixels."""
    model, outputs, options, _ = recorded("DeepLab")
    seen = processor("DeepLab", options)(model, [getattr(n6post, fit)(Frame(80, 80), roi)], outputs)
    mask = seen.mask(1)
    counted = [0, 0]
    pixels = None
    if image:
        img = image.Image(80, 80, image.RGB565)  # `pixels` is only valid while something holds it
        pixels = seen.draw(img, palette=(None, (255,) * 3), alpha=255).bytearray()
    for at in range(80 * 80):
        x, y = at % 80, at // 80
        class_id = seen.class_at(x, y)
        if class_id is not None:
            counted[class_id] += 1
        one = class_id == 1
        expect((mask.contains(x, y), pixels[2 * at] > 0 if pixels else one), (one, one), "pixel %d" % at)
    expect([seen.area(0), seen.area(1), mask.area], counted + counted[1:], "areas")


def check_matched(family):
    model, _, options, _ = recorded(family)
    expect(type(n6post.processor_for(model, **options)).__name__, family, "processor_for")


def check_diagnosed(family):
    model, outputs, _, _ = recorded(family)
    expect(n6post.diagnose(model, outputs), [], "findings")


def check_json(family):
    """as_dict, as JSON text, is the same on every machine."""
    result, expected = processed(family)
    if family == "DeepLab":
        expect(json.dumps(result.as_dict()), expected["json"], "as_dict")
    else:
        expect([json.dumps(d.as_dict()) for d in result], expected["json"], "as_dict")


def check_numbers():
    """The same bits and text on every machine."""
    expect(crc32(same_floats(0.05, 1 / 3, 215 / 96).tobytes()), 1032405093, "bits")
    d = n6post.Detection((1, 2, 3, 4), 2.0**90, 0, "", None, np.array([[310.25, 1e6, 0.0625]]))
    text = '%d, "class_id": 0, "label": "", "keypoints": [[310.2, 1000000, 0.062]]}' % (1 << 90)
    expect(n6post.to_json(d)[32:], text, "to_json")


def check_derived(family):
    """Values that a detection derives from its fields."""
    found, expected = processed(family)
    for i, d in enumerate(found):
        x, y, w, h = d.rect
        expect(d.center, (x + w // 2, y + h // 2), "center")
        read = json.loads(json.dumps(d.as_dict(outline=True)))
        expect((read["rect"], read["class_id"], read["label"]), ([x, y, w, h], d.class_id, d.label), "as_dict")
        if d.mask is not None:
            expect(read["mask"]["area"], expected["areas"][i], "area")
            expect(read["mask"]["outline"], [list(point) for point in d.mask.outline()], "outline")
        moved = d.replace(rect=(1, 2, 3, 4), label="moved")
        expect((moved.rect, moved[1:3], moved.label, moved[4] is d.mask), ((1, 2, 3, 4), d[1:3], "moved", True), "replace")
        expect((type(moved) is type(d), d.rect), (True, (x, y, w, h)), "replace")
        # camera: namedtuple: Detection has its own _replace, _asdict and _fields, as a namedtuple of a PC
        expect(d._replace(score=2).score, 2, "_replace")
        # camera: namedtuple: as above
        expect(list(d._asdict().items()), list(zip(d._fields, d)), "_asdict")
        expect_error(AttributeError, lambda d=d: d.labell, "labell")
        expect_error(AttributeError, lambda d=d: setattr(d, "label", "a"), "replace(label=...)")
        expect_error(ValueError, lambda d=d: d.replace(lable="a"), "got lable")
        expect_error(ValueError, lambda d=d: d.keypoint("left ellbow"), "expected")


def check_keypoints(family):
    found, expected = processed(family)
    for d, bends in zip(found, expected["bends"]):
        names = n6post.keypoint_names(len(d.keypoints))
        for i, name in enumerate(names):
            x, y, score = d.keypoint(name)
            row = [float(v) for v in d.keypoints[i]]
            expect((x, y, d.keypoint(i)), (int(row[0]), int(row[1]), d.keypoint(name)), "keypoint")
            expect_close([score], row[2:], 1e-6, "score")
        expect(d.keypoint("nose"), d.keypoint("head"), "nose and head")
        for side, bend in zip(("left", "right"), bends):
            got = d.angle(side + " shoulder", side + "_elbow", side + " wrist")
            if bend is None:
                expect(got, None, "angle")
            else:
                expect_close([got], [bend], 0.02, "angle")
        expect_error(ValueError, lambda d=d: d.keypoint("left ellbow"), "'left elbow'")


def expect_error(kind, action, part):
    try:
        action()
    except kind as error:
        if part not in str(error):
            raise ValueError("expected an error with %s in its message, got %s" % (part, error)) from None
        return
    raise ValueError("no error with %s in its message was raised" % part)


def check_names():
    """Classes may be given by name; an unknown name is refused with the known ones."""
    model, outputs, options, _ = recorded("YoloV8Seg")
    everything = n6post.YoloV8Seg(**options)(model, [None], outputs)
    wanted = everything[-1].label
    found = n6post.YoloV8Seg(classes=[wanted], **options)(model, [None], outputs)
    expect([d[:4] for d in found], [d[:4] for d in everything if d.label == wanted], "classes=[%s]" % wanted)
    expect_error(
        ValueError, lambda: n6post.YoloV8Seg(classes=[wanted + "s"], **options)(model, [None], outputs), repr(wanted)
    )
    model, outputs, options, _ = recorded("DeepLab")
    seen = n6post.DeepLab(labels={0: "nothing", 1: "person"}, background="nothing")(model, [None], outputs)
    expect((seen.fraction("person"), seen.area("person")), (seen.fraction(1), seen.area(1)), "by name")
    expect((seen.mask("person").area, seen.background, seen.label(1)), (seen.mask(1).area, 0, "person"), "by name")
    expect_error(ValueError, lambda: seen.fraction("dog"), "'person'")
    for labels in (["a"], ["a", "", "b"], {1: "a"}, "/no/such/file.txt"):
        expect_error(ValueError, lambda labels=labels: n6post.processor_for(model, labels=labels), "expected")


def check_refused():
    model, outputs, _, _ = recorded("YoloV8")
    for bad in ([], [outputs[0], outputs[0]], [outputs[0].reshape((5, 12, 7))], [3]):
        try:
            n6post.YoloV8()(model, [None], bad)
        except ValueError:
            continue
        raise ValueError("unsupported outputs were not refused: %s" % (bad,))


def check_views_refused(family):
    """Views that are not dense are refused: machine code would get the address of the array's header."""
    model, outputs, options, _ = recorded(family)
    process = processor(family, options)
    for at in range(len(outputs)):
        out = outputs[at]
        shape = out.shape
        wide = np.zeros(2 * out.size, dtype=out.dtype).reshape((1, 2 * shape[1]) + shape[2:])
        views = wide[:, : shape[1]], wide[:, ::2], out[:, ::-1], out[:, :, ::-1]
        for i in range(len(views) + 2):
            # Each view in a first frame; then the first two, whose strides ulab shows, in a frame after a good one.
            if i >= len(views):
                process(model, [None], outputs)
            else:
                process = processor(family, options)
            try:
                process(model, [None], outputs[:at] + [views[i % len(views)]] + outputs[at + 1 :])
            except ValueError:
                continue
            raise ValueError("view %d of output %d was not refused" % (i, at))


def check_nothing_found():
    model, outputs, options, _ = recorded("YoloV8Seg")
    options["threshold"] = 1.0
    expect(n6post.YoloV8Seg(**options)(model, [None], outputs), [], "detections")


# --- kernels: the active ones against the portable ones, byte by byte ---

LETTERS = ("b", "B", "h", "f")
DTYPES = {"b": np.int8, "B": np.uint8, "h": np.int16, "f": np.float}


class Random:
    """The same numbers on every machine; 16 bits, which need no heap."""

    def __init__(self, seed):
        self.state = seed

    def bytes(self, count):
        result = bytearray(count)
        state = self.state
        for at in range(count):
            state ^= (state << 7) & 0xFFFF
            state ^= state >> 9
            state ^= (state << 8) & 0xFFFF
            result[at] = state >> 4 & 0xFF
        self.state = state
        return result

    def values(self, letter, count, special=()):
        """An array over its type's whole range; floats: steps of 1/16, with NaN and infinity at `special`."""
        if letter == "f":
            values = np.array(np.frombuffer(self.bytes(count), dtype=np.int8), dtype=np.float) * 0.0625
            for at, value in zip(special, (float("nan"), float("inf"), float("nan"), -float("inf"))):
                if at < count:
                    values[at] = value
            return values
        return np.frombuffer(self.bytes(count * (2 if letter == "h" else 1)), dtype=DTYPES[letter])


def raw(buffer):
    return buffer.tobytes() if hasattr(buffer, "tobytes") else bytes(buffer)


# Each of the following functions makes the arguments of one kernel, the same at every call, and the buffers that it writes.


def candidates_case(letter, channels_first, classes, anchors, capacity, allowed):
    channels = 4 + classes + 1
    first = 4 * anchors if channels_first else 4
    head = Random(classes * 64 + anchors).values(letter, channels * anchors, (first, first + 1))
    cut = {"b": 90, "B": 200, "h": 20000, "f": 5.5}[letter]
    zero_point = {"b": -7, "B": 121, "h": 300, "f": 0}[letter]
    steps = (anchors, 1) if channels_first else (1, channels)
    block = params.candidates(
        dtype=ord(letter),
        anchors=anchors,
        channels=channels,
        channel_step=steps[0],
        anchor_step=steps[1],
        first_class=4,
        classes=classes,
        zero_point=zero_point,
        cut=cut,
        capacity=capacity,
        allowed=allowed,
    )
    written = [np.zeros((5, capacity)), np.zeros((3, capacity), dtype=np.uint16)]
    return [head, block] + written, written


def class_scores_case(letter, channels_first, classes, anchors, capacity):
    """The class scores of a split head: a map without boxes, whose logits are negative at the threshold."""
    scores = Random(classes * 32 + anchors).values(letter, classes * anchors)
    block = params.candidates(
        dtype=ord(letter),
        anchors=anchors,
        channels=classes,
        channel_step=anchors if channels_first else 1,
        anchor_step=1 if channels_first else classes,
        first_class=0,
        classes=classes,
        zero_point=0,
        cut={"b": -3, "B": 125, "h": -700, "f": -0.25}[letter],
        capacity=capacity,
    )
    written = [np.zeros((5, capacity)), np.zeros((3, capacity), dtype=np.uint16)]
    return [scores, block] + written, [written[0][4:], written[1][:2]]


def suppress_case(class_agnostic, most):
    """Candidates of a crowded head, and the parameter block of suppress."""
    (head, block, values, labels), written = candidates_case("b", True, 3, 120, 60, ())
    found = portable_boxes.candidates(head, block, values, labels)
    return [params.suppress(found, 0.4, class_agnostic, most, 60), values, labels], written


def boxes_to_frame_case(window, ring, padding):
    (block, values, labels), _ = suppress_case(0, 30)
    kept = portable_boxes.suppress(block, values, labels)
    # Corners in order, and a last box in the frame: what follows the last row is undefined. Boxes beside the frame stay.
    one, other = values[:2] * 1.0, values[2:4] * 1.0
    values[:2] = np.minimum(one, other)
    values[2:4] = np.maximum(one, other)
    values[:4, int(labels[2, kept - 1])] = np.array([-8, -4, 40, 44])
    block = params.boxes_to_frame(
        kept=kept,
        capacity=60,
        width=200,
        height=150,
        ax=0.75,
        bx=60.25,
        ay=0.625,
        by=40.5,
        scale=0.0078125,
        window=window,
        proto_width=40,
        proto_height=30,
        px=0.15,
        py=0.125,
        pad_x=padding,
        pad_y=2 * padding,
        ring=ring,
    )
    table = array("i", [-1] * (params.ROW * kept + 4))
    return [block, values, labels, table], [table]


def prototype_mask_case(letter, channels_last, terms, window):
    width, height = 9, 7
    random = Random(terms)
    protos = random.values(letter, width * height * terms)
    head = random.values(letter, terms * 5)
    block = params.prototype_mask(
        dtype=ord(letter),
        width=width,
        height=height,
        coefficients=terms,
        pixel_step=terms if channels_last else 1,
        coefficient_step=1 if channels_last else width * height,
        zero_point=0 if letter == "f" else 3,
        head_zero_point=0 if letter == "f" else -5,
        first=2,
        step=5,
        window_x=window[0],
        window_y=window[1],
        window_w=window[2],
        window_h=window[3],
        threshold=1.5 if letter in "hf" else 40,
    )
    out = bytearray(window[2] * window[3] + 16)
    return [protos, head, block, out], [out]


def class_map_case(letter, channels_last, classes, pixels, at=0):
    """at: the offset of the logits from a multiple of 16, in bytes"""
    logits = Random(classes).values(letter, classes * pixels + at, (0, 3, 9, 14))[at:]
    steps = (classes, 1) if channels_last else (1, pixels)
    block = map_params.class_map(ord(letter), pixels, classes, steps[0], steps[1], 1.25 if letter == "f" else 20)
    out = bytearray(pixels + 16)
    return [logits, block, memoryview(out)[:pixels]], [out]


def class_histogram_case(pixels):
    classes = np.frombuffer(Random(pixels).bytes(pixels), dtype=np.uint8)
    out = array("i", [-1] * 256)
    return [classes, map_params.class_histogram(pixels), out], [out]


def peaks_case(letter, channels_last, keypoints, width, height, refine):
    heat = Random(keypoints + width).values(letter, keypoints * width * height, (2, 4))
    block = map_params.peaks(
        dtype=ord(letter),
        width=width,
        height=height,
        keypoint_count=keypoints,
        pixel_step=keypoints if channels_last else 1,
        keypoint_step=1 if channels_last else width * height,
        zero_point=0 if letter == "f" else 4,
        cut={"b": 100, "B": 230, "h": 30000, "f": 6.5}[letter],
        refine=refine,
        scale=0.0078125,
        ax=8.5,
        bx=3.25,
        ay=7.75,
        by=-2.5,
        frame_width=60,
        frame_height=50,
    )
    out = np.zeros((keypoints, 3))
    return [heat, block, out], [out, block]


def tint_mask_case(depth, centered, x, y, scale, clip):
    frame = Random(61).bytes(depth * 61 * 47)
    # The clip rectangle lies inside the scaled mask, as in Mask.draw.
    left, top, right, bottom = clip
    block = drawing_params.tint_mask(
        depth=depth,
        frame_width=61,
        frame_height=47,
        width=9,
        height=7,
        x=x,
        y=y,
        x_scale=scale,
        y_scale=scale,
        x0=max(left, x),
        y0=max(top, y),
        x1=min(right, x + int(9 * scale)),
        y1=min(bottom, y + int(7 * scale)),
        color=0x8C51 if depth == 2 else 201,
        alpha=150,
        centered=centered,
    )
    return [frame, Random(11).bytes(9 * 7), block], [frame]


def map_block(depth, x, y, scale):
    edges = [x + int(column * scale) for column in range(14)] + [y + int(row * scale) for row in range(10)]
    return drawing_params.tint_map(depth, 61, 47, 5, 13, 9, edges)


def tint_map_case(depth, x, y, scale):
    frame = Random(61).bytes(depth * 61 * 47)
    return [frame, Random(12).bytes(13 * 9), map_block(depth, x, y, scale), Random(13).bytes(768)], [frame]


def count_class_pixels_case(*where):
    return [bytearray(b"\5\0\5\7" * 30), map_block(2, *where)], []


def clip_mask_case(rect, window, margin):
    block = drawing_params.tint_mask(
        depth=2,
        frame_width=200,
        frame_height=150,
        x_scale=4.375,
        y_scale=3.625,
        offset_x=10.75,
        offset_y=-5.25,
        seen_x=7,
        seen_y=3,
        seen_w=180,
        seen_h=140,
        margin_x=margin,
        margin_y=2 * margin,
    )
    x, y, w, h = rect
    wx, wy, ww, wh = window
    row = drawing_params.row(x, y, w, h, window_x=wx, window_y=wy, window_w=ww, window_h=wh, start=77)
    table = array("i", [9] * params.ROW) + row
    return [block, table, params.ROW], [block]


def suppress_masks_case(part, class_agnostic):
    data = Random(5).bytes(5 * 120)
    table = array("i")
    for i in range(5):
        window = {"window_x": i, "window_y": 2, "window_w": 12, "window_h": 10, "start": 120 * i}
        rect = {"x": 3 * i, "y": 5, "w": 40 - 9 * i, "h": 30}
        crop = {"crop_x0": i, "crop_y0": 2, "crop_x1": i + 11 - i % 3, "crop_y1": 12 - i}
        table += drawing_params.row(class_id=i & 1, **rect, **crop, **window)
    block = params.suppress_masks(
        rows=5,
        part=part,
        class_agnostic=class_agnostic,
        width=60,
        height=44,
        margin_x=1,
        margin_y=0,
        ax=0.25,
        bx=0.125,
        ay=0.25,
        by=0.125,
    )
    return [block, table, data], [table]


def box_case(depth, thickness, rect, filled):
    frame = Random(61).bytes(depth * 61 * 47)
    x, y, w, h = rect
    gx, gy, gw, gh = filled
    scale = 1 + thickness % 3
    block = drawing_params.box(depth, 61, 47, x, y, w, h, thickness, gx, gy, gw, gh, 0xE94A, 0xFFFF, scale)
    text = "%d~ Qg" % (gx + gw)
    return [frame, block, text, glyphs(text)], [frame]


def glyphs(text):
    """The font of box, with the firmware's glyphs of these characters and the columns from each to the next."""
    font = bytearray(95 * 81)
    for letter in text:
        at = ord(letter) - 32
        glyph = image.Image(8, 10, image.GRAYSCALE)
        if draw_string_takes_xy_tuple():
            glyph.draw_string((0, 0), letter, color=(255, 255, 255), scale=1, mono_space=False)
        else:
            glyph.draw_string((0, 0, letter), color=(255, 255, 255), scale=1, mono_space=False)
        pixels = bytes(glyph.bytearray())
        font[80 * at : 80 * at + 80] = pixels
        inked = [column for column in range(8) if any([pixels[row + column] for row in range(0, 80, 8)])]
        font[95 * 80 + at] = 48 + (inked[-1] + 2 if inked else 3)
    return font


def check_text_widths():
    """The widths of all characters that the library knows are those of this firmware's font."""
    every = "".join([chr(code) for code in range(32, 127)])
    expect(bytes(known_font[95 * 80 :]), bytes(glyphs(every)[95 * 80 :]), "columns from a character to the next")


def place_labels_case(count, line):
    table = array("i", [value // 3 for value in Random(3).bytes(4 * count)])
    return [drawing_params.place_labels(count, 160, 90, line), table], [table]


def pose_case(depth, thickness, radius):
    random = Random(17)
    frame = random.bytes(depth * 61 * 47)
    points = np.array([[a * 0.3 - 8.0, b * 0.25 - 8.0, c / 256] for a, b, c in zip(*[iter(random.bytes(51))] * 3)])
    skeleton = array("H", [3, 9, 0, 4, 5, 1, 0, 16, 2, 9, 11, 2] + [i % 3 for i in range(17)])
    block = pose_params.pose(depth, 61, 47, 17, 4, thickness, radius, 0.3, 0x051F, 0xFC00, 0xFFFF)
    return [frame, block, points, skeleton], [frame]


def color_sums_case(depth, edges):
    frame, mask = Random(14).bytes(depth * 61 * 47), Random(15).bytes(13 * 8 + 9)
    out = array("i", [-1] * 19)
    return [frame, mask, place_params.color_sums(depth, 61, 13, 9, 9, edges), out], [out]


def class_bands_case(width, bands):
    classes = bytearray([value & 3 for value in Random(16).bytes(9 * width)])
    edges = [2 * at + at // 3 for at in range(width + 1)] + [5 * at for at in range(10)]
    edges += [45 * band // bands for band in range(bands + 1)]
    out = array("i", [-1] * (4 * bands))
    scratch = array("H", bytes(2 * width))
    return [classes, place_params.class_bands(2, width, 9, bands, edges), scratch, out], [scratch, out]


def measure_mask_case(rect, crop, margin):
    masks = Random(21).bytes(5 + 9 * 9)
    table = array("i", rect + (7, 3, 0) + crop + (4, 5, 9, 9, 5))
    block = measure_params.measure_mask(4.375, 3.625, 10.75, -5.25, 7, 3, 180, 140, margin, margin)
    out = array("i", bytes(28))
    return [masks, table, block, out], [out]


def mark_cells_case(size, margin):
    mask, cells = Random(18).bytes(9 * 7), bytearray([7] * 63)
    block = hide_params.mark_cells(9, 7, -3, 5, 90000, 70001, margin, margin, 2, 3, 61, 47, 0, 1, size, 9, 7)
    return [mask, block, cells], [cells]


def hide_cells_case(depth, how, size):
    frame, cells = Random(19).bytes(depth * 61 * 47), bytearray([value & 1 for value in Random(20).bytes(12)])
    means = array("H", bytes(24))
    return [frame, hide_params.hide_cells(depth, 61, 47, 1, 0, 4, 3, size, how, 0xE94A), cells, means], [frame]


def nearest_case(vectors, channels, rows, columns, step):
    features, memory = Random(22).bytes(vectors * (channels + 4)), Random(23).bytes(rows * (channels + 4))
    for at in range(channels, len(memory), channels + 4):
        memory[at + 1], memory[at + 3] = memory[at + 1] & 7, memory[at + 3] & 7  # places of at most 2047
    for at in range(channels, len(features) * (not columns), channels + 4):
        features[at + 1], features[at + 3] = features[at + 1] & 7, features[at + 3] & 7
    out = array("i", [0x7FFFFFFF] * (2 * vectors))
    return [features, neighbor_params.nearest(vectors, channels, 0, rows, columns, step), memory, out], [out]


def cut_rotated_case(depth, steps):
    source, target = Random(5).bytes(depth * 31 * 23), bytearray(depth * 21 * 13)
    block = crop_params.cut_rotated(depth, 31, 23, 21, 13, -70000, 90000, *steps)
    return [target, block, source], [target]


def place_keypoints_case(letter, scored):
    raw = Random(6).values(letter, 63, (5, 6, 200, 300))
    points = np.zeros((21, 3))
    block = crop_params.place_keypoints(
        ord(letter), 21, 0 if letter == "f" else 3, scored, 0.5, 1.25, -0.5, 17.0, 0.5, 1.25, -9.0, 0.0, 0.0, 99.0, 75.0
    )
    return [raw, block, points], [block, points]


def decode_boxes_case(letter, channels_first, bins, count, total):
    """84 anchors of three levels. What follows the frame's candidates in the buffers is workspace."""
    random = Random(bins * 64 + count)
    channels = 4 * max(bins, 1) + 3
    boxes = random.values(letter, channels * 84, (5, 6, 200, 300))
    values = np.zeros((10, 40))
    labels = np.zeros((6, 40), dtype=np.uint16)
    for row in range(total):
        values[:5, row] = np.array([row, row * 3, row + 40, row * 3 + 9, 0.97 - 0.03125 * row])
        labels[:2, row] = np.array([900 + row, row], dtype=np.uint16)
    for row, at in enumerate(random.bytes(count)):
        values[9, row] = 40 - 3 * row
        labels[3, row] = at % 84
        labels[4, row] = at
    block = head_params.decode_boxes(
        dtype=ord(letter),
        anchors=84,
        channels=channels,
        channel_step=84 if channels_first else 1,
        anchor_step=1 if channels_first else channels,
        zero_point=0 if letter == "f" else 3,
        bins=bins,
        scale_x={"b": 0.1, "B": 0.1, "h": 0.0005, "f": 1.0}[letter],
        scale_y=0.25,
        score_scale=0.1,
        sigmoid=count & 1,
        least=0.125,
        first=500,
        capacity=40,
        count=count,
        total=total,
        levels=(0, 8, 8, 64, 4, 16, 80, 2, 32),
    )
    return [boxes, block, values, labels], [block, values[:5], labels[:2]]


def decode_keypoints_case(letter, channels_first, keypoints, sigmoid):
    random = Random(keypoints)
    head = random.values(letter, 3 * keypoints * 20, (5, 6, 200, 300))
    block = head_params.decode_keypoints(
        dtype=ord(letter),
        keypoints=keypoints,
        channel_step=20 if channels_first else 1,
        zero_point=0 if letter == "f" else -3,
        sigmoid=sigmoid,
        scale_x={"b": 0.75, "B": 0.75, "h": 0.005, "f": 9.0}[letter],
        scale_y=0.5,
        score_scale=0.0625,
        cell_x=16.5,
        cell_y=12.25,
        offset_x=-7.125,
        offset_y=3.0,
        low_x=10,
        low_y=20,
        high_x=170,
        high_y=150,
        first=7 if channels_first else 7 * 3 * keypoints,
        column=3,
        row=5,
    )
    points = np.zeros((keypoints, 3))
    return [head, block, points], [points]


def anchor_lists(rows, capacity, count):
    """Values and labels as the kernels of anchors.py share them, with candidates in the second list."""
    random = Random(rows + count)
    values = np.zeros((2 * rows, capacity))
    labels = np.zeros((6, capacity), dtype=np.uint16)
    for row, at in enumerate(random.bytes(count)):
        values[rows + 4, row] = 12.0 - 0.75 * row
        labels[3, row] = at % 84
    return values, labels


def score_anchors_case(letter, channels_first, classes, activation, background):
    scores = Random(classes).values(letter, (5 + classes) * 84, (5, 6, 200, 300))
    values, labels = anchor_lists(5, 40, 20)
    block = anchor_params.score_anchors(
        dtype=ord(letter),
        channel_step=84 if channels_first else 1,
        anchor_step=1 if channels_first else 5 + classes,
        first_class=5,
        classes=classes,
        activation=activation,
        background=background,
        zero_point=0 if letter == "f" else 3,
        scale={"b": 0.0625, "B": 0.03125, "h": 0.0005, "f": 1.0}[letter],
        search_scale=0.25,
        search_sigmoid=1 - (classes & 1),
        root=classes & 1,
        least=0.25,
        capacity=40,
        rows=5,
        count=20,
        allowed=(0, 1, 33) if classes > 33 else (),
    )
    return [scores, block, values, labels], [values, labels]


def decode_anchors_case(letter, channels_first, sigmoid, size, points):
    """84 anchors of two levels, with one and with three anchors in a cell."""
    rows = 5 + 3 * points
    channels = 4 + 2 * points
    head = Random(channels).values(letter, channels * 84, (5, 6, 200, 300))
    values, labels = anchor_lists(rows, 40, 20)
    levels = (
        (0, 6, 16.5, 16.0, ((16.5, 16.0, 10.0, 13.25),)),
        (36, 4, 24.0, 32.0, ((24.0, 32.0, 30.0, 61.0), (2.5, 3.0, 62.0, 45.0), (1.0, 1.0, 9.5, 119.0))),
    )
    block = anchor_params.decode_anchors(
        dtype=ord(letter),
        channel_step=84 if channels_first else 1,
        anchor_step=1 if channels_first else channels,
        zero_point=0 if letter == "f" else -3,
        scale={"b": 0.0625, "B": 0.03125, "h": 0.0005, "f": 1.0}[letter],
        first_box=0,
        swapped=channels_first,
        xy=sigmoid,
        wh=size,
        wh_scale=0.25,
        first_point=4,
        points=points,
        offset=0.5,
        first=500,
        capacity=40,
        rows=rows,
        count=20,
        total=9,
        level_count=2,
        table=anchor_params.level_table(levels),
    )
    return [head, block, values, labels], [values, labels]


def rank_anchors_case(total, most):
    values, labels = anchor_lists(8, 70, 0)
    for row, at in enumerate(Random(total).bytes(total)):
        values[4, row] = at % 16 * 0.0625
        values[6, row] = row
        labels[0, row] = 70 - row
        labels[1, row] = at
    return [anchor_params.rank_anchors(total, most, 70, 8), values, labels], [values, labels[:2], labels[3:]]


def blend_anchors_case(class_agnostic, most):
    (_, values, labels), _ = suppress_case(class_agnostic, most)
    count = values.shape[1]
    labels[0] = np.array(range(count), dtype=np.uint16)  # what follows the positions that are kept is undefined
    block = anchor_params.blend_anchors(count, 0.3, class_agnostic, most, count, 5)
    return [block, values, labels], [values, labels[:2]]


def suppress_oriented_case(class_agnostic, most):
    (_, values, labels), _ = suppress_case(class_agnostic, most)
    count = values.shape[1]
    table = np.zeros((oriented_params.ROWS, count))
    table[9] = np.array([0.0, 0.7, -1.6, 3.2, 9.0] * count)[:count]
    block = oriented_params.suppress_oriented(1.5, 0.75, 0.3, class_agnostic, most, count, count)
    return [block, values, labels, table], [values, table]


def oriented_corners_case(kept):
    (block, values, labels, table), _ = suppress_oriented_case(0, 30)
    portable_oriented.suppress_oriented(block, values, labels, table)
    labels[2] = np.array(range(values.shape[1]), dtype=np.uint16)
    corners = np.zeros((kept, oriented_params.CORNER_COLUMNS))
    block = oriented_params.oriented_corners(values.shape[1], 2.5, 7.0, 0.625, -3.0, kept)
    return [block, labels, table, corners], [corners]


def every(first, second, rest):
    """All combinations, as flat tuples."""
    return [(a, b) + c for a in first for b in second for c in rest]


# kernel, what makes a case, with which arguments
KERNELS = (
    (
        "candidates",
        candidates_case,
        every(LETTERS, (0, 1), ((1, 17, 20, ()), (7, 84, 84, ()), (40, 33, 9, (0, 3, 30, 39)))),
    ),
    ("candidates", class_scores_case, every(LETTERS, (0, 1), ((1, 40, 20), (3, 300, 70), (7, 60, 9)))),
    ("suppress", suppress_case, ((0, 30), (1, 30), (0, 2))),
    ("decode_boxes", decode_boxes_case, every(LETTERS, (0, 1), ((16, 9, 0), (16, 30, 30), (1, 6, 5), (0, 13, 8)))),
    ("decode_keypoints", decode_keypoints_case, every(LETTERS, (0, 1), ((17, 1), (5, 0)))),
    (
        "score_anchors",
        score_anchors_case,
        every(LETTERS, (0, 1), ((0, 0, 0), (1, 1, 0), (3, 2, 1), (20, 2, 0), (40, 0, 0))),
    ),
    ("decode_anchors", decode_anchors_case, every(LETTERS, (0, 1), ((0, 0, 6), (1, 1, 0), (1, 2, 1)))),
    ("rank_anchors", rank_anchors_case, ((1, 9), (40, 300), (64, 20))),
    ("blend_anchors", blend_anchors_case, ((0, 30), (1, 30), (0, 2))),
    ("suppress_oriented", suppress_oriented_case, ((0, 30), (1, 30), (0, 2))),
    ("oriented_corners", oriented_corners_case, ((1,), (9,), (25,))),
    ("boxes_to_frame", boxes_to_frame_case, ((0, 0, 0.0), (1, 0, 0.0), (1, 1, 0.5))),
    (
        "prototype_mask",
        prototype_mask_case,
        every(
            LETTERS,
            (0, 1),
            ((32, (0, 0, 9, 7)), (8, (3, 2, 5, 1)), (13, (8, 6, 1, 1)), (33, (1, 0, 7, 6))),
        ),
    ),
    (
        "class_map",
        class_map_case,
        every(LETTERS, (0, 1), ((1, 77), (2, 131), (3, 18), (5, 77), (16, 33), (21, 65), (40, 5)))
        + every("bB", (1,), ((2, 131, 1), (2, 131, 2), (2, 131, 3))),
    ),
    ("suppress_masks", suppress_masks_case, ((0, 0), (512, 0), (512, 1), (1024, 1))),
    ("class_histogram", class_histogram_case, ((1,), (333,), (4096,))),
    (
        "color_sums",
        color_sums_case,
        (
            (2, [0, 7, 7, 12, 30, 31, 40, 48, 60, 61, 3, 3, 9, 10, 20, 28, 28, 40, 46, 47]),
            (1, [5, 6, 7, 20, 37, 54, 54, 55, 56, 57, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ),
    ),
    ("class_bands", class_bands_case, ((1, 1), (7, 4), (24, 8), (33, 45))),
    (
        "measure_mask",
        measure_mask_case,
        (
            ((30, 20, 90, 60), (4, 5, 13, 14), 0),
            ((0, 0, 180, 140), (4, 5, 7, 8), 3),
            ((17, 5, 20, 10), (11, 5, 12, 14), 1),
            ((5, 5, 9, 9), (8, 8, 8, 9), 0),
        ),
    ),
    ("mark_cells", mark_cells_case, ((3, 0), (8, 5), (5, 40))),
    ("hide_cells", hide_cells_case, every((2, 1), (0, 1, 2), ((3,), (8,), (12,)))),
    ("nearest", nearest_case, ((1, 19, 9, 0, 0), (9, 19, 1, 0, 3), (5, 80, 32, 2, 40), (4, 64, 3, 4, 0))),
    ("count_class_pixels", count_class_pixels_case, ((0, 6, 4.4), (3, 0, 5.0), (0, 0, 0.75))),
    (
        "clip_mask",
        clip_mask_case,
        (
            ((30, 20, 90, 60), (4, 5, 12, 9), 0),
            ((0, 0, 180, 140), (0, 0, 40, 40), 3),
            ((170, 5, 10, 0), (36, 1, 4, 1), 1),
            ((5, 5, 9, 9), (40, 38, 1, 2), 0),
        ),
    ),
    ("peaks", peaks_case, every(LETTERS, (0, 1), ((1, 7, 6, 1), (13, 7, 6, 1), (17, 12, 9, 0), (3, 1, 1, 1)))),
)
DRAWING_KERNELS = (
    (
        "tint_mask",
        tint_mask_case,
        every(
            (2, 1),
            (0, 1),
            ((3, 2, 4.0, (0, 0, 61, 47)), (-5, -3, 3.3, (0, 4, 40, 30)), (40, 30, 2.5, (42, 31, 61, 47))),
        ),
    ),
    (
        "tint_map",
        tint_map_case,
        every((2, 1), (0, 4), ((6, 4.4), (0, 5.0), (10, 0.75), (7, 2.0))),
    ),
    (
        "box",
        box_case,
        every(
            (2, 1),
            (0, 1, 3),
            (
                ((5, 6, 30, 20), (4, 2, 33, 11)),
                ((-7, 40, 90, 20), (50, 44, 40, 9)),
                ((9, 9, 2, 1), (0, 0, 0, 0)),
            ),
        ),
    ),
    ("place_labels", place_labels_case, ((5, 11), (16, 11), (17, 11), (40, 21))),
    ("pose", pose_case, every((2, 1), (0, 1, 2, 5), ((0,), (1,), (3,)))),
    (
        "cut_rotated",
        cut_rotated_case,
        every((2, 1), ((65536, 0, 0, 65536), (-50000, 70000, -70000, -50000), (200000, 9, -9, 1000)), ((),)),
    ),
    ("place_keypoints", place_keypoints_case, every(LETTERS, (0, 1), ((),))),
)


def homes(name):
    """The modules of a kernel: of the active one and of the portable one."""
    for group in n6post.kernels._GROUPS[len(n6post.kernels._VIPER) :]:
        module = getattr(n6post.kernels, group)
        if hasattr(module, name):
            return module, __import__("n6post.kernels.portable." + group, None, None, ("*",))
    raise ValueError("no group of kernels has " + name)


def check_same(name, make, cases):
    """The active and the portable kernel write and return the same, in every case."""
    if getattr(homes(name)[0], name) is getattr(homes(name)[1], name):
        raise Skipped("the portable kernels are the active ones here")
    for case in cases:
        results = []
        for module in homes(name):
            arguments, written = make(*case)
            returned = getattr(module, name)(*arguments)
            results.append([returned] + [raw(w) for w in written])
        if results[1][0] is None:  # machine code always returns something
            results[0][0] = None
        if results[0] != results[1]:
            raise ValueError("%s%s differs from the portable kernel" % (name, case))


def check_heap_locked(name, make, cases):
    """Machine code allocates nothing."""
    if n6post.kernels.active == "portable":
        raise Skipped("the portable kernels use the heap")
    kernel = getattr(homes(name)[0], name)
    for case in cases:
        arguments, _ = make(*case)
        a, b, c, d = (arguments + [None, None])[:4]
        micropython.heap_lock()
        try:  # written out: a call with *arguments allocates
            if len(arguments) == 2:
                kernel(a, b)
            elif len(arguments) == 3:
                kernel(a, b, c)
            else:
                kernel(a, b, c, d)
        finally:
            micropython.heap_unlock()


# --- the kernels under timer interrupts: vectors, predicates and loop counters must be restored ---

# For each kernel: the least number of calls, the wanted number of interrupts in them, and the time limit for that in ms.
CALLS, HITS, MOST = 1000, 100, 1000


class Disturbance:
    """The interrupt handler: it computes with floats and calls a kernel of its own. It must not allocate."""

    def __init__(self):
        (self.logits, self.block, self.out), (self.classes,) = class_map_case("f", 0, 5, 77)
        self.kernel = maps.class_map
        self.kernel(self.logits, self.block, self.out)
        self.quiet = bytes(self.classes)
        self.number = 0.5
        self.fired = self.wrong = 0

    def tick(self, _):
        self.number = self.number * 1.5 - 0.25  # 0.5 again
        self.kernel(self.logits, self.block, self.out)
        if self.number != 0.5 or self.classes != self.quiet:
            self.wrong += 1
        self.fired += 1


def started(tick):
    """A timer that calls `tick` a thousand times a second, and whether it does so from within the interrupt."""
    try:
        from machine import Timer
    except ImportError:
        raise Skipped("there is no machine.Timer") from None
    try:
        return Timer(-1, period=1, callback=tick, hard=True), True
    except TypeError:  # firmware 4.8.1: its machine.Timer calls back only between two steps of a script
        pass
    try:
        from pyb import Timer as Hardware

        return Hardware(7, freq=1009, callback=tick), True
    except (ImportError, AttributeError, TypeError, ValueError, OSError):  # no such module, timer or keyword
        return Timer(-1, period=1, callback=tick), False


def copied(buffer):
    return buffer[:] if isinstance(buffer, (bytearray, array)) else buffer.copy()  # a slice of an ndarray is a view


def check_core():
    """The core saves floating-point and vector registers at an interrupt; returns the registers that show it."""
    if n6post.kernels.active == "portable":
        raise Skipped("the portable kernels are the active ones here")
    from machine import mem32

    values = [mem32[0xE000E000 + at] & 0xFFFFFFFF for at in (0xD00, 0xD14, 0xF34)]
    text = "CPUID %08x, CCR %08x, FPCCR %08x" % tuple(values)
    if not values[2] >> 31:  # FPCCR.ASPEN
        raise ValueError("interrupts do not save vectors: " + text)
    return text


def check_interrupted(name, make, cases):
    if n6post.kernels.active == "portable":
        raise Skipped("the portable kernels are the active ones here")
    kernel, portable = [getattr(module, name) for module in homes(name)]
    returns = portable(*make(*cases[0])[0]) is not None  # machine code always returns something
    disturbance = Disturbance()
    calls = hits = 0
    hard = False

    def call():
        """The number of interrupts during one call, and the results of the call."""
        for buffer, values in zip(written, begin):
            buffer[:] = values
        fired = disturbance.fired
        returned = kernel(*arguments)
        meanwhile = disturbance.fired - fired
        got = [returned if returns else None] + [raw(buffer) for buffer in written]
        return meanwhile if hard else disturbance.fired - fired, got

    for case in cases:
        arguments, written = make(*case)
        begin = [copied(buffer) for buffer in written]
        quiet = call()[1]
        done = hit = 0
        timer, hard = started(disturbance.tick)
        try:
            began = time.ticks_ms()
            while done * len(cases) < CALLS or (
                hit * len(cases) < HITS and time.ticks_diff(time.ticks_ms(), began) * len(cases) < MOST
            ):
                meanwhile, got = call()
                done += 1
                hit += meanwhile
                if got != quiet:
                    raise ValueError("%s%s: call %d gave another result than without interrupts" % (name, case, done))
        finally:
            timer.deinit()
        calls += done
        hits += hit
    if not hits:
        raise Skipped("no timer interrupt came")
    if disturbance.wrong:
        raise ValueError("%d of %d interrupts computed a wrong result" % (disturbance.wrong, disturbance.fired))
    return "%d calls, %d timer interrupts %s" % (calls, hits, "in them" if hard else "between bytecodes")


# --- over time: tracks, lines, zones ---


def words(data):
    """Signed 16-bit numbers, low byte first."""
    raw = inflated(a2b_base64(data))
    return [(raw[at] | raw[at + 1] << 8) - (raw[at + 1] >> 7 << 16) for at in range(0, len(raw), 2)]


def detection(rect, score=0.9, track_id=None, mask=None):
    found = n6post.Detection(rect, score, 0, 'd\xfcrer "Hase"', mask, None)
    found.track_id = track_id
    return found


def street():
    """A synthetic street, frame by frame: detections, and their track ids by a float64 reference, 0 for none."""
    data = words(TRACKED["frames"])
    at = 0
    while at < len(data):
        many = data[at]
        rows = [data[i : i + 6] for i in range(at + 1, at + 1 + 6 * many, 6)]
        at += 1 + 6 * many
        yield [detection(tuple(row[:4]), row[4] / 128) for row in rows], [row[5] for row in rows]


def ids(found):
    return [d.track_id for d in found]


def check_track_ids():
    tracker = n6post.Tracker(**TRACKED["options"])
    for frame, (found, given) in enumerate(street()):
        tracked = tracker.update(found, elapsed_ms=80)
        expect(ids(tracked), [n for n in given if n], "track ids in frame %d" % frame)
    for d, rect in zip(tracked, TRACKED["rects"]):
        expect_close(d.rect, rect, 2, "rect of %d" % d.track_id)  # integers: rounding adds up
    tracker.reset()
    expect((tracker.tracks, tracker.update(found, elapsed_ms=80)), ([], []), "tracks after reset")
    expect(min(ids(tracker.update(found, elapsed_ms=80))) > max(ids(tracked)), True, "new ids after reset")


def check_tracks_text():
    tracker = n6post.Tracker(smooth_boxes=False, **TRACKED["options"])
    for found, _ in street():
        tracked = tracker.update(found, elapsed_ms=80)
    expect(n6post.to_json(tracked), TRACKED["json"], "to_json")
    expect(json.loads(n6post.to_json(tracked[0]))["track_id"], tracked[0].track_id, "to_json of one")


def track_sums():
    """A sum of the words of a Tracker's table after each frame: masks, low scores, coasting, a full table, other times."""
    masked, _ = processed("YoloV8Seg")
    tracker = n6post.Tracker(low_threshold=0.2, max_gap=0.4, coast=0.16, max_tracks=6)
    random = Random(7)
    sums = []
    for frame, (found, _) in enumerate(street()):
        x, y, w, h = random.bytes(4)
        found = found + masked + [detection((4 * x - 99, 3 * y - 40, w, h >> frame % 8))]
        tracker.update(found, elapsed_ms=(80, 32.5, 200, 2400)[frame % 4 if frame > 9 else 0])
        total = 0
        for word in tracker._tables[tracker._kept[0]]:
            total = (31 * total + word) % 1000003
        sums.append(total)
    return sums


def check_tracks_same():
    """The tables are the same, word by word, as those that plain Python keeps on a PC."""
    expect(track_sums(), TRACK_SUMS, "tables")


def check_anything():
    """100 objects at once, none for a minute, NaN scores, empty boxes, a clock set back: no id is given twice."""
    tracker = n6post.Tracker(max_tracks=64)
    zone = n6post.PolygonZone([(0, 0), (500, 0), (500, 700), (0, 700)])
    line = n6post.LineZone((0, 300), (500, 300))
    given = []
    for _ in (0, 1):
        crowd = [detection((40 * (i % 10), 60 * (i // 10), 20, 40)) for i in range(100)]
        tracker.update(crowd, elapsed_ms=100)
        tracked = tracker.update(crowd, elapsed_ms=100)
        expect(len(tracked), 64, "tracks of a hundred people")
        given += ids(tracked)
        expect(len(zone.trigger(tracked, elapsed_ms=100)), 64, "inside")
        line.trigger(tracked, elapsed_ms=100)
        for _ in range(600):
            if tracker.update([], elapsed_ms=100) or zone.trigger([], elapsed_ms=100):
                raise ValueError("an object in an empty frame")
        expect((tracker.tracks, zone.dwell_time(given[-1])), ([], 0.0), "after a minute")
    expect(len(set(given)), 128, "track ids")
    odd = [detection((9, 9, 0, 0)), detection((99, 9, 0, 40), float("nan")), detection((200, 9, 40, 0))]
    for elapsed_ms in (80, -5, 80.0, -1e9, 0):
        tracked = tracker.update(odd, elapsed_ms=elapsed_ms)
        zone.trigger(tracked, elapsed_ms=-100)
        line.trigger(tracked, elapsed_ms=-100)
    expect([d.rect for d in tracked], [odd[0].rect, odd[2].rect], "boxes of no size")
    expect(min(ids(tracked)) > max(given), True, "new ids")
    expect((zone.current_count, zone.dwell_time(tracked[0].track_id)), (2, 0.0), "a clock set back")


def check_plane():
    """Places are those of OpenCV 5.0.0; a walk has its speed."""
    plane = n6post.Plane([(180, 200), (420, 190), (620, 460), (30, 450)], [(0, 20), (7.5, 20), (6, 5), (0, 5)])
    for pixel, u, v in (((320, 300), 3.577857, 9.864703), ((300, 150), 4.595801, 32.301335)):
        x, y = plane.to_world(pixel)
        expect((abs(x - u) < 1e-4 and abs(y - v) < 1e-4, plane.to_image(x, y)), (True, pixel), "place of %r" % (pixel,))
    expect((plane.to_world(320, 20), plane.to_image(3, -100)), (None, None), "above the horizon, behind the camera")
    plane = n6post.Plane([(0, 0), (1000, 0), (1000, 1000), (0, 1000)], [(0, 0), (10, 0), (10, 10), (0, 10)])
    for k in range(30):
        plane.update([detection((14 * k, 300, 20, 40), 0.9, 1)], elapsed_ms=100)
    expect(abs(plane.speed(1) - 5.04) < 1e-3, True, "speed of 14 cm in 0.1 s")


def check_merged():
    """Detections are joined as by SAHI 0.12.8, and counted in a heat map."""
    boxes = (10, 10, 40, 60), (30, 12, 30, 58), (70, 60, 12, 9), (50, 90, 9, 9)
    joined = n6post.merge([detection(rect, 0.9 - i / 16) for i, rect in enumerate(boxes)])
    expect([d.rect for d in joined], [(10, 10, 50, 60), (70, 60, 12, 9), (50, 90, 9, 9)], "joined boxes")
    heat_map = n6post.HeatMap(4, 3, frame_size=(160, 120), half_life=1)
    heat_map.update(joined, elapsed_ms=0)
    heat_map.update(joined[:1], elapsed_ms=1000)
    expect([heat_map.value_at(x, 79) for x in (39, 79, 159)], [1.5, 0.5, 0.0], "counts of cells")


def check_crossings():
    """The line crossings are those that supervision counted."""
    line = n6post.LineZone(tuple(ZONES["start"]), tuple(ZONES["end"]), anchor=ZONES["anchor"], margin=0, min_frames=1)
    steps, sizes = words(ZONES["steps"]), ZONES["sizes"]
    place = [0] * (2 * len(sizes))
    crossed = []
    for frame in range(len(steps) // len(place)):
        place = [a + b for a, b in zip(place, steps[frame * len(place) :])]
        walkers = [detection((place[2 * i], place[2 * i + 1]) + tuple(sizes[i]), 0.9, i + 1) for i in range(len(sizes))]
        for side, those in zip(("in", "out"), line.trigger(walkers, elapsed_ms=80)):
            crossed += [[frame, d.track_id, side] for d in those]
    expect(crossed, ZONES["crossed"], "crossings")
    expect(n6post.to_json(line), ZONES["json"], "to_json")
    expect(line.in_count_per_class, {0: line.in_count}, "per class")


def star(divisor=1):
    corners = [value // divisor for value in ZONES["star"]]
    return n6post.PolygonZone([tuple(corners[at : at + 2]) for at in range(0, len(corners), 2)])


def check_inside():
    zone = star()
    places = range(1, 400, 8)
    expect(crc32(bytes([zone.contains(x, y) for y in places for x in places])), ZONES["inside"], "inside")
    for _ in range(5):
        people = [detection((190, 160, 20, 40), track_id=1), detection((0, 0, 20, 40), track_id=2)]
        inside = zone.trigger(people, elapsed_ms=250.5)
        expect((ids(inside), zone.current_count, zone.dwell_time(2)), ([1], 1, 0.0), "inside")
    expect(zone.dwell_time(1), 1.002, "seconds")


def check_zone_drawn():
    img = image.Image(100, 100, image.RGB565)  # small: a fragmented heap of 1 MiB has no 320 KB in one piece
    star(4).draw(img)
    n6post.LineZone((0, 97), (99, 97)).draw(img)
    for x, y, there in ((82, 37, True), (75, 97, True), (50, 25, False), (82, 65, False)):
        expect(any(img.get_pixel((x, y))), there, "something at %d, %d" % (x, y))


# --- the heap ---


def check_tracker_heap():
    if not REAL:
        raise Skipped("CPython does not count its heap")
    if n6post.kernels.tracks.__name__ == "_viper.tracks":
        raise Skipped("the plain kernels of tracks are the active ones here")
    tracker = n6post.Tracker()
    found = [detection((40 * i, 60, 30, 80)) for i in range(10)]
    check_steady(lambda: tracker.update(found, elapsed_ms=80), FRAME_HEAP)


def check_heap(family):
    """The heap that a frame in the steady state uses in addition to its result."""
    if not REAL:
        raise Skipped("CPython does not count its heap")
    if n6post.kernels.active == "portable":
        raise Skipped("the portable kernels use the heap")
    model, outputs, options, _ = recorded(family)
    inputs = no_frame(model)
    process = processor(family, options)
    # DeepLab's two maps alternate: what remains is the 16-byte dummy of Processor.__call__.
    check_steady(lambda: process(model, inputs, outputs), 16 if family == "DeepLab" else FRAME_HEAP)


def check_steady(work, most):
    """`work` uses at most so many bytes of heap in addition to its result, at its fourth call."""
    for _ in range(3):
        work()
    gc.collect()
    gc.disable()
    try:
        before = gc.mem_alloc()
        result = work()
        taken = gc.mem_alloc() - before
    finally:
        gc.enable()
    gc.collect()
    held = gc.mem_alloc() - before
    if taken - held > most:
        raise ValueError("%d bytes a frame in addition to the result's %d" % (taken - held, held))
    del result


# --- drawing ---


def frame(width, height):
    """The frame of scripts/dev/generating/make_selftest.py, RGB565: every pixel differs from its neighbors."""
    img = image.Image(width, height, image.RGB565)
    pixels = img.bytearray()
    for at in range(width * height):
        value = at * 2657 + 77
        pixels[2 * at] = value & 255
        pixels[2 * at + 1] = value >> 8 & 255
    return img


def check_masks_drawn():
    found, expected = processed("YoloV8Seg")
    img = frame(64, 64)
    for d in reversed(found):
        d.mask.draw(img, color=COLOR, alpha=ALPHA)
    expect(crc32(img.bytearray()), expected["drawn"], "frame")


def check_class_map_drawn():
    model, outputs, options, expected = recorded("DeepLab")
    seen = processor("DeepLab", options)(model, [n6post.Stretch(Frame(128, 128))], outputs)
    img = frame(128, 128)
    seen.draw(img, palette=PALETTE, alpha=ALPHA)
    expect(crc32(img.bytearray()), expected["drawn"], "frame")


def check_scaled():
    """On a picture of another size every result is drawn scaled to that size."""
    for family in RECORDED:
        model, outputs, options, _ = recorded(family)
        pictures = []
        for width, height in ((160, 120), (640, 480)):  # the frame; the picture is 160 x 120
            result = processor(family, options)(model, [n6post.Stretch(Frame(width, height))], outputs)
            img = image.Image(160, 120, image.GRAYSCALE)
            n6post.draw(img, result, boxes=False, labels=False, color=(255, 255, 255), alpha=255)
            pictures.append(img)  # not its bytes alone: they are freed with it
        one, other = [img.bytearray() for img in pictures]
        both = sum([1 for a, b in zip(one, other) if a and b])
        either = sum([1 for a, b in zip(one, other) if a or b])
        expect(both >= 0.9 * either, True, "%s: %d of %d pixels agree" % (family, both, either))


def check_mask_images():
    """A mask's image has the pixels that it tints, its rect encloses them, and fill_outside keeps exactly these."""
    found, _ = processed("YoloV8Seg")
    for d in found:
        tinted = image.Image(64, 64, image.GRAYSCALE)
        d.mask.draw(tinted, color=(255, 255, 255), alpha=255)
        made = d.mask.to_image(64, 64)
        expect(crc32(made.bytearray()), crc32(tinted.bytearray()), "image of the mask")
        img = frame(64, 64)
        img.draw_rectangle((0, 0, 64, 64), color=(255, 255, 255), fill=True)
        d.mask.fill_outside(img)
        left = img.bytearray()
        expect(bytes([left[2 * at] for at in range(64 * 64)]), bytes(made.bytearray()), "remaining pixels")
        x, y, w, h = d.mask.rect
        places = [at for at, inside in enumerate(made.bytearray()) if inside]
        columns = [at % 64 for at in places]
        around = min(columns), places[0] // 64, max(columns) + 1, places[-1] // 64 + 1
        expect(max([abs(a - b) for a, b in zip(around, (x, y, x + w, y + h))]) <= 2, True, "rect")
        expect(d.mask.iou(d.mask), 1.0, "iou with itself")


def check_drawn(family, pixformat):
    """draw() changes the frame and returns it."""
    result, _ = processed(family)
    img = image.Image(64, 64, pixformat)
    expect(n6post.draw(img, result) is img, True, "draw returns the frame")
    if not any(img.bytearray()):
        raise ValueError("nothing was drawn")


def check_plain_fit():
    """The probe of a few pixels holds for a picture: whether the left end of a plain image reaches the model's input."""
    try:
        from ml.preprocessing import Normalization
    except ImportError:
        raise Skipped("there is no ml module") from None
    img = image.Image(256, 64, image.RGB565)
    img.draw_rectangle((0, 0, 64, 64), color=(255, 255, 255), fill=True)
    tensor = bytearray(64 * 64 * 3)
    Normalization()(img)(tensor, (1, 64, 64, 3), ord("B"))
    expect(tensor[3 * (32 * 64 + 2)] > 127, stretches_plain_image(), "the left end of a stretched picture arrives")


# --- all of it ---


def checks():
    """(name, function, arguments) of every check."""
    for family in ("YoloV8", "YoloV8Seg", "YoloV8Pose", "MoveNet"):
        for form in FORMS:
            yield "%s detects what numpy detects, %s" % (family, form), check_detections, (family, form)
    for family in ("YoloV8", "YoloV8Seg", "YoloV8Pose"):
        yield "%s detects the same in an end-to-end head" % family, check_end_to_end, (family, False)
        yield "%s detects the same in an end-to-end head, transposed" % family, check_end_to_end, (family, True)
    for form in FORMS:
        yield "DeepLab has the class map of numpy, %s" % form, check_class_map, (form,)
    for family in RANDOM:
        for form in ("int8", "float"):
            yield "%s finds what numpy finds, %s" % (family, form), check_random, (family, form)
    for part in (("Stretch", (5, 3, 41, 33)), ("Letterbox", (2, 7, 29, 70)), ("Crop", (0, 0, 75, 22))):
        yield "class map, mask and drawing agree on every pixel, %s" % part[0], check_agreement, part
    for family in ("YoloV8", "YoloV8Seg", "YoloV8Pose"):
        yield "%s maps a letterbox back to the frame" % family, check_letterbox, (family,)
    for family in RECORDED:
        yield "processor_for chooses %s" % family, check_matched, (family,)
        yield "diagnose finds no problem with %s" % family, check_diagnosed, (family,)
        yield "%s refuses views that are not dense" % family, check_views_refused, (family,)
    for family in ("YoloV8", "YoloV8Pose", "DeepLab"):
        yield "%s results have the same JSON on every machine" % family, check_json, (family,)
    yield "numbers are the same on every machine", check_numbers, ()
    for family in ("YoloV8", "YoloV8Seg", "YoloV8Pose", "MoveNet"):
        yield "%s results have derived values" % family, check_derived, (family,)
    for family in ("YoloV8Pose", "MoveNet"):
        yield "keypoints of %s have names and angles" % family, check_keypoints, (family,)
    yield "classes and labels by name", check_names, ()
    yield "unsupported outputs are refused", check_refused, ()
    yield "no detection is an empty list", check_nothing_found, ()
    yield "a tracker assigns the ids of the reference", check_track_ids, ()
    yield "tracks have the same JSON on every machine", check_tracks_text, ()
    yield "a Tracker keeps the same tables as on a PC", check_tracks_same, ()
    yield "a tracker stays within its heap per frame", check_tracker_heap, ()
    yield "tracks and zones survive crowds, empty frames, bad values and a clock set back", check_anything, ()
    yield "places and speeds on a plane are those of OpenCV", check_plane, ()
    yield "parts of objects are joined as by SAHI", check_merged, ()
    yield "line crossings are those that supervision counted", check_crossings, ()
    yield "a zone contains the points that the angles to its corners show", check_inside, ()
    yield "the core saves vector registers at an interrupt", check_core, ()
    for name, make, cases in KERNELS:
        yield "kernel %s equals the portable one" % name, check_same, (name, make, cases)
        yield "kernel %s allocates nothing" % name, check_heap_locked, (name, make, cases)
        yield "kernel %s survives interrupts" % name, check_interrupted, (name, make, cases)
    for family in RECORDED:
        yield "%s stays within its heap per frame" % family, check_heap, (family,)
    for name, make, cases in DRAWING_KERNELS:
        yield "kernel %s equals the portable one" % name, needs_image, (check_same, name, make, cases)
        yield "kernel %s allocates nothing" % name, needs_image, (check_heap_locked, name, make, cases)
        yield "kernel %s survives interrupts" % name, needs_image, (check_interrupted, name, make, cases)
    yield "a plain image is stretched as the probe found", needs_image, (check_plain_fit,)
    yield "masks are drawn as numpy draws them", needs_image, (check_masks_drawn,)
    yield "a class map is drawn as numpy draws it", needs_image, (check_class_map_drawn,)
    yield "results are scaled to a picture of another size", needs_image, (check_scaled,)
    yield "the widths of text are the firmware's", needs_image, (check_text_widths,)
    yield "lines and zones are drawn", needs_image, (check_zone_drawn,)
    yield "a mask's image has the pixels that it draws", needs_image, (check_mask_images,)
    for family in RECORDED:
        for pixformat in ("RGB565", "GRAYSCALE"):
            yield "%s is drawn on %s" % (family, pixformat), draws, (family, pixformat)


def needs_image(check, *arguments):
    if image is None:
        raise Skipped("there is no image module")
    return check(*arguments)


def draws(family, pixformat):
    needs_image(check_drawn, family, getattr(image, pixformat, None))


def run():
    """Run every check. Returns (passed, failed, skipped)."""
    passed = failed = 0
    skipped = {}
    for name, check, arguments in checks():
        gc.collect()
        try:
            note = check(*arguments)
        except Skipped as skip:
            reason = str(skip)
            skipped[reason] = skipped.get(reason, 0) + 1
            continue
        except Exception as error:  # camera: memory-error: any error is a failed check
            failed += 1
            print("FAILED  %s" % name)
            if REAL:
                sys.print_exception(error)
            else:
                print("        %s: %s" % (type(error).__name__, error))
            continue
        passed += 1
        print("ok      %s%s" % (name, ": " + note if note else ""))
    for reason in skipped:
        print("skipped %d: %s" % (skipped[reason], reason))
    return passed, failed, sum(skipped.values())


def machine_line():
    version = ".".join([str(n) for n in sys.implementation.version[:3]])
    return "n6post %s, %s, %s kernels, %s %s on %s" % (
        n6post.__version__, place(), n6post.kernels.active, sys.implementation.name, version, sys.platform
    )


def imported_folder():
    path = n6post.__path__  # CPython has a list
    return path if isinstance(path, str) else path[0]


def place():
    path = imported_folder()
    return "frozen into the firmware" if path.startswith(".frozen") else "from " + path


def other_copies():
    """A warning for each n6post in sys.path that hides behind the imported one, with its version."""
    import os
    import re

    def absolute(path):
        return path if path[:1] in ("/", ".") else os.getcwd().rstrip("/") + "/" + path

    seen, lines = [absolute(imported_folder())], []
    for folder in sys.path:
        folder = absolute(folder).rstrip("/") + "/n6post"
        for name in ("__init__.py", "__init__.mpy"):
            if folder in seen:
                break
            try:
                with open(folder + "/" + name, "rb") as file:
                    version = re.search(b"[0-9]+\\.[0-9]+\\.[0-9]+", file.read())
            except OSError:
                continue
            seen.append(folder)
            version = version.group(0).decode() if version else "of an unknown version"
            lines.append("WARNING %s holds n6post %s, which is not imported" % (folder, version))
    return lines


# --- recorded tensors and what they give: written by scripts/dev/generating/make_selftest.py ---
# family: options, (width, height) of the input, outputs, expected results. An output: shape, scale, zero
# point and the int8 tensor, compressed by zlib, in base 64.
RECORDED = {
    "YoloV8": (
        {'threshold': 0.3},
        (64, 64),
        (
            ((1, 5, 84), 0.005075086373835802, -128, b"""
eNpNiM1LAlEAxCkoPeWhSxmCh6DLdvTQId0y+rvazVZ9u8/90tzHtvtMay8R9EFFllpC0JKEdIwkzM2iCPpAwUjqiZdmmN8MAwSo4a3DcvX27rbGC0RQIBWF
nCBzYjIuqlCEkHy8AEAsFhcB5HmowkRCJhYl2bZtSekhSSBiO5PNrimKKgl8PBaJLK8YhqEb2MDYzGby+zv28c5V8ahSurmuvn++tb7a7Vbnpzs85ME4c1a/
b9TrDw3HcR4bjWbTeXgk02k2n18+VA3t7l1W7NMDK7ed1oiQRiqBBG0dmpaCLd1ESNfSKU1VZVkxkvpqKr2RRggTGyZ2u12mMexymZsEesFdLF8cWTkro6UU
GI1yIJ8/PiQpFE7Oi19O3fNRG+s8jX9PjgxS1PSE3+vzeUc93d/X/ElpIBRcmKfD4TmaDoXnaTq4GKbJng3OBKaYpX9iAMcCwEU4lo0wLDHD9sn0w/TPHlmO
QawkIYkKUAQeCgHKTwHOD1jmD8Is7N4="""),
        ),
        {
            'classes': [0],
            'scores': [0.918591],
            'rects': [(2, 1, 44, 63)],
            'letterboxed': [(18, 5, 221, 160)],
            'json': ['{"rect": [2, 1, 44, 63], "score": 0.919, "class_id": 0, "label": "0"}'],
        },
    ),
    "YoloV8Seg": (
        {'threshold': 0.3, 'mask_padding': 0},
        (64, 64),
        (
            ((1, 116, 84), 0.020402077585458755, 24, b"""
eNrtWllvG9cVprgNhxzOvq+c4SqRlERJFklLjt3EkiyjBYoYRgM4QH5ln/oHCgMFChh5CBAvsWpZiiiuw10ke+4l7bRFX/qWIvx0defOndGde7bvDHRG0w3T
clJuOpPN5Te3iuXtnd29/YN7h7X6/eMHDx/97svHJydnZ080dJ/tpLxMJpsvbB4eHu4CKpUKOmzj3iuhfndvT9MM3TD0JTTUtP8EvmL+O6rVarFY2t7d2d2G
TcCqgM8HzYCHu67num4q5XoeNC/lpGAM8Ly056YcxzJhURtdzmS8NCDjOE4JcH5+XiqVz0+ewLhcengGffn0VDdsEMmxEGzbgRPbMk0L7cVabglkNg0dFoEH
wfpLwAD2Wake1ip7e9Vaba9S2avV6nCo1GrqGmusscYaa6yxxhprrLHGGr9CaJ5rweHk1IO+dnryCJ08fqD9FkT/P1p1jTV+pVG0dvjftvkz0GdwDycoi6ib
a5dYY4011ljjfwZP0QzH0gzDshzH8Tw0nheE5ZFjGTqZpBLxOOHohmmYuCSHCmB5RwmGYmTataIR2jYMMhIhZN0kogTpWPFoMBBYzOF3EUDYCGwEQ8FgMATd
BgxD+CQajcz73W6n2wP4fd/XVLHfal3e3DQ/frxutJqtRuPDh3br+urj9cdrjk6QZCwGbQUCd7/06GKCTrJkcD6fzREWi/k8yTFGykwHwpOvTh/NxuPa0f0v
e9PR8dEX9+azJn76YDAajceTyfTu7m4GbXY3RZhMxqPhYDAcDibXt81mq931hyO4aTZ/+fJvP7756X3Hb902ur2Lm16703p50ej7vU63GYqQSYZlVmAR0HF5
wiEl81wyFgwHQqyOCn66YRioOilp52enT0ki9vXzPxB07NmL717QdOybF9+ch+NUnIhEwpEoARImkwwniLKi6dgWqPaIkPY8xwhvTId9vz8cT+eBYIjIZzyO
V1RJkcBwGiWphuks4rJl2yY8E9UcUbFxWStdvV1on4qoMIMmteV9pgkzqiLLMhkjBF7gY/FEOBzjmCRNRmKywJIkozF8OhkOErSiLz1LUWRokiTBH8iyKosC
x0uGVzwoFZOBWSipWcayWpvLFeA5OjhdyrHA7xzHscEBUYGUTYKYlp1a1l29FVBV1kN1WbgRlUptC5aC/eKKMS6eun/9y5/LO9tl2ESpuKmqcjafL4iikM3m
bI41RQVLI4kYkiwrsF1Vw0IiPSgixyQoiYlT4P80TVMUxAA5vWlTNCvDLRzLC5oqcywHwqI44dnmYDSeTLHfzWYz3K3caDIFl8K+NZsOOv0ZEU9QSQQqQVF/
f/U9yfJKtXYgcFrt8B7PJKXjg32OVe2j43wGu4axrBajcjGyOIxQ3dhAttMNO50vepZIMyzHI1Fgd+mCp+iGKko8Q/OqyDPxGC1LPJXgFMNheEEUVoD4Zmka
b2W5I5pmQFogAwadrKboZCIRD0Xilz/8+MrR5dfvLjRefH91844SpW7n7VuRf3hUrVWrhwcH9w5XqFartXqtXq/DfBWf1I+Ov6g9qNfhGrRarVatffen58f3
7x9ls+7jxydZ1z0/e/IUjPrVydnjTIaXwHsU5ESSKPAsQ0H4E+FgYDGbTsbDwXDQ97tdfxoUwJYohnQwnSRyP11+jGwMbg3T3phNDNeezBe9zZQ16rduJZ6I
EDEiGgkjIAraCCKEEDEtAewECCJuiUYiMIHv296ra1aqKEpqIbsJCs57bl6VpJSTywoC8Bz8rDgD2Rv3yNwrq8/gOgyDYcx7G4sFoqW5poJQNFXeLsfi9H6+
HKeouJPficdJan+PAsklBUUgDkaQDhMFCksdjS0LzK+KTFwC9cgqlh+mgZk1sDl4B2zfMR2SJMOmaZOxSMSyYBfzRSAUJeMU9hUwP+iVY4BWQScgZmA+HY/G
s26z0bht+ZNFKBqnkoiv3PxWiVflYmlTCsulra3yq7lc3tnZF8LgHOAl2HcoFCL/BVQSvAmeARoloiswAoe8rO9P3Yw+Cs50y05HogGgQ96faijeERALIEGx
myNNfPqOA4mrayJyDwhWPKOpA7///u2bS2DYRrNJJzi/17ulBHl25y8sM+05sI7tLL+oSH0GjqRlMKHPOPK2pSPO0wwdqxmsGNnYGD05/eP1deP502c/NxtX
x6dfX19fXJ3+3tsuZkxZEIBDJMQgMmIRcEUVBooKm1L4BBkl5a16tewZsrLavt/zgbk1hmM8z4Zgs1NuCpQIvcVSk0G33em0263WbasNo56P8g+koRHGcDgc
Dfv94fRuCKmm3Wo2bm4at7e3O5Wtf9y2ppIk43hXIKolWtZYRnItIxregDwM6SAYCkci0RiJ2Idmebxn5dNbgCjOJn4XnjiAbDgG/wXK63aGE2D+RmfqMkZ3
4PuvKaPXbd84afy9Sw64FEi1UNgEbG1BVyjk8/lcLpvJZvHRTec3i6XtMvrEZ7eyt//s228ffPHgGHR0eFiB/t7Rcc0z1PpxvW47LGKZOElCgy2C41CIehjM
RpA9kcPQkFiTmobsLqO8gjQ+9tsH2yXgOx3UbsgazPGcpOqGEAZmZxFzU0sWWwH56tJdl25LQ1JiEgTmhGgUv04AJ7SbzQZwYLc9hBeaYbvbuQvHuu3+lCbc
bA5E+4xM9l+Ryy0vpjOFdCadhqSMvgkCpA1FL1Yq9Z2dXHlzr2x75UKh6BipUnF7p5R3PPyXvyyGF8GL5ZBK86jLeI6bBUUjTSNdbxZcOzXu9ZtsUvjh+zeC
LDYu3r82FPnduw89SRsFKNkwZA5e7kB9WAE4XHmR51mUKxTD0vjwuDklRMtSOET6kOxsV5d4jsvls4bu5FMeuLNu2i76R2vWUxSgDEgaEPNgqk8BTSCfwvZi
YFkZ+b6pgoEENhmPEZFw8PLqyu+0byDFNm6asqY2Wo2LnKX9fPnhUlL+CUdrYGQ="""),
            ((1, 16, 16, 32), 0.019669143483042717, -114, b"""
eNodeN2H7Fr/p23bbNt2HI5j8xyO43E8PMbjeO7mYi5+5mbM5dyOn/kf5j/4rpX3qrzLiyQSiUhEIiIiIhGlRClFFaWUVorSWmtaa61pR2vbZs86c9ft02sl
K5/v+ry0wQlZGM5FRs5kVgE9EGmGK6OZvhK9+4Q2DNDSWtBCz7gRQbDp1BYppwx14bH03q3NVAMz7UQ5iY1bCaQYR56GnDw0+dsyerc0MhU8grNxad0qoMYo
iXQI09AQrprmQ6MS3Mk6GUeFeauDHKE4tiDJQ322b5cfWi3RwctrE4WZdqeA7OE8dsHPPVs7dOv3jRJo4BW1jYLcuFdhZuE89MEtPM8+NJsPBNfBL0oHBZlx
r8Fco8rAB71wQm9Xbz5Uqq9BWBQ+9hPjxoCZRBWeD0ruxvG2GN9niqeR9VmA/ci4V2DG043vgFI7Yb4rxg+FHCrk+bnH+JFO9p/RdO2YoFRW2O6K9kMtJwq4
Zeqyf61XQcB0G+hIa+1g2JXk/HIhg1MUNhOmxq1BcFyE5IvWvjts8+5jo5YyeGVO8Nx40AiOqlgBp3KdYV90H2qllsHMCo1LI/OWnJ8i30dBeus79Tmp3/dm
oRL+Ep7ObPMkgMDSRSBgvfeN4CbuPi71Iqe5tBEMWuG3JnJk0TEErvEWCE61vCjnQo2YOAXZNtK3AppUCTzG69aeAMeNseqbtsd8EiExMLPXCvpWCVzGG3e2
ANuDuWna5RKLmU8LcVB9bXG/EWJ/bhzWHgeLO3eTxeOE5cLl+DCs3gaq3bCprVmXtcNA/+Bt0rgZKKU0ZMYPs68L3G6YyvPMq73Fof4u2kZROmKl0gzGi5JX
gk9M7cTm8eDyVPf/cb/Faq34lOdHf064r9jOrY39wRak5r4guN5gs5Yi2vGTlxE1Idcblb44WpLdXMd7N1JbyqjEgHb95HWEVhFat1K7o6MX1U2ys0O9obRS
Nhk3SN96aJhZ7cZGd+XoQ3MT7fzcbSmtElXWc4O3BVT0vPUio7qyzaE5hVsv9Wqsl+qcccOY7F9isXJttTz61rI5h0cvSRvKLDSBs93o6wgVkkvPlJK9b4/d
wd9bWVZiM3UonpzvtYUGyamvitnWMqrF3rty6yxDSuQiLnXcx4zgQkqOnu4s0Z8G9+SnUcFBFlECFunGZUKNV1xW3wUHgGGQw1JlZIBWRZgX7I1DjRnrmpAO
MY+wPRli7g8mwWXAiqRMLr0YGdsEvw0FhJW1LsbOFAFqdcC6aR0zZjjyjk9Zm1DF2H7w9FjflMC0OqIt0z7lTHvNhzYXXFIdofA5cBN9mQPbKjRtWPqpovtr
IXFU61gZFCRPYZxYZQl8N+cpw9fONd3dcIXtele9TkP0EmWRGaYw62YmZTrmdUW1u3nlluZ2MFmcv8SlrysJzFvBp01DOVeoK8TK6rVmUOdyfhuWrsPGZL3g
YVPVLy3qbLF2B7UdtFkc3yS5a3E+CB2nYUPVTzlq2Xnp53rda0IXXqLENsXwr+fLtCmppwoarFa2r6W9Ji7io5/ZlukRfM4z+ly5lFAis7Jd1et0dUz2bmEb
pg1CO+colZOv/uLPKkxdMmtZacOlHxsOoYOrRYRUXjkE0ICZWLKo1aJcRIOf6o6jA1sogG1OOzgE11Kd0dxO4tx0cMle4Q3LJDYTy6qRp0IZ0qgXxo/LX2i8
WqPZQ8w8Al8l0NXc9a0PpzuK2qEfXjc3mN4wGP/75Y+R8GMjp9ePlwA23zCzRt8vhy3QC1pgPl/+w0F45DGV24dlDOvvIK/hadqWCBfzmD7Wf2wpvAMOhePm
zxKEd+hWkZbd90qDMrS70N7WmN3SCCWn7Suh4idqF87rxVOnItdLVq53UwC3xRRlL6aNC8oJ72Sx6W9jDmTd6yWvsGmndGs+XeWtC9slmHkHoWbL1NoKQiGm
RcYojZpOO72w4aogBIzgKpogVkrqcC62AK9Qh7M42Lqg0dTe0lcrYkW1JHiJLqkhxW3Rn3hostcdzIG61+nd5oeK/c00wtE0HguaXkPLDXX8+Qo8wE8Ovel+
DLUvS09pC/9bRskTmLzXJB9WiFyWV3k2Zu8j++PeVaZQv1RYWIKku3H6NOEM0KMuLINvvn48qEzhZqsGUT0S7NpL7gdUAuwtto9fQml/rTNFWa0LYEoKmb23
vMRoBFjaTF3cR1RzEJjO99sXmktimOaW0GvzZABUsVf/s/tVYNoLzN/F4gOQNACVz513PJzWGLbw4VN3YbCPKPh49z4HmGigbXXZK9BsIJdhu13pgARDmYXe
eceiA0Wm6vz+9yXmfoO9x20P78MQVZehKdyf1yw+Aovym0+/NFj4AkfLPF6+JDYo+2oM3EcH82vEABsEoQiuBQtOFaVEEChWVWYg0JH1GH1PZO9/N20jtCua
+AoZrH41a16yigiubH4I/tn7w3/6q/2se2Hh8F2q2HJkV49ZifaUYn4M/nbyHv7DXC35es9A+1EKmGT0dpegxAPSnW/x77n2/v/Wi26WrXh0/lka2aiLs+eq
QhMYqlcmCHk7xTVwpSA+HCgDREkz/JgFA0rgNsjlCsPYTchH8MDPFuVbwB08z6odqyhYcQMe6y27X0fy5+jVok/Lv8X2T1Enrz35e8vIK2AspS8/HSHFcBej
YXgXOJ/Glt1nzW8pJUyI8ty6fjlBBnBsuG74bqv3y5BbZ+VDi+cdotw26u5KqAmuQxO/hvrVJqS3sf/thkOJj2ohU1NpnnWAA6b7b9UfHF2ewF74swLYA4Ww
6+xvE+CvqRsVT+mt4kKzdMsgvt1RzJ5ioLr78f0Bqz/BwZTb8c0hXviw6Mro2wJxe4wh3b3c1qB/hStTWiy/+jaoq2VvBtcF6B0nIvu4vg6o8BpXlU+joXrA
x6wozLC9kp7Tb5Wu/kcwrrhyR6HkZe4z44ou74sEXLDlP/NfIs/7H8ViI7h3DAyPYsuMJUX8rkFLWjI/Zf9Yle1/1/qbWfsnDcsvUsfGlRC+hR3agWB8TP4+
NMMf0rDnC7L/9JOUkUjkhn8aLbUFSX2X/dPtDv+nJvtHSwaff5VKzpsS+6tS4Wuw5x+yXxg1/1/ZYSvYNgXd72LFudMuet/XhP3R5GIDrKexZ1s4URQ0RLFI
nibRQOaYBBP+DlDNvMZ+W8McwZ8Zd5x+CMwHZad2jnwaaWaHOEsfiw9bsAEdRzxU3/P0xV9xfZL/UFPcjpixlvnPF/AQIi7Y1m+G/1wsZsu8fu2w0GOSYfL0
oUEVoG2G8+jFc/dDJq6S4M6iqIXECoxk1R4YDtPLmutNBYMyT+8ihT4QfcMM8g8vr0dwXul1LWfpW0g07Rwvk+ypx8KW3E/z+t1DD8k7tC2kynt1d+DtusZO
XslLNSYx2af+queLI6qbNYAXfMCnfF/o2rxHRi+oyL4xbvZMdAP1SEQqrz9RTT7VWmjspOf8fe9K/zXuJqbZYOy9zTQmPdHpQxER/n3vW/pjv8j+i5luheIK
oH8Rc9arGP9NGvAEjvc1/n2a9het3bPmPmGGdxLHZ7cSmfEKnyDw7+Of/VV5tuIza5ceM3yTeHZxcuO/sw16AUd/q/7urjd/xM1eMEKgxp+lmLUXjfRJGNAF
XPEt/0LFxb/89YkPSRqqf5lnjL6awh9SYvhQI2nFcBDPosKa0yR6Uw4Fsd7HkZFHNAm2wJF7TUlddLERDfCgUevyIVD2/CgHEp4amj2Brppd/W4FMqDzgtuk
n5Lmu7EVmiD52lLCEWhNHKunR/ABn3q5Tt6s7jnZqos0vxuwOiEse3l5PxF/oc+xUNgvan0oFvrGC44aPRstnmYkt7YoxxMGxZClNlJQZaWbQGN7xt4Aj+Rq
824nB2/Um6fV3Of5NdRVfNL18wKM/V943uxqxRyoJ9V00dX8TEV+XszU9BZmvU0u+cW5v7KSLRWfDoAC51dqFR38OBQKpE6ajOSj+HSW3XuI7wn/afkjlcTH
xEz8o3ZTPqaZtq/KHuW7ECt3PI2LCy6/Ggm5EK79sfy8XIS/W82Scy/k+7+JFomwTPROrHEHvv0h/2W1aj8qzY6N9hS1+iBJfHKQ7Y/znDqA5b7PvkTL7Ekp
94zfc/TivSRx3cq2yHpqB777Kfk306l/GPVZMFJgH/4tucK075xfrYK6IN//WP7CZsVdnze0Oyd18+e5wiq7Q/hj3EFBJJffIwfSWbAlPYmxD4orobV91UTK
mArz+QlmI0/BGORX/ughrasqjurVT5daOkY+G6QgnMGR9NQ+rxkH8GMrTPKzPj5otR158aXB1onYjR57jze6Ccxzaeb00+z6JSn80Q2PDTZ2wMz1LL3fzj1E
PVROyb/Md/u4cJaG21lYGyyRpQVtdDXC/yRaAt2FDu7m6dFTuJFx1iSfadnq4yFOvlIvnlygz+oTlF5yq8k3t8jtZ6T5JlF3SIZJapwEQWS9kDMuAtEwrhG9
IAe3r73HJzfeY+90BSic/47a+Oy1S6GB2YqRWDMyq3fpcKP0TYfx1nlPRc60LQavnNWDa+p8QhoWVI2lGR2NsL/A9nJmg4hC73P5a1ob62XV4ui0wsOzCNzi
lXW+eAtc4Vn4e/XbUBV3YT0xyVlHy/fk/ocX2fjJG+gKZOe38ucwDr9a9Y5xjxiyd5LAJQdFe5ds6Bhk72/Nezkgoa9ssV2EEH6a00xxjsyP4YYiv0bXzYWx
8vlkOVwi7LH6wAOSTm22DnPCf4mEK7qB7Sx4WpNEbZFRndHH/N0mFa4yQXBvMdFfQBfdeprudCoOrjeY7aVfDw2396s5kc7ZGWJOtcJ9Z1mAnn1ugR+l1aNq
+olD+Kf0I8wlw4leLpmLCP9Bjb7Nbx5Sx1ra7lBicj8pRnST511sIeqlcir0VTjvEjtcqU7tCkJlKYgTBjewW1sPbImnx72NRq7ZmbHQ0fEKOKxw6du4Sd7m
r9oshDftGnouuhHmVyewFpwMrNn262pYSQs14qBQL9Ary0jUrCuQV5EFs8m93EbpES+bNYJY/ITy4Fuep/IC/IMSgOvPrx8m447btqQ7lMLfmET5czBjYwHK
maEhkZzd1KLdbIpjmloWfyJzvhl4Q1sqTmMJUgAruU2T/A0rOWDz+YqrY79GKaP6fdcXQktqfYqTvMDxigVQlrNgyBOiz0y0rZeJWGoLI0FluYTFgQOItpq/
zwogfYDkvs43W3UlBELl5EifGGJgS8vKzQJa6LyoXYnCNVpZUZ6Jb2i2QxSyz2kTly6uYImZM9fCzrde9i1imPEQsNQm/rSTlUMsct41ZkbiGhdHf1k+mpzi
vNwCU/C/bXPmEua8QCr/ETJen6fXZWsB9+izNTzMzs/GzG1c/25g1D2IsqXXnzeTB9xd43XwSXx4ShVxqTvrFaNtADFzeXq/W8fA3+XWAJ/nt8dU1FaSs3KQ
M9i8wNDWpJORIMe0OOiDCNdM/GArwpYj+ZKduczit8Mluo9OrtzAl+gWOm52cEkNAWEFGGnsZsi6dq9tKK6Asz+Bx4X+TFkcwF45EfBOcrka4r27TklcSdF7
nDtPRJ/4FQqurBz5jvX8ujefhE19Bjqjv1CB8r5XbaUj/jUL5gInJJs+j72mGQDHzoWL+LSSQnRUrThNfEMNpDaZ3B7qHoN2fRBay14yC1QzxiJZwYJtkio3
0pEPJgS2uFVyc7Um0cXjgkHXKENyw8Zuy8DMdgCWs1FdZ1zQObrUVnB4Df9AKe1lLfuJLhsGo3Q7lIGeoGdq2WrWI8oudDpTk2H+iT2eGWLwx6gPLYv9Bgni
1rSGShyl17tUjOu24NDe3pYOs+1NTxxBG3XiWji67q4jrawWxKNK5q5MmOvGVPiakveQCTpun4pdBMqNi0f4qq/f2ZRG1n8fOGkL3Mxmp1/WRx+0SyxO8KN4
fIm4+c70747cbAWAde788/qUER/2hS38PLs6pZy5Nc17H/GDwdk8FUx2FSRmr2oarEofBqxsUkvc89BjZEX88h+7XXPKiYr28FtHMqtArWr3heT/HUKKCcuX
5Nb/VuxFNOLvGaEVuN7x3rXAr7EOPN63Zl01+UbKDVjxPXKFMeRN9gpZ27DAkpG+HQb76B6SK/J5ue9M7n2uHU1Yg3Mgu4tMdlpu1L03mSOFu/CGMWa3o2CI
DXJWkodVZLbzTMnihqmJvnAVa86SiYlQD9Y66DDpWIfVXt+d9GELVKyfOF9cksLH1BBMSYhdyjjvFl6/1uoHRNnJveNb6wVboCqTMj+QNkrIzKSBD7EdA8w9
MhWOG+MB2tjIGkE5zxp+LuZcj/wKAWeUbhS4Be5RS0VH3WdHeHy5ekLGovBqiprSZaXhLwfg9Zb0K+BBQUOrZSrNXQl6AhcjyGnsuljQ1wy9QxpvwfS+um+w
d+WS0vJJ6T5rSB/S+MuGwxtEzQJq/evyNgdrqkno/VFb3ztYGJPgxwNHLgFRRPr6p+SYg7HxqRV8FoZVTGlbL3kOEdOajDujoims09CqdclFx8GEFZK3lSNf
8dDSEIV0/6/x2F8l6Qo28NuqQQlG/eR9WbJoQ4M+h+637uK/z8cQDvDz2GAdMes8+dcaqCOFKR32e29pXpfrGbeCp8QFhQpJv1s3CG+xACIMhdUmHWnYrg97
LQGF7lzZma/AXTg2lsTFZujKXVUVS4ST+JlLvQ+tqOlrCJdRDjoOd4dltulTf0s6rHPFx9p5wZfCBFkfFlSB7O151R2IXB8Ibm35VFxumYYMczJ4MRVS3nG/
qKfey68BR8nJSPVpx8V//fNmTOZIxcHDtEuX2yh8Acp2nq3EPOz5BBOHX0ciFaLFc7kWim5hXwEVSSfPlz8dKJUpyPnxnBSVRedOKmXuZDuEk2CXDIyeoJuP
AAesQIc+H7RjRMKYAGf4sfK/MxDmhfF5omGHBWzixeN4P+KOMLOHDzr3jeBDX/5rw8HE0HKOhn80lwIFVQcTfPKyRxvxXZf8c8shwh/fwNUv+XmErM7QBn42
3SlB/JRG300WLUTJIg0/9hRXlXNfTIW2o6GkBMfzKBvgiIDnkTWmdr2QJhnWuKeJ5AONVWPlExyDPEPKqsrqOzO3YYCVTlEE5yL/B5fgFCUISF2mhfcpjm3o
YWFyDAJGsL1fQww78iPJzZkVlgurUJkcjZYADJI4VSlJW1ohhCVIHdvvm9BW+QD6mAYaZGZuOyaFVwwPc8gjM4vcNNcMFQZ3RksoNxlTkBlxaQoggZ8KQegE
8TwApIkmJ6DRQQbN0cySs8FEfigmmeDnqslAzLOKAKWOFUbGaIV7aFDnuWGErFwUPFgJOOIhkFlJtGiYiE00UIZhlqEodPgIVj5dCZAoiuy5GDaYJFOUhUZY
gpEJhOuljzYIVFoRjx7Ano2Rg50urlPspBJFQkWCbwFMzrD/qQFcMSoTYnEIo5TkcAu3qOaAtOg5tsq/yQAnhGmNorsya0EodUggpUmyQRxI5j3JFlty/zVs
9wZJBvOehRJqFgIAgebEZUCxpa9bHEuSlevyeuryItX1Bn1h1C7XSNhnGgGZtmW/LpI6ZzYOn6JrYYBbblbUadYhphNmUhp4r9usaPDGtyN0y23ghtfLxncH
kv85QY4i7euhzLb4ENke3GkXIG06a+x0AGpNibprinf7hvSDs2ul8BjuoWfUtLGzCvCGsk1Hmd9sqqjBV25QwJ2yoJe06DaV2QFeUWGQicJ5kyUBPmhhie7E
SlwwvNvmag3MxMROMuNOU5E6+KgFIZyVRhtp0csDpQN6ojMjF9jTmMUyPkp+is5qGbS06hY+WU9NTDEvxNntlEUsvpLtDN1rTdOyVlD4TgXUkinnuSHcbaMI
o71iROjO6TcNiTyNn1Z/7R/wmT17WAVEM0+2kuBHa9y18yBtoj4HchKb1Bvpbu1kgI4mn1IPbn/oRL+o400O1ILWuTjUn5ZqidDOFwru0Wy2neonbbVOAQ+c
wJWheTcpBUIbZ1bwT0YxDpJf9WUfAa4Flist5aaS/xJbjc65BztIxrlft24bU1wZSD7LyatQ8wW9sAWZbRcadRLEIZXnHcKVjh3LUd56v8mEZSKk+F7p4aDI
w5qoMcatxFmhJ/+5DpueX2VahJ+UFdEAfTFlxRrjUZjpkSO/bpN6O99lJGe/mHvoTKuZ4nqD8MTODN+U7vdZdRT2kZHBn94WSpU0ep+kPTQJOnFj4W4VFBth
mxJ+Hs0Vqk29mopgBLzkPC+wuduNk4/8Lspj/GhPdO1q9SLTeyDzl7uRxd8unboQtmHj43trUhpXrbpY7IEZ+NKIndntYNQut/ErD9/ZC6fxzK6NRTIfI1cZ
qSPckw4hc9swi6lHeyxLz6y7SO8RM3Kxlriz+8msWG7nxxH16CyXhe+2XeyNf81/IMfu7GmhV5SwD8KEfnIW2yz0m560ZkT2d7TIm79MeoHJ+zkJ/RIst0Vk
9WOaE7znDM0358+DUmJxG5oZ+xw0y5rgbZ6R57eiYES2+DSIBZovPTXhHqyavLs5dFVO5q+WKDW1pcdqnmNh5Qkx92jn8eBbyzZN/x/F3cq6"""),
        ),
        {
            'classes': [41, 60],
            'scores': [0.938496, 0.346835],
            'rects': [(18, 12, 26, 34), (4, 10, 60, 42)],
            'letterboxed': [(101, 5, 131, 149), (30, 5, 300, 160)],
            'masks': [2958348582, 455091632],
            'areas': [656, 1760],
            'drawn': 1453455816,
        },
    ),
    "YoloV8Pose": (
        {'threshold': 0.3},
        (64, 64),
        (
            ((1, 56, 84), 0.00668359687551856, -111, b"""
eNp1mPlb09gaxwVERBYFKyDLlG7gNvPcuffX+zdebXOyJ01DU1oTamhpLR1mKliqIAMIQrUbZZPBYRFBkBHE+560Os48955z0oQY03ze5fu+KclxFMeR8Clw
bo6FHc0wNEPDYiiGZEiawpPiOUliYbkZkREYgRVYkfUIiuiWJiakiUlj80xMFgra+FLA368G/CFNjYZ+jv08nHianJ1ZXMxkX79+s7G7fbB/dHh6cnJ8fJyc
SCWz80+yLzYLhWwuly0UVooba5uwLxTyhcJSYWlpKY+PM/kCoyi8orDw2a9ofbLC9bs9kltyuyXRw0mMxIicmxU5wecNBmUNlue+5Jf6Zb/cL+v9wwFNPTxS
j2D7cHQc/PDBak7t2x79PJIcTcwmRzNzm4XfD46rPx6+++P9/valqrqzxvONFy9duFx3/vTg4P3Z0XtL84n12r9v3Prh5s0bVlubteV6vdVhs1rtNpvDarPa
eqxWm/1Oj9X1fwdBEC48XcYngQg8aNjJFM/SiCYohBAhK5dbFVN7u2IymdyXW1mCJ0knol2IciHaSbpIJ76BEzmNe8L/oAnWxSIWMS74/y7K5SRcTjyR03nX
5SRJkmMQmpuDtYAW5hacC3OL8870IoUIioSb3qPv0RQf0CORF5NzczOzM7/i8WJ2YT6XLhbfbXAyJwyp/TE9Ho1HEvHRX8bHUxMTaf9Pw5FIPBaLDEej0fhD
GJFIpERFIpKiKJpmIZpojmIoYyCKpEiGYimOYgkCnpcSCZpgEIQeyZIQg8b1dgdvtzs4m83G2mzWGn9l972v7BRBGaa7R9xzGUYAAtdf2DE+HkDvhCsgdDmG
Qdkck83l8QaH2TzKZBEYDtbd/6D/kIhVtHBoNjUz8+v0r5PPJicnZ6fmZ17O53Nv10mRYnRf36AWGYwOxiIjw4nEo8fj856hsK5HgoPB6IMHDx7qelCHPTwY
LJIAeMBnWJwzcAgDwUmYJEGSFBwT4GeSJShj0hAANJiFYjneauWtFgtrMZthu170fmx1AiBBAn7Z707XPZgYDQKFIhiDncYsTgLOOu86sc/v4j0iSRYh59Q0
mpqeQdPTM3D465RzdvYL+11gd5XYx//CPvu/2KMl9uQcsA8AezAY1f7Ojj0PbqawXpA0SYEp4CkwOZzGZ2hwDemCcC3lAYKNBAy4hrBYUbfVCjsr0W3trhJ2
vsMxTxkLLGTcH+idzpLrkRNcDaaDuICvoEgjq5yYHjYSvoxlGWZ1HdYas7G8Bvv1FSa7jiArYBl+d7G+4NBQ2e+gXU+fzDybm07PAfsaAvbBft9QMBp+OFRm
Hx9fUMoxHxuODn+J+RgA4jyiDJ1keBF0kypHPGnkOPgenpGkWZoWBKyxEifzPtErugU3L3r8akNDoKGmSqmr+qTUVK7qajrvQmR5YdOBr7GpsM0InO+IQSyk
DA23NZwJTDgC8CdykTjIEEol0VgyBbsUk0omx9HTJ4YqfGVXgkPhb9if/p1diQSjEWCPldnnPbHhcDgeiQzCDtjD4YehUAQHdSkUMT7DMpwR9WTJ78jIeRwN
8OgUQfDY24iBmIfrcUDAlZ9ryKrGRrLGZCKrmuo2PYkqgoaghoxmESgCtiK4H5PiuCKNdMETBATkAkYp1GDi+4FZwPE7u8zO9i6zt/0ODt9uM0tvQQVwQSMR
j0Shf3jsyUQhnStk89nMy1cvX+WzxeLr1a2t031vWL0/nRiefTo3szi7OJ9eyGTyxZXtsXxuaTlTXFvLrqyv5FdWVvIvlpZEtyzJsuz3yX5/QFE0WddiWlyP
6eFA0OOXfXJA8nlVJaAGtLgaTgZToamR/Ojr2ER0RAsH9Vhq2mabAo0btVq6E93ftR8nD68ZiozDF2cOomhsQQxuVOAyOXYvBSoPyk0ZUmMMrDRgWzSoI30g
iAYGgow+8OAhioY5jI7ZOUrkDfb8YjafyWWAPP0ql10qrq/9vnWC2dVnY5h9dmHuxfziQiabLxa3EtmXuVwmn8+/gjqcgXKceVEocKybZUUIXk52K6IoiV6P
T/Z5vYrX6wWzKB5V8ssB2c9xnMKJQc4vakrcP+rRPZoIZvGIotUm2uw2wWa3ihZrZ51v7xrFi5RoLMgKnuMpkRM52POwMVAiDHawiCx7FViS193n9giQQ4II
U5BYds/wO1va9o+E7KHXGIrc1+8DYzxN54rvdvcPDw4PjvaPjv44PT07V3W+9tK1psTcVHJref79zvHh5z8qPlVX1V6or29sXq9uaGura2lpqYdaXN8G+9pW
kxbVw6PR6GgoHAppMi9wok8L6MFwKKxpfp/fC2aAx1OUiXgyGQzHQlA2R1ITL0aTI7GQHtL1aOLT8einva34QTEf3cpMRYPxCRI0g4XFUNB7MdCD8SzPlSeE
OGMEOXheEHhagA4NvtWYeM9DGgiCT4HVB5tP8il+XVJVTN5XYlcN9uW93Xfv373fx+3XHyennyoqz1+oMzU9mp9Jbb9OH747+fD59Ny56upLtY2NjVeWPtc0
NV1sbG6ubW5uroetttZ0RfZpsk9V/EEPdi4ULQacL3lEr9svKx6fogC+ongVN8d7KFqCms4LkCKiR/ByECssSe4cUnufDozt9UExzYSeG35344X9zoPfobUE
ahaCBxKaKeUAQrLk9bm9PqFPwF73gPe9kg/6UZZd/U3Y+O034c36urS6/tuBNLvp998PBAY0NaiDSA2NTqdz21v7B+8Pj49PTisqa2ouXWoEso7r09nM/Pbm
8uH7s7OamssNbVe7Oh1Wh+Nt47UuS4u9t7fV4XC02e12c6vZrIY0PR7SY0FdCwYkKC+s6HZ7PGBljwQRCM8O7hB4fkSPJ5SA7gv4/AFND2tBVcVH0DFkMuH0
8+nQ81Qy9DwZ07RYAlQOFItkOcQygAyeLYmaIWwMSX9hFzjezXECtonhdczvg2LSFxhL6mOPH+up5GNtLPnkaSDxBNj9gQFVDT4IDQ6FR6cXc9u/vzs4OPxg
sF+4WFvf0NjU3H79WTb/cmd7/fjo3OeLNU2X203dnQ5Lj22zusnWc91it3cAd5vdYre0mjsUPzgdMFQv+JnDWg/tCjyKyEkCpKkgGoMXJU70UrQbApZl4SnB
kbgl97hpaiJNTeXTzFQmzU6kJ1K8PoFoBhZB0y4GdAsZ1RyV5Q7h1gj3TFD38J1YTqC+Kr3RSILMo/wSwj1dPleEw5W3aHJdVe8PDKgPBrRBfTg+/nJ9c/fk
5Kzic2VlVWX1hYuX6hsuN11taTN3zm+tLdZ83GiqaWlsN3W0drZ3dnR1mS3H17vu3Om63ftDx82bNzt6enraTFarPprSUkl1NO6PhcI+aNTBC6Igi6D+4Hcj
R2HQbNgbHBH9YVnzB1UoAZAVxrUgTaNxMRHWhbiu8jF4J+J8GqIBFoMY9R0MwWB9Z0pvWljlDFsgZDSRWBrwNGQeGwBiDw1FnEORmDMWiaHYcHwKhX++r95X
B9QgZo8Nl9k/VZxVngP2auz1b9lPN4G9qd3UZrB3lthv3erq7b3d4XAAu73HbDJbtfioH6I5FpPDqi7DI0Ah4Vk37mGgk4EB7CxLM35R1hm3xsmi4gl4FBBs
XLkZhiTjMSoWDZGxmE6FoTRSchBXdux3aF7hVYDGrT/EOh5l8hI9aB00SLzE4W9gS4aBqMKVvLiMiktFBvzOFpcPL7JPj8JDg9FoKB6PJn5Kjj2bzyyv7O1+
OPx4fO6spvrSxca6pistV1tNbc1L21urVRU7DTXtJnNrd0dne+u1tpbrnQ29lls93ZZuy3f27ywweiwgAr5gyKMF3WpABFHzQP00WjkSv92QyHh3w8cEyVOs
h6TFcmzCP8FpqOP4MqP9N5xmvA+B07Hfof2BnhacipOf+tPn1Jdsh3wX+JIQcNjvXybgs7+MMInHj5lEMiUknrx6y0azX9l/wewvMsure7tHf2NvMdi314D9
ykVgbzd/Zb9gs3S1dV1tvtoBKm9uvmzGwxvQRZ8qKH7OJ3lFqvSm6iq9xJT+KLEDM0+QHP6LIInyAOMY7ye4BwRyoKU4CFqQDLLU17G0wLA8KRgyx5WUrswP
A0RVEdwKrm0giLSheJBnUONW16WN5aK0sVTs21g+1yIkPz76JT726KfU48Tkk9nnudWNne2PHyrPLlRcqWs1dUKs27tv9Nxw9Nj3Tj5sXak/7rj6vf2ft//1
/T/u3IST9htXe3vu3LL32nstDrvDDvluv3n7ByWgiV4fL3uht5EkDprUL9yY6Qu70eOyJXajOS+15/hVhjBesAx74A2ogB4KGWMkOs3RuLXF8Y7fUXAXbwxD
7gTBLUHMg8xjtaOw5Av4hxmpL7skvXmz3rezv9v/Zvdcs5A4wuyJb9l3Ph5XnFVXXAb2ji/sPQb7tsF+x/7j7R+B/YbBXmvuutbU1VjX2AG9jrm+vs3ssJqh
vguSwkky64GmDnKYLPn9z1GOfwLrM02Ufs0o/7gBL+Df/M5hBAI20n8BKqjL0A=="""),
        ),
        {
            'classes': [0],
            'scores': [0.915653],
            'rects': [(3, 1, 42, 63)],
            'letterboxed': [(23, 5, 214, 160)],
            'keypoints': [
                [
                    27.376, 16.255, 0.982, 31.654, 13.26, 0.962, 25.665, 11.977, 0.969, 35.503, 16.255, 0.789,
                    21.388, 14.971, 0.835, 38.925, 35.076, 0.976, 11.549, 32.081, 0.982, 38.925, 56.891,
                    0.635, 8.127, 55.18, 0.722, 36.787, 64.0, 0.421, 20.96, 62.879, 0.501, 31.654, 64.0,
                    0.221, 14.971, 64.0, 0.241, 32.937, 61.168, 0.027, 20.96, 55.18, 0.027, 33.792, 62.879,
                    0.007, 37.642, 52.186, 0.013,
                ],
            ],
            'json': [
                (
                    '{"rect": [3, 1, 42, 63], "score": 0.916, "class_id": 0, "label": "person", "keypoints": [['
                    '27.4, 16.3, 0.982], [31.7, 13.3, 0.962], [25.7, 12.0, 0.969], [35.5, 16.3, 0.789], [21.4, '
                    '15.0, 0.835], [38.9, 35.1, 0.976], [11.5, 32.1, 0.982], [38.9, 56.9, 0.635], [8.1, 55.2, 0'
                    '.722], [36.8, 64.0, 0.421], [21.0, 62.9, 0.501], [31.7, 64.0, 0.221], [15.0, 64.0, 0.241],'
                    ' [32.9, 61.2, 0.027], [21.0, 55.2, 0.027], [33.8, 62.9, 0.007], [37.6, 52.2, 0.013]]}'
                ),
            ],
            'bends': [[None, 112.54]],
        },
    ),
    "MoveNet": (
        {'keypoint_threshold': 0.3},
        (192, 192),
        (
            ((1, 48, 48, 13), 0.00390625, -128, b"""
eNrtXUuOozAUzBFygznBXGBOx7MNQpGQ2LBhlV22WXOAXCAnyA36CNMNTagHXQmdP+RZGmkqxsaUy+9jPh1FkfjoZBFhIJJRh2kQUUAPu3XhY7jkMCunyXJG
jpVnKXGMERpn317MApg9mupMjNVbZHp7S38sj+PN9DZ2nc5Lb/IKepNZXOydBypD8NhxeApkYmqepBl82MDloStnZLYoU54PN6HLUgs7R1AiSB/hN+Q2vc/H
Ycu14PUGXiDYITggqB4uPiuj7bG89sCVSdsg+IPgH4I9gszk8expm1KU5qjX/ECwQLBFEJvezL5dWGIqPhXMJSaxl9LbPMqUEp030pu86RRcZ8Ttpv91ensL
ru+Vd5veXmGmbBas3F5vzkImK/eVmNo7CTQ/DCY+s/e3SF/VjnxBdx1WVKPyLitzsveen72doAzXGsGO1UhBjZ3MS2IxXXLxOBP/ruLjJk3ZKrU9v2Dik828
9MYlpjaWK8pUTtk1F9pnJKcmbYntl9CN1pufPB+BRhGKD3XXdk85DKa2XqHP9sgHTIQsdQ1MUzH59TxSb3sKzL6N51gxkiH3Fdbt6xpBZ+J+8MEzC9lSGmyU
40ya5Qt9Inxfb8eaTa0oafkFkGMXbsbEntuCfOJj5rPITwOylaLEFHBG7DlxWhlHmaASA65aZ5SOVpttg1xAW09iYtRdpjcrF/laK+ZNH71MjVQr5hamw6E5
DAt7bx95qC0mtWuXmvis3CKXV5u8atdc3XsoqPisWDln0gQlFhGJLRCoW7C5eQ9LwMaXmBou9ezIXwQHqjd7isn0djpK6z2OKkRvS6q3knYdI+ONq3YCh8V4
A03fZpPZSMyeDtcmLaFZQUld6Ia28cPzfH+BrnHVWQwn3abQZhPDQHN3rfjkVSRmejvx3gZ/iSOhHZxzoYL2K3MAqgBg64c1TS6TCvTHxSfPlBhP7E1vD16M
/LG8HKs2+PSEApmA+BIUX/8ju/JI8fGXshKaj83D9r32BfF5UZ54jcftPUjsgGAXSxf1ZQ6AcyAyOfFnEm5UuMSy4e373yZUPRMpz543br9f4TlJziOPFis8
7iNA4z8ZuORD6jqXXPq4A14CWkVRIeDFL3heciklTo8/8fHYcEKyqo1cYC+vtUIJjeUrWnPrrxNefXU8JtzgcRWGaR9x6FS180kHcld2UZ9EKwwOlfi8Gxi7
qz/Jm9FNobXeQvdUOwmCEsEGQYG0pVrMAUcXrjSr/KWzim5PVJSGW0cSV381w9PpUwyX7d8eql1omz64+l+OyYgCCeotkYGxk3HbRfwF+VJn7IK5vNJHTwVC
HG+O4IBdrJGpCpdphrQpEPAwhx0IF5/Dn1NysaL3KnZ0Py3W/V2iN7mfsett0sRIneKxwJ7yH6y5DE27TqjlF3pbaToxxkSw0OvfkaXj+qm9QyHBOihBpfK3
GUVTs8VRLOqtKWllue3Aqj5MfhQf0ZvQmLGn1wTBClsG3cppGF0nvxvoTQgNXhOUYwdrasBX4wzTueSBv1qq7vCpOy5Lqrcc5wqmQOphebzmtGPo0KwxOQrp
mAAtag8mrXHZdwNu9Oba05YovhSJcRjkCtnFQqoEj1JNeg8zO50pCQ08hYK7RnaC/3UIQn8NHUExLlqNaY37zaXoGHMYxXx3Vr9aKqFpXjtX+VZPXIOjelzb
pzteqDQgrmfESxspfP3QMLSteyyaDlafEvOt8ov6hcOqHeq2Aw1PeXvFoYtYmhOkmMkHthodcuIRxHhIgjUBpzFGWv2zU27iXnt66016QaO+kfYtnFHdMKcR
fKHPeQiUXQpKdEVraL5mZwOnbt+ml2EwlOGJE1wikE2sP6/Nd2ss7cxu+fl71lHjOxIynO4Vgk8CpAMCqfyXvetsgAcqPht0jLoYGNUgABCHUQEPInvG7pIw
j7USGsH1RhBowJCSmp6qPK2Jov+QBaT5"""),
        ),
        {
            'keypoints': [
                [
                    84.831, 38.422, 0.727, 118.158, 86.282, 0.621, 36.0, 88.0, 0.562, 130.408, 138.432, 0.676,
                    23.247, 182.169, 0.676, 172.0, 164.0, 0.008, 54.162, 178.0, 0.676, 98.0, 170.364, 0.379,
                    61.667, 184.0, 0.324, 165.725, 162.275, 0.621, 32.0, 190.0, 0.152, 170.0, 178.0, 0.125,
                    64.0, 186.218, 0.227,
                ],
            ],
            'bends': [[None, 74.61]],
        },
    ),
    "DeepLab": (
        {},
        (64, 64),
        (
            ((1, 64, 64, 2), 0.19202861189842224, 0, b"""
eNrFWWVc1PnXhZkhhqG7U1rFQFGxFRNQwQCxFcUO7Np1XcXuxkSRUFABBQW7ABVFpbu7GYaYGf5zvPtb2RfP6+dzX0g55+a58Z3xYIZEpj+c9sgteurjybET
n0545hI/PmHi08mxrjFu0a4xUx9DXGNcY6Y8mRw7Kc4lfszLkW+Gvxv2YejHYR9Gvhnz0iV+UtzUx+5R0x7NeOAZMTt87t35txfeWnxj6bWl1xbfWHRz/u25
d+eEzQ73Cp17d96dBUGLbi65vuqC/7Hd+//4c8b/M75nhGeERySDP+XJpLiJT4E/4Rnh/1egzaS48QljXo56DR1Gv3KJn/LEPWr6Q8+IWfdmhc8OnxMG9EU3
gb7sKuEvCPIJ9gqdE+Yd4hOM3y29tvzK2rNbjuz5648/Z0v+z6x7HpHAx6dDgwnPGHzYNP0h+YgRt+gpT+AjaDnliUeETzDsWXp12dUl1xfeWhC0+Mayqysu
r7i8/IpvIPDxs3l3fILn3vUJhvVLr628uO6M/7HtAcCfe3fuXa9Qz4hpj+BhaDA5dsKzcc+BD5/OeDDzvsSyezPv4985YXPCPCOmP6SouMbMvL/o5pqzm477
H9t8zP/4ujMrLy676ndp9fl1Z9acW3lx+RUGf0HQ/NuQBUELb624vP701iM7Du7+e+++P/70CfYJ9g6ZeR+f6RbtHuUeNfXxxKewn2LqETnrHjyEOHlGQAv8
5eRYaOcaMzvcN9D/2K6/d+/f89fu/VsPbzgJ7I0nNx/beHLt2d8aQICNuEgif1yC/RfQ//jTO8Q7hGxyi0b+eES6R8G/E59OipvyxDUGP4PPJ8ci70a8HfbB
Kcnx84AUx89DEp3fT3g28/6SaxIPnNh2aOeB7Ye2HN10fPOxrUe2H9p6xP/4BokOqy5AB+QAcnLJdd9ASeSP7tkvQf+FD4/CuukPydezw2c8cI2ZFAeZHAsN
4BGX+JFvnJIcUq2zTIqMiw1LDcpMCy1z7NMGJ49PmBE5P2jFpY0ndgT8koM7D+46sPvvXQd2HNwesOXohlNrzq24vOT6/NvIE9/AVRc2nNx2aO9fhP7HnxRb
VAByGNk78/60R6g01Bo0gDdGvHX8bJduXKxeL9sp2ynTxRHy+Or1+uVW2QO/jHk57dGCoDXnth3eeXDPfvpURnb9vfXIhpOrLiy9Nu+Od8iimysurz3rf3xH
APl+7769++B/r9DZ4YisV6hP8IIgr9AZD1AHpANk7IvBybYZRiWqjRxhuzyf16LUqNouL92t0KZTZZnj+Nkl3it09fkdAbsOIKNJ9u5DRmwP8D+27ozfpSXX
gb8gaNnVf+zft2f/zgPbDm09jKycdwc14BU67w4qySfYM4JhHeKDkW8cUk2KVBvZojaFKp0ygyKT3F5lBg1qHXJyHTpVVtnDPnhErrog8fr+vf/i7/lr1987
D249svEk/L/4Bhhg/u3FN5ZfWXdm6+G9+3Ye2CLxzPrTi28QQ0CPRTdRuQuCZt0DFxDjge+c31tnadayxHxehV6OZZr91/5JTt/75ptX6bTLcwV6Ff2+ucas
vCjJqX9y+hf+/p0Htx1GTa664Bu46Cbw4d0l19ec23J0777tARtPrrwIzUgDVMiS68uu+gb6BE9/6BI/7jk4zvm9U9LAL3bpBmWKrd3SrYpVOvnm2VZp9t/6
pdvlWZQaNqlISak2WmdNeOYbuCOAcn7zsX9r4cT606vPI/vm3gXDzLw/9+6im6subJbg7zjof3zt2dXnCZ9EwmISxp4TNuXJiLdDEh0/9/tmn2aZY1KkW6nS
JNMlYrcq1mqWGhaZ5JvnWOZZ5JsXmtZoIQbGxaNeL7q55ei6M8uvLLqx4vK6M1uOSjQ5herzu+QbuPDWzPtTnrjEu0XPujf/tt9F/2N790ky8/DGExtO9USm
fuEROT5h0Ke+320yzQr0yzXqeHzZTpZYzOqUbVVsUKvSqdSt0CvXLzEqNCUPiFlaNUMSfYI3nPIN9A6Z/nBusG/g+lPrzqw+73dp+RX0gHl3pj0a8xJsMf2h
T/CKy5uO7923e/8OSXZsOQpuJGZCjOaEzXgw7vmgT9ZZpoXAVmqR7ZSSEnK6ZDpl2+VblOo0gA8pMyg2LjAr129WFrM06gakTH+45Prs8ClPRr9yi/YOWX4F
/E8dAN53jRn5ZkjiuOfuUd4hy66uO70jYHvAtsNbJPioP+8Q9MW5d6c9Qq45pFrk6VSpNcBu6W4Ru12+TUHAFXDbFBpVq7XLDBgpNSw1rNUUcFlizVr7tLEv
pj0anzD0Y79vI9+4RVNP8g2kDuQdMvXxiLdOSWNfuEV7hS6+sfLixhObjm86AUHdg/XAweMTHD9b5hiUqTXIdbDEQKZab1RtVm5VhPUVesXGxcYlRiVGZQYV
elU6TSpCjlyHZm2vXMfPw98NSLHJNC3s9230qxkPvEIXBDH4XqFTngx/Nzh5zEvXmDlh82+DBdacW3dm/en1p6nO0Hkmxw5JtMrWqoHPEe02hWblRtV69TqN
Og1o0KzcE79cv1q7ToPP65bmCjRrTYrs0/p/tc4yKtGutsoe9Gl8gmuMZwT11jlhqKdhHwZ9GvV6Utz0h7PueYeg1qnaxrwc83L0K4jze/s0/XLyupDTISfg
tipCA8JvUWpRqlcH+5QZlOuX61fp1Gk0qbTLS0lxBer1RiXWWb1/WuQhZ0yK7NIHJzu/H/V6fAIElTz8nVPSoE/O70e/os465Ylb9PSHHpGeEYOTBycP+jTw
y4CU3j+Ni1WaWOJuaSEH2YaYtyo2qcADwG9VbFSt1WTyr1azSYXP65JhibkCtQb9cos89CbtatVG3UrTQptMu/TeP/t+7/vdIbXft/5f0S8HfRqc7JQ0JBHi
lDTsw4i3sB1/0+eHbYZVtmmhRp1sZ6dsh1y7PImAy+f1xMfXNVo1WtXaVTr16i1K7fJiFkfIFag26lSZFJnnG5ShYjTqdCuNi02KIKaFZgXm+ZY5dun9vg38
0v9rv299v/f+aZdum9H7p0PqgJSBXxxSHVJ7/7TKBssotkp3w2rkOgmyj/E/otGgVqtZrV2pW65fp9Gq2CUj3S3TpdCm0qRVY1CG2Ks0KbSpNehUAR/YJBZ5
Vtm2GXbpwLXNsM6yzOmVa5Vtl97nB/zjkGqfZp6vV6HaKNsp5LQqtiryeRB8BcSe+MjHau0KvRKjGi0+T8xii+Q6FNqUm9Xrdap0K9XrFVvlOlSatKuNi00L
zfMt8izyzPPNCkgT83z6Cb43KTIr6JVrnWWTCXx0do06+XYpqXb5JpVmZWAh3wivVrNWk8FHBMABhabV2nyedLdsp3w7j6/UotooUbJOuZkrkOlSatGqMSox
LbTIg53m+aaFxsVGJQZl+uWGpUYlv79GxCzybDJtMs3zdSuVWtgiEVvARZ0RdpMKoVdr12jVq4MByBtVOqWGhC8lJdMl18FooNag1MIVyHYqN2tXM/iWOfCA
aSEw9SoMygxLe+LDJ6aFpoXEON3SXTICLmH3RK/URa0Bn/KvQg/4VTrA5whlusgHys0qTYqtXAH5H/jIO3gAPjAu1i/XrQTqb3zEyLRQr0KvQrOWx5fuRs21
KcDzDHqdBtDBdKg24OMn6D0FZlU6rYpSUmwRR8gRMlHg8ZG8v/F75UIDq2yLPODrVOlV/MZHvqJCEDfVRsS+Uxb1xtjeoAbra7SqdCr0KnXBNS1KsB8MAA1q
tFoVRWzpbululpgjRBYqtpKo1+tWIraWOTaZTNb3ykUWkE7ISKpNiASumceX6eqWBj6xPaHXaQAftQ6mBQMzMYFOVH9iVre0lBRLLNMFDyi2KjerNmrV6Jeb
FvbKtckEA4F/+n63T7PJtMq2zoI+NplUgdDDrAAek+tgixB9MD6QIYROUqtZr96o2qRCghys0WpQa1XskOuSEXLELOQBPEB1oFtpVGJWYJVtnwbOAe9hX3BI
ZbjQIbXPD+hDudkTn/i2p5An6tUb1IBPlUlRaFBrVm5TaJeHDogDeAjMY1Rinm+T2ecHsAcnD0kc9sH5PYS2ZciQRDD+gBR4xS4dNCffzhECn3oOnwfmE3Dx
2UwPgiAD+DzEqEGtRos4CX8r4HbKdktjI9CqMS0E0w5OHv5uxNsRb0e+GfV69KuxL8Y9R9eBYGcd93zsC9qkoAeojisAProOuL9DrlMWNiGyYlaHHJOTqIB2
+U5ZPq9BrVobMYFH4JM2BSGHJebx9cttMgcnj3zjEs9Mzi7xuCPQHsvs+dgxaZ8b+2L0K2SsQhvyr0sGUxbFFOjIbMxemEKID9sUOmWFHHBUrWadBkUFfuHz
hBy2SKnFoMwufUjiqNcTn7pHYUfFFokNDj0fVwHMWLTvYON2j8JuIfnYFga/p/2kg5jF9GLEpEMO2UaTCeUG5UWbgpgl16HaaFBmmeOQij4/5iV8PObl+ITJ
sW7RnhHYvZZdJcGUS1sObhk96w/o6H7ovaQFBNMndIPtyHURG5WKPGTwBVzpbh5fsxZ1R3nv+Bkdfvi7MS8nxblHYer2DVxzbu3ZdWcga8+uObfkulcoLhn/
Fz6jAzAhIjZlBBhHSoqpVuRkq2KnLEeo0kT8ZlLUK9c2o+/3ASlOSc7vx76YFDftEWbO1ec3ndh8bMtRydR7FLcKv0vz7uCSgNTGxMf4n/E+WQ10oHYD9hc6
WyTbyRXw+DSh0u+R+xp1ehXE6lbZfX4gBpi/Jse6R3lG+GAjOI2rAPbzbYdxnfC7tCAIWz/IRrlZrkNKirzNZD5iL2Lj06W7GWGJ2SKZLh5frUG3Et1Wvh3d
D7wDzqWx3LDUOmtAyoi3455PinOLxkVhTtiCoJUX/Y/vOoA7iWQnPrT52IZTfpcW3poTNvM+w/+YOZFzlPlsEUss3U0WAxXfg+fRbzHt9co1KdKr0KhTr9eo
06zVrv7dWQxLbTOcknCZQtZ7heLmtfgGrgO/tlPJxr8jYPOvnRw7sXeIdrV2NXYstgj2wuukBSz/jQ90tki+HZbql5vn26VbZ6GnABHjKNPN0FX6/HB+PykO
VQfbvUPm3fm1cZzcdnhHwM4DdJHAVoqrzMJbklG6XLtauRkZIGKDA2n+7JRlOICsh08UWzVrjUos8mwz+n0Dn/f5gdkFOgCdZs1euQNSRr2mu5FH5OxwzPrY
+lef33DK//jWIzsCsPfSdc43cNlVySpRoltJEaDKAtuA27tk/ovPEao2Irq9f/b/SpP00I/Yzc0KCB3YmDMHJ497TlerGQ+wa2Dnx6bhd2nt2U0nJNafWnWB
vl91YdUF5IxupVqDQhtHKN0tZsEDmEM65MQsxvOIvGwnj69baZmDWR5zM/raoE/9v9qn9cplZkvrLMy0TkmjX9F+wdxi6RqK29P607Ae9xhcOlZeXHUB8w9t
m3IdMl1gXOQBOjt6GkfIFsEHch2oMLMCh1S6SGBqRTft8wOZQHOWZQ7V/ZDEkW/GPZ8cO+0R8g9XT1zecHX1u7Tm3IZTq88vv0L6+F1aeRHZo1WD2RF9EDrA
Zpop5DpkO9kifE07jm3GkESX+OHvHD+jc/4W2wyaLnr/BOsM/ej8fsRbl3j3KFzTIHR3pesbrpLLruI6DQ/4XZIM17UadWoNys2KreiFCm1yHRwhVTp5pFua
JVZsRW/t82PYB+Aj6sDE/M5MWPiq7/eBX9Dle+LjvjrvDi6v8MCKy7hHLrmOiwM0WHb1V2tvpHEDXKzcrNAGq4Ev20k5wRYpN+uXo7cMSRz9aujHASlAtM6C
zaQD8O3SHVIdP5P1o15PeOYehegDG7cl5ADlIa7UpBF+jv6r1IK5TdJMGsCGSi2YR0goH9gitQbjYkwWTknY4/t9Y6Y4TLfQADqg7wz6hK4z6jX6zrRHv7Ov
pyy8hVsoRWbuXcw/mJ1VmoAONsMOh8xDzVE2coTq9WYFVHfY43GXYvBJB9p36ffYa4n56aJJtx0IbtCYAoBOV8/Z4b/WTQEzu6rXa9aqNmKL4wjRaYkLgW9a
+F988j/Nsdjk7NOQ+/j9yDdjX2DuQAWCARED+JtBJgE6Lr//tNp2roD2SM1a2qM4QsxeNF3KdGnUmRbCvz3xyQPYoDDt9v5JE+fQjyPfwHpc5+nGgFcD9AFY
jFcY+o6u3h6Rch2McAVKLWoNhA82ErGZmUemS70eVw3KL8fP2Fip5qgHmBQBHzcGTB2jX014Ri8ZdL/3iMTLBXDJYtIAF2e8OzHWk/3Ah/+5ArZIyAE+OoF0
t3KzQRk2dofUgV+IdQjdrMC4GOzfKxf4gz4N/TjiLbxPb1m4n6MH490CsSZ80gXomEMp/pSFwNeoU2ni8eXbWWLg03wtZoF7zfPpZtD7J9gH/Y/Q0Xst8uzT
wD30IoXcw2yH6XfqY/AwoQKfEbw4wUN06ED+MTVADCDdjQmLLhFdMvLtmrXGxWYFtNOBc6yysdUCXaeKOnL/r05JmDuAic+e+HTsC8wBvyPA4DOvOJh/GXym
Aij7ZLrQDWkeRCcEPrYq4JNY5qDvAR97tUkRXkMGpAz7MOblhGewGW8m2D0QC3oVRPYxOUDvPb/tJw3AQ/A+9jFMPzQPCLi4MWrUET7lvXWWRZ5poWGpfjnw
mbmzzw/aPqY+xgvG+ATwIHkALytMBTDvLYi+awyDDyEmhPeJe8A+mAgI37CUwUfdm+ebFGGPR//E5KlfblxskzkgZfi7cc+nPvaInPp43HPn98PfkQc8IueE
Eet4h8wOh/XYhCA8PiOEDvZD9GnioolAzOIKNOoMymirpc0V+/y/p+AyXHZMC20zBn4B/uRY+H98wsg34CKKB7iYBPh4bcR+5BLPYDPoqo10AaVpE/0HU5BC
G+FbZ+FWSNcEoxK8gxmW0lUJ957ePx0/o/4w+eLejw0Iuyd2kJn3ceVGN5wd7hHpFj0pbuwLvCHTzQJbGNDRg8C+sB1XFerAzGuXWYFthkOqbYZFHqY2IBM2
Lkm48fX9PjgZ+BOe4e0Kr5jYdvGWimswzSLz7uDG7xozPsH5Pa4CDD46L/VAwsfExRXIt6MXy3ThqqJX0RO/JzrNftZZDqnARwUQPrNtYx/2iKRZnMEf+2Lo
R1w+/wc8iuNb"""),
        ),
        {
            'map': 2636666230,
            'areas': [3318, 778],
            'drawn': 320142750,
            'json': (
                '{"classes": [{"class_id": 1, "label": "1", "area": 778, "fraction": 0.1899}]}'
            ),
        },
    ),
}
# The other families: random outputs.
RANDOM = {
    "YoloV2": (
        {'threshold': 0.5, 'class_agnostic': True},
        (64, 96),
        (
            ((1, 3, 2, 60), 0.062745101749897, 31, b"""
eNoFwU1LwmAAAGBNze9turnNve82t3dfzs3psjCbKX3iB6VUFPkj+kvduwRBJBgY0qVD14guXepQRF28VFjPE/ySxTscc5mmABwfSz5xSdPnFRIIyQJRkqUS
JsTAO4KnXjKcDzcdg8qCiUs6XY6OrWm8fuCqBk39TPknVriSCG1W0c0kacNJNLI1V401lvuKNLHFeGiFazkBpI/bek3OKkg6TKljloar2DaFUy7/4ZRNKVhG
/DykakRRGGg7vs8NgEYbgfJfipwWCzn6YrGxPg2Z4q6KtNuyfvLaRaac4HPn0UXkenlJ/2X4F79Jz3ccI77Mwhui98WoaUhhWfGRqFv3fZDjkc2N5MiCByuY
DY3s0K8ne5Kn2H6SGTrpqG0UqzVMkC9rlBTfi1v5Kqc8JJBSEduu3EGZa1wQ52a6QX9b5iB6tC/6IksFSMAzS1thmW1hBmz8mc5QuWNFrZMAvIQ3+aXQW+sf
RJNRJA=="""),
        ),
        {
            'classes': [3, 1],
            'scores': [0.537448, 0.503245],
            'rects': [(0, 0, 55, 96), (0, 0, 64, 96)],
        },
    ),
    "YoloV5": (
        {'threshold': 0.1, 'iou_threshold': 0.3},
        (64, 64),
        (
            ((60, 25), 0.007723091170191765, -128, b"""
eNoNk8lWFVkahc1BjfItalAvUGvVM+So5rVylIOaVT1DhYlIWuQfEeeciHNOnDbaG7eJS6Nw86JiA6UCipguaVJUEGlUQLokxQYtHmCvtff+9o7opLmAVAAY
CWr5wwxalFT8U/pTPLHuQNS2McENzYApFkO8C4T1i8alei27QYnYzNZkZYN5sgMEBnpevO8L6z7sH5ZJzGAWxi0o0KahXnx2tGodPfQVZHBZt7g3FSglxuiN
y45usdEColQC+yb4OKZeIREtyE/aiUPQUrGkif0xNFpJA1kwY1ZvOCFKUIlkNSdVDlFiKTzw5+SzA782SPIajiHJjGZcMWo07PcvXXUA+EaouNtEahYGZp8a
mrLtMH/ipMMGaSHpKRRpAIvyiw6Pj3/cWOkbjD/Y2gxMlW5iSZru8MUk52OTpeO9dtOXJdTQ3Hp6VSRIG9C0tVM4bYypOrLrOE+fat8tB/n9dz9XW3cdshEU
KQmHAhbUK5q8uRLqZitt3ey1N0GUwMU8Gxjwg2GiYxyON8vEKYMVCMVKdceFhWvVawxgoWy9qhwbilxMWUwSEGva1JqZqs8N31q5xNOuf68GaGHAmP0zVB3X
G5mu74/1iaFEx+0T4qmUdIg7+uwatsuNl5NnlRzNg108xjgl9S8feVDAx3OtzqKTB5DlAq1zDiCkDutS5mtDnZHzgJm6OxmjGTgFEhdneepsu7s/fNF729Td
9LjBS5oKHhVQi3L2aK8KjO0oCEJRcOaprOQ2AtQ73dmB7vGvxyoYOXVrHFSXMP0YJsIHf5hL3J+0LzyQO5EsozaoCNOv+SqdQfpJXGvmUaJliF0iOT5EPL8f
P0a1K7uCM8vFamjrFFa2cQLtRytXe1AI+aEahSkckPFikiwMUPz8ztbvjgJTQmXPLJVSBfWtlP8mZpcU6icl3aQZfLA6qPncRIXdXV2evbV1iYO9ZdwGRCOJ
Tmhm/GHrrd//2nB0uPk+xm0X08R6Wfz11zP55wn04vwyuIbn6yk/eqwyN/VIQpqfHrNGT32aYMx4ZmsxqdEAjD858tNWWV4wgulGhXAqnvvdIHy7FH7Wve/X
xh06wdSyTlicWPTbZ5Ygezty320P90idQ5oMcTIkLFEW1VkeF+//d9lRzHDT9Iq5hxJUHqZAlsJsf7E437aIQEfuVfk+9qh7PPhF0ebBynQ/sXmKsRloIYaN
APu04NtTh0tfHEb9c/J3fkUzmckpvOWmsDy70T0Jw0TW4ix6ozI29/YMorqO3fuvF2YohyIIUA1E8zDg9+JF4Dw6WO/snt96AKpuKQVZT6DDiJrlmzunzfne
nEgjEES/6Ogk7AY0O4LNjzsHWxehtRqp28ygBh0XqbpTuK7M+76dd/JrfqLTpLUbGUkFaVyRNw4vNr77U7/2FnQ9Ofv9WJ6r9FFk0B4Eg3/5QFrtuzrnOmiY
YVrEZ7P2Zfnu52f//C87DZ5Xrab7CsZCKgBgPnQP3R/+kdr9PAIKZfhUIPNA+dSTMN2799cLX601KkI6RPlEEegS+fVs5NPG98Aqaq4FDG7pvLoq07k1zEn7
Wfukj2QmkvciSKWwbn5zL4i8bPTt9T872mtEo0IrDJGeE80GTmZWt9f+c9vD0xlElYyR1C9Rk5wLxvzy5M3f/tWjHkkM3+S5Hgmq9CBNgj0YPZ76+799O/SG
ehmUNmRduO7GT+I6+j+O5dT8"""),
        ),
        {
            'classes': [1, 10, 12, 17, 15, 2, 2],
            'scores': [0.227132, 0.149593, 0.132772, 0.115594, 0.114521, 0.110524, 0.100206],
            'rects': [
                (1, 0, 63, 61), (16, 33, 42, 31), (24, 20, 28, 44), (12, 29, 11, 35), (0, 32, 64, 32),
                (10, 17, 16, 40), (7, 0, 57, 64),
            ],
        },
    ),
    "YoloX": (
        {
            'box_units': 'cells',
            'threshold': 0.25,
            'iou_threshold': 0.0,
            'max_detections': 300,
            'classes': [4, 6],
        },
        (96, 64),
        (
            ((1, 126, 12, 1), 0.019607843831181526, -26, b"""
eNoVlFtTE0kYhpMwgRwgBxIICBpQMZwUWUGr9jfsT96L3a3aCwR0LWRRUEBcOpl8ffz6MJOZidn2rqururre5z0claI9YjiNLSbtA3JMcD5RJWHi8cE2kSCl
ZurBh8VFbozJGXQp/XRAqjnQPMX3t+UZopjgsTSfy0GBCWes4qK7/7pBpIYcU0kmHztiqIrt0vLR5URQ1E7beuV9ozwHTYlKIU9C0iOWSVBchpeFJdYBZiSw
tfRuY5jwJWRt80rdW04d2ERFwXW4gMhSYBrX13N3AKzq5jR+bs20BBcggdJKtzEYUGc64KLVw90/ScwllXNiHF22aEMDlAGKHw+nGEjDjGCNwp7ta/9acfrw
4mp7wBnVmgEZb7wnQmiFSHsyc6HIiYhiVDkz08Q41Bqjz28VJ0orAFQnVys9GiXaq8qtRU9T4mJ/r9RWdUuSRZjWqMTm4/Qp4QLbxXj0/MVW2I8px4zhDnEt
EgDPuyxbdRezRMUBMsRXWzMBsSozIPFsJWDcoDToVe/n2p6bQsfjh4fBSxL/vLWloLbaGwICXQCc1F+VgSpgbt4ed/eBC28ME2p5k+f701KXcMZs3T8qERM5
JhEKk4fEKSchzTAc7l1wox1vUNO8m0tKliuDtgJnJUoYcg4mv1PgOOBWxcrh6afVTgg4EqrJu+nNH32BTFk5XYGLS2KtkRyD6927AVEIQkbyxaaNBpgyNFRO
vyb7BH4GDjE7+pEBSpmn3JwXtxIyz5Ezhv2zofOZ5KlUJtg79dphZJalLW24eYK6Lr1/OyafDi0VItLsUS8/JGnTtDnA4eb55pIZGUoZXPRJi+RHytFY/bJ9
3RlQY62WPxZP74dMwJTyoIv93oRzE9VjO+ne2N8kaAGmyI93XnzhSqjUWtcq/MtC8NVw6GD8xREACLiy1xu6zKQUIk3gsBeUSUO0UOp6/Hx8SxTVrCIlfbKe
o6isagt3vns/YQC0xRDCyUq/z6WCuM06t/ID8efEt+Fm8eQcKMOojoWrlXKNVKlG73bu+/rMEBPwkZiZOo+9PMnBSh+nYokI40MC7f4JHxFdAyoYHHQHa0QJ
oCj57dXLNpFCJ96x5P6vjLFImBJmw7U7N/YM4qWKY8e23q9BmSOYcZWYEDU2vDmt5GtChE+MYuqCle8HzEPPjHDfg+dDXwoBYzn6uPUalAYlLd7EK5Uq40Uh
GQz+4zPDZjwl52y21hm1wkjwhGnWPcp+JZ4bpRGrq8vZkZIOfNEXW9MjZwEjGCnClpM+m4odd+rB96omzIcyAPjnyfoe4WUhwejLd8ElgbyN/BYl0Bz77GkQ
zJ20Bw8IixM/C+ImflslziS+Gcvvvv19GoJmfoFk8+j3k75zJkMdqWf5r95TbdrGJffHI8KULkpFt6f8v6CTBYkFfJyWiCc+SusiuPn0LUQPmWVyqVa9JnS2
yVSbrp3vTnPVwSQCkb15kxBZwzoddS6OV0PPUEg/QVdP5wtDx+vItGqGpRKNBeeC0fJevTlsJYbHIG419gbzEDUX27VZfvIs9PybieZLXYHAlAqoVgvx1Cyh
EyUj3Xm9kguZoTVpa/g/Z25QOQ=="""),
        ),
        {
            'classes': [6, 4],
            'scores': [0.470588, 0.442138],
            'rects': [(78, 17, 17, 12), (21, 60, 7, 4)],
        },
    ),
    "BlazeFace": (
        {'threshold': 0.1, 'iou_threshold': 0.2, 'max_detections': 300, 'blend_boxes': False},
        (128, 64),
        (
            ((1, 512, 16), 0.29411765933036804, -26, b"""
eNrt0LEJgDAQAMAqjXtmVXcQHgvhX/jKETJH8G6EqwIAYGfRcxz5xf0+2WddRgAAAAAA/mkBigu/Kw=="""),
            ((1, 512), 0.125, -32, b"""
eNpraBjE4FHDKKAxAAAY9QBy"""),
            ((1, 384, 16), 0.29411765933036804, -26, b"""
eNrt0D0KQGAAgOETMIqyuIQjGJ2bSRJC/gbCRyy+kpIjWJTU+xzh6XsAAJ5FvuEEyiTSqq3GuukYAQDge7qpncVZJos356V6RYwAwDsCYbvbIENprXKPs4MR
AH91A6f3iUM="""),
            ((1, 8, 8, 6), 0.06666667014360428, 52, b"""
eNpraKA5EGoYKGBBE1MFqGkYAJ/jvts="""),
        ),
        {
            'classes': [0, 0],
            'scores': [0.566274, 0.562177],
            'rects': [(80, 49, 14, 6), (94, 15, 34, 9)],
            'points': [
                68.765, 42.176, 69.353, 31.294, 74.059, 27.176, 73.765, 32.471, 69.353, 47.765, 79.059,
                30.412, 126.588, 17.706, 118.941, 15.059, 113.647, 18.294, 114.824, 17.706, 117.176, 8.588,
                116.0, 14.176,
            ],
        },
    ),
    "BlazePalm": (
        {'threshold': 0.1, 'iou_threshold': 0.2, 'max_detections': 300, 'blend_boxes': False},
        (192, 96),
        (
            ((1, 1152, 18), 0.29411765933036804, -26, b"""
eNrt0EsKAQEAAFBSytbGUZxhzmE7h7OyEEuspmyE/EuD5G+Mmo0rKCXqvSO8OAYAAAAAAICfdAhr7ahRuBen8XA/OZ4zJQAAAAD8o2wQVsubVr+XRbNTtqw8
EicAAO+4rmrBIh4nyyQ9bdb1ZifnBAA+9ywG+Vt3N7qcC+mxNJnPtk4AAAAA+KYXjE+9qQ=="""),
            ((1, 1152), 0.125, -32, b"""
eNpraBgFAwa+jQYBAlwcBG64QC+L7o/GNwQAAEjbQZU="""),
            ((1, 864, 18), 0.29411765933036804, -26, b"""
eNrt0DEOwVAAANBEgtnY3VXcwClczmRi0kG3hsQkBIlqSX4Nv0QnZzBIDO8d4RUFAPAvZmE8LHvX0zYMnud+3ewfTgDYxCRZT2+r+pC1+fG9vFROAAAAAAAA
AADgC+lkFEO389qVTTVvF/eoBAAAfu0D6SiOdQ=="""),
            ((1, 12, 12, 6), 0.06666667014360428, 52, b"""
eNpraKAfsKaNsRkNo2BEAvUh4EYAwoivWg=="""),
        ),
        {
            'classes': [0, 0, 0, 0, 0, 0, 0],
            'scores': [0.969724, 0.939913, 0.614595, 0.468791, 0.295948, 0.132964, 0.119203],
            'rects': [
                (123, 17, 15, 15), (160, 14, 32, 36), (73, 5, 33, 18), (83, 79, 29, 8), (117, 52, 38, 28),
                (94, 37, 40, 24), (45, 50, 37, 29),
            ],
            'points': [
                129.824, 3.824, 137.176, 10.882, 138.647, 17.647, 127.176, 25.882, 129.235, 18.235, 141.588,
                9.412, 135.706, 20.882, 167.941, 22.647, 165.882, 38.529, 184.118, 39.412, 177.059, 30.0,
                175.588, 31.471, 176.765, 32.353, 182.941, 36.176, 104.588, 21.412, 104.294, 10.529, 99.0,
                14.353, 116.647, 16.706, 102.824, 21.706, 106.647, 16.412, 101.353, 14.941, 95.824, 64.588,
                92.882, 69.882, 95.235, 76.941, 100.529, 79.0, 94.353, 84.294, 88.765, 71.647, 89.353, 74.588,
                140.118, 78.353, 145.118, 84.235, 141.0, 72.765, 136.588, 80.412, 136.882, 63.353, 141.882,
                63.647, 137.471, 80.118, 120.941, 54.294, 95.647, 47.529, 98.882, 60.176, 100.647, 51.353,
                110.647, 60.176, 106.235, 68.412, 112.706, 58.412, 57.941, 66.0, 56.176, 70.412, 58.235,
                70.412, 65.0, 68.647, 60.294, 65.412, 44.118, 53.059, 50.294, 73.647,
            ],
        },
    ),
    "BlazePose": (
        {'threshold': 0.05, 'blend_boxes': False},
        (48, 128),
        (
            ((1, 896, 12), 0.29411765933036804, -26, b"""
eNrt0DEKQFAAAFBm13Aek7Mqq01ZGaSU4fvjXxRZHML0670jvBAA8rDtT91Py1Aeb2cDAAAAAAAA4L8U26Ya57O47tUGAOTlA644uPY="""),
            ((1, 896, 1), 0.125, -32, b"""
eNpraKA9+NMwCkYBvcHpIeFKAMPAwNc="""),
        ),
        {
            'classes': [0, 0],
            'scores': [0.970688, 0.067547],
            'rects': [(2, 17, 5, 18), (14, 57, 32, 31)],
            'points': [
                -5.735, 20.353, 2.794, 17.412, 15.441, 26.824, 13.676, 13.882, 37.882, 63.471, 22.0, 72.294,
                34.647, 76.412, 32.294, 68.471,
            ],
        },
    ),
    "YuNet": (
        {'threshold': 0.25, 'iou_threshold': 0.25, 'max_detections': 300},
        (64, 64),
        (
            ((64, 1), 0.004000000189989805, -128, b"""
eNoFwUEKgCAQQNFzdM1O8EXBkVJorM0URG2CINx1ro7Qe4K2QmgaVyH7ynKN+th3btEdBnYL097BoBU8gcQM9PBmCj+P8SMo"""),
            ((1, 64, 1), 0.004000000189989805, -128, b"""
eNoNyrEJgDAQQNE57BzLcb4HCuHSBE+bg7OIJJULuJFb6KvfDgNMDzqP2BuA4hxeLro3i0pkS7gK/RQWJNU/sbIVbj5RfyKS"""),
            ((1, 64, 4), 0.0235294122248888, -1, b"""
eNoBAAH//u4yOgEbDcmyTeIwJgY9ABfTxispA0w1QjMhM+MzZAYByPFcBfPqIvku2QUu4ECO/iUxZwsIF3QQ+xz2Ain6IVQnETwNyg0oOyRfAMc6+sYAK0YE
WB8XGwES3SpBp/8mN+vGTWpPKCg04wm8JCwoB98JBAY08P8tUi7n9RLzvPAb6dIv+EIcIg0dFhD14EMNNh4QMByr4CHs7+MM5MEuIzf2fscsfvQzJQ1D+gTM
LRNV9loFATzG3gICK+DG6EA+QvL39OBME+w3v/lnTxztKf7ZBbPxXtT2xUbfM/whyd4lar0+dlJB9igdLxsDP+0y1v4XQ9Gp7y70D85GKQFY5OWJJmuv"""),
            ((1, 64, 10), 0.0235294122248888, -1, b"""
eNoBgAJ//escJe4YAwX8My0NSAxADh0XOt7EG/38RVD3Pf3o5+1KEuTa1lgnEAMHBAo9VkcqvvEj+//SMFzT6PTWEUAzGhHZJdwFSx9t+zEvAhg1EzDoGD02
AzYiAdE8ARkHB+v38P0NIBstQO8J5vgHLAMtVEABQVQ2YyIRKh8/AgQ87Pj6yMsPMQEKJI4VLeYfMxEG6AsoLBbexThMFhwWMhcAMOUSaykoLP0WMVMB5yY+
DkhO+SXhIvP98Ua1VDEHPEm8Atwi8YAXRfkY3+zR/Dx+GPgC//Ip6zTxNTgwFg7LNPL4LgIeDPD/ARU99akr3TYoIioALjPlQxkWP3Qd40n1/SfxDM5EuB0E
7e5S9dUzCsYXQwHRMQcGPhU5GztFJAJbJPtB7lrGCw8aHiHqDf3JyvX4JcLsLFVU+X5CIwYhBlhI+/PXSeI0IRjZG+c53C0eEh0NLmpCJwAVRtsoED4hUQnI
VjQ6Lzso9yQ0NjAD/jFY4kv6Db3+ShjTRjD7LsMwBRUBDGb4HyLlBO4HGi1TGRpUFDYPEy4P81c51Bc4JSgNybY84NjCDUAKKwMZ3dc+EAQW5+Y1OwPnIPLe
MitRGBL+OtbCNNT/gBUEJwfr2RIcBATf7EMZ2SXj2A0+LBQWIywVM+At9+T9JAoMMhL7RScQ2hPzMAQTDVxrIQ/yTyf89gQqIVYWcBpPZvkl7kRK9wjNAecA
5AzUBwocDfB+5Mb+6SIHxSIp/zgUNDLWDAj2OezS6+G+DBPgBjb1xSkBUh1CFdsjFASj9HMJ+RQUFB7/GRQ2FAsO+7w1DjfrT/8DFHBJDVMe8+Ir/fVOJEwc
Luof4/D/WPoAJVYHvh/N3xGNQvjL"""),
            ((16, 1), 0.004000000189989805, -128, b"""
eNprmdCwsK2ht7UhvaFjW0NDAwBINQhz"""),
            ((16, 1), 0.004000000189989805, -128, b"""
eNrrbWhpaJqxoWHC0vZJSxtmNQAASucI6Q=="""),
            ((1, 16, 4), 0.0235294122248888, -1, b"""
eNoBQAC//zVMERMiJPUfHSzqLTtuHRTt5h9AFCruQNdA+9kCRVND4D5G+v7/6Wj6MLEn09ffEjAsO/sY7+00/IAq2TogKMNdKh1n"""),
            ((1, 16, 10), 0.0235294122248888, -1, b"""
eNoBoABf/2rNdDIk9UAoAir4uADlAfl+hQNCKx3TDgv4MUUx+MsuBtwsIS0aLQ4QCDQgH4bn2zYd+0EzCBUiAxGuzUXf6H7jMTwFKx79QBAf1wovyOPVfuAd
PBJ+80Qm8jjPGH06rh8h7fjzQcrT/vdIE+btL/fu3APdEjcqIirdFvFU2fRX5CA3vTogNBcy4FgUFejvyUJVADMkDObjRbw9EkEH/Tt/X0Pf"""),
            ((1, 4, 1), 0.004000000189989805, -128, b"""
eNpr0FzKCgADzgFU"""),
            ((4, 1), 0.004000000189989805, -128, b"""
eNpb1LhlNgAGEgJz"""),
            ((4, 4), 0.0235294122248888, -1, b"""
eNr7eTNa4MMKveOOH3iP3VT78xoAUOEJtQ=="""),
            ((1, 2, 2, 10), 0.0235294122248888, -1, b"""
eNrzYlVmcLVnFryU8MfqHCu/Qp28o4d+0gPlD3ZfmTmZ64z5XTR82TlEdAHwIQsq"""),
        ),
        {
            'classes': [0, 0],
            'scores': [0.3698, 0.339199],
            'rects': [(11, 0, 9, 64), (21, 5, 8, 14)],
            'points': [
                37.459, 13.929, 25.412, 64.0, 38.212, 1.506, 28.047, 44.8, 9.224, 29.365, 20.612, 14.118,
                27.576, 0.0, 17.035, 0.0, 40.753, 7.529, 27.2, 0.753,
            ],
        },
    ),
    "Scrfd": (
        {'threshold': 0.5, 'iou_threshold': 0.6},
        (64, 64),
        (
            ((1, 128, 1), 0.0078125, -128, b"""
eNoVjEEOwjAMBL8+SRO3xDSEitILhVfwJcSNH6BurLW167Gcr3sFe2x3GMonxzMjvW5Sypi57/+v4ItV6xzWpClcmSyCkssTKR2rZ/mZC9bYEm8rtUHzfsnY
gt48f/HEMgXcDnseRP4="""),
            ((1, 128, 4), 0.03529411926865578, -43, b"""
eNoBAAL//QREj+06r+b7BeDS40jh1wjJ3iDoLJ8DGBzzIx0l/ADL79j74DD4DgU7Bsko/yg0K/Ts6j+6Ov1IO/P3FgvxLR4JEfe1J+EJ9JI2EKwf2t8NruYX
LOPlHzDp2g3o/xPuRef6EgPs3PsaFPj59+TO0criMRrbFigPItgFKhbvVR3sBAQSECcQ2zvmDu/2B1ssCEq1CwkGA/n+LCP11fDyKhUn5+HRw8HO+P7AzA7Q
Nu/tGACzGBD9WBQP87tQDsgUKBwfAb8jy9jhSo/97Bn9JD0QLDTj8w/a6RghqPkU4+YU1O0zJv8Y/udACQZA+MwaJPv65bjwQCwO8ybfdf/9xOwHEhgtyNLv
I9MQ+/0B+SWt5PjDNe/dHyXy/wjoCQ8I69QPKbPZRfsk7AIBM7r5zLfA3sb17PP5pu3FDQTp5grjFQEtVAU1vx4DBO/mA/zX4EDp2d7h3goiG+DENQT6Ju7W
+djL//cvGufOILDILVoQQv4D7cIerw/gCgz0F7UJBwIQ9vUjCs0FEN7AStwUvK3n9bQk5SbvIPzYt/3LMSxN3fIEpcds6gDf6xEMRN4lKeIqIfMOwE/4IeD3
G/jX6CDW9kx/9RIn1z/z8CIC7QK2qSSlCMnbKgEV8tbrth5CKgbgEgnT3c7cCfpbDk7mvx4u+BoD8AQgCQP6/+bQ79VbEu8Gmg=="""),
            ((1, 32, 1), 0.004000000189989805, -128, b"""
eNqb0NDQ0NS5d3KDQENDZwMINDZ0gagZDdPkG9jXAgAJXg+R"""),
            ((1, 32, 4), 0.03529411926865578, -43, b"""
eNoBgAB///JE4wwg4/7nCio4OCItSQ/m9OXYvv0DLck24eZDxtz6Of4fHxYLH/MQ3RBWF3zbxufgxdTV6hY6dfMfLy78OTE64Bvr2hzi7TY4DPnoLlDsFi7p
D9f0OgHpzMcUExv43svx5csQEQBFyuPs9g8JFvA37x/fE+bv+tHXBeo3WcPxhbJDSA=="""),
            ((1, 8, 1), 0.004000000189989805, -128, b"""
eNpr6GmYMKGh4ykAE2EEmg=="""),
            ((1, 8, 4), 0.0625, -80, b"""
eNoBIADf/7rZsLO10r8Om9TZtsWw4b/m48zV0NXSrby5tres0t7lgtMYDw=="""),
        ),
        {
            'classes': [0, 0, 0, 0, 0, 0, 0],
            'scores': [0.984375, 0.867188, 0.8125, 0.796875, 0.636, 0.576, 0.54],
            'rects': [
                (2, 3, 24, 25), (6, 48, 18, 14), (0, 0, 33, 16), (27, 0, 37, 18), (0, 33, 64, 21),
                (0, 0, 42, 33), (50, 47, 14, 13),
            ],
        },
    ),
    "Ssd": (
        {
            'anchors': [(4, 2, [[36.125, 50.625], [19.5, 52.75], [59.5, 55.5], [11.75, 55.0]])],
            'box_order': 'yxhw',
            'threshold': 0.05,
            'iou_threshold': 0.3,
        },
        (300, 300),
        (
            ((1, 32, 3), 0.00390625, -128, b"""
eNoNyMsNgzAQBcAy6I0OcrDEV+ANIPzegu21lAOix7QBc5xZtY1pRaivewsh7ZPHsQBNjjO1Oc2ZdYVCCtRTP788Mk08x6g9ioAdyhrgsskBDxXFl3h/MP4r
PBbkL/4="""),
            ((1, 32, 4), 0.0313725508749485, -1, b"""
eNoBgAB//7IlxjQF9x+5AQEXO0zxEOW0OgYBCDMg8KcY3Nv1/tHxB8kk61IQUifmMgwRV+4ABAD4+zwX31HfAPDw+ig8sSTIfuv47/POGCb6yhPa9+vkIePw
K/vhCdsEzR0uRd5aHBYM6PPTIwEPoc/8HUbj75AODfzo0PgNAxwB/7nCF9gWQeM/AA=="""),
        ),
        {
            'classes': [1, 0, 1, 0],
            'scores': [0.964844, 0.589844, 0.078125, 0.054688],
            'rects': [(107, 44, 18, 65), (257, 193, 13, 43), (32, 58, 10, 61), (35, 194, 34, 45)],
        },
    ),
    "Fomo": (
        {'threshold': 0.3},
        (128, 96),
        (
            ((1, 8, 6, 8), 0.00390625, -128, b"""
eNodjz1OA0EMhc/ANaiQuAQFtBRU/AgiJSEbNgSl9Hv27GYTJBokKjoa6Cg5AA0dBYeg4Qw8j7SalT3ffM+ersa/s6/RdXM6v738bNpF28zadvRw8Hp3dfM3
fV4uFkfN6uJ7vjwfTyaHM9iA9b6HPwbXAEh3EAbjvausH7z+e9AHEbCsRfRFXeYbez/mUHsM1leMMHoaQduqJnuJ3PM6rCZ8bM6YLuuwQYmQridNWJjDy17G
ACF/dkP+GmHYZV5xiBxH3Q6a2lIPrln4VP0VRqoEl67rUCTYKXAbBNXsKML8BBXXyMXp3OaKgZIb6UhOIrdM0bYcNI/wH5p8bx21D7YKeeE/+4DBBg=="""),
        ),
        {
            'classes': [2, 5, 1, 0, 3, 3, 5, 6],
            'scores': [
                0.878906, 0.851562, 0.835938, 0.699219, 0.6875, 0.664062, 0.566406, 0.332031,
            ],
            'rects': [
                (112, 48, 16, 16), (112, 32, 16, 16), (16, 48, 16, 16), (80, 0, 16, 16), (80, 16, 16, 16),
                (112, 64, 16, 16), (48, 0, 16, 16), (80, 48, 16, 16),
            ],
        },
    ),
    "Classifier": (
        {'score_type': 'logit'},
        (96, 96),
        (
            ((1, 3), 0.07058823853731155, -1, b"""
eNpjkpIHAABcADw="""),
        ),
        {
            'ranking': [[2, 0.545931], [1, 0.383581], [0, 0.070487]],
        },
    ),
    "Embedding": (
        {},
        (96, 96),
        (
            ((1, 1, 8), 0.012294132262468338, -43, b"""
eNprmGMp++Rn/R8AEqgEyw=="""),
        ),
        {
            'vector': [-0.354167, -0.2375, 0.416667, 0.3, 0.0625, 0.15, 0.708333, 0.1625],
        },
    ),
    "Depth": (
        {'layout': 'NCHW'},
        (32, 32),
        (
            ((1, 1, 8, 8), 0.07176470756530762, -128, b"""
eNoBQAC//+HwEcya2qTwpsEIFAGX04fzAY3vpPPetcrJIOLBIvIhmKYVivT8yYbko8OssdrVmv/6ELQgFKTtlfmy+w3c2uELZyi+"""),
        ),
        {
            'depths': [0.43059, 6.45882, 11.62588],
        },
    ),
    "HandLandmarks": (
        {'threshold': 0.1, 'first_scalar': 'handedness'},
        (224, 224),
        (
            ((1, 1), 0.003921568859368563, -128, b"""
eNqTBgAAHAAc"""),
            ((1, 63), 1.4054901599884033, -80, b"""
eNoBPwDA/6kF5KTOJOcqcX//x4+J7dTF9a5ZNIB84v1f5A7qS4AnUcysudsvwhvqLBNW7IAIYcW4GaxTEeBixdb28cfy9oYNJJw="""),
            ((1, 1), 0.003921568859368563, -128, b"""
eNpzAwAARwBH"""),
        ),
        {
            'scores': [0.776471],
            'points': [
                0.0, 119.467, 0.0, 42.165, 77.302, 171.47, 224.0, 111.034, 0.0, 0.0, 50.598, 29.515, 0.0,
                224.0, 0.0, 224.0, 108.223, 224.0, 132.116, 81.518, 0.0, 167.253, 39.354, 0.0, 60.436,
                178.497, 150.387, 81.518, 139.144, 224.0, 0.0, 123.683, 29.515, 11.244, 0.0, 224.0, 67.464,
                224.0, 53.409, 98.384, 32.326, 92.762,
            ],
        },
    ),
    "FaceLandmarks": (
        {'threshold': 0.5},
        (64, 64),
        (
            ((1, 1, 1, 1404), 0.5, -90, b"""
eNoN01dz2gYAAGAENtOAR+IY2801HYnby13vcten/se+NL1ecr1LbdfBCw9sQGZvEHsPSVgINBAgQCyBWO33H75kB5LM49Vmpj69p978Gei6IksvLYMrQJLu
hflJsC4EKgdPNcASl5s6WtAjriOim8FGOjIzRUSmlC5FS67kQyfKYWjPg27etwF/WeyzSP6IzY/zy5PWIFZaJMyqLFN0VzSxjgLJrsKFsZvQOvBVnhxAMxLp
rJLosFz4AWnw8eXbRL7lHb52sGJfajuZplw2uUG758KxB1Z1DR9YQr2aVHWKCaaG1t7gAoE1L82cU7QN1jgzu2D6EAoNrIDqTrphlK+gqvB3XXGS5G3Zg7PU
wDDetyYHKXwrnVOeFQg7/RJG6u7WPoKOLKLNrxnt5UTqqwjGFpAkeK7P1opsqkQYn+t3tLYAIW5fAYTVl6hCT0nM1PK20IFbz0ViWMTELkAX8Bzm8dY5IbEz
O+6sBoQPr/lK0D+ASGXayxmRQ38HCPqa8GjhLYkc+T1rtZPrAi5YcdWdQ+jr0HDLXZD6cS3BHtnyw7uK7Ek3RvAumWCDI97n4DzhtqUnMZGSMLW0sAPTo8qA
rRsZFdI/cExSJ8Hf2EobjEtt3rqZY2+HkpRF81iTIGIpBFGB5BBqvbzxrYo1rbMgyZY4aPKNj5Pa4s2UW7DCmiBHmAPzp8r4IzKGfHW9dMfBvdNXNuIFVQkZ
O+y7jpTOTPauBhv3zdFdnw+MsRtcCk57EWwFkiLTsH/BLM7EagsJmDv7mTmW6cMh+/I+s9SzPTD3czSH3rUnBn+Lqgv20tIFjUFu4EnD+K0yzUz9/CpJvjbz
y2szUIryaP4w/qzxYOoHWuZtjk455cWkpnZMDHGZK8bfeVpRfKvt6Rprcyiq9ZETa4S1gaSxPHU1VPbcVior3OZfJsf7DwgbJQU91P9Ynd88a+2gLEK8QxIi
++WLRHtaZBQuhPdjKjvYjbPDr4Q21+Vzj6IQKnKVABe6WRttXYPjSHECJgRPdksf0DiFvq+1dtqbfyJ0z7TMUByDFBzlRw12/aq7dE9WxV6/5F9HmnySem8R
vrdV5V872w8A78/sPWFH/3KYl1BSEQZGX9Sf1TcdjZFSXyrHJgSIAdr7+gzCv4WR3YxfHQ6y6WkzRq2umly+LrOGmY/U3IQN4m3gHKMscUU42b0h134ffWcl
ZTFGaaLXE7T6iRP5krwzRPto4RwW8tT0ZCAxUpyrLw0Wx3701+MJfsEJbnZpKim8qVfWZA8GpsZ8CynO7ejIO2hGvIsgul9A57bemqs7O10bA6UpuF6DM/2T
7DBL6Jz990ZAZ6XknxPiLKm2z+UjbvSk3I/2ehEaQKavPicEa6puKyv1wvQS5ZOVTat94U0rL0vz4+pmhGFB5xJhRGD5dXkE5LgtqKP5h5lF1zrhQduIyHxx
ETiTPWFTbwUIl0VRYRaoJmz1Axspc1XZUP2Dmdv+slr8Ba+CdMs7rzGCMqvYPsH3EtiPUfEqz+xUF6S//OGspyRCR48y7U0LD4VmU6IT784i3LJK73jIhXsi
/5JdXZDbeOYnN0vYq7uh0i/3bcGAz8zMxM82jnEykHrjJvceO4NYtRuPceWw2EP19f6jcEsUhisjes3ckJLPb1PYZimh+YTxsboQS257yi9inVf+WqMy4Y1c
794w8li0Vlz+f5NEplet6rwFuQ+nnXEtmDsy/wft0sp4"""),
            ((1, 1, 1, 1), 0.1568627506494522, -1, b"""
eNpTAgAAIwAj"""),
        ),
        {
            'scores': [0.99589],
            'points': [
                20.5, 36.0, 24.0, 40.0, 21.0, 38.5, 15.0, 38.5, 37.5, 35.5, 33.5, 43.5, 18.5, 52.5, 37.0,
                43.0, 32.0, 43.0, 47.0, 40.0, 42.5, 48.5, 25.0, 64.0,
            ],
        },
    ),
    "YoloV8Obb": (
        {
            'threshold': 0.3,
            'max_detections': 2,
            'class_agnostic': True,
            'box_units': 'normalized',
            'labels': ['thing 0', 'thing 1', 'thing 2'],
        },
        (96, 64),
        (
            ((1, 8, 126), 0.012549019418656826, -64, b"""
eNqNUEto1EAYTrIeFIpQEHoRPPboiyIUPViKYkURPOhR0ZsexJMeBcEH6kmhHnoSvXhREIRqJd1H9pFsNtk0ySSTnWRmkuzSdbuFUne3u9nY90NE/IZh5p//
+/7/+4dh/US0zHXcII6dBEZuzFK2T9vtZY7DDstRFsZkOUYsjinDMayPOlyEOwyhDGvjPtsmDhv1+5QShMMWFyWow/ZbcaLNYKbFdBBFQdzCyOOcCverw+B2
3GmxnMeyhE04K6Zud0xsBnXD0Ou9erM+F1vABBR7XQM21Z5tNkwL642ubUIQ6RZseF1gB5YNetYC1PsU/LQ0XQcQLEBAe0ZkNXsm7QNi2AbR6QKow57vNBqg
OW9iGkHcplhvLVgrlW63EeRRtVDOF6U5WcR+GFSJKTuyHOgSVou2TMqi4GHBIEgro5oWqrKkaEhzchipZoiylgvctGhkYDFQdOB6FVqScK6slTI+rkq2jHIF
U0qjMIOh5iuaraiCUnZJzquAjGv7VPIDtwJQwSYVEeuhZwmiB6vUUG1NKaUxoiYtqDWtVvFVgco45xpiXlVcgrN5IqhIIxIEFiFB0S3UYMmzi3lEakTWTTkb
rranKoFhScxS13DNqjuXXa0WCEGoQgWArMjneH6R53lJ4nchtbpWkd6ICoX1I7+LMFvMbN+L/AabT66zaDK5mUjys2vUjeCnwCf5f6KY5oW9L7KQ2asBWnLb
4Zrz/wDZscBn/5JPrjVNbYy61V7YnnVdyexyntpRinxqS5D+o2h6292ssvlxmfWd2vnI4dneqesDoPnw6O1no0MXpxajFzNvBlv33x7+HOKP40+mv46dvjix
+Hzs69PW0LnxYwcmL+ReXYnm7crr0Q/w3dKXGyv9bwcPTSUHwNkft6bfnBnKX558f3X/yaX8o5GZfXcu3Rs++pK7fPPI3Z44ce3xiBAPHh/59P3Eg/NLt66b
vwHpie/t"""),
        ),
        {
            'classes': [2, 0],
            'scores': [0.803137, 0.602353],
            'rects': [(66, 35, 25, 25), (59, 4, 29, 29)],
            'corners': [
                [90.623, 36.666, 89.237, 59.514, 65.989, 58.104, 67.375, 35.256],
                [88.06, 12.085, 80.897, 32.553, 58.914, 24.859, 66.077, 4.392],
            ],
        },
    ),
    "TextLine": (
        {
            'characters': ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'],
            'blank': 'first',
            'score_type': 'probability',
        },
        (94, 24),
        (
            ((1, 12, 18), 0.00390625, -128, b"""
eNo1TwEKAjEMe6b6AD8gcqBDSNKNgeejTXbKttA2ybJt4PnaNjwfINWoE8AaILKRplIPak2YqUG7wgYYZ1FW/DRe7z1WcvU1jRJemD0edzdLL+GOG0zhDgyJ
7P/suPtgwsFWR17Tcgi1VPKZLja/YBn8BaI+X4/qa/U="""),
        ),
        {
            'text': 'F IG FGIF',
            'scores': [
                0.988281, 0.960938, 0.980469, 0.988281, 0.980469, 0.945312, 0.953125, 0.980469, 0.847656,
            ],
        },
    ),
    "PoseLandmarks": (
        {'threshold': 0.5, 'keypoint_threshold': 0.1},
        (64, 64),
        (
            ((1, 195), 0.40156862139701843, -80, b"""
eNoBwwA8/+3iAKq8ygYSr7e06gCmtdT+ErC69+kGqLjr6xGxttIe/Kuu1+QSsLTpAwuwqe/KKKGy8Rf/sb/XGi29pOnO9bO8++sLr6bh99m2t8Tt76+m4/UK
trTy4hWntdXNGbKttfX0o6jY5BO2s7z3Layr3vHqpLfdDiC9rgnYNau94xcpsq7A9gugtc+8B7Gq5QMptrHnAAGzsd3kHK+h1e4as7PX9v+2tLwFFKuuwecS
raXX/hO5rMDf/LSs5eUOu6iw/xGivWa2e5Q="""),
            ((1, 1), 0.003921568859368563, -128, b"""
eNpLAAAAYQBh"""),
            ((1, 6, 10, 39), 0.125, 32, b"""
eNqtVVlPwkAQtiIIiIitRfBCwKjBIzEhMTEmvvgD/Enz/zweNDG+KJEYDeAZxYPg0b3a2e4uROOk3WNmujvnVwATRYOl7b0OXU0kyJjRfrD6QUaL73a99zgQ
HvA5SccBgDdvKsMR48aFmqWzwpfCLZ9jAAtaG9YNzsyF9ik+j9MnoCH4C+3AncyIRR+1iqNkiCDGhyxn7h9KR6mnvJgtudcx32jA0/jmd2ghhaWQQZbQLOdh
oEJ4WeXQMh1z7f7RqbHK4buTpl6roSYgh+Ur+qC88rkK8CV4GYMhXbzBHrVtzN4Kx1pNwYXIpYZmyEclV+JNqWVgs7aSS0MmZyJYP/YN86jo2Gc25UlR2poi
8+gTisxXTXXRdpsXzef47Emkki6I1ZrPezYZ9o3KCzo4hP9IDWlH29GFVVgmcehBVaNkGjmMISIZpAfjiq4P3n/lwSs7gwb01A9WS2n2QbGgjrlBx3uI2CQJ
LQmGS3uBK8Q7Cj6mmDN6zKuIMz0q0u0ZFtf/nqqUhneN1tvGjDAaCxC9YzDf86tkFZTLJqlfs5IqgaPh0Od7FIdjUt88DEoqV2gd6e2vjJ3pkNS/u1b3MhrH
okXTaUWJs9nj7hJ0nQp3QFvEMgJdogZFdK6yAmBhSHfD2CMGO5IJc3uQunpCvBxv2Y7mn7yBgGiI/NiybT3m7yOsy4fRLUxNCRrFzT60/QARi3GH"""),
        ),
        {
            'scores': [0.878431],
            'points': [
                28.105, 22.689, 1.606, 23.291, 28.511, 22.889, 19.946, 43.288, 18.2, 11.326, 18.774, 14.331,
                26.748, 5.836, 19.677, 28.511, 5.332, 39.037, 14.858, 11.645, 16.063, 20.882, 29.902, 39.17,
                35.74, 16.063, 8.044, 44.767, 21.283, 33.33, 18.071, 20.882, 15.661, 28.11, 6.827, 22.086,
            ],
        },
    ),
}
TRACKED = {
    'options': {
        'threshold': 0.5,
    },
    'frames': (
        'eNpdlU9onFUUxc+L7UytjdL8MXFsMm0am6Q1kUzsn3TGhhQ6lUoyRSu1raXW1D9IspwRN7VFEAmUgLpsxY0GCoUEgl'
        'C7EUQCkk02oZBNELLJohs3ARnw9+73vvqcWV2+7zvn3HPevW8yOuG2VNRdTUm6qTWVVNM49dduVZP6VceoF90OXdKM'
        'eqjLbl3dKqiF+lDTkMvrQzVT79KQ+xume3pfTndgKsD0npr0p8u6Nt4c56sRtwz6ko5Sz8FU0bw6I6YXqPOuFeyCsf'
        '6CcgXlRKEXhX4URk1hwxQGURgIrIf5KlU7GPXdRb3H/Ug3M+qgXtcTPae8XqS+7VZ4vmgKWXJYUx+sE7Ducdsa1ndw'
        'uacK3RHrvogpF3l4nrrX9dDpz8aa0bd8V9QtS6MJDwU8nIR11q2pjFOf8V4U+kIyKetAlPcr1Du1zZsCmV0F/RMJlE'
        'Kv7ZxWHvR4hPZplNwST6eNKaP72gQ9rQsgsiD6efeWntEfZNZNh0W+2kCjiOshFFKnrTy/roucxKy52/m026ug15U4'
        'ugBiSVvUVY2gkPbRCyLnuuh1wRLfxQmvWprvgF4N6HOgH6JexFG5YWrmyKkCepD6L7ch32tnlE1HwyxmtBz6OAtT6u'
        'IEbx4qmdFjqKVdvE4Xv7m6vNqRKL9kIkbCV2f56nf5XalqDNalcBIlmO6TxRlmx6MfhSwPR0wvW38D9DdtfWfZulXL'
        '7xNYV2AtwfoBrHdVt/7KsOaYoRIzlLNtXGMbF2zrUtfNDa53aDyc6Q1Yv+Icz9DfBEzrIY03UUi3a7/ltEmHw2TzNm'
        '9uol1C+zyIcnA9BlO6p/vsHJOeOiN3bcb0JGhch+ka6DbQE6CrsPbBespYk85HzdEyjh6pPWJtMabLQdujPw7TcRr0'
        'Vki/hMJjN+IK+lKvRRkM2t3RZe4OGNOkzfI875ymwoZUYK0HJj8d37AjRfI+bsluodxnjlKmZpv3rEsQN0CcDGdUgf'
        'XTkPik7UGSx35zt8KzRZv3DP78vVXTZ6A/D+4uRgg/v7MgyiDaG044x3mVQh+7uYHrnNc9fYT27WiL8nar1PRGtDlH'
        'o2x8Tnf4yrP2RGd3IHLaFfXdOGe7uQEThRkU/L2Vx/8VlFvpyN/JV+horxsju4JeBfHACd2qDkVq/vY8Qkft4aYvu0'
        '2eDZtCnHfqINnl74PPy6ilfk7L/+oo/X+yDkboeEY77BR/CExTMJWc399bNq955q/A/A1Frgdto7bBzjMRjvp8SOAa'
        'iAdhf332i+5Zqhop+F8T2vPMgEPvXftHrNlmp52csn+QZBZHQY+j1w9vrsF3lpvkv5tnKnRbhOkfN+eqpO9T9tn4LX'
        '+p4Tb8Ao08p94S/V951n8B3MI7lQ=='
    ),
    'rects': [[444, 209, 32, 88], [354, 242, 52, 122]],
    'json': (
        '[{"rect": [443, 209, 30, 89], "score": 0.555, "class_id": 0, "label": "d\\u00fcrer \\"Hase\\"'
        '", "track_id": 3}, {"rect": [355, 238, 50, 128], "score": 0.461, "class_id": 0, "label": "'
        'd\\u00fcrer \\"Hase\\"", "track_id": 2}]'
    ),
}
ZONES = {
    'start': [5000, 250],
    'end': [-5000, 211],
    'anchor': 'bottom',
    'sizes': [[60, 95], [49, 77], [95, 110], [57, 14]],
    'steps': (
        'eNotkUtP21AUhMc4TpwYk5CQh6CqkPgp/AJ+MeqKbVfdlS5aohQKScgD52EP37W6uJZnzpwzc+69jb5Fd7qPHvSgm5'
        'Pvsneeu7BUuatURx+99MEV3JkS2MpruMpb91U6lrTkv6kt+sqpdp6h7WrljFoKP9Ga/8Idpsd6B+/RF46oR3SPdXAL'
        '7kA10asvwALvYDNt3MOn9B7fHnjN7JIEpVckSvUPNqSRFri09FbnKOp6Cp7V+gPTFiTINHVOjg+YJSla+usheAOeO8'
        'H/Cf8S7Z492or1TN4K7cYv9Dfwmyhod+BYTc09Iuscv1eH/dce1P0xSU7It+KetvQnTEqUo0/ZPfROmX+GKtcHvYle'
        '2PcUVZ9bX5DtucYrn3NLBTjkz/EfkKJwmJxSn9HfoKMNbtb7d3A1+A2PTEOqudL/lVxf1NY5OGP+qToaMyOcgHO+XT'
        'J95XTJk6Drww3o6enRDWaNYIZwY/1kv4YmoMBdgkWOEcyUN5noFy+89xWV3w4ejw73eKVr/aE+0g/0n8kmJq8='
    ),
    'crossed': [
        [2, 4, 'in'],
        [3, 4, 'out'],
        [9, 4, 'in'],
        [11, 3, 'out'],
        [22, 1, 'out'],
        [29, 3, 'in'],
        [36, 1, 'in'],
    ],
    'json': '{"start": [5000, 250], "end": [-5000, 211], "in": 4, "out": 3}',
    'star': [
        200, 20, 240, 150, 380, 150, 270, 230, 310, 370, 200, 280, 90, 370, 130, 230, 20, 150, 160, 150,
    ],
    'inside': 935055082,
}
TRACK_SUMS = [
    274781, 367855, 80191, 995226, 215639, 610808, 890824, 560852, 479197, 630905, 714130, 376459, 898581,
    108038, 155974, 578909, 935563, 432314, 166783, 252906, 523067, 160200, 519595, 642511, 615149, 432914,
]
ROI = (10, 5, 320, 160)
COLOR = (40, 200, 90)
PALETTE = ((0, 0, 0), (250, 120, 30))
ALPHA = 160
# --- end of what scripts/dev/generating/make_selftest.py writes ---


if __name__ == "__main__":
    print(machine_line())
    if REAL:
        for LINE in other_copies():
            print(LINE)
    RESULT = run()
    print("%d passed, %d failed" % RESULT[:2])
    if not REAL and RESULT[1]:
        sys.exit(1)
