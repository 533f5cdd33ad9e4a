"""The models and pictures of the page, and what a model finds in a frame with the chosen options."""

import base64
import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import csi
import ml
import n6post
from n6post.families import recognition

from .. import files, paths
from ..build import inspect as inspect_model
from ..build.inspect import Inspection
from ..cli import spelled
from ..command import UserError, quoted
from ..files import MODELS
from ..models import coco, compare, graph, n6_estimate, results, sources, vela
from ..models.run import FITS, Network
from ..optimize import can_be_optimized
from . import learning, looks, over_time, pages, truth
from .frames import FRAME_SIZE, SIZES, Camera, Source

KEPT = 12  # frames and outputs of models that are kept, so that a slider does not run the network again

# Words in the names of files that say how the numbers of a network are stored. Ultralytics writes best_float32.tflite and
# best_full_integer_quant.tflite beside each other.
_NUMBERS = re.compile(
    r"[_-](float32|float16|float|fp32|fp16|full_integer_quant|integer_quant|dynamic_range_quant|int8|uint8|quant|qdq)"
    r"(?=[_.-]|$)", re.IGNORECASE,
)  # fmt: skip
LONGEST = 200  # characters of a dropped file's name


@dataclass
class ModelFile:
    """A model on the page.

    optimized_from  the id of the model that this one was made of by `n6post optimize`, or ""
    """

    id: str
    path: Path
    optimized_from: str = ""
    report: str = ""  # what `n6post optimize` said when it made this file

    def __post_init__(self) -> None:
        """Read the file. UserError if it is no model that a PC can run."""
        try:
            self._written = self.path.stat().st_mtime_ns
            network = graph.read(self.path)
        except (OSError, ValueError) as error:
            raise UserError(f"{self.path.name}: {isinstance(error, OSError) and error.strerror or error}") from error
        if network.form in (graph.ST, graph.VELA):
            raise UserError(
                f"{self.path.name}: {network.form}, which a PC cannot run. Open the file that it was compiled from"
            )
        self.bytes = self.path.stat().st_size
        self.numbers = "float" if n6_estimate.computes_in_float(network) else "int8"
        self.optimizable = can_be_optimized(self.path.read_bytes(), self.path.suffix)
        self.inspected: Inspection | None = None
        self.networks: dict[tuple[str, bool], Network] = {}  # by post-processor ("" is the one that fits), and exact or not

    def is_changed(self) -> bool:
        """Whether the file was written again since it was read. UserError if it is gone."""
        try:
            return self.path.stat().st_mtime_ns != self._written
        except OSError as error:
            raise UserError(f"{self.path}: {error.strerror}") from error

    @property
    def labels_path(self) -> Path | None:
        """The .txt file with its labels, or None."""
        path = _labels_path(self.path)
        return path if path.is_file() else None

    @property
    def base(self) -> str:
        """The name without words about numbers: files of the same network have the same one."""
        return base_name(self.path)


def base_name(path: Path) -> str:
    return _NUMBERS.sub("", path.stem).lower()


@dataclass
class Request:
    """What the page asks for. UserError for values that it cannot have.

    family      the name of the post-processor, or "" for the one that fits
    exact       whether the network is computed with every bit of the firmware's CPU
    options     of the post-processor, those that are not its default
    good        the frames that Anomaly learns: [picture, number] of each
    scene       what was drawn on the frame, an over_time.Scene or its entries: objects are tracked; None: they are not
    """

    model: str
    picture: str
    number: int = 0
    frame_size: str = FRAME_SIZE
    fit: str = "letterbox"
    family: str = ""
    exact: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    good: Any = ()
    scene: Any = None

    def __post_init__(self) -> None:
        for name in ("model", "picture", "frame_size", "fit", "family"):
            if not isinstance(getattr(self, name), str):
                raise UserError(f"{name}: expected a text, got {getattr(self, name)!r}")
        if not isinstance(self.exact, bool):
            raise UserError(f"exact: expected true or false, got {self.exact!r}")
        if type(self.number) is not int:
            raise UserError(f"number: expected the number of a frame, got {self.number!r}")
        if self.frame_size not in SIZES:
            raise UserError(f"frame size: expected one of {', '.join(SIZES)}, got {self.frame_size!r}")
        if self.fit not in FITS:
            raise UserError(f"fit: expected one of {', '.join(FITS)}, got {self.fit!r}")
        if self.family and self.family not in recognition.family_names():
            raise UserError(f"post-processor: expected one of {', '.join(recognition.family_names())}, got {self.family!r}")
        if not isinstance(self.options, dict) or not all(isinstance(name, str) for name in self.options):
            raise UserError("options: expected names and values")
        self.options = {name: tuple(v) if isinstance(v, list) else v for name, v in self.options.items()}
        self.good = learning.checked(self.good)
        self.scene = None if self.scene is None else over_time.checked(self.scene)


class UnclearError(UserError):
    """No post-processor was found by the model's outputs; the user may choose one."""


class Workbench:
    """All methods may be called from any thread; one works at a time, because the stand-ins of the firmware are shared.

    folder      a folder of its own for dropped files and optimized models
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._compiling = threading.Lock()
        self.models: dict[str, ModelFile] = {}
        self.sources: dict[str, Source | Camera] = {}
        self._count = 0
        self._thumbnails: dict[str, bytes] = {}
        self._truth: dict[str, list[truth.Box]] = {}  # by the name of the picture, without its ending
        self._labels: dict[str, bytes] = {}  # dropped .txt files by the name of their model
        self._outputs: OrderedDict[tuple[Any, ...], tuple[Any, Any]] = OrderedDict()
        self._frames: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._history = over_time.History()
        self._lessons = learning.Lessons()

    def _new_id(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"

    # ---- models ----

    def add_model(self, path: Path, optimized_from: str = "") -> ModelFile:
        """Add a model file. UserError if it cannot be read."""
        with self._lock:
            if path.suffix.lower() in graph.WEIGHTS:
                raise UserError(f"{path.name}: {graph.EXPORT_FIRST}")
            files.model(path)
            known = next((model for model in self.models.values() if model.path == path), None)
            if known:
                return known
            model = ModelFile(self._new_id("m"), path, optimized_from)
            self.models[model.id] = model
            return model

    def add_siblings(self, model: ModelFile) -> None:
        """Add the files beside a model that have the same network with other numbers: the float original of an int8 file.

        A file without labels gets those of the model, in a copy: the folder belongs to the user.
        """
        labels = model.labels_path
        for path in sorted(model.path.parent.iterdir()):
            if path.suffix.lower() not in MODELS or path == model.path or base_name(path) != model.base:
                continue
            with contextlib.suppress(UserError):
                files.model(path)
                if labels and not _labels_path(path).is_file():
                    path = self._copied(path, labels.read_bytes())
                self.add_model(path)

    def _copied(self, path: Path, labels: bytes) -> Path:
        """A copy of a model with these labels beside it."""
        folder = self._new_folder()
        shutil.copyfile(path, folder / path.name)
        _labels_path(folder / path.name).write_bytes(labels)
        return folder / path.name

    def _new_folder(self) -> Path:
        folder = self._folder / self._new_id("f")
        folder.mkdir(parents=True)
        return folder

    def drop(self, name: str, data: bytes, model: str = "") -> dict[str, str]:
        """Take a file that was dropped on the page: a model, its labels, a picture, a video or true boxes.

        name    the file's name; folders in it are ignored
        model   the id of the model that is shown, which gets the labels of a .txt that is named like no other

        Returns {"model": id}, {"picture": id}, {"labels": the id of the model that has them, or ""} or
        {"truth": what the page has of it}.
        """
        name = re.split(r"[\\/]", name)[-1]
        if not name.strip(". ") or not name.isprintable() or len(name) > LONGEST:
            raise UserError(f"expected the name of a file, of at most {LONGEST} characters, got {name[:LONGEST]!r}")
        suffix = Path(name).suffix.lower()
        with self._lock:
            if suffix == ".txt" and not self._drop_truth(name, data):
                return {"labels": self._drop_labels(name, data, model)}
            folder = self._new_folder()
            path = folder / name
            files.write({path: data})
            try:
                if suffix == ".json":
                    self._truth |= {Path(file).stem: boxes for file, boxes in coco.boxes(path).items()}
                if suffix in (".json", ".txt"):
                    shutil.rmtree(folder)
                    stems = [Path(one.name).stem for one in self.sources.values() if isinstance(one, Source) and one.size]
                    known = sum(stem in self._truth for stem in stems)
                    return {"truth": f"{name}: pictures on this page with true boxes: {known} of {len(stems)}"}
                if suffix in MODELS or suffix in graph.WEIGHTS:
                    if _first_part(name) in self._labels:
                        _labels_path(path).write_bytes(self._labels[_first_part(name)])
                    added = self.add_model(path)
                    self._replace(added)
                    return {"model": added.id}
                if suffix in sources.PICTURES or sources.is_video(path):
                    return {"picture": self.add_source(path)}
                expected = ", ".join((*MODELS, ".txt", ".json", *sources.PICTURES))
                raise UserError(f"{name}: expected a model, its labels, a picture or a video: {expected}, .mp4, .avi, ...")
            except UserError as error:
                shutil.rmtree(folder, ignore_errors=True)
                raise UserError(str(error).replace(str(path), name)) from error

    def _drop_truth(self, name: str, data: bytes) -> bool:
        """Take a picture's labels in YOLO's format. False if the file has the labels of a model's classes."""
        stem, text = Path(name).stem, data.decode("utf-8-sig", "replace")
        pictures = {Path(one.name).stem for one in self.sources.values()}
        models = {_first_part(one.path.name) for one in self.models.values()}
        if not truth.is_yolo(text) and (stem not in pictures or stem in models):
            return False
        self._truth[stem] = truth.of_yolo(name, text)
        return True

    def _drop_labels(self, name: str, data: bytes, shown: str) -> str:
        """Give labels to the model that is named like them, or else to the one that is shown. Its id, or ""."""
        try:
            data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise UserError(f"{name}: expected labels as UTF-8 text, one per line") from None
        named = [one for one in self.models.values() if _first_part(one.path.name) == _first_part(name)]
        related = [one for one in self.models.values() if one.base == base_name(Path(name))]
        on_page = self.models.get(shown)
        target = on_page if on_page in named + related else (named or related or [on_page])[0]
        if target is None:
            self._labels[_first_part(name)] = data
            return ""
        path = self._copied(target.path, data)
        try:
            Network(path, None, {})
        except UserError as error:
            if _runs(target.path):  # it is the labels
                raise UserError(f"{name}: {_without_path(error, path)}") from error
        self._labels[_first_part(name)] = data
        added = self.add_model(path)
        self._replace(added)
        return added.id

    def _replace(self, new: ModelFile) -> None:
        """Remove older models with the name of this one, and what was made of them."""
        older = {one.id for one in self.models.values() if one.path.name == new.path.name and one.id != new.id}
        for one in [one for one in self.models.values() if one.id in older or one.optimized_from in older]:
            del self.models[one.id]

    def remove(self, key: str) -> None:
        """Take a model, with what was made of it, or a picture off the page. The user's own files stay."""
        with self._lock:
            source = self.source(key) if key not in self.models else None
            gone = [self.sources.pop(key)] if source else [self.models.pop(key)]
            gone += [self.models.pop(one.id) for one in list(self.models.values()) if one.optimized_from == key]
            if source and source.live:
                source.close()
            self._history.forget(key)
            self._lessons.forget(key)
            for kept in (self._outputs, self._frames):
                for one in [one for one in kept if key in one]:
                    del kept[one]
            for path in (one.path for one in gone):
                if path is not None and path.is_relative_to(self._folder):
                    shutil.rmtree(path.parent, ignore_errors=True)

    def optimize(self, model_id: str) -> ModelFile:
        """The model that `n6post optimize` makes of a model, with a proof on the 12 newest pictures of the page."""
        with self._lock:
            model = self._model(model_id)
            done = next((one for one in self.models.values() if one.optimized_from == model_id), None)
            if done:
                return done
            still = [one.path for one in self.sources.values() if one.path is not None and not sources.is_video(one.path)]
            folder = self._new_folder()
            command = [sys.executable, "-m", "n6post_pc", "optimize", str(model.path), "-o", str(folder)]
            if still:
                command += ["--pictures", *map(str, still[-12:])]  # those that came with the model are the newest
        # Another process: its pictures and stand-ins are its own, and the page goes on.
        environment = os.environ | {"PYTHONPATH": str(paths.HERE.parent), "PYTHONUTF8": "1", "COLUMNS": "80"}
        ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment)
        made = [path for path in folder.iterdir() if path.suffix.lower() in MODELS]
        if not made:
            last = (ran.stderr.strip().splitlines() or ["n6post optimize wrote no file"])[-1]
            raise UserError(last.partition("optimize: ")[2] or last)
        with self._lock:
            new = self.add_model(made[0], optimized_from=model_id)
            new.report = "\n".join(line for line in ran.stdout.strip().splitlines() if not line.startswith("written"))
            return new

    def _model(self, model_id: str) -> ModelFile:
        """The model, read again if its file has changed. What was made of the old file is dropped."""
        try:
            model = self.models[model_id]
        except KeyError:
            raise UserError("this model is no longer on the page: choose another one") from None
        if model.is_changed():
            model = self.models[model_id] = ModelFile(model.id, model.path, model.optimized_from, model.report)
            self._history.forget(model_id)
            self._lessons.forget(model_id)
            for key in [key for key in self._outputs if key[0] == model_id]:
                del self._outputs[key]
            for one in [one for one in self.models.values() if one.optimized_from == model_id]:
                del self.models[one.id]
        return model

    def _network(self, model: ModelFile, request: Request) -> Network:
        key = request.family, request.exact
        if key not in model.networks:
            ml._host_set_exact(request.exact)
            try:
                model.networks[key] = Network(model.path, request.family or None, {})
            except UserError as error:
                message = _without_path(error, model.path)
                raise (UnclearError if _opens(model.path) else UserError)(message) from error
            finally:
                ml._host_set_exact()
        return model.networks[key]

    # ---- pictures ----

    def add_source(self, path: Path) -> str:
        """Add a picture or a video, and return its id. UserError if it cannot be read."""
        with self._lock:
            if not path.is_file():
                raise UserError(f"no such picture: {path}")
            key = self._new_id("p")
            self.sources[key] = Source(path)
            return key

    def add_camera(self, camera: Camera) -> str:
        with self._lock:
            key = self._new_id("c")
            self.sources[key] = camera
            return key

    def source(self, key: str) -> Source | Camera:
        try:
            return self.sources[key]
        except KeyError:
            raise UserError("this picture is no longer on the page: choose another one") from None

    def thumbnail(self, key: str) -> bytes:
        """A small JPEG of a picture. A video is decoded by one thread at a time."""
        with self._lock:
            source = self.source(key)
            if source.live:
                return source.thumbnail()
            if key not in self._thumbnails:
                self._thumbnails[key] = source.thumbnail()
            return self._thumbnails[key]

    # ---- for the page ----

    def state(self) -> dict[str, Any]:
        """Everything that can be chosen, for JSON."""
        with self._lock:
            return {
                "models": [self._described(model) for model in self.models.values()],
                "pictures": [
                    {"id": key, "name": one.name, "count": one.count, "live": one.live, "thumbnail": f"thumbnails/{key}"}
                    for key, one in self.sources.items()
                ],
                "sizes": list(SIZES),
                "fits": {name: text for name, (_, text) in FITS.items()},
                "families": list(recognition.family_names()),
            }

    def _described(self, model: ModelFile) -> dict[str, Any]:
        variants: dict[str, str] = {model.numbers: model.id}
        for one in self.models.values():
            if one.base == model.base and not one.optimized_from:
                variants.setdefault(one.numbers, one.id)
        optimized = next((one.id for one in self.models.values() if one.optimized_from == model.id), "")
        return {
            "id": model.id, "name": model.path.name, "bytes": model.bytes, "numbers": model.numbers,
            "labels": model.labels_path is not None, "optimizable": model.optimizable, "optimized": optimized,
            "optimized_from": model.optimized_from, "report": model.report,
            "variants": {} if model.optimized_from else variants,
        }  # fmt: skip

    def look(self, request: Request) -> dict[str, Any]:
        """What a model finds in a frame, for JSON. UserError, or UnclearError if the user should choose a post-processor.

        With a scene only {"tracked": frames so far, "frames": those up to this one}, if there is work for more than half a
        second: the same request goes on. With good frames to learn also {"doing": "Learning"}.
        """
        with self._lock:
            return self._look(request)[1]

    def compare(self, left: Request, right: Request) -> dict[str, Any]:
        """Both looks, and a sentence about how far their results agree."""
        with self._lock:
            (one, shown), (other, beside) = self._look(left), self._look(right)
            both = {"left": shown, "right": beside}
            if one is None or other is None:  # one of them is still tracking or learning
                return both | {"agreement": ""}
            return both | {"agreement": compare.agreement(one, other, (shown["width"], shown["height"]))}

    def _look(self, request: Request) -> tuple[Any, dict[str, Any]]:
        model, source = self._model(request.model), self.source(request.picture)
        network = self._network(model, request)
        try:
            taken = self._taken(network, request, source) if source.live else None
            run, request = self._tracked(network, request, source, taken)
            if run and run.frames < run.total:
                return None, {"tracked": run.frames, "frames": run.total}
            processor, scores = self._learned(network, request)
            if processor and len(scores) < len(request.good):
                return None, {"doing": "Learning", "tracked": len(scores), "frames": len(request.good)}
            frame, inputs, outputs = taken or self._taken(network, request, source)
            shown_file = model.path.name, model.labels_path is not None
            result, shown = looks.look(network, request, inputs, outputs, *shown_file, run, processor)
        except ValueError as error:
            raise UserError(str(error)) from error
        if run:
            run.draw(frame)
        else:
            results.draw(frame, result)
        if processor:
            shown |= learning.shown(processor, scores, request.good, (request.picture, request.number), result.score)
        inspected = self._inspected(model)
        findings = _merged(shown["findings"], inspected.findings if inspected else [])
        return result, shown | {
            "picture": _as_png(frame), "width": frame.width(), "height": frame.height(),
            **self._ticks(network, request, source, inputs, outputs, (frame.width(), frame.height())),
            "findings": [pages.linked(finding) for finding in findings],
            "figures": figures(inspected) if inspected else None,
            "command": host_command(model, source, request, [self.sources.get(key) for key, _ in request.good]),
            **(run.shown() if run else {}),
        }  # fmt: skip

    def _tracked(
        self, network: Network, request: Request, source: Source | Camera, taken: Any
    ) -> tuple[over_time.Run | None, Request]:
        """The run over all frames up to this one, and the request with the threshold of the script's processor; None and the
        request itself if nothing is tracked.

        taken   what `_taken` returns for a camera's frame, else None
        """
        if request.scene is None:
            return None, request
        threshold = getattr(looks.processor_of(network, request.family, request.options), "threshold", None)
        low = request
        if threshold is not None:  # lower scores continue a track: docs/tracking.md
            low = replace(request, options={**request.options, "threshold": min(threshold, over_time.LOW)})
        processor = looks.processor_of(network, low.family, low.options)

        def detect(number: int) -> Any:
            _, inputs, outputs = taken or self._taken(network, replace(low, number=number), source)
            return processor(network.model, inputs, outputs)

        size = (taken[0].width(), taken[0].height()) if taken else csi._SIZES[getattr(csi, request.frame_size)]
        scene = request.scene.moved(source.picture_size, size)
        key = (low.model, low.picture, low.family, low.exact, low.fit, low.frame_size, repr(sorted(low.options.items())))
        run = self._history.run(key, scene, threshold, source, request.number, detect)
        return run, low if run else request

    def _learned(self, network: Network, request: Request) -> tuple[Any, list[float]]:
        """An Anomaly that has learned the good frames, or a part of them, and their scores. None for other families."""
        if not isinstance(network.processor, n6post.Anomaly):
            return None, []

        def take(frame: learning.Frame) -> Sequence[Any]:
            shown = replace(request, picture=frame[0], number=frame[1])
            return network.model, *self._taken(network, shown, self.source(frame[0]))[1:]

        asked = looks.processor_of(network, request.family, request.options)
        key = request.model, request.family, request.exact, request.fit, request.frame_size
        return self._lessons.learned(key, asked, request.good, take)

    def _taken(self, network: Network, request: Request, source: Source | Camera) -> tuple[Any, Any, Any]:
        """A frame to draw on, and the inputs and outputs of the network for it."""
        frame = self._frame(request, source)
        return frame, *self._run(network, request, source.live, frame, FITS[request.fit][0])

    def ticks(self, request: Request) -> dict[str, Any]:
        """What `look` says of everything that a lower threshold would find, without a picture."""
        with self._lock:
            model, source = self._model(request.model), self.source(request.picture)
            network = self._network(model, request)
            frame, inputs, outputs = self._taken(network, request, source)
            return self._ticks(network, request, source, inputs, outputs, (frame.width(), frame.height()))

    def _ticks(
        self, network: Network, request: Request, source: Source | Camera, inputs: Any, outputs: Any, size: tuple[int, int]
    ) -> dict[str, Any]:
        """{"ticks": [(score, label, rect), ...]}; with true boxes each also has the number of its one or -1, and there are
        "truth": [(label, rect), ...], and "unknown": labels that the model does not have."""
        found = looks.ticks(network, request, inputs, outputs)
        boxes = self._truth.get(Path(source.name).stem)
        if boxes is None or not isinstance(source, Source) or not source.size:
            return {"ticks": found}
        names = looks.classes_and_unused(network)[0]
        true, unknown = truth.placed(boxes, names, request.options.get("classes"), source.size, size)
        numbers = truth.hits(found, true)
        return {"ticks": [(*one, number) for one, number in zip(found, numbers)], "truth": true, "unknown": unknown}

    def _frame(self, request: Request, source: Source | Camera) -> Any:
        """A frame to draw on. Those of the last pictures are kept: a large photograph takes a second to read."""
        if source.live:
            return source.frame(request.number, request.frame_size)
        key = request.picture, request.number, request.frame_size
        if key not in self._frames:
            self._frames[key] = source.frame(request.number, request.frame_size)
            while len(self._frames) > KEPT:
                self._frames.popitem(last=False)
        return self._frames[key].copy()

    def _run(self, network: Network, request: Request, live: bool, frame: Any, transform: str) -> tuple[Any, Any]:
        """The inputs and outputs of the network for a frame. The outputs are copies."""
        frame_key = request.picture, request.number, request.frame_size
        key = (request.model, request.family, request.exact, request.fit, *frame_key)
        if not live and key in self._outputs:
            self._outputs.move_to_end(key)
            return self._outputs[key]
        inputs = [getattr(n6post, transform)(frame.copy())]
        try:
            outputs = network.model.predict(inputs, callback=lambda model, inputs, outputs: [one.copy() for one in outputs])
        except (ValueError, RuntimeError) as error:
            raise UserError(str(error)) from error
        if not live:
            self._outputs[key] = inputs, outputs
            while len(self._outputs) > KEPT:
                self._outputs.popitem(last=False)
        return inputs, outputs

    def ask_vela(self, model_id: str) -> None:
        """Ask Arm's compiler, if it is installed, about a model: seconds. Then `look` has its figures."""
        with self._lock:
            report = self._inspected(self._model(model_id))
        with self._compiling:  # not with the stand-ins: the page goes on
            if report and report.ae3 is None and vela.is_installed():
                try:
                    inspect_model.ask_vela(report, vela.compiler())
                except UserError as error:
                    report.ae3 = str(error)

    def _inspected(self, model: ModelFile) -> Inspection | None:
        """What `n6post inspect` says about the file, or None if it cannot."""
        if model.inspected is None:
            with contextlib.suppress(ValueError):
                model.inspected = inspect_model.inspect(model.path)
        return model.inspected


def _runs(path: Path) -> bool:
    """Whether a model runs with the labels that it has."""
    try:
        Network(path, None, {})
    except UserError:
        return False
    return True


def _opens(path: Path) -> bool:
    """Whether this PC can run the model, whatever its outputs are."""
    try:
        ml.Model(str(path))
    except Exception:  # the two runtimes raise their own exceptions
        return False
    return True


def figures(report: Inspection) -> dict[str, Any]:
    """How the cameras will run a model, for JSON.

    rows    (camera, text): what `n6post inspect` knows of it
    sources the text's sources
    ask     whether Arm's compiler can still be asked
    """
    sources = report.estimate.sources() if report.estimate else []
    known = {name: re.sub(r" \[\d\]", "", text) for name, text in inspect_model.cameras(report) if sources or name != "N6"}
    asks, installed = report.ae3 is None and report.network.form == graph.TFLITE, vela.is_installed()
    if asks and not installed:
        known.setdefault("AE3", f"{spelled('inspect')} FILE --npu u55 installs Arm's compiler, which estimates time and RAM")
    texts = "\n".join(n6_estimate.SOURCES[name] for name in sources)
    return {"rows": list(known.items()), "sources": texts, "ask": asks and installed}


def _merged(findings: Sequence[str], more: Sequence[str]) -> list[str]:
    """The findings for a frame, and those about the file that are not among them: one for each section of the page."""
    seen = {finding.rpartition("#")[2] for finding in findings}
    return [*findings, *(finding for finding in more if finding.rpartition("#")[2] not in seen)]


def _first_part(name: str) -> str:
    """The name up to its first dot, by which a camera finds the labels of a model."""
    return name.split(".")[0]


def _labels_path(model: Path) -> Path:
    return model.with_name(f"{_first_part(model.name)}.txt")


def _without_path(error: UserError, path: Path) -> str:
    return str(error).removeprefix(f"{path}: ").replace(str(path.parent) + os.sep, "")


def _as_png(frame: Any) -> str:
    data = io.BytesIO()
    frame.to_pil().save(data, "PNG", compress_level=1)  # fast rather than small: it only goes to this PC
    return "data:image/png;base64," + base64.b64encode(data.getvalue()).decode()


def host_command(model: ModelFile, source: Source | Camera, request: Request, good: Sequence[Any] = ()) -> str:
    """The command that runs the script on this PC, or on the camera that the frames come from.

    good    the sources of the good frames, which the script learns first
    """
    if source.path is None:
        return _command("camera.py", "camera") + " run script.py"
    shown, more = [*good, source], source.command(request.number)
    if good and source not in good and all(isinstance(one, Source) and one.size for one in shown):
        more = ["--frames", str(len(shown)), "--clock video --fps 0.3"]
    else:
        shown = [source]
    files = ["--picture", *(quoted(one.path) for one in shown), "--model", quoted(model.path)]
    more += ["--exact"] * request.exact
    return " ".join([_command("run_on_host.py", "host"), "script.py", *files, *more])


def _command(file: str, name: str) -> str:
    """A command of n6post as this installation has it, for any current folder."""
    return f"python3 {quoted(paths.CHECKOUT / 'scripts' / file)}" if paths.CHECKOUT else f"n6post {name}"
