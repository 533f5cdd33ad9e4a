"""n6post studio, scripts/studio.py: arguments, and the run of the page until Ctrl-C."""

import argparse
import contextlib
import sys
import tempfile
import webbrowser
from pathlib import Path

from .. import paths
from ..command import FINE, UserError, parser
from ..models import sources
from .frames import Camera
from .workbench import MODELS, Workbench

DESCRIPTION = """\
Open a page in the browser on which the options of a model are sliders and switches, and the picture changes at once. It
shows what the camera would draw, what `diagnose` finds, and two models side by side. A button gives the camera script with
the chosen options.

Files may also be dropped on the page: models with their labels, pictures and videos. Nothing leaves this PC: only browsers
on it can open the page, and the page loads nothing from elsewhere.

Without a model, the sample network and its pictures are opened. Ctrl-C ends the command."""
EXAMPLES = (
    "",
    "model.tflite photo.jpg",
    "model_int8.tflite model_float.tflite photos/ street.mp4",
    "model.tflite --camera",
)


def parse(argv: list[str], prog: str) -> argparse.Namespace:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    add = command.add_argument
    add("files", nargs="*", type=Path, metavar="FILE",
        help="models (.tflite, .onnx), pictures, folders of pictures, videos. A model's float original is found by its "
             "name: fruit_float.tflite beside fruit.tflite")  # fmt: skip
    add("--camera", nargs="?", const="auto", metavar="PORT",
        help="also take frames from the camera on USB (firmware 5.0 or newer)")
    add("--http", type=int, default=0, metavar="PORT", help="the page's port (default: any free one)")
    add("--no-browser", action="store_true", help="only print the page's address")
    return command.parse_intermixed_args(argv)


def main(argv: list[str], prog: str) -> int:
    arguments = parse(argv, prog)
    from .server import Server

    models = [path for path in arguments.files if path.suffix.lower() in MODELS]
    others = [path for path in arguments.files if path not in models]
    for path in others:
        if not path.is_dir() and path.suffix.lower() not in sources.PICTURES and not sources.is_video(path):
            raise UserError(f"{path}: expected a model ({', '.join(MODELS)}), a picture, a folder of pictures or a video")
    sample = not models
    if sample:
        models = [paths.SAMPLE_MODEL]
    if not others and arguments.camera is None:
        others = [paths.SAMPLE_PICTURES]
    with contextlib.ExitStack() as ends:
        # Windows cannot remove files that a model still has open.
        name = ends.enter_context(tempfile.TemporaryDirectory(prefix="n6post-studio-", ignore_cleanup_errors=True))
        workbench = Workbench(Path(name))
        for path in models:
            workbench.add_model(path.absolute())
        for model in list(workbench.models.values()):
            workbench.add_siblings(model)
        if arguments.camera is not None:
            from ..camera import devices, repl, watch

            camera = Camera(devices.find(arguments.camera), watch, repl.firmware, Path(name))
            ends.callback(camera.close)
            workbench.add_camera(camera)
        for path in sources.listed(others):
            workbench.add_source(path.absolute())
        server = Server(workbench, arguments.http)
        ends.callback(server.close)
        print(server.address, flush=True)
        if sample:
            print(f"No model was given: this is the sample network, {paths.SAMPLE_MODEL}", file=sys.stderr)
        print("Ctrl-C ends it.", file=sys.stderr, flush=True)
        if not arguments.no_browser:
            webbrowser.open_new_tab(server.address)
        with contextlib.suppress(KeyboardInterrupt):
            server.wait()
    return FINE
