"""lib/n6post/tensors/lazy.py: modules that are imported on first use, once."""

from __future__ import annotations

import builtins
import re
import sys
from pathlib import Path
from typing import Any

import n6post.drawing.masks
import pytest
from n6post.tensors import lazy


def test_a_module_is_named_from_the_package_on() -> None:
    assert lazy.later.drawing_masks is n6post.drawing.masks is sys.modules["n6post.drawing.masks"]
    assert lazy.later.tensors_lazy is lazy


def test_a_module_is_imported_once_and_then_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = builtins.__import__

    def noting(name: str, *more: Any) -> Any:
        asked.append(name)
        return real(name, *more)

    later = lazy._Later()
    monkeypatch.setattr(builtins, "__import__", noting)
    first = later.tensors_label_sets
    assert asked.count("n6post.tensors.label_sets") == 1
    assert later.tensors_label_sets is first is sys.modules["n6post.tensors.label_sets"]
    assert asked.count("n6post.tensors.label_sets") == 1


def test_a_module_that_cannot_be_imported_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a camera an import may run out of memory."""
    later = lazy._Later()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "n6post.tensors.label_sets", None)
        with pytest.raises(ImportError):
            getattr(later, "tensors_label_sets")  # noqa: B009
    assert later.tensors_label_sets.class_name(0, 80) == "person"


def test_kernels_have_a_folder_more() -> None:
    assert lazy._Later().kernels_portable_boxes is sys.modules["n6post.kernels.portable.boxes"]


def test_a_misspelled_module_is_an_import_error() -> None:
    with pytest.raises(ImportError, match="n6post.no"):
        getattr(lazy.later, "no_such_module")  # noqa: B009


def test_type_checkers_see_each_module_that_is_used() -> None:
    lib = Path(lazy.__file__).parents[1]
    used = {name for file in lib.rglob("*.py") for name in re.findall(r"\blater\.(\w+)", file.read_text(encoding="utf-8"))}
    declared = Path(lazy.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    assert set(re.findall(r" as (\w+)$", declared, re.MULTILINE)) == used
