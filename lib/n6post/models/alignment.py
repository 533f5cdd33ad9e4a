"""Regions that a second model wants straight: faces as ArcFace was trained with them, and plates. For pipeline.py.

A face's region makes the mean squared distance of its keypoints from ArcFace's template as small as a rotation, a scale and
a displacement can. That is what insightface's `norm_crop` and OpenCV's FaceRecognizerSF do, and what networks such as
MobileFaceNet, SFace and ArcFace expect. S. Umeyama, "Least-squares estimation of transformation parameters between two point
patterns", PAMI 1991; in two dimensions its solution needs sums only.

A plate's region is the parallelogram that is nearest to its four corners. What perspective adds is left: a plate of 52 cm
that is 3 m away and turned by 45 degrees shows its middle 3 % of its width beside the middle of the crop.
"""

from math import sqrt

# Right eye, left eye, nose tip, right and left corner of the mouth, in pixels of 112 x 112; (0, 0) is a pixel's center.
_FACE = (38.2946, 51.6963), (73.5318, 51.5014), (56.0252, 71.7366), (41.5493, 92.3655), (70.7299, 92.2041)
_MOUTH = (56.1396, 92.2848)  # the middle of both corners
_SIDE = 112


def of_face(keypoints, size):
    """(x, y, w, h, cos, sin, lean) of the region whose crop of `size` has the face in the place of ArcFace's template.

    keypoints   lists (x, y, score) in frame pixels: the template's five, or BlazeFace's six, of which the ears do not count

    None if all keypoints are in one place. An input that is not square has the template in the middle of its width.
    """
    template = _FACE if len(keypoints) == 5 else _FACE[:3] + (_MOUTH,)
    keypoints = keypoints[: len(template)]
    scale = size[1] / _SIDE
    count = len(template)
    # Pixel p of the frame and of the crop is from p to p + 1: the template's numbers, and those of detectors, are p.
    x0 = sum([point[0] for point in keypoints]) / count
    y0 = sum([point[1] for point in keypoints]) / count
    u0 = sum([u for u, _ in template]) / count
    v0 = sum([v for _, v in template]) / count
    a = b = spread = 0.0
    for point, (u, v) in zip(keypoints, template):
        x, y = point[0] - x0, point[1] - y0
        u, v = u - u0, v - v0
        a += x * u + y * v
        b += x * v - y * u
        spread += x * x + y * y
    length = sqrt(a * a + b * b)
    if not length > 0.0:
        return None
    cos, sin = a / length, -b / length
    unit = spread / (length * scale)  # frame pixels in a pixel of the input
    # From the middle of the template to that of the input; norm_crop multiplies its numbers for a larger input, too.
    u, v = scale * (0.5 * _SIDE - u0) - 0.5, scale * (0.5 * _SIDE - v0) - 0.5
    x, y = x0 + 0.5 + unit * (u * cos - v * sin), y0 + 0.5 + unit * (u * sin + v * cos)
    return x, y, unit * size[0], unit * size[1], cos, sin, 0.0


def of_oriented(points, size):
    """(x, y, w, h, cos, sin, lean) of the region of an oriented box, from its corners in any order around it.

    The box does not say which of its sides is the upper one. Its longer side lies along the longer side of the input `size`,
    and of both ways to do this the one nearer to upright is taken. None if the box has no area.
    """
    best = None
    for corners in (points, points[::-1]):
        for start in range(4):
            region = of_corners(corners[start:] + corners[:start])
            fits = region and (region[2] >= region[3]) == (size[0] >= size[1])
            if fits and (best is None or region[4] > best[4]):
                best = region
    return best


def of_corners(points):
    """(x, y, w, h, cos, sin, lean) of the parallelogram that is nearest to four corners.

    points  lists (x, y, ...) in frame pixels: upper left, upper right, lower right and lower left, as the object itself sees
            them

    None if the corners are in another order, or have no area.
    """
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = [point[:2] for point in points]
    across_x, across_y = 0.5 * (bx - ax + cx - dx), 0.5 * (by - ay + cy - dy)
    down_x, down_y = 0.5 * (dx - ax + cx - bx), 0.5 * (dy - ay + cy - by)
    w = sqrt(across_x * across_x + across_y * across_y)
    if not w > 0.0:
        return None
    cos, sin = across_x / w, across_y / w
    h = down_y * cos - down_x * sin
    if not h > 0.0:
        return None
    return 0.25 * (ax + bx + cx + dx), 0.25 * (ay + by + cy + dy), w, h, cos, sin, down_x * cos + down_y * sin
