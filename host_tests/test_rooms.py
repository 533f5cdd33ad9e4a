"""The rooms of lib: who may import whom, read from the imports themselves. docs/architecture.md shows the same."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = runpy.run_path(str(ROOT / "scripts" / "dev" / "rooms.py"))
FILES: dict[str, Path] = ROOMS["files"]()
GRAPH: dict[str, list[str]] = ROOMS["graph"]()


def test_every_file_has_its_place_in_a_row() -> None:
    assert sorted({name.split(".")[0] for name in FILES}) == sorted(room for _, rooms in ROOMS["ROWS"] for room in rooms)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_file_imports_from_its_own_row_and_from_rows_below_only(name: str) -> None:
    row_of = ROOMS["row_of"]
    assert [other for other in GRAPH[name] if row_of(other) < row_of(name)] == []


def test_no_imports_run_in_a_circle() -> None:
    assert ROOMS["circles"](GRAPH) == []
    assert ROOMS["circles"]({"a": ["b"], "b": ["c"], "c": ["a"]}) == [["a", "b", "c"]]


def test_every_import_within_the_library_is_relative() -> None:
    for name, path in FILES.items():
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            assert not any(n.startswith("n6post") for n in names), f"{name}, line {node.lineno}"


def test_the_picture_shows_the_imports_as_they_are() -> None:
    assert ROOMS["PICTURE"].read_text() == ROOMS["svg"](), "run python3 scripts/dev/rooms.py"


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
