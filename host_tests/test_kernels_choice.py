"""lib/n6post/kernels/__init__.py: which kernels are taken, told from the core alone, and when it falls back."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from n6post.kernels import portable

ROOT = Path(__file__).parents[1]
HELIUM = 0x12100211  # MVFR1 of a Cortex-M55
WITHOUT = 0x12000011  # and of a Cortex-M7
MVFR1 = 0xE000EF44
NAMES = [
    "candidates",
    "suppress",
    "place",
    "prototype_mask",
    "class_map",
    "count",
    "peaks",
    "tint_mask",
    "tint_map",
    "box",
    "aim",
]


class Memory(dict[int, int]):
    """mem32 of which one address may be read."""


def chosen(
    monkeypatch: pytest.MonkeyPatch,
    arch: int | None = 8,
    platform: str = "OpenMV-N6",
    machine: object = HELIUM,
    helium: object = None,
    u: bool = True,
) -> Any:
    """kernels/__init__.py as it runs on such a port. `helium`: the module, or what importing it raises; None: a fake one.
    machine: MVFR1, or None for a port without mem32; u: whether there is the name umachine too."""
    if arch is None:
        monkeypatch.delattr(sys.implementation, "_mpy", raising=False)
    else:
        monkeypatch.setattr(sys.implementation, "_mpy", arch << 10 | 0x306, raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    modules = types.ModuleType("machine")
    if machine is not None:
        modules.mem32 = Memory({MVFR1: machine})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "machine", modules)
    monkeypatch.setitem(sys.modules, "umachine", modules if u else None)
    imported: list[str] = []

    class Finder:
        """Where `from .helium import *` and `from .portable import *` of the package below arrive."""

        def find_spec(self, name: str, path: object, target: object = None) -> Any:
            if not name.startswith("chosen_kernels."):
                return None
            imported.append(name.rpartition(".")[2])
            return importlib.util.spec_from_loader(name, self)  # type: ignore[arg-type]

        def create_module(self, spec: Any) -> Any:
            return None

        def exec_module(self, module: Any) -> None:
            if module.__name__.endswith("helium") and isinstance(helium, BaseException):
                raise helium
            source = f"the {module.__name__.rpartition('.')[2]} one"
            module.__dict__.update({name: source for name in NAMES})

    for name in [name for name in sys.modules if name.startswith("chosen_kernels")]:
        monkeypatch.delitem(sys.modules, name)
    spec = importlib.util.spec_from_file_location(
        "chosen_kernels", ROOT / "lib/n6post/kernels/__init__.py", submodule_search_locations=[]
    )
    assert spec and spec.loader
    module: Any = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "chosen_kernels", module)
    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    try:
        spec.loader.exec_module(module)
    finally:
        for name in [name for name in sys.modules if name.startswith("chosen_kernels.")]:
            del sys.modules[name]
    for name in NAMES:
        assert getattr(module, name) == f"the {module.active} one"
    module.imported = imported
    return module


@pytest.mark.parametrize("arch", [6, 7, 8])
@pytest.mark.parametrize("platform", ["OpenMV-N6", "OpenMV-AE3", "anything"])
def test_helium_is_taken_where_the_register_says_so_whatever_the_board(
    monkeypatch: pytest.MonkeyPatch, arch: int, platform: str
) -> None:
    assert chosen(monkeypatch, arch, platform).active == "helium"


def test_portable_is_not_even_imported_where_helium_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen(monkeypatch).imported == ["helium"]


def test_a_core_without_helium_takes_portable_and_does_not_import_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    module = chosen(monkeypatch, machine=WITHOUT, platform="OpenMV-H7+")
    assert (module.active, module.imported) == ("portable", ["portable"])


def test_machine_serves_where_there_is_no_umachine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen(monkeypatch, u=False).active == "helium"


@pytest.mark.parametrize(
    ("arch", "platform"),
    [(None, "linux"), (None, "OpenMV-N6"), (0, "x"), (1, "linux"), (2, "darwin"), (3, "linux"), (4, "rp2"), (5, "x"),
     (8, "linux"), (9, "esp32"), (10, "esp32"), (11, "rp2")],
)  # fmt: skip
def test_the_register_is_not_read_where_it_may_not_exist(
    monkeypatch: pytest.MonkeyPatch, arch: int | None, platform: str
) -> None:
    def no(*_: object) -> int:
        raise AssertionError("read")

    monkeypatch.setattr(Memory, "__getitem__", no)
    assert chosen(monkeypatch, arch, platform).active == "portable"


def test_a_port_without_mem32_takes_portable(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen(monkeypatch, machine=None).active == "portable"


@pytest.mark.parametrize(
    "error",
    [
        ImportError("no module named 'n6post.kernels.helium'"),
        SyntaxError("invalid micropython decorator"),  # the source, on a firmware without the inline assembler
        ValueError("incompatible .mpy file"),
        ValueError("native code in .mpy unsupported"),
    ],
)
def test_it_falls_back_silently_where_helium_does_not_load(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    module = chosen(monkeypatch, helium=error)
    assert (module.active, module.imported) == ("portable", ["helium", "portable"])
    assert capsys.readouterr() == ("", "")


def test_a_full_heap_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MemoryError):
        chosen(monkeypatch, helium=MemoryError("memory allocation failed"))


def test_cpython_takes_portable() -> None:
    code = "from n6post import kernels; print(kernels.active, kernels.class_map.__module__)"
    path = f"import sys; sys.path[:0] = [{str(ROOT / 'lib')!r}, {str(ROOT / 'stubs')!r}]\n"
    done = subprocess.run([sys.executable, "-c", path + code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["portable", "n6post.kernels.portable"]
    assert done.stderr == ""


def test_the_package_offers_every_kernel_of_portable_by_name() -> None:
    from n6post import kernels

    for name in NAMES:
        assert getattr(kernels, name) is getattr(portable, name)
