"""Write the recorded tensors into scripts/device/selftest.py: `python3 scripts/dev/generating/make_selftest.py`.

The tensors are small parts of the recordings in host_tests/data: the anchors of a head with the best scores, and
every fifth pixel of prototypes and class maps, as if the model had a smaller input. The expected results are computed here
with plain numpy (host_tests/reference.py and the formulas next to host_tests/data/draw_cases.npz), without lib. The expected
track ids on a synthetic street come from host_tests/tracker_reference.py, and the expected line crossings were counted by
supervision (host_tests/data/zones.json.gz). --check only reports whether selftest.py is up to date.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import _venv

if __name__ == "__main__":
    _venv.enter("test")

import argparse
import base64
import gzip
import json
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

sys.path[:0] = [str(_venv.ROOT / folder) for folder in ("stubs", "host_tests", "lib", "scripts/dev")]

import n6post
import numpy as np
import reference
import synthetic_street
from fuzzing import core, detectors, frames, other_families, yolo
from n6post_pc.demo import recorded
from n6post_pc.demo.recorded import Array, Tensor
from tracker_reference import Reference

ZONES = _venv.ROOT / "host_tests" / "data" / "zones.json.gz"
TARGET = _venv.ROOT / "scripts" / "device" / "selftest.py"
BEGIN = "# --- recorded tensors and what they give: written by scripts/dev/generating/make_selftest.py ---\n"
END = "# --- end of what scripts/dev/generating/make_selftest.py writes ---\n"

COMMENT = """\
# family: options, (width, height) of the input, outputs, expected results. An output: shape, scale, zero
# point and the int8 tensor, compressed by zlib, in base 64.
"""

SIZE = (64, 64)  # width and height of the small models' input
ANCHORS = 84  # 8 x 8 + 4 x 4 + 2 x 2
STEP = 5  # every fifth pixel: 80 x 80 prototypes become 16 x 16, a 320 x 320 map 64 x 64
SHARES = 0.5  # IoU

# A frame into which Letterbox fits this roi with a whole number of pixels: 64 x 32 of the input, at scale 5.
ROI = (10, 5, 320, 160)
DRAW_ALPHA = 160
PALETTE = ((0, 0, 0), (250, 120, 30))
COLOR = (40, 200, 90)


# A synthetic street for the tracker (synthetic_street.py): people, frames per second, quantized, seed; number of frames.
STREET, STREET_FRAMES = (3, 10, True, 5), 26
TRACKED = {"threshold": 0.5}
SCORE = 128  # steps of a score, so that it is exact in float32

# The walk from supervision's recordings (data/zones.json.gz), and the number of its tracks and frames.
WALKS, WALKERS, WALK_FRAMES = 3, 4, 40
STAR = ((200, 20), (240, 150), (380, 150), (270, 230), (310, 370), (200, 280), (90, 370), (130, 230), (20, 150), (160, 150))
GRID = range(1, 400, 8)  # x and y of points


class Case(NamedTuple):
    family: str
    options: dict[str, Any]
    size: tuple[int, int]
    tensors: list[Tensor]
    expected: dict[str, Any]


# --- small models made from recordings ---


def best_anchors(head: Array, classes: int) -> Array:
    """The columns of a head [C, N] with the best scores, in their original order."""
    best = head[4 : 4 + classes].max(axis=0)
    columns = np.sort(np.argsort(-best.astype(int), kind="stable")[:ANCHORS])
    return np.ascontiguousarray(head[:, columns])[None]


def small_head(model: str, picture: str, classes: int) -> Tensor:
    tensor = recorded.load(model, picture).tensors[0]
    return tensor._replace(values=best_anchors(tensor.values[0], classes))


def thinned(tensor: Tensor, channels_last: bool) -> Tensor:
    values = tensor.values if channels_last else tensor.values.transpose(0, 2, 3, 1)
    return tensor._replace(values=np.ascontiguousarray(values[:, ::STEP, ::STEP]))


# --- expected results ---


def detections(head: Tensor, classes: int, threshold: float) -> reference.Candidates:
    found = reference.decode(
        head.values[0], classes, threshold, scale=head.scale, zero_point=head.zero_point, box_unit=SIZE
    )
    return reference.suppress(found, SHARES)


def rects(found: reference.Candidates, fit: str) -> list[tuple[int, ...]]:
    """Frame rectangles. A corner so close to half a pixel that float32 may round it either way is refused."""
    x, y, w, h = (0, 0, *SIZE) if fit == "none" else ROI
    result = []
    for box in found.box:
        corners = box if fit == "none" else reference.to_frame(box.reshape(2, 2), fit, SIZE, ROI).reshape(4)
        local = corners - (x, y, x, y)
        inside = local[(local > 0) & (local < (w, h, w, h))]
        if np.any(np.abs(inside % 1 - 0.5) < 1e-3):
            sys.exit(f"a corner lies on half a pixel: {corners}; choose another picture or ROI")
        rx, ry, rw, rh = reference.to_rect(local, (w, h))
        result.append((rx + x, ry + y, rw, rh))
    return result


def rounded(value: float, digits: int) -> float:
    """Round like as_dict. A number so close to the middle of two steps that float32 may round it either way is refused."""
    if abs(abs(value) * 10**digits % 1 - 0.5) < 1e-3:
        sys.exit(f"{value} lies between two numbers of {digits} digits; choose another picture")
    return round(float(value), digits)


def text(rect: Sequence[int], score: float, class_id: int, label: str, **more: Any) -> str:
    """json.dumps of a detection's as_dict."""
    values = {"rect": list(rect), "score": rounded(score, 3), "class_id": class_id, "label": label}
    return json.dumps(values | more)


def keypoint_rows(points: Array) -> list[list[float]]:
    return [[rounded(x, 1), rounded(y, 1), rounded(s, 3)] for x, y, s in points]


def angle(a: Array, middle: Array, b: Array) -> float:
    """Degrees, by the law of cosines."""
    c, d, e = (float(np.hypot(*(p - q))) for p, q in ((a, middle), (b, middle), (a, b)))
    return float(np.degrees(np.arccos((c * c + d * d - e * e) / (2 * c * d))))


def bends(points: Array, threshold: float) -> list[float | None]:
    """The angles at the elbows of 13 or 17 keypoints, left and right; None where one of the three is not visible."""
    first = 1 if len(points) == 13 else 5
    arms = points[first : first + 6 : 2], points[first + 1 : first + 7 : 2]
    return [round(angle(*arm[:, :2]), 2) if arm[:, 2].min() >= threshold else None for arm in arms]


def rows(found: reference.Candidates) -> dict[str, Any]:
    return {
        "classes": [int(c) for c in found.class_id],
        "scores": [round(float(s), 6) for s in found.score],
        "rects": rects(found, "none"),
        "letterboxed": rects(found, "letterbox"),
    }


def crc(data: Any) -> int:
    """Convert to a signed 32-bit number, which MicroPython usually stores without a heap object."""
    return zlib.crc32(bytes(data))


def detector() -> Case:
    head = small_head("yolov8n_192", "astronaut", 1)
    found = detections(head, 1, 0.3)
    expected = rows(found)
    boxes = zip(expected["rects"], found.score, found.class_id, strict=True)
    expected["json"] = [text(rect, float(score), int(c), str(c)) for rect, score, c in boxes]
    return Case("YoloV8", {"threshold": 0.3}, SIZE, [head], expected)


def pose() -> Case:
    head = small_head("yolov8n_pose_256", "astronaut", 1)
    found = detections(head, 1, 0.3)
    points = reference.keypoints(found.extra, SIZE)
    points[..., :2] = np.clip(points[..., :2], 0, SIZE)
    expected = rows(found) | {"keypoints": [[round(float(v), 3) for v in p.reshape(-1)] for p in points]}
    people = zip(expected["rects"], found.score, points, strict=True)
    expected["json"] = [text(rect, float(s), 0, "person", keypoints=keypoint_rows(p)) for rect, s, p in people]
    expected["bends"] = [bends(p, 0.5) for p in points]
    return Case("YoloV8Pose", {"threshold": 0.3}, SIZE, [head], expected)


def segmenter() -> Case:
    recording = recorded.load("yolov8n_seg_320", "coffee")
    head = small_head("yolov8n_seg_320", "coffee", 80)
    protos = thinned(recording.tensors[1], channels_last=True)
    found = detections(head, 80, 0.3)
    planes, areas, drawn = [], [], []
    shape = protos.values.shape[1:3]
    step = SIZE[0] // shape[1]
    for anchor, box in zip(found.anchor, found.box, strict=True):
        coefficients = head.values[0, 84:, anchor].astype(np.int64) - head.zero_point
        logits = reference.mask_logits(coefficients, protos.values[0].astype(np.int64) - protos.zero_point)
        plane = reference.prototype_mask(logits, box, SIZE)
        seen = plane & inside(box, step * np.arange(shape[1]) + 1, step * np.arange(shape[0])[:, None] + 1)
        planes.append(crc(seen.astype(np.uint8)))
        pixels = inside(box, np.arange(SIZE[0]), np.arange(SIZE[1])[:, None])
        areas.append(int((plane.repeat(step, axis=0).repeat(step, axis=1) & pixels).sum()))
        drawn.append((logits, reference.scaled_box(box, SIZE, shape)))
    expected = rows(found) | {"masks": planes, "areas": areas}
    expected["drawn"] = crc(tinted_masks(drawn, expected["rects"]))
    return Case("YoloV8Seg", {"threshold": 0.3, "mask_padding": 0}, SIZE, [head, protos], expected)


def inside(box: Array, x: Array, y: Array) -> Array:
    """The frame pixels inside a box's rectangle, for a frame as large as the input."""
    left, top, width, height = reference.to_rect(list(box), SIZE)
    return (x >= left) & (x < left + width) & (y >= top) & (y < top + height)


def heatmaps() -> Case:
    """Peaks refined by the parabola through their neighbors, in pixels of a frame as large as the input."""
    tensor = recorded.load("movenet_13_192", "astronaut").tensors[0]
    maps = tensor.values[0].astype(np.float64)
    height, width, _ = maps.shape
    size = (width * 4, height * 4)
    points = []
    for number, (column, row) in enumerate(reference.peaks(tensor.values[0])):
        plane = maps[..., number]
        dx = parabola(*plane[row, column - 1 : column + 2]) if 0 < column < width - 1 else 0.0
        dy = parabola(*plane[row - 1 : row + 2, column]) if 0 < row < height - 1 else 0.0
        score = (plane[row, column] - tensor.zero_point) * tensor.scale
        points += [(column + 0.5 + dx) * 4, (row + 0.5 + dy) * 4, score]
    expected = {"keypoints": [[round(float(v), 3) for v in points]], "bends": [bends(np.reshape(points, (-1, 3)), 0.3)]}
    return Case("MoveNet", {"keypoint_threshold": 0.3}, size, [tensor], expected)


def parabola(low: float, peak: float, high: float) -> float:
    divisor = 2 * peak - low - high
    return float(np.clip(0.5 * (high - low) / divisor, -0.5, 0.5)) if divisor > 0 else 0.0


def class_map() -> Case:
    tensor = thinned(recorded.load("deeplab_320", "camera").tensors[0], channels_last=False)
    classes = reference.class_map(tensor.values[0])
    counts = np.bincount(classes.reshape(-1), minlength=2)
    expected = {"map": crc(classes), "areas": [int(n) for n in counts], "drawn": crc(tinted_map(classes))}
    fraction = int(counts[1] * 1e4 / classes.size + 0.5) / 1e4
    person = {"class_id": 1, "label": "1", "area": int(counts[1]), "fraction": fraction}
    expected["json"] = json.dumps({"classes": [person]})
    return Case("DeepLab", {}, SIZE, [tensor], expected)


# --- families with random outputs ---

# Seed of the fuzzer's heads (fuzzing/detectors.py and other_families.py), and the most bytes of outputs, compressed.
HEADS_SEED, MOST_BYTES = 9, 1500


def random_cases() -> list[Case]:
    """For every family without a recording: the first small int8 outputs of the fuzzer, and what its references find."""
    return [random_case(family) for family in (*detectors.HEADS, *other_families.HEADS)]


def random_case(family: str) -> Case:
    module = detectors if family in detectors.HEADS else other_families
    for number in range(20_000):
        head, options = module.make_case(core.Dice(HEADS_SEED, number), family)
        if head.unclear or any(tensor.values.dtype != np.int8 for tensor in head.tensors):
            continue
        tensors = [Tensor(np.ascontiguousarray(t.values), t.scale, t.zero_point) for t in head.tensors]
        if family in ("BlazeFace", "BlazePalm", "BlazePose"):
            clear_others(head, tensors, options.get("threshold", 0.5))
        if sum(len(zlib.compress(tensor.values.tobytes(), 9)) for tensor in tensors) > MOST_BYTES:
            continue
        processor = getattr(n6post, family)(**options)  # for the options' defaults only
        expected = random_result(family, head, options, processor)
        if expected:
            return Case(family, options, head.size, tensors, expected)
    raise ValueError(f"no small head of {family}")


def clear_others(head: Any, tensors: list[Tensor], threshold: float) -> None:
    """Overwrite the outputs of anchors that are not detected, so that they take less space when compressed."""
    for i, part in enumerate(head.parts):
        others = part.score < threshold / 2
        boxes, scores = tensors[2 * i : 2 * i + 2]
        boxes.values.reshape(len(others), -1)[others] = boxes.zero_point
        scores.values.reshape(len(others), -1)[others] = -128


def random_result(family: str, head: Any, options: dict[str, Any], processor: Any) -> dict[str, Any]:
    """The expected results in pixels of the input; {} if there are none, too many, or if rounding decides."""
    whole = frames.Source(None, (0, 0, *head.size), head.size, (1.0, 1.0), (0.0, 0.0))
    if family in detectors.HEADS:
        found = detectors.expected_of(head, processor)
        if found is None:
            return {}
        expected, places = found
        seen = yolo.shown(expected, whole)
        if not seen.sure or not 2 <= len(seen.score) <= 8:
            return {}
        beyond = np.array(head.size) * (family == "BlazePose")
        points = places[seen.anchor].clip(-beyond, beyond + head.size)
        return boxes_result(seen.class_id, seen.score, seen.box, head.size, points)
    real = head.known.get("real")
    if family == "Fomo":
        objects = other_families.objects_of(head, processor, whole)
        if not objects or not 2 <= len(objects) <= 8:
            return {}
        corners = [[int(v) for v in one[0]] for one in objects]
        return {
            "classes": [int(one[2]) for one in objects], "scores": [round(float(one[1]), 6) for one in objects],
            "rects": [(x1, y1, x2 - x1, y2 - y1) for x1, y1, x2, y2 in corners],
        }  # fmt: skip
    if family == "YoloV8Obb":
        found = other_families.boxes_of(head, processor)
        if found is None or not 2 <= len(found[3]) <= 8:
            return {}
        boxes, scores, classes, kept = found
        around, corners = turned_boxes(boxes[kept])
        if (around[:, :2] < 1).any() or (around[:, 2:] > np.array(head.size) - 1).any():
            return {}
        result = boxes_result(classes[kept], scores[kept], around, head.size, np.zeros((len(kept), 0, 2)))
        return result and result | {"corners": [[round(float(v), 3) for v in one.reshape(-1)] for one in corners]}
    if family == "Classifier":
        score = other_families.softmax(real) if head.known["logit"] else real
        order = np.lexsort((np.arange(len(real)), -real))[: processor.top_k]
        if len(real) > 20 or (np.abs(score[order] - processor.threshold) < 1e-5).any():
            return {}
        order = order[score[order] >= processor.threshold]
        return {"ranking": [[int(i), round(float(score[i]), 6)] for i in order]} if len(order) > 1 else {}
    if family == "TextLine":
        text, scores = other_families.text_of(head)
        if len(text) < 4 or len(scores) > 12 or sum(scores) / len(scores) < processor.threshold + 0.01:
            return {}
        return {"text": text, "scores": [round(score, 6) for score in scores]}
    if family == "Embedding":
        if not processor.normalize or len(real) > 8:
            return {}
        return {"vector": [round(float(v), 6) for v in real / np.sqrt((real * real).sum())]}
    if family == "Depth":
        ranked = np.sort(real.reshape(-1))
        values = ranked[0], ranked[(len(ranked) - 1) // 2], ranked[-1]
        return {"depths": [round(float(v), 5) for v in values]} if len(ranked) > 60 else {}
    points = head.known["points"].reshape(-1, 3)[:, :2].clip(0, head.size)
    if head.known["score"] < processor.threshold + 0.01 or not head.known.get("sure", True):
        return {}
    if family == "PoseLandmarks" and (len(head.tensors) < 3 or np.ptp(points, axis=0).min() < 20):
        return {}  # the heat map belongs to the test
    some = points[:: len(points) // 12]
    return {"scores": [round(head.known["score"], 6)], "points": [round(float(v), 3) for v in some.reshape(-1)]}


def boxes_result(classes: Array, scores: Array, boxes: Array, size: tuple[int, int], points: Array) -> dict[str, Any]:
    inside = boxes[(boxes > 0) & (boxes < [*size, *size])]
    if np.any(np.abs(inside % 1 - 0.5) < 5e-3):
        return {}
    result: dict[str, Any] = {
        "classes": [int(c) for c in classes], "scores": [round(float(s), 6) for s in scores],
        "rects": [reference.to_rect(list(box), size) for box in boxes],
    }  # fmt: skip
    if points.size:
        result["points"] = [round(float(v), 3) for v in points.reshape(-1)]
    return result


def turned_boxes(boxes: Array) -> tuple[Array, Array]:
    """Boxes around rows x, y, w, h, angle, (n, 4), and their corners (n, 4, 2)."""
    cos, sin = np.cos(boxes[:, 4]), np.sin(boxes[:, 4])
    u, v = np.stack([cos, sin], axis=1) * boxes[:, 2:3] / 2, np.stack([-sin, cos], axis=1) * boxes[:, 3:4] / 2
    middle = boxes[:, :2]
    corners = np.stack([middle - u - v, middle + u - v, middle + u + v, middle - u + v], axis=1)
    return np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1), corners


# --- tracks and zones ---


def tracks() -> dict[str, Any]:
    """Frames of detections with their track ids from the float64 reference; 0 for a detection without a track."""
    tracker = Reference(**TRACKED)
    words: list[int] = []
    tracked: list[Any] = []
    for frame in synthetic_street.street(*STREET)[:STREET_FRAMES]:
        found = [(rect, round(score * SCORE), 0) for rect, score in frame.found]
        tracked = tracker.update([(rect, score / SCORE, class_id) for rect, score, class_id in found])
        numbers = {which: track_id for which, track_id, _ in tracked}
        words.append(len(found))
        for which, (rect, score, _) in enumerate(found):
            words += [*rect, score, numbers.get(which, 0)]
    texts = []
    for which, track_id, _ in tracked:
        rect, score, _ = found[which]
        texts.append(text(rect, score / SCORE, 0, 'd\u00fcrer "Hase"', track_id=track_id))
    rects = [[round(v) for v in (x1, y1, x2 - x1, y2 - y1)] for _, _, (x1, y1, x2, y2) in tracked]
    return {"options": TRACKED, "frames": packed(np.array(words, "<i2")), "rects": rects, "json": f"[{', '.join(texts)}]"}


def zones() -> dict[str, Any]:
    """Walks across a line with supervision's counts, and the points of a grid that are inside a star."""
    case = json.loads(gzip.decompress(ZONES.read_bytes()))["cases"][WALKS]
    places, crossed = [], []
    for number, (frame, sides) in enumerate(zip(case["frames"], case["crossed"], strict=True)):
        if number < WALK_FRAMES:
            assert [row[0] for row in frame[:WALKERS]] == list(range(1, WALKERS + 1))
            places.append([row[1:3] for row in frame[:WALKERS]])
            for side, ids in zip(("in", "out"), sides, strict=True):
                crossed += [[number, i, side] for i in ids if i <= WALKERS]
    # The step between two frames is small and compresses better than a position.
    steps = np.diff(np.array(places), axis=0, prepend=0).astype("<i2")
    counts = [sum(side == which for *_, side in crossed) for which in ("in", "out")]
    line = {"start": case["start"], "end": case["end"]}
    x, y = np.meshgrid(GRID, GRID)
    return line | {
        "anchor": case["anchor"],
        "sizes": [row[3:5] for row in case["frames"][0][:WALKERS]],
        "steps": packed(steps),
        "crossed": crossed,
        "json": json.dumps(line | {"in": counts[0], "out": counts[1]}),
        "star": [v for point in STAR for v in point],
        "inside": crc(turns(x, y).astype(np.uint8)),
    }


def turns(x: Array, y: Array) -> Array:
    """Which of these points are inside STAR: their angles to its edges then add up to a full turn."""
    total = np.zeros(x.shape)
    for (px, py), (qx, qy) in zip(STAR, STAR[1:] + STAR[:1], strict=True):
        if np.abs((qx - px) * (y - py) - (qy - py) * (x - px)).min(where=within(x, y, px, py, qx, qy), initial=9) == 0:
            sys.exit("a point of the grid lies on an edge of the star; choose another GRID")
        a, b = np.arctan2(py - y, px - x), np.arctan2(qy - y, qx - x)
        total += (b - a + np.pi) % (2 * np.pi) - np.pi
    return np.abs(total) > np.pi


def within(x: Array, y: Array, px: int, py: int, qx: int, qy: int) -> Array:
    return (x >= min(px, qx)) & (x <= max(px, qx)) & (y >= min(py, qy)) & (y <= max(py, qy))


# --- drawing, by the formulas of host_tests/data (draw_image on an RGB565 frame) ---


def rgb565(color: Sequence[int]) -> int:
    r, g, b = color
    return (r & 0xF8) << 8 | (g & 0xFC) << 3 | b >> 3


def background(width: int, height: int) -> Array:
    """The frame that is drawn on: every pixel differs from its neighbors."""
    return ((np.arange(width * height) * 2657 + 77) & 0xFFFF).astype(np.uint16).reshape(height, width)


def blended(frame: Array, color: Array, alpha: Array) -> Array:
    """RGB565: alpha 0..32 of color, each channel shifted right by 5."""
    result = np.zeros_like(frame)
    for shift, mask in ((11, 31), (5, 63), (0, 31)):
        old, new = frame.astype(int) >> shift & mask, color.astype(int) >> shift & mask
        result |= ((new * alpha + old * (32 - alpha)) >> 5 << shift).astype(np.uint16)
    return result


def steps_of(alpha: int, of: int = 255) -> int:
    """The blend weight, 0..32, of an alpha and an entry of the alpha palette."""
    return int(np.rint((int(np.rint(alpha * 256 / 255)) >> 3) * of / 255))


def tinted_map(classes: Array) -> bytes:
    """A class map at twice its size, nearest; class 0 is not drawn."""
    frame = background(2 * classes.shape[1], 2 * classes.shape[0])
    scaled = classes.repeat(2, axis=0).repeat(2, axis=1)
    colors = np.array([rgb565(c) for c in PALETTE], np.uint16)[scaled]
    return blended(frame, colors, np.where(scaled == 0, 0, steps_of(255, DRAW_ALPHA))).tobytes()


def mask_bytes(logits: Array, box: Array) -> tuple[Array, int, int]:
    """A mask as it is stored: logits of box and ring, shifted to 0..255 around 128; and its first pixel."""
    x0, y0, x1, y1 = np.clip(np.ceil(box), 0, (logits.shape[1], logits.shape[0]) * 2).astype(int)
    left, top = max(0, x0 - 1), max(0, y0 - 1)
    window = logits[top : y1 + 1, left : x1 + 1]
    shift = 0
    while np.abs(window[::2, ::2]).max() > 127 << shift:
        shift += 1
    return np.clip(128 + ((window - 1) >> shift), 0, 255), left, top


def bilinear(data: Array, scale: int) -> Array:
    """Scaled up at pixel centers, by draw_image's fixed-point taps."""
    def taps(count: int) -> tuple[Array, Array, Array]:
        at = ((2 * np.arange(count * scale) + 1) * (65536 // (2 * scale))) - 32768
        low = at >> 16
        inside = (low >= 0) & (low < count - 1)
        high = np.clip(low + inside, 0, count - 1)
        return np.clip(low, 0, count - 1), high, np.where(inside, (at >> 8) & 255, 0)

    y0, y1, fy = taps(data.shape[0])
    x0, x1, fx = taps(data.shape[1])
    rows = (data[y0] * (256 - fy[:, None]) + data[y1] * fy[:, None] + 128) >> 8
    return (rows[:, x0] * (256 - fx) + rows[:, x1] * fx + 128) >> 8


def tinted_masks(masks: list[tuple[Array, Array]], boxes: list[tuple[int, ...]]) -> bytes:
    """Draw masks on a frame as large as the input, the best last, each inside its rectangle."""
    frame = background(*SIZE)
    for (logits, box), (x, y, w, h) in reversed(list(zip(masks, boxes, strict=True))):
        scale = SIZE[0] // logits.shape[1]
        data, left, top = mask_bytes(logits, box)
        plane = np.zeros(SIZE[::-1], int)
        scaled = bilinear(data, scale)
        plane[top * scale : top * scale + len(scaled), left * scale : left * scale + scaled.shape[1]] = scaled
        tinted = plane >= 128
        tinted[:y], tinted[y + h :], tinted[:, :x], tinted[:, x + w :] = False, False, False, False
        frame = blended(frame, np.full_like(frame, rgb565(COLOR)), np.where(tinted, steps_of(DRAW_ALPHA), 0))
    return frame.tobytes()


# --- source code ---


def literal(value: Any, indent: str) -> str:
    """A Python literal; a long one is wrapped."""
    if isinstance(value, dict):
        inner = "".join(f"{indent}    {k!r}: {literal(v, indent + '    ')},\n" for k, v in value.items())
        return "{\n" + inner + indent + "}"
    text = repr(value)
    if len(text) + len(indent) < 90 and not isinstance(value, Packed):
        return text
    if isinstance(value, str):
        inner = "".join(f"{indent}    {value[at : at + 90]!r}\n" for at in range(0, len(value), 90))
        return "(\n" + inner + indent + ")"
    if isinstance(value, Packed):
        return quoted(value)
    if isinstance(value, list):
        if isinstance(value[0], list | str):
            inner = "".join(f"{indent}    {literal(v, indent + '    ')},\n" for v in value)
        else:
            parts, line = [], indent + "   "
            for item in map(repr, value):
                if len(line) + len(item) > 108:
                    parts.append(line)
                    line = indent + "   "
                line += f" {item},"
            inner = "\n".join([*parts, line]) + "\n"
        return "[\n" + inner + indent + "]"
    return text


class Packed(str):
    """A bytes literal for a2b_base64, which ignores the ends of lines."""


def packed(values: Array) -> Packed:
    return Packed(base64.b64encode(zlib.compress(values.tobytes(), 9)).decode())


def quoted(text: Packed) -> str:
    """One literal over many lines. A separate literal with indentation for each line would take 5 KB more."""
    return 'b"""\n' + "\n".join(text[at : at + 120] for at in range(0, len(text), 120)) + '"""'


def source() -> str:
    lines = [BEGIN, COMMENT, "RECORDED = {\n"]
    lines += dict_lines([detector(), segmenter(), pose(), heatmaps(), class_map()])
    lines.append("# The other families: random outputs.\nRANDOM = {\n")
    lines += dict_lines(random_cases())
    lines += [f"TRACKED = {literal(tracks(), '')}\n", f"ZONES = {literal(zones(), '')}\n"]
    lines.append("TRACK_SUMS = []\n")
    lines.append(f"ROI = {ROI!r}\nCOLOR = {COLOR!r}\nPALETTE = {PALETTE!r}\nALPHA = {DRAW_ALPHA!r}\n")
    return "".join(lines) + END


def dict_lines(cases: list[Case]) -> list[str]:
    """The lines of a dict with these cases, but for the first one."""
    lines = []
    for case in cases:
        options = repr(case.options)
        if len(options) > 100:
            options = literal(case.options, "        ")
        lines.append(f'    "{case.family}": (\n        {options},\n')
        lines.append(f"        {case.size!r},\n        (\n")
        for tensor in case.tensors:
            assert tensor.values.dtype == np.int8
            described = f"{tensor.values.shape!r}, {tensor.scale!r}, {tensor.zero_point!r}"
            lines.append(f"            ({described}, {quoted(packed(tensor.values))}),\n")
        lines.append(f"        ),\n        {literal(case.expected, '        ')},\n    ),\n")
    return [*lines, "}\n"]


def replaced(text: str) -> str:
    start, end = text.index(BEGIN), text.index(END) + len(END)
    text = text[:start] + source() + text[end:]
    module: dict[str, Any] = {"__name__": "selftest"}
    exec(compile(text, TARGET, "exec"), module)
    return text.replace("TRACK_SUMS = []\n", f"TRACK_SUMS = {literal(module['track_sums'](), '')}\n")


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--check", action="store_true", help="only compare, do not write")
    arguments = parser.parse_args()
    before = TARGET.read_text(encoding="utf-8")
    after = replaced(before)
    if arguments.check:
        sys.exit(0 if after == before else f"{TARGET} is not what {__file__} makes")
    TARGET.write_text(after, encoding="utf-8")
    print(f"{TARGET}: {len(after)} bytes")


if __name__ == "__main__":
    main()
