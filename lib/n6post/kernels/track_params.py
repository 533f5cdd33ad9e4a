"""The parameter block of the kernels of tracks.py, and positions in their tables: viper_tracks.py describes them."""

from array import array

from micropython import const


def tracking(
    count, dt, fade, max_age, min_hits, max_tracks, gate, class_cost, age_cost, doubt_cost,
    floor, center_noise, size_noise, acceleration, growth, first_speed, covered,
):  # fmt: skip
    """The parameter block of all kernels of tracks.py. The arguments are the entries, in their order.

    count           number of detections in the frame; filled in for each update
    dt              frames since the last update; stored in 1/256
    fade            factor for the velocity of a lost track in that time; in 1/256
    max_age         frames; in 1/256
    min_hits, max_tracks    as they are
    gate, class_cost, age_cost, doubt_cost  costs; in 1/64
    floor           minimum standard deviation, pixels; squared, in 1/256
    center_noise, size_noise    standard deviations of a detection, fractions of sqrt(w h); squared, in 1/65536
    acceleration, growth        random change of velocity and size in a frame, fractions of sqrt(w h); squared, in 1/1048576
    first_speed     standard deviation of a new track's velocity, fraction of sqrt(w h) a frame; squared, in 1/65536
    covered         fraction of an area; in 1/256
    """
    costs, squares = (gate, class_cost, age_cost, doubt_cost), (center_noise, size_noise)
    entries = count, _in(dt, 256), _in(fade, 256), _in(max_age, 256), min_hits, max_tracks
    entries += tuple([_in(cost, 64) for cost in costs]) + (_in(floor * floor, 256),)
    entries += tuple([_in(part * part, 65536) for part in squares])
    entries += tuple([_in(part * part, 1048576) for part in (acceleration, growth)])
    return array("i", entries + (_in(first_speed * first_speed, 65536), _in(covered, 256)))


def mask_transform(transform):
    """A MaskTransform as mask_centroid reads it: x and y scale in 1/256, x and y offset in 1/16 pixel."""
    return array("i", (_in(transform.sx, 256), _in(transform.sy, 256), int(16 * transform.ox), int(16 * transform.oy)))


def _in(number, parts):
    return int(number * parts + 0.5)


TRACKING_COUNT = const(0)
TRACKING_DT = const(1)
TRACKING_FADE = const(2)

HEADER = const(6)
HEADER_COUNT = const(0)
HEADER_NEXT_ID = const(1)

TRACK = const(26)
TRACK_VX = const(17)
TRACK_VY = const(18)
TRACK_MISSED = const(6)
TRACK_HITS = const(19)
TRACK_ID = const(20)
TRACK_CLASS_ID = const(21)
TRACK_FOUND = const(7)
TRACK_RECT_X = const(10)

