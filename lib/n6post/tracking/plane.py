"""Plane: meters on the ground, and the speed of tracks in km/h, from four or more points whose place is known.

    plane = n6post.Plane([(88, 190), (215, 190), (310, 479), (-60, 479)], [(0, 20), (3.5, 20), (3.5, 5), (0, 5)])
    for d in plane.update(tracker.update(model.predict([n6post.Letterbox(img)]))):
        print(d.track_id, plane.to_world(d), plane.speed(d))

The homography is that of the normalized direct linear transform (R. Hartley, A. Zisserman: Multiple View Geometry in
Computer Vision, 2nd edition, algorithm 4.2), with its last entry fixed to 1. This entry belongs to the centroid of the
points, which is not on the horizon if all of them are on the same side of it. Least squares: modified Gram-Schmidt on the
augmented matrix (A. Bjorck: Numerical Methods for Least Squares Problems, 2.4), for which float32 is enough: the normal
equations would lose twice as many digits.
"""

from array import array
from math import floor, sqrt

from micropython import const
from ulab import numpy as np

from ..results.detection import Detection
from ..tensors.lazy import later
from ..tensors.options import Options, number
from .anchor_points import AnchorTracked, as_list, checked_point, id_of, is_cut, track_ids_of
from .clock import START, next_clock

# Below these, a part of the problem is lost in the rounding of pixels: of a column of the equations, what the columns before
# it do not explain; and the determinant of the normalized homography.
_LEAST_PIVOT = 1e-3
_LEAST_DETERMINANT = 1e-3
# The place of a pixel is given up to a thousand times as far away from the camera as the centroid of the points. There the
# horizon is a small part of a pixel away.
_HORIZON = 1 / 1024

# Copied by scripts/dev/generate.py from results/detection.py:
_MISSED = const(2)

# The entries of a track: a ring buffer of its positions, as three rows: milliseconds since _BASE, x and y in meters from the
# centroid of the world points.
_RING = const(0)
_BASE = const(1)
_NEXT = const(2)  # index of the next position
_FIRST_LENGTH = const(16)  # positions; a ring grows until it holds the window
_MAX_LENGTH = const(256)  # positions that are nearer in time than the window needs for this replace each other
_REACH = const(3)  # windows, after which a position is no longer used, and a track forgotten
_NEVER = -1e30  # the time of a position that is not there
_MAX_TIME = const(4000000)  # milliseconds, exact in float32: then a track starts again


class Plane(AnchorTracked):
    """A flat ground, or another plane, in meters: where things are on it, how far apart, and how fast tracks move.

    image_points    four or more frame pixels (x, y), no three of them in a line
    world_points    the same points on the plane, (x, y) in meters, in any system of coordinates with right angles

    With more than four points the errors of all are balanced (least squares). The farther apart they are in the frame, the
    better. Straight lines have to be straight in the frame: correct the lens first, with the firmware's `lens_corr`.

    ValueError for fewer than four points, for points in a line, for points that are on both sides of the horizon (mostly two
    that were swapped), and for options out of range.
    """

    _option = Options(None, AnchorTracked._option)
    window = _option("window", 1.0, number, 0.1, 60.0)

    def __init__(self, image_points, world_points, *more, **options):
        if more:
            raise TypeError("Plane: expected two lists of points, got %d arguments" % (2 + len(more)))
        super().__init__(**options)
        pixels = _points("image_points", image_points)
        places = _points("world_points", world_points)
        if len(pixels) != len(places) or len(pixels) < 4:
            raise ValueError(
                "Plane: expected four or more points, as many of the world as of the image, got %d and %d"
                % (len(pixels), len(places))
            )
        self._given = pixels, places
        self._to_world, self._to_image = _homographies(pixels, places)
        for x, y in pixels:
            if _mapped(self._to_world, x, y) is None:
                raise ValueError(
                    "world_points: expected them in the order of image_points, got some on both sides of the horizon: %r"
                    % (world_points,)
                )
        self.reset()

    @property
    def image_points(self):
        """The points in the frame, a list of (x, y) in pixels."""
        return list(self._given[0])

    @property
    def world_points(self):
        """The points on the plane, a list of (x, y) in meters."""
        return list(self._given[1])

    @property
    def max_error(self):
        """The largest distance in meters between a world point and the place of its image point.

        0 for four points, except for rounding. With more a large one shows a point that was measured wrongly.
        """
        cx, cy = self._to_image[:2]
        errors = [_distance(_mapped(self._to_world, *pixel), (x - cx, y - cy)) for pixel, (x, y) in zip(*self._given)]
        return max(errors)

    def reset(self):
        """Forget all tracks."""
        self._frame, self._tracks = (START, ()), {}  # the clock, and the ids that the border cuts off

    def to_world(self, x, y=None):
        """The place (x, y) in meters of a frame pixel (x, y), or ((x, y)), or of a Detection, by its anchor point.

        None on the horizon and above it, where no place of the plane is seen. ValueError for anything else.

        On a camera, numbers are 12 cm apart at 500,000 m, and more exact the smaller they are. This rounds the result, and
        before that world_points. Speeds and distances are not rounded once more.
        """
        at = self._place(x, y)
        return at and (at[0] + self._to_image[0], at[1] + self._to_image[1])

    def _place(self, x, y=None):
        """The place as of `to_world`, from the centroid of the world points."""
        if y is None and isinstance(x, Detection):
            ((x, y),) = self._positions([x])
            return _mapped(self._to_world, x / 2, y / 2)
        pixel = x if y is None else (x, y)
        return _mapped(self._to_world, *checked_point("to_world", pixel))

    def to_image(self, x, y=None):
        """The frame pixel (x, y), ints, of a place (x, y), or ((x, y)), in meters; it may lie outside of the frame.

        None for a place behind the camera. ValueError for anything but two numbers.
        """
        at = _mapped(self._to_image, *checked_point("to_image", x if y is None else (x, y)))
        return at and (floor(at[0] + 0.5), floor(at[1] + 0.5))

    def distance(self, a, b):
        """The distance in meters between two pixels (x, y) or Detections, by their anchor points; None without a place."""
        a, b = self._place(a), self._place(b)
        return _distance(a, b) if a and b else None

    def area(self, result, class_id=None):
        """The area on the plane of a Mask, or of a class of a Segmentation, square meters; None if it reaches the horizon.

        Each frame pixel is mapped exactly, as a quadrilateral: the error is that of the mask's edge and the plane's points.
        ValueError for anything else, and for a frame of another size.
        """
        return later.tracking_plane_measures.area(self, result, class_id)

    def size(self, detection):
        """(width, height) in meters of an object that stands on the plane, upright, by its box.

        The width is that of the lower edge, the height that of a vertical line from its middle to the upper edge, by a
        camera with square pixels whose axis is the middle of the frame (Z. Zhang: "A flexible new technique for camera
        calibration", 2000), or None if it looks straight down. None in all for what has no place on the plane, and for what
        the frame's border cuts off. ValueError if the frame's size is not known.
        """
        return later.tracking_plane_measures.size(self, detection)

    def draw(self, img, **options):
        """Draw a grid of meters, at most 11 lines each way, and the plane's points, to check them. Returns img.

        Options as for `PolygonZone.draw`; labels are the meters at the ends of the lines.
        """
        return later.drawing_draw.draw(img, self, **options)

    def _drawn_by(self):
        return later.drawing_zones.draw_plane

    def _check_frame(self, size):
        if size not in (None, self.frame_size) and self.frame_size:
            raise ValueError(
                "detections: expected those of frames of %d x %d, as the image_points are, got %d x %d"
                % (self.frame_size + size)
            )

    def _positions(self, detections):
        positions = super()._positions(detections)
        if detections:
            self._check_frame(detections[0].frame_size)
        return positions

    def update(self, detections, *, elapsed_ms=None):
        """Note where each track is now; returns the detections unchanged.

        detections  as Tracker.update returns them; those that only coast do not count. ValueError for one without `track_id`
        elapsed_ms  milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms

        Nor does one that the frame's border cuts off at a side of its box on which the anchor point depends: for "bottom" at
        the left, the right or below.
        """
        positions = self._positions(detections)
        ids = track_ids_of(detections)
        clock = next_clock(self._frame[0], elapsed_ms)
        now = clock[0]
        before = self._frame[0][0]
        window = self._window()
        step = -(-window // (_MAX_LENGTH - 2))
        tracks, anchor, size = self._tracks, self.anchor, self.frame_size
        cut = [track_id for d, track_id in zip(detections, ids) if size and is_cut(d, anchor, size)]
        for d, track_id, (x, y) in zip(detections, ids, positions):
            at = None if d._track[_MISSED] or track_id in cut else _mapped(self._to_world, x / 2, y / 2)
            if at is None:
                continue
            known = tracks.get(track_id)
            if known is None or now - known[_BASE] > _MAX_TIME:
                known = tracks[track_id] = [_ring(_FIRST_LENGTH), now, 0]
            ring, base, to = known
            length = len(ring) // 3
            newest = (to or length) - 1
            second = (newest or length) - 1
            if ring[newest] > before - base:
                to = newest  # of a call that a MemoryError ended: it is replaced
            elif ring[second] >= 0 and ring[newest] - ring[second] < step:
                to = newest  # sooner after the one before than a ring of the largest length has room for
            elif ring[to] >= 0 and ring[(to + 1) % length] >= now - base - window and length < _MAX_LENGTH:
                # Without the oldest position, the others would not reach back a window.
                known = tracks[track_id] = [_longer(ring, to), base, length]
                ring, _, to = known
                length = len(ring) // 3
            after = to + 1 if to + 1 < length else 0
            # One statement, so a MemoryError cannot leave half a position.
            ring[to], ring[to + length], ring[to + 2 * length], known[_NEXT] = now - base, at[0], at[1], after
        oldest = self._oldest(detections, now)
        for track_id in [one for one, known in tracks.items() if _newest(known) < oldest]:
            del tracks[track_id]
        self._prune_tracks(detections)
        self._frame = clock, tuple(cut)
        return detections

    def _window(self):
        """In milliseconds, rounded: on a camera 1000 * 0.17 is a little less than 170."""
        return int(1000 * self.window + 0.5)

    def velocity(self, track):
        """The velocity (x, y) of a track in meters a second; None as for `speed`."""
        track_id = id_of(track)
        known = self._tracks.get(track_id)
        clock, cut = self._frame
        if known is None or track_id in cut:
            return None
        now = clock[0]
        ring, base, _ = known
        length = len(ring) // 3
        window = float(self._window())
        rows = np.frombuffer(ring, dtype=np.float)
        ages = rows[:length] - float(now - base)  # milliseconds, negative
        inside = np.where(ages < -window, 0.0, 1.0)
        count = np.dot(inside, inside)
        if count < 3 or _newest(known) - now - np.min(ages * inside) < window / 2:
            # Few frames a second, or the track was not seen for a while.
            first = _first_needed(known, now, window)
            if first is None:
                return None
            inside = np.where(ages < first, 0.0, 1.0)
            count = np.dot(inside, inside)
        # The slope of the line through the positions with the least squares.
        ages = ages * inside
        ages = (ages - np.dot(ages, inside) / count) * inside
        spread = np.dot(ages, ages) / 1000
        # From any of the places, so that float32 keeps the millimeters of those that are far from the world points.
        x = np.dot(ages, rows[length : 2 * length] - ring[length]) / spread
        y = np.dot(ages, rows[2 * length :] - ring[2 * length]) / spread
        return x, y

    def speed(self, track):
        """The speed of a track in km/h: the slope of a line through its places in the last `window` seconds.

        track   its id, or a Detection

        Three places over half a window are needed. If the last `window` seconds have less, as at a low frame rate, earlier
        ones are used too, up to three windows old. None while that is not enough, as for a new track, while the frame's
        border cuts the object off, and for an unknown track.
        """
        velocity = self.velocity(track)
        return None if velocity is None else 3.6 * _distance(velocity, (0.0, 0.0))


def _points(name, points):
    given = as_list(points)
    if not isinstance(given, (list, tuple)):
        raise ValueError("%s: expected a list of points (x, y), got %r" % (name, points))
    return [checked_point(name, point) for point in given]


def _distance(a, b):
    dx, dy = a[0] - b[0], a[1] - b[1]
    return sqrt(dx * dx + dy * dy)


def _mapped(homography, x, y):
    """The image (x, y) of a point; None if it is on the wrong side of the horizon, or on it."""
    cx, cy, a, b, c, d, e, f, g, h, to_x, to_y = homography
    x -= cx
    y -= cy
    w = g * x + h * y + 1.0
    if not w >= _HORIZON:
        return None
    return to_x + (a * x + b * y + c) / w, to_y + (d * x + e * y + f) / w


def _centered(points):
    """(the centroid of the points, and the factor that makes their mean distance from it 1)."""
    count = len(points)
    x, y = points[0]
    # From one of them, for float32: the sum of large coordinates would lose a meter.
    x, y = x + sum([p[0] - x for p in points]) / count, y + sum([p[1] - y for p in points]) / count
    mean = sum([_distance(p, (x, y)) for p in points]) / count
    if not mean:
        from ..tensors.errors import flat_points

        raise flat_points()
    return x, y, 1.0 / mean


def _homographies(pixels, places):
    """The homography from pixels to places and the one back, as _mapped takes them.

    The places of the first are from the centroid of all `places`, the first two numbers of the second: so float32 keeps the
    millimeters of large coordinates.
    """
    px, py, ps = _centered(pixels)
    qx, qy, qs = _centered(places)
    columns = [[] for _ in range(9)]
    for (x, y), (u, v) in zip(pixels, places):
        x, y, u, v = (x - px) * ps, (y - py) * ps, (u - qx) * qs, (v - qy) * qs
        one = x, y, 1.0, 0.0, 0.0, 0.0, -u * x, -u * y, u
        other = 0.0, 0.0, 0.0, x, y, 1.0, -v * x, -v * y, v
        for column, first, second in zip(columns, one, other):
            column.append(first)
            column.append(second)
    h1, h2, h3, h4, h5, h6, h7, h8 = _least_squares([np.array(column) for column in columns])
    # The adjugate is the inverse but for a factor, which is chosen so that its last entry is 1 too.
    g1, g2, g3 = h5 - h6 * h8, h3 * h8 - h2, h2 * h6 - h3 * h5
    g4, g5, g6 = h6 * h7 - h4, h1 - h3 * h7, h3 * h4 - h1 * h6
    g7, g8, g9 = h4 * h8 - h5 * h7, h2 * h7 - h1 * h8, h1 * h5 - h2 * h4
    determinant = h1 * g1 + h2 * g4 + h3 * g7
    if abs(determinant) < _LEAST_DETERMINANT or abs(g9) < _LEAST_DETERMINANT:
        from ..tensors.errors import flat_points

        raise flat_points()
    k = ps / qs
    there = px, py, h1 * k, h2 * k, h3 / qs, h4 * k, h5 * k, h6 / qs, h7 * ps, h8 * ps, 0.0, 0.0
    k, n = qs / ps / g9, 1.0 / ps / g9
    back = qx, qy, g1 * k, g2 * k, g3 * n, g4 * k, g5 * k, g6 * n, g7 * qs / g9, g8 * qs / g9, px, py
    return there, back


def _least_squares(columns):
    """The factors of all columns but the last with which their sum is nearest to the last one."""
    count = len(columns) - 1
    rows = []
    for k in range(count):
        column = columns[k]
        # What is left of it: the columns before are subtracted already.
        square = float(np.dot(column, column))
        if square < _LEAST_PIVOT * _LEAST_PIVOT:
            from ..tensors.errors import flat_points

            raise flat_points()
        row = [0.0] * (count + 1)
        for j in range(k + 1, count + 1):
            row[j] = factor = float(np.dot(column, columns[j])) / square
            columns[j] = columns[j] - column * factor
        rows.append(row)
    factors = [0.0] * count
    for k in range(count - 1, -1, -1):
        factors[k] = rows[k][count] - sum([rows[k][j] * factors[j] for j in range(k + 1, count)])
    return factors


def _ring(length):
    ring = array("f", bytes(12 * length))
    for at in range(length):
        ring[at] = _NEVER
    return ring


def _longer(ring, to):
    """A ring of twice the length, with the positions of this one first, the oldest before all others."""
    length = len(ring) // 3
    made = _ring(2 * length)
    for at in range(length):
        source = (to + at) % length
        for row in range(3):
            made[2 * length * row + at] = ring[length * row + source]
    return made


def _newest(known):
    """The time of the last position of a track, milliseconds."""
    ring, base, to = known
    return ring[(to or len(ring) // 3) - 1] + base


def _first_needed(known, now, window):
    """The age, negative, of the last position with which there are three over half a window; None if there is none."""
    ring, base, to = known
    length = len(ring) // 3
    newest = ring[(to or length) - 1]
    for count in range(1, length + 1):
        at = ring[(to - count) % length]
        if at - (now - base) < -_REACH * window:
            return None
        if count >= 3 and newest - at >= window / 2:
            return at - (now - base)
    return None
