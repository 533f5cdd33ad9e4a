"""The rooms of lib: who may import whom, read from the imports themselves. docs/architecture.md shows the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

LIB = Path(__file__).parents[1] / "lib" / "n6post"

# From top to bottom: a file imports from rows below its own, and from its own row.
ROWS = [
    {"__init__"},
    {"models", "doctor"},
    {"yolo", "yolo_seg", "yolo_pose", "movenet", "deeplab", "processor"},
    {"draw", "skeleton"},
    {"detection", "mask", "contour", "segmentation", "painting"},
    {"nms", "geometry", "inputs"},
    {"kernels"},
    {"quant", "layout", "labels", "joints", "pixels", "options"},
]


def files() -> dict[str, Path]:
    """Every file of lib by its dotted name: "yolo", "kernels", "kernels.plans"."""
    found = {}
    for path in sorted(LIB.rglob("*.py")):
        parts = list(path.relative_to(LIB).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)] = path
    return found


def imports(name: str, path: Path) -> Iterator[str]:
    """The files of lib that a file imports, at its top or inside a function."""
    here = name.split(".") if path.name == "__init__.py" and name != "__init__" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert not any(alias.name.startswith("n6post") for alias in node.names), f"{name}: import n6post..."
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = here[: len(here) - node.level + 1] + (node.module.split(".") if node.module else [])
        for alias in node.names:
            target = ".".join([*base, alias.name])
            yield target if target in FILES else ".".join(base)


FILES = files()
GRAPH = {name: sorted(set(imports(name, path)) - {name}) for name, path in FILES.items()}


def row_of(name: str) -> int:
    room = name.split(".")[0]
    return next(number for number, row in enumerate(ROWS) if room in row)


def test_every_file_has_its_place_in_a_row() -> None:
    rooms = {name.split(".")[0] for name in FILES}
    assert rooms == set().union(*ROWS)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_file_imports_from_its_own_row_and_from_rows_below_only(name: str) -> None:
    assert [other for other in GRAPH[name] if row_of(other) < row_of(name)] == []


def test_no_imports_run_in_a_circle() -> None:
    def walk(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, f"a circle: {' -> '.join([*path, name])}"
        for other in GRAPH[name]:
            walk(other, (*path, name))

    for name in GRAPH:
        walk(name, ())


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_package_is_never_asked_for_a_file(name: str) -> None:
    """On MicroPython `from . import nms` asks the package's __getattr__, which knows public names only."""
    for node in ast.walk(ast.parse(FILES[name].read_text())):
        if isinstance(node, ast.ImportFrom) and node.level and not node.module:
            raise AssertionError(f"{name}, line {node.lineno}: write `from .file import name`")


@pytest.mark.parametrize("name", sorted(set(FILES) - {"__init__", "kernels"}))
def test_every_file_says_first_what_it_is_for(name: str) -> None:
    text = ast.get_docstring(ast.parse(FILES[name].read_text()))
    assert text and len(text.splitlines()[0]) > 20


def test_nothing_of_the_library_asks_what_an_object_has() -> None:
    asked = [name for name, path in FILES.items() if re.search(r"\bhasattr\(", path.read_text())]
    assert asked == []


def test_no_position_of_a_plan_or_table_is_a_number_outside_the_kernels() -> None:
    """Plans and tables are indexed by names of kernels/plans.py and its neighbours alone."""
    found = []
    for name, path in FILES.items():
        if name.startswith("kernels"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Subscript):
                continue
            subject = ast.unparse(node.value)
            if not re.search(r"\b(plan|placing|masking|search|hard|table|_plan)$", subject):
                continue
            numbers = [n for n in ast.walk(node.slice) if isinstance(n, ast.Constant) and type(n.value) is int]
            if numbers and ast.unparse(node.slice) not in PALETTE:
                found.append(f"{name}, line {node.lineno}: {ast.unparse(node)}")
    assert found == []


# painting.py's colour table of a class map is no plan: 256 RGB565 colours, then 256 alphas.
PALETTE = {"2 * class_id", "2 * class_id + 1", "512 + class_id"}
