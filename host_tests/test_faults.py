"""Disturbances during a frame: errors raised by the firmware, overwritten memory, other pictures, other threads.

After each of them the next frame is right: it equals that of a new processor, byte for byte. test_memory.py has the
same for MemoryError.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import csi
import image
import n6post
import numpy as np
import proofs
import pytest
from assertions import assert_well_formed
from fake_networks import SIDE, Network
from ml import model as ml_model
from synthetic_heads import Thing, float_head
from test_memory import FAMILIES, LIB, filled, forget, passing, traced, values_of

STUBS = str(Path(image.__file__).parents[1])
FRAME = (64, 48)
ERRORS = OSError, ValueError, TypeError, RuntimeError, KeyboardInterrupt
of_every_family = pytest.mark.parametrize("family", FAMILIES)
# Families with code of their own. YoloV8Seg runs all the code of YoloV8.
of_some_families = pytest.mark.parametrize(
    "family", ["YoloV8 soft", "YoloV8Seg", "YoloV8Pose", "YoloV8 end-to-end", "MoveNet", "MoveNet direct", "DeepLab"]
)


def frame(size: tuple[int, int] = FRAME, pixformat: str = "RGB565") -> image.Image:
    """A picture whose pixels differ from their neighbors."""
    img = image.Image(*size, getattr(image, pixformat))
    pixels = img.bytearray()
    pixels[:] = ((np.arange(len(pixels)) * 2657 + 77) >> 3).astype(np.uint8).tobytes()
    return img


def drawn(result: Any, size: tuple[int, int] = FRAME, pixformat: str = "RGB565", **options: Any) -> bytes:
    if hasattr(result, "tolist"):  # an embedding is not drawn
        return b""
    return bytes(n6post.draw(frame(size, pixformat), result, **options).bytearray())


def everything(result: Any) -> Any:
    """Numbers, pixels and text."""
    text = "" if hasattr(result, "tolist") else n6post.to_json(result)
    return values_of(result), drawn(result), drawn(result, pixformat="GRAYSCALE"), text


# --- errors raised by the firmware -----------------------------------------------------------------------------
class Refusal:
    """Counts the calls of the library to the modules of the firmware, and raises an error in one of them.

    A call from the same place counts once. `script`: calls of the test's function of this name count too.
    """

    def __init__(self, call: int, error: type[BaseException], script: str = "") -> None:
        self.call = call
        self.error = error
        self.script = script
        self.calls = 0
        self.met = ""
        self.passed: set[tuple[object, int]] = set()

    def _called(self, frame: FrameType, event: str, argument: object) -> None:
        caller = frame.f_back
        if caller is None or not frame.f_code.co_filename.startswith(STUBS):
            return
        by = caller.f_code
        if not by.co_filename.startswith(LIB) and by.co_name != (self.script or None):
            return
        place = by, caller.f_lasti
        if place not in self.passed:
            self.passed.add(place)
            self.calls += 1
            if self.calls == self.call:
                self.met = f"{frame.f_code.co_name} for {by.co_name}, line {caller.f_lineno} of {by.co_filename}"
                raise self.error("raised by the firmware")

    def hits(self, attempt: Callable[[], object]) -> bool:
        """Whether the error was raised in the attempt: False if it has fewer calls."""
        try:
            traced(self._called, attempt)
        except (Exception, KeyboardInterrupt):
            assert self.met
        return bool(self.met)


def each_call_refused(
    before: Callable[[], Any],
    attempt: Callable[[Any], object],
    after: Callable[[Any], Any],
    wanted: Any,
    script: str = "",
) -> int:
    """Raise an error once in every call of the attempt. `after` must then return one of the wanted values."""
    call = 0
    met = True
    while met:
        call += 1
        forget()
        state = before()
        refusal = Refusal(call, ERRORS[call % len(ERRORS)], script)
        met = refusal.hits(lambda state=state: attempt(state))  # type: ignore[misc]
        assert after(state) in wanted, (refusal.met, refusal.error)
    return call - 1


def sources(img: image.Image) -> list[Any]:
    return [n6post.Stretch(img), n6post.Letterbox(img, roi=(3, 2, 41, 40))]


@of_some_families
def test_a_call_that_fails_in_one_frame_leaves_the_next_frame_right(family: str) -> None:
    make, model, other = FAMILIES[family]
    one, second = model(), other()

    first, last = sources(frame())

    def used() -> Any:
        process = make()
        one.run(process, first)
        return process

    def after(process: Any) -> Any:
        result = one.run(process, last)
        return values_of(result), drawn(result), values_of(second.run(process, first))

    wanted = [after(make())]
    assert each_call_refused(make, lambda p: one.run(p, first), after, wanted) > 3
    each_call_refused(used, lambda p: one.run(p, last), after, wanted)
    if family in ("MoveNet", "DeepLab"):
        each_call_refused(used, lambda p: second.run(p, last), after, wanted)


DRAWN = [family for family in FAMILIES if family != "Embedding"]
# One of each kind of result.
KINDS = (
    "YoloV8Seg", "YoloV8Pose", "YoloV8Obb", "MoveNet", "DeepLab", "Classifier", "Depth", "HandLandmarks", "BlazeFace",
    "Fomo",
)  # fmt: skip


@pytest.mark.parametrize("family", DRAWN if proofs.everything else KINDS)
def test_a_picture_is_right_after_a_call_has_failed_while_drawing(family: str) -> None:
    make, model, _ = FAMILIES[family]
    result = model().run(make(), n6post.Stretch(frame()))
    ways: list[Callable[[], bytes]] = [lambda: drawn(result), lambda: drawn(result, (40, 30), "GRAYSCALE")]
    if isinstance(result, list):
        ways.append(lambda: drawn(result, antialias=False, labels=[f"a {at}" for at in range(len(result))]))
    elif isinstance(result, n6post.Classification | n6post.Reading):
        ways.append(lambda: bytes(result.draw(frame(), color=(9, 99, 200)).bytearray()))
    elif isinstance(result, n6post.AnomalyMap):
        ways.append(lambda: bytes(result.draw(frame(), palette=[(200, 9, 9), (9, 99, 200)], smooth=False).bytearray()))
    else:
        hidden = None if isinstance(result, n6post.Segmentation) else (200, 9, 9)
        ways.append(lambda: bytes(result.draw(frame(), palette=[hidden, (9, 99, 200)], legend=True).bytearray()))
    forget()
    wanted = [[way() for way in ways]]
    for way in ways:
        calls = each_call_refused(lambda: None, lambda _, way=way: way(), lambda _: [again() for again in ways], wanted)  # type: ignore[misc]
        assert calls > 3


@pytest.mark.parametrize("kind", ["line", "polygon", "trail"])
def test_a_zone_is_drawn_right_after_a_call_has_failed(kind: str) -> None:
    made: dict[str, Any] = {
        "line": n6post.LineZone((3, 30), (60, 20)),
        "polygon": n6post.PolygonZone([(3, 3), (60, 9), (30, 40)]),
        "trail": n6post.Trail(4),
    }
    for k in range(6):
        made["trail"].update(passing(k))
    assert each_call_refused(lambda: made[kind], drawn, drawn, [drawn(made[kind])]) > 3


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "area": lambda m: m.area,
    "centroid": lambda m: m.centroid,
    "outline": lambda m: m.outline(),
    "rect": lambda m: m.rect,
    "iou": lambda m: m.iou(m),
    "image": lambda m: bytes(m.image.bytearray()),
    "to_image": lambda m: bytes(m.to_image(*FRAME).bytearray()),
    "fill_outside": lambda m: bytes(m.fill_outside(frame(), color=(9, 99, 200)).bytearray()),
    "draw": lambda m: bytes(m.draw(frame(), antialias=False).bytearray()),
}


@pytest.mark.parametrize("family", ["YoloV8Seg", "DeepLab"])
def test_a_mask_property_is_right_after_a_call_has_failed(family: str) -> None:
    make, model, _ = FAMILIES[family]

    def mask() -> Any:
        result = model().run(make(), n6post.Stretch(frame()))
        return result.mask(1) if family == "DeepLab" else result[0].mask

    wanted = [[ask(mask()) for ask in QUESTIONS.values()]]
    for question in QUESTIONS.values():
        each_call_refused(mask, question, lambda m: [ask(m) for ask in QUESTIONS.values()], wanted)


@pytest.mark.parametrize("kind", [n6post.Stretch, n6post.Crop, n6post.Letterbox])
def test_an_input_is_filled_right_after_a_call_has_failed(kind: Any) -> None:
    forget()
    assert each_call_refused(lambda: kind(frame()), filled, filled, [filled(kind(frame()))]) > 3


def test_the_firmware_is_examined_again_if_the_first_try_failed() -> None:
    from n6post.firmware import draw_string_takes_xy_tuple, stretches_plain_image

    for ask in (stretches_plain_image, draw_string_takes_xy_tuple):
        forget()
        wanted = ask()
        assert each_call_refused(lambda: None, lambda _, ask=ask: ask(), lambda _, ask=ask: ask(), [wanted]) > 1  # type: ignore[misc]


@pytest.fixture
def camera(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A camera that sees a gray picture, and the model file of a detector that finds a cat and a dog."""
    things = [Thing(3, (2, 3, 17, 20), {0: 0.9}), Thing(9, (12, 10, 31, 30), {1: 0.7})]
    network = Network([float_head((SIDE, SIDE), 2, things)])
    monkeypatch.setattr(ml_model, "open_backend", lambda path: (network, 1))
    monkeypatch.setattr(csi, "_host_pictures", [np.full((48, 64, 3), 90, np.uint8)])
    monkeypatch.setattr(csi, "_host_last_frame", None)  # restored at the end of the test
    path = tmp_path / "net.tflite"
    path.write_bytes(b"in place of a model")
    yield path


def test_a_script_goes_on_right_after_a_call_has_failed_in_its_loop(camera: Path) -> None:
    """snapshot, predict, tracker, zone, draw and to_json: as if the whole turn had happened, or none of it."""

    def begin() -> Any:
        cam = csi.CSI()
        cam.reset()
        cam.pixformat(csi.RGB565)
        cam.framesize(csi.QQVGA)
        state: Any = cam, n6post.load(str(camera), threshold=0.3), n6post.Tracker(), n6post.LineZone((0, 9), (99, 9))
        turn(state)
        return state

    def turn(state: Any) -> Any:
        cam, model, tracker, line = state
        img = cam.snapshot()
        detections = tracker.update(model.predict([n6post.Letterbox(img)]), elapsed_ms=80)
        line.trigger(detections, elapsed_ms=80)
        n6post.draw(n6post.draw(img, detections), line)
        return values_of(detections), bytes(img.bytearray()), n6post.to_json(detections), n6post.to_json(line)

    def after(state: Any) -> Any:
        return [turn(state), turn(state), state[2].tracks[0][:3]]

    with_it, without = begin(), begin()
    turn(with_it)
    wanted = [after(with_it), after(without)]
    assert len(wanted[0][0][0]) == 2
    assert each_call_refused(begin, turn, after, wanted, "turn") > 30


def test_a_model_can_be_opened_after_a_failed_attempt(camera: Path) -> None:
    def opened(_: Any) -> Any:
        model = n6post.load(str(camera), threshold=0.3)
        findings: list[str] = n6post.diagnose(model)
        return values_of(model.predict([n6post.Stretch(frame())])), findings

    assert each_call_refused(lambda: None, opened, opened, [opened(None)], "opened") > 3


# --- overwritten memory ----------------------------------------------------------------------------------------------------
def scrambled(values: Any, kind: int) -> None:
    """Overwrite the output memory of a model with another frame, or with extreme numbers."""
    if kind == 0:
        values[:] = np.roll(values, 3, axis=-1)
    elif values.dtype.kind == "f":
        values[:] = (np.nan, np.inf, -np.inf, 1e30)[kind % 4]
    else:
        values[:] = np.iinfo(values.dtype).max if kind % 2 else np.iinfo(values.dtype).min


@of_every_family
def test_results_do_not_change_when_the_output_memory_is_overwritten(family: str) -> None:
    """Drawing is included, also when the memory changes in a function given as labels=."""
    make, model, _ = FAMILIES[family]
    one = model()
    whole = [tensor.values.copy() for tensor in one.tensors]
    process = make()
    result = one.run(process, n6post.Stretch(frame()))
    wanted = everything(result)
    for kind in range(4):
        for tensor in one.tensors:
            scrambled(tensor.values, kind)
        assert everything(result) == wanted
        if isinstance(result, list):
            labeled = drawn(result, labels=["x"] * len(result))
            for tensor, values in zip(one.tensors, whole):
                tensor.values[:] = values

            def label(d: Any, kind: int = kind) -> str:
                for tensor in one.tensors:
                    scrambled(tensor.values, kind)
                return "x"

            assert drawn(result, labels=label) == labeled
    for tensor, values in zip(one.tensors, whole):
        tensor.values[:] = values
    assert everything(one.run(process, n6post.Stretch(frame()))) == wanted
    assert everything(result) == wanted


class Interruption:
    """Calls a function after the n-th call of a kernel or of the firmware."""

    def __init__(self, call: int, happens: Callable[[], None]) -> None:
        self.call = call
        self.happens = happens
        self.calls = 0

    def _called(self, frame: FrameType, event: str, argument: object) -> Any:
        path = frame.f_code.co_filename
        caller = frame.f_back
        if (
            caller is None
            or not caller.f_code.co_filename.startswith(LIB)
            or not (path.startswith(STUBS) or "portable" in path and "portable" not in caller.f_code.co_filename)
        ):
            return None
        self.calls += 1
        if self.calls == self.call:
            self.happens()
        return None

    def comes(self, attempt: Callable[[], Any]) -> Any:
        return traced(self._called, attempt)


# Families whose layout follows from the shapes alone, and not from the numbers of the first frame.
TOLD_BY_SHAPE = "YoloV8 soft", "MoveNet", "MoveNet direct", "DeepLab"


@of_some_families
@pytest.mark.parametrize("kind", range(4))
def test_output_memory_overwritten_in_a_frame_spoils_only_that_frame(family: str, kind: int) -> None:
    """That frame returns a well-formed result or a ValueError. The frames before and after it are right."""
    make, model, _ = FAMILIES[family]
    one = model()
    whole = [tensor.values.copy() for tensor in one.tensors]
    source = n6post.Stretch(frame())
    wanted = values_of(one.run(make(), source))
    process = make()

    def overwrite() -> None:
        for tensor in one.tensors:
            scrambled(tensor.values, kind)

    call = 0
    came = True
    while came:
        call += 1 + call // 8  # all of the first calls, then fewer: a loop over candidates repeats the same calls
        before = one.run(process, source)
        again = make() if family in TOLD_BY_SHAPE and call % 2 else process  # its first frame, or a later frame
        interruption = Interruption(call, overwrite)
        try:
            in_order(interruption.comes(lambda again=again: one.run(again, source)))  # type: ignore[misc]
        except ValueError as error:
            assert "expected" in str(error)
        came = interruption.calls >= call
        assert values_of(before) == wanted
        for tensor, values in zip(one.tensors, whole):
            tensor.values[:] = values
        assert values_of(one.run(again, source)) == wanted, call
    assert call > 3


@of_every_family
@pytest.mark.parametrize("number", [0, "least", "most"])
def test_a_first_frame_of_one_constant_value_does_not_fix_the_layout(family: str, number: Any) -> None:
    """This is what a network without weights returns. The next frame examines the layout again."""
    make, model, _ = FAMILIES[family]
    one = model()
    wanted = everything(one.run(make(), n6post.Stretch(frame())))
    whole = [tensor.values.copy() for tensor in one.tensors]
    for tensor in one.tensors:
        info: Any = np.finfo if tensor.values.dtype.kind == "f" else np.iinfo
        limits = info(tensor.values.dtype)
        tensor.values[:] = {"least": limits.min, "most": limits.max}.get(number, tensor.zero_point)
    process = make()
    for _ in range(2):
        try:
            in_order(one.run(process, n6post.Stretch(frame())))
        except ValueError as error:
            assert "expected" in str(error)
    for tensor, values in zip(one.tensors, whole):
        tensor.values[:] = values
    assert everything(one.run(process, n6post.Stretch(frame()))) == wanted


def in_order(result: Any) -> None:
    if isinstance(result, n6post.Segmentation):
        assert result.class_ids(True) == np.unique(np.array(result.class_map.tolist())).tolist()
    elif isinstance(result, list):
        assert_well_formed(result, (0, 0, *FRAME), 20)
        for d in result:
            assert d.mask is None or 0 <= d.mask.area <= FRAME[0] * FRAME[1]
    drawn(result)


# --- other pictures -------------------------------------------------------------------------------------------------
PICTURES = [
    ((64, 48), "RGB565"), ((64, 48), "GRAYSCALE"), ((48, 64), "RGB565"), ((33, 31), "GRAYSCALE"), ((128, 96), "RGB565"),
    ((32, 32), "RGB565"), ((64, 48), "RGB565"), ((7, 90), "GRAYSCALE"),
]  # fmt: skip
KINDS: list[Callable[[image.Image], Any]] = [
    n6post.Stretch, n6post.Letterbox, n6post.Crop, lambda img: n6post.Stretch(img, roi=(1, 2, 5, 17)), lambda img: None,
]  # fmt: skip


@of_every_family
def test_changing_formats_sizes_and_inputs_give_the_same_as_new_processors(
    family: str,
) -> None:
    make, model, _ = FAMILIES[family]
    one = model()
    random = np.random.default_rng(len(family))
    process = make()
    results = []
    for _ in range(40):
        size, pixformat = PICTURES[random.integers(len(PICTURES))]
        kind = KINDS[random.integers(len(KINDS))]
        result = one.run(process, kind(frame(size, pixformat)))
        own = one.run(make(), kind(frame(size, pixformat)))
        assert values_of(result) == values_of(own)
        first = result[0] if isinstance(result, list) and result else result
        width, height = getattr(getattr(first, "_transform", first), "frame_size", None) or size
        times = int(random.integers(1, 4))  # the picture that is drawn on, such as that of an LCD
        size, (_, pixformat) = (times * width, times * height), PICTURES[random.integers(len(PICTURES))]
        assert drawn(result, size, pixformat) == drawn(own, size, pixformat)
        results.append((result, values_of(result)))
        for earlier, values in results[-2:]:
            assert values_of(earlier) == values


@pytest.mark.parametrize("kind", [n6post.Stretch, n6post.Letterbox, n6post.Crop])
def test_an_input_shows_each_of_several_pictures_like_the_first(kind: Any) -> None:
    random = np.random.default_rng(5)

    def filled(size: tuple[int, int], pixformat: str, channels: int) -> bytes:
        buffer = bytearray(16 * 16 * channels)
        kind(frame(size, pixformat))(buffer, (1, 16, 16, channels), ord("B"))
        return bytes(buffer)

    for _ in range(40):
        size, pixformat = PICTURES[random.integers(len(PICTURES))]
        channels = int(random.choice([1, 3]))
        one = filled(size, pixformat, channels)
        forget()
        assert filled(size, pixformat, channels) == one


def test_zones_and_trails_are_drawn_on_changing_pictures_like_new_ones() -> None:
    random = np.random.default_rng(6)

    def made() -> list[Any]:
        trail = n6post.Trail(4)
        for k in range(6):
            trail.update(passing(k))
        return [n6post.LineZone((3, 30), (60, 20), frame_size=FRAME), n6post.PolygonZone([(3, 3), (60, 9), (30, 40)]), trail]

    kept = made()
    for _ in range(30):
        width, (_, pixformat) = int(random.integers(8, 50)), PICTURES[random.integers(len(PICTURES))]
        size = 4 * width, 3 * width
        for old, new in zip(kept, made()):
            assert drawn(old, size, pixformat) == drawn(new, size, pixformat)


# --- threads on a PC -------------------------------------------------------------------------------------------------
def at_once(*works: Callable[[], None]) -> None:
    """Run each in its own thread, all at the same time, with as many switches as CPython allows."""
    errors: list[BaseException] = []
    begin = threading.Barrier(len(works))

    def run(work: Callable[[], None]) -> None:
        try:
            begin.wait()
            work()
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    if errors:
        raise errors[0]


@of_every_family
def test_processors_in_parallel_threads_do_not_disturb_each_other(family: str) -> None:
    """They read the outputs of the same model, with different parts of the picture."""
    make, model, _ = FAMILIES[family]
    one = model()

    def work(roi: tuple[int, int, int, int]) -> Callable[[], None]:
        source = n6post.Stretch(frame(), roi=roi)
        wanted = values_of(one.run(make(), source))
        process = make()

        def frames() -> None:
            for _ in range(15):
                assert values_of(one.run(process, source)) == wanted

        return frames

    forget()
    at_once(work((0, 0, 64, 48)), work((8, 4, 40, 44)), work((3, 1, 50, 40)))


def test_one_processor_can_be_shared_by_two_threads_with_a_lock(camera: Path) -> None:
    """CONTRIBUTING.md allows one thread at a time for a processor, a model, a tracker, draw and to_json."""
    model = n6post.load(str(camera), threshold=0.3)
    tall, wide = frame((48, 64)), frame((128, 96))
    turn = threading.Lock()

    def one(img: image.Image) -> Any:
        result = model.predict([n6post.Letterbox(img)])
        return values_of(result), bytes(n6post.draw(img.copy(), result).bytearray()), n6post.to_json(result)

    def work(img: image.Image) -> Callable[[], None]:
        wanted = one(img)

        def frames() -> None:
            for _ in range(10):
                with turn:
                    assert one(img) == wanted

        return frames

    at_once(work(tall), work(wide))
