"""The network: a backbone, a feature pyramid, and an anchor-free head with the outputs of YOLOv8-seg at three strides.

The forward pass consists of layers and additions only. export.py replaces the layers by TensorFlow's and runs the same code.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

SIZE = 160  # pixels of the input's sides
STRIDES = (8, 16, 32)
BINS = 16  # the distance from an anchor to a side of its box is a distribution over 0 to 15 strides
COEFFICIENTS = 32  # per mask, one for each prototype


class Conv(nn.Module):
    """Convolution, batch normalization, ReLU. Pads like TensorFlow's "SAME"."""

    def __init__(self, inputs: int, outputs: int, kernel: int = 3, stride: int = 1, groups: int = 1) -> None:
        super().__init__()
        self.kernel, self.stride, self.groups, self.relu = kernel, stride, groups, True
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, groups=groups, bias=False)
        self.norm: nn.BatchNorm2d | None = nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        if self.kernel == 3:
            x = functional.pad(x, (1, 1, 1, 1) if self.stride == 1 else (0, 1, 0, 1))
        x = self.conv(x)
        x = self.norm(x) if self.norm is not None else x
        return functional.relu(x) if self.relu else x


class Last(Conv):
    """The last layer of a branch: a 1x1 convolution with a bias, without normalization and ReLU."""

    def __init__(self, inputs: int, outputs: int, bias: float = 0.0) -> None:
        super().__init__(inputs, outputs, 1)
        self.norm, self.relu = None, False
        self.conv = nn.Conv2d(inputs, outputs, 1)
        nn.init.constant_(self.conv.bias, bias)


class Upsample(nn.Upsample):
    """Double the width and height by repeating pixels."""

    def __init__(self) -> None:
        super().__init__(scale_factor=2, mode="nearest")


def separable(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    """A depthwise 3x3 convolution and a 1x1 convolution: about a ninth of the weights of a full 3x3 convolution."""
    return nn.Sequential(Conv(inputs, inputs, 3, stride, groups=inputs), Conv(inputs, outputs, 1))


class Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.inner = nn.Sequential(Conv(channels, channels // 2, 1), Conv(channels // 2, channels, 3))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.inner(x)


def stage(inputs: int, outputs: int, blocks: int) -> nn.Sequential:
    """Halve the width and height, then apply residual blocks."""
    return nn.Sequential(Conv(inputs, outputs, 3, stride=2), *(Residual(outputs) for _ in range(blocks)))


class ShapesNetwork(nn.Module):
    """The input is (batch, 3, SIZE, SIZE) in 0..1; `forward` describes the outputs."""

    def __init__(self, classes: int, widths: tuple[int, ...] = (16, 24, 40, 64, 80), neck: int = 48) -> None:
        super().__init__()
        self.stem = Conv(3, widths[0], 3, stride=2)
        depths = (1, 2, 2, 1)
        self.stages = nn.ModuleList(stage(a, b, n) for a, b, n in zip(widths, widths[1:], depths))
        self.lateral = nn.ModuleList(Conv(width, neck, 1) for width in widths[1:])
        self.finer = nn.ModuleList(separable(neck, neck) for _ in range(3))  # from stride 32 to 4
        self.coarser = nn.ModuleList(separable(neck, neck, stride=2) for _ in range(2))  # from stride 8 to 32
        self.upsample = Upsample()
        self.boxes = nn.ModuleList(nn.Sequential(separable(neck, neck), Last(neck, 4 * BINS)) for _ in STRIDES)
        # Few anchors belong to objects: with a bias of -4.6 all scores start at 0.01.
        self.scores = nn.ModuleList(nn.Sequential(separable(neck, neck), Last(neck, classes, -4.6)) for _ in STRIDES)
        self.coefficients = nn.ModuleList(nn.Sequential(separable(neck, neck), Last(neck, COEFFICIENTS)) for _ in STRIDES)
        self.prototypes = nn.Sequential(separable(neck, neck), Conv(neck, COEFFICIENTS, 1))

    def forward(self, x: Tensor) -> tuple[list[tuple[Tensor, Tensor, Tensor]], Tensor]:
        """(heads, prototypes).

        heads       for each stride s: logits of the distances (4 x BINS channels), logits of the classes, and mask
                    coefficients, each (batch, channels, SIZE / s, SIZE / s)
        prototypes  (batch, COEFFICIENTS, SIZE / 4, SIZE / 4)
        """
        x = self.stem(x)
        features = []
        for layers, lateral in zip(self.stages, self.lateral):
            x = layers(x)
            features.append(lateral(x))
        at4, at8, at16, at32 = features
        at16 = self.finer[0](at16 + self.upsample(at32))
        at8 = self.finer[1](at8 + self.upsample(at16))
        at4 = self.finer[2](at4 + self.upsample(at8))
        at16 = at16 + self.coarser[0](at8)
        at32 = at32 + self.coarser[1](at16)
        heads = zip((at8, at16, at32), self.boxes, self.scores, self.coefficients)
        return [(boxes(f), scores(f), coefficients(f)) for f, boxes, scores, coefficients in heads], self.prototypes(at4)


def anchors() -> tuple[Tensor, Tensor]:
    """Centers (n, 2) in pixels of the input and strides (n, 1) of all anchors, the finest stride first."""
    centers, strides = [], []
    for stride in STRIDES:
        steps = (torch.arange(SIZE // stride) + 0.5) * stride
        y, x = torch.meshgrid(steps, steps, indexing="ij")
        centers.append(torch.stack((x, y), -1).reshape(-1, 2))
        strides.append(torch.full((len(steps) ** 2, 1), float(stride)))
    return torch.cat(centers), torch.cat(strides)


def flat(heads: list[tuple[Tensor, Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """The three tensors of the heads, each concatenated over the strides: (batch, anchors, channels)."""
    return tuple(torch.cat([t.flatten(2) for t in tensors], 2).transpose(1, 2) for tensors in zip(*heads))  # type: ignore


def corners(logits: Tensor, centers: Tensor, strides: Tensor) -> Tensor:
    """Boxes x1, y1, x2, y2 in pixels (batch, anchors, 4). Each distance is the mean of its distribution over the bins."""
    probabilities = logits.unflatten(-1, (4, BINS)).softmax(-1)
    distances = (probabilities * torch.arange(BINS, dtype=logits.dtype)).sum(-1) * strides
    return torch.cat((centers - distances[..., :2], centers + distances[..., 2:]), -1)
