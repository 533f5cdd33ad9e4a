"""Every entry of a parameter block is defined once, in lib/n6post/kernels/params, and all readers agree with it."""

from __future__ import annotations

import ast
import inspect
import re
import runpy
from array import array
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from n6post.kernels import boxes
from n6post.kernels.params import anchors as anchor_params
from n6post.kernels.params import boxes as params
from n6post.kernels.params import crops as crop_params
from n6post.kernels.params import drawing as drawing_params
from n6post.kernels.params import heads as head_params
from n6post.kernels.params import hide as hide_params
from n6post.kernels.params import maps as map_params
from n6post.kernels.params import measures as measure_params
from n6post.kernels.params import neighbors as neighbor_params
from n6post.kernels.params import oriented as oriented_params
from n6post.kernels.params import places as place_params
from n6post.kernels.params import poses as pose_params
from n6post.kernels.params import tracks as track_params

ROOT = Path(__file__).parents[2]
LIB = ROOT / "lib" / "n6post"
SOURCES = ROOT / "scripts" / "kernels"
BUILD = runpy.run_path(str(ROOT / "scripts" / "dev" / "generating" / "build_kernels.py"))

BUILDERS = {
    name: function
    for module in (
        params, map_params, drawing_params, pose_params, crop_params, head_params, anchor_params, oriented_params,
        place_params, hide_params, measure_params, neighbor_params,
    )
    for name, function in vars(module).items()
    if inspect.isfunction(function) and function.__module__ == module.__name__
}
# Kernels that read the parameter block of another kernel.
SHARED = {"clip_mask": "tint_mask", "count_class_pixels": "tint_map"}
ENTRIES = {name: list(inspect.signature(BUILDERS[SHARED.get(name, name)]).parameters) for name in [*BUILD["KERNELS"], "row"]}
# Short kernel names that constants use in place of the full names.
PREFIX = {"MASK": "prototype_mask", "TINT": "tint_mask", "MAP": "tint_map"}
PREFIX |= {"DECODE": "decode_boxes", "KEYPOINTS": "decode_keypoints", "DECODE_ANCHORS": "decode_anchors"}
PREFIX |= {"SCORE": "score_anchors", "RANK": "rank_anchors", "BLEND": "blend_anchors"}
PREFIX |= {"ORIENTED": "suppress_oriented", "CORNERS": "oriented_corners", "BANDS": "class_bands"}
# Sequences, which are stored as the number of words followed by the words.
COUNTED = {"candidates": "allowed", "tint_map": "edges", "prototype_mask": "rows", "decode_boxes": "levels"}
COUNTED |= {"score_anchors": "allowed", "decode_anchors": "table", "color_sums": "edges", "class_bands": "edges"}


def test_every_kernel_has_a_builder_or_shares_one() -> None:
    parts = {"row", "bits", "filter_words", "level_table", "mask_block"}
    assert set(BUILD["KERNELS"]) - set(SHARED) | parts == {n for n in BUILDERS if not n.startswith("_")}


FRACTIONS = {
    "suppress": {"threshold"},
    "boxes_to_frame": {"ax", "bx", "ay", "by", "scale", "px", "py", "pad_x", "pad_y"},
    "suppress_masks": {"ax", "bx", "ay", "by"},
    "row": {"score"},
    "peaks": {"scale", "ax", "bx", "ay", "by", "x1", "y1", "x2", "y2", "mean_score"},
    "tint_mask": {"x_scale", "y_scale", "offset_x", "offset_y"},
    "measure_mask": {"x_scale", "y_scale", "offset_x", "offset_y"},
    "pose": {"threshold"},
    "place_keypoints": {"threshold", "xx", "xy", "x0", "yx", "yy", "y0", "low_x", "low_y", "high_x", "high_y"}
    | {"x1", "y1", "x2", "y2"},
    "decode_boxes": {"scale_x", "scale_y", "score_scale", "least"},
    "decode_keypoints": {"scale_x", "scale_y", "score_scale", "cell_x", "cell_y", "offset_x", "offset_y"}
    | {"low_x", "low_y", "high_x", "high_y"},
    "score_anchors": {"scale", "search_scale", "least"},
    "decode_anchors": {"scale", "wh_scale", "offset"},
    "blend_anchors": {"threshold"},
    "suppress_oriented": {"unit_x", "unit_y", "limit"},
    "oriented_corners": {"ax", "bx", "ay", "by"},
}
BY_DTYPE = {"candidates": "cut", "class_map": "cut", "peaks": "cut", "prototype_mask": "threshold"}


@pytest.mark.parametrize("kernel", sorted(set(ENTRIES) - set(SHARED)))
@pytest.mark.parametrize("dtype", [98, 102])
def test_each_argument_becomes_the_entry_at_its_position(kernel: str, dtype: int) -> None:
    names = [name for name in ENTRIES[kernel] if name != COUNTED.get(kernel)]
    arguments: dict[str, Any] = {name: 3 + at for at, name in enumerate(names)}
    if "dtype" in arguments:
        arguments["dtype"] = dtype
    fractions = set(FRACTIONS.get(kernel, ()))
    if dtype == 102:
        fractions |= {BY_DTYPE.get(kernel, "")}
    for name in fractions & set(names):
        arguments[name] += 0.25
    block = BUILDERS[kernel](**arguments)
    assert isinstance(block, array) and block.typecode == "i"
    floats = np.frombuffer(block, dtype=np.float32)
    for at, name in enumerate(names):
        stored = floats[at] if name in fractions else block[at]
        # With the bits that a camera's float lacks: test_soft_nms.py
        if kernel in ("suppress", "blend_anchors") and name == "threshold":
            stored = np.int32(block[at] & ~3).view(np.float32)
        assert stored == arguments[name], name
    assert len(block) == len(names) + (kernel in COUNTED)


def test_the_class_filter_is_stored_as_bits_after_its_word_count() -> None:
    block = params.candidates(98, 10, 50, 10, 1, 4, 70, 0, 5, 300, (0, 31, 32, 69))
    words = np.array(block[11:], np.int32).view(np.uint32)
    assert block[10] == len(words) == 3
    assert {c for c in range(96) if words[c // 32] >> c % 32 & 1} == {0, 31, 32, 69}
    assert params.candidates(98, 10, 50, 10, 1, 4, 70, 0, 5, 300).tolist()[10:] == [0]


def test_map_edges_are_stored_after_their_count() -> None:
    block = drawing_params.tint_map(width=2, height=1, edges=array("H", [3, 5, 9, 0, 4]))
    assert block.tolist()[4:] == [2, 1, 5, 3, 5, 9, 0, 4]


def test_a_mask_transform_is_stored_in_fractions_of_a_pixel() -> None:
    transform = SimpleNamespace(sx=1.5, sy=4.0, ox=-2.25, oy=10.5)
    assert track_params.mask_transform(transform).tolist() == [384, 1024, -36, 168]


def constants() -> dict[str, int]:
    modules = (
        params, map_params, drawing_params, pose_params, crop_params, head_params, anchor_params, oriented_params,
        place_params, hide_params, neighbor_params, boxes,
    )  # fmt: skip
    every = {name: value for module in modules for name, value in vars(module).items()}
    prefixes = "|".join(["ROW", *PREFIX, *(kernel.upper() for kernel in ENTRIES)])
    named = {name.lstrip("_"): value for name, value in every.items() if re.match(rf"_?({prefixes})(_|$)", name)}
    assert len(named) > 25
    return named


def test_each_constant_is_the_position_of_the_entry_it_names() -> None:
    special = {
        "ROW": len(ENTRIES["row"]),
        "PEAKS_BOX": ENTRIES["peaks"].index("x1"),
        "PLACE_KEYPOINTS_BOX": ENTRIES["place_keypoints"].index("x1"),
        "MASK_TABLE": len(ENTRIES["prototype_mask"]),
    }
    known = [*PREFIX, *(kernel.upper() for kernel in ENTRIES)]
    for name, value in constants().items():
        prefix = max((p for p in known if name.startswith(f"{p}_")), key=len, default="")
        entry = name.removeprefix(f"{prefix}_").lower()
        expected = special[name] if name in special else ENTRIES[PREFIX.get(prefix, prefix.lower())].index(entry)
        assert value == expected, name
    assert ENTRIES["row"][:7] == ["x", "y", "w", "h", "anchor", "class_id", "score"]
    assert ENTRIES["row"][11:15] == ["window_x", "window_y", "window_w", "window_h"] == ENTRIES["prototype_mask"][10:14]
    assert ENTRIES["peaks"][17:] == ["x1", "y1", "x2", "y2", "mean_score"]


def unpackings(path: Path) -> Iterator[tuple[str, int, list[str], str, int, int]]:
    """(function, line, names, unpacked block, first, last) of every `a, b = params[i:j]` and `fractions(params, i, j)`."""
    for function in [n for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.FunctionDef)]:
        for node in ast.walk(function):
            if not isinstance(node, ast.Assign):
                continue
            target, value = node.targets[0], node.value
            whole_row = isinstance(target, ast.Tuple) and isinstance(value, ast.Name) and value.id == "row"
            if whole_row and path.name == "mask.py":
                yield function.name, node.lineno, [ast.unparse(n) for n in target.elts], "row", 0, len(ENTRIES["row"])
                continue
            if isinstance(target, ast.Subscript):  # params[i:j] = array("i", (a, b))
                target, value = value, target
                if isinstance(target, ast.Call) and len(target.args) == 2:
                    target = target.args[1]
            calls = [n for n in ast.walk(value) if isinstance(n, ast.Call) and ast.unparse(n.func) == "fractions"]
            if calls:
                subject, first, last = [ast.unparse(a) for a in calls[0].args]
            elif isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice) and value.slice.upper:
                subject = ast.unparse(value.value)
                first, last = ast.unparse(value.slice.lower or ast.Constant(0)), ast.unparse(value.slice.upper)
            else:
                continue
            if subject == "table" and first == "at":
                subject, first, last = "row", "0", str(len(ENTRIES["row"]))
            if subject not in ("params", "row") or not isinstance(target, ast.Tuple):
                continue
            yield function.name, node.lineno, [ast.unparse(n) for n in target.elts], subject, int(first), int(last)


# For each helper, the kernel whose parameter block it gets.
HELPERS = {"_row": "prototype_mask", "_exact_dot": "prototype_mask", "_lane_dot": "prototype_mask"}
# portable_drawing.clip_mask writes the window's position from variables with other names.
WRITTEN = {
    ("clip_mask", "window_w"): "width", ("clip_mask", "window_h"): "height",
    ("clip_mask", "left"): "x", ("clip_mask", "top"): "y",
}  # fmt: skip


@pytest.mark.parametrize(
    "file",
    [
        "kernels/portable/boxes.py",
        "kernels/portable/maps.py",
        "kernels/portable/drawing.py",
        "kernels/portable/poses.py",
        "kernels/portable/heads.py",
        "kernels/portable/anchors.py",
        "kernels/portable/crops.py",
        "kernels/portable/places.py",
        "kernels/portable/measures.py",
        "kernels/portable/hide.py",
        "kernels/portable/neighbors.py",
        "results/mask.py",
    ],
)
def test_unpacked_entries_have_the_names_of_the_signature(file: str) -> None:
    seen = 0
    for function, line, names, subject, first, last in unpackings(LIB / file):
        entries = ENTRIES["row"] if subject == "row" else ENTRIES[HELPERS.get(function, function)]
        assert last - first == len(names), f"{file}, line {line}: {len(names)} names for {last - first} entries"
        for at, name in enumerate(names, first):
            name = WRITTEN.get((function, name), name) if subject == "params" else name
            assert name == "_" or name == entries[at], f"{file}, line {line}: entry {at} is {entries[at]}, not {name}"
            seen += name != "_"
    assert seen >= (4 if file.endswith("neighbors.py") else 8)


@pytest.mark.parametrize(
    "file",
    ["portable/boxes.py", "portable/maps.py", "portable/drawing.py", "portable/poses.py", "portable/heads.py"]
    + ["portable/anchors.py", "portable/crops.py", "portable/places.py", "portable/hide.py", "portable/measures.py"]
    + ["portable/neighbors.py"],
)
def test_portable_kernels_read_no_entry_by_a_bare_number(file: str) -> None:
    text = (LIB / "kernels" / file).read_text(encoding="utf-8")
    single = re.findall(r"\bparams\[(?![A-Z_]+\])[^:\]]+\]", text)  # entries that are written have names
    # The bits of the class filter follow their number.
    assert set(single) <= {"params[11 + class_id // 32]", "params[17 + class_id // 32]"}
    assert ENTRIES["candidates"].index("allowed") + 1 == 11
    assert ENTRIES["tint_map"].index("edges") + 1 == 7  # of _edges
    assert ENTRIES["decode_boxes"].index("levels") + 1 == 17
    assert ENTRIES["score_anchors"].index("allowed") + 1 == 17
    assert ENTRIES["decode_anchors"].index("table") + 1 == 20
    assert ENTRIES["color_sums"].index("edges") + 1 == 6
    assert ENTRIES["class_bands"].index("edges") + 1 == 5


def test_machine_code_sources_read_no_entry_by_a_bare_number() -> None:
    sources = [source for source in SOURCES.rglob("*.*") if source.suffix in (".c", ".h", ".s")]
    for source in sources:
        code = re.sub(r"//.*|@.*", "", source.read_text(encoding="utf-8"))
        assert not re.search(r"\b(params|plan)\s*(\[|\+\s*\d)|\btable\s*\[\s*\d", code), source.name
    kernels = {BUILD["source_of"](kind, name) for kind in BUILD["KINDS"] for name in BUILD["KERNELS"]}
    assert kernels == {source for source in sources if source.stem in BUILD["KERNELS"] and source.suffix != ".h"}
    for source in kernels:
        entry = r"_params\b" if source.suffix == ".c" else rf"\b{source.stem.upper()}_[A-Z\\]"
        named = re.search(entry, source.read_text(encoding="utf-8"))
        assert named, f"{source.name} names no entry of its parameter block"


def test_the_generated_header_follows_the_signatures(tmp_path: Path) -> None:
    BUILD["write_params"](tmp_path)
    offsets = dict(re.findall(r"\.equ (\w+), (\d+)", (tmp_path / "params.inc").read_text(encoding="utf-8")))
    for kernel, entries in ENTRIES.items():
        if kernel not in SHARED:
            for at, entry in enumerate(entries):
                assert offsets[f"{kernel}_{entry}".upper()] == str(4 * at)
    header = (tmp_path / "params.h").read_text(encoding="utf-8")
    assert "struct suppress_params { int32_t count, threshold, class_agnostic, most, capacity; };" in header
