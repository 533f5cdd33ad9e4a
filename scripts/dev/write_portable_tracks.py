"""Write lib/n6post/kernels/portable_tracks.py: `python3 scripts/dev/write_portable_tracks.py [--check]`.

It is viper_tracks.py in plain Python: without viper's decorators and types, and with a docstring that says so. Viper's int()
of an object refuses a float; in plain Python `| 0` does.
"""

import argparse
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "lib" / "n6post" / "kernels"
SOURCE, TARGET = FOLDER / "viper_tracks.py", FOLDER / "portable_tracks.py"

DOCSTRING = '''"""What a Tracker does to all tracks and detections of a frame, in whole numbers and plain Python.

Written by scripts/dev/write_portable_tracks.py from viper_tracks.py, which explains it: change that, not this.
"""'''


def text() -> str:
    source = re.sub(r'^""".*?"""', lambda _: DOCSTRING, SOURCE.read_text(), count=1, flags=re.DOTALL)
    source = source.replace("import micropython\n", "").replace("@micropython.viper\n", "")
    source = re.sub(r"\bint\((\w+)\)", r"\1 | 0", source)
    return re.sub(r"^def .*$", lambda line: re.sub(r"(: (ptr8|ptr32|int)\b| -> int)", "", line[0]), source, flags=re.M)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    if not parser.parse_args().check:
        TARGET.write_text(text())
    elif TARGET.read_text() != text():
        sys.exit(f"{TARGET.name} is not what {SOURCE.name} gives: run {Path(__file__).name}")


if __name__ == "__main__":
    main()
