"""lib on a real MicroPython (vm.py), with the ulab of host_tests/micropython: the same as on CPython, byte for byte.

What a camera has and this MicroPython does not: machine code (viper, asm_thumb), `image`, `ml`, float32 (its Python floats
are doubles, as CPython's are: the two may be compared to the last bit) and a garbage collector that works while a script
runs. So 1 MiB is the heap where nothing but lib allocates; more is asked for, with the reason, where it is not enough.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import n6post
import numpy as np
import pytest
import recorded
import test_options
import vm
from n6post_pc.build import compile_file, needs_architecture

LIB = vm.LIB
SELFTEST = LIB.parent / "scripts" / "camera" / "selftest.py"
HERE = Path(__file__).parent / "micropython"
SMALL = 1 << 20
# Of which most is garbage of the ulab for tests: each element an object, several times over, none collected meanwhile.
ARRAYS = 64 << 20
MAPS = 160 << 20  # 204,800 logits

MACHINE_CODE = {
    f"n6post.kernels.{kind}_{name}" for kind in ("helium", "thumb") for name in ("boxes", "drawing", "maps", "poses")
}
VIPER = {"n6post.kernels.viper_text", "n6post.kernels.viper_tracks"}
NEEDS_IMAGE = {"n6post.cutting"}

pytestmark = pytest.mark.xdist_group("micropython")


@contextlib.contextmanager
def machine(heap: int = SMALL, lib: Path = LIB) -> Iterator[vm.Machine]:
    made = vm.with_lib(heap, lib)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def small() -> Iterator[vm.Machine]:
    with machine() as made:
        yield made


@pytest.fixture(scope="module")
def large() -> Iterator[vm.Machine]:
    with machine(ARRAYS) as made:
        yield made


def on_cpython(code: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "path", [*sys.path, str(HERE / "scripts")])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    return printed.getvalue()


def compare(said: str, wanted: str) -> None:
    """Line by line, and cut: pytest takes minutes to show how two maps of 200,000 digits differ."""
    for got, line in zip(said.splitlines(), wanted.splitlines(), strict=True):
        at = next((i for i, (a, b) in enumerate(zip(got, line)) if a != b), min(len(got), len(line)))
        near = slice(max(0, at - 100), at + 100)
        assert at == len(got) == len(line), f"{line[:60]} ... expected {line[near]!r}, got {got[near]!r}"


def module_names() -> list[str]:
    files = [file.relative_to(LIB).with_suffix("") for file in sorted((LIB / "n6post").rglob("*.py"))]
    return [".".join(part for part in file.parts if part != "__init__") for file in files]


# --- imports -----------------------------------------------------------------------------------------------------------
def imported(made: vm.Machine) -> dict[str, str]:
    """Of each module of lib "", or what its import raises."""
    answers = {}
    for name in module_names():
        try:
            answers[name] = made.run(f"import {name}")
        except vm.Raised as raised:
            answers[name] = f"{raised.kind}: {raised.message}"
    return answers


def test_every_source_file_imports_but_those_of_machine_code_and_of_the_image_module() -> None:
    wanted = dict.fromkeys(module_names(), "")
    wanted |= dict.fromkeys(MACHINE_CODE | VIPER, "SyntaxError: invalid micropython decorator")
    wanted |= dict.fromkeys(NEEDS_IMAGE, "ImportError: no module named 'image'")
    with machine() as made:
        assert imported(made) == wanted
        assert made.taken[1] < 400_000, "all of lib at once"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of lib as .mpy files; those of machine code for the N6, without which mpy-cross takes none."""
    folder = tmp_path_factory.mktemp("mpy")
    for file in (LIB / "n6post").rglob("*.py"):
        name = file.relative_to(LIB)
        target = (folder / name).with_suffix(".mpy")
        target.parent.mkdir(parents=True, exist_ok=True)
        compile_file(file, target, name.as_posix(), "armv7m" if needs_architecture(file) else None)
    return folder


def test_every_compiled_file_imports_but_those_of_machine_code_and_of_the_image_module(compiled: Path) -> None:
    assert len(list(compiled.rglob("*.mpy"))) == len(module_names())
    wanted = dict.fromkeys(module_names(), "")
    wanted |= dict.fromkeys(MACHINE_CODE | VIPER, "ValueError: native code in .mpy unsupported")
    wanted |= dict.fromkeys(NEEDS_IMAGE, "ImportError: no module named 'image'")
    with machine(lib=compiled) as made:
        assert imported(made) == wanted
        assert made.taken[1] < 300_000, "all of lib at once"


@pytest.mark.parametrize("form", ["source", "compiled"])
def test_where_machine_code_is_refused_the_portable_twins_serve(form: str, compiled: Path) -> None:
    script = """
import n6post.kernels
from n6post.kernels import portable_text, portable_tracks, text, tracks
homes = []
for group in ("boxes", "maps", "drawing", "poses"):
    n6post.kernels.active = "helium"
    homes.append(n6post.kernels.load(group).__name__)
print(n6post.kernels.active, homes, text.write is portable_text.write, tracks.learn is portable_tracks.learn)
"""
    homes = [f"n6post.kernels.portable_{group}" for group in ("boxes", "maps", "drawing", "poses")]
    with machine(lib=LIB if form == "source" else compiled) as made:
        assert made.run(script) == f"portable {homes} True True\n"


def test_what_does_not_fit_into_the_heap_says_so_and_what_is_smaller_works_on() -> None:
    with machine(256 << 10) as made:
        with pytest.raises(vm.Raised) as raised:
            made.run("import n6post\ntracker = n6post.Tracker(max_tracks=1000)\ntracker.update([])")
        assert raised.value.kind == "MemoryError"
        assert re.fullmatch(r"memory allocation failed, allocating \d+ bytes", raised.value.message)
        assert made.run("tracker.max_tracks = 100\nprint(tracker.update([]), tracker.tracks)") == "[] []\n"


# --- names, options ----------------------------------------------------------------------------------------------------
def test_dir_asks_for_every_word_there_is_and_shows_the_public_names() -> None:
    with machine() as made:
        shown = ast.literal_eval(made.run("import n6post\nprint(dir(n6post))"))
        assert set(n6post._HOMES) <= set(shown)
        assert set(shown) >= {"__version__"}
        for name in n6post._HOMES:
            assert made.run(f"print(n6post.{name}.__name__)") == f"{name}\n"
        for name in ("YoloV9", "/", ".", "n6post", ""):
            said = f"AttributeError: module 'n6post' has no attribute '{name}'"
            with pytest.raises(vm.Raised, match=re.escape(said)):
                made.run(f"getattr(n6post, {name!r})")


NOT_A_NUMBER = ("-1", "nan", "None", "'1'", "True", "1e9")
TRACKER = {
    **dict.fromkeys(("threshold", "low_threshold", "gate", "max_age", "min_hits", "coast", "max_tracks"), NOT_A_NUMBER),
    **dict.fromkeys(("smooth", "use_masks", "smooth_keypoints"), ("1", "None", "'no'")),
}


def test_every_wrong_option_is_refused_in_the_same_words(small: vm.Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [
        (family, name, repr(wrong))
        for family, options in test_options.CASES.items()
        for name, case in options.items()
        for wrong in case.wrong
    ]
    cases += [("Tracker", name, wrong) for name, values in TRACKER.items() for wrong in values]
    lines: list[str] = []
    for at in range(0, len(cases), 50):
        script = f"import refusals\nrefusals.run({cases[at : at + 50]!r})"
        said = small.run(script)
        assert said == on_cpython(script, monkeypatch)
        lines += said.splitlines()
    assert len(lines) == 2 * len(cases)
    for (kind, name, _), first, second in zip(cases, lines[::2], lines[1::2]):
        assert first == second
        assert re.match(rf"{kind} {name}: expected .*, got ", first), first


def test_what_is_of_another_kind_is_refused_in_the_same_words(small: vm.Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    values = ("None", "5", "-1.5", "True", "'x'", "[5]", "[None]", "[(1, 2, 3, 4)]", "{'a': 1}")
    script = f"import refusals\nrefusals.kinds({values!r})"
    said = small.run(script)
    assert said == on_cpython(script, monkeypatch)
    lines = said.splitlines()
    assert len(lines) == 12 * len(values)
    for line in lines:
        assert re.match(r"\d+ \w+: expected .*, got .", line), line


# --- tracks, zones, JSON, geometry -------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def street(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty frames of the recorded street as scripts/tracking.py reads them, a line of JSON each."""
    frames: list[Any] = []
    for found in recorded.street(0.7)[100:160]:
        frames.append([])
        for rect, score, class_id, label, mask, _ in found:
            data, window, crop, clip, grid = mask.parts()
            frames[-1].append([rect, score, class_id, label, [list(data), window, crop, clip]])
    assert sum(map(len, frames)) > 250
    file = tmp_path_factory.mktemp("street") / "street.json"
    file.write_text("".join(json.dumps(line) + "\n" for line in [[grid.sx, grid.ox, grid.sy, grid.oy], *frames]))
    return file


@pytest.mark.parametrize(
    ("options", "masks", "frames"),
    [
        ({}, False, 60),
        ({"smooth": False, "coast": 5, "max_tracks": 6, "min_hits": 1}, False, 60),
        ({"low_threshold": 0.2, "min_hits": 1}, True, 8),
    ],
)
def test_tracks_lines_zones_trails_and_their_json_are_the_same(
    options: dict[str, Any], masks: bool, frames: int, street: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f"import tracking\nframes = tracking.run(%r, {options!r}, {masks!r})\n"
    wanted = on_cpython(script % str(street) + f"for _ in range({frames}):\n    next(frames)", monkeypatch)
    with machine(ARRAYS if masks else SMALL) as made:
        made.copy({"/street.json": street})
        made.run(script % "/street.json")
        said = "".join(made.run("next(frames)") for _ in range(frames))
        compare(as_decimals(said), wanted)


def test_the_way_to_the_frame_is_the_same_for_every_input(small: vm.Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = ((640, 480), (480, 640), (33, 700), (320, 320), (1, 1), (1920, 1080))
    cases = [
        (kind, frame, roi, size)
        for kind in ("Stretch", "Crop", "Letterbox", "")
        for frame in frames
        for roi in (None, (0, 0, 1, 1), (7, 3, 25, 600), (3, 5, 300, 301))
        for size in ((320, 320), (192, 192), (96, 64))
    ]
    for at in range(0, len(cases), 24):
        script = f"import fitting\nfitting.run({cases[at : at + 24]!r})"
        said = small.run(script)
        assert said == on_cpython(script, monkeypatch)
        assert len(said.splitlines()) == 24


# --- the self-test and the families ------------------------------------------------------------------------------------
def test_the_self_test_passes_and_counts_what_it_skips() -> None:
    """One check after the other, for what each leaves behind is collected between scripts only."""
    with machine(ARRAYS) as made:
        made.copy({"/scripts/selftest.py": SELFTEST})
        made.run("import selftest\nchecks = list(selftest.checks())")
        many = int(made.run("print(len(checks))"))
        total = np.zeros(3, int)
        printed = ""
        for at in range(many):
            out = made.run(f"selftest.checks = lambda: checks[{at} : {at + 1}]\nprint(selftest.run())")
            *said, counts = out.splitlines()
            total += ast.literal_eval(counts)
            printed += "\n".join(said) + "\n"
        assert total[1] == 0, printed
        assert total[0] >= 69 and total.sum() == many
        reasons = set(re.findall(r"^skipped 1: (.*)$", printed, re.MULTILINE))
        assert reasons == {
            "there is no image module",
            "the portable kernels are the active ones here",
            "the portable kernels work on the heap",
            "the plain kernels of tracks are the active ones here",
        }
        assert re.search(
            r"portable kernels, micropython 1\.\d+\.\d+ on webassembly", made.run("print(selftest.machine_line())")
        )


def as_decimals(said: str) -> str:
    """MicroPython prints some doubles, not float32, with one digit too many: .5620000000000001 for .562."""
    return re.sub(r"\d{1,6}\.\d{13,}", lambda number: f"{float(number[0]):.12g}", said)


# In the model's own types. Of a float head the raw one is the self-test's; of DeepLab, 2 s a picture, one picture as floats.
RECORDED = [
    (model, picture, model != "deeplab_320" or picture == "coffee") for model, picture in recorded.names()
]  # fmt: skip


@pytest.mark.parametrize(("model", "picture", "own_types"), RECORDED)
def test_a_family_says_of_a_recorded_tensor_what_it_says_on_cpython(
    model: str, picture: str, own_types: bool, large: vm.Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = recorded.load(model, picture)
    outputs = []
    for i, (tensor, fractions) in enumerate(zip(recording.tensors, recording.floats)):
        file = tmp_path / str(i)
        file.write_bytes(tensor.values.tobytes())
        outputs.append((tensor.values.shape, tensor.scale, tensor.zero_point, str(file), fractions and own_types))
    fit = {"stretch": "Stretch", "letterbox": "Letterbox"}[recording.fit]
    arguments = (recording.processor, {}, recording.size, recording.labels, fit, outputs)
    script = "import families\nfamilies.run(*" + repr(arguments) + ")"
    wanted = on_cpython(script, monkeypatch)
    with machine(MAPS) if model == "deeplab_320" else contextlib.nullcontext(large) as made:
        made.copy({path: Path(path) for _, _, _, path, _ in outputs})
        compare(as_decimals(made.run(script)), wanted)
    found = {"rocket": 0}.get(picture, 1)
    assert wanted.count("\nfound ") >= found or "\nmap " in wanted
