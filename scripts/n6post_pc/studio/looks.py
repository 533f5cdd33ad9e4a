"""What the page shows of a result, but for the picture. It needs no numpy, so that the site's page can run it in a browser.

A network here is anything with the attributes of `models.run.Network`: model, processor, family, names and size.
"""

from __future__ import annotations

import re
from typing import Any

import n6post
from n6post.models import matching

from ..models import results
from . import script
from .controls import controls

LOWEST = 0.05  # lowest score of the ticks under the slider of the threshold
MOST_TICKS = 100

_LINK = re.compile(r" \((?:\S*/)?docs/([\w-]+)\.md#([\w-]+)\)$")  # at the end of a finding


def look(
    network: Any, request: Any, inputs: Any, outputs: Any, file: str, needs_labels: bool, run: Any = None,
    processor: Any = None,
) -> tuple[Any, dict[str, Any]]:
    """The result, and what is shown of it, for JSON. ValueError for options or outputs that the post-processor refuses.

    request         with fit, family, frame_size and options, those that are not the default
    file            the name of the model's file
    needs_labels    whether a .txt file of labels is beside it
    run             an over_time.Run after this frame, or None
    processor       one that has learned something, or None for a new one
    """
    processor = processor or processor_of(network, request.family, request.options)
    network.model.postprocess = processor  # diagnose reads its options
    result = run.names["detections"] if run else processor(network.model, inputs, outputs)
    findings = n6post.diagnose(network.model, outputs, inputs=inputs)
    family = type(processor).__name__
    general = results.kind_of(result)
    kind = script.kind_of(family, general)
    names, unused = classes_and_unused(network)
    parts, made = (run.parts, run.names) if run else ((), {})
    return result, {
        "family": family, "input": list(network.size), "controls": controls(family, names, unused),
        "rows": run.rows() if run else [list(row) for row in results.rows(result)], "trackable": general == "objects",
        "count": counted(general, result),
        "printed": script.printed(kind, result, parts, made), "findings": findings,
        "script": script.camera_script(
            file, _non_default(processor, request.options), request.fit.capitalize(), request.frame_size, kind,
            request.family or None, needs_labels, parts, getattr(processor, "learned", 0),
        ),
    }  # fmt: skip


def ticks(network: Any, request: Any, inputs: Any, outputs: Any) -> list[tuple[float, str, list[int]]]:
    """(score, label, rect) of all that a lower threshold would find, best first: a threshold can be set between them."""
    lower = {"threshold": LOWEST, "max_detections": MOST_TICKS}
    if not lower.keys() <= {name for name, _ in type(network.processor)._option.defaults}:
        return []
    try:
        found = processor_of(network, request.family, {**request.options, **lower})(network.model, inputs, outputs)
    except ValueError:
        return []
    return [(float(one.score), one.label, list(one.rect)) for one in found]


def processor_of(network: Any, family: str, options: dict[str, Any]) -> Any:
    """A post-processor as the script makes it. ValueError for an option that it refuses."""
    try:
        if not family:
            return n6post.processor_for(network.model, **options)
        labels = getattr(network.processor, "labels", None)
        return type(network.processor)(**options, **({"labels": labels} if labels else {}))
    except TypeError as error:
        raise ValueError(str(error)) from error


def parts(finding: str) -> tuple[str, str, str]:
    """A finding of `diagnose` as (text, page, anchor), the last two "" if it names no page."""
    found = _LINK.search(finding)
    return (finding[: found.start()], found[1], found[2]) if found else (finding, "", "")


def _non_default(processor: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The options that are not the default, in the order of the constructor."""
    defaults = dict(type(processor)._option.defaults)
    return {name: options[name] for name, default in defaults.items() if name in options and options[name] != default}


def classes_and_unused(network: Any) -> tuple[list[str] | None, set[str]]:
    """The labels of all classes, also of a model without labels (None: its outputs do not show how many there are), and the
    options of its family that do not apply to this model."""
    try:
        family, signature = matching.match_family(network.model)
    except ValueError:
        return network.names, set()
    if family != network.family:
        return network.names, set()
    unused = set()
    if family == "DeepLab" and signature.map and signature.map[2] != 1:
        unused.add("threshold")  # the largest score wins
    if signature.rows and not signature.head_layout and not signature.split:
        unused |= {"iou_threshold", "nms_sigma", "class_agnostic"}  # the network has suppressed overlaps already
    if not {"classes", "background"} & set(network.processor._values):
        return network.names, unused
    names = matching._class_names(family, signature, network.processor)
    return [str(name) for name in names] if names else network.names, unused


def counted(general: str, result: Any) -> str:
    """The heading of the table of results."""
    if general == "anomaly":
        limit = "no threshold yet" if result.threshold is None else f"threshold {result.threshold:.1f}"
        return f"{(result.verdict or 'no verdict').capitalize()}: score {result.score:.1f}, {limit}"
    if general in ("depth", "vector"):
        return {"depth": "Distances", "vector": "A vector"}[general]
    number = len(result.class_ids()) if general == "map" else len(result)
    if not number:
        return "Nothing found"
    classes = "class" if number == 1 else "classes"
    what = {"map": f"{classes} in the frame", "classes": f"best {classes}", "objects": "found"}[general]
    return f"{number} {what}"
