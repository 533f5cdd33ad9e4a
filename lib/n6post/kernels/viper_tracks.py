"""What a Tracker does to the tracks and detections of a frame, in whole numbers: viper makes machine code of it.

portable_tracks.py is this file without what is viper's own, written by scripts/dev/write_portable_tracks.py: the same
source in plain Python, for CPython and for a MicroPython that makes no machine code. It gives the same numbers as long as
nothing leaves 32 bits; the limits that hold it there are in the code, each where it is needed.

tracks  a header, then the tracks in rows; rows: the detections of a frame; plan: as track_plans.tracking makes it. What
        each word is stands at its constant below
units   x, y, w, h in 1/16 pixel; velocities in 1/256 pixel a frame; variances in 1/256 pixel^2; time in 1/256 frame; costs
        (squared Mahalanobis distances) in 1/64

The filter: a centre of constant velocity, disturbed by white noise of acceleration (Bar-Shalom, Li and Kirubarajan,
Estimation with Applications to Tracking and Navigation, 6.2), and a size that walks at random. x and y share one
covariance, w and h another, and every noise is a part of sqrt(w h): what is near moves and jitters more.
"""

import micropython
from micropython import const

# The header of the tracks.
_HEADER = const(6)  # its words
_COUNT = const(0)  # of tracks
_NEXT_ID = const(1)
_LEFT = const(2)  # the box around all rects so far, pixels
_TOP = const(3)
_RIGHT = const(4)
_BOTTOM = const(5)
# A track.
_TRACK = const(26)  # its words
_X = const(0)  # the middle
_Y = const(1)
_PP = const(2)  # covariance of the middle: of place, of place and velocity, of velocity
_PV = const(3)
_VV = const(4)
_PS = const(5)  # variance of the size
_MISSED = const(6)  # 1/256 frames since it was found
_FOUND = const(7)  # where its detection's row begins, or -1
_CENTRE_VARIANCE = const(8)  # of what a detection may differ by, 1/16 pixel^2
_SIZE_VARIANCE = const(9)
_RECT_X = const(10)  # pixels
_RECT_Y = const(11)
_RECT_W = const(12)
_RECT_H = const(13)
_COST = const(14)  # of whatever detection, 1/64
_W = const(15)  # what a prediction does not change begins here
_H = const(16)
_VX = const(17)
_VY = const(18)
_HITS = const(19)  # detections so far
_ID = const(20)  # 0: not confirmed
_CLASS_ID = const(21)  # of the last detection
_MASKED = const(22)  # whether the last detection had a mask; if so, from that mask's middle to the box's:
_OFFSET_X = const(23)
_OFFSET_Y = const(24)
_UNSURE = const(25)  # 1/256 frames since a detection of a high score
# A detection.
_DETECTION = const(11)  # its words
_D_X = const(0)  # the middle
_D_Y = const(1)
_D_W = const(2)
_D_H = const(3)
_D_CLASS_ID = const(4)
_D_ROUND = const(5)  # 1, 2 or 0: none
_D_NEAREST = const(6)  # where the row of the nearest free track begins, -1: there is none, -2: nobody has looked
_D_COST = const(7)  # of that
_D_TRACK = const(8)  # where the row of the track begins that it belongs to, or -1
_D_MIDDLE_X = const(9)  # of its mask, or _NO_MASK
_D_MIDDLE_Y = const(10)
# The plan.
_P_MANY = const(0)
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
_P_CENTRE_NOISE = const(11)
_P_SIZE_NOISE = const(12)
_P_ACCELERATION = const(13)
_P_GROWTH = const(14)
_P_FIRST_SPEED = const(15)
_P_COVERED = const(16)
# A row of kernels.place's table (drawing_plans.row).
_ROW_CROP_X0 = const(7)
_ROW_CROP_Y0 = const(8)
_ROW_CROP_X1 = const(9)
_ROW_CROP_Y1 = const(10)
_ROW_WINDOW_X = const(11)
_ROW_WINDOW_Y = const(12)
_ROW_WINDOW_W = const(13)
_ROW_WINDOW_H = const(14)
_ROW_START = const(15)

_NO_MASK = const(-0x3FFFFFFF)  # in _D_MIDDLE_X; a larger number is no small int, which viper needs
_LOWEST = const(-1024)  # pixels: where a rect may begin and end. Its differences, in quarters of a pixel, square to 31 bits
_HIGHEST = const(8191)
_FARTHEST = const(8 * 256)  # 1/256 frames that motion is predicted over at once: a longer gap counts as this
_LARGEST_VARIANCE = const(0x0FFFFFFF)  # 1/256 pixel^2: a standard deviation of 1,024 pixels
_LARGEST_AREA = const(0xFFFFF)  # pixel^2: what is larger has the noise of this
_FASTEST = const(0x3FFFF)  # 1/256 pixel a frame: 1,024 pixels


@micropython.viper
def read(found, rows: ptr32, tracks: ptr32, threshold, low_threshold) -> int:
    """Detections into rows, each with the round that its score belongs to: 1 high, 2 low, 0 neither (or NaN).

    Returns -1, or which detection is the first whose rect is out of range. Widens the header's box to all rects: it lies in
    the frame as they do, so that what is cut to it does.
    """
    e = 0
    for j in range(int(len(found))):
        rect, score, class_id, _, _, _ = found[j]
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
        rows[e + _D_MIDDLE_X] = _NO_MASK
        e += _DETECTION
    return -1


@micropython.viper
def predict(old: ptr32, tracks: ptr32, plan: ptr32):
    """The tracks of `old` that are not too old, a plan's dt later, into `tracks`."""
    dt = plan[_P_DT]
    t = dt
    if t > _FARTHEST:
        t = _FARTHEST
    for i in range(_HEADER):
        tracks[i] = old[i]
    o = _HEADER
    to = _HEADER
    for _ in range(old[_COUNT]):
        limit = 256  # not confirmed: one frame may be missed
        if old[o + _ID]:
            limit = plan[_P_MAX_AGE]
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
            # P' = F P F^T + Q with F = (1 t; 0 1), Q = q (t^3/3 t^2/2; t^2/2 t). A product of two long numbers is taken in
            # two parts: (a >> 8) * t + ((a & 255) * t >> 8) is a * t >> 8.
            q1 = (((area * plan[_P_ACCELERATION]) >> 12) * t) >> 8
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
            ps = old[o + _PS] + ((((area * plan[_P_GROWTH]) >> 12) * t) >> 8)
            if ps > _LARGEST_VARIANCE:
                ps = _LARGEST_VARIANCE
            tracks[to + _PS] = ps
            # Of what a detection would differ by; in 1/16 pixel^2, as the differences below are squared.
            noise = (((area * plan[_P_CENTRE_NOISE]) >> 8) + plan[_P_FLOOR]) >> 4
            variance = (pp >> 4) + noise
            tracks[to + _CENTRE_VARIANCE] = variance
            tracks[to + _SIZE_VARIANCE] = (ps + ((area * plan[_P_SIZE_NOISE]) >> 8) + plan[_P_FLOOR]) >> 4
            # The likelihood falls with the logarithm of the variance, here in 1/64 of a doubling, and linear between two.
            cost = -64
            while variance >= 2 * noise:
                variance >>= 1
                cost += 64
            cost += (variance << 6) // noise
            tracks[to + _COST] = ((old[o + _MISSED] * plan[_P_AGE_COST]) >> 8) + ((cost * plan[_P_DOUBT_COST]) >> 6)
            tracks[to + _MISSED] = old[o + _MISSED] + dt
            tracks[to + _UNSURE] += dt
            tracks[to + _FOUND] = -1
            to += _TRACK
        else:
            tracks[_COUNT] -= 1
        o += _TRACK


@micropython.viper
def match(tracks: ptr32, rows: ptr32, plan: ptr32, turn: int):
    """Give the detections of a round to tracks that are free, the nearest pair first, while their cost is below the gate.

    The cost is (dx^2 + dy^2) / centre variance + (dw^2 + dh^2) / size variance, and more for every doubling of the centre's
    variance, for every frame that the track has missed and for another class. Equal costs: the first detection, then the
    first track. Low scores confirm no track, and keep up none that had no high one for as long as a lost one is kept: what
    stands where somebody was lost would hold the number for ever.
    """
    many = plan[_P_MANY]
    count = tracks[_COUNT]
    gate = plan[_P_GATE]
    sure = 0x3FFFFFFF
    least_id = 0
    if turn == 2:
        sure = plan[_P_MAX_AGE]
        least_id = 1
    reach = (gate >> 6) + 1
    while True:
        low = gate
        chosen = -1
        e = 0
        for _ in range(many):
            if rows[e + _D_ROUND] == turn and rows[e + _D_TRACK] < 0:
                at = rows[e + _D_NEAREST]
                stale = 0
                if at == -2:
                    stale = 1
                elif at >= 0:
                    if tracks[at + _FOUND] >= 0:  # another detection was nearer
                        stale = 1
                if stale:
                    at = -1
                    least = gate
                    zx = rows[e + _D_X]
                    zy = rows[e + _D_Y]
                    o = _HEADER
                    for _ in range(count):
                        if tracks[o + _FOUND] < 0 and tracks[o + _UNSURE] <= sure and tracks[o + _ID] >= least_id:
                            variance = tracks[o + _CENTRE_VARIANCE]
                            far = reach * variance
                            x = (tracks[o + _X] - zx) >> 2
                            x = x * x
                            if x <= far:
                                y = (tracks[o + _Y] - zy) >> 2
                                y = y * y
                                if y <= far and x + y <= far:
                                    x += y
                                    if x < 0x2000000:
                                        cost = (x << 6) // variance
                                    else:
                                        cost = x // (variance >> 6)
                                    cost += tracks[o + _COST]
                                    if tracks[o + _CLASS_ID] != rows[e + _D_CLASS_ID]:
                                        cost += plan[_P_CLASS_COST]
                                    if cost < least:
                                        variance = tracks[o + _SIZE_VARIANCE]
                                        far = reach * variance
                                        x = (tracks[o + _W] - rows[e + _D_W]) >> 2
                                        x = x * x
                                        y = (tracks[o + _H] - rows[e + _D_H]) >> 2
                                        y = y * y
                                        if x <= far and y <= far and x + y <= far:
                                            x += y
                                            if x < 0x2000000:
                                                cost += (x << 6) // variance
                                            else:
                                                cost += x // (variance >> 6)
                                            if cost < least:
                                                least = cost
                                                at = o
                        o += _TRACK
                    rows[e + _D_NEAREST] = at
                    rows[e + _D_COST] = least
                if at >= 0 and rows[e + _D_COST] < low:
                    low = rows[e + _D_COST]
                    chosen = e
            e += _DETECTION
        if chosen < 0:
            return
        at = rows[chosen + _D_NEAREST]
        rows[chosen + _D_TRACK] = at
        tracks[at + _FOUND] = chosen


@micropython.viper
def middle(data: ptr8, table: ptr32, at: int, way: ptr32, rows: ptr32, e: int):
    """The middle of a mask's mass into the detection whose row begins at e; an empty mask has none.

    table, at   the row of kernels.place's table, or of drawing_plans.row, in which no crop means all of the window
    way         from mask to frame: x and y scale in 1/256, x and y offset in 1/16 pixel

    Of more than 16 columns every second is looked at, of more than 32 every third, and so on; of rows alike.
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
        places = 0
        while i < last:
            if data[i] >= 128:
                count += 1
                places += i
            i += step
        mass += count
        xs += places - count * first
        ys += count * y
        y += down
    if mass:
        rows[e + _D_MIDDLE_X] = ((((x0 << 4) + 8 + (xs << 4) // mass) * way[0]) >> 8) + way[2]
        rows[e + _D_MIDDLE_Y] = ((((y0 << 4) + 8 + (ys << 4) // mass) * way[1]) >> 8) + way[3]


@micropython.viper
def learn(tracks: ptr32, rows: ptr32, plan: ptr32):
    """Correct the tracks that were found, let the others slow down, begin new ones, give ids."""
    many = plan[_P_MANY]
    count = tracks[_COUNT]
    o = _HEADER
    for _ in range(count):
        e = tracks[o + _FOUND]
        pp = tracks[o + _PP]
        pv = tracks[o + _PV]
        vv = tracks[o + _VV]
        if e >= 0:
            # K = P H^T / S in 1/4096, P -= K H P
            area = ((tracks[o + _W] >> 2) * (tracks[o + _H] >> 2)) >> 4
            if area > _LARGEST_AREA:
                area = _LARGEST_AREA
            s = pp + ((area * plan[_P_CENTRE_NOISE]) >> 8) + plan[_P_FLOOR]
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
            ps = tracks[o + _PS]
            s = ps + ((area * plan[_P_SIZE_NOISE]) >> 8) + plan[_P_FLOOR]
            if s > 0x3FFFF:
                ks = ps // (s >> 12)
                if ks > 4096:
                    ks = 4096
            else:
                ks = (ps << 12) // s
            x = rows[e + _D_X]
            y = rows[e + _D_Y]
            if rows[e + _D_MIDDLE_X] != _NO_MASK:
                # A mask's middle jitters half as much as the box: the box is looked for where it was from the middle on
                # average, each frame counting an eighth.
                x -= rows[e + _D_MIDDLE_X]
                y -= rows[e + _D_MIDDLE_Y]
                if tracks[o + _MASKED]:
                    x = tracks[o + _OFFSET_X] + ((x - tracks[o + _OFFSET_X] + 4) >> 3)
                    y = tracks[o + _OFFSET_Y] + ((y - tracks[o + _OFFSET_Y] + 4) >> 3)
                tracks[o + _OFFSET_X] = x
                tracks[o + _OFFSET_Y] = y
                tracks[o + _MASKED] = 1
                x += rows[e + _D_MIDDLE_X]
                y += rows[e + _D_MIDDLE_Y]
            else:
                tracks[o + _MASKED] = 0
            x -= tracks[o + _X]
            tracks[o + _X] += (k * x + 2048) >> 12
            x = tracks[o + _VX] + ((kv * x + 128) >> 8)
            if x > _FASTEST:
                x = _FASTEST
            if x < -_FASTEST:
                x = -_FASTEST
            tracks[o + _VX] = x
            y -= tracks[o + _Y]
            tracks[o + _Y] += (k * y + 2048) >> 12
            y = tracks[o + _VY] + ((kv * y + 128) >> 8)
            if y > _FASTEST:
                y = _FASTEST
            if y < -_FASTEST:
                y = -_FASTEST
            tracks[o + _VY] = y
            tracks[o + _W] += (ks * (rows[e + _D_W] - tracks[o + _W]) + 2048) >> 12
            tracks[o + _H] += (ks * (rows[e + _D_H] - tracks[o + _H]) + 2048) >> 12
            vv -= (kv * (pv >> 6)) >> 6
            if vv < 0:
                vv = 0
            tracks[o + _VV] = vv
            k = 4096 - k
            tracks[o + _PP] = (pp >> 12) * k + (((pp & 4095) * k) >> 12)
            tracks[o + _PV] = (pv >> 12) * k + (((pv & 4095) * k) >> 12)
            ks = 4096 - ks
            tracks[o + _PS] = (ps >> 12) * ks + (((ps & 4095) * ks) >> 12)
            tracks[o + _MISSED] = 0
            tracks[o + _HITS] += 1
            if rows[e + _D_ROUND] == 1:
                tracks[o + _UNSURE] = 0
            tracks[o + _CLASS_ID] = rows[e + _D_CLASS_ID]
        else:
            # What is hidden is more likely to stop than to go on: predictions that run away find nobody again.
            f = plan[_P_FADE]
            tracks[o + _VX] = (tracks[o + _VX] * f + 128) >> 8
            tracks[o + _VY] = (tracks[o + _VY] * f + 128) >> 8
            tracks[o + _PV] = (pv >> 8) * f + (((pv & 255) * f) >> 8)
            f = (f * f) >> 8
            tracks[o + _VV] = (vv >> 8) * f + (((vv & 255) * f) >> 8)
        o += _TRACK
    e = 0
    for _ in range(many):
        o = rows[e + _D_TRACK]
        if o < 0 and rows[e + _D_ROUND] == 1:
            # Most of it lies on another of its class that has a track: a second box of one object, or one half hidden.
            free = 1
            area = (rows[e + _D_W] >> 4) * (rows[e + _D_H] >> 4)
            i = 0
            for _ in range(many):
                if rows[i + _D_TRACK] >= 0 and rows[i + _D_CLASS_ID] == rows[e + _D_CLASS_ID]:
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
                        # in pixel^2, and the part in 1/256
                        if (w >> 4) * (h >> 4) > (smaller >> 8) * plan[_P_COVERED] + (
                            ((smaller & 255) * plan[_P_COVERED]) >> 8
                        ):
                            free = 0
                i += _DETECTION
            if free:
                if count < plan[_P_MAX_TRACKS]:
                    o = _HEADER + count * _TRACK
                    count += 1
                else:
                    # A full table gives up whom it has not seen for longest.
                    longest = 0
                    i = _HEADER
                    for _ in range(count):
                        if tracks[i + _MISSED] > longest:
                            longest = tracks[i + _MISSED]
                            o = i
                        i += _TRACK
                if o >= 0:
                    area = ((rows[e + _D_W] >> 2) * (rows[e + _D_H] >> 2)) >> 4
                    if area > _LARGEST_AREA:
                        area = _LARGEST_AREA
                    for i in range(_TRACK):
                        tracks[o + i] = 0
                    tracks[o + _X] = rows[e + _D_X]
                    tracks[o + _Y] = rows[e + _D_Y]
                    tracks[o + _W] = rows[e + _D_W]
                    tracks[o + _H] = rows[e + _D_H]
                    tracks[o + _PP] = ((area * plan[_P_CENTRE_NOISE]) >> 8) + plan[_P_FLOOR]
                    tracks[o + _VV] = (area * plan[_P_FIRST_SPEED]) >> 8
                    tracks[o + _PS] = ((area * plan[_P_SIZE_NOISE]) >> 8) + plan[_P_FLOOR]
                    tracks[o + _HITS] = 1
                    tracks[o + _CLASS_ID] = rows[e + _D_CLASS_ID]
                    tracks[o + _FOUND] = e
                    if rows[e + _D_MIDDLE_X] != _NO_MASK:
                        tracks[o + _MASKED] = 1
                        tracks[o + _OFFSET_X] = rows[e + _D_X] - rows[e + _D_MIDDLE_X]
                        tracks[o + _OFFSET_Y] = rows[e + _D_Y] - rows[e + _D_MIDDLE_Y]
                    rows[e + _D_TRACK] = o
        if o >= 0:
            if tracks[o + _ID] == 0 and tracks[o + _HITS] >= plan[_P_MIN_HITS]:
                tracks[o + _ID] = tracks[_NEXT_ID]
                tracks[_NEXT_ID] += 1
        e += _DETECTION
    tracks[_COUNT] = count


@micropython.viper
def place(tracks: ptr32):
    """The rect of every track in pixels, cut to the header's box."""
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


@micropython.viper
def named(found, rows: ptr32, tracks: ptr32, smooth: int):
    """A list of the detections that belong to confirmed tracks, made anew with `track_id`; smooth: with `place`'s rects."""
    result = []
    e = 0
    for j in range(int(len(found))):
        o = rows[e + _D_TRACK]
        if o >= 0:
            if tracks[o + _ID]:
                d = found[j]
                rect, score, class_id, label, mask, keypoints = d
                if smooth:
                    rect = (tracks[o + _RECT_X], tracks[o + _RECT_Y], tracks[o + _RECT_W], tracks[o + _RECT_H])
                tracked = type(d)(rect, score, class_id, label, mask, keypoints)
                tracked.track_id = tracks[o + _ID]
                result.append(tracked)
        e += _DETECTION
    return result
