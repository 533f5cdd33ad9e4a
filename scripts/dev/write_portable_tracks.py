"""Write portable_*.py of viper_*.py in lib/n6post/kernels: `python3 scripts/dev/write_portable_tracks.py [--check]`.

They are the same in plain Python: without viper's decorators and types, and with a docstring that says so. Viper's int() of
an object refuses a float; in plain Python `| 0` does. Viper's ptr32() of an array of floats shows their bits, as
`array("i", bytes(...))` does.
"""

import argparse
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "lib" / "n6post" / "kernels"

WHAT = {
    "tracks": "What a Tracker does to all tracks and detections of a frame, in whole numbers and plain Python.",
    "text": "What to_json writes of detections, byte by byte and in plain Python.",
}

DOCSTRING = '''"""%s

Written by scripts/dev/write_portable_tracks.py from viper_%s.py, which explains it: change that, not this.
"""'''


def source_of(name: str) -> Path:
    return FOLDER / f"viper_{name}.py"


def target_of(name: str) -> Path:
    return FOLDER / f"portable_{name}.py"


def text(name: str) -> str:
    source = source_of(name).read_text()
    source = re.sub(r'^""".*?"""', lambda _: DOCSTRING % (WHAT[name], name), source, count=1, flags=re.DOTALL)
    bits = re.search(r"\bptr32\(", source)
    source = source.replace("import micropython\n", "from array import array\n\n" if bits else "")
    source = source.replace("@micropython.viper\n", "")
    source = re.sub(r"\bint\((\w+)\)", r"\1 | 0", source)
    source = re.sub(r"\bptr32\((\w+)\)", r'array("i", bytes(\1))', source)
    return re.sub(r"^def .*$", lambda line: re.sub(r"(: (ptr8|ptr32|int)\b| -> int)", "", line[0]), source, flags=re.M)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    for name in WHAT:
        if not check:
            target_of(name).write_text(text(name))
        elif target_of(name).read_text() != text(name):
            sys.exit(f"{target_of(name).name} is not what {source_of(name).name} gives: run {Path(__file__).name}")


if __name__ == "__main__":
    main()
