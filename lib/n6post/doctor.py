"""`diagnose`: what is wrong with a model or with what it put out, and what to do about it.

Each finding is one function of the table _CHECKS at the end: it gets a _Case and gives sentences, none for a
healthy model. Its name is its line's in docs/troubleshooting.md, where every sentence points to.
"""

import gc

from micropython import const
from ulab import numpy as np

from .layout import flat, output_shapes, squeezed
from .models import Shapes, fitting
from .options import name_list
from .processor import Processor
from .quant import FLOAT
from .refusals import dtype_name, is_dense, view_refused

_NPU_RAM = const(1835008)  # 1.75 MiB: the fast SRAM beside the OpenMV N6's NPU
_LARGE_COPY = const(4194304)  # bytes in one piece that a heap in use for a while hardly ever has left
_STEP = const(4096)  # elements looked at together: what is allocated stays small
_OURS = ("YoloV8", "YoloV8Seg", "YoloV8Pose", "MoveNet", "DeepLab")
_RAW_HEAD = "its raw head (nms=None; end2end=False before Ultralytics 8.4.144)"
_RANGES = {"b": (-128, 127), "B": (0, 255), "h": (-32768, 32767), "H": (0, 65535)}


def diagnose(model, outputs=None):
    """A list of findings, each a sentence with its remedy and its line in docs/troubleshooting.md; [] for a healthy model.

    outputs     the arrays as a post-processor gets them; without them only what the model tells of itself is
                judged. On the camera:
                `model.predict([img], callback=lambda m, i, outputs: n6post.diagnose(m, outputs))`
    ValueError for outputs that are no list of dense ndarrays.
    """
    case = _Case(model, outputs)
    findings = []
    for check in _CHECKS:
        for finding in check(case):
            # MicroPython keeps a function's name anyway: no texts of its own in the flash.
            anchor = check.__name__[1:].replace("_", "-")
            findings.append("%s (docs/troubleshooting.md#%s)" % (finding, anchor))
    return findings


class _Case:
    """A model, its outputs, and what is known of it.

    inputs, shapes   the shapes of inputs and outputs; open: those that are none, with which nothing is told from them
    told        models.Shapes, None where it cannot be told
    fits        [(family, what the model would be)], as models.fitting has it
    family      the one that fits, None where none or several do
    processor   the post-processor, None where there is none; or, in its place, kind: a class whose brackets are missing
    labels      those that count, and unusable, why they are none
    """

    def __init__(self, model, outputs):
        self.model = model
        self.given = outputs is not None
        self.outputs = outputs if self.given else []
        listed = isinstance(self.outputs, (list, tuple))
        if not listed or not all([isinstance(out, np.ndarray) for out in self.outputs]):
            kind = type(outputs).__name__ + (" of " + type(outputs[0]).__name__ if listed else "")
            raise ValueError("outputs: expected a list of ndarrays, raw as the model has them, got %s" % kind)
        for i, out in enumerate(self.outputs):
            if not is_dense(out):
                raise view_refused(i, out)
        self.shapes = output_shapes(model)
        count = len(self.shapes)
        self.dtypes = list(getattr(model, "output_dtype", None) or "f" * count)
        self.scales = list(getattr(model, "output_scale", None) or [1.0] * count)
        self.zero_points = list(getattr(model, "output_zero_point", None) or [0] * count)
        processor = getattr(model, "postprocess", None)
        self.processor = getattr(processor, "processor", processor)  # n6post.load's stands behind a Chosen
        self.kind = None
        if isinstance(self.processor, type):
            self.kind = self.processor
            self.processor = None
        labels = getattr(self.processor, "labels", None)
        if labels is None:
            labels = getattr(model, "labels", None)
        self.labels = self.unusable = None
        try:
            self.labels = name_list("labels", labels or None)
        except ValueError as error:
            self.unusable = str(error)
        self.inputs = [shape for shape in getattr(model, "input_shape", None) or () if isinstance(shape, (list, tuple))]
        self.open = [shape for shape in self.inputs + self.shapes if _is_open(shape)]
        self.told = None if self.open else Shapes(model, self.labels or ())
        self.fits = fitting(self.told) if self.told else []
        self.family = self.fits[0][0] if len(self.fits) == 1 else None

    def integers(self):
        """(index, dtype, scale) of each output of integers."""
        for i, dtype in enumerate(self.dtypes):
            if dtype in _RANGES:
                yield i, dtype, self.scales[i]


# --- what the model says of itself ---


def _absurd_scale(case):
    class_numbers = case.family == "DeepLab" and case.told.map[2] < 2  # arg-maxed: they need no scale
    for i, dtype, scale in case.integers():
        if scale == 0.0 and class_numbers:
            continue
        if not 1e-7 < scale < 1e3:  # NaN is neither
            yield (
                "output %d: its scale is %g, which no network's numbers have: the conversion to %s failed;"
                " convert the model again, with pictures like the camera's for calibration"
                % (i, scale, dtype_name(ord(dtype)))
            )


def _coarse_scale(case):
    """Scores that the output's own numbers cannot tell apart or cannot reach."""
    if case.family in (None, "DeepLab"):
        return
    threshold = getattr(case.processor, "threshold", None) or (0.3 if case.family == "MoveNet" else 0.4)
    for i, dtype, scale in case.integers():
        if not 1e-7 < scale < 1e3 or case.family == "YoloV8Seg" and len(squeezed(case.shapes[i])) > 2:
            continue  # absurd; or prototypes, which hold no scores
        largest = (_RANGES[dtype][1] - case.zero_points[i]) * scale
        if scale > 0.1:  # fewer than ten steps from 0 to 1
            yield (
                "output %d: its scale is %g%s, so a score is %s: export the model with %s, or with float outputs"
                % (
                    i,
                    scale,
                    ""
                    if case.family == "MoveNet"
                    else " (class numbers or boxes in pixels share it)"
                    if case.told.rows
                    else " (boxes in pixels share it)",
                    "always 0 and nothing can pass" if scale > 2.0 else "hardly more than 0 or 1",
                    _RAW_HEAD if case.told.rows else "boxes in 0..1",
                )
            )
        elif largest < threshold:
            yield (
                "output %d: the largest score that it can express is %.2g and the threshold is %.2g, so"
                " nothing can pass: convert the model again, calibrated with pictures that show what it looks"
                " for"
                % (i, largest, threshold)
            )


def _open_shapes(case):
    """A file that leaves its height and width open."""
    for kind, shapes in (("input", case.inputs), ("output", case.shapes)):
        for i, shape in enumerate(shapes):
            if _is_open(shape):
                yield (
                    "%s %d: its shape is %s, so the file leaves a size open: export the model for one height and width"
                    " (with Ultralytics imgsz=320, and without dynamic=True)" % (kind, i, tuple(shape))
                )


def _is_open(shape):
    # 1 x 1 pixels of 3 colours: what a .tflite holds in the place of a height and width that are not fixed.
    return bool([n for n in shape if n < 1]) or tuple(shape[1:]) in ((1, 1, 3), (3, 1, 1))


def _channels_first(case):
    for i, shape in enumerate(case.inputs):
        if len(shape) == 4 and shape[1] in (1, 3) and shape[3] not in (1, 3) and not _is_open(shape):
            yield (
                "input %d: its shape is %s, channels first, and the firmware fills [1, H, W, channels] only: export the"
                " model in another way (Ultralytics 8.4.83 and later write format='tflite' so: take the"
                " _full_integer_quant.tflite of format='edgetpu', or 8.4.82)" % (i, tuple(shape))
            )


def _classifier(case):
    rows = case.told and case.told.rows  # [1, 1, 6]: an end-to-end head of one row
    if len(case.shapes) == 1 and not case.open and not rows and len(squeezed(case.shapes[0])) < 2:
        yield (
            "output 0: %s is one score a class for the whole picture, so the model is a classifier, which needs no"
            " post-processor of n6post: without one, predict([img])[0] has the scores, of which the largest wins"
            % (tuple(case.shapes[0]),)
        )


def _other_family(case):
    """A post-processor of ours that is not for these outputs."""
    if case.kind:
        name = case.kind.__name__
        yield "processor: postprocess=n6post.%s is the class itself: write n6post.%s(), with brackets" % (name, name)
        return
    family = type(case.processor).__name__
    families = [one for one, _ in case.fits]
    # A subclass of somebody's own has another name, and may take what it likes; so may who says how many classes there are.
    ours = isinstance(case.processor, Processor) and family in _OURS and not getattr(case.processor, "class_count", None)
    if ours and families and family not in families:
        yield "processor: %s is attached and the outputs are those of %s: attach %s" % (
            family,
            " or of ".join([what for _, what in case.fits]),
            " or ".join(["n6post.%s()" % one for one in families]),
        )


def _end_to_end(case):
    """An end-to-end head of integers, whose scores and class numbers share one scale."""
    if case.family not in ("YoloV8", "YoloV8Seg", "YoloV8Pose") or not case.told.rows:
        return
    for i, dtype, scale in case.integers():
        if not 1e-7 < scale < 1e3 or len(flat(case.shapes[i])) != 2:
            continue
        zero_point = case.zero_points[i]
        largest = (_RANGES[dtype][1] - zero_point) * scale
        if case.told.head is None and largest + 0.5 < case.told.named - 1:
            yield (
                "output %d: the largest class number that it can express is %d and there are %d labels: export the model"
                " with %s, or with float outputs" % (i, largest, case.told.named, _RAW_HEAD)
            )
        if i < len(case.outputs) and case.outputs[i].dtype != FLOAT and _without_scores(case, i, scale, zero_point):
            yield (
                "output %d: it has class numbers and every score is 0, as end-to-end heads of many classes have in 8 bits:"
                " export the model with %s, or with float outputs" % (i, _RAW_HEAD)
            )


def _without_scores(case, index, scale, zero_point):
    """Whether rows, in an order that may be theirs, have class numbers, such as no raw head's scores are, and no score."""
    for columns, rows in case.told.rows:
        out = case.outputs[index]
        if columns >= 6 and out.size == columns * rows:
            transposed = flat(case.shapes[index]) != (rows, columns)
            grid = out.reshape((columns, rows) if transposed else (rows, columns))
            score, number = (grid[4], grid[5]) if transposed else (grid[:, 4], grid[:, 5])
            if np.max(score) == zero_point == np.min(score) and (np.max(number) - zero_point) * scale > 1.5:
                return True
    return False


def _labels(case):
    if case.unusable:
        yield case.unusable + ": the .txt beside the model needs one line a class, without blank ones"
        return
    if not case.family:
        return
    classes = case.told.classes(case.family)
    named = case.told.named
    wanted = case.told.wanted_names(case.family, getattr(case.processor, "class_count", None))
    if wanted and not classes:
        yield "labels: expected %s, and there are %d: correct the .txt beside the model" % (wanted, named)
    elif wanted:
        yield (
            "labels: the head has %d classes and there are %d labels, so names are wrong or missing: the .txt"
            " beside the model needs one line a class" % (classes, named)
        )


def _large_map(case):
    """Without a post-processor the firmware hands out float copies."""
    if case.processor is not None or case.kind:
        return
    room = min(_LARGE_COPY, _heap_free())
    for i, shape in enumerate(case.shapes):
        size = 4
        for n in shape:
            size *= n
        if size > room:
            yield (
                "output %d: without a post-processor predict copies it as %.1f MB of floats, more than the"
                " heap has in one piece: attach one (n6post.load does), which reads the model's own memory"
                % (i, size / 1e6)
            )


def _heap_free():
    try:
        return gc.mem_free()
    except AttributeError:  # CPython: the heap is as large as it takes
        return _LARGE_COPY


def _too_much_ram(case):
    ram = getattr(case.model, "ram", None) or 0
    if ram > _NPU_RAM:
        yield (
            "RAM: the model needs %.1f MiB where the NPU has 1.75 MiB, and from the PSRAM it runs slowly or"
            " not at all: take a smaller input or a narrower network" % (ram / 1048576)
        )


# --- what it put out ---


def _other_outputs(case):
    """Arrays that are not those the model tells of."""
    if not case.given:
        return
    if len(case.outputs) != len(case.shapes):
        yield (
            "outputs: %d came and the model tells of %d: hand over the whole list, as a post-processor gets it"
            % (len(case.outputs), len(case.shapes))
        )
    for i, (out, told_shape) in enumerate(zip(case.outputs, case.shapes)):
        if tuple(out.shape) != tuple(told_shape):
            yield (
                "output %d: its array is %s and the model says %s: hand over the arrays of this very model, in its"
                " order and not reshaped" % (i, tuple(out.shape), tuple(told_shape))
            )


def _float_copies(case):
    for i, dtype, _ in case.integers():
        if i < len(case.outputs) and case.outputs[i].dtype == FLOAT:
            yield (
                "output %d: its array is float while the model says '%s': predict ran without a"
                " post-processor and dequantised it already; do not apply scale and zero point to it, or"
                " attach a post-processor, which gets the raw numbers" % (i, dtype)
            )


def _not_finite(case):
    for i, out in enumerate(case.outputs):
        if out.dtype == FLOAT and not all([bool(np.all(np.isfinite(part))) for part in _parts(out)]):
            yield (
                "output %d: it holds NaN or infinity, so the network's own arithmetic failed: check how the"
                " input is normalised, or convert the model again" % i
            )


def _constant(case):
    """A map of one class may well show one class; anything else with one value throughout is no answer."""
    if case.family == "DeepLab" and case.told.map[2] < 2:
        return
    for i, out in enumerate(case.outputs):
        value = _only_value(out)
        if value is not None:
            # Heatmaps of nobody are all 0, and end-to-end heads that nms=True made; every other head tells boxes even then.
            blank = case.family == "MoveNet" or case.told is not None and case.told.rows
            score = value - (0 if out.dtype == FLOAT or i >= len(case.zero_points) else case.zero_points[i])
            yield (
                "output %d: every number of it is %g, so%s the weights probably never reached the network's"
                " memory: write the model file to the camera again, and in firmware of your own enable the"
                " NPU's RAM and caches"
                % (i, value, ", unless the scene is empty," if blank and not score else "")
            )


def _only_value(array):
    """The value that every element has, or None."""
    first = None
    for part in _parts(array):
        low = np.min(part)
        if first is None:
            first = low
        if not first == low == np.max(part):  # NaN equals nothing
            return None
    return first if len(squeezed(array.shape)) else None


def _parts(array):
    """The array in flat pieces."""
    size = 1
    for n in array.shape:
        size *= n
    flat = array.reshape((size,))
    for at in range(0, size, _STEP):
        yield flat[at : min(at + _STEP, size)]


_CHECKS = (
    _open_shapes,
    _channels_first,
    _classifier,
    _other_family,
    _absurd_scale,
    _coarse_scale,
    _end_to_end,
    _labels,
    _large_map,
    _too_much_ram,
    _other_outputs,
    _float_copies,
    _not_finite,
    _constant,
)
