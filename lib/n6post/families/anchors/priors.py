"""Priors of SSD networks: the option `anchors` of Ssd, and those of known networks. Imported only for SSD networks.

Priors are a tuple of maps, in the order of the network's output: (columns, rows, widths and heights of the anchors of a cell
as a flat tuple, stride or None). Sizes and strides are in input pixels. Without a stride, the map's cells divide the input.
"""

from ...pixels.rounding import same_product, same_root
from ...tensors.anchor_sizes import anchor_sizes

# For each map: its stride, then the sides of a cell's anchors.
_ULTRA_LIGHT = (8, 10, 16, 24), (16, 32, 48), (32, 64, 96), (64, 128, 192, 256)
_RETINA_FACE = (8, 16, 32), (16, 64, 128), (32, 256, 512)


def priors(name, value):
    """The option's value as priors: from a list of (columns, rows, sizes) or (columns, rows, sizes, stride)."""
    maps = []
    try:
        for one in value:
            columns, rows, sizes = one[:3]
            fits = type(columns) is int and type(rows) is int and 0 < columns < 65536 and 0 < rows < 65536 and len(one) < 5
            stride = one[3] if len(one) == 4 else None
            fits = fits and (stride is None or isinstance(stride, (int, float)) and 0.0 < stride < 1e9)
            if not fits:
                raise ValueError
            maps.append((columns, rows, anchor_sizes(name, sizes), stride))
        if not maps:
            raise ValueError
    except (TypeError, ValueError, KeyError, IndexError):
        raise ValueError(
            "%s: expected a list of maps (columns, rows, [(width, height), ...]) or (columns, rows, sizes, stride) in input "
            "pixels, or None, got %r" % (name, value)
        ) from None
    return tuple(maps)


def known(anchors, size):
    """(priors, box order) of a known network with so many anchors and an input of this size; None if there is none."""
    width, height = size
    lite = anchors == 3234 and size == (320, 320)
    if anchors == 3000 or lite:
        # ST's SSD MobileNet, as in pytorch-ssd (mobilenetv1_ssd_config.py), where the input has 300 x 300 pixels. And
        # torchvision's SSDLite320 (DefaultBoxGenerator), whose cells divide an input of 320 x 320.
        scale = width / 300.0
        maps = []
        for i, (cells, stride) in enumerate(((19, 16), (10, 32), (5, 64), (3, 100), (2, 150), (1, 300))):
            least = 60 + 45 * i
            both = same_root(least * (300 if lite and i == 5 else least + 45))
            sides = [float(least), float(least), both, both]
            for ratio in (2, 3):
                longer, shorter = same_root(least * least * ratio), same_root(least * least / ratio)
                sides += [longer, shorter, shorter, longer]
            # No prior is larger than the input.
            pairs = [same_product(min(side, 300.0), scale) for side in sides]
            if lite:
                cells = (20, 10, 5, 3, 2, 1)[i]
            maps.append((cells, cells, tuple(pairs), None if lite else same_product(stride, scale)))
        return tuple(maps), "xywh"
    if anchors == 1917:
        # TensorFlow's SSD MobileNet v1 and v2, 300 x 300 (ssd_anchor_generator in ssd_mobilenet_v1_coco.config).
        # Quotients of integers, which are the same on a camera and on a PC. Ratios as width, height.
        scales = [(20 + 15 * i) / 100 for i in range(6)] + [1.0]
        maps = []
        for i, cells in enumerate((19, 10, 5, 3, 2, 1)):
            scale = scales[i]
            pairs = [(scale, ratio) for ratio in ((1, 1), (2, 1), (1, 2), (3, 1), (3333, 10000))]
            pairs.append((same_root(same_product(scale, scales[i + 1])), (1, 1)))
            if not i:
                pairs = [(1 / 10, (1, 1)), (scale, (2, 1)), (scale, (1, 2))]
            sizes = []
            for scale, (wide, high) in pairs:
                sizes.append(same_product(same_product(scale, same_root(wide / high)), width))
                sizes.append(same_product(same_product(scale, same_root(high / wide)), height))
            maps.append((cells, cells, tuple(sizes), None))
        return tuple(maps), "yxhw"
    # Ultra-Light-Fast-Generic-Face-Detector-1MB, version RFB or slim, of any size (define_img_size in its fd_config.py). The
    # cells of a map divide the input, whatever the stride; no prior is larger than the input.
    levels = []
    for cell, *widths in _ULTRA_LIGHT:
        both_sides = tuple([float(min(side, limit)) for side in widths for limit in size])
        levels.append((-(-width // cell), -(-height // cell), both_sides, None))
    return (tuple(levels), "xywh") if anchors == _count(levels) else None


def known_faces(anchors, size):
    """The same for networks with keypoints: Pytorch_Retinaface, and Face-Detector-1MB-with-landmark's slim and RFB.

    Cells are as far apart as the stride, and anchors may be larger than the input (PriorBox in their prior_box.py).
    """
    for network in (_RETINA_FACE, _ULTRA_LIGHT):
        levels = []
        for stride, *sides in network:
            both_sides = tuple([float(side) for side in sides for _ in size])
            levels.append((-(-size[0] // stride), -(-size[1] // stride), both_sides, stride))
        if anchors == _count(levels):
            return tuple(levels), "xywh"
    return None


def _count(levels):
    return sum([columns * rows * len(pairs) // 2 for columns, rows, pairs, _ in levels])
