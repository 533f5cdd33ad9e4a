"""BlazePalm, MediaPipe's palm detector: boxes and seven keypoints. The landmarks of a hand are another network's.

in      boxes [1, 2016, 18] and scores [1, 2016, 1] in any order: int8, uint8, int16 or float32
out     a list of Detection, best first, in frame pixels, with keypoints

blazeface.py has the formulas. The box surrounds the palm without the fingers: MediaPipe crops a square 2.6 times as large,
turned as the line from wrist to middle finger and moved towards the fingers, for the landmarks.
"""

from .blazeface import BlazeFace, BlazeFaceBoxes


class BlazePalm(BlazeFace):
    """Post-processor for MediaPipe's palm detection: `ml.Model(path, postprocess=n6post.BlazePalm())`.

    Every detection has `.keypoints`: wrist, index finger mcp, middle finger mcp, ring finger mcp, pinky mcp, thumb cmc and
    thumb mcp (mcp is the knuckle, cmc the base of the thumb). They are a float32 array (7, 3): x and y in frame pixels,
    clipped to the frame, and 1. The box surrounds the palm without the fingers.

    Its options are those of BlazeFace. The network is trained with pixels in 0..1: pass `n6post.Letterbox(img)`.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    def _bind(self, model, outputs):
        return BlazePalmBoxes(self, model, outputs)


class BlazePalmBoxes(BlazeFaceBoxes):
    expected_outputs = (
        "boxes [1, 2016, 18] with scores [1, 2016, 1], or boxes [1, 1152, 18] and [1, 864, 18] with scores [1, 1152, 1] and "
        "[1, 864, 1]"
    )
    counts = (2, 4)
    name = "palm"
    channels = 18
    networks = (((24, 2), (12, 6)),)
