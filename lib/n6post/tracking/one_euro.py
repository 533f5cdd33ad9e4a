"""The One-Euro filter: removes jitter from keypoints that rest, with little delay for those that move.

Casiez, Roussel and Vogel, "1 Euro Filter: A Simple Speed-based Low-pass Filter for Noisy Input in Interactive Systems", CHI
2012: an exponential smoothing whose cutoff grows with the (itself smoothed) speed, cutoff = min_cutoff + beta * |speed|.
Here it filters all keypoints of a person at once. Time is counted in frames: a cutoff of .1 is 1 Hz at 10 frames a second.
"""

from ulab import numpy as np

_MIN_CUTOFF = 0.1  # cycles a frame
_BETA = 0.03  # cycles a frame, to a pixel a frame
_SPEED_CUTOFF = 0.1
_TAU = 6.2831853


def filtered(keypoints, state, dt, threshold):
    """(filtered keypoints, state for the next frame).

    keypoints   float array (K, 3) of x, y, score, which is not changed
    state       the state returned for the frame before; None for the first frame
    dt          frames since then
    threshold   minimum score of a visible keypoint. Others are returned as they are; their filter starts again once they are
                visible
    """
    points = keypoints[:, :2] * 1.0
    # 1.0 for both coordinates of a visible keypoint, else 0.0. A keypoint that is NaN or infinite is not visible.
    seen = np.where(keypoints[:, 2:] >= threshold, 1.0, 0.0) * np.where(points - points == 0.0, 1.0, 0.0)
    # For the others 0 is kept: NaN and infinity would stay in the state for ever.
    kept = np.where(seen > 0.0, points, 0.0)
    keypoint_count = len(keypoints)
    if state is None or len(state[0]) != keypoint_count or not dt > 0:
        return keypoints, (kept, kept * 0.0, seen)
    last, speed, before = state
    known = seen * before  # the speed needs both positions
    change = (kept - last) * (known / dt)
    speed = (speed + (change - speed) * _weight(_SPEED_CUTOFF, dt)) * known
    # camera: float-literal: the strength of smoothing, which is not compared with anything
    cutoff = np.maximum(speed, -speed) * _BETA + _MIN_CUTOFF
    # A keypoint that is not visible now, or was not before, is not smoothed.
    weight = _weight(cutoff, dt)
    kept = np.where(known > 0.0, last + (kept - last) * weight, kept)
    result = keypoints * 1.0
    result[:, :2] = np.where(seen > 0.0, kept, points)
    return result, (kept, speed, seen)


def _weight(cutoff, dt):
    # The weight of the new value: 1 / (1 + tau / dt) with tau = 1 / (2 pi cutoff).
    ratio = cutoff * (_TAU * dt)
    return ratio / (ratio + 1.0)
