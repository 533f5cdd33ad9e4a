"""Show the library's results for recorded outputs of real networks: n6post demo, scripts/demo.py.

Passes the outputs of int8 models for a few photographs (recorded.py) to n6post's post-processors, as the camera does, prints
the results, and writes annotated pictures to out/.
"""

import functools
import importlib.util
import os
import shutil
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import image
import n6post
from rich.progress import Progress, SpinnerColumn, TextColumn

from .. import files, paths, terminal
from ..command import FINE, parser
from ..models import pictures, results
from . import gallery, page, recorded, street_heads, yard

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
CARD = (400, 300)
YARD = "yard"  # the name of the tracked sequence
OPTIMIZED = "optimized"  # the name of the picture of what `n6post optimize` gains
FILES = {YARD: "yard.webp", OPTIMIZED: "optimized.png"}


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
        drawn.append(n6post.draw(img, process(recording, img), text_scale=2))  # the pages show the strip smaller
    strip = image.Image(sum(img.width() for img in drawn), DOCS_HEIGHT, image.RGB565)
    x = 0
    for img in drawn:
        strip.draw_image(img, x, 0)
        x += img.width()
    strip.save(str(docs / f"{model}.jpg"), quality=90)


def cards() -> Iterator[tuple[str, image.Image]]:
    """(name, picture) of applications, for the README: a part of each picture, with results drawn at the final size."""
    for number, (picture, *_) in enumerate(yard.frames()):
        for name, wanted, left, top in (("count", 50, 240, 75), ("wait", 36, 0, 130)):
            if number == wanted:
                yield name, gallery.frame_of(picture).copy(roi=(left, top, *CARD))
    for name, model, top in (("pose", "yolov8n_pose_256", 60), ("measure", "yolov8n_seg_320", 0)):
        recording = recorded.load(model, TITLES[model][1][1])
        yield name, _card(photograph(recording), functools.partial(process, recording), top)
    for name, network, top in (("face", "face_landmarks_192", 40), ("turned", "yolo11_obb_128", 0)):
        full = gallery.picture(gallery.NETWORKS[network][1])
        yield name, _card(full, functools.partial(gallery.result, network), top, gallery.FACE if name == "face" else None)


def _card(full: image.Image, result: Callable[[image.Image], Any], top: int, roi: Any = None) -> image.Image:
    """The middle of a picture, or of a part of it (x, y, w, h), that fills a card, from this row on."""
    left, above, width, height = roi or (0, 0, full.width(), full.height())
    scale = max(CARD[0] / width, CARD[1] / height)
    img = full.copy(x_scale=scale, y_scale=scale, hint=image.BILINEAR)
    n6post.draw(img, result(img), text_scale=2)
    left += (width - CARD[0] / scale) / 2
    return img.copy(roi=(round(left * scale), round(above * scale) + top, *CARD))


DESCRIPTION = """\
Show the results of n6post for recorded outputs of thirteen networks on a few pictures, as on a camera. The demo prints a
table for each network, and writes the pictures with the results drawn on them, a yard with tracked people as an animated
picture, a picture of what optimizing a model gains, and a page with all of them, index.html, which it opens in your browser.
You need neither a camera nor a model. It takes about 20 seconds."""
EXAMPLES = ("", "yolov8n_seg_320 --out drawn", "faces", "yard")


def main(argv: list[str], prog: str) -> int:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    names = [*TITLES, *gallery.PICTURES, YARD, OPTIMIZED]
    command.add_argument("models", nargs="*", metavar="model", help=f"run only these: {', '.join(names)} (default: all)")
    command.add_argument("-o", "--out", type=Path, default=Path("out"), metavar="FOLDER",
                         help="folder of the pictures (default out/)")  # fmt: skip
    command.add_argument("--no-browser", action="store_true", help="do not open the page")
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
    wanted = [name for name in (YARD, OPTIMIZED) if not arguments.models or name in arguments.models]
    if work:
        console.print(f"Post-processing {len(work)} recorded network outputs with n6post {n6post.__version__}.")
    if len(work) > 5:
        console.print("This takes about 20 seconds.")
    files.output_folder(arguments.out)
    sheets: dict[str, Any] = {}
    shown = page.Page()
    columns = (SpinnerColumn(), TextColumn("{task.completed}/{task.total}  {task.description}"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(work) + len(strips) + len(wanted))
        for name in wanted:
            progress.update(task, description=page.SENTENCES[name])
            file = arguments.out / FILES[name]
            if name == YARD:
                yard.write(file)
            else:
                with files.replacing(file) as temporary:
                    street_heads.picture().save(temporary)
            shown.add(page.TITLES[name], file, page.SENTENCES[name])
            progress.advance(task)
        empty = False  # whether a picture in which nothing is found has been shown
        for model, picture in work:
            progress.update(task, description=f"{model} on {picture}")
            recording = recorded.load(model, picture)
            img = photograph(recording)
            result = process(recording, img)
            results.add(sheets.setdefault(model, results.table(TITLES[model][0])), picture, result)
            if results.rows(result) or not empty:
                file = arguments.out / f"{model}__{picture}.png"
                pictures.save(n6post.draw(img, result, text_scale=2), file)  # the page shows it smaller
                shown.add(TITLES[model][0], file, page.sentence([(picture, result)]))
                empty |= not results.rows(result)
            progress.advance(task)
        for name in strips:
            title = gallery.PICTURES[name][0]
            progress.update(task, description=title)
            strip, found = gallery.strip(name)
            pictures.save(strip, arguments.out / f"{name}.png")
            for network, result in found:
                results.add(sheets.setdefault(name, results.table(title)), gallery.CALLED[network], result)
            named = [(gallery.CALLED[network], result) for network, result in found]
            shown.add(title, arguments.out / f"{name}.png", page.sentence(named, "{}: "))
            progress.advance(task)
        if paths.CHECKOUT and arguments.update_docs:
            for name in wanted:
                shutil.copyfile(arguments.out / FILES[name], paths.CHECKOUT / "docs" / FILES[name])
            for name in strips:
                gallery.strip(name)[0].save(str(paths.CHECKOUT / "docs" / f"{name}.jpg"), quality=90)
            for model in sheets:
                if model in TITLES and TITLES[model][1]:
                    progress.update(task, description=f"docs/{model}.jpg")
                    write_docs(model, paths.CHECKOUT / "docs")
            if not arguments.models:
                for name, img in cards():
                    img.save(str(paths.CHECKOUT / "docs" / "cards" / f"{name}.jpg"), quality=85)
    for sheet in sheets.values():
        console.print(sheet)
    address = shown.write(arguments.out / "index.html")
    console.print(f"The pictures are on one page: {os.path.relpath(arguments.out / 'index.html')}")
    if not arguments.no_browser and page.has_display():
        webbrowser.open_new_tab(address)
    return FINE
