"""lib/n6post/families/processor.py: one binding for each model, and arrays that a kernel cannot read.

On a camera the kernels get the address of an array's elements. For a view they would get the address of its header and read
from there. `fakes.pass_addresses` calls the kernels here as machine code is called.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import image
import n6post
import numpy as np
import pytest
from assertions import assert_well_formed, contents, survivors, whole_answer
from fakes import Array, FakeModel, Framed, Tensor, pass_addresses, unguarded
from family_cases import family_cases
from hypothesis import given
from hypothesis import strategies as st
from ml.preprocessing import Normalization
from n6post.families import processor
from synthetic_heads import Thing, float_head
from ulab import UlabTrap, _host

SIZE = (32, 32)  # 21 anchors
THINGS = [Thing(7, (4, 4, 20, 24), {0: 0.9}, [0.5] * 8), Thing(15, (12, 8, 30, 28), {1: 0.8}, [-0.5] * 8)]


def noise(*shape: int) -> Array:
    return np.random.default_rng(3).normal(0.3, 0.3, shape).astype(np.float32)


def yolo(extra: int = 0, classes: int = 2) -> Array:
    things = [thing._replace(extra=[*thing.extra, 0.1][:extra]) for thing in THINGS]
    return float_head(SIZE, classes, things, extra)


FAMILIES: dict[str, tuple[Callable[[], Any], list[Array]]] = {
    "detector": (n6post.YoloV8, [yolo()]),
    "detector [1, N, C]": (n6post.YoloV8, [np.ascontiguousarray(yolo().transpose(0, 2, 1))]),
    "segmenter": (n6post.YoloV8Seg, [yolo(8), noise(1, 8, 8, 8)]),
    "segmenter, NCHW": (n6post.YoloV8Seg, [yolo(9), noise(1, 9, 8, 8)]),
    "pose": (lambda: n6post.YoloV8Pose(class_count=2), [yolo(6)]),
    "heatmaps": (n6post.MoveNet, [np.abs(noise(1, 8, 8, 13))]),
    "coordinates": (n6post.MoveNet, [np.abs(noise(1, 1, 13, 3))]),
    "class map": (n6post.DeepLab, [noise(1, 32, 32, 3)]),
    "one channel": (lambda: n6post.DeepLab(output_type="logit"), [noise(1, 32, 32, 1)]),
    "class numbers": (n6post.DeepLab, [np.arange(1024).reshape(1, 32, 32).astype(np.uint8)]),
}
# All other families, each with the model of its first frame.
KNOWN = {type(make()).__name__ for make, _ in FAMILIES.values()}
SIZES: dict[str, tuple[int, int]] = dict.fromkeys(FAMILIES, SIZE)  # of the model input
CASES = family_cases()
for name, cases in CASES.items():
    if name not in KNOWN:
        first = next(iter(cases.frames.values()))
        example = first.model()
        FAMILIES[name] = first.make, [tensor.dequantized().values for tensor in example.tensors]
        SIZES[name] = example.size


def case(family: str) -> tuple[Callable[[], Any], FakeModel, list[Any]]:
    """(factory of the processor, a model, its outputs)."""
    make, arrays = FAMILIES[family]
    model = FakeModel([Tensor(a) for a in arrays], SIZES[family])
    return make, model, model.outputs()


def plain(result: Any) -> Any:
    if isinstance(result, n6post.Segmentation):
        return result.class_map.tolist(), result.class_ids(background=True)
    return contents(result)


def within(values: Any, axis: int, step: int = 1) -> Any:
    """The same numbers as a view of an array that is larger along one axis."""
    old = values._np
    shape = list(old.shape)
    shape[axis] *= 2
    index = [slice(None)] * len(shape)
    index[axis] = slice(None, None, 2) if step == 2 else slice(old.shape[axis])
    wide = np.ones(shape, old.dtype)
    wide[tuple(index)] = old
    return _host.wrap(wide)[tuple(index)]


def backwards(values: Any, axis: int) -> Any:
    index = [slice(None)] * (axis + 1)
    index[axis] = slice(None, None, -1)
    return _host.wrap(np.flip(values._np, axis).copy())[tuple(index)]


def turned(values: Any) -> Any:
    """The same numbers as a transposed view."""
    axes = (0, *reversed(range(1, values._np.ndim)))
    return _host.wrap(np.ascontiguousarray(values._np.transpose(axes))).transpose(axes)


VIEWS: dict[str, Callable[[Any], Any]] = {
    "head[:, :84]": lambda a: within(a, 1),
    "head[:, ::2]": lambda a: within(a, 1, 2),
    "head[:, :, :n]": lambda a: within(a, min(2, a._np.ndim - 1)),
    "head[:, ::-1]": lambda a: backwards(a, 1),
    "head[:, :, ::-1]": lambda a: backwards(a, min(2, a._np.ndim - 1)),
    "transposed": turned,
}


def plain_with_transform(model: FakeModel, processor: Any) -> Any:
    """The result with its mapping to the frame, which is the only difference between the two models of class ids."""
    result = model.run(processor, n6post.Letterbox(image.Image(96, 64, image.GRAYSCALE)))
    return plain(result), [result.class_at(40, y) for y in range(64)] if isinstance(result, n6post.Segmentation) else None


def frame(processor: Any, model: FakeModel, outputs: list[Any]) -> Any:
    return processor(model, [None], outputs)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("family", FAMILIES)
def test_view_is_refused_at_the_first_frame(monkeypatch: pytest.MonkeyPatch, family: str, view: str) -> None:
    make, model, outputs = case(family)
    good = plain(frame(make(), model, outputs))
    pass_addresses(monkeypatch)
    for at, out in enumerate(outputs):
        if view == "transposed" and max(out.shape) == out.size:
            continue  # a transposed vector is as dense as the vector
        other = VIEWS[view](out)
        processor = make()
        with pytest.raises(ValueError, match=rf"output {at}: expected a dense array, got a view .* give its copy\(\)"):
            frame(processor, model, [*outputs[:at], other, *outputs[at + 1 :]])
        assert plain(frame(processor, model, [*outputs[:at], other.copy(), *outputs[at + 1 :]])) == good


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("family", FAMILIES)
def test_view_is_refused_after_a_dense_array(monkeypatch: pytest.MonkeyPatch, family: str, view: str) -> None:
    """The ulab stand-in raises UlabTrap for a view that ulab itself takes for dense because of its first stride."""
    make, model, outputs = case(family)
    processor = make()
    good = plain(frame(processor, model, outputs))
    pass_addresses(monkeypatch)
    for at, out in enumerate(outputs):
        if view == "head[:, ::-1]" and out.shape[1] == 1:
            continue  # one row in reverse is the same row
        if max(out.shape) == out.size and ("-1" in view or view == "transposed"):
            continue  # a vector likewise
        error = UlabTrap if "-1" in view or view == "transposed" else ValueError
        with pytest.raises(error):
            frame(processor, model, [*outputs[:at], VIEWS[view](out), *outputs[at + 1 :]])
        assert plain(frame(processor, model, outputs)) == good


@given(st.sampled_from(sorted(FAMILIES)), st.data())
def test_any_slice_is_read_correctly_or_refused(family: str, data: st.DataObject) -> None:
    """A slice of a larger array gives the result of its copy or a ValueError; no kernel gets it."""
    make, model, outputs = case(family)
    cut = []
    for out in outputs:
        other = out
        for axis in range(1, out._np.ndim):
            kind = data.draw(st.sampled_from(["whole", "whole", "part", "stepped", "backwards"]))
            if kind == "backwards":
                other = backwards(other, axis)
            elif kind != "whole":
                other = within(other, axis, 2 if kind == "stepped" else 1)
        cut.append(other)
    with pytest.MonkeyPatch.context() as patch:
        pass_addresses(patch)
        try:
            found = plain(frame(make(), model, cut))
        except ValueError as error:
            assert "expected a dense array" in str(error)
            assert any(other is not out for other, out in zip(cut, outputs))
        else:
            assert found == plain(frame(make(), model, outputs))


def test_drawing_kernels_get_only_dense_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    pass_addresses(monkeypatch)
    for family in FAMILIES:
        if family == "Embedding":
            continue  # a vector is not drawn
        make, model, outputs = case(family)
        found = frame(make(), model, outputs)
        width, height = SIZES[family]
        for pixformat in (image.RGB565, image.GRAYSCALE):
            n6post.draw(image.Image(width * 3 // 2, height * 3 // 2, pixformat), found)


@pytest.mark.parametrize("view", VIEWS)
def test_view_is_refused_by_diagnose(view: str) -> None:
    _, model, outputs = case("detector")
    with pytest.raises(ValueError, match="output 0: expected a dense array"):
        n6post.diagnose(model, [VIEWS[view](outputs[0])])


# Scores and vectors have no place in the picture: their networks may have any input.
OF_PICTURES = [family for family in FAMILIES if family not in ("Classifier", "Embedding", "TextLine")]


@pytest.mark.parametrize("shape", [(1, 0, 32, 3), (1, 32, 0, 3), (1, 0, 0, 1), (1, -1, -1, 3), (1, 1, 65536, 3)])
@pytest.mark.parametrize("family", OF_PICTURES)
def test_input_size_of_0_or_above_65535_is_refused(family: str, shape: tuple[int, ...]) -> None:
    make, model, outputs = case(family)
    model.input_shape = (shape,)  # type: ignore[assignment]
    with pytest.raises(ValueError, match="expected model.input_shape"):
        frame(make(), model, outputs)


NO_INPUTS: list[Any] = [None, (), ((),), ((1, 10),), ((1, 32, 32, 4),), ((32, 32),), ((2, 1, 32, 32, 3),)]


@pytest.mark.parametrize("shapes", NO_INPUTS)
@pytest.mark.parametrize("family", OF_PICTURES)
def test_model_without_an_input_size_is_refused_by_every_family(family: str, shapes: Any) -> None:
    make, model, outputs = case(family)
    model.input_shape = shapes
    wanted = f"expected model.input_shape [(1, H, W, C)], got {shapes!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(wanted)}$"):
        frame(make(), model, outputs)
    del model.input_shape
    with pytest.raises(ValueError, match=r"^expected model\.input_shape \[\(1, H, W, C\)\], got None$"):
        frame(make(), model, outputs)


# Results without labels, and a case whose option `characters` has the names.
NAMELESS = "Depth", "Anomaly", "Embedding", "TextLine"


@pytest.mark.parametrize("family", [family for family in FAMILIES if family not in NAMELESS])
def test_invalid_labels_of_a_model_are_refused_like_the_option(family: str) -> None:
    make, model, outputs = case(family)
    model.labels = [1, 2]  # type: ignore[list-item]
    wanted = "labels: expected a list of names, a dict {0: name, ...}, the path of a .txt file or None, got [1, 2]"
    with pytest.raises(ValueError, match=f"^{re.escape(wanted)}$"):
        frame(make(), model, outputs)


HEAD = (
    "expected a head [1, C, N] or [1, N, C] of N = 21 or 85 or 21 or 5 anchors, that belongs to an input of "
    "(width, height) (32, 32)"
)
ROWS = "or an end-to-end head [1, rows, 6 and what the family adds], got"
HEATMAPS = "expected heatmaps [1, H, W, keypoints] or [1, keypoints, H, W], or keypoints [1, 1, keypoints, 3]"
UNSUPPORTED = {  # the errors of each family for a batch of two and for [1, 1, K]
    "detector": (f"{HEAD}, {ROWS} (2, 6, 21)", f"{HEAD}, {ROWS} (1, 1, 125)"),
    "segmenter": (
        "expected prototypes [1, H, W, M] or [1, M, H, W], more than one pixel and of the aspect ratio of the input, "
        "(32, 32), got (2, 8, 8, 8)",
        "expected prototypes [1, H, W, M] or [1, M, H, W], more than one pixel and of the aspect ratio of the input, "
        "(32, 32), got (1, 1, 511)",
    ),
    "pose": (f"{HEAD}, {ROWS} (2, 12, 21)", f"{HEAD}, {ROWS} (1, 1, 251)"),
    "heatmaps": (
        f"{HEATMAPS}, got (2, 8, 8, 13)",
        f"{HEATMAPS}, got (1, 1, 831)",
    ),
    "coordinates": (
        f"{HEATMAPS}, got (2, 1, 13, 3)",
        f"{HEATMAPS}, got (1, 1, 38)",
    ),
    "class map": (
        "expected one output [1, H, W, classes], [1, classes, H, W] or [1, H, W], got (2, 32, 32, 3)",
        "of the aspect ratio of the input, (32, 32), got (1, 1, 3071)",
    ),
    "class numbers": (
        "expected one output [1, H, W, classes], [1, classes, H, W] or [1, H, W], got (2, 32, 32)",
        "of the aspect ratio of the input, (32, 32), got (1, 1, 1023)",
    ),
}


@pytest.mark.parametrize("family", UNSUPPORTED)
def test_batch_of_two_and_single_row_are_refused_by_every_family(family: str) -> None:
    make, arrays = FAMILIES[family]
    shapes = [lambda a: np.concatenate([a, a]), lambda a: a.reshape(1, 1, a.size)[:, :, 1:]]
    for change, wanted in zip(shapes, UNSUPPORTED[family], strict=True):
        model = FakeModel([Tensor(change(a)) for a in arrays], SIZE)
        with pytest.raises(ValueError, match=re.escape(wanted)):
            model.run(make())
    if len(arrays) == 2:
        two = FakeModel([Tensor(np.concatenate([arrays[0]] * 2)), Tensor(arrays[1])], SIZE)
        with pytest.raises(ValueError, match=re.escape(f"{HEAD}, {ROWS} (2, 14, 21)")):
            two.run(make())


# --- several models ---
def integers(family: str, steps: int, zero_point: int) -> FakeModel:
    """An int8 model with about the values of a family. The largest number of each output is so many steps."""
    limits = np.iinfo(np.int8)
    tensors = []
    for a in FAMILIES[family][1]:
        scale = (float(np.abs(a).max()) or 1.0) / steps
        values = np.clip(np.round(a / scale) + zero_point, limits.min, limits.max).astype(np.int8)
        tensors.append(Tensor(values, scale, zero_point))
    return FakeModel(tensors, SIZES[family])


def pair(family: str) -> tuple[FakeModel, FakeModel]:
    """Two models whose outputs have the same shapes and dtypes: they differ only in scale and zero point."""
    _, arrays = FAMILIES[family]
    if family == "class numbers":  # with a scale they would be probabilities
        return FakeModel([Tensor(arrays[0])], SIZE), FakeModel([Tensor(arrays[0])], (96, 94))
    # Both scales can express boxes in pixels.
    return integers(family, 100, -20), integers(family, 60, 30)


@pytest.mark.parametrize("family", FAMILIES)
def test_two_models_with_equal_output_shapes_take_turns(family: str) -> None:
    """The binding of one model is never used for the other."""
    make, _ = FAMILIES[family]
    one, other = pair(family)
    alone, rows = [], []
    for model in (one, other):
        processor = make()
        alone.append(plain_with_transform(model, processor))
        rows.append(survivors(processor) if isinstance(processor, n6post.YoloV8) else None)
    assert alone[0] != alone[1]
    processor = make()
    for model, wanted in ((one, 0), (other, 1), (one, 0), (one, 0), (other, 1), (other, 1), (one, 0)):
        assert plain_with_transform(model, processor) == alone[wanted]
        assert rows[wanted] is None or survivors(processor) == rows[wanted]


def test_bindings_of_four_models_are_kept_and_the_oldest_is_dropped() -> None:
    make, model, outputs = case("detector")
    process = make()
    models = [FakeModel(model.tensors, SIZE) for _ in range(6)]
    kept = []
    for one in models:
        frame(process, one, outputs)
        kept.append(process._binding)
    assert process._bindings == tuple(kept[:1:-1])
    frame(process, models[3], outputs)
    assert process._binding is kept[3]


@pytest.mark.parametrize("first", ["raw", "floats"])
@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "class numbers"])
def test_raw_and_float_outputs_of_one_model_take_turns_in_every_family(family: str, first: str) -> None:
    """Without a post-processor `predict` returns float copies, while the model still describes its integers."""
    make, _ = FAMILIES[family]
    model = pair(family)[0]
    raw = model.outputs()
    floats = [_host.wrap(t.dequantized().values) for t in model.tensors]
    turns = {"raw": raw, "floats": floats}
    alone = {kind: plain(frame(make(), model, arrays)) for kind, arrays in turns.items()}
    processor = make()
    order = ("raw", "floats") if first == "raw" else ("floats", "raw")
    for kind in order + order + (order[1], order[0], order[0]):
        assert plain(frame(processor, model, turns[kind])) == alone[kind]


def result_or_error(processor: Any, model: FakeModel, outputs: list[Any]) -> Any:
    try:
        return plain(frame(processor, model, outputs))
    except ValueError as refused:
        return str(refused)


@pytest.mark.parametrize("family", FAMILIES)
def test_output_that_grows_after_a_good_frame_is_examined_again(family: str) -> None:
    """The array counts and not what the model says. Twice as many channels may be valid or not."""
    make, model, outputs = case(family)
    processor = make()
    good = result_or_error(processor, model, outputs)
    for at, out in enumerate(outputs):
        larger = _host.wrap(np.concatenate([out._np, out._np + 1], axis=-1))
        other = [*outputs[:at], larger, *outputs[at + 1 :]]
        assert result_or_error(processor, model, other) == result_or_error(make(), model, other) != good
        assert result_or_error(processor, model, outputs) == good


def test_transform_is_not_computed_again_for_the_same_roi_and_input_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """That saves most of the time of a frame without detections. Another roi or input type computes it again."""
    asked: list[Any] = []
    real = processor.transform_of

    def noting(inputs: Any, *more: Any) -> Any:
        asked.append(inputs)
        return real(inputs, *more)

    monkeypatch.setattr(processor, "transform_of", noting)
    make, model, _ = case("detector")
    process = make()
    array = _host.wrap(np.zeros((1, 32, 32, 3), np.uint8))

    def frame(height: int) -> Any:
        return Normalization()(image.Image(64, height, image.GRAYSCALE))

    for source, count in (
        (frame(48), 1), (frame(48), 1), (frame(40), 2), (frame(40), 2), (array, 3), (array, 3), (lambda *_: None, 4),
        (frame(48), 5), (frame(48), 5), (Framed((0, 0, 64, 48)), 6), (Framed((0, 0, 64, 48)), 7),  # these have no image
    ):  # fmt: skip
        model.run(process, source)
        assert len(asked) == count


def test_model_of_the_last_frame_is_checked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """One check for each frame; another model, or outputs of another dtype, need more."""
    asked: list[Any] = []
    real = processor.ModelBinding.matches

    def noting(binding: Any, *more: Any) -> Any:
        asked.append(more)
        return real(binding, *more)

    monkeypatch.setattr(processor.ModelBinding, "matches", noting)
    make, model, outputs = case("detector")
    other = FakeModel(model.tensors, SIZE)
    process = make()
    for one, count in ((model, 0), (model, 1), (model, 1), (other, 2), (other, 1), (model, 3), (model, 1)):
        asked.clear()
        process(one, [None], outputs)
        assert len(asked) == count


@pytest.mark.parametrize("inputs", [[], (), None])
@pytest.mark.parametrize("family", FAMILIES)
def test_without_inputs_the_frame_is_the_model_input(family: str, inputs: Any) -> None:
    make, model, outputs = case(family)
    processor = make()
    good = plain(frame(make(), model, outputs))
    assert plain(processor(model, inputs, outputs)) == good == plain(processor(model, inputs, outputs))
    model.run(processor, Framed((4, 5, 64, 40)))
    assert plain(processor(model, inputs, outputs)) == good


@pytest.mark.parametrize("first", [False, True])
def test_an_output_that_was_reshaped_is_read_in_its_new_layout(first: bool) -> None:
    """The same number of elements, the same model."""
    head = yolo()
    stored = [head, np.ascontiguousarray(head.transpose(0, 2, 1))]
    model = FakeModel([Tensor(head)], SIZE)
    process = n6post.YoloV8(0.5)
    wanted = plain(process(model, [None], [_host.wrap(stored[first])]))
    assert len(wanted) == 2
    for turned in (not first, not first, first, not first):
        assert plain(process(model, [None], [_host.wrap(stored[turned])])) == wanted


@pytest.mark.parametrize("family", FAMILIES)
def test_model_without_output_shape_is_examined_in_every_frame(family: str) -> None:
    """It could be any model with such outputs, also one with another input size."""
    make, model, outputs = case(family)
    processor = make()
    good = plain(frame(make(), model, outputs))
    del model.output_shape
    assert [plain(frame(processor, model, outputs)) for _ in range(3)] == [good] * 3
    other = pair(family)[1]
    wanted = plain_with_transform(other, make())
    del other.output_shape
    assert plain_with_transform(other, processor) == wanted
    assert plain(frame(processor, model, outputs)) == good


def test_ambiguous_first_frame_of_a_model_without_output_shape_stays_open() -> None:
    model = FakeModel([Tensor(np.zeros((1, 7, 21), np.float32))], SIZE)
    model.output_shape = None  # type: ignore[assignment]
    process = n6post.YoloV8()
    assert model.run(process) == []
    model.tensors = [Tensor(float_head(SIZE, 3, [Thing(5, (8, 8, 24, 20), {1: 0.9})]))]  # in pixels
    assert [d.rect for d in model.run(process)] == [(8, 8, 16, 12)]


# --- extremes ---
ENDS = st.sampled_from([1e-12, 1e-9, 1e-6, 0.004, 0.02, 1.0, 30.0, 300.0, 1e4])
ROIS = st.sampled_from([
    None, (0, 0, 1, 1), (0, 0, 65535, 65535), (-65535, 65534, 65535, 1), (65534, -65535, 1, 65535), (7, 9, 320, 240),
    (-5, -3, 9, 2),
])  # fmt: skip


@given(
    st.sampled_from([name for name in FAMILIES if name != "class numbers"]), st.sampled_from(["int8", "uint8", "int16"]),
    ENDS, ENDS, st.sampled_from([0.0, 0.5, 1.0]), ROIS, st.integers(0, 2**32 - 1), st.data(),
)  # fmt: skip
def test_extreme_scales_zero_points_and_rois_give_well_formed_results(
    family: str, kind: str, scale: float, other: float, share: float, roi: Any, seed: int, data: st.DataObject
) -> None:
    make, arrays = FAMILIES[family]
    random = np.random.default_rng(seed)
    limits = np.iinfo(kind)
    zero_point = int(limits.min + share * (int(limits.max) - int(limits.min)))
    tensors = [
        Tensor(random.integers(limits.min, limits.max, a.shape, endpoint=True).astype(kind), step, zero_point)
        for a, step in zip(arrays, itertools.cycle((scale, other)))
    ]
    processor = make()
    for option, values in {
        "threshold": [0, 1e-6, 0.3, 1], "nms_sigma": [0, 1e-30, 0.5], "mask_threshold": [1e-6, 0.5, 1 - 1e-6],
        "mask_padding": [None, 0, 1e4], "box_units": [None, "pixels", "normalized"], "refine": [True, False],
    }.items():  # fmt: skip
        if isinstance(getattr(type(processor), option, None), property) and family not in ("class map", "one channel"):
            setattr(processor, option, data.draw(st.sampled_from(values)))
    with np.errstate(all="ignore"), unguarded():
        # Without labels random numbers may look like those of another family.
        model = FakeModel(tensors, SIZES[family], ["a", "b"])
        try:
            found = model.run(processor, None if roi is None else Framed(roi))
        except ValueError as refused:
            assert CASES[type(processor).__name__].examines_numbers
            assert re.match("expected .* got (numbers from|decoded boxes|-?[0-9])", str(refused))
            return
        assert_sound(found, roi or (0, 0, *SIZES[family]))


def assert_sound(found: Any, roi: tuple[int, int, int, int]) -> None:
    """No NaN, nothing outside of the roi, and every method works."""
    if isinstance(found, n6post.Segmentation):
        for class_id in found.class_ids(background=True):
            assert 0 < found.fraction(class_id) <= 1
            if roi[2] * roi[3] < 2**31:  # the kernel counts in 32 bits
                assert found.mask(class_id).area >= 0
        return
    if not isinstance(found, list):
        whole_answer(found)
        return
    assert_well_formed(found, roi, 20)
    x, y, w, h = roi
    for d in found:
        if d.keypoints is not None:
            points = np.array(d.keypoints.tolist())
            assert not np.isnan(points).any()
            assert ((points[:, :2] >= (x, y)) & (points[:, :2] <= (x + w, y + h))).all()
        if d.mask is not None:
            if w * h < 2**31:  # the kernel counts in 32 bits
                assert d.mask.area >= 0
            for px, py in d.mask.outline():
                assert x <= px < x + w and y <= py < y + h


@pytest.mark.parametrize("roi", [(0, 0, 65535, 65535), (65534, 65534, 1, 1), (65528, 0, 7, 65535)])
def test_class_map_at_the_end_of_the_largest_frame_supports_every_method(roi: tuple[int, ...]) -> None:
    make, model, outputs = case("class map")
    found = make()(model, [Framed(roi)], outputs)  # type: ignore[arg-type]
    assert_sound(found, roi)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="roi: expected"):
        make()(model, [Framed((roi[0] + 1, *roi[1:]))], outputs)  # type: ignore[arg-type]


def test_a_processor_shows_the_options_that_were_changed() -> None:
    assert repr(n6post.YoloV8()) == "YoloV8()"
    assert repr(n6post.YoloV8(0.4, iou_threshold=0.5)) == "YoloV8()"  # the defaults
    assert repr(n6post.YoloV8Seg(0.3, refit_boxes=True)) == "YoloV8Seg(threshold=0.3, refit_boxes=True)"
    process = n6post.MoveNet()
    process.keypoint_threshold = 0.5
    assert eval(repr(process), vars(n6post)).keypoint_threshold == 0.5
