"""lib on a real MicroPython (vm.py), with the ulab of host_tests/micropython: the same as on CPython, byte for byte.

Unlike a camera, this MicroPython has no machine code (viper, asm_thumb), no `image` and no `ml`. Its Python floats are
doubles, like those of CPython, so results are compared to the last bit. It collects garbage only between scripts: the heap
is 1 MiB in tests where only lib allocates; a comment gives the reason for a larger heap.
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

import _host
import mediapipe_reference
import n6post
import numpy as np
import pytest
import test_options
import vm
from n6post_pc.build.command import compile_file, needs_architecture
from n6post_pc.demo import recorded

sys.path.append(str(Path(__file__).parents[2] / "scripts" / "dev"))

from fuzzing import core, detectors, other_families  # noqa: E402

LIB = vm.LIB
SELFTEST = LIB.parent / "scripts" / "device" / "selftest.py"
HERE = Path(__file__).parents[1] / "micropython"
SMALL = 1 << 20
# Most of it is garbage of the test ulab: every element is an object, several times, and nothing is collected meanwhile.
ARRAYS = 64 << 20
MAPS = 160 << 20  # 204,800 logits

GROUPS = (
    "anchors", "boxes", "crops", "drawing", "heads", "hide", "maps", "measures", "neighbors", "oriented", "places", "poses",
)  # fmt: skip
MACHINE_CODE = {f"n6post.kernels.{kind}.{name}" for kind in ("helium", "m7") for name in GROUPS}
VIPER = {f"n6post.kernels.viper.{name}" for name in ("json", "tracks", "cells", "corners", "occupancy", "laplacian", "crc")}

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
    with machine(2 * SMALL) as made:  # it keeps what all tests of this file have imported
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


def compare(printed: str, wanted: str) -> None:
    """Line by line, and shortened: pytest takes minutes to show how two maps of 200,000 digits differ."""
    for got, line in zip(printed.splitlines(), wanted.splitlines(), strict=True):
        at = next((i for i, (a, b) in enumerate(zip(got, line)) if a != b), min(len(got), len(line)))
        near = slice(max(0, at - 100), at + 100)
        assert at == len(got) == len(line), f"{line[:60]} ... expected {line[near]!r}, got {got[near]!r}"


def module_names() -> list[str]:
    files = [file.relative_to(LIB).with_suffix("") for file in sorted((LIB / "n6post").rglob("*.py"))]
    return [".".join(part for part in file.parts if part != "__init__") for file in files]


# --- imports -----------------------------------------------------------------------------------------------------------
def imported(made: vm.Machine) -> dict[str, str]:
    """For each module of lib "", or the error that its import raises."""
    answers = {}
    for name in module_names():
        try:
            answers[name] = made.run(f"import {name}")
        except vm.Raised as raised:
            answers[name] = f"{raised.kind}: {raised.message}"
    return answers


def test_every_source_file_imports_except_machine_code() -> None:
    wanted = dict.fromkeys(module_names(), "")
    wanted |= dict.fromkeys(MACHINE_CODE | VIPER, "SyntaxError: invalid micropython decorator")
    with machine() as made:
        assert imported(made) == wanted
        assert made.taken[1] < 750_000, "all of lib at once"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of lib as .mpy files; files with machine code for the N6, because mpy-cross needs an architecture for them."""
    folder = tmp_path_factory.mktemp("mpy")
    for file in (LIB / "n6post").rglob("*.py"):
        name = file.relative_to(LIB)
        target = (folder / name).with_suffix(".mpy")
        target.parent.mkdir(parents=True, exist_ok=True)
        compile_file(file, target, name.as_posix(), "armv7m" if needs_architecture(file) else None)
    return folder


def test_every_compiled_file_imports_except_machine_code(compiled: Path) -> None:
    assert len(list(compiled.rglob("*.mpy"))) == len(module_names())
    wanted = dict.fromkeys(module_names(), "")
    wanted |= dict.fromkeys(MACHINE_CODE | VIPER, "ValueError: native code in .mpy unsupported")
    with machine(lib=compiled) as made:
        assert imported(made) == wanted
        assert made.taken[1] < 605_000, "all of lib at once"


@pytest.mark.parametrize("form", ["source", "compiled"])
def test_the_portable_kernels_replace_refused_machine_code(form: str, compiled: Path) -> None:
    script = f"""
import n6post.kernels
from _viper import json as plain_json, tracks as plain_tracks
from n6post.kernels import json, tracks
homes = []
for group in {GROUPS}:
    n6post.kernels.active = "helium"
    homes.append(n6post.kernels.load(group).__name__)
print(n6post.kernels.active, homes, json is plain_json)
print(tracks is plain_tracks)
"""
    homes = [f"n6post.kernels.portable.{group}" for group in GROUPS]
    with machine(lib=LIB if form == "source" else compiled) as made:
        assert made.run(script) == f"portable {homes} True\nTrue\n"


def test_after_a_memory_error_a_smaller_tracker_works() -> None:
    with machine(256 << 10) as made:
        with pytest.raises(vm.Raised) as raised:
            made.run("import n6post\ntracker = n6post.Tracker(max_tracks=1000)\ntracker.update([])")
        assert raised.value.kind == "MemoryError"
        assert re.fullmatch(r"memory allocation failed, allocating \d+ bytes", raised.value.message)
        assert made.run("tracker.max_tracks = 100\nprint(tracker.update([]), tracker.tracks)") == "[] []\n"


# --- names, options ----------------------------------------------------------------------------------------------------
def test_dir_shows_the_public_names_and_unknown_names_raise() -> None:
    with machine(2 * SMALL) as made:  # all of lib, from sources, and the garbage of compiling the last file
        shown = ast.literal_eval(made.run("import n6post\nprint(dir(n6post))"))
        assert set(n6post._EXPORTS) <= set(shown)
        assert set(shown) >= {"__version__"}
        for name in n6post._EXPORTS:
            assert made.run(f"print(n6post.{name}.__name__)") == f"{name}\n"
        for name in ("YoloV9", "/", ".", "n6post", ""):
            message = f"AttributeError: module 'n6post' has no attribute '{name}'"
            with pytest.raises(vm.Raised, match=re.escape(message)):
                made.run(f"getattr(n6post, {name!r})")


NOT_A_NUMBER = ("-1", "nan", "None", "'1'", "True", "1e9")
TRACKER = {
    **dict.fromkeys(
        ("threshold", "low_threshold", "max_distance", "max_gap", "min_hits", "coast", "max_tracks"), NOT_A_NUMBER
    ),
    **dict.fromkeys(("smooth_boxes", "use_masks", "smooth_keypoints"), ("1", "None", "'no'")),
}


def test_wrong_options_raise_the_same_messages(small: vm.Machine, monkeypatch: pytest.MonkeyPatch) -> None:
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
        printed = small.run(script)
        assert printed == on_cpython(script, monkeypatch)
        lines += printed.splitlines()
    assert len(lines) == 2 * len(cases)
    for (kind, name, _), first, second in zip(cases, lines[::2], lines[1::2]):
        assert first == second
        assert re.match(rf"{kind} {name}: expected .*, got ", first), first


def test_wrong_types_raise_the_same_messages(small: vm.Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    values = ("None", "5", "-1.5", "True", "'x'", "[5]", "[None]", "[(1, 2, 3, 4)]", "{'a': 1}")
    script = f"import refusals\nrefusals.wrong_types({values!r})"
    printed = small.run(script)
    assert printed == on_cpython(script, monkeypatch)
    lines = printed.splitlines()
    assert len(lines) == 12 * len(values)
    for line in lines:
        assert re.match(r"\d+ \w+: expected .*, got .", line), line


def test_detections_of_other_rows_are_the_same(small: vm.Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import rows\nrows.run()"
    printed = small.run(script)
    assert printed == on_cpython(script, monkeypatch)
    assert len(printed.splitlines()) == 42


def test_a_server_of_frames_sends_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import streaming\nstreaming.stream()"
    with machine() as made:
        printed = made.run(script)
    _host.install()
    assert printed == on_cpython(script, monkeypatch)
    assert printed.count("--frame") >= 6 and "closed b'HTTP/1.1 404 Not Found" in printed


def test_a_processor_of_the_scripts_own_gets_the_same_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import streaming\nstreaming.own()"
    with machine() as made:
        printed = made.run(script)
    assert printed == on_cpython(script, monkeypatch)
    assert len(printed.splitlines()) == 11


def test_regions_bands_and_sums_of_colors_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import places\nplaces.run()"
    with machine(ARRAYS) as made:
        printed = made.run(script)
    assert printed == on_cpython(script, monkeypatch)
    assert len(printed.splitlines()) == 5 * 2 * 8 + 3 + 3 * (9 + 4) + 2


def test_overlaps_parts_and_sizes_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import geometry\ngeometry.run(())"  # there is no `image`
    with machine(ARRAYS) as made:
        printed = made.run(script)
    assert printed == on_cpython(script, monkeypatch)
    assert len(printed.splitlines()) == 2 * 4 + 1 + 3 + 3


def test_hidden_cells_and_places_of_labels_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import hiding\nhiding.run()"
    with machine(ARRAYS) as made:
        printed = made.run(script)
    assert printed == on_cpython(script, monkeypatch)
    assert len(printed.splitlines()) == 2 * 3 * 3 + 3 + 3


# --- tracks, zones, JSON, geometry -------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def street(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty frames of the recorded street as micropython/scripts/tracking.py reads them, a line of JSON each."""
    frames: list[Any] = []
    for found in recorded.street(0.7)[100:160]:
        frames.append([])
        for rect, score, class_id, label, mask, _ in found:
            data, window, crop, clip, transform = mask._parts()
            frames[-1].append([rect, score, class_id, label, [list(data), window, crop, clip]])
    assert sum(map(len, frames)) > 250
    file = tmp_path_factory.mktemp("street") / "street.json"
    to_frame = [transform.sx, transform.ox, transform.sy, transform.oy]
    file.write_text("".join(json.dumps(line) + "\n" for line in [to_frame, *frames]), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("options", "masks", "frames"),
    [
        ({}, False, 60),
        ({"smooth_boxes": False, "coast": 0.4, "max_tracks": 6, "min_hits": 1}, False, 60),
        ({"low_threshold": 0.2, "min_hits": 1}, True, 8),
    ],
)
def test_tracks_zones_trails_and_their_json_are_the_same(
    options: dict[str, Any], masks: bool, frames: int, street: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f"import tracking\nframes = tracking.run(%r, {options!r}, {masks!r})\n"
    wanted = on_cpython(script % str(street) + f"for _ in range({frames}):\n    next(frames)", monkeypatch)
    with machine(ARRAYS if masks else SMALL) as made:
        made.copy({"/street.json": street})
        made.run(script % "/street.json")
        printed = "".join(made.run("next(frames)") for _ in range(frames))
        compare(as_decimals(printed), wanted)


@pytest.mark.parametrize(("masks", "frames"), [(False, 30), (True, 4)])
def test_places_speeds_heat_maps_and_tiles_are_the_same(
    masks: bool, frames: int, street: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f"import ground\nframes = ground.run(%r, {masks!r})\n"
    wanted = on_cpython(script % str(street) + f"for _ in range({frames}):\n    next(frames)", monkeypatch)
    with machine(ARRAYS) as made:
        made.copy({"/street.json": street})
        made.run(script % "/street.json")
        printed = "".join(made.run("next(frames)") for _ in range(frames))
        compare(as_decimals(printed), wanted)


def test_conditions_over_time_are_the_same(large: vm.Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import conditions\nconditions.run()"
    printed = large.run(script)
    compare(printed, on_cpython(script, monkeypatch))
    assert len(printed.splitlines()) == 40 + 300 + 4 * sum([3 + (k % 13 < 11) for k in range(300)])


def test_what_an_anomaly_learns_and_says_is_the_same(large: vm.Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = on_cpython("import learning\nlearning.run()", monkeypatch)
    assert wanted.count(" defect ") == 4
    compare(as_decimals(large.run("import learning\nlearning.run()")), wanted)


def test_input_transforms_are_the_same(small: vm.Machine, monkeypatch: pytest.MonkeyPatch) -> None:
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
        printed = small.run(script)
        assert printed == on_cpython(script, monkeypatch)
        assert len(printed.splitlines()) == 24


# --- the self-test and the families ------------------------------------------------------------------------------------
def test_the_self_test_passes_and_counts_what_it_skips() -> None:
    """One check per script, because garbage is collected only between scripts."""
    with machine(ARRAYS) as made:
        made.copy({"/scripts/selftest.py": SELFTEST})
        made.run("import selftest\nchecks = list(selftest.checks())")
        many = int(made.run("print(len(checks))"))
        total = np.zeros(3, int)
        printed = ""
        for at in range(many):
            out = made.run(f"selftest.checks = lambda: checks[{at} : {at + 1}]\nprint(selftest.run())")
            *lines, counts = out.splitlines()
            total += ast.literal_eval(counts)
            printed += "\n".join(lines) + "\n"
        assert total[1] == 0, printed
        assert total[0] >= 69 and total.sum() == many
        reasons = set(re.findall(r"^skipped 1: (.*)$", printed, re.MULTILINE))
        assert reasons == {
            "there is no image module",
            "the portable kernels are the active ones here",
            "the portable kernels use the heap",
            "the plain kernels of tracks are the active ones here",
        }
        assert re.search(
            r"portable kernels, micropython 1\.\d+\.\d+ on webassembly", made.run("print(selftest.machine_line())")
        )


def as_decimals(printed: str) -> str:
    """MicroPython prints some doubles, not float32, with one digit too many: .5620000000000001 for .562."""
    return re.sub(r"\d{1,6}\.\d{13,}", lambda number: f"{float(number[0]):.12g}", printed)


# model, picture, whether its outputs have the model's own types. DeepLab takes 2 s per picture: only one picture as floats.
RECORDED = [
    (model, picture, model != "deeplab_320" or picture == "coffee") for model, picture in recorded.names()
]  # fmt: skip


@pytest.mark.parametrize(("model", "picture", "own_types"), RECORDED)
def test_a_family_returns_the_same_result_for_a_recorded_tensor(
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


@pytest.mark.parametrize("fit", ["Stretch", "Letterbox"])
@pytest.mark.parametrize("case", ["OpenMV's face, int8", "OpenMV's palm, int8"])
def test_a_detector_of_mediapipe_returns_the_same_result(
    case: str, fit: str, large: vm.Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = mediapipe_reference.described(case)
    outputs = []
    for i, tensor in enumerate(mediapipe_reference.tensors_of(case)):
        file = tmp_path / str(i)
        file.write_bytes(tensor.values.tobytes())
        outputs.append((tensor.values.shape, tensor.scale, tensor.zero_point, str(file), fit == "Stretch"))
    arguments = (about["family"], {"threshold": 0.4}, (about["size"],) * 2, None, fit, outputs)
    script = "import families\nfamilies.run(*" + repr(arguments) + ")"
    wanted = on_cpython(script, monkeypatch)
    large.copy({path: Path(path) for _, _, _, path, _ in outputs})
    compare(as_decimals(large.run(script)), wanted)
    assert wanted.count("\nkeypoints ") == 4


RANDOM = [(family, case) for family in (*detectors.HEADS, *other_families.HEADS) for case in range(2)]


@pytest.mark.parametrize(("family", "case"), RANDOM)
def test_a_family_returns_the_same_result_for_random_outputs(
    family: str, case: int, large: vm.Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first heads that the fuzzer makes in which something is found."""
    kind = detectors if family in detectors.HEADS else other_families
    wanted = ""
    for number in range(50):
        head, options = kind.make_case(core.Dice(100 + case, number), family)
        outputs = []
        for i, tensor in enumerate(head.tensors):
            file = tmp_path / str(i)
            file.write_bytes(np.ascontiguousarray(tensor.values).tobytes())
            values = tensor.values
            outputs.append((values.dtype.name, values.shape, tensor.scale or 1.0, tensor.zero_point, str(file)))
        script = "import random_heads\nrandom_heads.run(*" + repr((family, options, head.size, outputs)) + ")"
        # Of some hundred oriented boxes, each pair would take minutes.
        too_many = max(tensor.values.size for tensor in head.tensors) > 40_000 or values.shape == (1, 300, 7)
        if head.unclear or too_many:
            continue
        wanted = on_cpython(script, monkeypatch)
        if "found " in wanted:
            break
    assert "found " in wanted
    large.copy({path: Path(path) for *_, path in outputs})
    compare(as_decimals(large.run(script)), as_decimals(wanted))
