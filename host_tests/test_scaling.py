"""lib/n6post/scaling.py: which scale is asked for, against float32 written out. That it fits is test_geometry.py's."""

from __future__ import annotations

import numpy as np
from n6post import scaling

f32 = np.float32


def test_a_share_is_one_that_a_cameras_float_holds_and_the_first_that_gives_all_the_pixels() -> None:
    """19 bits of a number below 1: the nearest, or the next."""
    for size in (96, 192, 224):
        for length in range(100, 641, 7):
            for part in range(size // 2, size, 5):
                step = int(part / size * 2**19 + 0.5)
                scales = {times: f32(f32(size) / f32(length)) * f32(times / 2**19) for times in (step, step + 1)}
                fitting = [times for times, scale in scales.items() if np.floor(scale * f32(length)) == part]
                times, scale = scaling.factor(scaling.ratio(size, length), part / size, length, part)
                assert times * 2**19 == fitting[0]
                assert scale.tolist() == [scales[fitting[0]]]
