"""The recorded results of ulab (data/README.md), and the comparison of a ulab with them."""

from __future__ import annotations

import gzip
import json
import math
import runpy
from pathlib import Path
from typing import Any

import numpy

HERE = Path(__file__).parent

Case = dict[str, Any]

# Results of ulab 6.12.0, and by case those that 6.7.3 (firmware 4.8.1) gives instead.
SELECTION = json.loads(gzip.decompress((HERE / "data" / "ulab_cases.json.gz").read_bytes()))
OLDER = json.loads((HERE / "data" / "ulab_6_7_3.json").read_text(encoding="utf-8"))

# run(setup, expression): the result of stubs/ulab, in JSON's types as in the recordings.
run = runpy.run_path(str(HERE / "micropython" / "scripts" / "ulab_case.py"))["run"]


def as_6_7_3(cases: list[Case]) -> list[Case]:
    changed = []
    for case in cases:
        older = OLDER.get(case["id"])
        if older is not None:
            case = {k: v for k, v in case.items() if k != "expect_repr_c"} | older
            case |= {"expect": older, "trap": older.get("trap", case["trap"])}
        changed.append(case)
    return changed


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, str) else value


def _near(got: Any, wanted: Any, case: Case) -> bool:
    got, wanted = _number(got), _number(wanted)
    if isinstance(wanted, float) and math.isnan(wanted):
        return isinstance(got, float) and math.isnan(got)
    if ("rtol" in case or "atol" in case) and math.isfinite(wanted) and math.isfinite(got):
        return bool(abs(got - wanted) <= case.get("atol", 0) + case.get("rtol", 0) * abs(wanted))
    return bool(numpy.float32(got) == numpy.float32(wanted)) if isinstance(wanted, float) else bool(got == wanted)


def agrees(got: dict[str, Any], case: Case) -> bool:
    """Whether a result of `run` is the recorded one."""
    return any(_equal(got, case[name], case) for name in ("expect", "expect_repr_c") if name in case)


def _equal(got: dict[str, Any], wanted: dict[str, Any], case: Case) -> bool:
    kind = wanted["kind"]
    if any(got.get(name) != wanted.get(name) for name in ("kind", "type", "dtype")):
        return False
    if kind in ("tuple", "list"):
        pairs = zip(got["items"], wanted["items"])
        return len(got["items"]) == len(wanted["items"]) and all(_equal(a, b, case) for a, b in pairs)
    if kind == "array" and list(got["shape"]) != list(wanted["shape"]):
        return False
    if kind == "str":
        return bool(got["values"] == wanted["values"])
    values = got.get("values", []), wanted.get("values", [])
    return len(values[0]) == len(values[1]) and all(_near(a, b, case) for a, b in zip(*values))
