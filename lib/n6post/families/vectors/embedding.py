"""Embeddings: a vector that is similar for two pictures of the same person, face or thing.

in      [1, N], or with more dimensions of 1: 2 to 65535 numbers; or a map of features [1, H, W, N], of which the mean over
        the middle half of its rows and columns is taken; int8, uint8, int16 or float32
out     a float32 array (N,) of length 1. `cosine_similarity` compares two of them, a `Gallery` finds out who it is

OSNet of ST's model zoo (osnet_a025_256_128, persons, 128 numbers) is one; its input is a person, 128 x 256 pixels:
`n6post.Stretch(img, roi=d.rect)`.
"""

from ulab import numpy as np

from ...pixels.rounding import same_floats
from ...tensors.options import Options, flag
from ...tensors.vectors import flat_floats, normalized
from ..processor import ModelBinding, Processor

_EXPECTED = "one output [1, N], or a map of features [1, H, W, N],"


class Embedding(Processor):
    """Post-processor for embeddings: `ml.Model(path, postprocess=n6post.Embedding())`.

    A call returns a float32 array of its own, with length 1 unless `normalize` is False. A network that returns zeros only
    gives a vector of zeros, which is similar to nothing. Of a map of features, as `optimize --features` makes it, the vector
    is the mean over the middle of the picture, half of its width and height.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    _aligns_faces = True  # for Pipeline

    _option = Options("normalize")
    normalize = _option("normalize", True, flag)

    def _bind(self, model, outputs):
        return EmbeddingBinding(self, model, outputs)


class EmbeddingBinding(ModelBinding):
    """A vector."""

    expected_outputs = _EXPECTED
    needs_picture = False

    def __init__(self, options, model, outputs):
        super().__init__(model, outputs)
        out = self.outputs[0]
        dims = [n for n in out.shape if n > 1]
        if len(out.shape) == 4 and out.shape[0] == 1 and min(out.shape[1:]) > 1:
            self.map, count = out.shape[1:], out.shape[3]
        else:
            self.map, count = None, out.size if len(dims) == 1 else 0
        if not 2 <= count <= 65535:
            raise ValueError("expected %s of 2 to 65535 numbers, got %s" % (_EXPECTED, out.shape))
        self.scale = same_floats(out.scale)
        self.normalize = options.normalize

    def result(self, outputs):
        raw = self._middle(outputs[0]) if self.map else flat_floats(outputs[0])
        raw = raw - float(self.outputs[0].zero_point)
        return normalized(raw) if self.normalize else raw * self.scale

    def _middle(self, array):
        """The mean of each feature over the middle half of the rows and columns."""
        height, width, count = self.map
        top, left = height // 4, width // 4
        columns = width - 2 * left
        cells = array.reshape((height * width, count))
        ones, total = np.ones((1, columns)), np.zeros((1, count))
        for row in range(top, height - top):
            first = row * width + left
            total += np.dot(ones, np.array(cells[first : first + columns], dtype=np.float))
        return total.reshape((count,)) / (columns * (height - 2 * top))
