"""Which sliders and switches a post-processor has. The texts are those of the types, so the page and an editor agree."""

import ast
import functools
import re
from collections.abc import Collection
from typing import Any

from .. import paths

# option: kind, and what the kind needs. "slider": numbers from 0 to 1. In the order of the page; the first ones are always
# visible, and those after MORE in a part that opens.
CONTROLS: dict[str, tuple[Any, ...]] = {
    "threshold": ("slider",),
    "iou_threshold": ("slider",),
    "keypoint_threshold": ("slider",),
    "classes": ("classes",),
    "positions": ("switch",),
    "sensitive": ("switch",),
    "top_k": ("number", 1, 20),
    "background": ("class",),
    "mask_threshold": ("slider", 0.01, 0.99),  # between 0 and 1, both excluded
    "mask_overlap": ("slider",),
    "refit_boxes": ("switch",),
    "class_agnostic": ("switch",),
    "blend_boxes": ("switch",),
    "refine": ("switch",),
    "normalize": ("switch",),
    "patches": ("number", 16, 1024),
    "max_detections": ("number", 1, 100),
    "nms_sigma": ("slider",),
    "box_units": ("choice", "pixels", "normalized"),
}
MORE = "mask_threshold"

# Of a family whose option has another range.
OTHERS: dict[str, dict[str, tuple[Any, ...]]] = {"Anomaly": {"threshold": ("number", 0, 1_000_000)}}  # a distance

PAGE = re.compile(r" \(docs/\S+\)")  # a reference to a page


def controls(family: str, names: list[str] | None, unused: Collection[str] = ()) -> list[dict[str, Any]]:
    """The controls of a family, for JSON: option, kind, default, more (whether it is in the part that opens), help.

    names   the labels of the model's classes, or None
    unused  options of the family that change nothing for this model
    """
    import n6post

    defaults = dict(getattr(n6post, family)._option.defaults)
    texts = help_texts(family)
    made = []
    more = False
    for option, (kind, *limits) in (CONTROLS | OTHERS.get(family, {})).items():
        more = more or option == MORE
        if option not in defaults or option in unused or kind in ("classes", "class") and not names:
            continue
        control = {"option": option, "kind": kind, "default": defaults[option], "more": more, "help": texts.get(option, "")}
        if kind in ("slider", "number"):
            low, high = (0.01, 0.99) if (family, option) == ("DeepLab", "threshold") else limits or (0, 1)
            control |= {"low": low, "high": high, "step": 0.01 if kind == "slider" else 1}
            # DeepLab's threshold of None is .5; the others switch something off.
            control["off"] = defaults[option] is None and option != "threshold" or option == "mask_overlap"
        elif kind == "choice":
            control["choices"] = limits
        else:
            control["choices"] = names if kind in ("classes", "class") else []
        made.append(control)
    return made


@functools.cache
def help_texts(family: str) -> dict[str, str]:
    """{option: what it does}, from the documentation strings in n6post's types."""
    tree = _types()
    texts: dict[str, str] = {}
    found = next((node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == family), None)
    if found is None:
        return texts
    for base in found.bases:
        if isinstance(base, ast.Name):
            texts |= help_texts(base.id)
    for one, following in zip(found.body, found.body[1:]):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and isinstance(following, ast.Expr):
            text = " ".join(str(ast.literal_eval(following.value)).split())
            texts[one.target.id] = PAGE.sub("", text).replace("`", "")
    return texts


@functools.cache
def _types() -> ast.Module:
    return ast.parse((paths.LIB / "n6post" / "__init__.pyi").read_text(encoding="utf-8"))
