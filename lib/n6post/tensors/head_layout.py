"""The storage order of heads, prototypes and maps: which dimension has the channels, and which the anchors or pixels.

The kernels of raw heads read any constant steps between channels and between anchors, those of split heads only these two
dense orders. A head in any other order must be copied to one of them first.
"""

from collections import namedtuple

from ulab import numpy as np

from .lazy import later


class HeadLayout(namedtuple("HeadLayout", ("channels", "anchors", "channels_first"))):
    """[1, channels, anchors] if channels_first, else [1, anchors, channels]. Rows and pixels count as anchors."""

    @property
    def channel_step(self):
        """Elements from one channel of an anchor to the next."""
        return self.anchors if self.channels_first else 1

    @property
    def anchor_step(self):
        """Elements from one anchor to the next."""
        return 1 if self.channels_first else self.channels

    @property
    def anchor_axis(self):
        """The axis of `grid` and `columns` along which the anchors are."""
        return 1 if self.channels_first else 0

    def grid(self, head):
        """The head's array in two dimensions, as it is stored."""
        return head.reshape((self.channels, self.anchors) if self.channels_first else (self.anchors, self.channels))

    def column(self, head, channel, step=1):
        """One channel of every anchor, or of every step-th anchor: 1-D."""
        grid = self.grid(head)
        return grid[channel, ::step] if self.channels_first else grid[::step, channel]

    def columns(self, head, first, last, step=1):
        """The channels range(first, last, step) of every anchor: 2-D, as stored."""
        grid = self.grid(head)
        return grid[first:last:step] if self.channels_first else grid[:, first:last:step]

    def row(self, head, anchor, first):
        """The channels of one anchor from `first` on: 1-D."""
        grid = self.grid(head)
        return grid[first:, anchor] if self.channels_first else grid[anchor, first:]

    def taken(self, head, anchors, last):
        """The channels range(last) of these anchors: (last, number of anchors)."""
        grid = self.grid(head)
        if self.channels_first:
            return np.take(grid[:last], anchors, axis=1)
        return np.take(grid[:, :last], anchors, axis=0).transpose()  # camera: transpose-3d: of two dimensions


def squeezed(shape):
    """The dimensions that are not 1."""
    return [n for n in shape if n != 1]


def flat(shape):
    """The two dimensions of a head [1, A, B], without the batch and the dimensions of 1 that converters add; else ()."""
    dims = shape[1:] if len(shape) > 2 and shape[0] == 1 else shape
    while len(dims) > 2 and 1 in dims:  # [1, C, N, 1] or [1, 1, C, N]
        at = dims.index(1)
        dims = dims[:at] + dims[at + 1 :]
    return dims if len(dims) == 2 and 0 not in dims else ()


def anchor_counts(size):
    """The numbers of anchors that a raw YOLO head may have for an input of (width, height): one per feature map cell.

    For strides of 8, 16, 32 (n and s to x), of 4 to 32 (P2), of 8 to 64 (P6), and of 16 and 32 (tiny).
    """
    if not size:
        return ()
    width, height = size
    tiny = (width // 16) * (height // 16) + (width // 32) * (height // 32)
    usual = (width // 8) * (height // 8) + tiny
    return usual, usual + (width // 4) * (height // 4), usual + (width // 64) * (height // 64), tiny


def head_layouts(shape, size):
    """Every HeadLayout that a raw head of this shape may have, for a model input of (width, height).

    The number of anchors follows from the input size. It distinguishes a head from other outputs, and one storage order from
    the other. [] if the shape is not that of a raw head. Several if the channels are a possible number of anchors too
    ([1, 84, 84] for a 64 x 64 input): then the numbers decide (families/yolo/layout_probe.py).
    """
    dims = flat(shape)
    found = []
    if dims:
        a, b = dims
        for anchors in anchor_counts(size):
            if b == anchors and (a, b, True) not in found:
                found.append(HeadLayout(a, b, True))
            if a == anchors and (b, a, False) not in found:
                found.append(HeadLayout(b, a, False))
    return found


def row_layouts(shape):
    """Every HeadLayout that an end-to-end head of this shape may have: [1, rows, columns], then the transpose."""
    dims = flat(shape)
    return [HeadLayout(dims[1], dims[0], False), HeadLayout(dims[0], dims[1], True)] if dims else []


def map_layout(shape, size, most=255, layout=None, expected="a map [1, H, W, C] or [1, C, H, W]", noun="channels"):
    """(width, height, HeadLayout) of a map [1, H, W, C] or [1, C, H, W] of 1 to `most` channels.

    Height and width are the two neighboring dimensions with the aspect ratio of the model's input, `size` (width, height).
    If both pairs have it, the nearer one counts.

    layout      "NHWC" or "NCHW": the order, whatever the aspect ratio
    expected    a description of the map, for error messages
    noun        what its channels are, for error messages

    ValueError if it is not such a map, or if both orders fit equally well.
    """
    if len(shape) != 4 or shape[0] != 1 or min(shape) < 1:
        raise ValueError("expected %s, got %s" % (expected, shape))
    same_aspect_ratio = later.tensors_shapes.same_aspect_ratio
    _, a, b, c = shape
    last = c <= most and (layout == "NHWC" or layout is None and same_aspect_ratio(b, a, size))
    first = a <= most and (layout == "NCHW" or layout is None and same_aspect_ratio(c, b, size))
    if not (last or first):
        ratio = "" if layout else " and the aspect ratio of the input, %s" % (size,)
        raise ValueError("expected %s of 1 to %d %s%s, got %s" % (expected, most, noun, ratio, shape))
    if last and first and (a, b, c) != (1, 1, 1):
        off_last = abs(b * size[1] - a * size[0])
        off_first = abs(c * size[1] - b * size[0])
        if off_last == off_first:
            raise ValueError("%s may be [1, H, W, C] or [1, C, H, W]: expected layout='NHWC' or 'NCHW'" % (shape,))
        last = off_last < off_first
    return (b, a, HeadLayout(c, a * b, False)) if last else (c, b, HeadLayout(a, b * c, True))


def prototype_layout(shape, size):
    """(width, height, HeadLayout) of prototypes [1, H, W, M] or [1, M, H, W].

    In YOLO networks their sides are a quarter of the input's. Others are accepted if they have its aspect ratio. If both
    orders fit, as in [1, 32, 32, 32] of a 128 x 128 input, the channels come last. ValueError for any other shape.
    """
    if len(shape) == 4 and shape[0] == 1 and max(shape) <= 65535:  # ulab's reductions over more never return
        _, a, b, c = shape
        w, h = size[0] // 4, size[1] // 4
        last = (a, b) == (h, w)
        first = (b, c) == (h, w)
        if not (last or first):
            same_aspect_ratio = later.tensors_shapes.same_aspect_ratio
            last = a * b > 1 and same_aspect_ratio(b, a, size)
            first = b * c > 1 and same_aspect_ratio(c, b, size)
            if last and first:
                last = a == b
        if last:
            return b, a, HeadLayout(c, a * b, False)
        if first:
            return c, b, HeadLayout(a, b * c, True)
    raise ValueError(
        "expected prototypes [1, H, W, M] or [1, M, H, W], more than one pixel and of the aspect ratio of the input, %s,"
        " got %s" % (size, shape)
    )
