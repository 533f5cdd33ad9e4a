"""scripts/n6post_pc/models/compare.py: the comparison of two networks, checked against plain numpy."""

from __future__ import annotations

import itertools
from typing import Any

import hypothesis
import image
import n6post
import numpy as np
import pytest
from fakes import FakeModel, Tensor
from hypothesis import strategies as st
from n6post_pc import command
from n6post_pc.models import compare
from rich.console import Console
from synthetic_heads import Thing, float_head
from ulab import numpy as ulab_numpy

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")

SIZE = (64, 64)


def detection(rect: tuple[int, int, int, int], score: float = 0.5, class_id: int = 0) -> Any:
    return n6post.Detection(rect, score, class_id, ["person", "car", "dog"][class_id], None, None)


def printed(comparison: compare.Comparison) -> str:
    console = Console(width=80, highlight=False)
    with console.capture() as captured:
        console.print(comparison.table("pictures"))
    return captured.get()


# --- boxes ---

RECTS = st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(0, 15), st.integers(0, 15))


def raster(rect: tuple[int, int, int, int]) -> Any:
    x, y, w, h = rect
    plane = np.zeros((40, 40), dtype=bool)
    plane[y : y + h, x : x + w] = True
    return plane


@hypothesis.given(RECTS, RECTS)
def test_the_iou_of_two_boxes_is_that_of_their_pixels(one: Any, other: Any) -> None:
    a, b = raster(one), raster(other)
    expected = (a & b).sum() / (a | b).sum() if (a | b).any() else 0.0
    assert compare.box_iou(one, other) == pytest.approx(expected)


# Close to each other, so that several could be the same object.
NEAR = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(8, 14), st.integers(8, 14))
DETECTIONS = st.lists(st.builds(detection, NEAR, st.just(0.5), st.integers(0, 1)), max_size=7)


@hypothesis.given(DETECTIONS, DETECTIONS)
def test_matching_is_one_to_one_within_a_class_and_complete(one: Any, other: Any) -> None:
    pairs = compare.matched(one, other)
    assert len({i for i, _ in pairs}) == len({k for _, k in pairs}) == len(pairs)
    same = [
        (i, k) for i, a in enumerate(one) for k, b in enumerate(other)
        if a.class_id == b.class_id and compare.box_iou(a.rect, b.rect) >= 0.5
    ]  # fmt: skip
    assert set(pairs) <= set(same)
    for i, k in same:
        best = max((compare.box_iou(one[a].rect, other[b].rect) for a, b in pairs if a == i or b == k), default=-1)
        assert best >= compare.box_iou(one[i].rect, other[k].rect)


def test_the_table_and_the_verdict_name_the_same_mean() -> None:
    comparison = compare.Comparison()
    comparison.add("one.png", (10000, 1), [detection((0, 0, 10000, 1), 0.9)], [detection((0, 0, 9851, 1), 0.9)])
    assert comparison.verdict()[0].endswith("IoU of boxes 0.99")
    assert "IoU of their boxes 0.99" in " ".join(printed(comparison).split())


def test_objects_found_by_both_or_by_one_are_counted() -> None:
    one = [[detection((0, 0, 40, 20), 0.9), detection((100, 0, 20, 20), 0.8, 1), detection((0, 100, 30, 30), 0.7)],
           [detection((10, 10, 20, 20), 0.6)]]  # fmt: skip
    other = [[detection((10, 0, 40, 20), 0.7), detection((100, 0, 20, 20), 0.75, 2)],
             [detection((10, 10, 20, 30), 0.66), detection((90, 90, 9, 9), 0.45, 2)]]  # fmt: skip
    comparison = compare.Comparison()
    (first, second) = (comparison.add(f"{n}.png", (128, 128), one[n], other[n]) for n in range(2))
    assert [pair["box_iou"] for pair in first["both"]] == [0.6] and first["both"][0]["scores"] == [0.9, 0.7]
    assert [d["label"] for d in first["only_model"]] == ["car", "person"]
    assert first["other_class"] == [[{"label": "car", "score": 0.8, "rect": [100, 0, 20, 20]},
                                     {"label": "dog", "score": 0.75, "rect": [100, 0, 20, 20]}]]  # fmt: skip
    assert [d["label"] for d in second["only_other"]] == ["dog"] and second["only_model"] == []
    ious, off = np.array([30 / 50, 400 / 600]), np.array([0.9 - 0.7, 0.6 - 0.66])
    assert comparison.summary() == {
        "pictures": 2, "found": [4, 4], "found_by_both": 2, "only_model": 2, "only_other": 2, "other_class": 1,
        "below_threshold": [0, 0],
        "box_iou": {"mean": round(ious.mean(), 3), "least": 0.6},
        "score_difference": {"mean": round(off.mean(), 3), "mean_size": 0.13, "largest_size": 0.2},
        "verdict": "they differ: 33% found by both, IoU of boxes 0.63", "agree": False,
    }  # fmt: skip
    shown = printed(comparison)
    for line in ("found by both 2 of 4 and 4", "only by MODEL 2 car 0.80 in 0.png, person 0.70 in 0.png",
                 "only by OTHER 2 dog 0.75 in 0.png, dog 0.45 in 1.png", "the same box, other classes 1",
                 "IoU of their boxes 0.63 lowest 0.60: person in 0.png",
                 "scores, MODEL - OTHER +0.07 absolute: mean 0.13, maximum 0.20"):  # fmt: skip
        assert line in " ".join(shown.split())


@pytest.mark.parametrize(
    "both, alone, shift, verdict",
    [(19, 1, 0, "they agree: 95%"), (10, 0, 2, "they agree: 100%"), (8, 2, 0, "they are close: 80%"),
     (10, 0, 3, "they are close: 100%"), (10, 0, 5, "they are close: 100%"), (7, 3, 0, "they differ: 70%"),
     (10, 0, 6, "they differ: 100%"),
     (0, 3, 0, "they differ: 0%"), (0, 0, 0, "nothing to compare")],
)  # fmt: skip
def test_the_verdict_depends_on_the_objects_found_and_their_iou(both: int, alone: int, shift: int, verdict: str) -> None:
    # The IoU of boxes 100 pixels wide that are shifted by 2, 3, 5 and 6 pixels is .96, .94, .90 and .89.
    one = [detection((0, 200 * n, 100, 100)) for n in range(both + alone)]
    other = [detection((shift, 200 * n, 100, 100)) for n in range(both)]
    comparison = compare.Comparison()
    comparison.add("a.png", (128, 128), one, other)
    sentence, fine = comparison.verdict()
    assert sentence.startswith(verdict) and fine == ("agree" in verdict or "close" in verdict)
    assert printed(comparison)


# --- quantized boxes ---


@pytest.mark.parametrize("size, step", [((90, 60), (10.0, 10.0)), ((90, 60), (4.0, 12.0)), ((8, 200), (10.0, 2.0))])
def test_the_iou_left_by_rounding_is_the_mean_over_all_errors(size: tuple[int, int], step: tuple[float, float]) -> None:
    """Compared with boxes in thousandths of a pixel, over a grid of errors."""
    errors = (np.arange(7) + 0.5) / 7 - 0.5
    ious = []
    for x, y, wider, higher in itertools.product(errors, repeat=4):
        w, h = max(size[0] + wider * step[0], 0), max(size[1] + higher * step[1], 0)
        corner = x * step[0] - w / 2, y * step[1] - h / 2
        one, other = ((-size[0] / 2, -size[1] / 2, *size), (*corner, w, h))
        a, b = (tuple(round(1000 * value) for value in box) for box in (one, other))
        ious.append(compare.box_iou(a, b))  # type: ignore[arg-type]
    assert compare.rounded_iou(size, step) == pytest.approx(np.mean(ious), abs=0.01)


def test_box_steps_are_reported_with_the_iou_after_rounding() -> None:
    comparison = compare.Comparison()
    one, other = [detection((3, 0, 60, 60))], [detection((0, 0, 60, 60))]
    for picture, step in (("a.png", 10.0), ("b.png", 5.0)):
        steps = [compare.BoxStep(3.39, (step, step)), compare.BoxStep(0.01, (0.03, 0.02))]
        comparison.add(picture, (128, 128), one, other, steps=steps)
    coarse, fine = comparison.summary()["box_steps"]
    left = np.mean([compare.rounded_iou((60, 60), (step, step)) for step in (10.0, 5.0)])
    assert coarse == {"input": 3.39, "picture": [5.0, 10.0], "iou": round(left, 3)}
    assert fine == {"input": 0.01, "picture": [0.0, 0.0], "iou": 1.0}
    shown = " ".join(printed(comparison).split())
    step = "box step of MODEL 3.4 pixels of its input, 5.0 to 10.0 pixels of the pictures"
    assert f"{step} {left:.2f} IoU after rounding" in shown
    assert "box step of OTHER" not in shown and comparison.coarse == [0]


# --- masks ---


def test_the_iou_of_two_masks_is_that_of_their_prototype_pixels() -> None:
    shapes = [np.zeros((16, 16), dtype=bool) for _ in range(2)]
    shapes[0][4:10, 3:12] = True
    shapes[1][5:11, 3:10] = True
    results = []
    for shape in shapes:
        prototypes = np.full((1, 16, 16, 32), -2.0, dtype=np.float32)
        prototypes[0, shape, 0] = 3.0
        head = float_head(SIZE, 80, [Thing(5, (0, 0, 64, 64), {0: 0.9}, [1.0] + [0.0] * 31)], extra=32)
        model = FakeModel([Tensor(head), Tensor(prototypes)], SIZE)
        results.append(model.run(n6post.YoloV8Seg(), n6post.Stretch(image.Image(128, 96, image.RGB565))))
    comparison = compare.Comparison()
    expected = (shapes[0] & shapes[1]).sum() / (shapes[0] | shapes[1]).sum()
    assert comparison.add("a.png", (128, 96), *results)["both"][0]["mask_iou"] == round(expected, 3) == 0.574
    assert comparison.summary()["mask_iou"] == {"mean": 0.574, "least": 0.574}
    assert comparison.verdict()[0] == "they differ: 100% found by both, IoU of boxes 1.00, masks 0.57"
    assert "IoU of their masks 0.57 lowest 0.57: person in a.png" in " ".join(printed(comparison).split())


# --- keypoints ---


def person(rect: tuple[int, int, int, int], rows: Any, threshold: float = 0.5) -> Any:
    made = n6post.Detection(rect, 0.9, 0, "person", None, ulab_numpy.array(rows.tolist()))
    return made.replace(keypoint_threshold=threshold)


def test_distances_of_keypoints_visible_in_both_are_reported() -> None:
    rng = np.random.default_rng(1)
    one = np.column_stack((rng.uniform(0, 60, (17, 2)), np.full(17, 0.9)))
    other = one + np.array([3.0, 4.0, 0.0])
    one[:3, 2], other[2:5, 2] = 0.2, 0.3  # invisible: 0 to 2 in the first, 2 to 4 in the second; so 2 in both
    comparison = compare.Comparison()
    (pair,) = comparison.add("a.png", (64, 64), [person((0, 0, 50, 40), one)], [person((0, 0, 50, 40), other)])["both"]
    assert pair["keypoints"] == {"seen": 16, "seen_by_both": 12, "distances": [5.0] * 12}
    of_size = 5.0 / np.sqrt(50 * 40)
    assert comparison.summary()["keypoints"] == {
        "seen": 16, "seen_by_both": 12, "mean_distance": 5.0, "of_size": round(of_size, 4)}  # fmt: skip
    shown = " ".join(printed(comparison).split())
    assert "keypoints visible in both 12 of 16 visible in at least one" in shown
    assert "their distance 5.0 pixels, 11.2% of" in shown


def test_13_keypoints_are_compared_with_17_by_their_names() -> None:
    rows = np.column_stack((np.arange(17.0), np.zeros(17), np.full(17, 0.9)))
    names = n6post.keypoint_names(17)
    some = np.array([rows[names.index("nose" if name == "head" else name)] for name in n6post.keypoint_names(13)])
    comparison = compare.Comparison()
    (pair,) = comparison.add("a.png", (64, 64), [person((0, 0, 9, 9), some)], [person((0, 0, 9, 9), rows)])["both"]
    assert pair["keypoints"]["seen"] == 17 and pair["keypoints"]["distances"] == [0.0] * 13


def test_numbers_are_written_with_the_digits_that_mean_something() -> None:
    """Scores and IoUs with three decimals, distances with one."""
    rows = np.column_stack((np.arange(17.0), np.zeros(17), np.full(17, 0.9)))
    one = person((0, 0, 31, 10), rows).replace(score=0.123456)
    other = person((0, 0, 21, 10), rows + np.array([1.0, 1.0, 0.0])).replace(score=0.987654)
    alone = detection((50, 50, 20, 20), 0.876543)
    weak = detection((50, 50, 20, 20), 0.234567)
    comparison = compare.Comparison()
    report = comparison.add("a.png", (128, 128), [one, alone], [other], lower=lambda network: [weak])
    (pair,) = report["both"]
    assert pair["scores"] == [0.123, 0.988] and pair["box_iou"] == 0.677  # 21 / 31
    assert pair["keypoints"]["distances"] == [1.4] * 17
    assert report["only_model"] == [{"label": "person", "score": 0.877, "rect": [50, 50, 20, 20], "score_by_other": 0.235}]


# --- class maps ---


def classified(seed: int) -> tuple[Any, Any]:
    logits = np.random.default_rng(seed).normal(size=(1, 16, 16, 3)).astype(np.float32)
    frame = n6post.Stretch(image.Image(64, 48, image.RGB565))  # 4 x 3 pixels each
    model = FakeModel([Tensor(logits)], SIZE)
    return model.run(n6post.DeepLab(labels=["floor", "cup", "cat"]), frame), logits[0].argmax(axis=-1)


def test_class_maps_are_compared_pixel_by_pixel_over_all_pictures() -> None:
    comparison = compare.Comparison()
    first, one = classified(1)
    second, other = classified(2)
    same = comparison.add("a.png", (64, 48), first, first)
    assert same == {"pixels_alike": 1.0, "iou": {"floor": 1.0, "cup": 1.0, "cat": 1.0}}
    comparison.add("b.png", (64, 48), first, second)
    a, b = np.concatenate([one, one]), np.concatenate([one, other])
    ious = {name: round(float(((a == c) & (b == c)).sum() / ((a == c) | (b == c)).sum()), 4)
            for c, name in enumerate(["floor", "cup", "cat"])}  # fmt: skip
    summary = comparison.summary()
    assert summary["pixels_alike"] == round(float((a == b).mean()), 4) and summary["iou"] == ious
    assert summary["agree"] is False and summary["verdict"].startswith("they differ: 6")
    assert f"IoU of cat {ious['cat']:.2f}" in " ".join(printed(comparison).split())


def test_objects_are_not_compared_with_class_maps() -> None:
    with pytest.raises(command.UserError, match="nothing to compare"):
        compare.Comparison().add("a.png", (64, 48), [], classified(1)[0])
