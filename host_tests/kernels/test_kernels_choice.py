"""lib/n6post/kernels/__init__.py: the kernels are selected by the core alone, with the portable ones as a fallback."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from fakes import BUILD

ROOT = Path(__file__).parents[2]
M55 = (0x12100211, 0x00000040, 0x01111131)  # MVFR1, MVFR2 and ID_ISAR3 of a Cortex-M55
M7 = (0x12000011, 0x00000040, 0x01111131)
M4 = (0x11000011, 0, 0x01111131)  # its floating-point unit has no instructions for rounding and maximum
M33 = (0x11000011, 0x00000040, 0x01111110)  # without the DSP extension
REGISTERS = 0xE000EF44, 0xE000EF48, 0xE000ED6C


class Memory(dict[int, int]):
    """mem32 with a few readable addresses."""


def chosen(
    monkeypatch: pytest.MonkeyPatch,
    arch: int | None = 8,
    platform: str = "OpenMV-N6",
    machine: tuple[int, int, int] | None = M55,
    fails: object = None,
    u: bool = True,
) -> Any:
    """Run kernels/__init__.py as on this port. `fails`: the exception that importing machine code raises, or None.

    machine: the port's three registers, or None for a port without mem32; u: whether the name umachine exists too."""
    if arch is None:
        monkeypatch.delattr(sys.implementation, "_mpy", raising=False)
    else:
        monkeypatch.setattr(sys.implementation, "_mpy", arch << 10 | 0x306, raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    modules = types.ModuleType("machine")
    if machine is not None:
        modules.mem32 = Memory(zip(REGISTERS, machine))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "machine", modules)
    monkeypatch.setitem(sys.modules, "umachine", modules if u else None)
    spec = importlib.util.spec_from_file_location("chosen_kernels", ROOT / "lib/n6post/kernels/__init__.py")
    assert spec and spec.loader
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.imported = []

    def import_group(name: str, *_: object) -> Any:
        module.imported.append(name.removeprefix("n6post.kernels."))
        if "portable" not in name and isinstance(fails, BaseException):
            raise fails
        return f"the module {module.imported[-1]}"

    module.__import__ = import_group  # the function that `load` calls
    return module


@pytest.mark.parametrize("arch", [6, 7, 8])
@pytest.mark.parametrize("platform", ["OpenMV-N6", "OpenMV-AE3", "anything"])
def test_helium_is_used_if_the_register_reports_it_on_any_board(
    monkeypatch: pytest.MonkeyPatch, arch: int, platform: str
) -> None:
    assert chosen(monkeypatch, arch, platform).active == "helium"


@pytest.mark.parametrize("group", BUILD["GROUPS"])
def test_portable_kernels_are_not_imported_with_helium(monkeypatch: pytest.MonkeyPatch, group: str) -> None:
    module = chosen(monkeypatch)
    assert module.load(group) == f"the module helium.{group}"
    assert module.imported == [f"helium.{group}"]


@pytest.mark.parametrize("group", BUILD["GROUPS"])
@pytest.mark.parametrize("arch", [6, 7, 8])
def test_a_cortex_m7_imports_only_the_m7_kernels(monkeypatch: pytest.MonkeyPatch, arch: int, group: str) -> None:
    module = chosen(monkeypatch, arch, machine=M7, platform="OpenMV-H7+")
    assert module.load(group) == f"the module m7.{group}"
    assert (module.active, module.imported) == ("m7", [f"m7.{group}"])


@pytest.mark.parametrize("core", [M4, M33])
def test_other_cores_import_only_the_portable_kernels(
    monkeypatch: pytest.MonkeyPatch, core: tuple[int, int, int]
) -> None:
    module = chosen(monkeypatch, machine=core, platform="OpenMV")
    assert module.load("boxes") == "the module portable.boxes"
    assert (module.active, module.imported) == ("portable", ["portable.boxes"])


def test_machine_is_used_if_there_is_no_umachine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen(monkeypatch, u=False).active == "helium"


@pytest.mark.parametrize(
    ("arch", "platform"),
    [(None, "linux"), (None, "OpenMV-N6"), (0, "x"), (1, "linux"), (2, "darwin"), (3, "linux"), (4, "rp2"), (5, "x"),
     (8, "linux"), (9, "esp32"), (10, "esp32"), (11, "rp2")],
)  # fmt: skip
def test_the_register_is_read_only_on_cores_that_have_it(
    monkeypatch: pytest.MonkeyPatch, arch: int | None, platform: str
) -> None:
    def no(*_: object) -> int:
        raise AssertionError("read")

    monkeypatch.setattr(Memory, "__getitem__", no)
    assert chosen(monkeypatch, arch, platform).active == "portable"


def test_a_port_without_mem32_uses_the_portable_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen(monkeypatch, machine=None).active == "portable"


@pytest.mark.parametrize(
    "error",
    [
        ImportError("no module named 'n6post.kernels.helium'"),
        SyntaxError("invalid micropython decorator"),  # the source file, on a firmware without the inline assembler
        ValueError("incompatible .mpy file"),
        ValueError("native code in .mpy unsupported"),
    ],
)
@pytest.mark.parametrize(("kind", "machine"), [("helium", M55), ("m7", M7)])
def test_portable_kernels_replace_machine_code_that_does_not_load(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    kind: str,
    machine: tuple[int, int, int],
) -> None:
    module = chosen(monkeypatch, machine=machine, fails=error)
    assert module.active == kind
    assert module.load("maps") == "the module portable.maps"
    assert module.load("boxes") == "the module portable.boxes"
    assert (module.active, module.imported) == ("portable", [f"{kind}.maps", "portable.maps", "portable.boxes"])
    assert capsys.readouterr() == ("", "")


def test_a_memory_error_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    module = chosen(monkeypatch, fails=MemoryError("memory allocation failed"))
    with pytest.raises(MemoryError):
        module.load("boxes")
    assert module.active == "helium"


def test_cpython_uses_the_portable_kernels() -> None:
    code = "from n6post.kernels import active, maps; print(active, maps.class_map.__module__)"
    path = f"import sys; sys.path[:0] = [{str(ROOT / 'lib')!r}, {str(ROOT / 'stubs')!r}]\n"
    done = subprocess.run([sys.executable, "-c", path + code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["portable", "n6post.kernels.portable.maps"]
    assert done.stderr == ""


@pytest.mark.parametrize("group", BUILD["GROUPS"])
def test_a_group_has_all_of_its_kernels_by_name(group: str) -> None:
    offered = getattr(importlib.import_module("n6post.kernels"), group)
    assert offered is importlib.import_module(f"n6post.kernels.portable.{group}")
    assert [name for name in BUILD["GROUPS"][group] if not callable(getattr(offered, name))] == []


def test_an_unknown_group_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no kernels 'bixes'"):
        importlib.import_module("n6post.kernels").bixes  # noqa: B018


@pytest.mark.parametrize(
    ("kind", "interpreter", "fast"),
    [("helium", "micropython", True), ("m7", "micropython", True), ("portable", "micropython", False),
     ("portable", "cpython", True)],
)  # fmt: skip
def test_loops_over_pixels_are_fast_with_machine_code_and_on_a_pc(
    kind: str, interpreter: str, fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = importlib.import_module("n6post.kernels")
    monkeypatch.setattr(kernels, "active", kind)
    monkeypatch.setattr(sys, "implementation", types.SimpleNamespace(name=interpreter))
    assert kernels.are_fast() is fast


def test_drawing_modules_are_loaded_by_the_first_drawing() -> None:
    code = (
        "import sys, n6post; n6post.YoloV8Seg; n6post.DeepLab; n6post.MoveNet;"
        "print([m for m in sys.modules if 'draw' in m or m.endswith(('.colors', '.pixel_edges', '.poses', '.mask_image'))])"
    )
    path = f"import sys; sys.path[:0] = [{str(ROOT / 'lib')!r}, {str(ROOT / 'stubs')!r}]\n"
    done = subprocess.run([sys.executable, "-c", path + code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
