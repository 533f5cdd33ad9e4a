"""The loops of a Tracker over the tracks and detections of a frame, in integers: viper compiles them to machine code.

portable_tracks.py is the same source in plain Python, without viper's own syntax, for CPython and for a MicroPython that
makes no machine code. scripts/dev/generate.py writes it. Both give the same numbers as long as no number leaves 32 bits;
the limits in the code ensure that.

tracks  array('i'): a header, then a row for each track
rows    array('i'): a row for each detection of the frame
params  the parameter block, made by track_params.tracking
units   x, y, w, h in 1/16 pixel; velocities in 1/256 pixel a frame; variances in 1/256 pixel^2; time in 1/256 frame; costs
        (squared Mahalanobis distances) in 1/64

The constants below are the positions of the words in these arrays. A row is referred to by the position of its first word:
`o` in tracks, `e` in rows.

The filter: the center moves at a constant velocity that is disturbed by white noise of acceleration (Bar-Shalom, Li and
Kirubarajan, Estimation with Applications to Tracking and Navigation, 6.2). The size changes by a random walk. x and y share
one covariance, w and h share a variance. All noise is proportional to sqrt(w h): objects that are near move and jitter more.
"""

import micropython
from micropython import const

# The header of the tracks.
_HEADER = const(6)  # number of words
_COUNT = const(0)  # of tracks
_NEXT_ID = const(1)
_LARGEST_ID = const(0x3FFFFFFF)  # of the camera's small ints: behind it, ids begin again at 1
_LEFT = const(2)  # bounding box of all rects so far, pixels
_TOP = const(3)
_RIGHT = const(4)
_BOTTOM = const(5)
# A track.
_TRACK = const(26)  # number of words
_X = const(0)  # the center
_Y = const(1)
_PP = const(2)  # variance of the position, its covariance with the velocity, variance of the velocity
_PV = const(3)
_VV = const(4)
_PS = const(5)  # variance of the size
_MISSED = const(6)  # 1/256 frames since its last detection
_FOUND = const(7)  # the row of its detection, or -1
_CENTER_VARIANCE = const(8)  # of the difference to a detection, 1/16 pixel^2
_SIZE_VARIANCE = const(9)
_RECT_X = const(10)  # pixels
_RECT_Y = const(11)
_RECT_W = const(12)
_RECT_H = const(13)
_COST = const(14)  # added for any detection, 1/64
_W = const(15)  # from here on a prediction changes nothing
_H = const(16)
_VX = const(17)
_VY = const(18)
_HITS = const(19)  # number of detections so far
_ID = const(20)  # 0 if not confirmed
_CLASS_ID = const(21)  # of the last detection
_MASKED = const(22)  # 1 if the last detection had a mask, else 0
_OFFSET_X = const(23)  # mean offset from the mask's centroid to the box's center
_OFFSET_Y = const(24)
_UNSURE = const(25)  # 1/256 frames since a detection of a high score
# A detection.
_DETECTION = const(11)  # number of words
_D_X = const(0)  # the center
_D_Y = const(1)
_D_W = const(2)
_D_H = const(3)
_D_CLASS_ID = const(4)
_D_ROUND = const(5)  # 1 or 2; 0 if its score is too low
_D_NEAREST = const(6)  # the row of the nearest free track; -1 if there is none, -2 before the first search
_D_COST = const(7)  # of the nearest track
_D_TRACK = const(8)  # the row of its track, or -1
_D_CENTROID_X = const(9)  # of its mask, or _NO_MASK
_D_CENTROID_Y = const(10)
# The parameter block.
_P_COUNT = const(0)
_P_DT = const(1)
_P_FADE = const(2)
_P_MAX_AGE = const(3)
_P_MIN_HITS = const(4)
_P_MAX_TRACKS = const(5)
_P_GATE = const(6)
_P_CLASS_COST = const(7)
_P_AGE_COST = const(8)
_P_DOUBT_COST = const(9)
_P_FLOOR = const(10)
_P_CENTER_NOISE = const(11)
_P_SIZE_NOISE = const(12)
_P_ACCELERATION = const(13)
_P_GROWTH = const(14)
_P_FIRST_SPEED = const(15)
_P_COVERED = const(16)
# A row of the table of boxes_to_frame (drawing_params.row).
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
_FASTEST = const(0x3FFFF)  # 1/256 pixel a frame: 1,024 pixels


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
        rows[e + _D_NEAREST] = -2
        rows[e + _D_TRACK] = -1
        rows[e + _D_CENTROID_X] = _NO_MASK
        e += _DETECTION
    return -1


@micropython.viper
def predict(old: ptr32, tracks: ptr32, params: ptr32):
    """Predict the tracks after the block's dt, and drop those that are lost for too long.

    old     the tracks after the last update, which are not changed
    tracks  an array of the same size, written
    """
    dt = params[_P_DT]
    t = dt
    if t > _FARTHEST:
        t = _FARTHEST
    for i in range(_HEADER):
        tracks[i] = old[i]
    o = _HEADER
    to = _HEADER
    for _ in range(old[_COUNT]):
        limit = 256  # a track that is not confirmed may miss one frame
        if old[o + _ID]:
            limit = params[_P_MAX_AGE]
        if old[o + _MISSED] + dt - 256 <= limit:
            for i in range(_W, _TRACK):
                tracks[to + i] = old[o + i]
            x = old[o + _X] + ((old[o + _VX] * t + 2048) >> 12)
            if x < _LOWEST * 16:
                x = _LOWEST * 16
            if x > _HIGHEST * 16:
                x = _HIGHEST * 16
            y = old[o + _Y] + ((old[o + _VY] * t + 2048) >> 12)
            if y < _LOWEST * 16:
                y = _LOWEST * 16
            if y > _HIGHEST * 16:
                y = _HIGHEST * 16
            tracks[to + _X] = x
            tracks[to + _Y] = y
            area = ((old[o + _W] >> 2) * (old[o + _H] >> 2)) >> 4
            if area > _LARGEST_AREA:
                area = _LARGEST_AREA
            # P' = F P F^T + Q with F = (1 t; 0 1), Q = q (t^3/3 t^2/2; t^2/2 t). A product of two large numbers is computed
            # in two parts: (a >> 8) * t + ((a & 255) * t >> 8) is a * t >> 8.
            q1 = (((area * params[_P_ACCELERATION]) >> 12) * t) >> 8
            q2 = (q1 * t) >> 8
            q3 = ((q2 >> 3) * t) >> 5
            vv = old[o + _VV]
            vt = (vv >> 8) * t + (((vv & 255) * t) >> 8)
            vtt = (vt >> 8) * t + (((vt & 255) * t) >> 8)
            pv = old[o + _PV]
            pp = old[o + _PP] + 2 * ((pv >> 8) * t + (((pv & 255) * t) >> 8)) + vtt + q3 // 3
            if pp > _LARGEST_VARIANCE:
                pp = _LARGEST_VARIANCE
            tracks[to + _PP] = pp
            tracks[to + _PV] = pv + vt + (q2 >> 1)
            tracks[to + _VV] = vv + q1
            ps = old[o + _PS] + ((((area * params[_P_GROWTH]) >> 12) * t) >> 8)
            if ps > _LARGEST_VARIANCE:
                ps = _LARGEST_VARIANCE
            tracks[to + _PS] = ps
            # The variances of the difference to a detection, in 1/16 pixel^2, the unit of the squares in find_nearest.
            noise = (((area * params[_P_CENTER_NOISE]) >> 8) + params[_P_FLOOR]) >> 4
            variance = (pp >> 4) + noise
            tracks[to + _CENTER_VARIANCE] = variance
            tracks[to + _SIZE_VARIANCE] = (ps + ((area * params[_P_SIZE_NOISE]) >> 8) + params[_P_FLOOR]) >> 4
            # The likelihood falls with the logarithm of the variance: here in 1/64 of a doubling, linear between doublings.
            cost = -64
            while variance >= 2 * noise:
                variance >>= 1
                cost += 64
            cost += (variance << 6) // noise
            tracks[to + _COST] = ((old[o + _MISSED] * params[_P_AGE_COST]) >> 8) + ((cost * params[_P_DOUBT_COST]) >> 6)
            tracks[to + _MISSED] = old[o + _MISSED] + dt
            tracks[to + _UNSURE] += dt
            tracks[to + _FOUND] = -1
            to += _TRACK
        else:
            tracks[_COUNT] -= 1
        o += _TRACK


def match(tracks, rows, params, turn):
    """Pair the detections of one round with free tracks: the pair of lowest cost first, as long as that is below the gate.

    turn    1: detections of high scores; 2: those of low scores

    The cost is (dx^2 + dy^2) / center variance + (dw^2 + dh^2) / size variance. It grows with every doubling of the center's
    variance, with every frame that the track has missed, and if the classes differ. Of equal costs the first detection wins,
    then the first track.
    """
    while find_nearest(tracks, rows, params, turn) and pair_nearest(tracks, rows, params, turn):
        pass


@micropython.viper
def find_nearest(tracks: ptr32, rows: ptr32, params: ptr32, turn: int) -> int:
    """Find the free track of lowest cost for each unpaired detection whose last one is taken, or not searched for yet.

    Returns 1 if there was such a detection, else 0.
    """
    searched = 0
    gate = params[_P_GATE]
    reach = (gate >> 6) + 1
    max_unsure = 0x3FFFFFFF
    min_id = 0
    if turn == 2:
        # A low score does not confirm a track. Nor does it keep one that had no high score for as long as a lost track is
        # kept: otherwise whatever is where an object was lost would keep its id for ever.
        max_unsure = params[_P_MAX_AGE]
        min_id = 1
    end = _HEADER + tracks[_COUNT] * _TRACK
    for e in range(0, params[_P_COUNT] * _DETECTION, _DETECTION):
        if rows[e + _D_ROUND] != turn or rows[e + _D_TRACK] >= 0:
            continue
        nearest = rows[e + _D_NEAREST]
        if nearest == -1:
            continue
        if nearest >= 0:
            if tracks[nearest + _FOUND] < 0:
                continue
        nearest = -1
        lowest = gate
        center_x = rows[e + _D_X]
        center_y = rows[e + _D_Y]
        for o in range(_HEADER, end, _TRACK):
            if tracks[o + _FOUND] >= 0 or tracks[o + _UNSURE] > max_unsure or tracks[o + _ID] < min_id:
                continue
            # (dx^2 + dy^2) / variance, if that may be below the gate at all: otherwise the sum might leave 32 bits.
            variance = tracks[o + _CENTER_VARIANCE]
            limit = reach * variance
            x = (tracks[o + _X] - center_x) >> 2
            x = x * x
            if x > limit:
                continue
            y = (tracks[o + _Y] - center_y) >> 2
            y = y * y
            if y > limit or x + y > limit:
                continue
            x += y
            if x < 0x2000000:
                cost = (x << 6) // variance
            else:
                cost = x // (variance >> 6)
            cost += tracks[o + _COST]
            if tracks[o + _CLASS_ID] != rows[e + _D_CLASS_ID]:
                cost += params[_P_CLASS_COST]
            if cost >= lowest:
                continue
            # The same for the size.
            variance = tracks[o + _SIZE_VARIANCE]
            limit = reach * variance
            x = (tracks[o + _W] - rows[e + _D_W]) >> 2
            x = x * x
            y = (tracks[o + _H] - rows[e + _D_H]) >> 2
            y = y * y
            if x > limit or y > limit or x + y > limit:
                continue
            x += y
            if x < 0x2000000:
                cost += (x << 6) // variance
            else:
                cost += x // (variance >> 6)
            if cost < lowest:
                lowest = cost
                nearest = o
        rows[e + _D_NEAREST] = nearest
        rows[e + _D_COST] = lowest
        searched = 1
    return searched


@micropython.viper
def pair_nearest(tracks: ptr32, rows: ptr32, params: ptr32, turn: int) -> int:
    """Pair detections with their nearest tracks, the lowest cost first. Returns 0 if no pair is left.

    Returns 1 as soon as the next detection's nearest track is taken: find_nearest has to search again. Until then the cost
    of such a detection is a lower bound, so no pair is made too early.
    """
    end = params[_P_COUNT] * _DETECTION
    while True:
        lowest = params[_P_GATE]
        chosen = -1
        for e in range(0, end, _DETECTION):
            if rows[e + _D_ROUND] == turn and rows[e + _D_TRACK] < 0 and rows[e + _D_NEAREST] >= 0:
                if rows[e + _D_COST] < lowest:
                    lowest = rows[e + _D_COST]
                    chosen = e
        if chosen < 0:
            return 0
        o = rows[chosen + _D_NEAREST]
        if tracks[o + _FOUND] >= 0:
            return 1
        rows[chosen + _D_TRACK] = o
        tracks[o + _FOUND] = chosen


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
    correct_centers(tracks, rows, params)
    correct_sizes(tracks, rows, params)
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
def correct_centers(tracks: ptr32, rows: ptr32, params: ptr32):
    """The filter's correction of centers and velocities, and of their covariance, by the centers that were measured.

    The gains k of the position and kv of the velocity are K = P H^T / S, in 1/4096. P -= K H P.
    """
    for o in range(_HEADER, _HEADER + tracks[_COUNT] * _TRACK, _TRACK):
        e = tracks[o + _FOUND]
        if e < 0:
            continue
        area = ((tracks[o + _W] >> 2) * (tracks[o + _H] >> 2)) >> 4
        if area > _LARGEST_AREA:
            area = _LARGEST_AREA
        pp = tracks[o + _PP]
        pv = tracks[o + _PV]
        s = pp + ((area * params[_P_CENTER_NOISE]) >> 8) + params[_P_FLOOR]
        kv = 8192
        if s > 0x3FFFF:
            k = pp // (s >> 12)
            if k > 4096:
                k = 4096
            if pv < 2 * s:
                kv = pv // (s >> 12)
        else:
            k = (pp << 12) // s
            if pv < 2 * s:
                kv = (pv << 12) // s
        for axis in range(2):
            x = rows[e + _D_CENTROID_X + axis] - tracks[o + _X + axis]
            tracks[o + _X + axis] += (k * x + 2048) >> 12
            x = tracks[o + _VX + axis] + ((kv * x + 128) >> 8)
            if x > _FASTEST:
                x = _FASTEST
            if x < -_FASTEST:
                x = -_FASTEST
            tracks[o + _VX + axis] = x
        vv = tracks[o + _VV] - ((kv * (pv >> 6)) >> 6)
        if vv < 0:
            vv = 0
        tracks[o + _VV] = vv
        k = 4096 - k
        tracks[o + _PP] = (pp >> 12) * k + (((pp & 4095) * k) >> 12)
        tracks[o + _PV] = (pv >> 12) * k + (((pv & 4095) * k) >> 12)


@micropython.viper
def correct_sizes(tracks: ptr32, rows: ptr32, params: ptr32):
    """The filter's correction of sizes and their variance by the detections' boxes, and what a track counts of these."""
    for o in range(_HEADER, _HEADER + tracks[_COUNT] * _TRACK, _TRACK):
        e = tracks[o + _FOUND]
        if e < 0:
            continue
        area = ((tracks[o + _W] >> 2) * (tracks[o + _H] >> 2)) >> 4
        if area > _LARGEST_AREA:
            area = _LARGEST_AREA
        ps = tracks[o + _PS]
        s = ps + ((area * params[_P_SIZE_NOISE]) >> 8) + params[_P_FLOOR]
        if s > 0x3FFFF:
            k = ps // (s >> 12)
            if k > 4096:
                k = 4096
        else:
            k = (ps << 12) // s
        tracks[o + _W] += (k * (rows[e + _D_W] - tracks[o + _W]) + 2048) >> 12
        tracks[o + _H] += (k * (rows[e + _D_H] - tracks[o + _H]) + 2048) >> 12
        k = 4096 - k
        tracks[o + _PS] = (ps >> 12) * k + (((ps & 4095) * k) >> 12)
        tracks[o + _MISSED] = 0
        tracks[o + _HITS] += 1
        if rows[e + _D_ROUND] == 1:
            tracks[o + _UNSURE] = 0
        tracks[o + _CLASS_ID] = rows[e + _D_CLASS_ID]


@micropython.viper
def slow_down(tracks: ptr32, params: ptr32):
    """Reduce the velocities of the tracks without a detection, and their covariance with them.

    A hidden object is more likely to stop than to go on, and a prediction that has run away is not found again.
    """
    f = params[_P_FADE]
    ff = (f * f) >> 8
    for o in range(_HEADER, _HEADER + tracks[_COUNT] * _TRACK, _TRACK):
        if tracks[o + _FOUND] >= 0:
            continue
        tracks[o + _VX] = (tracks[o + _VX] * f + 128) >> 8
        tracks[o + _VY] = (tracks[o + _VY] * f + 128) >> 8
        pv = tracks[o + _PV]
        tracks[o + _PV] = (pv >> 8) * f + (((pv & 255) * f) >> 8)
        vv = tracks[o + _VV]
        tracks[o + _VV] = (vv >> 8) * ff + (((vv & 255) * ff) >> 8)


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
    tracks[o + _PP] = ((area * params[_P_CENTER_NOISE]) >> 8) + params[_P_FLOOR]
    tracks[o + _VV] = (area * params[_P_FIRST_SPEED]) >> 8
    tracks[o + _PS] = ((area * params[_P_SIZE_NOISE]) >> 8) + params[_P_FLOOR]
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


@micropython.viper
def tracked_detections(detections, rows: ptr32, tracks: ptr32, smooth: int, make):
    """A list of new detections with `track_id`, of those that belong to confirmed tracks.

    detections  list of Detection, as for load_detections
    smooth      1: with the rects of the tracks, which tracks_to_rects has written; 0: with their own
    make        the class Detection
    """
    result = []
    store = _store
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
                store(tracked, "track_id", tracks[o + _ID])
                result.append(tracked)
        e += _DETECTION
    return result
