"""scripts/dev/anomaly_kinds.py: frames are repeatable, and a mask has the pixels in which a defect shows."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from commands import ROOT

pytest.importorskip("skimage")
sys.path.append(str(ROOT / "scripts" / "dev"))

import anomaly_kinds as kinds  # noqa: E402

pytestmark = pytest.mark.proof("scripts/dev/anomaly_kinds.py")


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_a_frame_is_the_same_again_and_another_one_for_each_number(kind: str) -> None:
    frame, mask = kinds.frame(kind, 0, 0, "learn")
    assert frame.shape == (kinds.SIZE, kinds.SIZE, 3) and frame.dtype == np.uint8 and not mask.any()
    assert np.array_equal(kinds.frame(kind, 0, 0, "learn")[0], frame)
    for other in ((kind, 1, 0, "learn"), (kind, 0, 1, "learn"), (kind, 0, 0, "good")):
        assert np.abs(kinds.frame(*other)[0].astype(int) - frame).mean() > 2


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_a_defective_frame_differs_in_its_mask_only(kind: str) -> None:
    good = kinds.frame(kind, 3, 2, "bad", focus=0)[0].astype(int)
    for defect in kinds.GENERIC + kinds.KINDS[kind][1]:
        bad, mask = kinds.frame(kind, 3, 2, "bad", defect, focus=0)
        changed = np.abs(bad - good).max(2)  # the noise is the same
        assert 40 < mask.sum() < 0.1 * mask.size, defect
        assert changed[mask].min() > 0.5 * kinds.VISIBLE and changed[~mask].max() < 1.5 * kinds.VISIBLE + 1, defect


def test_light_place_and_focus_are_as_asked() -> None:
    def frame(**options: float) -> np.ndarray:
        return kinds.frame("gear", 0, 0, "good", **options)[0].astype(float)

    assert frame(gain=0.5).mean() == pytest.approx(0.5 * frame(gain=1).mean(), rel=0.01)
    sharp, blurred = (np.diff(frame(focus=focus), axis=1) for focus in (0, 3))
    assert np.quantile(np.abs(blurred), 0.99) < 0.7 * np.quantile(np.abs(sharp), 0.99)
    spectra = [np.fft.fft2(frame(gain=1, shift=shift).mean(2)) for shift in (0, 20)]
    moved = np.fft.ifft2(spectra[1] * spectra[0].conj() / np.abs(spectra[1] * spectra[0])).real  # phase correlation
    place = np.array(np.unravel_index(moved.argmax(), moved.shape))
    assert np.hypot(*np.minimum(place, kinds.SIZE - place)) == pytest.approx(20, abs=1)


def test_kinds_that_are_held_out_are_known() -> None:
    assert set(kinds.HELD + kinds.TEXTURES) < set(kinds.KINDS) and len(kinds.HELD) * 2 == len(kinds.KINDS)
