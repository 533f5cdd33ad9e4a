"""The plan of a Tracker's kernels by name, and where what it reads stands in their rows: viper_tracks.py says what it is."""

from array import array

from micropython import const


def tracking(
    many, dt, fade, max_age, min_hits, max_tracks, gate, class_cost, age_cost, doubt_cost,
    floor, centre_noise, size_noise, acceleration, growth, first_speed, covered,
):  # fmt: skip
    """The arguments are the entries, in order, as everywhere in plans.py. Numbers; stored as

    many            how many rows of detections there are, filled in every frame
    dt, fade        frames that have passed, in 1/256; what a lost track's velocity keeps in that time, in 1/256
    max_age         frames, in 1/256
    min_hits, max_tracks
    gate, class_cost, age_cost, doubt_cost  costs, in 1/64
    floor           pixels, squared, in 1/256: the least standard deviation
    centre_noise, size_noise    parts of sqrt(w h), squared, in 1/65536: standard deviations of a detection
    acceleration, growth        the same, in 1/1048576: what changes unforeseen in a frame, of velocity and of size
    first_speed     as centre_noise: of a new track's velocity
    covered         a part of an area, in 1/256
    """
    costs, squares = (gate, class_cost, age_cost, doubt_cost), (centre_noise, size_noise)
    entries = many, _in(dt, 256), _in(fade, 256), _in(max_age, 256), min_hits, max_tracks
    entries += tuple([_in(cost, 64) for cost in costs]) + (_in(floor * floor, 256),)
    entries += tuple([_in(part * part, 65536) for part in squares])
    entries += tuple([_in(part * part, 1048576) for part in (acceleration, growth)])
    return array("i", entries + (_in(first_speed * first_speed, 65536), _in(covered, 256)))


def way(grid):
    """From mask to frame, as `middle` reads it, of a mask.Grid."""
    return array("i", (_in(grid.sx, 256), _in(grid.sy, 256), int(16 * grid.ox), int(16 * grid.oy)))


def _in(number, parts):
    return int(number * parts + 0.5)


TRACKING_MANY = const(0)
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

