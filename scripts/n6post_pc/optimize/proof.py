"""Prove that an optimized network is the network that it was made from, before it is written: optimize_model.py.

The proof runs both files on pictures and makes three checks. None of them uses the code that rewrote the file.

outputs     At the original's input size, every output equals the original's own tensor in every bit. With fewer classes: the
            channels of the classes that are left. Outputs with finer steps agree with these within the coarser step.
head        Decoded by plain numpy (softmax over the bins, sigmoid), these outputs give what the original's own head
            computes from them with integers. It is compared for the best ANCHORS anchors of each picture.
objects     n6post finds in the new file what plain numpy decodes from its outputs. With another input size it also finds the
            objects that it finds at the original's size.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from ml._backends import without_chatter
from numpy.typing import NDArray

from ..command import UserError
from ..models.compare import Comparison
from ..models.pictures import Picture
from ..models.run import Network
from .network import Optimized, Output

Array = NDArray[Any]

ANCHORS = 50  # anchors per picture whose decoded values are compared
GRAY = 114  # the letterbox's bars
BINS = 16  # of DFL

# The original's head rounds in each of its steps. Of the anchors, at least AGREE must agree within one and a half steps of
# its output and half a cell of their stride, which is what the softmax over 16 bins may lose in int8. In the heads of ST and
# Ultralytics the largest difference was .43 cells, and 1.3 steps.
AGREE = 0.95
CELLS, STEPS = 0.5, 1.5
SCORE = 0.03  # and this much of a score
COARSE = 0.1  # steps of the head's scores that cannot be compared

# At another input size, at most this fraction of the clear objects, or one of them, may be lost. Weak objects come and go
# when a network sees a picture at another size. A clear object may be found with half the threshold there.
LOST = 0.25
CLEAR = 0.6  # score


class Runner(Protocol):
    """A network with all of its tensors."""

    shape: tuple[int, ...]  # of its input, NHWC
    code: str  # the firmware's letter for the input's type

    def run(self, values: Array) -> dict[str, Array]: ...


class LiteRt:
    """A .tflite without delegates, so that the kernels of both files are the same.

    names   of the tensors to get, or their numbers
    shape   of an input that LiteRT itself gives the network; None: the file's
    """

    def __init__(self, data: bytes, names: Iterable[str | int], shape: tuple[int, ...] | None = None) -> None:
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        with without_chatter():
            self._interpreter = Interpreter(
                model_content=data,
                experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
                experimental_preserve_all_tensors=True,
            )
            if shape is not None:
                self._interpreter.resize_tensor_input(self._interpreter.get_input_details()[0]["index"], shape)
            self._interpreter.allocate_tensors()
        (self._input,) = self._interpreter.get_input_details()
        self.shape = tuple(int(n) for n in self._input["shape"])
        self.code = np.dtype(self._input["dtype"]).char
        wanted = set(names)
        known = [(name, d["index"]) for d in self._interpreter.get_tensor_details() for name in (d["name"], d["index"])]
        self._indices = {str(name): index for name, index in known if name in wanted}

    def run(self, values: Array) -> dict[str, Array]:
        self._interpreter.set_tensor(self._input["index"], values)
        self._interpreter.invoke()
        return {name: self._interpreter.get_tensor(index) for name, index in self._indices.items()}


class _Onnx:
    """An .onnx without the fusions of onnxruntime, which round differently, and with other tensors as outputs."""

    def __init__(self, data: bytes, names: Iterable[str]) -> None:
        import onnx
        import onnxruntime

        model = onnx.load_from_string(data)
        own = {output.name for output in model.graph.output}
        self._names = list(names)
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in self._names if name not in own)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        self._session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        (self._input,) = self._session.get_inputs()
        shape = tuple(n if isinstance(n, int) else 1 for n in self._input.shape)
        self._channels_first = shape[1] in (1, 3)
        self.shape = (shape[0], shape[2], shape[3], shape[1]) if self._channels_first else shape
        kind = self._input.type.removeprefix("tensor(").removesuffix(")")
        self.code = np.dtype("float32" if kind == "float" else kind).char

    def run(self, values: Array) -> dict[str, Array]:
        values = np.ascontiguousarray(values.transpose(0, 3, 1, 2)) if self._channels_first else values
        return dict(zip(self._names, self._session.run(self._names, {self._input.name: values}), strict=True))


def runner(data: bytes, suffix: str, names: Iterable[str]) -> Runner:
    """The network of a file, to run it and to get the tensors with these names."""
    return _Onnx(data, names) if suffix == ".onnx" else LiteRt(data, names)


def dequantized(values: Array, output: Output) -> Array:
    return (values.astype(np.float64) - output.zero_point) * output.scale


# ---- plain numpy ----


@dataclass
class Decoded:
    """What a head says about every anchor.

    boxes       [N, 4]: x1, y1, x2, y2 in pixels of the input; of oriented ones the corners, as complex numbers x + iy
    scores      [N, classes], 0..1
    extras      [N, M]: mask coefficients, or keypoints in pixels, in the head's order; or None
    strides     [N]
    steps       [N, 4]: how far the roundings of the outputs alone move the edges: see `split`; or None
    """

    boxes: Array
    scores: Array
    extras: Array | None
    strides: Array
    steps: Array | None = None


def _sigmoid(values: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-values)))


def anchor_strides(size: tuple[int, int], outputs: Sequence[Output]) -> list[int]:
    """The strides of a split head, ascending."""
    shapes = [output.shape for output in outputs]
    width, height = size
    cells = ((stride, height // stride, width // stride) for stride in (4, 8, 16, 32, 64))
    # Three outputs, or two: prototypes have the cells of stride 4 as well, but nothing else has.
    return [s for s, h, w in cells if sum((h, w) in (shape[1:3], shape[2:4]) for shape in shapes if len(shape) == 4) > 1]


def split(new: Optimized, tensors: dict[str, Array]) -> Decoded:
    """Decode the outputs of a split head.

    The steps of the edges: a logit q is off by up to half a step, so a distance is off like one that was rounded to steps of
    scale * stride * sqrt(sum((p[k] * (k - distance)) ** 2)), where p are the probabilities of the bins.
    """
    boxes, scores, extras, strides, steps = [], [], [], [], []
    for stride in anchor_strides(new.input_size, new.after):
        height, width = new.input_size[1] // stride, new.input_size[0] // stride
        maps = []
        for output in new.after:
            if len(output.shape) != 4:
                continue
            if output.shape[1:3] == (height, width):
                channels = output.shape[3]
                values = dequantized(tensors[output.name][0], output)
            elif output.shape[2:] == (height, width):
                channels = output.shape[1]
                values = dequantized(tensors[output.name][0], output).transpose(1, 2, 0)
            else:
                continue
            maps.append((channels, values.reshape(-1, channels), output))
        _, box, output = _take(maps, 4 * BINS if any(m[0] == 4 * BINS for m in maps) else 4)
        scores.append(_sigmoid(_take(maps, new.class_count)[1]))
        rows, columns = np.divmod(np.arange(height * width), width)
        center = np.stack([columns, rows], 1) + 0.5
        if box.shape[1] == 4:
            distance, step = box, np.ones_like(box)
        else:
            bins = box.reshape(-1, 4, BINS)
            share = np.exp(bins - bins.max(-1, keepdims=True))
            share /= share.sum(-1, keepdims=True)
            distance = share @ np.arange(BINS)
            step = np.sqrt(np.sum((share * (np.arange(BINS) - distance[..., None])) ** 2, -1))
        boxes.append(np.concatenate([center - distance[:, :2], center + distance[:, 2:]], 1) * stride)
        steps.append(step * stride * output.step)
        strides.append(np.full(len(box), stride))
        if maps and new.task == "segment":
            extras.append(maps.pop(0)[1])
        elif maps and new.task == "pose":
            extras.append(_keypoints(maps.pop(0)[1], center, stride, box.shape[1] == 4))
        elif maps and new.task == "obb":
            angles = maps.pop(0)[1][:, 0]
            angles = angles if box.shape[1] == 4 else (_sigmoid(angles) - 0.25) * np.pi
            boxes[-1] = _turned(boxes[-1], angles, center * stride)
    return Decoded(*map(np.concatenate, (boxes, scores)), np.concatenate(extras) if extras else None,
                   np.concatenate(strides), np.concatenate(steps))  # fmt: skip


def _turned(boxes: Array, angles: Array, pivots: Array) -> Array:
    """The corners of boxes x1, y1, x2, y2, each turned around its pivot [x, y] by an angle in radians."""
    middles = pivots @ [[1], [1j]]
    corners = boxes[:, [0, 2, 2, 0]] + 1j * boxes[:, [1, 1, 3, 3]]
    return np.asarray(middles + (corners - middles) * np.exp(1j * angles[:, None]))


def _take(maps: list[tuple[int, Array, Output]], channels: int) -> tuple[int, Array, Output]:
    """Remove the first map with this number of channels, and return it."""
    return maps.pop([count for count, _, _ in maps].index(channels))


def _keypoints(raw: Array, center: Array, stride: int, yolo26: bool) -> Array:
    points = raw.reshape(len(raw), -1, 3).copy()
    offset = points[..., :2] if yolo26 else points[..., :2] * 2 - 0.5
    points[..., :2] = (offset + center[:, None]) * stride
    points[..., 2] = _sigmoid(points[..., 2])
    return points.reshape(len(raw), -1)


def raw(new: Optimized, tensors: dict[str, Array], ours: Decoded) -> tuple[Decoded, float, float] | None:
    """Decode the original's own head, [1, 4 + classes + extras, N] or its transpose. None if it has no such output.

    ours    what it is compared with: tells centers and sizes from the corners of a one-to-one head

    Returns it with the step of its numbers, which is the smallest difference between two of its boxes, and the pixels of the
    input that a difference of 1 in a box means.
    """
    count = len(ours.strides)
    for output in new.before:
        shape = [n for n in output.shape if n != 1]
        if len(shape) == 2 and count in shape and max(n for n in shape if n != count or shape == [count] * 2) >= 4:
            head = dequantized(tensors[output.name], output).reshape(shape)
            head = head.T if shape[0] == count else head
            if len(head) < 4 + new.original_class_count:
                continue
            box = head[:4]
            sides = np.array(new.original_size * 2, float)[:, None]
            # Of all anchors, half have their center in the left half of the input.
            unit = sides if np.median(box[:2]) < 2 else np.ones_like(sides)
            levels = np.unique(np.round(box, 9))
            step = float(np.diff(levels).min()) if len(levels) > 1 else 0.0
            x, y, w, h = box * unit
            extras = head[4 + new.original_class_count :].T.copy()
            if new.task == "pose":
                width = extras.shape[1]
                points = extras.reshape(count, width // 3, 3)
                points[..., :2] *= unit[:2, 0]
            either = np.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], 1), np.stack([x, y, w, h], 1)
            if new.task == "obb":
                boxes = _turned(either[0], head[-1], np.stack([x, y], 1))
                extras = extras[:, :0]
            else:
                boxes = min(either, key=lambda one: float(np.median(np.abs(one - ours.boxes))))
            scores = head[4 : 4 + new.original_class_count].T
            return Decoded(boxes, scores, extras if extras.size else None, ours.strides), step, float(unit.max())
    return None


# ---- the checks ----


@dataclass
class Proof:
    """What was checked, on how many pictures.

    outputs     outputs that equal the original's tensors in every bit, and that have finer steps and agree within a step
    anchors     anchors whose decoded values were compared with those of the original's head, and how many of them agree
    off         the largest difference of an edge of each anchor, in pixels
    before      the step of the boxes in the original's head, in pixels; None: it has no decoded head
    score_step  the step of the scores in the original's head
    steps       the steps of the edges in the new file: see `split`
    found       objects of n6post in the new file, all of which plain numpy decodes as well
    clear       objects with a score of at least CLEAR at the original's input size or at the new one
    again       how many of them are found at the other size as well
    """

    pictures: int = 0
    outputs: list[int] = field(default_factory=lambda: [0, 0])
    anchors: list[int] = field(default_factory=lambda: [0, 0])
    off: list[float] = field(default_factory=list)
    before: float | None = None
    score_step: float = 0.0
    steps: list[float] = field(default_factory=list)
    found: int = 0
    clear: int = 0
    again: int = 0

    @property
    def after(self) -> float | None:
        return float(np.median(self.steps)) if self.steps else None


class FailedProofError(UserError):
    """The new file does something else than the original."""


def fitted(picture: Picture, size: tuple[int, int]) -> Picture:
    """The picture, letterboxed to exactly the network's input, so that results are in pixels of the input."""
    from PIL import ImageOps

    return Picture(picture.path, ImageOps.pad(picture.picture, size, color=(GRAY, GRAY, GRAY)))


def filled(network: Runner, picture: Picture) -> Array:
    """The network's input for a fitted picture, as a camera fills it."""
    values = np.zeros(network.shape, np.dtype(network.code))
    memory = bytearray(values.nbytes)
    picture.input("Letterbox", (network.shape[2], network.shape[1]))(memory, network.shape, ord(network.code))
    return np.frombuffer(memory, values.dtype).reshape(network.shape)


class Outputs:
    """The checks of a file that has the original's input size, with its scales, and of the same file with finer ones."""

    def __init__(
        self, original: bytes, new: Optimized, finer: Optimized, suffix: str, classes: Sequence[int] | None, proof: Proof
    ) -> None:
        self._new, self._finer, self._proof = new, finer, proof
        self._classes = list(range(new.original_class_count)) if classes is None else list(classes)
        self._sources = {output.name: new.sources[output.name] for output in new.after}
        self._original = runner(original, suffix, {*self._sources.values(), *(output.name for output in new.before)})
        self._network = runner(new.data, suffix, self._sources)
        self._finer_network = runner(finer.data, suffix, self._sources) if finer is not new else None

    def check(self, picture: Picture) -> None:
        """Check one picture. FailedProofError if the files differ."""
        new = self._new
        values = filled(self._original, fitted(picture, new.original_size))
        theirs, ours = self._original.run(values), self._network.run(values)
        for output in new.after:
            expected = theirs[self._sources[output.name]]
            if expected.shape != output.shape:
                axis = next(i for i in range(len(output.shape)) if expected.shape[i] != output.shape[i])
                expected = expected.take(self._classes, axis)
            if expected.dtype != ours[output.name].dtype or not np.array_equal(expected, ours[output.name]):
                raise FailedProofError(f"output {output.name} differs from the original's tensor in {picture.short_name}")
        self._proof.outputs = [len(new.after), 0]
        if self._finer_network is not None:
            self._compare_steps(ours, self._finer_network.run(values), picture)
        decoded = split(new, ours)
        own = raw(new, theirs, decoded)
        if own is not None:
            self._compare_heads(decoded, *own)

    def _compare_steps(self, ours: dict[str, Array], finer: dict[str, Array], picture: Picture) -> None:
        """FailedProofError if an output with finer steps is further from the coarser one than they round."""
        changed = 0
        for old, new in zip(self._new.after, self._finer.after, strict=True):
            values, expected = dequantized(finer[new.name], new), dequantized(ours[old.name], old)
            if new.quantization is not None:
                dtype, scale, zero_point = new.quantization
                limits = np.iinfo(dtype)
                expected = np.clip(expected, (limits.min - zero_point) * scale, (limits.max - zero_point) * scale)
            off = np.abs(values - expected).max()
            if off > old.step / 2 + 1.5 * new.step:
                raise FailedProofError(f"output {new.name} is off by {off:.3g} in {picture.short_name}")
            changed += new.step != old.step
        self._proof.outputs = [len(self._new.after) - changed, changed]

    def _compare_heads(self, ours: Decoded, theirs: Decoded, step: float, unit: float) -> None:
        proof = self._proof
        proof.before = step * unit if proof.before is None else min(step * unit, proof.before)
        proof.score_step = step
        if step > COARSE:  # its scores are rounded to 0 and 1
            return
        scores = theirs.scores[:, self._classes]
        best = np.argsort(-ours.scores.max(1))[:ANCHORS]
        allowed = STEPS * step * unit + CELLS * ours.strides[best]
        off = np.abs(ours.boxes - theirs.boxes)[best].max(1)
        agree = (off <= allowed) & (np.abs(ours.scores - scores)[best].max(1) <= SCORE + STEPS * step)
        if ours.extras is not None and theirs.extras is not None:
            apart = np.abs(ours.extras - theirs.extras)[best]
            if self._new.task == "segment":  # these are the outputs' own numbers
                agree &= apart.max(1) <= SCORE + STEPS * step
            else:
                agree &= apart.reshape(len(best), -1, 3)[..., :2].max((1, 2)) <= 2 * allowed
        proof.anchors[0] += len(best)
        proof.anchors[1] += int(agree.sum())
        proof.off += off.tolist()

    def finish(self) -> None:
        """FailedProofError if the decoded values of all pictures differ from those of the original's head."""
        compared, agree = self._proof.anchors
        if agree < AGREE * compared:
            raise FailedProofError(f"its head says something else about {compared - agree} of {compared} anchors")


class Objects:
    """The checks of what n6post finds in the new file, of any input size."""

    def __init__(self, new: Optimized, path: Path, at_first_size: Path | None, proof: Proof) -> None:
        self._new, self._proof = new, proof
        self._network = _opened(path)
        self._other = _opened(at_first_size) if at_first_size else None

    def check(self, picture: Picture) -> None:
        """Check one picture. FailedProofError if n6post decodes the new file in another way than plain numpy."""
        inside = fitted(picture, self._new.input_size)
        found, outputs = self._see(inside)
        decoded = split(self._new, outputs)
        self._proof.steps += _visible_steps(decoded)
        for one in found:
            same = np.flatnonzero(np.abs(decoded.scores[:, one.class_id] - one.score) < 1e-3)
            if not np.any(self._off(one, decoded.boxes[same]) <= 1.01):
                where = f"{one.label} at {one.rect} in {picture.short_name}"
                raise FailedProofError(f"n6post finds {where}, and plain numpy does not")
        self._proof.found += len(found)
        if self._other is not None:
            networks = self._other, self._network
            results = [network.see(picture, "letterbox") for network in networks]

            def lower(which: int) -> Any:
                return networks[which].see_more(picture, "letterbox")

            compared = Comparison().add(picture.short_name, picture.size, *results, lower)
            both = [max(one["scores"]) >= CLEAR for one in compared["both"]]
            alone = ["score_by_other" in one for side in ("only_model", "only_other") for one in compared[side]
                     if one["score"] >= CLEAR]  # fmt: skip
            self._proof.again += sum(both) + sum(alone)
            self._proof.clear += sum(both) + len(alone)

    def _off(self, detection: Any, boxes: Array) -> Array:
        """How many pixels each of these boxes is away from a detection."""
        if detection.corners is not None:
            apart: Array = np.abs(boxes[..., None] - detection.corners._np @ [1, 1j])
            return apart.min(2).max(1, initial=0)
        x, y, w, h = detection.rect
        return np.abs(np.clip(boxes, 0, self._new.input_size * 2) - [x, y, x + w, y + h]).max(1, initial=0)

    def _see(self, picture: Picture) -> tuple[list[Any], dict[str, Array]]:
        """n6post's detections, and the outputs that they were found in."""

        def process(model: Any, inputs: Any, outputs: Any) -> tuple[list[Any], list[Array]]:
            # Not np.array(output): from Python 3.12 on, the stand-in for ulab is a flat buffer for numpy.
            return self._network.processor(model, inputs, outputs), [output._np.copy() for output in outputs]

        try:
            found, arrays = self._network.model.predict([picture.input("Letterbox", picture.size)], callback=process)
        except ValueError as error:
            raise FailedProofError(f"n6post does not decode it: {error}") from error
        names = [output.name for output in self._new.after]
        return found, dict(zip(names, arrays, strict=True))

    def finish(self) -> None:
        """FailedProofError if other objects are found at the new size than at the original's."""
        again, clear = self._proof.again, self._proof.clear
        if clear - again > max(1, LOST * clear):
            raise FailedProofError(f"only {again} of {clear} clear objects are found at both input sizes")


def _opened(path: Path) -> Network:
    try:
        return Network(path, None, {})
    except UserError as error:
        raise FailedProofError(f"n6post does not load it: {str(error).removeprefix(f'{path}: ')}") from error


def _visible_steps(decoded: Decoded) -> list[float]:
    """The steps of the edges of the anchors that are probably objects."""
    likely = decoded.scores.max(1) > 0.25
    steps: list[float] = decoded.steps[likely].ravel().tolist() if decoded.steps is not None else []
    return steps
