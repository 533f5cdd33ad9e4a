"""Write package.json for `mip install`: `python3 scripts/dev/write_package_json.py`. Do so when files of lib come or go.

mip takes what stands left in "urls" from the address on the right, which it resolves against package.json's own place.
"""

import json
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def package() -> dict[str, object]:
    lib = ROOT / "lib"
    files = sorted(file.relative_to(lib).as_posix() for file in lib.rglob("*.py"))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    return {"urls": [[file, f"lib/{file}"] for file in files], "version": version}


def text() -> str:
    """As it stands in the file: one line a file of lib."""
    content = package()
    urls = ",\n".join(f"    {json.dumps(pair)}" for pair in content["urls"])
    return f'{{\n  "urls": [\n{urls}\n  ],\n  "version": {json.dumps(content["version"])}\n}}\n'


if __name__ == "__main__":
    (ROOT / "package.json").write_text(text())
