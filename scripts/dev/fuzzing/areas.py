"""The areas by name, their frequencies, and the settings before each case."""

from __future__ import annotations

from . import (
    anomalies,
    bands,
    detectors,
    drawing,
    files,
    fitting,
    frames,
    ground,
    heads,
    labels,
    maps,
    models,
    options,
    other_families,
    seg,
    split,
    states,
    streams,
    tracking,
    wrong_types,
    yolo,
)
from .core import Dice, Fuzzer


def prepare(dice: Dice) -> None:
    frames.as_firmware(frames.FIRMWARES[dice.chance(0.3)])


# With these frequencies 20,000 cases take half a minute: drawing and searching take milliseconds, a refused option .1 ms.
AREAS = {
    "boxes": (11.0, yolo.boxes),
    "seg": (3.0, seg.seg),
    "pose": (4.5, yolo.pose),
    "end2end": (8.0, heads.end2end),
    "split": (3.0, split.split),
    "detectors": (4.0, detectors.detectors),
    "other_families": (5.0, other_families.other_families),
    "movenet": (6.0, maps.movenet),
    "deeplab": (6.0, maps.deeplab),
    "anomalies": (0.5, anomalies.anomalies),
    "rois": (14.0, fitting.rois),
    "inputs": (4.0, fitting.fills),
    "labels": (8.0, labels.labels),
    "answers": (5.0, labels.answers),
    "options": (14.0, options.options),
    "wrong_types": (5.0, wrong_types.wrong_types),
    "tracker": (3.0, tracking.tracker),
    "zones": (10.0, tracking.zones),
    "json": (5.0, tracking.texts),
    "draw": (6.0, drawing.drawing),
    "bands": (2.0, bands.bands),
    "ground": (5.0, ground.ground),
    "states": (1.0, states.states),
    "collector": (0.5, states.collector),
    "streams": (2.0, streams.streams),
    "models": (5.0, models.shapes),
    "files": (1.5, files.files),
    "sequence": (1.0, yolo.sequence),
}

FUZZER = Fuzzer(AREAS, prepare)
