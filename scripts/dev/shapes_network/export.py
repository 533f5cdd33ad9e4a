"""Export the trained network to TensorFlow Lite, float or int8, with the outputs of an export by Ultralytics."""

import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch

from .architecture import BINS, SIZE, Conv, ShapesNetwork, Upsample, anchors

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import tensorflow as tf  # noqa: E402


def convert(network: ShapesNetwork, calibration: Iterable[np.ndarray] | None = None) -> bytes:
    """The content of a .tflite file. It changes `network`, which no longer runs in PyTorch.

    calibration     pictures (SIZE, SIZE, 3) uint8 for an int8 file; None for a float one

    The outputs are [1, 4 + classes + 32, anchors] (boxes cx, cy, w, h in 0..1, scores, mask coefficients) and prototypes
    [1, SIZE / 4, SIZE / 4, 32]. In int8 all rows of the first output share one scale, as in any exported YOLO.
    """
    run = _on_tensorflow(network)
    signature = tf.TensorSpec((1, SIZE, SIZE, 3), tf.float32, "images")
    function = tf.function(lambda images: _outputs(*run(images))).get_concrete_function(signature)
    converter = tf.lite.TFLiteConverter.from_concrete_functions([function])
    if calibration is not None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: ([picture[None].astype(np.float32) / 255] for picture in calibration)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = converter.inference_output_type = tf.int8
    return bytes(converter.convert())


def _on_tensorflow(network: ShapesNetwork) -> Callable[[Any], Any]:
    """Replace each layer's forward by one for TensorFlow's tensors, channels last."""
    for layer in network.modules():
        if isinstance(layer, Conv):
            layer.forward = _convolution(layer)
        elif isinstance(layer, Upsample):
            layer.forward = lambda x: tf.compat.v1.image.resize_nearest_neighbor(x, (2 * x.shape[1], 2 * x.shape[2]))
    return network


@torch.no_grad()
def _convolution(layer: Conv) -> Callable[[Any], Any]:
    """The layer with its normalization folded into its weights."""
    weights, bias = layer.conv.weight, layer.conv.bias
    if layer.norm is not None:
        factor = layer.norm.weight / (layer.norm.running_var + layer.norm.eps).sqrt()
        weights, bias = weights * factor[:, None, None, None], layer.norm.bias - layer.norm.running_mean * factor
    bias = bias.numpy().copy()
    strides, relu = [layer.stride] * 2, tf.nn.relu if layer.relu else tf.identity
    if layer.groups == 1:
        kernel = weights.permute(2, 3, 1, 0).numpy().copy()
        return lambda x: relu(tf.nn.conv2d(x, kernel, strides, "SAME") + bias)
    kernel = weights.permute(2, 3, 0, 1).numpy().copy()
    return lambda x: relu(tf.nn.depthwise_conv2d(x, kernel, [1, *strides, 1], "SAME") + bias)


def _outputs(heads: list[tuple[Any, Any, Any]], prototypes: Any) -> tuple[Any, Any]:
    """Decode the heads, channels first and with the same sequence of operators as in the files of Ultralytics."""
    flat = [[tf.reshape(tf.transpose(t, (0, 3, 1, 2)), (1, t.shape[3], -1)) for t in kind] for kind in zip(*heads)]
    logits, scores, coefficients = (tf.concat(tensors, 2) for tensors in flat)
    logits = tf.transpose(tf.reshape(logits, (1, 4, BINS, -1)), (0, 1, 3, 2))
    kernel = np.arange(BINS, dtype=np.float32).reshape(1, 1, BINS, 1)
    distances = tf.nn.conv2d(tf.nn.softmax(logits), kernel, 1, "VALID")[..., 0]
    centers, strides = (tensor.numpy().T[None] / SIZE for tensor in anchors())
    distances = distances * strides
    low, high = centers - distances[:, :2], centers + distances[:, 2:]
    return tf.concat(((low + high) / 2, high - low, tf.sigmoid(scores), coefficients), 1), prototypes
