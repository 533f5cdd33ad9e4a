"""Detection: one object or person. The YOLO families and MoveNet return a list of them, best first."""

from collections import namedtuple

from micropython import const

from ..tensors.lazy import later
from ..tensors.options import number

FIELDS = ("rect", "score", "class_id", "label", "mask", "keypoints")

# What Detection._track has: what a Tracker knows of it, then the velocity x and y of the track, in 1/256 pixel in 80 ms, and
# the tracker's TrackMemory.
_TRACK_ID = const(0)
_AGE = const(1)  # time since the first detection of the track, in 1/3200 s
_MISSED = const(2)  # time since the last one: above 0 the detection only coasts
_MEMORY = const(5)
NO_TRACK = None, None, None, None, None, None
SECOND = const(3200)  # in times of a track
PER_SECOND = 12.5 / 256  # a track's velocity of 1, in pixels a second
# What Detection._source has. Only an oriented box has corners: if `len(d._source) > _CORNERS`.
_FRAME_SIZE = const(0)
_THRESHOLD = const(1)  # of keypoints
_CORNERS = const(2)  # (a table of corners, their row in it, the rect that they belong to), as results/oriented.py takes them

set_attribute = object.__setattr__  # past Detection.__setattr__


class Detection(namedtuple("Detection", ("rect", "score", "class_id", "label", "mask", "keypoints"))):
    """One object or person, as a tuple with names.

    rect        (x, y, w, h), ints, frame pixels, clipped to the frame
    score       0..1 (a quantized network may give a little more than 1)
    class_id    class number
    label       name of the class, or its number as text
    mask        a Mask (YoloV8Seg), else None
    keypoints   float array (K, 3): x and y in frame pixels, and a score, 1.0 if the network gives none; or None

    It also has `track_id`, `age`, `missed`, `velocity`, `frame_size`, `keypoint_threshold` and `corners`, which are not part
    of the tuple. They are kept by `replace`, by a Tracker and by everything else that makes a detection from another.
    """

    # No more than two attributes, because a third would take another 32 bytes of each detection; only the few that have a
    # result take them. Without corners, all detections of a processor share one _source.
    _track = NO_TRACK  # type: ignore[assignment]
    _source = (None, 0.3)  # type: tuple  # type: ignore[assignment]
    _result = None

    @property
    def track_id(self):
        """The number of its track: 1, 2, 3, ... for detections that a Tracker returns; else None. It may be assigned."""
        return self._track[_TRACK_ID]

    @track_id.setter
    def track_id(self, value):
        value = _checked_track_id(value)
        set_attribute(self, "_track", NO_TRACK if value is None else (value,) + self._track[_AGE:])

    @property
    def age(self):
        """Seconds since the first detection of its track, 0.0 for that one; None without a track."""
        age = self._track[_AGE]
        return age if age is None else age / SECOND

    @property
    def missed(self):
        """Seconds since the last detection of its track; None without a track.

        0.0 for an object that was detected. Above 0 the detection is a prediction, for one that was not (`Tracker.coast`).
        """
        missed = self._track[_MISSED]
        return missed if missed is None else missed / SECOND

    @property
    def velocity(self):
        """The velocity (x, y) of its track, pixels a second; None without a track."""
        _, _, _, vx, vy, _ = self._track
        return vx if vx is None else (PER_SECOND * vx, PER_SECOND * vy)

    @property
    def data(self):
        """A dict of its track, for whatever a script wants to remember of it: `d.data["greeted"] = True`.

        It is empty when it is first asked for, every later detection of the track has it too, and it is forgotten with the
        track. ValueError for a detection that no Tracker has returned.
        """
        memory = self._track[_MEMORY]
        if memory is None:
            raise ValueError("data: expected a detection that Tracker.update has returned, got %r" % (self,))
        return memory.data_of(self._track[_TRACK_ID])

    @property
    def result(self):
        """What the second model of a Pipeline returned for it, as a Classification; else None. Each copy has it, too."""
        return self._result

    @property
    def frame_size(self):
        """(width, height) of the frame, or None where it is not known. `draw` scales to a picture of another size."""
        return self._source[_FRAME_SIZE]

    @property
    def keypoint_threshold(self):
        """The minimum score of a keypoint that counts as visible."""
        return self._source[_THRESHOLD]

    @property
    def center(self):
        """The frame pixel (x, y) in the middle of the box, ints."""
        x, y, w, h = self[0]
        return x + w // 2, y + h // 2

    @property
    def corners(self):
        """The corners of an oriented box (YoloV8Obb), float array (4, 2): x and y in frame pixels; else None.

        They are in order, clockwise from the upper left one, and may lie outside of the frame. A copy with another rect, as
        a Tracker makes it, has the corners moved with it.
        """
        source = self._source
        return later.results_oriented.corners_of(self[0], source[_CORNERS]) if len(source) > _CORNERS else None

    @property
    def rotation(self):
        """The direction of an oriented box: degrees from the x axis to its longer side, clockwise, 0 up to 180; else None.

        0 is horizontal, 90 upright, 45 falls from the upper left to the lower right. If frame and model input have different
        aspect ratios and the picture was stretched, the box is a parallelogram in the frame: `corners` and the direction of
        its sides are exact, its angles are not right ones.
        """
        source = self._source
        return later.results_oriented.rotation_of(source[_CORNERS]) if len(source) > _CORNERS else None

    @property
    def sides(self):
        """The lengths (longer, shorter) of the sides of an oriented box, frame pixels, floats; else None."""
        return later.results_oriented.lengths_of(self.corners) if len(self._source) > _CORNERS else None

    def contains(self, x, y=None):
        """Whether frame pixel (x, y), or ((x, y)), belongs to the object: to its mask, its oriented box, else its box."""
        pixel = x if y is None else (x, y)
        if self[4] is not None:
            return self[4].contains(pixel)
        try:
            x, y = pixel
            left, top, w, h = self[0]
            inside = left <= x < left + w, top <= y < top + h  # TypeError for anything but numbers
            if len(self._source) > _CORNERS:
                return later.results_oriented.contains(x, y, self.corners)
            return bool(inside[0]) and bool(inside[1])
        except (TypeError, ValueError, OverflowError):
            from ..tensors.errors import pixel_refused

            raise pixel_refused("contains", (pixel,) if y is None else pixel) from None

    def iou(self, other):
        """The intersection over union of two boxes, 0..1; of oriented ones as they are turned. Masks have `Mask.iou`.

        ValueError for anything but a Detection of the same frame.
        """
        return later.results_pairs.iou(self, other)

    def overlap(self, other):
        """The part of this box that lies in the other, 0..1. Boxes and errors as for `iou`."""
        return later.results_pairs.overlap(self, other)

    def roi(self, *, grow=0.0, square=False):
        """The box as a region of interest (x, y, w, h), ints, grown and clipped to the frame. It has at least one pixel.

        grow    the fraction of its width and height by which the box grows on each side, -0.5 to 10, in steps of a
                thousandth; below 0 it shrinks
        square  whether both sides are as long as the longer one, around the same center. A square that leaves the frame is
                moved into it, not cut; one that is larger than the frame has the frame's width or height

        If the frame's size is not known, it is clipped at the left and at the top only. It fits `img.copy(roi=)`,
        `n6post.draw(..., roi=)` and the input transforms. ValueError for a number out of range.
        """
        return later.results_places.roi_of(self, grow, square)

    def crop(self, img, *, grow=0.0, square=False, masked=False, color=(0, 0, 0)):
        """The object cut out of the frame (RGB565 or GRAYSCALE): an image of its own, of the same format.

        img     the frame. A picture of another size is treated as the frame, scaled: the crop shows the same part of it
        grow    as for `roi`, whose part of the frame the crop shows
        square  as for `roi`
        masked  whether everything but the object's mask is painted over, as by `Mask.fill_outside`
        color   (r, g, b) of what is painted over

        ValueError for a picture of another aspect ratio, as for `n6post.draw`, and with `masked` for a detection without a
        mask.
        """
        return later.results_places.crop_of(self, img, grow, square, masked, color)

    def mean_color(self, img):
        """The mean color (r, g, b) of the object's mask, else of its `rect`, ints from 0 to 255; None for an empty mask.

        img     the frame, as for `Mask.mean_color`

        The middle of a box has less of the background: `d.replace(rect=d.roi(grow=-0.25)).mean_color(img)`.
        """
        return later.results_mask_colors.mean_color_of(self, img)

    def as_dict(self, outline=False):
        """The detection as numbers, strings and lists. json.dumps makes the same text of it on a camera and on a PC.

        {"rect": [x, y, w, h], "score": 0.875, "class_id": 2, "label": "car"}. With a mask also "mask": {"rect":
        [x, y, w, h], "area": n, "centroid": [x, y]} and, if `outline` is True, "outline": [[x, y], ...] in it; with
        keypoints also "keypoints": [[x, y, score], ...]; with an oriented box also "corners": [[x, y], ...] and
        "rotation": degrees; for a track also "track_id": n. Scores are rounded to 3 decimals, keypoints and corners to a
        tenth of a pixel; numbers that would then have more than six digits, to whole ones. Values that an empty mask does
        not have and numbers that are not finite are None.
        """
        return later.results_dicts.detection_as_dict(self, outline, len(self._source) > _CORNERS)

    def replace(self, **changes):
        """A copy with other values for some fields, and for `track_id`, `frame_size`, `keypoint_threshold` or `corners`.

        If `rect` changes and `corners` do not, they move with it. ValueError for any other name, and for a size or threshold
        that cannot be one.
        """
        frame_size, keypoint_threshold = self._source[:_CORNERS]
        turned = list(self._source[_CORNERS:])
        if "frame_size" in changes:
            frame_size = later.tensors_shapes.picture_size("frame_size", changes.pop("frame_size"))
        if "keypoint_threshold" in changes:
            keypoint_threshold = number("keypoint_threshold", changes.pop("keypoint_threshold"), 0.0, 1.0)
        source = frame_size, keypoint_threshold
        if "corners" in changes:
            corners = changes.pop("corners")
            turned = []
            if corners is not None:
                turned = [(later.results_oriented.table_of(corners), 0, tuple(changes.get("rect", self[0])))]
        source += tuple(turned)
        track_id = changes.pop("track_id", self._track[_TRACK_ID])
        fields = [changes.pop(name, self[i]) for i, name in enumerate(FIELDS)]
        if changes:
            known = FIELDS + ("track_id", "frame_size", "keypoint_threshold", "corners")
            raise ValueError("replace: expected some of %s, got %s" % (", ".join(known), ", ".join(sorted(changes))))
        made = copied(self, fields)
        set_attribute(made, "_source", source)
        if track_id != self._track[_TRACK_ID]:
            made.track_id = track_id
        return made

    def keypoint(self, keypoint):
        """A keypoint by its name (see `keypoint_names`) or index: (x, y, score), x and y being the ints of a frame pixel.

        Draw with it. To measure, take the floats: `d.keypoints[n6post.keypoint_names(17).index("left wrist")]`.

        It was seen if its score is at least the detection's `keypoint_threshold`. ValueError for an unknown keypoint, which
        lists the names, and for a detection without keypoints.
        """
        x, y, score = later.tensors_keypoints.keypoint_of(self.keypoints, keypoint)
        return int(x), int(y), score

    def angle(self, first, middle, last):
        """The angle between two limbs that meet at the keypoint `middle`, degrees: 180 for a straight line.

        None if one of the three was not seen (its score is below the detection's `keypoint_threshold`) or lies where the
        middle one does. Keypoints as for `keypoint`.
        """
        return later.tensors_keypoints.angle(self.keypoints, self._source[_THRESHOLD], first, middle, last)

    def limb_angle(self, a, b):
        """The angle of a limb with the vertical, degrees: 0 if b is straight below a, 90 if level, 180 if above.

        None if one was not seen or both lie at one place. Keypoints as for `keypoint`.
        """
        return later.tensors_keypoints.limb_angle(self.keypoints, self._source[_THRESHOLD], a, b)

    def distance(self, a, b):
        """The distance of two keypoints in frame pixels, a float; None if one was not seen. Keypoints as for `keypoint`."""
        return later.tensors_keypoints.distance(self.keypoints, self._source[_THRESHOLD], a, b)

    def midpoint(self, a, b):
        """The point (x, y), floats, halfway between two keypoints; None if one was not seen. Keypoints as for `keypoint`."""
        return later.tensors_keypoints.midpoint(self.keypoints, self._source[_THRESHOLD], a, b)

    @property
    def fingers(self):
        """Which fingers of a hand are stretched: five booleans, thumb, index, middle, ring finger and pinky.

        A stretched finger spans 85 % of the length of its bones in the picture, and leads away from the wrist. One that
        points at the camera is a guess, one with an unseen keypoint is not stretched. ValueError without 21 keypoints.
        """
        return later.tensors_skeletons.fingers(self.keypoints, self._source[_THRESHOLD])

    # The camera's namedtuple has none of these; those of a PC would lose _track and _source.
    _fields = FIELDS  # type: ignore[assignment]
    _replace = replace

    def _asdict(self):
        return later.results_dicts.OrderedDict(zip(FIELDS, self))

    def __repr__(self):
        fields = ["%s=%r" % pair for pair in zip(FIELDS, self)]
        if self.track_id is not None:
            fields.append("track_id=%r" % self.track_id)
        return "Detection(%s)" % ", ".join(fields)

    def __setattr__(self, name, value):
        # On the camera an assigned field would change by name but not by position.
        if name != "track_id":
            raise AttributeError("a Detection cannot be changed: replace(%s=...) makes another" % name)
        set_attribute(self, name, value)


def _checked_track_id(value):
    # The kernel of to_json takes 32 bits, and on a camera it would cut off all others.
    try:
        if value is None or -(1 << 31) <= value < 1 << 31 and int(value) == value:
            return value if value is None else int(value)
    except (TypeError, ValueError):
        pass
    raise ValueError("track_id: expected None or a whole number of 32 bits, got %r" % (value,))


def copied(detection, fields):
    """A Detection of these six fields, with everything else that this detection carries. Every copy is made here."""
    made = detection_from(fields, detection._source, detection._track)
    if detection._result is not None:
        set_attribute(made, "_result", detection._result)
    return made


def detection_from(fields, source, track=NO_TRACK):
    """A Detection of these six fields, with this `_source` and `_track`."""
    made = Detection(*fields)
    set_attribute(made, "_source", source)
    if track is not NO_TRACK:
        set_attribute(made, "_track", track)
    return made


def set_corners(detection, table, row):
    """Make this the detection of an oriented box. table, row: as the kernel oriented_corners writes them."""
    source = detection._source
    set_attribute(detection, "_source", (source[_FRAME_SIZE], source[_THRESHOLD], (table, row, detection[0])))
