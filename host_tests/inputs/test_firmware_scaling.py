"""lib/n6post/inputs/firmware_scaling.py: factors compared with explicit float32. test_transform.py tests their effect."""

from __future__ import annotations

import numpy as np
from n6post.inputs import firmware_scaling

f32 = np.float32


def test_factor_is_the_first_exact_float_that_gives_all_pixels() -> None:
    """The factor has 19 bits: the nearest one below 1, or the next."""
    for size in (96, 192, 224):
        for length in range(100, 641, 7):
            for part in range(size // 2, size, 5):
                step = int(part / size * 2**19 + 0.5)
                scales = {times: f32(f32(size) / f32(length)) * f32(times / 2**19) for times in (step, step + 1)}
                fitting = [times for times, scale in scales.items() if np.floor(scale * f32(length)) == part]
                times, scale = firmware_scaling.factor(firmware_scaling.ratio(size, length), part / size, length, part)
                assert times * 2**19 == fitting[0]
                assert scale.tolist() == [scales[fitting[0]]]
