"""scripts/n6post_pc/verify: what is planted in the answer of a camera is named, and what is only rounded is not."""

from __future__ import annotations

import argparse
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import script
from ml import _backends
from n6post_pc import cli, command, paths
from n6post_pc.optimize.tflite_file import TfliteFile
from n6post_pc.verify import answers, camera, causes, figures, layers
from n6post_pc.verify.command import Verification, frame_of

pytest.importorskip("ai_edge_litert")
pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py", "lib/n6post/inputs/*.py")

MODEL = paths.SAMPLE_MODEL
PICTURES = sorted(paths.SAMPLE_PICTURES.glob("*.jpg"))[:2]
Array = np.ndarray[Any, Any]


@functools.cache
def reference() -> answers.Reference:
    return answers.Reference(MODEL)


@functools.cache
def frame(number: int) -> Any:
    return frame_of(PICTURES[number])


@functools.cache
def own_input(number: int) -> Array:
    return causes.filled(frame(number), "letterbox", reference().input)


@functools.cache
def _computed(values: bytes, kind: int) -> list[Array]:
    tensor = reference().input
    given = np.frombuffer(values, tensor.dtype).reshape(tensor.shape)
    return [kernels[kind] for kernels in reference().run_all(given)]


def outputs(number: int = 1, kind: int = 0, values: Array | None = None) -> list[Array]:
    """What kernels (0: exact, 1: default, 2: plain) compute for a picture, or for another input. Copies."""
    return [one.copy() for one in _computed((own_input(number) if values is None else values).tobytes(), kind)]


def judged(second: answers.Answer, first: answers.Answer | None = None) -> tuple[str, list[str]]:
    """(the worst verdict, the findings) of two pictures, of which the first is right."""
    verification = Verification(argparse.Namespace(model=MODEL, fit="letterbox"), reference())
    verification.add("first", first or answers.Answer(outputs(0)), frame(0))
    assert (verification.worst, verification.findings) == (figures.SAME, [])
    verification.add("second", second, frame(1))
    return verification.worst, verification.findings


@pytest.mark.parametrize(("kind", "verdict"), [(0, "same"), (1, "rounding"), (2, "rounding")])
def test_each_kind_of_correct_kernels_is_right(kind: int, verdict: str) -> None:
    assert judged(answers.Answer(outputs(1, kind))) == (verdict, [])


@functools.cache
def mistakes() -> dict[str, Array]:
    return dict(causes.variants(frame(1), "letterbox", reference().input, [own_input(0)]))


MISTAKES = [
    "red and blue are swapped in the input",
    "the input is gray",
    "the input has another range: 0 to 255 without the shift to -128",
    "the input has another range: 0 to 127",
    "the input has another range: -1 to 1",
    "the input has another range: 0 to 255",
    "the input has another range: ImageNet's mean and deviation",
    "the picture is fitted in another way: crop",
    "the picture is fitted in another way: stretch",
    "the bars of the letterbox are 0 instead of 114",
    "the bars of the letterbox are 128 instead of 114",
    "the picture lies at the left or upper edge instead of between two bars",
    "the input is mirrored",
    "the input is upside down",
    "the input is turned by half a turn",
    "the input is that of the picture before",
    "no picture arrived: all pixels of the input are 0",
    "the input is shifted by 1 pixels to the right and 0 down",
    "the input is shifted by 0.5 pixels to the right and 0.5 down",
]


@pytest.mark.parametrize("text", MISTAKES)
@pytest.mark.parametrize("kind", [0, 1])
def test_a_mistake_in_the_input_is_named_by_its_outputs(text: str, kind: int) -> None:
    assert judged(answers.Answer(outputs(kind=kind, values=mistakes()[text]))) == ("wrong", [text])


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_is_named_by_the_input_where_it_is_known(text: str) -> None:
    values = mistakes()[text]
    # The network computes what it must of this input, so that the outputs are right.
    assert judged(answers.Answer(outputs(values=values), None, values)) == ("same", [text])


def test_mistakes_are_tried_on_pixels_that_this_test_makes_itself() -> None:
    pixels = (own_input(1).astype(int) + 128).astype(np.uint8)
    swapped = (pixels[..., [2, 1, 0]].astype(int) - 128).astype(np.int8)
    assert (mistakes()[MISTAKES[0]] == swapped).all()
    rolled = np.roll(pixels, 1, axis=2)
    rolled[:, :, 0] = pixels[:, :, 0]
    assert (mistakes()["the input is shifted by 1 pixels to the right and 0 down"] == rolled.astype(int) - 128).all()
    ranged = np.clip(np.rint((pixels / 127.5 - 1) / reference().input.scale) + reference().input.zero_point, -128, 127)
    assert (mistakes()["the input has another range: -1 to 1"] == ranged).all()


# ---- what outputs show themselves ----


def scaled(one: Array) -> Array:
    return np.clip(np.rint(one * 0.7 + 9), -128, 127).astype(one.dtype)


def first_axis(one: Array) -> Array:
    return np.ascontiguousarray(np.moveaxis(one, -1, 1))


STORED: dict[str, tuple[Callable[[list[Array]], list[Array]], list[str]]] = {
    "order": (lambda made: made[::-1], ["outputs in another order: the file's outputs 0, 1 are the camera's 1, 0"]),
    "axes": (
        lambda made: [made[0], first_axis(made[1])],
        ["output 1: its axes are in another order: [1, 32, 40, 40] instead of [1, 40, 40, 32] (channels first)"],
    ),
    "scale": (
        lambda made: [scaled(made[0]), made[1]],
        ["output 0: another scale or zero point: its numbers are 0.7 times those of the file, plus 9"],
    ),
    "constant": (
        lambda made: [made[0], np.full_like(made[1], -5)],
        ["output 1: constant, -5: the weights never arrived, or the network did not run"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", STORED)
@pytest.mark.parametrize("kind", [0, 1])
def test_what_is_wrong_with_an_output_as_a_whole_is_named(fault: str, kind: int) -> None:
    plant, expected = STORED[fault]
    verdict, findings = judged(answers.Answer(plant(outputs(kind=kind))))
    assert verdict == ("wrong" if fault != "order" else ("same", "rounding")[kind])
    assert len(findings) == 1 and findings[0].startswith(expected[0][:60])
    if kind == 0 and fault != "scale":  # rounding moves a scale a little
        assert findings == expected


def test_another_scale_in_the_compiled_file_is_named() -> None:
    told = [(one.scale, one.zero_point) for one in reference().outputs]
    assert judged(answers.Answer(outputs(), told)) == ("same", [])
    told[1] = told[1][0] * 1.01, told[1][1]
    assert "output 1: another scale or zero point: 0.0382" in judged(answers.Answer(outputs(), told))[1][0]
    told[1] = reference().outputs[1].scale, 3
    assert " and 3 on the camera, " in judged(answers.Answer(outputs(), told))[1][0]


def test_numbers_that_are_none_are_wrong_and_counted() -> None:
    made: list[Array] = [one.astype(np.float32) for one in outputs()]
    made[1].flat[[5, 77]] = np.nan, np.inf
    verdict, findings = judged(answers.Answer(made))
    assert verdict == "wrong" and "output 1: 2 of its numbers are NaN or infinite" in findings


# ---- memory ----


def with_blocks(numbers: list[int], content: Array, kind: int = 0) -> answers.Answer:
    """The right answer with blocks of 32 bytes of the second output from `content`."""
    made = outputs(kind=kind)
    flat, other = made[1].ravel(), content.ravel()
    for number in numbers:
        flat[32 * number : 32 * number + 32] = other[32 * number : 32 * number + 32]
    return answers.Answer(made)


def changed_blocks() -> list[int]:
    """The blocks of the second output in which the two pictures differ most, far from each other."""
    away = np.abs(outputs(1)[1].astype(int) - outputs(0)[1]).reshape(-1, 32).mean(1)
    return sorted(np.argsort(-away)[:60:20].tolist())


@pytest.mark.parametrize("kind", [0, 1])
def test_old_cache_lines_are_those_of_the_picture_before(kind: int) -> None:
    verdict, findings = judged(with_blocks(changed_blocks(), outputs(0)[1], kind))
    assert verdict == "wrong"
    assert findings == ["output 1: 3 blocks of 32 bytes are those of the picture before: the cache was not invalidated"]


def test_one_old_cache_line_is_wrong_too() -> None:
    assert judged(with_blocks(changed_blocks()[:1], outputs(0)[1]))[0] == "wrong"


def test_all_differences_are_those_from_the_nearest_kernels() -> None:
    each = figures.compared(outputs(kind=2)[0], [outputs(kind=k)[0] for k in range(3)], reference().outputs[0])
    assert (each.largest, each.mean) == (0, 0) and each.cosine == pytest.approx(1, abs=1e-12)


def test_scattered_wrong_blocks_are_counted() -> None:
    noise = np.random.default_rng(1).integers(-90, 90, outputs()[1].shape).astype(np.int8)
    verdict, findings = judged(with_blocks([10, 700, 1500], noise))
    assert verdict == "wrong" and findings[0].startswith("output 1: 3 blocks of 32 bytes of 1600 are wrong, the others")


def test_a_single_wrong_block_is_no_overwritten_region() -> None:
    noise = np.random.default_rng(1).integers(-90, 90, outputs()[1].shape).astype(np.int8)
    verdict, findings = judged(with_blocks([700], noise))
    assert verdict == "wrong" and findings[0].startswith("output 1: 1 block of 32 bytes of 1600 is wrong, the others")


def test_an_old_block_is_wrong_even_if_the_pictures_differ_little_there() -> None:
    new, old = (np.stack([outputs(n, kind)[1] for kind in range(3)]).reshape(3, -1, 32).astype(int) for n in (1, 0))
    calm = np.maximum(np.ptp(new, 0).mean(1), np.ptp(old, 0).mean(1)) < 0.3
    changed = np.abs(new[0] - old[0]).mean(1)
    block = int(np.flatnonzero(calm & (changed > 1.1) & (changed < 1.8))[0])  # of which rounding allows 3.9
    answer = with_blocks([block], outputs(0)[1])
    assert causes.see(answer, reference(), own_input(1)).figures[1].verdict == "rounding"
    assert judged(answer) == ("wrong", [
        "output 1: 1 block of 32 bytes is that of the picture before: the cache was not invalidated"])  # fmt: skip


def test_a_block_that_is_always_wrong_is_not_of_the_picture_before() -> None:
    verification = Verification(argparse.Namespace(model=MODEL, fit="letterbox"), reference())
    changed = np.abs(outputs(0)[1] - outputs(1)[1].astype(int)).reshape(-1, 32).mean(1)
    block = int(np.flatnonzero(changed < 0.5)[0])
    for number in range(2):
        made = outputs(number)
        made[1].ravel()[32 * block : 32 * block + 32] = 99
        verification.add(str(number), answers.Answer(made), frame(number))
    assert verification.worst == "wrong" and not any("picture before" in text for text in verification.findings)


def test_overwritten_activations_are_named_with_their_place() -> None:
    noise = np.random.default_rng(1).integers(-90, 90, outputs()[1].shape).astype(np.int8)
    verdict, findings = judged(with_blocks(list(range(500, 660)), noise))
    assert verdict == "wrong"
    assert findings == ["output 1: only bytes 16000 to 21120 of 51200 are wrong: something overwrote activations"]


@pytest.mark.parametrize(
    ("known", "end"), [(True, ": --bisect"), (False, ", or the input, which is not in the file, was another")]
)
def test_other_weights_are_wrong_without_a_cause_of_input_or_memory(known: bool, end: str) -> None:
    made = planted_model(MODEL.read_bytes(), convolutions()[3])
    verdict, findings = judged(answers.Answer(run_exact(made, own_input(1)), None, own_input(1) if known else None))
    assert verdict == "wrong" and len(findings) == 1
    assert findings[0].startswith(f"a layer computes something else, or the camera's model was made of another file{end}")


@pytest.mark.parametrize(("most", "blocks"), [(9, 0), (3, 5)])
def test_outputs_that_are_off_everywhere_have_no_cause_of_input_or_memory(most: int, blocks: int) -> None:
    rng = np.random.default_rng(3)
    made = [np.clip(one + rng.integers(-most, most + 1, one.shape), -128, 127).astype(np.int8) for one in outputs()]
    for block in 32 * rng.choice(1600, blocks, replace=False):  # worse than the others, which are not right either
        made[1].ravel()[block : block + 32] = 99
    verdict, findings = judged(answers.Answer(made))
    assert verdict == "wrong" and len(findings) == 1 and findings[0].startswith("a layer computes something else")


def test_what_is_no_multiple_of_the_output_is_no_other_scale() -> None:
    rng = np.random.default_rng(3)
    came, expected = rng.normal(size=(2, 500))
    assert causes._scaled(came, expected, 1.0, limit=9.0) == ""
    found = causes._scaled(expected * 2 + 1, expected, 1.0, limit=0.1)
    assert found == "another scale or zero point: its numbers are 2 times those of the file, plus 1"


def test_outputs_of_one_size_are_paired_by_their_numbers() -> None:
    rng = np.random.default_rng(3)
    tensors = [_backends.Tensor((1, 40), "b", 0.1, 0)] * 3
    kernels = [[rng.integers(-90, 90, (1, 40)).astype(np.int8)] for _ in tensors]
    exact = [one[0].ravel() for one in kernels]
    for order in ([0, 1, 2], [1, 2, 0], [2, 1, 0]):
        came = [exact[order.index(k)] + rng.integers(-2, 3, 40).astype(np.int8) for k in range(3)]
        assert causes.pairing(answers.Answer(came), kernels, tensors) == order
    strange = [rng.integers(-90, 90, 40).astype(np.int8) for _ in tensors]  # no order explains these
    assert causes.pairing(answers.Answer(strange), kernels, tensors) == [0, 1, 2]


# ---- layers ----


@functools.cache
def convolutions() -> list[int]:
    file = TfliteFile(MODEL.read_bytes())
    return [at for at, name in enumerate(file.names) if name in ("CONV_2D", "DEPTHWISE_CONV_2D")]


@functools.cache
def weights_of(number: int) -> bytes:
    file = TfliteFile(MODEL.read_bytes())
    return bytes(file.graph.tensors[file.inputs(number)[1]].name)


def planted_model(content: bytes, number: int | None, roughness: float = 0.0) -> bytes:
    """The file with one wrong weight in a layer of the sample network, if it has that layer.

    roughness   moves each output of each convolution by up to that many steps before it is rounded: another rounding
    """
    file = TfliteFile(content)
    tensors = file.graph.tensors
    for at, name in enumerate(file.names):
        if name not in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            continue
        given, weights, bias = file.inputs(at)
        if roughness:
            seed = np.random.default_rng(list(bytes(tensors[weights].name)))
            three = given, weights, file.outputs(at)[0]
            scale, steps, made = (np.asarray(tensors[one].quantization.scale) for one in three)
            old = file.constant(bias)
            moved = np.rint(seed.uniform(-roughness, roughness, old.shape) * made / (scale * steps))
            file.replace_constant(at, 2, (old + moved).astype(old.dtype))
        if number is not None and bytes(tensors[weights].name) == weights_of(number):
            wrong = file.constant(weights).copy()
            largest = np.abs(wrong.astype(int)).argmax()
            wrong.flat[largest] = -127 if wrong.flat[largest] > 0 else 127
            file.replace_constant(at, 1, wrong)
    return file.data()


def run_exact(content: bytes, values: Array, *, folder: list[Path] = []) -> list[Array]:  # noqa: B006
    import tempfile

    if not folder:
        folder.append(Path(tempfile.mkdtemp()))
    path = folder[0] / "model.tflite"
    path.write_bytes(content)
    return [one.copy() for one in _backends.open_backend(str(path), _backends.EXACT)[0].run([values])]


@functools.cache
def cuts() -> list[bytes]:
    return list(layers.cut_files(MODEL.read_bytes()))


def wrong_layers(number: int | None, roughness: float, begin: int = 0, end: int = 99) -> tuple[list[str], int]:
    """(the layers that are wrong, how many were checked) of the cut files, on a camera with that fault."""
    found, count = [], 0
    for content in cuts()[begin:end]:
        came = run_exact(planted_model(content, number, roughness), own_input(0))
        checked = layers.checked(content, answers.Answer(came, None, own_input(0)))
        found += [one.name for one in checked if one.verdict == figures.WRONG]
        count += len(checked)
    return found, count


@pytest.mark.parametrize("roughness", [0, 0.02])
def test_every_layer_is_checked_and_right_without_a_fault(roughness: float) -> None:
    found, count = wrong_layers(None, roughness)
    assert not found and count >= len(TfliteFile(MODEL.read_bytes()).names)


@pytest.mark.parametrize("at", range(20))
@pytest.mark.parametrize("roughness", [0, 0.02])
def test_one_wrong_weight_is_found_in_its_layer(at: int, roughness: float, whole: bool) -> None:
    if not whole and at % 6:
        pytest.skip("tried by --all, or when what it tests has changed")
    number = convolutions()[round(at * (len(convolutions()) - 1) / 19)]
    # The file that has the layer, and the one after it.
    found, _ = wrong_layers(number, roughness, number // layers.AT_ONCE, number // layers.AT_ONCE + 2)
    file = TfliteFile(MODEL.read_bytes())
    made = f"{file.names[number]}_{file.outputs(number)[0]}"
    assert {name.split()[1] for name in found} == {made}


def test_a_file_without_layers_to_compare_has_none() -> None:
    assert layers.checked(MODEL.read_bytes(), answers.Answer(outputs(), None, own_input(1))) == []
    with pytest.raises(command.UserError, match="its layers cannot be checked: .*"):
        list(layers.cut_files(b"0000TFL3" + bytes(100)))


# ---- the figures ----


def two_kernels(size: int = 3200) -> list[Array]:
    """Numbers of two kernels that differ by one step in a tenth of them, three of each block of 32."""
    exact = np.random.default_rng(5).integers(-100, 100, size).astype(np.int8)
    other = exact.copy()
    other[::10] += 1
    return [exact, other]


INT8 = _backends.Tensor((3200,), "b", 0.5, 3)


@pytest.mark.parametrize(
    ("every", "steps", "verdict"),
    [
        (1, 0, "same"),
        (8, 1, "rounding"),  # .125 on average, as many as the kernels' own
        (5, 1, "rounding"),  # .2: twice as much
        (3, 1, "wrong"),  # .33, although no number is more than a step off
        (640, 127, "wrong"),  # .2 on average, but 4 in a block of 32
        (640, 30, "rounding"),  # 1 in a block
    ],
)
def test_the_mean_of_all_and_of_each_block_has_a_limit(every: int, steps: int, verdict: str) -> None:
    kernels = two_kernels()
    output = kernels[0].astype(int)
    output[::every] += np.where(output[::every] < 0, steps, -steps)
    found = figures.compared(output.astype(np.int8), kernels, INT8)
    assert (found.verdict, found.largest) == (verdict, steps)
    assert found.mean == pytest.approx(steps / every, rel=0.01)
    assert found.kernels == (1, pytest.approx(0.1), 4 / 32)
    values, expected = (one.astype(float) - 3 for one in (output, kernels[0]))
    assert found.cosine == pytest.approx(values @ expected / np.linalg.norm(values) / np.linalg.norm(expected))


def test_steps_of_floats_are_a_255th_of_their_range() -> None:
    exact = np.linspace(-1, 4.1, 64, dtype=np.float32)
    found = figures.compared(exact + np.float32(0.06), [exact], _backends.Tensor((64,), "f"))
    assert found.largest == pytest.approx(3, rel=1e-3) and found.mean == pytest.approx(3, rel=1e-3)
    assert figures.step_of(np.array([0.9], np.float32), _backends.Tensor((1,), "f")) == pytest.approx(0.9 / 255)


def test_a_last_block_that_is_not_whole_counts_as_filled_up_with_zeros() -> None:
    assert figures.in_lines(np.full(40, 8.0), 1).mean(1).tolist() == [8, 2]
    assert figures.in_lines(np.full(9, 8.0), 4).shape == (2, 8)


# ---- the command ----


def verify(*words: object) -> Any:
    return script("verify_model.py", *words)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "answers.npz"
    found = [answers.Answer(outputs(n), None, own_input(n)) for n in range(2)]
    with path.open("wb") as file:
        np.savez(file, **answers.to_file(found))
    return path


def test_outputs_in_a_file_are_compared_without_a_camera(saved: Path) -> None:
    done = verify(MODEL, *PICTURES, "--against", saved)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Verdict: same." in done.stdout and "6 found by both, 0 only on the camera, 0 only on this PC." in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    done = verify(MODEL, "--against", saved, "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["verdict"] for one in lines[0]["outputs"]] == ["same", "same"] and lines[-1]["verdict"] == "same"


def test_findings_have_exit_code_1(saved: Path) -> None:
    done = verify(MODEL, PICTURES[1], PICTURES[0], "--against", saved)
    assert done.returncode == 1 and "Verdict: same. Findings:" in done.stdout
    assert "  the input is another one, and no known mistake explains it." in done.stdout


FORMS: dict[str, Callable[[], dict[str, Array]]] = {
    "any names": lambda: {"first": outputs()[0], "other": outputs()[1]},
    "the tools of ST": lambda: {
        "m_outputs_1": np.zeros(3), "c_outputs_2": outputs()[1], "c_outputs_1": outputs()[0], "c_inputs_1": own_input(1),
    },
    "a flat array": lambda: {"output0": outputs()[0].ravel(), "output1": outputs()[1].ravel()},
    "two pictures in an array": lambda: {
        f"c_outputs_{k + 1}": np.concatenate([outputs(0)[k], outputs(1)[k]]) for k in range(2)},
    "float inputs": lambda: {
        "output0": outputs()[0], "output1": outputs()[1],
        "input": (own_input(1).astype(np.float32) - reference().input.zero_point) * reference().input.scale},
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_files_of_several_forms_are_read(form: str, tmp_path: Path) -> None:
    path = tmp_path / "given.npz"
    np.savez(path, **FORMS[form]())
    read = answers.from_file(path, reference())
    assert len(read) == (2 if form.startswith("two") else 1)
    for came, expected in zip(read[-1].outputs, outputs()):
        assert (came == expected.ravel()).all()
    if form in ("float inputs", "the tools of ST"):
        assert read[-1].input is not None and (read[-1].input == own_input(1)).all()


BAD: list[tuple[Callable[[], dict[str, Array]] | bytes, str]] = [
    (b"", "not a .npz file of numpy"),
    (b"PK\3\4 and more", "not a .npz file of numpy"),
    (dict, "expected a .npz file with the outputs, got no array"),
    (lambda: {"output0": outputs()[0]}, "expected the model's outputs [1, 40, 525], [1, 40, 40, 32], got [1, 40, 525]"),
    (lambda: {"a": outputs()[0], "b": outputs()[1][:, :20]}, "expected the model's outputs"),
    (lambda: {"a": np.array(["x"] * 21000), "b": outputs()[1]}, "expected numbers, got an array of <U1"),
    (lambda: {"a": np.array([None]), "b": outputs()[1]}, "not a .npz file of numpy"),
    (lambda: {"a": outputs()[0], "b": outputs()[1][..., :-1]}, "expected the model's outputs"),
    (lambda: {"output0": outputs()[0], "output1": outputs()[1], "input": np.zeros(7)}, "expected an input of [1, 160, "),
]


@pytest.mark.parametrize(("content", "message"), BAD)
def test_a_file_with_something_else_is_an_error(
    content: Callable[[], dict[str, Array]] | bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.npz"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        np.savez(path, **content())  # type: ignore[arg-type]
    with pytest.raises(command.UserError) as caught:
        answers.from_file(path, reference())
    assert message in str(caught.value) and str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "the following arguments are required"),
        ([MODEL], "PICTURE, or --against FILE"),
        ([MODEL, PICTURES[0], "--against", "x.npz", "--port", "x"], "--against needs no camera"),
        ([MODEL, PICTURES[0], "--against", "missing.npz"], "missing.npz"),
        (["missing.tflite", PICTURES[0]], "missing.tflite"),
        ([PICTURES[0], PICTURES[0]], "neither a .tflite nor an .onnx model"),
    ],
)
def test_wrong_use_says_what_was_expected(words: list[Any], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = cli.call("verify", list(map(str, words)), "n6post verify")
    except SystemExit as error:
        code = int(str(error.code))
    assert code == command.WRONG and message in capsys.readouterr().err


def bisected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, board: str, number: int | None) -> tuple[int, list[Path]]:
    """Run --bisect with a camera that has a wrong weight. Returns (exit code, files that ran there)."""
    ran = []

    def run(port: Any, model: Any, fit: str, frames: list[Any], installed: bool) -> Any:
        path = MODEL if isinstance(model, str) else model
        ran.append(path)
        received = camera.Received(1)
        tensors = answers.Reference(path).outputs
        received.about = {
            "board": board, "input_shape": [1, 160, 160, 3], "input_dtype": "b", "shapes": [one.shape for one in tensors],
            "scales": [one.scale for one in tensors], "zero_points": [one.zero_point for one in tensors]}  # fmt: skip
        came = run_exact(planted_model(path.read_bytes(), number), own_input(0))
        received._inputs[0] = own_input(0)
        received._outputs = {(0, k): one for k, one in enumerate(came)}
        return received

    monkeypatch.setattr(camera, "run", run)
    words = [str(MODEL), str(PICTURES[0]), "--bisect", str(tmp_path / "cuts")]
    return cli.call("verify", words, "n6post verify"), ran


def test_bisect_stops_at_the_first_wrong_layer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    number = convolutions()[6]
    code, ran = bisected(tmp_path, monkeypatch, "M55", number)
    printed = capsys.readouterr()
    assert code == command.FINDINGS and [path.name for path in ran[1:]] == ["shapes_cut_01.tflite"]
    made = TfliteFile(MODEL.read_bytes()).outputs(number)[0]
    assert f"the camera computes CONV_2D CONV_2D_{made} differently: up to" in printed.out
    assert len(list((tmp_path / "cuts").iterdir())) == len(cuts()) and "12 files with up to 10 layers" in printed.err


def test_for_an_n6_bisect_says_what_to_compile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, ran = bisected(tmp_path, monkeypatch, "N6, firmware 5.0.0", None)
    printed = capsys.readouterr()
    assert code == command.FINE and len(ran) == 1 and "Verdict: same.\n" in printed.out
    assert "Only ST's compiler makes files for the N6" in printed.err
    assert f"n6post verify {tmp_path / 'cuts' / 'shapes_cut_01.tflite'} {PICTURES[0]}" in printed.err


def test_a_model_that_takes_no_picture_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = TfliteFile(MODEL.read_bytes())
    (last,) = (at for at, name in enumerate(file.names) if name == "SOFTMAX")
    file.cut({"output": file.outputs(last)[0]}, [file.inputs(last)[0]])
    path = tmp_path / "softmax.tflite"
    path.write_bytes(file.data())
    assert cli.call("verify", [str(path), str(PICTURES[0]), "--against", "x.npz"], "n6post verify") == command.WRONG
    assert "expected an input [1, H, W, 3] or [1, H, W, 1] for a picture, got [1, " in capsys.readouterr().err
