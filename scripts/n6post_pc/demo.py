"""What the library makes of real networks' raw outputs: n6post demo, scripts/demo.py.

Takes the outputs that int8 models gave for a few photographs (recorded.py), hands them to n6post's
post-processors just as the camera would, prints what was found and draws it: annotated pictures land in out/.
"""

import importlib
import os
import shutil
from pathlib import Path
from typing import Any

import image
import n6post
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn

from . import paths, recorded, results, street_gif
from .command import FINE, parser

# What each recorded model is, and the pictures of it that the README shows (public domain or CC0).
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


def photograph(recording: recorded.Recording) -> image.Image:
    import skimage  # here, for the help is there without it

    photographs = Path(skimage.__file__).parent / "data"
    return image.Image(str(photographs / recording.photograph)).to_rgb565(copy=True)


def process(recording: recorded.Recording, img: image.Image) -> Any:
    """What `model.predict([fitted image])` returns on the camera, with the recorded outputs in place of the network."""
    model = recording.model()
    fitted = {"stretch": n6post.Stretch, "letterbox": n6post.Letterbox}[recording.fit](img)
    processor = n6post.processor_for(model)  # the family, told from the shapes; or n6post.YoloV8Seg() and so on
    return processor(model, [fitted], model.outputs())


def write_docs(model: str, docs: Path) -> None:
    """The README's picture of a model: a few photographs side by side, each drawn on at the size that is shown."""
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
What the library makes of real networks' raw outputs: those that int8 models gave for a few photographs (recorded) go to
n6post's post-processors just as on the camera. Prints what was found, writes annotated pictures, and a street with its
people tracked as an animated GIF."""
EXAMPLES = ("", "yolov8n_seg_320 --out drawn", "street")


def main(argv: list[str], prog: str) -> int:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    names = [*TITLES, STREET]
    command.add_argument("models", nargs="*", metavar="model", help=f"only these: {', '.join(names)}")
    command.add_argument("-o", "--out", type=Path, default=Path("out"), help="where the pictures go (default out/)")
    if paths.CHECKOUT:
        command.add_argument("--update-docs", action="store_true", help="write the README's pictures into docs/ as well")
    arguments = command.parse_args(argv)
    for model in arguments.models:
        if model not in names:
            command.error(f"no recording of {model}; there are {', '.join(names)}")
    importlib.import_module("skimage")  # told by its extra where it is not installed

    console = Console(highlight=False)
    work = [(m, p) for m, p in recorded.names() if not arguments.models or m in arguments.models]
    street = not arguments.models or STREET in arguments.models
    if work:
        console.print(f"Post-processing {len(work)} recorded network outputs with n6post {n6post.__version__}.")
    arguments.out.mkdir(parents=True, exist_ok=True)
    sheets: dict[str, Any] = {}
    columns = (SpinnerColumn(), TextColumn("{task.completed}/{task.total}  {task.description}"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(work) + street)
        for model, picture in work:
            progress.update(task, description=f"{model} on {picture}")
            recording = recorded.load(model, picture)
            img = photograph(recording)
            result = process(recording, img)
            n6post.draw(img, result)
            img.save(str(arguments.out / f"{model}__{picture}.png"))
            results.add(sheets.setdefault(model, results.table(TITLES[model][0])), picture, result)
            progress.advance(task)
        if street:
            progress.update(task, description="people tracked in a street")
            street_gif.write(arguments.out / f"{STREET}.gif")
            progress.advance(task)
        if paths.CHECKOUT and arguments.update_docs:
            if street:
                shutil.copyfile(arguments.out / f"{STREET}.gif", paths.CHECKOUT / "docs" / f"{STREET}.gif")
            for model in sheets:
                if TITLES[model][1]:
                    progress.update(task, description=f"docs/{model}.jpg")
                    write_docs(model, paths.CHECKOUT / "docs")
    for sheet in sheets.values():
        console.print(sheet)
    written = [f"{len(work)} annotated pictures"] * bool(work) + [f"a tracked sequence, {STREET}.gif"] * street
    console.print(f"To look at in {os.path.relpath(arguments.out)}: {' and '.join(written)}")
    return FINE
