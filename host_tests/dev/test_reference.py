"""reference.py reproduces results that were recorded with the original implementations, bit for bit."""

from pathlib import Path

import numpy as np
import pytest
import recorded_split_heads
import reference
from fakes import capture

ORACLES = [
    (model, picture)
    for model in ("yolov8n_192", "yolov8n_256_quant_pc_uf_pose_coco-st", "yolov8n_320_quant_pc_ii_seg_coco-st")
    for picture in ("bus", "person")
]
SETTINGS = [(0.25, 0.7), (0.25, 0.45), (0.6, 0.5)]  # threshold, iou_threshold


@pytest.mark.parametrize(("threshold", "iou_threshold"), SETTINGS)
@pytest.mark.parametrize(("model", "picture"), ORACLES)
def test_the_reference_reproduces_the_oracles_detections_and_masks(
    shared: Path, model: str, picture: str, threshold: float, iou_threshold: float
) -> None:
    tensors, size = capture(shared / "captures" / f"{model}__{picture}.npz")
    oracle = np.load(shared / "captures" / f"{model}__{picture}__oracle.npz")
    key = f"c{threshold}_i{iou_threshold}_"
    head = tensors[0]
    class_count = 80 if len(tensors) > 1 else 1
    found = reference.suppress(
        reference.decode(head.values[0], class_count, threshold, box_unit=size, **head.quantization()), iou_threshold
    )
    np.testing.assert_array_equal(found.anchor, oracle[key + "anchor"])
    np.testing.assert_array_equal(found.box, oracle[key + "det"][:, :4])
    np.testing.assert_array_equal(found.score, oracle[key + "det"][:, 4])
    np.testing.assert_array_equal(found.class_id, oracle[key + "det"][:, 5])
    np.testing.assert_array_equal(found.extra, oracle[key + "extra"].reshape(found.extra.shape))
    if len(tensors) > 1:
        prototypes = tensors[1].values[0].astype(np.int64) - tensors[1].zero_point
        for i, anchor in enumerate(found.anchor):
            coefficients = head.values[0, 84:, anchor].astype(np.int64) - head.zero_point
            logits = reference.mask_logits(coefficients, prototypes)
            small = reference.prototype_mask(logits, found.box[i], size)
            full = reference.full_mask(logits, found.box[i], size)
            np.testing.assert_array_equal(small, oracle[key + "mask_proto"][i])
            np.testing.assert_array_equal(full, oracle[key + "mask_full"][i])


@pytest.mark.parametrize(("threshold", "iou_threshold"), recorded_split_heads.SETTINGS)
@pytest.mark.parametrize("case", recorded_split_heads.cases())
def test_the_reference_decodes_split_heads_as_ultralytics_does(case: str, threshold: float, iou_threshold: float) -> None:
    head = recorded_split_heads.head_of(case)
    setting = f"{threshold} {iou_threshold}"
    found = reference.suppress(head.candidates(threshold), iou_threshold)
    names = ("anchor", "class_id", "box", "score")
    anchor, class_id, box, score = (recorded_split_heads.result(case, setting, name) for name in names)
    np.testing.assert_array_equal(found.anchor, anchor)
    np.testing.assert_array_equal(found.class_id, class_id)
    np.testing.assert_allclose(found.box, box, atol=3e-5)
    np.testing.assert_allclose(found.score, score, rtol=3e-7)
    for i in range(len(found.anchor)):
        if head.prototypes:
            mask, _ = head.mask(int(anchor[i]), box[i])
            np.testing.assert_array_equal(mask, recorded_split_heads.mask_of(case, setting, i, mask.shape[1]))
        elif head.extras:
            points = recorded_split_heads.result(case, setting, "keypoints")[i]
            np.testing.assert_allclose(found.extra[i].reshape(-1, 3), points, rtol=1e-6, atol=1e-6)


def test_bilinear_upsampling_equals_that_of_torch() -> None:
    """torch.nn.functional.interpolate(tensor([[[[0., 1.], [2., 4.]]]]), (4, 4), mode="bilinear")."""
    expected = [[0, 0.25, 0.75, 1], [0.5, 0.8125, 1.4375, 1.75], [1.5, 1.9375, 2.8125, 3.25], [2, 2.5, 3.5, 4]]
    np.testing.assert_array_equal(reference.upsample(np.array([[0.0, 1.0], [2.0, 4.0]]), (4, 4)), expected)


def test_frame_mappings_keep_the_center_and_the_corners() -> None:
    corners = np.array([[0, 0], [320, 320], [160, 160]])
    roi = (10, 20, 640, 480)
    stretched = reference.to_frame(corners, "stretch", (320, 320), roi)
    cropped = reference.to_frame(corners, "crop", (320, 320), roi)
    boxed = reference.to_frame(corners, "letterbox", (320, 320), roi)
    np.testing.assert_allclose(stretched, [[10, 20], [650, 500], [330, 260]])
    np.testing.assert_allclose(cropped, [[90, 20], [570, 500], [330, 260]])
    np.testing.assert_allclose(boxed, [[10, -60], [650, 580], [330, 260]])


def test_soft_nms_decays_by_the_gaussian_of_the_overlap() -> None:
    """Two boxes with IoU 1/2: exp(-.25 / .5) = .60653. A box of another class is unchanged unless class_agnostic."""
    boxes = np.float32([[0, 0, 10, 10], [0, 0, 10, 20], [0, 0, 10, 10]])
    found = reference.Candidates(
        np.arange(3), np.array([0, 0, 1]), np.float32([0.9, 0.8, 0.7]), boxes, np.zeros((3, 0), np.float32)
    )
    taken, scores = reference.soft_nms(found, 0.5, 0.1)
    assert taken == [0, 2, 1]
    np.testing.assert_allclose(scores, [0.9, 0.7, 0.8 * 0.60653], rtol=1e-5)
    taken, scores = reference.soft_nms(found, 0.5, 0.1, class_agnostic=True)
    assert taken == [0, 1]  # the score of the third becomes .7 * exp(-2) * exp(-.5) = .0575
    np.testing.assert_allclose(scores, [0.9, 0.8 * 0.60653], rtol=1e-5)


def test_ties_go_to_the_lowest_class_and_to_the_first_peak_in_row_order() -> None:
    logits = np.array([[[1, 1, 0], [-5, -3, -3]]], dtype=np.int8)
    assert reference.class_map(logits).tolist() == [[0, 1]]
    heatmaps = np.zeros((3, 4, 2), dtype=np.uint8)
    heatmaps[1, 2, 0] = heatmaps[2, 0, 0] = 9
    assert reference.peaks(heatmaps) == [(2, 1), (0, 0)]
