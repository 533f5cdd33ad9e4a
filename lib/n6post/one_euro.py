"""The One-Euro filter: calms a trembling point that stands, and hardly holds back one that moves.

Casiez, Roussel and Vogel, "1 Euro Filter: A Simple Speed-based Low-pass Filter for Noisy Input in Interactive Systems", CHI
2012: an exponential smoothing whose cutoff grows with the (itself smoothed) speed, cutoff = min_cutoff + beta * |speed|.
Here it is of all joints of a person at once, and time is counted in frames: a cutoff of .1 is 1 Hz at 10 frames a second.
"""

from ulab import numpy as np

_MIN_CUTOFF = 0.1  # cycles a frame
_BETA = 0.03  # cycles a frame, to a pixel a frame
_SPEED_CUTOFF = 0.1
_TAU = 6.2831853


def filtered(keypoints, state, dt, threshold):
    """(K, 3) keypoints of x, y, score as the filter has them, and its state, for the next frame.

    keypoints   float array (K, 3), which is not changed
    state       what this returned for the frame before; None at the first
    dt          frames between the two
    threshold   the least score of a joint that is seen: another one stays as it is, and begins anew when it is seen
    """
    points = keypoints[:, :2] * 1.0
    # 1.0 where a joint is seen, both of its coordinates; one that is nowhere (NaN or infinite) is not
    seen = np.where(keypoints[:, 2:] >= threshold, 1.0, 0.0) * np.where(points - points == 0.0, 1.0, 0.0)
    # Of the others 0 is kept: what is not finite stays so whatever it is multiplied by, and would for ever.
    kept = np.where(seen > 0.0, points, 0.0)
    joints = len(keypoints)
    if state is None or len(state[0]) != joints or not dt > 0:
        return keypoints, (kept, kept * 0.0, seen)
    last, speed, before = state
    known = seen * before  # a speed needs both
    change = (kept - last) * (known / dt)
    speed = (speed + (change - speed) * _weight(_SPEED_CUTOFF, dt)) * known
    # camera: float-literal: how much is smoothed, with which nothing is compared
    cutoff = np.maximum(speed, -speed) * _BETA + _MIN_CUTOFF
    # A joint that was not seen, now or before, is where it is.
    weight = _weight(cutoff, dt)
    kept = np.where(known > 0.0, last + (kept - last) * weight, kept)
    result = keypoints * 1.0
    result[:, :2] = np.where(seen > 0.0, kept, points)
    return result, (kept, speed, seen)


def _weight(cutoff, dt):
    # Of the new value: 1 / (1 + tau / dt) with tau = 1 / (2 pi cutoff).
    way = cutoff * (_TAU * dt)
    return way / (way + 1.0)
