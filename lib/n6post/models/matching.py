"""Finds the post-processor for a model: `processor_for` and `load`. Shapes, dtypes and labels decide,
and where these leave it open, options (by_options.py).

families/recognition.py says how a family is recognized. The five families that most scripts use are asked first. The others
are asked, and imported, only if none of the five is certain, or if its outputs may be those of another family.
"""

from micropython import const

from ..families.recognition import is_common, label_counts, more_readings, readings
from ..inputs.transform import input_size
from ..tensors.head_layout import head_layouts, map_layout, row_layouts
from ..tensors.keypoints import pose_classes
from ..tensors.label_sets import class_name
from ..tensors.options import name_list
from ..tensors.shapes import are_keypoints, is_text_shape, output_shapes, same_aspect_ratio

# Copied by scripts/dev/generate.py from families/yolo/yolov8.py:
_COCO_CLASSES = const(80)

# Copied by scripts/dev/generate.py from families/yolo/layout_probe.py:
_MOST_ROWS = const(300)

_COCO_KEYPOINTS = const(17)
_LIMITS = {"b": (-128, 127), "B": (0, 255), "h": (-32768, 32767), "H": (0, 65535)}


def processor_for(model, **options):
    """Return the post-processor for a model: that of the family that fits, such as a YoloV8, with these options.

    model   its input_shape, output_shape and labels (or the option `labels`) decide; it does not run

    Pass the result to each call, `model.predict([img], callback=process)`. `load` attaches it to the model instead.

    An option that only some families have rules out the others: with `anchors` it is no DeepLab, with `top_k` no Embedding.

    ValueError if no family fits, or if two do: then pass labels, one per class, or use a constructor. Also if the number of
    labels is not the number of classes (or keypoints), and for a class that the model does not have. TypeError if no family
    that fits has all of the options.
    """
    return _processor(model, options)


def _processor(model, options, source=None, match=None):
    # `source`: the file that options["labels"] was read from, if the script did not set them. `match`: as match_family
    # returns it, once the options have decided.
    labels = options.get("labels")
    if source is None:
        source = "the model's labels" if labels is None else labels if isinstance(labels, str) else "labels"
    family, signature = match or match_family(model, labels, options)
    if signature.label_count:
        # The firmware does not show a model's labels to a post-processor, so they are passed as an option.
        options["labels"] = None if signature.labels_name_keypoints(family) else signature.labels
    elif labels is None:
        options.pop("labels", None)  # some families have no such option
    refusal = None
    try:
        processor = getattr(__import__("n6post"), family)(**options)  # the package loads a family on first use
    except (TypeError, ValueError) as error:
        refusal = error
    if refusal:
        from .by_options import family_with

        match = family_with(model, labels, options, family, refusal)
        options["labels"] = labels
        return _processor(model, options, source, match)
    expected = signature.expected_labels(family, options.get("class_count"))
    if expected:
        from .by_options import unless_unsupported

        unless = unless_unsupported(signature)
        raise ValueError("%s: expected %s%s, got %d" % (source, expected, unless, signature.label_count))
    look_up_classes(family, signature, processor)
    return processor


def look_up_classes(family, signature, processor):
    """ValueError for a class that the model does not have, as its first frame would raise it."""
    classes = getattr(processor, "classes", None)
    background = getattr(processor, "background", None)
    if classes is None and not isinstance(background, str):
        return
    names = _class_names(family, signature, processor)
    if not names:
        return
    if classes is None:
        from ..tensors.labels import class_number

        class_number("background", background, names)
        return
    if signature.rows:  # an end-to-end head does not show how many classes it has
        classes = [one for one in classes if isinstance(one, str)]
    from ..tensors import labels

    labels.classes("classes", classes, len(names), lambda class_id: names[class_id])


def _class_names(family, signature, processor):
    """The names of all classes; None if only a frame shows how many there are."""
    names = processor.labels
    if signature.split:
        return signature.split.class_names(names)
    count = signature.classes(family)
    if family == "YoloV8Pose":
        count = processor.class_count or len(names or " ")
        channels = signature.head_layout.channels if signature.head_layout else 0
        has_17 = channels == 5 + 3 * _COCO_KEYPOINTS or signature.may_have_rows(6 + 3 * _COCO_KEYPOINTS)
        if not names and count == 1 and has_17:
            return ["person"]
    elif family == "DeepLab" and count is None:  # one channel, or class numbers
        count = 2
        if names and len(names) == 1:
            return ["background", names[0]]
    elif names and count and len(names) > count:  # of a family whose labels may have a name for the background, too
        return names[-count:]
    return names or count and [class_name(i, count, family == "DeepLab") for i in range(count)]


class DeferredProcessor:
    """A post-processor that is chosen after the model was opened. `processor` does the work.

    `ml.Model` takes its post-processor when it opens the file and never another one (modules/py_ml.c), but the
    right one is known only from the opened model. Opening it twice would take its memory twice.
    """

    def __init__(self, processor=None):
        self.processor = processor

    def __call__(self, model, inputs, outputs):
        return self.processor(model, inputs, outputs)


def load(path, *, processor=None, **options):
    """Open `ml.Model(path)` with the post-processor that fits and the model's labels in it.

    path        the model's file
    processor   a post-processor of your own instead: any function or object that can be called with (model, inputs,
                outputs), or one of n6post's, such as `YoloV8(classes=["person"])`. `predict` returns what it returns. If
                its attribute `labels` is None, it is set to the labels. Give options to the processor itself

    Without the option `labels`, the labels are read from the .txt file beside the model: UTF-8, with one name per line and
    one line per class. The processor itself is `model.postprocess.processor`; with `processor=`, `model.postprocess`.

    ValueError as for `processor_for`, for a .txt file that cannot be used, whose line the message names, and for a processor
    that cannot be called. TypeError for options beside `processor=`. OSError for a file
    that cannot be read, and RuntimeError for one that the camera cannot run.
    """
    import ml

    if processor is not None:
        from .own_processor import load_with

        return load_with(ml.Model, path, processor, options)
    source = None
    if options.get("labels") is None:
        # The firmware reads the file too, but ignores one that is not UTF-8, and keeps a byte order mark.
        from ..tensors.labels import labels_beside_model

        source, options["labels"] = labels_beside_model(path)
        if options["labels"] is None:
            source = None
    deferred = DeferredProcessor()
    try:
        model = ml.Model(path, postprocess=deferred)
    except (OSError, RuntimeError) as error:
        from ..tensors.errors import model_refused

        raise model_refused(path, error) from None
    deferred.processor = _processor(model, options, source)
    return model


def match_family(model, labels=None, options=()):
    """(family, ModelSignature): the name of the only constructor that fits. ValueError if none or several fit.

    options     those of the script, which decide if several fit or none
    """
    signature = ModelSignature(model, labels)
    fits = matching_families(signature)
    if len(fits) != 1:
        from .by_options import decide

        fits = decide(signature, fits, options)
    family = fits[0][0]
    if signature.split and not is_common(family):
        signature.split = None  # the maps are those of another family
    return family, signature


def matching_families(signature):
    """[(family, description of the model)]: the one that is certain, or else all that fit."""
    fits = []  # (rank, family, description)
    split = signature.split
    if split:
        fits = [(1,) + one for one in split.fits]
    else:
        fits = readings(signature)
    if not _is_clear(signature, fits):
        fits.extend(more_readings(signature))
        from ..families.unsupported import recognized

        rank, name, remedy = recognized(signature)
        if rank > max([one[0] for one in fits] + [0]):
            signature.unsupported = name, remedy
            return []
    highest = max([one[0] for one in fits]) if fits else 0
    return [one[1:] for one in fits if one[0] == highest]


def _is_clear(signature, fits):
    """Whether one of the five families is certain, and no other family has such outputs."""
    certain = [family for rank, family, _ in fits if rank]
    if not certain:
        return False
    labels = signature.label_count
    if signature.split:
        counts = signature.split.class_counts()
        return not signature.split.is_joined() or (labels in counts if labels else counts == [_COCO_CLASSES])
    if signature.head_layout:
        # YOLOX and YOLO-D have one channel more, NanoDet 32 instead of 4.
        return bool(labels) or signature.head_layout.channels not in (5 + _COCO_CLASSES, 32 + _COCO_CLASSES)
    if certain[0] == "YoloV8":  # an end-to-end head, whose rows come first as a rule
        rows = signature.rows[0]
        return rows.anchors <= _MOST_ROWS and rows.channels == 6
    if certain[0] == "DeepLab":
        # FOMO and YOLOv2 have a cell for each 8 or more pixels of the input, and depth maps have one channel.
        # Steps and characters of a text may have the aspect ratio of its input.
        width, _, channels = signature.map
        text = is_text_shape(signature.shapes[0], signature.size)
        return not text and channels != 1 and (signature.size[0] % width or signature.size[0] // width < 8)
    return True


class ModelSignature:
    """What distinguishes the families: a model's shapes, dtypes and labels.

    shapes              of all outputs
    dtypes              of all outputs
    size                (width, height) of the input
    labels              the labels, [] if there are none
    label_count         how many labels there are
    names_keypoints     whether the labels are names of keypoints
    head_layout         the HeadLayout of the output that is a raw YOLOv8 head, or None
    rows                [HeadLayout]: every order that an end-to-end head may have, if an output may be one
    map                 (width, height, channels) of the output that is a map, or None; 0 channels: class numbers
    unsupported         (name, remedy) of the network, if matching_families has recognized it and no family decodes it
    split               the SplitSignature of a split head's outputs, or None; then head_layout, rows and map are empty
    anchors             how many anchors of a cell the option `anchors` has, once the options decide; 0 without it
    """

    anchors = 0

    def __init__(self, model, labels=None):
        self._model = model
        self.unsupported = None
        self.shapes = output_shapes(model)
        self.dtypes = list(getattr(model, "output_dtype", None) or "?" * len(self.shapes))
        self.size = input_size(model)
        if labels is None:
            labels = getattr(model, "labels", None)
        self.labels = name_list("labels", labels or None) or []
        self.label_count = len(self.labels)
        self.names_keypoints = any(["shoulder" in name for name in self.labels])
        self.head_layout = None
        self.rows = []
        self.map = None
        for shape in self.shapes:
            self._read_shape(shape)
        self.split = None
        count = len(self.shapes)
        if count > 2 or count == 2 and not (self.map and (self.head_layout or self.rows)):
            from ..families.yolo.split_signature import split_signature

            self.split = split_signature(self.shapes, self.size, self.label_count, self.range)
            if self.split:
                self.head_layout = self.map = None
                self.rows = []

    def _read_shape(self, shape):
        layouts = head_layouts(shape, self.size)
        if layouts:
            self.head_layout = layout = layouts[0]
            self.rows = [] if layout.channels_first or layout.anchors > _MOST_ROWS else [layout]
            return
        layouts = row_layouts(shape)
        if layouts and self.size and not are_keypoints(shape):
            # [1, 6] and [1, 1, 1, 6] are a classifier's.
            if len(shape) == 3 or len(shape) > 3 and min(layouts[0][:2]) > 1:
                self.rows = layouts
        self.map = _as_map(shape, self.size) or self.map

    def range(self, index):
        """(least, largest) number that an integer output can express; None for floats and for models that do not say it."""
        limits = _LIMITS.get(self.dtypes[index])
        try:
            scale, zero_point = self._model.output_scale[index], self._model.output_zero_point[index]
            return limits and ((limits[0] - zero_point) * scale, (limits[1] - zero_point) * scale)
        except (AttributeError, IndexError, TypeError):
            return None

    def outputs_text(self):
        """Shape and dtype of every output, for error messages."""
        return " and ".join(["%s %s" % output for output in zip(self.shapes, self.dtypes)])

    def labels_name_keypoints(self, family):
        """Whether the labels are those of a YOLOv8-pose model's keypoints, which its constructor does not take."""
        if family != "YoloV8Pose":
            return False
        if self.split:
            return self.split.labels_name_keypoints()
        raw = self.head_layout and pose_classes(self.head_layout.channels, self.label_count) == 0
        return bool(raw) or 0 in [pose_classes(rows.channels, self.label_count, 6) for rows in self.rows]

    def expected_labels(self, family, class_count=None):
        """The labels that the model needs, as text; None if it has no labels, or the right number of them."""
        count = self.label_count
        if not count or self.labels_name_keypoints(family):
            return None
        if self.split:
            return self.split.expected_labels()
        if family == "MoveNet":
            keypoint_count = self.map[2] if self.map else self.shapes[0][2]
            return None if count in (1, keypoint_count) else "one name or %d, one per keypoint" % keypoint_count
        classes = class_count if family == "YoloV8Pose" and self.head_layout else self.classes(family)
        if classes in (None, count):
            return None
        counts = [classes] if is_common(family) else label_counts(family, self)
        return None if count in counts else "%s, one per class" % " or ".join([str(one) for one in counts])

    def may_have_rows(self, columns):
        """Whether an output may be an end-to-end head with this number of columns."""
        return columns in [rows.channels for rows in self.rows]

    def classes(self, family):
        """The number of classes; None if the family has none, or if the shapes do not show it."""
        if self.split:
            counts = self.split.class_counts()
            return counts[0] if len(counts) == 1 else None
        if family in ("YoloV8", "YoloV8Seg"):
            coefficients = self.map[2] if family == "YoloV8Seg" else 0
            if not self.head_layout or self.may_have_rows(6 + coefficients):
                return None
            return self.head_layout.channels - 4 - coefficients
        if family == "DeepLab" and self.map[2] > 1:
            return self.map[2]
        if is_common(family):
            return None
        counts = label_counts(family, self)
        return counts[0] if counts else None


def _as_map(shape, size):
    """(width, height, channels) if two neighboring dimensions have the input's aspect ratio, else None.

    A single row or column is not a map: [1, 1, 1, K] are a classifier's scores, with dimensions that converters add.
    """
    if size is None:
        return None
    if len(shape) == 3 and shape[0] == 1:
        return (shape[2], shape[1], 0) if min(shape[1:]) > 1 and same_aspect_ratio(shape[2], shape[1], size) else None
    try:
        width, height, layout = map_layout(shape, size)
    except ValueError:
        return None
    return (width, height, layout.channels) if min(width, height) > 1 else None
