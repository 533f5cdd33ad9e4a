"""Text files are read and written as UTF-8, whatever the system's default encoding is (Windows: cp1252)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Files that also run on MicroPython, or that open files as a camera script does: `open` is the camera's function there.
ON_A_CAMERA = ("scripts/device/", "scripts/examples/", "host_tests/micropython/", "host_tests/stubs/test_stub_drives.py")
FILES = [
    path
    for folder in ("scripts", "host_tests", "stubs")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if not path.relative_to(ROOT).as_posix().startswith(ON_A_CAMERA)
]
# Their .open
NO_FILES = ("os", "Image", "PilImage", "pillow", "_pillow()", "av", "wave", "zipfile", "gzip", "lzma", "tarfile")


def without_encoding(tree: ast.Module) -> Iterator[ast.Call]:
    """Calls that read or write text without an encoding."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or any(keyword.arg in ("encoding", None) for keyword in node.keywords):
            continue
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
        owner = ast.unparse(called.value) if isinstance(called, ast.Attribute) else ""
        modes = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "mode")]
        if (name, len(node.args)) in (("read_text", 0), ("write_text", 1)):
            yield node
        elif name == "open" and owner not in NO_FILES:
            if not any(isinstance(mode, ast.Constant) and mode.value in ("rb", "wb", "ab", "xb", "r+b") for mode in modes):
                yield node


def test_every_text_file_is_opened_with_an_encoding() -> None:
    assert len(FILES) > 150
    found = [
        f"{path.relative_to(ROOT)}:{call.lineno}: {ast.unparse(call)}"
        for path in FILES
        for call in without_encoding(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found, 'these lack encoding="utf-8":\n' + "\n".join(found)


@pytest.mark.parametrize("code, count", [
    ("p.read_text()", 1), ("p.write_text(x)", 1), ("open(p)", 1), ("p.open('w')", 1), ("open(p, 'a', newline='')", 1),
    ("p.read_text(encoding='utf-8')", 0), ("p.write_text(x, encoding='utf-8')", 0), ("open(p, 'rb')", 0),
    ("p.open(mode='wb')", 0), ("PilImage.open(p)", 0), ("os.open(p, 0)", 0), ("open(p, encoding='utf-8')", 0),
])  # fmt: skip
def test_calls_without_an_encoding_are_found(code: str, count: int) -> None:
    assert len(list(without_encoding(ast.parse(code)))) == count
