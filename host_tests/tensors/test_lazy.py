"""lib/n6post/tensors/lazy.py: modules that are imported on first use, once."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import n6post.drawing.masks
import pytest
from n6post.tensors import lazy


def test_a_module_is_named_from_the_package_on() -> None:
    assert lazy.module("drawing.masks") is n6post.drawing.masks is sys.modules["n6post.drawing.masks"]
    assert lazy.module("tensors.lazy") is lazy


def test_a_module_is_imported_once_and_then_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = builtins.__import__

    def noting(name: str, *more: Any) -> Any:
        asked.append(name)
        return real(name, *more)

    monkeypatch.setattr(lazy, "_modules", {})
    monkeypatch.setattr(builtins, "__import__", noting)
    first = lazy.module("tensors.label_sets")
    assert asked.count("n6post.tensors.label_sets") == 1
    assert lazy.module("tensors.label_sets") is first is sys.modules["n6post.tensors.label_sets"]
    assert asked.count("n6post.tensors.label_sets") == 1


def test_a_module_that_cannot_be_imported_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a camera an import may run out of memory."""
    monkeypatch.setattr(lazy, "_modules", {})
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "n6post.tensors.label_sets", None)
        with pytest.raises(ImportError):
            lazy.module("tensors.label_sets")
    assert lazy.module("tensors.label_sets").class_name(0, 80) == "person"


def test_a_misspelled_module_is_an_import_error() -> None:
    with pytest.raises(ImportError, match="n6post.no_such_module"):
        lazy.module("no_such_module")
