"""Split heads of YOLO pose: see split_head.py. Keypoints are outputs of their own.

in      keypoints [1, h, w, 3 x keypoints] for each stride, or [1, 3 x keypoints, N]: x and y relative to the anchor's cell,
        and the logit of the score. Beside decoded boxes [1, 4, N] they are in the unit of the boxes
"""

from ulab import numpy as np

from ...kernels import heads as head_kernels
from ...kernels.params import heads as head_params
from ...pixels.rounding import same_floats
from ..frame_boxes import Extras
from .split_head import keypoint_count
from .yolov8_pose import any_far_below_zero


class SplitKeypoints(Extras):
    """What a split head with keypoints adds to boxes.

    levels  for each stride, the last one first: the number of its first anchor, the columns of its map, the stride, the
            OutputTensor with its keypoints, the first anchor and HeadLayout of that
    """

    def __init__(self, boxes, options, outputs, layout, parts):
        self.keypoint_count = keypoint_count(layout, "keypoints")
        if boxes.labels is None and self.keypoint_count == 17 and boxes.classes == 1:
            boxes.labels = ["person"]  # 17 keypoints are COCO's, of a person
        self.threshold = options.keypoint_threshold
        scores = options.score_type
        if scores == "missing":
            raise ValueError("score_type: expected 'probability', 'logit' or None for a split head, got 'missing'")
        self.logits = scores != "probability"
        self.bins = layout.bins
        if self.bins == 0:
            self.units = [int(unit / boxes.tensor.scale + 0.5) for unit in (boxes.unit_x, boxes.unit_y)]
            if scores is None:
                _, tensor, order = parts[0]
                self.logits = any_far_below_zero(tensor, order, 0, outputs[tensor.index])
        self.levels = []
        for part in layout.parts:
            for at in range(0, len(part.levels), 3):
                first, width, stride = part.levels[at : at + 3]
                first += part.first
                start, tensor, order = [one for one in parts if one[0] <= first][-1]
                self.levels.insert(0, (first, width, stride, tensor, start, order))

    def set_transform(self, boxes, transform):
        x, y, w, h = transform.roi
        scale = same_floats(transform.sx, transform.sy)
        blocks = []
        for first, width, stride, tensor, start, order in self.levels:
            # Ultralytics: (2 * x + column) * stride; without DFL, in YOLO26, (x + column + .5) * stride.
            cell = scale * np.array([stride, stride] if self.bins else self.units)
            factor = cell * same_floats(tensor.scale)
            offset = same_floats(transform.ox, transform.oy)
            if self.bins > 1:
                factor = factor * 2.0
            elif self.bins:
                offset = offset + cell * 0.5
            else:
                cell = cell * 0.0
            block = head_params.decode_keypoints(
                dtype=tensor.dtype,
                keypoints=self.keypoint_count,
                channel_step=order.channel_step,
                zero_point=tensor.zero_point,
                sigmoid=1 if self.logits else 0,
                scale_x=factor[0],
                scale_y=factor[1],
                score_scale=tensor.scale,
                cell_x=cell[0],
                cell_y=cell[1],
                offset_x=offset[0],
                offset_y=offset[1],
                low_x=x,
                low_y=y,
                high_x=x + w,
                high_y=y + h,
            )
            blocks.append((first, width, tensor.index, start, order.anchor_step, block))
        self.blocks = blocks

    def keypoints(self, outputs, anchor):
        """The keypoints (K, 3) of one anchor: x, y in frame pixels, clipped to the frame, and score.

        A NaN coordinate becomes the frame's left or upper edge, a NaN score -inf (0 if scores are logits).
        """
        for level in self.blocks:
            if level[0] <= anchor:
                break
        first, width, index, start, step, block = level
        block[head_params.KEYPOINTS_FIRST] = (anchor - start) * step
        anchor -= first
        block[head_params.KEYPOINTS_COLUMN] = anchor % width
        block[head_params.KEYPOINTS_ROW] = anchor // width
        count = self.keypoint_count
        points = np.frombuffer(bytearray(12 * count), dtype=np.float).reshape((count, 3))
        head_kernels.decode_keypoints(outputs[index], block, points)
        return points
