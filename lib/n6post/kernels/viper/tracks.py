"""The loops of a Tracker over the tracks and detections of a frame, in integers: viper compiles them to machine code.

_viper/tracks.py is the same source in plain Python, without viper's own syntax, for CPython and for a MicroPython that
makes no machine code. scripts/dev/generate.py writes it. Both give the same numbers as long as no number leaves 32 bits;
the limits in the code ensure that.

tracks  array('i'): a header, then a row for each track
rows    array('i'): a row for each detection of the frame
params  the parameter block, made by track_params.tracking
units   x, y, w, h in 1/16 pixel; velocities in 1/256 pixel a frame; variances in 1/256 pixel^2; time in 1/256 frame; costs
        (squared Mahalanobis distances) in 1/64. A frame is a unit of time, 80 ms, however often the tracker is updated

The constants below are the positions of the words in these arrays; scripts/dev/generate.py copies them to
tracking/tracker.py. A row is referred to by the position of its first word: `o` in tracks, `e` in rows.

The filter: center and size change at constant velocities that are disturbed by white noise of acceleration (Bar-Shalom, Li
and Kirubarajan, Estimation with Applications to Tracking and Navigation, 6.2). x and y share one covariance, w and h share
another. All noise is proportional to sqrt(w h): objects that are near move and jitter more.

An object that maneuvers (turns, brakes, is shaken by the camera) leaves the prediction by more than this noise explains.
Such a detection may belong to the track all the same, at an extra cost and with a wider variance, which grows with the
speed. What it exceeds by is added to the covariance before the correction (as in a strong tracking filter), and a part of it
is learned as a noise of acceleration that fades.
"""

import micropython
from micropython import const

# The header of the tracks.
_HEADER = const(7)  # number of words
_COUNT = const(0)  # of tracks
_NEXT_ID = const(1)
_LARGEST_ID = const(0x3FFFFFFF)  # of the camera's small ints: behind it, ids begin again at 1
_LEFT = const(2)  # bounding box of all rects so far, pixels
_TOP = const(3)
_RIGHT = const(4)
_BOTTOM = const(5)
_UPDATES = const(6)  # number of predictions so far: tells whether the other table is that of the update before
# A track: two blocks of the same order, for the center and for the size.
_TRACK = const(40)  # number of words
_X = const(0)  # the center
_Y = const(1)
_VX = const(2)
_VY = const(3)
_PP = const(4)  # variance of the position, its covariance with the velocity, variance of the velocity
_PV = const(5)
_VV = const(6)
_MANEUVER = const(7)  # learned variance of acceleration, added to that of all objects
_VARIANCE = const(8)  # of the difference to a detection, 1/16 pixel^2
_WIDE = const(9)  # the same if the object maneuvers
_LIMIT = const(10)  # a larger square of the difference costs more than the gate, 1/16 pixel^2
_SIZE = const(11)  # where the second block begins
_W = const(11)
_H = const(12)
_VW = const(13)
_VH = const(14)
_SIZE_PP = const(15)
_SIZE_PV = const(16)
_SIZE_VV = const(17)
_SIZE_MANEUVER = const(18)
_SIZE_VARIANCE = const(19)
_SIZE_WIDE = const(20)
_SIZE_LIMIT = const(21)
_MISSED = const(22)  # 1/256 frames since its last detection
_MISSES = const(23)  # number of updates since then
_FOUND = const(24)  # the row of its detection, or -1
_COST = const(25)  # added for any detection, 1/64
_RECT_X = const(26)  # pixels
_RECT_Y = const(27)
_RECT_W = const(28)
_RECT_H = const(29)
_HITS = const(30)  # number of detections so far
_ID = const(31)  # 0 if not confirmed
_CLASS_ID = const(32)  # of the last detection
_MASKED = const(33)  # 1 if the last detection had a mask, else 0
_OFFSET_X = const(34)  # mean offset from the mask's centroid to the box's center
_OFFSET_Y = const(35)
_UNSURE = const(36)  # 1/256 frames since a detection of a high score
_AGE = const(37)  # 1/256 frames since the first detection
_PRICE = const(38)  # of the assignment: match explains these two
_REACH = const(39)
# In place of the rect, which is written last.
_A_FROM = const(26)  # the row from which the track was reached
_A_DONE = const(27)  # 1 if its own detection was examined, else 0
# A detection.
_DETECTION = const(10)  # number of words
_D_X = const(0)  # the center
_D_Y = const(1)
_D_W = const(2)
_D_H = const(3)
_D_CLASS_ID = const(4)
_D_ROUND = const(5)  # 1 or 2; 0 if its score is too low
_D_LIMIT = const(6)  # what its pair may cost: below the gate, there is a track for it
_D_TRACK = const(7)  # the row of its track, or -1
_D_CENTROID_X = const(8)  # of its mask, or _NO_MASK
_D_CENTROID_Y = const(9)
_P_BLOCK = const(4)  # from an entry of the parameter block for the center to that for the size
# The parameter block. Copied by scripts/dev/generate.py from tracking in kernels/params/tracks.py:
_P_COUNT = const(0)
_P_DT = const(1)
_P_FADE = const(2)
_P_FORGET = const(3)
_P_MAX_GAP = const(4)
_P_PAUSE = const(5)
_P_MIN_HITS = const(6)
_P_MAX_TRACKS = const(7)
_P_GATE = const(8)
_P_CLASS_COST = const(9)
_P_AGE_COST = const(10)
_P_DOUBT_COST = const(11)
_P_MANEUVER_COST = const(12)
_P_SIZE_COST = const(13)
_P_LOW_COST = const(14)
_P_LOST_COST = const(15)
_P_FLOOR = const(16)
_P_FLOOR_PART = const(17)
_P_COVERED = const(18)
_P_SURPRISE = const(19)
_P_LEARN = const(20)
_P_TURN = const(21)
_P_NOISE = const(22)
_P_ACCELERATION = const(23)
_P_FIRST_SPEED = const(24)
_P_JUMP = const(25)
_P_SIZE_NOISE = const(26)
_P_GROWTH = const(27)
_P_FIRST_GROWTH = const(28)
_P_SIZE_JUMP = const(29)
# A row of the table of boxes_to_frame. Copied by scripts/dev/generate.py from row in kernels/params/drawing.py:
_ROW_CROP_X0 = const(7)
_ROW_CROP_Y0 = const(8)
_ROW_CROP_X1 = const(9)
_ROW_CROP_Y1 = const(10)
_ROW_WINDOW_X = const(11)
_ROW_WINDOW_Y = const(12)
_ROW_WINDOW_W = const(13)
_ROW_WINDOW_H = const(14)
_ROW_START = const(15)

_NO_MASK = const(-0x3FFFFFFF)  # in _D_CENTROID_X; the largest number that is a small int, as viper needs
# Pixels: the range of rects. Squares of their differences, in quarters of a pixel, fit in 31 bits.
_LOWEST = const(-1024)
_HIGHEST = const(8191)
_FARTHEST = const(8 * 256)  # 1/256 frames: motion is predicted no further at once
_LARGEST_VARIANCE = const(0x0FFFFFFF)  # 1/256 pixel^2: a standard deviation of 1,024 pixels
_LARGEST_AREA = const(0xFFFFF)  # pixel^2: larger objects have the noise of this area
_OLDEST = const(0x30000000)  # 1/256 frames: 29 hours at 30 frames a second
_FASTEST = const(0x3FFFF)  # 1/256 pixel a frame: 1,024 pixels
_LARGEST_SPEED = const(0x7FFFFF)  # variance of a velocity, 1/256 pixel^2: a standard deviation of 181 pixels a frame
_LARGEST_COVARIANCE = const(0x1FFFFFF)
_LARGEST_MANEUVER = const(0xFFFFF)  # 1/256 pixel^2: 64 pixels a frame, in a frame
_SMALLEST_NOISE = const(64)  # 1/256 pixel^2: boxes are in whole pixels
_WIDEST = const(0x1F00000)  # 1/16 pixel^2: 65 times this fits in 31 bits
_FAR = const(0x3FFFFFFF)
_CELLS = const(32)  # of the camera's displacement, on each axis
_SIZE_FADE = const(128)  # 1/256: factor for the growth of a lost track in an update


@micropython.viper
def load_detections(detections, rows: ptr32, tracks: ptr32, threshold, low_threshold) -> int:
    """Write the detections into the rows, each with the round of its score: 1 high, 2 low, 0 neither (or NaN).

    detections      list of Detection
    threshold       minimum score of round 1
    low_threshold   minimum score of round 2

    Extends the header's bounding box to all rects. It lies in the frame, as they do, so rects clipped to it do too. Returns
    -1, or the index of the first detection whose rect is out of range.
    """
    e = 0
    for j in range(int(len(detections))):
        rect, score, class_id, _, _, _ = detections[j]
        left, top, width, height = rect
        x = int(left)
        y = int(top)
        w = int(width)
        h = int(height)
        if x < _LOWEST or y < _LOWEST or w < 0 or h < 0 or w > _HIGHEST or h > _HIGHEST:
            return j
        right = x + w
        bottom = y + h
        if x > _HIGHEST or y > _HIGHEST or right > _HIGHEST or bottom > _HIGHEST:
            return j
        if x < tracks[_LEFT]:
            tracks[_LEFT] = x
        if y < tracks[_TOP]:
            tracks[_TOP] = y
        if right > tracks[_RIGHT]:
            tracks[_RIGHT] = right
        if bottom > tracks[_BOTTOM]:
            tracks[_BOTTOM] = bottom
        rows[e + _D_X] = (x + right) << 3
        rows[e + _D_Y] = (y + bottom) << 3
        rows[e + _D_W] = w << 4
        rows[e + _D_H] = h << 4
        rows[e + _D_CLASS_ID] = int(class_id)
        rows[e + _D_ROUND] = 0
        if score >= threshold:
            rows[e + _D_ROUND] = 1
        elif score >= low_threshold:
            rows[e + _D_ROUND] = 2
        rows[e + _D_TRACK] = -1
        rows[e + _D_CENTROID_X] = _NO_MASK
        e += _DETECTION
    return -1


@micropython.viper
def predict(old: ptr32, tracks: ptr32, params: ptr32):
    """Predict the tracks after the block's dt, and drop those that are lost for longer than the block allows.

    old     the tracks after the last update, which are not changed
    tracks  an array of the same size, written
    """
    dt = params[_P_DT]
    t = dt
    if t > _FARTHEST:
        t = _FARTHEST
    gate = (params[_P_GATE] >> 6) + 1
    wide_gate = ((params[_P_GATE] - params[_P_MANEUVER_COST]) >> 6) + 1
    for i in range(_HEADER):
        tracks[i] = old[i]
    tracks[_UPDATES] = (old[_UPDATES] + 1) & _LARGEST_ID
    to = _HEADER
    for o in range(_HEADER, _HEADER + old[_COUNT] * _TRACK, _TRACK):
        missed = old[o + _MISSED]
        longest = params[_P_PAUSE]
        if missed:
            longest = params[_P_MAX_GAP]
        # A track that is not confirmed may miss one update.
        if missed + dt > longest or (old[o + _ID] == 0 and old[o + _MISSES] > 1):
            tracks[_COUNT] -= 1
            continue
        area = ((old[o + _W] >> 2) * (old[o + _H] >> 2)) >> 4
        if area > _LARGEST_AREA:
            area = _LARGEST_AREA
        new_area = 0
        floor = 0
        variance = 0
        noise = 0
        for i in range(2):  # the size, then the center: its noise depends on the size
            p = _P_BLOCK - i * _P_BLOCK
            b = o + _SIZE - i * _SIZE
            new = to + _SIZE - i * _SIZE
            x = old[b] + ((old[b + _VX] * t + 2048) >> 12)
            y = old[b + _Y] + ((old[b + _VY] * t + 2048) >> 12)
            if i:
                if x < _LOWEST * 16:
                    x = _LOWEST * 16
                if y < _LOWEST * 16:
                    y = _LOWEST * 16
            else:
                if x < old[b] >> 1:
                    x = old[b] >> 1
                if y < old[b + _Y] >> 1:
                    y = old[b + _Y] >> 1
            if x > _HIGHEST * 16:
                x = _HIGHEST * 16
            if y > _HIGHEST * 16:
                y = _HIGHEST * 16
            tracks[new] = x
            tracks[new + _Y] = y
            # P' = F P F^T + Q with F = (1 t; 0 1), Q = q (t^3/3 t^2/2; t^2/2 t). A product of two large numbers is computed
            # in two parts: (a >> 8) * t + ((a & 255) * t >> 8) is a * t >> 8. A third is 21/64 here.
            q1 = ((area * params[_P_ACCELERATION + p]) >> 12) + old[b + _MANEUVER]
            vv = old[b + _VV]
            pv = old[b + _PV]
            if t == 256:
                pp = old[b + _PP] + 2 * pv + vv + (q1 >> 2) + (q1 >> 4) + (q1 >> 6)
                pv += vv + (q1 >> 1)
            else:
                q1 = (q1 >> 8) * t + (((q1 & 255) * t) >> 8)
                q2 = (q1 >> 8) * t + (((q1 & 255) * t) >> 8)
                q3 = (q2 >> 8) * t + (((q2 & 255) * t) >> 8)
                vt = (vv >> 8) * t + (((vv & 255) * t) >> 8)
                vtt = (vt >> 8) * t + (((vt & 255) * t) >> 8)
                pp = old[b + _PP] + 2 * ((pv >> 8) * t + (((pv & 255) * t) >> 8)) + vtt + (q3 >> 2) + (q3 >> 4) + (q3 >> 6)
                pv += vt + (q2 >> 1)
            if pp > _LARGEST_VARIANCE:
                pp = _LARGEST_VARIANCE
            if pv > _LARGEST_COVARIANCE:
                pv = _LARGEST_COVARIANCE
            vv += q1
            if vv > _LARGEST_SPEED:
                vv = _LARGEST_SPEED
            tracks[new + _VX] = old[b + _VX]
            tracks[new + _VY] = old[b + _VY]
            tracks[new + _MANEUVER] = old[b + _MANEUVER]
            tracks[new + _PP] = pp
            tracks[new + _PV] = pv
            tracks[new + _VV] = vv
            # The variances of the difference to a detection, in 1/16 pixel^2, the unit of the squares in search.
            if i == 0:
                new_area = ((x >> 2) * (y >> 2)) >> 4
                if new_area > _LARGEST_AREA:
                    new_area = _LARGEST_AREA
                floor = new_area * params[_P_FLOOR_PART]
                if floor > params[_P_FLOOR]:
                    floor = params[_P_FLOOR]
                if floor < _SMALLEST_NOISE:
                    floor = _SMALLEST_NOISE
            noise = (((new_area * params[_P_NOISE + p]) >> 8) + floor) >> 4
            variance = (pp >> 4) + noise
            wide = variance + (((new_area >> 2) * params[_P_JUMP + p]) >> 8)
            if i:
                # A fast object goes astray by more when it turns.
                x = ((old[o + _VX] >> 4) * t) >> 8
                y = ((old[o + _VY] >> 4) * t) >> 8
                if x > 0x1FFF or x < -0x1FFF:
                    x = 0x1FFF
                if y > 0x1FFF or y < -0x1FFF:
                    y = 0x1FFF
                wide += (((x * x + y * y) >> 6) * params[_P_TURN]) >> 6
            if wide > _WIDEST:
                wide = _WIDEST
            tracks[new + _VARIANCE] = variance
            tracks[new + _WIDE] = wide
            wide *= wide_gate
            if wide < variance * gate:
                wide = variance * gate
            tracks[new + _LIMIT] = wide
        # The likelihood falls with the logarithm of the variance: here in 1/64 of a doubling, linear between doublings.
        cost = -64
        while variance >= 2 * noise:
            variance >>= 1
            cost += 64
        cost += (variance << 6) // noise
        tracks[to + _COST] = ((missed * params[_P_AGE_COST]) >> 8) + ((cost * params[_P_DOUBT_COST]) >> 6)
        for i in range(_HITS, _UNSURE):
            tracks[to + i] = old[o + i]
        tracks[to + _MISSED] = missed + dt
        tracks[to + _MISSES] = old[o + _MISSES]
        tracks[to + _UNSURE] = old[o + _UNSURE] + dt
        x = old[o + _AGE] + dt
        if x > _OLDEST:
            x = _OLDEST
        tracks[to + _AGE] = x
        tracks[to + _FOUND] = -1
        tracks[to + _PRICE] = 0
        to += _TRACK


def match(tracks, rows, params):
    """Pair the detections with tracks: first those of high scores, then those of low scores with the tracks that are left.

    If the camera has moved by a jerk, all tracks are moved along first.
    """
    low_scores = assign(tracks, rows, params, 1)
    if is_displaced(tracks, rows, params):
        if follow_camera(tracks, rows, params, bytearray(_CELLS * _CELLS)):
            assign(tracks, rows, params, 1)
    if low_scores:
        doubt_low_scores(tracks, params)
        assign(tracks, rows, params, 2)


@micropython.viper
def doubt_low_scores(tracks: ptr32, params: ptr32):
    """Raise the costs of all tracks for the second round: a low score is more often a false alarm.

    This is truer where an object was lost than where one was in the last update.
    """
    for o in range(_HEADER, _HEADER + tracks[_COUNT] * _TRACK, _TRACK):
        x = params[_P_LOW_COST]
        if tracks[o + _MISSES]:
            x += params[_P_LOST_COST]
        tracks[o + _COST] += x


def assign(tracks, rows, params, turn):
    """Pair the detections of one round with free tracks so that the sum of all costs is least.

    turn    1: detections of high scores; 2: those of low scores

    The cost of a pair is (dx^2 + dy^2) / center variance + (dw^2 + dh^2) / size variance. Or, if that is less, the same with
    the wide variances and the cost of a maneuver. The size then costs no more than `size_cost`: what turns may have another
    shape at once. All this grows with every doubling of the center's variance, with every frame that the track has missed,
    if the classes differ, and in the second round. A detection without a pair costs as much as the gate.

    Mostly all detections have different nearest tracks: then these are the pairs. Otherwise, for each detection whose
    nearest track is taken, the shortest path of re-assignments is searched (the Hungarian method; Jonker and Volgenant,
    Computing 38, 1987). Each detection's _D_LIMIT is the least that a pair of it costs, with the tracks' prices. A track
    that several detections want gets a price.

    Returns 0 if there are no detections of other rounds.
    """
    seen = search(tracks, rows, params, turn, -1)
    if not seen & 1:
        return seen
    first = next_unsettled(tracks, rows, params, turn)
    while first >= 0:
        e = first
        while e >= 0:
            search(tracks, rows, params, turn, e)
            e = reassign(tracks, rows, params, first)
        first = next_unsettled(tracks, rows, params, turn)
    return seen - 1


@micropython.viper
def search(tracks: ptr32, rows: ptr32, params: ptr32, turn: int, only: int) -> int:
    """Compute the costs of detections and tracks.

    only    -1: pair each detection of this round with its nearest track, unless that is taken;
            a row: from this detection, reach all tracks that no shorter path has reached

    Returns the sum of 1 if a nearest track was taken, and 2 if there are detections of other rounds.
    """
    gate = params[_P_GATE]
    maneuver_cost = params[_P_MANEUVER_COST]
    unsettled = 0
    others = 0
    max_unsure = _FAR
    min_id = 0
    if turn == 2:
        # A low score does not confirm a track. Nor does it keep one that had no high score for as long as a lost track is
        # kept: otherwise whatever is where an object was lost would keep its id for ever.
        max_unsure = params[_P_MAX_GAP]
        min_id = 1
    end = _HEADER + tracks[_COUNT] * _TRACK
    e = 0
    last = params[_P_COUNT] * _DETECTION
    so_far = 0
    if only >= 0:
        e = only
        last = only + 1
        if rows[e + _D_TRACK] >= 0:
            so_far = tracks[rows[e + _D_TRACK] + _REACH]
        so_far -= rows[e + _D_LIMIT]
    while e < last:
        if rows[e + _D_ROUND] != turn:
            others = 2
            e += _DETECTION
            continue
        nearest = -1
        lowest = gate
        center_x = rows[e + _D_X]
        center_y = rows[e + _D_Y]
        for o in range(_HEADER, end, _TRACK):
            # (dx^2 + dy^2) / variance, if that may be below the gate at all: otherwise the sum might leave 32 bits.
            limit = tracks[o + _LIMIT]
            x = (tracks[o + _X] - center_x) >> 2
            x = x * x
            if x > limit:
                continue
            y = (tracks[o + _Y] - center_y) >> 2
            y = y * y
            if y > limit or x + y > limit:
                continue
            center = x + y
            limit = tracks[o + _SIZE_LIMIT]
            x = (tracks[o + _W] - rows[e + _D_W]) >> 2
            x = x * x
            y = (tracks[o + _H] - rows[e + _D_H]) >> 2
            y = y * y
            size = _FAR
            if x <= limit and y <= limit and x + y <= limit:
                size = x + y
            if tracks[o + _UNSURE] > max_unsure or tracks[o + _ID] < min_id:
                continue
            taken = tracks[o + _FOUND]
            if taken >= 0:
                if rows[taken + _D_ROUND] != turn:
                    continue
            cost = _FAR
            if size < _FAR:
                x = tracks[o + _VARIANCE]
                if center < 0x2000000:
                    cost = (center << 6) // x
                else:
                    cost = center // ((x >> 6) + 1)
                x = tracks[o + _SIZE_VARIANCE]
                if size < 0x2000000:
                    cost += (size << 6) // x
                else:
                    cost += size // ((x >> 6) + 1)
            if cost > maneuver_cost:
                x = tracks[o + _SIZE_WIDE]
                if size < 0x2000000:
                    y = (size << 6) // x
                else:
                    y = size // ((x >> 6) + 1)
                if y > params[_P_SIZE_COST]:
                    y = params[_P_SIZE_COST]
                x = tracks[o + _WIDE]
                if center < 0x2000000:
                    y += maneuver_cost + (center << 6) // x
                else:
                    y += maneuver_cost + center // ((x >> 6) + 1)
                if y < cost:
                    cost = y
            if cost >= gate:
                continue
            cost += tracks[o + _COST]
            if tracks[o + _CLASS_ID] != rows[e + _D_CLASS_ID]:
                cost += params[_P_CLASS_COST]
            if only < 0:
                if cost < lowest:
                    lowest = cost
                    nearest = o
            elif cost < gate and tracks[o + _A_DONE] == 0:
                cost += so_far + tracks[o + _PRICE]
                if cost < tracks[o + _REACH]:
                    tracks[o + _REACH] = cost
                    tracks[o + _A_FROM] = e
        if only < 0:
            rows[e + _D_LIMIT] = lowest
            if nearest >= 0:
                if tracks[nearest + _FOUND] < 0:
                    tracks[nearest + _FOUND] = e
                    rows[e + _D_TRACK] = nearest
                else:
                    unsettled = 1
        e += _DETECTION
    return unsettled + others


@micropython.viper
def next_unsettled(tracks: ptr32, rows: ptr32, params: ptr32, turn: int) -> int:
    """The next detection of this round without a pair though there is a track for it: its row, or -1. Begins its search."""
    for e in range(0, params[_P_COUNT] * _DETECTION, _DETECTION):
        if rows[e + _D_ROUND] == turn and rows[e + _D_TRACK] < 0 and rows[e + _D_LIMIT] < params[_P_GATE]:
            for o in range(_HEADER, _HEADER + tracks[_COUNT] * _TRACK, _TRACK):
                tracks[o + _REACH] = _FAR
                tracks[o + _A_DONE] = 0
            return e
    return -1


@micropython.viper
def reassign(tracks: ptr32, rows: ptr32, params: ptr32, first: int) -> int:
    """Follow the shortest path from the detection `first`: a step, or the whole path backwards once its end is found.

    Returns the row of the detection to search from next; or -1, with all pairs on the path changed.
    """
    end = _HEADER + tracks[_COUNT] * _TRACK
    # A path ends at a detection that does without a pair ...
    gate = params[_P_GATE]
    lowest = gate - rows[first + _D_LIMIT]
    loser = first
    for o in range(_HEADER, end, _TRACK):
        if tracks[o + _A_DONE] and tracks[o + _FOUND] >= 0:
            x = tracks[o + _REACH] + gate - rows[tracks[o + _FOUND] + _D_LIMIT]
            if x < lowest:
                lowest = x
                loser = tracks[o + _FOUND]
    # ... or at a free track.
    nearest = -1
    for o in range(_HEADER, end, _TRACK):
        if tracks[o + _A_DONE] == 0 and tracks[o + _REACH] < lowest:
            lowest = tracks[o + _REACH]
            nearest = o
    if nearest >= 0:
        if tracks[nearest + _FOUND] >= 0:
            tracks[nearest + _A_DONE] = 1
            return tracks[nearest + _FOUND]
    for o in range(_HEADER, end, _TRACK):
        if tracks[o + _A_DONE]:
            x = lowest - tracks[o + _REACH]
            tracks[o + _PRICE] += x
            rows[tracks[o + _FOUND] + _D_LIMIT] += x
    rows[first + _D_LIMIT] += lowest
    if nearest < 0:
        nearest = rows[loser + _D_TRACK]
        rows[loser + _D_TRACK] = -1
    while nearest >= 0:
        e = tracks[nearest + _A_FROM]
        tracks[nearest + _FOUND] = e
        o = rows[e + _D_TRACK]
        rows[e + _D_TRACK] = nearest
        nearest = o
    return -1


@micropython.viper
def is_displaced(tracks: ptr32, rows: ptr32, params: ptr32) -> int:
    """Whether most of the tracks that were seen in the last update are far from their detections, or have none."""
    count = 0
    astray = 0
    for o in range(_HEADER, _HEADER + tracks[_COUNT] * _TRACK, _TRACK):
        if tracks[o + _ID] and tracks[o + _MISSES] == 0 and tracks[o + _HITS] > 2:
            count += 1
            e = tracks[o + _FOUND]
            if e < 0:
                astray += 1
            else:
                x = (tracks[o + _X] - rows[e + _D_X]) >> 2
                y = (tracks[o + _Y] - rows[e + _D_Y]) >> 2
                if x * x + y * y > 6 * tracks[o + _VARIANCE]:
                    astray += 1
    if count > 2 and 2 * astray > count:
        return 1
    return 0


@micropython.viper
def follow_camera(tracks: ptr32, rows: ptr32, params: ptr32, votes: ptr8) -> int:
    """Move all tracks by the displacement that most of them have in common. Returns 0 if there is none.

    votes   _CELLS * _CELLS bytes, zeros

    Each pair of a track and a detection of similar size votes for its displacement, in cells of an eighth of the mean side,
    and so for the four squares of two by two cells that contain it. If a square wins, all pairs are free again.
    """
    end = _HEADER + tracks[_COUNT] * _TRACK
    last = params[_P_COUNT] * _DETECTION
    count = 0
    cell = 0
    for o in range(_HEADER, end, _TRACK):
        if tracks[o + _ID] and tracks[o + _MISSES] == 0 and tracks[o + _HITS] > 2:
            count += 1
            cell += (tracks[o + _W] + tracks[o + _H]) >> 4
    cell = cell // count
    if cell < 16:
        cell = 16
    half = cell * (_CELLS >> 1)
    most = 0
    best = -1
    shift_x = 0
    shift_y = 0
    pairs = 0
    for turn in range(2):  # find the square; then the mean of its votes
        for o in range(_HEADER, end, _TRACK):
            if tracks[o + _ID] == 0 or tracks[o + _MISSES] or tracks[o + _HITS] < 3:
                continue
            for e in range(0, last, _DETECTION):
                if rows[e + _D_ROUND] != 1:
                    continue
                x = rows[e + _D_X] - tracks[o + _X]
                y = rows[e + _D_Y] - tracks[o + _Y]
                if x <= cell - half or y <= cell - half or x >= half or y >= half:
                    continue
                w = rows[e + _D_W] - tracks[o + _W]
                h = rows[e + _D_H] - tracks[o + _H]
                if w < 0:
                    w = 0 - w
                if h < 0:
                    h = 0 - h
                if 4 * w > tracks[o + _W] or 4 * h > tracks[o + _H]:
                    continue
                i = ((y + half) // cell) * _CELLS + (x + half) // cell
                if turn == 0:
                    for j in range(4):
                        square = i - (j & 1) - (j >> 1) * _CELLS
                        if votes[square] < 255:
                            votes[square] += 1
                        if votes[square] > most:
                            most = votes[square]
                            best = square
                elif i == best or i == best + 1 or i == best + _CELLS or i == best + _CELLS + 1:
                    shift_x += x
                    shift_y += y
                    pairs += 1
        if turn == 0:
            still = 0
            for j in range(4):
                square = votes[(_CELLS + 1) * (_CELLS >> 1) - (j & 1) - (j >> 1) * _CELLS]
                if square > still:
                    still = square
            if most < 3 or 2 * most <= count or 2 * most <= 3 * still:
                return 0
    shift_x = shift_x // pairs
    shift_y = shift_y // pairs
    for o in range(_HEADER, end, _TRACK):
        tracks[o + _FOUND] = -1
        tracks[o + _PRICE] = 0
        tracks[o + _X] += shift_x
        tracks[o + _Y] += shift_y
        for i in range(2):
            if tracks[o + _X + i] < _LOWEST * 16:
                tracks[o + _X + i] = _LOWEST * 16
            if tracks[o + _X + i] > _HIGHEST * 16:
                tracks[o + _X + i] = _HIGHEST * 16
    for e in range(0, last, _DETECTION):
        rows[e + _D_TRACK] = -1
    return 1


@micropython.viper
def mask_centroid(data: ptr8, table: ptr32, at: int, transform: ptr32, rows: ptr32, e: int):
    """Write the centroid of a mask into the row e of its detection. An empty mask leaves the row as it is.

    data        the masks' bytes; 128 and more is inside
    table, at   a table as boxes_to_frame writes it, or one made by drawing_params.row, and where the mask's row begins. If
                the row has no crop, the whole window counts
    transform   from mask to frame: x and y scale in 1/256, x and y offset in 1/16 pixel (track_params.mask_transform)

    From 16 columns on every second one is examined, from 32 on every third, and so on; rows alike.
    """
    x0 = table[at + _ROW_WINDOW_X]
    y0 = table[at + _ROW_WINDOW_Y]
    width = table[at + _ROW_WINDOW_W]
    start = table[at + _ROW_START]
    w = width
    h = table[at + _ROW_WINDOW_H]
    if table[at + _ROW_CROP_X1]:
        start += (table[at + _ROW_CROP_Y0] - y0) * width + table[at + _ROW_CROP_X0] - x0
        x0 = table[at + _ROW_CROP_X0]
        y0 = table[at + _ROW_CROP_Y0]
        w = table[at + _ROW_CROP_X1] - x0
        h = table[at + _ROW_CROP_Y1] - y0
    step = 1 + (w >> 4)
    down = 1 + (h >> 4)
    mass = 0
    xs = 0
    ys = 0
    y = 0
    while y < h:
        first = start + y * width
        last = first + w
        i = first
        count = 0
        total = 0
        while i < last:
            if data[i] >= 128:
                count += 1
                total += i
            i += step
        mass += count
        xs += total - count * first
        ys += count * y
        y += down
    if mass:
        rows[e + _D_CENTROID_X] = ((((x0 << 4) + 8 + (xs << 4) // mass) * transform[0]) >> 8) + transform[2]
        rows[e + _D_CENTROID_Y] = ((((y0 << 4) + 8 + (ys << 4) // mass) * transform[1]) >> 8) + transform[3]


def update_tracks(tracks, rows, params):
    """Correct the tracks that have a detection, slow down the others, start new tracks and give ids."""
    use_centroids(tracks, rows)
    correct(tracks, rows, params)
    slow_down(tracks, params)
    e = next_unpaired(rows, params, 0)
    while e >= 0:
        if not is_covered(rows, params, e):
            start_track(tracks, rows, params, e)
        e = next_unpaired(rows, params, e + _DETECTION)
    give_ids(tracks, rows, params)


@micropython.viper
def use_centroids(tracks: ptr32, rows: ptr32):
    """Replace the centroid of each paired detection by its center as measured: with a mask from that, else the box's.

    A mask's centroid jitters half as much as the box. The measured center is the centroid plus the mean offset from centroid
    to box center; each frame counts for an eighth in that mean.
    """
    for o in range(_HEADER, _HEADER + tracks[_COUNT] * _TRACK, _TRACK):
        e = tracks[o + _FOUND]
        if e < 0:
            continue
        if rows[e + _D_CENTROID_X] == _NO_MASK:
            tracks[o + _MASKED] = 0
            rows[e + _D_CENTROID_X] = rows[e + _D_X]
            rows[e + _D_CENTROID_Y] = rows[e + _D_Y]
            continue
        x = rows[e + _D_X] - rows[e + _D_CENTROID_X]
        y = rows[e + _D_Y] - rows[e + _D_CENTROID_Y]
        if tracks[o + _MASKED]:
            x = tracks[o + _OFFSET_X] + ((x - tracks[o + _OFFSET_X] + 4) >> 3)
            y = tracks[o + _OFFSET_Y] + ((y - tracks[o + _OFFSET_Y] + 4) >> 3)
        tracks[o + _OFFSET_X] = x
        tracks[o + _OFFSET_Y] = y
        tracks[o + _MASKED] = 1
        rows[e + _D_CENTROID_X] += x
        rows[e + _D_CENTROID_Y] += y


@micropython.viper
def correct(tracks: ptr32, rows: ptr32, params: ptr32):
    """The filter's correction of the tracks by their detections, and what a track counts of these.

    The gains k of the position and kv of the velocity are K = P H^T / S, in 1/4096. P -= K H P.

    A detection of a low score has twice the variance: it is often a box around the part of an object that can be seen, or
    around two objects.

    If the difference is larger than `surprise` times what is expected, P grows by the rest, as far as the object has changed
    its velocity meanwhile: half of it is attributed to that, and half to a jump.
    """
    for o in range(_HEADER, _HEADER + tracks[_COUNT] * _TRACK, _TRACK):
        e = tracks[o + _FOUND]
        if e < 0:
            continue
        area = ((tracks[o + _W] >> 2) * (tracks[o + _H] >> 2)) >> 4
        if area > _LARGEST_AREA:
            area = _LARGEST_AREA
        floor = area * params[_P_FLOOR_PART]
        if floor > params[_P_FLOOR]:
            floor = params[_P_FLOOR]
        if floor < _SMALLEST_NOISE:
            floor = _SMALLEST_NOISE
        t = tracks[o + _MISSED]
        if t > 0 and t < 64:
            t = 64
        for i in range(2):
            b = o + i * _SIZE
            seen = e + _D_CENTROID_X
            if i:
                seen = e + _D_W
            pp = tracks[b + _PP]
            pv = tracks[b + _PV]
            vv = tracks[b + _VV]
            s = ((area * params[_P_NOISE + i * _P_BLOCK]) >> 8) + floor
            if rows[e + _D_ROUND] == 2:
                s <<= 1
            s += pp
            more = tracks[b + _MANEUVER]
            more = (more * params[_P_FORGET]) >> 8
            excess = 0 - (((s >> 6) * params[_P_SURPRISE]) >> 4)
            x = (rows[seen] - tracks[b]) >> 2
            excess += (x * x) >> 1
            x = (rows[seen + 1] - tracks[b + _Y]) >> 2
            excess += (x * x) >> 1
            if excess > 0 and t:
                if excess > 0x3FFFFF:
                    excess = 0x3FFFFF
                excess <<= 4
                pp += excess
                s += excess
                x = ((excess << 1) // t) << 6
                pv += x
                if pv > _LARGEST_COVARIANCE:
                    pv = _LARGEST_COVARIANCE
                x = ((x << 2) // t) << 6
                if x > _LARGEST_SPEED:
                    x = _LARGEST_SPEED
                vv += x
                more += ((x >> 2) * params[_P_LEARN]) >> 6
                if more > _LARGEST_MANEUVER:
                    more = _LARGEST_MANEUVER
            tracks[b + _MANEUVER] = more
            kv = 8192
            x = pp
            excess = pv
            while s > 0x1FFFF:  # 17 bits: the products fit in 31
                s >>= 1
                x >>= 1
                excess >>= 1
            k = (x << 12) // s
            if excess < 2 * s:
                kv = (excess << 12) // s
            for axis in range(2):
                x = rows[seen + axis] - tracks[b + axis]
                tracks[b + axis] += (k * x + 2048) >> 12
                x = tracks[b + _VX + axis] + ((kv * x + 128) >> 8)
                if x > _FASTEST:
                    x = _FASTEST
                if x < -_FASTEST:
                    x = -_FASTEST
                tracks[b + _VX + axis] = x
            vv -= (pv >> 12) * kv + (((pv & 4095) * kv) >> 12)
            if vv < 0:
                vv = 0
            if vv > _LARGEST_SPEED:
                vv = _LARGEST_SPEED
            tracks[b + _VV] = vv
            k = 4096 - k
            tracks[b + _PP] = (pp >> 12) * k + (((pp & 4095) * k) >> 12)
            tracks[b + _PV] = (pv >> 12) * k + (((pv & 4095) * k) >> 12)
        tracks[o + _MISSED] = 0
        tracks[o + _MISSES] = 0
        tracks[o + _HITS] += 1
        if rows[e + _D_ROUND] == 1:
            tracks[o + _UNSURE] = 0
        tracks[o + _CLASS_ID] = rows[e + _D_CLASS_ID]


@micropython.viper
def slow_down(tracks: ptr32, params: ptr32):
    """Reduce the velocities of the tracks without a detection, and their covariance with them.

    A hidden object is more likely to stop than to go on, and a prediction that has run away is not found again. The
    size stops almost at once: mostly it changed because the last boxes were around the part that was not hidden yet.
    """
    for o in range(_HEADER, _HEADER + tracks[_COUNT] * _TRACK, _TRACK):
        if tracks[o + _FOUND] >= 0:
            continue
        tracks[o + _MISSES] += 1
        f = params[_P_FADE]
        for b in range(o, o + 2 * _SIZE, _SIZE):
            ff = (f * f) >> 8
            for i in range(_VX, _PP):
                tracks[b + i] = (tracks[b + i] * f + 128) >> 8
            pv = tracks[b + _PV]
            tracks[b + _PV] = (pv >> 8) * f + (((pv & 255) * f) >> 8)
            vv = tracks[b + _VV]
            tracks[b + _VV] = (vv >> 8) * ff + (((vv & 255) * ff) >> 8)
            f = _SIZE_FADE


@micropython.viper
def next_unpaired(rows: ptr32, params: ptr32, first: int) -> int:
    """The next detection of a high score without a track: its row from `first` on, or -1."""
    for e in range(first, params[_P_COUNT] * _DETECTION, _DETECTION):
        if rows[e + _D_TRACK] < 0 and rows[e + _D_ROUND] == 1:
            return e
    return -1


@micropython.viper
def is_covered(rows: ptr32, params: ptr32, e: int) -> int:
    """Whether most of a detection lies on another one of its class that has a track, or the other way round.

    It is a second box of one object, then, or an object that is half hidden: it starts no track.
    """
    area = (rows[e + _D_W] >> 4) * (rows[e + _D_H] >> 4)
    for i in range(0, params[_P_COUNT] * _DETECTION, _DETECTION):
        if rows[i + _D_TRACK] < 0 or rows[i + _D_CLASS_ID] != rows[e + _D_CLASS_ID]:
            continue
        x = rows[e + _D_X] - rows[i + _D_X]
        if x < 0:
            x = 0 - x
        w = rows[e + _D_W]
        if rows[i + _D_W] < w:
            w = rows[i + _D_W]
        x = ((rows[e + _D_W] + rows[i + _D_W]) >> 1) - x
        if x < w:
            w = x
        y = rows[e + _D_Y] - rows[i + _D_Y]
        if y < 0:
            y = 0 - y
        h = rows[e + _D_H]
        if rows[i + _D_H] < h:
            h = rows[i + _D_H]
        y = ((rows[e + _D_H] + rows[i + _D_H]) >> 1) - y
        if y < h:
            h = y
        if w > 0 and h > 0:
            smaller = (rows[i + _D_W] >> 4) * (rows[i + _D_H] >> 4)
            if area < smaller:
                smaller = area
            # In pixel^2, and the fraction in 1/256.
            if (w >> 4) * (h >> 4) > (smaller >> 8) * params[_P_COVERED] + (((smaller & 255) * params[_P_COVERED]) >> 8):
                return 1
    return 0


@micropython.viper
def start_track(tracks: ptr32, rows: ptr32, params: ptr32, e: int):
    """Start a track for a detection: in a new row, or in that of the track that is lost for longest if the table is full."""
    count = tracks[_COUNT]
    o = -1
    if count < params[_P_MAX_TRACKS]:
        o = _HEADER + count * _TRACK
        tracks[_COUNT] = count + 1
    else:
        longest = 0
        for i in range(_HEADER, _HEADER + count * _TRACK, _TRACK):
            if tracks[i + _MISSED] > longest:
                longest = tracks[i + _MISSED]
                o = i
    if o < 0:
        return
    area = ((rows[e + _D_W] >> 2) * (rows[e + _D_H] >> 2)) >> 4
    if area > _LARGEST_AREA:
        area = _LARGEST_AREA
    for i in range(_TRACK):
        tracks[o + i] = 0
    tracks[o + _X] = rows[e + _D_X]
    tracks[o + _Y] = rows[e + _D_Y]
    tracks[o + _W] = rows[e + _D_W]
    tracks[o + _H] = rows[e + _D_H]
    floor = area * params[_P_FLOOR_PART]
    if floor > params[_P_FLOOR]:
        floor = params[_P_FLOOR]
    if floor < _SMALLEST_NOISE:
        floor = _SMALLEST_NOISE
    for i in range(2):
        b = o + i * _SIZE
        tracks[b + _PP] = ((area * params[_P_NOISE + i * _P_BLOCK]) >> 8) + floor
        x = ((area >> 2) * (params[_P_FIRST_SPEED + i * _P_BLOCK] >> 2)) >> 4
        if x > _LARGEST_SPEED:
            x = _LARGEST_SPEED
        tracks[b + _VV] = x
    tracks[o + _HITS] = 1
    tracks[o + _CLASS_ID] = rows[e + _D_CLASS_ID]
    tracks[o + _FOUND] = e
    if rows[e + _D_CENTROID_X] != _NO_MASK:
        tracks[o + _MASKED] = 1
        tracks[o + _OFFSET_X] = rows[e + _D_X] - rows[e + _D_CENTROID_X]
        tracks[o + _OFFSET_Y] = rows[e + _D_Y] - rows[e + _D_CENTROID_Y]
    rows[e + _D_TRACK] = o


@micropython.viper
def give_ids(tracks: ptr32, rows: ptr32, params: ptr32):
    """Confirm the tracks that have had enough detections: each gets the next id, in the order of the detections."""
    for e in range(0, params[_P_COUNT] * _DETECTION, _DETECTION):
        o = rows[e + _D_TRACK]
        if o >= 0:
            if tracks[o + _ID] == 0 and tracks[o + _HITS] >= params[_P_MIN_HITS]:
                track_id = tracks[_NEXT_ID]
                tracks[o + _ID] = track_id
                tracks[_NEXT_ID] = track_id + 1 if track_id < _LARGEST_ID else 1


@micropython.viper
def tracks_to_rects(tracks: ptr32):
    """Write the rect of each track, in pixels, clipped to the header's bounding box."""
    o = _HEADER
    for _ in range(tracks[_COUNT]):
        x = tracks[o + _X] * 2
        w = tracks[o + _W]
        left = (x - w + 16) >> 5
        right = (x + w + 16) >> 5
        if left < tracks[_LEFT]:
            left = tracks[_LEFT]
        if left > tracks[_RIGHT]:
            left = tracks[_RIGHT]
        if right > tracks[_RIGHT]:
            right = tracks[_RIGHT]
        y = tracks[o + _Y] * 2
        h = tracks[o + _H]
        top = (y - h + 16) >> 5
        bottom = (y + h + 16) >> 5
        if top < tracks[_TOP]:
            top = tracks[_TOP]
        if top > tracks[_BOTTOM]:
            top = tracks[_BOTTOM]
        if bottom > tracks[_BOTTOM]:
            bottom = tracks[_BOTTOM]
        w = right - left
        if w < 0:
            w = 0
        h = bottom - top
        if h < 0:
            h = 0
        tracks[o + _RECT_X] = left
        tracks[o + _RECT_Y] = top
        tracks[o + _RECT_W] = w
        tracks[o + _RECT_H] = h
        o += _TRACK


_store = object.__setattr__  # past Detection.__setattr__
_NO_RESULT = None  # viper cannot compare with the constant None


@micropython.viper
def tracked_detections(detections, rows: ptr32, tracks: ptr32, smooth: int, make, memory):
    """A list of new detections with `track_id`, of those that belong to confirmed tracks.

    detections  list of Detection, as for load_detections
    smooth      1: with the rects of the tracks, which tracks_to_rects has written; 0: with their own
    make        the class Detection
    memory      the tracker's TrackMemory

    Each gets a tuple `_track`, which results/detection.py describes.
    """
    result = []
    store = _store
    none = _NO_RESULT
    e = 0
    for j in range(int(len(detections))):
        o = rows[e + _D_TRACK]
        if o >= 0:
            if tracks[o + _ID]:
                d = detections[j]
                rect, score, class_id, label, mask, keypoints = d
                if smooth:
                    rect = (tracks[o + _RECT_X], tracks[o + _RECT_Y], tracks[o + _RECT_W], tracks[o + _RECT_H])
                tracked = make(rect, score, class_id, label, mask, keypoints)
                store(tracked, "_source", d._source)
                store(tracked, "_track", (tracks[o + _ID], tracks[o + _AGE], 0, tracks[o + _VX], tracks[o + _VY], memory))
                found = d._result
                if found is not none:
                    store(tracked, "_result", found)
                result.append(tracked)
        e += _DETECTION
    return result
