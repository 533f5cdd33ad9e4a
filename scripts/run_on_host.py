#!/usr/bin/env python3
"""Runs an unmodified camera script on this PC.

    python3 scripts/run_on_host.py scripts/camera/yolov8_seg.py --picture photo.jpg --model model.tflite

The script imports the stand-ins of stubs/ in place of the firmware's modules: its camera sees the picture, any model
it opens is the given file, and after the asked-for number of frames its endless loop ends. The last frame, with what
the script drew on it, is saved as PNG.
"""

import _venv

if __name__ == "__main__":
    _venv.enter()

import argparse
import errno
import os
import runpy
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MODELS = (".tflite", ".onnx")


class EnoughFrames(BaseException):
    """Ends the script's loop. Not an Exception, so that a script that catches those does not catch this."""


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Run a camera script on this PC and save the last frame that it drew.",
        epilog="The labels of a model are the lines of the .txt file beside it, as on the camera.",
    )
    parser.add_argument("script", type=Path, help="the camera script, for instance scripts/camera/yolov8_seg.py")
    parser.add_argument("--picture", type=Path, nargs="+", required=True, metavar="FILE",
                        help="what the camera sees; several are shown in turn")
    parser.add_argument("--model", type=Path, metavar="FILE",
                        help="the .tflite or .onnx file to use for any model the script opens")
    parser.add_argument("--frames", type=int, default=1, metavar="N", help="frames until the script is stopped (1)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the last frame goes (out/SCRIPT_PICTURE.png)")
    parser.add_argument("--fit", choices=("fit", "fill", "stretch"), default="fit",
                        help="a picture of another shape than the frame: black bars (fit, the default), cut, distorted")
    parser.add_argument("--firmware", default="5.0.0", metavar="X.Y.Z",
                        help="which firmware to behave like: 5.0.0 stretches frames into the model, 4.8.1 crops them, takes "
                             "other arguments to drawing methods and has an older ulab")
    options = parser.parse_args(arguments)

    files = [("script", options.script), ("model", options.model), *(("picture", p) for p in options.picture)]
    for what, path in files:
        if path is not None and not path.is_file():
            parser.error(f"no such {what}: {path}")
    if options.model is not None and options.model.suffix not in MODELS:
        parser.error(f"{options.model}: a model is a .tflite or .onnx file")
    if options.frames < 1:
        parser.error("--frames is at least 1")
    try:
        options.firmware = tuple(int(number) for number in options.firmware.split("."))
    except ValueError:
        options.firmware = ()
    if len(options.firmware) != 3:
        parser.error("--firmware is three numbers, for instance 4.8.1")
    if options.out is None:
        options.out = Path("out") / f"{options.script.stem}_{options.picture[-1].stem}.png"
    return options


def resolver(model: Path | None) -> Callable[[str], str]:
    """Where a path that the script opens lies on this PC."""

    def resolve(path: str) -> str:
        if not path.endswith(MODELS):
            return path
        if model is not None:
            return str(model)
        if os.path.exists(path):
            return path
        advice = "the script opens a model of the camera; give one of this PC by --model"
        raise FileNotFoundError(errno.ENOENT, advice, path)

    return resolve


def print_traceback() -> None:
    """The exception being handled, without the lines of this file and of runpy: the script's own come first."""
    kind, error, trace = sys.exc_info()
    ours = (__file__, runpy.__file__, "<frozen runpy>")
    lines = traceback.format_list([f for f in traceback.extract_tb(trace) if f.filename not in ours])
    lines += traceback.format_exception_only(kind, error)
    print("Traceback (most recent call last):\n" + "".join(lines), end="", file=sys.stderr)


def run(options: argparse.Namespace) -> int:
    """Runs the script; returns the exit code. What it changes in this process it puts back."""
    path, argv = sys.path[:], sys.argv[:]
    sys.path[:0] = [str(ROOT / "lib"), str(ROOT / "stubs")]
    sys.path.append(str(options.script.resolve().parent))
    sys.argv = [str(options.script)]
    import _host
    import csi
    import omv

    taken = 0

    def count() -> None:
        nonlocal taken
        if taken == options.frames:
            raise EnoughFrames
        taken += 1

    def open_on_host(file: Any, *args: Any, **kwargs: Any) -> Any:
        return open(resolve(file) if isinstance(file, str) else file, *args, **kwargs)

    resolve = resolver(options.model)
    _host.install()
    _host.set_resolver(resolve)
    omv._host_set_version(*options.firmware)
    csi._host_pictures = list(options.picture)
    csi._host_fit = options.fit
    csi._host_before_snapshot = count
    csi._host_last_frame = None
    code = 0
    try:
        runpy.run_path(str(options.script), init_globals={"open": open_on_host}, run_name="__main__")
    except EnoughFrames:
        pass
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except Exception:
        print_traceback()
        code = 1
    finally:
        frame = csi._host_last_frame
        csi._host_pictures, csi._host_fit, csi._host_before_snapshot, csi._host_last_frame = [], "fit", None, None
        _host.set_resolver(None)
        omv._host_set_version()
        sys.path[:], sys.argv[:] = path, argv

    sys.stdout.flush()
    if frame is None:
        print("The script took no frame: there is nothing to save.", file=sys.stderr)
        return code
    options.out.parent.mkdir(parents=True, exist_ok=True)
    frame.to_pil().save(options.out)
    print(f"{taken} frame{'s' if taken > 1 else ''} of {frame.width()}x{frame.height()}; the last one: {options.out}",
          file=sys.stderr)
    return code


def main(arguments: list[str] | None = None) -> int:
    return run(parse(arguments))


if __name__ == "__main__":
    sys.exit(main())
