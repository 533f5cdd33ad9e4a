"""Overlaps, pairs, limbs, fingers, parts of a class, sizes on a plane, near parts of a zone, sharpness: as text."""

import n6post
from n6post.inputs.transform import InputTransform
from n6post.results.depth_map import DepthMap
from n6post.results.segmentation import ClassInfo, MapTransform, Segmentation
from ulab import numpy as np

HAND = (
    256, 354, 220, 333, 191, 295, 167, 266, 143, 249, 235, 240, 228, 197, 225, 170, 224, 146, 262, 242, 277, 197, 288, 168,
    299, 144, 283, 258, 296, 232, 280, 261, 271, 284, 300, 280, 306, 267, 292, 288, 282, 306,
)  # fmt: skip


class Picture:
    """As much of an image as `sharpness` asks for."""

    def __init__(self, width, height, pixformat, pixels):
        self.size, self.pixformat, self.pixels = (width, height), pixformat, pixels

    def width(self):
        return self.size[0]

    def height(self):
        return self.size[1]

    def format(self):
        return self.pixformat

    def bytearray(self):
        return self.pixels


def text(numbers):
    return numbers if numbers is None else ["%.4g" % number for number in numbers]


def run(pixformats):
    """pixformats: those of GRAYSCALE and RGB565."""
    boxes = [((10 * i % 37, 7 * i % 23, 12 + 5 * i % 11, 9 + 3 * i % 13), 0.5, i, "x", None, None) for i in range(9)]
    boxes = [n6post.Detection(*one) for one in boxes]
    turned = [d.replace(corners=[(x + 3, y), (x + w, y + 4), (x + w - 3, y + h), (x, y + h - 4)])
              for d in boxes[:3] for x, y, w, h in (d.rect,)]  # fmt: skip
    for some, others in ((boxes[:4], boxes[4:]), (turned, boxes)):
        print([text([a.iou(b), a.overlap(b)]) for a in some for b in others])
        for metric in ("overlap", "iou", "ios"):
            found = n6post.pairs(some, others, metric=metric, overlap_threshold=0.2)
            print(metric, [(a.class_id, b.class_id) for a, b in found])
    points = np.ones((21, 3))
    points[:, :2] = np.array(HAND).reshape((21, 2))
    hand = boxes[0].replace(keypoints=points)
    print(hand.fingers, text([hand.distance(0, 8), hand.limb_angle("wrist", 12)]), text(hand.midpoint(4, 8)))
    state = 7
    width, height = 32, 24
    classes = bytearray(width * height)
    for i in range(len(classes)):
        state = (state * 1103 + 12347) & 0xFFFFF
        classes[i] = state >> 13 & 3
    fit = InputTransform((320, 240), (0, 0, 320, 240), 10.0, 0.0, 10.0, 0.0, (320, 240))
    transform = MapTransform(ClassInfo(4, 4, ["a", "b", "c", "d"], 0), fit, (width, height), (width, height))
    numbers = np.frombuffer(classes, dtype=np.uint8).reshape((height, width))
    seen = Segmentation(numbers, transform)
    parts = seen.objects("b", min_area=300)
    print([(d.rect, d.mask.area, d.label) for d in parts])
    plane = n6post.Plane([(50, 100), (270, 95), (300, 230), (20, 225)], [(-2, 9), (2, 9.5), (1.3, 4), (-1.4, 4.1)])
    areas = [plane.area(d.mask) for d in parts] + [plane.area(seen, "b")]
    print(["None" if one is None else "%.4g" % one for one in areas])
    print(text(plane.size(n6post.Detection((120, 90, 40, 95), 0.5, 0, "", None, None).replace(frame_size=(320, 240)))))
    depth = DepthMap(numbers * 3, transform, 0.25, 1)
    zone = n6post.PolygonZone([(10, 10), (300, 40), (200, 220), (40, 180)])
    for nearer in (0.1, 0.6, 1.3):
        print("%.4g %.4g" % (depth.fraction(zone, nearer=nearer), depth.fraction((30, 40, 90, 77), nearer=nearer)))
    for depth, pixformat in enumerate(pixformats):
        pixels = bytearray((depth + 1) * 90 * 70)
        for i in range(len(pixels)):
            state = (state * 1103 + 12347) & 0xFFFFF
            pixels[i] = state >> 5 & 255
        img = Picture(90, 70, pixformat, pixels)
        print("%.5g %.5g" % (n6post.sharpness(img), n6post.sharpness(img, (7, 9, 40, 30))))
