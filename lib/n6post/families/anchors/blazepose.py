"""BlazePose, MediaPipe's detector of people: boxes and four keypoints. The landmarks of a body are another network's.

in      boxes [1, N, 12] and scores [1, N, 1] in any order, N = 2254 or, of MediaPipe's first such network, 896: int8, uint8,
        int16 or float32
out     a list of Detection, best first, in frame pixels, with keypoints

blazeface.py has the formulas. Two of the keypoints show the circle around the whole body, from which MediaPipe takes the
picture for the landmarks.
"""

from .blazeface import BlazeFace, BlazeFaceBoxes


class BlazePose(BlazeFace):
    """Post-processor for MediaPipe's pose detection: `ml.Model(path, postprocess=n6post.BlazePose())`.

    The box surrounds the face. Every detection has `.keypoints`: the middle of the hips, a point on the circle around the
    whole body, the middle of the shoulders, and a point on the circle around the upper body. They are a float32 array
    (4, 3): x and y in frame pixels, and a score of 1, or of 0 outside of the frame. They may lie outside by up to its width
    or height, as the hips of somebody at a desk do.

    Its options are those of BlazeFace. The network is trained with pixels in -1..1: pass
    `n6post.Letterbox(img, scale=(-1, 1))` to a file that takes floats.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    def _bind(self, model, outputs):
        return BlazePoseBoxes(self, model, outputs)


class BlazePoseBoxes(BlazeFaceBoxes):
    expected_outputs = (
        "boxes [1, N, 12] with scores [1, N, 1] and N = 2254 or 896, or both for each of N = 1568, 392 and 294, or of N = "
        "512 and 384"
    )
    counts = (2, 4, 6)
    name = "person"
    channels = 12
    networks = ((28, 2), (14, 2), (7, 6)), ((16, 2), (8, 6))
    reach = 1.0
