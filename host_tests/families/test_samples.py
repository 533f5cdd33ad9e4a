"""lib/n6post/families/samples.py: the anchors of a sample are in all parts of the picture."""

from __future__ import annotations

import numpy as np
import pytest
from fakes import FakeModel, Tensor
from n6post.families import samples
from n6post.tensors.head_layout import HeadLayout
from n6post.tensors.quantization import OutputTensor


@pytest.mark.parametrize("channels_first", [True, False])
@pytest.mark.parametrize("columns", [24, 32, 40, 80])
def test_a_sample_has_anchors_of_every_part_of_a_row(columns: int, channels_first: bool) -> None:
    """A step that divides the number of columns would see the same few in each row."""
    anchors = sum((columns >> level) * (24 >> level) for level in range(3))
    number = np.arange(anchors, dtype=np.float32)
    values = np.stack([number, number % columns])[None]
    model = FakeModel([Tensor(values if channels_first else values.transpose(0, 2, 1).copy())], (8 * columns, 192))
    (array,) = model.outputs()
    layout = HeadLayout(2, anchors, channels_first)
    numbers, at = np.array(samples.sample(layout, 0, 2, OutputTensor(model, 0, array), array).tolist())
    assert 32 <= len(numbers) <= 64
    seen = np.unique(at[numbers < 24 * columns])
    assert len(seen) >= 20 and np.diff(seen, prepend=0, append=columns - 1).max() <= columns / 8
