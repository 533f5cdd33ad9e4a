"""Pipeline: two models in turns. The second looks at each region that the first has found, then follows it by itself.

    palms = n6post.load("/rom/palm_detection_full_192.tflite")
    hands = n6post.Pipeline(palms, n6post.load("/rom/hand_landmarks_full_224.tflite"))
    n6post.draw(img, hands.predict(img))

Regions are those of MediaPipe's graphs (palm_detection_detection_to_roi, hand_landmark_landmarks_to_roi,
face_detection_front_detection_to_roi, face_landmark_landmarks_to_roi, pose_detection_to_roi and
pose_landmarks_to_roi.pbtxt), except for the first region of a hand, which has a margin of 3.0 instead of 2.6: see
HandLandmarks. MediaPipe also smooths the circle of a pose over time. alignment.py has those of faces and of plates for a
network that wants them straight.
"""

from math import sqrt

from ..inputs.resize import check_numbers, source_of
from ..inputs.transform import input_size
from ..kernels import are_fast
from ..results.detection import Detection, copied, set_attribute
from ..tensors.lazy import later
from ..tensors.options import Configurable, Options, choice, flag, number, number_or_none

# By the number of keypoints: the line that shows the direction, from a keypoint to the mean of others, whether it points up
# (or else to the right), the margin, how far the region is moved upwards (in heights), and the keypoints that it surrounds,
# or None for the detection's box.
_PALM = (0, (2,), True, 3.0, 0.4, None)
_FACE = (0, (1,), False, 1.5, 0.0, None)
_HAND = (0, (9, 9, 5, 13), True, 2.0, 0.1, (0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18))
_MESH = (33, (263,), False, 1.5, 0.0, (10, 284, 389, 454, 361, 397, 152, 172, 132, 234, 162, 54, 4))
_RULES = {7: _PALM, 5: _FACE, 6: _FACE, 21: _HAND, 468: _MESH, 478: _MESH}
_ANY = (None, (), False, 1.25, 0.0, None)
# The circle around a body, by the number of keypoints: which are its center, and its uppermost point if the body is upright.
# For PoseLandmarks only, because the four keypoints of other detectors are corners.
_CIRCLES = {4: (0, 1), 35: (33, 34)}
_FAR = 32767  # frame pixels, in either direction


def _scale_or_none(name, value):
    if value is None:
        return None
    check_numbers(name, value)
    return tuple(value)


class Pipeline(Configurable):
    """Two models in turns: a detector finds objects in the frame, and a second model looks at each of them.

    detector, model     read-only

    If the second model returns keypoints, its objects are followed: the next region is taken from the keypoints, as long as
    the second model reports them, and the detector rests while `max_detections` objects are followed.

    ValueError for something else than models, and for options out of range.
    """

    _option = Options()
    max_detections = _option("max_detections", 2, number, 1, 100)
    margin = _option("margin", None, number_or_none, 0.1, 10.0)
    follow = _option("follow", True, flag)
    follow_margin = _option("follow_margin", None, number_or_none, 0.1, 10.0)
    rotate = _option("rotate", True, flag)
    align = _option("align", None, choice, "face", "corners", "box")
    detect_every = _option("detect_every", 1, number, 1, 65535)
    scale = _option("scale", None, _scale_or_none)

    def __init__(self, detector, model, *more, **options):
        if more:
            raise TypeError("Pipeline: expected two models, got %d arguments" % (2 + len(more)))
        super().__init__(**options)
        for name, one in (("detector", detector), ("model", model)):
            if not callable(getattr(one, "predict", None)):
                raise ValueError("%s: expected a model, as n6post.load returns it, got %s" % (name, type(one).__name__))
        self._models = detector, model
        if getattr(model, "input_shape", None) is None:
            kind = type(model).__name__
            raise ValueError("model: expected one with an input_shape, got %s, which can only be the detector" % kind)
        self._size = input_size(model)
        if self._size is None:
            from ..tensors.errors import input_refused

            raise input_refused(model)
        self.reset()

    @property
    def detector(self):
        """The first model, whose `predict` returns a list of Detection."""
        return self._models[0]

    @property
    def model(self):
        """The second model. It gets a crop for each object, with some margin and the aspect ratio of its input."""
        return self._models[1]

    @property
    def following(self):
        """The number of objects that the next `predict` looks at without the detector."""
        return len(self._state[0])

    @property
    def results(self):
        """What the second model returned for each detection of the last `predict`; [] if that were detections.

        None for a detection that it has not looked at, because there were more than `max_detections`. Each detection has its
        own, too: `detection.result`.
        """
        return self._state[3]

    @property
    def skipped(self):
        """The detector's detections of the last `predict` at which the second model has not looked.

        Those beyond `max_detections`, and those in nearly the same place as another one if the objects are followed.
        """
        return self._state[4]

    def reset(self):
        """Follow no object any more: the next `predict` runs the detector."""
        # Regions, the size of their frame, predictions until the detector's next turn, results, and what was skipped.
        self._state = ((), None, 0, [], [])

    def predict(self, img):
        """Run the models; returns a list of Detection in frame pixels, the objects that are followed first.

        img     the frame, RGB565 or GRAYSCALE, or a list of it. It is letterboxed for the detector; pass
                `n6post.Stretch(img)` or `n6post.Crop(img)` for another way

        If the second model returns detections, these are returned. Otherwise all of the detector's are, and `results` has
        what the second model returned for each. It looks at no more than `max_detections` in a frame: `skipped` has the
        others.
        """
        source = source_of(img)
        img = source.image
        frame_size = img.width(), img.height()
        kept, size, wait = self._state[:3]
        objects = [(region, None) for region in kept] if size == frame_size else []
        regions = [region for region, _ in objects]  # of those that are looked at
        if len(objects) < self.max_detections and (wait <= 1 or not objects):
            wait = self.detect_every
            objects += self._detect(source, regions)
        else:
            wait -= 1
        found, results, followed = [], [], []
        # A network without a score would report a lost object for ever.
        follow = self.follow and getattr(self._processor(), "_is_followed", True)
        skipped = []  # (place among the detections that have results, detection)
        for region, detection in objects:
            if detection is not None:
                # A network that returns other results than detections looks at all, in the same place or not.
                at_limit = len(regions) >= self.max_detections
                if region is None or at_limit or not results and _overlaps(region, regions):
                    skipped.append((len(results) + len(skipped), detection))
                    continue
                regions.append(region)
            answer, is_list = self._look_at(img, region, frame_size)
            if not is_list:
                if detection is not None:
                    # Maps of a network take turns in two buffers, so a third would overwrite the first.
                    answer = answer.copy() if getattr(answer, "copy", None) else answer
                    detection = copied(detection, detection)  # Tiles return the same one again
                    set_attribute(detection, "_result", answer)
                    found.append(detection)
                    results.append(answer)
                continue
            found.extend(answer)
            if follow and len(answer) == 1 and answer[0].keypoints is not None:
                after = self._region(answer[0], self.follow_margin)
                if after and not _overlaps(after, followed):
                    followed.append(after)
        if results:
            for at, detection in skipped:
                found.insert(at, detection)
                results.insert(at, None)
        skipped = [detection for _, detection in skipped]
        self._state = (tuple(followed), frame_size, wait, results, skipped)  # type: ignore[assignment]
        return found

    def _detect(self, source, followed):
        """(region, detection) of each of the detector's detections, without those of objects that are followed."""
        detections = self._models[0].predict([source])
        if not _are_detections(detections):
            raise ValueError("the detector: expected a list of Detection, got %r" % (detections,))
        objects = [(self._region(detection, self.margin), detection) for detection in detections]
        return [one for one in objects if not one[0] or not _overlaps(one[0], followed)]

    def _look_at(self, img, region, frame_size):
        """(what the second model returns for a region, in frame pixels, whether that is a list of Detection)."""
        if not are_fast():  # a camera without machine code would take seconds for a rotated crop
            roi = _upright(region, frame_size)
            if roi is None:
                return [], True
            scale = {"scale": self.scale} if self.scale else {}
            answer = self._models[1].predict([later.inputs_resize.Stretch(img, roi=roi, **scale)])
            return answer, _are_detections(answer)
        x, y, w, h, cos, sin = region[:6]
        crop = later.models_region.Region(img, x, y, w, h, cos, sin, self._size, region[8], self.scale)
        answer = self._models[1].predict([crop])
        if not _are_detections(answer):
            return answer, False
        answer = [crop.to_frame(d, frame_size) for d in answer]
        return [d for d in answer if d is not None], True

    def _processor(self):
        """The post-processor of the second model, or None."""
        processor = getattr(self._models[1], "postprocess", None)
        return getattr(processor, "processor", processor)  # of a model of n6post.load

    def _aligned(self, detection):
        """(x, y, w, h, cos, sin, lean) of the region of a detection that is cut straight; None for any other one.

        () if its keypoints or corners have no region: its box would be no picture that the second model knows.
        """
        align = self.align
        keypoints = detection[5]
        count = 0 if keypoints is None else len(keypoints)
        if not self.rotate or align == "box":
            return None
        if align is None and count in (5, 6):
            align = "face" if getattr(self._processor(), "_aligns_faces", False) else None
        if align == "face" and count in (5, 6):
            return later.models_alignment.of_face(keypoints.tolist(), self._size) or ()
        if align == "corners":
            if count == 4:
                return later.models_alignment.of_corners(keypoints.tolist()) or ()
            if detection.corners is not None:
                return later.models_alignment.of_oriented(detection.corners.tolist(), self._size) or ()
        return None

    def _region(self, detection, margin):
        """The region around a detection: center x and y, width, height, cos and sin of its direction.

        None for a region without a place: keypoints may be NaN, or beyond the numbers that the kernel can express.
        Two more numbers are the width and height by which `_overlaps` compares it: the region's own, or those of a box
        without a known direction. The regions of people who stand side by side overlap too much. The last is how far it
        leans.
        """
        aligned = self._aligned(detection)
        if aligned is not None:
            if not aligned:
                return None
            x, y, w, h, cos, sin, lean = aligned
            if margin is not None:
                w, h, lean = w * margin, h * margin, lean * margin
            reach = w + h + abs(lean)
            return aligned[:2] + (w, h, cos, sin, w, h, lean) if _is_near(x, y, reach) else None
        x, y, w, h = detection[0]
        keypoints = detection[5]
        count = 0 if keypoints is None else len(keypoints)
        if count in _CIRCLES and getattr(self._processor(), "_in_circle", False):
            return self._around_circle(keypoints, _CIRCLES[count], margin)
        start, ends, is_up, scale, shift, around = _RULES.get(count, _ANY)
        cx, cy = x + w / 2, y + h / 2
        cos, sin = 1.0, 0.0
        if start is not None:
            ax, ay, least = keypoints[start].tolist()
            dx = dy = 0.0
            for end in ends:
                bx, by, b = keypoints[end].tolist()
                dx += bx - ax
                dy += by - ay
                least = min(least, b)
            length = sqrt(dx * dx + dy * dy)
            if length > 0 and least >= detection.keypoint_threshold:
                cos, sin = (-dy / length, dx / length) if is_up else (dx / length, dy / length)
        if around:
            points = [keypoints[i].tolist() for i in around]
            across = [px * cos + py * sin for px, py, _ in points]
            down = [py * cos - px * sin for px, py, _ in points]
            left, top = min(across), min(down)
            w, h = max(across) - left, max(down) - top
            u, v = left + w / 2, top + h / 2
            cx, cy = u * cos - v * sin, u * sin + v * cos
        cx, cy = cx + shift * h * sin, cy - shift * h * cos
        if not self.rotate:
            cos, sin = 1.0, 0.0
        ratio = self._size[0] / self._size[1]
        side = max(w, h * ratio, 1.0) * (scale if margin is None else margin)
        if start is not None:
            w, h = side, side / ratio
        reach = side + side / ratio
        return (cx, cy, side, side / ratio, cos, sin, w, h, 0.0) if _is_near(cx, cy, reach) else None

    def _around_circle(self, keypoints, places, margin):
        """The region around a circle, of which two keypoints are the center and the uppermost point of an upright body."""
        (x, y, _), (up_x, up_y, _) = [keypoints[place].tolist() for place in places]
        radius = sqrt((up_x - x) * (up_x - x) + (up_y - y) * (up_y - y))
        cos, sin = ((y - up_y) / radius, (up_x - x) / radius) if self.rotate and radius > 0 else (1.0, 0.0)
        ratio = self._size[0] / self._size[1]
        w = max(2.0 * radius * max(ratio, 1.0), 1.0) * (1.25 if margin is None else margin)
        h = w / ratio
        return (x, y, w, h, cos, sin, w, h, 0.0) if _is_near(x, y, w + h) else None


def _is_near(x, y, reach):
    """Whether the kernel can express a region; False for NaN."""
    return -_FAR < x - reach and x + reach < _FAR and -_FAR < y - reach and y + reach < _FAR


def _are_detections(answer):
    return isinstance(answer, list) and not [d for d in answer if not isinstance(d, Detection)]


def _upright(region, frame_size):
    """The roi (x, y, w, h) of a region without its rotation, clipped to the frame; None if nothing is left."""
    x, y, w, h = region[:4]
    left, top = max(0, int(x - w / 2)), max(0, int(y - h / 2))
    right, bottom = min(frame_size[0], int(x + w / 2)), min(frame_size[1], int(y + h / 2))
    return (left, top, right - left, bottom - top) if left < right and top < bottom else None


def _overlaps(region, others):
    """Whether a region is that of another one: their IoU, without rotation, is above 0.5 (MediaPipe's association)."""
    x, y, _, _, _, _, w, h, _ = region
    for other_x, other_y, _, _, _, _, other_w, other_h, _ in others:
        across = min(x + w / 2, other_x + other_w / 2) - max(x - w / 2, other_x - other_w / 2)
        down = min(y + h / 2, other_y + other_h / 2) - max(y - h / 2, other_y - other_h / 2)
        if across > 0 and down > 0 and 3 * across * down > w * h + other_w * other_h:
            return True
    return False
