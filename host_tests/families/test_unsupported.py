"""lib/n6post/families/unsupported.py and the checks of families: networks that none decodes are refused by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import n6post
import numpy as np
import other_networks as other
import pytest
from fakes import Array

S, W = (320, 320), (320, 192)
DTYPES = ["float32", "int8", "uint8", "int16"]


CLASSIFIER = (n6post.Classifier,)


class Case(NamedTuple):
    """A network: what its error names, its outputs, and the sizes, numbers of labels and constructors to try."""

    name: str
    outputs: Callable[[tuple[int, int]], list[Array]]
    sizes: tuple[tuple[int, int], ...] = (S, W)
    labels: tuple[int, ...] = (0,)
    attached: tuple[Callable[[], Any], ...] = ()


CASES = {
    "RTMDet": Case("RTMDet", lambda s: other.rtmdet(s, 3), (S, W, (640, 640)), (0, 3), (lambda: n6post.YoloV8(),)),
    "RTMDet of COCO": Case("RTMDet", lambda s: other.rtmdet(s, 80), (S, (416, 416))),
    "RTMDet-tiny": Case("RTMDet", lambda s: other.rtmdet_linear(s, 3), (S, W, (640, 640)), (0, 3)),
    "YOLOX of nine maps": Case("a split head of YOLOX", lambda s: other.nine_maps(s, 4), (S, W), (0, 4), (n6post.YoloV8,)),
    "YOLOX of COCO, nine maps": Case("a split head of YOLOX", lambda s: other.nine_maps(s, 80), (S,), (0, 80)),
    "YOLOv7-face": Case("YOLOv7-face", other.yolov7_face, (S, W), (1,)),
    "YOLOv7-face without a label": Case("rows with other numbers", other.yolov7_face, (S, W), (0,), (n6post.YoloV5,)),
    "YOLOv3": Case("YOLOv3", lambda s: other.three_anchors(s, 3), (S, (416, 416)), (0, 3), (n6post.YoloX,)),
    "YOLOv3 of COCO": Case("YOLOv3", lambda s: other.three_anchors(s, 80), (S, W), (0, 80)),
    "SCRFD of another input": Case("SCRFD", lambda s: other.scrfd((2 * s[0], s[1])), ((640, 640), S, W)),
    "SCRFD of another input [1, N, C]": Case("SCRFD", lambda s: [one[None] for one in other.scrfd((s[0], 2 * s[1]))]),
    "SCRFD of five strides": Case("SCRFD", lambda s: other.scrfd_of_five(s), (S, W)),
    "SCRFD of five strides without keypoints": Case("SCRFD", lambda s: other.scrfd_of_five(s, False), (S, W)),
    "CenterNet": Case("CenterNet", lambda s: other.center_net(s, 3), labels=(0, 3)),
    "CenterNet of one class": Case("CenterNet", lambda s: other.center_net(s, 1), labels=(0, 1)),
    "CenterNet of two classes": Case("CenterNet", lambda s: other.center_net(s, 2)),
    "CenterNet of COCO": Case("CenterNet", lambda s: other.center_net(s, 80), labels=(0, 80)),
    "CenterNet without offsets": Case("CenterNet", lambda s: other.center_net(s, 80, False)),
    "pose landmarks of five numbers": Case("pose landmarks", lambda s: other.pose_landmarks(165), ((256, 256),)),
    "pose landmarks without a score": Case("pose landmarks", lambda s: other.pose_landmarks(195)[:1], ((256, 256),), (0, 1)),
    "three numbers": Case("a regression of 3 numbers", lambda s: [np.array([[-0.3, 0.5, 0.2]])], attached=CLASSIFIER),
    "four numbers": Case("a regression of 4 numbers", lambda s: [np.array([[12.0, 3, 40, 100]])], attached=CLASSIFIER),
    "a box": Case("a regression of 4 numbers", lambda s: [np.array([[0.1, 0.2, 0.5, 0.6]])], attached=CLASSIFIER),
    "tiny YOLOv4 without its version": Case("YOLOv3", lambda s: other.three_anchors(s, 80)[1:], ((416, 416), W)),
}

@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CASES)
def test_network_is_refused_by_its_name(name: str, dtype: str) -> None:
    case = CASES[name]
    for size in case.sizes:
        for turn in (False, True):
            arrays = case.outputs(size)
            if turn and min(one.ndim for one in arrays) < 3:
                continue
            if turn and name.startswith("YOLOv3"):
                continue  # shapes and numbers are those of YOLOv5, which PyTorch exports so
            for labels in case.labels:
                model = other.model(other.turned(arrays) if turn else arrays, size, dtype, labels)
                for attached in (lambda: n6post.processor_for(model), *case.attached):  # noqa: B023
                    with pytest.raises(ValueError, match=case.name):
                        model.run(attached())
                findings = " ".join(n6post.diagnose(model, model.outputs()))
                # An integer output with boxes in pixels has a finding of its own.
                assert case.name.split(".*")[0].strip() in findings or "#coarse-scale" in findings, findings


# --- what has such shapes, and is read ---


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [(320, 320), (128, 64), (160, 64)])
def test_map_of_one_class_with_its_label_is_a_class_map(dtype: str, size: tuple[int, int]) -> None:
    for stride in (4, 8, 16):
        rows, columns = size[1] // stride, size[0] // stride
        smooth = np.add.outer(np.linspace(-4, 3, rows), np.linspace(-1, 2, columns))
        noise = np.random.default_rng(0).normal(-6, 1, (rows, columns))  # nothing is there
        for values in (smooth, noise):
            model = other.model([values[None, ..., None]], size, dtype)
            model.labels = ["person"]
            assert isinstance(model.run(n6post.processor_for(model)), n6post.Segmentation)


@pytest.mark.parametrize("size", [(128, 64), (160, 64), (192, 64)])
@pytest.mark.parametrize("columns", [12, 18, 21])
def test_end_to_end_poses_of_a_wide_input_are_no_text(size: tuple[int, int], columns: int) -> None:
    rows = np.zeros((1, 300, columns))
    rows[0, 0, :6] = [10, 10, 60, 50, 0.9, 0]
    rows[0, 0, 6:] = np.tile([20, 20, 0.8], columns // 3 - 2)
    model = other.model([rows], size)
    assert [d.rect for d in model.run(n6post.processor_for(model, threshold=0.3))] == [(10, 10, 50, 40)]


def test_coarse_map_of_distances_is_read_by_its_constructor() -> None:
    depth = np.linspace(0.5, 9.0, 30 * 40).reshape(1, 30, 40, 1)
    model = other.model([depth], (320, 240), "int8")
    choice = r"choose ml.Model\(path, postprocess=n6post.Depth\(\)\) or ml.Model\(path, postprocess=n6post.Anomaly\(\)\)"
    with pytest.raises(ValueError, match=choice):
        n6post.processor_for(model)
    assert isinstance(model.run(n6post.Depth()), n6post.DepthMap)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("rows", "columns", "size"), [(10, 10, (80, 80)), (10, 10, (160, 160)), (12, 20, (320, 192))])
def test_grid_of_anomaly_scores_is_read_or_its_family_named(
    rows: int, columns: int, size: tuple[int, int], dtype: str
) -> None:
    """Of floats only the frame shows that they are no class numbers."""
    grid = other.anomaly(rows, columns)
    model = other.model(grid, size, dtype)
    if dtype == "float32":
        with pytest.raises(ValueError, match=r"a grid of anomaly scores.*use n6post.Anomaly\(\)"):
            model.run(n6post.processor_for(model))
    else:
        assert isinstance(n6post.processor_for(model), n6post.Anomaly)
    for labels in (0, 2):
        model = other.model(grid, size, dtype, labels)
        with pytest.raises(ValueError, match=r"a grid of anomaly scores.*use n6post.Anomaly\(\)"):
            model.run(n6post.DeepLab())
    result = model.run(n6post.Anomaly(threshold=6.0))
    assert [d.mask.area for d in result.objects()] == [(size[0] // columns) * (size[1] // rows)]


@pytest.mark.parametrize("size", [(80, 80), (96, 32), (320, 320)])
def test_class_numbers_of_any_grid_are_a_class_map(size: tuple[int, int]) -> None:
    for stride in (8, 4, 1):
        columns, rows = size[0] // stride, size[1] // stride
        values = np.random.default_rng(0).integers(0, 5, (1, rows, columns))
        for stored in (values.astype(np.float32), values.astype(np.uint8)):
            model = other.FakeModel([other.Tensor(stored, 1.0 if stored.dtype == np.uint8 else 0.0)], size)
            segmentation = model.run(n6post.processor_for(model))
            assert isinstance(segmentation, n6post.Segmentation)


def test_logits_and_probabilities_of_a_coarse_map_are_a_class_map() -> None:
    smooth = np.add.outer(np.linspace(-3, 2, 10), np.linspace(-1, 2, 10))
    for values in (smooth, other.sigmoid(smooth)):
        model = other.model([values[None, ..., None]], (160, 160))
        assert isinstance(model.run(n6post.DeepLab()), n6post.Segmentation)
        for dtype in DTYPES[1:]:  # integers say how far they reach
            model = other.model([values[None, ..., None]], (160, 160), dtype)
            assert isinstance(model.run(n6post.processor_for(model)), n6post.Segmentation)
    for options in ({"output_type": "logit"}, {"threshold": 0.5}):
        assert isinstance(other.model(other.anomaly(10, 10), (160, 160)).run(n6post.DeepLab(**options)), n6post.Segmentation)


@pytest.mark.parametrize("count", [3, 4])
def test_scores_of_three_or_four_classes_are_read(count: int) -> None:
    logits = np.linspace(-2, 3, count)[None]
    softmax = np.exp(logits) / np.exp(logits).sum()
    for dtype in DTYPES:
        found = other.model([softmax], S, dtype).run(n6post.Classifier())
        assert list(found)[0].class_id == count - 1
        assert other.model([logits], S, dtype, labels=count).run(n6post.Classifier())[0].class_id == count - 1
        assert other.model([logits], S, dtype).run(n6post.Classifier(score_type="logit"))[0].class_id == count - 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_one_row_of_seven_numbers_is_a_classifier(dtype: str) -> None:
    logits = np.array([[-2.0, 0, 3, 1, -1, 2, -3]])
    softmax = np.exp(logits) / np.exp(logits).sum()
    model = other.model([softmax], S, dtype)
    assert model.run(n6post.processor_for(model)).class_id == 2 and n6post.diagnose(model, model.outputs()) == []
    for rows in (2, 100):
        model = other.model([np.tile(softmax, (rows, 1))], S, dtype)
        with pytest.raises(ValueError, match="rows that begin with the picture's number"):
            n6post.processor_for(model)


def test_classifier_as_long_as_face_landmarks_is_read() -> None:
    logits = np.random.default_rng(0).normal(0, 2, (1, 196))
    for values in (logits, np.exp(logits) / np.exp(logits).sum()):
        for dtype in DTYPES:
            other.model([values], S, dtype).run(n6post.Classifier())
