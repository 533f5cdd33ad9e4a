"""Write the constants of a file that are defined in another one, and the byte code of kernels/viper/json.py.

generate.py runs it. MicroPython replaces a name by its number only in the file with its `const`; an imported one is looked
up at each use. So each file has lines `_NAME = const(number)` of its own, below a comment that ends with one of these:

    copied by scripts/dev/generate.py from kernels/viper/tracks.py:             constants of the same name, or NAME
    copied by scripts/dev/generate.py from row in kernels/params/drawing.py:    positions of a function's arguments

`_P_DT` and `_ROW_DT` are the position of the argument `dt`. To copy another one, add its line with any number.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LIB = ROOT / "lib" / "n6post"

LINE = r"(_\w+) = const\((.*?)\)(?=  #|$)"
COPIED = re.compile(rf"copied by scripts/dev/generate\.py from (?:(\w+) in )?(\S+):\n((?:{LINE}.*\n)+)", re.I | re.M)
FORM = re.compile(r"^_FORM = .*?^_MAX_SIZE = const\(\d+\)", re.M | re.S)

NUMBER, SCORE = 11, 5  # bytes: "-2147483648", "1.999"
EXTRA = 7  # ", " before a detection, "]" and a line end after the last, three bytes that are copied beyond the end


def files() -> Iterator[tuple[Path, str]]:
    """Each file with such constants, and its expected text."""
    for path in sorted([*LIB.rglob("*.py"), *(ROOT / "scripts" / "kernels").glob("*.py")]):
        text = path.read_text(encoding="utf-8")
        if path.parent.name not in ("helium", "m7") and (COPIED.search(text) or FORM.search(text)):
            yield path, FORM.sub(form, COPIED.sub(copied, text))


def copied(block: re.Match[str]) -> str:
    function, source, lines = block.group(1, 2, 3)
    text = (LIB / source).read_text(encoding="utf-8")
    if function:
        (node,) = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == function]
        known = {argument.arg: str(at) for at, argument in enumerate(node.args.args)}
        lines = re.sub(LINE, lambda m: f"{m[1]} = const({known[m[1].split('_', 2)[2].lower()]})", lines, flags=re.M)
    else:
        known = dict(re.findall(rf"^{LINE.replace('_', '_?', 1)}", text, re.M))
        lines = re.sub(LINE, lambda m: f"{m[1]} = const({known.get(m[1]) or known[m[1][1:]]})", lines, flags=re.M)
    return block[0].removesuffix(block[3]) + lines


def form(block: re.Match[str]) -> str:
    """_FORM, the positions of its parts but the first, and _MAX_SIZE, of the texts and numbers of the same file."""
    known = {}
    for node in ast.parse(block.string).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            known[ast.unparse(node.targets[0])] = ast.literal_eval(node.value.args[0])
    code = b""
    offsets, sizes = [], []
    for name, text in known.items():
        if isinstance(text, str):
            offsets.append(f"{name.removesuffix('_TEXT')} = const({len(code)})")
            size = 0
            for piece, value in re.findall("([^<]*)<([^>]+)>", text):
                kind = known["_" + value]
                code += bytes([len(piece)]) + piece.encode() + b" " * (-len(piece) % 4) + bytes([kind])
                size += len(piece) + NUMBER * (kind < known["_END"])
            sizes.append(size)
    lines = [f"    {code[i : i + 60]!r}" for i in range(0, len(code), 60)]
    most = sizes[0] + max(sizes[1:]) + SCORE + EXTRA
    return "\n".join(["_FORM = (", *lines, ")  # fmt: skip", *offsets[1:], f"_MAX_SIZE = const({most})"])
