"""n6post collect, scripts/collect.py: arguments, and what is in the folder."""

import argparse
import contextlib
import importlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from .. import files, terminal
from ..cli import spelled
from ..command import FINDINGS, FINE, UserError, parser, quoted
from . import dataset, server
from .folder import DROPPED, STATES, TO_SORT, Folder, Picture, box, names_of

DESCRIPTION = """\
Fetch the pictures that a Collector has kept on a camera, sort them on a page in the browser, and write them as a dataset for
training. Without options it counts the pictures of FOLDER.

Only what FOLDER does not have yet is fetched, and nothing is changed on the camera. Pictures that are damaged because the
camera's power failed are named and left out; the exit code is then 1."""
EXAMPLES = ("photos --from /sdcard/collected", "photos", "photos --page", "photos --dataset fruit --labels fruit.txt")
NOTE = "Labels that nobody has corrected come from the network. An evaluation with them overrates that network."


def parse(argv: list[str], prog: str) -> argparse.Namespace:
    command = parser(prog, DESCRIPTION, EXAMPLES)
    add = command.add_argument
    add("folder", type=Path, metavar="FOLDER", help="the pictures on this PC")
    add("--from", dest="source", metavar="CAMERA_FOLDER", help="first fetch from this folder of the camera on USB")
    add("--port", help="with --from: the camera's serial port (default: that of the only camera)")
    add("--labels", type=Path, metavar="FILE", help="the names of the classes, one per line (default: FOLDER/labels.txt)")
    last = command.add_mutually_exclusive_group()
    last.add_argument("--page", action="store_true", help="serve a page to keep and drop pictures and to correct labels")
    last.add_argument("--dataset", type=Path, metavar="OUT",
                      help="write the pictures that are not dropped to OUT, a new folder: images, labels and data.yaml for "
                           "Ultralytics, and truth.json in COCO's format")  # fmt: skip
    add("--http", type=int, default=0, metavar="PORT", help="with --page: its port (default: any free one)")
    add("--json", action="store_true", help="print one JSON object instead of text")
    return command.parse_args(argv)


def counted(pictures: list[Picture], names: list[str]) -> dict[str, Any]:
    """How many pictures there are by reason and state, and how many boxes by class in those that are not dropped."""
    whole = [one for one in pictures if not one.damage]
    classes = Counter(box(line)[0] for one in whole if one.state != DROPPED for line in one.lines)
    by = Counter((one.reason, one.state) for one in whole)
    return {
        "pictures": {reason: {state: by[reason, state] for state in STATES} for reason in sorted({one for one, _ in by})},
        "boxes": {names[n] if n < len(names) else str(n): count for n, count in sorted(classes.items())},
        "damaged": {one.path.name: one.damage for one in pictures if one.damage},
    }


def show(report: dict[str, Any], where: Path) -> None:
    from rich import box as boxes
    from rich.table import Table

    sheet = Table(box=boxes.SIMPLE_HEAD, pad_edge=False)
    sheet.add_column("reason")
    for heading in ("pictures", *STATES):
        sheet.add_column(heading, justify="right")
    total = {state: sum(counts[state] for counts in report["pictures"].values()) for state in STATES}
    for reason, counts in {**report["pictures"], "all": total}.items():
        sheet.add_row(reason, *map(str, (sum(counts.values()), *counts.values())))
    console = terminal.console()
    console.print(sheet)
    console.print("boxes:", ", ".join(f"{name} {count}" for name, count in report["boxes"].items()) or "none")
    following = "--page" if total[TO_SORT] else "--dataset dataset"
    console.print(f"Next: {spelled('collect')} {quoted(where)} {following}", soft_wrap=True)


def main(argv: list[str], prog: str) -> int:
    arguments = parse(argv, prog)
    where, out = arguments.folder, arguments.dataset
    names = names_of(where, arguments.labels)
    if out is not None:
        dataset.check(out, where)
    report: dict[str, Any] = {}
    if arguments.source is not None:
        importlib.import_module("mpremote")  # if it is missing, the command names the extra to install
        from .fetch import fetch

        files.output_folder(where)
        report["fetched"] = fetch(arguments.port, arguments.source, Folder(where))
        print(f"{report['fetched']} files fetched. The camera's script was stopped: reset the camera.", file=sys.stderr)
    pictures = Folder(where).pictures()
    report |= counted(pictures, names)
    for name, why in report["damaged"].items():
        print(f"{prog}: {name} is left out: {why}", file=sys.stderr)
    used = [one for one in pictures if not one.damage and one.state != DROPPED]
    if not pictures or out is not None and not used:
        raise UserError(f"no pictures in {where}: expected pairs such as 00017_unsure_120.jpg and 00017_unsure_120.txt")
    if out is not None:
        dataset.write(used, names, out)
        report["dataset"] = str(out)
    if arguments.json:
        print(json.dumps(report))
    elif out is not None:
        print(f"{len(used)} pictures with {sum(report['boxes'].values())} boxes are in {out}.\n{NOTE}\n"
              f"To compare a new model with the old one: {spelled('run')} new.tflite {quoted(out / 'images/train')} "
              f"--compare old.tflite --truth {quoted(out / 'truth.json')}")  # fmt: skip
    elif not arguments.page:
        show(report, where)
    if arguments.page:
        served, address = server.page(Folder(where), names, arguments.http)
        print(address, flush=True)
        print("Ctrl-C ends it.", file=sys.stderr, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            served.wait()
        served.close()
    return FINDINGS if report["damaged"] else FINE
