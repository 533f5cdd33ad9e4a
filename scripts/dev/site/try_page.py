"""The page "Try it in your browser": studio's page, with Python and LiteRT or ONNX Runtime in the browser in place of its
server.

`build` writes it, from packages of npm, whose versions and hashes are in try/npm; the page loads nothing from elsewhere. Its
files are in try/: server.js answers studio's page, python.js and network.js are its workers, modules/ is what Python needs
there besides n6post, some of studio's modules and the numpy-free ulab of the tests.
"""

import gzip
import importlib.util
import json
import shutil
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts" / "dev"), str(ROOT / "scripts")]
import npm
from n6post_pc import paths

paths.use_stand_ins()

TRY = Path(__file__).with_name("try")
LOCK = TRY / "npm"
PLACE = ROOT / "build" / "npm" / f"try-{sha256((LOCK / 'package-lock.json').read_bytes()).hexdigest()[:8]}"
STUDIO = ROOT / "scripts" / "n6post_pc" / "studio" / "page"
ULAB = ROOT / "host_tests" / "micropython" / "modules" / "ulab"

# What Python in the browser imports of the commands for a PC.
MODULES = ("__init__.py", "paths.py", "models/__init__.py", "models/results.py", "studio/__init__.py", "studio/controls.py",
           "studio/looks.py", "studio/script.py")  # fmt: skip

PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
# Not the faster one with "relaxed" SIMD, which few browsers have, and whose results may differ from machine to machine.
LITERT = ("litert_wasm_compat_internal.js", "litert_wasm_compat_internal.wasm")
ONNX = ("ort.wasm.bundle.min.mjs", "ort-wasm-simd-threaded.wasm")
LICENSES = {"Pyodide": "MPL-2.0", "Python": "Python-2.0", "LiteRT": "Apache-2.0", "ONNX-Runtime": "MIT"}
HOLDER = "<year> <copyright holders>", "Microsoft Corporation. All rights reserved."  # of the only one with a name in it

# LiteRT.js refuses tensors of int8, which its network could compute with.
INT8 = (
    ("    elementType: ElementType.UINT8\n  }\n]);\n",
     '    elementType: ElementType.UINT8\n  },\n  {\n    dtype: "int8",\n    typedArrayConstructor: Int8Array,\n'
     "    elementType: ElementType.INT8\n  }\n]);\n"),
    ('from "@litertjs/wasm-utils"', 'from "./wasm-utils.js"'),
)  # fmt: skip

# Studio's page without what only its server can do.
PAGE = (
    ("<title>n6post studio</title>", "<title>Try n6post in your browser</title>"),
    # What server.js asks for comes along with it.
    ('href="studio.css">', 'href="studio.css">\n<link rel="stylesheet" href="try.css">\n'
     '<link rel="modulepreload" href="server.js">\n<link rel="preload" href="data.json" as="fetch" crossorigin>'),
    ("> n6post studio</h1>", '> <a href="../">n6post</a> in your browser</h1>'),
    ('<label>Frame <select id="size">', '<label hidden>Frame <select id="size">'),
    ('<label class="switch" title="Computes', '<label hidden class="switch" title="Computes'),
    ('<label class="switch"><input type="checkbox" id="compare">',
     '<label hidden class="switch"><input type="checkbox" id="compare">'),
    ('<fieldset class="numbers">', '<fieldset hidden class="numbers">'),
    ('<label class="switch" title="Objects get', '<label hidden class="switch" title="Objects get'),
    ('<label class="switch optimized">', '<label hidden class="switch optimized">'),
    ('<img class="frame" alt="The camera\'s frame with the results drawn on it">',
     '<canvas class="frame" role="img" aria-label="The picture with the results drawn on it"></canvas>'),
    ("For this frame, it prints:", "For a frame of this picture's size, it prints:"),
    ("Dropped files are there as long as this page works.", "It needs n6post and these files there, and takes VGA frames."),
    ("Drop models (.tflite, .onnx), labels (.txt), pictures, videos, and true boxes (COCO's .json, YOLO's .txt)",
     "Drop a model (.tflite, .onnx), its labels (.txt) and pictures"),
)  # fmt: skip


def replaced(text: str, pairs: tuple[tuple[str, str], ...], where: str) -> str:
    """The text with each old text replaced by a new one. Exits unless each is there exactly once."""
    for old, new in pairs:
        if text.count(old) != 1:
            sys.exit(f"{where}: expected this text once, found it {text.count(old)} times: {old!r}")
        text = text.replace(old, new)
    return text


def build(folder: Path) -> str:
    """Write the page to a folder. Returns why it cannot be built, or ""."""
    if reason := npm.install(LOCK, PLACE):
        return reason
    packages = PLACE / "node_modules"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("pyodide", "litert", "onnx", "data", "licenses"):
        (folder / name).mkdir(exist_ok=True)
    for name in PYODIDE:
        shutil.copy(packages / "pyodide" / name, folder / "pyodide")
    for name in ONNX:
        shutil.copyfile(packages / "onnxruntime-web" / "dist" / name, folder / "onnx" / name)
    for name in LITERT:
        shutil.copyfile(packages / "@litertjs" / "core" / "wasm" / name, folder / "litert" / name)
    code = (packages / "@litertjs" / "core" / "dist" / "index.js").read_text(encoding="utf-8")
    (folder / "litert" / "index.js").write_text(replaced(code, INT8, "@litertjs/core"), encoding="utf-8")
    shutil.copyfile(packages / "@litertjs" / "wasm-utils" / "dist" / "index.js", folder / "litert" / "wasm-utils.js")
    for what, license_id in LICENSES.items():
        text = json.loads((packages / "spdx-license-list" / "licenses" / f"{license_id}.json").read_text(encoding="utf-8"))
        (folder / "licenses" / f"{what}.txt").write_text(text["licenseText"].replace(*HOLDER), encoding="utf-8")
    for file in (*STUDIO.iterdir(), *TRY.iterdir()):  # try/server.js comes second
        if file.is_file():
            shutil.copyfile(file, folder / file.name)
    intro = (TRY / "intro.html").read_text(encoding="utf-8")
    page = (STUDIO / "index.html").read_text(encoding="utf-8")
    page = replaced(page, (*PAGE, ("<nav>", intro + "<nav>")), "studio's page")
    (folder / "index.html").write_text(page, encoding="utf-8")
    (folder / "intro.html").unlink()
    modules(folder / "n6post.zip")
    data(folder / "data", packages)
    return ""


def modules(path: Path) -> None:
    """What Python in the browser imports, in the places of a wheel: see n6post_pc/paths.py."""
    files = {f"n6post_pc/{name}": ROOT / "scripts" / "n6post_pc" / name for name in MODULES}
    files |= {file.relative_to(TRY / "modules").as_posix(): file for file in (TRY / "modules").rglob("*.py")}
    files |= {f"ulab/{file.name}": file for file in ULAB.glob("*.py")}
    files |= {f"_viper/{file.name}": file for file in (ROOT / "stubs" / "_viper").glob("*.py")}
    library = [file for file in (ROOT / "lib").rglob("*.py") if not {"helium", "m7", "viper"} & set(file.parts)]
    files |= {f"n6post_pc/carried/lib/{file.relative_to(ROOT / 'lib').as_posix()}": file for file in library}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, file in sorted(files.items()):
            packed.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), file.read_bytes(), zipfile.ZIP_DEFLATED)


def data(folder: Path, packages: Path) -> None:
    """The sample network and its pictures, the recorded outputs and their photographs, and data.json about all of them."""
    from n6post.families import recognition
    from n6post_pc.demo import recorded
    from n6post_pc.models import graph
    from n6post_pc.models.run import FITS
    from n6post_pc.studio import controls

    def described(tensors: list[graph.Tensor]) -> list[dict[str, object]]:
        return [{"name": "", "shape": one.shape, "dtype": one.code, "scale": one.scale, "zero_point": one.zero_point}
                for one in tensors]  # fmt: skip

    network = graph.read(paths.SAMPLE_MODEL)
    shutil.copy(paths.SAMPLE_MODEL, folder)
    pictures = []
    for path in sorted(paths.SAMPLE_PICTURES.iterdir()):
        shutil.copy(path, folder)
        pictures.append({"id": path.stem, "name": path.name, "recorded": False})
    models: dict[str, dict[str, object]] = {}
    for model, name in recorded.names():
        found = recorded.load(model, name)
        raw = b"".join(tensor.values.tobytes() for tensor in found.tensors)
        (folder / f"{model}__{name}.gz").write_bytes(gzip.compress(raw, 9, mtime=0))
        outputs = [{"name": "", "shape": list(t.values.shape), "dtype": "b", "scale": t.scale, "zero_point": t.zero_point}
                   for t in found.tensors]  # fmt: skip
        shape = [1, found.size[1], found.size[0], 3]
        inputs = [{"name": "", "shape": shape, "dtype": "b", "scale": 1 / 255, "zero_point": -128}]
        entry = models.setdefault(model, {
            "name": model, "file": recorded.index()[model]["file"], "labels": found.labels,
            "described": {"inputs": inputs, "outputs": outputs, "recorded": {}},
        })  # fmt: skip
        entry["described"]["recorded"][name] = found.fit  # type: ignore[index]
        if not any(one["id"] == name for one in pictures):
            shutil.copy(photographs() / found.photograph, folder)
            pictures.append({"id": name, "name": found.photograph, "recorded": True})
    page = folder.parent
    loaded = (*page.glob("pyodide/*"), *page.glob("litert/*"), *page.glob("*.*"))
    (page / "data.json").write_text(json.dumps({
        "bytes": sum(file.stat().st_size for file in loaded),
        "onnx": sum(file.stat().st_size for file in page.glob("onnx/*")),
        "fits": {name: text for name, (_, text) in FITS.items()},
        "families": list(recognition.family_names()),
        "texts": {family: controls.help_texts(family) for family in recognition.family_names()},
        "sample": {
            "name": paths.SAMPLE_MODEL.name,
            "labels": paths.SAMPLE_MODEL.with_suffix(".txt").read_text(encoding="utf-8").split(),
            "described": {"inputs": described([network.tensors[i] for i in network.inputs]),
                          "outputs": described([network.tensors[i] for i in network.outputs])},
        },
        "recorded": list(models.values()),
        "pictures": pictures,
    }), encoding="utf-8")  # fmt: skip


def photographs() -> Path:
    """The folder of scikit-image's photographs."""
    return Path(str(importlib.util.find_spec("skimage").origin)).parent / "data"  # type: ignore[union-attr]


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1])) or None)
