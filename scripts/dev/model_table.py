"""Which model shall I take: the table of docs/networks.md, from published figures and from files that are at hand.

    .venv/bin/python scripts/dev/model_table.py                     # write the table anew
    .venv/bin/python scripts/dev/model_table.py FOLDER PICTURES     # first measure the files that are in FOLDER

model_table.jsonl beside this file has a line for each network: what its publisher says of it, and what was measured here.
FOLDER has files of stm32-hotspot/ultralytics and stm32ai-modelzoo by their own names. PICTURES has bus.jpg of Ultralytics.
Vela is installed when it is first needed.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("scripts", "stubs", "lib")]

import n6post  # noqa: E402
from n6post_pc.build import silu_tables  # noqa: E402
from n6post_pc.models import vela  # noqa: E402
from n6post_pc.models.pictures import Picture  # noqa: E402
from n6post_pc.models.run import Network  # noqa: E402
from n6post_pc.optimize import CannotOptimize, optimizer  # noqa: E402
from n6post_pc.optimize.command import FRAME_SIZES, without_bars  # noqa: E402
from PIL import Image, ImageOps  # noqa: E402

DATA = Path(__file__).with_suffix(".jsonl")
PAGE = ROOT / "docs" / "networks.md"
ZOO = "https://github.com/STMicroelectronics/stm32ai-modelzoo/tree/main"
BEGIN, END = "<!-- scripts/dev/model_table.py writes this table -->\n\n", "\n<!-- end of the table -->"
SLOWER = 1.2  # an OpenMV N6 takes so much longer than ST's board (docs/internals/silicon.md has three networks on both)
VGA = FRAME_SIZES["VGA"]
HEIGHTS = (320, 250, 200, 160, 128, 100, 80, 64, 50, 40, 32, 25)  # of a person in a VGA frame, in pixels
# The three whole people in Ultralytics' bus.jpg of 810x1080: x, y, width, height; read off the picture.
PEOPLE = (47, 401, 184, 501), (220, 406, 125, 454), (670, 385, 140, 490)
PLACES = [(x, y, mirrored) for x in (0.2, 0.5, 0.8) for y in (0.4, 0.6) for mirrored in (False, True)]


def measured(file: Path, picture: Image.Image) -> dict[str, Any]:
    """Cycles and SRAM by Vela as published, optimized for VGA, and with tables; the smallest people that are found."""
    found: dict[str, Any] = {}
    best = file
    with tempfile.TemporaryDirectory() as folder:
        try:
            make = optimizer(file.suffix)
            whole = make(file.read_bytes())
            classes = [0, 2, 7] if whole.original_class_count == 80 else None  # person, car, truck
            new = make(file.read_bytes(), size=without_bars(VGA, whole.original_size), classes=classes)
            best = Path(folder) / f"optimized{file.suffix}"
            best.write_bytes(new.data)
            found["input"] = list(new.input_size)
        except CannotOptimize:
            pass
        found["smallest"] = [smallest(one, picture) for one in (file, best)]
        if file.suffix == ".tflite":
            stages = {"published": file, "optimized": best}
            replaced, silus = silu_tables.replaced(best.read_bytes())
            if silus:
                stages["tables"] = Path(folder) / "tables.tflite"
                stages["tables"].write_bytes(replaced)
            for name, path in stages.items():
                verdict = vela.compile_model(vela.compiler(), path)
                found[name] = [verdict.cycles, verdict.sram]
    return found


def smallest(file: Path, picture: Image.Image) -> int | None:
    """The height in pixels of VGA down to which half of the people are found, as PLACES show them on gray. None: never."""
    network = Network(file, None, {})
    last = None
    for height in HEIGHTS:
        scale = height * len(PEOPLE) / sum(one[3] for one in PEOPLE)
        small = picture.resize((round(picture.width * scale), round(picture.height * scale)), Image.Resampling.BOX)
        seen = 0
        for right, down, mirrored in PLACES:
            left, top = round((VGA[0] - small.width) * right), round((VGA[1] - small.height) * down)
            frame = Image.new("RGB", VGA, (114, 114, 114))
            frame.paste(ImageOps.mirror(small) if mirrored else small, (left, top))
            found = [one for one in network.see(Picture(file, frame), "letterbox") if one.class_id == 0]
            for x, y, w, h in PEOPLE:
                x = picture.width - x - w if mirrored else x
                person = n6post.Detection((left + x * scale, top + y * scale, w * scale, h * scale), 1, 0, None, None, None)
                seen += any(person.iou(one) > 0.5 for one in found)
        if seen < len(PLACES) * len(PEOPLE) / 2:
            break
        last = height
    return last


def table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| Network, input | N6, ms | N6, KiB | AE3, ms | AE3, KiB | AP50 | Person |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        has = row.get("measured", {})
        kept = "published", *(["optimized"] if "input" in has else []), "tables"
        stages = [has[name] for name in kept if name in has]
        times = ", ".join(f"{cycles / 400e3:.1f}" for cycles, _ in stages)
        memory = ", ".join(f"{sram / 1024:,.0f}" for _, sram in stages[:2])
        ap = "" if row["ap"] is None else f"{row['ap']:.3f}".removeprefix("0")
        people = ", ".join(str(height) for height in dict.fromkeys(has.get("smallest", ())))
        name = f"[{row['name']} {row['size']}]({ZOO}/{row['source']})"
        slower = row["milliseconds"] * SLOWER
        lines.append(f"| {name} | {slower:.0f} | {row['ram']:,.0f} | {times} | {memory} | {ap} | {people} |")
    return "\n".join(lines) + "\n"


def page(rows: list[dict[str, Any]], text: str) -> str:
    """The page with the table of these rows. ValueError if it has no place for it."""
    before, begins, rest = text.partition(BEGIN)
    _, ends, after = rest.partition(END)
    if not begins or not ends:
        raise ValueError(f"expected a page with {BEGIN.strip()} and {END.strip()}")
    return before + BEGIN + table(rows) + END + after


def load() -> list[dict[str, Any]]:
    return [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Write the table of models in docs/networks.md.")
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="files to measure")
    parser.add_argument("pictures", nargs="?", type=Path, metavar="PICTURES", help="a folder with bus.jpg")
    options = parser.parse_args(arguments)
    rows = load()
    if options.folder:
        picture = Image.open(options.pictures / "bus.jpg").convert("RGB")
        for row in rows:
            file = options.folder / row["file"]
            if file.is_file():
                row["measured"] = measured(file, picture)
                print(row["name"], row["size"], row["measured"])
    DATA.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8", newline="\n")
    PAGE.write_text(page(rows, PAGE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
