"""lib/n6post/detection.py: the shape of a result."""

import n6post
import pytest
from fakes import stretched
from n6post.detection import with_keypoints
from test_answers import FAMILIES, found_in


def test_a_detection_is_a_tuple_with_names() -> None:
    d = n6post.Detection((1, 2, 3, 4), 0.5, 7, "truck", None, None)
    assert d == ((1, 2, 3, 4), 0.5, 7, "truck", None, None)
    assert d == (d.rect, d.score, d.class_id, d.label, d.mask, d.keypoints)


def test_of_one_made_by_hand_neither_a_track_nor_the_size_of_its_frame_is_known() -> None:
    for d in (n6post.Detection((1, 2, 3, 4), 0.5, 7, "truck", None, None), with_keypoints(0.5)(0, 0, 0, 0, 0, 0)):
        assert d.track_id is None and d.frame_size is None


@pytest.mark.parametrize("name", FAMILIES)
def test_one_of_a_frame_knows_the_size_of_it_and_calls_itself_a_detection(name: str) -> None:
    d = found_in(name, stretched((10, 20, 640, 480)))[0]
    assert d.frame_size == (700, 520)
    assert type(d).__name__ == "Detection" and repr(d).startswith("Detection(rect=(")
