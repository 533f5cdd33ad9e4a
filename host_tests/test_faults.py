"""What comes from outside while a frame is worked on: an error out of the firmware, other memory, another picture, a thread.

Whatever it was: the next good frame is that of a processor which never met it, byte for byte. For MemoryError:
test_memory.py.
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
import pytest
from checks import assert_well_formed
from ml import model as ml_model
from networks import SIDE, Network
from scenes import Thing, float_head
from test_memory import FAMILIES, LIB, forget, passing, told

STUBS = str(Path(image.__file__).parents[1])
FRAME = (64, 48)
ERRORS = OSError, ValueError, TypeError, RuntimeError, KeyboardInterrupt
of_every_family = pytest.mark.parametrize("family", FAMILIES)
# Those that go another way than the rest: YoloV8Seg does all that YoloV8 does.
of_some_families = pytest.mark.parametrize(
    "family", ["YoloV8 soft", "YoloV8Seg", "YoloV8Pose", "YoloV8 end-to-end", "MoveNet", "MoveNet direct", "DeepLab"]
)


def frame(size: tuple[int, int] = FRAME, pixformat: str = "RGB565") -> image.Image:
    """A picture whose pixels differ from their neighbours."""
    img = image.Image(*size, getattr(image, pixformat))
    pixels = img.bytearray()
    pixels[:] = ((np.arange(len(pixels)) * 2657 + 77) >> 3).astype(np.uint8).tobytes()
    return img


def drawn(result: Any, size: tuple[int, int] = FRAME, pixformat: str = "RGB565", **options: Any) -> bytes:
    return bytes(n6post.draw(frame(size, pixformat), result, **options).bytearray())


def everything(result: Any) -> Any:
    """Numbers, pixels and text."""
    return told(result), drawn(result), drawn(result, pixformat="GRAYSCALE"), n6post.to_json(result)


# --- an error out of the firmware's call -----------------------------------------------------------------------------
class Refusal:
    """Calls of the library into the firmware's modules are counted; one of them raises.

    A call counts the first time that it comes from one place. `script`: those of the test's function of that name count too.
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
                raise self.error("the firmware does not like it")

    def hits(self, attempt: Callable[[], object]) -> bool:
        """Whether the attempt met the error: False once it has no call that late."""
        tracer = sys.gettrace()
        sys.settrace(self._called)
        try:
            attempt()
        except (Exception, KeyboardInterrupt):
            assert self.met
        finally:
            sys.settrace(tracer)
        return bool(self.met)


def refused(
    before: Callable[[], Any],
    attempt: Callable[[Any], object],
    after: Callable[[Any], Any],
    wanted: Any,
    script: str = "",
) -> int:
    """Every call of the attempt refused once, with the kinds of errors in turn; `after` is one of those wanted each time."""
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
    return [n6post.Stretch(img), n6post.Letterbox(img, (3, 2, 41, 40))]


@of_some_families
def test_a_frame_in_which_the_firmware_refuses_a_call_leaves_the_next_one_right(family: str) -> None:
    make, model, other = FAMILIES[family]
    one, second = model(), other()

    first, last = sources(frame())

    def used() -> Any:
        process = make()
        one.run(process, first)
        return process

    def after(process: Any) -> Any:
        result = one.run(process, last)
        return told(result), drawn(result), told(second.run(process, first))

    wanted = [after(make())]
    assert refused(make, lambda p: one.run(p, first), after, wanted) > 3
    refused(used, lambda p: one.run(p, last), after, wanted)
    if family in ("MoveNet", "DeepLab"):
        refused(used, lambda p: second.run(p, last), after, wanted)


@of_every_family
def test_a_picture_in_which_the_firmware_refuses_a_call_is_drawn_anew_as_if_nothing_had_been(family: str) -> None:
    make, model, _ = FAMILIES[family]
    result = model().run(make(), n6post.Stretch(frame()))
    ways: list[Callable[[], bytes]] = [lambda: drawn(result), lambda: drawn(result, (40, 60), "GRAYSCALE")]
    if isinstance(result, list):
        ways.append(lambda: drawn(result, smooth=False, labels=[f"a {at}" for at in range(len(result))]))
    else:
        ways.append(lambda: bytes(result.draw(frame(), [None, (9, 99, 200)], legend=True).bytearray()))
    forget()
    wanted = [[way() for way in ways]]
    for way in ways:
        calls = refused(lambda: None, lambda _, way=way: way(), lambda _: [again() for again in ways], wanted)  # type: ignore[misc]
        assert calls > 3


@pytest.mark.parametrize("kind", ["line", "polygon", "trail"])
def test_a_zone_in_whose_picture_the_firmware_refuses_a_call_is_drawn_anew(kind: str) -> None:
    made: dict[str, Any] = {
        "line": n6post.LineZone((3, 30), (60, 20)),
        "polygon": n6post.PolygonZone([(3, 3), (60, 9), (30, 40)]),
        "trail": n6post.Trail(4),
    }
    for k in range(6):
        made["trail"].update(passing(k))
    assert refused(lambda: made[kind], drawn, drawn, [drawn(made[kind])]) > 3


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "area": lambda m: m.area,
    "centroid": lambda m: m.centroid,
    "outline": lambda m: m.outline(),
    "rect": lambda m: m.rect,
    "iou": lambda m: m.iou(m),
    "image": lambda m: bytes(m.image.bytearray()),
    "to_image": lambda m: bytes(m.to_image(*FRAME).bytearray()),
    "cut_out": lambda m: bytes(m.cut_out(frame(), (9, 99, 200)).bytearray()),
    "draw": lambda m: bytes(m.draw(frame(), smooth=False).bytearray()),
}


@pytest.mark.parametrize("family", ["YoloV8Seg", "DeepLab"])
def test_a_question_in_which_the_firmware_refuses_a_call_is_answered_the_next_time(family: str) -> None:
    make, model, _ = FAMILIES[family]

    def mask() -> Any:
        result = model().run(make(), n6post.Stretch(frame()))
        return result.mask(1) if family == "DeepLab" else result[0].mask

    wanted = [[ask(mask()) for ask in QUESTIONS.values()]]
    for question in QUESTIONS.values():
        refused(mask, question, lambda m: [ask(m) for ask in QUESTIONS.values()], wanted)


@pytest.mark.parametrize("kind", [n6post.Stretch, n6post.Crop, n6post.Letterbox])
def test_an_input_in_which_the_firmware_refuses_a_call_is_filled_the_next_time(kind: Any) -> None:
    def filled(source: Any) -> bytes:
        buffer = bytearray(8 * 8 * 3)
        source(buffer, (1, 8, 8, 3), ord("B"))
        return bytes(buffer)

    forget()
    assert refused(lambda: kind(frame()), filled, filled, [filled(kind(frame()))]) > 3


def test_what_a_firmware_does_otherwise_is_found_out_after_all_where_the_first_try_was_refused() -> None:
    from n6post.firmware import stretches, text_apart

    for ask in (stretches, text_apart):
        forget()
        wanted = ask()
        assert refused(lambda: None, lambda _, ask=ask: ask(), lambda _, ask=ask: ask(), [wanted]) > 1  # type: ignore[misc]


@pytest.fixture
def camera(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A camera that sees grey, and /net.tflite, a detector that finds a cat and a dog."""
    things = [Thing(3, (2, 3, 17, 20), {0: 0.9}), Thing(9, (12, 10, 31, 30), {1: 0.7})]
    network = Network([float_head((SIDE, SIDE), 2, things)])
    monkeypatch.setattr(ml_model, "open_backend", lambda path: (network, 1))
    monkeypatch.setattr(csi, "_host_pictures", [np.full((48, 64, 3), 90, np.uint8)])
    monkeypatch.setattr(csi, "_host_last_frame", None)  # and back at the end: what was seen stays with this test
    path = tmp_path / "net.tflite"
    path.write_bytes(b"stands for a model")
    yield path


def test_a_script_s_turn_in_which_the_firmware_refuses_a_call_is_followed_by_right_ones(camera: Path) -> None:
    """snapshot, predict, the tracker, a zone, drawing and text: as if the turn had been, or as if it had not."""

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
        found = tracker.update(model.predict([n6post.Letterbox(img)]))
        line.trigger(found)
        n6post.draw(n6post.draw(img, found), line)
        return told(found), bytes(img.bytearray()), n6post.to_json(found), n6post.to_json(line)

    def after(state: Any) -> Any:
        return [turn(state), turn(state), state[2].tracks[0][:3]]

    with_it, without = begin(), begin()
    turn(with_it)
    wanted = [after(with_it), after(without)]
    assert len(wanted[0][0][0]) == 2
    assert refused(begin, turn, after, wanted, "turn") > 30


def test_a_model_that_the_firmware_refuses_to_open_is_opened_the_next_time(camera: Path) -> None:
    def opened(_: Any) -> Any:
        model = n6post.load(str(camera), threshold=0.3)
        findings: list[str] = n6post.diagnose(model)
        return told(model.predict([n6post.Stretch(frame())])), findings

    assert refused(lambda: None, opened, opened, [opened(None)], "opened") > 3


# --- other memory ----------------------------------------------------------------------------------------------------
def scrambled(values: Any, kind: int) -> None:
    """Other numbers in a model's memory: as after another frame, or as no network has them."""
    if kind == 0:
        values[:] = np.roll(values, 3, axis=-1)
    elif values.dtype.kind == "f":
        values[:] = (np.nan, np.inf, -np.inf, 1e30)[kind % 4]
    else:
        values[:] = np.iinfo(values.dtype).max if kind % 2 else np.iinfo(values.dtype).min


@of_every_family
def test_results_stay_what_they_are_when_the_models_memory_is_written_over_after_the_frame(family: str) -> None:
    """A drawing too, and one that has begun: labels= calls back."""
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
            labelled = drawn(result, labels=["x"] * len(result))
            for tensor, values in zip(one.tensors, whole):
                tensor.values[:] = values

            def label(d: Any, kind: int = kind) -> str:
                for tensor in one.tensors:
                    scrambled(tensor.values, kind)
                return "x"

            assert drawn(result, labels=label) == labelled
    for tensor, values in zip(one.tensors, whole):
        tensor.values[:] = values
    assert everything(one.run(process, n6post.Stretch(frame()))) == wanted
    assert everything(result) == wanted


class Interruption:
    """After the n-th kernel or call into the firmware something else happens."""

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
        tracer = sys.gettrace()
        sys.settrace(self._called)
        try:
            return attempt()
        finally:
            sys.settrace(tracer)


# A model's first frame may tell what its numbers mean: of these nothing is told by numbers.
TOLD_BY_SHAPE = "YoloV8 soft", "MoveNet", "MoveNet direct", "DeepLab"


@of_some_families
@pytest.mark.parametrize("kind", range(4))
def test_a_models_memory_that_is_written_over_during_a_frame_spoils_that_frame_at_most(family: str, kind: int) -> None:
    """Such a frame is a result in good order, or a ValueError. The one before it stays true, the next is right."""
    make, model, _ = FAMILIES[family]
    one = model()
    whole = [tensor.values.copy() for tensor in one.tensors]
    source = n6post.Stretch(frame())
    wanted = told(one.run(make(), source))
    process = make()

    def overwrite() -> None:
        for tensor in one.tensors:
            scrambled(tensor.values, kind)

    call = 0
    came = True
    while came:
        call += 1 + call // 8  # the first ones all; a loop over candidates is more of the same
        before = one.run(process, source)
        again = make() if family in TOLD_BY_SHAPE and call % 2 else process  # its first frame, or a later one
        interruption = Interruption(call, overwrite)
        try:
            in_order(interruption.comes(lambda again=again: one.run(again, source)))  # type: ignore[misc]
        except ValueError as error:
            assert "expected" in str(error)
        came = interruption.calls >= call
        assert told(before) == wanted
        for tensor, values in zip(one.tensors, whole):
            tensor.values[:] = values
        assert told(one.run(again, source)) == wanted, call
    assert call > 3


@of_every_family
@pytest.mark.parametrize("number", [0, "least", "most"])
def test_a_first_frame_of_nothing_but_one_number_tells_nothing_of_the_model(family: str, number: Any) -> None:
    """As of a network whose weights are not there yet. It is looked at anew."""
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
        assert result.present(True) == np.unique(np.array(result.classes.tolist())).tolist()
    else:
        assert_well_formed(result, (0, 0, *FRAME), 20)
        for d in result:
            assert d.mask is None or 0 <= d.mask.area <= FRAME[0] * FRAME[1]
    drawn(result)


# --- another picture -------------------------------------------------------------------------------------------------
PICTURES = [
    ((64, 48), "RGB565"), ((64, 48), "GRAYSCALE"), ((48, 64), "RGB565"), ((33, 31), "GRAYSCALE"), ((128, 96), "RGB565"),
    ((32, 32), "RGB565"), ((64, 48), "RGB565"), ((7, 90), "GRAYSCALE"),
]  # fmt: skip
KINDS: list[Callable[[image.Image], Any]] = [
    n6post.Stretch, n6post.Letterbox, n6post.Crop, lambda img: n6post.Stretch(img, (1, 2, 5, 17)), lambda img: None,
]  # fmt: skip


@of_every_family
def test_formats_sizes_and_fits_that_change_from_frame_to_frame_give_each_what_a_processor_of_its_own_gives(
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
        assert told(result) == told(own)
        size, pixformat = PICTURES[random.integers(len(PICTURES))]  # what is drawn on, an LCD's for instance
        assert drawn(result, size, pixformat) == drawn(own, size, pixformat)
        results.append((result, told(result)))
        for earlier, says in results[-2:]:
            assert told(earlier) == says


@pytest.mark.parametrize("kind", [n6post.Stretch, n6post.Letterbox, n6post.Crop])
def test_an_input_of_changing_pictures_holds_each_as_if_it_were_the_first(kind: Any) -> None:
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


def test_zones_and_trails_are_drawn_on_changing_pictures_as_on_the_first() -> None:
    random = np.random.default_rng(6)

    def made() -> list[Any]:
        trail = n6post.Trail(4)
        for k in range(6):
            trail.update(passing(k))
        return [n6post.LineZone((3, 30), (60, 20), frame_size=FRAME), n6post.PolygonZone([(3, 3), (60, 9), (30, 40)]), trail]

    kept = made()
    for _ in range(30):
        size, pixformat = PICTURES[random.integers(len(PICTURES))]
        for old, new in zip(kept, made()):
            assert drawn(old, size, pixformat) == drawn(new, size, pixformat)


# --- threads of a PC -------------------------------------------------------------------------------------------------
def at_once(*works: Callable[[], None]) -> None:
    """Each in a thread of its own, all at the same time, and switched as often as CPython allows."""
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
def test_two_processors_in_two_threads_give_what_each_gives_alone(family: str) -> None:
    """On one model's outputs, which they only read; with frames of different parts of the picture."""
    make, model, _ = FAMILIES[family]
    one = model()

    def work(roi: tuple[int, int, int, int]) -> Callable[[], None]:
        source = n6post.Stretch(frame(), roi)
        wanted = told(one.run(make(), source))
        process = make()

        def frames() -> None:
            for _ in range(15):
                assert told(one.run(process, source)) == wanted

        return frames

    forget()
    at_once(work((0, 0, 64, 48)), work((8, 4, 40, 44)), work((3, 1, 50, 40)))


def test_a_frame_of_one_processor_in_two_threads_waits_for_the_other_where_a_lock_is_held(camera: Path) -> None:
    """docs/architecture.md: one thread at a time for a processor, a model, a tracker, draw and to_json; a lock does it."""
    model = n6post.load(str(camera), threshold=0.3)
    tall, wide = frame((48, 64)), frame((128, 96))
    turn = threading.Lock()

    def one(img: image.Image) -> Any:
        result = model.predict([n6post.Letterbox(img)])
        return told(result), bytes(n6post.draw(img.copy(), result).bytearray()), n6post.to_json(result)

    def work(img: image.Image) -> Callable[[], None]:
        wanted = one(img)

        def frames() -> None:
            for _ in range(10):
                with turn:
                    assert one(img) == wanted

        return frames

    at_once(work(tall), work(wide))
