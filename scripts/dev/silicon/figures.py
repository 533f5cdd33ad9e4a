"""Figures that cameras have shown: merge reports into the table of docs/internals/silicon.md, beside our estimates.

    python3 scripts/dev/silicon/figures.py              # write the table anew
    python3 scripts/dev/silicon/figures.py REPORT.md    # first add what `camera.py report` has printed

figures.jsonl beside this file has a line for each camera and firmware. A new report replaces an older one of both.
"""

import argparse
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(__file__).with_name("figures.jsonl")
PAGE = ROOT / "docs" / "internals" / "silicon.md"
ESTIMATES = ROOT / "docs" / "internals" / "performance.md"
BEGIN, END = "<!-- figures.py writes this table -->\n\n", "\n<!-- end of the table -->"

# Row of the benchmark: row of the estimates. The benchmark's tensors are made up, with the shapes of the real ones.
NAMES = {
    "YoloV8Seg, int8 [1,116,2100] and [1,80,80,32]": "`YoloV8Seg`, masks included",
    "YoloV8Seg, int8 [1,116,2100] and [1,80,80,32], drawing": "drawing of 4 masks, boxes and labels",
    "YoloV8, float [1,5,756]": "`YoloV8`",
    "YoloV8, float [1,5,756], drawing": "drawing of 3 boxes and labels",
    "YoloV8Pose, float [1,56,1344]": "`YoloV8Pose`",
    "YoloV8Pose, float [1,56,1344], drawing": "drawing of 3 people",
    "MoveNet, int8 [1,48,48,13]": "`MoveNet`",
    "MoveNet, int8 [1,48,48,13], drawing": "drawing of a person",
    "DeepLab, int8 [1,320,320,2]": "`DeepLab`, [1,320,320,2]",
    "DeepLab, int8 [1,320,320,2], drawing": "drawing of that map with its legend",
    "DeepLab, int8 [1,65,65,21]": "`DeepLab`, [1,65,65,21]",
    "DeepLab, int8 [1,512,512,5]": "`DeepLab`, [1,512,512,5]",
    "Tracker.update, 10 tracks and 10 detections": "`Tracker.update` of 10",
    "Tracker.update, 30 tracks and 30 detections": "`Tracker.update` of 30",
    "PolygonZone.trigger of 10": "`PolygonZone.trigger` of 10",
    "to_json of 10": "`to_json` of 10 boxes",
}
# Figure that others have published: row of the estimates. The number of candidates is our assumption.
OTHERS = {
    "FOMO 96, OpenMV's own class": "OpenMV's `fomo_postprocess`, two cells",
    "FOMO 96, OpenMV's own class, before": "OpenMV's `fomo_postprocess` before pull request 2801, two cells",
    "YOLOv2 224, OpenMV's own class": "OpenMV's `yolo_v2_postprocess`, two candidates",
    "YOLOv2 224, OpenMV's own class, before": "OpenMV's `yolo_v2_postprocess` before it, two candidates",
}


def read(text: str) -> dict[str, Any]:
    """The figures in a report. ValueError if it has none."""
    for block in re.findall(r"```json\n(.*)\n```", text):
        try:
            found = json.loads(block)
        except ValueError:
            continue
        if isinstance(found, dict) and {"camera", "firmware", "unit", "figures"} <= set(found):
            if not all(isinstance(number, (int, float)) for number in found["figures"].values()):
                raise ValueError("the figures are no numbers")
            return {**found, "from": "a report"}
    raise ValueError("expected what `camera.py report` prints, with a line of JSON: got none")


def merged(rows: Iterable[dict[str, Any]], new: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows, with the new one instead of one of the same camera, firmware and source."""

    def key(row: dict[str, Any]) -> tuple[str, ...]:
        return row["camera"], row["firmware"], row.get("source", ""), row["from"]

    return [*(row for row in rows if key(row) != key(new)), new]


def estimates(board: str) -> dict[str, tuple[float, float]]:
    """(low, high) in milliseconds for each row of the estimates that docs/internals/performance.md has for "N6" or "AE3"."""
    column = {"N6": 3, "AE3": 4}[board]
    found = {}
    for line in ESTIMATES.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip(" *") for cell in line.split("|")]
        if len(cells) == 7 and (span := re.fullmatch(r"([\d.]+) to ([\d.]+)", cells[column])):
            found[cells[1]] = float(span[1]), float(span[2])
    return found


def compared(work: str, number: float, board: str) -> tuple[str, str]:
    """(our estimate, whether the number lies in it) for a row; empty without one."""
    known = {**NAMES, **OTHERS}
    if board not in ("N6", "AE3") or work not in known:
        return "", ""
    low, high = estimates(board)[known[work]]
    where = "inside" if low <= number <= high else f"{number / high:.2f} times high" if number > high else "below"
    return f"{low:g} to {high:g}", where


def table(rows: list[dict[str, Any]]) -> str:
    lines = ["| camera, firmware | what | figure | our estimate | | from |", "| --- | --- | ---: | ---: | --- | --- |"]
    for row in rows:
        board = row["camera"].rpartition(" ")[2]
        source = row.get("source", "")
        who = f"[others]({source})" if row["from"] == "others" else f"a report, n6post {row.get('n6post', '?')}"
        for work, number in row["figures"].items():
            unit = "" if work.endswith(("pixels of the input", "cycles", "bytes")) else f" {row['unit']}"
            shown = f"{number:,.0f}" if number >= 1000 else f"{number:g}"
            span, where = compared(work, number, board if row["unit"] == "ms" else "")
            camera = ", ".join(filter(None, (row["camera"], row["firmware"])))
            lines.append(f"| {camera} | {work} | {shown}{unit} | {span} | {where} | {who} |")
    return "\n".join(lines) + "\n"


def page(rows: list[dict[str, Any]]) -> str:
    """The page with the table of these rows."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, ends, after = rest.partition(END)
    if not ends:  # also without BEGIN
        raise ValueError(f"{PAGE.name}: expected {BEGIN.strip()} and {END.strip()}")
    return before + BEGIN + table(rows) + END + after


def line_costs(rows: Iterable[dict[str, Any]], board: str) -> dict[int, float]:
    """{address: cycles for 32 bytes} as cameras of this kind have measured it."""
    found = {}
    for row in rows:
        if row["camera"].rpartition(" ")[2] == board:
            for work, number in row["figures"].items():
                if match := re.fullmatch(r"32 bytes of the \w+ at (0x[0-9a-f]{8}), cycles", work):
                    found[int(match[1], 16)] = number
    return found


def load(path: Path = DATA) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Merge reports of cameras into docs/internals/silicon.md.")
    parser.add_argument("reports", nargs="*", type=Path, metavar="REPORT")
    options = parser.parse_args(arguments)
    rows = load()
    for path in options.reports:
        try:
            rows = merged(rows, read(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            parser.error(f"{path}: {error}")
    DATA.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8", newline="\n")
    PAGE.write_text(page(rows), encoding="utf-8", newline="\n")
    print(f"{PAGE.relative_to(ROOT)}: {sum(len(row['figures']) for row in rows)} figures of {len(rows)} sources")


if __name__ == "__main__":
    main()
