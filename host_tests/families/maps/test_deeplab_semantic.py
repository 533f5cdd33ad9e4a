"""YOLO26-sem through DeepLab: the outputs of Ultralytics' semantic head in data/semantic.npz.xz.

scripts/dev/recording/record_ultralytics.py made the file. The head has logits [1, classes, H, W] of the input's size
(.tflite: NHWC), and class numbers [1, H, W] in ONNX files. No class is a background.
"""

from __future__ import annotations

import n6post
import numpy as np
import pytest
from fakes import Array, FakeModel, Tensor
from recorded_data import stored

SIZE = (96, 64)
NAMES = ["road", "sidewalk", "building", "sky", "car"]


def numbers(export: str) -> Array:
    """The outputs of an export. A .tflite by onnx2tf has LiteRT's numbers in NHWC."""
    if export == "tflite":
        return np.ascontiguousarray(stored("semantic")["litert"].transpose(0, 2, 3, 1))
    return stored("semantic")[export]


@pytest.mark.parametrize("export", ["tflite", "litert"])
def test_class_map_of_logits_is_torchs_argmax(export: str) -> None:
    tensor = Tensor(numbers(export), 0.03, 0)
    for one in (tensor, tensor.as_uint8(), tensor.as_int16(2, 5), tensor.dequantized()):
        result = FakeModel([one], SIZE).run(n6post.DeepLab(background=None, labels=NAMES))
        np.testing.assert_array_equal(result.class_map.tolist(), numbers("litert/classes")[0])
        assert result.class_ids() == [0, 1, 2, 3, 4]
        assert result.fraction("road") == pytest.approx((numbers("litert/classes") == 0).mean(), abs=1e-6)


def test_class_numbers_of_an_onnx_file_are_the_class_map() -> None:
    network = FakeModel([Tensor(numbers("onnx"))], SIZE)
    result = network.run(n6post.DeepLab(background=None, labels=NAMES))
    np.testing.assert_array_equal(result.class_map.tolist(), numbers("onnx")[0])
    assert [result.label(i) for i in result.class_ids()] == NAMES


@pytest.mark.parametrize("export", ["tflite", "litert", "onnx"])
def test_processor_for_chooses_deeplab_for_every_export(export: str) -> None:
    network = FakeModel([Tensor(numbers(export), 0.03 if export != "onnx" else 0.0, 0)], SIZE, NAMES)
    processor = n6post.processor_for(network, background=None)
    assert isinstance(processor, n6post.DeepLab)
    assert network.run(processor).class_ids() == [0, 1, 2, 3, 4]


def test_head_cut_before_its_upsampling_is_no_fomo() -> None:
    """Its shape is FOMO's: a cell for each 8 x 8 pixels. Its numbers are logits."""
    values = np.ascontiguousarray(numbers("raw").transpose(0, 2, 3, 1))
    network = FakeModel([Tensor(values, 0.03, 0)], SIZE, NAMES)
    assert isinstance(n6post.processor_for(network), n6post.DeepLab)
    result = network.run(n6post.DeepLab(background=None))
    np.testing.assert_array_equal(result.class_map.tolist(), values[0].argmax(axis=2))
