"""A MemoryError may be raised at any line. The next frame then equals that of a new processor.

A tracer raises the error at the n-th line of the library that is executed, for every n. Lines that allocate several times,
such as a dict with several items, have separate tests at the end.
"""

from __future__ import annotations

import copy
import dis
import gc
import io
import json
import shutil
import sys
import weakref
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import image
import n6post
import numpy as np
import proofs
import pytest
import test_anomaly
from assertions import whole_answer
from fake_networks import Network
from fakes import FakeModel, Framed, noise, unguarded
from family_cases import family_cases
from ml import model as ml_model
from n6post.pixels import text as pixels_text
from n6post.results.mask import Mask, MaskTransform
from scipy.spatial.distance import pdist, squareform
from small_models import detector, heatmaps, numbered_map, poser, rows, scored_map, segmenter
from synthetic_heads import Thing, float_head
from ulab import _host

LIB = str(Path(n6post.__file__).parent)
KERNELS = str(Path(LIB, "kernels", "portable")), str(Path(LIB).parents[1] / "stubs" / "_viper")
ROIS = (0, 0, 64, 48), (8, 4, 40, 44)


def traced(tracer: Callable[..., Any], attempt: Callable[[], Any]) -> Any:
    """The result of the attempt, during which Python calls the tracer."""
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        return attempt()
    finally:
        sys.settrace(before)


# --- the fault -------------------------------------------------------------------------------------------------------
# What may change a thing that outlives the function: a bytecode, or a method of this name.
STORES = {"STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE", "STORE_GLOBAL", "STORE_DEREF", "DELETE_ATTR", "DELETE_SUBSCR"}
CHANGES = {
    "add", "append", "clear", "collect", "extend", "insert", "pop", "popitem", "remove", "reverse", "sort", "update",
    "setattr", "setdefault", "write",
}  # fmt: skip


@cache
def changing(code: CodeType) -> frozenset[int]:
    """The lines of a function after which something may differ that is not one of its own variables."""
    found = set()
    for step in dis.get_instructions(code):
        augmented = step.opname == "BINARY_OP" and step.argrepr.endswith("=")  # of an array, it writes into it
        named = step.argval in CHANGES or step.opname == "KW_NAMES" and "out" in step.argrepr
        if (step.opname in STORES or augmented or named) and step.positions and step.positions.lineno:
            found.add(step.positions.lineno)
    return frozenset(found)


class Fault:
    """Counts the executed lines of the library, and raises a MemoryError at one of them.

    A line counts twice, as it may be part of a long loop. A line of a kernel, which keeps no state, counts once, or only
    the call of the kernel counts. An error that is raised before anything has changed since the line that counted last
    leaves the same behind, so such a line does not count, except with --all.
    """

    def __init__(self, line: int, kernels: bool) -> None:
        self.line = line
        self.kernels = kernels
        self.lines = 0
        self.passed: dict[tuple[object, int], int] = {}
        self.changed = True
        self.last: dict[FrameType, int] = {}  # the line that each function is in

    def _called(self, frame: FrameType, event: str, argument: object) -> Any:
        path = frame.f_code.co_filename
        if not path.startswith((LIB, *KERNELS)):
            return None
        if path.startswith(KERNELS) and not self.kernels:
            if frame.f_back and not frame.f_back.f_code.co_filename.startswith(KERNELS):
                self._count()
                self.changed = True
            return None
        return self._executed

    def _executed(self, frame: FrameType, event: str, argument: object) -> Any:
        if event in ("line", "return"):
            self.changed |= self.last.pop(frame, 0) in changing(frame.f_code)
        if event == "line":
            self.last[frame] = frame.f_lineno
            place = frame.f_code, frame.f_lineno
            times = self.passed[place] = self.passed.get(place, 0) + 1
            if times == 1 or times == 2 and not frame.f_code.co_filename.startswith(KERNELS):
                self._count()
        return self._executed

    def _count(self) -> None:
        if not self.changed:
            return
        self.changed = proofs.everything
        self.lines += 1
        if self.lines == self.line:
            raise MemoryError("memory allocation failed")

    def hits(self, attempt: Callable[[], object]) -> bool:
        """Whether the error was raised in the attempt: False if it has fewer lines."""
        try:
            traced(self._called, attempt)
        except MemoryError:
            assert self.lines == self.line
        return self.lines >= self.line


class Scene(NamedTuple):
    """before() makes a state, attempt(state) is interrupted, and after(state) must then return the right values."""

    before: Callable[[], Any]
    attempt: Callable[[Any], object]
    after: Callable[[Any], object]


def forget() -> None:
    """Clear the caches of all modules: their private lists and dicts with names in lower case, and what drawing keeps."""
    pixels_text.drawn.__init__()  # type: ignore[misc]
    for module in [m for name, m in sys.modules.items() if name.startswith("n6post.")]:
        for name, value in vars(module).items():
            if name.startswith("_") and name.islower() and not name.startswith("__") and isinstance(value, (dict, list)):
                value.clear()


def check(scene: Scene, kernels: bool = False) -> int:
    """Interrupt every line of the attempt once; returns the number of lines."""
    forget()
    state = scene.before()
    scene.attempt(state)
    clean = scene.after(state)
    assert scene.after(scene.before()) == clean, "the scene itself depends on whether the attempt succeeded"
    line = 0
    met = True
    while met:
        line += 1
        forget()
        state = scene.before()
        met = Fault(line, kernels).hits(lambda state=state: scene.attempt(state))  # type: ignore[misc]
        assert scene.after(state) == clean, f"after a MemoryError at line event {line}"
    return line - 1


# --- results as plain values ----------------------------------------------------------------------------------------------
def values_of(result: Any) -> Any:
    """A result as plain values."""
    if isinstance(result, n6post.Segmentation):
        transform = vars(result._transform)
        return result.class_map.tolist(), result.class_ids(True), [transform[key] for key in ("seen", "window", "sx", "oy")]
    if not isinstance(result, list):
        return whole_answer(result)
    return [
        (
            *d[:4],
            getattr(d, "keypoint_threshold", None),
            d.mask and (bytes(d.mask._parts()[0]), d.mask._parts()[1:4], d.mask.area, vars(d.mask._parts()[4])["bounds"]),
            d.keypoints is not None and d.keypoints.tolist(),
        )
        for d in result
    ]


def frames_of(processor: Any, model: FakeModel, roi: tuple[int, int, int, int], frames: int) -> Any:
    """The values of the results of some frames, each read immediately and again after the next frame."""
    results = [model.run(processor, Framed(roi))]
    values = [values_of(results[0])]
    assert values[0], "a scene needs a detection"
    for _ in range(frames - 1):
        for tensor in model.tensors:  # the next picture
            tensor.values[:] = np.roll(tensor.values, 1, axis=-2)
        results.append(model.run(processor, Framed(roi)))
        values.append(values_of(results[-1]))
        values.append(values_of(results[-2]))
    return values


FRAME_CASES = {name: case for cases in family_cases().values() for name, case in cases.frames.items()}
FAMILIES = {name: (case.make, case.model, case.other) for name, case in FRAME_CASES.items()}
of_every_family = pytest.mark.parametrize("family", FAMILIES)
# Families whose code others run too: YoloV8Seg runs all the code of YoloV8.
LIKE_OTHERS = "YoloV8", "YoloV8 soft", "raw and end-to-end"
# The frames that together run all kernels. A kernel keeps no state, so interrupting its lines once is enough.
WITH_KERNELS = {
    "YoloV8Seg", "YoloV8Seg split", "YoloV8Pose split", "YoloV8Obb", "MoveNet", "DeepLab", "BlazeFace", "YoloV2 int8",
    "Fomo", "Classifier logits",
}  # fmt: skip
KINDS = [f for f in FAMILIES if f not in LIKE_OTHERS]
of_every_kind = pytest.mark.parametrize("family", KINDS)
of_some_families = pytest.mark.parametrize("family", ["YoloV8", "MoveNet direct", "DeepLab"])


def test_every_family_has_a_frame() -> None:
    assert [name for name, cases in family_cases().items() if not cases.frames] == []


class State(NamedTuple):
    processor: Any
    model: FakeModel
    other: FakeModel


def seen(family: str, *rois: tuple[int, int, int, int]) -> Callable[[], State]:
    """A function that makes a processor which has processed a frame of each of these rois."""

    def before() -> State:
        make, model, other = FAMILIES[family]
        state = State(make(), model(), other())
        for roi in rois:
            state.model.run(state.processor, Framed(roi))
        return state

    return before


# --- frames ----------------------------------------------------------------------------------------------------------
@of_every_family
def test_the_frame_after_an_interrupted_first_frame_is_right(family: str) -> None:
    lines = check(
        Scene(
            seen(family),
            lambda s: s.model.run(s.processor, Framed(ROIS[0])),
            lambda s: frames_of(s.processor, s.model, ROIS[0], 3 if "DeepLab" in family else 1),
        ),
        kernels=family in WITH_KERNELS,
    )
    assert lines > 20


@pytest.mark.parametrize(
    ("family", "again"),
    [(family, roi) for k, family in enumerate(KINDS) for roi in (ROIS if proofs.everything else ROIS[k % 2 :][:1])],
)
def test_an_interrupted_change_of_the_roi_leaves_no_mixture(
    family: str, again: tuple[int, int, int, int]
) -> None:
    check(
        Scene(
            seen(family, ROIS[0]),
            lambda s: s.model.run(s.processor, Framed(ROIS[1])),
            lambda s: frames_of(s.processor, s.model, again, 1),
        )
    )


@of_some_families
def test_an_interrupted_frame_of_another_model_changes_neither(family: str) -> None:
    check(
        Scene(
            seen(family, ROIS[0]),
            lambda s: s.other.run(s.processor, Framed(ROIS[1])),
            lambda s: [frames_of(s.processor, model, ROIS[1], 1) for model in (s.model, s.other)],
        )
    )


@of_every_kind
def test_results_before_and_after_an_interrupted_frame_are_right(family: str) -> None:
    def before() -> tuple[State, Any]:
        state = seen(family, ROIS[0], ROIS[0])()
        return state, state.model.run(state.processor, Framed(ROIS[0]))

    def after(state_and_result: tuple[State, Any]) -> Any:
        state, result = state_and_result
        return values_of(result), frames_of(state.processor, state.model, ROIS[0], 3 if "DeepLab" in family else 1)

    check(Scene(before, lambda s: s[0].model.run(s[0].processor, Framed(ROIS[0])), after), kernels="DeepLab" in family)


@pytest.mark.parametrize("family", ["DeepLab", "DeepLab numbers"])
def test_an_overwritten_class_map_counts_only_classes_that_it_holds(family: str) -> None:
    def before() -> tuple[State, Any]:
        state = seen(family)()
        older = state.model.run(state.processor, Framed(ROIS[0]))
        state.model.run(state.processor, Framed(ROIS[0]))
        assert older.class_ids(True) == [0, 1, 2]
        state.model.tensors[0].values[:] = 0
        return state, older

    def after(state_and_result: tuple[State, Any]) -> bool:
        older = state_and_result[1]
        return bool(older.class_ids(True) == np.unique(older.class_map.tolist()).tolist())

    check(Scene(before, lambda s: s[0].model.run(s[0].processor, Framed(ROIS[0])), after), kernels=True)


def test_an_undecided_layout_is_examined_again_after_an_interruption() -> None:
    """Zeros may be class numbers or logits, so such a binding serves one frame only."""

    def before() -> State:
        state = State(n6post.DeepLab(), numbered_map(), numbered_map())
        state.other.tensors[0].values[:] = 0
        state.other.run(state.processor)
        return state

    def after(state: State) -> Any:
        state.other.tensors[0].values[0, 2] = [-2, -0.5, 0, 0, 1, 3]
        return [frames_of(state.processor, model, ROIS[0], 3) for model in (state.other, state.model)]

    check(Scene(before, lambda s: s.other.run(s.processor), after))


# --- options ---------------------------------------------------------------------------------------------------------
@of_every_family
@pytest.mark.parametrize("frames", [0, 1, 2])
@unguarded()  # other anchors make boxes that cannot be
def test_an_interrupted_assignment_leaves_the_old_or_the_new_option(
    family: str, frames: int
) -> None:
    name, old, new = FRAME_CASES[family].change
    make, model, _ = FAMILIES[family]
    expected = {}
    for value in (old, new):
        fresh = make()
        setattr(fresh, name, value)
        expected[repr(getattr(fresh, name))] = frames_of(fresh, model(), ROIS[0], 1)

    def after(state: State) -> Any:
        in_force = repr(getattr(state.processor, name))
        assert frames_of(state.processor, state.model, ROIS[0], 1) == expected[in_force], in_force

    def assigned_again(state: State) -> Any:
        setattr(state.processor, name, new)
        return frames_of(state.processor, state.model, ROIS[0], 1)

    # Before any frame, after one frame, and after a frame of another model.
    before = seen(family, *ROIS[:1] * min(frames, 1))

    def prepared() -> State:
        state = before()
        if frames == 2:
            state.other.run(state.processor)
        return state

    for so in (after, assigned_again):
        check(Scene(prepared, lambda s: setattr(s.processor, name, new), so))


@of_some_families
def test_an_option_assigned_after_an_interrupted_frame_is_applied(family: str) -> None:
    """No parameters that the interrupted frame has made with the old value are used."""
    name, _, new = FRAME_CASES[family].change

    def after(state: State) -> Any:
        setattr(state.processor, name, new)
        return frames_of(state.processor, state.model, ROIS[0], 1)

    check(Scene(seen(family), lambda s: s.model.run(s.processor, Framed(ROIS[0])), after))


# --- tracker -------------------------------------------------------------------------------------------------------
def walked(tracker: Any, frames: range) -> Any:
    """The tracks in each frame of people who walk, one of whom hides."""
    results = []
    for k in frames:
        points = _host.wrap(np.array([[20 + 5 * k, 30, 0.9]], np.float32))
        rects = [(20 + 4 * k + 70 * i, 30, 30, 60) for i in range(3)]
        detections = [n6post.Detection(rects[i], 0.9 - 0.1 * i, 0, "person", None, points) for i in range(3)]
        detections = [d.replace(keypoint_threshold=0.5) for d in detections]
        tracked = tracker.update(detections[: 2 + (k % 4 > 1)], elapsed_ms=80)
        results += [(d.track_id, d.keypoint_threshold, *values_of([d])) for d in tracked]
    return results, tracker.tracks


@pytest.mark.parametrize("options", [{}, {"smooth_keypoints": True, "coast": 0.16}])
@pytest.mark.parametrize("frames", [0, 5])
def test_an_interrupted_update_leaves_the_tracker_as_it_was(options: dict[str, Any], frames: int) -> None:
    def before() -> Any:
        tracker = n6post.Tracker(**options)
        walked(tracker, range(frames))
        return tracker

    line = 0
    met = True
    while met:
        line += 1
        forget()
        tracker = before()
        fault = Fault(line, kernels=True)
        met = fault.hits(lambda tracker=tracker: walked(tracker, range(frames, frames + 1)))  # type: ignore[misc]
        after = walked(tracker, range(frames, frames + 5) if met else range(frames + 1, frames + 5))
        if met:
            # All of the update is undone, or all of it is done and only the result is lost.
            done = before()
            walked(done, range(frames, frames + 1))
            assert after in (walked(before(), range(frames, frames + 5)), walked(done, range(frames, frames + 5)))
    assert line > 50


@pytest.mark.parametrize("name", ["reset", "max_tracks"])
def test_an_interrupted_reset_or_resize_leaves_all_tracks_or_none(name: str) -> None:
    def before() -> Any:
        tracker = n6post.Tracker(max_tracks=4)
        walked(tracker, range(4))
        return tracker

    def attempt(tracker: Any) -> None:
        if name == "reset":
            tracker.reset()
        else:
            tracker.max_tracks = 30
            tracker.update([], elapsed_ms=80)

    line = 0
    met = True
    while met:
        line += 1
        tracker = before()
        met = Fault(line, kernels=False).hits(lambda tracker=tracker: attempt(tracker))  # type: ignore[misc]
        numbers = {track.track_id for track in tracker.tracks}
        assert numbers in ({1, 2, 3}, set()), line
        results, _ = walked(tracker, range(5, 9))
        assert {number for number, *_ in results} in ({1, 2, 3}, {4, 5, 6}), line
    assert line > 4


# --- drawing ------------------------------------------------------------------------------------------
def drawn(result: Any) -> Any:
    img = image.Image(64, 48, image.RGB565)
    return bytes(n6post.draw(img, result).bytearray())


@pytest.mark.parametrize("family", [f for f in FAMILIES if f not in LIKE_OTHERS[1:] + ("DeepLab numbers", "Embedding")])
def test_a_picture_is_right_after_interrupted_drawing(family: str) -> None:
    def before() -> Any:
        state = seen(family)()
        return state.model.run(state.processor, Framed(ROIS[0]))

    check(Scene(before, drawn, lambda result: [drawn(result), drawn(result)]))


def boxes(first: int, label: str) -> list[Any]:
    return [n6post.Detection((first + 9 * k, 20 + 5 * k, 30, 20), 0.75, k, label, None, None) for k in range(2)]


def test_a_second_drawing_on_a_picture_may_be_interrupted() -> None:
    def both() -> Any:
        img = n6post.draw(image.Image(96, 64, image.RGB565), boxes(5, "a cat"))
        return bytes(n6post.draw(img, boxes(8, "dog"), labels=["one", "two"], color=[None, (1, 2, 3)]).bytearray())

    def before() -> Any:
        return n6post.draw(image.Image(96, 64, image.RGB565), boxes(5, "a cat"))

    def after(img: Any) -> Any:
        zone = n6post.PolygonZone([(0, 0), (90, 0), (90, 60)])
        n6post.draw(img, boxes(9, "again"))
        return both(), bytes(n6post.draw(image.Image(96, 64, image.RGB565), zone).bytearray()), both()

    check(Scene(before, lambda img: n6post.draw(img, boxes(8, "dog")), after))
    zone = n6post.LineZone((0, 30), (90, 32))
    check(Scene(before, lambda img: n6post.draw(img, zone), after))
    check(Scene(before, lambda img: n6post.text(img, (9, 20), "hello", background=(9, 9, 9)), after))


@pytest.mark.parametrize("how", ["pixelate", "blur", "fill"])
def test_objects_are_hidden_after_interrupted_hiding(how: Any) -> None:
    transform = MaskTransform(8.0, 0.0, 8.0, 0.0, (0, 0, 64, 48), (0, 0), (64, 48))
    mask = Mask(b"\xff\0\0\xff", (1, 1, 2, 2), (1, 1, 2, 2), (8, 8, 16, 16), transform)
    result = [n6post.Detection((8, 8, 16, 16), 0.75, 0, "a", mask, None), *boxes(20, "b")[:1]]

    def hidden(result: Any) -> Any:
        img = image.Image(64, 48, image.RGB565)
        img.bytearray()[:] = bytes(range(256)) * 24
        return bytes(n6post.hide(img, result, how=how, size=16).bytearray())

    check(Scene(lambda: result, hidden, hidden))


# --- lines, zones and trails -----------------------------------------------------------------------------------------
def passing(k: int) -> list[Any]:
    """Frame k of four tracks: one crosses y = 50 inwards, two outwards, one of them later, and one does not cross."""
    detections = []
    ways = (1, 0, 40, 90 - 10 * k), (2, 1, 60, 10 + 10 * k), (3, 0, 80, 5 + 10 * k), (4, 2, 20 + 5 * k, 70)
    for track_id, class_id, x, y in ways:
        if track_id != 2 or k > 2:
            detections.append(n6post.Detection((x - 5, y - 20, 10, 20), 0.9, class_id, "", None, None))
            detections[-1].track_id = track_id
    return detections


def every_line(before: Callable[[], Any], attempt: Callable[[Any], object], then: Callable[[Any, bool], None]) -> None:
    """Call then(state, interrupted) after attempts that are interrupted at the first line, the second line, ..."""
    line = 0
    met = True
    while met:
        line += 1
        forget()
        state = before()
        met = Fault(line, kernels=False).hits(lambda state=state: attempt(state))  # type: ignore[misc]
        then(state, met)
    assert line > 1


@pytest.mark.parametrize("frame", range(3, 7))
def test_an_interrupted_line_counts_every_crossing_once(frame: int) -> None:
    def before() -> Any:
        zone = n6post.LineZone((0, 50), (100, 50), margin=0)
        for k in range(frame):
            zone.trigger(passing(k), elapsed_ms=100)
        return zone

    def then(zone: Any, met: bool) -> None:
        counted = zone.in_count, zone.out_count
        assert counted == (sum(zone.in_count_per_class.values()), sum(zone.out_count_per_class.values()))
        for k in range(frame + (not met), 10):
            zone.trigger(passing(k), elapsed_ms=100)
        counts = zone.in_count, zone.out_count, zone.in_count_per_class, zone.out_count_per_class
        assert counts == (1, 2, {0: 1}, {1: 1, 0: 1})

    every_line(before, lambda zone: zone.trigger(passing(frame), elapsed_ms=100), then)


@pytest.mark.parametrize("frame", [0, 2, 3, 5, 8])
def test_an_interrupted_zone_counts_the_time_in_the_next_frame(
    frame: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0]
    monkeypatch.setattr("time.ticks_ms", lambda: now[0], raising=False)
    monkeypatch.setattr("time.ticks_diff", lambda a, b: a - b, raising=False)

    def run(zone: Any, frames: Any) -> None:
        for k in frames:
            now[0] = 100 * k
            zone.trigger(passing(k))

    def before() -> Any:
        zone = n6post.PolygonZone([(0, 40), (100, 40), (100, 80), (0, 80)])
        run(zone, range(frame))
        return zone

    def counts(zone: Any) -> Any:
        return zone.current_count, zone.current_count_per_class

    clean, without = before(), before()
    run(clean, (frame,))
    afterwards, skipping = before(), before()
    run(afterwards, range(frame, frame + 2))
    run(skipping, (frame + 1,))

    def then(zone: Any, met: bool) -> None:
        assert counts(zone) in (counts(clean), counts(without)) if met else counts(zone) == counts(clean)
        run(zone, (frame + 1,))
        assert counts(zone) == counts(afterwards)
        for track_id in range(1, 5):
            assert zone.dwell_time(track_id) in (afterwards.dwell_time(track_id), skipping.dwell_time(track_id))

    every_line(before, lambda zone: run(zone, (frame,)), then)


def visits_of(zone: Any) -> Any:
    entered = [d.track_id for d in zone.entered]
    return zone.current_count, entered, zone.left, zone.mean_dwell_time, json.dumps(zone.as_dict())


@pytest.mark.parametrize("frame", [0, 2, 3, 5, 8])
@pytest.mark.parametrize("anchor", ["bottom", ("bottom_left", "bottom_right")])
def test_an_interrupted_zone_loses_no_visit_and_tells_none_twice(frame: int, anchor: Any) -> None:
    def before() -> Any:
        zone = n6post.PolygonZone([(0, 40), (100, 40), (100, 80), (0, 80)], anchor=anchor)
        for k in range(frame):
            zone.trigger(passing(k), elapsed_ms=100)
        return zone

    old, wanted = before(), before()
    wanted.trigger(passing(frame), elapsed_ms=100)

    def then(zone: Any, met: bool) -> None:
        if met and visits_of(zone) == visits_of(old):
            zone.trigger(passing(frame), elapsed_ms=100)
        assert visits_of(zone) == visits_of(wanted)

    every_line(before, lambda zone: zone.trigger(passing(frame), elapsed_ms=100), then)


@pytest.mark.parametrize("frame", [0, 1, 4])
def test_an_interrupted_hold_counts_the_time_in_the_next_frame(frame: int, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0]
    monkeypatch.setattr("time.ticks_ms", lambda: now[0], raising=False)
    monkeypatch.setattr("time.ticks_diff", lambda a, b: a - b, raising=False)

    def run(hold: Any, k: int) -> list[int]:
        now[0] = 100 * k
        return [d.track_id for d in hold.trigger(passing(k))]

    def before() -> Any:
        hold = n6post.Hold(0.2, release=0.1)
        for k in range(frame):
            run(hold, k)
        return hold

    def times(hold: Any) -> list[float]:
        return [hold.held_time(track_id) for track_id in range(1, 5)]

    old, wanted = before(), before()
    run(wanted, frame)

    def then(hold: Any, met: bool) -> None:
        assert times(hold) == times(old if met and times(hold) != times(wanted) else wanted)
        if met:
            run(hold, frame)
        assert times(hold) == times(wanted)
        run(hold, frame + 1)

    every_line(before, lambda hold: run(hold, frame), then)


@pytest.mark.parametrize("frame", [0, 3, 5, 12])
def test_interrupted_events_are_reported_by_the_next_call(frame: int) -> None:
    """A person comes into the zone, stays, and is gone; the frame is given again after the error."""
    frames = [[n6post.Detection((20 + 40 * k, 200, 30, 80), 0.9, 0, "", None, None)] * (k < 6) for k in range(20)]

    def before() -> Any:
        zone = n6post.PolygonZone([(100, 0), (600, 0), (600, 400), (100, 400)], min_frames=1, margin=0, max_gap=0.3)
        events = n6post.Events(zones=[zone], pictures=True)
        tracker = n6post.Tracker(max_gap=0.3, min_hits=1)
        tracked = [tracker.update(found, elapsed_ms=100) for found in frames]
        for k in range(frame):
            events.update(tracked[k], image.Image(64, 40, image.GRAYSCALE), elapsed_ms=100)
        return events, tracked

    def run(state: Any, k: int) -> Any:
        events, tracked = state
        happened = events.update(tracked[k], image.Image(64, 40, image.GRAYSCALE), elapsed_ms=100)
        return [event[:9] for event in happened]

    wanted = before()
    expected = [run(wanted, k) for k in range(frame, 20)]
    assert [event[0] for event in expected[9 - frame]] == ["left", "ended"] or frame > 9

    def then(state: Any, met: bool) -> None:
        is_done = not met or state[0]._state[0] != before()[0]._state[0]  # then only the result may be lost
        assert [run(state, k) for k in range(frame + is_done, 20)] == expected[is_done:]

    every_line(before, lambda state: run(state, frame), then)


@pytest.mark.parametrize("frame", [0, 1, 3])
def test_an_interrupted_collector_has_whole_pictures_and_goes_on(frame: int, tmp_path: Path) -> None:
    """A person of a known class is lost in frame 3; two pictures are allowed, so the second one is replaced."""
    person = n6post.Detection((60, 40, 30, 40), 0.9, 0, "", None, None).replace(frame_size=(160, 120), track_id=1)
    other = person.replace(rect=(100, 40, 20, 30), track_id=2, score=0.3)
    frames = [[person], [person, other], [person], [other.replace(class_id=1)], [person]]
    pictures = [image.Image(160, 120, image.GRAYSCALE, buffer=bytearray([k * 31 & 255, 255 - k] * 9600)) for k in range(5)]
    folder = tmp_path / "collected"

    def run(collector: Any, k: int) -> Any:
        return collector.update(frames[k], pictures[k], elapsed_ms=100)

    def before() -> Any:
        shutil.rmtree(folder, ignore_errors=True)
        collector = n6post.Collector(str(folder), every=0, max_files=2)
        for k in range(frame):
            run(collector, k)
        return collector

    def then(collector: Any, met: bool) -> None:
        for k in range(frame if met else frame + 1, 5):
            run(collector, k)
        texts = sorted(file.stem for file in folder.glob("*.txt"))
        assert texts == sorted(file.stem for file in folder.glob("*.jpg"))
        assert len(texts) == collector.count == 2
        assert {file.stat().st_size > 100 for file in folder.glob("*.jpg")} == {True}

    every_line(before, lambda collector: run(collector, frame), then)


CONDITIONS: dict[str, tuple[Callable[[], Any], Callable[[int], object]]] = {
    "Steady": (lambda: n6post.Steady(0.2), lambda k: k // 4),
    "Majority": (
        lambda: n6post.Majority(0.2, min_frames=2),
        lambda k: n6post.Reading("ABC"[: 1 + k % 3], 0.5, [0.5] * (1 + k % 3)),
    ),
    "Fraction": (lambda: n6post.Fraction(0.4), lambda k: k % 5 < 3),
    "Repetitions": (lambda: n6post.Repetitions(5, 2), lambda k: 8 * (k % 2)),
}


@pytest.mark.parametrize("kind", CONDITIONS)
@pytest.mark.parametrize("track", [None, 1, 200])
@pytest.mark.parametrize("frame", [0, 1, 5, 8])
def test_an_interrupted_condition_takes_the_value_once_and_counts_its_time(
    kind: str, track: int | None, frame: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0]
    monkeypatch.setattr("time.ticks_ms", lambda: now[0], raising=False)
    monkeypatch.setattr("time.ticks_diff", lambda a, b: a - b, raising=False)
    make, value = CONDITIONS[kind]

    def run(condition: Any, k: int) -> Any:
        now[0] = 100 * k
        return condition.update(value(k), track=track)

    def before() -> Any:
        condition = make()
        for track_id in range(128 if frame else 0):  # as many as are kept
            condition.update(value(0), track=track_id, elapsed_ms=0)
        for k in range(frame):
            run(condition, k)
        return condition

    again, skipping = before(), before()
    wanted = [run(again, k) for k in range(frame, 12)]
    without = [run(skipping, k) for k in range(frame + 1, 12)]

    def then(condition: Any, met: bool) -> None:
        other = copy.deepcopy(condition)
        assert [run(other, k) for k in range(frame + 1, 12)] in (wanted[1:], without if met else wanted[1:])
        if met and kind == "Majority":
            return  # a vote that is already taken counts twice if it is given again
        if met:
            assert run(condition, frame) == wanted[0]
        assert [run(condition, k) for k in range(frame + 1, 12)] == wanted[1:]

    every_line(before, lambda condition: run(condition, frame), then)


@pytest.mark.parametrize("frame", [4, 5, 9])
def test_an_interrupted_hold_has_its_state_in_the_next_frame(frame: int) -> None:
    def run(hold: Any, k: int) -> Any:
        return hold.trigger(k > 4, elapsed_ms=100), hold.state, hold.changed

    def before() -> Any:
        hold = n6post.Hold(0.4, release=0.1)
        for k in range(frame):
            run(hold, k)
        return hold

    old, new = before(), before()
    wanted = run(new, frame)
    assert wanted[2] is (frame != 5)

    def then(hold: Any, met: bool) -> None:
        assert (hold.state, hold.changed) in ((old.state, old.changed) if met else wanted[1:], wanted[1:])
        if (hold.state, hold.changed) != wanted[1:]:
            assert run(hold, frame) == wanted

    every_line(before, lambda hold: run(hold, frame), then)


def test_the_occupancy_is_right_after_an_interruption() -> None:
    def covered(zone: Any) -> float:
        return float(zone.occupancy(passing(3)))

    def zone_of(used: bool) -> Any:
        zone = n6post.PolygonZone([(0, 40), (100, 40), (100, 80), (0, 80)])
        if used:
            zone.occupancy(passing(8))
        return zone

    right = covered(zone_of(False))
    assert 0 < right < 1
    for used in (False, True):
        every_line(lambda: zone_of(used), covered, lambda zone, _: assert_equal(covered(zone), right))  # noqa: B023


def assert_equal(got: object, wanted: object) -> None:
    assert got == wanted


@pytest.mark.parametrize("frame", [0, 2, 3, 7])
def test_an_interrupted_trail_holds_whole_positions_and_goes_on(frame: int) -> None:
    def before() -> Any:
        trail = n6post.Trail(3)
        for k in range(frame):
            trail.update(passing(k), elapsed_ms=100)
        return trail

    old, new = before(), before()
    new.update(passing(frame), elapsed_ms=100)
    wanted = before()
    for k in range(frame, frame + 4):
        wanted.update(passing(k), elapsed_ms=100)

    def then(trail: Any, met: bool) -> None:
        for n in range(1, 5):
            assert trail.positions(n) in (old.positions(n), new.positions(n))
        for k in range(frame + 1, frame + 4):
            trail.update(passing(k), elapsed_ms=100)
        assert [trail.positions(n) for n in range(1, 5)] == [wanted.positions(n) for n in range(1, 5)]

    every_line(before, lambda trail: trail.update(passing(frame), elapsed_ms=100), then)


@pytest.mark.parametrize("frame_size", [None, (128, 96)])
@pytest.mark.parametrize("kind", ["line", "polygon", "trail"])
def test_zones_and_trails_are_drawn_right_after_interrupted_drawing(kind: str, frame_size: Any) -> None:
    def before() -> Any:
        made: dict[str, Any] = {
            "line": n6post.LineZone((3, 30), (60, 20), frame_size=frame_size),
            "polygon": n6post.PolygonZone([(3, 3), (60, 9), (30, 40)], frame_size=frame_size),
            "trail": n6post.Trail(4, frame_size=frame_size),
        }
        for k in range(6):
            made["trail"].update(passing(k))
        return made[kind]

    check(Scene(before, drawn, lambda zone: [drawn(zone), drawn(zone)]))


@pytest.mark.parametrize("color_by", ["track", "instance"])
def test_colors_by_track_or_instance_are_right_after_an_interruption(color_by: str) -> None:
    def painted(detections: Any) -> bytes:
        return bytes(n6post.draw(image.Image(64, 48, image.RGB565), detections, color_by=color_by).bytearray())

    check(Scene(lambda: passing(4), painted, lambda result: [painted(result), drawn(result), painted(result)]))


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "class_ids": lambda s: s.class_ids(),
    "fraction": lambda s: [s.fraction(c) for c in range(3)],
    "area": lambda s: s.area(1),
    "mask": lambda s: (s.mask(2).outline(), s.mask(2).centroid, s.mask(2).area),
    "copy": lambda s: s.copy().class_ids(True),
    "by name": lambda s: (s.fraction("0"), s.mask("1").area),
    "as_dict": lambda s: s.as_dict(background=True),
    "profile": lambda s: (s.profile(1), s.profile(2, rows=5), s.profile("1", rows=5)),
    "draw": lambda s: bytes(s.draw(image.Image(*canvas_size(s), image.RGB565), alpha=99, legend=True).bytearray()),
}


def canvas_size(seen: Any) -> tuple[int, int]:
    width, height = seen._transform.frame_size or (64, 48)
    return 2 * width, 2 * height


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("bars", [False, True])
def test_a_segmentation_answers_right_after_an_interruption(question: str, bars: bool) -> None:
    """With bars on the left and right the columns are counted in blocks."""
    frame = image.Image(24, 48, image.RGB565)

    def before() -> Any:
        return scored_map().run(n6post.DeepLab(), n6post.Letterbox(frame) if bars else Framed(ROIS[0]))

    check(Scene(before, QUESTIONS[question], lambda s: [QUESTIONS[q](s) for q in ("class_ids", question)]), kernels=True)


MASK_QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "area": lambda m: m.area,
    "centroid": lambda m: m.centroid,
    "outline": lambda m: m.outline(),
    "rect": lambda m: m.rect,
    "image": lambda m: bytes(m.image.bytearray()),
    "blocks": lambda m: bytes(m.draw(image.Image(64, 48, image.RGB565), antialias=False).bytearray()),
    "to_image": lambda m: bytes(m.to_image(64, 48).bytearray()),
    "fill_outside": lambda m: bytes(m.fill_outside(image.Image(64, 48, image.RGB565), color=(9, 99, 200)).bytearray()),
    "iou": lambda m: m.iou(m),
    "fill_outside of a crop": lambda m: bytes(m.fill_outside(noise((50, 60)), roi=(9, 8, 25, 30)).bytearray()),
    "mean_color": lambda m: m.mean_color(noise((64, 48))),
    "statistics": lambda m: m.statistics(noise((128, 96), image.GRAYSCALE)),
}


@pytest.mark.parametrize("question", MASK_QUESTIONS)
def test_a_mask_answers_right_after_an_interruption(question: str) -> None:
    detections = segmenter().run(n6post.YoloV8Seg(0.3), Framed(ROIS[0]))
    check(Scene(lambda: detections[0].mask, MASK_QUESTIONS[question], lambda m: [ask(m) for ask in MASK_QUESTIONS.values()]))


QUESTIONS_TO_ANY: dict[str, Callable[[Any], Any]] = {
    "center": lambda d: d.center,
    "as_dict": lambda d: d.as_dict(outline=True),
    "replace": lambda d: values_of([d.replace(score=0.5)]),
    "none": lambda d: getattr(d, "nothing", None),
    "roi": lambda d: d.roi(grow=0.1, square=True),
    "crop": lambda d: bytes(d.crop(noise((64, 48)), grow=0.1, masked=d.mask is not None).bytearray()),
    "mean_color": lambda d: d.mean_color(noise((64, 48))),
}


@pytest.mark.parametrize("question", QUESTIONS_TO_ANY)
@pytest.mark.parametrize("family", ["YoloV8Seg", "YoloV8Pose"])
def test_a_detection_answers_right_after_an_interruption(question: str, family: str) -> None:
    (detections,) = frames(family)
    check(Scene(lambda: detections, QUESTIONS_TO_ANY[question], lambda d: [ask(d) for ask in QUESTIONS_TO_ANY.values()]))


def frames(family: str) -> Any:
    state = seen(family)()
    return state.model.run(state.processor, Framed(ROIS[0]))[:1]
@pytest.mark.parametrize("family", ["YoloV8Seg", "YoloV8Pose", "DeepLab"])
def test_a_scaled_picture_is_right_after_interrupted_drawing(family: str) -> None:
    make, model, _ = FAMILIES[family]
    frame = image.Image(90, 70, image.RGB565)
    check(Scene(lambda: model().run(make(), n6post.Stretch(frame)), drawn, lambda result: [drawn(result), drawn(result)]))


def filled(source: Any) -> bytes:
    """A model's input of 8 x 8 pixels."""
    buffer = bytearray(8 * 8 * 3)
    source(buffer, (1, 8, 8, 3), ord("B"))
    return bytes(buffer)


@pytest.mark.parametrize("kind", [n6post.Stretch, n6post.Crop, n6post.Letterbox])
def test_an_input_is_filled_right_after_an_interruption(kind: Any) -> None:
    frame = image.Image(24, 48, image.RGB565)
    frame.draw_rectangle((3, 4, 9, 20), color=(200, 90, 9), fill=True)

    check(Scene(lambda: kind(frame), filled, filled))


TEXTS: dict[str, Callable[[], Any]] = {
    "YoloV8": lambda: frames("YoloV8"),
    "YoloV8Seg": lambda: frames("YoloV8Seg"),
    "YoloV8Pose": lambda: frames("YoloV8Pose"),
    "DeepLab": lambda: scored_map().run(n6post.DeepLab()),
    "crowd": lambda: [n6post.Detection((i, 2, 9, 9), 0.5 + i / 64, i, f"g\u00e4rtner {i}", None, None) for i in range(30)],
    "line": lambda: n6post.LineZone((0, 50), (100, 50)),
    "zone": lambda: n6post.PolygonZone([(0, 40), (100, 40), (100, 80)]),
}


@pytest.mark.parametrize("result", TEXTS)
def test_json_text_is_right_after_an_interruption(result: str) -> None:
    """The buffer of the text is kept, and may just have been enlarged."""
    one, other = TEXTS[result](), TEXTS["crowd"]()
    wanted = n6post.to_json(one), n6post.to_json(other)
    module: Any = sys.modules["n6post.results.json_text"]

    def before() -> Any:
        line = module._Line()
        line.out, line.more = bytearray(64), bytearray(8)
        module._lines[:] = [line]
        return one

    def written(result: Any) -> str:
        stream = io.BytesIO()
        n6post.to_json(result, stream=stream)
        return stream.getvalue().decode()

    check(Scene(before, n6post.to_json, lambda r: (n6post.to_json(r), n6post.to_json(other)) == wanted))
    check(Scene(before, written, lambda r: (written(r), written(other)) == tuple(text + "\n" for text in wanted)))


def kept(counts: int) -> dict[str, Any]:
    """An object of each kind for a State, after so many counts."""
    line, zone = n6post.LineZone((0, 50), (100, 50), margin=0), n6post.PolygonZone([(0, 40), (100, 40), (100, 80), (0, 80)])
    gallery, heat = n6post.Gallery(), n6post.HeatMap(4, 3, frame_size=(100, 100))
    for k in range(counts):
        line.trigger(passing(k))
        zone.trigger(passing(k), elapsed_ms=100)
        heat.update(passing(k))
        gallery.enroll("person", [k + 1.0, 2.0, 3.0])
    return {"line": line, "zone": zone, "gallery": gallery, "heat": heat, "counts": dict.fromkeys(range(counts), 1)}


def kept_values(objects: dict[str, Any]) -> dict[str, Any]:
    line, zone, counts = objects["line"], objects["zone"], objects["counts"]
    values = [line.in_count, line.out_count, line.in_count_per_class, line.out_count_per_class], zone.mean_dwell_time
    return {"zones": values, "gallery": objects["gallery"].as_dict(), "heat": objects["heat"].as_dict(), "counts": counts}


def restored(path: Path) -> Any:
    objects = kept(0)
    n6post.State(str(path), **objects)
    return kept_values(objects)


def test_an_interrupted_save_leaves_the_objects_and_a_whole_state(tmp_path: Path) -> None:
    def before() -> Any:
        shutil.rmtree(tmp_path / "state", ignore_errors=True)
        n6post.State(str(tmp_path / "state"), **kept(7)).save(force=True)
        objects = kept(8)
        state = n6post.State(str(tmp_path / "state"))
        state._objects = list(objects.items())
        return state, objects

    old, new = kept_values(kept(7)), kept_values(kept(8))
    assert old != new

    def then(scene: Any, met: bool) -> None:
        state, objects = scene
        assert kept_values(objects) == new
        found = restored(tmp_path / "state")
        assert found in (old, new) if met else found == new
        assert state.save(force=True) or found == new
        assert restored(tmp_path / "state") == new

    every_line(before, lambda scene: scene[0].save(force=True), then)


def test_an_interrupted_restart_restores_each_object_or_leaves_it(tmp_path: Path) -> None:
    n6post.State(str(tmp_path / "state"), **kept(8)).save(force=True)
    fresh, saved = kept_values(kept(0)), kept_values(kept(8))

    def then(objects: Any, met: bool) -> None:
        for name, value in kept_values(objects).items():
            assert value == saved[name] or met and (name == "zones" or value == fresh[name])
        n6post.State(str(tmp_path / "state"), **objects)
        assert kept_values(objects) == saved

    every_line(lambda: kept(0), lambda objects: n6post.State(str(tmp_path / "state"), **objects), then)


# --- load, processor_for and diagnose --------------------------------------------------------------------------------
def test_a_processor_can_be_chosen_after_an_interruption() -> None:
    model = detector()
    check(
        Scene(
            lambda: model,
            lambda m: n6post.processor_for(m, threshold=0.3),
            lambda m: frames_of(n6post.processor_for(m, threshold=0.3), detector(), ROIS[0], 1),
        )
    )


def test_a_model_can_be_opened_after_an_interruption(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    things = [Thing(9, (12, 10, 31, 30), {1: 0.7})]
    monkeypatch.setattr(ml_model, "open_backend", lambda path: (Network([float_head((64, 64), 2, things)]), 1))
    (tmp_path / "net.txt").write_text("cat\r\ndog\n", encoding="utf-8")
    (tmp_path / "net.tflite").write_bytes(b"in place of a model")

    def opened(_: Any) -> Any:
        model = n6post.load(str(tmp_path / "net.tflite"), threshold=0.3)
        return values_of(model.predict([model_input]))

    model_input = _host.wrap(np.zeros((1, 64, 64, 3), np.uint8))
    check(Scene(lambda: None, opened, opened))
    assert opened(None)[0][3] == "dog"


@pytest.mark.parametrize("model", [detector, segmenter, poser, rows, heatmaps, scored_map])
def test_a_diagnosis_is_complete_after_an_interruption(model: Callable[[], FakeModel]) -> None:
    """The model has an absurd scale, so there is something to report."""
    one = model()
    one.output_dtype = ("b",) * len(one.tensors)
    one.output_scale = (2956686.0,) * len(one.tensors)

    def findings(_: Any) -> Any:
        return n6post.diagnose(one, one.outputs())

    assert findings(None)
    check(Scene(lambda: None, findings, findings))


# --- several allocations in one line ---------------------------------------------------------------------------------
def test_without_memory_for_a_second_class_map_the_first_is_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the next attempt would need memory for three maps instead of two."""
    deeplab = sys.modules["n6post.families.maps.deeplab"]
    made: list[weakref.ref[Any]] = []

    def segmentation(*arguments: Any) -> Any:
        if made:
            raise MemoryError
        result = n6post.Segmentation(*arguments)
        made.append(weakref.ref(result))
        return result

    processor, model = n6post.DeepLab(), scored_map()
    with monkeypatch.context() as patch:
        patch.setattr(deeplab, "Segmentation", segmentation)
        try:
            model.run(processor)
        except MemoryError:
            pass
    gc.collect()
    assert len(made) == 1 and made[0]() is None
    assert values_of(model.run(processor)) == values_of(model.run(n6post.DeepLab()))


# --- learning ----------------------------------------------------------------------------------------------------------
def test_an_interrupted_frame_that_is_learned_leaves_a_whole_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its vectors are patches of frames, and what is known of their neighbors is right when the next frame is learned."""
    monkeypatch.setattr(test_anomaly.patch_memory.neighbors, "nearest", test_anomaly.quick_nearest)
    parts = test_anomaly.Parts(7, 5, 12.0, (2, 3))
    frames = [parts.features() for _ in range(4)]

    def learn(anomaly: Any, features: Any) -> Any:
        anomaly.learn(1)
        return test_anomaly.judged(anomaly, features, size=(48, 32))

    def before() -> Any:
        anomaly = n6post.Anomaly(patches=16)  # full while the third frame is learned
        for frame in frames[:2]:
            learn(anomaly, frame)
        return anomaly

    def after(anomaly: Any) -> bool:
        step = anomaly.to_state()[0]["form"][4]
        assert anomaly.learned in (2, 3)
        learn(anomaly, frames[3])
        learned = np.concatenate(test_anomaly.memory_of(anomaly), axis=1)
        seen = {tuple(one) for frame in frames for one in test_anomaly.with_places(frame, step).tolist()}
        assert {tuple(one) for one in learned.tolist()} <= seen
        memory = anomaly._memory
        apart = squareform(pdist(learned, "sqeuclidean")) + np.diag([np.inf] * len(learned))
        assert memory._nearest[: memory.count].tolist() == apart.min(axis=1).astype(int).tolist()
        return bool(learn(anomaly, frames[0]).score >= 0)

    assert check(Scene(before, lambda anomaly: learn(anomaly, frames[2]), after)) > 30
