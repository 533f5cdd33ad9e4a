"""anchors/priors.py: known networks, compared with their authors' code on recorded numbers.

scripts/dev/recording/record_priors.py made data/priors.npz.xz.
"""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
from fakes import Array, FakeModel, Tensor
from n6post.families.anchors.priors import known
from recorded_data import stored


def rows_of(name: str, count: int, fill: list[float]) -> Array:
    """[1, count, C]: the recorded rows in their places, all others as `fill`."""
    case = name.split("/")[0]
    values = np.tile(np.float32(fill), (1, count, 1))
    values[0, stored("priors")[f"{case}/at"]] = stored("priors")[name]
    return values


def as_int8(values: Array) -> Tensor:
    """Rounded to steps between the least and the largest number."""
    low, high = float(values.min()), float(values.max())
    scale = float(np.float32((high - low) / 255))
    zero_point = round(-128 - low / scale)
    return Tensor(np.clip(np.round(values / scale) + zero_point, -128, 127).astype(np.int8), scale, zero_point)


def assert_found(found: list[Any], expected: Array, atol: float) -> None:
    """The boxes x1, y1, x2, y2 in pixels, scores and classes, best first; edges are whole pixels."""
    assert len(found) == len(expected)
    for one, row in zip(found, expected, strict=True):
        x, y, w, h = one.rect
        np.testing.assert_allclose([x, y, x + w, y + h], row[:4], atol=atol)
        np.testing.assert_allclose(one.score, row[4], rtol=1e-5)
        assert one.class_id == row[5]


@pytest.mark.parametrize("size", [128, 160, 480, 640, 1280])
def test_ultra_lights_priors_equal_those_of_its_define_img_size(size: int) -> None:
    expected, (count,) = stored("priors")[f"priors/{size}"], stored("priors")[f"priors/{size}/count"]
    found = known(int(count), (size, size * 3 // 4))
    assert found is not None and found[1] == "xywh"
    rows = []
    for columns, lines, sides, stride in found[0]:
        assert stride is None  # its cells divide the input
        for y in range(lines):
            for x in range(columns):
                rows += [((x + 0.5) / columns, (y + 0.5) / lines, sides[i], sides[i + 1]) for i in range(0, len(sides), 2)]
    assert len(rows) == count
    rows_found = np.array(rows)[:: max(37, int(count) // 500)] / [1, 1, size, size * 3 // 4]
    np.testing.assert_allclose(rows_found, expected, rtol=1e-6, atol=1e-7)


def test_ultra_light_640_finds_what_its_file_decodes_itself() -> None:
    scores, offsets = rows_of("ultra_light/scores", 17640, [1, 0]), rows_of("ultra_light/offsets", 17640, [0] * 4)
    expected = stored("priors")["ultra_light/hard_nms"]
    model = FakeModel([Tensor(scores), Tensor(offsets)], (640, 480))
    model.run(n6post.processor_for(model, threshold=0.6, iou_threshold=0.3))
    assert len(expected) == 4
    processor = n6post.Ssd(0.6, iou_threshold=0.3)
    pixels = np.column_stack([expected[:, :4] * np.tile((640, 480), 2), expected[:, 4], np.zeros(4)])
    assert_found(model.run(processor), pixels, 0.51)
    # The exact boxes behind the rounded ones.
    values, _, _ = processor._binding.decoder.buffers
    kept = processor._binding.decoder.buffers[1][2, :4]
    exact = [[float(values[k, int(at)]) for k in range(4)] for at in kept]
    np.testing.assert_allclose(exact, pixels[:, :4], atol=2e-3)


def test_ssdlite320_finds_what_torchvision_finds() -> None:
    logits = rows_of("ssdlite/logits", 3234, [9] + [-2] * 90)
    offsets = rows_of("ssdlite/offsets", 3234, [0] * 4)
    expected = stored("priors")["ssdlite/found"]
    model = FakeModel([Tensor(offsets), Tensor(logits)], (320, 320))
    processor = n6post.processor_for(model, threshold=0.3, max_detections=50)
    assert type(processor) is n6post.Ssd
    assert len(expected) == 40
    assert_found(model.run(processor), expected, 0.51)


def test_ssdlite320_in_int8_finds_nearly_the_same() -> None:
    logits = rows_of("ssdlite/logits", 3234, [9] + [-2] * 90)
    offsets = rows_of("ssdlite/offsets", 3234, [0] * 4)
    expected = stored("priors")["ssdlite/found"]
    model = FakeModel([as_int8(offsets), as_int8(logits)], (320, 320))
    found = model.run(n6post.Ssd(0.3, max_detections=50))
    assert len(found) >= 38
    classes = {(row[5], tuple(row[:4])) for row in expected}
    for one in found:
        x, y, w, h = one.rect
        near = [box for class_id, box in classes if class_id == one.class_id]
        assert min(float(np.abs(np.subtract(box, (x, y, x + w, y + h))).max()) for box in near) < 4


OTHERS = [(17640, (640, 640)), (4420, (640, 480)), (17641, (640, 480)), (3235, (320, 320)), (3234, (300, 300))]


@pytest.mark.parametrize(("anchors", "size"), OTHERS)
def test_priors_of_another_size_are_not_known(anchors: int, size: tuple[int, int]) -> None:
    assert known(anchors, size) is None
