"""`diagnose`: what is wrong with a model or its outputs, and how to fix it.

Each finding is one function of the table _CHECKS at the end. It gets a _Case and yields sentences, none for a healthy
model. Every sentence points to the line in docs/troubleshooting.md that has the function's name.
"""

from math import exp

from micropython import const
from ulab import numpy as np

from ..families.processor import Processor
from ..families.recognition import family_names, is_common
from ..firmware import picture_of
from ..tensors.errors import dtype_name, is_dense, view_refused
from ..tensors.head_layout import flat, squeezed
from ..tensors.options import name_list
from ..tensors.quantization import FLOAT, OutputTensor
from ..tensors.shapes import output_shapes
from .matching import ModelSignature, matching_families, processor_for

_NPU_RAM = const(1835008)  # 1.75 MiB: the fast SRAM of the OpenMV N6's NPU
_LARGE_COPY = const(4194304)  # bytes; a heap that has been in use hardly ever has a free block of this size
_STEP = const(4096)  # elements that are examined together, so that allocations stay small
_RAW_HEAD = "its raw head (nms=None; end2end=False before Ultralytics 8.4.144)"
_YOLO = ("YoloV8", "YoloV8Seg", "YoloV8Pose", "YoloV8Obb")
_LEAST_PROBABILITY = -1.5  # a dtype reaches lower if it holds logits; symmetric integers reach -1
_COARSE_LOGIT = 2.0  # from .5 to .88 in one step; real networks have .05 to .5
_RANGES = {"b": (-128, 127), "B": (0, 255), "h": (-32768, 32767), "H": (0, 65535)}


def diagnose(model, outputs=None, *, inputs=None):
    """Return a list of findings, each a sentence with its remedy and its line in docs/troubleshooting.md; [] if all is well.

    outputs     the arrays as a post-processor gets them. Without them only the model's own description is checked. On the
                camera: `model.predict([img], callback=lambda m, i, o: n6post.diagnose(m, o, inputs=i))`
    inputs      the inputs as a post-processor gets them: the image, as Letterbox or another input has it

    ValueError for outputs that are not a list of dense ndarrays, and for inputs that are not a list.
    """
    case = _Case(model, outputs, inputs)
    findings = case.findings
    for check in _CHECKS:
        for finding in check(case):
            # MicroPython stores a function's name anyway, so this needs no further strings in flash.
            anchor = check.__name__[1:].replace("_", "-")
            findings.append("%s (docs/troubleshooting.md#%s)" % (finding, anchor))
    return findings


class _Case:
    """A model, its outputs, and what is known about it.

    findings        all findings so far
    outputs         the arrays, [] if there are none; has_outputs: whether there are any
    sources         what was passed to `predict`, [] if that is not known
    inputs, shapes  the shapes of the inputs and of the outputs
    open            those of them that leave a size open; then signature is None
    signature       the ModelSignature, or None
    fits            [(family, description of the model)], from matching_families
    family          the only family that fits, or None
    split_layout    the likeliest SplitLayout if the outputs are a split head, else None
    processor       the post-processor, or None
    kind            the class that was passed instead of a post-processor (the brackets are missing), or None
    labels          the labels that are in use, or None
    labels_error    why the labels cannot be used, or None
    """

    def __init__(self, model, outputs, sources):
        self.model = model
        self.findings = []
        if sources is not None and not isinstance(sources, (list, tuple)):
            raise ValueError("inputs: expected a list, as `predict` takes it, got %s" % type(sources).__name__)
        self.sources = sources or []
        self.has_outputs = outputs is not None
        self.outputs = outputs if self.has_outputs else []
        is_list = isinstance(self.outputs, (list, tuple))
        if not is_list or not all([isinstance(out, np.ndarray) for out in self.outputs]):
            kind = type(outputs).__name__ + (" of " + type(outputs[0]).__name__ if is_list else "")
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
        self.processor = getattr(processor, "processor", processor)  # n6post.load uses a DeferredProcessor
        self.kind = None
        if isinstance(self.processor, type):
            self.kind = self.processor
            self.processor = None
        labels = getattr(self.processor, "labels", None)
        if labels is None:
            labels = getattr(model, "labels", None)
        self.labels = self.labels_error = None
        try:
            self.labels = name_list("labels", labels or None)
        except ValueError as error:
            self.labels_error = str(error)
        self.inputs = [shape for shape in getattr(model, "input_shape", None) or () if isinstance(shape, (list, tuple))]
        self.open = [shape for shape in self.inputs + self.shapes if _is_open(shape)]
        self.signature = None if self.open else ModelSignature(model, self.labels or ())
        self.fits = matching_families(self.signature) if self.signature else []
        attached = type(self.processor).__name__
        if self.fits and isinstance(self.processor, Processor) and attached not in [family for family, _ in self.fits]:
            from .by_options import decided

            self.fits = decided(self.signature, self.processor) or self.fits
        self.family = self.fits[0][0] if len(self.fits) == 1 else None
        if self.labels and self.family and not is_common(self.family):
            self.signature.split = None  # the maps are those of another family
        self.split_layout = None
        if self.family and self.signature.split:
            self.split_layout = self.signature.split.layouts[0]

    def integers(self):
        """(index, dtype, scale) of each integer output."""
        for i, dtype in enumerate(self.dtypes):
            if dtype in _RANGES:
                yield i, dtype, self.scales[i]

    def has_scores(self, index):
        """Whether an output has the scores of a head or of heatmaps."""
        if self.split_layout:
            return index in [part.scores[0] for part in self.split_layout.parts]
        return self.family != "YoloV8Seg" or len(squeezed(self.shapes[index])) < 3


# --- the model's own description ---


def _absurd_scale(case):
    is_class_ids = case.family == "DeepLab" and case.signature.map[2] < 2  # arg-maxed: they need no scale
    for i, dtype, scale in case.integers():
        if scale == 0.0 and is_class_ids:
            continue
        if not 1e-7 < scale < 1e3:  # also false for NaN
            yield (
                "output %d: its scale is %g, which no network has: the conversion to %s failed; convert the model again,"
                " with pictures like the camera's for calibration"
                % (i, scale, dtype_name(ord(dtype)))
            )


def _coarse_scale(case):
    """The output's numbers cannot express different scores, or a score above the threshold."""
    if case.family not in _YOLO + ("MoveNet",):
        return  # class maps have no threshold, and the other families have outputs without scores
    threshold = getattr(case.processor, "threshold", None) or (0.3 if case.family == "MoveNet" else 0.4)
    for i, dtype, scale in case.integers():
        if not 1e-7 < scale < 1e3 or not case.has_scores(i):
            continue
        largest = (_RANGES[dtype][1] - case.zero_points[i]) * scale
        is_logit = case.split_layout and (_RANGES[dtype][0] - case.zero_points[i]) * scale < _LEAST_PROBABILITY
        if is_logit:
            largest = 1.0 / (1.0 + exp(-max(largest, -80.0)))  # the sigmoid, which float32 can express
        if is_logit and scale > _COARSE_LOGIT:
            yield (
                "output %d: its scale is %g, so a score is hardly more than 0, .5 or 1: convert the model again, calibrated"
                " with pictures that show the objects" % (i, scale)
            )
        elif scale > 0.1 and not is_logit:  # fewer than ten steps from 0 to 1
            yield (
                "output %d: its scale is %g%s, so a score is %s: export the model with %s, or with float outputs"
                % (
                    i,
                    scale,
                    ""
                    if case.family == "MoveNet"
                    else " (class numbers or boxes in pixels share it)"
                    if case.signature.rows
                    else " (boxes in pixels share it)",
                    "always 0 and nothing can pass" if scale > 2.0 else "hardly more than 0 or 1",
                    _RAW_HEAD if case.signature.rows else "boxes in 0..1",
                )
            )
        elif largest < threshold:
            yield (
                "output %d: the largest score that it can express is %.2g and the threshold is %.2g, so nothing can"
                " pass: convert the model again, calibrated with pictures that show the objects"
                % (i, largest, threshold)
            )


def _open_shapes(case):
    """The file has no fixed height and width."""
    for kind, shapes in (("input", case.inputs), ("output", case.shapes)):
        for i, shape in enumerate(shapes):
            if _is_open(shape):
                yield (
                    "%s %d: its shape is %s, so its size is not fixed: export the model for one height and width (with"
                    " Ultralytics imgsz=320, and without dynamic=True)" % (kind, i, tuple(shape))
                )


def _is_open(shape):
    # A .tflite file has 1 x 1 pixels of 3 colors instead of a height and width that are not fixed.
    return bool([n for n in shape if n < 1]) or tuple(shape[1:]) in ((1, 1, 3), (3, 1, 1))


def _channels_first(case):
    for i, shape in enumerate(case.inputs):
        if len(shape) == 4 and shape[1] in (1, 3) and shape[3] not in (1, 3) and not _is_open(shape):
            yield (
                "input %d: its shape is %s, channels first, and the firmware fills [1, H, W, channels] only: export the"
                " model in another way (Ultralytics 8.4.83 and later write format='tflite' and 'litert' like this: use the"
                " _full_integer_quant.tflite of format='edgetpu', or the _float32.tflite beside it on a PC, or 8.4.82)"
                % (i, tuple(shape))
            )


def _no_family(case):
    """A network that n6post does not decode."""
    if not case.signature or case.fits:
        return
    if case.signature.unsupported:
        yield "outputs: they are those of %s, which no family of n6post decodes: %s" % case.signature.unsupported
    elif case.signature.size is None:
        yield (
            "outputs: no family of n6post decodes %s of an input that is no picture: use predict without a post-processor"
            % case.signature.outputs_text()
        )
    else:
        yield (
            "outputs: no family of n6post decodes %s of an input of (width, height) %s: decode them in your script, and pass"
            " the boxes to n6post.detections" % (case.signature.outputs_text(), case.signature.size)
        )


def _several_families(case):
    """The shapes are those of several families, and no post-processor is attached."""
    if len(case.fits) > 1 and case.processor is None and not case.kind:
        from .by_options import unless_unsupported

        yield "outputs: they may be those of %s%s: give labels, one per class, or attach %s" % (
            " or ".join([description for _, description in case.fits]),
            unless_unsupported(case.signature),
            " or ".join(["n6post.%s()" % family for family, _ in case.fits]),
        )


def _other_family(case):
    """One of the post-processors of n6post, for other outputs than these."""
    if case.kind:
        name = case.kind.__name__
        yield "processor: postprocess=n6post.%s is the class itself: write n6post.%s(), with brackets" % (name, name)
        return
    family = type(case.processor).__name__
    families = [one for one, _ in case.fits]
    # A user's subclass has another name and may accept other outputs; so may a processor with class_count.
    checked = isinstance(case.processor, Processor) and family in family_names()
    if checked and families and family not in families and _is_read(case, family):
        return
    if checked and not getattr(case.processor, "class_count", None) and families and family not in families:
        yield "processor: %s is attached and the outputs are those of %s: attach %s" % (
            family,
            " or of ".join([description for _, description in case.fits]),
            " or ".join(["n6post.%s()" % one for one in families]),
        )


def _is_read(case, family):
    """Whether an attached YoloV8Obb reads outputs of a detector's shapes: those with sums of scores, or rows of YOLOX."""
    rows = case.family == "YoloX" and len(case.shapes) == 1
    if family != "YoloV8Obb" or not (rows or case.split_layout and case.split_layout.sums):
        return False
    try:
        if case.outputs:
            case.processor._bind(case.model, case.outputs)
    except ValueError:
        return False
    return True


def _hand_score(case):
    """The threshold of hand landmarks is above the largest score of the file in the camera's ROM."""
    threshold = getattr(case.processor, "threshold", None)
    if case.family == "HandLandmarks" and threshold is not None and threshold > 0.5:
        yield (
            "the score of hand_landmarks_full_224, as it is in the camera's ROM, is never above 0.5, so threshold=%g finds"
            " no hand: use 0.5 or less" % threshold
        )


def _end_to_end(case):
    """The scores and class numbers of an integer end-to-end head share one scale."""
    if case.family not in _YOLO or not case.signature.rows:
        return
    for i, dtype, scale in case.integers():
        if not 1e-7 < scale < 1e3 or len(flat(case.shapes[i])) != 2:
            continue
        zero_point = case.zero_points[i]
        largest = (_RANGES[dtype][1] - zero_point) * scale
        if case.signature.head_layout is None and largest + 0.5 < case.signature.label_count - 1:
            yield (
                "output %d: the largest class number that it can express is %d and there are %d labels: export the model"
                " with %s, or with float outputs" % (i, largest, case.signature.label_count, _RAW_HEAD)
            )
        if i < len(case.outputs) and case.outputs[i].dtype != FLOAT and _without_scores(case, i, scale, zero_point):
            yield (
                "output %d: it has class numbers and every score is 0, as in 8-bit end-to-end heads of many classes:"
                " export the model with %s, or with float outputs" % (i, _RAW_HEAD)
            )


def _without_scores(case, index, scale, zero_point):
    """Whether one reading as rows has class numbers (larger than any score of a raw head) but no score above 0."""
    out = case.outputs[index]
    for layout in case.signature.rows:
        if layout.channels >= 6 and out.size == layout.channels * layout.anchors:
            score, number = layout.column(out, 4), layout.column(out, 5)
            if np.max(score) == zero_point == np.min(score) and (np.max(number) - zero_point) * scale > 1.5:
                return True
    return False


def _labels(case):
    if case.labels_error:
        yield case.labels_error + ": the .txt file beside the model needs one line per class, without blank ones"
        return
    if not case.family:
        return
    classes = case.signature.classes(case.family)
    count = case.signature.label_count
    expected = case.signature.expected_labels(case.family, getattr(case.processor, "class_count", None))
    if expected and (not classes or case.split_layout):
        yield "labels: expected %s, and there are %d: correct the .txt file beside the model" % (expected, count)
    elif expected:
        from .by_options import unless_unsupported

        yield (
            "labels: the head has %d classes and there are %d labels, so names are wrong or missing%s: the .txt file"
            " beside the model needs one line per class" % (classes, count, unless_unsupported(case.signature))
        )


def _large_map(case):
    """Without a post-processor the firmware returns float copies."""
    if case.processor is not None or case.kind:
        return
    for i, shape in enumerate(case.shapes):
        size = 4
        for n in shape:
            size *= n
        if size > _LARGE_COPY or not _can_be_allocated(size):
            yield (
                "output %d: without a post-processor predict copies it as %.1f MB of floats, more than the heap has in one"
                " piece: attach a post-processor (n6post.load does), which reads the model's own memory"
                % (i, size / 1e6)
            )


def _can_be_allocated(size):
    # Not by gc.mem_free(), which reads the whole heap and does not know the largest free piece.
    try:
        bytearray(size)
    except MemoryError:  # camera: memory-error: it is the answer
        return False
    return True


def _too_much_ram(case):
    ram = getattr(case.model, "ram", None) or 0
    if ram > _NPU_RAM:
        yield (
            "RAM: the model needs %.1f MiB and the NPU has 1.75 MiB; from the PSRAM it runs slowly or not at all: use a"
            " smaller input or a narrower network" % (ram / 1048576)
        )


# --- its inputs ---


def _ignored_scale(case):
    """Options of Normalization that integer inputs do not use: their quantization says which numbers pixels are."""
    dtypes = getattr(case.model, "input_dtype", None) or ()
    for i, (source, dtype) in enumerate(zip(case.sources, dtypes)):
        given = getattr(source, "_normalization", None)  # of Stretch, Crop and Letterbox
        if dtype not in ("b", "B") or given is None and picture_of(source) is None:
            continue
        low, high = [(q - case.model.input_zero_point[i]) * case.model.input_scale[i] for q in _RANGES[dtype]]
        for name, neutral in (("scale", (0, 1)), ("mean", (0, 0, 0)), ("stdev", (1, 1, 1))):
            value = getattr(source, name, neutral) if given is None else given.get(name, neutral)
            # A scale that says what the quantization does anyway is right.
            wanted = (low, high) if name == "scale" and tuple(value) != neutral else neutral
            if max([abs(a - b) for a, b in zip(value, wanted)]) > 0.01 * max(high - low, 1.0):
                yield (
                    "input %d: %s=%r has no effect, because the input is %s: its pixels become %.3g to %.3g by the"
                    " model's own quantization; leave %s out, and if the network was trained with other numbers, convert it"
                    " again with the same ones for calibration"
                    % (i, name, tuple(value), dtype_name(ord(dtype)), low, high, name)
                )


def _gray_frame(case):
    """A GRAYSCALE picture for a network of colors."""
    for i, (source, shape) in enumerate(zip(case.sources, case.inputs)):
        picture = picture_of(source)
        if picture is not None and _is_gray(picture) and len(shape) == 4 and shape[3] == 3:
            yield (
                "input %d: the picture is GRAYSCALE and the network, whose input is %s, was trained with colors: it may"
                " find little or nothing; set the camera to RGB565" % (i, tuple(shape))
            )


def _is_gray(picture):
    import image

    return picture.format() == image.GRAYSCALE


# --- its outputs ---


def _other_outputs(case):
    """The arrays are not the ones that the model describes."""
    if not case.has_outputs:
        return
    if len(case.outputs) != len(case.shapes):
        yield (
            "outputs: there are %d and the model describes %d: pass the whole list, as a post-processor gets it"
            % (len(case.outputs), len(case.shapes))
        )
    for i, (out, shape) in enumerate(zip(case.outputs, case.shapes)):
        if tuple(out.shape) != tuple(shape):
            yield (
                "output %d: its array is %s and the model says %s: pass the arrays of this model, in its order and not"
                " reshaped" % (i, tuple(out.shape), tuple(shape))
            )


def _float_copies(case):
    for i, dtype, _ in case.integers():
        if i < len(case.outputs) and case.outputs[i].dtype == FLOAT:
            yield (
                "output %d: its array is float although the model says '%s': predict ran without a post-processor and has"
                " dequantized it already; do not apply scale and zero point to it, or attach a post-processor, which gets"
                " the raw numbers" % (i, dtype)
            )


def _not_finite(case):
    for i, out in enumerate(case.outputs):
        if out.dtype == FLOAT and not all([bool(np.all(np.isfinite(part))) for part in _parts(out)]):
            yield (
                "output %d: it contains NaN or infinity, so the network's own arithmetic failed: check how the input is"
                " normalized, or convert the model again" % i
            )


def _constant(case):
    """Every number is the same, which is a valid result only of a map that shows one class."""
    if case.family == "DeepLab" and case.signature.map[2] < 2:
        return
    usual = case.family in (None, "MoveNet", "DeepLab") or case.family in _YOLO
    values = [_only_value(out) for out in case.outputs]
    for i, (out, value) in enumerate(zip(case.outputs, values)):
        if value is not None and (None not in values if not usual else not _is_unused_stride(case, i, values)):
            # Without an object, heatmaps are all 0, and so are end-to-end heads that were exported with nms=True. Raw heads
            # always have boxes.
            may_be_empty = case.family == "MoveNet" or case.signature is not None and case.signature.rows
            score = value - (0 if out.dtype == FLOAT or i >= len(case.zero_points) else case.zero_points[i])
            yield (
                "output %d: every number of it is %g, so%s the weights probably never reached the network's memory: write"
                " the model file to the camera again, and enable the NPU's RAM and caches if the firmware is your own"
                % (i, value, ", unless the scene is empty," if may_be_empty and not score else "")
            )


def _is_unused_stride(case, index, values):
    """Whether other strides of a split head vary. A network may never use a stride, for example that of large objects."""
    if not case.split_layout or len(values) != len(case.shapes):
        return False
    parts = case.split_layout.parts
    roles = [
        [part.scores[0] for part in parts],
        [part.boxes[0] for part in parts],
        [one for _, one, _ in case.split_layout.extras],
        [one for one, _ in case.split_layout.sums],
    ]
    return bool([1 for role in roles if index in role and [one for one in role if values[one] is None]])


def _split_head(case):
    """The numbers leave open which output is which, or are those of another family."""
    layouts = case.split_layout and case.signature.split.layouts
    if not layouts or [tuple(out.shape) for out in case.outputs] != [tuple(shape) for shape in case.shapes]:
        return
    from ..families.yolo import split_probe as probe

    try:
        tensors = [OutputTensor(case.model, i, out) for i, out in enumerate(case.outputs)]
    except ValueError:  # other checks say what is wrong
        return
    try:
        if len(layouts) > 1:
            probe.settle(layouts, tensors, case.outputs)
        elif not case.labels:
            probe.check_joined(layouts[0], tensors, case.outputs)
    except ValueError as error:
        yield "outputs: %s" % error


def _tiny_boxes(case):
    """Boxes in 0..1 that were read as pixels of the input."""
    processor = case.processor
    if processor is None and case.family in _YOLO[:3]:
        processor = getattr(__import__("n6post"), case.family)()  # the package loads a family on first use
    from ..families.yolo.yolov8 import YoloV8

    if not isinstance(processor, YoloV8) or type(processor).__name__ == "YoloV8Obb":
        return
    try:
        binding = processor._bind(case.model, case.outputs)
    except ValueError:  # other checks say what is wrong
        return
    if getattr(binding, "tensor", None) is None:
        return  # a split head that decodes boxes in pixels
    tensor = binding.outputs[case.split_layout.parts[0].boxes[0]] if case.split_layout else binding.tensor
    unit = tensor.scale
    if binding.unit_x > 1.5 * unit:
        return  # read as 0..1
    kept = binding.decoder.find(case.outputs)
    values, labels, _ = binding.decoder.buffers
    largest = 0.0
    for i in range(kept):
        at = labels[2, i]
        largest = max(largest, values[2, at] - values[0, at], values[3, at] - values[1, at])
    if 0.0 < largest * unit < 2.0:  # in 0..1 a box of the whole picture is about 1 wide
        yield (
            "output %d: all boxes above the threshold are smaller than 2 pixels of the input, because boxes in 0..1 were"
            " read as pixels: pass box_units='normalized'" % tensor.index
        )


def _refused(case):
    """The post-processor refuses the model or its outputs, and no other check has found out why."""
    processor = case.processor
    if case.findings or case.kind or processor is not None and not isinstance(processor, Processor):
        return
    try:
        if processor is None:
            processor = processor_for(case.model)
        if case.outputs:
            processor._bind(case.model, case.outputs)
    except ValueError as error:
        yield "outputs: %s" % error


def _only_value(array):
    """The value that every element has, or None."""
    first = None
    for part in _parts(array):
        low = np.min(part)
        if first is None:
            first = low
        if not first == low == np.max(part):  # also true for NaN
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
    _no_family,
    _several_families,
    _other_family,
    _absurd_scale,
    _coarse_scale,
    _hand_score,
    _end_to_end,
    _labels,
    _large_map,
    _too_much_ram,
    _ignored_scale,
    _gray_frame,
    _other_outputs,
    _float_copies,
    _not_finite,
    _constant,
    _split_head,
    _tiny_boxes,
    _refused,
)
