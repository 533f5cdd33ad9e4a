"""The parameter block of the kernels of tracks.py, which viper/tracks.py describes."""

from array import array


def tracking(
    count, dt, fade, forget, max_gap, pause, min_hits, max_tracks, gate, class_cost, age_cost, doubt_cost, maneuver_cost,
    size_cost, low_cost, lost_cost, floor, floor_part, covered, surprise, learn, turn,
    noise, acceleration, first_speed, jump, size_noise, growth, first_growth, size_jump,
):  # fmt: skip
    """The parameter block of all kernels of tracks.py. The arguments are the entries, in their order.

    count           number of detections in the frame; filled in for each update
    dt              frames since the last update; stored in 1/256. A frame is a unit of time, 80 ms
    fade, forget    factors for the velocity of a lost track and for what was learned of maneuvers, in that time; in 1/256
    max_gap         the longest time without a detection, frames; in 1/256
    pause           the same for a track that was in the last update
    min_hits, max_tracks    as they are
    gate, class_cost, age_cost, doubt_cost, maneuver_cost, size_cost    costs; in 1/64
    low_cost, lost_cost     costs of a low score; in 1/64
    floor           minimum standard deviation of a detection, pixels; squared, in 1/256
    floor_part      ... but no more than this fraction of sqrt(w h), for small objects; squared, in 1/256
    covered         fraction of an area; in 1/256
    surprise        a difference is a maneuver if its square is this many times the expected; in 1/64
    learn           fraction of a maneuver that the next ones are expected to have; in 1/256
    turn            change of velocity in a maneuver, fraction of the speed, 1.4 at most; squared, in 1/256

    For the center, then the same for the size, all of them standard deviations and fractions of sqrt(w h):
    noise, size_noise           of a detection, .17 at most; squared, in 1/65536
    acceleration, growth        random change of velocity in a frame, .04 at most; squared, in 1/1048576
    first_speed, first_growth   velocity of a new track, a frame; see first_speed_entry
    jump, size_jump             displacement in a maneuver; see jump_entry
    """
    entries = [count] + [_in(part, 256) for part in (dt, fade, forget, max_gap, pause)] + [min_hits, max_tracks]
    entries += [_in(cost, 64) for cost in (gate, class_cost, age_cost, doubt_cost, maneuver_cost)]
    entries += [_in(cost, 64) for cost in (size_cost, low_cost, lost_cost)]
    entries += [_in(floor * floor, 256), _in(floor_part * floor_part, 256), _in(covered, 256)]
    entries += [_in(surprise, 64), _in(learn, 256), _in(turn * turn, 256)]
    for of_detection, of_velocity, first, displacement in (
        (noise, acceleration, first_speed, jump), (size_noise, growth, first_growth, size_jump),
    ):  # fmt: skip
        entries += [_in(of_detection * of_detection, 65536), _in(of_velocity * of_velocity, 1048576)]
        entries += [first_speed_entry(first), jump_entry(displacement)]
    return array("i", entries)


def first_speed_entry(fraction):
    """first_speed or first_growth as an entry: squared, in 1/65536; .7 at most."""
    fraction = min(fraction, 0.7)
    return _in(fraction * fraction, 65536)


def jump_entry(fraction):
    """jump or size_jump as an entry: squared, in 1/16384; .7 at most."""
    fraction = min(fraction, 0.7)
    return _in(fraction * fraction, 16384)


def mask_transform(transform):
    """A MaskTransform as mask_centroid reads it: x and y scale in 1/256, x and y offset in 1/16 pixel."""
    return array("i", (_in(transform.sx, 256), _in(transform.sy, 256), int(16 * transform.ox), int(16 * transform.oy)))


def _in(number, parts):
    return int(number * parts + 0.5)
