"""Tiles: a small network that looks at parts of the frame in turns, to find what is too small for it in the whole frame.

    people = n6post.Tiles(n6post.load("/rom/yolov8n_192.tflite"), columns=3, rows=2)
    n6post.draw(img, people.predict(img))

This is SAHI's sliced inference (see results/merge.py), spread over several frames.
"""

from ..inputs.resize import Crop, source_of
from ..results.detection import Detection
from ..results.merge import merged, with_others
from ..tensors.options import Configurable, Options, flag, number


def tiles(img, *, columns=2, rows=2, overlap=0.2):
    """Return rects (x, y, w, h) that cover a frame, row by row from the upper left, each a `roi` for Letterbox or Stretch.

    img             the frame, or its (width, height)
    columns, rows   1..16
    overlap         part of a tile that it shares with its neighbor, 0..0.9: an object that is not larger than this lies
                    whole in one of them

    All have the same size. ValueError for a frame with fewer pixels than tiles, and for numbers out of range.
    """
    number("columns", columns, 1, 16)
    number("rows", rows, 1, 16)
    number("overlap", overlap, 0.0, 0.9)
    return _cover((0, 0) + _size_of(img), columns, rows, overlap)


def _size_of(img):
    try:
        width, height = (img.width(), img.height()) if getattr(img, "width", None) else img
    except (TypeError, ValueError):
        width = height = None
    if type(width) is not int or type(height) is not int or not 0 < width <= 65535 or not 0 < height <= 65535:
        raise ValueError("img: expected a frame or its (width, height), got %r" % (img,))
    return width, height


def _cover(roi, columns, rows, overlap):
    """`tiles` of a part of the frame."""
    x, y, width, height = roi
    if width < columns or height < rows:
        raise ValueError("expected at least a pixel for each tile, got %d x %d tiles of %r" % (columns, rows, roi))
    across = _starts(width, columns, overlap)
    w = across.pop()
    down = _starts(height, rows, overlap)
    h = down.pop()
    return [(x + left, y + top, w, h) for top in down for left in across]


def _starts(length, count, overlap):
    """Where each of `count` tiles begins along a side of this length, and then the length of them all. In integers."""
    share = 1000 * count - (count - 1) * int(1000 * overlap + 0.5)  # of the side, in thousandths of a tile
    one = -(-1000 * length // share)
    return [(i * (length - one) + (count - 1) // 2) // (count - 1 or 1) for i in range(count)] + [one]


class Tiles(Configurable):
    """A model that looks at tiles of the frame in turns, so that it finds objects that are small in the frame.

    model   read-only

    `predict` looks at some tiles and returns the detections of all: those of the others are from earlier frames, until it is
    their turn again. Detections of different tiles that overlap are joined, as by `n6post.merge`. Two detections of one tile
    are different objects and are never joined. If an object lies in a tile, its box is that of the tile, which is more exact
    than that of the whole frame.

    ValueError for something else than a model, and for options out of range.
    """

    _option = Options()
    columns = _option("columns", 2, number, 1, 16)
    rows = _option("rows", 2, number, 1, 16)
    overlap = _option("overlap", 0.2, number, 0.0, 0.9)
    whole_frame = _option("whole_frame", True, flag)
    tiles_per_frame = _option("tiles_per_frame", 1, number, 1, 257)
    overlap_threshold = _option("overlap_threshold", 0.5, number, 0.001, 1.0)
    class_agnostic = _option("class_agnostic", False, flag)

    def __init__(self, model, *more, **options):
        if more:
            raise TypeError("Tiles: expected one model, got %d arguments" % (1 + len(more)))
        super().__init__(**options)
        if not callable(getattr(model, "predict", None)):
            raise ValueError("model: expected a model, as n6post.load returns it, got %s" % type(model).__name__)
        self._model = model
        self.reset()

    def _start_over(self):
        self.reset()

    @property
    def model(self):
        """The model, whose `predict` returns a list of Detection."""
        return self._model

    @property
    def rois(self):
        """The tiles (x, y, w, h) of the last frame, in the order of their turns; [] before the first `predict`."""
        return list(self._state[1])

    @property
    def turn(self):
        """The index in `rois` of the tile that is next. 0: all tiles have had their turn."""
        return self._state[3]

    def reset(self):
        """Forget the detections of all tiles, for example when the scene changes."""
        self._state = None, (), (), 0  # (kind, roi, frame size), tiles, detections of each tile, index of the next one

    def predict(self, img):
        """Run the model on the next `tiles_per_frame` tiles; returns the detections of all tiles in frame pixels.

        img     the frame, RGB565 or GRAYSCALE, or a list of it. Its tiles are letterboxed; pass `n6post.Stretch(img)` to
                stretch them, and `n6post.Letterbox(img, roi=...)` to look at a part of the frame only

        The best detection comes first. ValueError for `n6post.Crop`, which would cut off the ends of each tile, and for a
        model that returns something else than a list of Detection.
        """
        source = source_of(img)
        if isinstance(source, Crop):
            raise ValueError("img: expected a frame, Letterbox or Stretch, got Crop, which cuts off the ends of tiles")
        img = source.image
        kind = type(source)
        key = kind, source.roi, (img.width(), img.height())
        last, rois, answers, turn = self._state
        if last != key:
            rois = _cover(source.roi, self.columns, self.rows, self.overlap)  # type: ignore[assignment]
            if self.whole_frame and len(rois) > 1:
                rois.append(source.roi)
            answers, turn = ((),) * len(rois), 0  # type: ignore[assignment]
        answers = list(answers)  # type: ignore[assignment]  # a copy: if the model fails, nothing has changed
        for _ in range(min(self.tiles_per_frame, len(rois))):
            found = self._model.predict([kind(img, roi=rois[turn], **source._normalization)])
            if not isinstance(found, list) or [d for d in found if not isinstance(d, Detection)]:
                raise ValueError("the model: expected a list of Detection, got %r" % (found,))
            answers[turn] = found  # type: ignore[index]
            turn = (turn + 1) % len(rois)
        detections, origins, others = [], [], []
        for i in range(len(answers)):
            for d in answers[i]:
                if i and rois[i] == source.roi and _is_inside_one(d[0], rois[:i]):
                    others.append(d)  # a tile shows this object whole and larger, so its box is more exact
                else:
                    detections.append(d)
                    origins.append(i)
        found = merged(detections, origins, self.overlap_threshold, False, self.class_agnostic)
        if others:
            found = with_others(found, others, self.overlap_threshold, self.class_agnostic)
        self._state = key, rois, answers, turn  # type: ignore[assignment]
        return found


def _is_inside_one(rect, rois):
    x, y, w, h = rect
    for left, top, across, down in rois:
        if left <= x and top <= y and x + w <= left + across and y + h <= top + down:
            return True
    return False
