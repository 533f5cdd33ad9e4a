"""MoveNet: its options. One person's joints come from heatmaps, or from the coordinates of Google's own export.

in      heatmaps [1, H, W, K] or [1, K, H, W], int8, uint8, int16 or float32, scores 0..1: a channel a joint; or joints
        [1, 1, K, 3] of y, x, score in 0..1
out     a list of at most one Detection: keypoints float32 (K, 3) of x, y in frame pixels and score

What is done with the output stands in movenet_head.py, which the first frame loads: making a processor stays cheap.
"""

from . import number


class MoveNet:
    """Post-processor for MoveNet: `ml.Model(path, postprocess=n6post.MoveNet())`.

    threshold   the least score of a joint that counts as seen, 0..1; on integers compared as
                q >= ceil(threshold / scale + zero_point)
    refine      move each joint from its cell's middle to the top of the parabola through the peak and its two
                neighbours, in x and in y: never more than half a cell, and not at all at the map's border
    labels      one name, of what is found; or one a joint, which tells nothing new here. Else it is a "person"
    layout      "NHWC" or "NCHW" for heatmaps, "joints" for [1, 1, K, 3]; None: told by the shape

    Every joint is returned, seen or not: its score tells, and `draw` leaves out those under the threshold. The box goes
    around the joints that are seen, at least one pixel wide and high; the score is their mean. With none seen, the
    list is empty.

    ValueError for an option out of range, and at a model's first frame for an output that is not this family's.
    """

    def __init__(self, threshold=0.3, refine=True, labels=None, layout=None):
        self.threshold = number("threshold", threshold, 0.0, 1.0)
        if layout not in (None, "NHWC", "NCHW", "joints"):
            raise ValueError("layout: expected 'NHWC', 'NCHW', 'joints' or None, got %r" % (layout,))
        if labels is not None or refine is not True:
            from . import options

            options.names("labels", labels)
            options.flag("refine", refine)
        self.refine = refine
        self.labels = labels
        self.layout = layout
        self._head = None

    def __call__(self, model, inputs, outputs):
        if self._head is None:
            from . import movenet_head

            self._head = movenet_head.Head(self)
        return self._head(model, inputs, outputs)
