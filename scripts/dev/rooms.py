"""The rooms of lib and who imports whom, read from the imports: `python3 scripts/dev/rooms.py` draws docs/rooms.svg.

--check says only whether the picture is up to date, --list prints the imports and any circle. host_tests/test_rooms.py holds
the code against ROWS.
"""

import argparse
import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIB = ROOT / "lib" / "n6post"
PICTURE = ROOT / "docs" / "rooms.svg"

# From top to bottom, each with what lives there: a file imports from rows below its own, and from its own row.
ROWS = (
    ("the public names, loaded on first use", ["__init__"]),
    ("which processor a model needs; what is wrong with it", ["models", "doctor"]),
    ("detections over time and place", ["tracker", "one_euro", "zones", "trail", "positions", "to_json"]),
    (
        "one family each: its options and its work",
        ["processor", "yolo", "yolo_seg", "yolo_pose", "end2end", "movenet", "deeplab"],
    ),
    ("pictures of results", ["draw", "skeleton", "overlays"]),
    ("results", ["detection", "answers", "mask", "shape", "contour", "overlap", "segmentation"]),
    ("masks and maps on a picture", ["painting", "resizing", "cutting"]),
    ("arrays of boxes; model input and frame", ["nms", "geometry", "inputs", "edges"]),
    ("the loops that touch every byte", ["kernels"]),
    (
        "numbers, shapes, names, colours, checks, firmwares",
        ["quant", "refusals", "layout", "heads", "labels", "names", "joints", "pixels", "options", "firmware", "scaling"],
    ),
)

# In the picture the kernels are three rooms; what they share is drawn with the first.
KERNELS = {"kernels/boxes": "boxes", "kernels/maps": "map", "kernels/drawing": "drawing"}

# The way of a frame through the rooms.
WAY = ("processor", "yolo", "kernels/boxes", "detection", "draw")

ROW_HEIGHT, ROOM_WIDTH, ROOM_HEIGHT, LEFT, WIDTH = 92, 100, 34, 210, 1240


def files(lib: Path = LIB) -> dict[str, Path]:
    """Every file by its dotted name: "yolo", "kernels", "kernels.plans"."""
    found = {}
    for path in sorted(lib.rglob("*.py")):
        parts = path.relative_to(lib).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)] = path
    return found


def imports(name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The files of lib that a file imports, at its top or inside a function."""
    here = name.split(".") if path.name == "__init__.py" and name != "__init__" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = here[: len(here) - node.level + 1] + (node.module.split(".") if node.module else [])
        for alias in node.names:
            target = ".".join([*base, alias.name])
            yield target if target in known else ".".join(base) or "__init__"


def graph(lib: Path = LIB) -> dict[str, list[str]]:
    known = files(lib)
    return {name: sorted(set(imports(name, path, known)) - {name}) for name, path in known.items()}


def circles(edges: dict[str, list[str]]) -> list[list[str]]:
    """Every circle of imports once, as the files along it."""
    found: dict[frozenset[str], list[str]] = {}

    def walk(name: str, path: list[str]) -> None:
        if name in path:
            circle = path[path.index(name) :]
            found.setdefault(frozenset(circle), circle)
            return
        for other in edges.get(name, ()):
            walk(other, [*path, name])

    for name in edges:
        walk(name, [])
    return list(found.values())


def row_of(name: str) -> int:
    room = name.split(".")[0]
    return next(number for number, (_, rooms) in enumerate(ROWS) if room in rooms)


def drawn_as(name: str) -> str:
    """The room of the picture that a file belongs to."""
    if not name.startswith("kernels"):
        return name.split(".")[0]
    return next((room for room, part in KERNELS.items() if part in name), "kernels/boxes")


# --- the picture -----------------------------------------------------------------------------------------------------
def places() -> dict[str, tuple[float, float]]:
    """The middle of every room."""
    found = {}
    for number, (_, rooms) in enumerate(ROWS):
        rooms = list(KERNELS) if rooms == ["kernels"] else rooms
        for at, room in enumerate(rooms):
            x = LEFT + (at + 0.5) * (WIDTH - LEFT - 14) / max(len(rooms), 6 if len(rooms) > 3 else 4)
            found[room] = (x, number * ROW_HEIGHT + ROW_HEIGHT / 2 + 8)
    return found


def curve(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x0, y0), (x1, y1) = start, end
    if y0 == y1:  # neighbours in a row: around below
        y0 = y1 = y0 + ROOM_HEIGHT / 2
        return f"M{x0:.0f} {y0:.0f} C{x0:.0f} {y0 + 24:.0f} {x1:.0f} {y1 + 24:.0f} {x1:.0f} {y1:.0f}"
    down = 1 if y1 > y0 else -1
    y0, y1 = y0 + down * ROOM_HEIGHT / 2, y1 - down * ROOM_HEIGHT / 2
    bend = abs(y1 - y0) / 2 * down
    return f"M{x0:.0f} {y0:.0f} C{x0:.0f} {y0 + bend:.0f} {x1:.0f} {y1 - bend:.0f} {x1:.0f} {y1:.0f}"


def svg() -> str:
    at = places()
    edges = {(drawn_as(name), drawn_as(other)) for name, others in graph().items() for other in others}
    height = len(ROWS) * ROW_HEIGHT + 44
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for number, (what, _) in enumerate(ROWS):
        y = number * ROW_HEIGHT + 8
        lines.append(f'<rect x="6" y="{y}" width="{WIDTH - 12}" height="{ROW_HEIGHT - 10}" rx="8" fill="#f1f4f8"/>')
        words, text = what.split(), [""]
        for word in words:
            if len(text[-1]) + len(word) > 26:
                text.append("")
            text[-1] += word + " "
        top = y + ROW_HEIGHT / 2 - 5 - 8 * (len(text) - 1)
        for line, part in enumerate(text):
            lines.append(f'<text x="20" y="{top + 16 * line + 5:.0f}" fill="#5a6675">{part.strip()}</text>')
    for name, other in sorted(edges):
        if name != other:
            lines.append(f'<path d="{curve(at[name], at[other])}" fill="none" stroke="#8fa3ba" stroke-opacity=".55"/>')
    for start, end in zip(WAY, WAY[1:]):
        lines.append(f'<path d="{curve(at[start], at[end])}" fill="none" stroke="#e4572e" stroke-width="3"/>')
    for room, (x, y) in at.items():
        left, top = x - ROOM_WIDTH / 2, y - ROOM_HEIGHT / 2
        label = room if "/" in room else f"{room}.py"
        edge = "#e4572e" if room in WAY else "#33485f"
        lines.append(
            f'<rect x="{left:.0f}" y="{top:.0f}" width="{ROOM_WIDTH}" height="{ROOM_HEIGHT}" rx="5" fill="#ffffff" '
            f'stroke="{edge}"/>'
        )
        lines.append(f'<text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle" fill="#1d2a38">{label}</text>')
    for number, room in enumerate(WAY, 1):
        x, y = at[room][0] - ROOM_WIDTH / 2, at[room][1] - ROOM_HEIGHT / 2
        lines.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="10" fill="#e4572e"/>')
        lines.append(f'<text x="{x:.0f}" y="{y + 4.5:.0f}" text-anchor="middle" fill="#ffffff">{number}</text>')
    lines.append(
        f'<text x="20" y="{height - 16}" fill="#5a6675">Grey: imports, downwards or within a row. '
        '<tspan fill="#e4572e">Red: the way of a frame through YoloV8.</tspan></text>'
    )
    return "\n".join([*lines, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only tell whether the picture is up to date")
    parser.add_argument("--list", action="store_true", help="print the imports of every file, and circles")
    parser.add_argument("--lib", type=Path, default=LIB, help="another checkout's lib/n6post, for --list")
    arguments = parser.parse_args()
    if arguments.list:
        edges = graph(arguments.lib)
        for name, others in edges.items():
            print(f"{name:26}{' '.join(others)}")
        found = circles(edges)
        print(f"{len(edges)} files, {sum(map(len, edges.values()))} imports, {len(found)} circles")
        for circle in found:
            print("  circle: " + " -> ".join([*circle, circle[0]]))
    elif arguments.check:
        sys.exit(0 if PICTURE.read_text() == svg() else f"{PICTURE.name} is not what the imports are")
    else:
        PICTURE.write_text(svg())
        print(f"wrote {PICTURE}")


if __name__ == "__main__":
    main()
