"""From a model to its post-processor: `processor_for` and `load`, told from shapes, dtypes and labels alone.

Each family has one row in _FAMILIES with a function that reads the outputs in its own way and answers with
(certain, what the model would be), or None. The one family that is certain is the answer, or the only one
that answers at all; where two are left it is for the user to say.
"""

from micropython import const

from .joints import pose_classes
from .labels import class_name
from .layout import are_joints, flat, head_layouts, input_size, like_input, map_layout, output_shapes
from .options import name_list

_COCO_CLASSES = const(80)
_COCO_JOINTS = const(17)
_HEATMAPS = (13, 17)  # joints of ST's and Google's MoveNet
_ROWS = const(300)  # of end-to-end heads where nobody said otherwise
_COLUMNS = const(405)  # of 133 keypoints, COCO-WholeBody's
_SKELETONS = (14, 15, 16, 18, 20, 21, 25, 33)  # joints of LSP, MPII, OpenPose, hands, BODY_25, BlazePose


def processor_for(model, **options):
    """The post-processor for a model, a YoloV8, YoloV8Seg, YoloV8Pose, MoveNet or DeepLab with these options.

    model   what tells: input_shape, output_shape, labels (or the option `labels`); nothing is run
    A model takes it per call, `model.predict([img], callback=process)`; `load` attaches it.
    ValueError where no family fits, and where two do: then labels, one a class, tell, or the constructor. Also at once for
    labels of another number than the model has classes (or joints), and for a class that it does not have.
    """
    return _processor(model, options)


def _processor(model, options, source=None):
    # `source`: the file that options["labels"] came from, if it is not the script that gave them.
    given = options.get("labels")
    if source is None:
        source = "the model's labels" if given is None else given if isinstance(given, str) else "labels"
    family, shapes = told(model, given)
    if shapes.named:
        # The firmware does not show a model's labels to a post-processor: they have to go in here.
        options["labels"] = None if shapes.names_joints(family) else shapes.names
    processor = getattr(__import__("n6post"), family)(**options)  # the package loads a family on first use
    wanted = shapes.wanted_names(family, options.get("class_count"))
    if wanted:
        raise ValueError("%s: expected %s, got %d" % (source, wanted, shapes.named))
    _look_up_classes(family, shapes, processor)
    return processor


def _look_up_classes(family, shapes, processor):
    """ValueError for a class that the model does not have, as its first frame would raise it."""
    wanted = getattr(processor, "classes", None)
    background = getattr(processor, "background", None)
    if wanted is None and not isinstance(background, str):
        return
    names = _class_names(family, shapes, processor)
    if not names:
        return
    from .names import class_number, classes

    if wanted is None:
        class_number("background", background, names)
    else:
        if shapes.rows:  # how many classes an end-to-end head has it does not tell
            wanted = [one for one in wanted if isinstance(one, str)]
        classes("classes", wanted, len(names), lambda class_id: names[class_id])


def _class_names(family, shapes, processor):
    """The names of all classes; None where only a frame tells how many there are."""
    names = processor.labels
    count = shapes.classes(family)
    if family == "YoloV8Pose":
        count = processor.class_count or len(names or " ")
        channels = shapes.head[0] if shapes.head else 0
        if not names and count == 1 and (channels == 5 + 3 * _COCO_JOINTS or shapes.is_row(6 + 3 * _COCO_JOINTS)):
            return ["person"]
    elif family == "DeepLab" and count is None:  # one channel, or class numbers
        count = 2
        if names and len(names) == 1:
            return ["background", names[0]]
    return names or count and [class_name(i, count, family == "DeepLab") for i in range(count)]


class Chosen:
    """A post-processor that is chosen once the model is open: `processor` does the work.

    `ml.Model` takes its post-processor when it opens the file and never another one (modules/py_ml.c), but
    what fits is told from the open model; opening it twice would take its memory twice.
    """

    def __init__(self, processor=None):
        self.processor = processor

    def __call__(self, model, inputs, outputs):
        return self.processor(model, inputs, outputs)


def load(path, **options):
    """`ml.Model(path)` with the post-processor that fits, and the model's labels in it.

    They are, without the option `labels`, the lines of the .txt beside it: UTF-8, one name a line, as many as it has
    classes. The processor itself is `model.postprocess.processor`. ValueError as for `processor_for`, and for a file of
    labels that is not so: it names the file, and the line.
    """
    import ml

    source = None
    if options.get("labels") is None:
        # The firmware reads it too, but keeps quiet about a file that is no UTF-8, and hands a byte order mark over.
        from .names import beside

        source, options["labels"] = beside(path)
        if options["labels"] is None:
            source = None
    chosen = Chosen()
    model = ml.Model(path, postprocess=chosen)
    chosen.processor = _processor(model, options, source)
    return model


def told(model, labels=None):
    """(family, Shapes): the name of the only constructor that fits. ValueError otherwise."""
    shapes = Shapes(model, labels)
    found = fitting(shapes)
    if len(found) == 1:
        return found[0][0], shapes
    came = " and ".join(["%s %s" % (shape, dtype) for shape, dtype in zip(shapes.outputs, shapes.dtypes)])
    if found:
        raise ValueError(
            "%s fits %s: give labels, one a class, or choose %s"
            % (
                came,
                " and ".join(["%s (%s)" % one for one in found]),
                " or ".join(["ml.Model(path, postprocess=n6post.%s())" % family for family, _ in found]),
            )
        )
    from .heads import stranger

    raise ValueError(
        "expected a YOLOv8 head [1, C, N] or [1, N, C] or an end-to-end head [1, rows, 6 or more], alone or with prototypes"
        " [1, H, W, M], heatmaps [1, H, W, joints], joints [1, 1, joints, 3] or a class map [1, H, W, classes], that belongs"
        " to an input of (width, height) %s, got %s%s"
        % (shapes.size, came, "".join([stranger(shape, shapes.size) for shape in shapes.outputs]))
    )


def fitting(shapes):
    """[(family, what the model would be)]: the certain one, where there is one, else all that fit."""
    fits = []
    sure = []
    for family, reads in _FAMILIES:
        answer = reads(shapes)
        if answer:
            (sure if answer[0] else fits).append((family, answer[1]))
    return sure or fits


class Shapes:
    """What tells families apart.

    outputs, dtypes   of all outputs; size: (width, height) of the input
    names, named      the labels, and how many there are; 0: none known
    joints_named      whether the labels are those of joints
    head              (channels, anchors) of the output that is a raw YOLOv8 head, or None
    rows              (columns, rows) in the orders that an end-to-end head may have, if one output may be such a head
    map               (width, height, channels) of the output that is a map, or None; channels 0: arg-maxed
    """

    def __init__(self, model, labels=None):
        self.outputs = output_shapes(model)
        self.dtypes = list(getattr(model, "output_dtype", None) or "?" * len(self.outputs))
        self.size = input_size(model)
        if labels is None:
            labels = getattr(model, "labels", None)
        names = name_list("labels", labels or None) or []
        self.names = names
        self.named = len(names)
        self.joints_named = any(["shoulder" in name for name in names])
        self.head = None
        self.rows = []
        self.map = None
        for shape in self.outputs:
            layouts = head_layouts(shape, self.size)
            if layouts:
                channels, anchors, channels_first = layouts[0]
                self.head = channels, anchors
                self.rows = [] if channels_first or anchors > _ROWS else [(channels, anchors)]
                continue
            dims = flat(shape)
            # [1, 6] and [1, 1, 1, 6] are a classifier's.
            if dims and self.size and not are_joints(shape) and len(shape) > 2 and (len(shape) == 3 or min(dims) > 1):
                self.rows = [(dims[1], dims[0]), dims]
            self.map = _as_map(shape, self.size) or self.map

    def names_joints(self, family):
        """Whether the labels are those of a YOLOv8-pose model's keypoints, which its constructor does not take."""
        if family != "YoloV8Pose":
            return False
        raw = self.head and pose_classes(self.head[0], self.named) == 0
        return bool(raw) or 0 in [pose_classes(columns, self.named, 6) for columns, _ in self.rows]

    def wanted_names(self, family, class_count=None):
        """What labels the model would need, as text; None where there are none, or those that there are will do."""
        named = self.named
        if not named or self.names_joints(family):
            return None
        if family == "MoveNet":
            joints = self.map[2] if self.map else self.outputs[0][2]
            return None if named in (1, joints) else "one name or %d, one a joint" % joints
        classes = class_count if family == "YoloV8Pose" and self.head else self.classes(family)
        return None if classes in (None, named) else "%d, one a class" % classes

    def is_row(self, columns):
        """Whether there may be an end-to-end head of so many columns."""
        return columns in [n for n, _ in self.rows]

    def classes(self, family):
        """How many classes or, None, that family has none, does not tell or hides them among keypoints."""
        if family in ("YoloV8", "YoloV8Seg"):
            more = self.map[2] if family == "YoloV8Seg" else 0
            return self.head[0] - 4 - more if self.head and not self.is_row(6 + more) else None
        if family == "DeepLab" and self.map[2] > 1:
            return self.map[2]
        return None


def _as_map(shape, size):
    """(width, height, channels) where two neighbouring dimensions have the input's aspect ratio.

    A single row or column is no map: scores of a classifier, [1, 1, 1, K], with dimensions that converters add.
    """
    if size is None:
        return None
    if len(shape) == 3 and shape[0] == 1:
        return (shape[2], shape[1], 0) if min(shape[1:]) > 1 and like_input(shape[2], shape[1], size) else None
    try:
        found = map_layout(shape, size)[:3]
    except ValueError:
        return None
    return found if min(found[:2]) > 1 else None


# --- how each family reads the outputs: (certain, what the model would be) or None ---


def _detector(m):
    if len(m.outputs) != 1:
        return None
    if m.head is None:
        return (True, "an end-to-end detector") if m.is_row(6) else None
    classes = m.head[0] - 4
    if classes < 1:
        return None
    if m.named:
        sure = m.named == classes
    else:
        sure = classes == _COCO_CLASSES or _pose(m) is None
    return sure, "a detector of %d class%s" % (classes, "es" if classes > 1 else "")


def _segmenter(m):
    if len(m.outputs) != 2 or m.map is None or not 8 <= m.map[2] <= 64:
        return None
    classes = m.head[0] - 4 - m.map[2] if m.head else 0
    if classes > 0:
        return True, "a segmenter of %d classes" % classes
    return (True, "an end-to-end segmenter") if m.is_row(6 + m.map[2]) else None


def _pose(m):
    if len(m.outputs) != 1:
        return None
    if m.head:
        classes = pose_classes(m.head[0], m.named) or 1
        values = m.head[0] - 4 - classes
        joints = values // 3
        # One keypoint without labels: a detector of four classes is so much more usual that it is no doubt.
        if values % 3 == 0 and joints >= (1 if m.named else 2):
            sure = joints == _COCO_JOINTS or m.named == 1 or m.named == joints and classes == 1
            return sure, "%d class%s with %d keypoints" % (classes, "es" if classes > 1 else "", joints)
    if not m.rows:
        return None
    columns, rows = m.rows[0]
    if m.is_row(6 + 3 * _COCO_JOINTS):
        columns = 6 + 3 * _COCO_JOINTS  # in either order; of others the transpose, 300 columns, would be 98 keypoints
    elif not 1 < rows <= _ROWS or columns > _COLUMNS or columns % 3 or columns < 9:  # one row is rather a classifier's
        return None
    joints = columns // 3 - 2
    sure = m.named in (1, joints) or joints == _COCO_JOINTS and not m.head
    return sure, "an end-to-end head of %d keypoints" % joints


def _heatmaps(m):
    if len(m.outputs) != 1 or m.head:
        return None
    if are_joints(m.outputs[0]):
        return True, "%d joints as y, x, score" % m.outputs[0][2]
    if m.map is None:
        return None
    width, height, joints = m.map
    if (width, height) == m.size:
        return None  # heatmaps are smaller than the input
    quarter = (width, height) == (m.size[0] // 4, m.size[1] // 4)
    if joints not in _HEATMAPS and not (quarter and joints in _SKELETONS):
        return None
    sure = m.joints_named or m.named == 1 or (quarter and joints in _HEATMAPS and m.named != joints)
    return sure, "heatmaps of %d joints" % joints


def _class_map(m):
    if len(m.outputs) != 1 or m.head or m.map is None or are_joints(m.outputs[0]):
        return None
    classes = m.map[2]
    if classes == 0 and m.is_row(6):
        return None  # no map is 6 pixels wide
    if classes < 2:
        return True, "a class map" if classes == 0 else "a map of one class"
    heatmaps = _heatmaps(m)
    sure = heatmaps is None or (m.named == classes and not m.joints_named)
    return sure, "a map of %d classes" % classes


# Constructor, and how it reads a model.
_FAMILIES = (
    ("YoloV8", _detector),
    ("YoloV8Seg", _segmenter),
    ("YoloV8Pose", _pose),
    ("MoveNet", _heatmaps),
    ("DeepLab", _class_map),
)
