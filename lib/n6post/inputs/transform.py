"""The transform from model input to frame: how a picture was fitted into the input, and the way back.

An `InputTransform` maps model input pixels to frame pixels, separately in x and y: frame = input * scale + offset. It
depends on what the script passed to `predict`:

- a plain image, which 5.0 stretches and of which 4.8.1 crops the center (firmware.py finds out which)
- one of `Stretch`, `Crop` and `Letterbox`, which are the same on every firmware
- an ndarray or a callable, which has no frame: then the frame is the model input itself

This assumes a graphics unit that samples at the center of a pixel. By its driver's source the AE3's unit does, and the N6's
maps edges to edges. If the CPU scales, the picture is half a pixel of the model's input further right and down than the
transform says, unless it is copied one to one.
"""

from ..tensors.lazy import later


class InputTransform:
    """The transform of one input: frame x = input x * sx + ox, and frame y = input y * sy + oy.

    key         (type of the input, its roi): the transform holds for the next frame if these are the same
    roi         (x, y, w, h): the part of the frame that the input shows, frame pixels
    frame_size  (width, height) of the whole frame, or None if the input does not show it
    """

    def __init__(self, key, roi, sx, ox, sy, oy, frame_size=None):
        self.key = key
        self.frame_size = frame_size
        self.roi = roi
        self.sx = sx
        self.ox = ox
        self.sy = sy
        self.oy = oy


def input_size(model):
    """(width, height) of the model's first input, NHWC or NCHW; None if it is not a picture."""
    shapes = getattr(model, "input_shape", None)
    if not shapes:
        return None
    shape = shapes[0]
    if not isinstance(shape, (list, tuple)):
        return None
    if len(shape) == 4:
        shape = shape[1:]
    if len(shape) != 3 or min(shape) < 1 or max(shape) > 65535:
        return None
    if shape[2] in (1, 3):
        return shape[1], shape[0]
    if shape[0] in (1, 3):
        return shape[2], shape[1]
    return None


def checked_roi(roi):
    """roi as a tuple; ValueError if it is not (x, y, w, h) within the limits of a frame."""
    if not isinstance(roi, (list, tuple)) or len(roi) != 4 or [v for v in roi if not isinstance(v, int)]:
        raise ValueError("roi: expected four integers x, y, w, h, got %r" % (roi,))
    x, y, w, h = roi
    # Larger numbers would not fit into the kernels' parameters, nor into the 16 bits of pixel_edges.py.
    if w < 1 or h < 1 or max(w, h, x + w, y + h) > 65535 or min(x, y) < -65535:
        raise ValueError("roi: expected at least one pixel of a frame of at most 65535 x 65535, got %r" % (roi,))
    return tuple(roi)


def transform_of(inputs, size, last=None):
    """The InputTransform for the inputs of a `predict` call and a model input of size (width, height).

    last    the transform of the previous frame. It is returned if it still holds, which saves making a new one

    (A caller that compares types and rois itself, as processor.py does while the roi is the whole frame, does not see that a
    frame has become larger than its roi.)
    """
    source = inputs[0] if inputs else None
    roi = getattr(source, "roi", None)
    if callable(roi):
        roi = None
    key = (type(source), roi)
    frame_size = size
    if roi is not None:
        picture = later.firmware.picture_of(source)
        try:
            frame_size = picture.width(), picture.height()
        except (AttributeError, TypeError):
            frame_size = None
    if last is not None and last.key == key and last.frame_size == frame_size:
        return last
    if roi is None:  # an ndarray, a plain callable, nothing: the frame is the model input
        return InputTransform(key, (0, 0, size[0], size[1]), 1.0, 0.0, 1.0, 0.0, frame_size)
    fit = getattr(source, "fit", None)
    if fit is not None:  # resize.py
        transform = fit(key, size)
        transform.frame_size = frame_size
        return transform
    x, y, w, h = roi = checked_roi(roi)
    stretched = later.firmware.stretches_plain_image()
    if stretched and x == y == 0:
        return InputTransform(key, roi, w / size[0], 0.0, h / size[1], 0.0, frame_size)
    sx, ox, sy, oy = later.inputs_firmware_scaling.plain_fit(roi, size, stretched)
    return InputTransform(key, roi, sx, ox, sy, oy, frame_size)
