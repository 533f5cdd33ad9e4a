"""lib/n6post/detection.py: the result's own shape, and OpenMV's."""

import image
import ml.utils
import n6post


def test_a_detection_is_a_tuple_with_names() -> None:
    d = n6post.Detection((1, 2, 3, 4), 0.5, 7, "truck", None, None)
    assert d == ((1, 2, 3, 4), 0.5, 7, "truck", None, None)
    assert d == (d.rect, d.score, d.class_id, d.label, d.mask, d.keypoints)


def test_by_class_is_openmvs_list_of_lists() -> None:
    points = object()
    found = [
        n6post.Detection((1, 2, 3, 4), 0.9, 2, "car", None, None),
        n6post.Detection((5, 6, 7, 8), 0.8, 0, "person", None, points),
        n6post.Detection((9, 9, 9, 9), 0.7, 2, "car", None, None),
    ]
    assert n6post.by_class(found) == [
        [([5, 6, 7, 8], 0.8, points)],
        [],
        [([1, 2, 3, 4], 0.9), ([9, 9, 9, 9], 0.7)],
    ]
    assert n6post.by_class([]) == []


def test_openmvs_own_function_draws_by_class_a_class_at_a_time() -> None:
    found = [
        n6post.Detection((4, 20, 30, 20), 0.9, 1, "car", None, None),
        n6post.Detection((40, 30, 10, 25), 0.8, 1, "car", None, None),
    ]
    img, wanted = image.Image(64, 64, image.RGB565), image.Image(64, 64, image.RGB565)
    for i, entries in enumerate(n6post.by_class(found)):
        rects = [entry[0] for entry in entries]
        ml.utils.draw_predictions(img, rects, ["car"] * len(rects), [(0, 255, 0)] * i * len(rects), format=None)
    for d in found:
        wanted.draw_rectangle(d.rect, color=(0, 255, 0))
    corners = [(4, 30), (33, 39), (40, 54), (49, 40)]
    assert [p for p in corners if img.get_pixel(p) == wanted.get_pixel(p) != (0, 0, 0)] == corners
