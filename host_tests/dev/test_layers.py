"""The folders of lib/n6post and the imports that are allowed between them.

CONTRIBUTING.md shows the same table.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIB = ROOT / "lib" / "n6post"

# From top to bottom. A file imports from its own folder and from the folders below it.
FOLDERS = (
    "models", "events", "tracking", "families", "drawing", "streams", "results", "kernels", "inputs", "tensors", "pixels",
    "firmware",
)  # fmt: skip

# Upward imports, each inside a function that a script calls: a result imports the drawing functions on first use.
LAZY_UPWARD = {
    ("results.mask", "drawing.masks"),
    ("results.mask", "drawing.mask_image"),
    ("results.segmentation", "drawing.masks"),
    ("results.classification", "drawing.captions"),
    ("results.depth_map", "drawing.depth"),
    ("results.anomaly_map", "drawing.heat_map"),
    ("results.reading", "drawing.captions"),
    ("results.places", "drawing.mask_image"),
}
# Imports within a folder: a family loads its binding for split heads, a subclass of its own, when a model needs it, and
# `load` its parts for a script's own processor and for options that decide.
LAZY_SUBCLASS = {
    ("families.yolo.yolov8", "families.yolo.split_head"),
    ("families.yolo.yolov8_pose", "families.yolo.split_pose"),
    ("families.yolo.yolov8_obb", "families.yolo.split_obb"),
    ("families.anchors.ssd", "families.anchors.ssd_outputs"),
    ("models.matching", "models.own_processor"),
    ("models.matching", "models.by_options"),
    # results.scaled copies detections, whose crops may be scaled.
    ("results.places", "results.scaled"),
    ("results.mask_colors", "results.scaled"),
    # What a method calls, in a file that knows its class.
    ("results.detection", "results.pairs"),
    ("tracking.plane", "tracking.plane_measures"),
}


def dotted(path: Path) -> str:
    parts = path.relative_to(LIB).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


FILES = {dotted(path): path for path in sorted(LIB.rglob("*.py"))}


def imports(name: str) -> Iterator[tuple[str, bool]]:
    """The files of lib that a file imports, and whether it does so inside a function."""
    path = FILES[name]
    here = name.split(".") if path.name == "__init__.py" and name != "__init__" else name.split(".")[:-1]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        # later.drawing_masks of tensors/lazy.py imports on first use.
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "later":
            yield node.attr.replace("_", ".", 2 if node.attr.startswith("kernels") else 1), True
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = here[: len(here) - node.level + 1] + (node.module.split(".") if node.module else [])
        for alias in node.names:
            target = ".".join([*base, alias.name])
            yield target if target in FILES else ".".join(base) or "__init__", node not in tree.body


GRAPH = {name: sorted({target for target, _ in imports(name)} - {name}) for name in FILES}


def level(name: str) -> int:
    """The folder's index in FOLDERS; the package itself comes before all of them."""
    return -1 if name == "__init__" else FOLDERS.index(name.split(".")[0])


def circles(edges: dict[str, list[str]]) -> list[list[str]]:
    """Every circular import once, as a list of its files."""
    found: dict[frozenset[str], list[str]] = {}

    def walk(name: str, path: list[str]) -> None:
        if name in path:
            circle = path[path.index(name) :]
            found.setdefault(frozenset(circle), circle)
            return
        for other in edges.get(name, ()):
            walk(other, [*path, name])

    for name in edges:
        walk(name, [])
    return list(found.values())


def test_every_file_is_in_one_of_the_folders() -> None:
    assert {name.split(".")[0] for name in FILES} == {"__init__", *FOLDERS}


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_import_names_a_file(name: str) -> None:
    """Also in machine code, which only a camera imports: it would run the portable kernels without a word."""
    assert [target for target, _ in imports(name) if target not in FILES] == []


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_file_imports_from_its_own_folder_and_those_below(name: str) -> None:
    upward = {(target, lazy) for target, lazy in imports(name) if level(target) < level(name)}
    assert upward <= {(target, True) for source, target in LAZY_UPWARD if source == name}


KINDS = ("yolo", "anchors", "maps", "vectors")


def test_families_of_one_kind_do_not_import_those_of_another() -> None:
    """families/recognition.py lists those of all kinds."""
    for name in FILES:
        folder, *rest = name.split(".")
        if folder == "families":
            kinds = {part for target, _ in imports(name) for part in target.split(".")[1:2] if part in KINDS}
            assert kinds <= (set(KINDS) if rest == ["recognition"] else {rest[0]}), name


def test_every_lazy_upward_import_is_still_there() -> None:
    assert {(name, target) for name in FILES for target, _ in imports(name) if level(target) < level(name)} == LAZY_UPWARD


def test_there_are_no_circular_imports() -> None:
    lazy = LAZY_UPWARD | LAZY_SUBCLASS
    assert lazy <= {(name, target) for name in FILES for target, when_called in imports(name) if when_called}
    downward = {name: [target for target in targets if (name, target) not in lazy] for name, targets in GRAPH.items()}
    assert circles(downward) == []
    assert circles({"a": ["b"], "b": ["c"], "c": ["a"]}) == [["a", "b", "c"]]


def test_the_architecture_page_has_the_folders_in_this_order() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)(?:/|\.py)` \|", page, flags=re.MULTILINE) == list(FOLDERS)


def test_every_import_within_the_library_is_relative() -> None:
    for name, path in FILES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            assert not any(n.startswith("n6post") for n in names), f"{name}, line {node.lineno}"


@pytest.mark.parametrize("name", sorted(set(FILES) - {"__init__", "kernels"}))
def test_every_file_starts_with_a_docstring(name: str) -> None:
    text = ast.get_docstring(ast.parse(FILES[name].read_text(encoding="utf-8")))
    assert text and len(text.splitlines()[0]) > 20


def test_no_file_is_named_like_a_public_name_of_the_package() -> None:
    """`from n6post.x.draw import draw` must not replace the function n6post.draw by a module."""
    public = set(re.findall(r"^    (\w+)=\"", (LIB / "__init__.py").read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert public and not public & {path.stem for path in LIB.glob("*")}


# The color table of a class map in drawing/masks.py is not a parameter block: 256 RGB565 colors, then 256 alphas.
PALETTE = {"2 * class_id", "2 * class_id + 1", "512 + class_id"}


def test_parameter_blocks_are_indexed_by_name_outside_of_the_kernels() -> None:
    found = []
    for name, path in FILES.items():
        if name.startswith("kernels"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Subscript):
                continue
            subject = ast.unparse(node.value)
            if not re.search(r"\b(plan|params|placing|masking|search|hard|table|_plan|_params)$", subject):
                continue
            numbers = [n for n in ast.walk(node.slice) if isinstance(n, ast.Constant) and type(n.value) is int]
            if numbers and ast.unparse(node.slice) not in PALETTE:
                found.append(f"{name}, line {node.lineno}: {ast.unparse(node)}")
    assert found == []
