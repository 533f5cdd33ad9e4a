"""Show the library's results for recorded outputs of real networks: n6post demo, scripts/demo.py.

Passes the outputs of int8 models for a few photographs (recorded.py) to n6post's post-processors, as the camera does, prints
the results, and writes annotated pictures to out/.
"""

import importlib.util
import os
import shutil
from pathlib import Path
from typing import Any

import image
import n6post
from rich.progress import Progress, SpinnerColumn, TextColumn

from .. import files, paths, terminal
from ..command import FINE, parser
from ..models import pictures, results
from . import gallery, recorded, street_gif, street_heads

# A title for each recorded model, and its pictures that the pages show (public domain or CC0).
TITLES = {
    "yolov8n_seg_320": ("YOLOv8n-seg, 320 x 320: instances with masks", ["chelsea", "coffee", "camera"]),
    "yolov8n_192": ("YOLOv8n, 192 x 192: boxes", ["astronaut", "camera"]),
    "yolov8n_pose_256": ("YOLOv8n-pose, 256 x 256: people with keypoints", ["astronaut", "camera"]),
    "movenet_17_192": ("MoveNet, 17 keypoints, 192 x 192: one person", ["astronaut", "camera"]),
    "movenet_13_192": ("MoveNet, 13 keypoints (ST), 192 x 192: one person", []),
    "deeplab_320": ("DeepLab v3, 320 x 320: a class for every pixel", ["astronaut", "camera"]),
}
DOCS_HEIGHT = 320
STREET = "street"  # the name of the tracked sequence
OPTIMIZED = "optimized"  # the name of the picture of what `n6post optimize` gains


def photograph(recording: recorded.Recording) -> image.Image:
    return image.Image(str(_photographs() / recording.photograph)).to_rgb565(copy=True)


def _photographs() -> Path:
    """The folder of scikit-image's photographs. It is not imported, because the demo does not install its dependencies."""
    package = importlib.util.find_spec("skimage")
    if package is None or package.origin is None:
        raise ModuleNotFoundError(name="skimage")
    return Path(package.origin).parent / "data"


def process(recording: recorded.Recording, img: image.Image) -> Any:
    """The result of `model.predict([fitted image])` on the camera, with recorded outputs instead of a network."""
    model = recording.model()
    fitted = {"stretch": n6post.Stretch, "letterbox": n6post.Letterbox}[recording.fit](img)
    processor = n6post.processor_for(model)  # chosen by the output shapes; or use n6post.YoloV8Seg() and so on
    return processor(model, [fitted], model.outputs())


def write_docs(model: str, docs: Path) -> None:
    """Write the pages' picture of a model: a few photographs side by side, with results drawn at the final size."""
    drawn = []
    for picture in TITLES[model][1]:
        recording = recorded.load(model, picture)
        full = photograph(recording)
        scale = DOCS_HEIGHT / full.height()
        img = full.copy(x_scale=scale, y_scale=scale, hint=image.BILINEAR)
        drawn.append(n6post.draw(img, process(recording, img)))
    strip = image.Image(sum(img.width() for img in drawn), DOCS_HEIGHT, image.RGB565)
    x = 0
    for img in drawn:
        strip.draw_image(img, x, 0)
        x += img.width()
    strip.save(str(docs / f"{model}.jpg"), quality=90)


DESCRIPTION = """\
Show the results of n6post for recorded outputs of thirteen networks on a few pictures, as on a camera. The demo prints a
table for each network, and writes the pictures with the results drawn on them, a street with tracked people as an animated
GIF, and a picture of what optimizing a model gains. You need neither a camera nor a model. It takes about 10 seconds."""
EXAMPLES = ("", "yolov8n_seg_320 --out drawn", "faces", "street")


def main(argv: list[str], prog: str) -> int:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    names = [*TITLES, *gallery.PICTURES, STREET, OPTIMIZED]
    command.add_argument("models", nargs="*", metavar="model", help=f"run only these: {', '.join(names)} (default: all)")
    command.add_argument("-o", "--out", type=Path, default=Path("out"), metavar="FOLDER",
                         help="folder of the pictures (default out/)")  # fmt: skip
    if paths.CHECKOUT:
        command.add_argument("--update-docs", action="store_true", help="for maintainers: also write the pictures in docs/")
    arguments = command.parse_args(argv)
    for model in arguments.models:
        if model not in names:
            command.error(f"no recording of {model}; choose from {', '.join(names)}")
    _photographs()  # if they are missing, the command names the extra to install

    console = terminal.console()
    work = [(m, p) for m, p in recorded.names() if not arguments.models or m in arguments.models]
    strips = [name for name in gallery.PICTURES if not arguments.models or name in arguments.models]
    street, optimized = (not arguments.models or name in arguments.models for name in (STREET, OPTIMIZED))
    if work:
        console.print(f"Post-processing {len(work)} recorded network outputs with n6post {n6post.__version__}.")
    if len(work) > 5:
        console.print("This takes about 10 seconds.")
    files.output_folder(arguments.out)
    sheets: dict[str, Any] = {}
    columns = (SpinnerColumn(), TextColumn("{task.completed}/{task.total}  {task.description}"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(work) + len(strips) + street + optimized)
        for model, picture in work:
            progress.update(task, description=f"{model} on {picture}")
            recording = recorded.load(model, picture)
            img = photograph(recording)
            result = process(recording, img)
            n6post.draw(img, result)
            pictures.save(img, arguments.out / f"{model}__{picture}.png")
            results.add(sheets.setdefault(model, results.table(TITLES[model][0])), picture, result)
            progress.advance(task)
        for name in strips:
            progress.update(task, description=gallery.PICTURES[name][0])
            strip, found = gallery.strip(name)
            pictures.save(strip, arguments.out / f"{name}.png")
            for network, result in found:
                results.add(sheets.setdefault(name, results.table(gallery.PICTURES[name][0])), network, result)
            progress.advance(task)
        if street:
            progress.update(task, description="people tracked in a street")
            street_gif.write(arguments.out / f"{STREET}.gif")
            progress.advance(task)
        if optimized:
            with files.replacing(arguments.out / f"{OPTIMIZED}.png") as temporary:
                street_heads.picture().save(temporary)
            progress.advance(task)
        if paths.CHECKOUT and arguments.update_docs:
            for wanted, name in ((street, f"{STREET}.gif"), (optimized, f"{OPTIMIZED}.png")):
                if wanted:
                    shutil.copyfile(arguments.out / name, paths.CHECKOUT / "docs" / name)
            for name in strips:
                gallery.strip(name)[0].save(str(paths.CHECKOUT / "docs" / f"{name}.jpg"), quality=90)
            for model in sheets:
                if model in TITLES and TITLES[model][1]:
                    progress.update(task, description=f"docs/{model}.jpg")
                    write_docs(model, paths.CHECKOUT / "docs")
    for sheet in sheets.values():
        console.print(sheet)
    drawn = len(work) + len(strips)
    written = [f"{drawn} annotated pictures"] * bool(drawn) + [f"a tracked sequence, {STREET}.gif"] * street
    written += [f"what optimizing a model gains, {OPTIMIZED}.png"] * optimized
    console.print(f"Written to {os.path.relpath(arguments.out)}: {'; '.join(written)}")
    return FINE
