#!/usr/bin/env python3
"""Select the recorded ulab cases that are part of the project: host_tests/data/ulab_cases.json.gz.

Reads ../shared/golden/ulab_cases.json and ulab_forbidden.json next to the checkout (see the README there).
It keeps one case for each combination of group, functions and operators, and resulting dtype (or error).
Missing names are left out, because another test has the full list of names. All forbidden expressions are kept.
"""

import gzip
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT.parent / "shared" / "golden"
TARGET = ROOT / "host_tests" / "data" / "ulab_cases.json.gz"

_NAME = re.compile(r"np\.\w+|\.\w+|//|\*\*|<=|>=|==|!=|[-+*/%<>&|^~]")
_DTYPE = re.compile(r"dtype=np\.\w+")


def _signature(case):
    """A key of the case that is equal for similar cases."""
    expect = case["expect"]
    expression = _DTYPE.sub("", case["expr"])
    if expression in ("a", "b", "o"):  # the last statement is the tested one
        expression = _DTYPE.sub("", case["setup"][-1])
    return json.dumps(
        [
            case["id"].rpartition("_")[0],
            sorted(set(_NAME.findall(expression))),
            [expect["kind"], expect.get("dtype", expect.get("type", ""))],
        ]
    )


def _wanted(case):
    return not case["id"].startswith("absent_")


def main():
    cases = json.loads((GOLDEN / "ulab_cases.json").read_text(encoding="utf-8"))
    forbidden = json.loads((GOLDEN / "ulab_forbidden.json").read_text(encoding="utf-8"))
    kept = {}
    for case in cases:
        if _wanted(case):
            kept.setdefault(_signature(case), case)
    chosen = {
        "made_by": "scripts/dev/recording/select_golden.py",
        "recorded_with": "ulab 6.12.0, 4 dimensions, float32: host builds and OpenMV firmware 5.0.0",
        "cases": list(kept.values()),
        "forbidden": [{k: case[k] for k in ("setup", "expr", "effect", "why")} for case in forbidden],
    }
    # mtime=0: the same cases always give the same file
    TARGET.write_bytes(gzip.compress(json.dumps(chosen, separators=(",", ":")).encode(), mtime=0))
    print(f"{len(kept)} of {len(cases)} cases, {len(forbidden)} forbidden: {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
