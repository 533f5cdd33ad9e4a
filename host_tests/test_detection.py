"""lib/n6post/detection.py: the shape of a result."""

import n6post


def test_a_detection_is_a_tuple_with_names() -> None:
    d = n6post.Detection((1, 2, 3, 4), 0.5, 7, "truck", None, None)
    assert d == ((1, 2, 3, 4), 0.5, 7, "truck", None, None)
    assert d == (d.rect, d.score, d.class_id, d.label, d.mask, d.keypoints)
