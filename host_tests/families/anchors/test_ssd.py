"""anchors/ssd.py and ssd_outputs.py, compared with other software on recorded outputs, and with numpy."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
import recorded_ssd
from assertions import assert_well_formed
from fakes import Array, FakeModel, Framed, Tensor
from family_cases import FamilyCases, FrameCase, OptionCase
from recorded_data import results_of, stored
from recorded_ssd import made_up, many_classes, model_of, tensors_of

NAN = float("nan")
MAPS = [(40, 30, (10, 16, 24)), (20, 15, (32, 48)), (10, 8, (64, 96)), (5, 4, (128, 192, 256))]
ULTRA_LIGHT = [(columns, rows, [(side, min(side, 240)) for side in sides]) for columns, rows, sides in MAPS]


def survivors(processor: Any, model: FakeModel) -> Array:
    """(n, 6): x1, y1, x2, y2 in input pixels, score, class of the detections, unclipped, best first."""
    binding = processor._binding
    outputs = model.outputs()
    if getattr(binding, "margins", None):
        outputs.append(binding.margins.of(outputs))
    values, labels, _ = binding.decoder.buffers
    unit = [binding.unit_x, binding.unit_y, binding.unit_x, binding.unit_y, binding.score_scale]
    kept = [int(at) for at in labels[2, : binding.decoder.find(outputs)]]
    rows = [[float(values[k, at]) * unit[k] for k in range(5)] + [int(labels[1, at])] for at in kept]
    return np.array(rows).reshape(-1, 6)


def real(tensor: Tensor) -> Array:
    if not tensor.scale:
        return tensor.values.astype(float)
    return (tensor.values.astype(float) - tensor.zero_point) * tensor.scale


def softmax(logits: Array) -> Array:
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def corners(offsets: Array, priors: Array, size: tuple[int, int]) -> Array:
    """(N, 4): x1, y1, x2, y2 in input pixels of box offsets x, y, w, h."""
    center = priors[:, :2] + 0.1 * offsets[:, :2] * priors[:, 2:]
    half = np.exp(0.2 * offsets[:, 2:]) * priors[:, 2:] / 2
    return np.concatenate([center - half, center + half], axis=1) * np.tile(size, 2)


def suppressed(boxes: Array, scores: Array, threshold: float, iou_threshold: float, agnostic: bool = False) -> Array:
    """(n, 6) as survivors(), from the boxes (N, 4) and the scores (N, classes)."""
    classes, best = scores.argmax(axis=1), scores.max(axis=1)
    order = [i for i in np.argsort(-best.astype(np.float32), kind="stable") if best[i] >= threshold]
    kept: list[int] = []
    for i in order:
        others = boxes[[k for k in kept if agnostic or classes[k] == classes[i]]]
        sides = np.minimum(boxes[i, 2:], others[:, 2:]) - np.maximum(boxes[i, :2], others[:, :2])
        both = np.prod(np.maximum(sides, 0), axis=1)
        areas = np.prod(others[:, 2:] - others[:, :2], axis=1) + np.prod(boxes[i, 2:] - boxes[i, :2])
        if (both / (areas - both) <= iou_threshold).all():
            kept.append(i)
    return np.array([[*boxes[i], best[i], classes[i]] for i in kept]).reshape(-1, 6)


def assert_same(found: Array, expected: Array, atol: float = 2e-4) -> None:
    """The same detections; those of equal scores may be in another order."""
    assert len(found) == len(expected)
    left = list(range(len(expected)))
    for row in found:
        at = min(left, key=lambda i: float(np.abs(expected[i] - row).sum()))
        np.testing.assert_allclose(row[:4], expected[at, :4], rtol=1e-5, atol=atol)
        np.testing.assert_allclose(row[4:], expected[at, 4:], rtol=2e-6)
        left.remove(at)


def st_result(found: Array, size: tuple[int, int]) -> Array:
    """ST's x, y of the center, width, height in parts of the input, score, class with the background, as survivors()."""
    corners = np.concatenate([found[:, :2] - found[:, 2:4] / 2, found[:, :2] + found[:, 2:4] / 2], axis=1)
    return np.concatenate([corners * np.tile(size, 2), found[:, 4:5], found[:, 5:] - 1], axis=1)


# --- recorded outputs ---
def test_scores_and_boxes_equal_those_of_the_ultra_light_detector() -> None:
    for options in ({}, {"anchors": ULTRA_LIGHT}):
        model = model_of("ultra_light")
        processor = n6post.Ssd(0.6, iou_threshold=0.3, **options)
        model.run(processor)
        expected = stored("ssd")["ultra_light/hard_nms"]
        boxes = np.clip(survivors(processor, model)[:, :4] / np.tile((320, 240), 2), 0, 1)
        assert len(boxes) == len(expected) == 6
        found = np.concatenate([boxes, survivors(processor, model)[:, 4:5]], axis=1)
        order = np.lexsort(found.T), np.lexsort(expected.T)
        np.testing.assert_allclose(found[order[0]], expected[order[1]], rtol=1e-5, atol=1e-6)


def test_detections_equal_those_of_tensorflows_operator_but_for_its_coarse_priors() -> None:
    model = model_of("tensorflow")
    processor = n6post.Ssd(0.3, iou_threshold=0.6, class_agnostic=True, max_detections=10)
    model.run(processor)
    found = survivors(processor, model)
    expected = stored("ssd")["tensorflow/operator"]
    boxes = expected[:, [1, 0, 3, 2]] * 300
    assert len(found) == len(expected) == 10
    np.testing.assert_array_equal(found[:, 4:], expected[:, 4:])
    # In this file the priors are uint8 with a step of 1.9 pixels. Ours are those that the network was trained with.
    np.testing.assert_allclose(found[:, :4], boxes, atol=1.6)
    offsets, scores = [real(tensor)[0] for tensor in model.tensors]
    exact = corners(offsets[:, [1, 0, 3, 2]], recorded_ssd.priors_of("tensorflow"), (300, 300))
    assert_same(found, suppressed(exact, scores[:, 1:], 0.3, 0.6, agnostic=True)[:10])


def test_detections_after_tensorflows_operator_are_taken_as_they_are() -> None:
    names = ["???", "person", *[f"class {i}" for i in range(2, 92)]]
    model = model_of("finished")
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        shuffled = FakeModel([model.tensors[i] for i in order], model.size)
        found = shuffled.run(n6post.Ssd(0.4, labels=names))
        expected = stored("ssd")["tensorflow/operator"]
        expected = expected[expected[:, 4] >= 0.4]
        assert [d.class_id for d in found] == expected[:, 5].tolist()
        assert [d.score for d in found] == expected[:, 4].tolist()
        assert [d.label for d in found] == [names[int(row[5]) + 1] for row in expected]
        for d, (y1, x1, y2, x2) in zip(found, expected[:, :4] * 300, strict=True):
            x, y, w, h = d.rect
            np.testing.assert_allclose([x, y, x + w, y + h], [x1, y1, x2, y2], atol=0.51)
    assert [d.class_id for d in model.run(n6post.Ssd(0.4, classes=[27, 5]))] == [5, 27]
    assert len(model.run(n6post.Ssd(0.0, max_detections=3))) == 3


@pytest.mark.parametrize("case", ["logits", "many_classes", "made_up"])
def test_logits_give_the_same_detections_as_sts_c_code(case: str) -> None:
    tensors = {"logits": lambda: tensors_of("logits"), "many_classes": many_classes, "made_up": made_up}[case]()
    size = (320, 240) if case == "logits" else (300, 300)
    options: dict[str, Any] = {"box_order": "xywh"} if case == "many_classes" else {}
    floats = [Tensor((t.values.astype(np.float32) - np.float32(t.zero_point)) * np.float32(t.scale)) for t in tensors]
    for judge, given in (("st", tensors), ("st_float", floats)):
        settings = results_of("ssd", case, judge)
        assert len(settings) == 3 or case == "made_up"
        for setting, expected in settings:
            threshold, iou_threshold = [float(number) for number in setting.split()]
            processor = n6post.Ssd(
                threshold, iou_threshold=iou_threshold, max_detections=100, max_candidates=3000, **options
            )
            model = FakeModel(given, size)
            model.run(processor)
            found = survivors(processor, model)
            assert_same(found, st_result(expected, size), atol=1e-3)


def test_offsets_of_corners_give_the_same_detections_as_sts_c_code() -> None:
    # ST's quicksort puts equal scores in any order. So it got floats that fall by 1e-7 from row to row.
    settings = results_of("ssd", "st", "st")
    assert len(settings) == 3
    scores, offsets, priors = [real(tensor)[0] for tensor in tensors_of("st")]
    boxes = (priors + offsets * np.tile(priors[:, 2:] - priors[:, :2], 2)) * 192
    for setting, expected in settings:
        threshold, iou_threshold = [float(number) for number in setting.split()]
        for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
            tensors = tensors_of("st")
            model = FakeModel([tensors[i] for i in order], (192, 192))
            processor = n6post.Ssd(threshold, iou_threshold=iou_threshold)
            found = model.run(processor)
            rows = survivors(processor, model)
            assert_same(rows, suppressed(boxes, scores[:, 1:], threshold, iou_threshold))
            judged = st_result(expected, (192, 192))
            judged[:, 4] = np.round(judged[:, 4] * 256) / 256
            assert_same(rows, judged, atol=1e-3)
            assert_well_formed(found, (0, 0, 192, 192), 20)
            assert len(found) >= 3


# --- random outputs ---
def random_head(dtype: str, classes: int, logits: bool, seed: int = 2) -> tuple[list[Tensor], list[Any]]:
    """Outputs (scores, boxes) of a head with priors on two maps, and these priors."""
    random = np.random.default_rng(seed)
    maps = [(6, 5, [(20, 30), (40, 15)]), (3, 2, [(50, 50), (60, 80), (90, 40)], 40)]
    anchors = 6 * 5 * 2 + 3 * 2 * 3
    numbers = [random.normal(0, 2, (1, anchors, 1 + classes)), random.normal(0, 2, (1, anchors, 4))]
    if not logits:
        numbers[0] = softmax(numbers[0] * 2)
    tensors = []
    for kind, values in enumerate(numbers):
        if dtype == "float32":
            tensors.append(Tensor(values.astype(np.float32)))
            continue
        limits = np.iinfo(dtype)
        low, high = (-8.0, 8.0) if logits or kind else (0.0, 1.0)
        scale = float(np.float32((high - low) / (limits.max - limits.min)))
        zero_point = round(limits.min - low / scale)
        quantized = np.clip(np.round(values / scale) + zero_point, limits.min, limits.max)
        tensors.append(Tensor(quantized.astype(dtype), scale, zero_point))
    return tensors, maps


def random_priors() -> Array:
    rows = []
    for columns, lines, sizes, stride in ((6, 5, [(20, 30), (40, 15)], None), (3, 2, [(50, 50), (60, 80), (90, 40)], 40)):
        for row, column in np.ndindex(lines, columns):
            step = (stride, stride) if stride else (120 / columns, 80 / lines)
            for width, height in sizes:
                rows.append([(column + 0.5) * step[0] / 120, (row + 0.5) * step[1] / 80, width / 120, height / 80])
    return np.array(rows)


@pytest.mark.parametrize("logits", [True, False], ids=["logits", "probabilities"])
@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "int16"])
def test_random_outputs_are_decoded_as_in_numpy(dtype: str, logits: bool) -> None:
    count = 0
    for classes in (1, 2, 3, 7):
        tensors, maps = random_head(dtype, classes, logits)
        scores = real(tensors[0])[0]
        if classes == 3:  # four columns: the background has to be the best nearly everywhere
            tensors[0].values[0, :60, 0] = np.float32(9) if dtype == "float32" and logits else tensors[0].values.max()
            scores = real(tensors[0])[0]
        probabilities = softmax(scores) if logits else scores
        for threshold in (0.3, 0.5, 0.62):
            for swapped in (False, True):
                given = tensors[::-1] if swapped else tensors
                model = FakeModel(given, (120, 80))
                order = "yxhw" if swapped else "xywh"
                processor = n6post.Ssd(threshold, iou_threshold=0.4, anchors=maps, box_order=order, max_detections=100)
                model.run(processor)
                offsets = real(tensors[1])[0]
                offsets = offsets[:, [1, 0, 3, 2]] if swapped else offsets
                expected = suppressed(corners(offsets, random_priors(), (120, 80)), probabilities[:, 1:], threshold, 0.4)
                assert_same(survivors(processor, model), expected, atol=1e-3)
                count += len(expected)
    assert count > 150


def test_search_finds_every_prior_that_reaches_the_threshold() -> None:
    random = np.random.default_rng(4)
    for dtype in ("int8", "uint8", "float32"):
        for classes in (1, 2):
            tensors, maps = random_head(dtype, classes, True, seed=int(random.integers(100)))
            probabilities = softmax(real(tensors[0])[0])[:, 1:].max(axis=1)
            for exact in probabilities[:5]:
                for threshold in (exact * (1 - 2e-6), exact * (1 + 2e-6)):
                    processor = n6post.Ssd(float(threshold), iou_threshold=1.0, anchors=maps, max_detections=100)
                    model = FakeModel(tensors, (120, 80))
                    model.run(processor)
                    assert len(survivors(processor, model)) == (probabilities >= threshold).sum()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "float32"])
def test_the_best_candidates_of_a_crowd_are_found_whatever_their_class(dtype: str) -> None:
    tensors, maps = random_head(dtype, 6, True, seed=8)
    scores = tensors[0].values
    objects = np.random.default_rng(1).integers(1, 7, scores.shape[1])
    others = np.arange(7) != objects[:, None]
    others[:, 0] = False
    scores[0][others] = -7 if dtype == "float32" else round(-7 / tensors[0].scale) + tensors[0].zero_point
    model = FakeModel(tensors, (120, 80))
    everything = model.run(n6post.Ssd(0.5, anchors=maps, iou_threshold=1.0, max_detections=100))
    assert len(everything) > 25
    for most in (4, 15):
        found = model.run(n6post.Ssd(0.5, anchors=maps, iou_threshold=1.0, max_candidates=most, max_detections=100))
        np.testing.assert_allclose([d.score for d in found], [d.score for d in everything[:most]], atol=0.01)


@pytest.mark.parametrize("swapped", [False, True])
def test_three_classes_are_told_from_boxes_in_the_first_frame_that_shows_it(swapped: bool) -> None:
    tensors, maps = random_head("int8", 3, True)
    tensors[0].values[0, :60, 0] = 127
    shown = [tensor.values.copy() for tensor in tensors]
    given = tensors[::-1] if swapped else tensors
    model = FakeModel(given, (120, 80))
    options: dict[str, Any] = {"anchors": maps, "iou_threshold": 0.4}
    expected = model.run(n6post.Ssd(0.4, **options))
    assert len(expected) > 3
    for tensor in tensors:  # the background is the best nowhere, or in the same rows
        tensor.values[...] = tensors[1].zero_point
    processor = n6post.Ssd(0.4, **options)
    model.run(processor)
    for tensor, values in zip(tensors, shown):
        tensor.values[...] = values
    assert model.run(processor) == expected


@pytest.mark.parametrize("count", [0, 1, 2, 5, 100])
def test_only_as_many_rows_count_as_the_operator_says(count: int) -> None:
    recorded = model_of("finished")
    model = FakeModel([tensor._replace(values=tensor.values.copy()) for tensor in recorded.tensors], recorded.size)
    everything = model.run(n6post.Ssd(0.0, max_detections=100))
    assert len(everything) > 5
    (number,) = [tensor for tensor in model.tensors if tensor.values.shape == (1,)]
    number.values[...] = count
    assert model.run(n6post.Ssd(0.0, max_detections=100)) == everything[:count]


def test_equal_logits_of_object_and_background_reach_any_threshold_below_one_half() -> None:
    tensors, maps = random_head("int8", 1, True)
    tensors[0].values[:] = -20
    model = FakeModel(tensors, (120, 80))
    found = model.run(n6post.Ssd(0.4999, anchors=maps, max_detections=100))
    assert found and {d.score for d in found} == {0.5}
    assert model.run(n6post.Ssd(0.5, anchors=maps, max_detections=100)) == []


def test_nan_never_passes_the_threshold() -> None:
    for classes in (1, 3, 5):
        tensors, maps = random_head("float32", classes, True)
        if classes == 3:
            tensors[0].values[:, :, 0] = 9
        tensors[0].values[0, 1::2] = NAN
        for threshold in (0.0, 0.5):
            processor = n6post.Ssd(threshold, anchors=maps, max_detections=100)
            found = FakeModel(tensors, (120, 80)).run(processor)
            assert all(d.score == d.score and d.score >= threshold for d in found)


def quantized(values: Array, dtype: str, low: float, high: float) -> Tensor:
    if dtype == "float32":
        return Tensor(values.astype(np.float32))
    limits = np.iinfo(dtype)
    scale = float(np.float32((high - low) / (limits.max - limits.min)))
    zero_point = round(limits.min - low / scale)
    return Tensor(np.clip(np.round(values / scale) + zero_point, limits.min, limits.max).astype(dtype), scale, zero_point)


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "int16"])
@pytest.mark.parametrize("classes", [1, 3, 6])
def test_random_outputs_with_priors_are_decoded_as_in_numpy(dtype: str, classes: int) -> None:
    random = np.random.default_rng(classes)
    for agnostic, most in ((False, 100), (True, 100), (False, 7)):
        places = random.uniform(0.1, 0.8, (90, 2))
        priors = np.concatenate([places, places + random.uniform(0.05, 0.15, (90, 2))], axis=1)
        offsets = random.normal(0, 0.4, (90, 4))
        offsets[:, 2] = np.abs(offsets[:, 0]) + 0.1  # all x1 < x2: only y shows that these are no corners
        scores = softmax(random.normal(0, 2, (90, 1 + classes)))
        given = [(scores, 0, 1), (offsets, -2, 2), (priors, 0, 1)]
        tensors = [quantized(values[None], dtype, low, high) for values, low, high in given]
        kinds = [real(tensor)[0] for tensor in tensors]
        probabilities = kinds[0][:, 1:]
        worse = np.argsort(-probabilities.max(axis=1), kind="stable")[most:]
        probabilities[worse] = 0
        boxes = (kinds[2] + kinds[1] * np.tile(kinds[2][:, 2:] - kinds[2][:, :2], 2)) * np.tile((120, 80), 2)
        expected = suppressed(boxes, probabilities, 0.3, 0.2, agnostic)
        assert len(expected) > 4
        for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
            options: dict[str, Any] = {"class_agnostic": agnostic, "max_candidates": most, "max_detections": 100}
            processor = n6post.Ssd(0.3, iou_threshold=0.2, **options)
            model = FakeModel([tensors[i] for i in order], (120, 80))
            model.run(processor)
            assert_same(survivors(processor, model), expected, atol=1e-3)


def test_outputs_with_priors_must_show_which_is_which() -> None:
    scores, boxes, priors = (tensor.dequantized() for tensor in tensors_of("st"))
    positive = boxes._replace(values=np.abs(boxes.values))
    for tensors, message in (
        ([scores, priors, priors], "got 2 such outputs"),
        ([scores._replace(values=scores.values[:, :, :1].copy()), boxes, priors], "^expected scores"),
        ([positive, positive, priors], "below 0, got 0"),
    ):
        with pytest.raises(ValueError, match=message):
            FakeModel(tensors, (192, 192)).run(n6post.Ssd())


@pytest.mark.parametrize("case", ["head", "corners"])
def test_scores_that_are_all_equal_do_not_show_that_they_are_no_logits(case: str) -> None:
    if case == "head":
        tensors, maps = random_head("float32", 4, True)
        options: dict[str, Any] = {"anchors": maps}
    else:
        tensors, options = [tensor.dequantized() for tensor in tensors_of("st")], {}
    shown = tensors[0].values.copy() * (9 if case == "corners" else 1)
    model = FakeModel(tensors, (120, 80))
    tensors[0].values[...] = 0
    processor = n6post.Ssd(0.4, **options)
    assert model.run(processor) == []
    tensors[0].values[...] = shown
    if case == "head":
        assert model.run(processor) == model.run(n6post.Ssd(0.4, **options)) != []
    else:
        with pytest.raises(ValueError, match="got logits"):
            model.run(processor)


def test_classes_and_scores_of_the_operator_are_told_apart_by_fractions() -> None:
    boxes = np.float32([[[0.1, 0.1, 0.4, 0.5], [0.5, 0.5, 0.9, 0.9], [0.2, 0.6, 0.4, 0.8]]])
    classes, whole, parts = np.float32([[3, 5, 1e9]]), np.float32([[1, 1, 0.9]]), np.float32([[0.9, 0.75, 0.8]])
    whole[0, 2] = 1
    for swapped in (False, True):
        scores = whole.copy()
        pair = [Tensor(scores), Tensor(classes)] if swapped else [Tensor(classes), Tensor(scores)]
        model = FakeModel([Tensor(boxes), *pair, Tensor(np.float32([2]))], (300, 300))
        processor = n6post.Ssd(0.5)
        found = model.run(processor)
        assert [(d.class_id, d.score) for d in found] == [(3, 1.0), (5, 1.0)]
        scores[...] = parts
        found = model.run(processor)
        assert [(d.class_id, d.score) for d in found] == [(3, pytest.approx(0.9)), (5, pytest.approx(0.75))]


# --- labels and classes ---
def test_labels_may_name_the_background() -> None:
    names = [f"thing {i}" for i in range(90)]
    for labels in (names, ["???", *names]):
        assert model_of("tensorflow").run(n6post.Ssd(labels=labels))[1].label == "thing 5"
        assert model_of("tensorflow", labels).run(n6post.Ssd())[1].label == "thing 5"
        chosen = model_of("tensorflow").run(n6post.Ssd(labels=labels, classes=["thing 5"]))
        assert [d.class_id for d in chosen] == [5]
    with pytest.raises(ValueError, match="expected 90 labels, one per class, or one more for the background, got 2"):
        model_of("tensorflow").run(n6post.Ssd(labels=["a", "b"]))


def test_rectangles_are_in_frame_pixels() -> None:
    model = model_of("ultra_light")
    processor = n6post.Ssd(0.6, iou_threshold=0.3)
    found = model.run(processor, Framed((30, 40, 640, 480)))
    assert_well_formed(found, (30, 40, 640, 480), 20)
    for d, row in zip(found, survivors(processor, model), strict=True):
        x, y, w, h = d.rect
        np.testing.assert_allclose([x - 30, y - 40, x - 30 + w, y - 40 + h], row[:4] * 2, atol=0.51)


# --- bad input ---
def test_outputs_without_known_priors_are_refused() -> None:
    tensors, maps = random_head("int8", 2, True)
    with pytest.raises(ValueError, match=r"a head of 78 rows|head of 78 rows and an input .* \(120, 80\).*option priors"):
        FakeModel(tensors, (120, 80)).run(n6post.Ssd())
    with pytest.raises(ValueError, match="anchors: expected 78, one for each row of the head, got 60"):
        FakeModel(tensors, (120, 80)).run(n6post.Ssd(anchors=maps[:1]))


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_boxes_that_are_decoded_already_are_refused(dtype: str) -> None:
    """As version-RFB-640.onnx has them: in the shapes of offsets."""
    tensors, maps = random_head(dtype, 2, True)
    scores, boxes = sorted(tensors, key=lambda one: one.values.shape[-1] == 4)
    assert FakeModel([scores, boxes], (120, 80)).run(n6post.Ssd(anchors=maps)) is not None
    values = boxes.values.copy()
    values[..., :2] = np.minimum(values[..., :2], 100)
    values[..., 2:] = values[..., :2] + 1
    with pytest.raises(ValueError, match="expected offsets from priors, got corners of boxes.*leave out"):
        FakeModel([scores, boxes._replace(values=values)], (120, 80)).run(n6post.Ssd(anchors=maps))


def test_outputs_of_other_families_are_refused() -> None:
    def table(*shape: int) -> Tensor:
        return Tensor(np.zeros(shape, np.float32))

    cases = [
        ([table(1, 84, 2100)], "expected 2 outputs|scores .1, N, 1 . classes."),
        ([table(1, 30, 4), table(1, 31, 3)], "expected scores"),
        ([table(1, 30, 5), table(1, 30, 3)], "expected scores"),
        ([table(1, 30, 1), table(1, 30, 4)], "expected scores"),
        ([table(1, 30, 2), table(1, 30, 4), table(1, 30, 5)], "boxes .1, N, 4. and priors"),
        ([table(1, 30, 2), table(1, 30, 4), table(1, 30, 4)], "got 0 such outputs"),
        ([table(1, 10, 4), table(1, 10), table(1, 11), table(1)], "TFLite_Detection_PostProcess"),
        ([table(1, 10, 4), table(1, 10), table(1, 10), table(2)], "TFLite_Detection_PostProcess"),
    ]
    for tensors, message in cases:
        with pytest.raises(ValueError, match=message):
            FakeModel(tensors, (300, 300)).run(n6post.Ssd())


def test_options_that_do_not_apply_are_refused() -> None:
    for case in ("st", "finished"):
        for options in ({"anchors": ULTRA_LIGHT}, {"box_order": "yxhw"}):
            with pytest.raises(ValueError, match="expected None for a network that"):
                model_of(case).run(n6post.Ssd(**options))


def test_logits_beside_priors_are_refused() -> None:
    scores, boxes, priors = tensors_of("st")
    with pytest.raises(ValueError, match="expected scores after the softmax beside priors, got logits"):
        FakeModel([scores._replace(scale=0.1), boxes, priors], (192, 192)).run(n6post.Ssd())


# Small models, in which the tests of all families interrupt every line.
SMALL_MAPS = [(3, 2, [(50, 50), (60, 80)], 40)]


def small(case: str) -> FakeModel:
    """Random logits of twelve priors in int8 or uint8, or a part of a recorded case."""
    if case == "finished":
        return model_of(case)
    if case == "corners":
        tensors = tensors_of("st")
        best = np.argsort(-tensors[0].values[0, :, 1].astype(int), kind="stable")[:20]
        return FakeModel([tensor._replace(values=tensor.values[:, best].copy()) for tensor in tensors], (192, 192))
    if case.startswith("faces"):
        tensors, _ = random_head(case[6:], 1, True, seed=6)
        points = quantized(np.random.default_rng(7).normal(0, 3, (1, 78, 10)), case[6:], -10, 10)
        cut = [tensor._replace(values=tensor.values[:, 3:15].copy()) for tensor in (*tensors, points)]
        return FakeModel(cut, (120, 80))
    tensors, _ = random_head(case, 4, True, seed=6)
    return FakeModel([tensor._replace(values=tensor.values[:, 3:15].copy()) for tensor in tensors], (120, 80))


FAMILY_CASES = FamilyCases(
    options={
        "threshold": OptionCase(0.5, 0.8, (-0.1, 1.1, NAN, None), lambda: model_of("finished")),
        "iou_threshold": OptionCase(0.5, 0.95, (-0.1, 1.1, NAN, None), lambda: model_of("st")),
        "max_detections": OptionCase(20, 1, (0, 65536, 1.5, None), lambda: model_of("finished")),
        "classes": OptionCase(None, [5], ("person", [], [-1], 3), lambda: model_of("finished")),
        "class_agnostic": OptionCase(
            False, True, (1, None), lambda: small("int8"), {"iou_threshold": 0.0, "anchors": SMALL_MAPS}
        ),
        "max_candidates": OptionCase(100, 1, (0, 65536, 1.5, None), lambda: small("int8"), {"anchors": SMALL_MAPS}),
        "labels": OptionCase(None, [str(-i) for i in range(90)], ("abc", [], [1]), lambda: model_of("finished")),
        "anchors": OptionCase(
            None,
            [(columns, rows, [2 * side for side in sides for _ in range(2)]) for columns, rows, sides in MAPS],
            ("300", [], [(1, 2)], [(1, 2, [(3, 4)], 0)], [(1, 2, [(0, 4)])], [(1.5, 2, [(3, 4)])], 7),
            lambda: model_of("ultra_light"),
        ),
        "box_order": OptionCase(None, "yxhw", ("whxy", 1), lambda: small("int8"), {"anchors": SMALL_MAPS}),
    },
    frames={
        "Ssd": FrameCase(
            lambda: n6post.Ssd(anchors=SMALL_MAPS, max_detections=3), lambda: small("int8"), lambda: small("uint8"),
            ("threshold", 0.5, 0.6),
        ),
        "Ssd unlikely": FrameCase(
            lambda: n6post.Ssd(0.4, anchors=SMALL_MAPS, max_detections=3), lambda: small("int8"), lambda: small("uint8"),
            ("iou_threshold", 0.5, 0.3),
        ),
        "Ssd corners": FrameCase(
            n6post.Ssd, lambda: small("corners"), lambda: small("finished"), ("iou_threshold", 0.5, 0.1)
        ),
        "Ssd faces": FrameCase(
            lambda: n6post.Ssd(anchors=SMALL_MAPS, max_detections=3), lambda: small("faces int8"),
            lambda: small("faces uint8"), ("threshold", 0.5, 0.6),
        ),
        "Ssd finished": FrameCase(n6post.Ssd, lambda: small("finished"), lambda: small("corners"), ("threshold", 0.5, 0.6)),
    },
)  # fmt: skip
