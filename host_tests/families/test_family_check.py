"""lib/n6post/families/family_check.py: heads of other families that have the shape of a YOLOv8 head are refused by name."""

from __future__ import annotations

import re
from typing import Any

import n6post
import numpy as np
import other_networks
import pytest
from fakes import Array, FakeModel, Tensor
from n6post.families import family_check
from n6post_pc.demo import recorded
from synthetic_heads import anchor_count, random_head

SIZE = (128, 128)
N = anchor_count(SIZE)
KINDS = ("float32", "int8", "uint8", "int16")


def boxes(random: Any, pixels: bool = False) -> Array:
    """cx, cy, w, h of every anchor, as a trained network has them."""
    columns = []
    for stride in (8, 16, 32):
        x, y = np.meshgrid(np.arange(SIZE[0] // stride), np.arange(SIZE[1] // stride))
        columns.append(np.stack([x.ravel() + 0.5, y.ravel() + 0.5]) * stride / SIZE[0])
    centers = np.concatenate(columns, axis=1) + random.normal(0, 0.02, (2, N))
    head = np.concatenate([centers, random.uniform(0.05, 0.5, (2, N))])
    return head * SIZE[0] if pixels else head


def background(random: Any, rows: int) -> Array:
    """Class scores of a YOLOv8: nearly 0, with one object."""
    scores = 10 ** random.uniform(-5, -2.5, (rows, N))
    scores[random.integers(rows), 40:46] = 0.8
    return scores


def other_head(family: str, random: Any) -> Array:
    """A head [C, N] with the statistics of recorded networks of another family."""
    if family == "oriented boxes":
        angles = random.normal(0.25, 0.3, (1, N))
        return np.concatenate([boxes(random), background(random, 3), angles])
    if family == "oriented boxes, none turned back":
        return np.concatenate([boxes(random), background(random, 3), random.uniform(0.05, 0.9, (1, N))])
    if family == "YOLOX":
        return np.concatenate([boxes(random), background(random, 1), random.beta(1.2, 3, (4, N))])
    if family == "YOLOX of one class":
        return np.concatenate([boxes(random), background(random, 1), random.beta(2, 3, (1, N))])
    assert family == "NanoDet"
    return np.concatenate([random.beta(1, 200, (12, N)), random.normal(-0.5, 2, (32, N))])


def stored(head: Array, kind: str, channels_first: bool) -> Tensor:
    values = head[None] if channels_first else head.T[None]
    if kind == "float32":
        return Tensor(np.ascontiguousarray(values, np.float32))
    info = np.iinfo(kind)
    low, high = float(values.min()), float(values.max())
    scale = (high - low) / (info.max - info.min)
    zero_point = int(np.clip(round(info.min - low / scale), info.min, info.max))
    quantized = np.clip(np.round(values / scale) + zero_point, info.min, info.max).astype(kind)
    return Tensor(np.ascontiguousarray(quantized), float(np.float32(scale)), zero_point)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("channels_first", [True, False])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("family", "named"),
    [
        ("oriented boxes", "n6post.YoloV8Obb()"),
        ("oriented boxes, none turned back", "n6post.YoloV8Obb()"),
        ("YOLOX", "n6post.YoloX()"),
        ("NanoDet", "NanoDet"),
    ],
)
def test_head_of_another_family_is_refused_by_name(
    family: str, named: str, kind: str, channels_first: bool, seed: int
) -> None:
    head = stored(other_head(family, np.random.default_rng(seed)), kind, channels_first)
    with pytest.raises(ValueError, match=re.escape(named)):
        FakeModel([head], SIZE).run(n6post.YoloV8())


@pytest.mark.parametrize(("channels_first", "named"), [(True, "n6post.YoloV8Obb()"), (False, "n6post.YoloX()")])
def test_storage_order_tells_an_angle_from_one_class(channels_first: bool, named: str) -> None:
    """Objectness and one class look like one class and an angle that is never below 0."""
    head = stored(other_head("YOLOX of one class", np.random.default_rng(1)), "float32", channels_first)
    with pytest.raises(ValueError, match=re.escape(named)):
        FakeModel([head], SIZE).run(n6post.YoloV8())


@pytest.mark.parametrize("family", ["oriented boxes", "YOLOX"])
def test_labels_of_every_channel_are_believed(family: str) -> None:
    head = stored(other_head(family, np.random.default_rng(1)), "float32", True)
    labels = [str(i) for i in range(head.values.shape[1] - 4)]
    assert isinstance(FakeModel([head], SIZE).run(n6post.YoloV8(labels=labels)), list)


def test_every_recorded_detector_passes_without_labels() -> None:
    checked = 0
    for name, picture in recorded.names():
        recording = recorded.load(name, picture)
        (head,) = [tensor for tensor in recording.tensors if tensor.values.ndim == 3][:1] or [None]
        if head is None or "pose" in name:
            continue
        for classes in (2, 7, 79):  # any part of its classes
            part = head._replace(values=np.ascontiguousarray(head.values[:, : 4 + classes]))
            if part.values.shape[1] == 4 + classes:
                FakeModel([part], recording.size).run(n6post.YoloV8())
                checked += 1
    assert checked >= 6


@pytest.mark.parametrize("seed", range(40))
def test_synthetic_detectors_pass_without_labels(seed: int) -> None:
    random = np.random.default_rng(seed)
    head = random_head(seed, (96, 96), int(random.integers(2, 79)))
    head.model().run(n6post.YoloV8())
    clean = np.concatenate([boxes(random), background(random, int(random.integers(2, 9)))])
    for kind in KINDS:
        FakeModel([stored(clean, kind, bool(seed & 1))], SIZE).run(n6post.YoloV8())


@pytest.mark.parametrize("kind", KINDS)
def test_centers_that_are_relative_to_cells_are_those_of_yolox(kind: str) -> None:
    """An int8 head in coarse steps, whose class scores are 0 for most anchors."""
    random = np.random.default_rng(9)
    offsets = random.normal(0.5, 0.5, (2, N))
    rows = np.concatenate([offsets, random.normal(1, 1, (2, N)), background(random, 2)])
    for channels, family in ((6, "YoloV8"), (6, "YoloV8Obb"), (8, "YoloV8Pose")):
        head = np.concatenate([rows, background(random, 2)])[:channels]
        with pytest.raises(ValueError, match=r"n6post.YoloX\(\)"):
            FakeModel([stored(head, kind, False)], SIZE).run(getattr(n6post, family)())


@pytest.mark.parametrize("channels_last", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_grid_of_yolov2_is_not_a_class_map(kind: str, channels_last: bool) -> None:
    random = np.random.default_rng(2)
    grid = random.normal(0, 1, (6, 6, 5, 6))
    grid[..., 4] = random.normal(-9, 2, (6, 6, 5))
    map_of = grid.reshape(36, 30)
    tensor = stored(map_of.T, kind, not channels_last)
    tensor = tensor._replace(values=tensor.values.reshape((1, 6, 6, 30) if channels_last else (1, 30, 6, 6)))
    with pytest.raises(ValueError, match=r"as of YOLOv2: use n6post.YoloV2\(\)"):
        FakeModel([tensor], (96, 96)).run(n6post.DeepLab())
    assert FakeModel([tensor], (96, 96)).run(n6post.DeepLab(labels=[str(i) for i in range(30)]))
    smooth = stored(random.normal(0, 2, (36, 30)).T, kind, not channels_last)
    smooth = smooth._replace(values=smooth.values.reshape(tensor.values.shape))
    assert FakeModel([smooth], (96, 96)).run(n6post.DeepLab())


def test_rows_of_rt_detr_are_not_corners() -> None:
    """Ultralytics exports [1, 300, 6], best first: cx, cy, w, h, score, class."""
    random = np.random.default_rng(4)
    for seed in range(20):
        random = np.random.default_rng(seed)
        centers = random.uniform(0.2, 0.8, (4, 2))[random.integers(0, 4, 300)] + random.normal(0, 0.02, (300, 2))
        sizes = np.minimum(random.uniform(0.1, 0.9, (300, 2)), 2 * np.minimum(centers, 1 - centers))
        scores = np.sort(random.uniform(0, 1, (300, 1)), axis=0)[::-1]
        rows = np.concatenate([centers, sizes, scores, random.integers(0, 3, (300, 1))], axis=1)
        with pytest.raises(ValueError, match="those of RT-DETR are cx, cy, w, h"):
            FakeModel([Tensor(rows[None].astype(np.float32))], (320, 320)).run(n6post.YoloV8())
        corners = np.concatenate([centers - sizes / 2, centers + sizes / 2, rows[:, 4:]], axis=1)
        assert FakeModel([Tensor(corners[None].astype(np.float32))], (320, 320)).run(n6post.YoloV8())


def test_rows_of_class_scores_are_not_end_to_end_rows() -> None:
    """DETR of two classes: cx, cy, w, h and two scores, which are close to a whole number, 0."""
    random = np.random.default_rng(4)
    rows = np.concatenate([random.uniform(0.4, 0.6, (300, 2)), random.uniform(0.7, 0.9, (300, 2))], axis=1)
    rows = np.concatenate([rows, 10 ** random.uniform(-3, -0.1, (300, 1)), 10 ** random.uniform(-4, -2, (300, 1))], axis=1)
    with pytest.raises(ValueError, match="those of RT-DETR are cx, cy, w, h"):
        FakeModel([Tensor(rows[None].astype(np.float32))], (320, 320)).run(n6post.YoloV8())


def keypoints(random: Any, count: int, columns: int) -> Array:
    """Keypoints around the box centers: x, y and, of three columns, a score."""
    head = boxes(random)
    parts = [head, background(random, 1)]
    for _ in range(count):
        parts.append(head[:2] + random.normal(0, 0.03, (2, N)))
        if columns == 3:
            parts.append(random.uniform(0, 1, (1, N)))
    return np.concatenate(parts)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [6, 9, 18, 21])
def test_keypoints_without_scores_are_no_class_scores(count: int, kind: str) -> None:
    random = np.random.default_rng(count)
    pairs = stored(keypoints(random, count, 2), kind, True)
    assert {d.keypoints.shape for d in FakeModel([pairs], SIZE).run(n6post.YoloV8Pose(labels=["person"]))} == {(count, 3)}
    with pytest.raises(ValueError, match=r"poses with keypoints of x and y without scores \(kpt_shape=\[K, 2\]\)"):
        FakeModel([pairs], SIZE).run(n6post.YoloV8())
    assert isinstance(FakeModel([stored(keypoints(random, count, 3), kind, True)], SIZE).run(n6post.YoloV8Pose()), list)


@pytest.mark.parametrize("kind", KINDS)
def test_logits_that_are_a_little_below_0_are_no_class_scores(kind: str) -> None:
    """A network that is unsure everywhere: the sigmoid of -2 is .12."""
    random = np.random.default_rng(6)
    head = stored(np.concatenate([boxes(random), random.normal(-2, 0.5, (3, N))]), kind, True)
    with pytest.raises(ValueError, match="expected class scores from 0 to 1, got logits"):
        FakeModel([head], SIZE).run(n6post.YoloV8(labels=["a", "b", "c"]))


@pytest.mark.parametrize(("share", "refused"), [(0.02, False), (0.2, True), (0.9, True)])
@pytest.mark.parametrize("outside", [-0.5, 1.5])
def test_a_few_numbers_outside_of_0_to_1_may_be_scores(share: float, outside: float, refused: bool) -> None:
    """Behind an objectness: rows [1, 3 N, 5 + 3] of YOLOv5."""
    random = np.random.default_rng(7)
    scores = np.where(random.random((3, 3 * N)) < share, outside, random.uniform(0, 1, (3, 3 * N)))
    head = np.concatenate([np.tile(boxes(random), 3), random.uniform(0, 0.1, (1, 3 * N)), scores])
    model = FakeModel([stored(head, "float32", False)], SIZE, ["a", "b", "c"])
    if refused:
        with pytest.raises(ValueError, match="rows with other numbers than scores after the objectness"):
            model.run(n6post.YoloV5())
    else:
        assert model.run(n6post.YoloV5()) == []


def test_corners_in_pixels_outside_of_the_picture_are_read() -> None:
    """Unlike YOLOX's centers they are far above 1, too."""
    random = np.random.default_rng(8)
    centers = boxes(random, pixels=True)
    corners = np.concatenate([centers[:2] - centers[2:] / 2, centers[:2] + centers[2:] / 2])
    assert (corners[:2] < -1).mean() > 0.06
    model = FakeModel([stored(np.concatenate([corners, background(random, 3)]), "float32", False)], SIZE)
    found = model.run(n6post.YoloV8())
    assert found and found == model.run(n6post.YoloV8(labels=["0", "1", "2"], box_order="xyxy"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes, labels", [(5, 2), (8, 5), (12, 9), (20, 17)])
def test_detector_with_labels_too_few_is_not_a_pose(kind: str, classes: int, labels: int) -> None:
    # Class scores behind those of the named classes would be keypoints.
    middle, logits, anchor = other_networks.scored((320, 320), classes)
    logits[anchor, 0] = 2.0
    head = np.concatenate([middle / 320, other_networks.sigmoid(logits)], axis=1).T[None]
    model = other_networks.model([head], (320, 320), kind, labels)
    with pytest.raises(ValueError, match=f"detector of {classes} classes|{classes}, one per class"):
        model.run(n6post.processor_for(model))


def test_keypoint_score_far_above_1_is_refused() -> None:
    rows = np.zeros((1, 300, 6 + 42))
    rows[0, :2] = [100, 100, 160, 180, 0.9, 0, *[300.0, 310.0] * 21]  # far from the box
    with pytest.raises(ValueError, match=r"expected keypoint scores from 0 to 1, got 30[05] in .* kpt_shape=\[K, 2\]"):
        other_networks.model([rows], (320, 320)).run(n6post.YoloV8Pose())


@pytest.mark.parametrize("size", [(192, 192), (256, 192), (320, 192)])
def test_keypoints_of_an_object_anywhere_are_recognized(size: tuple[int, int]) -> None:
    # 24, 32 and 40 columns: every twelfth anchor of the first stride is in the first or the middle column.
    for seed in range(20):
        middle, logits, _ = other_networks.scored(size, 2, seed)
        points = np.tile(np.concatenate([middle[:, :2], np.full((len(middle), 1), 0.7)], axis=1), 4)
        head = np.concatenate([middle, other_networks.sigmoid(logits), points], axis=1).T[None]
        (d,) = other_networks.model([head], size, labels=2).run(n6post.YoloV8Pose())
        assert d.keypoints.shape == (4, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_detector_of_52_classes_is_not_a_pose_of_17_keypoints(kind: str) -> None:
    """[1, 56, N] without labels is read as a pose head."""
    random = np.random.default_rng(3)
    head = stored(np.concatenate([boxes(random), background(random, 52)]), kind, True)
    with pytest.raises(ValueError, match=r"a detector of 52 classes: use n6post.YoloV8\(\)"):
        FakeModel([head], SIZE).run(n6post.YoloV8Pose())
    assert len(FakeModel([head], SIZE).run(n6post.YoloV8(labels=[str(i) for i in range(52)]))) >= 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("family", ["YoloV8Obb", "YoloX"])
def test_labels_that_are_one_short_do_not_make_a_detector_another_family(family: str, kind: str) -> None:
    """Four classes and three labels fit oriented boxes, and objectness, by shape."""
    random = np.random.default_rng(5)
    head = stored(np.concatenate([boxes(random), background(random, 3), background(random, 1)]), kind, family == "YoloV8Obb")
    processor = getattr(n6post, family)(labels=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"as of a YOLOv8 of 4 classes: use n6post.YoloV8\(\) with one label per class"):
        FakeModel([head], SIZE).run(processor)


@pytest.mark.parametrize("family", ["YoloV8Obb", "YoloX"])
def test_empty_scene_of_a_detector_is_examined_again(family: str) -> None:
    random = np.random.default_rng(5)
    scores = 10 ** random.uniform(-5, -2.5, (4, N))
    head = stored(np.concatenate([boxes(random), scores]), "float32", family == "YoloV8Obb")
    processor = getattr(n6post, family)()
    FakeModel([head], SIZE).run(processor)
    assert not processor._binding.is_final


# --- YOLOv6: rows [1, N, 5 + classes] with an objectness of 1 ---
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [1, 2, 3, 80])
def test_rows_of_yolov6_are_read_with_and_without_labels(classes: int, kind: str) -> None:
    for size in ((320, 320), (320, 192)):
        (rows,) = other_networks.yolov6(size, classes)
        if kind.endswith("int8"):
            rows[..., :4] /= np.tile(size, 2)  # 256 steps are too few for pixels
        expected = (int(0.4 * size[0]), int(0.4 * size[1]), 30, 30)
        for turned in (False, True):
            for labels in (0, classes):
                model = other_networks.model([rows.swapaxes(1, 2) if turned else rows], size, kind, labels)
                processors: list[Any] = [n6post.YoloV8(), n6post.YoloV8(nms_sigma=0.5), n6post.YoloX()]
                if turned and labels:  # by shape and labels these are oriented boxes
                    with pytest.raises(ValueError, match=r"of YOLOv6 \(an objectness of 1 everywhere\): use n6post.YoloX"):
                        model.run(n6post.processor_for(model))
                else:
                    processors.append(n6post.processor_for(model))
                    assert n6post.diagnose(model, model.outputs()) == []
                for processor in processors:
                    (d,) = model.run(processor)
                    assert np.abs(np.subtract(d.rect, expected)).max() <= (2 if kind.endswith("int8") else 1)
                    assert d.class_id == classes - 1 and abs(d.score - 0.9) < 0.02
                    assert not labels or d.label == f"class {classes - 1}"
            if classes != 80:
                model = other_networks.model([rows], size, kind, classes + 1)
                with pytest.raises(ValueError, match=f"expected {classes} labels, one per class, got {classes + 1}"):
                    model.run(n6post.processor_for(model))


@pytest.mark.parametrize("background", [1e-4, 0.01])
def test_yolov6_is_no_yolov8_and_has_no_angles(background: float) -> None:
    """Whether its scores are nearly 0 everywhere, or those of one class are a little higher."""
    (rows,) = other_networks.yolov6((320, 320), 3)
    rows[..., 5:7] = 1e-4
    rows[..., 7] = background
    rows[0, ::7, 6] = 0.8
    for labels in (0, 3):
        model = other_networks.model([rows], (320, 320), labels=labels)
        for processor in (n6post.YoloX(), n6post.YoloV8()):
            assert {d.class_id for d in model.run(processor)} == {1}


@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("labels", [0, 3])
def test_yolov6_in_steps_of_whole_pixels_is_refused(labels: int, kind: str) -> None:
    model = other_networks.model(other_networks.yolov6((320, 320), 3), (320, 320), kind, labels)
    for processor in (n6post.processor_for(model), n6post.YoloX()):
        with pytest.raises(ValueError, match=r"expected scores from 0 to 1, got steps of \d.* as of YOLOv6, whose boxes"):
            model.run(processor)


def test_yolov6_with_more_than_scores_is_refused() -> None:
    """YOLOv6-face has five landmarks there, in pixels."""
    (rows,) = other_networks.yolov6((320, 320), 11)
    rows[..., 5:15] = np.tile(rows[..., :2], 5) + np.linspace(-3, 3, 10)
    for processor in (n6post.YoloV8(), n6post.YoloX()):
        with pytest.raises(ValueError, match="logits or landmarks"):
            other_networks.model([rows], (320, 320)).run(processor)
    pose = other_networks.yolov6((320, 320), 6)[0]
    for constructor in (n6post.YoloV8Pose, n6post.YoloV8Obb):
        with pytest.raises(ValueError, match=r"as of YOLOv6 \(an objectness of 1 everywhere\): use n6post.YoloX\(\)"):
            other_networks.model([pose], (320, 320)).run(constructor())


def test_saturated_scores_and_constant_frames_are_no_yolov6() -> None:
    rows = np.full((1, 2100, 8), 1.0)
    rows[..., :4] = other_networks.yolov6((320, 320), 3)[0][..., :4]
    processor = n6post.YoloV8(labels=[str(k) for k in range(4)])
    for constant in (False, True):
        if constant:
            rows[..., :4] = rows[..., 5:] = 0.0
        other_networks.model([rows.copy()], (320, 320)).run(processor)
        assert processor._binding.classes == 4


def test_check_is_loaded_only_where_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any) -> None:
        raise AssertionError("checked")

    monkeypatch.setattr(family_check, "check_scores", forbidden)
    random_head(1, SIZE, 1).model().run(n6post.YoloV8())
    random_head(1, SIZE, 80).model().run(n6post.YoloV8())
    random_head(1, SIZE, 3).model().run(n6post.YoloV8(labels=["a", "b", "c"]))
    random_head(1, SIZE, 3, 32).model().run(n6post.YoloV8Seg())
    with pytest.raises(AssertionError, match="checked"):
        random_head(1, SIZE, 3).model().run(n6post.YoloV8())
