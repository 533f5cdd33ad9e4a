"""Run a model file on pictures: n6post run, scripts/run_model.py.

Prints a table of what n6post made of the network's outputs and writes each picture with it drawn in into
out/. The post-processor is told from the model, or named by --processor.
"""

from pathlib import Path
from typing import Any

import image
import ml
import n6post
from rich.console import Console

from . import results
from .command import FINE, UserError, parser

FAMILIES = ("YoloV8", "YoloV8Seg", "YoloV8Pose", "MoveNet", "DeepLab")
FITS = {"letterbox": "Letterbox", "stretch": "Stretch", "crop": "Crop"}


def open_model(path: Path, family: str | None, options: dict[str, Any]) -> Any:
    if family is None:
        return n6post.load(str(path), **options)
    return ml.Model(str(path), postprocess=getattr(n6post, family)(**options))


DESCRIPTION = """\
Run a model file on pictures: prints a table of what n6post makes of the network's outputs, and writes each picture with
that drawn in. The post-processor is told from the model, or named by --processor."""
EXAMPLES = ("model.tflite photo.jpg", "model.tflite *.jpg --threshold 0.5 --out drawn")


def main(argv: list[str], prog: str) -> int:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    command.add_argument("model", type=Path, help="a .tflite or .onnx file; a .txt beside it has the labels")
    command.add_argument("pictures", nargs="+", type=Path, metavar="picture")
    command.add_argument("--processor", choices=FAMILIES, help="where a model fits two families")
    command.add_argument("--threshold", type=float, help="the least score (default: the processor's)")
    command.add_argument("--fit", choices=FITS, default="letterbox", help="how a picture gets into the input")
    command.add_argument("-o", "--out", type=Path, default=Path("out"), help="where the pictures go (default out/)")
    arguments = command.parse_args(argv)
    for path in (arguments.model, *arguments.pictures):
        if not path.is_file():
            command.error(f"no such file: {path}")

    options = {} if arguments.threshold is None else {"threshold": arguments.threshold}
    try:
        model = open_model(arguments.model, arguments.processor, options)
    except (ValueError, TypeError, ImportError) as error:
        raise UserError(f"{arguments.model}: {error}") from error
    arguments.out.mkdir(parents=True, exist_ok=True)
    sheet = results.table(arguments.model.name)
    written = []
    for picture in arguments.pictures:
        img = image.Image(str(picture)).to_rgb565(copy=True)
        result = model.predict([getattr(n6post, FITS[arguments.fit])(img)])
        n6post.draw(img, result)
        written.append(arguments.out / f"{arguments.model.stem}__{picture.stem}.png")
        img.save(str(written[-1]))
        results.add(sheet, picture.name, result)
        sheet.add_section()
    console = Console()
    console.print(sheet)
    console.print(*written, sep="\n", highlight=False, soft_wrap=True)
    return FINE
