"""Run a model file on pictures: `python3 scripts/run_model.py model.tflite photo.jpg`.

Prints a table of what n6post made of the network's outputs and writes each picture with it drawn in into
out/. The post-processor is told from the model, or named by --processor.
"""

import _venv

_venv.enter()

import argparse
import sys
from pathlib import Path
from typing import Any

sys.path[:0] = [str(_venv.ROOT / folder) for folder in ("lib", "stubs")]

import _results
import image
import ml
import n6post
from rich.console import Console

FAMILIES = ("YoloV8", "YoloV8Seg", "YoloV8Pose", "MoveNet", "DeepLab")
FITS = {"letterbox": "Letterbox", "stretch": "Stretch", "crop": "Crop"}


def open_model(path: Path, family: str | None, options: dict[str, Any]) -> Any:
    if family is None:
        return n6post.load(str(path), **options)
    return ml.Model(str(path), postprocess=getattr(n6post, family)(**options))


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("model", type=Path, help="a .tflite or .onnx file; a .txt beside it has the labels")
    parser.add_argument("pictures", nargs="+", type=Path, metavar="picture")
    parser.add_argument("--processor", choices=FAMILIES, help="where a model fits two families")
    parser.add_argument("--threshold", type=float, help="the least score (default: the processor's)")
    parser.add_argument("--fit", choices=FITS, default="letterbox", help="how a picture gets into the input")
    parser.add_argument("--out", type=Path, default=Path("out"), help="where the pictures go (default out/)")
    arguments = parser.parse_args()
    for path in (arguments.model, *arguments.pictures):
        if not path.is_file():
            parser.error(f"no such file: {path}")

    options = {} if arguments.threshold is None else {"threshold": arguments.threshold}
    try:
        model = open_model(arguments.model, arguments.processor, options)
    except (ValueError, TypeError, ImportError) as error:
        sys.exit(f"{arguments.model}: {error}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    sheet = _results.table(arguments.model.name)
    written = []
    for picture in arguments.pictures:
        img = image.Image(str(picture)).to_rgb565(copy=True)
        result = model.predict([getattr(n6post, FITS[arguments.fit])(img)])
        n6post.draw(img, result)
        written.append(arguments.out / f"{arguments.model.stem}__{picture.stem}.png")
        img.save(str(written[-1]))
        _results.add(sheet, picture.name, result)
        sheet.add_section()
    console = Console()
    console.print(sheet)
    console.print(*written, sep="\n", highlight=False, soft_wrap=True)


if __name__ == "__main__":
    main()
