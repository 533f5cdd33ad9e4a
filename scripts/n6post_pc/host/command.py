"""Run an unmodified camera script on this PC: n6post host, scripts/run_on_host.py.

The script imports the stand-ins in stubs/ instead of the firmware's modules. Its camera returns the given pictures, and a
model that it opens is the given file. The script is stopped after the given number of frames. The last frame, with the
script's drawings on it, is saved as PNG.
"""

import argparse
import contextlib
import errno
import importlib
import re
import runpy
import sys
import sysconfig
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from .. import files, paths, terminal
from ..command import Bar, UserError, parser
from ..files import MODELS
from ..models import graph, sources
from . import camera_python, firmware_modules


class NoModelError(FileNotFoundError):
    """The script opens a model for which no file was given."""


class EnoughFrames(SystemExit):
    """Ends the script's loop. It is not an Exception, so a script with `except Exception` does not catch it.

    A SystemExit also ends an event loop of asyncio, which keeps other exceptions of a task for those who wait for it.
    """


DESCRIPTION = """\
Run an unmodified camera script on this PC, with stand-ins for the firmware's modules, and save its last frame. The labels
of a model are the lines of the .txt file beside it, as on the camera.

Without --picture and --model, the script gets the sample network that comes with n6post, and its pictures. Without a
script, the example yolov8_seg.py runs."""
EXAMPLES = (
    "",
    "my_script.py",
    "scripts/examples/yolov8_seg.py --picture photo.jpg --model model.tflite",
    "my_script.py --picture street.avi --model model.tflite --save-frames frames",
    "my_script.py --picture folder --fps 25 --model model.tflite",
    "my_script.py --picture photo.jpg --firmware 4.8.1 --sdcard folder",
)


def parse(arguments: list[str], prog: str) -> argparse.Namespace:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    add = command.add_argument
    add("script", nargs="?", type=Path, default=paths.EXAMPLES / "yolov8_seg.py",
        help="the camera script, for example scripts/examples/yolov8_seg.py")
    add("--picture", type=Path, nargs="+", metavar="FILE",
        help="the camera's frames: pictures, folders of pictures and videos, in this order")
    add("--model", action="append", default=[], metavar="[NAME=]FILE",
        help="the .tflite or .onnx file to use for the model that the script opens as NAME (/rom/net.tflite, net.tflite "
             "or net), or, without NAME, for all other models; may be repeated")
    add("--frames", type=int, metavar="N",
        help="stop the script after N frames (default 1; all frames of a folder or video; a single picture is repeated "
             "until a Tracker can report its objects: min_hits frames)")
    add("--clock", choices=("video", "pc"),
        help="the time that the script sees: video (the default for videos) is that of the frames, however long the PC "
             "takes, so every run has the same results; pc is the PC's own")
    add("--fps", type=float, metavar="N",
        help="frames a second of the camera, for --clock video: needed for pictures, and instead of a video's own")
    add("-o", "--out", type=Path, metavar="FILE", help="file of the last frame (default out/SCRIPT_PICTURE.png)")
    add("--save-frames", type=Path, metavar="FOLDER", help="also save every frame, with the drawings on it")
    add("--sdcard", type=Path, metavar="FOLDER", help="folder to use as the camera's /sdcard and working folder")
    add("--flash", type=Path, metavar="FOLDER", help="folder to use as the camera's /flash")
    add("--uart", action="append", default=[], metavar="[ID=]FILE",
        help="data that UART ID receives, or, without ID, all other UARTs; may be repeated")
    add("--network", action="store_true",
        help="really send what the script sends with requests and mqtt; without it, that is only printed")
    add("--fit", choices=("fit", "fill", "stretch"), default="fit",
        help="a picture with another aspect ratio gets black bars (fit, the default), is cropped (fill) or stretched")
    add("--exact", action="store_true",
        help="compute int8 .tflite models with every bit of TensorFlow Lite Micro, which a camera's CPU runs; 40 to 130 "
             "times slower")
    add("--firmware", default="5.0.0", metavar="X.Y.Z",
        help="the firmware version to emulate, 5.0.0 (default) or 4.8.1. 5.0.0 stretches frames to the model input; 4.8.1 "
             "crops them, has an older ulab, and some of its image methods have other arguments and results")
    options = command.parse_args(arguments)

    files.regular(options.script, "script")
    options.model = named_files(command, "model", options.model)
    if options.picture is None:
        if options.model:
            command.error("the following arguments are required: --picture")
        options.picture, options.model = [paths.SAMPLE_PICTURES], {None: paths.SAMPLE_MODEL}
        print(f"No --picture and no --model: using the sample network, {paths.SAMPLE_MODEL}, and its pictures.",
              file=sys.stderr)
    for path in options.model.values():
        if path.suffix.lower() in graph.WEIGHTS:
            command.error(f"{path}: {graph.EXPORT_FIRST}")
        if path.suffix.lower() not in MODELS:
            command.error(f"{path}: expected a .tflite or .onnx file")
    options.uart = named_files(command, "file for a UART", options.uart)
    for name in ("sdcard", "flash"):
        folder = getattr(options, name)
        if folder is not None and not folder.is_dir():
            command.error(f"no such folder for /{name}: {folder}")
    if options.frames is not None and options.frames < 1:
        command.error("--frames: expected 1 or more")
    try:
        options.firmware = tuple(int(number) for number in options.firmware.split("."))
    except ValueError:
        options.firmware = ()
    if len(options.firmware) != 3:
        command.error("--firmware: expected three numbers, for example 4.8.1")
    if options.fps is not None and not 0.001 <= options.fps <= 10_000:
        command.error("--fps: expected a number from 0.001 to 10000")
    if options.fps is not None and options.clock == "pc":
        command.error("--fps is for --clock video; with --clock pc frames come as fast as the script takes them")
    listed = sources.listed(options.picture)
    if options.out is None:
        options.out = Path("out") / f"{options.script.stem}_{options.picture[-1].resolve().stem}.png"
    inputs = (options.script, *options.model.values(), *options.uart.values(), *listed)
    files.check([options.out], inputs, suffixes=sources.PICTURES, new_folder=True)
    files.check([display_path(options.out)], inputs, new_folder=True)
    if options.save_frames is not None:
        files.output_folder(options.save_frames)
        files.check(_saved(options.save_frames), inputs)
    return options


def _saved(folder: Path) -> list[Path]:
    """The frames of an earlier run in a folder of --save-frames."""
    return [path for path in folder.glob("*.png") if re.fullmatch(r"(frame|display)_\d+", path.stem)]


def save(img: Any, path: Path) -> None:
    with files.replacing(path) as temporary:
        img.to_pil().save(temporary)


def display_path(out: Path) -> Path:
    """The file of the display's content, beside that of the last frame."""
    return out.with_name(f"{out.stem}_display.png")


def named_files(command: argparse.ArgumentParser, what: str, given: list[str]) -> dict[str | None, Path]:
    """{name: file} of arguments NAME=FILE and FILE. A file without a name has the key None, several models their own."""
    found: dict[str | None, Path] = {}
    unnamed: list[Path] = []
    for argument in given:
        name, equals, file = argument.partition("=")
        named = bool(equals) and not Path(argument).exists()
        path = files.model(Path(file if named else argument), what)
        if named:
            found[name] = path.absolute()
        else:
            unnamed.append(path.absolute())
    for path in unnamed:
        if len(unnamed) > 1 and (what != "model" or path.stem in found):
            command.error(f"{', '.join(path.name for path in unnamed)}: write NAME=FILE for each {what}")
        found[path.stem if len(unnamed) > 1 else None] = path
    return found


def camera_pictures(paths: Sequence[Path]) -> tuple[Sequence[Any], int, list[tuple[int, Fraction | None]]]:
    """The camera's pictures, and the default number of frames: 1, or all if there is a folder or a video.

    The last value has the number of frames and the frames a second of each path; None: pictures have no frame rate.
    """
    import _video

    parts: list[Sequence[Any]] = []
    rates: list[tuple[int, Fraction | None]] = []
    every = False
    for path in paths:
        path = path.absolute()
        rate = None
        if path.is_dir():
            parts.append(sources.in_folder(path))
        elif path.suffix.lower() in _video.SUFFIXES:
            video = _video.Video(path)
            parts.append(video)
            rate = video.rate
        else:
            parts.append([path])
        rates.append((len(parts[-1]), rate))
        every |= path.is_dir() or rate is not None
    pictures = _video.Chain(parts)
    return pictures, len(pictures) if every else 1, rates


def clock_for(rates: list[tuple[int, Fraction | None]], choice: str | None, fps: float | None) -> Any:
    """The clock that the script sees; None: the PC's. UserError for pictures without a frame rate."""
    import _clock

    if choice == "pc" or choice is None and fps is None and any(rate is None for _, rate in rates):
        return None
    given = None if fps is None else Fraction(str(fps))
    if given is None and any(rate is None for _, rate in rates):
        raise UserError("--clock video: pictures have no frame rate: add --fps, for example --fps 25")
    return _clock.VideoClock([(count, given or rate) for count, rate in rates if given or rate])


def resolver(models: dict[str | None, Path]) -> Callable[[str], str]:
    """A function that maps a path that the script opens to a path on this PC."""
    import _drives

    known = {str(path) for path in models.values()}
    folders = {path.parent for path in models.values()}
    unnamed = ""  # the model that gets the file without a name

    def resolve(path: str) -> str:
        if path in known:
            return path
        if not path.endswith(MODELS):
            if path.startswith("/rom/") and not _drives.exists(path):
                # Files beside a model in the camera's ROM, such as its labels, are looked up beside its file here.
                beside = (str(folder / Path(path).name) for folder in folders)
                return next(filter(_drives.exists, beside), path)
            return _drives.resolve(path)
        for name in (path, Path(path).name, Path(path).stem):
            if name in models:
                return str(models[name])
        if None in models:
            nonlocal unnamed
            unnamed = unnamed or path
            one, other = Path(unnamed).stem, Path(path).stem
            if one != other:
                named = f"--model {one}=FILE --model {other}=FILE"
                raise NoModelError(errno.ENOENT, f"the script opens two models: choose a file for each with {named}", path)
            return str(models[None])
        if _drives.drive(path) is not None:
            path = _drives.resolve(path)
        if _drives.exists(path):
            return path
        given = ", ".join(filter(None, models))
        how = f"--model {Path(path).stem}=FILE, because those given are for {given}" if given else "--model FILE"
        advice = f"this model is on the camera: choose a file on this PC with {how}"
        raise NoModelError(errno.ENOENT, f"{advice} {paths.with_page('(docs/first-hour.md#the-models-of-the-rom)')}", path)

    return resolve


def print_error(script: Path, error: BaseException) -> None:
    """Print an exception as a script's author needs it: the script's own lines, then the sentence.

    If the library did not raise the exception on purpose, its own lines are there, too.
    """
    outside = *(sysconfig.get_path(name) for name in ("stdlib", "purelib")), "<frozen "
    python = [str(place) for place in (paths.HERE, paths.STUBS, *outside)]
    everything = traceback.extract_tb(error.__traceback__)
    frames = [f for f in everything if f.filename == str(script) or not f.filename.startswith(tuple(python))]
    library = str(paths.LIB)
    if not everything[-1].filename.startswith(library) or str(everything[-1].line).startswith("raise"):
        frames = [f for f in frames if not f.filename.startswith(library)]
    if isinstance(error, NoModelError) and frames:
        print(f"{frames[-1].filename}, line {frames[-1].lineno}: {error.filename}: {error.strerror}", file=sys.stderr)
        return
    lines = traceback.format_list(frames) + traceback.format_exception_only(error)
    print("Traceback (most recent call last):\n" + "".join(lines), end="", file=sys.stderr)


@contextlib.contextmanager
def noting_trackers(needed: set[int], still: bool) -> Iterator[None]:
    """Context manager: add the `min_hits` of each Tracker that is updated, the frames until it can report, to a set.

    still   whether a single picture is repeated on the PC's clock: then 80 ms pass between two updates, however slow it is
    """
    from n6post.tracking.tracker import Tracker

    update = Tracker.update

    def noted(tracker: Any, *arguments: Any, **options: Any) -> Any:
        needed.add(tracker.min_hits)
        if still:
            options.setdefault("elapsed_ms", 80)
        return update(tracker, *arguments, **options)

    Tracker.update = noted
    try:
        yield
    finally:
        Tracker.update = update


class Frames:
    """Counts the frames and ends the script after the last one. Saves each frame if there is a folder.

    ended       whether the video is over
    needed      the frames until the script's Trackers can report: a single picture is repeated so often
    """

    def __init__(self, total: int, folder: Path | None, ended: Callable[[], bool], needed: Collection[int]) -> None:
        self.taken = 0
        self.failed: UserError | None = None
        self.stopped = False
        self.total, self.folder, self.ended, self.needed = total, folder, ended, needed
        self.bar = Bar(total, "frame")

    def before(self) -> None:
        try:
            self.save()
        except UserError as error:  # the script may catch all exceptions
            self.failed = error
        if self.failed or self.taken >= max(self.total, *self.needed, 0) or self.ended():
            self.stopped = True
            raise EnoughFrames
        self.bar.show(self.taken)
        self.taken += 1

    def save(self) -> None:
        """Save the frame that the script has finished, and the content of the display."""
        import csi
        import display

        if self.folder is None or not self.taken:
            return
        for name, shown in (("frame", csi._host_last_frame), ("display", display._host_last)):
            if shown is not None:
                save(shown, self.folder / f"{name}_{self.taken:0{len(str(self.total))}d}.png")


def warn(options: argparse.Namespace) -> None:
    """Print what the script uses that a camera lacks."""
    folders = tuple(folder for folder in (options.sdcard, options.flash) if folder is not None)
    found = camera_python.findings(options.script, folders)
    if found:
        print("This runs on a PC, but not on a camera:", *found, sep="\n  ", file=sys.stderr, flush=True)


def run(options: argparse.Namespace) -> int:
    """Run the script and return the exit code. Changes to this process are undone at the end."""
    path, argv = sys.path[:], sys.argv[:]
    script = options.script.resolve()
    paths.use_stand_ins()
    sys.path.append(str(script.parent))
    sys.argv = [str(options.script)]
    import _asyncio_names
    import _clock
    import _drives
    import _host
    import _sockets
    import csi
    import display
    import machine
    import ml
    import omv

    try:
        pictures, total, rates = camera_pictures(options.picture)
        clock = clock_for(rates, options.clock, options.fps)
    except (ImportError, ValueError, UserError) as error:
        sys.path[:], sys.argv[:] = path, argv
        print(error, file=sys.stderr)
        return 2
    needed: set[int] = set()
    repeated = len(pictures) == 1 and options.frames is None
    out = options.out.absolute()
    over = (lambda: False) if clock is None or options.frames or repeated else (lambda: clock.ended)
    folder = options.save_frames and options.save_frames.absolute()
    frames = Frames(options.frames or total, folder, over, needed if repeated else ())
    finder = firmware_modules.NoStandIn()
    sys.meta_path.append(finder)
    before = {name: sys.modules.pop(name) for name in firmware_modules.FROZEN if name in sys.modules}
    sys.path.insert(0, str(paths.STUBS / "_frozen"))
    for name in firmware_modules.FROZEN if options.network else ():
        importlib.import_module(name)._host_network = True
    _host.install()
    _sockets.install()
    failed: list[BaseException] = []  # what tasks of asyncio raised and nobody awaited

    def task_failed(error: BaseException) -> None:
        failed.append(error)
        print_error(script, error)

    _asyncio_names.install(task_failed)
    omv._host_set_version(*options.firmware)
    ml._host_set_exact(options.exact)
    machine._host_uart_input.update({name: file.read_bytes() for name, file in options.uart.items()})
    csi._host_pictures = pictures
    csi._host_fit = options.fit
    csi._host_before_snapshot = frames.before
    csi._host_last_frame = display._host_last = None
    drives = {name: getattr(options, name) for name in _drives.DRIVES if getattr(options, name) is not None}
    _drives.mount(drives, resolver(options.model))
    _clock.use(clock)
    warn(options)
    trackers = noting_trackers(needed, repeated and clock is None)
    code = 0
    try:
        printed, complained = _host.Output(terminal.for_scripts()), _host.Output(sys.stderr)
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complained), trackers:
            runpy.run_path(str(script), run_name="__main__")
    except EnoughFrames:
        pass
    except KeyboardInterrupt:
        code = 130
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        if leaving.code is not None and leaving.code is not code:
            print(leaving.code, file=sys.stderr)
    except Exception as error:
        frames.bar.close()
        if isinstance(error, OSError) and error.filename == terminal.STDOUT:
            raise
        print_error(script, error)
        code = 1
    finally:
        frames.bar.close()
        frame, screen = csi._host_last_frame, display._host_last
        _clock.use(None)
        _drives.unmount()
        _asyncio_names.remove()
        code = code or int(bool(failed))
        _sockets.remove()
        csi._host_pictures, csi._host_fit, csi._host_before_snapshot, csi._host_last_frame = [], "fit", None, None
        display._host_last = None
        machine._host_uart_input.clear()
        machine._time._running.clear()
        omv._host_set_version()
        ml._host_set_exact()
        sys.meta_path.remove(finder)
        for name in firmware_modules.FROZEN:
            sys.modules.pop(name, None)
        sys.modules.update(before)
        sys.path[:], sys.argv[:] = path, argv

    sys.stdout.flush()
    csi._host_last_frame, display._host_last = frame, screen
    if frames.failed is not None:
        raise frames.failed
    frames.save()  # the last frame, if the script ended by itself
    csi._host_last_frame = display._host_last = None
    if frame is None:
        if not code:  # otherwise the error above says why
            print("The script took no frames, so there is nothing to save.", file=sys.stderr)
        return code
    save(frame, out)
    plural = "s" if frames.taken > 1 else ""
    lasted = "" if clock is None else f", {clock.seconds:.1f} seconds of the video's time"
    size = f"{frame.width()}x{frame.height()}"
    print(f"{frames.taken} frame{plural} of {size}{lasted}. Last frame: {options.out}", file=sys.stderr)
    least = max(needed, default=0)
    reports = f"a Tracker with min_hits={least} reports an object from its frame {least} on"
    if repeated and frames.taken > 1:
        print(f"The picture was shown {frames.taken} times: {reports}.", file=sys.stderr)
    elif frames.stopped and frames.taken < least:
        print(f"Nothing is tracked yet: {reports}. Use --frames {least}.", file=sys.stderr)
    if screen is not None:
        save(screen, display_path(out))
        print(f"Display, {screen.width()}x{screen.height()}: {display_path(options.out)}", file=sys.stderr)
    if options.save_frames is not None:
        print(f"All frames: {options.save_frames}", file=sys.stderr)
    return code


def main(arguments: list[str], prog: str) -> int:
    return run(parse(arguments, prog))
