"""Region: a rotated rectangle of the frame as the input of a model, and the way back of its results. For pipeline.py.

It may lean: then it is a parallelogram. It may reach beyond the frame: there the frame's border is continued, as MediaPipe
does. A kernel makes the crop (kernels/portable/crops.py), because the firmware cannot: the `transform` of its draw_image
works on the graphics unit of an N6 only, and is ignored everywhere else.
"""

from math import floor

from ulab import numpy as np

from ..inputs.transform import InputTransform
from ..kernels import crops as crop_kernels
from ..kernels.params import crops as crop_params
from ..pixels.colors import depth_of
from ..pixels.rounding import rect_around, unsee_outside
from ..results.detection import detection_from
from ..tensors.quantization import FLOAT

# Crops of each (width, height, bytes of a pixel), kept: 100 KB of garbage per frame would start the collector in each.
_canvases = {}


class Region:
    """A model input that shows a rectangle of an image: pass it to `predict` in a list, then results to `to_frame`.

    img         the frame, RGB565 or GRAYSCALE
    x, y        center of the rectangle, frame pixels
    w, h        its width and height, frame pixels
    cos, sin    the direction of its upper side: (cos, sin) points from the left to the right
    size        (width, height) of the model's input
    lean        how much further in that direction the lower side is than the upper one, frame pixels
    scale       (lowest, highest) number of a pixel for a network that takes floats; None: (0, 1)

    The results of the model are in pixels of its input, as if that were a frame of unknown size.
    """

    def __init__(self, img, x, y, w, h, cos, sin, size, lean=0.0, scale=None):
        self._image = None  # a frame's size read from the image would be that of another picture than the results'
        self.roi = (0, 0) + size
        self._frame = img
        self._normalization = {"scale": scale} if scale else {}
        self._size = size
        # Frame pixels per input pixel, and the center of the first input pixel, from the middle of the first frame pixel.
        self._across = w / size[0]
        self._down = h / size[1]
        self._axes = cos, sin
        slope = lean / size[1]
        self._steps = self._across * cos, self._across * sin, slope * cos - self._down * sin, slope * sin + self._down * cos
        left, top = 0.5 * (self._across - w + slope - lean), 0.5 * (self._down - h)
        self._start = x + left * cos - top * sin, y + left * sin + top * cos
        w += lean
        self._corner = x - 0.5 * w * cos + 0.5 * h * sin, y - 0.5 * w * sin - 0.5 * h * cos

    def fit(self, key, size):
        """The InputTransform for a model input of size (width, height): the crop is the frame."""
        # A network may place keypoints outside of its input, but not far away.
        return InputTransform(key, (-size[0], -size[1], 3 * size[0], 3 * size[1]), 1.0, 0.0, 1.0, 0.0)

    def __call__(self, buffer, shape, dtype):
        """Fill the input tensor. The firmware calls this."""
        import image
        from ml.preprocessing import Normalization

        img = self._frame
        depth = depth_of(img)
        key = self._size + (depth,)
        canvas = _canvases.get(key)
        if canvas is None:
            canvas = image.Image(key[0], key[1], image.RGB565 if depth == 2 else image.GRAYSCALE)
            if len(_canvases) > 3:
                _canvases.clear()
            _canvases[key] = canvas
        x, y = self._start
        fixed = [floor(number * 65536) for number in (x - 0.5, y - 0.5) + self._steps]
        block = crop_params.cut_rotated(depth, img.width(), img.height(), key[0], key[1], *fixed)
        crop_kernels.cut_rotated(canvas.bytearray(), block, img.bytearray())
        Normalization(**self._normalization)(canvas)(buffer, shape, dtype)

    def to_frame(self, detection, frame_size):
        """A Detection in frame pixels, clipped to the frame; None if it lies outside of the frame.

        The box surrounds the visible keypoints, or the turned box of a detection without keypoints. ValueError for one with
        a mask or an oriented box.
        """
        rect, score, class_id, label, mask, keypoints = detection
        if mask is not None or detection.corners is not None:
            raise ValueError("the second model: expected detections without masks and oriented boxes, got %r" % (detection,))
        width, height = frame_size
        xx, yx, xy, yy = self._steps
        threshold = detection.keypoint_threshold
        if keypoints is None:
            x, y, w, h = rect
            points = np.array([[x, y, 1.0], [x + w, y, 1.0], [x, y + h, 1.0], [x + w, y + h, 1.0]])
        else:
            points = keypoints if keypoints.strides == (12, 4) else keypoints * 1.0  # a kernel cannot read a strided view
        block = crop_params.place_keypoints(
            FLOAT, len(points), 0, 1, threshold,
            xx, xy, self._corner[0], yx, yy, self._corner[1],
            0.0, 0.0, float(width), float(height),
        )  # fmt: skip
        # The circle by which PoseLandmarks' person is followed may reach beyond the frame.
        circle = points[33:].tolist() if len(points) == 35 else ()
        # In place, because no other code holds this array. Allocating 5.6 KB for a face mesh takes 300,000 instructions.
        if not crop_kernels.place_keypoints(points, block, points):
            return None
        rect = rect_around(np.frombuffer(block, dtype=np.float)[crop_params.PLACE_KEYPOINTS_BOX :], 0, 0, width, height)
        if rect is None:
            return None
        if circle:
            unsee_outside(points, 0, 0, width, height)
            for i, (x, y, _) in enumerate(circle):
                points[33 + i, 0], points[33 + i, 1] = xx * x + xy * y + self._corner[0], yx * x + yy * y + self._corner[1]
        keypoints = None if keypoints is None else points
        fields = rect, score, class_id, label, None, keypoints
        return detection_from(fields, (frame_size, threshold), detection._track)
