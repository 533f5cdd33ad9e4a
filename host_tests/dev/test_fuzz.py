"""scripts/dev/fuzz.py: 2,000 cases (--all: 20,000) without a failure; it finds planted faults and repeats them."""

from __future__ import annotations

import importlib
import os
import runpy
import sys
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import n6post
import numpy as np
import pytest
from fakes import RECORDED_FAMILIES, replace_kernel
from ulab import _host

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "scripts" / "dev"))

from fuzzing import areas, core, models, options  # noqa: E402

FUZZ = runpy.run_path(str(ROOT / "scripts" / "dev" / "fuzz.py"))
CASES = 10_000  # per worker; there are two
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the fuzzer needs fork and timers, which Windows lacks")


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Restore the firmware for the other tests of this process."""
    import omv

    yield
    omv._host_set_version()


def test_every_recorded_family_has_models() -> None:
    assert set(models.FAMILIES) == RECORDED_FAMILIES


def test_every_recorded_family_has_rules_for_all_its_options() -> None:
    rules = {kind.__name__: set(of_kind) for kind, of_kind in options.FAMILIES}
    assert {name: rules.get(name) for name in RECORDED_FAMILIES} == {
        name: {option for option, _ in getattr(n6post, name)._option.defaults} for name in RECORDED_FAMILIES
    }


# --- the library ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", [1, 2])
def test_every_case_is_confirmed_or_refused_with_a_message(seed: int, whole: bool) -> None:
    cases = CASES if whole else CASES // 10
    outcome = areas.FUZZER.run(range(cases), seed)
    text = core.report(outcome, seed, 0)
    print(text)
    assert outcome.cases == cases and not outcome.failures, text
    for name, tally in outcome.tallies.items() if whole else ():
        # A fuzzer proves nothing if its cases are only refused, or never confirmed. (wrong_types expects refusals.)
        special = {"wrong_types": 0.0, "tracker": 0.3, "end2end": 0.3, "files": 0.05, "seg": 0.25, "labels": 0.25}
        special |= {"pose": 0.35, "states": 0.2}
        least = special.get(name, 0.4)
        assert tally["cases"] >= 25 and tally["confirmed"] >= least * tally["cases"], f"{name}\n{text}"
        assert tally["refused"] > 0 or name in ("answers", "json", "collector", "sequence"), f"{name}\n{text}"


def test_the_same_seed_and_number_give_the_same_case() -> None:
    for case in range(60):
        told = []
        for _ in range(2):
            with np.errstate(all="ignore"):
                area, what, dice = areas.FUZZER.one(77, case)
            told.append((area, what, dice.count, [type(value) for value in dice.told.values()]))
        assert told[0] == told[1]


# --- planted faults -----------------------------------------------------------------------------------------------------
Plant = Callable[[pytest.MonkeyPatch], None]


def _module(name: str) -> Any:
    return importlib.import_module(f"n6post.{name}")


def _overlap_at_the_threshold_is_too_much(patch: pytest.MonkeyPatch) -> None:
    suppress = _module("kernels.portable.boxes").suppress

    def at_it(block: Any, values: Any, labels: Any) -> Any:
        lower = array("i", block)
        lower[1] = (lower[1] & ~3) - 8 if lower[1] > 8 else lower[1]
        return suppress(lower, values, labels)

    replace_kernel(patch, "suppress", at_it)


def _other_classes_are_rivals(patch: pytest.MonkeyPatch) -> None:
    suppress = _module("kernels.portable.boxes").suppress

    def class_agnostic(block: Any, values: Any, labels: Any) -> Any:
        return suppress(array("i", (*block[:2], 1, *block[3:])), values, labels)

    replace_kernel(patch, "suppress", class_agnostic)


def _a_rect_is_not_clipped(patch: pytest.MonkeyPatch) -> None:
    place = _module("kernels.portable.boxes").boxes_to_frame

    def wide(block: Any, values: Any, labels: Any, table: Any) -> Any:
        return place(array("i", (*block[:2], 2 * block[2], *block[3:])), values, labels, table)

    replace_kernel(patch, "boxes_to_frame", wide)


def _nan_is_a_score(patch: pytest.MonkeyPatch) -> None:
    candidates = _module("kernels.portable.boxes").candidates

    def passing(head: Any, block: Any, values: Any, labels: Any) -> Any:
        if head._np.dtype == np.float32:
            head = _host.wrap(np.nan_to_num(head._np, nan=0.99, posinf=np.inf, neginf=-np.inf))
        return candidates(head, block, values, labels)

    replace_kernel(patch, "candidates", passing)


def _nan_comes_out(patch: pytest.MonkeyPatch) -> None:
    peaks = _module("kernels.portable.maps").peaks

    def told(heat: Any, block: Any, out: Any) -> None:
        peaks(heat, block, out)
        if out._np[0, 0] == 0:
            out._np[0, 0] = np.nan

    replace_kernel(patch, "peaks", told)


def _equal_scores_come_in_another_order(patch: pytest.MonkeyPatch) -> None:
    candidates = _module("kernels.portable.boxes").candidates

    def turned(head: Any, block: Any, values: Any, labels: Any) -> Any:
        count = candidates(head, block, values, labels)
        order = np.lexsort((-np.arange(count), -values._np[4, :count]))
        values._np[:, :count] = values._np[:, order]
        labels._np[:, :count] = labels._np[:, order]
        return count

    replace_kernel(patch, "candidates", turned)


def _one_too_many_is_returned(patch: pytest.MonkeyPatch) -> None:
    frame_boxes = _module("families.frame_boxes")
    result = frame_boxes.FrameBoxes.result
    patch.setattr(frame_boxes.FrameBoxes, "result", lambda self, outputs: (found := result(self, outputs)) + found[-1:])


def _a_class_map_is_a_view(patch: pytest.MonkeyPatch) -> None:
    deeplab = _module("families.maps.deeplab")
    take_over = deeplab.MapBinding._copy_class_ids

    def view(self: Any, out: Any, classes: Any) -> None:
        take_over(self, out, classes)
        if out._np.dtype == np.uint8:
            classes._np = out._np.reshape(classes._np.shape)

    patch.setattr(deeplab.MapBinding, "_copy_class_ids", view)


def _keypoints_are_a_view(patch: pytest.MonkeyPatch) -> None:
    pose = _module("families.yolo.yolov8_pose")
    keypoints = pose.Keypoints.keypoints
    kept: list[Any] = []

    def shared(self: Any, outputs: Any, anchor: int) -> Any:
        # Reuses the memory of the previous detection.
        points = keypoints(self, outputs, anchor)
        if kept and kept[0]._np.shape == points._np.shape:
            kept[0]._np[...] = points._np
            return kept[0]
        kept[:] = [points]
        return points

    patch.setattr(pose.Keypoints, "keypoints", shared)


def _a_mask_is_a_column_too_wide(patch: pytest.MonkeyPatch) -> None:
    place = _module("kernels.portable.boxes").boxes_to_frame

    def wider(block: Any, values: Any, labels: Any, table: Any) -> Any:
        size = place(block, values, labels, table)
        for at in range(0, 16 * block[0], 16):
            if block[9] and table[at + 9] < table[at + 11] + table[at + 13]:
                table[at + 9] += 1
        return size

    replace_kernel(patch, "boxes_to_frame", wider)


def _the_last_class_of_equals_wins(patch: pytest.MonkeyPatch) -> None:
    class_map = _module("kernels.portable.maps").class_map

    def last(logits: Any, block: Any, out: Any) -> None:
        class_map(logits, block, out)
        dtype, pixels, classes, step = block[:4]
        if classes > 1:
            grid = logits._np.reshape(-1)
            grid = grid.reshape(pixels, classes) if step == classes else grid.reshape(classes, pixels).T
            ranked = np.nan_to_num(grid.astype(np.float64), nan=-np.inf)
            out._np[...] = (classes - 1 - ranked[:, ::-1].argmax(axis=1)).reshape(out._np.shape)

    replace_kernel(patch, "class_map", last)


def _bars_are_half_a_pixel_off(patch: pytest.MonkeyPatch) -> None:
    inputs = _module("inputs.resize")

    def boxes(self: Any, size: tuple[int, int]) -> Any:
        roi, (x, y, w, h) = letterbox(self, size)
        return roi, ((size[0] - w + 1) // 2, (size[1] - h + 1) // 2, w, h)

    letterbox = inputs.Letterbox._boxes
    patch.setattr(inputs.Letterbox, "_boxes", boxes)


def _any_roi_will_do(patch: pytest.MonkeyPatch) -> None:
    for name in ("inputs.transform", "inputs.resize"):
        patch.setattr(_module(name), "checked_roi", tuple)


def _a_blank_name_is_a_name(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_module("tensors.labels"), "_trim", lambda names: -1)


def _a_margin_may_be_anything(patch: pytest.MonkeyPatch) -> None:
    def assign(self: Any, value: Any) -> None:
        self._values["margin"] = value

    line_zone = _module("tracking.line_zone").LineZone
    patch.setattr(line_zone, "margin", property(line_zone.margin.fget, assign))


def _passing_the_end_is_a_crossing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_module("tracking.line_zone").LineZone, "_between", lambda *_: True)


def _an_edge_is_as_far_away_as_another(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_module("tracking.polygon_zone").PolygonZone, "_is_farther", lambda *_: True)


def _a_hold_is_released_late(patch: pytest.MonkeyPatch) -> None:
    hold = _module("tracking.hold").Hold
    patch.setattr(hold, "release", property(lambda self: self._values["release"] + 0.2))


def _a_box_covers_a_column_more(patch: pytest.MonkeyPatch) -> None:
    kernels = _module("tracking.occupancy").occupancy_kernels
    cover_box = kernels.cover_box

    def wider(grid: Any, layout: Any, box: Any, mark: int) -> int:
        box[2] += 1
        return int(cover_box(grid, layout, box, mark))

    patch.setattr(kernels, "cover_box", wider)


def _a_lost_number_is_given_again(patch: pytest.MonkeyPatch) -> None:
    tracker = _module("tracking.tracker").Tracker
    update = tracker.update

    def again(self: Any, found: Any, **time: Any) -> Any:
        tracked = update(self, found, **time)
        for d in tracked:
            d.track_id = (d.track_id - 1) % 3 + 1
        return tracked

    patch.setattr(tracker, "update", again)


def _keypoints_are_cut_off(patch: pytest.MonkeyPatch) -> None:
    parts, dicts = _module("results.json_parts"), _module("results.dicts")
    patch.setattr(parts, "keypoint_steps", lambda points: dicts.keypoint_steps(dicts.np.floor(points)))


def _a_box_is_drawn_a_pixel_beside(patch: pytest.MonkeyPatch) -> None:
    draw = _module("drawing.draw")
    kernels = draw.drawing_kernels
    box = kernels.box

    def beside(pixels: Any, block: Any, text: str, font: Any) -> None:
        block[draw.BOX_X] += 1
        box(pixels, block, text, font)

    patch.setattr(kernels, "box", beside)


def _an_empty_answer_of_a_file_is_an_index_error(patch: pytest.MonkeyPatch) -> None:
    graph = importlib.import_module("n6post_pc.models.graph")
    tflite = graph._tflite

    def careless(data: bytes) -> Any:
        if len(data) < 100:
            raise IndexError("list index out of range")
        return tflite(data)

    patch.setattr(graph, "_tflite", careless)


def _anything_is_a_mask(patch: pytest.MonkeyPatch) -> None:
    mask = _module("results.mask").Mask
    iou = mask.iou
    patch.setattr(mask, "iou", lambda self, other: iou(self, other) if isinstance(other, mask) else 0.0)


def _split_boxes_are_a_little_wider(patch: pytest.MonkeyPatch) -> None:
    decode_boxes = _module("kernels.portable.heads").decode_boxes

    def wider(boxes: Any, block: Any, values: Any, labels: Any) -> Any:
        count = decode_boxes(boxes, block, values, labels)
        values._np[2, :count] += 0.001
        return count

    replace_kernel(patch, "decode_boxes", wider)


def _anchors_of_a_later_stride_are_one_off(patch: pytest.MonkeyPatch) -> None:
    decode_boxes = _module("kernels.portable.heads").decode_boxes

    def off(boxes: Any, block: Any, values: Any, labels: Any) -> Any:
        before = block[12]
        block[12] -= before > 0
        try:
            return decode_boxes(boxes, block, values, labels)
        finally:
            block[12] = before

    replace_kernel(patch, "decode_boxes", off)


def _centers_are_a_cell_off(patch: pytest.MonkeyPatch) -> None:
    _with_block(patch, "anchors", "decode_anchors", 12, _bits(1.0))


def _the_background_is_not_in_the_softmax(patch: pytest.MonkeyPatch) -> None:
    _with_block(patch, "anchors", "score_anchors", 6, 0)


def _class_scores_do_not_count(patch: pytest.MonkeyPatch) -> None:
    _with_block(patch, "anchors", "score_anchors", 4, 0)


def _blended_boxes_are_those_of_the_best(patch: pytest.MonkeyPatch) -> None:
    blend = _module("kernels.portable.anchors").blend_anchors

    def without(block: Any, values: Any, labels: Any) -> Any:
        boxes = values._np[:4].copy()
        count = blend(block, values, labels)
        values._np[:4] = boxes
        return count

    replace_kernel(patch, "blend_anchors", without)


def _with_block(patch: pytest.MonkeyPatch, group: str, name: str, word: int, value: int) -> None:
    """Run a kernel with another number in its parameter block."""
    kernel = getattr(_module(f"kernels.portable.{group}"), name)

    def other(tensor: Any, block: Any, *more: Any) -> Any:
        changed = array("i", block)
        changed[word] = value
        return kernel(tensor, changed, *more)

    replace_kernel(patch, name, other)


def _bits(number: float) -> int:
    return int(np.float32(number).view(np.int32))


def _angles_turn_the_other_way(patch: pytest.MonkeyPatch) -> None:
    suppress = _module("kernels.portable.oriented").suppress_oriented

    def turned(block: Any, values: Any, labels: Any, boxes: Any) -> Any:
        boxes._np[9] *= -1
        return suppress(block, values, labels, boxes)

    replace_kernel(patch, "suppress_oriented", turned)


def _a_keypoint_is_beside_the_frame(patch: pytest.MonkeyPatch) -> None:
    landmarks = _module("families.vectors.landmarks")
    set_transform = landmarks.LandmarkBinding.set_transform

    def wide(self: Any, transform: Any) -> None:
        set_transform(self, transform)
        self.high = self.high + 1.0

    patch.setattr(landmarks.LandmarkBinding, "set_transform", wide)


def _a_vector_is_a_view(patch: pytest.MonkeyPatch) -> None:
    embedding = _module("families.vectors.embedding")

    def view(self: Any, outputs: Any) -> Any:
        return outputs[0].reshape((outputs[0].size,))

    patch.setattr(embedding.EmbeddingBinding, "result", view)


def _the_last_of_equal_classes_is_best(patch: pytest.MonkeyPatch) -> None:
    candidates = _module("kernels.portable.boxes").candidates

    def last(head: Any, block: Any, values: Any, labels: Any) -> Any:
        count = candidates(head, block, values, labels)
        order = np.lexsort((-labels._np[0, :count].astype(int), -values._np[4, :count]))
        values._np[:, :count] = values._np[:, order]
        labels._np[:, :count] = labels._np[:, order]
        return count

    replace_kernel(patch, "candidates", last)


def _the_threshold_is_lower(patch: pytest.MonkeyPatch) -> None:
    anomaly = _module("families.maps.anomaly")
    usual = anomaly._usual
    patch.setattr(anomaly, "_usual", lambda values, deviations: usual(values, deviations - 1))


def _another_of_the_closest_patches_is_replaced(patch: pytest.MonkeyPatch) -> None:
    memory = _module("families.maps.patch_memory").PatchMemory

    def last(self: Any, nearest: Any) -> Any:
        if self.count < self.capacity:
            return self.count, 0
        closest = min(nearest[: self.count])
        return max(row for row in range(self.count) if nearest[row] == closest), closest

    patch.setattr(memory, "_next", last)


PLANTED: dict[str, tuple[str, Plant]] = {
    "an IoU at the threshold suppresses": ("boxes", _overlap_at_the_threshold_is_too_much),
    "another class suppresses": ("boxes", _other_classes_are_rivals),
    "a rect is not clipped": ("boxes", _a_rect_is_not_clipped),
    "NaN is a score": ("boxes", _nan_is_a_score),
    "equal scores come in another order": ("boxes", _equal_scores_come_in_another_order),
    "one detection too many": ("boxes", _one_too_many_is_returned),
    "a result is NaN": ("movenet", _nan_comes_out),
    "a class map is a view": ("deeplab", _a_class_map_is_a_view),
    "keypoints share their memory": ("pose", _keypoints_are_a_view),
    "a mask is a column too wide": ("seg", _a_mask_is_a_column_too_wide),
    "the last of several equal classes wins": ("deeplab", _the_last_class_of_equals_wins),
    "boxes of a split head are a thousandth of a pixel wider": ("split", _split_boxes_are_a_little_wider),
    "anchors of a later stride are one off": ("split", _anchors_of_a_later_stride_are_one_off),
    "centers are half a cell off": ("detectors", _centers_are_a_cell_off),
    "the softmax has no background": ("detectors", _the_background_is_not_in_the_softmax),
    "class scores do not count": ("detectors", _class_scores_do_not_count),
    "boxes are not blended": ("detectors", _blended_boxes_are_those_of_the_best),
    "oriented boxes turn the other way": ("other_families", _angles_turn_the_other_way),
    "a landmark is beside the frame": ("other_families", _a_keypoint_is_beside_the_frame),
    "an embedding is a view": ("other_families", _a_vector_is_a_view),
    "the last of several equal classes is the best": ("other_families", _the_last_of_equal_classes_is_best),
    "the threshold is a deviation too low": ("anomalies", _the_threshold_is_lower),
    "the later one of the closest patches is replaced": ("anomalies", _another_of_the_closest_patches_is_replaced),
    "bars are half a pixel off": ("inputs", _bars_are_half_a_pixel_off),
    "any roi is accepted": ("rois", _any_roi_will_do),
    "blank names are accepted": ("labels", _a_blank_name_is_a_name),
    "any margin is accepted": ("options", _a_margin_may_be_anything),
    "crossing beside the line": ("zones", _passing_the_end_is_a_crossing),
    "a margin is ignored": ("zones", _an_edge_is_as_far_away_as_another),
    "a hold is released late": ("zones", _a_hold_is_released_late),
    "a zone is covered more than it is": ("zones", _a_box_covers_a_column_more),
    "a track id is used twice": ("tracker", _a_lost_number_is_given_again),
    "keypoints are missing in JSON": ("json", _keypoints_are_cut_off),
    "a box is drawn one pixel off": ("draw", _a_box_is_drawn_a_pixel_beside),
    "anything is a mask": ("wrong_types", _anything_is_a_mask),
    "a damaged file causes a traceback": ("files", _an_empty_answer_of_a_file_is_an_index_error),
}


@pytest.mark.parametrize("what", PLANTED)
def test_a_planted_fault_is_found_within_3000_cases_of_its_area(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    area, plant = PLANTED[what]
    plant(monkeypatch)
    outcome = areas.FUZZER.run(range(3000), 5, most=1, area=area)
    assert outcome.failures, f"{outcome.cases} cases of {area} found nothing"
    print(outcome.cases, outcome.failures[0].what)


# --- the command ---------------------------------------------------------------------------------------------------------
def careless(dice: core.Dice) -> str:
    numbers = [dice.whole(0, 99) for _ in range(5)]
    dice.tell(numbers=numbers)
    core.require(numbers[2] < 90, "%d is too much", numbers[2])
    return core.CONFIRMED


def refusing(dice: core.Dice) -> str:
    raise ZeroDivisionError("by accident")


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def call(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["fuzz.py", *words])
        return FUZZ["main"](), capsys.readouterr().out

    made = core.Fuzzer({"careless": (1.0, careless)})
    monkeypatch.setattr(areas, "FUZZER", made)
    monkeypatch.setattr(areas, "AREAS", made.areas)
    return call


def test_a_failure_does_not_end_the_run_and_shows_how_to_repeat_it(command: Callable[..., tuple[int, str]]) -> None:
    code, text = command("--cases", "150", "--seed", "4")
    assert code == 1 and "150 cases of seed 4" in text
    found = [line for line in text.splitlines() if "--case " in line]
    assert 5 < len(found) < 20
    code, again = command(*found[0].split()[2:])
    assert code == 1 and "is too much" in again and "numbers = [0, 0, 9" in again  # the other numbers are simplified


def test_the_run_ends_after_the_maximum_number_of_failures(command: Callable[..., tuple[int, str]]) -> None:
    code, text = command("--cases", "3000", "--failures", "2")
    assert code == 1 and text.count("--case ") == 2


def test_a_run_without_findings_exits_with_0(
    command: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(areas, "FUZZER", core.Fuzzer({"fine": (1.0, lambda dice: core.CONFIRMED)}))
    code, text = command("--cases", "1200")
    assert code == 0 and "1,200" in text and "none failed" in text


def test_any_other_exception_is_a_finding() -> None:
    outcome = core.Fuzzer({"refusing": (1.0, refusing)}).run(range(3), 1)
    assert [failure.what.split("\n")[0] for failure in outcome.failures] == ["ZeroDivisionError: by accident"] * 3


@pytest.mark.parametrize("error", [ValueError("bad"), ValueError(), TypeError("'int' object is not iterable")])
def test_a_refusal_without_a_sentence_or_by_accident_is_a_finding(error: Exception) -> None:
    def call() -> None:
        raise error

    with pytest.raises(core.Finding):
        core.attempt(call)


def test_an_intended_refusal_is_not_a_failure() -> None:
    import n6post

    made, refused = core.attempt(n6post.YoloV8, threshold=2)
    assert made is None and refused.startswith("threshold: expected a number")
    made, refused = core.attempt(n6post.YoloV8, treshold=0.5)
    assert made is None and "treshold" in refused
