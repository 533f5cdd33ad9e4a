"""Write package.json, the list of lib's files for `mip install`. generate.py runs it.

Each pair in "urls" is a file's name on the camera and its address relative to package.json.
"""

import json
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TARGET = ROOT / "package.json"


def text() -> str:
    """One line for each file of lib."""
    lib = ROOT / "lib"
    files = sorted(file.relative_to(lib).as_posix() for file in lib.rglob("*.py"))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    urls = ",\n".join(f"    {json.dumps([file, f'lib/{file}'])}" for file in files)
    return f'{{\n  "urls": [\n{urls}\n  ],\n  "version": {json.dumps(version)}\n}}\n'
