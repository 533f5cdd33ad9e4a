"""lib/n6post/__init__.py: the public names, loaded on first use."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import n6post
import pytest
import vm
from n6post_pc.build.command import compile_file

ROOT = Path(__file__).resolve().parents[1]
YOLO = ["YoloV8", "YoloV8Seg"]
PUBLIC = [*YOLO, "Detection", "Mask", "draw", "to_openmv", "Stretch", "Crop", "Letterbox"]


def run(code: str) -> str:
    """The output of a new interpreter."""
    path = f"import sys; sys.path[:0] = [{str(ROOT / 'lib')!r}, {str(ROOT / 'stubs')!r}]\n"
    command = [sys.executable, "-c", path + code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_can_be_loaded(name: str) -> None:
    value = getattr(n6post, name)
    assert getattr(n6post, name) is value
    assert value.__module__.startswith("n6post")


def test_names_can_be_imported_from_the_package() -> None:
    assert run("from n6post import YoloV8Seg, draw, Letterbox; print(YoloV8Seg.__name__)") == "YoloV8Seg"


def test_the_package_loads_no_module_before_a_name_is_used() -> None:
    listed = "print(sorted(m for m in sys.modules if m.startswith('n6post') or m in ('ulab', 'image', 'ml')))"
    assert run(f"import n6post; {listed}") == "['n6post']"


def test_a_name_loads_only_its_own_family() -> None:
    listed = "print([m for m in ('deeplab', 'movenet', 'doctor', 'models', 'draw') if 'n6post.' + m in sys.modules])"
    assert run(f"import n6post; n6post.YoloV8; {listed}") == "[]"


def test_drawing_without_masks_does_not_load_what_draws_masks() -> None:
    code = "import image, n6post; d = n6post.Detection((2, 3, 20, 20), 0.9, 0, 'person', None, None)\n"
    code += "img = image.Image(64, 48, image.RGB565); n6post.draw(img, [d]); n6post.draw(img, [])\n"
    assert run(code + "print(any(img.bytearray()), 'n6post.drawing.masks' in sys.modules)") == "True False"


def test_submodules_can_be_imported_and_reached() -> None:
    assert importlib.import_module("n6post.tensors.quantization") is sys.modules["n6post.tensors.quantization"]
    code = "from n6post.inputs.transform import transform_of; print(transform_of.__module__)"
    assert run(code) == "n6post.inputs.transform"


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="YoloV9"):
        n6post.YoloV9  # noqa: B018
    assert not hasattr(n6post, "__path_to_nowhere__")
    with pytest.raises(ImportError):
        exec("from n6post import YoloV9")


@pytest.mark.parametrize("name", ["quant", "kernels", ".", "/", "", "n6post", "__wrapped__"])
def test_a_private_name_is_an_attribute_error_and_imports_no_module(name: str) -> None:
    code = f"""
import n6post
before = set(sys.modules)
try:
    getattr(n6post, {name!r})
except AttributeError:
    print(set(sys.modules) - before)
"""
    assert run(code) == "set()"


def on_micropython(code: str) -> str:
    """The output of a MicroPython with ulab, if the environment names one."""
    binary = vm.with_ulab()
    done = subprocess.run([binary, "-c", code], env={"MICROPYPATH": str(ROOT / "lib")}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def test_dir_on_micropython_lists_the_public_names_and_loads_no_copy() -> None:
    shown = on_micropython("import n6post, sys; print(dir(n6post)); print(sorted(sys.modules))").splitlines()
    names, modules = ast.literal_eval(shown[0]), ast.literal_eval(shown[1])
    assert set(dir(n6post)) <= set(names)
    files = [path.relative_to(ROOT / "lib").with_suffix("") for path in (ROOT / "lib").rglob("*.py")]
    known = {".".join(file.parts).removesuffix(".__init__") for file in files}
    known |= {name.rpartition(".")[0] for name in known}  # folders
    assert {m for m in modules if m.startswith("n6post")} <= known


def test_a_private_name_is_an_attribute_error_on_micropython_too() -> None:
    code = "import n6post, sys\nfor name in ('quant', '.', '/', 'n6post', 'YoloV9'):\n"
    code += "    try:\n        getattr(n6post, name)\n        print(name)\n    except AttributeError:\n        pass\n"
    assert on_micropython(code + "print(len([m for m in sys.modules if m.startswith('n6post')]))") == "1"


# What the file prints when MicroPython runs it: on a camera (with a module omv) or not, from a folder, in a folder.
STARTED = """
import os, sys
sys.modules.pop("omv", None)
if {camera}:
    sys.modules["omv"] = sys
try:
    os.mkdir("{cwd}")
except OSError:
    pass
os.chdir("{cwd}")
exec(open("/lib/n6post/__init__.py").read(), {{"__name__": "n6post", "__path__": "{path}", "__file__": "{file}"}})
"""
COPIED = {"camera": True, "cwd": "/flash", "path": "/flash/lib/n6post", "file": "/flash/lib/n6post/__init__.py"}


def test_sources_on_a_camera_recommend_compiled_files_in_one_line() -> None:
    machine = vm.with_lib()
    try:
        (said,) = machine.run(STARTED.format(**COPIED)).splitlines()
        assert said.startswith("n6post: ") and "Compiled files start 10 to 20 times faster" in said
        in_cwd = {"path": "n6post", "file": "n6post/__init__.py"}
        assert machine.run(STARTED.format(**COPIED | in_cwd)).splitlines() == [said]
        for other in (
            {"camera": False},
            {"cwd": "/remote", **in_cwd},  # the files of a PC
            {"path": "/remote/lib/n6post"},
            {"path": ".frozen/n6post", "file": "n6post/__init__.py"},
            {"file": "/flash/lib/n6post/__init__.mpy"},  # compiled without -O3
        ):
            assert machine.run(STARTED.format(**COPIED | other)) == ""
    finally:
        machine.close()


def test_compiled_files_do_not_contain_the_recommendation(tmp_path: Path) -> None:
    compile_file(ROOT / "lib" / "n6post" / "__init__.py", tmp_path / "init.mpy", "n6post/__init__.py", None)
    assert b"ompiled files" not in (tmp_path / "init.mpy").read_bytes()


def test_modules_of_the_firmware_are_remembered_after_an_import() -> None:
    machine = vm.with_lib()
    try:
        shown = machine.run("import sys, n6post\nprint(sorted(m for m in sys.modules if m[:6] != 'n6post'))")
        assert {"array", "collections", "struct"} <= set(ast.literal_eval(shown))
    finally:
        machine.close()


def test_help_lists_the_public_names_and_no_table_of_files() -> None:
    machine = vm.with_lib()
    try:
        shown = machine.run("import n6post\nhelp(n6post)")
        assert "tracking.polygon_zone" not in shown and "'PolygonZone'" in shown
        assert max(map(len, shown.splitlines())) < 1000
    finally:
        machine.close()


def test_the_public_names_are_identifiers_that_micropython_interns() -> None:
    """Strings of more than ten characters are not interned, and dir() would not find them."""
    tree = ast.parse((ROOT / "lib" / "n6post" / "__init__.py").read_text(encoding="utf-8"))
    (table,) = [n.value for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "_EXPORTS"]
    assert isinstance(table, ast.Call) and not table.args
    assert {keyword.arg for keyword in table.keywords} | {"__version__"} == set(dir(n6post))


def test_the_version_has_three_numbers() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", n6post.__version__)


@pytest.mark.parametrize("package", ["scipy.fft", "skimage.filters", "sklearn", "supervision", "pandas", "cv2", "torch"])
def test_other_packages_still_import_after_it(package: str) -> None:
    """SciPy looks for PyPI's `uarray`, for example: no stand-in may have the name of a package."""
    pytest.importorskip(package.partition(".")[0])
    assert run(f"import n6post, ulab, image, ml; import {package}; print('imported')") == "imported"
